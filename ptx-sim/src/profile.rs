//! Counters of a launch, with the definitions of Nsight Compute.
//!
//! Instructions are those of PTX: a GPU runs the SASS that `ptxas` makes of them, whose counts differ.

mod cache;
mod class;
mod detail;
mod hottest;
mod pattern;
mod timeline;

use serde::{Deserialize, Serialize};

pub(crate) use cache::Footprint;
pub use class::Class;
pub(crate) use class::Kind;
pub(crate) use detail::{Detail, DetailCounts};
use pattern::Distances;
pub use pattern::Pattern;
pub use timeline::MEMORY_LATENCY;

use super::fault::Code;
use super::op::Op;
use super::program::Kernel;

/// Counts of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counter {
    /// Number of times that a warp issued it with at least one active lane.
    pub(crate) issued: u64,
    /// Active lanes, summed.
    pub(crate) active: u64,
    /// Active lanes whose guard held, summed.
    pub(crate) enabled: u64,
}

/// Counts of one access to memory, or of one branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    /// Branches: how often the lanes of a group went different ways.
    pub(crate) divergent: u64,
    /// Warp instructions with at least one lane whose guard held, by memory.
    pub(crate) global_requests: u64,
    /// Distinct 32-byte sectors of each request, summed.
    pub(crate) sectors: u64,
    /// The sectors that packed accesses would take.
    pub(crate) ideal_sectors: u64,
    pub(crate) global_bytes: u64,
    pub(crate) shared_requests: u64,
    /// Passes over shared memory: 1 without bank conflicts for accesses of up to 4 bytes a lane.
    pub(crate) wavefronts: u64,
    pub(crate) ideal_wavefronts: u64,
    pub(crate) local_requests: u64,
    pub(crate) local_bytes: u64,
}

/// The counters of a kernel, one of each kind per operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    pub(crate) counters: Vec<Counter>,
    pub(crate) traffic: Vec<Traffic>,
    /// The data that only a profile collects.
    pub(crate) detail: Option<DetailCounts>,
}

macro_rules! add_fields {
    ($a:expr, $b:expr; $($field:ident),*) => { $($a.$field = $a.$field.saturating_add($b.$field);)* };
}

impl Profile {
    pub(crate) fn new(operations: usize) -> Profile {
        Profile {
            counters: vec![Counter::default(); operations],
            traffic: vec![Traffic::default(); operations],
            detail: None,
        }
    }

    /// Adds the counts of other blocks. Sums do not depend on the order.
    pub(crate) fn merge(mut self, other: Profile) -> Profile {
        for (a, b) in self.counters.iter_mut().zip(&other.counters) {
            add_fields!(a, b; issued, active, enabled);
        }
        for (a, b) in self.traffic.iter_mut().zip(&other.traffic) {
            add_fields!(a, b; divergent, global_requests, sectors, ideal_sectors, global_bytes, shared_requests,
                wavefronts, ideal_wavefronts, local_requests, local_bytes);
        }
        self.detail = match (self.detail, other.detail) {
            (Some(a), Some(b)) => Some(a.merge(b)),
            (a, b) => a.or(b),
        };
        self
    }

