//! Data of a profiled launch beyond counts: caches, and the stalls of warps.

use std::sync::Arc;

use super::cache::{Cache, Footprint};
use super::timeline::{Level, Timeline};
use super::{Class, Kind, Stall, Stalls};
use crate::exec::addresses::global_sectors;
use crate::op::{Address, Op, Space};
use crate::program::Kernel;
use crate::registers::Registers;

/// Data of one operation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OperationDetail {
    /// Sectors that the block's part of the first-level cache had.
    pub(crate) near_sectors: u64,
    pub(crate) stalls: Stalls,
}

/// Data of all blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct DetailCounts {
    pub(crate) operations: Vec<OperationDetail>,
    /// Blocks of which the time was followed.
    pub(crate) sampled_blocks: u64,
    /// The cycles that they took, summed.
    pub(crate) sampled_cycles: u64,
}

impl DetailCounts {
    pub(crate) fn merge(mut self, other: DetailCounts) -> DetailCounts {
        for (a, b) in self.operations.iter_mut().zip(&other.operations) {
            a.near_sectors += b.near_sectors;
            a.stalls.add(&b.stalls);
        }
        self.sampled_blocks += other.sampled_blocks;
        self.sampled_cycles += other.sampled_cycles;
        self
    }
}

/// Path of an access through the memory hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Through the first-level cache.
    Cached,
    /// Past it.
    Uncached,
    Write,
    /// A read and a write where the second-level cache is.
    Atomic,
}

/// Looks at the blocks that one thread of the host runs, one after the other.
#[derive(Debug)]
pub(crate) struct Detail {
    footprint: Arc<Footprint>,
    cache: Cache,
    timeline: Timeline,
    /// The time of this block is followed.
    sampled: bool,
    counts: DetailCounts,
    /// Kept for its memory.
    sectors: Vec<u64>,
}

impl Detail {
    /// For blocks of so many warps with so many bytes of the first-level cache.
    pub(crate) fn new(kernel: &Kernel, footprint: Arc<Footprint>, warps: usize, cache_bytes: u64) -> Detail {
        let class = |instruction: u32| Kind::of(&kernel.listing[instruction as usize].instruction).class;
        let classes: Vec<Class> = kernel.origins.iter().map(|origin| class(origin.instruction)).collect();
        Detail {
            footprint,
            cache: Cache::new(cache_bytes),
            timeline: Timeline::new(kernel, &classes, warps),
            sampled: false,
            counts: DetailCounts {
                operations: vec![OperationDetail::default(); kernel.code.len()],
                ..DetailCounts::default()
            },
            sectors: Vec::new(),
        }
    }

    /// A block starts; its time is followed if it is one of the sample.
    pub(crate) fn start(&mut self, sampled: bool) {
        self.cache.clear();
        self.sampled = sampled;
        if sampled {
            self.timeline.start();
        }
    }

    /// A block has ended.
    pub(crate) fn end(&mut self) {
        if self.sampled {
            self.counts.sampled_blocks += 1;
            self.counts.sampled_cycles += self.timeline.cycles();
        }
    }

    /// The operations that follow are of this warp.
    pub(crate) fn select(&mut self, warp: usize) {
        self.timeline.select(warp);
    }

    /// These warps have met at a barrier.
    pub(crate) fn meet(&mut self, warps: impl Iterator<Item = usize> + Clone) {
        if self.sampled {
            let operations = &mut self.counts.operations;
            self.timeline
                .meet(warps, |at, cycles| operations[at].stalls.0[Stall::Barrier as usize] += cycles);
        }
    }

    /// An operation is about to happen in these lanes.
    pub(crate) fn issue(&mut self, registers: &Registers, on: u32, at: usize, op: &Op) {
        if self.sampled {
            let (waited, reason) = self.timeline.step(at);
            if waited > 0 {
                self.counts.operations[at].stalls.0[usize::from(reason)] += waited;
            }
        }
        if on == 0 {
            return;
        }
        let (address, bytes, way) = match op {
            Op::Load(access) => {
                let way = if access.order.is_strong() { Way::Uncached } else { Way::Cached };
                (&access.address, u32::from(access.size) * u32::from(access.count), way)
            }
            Op::Store(access) => {
                (&access.address, u32::from(access.size) * u32::from(access.count), Way::Write)
            }
            Op::Atomic(atomic) => (&atomic.address, u32::from(atomic.size), Way::Atomic),
            _ => return,
        };
        self.access(registers, on, at, address, bytes, way);
    }

    fn access(&mut self, registers: &Registers, on: u32, at: usize, address: &Address, bytes: u32, way: Way) {
        match address.space {
            Space::Param | Space::Local => return,
            Space::Shared => {
                if self.sampled {
                    self.timeline.resolve(at, Level::Shared);
                }
                return;
            }
            Space::Global | Space::Generic => {}
        }
        global_sectors(registers, on, address, bytes, &mut self.sectors);
        let mut near = 0;
        for &sector in &self.sectors {
            match way {
                Way::Cached => near += u64::from(self.cache.touch(sector)),
                Way::Uncached | Way::Write | Way::Atomic => {}
            }
            if way != Way::Write {
                self.footprint.touch(sector, false);
            }
            if matches!(way, Way::Write | Way::Atomic) {
                self.footprint.touch(sector, true);
            }
        }
        self.counts.operations[at].near_sectors += near;
        if self.sampled {
            let level = match self.sectors.len() as u64 {
                // A generic address of another memory.
                0 => Level::Shared,
                all if near == all => Level::Near,
                _ => Level::Far,
            };
            self.timeline.resolve(at, level);
        }
    }

    /// The collected data.
    pub(crate) fn finish(self) -> DetailCounts {
        self.counts
    }
}
