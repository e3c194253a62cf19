//! The device functions as ordinary Rust: for type checking, and for running a kernel's body on the CPU.
//!
//! In a kernel these are compiled to PTX and never called. In the copy of its body that runs on the CPU each thread of the
//! grid is a fiber: see [`cpu`](crate::cpu). Anywhere else they panic.

mod atomic;
pub mod barrier;
pub mod block;
mod by_operator;
pub mod cache;
pub mod cluster;
mod collectives;
mod dot;
pub mod fast;
mod float8;
mod host_math;
mod matrix;
mod numeric;
mod partition;
mod random;
mod shared;
mod small_floats;
pub mod special;
pub mod target;
mod vector;
mod views;
pub mod warp;

pub use crate::inline_ptx;
pub use atomic::{
    Atomic, AtomicF16x2, AtomicF32, AtomicF64, AtomicI32, AtomicI64, AtomicU32, AtomicU64, BlockScope, Scope,
    SystemScope, fence,
};
pub use core::sync::atomic::Ordering;
pub use dot::{FourBytes, dot4};
pub use float8::{E4M3, E5M2};
pub use half::{bf16, f16};
pub use matrix::{
    EmptyTile, Exchange, LoadingTile, MatrixElement, OfSum, SharedTile, Stage, Stages, SumElement,
};
pub use numeric::{Bits, Combine, Constants, Float, Int, Number};
pub use partition::Partition;
pub use random::{Pcg32, Philox4x32};
pub use shared::{InShared, Shared, SharedDyn, shared, shared_dyn};
pub use small_floats::{E2M1, E2M1x2, E2M3, E3M2, E8M0, UE4M3};
pub(crate) use vector::half_from_f64;
pub use vector::{
    Bf16x2, Bf16x4, Bf16x8, F16x2, F16x4, F16x8, F32x2, F32x4, F64x2, I32x2, I32x4, Lane, MatrixRows, U32x2,
    U32x4, Vector,
};
pub use views::{Indices, Matrix, MatrixMut, Volume, VolumeMut};
pub(crate) use views::{matrix_len, narrow as narrow_sizes, volume_len};

use std::panic::Location;

use crate::cpu::fiber;

/// A size or an index along three axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// The first axis, along which neighbouring threads share a warp.
    pub x: usize,
    /// The second axis.
    pub y: usize,
    /// The third axis.
    pub z: usize,
}

impl Dim3 {
    fn of(axes: [u32; 3]) -> Dim3 {
        let [x, y, z] = axes.map(|axis| axis as usize);
        Dim3 { x, y, z }
    }
}

/// The thread's index in its block.
#[doc(alias = "threadIdx")]
pub fn thread_idx() -> Dim3 {
    Dim3::of(fiber::position("thread_idx").thread)
}

/// The block's index in the grid.
#[doc(alias = "blockIdx")]
pub fn block_idx() -> Dim3 {
    Dim3::of(fiber::position("block_idx").block)
}

/// Threads per block.
#[doc(alias = "blockDim")]
pub fn block_dim() -> Dim3 {
    Dim3::of(fiber::position("block_dim").block_size)
}

/// Blocks per grid.
#[doc(alias = "gridDim")]
pub fn grid_dim() -> Dim3 {
    Dim3::of(fiber::position("grid_dim").grid_size)
}

/// The thread's index in the grid: block index × block size + thread index, per axis.
pub fn global_idx() -> Dim3 {
    let at = fiber::position("global_idx");
    let (block, size, thread) = (Dim3::of(at.block), Dim3::of(at.block_size), Dim3::of(at.thread));
    Dim3 { x: block.x * size.x + thread.x, y: block.y * size.y + thread.y, z: block.z * size.z + thread.z }
}

/// Threads in the grid, per axis.
pub fn global_size() -> Dim3 {
    let at = fiber::position("global_size");
    let (grid, size) = (Dim3::of(at.grid_size), Dim3::of(at.block_size));
    Dim3 { x: grid.x * size.x, y: grid.y * size.y, z: grid.z * size.z }
}

/// Waits until every thread of the block that has not ended is here. Writes before it are seen after it.
#[doc(alias("__syncthreads", "syncthreads"))]
#[track_caller]
pub fn barrier() {
    fiber::suspend(fiber::Wait::Barrier { at: Location::caller() });
}

/// Waits until every thread of the grid is here. Writes before it are seen after it, by all. Only in a kernel with `cooperative`, whose
/// blocks all run at once. If a thread has panicked, the others end here.
#[doc(alias("this_grid", "cooperative_groups"))]
#[track_caller]
pub fn grid_barrier() {
    fiber::suspend(fiber::Wait::Grid { at: Location::caller() });
}

/// Lets the thread rest for some nanoseconds, zero to twice as many: at most a millisecond.
#[doc(alias = "__nanosleep")]
#[track_caller]
pub fn nanosleep(ns: u32) {
    let _ = ns;
    fiber::suspend(fiber::Wait::Turn { at: Location::caller() });
}

macro_rules! fences {
    ($($name:ident $cuda:literal, $doc:literal;)*) => {$(
        #[doc(alias = $cuda)]
        #[doc = concat!("Orders this thread's memory accesses before and after it, as ", $doc, " sees them.")]
        pub fn $name() {
            // On the CPU threads take turns.
            fiber::position(stringify!($name));
        }
    )*};
}
fences! {
    thread_fence_block "__threadfence_block", "the block";
    thread_fence "__threadfence", "the device";
    thread_fence_system "__threadfence_system", "the whole system";
}
