//! A warp: its registers, and its lanes in groups that share a program counter.
//!
//! Lanes start as one group. A branch that they disagree on splits it. The group with the smallest program counter runs,
//! and since blocks are laid out so that what follows a divergence comes after it (see the order of blocks in the
//! decoder), groups meet again at the immediate post-dominator or before. So that lanes which spin until another group
//! does something cannot keep it from running, the choice rotates when one group has gone on for long.

use super::calls::{FrameId, Frames};
use super::exec::access::Memories;
use super::exec::addresses::Wrong;
use super::exec::asynchronous::Copies;
use super::exec::mbarrier::{Poll, State as Phase};
use super::exec::{self, Event, Machine, Turn, Watch};
use super::fault::Misdeed;
use super::op::{Barrier, BarrierMode};
use super::profile::Profile;
use super::program::Kernel;
use super::registers::{LANES, Registers};
use super::sync::Barriers;
use super::warpgroup::Products;

/// Steps after which another group of a diverged warp has its turn, whatever its program counter.
const ROTATION: u64 = 4096;

/// Scheduling state of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// Waits for others of the member mask of the collective at its program counter.
    Members,
    /// Waits until all threads of the cluster have arrived.
    Cluster,
    /// Waits until all warps of its group have begun so many products.
    Products {
        begun: u64,
    },
    /// Waits at the barrier of the block with this number, for so many threads or for all.
    Barrier {
        id: u32,
        count: Option<u32>,
        aligned: bool,
    },
}

/// Lanes that share a program counter, and the calls that lead to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) pc: usize,
    pub(crate) frame: FrameId,
    pub(crate) lanes: u32,
    pub(crate) state: State,
}

/// Lanes that have looked at a barrier in memory in vain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polls {
    pub(crate) lanes: u32,
    pub(crate) pc: usize,
    /// The first of the barriers, and what it was like.
    pub(crate) address: u64,
    pub(crate) barrier: Phase,
    /// When.
    steps: u64,
}

/// Steps within which who waits at a barrier in memory looks again, other groups of the warp having their turns.
const LOOKS_AGAIN: u64 = 4 * ROTATION;

/// Reason for the end of a warp's time slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// No group can go on, or the slice is used.
    Turn,
    /// A lane has looked at a barrier in memory in vain.
    InVain,
}

/// A warp of a block.
#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) registers: Registers,
    pub(crate) groups: Vec<Group>,
    pub(crate) frames: Frames,
    /// Lanes that are threads of the block.
    pub(crate) exist: u32,
    /// Lanes that have not exited.
    pub(crate) live: u32,
    pub(crate) local: Vec<u8>,
    pub(crate) copies: Copies,
    pub(crate) products: Products,
    /// Lanes that have found the phase of a barrier in memory not to be over, and have not found anything else since.
    pub(crate) polls: Vec<Polls>,
    pub(crate) steps: u64,
    /// Atomic and volatile accesses, which others may answer.
    pub(crate) looks: u64,
    /// Lanes that have arrived at the barrier of the cluster in this phase.
    pub(crate) arrived: u32,
    /// Lanes that have arrived in the phase before, which is over, and not waited yet.
    pub(crate) passed: u32,
    /// The lane whose group has its turn out of order, and until which step.
    favoured: Option<(usize, u64)>,
    /// When the groups were last in order, or alone.
    ordered_since: u64,
    next_favoured: usize,
}

/// The limits of one run of a warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    /// Steps of this run.
    pub(crate) steps: u64,
    /// Steps of the warp in all.
    pub(crate) budget: u64,
}

impl Warp {
    pub(crate) fn new(registers: Registers, exist: u32, local_bytes: usize) -> Warp {
        Warp {
            registers,
            groups: Vec::new(),
            frames: Frames::default(),
            exist,
            live: 0,
            local: vec![0; local_bytes * LANES],
            copies: Copies::default(),
            products: Products::default(),
            polls: Vec::new(),
            steps: 0,
            looks: 0,
            arrived: 0,
            passed: 0,
            favoured: None,
            ordered_since: 0,
            next_favoured: 0,
        }
    }

    /// Starts every thread at the first instruction.
    pub(crate) fn start(&mut self) {
        self.groups.clear();
        self.frames.clear();
        let frame = FrameId::KERNEL;
        self.groups.push(Group { pc: 0, frame, lanes: self.exist, state: State::Ready });
        self.live = self.exist;
        self.local.fill(0);
        self.copies.clear();
        self.products.clear();
        self.polls.clear();
        (self.steps, self.looks) = (0, 0);
        (self.arrived, self.passed) = (0, 0);
        self.favoured = None;
        self.ordered_since = 0;
        self.next_favoured = 0;
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.groups.iter().any(|group| group.state == State::Ready)
    }

