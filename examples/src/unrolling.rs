//! Unrolling: short loops, and the same written out.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::{Example, Outcome, random};

/// Length of the vectors whose products [`fn@dot`] computes.
pub const LENGTH: usize = 16;

/// Dot products of columns of two matrices with 16 rows, one column per thread.
#[kernel]
pub fn dot(x: &[f32], y: &[f32], out: &mut [f32]) {
    const ROWS: usize = 16;
    let column = global_idx().x;
    let columns = out.len();
    if column < columns {
        let mut sum = 0.0f32;
        for row in 0..ROWS {
            let i = row * columns + column;
            sum += x[i] * y[i];
        }
        out[column] = sum;
    }
}

/// Dot products, unrolled by two by hand: half the comparisons and jumps, the order of additions kept.
#[kernel]
pub fn dot_by_two(x: &[f32], y: &[f32], out: &mut [f32]) {
    const ROWS: usize = 16;
    let column = global_idx().x;
    let columns = out.len();
    if column < columns {
        let mut sum = 0.0f32;
        for half in 0..ROWS / 2 {
            let i = 2 * half * columns + column;
            let j = i + columns;
            sum += x[i] * y[i];
            sum += x[j] * y[j];
        }
        out[column] = sum;
    }
}

/// Dot products, unrolled by two by an attribute.
#[kernel]
pub fn dot_unroll_two(x: &[f32], y: &[f32], out: &mut [f32]) {
    const ROWS: usize = 16;
    let column = global_idx().x;
    let columns = out.len();
    if column < columns {
        let mut sum = 0.0f32;
        #[unroll(2)]
        for row in 0..ROWS {
            let i = row * columns + column;
            sum += x[i] * y[i];
        }
        out[column] = sum;
    }
}

/// Dot products, fully unrolled: neither comparisons nor jumps.
#[kernel]
pub fn dot_unrolled(x: &[f32], y: &[f32], out: &mut [f32]) {
    const ROWS: usize = 16;
    let column = global_idx().x;
    let columns = out.len();
    if column < columns {
        let mut sum = 0.0f32;
        #[unroll]
        for row in 0..ROWS {
            let i = row * columns + column;
            sum += x[i] * y[i];
        }
        out[column] = sum;
    }
}

/// Sums of four neighbours with weights, in a loop.
#[kernel]
pub fn four_taps(weights: &[f32], x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let mut sum = 0.0f32;
        for tap in 0..4 {
            sum += weights[tap] * x[i + tap];
        }
        out[i] = sum;
    }
}

/// Sums of four neighbours, fully unrolled by an attribute.
#[kernel]
pub fn four_taps_unrolled(weights: &[f32], x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let mut sum = 0.0f32;
        #[unroll]
        for tap in 0..4 {
            sum += weights[tap] * x[i + tap];
        }
        out[i] = sum;
    }
}

/// Sums of four neighbours, written out, with the weights as parameters.
#[kernel]
pub fn four_taps_written_out(w0: f32, w1: f32, w2: f32, w3: f32, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let mut sum = w0 * x[i];
        sum += w1 * x[i + 1];
        sum += w2 * x[i + 2];
        sum += w3 * x[i + 3];
        out[i] = sum;
    }
}

/// A polynomial of degree 64 by Horner's rule, 1 + x/2 + x²/3 + …, unrolled whole: each coefficient is a constant of an
/// instruction.
#[kernel]
pub fn horner(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        let at = x[i];
        let mut value = 0.0f32;
        #[unroll]
        for k in (0..65).rev() {
            value = value * at + 1.0 / (k as f32 + 1.0);
        }
        x[i] = value;
    }
}

