//! Atomics: every operation of every type, in every scope and order, in global and in shared memory.
//!
//! Two blocks of 64 threads, `a` of eight places. Threads come in any order, so what a kernel leaves in `a`, and what its
//! threads return, may not depend on it: each construct states both.

use std::fmt::Debug;

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::prelude::{F16x2, f16};
use kernel_runtime::{DeviceBuffer, Element, Launch};

use crate::harness::devices;

const BLOCK: usize = 64;
const THREADS: usize = 2 * BLOCK;

fn input() -> Vec<i32> {
    (0..THREADS as i32).map(|i| (i * 53 + 17) % 101 - 40).collect()
}

/// The initial contents of `a`, and the expected final contents of it and of the results.
struct Expected<T> {
    before: Vec<T>,
    after: Vec<T>,
    out: Vec<i32>,
}

fn agree<T: Element + Copy + PartialEq + Debug>(
    expected: impl Fn(&[i32]) -> Expected<T>,
    cpu: impl for<'a> Fn(&'a [i32], &'a mut [T], &'a mut [i32]) -> CpuLaunch<'a>,
    device: impl for<'a> Fn(
        &'a DeviceBuffer<i32>,
        &'a mut DeviceBuffer<T>,
        &'a mut DeviceBuffer<i32>,
    ) -> Launch<'a>,
) {
    let x = input();
    let Expected { before, after, out } = expected(&x);
    let (mut a, mut found) = (before.clone(), vec![0; THREADS]);
    let block = BLOCK as u32;
    cpu(&x, &mut a, &mut found)
        .grid(2)
        .block(block)
        .run()
        .unwrap_or_else(|error| panic!("on the CPU: {error}"));
    assert_eq!((&after, &out), (&a, &found), "expected (left), the CPU copy (right)");
    for gpu in devices() {
        let run = || {
            let x = gpu.upload(&x)?;
            let (mut a, mut found) = (gpu.upload(&before)?, gpu.zeros(THREADS)?);
            device(&x, &mut a, &mut found).grid(2).block(block).run()?;
            Ok::<_, kernel_runtime::Error>((a.to_vec()?, found.to_vec()?))
        };
        let (a, found) = run().unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
        assert_eq!((&after, &out), (&a, &found), "expected (left), {} (right)", gpu.describe());
    }
}

/// Kernels of a slice of numbers, a slice of atomics, and a result for each thread.
macro_rules! atomics {
    ($($title:literal $name:ident<$atomic:ident> |$x:ident, $a:ident, $i:ident, $t:ident| $body:block => |$ex:ident| $before:expr, $after:expr, |$e:ident| $out:expr;)*) => {
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
                pub fn construct($x: &[i32], $a: &[$atomic], out: &mut [i32]) {
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
                agree(
                    |$ex: &[i32]| {
                        let _ = $ex;
                        Expected {
                        before: $before.to_vec(),
                        after: $after.to_vec(),
                        out: (0..THREADS).map(|$e: usize| -> i32 { let _ = $e; $out }).collect(),
                    }},
                    |x, a, out| $name::construct::cpu(x, a, out),
                    |x, a, out| $name::construct(x, a, out),
                );
            }
        )*
    };
}

/// The elements that threads `k`, `k + 8`, … have, for each `k` below 8.
fn eighths(x: &[i32]) -> Vec<Vec<i32>> {
    (0..8).map(|k| x.iter().copied().skip(k).step_by(8).collect()).collect()
}

/// The final contents of eight places, each computed from the elements of its threads.
fn each<T>(x: &[i32], of: impl Fn(&[i32]) -> T) -> Vec<T> {
    eighths(x).iter().map(|part| of(part)).collect()
}

fn pair(x: f32, y: f32) -> F16x2 {
    F16x2::new(f16::from_f32(x), f16::from_f32(y))
}