    /// Lanes look at barriers in memory: those of them that have to wait are in `memories.polls`.
    pub(crate) fn note_polls(&mut self, on: u32, pc: usize, memories: &mut Memories<'_>) {
        if self.polls.is_empty() && memories.polls.is_empty() {
            return;
        }
        self.polls.iter_mut().for_each(|polls| polls.lanes &= !on);
        self.polls.retain(|polls| polls.lanes != 0);
        let lanes = memories.polls.iter().fold(0, |lanes, poll| lanes | 1 << poll.lane);
        if let Some(Poll { address, state: barrier, .. }) = memories.polls.drain(..).next() {
            self.polls.push(Polls { lanes, pc, address, barrier, steps: self.steps });
        }
    }

    /// The group's last look at a barrier in memory, if it has done nothing else since.
    pub(crate) fn poll_of(&self, group: &Group) -> Option<&Polls> {
        let recent = |polls: &&Polls| polls.steps + LOOKS_AGAIN >= self.steps;
        self.polls.iter().filter(recent).find(|polls| polls.lanes & group.lanes != 0)
    }

    /// Runs until no group can go on or the slice is used. An error comes with the program counter it happened at.
    pub(crate) fn run(
        &mut self,
        kernel: &Kernel,
        memories: &mut Memories<'_>,
        barriers: &mut Barriers,
        profile: &mut Profile,
        slice: Slice,
        mut watch: Option<Watch<'_, '_>>,
    ) -> Result<Ended, (usize, Wrong)> {
        let end = self.steps.saturating_add(slice.steps);
        while let Some(index) = self.choose() {
            if self.steps >= slice.budget {
                let lane = self.groups[index].lanes.trailing_zeros() as usize;
                let misdeed = Misdeed::StepBudget { steps: slice.budget };
                return Err((self.groups[index].pc, Box::new((lane, misdeed))));
            }
            if self.steps >= end {
                return Ok(Ended::Turn);
            }
            let group = self.groups[index];
            let alone = self.groups.len() == 1;
            let ahead = self.groups.iter().filter(|other| other.frame == group.frame && other.pc > group.pc);
            let limit = ahead.map(|other| other.pc).min().unwrap_or(usize::MAX);
            let deadline = if alone { end.min(slice.budget) } else { 0 };
            let (lanes, exist, live) = (group.lanes, self.exist, self.live);
            let turn = Turn { lanes, exist, live, limit, alone, deadline };
            let mut pc = group.pc;
            let machine = &mut Machine {
                code: &kernel.code,
                registers: &mut self.registers,
                memories,
                profile,
                pc: &mut pc,
                steps: &mut self.steps,
            };
            let event = exec::run(machine, turn, watch.as_mut());
            let event = event.map_err(|wrong| (pc, wrong))?;
            self.groups[index].pc = pc;
            let arrival = self.arrival(&event);
            // An event that ends a kernel leaves the counter beyond it.
            if let Some(traffic) = profile.traffic.get_mut(pc) {
                self.count(&event, kernel, traffic);
            }
            self.apply(index, event, kernel, memories, barriers, watch.as_mut())
                .map_err(|wrong| (pc, wrong))?;
            let written = memories.local_writes.drain(..);
            if let Some(watch) = &mut watch {
                arrival.into_iter().for_each(|id| watch.checks.arrive(id, watch.warp));
                written.for_each(|(start, bytes)| watch.checks.initialize_local(watch.warp, start, bytes));
                watch.checks.handed_over(watch.warp);
            }
            // Others may have to do something first.
            if std::mem::take(&mut memories.yielded) {
                return Ok(Ended::InVain);
            }
        }
        Ok(Ended::Turn)
    }

    /// The barrier that an event arrives at without waiting.
    fn arrival(&self, event: &Event) -> Option<u32> {
        match *event {
            Event::Barrier { lanes, barrier } if barrier.mode == BarrierMode::Arrive => {
                Some(self.registers.w[barrier.id.index()][lanes.trailing_zeros() as usize])
            }
            _ => None,
        }
    }

    /// Merges groups that have met, and chooses the one to run.
    fn choose(&mut self) -> Option<usize> {
        if self.groups.len() == 1 {
            self.ordered_since = self.steps;
            return (self.groups[0].state == State::Ready).then_some(0);
        }
        self.merge();
        let ready = |group: &&Group| group.state == State::Ready;
        let count = self.groups.iter().filter(ready).count();
        if count <= 1 {
            self.ordered_since = self.steps;
            self.favoured = None;
            return self.groups.iter().position(|group| group.state == State::Ready);
        }
        if let Some((lane, until)) = self.favoured {
            let index = self.groups.iter().position(|group| group.lanes >> lane & 1 == 1);
            match index {
                Some(index) if self.steps < until && self.groups[index].state == State::Ready => {
                    return Some(index);
                }
                Some(_) | None => {
                    self.favoured = None;
                    self.ordered_since = self.steps;
                }
            }
        }
        if self.steps - self.ordered_since >= ROTATION {
            // Each in turn, by its lowest lane.
            let lowest = |group: &Group| group.lanes.trailing_zeros() as usize;
            let after = |group: &&Group| lowest(group) >= self.next_favoured;
            let ready_groups = || self.groups.iter().filter(ready);
            let next =
                ready_groups().filter(after).map(lowest).min().or_else(|| ready_groups().map(lowest).min());
            if let Some(lane) = next {
                self.next_favoured = lane + 1;
                self.favoured = Some((lane, self.steps + ROTATION));
                return self.groups.iter().position(|group| group.lanes >> lane & 1 == 1);
            }
        }
        let first = self.groups.iter().enumerate().filter(|(_, group)| group.state == State::Ready);
        if self.groups.iter().all(|group| group.frame == self.groups[0].frame) {
            return first.min_by_key(|(_, group)| group.pc).map(|(index, _)| index);
        }
        first.min_by_key(|(_, group)| self.frames.position(group)).map(|(index, _)| index)
    }

