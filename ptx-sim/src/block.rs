//! A block while it runs: its warps, its shared memory and its barriers.

use super::calls::FrameId;
use super::deciding::Deciding;
use super::exec::access::{Memories, Source};
use super::exec::bulk::Delivery;
use super::exec::peers::Peers;
use super::exec::{self, Watch};
use super::fault::{Awaited, Fault, Misdeed, Place, Taker, Touch};
use super::launch::Launch;
use super::op::{Address, Op, Space};
use super::profile::{Detail, Profile};
use super::program::{Constant, PerBlock, Special};
use super::registers::{Class, LANES, Registers, Slot};
use super::sanitize::BlockChecks;
use super::still::{Endless, changes_anything, has_effect, is_store};
use super::sync::{self, Barriers};
use super::takers::{Taking, Word};
use super::turnstile::Entry;
use super::warp::{Ended, Group, Slice, State, Warp};
use super::warpgroup;

/// Steps that a warp makes before the next one has its turn: warps of a block may wait for each other in memory.
const SLICE: u64 = 1 << 14;

/// Steps after which a warp's stores are compared with what is there: the comparison takes time that short launches do not spend.
const LONG_RUN: u64 = 4 * SLICE;

/// Result of one scheduling pass over the warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// Every thread has exited.
    Done,
    /// Something happened.
    Progress,
    /// Whoever could go on has looked at a barrier in memory in vain.
    InVain,
    /// Nobody could go on.
    Stuck,
}

/// Everything that a block needs, kept from one block to the next.
pub(crate) struct Block<'a> {
    launch: &'a Launch<'a>,
    warps: Vec<Warp>,
    pub(crate) shared: Vec<u8>,
    barriers: Barriers,
    /// Asynchronous copies in flight to shared memory.
    deliveries: Vec<Delivery>,
    /// All threads have exited.
    over: bool,
    index: [u32; 3],
    linear: u64,
    profile: Profile,
    /// Issue counts of the operations when `Loops` last took a snapshot of the block.
    counts: Vec<u64>,
    /// Stores and atomic operations that changed what was there.
    value_changes: u64,
    detail: Option<Detail>,
    /// Text that the block has printed.
    pub(crate) output: Vec<u8>,
    checks: Option<BlockChecks<'a>>,
}

