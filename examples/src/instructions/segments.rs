//! Crossings of each segment with those of another set: by the intersection of the lines, with a division; by comparisons, without one;
//! and by testing that the ends straddle the other line. A test of the bounding boxes before that pays if whole warps are apart.
//!
//! The fastest test depends on the numbers: division has a slow path for large ones, and products of them overflow, so that all
//! comparisons fail.

// Without branches between the comparisons.
#![allow(clippy::manual_range_contains)]

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// The kernels, which share the geometry. The host calls it as well.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// The cross product, with one rounding less than written out.
    #[device]
    pub fn cross(ax: f32, ay: f32, bx: f32, by: f32) -> f32 {
        ax.mul_add(by, -(ay * bx))
    }

    /// Returns true if the boxes around two segments, each from (x, y) to (z, w), touch.
    #[device]
    pub fn boxes_touch(a: F32x4, b: F32x4) -> bool {
        a.x.min(a.z) <= b.x.max(b.z)
            && b.x.min(b.z) <= a.x.max(a.z)
            && a.y.min(a.w) <= b.y.max(b.w)
            && b.y.min(b.w) <= a.y.max(a.w)
    }

    /// Returns true if the intersection of the lines lies within both segments, by its parameters.
    #[device]
    pub fn by_division(a: F32x4, b: F32x4) -> bool {
        let (rx, ry, sx, sy) = (a.z - a.x, a.w - a.y, b.z - b.x, b.w - b.y);
        let (qx, qy) = (b.x - a.x, b.y - a.y);
        let turn = cross(rx, ry, sx, sy);
        let t = cross(qx, qy, sx, sy) / turn;
        let u = cross(qx, qy, rx, ry) / turn;
        (t >= 0.0) & (t <= 1.0) & (u >= 0.0) & (u <= 1.0)
    }

    /// Compares as `by_division` does, with both sides multiplied by the divisor, whose sign then matters.
    #[device]
    pub fn by_comparison(a: F32x4, b: F32x4) -> bool {
        let (rx, ry, sx, sy) = (a.z - a.x, a.w - a.y, b.z - b.x, b.w - b.y);
        let (qx, qy) = (b.x - a.x, b.y - a.y);
        let turn = cross(rx, ry, sx, sy);
        let sign = 1.0f32.copysign(turn);
        let size = turn.abs();
        let t = cross(qx, qy, sx, sy) * sign;
        let u = cross(qx, qy, rx, ry) * sign;
        (t >= 0.0) & (t <= size) & (u >= 0.0) & (u <= size)
    }

    /// The ends of each lie on different sides of the other.
    #[device]
    pub fn by_straddle(a: F32x4, b: F32x4) -> bool {
        let (rx, ry, sx, sy) = (a.z - a.x, a.w - a.y, b.z - b.x, b.w - b.y);
        let b1 = cross(rx, ry, b.x - a.x, b.y - a.y);
        let b2 = cross(rx, ry, b.z - a.x, b.w - a.y);
        let a1 = cross(sx, sy, a.x - b.x, a.y - b.y);
        let a2 = cross(sx, sy, a.z - b.x, a.w - b.y);
        ((b1 <= 0.0) != (b2 <= 0.0)) & ((a1 <= 0.0) != (a2 <= 0.0))
    }

    /// By division; `BOXES` says whether the boxes are tested first.
    #[kernel(instances(BOXES = [false, true]))]
    pub fn crossings_division<const BOXES: bool>(segments: &[F32x4], others: &[F32x4], out: &mut [f32]) {
        let i = global_idx().x;
        if i < segments.len() && i < out.len() {
            let own = segments[i];
            let mut crossings = 0u32;
            for &other in others {
                if !BOXES || boxes_touch(own, other) {
                    crossings += by_division(own, other) as u32;
                }
            }
            out[i] = crossings as f32;
        }
    }

    /// By comparisons without division.
    #[kernel(instances(BOXES = [false, true]))]
    pub fn crossings_comparison<const BOXES: bool>(segments: &[F32x4], others: &[F32x4], out: &mut [f32]) {
        let i = global_idx().x;
        if i < segments.len() && i < out.len() {
            let own = segments[i];
            let mut crossings = 0u32;
            for &other in others {
                if !BOXES || boxes_touch(own, other) {
                    crossings += by_comparison(own, other) as u32;
                }
            }
            out[i] = crossings as f32;
        }
    }

    /// By the sides on which the ends lie.
    #[kernel(instances(BOXES = [false, true]))]
    pub fn crossings_straddle<const BOXES: bool>(segments: &[F32x4], others: &[F32x4], out: &mut [f32]) {
        let i = global_idx().x;
        if i < segments.len() && i < out.len() {
            let own = segments[i];
            let mut crossings = 0u32;
            for &other in others {
                if !BOXES || boxes_touch(own, other) {
                    crossings += by_straddle(own, other) as u32;
                }
            }
            out[i] = crossings as f32;
        }
    }
}

