//! Sums of 32 neighbours with weights: weights from global memory, an element a thread; and weights staged in shared memory, four
//! elements a lane, so that each weight that is read serves four.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// A weight and an element are loaded for each multiply-add.
#[kernel]
pub fn filter_plain(weights: &[f32], x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let mut sum = 0.0f32;
        #[unroll]
        for tap in 0..32 {
            sum += weights[tap] * x[i + tap];
        }
        out[i] = sum;
    }
}

/// The weights wait in shared memory, and the elements stay in registers from one weight to the next.
#[kernel(block(256))]
pub fn filter_staged(weights: &[f32], x: &[f32], out: &mut [f32]) {
    let mut staged = shared::<[f32; 32]>();
    if thread_idx().x < 32 {
        staged[thread_idx().x] = weights[thread_idx().x];
    }
    barrier();
    let i = 4 * global_idx().x;
    if i + 3 < out.len() {
        let mut sums = F32x4::splat(0.0);
        let mut window = F32x4::load(x, i);
        #[unroll]
        for group in 0..8 {
            let next = F32x4::load(x, i + 4 * group + 4);
            let values = [window.x, window.y, window.z, window.w, next.x, next.y, next.z];
            #[unroll]
            for tap in 0..4 {
                let weight = F32x4::splat(staged[4 * group + tap]);
                let shifted = F32x4::new(values[tap], values[tap + 1], values[tap + 2], values[tap + 3]);
                sums = weight.mul_add(shifted, sums);
            }
            window = next;
        }
        sums.store(out, i);
    }
}

const TOPIC: &str = "intensity";
const TAPS: usize = 32;

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&filter_plain::KERNEL, TOPIC, "32 weights, from global memory", 8, |gpu, n| {
        let weights = gpu.upload(&random(43, TAPS))?;
        run(gpu, n, |x, out| filter_plain(&weights, x, out).over(x.len() - TAPS).run())
    }),
    Example::new(&filter_staged::KERNEL, TOPIC, "32 weights, staged, four elements a lane", 8, |gpu, n| {
        let weights = gpu.upload(&random(43, TAPS))?;
        run(gpu, n, |x, out| filter_staged(&weights, x, out).over((x.len() - TAPS) / 4).run())
    }),
];

fn run(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // In fours, which is what a lane takes.
    let n = n.next_multiple_of(4);
    let host = random(44, n + TAPS);
    let weights = random(43, TAPS);
    let weigh =
        |i: usize| weights.iter().zip(&host[i..]).fold(0.0f32, |sum, (weight, &x)| weight.mul_add(x, sum));
    let expected = (0..n).into_par_iter().map(weigh).collect();
    from_slice(gpu, &host, expected, 0.0, launch)
}
