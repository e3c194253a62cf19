//! Latency of a block that nothing else delays: each warp issues in order and stalls until its operands are ready.
//!
//! A scoreboard of the registers of each warp, as a GPU has: an instruction waits until its operands are there, and is
//! followed by the next a cycle later. PTX is no schedule: the assembler moves what is independent in front of what waits, between two branches,
//! barriers or writes to memory. So the instructions of such a stretch start as soon as their operands are there, and the warp is done with it when the last
//! of them has started. Schedulers, pipes and bandwidth are not in it; the throughput bounds are elsewhere.

use super::Stall;
use super::class::Class;
use crate::decode::touched;
use crate::op::Inst;
use crate::program::Kernel;
use crate::registers;

/// Cycles that a load takes from the second-level cache or the memory, about: the time of the memory of an H100.
pub const MEMORY_LATENCY: u64 = 550;
/// Cycles of a load from shared memory.
const SHARED: u64 = 26;

/// Loads of which each takes its address from the one before, from which on they are a chain: more than indices of indices are.
const CHAIN: u32 = 5;

/// Properties of an operation that the timeline needs.
#[derive(Debug)]
struct Step {
    reads: Vec<u32>,
    writes: Vec<u32>,
    latency: u64,
    reason: Stall,
    /// It loads, and its operands are an address.
    is_load: bool,
    /// Nothing behind it starts before it.
    ends_stretch: bool,
}

/// Returns true for operations that the assembler moves no others across, as a rule.
fn ends_stretch(class: Class) -> bool {
    match class {
        Class::Control | Class::Synchronization | Class::Store | Class::Atomic | Class::Copy => true,
        Class::Float32
        | Class::Float64
        | Class::Half
        | Class::Special
        | Class::Division
        | Class::Integer
        | Class::Conversion
        | Class::Compare
        | Class::Move
        | Class::Parameter
        | Class::Load
        | Class::Matrix
        | Class::Collective
        | Class::Other => false,
    }
}

/// Cycles by reason, in the order of [`Stall::ALL`].
pub(crate) type Cycles = [u64; Stall::ALL.len()];

/// A value: when it is there, and the latencies of the chain of operations that makes it.
#[derive(Clone, Copy, Debug, Default)]
struct Ready {
    time: u64,
    chain: Cycles,
    /// Loads from global memory one after the other that it takes, whenever they were made.
    loads: u32,
}

impl Ready {
    /// The result of an operation that starts once this is there, or at a time.
    fn then(self, started: u64, latency: u64, reason: Stall) -> Ready {
        let mut chain = self.chain;
        chain[reason as usize] += latency;
        Ready { time: started + latency, chain, loads: self.loads }
    }

    /// Divides a wait for this among the operations of its chain.
    fn split(&self, waited: u64) -> Cycles {
        let all: u64 = self.chain.iter().sum();
        let mut split = self.chain.map(|cycles| waited * cycles / all.max(1));
        // The fractions, to the longest.
        if let Some((longest, _)) = self.chain.iter().enumerate().max_by_key(|(_, cycles)| **cycles) {
            split[longest] += waited - split.iter().sum::<u64>();
        }
        split
    }
}

/// A stretch of a warp that has waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// The operation whose operands were there last.
    pub(crate) at: usize,
    /// The cycles, by reason.
    pub(crate) cycles: Cycles,
    /// True if a chain of loads gave the operands.
    pub(crate) is_chained: bool,
}

/// Level of the memory hierarchy that the data of an access came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Shared,
    /// The first-level cache.
    Near,
    /// Beyond it.
    Far,
}

/// When the registers of a warp are there, with the reason to wait for each in the low bits.
#[derive(Clone, Debug, Default)]
struct WarpTimes {
    now: u64,
    ready: Vec<Ready>,
    /// The operation that was issued last, when it could start, and its operand that was there last.
    last: usize,
    started: u64,
    operand: Ready,
    /// When the stretch began, and the operation in it whose operands are there last, with the last of them.
    begin: u64,
    latest: (usize, Ready),
}

/// The clock of a block.
#[derive(Debug)]
pub(crate) struct Timeline {
    steps: Vec<Step>,
    warps: Vec<WarpTimes>,
    warp: usize,
}

