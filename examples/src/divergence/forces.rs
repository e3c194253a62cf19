//! Forces between points that are near each other: whether a warp's lanes agree on who is near is a matter of how the points are
//! sorted.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// A potential of each point in the field of those nearer than the cutoff. A warp takes 32 points against tiles of 32 others, of
/// which each lane loads one and hands it around.
#[kernel]
pub fn potentials(cutoff: f32, points: &[F32x2], out: &mut [f32]) {
    const NOWHERE: F32x2 = F32x2::splat(1e9);
    let i = global_idx().x;
    let here = if i < points.len() { points[i] } else { NOWHERE };
    let mut sum = 0.0f32;
    for tile in (0..points.len()).step_by(32) {
        let j = tile + warp::lane_id();
        let of_lane = if j < points.len() { points[j] } else { NOWHERE };
        for lane in 0..32 {
            let away = warp::broadcast(of_lane, lane) - here;
            let squared = away.x * away.x + away.y * away.y;
            #[branch]
            if squared < cutoff * cutoff {
                sum += (-squared).exp() / (squared + 0.01).sqrt();
            }
        }
    }
    if i < out.len() {
        out[i] = sum;
    }
}

const TOPIC: &str = "divergence";
/// Points lie in a square whose side is 1.
const CUTOFF: f32 = 0.125;

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&potentials::KERNEL, TOPIC, "pairs nearer than a cutoff, unsorted", 12, |gpu, n| {
        run(gpu, scattered(n))
    }),
    Example::new(&potentials::KERNEL, TOPIC, "pairs nearer than a cutoff, sorted by place", 12, |gpu, n| {
        let mut points = scattered(n);
        // Cells of half the cutoff in Morton's order: neighbours in the list are neighbours in the plane.
        let cell = |x: f32| (x / CUTOFF * 2.0) as u32;
        points.sort_by_key(|point| spread(cell(point.x)) | spread(cell(point.y)) << 1);
        run(gpu, points)
    }),
];

/// So many points that there are about `n` pairs of them.
fn scattered(n: usize) -> Vec<F32x2> {
    let points = (n as f64).sqrt().ceil() as usize;
    let (x, y) = (random(16, points), random(17, points));
    x.into_iter().zip(y).map(|(x, y)| F32x2::new(x, y)).collect()
}

/// The bits of a number below 256, each followed by a 0.
fn spread(number: u32) -> u32 {
    (0..8).map(|bit| (number >> bit & 1) << (2 * bit)).sum()
}

fn run(gpu: &Gpu, points: Vec<F32x2>) -> Result<Outcome> {
    let potential = |here: &F32x2| {
        let squares = points.iter().map(|there| {
            let (x, y) = (there.x - here.x, there.y - here.y);
            x.mul_add(x, y * y)
        });
        let near = squares.filter(|&squared| squared < CUTOFF * CUTOFF).map(f64::from);
        near.map(|squared| (-squared).exp() / (squared + 0.01).sqrt()).sum::<f64>() as f32
    };
    let expected = points.par_iter().map(potential).collect();
    from_slice(gpu, &points, expected, 1e-5, |points, out| {
        potentials(CUTOFF, points, out).over(points.len()).block(128).run()
    })
}
