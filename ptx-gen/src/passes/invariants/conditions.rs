//! Invariant parts of conditions: `x >= 0 && y >= 0 && x < w && y < h` in a loop over `x` tests `y >= 0 && y < h` in front of it, and
//! takes one predicate into the loop.

use super::may_move;
use crate::analysis::Loop;
use crate::ir::{BinaryOp, Block, EntityMap, Function, Inst, InstData, Type, Value, ValueDef};
use crate::passes::unroll::hoist::Inside;

/// Maximum number of predicates that are taken into one loop.
const MOST_PREDICATES: usize = 2;

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
    let mut uses = EntityMap::<Value, u32>::filled(func.values.len(), 0);
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        func.insts[inst].visit_args(|arg| uses[arg] += 1);
    }
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
}
