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
                local0 indexed: 16 align 16
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
                local0 s: 24 align 16
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

/// Promotes a kernel with a stack of four words, whose slots `block0` sets to zero, and counts the zeros that are left.
fn zeros_left(blocks: &str) -> usize {
    let head = "kernel k(param0 n: i64, param1 x: i32) {
            local0 stack: 16 align 4
            panic0 index \"stack\" @0:1:1
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = address local0
            v3: i32 = const 0
            store.local v2, v3
            store.local v2 + 4, v3
            store.local v2 + 8, v3
            store.local v2 + 12, v3
            v4: i64 = const 4
            v5: i64 = const 1
            v6: i64 = const 0";
    let mut module = crate::ir::parse_module(&format!("{head}\n{blocks}\n}}")).unwrap();
    let func = &mut module.functions[0];
    promote_locals(func);
    crate::verify::verify_function(func).unwrap();
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let is_zero = |value| func.constant(value) == Some(0);
    insts.filter(|&&inst| matches!(func.insts[inst], InstData::Store { value, .. } if is_zero(value))).count()
}

/// Pushes twice, then pops until nothing is left; `pop` is the code that reads, and its block's number is 5.
fn pops(pop: &str) -> String {
    format!(
        "jump block1(v6)
        block1(v10: i64):
            v11: bool = icmp ult v10, v4
            branch v11, block2, block3(v10)
        block2:
            v12: i64 = mul v10, v4
            v13: i64 = add v2, v12
            store.local v13, v1
            v14: i64 = add v10, v5
            jump block1(v14)
        block3(v20: i64):
            v21: bool = icmp ne v20, v6
            branch v21, block5, block4
        block4:
            return
        block5:
            {pop}
        block6:
            panic panic0(v20, v4)"
    )
}

#[test]
fn zeros_of_a_stack() {
    let pop = "v22: i64 = sub v20, v5
            v23: bool = icmp ult v22, v4
            branch v23, block7, block6
        block7:
            v24: i64 = mul v22, v4
            v25: i64 = add v2, v24
            v26: i32 = load.local v25
            store.shared v3, v26
            jump block3(v22)";
    assert_eq!(zeros_left(&pops(pop)), 0);
    // The slot at the top is not below it.
    assert_eq!(zeros_left(&pops(&pop.replace("mul v22", "mul v20"))), 4);
    // Less two may be below zero, which would be far above.
    let by_two = pop.replace("jump block3(v22)", "v27: i64 = sub v22, v5\n jump block3(v27)");
    assert_eq!(zeros_left(&pops(&by_two)), 4);
    // Something else that the loop passes.
    assert_eq!(zeros_left(&pops(&pop.replace("jump block3(v22)", "jump block3(v0)"))), 4);
    // A push that leaves a slot out.
    assert_eq!(zeros_left(&pops(pop).replace("add v10, v5", "add v10, v4")), 4);
    // A stack that starts with one slot, which is zero.
    assert_eq!(zeros_left(&pops(pop).replace("jump block1(v6)", "jump block1(v5)")), 1);
}

#[test]
fn zeros_of_a_list() {
    let read = |compare: &str| {
        pops(&format!(
            "jump block7(v6)
        block7(v30: i64):
            v31: i64 = sub v20, v5
            v32: bool = icmp {compare}
            branch v32, block8, block4
        block8:
            v33: bool = icmp ult v30, v4
            branch v33, block9, block6
        block9:
            v34: i64 = mul v30, v4
            v35: i64 = add v2, v34
            v36: i32 = load.local v35
            store.shared v3, v36
            v37: i64 = add v30, v5
            jump block7(v37)"
        ))
    };
    assert_eq!(zeros_left(&read("ult v30, v20")), 0);
    assert_eq!(zeros_left(&read("ugt v20, v30")), 0);
    assert_eq!(zeros_left(&read("ule v30, v20")), 4);
    assert_eq!(zeros_left(&read("ult v20, v30")), 4);
    // The difference may have wrapped.
    assert_eq!(zeros_left(&read("ult v30, v31")), 4);
    assert_eq!(zeros_left(&read("ult v30, v0")), 4);
}

#[test]
fn values_that_come_after_the_first_slot_stay() {
    // The loop sets any slot, the first one among them, once it has its own value.
    let code = |before: &str, after: &str| {
        format!(
            "{before}
            jump block1(v6)
        block1(v10: i64):
            v11: bool = icmp ult v10, v4
            branch v11, block2, block3
        block2:
            v12: i64 = mul v10, v4
            v13: i64 = add v2, v12
            store.local v13, v3
            v14: i64 = add v10, v5
            jump block1(v14)
        block3:
            {after}
            jump block4(v5)
        block4(v20: i64):
            v22: i64 = sub v20, v5
            v23: bool = icmp ult v22, v4
            branch v23, block7, block6
        block7:
            v24: i64 = mul v22, v4
            v25: i64 = add v2, v24
            v26: i32 = load.local v25
            store.shared v3, v26
            jump block4(v22)
        block6:
            panic panic0(v20, v4)"
        )
    };
    let first = "store.local v2, v1";
    assert_eq!(zeros_left(&code("", first)), 1);
    assert_eq!(zeros_left(&code(first, "")), 2);
}