impl<'a> Block<'a> {
    pub(crate) fn new(launch: &'a Launch<'a>) -> Block<'a> {
        let threads = launch.threads();
        let kernel = launch.kernel;
        let mut warps = Vec::new();
        for warp in 0..threads.div_ceil(LANES as u32) {
            let mut registers = Registers::new(kernel.sizes);
            registers.p[0] = u32::MAX;
            for &(slot, constant) in &kernel.constants_w {
                registers.w[slot.index()] =
                    std::array::from_fn(|lane| launch.constant(constant, warp, lane) as u32);
            }
            for &(slot, constant) in &kernel.constants_d {
                registers.d[slot.index()] = std::array::from_fn(|lane| launch.constant(constant, warp, lane));
            }
            let left = threads - warp * LANES as u32;
            let exist = if left >= LANES as u32 { u32::MAX } else { (1 << left) - 1 };
            warps.push(Warp::new(registers, exist, kernel.info.frame_bytes as usize));
        }
        Block {
            launch,
            warps,
            shared: vec![0; launch.shared_bytes()],
            barriers: Barriers::new(threads),
            deliveries: Vec::new(),
            over: false,
            index: [0; 3],
            linear: 0,
            profile: Profile::new(kernel.code.len()),
            counts: Vec::new(),
            value_changes: 0,
            detail: launch.profile.as_ref().map(|(footprint, cache_bytes)| {
                Detail::new(kernel, footprint.clone(), threads.div_ceil(LANES as u32) as usize, *cache_bytes)
            }),
            output: Vec::new(),
            checks: launch.sanitizer.as_ref().map(|sanitizer| {
                BlockChecks::new(sanitizer, kernel, launch.block_size(), launch.shared_bytes())
            }),
        }
    }

    /// Puts every thread of the block with this index at the first instruction.
    pub(crate) fn start(&mut self, index: [u32; 3], linear: u64) {
        (self.index, self.linear) = (index, linear);
        if let Some(checks) = &mut self.checks {
            checks.start(index, linear);
        }
        if let Some(detail) = &mut self.detail {
            detail.start(linear, self.launch.is_sampled(linear));
        }
        self.shared.fill(0);
        self.barriers.reset();
        self.deliveries.clear();
        self.over = false;
        for warp in &mut self.warps {
            warp.registers.p[1..].fill(0);
            for &(class, slot) in &self.launch.kernel.undefined {
                match class {
                    Class::P => {}
                    Class::W => warp.registers.w[slot.index()] = [0; LANES],
                    Class::D => warp.registers.d[slot.index()] = [0; LANES],
                }
            }
            for &(slot, what) in &self.launch.block_registers {
                warp.registers.w[slot.index()] = [what.of(index, self.launch.cluster); LANES];
            }
            if let Some(stack) = self.launch.kernel.stack {
                warp.registers.d[stack.slot.index()] = [stack.start; LANES];
            }
            warp.start();
        }
    }

    /// The counts of all blocks.
    pub(crate) fn finish(self) -> Profile {
        Profile { detail: self.detail.map(Detail::finish), ..self.profile }
    }

    /// Gives every warp that can run its turn.
    pub(crate) fn round(&mut self, entry: &Entry<'_>, peers: &mut Peers) -> Result<Round, Fault> {
        if self.over {
            return Ok(Round::Done);
        }
        let (mut progress, mut in_vain) = (false, false);
        for index in 0..self.warps.len() {
            if self.warps[index].is_ready() {
                match self.run_warp(index, entry, peers)? {
                    Ended::Turn => progress = true,
                    Ended::InVain => in_vain = true,
                }
            }
        }
        if !self.is_alive() {
            self.over = true;
            if let Some(checks) = &mut self.checks {
                checks.end(&self.shared);
            }
            if let Some(detail) = &mut self.detail {
                detail.end();
            }
            return Ok(Round::Done);
        }
        // Also while some can go on: they may spin until those at the barrier have done something.
        let ready: Vec<bool> = self.warps.iter().map(Warp::is_ready).collect();
        if self.barriers.release(&mut self.warps, self.launch.kernel, self.checks.as_mut()) {
            progress = true;
            if let Some(detail) = &mut self.detail {
                let warps = &self.warps;
                detail.meet((0..warps.len()).filter(|&warp| !ready[warp] && warps[warp].is_ready()));
            }
        }
        progress |= warpgroup::release(&mut self.warps, self.checks.as_mut());
        Ok(match (progress, in_vain) {
            (true, _) => Round::Progress,
            (false, true) => Round::InVain,
            (false, false) => Round::Stuck,
        })
    }

    /// Returns true if any thread has not exited.
    pub(crate) fn is_alive(&self) -> bool {
        self.warps.iter().any(|warp| warp.live != 0)
    }

    /// Returns true if the sanitizer has ended a thread of it.
    pub(crate) fn has_failed(&self) -> bool {
        self.checks.as_ref().is_some_and(|checks| checks.failed)
    }

    /// Returns true if any group polls a barrier in memory.
    pub(crate) fn is_polling(&self) -> bool {
        self.warps.iter().any(|warp| warp.groups.iter().any(|group| sync::is_polling(warp, group)))
    }

    /// Returns true if every group that is ready has polled a barrier in memory in vain.
    pub(crate) fn is_in_vain(&self) -> bool {
        let mut ready = self.warps.iter().flat_map(|warp| warp.groups.iter().map(move |group| (warp, group)));
        ready.all(|(warp, group)| group.state != State::Ready || sync::is_polling(warp, group))
    }

    /// Counts operations that wrote state visible to others, or read state that others change.
    pub(crate) fn effects(&self) -> u64 {
        self.issued(|op| has_effect(op, self.launch.kernel))
    }

    /// Counts operations that changed state visible to others, or read state that changes by itself.
    /// Stores do not matter if nothing that is read from memory decides what the threads do.
    pub(crate) fn changes(&self) -> u64 {
        let of_values = if self.deciding().by_memory { self.value_changes } else { 0 };
        of_values + self.issued(|op| changes_anything(op, self.launch.kernel))
    }

    /// Counts stores, whether they changed anything or not.
    pub(crate) fn stores(&self) -> u64 {
        self.issued(is_store)
    }

    /// Number of operations of a kind that have been issued.
    fn issued(&self, counts: impl Fn(&Op) -> bool) -> u64 {
        let counted = self.launch.kernel.code.iter().zip(&self.profile.counters);
        counted.filter(|(inst, _)| counts(&inst.op)).map(|(_, counter)| counter.issued).sum()
    }

    /// Notes how often each operation has been issued.
    pub(crate) fn remember_counts(&mut self) {
        self.counts.clear();
        self.counts.extend(self.profile.counters.iter().map(|counter| counter.issued));
    }

    /// The operations that have been issued since then, with an address in memory that threads share.
    fn looked_at(&self) -> impl Iterator<Item = (usize, LookedAt)> {
        let issued =
            self.profile.counters.iter().zip(&self.counts).map(|(now, before)| now.issued != *before);
        let code = self.launch.kernel.code.iter().enumerate().zip(issued).filter(|(_, issued)| *issued);
        code.filter_map(|((pc, inst), _)| Some((pc, LookedAt::of(&inst.op)?)))
    }

    /// Returns true if memory that threads share was read since the last snapshot, and may decide what is done next.
    pub(crate) fn looks_at_memory(&self) -> bool {
        self.deciding().by_memory && self.looked_at().next().is_some()
    }

    /// The registers that decide what its threads do next.
    pub(crate) fn deciding(&self) -> &Deciding {
        self.launch.kernel.deciding()
    }

    /// Reports a thread that could go on.
    pub(crate) fn is_looping(&self) -> bool {
        self.warps.iter().any(Warp::is_ready)
    }

    /// The fault of a launch that a signal ends, at the first thread that could go on.
    pub(crate) fn interrupted(&self) -> Option<Fault> {
        let groups = self
            .warps
            .iter()
            .enumerate()
            .flat_map(|(index, warp)| warp.groups.iter().map(move |group| (index, group)));
        let (warp, group) = groups.into_iter().find(|(_, group)| group.state == State::Ready)?;
        let place = self.place(warp, group.lanes.trailing_zeros() as usize, group.pc);
        Some(Fault::Thread { misdeed: Misdeed::Interrupted, place: Box::new(place) })
    }

    /// The value of a word in shared or global memory.
    fn value_of_word(&self, space: Space, address: u64, bytes: u32) -> Option<u64> {
        if ![1, 2, 4, 8].contains(&bytes) {
            return None;
        }
        if space == Space::Shared {
            let end = address.checked_add(u64::from(bytes))?;
            (end <= self.shared.len() as u64).then(|| self.shared.element(address, bytes))
        } else {
            let allocation = self.launch.view.find(address)?;
            let offset = address - allocation.base;
            let is_inside =
                u64::from(bytes) <= allocation.bytes - offset && offset.is_multiple_of(u64::from(bytes));
            is_inside.then(|| allocation.load(offset, bytes))
        }
    }

    /// The thread whose exchange or store has put this value into a word, for one of this block that waits for another value.
    fn taker(&self, space: Space, address: u64, value: u64, waiting: [u32; 3]) -> Option<Box<Taker>> {
        let word = Word { block: (space == Space::Shared).then_some(self.linear), address };
        let Taking { is_store, block, warp, lane, pc, .. } = self.launch.takers.last(word, value)?;
        let (thread, code) = (self.launch.thread(warp, lane), self.launch.kernel.code_of(pc));
        let stored = is_store.then_some(value);
        Some(Box::new(Taker {
            stored,
            block,
            thread,
            waits: (block, thread) == (self.linear, waiting),
            code,
        }))
    }

    /// The fault of threads that loop for ever, with the memory they wait for.
    pub(crate) fn explain_loop(&self, why: Endless) -> Fault {
        let looked_at: Vec<(usize, LookedAt)> = self.looked_at().collect();
        let awaited = |warp: &Warp, group: &Group| {
            // Of what was looked at, what others may change, then what is nearest.
            let nearest = |(pc, what): &&(usize, LookedAt)| (!what.is_strong, pc.abs_diff(group.pc));
            let &(pc, LookedAt { address, bytes, is_strong }) = looked_at.iter().min_by_key(nearest)?;
            let lane = group.lanes.trailing_zeros() as usize;
            let found = exec::asynchronous::at(&warp.registers, &address, lane);
            let touch = Touch { space: address.space.as_str(), write: false, address: found, bytes };
            let value = self.value_of_word(address.space, found, bytes).filter(|_| is_strong);
            let index = self.warps.iter().position(|other| std::ptr::eq(other, warp)).unwrap_or(0);
            let waiting = self.launch.thread(index as u32, lane);
            let taker = value.and_then(|value| self.taker(address.space, found, value, waiting));
            Some((Awaited::Change { touch: touch.into(), value, taker }, pc))
        };
        let waits = self.warps.iter().flat_map(|warp| warp.groups.iter().map(move |group| (warp, group)));
        let any = waits
            .filter(|(_, group)| group.state == State::Ready)
            .find_map(|(warp, group)| awaited(warp, group));
        // Values that other accesses read are not meant to change meanwhile.
        let waits_for_others = looked_at.iter().any(|(_, what)| what.is_strong);
        if any.is_some() && waits_for_others && self.deciding().by_memory {
            let lists = |warp: &Warp, group: &Group| awaited(warp, group);
            let block = (self.index, self.launch.blocks_after(self.linear));
            return sync::list_waiting((&self.warps, &self.barriers), self.launch.kernel, block, lists);
        }
        let ready = |warp: &Warp| warp.groups.iter().find(|group| group.state == State::Ready).copied();
        let (warp, group) = self
            .warps
            .iter()
            .enumerate()
            .find_map(|(index, warp)| Some((index, ready(warp)?)))
            .unwrap_or((0, Group { pc: 0, frame: FrameId::KERNEL, lanes: 1, state: State::Ready }));
        let misdeed = match why {
            Endless::Repeats => Misdeed::EndlessLoop,
            Endless::Vain(time) => Misdeed::LongLoop { seconds: time.as_secs() },
        };
        let load = awaited(&self.warps[warp], &group).filter(|_| self.deciding().by_memory);
        let pc = load.map_or(group.pc, |(_, pc)| pc);
        let place = self.place(warp, group.lanes.trailing_zeros() as usize, pc);
        Fault::Thread { misdeed, place: Box::new(place) }
    }

    /// Why it cannot go on.
    pub(crate) fn explain(&self) -> Fault {
        sync::explain((&self.warps, &self.barriers), self.launch.kernel, self.index, |warp, lane, pc| {
            self.place(warp, lane, pc)
        })
    }

    pub(crate) fn warps(&self) -> impl Iterator<Item = &Warp> {
        self.warps.iter()
    }

    pub(crate) fn warps_mut(&mut self) -> impl Iterator<Item = &mut Warp> {
        self.warps.iter_mut()
    }

    /// The sanitizer's state.
    pub(crate) fn checks(&mut self) -> Option<&mut BlockChecks<'a>> {
        self.checks.as_mut()
    }

    /// Everybody in the cluster has arrived: what this block has done so far is known to the others.
    pub(crate) fn release_to_cluster(&mut self) {
        if let Some(checks) = &mut self.checks {
            checks.release_to_cluster();
        }
    }

    /// And what the others have done is known to this one.
    pub(crate) fn acquire_from_cluster(&mut self) {
        if let Some(checks) = &mut self.checks {
            checks.acquire_from_cluster();
        }
    }

    fn run_warp(&mut self, index: usize, entry: &Entry<'_>, peers: &mut Peers) -> Result<Ended, Fault> {
        let launch = self.launch;
        let warp = &mut self.warps[index];
        let mut local = std::mem::take(&mut warp.local);
        let mut copies = std::mem::take(&mut warp.copies);
        let mut memories = Memories {
            view: &launch.view,
            params: launch.params,
            entry,
            shared: &mut self.shared,
            local: &mut local,
            local_bytes: u64::from(launch.kernel.info.frame_bytes),
            output: &mut self.output,
            local_writes: Vec::new(),
            copies: &mut copies,
            detail: self.detail.as_mut(),
            peers,
            deliveries: &mut self.deliveries,
            transfers: Vec::new(),
            polls: Vec::new(),
            block: self.linear,
            warp: index as u32,
            takers: &launch.takers,
            yielded: false,
            compares: warp.steps >= LONG_RUN,
            changes: 0,
            looks: 0,
        };
        if let Some(detail) = &mut memories.detail {
            detail.select(index);
        }
        let slice = Slice { steps: SLICE, budget: launch.limits.steps_per_warp };
        let watch = self.checks.as_mut().map(|checks| Watch { checks, warp: index });
        let (barriers, profile) = (&mut self.barriers, &mut self.profile);
        let result = warp.run(launch.kernel, &mut memories, barriers, profile, slice, watch);
        self.value_changes += memories.changes;
        warp.looks += memories.looks;
        warp.local = local;
        warp.copies = copies;
        result.map_err(|(pc, wrong)| {
            let (lane, misdeed): (usize, Misdeed) = *wrong;
            let warp = &self.warps[index];
            let polls = || warp.groups.iter().any(|group| sync::is_polling(warp, group));
            if matches!(misdeed, Misdeed::StepBudget { .. }) && polls() {
                // It counts how often it has looked, say.
                return self.explain();
            }
            Fault::Thread { misdeed, place: Box::new(self.place(index, lane, pc)) }
        })
    }

    fn place(&self, warp: usize, lane: usize, pc: usize) -> Place {
        let kernel = self.launch.kernel;
        Place {
            kernel: kernel.info.name.clone(),
            block: self.index,
            thread: self.launch.thread(warp as u32, lane),
            code: kernel.listing[kernel.origins[pc].instruction as usize].clone(),
        }
    }
}

