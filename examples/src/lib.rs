//! Kernels by topic, each with a plain Rust reference.
//!
//! Every topic is a file; its `EXAMPLES` say how each kernel is run and what it must give. `cargo run -p examples`
//! runs them all; `cargo run -p examples --bin report` tells what the compiler did with them.

pub mod divergence;
mod example;
pub mod ilp;
pub mod occupancy;
pub mod toolchain;
pub mod unrolling;
pub mod versus;
pub mod warp;

pub use example::{Example, Outcome, random};

use kernel_runtime::Kernel;

/// Every example, by topic.
pub fn examples() -> impl Iterator<Item = &'static Example> {
    let topics =
        [occupancy::EXAMPLES, divergence::EXAMPLES, warp::EXAMPLES, ilp::EXAMPLES, unrolling::EXAMPLES];
    topics.into_iter().flatten()
}

/// Every kernel of the examples.
pub fn kernels() -> impl Iterator<Item = &'static Kernel> {
    examples().map(|example| example.kernel)
}
