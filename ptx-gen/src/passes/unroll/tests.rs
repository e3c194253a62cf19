//! Tests of unrolling.

use expect_test::expect;

use super::super::{check, check_stays};
use super::*;

#[test]
fn a_loop_that_asks() {
    check(
        unroll_loops,
        "kernel k(param0 n: i32, param1 p: i64 ptr align 4) {
        block0:
            v0: i32 = param0
            v1: i64 = param1
            v2: i64 = const 0
            v3: i64 = const 3
            v4: i64 = const 1
            v20: i64 = const 4
            jump block1(v2, v0)
        block1(v5: i64, v6: i32) unroll:
            v7: bool = icmp ult v5, v3
            branch v7, block2, block3
        block2:
            v8: i32 = mul v6, v0
            v9: i64 = mul nuw v5, v20
            v10: i64 = add nuw v1, v9
            store.global v10, v8
            v11: i64 = add nuw v5, v4
            jump block1(v11, v8)
        block3:
            store.global v1, v6
            return
        }",
        expect![[r#"
            kernel k(param0 n: i32, param1 p: i64 ptr align 4) {
            block0:
                v0: i32 = param0
                v1: i64 = param1
                v20: i64 = const 4
                v8: i32 = mul v0, v0
                store.global v1, v8
                v28: i32 = mul v8, v0
                v30: i64 = add nuw v1, v20
                store.global v30, v28
                v36: i32 = mul v28, v0
                v37: i64 = const 8
                v38: i64 = add nuw v1, v37
                store.global v38, v36
                store.global v1, v36
                return
            }
        "#]],
    );
}

#[test]
fn exits_and_panics() {
    check(
        unroll_loops,
        "kernel k(param0 n: i64, param1 p: i64 ptr align 4) {
            panic0 index
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i64 = const 5
            v4: i64 = const 2
            jump block1(v2)
        block1(v5: i64) unroll:
            v6: bool = icmp ult v5, v0
            branch v6, block2, block3
        block3:
            panic panic0(v5, v0)
        block2:
            v7: i32 = load.global v1
            v8: i32 = const 9
            v9: bool = icmp eq v7, v8
            branch v9, block6(v5), block4
        block4:
            v10: bool = icmp ugt v5, v4
            branch v10, block5, block6(v4)
        block5:
            v11: i64 = sub nuw v5, v4
            jump block1(v11)
        block6(v12: i64):
            store.global v1, v12
            store.global v1, v7
            return
        }",
        expect![[r#"
            kernel k(param0 n: i64, param1 p: i64 ptr align 4) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = const 5
                v4: i64 = const 2
                v6: bool = icmp ugt v0, v2
                branch v6, block2, block3
            block3:
                panic panic0(v2, v0)
            block2:
                v7: i32 = load.global v1
                v8: i32 = const 9
                v9: bool = icmp eq v7, v8
                branch v9, block6(v2, v7), block4
            block4:
                v11: i64 = const 3
                v17: bool = icmp ugt v0, v11
                branch v17, block8, block11
            block8:
                v18: i32 = load.global v1
                v21: bool = icmp eq v18, v8
                branch v21, block6(v11, v18), block9
            block9:
                v23: i64 = const 1
                v25: bool = icmp ugt v0, v23
                branch v25, block13, block16
            block11:
                panic panic0(v11, v0)
            block13:
                v26: i32 = load.global v1
                v29: bool = icmp eq v26, v8
                branch v29, block6(v23, v26), block14
            block14:
                jump block6(v4, v26)
            block16:
                panic panic0(v23, v0)
            block6(v12: i64, v33: i32):
                store.global v1, v12
                store.global v1, v33
                return
            }
        "#]],
    );
}

#[test]
fn an_array_that_a_loop_indexes() {
    check(
        unroll_loops,
        "kernel k(param0 x: i64 ptr align 4) {
            local0 a: 8 align 4
            local1 stays: 8 align 4
        block0:
            v0: i64 = param0
            v1: i64 = address local0
            v2: i64 = const 0
            v3: i64 = const 2
            v4: i64 = const 1
            v5: i64 = const 4
            v30: i64 = address local1
            jump block1(v2)
        block1(v6: i64):
            v7: bool = icmp ult v6, v3
            branch v7, block2, block3(v2)
        block2:
            v8: i64 = mul nuw v6, v5
            v9: i64 = add nuw v0, v8
            v10: f32 = load.global v9
            v11: i64 = add nuw v1, v8
            store.local v11, v10
            v12: i64 = add nuw v6, v4
            jump block1(v12)
        block3(v13: i64):
            jump block4(v2)
        block4(v14: i64):
            v15: i64 = add v14, v13
            v16: i64 = and v15, v4
            v17: i64 = mul nuw v16, v5
            v18: i64 = add nuw v1, v17
            v19: f32 = load.local v18
            store.global v0, v19
            v20: i64 = add nuw v14, v4
            v21: bool = icmp ult v20, v3
            branch v21, block4(v20), block5
        block5:
            v22: i64 = add nuw v13, v4
            v23: bool = icmp ult v22, v3
            branch v23, block3(v22), block6(v2)
        block6(v24: i64):
            v25: i64 = mul nuw v24, v5
            v26: i64 = add nuw v30, v25
            store.local v26, v19
            v27: f32 = load.local v30
            store.global v0, v27
            v28: i64 = load.global v0
            v29: bool = icmp ult v28, v24
            branch v29, block6(v28), block7
        block7:
            return
        }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4) {
                local0 a: 8 align 8
                local1 stays: 8 align 8
            block0:
                v0: i64 = param0
                v2: i64 = const 0
                v5: i64 = const 4
                v30: i64 = address local1
                v10: f32 = load.global v0
                v46: i64 = add nuw v0, v5
                v47: f32 = load.global v46
                store.global v0, v10
                store.global v0, v47
                store.global v0, v47
                store.global v0, v10
                jump block6(v2)
            block6(v24: i64):
                v25: i64 = mul nuw v24, v5
                v26: i64 = add nuw v30, v25
                store.local v26, v10
                v27: f32 = load.local v30
                store.global v0, v27
                v28: i64 = load.global v0
                v29: bool = icmp ult v28, v24
                branch v29, block6(v28), block7
            block7:
                return
            }
        "#]],
    );
}

