//! `disjoint`: `&mut [T]` parameters are accessed through one partition each.

use super::check_error;
use expect_test::{Expect, expect};

/// The errors in a body between `x: &[f32], y: &mut [f32], n: usize` of a kernel with `disjoint`; lines count from the body's first.
#[track_caller]
fn body(body: &str, expected: Expect) {
    check_error(
        &format!("#[kernel(disjoint)] fn k(x: &[f32], y: &mut [f32], n: usize) {{\n{body}\n}}"),
        expected,
    );
}

#[test]
fn parts_are_accepted() {
    body("if let Some(y) = y.per_thread() { *y += x[n]; }", expect!["accepted"]);
    body(
        "for y in y.chunk_per_thread(4) { *y = 1.0; }\ny.chunk_per_thread(4)[0] = 2.0;",
        expect!["accepted"],
    );
    body(
        "const N: usize = 8;\nif y.len() > 3 && !y.is_empty() { y.chunk_per_thread(N).fill(0.0); }",
        expect!["accepted"],
    );
    body("y.chunk_per_thread(n).fill(0.0);", expect!["accepted"]);
    body(
        "let sum = block::reduce_add(x[0]);\nif let Some(y) = y.per_block() { *y = sum; }",
        expect!["accepted"],
    );
    body("if let Some(y) = y.per_warp() { *y = 1.0; }", expect!["accepted"]);
}

#[test]
fn the_whole_slice_is_refused() {
    body(
        "y[global_idx().x] = 1.0;",
        expect![[r#"
        2:1 `y`: expected a part of `y` that one thread has for itself, as the kernel is `disjoint`, found the whole slice, which every thread has
        help: write `y.per_thread()`, `y.chunk_per_thread(n)`, `y.per_warp()` or `y.per_block()`; take `&[T]` for what is only read, a slice of atomics for what several threads change"#]],
    );
    body(
        "let all = y;\nall[0] = 1.0;",
        expect![[r#"
        2:11 `y`: expected a part of `y` that one thread has for itself, as the kernel is `disjoint`, found the whole slice, which every thread has
        help: write `y.per_thread()`, `y.chunk_per_thread(n)`, `y.per_warp()` or `y.per_block()`; take `&[T]` for what is only read, a slice of atomics for what several threads change"#]],
    );
    body(
        "for y in y.iter_mut() { *y = 1.0; }",
        expect![[r#"
        2:10 `y`: expected a part of `y` that one thread has for itself, as the kernel is `disjoint`, found the whole slice, which every thread has
        help: write `y.per_thread()`, `y.chunk_per_thread(n)`, `y.per_warp()` or `y.per_block()`; take `&[T]` for what is only read, a slice of atomics for what several threads change"#]],
    );
    body(
        "let set = |i: usize| y[i] = 1.0;\nset(0);",
        expect![[r#"
        2:22 `y`: expected a part of `y` that one thread has for itself, as the kernel is `disjoint`, found the whole slice, which every thread has
        help: write `y.per_thread()`, `y.chunk_per_thread(n)`, `y.per_warp()` or `y.per_block()`; take `&[T]` for what is only read, a slice of atomics for what several threads change"#]],
    );
    body(
        "fn set(y: &mut [f32]) { y[0] = 1.0; }\nset(y);",
        expect![[r#"
        3:5 `y`: expected a part of `y` that one thread has for itself, as the kernel is `disjoint`, found the whole slice, which every thread has
        help: write `y.per_thread()`, `y.chunk_per_thread(n)`, `y.per_warp()` or `y.per_block()`; take `&[T]` for what is only read, a slice of atomics for what several threads change"#]],
    );
}

#[test]
fn partitions_that_overlap_are_refused() {
    body(
        "if let Some(y) = y.per_thread() { *y = 1.0; }\nif let Some(y) = y.per_block() { *y = 1.0; }",
        expect![[r#"
            3:18 `y`: expected one partition of `y` in a kernel that is `disjoint`, found `per_block` beside `per_thread`, whose parts overlap
            help: use `per_thread` here, too, or another buffer"#]],
    );
    body(
        "y.chunk_per_thread(4)[0] = 1.0;\ny.chunk_per_thread(2)[0] = 1.0;",
        expect![[r#"
        3:1 `y`: expected chunks of `y` of one size in a kernel that is `disjoint`, found another size
        help: the sizes are to be the same constant or parameter"#]],
    );
    body(
        "y.chunk_per_thread(4)[0] = 1.0;\ny.chunk_per_thread(n)[0] = 1.0;",
        expect![[r#"
        3:1 `y`: expected chunks of `y` of one size in a kernel that is `disjoint`, found another size
        help: the sizes are to be the same constant or parameter"#]],
    );
    body(
        "for k in 1..4 { y.chunk_per_thread(k).fill(0.0); }",
        expect![[r#"
        2:36 `k`: expected a constant or a parameter as the size of `chunk_per_thread`, as the kernel is `disjoint`: all threads have the same then; found another expression
        help: compute it on the host and pass it, or write a `const`"#]],
    );
}

#[test]
fn only_parameters_have_partitions() {
    check_error(
        "fn k(y: &mut [f32]) {\nlet mut tile = shared::<[f32; 32]>();\nif let Some(t) = tile.per_thread() { *t = y[0]; }\n}",
        expect![[r#"
            3:18 `tile`: expected a `&mut [T]` parameter of the kernel, in the kernel itself, found another place: the parts of `per_thread` are those of a whole buffer
            help: index the slice: `thread_idx()` is the thread in its block"#]],
    );
    check_error(
        "fn k(y: &mut [f32]) {\nif let Some(t) = y[1..].per_thread() { *t = 1.0; }\n}",
        expect![[r#"
            2:18 `y`: expected a `&mut [T]` parameter of the kernel, in the kernel itself, found another place: the parts of `per_thread` are those of a whole buffer
            help: index the slice: `thread_idx()` is the thread in its block"#]],
    );
    check_error(
        "fn k(y: &mut [f32]) {\nfn set(y: &mut [f32]) { if let Some(y) = y.per_thread() { *y = 1.0; } }\nset(&mut y[1..]);\n}",
        expect![[r#"
            2:42 `y`: expected a `&mut [T]` parameter of the kernel, in the kernel itself, found another place: the parts of `per_thread` are those of a whole buffer
            help: index the slice: `thread_idx()` is the thread in its block"#]],
    );
    check_error(
        "fn k(x: &[f32]) {\nif let Some(x) = x.per_thread() { *x = 1.0; }\n}",
        expect![[r#"
        2:18 `x`: expected `&mut [_]`, found `&[f32]`
        help: pick an element: `[i]`"#]],
    );
    check_error(
        "#[kernel(disjoint)] unsafe fn k(y: *mut f32) {}",
        expect![[r#"
        1:33 `y`: expected no pointer to write through in a kernel that is `disjoint`, found `y`
        help: take a slice, `&mut [T]`, or leave `disjoint` out"#]],
    );
    check_error(
        "#[kernel(disjoint(y))] fn k(y: &mut [f32]) {}",
        expect![[r#"
        1:19 `y`: expected 0 arguments to `disjoint`, found 1
        help: write `disjoint`"#]],
    );
}
