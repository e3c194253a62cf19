//! What a program that launches kernels needs, in one `use`.

pub use crate::{Arch, DeviceBuffer, Error, Gpu, Result};
pub use crate::device::{
    barrier, block_dim, block_idx, global_idx, global_size, grid_dim, shared, thread_idx, warp,
};
pub use kernel_macros::kernel;
