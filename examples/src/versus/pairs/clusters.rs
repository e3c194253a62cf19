//! Pairs of kernels in clusters.

use super::shapes::{BLOCK, maps};
use crate::clusters::blur;
use crate::versus::Pair;

/// The pairs.
pub static PAIRS: &[Pair] = &[Pair {
    kernel: &blur::KERNEL,
    topic: "clusters",
    twin: "blur",
    what: "means of 33 neighbours in the tiles of a cluster",
    attribute: None,
    lens: maps(1),
    bytes: |n| 8 * n as u64,
    tolerance: 0.0,
    ours: |data| blur(&data.x, &mut data.out).over(data.n),
    theirs: |twin, data| {
        let len = data.len();
        // Whole clusters of eight blocks.
        let blocks = 8 * len.div_ceil(8 * BLOCK);
        twin.launch().arg(&data.x).arg(&mut data.out).arg(len).grid(blocks).block(BLOCK)
    },
}];