/// The first loop sets all elements, the second one reads them in the order of a table.
/// Digits of a number, of which the last is read: the counter is no constant where the loop may end earlier.
#[test]
fn an_array_indexed_by_the_counter_of_a_loop_that_ends_early() {
    check_stays(
        unroll_loops,
        "kernel k(param0 p: i64 ptr align 8, param1 number: i64) {
            local0 digits: 20 align 16
            panic0 index
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i64 = address local0
            v3: i64 = const 0
            v4: i64 = const 1
            v5: i64 = const 20
            jump block1(v3, v1)
        block1(v6: i64, v7: i64):
            v8: bool = icmp ult v6, v5
            branch v8, block2, block4
        block2:
            v9: i8 = trunc_int v7
            v10: i64 = add nuw v2, v6
            store.local v10, v9
            v11: i64 = lshr v7, v4
            v12: i64 = add nuw v6, v4
            v13: bool = icmp eq v11, v3
            branch v13, block3, block1(v12, v11)
        block3:
            v14: i64 = add nuw v2, v6
            v15: i8 = load.local v14
            store.global v0, v15
            return
        block4:
            panic panic0(v6, v5)
        }",
    );
}

#[test]
fn an_array_that_a_table_indexes() {
    check(
        unroll_loops,
        "kernel k(param0 x: i64 ptr align 4) {
            local0 a: 8 align 4
            const0 order: 8 align 4 \"0100000000000000\"
        block0:
            v0: i64 = param0
            v1: i64 = address local0
            v2: i64 = const 0
            v3: i64 = const 2
            v4: i64 = const 1
            v5: i64 = const 4
            v6: i64 = address const0
            jump block1(v2)
        block1(v10: i64):
            v11: i64 = mul nuw v10, v5
            v12: i64 = add nuw v0, v11
            v13: f32 = load.global v12
            v14: i64 = add nuw v1, v11
            store.local v14, v13
            v15: i64 = add nuw v10, v4
            v16: bool = icmp ult v15, v3
            branch v16, block1(v15), block2(v2)
        block2(v20: i64):
            v21: i64 = mul nuw v20, v5
            v22: i64 = add nuw v6, v21
            v23: i32 = load.const v22
            v24: i64 = zext v23
            v25: i64 = mul nuw v24, v5
            v26: i64 = add nuw v1, v25
            v27: f32 = load.local v26
            store.global v0, v27
            v28: i64 = add nuw v20, v4
            v29: bool = icmp ult v28, v3
            branch v29, block2(v28), block3
        block3:
            return
        }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4) {
                local0 a: 8 align 4
                const0 order: 8 align 4 "0100000000000000"
            block0:
                v0: i64 = param0
                v5: i64 = const 4
                v13: f32 = load.global v0
                v42: i64 = add nuw v0, v5
                v43: f32 = load.global v42
                store.global v0, v43
                store.global v0, v13
                return
            }
        "#]],
    );
}

