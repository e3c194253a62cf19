//! All of [`kernel-runtime`](https://docs.rs/kernel-runtime) but the attributes that compile kernels.
//!
//! A crate of its own, so that it is built beside the compiler and not after it. Programs use `kernel-runtime`, which exports
//! everything here under the same names.

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
/// Plain data: an implementation of [`Element`] by hand needs its traits.
#[doc(no_inline)]
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
/// The data of kernels in the words of `kernel-abi`, for the expansion of `#[kernel]`: launch guards, tensor maps among the hidden parameters.
#[doc(hidden)]
pub mod abi {
    pub use kernel_abi::guard::HostOp;
    pub use kernel_abi::operators::{BinaryOp, ConvertOp, IntCond, SpecialRegister, UnaryOp};
    pub use kernel_abi::tensor_map::TensorMapParam;
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
