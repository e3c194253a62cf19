//! Few elements want long work. Where each thread does its own, most lanes of a warp wait; threads that first scout, and then dive
//! for whatever the block found, all work.

use kernel_runtime::prelude::*;

use crate::runs::each;
use crate::{Example, Outcome, random};

/// The kernels, which share what they compute.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// One element in eight wants the work.
    #[device]
    fn is_wanted(x: f32) -> bool {
        x >= 0.875
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

    /// Each thread for itself.
    #[kernel(block(256))]
    pub fn dive_alone(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < out.len() {
            out[i] = if is_wanted(x[i]) { dive(x[i]) } else { 0.0 };
        }
    }

    /// A queue without gaps of the elements that the block found: the first warps are full, the others have nothing to do.
    #[kernel(block(256))]
    pub fn dive_from_queue(x: &[f32], out: &mut [f32]) {
        let mut queue = shared::<[u32; 256]>();
        let thread = thread_idx().x;
        let i = global_idx().x;
        let wanted = i < x.len() && is_wanted(x[i]);
        #[block_scan(add, exclusive)]
        let place = wanted as u32;
        if wanted {
            // A block has no more threads than that.
            queue[place as usize % 256] = i as u32;
        } else if i < out.len() {
            out[i] = 0.0;
        }
        let found = block::count(wanted) as usize;
        if thread < found {
            let i = queue[thread] as usize;
            if i < x.len() {
                out[i] = dive(x[i]);
            }
        }
    }
}

use kernels::{dive_alone, dive_from_queue};

const TOPIC: &str = "divergence";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&dive_alone::KERNEL, TOPIC, "rare long work, each thread its own", 8, |gpu, n| {
        run(gpu, n, |x, out| dive_alone(x, out).over(x.len()).run())
    }),
    Example::new(
        &dive_from_queue::KERNEL,
        TOPIC,
        "rare long work, from a queue of the block",
        8,
        |gpu, n| run(gpu, n, |x, out| dive_from_queue(x, out).over(x.len()).run()),
    ),
];

fn run(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let dive = |x: f32| (0..256).fold(x, |value, _| value.mul_add(0.75, 0.125));
    each(gpu, &random(15, n), 0.0, |x| if x >= 0.875 { dive(x) } else { 0.0 }, launch)
}
