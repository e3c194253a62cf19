//! Clusters: blocks that share their shared memory, so that what one has loaded, found or counted is there for the others without a way
//! through global memory.

use kernel_runtime::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// Threads of a block, and elements of its tile.
const TILE: usize = 256;
/// Blocks of a cluster of `blur`.
const BLUR_BLOCKS: usize = 8;
/// Neighbours of an element on each side.
const RADIUS: usize = 16;

/// The mean of each element and its neighbours: those in the tiles of the cluster are read there, those beyond its ends from `x`.
#[kernel(cluster(8), block(256))]
pub fn blur(x: &[f32], out: &mut [f32]) {
    const TILE: usize = 256;
    const SPAN: usize = 8 * TILE;
    const RADIUS: usize = 16;
    let mut tile = shared::<[f32; TILE]>();
    let (i, t) = (global_idx().x, thread_idx().x);
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    cluster::sync();
    let own = TILE * cluster::block_rank() + t;
    let first = i - own;
    let mut sum = 0.0;
    for step in 0..2 * RADIUS + 1 {
        // Before the first element of the cluster this wraps, beyond its end.
        let place = (own + step).wrapping_sub(RADIUS);
        if place < SPAN {
            sum += cluster::shared(&tile, place / TILE)[place % TILE];
        } else {
            let beyond = first.wrapping_add(place);
            sum += if beyond < x.len() { x[beyond] } else { 0.0 };
        }
    }
    if i < out.len() {
        out[i] = sum * (1.0 / 33.0);
    }
}

/// The sums of what clusters of eight blocks have: the first block of each adds up what the others have found.
#[kernel(cluster(8), block(256))]
pub fn cluster_sums(x: &[f32], out: &mut [f32]) {
    let mut part = shared::<[f32; 1]>();
    let mut own = 0.0;
    let mut i = global_idx().x;
    while i < x.len() {
        own += x[i];
        i += global_size().x;
    }
    let sum = block::reduce_add(own);
    let t = thread_idx().x;
    if t == 0 {
        part[0] = sum;
    }
    cluster::sync();
    if cluster::block_rank() == 0 && t < 32 {
        let found = if t < 8 { cluster::shared(&part, t)[0] } else { 0.0 };
        let total = warp::reduce_add(found);
        let cluster = special::clusterid().x;
        if t == 0 && cluster < out.len() {
            out[cluster] = total;
        }
    }
}

/// A histogram with more bins than a block has room for at full occupancy: each block of a cluster holds a quarter of them.
#[kernel(cluster(4), block(256))]
pub fn cluster_histogram(x: &[f32], counts: &[AtomicU32]) {
    const BINS: usize = 2048;
    let bins = shared::<[AtomicU32; BINS]>();
    let t = thread_idx().x;
    for bin in (t..BINS).step_by(256) {
        bins[bin].store(0, Ordering::Relaxed);
    }
    cluster::sync();
    let mut i = global_idx().x;
    while i < x.len() {
        let bin = ((x[i] * (4 * BINS) as f32) as usize).min(4 * BINS - 1);
        cluster::shared(&bins, bin / BINS)[bin % BINS].fetch_add(1, Ordering::Relaxed);
        i += global_size().x;
    }
    cluster::sync();
    for bin in (t..BINS).step_by(256) {
        let of_all = BINS * cluster::block_rank() + bin;
        if of_all < counts.len() {
            counts[of_all].fetch_add(bins[bin].load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

const TOPIC: &str = "clusters";

/// Blocks of grids whose threads go over all elements.
pub(crate) const BLOCKS: u32 = 64;
/// Bins of all blocks of a cluster.
const BINS: usize = 4 * 2048;

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&blur::KERNEL, TOPIC, "means of 33 neighbours in the tiles of a cluster", 8, |gpu, n| {
        let host = random(71, n);
        let expected = blurred(&host);
        from_slice(gpu, &host, expected, 0.0, |x, out| blur(x, out).over(n).run())
    }),
    Example::new(&cluster_sums::KERNEL, TOPIC, "sums of clusters of eight blocks", 4, |gpu, n| {
        let host = random(72, n);
        let clusters = BLOCKS as usize / BLUR_BLOCKS;
        let mut expected = vec![0.0; clusters];
        for (index, value) in host.iter().enumerate() {
            expected[index / (BLUR_BLOCKS * TILE) % clusters] += f64::from(*value);
        }
        let expected = expected.into_iter().map(|sum| sum as f32).collect();
        from_slice(gpu, &host, expected, 1e-4, |x, out| cluster_sums(x, out).grid(BLOCKS).run())
    }),
    Example::new(
        &cluster_histogram::KERNEL,
        TOPIC,
        "a histogram over the shared memory of a cluster",
        4,
        |gpu, n| {
            let host = random(73, n);
            let mut expected = vec![0.0; BINS];
            host.iter().for_each(|&value| expected[((value * BINS as f32) as usize).min(BINS - 1)] += 1.0);
            let x = gpu.upload(&host)?;
            let mut counts = gpu.zeros::<u32>(BINS)?;
            let report = cluster_histogram(&x, &mut counts).grid(BLOCKS).run()?;
            let output = counts.to_vec()?.into_iter().map(|count| count as f32).collect();
            Ok(Outcome { report, output, expected, tolerance: 0.0 })
        },
    ),
];

/// The results of `blur`, with sums in its order.
fn blurred(x: &[f32]) -> Vec<f32> {
    let of = |i: usize| {
        let places = (i..i + 2 * RADIUS + 1).map(|place| place.checked_sub(RADIUS));
        let sum =
            places.fold(0.0, |sum, place| sum + place.and_then(|place| x.get(place)).copied().unwrap_or(0.0));
        sum * (1.0 / 33.0)
    };
    (0..x.len()).map(of).collect()
}
