//! Removes checks that cannot fail: a branch whose condition the ranges decide becomes a jump.
//!
//! The blocks that panicked go with the next [`simplify_cfg`](super::simplify_cfg).

use crate::analysis::Ranges;
use crate::ir::{
    Block, BlockCall, Function, Inst, InstData, IntCond, PanicKind, PanicSiteData, RemarkKind, SourceLoc,
    Value,
};

/// See the head of this file.
pub fn remove_decided_checks(func: &mut Function) {
    if !func.layout.iter().any(|&block| is_branch(func, block)) {
        return;
    }
    let ranges = Ranges::new(func);
    let decide = |&block: &Block| {
        let inst = func.terminator(block).filter(|_| ranges.cfg().is_reachable(block))?;
        let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[inst] else { return None };
        let (taken, other) = match ranges.decide(*cond, block) {
            Some(true) => (if_true, if_false),
            Some(false) => (if_false, if_true),
            // Proofs take their time, so only what can panic gets one.
            None if panics(func, if_false.block) && ranges.proves_that(*cond, true, block) => {
                (if_true, if_false)
            }
            None if panics(func, if_true.block) && ranges.proves_that(*cond, false, block) => {
                (if_false, if_true)
            }
            None => return None,
        };
        Some((inst, taken.clone(), other.block))
    };
    let decided: Vec<_> = func.layout.iter().filter_map(decide).collect();
    for (inst, target, other) in decided {
        func.insts[inst] = InstData::Jump { target };
        remark_proved(func, other);
    }
}

/// Returns true if a block ends in a panic.
pub(super) fn panics(func: &Function, block: Block) -> bool {
    func.terminator(block).is_some_and(|inst| matches!(func.insts[inst], InstData::Panic { .. }))
}

/// A check: a branch, of which one side panics.
#[derive(Clone)]
pub(super) struct Check {
    pub block: Block,
    pub inst: Inst,
    pub cond: Value,
    /// Value of the condition if the check passes, and the target then.
    pub truth: bool,
    pub target: BlockCall,
}

impl Check {
    /// The check at the end of a block.
    pub fn of(func: &Function, block: Block) -> Option<Check> {
        let inst = func.terminator(block)?;
        let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[inst] else { return None };
        let (truth, target) = match (panics(func, if_true.block), panics(func, if_false.block)) {
            (false, true) => (true, if_true.clone()),
            (true, false) => (false, if_false.clone()),
            (true, true) | (false, false) => return None,
        };
        Some(Check { block, inst, cond: *cond, truth, target })
    }
}

/// `(a, b)` where `a < b`, unsigned, is the same as that the condition is `truth`.
pub(super) fn below(func: &Function, cond: Value, truth: bool) -> Option<(Value, Value)> {
    in_order(func, cond, truth).and_then(|(a, b, or_equal)| (!or_equal).then_some((a, b)))
}

/// `(a, b, or_equal)` where `a < b`, unsigned, or `a <= b`, is the same as that the condition is `truth`.
pub(super) fn in_order(func: &Function, cond: Value, truth: bool) -> Option<(Value, Value, bool)> {
    let Some(&InstData::IntCompare { cond, args: [a, b] }) = func.def(cond) else { return None };
    match if truth { cond } else { cond.inverse() } {
        IntCond::ULt => Some((a, b, false)),
        IntCond::UGt => Some((b, a, false)),
        IntCond::ULe => Some((a, b, true)),
        IntCond::UGe => Some((b, a, true)),
        _ => None,
    }
}

/// The place and the kind of the check whose failure a block is.
pub(super) fn site(func: &Function, block: Block) -> Option<(SourceLoc, PanicKind)> {
    let InstData::Panic { site, .. } = func.insts[func.terminator(block)?] else { return None };
    let PanicSiteData { kind, location, .. } = func.panics[site];
    Some((location, kind))
}

/// If a block panics that a branch does not go to any more: the check was proved.
pub(super) fn remark_proved(func: &mut Function, block: Block) {
    if let Some((location, check)) = site(func, block) {
        func.remark(location, RemarkKind::CheckProved { check });
    }
}

