//! Makes the check of a short conditional access in front of the condition: of `if c { check(k); v += x[i]; }` it becomes
//! `check(!c || k); if c { v += x[i]; }`.
//!
//! The side is a few instructions without a branch then, which ptxas predicates: its load is under way with those around it, and no
//! lane waits for others. Only what is cheap and pure stands before the check, and is computed in any case.

use super::checks::panics;
use super::simplify_cfg::count_edges;
use crate::ir::{BinaryOp, Block, BlockCall, Function, Inst, InstData, Type, UnaryOp};

/// The most instructions before the check.
const MOST_BEFORE: usize = 4;
/// The most instructions behind it, which ptxas predicates.
const MOST_BEHIND: usize = 8;

/// See the head of this file.
pub fn hoist_conditional_checks(func: &mut Function) {
    let edges = count_edges(func);
    for block in func.layout.clone() {
        let Some(terminator) = func.terminator(block) else { continue };
        let InstData::Branch { cond, if_true, if_false, hint: None } = func.insts[terminator].clone() else {
            continue;
        };
        for (takes, side, other) in [(true, &if_true, &if_false), (false, &if_false, &if_true)] {
            let has_one_edge = |call: &BlockCall| call.args.is_empty() && edges[call.block] == 1;
            if !has_one_edge(side) {
                continue;
            }
            let Some((check, behind, panic)) = check(func, side.block) else { continue };
            let goes_on = func.successors(behind.block).eq([other.block]);
            if has_one_edge(&behind) && has_one_edge(&panic) && goes_on && is_short(func, behind.block) {
                hoist(func, block, side.block, takes, check);
                let branch = match takes {
                    true => InstData::Branch { cond, if_true: behind, if_false: other.clone(), hint: None },
                    false => InstData::Branch { cond, if_true: other.clone(), if_false: behind, hint: None },
                };
                let location = func.locations[terminator];
                let branch = func.make_inst(branch, None, location);
                func.blocks[side.block].insts.push(branch);
                break;
            }
        }
    }
}

/// The branch of a check that ends a block of a few cheap instructions, where it goes on, and the block that panics.
fn check(func: &Function, block: Block) -> Option<(Inst, BlockCall, BlockCall)> {
    let (&terminator, before) = func.blocks[block].insts.split_last()?;
    let InstData::Branch { if_true, if_false, .. } = &func.insts[terminator] else { return None };
    let (behind, panic) = match (panics(func, if_true.block), panics(func, if_false.block)) {
        (false, true) => (if_true, if_false),
        (true, false) => (if_false, if_true),
        (true, true) | (false, false) => return None,
    };
    let are_cheap = before.len() <= MOST_BEFORE && before.iter().all(|&inst| is_cheap(&func.insts[inst]));
    are_cheap.then(|| (terminator, behind.clone(), panic.clone()))
}

fn is_cheap(data: &InstData) -> bool {
    match data {
        InstData::Const { .. }
        | InstData::Unary { .. }
        | InstData::Convert { .. }
        | InstData::Select { .. }
        | InstData::IntCompare { .. } => true,
        InstData::Binary { op, .. } => matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::LShr
                | BinaryOp::AShr
        ),
        _ => false,
    }
}

/// Returns true for a block that ptxas predicates: loads, stores and cheap instructions.
fn is_short(func: &Function, block: Block) -> bool {
    let insts = &func.blocks[block].insts;
    insts.len() <= MOST_BEHIND
        && insts.iter().rev().skip(1).all(|&inst| {
            let data = &func.insts[inst];
            data.is_pure() || matches!(data, InstData::Load { .. } | InstData::Store { .. })
        })
}

