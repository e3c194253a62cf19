//! Divergence: one threshold written several ways. Where lanes of a warp go both ways through a branch, both are run.

pub mod forces;
pub mod partition;
pub mod polygons;
pub mod queue;
pub mod staged;
pub mod uniform;

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::{Example, Outcome, random};

/// Values below the threshold become 0: a branch with a store on each side.
#[kernel]
pub fn threshold_branch(threshold: f32, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let value = x[i];
        #[branch]
        if value > threshold {
            out[i] = value;
        } else {
            out[i] = 0.0;
        }
    }
}

/// A threshold without a branch: both sides store to the same element, so one store of a selected value is left.
#[kernel]
pub fn threshold_predicate(threshold: f32, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let value = x[i];
        #[predicate]
        if value > threshold {
            out[i] = value;
        } else {
            out[i] = 0.0;
        }
    }
}

/// A threshold between two costly functions, of which a lane wants one: with a branch, a warp whose lanes agree computes one.
#[kernel]
pub fn costly_branch(threshold: f32, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let value = x[i];
        #[branch]
        if value > threshold {
            out[i] = fast::sin(value) * fast::cos(value) + (value + 1.0).sqrt();
        } else {
            out[i] = fast::exp(value) + fast::ln(value.abs() + 1.0);
        }
    }
}

/// Under predicates every lane computes both.
#[kernel]
pub fn costly_predicate(threshold: f32, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let value = x[i];
        #[predicate]
        if value > threshold {
            out[i] = fast::sin(value) * fast::cos(value) + (value + 1.0).sqrt();
        } else {
            out[i] = fast::exp(value) + fast::ln(value.abs() + 1.0);
        }
    }
}

/// The threshold with one store of a selected value: nothing is left to branch over.
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

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example {
        kernel: &threshold_branch::KERNEL,
        topic: "divergence",
        about: "threshold by a branch",
        bytes_per_element: 8,
        run: run_branch,
    },
    Example {
        kernel: &threshold_predicate::KERNEL,
        topic: "divergence",
        about: "threshold with `#[predicate]`",
        bytes_per_element: 8,
        run: run_predicate,
    },
    Example {
        kernel: &costly_branch::KERNEL,
        topic: "divergence",
        about: "two costly sides, by a branch",
        bytes_per_element: 8,
        run: run_costly_branch,
    },
    Example {
        kernel: &costly_predicate::KERNEL,
        topic: "divergence",
        about: "two costly sides with `#[predicate]`",
        bytes_per_element: 8,
        run: run_costly_predicate,
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

fn run_predicate(gpu: &Gpu, n: usize) -> Result<Outcome> {
    check(gpu, n, 0.25, |x, out| threshold_predicate(0.25, x, out).over(n).run())
}

fn run_costly_branch(gpu: &Gpu, n: usize) -> Result<Outcome> {
    check_costly(gpu, n, |x, out| costly_branch(0.0, x, out).over(n).run())
}

fn run_costly_predicate(gpu: &Gpu, n: usize) -> Result<Outcome> {
    check_costly(gpu, n, |x, out| costly_predicate(0.0, x, out).over(n).run())
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
    compare(gpu, n, 0.0, |value| if value > threshold { value } else { 0.0 }, launch)
}

fn check_costly(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // Tolerance for the error of the hardware's approximations.
    compare(gpu, n, 1e-5, costly_reference, launch)
}

/// The reference of the kernels with two costly sides, for the threshold 0.
pub(crate) fn costly_reference(value: f32) -> f32 {
    if value > 0.0 {
        value.sin() * value.cos() + (value + 1.0).sqrt()
    } else {
        value.exp() + value.abs().ln_1p()
    }
}

fn compare(
    gpu: &Gpu,
    n: usize,
    tolerance: f32,
    expected: impl Fn(f32) -> f32 + Sync,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // From −0.5 to 0.5: lanes of nearly every warp go both ways.
    let host: Vec<f32> = random(3, n).into_iter().map(|value| value - 0.5).collect();
    let x = gpu.upload(&host)?;
    let mut out = gpu.zeros(n)?;
    let report = launch(&x, &mut out)?;
    let expected = host.par_iter().map(|&value| expected(value)).collect();
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance })
}