/// For i in 0..2 { sum += a[match i { 0 => 1, _ => 1 - i }] }, where `i` decides which; not where an argument does.
#[test]
fn an_array_that_a_match_on_the_counter_indexes() {
    let text = |decides: &str| {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 n: i64) {{
                local0 a: 8 align 4
            block0:
                v0: i64 = param0
                v1: i64 = address local0
                v2: i64 = const 0
                v3: i64 = const 2
                v4: i64 = const 1
                v5: i64 = const 4
                v6: i64 = param1
                v7: f32 = load.global v0
                store.local v1, v7
                v8: i64 = add nuw v1, v5
                v9: f32 = load.global v0 + 4
                store.local v8, v9
                jump block1(v2)
            block1(v10: i64):
                v11: bool = icmp eq {decides}, v2
                branch v11, block2, block3
            block2:
                jump block4(v4)
            block3:
                v12: i64 = sub v4, v10
                jump block4(v12)
            block4(v13: i64):
                v14: i64 = mul nuw v13, v5
                v15: i64 = add nuw v1, v14
                v16: f32 = load.local v15
                store.global v0, v16
                v17: i64 = add nuw v10, v4
                v18: bool = icmp ult v17, v3
                branch v18, block1(v17), block5
            block5:
                return
            }}"
        )
    };
    check(
        unroll_loops,
        &text("v10"),
        expect![[r#"
        kernel k(param0 x: i64 ptr align 4, param1 n: i64) {
            local0 a: 8 align 8
        block0:
            v0: i64 = param0
            v1: i64 = address local0
            v2: i64 = const 0
            v4: i64 = const 1
            v5: i64 = const 4
            v7: f32 = load.global v0
            store.local v1, v7
            v8: i64 = add nuw v1, v5
            v9: f32 = load.global v0 + 4
            store.local v8, v9
            v14: i64 = mul nuw v4, v5
            v15: i64 = add nuw v1, v14
            v16: f32 = load.local v15
            store.global v0, v16
            v23: i64 = mul nuw v2, v5
            v24: i64 = add nuw v1, v23
            v25: f32 = load.local v24
            store.global v0, v25
            return
        }
    "#]],
    );
    check_stays(unroll_loops, &text("v6"));
}

#[test]
fn an_array_that_loops_of_a_triangle_index() {
    // For i in 0..2 { for j in i + 1..3 { a[j] = a[i] } }: the inner trip counts are constants once the outer loop is unrolled.
    check(
        unroll_loops,
        "kernel k(param0 x: i64 ptr align 4) {
            local0 a: 12 align 4
        block0:
            v0: i64 = param0
            v1: i64 = address local0
            v2: i64 = const 0
            v3: i64 = const 2
            v4: i64 = const 1
            v5: i64 = const 4
            v6: i64 = const 3
            v7: f32 = load.global v0
            store.local v1, v7
            jump block1(v2)
        block1(v8: i64):
            v9: bool = icmp ult v8, v3
            branch v9, block2, block5
        block2:
            v10: i64 = add nuw v8, v4
            jump block3(v10)
        block3(v11: i64):
            v12: bool = icmp ult v11, v6
            branch v12, block4, block1(v10)
        block4:
            v13: i64 = mul nuw v8, v5
            v14: i64 = add nuw v1, v13
            v15: f32 = load.local v14
            v16: f32 = fadd v15, v15
            v17: i64 = mul nuw v11, v5
            v18: i64 = add nuw v1, v17
            store.local v18, v16
            v19: i64 = add nuw v11, v4
            jump block3(v19)
        block5:
            v20: i64 = const 8
            v21: i64 = add nuw v1, v20
            v22: f32 = load.local v21
            store.global v0, v22
            return
        }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4) {
                local0 a: 12 align 8
            block0:
                v0: i64 = param0
                v7: f32 = load.global v0
                v16: f32 = fadd v7, v7
                v31: f32 = fadd v16, v16
                store.global v0, v31
                return
            }
        "#]],
    );
}

