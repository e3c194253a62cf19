//! Arithmetic intensity: what a kernel computes for each byte that it moves, and how to move fewer.

pub mod attention;
pub mod fusion;
pub mod matmul;
pub mod matmul_async;
pub mod matmul_groups;
pub mod matmul_tensor;
pub mod narrow;
pub mod pipeline;
pub mod rows;
pub mod transpose;
pub mod weights;
