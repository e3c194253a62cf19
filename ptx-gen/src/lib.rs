//! Typed SSA for GPU kernels, and PTX.
pub mod occupancy;
pub mod target;
