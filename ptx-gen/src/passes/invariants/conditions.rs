//! Invariant parts of conditions: `x >= 0 && y >= 0 && x < w && y < h` in a loop over `x` tests `y >= 0 && y < h` in front of it, and
//! takes one predicate into the loop. Of conditions that are invariant as a whole, each of several comparisons, a loop takes
//! a few as predicates, and more as the bits of a mask: a test of a bit is one instruction, and a thread has seven predicates.

use std::collections::{HashMap, HashSet};

use super::may_move;
use crate::analysis::{Loop, register_pressure};
use crate::ir::{BinaryOp, Block, EntityMap, Function, Inst, InstData, IntCond, Type, Value, ValueDef};
use crate::passes::unroll::hoist::Inside;

/// Maximum number of predicates that are taken into one loop.
const MOST_PREDICATES: usize = 2;
/// Register pressure of a function that gets masks. Kernels of products by tensor cores have 184 and more, of ordinary ones few as much as
/// half of that; ptxas 13.0 spilled for another register in loops.
const MOST_PRESSURE: u32 = 160;
/// Conditions in one mask.
const MOST_BITS: usize = 31;

/// Joins the invariant parts of the conjunctions and disjunctions of a loop to one value each, and returns what computes these, in an
/// order in which it can be computed.
pub(super) fn gather(func: &mut Function, around: &Loop, inside: &mut Inside) -> Vec<(Block, Inst)> {
    let mut found = Vec::new();
    for Condition { block, inst, op, parts, inner } in conditions(func, around, inside) {
        let is_fixed = |part: &Value| !inside.has(*part) || is_invariant(func, inside, *part);
        let (fixed, varying): (Vec<Value>, Vec<Value>) = parts.into_iter().partition(is_fixed);
        // Joined last, by the instruction that is there.
        let Some((&last, varying)) = varying.split_last() else { continue };
        let new: Vec<Value> = fixed.iter().copied().filter(|&part| inside.has(part)).collect();
        let moved: Vec<_> = around
            .blocks
            .iter()
            .flat_map(|&home| insts_of(func, home, &new).map(move |inst| (home, inst)))
            .collect();
        if moved.is_empty() || found.len() >= MOST_PREDICATES {
            continue;
        }
        new.into_iter().for_each(|part| inside.leave(part));
        let location = func.locations[inst];
        let mut joined = Vec::new();
        let mut join = |before: Value, part: &Value| {
            let data = InstData::Binary { op, args: [before, *part], no_unsigned_wrap: false };
            let (inst, value) = func.make_value(data, Type::Bool, location);
            joined.push(inst);
            value
        };
        let Some((first, others)) = fixed.split_first() else { continue };
        let together = others.iter().fold(*first, &mut join);
        let before = varying.iter().fold(together, &mut join);
        func.insts[inst] = InstData::Binary { op, args: [before, last], no_unsigned_wrap: false };
        for &home in &around.blocks {
            func.blocks[home].insts.retain(|other| !inner.contains(other));
        }
        let at = func.blocks[block].insts.iter().position(|&other| other == inst).unwrap_or(0);
        let invariant = joined[..others.len()].iter().map(|&inst| (block, inst));
        found.push(moved.into_iter().chain(invariant).collect::<Vec<_>>());
        func.blocks[block].insts.splice(at..at, joined);
    }
    found.into_iter().flatten().collect()
}

/// Returns true for a function that fills the registers of a thread: another value that lives through its loops may be kept in memory.
pub(in crate::passes) fn fills_registers(func: &Function) -> bool {
    register_pressure(func) > MOST_PRESSURE
}