/// The polynomial with the coefficients in an array.
#[kernel]
pub fn horner_of_array(x: &mut [f32]) {
    const C: [f32; 65] = {
        let mut c = [0.0; 65];
        let mut k = 0;
        while k < 65 {
            c[k] = 1.0 / (k as f32 + 1.0);
            k += 1;
        }
        c
    };
    let i = global_idx().x;
    if i < x.len() {
        let at = x[i];
        let mut value = C[64];
        #[unroll]
        for k in (0..64).rev() {
            value = value * at + C[k];
        }
        x[i] = value;
    }
}

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example {
        kernel: &dot::KERNEL,
        topic: "unrolling",
        about: "dot products of length 16, a loop",
        bytes_per_element: 8,
        run: run_dot,
    },
    Example {
        kernel: &dot_by_two::KERNEL,
        topic: "unrolling",
        about: "dot products, unrolled by two",
        bytes_per_element: 8,
        run: run_dot_by_two,
    },
    Example::new(&dot_unroll_two::KERNEL, "unrolling", "dot products, #[unroll(2)]", 8, |gpu, n| {
        products(gpu, n / LENGTH, |x, y, out| dot_unroll_two(x, y, out).over(n / LENGTH).run())
    }),
    Example::new(&dot_unrolled::KERNEL, "unrolling", "dot products, #[unroll]", 8, |gpu, n| {
        products(gpu, n / LENGTH, |x, y, out| dot_unrolled(x, y, out).over(n / LENGTH).run())
    }),
    Example::new(&four_taps_unrolled::KERNEL, "unrolling", "weighted sum of four, #[unroll]", 8, |gpu, n| {
        let weights = gpu.upload(&WEIGHTS)?;
        taps(gpu, n, |x, out| four_taps_unrolled(&weights, x, out).over(n).run())
    }),
    Example {
        kernel: &four_taps::KERNEL,
        topic: "unrolling",
        about: "weighted sum of four, a loop",
        bytes_per_element: 8,
        run: run_four_taps,
    },
    Example {
        kernel: &four_taps_written_out::KERNEL,
        topic: "unrolling",
        about: "weighted sum of four, written out",
        bytes_per_element: 8,
        run: run_four_taps_written_out,
    },
    Example {
        kernel: &horner::KERNEL,
        topic: "unrolling",
        about: "polynomial of degree 64, unrolled whole",
        bytes_per_element: 8,
        run: |gpu, n| polynomial(gpu, n, |x| horner(x).over(n).run()),
    },
    Example::new(
        &horner_of_array::KERNEL,
        "unrolling",
        "polynomial of degree 64, coefficients in an array",
        8,
        |gpu, n| polynomial(gpu, n, |x| horner_of_array(x).over(n).run()),
    ),
];

fn run_dot(gpu: &Gpu, n: usize) -> Result<Outcome> {
    products(gpu, n / LENGTH, |x, y, out| dot(x, y, out).over(n / LENGTH).run())
}

fn run_dot_by_two(gpu: &Gpu, n: usize) -> Result<Outcome> {
    products(gpu, n / LENGTH, |x, y, out| dot_by_two(x, y, out).over(n / LENGTH).run())
}

fn products(
    gpu: &Gpu,
    columns: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let (host_x, host_y) = (random(9, LENGTH * columns), random(10, LENGTH * columns));
    let (x, y) = (gpu.upload(&host_x)?, gpu.upload(&host_y)?);
    let mut out = gpu.zeros(columns)?;
    let report = launch(&x, &y, &mut out)?;
    let product = |column: usize| {
        let indices = (0..LENGTH).map(|row| row * columns + column);
        indices.fold(0.0f32, |sum, i| host_x[i].mul_add(host_y[i], sum))
    };
    let expected = (0..columns).into_par_iter().map(product).collect();
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance: 0.0 })
}

const WEIGHTS: [f32; 4] = [0.1, 0.4, 0.3, 0.2];

fn run_four_taps(gpu: &Gpu, n: usize) -> Result<Outcome> {
    let weights = gpu.upload(&WEIGHTS)?;
    taps(gpu, n, |x, out| four_taps(&weights, x, out).over(n).run())
}

fn run_four_taps_written_out(gpu: &Gpu, n: usize) -> Result<Outcome> {
    let [w0, w1, w2, w3] = WEIGHTS;
    taps(gpu, n, |x, out| four_taps_written_out(w0, w1, w2, w3, x, out).over(n).run())
}

fn taps(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(11, n + WEIGHTS.len() - 1);
    let x = gpu.upload(&host)?;
    let mut out = gpu.zeros(n)?;
    let report = launch(&x, &mut out)?;
    // The first product plus 0 is itself, so both ways of writing it round equally.
    let weigh =
        |taps: &[f32]| taps.iter().zip(WEIGHTS).fold(0.0f32, |sum, (&x, weight)| weight.mul_add(x, sum));
    let expected = host.par_windows(WEIGHTS.len()).map(weigh).collect();
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance: 0.0 })
}

fn polynomial(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(12, n);
    let mut x = gpu.upload(&host)?;
    let report = launch(&mut x)?;
    let value = |at: f32| (0..65).rev().fold(0.0f32, |sum, k| sum.mul_add(at, 1.0 / (k as f32 + 1.0)));
    let expected = host.into_par_iter().map(value).collect();
    Ok(Outcome { report, output: x.to_vec()?, expected, tolerance: 0.0 })
}
