//! The collectives of the library against the runtime's, which they must equal to the bit, on the CPU's fibers.

use std::cell::Cell;

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::device::{thread_idx, warp};
use kernel_runtime::{Bounds, Kernel, KernelData};

use super::super::*;

/// A kernel in name only.
static KERNEL: Kernel = Kernel::new(&KernelData {
    name: "test",
    entry: "test",
    ptx: "",
    params: &[],
    bounds: Bounds { max_threads: None, min_blocks: None, block: None },
    shared_bytes: 0,
    panics: &[],
    has_panic_param: false,
    file: "",
    line: 0,
});

/// What each of `threads` threads computes.
fn each<T: Copy + Default>(threads: usize, compute: impl Fn(usize) -> T) -> Vec<T> {
    let results: Vec<Cell<T>> = vec![Cell::default(); threads];
    let body = || {
        let i = thread_idx().x;
        results[i].set(compute(i));
    };
    CpuLaunch::new(&KERNEL, body).grid(1).block(threads as u32).run().unwrap();
    results.iter().map(Cell::get).collect()
}

/// Floats whose sums depend on their order.
fn float(i: usize) -> f32 {
    (i as f32 * 0.37).sin() * 1000.0 + 1e-3
}

#[test]
fn of_warps_are_the_runtime_s() {
    type Pair<T> = (fn(T) -> T, fn(T) -> T);
    let floats: [Pair<f32>; 9] = [
        (warp_reduce_add, warp::reduce_add),
        (warp_reduce_mul, warp::reduce_mul),
        (warp_reduce_min_float, warp::reduce_min),
        (warp_reduce_max_float, warp::reduce_max),
        (warp_scan_add, warp::scan_add),
        (warp_scan_min_float, warp::scan_min),
        (warp_scan_max_float, warp::scan_max),
        (warp_exclusive_scan_add, warp::exclusive_scan_add),
        (|v| warp_broadcast(v, 5), |v| warp::broadcast(v, 5)),
    ];
    for (ours, theirs) in floats {
        assert_eq!(each(64, |i| ours(float(i)).to_bits()), each(64, |i| theirs(float(i)).to_bits()));
    }
    let integers: [Pair<i32>; 7] = [
        (warp_reduce_min_int, warp::reduce_min),
        (warp_reduce_max_int, warp::reduce_max),
        (warp_reduce_and, warp::reduce_and),
        (warp_reduce_or, warp::reduce_or),
        (warp_reduce_xor, warp::reduce_xor),
        (warp_scan_min_int, warp::scan_min),
        (warp_scan_max_int, warp::scan_max),
    ];
    let value = |i: usize| (i as i32).wrapping_mul(0x2545_f491) ^ 0x77;
    for (ours, theirs) in integers {
        assert_eq!(each(64, |i| ours(value(i))), each(64, |i| theirs(value(i))));
    }
}

#[test]
fn of_segments_are_the_runtime_s() {
    type Pair<T> = (fn(T, u32) -> T, fn(T, u32) -> T);
    let floats: [Pair<f32>; 8] = [
        (warp_reduce_add_width, warp::reduce_add_width),
        (warp_reduce_mul_width, warp::reduce_mul_width),
        (warp_reduce_min_float_width, warp::reduce_min_width),
        (warp_reduce_max_float_width, warp::reduce_max_width),
        (warp_scan_add_width, warp::scan_add_width),
        (warp_scan_min_float_width, warp::scan_min_width),
        (warp_scan_max_float_width, warp::scan_max_width),
        (warp_exclusive_scan_add_width, warp::exclusive_scan_add_width),
    ];
    let integers: [Pair<u32>; 7] = [
        (warp_reduce_min_int_width, warp::reduce_min_width),
        (warp_reduce_max_int_width, warp::reduce_max_width),
        (warp_reduce_and_width, warp::reduce_and_width),
        (warp_reduce_or_width, warp::reduce_or_width),
        (warp_reduce_xor_width, warp::reduce_xor_width),
        (warp_scan_min_int_width, warp::scan_min_width),
        (warp_scan_max_int_width, warp::scan_max_width),
    ];
    for width in [1, 2, 4, 8, 16, 32] {
        for (ours, theirs) in floats {
            assert_eq!(
                each(32, |i| ours(float(i), width).to_bits()),
                each(32, |i| theirs(float(i), width).to_bits())
            );
        }
        for (ours, theirs) in integers {
            let value = |i: usize| float(i).to_bits();
            assert_eq!(each(32, |i| ours(value(i), width)), each(32, |i| theirs(value(i), width)));
        }
    }
}

#[test]
fn of_conditions() {
    assert_eq!(each(64, |i| warp_count(i > 60)), each(64, |i| warp::count(i > 60)));
}

#[test]
fn approximations_of_approximations_are_near() {
    for x in [0.1f32, 0.7, 1.3, 5.0, 20.0] {
        let near =
            |got: f32, want: f32| assert!((got - want).abs() <= 1e-5 * want.abs(), "{x}: {got}, {want}");
        near(fast_tan(x), x.tan());
        near(fast_exp(x), x.exp());
        near(fast_exp10(x), 10f32.powf(x));
        near(fast_ln(x), x.ln());
        near(fast_log10(x), x.log10());
        near(fast_powf(x, 1.7), x.powf(1.7));
        near(fast_sin_cos(x).0 + fast_sin_cos(x).1, x.sin() + x.cos());
    }
}
