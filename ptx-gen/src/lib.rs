//! The compiler of GPU kernels: from typed SSA to PTX.
//!
//! ```text
//! ir::FunctionBuilder or ir::parse                      a module of typed SSA
//!   → verify::verify                                    every rule of the IR, all errors at once
//!   → passes::run_pipeline, verify again                the table passes::PIPELINE, one pass a file
//!   → select::select                                    a ptx::tree::Module
//!   → Display                                           the text, which ptx::parse reads back to the same tree
//! ```
//!
//! [`compile`] does all of it. A front end builds the module with [`ir::FunctionBuilder`]; what a host needs to know to
//! launch the kernels comes back beside the text in [`Compiled`]. A kernel that can panic gets a hidden
//! parameter, the address of a [`PanicRecord`](kernel_abi::panic::PanicRecord), and one that prints another, that of a [buffer](kernel_abi::output).

pub mod analysis;
mod compile;
pub mod host_test;
pub mod inline;
pub mod ir;
pub mod passes;
pub mod select;
mod tensor_map;
pub mod verify;

pub use compile::{
    Called, CheckFreeKernel, CoarsenedKernel, CompileError, Compiled, CompiledKernel, Lack, compile,
};
