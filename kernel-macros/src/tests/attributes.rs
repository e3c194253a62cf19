//! Attributes of kernels.

use super::{check, check_error};
use expect_test::{Expect, expect};

#[track_caller]
fn accepted(attr: &str, expected: Expect) {
    check(&format!("#[kernel({attr})] fn k() {{}}"), expected);
}

#[track_caller]
fn refused(attr: &str, expected: Expect) {
    check_error(&format!("#[kernel({attr})] fn k() {{}}"), expected);
}

#[test]
fn launch_bounds() {
    accepted(
        "launch_bounds(256)",
        expect![[r#"
        launch_bounds Some(256) None block None fp_contract_off false
        fn k() {
        }"#]],
    );
    accepted(
        "launch_bounds(8 * 32, 1 << 3)",
        expect![[r#"
        launch_bounds Some(256) Some(8) block None fp_contract_off false
        fn k() {
        }"#]],
    );
    accepted(
        "launch_bounds(128, 2), block(64, 2), fp_contract(off)",
        expect![[r#"
        launch_bounds Some(128) Some(2) block Some([64, 2, 1]) fp_contract_off true
        fn k() {
        }"#]],
    );
    accepted(
        "block(8, 8, 4)",
        expect![[r#"
        launch_bounds None None block Some([8, 8, 4]) fp_contract_off false
        fn k() {
        }"#]],
    );
    accepted(
        "",
        expect![[r#"
        fn k() {
        }"#]],
    );
}

#[test]
fn launch_bounds_out_of_range() {
    refused(
        "launch_bounds(0)",
        expect![[r#"
        1:24 `0`: expected at least 1 thread per block, found 0
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "launch_bounds(1025)",
        expect![[r#"
        1:24 `1025`: expected at most 1024 threads per block, found 1025
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "launch_bounds(-1)",
        expect![[r#"
        1:24 `-1`: expected at least 1 thread per block, found -1
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "launch_bounds(32 * 33)",
        expect![[r#"
        1:24 `32 * 33`: expected at most 1024 threads per block, found 1056
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "launch_bounds(99999999999999999999999999999999999999999)",
        expect![[r#"
        1:24 `99999999999999999999999999999999999999999`: expected the number of threads per block, a constant integer, found `99999999999999999999999999999999999999999`, which is too large
        help: write a smaller number"#]],
    );
    refused(
        "launch_bounds(256, 0)",
        expect![[r#"
        1:29 `0`: expected at least 1 block per SM, found 0
        help: leave the minimum out to ask for nothing"#]],
    );
    refused(
        "launch_bounds(256, -2)",
        expect![[r#"
        1:29 `-2`: expected at least 1 block per SM, found -2
        help: write a number from 1 to 32"#]],
    );
    refused(
        "launch_bounds(256, 9)",
        expect![[r#"
        1:29 `9`: 9 blocks of 256 threads do not fit an SM of any architecture, which holds 2048 threads in at most 32 blocks
        help: ask for at most 8 blocks per SM"#]],
    );
    refused(
        "launch_bounds(32, 5000000000)",
        expect![[r#"
        1:28 `5000000000`: expected at most 32 blocks per SM, found 5000000000
        help: write a number from 1 to 32"#]],
    );
    refused(
        "launch_bounds(64 / 0)",
        expect![[r#"
        1:24 `64 / 0`: expected the number of threads per block, a constant integer, found an expression that overflows
        help: write the number"#]],
    );
}

#[test]
fn launch_bounds_of_the_wrong_kind() {
    refused(
        "launch_bounds(1.5)",
        expect![[r#"
        1:24 `1.5`: expected the number of threads per block, a constant integer, found the float `1.5`
        help: write an integer"#]],
    );
    refused(
        "launch_bounds(N)",
        expect![[r#"
        1:24 `N`: expected the number of threads per block, a constant integer, found the name `N`, whose value is not known when the kernel is compiled
        help: write the number"#]],
    );
    refused(
        "launch_bounds(2 * N, 2)",
        expect![[r#"
        1:28 `N`: expected the number of threads per block, a constant integer, found the name `N`, whose value is not known when the kernel is compiled
        help: write the number"#]],
    );
    refused(
        "launch_bounds(\"256\")",
        expect![[r#"
        1:24 `"256"`: expected the number of threads per block, a constant integer, found `"256"`
        help: write an integer"#]],
    );
    refused(
        "launch_bounds(f(3))",
        expect![[r#"
        1:24 `f(3)`: expected the number of threads per block, a constant integer, found `f(3)`
        help: write the number"#]],
    );
    refused(
        "launch_bounds(256u8 == 3)",
        expect![[r#"
        1:24 `256u8 == 3`: expected the number of threads per block, a constant integer, found the operator `==`
        help: write the number"#]],
    );
    refused(
        "launch_bounds",
        expect![[r#"
        1:10 `launch_bounds`: expected 1 to 2 arguments to `launch_bounds`, found 0
        help: write `launch_bounds(max_threads[, min_blocks])`"#]],
    );
    refused(
        "launch_bounds()",
        expect![[r#"
        1:10 `launch_bounds()`: expected 1 to 2 arguments to `launch_bounds`, found 0
        help: write `launch_bounds(max_threads[, min_blocks])`"#]],
    );
    refused(
        "launch_bounds(256, 2, 1)",
        expect![[r#"
        1:32 `1`: expected 1 to 2 arguments to `launch_bounds`, found 3
        help: write `launch_bounds(max_threads[, min_blocks])`"#]],
    );
    refused(
        "launch_bounds(256, 2, 1, 5)",
        expect![[r#"
        1:32 `1, 5`: expected 1 to 2 arguments to `launch_bounds`, found 4
        help: write `launch_bounds(max_threads[, min_blocks])`"#]],
    );
    refused(
        "launch_bounds = 256",
        expect![[r#"
            1:24 `=`: expected `(` after `launch_bounds`, found `=`
            help: the attributes are `launch_bounds(max_threads[, min_blocks])`, `block(x[, y[, z]])`, `fp_contract(off)`, `instances(T = [f32, f64], N = [128, 256])`"#]],
    );
}

#[test]
fn blocks() {
    refused(
        "block(0)",
        expect![[r#"
        1:16 `0`: expected at least 1 thread along x, found 0
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "block(1025)",
        expect![[r#"
        1:16 `1025`: expected at most 1024 threads along x, found 1025
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "block(1, 1, 65)",
        expect![[r#"
        1:22 `65`: expected at most 64 threads along z, found 65
        help: write a number from 1 to 64"#]],
    );
    refused(
        "block(64, 64)",
        expect![[r#"
        1:10 `block(64, 64)`: expected at most 1024 threads per block, found 64 × 64 × 1 = 4096
        help: make the block smaller"#]],
    );
    refused(
        "block(1, 2, 3, 4)",
        expect![[r#"
        1:25 `4`: expected 1 to 3 arguments to `block`, found 4
        help: write `block(x[, y[, z]])`"#]],
    );
    refused(
        "block(32, 1.0)",
        expect![[r#"
        1:20 `1.0`: expected the block's size along y, a constant integer, found the float `1.0`
        help: write an integer"#]],
    );
    refused(
        "launch_bounds(128), block(16, 16)",
        expect![[r#"
        1:30 `block(16, 16)`: expected at most 128 threads per block, as `launch_bounds(128)` says, found `block` with 256
        help: make the block smaller or write `launch_bounds(256)`"#]],
    );
}

#[test]
fn names_of_attributes() {
    refused(
        "launch_bound(256)",
        expect![[r#"
        1:10 `launch_bound`: expected an attribute of kernels, found `launch_bound`
        help: did you mean `launch_bounds`?"#]],
    );
    refused(
        "speed(11)",
        expect![[r#"
            1:10 `speed`: expected an attribute of kernels, found `speed`
            help: the attributes are `launch_bounds(max_threads[, min_blocks])`, `block(x[, y[, z]])`, `fp_contract(off)`, `instances(T = [f32, f64], N = [128, 256])`"#]],
    );
    refused(
        "maxnreg(32)",
        expect![[r#"
        1:10 `maxnreg`: `maxnreg` is not supported yet
        help: leave it out"#]],
    );
    refused(
        "launch_bounds(64), launch_bounds(64)",
        expect![[r#"
        1:29 `launch_bounds`: expected each attribute once, found `launch_bounds` again
        help: leave one of them out"#]],
    );
    refused(
        "fp_contract(on)",
        expect![[r#"
        1:22 `on`: expected `off`, found `on`
        help: leave `fp_contract` out: contraction is on by default"#]],
    );
    refused(
        "fp_contract",
        expect![[r#"
        1:10 `fp_contract`: expected 1 argument to `fp_contract`, found 0
        help: write `fp_contract(off)`"#]],
    );
    refused(
        "256",
        expect![[r#"
            1:10 `256`: expected an attribute of kernels, found a literal
            help: the attributes are `launch_bounds(max_threads[, min_blocks])`, `block(x[, y[, z]])`, `fp_contract(off)`, `instances(T = [f32, f64], N = [128, 256])`"#]],
    );
    refused(
        "launch_bounds(0), blok(3)",
        expect![[r#"
        1:24 `0`: expected at least 1 thread per block, found 0
        help: write a number from 1 to 1024
        1:28 `blok`: expected an attribute of kernels, found `blok`
        help: did you mean `block`?"#]],
    );
}
