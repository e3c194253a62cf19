//! One branch for checks that follow each other with nothing but arithmetic and loads between them; where it fails, another one says which of them
//! did. Loads, and what is made of what they load, stay behind the branch; a check of that keeps its own.
//!
//! ptxas moves no load over a branch to the front, and loads that stand in front of the first check back behind the last one, next to what uses
//! them: then one waits for the other. In one block they are under way together.
//!
//! A check of an index that is at most another one is not part of the condition, `at < n && at + width < n`: the other says as much. The branch behind
//! the one that fails makes them all, in order. It compares again, so that of a long row no truth value is kept for it: the registers have seven.

use std::collections::HashSet;

use super::checks::{Check, below};
use super::if_convert::cost;
use super::simplify_cfg::count_edges;
use super::unroll::hoist::may_trap;
use crate::analysis::{Cfg, Ranges};
use crate::ir::{
    BinaryOp, Block, BlockCall, EntityMap, Function, Inst, InstData, SourceLoc, Type, UnaryOp, Value,
};

/// The most that the instructions between two checks may cost: only threads that panic execute them in vain.
const MOST_BETWEEN: u32 = 32;

/// See the head of this file.
pub fn join_checks(func: &mut Function) {
    let edges = count_edges(func);
    let (mut gone, mut several): (Vec<Block>, Vec<Several>) = (Vec::new(), Vec::new());
    // Not in the order of the text: no check that is joined to one before has been joined to those behind it.
    for &block in Cfg::new(func).order() {
        let Some(check) = Check::of(func, block).filter(|_| !gone.contains(&block)) else { continue };
        let Some(mut joined) = Joined::of(func, &check) else { continue };
        let mut is_joined = false;
        while let Some(next) = joined.next(func, &edges) {
            is_joined = true;
            gone.extend(joined.add(func, block, next, &edges));
        }
        if is_joined {
            let fails = joined.say_which(func, func.locations[check.inst]);
            let Joined { cond, target, parts, .. } = joined;
            several.push(Several { block, branch: check.inst, fails, parts });
            let if_false = BlockCall { block: fails, args: Vec::new() };
            func.insts[check.inst] = InstData::Branch { cond, if_true: target, if_false, hint: None };
        }
    }
    func.layout.retain(|block| !gone.contains(block));
    several.retain(|it| it.has_common_end(func));
    if !several.is_empty() {
        let ranges = Ranges::new(func);
        let fewer: Vec<_> = several.iter().filter_map(|it| Some((it, it.fewest(func, &ranges)?))).collect();
        fewer.into_iter().for_each(|(it, conds)| it.test(func, &conds));
    }
}

/// Joined checks.
struct Several {
    block: Block,
    branch: Inst,
    /// The first of the blocks that say which one fails.
    fails: Block,
    /// Their conditions.
    parts: Vec<Value>,
}

impl Several {
    /// Returns true if two of them compare with one value.
    fn has_common_end(&self, func: &Function) -> bool {
        let ends: Vec<Value> =
            self.parts.iter().filter_map(|&cond| Some(below(func, cond, true)?.1)).collect();
        ends.iter().enumerate().any(|(at, end)| ends[..at].contains(end))
    }

    /// The conditions that imply all of them, if those are fewer.
    fn fewest(&self, func: &Function, ranges: &Ranges<'_>) -> Option<Vec<Value>> {
        let implies = |other: Value, cond: Value| match (below(func, other, true), below(func, cond, true)) {
            (Some((most, other)), Some((index, end))) => {
                end == other && ranges.has_no_more_terms(index, most, self.block)
            }
            _ => false,
        };
        let mut fewest = self.parts.clone();
        let mut at = 0;
        while let Some(&cond) = fewest.get(at) {
            let is_implied = fewest.iter().enumerate().any(|(by, &other)| by != at && implies(other, cond));
            if is_implied {
                fewest.remove(at);
            } else {
                at += 1;
            }
        }
        (fewest.len() < self.parts.len()).then_some(fewest)
    }

