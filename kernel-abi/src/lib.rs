//! What the compiler of kernels and the runtime that launches them agree on.
//!
//! | module | holds |
//! |---|---|
//! | [`panic`], [`output`] | the records that panicking and printing threads leave in memory |
//! | [`guard`] | launch guards: programs that the host runs before a launch, which choose the version of a kernel |
//! | [`tensor_map`], [`shape`] | hidden parameters, and what a kernel requires of its blocks |
//! | [`remark`] | kinds of remarks of the compiler on the source |
//! | [`types`], [`operators`], [`eval`], [`half`] | scalar types and operations, and their meaning on constants |

pub mod eval;
pub mod guard;
pub mod half;
pub mod operators;
pub mod output;
pub mod panic;
pub mod remark;
pub mod shape;
pub mod tensor_map;
pub mod types;
