//! What a program with kernels needs, in one `use`: the attribute, the functions of the language, the host's side.

pub use crate::device::{
    Dim3, Float, Int, Number, barrier, block, block_dim, block_idx, fast, global_idx, global_size, grid_dim,
    shared, thread_idx, warp,
};
pub use crate::{Arch, DeviceBuffer, Error, Gpu, LaunchReport, Result};
pub use kernel_macros::kernel;