    /// Makes the branch one of these conditions. What only the blocks that panic need is computed there.
    fn test(&self, func: &mut Function, conds: &[Value]) {
        let location = func.locations[self.branch];
        let Some((&first, rest)) = conds.split_first() else { return };
        let mut all = first;
        for &cond in rest {
            let both = InstData::Binary { op: BinaryOp::And, args: [all, cond], no_unsigned_wrap: false };
            all = append(func, self.block, both, location);
        }
        if let InstData::Branch { cond, .. } = &mut func.insts[self.branch] {
            *cond = all;
        }
        let edges = count_edges(func);
        let (mut cold, mut at) = (vec![self.fails], 0);
        while let Some(&block) = cold.get(at) {
            at += 1;
            let next = func.terminator(block).into_iter().flat_map(|last| func.insts[last].successors());
            let next: Vec<Block> = next.map(|call| call.block).collect();
            cold.extend(next.into_iter().filter(|&next| edges[next] == 1));
        }
        let mut insts = std::mem::take(&mut func.blocks[self.block].insts);
        let last = insts.pop();
        let needed = last.map(|last| args_of(func, last)).unwrap_or_default();
        let only_there = taken_by(func, &cold, &mut insts, needed);
        insts.extend(last);
        func.blocks[self.block].insts = insts;
        func.blocks[self.fails].insts.splice(0..0, only_there);
    }
}

/// The values that an instruction uses, those that it passes to blocks among them.
fn args_of(func: &Function, inst: Inst) -> HashSet<Value> {
    let mut args = HashSet::new();
    func.insts[inst].visit_args(|arg| {
        args.insert(arg);
    });
    args
}

/// Checks in a row.
struct Joined {
    /// All of them pass.
    cond: Value,
    /// The block behind them.
    target: BlockCall,
    /// The condition of each.
    parts: Vec<Value>,
    /// The block that panics for each.
    panics: Vec<BlockCall>,
}

impl Joined {
    fn of(func: &mut Function, check: &Check) -> Option<Joined> {
        let InstData::Branch { if_true, if_false, hint: None, .. } = func.insts[check.inst].clone() else {
            return None;
        };
        // With a negation it would be no comparison that a predicate is made of.
        let fails = if check.truth { if_false } else { if_true };
        let target = check.target.clone();
        check.truth.then_some(Joined {
            cond: check.cond,
            target,
            parts: vec![check.cond],
            panics: vec![fails],
        })
    }

    /// Makes the blocks that find the first check that fails, and returns the first of them.
    fn say_which(&self, func: &mut Function, location: SourceLoc) -> Block {
        let mut rest = self.panics.iter().zip(&self.parts).rev();
        let mut next = rest.next().map(|(panic, _)| panic.clone()).unwrap_or_else(|| self.target.clone());
        for (panic, &passes) in rest {
            let block = func.make_block();
            func.layout.push(block);
            let (cond, is_passed) = match func.def(passes) {
                Some(&InstData::Unary { op: UnaryOp::Not, arg }) => (arg, false),
                _ => (passes, true),
            };
            let again = match func.def(cond) {
                Some(compare @ InstData::IntCompare { .. }) => {
                    let (inst, again) = func.make_value(compare.clone(), Type::Bool, location);
                    func.blocks[block].insts.push(inst);
                    again
                }
                _ => cond,
            };
            let [if_true, if_false] = if is_passed { [next, panic.clone()] } else { [panic.clone(), next] };
            let which = InstData::Branch { cond: again, if_true, if_false, hint: None };
            let which = func.make_inst(which, None, location);
            func.blocks[block].insts.push(which);
            next = BlockCall { block, args: Vec::new() };
        }
        next.block
    }

