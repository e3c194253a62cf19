//! Crossings of each segment with those of another set: by the intersection of the lines, with a division; by comparisons, without one;
//! and by testing that the ends straddle the other line. Segments that touch cross, at an end or along a line. A test of the bounding boxes
//! before that pays if whole warps are apart.
//!
//! The fastest test depends on the numbers: division has a slow path for large ones, and products of them overflow, so that
//! comparisons fail. Where nothing overflows and products are exact, as on a grid of few points, all three are exact.

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

    /// Returns true if the intersection of the lines lies within both segments, by its parameters. Parallel lines have none: segments cross there if
    /// they are on one line and their boxes touch, points included.
    #[device]
    pub fn by_division(a: F32x4, b: F32x4) -> bool {
        let (rx, ry, sx, sy) = (a.z - a.x, a.w - a.y, b.z - b.x, b.w - b.y);
        let (qx, qy) = (b.x - a.x, b.y - a.y);
        let turn = cross(rx, ry, sx, sy);
        let (along_a, along_b) = (cross(qx, qy, sx, sy), cross(qx, qy, rx, ry));
        if turn == 0.0 {
            return (along_a == 0.0) & (along_b == 0.0) && boxes_touch(a, b);
        }
        let (t, u) = (along_a / turn, along_b / turn);
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
        let within = (t >= 0.0) & (t <= size) & (u >= 0.0) & (u <= size);
        // Of parallel lines both are 0 then: they are one.
        within && (size > 0.0 || boxes_touch(a, b))
    }

    /// Returns true if the ends of each lie on different sides of the other, or on it. Where both ends of one are on the other's line, they may
    /// be beyond it: the boxes tell.
    #[device]
    pub fn by_straddle(a: F32x4, b: F32x4) -> bool {
        let (rx, ry, sx, sy) = (a.z - a.x, a.w - a.y, b.z - b.x, b.w - b.y);
        let b1 = cross(rx, ry, b.x - a.x, b.y - a.y);
        let b2 = cross(rx, ry, b.z - a.x, b.w - a.y);
        let a1 = cross(sx, sy, a.x - b.x, a.y - b.y);
        let a2 = cross(sx, sy, a.z - b.x, a.w - b.y);
        let b_straddles = ((b1 <= 0.0) & (b2 >= 0.0)) | ((b1 >= 0.0) & (b2 <= 0.0));
        let a_straddles = ((a1 <= 0.0) & (a2 >= 0.0)) | ((a1 >= 0.0) & (a2 <= 0.0));
        (b_straddles & a_straddles) && ((b1 != 0.0) | (b2 != 0.0) || boxes_touch(a, b))
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

/// Coordinates are so many steps at most from 0: few enough that ends touch, and segments lie on one line.
const STEPS: i32 = 16;

/// A segment from (x, y) to (z, w), in steps.
pub type Steps = [i32; 4];

/// So many segments with ends anywhere on the grid.
fn segments(seed: u64, count: usize) -> Vec<Steps> {
    let step = |&x: &f32| (x * (2 * STEPS + 1) as f32) as i32 - STEPS;
    let numbers = random(seed, 4 * count);
    numbers.chunks_exact(4).map(|part| [0, 1, 2, 3].map(|at| step(&part[at]))).collect()
}

/// The distance of coordinates up to about `scale`: of five bits, so that products of differences are exact as long as they don't overflow.
fn step(scale: f32) -> f32 {
    f32::from_bits((scale / STEPS as f32).to_bits() & 0xfff8_0000)
}

/// The segment with coordinates up to about `scale`.
pub fn scaled(segment: Steps, scale: f32) -> F32x4 {
    let [x, y, z, w] = segment.map(|coordinate| coordinate as f32 * step(scale));
    F32x4::new(x, y, z, w)
}

/// The exact test, in integers: the orientation of each end to the other segment, and for an end on the other's line whether it is between that one's
/// ends (Cormen, Leiserson, Rivest, Stein, section 33.1).
pub fn exact(a: Steps, b: Steps) -> bool {
    let side =
        |of: Steps, x: i32, y: i32| ((of[2] - of[0]) * (y - of[1]) - (of[3] - of[1]) * (x - of[0])).signum();
    let between = |of: Steps, x: i32, y: i32| {
        (of[0].min(of[2])..=of[0].max(of[2])).contains(&x)
            && (of[1].min(of[3])..=of[1].max(of[3])).contains(&y)
    };
    let [b1, b2] = [side(a, b[0], b[1]), side(a, b[2], b[3])];
    let [a1, a2] = [side(b, a[0], a[1]), side(b, a[2], a[3])];
    (b1 * b2 < 0 && a1 * a2 < 0)
        || (b1 == 0 && between(a, b[0], b[1]))
        || (b2 == 0 && between(a, b[2], b[3]))
        || (a1 == 0 && between(b, a[0], a[1]))
        || (a2 == 0 && between(b, a[2], a[3]))
}

/// About `n` pairs of a segment of one set and one of another, with coordinates up to about `scale` either way from 0. What is found has to be exact
/// where products of coordinates are finite, else what the test finds on the CPU.
pub fn run(gpu: &Gpu, n: usize, scale: f32, test: Test, boxes: bool) -> Result<Outcome> {
    let count = (n as f64).sqrt().ceil() as usize;
    let [own, others] = [25, 26].map(|seed| segments(seed, count));
    let widest = 2.0 * STEPS as f32 * step(scale);
    let is_exact = (2.0 * widest * widest).is_finite();
    let on_the_cpu = |a: F32x4, b: F32x4| {
        let crosses = match test {
            Test::Division => by_division,
            Test::Comparison => by_comparison,
            Test::Straddle => by_straddle,
        };
        (!boxes || boxes_touch(a, b)) && crosses(a, b)
    };
    let crosses = |a: Steps, b: Steps| match is_exact {
        true => exact(a, b),
        false => on_the_cpu(scaled(a, scale), scaled(b, scale)),
    };
    let crossed = |&own: &Steps| others.iter().filter(|&&other| crosses(own, other)).count() as f32;
    let expected = own.par_iter().map(crossed).collect();
    let [own, others] = [own, others]
        .map(|segments| segments.into_iter().map(|segment| scaled(segment, scale)).collect::<Vec<F32x4>>());
    let others = gpu.upload(&others)?;
    from_slice(gpu, &own, expected, 0.0, |segments, out| {
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