atomics! {
    "`fetch_add` of `AtomicU32`" add_u32<AtomicU32> |x, a, i, t| { a[i % 8].fetch_add(x[i] as u32, Ordering::Relaxed); 0 }
        => |x| [5u32; 8], each(x, |part| part.iter().fold(5u32, |sum, v| sum.wrapping_add(*v as u32))), |i| 0;
    "`fetch_add` of `AtomicI32`" add_i32<AtomicI32> |x, a, i, t| { a[i % 8].fetch_add(x[i], Ordering::Relaxed); 0 }
        => |x| [5i32; 8], each(x, |part| 5 + part.iter().sum::<i32>()), |i| 0;
    "`fetch_add` of `AtomicU64`" add_u64<AtomicU64> |x, a, i, t| { a[i % 8].fetch_add(x[i] as u64 * 1_000_000_007, Ordering::Relaxed); 0 }
        => |x| [5u64; 8], each(x, |part| part.iter().fold(5u64, |sum, v| sum.wrapping_add((*v as u64).wrapping_mul(1_000_000_007)))), |i| 0;
    "`fetch_add` of `AtomicI64`" add_i64<AtomicI64> |x, a, i, t| { a[i % 8].fetch_add(x[i] as i64 * 1_000_000_007, Ordering::Relaxed); 0 }
        => |x| [5i64; 8], each(x, |part| 5 + part.iter().map(|v| *v as i64 * 1_000_000_007).sum::<i64>()), |i| 0;
    "`fetch_add` of `AtomicF32`" add_f32<AtomicF32> |x, a, i, t| { a[i % 8].fetch_add(x[i] as f32 * 0.25, Ordering::Relaxed); 0 }
        => |x| [5f32; 8], each(x, |part| 5.0 + part.iter().sum::<i32>() as f32 * 0.25), |i| 0;
    "`fetch_add` of `AtomicF64`" add_f64<AtomicF64> |x, a, i, t| { a[i % 8].fetch_add(x[i] as f64 * 0.25, Ordering::Relaxed); 0 }
        => |x| [5f64; 8], each(x, |part| 5.0 + f64::from(part.iter().sum::<i32>()) * 0.25), |i| 0;
    "`fetch_add` of `AtomicF16x2`" add_f16x2<AtomicF16x2> |x, a, i, t| {
        let v = f16::from_f32((x[i] % 8) as f32);
        a[i % 8].fetch_add(F16x2::new(v, -v), Ordering::Relaxed);
        0
    } => |x| [pair(5.0, 0.5); 8], each(x, |part| {
        let sum: i32 = part.iter().map(|v| v % 8).sum();
        pair(5.0 + sum as f32, 0.5 - sum as f32)
    }), |i| 0;
    "`fetch_sub` of integers" sub_u32<AtomicU32> |x, a, i, t| { a[i % 8].fetch_sub(x[i] as u32, Ordering::Relaxed); 0 }
        => |x| [5u32; 8], each(x, |part| part.iter().fold(5u32, |sum, v| sum.wrapping_sub(*v as u32))), |i| 0;
    "`fetch_sub` of floats" sub_f64<AtomicF64> |x, a, i, t| { a[i % 8].fetch_sub(x[i] as f64 * 0.25, Ordering::Relaxed); 0 }
        => |x| [5f64; 8], each(x, |part| 5.0 - f64::from(part.iter().sum::<i32>()) * 0.25), |i| 0;
    "`fetch_sub` of pairs" sub_f16x2<AtomicF16x2> |x, a, i, t| {
        let v = f16::from_f32((x[i] % 8) as f32);
        a[i % 8].fetch_sub(F16x2::new(v, -v), Ordering::Relaxed);
        0
    } => |x| [pair(5.0, 0.5); 8], each(x, |part| {
        let sum: i32 = part.iter().map(|v| v % 8).sum();
        pair(5.0 - sum as f32, 0.5 + sum as f32)
    }), |i| 0;
    "`fetch_min` and `fetch_max` of signed integers" extremes_i32<AtomicI32> |x, a, i, t| {
        a[i % 4].fetch_min(x[i], Ordering::Relaxed);
        a[4 + i % 4].fetch_max(x[i], Ordering::Relaxed);
        0
    } => |x| [0i32; 8], (0..8).map(|k| {
        let part = x.iter().copied().skip(k % 4).step_by(4);
        if k < 4 { part.min().unwrap().min(0) } else { part.max().unwrap().max(0) }
    }).collect::<Vec<_>>(), |i| 0;
    "`fetch_min` and `fetch_max` of unsigned integers" extremes_u64<AtomicU64> |x, a, i, t| {
        a[i % 4].fetch_min(x[i] as u64, Ordering::Relaxed);
        a[4 + i % 4].fetch_max(x[i] as u64, Ordering::Relaxed);
        0
    } => |x| [100u64; 8], (0..8).map(|k| {
        let part = x.iter().skip(k % 4).step_by(4).map(|v| *v as u64);
        if k < 4 { part.min().unwrap().min(100) } else { part.max().unwrap().max(100) }
    }).collect::<Vec<_>>(), |i| 0;
    "`fetch_min` and `fetch_max` of `AtomicF32`" extremes_f32<AtomicF32> |x, a, i, t| {
        let v = if x[i] == 3 { f32::NAN } else { x[i] as f32 * 0.5 };
        a[i % 4].fetch_min(v, Ordering::Relaxed);
        a[4 + i % 4].fetch_max(v, Ordering::Relaxed);
        0
    } => |x| [0f32; 8], (0..8).map(|k| {
        let part = x.iter().skip(k % 4).step_by(4).filter(|v| **v != 3).map(|v| *v as f32 * 0.5);
        part.fold(0f32, if k < 4 { f32::min } else { f32::max })
    }).collect::<Vec<_>>(), |i| 0;
    "`fetch_min` and `fetch_max` of `AtomicF64`" extremes_f64<AtomicF64> |x, a, i, t| {
        a[i % 4].fetch_min(x[i] as f64 * 0.5, Ordering::AcqRel);
        a[4 + i % 4].fetch_max(x[i] as f64 * 0.5, Ordering::SeqCst);
        0
    } => |x| [0f64; 8], (0..8).map(|k| {
        let part = x.iter().skip(k % 4).step_by(4).map(|v| f64::from(*v) * 0.5);
        part.fold(0f64, if k < 4 { f64::min } else { f64::max })
    }).collect::<Vec<_>>(), |i| 0;
    "`fetch_and`, `fetch_or`, `fetch_xor`" bits_u32<AtomicU32> |x, a, i, t| {
        a[i % 2].fetch_and(x[i] as u32 | 0xff00_0000, Ordering::Relaxed);
        a[2 + i % 2].fetch_or(1 << (x[i] as u32 & 15), Ordering::Relaxed);
        a[4 + i % 2].fetch_xor(x[i] as u32, Ordering::Relaxed);
        0
    } => |x| [0xffff_ffffu32; 8].map(|_| 0xff0f_ff00u32), (0..8).map(|k| {
        let part = x.iter().skip(k % 2).step_by(2).map(|v| *v as u32);
        match k / 2 {
            0 => part.fold(0xff0f_ff00, |a, v| a & (v | 0xff00_0000)),
            1 => part.fold(0xff0f_ff00, |a, v| a | 1 << (v & 15)),
            2 => part.fold(0xff0f_ff00, |a, v| a ^ v),
            _ => 0xff0f_ff00,
        }
    }).collect::<Vec<_>>(), |i| 0;
    "`fetch_and`, `fetch_or`, `fetch_xor` of 64 bits" bits_i64<AtomicI64> |x, a, i, t| {
        a[i % 2].fetch_and(x[i] as i64 | -256, Ordering::Release);
        a[2 + i % 2].fetch_or(1 << (x[i] as i64 & 63), Ordering::Acquire);
        a[4 + i % 2].fetch_xor((x[i] as i64) << 30, Ordering::AcqRel);
        0
    } => |x| [-12345i64; 8], (0..8).map(|k| {
        let part = x.iter().skip(k % 2).step_by(2).map(|v| i64::from(*v));
        match k / 2 {
            0 => part.fold(-12345i64, |a, v| a & (v | -256)),
            1 => part.fold(-12345i64, |a, v| a | 1 << (v & 63)),
            2 => part.fold(-12345i64, |a, v| a ^ v << 30),
            _ => -12345,
        }
    }).collect::<Vec<_>>(), |i| 0;
    "`fetch_nand`" nand<AtomicU32> |x, a, i, t| {
        // Of all ones it is a complement: an even number of times nothing.
        a[i % 8].fetch_nand(u32::MAX, Ordering::Relaxed);
        0
    } => |x| [7u32; 8], [7u32; 8], |i| 0;
    "what was there" old_values<AtomicU32> |x, a, i, t| {
        // Every thread gets another number.
        let ticket = a[0].fetch_add(1, Ordering::Relaxed);
        a[1 + ticket as usize / 32].fetch_or(1 << (ticket % 32), Ordering::Relaxed);
        (ticket < 128) as i32
    } => |x| [0u32; 8], [128, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0, 0, 0], |i| 1;
    "`load` and `store`" load_store<AtomicI32> |x, a, i, t| {
        if i < 4 { a[i].store(x[i], Ordering::Relaxed); }
        a[4 + i % 4].load(Ordering::Relaxed) + a[7].load(Ordering::Acquire) + a[6].load(Ordering::SeqCst)
    } => |x| [9i32, 9, 9, 9, 1, 2, 3, 4], [x[0], x[1], x[2], x[3], 1, 2, 3, 4], |i| (i % 4) as i32 + 8;
    "`load` and `store` of pairs" load_store_f16x2<AtomicF16x2> |x, a, i, t| {
        if i < 4 { let v = a[7].load(Ordering::Relaxed); a[i].store(v + v, Ordering::Release); }
        a[7].load(Ordering::Relaxed).y.to_f32() as i32
    } => |x| [pair(2.0, 3.0); 8], (0..8).map(|k| if k < 4 { pair(4.0, 6.0) } else { pair(2.0, 3.0) }).collect::<Vec<_>>(), |i| 3;
    "`swap`" swap<AtomicU64> |x, a, i, t| {
        // The initial value and those that threads store come out once each.
        a[1].fetch_xor(a[0].swap(i as u64 + 1, Ordering::Relaxed), Ordering::Relaxed);
        if a[2].fetch_add(1, Ordering::AcqRel) == 127 {
            a[1].fetch_xor(a[0].swap(0, Ordering::Relaxed), Ordering::Relaxed);
        }
        0
    } => |x| [1000u64, 0, 0], [0, (1..=128).fold(1000u64, |all, v| all ^ v), 128], |i| 0;
    "`compare_exchange`" compare_exchange<AtomicU32> |x, a, i, t| {
        // Of the threads of each place one wins.
        match a[i % 4].compare_exchange(7, 100, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(old) => { a[4 + i % 4].fetch_add(old, Ordering::Relaxed); 1 }
            Err(now) => (now == 100) as i32,
        }
    } => |x| [7u32, 7, 7, 7, 0, 0, 0, 0], [100u32, 100, 100, 100, 7, 7, 7, 7], |i| 1;
    "`compare_exchange` of floats, by bits" compare_exchange_f32<AtomicF32> |x, a, i, t| {
        let zero = a[0].compare_exchange(0.0, 1.0, Ordering::Relaxed, Ordering::Relaxed);
        let nan = a[1].compare_exchange(f32::NAN, 2.0, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if nan { a[2].fetch_add(1.0, Ordering::Relaxed); }
        (zero.is_err() && zero.unwrap_err().is_sign_negative()) as i32
    } => |x| [-0f32, f32::NAN, 0.0, 0.0], [-0f32, 2.0, 1.0, 0.0], |i| 1;
    "a `compare_exchange_weak` loop" compare_exchange_loop<AtomicU32> |x, a, i, t| {
        let place = &a[i % 8];
        let mut old = place.load(Ordering::Relaxed);
        loop {
            match place.compare_exchange_weak(old, old + (x[i] + 41) as u32, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => old = now,
            }
        }
        0
    } => |x| [3u32; 8], each(x, |part| 3 + part.iter().map(|v| (v + 41) as u32).sum::<u32>()), |i| 0;
    "`while let Err(…)` of `compare_exchange`" while_let_err<AtomicI64> |x, a, i, t| {
        let mut old = 0;
        while let Err(now) = a[i % 8].compare_exchange(old, old + x[i] as i64, Ordering::Relaxed, Ordering::Relaxed) {
            old = now;
        }
        0
    } => |x| [0i64; 8], each(x, |part| part.iter().map(|v| i64::from(*v)).sum::<i64>()), |i| 0;
    "methods of its `Result`" result_methods<AtomicU32> |x, a, i, t| {
        let missed = a[i % 8].compare_exchange(i as u32, 0, Ordering::Relaxed, Ordering::Relaxed);
        let hit = a[i % 8].compare_exchange(1000, 1000, Ordering::Relaxed, Ordering::Relaxed);
        let some = hit.ok().is_some() && hit.err().is_none() && missed.is_err() && hit.is_ok();
        let values = missed.unwrap_or(5) + hit.unwrap_or(5) + missed.unwrap_err() + hit.unwrap() + missed.unwrap_or_else(|now| now + 1);
        if let Ok(1000..=1001) = hit { values as i32 + some as i32 } else { 0 }
    } => |x| [1000u32; 8], [1000u32; 8], |i| 5 + 1000 + 1000 + 1000 + 1001 + 1;
    "`fetch_update`" update<AtomicI32> |x, a, i, t| {
        let done = a[i % 4].fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| if old < 20 { Some(old + 1) } else { None });
        let odd = a[4].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| if old % 2 == 1 { Some(0) } else { None });
        (done.is_ok() as i32 + done.unwrap_or_else(|old| old) > 20 || odd.err() == Some(6)) as i32
    } => |x| [0i32, 0, 0, 0, 6, 0, 0, 0], [20i32, 20, 20, 20, 6, 0, 0, 0], |i| 1;
    "`fetch_update` of pairs" update_f16x2<AtomicF16x2> |x, a, i, t| {
        // Both at once, which `fetch_add` is not.
        let one = f16::from_f32(1.0);
        a[i % 8].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(F16x2::new(old.y, old.x + one))).is_ok() as i32
    } => |x| [pair(0.0, 0.0); 8], [pair(8.0, 8.0); 8], |i| 1;
    "scopes: `block()` and `system()`" scopes<AtomicU32> |x, a, i, t| {
        a[i / 64].block().fetch_add(1, Ordering::Relaxed);
        a[2].system().fetch_add(1, Ordering::Relaxed);
        let wide = a[3].system();
        wide.fetch_max(t as u32, Ordering::SeqCst);
        a[4 + i / 64].block().fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(old + 2)).is_ok() as i32
    } => |x| [0u32; 8], [64u32, 64, 128, 63, 128, 128, 0, 0], |i| 1;
    "atomics in functions" functions<AtomicU32> |x, a, i, t| {
        fn count(place: &AtomicU32, by: u32) -> u32 { place.fetch_add(by, Ordering::Relaxed) }
        fn count_in_block(place: &BlockScope<AtomicU32>) { place.fetch_add(1, Ordering::Relaxed); }
        fn count_all(places: &[AtomicU32]) { for place in places { place.fetch_add(1, Ordering::Relaxed); } }
        count(&a[0], 2);
        count_in_block(a[1 + i / 64].block());
        count_all(&a[4..6]);
        let add = |k: usize| a[k].fetch_add(1, Ordering::Relaxed);
        add(6);
        a.len() as i32
    } => |x| [0u32; 8], [256u32, 64, 64, 0, 128, 128, 128, 0], |i| 8;
    "atomics in shared memory" shared_atomics<AtomicU32> |x, a, i, t| {
        let counts = shared::<[AtomicU32; 8]>();
        if t < 8 { counts[t].store(0, Ordering::Relaxed); }
        barrier();
        counts[t % 8].fetch_add((x[i] + 40) as u32, Ordering::Relaxed);
        barrier();
        if t < 8 { a[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed); }
        0
    } => |x| [0u32; 8], each(x, |part| part.iter().map(|v| (v + 40) as u32).sum::<u32>()), |i| 0;
    "floats and pairs in shared memory" shared_floats<AtomicF64> |x, a, i, t| {
        let sums = shared::<[AtomicF32; 4]>();
        let pairs = shared::<[[AtomicF16x2; 2]; 2]>();
        let most = shared::<AtomicI64>();
        if t < 4 {
            sums[t].store(0.0, Ordering::Relaxed);
            pairs[t / 2][t % 2].store(F16x2::splat(f16::from_f32(0.0)), Ordering::Relaxed);
        }
        if t == 0 { most.store(-1, Ordering::Relaxed); }
        barrier();
        sums[t % 4].fetch_add(1.5, Ordering::Relaxed);
        pairs[t / 32][t % 2].fetch_add(F16x2::splat(f16::from_f32(0.5)), Ordering::Relaxed);
        most.fetch_max(t as i64, Ordering::Relaxed);
        barrier();
        if t < 4 {
            a[t].fetch_add(sums[t].load(Ordering::Relaxed) as f64, Ordering::Relaxed);
            a[4 + t].fetch_add(pairs[t / 2][t % 2].load(Ordering::Relaxed).x.to_f64(), Ordering::Relaxed);
        }
        most.load(Ordering::Relaxed) as i32
    } => |x| [0f64; 8], [48f64, 48.0, 48.0, 48.0, 16.0, 16.0, 16.0, 16.0], |i| 63;
    "dynamic shared memory is empty without a size" shared_dynamic<AtomicU32> |x, a, i, t| {
        let counts = shared_dyn::<AtomicU32>();
        counts.len() as i32
    } => |x| [0u32; 8], [0u32; 8], |i| 0;
    "a spin lock in a warp" spin_lock<AtomicU32> |x, a, i, t| {
        // a[1] is written under the lock a[0] only, by a load and a store.
        loop {
            if a[0].compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                let v = a[1].load(Ordering::Relaxed);
                a[1].store(v + 1, Ordering::Relaxed);
                a[0].store(0, Ordering::Release);
                break;
            }
        }
        0
    } => |x| [0u32; 8], [0u32, 128, 0, 0, 0, 0, 0, 0], |i| 0;
    "a spin lock by `swap`, and `while`" spin_lock_swap<AtomicU32> |x, a, i, t| {
        while a[0].swap(1, Ordering::Acquire) == 1 {}
        let v = a[1].load(Ordering::Relaxed);
        a[1].store(v * 3 % 65_536 + 1, Ordering::Relaxed);
        a[0].store(0, Ordering::Release);
        0
    } => |x| [0u32; 8], {
        let last = (0..128).fold(0u32, |v, _| v * 3 % 65_536 + 1);
        [0, last, 0, 0, 0, 0, 0, 0]
    }, |i| 0;
    "one thread waits for another" flag<AtomicU32> |x, a, i, t| {
        // The last thread of each block says go.
        if t == 63 { a[i / 64].store(1, Ordering::Release); }
        while a[i / 64].load(Ordering::Acquire) == 0 {}
        1
    } => |x| [0u32; 8], [1u32, 1, 0, 0, 0, 0, 0, 0], |i| 1;
    "`fence`" fences<AtomicU32> |x, a, i, t| {
        if t == 63 {
            a[2 + i / 64].store(x[i] as u32, Ordering::Relaxed);
            fence(Ordering::Release, Scope::Block);
            a[i / 64].store(1, Ordering::Relaxed);
        }
        while a[i / 64].load(Ordering::Relaxed) == 0 {}
        fence(Ordering::Acquire, Scope::Block);
        fence(Ordering::AcqRel, Scope::Device);
        fence(Ordering::SeqCst, Scope::System);
        a[2 + i / 64].load(Ordering::Relaxed) as i32
    } => |x| [0u32; 8], [1u32, 1, x[63] as u32, x[127] as u32, 0, 0, 0, 0], |i| input()[i / 64 * 64 + 63];
    "the last block sums" last_block<AtomicI32> |x, a, i, t| {
        let is_last = shared::<AtomicU32>();
        a[1 + i / 64].fetch_add(x[i], Ordering::Relaxed);
        barrier();
        if t == 0 {
            let before = a[0].fetch_add(1, Ordering::AcqRel);
            is_last.store((before == 1) as u32, Ordering::Relaxed);
        }
        barrier();
        if is_last.load(Ordering::Relaxed) == 1 && t == 0 {
            a[3].store(a[1].load(Ordering::Relaxed) + a[2].load(Ordering::Relaxed), Ordering::Relaxed);
        }
        0
    } => |x| [0i32; 8], {
        let (low, high) = (x[..64].iter().sum::<i32>(), x[64..].iter().sum::<i32>());
        [2, low, high, low + high, 0, 0, 0, 0]
    }, |i| 0;
    "the orders by their names" imported_orders<AtomicU32> |x, a, i, t| {
        use core::sync::atomic::Ordering::{AcqRel, Relaxed};
        a[0].fetch_add(1, Relaxed);
        a[1].fetch_add(1, AcqRel);
        0
    } => |x| [0u32; 8], [128u32, 128, 0, 0, 0, 0, 0, 0], |i| 0;
}