    /// The next check, if all that it needs may be executed in front of the others, and nothing but loads comes before it.
    fn next(&self, func: &Function, edges: &EntityMap<Block, u32>) -> Option<Next> {
        let block = self.target.block;
        let check = Check::of(func, block)?;
        let is_plain = func.blocks[block].params.is_empty()
            && matches!(func.insts[check.inst], InstData::Branch { hint: None, .. });
        if !(edges[block] == 1 && is_plain) {
            return None;
        }
        let (_, between) = func.blocks[block].insts.split_last()?;
        let may_stay = |&&inst: &&Inst| {
            let data = &func.insts[inst];
            data.is_pure() || matches!(data, InstData::Load { .. })
        };
        if !between.iter().all(|inst| may_stay(&inst)) {
            return None;
        }
        let has_loads = between.iter().any(|&inst| !func.insts[inst].is_pure());
        let (front, rest): (Vec<Inst>, Vec<Inst>) = match has_loads {
            true => {
                let needed = needed_by(func, &check, between);
                between.iter().partition(|inst| needed.contains(inst))
            }
            false => (between.to_vec(), Vec::new()),
        };
        let costs = front.iter().map(|&inst| {
            let data = &func.insts[inst];
            let result = func.results[inst].map(|result| func.ty(result));
            if data.is_pure() && !may_trap(func, data) { cost(func, data, result) } else { None }
        });
        let is_short = costs.sum::<Option<u32>>().is_some_and(|cost| cost <= MOST_BETWEEN);
        is_short.then_some(Next { check, front, rest })
    }

    /// Makes a check with the others, at the end of a block. Returns a block that is gone.
    fn add(
        &mut self,
        func: &mut Function,
        block: Block,
        Next { check, front: mut between, rest }: Next,
        edges: &EntityMap<Block, u32>,
    ) -> Option<Block> {
        let location = func.locations[check.inst];
        let InstData::Branch { if_true, if_false, .. } = func.insts[check.inst].clone() else { return None };
        let panic = if check.truth { if_false } else { if_true };
        let is_gone = rest.is_empty();
        func.blocks[check.block].insts = rest;
        if edges[panic.block] == 1 {
            // The branch, which is in no block now, needs its condition and the arguments of both sides.
            let branch = [check.cond].into_iter().chain(check.target.args.clone()).chain(panic.args.clone());
            let only_there = taken_by(func, &[panic.block], &mut between, branch.collect());
            func.blocks[panic.block].insts.splice(0..0, only_there);
        }
        for &inst in &between {
            // A sum that does not wrap where the checks before have passed may wrap in front of their branch.
            if let InstData::Binary { no_unsigned_wrap, .. } = &mut func.insts[inst] {
                *no_unsigned_wrap = false;
            }
        }
        let end = func.blocks[block].insts.len() - 1;
        func.blocks[block].insts.splice(end..end, between);
        let passes = if check.truth {
            check.cond
        } else {
            append(func, block, InstData::Unary { op: UnaryOp::Not, arg: check.cond }, location)
        };
        self.parts.push(passes);
        self.panics.push(panic);
        let both = [self.cond, passes];
        let both = InstData::Binary { op: BinaryOp::And, args: both, no_unsigned_wrap: false };
        self.cond = append(func, block, both, location);
        if is_gone {
            self.target = check.target.clone();
            return Some(check.block);
        }
        // The loads, and with them what comes behind the check, so that the next one follows.
        let BlockCall { block: behind, args } = &check.target;
        if edges[*behind] == 1 && args.is_empty() && *behind != check.block {
            let insts = std::mem::take(&mut func.blocks[*behind].insts);
            func.blocks[check.block].insts.extend(insts);
            return Some(*behind);
        }
        let jump = func.make_inst(InstData::Jump { target: check.target.clone() }, None, location);
        func.blocks[check.block].insts.push(jump);
        None
    }
}

/// A check that is to be made with those before it.
struct Next {
    check: Check,
    /// Instructions in front of it that come in front of the joined branch.
    front: Vec<Inst>,
    /// The others, which stay behind.
    rest: Vec<Inst>,
}

