//! Occupancy: memory-bound kernels, whose block size the occupancy API chooses or an attribute bounds.

pub mod pressure;
pub mod tiles;

use kernel_runtime::prelude::*;

use crate::{Example, Outcome, random};

/// Multiplies every element in place.
#[kernel]
pub fn scale(factor: f32, y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] *= factor;
    }
}

/// `y = a x + y`: the block size comes from the occupancy API.
#[kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// `out = x + y`, with registers bounded so that 8 blocks of 256 threads fill an SM of 2,048 threads.
#[kernel(launch_bounds(256, 8))]
pub fn vector_add(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

/// `scale` with four consecutive elements per thread: they are read and written at once.
#[kernel(coarsen(4))]
pub fn scale_coarse(factor: f32, y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] *= factor;
    }
}

/// `vector_add` with four consecutive elements per thread.
#[kernel(launch_bounds(256, 8), coarsen(4))]
pub fn vector_add_coarse(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

/// Copies 16 bytes per thread: as fast as memory goes, what the others are compared with. A rest of up to three elements is
/// left as it is.
#[kernel]
pub fn copy_16_bytes(x: &[f32], out: &mut [f32]) {
    let i = 4 * global_idx().x;
    if i + 3 < out.len() {
        F32x4::load(x, i).store(out, i);
    }
}

/// `out = x + y`, four consecutive elements per thread, by hand: fewer threads, each with more loads in flight.
#[kernel(launch_bounds(256, 8))]
pub fn vector_add_by_four(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = 4 * global_idx().x;
    if i + 3 < out.len() {
        out[i] = x[i] + y[i];
        out[i + 1] = x[i + 1] + y[i + 1];
        out[i + 2] = x[i + 2] + y[i + 2];
        out[i + 3] = x[i + 3] + y[i + 3];
    } else {
        for j in i..out.len() {
            out[j] = x[j] + y[j];
        }
    }
}

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example {
        kernel: &scale::KERNEL,
        topic: "occupancy",
        about: "scale in place",
        bytes_per_element: 8,
        run: run_scale,
    },
    Example {
        kernel: &scale_coarse::KERNEL,
        topic: "occupancy",
        about: "scale in place, coarsen(4)",
        bytes_per_element: 8,
        run: run_scale_coarse,
    },
    Example {
        kernel: &copy_16_bytes::KERNEL,
        topic: "occupancy",
        about: "copy, 16 bytes a thread",
        bytes_per_element: 8,
        run: run_copy,
    },
    Example {
        kernel: &saxpy::KERNEL,
        topic: "occupancy",
        about: "a x + y, block size from the occupancy API",
        bytes_per_element: 12,
        run: run_saxpy,
    },
    Example {
        kernel: &vector_add::KERNEL,
        topic: "occupancy",
        about: "x + y, launch bounds 256 × 8",
        bytes_per_element: 12,
        run: run_vector_add,
    },
    Example {
        kernel: &vector_add_coarse::KERNEL,
        topic: "occupancy",
        about: "x + y, coarsen(4)",
        bytes_per_element: 12,
        run: run_vector_add_coarse,
    },
    Example {
        kernel: &vector_add_by_four::KERNEL,
        topic: "occupancy",
        about: "x + y, four elements a thread",
        bytes_per_element: 12,
        run: run_vector_add_by_four,
    },
];

fn run_scale(gpu: &Gpu, n: usize) -> Result<Outcome> {
    scaled(gpu, n, |y| scale(1.25, y).over(n).run())
}

fn run_scale_coarse(gpu: &Gpu, n: usize) -> Result<Outcome> {
    scaled(gpu, n, |y| scale_coarse(1.25, y).over(n).run())
}

fn scaled(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let data = random(1, n);
    let mut y = gpu.upload(&data)?;
    let report = launch(&mut y)?;
    let expected = data.iter().map(|y| y * 1.25).collect();
    Ok(Outcome { report, output: y.to_vec()?, expected, tolerance: 0.0 })
}

fn run_copy(gpu: &Gpu, n: usize) -> Result<Outcome> {
    let data = random(1, n);
    let x = gpu.upload(&data)?;
    let mut out = gpu.zeros(n)?;
    let report = copy_16_bytes(&x, &mut out).over(n.div_ceil(4)).run()?;
    let copied = n - n % 4;
    let expected = data.into_iter().enumerate().map(|(i, x)| if i < copied { x } else { 0.0 }).collect();
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance: 0.0 })
}

fn run_saxpy(gpu: &Gpu, n: usize) -> Result<Outcome> {
    let (host_x, host_y) = (random(1, n), random(2, n));
    let (x, mut y) = (gpu.upload(&host_x)?, gpu.upload(&host_y)?);
    let report = saxpy(2.5, &x, &mut y).over(n).run()?;
    // A product with a sum is one operation, rounded once.
    let expected = host_x.iter().zip(&host_y).map(|(&x, &y)| 2.5f32.mul_add(x, y)).collect();
    Ok(Outcome { report, output: y.to_vec()?, expected, tolerance: 0.0 })
}

fn run_vector_add(gpu: &Gpu, n: usize) -> Result<Outcome> {
    add(gpu, n, |x, y, out| vector_add(x, y, out).over(n).run())
}

fn run_vector_add_coarse(gpu: &Gpu, n: usize) -> Result<Outcome> {
    add(gpu, n, |x, y, out| vector_add_coarse(x, y, out).over(n).run())
}

fn run_vector_add_by_four(gpu: &Gpu, n: usize) -> Result<Outcome> {
    add(gpu, n, |x, y, out| vector_add_by_four(x, y, out).over(n.div_ceil(4)).run())
}

fn add(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let (host_x, host_y) = (random(1, n), random(2, n));
    let (x, y) = (gpu.upload(&host_x)?, gpu.upload(&host_y)?);
    let mut out = gpu.zeros(n)?;
    let report = launch(&x, &y, &mut out)?;
    let expected = host_x.iter().zip(&host_y).map(|(x, y)| x + y).collect();
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance: 0.0 })
}