#[test]
fn an_array_that_a_counter_of_two_loops_indexes() {
    // For i in 0..2 { for j in 0..2 { a[n] = x[n]; n += 1 } }: what `n` is behind the inner loop, the outer one has to know.
    check(
        unroll_loops,
        "kernel k(param0 x: i64 ptr align 4) {
            local0 a: 16 align 4
        block0:
            v0: i64 = param0
            v1: i64 = address local0
            v2: i64 = const 0
            v3: i64 = const 2
            v4: i64 = const 1
            v5: i64 = const 4
            jump block1(v2, v2)
        block1(v8: i64, v9: i64):
            v10: bool = icmp ult v8, v3
            branch v10, block2(v2, v9), block5
        block2(v11: i64, v12: i64):
            v13: bool = icmp ult v11, v3
            branch v13, block3, block4
        block3:
            v14: i64 = mul nuw v12, v5
            v15: i64 = add nuw v0, v14
            v16: f32 = load.global v15
            v17: i64 = add nuw v1, v14
            store.local v17, v16
            v18: i64 = add nuw v12, v4
            v19: i64 = add nuw v11, v4
            jump block2(v19, v18)
        block4:
            v20: i64 = add nuw v8, v4
            jump block1(v20, v12)
        block5:
            v21: i64 = const 12
            v22: i64 = add nuw v1, v21
            v23: f32 = load.local v22
            store.global v0, v23
            return
        }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4) {
                local0 a: 16 align 16
            block0:
                v0: i64 = param0
                v57: i64 = const 12
                v58: i64 = add nuw v0, v57
                v59: f32 = load.global v58
                store.global v0, v59
                return
            }
        "#]],
    );
}

