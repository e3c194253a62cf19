//! exp, sin and ln: within a unit of the last place, or by the hardware's approximations.

use kernel_runtime::prelude::*;

use crate::runs::each;
use crate::{Example, Outcome, random};

/// The library's exponential.
#[kernel]
pub fn exp_accurate(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        out[i] = x[i].exp();
    }
}

/// The hardware's.
#[kernel]
pub fn exp_fast(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        out[i] = fast::exp(x[i]);
    }
}

/// The library's sine.
#[kernel]
pub fn sin_accurate(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        out[i] = x[i].sin();
    }
}

/// The hardware's.
#[kernel]
pub fn sin_fast(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        out[i] = fast::sin(x[i]);
    }
}

/// The library's logarithm.
#[kernel]
pub fn ln_accurate(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        out[i] = x[i].ln();
    }
}

/// The hardware's.
#[kernel]
pub fn ln_fast(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        out[i] = fast::ln(x[i]);
    }
}

const TOPIC: &str = "instructions";

/// Runs of the kernels, over numbers from 0.25 to 0.75.
pub static EXAMPLES: &[Example] = &[
    Example::new(&exp_accurate::KERNEL, TOPIC, "exp", 8, |gpu, n| {
        run(gpu, n, 2e-7, f64::exp, |x, out| exp_accurate(x, out).over(n).run())
    }),
    Example::new(&exp_fast::KERNEL, TOPIC, "fast::exp", 8, |gpu, n| {
        run(gpu, n, 2e-6, f64::exp, |x, out| exp_fast(x, out).over(n).run())
    }),
    Example::new(&sin_accurate::KERNEL, TOPIC, "sin", 8, |gpu, n| {
        run(gpu, n, 2e-7, f64::sin, |x, out| sin_accurate(x, out).over(n).run())
    }),
    Example::new(&sin_fast::KERNEL, TOPIC, "fast::sin", 8, |gpu, n| {
        run(gpu, n, 4e-6, f64::sin, |x, out| sin_fast(x, out).over(n).run())
    }),
    Example::new(&ln_accurate::KERNEL, TOPIC, "ln", 8, |gpu, n| {
        run(gpu, n, 2e-7, f64::ln, |x, out| ln_accurate(x, out).over(n).run())
    }),
    Example::new(&ln_fast::KERNEL, TOPIC, "fast::ln", 8, |gpu, n| {
        run(gpu, n, 2e-6, f64::ln, |x, out| ln_fast(x, out).over(n).run())
    }),
];

fn run(
    gpu: &Gpu,
    n: usize,
    tolerance: f32,
    reference: fn(f64) -> f64,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host: Vec<f32> = random(30, n).into_iter().map(|x| 0.25 + 0.5 * x).collect();
    each(gpu, &host, tolerance, |x| reference(x.into()) as f32, launch)
}

/// The largest error of a run in units of the last place of what was expected.
pub fn largest_ulps(outcome: &Outcome) -> u32 {
    let distance = |(found, wanted): (&f32, &f32)| {
        found.to_bits().cast_signed().wrapping_sub(wanted.to_bits().cast_signed()).unsigned_abs()
    };
    outcome.output.iter().zip(&outcome.expected).map(distance).max().unwrap_or(0)
}
