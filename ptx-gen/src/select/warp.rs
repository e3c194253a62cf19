//! Collectives of a warp or block: shuffles, votes, matches, reductions and barriers.

use super::lower::{Extension, Lowering};
use super::machine::{Class, Operand, VReg, int, words::*};
use crate::ir::{BarrierOp, MatchMode, ReduxOp, ShuffleMode, Value, VoteMode};
use ptx::tree::{Keyword, Modifier, Opcode};

impl Lowering<'_> {
    /// The value of another lane. PTX moves 32 bits: shorter values go alone, longer ones in halves.
    pub(super) fn shuffle(&mut self, mode: ShuffleMode, value: Value, controls: [Value; 3], dst: VReg) {
        let mode = Modifier::Keyword(match mode {
            ShuffleMode::Up => Keyword::Up,
            ShuffleMode::Down => Keyword::Down,
            ShuffleMode::Xor => Keyword::Bfly,
            ShuffleMode::Idx => Keyword::Idx,
        });
        let source = self.reg(value);
        let controls = controls.map(|control| self.operand(control, Extension::Sign));
        let move_word = |this: &mut Self, source: VReg, dst: VReg| {
            let mut operands = vec![source.into()];
            operands.extend(controls.clone());
            this.emit(dst, Opcode::Shfl, &[SYNC, mode, B32], operands);
        };
        match self.class(dst) {
            Class::B32 | Class::F32 => move_word(self, source, dst),
            Class::B16 => {
                let word = self.emit_temp(Class::B32, Opcode::Cvt, &[U32, U16], vec![source.into()]);
                let moved = self.temp(Class::B32);
                move_word(self, word, moved);
                self.emit(dst, Opcode::Cvt, &[U16, U32], vec![moved.into()]);
            }
            Class::B64 | Class::F64 => {
                let halves = self.unpack(source, Class::B32);
                let moved = halves.map(|half| {
                    let moved = self.temp(Class::B32);
                    move_word(self, half, moved);
                    moved
                });
                self.pack(moved, dst);
            }
            Class::Pred => unreachable!("verified: shuffles take no `bool`"),
        }
    }

    /// Emits a vote of the warp's member lanes.
    pub(super) fn vote(&mut self, mode: VoteMode, pred: Value, members: Value, dst: VReg) {
        let (keyword, ty) = match mode {
            VoteMode::Ballot => (Keyword::Ballot, B32),
            VoteMode::Any => (Keyword::Any, PRED),
            VoteMode::All => (Keyword::All, PRED),
            VoteMode::Uniform => (Keyword::Uni, PRED),
        };
        let operands = vec![self.condition(pred), self.operand(members, Extension::Sign)];
        self.emit(dst, Opcode::Vote, &[SYNC, keyword.into(), ty], operands);
    }

    /// A truth value as an operand, negated or not.
    fn condition(&mut self, value: Value) -> Operand {
        let predicate = self.predicate(value);
        if predicate.negated { Operand::Not(predicate.reg) } else { Operand::Reg(predicate.reg) }
    }

    /// The lanes with the same value.
    pub(super) fn match_lanes(&mut self, mode: MatchMode, value: Value, members: Value, dst: VReg) {
        let keyword = match mode {
            MatchMode::Any => Keyword::Any,
            MatchMode::All => Keyword::All,
        };
        let source = self.reg(value);
        let ty = if self.class(source) == Class::B64 { B64 } else { B32 };
        let operands = vec![source.into(), self.operand(members, Extension::Sign)];
        self.emit(dst, Opcode::Match, &[keyword.into(), SYNC, ty], operands);
    }

    /// Emits a reduction over the warp's member lanes.
    pub(super) fn redux(&mut self, op: ReduxOp, value: Value, members: Value, dst: VReg) {
        let (keyword, ty) = match op {
            ReduxOp::Add => (Keyword::Add, S32),
            ReduxOp::UMin => (Keyword::Min, U32),
            ReduxOp::SMin => (Keyword::Min, S32),
            ReduxOp::UMax => (Keyword::Max, U32),
            ReduxOp::SMax => (Keyword::Max, S32),
            ReduxOp::And => (Keyword::And, B32),
            ReduxOp::Or => (Keyword::Or, B32),
            ReduxOp::Xor => (Keyword::Xor, B32),
        };
        let operands = vec![self.reg(value).into(), self.operand(members, Extension::Sign)];
        self.emit(dst, Opcode::Redux, &[SYNC, keyword.into(), ty], operands);
    }

    /// A barrier of the block that reduces a truth value.
    pub(super) fn barrier_reduce(&mut self, op: BarrierOp, pred: Value, dst: VReg) {
        let (keyword, ty) = match op {
            BarrierOp::Count => (Keyword::Popc, U32),
            BarrierOp::And => (Keyword::And, PRED),
            BarrierOp::Or => (Keyword::Or, PRED),
        };
        let operands = vec![int(0), self.condition(pred)];
        self.emit(dst, Opcode::Bar, &[RED, keyword.into(), ty], operands);
    }

    /// A barrier of the block for so many threads.
    pub(super) fn named_barrier(&mut self, id: u32, threads: Value, waits: bool) {
        let threads = self.operand(threads, Extension::Sign);
        let mode = if waits { SYNC } else { ARRIVE };
        self.emit_effect(Opcode::Bar, &[mode], vec![int(id.into()), threads]);
    }

    /// Waits for lanes of the warp.
    pub(super) fn warp_barrier(&mut self, members: Value) {
        let members = self.operand(members, Extension::Sign);
        self.emit_effect(Opcode::Bar, &[WARP, SYNC], vec![members]);
    }
}
