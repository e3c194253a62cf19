//! The passes between lowering and selection, one a file; their order is the table [`PIPELINE`].
//!
//! A pass takes a function that the verifier accepts and leaves one: in tests the verifier runs after each.

pub mod addresses;
pub mod checks;
pub mod dce;
pub(crate) mod eval;
pub mod fold;
pub mod gvn;
pub mod if_convert;
pub mod lower_panics;
pub mod narrow;
mod renames;
pub mod simplify_cfg;

use crate::ir::{Function, Module};

/// Changes one function.
pub type Pass = fn(&mut Function);

/// The passes in the order in which they run.
pub const PIPELINE: &[(&str, Pass)] = &[
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    ("fold", fold::fold_constants),
    ("gvn", gvn::number_values),
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    ("checks", checks::remove_decided_checks),
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    ("narrow", narrow::narrow_to_32_bits),
    ("fold", fold::fold_constants),
    ("addresses", addresses::split_addresses),
    ("gvn", gvn::number_values),
    ("dce", dce::eliminate_dead_code),
    // After the checks, which want to see branches; once what is not needed is gone from their sides.
    ("if_convert", if_convert::convert_ifs),
    ("fold", fold::fold_constants),
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    ("gvn", gvn::number_values),
    ("dce", dce::eliminate_dead_code),
    // Last, so that what only the cold block needs is computed there and keeps no register elsewhere.
    ("lower_panics", lower_panics::lower_panics),
];

/// Runs every pass over every function. The module was verified.
pub fn run_pipeline(module: &mut Module) {
    for func in &mut module.functions {
        for (_name, pass) in PIPELINE {
            pass(func);
            #[cfg(test)]
            assert_valid(_name, func);
        }
    }
}

/// Refuses what a pass made of a function if the verifier does.
#[cfg(test)]
fn assert_valid(pass: &str, func: &Function) {
    if let Err(errors) = crate::verify::verify_function(func) {
        panic!("after the pass `{pass}`: {errors}\n{func}");
    }
}

/// Compares what a pass makes of a function, both as text.
#[cfg(test)]
#[track_caller]
fn check(pass: impl FnOnce(&mut Function), text: &str, expect: expect_test::Expect) {
    let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
    assert_valid("none yet", &func);
    pass(&mut func);
    assert_valid("under test", &func);
    expect.assert_eq(&func.to_string());
}
