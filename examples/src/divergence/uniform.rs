//! Uniform and divergent branches: one that follows the warp costs nothing, one that follows the lane costs both sides. And votes, which
//! let a warp skip what none of its lanes wants.

// Even and odd are what the kernels are about.
#![allow(clippy::manual_is_multiple_of)]

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// A branch that is uniform in each warp: every second warp takes it.
#[kernel(block(256))]
pub fn branch_by_warp(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        #[branch]
        if thread_idx().x / 32 % 2 == 0 {
            out[i] = (x[i] + 1.0).sqrt() / (x[i] + 2.0);
        } else {
            out[i] = (x[i] + 3.0).recip() * x[i] + 0.5;
        }
    }
}

/// A divergent branch: every second lane takes it, so each warp runs both sides.
#[kernel(block(256))]
pub fn branch_by_lane(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        #[branch]
        if thread_idx().x % 2 == 0 {
            out[i] = (x[i] + 1.0).sqrt() / (x[i] + 2.0);
        } else {
            out[i] = (x[i] + 3.0).recip() * x[i] + 0.5;
        }
    }
}

/// A costly side that one element in 256 wants, computed by all under a predicate.
#[kernel(block(256))]
pub fn rare_predicated(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        let value = x[i];
        let mut result = 0.0f32;
        #[predicate]
        if value >= 0.99609375 {
            result = fast::exp(value) + fast::sin(value) * fast::cos(value) + (value + 1.0).sqrt();
        }
        out[i] = result;
    }
}

/// The costly side after a vote: a warp computes it if one of its lanes wants it. Tiles go through shared memory, four to a block.
#[kernel(block(256))]
pub fn rare_voted(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 256]>();
    let thread = thread_idx().x;
    for k in 0..4 {
        let i = (4 * block_idx().x + k) * 256 + thread;
        tile[thread] = if i < x.len() { x[i] } else { 0.0 };
        barrier();
        // Each warp reads what another one has loaded.
        let mirrored = (4 * block_idx().x + k) * 256 + 255 - thread;
        let value = tile[255 - thread];
        let mut result = 0.0f32;
        if warp::any(value >= 0.99609375) {
            #[predicate]
            if value >= 0.99609375 {
                result = fast::exp(value) + fast::sin(value) * fast::cos(value) + (value + 1.0).sqrt();
            }
        }
        if mirrored < out.len() {
            out[mirrored] = result;
        }
        barrier();
    }
}

const TOPIC: &str = "divergence";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&branch_by_warp::KERNEL, TOPIC, "two sides, by the warp", 8, |gpu, n| {
        let side = |i: usize| i / 32 % 2 == 0;
        turns(gpu, n, side, |x, out| branch_by_warp(x, out).over(n).run())
    }),
    Example::new(&branch_by_lane::KERNEL, TOPIC, "two sides, by the lane", 8, |gpu, n| {
        let side = |i: usize| i % 2 == 0;
        turns(gpu, n, side, |x, out| branch_by_lane(x, out).over(n).run())
    }),
    Example::new(&rare_predicated::KERNEL, TOPIC, "a rare costly side, predicated", 8, |gpu, n| {
        rare(gpu, n, |x, out| rare_predicated(x, out).over(n).run())
    }),
    Example::new(&rare_voted::KERNEL, TOPIC, "a rare costly side, after a vote of the warp", 8, |gpu, n| {
        rare(gpu, n, |x, out| rare_voted(x, out).grid(n.div_ceil(1024) as u32).run())
    }),
];

fn turns(
    gpu: &Gpu,
    n: usize,
    takes_first: impl Fn(usize) -> bool + Sync,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(20, n);
    let value = |(i, &x): (usize, &f32)| {
        if takes_first(i) { (x + 1.0).sqrt() / (x + 2.0) } else { (x + 3.0).recip().mul_add(x, 0.5) }
    };
    let expected = host.par_iter().enumerate().map(value).collect();
    from_slice(gpu, &host, expected, 0.0, launch)
}

pub(super) fn rare(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let costly = |x: f32| x.exp() + x.sin() * x.cos() + (x + 1.0).sqrt();
    let reference = |x: f32| if x >= 0.99609375 { costly(x) } else { 0.0 };
    crate::runs::each(gpu, &random(21, n), 1e-5, reference, launch)
}