#[test]
fn loops_that_stay() {
    check(
        unroll_loops,
        "kernel k(param0 n: i32, param1 p: i64 ptr align 4) {
        block0:
            v0: i32 = param0
            v1: i64 = param1
            v2: i32 = const 0
            v3: i32 = const 3
            v4: i32 = const 1
            jump block1(v2)
        block1(v5: i32):
            store.global v1, v5
            v6: i32 = add nuw v5, v4
            v7: bool = icmp ult v6, v3
            branch v7, block1(v6), block2(v2)
        block2(v8: i32) nounroll:
            store.global v1, v8
            v9: i32 = add nuw v8, v4
            v10: bool = icmp ult v9, v3
            branch v10, block2(v9), block3(v2)
        block3(v11: i32) unroll:
            store.global v1, v11
            v12: i32 = add nuw v11, v4
            v13: bool = icmp ult v12, v0
            branch v13, block3(v12), block4
        block4:
            return
        }",
        expect![[r#"
            kernel k(param0 n: i32, param1 p: i64 ptr align 4) {
            block0:
                v0: i32 = param0
                v1: i64 = param1
                v2: i32 = const 0
                v3: i32 = const 3
                v4: i32 = const 1
                jump block1(v2)
            block1(v5: i32):
                store.global v1, v5
                v6: i32 = add nuw v5, v4
                v7: bool = icmp ult v6, v3
                branch v7, block1(v6), block2(v2)
            block2(v8: i32) nounroll:
                store.global v1, v8
                v9: i32 = add nuw v8, v4
                v10: bool = icmp ult v9, v3
                branch v10, block2(v9), block3(v2)
            block3(v11: i32) unroll:
                store.global v1, v11
                v12: i32 = add nuw v11, v4
                v13: bool = icmp ult v12, v0
                branch v13, block3(v12), block4
            block4:
                return
            }
        "#]],
    );
}

#[test]
fn several_rounds_in_a_turn() {
    // Of ten iterations the last is the second of an unrolled iteration of four.
    check(
        unroll_loops,
        "kernel k(param0 p: i64 ptr align 4) {
        block0:
            v1: i64 = param0
            v2: i32 = const 0
            v3: i32 = const 9
            v4: i32 = const 1
            jump block1(v2)
        block1(v5: i32) unroll 4:
            store.global v1, v5
            v6: bool = icmp ult v5, v3
            branch v6, block2, block3
        block2:
            v7: i32 = add nuw v5, v4
            jump block1(v7)
        block3:
            return
        }",
        expect![[r#"
            kernel k(param0 p: i64 ptr align 4) {
            block0:
                v1: i64 = param0
                v2: i32 = const 0
                v3: i32 = const 9
                v4: i32 = const 1
                jump block1(v2)
            block1(v5: i32) nounroll:
                store.global v1, v5
                v7: i32 = add nuw v5, v4
                store.global v1, v7
                v9: bool = icmp ult v7, v3
                branch v9, block5, block3
            block5:
                v17: i32 = const 2
                v10: i32 = add nuw v5, v17
                store.global v1, v10
                v18: i32 = const 3
                v13: i32 = add nuw v5, v18
                store.global v1, v13
                v19: i32 = const 4
                v16: i32 = add nuw v5, v19
                jump block1(v16)
            block3:
                return
            }
        "#]],
    );
    check(
        unroll_loops,
        "kernel k(param0 n: i64, param1 p: i64 ptr align 4) {
        block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i64 = const 5
            v3: f32 = const 0.0
            v4: i64 = const 2
            jump block1(v2, v3)
        block1(v5: i64, v6: f32) unroll 2:
            v7: bool = icmp uge v5, v0
            branch v7, block3, block2
        block2:
            v8: f32 = load.global v1
            v9: f32 = fadd v6, v8
            v10: i64 = add nuw v5, v4
            jump block1(v10, v9)
        block3:
            store.global v1, v6
            return
        }",
        expect![[r#"
            kernel k(param0 n: i64, param1 p: i64 ptr align 4) {
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = const 5
                v3: f32 = const 0.0
                v4: i64 = const 2
                v33: bool = icmp ugt v0, v4
                branch v33, block9, block1(v2, v3)
            block9:
                v35: i64 = sub nuw v0, v4
                jump block10(v2, v3)
            block10(v30: i64, v31: f32) nounroll:
                v36: bool = icmp ult v30, v35
                branch v36, block4, block1(v30, v31)
            block4:
                v18: f32 = load.global v1
                v19: f32 = fadd v31, v18
                v25: f32 = load.global v1
                v26: f32 = fadd v19, v25
                v39: i64 = const 4
                v27: i64 = add nuw v30, v39
                jump block10(v27, v26)
            block1(v5: i64, v6: f32) nounroll:
                v7: bool = icmp uge v5, v0
                branch v7, block3, block2
            block2:
                v8: f32 = load.global v1
                v9: f32 = fadd v6, v8
                v10: i64 = add nuw v5, v4
                jump block1(v10, v9)
            block3:
                store.global v1, v6
                return
            }
        "#]],
    );
    check(
        unroll_loops,
        "kernel k(param0 n: i64, param1 p: i64 ptr align 4) {
        block0:
            v1: i64 = param1
            v2: i32 = const 0
            jump block1(v2)
        block1(v5: i32) unroll 2:
            store.global v1, v5
            v6: i32 = load.global v1 + 4
            v7: bool = icmp ult v5, v6
            branch v7, block1(v6), block3
        block3:
            store.global v1, v6
            return
        }",
        expect![[r#"
            kernel k(param0 n: i64, param1 p: i64 ptr align 4) {
            block0:
                v1: i64 = param1
                v2: i32 = const 0
                jump block1(v2)
            block1(v5: i32) nounroll:
                store.global v1, v5
                v6: i32 = load.global v1 + 4
                v7: bool = icmp ult v5, v6
                branch v7, block4, block3(v6)
            block4:
                store.global v1, v6
                v12: i32 = load.global v1 + 4
                v14: bool = icmp ult v6, v12
                branch v14, block1(v12), block3(v12)
            block3(v15: i32):
                store.global v1, v15
                return
            }
        "#]],
    );
}

/// `while power <= 8 { if i % power == 0 { tile[i + power / 2] = i }; power *= 2 }` for an `i` below 8.
fn halving(checked: bool) -> String {
    let (test, panic) = if checked {
        ("branch v12, block5, block6", "block6:\n panic panic0(v10, v2)")
    } else {
        ("jump block5", "")
    };
    format!(
        "kernel k(param0 p: i64 ptr align 4) {{
            panic0 index
        block0:
            v0: i64 = param0
            v15: i32 = special tid.x
            v16: i32 = const 7
            v17: i32 = const 7
            v1: i32 = lshr v15, v17
            v2: i32 = const 8
            v3: i32 = const 1
            v4: i32 = const 2
            v5: i32 = const 0
            jump block1(v4)
        block1(v6: i32):
            v7: bool = icmp ule v6, v2
            branch v7, block2, block7
        block2:
            v8: i32 = urem v1, v6
            v9: bool = icmp eq v8, v5
            branch v9, block3, block4
        block3:
            v14: i32 = lshr v6, v3
            v10: i32 = add v1, v14
            v12: bool = icmp ult v10, v2
            {test}
            {panic}
        block5:
            store.global v0, v10
            jump block4
        block4:
            v13: i32 = shl v6, v3
            jump block1(v13)
        block7:
            return
        }}"
    )
}

#[test]
fn checks_of_a_counter_that_doubles() {
    let panics_left = |text: &str| {
        let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
        unroll_loops(&mut func);
        let has_loop = !Loops::new(&Cfg::new(&func), &DomTree::new(&Cfg::new(&func))).loops().is_empty();
        checks::remove_decided_checks(&mut func);
        simplify_cfg::simplify_cfg(&mut func);
        let is_panic = |&&block: &&Block| checks::panics(&func, block);
        (has_loop, func.layout.iter().filter(is_panic).count())
    };
    assert_eq!(panics_left(&halving(true)), (false, 0));
    // The tile is too short by one for the last thread's neighbour.
    let short = halving(true).replace("icmp ult v10, v2", "icmp ult v10, v16");
    assert_eq!(panics_left(&short), (false, 1));
    // Nothing to prove: a loop stays one for now.
    assert_eq!(panics_left(&halving(false)), (true, 0));
}

/// Loops whose three counters start with those of the loop before: each would be run three times as often as the one behind it.
#[test]
fn loops_that_start_where_others_end_are_counted_in_time() {
    const LOOPS: usize = 20;
    let mut blocks = String::new();
    for index in 0..LOOPS {
        let [a, b, c, cond] = [0, 1, 2, 3].map(|part| format!("v{}", 10 + 10 * index + part));
        let [next_a, next_b, next_c] = [4, 5, 6].map(|part| format!("v{}", 10 + 10 * index + part));
        let (header, body, next) = (2 * index + 1, 2 * index + 2, 2 * index + 3);
        blocks += &format!(
            "block{header}({a}: i32, {b}: i32, {c}: i32):
                {cond}: bool = icmp ult {a}, v2
                branch {cond}, block{body}, block{next}({c}, {a}, {b})
            block{body}:
                {next_a}: i32 = add {a}, v1
                {next_b}: i32 = add {b}, {a}
                {next_c}: i32 = xor {c}, {b}
                jump block{header}({next_a}, {next_b}, {next_c})
            "
        );
    }
    let end = 2 * LOOPS + 1;
    let text = format!(
        "kernel k(param0 x: i64 ptr align 4) {{
            local0 a: 32 align 4
        block0:
            v0: i64 = param0
            v1: i32 = const 1
            v2: i32 = const 4
            v3: i32 = const 0
            v5: i64 = address local0
            store.local v5, v3
            v6: i32 = load.local v5 + 4
            store.global v0, v6
            jump block1(v3, v3, v3)
        {blocks}
        block{end}(v4: i32, v7: i32, v8: i32):
            store.global v0, v4
            store.global v0 + 4, v8
            return
        }}"
    );
    let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}\\n{text}"));
    unroll_loops(&mut func);
    crate::verify::verify_function(&func).unwrap_or_else(|error| panic!("{error}"));
}