    /// The totals, and the counts of every instruction.
    pub(crate) fn finish(&self, kernel: &Kernel) -> LaunchStats {
        let line = |code: &Code| LineStats { code: code.clone(), ..LineStats::default() };
        let mut lines: Vec<LineStats> = kernel.listing.iter().map(line).collect();
        let mut distances = vec![Distances::default(); lines.len()];
        for (index, origin) in kernel.origins.iter().enumerate() {
            let (counter, traffic) = (&self.counters[index], &self.traffic[index]);
            let line = &mut lines[origin.instruction as usize];
            let (counts, op) = (&mut line.counts, &kernel.code[index].op);
            if origin.counts {
                counts.warp_instructions += counter.issued;
                counts.thread_instructions += counter.active;
                counts.predicated_on_thread_instructions += counter.enabled;
                if matches!(op, Op::Branch { .. } | Op::Switch { .. }) {
                    counts.branches += counter.issued;
                    counts.divergent_branches += traffic.divergent;
                }
            }
            add_fields!(counts, traffic; shared_requests, wavefronts, ideal_wavefronts, local_requests, local_bytes);
            // Constants lie beside global variables, but a GPU reads them through a cache of their own.
            if Kind::of(&line.code.instruction).class != Class::Parameter {
                add_fields!(counts, traffic; global_requests, sectors, ideal_sectors, global_bytes);
            }
            if let Some(detail) = self.detail.as_ref().and_then(|detail| detail.operations.get(index)) {
                add_fields!(counts, detail; near_sectors, constant_requests, constant_passes, atomic_lanes,
                    shared_atomic_requests, shared_atomic_passes);
                distances[origin.instruction as usize].merge(&detail.distances);
                counts.hottest_lanes += detail.hottest.lanes();
                counts.stalls.add(&detail.stalls);
            }
        }
        let mut all = Counts::default();
        for (line, distances) in lines.iter_mut().zip(&distances) {
            line.pattern = distances.pattern();
            let kind = Kind::of(&line.code.instruction);
            let counts = &mut line.counts;
            counts.operations = kind.lane_operations * counts.predicated_on_thread_instructions
                + kind.warp_operations * counts.warp_instructions;
            line.class = kind.class;
            all.add(counts);
        }
        LaunchStats::new(&all, lines)
    }
}

/// Why a warp waits before it issues an instruction: what made the operand that came last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Stall {
    /// Global or local memory.
    Memory,
    /// Shared memory.
    Shared,
    /// The other warps of the block, at a barrier.
    Barrier,
    /// Arithmetic, moves, conversions: a few cycles each.
    Arithmetic,
    /// Special functions, divisions, exact roots.
    Special,
    /// Products of matrices.
    Matrix,
    /// Shuffles, votes and the like.
    Collective,
}

impl Stall {
    /// Every reason, in the order of the tables.
    pub const ALL: [Stall; 7] = [
        Stall::Memory,
        Stall::Shared,
        Stall::Barrier,
        Stall::Arithmetic,
        Stall::Special,
        Stall::Matrix,
        Stall::Collective,
    ];

    /// A name for the reader.
    pub const fn as_str(self) -> &'static str {
        match self {
            Stall::Memory => "memory",
            Stall::Shared => "shared memory",
            Stall::Barrier => "barriers",
            Stall::Arithmetic => "arithmetic",
            Stall::Special => "special functions and divisions",
            Stall::Matrix => "matrix products",
            Stall::Collective => "warp collectives",
        }
    }

    /// The reason to wait for the result of an instruction.
    fn of(class: Class) -> Stall {
        match class {
            Class::Load | Class::Atomic => Stall::Memory,
            Class::Synchronization => Stall::Barrier,
            Class::Special | Class::Division => Stall::Special,
            Class::Matrix => Stall::Matrix,
            Class::Collective => Stall::Collective,
            Class::Float32
            | Class::Float64
            | Class::Half
            | Class::Integer
            | Class::Conversion
            | Class::Compare
            | Class::Move
            | Class::Parameter
            | Class::Store
            | Class::Copy
            | Class::Control
            | Class::Other => Stall::Arithmetic,
        }
    }
}

/// Cycles that warps waited, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalls([u64; Stall::ALL.len()]);

impl Stalls {
    /// For one reason.
    pub fn get(&self, reason: Stall) -> u64 {
        self.0[reason as usize]
    }

    /// For all of them.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum: u64, &cycles| sum.saturating_add(cycles))
    }

    /// The reason for most of it.
    pub fn most(&self) -> Option<Stall> {
        let most = Stall::ALL.into_iter().max_by_key(|&reason| self.get(reason))?;
        (self.get(most) > 0).then_some(most)
    }

    fn add(&mut self, other: &Stalls) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a = a.saturating_add(b));
    }
}

