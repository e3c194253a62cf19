//! The barriers of a block: who has come, who may go on, and what it means when nobody can.

use super::exec::mbarrier::State as Phase;
use super::fault::{Awaited, Fault, Misdeed, Place, Touch, Waiting};
use super::op::{BarrierMode, Op};
use super::program::Kernel;
use super::registers::LANES;
use super::sanitize::BlockChecks;
use super::warp::{Group, Polls, State, Warp};
use super::warpgroup;

/// Barriers of a block (PTX ISA, `barrier`).
const BARRIERS: usize = 16;

/// The arrivals that nobody waits with, by barrier.
#[derive(Debug)]
pub(crate) struct Barriers {
    arrived: [u32; BARRIERS],
    /// The warps of them, a bit for each.
    by_warps: [u32; BARRIERS],
    /// The last warp that came again in one phase, and at which operation.
    twice: [Option<(u32, usize)>; BARRIERS],
    /// For how many threads the first of a phase came, and at which operation.
    first: [Option<(u32, usize)>; BARRIERS],
    /// Threads of the block, rounded up to warps.
    threads: u32,
}

impl Barriers {
    pub(crate) fn new(threads: u32) -> Barriers {
        Barriers {
            arrived: [0; BARRIERS],
            by_warps: [0; BARRIERS],
            twice: [None; BARRIERS],
            first: [None; BARRIERS],
            threads: threads.next_multiple_of(LANES as u32),
        }
    }

    pub(crate) fn reset(&mut self) {
        self.arrived = [0; BARRIERS];
        self.by_warps = [0; BARRIERS];
        self.twice = [None; BARRIERS];
        self.first = [None; BARRIERS];
    }

    /// Checks that a barrier and a count are legal, and that the count is that of the threads that have arrived.
    pub(crate) fn check(
        &mut self,
        id: u32,
        count: Option<u32>,
        pc: usize,
        kernel: &Kernel,
    ) -> Result<(), Misdeed> {
        let count = count.unwrap_or(self.threads);
        let legal = (id as usize) < BARRIERS
            && count > 0
            && count.is_multiple_of(LANES as u32)
            && count <= self.threads;
        if !legal {
            return Err(Misdeed::BadBarrier { id, count });
        }
        match *self.first[id as usize].get_or_insert((count, pc)) {
            (expected, _) if expected == count => Ok(()),
            (expected, other) => {
                Err(Misdeed::MismatchedCounts { id, count, expected, other: kernel.code_of(other) })
            }
        }
    }

    /// Threads of a warp arrive without waiting.
    pub(crate) fn arrive(&mut self, id: u32, threads: u32, warp: u32, pc: usize) {
        let at = id as usize;
        self.arrived[at] += threads;
        if self.by_warps[at] >> warp & 1 == 1 {
            self.twice[at] = Some((warp, pc));
        }
        self.by_warps[at] |= 1 << warp;
    }

    /// Opens every barrier that is complete; whether there was one.
    pub(crate) fn release(
        &mut self,
        warps: &mut [Warp],
        kernel: &Kernel,
        mut checks: Option<&mut BlockChecks<'_>>,
    ) -> bool {
        let mut any = false;
        for id in 0..BARRIERS as u32 {
            if self.is_complete(id, warps) {
                let met = self.open(id, warps, kernel);
                if let Some(checks) = &mut checks {
                    checks.barrier(id, &met);
                }
                any = true;
            }
        }
        any
    }

    /// The event that threads at a barrier wait for.
    fn awaited(&self, id: u32, count: Option<u32>, warps: &[Warp], kernel: &Kernel) -> Awaited {
        let is_here = |group: &Group| matches!(group.state, State::Barrier { id: at, .. } if at == id);
        let waiting = warps.iter().filter(|warp| warp.groups.iter().any(is_here)).count() as u32;
        let come = count.map(|count| (self.arrived[id as usize] + waiting * LANES as u32, count));
        let twice = self.twice[id as usize].map(|(warp, pc)| Box::new((warp, kernel.code_of(pc))));
        Awaited::Barrier { id, come, twice }
    }

    fn is_complete(&self, id: u32, warps: &[Warp]) -> bool {
        let mut expected = None;
        let mut threads = self.arrived[id as usize];
        // Every live thread of the block is here.
        let mut all = true;
        for warp in warps {
            let mut here = 0;
            for group in &warp.groups {
                match group.state {
                    State::Barrier { id: at, count, aligned } if at == id => {
                        if aligned && group.lanes != warp.live {
                            // A part of a warp does not arrive at an aligned barrier.
                            all = false;
                            continue;
                        }
                        expected = Some(count);
                        here |= group.lanes;
                    }
                    State::Barrier { .. }
                    | State::Ready
                    | State::Members
                    | State::Cluster
                    | State::Products { .. } => {}
                }
            }
            all &= here == warp.live;
            if here != 0 {
                threads += if here == warp.live { LANES as u32 } else { here.count_ones() };
            }
        }
        match expected {
            None => false,
            Some(None) => all,
            Some(Some(count)) => threads >= count,
        }
    }

