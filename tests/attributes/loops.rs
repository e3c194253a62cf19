//! `#[unroll]`, `#[ilp]`, `#[prefetch]`

// Loops over indices are what the attributes are about.
#![allow(
    clippy::needless_range_loop,
    clippy::manual_is_multiple_of,
    clippy::while_let_loop,
    clippy::explicit_counter_loop
)]

use crate::harness::{Pair, same_results};

/// A median of five: local arrays whose indices, and inner bounds, follow from unrolled counters.
mod unroll_whole {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        const TAPS: usize = 5;
        let i = global_idx().x;
        if i < out.len() {
            let mut window = [0.0f32; TAPS];
            #[unroll]
            for t in 0..TAPS {
                window[t] = x[(i + t) % x.len()];
            }
            #[unroll]
            for a in 0..TAPS {
                #[unroll]
                for b in a + 1..TAPS {
                    if window[b] < window[a] {
                        (window[a], window[b]) = (window[b], window[a]);
                    }
                }
            }
            out[i] = window[TAPS / 2];
        }
    }
}

mod unroll_whole_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        const TAPS: usize = 5;
        let i = global_idx().x;
        if i < out.len() {
            let mut window = [0.0f32; TAPS];
            for t in 0..TAPS {
                window[t] = x[(i + t) % x.len()];
            }
            for a in 0..TAPS {
                for b in a + 1..TAPS {
                    if window[b] < window[a] {
                        (window[a], window[b]) = (window[b], window[a]);
                    }
                }
            }
            out[i] = window[TAPS / 2];
        }
    }
}

/// Whole `while` and `loop` with what is known of their counters.
mod unroll_while {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [u32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut bits = x[i].to_bits();
            let mut shift = 16u32;
            #[unroll]
            while shift > 0 {
                bits ^= bits >> shift;
                shift /= 2;
            }
            let mut round = 0u32;
            #[unroll]
            loop {
                bits = bits.wrapping_mul(2 * round + 3);
                if round == 5 {
                    break;
                }
                round += 1;
            }
            out[i] = bits;
        }
    }
}

mod unroll_while_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [u32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut bits = x[i].to_bits();
            let mut shift = 16u32;
            while shift > 0 {
                bits ^= bits >> shift;
                shift /= 2;
            }
            let mut round = 0u32;
            loop {
                bits = bits.wrapping_mul(2 * round + 3);
                if round == 5 {
                    break;
                }
                round += 1;
            }
            out[i] = bits;
        }
    }
}

/// A loop of unknown length, by four with a remainder.
mod unroll_by {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut sum = 0.0f32;
            #[unroll(4)]
            for j in 0..i % 23 {
                sum = sum * 0.5 + x[j];
            }
            out[i] = sum;
        }
    }
}

mod unroll_by_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut sum = 0.0f32;
            for j in 0..i % 23 {
                sum = sum * 0.5 + x[j];
            }
            out[i] = sum;
        }
    }
}

/// A loop that does not count: each copy has its test.
mod unroll_tests {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [u32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut n = i as u32 + 1;
            let mut steps = 0u32;
            #[unroll(3)]
            loop {
                if n == 1 {
                    break;
                }
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            out[i] = steps + x[i] as u32;
        }
    }
}

mod unroll_tests_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [u32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut n = i as u32 + 1;
            let mut steps = 0u32;
            loop {
                if n == 1 {
                    break;
                }
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            out[i] = steps + x[i] as u32;
        }
    }
}

/// A loop that stays one.
mod unroll_one {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut sum = 0.0f32;
            #[unroll(1)]
            for j in 0..8 {
                sum = sum * 0.5 + x[(i + j) % 1000];
            }
            out[i] = sum;
        }
    }
}

mod unroll_one_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            let mut sum = 0.0f32;
            for j in 0..8 {
                sum = sum * 0.5 + x[(i + j) % 1000];
            }
            out[i] = sum;
        }
    }
}

/// A grid-stride sum: four loads, then four additions that do not wait for each other.
mod ilp_sum {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let thread = thread_idx().x + block_dim().x * (block_idx().x % 2);
        let mut sum = 0.0f32;
        let mut i = thread;
        #[ilp(4)]
        while i < x.len() {
            sum += x[i];
            i += 37;
        }
        if global_idx().x < out.len() {
            out[global_idx().x] = sum;
        }
    }
}

mod ilp_sum_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let thread = thread_idx().x + block_dim().x * (block_idx().x % 2);
        let mut sum = 0.0f32;
        let mut i = thread;
        while i < x.len() {
            sum += x[i];
            i += 37;
        }
        if global_idx().x < out.len() {
            out[global_idx().x] = sum;
        }
    }
}

/// Products of two slices of one array, whose bounds are checked once for three iterations.
mod ilp_dot {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let ahead = &x[i % 11..];
        let mut sum = 0.5f32;
        #[ilp(3)]
        for j in (i % 7..400).step_by(5) {
            sum += x[j] * ahead[j];
        }
        if i < out.len() {
            out[i] = sum;
        }
    }
}

mod ilp_dot_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let ahead = &x[i % 11..];
        let mut sum = 0.5f32;
        for j in (i % 7..400).step_by(5) {
            sum += x[j] * ahead[j];
        }
        if i < out.len() {
            out[i] = sum;
        }
    }
}

