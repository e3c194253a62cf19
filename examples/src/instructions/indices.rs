//! Indices of 32 and of 64 bits: the same kernel, the quantile of the normal distribution after Moro, and what each takes.

// The coefficients as they were published.
#![allow(clippy::excessive_precision)]

use kernel_runtime::prelude::*;

use crate::runs::each;
use crate::{Example, Outcome, random};

/// The kernels, which share the function.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// The quantile of the normal distribution: "The full Monte", B. Moro, Risk 8, 1995.
    #[device]
    pub fn moro(probability: f32) -> f32 {
        let y = probability - 0.5;
        if y.abs() < 0.42 {
            let r = y * y;
            let numerator = ((-25.441_06 * r + 41.391_197) * r - 18.615_0) * r + 2.506_628_3;
            let denominator = (((3.130_829 * r - 21.062_24) * r + 23.083_367) * r - 8.473_511) * r + 1.0;
            y * numerator / denominator
        } else {
            let tail = if y > 0.0 { 1.0 - probability } else { probability };
            let r = (-tail.ln()).ln();
            let mut value = 3.960_315_2e-7f32;
            value = value * r + 2.888_167_4e-7;
            value = value * r + 3.217_678_8e-5;
            value = value * r + 3.951_896_5e-4;
            value = value * r + 3.840_572_9e-3;
            value = value * r + 2.764_388_1e-2;
            value = value * r + 1.607_979_7e-1;
            value = value * r + 9.761_690_2e-1;
            value = value * r + 3.374_754_8e-1;
            if y < 0.0 { -value } else { value }
        }
    }

    /// Indices of 32 bits, as ever.
    #[kernel]
    pub fn quantiles(probabilities: &[f32], out: &mut [f32]) {
        let mut i = global_idx().x;
        while i < probabilities.len() && i < out.len() {
            out[i] = moro(probabilities[i]);
            i += global_size().x;
        }
    }

    /// Indices of 64 bits, for slices of 2³² elements and more.
    #[kernel(index(u64))]
    pub fn quantiles_wide(probabilities: &[f32], out: &mut [f32]) {
        let mut i = global_idx().x;
        while i < probabilities.len() && i < out.len() {
            out[i] = moro(probabilities[i]);
            i += global_size().x;
        }
    }
}

use kernels::{moro, quantiles, quantiles_wide};

const TOPIC: &str = "instructions";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&quantiles::KERNEL, TOPIC, "normal quantiles, 32-bit indices", 8, |gpu, n| {
        run(gpu, n, |x, out| quantiles(x, out).grid(132).block(256).run())
    }),
    Example::new(&quantiles_wide::KERNEL, TOPIC, "normal quantiles, 64-bit indices", 8, |gpu, n| {
        run(gpu, n, |x, out| quantiles_wide(x, out).grid(132).block(256).run())
    }),
];

fn run(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // The ends, where the quantile is infinite, are left out.
    let host: Vec<f32> = random(31, n).into_iter().map(|x| 0.001 + 0.998 * x).collect();
    each(gpu, &host, 1e-5, moro, launch)
}
