//! `println!` in kernels: the texts are those of Rust's own `format!`, on the CPU copy, on the simulator and on a GPU where there
//! is one.

mod buffer;
mod formats;
mod harness;
mod order;
