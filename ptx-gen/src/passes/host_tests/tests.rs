//! Tests of the launch guards of small kernels, and of the check-free versions.

use std::collections::HashSet;

use expect_test::{Expect, expect};

use super::*;
use crate::passes::{PIPELINE, assert_valid};

/// Runs a function through the passes before; each check is one that is left.
fn prepared(text: &str) -> (Function, HashSet<Check>) {
    let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
    assert_valid("none yet", &func);
    for (_, pass) in PIPELINE.iter().take_while(|(name, _)| *name != crate::passes::HOST_TESTS_BEFORE) {
        pass(&mut func);
    }
    let checks = func.layout.iter().filter_map(|&block| check_of(&func, block)).collect();
    (func, checks)
}

fn check_of(func: &Function, block: Block) -> Option<Check> {
    super::check(func, block)
}

/// The tests of a kernel, and how many of its panics are left with and without them.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let (func, left) = prepared(text);
    let found = find(&func, &left, Doubtful::Tested);
    let panics =
        |func: &Function| func.layout.iter().filter(|&&block| check_of(func, block).is_some()).count();
    let mut lines: String = found.tests.iter().map(|test| format!("{}\n", test.text)).collect();
    let checked = found.checked(&func);
    assert_valid("checked", &checked);
    lines += &format!("{} checks", panics(&func));
    if found.proves_some() {
        lines += &format!(", proved: {} left", panics(&checked));
    }
    match found.check_free(&func, &[]) {
        Some((twin, _)) => {
            assert_valid("check-free", &twin);
            lines += &format!(", tested: {} left\n", panics(&twin));
        }
        None => lines += ", no tests\n",
    }
    expect.assert_eq(&lines);
}

#[test]
fn no_address_is_small() {
    check(
        "kernel k(param0 x: i64 ptr align 2, param1 x_len: i32, param2 stride: i32) {
            panic0 misaligned
        block0:
            v0: i64 = param0
            v1: i32 = param2
            v2: i64 = zext v1
            v3: i32 = special ctaid.x
            v4: i64 = zext v3
            v5: i64 = mul nuw v4, v2
            v6: i64 = add nuw v0, v5
            v7: i64 = const 3
            v8: i64 = and v6, v7
            v9: i64 = const 0
            v10: bool = icmp eq v8, v9
            branch v10, block1, block2
        block1:
            store.global v6, v9
            return
        block2:
            panic panic0(v6, v7)
        }",
        expect![[r#"
            1 checks, no tests
        "#]],
    );
}

/// `if i < n { y[i] = x[i] }` where `n` is a length of a third slice; `i` is the thread in the grid.
fn guarded(body: &str) -> String {
    format!(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32, param4 n: i32) {{
            panic0 index
            panic1 message \"other\"
        block0:
            v0: i32 = special ctaid.x
            v1: i32 = special ntid.x
            v2: i32 = special tid.x
            v3: i32 = mul nuw v0, v1
            v4: i32 = add nuw v3, v2
            v5: i64 = zext v4
            v6: i32 = param1
            v7: i64 = zext v6
            v8: i32 = param3
            v9: i64 = zext v8
            v10: i32 = param4
            v11: i64 = zext v10
            {body}
        block9:
            return
        }}"
    )
}

/// Rows of `stride` elements, of which each block writes those below a bound.
fn rows(stride: &str, bound: &str) -> String {
    guarded(&format!(
        "v20: i64 = zext v0
            v21: i64 = const 32
            v22: i64 = mul nuw v20, {stride}
            v23: i32 = const 31
            v24: i32 = and v2, v23
            v25: i64 = zext v24
            v26: i64 = add nuw v22, v25
            v27: i64 = param0
            v28: i32 = load.global v27
            v29: bool = icmp ult v24, {bound}
            branch v29, block1, block9
        block1:
            v30: bool = icmp ult v26, v9
            branch v30, block2, block8
        block2:
            v31: i64 = param2
            v32: i64 = const 4
            v33: i64 = mul nuw v26, v32
            v34: i64 = add nuw v31, v33
            store.global v34, v2
            jump block9
        block8:
            panic panic0(v26, v9)"
    ))
}

