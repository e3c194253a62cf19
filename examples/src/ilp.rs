//! Instruction-level parallelism: work that waits for itself, and the same work in independent chains.

pub mod latency;
pub mod peak;

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::warp::BLOCKS;
use crate::{Example, Outcome, random};

/// The sum of every thread's elements with one accumulator: each addition waits for its load, and for the addition before.
/// Without the attribute the loop would be unrolled, and the loads of several iterations be in flight together.
#[kernel(block(256))]
pub fn sum_one(x: &[f32], sums: &mut [f32]) {
    let thread = global_idx().x;
    let mut sum = 0.0f32;
    let mut i = thread;
    #[unroll(1)]
    while i < x.len() {
        sum += x[i];
        i += global_size().x;
    }
    sums[thread] = sum;
}

/// The sum with four accumulators, by hand: four loads and additions in flight.
#[kernel(block(256))]
pub fn sum_four(x: &[f32], sums: &mut [f32]) {
    let thread = global_idx().x;
    let stride = global_size().x;
    let mut a = 0.0f32;
    let mut b = 0.0f32;
    let mut c = 0.0f32;
    let mut d = 0.0f32;
    let mut i = thread;
    while i + 3 * stride < x.len() {
        a += x[i];
        b += x[i + stride];
        c += x[i + 2 * stride];
        d += x[i + 3 * stride];
        i += 4 * stride;
    }
    while i < x.len() {
        a += x[i];
        i += stride;
    }
    sums[thread] = (a + b) + (c + d);
}

/// The sum in four chains by an attribute: the loop stays as it is in [`fn@sum_one`].
#[kernel(block(256))]
pub fn sum_ilp(x: &[f32], sums: &mut [f32]) {
    let thread = global_idx().x;
    let mut sum = 0.0f32;
    let mut i = thread;
    #[ilp(4)]
    while i < x.len() {
        sum += x[i];
        i += global_size().x;
    }
    sums[thread] = sum;
}

/// The sum again, each element loaded two iterations before it is added.
#[kernel(block(256))]
pub fn sum_ahead(x: &[f32], sums: &mut [f32]) {
    let thread = global_idx().x;
    let mut sum = 0.0f32;
    let mut i = thread;
    #[prefetch(2)]
    while i < x.len() {
        sum += x[i];
        i += global_size().x;
    }
    sums[thread] = sum;
}

/// 64 multiply-adds in one chain: each waits for the one before.
#[kernel]
pub fn chain_dependent(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let mut a = x[i];
        for _ in 0..64 {
            a = a * 0.75 + 0.125;
        }
        out[i] = a;
    }
}

/// 64 multiply-adds in four chains of 16, which do not wait for each other.
#[kernel]
pub fn chain_independent(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let mut a = x[i];
        let mut b = a + 1.0;
        let mut c = a + 2.0;
        let mut d = a + 3.0;
        for _ in 0..16 {
            a = a * 0.75 + 0.125;
            b = b * 0.75 + 0.125;
            c = c * 0.75 + 0.125;
            d = d * 0.75 + 0.125;
        }
        out[i] = (a + b) + (c + d);
    }
}

/// sqrt(x² + y²): two products that do not wait for each other, then a long square root.
#[kernel]
pub fn hypotenuse(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let a = x[i];
        let b = y[i];
        out[i] = a.mul_add(a, b * b).sqrt();
    }
}

/// Multiply-adds that [`fn@sweep`] does with each element.
pub const SWEEP_STEPS: usize = 32;