use kernels::{
    boxes_touch, by_comparison, by_division, by_straddle, crossings_comparison, crossings_division,
    crossings_straddle,
};

const TOPIC: &str = "instructions";

/// Runs of the kernels, with coordinates up to 100. [`run`] takes others.
pub static EXAMPLES: &[Example] = &[
    Example::new(crossings_division::kernel::<false>(), TOPIC, "crossings, division", 20, |gpu, n| {
        run(gpu, n, 1e2, Test::Division, false)
    }),
    Example::new(crossings_division::kernel::<true>(), TOPIC, "crossings, boxes, division", 20, |gpu, n| {
        run(gpu, n, 1e2, Test::Division, true)
    }),
    Example::new(crossings_comparison::kernel::<false>(), TOPIC, "crossings, no division", 20, |gpu, n| {
        run(gpu, n, 1e2, Test::Comparison, false)
    }),
    Example::new(
        crossings_comparison::kernel::<true>(),
        TOPIC,
        "crossings, boxes, no division",
        20,
        |gpu, n| run(gpu, n, 1e2, Test::Comparison, true),
    ),
    Example::new(crossings_straddle::kernel::<false>(), TOPIC, "crossings, straddle test", 20, |gpu, n| {
        run(gpu, n, 1e2, Test::Straddle, false)
    }),
    Example::new(
        crossings_straddle::kernel::<true>(),
        TOPIC,
        "crossings, boxes, straddle test",
        20,
        |gpu, n| run(gpu, n, 1e2, Test::Straddle, true),
    ),
];

/// Tests for a crossing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// The intersection of the lines, by division.
    Division,
    /// The intersection of the lines, by comparisons without division.
    Comparison,
    /// On which sides the ends lie.
    Straddle,
}

/// About `n` pairs of a segment of one set and one of another, with coordinates up to `scale` either way from 0.
pub fn run(gpu: &Gpu, n: usize, scale: f32, test: Test, boxes: bool) -> Result<Outcome> {
    let count = (n as f64).sqrt().ceil() as usize;
    let [segments, others] = [25, 26].map(|seed| -> Vec<F32x4> {
        let coordinates: Vec<f32> =
            random(seed, 4 * count).into_iter().map(|x| (2.0 * x - 1.0) * scale).collect();
        coordinates.chunks_exact(4).map(|part| F32x4::new(part[0], part[1], part[2], part[3])).collect()
    });
    let crosses = |a: F32x4, b: F32x4| match test {
        Test::Division => by_division(a, b),
        Test::Comparison => by_comparison(a, b),
        Test::Straddle => by_straddle(a, b),
    };
    let crossed = |&own: &F32x4| {
        others.iter().filter(|&&other| (!boxes || boxes_touch(own, other)) && crosses(own, other)).count()
            as f32
    };
    let expected = segments.par_iter().map(crossed).collect();
    let others = gpu.upload(&others)?;
    from_slice(gpu, &segments, expected, 0.0, |segments, out| {
        let launch = match (test, boxes) {
            (Test::Division, false) => crossings_division::<false>(segments, &others, out),
            (Test::Division, true) => crossings_division::<true>(segments, &others, out),
            (Test::Comparison, false) => crossings_comparison::<false>(segments, &others, out),
            (Test::Comparison, true) => crossings_comparison::<true>(segments, &others, out),
            (Test::Straddle, false) => crossings_straddle::<false>(segments, &others, out),
            (Test::Straddle, true) => crossings_straddle::<true>(segments, &others, out),
        };
        launch.over(count).block(128).run()
    })
}
