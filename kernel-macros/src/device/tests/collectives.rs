//! The collectives of the library against the runtime's, which they must equal to the bit, on the CPU's fibers.

use std::cell::Cell;

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::device::{Float, thread_idx, warp};
use kernel_runtime::{Kernel, KernelData};

use super::super::*;

/// A kernel in name only.
// SAFETY: it has no PTX.
static KERNEL: Kernel =
    unsafe { Kernel::new(&KernelData { name: "test", params: &[], file: "", line: 0, ..KernelData::EMPTY }) };

/// The results of `threads` threads, in the order of their indices.
fn each<T: Copy + Default>(threads: usize, compute: impl Fn(usize) -> T) -> Vec<T> {
    let results: Vec<Cell<T>> = vec![Cell::default(); threads];
    let body = || {
        let i = thread_idx().x;
        results[i].set(compute(i));
    };
    // SAFETY: the body is safe code.
    unsafe { CpuLaunch::new(&KERNEL, body) }.grid(1).block(threads as u32).run().unwrap();
    results.iter().map(Cell::get).collect()
}

/// Floats whose sums depend on their order.
fn float(i: usize) -> f32 {
    (i as f32 * 0.37).sin() * 1000.0 + 1e-3
}

/// A function of the thread's value, from the library and from the runtime.
type Pair<T> = (fn(T) -> T, fn(T) -> T);

#[test]
fn of_warps_are_the_runtime_s() {
    let floats: [Pair<f32>; 8] = [
        (|v| warp_reduce(v, 32, |a, b| a + b), warp::reduce_add),
        (|v| warp_reduce(v, 32, |a, b| a * b), warp::reduce_mul),
        (|v| warp_reduce(v, 32, Float::min), warp::reduce_min),
        (|v| warp_reduce(v, 32, Float::max), warp::reduce_max),
        (|v| warp_scan(u32::MAX, v, 32, |a, b| a + b), warp::scan_add),
        (|v| warp_scan(u32::MAX, v, 32, |a, b| a * b), warp::scan_mul),
        (|v| warp_scan(u32::MAX, v, 32, Float::max), warp::scan_max),
        (|v| warp_before(warp_scan(u32::MAX, v, 32, |a, b| a + b), 32, 0.0), warp::exclusive_scan_add),
    ];
    for (ours, theirs) in floats {
        assert_eq!(each(64, |i| ours(float(i)).to_bits()), each(64, |i| theirs(float(i)).to_bits()));
    }
    let integers: [Pair<i32>; 6] = [
        (|v| warp_reduce(v, 32, Ord::min), warp::reduce_min),
        (|v| warp_reduce(v, 32, |a, b| a & b), warp::reduce_and),
        (|v| warp_reduce(v, 32, |a, b| a | b), warp::reduce_or),
        (|v| warp_reduce(v, 32, |a, b| a ^ b), warp::reduce_xor),
        (|v| warp_scan(u32::MAX, v, 32, Ord::min), warp::scan_min),
        (|v| warp_before(warp_scan(u32::MAX, v, 32, Ord::max), 32, i32::MIN), warp::exclusive_scan_max),
    ];
    for (ours, theirs) in integers {
        assert_eq!(each(64, |i| ours(integer(i))), each(64, |i| theirs(integer(i))));
    }
}

fn integer(i: usize) -> i32 {
    (i as i32).wrapping_mul(0x2545_f491) ^ 0x77
}

#[test]
fn of_segments_are_the_runtime_s() {
    type Pair<T> = (fn(T, u32) -> T, fn(T, u32) -> T);
    let floats: [Pair<f32>; 5] = [
        (|v, w| warp_reduce(v, w, |a, b| a + b), warp::reduce_add_width),
        (|v, w| warp_reduce(v, w, Float::min), warp::reduce_min_width),
        (|v, w| warp_scan(u32::MAX, v, w, |a, b| a + b), warp::scan_add_width),
        (|v, w| warp_scan(u32::MAX, v, w, Float::max), warp::scan_max_width),
        (|v, w| warp_before(warp_scan(u32::MAX, v, w, |a, b| a + b), w, 0.0), warp::exclusive_scan_add_width),
    ];
    for width in [1, 2, 4, 8, 16, 32] {
        for (ours, theirs) in floats {
            assert_eq!(
                each(32, |i| ours(float(i), width).to_bits()),
                each(32, |i| theirs(float(i), width).to_bits())
            );
        }
    }
}