/// A chain of multiply-adds for each of `UNROLL` elements of a thread, a grid's width apart: the chains do not wait for each
/// other, nor do the loads. More of them hide more latency and take more registers; how that pays against more threads,
/// the block size among it, only the device knows.
#[kernel(tune(UNROLL = [1, 2, 4, 8], block = [64, 128, 256], per_thread = UNROLL))]
pub fn sweep<const UNROLL: usize>(x: &[f32], out: &mut [f32]) {
    const STEPS: usize = 32;
    let thread = global_idx().x;
    let stride = global_size().x;
    let mut values = [0.0f32; UNROLL];
    #[unroll]
    for (k, value) in values.iter_mut().enumerate() {
        let i = thread + k * stride;
        if i < x.len() {
            *value = x[i];
        }
    }
    for _ in 0..STEPS {
        #[unroll]
        for value in values.iter_mut() {
            *value = *value * 0.75 + 0.125;
        }
    }
    #[unroll]
    for (k, value) in values.into_iter().enumerate() {
        let i = thread + k * stride;
        if i < out.len() {
            out[i] = value;
        }
    }
}

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example {
        kernel: &sum_one::KERNEL,
        topic: "ilp",
        about: "grid-stride sum, one accumulator",
        bytes_per_element: 4,
        run: run_sum_one,
    },
    Example {
        kernel: &sum_four::KERNEL,
        topic: "ilp",
        about: "grid-stride sum, four accumulators",
        bytes_per_element: 4,
        run: run_sum_four,
    },
    Example {
        kernel: &sum_ilp::KERNEL,
        topic: "ilp",
        about: "grid-stride sum, #[ilp(4)]",
        bytes_per_element: 4,
        run: run_sum_ilp,
    },
    Example {
        kernel: &sum_ahead::KERNEL,
        topic: "ilp",
        about: "grid-stride sum, #[prefetch(2)]",
        bytes_per_element: 4,
        run: run_sum_ahead,
    },
    Example {
        kernel: &chain_dependent::KERNEL,
        topic: "ilp",
        about: "64 dependent multiply-adds",
        bytes_per_element: 8,
        run: run_dependent,
    },
    Example {
        kernel: &chain_independent::KERNEL,
        topic: "ilp",
        about: "64 multiply-adds in four chains",
        bytes_per_element: 8,
        run: run_independent,
    },
    Example {
        kernel: &hypotenuse::KERNEL,
        topic: "ilp",
        about: "sqrt(x² + y²)",
        bytes_per_element: 12,
        run: run_hypotenuse,
    },
    Example {
        kernel: sweep::kernel::<4>(),
        topic: "ilp",
        about: "32 multiply-adds, block size and unrolling tuned",
        bytes_per_element: 8,
        run: run_sweep,
    },
];

fn run_sum_one(gpu: &Gpu, n: usize) -> Result<Outcome> {
    sum(gpu, n, |x, sums| sum_one(x, sums).grid(BLOCKS).run())
}

fn run_sum_four(gpu: &Gpu, n: usize) -> Result<Outcome> {
    sum(gpu, n, |x, sums| sum_four(x, sums).grid(BLOCKS).run())
}

fn run_sum_ilp(gpu: &Gpu, n: usize) -> Result<Outcome> {
    sum(gpu, n, |x, sums| sum_ilp(x, sums).grid(BLOCKS).run())
}

fn run_sum_ahead(gpu: &Gpu, n: usize) -> Result<Outcome> {
    sum(gpu, n, |x, sums| sum_ahead(x, sums).grid(BLOCKS).run())
}

fn sum(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(5, n);
    let threads = 256 * BLOCKS as usize;
    let x = gpu.upload(&host)?;
    let mut sums = gpu.zeros(threads)?;
    let report = launch(&x, &mut sums)?;
    let of_thread =
        |thread: usize| host.iter().skip(thread).step_by(threads).map(|&x| f64::from(x)).sum::<f64>();
    let expected = (0..threads).into_par_iter().map(|thread| of_thread(thread) as f32).collect();
    Ok(Outcome { report, output: sums.to_vec()?, expected, tolerance: 1e-5 })
}

fn run_dependent(gpu: &Gpu, n: usize) -> Result<Outcome> {
    each(gpu, n, |x| chain(x, 64), |x, out| chain_dependent(x, out).over(n).run())
}

fn run_independent(gpu: &Gpu, n: usize) -> Result<Outcome> {
    let reference = |x: f32| {
        let [a, b, c, d] = [x, x + 1.0, x + 2.0, x + 3.0].map(|start| chain(start, 16));
        (a + b) + (c + d)
    };
    each(gpu, n, reference, |x, out| chain_independent(x, out).over(n).run())
}

fn run_sweep(gpu: &Gpu, n: usize) -> Result<Outcome> {
    each(gpu, n, |x| chain(x, SWEEP_STEPS), |x, out| sweep(x, out).over(n).run())
}

fn chain(start: f32, steps: usize) -> f32 {
    (0..steps).fold(start, |a, _| a.mul_add(0.75, 0.125))
}

fn each(
    gpu: &Gpu,
    n: usize,
    reference: impl Fn(f32) -> f32 + Sync,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(6, n);
    let x = gpu.upload(&host)?;
    let mut out = gpu.zeros(n)?;
    let report = launch(&x, &mut out)?;
    let expected = host.into_par_iter().map(&reference).collect();
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance: 0.0 })
}

fn run_hypotenuse(gpu: &Gpu, n: usize) -> Result<Outcome> {
    let (host_x, host_y) = (random(7, n), random(8, n));
    let (x, y) = (gpu.upload(&host_x)?, gpu.upload(&host_y)?);
    let mut out = gpu.zeros(n)?;
    let report = hypotenuse(&x, &y, &mut out).over(n).run()?;
    let expected = host_x.par_iter().zip(&host_y).map(|(&x, &y)| x.mul_add(x, y * y).sqrt()).collect();
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance: 0.0 })
}
