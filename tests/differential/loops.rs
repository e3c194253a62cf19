//! Loops: ranges with their adaptors and ends, labels, values, early exits.

use crate::harness::cases;

mod kernels {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn plain_ranges(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let mut sum = 0.0;
        for j in 0..(i % 40) {
            sum += floats[20 + j] * 0.25;
        }
        let mut count = 0u64;
        for k in ints[i].max(-50)..n {
            count = count * 3 + k as u64;
        }
        out[i] = count;
        results[i] = sum;
    }

    #[kernel]
    pub fn ranges_to_the_end(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let mut all = 0u64;
        for b in (250 + (i % 6)) as u8..=u8::MAX {
            all = all * 5 + b as u64;
        }
        for b in i8::MIN..=(-120 - (i % 9) as i8) {
            all = all * 7 + b as u64;
        }
        for b in (i32::MAX - 3)..=i32::MAX {
            all = all * 11 + b as u64;
        }
        for b in (u64::MAX - 5..=u64::MAX).rev() {
            all = all * 13 + b;
        }
        for b in (0..=(i % 3)).rev() {
            all = all * 17 + b as u64;
        }
        for b in 5..=3 {
            all = b;
        }
        out[i] = all + (ints[i] - n) as u64;
        results[i] = floats[i];
    }

    #[kernel]
    pub fn steps(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let step = i % 7 + 1;
        let mut all = 0u64;
        for j in (3..40).step_by(step) {
            all = all * 3 + j;
        }
        for j in (3..=40i16).step_by(step) {
            all = all * 5 + j as u64;
        }
        for j in (0..40).rev().step_by(step) {
            all = all * 7 + j;
        }
        for j in (-20..n).step_by(step).rev() {
            all = all * 11 + j as u64;
        }
        for j in (0..=60u8).step_by(step).rev().step_by(2) {
            all = all * 13 + j as u64;
        }
        for j in (0..100usize).step_by(step).step_by(3) {
            all = all * 17 + j as u64;
        }
        for j in (200..=u8::MAX).step_by(50) {
            all = all * 19 + j as u64;
        }
        for j in (i8::MIN..i8::MAX).step_by(100) {
            all = all * 23 + j as u64;
        }
        for j in (5..10u32).step_by(usize::MAX) {
            all = all * 29 + j as u64;
        }
        for j in (0..=u64::MAX).step_by(usize::MAX) {
            all = all * 31 + j + 1;
        }
        for j in (9..2).rev().step_by(step) {
            all = j as u64;
        }
        out[i] = all + ints[i] as u64;
        results[i] = floats[i];
    }

    #[kernel]
    pub fn grid_stride(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        for i in (global_idx().x..results.len()).step_by(global_size().x) {
            results[i] = floats[i] * n as f32 + 1.0;
        }
        let mut i = global_idx().x;
        while i < out.len() {
            out[i] = ints[i] as u64 + 1;
            i += global_size().x;
        }
    }

    #[kernel]
    pub fn labels_and_values(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let mut seen = 0;
        let found = 'outer: loop {
            for j in i..i + 10 {
                if ints[j % ints.len()] == n {
                    continue;
                }
                seen += 1;
                if ints[j % ints.len()] > 1000 {
                    break 'outer j as u64;
                }
                let mut k = j;
                while k > 0 {
                    k /= 2;
                    if k == 17 {
                        break;
                    }
                    if k == 33 {
                        break 'outer 5;
                    }
                }
            }
            break 999;
        };
        // Collatz: the number of steps differs from thread to thread.
        let mut value = i as u32 + 1;
        let mut steps = 0u32;
        let reached = loop {
            if value == 1 {
                break true;
            }
            if steps > 100 {
                break false;
            }
            value = if value % 2 == 0 { value / 2 } else { 3 * value + 1 };
            steps += 1;
        };
        out[i] = found * 1_000_000 + seen * 1000 + steps as u64 + (reached as u64) * 7;
        if floats[i] > 100.0 {
            return;
        }
        results[i] = floats[i];
    }

    #[kernel]
    pub fn blocks_and_shadows(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let x = floats[i];
        let x = {
            let x = x * 2.0;
            let y = x + 1.0;
            x - y * 0.5
        };
        let mut total = 0u64;
        'rows: for row in 0..8 {
            for column in 0..8u64 {
                if column > row {
                    continue 'rows;
                }
                if row * column > n as u64 {
                    break 'rows;
                }
                total += row * 10 + column;
            }
        }
        let _ = ints[i];
        out[i] = total + i as u64;
        results[i] = x;
    }
}

cases! { kernels:
    plain_ranges: 4, 128;
    ranges_to_the_end: 2, 256;
    steps: 4, 128;
    grid_stride: 2, 96;
    labels_and_values: 4, 128;
    blocks_and_shadows: 4, 128;
}