    /// Lanes at the same instruction become one group. What waited there looks again whether it still has to.
    fn merge(&mut self) {
        self.groups.sort_unstable_by_key(|group| (group.frame, group.pc));
        self.groups.dedup_by(|next, kept| {
            let met = next.pc == kept.pc && next.frame == kept.frame;
            if met {
                kept.lanes |= next.lanes;
                kept.state = State::Ready;
            }
            met
        });
    }

    /// Does what an event asks for. The group's program counter is where the event left it.
    fn apply(
        &mut self,
        index: usize,
        event: Event,
        kernel: &Kernel,
        memories: &mut Memories<'_>,
        barriers: &mut Barriers,
        watch: Option<&mut Watch<'_, '_>>,
    ) -> Result<(), Wrong> {
        match event {
            Event::Matrix { lanes, index: which } => {
                self.matrix(index, lanes, which, kernel, memories, watch)?
            }
            Event::Asynchronous { lanes, index: which } => {
                self.asynchronous(index, lanes, which, kernel, memories, watch)?;
            }
            Event::Switched { lanes, table, index: which } => {
                self.switch(index, lanes, &kernel.tables[table as usize], which)?;
            }
            Event::Called { lanes, site } => self.call(index, lanes, site, kernel, memories, watch)?,
            Event::Returned { lanes } => self.return_from(index, lanes, kernel, memories, watch),
            Event::Warpgroup { lanes, what } => self.warpgroup(index, lanes, what, watch),
            Event::Reschedule => {}
            Event::Diverged { taken, target } => {
                self.groups[index].lanes &= !taken;
                let (pc, frame) = (target as usize, self.groups[index].frame);
                self.groups.push(Group { pc, frame, lanes: taken, state: State::Ready });
            }
            Event::Exited { lanes } => {
                self.live &= !lanes;
                self.groups[index].lanes &= !lanes;
                self.groups.retain(|group| group.lanes != 0);
                // Nobody waits for a lane that has exited.
                let waiting = self.groups.iter_mut().filter(|group| group.state == State::Members);
                waiting.for_each(|group| group.state = State::Ready);
            }
            Event::AwaitsMembers { lanes } => self.wait(index, lanes, State::Members),
            Event::Barrier { lanes, barrier } => {
                self.arrive(index, lanes, barrier, kernel, (barriers, memories.warp))?
            }
            Event::Cluster { lanes, wait: false } => {
                self.arrived |= lanes;
                self.groups[index].pc += 1;
            }
            Event::Cluster { lanes, wait: true } if lanes & !self.passed == 0 => {
                self.passed &= !lanes;
                self.groups[index].pc += 1;
            }
            Event::Cluster { lanes, wait: true } => self.wait(index, lanes, State::Cluster),
        }
        Ok(())
    }

    /// Some lanes of a group wait at its instruction, the others go on after it.
    pub(crate) fn wait(&mut self, index: usize, lanes: u32, state: State) {
        let group = &mut self.groups[index];
        let others = group.lanes & !lanes;
        let Group { pc, frame, .. } = *group;
        *group = Group { pc, frame, lanes, state };
        if others != 0 {
            self.groups.push(Group { pc: pc + 1, frame, lanes: others, state: State::Ready });
        }
    }

    fn arrive(
        &mut self,
        index: usize,
        on: u32,
        barrier: Barrier,
        kernel: &Kernel,
        (barriers, warp): (&mut Barriers, u32),
    ) -> Result<(), Wrong> {
        let lane = on.trailing_zeros() as usize;
        let read = |slot: super::registers::Slot| self.registers.w[slot.index()][lane];
        let (id, count) = (read(barrier.id), barrier.count.map(read));
        let pc = self.groups[index].pc;
        barriers.check(id, count, pc, kernel).map_err(|misdeed| Box::new((lane, misdeed)))?;
        if barrier.mode == BarrierMode::Arrive {
            // A warp arrives as a whole (PTX ISA, `barrier`).
            let threads = if on == self.live { LANES as u32 } else { on.count_ones() };
            barriers.arrive(id, threads, warp, pc);
            self.groups[index].pc += 1;
        } else {
            self.wait(index, on, State::Barrier { id, count, aligned: barrier.aligned });
        }
        Ok(())
    }

    /// Lets a group that waited at a barrier go on.
    pub(crate) fn release(&mut self, index: usize) {
        let group = &mut self.groups[index];
        group.pc += 1;
        group.state = State::Ready;
    }
}
