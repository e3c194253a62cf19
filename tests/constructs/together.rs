//! What the threads of a block do together: shared memory, barriers, shuffles, votes, collectives.
//!
//! Blocks of 64 threads, two of them; the input is a permutation-like sequence of integers. Each kernel states what its
//! result must be.

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{DeviceBuffer, Launch};

use crate::harness::devices;

const BLOCK: usize = 64;
const THREADS: usize = 2 * BLOCK;

fn input() -> Vec<i32> {
    (0..THREADS as i32).map(|i| (i * 53 + 17) % 101 - 40).collect()
}

fn agree(
    expected: impl Fn(usize, &[i32]) -> i32,
    cpu: impl for<'a> Fn(&'a [i32], &'a mut [i32]) -> CpuLaunch<'a>,
    device: impl for<'a> Fn(&'a DeviceBuffer<i32>, &'a mut DeviceBuffer<i32>) -> Launch<'a>,
) {
    let x = input();
    let expected: Vec<i32> = (0..THREADS).map(|i| expected(i, &x)).collect();
    let mut out = vec![0; THREADS];
    cpu(&x, &mut out).grid(2).block(BLOCK as u32).run().unwrap_or_else(|error| panic!("on the CPU: {error}"));
    assert_eq!(expected, out, "expected (left), the CPU copy (right)");
    for gpu in devices() {
        let run = || {
            let x = gpu.upload(&x)?;
            let mut out = gpu.zeros(THREADS)?;
            device(&x, &mut out).grid(2).block(BLOCK as u32).run()?;
            out.to_vec()
        };
        let found = run().unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
        assert_eq!(expected, found, "expected (left), {} (right)", gpu.describe());
    }
}

/// What a thread of a construct knows: its place, and the sums that the tests state.
macro_rules! together {
    ($($title:literal $name:ident |$x:ident, $i:ident, $t:ident| $body:block => |$e:ident, $ex:ident| $expected:expr;)*) => {
        /// Titles with the names of their tests.
        pub const TABLE: &[(&str, &str)] = &[$(($title, concat!(module_path!(), "::", stringify!($name)))),*];

        /// The kernels' names and PTX, in which each has a name of its own: so one run of `ptxas` takes many.
        pub fn modules() -> Vec<(&'static str, String)> {
            vec![$((
                stringify!($name),
                $name::construct::KERNEL.ptx().replace("construct", concat!("construct_", stringify!($name)))
            )),*]
        }

        $(
            mod $name {
                use kernel_runtime::prelude::*;

                #[kernel]
                #[allow(unused_variables, unused_braces, clippy::all)]
                pub fn construct($x: &[i32], out: &mut [i32]) {
                    let $i = global_idx().x;
                    let $t = thread_idx().x;
                    let v: i32 = $body;
                    if $i < out.len() {
                        out[$i] = v;
                    }
                }
            }

            #[test]
            fn $name() {
                agree(|$e, $ex| $expected, |x, out| $name::construct::cpu(x, out), |x, out| $name::construct(x, out));
            }
        )*
    };
}

/// The elements of a thread's block.
fn block(i: usize, x: &[i32]) -> &[i32] {
    let start = i / BLOCK * BLOCK;
    &x[start..start + BLOCK]
}

/// The elements of a thread's warp.
fn warp(i: usize, x: &[i32]) -> &[i32] {
    let start = i / 32 * 32;
    &x[start..start + 32]
}

