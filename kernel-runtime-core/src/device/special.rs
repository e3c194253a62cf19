//! PTX's special registers, by their names there: where a block runs, clocks, the cluster.
//!
//! The position of the thread has functions of its own: [`thread_idx`](super::thread_idx) and its like, [`warp::lane_id`],
//! [`warp::warp_id`], [`warp::lane_mask_lt`].
//!
//! Their values differ between a GPU, the simulator and the CPU, which stand for one multiprocessor: there `smid` is 0, and clocks count
//! instructions (the simulator) or readings (the CPU). A register that may change is read each time that it is written.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! /// How many cycles a square root takes, and where.
//! #[kernel]
//! pub fn measure(x: &[f32], cycles: &mut [u64], sm: &mut [u32], out: &mut [f32]) {
//!     let i = global_idx().x;
//!     if i < x.len() && i < out.len() && i < cycles.len() && i < sm.len() {
//!         let start = special::clock64();
//!         out[i] = x[i].sqrt();
//!         cycles[i] = special::clock64() - start;
//!         sm[i] = special::smid();
//!     }
//! }
//!
//! let gpu = Gpu::simulator(Arch::Sm90);
//! let x = gpu.upload(&[4.0f32; 64])?;
//! let (mut cycles, mut sm, mut out) = (gpu.zeros::<u64>(64)?, gpu.zeros::<u32>(64)?, gpu.zeros::<f32>(64)?);
//! measure(&x, &mut cycles, &mut sm, &mut out).over(64).run()?;
//! assert!(cycles.to_vec()?.iter().all(|&cycles| cycles > 0));
//! assert_eq!(sm.to_vec()?, [0; 64]);
//! # Ok::<(), kernel_runtime::Error>(())
//! ```
//!
//! [`warp::lane_id`]: super::warp::lane_id

use std::cell::Cell;

use super::{Dim3, warp};
use crate::cpu::fiber;

/// `%smid`: the multiprocessor that the thread runs on. It may change, and numbers may have gaps.
pub fn smid() -> u32 {
    fiber::position("special::smid");
    0
}

/// `%nsmid`: a bound of [`smid`].
pub fn nsmid() -> u32 {
    fiber::position("special::nsmid");
    1
}

/// `%warpid`: the warp's place on its multiprocessor, which may change. For its index in the block see
/// [`warp::warp_id`].
pub fn warpid() -> u32 {
    (fiber::position("special::warpid").linear() / warp::SIZE) as u32
}

/// `%nwarpid`: a bound of [`warpid`].
pub fn nwarpid() -> u32 {
    let threads: u32 = fiber::position("special::nwarpid").block_size.iter().product();
    threads.div_ceil(warp::SIZE as u32)
}

/// `%gridid`: a number of the launch.
pub fn gridid() -> u64 {
    fiber::position("special::gridid");
    1
}

thread_local! {
    static READINGS: Cell<u64> = const { Cell::new(0) };
}

fn reading(function: &'static str) -> u64 {
    fiber::position(function);
    READINGS.set(READINGS.get() + 1);
    READINGS.get()
}

/// `%clock`: cycles of the multiprocessor, the lower half of [`clock64`].
pub fn clock() -> u32 {
    reading("special::clock") as u32
}

/// `%clock64`: cycles of the multiprocessor. Those of two multiprocessors say nothing of each other.
pub fn clock64() -> u64 {
    reading("special::clock64")
}

/// `%globaltimer`: nanoseconds, by a clock of the whole device that may go on in large steps.
pub fn globaltimer() -> u64 {
    reading("special::globaltimer")
}

/// `%dynamic_smem_size`: bytes of dynamic shared memory.
pub fn dynamic_smem_size() -> u32 {
    fiber::dynamic_bytes("special::dynamic_smem_size") as u32
}

/// `%total_smem_size`: bytes of static and dynamic shared memory, up to the next multiple of what is given out. The CPU knows of the dynamic one
/// only.
pub fn total_smem_size() -> u32 {
    fiber::dynamic_bytes("special::total_smem_size") as u32
}

/// `%cluster_ctaid`: the block's index in its cluster; needs sm_90.
pub fn cluster_ctaid() -> Dim3 {
    Dim3::of(fiber::position("special::cluster_ctaid").in_cluster())
}

/// `%cluster_nctaid`: blocks per cluster; needs sm_90.
pub fn cluster_nctaid() -> Dim3 {
    Dim3::of(fiber::position("special::cluster_nctaid").cluster_size)
}

/// `%clusterid`: the cluster's index in the grid; needs sm_90.
pub fn clusterid() -> Dim3 {
    let at = fiber::position("special::clusterid");
    Dim3::of(std::array::from_fn(|axis| at.block[axis] / at.cluster_size[axis]))
}

/// `%nclusterid`: clusters per grid; needs sm_90.
pub fn nclusterid() -> Dim3 {
    let at = fiber::position("special::nclusterid");
    Dim3::of(std::array::from_fn(|axis| at.grid_size[axis] / at.cluster_size[axis]))
}

/// `%cluster_ctarank`: the block's index in its cluster, x fastest; needs sm_90.
pub fn cluster_ctarank() -> u32 {
    fiber::position("special::cluster_ctarank").rank() as u32
}

/// `%cluster_nctarank`: blocks per cluster, over all axes; needs sm_90.
pub fn cluster_nctarank() -> u32 {
    fiber::position("special::cluster_nctarank").cluster_size.iter().product()
}
