//! Tests of promotion.

use expect_test::expect;

use super::super::check;
use super::*;

#[test]
fn scalars_and_where_they_meet() {
    check(
        promote_locals,
        "kernel k(param0 c: bool, param1 n: i32) {
            local0 a: 8 align 4
        block0:
            v0: bool = param0
            v1: i32 = param1
            v2: i64 = address local0
            v3: i64 = const 4
            v4: i64 = add v2, v3
            store.local v2, v1
            branch v0, block1, block2
        block1:
            v5: i32 = load.local v2
            v6: i32 = add v5, v5
            store.local v2, v6
            store.local v4, v6
            jump block2
        block2:
            v7: i32 = load.local v2
            v8: i32 = load.local v2 + 4
            store.shared v7, v8
            return
        }",
        expect![[r#"
            kernel k(param0 c: bool, param1 n: i32) {
                local0 a: 8 align 4
            block0:
                v0: bool = param0
                v1: i32 = param1
                v11: i32 = const 0
                branch v0, block1, block2(v1, v11)
            block1:
                v6: i32 = add v1, v1
                jump block2(v6, v6)
            block2(v9: i32, v10: i32):
                store.shared v9, v10
                return
            }
        "#]],
    );
}

#[test]
fn loops() {
    check(
        promote_locals,
        "kernel k(param0 n: i32) {
            local0 sum: 4 align 4
            local1 unused: 4 align 4
        block0:
            v0: i64 = address local0
            v1: i64 = address local1
            v2: f32 = const 0.0
            store.local v0, v2
            store.local v1, v2
            v3: i32 = const 0
            v4: i32 = const 1
            v5: i32 = param0
            jump block1(v3)
        block1(v6: i32):
            v7: bool = icmp ult v6, v5
            branch v7, block2, block3
        block2:
            v8: f32 = load.local v0
            v9: f32 = load.shared v6
            v10: f32 = fadd v8, v9
            store.local v0, v10
            store.local v1, v10
            v11: i32 = add nuw v6, v4
            jump block1(v11)
        block3:
            v12: f32 = load.local v0
            store.shared v5, v12
            return
        }",
        expect![[r#"
            kernel k(param0 n: i32) {
                local0 sum: 4 align 4
                local1 unused: 4 align 4
            block0:
                v2: f32 = const 0.0
                v3: i32 = const 0
                v4: i32 = const 1
                v5: i32 = param0
                jump block1(v3, v2)
            block1(v6: i32, v13: f32):
                v7: bool = icmp ult v6, v5
                branch v7, block2, block3
            block2:
                v9: f32 = load.shared v6
                v10: f32 = fadd v13, v9
                v11: i32 = add nuw v6, v4
                jump block1(v11, v10)
            block3:
                store.shared v5, v13
                return
            }
        "#]],
    );
}

#[test]
fn types_of_one_width() {
    check(
        promote_locals,
        "kernel k(param0 c: bool, param1 x: f32) {
            local0 a: 8 align 8
            local1 b: 8 align 8
        block0:
            v0: i64 = address local0
            v1: f32 = param1
            v2: bool = param0
            store.local v0, v1
            store.local v0 + 4, v2
            v3: i32 = load.local v0
            v4: i8 = load.local v0 + 4
            v5: bool = load.local v0 + 4
            store.shared v3, v4
            store.shared v3, v5
            v6: i64 = address local1
            v7: i64 = zext v3
            store.local v6, v7
            v8: i32 = load.local v6 + 4
            store.shared v3, v8
            return
        }",
        expect![[r#"
            kernel k(param0 c: bool, param1 x: f32) {
                local0 a: 8 align 8
                local1 b: 8 align 8
            block0:
                v1: f32 = param1
                v2: bool = param0
                v9: i8 = zext v2
                v10: i32 = bitcast v1
                store.shared v10, v9
                store.shared v10, v2
                v6: i64 = address local1
                v7: i64 = zext v10
                store.local v6, v7
                v8: i32 = load.local v6 + 4
                store.shared v10, v8
                return
            }
        "#]],
    );
}

#[test]
fn what_stays_in_memory() {
    check(
        promote_locals,
        "kernel k(param0 i: i64, param1 p: i64 ptr align 8) {
            local0 indexed: 16 align 4
            local1 escapes: 4 align 4
            local2 written: 16 align 4
            local3 read: 16 align 4
        block0:
            v0: i64 = param0
            v1: i64 = address local0
            v2: i64 = const 4
            v3: i64 = mul nuw v0, v2
            v4: i64 = add v1, v3
            v5: i32 = const 1
            store.local v1, v5
            v6: i32 = load.local v4
            v7: i64 = address local1
            v8: i64 = param1
            store.global v8, v7
            store.local v7, v6
            v9: i64 = address local2
            v10: i64 = add v9, v3
            store.local v10, v6
            v11: i64 = address local3
            v12: i64 = add v11, v3
            v13: i32 = load.local v12
            store.global v8, v13
            return
        }",
        expect![[r#"
            kernel k(param0 i: i64, param1 p: i64 ptr align 8) {
                local0 indexed: 16 align 4
                local1 escapes: 4 align 4
                local2 written: 16 align 4
                local3 read: 16 align 4
            block0:
                v0: i64 = param0
                v1: i64 = address local0
                v2: i64 = const 4
                v3: i64 = mul nuw v0, v2
                v4: i64 = add v1, v3
                v5: i32 = const 1
                store.local v1, v5
                v6: i32 = load.local v4
                v7: i64 = address local1
                v8: i64 = param1
                store.global v8, v7
                store.local v7, v6
                v13: i32 = const 0
                store.global v8, v13
                return
            }
        "#]],
    );
}

#[test]
fn a_structure_with_an_array() {
    check(
        promote_locals,
        "kernel k(param0 i: i64, param1 p: i64 ptr align 8) {
            local0 s: 24 align 4
            panic0 index
        block0:
            v0: i64 = param0
            v1: i64 = address local0
            v2: i64 = const 4
            v3: i32 = const 7
            store.local v1, v3
            store.local v1 + 4, v3
            store.local v1 + 8, v3
            store.local v1 + 20, v3
            v4: bool = icmp ult v0, v2
            branch v4, block1, block2
        block2:
            panic panic0(v0, v2)
        block1:
            v5: i64 = mul nuw v0, v2
            v6: i64 = add v1, v2
            v7: i64 = add v6, v5
            v8: i32 = load.local v7
            v9: i32 = load.local v1
            v10: i32 = load.local v1 + 20
            v11: i64 = param1
            store.global v11, v8
            store.global v11, v9
            store.global v11, v10
            return
        }",
        expect![[r#"
            kernel k(param0 i: i64, param1 p: i64 ptr align 8) {
                local0 s: 24 align 4
                panic0 index
            block0:
                v0: i64 = param0
                v1: i64 = address local0
                v2: i64 = const 4
                v3: i32 = const 7
                store.local v1 + 4, v3
                store.local v1 + 8, v3
                v4: bool = icmp ult v0, v2
                branch v4, block1, block2
            block2:
                panic panic0(v0, v2)
            block1:
                v5: i64 = mul nuw v0, v2
                v6: i64 = add v1, v2
                v7: i64 = add v6, v5
                v8: i32 = load.local v7
                v11: i64 = param1
                store.global v11, v8
                store.global v11, v3
                store.global v11, v3
                return
            }
        "#]],
    );
}

#[test]
fn references_in_memory() {
    check(
        promote_locals,
        "kernel k(param0 p: i64 ptr align 4) {
            local0 pair: 16 align 8
            local1 x: 4 align 4
        block0:
            v0: i64 = address local0
            v1: i64 = address local1
            v2: i64 = to_generic.local v1
            v3: i64 = param0
            v4: i64 = to_generic.global v3
            store.local v0, v2
            store.local v0 + 8, v4
            v5: i64 = load.local v0
            v6: i32 = const 5
            store.generic v5, v6
            v7: i64 = load.local v0 + 8
            v8: i32 = load.generic v5
            store.generic v7, v8
            return
        }",
        expect![[r#"
            kernel k(param0 p: i64 ptr align 4) {
                local0 pair: 16 align 8
                local1 x: 4 align 4
            block0:
                v3: i64 = param0
                v6: i32 = const 5
                store.global v3, v6
                return
            }
        "#]],
    );
}
