//! Data of a profiled launch beyond counts: caches, and the stalls of warps.

use std::sync::Arc;

use super::cache::{Cache, Footprint};
use super::hottest::Hottest;
use super::pattern::Distances;
use super::timeline::{Level, Timeline, Wait};
use super::{Class, Kind, Stall, Stalls};
use crate::exec::addresses::{Addresses, global_sectors};
use crate::op::{Address, Op, Space};
use crate::program::Kernel;
use crate::registers::{Registers, lanes};

/// Data of one operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperationDetail {
    /// Sectors that the block's part of the first-level cache had.
    pub(crate) near_sectors: u64,
    /// Loads of constants, and the distinct words of each, summed: lanes that read different words take turns.
    pub(crate) constant_requests: u64,
    pub(crate) constant_passes: u64,
    /// Lanes of atomic operations in global memory, and where they meet.
    pub(crate) atomic_lanes: u64,
    pub(crate) hottest: Hottest,
    /// Atomic operations in shared memory, and the most lanes of each that met at one word, summed: they take turns.
    pub(crate) shared_atomic_requests: u64,
    pub(crate) shared_atomic_passes: u64,
    /// Distances between the lanes of accesses to global and shared memory.
    pub(crate) distances: Distances,
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
    /// The warp instructions that they executed, summed.
    pub(crate) sampled_instructions: u64,
    /// The cycles that their warps waited for the ends of chains of loads.
    pub(crate) chained_cycles: u64,
    /// The block with the most warp instructions; of several the first.
    pub(crate) heaviest: Heaviest,
    /// Warps that accessed memory.
    pub(crate) accessing_warps: u64,
    /// The instructions of all warps if each had as many as the busiest of its block.
    pub(crate) levelled_instructions: u64,
}

/// The block of a launch that executes the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heaviest {
    pub(crate) block: u64,
    pub(crate) warp_instructions: u64,
    /// The operation that it executes most often.
    pub(crate) operation: usize,
}

impl Heaviest {
    /// The heavier one of two.
    fn or(self, other: Heaviest) -> Heaviest {
        let order = |one: &Heaviest| (one.warp_instructions, std::cmp::Reverse(one.block));
        if order(&other) > order(&self) { other } else { self }
    }
}

impl DetailCounts {
    pub(crate) fn merge(mut self, other: DetailCounts) -> DetailCounts {
        self.heaviest = self.heaviest.or(other.heaviest);
        for (a, b) in self.operations.iter_mut().zip(&other.operations) {
            a.near_sectors += b.near_sectors;
            a.constant_requests += b.constant_requests;
            a.constant_passes += b.constant_passes;
            a.atomic_lanes += b.atomic_lanes;
            a.hottest.merge(&b.hottest);
            a.shared_atomic_requests += b.shared_atomic_requests;
            a.shared_atomic_passes += b.shared_atomic_passes;
            a.distances.merge(&b.distances);
            a.stalls.add(&b.stalls);
        }
        self.sampled_blocks += other.sampled_blocks;
        self.sampled_cycles += other.sampled_cycles;
        self.sampled_instructions += other.sampled_instructions;
        self.chained_cycles += other.chained_cycles;
        self.accessing_warps += other.accessing_warps;
        self.levelled_instructions += other.levelled_instructions;
        self
    }
}

