//! Rows of 8,192 elements, normalised by a block each: read twice, or once and kept in registers.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// Elements of a row.
pub const WIDTH: usize = 8192;

/// The kernels, which share how a row is held.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// Vectors of a row.
    const VECTORS: usize = 2048;
    /// Vectors of each of 256 threads.
    const EACH: usize = 8;
    /// The addend that keeps divisors from 0.
    const EPSILON: f32 = 1e-5;

    /// A thread's part of the block's row: every 256th vector, so that neighbours read what lies side by side.
    #[device]
    fn load_row(x: &[F32x4]) -> [F32x4; EACH] {
        let first = block_idx().x * VECTORS + thread_idx().x;
        let mut row = [F32x4::splat(0.0); EACH];
        #[unroll]
        for k in 0..EACH {
            row[k] = x[first + k * 256];
        }
        row
    }

    #[device]
    fn store_row(row: [F32x4; EACH], out: &mut [F32x4]) {
        let first = block_idx().x * VECTORS + thread_idx().x;
        #[unroll]
        for k in 0..EACH {
            out[first + k * 256] = row[k];
        }
    }

    /// The row divided by its length, read twice.
    #[kernel(block(256))]
    pub fn l2_two_passes(x: &[f32], out: &mut [f32]) {
        const WIDTH: usize = 8192;
        let first = block_idx().x * WIDTH;
        let mut own = 0.0f32;
        for k in (thread_idx().x..WIDTH).step_by(256) {
            own += x[first + k] * x[first + k];
        }
        #[block_reduce(add)]
        let squares = own;
        let scale = 1.0 / squares.sqrt();
        for k in (thread_idx().x..WIDTH).step_by(256) {
            out[first + k] = x[first + k] * scale;
        }
    }

    /// The row divided by its length, read once: it stays in registers, 32 elements to a thread.
    #[kernel(block(256))]
    pub fn l2_registers(x: &[F32x4], out: &mut [F32x4]) {
        let mut row = load_row(x);
        let mut own = F32x4::splat(0.0);
        #[unroll]
        for value in row {
            own += value * value;
        }
        #[block_reduce(add)]
        let squares = own.sum();
        let scale = 1.0 / squares.sqrt();
        #[unroll]
        for value in row.iter_mut() {
            *value *= F32x4::splat(scale);
        }
        store_row(row, out);
    }

    /// Softmax: exponentials of the distance to the largest, as parts of their sum.
    #[kernel(block(256))]
    pub fn softmax(x: &[F32x4], out: &mut [F32x4]) {
        let mut row = load_row(x);
        let mut own = row[0];
        #[unroll]
        for value in row {
            own = own.max(value);
        }
        #[block_reduce(max)]
        let largest = own.x.max(own.y).max(own.z.max(own.w));
        let mut own = 0.0f32;
        #[unroll]
        for value in row.iter_mut() {
            *value = F32x4::new(
                fast::exp(value.x - largest),
                fast::exp(value.y - largest),
                fast::exp(value.z - largest),
                fast::exp(value.w - largest),
            );
            own += value.sum();
        }
        #[block_reduce(add)]
        let sum = own;
        let scale = 1.0 / sum;
        #[unroll]
        for value in row.iter_mut() {
            *value *= F32x4::splat(scale);
        }
        store_row(row, out);
    }

    /// Layer norm: the mean becomes 0 and the variance 1.
    #[kernel(block(256))]
    pub fn layer_norm(x: &[F32x4], out: &mut [F32x4]) {
        let mut row = load_row(x);
        let mut own = F32x4::splat(0.0);
        #[unroll]
        for value in row {
            own += value;
        }
        #[block_reduce(add)]
        let sum = own.sum();
        let mean = F32x4::splat(sum / 8192.0);
        let mut own = F32x4::splat(0.0);
        #[unroll]
        for value in row.iter_mut() {
            *value -= mean;
            own += *value * *value;
        }
        #[block_reduce(add)]
        let squares = own.sum();
        let scale = 1.0 / (squares / 8192.0 + EPSILON).sqrt();
        #[unroll]
        for value in row.iter_mut() {
            *value *= F32x4::splat(scale);
        }
        store_row(row, out);
    }

    /// RMS norm: the mean of the squares becomes 1.
    #[kernel(block(256))]
    pub fn rms_norm(x: &[F32x4], out: &mut [F32x4]) {
        let mut row = load_row(x);
        let mut own = F32x4::splat(0.0);
        #[unroll]
        for value in row {
            own += value * value;
        }
        #[block_reduce(add)]
        let squares = own.sum();
        let scale = 1.0 / (squares / 8192.0 + EPSILON).sqrt();
        #[unroll]
        for value in row.iter_mut() {
            *value *= F32x4::splat(scale);
        }
        store_row(row, out);
    }
}

