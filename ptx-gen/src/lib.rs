//! Typed SSA for GPU kernels, and PTX.
pub mod target;
