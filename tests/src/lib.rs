//! Tests across the crates, and what they share.

pub mod toolchain;