together! {
    "shared memory and `barrier`" shared_memory |x, i, t| {
        let mut tile = shared::<[i32; 64]>();
        tile[t] = x[i];
        barrier();
        tile[63 - t]
    } => |i, x| block(i, x)[63 - i % 64];
    "shared memory of two dimensions" shared_matrix |x, i, t| {
        let mut tile = shared::<[[i32; 9]; 8]>();
        tile[t / 8][t % 8] = x[i];
        barrier();
        tile[t % 8][t / 8]
    } => |i, x| block(i, x)[i % 8 * 8 + i % 64 / 8];
    "shared memory through a function" shared_function |x, i, t| {
        fn reversed(tile: &mut [i32; 64], t: usize, v: i32) -> i32 { tile[t] = v; barrier(); tile[63 - t] }
        let mut tile = shared::<[i32; 64]>();
        reversed(&mut tile, t, x[i])
    } => |i, x| block(i, x)[63 - i % 64];
    "parts of shared memory" shared_slice |x, i, t| {
        fn first(s: &[i32]) -> i32 { s[0] }
        let mut tile = shared::<[i32; 64]>();
        tile[t] = x[i];
        barrier();
        first(&tile[t / 2..]) + tile[..t].len() as i32
    } => |i, x| block(i, x)[i % 64 / 2] + (i % 64) as i32;
    "a struct in shared memory" shared_struct |x, i, t| {
        #[derive(Clone, Copy)]
        struct Pair { a: i32, b: i32 }
        let mut tile = shared::<[Pair; 64]>();
        tile[t] = Pair { a: x[i], b: t as i32 };
        barrier();
        let p = tile[(t + 1) % 64];
        p.a * 100 + p.b
    } => |i, x| block(i, x)[(i + 1) % 64] * 100 + ((i + 1) % 64) as i32;
    "`warp::shfl_down`" shuffle_down |x, i, t| { warp::shfl_down(x[i], 3) }
        => |i, x| if i % 32 < 29 { x[i + 3] } else { x[i] };
    "`warp::shfl_up`" shuffle_up |x, i, t| { warp::shfl_up(x[i], 2) } => |i, x| if i % 32 >= 2 { x[i - 2] } else { x[i] };
    "`warp::shfl_xor`" shuffle_xor |x, i, t| { warp::shfl_xor(x[i], 5) } => |i, x| x[i ^ 5];
    "`warp::shfl_idx`" shuffle_idx |x, i, t| { warp::shfl_idx(x[i], 7) } => |i, x| warp(i, x)[7];
    "shuffles of 64 bits and floats" shuffle_types |x, i, t| {
        let a = warp::shfl_xor(x[i] as i64 * 1_000_000_007, 1);
        let b = warp::shfl_xor(x[i] as f32 * 0.5, 2);
        let c = warp::shfl_xor(x[i] as f64, 4);
        (a / 1_000_000_007) as i32 + (b * 2.0) as i32 * 3 + c as i32 * 5
    } => |i, x| x[i ^ 1] + x[i ^ 2] * 3 + x[i ^ 4] * 5;
    "shuffles of small types" shuffle_small |x, i, t| {
        warp::shfl_xor(x[i] as i8, 1) as i32 + warp::shfl_xor(x[i] as u16, 2) as i16 as i32 + warp::shfl_xor(x[i] > 0, 4) as i32
    } => |i, x| x[i ^ 1] + x[i ^ 2] + (x[i ^ 4] > 0) as i32;
    "`warp::lane_id` and `warp::warp_id`" lanes |x, i, t| { (warp::lane_id() + 100 * warp::warp_id()) as i32 }
        => |i, _x| (i % 32 + 100 * (i % 64 / 32)) as i32;
    "`warp::ballot`" ballot |x, i, t| { warp::ballot(x[i] > 0) as i32 }
        => |i, x| warp(i, x).iter().enumerate().fold(0u32, |m, (k, v)| m | ((*v > 0) as u32) << k) as i32;
    "`warp::any` and `warp::all`" votes |x, i, t| { warp::any(x[i] > 58) as i32 + warp::all(x[i] > -41) as i32 * 2 + warp::all(x[i] > 0) as i32 * 4 }
        => |i, x| warp(i, x).iter().any(|v| *v > 58) as i32 + 2;
    "`warp::match_any`" match_any |x, i, t| { warp::match_any(x[i] & 3) as i32 }
        => |i, x| warp(i, x).iter().enumerate().fold(0u32, |m, (k, v)| m | ((v & 3 == x[i] & 3) as u32) << k) as i32;
    "`warp::reduce_add`" warp_sum |x, i, t| { warp::reduce_add(x[i]) } => |i, x| warp(i, x).iter().sum();
    "`warp::reduce_min` and `warp::reduce_max`" warp_extremes |x, i, t| { warp::reduce_min(x[i]) * 100 + warp::reduce_max(x[i]) }
        => |i, x| warp(i, x).iter().min().unwrap() * 100 + warp(i, x).iter().max().unwrap();
    "`warp::scan_add`" warp_scan |x, i, t| { warp::scan_add(x[i]) } => |i, x| warp(i, x)[..=i % 32].iter().sum();
    "`block::reduce_add`" block_sum |x, i, t| { block::reduce_add(x[i]) } => |i, x| block(i, x).iter().sum();
    "`block::reduce_max`" block_max |x, i, t| { block::reduce_max(x[i]) } => |i, x| *block(i, x).iter().max().unwrap();
    "`block::scan_add`" block_scan |x, i, t| { block::scan_add(x[i]) } => |i, x| block(i, x)[..=i % 64].iter().sum();
    "a tree reduction by hand" tree_reduction |x, i, t| {
        let mut tile = shared::<[i32; 64]>();
        tile[t] = x[i];
        barrier();
        let mut half = 32;
        while half > 0 {
            if t < half { tile[t] += tile[t + half]; }
            barrier();
            half /= 2;
        }
        tile[0]
    } => |i, x| block(i, x).iter().sum();
    "closures over shared memory" shared_closure |x, i, t| {
        let mut tile = shared::<[i32; 64]>();
        tile[t] = x[i];
        barrier();
        let at = |k: usize| tile[k % 64];
        at(t + 1) * 2 + at(t + 5)
    } => |i, x| block(i, x)[(i + 1) % 64] * 2 + block(i, x)[(i + 5) % 64];
    "iterators over shared memory" shared_iterator |x, i, t| {
        let mut tile = shared::<[i32; 64]>();
        tile[t] = x[i];
        barrier();
        tile.iter().enumerate().map(|(k, v)| v * (k as i32 % 3)).sum::<i32>() + tile[..t].iter().sum::<i32>()
    } => |i, x| block(i, x).iter().enumerate().map(|(k, v)| v * (k as i32 % 3)).sum::<i32>() + block(i, x)[..i % 64].iter().sum::<i32>();
    "where a thread is" positions |x, i, t| {
        (block_idx().x * 1000 + block_dim().x + grid_dim().x * 10_000 + global_size().x * 100_000) as i32 + thread_idx().y as i32
    } => |i, _x| (i / 64 * 1000 + 64 + 20_000 + 12_800_000) as i32;
}