/// Takes the conditions of a loop that are invariant as a whole out of it, and what is chosen by them. Returns what computes them, in
/// an order in which it can be computed. None from functions that fill the registers of a thread; whether this one does is found once.
pub(super) fn take_whole(
    func: &mut Function,
    around: &Loop,
    inside: &mut Inside,
    is_crowded: &mut Option<bool>,
) -> Vec<(Block, Inst)> {
    let Some(whole) = Whole::find(func, around, inside) else { return Vec::new() };
    if *is_crowded.get_or_insert_with(|| fills_registers(func)) {
        return Vec::new();
    }
    let (mut taken, mut copies) = (Vec::new(), HashMap::new());
    for &(block, inst, result) in &whole.parts {
        let mut data = func.insts[inst].clone();
        data.map_args(|arg| copies.get(&arg).copied().unwrap_or(arg));
        let (inst, copy) = func.make_value(data, func.ty(result), func.locations[inst]);
        copies.insert(result, copy);
        taken.push((block, inst));
    }
    let mut instead: HashMap<Value, Value> =
        whole.choices.iter().chain(&whole.conditions).map(|value| (*value, copies[value])).collect();
    if whole.conditions.len() > MOST_PREDICATES {
        let mut mask = None;
        for (bit, condition) in whole.conditions.iter().enumerate() {
            let Some(&(block, inst, _)) = whole.parts.iter().find(|(_, _, result)| result == condition)
            else {
                continue;
            };
            let location = func.locations[inst];
            let mut number = |bits| func.make_value(InstData::Const { bits }, Type::I32, location);
            let ((_, one), (_, zero)) = (number(1 << bit), number(0));
            let chosen = InstData::Select { cond: copies[condition], if_true: one, if_false: zero };
            let (chosen, chosen_bit) = func.make_value(chosen, Type::I32, location);
            taken.push((block, chosen));
            mask = Some(match mask {
                None => chosen_bit,
                Some(mask) => {
                    let data = InstData::Binary {
                        op: BinaryOp::Or,
                        args: [mask, chosen_bit],
                        no_unsigned_wrap: false,
                    };
                    let (joined, mask) = func.make_value(data, Type::I32, location);
                    taken.push((block, joined));
                    mask
                }
            });
        }
        let Some(mask) = mask else { return Vec::new() };
        for (bit, &condition) in whole.conditions.iter().enumerate() {
            let test = test_bit(func, &around.blocks, inside, condition, (mask, bit));
            instead.extend(test.map(|test| (condition, test)));
        }
    }
    for (_, inst) in insts_in(func, &around.blocks) {
        if !whole.fixed.contains(&inst) {
            func.insts[inst].map_args(|arg| instead.get(&arg).copied().unwrap_or(arg));
        }
    }
    remove_unused(func, &whole.parts);
    taken
}

/// Removes instructions whose results nothing needs any more.
fn remove_unused(func: &mut Function, parts: &[(Block, Inst, Value)]) {
    let mut uses = count_uses(func);
    for &(block, inst, result) in parts.iter().rev() {
        if uses[result] == 0 {
            func.insts[inst].visit_args(|arg| uses[arg] -= 1);
            func.blocks[block].insts.retain(|&other| other != inst);
        }
    }
}

/// Computes where a condition is computed whether a bit of a mask is set.
fn test_bit(
    func: &mut Function,
    blocks: &[Block],
    inside: &mut Inside,
    condition: Value,
    (mask, bit): (Value, usize),
) -> Option<Value> {
    let is_here = |inst: &Inst| func.results[*inst] == Some(condition);
    let (block, at) =
        blocks.iter().find_map(|&block| Some((block, func.blocks[block].insts.iter().position(is_here)?)))?;
    let location = func.locations[func.blocks[block].insts[at]];
    let (one, bits) = func.make_value(InstData::Const { bits: 1 << bit }, Type::I32, location);
    let (none, zero) = func.make_value(InstData::Const { bits: 0 }, Type::I32, location);
    let and = InstData::Binary { op: BinaryOp::And, args: [mask, bits], no_unsigned_wrap: false };
    let (and, masked) = func.make_value(and, Type::I32, location);
    let compare = InstData::IntCompare { cond: IntCond::Ne, args: [masked, zero] };
    let (compare, test) = func.make_value(compare, Type::Bool, location);
    func.blocks[block].insts.splice(at..at, [one, none, and, compare]);
    [bits, zero, masked, test].into_iter().for_each(|value| inside.enter(value));
    Some(test)
}

