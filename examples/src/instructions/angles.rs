//! Tests of the angle between two directions against a limit: by the arc cosine, or by comparing cosines.

use std::f32::consts::{FRAC_PI_4, PI};

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// The angle itself, which nobody needs.
#[kernel]
pub fn angle_acos(limit: f32, pairs: &[F32x4], out: &mut [f32]) {
    let i = global_idx().x;
    if i < pairs.len() && i < out.len() {
        let v = pairs[i];
        let (x, y) = (v.x.hypot(v.y), v.z.hypot(v.w));
        let cos = (v.x / x) * (v.z / y) + (v.y / x) * (v.w / y);
        out[i] = (cos.clamp(-1.0, 1.0).acos() < limit) as u32 as f32;
    }
}

/// Angles below π have the order of their cosines, the other way round; and lengths are multiplied, not divided by.
#[kernel]
pub fn angle_cosine(cos_limit: f32, pairs: &[F32x4], out: &mut [f32]) {
    let i = global_idx().x;
    if i < pairs.len() && i < out.len() {
        let v = pairs[i];
        let dot = v.x * v.z + v.y * v.w;
        let squares = (v.x * v.x + v.y * v.y) * (v.z * v.z + v.w * v.w);
        out[i] = (dot > cos_limit * squares.sqrt()) as u32 as f32;
    }
}

const TOPIC: &str = "instructions";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&angle_acos::KERNEL, TOPIC, "angle below a limit, arc cosine", 20, |gpu, n| {
        run(gpu, n, |pairs, out| angle_acos(FRAC_PI_4, pairs, out).over(n).run())
    }),
    Example::new(&angle_cosine::KERNEL, TOPIC, "angle below a limit, cosines compared", 20, |gpu, n| {
        run(gpu, n, |pairs, out| angle_cosine(FRAC_PI_4.cos(), pairs, out).over(n).run())
    }),
];

fn run(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<F32x4>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // 16 angles between 0 and π, none near the limit, and any lengths and turns.
    let angle = |x: f32| ((x * 16.0).floor() + 0.5) * PI / 16.0;
    let angles: Vec<f32> = random(27, n).into_iter().map(angle).collect();
    let (turns, lengths) = (random(28, n), random(29, n));
    let pair = |k: usize| {
        let ((a, b), (c, d)) = ((turns[k] * 2.0 * PI).sin_cos(), (turns[k] * 2.0 * PI + angles[k]).sin_cos());
        let length = lengths[k] + 0.5;
        F32x4::new(a * length, b * length, c / length, d / length)
    };
    let pairs: Vec<F32x4> = (0..n).into_par_iter().map(pair).collect();
    let expected = angles.iter().map(|&angle| if angle < FRAC_PI_4 { 1.0 } else { 0.0 }).collect();
    from_slice(gpu, &pairs, expected, 0.0, launch)
}
