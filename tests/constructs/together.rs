//! Cooperation of the threads of a block: shared memory, barriers, shuffles, votes, collectives.
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

/// A kernel and a test for each construct, whose body knows the thread's index, and which states the expected result.
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
    "`barrier::named`" named_barrier |x, i, t| {
        let mut tile = shared::<[i32; 64]>();
        tile[t] = x[i];
        barrier::named::<1>(64);
        tile[63 - t]
    } => |i, x| block(i, x)[63 - i % 64];
    "`barrier::arrive`" barrier_arrival |x, i, t| {
        let mut tile = shared::<[i32; 32]>();
        if warp::warp_id() == 0 {
            tile[t] = x[i];
            barrier::arrive::<2>(64);
            x[i]
        } else {
            barrier::named::<2>(64);
            tile[63 - t]
        }
    } => |i, x| block(i, x)[if i % 64 < 32 { i % 64 } else { 63 - i % 64 }];
    "two variables in shared memory by one `let`" shared_pair |x, i, t| {
        let (mut values, mut flags) = (shared::<[i32; 64]>(), shared::<[u8; 64]>());
        values[t] = x[i];
        flags[t] = (x[i] > 0) as u8;
        barrier();
        values[63 - t] * 2 + flags[(t + 1) % 64] as i32
    } => |i, x| { let of = block(i, x); of[63 - i % 64] * 2 + (of[(i + 1) % 64] > 0) as i32 };
    "enums with data in shared memory" shared_enums |x, i, t| {
        #[derive(Clone, Copy, Debug, Element, PartialEq)]
        #[repr(C, u32)]
        enum Job { Idle, Add(i32), Scale { by: i32, from: [i16; 2] } }
        #[derive(Clone, Copy, Element)]
        #[repr(C)]
        struct Entry { job: Job, owner: u32 }
        let mut queue = shared::<[Entry; 64]>();
        let mut spare = shared::<[Option<Job>; 2]>();
        let job = match t % 3 { 0 => Job::Idle, 1 => Job::Add(x[i]), _ => Job::Scale { by: x[i], from: [t as i16, -2] } };
        queue[t] = Entry { job, owner: t as u32 };
        if t < 2 { spare[t] = (t == 1).then_some(Job::Add(7)); }
        barrier();
        let Entry { job, owner } = queue[63 - t];
        barrier();
        if let Job::Add(v) = &mut queue[t].job { *v += 1000; }
        barrier();
        let own = if let Job::Add(v) = queue[t].job { v } else { (queue[t].job == Job::Idle) as i32 };
        let of_job = match job { Job::Idle => -1, Job::Add(v) => v, Job::Scale { by, from: [a, b] } => by * a as i32 + b as i32 };
        own + of_job * 3 + owner as i32 + spare[t % 2].map_or(5, |job| if let Job::Add(v) = job { v } else { 0 })
    } => |i, x| {
        let (of, t) = (block(i, x), i % 64);
        let o = 63 - t;
        let of_job = [-1, of[o], of[o] * o as i32 - 2][o % 3];
        [1, of[t] + 1000, 0][t % 3] + of_job * 3 + o as i32 + [5, 7][t % 2]
    };
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
    "lanes and distances of `usize`, `i32` and `u32`" shuffle_operands |x, i, t| {
        let lane = warp::lane_id();
        let mut sum = x[i];
        let mut d = 1;
        while d < 32 {
            let below = warp::shfl_up(sum, d);
            if lane >= d { sum += below; }
            d *= 2;
        }
        let mut least = x[i];
        let mut distance = 16i32;
        while distance > 0 {
            least = least.min(warp::shfl_down(least, distance));
            distance /= 2;
        }
        let least = warp::broadcast(least, lane - lane);
        sum + 3 * least + 5 * warp::shfl_idx_width(x[i], lane % 8 ^ 1, 8) + 7 * warp::shfl_xor_sync(u32::MAX, x[i], 2u32)
    } => |i, x| {
        let own = warp(i, x);
        let sum: i32 = own[..=i % 32].iter().sum();
        sum + 3 * own.iter().min().unwrap() + 5 * x[i ^ 1] + 7 * x[i ^ 2]
    };
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
    "shuffles in segments" shuffle_width |x, i, t| {
        warp::shfl_down_width(x[i], 3, 8) + warp::shfl_up_width(x[i], 2, 4) * 3 + warp::shfl_xor_width(x[i], 1, 2) * 5
            + warp::shfl_idx_width(x[i], 7, 16) * 7
    } => |i, x| (if i % 8 < 5 { x[i + 3] } else { x[i] }) + (if i % 4 >= 2 { x[i - 2] } else { x[i] }) * 3 + x[i ^ 1] * 5
        + x[i / 16 * 16 + 7] * 7;
    "shuffles of some lanes" shuffle_mask |x, i, t| {
        if t % 2 == 0 {
            warp::shfl_xor_sync(0x5555_5555, x[i], 2) + warp::shfl_down_width_sync(0x5555_5555, x[i], 4, 8) * 3
                + warp::shfl_up_width_sync(0x5555_5555, x[i], 2, 4) * 5 + warp::shfl_idx_width_sync(0x5555_5555, x[i], 4, 8) * 7
                + warp::shfl_xor_width_sync(0x5555_5555, x[i], 2, 4) * 9
        } else {
            0
        }
    } => |i, x| if i % 2 == 0 {
        x[i ^ 2] + (if i % 8 < 4 { x[i + 4] } else { x[i] }) * 3 + (if i % 4 == 2 { x[i - 2] } else { x[i] }) * 5
            + x[i / 8 * 8 + 4] * 7 + x[i ^ 2] * 9
    } else { 0 };
    "shuffles of vectors" shuffle_vectors |x, i, t| {
        let v = warp::shfl_xor(F32x4::new(x[i] as f32, 1.0, 2.0, x[i] as f32 * 0.5), 1);
        let w = warp::shfl_xor_width(F16x2::splat(f16::from_f32(x[i] as f32)), 1, 4);
        v.x as i32 + (v.w * 2.0) as i32 * 3 + w.y.to_f32() as i32 * 5
    } => |i, x| x[i ^ 1] * 9;
    "`warp::match_all`" match_all |x, i, t| {
        warp::match_all(7u8) as i32 + warp::match_all(x[i]) as i32 * 2 + warp::match_all(F64x2::splat(0.5)) as i32 * 4
            + warp::match_all(F32x2::new(1.0, x[i] as f32)) as i32 * 8 + warp::match_any(I32x2::new(1, x[i] & 1)).count_ones() as i32 * 16
    } => |i, x| 5 + warp(i, x).iter().filter(|v| *v & 1 == x[i] & 1).count() as i32 * 16;
    "votes of some lanes" vote_mask |x, i, t| {
        if t % 4 == 1 {
            (warp::ballot_sync(0x2222_2222, x[i] > 0).count_ones() + warp::count_sync(0x2222_2222, x[i] > 0) * 100) as i32
                + warp::match_all_sync(0x2222_2222, 3) as i32 * 10_000
                + warp::any_sync(0x2222_2222, x[i] > 58) as i32 * 20_000 + warp::all_sync(0x2222_2222, x[i] > -41) as i32 * 40_000
                + warp::broadcast_sync(0x2222_2222, x[i], 5) * 100_000
        } else {
            warp::sync_mask(0xdddd_dddd);
            0
        }
    } => |i, x| {
        let members = || warp(i, x).iter().skip(1).step_by(4);
        let positive = members().filter(|v| **v > 0).count() as i32;
        let any = members().any(|v| *v > 58) as i32;
        if i % 4 == 1 { positive * 101 + 10_000 + 20_000 * any + 40_000 + 100_000 * warp(i, x)[5] } else { 0 }
    };
    "reductions of segments" warp_sum_width |x, i, t| { warp::reduce_add_width(x[i], 8) * 100 + warp::reduce_max_width(x[i], 2) }
        => |i, x| x[i / 8 * 8..][..8].iter().sum::<i32>() * 100 + x[i].max(x[i ^ 1]);
    "reductions of some lanes" warp_sum_mask |x, i, t| {
        if t % 32 < 3 || t % 32 == 20 {
            warp::reduce_add_sync(0x0010_0007, x[i]) * 1000 + warp::reduce_min_width_sync(0x0010_0007, x[i], 16)
        } else {
            0
        }
    } => |i, x| {
        let (w, lane) = (warp(i, x), i % 32);
        let low = w[0].min(w[1]).min(w[2]);
        match lane {
            0..3 | 20 => (w[0] + w[1] + w[2] + w[20]) * 1000 + if lane == 20 { w[20] } else { low },
            _ => 0,
        }
    };
    "scans of some lanes" warp_scan_mask |x, i, t| {
        if t % 3 == 0 {
            let mask = warp::active_mask();
            warp::scan_add_sync(mask, x[i]) * 10_000 + warp::exclusive_scan_max_sync(mask, x[i] as i8) as i32
        } else {
            0
        }
    } => |i, x| {
        let lanes = || (i / 32 * 32..i).filter(|k| k % 64 % 3 == 0);
        let greatest = lanes().map(|k| x[k]).max().unwrap_or(-128);
        if i % 64 % 3 == 0 { (lanes().map(|k| x[k]).sum::<i32>() + x[i]) * 10_000 + greatest } else { 0 }
    };
    "scans of every operation" warp_scans |x, i, t| {
        warp::scan_min(x[i]) + warp::scan_xor(x[i]) * 3 + warp::exclusive_scan_or(x[i]) * 5 + warp::exclusive_scan_and(x[i] as u8) as i32 * 7
            + warp::scan_mul(x[i] | 1).wrapping_mul(11) + warp::exclusive_scan_add_width(x[i], 4) * 13 + warp::exclusive_scan_min(x[i] as i16) as i32 * 17
    } => |i, x| {
        let (w, lane) = (warp(i, x), i % 32);
        w[..=lane].iter().min().unwrap() + w[..=lane].iter().fold(0, |a, b| a ^ b) * 3 + w[..lane].iter().fold(0, |a, b| a | b) * 5
            + w[..lane].iter().fold(255, |a, b| a & *b as u8) as i32 * 7 + w[..=lane].iter().fold(1i32, |a, b| a.wrapping_mul(b | 1)).wrapping_mul(11)
            + w[lane / 4 * 4..lane].iter().sum::<i32>() * 13 + w[..lane].iter().fold(i16::MAX, |a, b| a.min(*b as i16)) as i32 * 17
    };
    "`warp::reduce` over a struct, by an operator of one's own" warp_reduce_struct |x, i, t| {
        #[derive(Clone, Copy)] struct Best { value: i32, at: u32 }
        fn better(a: Best, b: Best) -> Best { if b.value > a.value || (b.value == a.value && b.at < a.at) { b } else { a } }
        let best = warp::reduce(Best { value: x[i] & 31, at: i as u32 }, better);
        let (low, high) = warp::reduce((x[i], x[i]), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        best.at as i32 * 10_000 + best.value * 100 + high - low
    } => |i, x| {
        let w = warp(i, x);
        let most = w.iter().map(|v| v & 31).max().unwrap();
        let at = i / 32 * 32 + w.iter().position(|v| v & 31 == most).unwrap();
        at as i32 * 10_000 + most * 100 + w.iter().max().unwrap() - w.iter().min().unwrap()
    };
    "`warp::reduce` over options, `bool` and halves of a struct" warp_reduce_options |x, i, t| {
        #[derive(Clone, Copy)] struct Seen { odd: bool, half: f16, least: Option<(i32, u8)> }
        let mine = Seen { odd: x[i] % 2 != 0, half: f16::from_f32((x[i] & 7) as f32), least: (x[i] > 0).then_some((x[i], 3)) };
        let all = warp::reduce(mine, |a, b| Seen {
            odd: a.odd || b.odd,
            half: if b.half > a.half { b.half } else { a.half },
            least: match (a.least, b.least) { (Some(p), Some(q)) => Some(if q < p { q } else { p }), (p, None) => p, (None, q) => q },
        });
        let last = warp::reduce(Some(x[i]).filter(|v| *v < 0), |a, b| if a.is_none() { b } else if b > a { b } else { a });
        let least = all.least.map_or(-1, |(v, three)| v * three as i32);
        all.odd as i32 + all.half.to_f32() as i32 * 10 + least * 100 + last.unwrap_or(5).wrapping_mul(7)
    } => |i, x| {
        let w = warp(i, x);
        let least = w.iter().filter(|v| **v > 0).min().map_or(-1, |v| v * 3);
        let last = *w.iter().filter(|v| **v < 0).max().unwrap_or(&5);
        w.iter().any(|v| v % 2 != 0) as i32 + w.iter().map(|v| v & 7).max().unwrap() * 10 + least * 100 + last.wrapping_mul(7)
    };
    "`warp::scan` and `warp::exclusive_scan` by an operator" warp_scan_by |x, i, t| {
        let f = (x[i] % 3, x[i] % 7);
        let after = |f: (i32, i32), g: (i32, i32)| (f.0.wrapping_mul(g.0), g.0.wrapping_mul(f.1).wrapping_add(g.1));
        let all = warp::scan(f, (1, 0), after);
        let before = warp::exclusive_scan(f, (1, 0), after);
        all.1.wrapping_mul(31).wrapping_add(before.1)
    } => |i, x| {
        let w = warp(i, x);
        let of = |n: usize| w[..n].iter().fold(0i32, |s, v| (v % 3).wrapping_mul(s).wrapping_add(v % 7));
        of(i % 32 + 1).wrapping_mul(31).wrapping_add(of(i % 32))
    };
    "`block::reduce`, `block::scan` and `block::exclusive_scan` by an operator" block_by |x, i, t| {
        #[derive(Clone, Copy)] struct Counts { of: [i32; 3], most: i32 }
        let mut mine = Counts { of: [0; 3], most: x[i] };
        mine.of[(x[i] & 0xff) as usize % 3] = 1;
        let add = |a: Counts, b: Counts| Counts { of: [a.of[0] + b.of[0], a.of[1] + b.of[1], a.of[2] + b.of[2]], most: a.most.max(b.most) };
        let none = Counts { of: [0; 3], most: i32::MIN };
        let all = block::reduce(mine, add);
        let until = block::scan(mine, none, add);
        let below = block::exclusive_scan(mine, none, add);
        all.of[1] * 1_000_000 + until.of[2] * 10_000 + below.of[0] * 100 + (until.most == all.most) as i32
    } => |i, x| {
        let b = block(i, x);
        let count = |n: usize, k: i32| b[..n].iter().filter(|v| (**v & 0xff) % 3 == k).count() as i32;
        let t = i % 64;
        count(64, 1) * 1_000_000 + count(t + 1, 2) * 10_000 + count(t, 0) * 100 + (b[..=t].iter().max() == b.iter().max()) as i32
    };
    "reductions of every type" warp_sum_types |x, i, t| {
        let a = warp::reduce_add(x[i] as i64 * 1_000_000_007) / 1_000_000_007;
        let b = warp::reduce_max(f16::from_f32(x[i] as f32)).to_f32() as i32;
        let c = warp::reduce_min(x[i] as f64) as i32;
        let d = warp::reduce_add(F32x4::new(x[i] as f32, 1.0, 2.0, 3.0));
        let e = warp::reduce_or(U32x2::new(x[i] as u32 & 0xff, 1 << 8));
        let f = warp::reduce_add(bf16::from_f32(x[i] as f32 / 64.0).to_f32()) * 64.0;
        a as i32 + b * 3 + c * 5 + (d.x + d.w) as i32 * 7 + (e.x | e.y) as i32 * 11 + f as i32 * 13
    } => |i, x| {
        let w = warp(i, x);
        let sum: i32 = w.iter().sum();
        sum + w.iter().max().unwrap() * 3 + w.iter().min().unwrap() * 5 + (sum + 96) * 7
            + (w.iter().fold(0, |a, b| a | (b & 0xff)) | 256) * 11 + sum * 13
    };
    "reductions of `bool`" warp_bools |x, i, t| {
        warp::reduce_and(x[i] > -41) as i32 + warp::reduce_or(x[i] > 58) as i32 * 2 + warp::reduce_xor(x[i] > 0) as i32 * 4
            + warp::reduce_or_width(x[i] > 20, 4) as i32 * 8 + warp::scan_xor(x[i] > 0) as i32 * 16 + block::reduce_xor(x[i] > 10) as i32 * 32
    } => |i, x| {
        let odd = |v: &[i32], least: i32| (v.iter().filter(|v| **v > least).count() % 2) as i32;
        1 + warp(i, x).iter().any(|v| *v > 58) as i32 * 2 + odd(warp(i, x), 0) * 4 + x[i / 4 * 4..][..4].iter().any(|v| *v > 20) as i32 * 8
            + odd(&warp(i, x)[..=i % 32], 0) * 16 + odd(block(i, x), 10) * 32
    };
    "reductions in generic functions" warp_generic |x, i, t| {
        fn total<T: Number, const W: u32>(v: T) -> T { warp::reduce_add_width(v, W) + warp::shfl_xor_width(v, 1, W / 2) }
        total::<_, 8>(x[i]) + total::<_, 4>(x[i] as f32) as i32 * 3
    } => |i, x| x[i / 8 * 8..][..8].iter().sum::<i32>() + x[i / 4 * 4..][..4].iter().sum::<i32>() * 3 + x[i ^ 1] * 4;
    "`warp::arg_max` and `warp::arg_min`, with ties and NaN" warp_arg |x, i, t| {
        let (most, at) = warp::arg_max(x[i] & 31, i as u32);
        let (least, first) = warp::arg_min(x[i] & 7, i);
        let some = if x[i] % 3 == 0 { f32::NAN } else if x[i] & 1 == 0 { -0.0 } else { 0.0 };
        let (zero, lane) = warp::arg_max(some, t % 32);
        let (none, last) = warp::arg_min(f64::NAN, 40 - (t % 32) as i16);
        most * 7 + at as i32 * 13 + least * 17 + first as i32 * 19 + (zero.to_bits() >> 31) as i32 * 1000 + lane as i32 * 23
            + none.is_nan() as i32 * 2000 + last as i32 * 29
    } => |i, x| {
        let (w, start) = (warp(i, x), i / 32 * 32);
        let most = w.iter().map(|v| v & 31).max().unwrap();
        let least = w.iter().map(|v| v & 7).min().unwrap();
        let at = |holds: &dyn Fn(i32) -> bool| w.iter().position(|v| holds(*v)).unwrap() as i32;
        let lane = at(&|v| v % 3 != 0);
        most * 7 + (start as i32 + at(&|v| v & 31 == most)) * 13 + least * 17 + (start as i32 + at(&|v| v & 7 == least)) * 19
            + (w[lane as usize] & 1 == 0) as i32 * 1000 + lane * 23 + 2000 + 9 * 29
    };
    "`block::arg_max` and `block::arg_min`" block_arg |x, i, t| {
        let (most, at) = block::arg_max((x[i] & 31) as f32, t as u32);
        let (least, first) = block::arg_min(x[i] as i64 & 7, 100 - t);
        most as i32 * 7 + at as i32 * 13 + least as i32 * 17 + first as i32 * 19
    } => |i, x| {
        let b = block(i, x);
        let most = b.iter().map(|v| v & 31).max().unwrap();
        let least = b.iter().map(|v| v & 7).min().unwrap();
        let last = b.iter().rposition(|v| v & 7 == least).unwrap() as i32;
        most * 7 + b.iter().position(|v| v & 31 == most).unwrap() as i32 * 13 + least * 17 + (100 - last) * 19
    };
    "votes of blocks" block_votes |x, i, t| {
        block::count(x[i] > 0) as i32 + block::any(x[i] > 58) as i32 * 1000 + block::all(x[i] > -41) as i32 * 2000 + block::all(x[i] > 0) as i32 * 4000
    } => |i, x| block(i, x).iter().filter(|v| **v > 0).count() as i32 + block(i, x).iter().any(|v| *v > 58) as i32 * 1000 + 2000;
    "scans of blocks" block_scans |x, i, t| {
        block::scan_min(x[i]) + block::scan_xor(x[i]) * 3 + block::exclusive_scan_or(x[i]) * 5 + block::exclusive_scan_add(x[i] as i64) as i32 * 7
            + block::exclusive_scan_max(x[i] as i8) as i32 * 11 + block::scan_add(F32x2::new(x[i] as f32, 1.0)).y as i32 * 13
    } => |i, x| {
        let (b, k) = (block(i, x), i % 64);
        b[..=k].iter().min().unwrap() + b[..=k].iter().fold(0, |a, b| a ^ b) * 3 + b[..k].iter().fold(0, |a, b| a | b) * 5
            + b[..k].iter().sum::<i32>() * 7 + b[..k].iter().max().unwrap_or(&-128) * 11 + (k as i32 + 1) * 13
    };
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
