//! Typed SSA for GPU kernels, and PTX.

pub mod ir;
pub mod occupancy;
pub mod panic;
pub mod ptx;
pub mod target;
