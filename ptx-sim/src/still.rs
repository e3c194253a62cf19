//! Threads that loop: whether any of them will ever find something else.
//!
//! [`Stillness`] is for those that look at barriers in memory again and again.
//!
//! Such a thread is never at rest as at a barrier of the block: it runs a loop. When all threads that could go on only looked
//! in vain, for a while, the state of the piece of the grid is remembered; when it is the same later, and in between nothing
//! was done that others could see, or that looks at anything but registers and shared memory, then nothing will ever change.
//!
//! [`Loops`] is for all others, those that wait for a value in memory and those that wait for nothing: the state of the piece is
//! the same as it was, as far as it [decides](super::deciding) what is done next, nothing has had an effect since, and no other piece
//! runs that could have one. Where memory is read, the host is given a second to write there. A loop that polls memory by a state that
//! is never the same is given some seconds, and one that only computes several times as long and many steps.

use std::time::{Duration, Instant};

use super::block::Block;
use super::calls::Callee;
use super::op::{Op, Space};
use super::program::Kernel;
use super::registers::Registers;
use super::turnstile::{Entry, Looping};
use super::warp::{Group, Warp};

/// Rounds in vain before anything is remembered.
const PATIENCE: u64 = 64;

/// Rounds of a piece before its effects are counted for the first time, and the most between two counts.
const FIRST_LOOK: u64 = 4;
const MOST_ROUNDS: u64 = 64;

/// Rounds in which each group of lanes of a diverged warp has had its turn more than once.
const LEAST_QUIET: u64 = 64;
/// Time given to a loop that waits for another value in memory: the host may write there too, and other workers may begin.
const GRACE: Duration = Duration::from_secs(1);

/// Reason that a piece never ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endless {
    /// Its state repeats.
    Repeats,
    /// It has polled memory in vain for so long.
    Vain(Duration),
}

/// Detects warps of a piece that loop without an effect.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    rounds: u64,
    /// The round in which to look next, and how many lie between two looks.
    next: u64,
    between: u64,
    /// The effects and the stores at the last look.
    effects: u64,
    stores: u64,
    /// Since when there were none, in how many rounds, and what each warp had done until then.
    since: Option<Instant>,
    quiet: u64,
    before: Vec<Done>,
    remembered: Option<State>,
    looping: Looping,
}

/// Progress of a warp: steps, and polls of memory that others may change.
#[derive(Clone, Copy, Debug)]
struct Done {
    steps: u64,
    looks: u64,
}

impl Done {
    fn of(warp: &Warp) -> Done {
        Done { steps: warp.steps, looks: warp.looks }
    }

    /// Returns true if the warp has made many steps since.
    fn has_computed_long(self, warp: &Warp) -> bool {
        !warp.is_ready() || warp.steps - self.steps >= LONG
    }

    /// Returns true if the warp has polled often since.
    fn has_looked_in_vain(self, warp: &Warp) -> bool {
        !warp.is_ready() || (warp.steps - self.steps >= MANY_STEPS && warp.looks - self.looks >= MANY_LOOKS)
    }
}

/// A loop that only computes is given so many times as long as one that polls, and so many steps.
const COMPUTING: u32 = 5;
const LONG: u64 = 1 << 24;

/// Steps and polls without an effect before a warp counts as polling in vain, however long they take.
const MANY_STEPS: u64 = 1 << 18;
const MANY_LOOKS: u64 = 1 << 12;

/// A piece as it was.
#[derive(Debug)]
struct State {
    warps: Vec<(Vec<Group>, Registers, Vec<u8>, u64)>,
    /// Number of changes of who runs at that time.
    changes: u64,
}

