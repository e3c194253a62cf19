//! Registers: the same work with more and more values alive at once, and what becomes of it under a cap.

use kernel_runtime::prelude::*;

use crate::runs::each;
use crate::{Example, Outcome, random};

/// Multiply-adds per thread, whatever the number of values.
const WORK: usize = 960;

/// The kernels, which share what they compute.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// `LIVE` values, each advanced in every iteration: none can be dropped before the loop ends.
    #[device]
    fn advance<const LIVE: usize>(start: f32, rounds: usize) -> f32 {
        let mut values = [0.0f32; LIVE];
        #[unroll]
        for (k, value) in values.iter_mut().enumerate() {
            *value = start + k as f32;
        }
        for _ in 0..rounds {
            #[unroll]
            for value in values.iter_mut() {
                *value = *value * 0.75 + 0.125;
            }
        }
        let mut sum = 0.0f32;
        #[unroll]
        for value in values {
            sum += value;
        }
        sum
    }

    /// As many registers as it wants.
    #[kernel(instances(LIVE = [16, 48, 96, 160, 240]))]
    pub fn live<const LIVE: usize>(rounds: usize, x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = advance::<LIVE>(x[i], rounds);
        }
    }

    /// At most 64: enough for 48 values, while 96 and more are kept in memory.
    #[kernel(maxnreg(64), instances(LIVE = [48, 96, 160]))]
    pub fn live_capped<const LIVE: usize>(rounds: usize, x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = advance::<LIVE>(x[i], rounds);
        }
    }

    /// So few that 6 blocks of 256 threads fit, which is three quarters of an SM.
    #[kernel(launch_bounds(256, 6), instances(LIVE = [16, 48]))]
    pub fn live_bounded<const LIVE: usize>(rounds: usize, x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = advance::<LIVE>(x[i], rounds);
        }
    }

    /// An element per thread: few registers, all warps.
    #[kernel]
    pub fn one_element(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = (x[i] + 1.0).sqrt();
        }
    }

    /// Four elements per thread, a grid's width apart: more registers and fewer warps, but four loads under way in each.
    #[kernel]
    pub fn four_elements(x: &[f32], out: &mut [f32]) {
        let mut values = [0.0f32; 4];
        #[unroll]
        for (k, value) in values.iter_mut().enumerate() {
            let i = global_idx().x + k * global_size().x;
            if i < x.len() {
                *value = x[i];
            }
        }
        #[unroll]
        for (k, value) in values.into_iter().enumerate() {
            let i = global_idx().x + k * global_size().x;
            if i < out.len() {
                out[i] = (value + 1.0).sqrt();
            }
        }
    }
}

use kernels::{four_elements, live, live_bounded, live_capped, one_element};

const TOPIC: &str = "occupancy";

/// Those under a cap that is too low for them.
pub static SPILLING: &[&kernel_runtime::Kernel] =
    &[live_capped::kernel::<96>(), live_capped::kernel::<160>(), live_bounded::kernel::<48>()];

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(live::kernel::<16>(), TOPIC, "16 values alive", 8, |gpu, n| {
        run_live(gpu, n, 16, |rounds, x, out| live::<16>(rounds, x, out).over(x.len()).block(256).run())
    }),
    Example::new(live::kernel::<48>(), TOPIC, "48 values alive", 8, |gpu, n| {
        run_live(gpu, n, 48, |rounds, x, out| live::<48>(rounds, x, out).over(x.len()).block(256).run())
    }),
    Example::new(live::kernel::<96>(), TOPIC, "96 values alive", 8, |gpu, n| {
        run_live(gpu, n, 96, |rounds, x, out| live::<96>(rounds, x, out).over(x.len()).block(256).run())
    }),
    Example::new(live::kernel::<160>(), TOPIC, "160 values alive", 8, |gpu, n| {
        run_live(gpu, n, 160, |rounds, x, out| live::<160>(rounds, x, out).over(x.len()).block(256).run())
    }),
    Example::new(live::kernel::<240>(), TOPIC, "240 values alive", 8, |gpu, n| {
        run_live(gpu, n, 240, |rounds, x, out| live::<240>(rounds, x, out).over(x.len()).block(256).run())
    }),
    Example::new(live_capped::kernel::<48>(), TOPIC, "48 values alive, maxnreg(64)", 8, |gpu, n| {
        run_live(gpu, n, 48, |rounds, x, out| {
            live_capped::<48>(rounds, x, out).over(x.len()).block(256).run()
        })
    }),
    Example::new(live_capped::kernel::<96>(), TOPIC, "96 values alive, maxnreg(64)", 8, |gpu, n| {
        run_live(gpu, n, 96, |rounds, x, out| {
            live_capped::<96>(rounds, x, out).over(x.len()).block(256).run()
        })
    }),
    Example::new(live_capped::kernel::<160>(), TOPIC, "160 values alive, maxnreg(64)", 8, |gpu, n| {
        run_live(gpu, n, 160, |rounds, x, out| {
            live_capped::<160>(rounds, x, out).over(x.len()).block(256).run()
        })
    }),
    Example::new(
        live_bounded::kernel::<16>(),
        TOPIC,
        "16 values alive, launch bounds 256 × 6",
        8,
        |gpu, n| {
            run_live(gpu, n, 16, |rounds, x, out| {
                live_bounded::<16>(rounds, x, out).over(x.len()).block(256).run()
            })
        },
    ),
    Example::new(
        live_bounded::kernel::<48>(),
        TOPIC,
        "48 values alive, launch bounds 256 × 6",
        8,
        |gpu, n| {
            run_live(gpu, n, 48, |rounds, x, out| {
                live_bounded::<48>(rounds, x, out).over(x.len()).block(256).run()
            })
        },
    ),
    Example::new(&one_element::KERNEL, TOPIC, "√(x + 1), an element a thread", 8, |gpu, n| {
        root(gpu, n, |x, out| one_element(x, out).over(n).run())
    }),
    Example::new(&four_elements::KERNEL, TOPIC, "√(x + 1), four strided elements a thread", 8, |gpu, n| {
        root(gpu, n, |x, out| four_elements(x, out).over(n.div_ceil(4)).run())
    }),
];

fn root(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    each(gpu, &random(1, n), 0.0, |x| (x + 1.0).sqrt(), launch)
}

fn run_live(
    gpu: &Gpu,
    n: usize,
    live: usize,
    launch: impl FnOnce(usize, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let rounds = WORK / live;
    let value = |start: f32| (0..rounds).fold(start, |value, _| value.mul_add(0.75, 0.125));
    let reference = |x: f32| (0..live).fold(0.0, |sum, k| sum + value(x + k as f32));
    // A few blocks show it: each thread does much.
    let n = n.min(1 << 14);
    each(gpu, &random(13, n), 0.0, reference, |x, out| launch(rounds, x, out))
}
