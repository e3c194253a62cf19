//! Divergence: one threshold written three ways. Where lanes of a warp go both ways through a branch, both are run.

use kernel_runtime::prelude::*;

use crate::{Example, Outcome, random};

/// Values below the threshold become 0: a branch with a store on each side.
#[kernel]
pub fn threshold_branch(threshold: f32, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let value = x[i];
        if value > threshold {
            out[i] = value;
        } else {
            out[i] = 0.0;
        }
    }
}

/// The same with one store of a selected value: nothing is left to branch over.
#[kernel]
pub fn threshold_select(threshold: f32, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let value = x[i];
        out[i] = if value > threshold { value } else { 0.0 };
    }
}

/// The branch with four consecutive elements per thread: the values of both sides are selected, and stored at once.
#[kernel(coarsen(4))]
pub fn threshold_coarse(threshold: f32, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let value = x[i];
        if value > threshold {
            out[i] = value;
        } else {
            out[i] = 0.0;
        }
    }
}

/// For the threshold 0 the maximum does it: one instruction.
#[kernel]
pub fn threshold_max(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = x[i].max(0.0);
    }
}

/// How each is run.
pub static EXAMPLES: &[Example] = &[
    Example {
        kernel: &threshold_branch::KERNEL,
        topic: "divergence",
        about: "threshold by a branch",
        bytes_per_element: 8,
        run: run_branch,
    },
    Example {
        kernel: &threshold_select::KERNEL,
        topic: "divergence",
        about: "threshold by a selection",
        bytes_per_element: 8,
        run: run_select,
    },
    Example {
        kernel: &threshold_coarse::KERNEL,
        topic: "divergence",
        about: "threshold by a branch, coarsen(4)",
        bytes_per_element: 8,
        run: run_coarse,
    },
    Example {
        kernel: &threshold_max::KERNEL,
        topic: "divergence",
        about: "threshold by a maximum",
        bytes_per_element: 8,
        run: run_max,
    },
];

fn run_branch(gpu: &Gpu, n: usize) -> Result<Outcome> {
    check(gpu, n, 0.25, |x, out| threshold_branch(0.25, x, out).over(n).run())
}

fn run_select(gpu: &Gpu, n: usize) -> Result<Outcome> {
    check(gpu, n, 0.25, |x, out| threshold_select(0.25, x, out).over(n).run())
}

fn run_coarse(gpu: &Gpu, n: usize) -> Result<Outcome> {
    check(gpu, n, 0.25, |x, out| threshold_coarse(0.25, x, out).over(n).run())
}

fn run_max(gpu: &Gpu, n: usize) -> Result<Outcome> {
    check(gpu, n, 0.0, |x, out| threshold_max(x, out).over(n).run())
}

fn check(
    gpu: &Gpu,
    n: usize,
    threshold: f32,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // From −0.5 to 0.5: lanes of nearly every warp go both ways.
    let host: Vec<f32> = random(3, n).into_iter().map(|value| value - 0.5).collect();
    let x = gpu.upload(&host)?;
    let mut out = gpu.zeros(n)?;
    let report = launch(&x, &mut out)?;
    let expected = host.iter().map(|&value| if value > threshold { value } else { 0.0 }).collect();
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance: 0.0 })
}
