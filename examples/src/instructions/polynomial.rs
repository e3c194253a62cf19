//! A polynomial of degree 64, evaluated 32 times for each element, from the slowest way to the fastest.
//!
//! P(x) = 1 + x/2 + x²/3 + … + x⁶⁴/65. Powers are as slow as they look; Horner's rule needs a multiply-add for each coefficient, each
//! of which waits for the one before; Estrin's scheme makes groups of four that do not wait for each other.

use kernel_runtime::prelude::*;

use crate::runs::each;
use crate::{Example, Outcome, random};

/// The kernels, which share the coefficients and where they evaluate.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// Evaluations per element.
    const EVALUATIONS: usize = 32;

    /// 1, 1/2, 1/3, …
    const COEFFICIENTS: [f32; 65] = {
        let mut c = [0.0; 65];
        let mut k = 0;
        while k < 65 {
            c[k] = 1.0 / (k as f32 + 1.0);
            k += 1;
        }
        c
    };

    /// The argument of an element's evaluation number `k`.
    #[device]
    fn place(x: f32, k: usize) -> f32 {
        x * (1.0 - k as f32 / 64.0)
    }

    /// Powers in `f64`.
    #[kernel]
    pub fn powers_f64(coefficients: &[f32], x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < out.len() {
            let mut sum = 0.0f64;
            for k in 0..EVALUATIONS {
                let at = place(x[i], k) as f64;
                for (power, c) in coefficients.iter().enumerate() {
                    sum += *c as f64 * at.powf(power as f64);
                }
            }
            out[i] = sum as f32;
        }
    }

    /// Powers in `f32`.
    #[kernel]
    pub fn powers_f32(coefficients: &[f32], x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < out.len() {
            let mut sum = 0.0f32;
            for k in 0..EVALUATIONS {
                let at = place(x[i], k);
                for (power, c) in coefficients.iter().enumerate() {
                    sum += c * at.powf(power as f32);
                }
            }
            out[i] = sum;
        }
    }

    /// Each power from the one before.
    #[kernel]
    pub fn running_power(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < out.len() {
            let mut sum = 0.0f32;
            for k in 0..EVALUATIONS {
                let at = place(x[i], k);
                let mut power = 1.0f32;
                #[unroll]
                for c in COEFFICIENTS {
                    sum += c * power;
                    power *= at;
                }
            }
            out[i] = sum;
        }
    }

    /// Horner's rule with products and sums of their own.
    #[kernel(fp_contract(off))]
    pub fn horner_unfused(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < out.len() {
            let mut sum = 0.0f32;
            for k in 0..EVALUATIONS {
                let at = place(x[i], k);
                let mut value = 0.0f32;
                #[unroll]
                for power in (0..65).rev() {
                    value = value * at + COEFFICIENTS[power];
                }
                sum += value;
            }
            out[i] = sum;
        }
    }

    /// Horner's rule, fused: half the instructions.
    #[kernel]
    pub fn horner_fused(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < out.len() {
            let mut sum = 0.0f32;
            for k in 0..EVALUATIONS {
                let at = place(x[i], k);
                let mut value = 0.0f32;
                #[unroll]
                for power in (0..65).rev() {
                    value = value * at + COEFFICIENTS[power];
                }
                sum += value;
            }
            out[i] = sum;
        }
    }

    /// Groups of four by Estrin, and Horner's rule over the groups: a chain of 16 instead of 64.
    #[kernel]
    pub fn estrin_horner(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < out.len() {
            let mut sum = 0.0f32;
            for k in 0..EVALUATIONS {
                let at = place(x[i], k);
                let squared = at * at;
                let fourth = squared * squared;
                let mut value = COEFFICIENTS[64];
                #[unroll]
                for group in (0..16).rev() {
                    let low = COEFFICIENTS[4 * group + 1] * at + COEFFICIENTS[4 * group];
                    let high = COEFFICIENTS[4 * group + 3] * at + COEFFICIENTS[4 * group + 2];
                    value = value * fourth + (high * squared + low);
                }
                sum += value;
            }
            out[i] = sum;
        }
    }
}

use kernels::{estrin_horner, horner_fused, horner_unfused, powers_f32, powers_f64, running_power};

const TOPIC: &str = "instructions";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&powers_f64::KERNEL, TOPIC, "polynomial of degree 64, powers in f64", 8, |gpu, n| {
        let coefficients = gpu.upload(&coefficients())?;
        run(gpu, n, |x, out| powers_f64(&coefficients, x, out).over(x.len()).run())
    }),
    Example::new(&powers_f32::KERNEL, TOPIC, "polynomial of degree 64, powers in f32", 8, |gpu, n| {
        let coefficients = gpu.upload(&coefficients())?;
        run(gpu, n, |x, out| powers_f32(&coefficients, x, out).over(x.len()).run())
    }),
    Example::new(&running_power::KERNEL, TOPIC, "polynomial of degree 64, a running power", 8, |gpu, n| {
        run(gpu, n, |x, out| running_power(x, out).over(x.len()).run())
    }),
    Example::new(
        &horner_unfused::KERNEL,
        TOPIC,
        "polynomial of degree 64, Horner, not fused",
        8,
        |gpu, n| run(gpu, n, |x, out| horner_unfused(x, out).over(x.len()).run()),
    ),
    Example::new(&horner_fused::KERNEL, TOPIC, "polynomial of degree 64, Horner", 8, |gpu, n| {
        run(gpu, n, |x, out| horner_fused(x, out).over(x.len()).run())
    }),
    Example::new(
        &estrin_horner::KERNEL,
        TOPIC,
        "polynomial of degree 64, Estrin, then Horner",
        8,
        |gpu, n| run(gpu, n, |x, out| estrin_horner(x, out).over(x.len()).run()),
    ),
];

fn coefficients() -> Vec<f32> {
    (1..=65).map(|k| 1.0 / k as f32).collect()
}

fn run(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let coefficients = coefficients();
    let value = |x: f32, k: usize| {
        let at = f64::from(x * (1.0 - k as f32 / 64.0));
        coefficients.iter().rev().fold(0.0, |value, &c| value * at + f64::from(c))
    };
    let reference = |x: f32| (0..32).map(|k| value(x, k)).sum::<f64>() as f32;
    // 2,080 powers for each element: few elements show it, but a GPU wants to be full.
    let fewer = if gpu.is_simulator() { 1024 } else { 32 };
    each(gpu, &random(24, n.div_ceil(fewer)), 1e-5, reference, launch)
}
