//! `println!` in kernels: the texts are those of Rust's own `format!`, on the CPU copy, on the simulator and on a GPU where there
//! is one.

// What kernels print by `Debug` is read by it alone, and they show forms of Rust, not good style.
#![allow(dead_code, clippy::all)]

mod buffer;
mod formats;
mod harness;
mod order;
mod sinks;
