//! Latency of a block that nothing else delays: each warp issues in order and stalls until its operands are ready.
//!
//! A scoreboard of the registers of each warp, as a GPU has: an instruction waits until its operands are there, and is
//! followed by the next a cycle later. Schedulers, pipes and bandwidth are not in it; the throughput bounds are elsewhere.

use super::Stall;
use super::class::Class;
use crate::decode::touched;
use crate::op::Inst;
use crate::program::Kernel;
use crate::registers;

/// Cycles that a load takes from the second-level cache or the memory, about: the time of the memory of an H100.
const MEMORY: u64 = 550;
/// Cycles of a load from shared memory.
const SHARED: u64 = 26;

/// Properties of an operation that the timeline needs.
#[derive(Debug, Default)]
struct Step {
    reads: Vec<u32>,
    writes: Vec<u32>,
    latency: u64,
    reason: u8,
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
    ready: Vec<u64>,
    /// The operation that was issued last, and when.
    last: usize,
}

/// The clock of a block.
#[derive(Debug)]
pub(crate) struct Timeline {
    steps: Vec<Step>,
    warps: Vec<WarpTimes>,
    warp: usize,
}

const REASON_BITS: u32 = 3;

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
                reason: Stall::of(class) as u8,
            }
        };
        let steps = kernel.code.iter().enumerate().map(step).collect();
        let ready = vec![0; sizes.p + sizes.w + sizes.d];
        Timeline { steps, warps: vec![WarpTimes { now: 0, ready, last: 0 }; warps], warp: 0 }
    }

    /// A block starts.
    pub(crate) fn start(&mut self) {
        for warp in &mut self.warps {
            warp.now = 0;
            warp.ready.fill(0);
        }
    }

    /// The steps that follow are of this warp.
    pub(crate) fn select(&mut self, warp: usize) {
        self.warp = warp;
    }

    /// An operation is issued: how long it waited and for what.
    pub(crate) fn step(&mut self, at: usize) -> (u64, u8) {
        let (step, warp) = (&self.steps[at], &mut self.warps[self.warp]);
        let newest = step.reads.iter().map(|&register| warp.ready[register as usize]).max().unwrap_or(0);
        let (time, reason) = (newest >> REASON_BITS, newest as u8 & ((1 << REASON_BITS) - 1));
        let waited = time.saturating_sub(warp.now);
        let issued = warp.now.max(time);
        for &register in &step.writes {
            warp.ready[register as usize] = (issued + step.latency) << REASON_BITS | u64::from(step.reason);
        }
        warp.now = issued + 1;
        warp.last = at;
        (waited, reason)
    }

    /// The operation issued last was an access: its data came from there.
    pub(crate) fn resolve(&mut self, at: usize, level: Level) {
        let (step, warp) = (&self.steps[at], &mut self.warps[self.warp]);
        let (latency, reason) = match level {
            Level::Shared => (SHARED, Stall::Shared),
            Level::Near => (Class::Load.latency(), Stall::Memory),
            Level::Far => (MEMORY, Stall::Memory),
        };
        for &register in &step.writes {
            warp.ready[register as usize] = (warp.now - 1 + latency) << REASON_BITS | reason as u64;
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
        }
    }

    /// Cycles that the block has taken.
    pub(crate) fn cycles(&self) -> u64 {
        self.warps.iter().map(|warp| warp.now).max().unwrap_or(0)
    }
}
