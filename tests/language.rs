//! The language from end to end: each kernel compiles, so rustc agrees with every type that the macro inferred, and gives
//! what plain Rust gives, on the CPU and on the first device, or the simulator.

// The kernels show forms of Rust, not good style.
#![allow(clippy::all, unused_variables, unused_assignments, unused_mut)]

use kernel_runtime::prelude::*;

const LEN: usize = 64;

/// Assembles a kernel for every architecture, runs it everywhere with one block of so many threads and compares the
/// first results.
macro_rules! check {
    ($kernel:ident, $threads:expr, $expected:expr) => {{
        let _: Option<Vec<_>> = tests::toolchain::assemble_everywhere($kernel::KERNEL.ptx());
        let x: Vec<f32> = (0..LEN).map(|i| i as f32 * 0.5 - 3.0).collect();
        let (a, n, k, u, p) = (1.75f32, 5usize, -7i32, 11u32, true);
        let expected: Vec<f32> = $expected(&x[..], a, n, k, u, p);
        let mut y = vec![0.0f32; LEN];
        $kernel::cpu(&x, &mut y, a, n, k, u, p).grid(1).block($threads).run().expect("runs on the CPU");
        assert_eq!(bits(&y[..expected.len()]), bits(&expected), "on the CPU: {y:?}");
        let gpu = Gpu::new().expect("a CUDA device or the simulator");
        let x = gpu.upload(&x).expect("uploads");
        let mut y = gpu.zeros::<f32>(LEN).expect("allocates");
        $kernel(&x, &mut y, a, n, k, u, p).grid(1).block($threads).run().expect("runs on the device");
        let y = y.to_vec().expect("downloads");
        assert_eq!(bits(&y[..expected.len()]), bits(&expected), "on {}: {y:?}", gpu.describe());
    }};
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[kernel]
fn literals(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
    let mut i = 0;
    i += 1;
    y[i] = x[2];
    let s = 2.0;
    y[0] = s * a;
    let j: u64 = 1 << n;
    let b = 300 as u16;
    let c = 1 as f32;
    let d = 1.5 as i32;
    let m = -1 as i64;
    y[2] = j as f32 + (1 + 2) as f32;
    y[3] = (b as f32).max(c) + d as f32 + m as f32;
    y[4] = -128i8 as f32 + 0xffu8 as i8 as f32 + -5i32 as u32 as f32 + b'a' as f32;
}

#[test]
fn literals_have_rusts_types() {
    check!(literals, 1, |x: &[f32], a: f32, _, _, _, _| vec![
        2.0 * a,
        x[2],
        35.0,
        300.0,
        -128.0 - 1.0 + 4294967291u32 as f32 + 97.0
    ]);
}

#[kernel]
fn scopes(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
    let v = a;
    let v = v as f64;
    {
        let v = 1u8;
        y[1] = v as f32;
    }
    y[0] = (v * 2.0) as f32;
    let w;
    if p {
        w = a;
    } else {
        w = 2.0;
    }
    y[2] = w;
    const SIZE: usize = 4 * HALF;
    const HALF: usize = 1 << 1;
    {
        const HALF: u8 = 3;
        y[3] = HALF as f32;
    }
    y[4] = SIZE as f32 + HALF as f32;
    y[5] = { a } + { a };
    y[if p { 6 } else { 7 }] = if n > 3 { -1.0 } else { 2.0 } * a;
}

#[test]
fn scopes_are_rusts() {
    check!(scopes, 1, |_: &[f32], a: f32, _, _, _, _| vec![3.5, 1.0, a, 3.0, 10.0, 3.5, -1.75]);
}

#[kernel]
fn loops(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
    let mut i = 0u32;
    let found = 'outer: loop {
        while i < u {
            i += 1;
            if i == 7 {
                break 'outer i;
            }
            if i == 3 {
                continue 'outer;
            }
            if i == 5 {
                break;
            }
        }
        'inner: for _ in 0..4 {
            continue 'inner;
        }
        if i > 100 {
            break 0;
        }
    };
    y[0] = found as f32;
    let mut sum = 0;
    for i in (0..=n).rev() {
        sum = sum * 2 + i;
    }
    y[1] = sum as f32;
    let mut sum = 0;
    for i in (k..10).step_by(3).rev() {
        sum = sum * 2 + i;
    }
    y[2] = sum as f32;
    let mut count = 0;
    while {
        count += 1;
        count < 10
    } {
        y[3] += count as f32;
    }
    for mut i in 0..4 {
        i *= 2;
        y[4] += i as f32;
    }
    for i in u..3 {
        y[5] += 1.0;
    }
    for i in 250u8..=255 {
        y[5] += 1.0;
    }
}

