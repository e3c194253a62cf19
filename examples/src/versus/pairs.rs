//! The pairs: each kernel with its launch, and its counterpart in CUDA C++.

mod applications;
mod clusters;
mod hecbench;
mod instructions;
mod intensity;
mod shapes;
mod suites;
mod users;
mod warp;

use shapes::{BLOCK, columns, maps, neighbours, strided};

use super::Pair;
use crate::divergence::{costly_branch, threshold_branch, threshold_coarse, threshold_max, threshold_select};
use crate::ilp::{chain_dependent, chain_independent, hypotenuse, sum_four, sum_ilp, sum_one};
use crate::occupancy::{
    copy_16_bytes, saxpy, scale, scale_coarse, vector_add, vector_add_by_four, vector_add_coarse,
};
use crate::unrolling::{LENGTH, dot, dot_by_two, four_taps, four_taps_written_out, horner};
use crate::warp::{sum_block, sum_shared, sum_shuffles, sum_warps};

/// Each run of the scaling kernels turns the signs, so that nothing grows.
const FACTOR: f32 = -1.0;
const THRESHOLD: f32 = 0.1;
const WEIGHTS: [f32; 4] = [0.1, 0.4, 0.3, 0.2];

/// A set of kernels to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// Those of the other topics of the examples, which the compiler was tuned on.
    Own,
    /// Those of [`users`](crate::users), written as users would.
    Users,
}

/// Every pair of a set, by topic.
pub fn pairs(set: Set) -> impl Iterator<Item = &'static Pair> {
    let tables: Vec<&'static [Pair]> = match set {
        Set::Own => vec![PAIRS, clusters::PAIRS, warp::PAIRS, instructions::PAIRS, intensity::PAIRS],
        Set::Users => {
            vec![
                users::POLYBENCH,
                users::RODINIA,
                users::LEARNING,
                users::SAMPLES,
                hecbench::PAIRS,
                suites::PAIRS,
                applications::PAIRS,
                users::VALIDATED,
            ]
        }
    };
    tables.into_iter().flatten()
}

