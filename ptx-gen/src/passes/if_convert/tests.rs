//! Conditions before and after.

use expect_test::expect;

use super::{convert_ifs, merge_equal_choices};
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

/// `match x { 1 | 2 => 10, 3 | 4 => 20, 5 | 6 => 30, _ => 40 }`: more comparisons than sides may have otherwise.
#[test]
fn numbers_of_a_match() {
    check(
        convert_ifs,
        "kernel k(param0 x: i32) {
        block0:
            v0: i32 = param0
            v1: i32 = const 1
            v2: i32 = const 2
            v3: i32 = const 3
            v4: i32 = const 4
            v5: i32 = const 5
            v6: i32 = const 6
            v7: bool = icmp eq v0, v1
            branch v7, block10, block1
        block1:
            v8: bool = icmp eq v0, v2
            branch v8, block10, block2
        block2:
            v9: bool = icmp eq v0, v3
            branch v9, block11, block3
        block3:
            v10: bool = icmp eq v0, v4
            branch v10, block11, block4
        block4:
            v11: bool = icmp eq v0, v5
            branch v11, block12, block5
        block5:
            v12: bool = icmp eq v0, v6
            branch v12, block12, block13
        block10:
            v20: i32 = const 10
            jump block6(v20)
        block11:
            v21: i32 = const 20
            jump block6(v21)
        block12:
            v22: i32 = const 30
            jump block6(v22)
        block13:
            v23: i32 = const 40
            jump block6(v23)
        block6(v24: i32):
            store.shared v0, v24
            return
        }",
        expect![[r#"
            kernel k(param0 x: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = const 1
                v2: i32 = const 2
                v3: i32 = const 3
                v4: i32 = const 4
                v5: i32 = const 5
                v6: i32 = const 6
                v7: bool = icmp eq v0, v1
                v20: i32 = const 10
                v8: bool = icmp eq v0, v2
                v9: bool = icmp eq v0, v3
                v21: i32 = const 20
                v10: bool = icmp eq v0, v4
                v11: bool = icmp eq v0, v5
                v22: i32 = const 30
                v12: bool = icmp eq v0, v6
                v23: i32 = const 40
                v25: i32 = select v12, v22, v23
                v26: i32 = select v11, v22, v25
                v27: i32 = select v10, v21, v26
                v28: i32 = select v9, v21, v27
                v29: i32 = select v8, v20, v28
                v30: i32 = select v7, v20, v29
                store.shared v0, v30
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

/// Checks the refusals, with their locations, before the text.
#[track_caller]
fn check_wishes(text: &str, expect: expect_test::Expect) {
    let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
    crate::passes::assert_valid("none yet", &func);
    convert_ifs(&mut func);
    crate::passes::assert_valid("under test", &func);
    let refused = func.remarks.iter().filter_map(|remark| match &remark.kind {
        crate::ir::RemarkKind::Refused(message) => {
            Some(format!("{}:{}: {message}\n", remark.location.line, remark.location.column))
        }
        _ => None,
    });
    let refused: String = refused.collect();
    expect.assert_eq(&if refused.is_empty() { func.to_string() } else { refused });
}

/// A store on each side, to the same location.
#[test]
fn stores_to_the_same_place() {
    check(
        convert_ifs,
        "kernel k(param0 p: bool, param1 x: f32, param2 out: i64 ptr align 4) {
        block0:
            v0: bool = param0
            v1: f32 = param1
            v2: i64 = param2
            v3: i64 = const 4
            branch v0, block1, block2
        block1:
            v4: i64 = add nuw v2, v3
            store.global v4, v1
            jump block3
        block2:
            v5: i64 = add v2, v3
            v6: f32 = const 0.0
            store.global v5, v6
            jump block3
        block3:
            return
        }",
        expect![[r#"
            kernel k(param0 p: bool, param1 x: f32, param2 out: i64 ptr align 4) {
            block0:
                v0: bool = param0
                v1: f32 = param1
                v2: i64 = param2
                v3: i64 = const 4
                v4: i64 = add v2, v3
                v6: f32 = const 0.0
                v7: f32 = select v0, v1, v6
                store.global v4, v7
                return
            }
        "#]],
    );
}

#[test]
fn asked_for() {
    check_wishes(
        "kernel k(param0 p: bool, param1 x: f32, param2 out: i64 ptr align 4, param3 d: i32) {
        block0:
            v0: bool = param0
            v1: f32 = param1
            v2: i64 = param2
            v3: i32 = param3
            branch.predicate v0, block1, block2
        block1:
            v4: f32 = load.global v2
            v5: f32 = load.global v2 + 4
            v6: f32 = fdiv v4, v5
            store.global v2 + 8, v6
            jump block3(v4, v3)
        block2:
            v7: f32 = load.global v2
            v8: i32 = const 100
            v9: i32 = udiv v8, v3
            v10: i32 = atomic_add.global.gpu v2, v9
            jump block3(v7, v10)
        block3(v11: f32, v12: i32):
            store.global v2 + 12, v11
            store.global v2 + 16, v12
            return
        }",
        expect![[r#"
            kernel k(param0 p: bool, param1 x: f32, param2 out: i64 ptr align 4, param3 d: i32) {
            block0:
                v0: bool = param0
                v1: f32 = param1
                v2: i64 = param2
                v3: i32 = param3
                v4: f32 = load.global v2
                v5: f32 = guard v0 load.global v2 + 4
                v6: f32 = fdiv v4, v5
                guard v0 store.global v2 + 8, v6
                v8: i32 = const 100
                v13: i32 = const 1
                v14: i32 = select v0, v13, v3
                v9: i32 = udiv v8, v14
                v10: i32 = guard not v0 atomic_add.global.gpu v2, v9
                v15: i32 = select v0, v3, v10
                store.global v2 + 12, v4
                store.global v2 + 16, v15
                return
            }
        "#]],
    );
}

#[test]
fn asked_for_around_others() {
    check_wishes(
        "kernel k(param0 p: bool, param1 q: bool, param2 out: i64 ptr align 4) {
        block0:
            v0: bool = param0
            v1: bool = param1
            v2: i64 = param2
            v3: i32 = const 1
            v4: i32 = const 2
            branch.predicate v0, block1, block4
        block1:
            store.global v2 + 8, v3
            branch v1, block2, block3
        block2:
            store.global v2, v3
            jump block3
        block3:
            v5: i32 = load.global v2 + 4
            store.global v2 + 4, v4
            jump block5(v5)
        block4:
            branch v1, block6, block5(v3)
        block6:
            store.global v2 + 12, v3
            jump block5(v4)
        block5(v6: i32):
            store.global v2 + 16, v6
            return
        }",
        expect![[r#"
            kernel k(param0 p: bool, param1 q: bool, param2 out: i64 ptr align 4) {
            block0:
                v0: bool = param0
                v1: bool = param1
                v2: i64 = param2
                v3: i32 = const 1
                v4: i32 = const 2
                guard v0 store.global v2 + 8, v3
                v8: bool = and v0, v1
                guard v8 store.global v2, v3
                v5: i32 = guard v0 load.global v2 + 4
                guard v0 store.global v2 + 4, v4
                v9: bool = not v0
                v10: bool = and v9, v1
                guard v10 store.global v2 + 12, v3
                v7: i32 = select v1, v4, v3
                v11: i32 = select v0, v5, v7
                store.global v2 + 16, v11
                return
            }
        "#]],
    );
}

#[test]
fn forbidden() {
    check_wishes(
        "kernel k(param0 p: bool, param1 x: f32) {
        block0:
            v0: bool = param0
            v1: f32 = param1
            v2: i32 = const 0
            branch.keep v0, block1, block2(v1)
        block1:
            v3: f32 = fneg v1
            jump block2(v3)
        block2(v4: f32):
            store.shared v2, v4
            return
        }",
        expect![[r#"
            kernel k(param0 p: bool, param1 x: f32) {
            block0:
                v0: bool = param0
                v1: f32 = param1
                v2: i32 = const 0
                branch.keep v0, block1, block2(v1)
            block1:
                v3: f32 = fneg v1
                jump block2(v3)
            block2(v4: f32):
                store.shared v2, v4
                return
            }
        "#]],
    );
}

/// A condition with this on one side, to be done without a branch.
#[track_caller]
fn check_refused(side: &str, expect: expect_test::Expect) {
    check_wishes(
        &format!(
            "kernel k(param0 p: bool, param1 n: i32) {{
            panic0 index
            block0:
                v0: bool = param0
                v1: i32 = param1
                v2: i32 = const 0xffffffff
                v20: i64 = zext v1
                branch.predicate v0, block1, block9 @0:3:5
            block1:
                {side}
            block9:
                return
            }}"
        ),
        expect,
    );
}

#[test]
fn refused() {
    check_refused(
        "barrier @0:4:9 jump block9",
        expect![[r#"
        3:5: expected sides that can be done under a predicate, found a barrier at 4:9
        help: move it out of the condition, or leave `#[predicate]` out
    "#]],
    );
    check_refused(
        "warp_barrier v2 @0:4:9 jump block9",
        expect![[r#"
        3:5: expected sides that can be done under a predicate, found a collective of the warp at 4:9
        help: move it out of the condition, or leave `#[predicate]` out
    "#]],
    );
    check_refused(
        "jump block2 block2: store.shared v1, v1 branch v0, block2, block9 @0:5:9",
        expect![[r#"
        3:5: expected sides that can be done under a predicate, found a loop at 5:9
        help: unroll it, if the number of its rounds is constant, or leave `#[predicate]` out
    "#]],
    );
    check_refused(
        "branch v0, block3, block2 @0:4:7 block2: panic panic0(v20, v20) block3: store.shared v1, v1 jump block9",
        expect![[r#"
        3:5: expected sides that can be done under a predicate, found a check that can panic at 4:7
        help: make it hold by a condition before this one, or leave `#[predicate]` out
    "#]],
    );
    check_refused(
        "store.shared v1, v1 return @0:4:7",
        expect![[r#"
        3:5: expected sides that can be done under a predicate, found a `return` in one of them
        help: write the condition around what follows instead, or leave `#[predicate]` out
    "#]],
    );
    check_refused(
        "branch.keep v0, block2, block9 @0:4:7 block2: store.shared v1, v1 jump block9",
        expect![[r#"
        3:5: expected sides that can be done under a predicate, found a condition with `#[branch]` at 4:7
        help: leave that out, or leave `#[predicate]` out
    "#]],
    );
    let long: String = (30..60).map(|value| format!("v{value}: i64 = udiv v20, v20 ")).collect();
    check_refused(
        &format!("{long} store.shared v1, v20 jump block9"),
        expect![[r#"
        3:5: expected sides that can be done under a predicate, found work of about 2104 instructions: at most 256 are done in vain
        help: make the sides smaller, or leave `#[predicate]` out
    "#]],
    );
}

#[test]
fn refused_in_loops() {
    check_wishes(
        "kernel k(param0 p: bool, param1 n: i32) {
        block0:
            v0: bool = param0
            v1: i32 = param1
            jump block1
        block1:
            branch.predicate v0, block2, block3 @0:3:5
        block2:
            store.shared v1, v1
            jump block4 @0:4:9
        block3:
            store.shared v1, v1
            branch v0, block1, block4 @0:6:9
        block4:
            return
        }",
        expect![[r#"
            3:5: expected sides that can be done under a predicate, found a `break` or `continue` at 4:9
            help: write the condition around what follows instead, or leave `#[predicate]` out
        "#]],
    );
}

/// The second choice is the first; the third has another condition, the fourth computes something else, the fifth stores.
#[test]
fn equal_choices() {
    let choice = |at: u32, cond: u32, op: &str, more: &str| {
        let [sides, target] = [10 * at, 10 * at + 2];
        format!(
            "    branch v{cond}, block{sides}, block{}
            block{sides}:
                v{sides}0: f32 = const 0x40000000
                v{sides}1: f32 = {op} v1, v{sides}0
                {more}
                jump block{target}(v{sides}1)
            block{}:
                v{sides}2: f32 = fneg v1
                jump block{target}(v{sides}2)
            block{target}(v{sides}3: f32):
                store.shared v2, v{sides}3
            ",
            sides + 1,
            sides + 1,
        )
    };
    let text = format!(
        "kernel k(param0 p: bool, param1 x: f32, param2 a: i32, param3 q: bool) {{
        block0:
            v0: bool = param0
            v1: f32 = param1
            v2: i32 = param2
            v3: bool = param3
        {}{}{}{}{}return
        }}",
        choice(1, 0, "fmul", ""),
        choice(2, 0, "fmul", ""),
        choice(3, 3, "fmul", ""),
        choice(4, 0, "fadd", ""),
        choice(5, 0, "fmul", "store.shared v2, v1"),
    );
    check(
        merge_equal_choices,
        &text,
        expect![[r#"
            kernel k(param0 p: bool, param1 x: f32, param2 a: i32, param3 q: bool) {
            block0:
                v0: bool = param0
                v1: f32 = param1
                v2: i32 = param2
                v3: bool = param3
                branch v0, block10, block11
            block10:
                v100: f32 = const 2.0
                v101: f32 = fmul v1, v100
                jump block12(v101)
            block11:
                v102: f32 = fneg v1
                jump block12(v102)
            block12(v103: f32):
                store.shared v2, v103
                store.shared v2, v103
                branch v3, block30, block31
            block30:
                v300: f32 = const 2.0
                v301: f32 = fmul v1, v300
                jump block32(v301)
            block31:
                v302: f32 = fneg v1
                jump block32(v302)
            block32(v303: f32):
                store.shared v2, v303
                branch v0, block40, block41
            block40:
                v400: f32 = const 2.0
                v401: f32 = fadd v1, v400
                jump block42(v401)
            block41:
                v402: f32 = fneg v1
                jump block42(v402)
            block42(v403: f32):
                store.shared v2, v403
                branch v0, block50, block51
            block50:
                v500: f32 = const 2.0
                v501: f32 = fmul v1, v500
                store.shared v2, v1
                jump block52(v501)
            block51:
                v502: f32 = fneg v1
                jump block52(v502)
            block52(v503: f32):
                store.shared v2, v503
                return
            }
        "#]],
    );
}
