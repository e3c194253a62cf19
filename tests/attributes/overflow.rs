//! `checks(overflow)`: the same results, and Rust's panics where there are none.

#![allow(dead_code)]

use std::fmt::Debug;

use expect_test::expect;
use kernel_runtime::prelude::*;

use crate::harness::{devices, same_results};

mod plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [u32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut sum = 7;
            for step in 0..8 {
                sum += (x[(i + step) % x.len()] + 9.0) as u32 * (step as u32 + 1);
            }
            out[i] = sum << 3;
        }
    }
}

mod checked {
    use kernel_runtime::prelude::*;

    #[kernel(checks(overflow))]
    pub fn k(x: &[f32], out: &mut [u32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut sum = 7;
            for step in 0..8 {
                sum += (x[(i + step) % x.len()] + 9.0) as u32 * (step as u32 + 1);
            }
            out[i] = sum << 3;
        }
    }
}

#[test]
fn checks_change_no_result() {
    same_results!("checks_overflow", checked, plain);
}

macro_rules! operators {
    ($($name:ident $trait:ident $operator:tt;)*) => {$(
        #[kernel(checks(overflow), instances(T = [i8, i16, i32, i64, isize, u8, u16, u32, u64, usize]))]
        pub fn $name<T: Copy + core::ops::$trait<Output = T>>(a: &[T], b: &[T], out: &mut [T], done: &mut [u8]) {
            let i = global_idx().x;
            if i < a.len() && i < b.len() && i < out.len() && i < done.len() {
                out[i] = a[i] $operator b[i];
                done[i] = 1;
            }
        }
    )*};
}
operators! {
    sum Add +;
    difference Sub -;
    product Mul *;
}

#[kernel(checks(overflow), instances(T = [i8, i16, i32, i64, isize]))]
pub fn negative<T: Copy + core::ops::Neg<Output = T>>(a: &[T], out: &mut [T], done: &mut [u8]) {
    let i = global_idx().x;
    if i < a.len() && i < out.len() && i < done.len() {
        out[i] = -a[i];
        done[i] = 1;
    }
}

/// Runs a kernel of one thread for each number everywhere: what it gives where there is a result, and that it panics with
/// this message if there is one without.
#[track_caller]
fn check<T: Element + Copy + Debug + Default + PartialEq>(
    expected: &[Option<T>],
    message: &str,
    cpu: impl Fn(&mut [T], &mut [u8]) -> Result<()>,
    device: impl Fn(&Gpu, &mut DeviceBuffer<T>, &mut DeviceBuffer<u8>) -> Result<()>,
) {
    let judge = |place: &str, ran: Result<()>, out: &[T], done: &[u8]| {
        for (index, expected) in expected.iter().enumerate() {
            let found = (done[index] == 1).then_some(out[index]);
            assert_eq!(found, *expected, "on {place}: number {index}");
        }
        let failed = match ran {
            Ok(()) => None,
            Err(Error::KernelPanicked { message, .. }) => Some(message),
            Err(error) => panic!("on {place}: {error}"),
        };
        let panics = expected.contains(&None);
        assert_eq!(failed.as_deref(), panics.then_some(message), "on {place}");
    };
    let (mut out, mut done) = (vec![T::default(); expected.len()], vec![0; expected.len()]);
    let ran = cpu(&mut out, &mut done);
    judge("the CPU", ran, &out, &done);
    for gpu in devices() {
        let made = || Ok((gpu.zeros::<T>(expected.len())?, gpu.zeros::<u8>(expected.len())?));
        let (mut out, mut done) = made().unwrap_or_else(|error: Error| panic!("{error}"));
        let ran = device(&gpu, &mut out, &mut done);
        let read = || Ok((out.to_vec()?, done.to_vec()?));
        let (out, done) = read().unwrap_or_else(|error: Error| panic!("{error}"));
        judge(&gpu.describe(), ran, &out, &done);
    }
}