/// Counts of some instructions: one, those of a line of source, all. They add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Warp instructions with at least one active lane.
    pub warp_instructions: u64,
    /// Active lanes, summed over warp instructions (ΣA).
    pub thread_instructions: u64,
    /// Active lanes whose guard held, summed over warp instructions (ΣP).
    pub predicated_on_thread_instructions: u64,
    /// Branches, conditional or not.
    pub branches: u64,
    /// Branches at which the active lanes went different ways.
    pub divergent_branches: u64,
    /// Floating-point operations of the lanes whose guard held: a fused multiply-add is two, a product of fragments 2MNK.
    pub operations: u64,
    /// Warp accesses to global memory.
    pub global_requests: u64,
    /// Distinct sectors of 32 bytes that each request touched, summed.
    pub sectors: u64,
    /// The sectors that as many bytes would take when packed.
    pub ideal_sectors: u64,
    /// Bytes that lanes moved from or to global memory.
    pub global_bytes: u64,
    /// Warp accesses to shared memory.
    pub shared_requests: u64,
    /// Passes over shared memory that they took.
    pub wavefronts: u64,
    /// The passes that they would take without bank conflicts.
    pub ideal_wavefronts: u64,
    /// Warp accesses to local memory: arrays that are indexed, spilled registers.
    pub local_requests: u64,
    /// Bytes that lanes moved from or to local memory.
    pub local_bytes: u64,
    /// Of the sectors, those that the block's part of the first-level cache had: a model, when a launch is profiled.
    pub near_sectors: u64,
    /// Warp loads of constants, when a launch is profiled.
    #[serde(default)]
    pub constant_requests: u64,
    /// Distinct words that each of them read, summed: lanes that read different words take turns.
    #[serde(default)]
    pub constant_passes: u64,
    /// Lanes of atomic operations in global memory, when a launch is profiled.
    #[serde(default)]
    pub atomic_lanes: u64,
    /// Of these, the lanes that met at one address, at least, summed over instructions.
    #[serde(default)]
    pub hottest_lanes: u64,
    /// Warp atomic operations in shared memory, when a launch is profiled.
    #[serde(default)]
    pub shared_atomic_requests: u64,
    /// The most lanes of each that met at one word, summed: they take turns there.
    #[serde(default)]
    pub shared_atomic_passes: u64,
    /// Cycles that warps of the sampled blocks waited before these instructions: a model, when a launch is profiled.
    pub stalls: Stalls,
}

impl Counts {
    /// Adds the counts of other instructions.
    pub fn add(&mut self, other: &Counts) {
        add_fields!(self, other; warp_instructions, thread_instructions, predicated_on_thread_instructions, branches,
            divergent_branches, operations, global_requests, sectors, ideal_sectors, global_bytes, shared_requests,
            wavefronts, ideal_wavefronts, local_requests, local_bytes, near_sectors, constant_requests, constant_passes,
            atomic_lanes, hottest_lanes, shared_atomic_requests, shared_atomic_passes);
        self.stalls.add(&other.stalls);
    }

    /// (ΣA / instructions) / 32: 1 when every warp runs with all its lanes.
    pub fn warp_execution_efficiency(&self) -> f64 {
        ratio(self.thread_instructions, self.warp_instructions.saturating_mul(32))
    }

    /// (ΣP / instructions) / 32: as the warp execution efficiency, without lanes that a guard switched off.
    pub fn warp_nonpredicated_execution_efficiency(&self) -> f64 {
        ratio(self.predicated_on_thread_instructions, self.warp_instructions.saturating_mul(32))
    }

    /// (branches − divergent branches) / branches.
    pub fn branch_efficiency(&self) -> f64 {
        ratio(self.branches.saturating_sub(self.divergent_branches), self.branches)
    }

    /// Sectors of 32 bytes per access to global memory; 4 is the best for 4 bytes a lane.
    pub fn sectors_per_request(&self) -> f64 {
        if self.global_requests == 0 { 0.0 } else { self.sectors as f64 / self.global_requests as f64 }
    }

    /// Sectors beyond those of packed accesses.
    pub fn excess_sectors(&self) -> u64 {
        self.sectors.saturating_sub(self.ideal_sectors)
    }

    /// Passes over shared memory that bank conflicts added.
    pub fn bank_conflicts(&self) -> u64 {
        self.wavefronts.saturating_sub(self.ideal_wavefronts)
    }
}