#[test]
fn loops_run_as_in_rust() {
    let expected = |_: &[f32], _, n: usize, k: i32, _, _| {
        let down = (0..=n).rev().fold(0, |sum, i| sum * 2 + i);
        let steps = (k..10).step_by(3).rev().fold(0, |sum, i| sum * 2 + i);
        vec![7.0, down as f32, steps as f32, 45.0, 12.0, 6.0]
    };
    check!(loops, 1, expected);
}

#[kernel]
fn operators(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
    y[0] = ((k + 1) * 2 - 3 / 4 % 5 & 6 | 7 ^ 8) as f32;
    y[1] = (k << 2 >> 1u8) as f32;
    let d = !k == -k && !p || a >= 1.0 && p != false;
    let mut m = u;
    m <<= 1;
    m >>= 2i64;
    m |= 16;
    m &= !2;
    m ^= 3;
    m %= 17;
    m /= 2;
    m *= 6;
    m -= 1;
    y[2] = m as f32;
    y[3] = (d as u8 + (p & d | true ^ p) as u8) as f32;
    y[4] = -(k) as f32 + (!0u8 >> 1) as f32;
    y[n] += a * x[0];
    y[n] -= a * x[1];
    y[6] = 200u8.wrapping_add(100) as f32 + (k / 2) as f32 + (k % 4) as f32;
    y[7] = f32::from_bits(a.to_bits() ^ 1) + u32::BITS as f32 + core::f32::consts::PI;
}

#[test]
fn operators_compute_as_in_rust() {
    let expected = |x: &[f32], a: f32, _, k: i32, u: u32, p: bool| {
        let first = (k + 1) * 2 - 3 / 4 % 5 & 6 | 7 ^ 8;
        let m = (((((u << 1 >> 2) | 16) & !2) ^ 3) % 17 / 2 * 6) - 1;
        vec![
            first as f32,
            (k << 2 >> 1) as f32,
            m as f32,
            1.0 + (p & true | true ^ p) as u8 as f32,
            7.0 + 127.0,
            (-a).mul_add(x[1], a.mul_add(x[0], 0.0)),
            44.0 + -3.0 + -3.0,
            f32::from_bits(a.to_bits() ^ 1) + 32.0 + std::f32::consts::PI,
        ]
    };
    check!(operators, 1, expected);
}

#[kernel]
fn methods(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
    y[0] = a.sqrt().abs().min(1.0).max(0.0).clamp(0.0, 1.0).mul_add(2.0, a).floor();
    y[1] = (a.ceil() + a.trunc() + x[1].round_ties_even()).copysign(-1.0).recip();
    let odd = a.is_nan() || a.is_infinite() || !a.is_finite();
    y[2] = if odd { 1.0 } else { f32::max(a, 0.0) };
    y[3] = k.abs().min(3).max(4).clamp(0, 9).signum().unsigned_abs() as f32;
    let b = u.wrapping_add(1).wrapping_sub(2).wrapping_mul(3).wrapping_neg().wrapping_shl(4).wrapping_shr(5);
    y[4] = b as f32;
    y[5] = (k.abs_diff(4) + n.count_ones() + n.count_zeros() + n.leading_zeros() + n.trailing_zeros()) as f32;
    y[6] = u.rotate_left(3).rotate_right(u).reverse_bits().swap_bytes() as f32;
    y[7] = u.is_power_of_two() as u8 as f32 + u32::min(u, 3) as f32;
}

