//! Names of the source that are alike in PTX: a parameter and a shared variable of the kernel or of the library's functions.
//! `ptxas` takes the kernels, and they compute what the CPU copy does.

use kernel_runtime::prelude::*;
use tests::toolchain::assemble_everywhere;

/// `block::reduce_add` has a shared variable `partial`.
#[kernel]
pub fn partial_sums(partial: &mut [f32]) {
    let sum = block::reduce_add(1.0f32);
    if thread_idx().x == 0 {
        partial[block_idx().x] = sum;
    }
}

/// Shadowing, as Rust has it.
#[kernel(block(32))]
pub fn shadowed(tile: &[f32], out: &mut [f32]) {
    let t = thread_idx().x;
    let v = tile[t];
    let mut tile = shared::<[f32; 32]>();
    tile[t] = v;
    barrier();
    out[t] = tile[31 - t];
}

/// `block::scan_add` has a shared variable `totals`.
#[kernel]
pub fn scanned(totals: &mut [f32], sum: f32) {
    let s = block::scan_add(sum);
    totals[thread_idx().x] = s;
}

/// Dynamic shared memory has a name too, and so has the length of a slice.
#[kernel]
pub fn dynamic(dynamic: &mut [f32]) {
    let mut dynamic_len = shared_dyn::<f32>();
    dynamic_len[thread_idx().x] = 1.0;
    barrier();
    dynamic[thread_idx().x] = dynamic_len[31 - thread_idx().x];
}

/// A parameter and a shared variable are called like the length of a slice.
#[kernel(block(32))]
pub fn lengths(x: &[f32], x_len: u32, y: &mut [f32]) {
    let t = thread_idx().x;
    let mut y_len = shared::<[f32; 32]>();
    y_len[t] = x[t] + x_len as f32;
    barrier();
    if t < y.len() {
        y[t] = y_len[31 - t];
    }
}

#[test]
fn they_assemble() {
    for kernel in
        [&partial_sums::KERNEL, &shadowed::KERNEL, &scanned::KERNEL, &dynamic::KERNEL, &lengths::KERNEL]
    {
        let _: Option<Vec<_>> = assemble_everywhere(kernel.ptx());
    }
}

#[test]
fn they_run() -> Result<()> {
    let gpu = Gpu::new()?;
    let ramp: Vec<f32> = (0..32).map(|i| i as f32).collect();
    let (x, mut y) = (gpu.upload(&ramp)?, gpu.zeros::<f32>(32)?);

    partial_sums(&mut y).grid(4).block(64).run()?;
    assert_eq!(y.to_vec()?[..5], [64.0, 64.0, 64.0, 64.0, 0.0]);

    shadowed(&x, &mut y).grid(1).run()?;
    assert_eq!(y.to_vec()?, ramp.iter().rev().copied().collect::<Vec<_>>());

    scanned(&mut y, 2.0).grid(1).block(32).run()?;
    assert_eq!(y.to_vec()?, ramp.iter().map(|i| 2.0 * (i + 1.0)).collect::<Vec<_>>());

    dynamic(&mut y).grid(1).block(32).shared(128).run()?;
    assert_eq!(y.to_vec()?, [1.0; 32]);

    lengths(&x, 100, &mut y).grid(1).run()?;
    assert_eq!(y.to_vec()?, ramp.iter().rev().map(|i| i + 100.0).collect::<Vec<_>>());
    Ok(())
}
