//! `coarsen`: what is no kernel that works element by element, each at the token that shows it.

use expect_test::{Expect, expect};

use super::{check_error, check_refusals};

/// The refusals of a body, with `x: &[f32], y: &mut [f32], n: usize` and `let i = global_idx().x;`.
#[track_caller]
fn refused(body: &str, expected: Expect) {
    let source = format!(
        "#[kernel(coarsen(4))] fn k(x: &[f32], y: &mut [f32], n: usize) {{\nlet i = global_idx().x;\n{body}\n}}"
    );
    check_refusals(&source, expected);
}

/// The errors of the attribute.
#[track_caller]
fn attribute(written: &str, expected: Expect) {
    check_error(
        &format!("#[kernel({written})] fn k(y: &mut [f32]) {{ y[global_idx().x] = 1.0; }}"),
        expected,
    );
}

#[test]
fn numbers() {
    attribute(
        "coarsen",
        expect![[r#"
        1:10 `coarsen`: expected 1 argument to `coarsen`, found 0
        help: write `coarsen(4)`"#]],
    );
    attribute(
        "coarsen(2, 2)",
        expect![[r#"
        1:21 `2`: expected 1 argument to `coarsen`, found 2
        help: write `coarsen(4)`"#]],
    );
    attribute(
        "coarsen(0)",
        expect![[r#"
        1:18 `0`: expected at least 1 element per thread, found 0
        help: write a number from 1 to 16"#]],
    );
    // One element a thread in every launch.
    attribute("coarsen(1)", expect!["accepted"]);
    attribute(
        "coarsen(3)",
        expect![[r#"
        1:18 `3`: expected a power of two, so that the elements of a thread are read at once, found 3
        help: write 1, 2, 4, 8 or 16"#]],
    );
    attribute(
        "coarsen(32)",
        expect![[r#"
        1:18 `32`: expected at most 16 elements per thread, found 32
        help: write a number from 1 to 16"#]],
    );
    attribute(
        "coarsen(N)",
        expect![[r#"
            1:18 `N`: expected the number of elements per thread, a constant integer, found the name `N`, whose value attributes do not know
            help: write the number, or the name of a constant of the `#[kernel_module]` that is one: `const N: usize = 128;`"#]],
    );
    attribute("coarsen(16)", expect!["accepted"]);
}

#[test]
fn accepted() {
    refused("if i < y.len() { y[i] = x[i]; }", expect![]);
    refused("if i < y.len() && x[i] > 0.0 { y[i] = x[n]; }", expect![]);
}

#[test]
fn other_indices() {
    refused("if i + 1 < y.len() { y[i + 1] = x[i]; }", expect![]);
    refused(
        "if i < n { y[n - 1 - i] = x[i]; }",
        expect![[r#"
        3:12 `y`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a write to `y` at an index other than the thread's own
        help: write `y[i]` with `i = global_idx().x`, or leave `coarsen` out"#]],
    );
    refused(
        "if i < n { y[0] = x[i]; }",
        expect![[r#"
        3:12 `y`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a write to `y` at an index other than the thread's own
        help: write `y[i]` with `i = global_idx().x`, or leave `coarsen` out"#]],
    );
    refused(
        "if i >= 1 && i < y.len() { y[i] = y[i - 1] + x[i]; }",
        expect![[r#"
            3:35 `y`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a read of `y`, which the kernel writes, at an index other than the thread's own
            help: read `y[i]` with `i = global_idx().x`, or from a copy of the buffer"#]],
    );
    refused(
        "if i < y.len() { y[i] = x[i]; y[n] = 0.0; }",
        expect![[r#"
        3:31 `y`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a write to `y` at an index other than the thread's own
        help: write `y[i]` with `i = global_idx().x`, or leave `coarsen` out"#]],
    );
    refused(
        "if i < y.len() { y[x[i] as usize] = 1.0; }",
        expect![[r#"
        3:18 `y`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a write to `y` at an index other than the thread's own
        help: write `y[i]` with `i = global_idx().x`, or leave `coarsen` out"#]],
    );
    refused(
        "let mut j = i;\nwhile j < y.len() { y[j] = x[j]; j += global_size().x; }",
        expect![[r#"
            4:39 `global_size`: expected a kernel that works element by element, as `coarsen(4)` needs it, found the size of the grid along x
            help: take the element's index from `global_idx().x`, or leave `coarsen` out"#]],
    );
    refused(
        "if i < n { for j in 0..4 { y[4 * i + j] = x[j]; } }",
        expect![[r#"
        3:28 `y`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a write to `y` at an index other than the thread's own
        help: write `y[i]` with `i = global_idx().x`, or leave `coarsen` out"#]],
    );
}

#[test]
fn what_threads_share() {
    refused(
        "let t = shared::<[f32; 4]>();\nif i < y.len() { y[i] = t[i % 4]; }",
        expect![[r#"
        3:1 `let`: expected a kernel that works element by element, as `coarsen(4)` needs it, found shared memory
        help: leave `coarsen` out: only what a thread does with its own element can be repeated"#]],
    );
    refused(
        "barrier();\nif i < y.len() { y[i] = x[i]; }",
        expect![[r#"
        3:1 `barrier`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a barrier
        help: leave `coarsen` out: only what a thread does with its own element can be repeated"#]],
    );
    refused(
        "if i < y.len() { y[i] = x[thread_idx().x]; }",
        expect![[r#"
            3:27 `thread_idx`: expected a kernel that works element by element, as `coarsen(4)` needs it, found `thread_idx().x` by itself
            help: take the element's index from `global_idx().x`, or leave `coarsen` out"#]],
    );
    refused(
        "if i < y.len() { y[i] = block_idx().x as f32 + block_dim().x as f32; }",
        expect![[r#"
            3:25 `block_idx`: expected a kernel that works element by element, as `coarsen(4)` needs it, found `block_idx().x` by itself
            help: take the element's index from `global_idx().x`, or leave `coarsen` out
            3:48 `block_dim`: expected a kernel that works element by element, as `coarsen(4)` needs it, found `block_dim().x`, or another use of the block's width
            help: take the element's index from `global_idx().x`, or leave `coarsen` out"#]],
    );
    refused(
        "if i < y.len() { y[i] = x[i] + warp::lane_id() as f32; }",
        expect![[r#"
        3:32 `warp`: expected a kernel that works element by element, as `coarsen(4)` needs it, found the thread's place in its warp
        help: take the element's index from `global_idx().x`, or leave `coarsen` out"#]],
    );
    refused(
        "let all = warp::shfl_xor(n as u32, 1);\nif i < y.len() { y[i] = x[i] + all as f32; }",
        expect![[r#"
            3:11 `warp`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a collective operation of the warp
            help: leave `coarsen` out: only what a thread does with its own element can be repeated"#]],
    );
}

#[test]
fn nothing_to_do() {
    check_refusals(
        "#[kernel(coarsen(4))] fn k(y: &mut [f32]) {\nif y.len() > 0 { y[0] = 1.0; }\n}",
        expect![[r#"
        1:10 `coarsen(4)`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a kernel without `global_idx().x`
        help: index the elements with `global_idx().x`, or leave `coarsen` out"#]],
    );
    refused(
        "let _ = x[i];",
        expect![[r#"
        1:10 `coarsen(4)`: expected a kernel that works element by element, as `coarsen(4)` needs it, found a kernel that writes nothing
        help: leave `coarsen` out"#]],
    );
}
