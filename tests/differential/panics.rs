//! Threads that panic: the same message and place everywhere. One thread panics, so that it is the first.

use expect_test::{Expect, expect};

use crate::harness::agree;

mod kernels {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn read(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        results[i] = floats[i];
        out[i] = ints[if i == 70 { 512 + n as usize } else { i }] as u64;
    }

    #[kernel]
    pub fn write(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let at = if i == 5 { i - n as usize } else { i };
        results[i] = floats[i];
        out[at] = ints[i] as u64;
    }

    #[kernel]
    pub fn divide(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        results[i] = floats[i];
        out[i] = (n / (i as i32 - 77)) as u64 + ints[i] as u64;
    }

    #[kernel]
    pub fn remainder_of_min(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        results[i] = floats[i];
        // ints[6] is MIN.
        out[i] = (ints[i] % (i as i32 - 7)) as u64 + n as u64;
    }

    #[kernel]
    pub fn no_step(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        results[i] = floats[i];
        for j in (0..n).step_by(i % 90) {
            out[i] += ints[j as usize] as u64;
        }
    }

    #[kernel]
    pub fn shared_row(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let mut tile = shared::<[[i32; 8]; 16]>();
        let i = thread_idx().x;
        tile[i / 8][i % 8] = ints[i] + n;
        barrier();
        results[i] = floats[i];
        out[i] = tile[3][if i == 9 { 8 } else { 2 }] as u64;
    }
}

macro_rules! check {
    ($kernel:ident, $grid:expr, $block:expr, $expected:expr) => {{
        let outcome = agree(
            &kernels::$kernel::KERNEL,
            $grid,
            $block,
            |n, ints, floats, out, results| kernels::$kernel::cpu(n, ints, floats, out, results),
            |n, ints, floats, out, results| kernels::$kernel(n, ints, floats, out, results),
        );
        check_ending(outcome, $expected);
    }};
}

fn check_ending(outcome: crate::harness::Outcome, expected: Expect) {
    let ending = outcome.expect_err("a thread panics");
    // The path depends on where cargo was started.
    let (_, ending) = ending.split_once("panics.rs:").expect("the place is in this file");
    expected.assert_eq(ending);
}

#[test]
fn index_read() {
    check!(
        read,
        4,
        128,
        expect!["14:18: index out of bounds: the len is 512 but the index is 549 in [70, 0, 0] of [0, 0, 0]"]
    );
}

#[test]
fn index_written() {
    check!(
        write,
        1,
        128,
        expect![
            "22:9: index out of bounds: the len is 512 but the index is 18446744073709551584 in [5, 0, 0] of [0, 0, 0]"
        ]
    );
}

#[test]
fn division_by_zero() {
    check!(divide, 1, 128, expect!["29:18: attempt to divide by zero in [77, 0, 0] of [0, 0, 0]"]);
}

#[test]
fn remainder_of_the_minimum_by_minus_one() {
    check!(
        remainder_of_min,
        1,
        7,
        expect!["37:18: attempt to calculate the remainder with overflow in [6, 0, 0] of [0, 0, 0]"]
    );
}

#[test]
fn step_of_zero() {
    check!(no_step, 1, 64, expect!["44:25: assertion failed: step != 0 in [0, 0, 0] of [0, 0, 0]"]);
}

#[test]
fn row_of_shared_memory() {
    check!(
        shared_row,
        1,
        128,
        expect!["56:18: index out of bounds: the len is 8 but the index is 8 in [9, 0, 0] of [0, 0, 0]"]
    );
}
