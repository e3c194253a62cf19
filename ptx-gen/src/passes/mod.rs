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

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::time::{Duration, Instant};

    use super::*;

    /// A kernel of about 300 instructions: guarded accesses of slices in nested loops, as 30 lines of Rust give.
    fn large_kernel() -> Function {
        let mut text = String::from(
            "kernel large(param0 x: i64 ptr align 4, param1 n: i32, param2 y: i64 ptr align 4, param3 m: i32) {
                panic0 index
             block0:
                v0: i32 = special ctaid.x v1: i32 = special ntid.x v2: i32 = special tid.x
                v3: i32 = mul nuw v0, v1 v4: i32 = add nuw v3, v2 v5: i64 = zext v4
                v6: i64 = param0 v7: i32 = param1 v8: i64 = zext v7
                v9: i64 = param2 v10: i32 = param3 v11: i64 = zext v10
                v12: i64 = const 0 v13: f32 = const 0.0
                jump block100(v12, v13)\n",
        );
        const LOOPS: usize = 10;
        for index in 0..LOOPS {
            let (block, v) = (100 * (index + 1), 100 * (index + 1));
            let (next, len) = (block + 100, if index % 2 == 0 { "v8" } else { "v11" });
            let mut line = |line: String| writeln!(text, "{line}").expect("writing to a string");
            line(format!("block{block}(v{v}: i64, v{}: f32):", v + 1));
            line(format!("v{}: bool = icmp ult v{v}, {len}", v + 2));
            line(format!("branch v{}, block{}, block{next}(v12, v{})", v + 2, block + 1, v + 1));
            line(format!("block{}:", block + 1));
            let mut sum = v + 1;
            for access in 0..3 {
                let (w, b) = (v + 10 + 20 * access, block + 10 + 10 * access);
                line(format!("v{w}: i64 = const {access} v{}: i64 = add v{v}, v{w}", w + 1));
                line(format!("v{}: bool = icmp ult v{}, v8", w + 2, w + 1));
                line(format!("branch v{}, block{b}, block{}", w + 2, b + 1));
                line(format!("block{}: panic panic0(v{}, v8)", b + 1, w + 1));
                line(format!("block{b}: v{}: i64 = const 4 v{}: i64 = mul nuw v{}, v{}", w + 3, w + 4, w + 1, w + 3));
                line(format!("v{}: i64 = add nuw v6, v{}", w + 5, w + 4));
                line(format!("v{}: f32 = load.global v{} read_only", w + 6, w + 5));
                line(format!("v{}: f32 = fma v{}, v{}, v{sum}", w + 7, w + 6, w + 6));
                sum = w + 7;
            }
            line(format!("v{}: i64 = const 1 v{}: i64 = add nuw v{v}, v{}", v + 90, v + 91, v + 90));
            line(format!("jump block{block}(v{}, v{sum})", v + 91));
        }
        let last = 100 * (LOOPS + 1);
        write!(
            text,
            "block{last}(v{last}: i64, v{}: f32): v{}: bool = icmp ult v5, v11
             branch v{}, block5000, block5001
             block5001: return
             block5000: v5000: i64 = const 4 v5001: i64 = mul nuw v5, v5000 v5002: i64 = add nuw v9, v5001
             store.global v5002, v{} return }}",
            last + 1,
            last + 2,
            last + 2,
            last + 1
        )
        .expect("writing to a string");
        crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// Prints how long each pass takes: `cargo test -p ptx-gen pass_times -- --ignored --nocapture`.
    #[test]
    #[ignore = "a measurement"]
    fn pass_times() {
        const RUNS: u32 = 20;
        let original = large_kernel();
        assert_valid("none yet", &original);
        let count: usize = original.blocks.values().map(|block| block.insts.len()).sum();
        let mut times = vec![Duration::MAX; PIPELINE.len()];
        for _ in 0..RUNS {
            let mut func = original.clone();
            for ((_, pass), time) in PIPELINE.iter().zip(&mut times) {
                let start = Instant::now();
                pass(&mut func);
                *time = (*time).min(start.elapsed());
            }
        }
        for ((name, _), time) in PIPELINE.iter().zip(&times) {
            println!("{name:14}{time:>12.1?}");
        }
        println!("{count} instructions: {:.1?}", times.iter().sum::<Duration>());
    }
}