/// The conditions of a loop that are invariant as a whole.
struct Whole {
    /// Every instruction of the loop that is invariant.
    fixed: HashSet<Inst>,
    /// Conditions of several comparisons, with uses outside of `fixed`.
    conditions: Vec<Value>,
    /// Integers that depend on comparisons, with uses outside of `fixed`.
    choices: Vec<Value>,
    /// Instructions that compute both, each with its block and its result, definitions before uses.
    parts: Vec<(Block, Inst, Value)>,
}

impl Whole {
    /// None if it does not pay.
    fn find(func: &Function, around: &Loop, inside: &Inside) -> Option<Whole> {
        let (mut order, mut fixed, mut values) = (Vec::new(), HashSet::new(), HashSet::new());
        // Values that depend on comparisons.
        let mut of_bools = HashSet::new();
        for (block, inst) in insts_in(func, &around.blocks) {
            let (Some(result), data) = (func.results[inst], &func.insts[inst]) else { continue };
            let mut stays = matches!(func.ty(result), Type::Bool | Type::I32)
                && inside.has(result)
                && may_move(func, data)
                && !matches!(data, InstData::Const { .. });
            let mut is_of_bools = func.ty(result) == Type::Bool;
            data.visit_args(|arg| {
                stays &= !inside.has(arg) || values.contains(&arg) || func.constant(arg).is_some();
                is_of_bools |= of_bools.contains(&arg);
            });
            if stays {
                order.push((block, inst, result));
                fixed.insert(inst);
                values.insert(result);
                if is_of_bools {
                    of_bools.insert(result);
                }
            }
        }
        let mut needed = HashSet::new();
        for (_, inst) in insts_in(func, &around.blocks).into_iter().filter(|row| !fixed.contains(&row.1)) {
            func.insts[inst].visit_args(|arg| {
                if values.contains(&arg) {
                    needed.insert(arg);
                }
            });
        }
        let is_of_several = |inst: Inst| {
            let mut several = false;
            func.insts[inst].visit_args(|arg| several |= of_bools.contains(&arg));
            several
        };
        let needed: Vec<(Inst, Value)> = order
            .iter()
            .map(|&(_, inst, result)| (inst, result))
            .filter(|(inst, result)| needed.contains(result) && is_of_several(*inst))
            .collect();
        let is_condition = |(_, value): &(Inst, Value)| func.ty(*value) == Type::Bool;
        let only = |rows: Vec<(Inst, Value)>| rows.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        let (conditions, choices): (Vec<_>, Vec<_>) = needed.into_iter().partition(is_condition);
        let (mut conditions, choices) = (only(conditions), only(choices));
        conditions.truncate(MOST_BITS);
        let mut reached: HashSet<Value> = conditions.iter().chain(&choices).copied().collect();
        for &(_, inst, result) in order.iter().rev() {
            if reached.contains(&result) {
                func.insts[inst].visit_args(|arg| {
                    if values.contains(&arg) {
                        reached.insert(arg);
                    }
                });
            }
        }
        let parts: Vec<_> = order.into_iter().filter(|(_, _, result)| reached.contains(result)).collect();
        let pays = conditions.len() <= MOST_PREDICATES || 2 * parts.len() >= 3 * conditions.len();
        (!parts.is_empty() && pays).then_some(Whole { fixed, conditions, choices, parts })
    }
}

/// The bits of invariant masks that only comparisons with 0 need: with them they are one instruction, where the condition is needed.
pub(super) fn tested_bits(func: &Function, blocks: &[Block]) -> HashSet<Value> {
    let is_zero = |value: Value| func.constant(value) == Some(0);
    let mut bits = HashSet::new();
    for (_, inst) in insts_in(func, blocks) {
        if let InstData::Binary { op: BinaryOp::And, args: [_, bit], .. } = func.insts[inst]
            && func.constant(bit).is_some_and(u64::is_power_of_two)
        {
            bits.extend(func.results[inst]);
        }
    }
    for (_, inst) in insts_in(func, blocks) {
        match func.insts[inst] {
            InstData::IntCompare { cond: IntCond::Eq | IntCond::Ne, args: [_, zero] } if is_zero(zero) => {}
            ref data => data.visit_args(|arg| {
                bits.remove(&arg);
            }),
        }
    }
    bits
}