use kernels::{l2_registers, l2_two_passes, layer_norm, rms_norm, softmax};

const TOPIC: &str = "intensity";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&l2_two_passes::KERNEL, TOPIC, "L2 normalisation of rows, two passes", 12, |gpu, n| {
        let rows = rows(n);
        let host: Vec<f32> = rows.concat();
        let expected = rows.par_iter().flat_map_iter(|row| l2(row)).collect();
        from_slice(gpu, &host, expected, TOLERANCE, |x, out| {
            l2_two_passes(x, out).grid(rows.len() as u32).run()
        })
    }),
    Example::new(&l2_registers::KERNEL, TOPIC, "L2 normalisation of rows, kept in registers", 8, |gpu, n| {
        run(gpu, n, l2, |blocks, x, out| l2_registers(x, out).grid(blocks).run())
    }),
    Example::new(&softmax::KERNEL, TOPIC, "softmax of rows", 8, |gpu, n| {
        run(gpu, n, softmax_of, |blocks, x, out| softmax(x, out).grid(blocks).run())
    }),
    Example::new(&layer_norm::KERNEL, TOPIC, "layer norm of rows", 8, |gpu, n| {
        run(gpu, n, layer_norm_of, |blocks, x, out| layer_norm(x, out).grid(blocks).run())
    }),
    Example::new(&rms_norm::KERNEL, TOPIC, "RMS norm of rows", 8, |gpu, n| {
        run(gpu, n, rms_norm_of, |blocks, x, out| rms_norm(x, out).grid(blocks).run())
    }),
];

/// Tolerance of sums in another order.
const TOLERANCE: f32 = 1e-5;

/// About `n` elements: as many rows as that is, and one at least.
fn rows(n: usize) -> Vec<Vec<f32>> {
    // Eighths, so that no difference from a mean cancels to nothing.
    let element = |x: f32| (x * 8.0).floor() / 4.0 - 0.875;
    (0..n.div_ceil(WIDTH))
        .map(|row| random(34 + row as u64, WIDTH).into_iter().map(element).collect())
        .collect()
}

fn run(
    gpu: &Gpu,
    n: usize,
    reference: fn(&[f32]) -> Vec<f32>,
    launch: impl FnOnce(u32, &DeviceBuffer<F32x4>, &mut DeviceBuffer<F32x4>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let rows = rows(n);
    let vectors = |row: &Vec<f32>| -> Vec<F32x4> {
        row.chunks_exact(4).map(|part| F32x4::new(part[0], part[1], part[2], part[3])).collect()
    };
    let host: Vec<F32x4> = rows.iter().flat_map(vectors).collect();
    let x = gpu.upload(&host)?;
    let mut out = gpu.zeros(host.len())?;
    let report = launch(rows.len() as u32, &x, &mut out)?;
    let output = out.to_vec()?.into_iter().flat_map(F32x4::to_array).collect();
    let expected = rows.par_iter().flat_map_iter(|row| reference(row)).collect();
    Ok(Outcome { report, output, expected, tolerance: TOLERANCE })
}

fn scaled(row: impl Iterator<Item = f64>, divisor: f64) -> Vec<f32> {
    row.map(|x| (x / divisor) as f32).collect()
}

fn wide(row: &[f32]) -> impl Iterator<Item = f64> + Clone {
    row.iter().map(|&x| f64::from(x))
}

fn mean(row: impl Iterator<Item = f64>) -> f64 {
    row.sum::<f64>() / WIDTH as f64
}

fn l2(row: &[f32]) -> Vec<f32> {
    scaled(wide(row), wide(row).map(|x| x * x).sum::<f64>().sqrt())
}

fn softmax_of(row: &[f32]) -> Vec<f32> {
    let largest = wide(row).fold(f64::NEG_INFINITY, f64::max);
    let powers = wide(row).map(move |x| (x - largest).exp());
    scaled(powers.clone(), powers.sum())
}

fn layer_norm_of(row: &[f32]) -> Vec<f32> {
    let mean_of_row = mean(wide(row));
    let apart = wide(row).map(move |x| x - mean_of_row);
    scaled(apart.clone(), (mean(apart.map(|x| x * x)) + 1e-5).sqrt())
}

fn rms_norm_of(row: &[f32]) -> Vec<f32> {
    scaled(wide(row), (mean(wide(row).map(|x| x * x)) + 1e-5).sqrt())
}
