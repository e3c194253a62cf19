//! Threads that look at barriers in memory again and again: whether any of them will ever find something else.
//!
//! Such a thread is never at rest as at a barrier of the block: it runs a loop. When all threads that could go on only looked
//! in vain, for a while, the state of the piece of the grid is remembered; when it is the same later, and in between nothing
//! was done that others could see, or that looks at anything but registers and shared memory, then nothing will ever change. A
//! loop that counts how often it looks is never in the same state: it ends by the budget of steps.

use super::block::Block;
use super::calls::Callee;
use super::op::{Op, Space};
use super::program::Kernel;
use super::registers::Registers;
use super::warp::Group;

/// Rounds in vain before anything is remembered.
const PATIENCE: u64 = 64;

/// A warp as it was.
type Remembered = (Vec<Group>, Registers);

/// How long nothing has happened.
#[derive(Debug, Default)]
pub(crate) struct Stillness {
    rounds: u64,
    remembered: Option<(Vec<Remembered>, u64)>,
}

impl Stillness {
    /// Something has happened.
    pub(crate) fn end(&mut self) {
        self.rounds = 0;
        self.remembered = None;
    }

    /// One more round in which all that could go on have looked in vain: whether it is in vain for ever.
    pub(crate) fn is_forever(&mut self, blocks: &mut [Block<'_>]) -> bool {
        self.rounds += 1;
        if self.rounds < PATIENCE {
            return false;
        }
        let effects = blocks.iter().map(Block::effects).sum();
        if self.remembered.as_ref().is_some_and(|(_, before)| *before != effects) {
            self.end();
            return false;
        }
        if let Some((state, _)) = &self.remembered
            && blocks.iter().all(Block::is_in_vain)
            && is_as_before(blocks, state)
        {
            return true;
        }
        // Ever longer, so that a loop of any length is found out.
        if self.rounds.is_power_of_two() {
            let warps = blocks.iter().flat_map(Block::warps);
            let state = warps.map(|warp| (warp.groups.clone(), warp.registers.clone())).collect();
            self.remembered = Some((state, effects));
            // Everybody has to look once more.
            blocks.iter_mut().flat_map(Block::warps_mut).for_each(|warp| warp.polls.clear());
        }
        false
    }
}

fn is_as_before(blocks: &[Block<'_>], state: &[Remembered]) -> bool {
    let warps = blocks.iter().flat_map(Block::warps);
    warps.zip(state).all(|(warp, (groups, registers))| warp.groups == *groups && warp.registers == *registers)
}

/// Whether an operation does something that others can see, or sees what others can do elsewhere than in shared memory.
pub(crate) fn has_effect(op: &Op, kernel: &Kernel) -> bool {
    match *op {
        Op::Load(access) => match access.address.space {
            Space::Shared | Space::Local | Space::Param => false,
            Space::Global | Space::Generic => true,
        },
        Op::Asynchronous { index } => !kernel.asynchronous[index as usize].only_looks(),
        Op::Call { site } => match kernel.sites[site as usize].callee {
            Callee::Function(_) | Callee::Pointer { .. } => false,
            Callee::Builtin(_) => true,
        },
        Op::Store(_)
        | Op::Atomic(_)
        | Op::AtomicWide(_)
        | Op::Barrier(_)
        | Op::ClusterBarrier { .. }
        | Op::Clock { .. }
        | Op::Matrix { .. }
        | Op::Exit
        | Op::Trap => true,
        Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Quaternary { .. }
        | Op::Convert { .. }
        | Op::Packed { .. }
        | Op::Video { .. }
        | Op::Compare { .. }
        | Op::Select32 { .. }
        | Op::Select64 { .. }
        | Op::Logic { .. }
        | Op::Carry { .. }
        | Op::Pack { .. }
        | Op::Unpack { .. }
        | Op::IsSpace { .. }
        | Op::Collective { .. }
        | Op::ActiveMask { .. }
        | Op::Branch { .. }
        | Op::Switch { .. }
        | Op::Return
        | Op::Fence { .. }
        | Op::Nothing => false,
    }
}
