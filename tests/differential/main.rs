//! Kernels of every construct give the same on the CPU, on the simulator, and on a GPU where there is one.

// The kernels show forms of Rust, not good style.
#![allow(clippy::all)]

mod assembler;
mod device;
mod expressions;
mod harness;
mod loops;
mod more_panics;
mod panics;
