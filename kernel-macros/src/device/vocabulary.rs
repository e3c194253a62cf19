//! The language's names that the library files use, for rustc: the compiler resolves them itself.

#![allow(unused_imports)]

pub use kernel_runtime::Element;
pub use kernel_runtime::device::{
    Float, Int, Number, barrier, block_dim, block_idx, fast, global_idx, grid_dim, shared, thread_idx, warp,
};
