//! Votes and matches: lanes that want the same place agree on it, and one of them does the atomic operation for all.
//!
//! Counts of numbers, of which most are the same, and compaction: the numbers above a bound side by side, in any order.

use kernel_runtime::prelude::*;

use crate::{Example, Outcome, random};
use kernels::{BINS, compact_ballot, compact_plain, histogram_matched, histogram_plain, histogram_shared};

/// The bound above which compaction keeps numbers.
const BOUND: f32 = 0.75;

/// The kernels.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// Numbers that are counted apart.
    pub const BINS: usize = 64;

    /// A histogram with an atomic operation for each element.
    #[kernel(block(256))]
    pub fn histogram_plain(x: &[u32], counts: &[AtomicU32]) {
        let i = global_idx().x;
        if i < x.len() {
            counts[x[i] as usize % BINS].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A histogram in which the first of the lanes with the same number counts them all.
    #[kernel(block(256))]
    pub fn histogram_matched(x: &[u32], counts: &[AtomicU32]) {
        let i = global_idx().x;
        let is_there = i < x.len();
        // Lanes beyond the end have a bin of their own.
        let bin = if is_there { x[i] % BINS as u32 } else { BINS as u32 };
        #[match_any]
        let same = bin;
        let is_first = same.trailing_zeros() == warp::lane_id() as u32;
        if is_there && is_first {
            counts[bin as usize % BINS].fetch_add(same.count_ones(), Ordering::Relaxed);
        }
    }

    /// A histogram of each block in shared memory, and one atomic operation of a block for each count.
    #[kernel(block(256))]
    pub fn histogram_shared(x: &[u32], counts: &[AtomicU32]) {
        let own = shared::<[AtomicU32; BINS]>();
        let thread = thread_idx().x;
        if thread < BINS {
            own[thread].store(0, Ordering::Relaxed);
        }
        barrier();
        let i = global_idx().x;
        if i < x.len() {
            own[x[i] as usize % BINS].fetch_add(1, Ordering::Relaxed);
        }
        barrier();
        if thread < BINS {
            counts[thread].fetch_add(own[thread].load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Compaction in which each number that is kept takes the next place.
    #[kernel(block(256))]
    pub fn compact_plain(bound: f32, x: &[f32], next: &[AtomicU32], kept: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && x[i] > bound {
            let place = next[0].fetch_add(1, Ordering::Relaxed) as usize;
            if place < kept.len() {
                kept[place] = x[i];
            }
        }
    }

    /// Compaction in which a warp takes places for all that it keeps.
    #[kernel(block(256))]
    pub fn compact_ballot(bound: f32, x: &[f32], next: &[AtomicU32], kept: &mut [f32]) {
        let i = global_idx().x;
        let v = if i < x.len() { x[i] } else { bound };
        let is_kept = v > bound;
        #[ballot]
        let kept_lanes = is_kept;
        let lane = warp::lane_id() as u32;
        let first = kept_lanes.trailing_zeros();
        let mut start = 0;
        if lane == first {
            start = next[0].fetch_add(kept_lanes.count_ones(), Ordering::Relaxed);
        }
        // Without a lane that keeps its number nobody asks where it would go.
        let start = warp::shfl_idx(start, first % 32);
        let place = start as usize + (kept_lanes & ((1 << lane) - 1)).count_ones() as usize;
        if is_kept && place < kept.len() {
            kept[place] = v;
        }
    }
}

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(
        &histogram_plain::KERNEL,
        "warp",
        "histogram, an atomic for each element",
        4,
        run_histogram_plain,
    ),
    Example::new(&histogram_matched::KERNEL, "warp", "histogram by `#[match_any]`", 4, run_histogram_matched),
    Example::new(&histogram_shared::KERNEL, "warp", "histogram in shared memory", 4, run_histogram_shared),
    Example::new(
        &compact_plain::KERNEL,
        "warp",
        "compaction, an atomic for each element",
        5,
        run_compact_plain,
    ),
    Example::new(&compact_ballot::KERNEL, "warp", "compaction by `#[ballot]`", 5, run_compact_ballot),
];

fn run_histogram_plain(gpu: &Gpu, n: usize) -> Result<Outcome> {
    histogram(gpu, n, |x, counts| histogram_plain(x, counts).over(n).run())
}

fn run_histogram_matched(gpu: &Gpu, n: usize) -> Result<Outcome> {
    histogram(gpu, n, |x, counts| histogram_matched(x, counts).over(n).run())
}

fn run_histogram_shared(gpu: &Gpu, n: usize) -> Result<Outcome> {
    histogram(gpu, n, |x, counts| histogram_shared(x, counts).over(n).run())
}

fn run_compact_plain(gpu: &Gpu, n: usize) -> Result<Outcome> {
    compact(gpu, n, |x, next, kept| compact_plain(BOUND, x, next, kept).over(n).run())
}

fn run_compact_ballot(gpu: &Gpu, n: usize) -> Result<Outcome> {
    compact(gpu, n, |x, next, kept| compact_ballot(BOUND, x, next, kept).over(n).run())
}

fn histogram(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // Small numbers are frequent, as in most of what is counted.
    let host: Vec<u32> = random(15, n).into_iter().map(|x| (x.powi(4) * BINS as f32) as u32).collect();
    let x = gpu.upload(&host)?;
    let mut counts = gpu.zeros(BINS)?;
    let report = launch(&x, &mut counts)?;
    let mut expected = vec![0u32; BINS];
    host.iter().for_each(|&x| expected[x as usize % BINS] += 1);
    let as_floats = |counts: Vec<u32>| counts.into_iter().map(|count| count as f32).collect();
    Ok(Outcome { report, output: as_floats(counts.to_vec()?), expected: as_floats(expected), tolerance: 0.0 })
}

fn compact(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(
        &DeviceBuffer<f32>,
        &mut DeviceBuffer<u32>,
        &mut DeviceBuffer<f32>,
    ) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(16, n);
    let mut expected: Vec<f32> = host.iter().copied().filter(|&x| x > BOUND).collect();
    let x = gpu.upload(&host)?;
    let (mut next, mut kept) = (gpu.zeros(1)?, gpu.zeros(n)?);
    let report = launch(&x, &mut next, &mut kept)?;
    let count = next.to_vec()?[0] as usize;
    let mut output = kept.to_vec()?;
    output.truncate(count);
    // Whoever comes first has the first place.
    output.sort_by(f32::total_cmp);
    expected.sort_by(f32::total_cmp);
    Ok(Outcome { report, output, expected, tolerance: 0.0 })
}
