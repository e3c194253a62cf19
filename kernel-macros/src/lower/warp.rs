//! What the threads of a warp do together: shuffles and votes.

use ptx_gen::ir::{ConvertOp, IntCond, MatchMode, ShuffleMode, Type, Value, VoteMode};

use super::{Lowered, Lowerer, Values};
use crate::typed::Expr;

/// The lanes that take part in a shuffle: all.
const ALL_LANES: u64 = 0xffff_ffff;

impl Lowerer<'_> {
    /// A shuffle of a value, lane by lane of a vector.
    pub(super) fn shuffle(&mut self, mode: ShuffleMode, args: &[Expr]) -> Lowered {
        let (members, args) = self.members(args, 2)?;
        let values = self.expr(&args[0])?;
        let lane = self.scalar(&args[1])?;
        Ok(values.into_iter().map(|value| self.shuffle_value(mode, value, (lane, members))).collect())
    }

    /// `how` is the lane operand and the threads that take part.
    fn shuffle_value(&mut self, mode: ShuffleMode, value: Value, how: (Value, Value)) -> Value {
        if self.b.ty(value) == Type::Bool {
            let wide = self.b.convert(ConvertOp::ZeroExtend, value, Type::I32);
            let moved = self.shuffle_value(mode, wide, how);
            return self.is_zero(moved, IntCond::Ne);
        }
        // The segment is the warp: mask 0 in bits 12:8; the clamp is its first lane for `up`, else its last.
        let clamp = match mode {
            ShuffleMode::Up => 0,
            ShuffleMode::Down | ShuffleMode::Xor | ShuffleMode::Idx => 0x1f,
        };
        let clamp = self.b.constant(Type::I32, clamp);
        self.b.shuffle(mode, value, [how.0, clamp, how.1])
    }

    /// Which lanes take part in a collective: its first argument if it has `count + 1` of them, else all.
    fn members<'a>(&mut self, args: &'a [Expr], count: usize) -> Lowered<(Value, &'a [Expr])> {
        match args.split_first() {
            Some((members, rest)) if rest.len() == count => Ok((self.scalar(members)?, rest)),
            _ => Ok((self.b.constant(Type::I32, ALL_LANES), args)),
        }
    }

    /// `warp::ballot(p)` and its like.
    pub(super) fn vote(&mut self, mode: VoteMode, args: &[Expr]) -> Lowered {
        let (members, args) = self.members(args, 1)?;
        let pred = self.scalar(&args[0])?;
        Ok(vec![self.b.vote(mode, pred, members)])
    }

    /// `warp::match_any(v)`: of narrow types by their bits.
    pub(super) fn match_any(&mut self, args: &[Expr]) -> Lowered {
        let (members, args) = self.members(args, 1)?;
        let mut value = self.scalar(&args[0])?;
        let ty = self.b.ty(value);
        let bits = match ty.bits() {
            16 => Type::I16,
            32 => Type::I32,
            _ => Type::I64,
        };
        if ty.is_float() {
            value = self.b.convert(ConvertOp::Bitcast, value, bits);
        }
        if ty.bits() < 32 {
            value = self.b.convert(ConvertOp::ZeroExtend, value, Type::I32);
        }
        Ok(vec![self.b.match_lanes(MatchMode::Any, value, members)])
    }

    /// `warp::sync()`
    pub(super) fn warp_sync(&mut self, args: &[Expr]) -> Lowered {
        let (members, _) = self.members(args, 0)?;
        self.b.warp_barrier(members);
        Ok(Values::new())
    }
}
