//! What the threads of a warp do together: shuffles and votes.

use ptx_gen::ir::{BinaryOp as Op, ConvertOp, InstData, IntCond, ShuffleMode, Type, Value};

use super::{Lowered, Lowerer};
use crate::typed::Expr;

/// The lanes that take part in a shuffle: all.
const ALL_LANES: u64 = 0xffff_ffff;

impl Lowerer<'_> {
    /// A shuffle of a value, lane by lane of a vector. With three arguments the first says which threads take part.
    pub(super) fn shuffle(&mut self, mode: ShuffleMode, args: &[Expr]) -> Lowered {
        let (members, args) = match args {
            [members, value, lane] => (self.scalar(members)?, [value, lane]),
            _ => (self.b.constant(Type::I32, ALL_LANES), [&args[0], &args[1]]),
        };
        let values = self.expr(args[0])?;
        let lane = self.scalar(args[1])?;
        Ok(values.into_iter().map(|value| self.shuffle_value(mode, value, (lane, members))).collect())
    }

    /// A value of any type by shuffles of 32 bits; `how` is the lane operand and the threads that take part.
    fn shuffle_value(&mut self, mode: ShuffleMode, value: Value, how: (Value, Value)) -> Value {
        let ty = self.b.ty(value);
        match ty {
            Type::I32 | Type::F32 => self.shuffle_word(mode, value, how),
            Type::I8 | Type::I16 => {
                let wide = self.b.convert(ConvertOp::ZeroExtend, value, Type::I32);
                let moved = self.shuffle_word(mode, wide, how);
                self.b.convert(ConvertOp::Truncate, moved, ty)
            }
            Type::Bool => {
                let wide = self.b.convert(ConvertOp::ZeroExtend, value, Type::I32);
                let moved = self.shuffle_word(mode, wide, how);
                self.is_zero(moved, IntCond::Ne)
            }
            Type::I64 => {
                let half = self.i64(32);
                let low = self.b.convert(ConvertOp::Truncate, value, Type::I32);
                let high = self.b.binary(Op::LShr, value, half);
                let high = self.b.convert(ConvertOp::Truncate, high, Type::I32);
                let low = self.shuffle_word(mode, low, how);
                let high = self.shuffle_word(mode, high, how);
                let low = self.b.convert(ConvertOp::ZeroExtend, low, Type::I64);
                let high = self.b.convert(ConvertOp::ZeroExtend, high, Type::I64);
                let high = self.b.binary(Op::Shl, high, half);
                self.b.binary(Op::Or, high, low)
            }
            Type::F64 => {
                let bits = self.b.convert(ConvertOp::Bitcast, value, Type::I64);
                let moved = self.shuffle_value(mode, bits, how);
                self.b.convert(ConvertOp::Bitcast, moved, Type::F64)
            }
        }
    }

    fn shuffle_word(&mut self, mode: ShuffleMode, value: Value, how: (Value, Value)) -> Value {
        // The segment is the warp: mask 0 in bits 12:8; the clamp is its first lane for `up`, else its last.
        let clamp = match mode {
            ShuffleMode::Up => 0,
            ShuffleMode::Down | ShuffleMode::Xor | ShuffleMode::Idx => 0x1f,
        };
        let clamp = self.b.constant(Type::I32, clamp);
        let (lane, members) = how;
        let ty = self.b.ty(value);
        self.b.push(InstData::Shuffle { mode, value, lane, clamp, members }, ty)
    }
}