/// Returns true for the class of operations that access memory: products of matrices may take fragments from shared memory.
fn is_access(class: Class) -> bool {
    match class {
        Class::Load | Class::Store | Class::Atomic | Class::Copy | Class::Matrix => true,
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
        | Class::Collective
        | Class::Synchronization
        | Class::Control
        | Class::Other => false,
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
    /// The linear index of this block, and how often its warps have issued each operation.
    block: u64,
    issued: Vec<u32>,
    /// True for each operation that counts as an instruction.
    is_counted: Vec<bool>,
    /// True for each operation that loads constants.
    is_constant: Vec<bool>,
    /// True for each operation that accesses memory.
    is_access: Vec<bool>,
    /// The warp whose operations follow, and true for each warp of this block that has accessed memory.
    warp: usize,
    has_accessed: Vec<bool>,
    /// The instructions of each warp of this block.
    of_warps: Vec<u64>,
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
            block: 0,
            issued: vec![0; kernel.code.len()],
            is_counted: kernel.origins.iter().map(|origin| origin.counts).collect(),
            is_constant: classes.iter().map(|&class| class == Class::Parameter).collect(),
            is_access: classes.iter().map(|&class| is_access(class)).collect(),
            warp: 0,
            has_accessed: vec![false; warps],
            of_warps: vec![0; warps],
            counts: DetailCounts {
                operations: vec![OperationDetail::default(); kernel.code.len()],
                ..DetailCounts::default()
            },
            sectors: Vec::new(),
        }
    }

    /// The block with this linear index starts; its time is followed if it is one of the sample.
    pub(crate) fn start(&mut self, block: u64, sampled: bool) {
        self.block = block;
        self.issued.fill(0);
        self.has_accessed.fill(false);
        self.of_warps.fill(0);
        self.cache.clear();
        self.sampled = sampled;
        if sampled {
            self.timeline.start();
        }
    }

    /// A block has ended.
    pub(crate) fn end(&mut self) {
        let counted = self.issued.iter().zip(&self.is_counted).filter(|(_, is_counted)| **is_counted);
        let warp_instructions: u64 = counted.map(|(&issued, _)| u64::from(issued)).sum();
        let most = self.issued.iter().enumerate().rev().max_by_key(|(_, issued)| **issued);
        let operation = most.map_or(0, |(at, _)| at);
        let heavy = Heaviest { block: self.block, warp_instructions, operation };
        self.counts.heaviest = self.counts.heaviest.or(heavy);
        self.counts.accessing_warps += self.has_accessed.iter().filter(|&&has| has).count() as u64;
        let most = self.of_warps.iter().max().copied().unwrap_or(0);
        self.counts.levelled_instructions += most * self.of_warps.len() as u64;
        if self.sampled {
            self.counts.sampled_blocks += 1;
            self.counts.sampled_cycles += self.timeline.cycles();
            self.counts.sampled_instructions += warp_instructions;
        }
    }

    /// The operations that follow are of this warp.
    pub(crate) fn select(&mut self, warp: usize) {
        self.warp = warp;
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
        self.issued[at] = self.issued[at].saturating_add(1);
        self.of_warps[self.warp] += u64::from(self.is_counted[at]);
        if self.sampled
            && let Some(Wait { at: waits, cycles: waited, is_chained }) = self.timeline.step(at)
        {
            self.counts.chained_cycles += if is_chained { waited[Stall::Memory as usize] } else { 0 };
            let stalls = &mut self.counts.operations[waits].stalls.0;
            stalls.iter_mut().zip(waited).for_each(|(stall, cycles)| *stall += cycles);
        }
        if on == 0 {
            return;
        }
        self.has_accessed[self.warp] |= self.is_access[at];
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
                let all = Addresses::compute(registers, on, address, bytes);
                if way == Way::Atomic {
                    let most = self.meetings(&all, on).map(|same| same.len() as u64).max();
                    let detail = &mut self.counts.operations[at];
                    detail.shared_atomic_requests += 1;
                    detail.shared_atomic_passes += most.unwrap_or(0);
                }
                self.counts.operations[at].distances.add(&all.lanes, on);
                if self.sampled {
                    self.timeline.resolve(at, Level::Shared);
                }
                return;
            }
            Space::Global | Space::Generic => {}
        }
        if self.is_constant[at] {
            return self.constants(registers, on, at, address, bytes);
        }
        let all = Addresses::compute(registers, on, address, bytes);
        self.counts.operations[at].distances.add(&all.lanes, on);
        if way == Way::Atomic {
            self.meeting(&all, on, at, address);
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

    /// Counts a load of constants. The constant cache gives one word in a pass, to all lanes that ask for it.
    fn constants(&mut self, registers: &Registers, on: u32, at: usize, address: &Address, bytes: u32) {
        let all = Addresses::compute(registers, on, address, bytes);
        let words = u64::from(bytes.div_ceil(4));
        let different = self.meetings(&all, on).count() as u64;
        let detail = &mut self.counts.operations[at];
        detail.constant_requests += 1;
        detail.constant_passes += words * different;
        if self.sampled {
            self.timeline.resolve(at, Level::Near);
        }
    }

    /// Notes where the lanes of an atomic operation in global memory meet.
    fn meeting(&mut self, all: &Addresses, on: u32, at: usize, address: &Address) {
        if all.known_space(address.space) != Some(Space::Global) {
            return;
        }
        let mut hottest = std::mem::take(&mut self.counts.operations[at].hottest);
        self.meetings(all, on).for_each(|same| hottest.add(same[0], same.len() as u64));
        let detail = &mut self.counts.operations[at];
        detail.atomic_lanes += u64::from(on.count_ones());
        detail.hottest = hottest;
    }

    /// The addresses of these lanes, equal ones together.
    fn meetings(&mut self, all: &Addresses, on: u32) -> impl Iterator<Item = &[u64]> {
        self.sectors.clear();
        self.sectors.extend(lanes(on).map(|lane| all.lanes[lane]));
        self.sectors.sort_unstable();
        self.sectors.chunk_by(|a, b| a == b)
    }

    /// The collected data.
    pub(crate) fn finish(self) -> DetailCounts {
        self.counts
    }
}
