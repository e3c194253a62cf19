//! Folding of short circuits: the branches of `a && b` and `a || b` that go to the same place become one.
//!
//! `b` is computed even where `a` decides, so it may be at most [`MOST_WORK`] instructions without effects. ptxas folds
//! the logic into the comparisons: a guard of six conditions is six instructions and one branch. Branches that lead to
//! panics stay: the passes after this one read them as checks.

use super::super::checks::panics;
use super::super::simplify_cfg::count_edges;
use super::cost::cost;
use crate::ir::{
    BinaryOp, Block, BlockCall, EntityMap, Function, Inst, InstData, SourceLoc, Type, UnaryOp, Value,
};

/// The most that the second condition may cost, in instructions.
const MOST_WORK: u32 = 4;
/// The most conditions that are folded into one branch.
const MOST_FOLDED: u32 = 8;

/// See the head of this file.
pub fn fold_short_circuits(func: &mut Function) {
    let mut edges = count_edges(func);
    // From the first condition on: each is weighed alone.
    for index in 0..func.layout.len() {
        let mut folded = 0;
        while folded < MOST_FOLDED && fold(func, func.layout[index], &mut edges) {
            folded += 1;
        }
    }
    func.layout.retain(|&block| !func.blocks[block].insts.is_empty());
}

/// Folds the second condition into the branch at the end of a block.
fn fold(func: &mut Function, block: Block, edges: &mut EntityMap<Block, u32>) -> bool {
    let Some((terminator, outer)) = branch(func, block) else { return false };
    let location = func.locations[terminator];
    for on_true in [true, false] {
        let (inner, common) =
            if on_true { (&outer.if_true, &outer.if_false) } else { (&outer.if_false, &outer.if_true) };
        let second = inner.block;
        let is_alone = edges[second] == 1 && second != block && func.blocks[second].params.is_empty();
        if !is_alone || panics(func, common.block) {
            continue;
        }
        let Some((_, nested)) = branch(func, second) else { continue };
        let common_on_true = nested.if_true == *common;
        if common_on_true == (nested.if_false == *common) || !is_cheap(func, second) {
            continue;
        }
        let (common, onward) =
            (common.clone(), if common_on_true { nested.if_false.clone() } else { nested.if_true.clone() });
        if panics(func, onward.block) {
            continue;
        }
        func.blocks[block].insts.pop();
        let mut moved = std::mem::take(&mut func.blocks[second].insts);
        moved.pop();
        for &inst in &moved {
            // A sum may wrap in cases that the first condition decides.
            if let InstData::Binary { no_unsigned_wrap, .. } = &mut func.insts[inst] {
                *no_unsigned_wrap = false;
            }
        }
        func.blocks[block].insts.extend(moved);
        // With `and` the second condition has to hold on the way onward, with `or` on the way to the common target.
        let nested_cond =
            if common_on_true == on_true { not(func, block, nested.cond, location) } else { nested.cond };
        let op = if on_true { BinaryOp::And } else { BinaryOp::Or };
        let both = InstData::Binary { op, args: [outer.cond, nested_cond], no_unsigned_wrap: false };
        let cond = append(func, block, both, location);
        let (if_true, if_false) = if on_true { (onward, common) } else { (common, onward) };
        edges[if on_true { if_false.block } else { if_true.block }] -= 1;
        edges[second] = 0;
        let data = InstData::Branch { cond, if_true, if_false, hint: None };
        let inst = func.make_inst(data, None, location);
        func.blocks[block].insts.push(inst);
        return true;
    }
    false
}

/// A branch of which the source requests nothing.
struct Branch {
    cond: Value,
    if_true: BlockCall,
    if_false: BlockCall,
}

fn branch(func: &Function, block: Block) -> Option<(Inst, Branch)> {
    let terminator = func.terminator(block)?;
    match &func.insts[terminator] {
        InstData::Branch { cond, if_true, if_false, hint: None } => {
            let branch = Branch { cond: *cond, if_true: if_true.clone(), if_false: if_false.clone() };
            Some((terminator, branch))
        }
        _ => None,
    }
}

/// Returns true if all that a block computes may be computed where it is not reached.
fn is_cheap(func: &Function, block: Block) -> bool {
    let Some((_, before)) = func.blocks[block].insts.split_last() else { return false };
    let mut work = 0;
    for &inst in before {
        let data = &func.insts[inst];
        let Some(more) = cost(func, data, func.results[inst].map(|value| func.ty(value))) else {
            return false;
        };
        if !data.is_pure() {
            return false;
        }
        work += more;
    }
    work <= MOST_WORK
}

