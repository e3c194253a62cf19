//! One pass over memory with words for the caches: what is read once does not stay, what comes next is fetched ahead.

use kernel_runtime::prelude::*;

use crate::runs::each;
use crate::{Example, Outcome, random};

/// The kernels, which share the function.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// Elements that a block does at once.
    pub const TILE: usize = 256;

    /// Little arithmetic for what is read and written.
    #[device]
    pub fn gain(x: f32) -> f32 {
        1.5 * x - 0.25
    }

    /// Past L1: `ld.global.cg`, `st.global.cg`.
    #[kernel]
    pub fn gain_in_l2(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < out.len() {
            cache::store_cg(&mut out[i], gain(cache::load_cg(&x[i])));
        }
    }

    /// Not put into L1, with 256 bytes coming into L2, which needs sm_80: `ld.global.nc.L1::no_allocate.L2::256B`; `st.global.cs`.
    #[kernel(arch(sm_75, sm_80))]
    pub fn gain_streamed(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < out.len() {
            let v = if target::at_least(80) {
                cache::load_no_allocate_l2_256b(&x[i])
            } else {
                cache::load_no_allocate_l2_128b(&x[i])
            };
            cache::store_cs(&mut out[i], gain(v));
        }
    }

    /// The thread's next element is on its way into L2 while it does this one: `prefetch.global.L2`.
    #[kernel]
    pub fn gain_prefetched(x: &[f32], out: &mut [f32]) {
        let mut i = global_idx().x;
        while i < x.len() && i < out.len() {
            let next = i + global_size().x;
            if next < x.len() {
                cache::prefetch_l2(&x[next]);
            }
            out[i] = gain(x[i]);
            i = next;
        }
    }

    /// One thread of the block asks for the block's whole next tile: `cp.async.bulk.prefetch.L2`, of sm_90.
    #[kernel(block(256), arch(sm_75, sm_90))]
    pub fn gain_in_bulk(x: &[f32], out: &mut [f32]) {
        let whole = x.len() / TILE;
        let mut tile = block_idx().x;
        while tile * TILE < x.len() {
            let next = tile + grid_dim().x;
            if target::at_least(90) && thread_idx().x == 0 && next < whole {
                // SAFETY: the next tile lies inside `x`, whose buffer is aligned to more than the 16 bytes that this needs.
                unsafe {
                    inline_ptx!(
                        ".reg .b64 %global;",
                        "cvta.to.global.u64 %global, {start};",
                        "cp.async.bulk.prefetch.L2.global [%global], {bytes};",
                        start = in(usize) x.as_ptr() as usize + 4 * TILE * next,
                        bytes = in(u32) 4 * TILE as u32,
                        options(nomem),
                        cpu = (),
                    );
                }
            }
            let i = tile * TILE + thread_idx().x;
            if i < x.len() && i < out.len() {
                out[i] = gain(x[i]);
            }
            tile = next;
        }
    }
}

use kernels::{gain, gain_in_bulk, gain_in_l2, gain_prefetched, gain_streamed};

const TOPIC: &str = "low_level";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&gain_in_l2::KERNEL, TOPIC, "past L1, `cache::load_cg`", 8, |gpu, n| {
        run(gpu, n, |x, out| gain_in_l2(x, out).over(n).run())
    }),
    Example::new(&gain_streamed::KERNEL, TOPIC, "not put into L1, 256 bytes into L2", 8, |gpu, n| {
        run(gpu, n, |x, out| gain_streamed(x, out).over(n).run())
    }),
    Example::new(&gain_prefetched::KERNEL, TOPIC, "`cache::prefetch_l2` of the next element", 8, |gpu, n| {
        run(gpu, n, |x, out| gain_prefetched(x, out).grid(264).block(256).run())
    }),
    Example::new(
        &gain_in_bulk::KERNEL,
        TOPIC,
        "bulk prefetch of the next tile by inline PTX",
        8,
        |gpu, n| run(gpu, n, |x, out| gain_in_bulk(x, out).grid(264).block(256).run()),
    ),
];

fn run(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // The product and the sum become one operation with one rounding.
    each(gpu, &random(41, n), 1e-5, gain, launch)
}