macro_rules! every_pair {
    ($ty:ident) => {{
        let (least, most) = ($ty::MIN, $ty::MAX);
        // Near the ends, near zero, and where products of two begin to overflow.
        let root = most.isqrt();
        let mut numbers = vec![least, least.wrapping_add(1), most, most - 1, most / 2, most / 2 + 1];
        numbers.extend([root, root + 1, root.wrapping_neg(), 0, 1, 2, 3, 10]);
        numbers.extend([0, 1, 2].map(|n: $ty| (0 as $ty).wrapping_sub(n)));
        let a: Vec<$ty> = numbers.iter().flat_map(|a| numbers.iter().map(|_| *a)).collect();
        let b: Vec<$ty> = numbers.iter().flat_map(|_| numbers.iter().copied()).collect();
        every_pair!($ty, a, b, sum, checked_add, "attempt to add with overflow");
        every_pair!($ty, a, b, difference, checked_sub, "attempt to subtract with overflow");
        every_pair!($ty, a, b, product, checked_mul, "attempt to multiply with overflow");
    }};
    ($ty:ident, $a:ident, $b:ident, $kernel:ident, $method:ident, $message:literal) => {
        let expected: Vec<Option<$ty>> = $a.iter().zip(&$b).map(|(a, b)| a.$method(*b)).collect();
        check(
            &expected,
            $message,
            |out, done| $kernel::cpu(&$a, &$b, out, done).grid(3).block(128).run(),
            |gpu, out, done| {
                let (a, b) = (gpu.upload(&$a)?, gpu.upload(&$b)?);
                $kernel::<$ty>(&a, &b, out, done).grid(3).block(128).run().map(|_| ())
            },
        );
    };
}

#[test]
fn signed_integers_overflow_as_in_rust() {
    every_pair!(i8);
    every_pair!(i16);
    every_pair!(i32);
    every_pair!(i64);
    every_pair!(isize);
}

#[test]
fn unsigned_integers_overflow_as_in_rust() {
    every_pair!(u8);
    every_pair!(u16);
    every_pair!(u32);
    every_pair!(u64);
    every_pair!(usize);
}

macro_rules! negatives {
    ($($ty:ident)*) => {$(
        let a = [$ty::MIN, $ty::MIN + 1, -1, 0, 1, $ty::MAX];
        check(
            &a.map(|a| a.checked_neg()),
            "attempt to negate with overflow",
            |out, done| negative::cpu(&a, out, done).grid(1).block(32).run(),
            |gpu, out, done| negative::<$ty>(&gpu.upload(&a)?, out, done).grid(1).block(32).run().map(|_| ()),
        );
    )*};
}

#[test]
fn the_least_number_has_no_negative() {
    negatives!(i8 i16 i32 i64 isize);
}

/// One thread for each way to overflow; the others are given what fits.
#[kernel(checks(overflow))]
fn many_ways(way: u32, large: u32, small: i32, wide: u64, amount: i32, out: &mut [i64]) {
    let mut total = 0;
    if way == 0 {
        total = (large << amount) as i64;
    } else if way == 1 {
        total = (small >> amount as u8) as i64;
    } else if way == 2 {
        total = (wide << amount) as i64;
    } else if way == 3 {
        total = small.abs() as i64;
    } else if way == 4 {
        total = large.pow(3) as i64;
    } else if way == 5 {
        total = large.next_power_of_two() as i64;
    } else if way == 6 {
        total = large.next_multiple_of(1000) as i64;
    } else if way == 7 {
        total = [large, large, 7].iter().sum::<u32>() as i64;
    } else if way == 8 {
        total = [large, 3].iter().product::<u32>() as i64;
    } else if way == 9 {
        total = (I32x2::splat(small) - I32x2::new(1, 2)).x as i64;
    } else if way == 10 {
        total = U32x2::splat(large).sum() as i64;
    } else if way == 11 {
        let mut count = large;
        count += 0x8000_0000;
        total = count as i64;
    } else if way == 12 {
        total = (large.wrapping_add(large) as u64
            + large.saturating_mul(3) as u64
            + u64::from(large.wrapping_pow(9))) as i64;
    }
    out[0] = total;
}

