//! Sums: each thread strides over the grid, then a block adds up: through shared memory, through shuffles, or by an attribute.

pub mod kinds;
pub mod votes;

use kernel_runtime::prelude::*;

use crate::{Example, Outcome, random};

/// One block per SM of an H200. Fixed, so that every device adds in the same order.
pub const BLOCKS: u32 = 132;

/// Sums of blocks by halving in shared memory: a barrier for every step.
#[kernel(block(256))]
pub fn sum_shared(x: &[f32], sums: &mut [f32]) {
    let mut tile = shared::<[f32; 256]>();
    let mut sum = 0.0f32;
    let mut i = global_idx().x;
    while i < x.len() {
        sum += x[i];
        i += global_size().x;
    }
    let thread = thread_idx().x;
    tile[thread] = sum;
    barrier();
    let mut half = 128;
    while half > 0 {
        if thread < half {
            tile[thread] += tile[thread + half];
        }
        barrier();
        half /= 2;
    }
    if thread == 0 {
        sums[block_idx().x] = tile[0];
    }
}

/// Sums of blocks by shuffles: lanes of a warp add without shared memory, and one barrier joins the warps.
#[kernel(block(256))]
pub fn sum_shuffles(x: &[f32], sums: &mut [f32]) {
    let mut of_warps = shared::<[f32; 8]>();
    let mut sum = 0.0f32;
    let mut i = global_idx().x;
    while i < x.len() {
        sum += x[i];
        i += global_size().x;
    }
    let mut distance = 16u32;
    while distance > 0 {
        sum += warp::shfl_down(sum, distance);
        distance /= 2;
    }
    let lane = warp::lane_id();
    if lane == 0 {
        of_warps[warp::warp_id()] = sum;
    }
    barrier();
    if warp::warp_id() == 0 {
        let mut total = if lane < 8 { of_warps[lane] } else { 0.0 };
        let mut distance = 4u32;
        while distance > 0 {
            total += warp::shfl_down(total, distance);
            distance /= 2;
        }
        if lane == 0 {
            sums[block_idx().x] = total;
        }
    }
}

/// Sums of blocks by those of their warps.
#[kernel(block(256))]
pub fn sum_warps(x: &[f32], sums: &mut [f32]) {
    let mut of_warps = shared::<[f32; 8]>();
    let mut sum = 0.0f32;
    let mut i = global_idx().x;
    while i < x.len() {
        sum += x[i];
        i += global_size().x;
    }
    #[warp_reduce(add)]
    let of_warp = sum;
    let lane = warp::lane_id();
    if lane == 0 {
        of_warps[warp::warp_id()] = of_warp;
    }
    barrier();
    if warp::warp_id() == 0 {
        #[warp_reduce(add, width = 8)]
        let total = if lane < 8 { of_warps[lane] } else { 0.0 };
        if lane == 0 {
            sums[block_idx().x] = total;
        }
    }
}

/// Sums of blocks: all of the above in one line.
#[kernel(block(256))]
pub fn sum_block(x: &[f32], sums: &mut [f32]) {
    let mut sum = 0.0f32;
    let mut i = global_idx().x;
    while i < x.len() {
        sum += x[i];
        i += global_size().x;
    }
    #[block_reduce(add)]
    let total = sum;
    if thread_idx().x == 0 {
        sums[block_idx().x] = total;
    }
}

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example {
        kernel: &sum_shared::KERNEL,
        topic: "warp",
        about: "sum through shared memory",
        bytes_per_element: 4,
        run: run_shared,
    },
    Example {
        kernel: &sum_shuffles::KERNEL,
        topic: "warp",
        about: "sum through shuffles",
        bytes_per_element: 4,
        run: run_shuffles,
    },
    Example {
        kernel: &sum_warps::KERNEL,
        topic: "warp",
        about: "sum by `#[warp_reduce(add)]`",
        bytes_per_element: 4,
        run: run_warps,
    },
    Example {
        kernel: &sum_block::KERNEL,
        topic: "warp",
        about: "sum by `#[block_reduce(add)]`",
        bytes_per_element: 4,
        run: run_block,
    },
];

fn run_shared(gpu: &Gpu, n: usize) -> Result<Outcome> {
    sum(gpu, n, |x, sums| sum_shared(x, sums).grid(BLOCKS).run())
}

fn run_shuffles(gpu: &Gpu, n: usize) -> Result<Outcome> {
    sum(gpu, n, |x, sums| sum_shuffles(x, sums).grid(BLOCKS).run())
}

fn run_warps(gpu: &Gpu, n: usize) -> Result<Outcome> {
    sum(gpu, n, |x, sums| sum_warps(x, sums).grid(BLOCKS).run())
}

fn run_block(gpu: &Gpu, n: usize) -> Result<Outcome> {
    sum(gpu, n, |x, sums| sum_block(x, sums).grid(BLOCKS).run())
}

fn sum(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(4, n);
    let x = gpu.upload(&host)?;
    let mut sums = gpu.zeros(BLOCKS as usize)?;
    let report = launch(&x, &mut sums)?;
    // A block takes the elements whose index, in blocks of 256, is its own, and then every `BLOCKS`th.
    let mut expected = vec![0.0f64; BLOCKS as usize];
    for (block, elements) in host.chunks(256).enumerate() {
        expected[block % BLOCKS as usize] += elements.iter().map(|&x| f64::from(x)).sum::<f64>();
    }
    let expected = expected.into_iter().map(|sum| sum as f32).collect();
    Ok(Outcome { report, output: sums.to_vec()?, expected, tolerance: 1e-5 })
}
