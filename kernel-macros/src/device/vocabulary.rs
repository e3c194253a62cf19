//! What the files of the library name of the language, for rustc: the compiler has its own.

#![allow(unused_imports)]

pub use kernel_runtime::Element;
pub use kernel_runtime::device::{
    Float, Int, Number, barrier, block_dim, block_idx, fast, global_idx, grid_dim, shared, thread_idx, warp,
};
