//! `y = a x + y`: a kernel, its launch, and what the device says of it, in one file that can be copied.
//!
//! `cargo run --release -p examples --example saxpy`. In a crate of your own it needs `kernel-runtime` alone.

use kernel_runtime::prelude::*;

/// Each thread does one element; the last block may have threads beyond the end.
#[kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

fn main() -> Result<()> {
    // The first CUDA device, or the simulator where there is none.
    let gpu = Gpu::new()?;
    println!("{}", gpu.describe());

    let n = 1_000_000;
    let host: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let x = gpu.upload(&host)?;
    let mut y = gpu.upload(&vec![1.0f32; n])?;

    // At least `n` threads, in blocks of a size of highest occupancy.
    let report = saxpy(2.0, &x, &mut y).over(n).run()?;
    println!("{report}");
    if !gpu.is_simulator() {
        // 4 bytes of `x` are read, and as many of `y` read and written.
        println!("{:.0} GB/s", report.gigabytes_per_second(12 * n as u64));
    }

    let wrong = y.to_vec()?.iter().zip(&host).position(|(&y, &x)| y != 2.0 * x + 1.0);
    assert_eq!(wrong, None, "the index of the first wrong element");
    println!("{}", saxpy::KERNEL.best_block_size(&gpu)?);
    Ok(())
}
