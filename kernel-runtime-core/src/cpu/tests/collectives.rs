//! Collectives over warps and blocks, against what they are in plain Rust.

use std::cell::Cell;

use super::launch;
use crate::device::{block, thread_idx, warp};

/// The results of each of `threads` threads.
fn each<T: Copy + Default>(threads: usize, compute: impl Fn(usize) -> T) -> Vec<T> {
    let results: Vec<Cell<T>> = vec![Cell::default(); threads];
    launch(threads as u32, || {
        let i = thread_idx().x;
        results[i].set(compute(i));
    })
    .unwrap();
    results.iter().map(Cell::get).collect()
}

/// Values without a pattern.
fn noise(i: usize) -> u32 {
    (i as u32).wrapping_mul(0x9e37_79b9).rotate_left(13) ^ 0x55
}

#[test]
fn warps_reduce() {
    let all =
        |i: usize, reduce: fn(u32, u32) -> u32| (32 * (i / 32)..).take(32).map(noise).reduce(reduce).unwrap();
    assert_eq!(each(64, |i| warp::reduce_add(noise(i))), each(64, |i| all(i, u32::wrapping_add)));
    assert_eq!(each(64, |i| warp::reduce_max(noise(i))), each(64, |i| all(i, u32::max)));
    assert_eq!(each(64, |i| warp::reduce_xor(noise(i))), each(64, |i| all(i, |a, b| a ^ b)));
    assert_eq!(each(32, |i| warp::reduce_min(-(i as f32))), [-31.0; 32]);
    assert_eq!(each(32, |i| warp::reduce_add_width(i as u32, 8)), each(32, |i| 28 + 64 * (i as u32 / 8)));
    assert_eq!(each(32, |i| warp::broadcast(10 * i, 7)), [70; 32]);
    assert_eq!(each(32, |i| warp::ballot(i % 3 == 0)), [0x4924_9249; 32]);
    assert_eq!(
        each(32, |i| (warp::any(i == 5), warp::all(i != 5), warp::count(i < 5))),
        [(true, false, 5); 32]
    );
}

#[test]
fn warps_scan() {
    assert_eq!(each(32, |i| warp::scan_add(i)), each(32, |i| i * (i + 1) / 2));
    assert_eq!(each(32, |i| warp::exclusive_scan_add(i)), each(32, |i| i * i.wrapping_sub(1) / 2));
    assert_eq!(
        each(32, |i| warp::scan_max((i * 7) % 32)),
        each(32, |i| (0..=i).map(|k| (k * 7) % 32).max().unwrap())
    );
    assert_eq!(each(32, |_| warp::scan_add_width(1u32, 4)), each(32, |i| 1 + i as u32 % 4));
    assert_eq!(each(32, |_| warp::exclusive_scan_add_width(1u32, 4)), each(32, |i| i as u32 % 4));
}

/// Blocks of one lane, of a part of a warp, of whole warps, of warps and a part, and the largest.
const SIZES: [usize; 7] = [1, 5, 32, 33, 256, 1000, 1024];

#[test]
fn blocks_reduce() {
    for threads in SIZES {
        let sum = (0..threads).map(noise).fold(0, u32::wrapping_add);
        assert_eq!(each(threads, |i| block::reduce_add(noise(i))), vec![sum; threads]);
        let greatest = (0..threads).map(noise).max().unwrap();
        assert_eq!(each(threads, |i| block::reduce_max(noise(i))), vec![greatest; threads]);
        let facts = (1, true, threads == 1);
        let last = threads - 1;
        let found = |i| (block::count(i == last), block::any(i == last), block::all(i == last));
        assert_eq!(each(threads, found), vec![facts; threads]);
    }
}

#[test]
fn blocks_scan_and_repeat() {
    for threads in SIZES {
        let scans =
            each(threads, |i| (block::scan_add(i), block::exclusive_scan_add(i), block::scan_add(1u64)));
        assert_eq!(
            scans,
            (0..threads)
                .map(|i| (i * (i + 1) / 2, i * i.wrapping_sub(1) / 2, i as u64 + 1))
                .collect::<Vec<_>>()
        );
    }
}
