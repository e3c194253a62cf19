//! The forms of branches, barriers and exchanges between lanes.

use ptx::tree::{Instruction, Keyword, Operand, ScalarType};

use super::flow::Flow;
use super::forms::set_flow;
use super::function::{Decoder, Refusal};
use super::words::{Words, operands};
use crate::exec::binary::Binary;
use crate::exec::compare::Compare;
use crate::exec::peers::PEER_BYTES;
use crate::exec::unary::Unary;
use crate::op::{Barrier, BarrierMode, Collective, Logic, Op, Predicate, ReduxMode, ShuffleMode, VoteMode};
use crate::program::{Constant, PerBlock, Special};
use crate::registers::{Class, FULL, Slot};

const SHUFFLES: &[(Keyword, ShuffleMode)] = &[
    (Keyword::Up, ShuffleMode::Up),
    (Keyword::Down, ShuffleMode::Down),
    (Keyword::Bfly, ShuffleMode::Butterfly),
    (Keyword::Idx, ShuffleMode::Index),
];

const VOTES: &[(Keyword, VoteMode)] = &[
    (Keyword::All, VoteMode::All),
    (Keyword::Any, VoteMode::Any),
    (Keyword::Uni, VoteMode::Uniform),
    (Keyword::Ballot, VoteMode::Ballot),
];

/// The operations of `redux.sync`, unsigned and signed.
const REDUCTIONS: &[(Keyword, [ReduxMode; 2])] = &[
    (Keyword::Add, [ReduxMode::Add, ReduxMode::Add]),
    (Keyword::And, [ReduxMode::And, ReduxMode::And]),
    (Keyword::Or, [ReduxMode::Or, ReduxMode::Or]),
    (Keyword::Xor, [ReduxMode::Xor, ReduxMode::Xor]),
    (Keyword::Min, [ReduxMode::MinUnsigned, ReduxMode::MinSigned]),
    (Keyword::Max, [ReduxMode::MaxUnsigned, ReduxMode::MaxSigned]),
];

