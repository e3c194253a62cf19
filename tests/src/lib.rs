//! Tests across the crates, and what they share.

pub mod geometry;
pub mod limited;
pub mod registers;
pub mod report;

pub use examples::toolchain;

use kernel_runtime::Gpu;

/// The first CUDA device, if there is one. With `REQUIRE_GPU=1` its absence is a failure.
pub fn cuda_or_skip() -> Option<Gpu> {
    match Gpu::cuda(0) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            let required = std::env::var("REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "REQUIRE_GPU is set: {error}");
            println!("not compared on a GPU: {error}");
            None
        }
    }
}

/// The README, whose examples are compiled and run.
#[doc = include_str!("../../README.md")]
#[cfg(doctest)]
pub struct Readme;

/// The README of `ptx`, likewise.
#[doc = include_str!("../../ptx/README.md")]
#[cfg(doctest)]
pub struct PtxReadme;