/// The instructions of these, in front of a check, that its condition and its panic need.
fn needed_by(func: &Function, check: &Check, insts: &[Inst]) -> HashSet<Inst> {
    let mut needed: HashSet<Value> = [check.cond].into();
    if let InstData::Branch { if_true, if_false, .. } = &func.insts[check.inst] {
        let panic = if check.truth { if_false } else { if_true };
        needed.extend(&panic.args);
        for &inst in &func.blocks[panic.block].insts {
            func.insts[inst].visit_args(|arg| {
                needed.insert(arg);
            });
        }
    }
    let mut found = HashSet::new();
    for &inst in insts.iter().rev() {
        if func.results[inst].is_some_and(|result| needed.contains(&result)) {
            found.insert(inst);
            func.insts[inst].visit_args(|arg| {
                needed.insert(arg);
            });
        }
    }
    found
}

/// Takes the pure instructions out of these, in order, whose results only some blocks need, and not what is needed elsewhere, these values among it.
fn taken_by(
    func: &Function,
    blocks: &[Block],
    insts: &mut Vec<Inst>,
    mut needed: HashSet<Value>,
) -> Vec<Inst> {
    let others = func.layout.iter().filter(|other| !blocks.contains(other));
    for &inst in others.flat_map(|&other| &func.blocks[other].insts) {
        func.insts[inst].visit_args(|arg| {
            needed.insert(arg);
        });
    }
    let mut taken = Vec::new();
    for at in (0..insts.len()).rev() {
        let inst = insts[at];
        let is_needed = func.results[inst].is_none_or(|result| needed.contains(&result));
        if !is_needed && func.insts[inst].is_pure() {
            taken.push(insts.remove(at));
        } else {
            func.insts[inst].visit_args(|arg| {
                needed.insert(arg);
            });
        }
    }
    taken.reverse();
    taken
}