/// The opposite of a condition.
fn not(func: &mut Function, block: Block, cond: Value, location: SourceLoc) -> Value {
    let data = match func.def(cond) {
        Some(&InstData::IntCompare { cond, args }) => InstData::IntCompare { cond: cond.inverse(), args },
        _ => InstData::Unary { op: UnaryOp::Not, arg: cond },
    };
    append(func, block, data, location)
}

fn append(func: &mut Function, block: Block, data: InstData, location: SourceLoc) -> Value {
    let (inst, value) = func.make_value(data, Type::Bool, location);
    func.blocks[block].insts.push(inst);
    value
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::super::check;
    use super::*;

    #[test]
    fn what_is_computed_in_vain_may_wrap() {
        check(
            fold_short_circuits,
            "kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: bool = icmp ule v2, v1
                branch v3, block1, block3
            block1:
                v4: i32 = sub nuw v1, v2
                v5: bool = icmp ult v4, v2
                branch v5, block2, block3
            block2:
                store.global v0, v4
                jump block3
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: bool = icmp ule v2, v1
                    v4: i32 = sub v1, v2
                    v5: bool = icmp ult v4, v2
                    v6: bool = and v3, v5
                    branch v6, block2, block3
                block2:
                    store.global v0, v4
                    jump block3
                block3:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn conditions_of_a_guard_become_one() {
        check(
            fold_short_circuits,
            "kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 1
                v4: bool = icmp uge v1, v3
                branch v4, block1, block4
            block1:
                v5: i32 = add v1, v3
                v6: bool = icmp uge v5, v2
                branch v6, block4, block2
            block2:
                v7: bool = icmp eq v1, v2
                branch v7, block3, block5
            block3:
                store.global v0, v1
                return
            block5:
                v8: bool = icmp eq v5, v2
                branch v8, block3, block4
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i32 = const 1
                    v4: bool = icmp uge v1, v3
                    v5: i32 = add v1, v3
                    v6: bool = icmp uge v5, v2
                    v9: bool = icmp ult v5, v2
                    v10: bool = and v4, v9
                    branch v10, block2, block4
                block2:
                    v7: bool = icmp eq v1, v2
                    v8: bool = icmp eq v5, v2
                    v11: bool = or v7, v8
                    branch v11, block3, block4
                block3:
                    store.global v0, v1
                    return
                block4:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn what_stays() {
        // A second condition that loads; one that others reach; a check; a common target with other arguments.
        check(
            fold_short_circuits,
            "kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 n: i64) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = param2
                v3: i32 = const 1
                v4: bool = icmp uge v1, v3
                branch v4, block1, block2
            block1:
                v5: i32 = load.global v0
                v6: bool = icmp uge v5, v3
                branch v6, block3, block2
            block2:
                v7: bool = icmp eq v1, v3
                branch v7, block3, block4
            block3:
                v8: bool = icmp ult v1, v3
                branch v8, block5(v1), block6
            block6:
                v9: bool = icmp eq v1, v3
                branch v9, block5(v3), block4
            block5(v10: i32):
                store.global v0, v10
                return
            block4:
                v11: bool = icmp ult v1, v3
                branch v11, block7, block8
            block7:
                v12: bool = icmp eq v1, v3
                branch v12, block9, block8
            block8:
                panic panic0(v2, v2)
            block9:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 n: i64) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = param2
                    v3: i32 = const 1
                    v4: bool = icmp uge v1, v3
                    branch v4, block1, block2
                block1:
                    v5: i32 = load.global v0
                    v6: bool = icmp uge v5, v3
                    branch v6, block3, block2
                block2:
                    v7: bool = icmp eq v1, v3
                    branch v7, block3, block4
                block3:
                    v8: bool = icmp ult v1, v3
                    branch v8, block5(v1), block6
                block6:
                    v9: bool = icmp eq v1, v3
                    branch v9, block5(v3), block4
                block5(v10: i32):
                    store.global v0, v10
                    return
                block4:
                    v11: bool = icmp ult v1, v3
                    branch v11, block7, block8
                block7:
                    v12: bool = icmp eq v1, v3
                    branch v12, block9, block8
                block8:
                    panic panic0(v2, v2)
                block9:
                    return
                }
            "#]],
        );
    }
}
