//! Bytes that need not move: two kernels made one, and what is computed again instead of loaded.

use kernel_runtime::prelude::*;

use crate::runs::{each, each_of_two, together};
use crate::{Example, random};

/// The sine: the first of two kernels, between which everything goes through memory.
#[kernel]
pub fn sines(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        out[i] = x[i].sin();
    }
}

/// The square root: the second.
#[kernel]
pub fn roots(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] = x[i].sqrt();
    }
}

/// Both at once: half the bytes.
#[kernel]
pub fn sine_roots(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        out[i] = x[i].sin().sqrt();
    }
}

/// `x² + x` with squares that somebody has stored.
#[kernel]
pub fn squares_loaded(x: &[f32], squares: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = squares[i] + x[i];
    }
}

/// `x² + x` with squares that are recomputed: an instruction instead of four bytes.
#[kernel]
pub fn squares_again(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        out[i] = x[i] * x[i] + x[i];
    }
}

const TOPIC: &str = "intensity";

/// Kernels that belong to the run of another.
pub static PARTS: &[&kernel_runtime::Kernel] = &[&sines::KERNEL];

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&roots::KERNEL, TOPIC, "√sin x, two kernels", 16, |gpu, n| {
        each(gpu, &random(32, n), 2e-7, root_of_sine, |x, out| {
            Ok(together([sines(x, &mut *out).over(n).run()?, roots(out).over(n).run()?]))
        })
    }),
    Example::new(&sine_roots::KERNEL, TOPIC, "√sin x, one kernel", 8, |gpu, n| {
        each(gpu, &random(32, n), 2e-7, root_of_sine, |x, out| sine_roots(x, out).over(n).run())
    }),
    Example::new(&squares_loaded::KERNEL, TOPIC, "x² + x, squares loaded", 12, |gpu, n| {
        let x = random(33, n);
        let squares: Vec<f32> = x.iter().map(|x| x * x).collect();
        each_of_two(
            gpu,
            [&x, &squares],
            0.0,
            |x, squared| squared + x,
            |x, squares, out| squares_loaded(x, squares, out).over(n).run(),
        )
    }),
    Example::new(&squares_again::KERNEL, TOPIC, "x² + x, squares computed again", 8, |gpu, n| {
        each(gpu, &random(33, n), 0.0, |x| x.mul_add(x, x), |x, out| squares_again(x, out).over(n).run())
    }),
];

fn root_of_sine(x: f32) -> f32 {
    f64::from(x).sin().sqrt() as f32
}