    /// Lets everybody at a barrier go on; the warps that were there.
    fn open(&mut self, id: u32, warps: &mut [Warp], kernel: &Kernel) -> Vec<usize> {
        self.arrived[id as usize] = 0;
        self.by_warps[id as usize] = 0;
        self.first[id as usize] = None;
        let waiting: Vec<(usize, usize)> = warps
            .iter()
            .enumerate()
            .flat_map(|(warp, state)| (0..state.groups.len()).map(move |group| (warp, group)))
            .filter(|&(warp, group)| is_at(&warps[warp].groups[group].state, id))
            .collect();
        let (mut holding, mut present) = (0, 0);
        for &(warp, group) in &waiting {
            let group = warps[warp].groups[group];
            present += group.lanes.count_ones();
            if let Some((_, source)) = reduction(kernel, group.pc) {
                holding += (source.lanes(&warps[warp].registers) & group.lanes).count_ones();
            }
        }
        let mut met: Vec<usize> = waiting.iter().map(|&(warp, _)| warp).collect();
        met.dedup();
        for (warp, index) in waiting {
            let warp = &mut warps[warp];
            let group = warp.groups[index];
            match reduction(kernel, group.pc) {
                None => {}
                Some((BarrierMode::CountTrue { target, .. }, _)) => {
                    for lane in super::registers::lanes(group.lanes) {
                        warp.registers.w[target.index()][lane] = holding;
                    }
                }
                Some((BarrierMode::All { target, .. }, _)) => {
                    let value = if holding == present { group.lanes } else { 0 };
                    warp.registers.set_predicate(target, group.lanes, value);
                }
                Some((BarrierMode::Any { target, .. }, _)) => {
                    let value = if holding > 0 { group.lanes } else { 0 };
                    warp.registers.set_predicate(target, group.lanes, value);
                }
                Some((BarrierMode::Sync | BarrierMode::Arrive, _)) => {}
            }
            warp.release(index);
        }
        met
    }
}

fn is_at(state: &State, barrier: u32) -> bool {
    match *state {
        State::Barrier { id, .. } => id == barrier,
        State::Ready | State::Members | State::Cluster | State::Products { .. } => false,
    }
}

/// Bytes of a barrier in memory (PTX ISA, "mbarrier object").
const BARRIER_BYTES: u32 = 8;

/// The reduction that a barrier instruction makes, and its predicate.
fn reduction(kernel: &Kernel, pc: usize) -> Option<(BarrierMode, super::op::Predicate)> {
    let Op::Barrier(barrier) = kernel.code[pc].op else { return None };
    match barrier.mode {
        BarrierMode::Sync | BarrierMode::Arrive => None,
        mode @ (BarrierMode::CountTrue { source, .. }
        | BarrierMode::All { source, .. }
        | BarrierMode::Any { source, .. }) => Some((mode, source)),
    }
}

/// Says why no thread of a block can go on. `place` completes the place of a lane of a warp at an operation.
pub(crate) fn explain(
    (warps, barriers): (&[Warp], &Barriers),
    kernel: &Kernel,
    block: [u32; 3],
    place: impl Fn(usize, usize, usize) -> Place,
) -> Fault {
    // Groups that poll a barrier in memory keep others waiting: that is the cause then.
    let in_memory = all_groups(warps).any(|(warp, group)| is_polling(&warps[warp], group));
    let others: &[Check] = match in_memory {
        true => &[warpgroup::partial],
        false => &[divergent, mismatched, missing_lanes, warpgroup::partial],
    };
    for wrong in others {
        if let Some((warp, group, misdeed)) = wrong(warps, kernel) {
            let lane = group.lanes.trailing_zeros() as usize;
            return Fault::Thread { misdeed, place: Box::new(place(warp, lane, group.pc)) };
        }
    }
    let waiting = all_groups(warps).map(|(warp, group)| {
        let polls = warps[warp].poll_of(group);
        let (awaited, pc) = match (group.state, polls) {
            (State::Barrier { id, count, .. }, _) => (barriers.awaited(id, count, warps, kernel), group.pc),
            (State::Cluster, _) => (Awaited::Cluster, group.pc),
            (State::Members, _) => (Awaited::Lanes, group.pc),
            (State::Products { .. }, _) => (Awaited::Products, group.pc),
            (State::Ready, None) => (Awaited::Nothing, group.pc),
            (State::Ready, Some(&Polls { address, barrier, pc, .. })) => {
                let Phase { pending: missing, expected, bytes, .. } = barrier;
                let touch = Touch { space: "shared", write: false, address, bytes: BARRIER_BYTES };
                (Awaited::Phase { touch: touch.into(), missing, expected, bytes }, pc)
            }
        };
        Waiting { warp: warp as u32, lanes: group.lanes, awaited, code: kernel.code_of(pc) }
    });
    Fault::Deadlock { kernel: kernel.info.name.clone(), block, waiting: waiting.collect(), later: 0 }
}