fn is_branch(func: &Function, block: Block) -> bool {
    func.terminator(block).is_some_and(|inst| matches!(func.insts[inst], InstData::Branch { .. }))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::passes::{gvn::number_values, simplify_cfg::simplify_cfg};

    /// The blocks that are left of a kernel, and which of them panic: what stays to be checked.
    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
        crate::passes::assert_valid("none yet", &func);
        simplify_cfg(&mut func);
        number_values(&mut func);
        remove_decided_checks(&mut func);
        simplify_cfg(&mut func);
        crate::passes::assert_valid("under test", &func);
        let ends = func.layout.iter().filter_map(|&block| {
            let inst = func.terminator(block)?;
            Some(format!("{block}: {}\n", func.display_inst(inst)))
        });
        expect.assert_eq(&ends.collect::<String>());
    }

    /// `if n == 0 { return; } loop { if random % n == 0 { break; } }`: the branch leads to the loop itself. Of a divisor that steps it says
    /// nothing.
    #[test]
    fn a_divisor_of_a_loop_that_a_branch_enters() {
        let text = |divisor: &str| {
            format!(
                "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {{
                    panic0 divide_by_zero
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 0
                    v3: i32 = const 1
                    v4: bool = icmp eq v1, v2
                    branch v4, block5, block1(v1)
                block1(v5: i32):
                    v6: i32 = add v5, v3
                    v7: bool = icmp ne {divisor}, v2
                    branch v7, block2, block3
                block2:
                    v8: i32 = urem v6, {divisor}
                    v9: bool = icmp eq v8, v2
                    branch v9, block5, block1(v6)
                block3:
                    panic panic0()
                block5:
                    store.global v0, v1
                    return
                }}"
            )
        };
        check(
            &text("v1"),
            expect![[r#"
            block0: branch v4, block5, block1(v1)
            block1: branch v9, block5, block1(v6)
            block5: return
        "#]],
        );
        check(
            &text("v5"),
            expect![[r#"
            block0: branch v4, block5, block1(v1)
            block1: branch v7, block2, block3
            block2: branch v9, block5, block1(v6)
            block3: panic panic0
            block5: return
        "#]],
        );
    }

    /// Returns true if no check is left of a binary search in `n` elements that goes on while this holds, computes its middle `v11` like this,
    /// and goes on with these as its lower or its upper end.
    fn is_searched(goes_on: &str, middle: &str, [first, last]: [&str; 2]) -> bool {
        let text = format!(
            "kernel k(param0 n: i64, param1 key: i32) {{
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = const 0
                v3: i64 = const 1
                v4: i64 = const 2
                jump block1(v2, v0)
            block1(v5: i64, v6: i64):
                v7: i64 = add v5, v3
                v8: bool = icmp {goes_on}
                branch v8, block2, block9
            block2:
                {middle}
                v12: bool = icmp ult v11, v0
                branch v12, block4, block3
            block3:
                panic panic0(v11, v0)
            block4:
                v13: i32 = load.global v11
                v14: bool = icmp ult v13, v1
                v15: i64 = add v11, v3
                v16: i64 = add v11, v4
                branch v14, block5, block6
            block5:
                jump block1({first}, v6)
            block6:
                jump block1(v5, {last})
            block9:
                return
            }}"
        );
        let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        crate::passes::assert_valid("none yet", &func);
        remove_decided_checks(&mut func);
        simplify_cfg(&mut func);
        !func.layout.iter().any(|&block| panics(&func, block))
    }

    const OF_DISTANCE: &str = "v9: i64 = sub v6, v5\n v10: i64 = lshr v9, v3\n v11: i64 = add v5, v10";
    const OF_SUM: &str = "v9: i64 = add v5, v6\n v10: i64 = const 2\n v11: i64 = udiv v9, v10";

    #[test]
    fn middles_of_binary_searches() {
        for middle in [OF_DISTANCE, OF_SUM] {
            assert!(is_searched("ult v5, v6", middle, ["v15", "v11"]), "{middle}");
            assert!(is_searched("ult v5, v6", middle, ["v15", "v15"]), "{middle}");
            assert!(is_searched("ult v7, v6", middle, ["v11", "v11"]), "{middle}");
        }
    }

    #[test]
    fn middles_that_may_be_the_end() {
        for middle in [OF_DISTANCE, OF_SUM] {
            // `first <= last`, ends in any order, and ends that may grow.
            assert!(!is_searched("ule v5, v6", middle, ["v15", "v11"]), "{middle}");
            assert!(!is_searched("ne v5, v6", middle, ["v15", "v11"]), "{middle}");
            assert!(!is_searched("ult v5, v6", middle, ["v15", "v16"]), "{middle}");
        }
        // Of the whole distance.
        let end = "v9: i64 = sub v6, v5\n v11: i64 = add v5, v9";
        assert!(!is_searched("ult v5, v6", end, ["v15", "v11"]));
    }

    /// `if t < 64 { x[4 * (2 * t + 1) - 1] }` of an array of 512, where `2 * t + 1` is computed before the branch; without the branch the
    /// check stays.
    #[test]
    fn a_guard_behind_what_it_bounds() {
        let text = |guard: &str| {
            format!(
                "kernel k(param0 n: i32) {{
                panic0 index
            block0:
                v0: i32 = special tid.x
                v1: i64 = zext v0
                v2: i64 = const 2
                v3: i64 = const 1
                v4: i64 = mul v1, v2
                v5: i64 = add v4, v3
                v6: i64 = const 4
                v7: i64 = const 512
                v8: i32 = {guard}
                v9: bool = icmp ult v0, v8
                branch v9, block1, block9
            block1:
                v10: i64 = mul v5, v6
                v11: i64 = sub v10, v3
                v12: bool = icmp ult v11, v7
                branch v12, block2, block3
            block3:
                panic panic0(v11, v7)
            block2:
                store.shared v0, v0
                jump block9
            block9:
                return
            }}"
            )
        };
        check(
            &text("const 64"),
            expect![[r#"
            block0: branch v9, block1, block9
            block1: jump block9
            block9: return
        "#]],
        );
        check(
            &text("const 65"),
            expect![[r#"
            block0: branch v9, block1, block9
            block1: branch v12, block2, block3
            block3: panic panic0(v11, v7)
            block2: jump block9
            block9: return
        "#]],
        );
    }

    /// A stack of 24 that starts empty: the check of a push says that what a pop reads is there, if nothing is popped of an empty stack.
    #[test]
    fn pops_of_a_stack() {
        let checks = |empty: &str| {
            let text = format!(
                "kernel k(param0 x: i64 ptr align 4) {{
                panic0 index
            block0:
                v0: i64 = param0
                v1: i64 = const 0
                v2: i64 = const 1
                v3: i64 = const 24
                v4: i32 = const 7
                jump block1(v1)
            block1(v5: i64):
                v6: i32 = load.global v0
                v7: bool = icmp ult v6, v4
                branch v7, block2, block4(v5)
            block2:
                v8: bool = icmp ult v5, v3
                branch v8, block3, block8
            block3:
                v9: i64 = add v5, v2
                jump block1(v9)
            block4(v10: i64):
                v11: bool = icmp eq v10, {empty}
                branch v11, block7, block5
            block5:
                v12: i64 = sub v10, v2
                v13: bool = icmp ult v12, v3
                branch v13, block6, block9
            block6:
                v14: i32 = load.global v12
                v15: bool = icmp ult v14, v4
                branch v15, block1(v12), block4(v12)
            block7:
                return
            block8:
                panic panic0(v5, v3)
            block9:
                panic panic0(v12, v3)
            }}"
            );
            let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
            crate::passes::assert_valid("none yet", &func);
            remove_decided_checks(&mut func);
            simplify_cfg(&mut func);
            func.layout.iter().filter(|&&block| panics(&func, block)).count()
        };
        assert_eq!((checks("v1"), checks("v3")), (1, 2));
    }

    /// `for k in 2..end { if t < k && k - t <= last - first { x[k - t - 1] } }` of `last - first` elements; behind `t <= k` the check stays.
    #[test]
    fn one_less_than_the_distance_of_a_counter() {
        let text = |cond: &str| {
            format!(
                "kernel k(param0 end: i64, param1 first: i32, param2 last: i32) {{
                panic0 index
            block0:
                v0: i32 = special tid.x
                v1: i64 = zext v0
                v2: i64 = param0
                v3: i32 = param1
                v4: i64 = zext v3
                v5: i32 = param2
                v6: i64 = zext v5
                v7: i64 = const 1
                v8: i64 = const 2
                v9: bool = icmp ule v3, v5
                branch v9, block1, block9
            block1:
                v10: i64 = sub nuw v6, v4
                jump block2(v8)
            block2(v11: i64):
                v12: bool = icmp ult v11, v2
                branch v12, block3, block9
            block3:
                v13: bool = icmp {cond} v1, v11
                branch v13, block4, block8
            block4:
                v14: i64 = sub v11, v1
                v15: bool = icmp ule v14, v10
                branch v15, block5, block8
            block5:
                v16: i64 = sub v14, v7
                v17: bool = icmp ult v16, v10
                branch v17, block6, block7
            block6:
                store.shared v0, v0
                jump block8
            block7:
                panic panic0(v16, v10)
            block8:
                v18: i64 = add nuw v11, v7
                jump block2(v18)
            block9:
                return
            }}"
            )
        };
        let is_checked = |cond: &str| {
            let mut func = crate::ir::parse_function(&text(cond)).unwrap_or_else(|error| panic!("{error}"));
            crate::passes::assert_valid("none yet", &func);
            remove_decided_checks(&mut func);
            simplify_cfg(&mut func);
            func.layout.iter().any(|&block| panics(&func, block))
        };
        assert!(!is_checked("ult"));
        assert!(is_checked("ule"));
    }

    #[test]
    fn a_guard_on_the_same_length() {
        check(
            "kernel k(param0 n: i32) {
                panic0 index
            block0:
                v0: i32 = special ctaid.x
                v1: i32 = special ntid.x
                v2: i32 = special tid.x
                v3: i32 = mul nuw v0, v1
                v4: i32 = add nuw v3, v2
                v5: i64 = zext v4
                v6: i32 = param0
                v7: i64 = zext v6
                v8: bool = icmp ult v5, v7
                branch v8, block1, block9
            block1:
                v9: i32 = param0
                v10: i64 = zext v9
                v11: bool = icmp ult v5, v10
                branch v11, block2, block3
            block3:
                panic panic0(v5, v10)
            block2:
                store.shared v4, v4
                jump block9
            block9:
                return
            }",
            expect![[r#"
                block0: branch v8, block2, block9
                block2: jump block9
                block9: return
            "#]],
        );
    }

    /// The check proves that the sum after it does not wrap; the sum's flag proves nothing before.
    #[test]
    fn a_check_before_a_sum_stays() {
        check(
            "kernel k(param0 x: i8) {
                panic0 add_overflow
            block0:
                v0: i8 = param0
                v1: i8 = const -2
                v2: bool = icmp ule v0, v1
                branch v2, block1, block2
            block2:
                panic panic0()
            block1:
                v3: i8 = const 1
                v4: i8 = add nuw v0, v3
                v5: i8 = const 127
                v6: bool = icmp ule v4, v5
                branch v6, block3, block2
            block3:
                return
            }",
            expect![[r#"
                block0: branch v2, block1, block2
                block2: panic panic0
                block1: branch v6, block3, block2
                block3: return
            "#]],
        );
    }

    #[test]
    fn a_guard_that_leaves_early() {
        check(
            "kernel k(param0 n: i32) {
                panic0 index
            block0:
                v0: i32 = special tid.x
                v5: i64 = zext v0
                v6: i32 = param0
                v7: i64 = zext v6
                v8: bool = icmp uge v5, v7
                branch v8, block9, block1
            block1:
                v11: bool = icmp ult v5, v7
                branch v11, block2, block3
            block3:
                panic panic0(v5, v7)
            block2:
                store.shared v0, v0
                return
            block9:
                return
            }",
            expect![[r#"
                block0: branch v8, block9, block1
                block1: return
                block9: return
            "#]],
        );
    }

    #[test]
    fn another_length_stays_checked() {
        check(
            "kernel k(param0 n: i32, param1 m: i32) {
                panic0 index
            block0:
                v0: i32 = special tid.x
                v5: i64 = zext v0
                v6: i32 = param0
                v7: i64 = zext v6
                v8: bool = icmp ult v5, v7
                branch v8, block1, block9
            block1:
                v9: i32 = param1
                v10: i64 = zext v9
                v11: bool = icmp ult v5, v10
                branch v11, block2, block3
            block3:
                panic panic0(v5, v10)
            block2:
                store.shared v0, v0
                jump block9
            block9:
                return
            }",
            expect![[r#"
                block0: branch v8, block1, block9
                block1: branch v11, block2, block3
                block3: panic panic0(v5, v10)
                block2: jump block9
                block9: return
            "#]],
        );
    }

    #[test]
    fn a_loop_over_the_length() {
        check(
            "kernel k(param0 n: i32) {
                panic0 index
            block0:
                v0: i64 = const 0
                v1: i64 = const 1
                v2: i32 = param0
                v3: i64 = zext v2
                jump block1(v0)
            block1(v4: i64):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block9
            block2:
                v6: bool = icmp ult v4, v3
                branch v6, block3, block4
            block4:
                panic panic0(v4, v3)
            block3:
                store.shared v2, v2
                v7: i64 = add nuw v4, v1
                jump block1(v7)
            block9:
                return
            }",
            expect![[r#"
                block0: jump block1(v0)
                block1: branch v5, block3, block9
                block3: jump block1(v7)
                block9: return
            "#]],
        );
    }

    #[test]
    fn a_grid_stride_loop() {
        check(
            "kernel k(param0 n: i32) {
                panic0 index
            block0:
                v0: i32 = special tid.x
                v1: i64 = zext v0
                v2: i32 = param0
                v3: i64 = zext v2
                v8: i32 = special ntid.x
                v9: i64 = zext v8
                jump block1(v1)
            block1(v4: i64):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block9
            block2:
                v6: bool = icmp ult v4, v3
                branch v6, block3, block4
            block4:
                panic panic0(v4, v3)
            block3:
                store.shared v2, v2
                v7: i64 = add v4, v9
                jump block1(v7)
            block9:
                return
            }",
            expect![[r#"
                block0: jump block1(v1)
                block1: branch v5, block3, block9
                block3: jump block1(v7)
                block9: return
            "#]],
        );
    }

    /// `for i in (gid..n).step_by(stride)`.
    #[test]
    fn a_stepped_range() {
        check(
            "kernel k(param0 n: i32) {
                panic0 index
            block0:
                v0: i32 = special tid.x
                v1: i64 = zext v0
                v2: i32 = param0
                v3: i64 = zext v2
                v8: i32 = special ntid.x
                v9: i64 = zext v8
                v10: bool = icmp ult v1, v3
                branch v10, block1, block9
            block1:
                jump block2(v1)
            block2(v4: i64):
                v6: bool = icmp ult v4, v3
                branch v6, block3, block4
            block4:
                panic panic0(v4, v3)
            block3:
                store.shared v2, v2
                v11: i64 = sub nuw v3, v4
                v12: bool = icmp ult v9, v11
                branch v12, block5, block9
            block5:
                v7: i64 = add nuw v4, v9
                jump block2(v7)
            block9:
                return
            }",
            expect![[r#"
                block0: branch v10, block1, block9
                block1: jump block2(v1)
                block2: branch v12, block5, block9
                block5: jump block2(v7)
                block9: return
            "#]],
        );
    }

    /// `for i in (0..n).rev()`.
    #[test]
    fn a_loop_downwards() {
        check(
            "kernel k(param0 n: i32) {
                panic0 index
            block0:
                v0: i64 = const 0
                v1: i64 = const 1
                v2: i32 = param0
                v3: i64 = zext v2
                v5: i64 = sub v3, v1
                v6: bool = icmp ult v0, v3
                branch v6, block1, block9
            block1:
                jump block2(v5)
            block2(v4: i64):
                v7: bool = icmp ult v4, v3
                branch v7, block3, block4
            block4:
                panic panic0(v4, v3)
            block3:
                store.shared v2, v2
                v12: bool = icmp ult v0, v4
                branch v12, block5, block9
            block5:
                v8: i64 = sub nuw v4, v1
                jump block2(v8)
            block9:
                return
            }",
            expect![[r#"
                block0: branch v6, block1, block9
                block1: jump block2(v5)
                block2: branch v12, block5, block9
                block5: jump block2(v8)
                block9: return
            "#]],
        );
    }

    /// `for i in 1..n { x[i - 1]; x[i + 1] }`: only the second can be outside.
    #[test]
    fn neighbours() {
        check(
            "kernel k(param0 n: i32) {
                panic0 index
            block0:
                v1: i64 = const 1
                v2: i32 = param0
                v3: i64 = zext v2
                jump block1(v1)
            block1(v4: i64):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block9
            block2:
                v10: i64 = sub v4, v1
                v6: bool = icmp ult v10, v3
                branch v6, block3, block4
            block4:
                panic panic0(v10, v3)
            block3:
                v11: i64 = add v4, v1
                v12: bool = icmp ult v11, v3
                branch v12, block5, block6
            block6:
                panic panic0(v11, v3)
            block5:
                store.shared v2, v2
                v7: i64 = add nuw v4, v1
                jump block1(v7)
            block9:
                return
            }",
            expect![[r#"
                block0: jump block1(v1)
                block1: branch v5, block2, block9
                block2: branch v12, block5, block6
                block6: panic panic0(v11, v3)
                block5: jump block1(v11)
                block9: return
            "#]],
        );
    }

    #[test]
    fn shared_arrays_of_the_size_of_the_block() {
        check(
            "kernel k() bounds(block 256 1 1) {
                panic0 index
                shared0 tile: 1024 align 4
            block0:
                v0: i32 = special tid.x
                v1: i64 = zext v0
                v2: i64 = const 256
                v3: i32 = address shared0
                v6: bool = icmp ult v1, v2
                branch v6, block3, block4
            block4:
                panic panic0(v1, v2)
            block3:
                store.shared v3, v0
                return
            }",
            expect![[r#"
                block0: return
            "#]],
        );
    }

    #[test]
    fn masks_and_remainders() {
        check(
            "kernel k(param0 p: i64) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i64 = const 255
                v2: i64 = const 256
                v3: i64 = and v0, v1
                v4: bool = icmp ult v3, v2
                branch v4, block1, block9
            block1:
                v5: i64 = urem v0, v2
                v6: bool = icmp ult v5, v2
                branch v6, block2, block9
            block2:
                v7: i64 = const 56
                v8: i64 = lshr v0, v7
                v10: bool = icmp ult v8, v2
                branch v10, block3, block9
            block3:
                v11: i64 = umin v0, v1
                v12: bool = icmp ult v11, v2
                branch v12, block4, block9
            block4:
                v13: bool = icmp ult v0, v2
                branch v13, block5, block9
            block5:
                return
            block9:
                panic panic0(v0, v2)
            }",
            expect![[r#"
                block0: branch v13, block5, block9
                block5: return
                block9: panic panic0(v0, v2)
            "#]],
        );
    }

    /// `let mut s = 128; while s > 0 { if tid < s { tile[tid]; tile[tid + s] } s /= 2; }` on 256 elements.
    #[test]
    fn a_tree_reduction() {
        check(
            "kernel k() bounds(max_threads 256) {
                panic0 index
            block0:
                v0: i32 = special tid.x
                v1: i64 = zext v0
                v2: i64 = const 256
                v3: i64 = const 128
                v4: i64 = const 0
                v5: i64 = const 1
                jump block1(v3)
            block1(v6: i64):
                v7: bool = icmp ugt v6, v4
                branch v7, block2, block9
            block2:
                v8: bool = icmp ult v1, v6
                branch v8, block3, block6
            block3:
                v9: bool = icmp ult v1, v2
                branch v9, block4, block8
            block4:
                v10: i64 = add v1, v6
                v11: bool = icmp ult v10, v2
                branch v11, block5, block8
            block5:
                store.shared v0, v0
                jump block6
            block6:
                v12: i64 = lshr v6, v5
                jump block1(v12)
            block8:
                panic panic0(v1, v2)
            block9:
                return
            }",
            expect![[r#"
                block0: jump block1(v3)
                block1: branch v7, block2, block9
                block2: branch v8, block3, block6
                block3: jump block6
                block6: jump block1(v12)
                block9: return
            "#]],
        );
    }

    /// `for i in 0..n { if i >= 0 && (i as usize) < 100 … }` with signed numbers.
    #[test]
    fn signed_guards() {
        check(
            "kernel k(param0 n: i32) {
                panic0 index
            block0:
                v0: i32 = param0
                v1: i32 = const 0
                v2: bool = icmp sge v0, v1
                branch v2, block1, block9
            block1:
                v3: i32 = const 100
                v4: bool = icmp slt v0, v3
                branch v4, block2, block9
            block2:
                v5: i64 = sext v0
                v6: i64 = const 100
                v7: bool = icmp ult v5, v6
                branch v7, block3, block4
            block4:
                panic panic0(v5, v6)
            block3:
                store.shared v0, v0
                return
            block9:
                return
            }",
            expect![[r#"
                block0: branch v2, block1, block9
                block1: branch v4, block2, block9
                block2: return
                block9: return
            "#]],
        );
    }

    #[test]
    fn division_by_what_is_not_zero() {
        check(
            "kernel k(param0 n: i32) {
                panic0 divide_by_zero
            block0:
                v0: i32 = param0
                v1: i32 = const 0
                v2: bool = icmp ne v0, v1
                branch v2, block1, block9
            block1:
                v3: bool = icmp ne v0, v1
                branch v3, block2, block4
            block2:
                v4: i32 = special ntid.x
                v5: bool = icmp ne v4, v1
                branch v5, block3, block4
            block3:
                v6: i32 = udiv v0, v4
                v7: bool = icmp ule v6, v0
                branch v7, block5, block4
            block5:
                store.shared v0, v6
                return
            block4:
                panic panic0
            block9:
                return
            }",
            expect![[r#"
                block0: branch v2, block2, block9
                block2: return
                block9: return
            "#]],
        );
    }

    /// A loop that counts up is not below its start, and one that wraps is below nothing.
    #[test]
    fn loops_that_grow_are_not_bounded() {
        check(
            "kernel k(param0 n: i32, param1 c: bool) {
                panic0 index
            block0:
                v0: i32 = param0
                v1: i32 = const 1
                v2: bool = param1
                v3: i32 = const 10
                v20: bool = icmp ult v3, v0
                branch v20, block7, block9
            block7:
                jump block1(v3)
            block1(v4: i32):
                v5: bool = icmp ult v4, v0
                branch v5, block2, block3
            block3:
                panic panic0(v6, v6)
            block2:
                v7: i32 = add v4, v1
                branch v2, block1(v7), block9
            block9:
                return
            }"
            .replace("jump block1(v3)", "v6: i64 = zext v0 jump block1(v3)")
            .as_str(),
            expect![[r#"
                block0: branch v20, block7, block9
                block7: jump block1(v3)
                block1: branch v5, block2, block3
                block3: panic panic0(v6, v6)
                block2: branch v2, block1(v7), block9
                block9: return
            "#]],
        );
    }

    /// The bound changes with the loop: what was below the old one need not be below the new one.
    #[test]
    fn bounds_that_change_in_the_loop() {
        check(
            "kernel k(param0 n: i32, param1 c: bool) {
                panic0 index
            block0:
                v0: i32 = param0
                v1: i32 = const 1
                v2: bool = param1
                v3: i32 = const 0
                v6: i64 = const 0
                jump block1(v3, v0)
            block1(v4: i32, v10: i32):
                v5: bool = icmp ult v4, v10
                branch v5, block2, block9
            block2:
                v11: i32 = lshr v10, v1
                v12: bool = icmp ult v4, v11
                branch v12, block4, block3
            block3:
                panic panic0(v6, v6)
            block4:
                jump block1(v4, v11)
            block9:
                return
            }",
            expect![[r#"
                block0: jump block1(v0)
                block1: branch v5, block2, block9
                block2: branch v12, block4, block3
                block3: panic panic0(v6, v6)
                block4: jump block1(v11)
                block9: return
            "#]],
        );
    }

    /// `while i + 3 * s < n { x[i]; x[i + s]; x[i + 2 * s]; i += 4 * s; }`
    #[test]
    fn several_elements_a_turn() {
        check(
            "kernel k(param0 n: i32, param1 s: i32) {
                panic0 index
            block0:
                v0: i32 = special tid.x
                v1: i64 = zext v0
                v2: i32 = param0
                v3: i64 = zext v2
                v4: i32 = param1
                v5: i64 = zext v4
                v6: i64 = const 3
                v7: i64 = const 1
                v8: i64 = const 2
                jump block1(v1)
            block1(v10: i64):
                v11: i64 = mul v5, v6
                v12: i64 = add v10, v11
                v13: bool = icmp ult v12, v3
                branch v13, block2, block9
            block2:
                v14: bool = icmp ult v10, v3
                branch v14, block3, block8
            block3:
                v15: i64 = add v10, v5
                v16: bool = icmp ult v15, v3
                branch v16, block4, block8
            block4:
                v17: i64 = shl v5, v7
                v18: i64 = add v10, v17
                v19: bool = icmp ult v18, v3
                branch v19, block5, block8
            block5:
                store.shared v2, v2
                v20: i64 = shl v5, v8
                v21: i64 = add v10, v20
                jump block1(v21)
            block8:
                panic panic0(v10, v3)
            block9:
                return
            }",
            expect![[r#"
                block0: jump block1(v1)
                block1: branch v13, block2, block9
                block2: jump block1(v21)
                block9: return
            "#]],
        );
    }
}
