//! Conditions before and after.

use expect_test::expect;

use super::convert_ifs;
use crate::passes::check;

#[test]
fn both_sides_meet() {
    check(
        convert_ifs,
        "kernel k(param0 p: bool, param1 x: f32, param2 a: i32) {
        block0:
            v0: bool = param0
            v1: f32 = param1
            v2: i32 = param2
            branch v0, block1, block2
        block1:
            v3: f32 = fmul v1, v1
            jump block3(v3, v2)
        block2:
            v4: f32 = fneg v1
            jump block3(v4, v2)
        block3(v5: f32, v6: i32):
            store.shared v6, v5
            return
        }",
        expect![[r#"
            kernel k(param0 p: bool, param1 x: f32, param2 a: i32) {
            block0:
                v0: bool = param0
                v1: f32 = param1
                v2: i32 = param2
                v3: f32 = fmul v1, v1
                v4: f32 = fneg v1
                v7: f32 = select v0, v3, v4
                store.shared v2, v7
                return
            }
        "#]],
    );
}

#[test]
fn one_side_alone_and_short_circuits() {
    check(
        convert_ifs,
        "kernel k(param0 a: i32, param1 b: i32) {
        block0:
            v0: i32 = param0
            v1: i32 = param1
            v2: bool = icmp ult v0, v1
            v3: bool = const false
            branch v2, block1, block2(v3)
        block1:
            v4: i32 = add nuw v0, v1
            v5: bool = icmp ult v4, v1
            jump block2(v5)
        block2(v6: bool):
            branch v6, block3, block4
        block3:
            store.shared v0, v1
            jump block4
        block4:
            return
        }",
        expect![[r#"
            kernel k(param0 a: i32, param1 b: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = param1
                v2: bool = icmp ult v0, v1
                v3: bool = const false
                v4: i32 = add v0, v1
                v5: bool = icmp ult v4, v1
                v7: bool = select v2, v5, v3
                branch v7, block3, block4
            block3:
                store.shared v0, v1
                jump block4
            block4:
                return
            }
        "#]],
    );
}

#[test]
fn nested_conditions() {
    check(
        convert_ifs,
        "kernel k(param0 a: i32, param1 b: i32) {
        block0:
            v0: i32 = param0
            v1: i32 = param1
            v2: bool = icmp ult v0, v1
            branch v2, block1, block2
        block1:
            v3: bool = icmp eq v0, v1
            branch v3, block4, block5
        block4:
            jump block6(v0)
        block5:
            jump block6(v1)
        block6(v7: i32):
            jump block3(v7)
        block2:
            v4: i32 = neg v0
            jump block3(v4)
        block3(v5: i32):
            store.shared v5, v5
            return
        }",
        expect![[r#"
            kernel k(param0 a: i32, param1 b: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = param1
                v2: bool = icmp ult v0, v1
                v3: bool = icmp eq v0, v1
                v8: i32 = select v3, v0, v1
                v4: i32 = neg v0
                v9: i32 = select v2, v8, v4
                store.shared v9, v9
                return
            }
        "#]],
    );
}

#[test]
fn a_choice_at_the_end_of_a_loop() {
    check(
        convert_ifs,
        "kernel k(param0 a: i32, param1 p: bool) {
        block0:
            v0: i32 = param0
            v1: bool = param1
            v2: i32 = const 1
            jump block1(v0)
        block1(v3: i32):
            v4: i32 = sub v3, v2
            v5: bool = icmp ult v4, v0
            branch v5, block2, block9
        block2:
            branch v1, block1(v4), block1(v0)
        block9:
            return
        }",
        expect![[r#"
            kernel k(param0 a: i32, param1 p: bool) {
            block0:
                v0: i32 = param0
                v1: bool = param1
                v2: i32 = const 1
                jump block1(v0)
            block1(v3: i32):
                v4: i32 = sub v3, v2
                v5: bool = icmp ult v4, v0
                branch v5, block2, block9
            block2:
                v6: i32 = select v1, v4, v0
                jump block1(v6)
            block9:
                return
            }
        "#]],
    );
}

#[test]
fn what_is_dear_or_has_effects_stays() {
    check(
        convert_ifs,
        "kernel k(param0 p: bool, param1 x: f32, param2 d: f64, param3 a: i32) {
        block0:
            v0: bool = param0
            v1: f32 = param1
            v2: f64 = param2
            v3: i32 = param3
            branch v0, block1, block2(v1)
        block1:
            v10: f32 = fdiv v1, v1
            jump block2(v10)
        block2(v11: f32):
            branch v0, block3, block4(v1)
        block3:
            v12: f32 = load.shared v3
            jump block4(v12)
        block4(v13: f32):
            branch v0, block5, block6(v2)
        block5:
            v14: f64 = fadd v2, v2
            jump block6(v14)
        block6(v15: f64):
            branch v0, block7, block8
        block7:
            barrier
            jump block8
        block8:
            store.shared v3, v11
            store.shared v3, v13
            store.shared v3, v15
            return
        }",
        expect![[r#"
            kernel k(param0 p: bool, param1 x: f32, param2 d: f64, param3 a: i32) {
            block0:
                v0: bool = param0
                v1: f32 = param1
                v2: f64 = param2
                v3: i32 = param3
                branch v0, block1, block2(v1)
            block1:
                v10: f32 = fdiv v1, v1
                jump block2(v10)
            block2(v11: f32):
                branch v0, block3, block4(v1)
            block3:
                v12: f32 = load.shared v3
                jump block4(v12)
            block4(v13: f32):
                branch v0, block5, block6(v2)
            block5:
                v14: f64 = fadd v2, v2
                jump block6(v14)
            block6(v15: f64):
                branch v0, block7, block8
            block7:
                barrier
                jump block8
            block8:
                store.shared v3, v11
                store.shared v3, v13
                store.shared v3, v15
                return
            }
        "#]],
    );
}
