//! Tests across the crates, and what they share.

pub mod geometry;
pub mod limited;
pub mod registers;
pub mod report;

pub use examples::toolchain;

/// The README, whose examples are compiled and run.
#[doc = include_str!("../../README.md")]
#[cfg(doctest)]
pub struct Readme;