/// Every reduction of integers, several in one loop, some under conditions.
mod ilp_integers {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [u32]) {
        let i = global_idx().x;
        let (mut sum, mut product, mut parity) = (1u32, 1u32, 0u32);
        let (mut all, mut any) = (u32::MAX, 0u32);
        let (mut least, mut most) = (i32::MAX, i32::MIN);
        let mut found = false;
        #[ilp(4)]
        for value in x[..i % 50].iter() {
            let bits = value.to_bits();
            sum += bits >> 7;
            product = product.wrapping_mul(bits | 1);
            parity ^= bits;
            all &= bits | 0xff;
            if *value > 0.0 {
                any |= bits;
            }
            least = least.min(bits as i32);
            most = (bits as i32).max(most);
            found |= *value == 0.0;
        }
        if i < out.len() {
            out[i] = sum ^ product ^ parity ^ all ^ any ^ least as u32 ^ most as u32 ^ found as u32;
        }
    }
}

mod ilp_integers_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [u32]) {
        let i = global_idx().x;
        let (mut sum, mut product, mut parity) = (1u32, 1u32, 0u32);
        let (mut all, mut any) = (u32::MAX, 0u32);
        let (mut least, mut most) = (i32::MAX, i32::MIN);
        let mut found = false;
        for value in x[..i % 50].iter() {
            let bits = value.to_bits();
            sum += bits >> 7;
            product = product.wrapping_mul(bits | 1);
            parity ^= bits;
            all &= bits | 0xff;
            if *value > 0.0 {
                any |= bits;
            }
            least = least.min(bits as i32);
            most = (bits as i32).max(most);
            found |= *value == 0.0;
        }
        if i < out.len() {
            out[i] = sum ^ product ^ parity ^ all ^ any ^ least as u32 ^ most as u32 ^ found as u32;
        }
    }
}

/// The least and the greatest of floats.
mod ilp_extremes {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        let mut j = i % 100;
        #[ilp(8)]
        loop {
            if j >= x.len() {
                break;
            }
            least = least.min(x[j]);
            most = most.max(x[j]);
            j += 9 + i % 3;
        }
        if i < out.len() {
            out[i] = most - least;
        }
    }
}

mod ilp_extremes_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        let mut j = i % 100;
        loop {
            if j >= x.len() {
                break;
            }
            least = least.min(x[j]);
            most = most.max(x[j]);
            j += 9 + i % 3;
        }
        if i < out.len() {
            out[i] = most - least;
        }
    }
}

/// The next element is loaded while this one is worked on.
mod prefetch_one {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let mut state = 0.0f32;
        let mut j = i % 13;
        #[prefetch(1)]
        while j < x.len() {
            state = state * 0.5 + x[j];
            j += 29 + i % 2;
        }
        if i < out.len() {
            out[i] = state;
        }
    }
}

mod prefetch_one_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let mut state = 0.0f32;
        let mut j = i % 13;
        while j < x.len() {
            state = state * 0.5 + x[j];
            j += 29 + i % 2;
        }
        if i < out.len() {
            out[i] = state;
        }
    }
}

/// Three iterations ahead, of two loads that are checked.
mod prefetch_three {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let (left, right) = (&x[..600], &x[i % 5..]);
        let mut state = 0.0f32;
        #[prefetch(3)]
        for j in (0..20 + i % 40).rev() {
            state = state * 0.25 + left[j] - right[2 * j + 1];
        }
        if i < out.len() {
            out[i] = state;
        }
    }
}

mod prefetch_three_plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let (left, right) = (&x[..600], &x[i % 5..]);
        let mut state = 0.0f32;
        for j in (0..20 + i % 40).rev() {
            state = state * 0.25 + left[j] - right[2 * j + 1];
        }
        if i < out.len() {
            out[i] = state;
        }
    }
}

#[test]
fn unrolling_changes_nothing() {
    same_results!("unroll_whole", unroll_whole, unroll_whole_plain);
    same_results!("unroll_while", unroll_while, unroll_while_plain);
    same_results!("unroll_by", unroll_by, unroll_by_plain);
    same_results!("unroll_tests", unroll_tests, unroll_tests_plain);
    same_results!("unroll_one", unroll_one, unroll_one_plain);
}

// The sums of the harness's floats are exact, so their order does not matter.
#[test]
fn chains_change_nothing_that_is_exact() {
    same_results!("ilp_sum", ilp_sum, ilp_sum_plain);
    same_results!("ilp_dot", ilp_dot, ilp_dot_plain);
    same_results!("ilp_integers", ilp_integers, ilp_integers_plain);
    same_results!("ilp_extremes", ilp_extremes, ilp_extremes_plain);
}

#[test]
fn loading_ahead_changes_nothing() {
    same_results!("prefetch_one", prefetch_one, prefetch_one_plain);
    same_results!("prefetch_three", prefetch_three, prefetch_three_plain);
}

/// Sums that are rounded, so that their order shows; two chains at once, early ends.
mod rounded {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let (mut sum, mut product, mut j) = (0.1f32, 1.0f32, i % 10);
        let last;
        #[ilp(4)]
        loop {
            if j >= 300 {
                last = j;
                break;
            }
            let value = x[j] * 0.1;
            if value > 0.85 {
                last = 2 * j;
                break;
            }
            j += 1 + i % 4;
            if value < -0.8 {
                continue;
            }
            sum += value;
            product *= 1.0 + value * value;
        }
        if i < out.len() {
            out[i] = sum + product + last as f32;
        }
    }
}

/// The order of additions is the same on the CPU, the simulator and a GPU.
#[test]
fn chains_add_in_the_same_order_everywhere() {
    Pair { cpu: |x, out| rounded::k::cpu(x, out), device: |x, out| rounded::k(x, out) }.result();
}