/// Number of uses of each value.
pub(in crate::passes) fn count_uses(func: &Function) -> EntityMap<Value, u32> {
    let mut uses = EntityMap::filled(func.values.len(), 0);
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        func.insts[inst].visit_args(|arg| uses[arg] += 1);
    }
    uses
}

/// The instructions of blocks, each with its own.
fn insts_in(func: &Function, blocks: &[Block]) -> Vec<(Block, Inst)> {
    blocks.iter().flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst))).collect()
}

/// The instructions of a block that compute these values.
fn insts_of<'f>(func: &'f Function, block: Block, values: &'f [Value]) -> impl Iterator<Item = Inst> + 'f {
    let is_one = |result: Value| values.contains(&result);
    func.blocks[block].insts.iter().copied().filter(move |&inst| func.results[inst].is_some_and(is_one))
}

/// Returns true if a comparison is that of invariant values.
fn is_invariant(func: &Function, inside: &Inside, value: Value) -> bool {
    let Some(data) = func.def(value) else { return false };
    let mut stays = may_move(func, data);
    data.visit_args(|arg| stays &= !inside.has(arg));
    stays
}

/// A conjunction or disjunction that is no part of a longer one.
struct Condition {
    block: Block,
    inst: Inst,
    op: BinaryOp,
    parts: Vec<Value>,
    /// The operations of the same kind that it is made of.
    inner: Vec<Inst>,
}