/// The bound is data: that a row has 32 elements is no guard where its length is an argument.
#[test]
fn rows_whose_ends_are_data() {
    check(
        &rows("v11", "v28"),
        expect![[r#"
            1 checks, no tests
        "#]],
    );
    check(
        &rows("v21", "v28"),
        expect![[r#"
            32 * grid_dim().x <= y_len
            1 checks, tested: 0 left
        "#]],
    );
    check(
        &rows("v11", "v23"),
        expect![[r#"
            grid_dim().x * n + 31 <= n + y_len
            1 checks, tested: 0 left
        "#]],
    );
    check(
        &rows("v11", "v10"),
        expect![[r#"
            grid_dim().x * n + 32 <= n + y_len
            1 checks, tested: 0 left
        "#]],
    );
}

#[test]
fn a_guard_on_another_length() {
    check(
        &guarded(
            "v20: bool = icmp ult v5, v9
            branch v20, block1, block9
        block1:
            v21: bool = icmp ult v5, v7
            branch v21, block2, block3
        block3:
            panic panic0(v5, v7)
        block2:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            y_len <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

#[test]
fn no_guard_at_all() {
    check(
        &guarded(
            "v20: bool = icmp ult v5, v9
            branch v20, block1, block3
        block1:
            v21: bool = icmp ult v5, v7
            branch v21, block2, block3
        block3:
            panic panic0(v5, v7)
        block2:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            grid_dim().x * block_dim().x <= y_len
            y_len <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// Three lengths: any guard will do.
#[test]
fn several_guards() {
    check(
        &guarded(
            "v20: bool = icmp ult v5, v9
            v22: bool = icmp ult v5, v11
            v23: bool = and v20, v22
            branch v23, block1, block9
        block1:
            v21: bool = icmp ult v5, v7
            branch v21, block2, block3
        block3:
            panic panic0(v5, v7)
        block2:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            n <= x_len || y_len <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `x[i - 1]`, `x[i + 1]` where `i >= 1 && i + 1 < n`.
#[test]
fn neighbours() {
    check(
        &guarded(
            "v30: i64 = const 1
            v31: i64 = add v5, v30
            v20: bool = icmp ult v31, v11
            v22: bool = icmp uge v5, v30
            v23: bool = and v20, v22
            branch v23, block1, block9
        block1:
            v24: i64 = sub v5, v30
            v21: bool = icmp ult v24, v7
            branch v21, block2, block3
        block3:
            panic panic0(v5, v7)
        block2:
            v25: bool = icmp ult v31, v7
            branch v25, block4, block3
        block4:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            n <= x_len
            grid_dim().x * block_dim().x <= u32::MAX
            1 checks, tested: 0 left
        "#]],
    );
}

/// `x[n - 1 - i]` where `i < n`.
#[test]
fn from_the_end() {
    check(
        &guarded(
            "v20: bool = icmp ult v5, v11
            branch v20, block1, block9
        block1:
            v30: i64 = const 1
            v31: i64 = sub v11, v30
            v32: i64 = sub v31, v5
            v21: bool = icmp ult v32, v7
            branch v21, block2, block3
        block3:
            panic panic0(v5, v7)
        block2:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            n <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `x[data]`: no guard.
#[test]
fn data_as_an_index() {
    check(
        &guarded(
            "v40: i32 = const 0
            v41: i32 = load.shared v40
            v42: i64 = zext v41
            v21: bool = icmp ult v42, v7
            branch v21, block2, block3
        block3:
            panic panic0(v5, v7)
        block2:
            v43: bool = icmp ult v42, v9
            branch v43, block4, block3
        block4:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            x_len <= y_len
            1 checks, tested: 1 left
        "#]],
    );
}

/// Checks of parameters alone: divisors, alignments, assertions.
#[test]
fn parameters_alone() {
    check(
        &guarded(
            "v30: i32 = const 0
            v31: bool = icmp ne v10, v30
            branch v31, block1, block3
        block3:
            panic panic1
        block1:
            v32: i32 = const 3
            v33: i32 = and v10, v32
            v34: bool = icmp eq v33, v30
            branch v34, block2, block3
        block2:
            v35: i32 = mul v6, v10
            v36: bool = icmp eq v35, v8
            branch v36, block4, block3
        block4:
            jump block9",
        ),
        expect![[r#"
            n != 0
            (n & 3) == 0
            (x_len * n) == y_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `if row < rows && col < cols { a[row * cols + col] }` with sizes of 64 bits, which may wrap.
#[test]
fn rows_and_columns() {
    check(
        "kernel k(param0 a: i64 ptr align 4, param1 a_len: i32, param2 rows: i64, param3 cols: i64) {
            panic0 index
        block0:
            v0: i32 = special ctaid.x
            v1: i32 = special tid.x
            v2: i64 = zext v0
            v3: i64 = zext v1
            v4: i64 = param2
            v5: i64 = param3
            v6: bool = icmp ult v2, v4
            branch v6, block1, block9
        block1:
            v7: bool = icmp ult v3, v5
            branch v7, block2, block9
        block2:
            v8: i64 = mul v2, v5
            v9: i64 = add v8, v3
            v10: i32 = param1
            v11: i64 = zext v10
            v12: bool = icmp ult v9, v11
            branch v12, block3, block4
        block4:
            panic panic0(v9, v11)
        block3:
            store.shared v0, v0
            jump block9
        block9:
            return
        }",
        expect![[r#"
            rows * cols <= a_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `for k in 0..n { a[row * n + k]; b[k * n + col] }` with sizes of 32 bits that may wrap, as `u32`.
#[test]
fn a_product_of_matrices() {
    check(
        "kernel k(param0 a: i64 ptr align 4, param1 a_len: i32, param2 b: i64 ptr align 4, param3 b_len: i32, param4 n: i32) {
            panic0 index
        block0:
            v0: i32 = special ctaid.x
            v1: i32 = special tid.x
            v2: i32 = param1
            v3: i32 = param3
            v4: i32 = param4
            v5: bool = icmp ult v0, v4
            branch v5, block1, block9
        block1:
            v6: bool = icmp ult v1, v4
            branch v6, block2, block9
        block2:
            v7: i32 = const 0
            v8: i32 = const 1
            jump block3(v7)
        block3(v10: i32):
            v11: bool = icmp ult v10, v4
            branch v11, block4, block9
        block4:
            v12: i32 = mul v0, v4
            v13: i32 = add v12, v10
            v14: bool = icmp ult v13, v2
            branch v14, block5, block8
        block5:
            v15: i32 = mul v10, v4
            v16: i32 = add v15, v1
            v17: bool = icmp ult v16, v3
            branch v17, block6, block8
        block8:
            v20: i64 = zext v0
            panic panic0(v20, v20)
        block6:
            v18: i32 = add nuw v10, v8
            store.shared v0, v0
            jump block3(v18)
        block9:
            return
        }",
        expect![[r#"
            n * n <= a_len
            n * n <= b_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `tile[t]` of 256 in blocks of any size, and `while s > 0 { if t < s { tile[t + s] } s /= 2 }` from half the block.
#[test]
fn shared_arrays_by_the_size_of_the_block() {
    check(
        "kernel k() {
            panic0 index
        block0:
            v0: i32 = special tid.x
            v1: i64 = zext v0
            v2: i64 = const 256
            v3: bool = icmp ult v1, v2
            branch v3, block1, block8
        block1:
            store.shared v0, v0
            v4: i32 = special ntid.x
            v5: i64 = zext v4
            v6: i64 = const 1
            v7: i64 = lshr v5, v6
            v8: i64 = const 0
            jump block2(v7)
        block2(v10: i64):
            v11: bool = icmp ugt v10, v8
            branch v11, block3, block9
        block3:
            v12: bool = icmp ult v1, v10
            branch v12, block4, block6
        block4:
            v13: i64 = add v1, v10
            v14: bool = icmp ult v13, v2
            branch v14, block5, block8
        block5:
            store.shared v0, v0
            jump block6
        block6:
            v15: i64 = lshr v10, v6
            jump block2(v15)
        block8:
            panic panic0(v1, v2)
        block9:
            return
        }",
        expect![[r#"
            block_dim().x <= 256
            1 checks, tested: 0 left
        "#]],
    );
}

/// `let mut at = t; for k in 0..n { x[at]; at += stride }`
#[test]
fn a_step_beside_the_counter() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i32, param3 stride: i32) {
            panic0 index
        block0:
            v0: i32 = special tid.x
            v1: i64 = zext v0
            v2: i32 = param1
            v3: i64 = zext v2
            v4: i32 = param2
            v5: i64 = zext v4
            v6: i32 = param3
            v7: i64 = zext v6
            v8: i64 = const 0
            v9: i64 = const 1
            jump block1(v8, v1)
        block1(v10: i64, v11: i64):
            v12: bool = icmp ult v10, v5
            branch v12, block2, block9
        block2:
            v13: bool = icmp ult v11, v3
            branch v13, block3, block8
        block8:
            panic panic0(v11, v3)
        block3:
            store.shared v0, v0
            v14: i64 = add nuw v10, v9
            v15: i64 = add v11, v7
            jump block1(v14, v15)
        block9:
            return
        }",
        expect![[r#"
            block_dim().x + stride * n <= stride + x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `for k in 0..w { if w > 0 … }` with signed numbers: `i as usize * w as usize + k as usize`.
#[test]
fn signed_sizes() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 w: i32, param3 h: i32) {
            panic0 index
        block0:
            v0: i32 = special tid.x
            v2: i32 = param1
            v3: i64 = zext v2
            v4: i32 = param2
            v5: i32 = param3
            v6: bool = icmp slt v0, v5
            branch v6, block1, block9
        block1:
            v7: i32 = const 0
            v8: i32 = const 1
            jump block2(v7)
        block2(v10: i32):
            v11: bool = icmp slt v10, v4
            branch v11, block3, block9
        block3:
            v12: i64 = sext v0
            v13: i64 = sext v4
            v14: i64 = mul v12, v13
            v15: i64 = sext v10
            v16: i64 = add v14, v15
            v17: bool = icmp ult v16, v3
            branch v17, block4, block8
        block8:
            panic panic0(v16, v3)
        block4:
            store.shared v0, v0
            v18: i32 = add v10, v8
            jump block2(v18)
        block9:
            return
        }",
        expect![[r#"
            h * w <= x_len
            h >= 0
            w >= 0
            1 checks, tested: 0 left
        "#]],
    );
}

/// `let (row, col) = (i / cols, i % cols); out[col * rows + row]` where `i < n`.
#[test]
fn quotients_and_remainders() {
    check(
        &guarded(
            "v30: i32 = const 0
            v31: bool = icmp ne v8, v30
            branch v31, block1, block9
        block1:
            v20: bool = icmp ult v5, v11
            branch v20, block2, block9
        block2:
            v32: i64 = udiv v5, v9
            v33: i64 = urem v5, v9
            v34: i64 = mul v33, v11
            v35: i64 = add v34, v32
            v21: bool = icmp ult v35, v7
            branch v21, block4, block3
        block3:
            panic panic0(v5, v7)
        block4:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            y_len * n + ((n - 1) / y_len) + 1 <= n + x_len
            1 <= y_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `&x[n..][i]` where `i < m`: the start of a slice, and what is left of it.
#[test]
fn parts_of_slices() {
    check(
        &guarded(
            "v20: bool = icmp ule v11, v7
            branch v20, block1, block3
        block1:
            v30: i64 = sub nuw v7, v11
            v31: bool = icmp ult v5, v9
            branch v31, block2, block9
        block2:
            v21: bool = icmp ult v5, v30
            branch v21, block4, block3
        block3:
            panic panic0(v5, v7)
        block4:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            n + y_len <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `&x[i * n * 64..(i + 1) * n * 64][k * 64 + t]` for `k` below `n` and `t` below 64: the rows of a block's part.
#[test]
fn parts_of_several_rows() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i64 max 2147483647) bounds(block 64 1 1) {
            panic0 slice_order
            panic1 slice_end
            panic2 index
        block0:
            v0: i64 = param2
            v2: i32 = param1
            v3: i64 = zext v2
            v4: i32 = special ctaid.x
            v5: i64 = zext v4
            v6: i32 = special tid.x
            v1: i64 = load.shared v4
            v7: i64 = zext v6
            v8: i64 = const 1
            v9: i64 = const 64
            v10: i64 = add v5, v8
            v11: i64 = mul v5, v0
            v12: i64 = mul v10, v0
            v13: i64 = mul v11, v9
            v14: i64 = mul v12, v9
            v15: bool = icmp ule v13, v14
            branch v15, block1, block2
        block2:
            panic panic0(v13, v14)
        block1:
            v16: bool = icmp ule v14, v3
            branch v16, block3, block4
        block4:
            panic panic1(v14, v3)
        block3:
            v17: i64 = sub nuw v14, v13
            v18: bool = icmp ult v1, v0
            branch v18, block5, block8
        block5:
            v19: i64 = mul v1, v9
            v20: i64 = add v19, v7
            v21: bool = icmp ult v20, v17
            branch v21, block6, block7
        block7:
            panic panic2(v20, v17)
        block6:
            store.shared v4, v4
            jump block8
        block8:
            return
        }",
        expect![[r#"
            64 * grid_dim().x * n <= x_len
            3 checks, proved: 2 left, tested: 0 left
        "#]],
    );
}

/// A value that the host computes although no thread does: `if n >= 50 { n | 1 } else { 40 }` is not above `n | 1` for `n = 10`.
#[test]
fn what_only_some_launches_compute() {
    check(
        "kernel k(param0 n: i32, param1 len: i32) {
            panic0 index
        block0:
            v0: i32 = param0
            v1: i32 = param1
            v2: i32 = const 50
            v3: i32 = const 40
            v4: i32 = const 1
            v5: bool = icmp uge v0, v2
            branch v5, block1, block2
        block1:
            v6: i32 = or v0, v4
            store.shared v4, v6
            jump block3(v6)
        block2:
            store.shared v3, v4
            jump block3(v3)
        block3(v7: i32):
            v8: i64 = zext v7
            v9: i64 = zext v1
            v10: bool = icmp ult v8, v9
            branch v10, block4, block5
        block4:
            store.shared v4, v7
            return
        block5:
            panic panic0(v8, v9)
        }",
        expect![[r#"
            (n | 1).max(40) + 1 <= len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `for k in 0..n { x[at]; if a < b { break } at += a - b; }`: the difference is below zero in launches that never compute it.
#[test]
fn steps_that_are_never_taken() {
    check(
        "kernel k(param0 n: i32, param1 len: i32, param2 a: i32, param3 b: i32) {
            panic0 index
        block0:
            v0: i32 = param0
            v1: i32 = param1
            v2: i32 = param2
            v3: i32 = param3
            v4: i32 = const 0
            v5: i32 = const 1
            v6: i32 = special tid.x
            v7: i64 = zext v1
            v17: i64 = zext v6
            jump block1(v4, v17)
        block1(v8: i32, v9: i64):
            v10: bool = icmp ult v8, v0
            branch v10, block2, block9
        block2:
            v12: bool = icmp ult v9, v7
            branch v12, block3, block8
        block3:
            store.shared v5, v8
            v13: bool = icmp ult v2, v3
            branch v13, block9, block4
        block4:
            v14: i32 = sub v2, v3
            v18: i64 = zext v14
            v15: i64 = add v9, v18
            v16: i32 = add nuw v8, v5
            jump block1(v16, v15)
        block8:
            panic panic0(v9, v7)
        block9:
            return
        }",
        expect![[r#"
            block_dim().x + a * n + b <= a + b * n + len
            b <= a
            1 checks, tested: 0 left
        "#]],
    );
}

/// Amounts of shifts are taken modulo the width.
#[test]
fn shifts_by_more_than_the_width() {
    check(
        "kernel k(param0 n: i32, param1 len: i32, param2 by: i32) {
            panic0 index
        block0:
            v0: i32 = param0
            v1: i32 = param1
            v2: i32 = const 33
            v3: i32 = special tid.x
            v4: bool = icmp ult v3, v0
            branch v4, block1, block9
        block1:
            v5: i32 = lshr v3, v2
            v6: i64 = zext v5
            v7: i64 = zext v1
            v8: bool = icmp ult v6, v7
            branch v8, block2, block8
        block2:
            store.shared v3, v5
            return
        block8:
            panic panic0(v6, v7)
        block9:
            return
        }",
        expect![[r#"
            1024 <= len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `for first in (0..n).step_by(32) { x[first + t] }` with `t` below 32: the last one is a multiple of 32.
#[test]
fn tiles_of_a_length() {
    check(
        "kernel k(param0 n: i64, param1 len: i32) bounds(block 32 1 1) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i64 = const 0
            v4: i64 = const 32
            v5: i32 = special tid.x
            v6: i64 = zext v5
            v7: bool = icmp ult v3, v0
            branch v7, block1(v3), block9
        block1(v8: i64):
            v9: i64 = add v8, v6
            v10: bool = icmp ult v9, v2
            branch v10, block2, block8
        block2:
            store.shared v5, v5
            v11: i64 = sub nuw v0, v8
            v12: bool = icmp ult v4, v11
            branch v12, block3, block9
        block3:
            v13: i64 = add nuw v8, v4
            jump block1(v13)
        block8:
            panic panic0(v9, v2)
        block9:
            return
        }",
        expect![[r#"
            n + 31 <= len || 32 * ((n - 1) / 32) + 32 <= len
            1 checks, tested: 0 left
        "#]],
    );
}

/// The element at row `v5` and column `v6` of a matrix of `height` rows and `width` columns, and some checks of `x`.
fn matrix(guard: &str, index: &str) -> String {
    format!(
        "kernel k(param0 width: i64 max 2147483647, param1 height: i64 max 2147483647, param2 x: i64 ptr align 4, param3 x_len: i32) {{
            panic0 index
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i32 = param3
            v3: i64 = zext v2
            v30: i32 = special ctaid.x
            v31: i32 = special ctaid.y
            v5: i64 = zext v31
            v6: i64 = zext v30
            v7: i64 = const 1
            v8: i64 = const 18446744073709551615
            {guard}
        block1:
            v20: i64 = mul v5, v0
            v21: i64 = add v20, v6
            {index}
            v40: bool = icmp ult v39, v3
            branch v40, block2, block3
        block3:
            panic panic0(v39, v3)
        block2:
            store.shared v30, v30
            jump block9
        block9:
            return
        }}"
    )
}

/// `row >= 1 && row + 1 < height && column >= 1 && column + 1 < width`.
const INSIDE: &str = "v10: bool = icmp uge v5, v7
            branch v10, block10, block9
        block10:
            v11: i64 = add v5, v7
            v12: bool = icmp ult v11, v1
            branch v12, block11, block9
        block11:
            v13: bool = icmp uge v6, v7
            branch v13, block12, block9
        block12:
            v14: i64 = add v6, v7
            v15: bool = icmp ult v14, v0
            branch v15, block1, block9";

/// `at - width - 1` is never below zero, and less than `at`.
#[test]
fn neighbours_of_a_matrix() {
    check(
        &matrix(INSIDE, "v22: i64 = sub v21, v0\nv39: i64 = add v22, v8"),
        expect![[r#"
        width * height <= 2 * width + x_len + 2
        1 checks, tested: 0 left
    "#]],
    );
    check(
        &matrix(INSIDE, "v22: i64 = add v21, v0\nv39: i64 = add v22, v7"),
        expect![[r#"
        height * width <= x_len
        1 checks, tested: 0 left
    "#]],
    );
}

/// `row == height - 1 ? row : row + 1`.
#[test]
fn the_last_row_is_its_own_neighbour() {
    let guard = "v10: bool = icmp ult v5, v1
            branch v10, block10, block9
        block10:
            v11: bool = icmp ult v6, v0
            branch v11, block11, block9
        block11:
            v12: i64 = sub v1, v7
            v13: bool = icmp eq v5, v12
            branch v13, block13(v5), block12
        block12:
            v14: i64 = add v5, v7
            jump block13(v14)
        block13(v15: i64):
            jump block1";
    check(
        &matrix(guard, "v38: i64 = mul v15, v0\nv39: i64 = add v38, v6"),
        expect![[r#"
        height * width <= x_len
        1 checks, tested: 0 left
    "#]],
    );
}

/// An index below `height * width` taken apart, and put together in another order.
#[test]
fn quotients_by_a_size() {
    let guard = "v10: i64 = mul v1, v0
            v11: bool = icmp ult v6, v10
            branch v11, block1, block9";
    check(
        &matrix(
            guard,
            "v22: i64 = udiv v6, v0
            v23: i64 = urem v6, v0
            v24: i64 = mul v23, v1
            v39: i64 = add v24, v22",
        ),
        expect![[r#"
            width * height <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// A multiple of four below `width - width % 4`, and three more.
#[test]
fn steps_of_four() {
    let guard = "v10: i64 = const 3
            v11: i64 = and v0, v10
            v12: i64 = sub v0, v11
            v13: i64 = const 4
            v14: i64 = mul v6, v13
            v15: bool = icmp ult v14, v12
            branch v15, block1, block9";
    check(
        &matrix(guard, "v39: i64 = add v14, v10"),
        expect![[r#"
            4 * (width / 4) <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `let x = global_idx().x as i32; if x < width`: what could be negative is below 2³¹ where the grid is not that large.
#[test]
fn signed_indices() {
    check(
        "kernel k(param0 width: i32, param1 x: i64 ptr align 4, param2 x_len: i32) {
            panic0 index
        block0:
            v0: i32 = param0
            v2: i32 = param2
            v3: i64 = zext v2
            v4: i32 = special ctaid.x
            v5: i32 = special ntid.x
            v6: i32 = special tid.x
            v7: i32 = mul nuw v4, v5
            v8: i32 = add nuw v7, v6
            v10: bool = icmp slt v8, v0
            branch v10, block1, block9
        block1:
            v39: i64 = sext v8
            v40: bool = icmp ult v39, v3
            branch v40, block2, block3
        block3:
            panic panic0(v39, v3)
        block2:
            store.shared v4, v4
            jump block9
        block9:
            return
        }",
        expect![[r#"
            width <= x_len
            width >= 0
            grid_dim().x * block_dim().x <= 1 << 31
            1 checks, tested: 0 left
        "#]],
    );
}

/// `x[i >> 65]` of a signed number: the amount is taken modulo the width, so it is no quotient by 65.
#[test]
fn a_signed_shift_by_more_than_the_width() {
    check(
        &guarded(
            "v20: bool = icmp ult v5, v9
            branch v20, block1, block9
        block1:
            v30: i64 = const 65
            v31: i64 = ashr v5, v30
            v21: bool = icmp ult v31, v7
            branch v21, block2, block3
        block3:
            panic panic0(v5, v7)
        block2:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            y_len <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `x[id / width]` and `x[id % width]` of signed numbers, where `id < width * height`.
#[test]
fn signed_quotients_by_a_size() {
    check(
        "kernel k(param0 width: i32, param1 height: i32, param2 x: i64 ptr align 4, param3 x_len: i32, param4 y: i64 ptr align 4, param5 y_len: i32) {
            panic0 index
        block0:
            v0: i32 = param0
            v1: i32 = param1
            v2: i32 = param3
            v3: i64 = zext v2
            v4: i32 = param5
            v5: i64 = zext v4
            v6: i32 = special tid.x
            v7: i32 = mul v0, v1
            v8: bool = icmp slt v6, v7
            branch v8, block1, block9
        block1:
            v9: i32 = sdiv v6, v0
            v10: i64 = sext v9
            v11: bool = icmp ult v10, v3
            branch v11, block2, block3
        block2:
            v12: i32 = srem v6, v0
            v13: i64 = sext v12
            v14: bool = icmp ult v13, v5
            branch v14, block4, block3
        block3:
            panic panic0(v3, v3)
        block4:
            store.shared v6, v6
            jump block9
        block9:
            return
        }",
        expect![[r#"
            height <= x_len
            width * height <= i32::MAX
            width >= 0
            1 <= width
            height <= 1 << 31
            width <= y_len && width >= 0 || 1024 <= y_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `for _ in 0..n { y[c] = x[c + s]; c += s; }`: that `c` fits 32 bits is known by the checks, which go.
#[test]
fn indices_that_go_round_a_loop() {
    let text = "kernel k(param0 n: i64, param1 s: i64, param2 x: i64 ptr align 4 read_only, param3 x_len: i32, param4 y: i64 ptr align 4, param5 y_len: i32) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i64 = param2
            v3: i32 = param3
            v4: i64 = zext v3
            v5: i64 = param4
            v6: i32 = param5
            v7: i64 = zext v6
            v8: i32 = special tid.x
            v9: i64 = zext v8
            v10: i64 = const 0
            v11: i64 = const 1
            v12: i64 = const 4
            jump block1(v10, v9)
        block1(v13: i64, v14: i64):
            v15: bool = icmp ult v13, v0
            branch v15, block2, block9
        block2:
            v16: i64 = add v14, v1
            v17: bool = icmp ult v16, v4
            branch v17, block3, block7
        block3:
            v18: i64 = mul nuw v16, v12
            v19: i64 = add nuw v2, v18
            v20: i32 = load.global v19 read_only
            v21: bool = icmp ult v14, v7
            branch v21, block4, block8
        block4:
            v22: i64 = mul nuw v14, v12
            v23: i64 = add nuw v5, v22
            store.global v23, v20
            v24: i64 = add nuw v13, v11
            jump block1(v24, v16)
        block7:
            panic panic0(v16, v4)
        block8:
            panic panic0(v14, v7)
        block9:
            return
        }";
    let module = crate::ir::parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    let compiled = crate::compile(&module, None).unwrap_or_else(|error| panic!("{error}"));
    let (_, check_free) = compiled.ptx.split_once("__check_free(").unwrap_or_default();
    // Two wide products for each of the four copies, no index of 64 bits.
    assert!(check_free.contains("mul.wide.u32") && !check_free.contains("shl.b64"), "{}", compiled.ptx);
}

/// `x[n + size]`, `x[n + 2 * size]` and `x[n + 3 * size]` behind `x[n]`, of a number `n` that is data: the last check cannot fail where the size
/// is zero, which is no guard.
#[test]
fn no_size_is_zero() {
    let text = "kernel k(param0 size: i64, param1 x: i64 ptr align 4, param2 x_len: i32) {
            panic0 index
        block0:
            v0: i64 = param0
            v2: i64 = param1
            v3: i32 = param2
            v4: i64 = zext v3
            v5: i32 = load.global v2
            v43: i32 = special tid.x
            v44: i64 = zext v43
            v45: bool = icmp ult v44, v0
            v6: i64 = sext v5
            v40: i32 = const 4
            v41: i32 = const 0
            v42: bool = icmp sge v5, v41
            branch v45, block98, block99
        block98:
            branch v42, block1, block99
        block1:
            v50: i64 = const 0
            v51: i64 = mul v0, v50
            v52: i64 = add v6, v51
            v53: bool = icmp ult v52, v4
            branch v53, block2, block20
        block20:
            panic panic0(v52, v4)
        block2:
            v54: i64 = const 1
            v55: i64 = mul v0, v54
            v56: i64 = add v6, v55
            v57: bool = icmp ult v56, v4
            branch v57, block3, block21
        block21:
            panic panic0(v56, v4)
        block3:
            v58: i64 = const 2
            v59: i64 = mul v0, v58
            v60: i64 = add v6, v59
            v61: bool = icmp ult v60, v4
            branch v61, block4, block22
        block22:
            panic panic0(v60, v4)
        block4:
            v62: i64 = const 3
            v63: i64 = mul v0, v62
            v64: i64 = add v6, v63
            v65: bool = icmp ult v64, v4
            branch v65, block5, block23
        block23:
            panic panic0(v64, v4)
        block5:
            store.shared v40, v5
            jump block99
        block99:
            return
        }";
    let module = crate::ir::parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    let compiled = crate::compile(&module, None).unwrap_or_else(|error| panic!("{error}"));
    let guards = compiled.kernels.iter().flat_map(|kernel| &kernel.check_free).flat_map(|free| &free.tests);
    let texts: Vec<&str> = guards.map(|guard| guard.text.as_str()).collect();
    assert!(texts.iter().all(|text| *text == "size < 1 << 31"), "{texts:?}");
}

/// `x[i.rem_euclid(width)]`: the remainder, and where it is below zero its sum with the size of the divisor.
#[test]
fn remainders_that_are_not_negative() {
    check(
        "kernel k(param0 width: i32, param1 i: i32, param2 x: i64 ptr align 4, param3 x_len: i32) {
            panic0 index
        block0:
            v0: i32 = param0
            v1: i32 = param3
            v2: i64 = zext v1
            v3: i32 = special tid.x
            v4: i32 = param1
            v5: i32 = sub v3, v4
            v6: i32 = const 0
            v7: bool = icmp ne v0, v6
            branch v7, block1, block9
        block1:
            v8: i32 = srem v5, v0
            v9: i32 = sub v6, v0
            v10: i32 = smax v0, v9
            v11: bool = icmp slt v8, v6
            branch v11, block2, block3(v8)
        block2:
            v12: i32 = add v8, v10
            jump block3(v12)
        block3(v13: i32):
            v14: i64 = sext v13
            v15: bool = icmp ult v14, v2
            branch v15, block4, block5
        block5:
            panic panic0(v14, v2)
        block4:
            store.shared v3, v3
            jump block9
        block9:
            return
        }",
        expect![[r#"
            width <= x_len
            width >= 0
            1 checks, tested: 0 left
        "#]],
    );
}

/// `if x >= 1 && x + 1 < n { a[x] }` where the sum may wrap in larger grids.
fn behind_a_sum(least: &str, below: &str) -> String {
    guarded(&format!(
        "v30: i32 = const 1
            v31: bool = icmp {least} v4, v30
            branch v31, block1, block9
        block1:
            v32: i32 = add v4, v30
            v33: bool = icmp {below} v32, v10
            branch v33, block2, block9
        block2:
            v21: bool = icmp ult v5, v7
            branch v21, block4, block3
        block3:
            panic panic0(v5, v7)
        block4:
            store.shared v4, v4
            jump block9"
    ))
}

#[test]
fn behind_a_sum_without_sign() {
    check(
        &behind_a_sum("uge", "ult"),
        expect![[r#"
            n <= x_len + 1
            grid_dim().x * block_dim().x <= u32::MAX
            1 checks, tested: 0 left
        "#]],
    );
}

#[test]
fn behind_a_signed_sum() {
    check(
        &behind_a_sum("sge", "slt"),
        expect![[r#"
            n <= x_len + 1
            n >= 0
            grid_dim().x * block_dim().x <= i32::MAX
            1 checks, tested: 0 left
        "#]],
    );
}

/// A sum that only one side of a branch computes, where its operand is small, bounds nothing behind it.
#[test]
fn a_sum_computed_elsewhere() {
    check(
        &guarded(
            "v20: i32 = load.shared v4
            v21: i64 = zext v20
            v22: i64 = const 5
            v23: i32 = special ntid.y
            v24: i64 = zext v23
            v25: bool = icmp ult v21, v22
            branch v25, block1, block5
        block1:
            v26: i64 = add v21, v24
            v27: bool = icmp ult v26, v9
            branch v27, block4, block5
        block4:
            store.shared v4, v4
            jump block5
        block5:
            v28: i64 = add v5, v21
            v29: i64 = add v28, v24
            v30: bool = icmp ult v29, v7
            branch v30, block2, block3
        block3:
            panic panic0(v29, v7)
        block2:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            1 checks, no tests
        "#]],
    );
}

/// Divisors that are products are in parentheses, and numbers below zero are written as such.
#[test]
fn guards_as_people_write_them() {
    let text = "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 rows: i32, param3 cols: i32, param4 n: i32) {
            panic0 index
        block0:
            v0: i32 = param1
            v1: i64 = zext v0
            v2: i32 = param2
            v3: i64 = zext v2
            v4: i32 = param3
            v5: i64 = zext v4
            v6: i32 = param4
            v7: i64 = zext v6
            v8: i64 = mul v3, v5
            v9: i64 = udiv v7, v8
            v10: bool = icmp ult v9, v1
            branch v10, block1, block3
        block1:
            v11: i64 = const -1
            v12: i64 = add v7, v11
            v13: i64 = const -8
            v14: i64 = and v12, v13
            v15: i64 = xor v14, v5
            v16: bool = icmp ult v15, v1
            branch v16, block2, block3
        block3:
            panic panic0(v7, v1)
        block2:
            store.shared v0, v0
            jump block9
        block9:
            return
        }";
    check(
        text,
        expect![[r#"
            (n / (rows * cols)) + 1 <= x_len
            1 <= rows * cols
            (((n - 1) & !7) ^ cols) + 1 <= x_len
            rows * cols <= u32::MAX
            1 checks, tested: 0 left
        "#]],
    );
}

/// The lines with these words of the check-free version, optimised.
fn check_free_lines(text: &str, words: &[&str]) -> String {
    let mut module = crate::ir::Module::default();
    module.functions.push(crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}")));
    let versions = crate::passes::run_pipeline(&mut module);
    let text = module.functions[versions.check_free[0].twin].to_string();
    let kept = |line: &&str| words.iter().any(|word| line.contains(word));
    text.lines().filter(kept).map(|line| format!("{}\n", line.trim())).collect()
}

/// `x[row * width + (column - 1)]`, `x[row * width + column]` and `x[row * width + column + 1]` share an address.
#[test]
fn neighbours_of_a_row_share_an_address() {
    let text =
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 width: i64, param3 height: i64) {
            panic0 index
            panic1 index
            panic2 index
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i64 = param2
            v4: i64 = param3
            v5: i32 = special tid.x
            v6: i64 = zext v5
            v7: i32 = special ctaid.x
            v8: i64 = zext v7
            v9: i64 = const 1
            v10: i64 = const 4
            v11: bool = icmp ult v8, v4
            branch v11, block1, block9
        block1:
            v12: bool = icmp uge v6, v9
            branch v12, block2, block9
        block2:
            v13: i64 = add v6, v9
            v14: bool = icmp ult v13, v3
            branch v14, block3, block9
        block3:
            v15: i64 = mul v8, v3
            v16: i64 = sub v6, v9
            v17: i64 = add v15, v16
            v18: bool = icmp ult v17, v2
            branch v18, block4, block10
        block10:
            panic panic0(v17, v2)
        block4:
            v19: i64 = mul v17, v10
            v20: i64 = add v0, v19
            v21: f32 = load.global v20
            v22: i64 = add v15, v6
            v23: i64 = add v22, v9
            v24: bool = icmp ult v23, v2
            branch v24, block5, block11
        block11:
            panic panic1(v23, v2)
        block5:
            v25: i64 = mul v23, v10
            v26: i64 = add v0, v25
            v27: f32 = load.global v26
            v28: f32 = fadd v21, v27
            v29: bool = icmp ult v22, v2
            branch v29, block6, block12
        block12:
            panic panic2(v22, v2)
        block6:
            v30: i64 = mul v22, v10
            v31: i64 = add v0, v30
            store.global v31, v28
            jump block9
        block9:
            return
        }";
    let lines = check_free_lines(text, &["load", "store", "mul", "i64 = add", "panic"]);
    expect![[r#"
        panic0 index
        panic1 index
        panic2 index
        v42: i32 = mul nuw v7, v58
        v59: i64 = mul v45, v10
        v60: i64 = add v0, v59
        v20: i64 = add v60, v61
        v21: f32 = load.global v20
        v26: i64 = add v60, v10
        v27: f32 = load.global v26
        store.global v60, v28
    "#]]
    .assert_eq(&lines);
}

/// A signed index has passed its check where it is accessed, and there alone is it known not to be negative.
#[test]
fn signed_indices_of_accesses() {
    let (func, left) = prepared(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i32) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i32 = param2
            v4: i32 = special tid.x
            v5: bool = icmp slt v4, v3
            branch v5, block1, block9
        block1:
            v6: i64 = sext v4
            v7: bool = icmp ult v6, v2
            branch v7, block2, block3
        block3:
            panic panic0(v6, v2)
        block2:
            v8: i64 = const 4
            v9: i64 = mul v6, v8
            v10: i64 = add v0, v9
            store.global v10, v4
            store.shared v4, v6
            jump block9
        block9:
            return
        }",
    );
    let free = find(&func, &left, Doubtful::Tested).check_free(&func, &[]).map(|(func, _)| func.to_string());
    expect![[r#"
        kernel k__check_free(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i32 max 2147483647) {
            panic0 index
        block0:
            v0: i64 = param0
            v3: i32 = param2
            v4: i32 = special tid.x
            v5: bool = icmp slt v4, v3
            branch v5, block1, block9
        block1:
            v6: i64 = sext v4
            v11: i64 = sext_index v4
            v8: i64 = const 4
            v9: i64 = mul v11, v8
            v10: i64 = add v0, v9
            store.global v10, v4
            store.shared v4, v6
            jump block9
        block9:
            return
        }
    "#]]
    .assert_eq(&free.unwrap_or_default());
}

/// `at = i + j * nx` grows by `nx * ny` around a loop that counts `k`: what branches in the loop say of `i`, `j` and `k` bounds it.
#[test]
fn a_volume_walked_by_planes() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 nx: i32, param3 ny: i32, param4 nz: i32) {
            panic0 index
            panic1 message \"other\"
            panic2 message \"third\"
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i32 = param2
            v4: i32 = param3
            v5: i32 = param4
            v6: i32 = special tid.x
            v7: i32 = special tid.y
            v8: i32 = const 0
            v9: i32 = const 1
            v10: bool = icmp ult v6, v3
            branch v10, block1, block20
        block1:
            v11: bool = icmp ult v7, v4
            branch v11, block2, block20
        block2:
            v12: i32 = mul v3, v4
            v13: i32 = mul v7, v3
            v14: i32 = add v6, v13
            jump block3(v8, v14)
        block3(v15: i32, v16: i32):
            v17: bool = icmp ult v15, v5
            branch v17, block4, block20
        block4:
            v18: bool = icmp eq v6, v8
            branch v18, block10, block5
        block5:
            v19: i32 = sub v3, v9
            v20: bool = icmp eq v6, v19
            branch v20, block10, block6
        block6:
            v21: bool = icmp eq v7, v8
            branch v21, block10, block7
        block7:
            v22: bool = icmp eq v15, v8
            branch v22, block10, block8
        block8:
            v23: i32 = sub v5, v9
            v24: bool = icmp eq v15, v23
            branch v24, block10, block9
        block9:
            v25: i32 = sub v16, v3
            v26: i64 = sext v25
            v27: bool = icmp ult v26, v2
            branch v27, block11, block12
        block12:
            panic panic0(v26, v2)
        block11:
            v28: i32 = add v16, v12
            v29: i64 = sext v28
            v30: bool = icmp ult v29, v2
            branch v30, block13, block14
        block14:
            panic panic1()
        block13:
            v31: i32 = sub v16, v12
            v32: i64 = sext v31
            v33: bool = icmp ult v32, v2
            branch v33, block15, block16
        block16:
            panic panic2()
        block15:
            store.global v0, v25
            store.global v0, v28
            store.global v0, v31
            jump block10
        block10:
            v34: i32 = add nuw v15, v9
            v35: i32 = add v16, v12
            jump block3(v34, v35)
        block20:
            return
        }",
        expect![[r#"
            nx * ny * nz <= nx + nx * ny + x_len + 1 && nx * ny <= u32::MAX && nx * ny * nz <= nx * ny + 4294967297 && nx <= nx * ny && nx * ny * nz <= nx + nx * ny + 2147483649 || nx * ny * nz <= nx + nx * ny + x_len + 1 && nx * ny <= u32::MAX && nx * ny + block_dim().x <= nx + (1 << 32) && nx * ny * nz <= 4294967297 && nx * ny * nz <= nx + nx * ny + 2147483649
            nx * ny * nz <= x_len + 1
            nx * ny <= u32::MAX
            nx * ny * nz <= 2147483649
            3 checks, tested: 0 left
        "#]],
    );
}

/// A thread whose number in its block is small is below the end of the last block by a block.
#[test]
fn a_halo_loaded_by_the_first_threads_of_a_block() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i32 = special ctaid.x
            v4: i32 = special ntid.x
            v5: i32 = special tid.x
            v6: i32 = mul nuw v3, v4
            v7: i32 = add nuw v6, v5
            v8: i32 = const 3
            v9: bool = icmp slt v5, v8
            branch v9, block1, block9
        block1:
            v10: i32 = sub v7, v8
            v11: i32 = const 0
            v12: bool = icmp sge v10, v11
            branch v12, block2, block9
        block2:
            v13: i64 = sext v10
            v14: bool = icmp ult v13, v2
            branch v14, block3, block4
        block4:
            panic panic0(v13, v2)
        block3:
            store.global v0, v10
            jump block9
        block9:
            return
        }",
        expect![[r#"
            grid_dim().x * block_dim().x <= x_len + 3 && grid_dim().x * block_dim().x <= 2147483651 || grid_dim().x * block_dim().x <= block_dim().x + x_len && grid_dim().x * block_dim().x <= block_dim().x + (1 << 31)
            1 checks, tested: 0 left
        "#]],
    );
}

/// `i / columns / rows` of an index below `channels * rows * columns`, where rows and columns are long sums in signed numbers.
#[test]
fn a_quotient_by_long_sums() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 channels: i32, param3 h: i32, param4 w: i32, param5 p: i32, param6 s: i32) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i32 = param2
            v4: i32 = param3
            v5: i32 = param4
            v6: i32 = param5
            v7: i32 = param6
            v8: i32 = const 1
            v9: i32 = shl v6, v8
            v10: i32 = add v4, v9
            v11: i32 = sub v10, v7
            v12: i32 = add v11, v8
            v13: i32 = add v5, v9
            v14: i32 = sub v13, v7
            v15: i32 = add v14, v8
            v16: i32 = special ctaid.x
            v17: i32 = special ntid.x
            v18: i32 = special tid.x
            v19: i32 = mul nuw v16, v17
            v20: i32 = add nuw v19, v18
            v21: i32 = mul v3, v12
            v22: i32 = mul v21, v15
            v23: bool = icmp slt v20, v22
            branch v23, block1, block9
        block1:
            v24: i32 = sdiv v20, v15
            v25: i32 = sdiv v24, v12
            v26: i64 = sext v25
            v27: bool = icmp ult v26, v2
            branch v27, block2, block3
        block3:
            panic panic0(v26, v2)
        block2:
            store.global v0, v25
            jump block9
        block9:
            return
        }",
        expect![[r#"
            channels <= x_len
            channels * (((h + (p << 1)) - s) + 1) * (((w + (p << 1)) - s) + 1) <= i32::MAX
            grid_dim().x * block_dim().x <= 1 << 31
            (((w + (p << 1)) - s) + 1) <= i32::MAX
            1 <= (((w + (p << 1)) - s) + 1)
            channels * (((h + (p << 1)) - s) + 1) <= 1 << 31
            (((h + (p << 1)) - s) + 1) <= i32::MAX
            1 <= (((h + (p << 1)) - s) + 1)
            channels <= 1 << 31
            1 checks, tested: 0 left
        "#]],
    );
}

/// `i / (w - 2)` of an index below `(h - 2) * (w - 2)`.
#[test]
fn a_quotient_by_a_difference() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 h: i32, param3 w: i32) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i32 = param2
            v4: i32 = param3
            v5: i32 = const 2
            v6: i32 = sub v3, v5
            v7: i32 = sub v4, v5
            v8: i32 = mul v6, v7
            v17: i32 = special ctaid.x
            v18: i32 = special ntid.x
            v19: i32 = special tid.x
            v20: i32 = mul nuw v17, v18
            v9: i32 = add nuw v20, v19
            v10: bool = icmp ult v9, v8
            branch v10, block1, block9
        block1:
            v11: i32 = udiv v9, v7
            v12: i32 = urem v9, v7
            v13: i32 = mul v11, v4
            v14: i32 = add v13, v12
            v15: i64 = zext v14
            v16: bool = icmp ult v15, v2
            branch v16, block2, block3
        block3:
            panic panic0(v15, v2)
        block2:
            store.global v0, v14
            jump block9
        block9:
            return
        }",
        expect![[r#"
            h * w <= 2 * w + x_len + 2
            2 <= h
            h * w <= 3 * w + u32::MAX
            2 <= w
            1 checks, tested: 0 left
        "#]],
    );
}

/// Shared memory as large as a block: the guard is on the block, and not on the number of threads that the branch lets by.
#[test]
fn a_shared_array_behind_a_guard_of_the_grid() {
    check(
        &guarded(
            "v20: bool = icmp ult v4, v10
            branch v20, block1, block9
        block1:
            v21: i32 = const 2
            v22: i32 = add nuw v2, v21
            v23: i64 = zext v22
            v24: i64 = const 258
            v25: bool = icmp ult v23, v24
            branch v25, block2, block3
        block3:
            panic panic0(v23, v24)
        block2:
            store.shared v22, v4
            jump block9",
        ),
        expect![[r#"
            block_dim().x <= 256
            1 checks, tested: 0 left
        "#]],
    );
}

/// `(r + d).clamp(0, h - 1)` in signed numbers.
#[test]
fn a_clamped_row() {
    check(
        &guarded(
            "v20: i32 = const 0
            v21: i32 = const 1
            v22: i32 = smax v4, v20
            v23: i32 = sub v10, v21
            v24: i32 = smin v22, v23
            v25: i64 = sext v24
            v26: bool = icmp ult v25, v7
            branch v26, block2, block3
        block3:
            panic panic0(v25, v7)
        block2:
            store.shared v22, v4
            jump block9",
        ),
        expect![[r#"
            n <= x_len
            1 <= n
            n <= 1 << 31
            1 checks, tested: 0 left
        "#]],
    );
}

/// `x[i + k]` for `k` in `-r..=r`, behind `i >= r && i + r < n`, in signed numbers; and a shared array for `k` in `-3..=3`.
#[test]
fn neighbours_on_both_sides_in_a_loop() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i32, param3 r: i32) {
            panic0 index
            panic1 message \"other\"
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i32 = param2
            v4: i32 = param3
            v5: i32 = special ctaid.x
            v6: i32 = special ntid.x
            v7: i32 = special tid.x
            v8: i32 = mul nuw v5, v6
            v9: i32 = add nuw v8, v7
            v10: i32 = const 1
            v11: bool = icmp uge v9, v4
            branch v11, block1, block9
        block1:
            v12: i32 = sub v3, v4
            v13: bool = icmp ult v9, v12
            branch v13, block2, block9
        block2:
            v14: i32 = neg v4
            v15: bool = icmp sle v14, v4
            branch v15, block3(v14), block9
        block3(v16: i32):
            v17: i32 = add v9, v16
            v18: i64 = sext v17
            v19: bool = icmp ult v18, v2
            branch v19, block4, block5
        block5:
            panic panic0(v18, v2)
        block4:
            store.global v0, v17
            v20: bool = icmp sge v16, v4
            branch v20, block6, block7
        block7:
            v21: i32 = add v16, v10
            jump block3(v21)
        block6:
            v30: i32 = const -3
            v31: i32 = const 3
            v32: i32 = add nuw v7, v31
            jump block10(v30)
        block10(v33: i32):
            v34: i32 = add v32, v33
            v35: i64 = sext v34
            v36: i64 = const 262
            v37: bool = icmp ult v35, v36
            branch v37, block11, block12
        block12:
            panic panic1()
        block11:
            store.global v0, v34
            v38: bool = icmp sge v33, v31
            branch v38, block9, block13
        block13:
            v39: i32 = add v33, v10
            jump block10(v39)
        block9:
            return
        }",
        expect![[r#"
            n <= x_len
            r <= n
            r >= 0
            n <= 1 << 31
            block_dim().x <= 256
            2 checks, tested: 0 left
        "#]],
    );
}

#[test]
fn an_inclusive_range() {
    // `for j in 1..=n { x[j * n + i]; x[j - 1] }` for `i < n`
    check(
        &guarded(
            "v20: bool = icmp ult v5, v11
            v21: i64 = const 1
            branch v20, block1, block9
        block1:
            v22: bool = icmp ule v21, v11
            branch v22, block2(v21), block9
        block2(v23: i64):
            v24: i64 = mul v23, v11
            v25: i64 = add v24, v5
            v26: bool = icmp ult v25, v7
            branch v26, block3, block4
        block4:
            panic panic0(v25, v7)
        block3:
            v27: i64 = sub v23, v21
            v28: bool = icmp ult v27, v9
            branch v28, block5, block6
        block6:
            panic panic1
        block5:
            v29: bool = icmp ult v23, v11
            branch v29, block7, block9
        block7:
            v30: i64 = add nuw v23, v21
            jump block2(v30)",
        ),
        expect![[r#"
            n + n * n <= x_len
            n <= y_len
            2 checks, tested: 0 left
        "#]],
    );
}

#[test]
fn no_length_is_small() {
    // `x[data]`, then `tile[2 * data]` of 64 elements: that `x` has 32 at most is no guard.
    check(
        &guarded(
            "v12: i64 = param2
            v13: i64 = load.global v12
            v20: bool = icmp ult v13, v7
            branch v20, block1, block2
        block2:
            panic panic0(v13, v7)
        block1:
            v21: i64 = const 2
            v22: i64 = mul v13, v21
            v23: i64 = const 64
            v24: bool = icmp ult v22, v23
            branch v24, block9, block3
        block3:
            panic panic1",
        ),
        expect![[r#"
            2 checks, no tests
        "#]],
    );
}

/// Accesses to all elements of a row of 40, as an unrolled loop makes them: more than the tests that a launch may have.
#[test]
fn a_row_of_many_elements() {
    let access = |k: u32| {
        format!(
            "v{k}0: i64 = const {k}
            v{k}1: i64 = add v22, v{k}0
            v{k}2: bool = icmp ult v{k}1, v7
            branch v{k}2, block{k}1, block{k}2
        block{k}2:
            panic panic0(v{k}1, v7)
        block{k}1:
            "
        )
    };
    let accesses: String = (100..140).map(access).collect();
    let accesses = (100..140u32)
        .fold(accesses, |text, k| text.replace(&format!("const {k}\n"), &format!("const {}\n", k - 100)));
    check(
        &guarded(&format!(
            "v20: bool = icmp ult v5, v11
            branch v20, block1, block9
        block1:
            v21: i64 = const 40
            v22: i64 = mul v5, v21
            {accesses}
            jump block9"
        )),
        expect![[r#"
            40 * n <= x_len
            40 checks, tested: 0 left
        "#]],
    );
}

/// `(i * j) % n` for `i` below one parameter and `j` below another.
#[test]
fn a_remainder_of_a_product() {
    let text = "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i64, param3 m: i64, param4 by: i64 max 2147483647) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i64 = param2
            v4: i64 = param3
            v5: i64 = param4
            v6: i32 = special tid.x
            v7: i64 = zext v6
            v8: i32 = special ctaid.x
            v9: i64 = zext v8
            v10: bool = icmp ult v7, v3
            branch v10, block1, block9
        block1:
            v11: bool = icmp ult v9, v4
            branch v11, block2, block9
        block2:
            v12: i64 = mul v7, v9
            v13: i64 = urem v12, v5
            v14: bool = icmp ult v7, v2
            branch v14, block3, block4
        block4:
            panic panic0(v7, v2)
        block3:
            v15: i64 = const 4
            v16: i64 = mul v7, v15
            v17: i64 = add v0, v16
            store.global v17, v13
            jump block9
        block9:
            return
        }";
    check(
        text,
        expect![[r#"
            n <= x_len
            1 checks, tested: 0 left
        "#]],
    );
    expect![[r#"
        v23: i32 = urem v22, v20
    "#]]
    .assert_eq(&check_free_lines(text, &["rem"]));
}

/// The rest of a matrix behind a step of an elimination, as one index: `m[k + 1 + i / rest]` and `m[k + 1 + i % rest]` of an array of 32 elements,
/// where `i < rest * rest` and `rest` is `n - k - 1`. What is below something else has no such bound.
#[test]
fn parts_of_the_index_of_a_rest() {
    let text = |bound: &str| {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i64) {{
            panic0 index
        block0:
            v0: i64 = param0
            v1: i64 = param2
            v2: i64 = const 0
            v3: i64 = const 1
            v4: i64 = const 32
            v5: i32 = special tid.x
            v6: i64 = zext v5
            jump block1(v2)
        block1(v7: i64):
            v8: bool = icmp ult v7, v1
            branch v8, block2, block9
        block2:
            v9: i64 = sub v1, v7
            v10: i64 = sub v9, v3
            v11: i64 = mul v10, v10
            v12: bool = icmp ult v6, {bound}
            branch v12, block3, block8
        block3:
            v13: i64 = add v7, v3
            v14: i64 = udiv v6, v10
            v15: i64 = add v13, v14
            v16: bool = icmp ult v15, v4
            branch v16, block4, block10
        block4:
            v17: i64 = urem v6, v10
            v18: i64 = add v13, v17
            v19: bool = icmp ult v18, v4
            branch v19, block5, block11
        block5:
            v20: i64 = mul v15, v4
            v21: i64 = add v20, v18
            v22: i64 = const 4
            v23: i64 = mul v21, v22
            v24: i64 = add v0, v23
            store.global v24, v5
            jump block8
        block8:
            v25: i64 = add nuw v7, v3
            jump block1(v25)
        block9:
            return
        block10:
            panic panic0(v15, v4)
        block11:
            panic panic0(v18, v4)
        }}"
        )
    };
    check(
        &text("v11"),
        expect![[r#"
            n <= 32
            2 checks, tested: 0 left
        "#]],
    );
    check(
        &text("v9"),
        expect![[r#"
            n <= 32
            2 checks, tested: 1 left
        "#]],
    );
}

/// `x[w / 32 + 1]` for a loaded `w`: nobody has a slice for every number.
#[test]
fn a_quotient_of_data_and_one_has_no_guard() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 y: i64 ptr align 4) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i64 = param2
            v4: i32 = load.global v3 read_only
            v5: i64 = zext v4
            v6: i64 = const 32
            v7: i64 = udiv v5, v6
            v8: i64 = const 1
            v9: i64 = add v7, v8
            v10: bool = icmp ult v9, v2
            branch v10, block1, block2
        block1:
            v11: i64 = const 4
            v12: i64 = mul v9, v11
            v13: i64 = add v0, v12
            store.global v13, v4
            return
        block2:
            panic panic0(v9, v2)
        }",
        expect![[r#"
            1 checks, no tests
        "#]],
    );
}

/// `x[3 * i]` and `x[3 * i + 2]` in 32 bits, where the guard that `3 * n` is a length shows that neither wraps.
#[test]
fn neighbours_by_numbers_of_32_bits() {
    let access = |k: u32, index: &str| {
        format!(
            "v{k}0: i64 = zext {index}
            v{k}1: bool = icmp ult v{k}0, v7
            branch v{k}1, block{k}1, block{k}2
        block{k}2:
            panic panic0(v{k}0, v7)
        block{k}1:
            v{k}2: i64 = const 4
            v{k}3: i64 = mul v{k}0, v{k}2
            v{k}4: i64 = param0
            v{k}5: i64 = add v{k}4, v{k}3
            v{k}6: f32 = load.global v{k}5
            "
        )
    };
    let text = guarded(&format!(
        "v20: bool = icmp ult v4, v10
            branch v20, block1, block9
        block1:
            v21: i32 = const 3
            v22: i32 = mul v4, v21
            v23: i32 = const 2
            v24: i32 = add v22, v23
            {}{}v30: f32 = fadd v506, v606
            store.global v505, v30
            jump block9",
        access(50, "v22"),
        access(60, "v24"),
    ));
    check(
        &text,
        expect![[r#"
        3 * n <= x_len
        2 checks, tested: 0 left
    "#]],
    );
    expect![[r#"
        v3: i32 = mul nuw v0, v1
        v503: i64 = mul nuw v619, v620
        v506: f32 = load.global v505
        v606: f32 = load.global v605
        store.global v505, v30
    "#]]
    .assert_eq(&check_free_lines(&text, &["load", "store", "mul"]));
}

/// `x[((i + y_len) * factor + i) * 3 + 1]`: a part of a product is exact where the other factor is not zero.
#[test]
fn parts_of_products_are_exact() {
    let text = |factor: &str| {
        guarded(&format!(
            "v20: bool = icmp ult v5, v11
            branch v20, block1, block9
        block1:
            v21: i64 = const 3
            v22: i64 = const 1
            v23: i64 = add v5, v9
            v24: i64 = mul v23, {factor}
            v25: i64 = add v24, v5
            v26: i64 = mul v25, v21
            v27: i64 = add v26, v22
            v28: bool = icmp ult v27, v7
            branch v28, block2, block3
        block3:
            panic panic0(v27, v7)
        block2:
            v29: i64 = param0
            v30: i64 = const 4
            v31: i64 = mul nuw v27, v30
            v32: i64 = add nuw v29, v31
            v33: f32 = const 1.0
            store.global v32, v33
            jump block9"
        ))
    };
    let lines = |factor: &str| check_free_lines(&text(factor), &[" add ", " mul ", "shl"]);
    // `n` is more than `i`.
    expect![[r#"
        v3: i32 = mul nuw v0, v1
        v4: i32 = add nuw v3, v2
        v36: i32 = add nuw v4, v8
        v38: i32 = mul nuw v36, v10
        v40: i32 = add nuw v38, v4
        v45: i64 = mul nuw v48, v49
        v46: i64 = add v29, v45
        v32: i64 = add v46, v30
    "#]]
    .assert_eq(&lines("v11"));
    expect![[r#"
        v3: i32 = mul nuw v0, v1
        v4: i32 = add nuw v3, v2
        v43: i32 = add v4, v8
        v36: i32 = mul nuw v43, v8
        v38: i32 = add nuw v36, v4
        v44: i64 = mul nuw v47, v48
        v45: i64 = add v29, v44
        v32: i64 = add v45, v30
    "#]]
    .assert_eq(&lines("v9"));
}

/// `x[y * n + i]` for `i < n` and a row for each thread along y, which nothing but the shape of the launch limits.
#[test]
fn a_row_for_each_thread_along_y() {
    check(
        &guarded(
            "v20: bool = icmp ult v5, v11
            branch v20, block1, block9
        block1:
            v21: i32 = special ctaid.y
            v22: i32 = special ntid.y
            v23: i32 = special tid.y
            v24: i32 = mul nuw v21, v22
            v25: i32 = add nuw v24, v23
            v26: i64 = zext v25
            v27: i64 = mul v26, v11
            v28: i64 = add v27, v5
            v29: bool = icmp ult v28, v7
            branch v29, block2, block3
        block3:
            panic panic0(v28, v7)
        block2:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            grid_dim().y * block_dim().y * n <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `y[row * n + i]` and then `x[row * n + i + 1]` for `i + 1 < n`: buffers of equal lengths need no checks.
#[test]
fn a_neighbour_in_another_buffer_of_equal_length() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32, param4 n: i32, param5 rows: i32) {
            panic0 index
        block0:
            v4: i32 = special tid.x
            v5: i64 = zext v4
            v6: i32 = param1
            v7: i64 = zext v6
            v8: i32 = param3
            v9: i64 = zext v8
            v10: i32 = param4
            v11: i64 = zext v10
            v12: i32 = special tid.y
            v13: i64 = zext v12
            v14: i32 = param5
            v15: i64 = zext v14
            v16: bool = icmp ult v13, v15
            branch v16, block1, block9
        block1:
            v20: i64 = const 1
            v21: i64 = add v5, v20
            v22: bool = icmp ult v21, v11
            branch v22, block2, block9
        block2:
            v23: i64 = mul v13, v11
            v24: i64 = add v23, v5
            v25: bool = icmp ult v24, v9
            branch v25, block3, block4
        block4:
            panic panic0(v24, v9)
        block3:
            v26: i64 = add v24, v20
            v27: bool = icmp ult v26, v7
            branch v27, block5, block6
        block6:
            panic panic0(v26, v7)
        block5:
            store.shared v4, v4
            jump block9
        block9:
            return
        }",
        expect![[r#"
            rows * n <= y_len + 1
            rows * n <= x_len || rows * n + y_len + 1 <= n + x_len
            2 checks, tested: 0 left
        "#]],
    );
}

/// `(r * r) % m` for `r` below a modulus that is no index: products below its square are what 64 bits are for.
#[test]
fn a_modulus_is_not_limited() {
    check(
        "kernel k(param0 x: i64 ptr align 8, param1 x_len: i32, param2 m: i64) {
            panic0 index
        block0:
            v0: i32 = special tid.x
            v1: i64 = zext v0
            v2: i32 = param1
            v3: i64 = zext v2
            v4: bool = icmp ult v1, v3
            branch v4, block1, block2
        block2:
            panic panic0(v1, v3)
        block1:
            v5: i64 = param0
            v6: i64 = load.global v5
            v7: i64 = param2
            v8: i64 = urem v6, v7
            v9: i64 = mul v8, v8
            v10: i64 = urem v9, v7
            store.global v5, v10
            return
        }",
        expect![[r#"
            block_dim().x <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// `(i + 2 * k).min(n)` for counters below parameters: 32 bits where their sum fits.
#[test]
fn a_sum_that_is_compared() {
    let text = "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i64 max 2147483647, param3 m: i64 max 4294967295) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = zext v1
            v3: i64 = param2
            v4: i64 = param3
            v6: i32 = special tid.x
            v7: i64 = zext v6
            v8: i32 = special ctaid.x
            v9: i64 = zext v8
            v10: bool = icmp ult v7, v3
            branch v10, block1, block9
        block1:
            v11: bool = icmp ult v9, v4
            branch v11, block2, block9
        block2:
            v18: i64 = const 2
            v19: i64 = mul v9, v18
            v12: i64 = add v7, v19
            v13: i64 = umin v12, v3
            v14: bool = icmp ult v7, v2
            branch v14, block3, block4
        block4:
            panic panic0(v7, v2)
        block3:
            v15: i64 = const 4
            v16: i64 = mul v7, v15
            v17: i64 = add v0, v16
            store.global v17, v13
            jump block9
        block9:
            return
        }";
    check(
        text,
        expect![[r#"
        n <= x_len
        n + 2 * m <= 4294967298
        1 checks, tested: 0 left
    "#]],
    );
    expect![[r#"
        v40: i32 = mul nuw v8, v44
        v22: i32 = add v6, v40
        v41: i32 = umin v22, v42
        v16: i64 = mul v7, v15
        v17: i64 = add v0, v16
    "#]]
    .assert_eq(&check_free_lines(text, &["add", "mul", "umin"]));
}

/// `x[i]` and then `x[i + 32]` for `i` below the length of `y`, where a maximum with the length of `x` bounds `i` too: `x` has to be longer.
#[test]
fn a_maximum_with_the_length_itself() {
    check(
        &guarded(
            "v20: bool = icmp ult v5, v9
            branch v20, block1, block9
        block1:
            v21: i64 = const 3
            v22: i64 = umax v7, v21
            v23: bool = icmp ult v5, v22
            branch v23, block2, block9
        block2:
            v24: i64 = const 32
            v25: i64 = add v5, v24
            v26: bool = icmp ult v25, v7
            branch v26, block3, block4
        block4:
            panic panic0(v25, v7)
        block3:
            store.shared v4, v4
            jump block9",
        ),
        expect![[r#"
            y_len + 32 <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// An extended remainder that is below zero is far above it: no bound is one of the sum.
#[test]
fn a_signed_remainder_that_is_extended_without_its_sign() {
    let text = |extension: &str| {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32) {{
                panic0 index \"x\" @0:1:1
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = load.global v0 + 4096
                v4: i32 = const 2
                v5: i32 = srem v3, v4
                {extension}
                v8: bool = icmp ult v7, v2
                branch v8, block1, block2
            block1:
                v9: i64 = const 4
                v10: i64 = mul v7, v9
                v11: i64 = add v0, v10
                v12: i32 = load.global v11
                store.global v0, v12
                return
            block2:
                panic panic0(v7, v2)
            }}"
        )
    };
    check(
        &text("v6: i32 = add v5, v4 v7: i64 = zext v6"),
        expect![[r#"
        4 <= x_len
        1 checks, tested: 0 left
    "#]],
    );
    check(
        &text("v6: i64 = zext v5 v14: i64 = const 2 v7: i64 = add v6, v14"),
        expect![[r#"
        1 checks, no tests
    "#]],
    );
}

/// A branch about `i + (n - m)` bounds `i` where the sum is what it says: a difference that wraps is far above it.
#[test]
fn a_branch_about_a_sum_with_a_difference() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 y_len: i32, param3 n: i32, param4 m: i32) {
            panic0 index \"x\" @0:1:1
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i32 = param2
            v3: i32 = param3
            v4: i32 = param4
            v5: i32 = load.global v0
            v6: i32 = const 16777215
            v7: i32 = and v5, v6
            v8: i32 = sub v3, v4
            v9: i32 = add v7, v8
            v10: bool = icmp ult v9, v2
            branch v10, block1, block2
        block1:
            v11: bool = icmp ult v7, v1
            branch v11, block3, block4
        block3:
            v12: i64 = zext v7
            v13: i64 = const 4
            v14: i64 = mul v12, v13
            v15: i64 = add v0, v14
            store.global v15, v5
            return
        block2:
            return
        block4:
            v16: i64 = zext v7
            v17: i64 = zext v1
            panic panic0(v16, v17)
        }",
        expect![[r#"
            y_len <= x_len && n <= m + 4278190080 && m <= n || m + y_len <= n + x_len && m <= n && n <= m + 4278190080
            1 checks, tested: 0 left
        "#]],
    );
}

/// A signed counter with a step beyond one: the end has to be a step below the greatest number, or it would go on below zero.
#[test]
fn a_signed_counter_with_a_step() {
    let text = |step: &str| {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 columns: i32) {{
                panic0 index \"x\" @0:1:1
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = special tid.x
                {step}
                jump block1(v3)
            block1(v5: i32):
                v6: bool = icmp slt v5, v2
                branch v6, block2, block3
            block2:
                v7: i64 = sext v5
                v8: i64 = zext v1
                v9: bool = icmp ult v7, v8
                branch v9, block4, block5
            block4:
                v10: i64 = const 4
                v11: i64 = mul v7, v10
                v12: i64 = add v0, v11
                store.global v12, v5
                v13: i32 = add v5, v4
                jump block1(v13)
            block5:
                panic panic0(v7, v8)
            block3:
                return
            }}"
        )
    };
    check(
        &text("v4: i32 = const 32"),
        expect![[r#"
        columns <= x_len
        columns <= i32::MAX - 31
        1 checks, tested: 0 left
    "#]],
    );
    check(
        &text("v4: i32 = special ntid.x"),
        expect![[r#"
        columns <= x_len
        block_dim().x + columns <= 1 << 31
        1 checks, tested: 0 left
    "#]],
    );
    check(
        &text("v4: i32 = load.global v0"),
        expect![[r#"
        1 checks, no tests
    "#]],
    );
}

/// No slice has as many elements as a type has numbers, but a table for all bytes has: the check of other data stays.
#[test]
fn a_loaded_index_of_wide_type() {
    let text = |ty: &str, shift: &str| {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32) {{
                panic0 slice_end \"x\" @0:1:1
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: {ty} = load.global v0 + 4096
                v4: {ty} = const {shift}
                v5: {ty} = lshr v3, v4
                v6: i64 = zext v5
                v7: bool = icmp ult v2, v6
                branch v7, block1, block2
            block1:
                panic panic0(v6, v2)
            block2:
                store.global v0, v1
                return
            }}"
        )
    };
    check(
        &text("i32", "6"),
        expect![[r#"
        1 checks, no tests
    "#]],
    );
    check(
        &text("i32", "20"),
        expect![[r#"
        4095 <= x_len
        1 checks, tested: 0 left
    "#]],
    );
    check(
        &text("i16", "0"),
        expect![[r#"
        1 checks, no tests
    "#]],
    );
    check(
        &text("i8", "0"),
        expect![[r#"
        255 <= x_len
        1 checks, tested: 0 left
    "#]],
    );
}

/// A band about the diagonal: the branch about the sum of two counters bounds the index, as the branch of its loop says that the sum does not
/// wrap.
#[test]
fn a_band_of_two_counters() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 length: i32) {
            panic0 index \"x\" @0:1:1
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i32 = param2
            v3: i64 = zext v1
            v4: i64 = zext v2
            v5: i64 = const 0
            v6: i64 = const 1
            v7: i64 = const 8
            v8: i64 = const 17
            v9: i64 = add v4, v7
            jump block1(v5)
        block1(v10: i64):
            v11: bool = icmp ult v10, v4
            branch v11, block2(v5), block9
        block2(v12: i64):
            v13: bool = icmp ult v12, v8
            branch v13, block3, block8
        block3:
            v14: i64 = add v10, v12
            v15: bool = icmp ult v14, v7
            branch v15, block7, block4
        block4:
            v16: bool = icmp ult v14, v9
            branch v16, block5, block7
        block5:
            v17: i64 = sub v14, v7
            v18: bool = icmp ult v17, v3
            branch v18, block6, block10
        block6:
            v19: i64 = const 4
            v20: i64 = mul v17, v19
            v21: i64 = add v0, v20
            store.global v21, v1
            jump block7
        block7:
            v22: i64 = add v12, v6
            jump block2(v22)
        block8:
            v23: i64 = add v10, v6
            jump block1(v23)
        block9:
            return
        block10:
            panic panic0(v17, v3)
        }",
        expect![[r#"
            length <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// A branch about a sum bounds its parts from below: `i` is at least `n - k` where `i + k` is at least `n`.
#[test]
fn a_sum_that_is_at_least_a_size() {
    check(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 length: i32) {
            panic0 index \"x\" @0:1:1
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i32 = param2
            v3: i64 = zext v1
            v4: i64 = zext v2
            v5: i32 = special tid.x
            v6: i64 = zext v5
            v7: i64 = const 8
            v8: i64 = load.global v0 + 1024
            v16: i64 = and v8, v7
            v9: i64 = add v6, v16
            v10: bool = icmp ult v9, v4
            branch v10, block3, block1
        block1:
            v11: bool = icmp ult v6, v4
            branch v11, block2, block3
        block2:
            v12: i64 = sub v4, v6
            v13: bool = icmp ult v12, v3
            branch v13, block4, block5
        block3:
            return
        block4:
            v14: i64 = const 4
            v15: i64 = mul v12, v14
            v17: i64 = add v0, v15
            store.global v17, v1
            return
        block5:
            panic panic0(v12, v3)
        }",
        expect![[r#"
            9 <= x_len || 1040 <= length + x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// The colours of a picture whose chroma is a half along both axes: `(y / 2) * width + (x & !1) + 1` is within `width * height / 2`.
#[test]
fn an_even_column() {
    check(
        "kernel k(param0 x: i64 ptr align 1, param1 x_len: i64, param2 width: i32, param3 height: i32) {
            panic0 index \"x\" @0:1:1
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i32 = param2
            v3: i32 = param3
            v4: i32 = special ctaid.x
            v5: i32 = special ctaid.y
            v6: bool = icmp ult v4, v2
            branch v6, block1, block5
        block1:
            v7: bool = icmp ult v5, v3
            branch v7, block2, block5
        block2:
            v8: i32 = const 1
            v9: i32 = lshr v5, v8
            v10: i64 = zext v9
            v11: i64 = zext v2
            v12: i64 = mul v10, v11
            v13: i32 = const -2
            v14: i32 = and v4, v13
            v15: i64 = zext v14
            v16: i64 = add v12, v15
            v17: i64 = const 1
            v18: i64 = add v16, v17
            v19: bool = icmp ult v18, v1
            branch v19, block3, block4
        block3:
            v20: i64 = add v0, v18
            v21: i8 = const 7
            store.global v20, v21
            return
        block4:
            panic panic0(v18, v1)
        block5:
            return
        }",
        expect![[r#"
            ((height - 1) / 2) * width + width + 1 <= x_len || ((height - 1) / 2) * width + 2 * ((width - 1) / 2) + 2 <= x_len
            1 checks, tested: 0 left
        "#]],
    );
}

/// A branch about a sum and a number is one about the sum: of `i + window + 14 > n` each index of the window, `i + j`, is below `n`.
#[test]
fn a_window_and_a_few_elements() {
    check(
        "kernel k(param0 x: i64 ptr align 1 read_only, param1 x_len: i32, param2 window: i64 max 2147483647) {
            panic0 index \"x\" @0:1:1
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = param2
            v3: i32 = special ctaid.x
            v4: i32 = special ntid.x
            v5: i32 = special tid.x
            v6: i32 = mul nuw v3, v4
            v7: i32 = add nuw v6, v5
            v8: i64 = zext v7
            v9: i64 = zext v1
            v10: i64 = add v8, v2
            v11: i64 = const 14
            v12: i64 = add v10, v11
            v13: bool = icmp ugt v12, v9
            branch v13, block5, block1
        block1:
            v14: i64 = add v2, v11
            v15: i64 = const 0
            jump block2(v15)
        block2(v16: i64):
            v17: bool = icmp ult v16, v14
            branch v17, block3, block5
        block3:
            v18: i64 = add v8, v16
            v19: bool = icmp ult v18, v9
            branch v19, block4, block6
        block4:
            v20: i64 = add nuw v0, v18
            v21: i8 = const 7
            store.global v20, v21
            v22: i64 = const 1
            v23: i64 = add nuw v16, v22
            jump block2(v23)
        block5:
            return
        block6:
            panic panic0(v18, v9)
        }",
        expect![[r#"
            1 checks, proved: 0 left, no tests
        "#]],
    );
}

/// Nobody launches the largest grid along z: an index made of a part of the thread's one there has a guard on the grid that there is.
#[test]
fn a_part_of_an_index_along_z() {
    check(
        "kernel k(param0 x: i64 ptr align 1, param1 x_len: i64, param2 channels: i64 max 2147483647, param3 size: i64 max 2147483647) {
            panic0 index \"x\" @0:1:1
            panic1 divide_by_zero
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i64 = param2
            v3: i64 = param3
            v4: i32 = special ctaid.z
            v5: i32 = special ntid.z
            v6: i32 = special tid.z
            v7: i32 = mul nuw v4, v5
            v8: i32 = add nuw v7, v6
            v9: i64 = zext v8
            v10: i64 = const 0
            v11: bool = icmp eq v2, v10
            branch v11, block4, block1
        block1:
            v12: i64 = udiv v9, v2
            v13: i64 = mul v12, v3
            v14: bool = icmp ult v13, v1
            branch v14, block2, block3
        block2:
            v15: i64 = add v0, v13
            v16: i8 = const 7
            store.global v15, v16
            return
        block3:
            panic panic0(v13, v1)
        block4:
            panic panic1()
        }",
        expect![[r#"
            channels != 0
            ((grid_dim().z * block_dim().z - 1) / channels) * size + 1 <= x_len
            1 <= channels
            2 checks, tested: 0 left
        "#]],
    );
}

/// A loop to an inclusive end by a step, in which the check of an array limits the counter: the next one is no further from that array's
/// length, and of the other slice the guard is about the end.
#[test]
fn a_counter_that_indexes_an_array_too() {
    let text = |bound: &str| {
        format!(
            "kernel k(param0 x: i64 ptr align 1, param1 x_len: i64, param2 size: i64 max 2147483647) {{
                shared0 row: 4096 align 4
                panic0 index \"x\" @0:1:1
                panic1 index \"row\" @0:2:1
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = param2
                v3: i32 = special ctaid.x
                v4: i32 = special tid.x
                v5: i64 = zext v3
                v6: i64 = zext v4
                v7: bool = icmp ule v6, v5
                branch v7, block1(v6), block6
            block1(v8: i64):
                v9: i64 = mul v8, v2
                {bound}
            block2:
                v11: i64 = add v0, v9
                v12: i8 = const 7
                store.global v11, v12
                v13: i64 = const 1024
                v14: bool = icmp ult v8, v13
                branch v14, block3, block5
            block3:
                v15: i32 = address shared0
                v16: i64 = zext v15
                v17: i64 = add v16, v8
                v18: i32 = trunc_int v17
                store.shared v18, v12
                v19: i64 = sub v5, v8
                v20: i64 = const 128
                v21: bool = icmp uge v19, v20
                v22: i64 = add nuw v8, v20
                branch v21, block1(v22), block6
            block4:
                panic panic0(v9, v1)
            block5:
                panic panic1(v8, v13)
            block6:
                return
            }}"
        )
    };
    let element = "v10: bool = icmp ult v9, v1
                branch v10, block2, block4";
    check(
        &text(element),
        expect![[r#"
            grid_dim().x * size + 1 <= size + x_len
            grid_dim().x <= 1024
            2 checks, tested: 0 left
        "#]],
    );
    // A part of the slice: its end is compared with what is left.
    let part = "v10: bool = icmp ule v9, v1
                branch v10, block7, block4
            block7:
                v23: i64 = sub nuw v1, v9
                v24: bool = icmp ule v2, v23
                branch v24, block2, block4";
    check(
        &text(part),
        expect![[r#"
            grid_dim().x * size <= x_len
            grid_dim().x <= 1024
            2 checks, tested: 0 left
        "#]],
    );
}

/// A rank that a loop finds in a table, from which it goes on: whatever is loaded it is below 2³², and `rank / 64` below 2²⁶, which is no size of a table.
#[test]
fn a_quotient_of_what_a_loop_loads() {
    check(
        "kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i64, param2 y: i64 ptr align 4, param3 n: i32) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i64 = param2
            v3: i32 = param3
            v4: i32 = const 0
            v5: i32 = const 1
            v6: i32 = const 64
            v7: i64 = const 4
            jump block1(v4, v4)
        block1(v8: i32, v9: i32):
            v10: bool = icmp ult v8, v3
            branch v10, block2, block4
        block2:
            v11: i32 = udiv v9, v6
            v12: i64 = zext v11
            v13: bool = icmp ult v12, v1
            branch v13, block3, block5
        block3:
            v14: i64 = mul v12, v7
            v15: i64 = add v0, v14
            v16: i32 = load.global v15 read_only
            v17: i32 = add v8, v5
            jump block1(v17, v16)
        block4:
            store.global v2, v9
            return
        block5:
            panic panic0(v12, v1)
        }",
        expect![[r#"
            1 checks, no tests
        "#]],
    );
}

/// A block copies a tile of 1024 elements of `x`, 64 at a time, and then all its threads read the same tile of `y`: buffers of equal lengths pass.
#[test]
fn the_same_tile_of_two_buffers() {
    check(
        "kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i64, param2 y: i64 ptr align 4 read_only, param3 y_len: i64) bounds(block 64 1 1) {
            panic0 index @0:1:1
            panic1 index @0:2:1
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i64 = param2
            v3: i64 = param3
            v4: i32 = special ctaid.x
            v5: i64 = zext v4
            v6: i32 = special tid.x
            v7: i64 = zext v6
            v8: i64 = const 1024
            v9: i64 = const 64
            v10: i64 = const 4
            v11: i64 = const 16
            v12: i64 = mul nuw v5, v8
            v13: f32 = const 0.0
            jump block1(v7, v13)
        block1(v14: i64, v15: f32):
            v16: bool = icmp ult v14, v8
            branch v16, block2, block4
        block2:
            v17: i64 = add nuw v12, v14
            v18: bool = icmp ult v17, v1
            branch v18, block3, block7
        block3:
            v19: i64 = mul v17, v10
            v20: i64 = add v0, v19
            v21: f32 = load.global v20 read_only
            v22: f32 = fadd v15, v21
            v23: i64 = add nuw v14, v9
            jump block1(v23, v22)
        block4:
            v24: i64 = mul nuw v7, v11
            v25: i64 = const 15
            v26: i64 = add nuw v24, v25
            v27: i64 = add nuw v12, v26
            v28: bool = icmp ult v27, v3
            branch v28, block5, block8
        block5:
            v29: i64 = mul v27, v10
            v30: i64 = add v2, v29
            v31: f32 = load.global v30 read_only
            v32: f32 = fadd v31, v15
            store.global v0, v32
            return
        block7:
            panic panic0(v17, v1) @0:1:1
        block8:
            panic panic1(v27, v3) @0:2:1
        }",
        expect![[r#"
            1024 * grid_dim().x <= x_len
            1024 * grid_dim().x <= y_len
            2 checks, tested: 0 left
        "#]],
    );
}

/// A size of which a guard says that it is not zero does not wrap less one.
#[test]
fn a_size_that_is_not_zero() {
    let (func, left) = prepared(
        "kernel k(param0 x: i64 ptr align 4, param1 x_len: i64, param2 n: i64 max 2147483647) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i64 = param2
            v3: i64 = const 1
            v4: i64 = sub v2, v3
            v5: bool = icmp ult v4, v1
            branch v5, block1, block2
        block1:
            v6: i64 = const 4
            v7: i64 = mul v4, v6
            v8: i64 = add v0, v7
            store.global v8, v2
            return
        block2:
            panic panic0(v4, v1)
        }",
    );
    let (twin, _) = find(&func, &left, Doubtful::Tested).check_free(&func, &[]).expect("guards");
    expect!["kernel k__check_free(param0 x: i64 ptr align 4, param1 x_len: i64, param2 n: i64 min 1 max 2147483647) {"].assert_eq(twin.to_string().lines().next().unwrap_or_default());
}