/// Moves the instructions of a side to the end of the block before it, and makes its check there, for the threads that take the side.
fn hoist(func: &mut Function, block: Block, side: Block, takes: bool, check: Inst) {
    let Some(terminator) = func.blocks[block].insts.pop() else { return };
    let InstData::Branch { cond: takes_true, .. } = func.insts[terminator] else { return };
    let moved = std::mem::take(&mut func.blocks[side].insts);
    for &inst in &moved {
        // A sum that does not wrap in the side may wrap before the branch.
        if let InstData::Binary { no_unsigned_wrap, .. } = &mut func.insts[inst] {
            *no_unsigned_wrap = false;
        }
    }
    func.blocks[block].insts.extend(moved.into_iter().filter(|&inst| inst != check));
    let location = func.locations[check];
    let push = |func: &mut Function, data: InstData| {
        let (inst, value) = func.make_value(data, Type::Bool, location);
        func.blocks[block].insts.push(inst);
        value
    };
    let InstData::Branch { cond: holds, if_true, if_false, hint } = func.insts[check].clone() else { return };
    let goes_on = !panics(func, if_true.block);
    let passes_by =
        if takes { push(func, InstData::Unary { op: UnaryOp::Not, arg: takes_true }) } else { takes_true };
    let holds = if goes_on { holds } else { push(func, InstData::Unary { op: UnaryOp::Not, arg: holds }) };
    let or = InstData::Binary { op: BinaryOp::Or, args: [passes_by, holds], no_unsigned_wrap: false };
    let cond = push(func, or);
    let panic = if goes_on { if_false } else { if_true };
    let next = BlockCall { block: side, args: Vec::new() };
    let branch = InstData::Branch { cond, if_true: next, if_false: panic, hint };
    let branch = func.make_inst(branch, None, location);
    func.blocks[block].insts.push(branch);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::passes::check as check_pass;

    /// A load behind a condition and its check; `before` stands before the check, `behind` behind it.
    fn kernel(branch: &str, before: &str, behind: &str) -> String {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 n: i64, param2 i: i64) {{
                panic0 index \"x\" @0:1:1
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = param2
                v3: i64 = const 32
                v4: bool = icmp ult v2, v3
                {branch}
            block1:
                {before}
                v6: bool = icmp ult v2, v1
                branch v6, block3, block4
            block3:
                v7: i64 = load.global v0 + 8
                {behind}
                jump block2(v7)
            block2(v8: i64):
                store.global v0, v8
                return
            block4:
                panic panic0(v2, v1)
            }}"
        )
    }

    #[test]
    fn a_check_of_one_element() {
        check_pass(
            hoist_conditional_checks,
            &kernel("branch v4, block1, block2(v1)", "v5: i64 = add v1, v2", ""),
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 n: i64, param2 i: i64) {
                    panic0 index "x" @0:1:1
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    v3: i64 = const 32
                    v4: bool = icmp ult v2, v3
                    v5: i64 = add v1, v2
                    v6: bool = icmp ult v2, v1
                    v9: bool = not v4
                    v10: bool = or v9, v6
                    branch v10, block1, block4
                block1:
                    branch v4, block3, block2(v1)
                block3:
                    v7: i64 = load.global v0 + 8
                    jump block2(v7)
                block2(v8: i64):
                    store.global v0, v8
                    return
                block4:
                    panic panic0(v2, v1)
                }
            "#]],
        );
        check_pass(
            hoist_conditional_checks,
            &kernel("branch v4, block2(v1), block1", "", ""),
            expect![[r#"
            kernel k(param0 x: i64 ptr align 4, param1 n: i64, param2 i: i64) {
                panic0 index "x" @0:1:1
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = param2
                v3: i64 = const 32
                v4: bool = icmp ult v2, v3
                v6: bool = icmp ult v2, v1
                v9: bool = or v4, v6
                branch v9, block1, block4
            block1:
                branch v4, block2(v1), block3
            block3:
                v7: i64 = load.global v0 + 8
                jump block2(v7)
            block2(v8: i64):
                store.global v0, v8
                return
            block4:
                panic panic0(v2, v1)
            }
        "#]],
        );
    }

    #[test]
    fn sides_that_keep_their_branch() {
        let branch = "branch v4, block1, block2(v1)";
        for (before, behind) in [
            // Divisions and loads stay behind the condition.
            ("v5: i64 = udiv v1, v2", ""),
            ("v5: i64 = load.global v0", ""),
            ("", "barrier"),
            (
                "",
                "store.global v0, v1\n store.global v0, v2\n store.global v0, v1\n store.global v0, v2\n store.global v0, v1\n store.global v0, v2\n store.global v0, v1",
            ),
        ] {
            let text = kernel(branch, before, &behind.replace("\\\n", "\n"));
            let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let unchanged = func.clone();
            hoist_conditional_checks(&mut func);
            assert_eq!(func.to_string(), unchanged.to_string());
        }
    }
}