#[test]
fn every_method_that_rust_checks() {
    let mut lines = String::new();
    for way in 0..13 {
        for (large, small, wide, amount) in
            [(1000, -7, 9, 3), (0xc000_0000, i32::MIN, 1, 64), (0xc000_0000, i32::MIN, 1, -1)]
        {
            let mut out = [0];
            let ran = many_ways::cpu(way, large, small, wide, amount, &mut out).grid(1).block(1).run();
            let tell = |ran: Result<()>, out: i64| match ran {
                Ok(()) => out.to_string(),
                Err(Error::KernelPanicked { message, .. }) => message,
                Err(error) => panic!("{error}"),
            };
            let expected = tell(ran, out[0]);
            for gpu in devices() {
                let mut out = gpu.zeros::<i64>(1).unwrap_or_else(|error| panic!("{error}"));
                let ran = many_ways(way, large, small, wide, amount, &mut out).grid(1).block(1).run();
                let value = out.to_vec().unwrap_or_else(|error| panic!("{error}"))[0];
                assert_eq!(tell(ran.map(|_| ()), value), expected, "way {way} on {}", gpu.describe());
            }
            lines += &format!("{way}: {expected}\n");
        }
    }
    expect![[r#"
        0: 8000
        0: attempt to shift left with overflow
        0: attempt to shift left with overflow
        1: -1
        1: attempt to shift right with overflow
        1: attempt to shift right with overflow
        2: 72
        2: attempt to shift left with overflow
        2: attempt to shift left with overflow
        3: 7
        3: attempt to negate with overflow
        3: attempt to negate with overflow
        4: 1000000000
        4: attempt to multiply with overflow
        4: attempt to multiply with overflow
        5: 1024
        5: attempt to add with overflow
        5: attempt to add with overflow
        6: 1000
        6: 3221226000
        6: 3221226000
        7: 2007
        7: attempt to add with overflow
        7: attempt to add with overflow
        8: 3000
        8: attempt to multiply with overflow
        8: attempt to multiply with overflow
        9: -8
        9: attempt to subtract with overflow
        9: attempt to subtract with overflow
        10: 2000
        10: attempt to add with overflow
        10: attempt to add with overflow
        11: 2147484648
        11: attempt to add with overflow
        11: attempt to add with overflow
        12: 3892319112
        12: 6442450943
        12: 6442450943
    "#]]
    .assert_eq(&lines);
}

#[kernel(checks(overflow))]
fn one_of_two(x: &[u8], out: &mut [u8]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        let kept = x[i] + 1;
        out[i] = kept * 2;
    }
}

/// The place is that of the operation, as rustc has it.
#[test]
fn panics_name_the_operation() {
    let mut places = Vec::new();
    for value in [255u8, 127] {
        let place = |place: &str, ran: Result<()>| match ran {
            Err(Error::KernelPanicked { message, file, line, column, thread, .. }) => {
                assert!(file.ends_with("overflow.rs"), "{file}");
                format!("{message} at {}:{column} in thread {}", line, thread[0])
            }
            other => panic!("on {place}: {other:?}"),
        };
        let expected = place("the CPU", one_of_two::cpu(&[0, 0, value], &mut [0; 3]).grid(1).block(3).run());
        for gpu in devices() {
            let run = || {
                let (x, mut out) = (gpu.upload(&[0, 0, value])?, gpu.zeros::<u8>(3)?);
                one_of_two(&x, &mut out).grid(1).block(3).run().map(|_| ())
            };
            let place = place(&gpu.describe(), run());
            assert_eq!(place, expected, "on {}", gpu.describe());
        }
        places.push(expected);
    }
    // Lines count from the kernel's.
    let first = one_of_two::KERNEL.data().line;
    let relative = places.iter().map(|place| {
        let (before, rest) = place.split_once(" at ").expect("a place is in it");
        let (line, after) = rest.split_once(':').expect("a line is in it");
        format!("{before} at +{}:{after}\n", line.parse::<u32>().expect("lines are numbers") - first)
    });
    expect![[r#"
        attempt to add with overflow at +3:20 in thread 2
        attempt to multiply with overflow at +4:18 in thread 2
    "#]]
    .assert_eq(&relative.collect::<String>());
}

#[kernel(checks(overflow))]
fn sums_of_items(of_options: bool, x: &[u8], out: &mut [u8]) {
    let kept = x.iter().copied();
    let of_values = if of_options { 0 } else { kept.sum() };
    let of_some =
        if of_options { x.iter().map(|v| v.checked_add(0)).sum::<Option<u8>>().unwrap_or(0) } else { 0 };
    out[0] = of_values + of_some;
}

/// Also of iterators that are values, and of options.
#[test]
fn sums_of_items_are_checked() {
    for of_options in [false, true] {
        let panics = |ran: Result<()>| match ran {
            Err(Error::KernelPanicked { message, .. }) => message == "attempt to add with overflow",
            _ => false,
        };
        assert!(panics(sums_of_items::cpu(of_options, &[200, 100], &mut [0]).grid(1).block(1).run()));
        for gpu in devices() {
            let run = |x: &[u8]| {
                let (x, mut out) = (gpu.upload(x)?, gpu.zeros::<u8>(1)?);
                sums_of_items(of_options, &x, &mut out).grid(1).block(1).run()?;
                out.to_vec()
            };
            assert!(panics(run(&[200, 100]).map(|_| ())), "on {}", gpu.describe());
            assert_eq!(run(&[200, 50]).expect("it fits"), [250]);
        }
    }
}

/// Of its counters and indices one may overflow: `i * 2 + j`, for `n` can be anything.
#[kernel(checks(overflow))]
fn indices_only(n: usize, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i + 1 < out.len() && i >= 1 {
        let mut sum = 0.0;
        for j in 0..n {
            if i * 2 + j < x.len() {
                sum += x[i * 2 + j];
            }
        }
        let mut k = 0;
        while k < 16 {
            sum += x[(i + k) % 16];
            k += 1;
        }
        out[i - 1] = sum + out[i + 1];
    }
}

#[test]
fn counters_and_indices_need_no_checks() {
    let report = indices_only::KERNEL.report().to_string();
    // Lines of this file move.
    let checks = report.lines().filter_map(|line| {
        let (place, check) = line.trim().split_once("  ").filter(|row| row.1.contains("without overflow"))?;
        Some(format!("{}: {}\n", place.rsplit(':').next()?, check.trim()))
    });
    expect![[r#"
        8: sum without overflow: proved, no check
        16: product without overflow: proved, no check
        16: sum without overflow: no check where `n < 1 << 31 && grid_dim().x * block_dim().x <= 1 << 31`
        26: sum without overflow: proved, no check
        26: product without overflow: proved, no check
        22: sum without overflow: proved, no check
        13: sum without overflow: proved, no check
        13: difference without overflow: proved, no check
        32: sum without overflow: proved, no check
    "#]]
    .assert_eq(&checks.collect::<String>());
}

/// A loop that counts with a checked sum is unrolled as any other.
#[kernel(checks(overflow))]
fn unrolled(x: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    if i < out.len() && i + 8 <= x.len() {
        let (mut k, mut sum) = (0, 0);
        #[unroll]
        while k < 8 {
            sum += x[i + k];
            k += 1;
        }
        let mut step = 1u32;
        #[unroll]
        for round in 0..4u32 {
            sum = sum.wrapping_mul(step) ^ (round * 3);
            step *= 5;
        }
        out[i] = sum;
    }
}

#[test]
fn checked_counters_unroll() {
    assert!(!unrolled::KERNEL.ptx().contains("mul.hi"), "factors are constants");
    let report = unrolled::KERNEL.report().to_string();
    let loops = report.lines().filter_map(|line| line.find("loop ").map(|at| format!("{}\n", &line[at..])));
    let checks = report.lines().filter(|line| line.contains("without overflow: checked")).count();
    expect![[r#"
        loop unrolled whole: 8 rounds
        loop unrolled whole: 4 rounds
        checks left: 1
    "#]]
    .assert_eq(&format!("{}checks left: {checks}\n", loops.collect::<String>()));
}

/// The right side of `&&` and `||` is not computed where the left one decides.
#[kernel(checks(overflow))]
fn ruled_out(x: &[i32], out: &mut [u32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        let v = x[i];
        let is_small = v != i32::MIN && -v < 5;
        let is_great = v == i32::MAX || v + 1 > 7;
        out[i] = u32::from(is_small) + 2 * u32::from(is_great);
    }
}

#[test]
fn sides_that_do_not_count_overflow_nothing() -> Result<()> {
    let (x, expected) = ([i32::MIN, i32::MAX, 3, -5], [0, 3, 1, 0]);
    let mut out = [9; 4];
    ruled_out::cpu(&x, &mut out).grid(1).block(4).run()?;
    assert_eq!(out, expected);
    for gpu in devices() {
        let mut out = gpu.zeros::<u32>(4)?;
        ruled_out(&gpu.upload(&x)?, &mut out).grid(1).block(4).run()?;
        assert_eq!(out.to_vec()?, expected, "on {}", gpu.describe());
    }
    Ok(())
}
