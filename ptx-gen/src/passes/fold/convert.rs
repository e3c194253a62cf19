//! Rules for conversions of conversions.

use super::{Folder, Rewrite};
use crate::ir::{BinaryOp, ConvertOp, InstData, Type, Value};

impl Folder<'_> {
    pub(super) fn convert(&mut self, op: ConvertOp, arg: Value, to: Type) -> Option<Rewrite> {
        let data = self.func.def(arg)?.clone();
        if let (ConvertOp::Truncate, InstData::Binary { op, args, .. }) = (op, &data) {
            return self.low_sum(*op, *args, to);
        }
        let InstData::Convert { op: inner, arg: source } = data else { return None };
        let from = self.func.ty(source);
        let again = |op| Some(Rewrite::Data(InstData::Convert { op, arg: source }));
        match (op, inner) {
            (ConvertOp::ZeroExtend, ConvertOp::ZeroExtend) => again(ConvertOp::ZeroExtend),
            // A zero-extended number has no sign.
            (ConvertOp::SignExtend | ConvertOp::IndexExtend, ConvertOp::ZeroExtend) => {
                again(ConvertOp::ZeroExtend)
            }
            (ConvertOp::SignExtend, ConvertOp::SignExtend) => again(ConvertOp::SignExtend),
            (ConvertOp::Truncate, ConvertOp::Truncate) => again(ConvertOp::Truncate),
            (ConvertOp::Truncate, ConvertOp::ZeroExtend | ConvertOp::SignExtend) => {
                if from == to {
                    Some(Rewrite::Value(source))
                } else if from.bits() < to.bits() {
                    again(inner)
                } else {
                    // A `bool` is narrower than every integer, so the source is an integer.
                    again(ConvertOp::Truncate)
                }
            }
            (ConvertOp::Bitcast, ConvertOp::Bitcast) if from == to => Some(Rewrite::Value(source)),
            _ => None,
        }
    }

    /// Of the low part of `a as u64 - n` the difference of the low parts, where the first one is there already; of the sum with a constant,
    /// which may become the offset of an access, the sum.
    fn low_sum(&mut self, op: BinaryOp, [a, n]: [Value; 2], to: Type) -> Option<Rewrite> {
        if op != BinaryOp::Sub && (op != BinaryOp::Add || self.func.constant(n).is_none()) {
            return None;
        }
        let &InstData::Convert { op: ConvertOp::ZeroExtend, arg: low } = self.func.def(a)? else {
            return None;
        };
        if self.func.ty(low) != to {
            return None;
        }
        let less = self.new_value(InstData::Convert { op: ConvertOp::Truncate, arg: n }, to);
        let args = [low, less];
        Some(Rewrite::Data(InstData::Binary { op, args, no_unsigned_wrap: false }))
    }
}
