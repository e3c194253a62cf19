//! The passes between lowering and selection, one a file; their order is the table [`PIPELINE`].
//!
//! A pass takes a function that the verifier accepts and leaves one. In debug builds each is checked after it ran.

pub mod dce;

use crate::ir::{Function, Module};

/// Changes one function.
pub type Pass = fn(&mut Function);

/// The passes in the order in which they run.
pub const PIPELINE: &[(&str, Pass)] = &[("dce", dce::eliminate_dead_code)];

/// Runs every pass over every function. The module was verified.
pub fn run_pipeline(module: &mut Module) {
    for func in &mut module.functions {
        for (name, pass) in PIPELINE {
            pass(func);
            if cfg!(test)
                && let Err(errors) = crate::verify::verify_function(func)
            {
                panic!("after the pass `{name}`: {errors}\n{func}");
            }
        }
    }
}