/// Those of occupancy, divergence, sums, ILP and unrolling.
static PAIRS: &[Pair] = &[
    Pair {
        kernel: &scale::KERNEL,
        topic: "occupancy",
        twin: "scale",
        what: "scale in place",
        attribute: None,
        lens: maps(0),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| scale(FACTOR, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(FACTOR).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &scale_coarse::KERNEL,
        topic: "occupancy",
        twin: "scale",
        what: "scale in place",
        attribute: Some("coarsen(4)"),
        lens: maps(0),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| scale_coarse(FACTOR, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(FACTOR).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &saxpy::KERNEL,
        topic: "occupancy",
        twin: "saxpy",
        what: "a x + y in place",
        attribute: None,
        lens: maps(1),
        bytes: |n| 12 * n as u64,
        tolerance: 0.0,
        ours: |data| saxpy(2.5f32, &data.x, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(2.5f32).arg(&data.x).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &vector_add::KERNEL,
        topic: "occupancy",
        twin: "vector_add",
        what: "x + y, launch bounds 256 × 8",
        attribute: None,
        lens: maps(2),
        bytes: |n| 12 * n as u64,
        tolerance: 0.0,
        ours: |data| vector_add(&data.x, &data.y, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&data.x).arg(&data.y).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &vector_add_coarse::KERNEL,
        topic: "occupancy",
        twin: "vector_add",
        what: "x + y, launch bounds 256 × 8",
        attribute: Some("coarsen(4)"),
        lens: maps(2),
        bytes: |n| 12 * n as u64,
        tolerance: 0.0,
        ours: |data| vector_add_coarse(&data.x, &data.y, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&data.x).arg(&data.y).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &vector_add_by_four::KERNEL,
        topic: "occupancy",
        twin: "vector_add_by_four",
        what: "x + y, four elements a thread",
        attribute: None,
        lens: maps(2),
        bytes: |n| 12 * n as u64,
        tolerance: 0.0,
        ours: |data| {
            vector_add_by_four(&data.x, &data.y, &mut data.out).over(data.n.div_ceil(4)).block(BLOCK)
        },
        theirs: |twin, data| {
            let len = data.len();
            twin.launch()
                .arg(&data.x)
                .arg(&data.y)
                .arg(&mut data.out)
                .arg(len)
                .over(data.n.div_ceil(4))
                .block(BLOCK)
        },
    },
    Pair {
        kernel: &copy_16_bytes::KERNEL,
        topic: "occupancy",
        twin: "copy_16_bytes",
        what: "copy, 16 bytes a thread",
        attribute: None,
        lens: maps(1),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| copy_16_bytes(&data.x, &mut data.out).over(data.n.div_ceil(4)).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&data.x).arg(&mut data.out).arg(len).over(data.n.div_ceil(4)).block(BLOCK)
        },
    },
    Pair {
        kernel: &threshold_branch::KERNEL,
        topic: "divergence",
        twin: "threshold_branch",
        what: "threshold by a branch",
        attribute: None,
        lens: maps(1),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| threshold_branch(THRESHOLD, &data.x, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(THRESHOLD).arg(&data.x).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &threshold_coarse::KERNEL,
        topic: "divergence",
        twin: "threshold_branch",
        what: "threshold by a branch",
        attribute: Some("coarsen(4)"),
        lens: maps(1),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| threshold_coarse(THRESHOLD, &data.x, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(THRESHOLD).arg(&data.x).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &threshold_select::KERNEL,
        topic: "divergence",
        twin: "threshold_select",
        what: "threshold by a selection",
        attribute: None,
        lens: maps(1),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| threshold_select(THRESHOLD, &data.x, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(THRESHOLD).arg(&data.x).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &threshold_max::KERNEL,
        topic: "divergence",
        twin: "threshold_max",
        what: "threshold by a maximum",
        attribute: None,
        lens: maps(1),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| threshold_max(&data.x, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&data.x).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &costly_branch::KERNEL,
        topic: "divergence",
        twin: "costly_branch",
        what: "two costly sides",
        attribute: None,
        lens: maps(1),
        bytes: |n| 8 * n as u64,
        tolerance: 1e-5,
        ours: |data| costly_branch(THRESHOLD, &data.x, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(THRESHOLD).arg(&data.x).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &sum_shared::KERNEL,
        topic: "warp",
        twin: "sum_shared",
        what: "sums of blocks through shared memory",
        attribute: None,
        lens: strided,
        bytes: |n| 4 * n as u64,
        tolerance: 0.0,
        ours: |data| sum_shared(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
        theirs: |twin, data| {
            let (len, blocks) = (data.x.len() as u32, data.blocks);
            twin.launch().arg(&data.x).arg(len).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
    },
    Pair {
        kernel: &sum_shuffles::KERNEL,
        topic: "warp",
        twin: "sum_shuffles",
        what: "sums of blocks through shuffles",
        attribute: None,
        lens: strided,
        bytes: |n| 4 * n as u64,
        tolerance: 0.0,
        ours: |data| sum_shuffles(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
        theirs: |twin, data| {
            let (len, blocks) = (data.x.len() as u32, data.blocks);
            twin.launch().arg(&data.x).arg(len).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
    },
    Pair {
        kernel: &sum_warps::KERNEL,
        topic: "warp",
        twin: "sum_shuffles",
        what: "sums of blocks through shuffles",
        attribute: Some("#[warp_reduce]"),
        lens: strided,
        bytes: |n| 4 * n as u64,
        tolerance: 1e-4,
        ours: |data| sum_warps(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
        theirs: |twin, data| {
            let (len, blocks) = (data.x.len() as u32, data.blocks);
            twin.launch().arg(&data.x).arg(len).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
    },
    Pair {
        kernel: &sum_block::KERNEL,
        topic: "warp",
        twin: "sum_shuffles",
        what: "sums of blocks through shuffles",
        attribute: Some("#[block_reduce]"),
        lens: strided,
        bytes: |n| 4 * n as u64,
        tolerance: 1e-4,
        ours: |data| sum_block(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
        theirs: |twin, data| {
            let (len, blocks) = (data.x.len() as u32, data.blocks);
            twin.launch().arg(&data.x).arg(len).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
    },
    Pair {
        kernel: &sum_one::KERNEL,
        topic: "ilp",
        twin: "sum_one",
        what: "sums, one accumulator",
        attribute: None,
        lens: strided,
        bytes: |n| 4 * n as u64,
        tolerance: 0.0,
        ours: |data| sum_one(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
        theirs: |twin, data| {
            let (len, blocks) = (data.x.len() as u32, data.blocks);
            twin.launch().arg(&data.x).arg(len).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
    },
    Pair {
        kernel: &sum_four::KERNEL,
        topic: "ilp",
        twin: "sum_four",
        what: "sums, four accumulators",
        attribute: None,
        lens: strided,
        bytes: |n| 4 * n as u64,
        tolerance: 0.0,
        ours: |data| sum_four(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
        theirs: |twin, data| {
            let (len, blocks) = (data.x.len() as u32, data.blocks);
            twin.launch().arg(&data.x).arg(len).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
    },
    Pair {
        kernel: &sum_ilp::KERNEL,
        topic: "ilp",
        twin: "sum_one",
        what: "sums, one accumulator",
        attribute: Some("#[ilp(4)]"),
        lens: strided,
        bytes: |n| 4 * n as u64,
        tolerance: 1e-3,
        ours: |data| sum_ilp(&data.x, &mut data.out).grid(data.blocks).block(BLOCK),
        theirs: |twin, data| {
            let (len, blocks) = (data.x.len() as u32, data.blocks);
            twin.launch().arg(&data.x).arg(len).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
    },
    Pair {
        kernel: &chain_dependent::KERNEL,
        topic: "ilp",
        twin: "chain_dependent",
        what: "64 dependent multiply-adds",
        attribute: None,
        lens: maps(1),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| chain_dependent(&data.x, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&data.x).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &chain_independent::KERNEL,
        topic: "ilp",
        twin: "chain_independent",
        what: "64 multiply-adds in four chains",
        attribute: None,
        lens: maps(1),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| chain_independent(&data.x, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&data.x).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &hypotenuse::KERNEL,
        topic: "ilp",
        twin: "hypotenuse",
        what: "sqrt(x² + y²)",
        attribute: None,
        lens: maps(2),
        bytes: |n| 12 * n as u64,
        tolerance: 0.0,
        ours: |data| hypotenuse(&data.x, &data.y, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&data.x).arg(&data.y).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
    Pair {
        kernel: &dot::KERNEL,
        topic: "unrolling",
        twin: "dot",
        what: "dot products of length 16",
        attribute: None,
        lens: columns,
        bytes: |n| 8 * n as u64 + 4 * (n / LENGTH) as u64,
        tolerance: 0.0,
        ours: |data| dot(&data.x, &data.y, &mut data.out).over(data.n / LENGTH).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch()
                .arg(&data.x)
                .arg(&data.y)
                .arg(&mut data.out)
                .arg(len)
                .over(data.n / LENGTH)
                .block(BLOCK)
        },
    },
    Pair {
        kernel: &dot_by_two::KERNEL,
        topic: "unrolling",
        twin: "dot_by_two",
        what: "the same, unrolled by two",
        attribute: None,
        lens: columns,
        bytes: |n| 8 * n as u64 + 4 * (n / LENGTH) as u64,
        tolerance: 0.0,
        ours: |data| dot_by_two(&data.x, &data.y, &mut data.out).over(data.n / LENGTH).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch()
                .arg(&data.x)
                .arg(&data.y)
                .arg(&mut data.out)
                .arg(len)
                .over(data.n / LENGTH)
                .block(BLOCK)
        },
    },
    Pair {
        kernel: &four_taps::KERNEL,
        topic: "unrolling",
        twin: "four_taps",
        what: "weighted sum of four, a loop",
        attribute: None,
        lens: neighbours,
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| four_taps(&data.weights, &data.x, &mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch()
                .arg(&data.weights)
                .arg(&data.x)
                .arg(&mut data.out)
                .arg(len)
                .over(data.n)
                .block(BLOCK)
        },
    },
    Pair {
        kernel: &four_taps_written_out::KERNEL,
        topic: "unrolling",
        twin: "four_taps_written_out",
        what: "weighted sum of four, written out",
        attribute: None,
        lens: neighbours,
        bytes: |n| 8 * n as u64,
        // nvcc fuses the first product with the second, not the second with the first.
        tolerance: 1e-5,
        ours: |data| {
            let [w0, w1, w2, w3] = WEIGHTS;
            four_taps_written_out(w0, w1, w2, w3, &data.x, &mut data.out).over(data.n).block(BLOCK)
        },
        theirs: |twin, data| {
            let (len, [w0, w1, w2, w3]) = (data.len(), WEIGHTS);
            twin.launch()
                .arg(w0)
                .arg(w1)
                .arg(w2)
                .arg(w3)
                .arg(&data.x)
                .arg(&mut data.out)
                .arg(len)
                .over(data.n)
                .block(BLOCK)
        },
    },
    Pair {
        kernel: &horner::KERNEL,
        topic: "unrolling",
        twin: "horner",
        what: "polynomial of degree 64",
        attribute: None,
        lens: maps(0),
        bytes: |n| 8 * n as u64,
        tolerance: 0.0,
        ours: |data| horner(&mut data.out).over(data.n).block(BLOCK),
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    },
];