/// `tile[t + OFFSETS[k]]` for the five elements of a table: each number decides its check. Of a table in memory nothing is known, and without a check
/// the loop stays for later.
#[test]
fn checks_of_elements_of_tables() {
    let copies = |number: &str, is_checked: bool| {
        let check = if is_checked { "branch v16, block3, block5" } else { "jump block3" };
        let mut func = crate::ir::parse_function(&format!(
            "kernel k(param0 x: i64 ptr align 4 read_only, param1 y: i64 ptr align 4) {{
                const0 offsets: 20 align 4 \"0100000002000000030000000400000005000000\"
                panic0 index
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = const 0
                v3: i64 = const 5
                v4: i64 = const 4
                v5: i64 = const 1
                v6: i64 = address const0
                v7: i64 = const 1100
                v8: i32 = special tid.x
                jump block1(v2)
            block1(v10: i64):
                v12: bool = icmp ult v10, v3
                branch v12, block2, block4
            block2:
                v11: i64 = mul nuw v10, v4
                {number}
                v14: i32 = add v8, v13
                v15: i64 = zext v14
                v16: bool = icmp ult v15, v7
                {check}
            block3:
                v17: i64 = mul nuw v15, v4
                v18: i64 = add nuw v1, v17
                store.global v18, v8
                v19: i64 = add nuw v10, v5
                jump block1(v19)
            block4:
                return
            block5:
                panic panic0(v15, v7)
            }}"
        ))
        .unwrap_or_else(|error| panic!("{error}"));
        crate::passes::assert_valid("none yet", &func);
        unroll_loops(&mut func);
        crate::passes::assert_valid("under test", &func);
        checks::remove_decided_checks(&mut func);
        simplify_cfg::simplify_cfg(&mut func);
        let text = func.to_string();
        (text.matches("store.global").count(), text.matches("branch ").count())
    };
    let of_table = "v9: i64 = add nuw v6, v11\n v13: i32 = load.const v9";
    let of_memory = "v9: i64 = add nuw v0, v11\n v13: i32 = load.global v9 read_only";
    let found = [copies(of_table, true), copies(of_memory, true), copies(of_table, false)];
    assert_eq!(found, [(5, 0), (1, 2), (1, 1)]);
}
