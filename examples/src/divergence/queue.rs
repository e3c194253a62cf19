//! Few elements want long work. Where each thread does its own, most lanes of a warp wait; a block that first scouts, and dives
//! once its queue holds enough for whole warps, keeps them active.

use kernel_runtime::prelude::*;

use crate::runs::each;
use crate::{Example, Outcome, random};

/// The kernels, which share what they compute.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// Threads of a block.
    pub const BLOCK: usize = 256;
    /// Elements that the queue of a block has room for.
    pub const CAPACITY: usize = 1024;
    /// Elements in the queue above which the block dives: one more round of scouting might not fit.
    const ENOUGH: usize = CAPACITY - BLOCK;

    /// One element in eight of those from −0.5 to 0.5 wants the work.
    #[device]
    fn is_wanted(x: f32) -> bool {
        x >= 0.375
    }

    /// The work: 256 steps.
    #[device]
    fn dive(x: f32) -> f32 {
        let mut value = x;
        for _ in 0..256 {
            value = value * 0.75 + 0.125;
        }
        value
    }

    /// Each thread works on its own elements, a grid's width apart.
    #[kernel(block(BLOCK))]
    pub fn dive_alone(x: &[f32], out: &mut [f32]) {
        let mut i = global_idx().x;
        while i < x.len() && i < out.len() {
            out[i] = if is_wanted(x[i]) { dive(x[i]) } else { 0.0 };
            i += global_size().x;
        }
    }

    /// Scouts, then dives: the threads look at their elements and put those that want the work into a queue in shared memory. When that may not
    /// have room for another round, whole warps take from its end; less than a warp's worth stays for later. What is left in the end is done
    /// by as many threads.
    #[kernel(block(BLOCK))]
    pub fn dive_from_queue(x: &[f32], out: &mut [f32]) {
        let mut queue = shared::<[u32; CAPACITY]>();
        let thread = thread_idx().x;
        let mut waiting = 0;
        let mut start = BLOCK * block_idx().x;
        while start < x.len() {
            let i = start + thread;
            let wanted = i < x.len() && is_wanted(x[i]);
            #[block_scan(add, exclusive)]
            let before = wanted as u32;
            let found = block::count(wanted) as usize;
            if wanted {
                // There is room: the block dives before there may be none.
                queue[(waiting + before as usize) % CAPACITY] = i as u32;
            } else if i < out.len() {
                out[i] = 0.0;
            }
            waiting += found;
            if waiting > ENOUGH {
                let rest = waiting % 32;
                barrier();
                for place in (rest + thread..waiting.min(CAPACITY)).step_by(BLOCK) {
                    let i = queue[place] as usize;
                    if i < x.len() {
                        out[i] = dive(x[i]);
                    }
                }
                barrier();
                waiting = rest;
            }
            start += global_size().x;
        }
        barrier();
        for place in (thread..waiting.min(CAPACITY)).step_by(BLOCK) {
            let i = queue[place] as usize;
            if i < x.len() {
                out[i] = dive(x[i]);
            }
        }
    }
}

use kernels::{BLOCK, dive_alone, dive_from_queue};

const TOPIC: &str = "divergence";
/// Elements that a thread looks at.
const EACH: usize = 16;

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&dive_alone::KERNEL, TOPIC, "rare long work, each thread its own", 8, |gpu, n| {
        run(gpu, n, |x, out| dive_alone(x, out).grid(grid(n)).run())
    }),
    Example::new(
        &dive_from_queue::KERNEL,
        TOPIC,
        "rare long work, from a queue of the block",
        8,
        |gpu, n| run(gpu, n, |x, out| dive_from_queue(x, out).grid(grid(n)).run()),
    ),
];

/// Blocks for so many elements.
pub fn grid(n: usize) -> usize {
    n.div_ceil(EACH * BLOCK)
}

fn run(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let dive = |x: f32| (0..256).fold(x, |value, _| value.mul_add(0.75, 0.125));
    let host: Vec<f32> = random(15, n).into_iter().map(|x| x - 0.5).collect();
    each(gpu, &host, 0.0, |x| if x >= 0.375 { dive(x) } else { 0.0 }, launch)
}