impl Decoder<'_> {
    pub(super) fn branch(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        words.take(Keyword::Uni);
        words.finish()?;
        let [Operand::Name(label)] = operands(instruction)? else {
            return Err(Refusal::new("expected a label"));
        };
        let target = self.label(label.as_str())?;
        let conditional = self.is_conditional();
        // The target is patched when the blocks are in order.
        self.push(Op::Branch { target: 0 });
        set_flow(self, Flow::Branch { target, conditional });
        Ok(())
    }

    /// `ret` of a function goes back to its caller; `exit`, and `ret` of a kernel, end the thread.
    pub(super) fn leave(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        words.take(Keyword::Uni);
        words.finish()?;
        let conditional = self.is_conditional();
        let returns = self.is_function && instruction.opcode.as_str() == "ret";
        self.push(if returns { Op::Return } else { Op::Exit });
        set_flow(self, Flow::Exit { conditional });
        Ok(())
    }

    pub(super) fn trap(&mut self, _instruction: &Instruction) -> Result<(), Refusal> {
        let conditional = self.is_conditional();
        self.push(Op::Trap);
        set_flow(self, Flow::Exit { conditional });
        Ok(())
    }

    pub(super) fn barrier(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        if words.take(Keyword::Warp) {
            words.take(Keyword::Sync);
            words.finish()?;
            let [members] = operands(instruction)?;
            let members = self.source(members, Class::W, ScalarType::B32)?;
            self.push(Op::Collective { members, what: Collective::Synchronize });
            return Ok(());
        }
        if words.take(Keyword::Cluster) {
            return self.cluster_barrier(words);
        }
        words.take(Keyword::Cta);
        let aligned = words.take(Keyword::Aligned) || instruction.opcode.as_str() == "bar";
        let sources = instruction.operands.as_slice();
        let (mode, sources) = if words.take(Keyword::Sync) {
            (BarrierMode::Sync, sources)
        } else if words.take(Keyword::Arrive) {
            (BarrierMode::Arrive, sources)
        } else if words.take(Keyword::Red) {
            self.barrier_reduction(&mut words, sources)?
        } else {
            return Err(Refusal::new("the simulator does not have this barrier"));
        };
        words.finish()?;
        let (id, count) = match sources {
            [id] => (id, None),
            [id, count] => (id, Some(self.source(count, Class::W, ScalarType::U32)?)),
            _ => return Err(Refusal::new("expected a barrier and perhaps a number of threads")),
        };
        if mode == BarrierMode::Arrive && count.is_none() {
            return Err(Refusal::new("an arrival needs the number of threads"));
        }
        let id = self.source(id, Class::W, ScalarType::U32)?;
        self.push(Op::Barrier(Barrier { mode, aligned, id, count }));
        Ok(())
    }

    /// `barrier.cluster`
    fn cluster_barrier(&mut self, mut words: Words<'_>) -> Result<(), Refusal> {
        let arrive = words.take(Keyword::Arrive);
        let wait = words.take(Keyword::Wait);
        let relaxed = words.take(Keyword::Relaxed);
        for word in [Keyword::Release, Keyword::Acquire, Keyword::Aligned] {
            words.take(word);
        }
        words.finish()?;
        if arrive == wait {
            return Err(Refusal::new("expected `arrive` or `wait`"));
        }
        if arrive && !relaxed {
            self.push(Op::Fence { wide: true, of_barrier: true });
        }
        self.push(Op::ClusterBarrier { wait });
        Ok(())
    }

    /// `mapa`: the offset of an address with the rank of a block above it (`exec::peers`); `getctarank`: that rank.
    pub(super) fn cluster_address(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        words.space();
        let ty = words.ty()?;
        words.finish()?;
        let class = if ty.bits() == 64 { Class::D } else { Class::W };
        if instruction.opcode.as_str() == "getctarank" {
            let [target, source] = operands(instruction)?;
            let source = self.source(source, class, ty)?;
            return self.cluster_rank(target, source, class);
        }
        let [target, source, rank] = operands(instruction)?;
        let source = self.source(source, class, ty)?;
        let rank = self.source(rank, Class::W, ScalarType::U32)?;
        let number = |decoder: &mut Self, value: u64| decoder.constant(Class::W, Constant::Immediate(value));
        let (one, shift) = (number(self, 1)?, number(self, PEER_BYTES.trailing_zeros().into())?);
        let above = self.fresh(Class::W)?;
        self.push(Op::Binary { f: Binary::Add32, target: above, sources: [rank, one] });
        self.push(Op::Binary { f: Binary::Shl32, target: above, sources: [above, shift] });
        let offsets = self.constant(class, Constant::Immediate(!0xffff_ffff | (PEER_BYTES - 1)))?;
        let below = self.fresh(class)?;
        let target = self.target(target, class)?;
        if class == Class::D {
            let wide = self.fresh(Class::D)?;
            self.push(Op::Unary { f: Unary::WidenU32, target: wide, sources: [above] });
            self.push(Op::Binary { f: Binary::And64, target: below, sources: [source, offsets] });
            self.push(Op::Binary { f: Binary::Or64, target, sources: [below, wide] });
        } else {
            self.push(Op::Binary { f: Binary::And32, target: below, sources: [source, offsets] });
            self.push(Op::Binary { f: Binary::Or32, target, sources: [below, above] });
        }
        Ok(())
    }

    /// The rank that an address names; the block's own if it names none.
    fn cluster_rank(&mut self, target: &Operand, source: Slot, class: Class) -> Result<(), Refusal> {
        let narrow = match class {
            Class::D => {
                let narrow = self.fresh(Class::W)?;
                self.push(Op::Unary { f: Unary::Narrow64, target: narrow, sources: [source] });
                narrow
            }
            Class::P | Class::W => source,
        };
        let number = |decoder: &mut Self, value: u64| decoder.constant(Class::W, Constant::Immediate(value));
        let (zero, one) = (number(self, 0)?, number(self, 1)?);
        let shift = number(self, PEER_BYTES.trailing_zeros().into())?;
        let own = self.constant(Class::W, Constant::Special(Special::PerBlock(PerBlock::Rank)))?;
        let (above, other, named) = (self.fresh(Class::W)?, self.fresh(Class::W)?, self.fresh(Class::P)?);
        self.push(Op::Binary { f: Binary::ShrU32, target: above, sources: [narrow, shift] });
        self.push(Op::Binary { f: Binary::Sub32, target: other, sources: [above, one] });
        let (combine, with, inverse) = (Logic::And, Predicate::TRUE, None);
        let (a, b) = (above, zero);
        self.push(Op::Compare {
            f: Compare::Eq32,
            negated: true,
            a,
            b,
            combine,
            with,
            target: named,
            inverse,
        });
        let target = self.target(target, Class::W)?;
        let condition = Predicate { slot: named, negated: false };
        self.push(Op::Select32 { target, a: other, b: own, condition });
        Ok(())
    }

    /// `bar.red`: the mode, and the operands that are left.
    fn barrier_reduction<'a>(
        &mut self,
        words: &mut Words<'_>,
        sources: &'a [Operand],
    ) -> Result<(BarrierMode, &'a [Operand]), Refusal> {
        let [target, middle @ .., source] = sources else {
            return Err(Refusal::new("expected a target and a predicate"));
        };
        let source = self.predicate(source)?;
        let mode = if words.take(Keyword::Popc) {
            words.ty()?;
            BarrierMode::CountTrue { target: self.target(target, Class::W)?, source }
        } else {
            let all = words.take(Keyword::And);
            if !all && !words.take(Keyword::Or) {
                return Err(Refusal::new("the reduction is missing"));
            }
            words.ty()?;
            let target = self.target(target, Class::P)?;
            if all { BarrierMode::All { target, source } } else { BarrierMode::Any { target, source } }
        };
        Ok((mode, middle))
    }

    /// The member mask; instructions without `.sync` take every lane that is there.
    fn members(&mut self, words: &mut Words<'_>, operand: Option<&Operand>) -> Result<Slot, Refusal> {
        if !words.take(Keyword::Sync) {
            return Err(Refusal::new("only the form with `.sync` exists on the targets simulated"));
        }
        match operand {
            Some(operand) => self.source(operand, Class::W, ScalarType::B32),
            None => self.constant(Class::W, Constant::Immediate(u64::from(FULL))),
        }
    }

    /// The lanes that are there: what `shfl` and `vote` without `.sync` are among, in texts before PTX 6.4. The lanes that the
    /// guard leaves out take no part.
    fn present(&mut self) -> Result<Slot, Refusal> {
        let target = self.fresh(Class::W)?;
        self.push(Op::ActiveMask { target });
        Ok(target)
    }

    pub(super) fn shuffle(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let (target, source, lane, clamp, members) = match instruction.operands.as_slice() {
            [target, source, lane, clamp] if !has_sync(instruction) => {
                (target, source, lane, clamp, self.present()?)
            }
            _ => {
                let [target, source, lane, clamp, members] = operands(instruction)?;
                (target, source, lane, clamp, self.members(&mut words, Some(members))?)
            }
        };
        let mode = words.take_any(SHUFFLES).ok_or_else(|| Refusal::new("the mode is missing"))?;
        words.ty()?;
        words.finish()?;
        let source = self.source(source, Class::W, ScalarType::B32)?;
        let lane = self.source(lane, Class::W, ScalarType::B32)?;
        let clamp = self.source(clamp, Class::W, ScalarType::B32)?;
        let (target, valid) = self.target_pair(target, Class::W)?;
        self.push(Op::Collective {
            members,
            what: Collective::Shuffle { mode, target, valid, source, lane, clamp },
        });
        Ok(())
    }

    pub(super) fn vote(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let (target, source, members) = match instruction.operands.as_slice() {
            [target, source] if !has_sync(instruction) => (target, source, self.present()?),
            _ => {
                let [target, source, members] = operands(instruction)?;
                (target, source, self.members(&mut words, Some(members))?)
            }
        };
        let mode = words.take_any(VOTES).ok_or_else(|| Refusal::new("the mode is missing"))?;
        words.ty()?;
        words.finish()?;
        let source = self.predicate(source)?;
        let class = if mode == VoteMode::Ballot { Class::W } else { Class::P };
        let target = self.target(target, class)?;
        self.push(Op::Collective { members, what: Collective::Vote { mode, target, source } });
        Ok(())
    }

    pub(super) fn match_lanes(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let [target, source, members] = operands(instruction)?;
        let members = self.members(&mut words, Some(members))?;
        let all = words.take(Keyword::All);
        if !all && !words.take(Keyword::Any) {
            return Err(Refusal::new("the mode is missing"));
        }
        let ty = words.ty()?;
        words.finish()?;
        let wide = ty.bits() == 64;
        let source = self.source(source, if wide { Class::D } else { Class::W }, ty)?;
        let (target, valid) = self.target_pair(target, Class::W)?;
        self.push(Op::Collective { members, what: Collective::Match { all, wide, target, valid, source } });
        Ok(())
    }

    pub(super) fn redux(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let [target, source, members] = operands(instruction)?;
        let members = self.members(&mut words, Some(members))?;
        let modes = words.take_any(REDUCTIONS).ok_or_else(|| Refusal::new("the operation is missing"))?;
        let ty = words.ty()?;
        words.finish()?;
        let mode = match ty {
            ScalarType::S32 => modes[1],
            ScalarType::U32 | ScalarType::B32 => modes[0],
            _ => return Err(Refusal::new(format!("`redux` of `.{ty}` is not simulated"))),
        };
        let source = self.source(source, Class::W, ty)?;
        let target = self.target(target, Class::W)?;
        self.push(Op::Collective { members, what: Collective::Redux { mode, target, source } });
        Ok(())
    }

    pub(super) fn elect(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let [target, members] = operands(instruction)?;
        let members = self.members(&mut words, Some(members))?;
        words.finish()?;
        let (leader, target) = self.target_pair(target, Class::W)?;
        let target = target.ok_or_else(|| Refusal::new("expected `d|p`"))?;
        self.push(Op::Collective { members, what: Collective::Elect { target, leader } });
        Ok(())
    }

    pub(super) fn active_mask(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let [target] = operands(instruction)?;
        let target = self.target(target, Class::W)?;
        self.push(Op::ActiveMask { target });
        Ok(())
    }
}

/// Returns true if a collective has a member mask.
fn has_sync(instruction: &Instruction) -> bool {
    instruction.modifiers.contains(&Keyword::Sync.into())
}
