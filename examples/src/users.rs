//! Kernels as an ordinary CUDA programmer writes them: algorithms of public suites, with no attribute that tunes and nothing
//! arranged for this compiler. `examples/cuda/<topic>.cu` holds the same ones line for line; `versus --set users` compares them.

// They are written as their originals are.
#![allow(
    clippy::needless_range_loop,
    clippy::manual_clamp,
    clippy::implicit_saturating_sub,
    clippy::assign_op_pattern
)]
#![allow(clippy::too_many_arguments, clippy::excessive_precision, missing_docs)]

pub mod applications;
pub mod hecbench;
pub mod learning;
pub mod polybench;
pub mod rodinia;
pub mod samples;
pub mod suites;
pub mod validated;
