//! Typed SSA for GPU kernels, and PTX.

pub mod analysis;
pub mod ir;
pub mod occupancy;
pub mod panic;
pub mod passes;
pub mod ptx;
pub mod target;
pub mod verify;
