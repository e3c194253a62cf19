//! Load, launch, simulate and measure kernels.

pub mod attributes;
pub mod backend;
mod buffer;
pub mod cpu;
pub mod device;
mod element;
mod error;
mod gpu;
mod kernel;
mod launch;
pub mod occupancy;
pub mod prelude;

pub use attributes::DeviceAttributes;
pub use buffer::DeviceBuffer;
pub use element::{Element, ScalarType};
pub use error::{BlockLimit, CudaError, Error, LaunchError, Result};
pub use gpu::Gpu;
pub use kernel::{
    Bounds, FunctionAttributes, Kernel, KernelData, PanicKind, PanicSite, ParamData, ParamKind,
};
pub use launch::{IntoDim3, Launch, LaunchReport, SliceArg, SliceMutArg};
pub use ptx_gen::target::Arch;
