//! Rust kernels on a GPU, or on a simulator where there is none.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! /// `y = a x + y`
//! #[kernel(launch_bounds(256, 8))]
//! pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_idx().x;
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! fn main() -> Result<()> {
//!     let gpu = Gpu::new()?; // the first CUDA device, or the simulator
//!     println!("{}", gpu.describe()); // which of them, and why
//!     let x = gpu.upload(&[1.0f32; 1000])?;
//!     let mut y = gpu.zeros::<f32>(1000)?;
//!     let report = saxpy(2.0, &x, &mut y).over(1000).run()?; // block size from the occupancy API
//!     assert_eq!(y.to_vec()?, [2.0; 1000]);
//!     println!("{report}");
//!     let best = saxpy::KERNEL.best_block_size(&gpu)?;
//!     println!("{best}"); // threads per block, smallest full grid, occupancy, its limiter
//!     Ok(())
//! }
//! ```
//!
//! # Where things are
//!
//! | | |
//! |---|---|
//! | [`prelude::kernel`](macro@prelude::kernel) | `#[kernel]`: its attributes and the whole language, with what each construct means on the GPU |
//! | [`kernel_module`](macro@prelude::kernel_module), [`device_library`](macro@prelude::device_library) | what kernels share: a kernel sees nothing else outside itself |
//! | [`Gpu`] | a device: [`Gpu::new`], [`Gpu::cuda`], [`Gpu::simulator`]; what it is: [`DeviceAttributes`] |
//! | [`DeviceBuffer`] | memory on it: [`Gpu::upload`], [`Gpu::zeros`], [`to_vec`](DeviceBuffer::to_vec) |
//! | [`Launch`] | what calling a kernel gives: `over(n)`, or `grid` and `block`; then [`run`](Launch::run) |
//! | [`stream`] | launches and copies while the host goes on: [`Stream`], [`Event`], [`PinnedBuffer`]; [`start`](Launch::start) |
//! | [`graph`] | launches and copies asked for once and done again and again: [`Gpu::graph`], [`Graph`], [`Lent`] |
//! | `interop` | with the feature `cudarc`, beside `cudarc`: its contexts, streams and slices become ours, and ours its |
//! | [`LaunchReport`] | time on the device, or what the simulator counted ([`LaunchStats`]) |
//! | [`Profile`] | `.profile()` on a launch: counters by line and instruction, caches, what bounds the speed; as table, JSON, HTML |
//! | [`Progress`] | how far a simulated launch is, and its end before its time |
//! | [`Kernel`] | `saxpy::KERNEL`: its PTX, its needs on a device, its occupancy there |
//! | [`Report`] | `saxpy::KERNEL.report()`: what the compiler did with loops, branches, checks and accesses, line by line |
//! | [`tune`] | kernels with `tune(…)`: instances timed at first use, the best kept: [`Tuned`], [`Tuning`] |
//! | [`Sparse24`] | a matrix pruned for products by sparse tensor cores |
//! | [`TensorMap`] | a tensor as kernels copy boxes of it |
//! | [`PtxModule`] | PTX of one's own or of another compiler: [`Gpu::load_ptx`] |
//! | [`device`] | the functions that kernels call, such as [`global_idx`](device::global_idx) |
//! | [`nvtx`] | ranges and marks on the timelines of profilers |
//! | [`cpu`] | runs the body on the CPU: `saxpy::cpu(2.0, &x, &mut y).grid(1).block(32).run()` |
//! | [`Error`] | what was expected, what was found, where, and what to do |
//!
//! # Without a GPU
//!
//! Nothing of CUDA is needed to build. [`Gpu::new`] looks for the driver when the program runs; without one, or
//! without a device, it gives the simulator, which runs the same PTX text and counts instructions.
//! [`Gpu::fallback_reason`] says why it did.
//!
//! # Panics of kernels
//!
//! A failed check in a kernel ends its thread, the other threads run on, and [`Launch::run`] returns
//! [`Error::KernelPanicked`] with the place in the source, the block and the thread. Of a launch that was left to a [`stream`] the
//! next synchronisation returns it. The device stays usable.

#![warn(clippy::missing_errors_doc)]

pub mod account;
pub mod attributes;
pub mod backend;
mod buffer;
pub mod cpu;
pub mod device;
mod element;
mod error;
mod gpu;
pub mod graph;
#[doc(hidden)]
pub mod identity;
mod indices;
#[doc(hidden)]
pub mod inline;
pub mod instance;
#[cfg(feature = "cudarc")]
pub mod interop;
mod kernel;
pub mod l2;
mod launch;
mod lent;
pub mod nvtx;
pub mod occupancy;
mod pinned;
mod pointer;
pub mod prelude;
mod printed;
pub mod profile;
mod ptx;
mod remembered;
mod report;
mod shaped;
mod sliced;
mod sparse;
pub mod stream;
mod tensor_map;
pub mod tune;
#[doc(hidden)]
pub mod vocabulary;

pub use account::{Account, CopyKind, CopyUse, KernelUse};
pub use attributes::DeviceAttributes;
pub use buffer::DeviceBuffer;
#[doc(hidden)]
pub use bytemuck;
/// The library in the version that [`mod@interop`] speaks of.
#[cfg(feature = "cudarc")]
pub use cudarc;
#[doc(hidden)]
pub use element::{
    Bytes, are_values as __are_values, are_whole_values as __are_whole_values, write as __write,
    written as __written,
};
pub use element::{Element, ElementType, ScalarType, WholeElement};
pub use error::{BlockLimit, ClusterLimit, CudaError, Error, LaunchError, Result};
pub use gpu::Gpu;
pub use graph::{Graph, Recording};
pub use ptx_sim::{LaunchStats, Progress};
/// The words of launch guards, for the expansion of `#[kernel]`.
#[doc(hidden)]
pub mod host_test {
    pub use kernel_abi::guard::HostOp;
    pub use kernel_abi::operators::{BinaryOp, ConvertOp, IntCond, SpecialRegister, UnaryOp};
    pub use kernel_abi::types::Type;
}
pub use ::ptx::target::Arch;
pub use indices::{BufferIndices, IndexBuffer, IndexElement};
pub use instance::{Instance, TunedInstance};
pub use kernel::{
    BlockShape, Bounds, CallSite, Called, FunctionAttributes, Kernel, KernelData, PanicKind, PanicSite,
    ParamData, ParamKind, Variant,
};
pub use kernel::{CheckFree, ChecksTaken, Coarsened, Coarsening, HostTest};
/// A tensor map among the hidden parameters, for the expansion of `#[kernel]`.
#[doc(hidden)]
pub use kernel_abi::tensor_map::TensorMapParam;
#[doc(hidden)]
pub use kernel_macros::__link;
pub use l2::L2Window;
pub use launch::{
    AtomicsArg, Extent, IntoDim3, IntoExtents, Launch, LaunchReport, OptionalSliceArg, OptionalSliceMutArg,
    SliceArg, SliceMutArg,
};
pub use launch::{IndicesArg, MatrixArg, MatrixMutArg, VolumeArg, VolumeMutArg};
pub use lent::{Lent, LentPinned};
pub use pinned::PinnedBuffer;
pub use pointer::{DevicePtr, PointerArg, PointerMutArg};
pub use printed::{Output, PrintSite, Printed, Prints};
pub use profile::Profile;
pub use ptx::{PtxArg, PtxFunction, PtxLaunch, PtxModule};
pub use report::{Remark, RemarkKind, RemarkTopic, Report};
pub use shaped::{BufferMatrix, BufferMatrixMut, BufferVolume, BufferVolumeMut, LentMatrix, LentVolume};
pub use sliced::{BufferSlice, BufferSliceMut, DeviceSlice, DeviceSliceMut};
pub use sparse::Sparse24;
pub use stream::{Event, Stream};
pub use tensor_map::{Swizzle, TensorMap, TensorMapBuilder};
pub use tune::{Candidate, Tuned, TunedData, Tuning};
