//! As many multiply-adds as a device can do: eight chains a thread, which do not wait for each other, and next to no memory.

use kernel_runtime::prelude::*;

use crate::runs::each;
use crate::{Example, Outcome, random};

/// Multiply-adds of each thread in an iteration.
pub const IN_A_ROUND: usize = 64;

/// Eight chains of eight multiply-adds an iteration.
#[kernel(block(256))]
pub fn multiply_add_peak(rounds: usize, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        let mut values = [0.0f32; 8];
        #[unroll]
        for (k, value) in values.iter_mut().enumerate() {
            *value = x[i] + k as f32;
        }
        for _ in 0..rounds {
            #[unroll]
            for _ in 0..8 {
                #[unroll]
                for value in values.iter_mut() {
                    *value = *value * 0.75 + 0.125;
                }
            }
        }
        let mut sum = 0.0f32;
        #[unroll]
        for value in values {
            sum += value;
        }
        out[i] = sum;
    }
}

/// The run of the kernel.
pub static EXAMPLES: &[Example] =
    &[Example::new(&multiply_add_peak::KERNEL, "ilp", "eight chains of multiply-adds", 8, |gpu, n| {
        run(gpu, n.min(1 << 14), 4)
    })];

/// Runs so many iterations of each of `n` threads.
pub fn run(gpu: &Gpu, n: usize, rounds: usize) -> Result<Outcome> {
    let value = |start: f32| (0..8 * rounds).fold(start, |value, _| value.mul_add(0.75, 0.125));
    let reference = |x: f32| (0..8).fold(0.0, |sum, k| sum + value(x + k as f32));
    each(gpu, &random(60, n), 0.0, reference, |x, out| multiply_add_peak(rounds, x, out).over(n).run())
}