/// Lists the waits of all groups of a block, which so many may begin after; `awaited` gives that of a group that could go on, with
/// its operation.
pub(crate) fn list_waiting(
    (warps, barriers): (&[Warp], &Barriers),
    kernel: &Kernel,
    (block, later): ([u32; 3], u64),
    awaited: impl Fn(&Warp, &Group) -> Option<(Awaited, usize)>,
) -> Fault {
    let waiting = all_groups(warps).map(|(index, group)| {
        let (awaited, pc) = match group.state {
            State::Barrier { id, count, .. } => (barriers.awaited(id, count, warps, kernel), group.pc),
            State::Cluster => (Awaited::Cluster, group.pc),
            State::Members => (Awaited::Lanes, group.pc),
            State::Products { .. } => (Awaited::Products, group.pc),
            State::Ready => awaited(&warps[index], group).unwrap_or((Awaited::Nothing, group.pc)),
        };
        Waiting { warp: index as u32, lanes: group.lanes, awaited, code: kernel.code_of(pc) }
    });
    Fault::Deadlock { kernel: kernel.info.name.clone(), block, waiting: waiting.collect(), later }
}

/// Returns true if a group polls a barrier in memory.
pub(crate) fn is_polling(warp: &Warp, group: &Group) -> bool {
    group.state == State::Ready && warp.poll_of(group).is_some()
}

/// Looks for a mistake of one kind.
type Check = for<'a> fn(&'a [Warp], &Kernel) -> Option<(usize, &'a Group, Misdeed)>;

fn all_groups(warps: &[Warp]) -> impl Iterator<Item = (usize, &Group)> {
    warps.iter().enumerate().flat_map(|(index, warp)| warp.groups.iter().map(move |group| (index, group)))
}

/// The group of a warp that one of these lanes is in.
fn group_of(warp: &Warp, lanes: u32) -> Option<&Group> {
    warp.groups.iter().find(|group| group.lanes & lanes != 0)
}

/// A part of a warp at a barrier that a warp comes to as a whole.
fn divergent<'a>(warps: &'a [Warp], kernel: &Kernel) -> Option<(usize, &'a Group, Misdeed)> {
    all_groups(warps).find_map(|(index, group)| {
        let State::Barrier { aligned: true, .. } = group.state else { return None };
        let elsewhere = warps[index].live & !group.lanes;
        let other = kernel.code_of(group_of(&warps[index], elsewhere)?.pc);
        Some((index, group, Misdeed::DivergentBarrier { arrived: group.lanes, elsewhere, other }))
    })
}

/// A barrier for all threads of the block while others wait at another one.
fn mismatched<'a>(warps: &'a [Warp], kernel: &Kernel) -> Option<(usize, &'a Group, Misdeed)> {
    let at_barrier = |group: &Group| match group.state {
        State::Barrier { id, count, .. } => Some((id, count)),
        State::Ready | State::Members | State::Cluster | State::Products { .. } => None,
    };
    all_groups(warps).find_map(|(index, group)| {
        let (id, None) = at_barrier(group)? else { return None };
        let (other_warp, other_id, other) = all_groups(warps).find_map(|(warp, other)| {
            let (other_id, _) = at_barrier(other).filter(|(other, _)| *other != id)?;
            Some((warp as u32, other_id, kernel.code_of(other.pc)))
        })?;
        Some((index, group, Misdeed::MismatchedBarrier { id, other_id, other_warp, other }))
    })
}

/// Some of the lanes that an operation of a warp names, while others of them are elsewhere.
fn missing_lanes<'a>(warps: &'a [Warp], kernel: &Kernel) -> Option<(usize, &'a Group, Misdeed)> {
    all_groups(warps).find_map(|(index, group)| {
        if group.state != State::Members {
            return None;
        }
        let warp = &warps[index];
        let members = match kernel.code[group.pc].op {
            Op::Collective { members, .. } => {
                warp.registers.w[members.index()][group.lanes.trailing_zeros() as usize]
            }
            _ => u32::MAX,
        };
        let missing = members & warp.live & !group.lanes;
        let other = kernel.code_of(group_of(warp, missing)?.pc);
        Some((index, group, Misdeed::MissingLanes { members, missing, other }))
    })
}
