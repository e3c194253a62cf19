//! Pairs of maxima, dot products and scans, of branches, and of work from queues.

use kernel_runtime::{PtxFunction, PtxLaunch};

use super::shapes::{BLOCK, of_blocks, of_blocks_of_two, of_one};
use crate::divergence::queue::{self, kernels::dive_alone, kernels::dive_from_queue};
use crate::divergence::uniform::{branch_by_lane, branch_by_warp};
use crate::versus::{Data, Pair};
use crate::warp::kinds::kernels::{dot_block, dot_shared, dot_shuffles};
use crate::warp::kinds::kernels::{max_block, max_shared, max_shuffles, max_warps};
use crate::warp::kinds::kernels::{scan_block, scan_shared, scan_shuffles, scan_warps};

/// Tolerance of sums in another order.
const REORDERED: f32 = 1e-4;

/// The pairs.
pub static PAIRS: &[Pair] = &[
    of_blocks(
        (&max_shared::KERNEL, "warp", "max_shared"),
        ("maxima of blocks through shared memory", None),
        0.0,
        |data| max_shared(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
    ),
    of_blocks(
        (&max_shuffles::KERNEL, "warp", "max_shuffles"),
        ("maxima of blocks through shuffles", None),
        0.0,
        |data| max_shuffles(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
    ),
    of_blocks(
        (&max_warps::KERNEL, "warp", "max_shuffles"),
        ("maxima of blocks through shuffles", Some("#[warp_reduce]")),
        0.0,
        |data| max_warps(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
    ),
    of_blocks(
        (&max_block::KERNEL, "warp", "max_shuffles"),
        ("maxima of blocks through shuffles", Some("#[block_reduce]")),
        0.0,
        |data| max_block(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
    ),
    of_blocks_of_two(
        (&dot_shared::KERNEL, "warp", "dot_shared"),
        ("dot products of blocks through shared memory", None),
        0.0,
        |data| dot_shared(&data.x, &data.y, &mut data.out).grid(data.blocks).block(BLOCK),
    ),
    of_blocks_of_two(
        (&dot_shuffles::KERNEL, "warp", "dot_shuffles"),
        ("dot products of blocks through shuffles", None),
        0.0,
        |data| dot_shuffles(&data.x, &data.y, &mut data.out).grid(data.blocks).block(BLOCK),
    ),
    of_blocks_of_two(
        (&dot_block::KERNEL, "warp", "dot_shuffles"),
        ("dot products of blocks through shuffles", Some("#[block_reduce]")),
        REORDERED,
        |data| dot_block(&data.x, &data.y, &mut data.out).grid(data.blocks).block(BLOCK),
    ),
    of_one((&scan_shared::KERNEL, "warp", "scan_shared"), "scans of blocks in shared memory", 0.0, |data| {
        scan_shared(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
    of_one((&scan_shuffles::KERNEL, "warp", "scan_shuffles"), "scans of blocks by shuffles", 0.0, |data| {
        scan_shuffles(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
    Pair {
        attribute: Some("#[warp_scan]"),
        ..of_one(
            (&scan_warps::KERNEL, "warp", "scan_shuffles"),
            "scans of blocks by shuffles",
            REORDERED,
            |data| scan_warps(&data.x, &mut data.out).over(data.n).block(BLOCK),
        )
    },
    Pair {
        attribute: Some("#[block_scan]"),
        ..of_one(
            (&scan_block::KERNEL, "warp", "scan_shuffles"),
            "scans of blocks by shuffles",
            REORDERED,
            |data| scan_block(&data.x, &mut data.out).over(data.n).block(BLOCK),
        )
    },
    of_one(
        (&branch_by_warp::KERNEL, "divergence", "branch_by_warp"),
        "two sides, by the warp",
        0.0,
        |data| branch_by_warp(&data.x, &mut data.out).over(data.n).block(BLOCK),
    ),
    of_one(
        (&branch_by_lane::KERNEL, "divergence", "branch_by_lane"),
        "two sides, by the lane",
        0.0,
        |data| branch_by_lane(&data.x, &mut data.out).over(data.n).block(BLOCK),
    ),
    Pair {
        theirs: from_queues,
        ..of_one((&dive_alone::KERNEL, "divergence", "dive_alone"), "rare long work", 0.0, |data| {
            dive_alone(&data.x, &mut data.out).grid(queue::grid(data.n))
        })
    },
    Pair {
        theirs: from_queues,
        ..of_one(
            (&dive_from_queue::KERNEL, "divergence", "dive_from_queue"),
            "rare long work, from queues",
            0.0,
            |data| dive_from_queue(&data.x, &mut data.out).grid(queue::grid(data.n)),
        )
    },
];

/// A launch of so many blocks as ours has.
fn from_queues<'a>(twin: &PtxFunction, data: &'a mut Data) -> PtxLaunch<'a> {
    let (len, blocks) = (data.len(), queue::grid(data.n) as u32);
    twin.launch().arg(&data.x).arg(&mut data.out).arg(len).grid(blocks).block(BLOCK)
}