/// Masks with lane 0, full ones and such with gaps.
const MASKS: [u32; 5] = [u32::MAX, 1, 0x8000_0001, 0x00f1_2347, 0xaaaa_aaab];

#[test]
fn of_masks_are_the_runtime_s() {
    type Pair<T> = (fn(u32, T, u32) -> T, fn(u32, T, u32) -> T);
    let floats: [Pair<f32>; 3] = [
        (|m, v, w| warp_reduce_members(m, v, w, |a, b| a + b), warp::reduce_add_width_sync),
        (|m, v, w| warp_scan_members(m, v, w, |a, b| a + b), warp::scan_add_width_sync),
        (
            |m, v, w| warp_before_members(m, warp_scan_members(m, v, w, |a, b| a + b), w, 0.0),
            warp::exclusive_scan_add_width_sync,
        ),
    ];
    for mask in MASKS {
        for width in [1, 4, 32] {
            for (ours, theirs) in floats {
                let only = |f: fn(u32, f32, u32) -> f32| {
                    each(32, |i| if mask >> i & 1 == 1 { f(mask, float(i), width).to_bits() } else { 0 })
                };
                assert_eq!(only(ours), only(theirs), "{mask:x} {width}");
            }
        }
    }
}

#[test]
fn of_masks_are_those_of_their_lanes() {
    for mask in MASKS {
        let members = |i: usize, width: usize| {
            let first = i / width * width;
            (first..first + width).filter(move |&lane| mask >> lane & 1 == 1)
        };
        for width in [2, 8, 32] {
            let w = width as u32;
            let only = |f: &dyn Fn(usize) -> i32| each(32, |i| if mask >> i & 1 == 1 { f(i) } else { 0 });
            let sum = |lanes: &mut dyn Iterator<Item = usize>| lanes.map(integer).fold(0, i32::wrapping_add);
            assert_eq!(
                only(&|i| warp::reduce_add_width_sync(mask, integer(i), w)),
                only(&|i| sum(&mut members(i, width)))
            );
            assert_eq!(
                only(&|i| warp::scan_add_width_sync(mask, integer(i), w)),
                only(&|i| sum(&mut members(i, width).filter(|&lane| lane <= i)))
            );
            assert_eq!(
                only(&|i| warp::exclusive_scan_add_width_sync(mask, integer(i), w)),
                only(&|i| sum(&mut members(i, width).filter(|&lane| lane < i)))
            );
        }
        // The order of the operations is that without a mask.
        let bits = |f: fn(f32) -> f32| each(32, |i| f(float(i)).to_bits());
        assert_eq!(bits(|v| warp::reduce_add_sync(u32::MAX, v)), bits(warp::reduce_add));
        assert_eq!(bits(|v| warp::scan_add_sync(u32::MAX, v)), bits(warp::scan_add));
    }
}

#[test]
fn of_conditions() {
    assert_eq!(each(64, |i| warp_count(i > 60)), each(64, |i| warp::count(i > 60)));
    let bools: [Pair<bool>; 3] = [
        (warp_reduce_and_bool, warp::reduce_and),
        (warp_reduce_or_bool, warp::reduce_or),
        (warp_reduce_xor_bool, warp::reduce_xor),
    ];
    for (ours, theirs) in bools {
        for few in [0, 1, 2, 31, 32] {
            assert_eq!(each(64, |i| ours(i % 32 < few)), each(64, |i| theirs(i % 32 < few)));
        }
    }
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
