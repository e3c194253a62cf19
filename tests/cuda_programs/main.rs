//! Programs in CUDA C++, compiled by nvcc 13.0, against the CPU: in the simulator, under its sanitizer, and on a GPU where
//! there is one.
//!
//! The texts are kept in `ptx/`, so that no compiler is needed; where nvcc is, a test sees that they are what it makes
//! (`UPDATE_EXPECT=1` writes them), and the programs run in the texts that it makes for older architectures too.

mod algorithms;
mod copies;
mod cub;
mod harness;
mod numbers;
mod tensor;
mod texts;
mod threads;