/// An access to memory that threads share, in a loop.
#[derive(Clone, Copy, Debug)]
struct LookedAt {
    address: Address,
    bytes: u32,
    /// Atomic or volatile: others may change what is there.
    is_strong: bool,
}

impl LookedAt {
    fn of(op: &Op) -> Option<LookedAt> {
        let (address, bytes, is_strong) = match *op {
            Op::Load(access) => {
                (access.address, u32::from(access.size) * u32::from(access.count), access.order.is_strong())
            }
            Op::Atomic(atomic) => (atomic.address, u32::from(atomic.size), true),
            Op::AtomicWide(atomic) => (atomic.address, 16, true),
            _ => return None,
        };
        let is_shared = !matches!(address.space, Space::Local | Space::Param);
        is_shared.then_some(LookedAt { address, bytes, is_strong })
    }
}

/// The registers that hold the index of the block, with the dimension.
pub(crate) fn block_registers(constants: &[(Slot, Constant)]) -> Vec<(Slot, PerBlock)> {
    let pick = |&(slot, constant): &(Slot, Constant)| match constant {
        Constant::Special(Special::PerBlock(what)) => Some((slot, what)),
        Constant::Special(_) | Constant::Immediate(_) | Constant::Variable(_) | Constant::DynamicShared => {
            None
        }
    };
    constants.iter().filter_map(pick).collect()
}