impl Timeline {
    pub(crate) fn new(kernel: &Kernel, classes: &[Class], warps: usize) -> Timeline {
        let sizes = kernel.sizes;
        let place = |class: registers::Class, slot: registers::Slot| -> u32 {
            let start = match class {
                registers::Class::P => 0,
                registers::Class::W => sizes.p,
                registers::Class::D => sizes.p + sizes.w,
            };
            (start + slot.index()) as u32
        };
        let step = |(index, inst): (usize, &Inst)| {
            let class = classes[index];
            let origin = kernel.origins[index];
            let (reads, writes): (Vec<_>, Vec<_>) =
                touched(kernel, inst).into_iter().partition(|&(.., write)| !write);
            let places = |uses: Vec<(registers::Class, registers::Slot, bool)>| {
                uses.into_iter().map(|(class, slot, _)| place(class, slot)).collect()
            };
            Step {
                reads: places(reads),
                writes: places(writes),
                // The parts of one instruction follow each other at once.
                latency: if origin.counts { class.latency() } else { 1 },
                reason: Stall::of(class),
                is_load: class == Class::Load,
                ends_stretch: origin.counts && ends_stretch(class),
            }
        };
        let steps = kernel.code.iter().enumerate().map(step).collect();
        let ready = vec![Ready::default(); sizes.p + sizes.w + sizes.d];
        let times = WarpTimes { ready, ..WarpTimes::default() };
        Timeline { steps, warps: vec![times; warps], warp: 0 }
    }

    /// A block starts.
    pub(crate) fn start(&mut self) {
        for warp in &mut self.warps {
            (warp.now, warp.begin, warp.latest) = (0, 0, Default::default());
            warp.ready.fill(Ready::default());
        }
    }

    /// The steps that follow are of this warp.
    pub(crate) fn select(&mut self, warp: usize) {
        self.warp = warp;
    }

    /// An operation is issued: the wait of the stretch that it ends, if it ends one that waited.
    pub(crate) fn step(&mut self, at: usize) -> Option<Wait> {
        let (step, warp) = (&self.steps[at], &mut self.warps[self.warp]);
        let operands = step.reads.iter().map(|&register| warp.ready[register as usize]);
        let newest = operands.max_by_key(|operand| operand.time).unwrap_or_default();
        if newest.time > warp.latest.1.time {
            warp.latest = (at, newest);
        }
        warp.started = warp.begin.max(newest.time);
        // Values that were there before the stretch are waited for by nobody in it.
        warp.operand = if newest.time > warp.begin { newest } else { Ready::default() };
        let loads = step.reads.iter().map(|&register| warp.ready[register as usize].loads);
        warp.operand.loads = loads.max().unwrap_or(0);
        let result = warp.operand.then(warp.started, step.latency, step.reason);
        for &register in &step.writes {
            warp.ready[register as usize] = result;
        }
        warp.last = at;
        let (waits, until) = warp.latest;
        let waited = if step.ends_stretch { until.time.saturating_sub(warp.now) } else { 0 };
        warp.now += waited + 1;
        if step.ends_stretch {
            (warp.begin, warp.latest) = (warp.now, Default::default());
        }
        let wait = || Wait { at: waits, cycles: until.split(waited), is_chained: until.loads >= CHAIN };
        (waited > 0).then(wait)
    }

    /// The operation issued last was an access: its data came from there.
    pub(crate) fn resolve(&mut self, at: usize, level: Level) {
        let (step, warp) = (&self.steps[at], &mut self.warps[self.warp]);
        let (latency, reason) = match level {
            Level::Shared => (SHARED, Stall::Shared),
            Level::Near => (Class::Load.latency(), Stall::Memory),
            Level::Far => (MEMORY_LATENCY, Stall::Memory),
        };
        let mut result = warp.operand.then(warp.started, latency, reason);
        // An atomic operation gives the value of its place, whatever its operands came from.
        result.loads = match step.is_load {
            true => result.loads + u32::from(level != Level::Shared),
            false => 0,
        };
        for &register in &step.writes {
            warp.ready[register as usize] = result;
        }
    }

    /// These warps have met at a barrier: for each of them the operation that it waited at, and how long.
    pub(crate) fn meet(
        &mut self,
        warps: impl Iterator<Item = usize> + Clone,
        mut waited: impl FnMut(usize, u64),
    ) {
        let last = warps.clone().map(|warp| self.warps[warp].now).max().unwrap_or(0);
        for warp in warps {
            let warp = &mut self.warps[warp];
            waited(warp.last, last - warp.now + Class::Synchronization.latency());
            warp.now = last + Class::Synchronization.latency();
            warp.begin = warp.now;
        }
    }

    /// Cycles that the block has taken.
    pub(crate) fn cycles(&self) -> u64 {
        self.warps.iter().map(|warp| warp.now).max().unwrap_or(0)
    }
}