impl Loops {
    /// Called after each round of the piece. Returns the reason that it never ends, if there is one.
    pub(crate) fn look(
        &mut self,
        blocks: &mut [Block<'_>],
        entry: &Entry<'_>,
        patience: Option<Duration>,
    ) -> Option<Endless> {
        self.rounds += 1;
        if self.rounds < self.next.max(FIRST_LOOK) {
            return None;
        }
        let effects = blocks.iter().map(Block::changes).sum();
        if effects != self.effects || self.since.is_none() {
            self.end(entry);
            self.between = (2 * self.between).clamp(1, MOST_ROUNDS);
            (self.next, self.effects, self.since) =
                (self.rounds + self.between, effects, Some(Instant::now()));
            self.stores = blocks.iter().map(Block::stores).sum();
            self.before.clear();
            self.before.extend(blocks.iter().flat_map(Block::warps).map(Done::of));
            return None;
        }
        (self.between, self.next) = (0, self.rounds);
        self.quiet += 1;
        if self.remembered.as_ref().is_some_and(|state| state.is_now(blocks)) {
            let since = self.remembered.as_ref().map_or(0, |state| state.changes);
            let waits = blocks.iter().any(Block::looks_at_memory);
            let time = self.since.map_or(Duration::ZERO, |since| since.elapsed());
            let others_end = !waits || (entry.loops(&mut self.looping, since) && time >= GRACE);
            let is_diverged = blocks.iter().flat_map(Block::warps).any(|warp| warp.groups.len() > 1);
            if others_end && (self.quiet >= LEAST_QUIET || !is_diverged) {
                return Some(Endless::Repeats);
            }
            if waits {
                // Others run, or begin, or the host writes: they may have an effect.
                std::thread::sleep(Duration::from_millis(1));
            }
            self.remember(blocks, entry);
            return None;
        }
        // Ever longer, so that a loop of any length is found out.
        if self.quiet.is_power_of_two() {
            self.remember(blocks, entry);
        }
        let time = self.since.map_or(Duration::ZERO, |since| since.elapsed());
        let warps = || blocks.iter().flat_map(Block::warps).zip(&self.before);
        let polls = || warps().all(|(warp, before)| before.has_looked_in_vain(warp));
        let computes = || warps().all(|(warp, before)| before.has_computed_long(warp));
        // A long loop may store what is there already.
        let stores = || blocks.iter().map(Block::stores).sum::<u64>() != self.stores;
        let is_vain = patience.is_some_and(|patience| {
            (time >= patience && polls()) || (time >= patience.saturating_mul(COMPUTING) && computes())
        }) && !entry.others_run(&self.looping)
            && !stores();
        is_vain.then_some(Endless::Vain(time))
    }

    /// Something has had an effect, or the piece is at its end.
    pub(crate) fn end(&mut self, entry: &Entry<'_>) {
        entry.goes_on(&mut self.looping);
        (self.quiet, self.remembered, self.since) = (0, None, None);
    }

    fn remember(&mut self, blocks: &mut [Block<'_>], entry: &Entry<'_>) {
        let changes = entry.changes();
        let warps = blocks.iter().flat_map(Block::warps);
        let warps =
            warps.map(|warp| (warp.groups.clone(), warp.registers.clone(), warp.local.clone(), warp.steps));
        self.remembered = Some(State { warps: warps.collect(), changes });
        blocks.iter_mut().for_each(Block::remember_counts);
    }
}

impl State {
    /// Returns true if every warp that can go on has made steps and is back in the same state.
    fn is_now(&self, blocks: &[Block<'_>]) -> bool {
        let warps = blocks.iter().flat_map(|block| block.warps().map(|warp| (block.deciding(), warp)));
        warps.zip(&self.warps).all(|((deciding, warp), (groups, registers, local, steps))| {
            warp.groups == *groups
                && (warp.steps != *steps || !warp.is_ready())
                && deciding.are_equal(&warp.registers, registers)
                && warp.local == *local
        })
    }
}

/// Returns true for an operation that changes state visible to others, or reads state that changes by itself. Stores and atomic
/// operations are counted where they change a value.
pub(crate) fn changes_anything(op: &Op, kernel: &Kernel) -> bool {
    !matches!(op, Op::Load(_) | Op::Store(_) | Op::Atomic(_) | Op::AtomicWide(_)) && has_effect(op, kernel)
}

/// Returns true for a store outside of local memory.
pub(crate) fn is_store(op: &Op) -> bool {
    matches!(op, Op::Store(access) if access.address.space != Space::Local)
}

/// A warp as it was.
type Remembered = (Vec<Group>, Registers);

/// Detector of the absence of progress.
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

    /// Called after each round in which all that could go on have looked in vain. Returns true if it is in vain for ever.
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

/// Returns true if an operation has an effect that others can see, or reads state that others can change outside of shared memory.
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
        | Op::ProxyFence { .. }
        | Op::Warpgroup(_)
        | Op::Nothing => false,
    }
}