/// Adds a truth value in front of the branch at the end of a block.
fn append(func: &mut Function, block: Block, data: InstData, location: SourceLoc) -> Value {
    let (inst, value) = func.make_value(data, Type::Bool, location);
    let end = func.blocks[block].insts.len().saturating_sub(1);
    func.blocks[block].insts.insert(end, inst);
    value
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    /// Copies of an unrolled loop stand behind what follows them: a check there is joined to one of theirs, and so are those that follow it.
    #[test]
    fn checks_that_stand_before_those_they_follow() {
        check(
            join_checks,
            "kernel k(param0 a: i64 ptr align 4, param1 n: i64, param2 i: i64 max 2147483647, param3 m: i64 max 2147483647, param4 q: i64 max 2147483647) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = param2
                v3: i64 = param3
                v4: i64 = param4
                v9: i64 = const 9
                v5: i64 = add v2, v3
                v6: i64 = add v2, v4
                jump block5
            block2:
                v10: bool = icmp ult v2, v1
                branch v10, block3, block11
            block3:
                v11: bool = icmp ult v5, v1
                branch v11, block4, block12
            block4:
                v12: bool = icmp ult v6, v1
                branch v12, block8, block13
            block8:
                store.global v0, v2
                return
            block5:
                v13: bool = icmp ult v3, v9
                branch v13, block6, block14
            block6:
                v14: f32 = load.global v0
                v15: bool = icmp ult v4, v9
                branch v15, block2, block15
            block11:
                panic panic0(v2, v1)
            block12:
                panic panic0(v5, v1)
            block13:
                panic panic0(v6, v1)
            block14:
                panic panic0(v3, v9)
            block15:
                panic panic0(v4, v9)
            }",
            expect![[r#"
                kernel k(param0 a: i64 ptr align 4, param1 n: i64, param2 i: i64 max 2147483647, param3 m: i64 max 2147483647, param4 q: i64 max 2147483647) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    v3: i64 = param3
                    v4: i64 = param4
                    v9: i64 = const 9
                    v5: i64 = add v2, v3
                    v6: i64 = add v2, v4
                    jump block5
                block5:
                    v13: bool = icmp ult v3, v9
                    v15: bool = icmp ult v4, v9
                    v11: bool = icmp ult v5, v1
                    v12: bool = icmp ult v6, v1
                    v24: bool = and v13, v15
                    v25: bool = and v24, v11
                    v26: bool = and v25, v12
                    branch v26, block6, block19
                block6:
                    v14: f32 = load.global v0
                    store.global v0, v2
                    return
                block11:
                    panic panic0(v2, v1)
                block12:
                    panic panic0(v5, v1)
                block13:
                    panic panic0(v6, v1)
                block14:
                    panic panic0(v3, v9)
                block15:
                    panic panic0(v4, v9)
                block16:
                    v20: bool = icmp ult v5, v1
                    branch v20, block13, block12
                block17:
                    v21: bool = icmp ult v2, v1
                    branch v21, block16, block11
                block18:
                    v22: bool = icmp ult v4, v9
                    branch v22, block17, block15
                block19:
                    v16: bool = and v13, v15
                    v10: bool = icmp ult v2, v1
                    v17: bool = and v16, v10
                    v18: bool = and v17, v11
                    v19: bool = and v18, v12
                    v23: bool = icmp ult v3, v9
                    branch v23, block18, block14
                }
            "#]],
        );
    }

    /// `x[i + j] + x[i] + x[i + k]` and `y[i]`: `i` is at most `i + j`. Where a sum may wrap it says nothing.
    #[test]
    fn indices_that_others_are_not_below() {
        let text = |most: &str| {
            format!(
                "kernel k(param0 i: i64 max {most}, param1 j: i64 max {most}, param2 k: i64 max {most}, param3 n: i64, param4 m: i64) {{
                    panic0 index
                    panic1 index
                    panic2 index
                    panic3 index
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    v3: i64 = param3
                    v4: i64 = param4
                    v5: i32 = const 0
                    v6: i64 = add v0, v1
                    v7: bool = icmp ult v6, v3
                    branch v7, block1, block11
                block1:
                    v8: bool = icmp ult v0, v3
                    branch v8, block2, block12
                block2:
                    v9: i64 = add v0, v2
                    v10: bool = icmp ult v9, v3
                    branch v10, block3, block13
                block3:
                    v11: bool = icmp ult v0, v4
                    branch v11, block4, block14
                block4:
                    store.shared v5, v9
                    return
                block11:
                    panic panic0(v6, v3)
                block12:
                    panic panic1(v0, v3)
                block13:
                    panic panic2(v9, v3)
                block14:
                    panic panic3(v0, v4)
                }}"
            )
        };
        check(
            join_checks,
            &text("2147483647"),
            expect![[r#"
                kernel k(param0 i: i64 max 2147483647, param1 j: i64 max 2147483647, param2 k: i64 max 2147483647, param3 n: i64, param4 m: i64) {
                    panic0 index
                    panic1 index
                    panic2 index
                    panic3 index
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    v3: i64 = param3
                    v4: i64 = param4
                    v5: i32 = const 0
                    v6: i64 = add v0, v1
                    v7: bool = icmp ult v6, v3
                    v9: i64 = add v0, v2
                    v10: bool = icmp ult v9, v3
                    v11: bool = icmp ult v0, v4
                    v18: bool = and v7, v10
                    v19: bool = and v18, v11
                    branch v19, block4, block17
                block4:
                    store.shared v5, v9
                    return
                block11:
                    panic panic0(v6, v3)
                block12:
                    panic panic1(v0, v3)
                block13:
                    panic panic2(v9, v3)
                block14:
                    panic panic3(v0, v4)
                block15:
                    v15: bool = icmp ult v9, v3
                    branch v15, block14, block13
                block16:
                    v16: bool = icmp ult v0, v3
                    branch v16, block15, block12
                block17:
                    v8: bool = icmp ult v0, v3
                    v12: bool = and v7, v8
                    v13: bool = and v12, v10
                    v14: bool = and v13, v11
                    v17: bool = icmp ult v6, v3
                    branch v17, block16, block11
                }
            "#]],
        );
        check(
            join_checks,
            &text("18446744073709551615"),
            expect![[r#"
                kernel k(param0 i: i64 max 18446744073709551615, param1 j: i64 max 18446744073709551615, param2 k: i64 max 18446744073709551615, param3 n: i64, param4 m: i64) {
                    panic0 index
                    panic1 index
                    panic2 index
                    panic3 index
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    v3: i64 = param3
                    v4: i64 = param4
                    v5: i32 = const 0
                    v6: i64 = add v0, v1
                    v7: bool = icmp ult v6, v3
                    v8: bool = icmp ult v0, v3
                    v12: bool = and v7, v8
                    v9: i64 = add v0, v2
                    v10: bool = icmp ult v9, v3
                    v13: bool = and v12, v10
                    v11: bool = icmp ult v0, v4
                    v14: bool = and v13, v11
                    branch v14, block4, block17
                block4:
                    store.shared v5, v9
                    return
                block11:
                    panic panic0(v6, v3)
                block12:
                    panic panic1(v0, v3)
                block13:
                    panic panic2(v9, v3)
                block14:
                    panic panic3(v0, v4)
                block15:
                    v15: bool = icmp ult v9, v3
                    branch v15, block14, block13
                block16:
                    v16: bool = icmp ult v0, v3
                    branch v16, block15, block12
                block17:
                    v17: bool = icmp ult v6, v3
                    branch v17, block16, block11
                }
            "#]],
        );
    }

    /// Arguments of the block behind the checks stay in front of them, although a panic has them, too.
    #[test]
    fn arguments_behind_the_checks() {
        check(
            join_checks,
            "kernel k(param0 i: i64, param1 j: i64, param2 n: i64) {
                panic0 index
                panic1 index
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = param2
                v3: i32 = const 0
                v4: bool = icmp ult v0, v2
                branch v4, block1, block3
            block1:
                v5: i64 = add v0, v1
                v6: i64 = sub v0, v1
                v7: bool = icmp ult v1, v2
                branch v7, block2(v5), block4
            block2(v8: i64):
                store.shared v3, v8
                return
            block3:
                panic panic0(v0, v2)
            block4:
                v9: i64 = add v5, v6
                panic panic1(v9, v2)
            }",
            expect![[r#"
                kernel k(param0 i: i64, param1 j: i64, param2 n: i64) {
                    panic0 index
                    panic1 index
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    v3: i32 = const 0
                    v4: bool = icmp ult v0, v2
                    v5: i64 = add v0, v1
                    v7: bool = icmp ult v1, v2
                    v10: bool = and v4, v7
                    branch v10, block2(v5), block5
                block2(v8: i64):
                    store.shared v3, v8
                    return
                block3:
                    panic panic0(v0, v2)
                block4:
                    v6: i64 = sub v0, v1
                    v9: i64 = add v5, v6
                    panic panic1(v9, v2)
                block5:
                    v11: bool = icmp ult v0, v2
                    branch v11, block4, block3
                }
            "#]],
        );
    }

    /// `x[i] + x[j]` and `x[k]`, the check of which is made with the others; that of an index which is loaded is not, nor one behind a store.
    #[test]
    fn loads_between_checks() {
        check(
            join_checks,
            "kernel k(param0 i: i64, param1 j: i64, param2 k: i64, param3 n: i64) {
                panic0 index
                panic1 index
                panic2 index
                panic3 index
                panic4 index
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = param2
                v3: i64 = param3
                v9: i32 = const 0
                v4: bool = icmp ult v0, v3
                branch v4, block1, block11
            block1:
                v20: i64 = load.shared v9
                v21: i64 = add v1, v2
                v5: bool = icmp ult v21, v3
                branch v5, block2, block12
            block2:
                v22: i64 = load.shared v9 + 8
                v23: i64 = add nuw v20, v22
                v7: bool = icmp ult v2, v3
                branch v7, block3, block13
            block3:
                v24: i64 = load.shared v9 + 16
                v8: bool = icmp ult v23, v3
                branch v8, block4, block14
            block4:
                store.shared v9, v24
                v10: bool = icmp ult v1, v3
                branch v10, block5, block15
            block5:
                return
            block11:
                panic panic0(v0, v3)
            block12:
                panic panic1(v21, v3)
            block13:
                panic panic2(v2, v3)
            block14:
                panic panic3(v23, v3)
            block15:
                panic panic4(v1, v3)
            }",
            expect![[r#"
                kernel k(param0 i: i64, param1 j: i64, param2 k: i64, param3 n: i64) {
                    panic0 index
                    panic1 index
                    panic2 index
                    panic3 index
                    panic4 index
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    v3: i64 = param3
                    v9: i32 = const 0
                    v4: bool = icmp ult v0, v3
                    v21: i64 = add v1, v2
                    v5: bool = icmp ult v21, v3
                    v25: bool = and v4, v5
                    v7: bool = icmp ult v2, v3
                    v26: bool = and v25, v7
                    branch v26, block1, block17
                block1:
                    v20: i64 = load.shared v9
                    v22: i64 = load.shared v9 + 8
                    v23: i64 = add nuw v20, v22
                    v24: i64 = load.shared v9 + 16
                    v8: bool = icmp ult v23, v3
                    branch v8, block4, block14
                block4:
                    store.shared v9, v24
                    v10: bool = icmp ult v1, v3
                    branch v10, block5, block15
                block5:
                    return
                block11:
                    panic panic0(v0, v3)
                block12:
                    panic panic1(v21, v3)
                block13:
                    panic panic2(v2, v3)
                block14:
                    panic panic3(v23, v3)
                block15:
                    panic panic4(v1, v3)
                block16:
                    v27: bool = icmp ult v21, v3
                    branch v27, block13, block12
                block17:
                    v28: bool = icmp ult v0, v3
                    branch v28, block16, block11
                }
            "#]],
        );
    }

    /// `x[i]; x[j]; x[k]` of which the last two have nothing but arithmetic between them, which may wrap in front of the branch.
    #[test]
    fn checks_in_a_row() {
        check(
            join_checks,
            "kernel k(param0 i: i64, param1 j: i64, param2 k: i64, param3 n: i64) {
                panic0 index
                panic1 index
                panic2 index
                panic3 index
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = param2
                v3: i64 = param3
                v9: i32 = const 0
                v4: bool = icmp ult v0, v3
                branch v4, block1, block11
            block1:
                store.shared v9, v0
                v5: bool = icmp ult v1, v3
                branch v5, block2, block12
            block2:
                v6: i64 = add nuw v2, v1
                v7: bool = icmp uge v6, v3
                branch v7, block13, block3
            block3:
                v8: bool = icmp ult v2, v3
                branch v8, block4, block14
            block4:
                store.shared v9, v6
                return
            block11:
                panic panic0(v0, v3)
            block12:
                panic panic1(v1, v3)
            block13:
                panic panic2(v6, v3)
            block14:
                panic panic3(v2, v3)
            }",
            expect![[r#"
                kernel k(param0 i: i64, param1 j: i64, param2 k: i64, param3 n: i64) {
                    panic0 index
                    panic1 index
                    panic2 index
                    panic3 index
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    v3: i64 = param3
                    v9: i32 = const 0
                    v4: bool = icmp ult v0, v3
                    branch v4, block1, block11
                block1:
                    store.shared v9, v0
                    v5: bool = icmp ult v1, v3
                    v6: i64 = add v2, v1
                    v7: bool = icmp uge v6, v3
                    v10: bool = not v7
                    v11: bool = and v5, v10
                    v8: bool = icmp ult v2, v3
                    v12: bool = and v11, v8
                    branch v12, block4, block16
                block4:
                    store.shared v9, v6
                    return
                block11:
                    panic panic0(v0, v3)
                block12:
                    panic panic1(v1, v3)
                block13:
                    panic panic2(v6, v3)
                block14:
                    panic panic3(v2, v3)
                block15:
                    v13: bool = icmp uge v6, v3
                    branch v13, block13, block14
                block16:
                    v14: bool = icmp ult v1, v3
                    branch v14, block15, block12
                }
            "#]],
        );
    }
}
