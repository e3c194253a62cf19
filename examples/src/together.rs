//! Blocks that wait for each other: what takes several launches in one, without what a launch costs, and without giving up what is in
//! registers and caches.

use kernel_runtime::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// The kernels, which share the step.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// Heat in a rod whose ends are closed: each place takes half of what it has and a quarter of what its neighbours have.
    #[device]
    fn step(now: &[f32], next: &mut [f32]) {
        let mut i = global_idx().x;
        while i < now.len() && i < next.len() {
            let left = if i > 0 { now[i - 1] } else { now[i] };
            let right = if i + 1 < now.len() { now[i + 1] } else { now[i] };
            next[i] = now[i].mul_add(0.5, 0.25 * (left + right));
            i += global_size().x;
        }
    }

    /// One step: the next launch begins when all blocks are done.
    #[kernel]
    pub fn heat_step(now: &[f32], next: &mut [f32]) {
        step(now, next);
    }

    /// As many iterations of two steps as are asked for: the blocks wait for each other.
    #[kernel(cooperative)]
    pub fn heat_together(rounds: u32, a: &mut [f32], b: &mut [f32]) {
        for _ in 0..rounds {
            step(a, b);
            grid_barrier();
            step(b, a);
            grid_barrier();
        }
    }

    /// A sum in one launch: the first block adds up what all blocks have found.
    #[kernel(cooperative, block(256))]
    pub fn sum_together(x: &[f32], parts: &mut [f32], out: &mut [f32]) {
        let mut own = 0.0;
        let mut i = global_idx().x;
        while i < x.len() {
            own += x[i];
            i += global_size().x;
        }
        let part = block::reduce_add(own);
        let thread = thread_idx().x;
        if thread == 0 {
            parts[block_idx().x] = part;
        }
        grid_barrier();
        if block_idx().x == 0 {
            let part = if thread < parts.len() { parts[thread] } else { 0.0 };
            let total = block::reduce_add(part);
            if thread == 0 {
                out[0] = total;
            }
        }
    }
}

use kernels::{heat_step, heat_together, sum_together};

const TOPIC: &str = "together";

/// Blocks that every device runs at once; the order of sums depends on how many there are.
const BLOCKS: u32 = 32;

/// Iterations of two steps.
const ROUNDS: u32 = 4;

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&heat_step::KERNEL, TOPIC, "8 steps, a launch for each", 64, |gpu, n| {
        heat(gpu, n, |a, b| {
            let mut time = std::time::Duration::ZERO;
            for _ in 1..ROUNDS {
                time += heat_step(&*a, &mut *b).grid(BLOCKS).block(256).run()?.time;
                time += heat_step(&*b, &mut *a).grid(BLOCKS).block(256).run()?.time;
            }
            time += heat_step(&*a, &mut *b).grid(BLOCKS).block(256).run()?.time;
            let mut last = heat_step(&*b, &mut *a).grid(BLOCKS).block(256).run()?;
            last.time += time;
            Ok(last)
        })
    }),
    Example::new(&heat_together::KERNEL, TOPIC, "8 steps in one cooperative launch", 64, |gpu, n| {
        heat(gpu, n, |a, b| heat_together(ROUNDS, a, b).grid(BLOCKS).block(256).run())
    }),
    Example::new(&sum_together::KERNEL, TOPIC, "sum in one cooperative launch", 4, |gpu, n| {
        let host = random(62, n);
        let expected = host.iter().map(|&x| f64::from(x)).sum::<f64>() as f32;
        let mut parts = gpu.zeros::<f32>(BLOCKS as usize)?;
        from_slice(gpu, &host, vec![expected], 1e-4, |x, out| {
            sum_together(x, &mut parts, out).grid(BLOCKS).run()
        })
    }),
];

fn heat(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&mut DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let mut expected = random(61, n);
    let (mut a, mut b) = (gpu.upload(&expected)?, gpu.zeros::<f32>(n)?);
    for _ in 0..2 * ROUNDS {
        let now = expected.clone();
        for (i, next) in expected.iter_mut().enumerate() {
            let (left, right) = (now[i.saturating_sub(1)], now[(i + 1).min(n - 1)]);
            *next = now[i].mul_add(0.5, 0.25 * (left + right));
        }
    }
    let report = launch(&mut a, &mut b)?;
    Ok(Outcome { report, output: a.to_vec()?, expected, tolerance: 0.0 })
}
