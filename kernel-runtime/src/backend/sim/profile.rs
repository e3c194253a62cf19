//! Counters of a launch, with the definitions of Nsight Compute.
//!
//! Instructions are those of PTX: a GPU runs the SASS that `ptxas` makes of them, whose counts differ.

use super::fault::Code;
use super::program::Kernel;

/// Counts of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counter {
    /// How often a warp issued it with at least one active lane.
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
}

/// The counters of a kernel, one of each kind per operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    pub(crate) counters: Vec<Counter>,
    pub(crate) traffic: Vec<Traffic>,
}

macro_rules! add_fields {
    ($a:expr, $b:expr; $($field:ident),*) => { $($a.$field += $b.$field;)* };
}

impl Profile {
    pub(crate) fn new(operations: usize) -> Profile {
        Profile {
            counters: vec![Counter::default(); operations],
            traffic: vec![Traffic::default(); operations],
        }
    }

    /// Adds the counts of other blocks. Sums do not depend on the order.
    pub(crate) fn merge(mut self, other: Profile) -> Profile {
        for (a, b) in self.counters.iter_mut().zip(&other.counters) {
            add_fields!(a, b; issued, active, enabled);
        }
        for (a, b) in self.traffic.iter_mut().zip(&other.traffic) {
            add_fields!(a, b; divergent, global_requests, sectors, ideal_sectors, global_bytes, shared_requests,
                wavefronts, ideal_wavefronts);
        }
        self
    }

    /// The totals, and the counts of every instruction.
    pub(crate) fn finish(&self, kernel: &Kernel, is_branch: impl Fn(usize) -> bool) -> LaunchStats {
        let mut stats = LaunchStats::default();
        let mut lines: Vec<LineStats> = kernel
            .listing
            .iter()
            .map(|code| LineStats { code: code.clone(), ..LineStats::default() })
            .collect();
        for (index, origin) in kernel.origins.iter().enumerate() {
            let (counter, traffic) = (&self.counters[index], &self.traffic[index]);
            let line = &mut lines[origin.instruction as usize];
            if origin.counts {
                stats.warp_instructions += counter.issued;
                stats.thread_instructions += counter.active;
                stats.predicated_on_thread_instructions += counter.enabled;
                line.warp_instructions += counter.issued;
                line.thread_instructions += counter.active;
                line.predicated_on_thread_instructions += counter.enabled;
                if is_branch(index) {
                    stats.branches += counter.issued;
                    stats.divergent_branches += traffic.divergent;
                    line.divergent_branches += traffic.divergent;
                }
            }
            add_fields!(stats, traffic; global_requests, sectors, ideal_sectors, global_bytes, shared_requests,
                wavefronts, ideal_wavefronts);
            add_fields!(line, traffic; sectors, wavefronts);
        }
        stats.lines = lines;
        stats
    }
}

/// What a launch did. Instructions are those of PTX.
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineStats {
    /// The instruction.
    pub code: Code,
    /// Warp instructions with at least one active lane.
    pub warp_instructions: u64,
    /// Active lanes, summed.
    pub thread_instructions: u64,
    /// Active lanes whose guard held, summed.
    pub predicated_on_thread_instructions: u64,
    /// How often active lanes went different ways here.
    pub divergent_branches: u64,
    /// Sectors of global memory touched.
    pub sectors: u64,
    /// Passes over shared memory.
    pub wavefronts: u64,
}

impl LaunchStats {
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
