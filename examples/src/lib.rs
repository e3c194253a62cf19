//! Kernels by topic, each with a plain Rust reference.
//!
//! Every topic is a file; its `EXAMPLES` say how each kernel is run and what it must give. `cargo run -p examples`
//! runs them all; `cargo run -p examples --bin report` tells what the compiler did with them.

pub mod chapter;
pub mod clusters;
pub mod copies;
pub mod cublas;
pub mod divergence;
mod example;
pub mod host;
pub mod ilp;
pub mod instructions;
pub mod intensity;
pub mod low_level;
pub mod occupancy;
pub mod plot;
pub mod roofline;
mod runs;
pub mod tables;
pub mod together;
pub mod toolchain;
pub mod unrolling;
pub mod users;
pub mod versus;
pub mod warp;

pub use example::{Example, Outcome, is_beyond_the_device, random};

use std::collections::HashSet;

use kernel_runtime::Kernel;

/// The tables of the topics' files.
static TABLES: &[&[Example]] = &[
    occupancy::EXAMPLES,
    occupancy::pressure::EXAMPLES,
    occupancy::tiles::EXAMPLES,
    divergence::EXAMPLES,
    divergence::partition::EXAMPLES,
    divergence::queue::EXAMPLES,
    divergence::forces::EXAMPLES,
    divergence::polygons::EXAMPLES,
    divergence::uniform::EXAMPLES,
    divergence::staged::EXAMPLES,
    warp::EXAMPLES,
    warp::kinds::EXAMPLES,
    warp::votes::EXAMPLES,
    ilp::EXAMPLES,
    ilp::latency::EXAMPLES,
    ilp::peak::EXAMPLES,
    unrolling::EXAMPLES,
    instructions::polynomial::EXAMPLES,
    instructions::segments::EXAMPLES,
    instructions::angles::EXAMPLES,
    instructions::accuracy::EXAMPLES,
    instructions::indices::EXAMPLES,
    intensity::fusion::EXAMPLES,
    intensity::rows::EXAMPLES,
    intensity::matmul::EXAMPLES,
    intensity::matmul_async::EXAMPLES,
    intensity::matmul_tensor::EXAMPLES,
    intensity::matmul_groups::EXAMPLES,
    intensity::narrow::EXAMPLES,
    intensity::attention::EXAMPLES,
    intensity::pipeline::EXAMPLES,
    intensity::weights::EXAMPLES,
    intensity::transpose::EXAMPLES,
    low_level::caches::EXAMPLES,
    low_level::registers::EXAMPLES,
    together::EXAMPLES,
    clusters::EXAMPLES,
];

/// Kernels that run beside those of the tables.
static PARTS: &[&[&Kernel]] =
    &[divergence::partition::PARTS, divergence::forces::PARTS, intensity::fusion::PARTS, host::ring::PARTS];

/// Every example, by topic.
pub fn examples() -> impl Iterator<Item = &'static Example> {
    TABLES.iter().copied().flatten()
}

/// Every kernel of the examples, once.
pub fn kernels() -> impl Iterator<Item = &'static Kernel> {
    let mut seen = HashSet::new();
    let all = examples().map(|example| example.kernel).chain(PARTS.iter().copied().flatten().copied());
    all.filter(move |kernel| seen.insert(kernel.name()))
}

/// Returns true for a kernel whose purpose is to show register spills.
pub fn spills(kernel: &Kernel) -> bool {
    occupancy::pressure::SPILLING.iter().any(|spilling| spilling.name() == kernel.name())
}