/// Statistics of a launch. Instructions are those of PTX.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchStats {
    /// Warp instructions with at least one active lane.
    pub warp_instructions: u64,
    /// Active lanes, summed over warp instructions (ΣA).
    pub thread_instructions: u64,
    /// Active lanes whose guard held, summed over warp instructions (ΣP).
    pub predicated_on_thread_instructions: u64,
    /// Branches, conditional or not.
    pub branches: u64,
    /// Branches at which the active lanes went different ways.
    pub divergent_branches: u64,
    /// Warp accesses to global memory.
    pub global_requests: u64,
    /// Distinct sectors of 32 bytes that each request touched, summed.
    pub sectors: u64,
    /// The sectors that as many bytes would take when packed.
    pub ideal_sectors: u64,
    /// Bytes that lanes moved from or to global memory.
    pub global_bytes: u64,
    /// Warp accesses to shared memory.
    pub shared_requests: u64,
    /// Passes over shared memory that they took.
    pub wavefronts: u64,
    /// The passes that they would take without bank conflicts.
    pub ideal_wavefronts: u64,
    /// The counts of each instruction, in the order of the text.
    pub lines: Vec<LineStats>,
}

/// The counts of one instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct LineStats {
    /// The instruction.
    pub code: Code,
    /// The class of its work.
    pub class: Class,
    /// Its counts.
    pub counts: Counts,
    /// Order of the addresses of its lanes.
    pub pattern: Pattern,
}

impl Default for LineStats {
    /// Nothing, never issued.
    fn default() -> LineStats {
        LineStats {
            code: Code::default(),
            class: Class::Other,
            counts: Counts::default(),
            pattern: Pattern::Unknown,
        }
    }
}

impl LaunchStats {
    fn new(all: &Counts, lines: Vec<LineStats>) -> LaunchStats {
        LaunchStats {
            warp_instructions: all.warp_instructions,
            thread_instructions: all.thread_instructions,
            predicated_on_thread_instructions: all.predicated_on_thread_instructions,
            branches: all.branches,
            divergent_branches: all.divergent_branches,
            global_requests: all.global_requests,
            sectors: all.sectors,
            ideal_sectors: all.ideal_sectors,
            global_bytes: all.global_bytes,
            shared_requests: all.shared_requests,
            wavefronts: all.wavefronts,
            ideal_wavefronts: all.ideal_wavefronts,
            lines,
        }
    }

    /// The counts of all instructions together.
    pub fn counts(&self) -> Counts {
        let mut all = Counts::default();
        self.lines.iter().for_each(|line| all.add(&line.counts));
        all
    }

    /// Active lanes whose guard did not hold, summed over warp instructions (Σ(A − P)).
    pub fn predicated_off_thread_instructions(&self) -> u64 {
        self.thread_instructions - self.predicated_on_thread_instructions
    }

    /// (ΣA / instructions) / 32: 1 when every warp runs with all its lanes.
    pub fn warp_execution_efficiency(&self) -> f64 {
        ratio(self.thread_instructions, 32 * self.warp_instructions)
    }

    /// (ΣP / instructions) / 32: as the warp execution efficiency, without lanes that a guard switched off.
    pub fn warp_nonpredicated_execution_efficiency(&self) -> f64 {
        ratio(self.predicated_on_thread_instructions, 32 * self.warp_instructions)
    }

    /// (branches − divergent branches) / branches.
    pub fn branch_efficiency(&self) -> f64 {
        ratio(self.branches - self.divergent_branches, self.branches)
    }

    /// Sectors of 32 bytes per access to global memory; 4 is the best for 4 bytes a lane.
    pub fn sectors_per_request(&self) -> f64 {
        if self.global_requests == 0 { 0.0 } else { self.sectors as f64 / self.global_requests as f64 }
    }

    /// Passes over shared memory that bank conflicts added.
    pub fn bank_conflicts(&self) -> u64 {
        self.wavefronts.saturating_sub(self.ideal_wavefronts)
    }
}

/// A share of what there was; of nothing it is all.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
