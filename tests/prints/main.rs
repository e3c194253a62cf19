//! `println!` in kernels: the texts are those of Rust's own `format!`, on the CPU copy, on the simulator and on a GPU where there
//! is one.

// Fields that kernels print by `Debug` are read by it alone, and the types show forms of Rust, not good style.
#![allow(dead_code, clippy::all)]

mod buffer;
mod formats;
mod harness;
mod order;
mod sinks;
