//! Rules for conversions of conversions.

use super::{Folder, Rewrite};
use crate::ir::{ConvertOp, InstData, Type, Value};

impl Folder<'_> {
    pub(super) fn convert(&mut self, op: ConvertOp, arg: Value, to: Type) -> Option<Rewrite> {
        let &InstData::Convert { op: inner, arg: source } = self.func.def(arg)? else { return None };
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
}
