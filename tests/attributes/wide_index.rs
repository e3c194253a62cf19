//! `index(u64)`: lengths and indices of 64 bits.

#![allow(dead_code)]

use kernel_runtime::prelude::*;

use crate::harness::{devices, same_results};

mod plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let (mut i, stride) = (global_idx().x, global_size().x);
        while i < out.len() {
            out[i] = x[x.len() - 1 - i] * 2.0;
            i += stride;
        }
    }
}

mod wide {
    use kernel_runtime::prelude::*;

    #[kernel(index(u64))]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let (mut i, stride) = (global_idx().x, global_size().x);
        while i < out.len() {
            out[i] = x[x.len() - 1 - i] * 2.0;
            i += stride;
        }
    }
}

#[test]
fn wide_indices_change_nothing() {
    same_results!("index_u64", wide, plain);
}

/// Counts the elements that are at their places, and marks them: each thread has its own if the grid is large enough.
#[kernel(index(u64))]
fn mark(x: &mut [u8], last: &mut [u64]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] = (i >> 30) as u8;
    }
    if i + 1 == x.len() {
        last[0] = i as u64;
        last[1] = global_size().x as u64;
    }
}

#[kernel]
fn mark_narrow(x: &mut [u8]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] = 1;
    }
}

/// A slice and a grid of more than 2³², where there is memory for it: on a GPU.
#[test]
fn a_slice_beyond_32_bits() {
    let Ok(gpu) = Gpu::cuda(0) else { return };
    const LEN: usize = (1 << 32) + 5;
    let Ok(mut x) = gpu.zeros::<u8>(LEN) else { return };
    let run = |x: &mut DeviceBuffer<u8>| {
        let mut last = gpu.zeros::<u64>(2)?;
        mark(x, &mut last).over(LEN).block(1024).run()?;
        last.to_vec()
    };
    let last = run(&mut x).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(last, [LEN as u64 - 1, (LEN as u64).next_multiple_of(1024)]);
    let bytes = x.to_vec().unwrap_or_else(|error| panic!("{error}"));
    for (quarter, part) in bytes.chunks(1 << 30).enumerate() {
        assert!(part.iter().all(|byte| usize::from(*byte) == quarter), "part {quarter}");
    }
    let refused = mark_narrow(&mut x).over(10).run().map(|_| ());
    assert!(refused.is_err_and(|error| error.to_string().contains("index(u64)")));
}

/// The launch is refused for its number of threads without `index(u64)`, and the message says so.
#[test]
fn more_threads_than_32_bits() {
    for gpu in devices() {
        let mut x = gpu.zeros::<u8>(8).unwrap_or_else(|error| panic!("{error}"));
        let error = mark_narrow(&mut x).grid(1 << 23).block(1024).run().map(|_| ());
        let error = error.expect_err("2³³ threads are too many").to_string();
        expect_test::expect![[r#"
            launch of `mark_narrow` refused: the grid has 8388608 blocks of 1024 threads along x: their product is beyond 32-bit indices, 4294967295
            help: give each thread several elements with a loop of stride `global_size().x`, or write `#[kernel(index(u64))]`"#]].assert_eq(&error);
    }
}

/// Along y, where the grid is small enough for the simulator to run all of it: the index is computed in 64 bits and fits.
#[kernel(index(u64))]
fn rows(out: &mut [u64]) {
    let at = global_idx();
    let i = at.y * global_size().x + at.x;
    if at.z == 0 && i < out.len() {
        out[i] = at.y as u64 * 1_000_000_000_000 + global_size().z as u64;
    }
}

#[test]
fn every_axis() {
    for gpu in devices() {
        let run = || {
            let mut out = gpu.zeros::<u64>(64)?;
            rows(&mut out).grid((2, 4, 3)).block((4, 2, 1)).run()?;
            out.to_vec()
        };
        let found = run().unwrap_or_else(|error| panic!("{error}"));
        let expected: Vec<u64> = (0..64).map(|i| i / 8 * 1_000_000_000_000 + 3).collect();
        assert_eq!(found, expected, "on {}", gpu.describe());
    }
}