#[test]
fn methods_are_rusts() {
    let expected = |x: &[f32], a: f32, n: usize, k: i32, u: u32, _| {
        let b =
            u.wrapping_add(1).wrapping_sub(2).wrapping_mul(3).wrapping_neg().wrapping_shl(4).wrapping_shr(5);
        let counts =
            k.abs_diff(4) + n.count_ones() + n.count_zeros() + n.leading_zeros() + n.trailing_zeros();
        vec![
            3.0,
            (a.ceil() + a.trunc() + x[1].round_ties_even()).copysign(-1.0).recip(),
            a,
            1.0,
            b as f32,
            counts as f32,
            u.rotate_left(3).rotate_right(u).reverse_bits().swap_bytes() as f32,
            3.0,
        ]
    };
    check!(methods, 1, expected);
}

#[kernel]
fn cooperation(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
    const SIDE: usize = 8;
    let mut tile = shared::<[[f32; SIDE + 1]; SIDE]>();
    let t = thread_idx();
    let i = t.x + device::block_idx().y * kernel_runtime::device::block_dim().z;
    tile[i / SIDE][i % SIDE] = x[i];
    barrier();
    y[i] = tile[i % SIDE][i / SIDE] + tile.len() as f32 + tile[0].len() as f32;
    let mut sum = x[warp::lane_id()];
    sum += warp::shfl_xor(sum, 16);
    sum += warp::shfl_xor(sum, 8);
    y[i] += sum;
    if i >= 32 {
        return;
    }
    y[i] *= a;
}

#[test]
fn threads_work_together() {
    let expected = |x: &[f32], a: f32, _, _, _, _| {
        let lane = |i: usize| x[i % 32] + x[(i % 32) ^ 16];
        let result = |i: usize| {
            let value = x[i % 8 * 8 + i / 8] + 8.0 + 9.0 + (lane(i) + lane((i % 32) ^ 8));
            if i < 32 { value * a } else { value }
        };
        (0..64).map(result).collect()
    };
    check!(cooperation, 64, expected);
}

#[kernel(launch_bounds(32 * 2, 1 << 2), block(1), fp_contract(off))]
fn early_return(x: &[f32], mut y: &mut [f32], mut a: f32, n: usize, k: i32, u: u32, p: bool) {
    let unit = ();
    a += 1.0;
    y[0] = a * x[3] + x[4];
    let value = if p { 1.0 } else { return };
    let other: f32 = if p { value } else { loop {} };
    y[1] = other;
    if n < y.len() {
        return;
    }
    y[0] = 0.0;
    return ();
}

#[test]
fn a_kernel_may_return_early() {
    check!(early_return, 1, |x: &[f32], a: f32, _, _, _, _| vec![(a + 1.0) * x[3] + x[4], 1.0]);
}

#[kernel]
fn missed_in_a_shuffle(x: &[f32], y: &mut [f32]) {
    let t = thread_idx().x;
    y[t] = warp::shfl_idx(x[t], 31);
}

#[test]
fn a_panic_is_told_rather_than_the_shuffle_that_misses_its_thread() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let x = gpu.upload(&[1.0f32; 20]).expect("uploads");
    let mut y = gpu.zeros::<f32>(32).expect("allocates");
    let error =
        missed_in_a_shuffle(&x, &mut y).grid(1).block(32).run().expect_err("20 elements for 32 threads");
    assert!(error.to_string().contains("the len is 20 but the index is 20"), "{error}");
}

// The lint levels of a kernel hold for its hidden copy too: a warning here fails the lint step.
#[kernel]
#[allow(unreachable_code)]
fn code_after_return(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
    y[0] = a;
    return;
    while p {
        y[1] = x[0];
    }
}

#[test]
fn code_after_a_return_does_not_run() {
    check!(code_after_return, 1, |_: &[f32], a: f32, _, _, _, _| vec![a, 0.0]);
}