fn conditions(func: &Function, around: &Loop, inside: &Inside) -> Vec<Condition> {
    let all = || {
        around
            .blocks
            .iter()
            .flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)))
    };
    let logic = |inst: Inst| match func.insts[inst] {
        InstData::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), args, .. }
            if func.results[inst].is_some_and(|result| func.ty(result) == Type::Bool) =>
        {
            Some((op, args))
        }
        _ => None,
    };
    if !all().any(|(_, inst)| logic(inst).is_some()) {
        return Vec::new();
    }
    let uses = count_uses(func);
    // The operation that a value is, where nothing else needs it.
    let part = |value: Value, of: BinaryOp| match func.values[value].def {
        ValueDef::Result(inst) if uses[value] == 1 && inside.has(value) => {
            logic(inst).filter(|(op, _)| *op == of).map(|(_, args)| (inst, args))
        }
        _ => None,
    };
    let mut is_inner = EntityMap::<Value, bool>::filled(func.values.len(), false);
    for (op, args) in all().filter_map(|(_, inst)| logic(inst)) {
        args.into_iter().filter(|&arg| part(arg, op).is_some()).for_each(|arg| is_inner[arg] = true);
    }
    let mut found = Vec::new();
    for (block, inst) in all().filter(|(_, inst)| func.results[*inst].is_some_and(|result| !is_inner[result]))
    {
        let Some((op, args)) = logic(inst) else { continue };
        let (mut parts, mut inner, mut work) = (Vec::new(), Vec::new(), vec![args[1], args[0]]);
        while let Some(value) = work.pop() {
            match part(value, op) {
                Some((inst, [a, b])) => {
                    inner.push(inst);
                    work.extend([b, a]);
                }
                None => parts.push(value),
            }
        }
        found.push(Condition { block, inst, op, parts, inner });
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::hoist_invariants;
    use crate::passes::check;

    #[test]
    fn parts_of_a_conjunction() {
        check(
            hoist_invariants,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 y: i32, param3 h: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = param3
                v4: i32 = const 0
                v5: i32 = const 1
                jump block1(v4)
            block1(v6: i32):
                v7: bool = icmp sge v6, v5
                v8: bool = icmp sge v2, v4
                v9: bool = and v7, v8
                v10: bool = icmp slt v6, v1
                v11: bool = and v9, v10
                v12: bool = icmp slt v2, v3
                v13: bool = and v11, v12
                branch v13, block2, block3
            block2:
                store.global v0, v6
                jump block3
            block3:
                v14: bool = or v7, v8
                v15: i32 = select v14, v5, v6
                v16: i32 = add v6, v15
                v17: bool = icmp slt v16, v3
                branch v17, block1(v16), block4
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 y: i32, param3 h: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i32 = param3
                    v4: i32 = const 0
                    v5: i32 = const 1
                    v20: i32 = const 0
                    v8: bool = icmp sge v2, v20
                    v12: bool = icmp slt v2, v3
                    v18: bool = and v8, v12
                    jump block1(v4)
                block1(v6: i32):
                    v7: bool = icmp sge v6, v5
                    v10: bool = icmp slt v6, v1
                    v19: bool = and v18, v7
                    v13: bool = and v19, v10
                    branch v13, block2, block3
                block2:
                    store.global v0, v6
                    jump block3
                block3:
                    v14: bool = or v7, v8
                    v15: i32 = select v14, v5, v6
                    v16: i32 = add v6, v15
                    v17: bool = icmp slt v16, v3
                    branch v17, block1(v16), block4
                block4:
                    return
                }
            "#]],
        );
    }

    /// A loop over `i` with a store under each of these conditions of `x`, `y` and `n`.
    fn stores(conditions: &[&str]) -> String {
        let mut text = String::from(
            "kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 y: i32, param3 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = param3
                v4: i32 = const 0
                v5: i32 = const 1
                jump block1(v4)
            block1(v6: i32):
                v7: bool = icmp slt v6, v3
                branch v7, block2, block99
            block2:
                v10: bool = icmp sge v1, v4
                v11: bool = icmp slt v1, v3
                v12: bool = icmp sge v2, v4
                v13: bool = icmp slt v2, v3
                v14: bool = and v10, v11\n",
        );
        for (at, condition) in conditions.iter().enumerate() {
            let (value, store, next) = (20 + at, 10 + 2 * at, 11 + 2 * at);
            text += &format!(
                "v{value}: bool = {condition}
                branch v{value}, block{store}, block{next}
            block{store}:
                store.global v0 + {}, v6
                jump block{next}
            block{next}:\n",
                4 * at
            );
        }
        text + "v8: i32 = add nuw v6, v5
                jump block1(v8)
            block99:
                return
            }"
    }

    #[test]
    fn whole_conditions_as_predicates() {
        check(
            hoist_invariants,
            &stores(&["and v14, v12", "or v14, v13"]),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 y: i32, param3 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = param3
                v4: i32 = const 0
                v5: i32 = const 1
                v29: i32 = const 0
                v22: bool = icmp sge v1, v29
                v23: bool = icmp slt v1, v3
                v30: i32 = const 0
                v24: bool = icmp sge v2, v30
                v25: bool = icmp slt v2, v3
                v26: bool = and v22, v23
                v27: bool = and v26, v24
                v28: bool = or v26, v25
                jump block1(v4)
            block1(v6: i32):
                v7: bool = icmp slt v6, v3
                branch v7, block2, block99
            block2:
                branch v27, block10, block11
            block10:
                store.global v0, v6
                jump block11
            block11:
                branch v28, block12, block13
            block12:
                store.global v0 + 4, v6
                jump block13
            block13:
                v8: i32 = add nuw v6, v5
                jump block1(v8)
            block99:
                return
            }
        "#]],
        );
    }

    /// The test of a bit is no invariant.
    #[test]
    fn bits_in_longer_conditions() {
        let conditions = ["and v14, v12", "or v14, v13", "and v12, v13"];
        let text = stores(&conditions)
            .replace("branch v22", "v30: bool = icmp slt v6, v1\nv31: bool = and v22, v30\nbranch v31");
        check(
            hoist_invariants,
            &text,
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 y: i32, param3 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = param3
                v4: i32 = const 0
                v5: i32 = const 1
                v63: i32 = const 0
                v32: bool = icmp sge v1, v63
                v33: bool = icmp slt v1, v3
                v64: i32 = const 0
                v34: bool = icmp sge v2, v64
                v35: bool = icmp slt v2, v3
                v36: bool = and v32, v33
                v37: bool = and v36, v34
                v38: bool = or v36, v35
                v39: bool = and v34, v35
                v65: i32 = const 1
                v66: i32 = const 0
                v42: i32 = select v37, v65, v66
                v67: i32 = const 2
                v68: i32 = const 0
                v45: i32 = select v38, v67, v68
                v46: i32 = or v42, v45
                v69: i32 = const 4
                v70: i32 = const 0
                v49: i32 = select v39, v69, v70
                v50: i32 = or v46, v49
                jump block1(v4)
            block1(v6: i32):
                v7: bool = icmp slt v6, v3
                branch v7, block2, block99
            block2:
                v51: i32 = const 1
                v52: i32 = const 0
                v53: i32 = and v50, v51
                v54: bool = icmp ne v53, v52
                branch v54, block10, block11
            block10:
                store.global v0, v6
                jump block11
            block11:
                v55: i32 = const 2
                v56: i32 = const 0
                v57: i32 = and v50, v55
                v58: bool = icmp ne v57, v56
                branch v58, block12, block13
            block12:
                store.global v0 + 4, v6
                jump block13
            block13:
                v59: i32 = const 4
                v60: i32 = const 0
                v61: i32 = and v50, v59
                v62: bool = icmp ne v61, v60
                v30: bool = icmp slt v6, v1
                v31: bool = and v62, v30
                branch v31, block14, block15
            block14:
                store.global v0 + 8, v6
                jump block15
            block15:
                v8: i32 = add nuw v6, v5
                jump block1(v8)
            block99:
                return
            }
        "#]],
        );
    }

    #[test]
    fn whole_conditions_as_bits() {
        check(
            hoist_invariants,
            &stores(&["and v14, v12", "or v14, v13", "and v12, v13"]),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 y: i32, param3 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = param3
                v4: i32 = const 0
                v5: i32 = const 1
                v54: i32 = const 0
                v23: bool = icmp sge v1, v54
                v24: bool = icmp slt v1, v3
                v55: i32 = const 0
                v25: bool = icmp sge v2, v55
                v26: bool = icmp slt v2, v3
                v27: bool = and v23, v24
                v28: bool = and v27, v25
                v29: bool = or v27, v26
                v30: bool = and v25, v26
                v56: i32 = const 1
                v57: i32 = const 0
                v33: i32 = select v28, v56, v57
                v58: i32 = const 2
                v59: i32 = const 0
                v36: i32 = select v29, v58, v59
                v37: i32 = or v33, v36
                v60: i32 = const 4
                v61: i32 = const 0
                v40: i32 = select v30, v60, v61
                v41: i32 = or v37, v40
                jump block1(v4)
            block1(v6: i32):
                v7: bool = icmp slt v6, v3
                branch v7, block2, block99
            block2:
                v42: i32 = const 1
                v43: i32 = const 0
                v44: i32 = and v41, v42
                v45: bool = icmp ne v44, v43
                branch v45, block10, block11
            block10:
                store.global v0, v6
                jump block11
            block11:
                v46: i32 = const 2
                v47: i32 = const 0
                v48: i32 = and v41, v46
                v49: bool = icmp ne v48, v47
                branch v49, block12, block13
            block12:
                store.global v0 + 4, v6
                jump block13
            block13:
                v50: i32 = const 4
                v51: i32 = const 0
                v52: i32 = and v41, v50
                v53: bool = icmp ne v52, v51
                branch v53, block14, block15
            block14:
                store.global v0 + 8, v6
                jump block15
            block15:
                v8: i32 = add nuw v6, v5
                jump block1(v8)
            block99:
                return
            }
        "#]],
        );
    }

    /// A comparison is an instruction, as the test of a bit is.
    #[test]
    fn comparisons_that_stay() {
        check(
            hoist_invariants,
            &stores(&["icmp slt v2, v1"]),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 x: i32, param2 y: i32, param3 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = param3
                v4: i32 = const 0
                v5: i32 = const 1
                jump block1(v4)
            block1(v6: i32):
                v7: bool = icmp slt v6, v3
                branch v7, block2, block99
            block2:
                v10: bool = icmp sge v1, v4
                v11: bool = icmp slt v1, v3
                v12: bool = icmp sge v2, v4
                v13: bool = icmp slt v2, v3
                v14: bool = and v10, v11
                v20: bool = icmp slt v2, v1
                branch v20, block10, block11
            block10:
                store.global v0, v6
                jump block11
            block11:
                v8: i32 = add nuw v6, v5
                jump block1(v8)
            block99:
                return
            }
        "#]],
        );
    }
}
