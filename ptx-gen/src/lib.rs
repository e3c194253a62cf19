//! Typed SSA for GPU kernels, and PTX.
