//! Loop-invariant code motion.
//!
//! ptxas does so, too, but decides before on the unroll factor of a loop, by its length. A value that only some iterations compute is
//! moved if it is an integer, or a float of one, which costs next to nothing. Comparisons stay where they are, as there are few predicates, but for
//! [conditions](conditions) of several and the invariant parts of others, and those that a selection moves with.
//!
//! Of `i + row + column` in a loop over `i` the sum of `row` and `column` moves. (LLVM: Reassociate, by the depth of loops.)
//!
//! A load must not be executed where there is no iteration, unless the loop's test itself needs it, `while e < ends[row]`. Loads of the first
//! block of an iteration, from memory that nobody writes, move behind a copy of the loop's test in front of it, and what is computed of them
//! alone.

mod conditions;

pub(super) use self::conditions::{count_uses, fills_registers};
use super::checks::panics;
use super::promote::promote_locals;
use super::unroll::copy::{call, copy_region, enter_by, params_like, region, spill_live_out};
use super::unroll::forget_locals;
use super::unroll::hoist::{Inside, may_trap};
use crate::analysis::{Cfg, DomTree, Loop, Loops};
use crate::ir::{
    BinaryOp, Block, ConvertOp, EntityMap, Function, Inst, InstData, SourceLoc, Type, Value, ValueDef,
};

/// See the head of this file.
pub fn hoist_invariants(func: &mut Function) {
    let mut is_crowded = None;
    let mut find = |func: &mut Function, tree: &DomTree, around: &Loop, inside: &mut Inside| {
        let mut found = invariants(func, tree, around, inside);
        if !*is_crowded.get_or_insert_with(|| fills_registers(func)) {
            found.extend(gather_sums(func, around, inside));
        }
        found.extend(conditions::take_whole(func, around, inside, &mut is_crowded));
        found.extend(conditions::gather(func, around, inside));
        found
    };
    // A block before a loop changes the loops around it.
    while hoist_from_all(func, &mut find) {}
    let variables = func.locals.len();
    let mut has_moved = false;
    while hoist_loads(func) {
        has_moved = true;
    }
    if has_moved {
        promote_locals(func);
        forget_locals(func, variables);
        while hoist_from_all(func, &mut find) {}
    }
}

/// Hoists the conditions that are invariant as a whole, once the copies of the iterations of inner loops are there.
pub fn hoist_conditions(func: &mut Function) {
    let mut is_crowded = None;
    let mut find = |func: &mut Function, _: &DomTree, around: &Loop, inside: &mut Inside| {
        conditions::take_whole(func, around, inside, &mut is_crowded)
    };
    while hoist_from_all(func, &mut find) {}
}

/// Instructions of a test of which a loop gets a copy.
const MOST_IN_TEST: usize = 6;
/// Loads that move in front of a loop: each takes a register all the way.
const MOST_LOADS: usize = 16;
/// Sums of invariant terms that are gathered at once for a loop: each may take a register, too.
const MOST_SUMS: usize = 8;

/// Moves the loads of a loop whose first iterations certainly execute them; false if there is no such loop.
fn hoist_loads(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    let found = loops.loops().iter().enumerate().rev().find_map(|(index, around)| {
        let (body, loads) = certain_loads(func, &cfg, around)?;
        Some((index, body, loads))
    });
    let Some((index, body, loads)) = found else { return false };
    let around = &loops.loops()[index];
    spill_live_out(func, &region(func, &cfg, &loops, index));
    let test = copy_region(func, &[around.header])[&around.header];
    enter_by(func, &cfg, around, test);
    let before = func.make_block();
    let params = func.blocks[test].params.clone();
    let jump = InstData::Jump { target: call(around.header, &params) };
    let jump = func.make_inst(jump, None, SourceLoc::default());
    func.blocks[before].insts.push(jump);
    if let Some(terminator) = func.terminator(test) {
        let calls = func.insts[terminator].successors_mut();
        calls.filter(|to| to.block == body).for_each(|to| *to = call(before, &[]));
    }
    func.blocks[test].hint = None;
    let at = func.layout.iter().position(|&block| block == around.header).unwrap_or(0);
    func.layout.splice(at..at, [test, before]);
    hoist(func, &loads, before);
    true
}

/// The first block of a loop's iterations, where the loop begins with its test, and the loads in it at invariant addresses from memory that
/// nobody writes; none if there are none.
fn certain_loads(func: &Function, cfg: &Cfg, around: &Loop) -> Option<(Block, Vec<(Block, Inst)>)> {
    let (terminator, test) = func.blocks[around.header].insts.split_last()?;
    if test.len() > MOST_IN_TEST || !test.iter().all(|&inst| func.insts[inst].is_pure()) {
        return None;
    }
    let InstData::Branch { if_true, if_false, .. } = &func.insts[*terminator] else { return None };
    let is_inside = |block: Block| around.blocks.contains(&block);
    let (body, exit) = match (is_inside(if_true.block), is_inside(if_false.block)) {
        (true, false) => (if_true.block, if_false.block),
        (false, true) => (if_false.block, if_true.block),
        (true, true) | (false, false) => return None,
    };
    // A panic may be of the loop's own values.
    if body == around.header || cfg.predecessors(body).len() > 1 || panics(func, exit) {
        return None;
    }
    let inside = Inside::new(func, &around.blocks);
    let is_certain = |&inst: &Inst| match func.insts[inst] {
        InstData::Load { address, read_only, .. } => read_only && !inside.has(address),
        _ => false,
    };
    let loads: Vec<_> =
        func.blocks[body].insts.iter().copied().filter(is_certain).map(|inst| (body, inst)).collect();
    (!loads.is_empty() && loads.len() <= MOST_LOADS).then_some((body, loads))
}

/// Hoists what is found out of loops, from the inside outwards, other than those around one that was given a block before it. True if
/// there was one.
fn hoist_from_all(
    func: &mut Function,
    mut find: impl FnMut(&mut Function, &DomTree, &Loop, &mut Inside) -> Vec<(Block, Inst)>,
) -> bool {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let loops = Loops::new(&cfg, &tree);
    let mut again = false;
    let mut changed = vec![false; loops.loops().len()];
    for (index, around) in loops.loops().iter().enumerate().rev() {
        if changed[index] {
            continue;
        }
        let mut inside = Inside::new(func, &around.blocks);
        let found = find(func, &tree, around, &mut inside);
        if found.is_empty() {
            continue;
        }
        let before = entry(func, &cfg, around);
        let to = before.unwrap_or_else(|| make_entry(func, &cfg, around));
        hoist(func, &found, to);
        if before.is_none() {
            let parents = std::iter::successors(around.parent, |&parent| loops.loops()[parent].parent);
            parents.for_each(|parent| changed[parent] = true);
            again = true;
        }
    }
    again
}

/// Loop-invariant instructions of a loop, in an order in which they can be computed. A selection has a comparison of its own there.
fn invariants(func: &mut Function, tree: &DomTree, around: &Loop, inside: &mut Inside) -> Vec<(Block, Inst)> {
    let mut found = Vec::new();
    let bits = conditions::tested_bits(func, &around.blocks);
    for &block in &around.blocks {
        let is_always = around.latches.iter().all(|&latch| tree.dominates(block, latch));
        let mut is_certain = block == around.header;
        for inst in func.blocks[block].insts.clone() {
            let data = &func.insts[inst];
            let is_load = matches!(data, InstData::Load { .. });
            // Whoever comes to a loop executes what its header has, up to what may end the thread.
            is_certain &= is_load || data.is_pure();
            let Some(result) = func.results[inst] else { continue };
            let ty = func.ty(result);
            let is_certain_load = is_certain && matches!(data, InstData::Load { read_only: true, .. });
            if !(may_move(func, data) || is_certain_load)
                || ty == Type::Bool
                || bits.contains(&result)
                || !(is_always || is_cheap(data, ty))
            {
                continue;
            }
            let comparison = compared(func, inside, data);
            let mut stays = true;
            data.visit_args(|arg| {
                stays &= !inside.has(arg) || comparison.is_some_and(|(cond, _)| cond == arg)
            });
            if !stays {
                continue;
            }
            inside.leave(result);
            if let Some((cond, comparison)) = comparison.filter(|&(cond, _)| inside.has(cond)) {
                let data = func.insts[comparison].clone();
                let (copied, copy) = func.make_value(data, Type::Bool, func.locations[comparison]);
                func.insts[inst].map_args(|arg| if arg == cond { copy } else { arg });
                found.push((block, copied));
            }
            if !matches!(func.insts[inst], InstData::Const { .. }) {
                found.push((block, inst));
            }
        }
    }
    found
}

/// Sums of two invariant terms of a loop, which its sums of three become sums with. Not for functions that fill the registers of a thread.
fn gather_sums(func: &mut Function, around: &Loop, inside: &Inside) -> Vec<(Block, Inst)> {
    let sum = |func: &Function, value: Value| match func.def(value) {
        Some(&InstData::Binary { op: BinaryOp::Add, args, no_unsigned_wrap }) => {
            Some((args, no_unsigned_wrap))
        }
        _ => None,
    };
    // The one that varies, and the other, which is no constant: those are offsets of addresses.
    let parts = |func: &Function, args: [Value; 2]| {
        match args.map(|arg| inside.has(arg)) {
            [true, false] => Some((args[0], args[1])),
            [false, true] => Some((args[1], args[0])),
            _ => None,
        }
        .filter(|(_, stays)| func.constant(*stays).is_none())
    };
    let mut uses: Option<EntityMap<Value, u32>> = None;
    let mut found = Vec::new();
    for &block in &around.blocks {
        for &inst in &func.blocks[block].insts.clone() {
            let Some(result) = func.results[inst] else { continue };
            let whole = sum(func, result).and_then(|(args, exact)| Some((parts(func, args)?, exact)));
            let Some(((inner, last), whole_is_exact)) = whole else { continue };
            let part = sum(func, inner).and_then(|(args, exact)| Some((parts(func, args)?, exact)));
            let Some(((varies, first), part_is_exact)) = part else { continue };
            if uses.get_or_insert_with(|| count_uses(func))[inner] != 1 || found.len() == MOST_SUMS {
                continue;
            }
            let ty = func.ty(result);
            let data = InstData::Binary { op: BinaryOp::Add, args: [first, last], no_unsigned_wrap: false };
            let (gathered, terms) = func.make_value(data, ty, func.locations[inst]);
            found.push((block, gathered));
            let no_unsigned_wrap = whole_is_exact && part_is_exact;
            func.insts[inst] =
                InstData::Binary { op: BinaryOp::Add, args: [varies, terms], no_unsigned_wrap };
        }
    }
    found
}

/// Returns true if it costs next to nothing where nobody needs it: an integer, or a float of one.
fn is_cheap(data: &InstData, ty: Type) -> bool {
    let is_of_integer =
        matches!(data, InstData::Convert { op: ConvertOp::UIntToFloat | ConvertOp::SIntToFloat, .. });
    matches!(ty, Type::I32 | Type::I64) || ty == Type::F32 && is_of_integer
}

/// The invariant comparison of a loop that a selection chooses by, with its instruction.
fn compared(func: &Function, inside: &Inside, data: &InstData) -> Option<(Value, Inst)> {
    let InstData::Select { cond, .. } = *data else { return None };
    let ValueDef::Result(inst) = func.values[cond].def else { return None };
    let comparison = &func.insts[inst];
    let mut stays = may_move(func, comparison);
    comparison.visit_args(|arg| stays &= !inside.has(arg));
    stays.then_some((cond, inst))
}

/// Returns true if it may be executed speculatively.
fn may_move(func: &Function, data: &InstData) -> bool {
    let is_inline = matches!(data, InstData::Inline { .. } | InstData::InlineOut { .. });
    data.is_pure() && !is_inline && !may_trap(func, data)
}

/// The block that enters a loop, if there is only one and it goes nowhere else.
fn entry(func: &Function, cfg: &Cfg, around: &Loop) -> Option<Block> {
    let mut outside = cfg.predecessors(around.header).iter().filter(|from| !around.latches.contains(from));
    let (Some(&from), None) = (outside.next(), outside.next()) else { return None };
    matches!(func.insts[func.terminator(from)?], InstData::Jump { .. }).then_some(from)
}

/// Gives a loop such a block.
fn make_entry(func: &mut Function, cfg: &Cfg, around: &Loop) -> Block {
    let before = func.make_block();
    enter_by(func, cfg, around, before);
    let params = params_like(func, around.header, before, &[]);
    let jump = func.make_inst(
        InstData::Jump { target: call(around.header, &params) },
        None,
        func.terminator(around.header).map_or(SourceLoc::default(), |inst| func.locations[inst]),
    );
    func.blocks[before].insts.push(jump);
    let at = func.layout.iter().position(|&block| block == around.header).unwrap_or(0);
    func.layout.insert(at, before);
    before
}

/// Moves instructions, and copies of the constants that they use, to the end of a block.
fn hoist(func: &mut Function, found: &[(Block, Inst)], to: Block) {
    let mut moved = Vec::with_capacity(found.len());
    for &(block, inst) in found {
        func.blocks[block].insts.retain(|&other| other != inst);
        let mut data = func.insts[inst].clone();
        data.map_args(|arg| match func.constant(arg) {
            Some(bits) => {
                let (constant, copy) =
                    func.make_value(InstData::Const { bits }, func.ty(arg), SourceLoc::default());
                moved.push(constant);
                copy
            }
            None => arg,
        });
        // Nothing was tested yet that would keep it from wrapping.
        if let InstData::Binary { no_unsigned_wrap, .. } = &mut data {
            *no_unsigned_wrap = false;
        }
        func.insts[inst] = data;
        moved.push(inst);
    }
    let end = func.blocks[to].insts.len().saturating_sub(1);
    func.blocks[to].insts.splice(end..end, moved);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// `for i in 0..n { sum += x[0] * x[1] }`, where only some iterations may need the second one.
    fn sums(first: &str, second: &str) -> String {
        format!(
            "kernel k(param0 x: i64 ptr align 4 read_only, param1 n: i32) {{
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 0
                v3: i32 = const 1
                v4: f32 = const 0.0
                jump block1(v2, v4)
            block1(v5: i32, v6: f32):
                v7: bool = icmp ult v5, v1
                branch v7, block2, block4
            block2:
                v8: f32 = load.global v0{first}
                v9: i32 = and v5, v3
                v10: bool = icmp eq v9, v2
                branch v10, block3, block5(v8)
            block3:
                v11: f32 = load.global v0 + 4{second}
                v12: f32 = fmul v8, v11
                jump block5(v12)
            block5(v13: f32):
                v14: f32 = fadd v6, v13
                v15: i32 = add nuw v5, v3
                jump block1(v15, v14)
            block4:
                store.global v0 + 8, v6
                return
            }}"
        )
    }

    /// `x[i * n + row + column]` in a loop over `i`: of a sum that is needed elsewhere, and of one with a constant, nothing moves.
    #[test]
    fn sums_of_three() {
        check(
            hoist_invariants,
            "kernel k(param0 x: i64 ptr align 4, param1 row: i32, param2 column: i32, param3 n: i32) {
            block0:
                v0: i32 = param1
                v1: i32 = param2
                v2: i32 = param3
                v3: i32 = const 0
                v4: i32 = const 1
                jump block1(v3)
            block1(v5: i32):
                v6: bool = icmp ult v5, v2
                branch v6, block2, block3
            block2:
                v7: i32 = mul nuw v5, v2
                v8: i32 = add nuw v7, v0
                v9: i32 = add nuw v1, v8
                store.shared v9, v9
                v10: i32 = add v5, v0
                v11: i32 = add v10, v1
                store.shared v10, v11
                v12: i32 = add v7, v4
                v13: i32 = add v12, v0
                store.shared v13, v13
                v14: i32 = add nuw v5, v4
                jump block1(v14)
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 row: i32, param2 column: i32, param3 n: i32) {
                block0:
                    v0: i32 = param1
                    v1: i32 = param2
                    v2: i32 = param3
                    v3: i32 = const 0
                    v4: i32 = const 1
                    v15: i32 = add v0, v1
                    jump block1(v3)
                block1(v5: i32):
                    v6: bool = icmp ult v5, v2
                    branch v6, block2, block3
                block2:
                    v7: i32 = mul nuw v5, v2
                    v8: i32 = add nuw v7, v0
                    v9: i32 = add nuw v7, v15
                    store.shared v9, v9
                    v10: i32 = add v5, v0
                    v11: i32 = add v10, v1
                    store.shared v10, v11
                    v12: i32 = add v7, v4
                    v13: i32 = add v12, v0
                    store.shared v13, v13
                    v14: i32 = add nuw v5, v4
                    jump block1(v14)
                block3:
                    return
                }
            "#]],
        );
    }

    /// `while i < n[0] { x[i] }`: every thread that comes to the loop makes the load, of memory that nobody writes.
    #[test]
    fn loads_of_the_test() {
        let text = |read_only: &str| {
            format!(
                "kernel k(param0 x: i64 ptr align 4, param1 n: i64 ptr align 4 read_only) {{
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i32 = const 0
                    v3: i32 = const 1
                    jump block1(v2)
                block1(v4: i32):
                    v5: i32 = load.global v1 + 8{read_only}
                    v6: bool = icmp ult v4, v5
                    branch v6, block2, block3
                block2:
                    store.global v0, v4
                    v7: i32 = add nuw v4, v3
                    jump block1(v7)
                block3:
                    return
                }}"
            )
        };
        check(
            hoist_invariants,
            &text(" read_only"),
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 n: i64 ptr align 4 read_only) {
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i32 = const 0
                    v3: i32 = const 1
                    v5: i32 = load.global v1 + 8 read_only
                    jump block1(v2)
                block1(v4: i32):
                    v6: bool = icmp ult v4, v5
                    branch v6, block2, block3
                block2:
                    store.global v0, v4
                    v7: i32 = add nuw v4, v3
                    jump block1(v7)
                block3:
                    return
                }
            "#]],
        );
        check_stays(hoist_invariants, &text(""));
        // Inline PTX in front of the load may end the thread.
        let behind_exit = text(" read_only")
            .replacen("block0:", "inline0 \"exit;\" out in memory\nblock0:", 1)
            .replace("v5: i32 = load", "inline_effect inline0()\nv5: i32 = load");
        check_stays(hoist_invariants, &behind_exit);
    }

    /// `n as f32` and its product with itself, which only some iterations need: the conversion moves, and arithmetic on floats stays.
    #[test]
    fn floats_of_integers() {
        check(
            hoist_invariants,
            "kernel k(param0 x: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 0
                v3: i32 = const 1
                jump block1(v2)
            block1(v5: i32):
                v7: bool = icmp ult v5, v1
                branch v7, block2, block4
            block2:
                v9: i32 = and v5, v3
                v10: bool = icmp eq v9, v2
                branch v10, block3, block5
            block3:
                v11: f32 = u2f v1
                v12: f32 = fmul v11, v11
                store.global v0, v12
                jump block5
            block5:
                v15: i32 = add nuw v5, v3
                jump block1(v15)
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 0
                    v3: i32 = const 1
                    v11: f32 = u2f v1
                    jump block1(v2)
                block1(v5: i32):
                    v7: bool = icmp ult v5, v1
                    branch v7, block2, block4
                block2:
                    v9: i32 = and v5, v3
                    v10: bool = icmp eq v9, v2
                    branch v10, block3, block5
                block3:
                    v12: f32 = fmul v11, v11
                    store.global v0, v12
                    jump block5
                block5:
                    v15: i32 = add nuw v5, v3
                    jump block1(v15)
                block4:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn loads_of_every_iteration() {
        check(
            hoist_invariants,
            &sums(" read_only", " read_only"),
            expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 0
                v3: i32 = const 1
                v4: f32 = const 0.0
                v22: bool = icmp ne v1, v2
                branch v22, block7, block4(v4)
            block7:
                v8: f32 = load.global v0 read_only
                jump block1(v2, v4)
            block1(v5: i32, v6: f32):
                v7: bool = icmp ult v5, v1
                branch v7, block2, block4(v6)
            block2:
                v9: i32 = and v5, v3
                v10: bool = icmp eq v9, v2
                branch v10, block3, block5(v8)
            block3:
                v11: f32 = load.global v0 + 4 read_only
                v12: f32 = fmul v8, v11
                jump block5(v12)
            block5(v13: f32):
                v14: f32 = fadd v6, v13
                v15: i32 = add nuw v5, v3
                jump block1(v15, v14)
            block4(v23: f32):
                store.global v0 + 8, v23
                return
            }
        "#]],
        );
    }

    /// The comparison of a selection moves with it, and stays for the branch.
    #[test]
    fn selections_with_their_comparisons() {
        check(
            hoist_invariants,
            "kernel k(param0 x: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 0
                v3: i32 = const 1
                jump block1(v2)
            block1(v5: i32):
                v6: bool = icmp ult v5, v1
                branch v6, block2, block4
            block2:
                v7: bool = icmp ult v1, v3
                v8: i32 = select v7, v1, v3
                store.global v0, v8
                v9: i32 = add nuw v5, v8
                branch v7, block1(v9), block3
            block3:
                jump block1(v9)
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 0
                    v3: i32 = const 1
                    v11: i32 = const 1
                    v10: bool = icmp ult v1, v11
                    v12: i32 = const 1
                    v8: i32 = select v10, v1, v12
                    jump block1(v2)
                block1(v5: i32):
                    v6: bool = icmp ult v5, v1
                    branch v6, block2, block4
                block2:
                    v7: bool = icmp ult v1, v3
                    store.global v0, v8
                    v9: i32 = add nuw v5, v8
                    branch v7, block1(v9), block3
                block3:
                    jump block1(v9)
                block4:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn loads_that_stay() {
        check_stays(hoist_invariants, &sums("", " read_only"));
    }

    #[test]
    fn out_of_two_loops() {
        check(
            hoist_invariants,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 m: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 0
                v4: i32 = const 1
                jump block1(v3)
            block1(v5: i32):
                v6: bool = icmp ult v5, v1
                branch v6, block2(v3), block5
            block2(v7: i32):
                v8: bool = icmp ult v7, v2
                branch v8, block3, block4
            block3:
                v9: i32 = const 5
                v10: i32 = mul v2, v9
                v11: i32 = add v10, v5
                v12: i32 = add v11, v7
                store.global v0, v12
                v13: i32 = add v7, v4
                jump block2(v13)
            block4:
                v14: i32 = add v5, v4
                jump block1(v14)
            block5:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 m: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i32 = const 0
                    v4: i32 = const 1
                    v17: i32 = const 5
                    v10: i32 = mul v2, v17
                    jump block1(v3)
                block1(v5: i32):
                    v6: bool = icmp ult v5, v1
                    branch v6, block6(v3), block5
                block6(v15: i32):
                    v16: i32 = const 5
                    v11: i32 = add v10, v5
                    jump block2(v15)
                block2(v7: i32):
                    v8: bool = icmp ult v7, v2
                    branch v8, block3, block4
                block3:
                    v9: i32 = const 5
                    v12: i32 = add v11, v7
                    store.global v0, v12
                    v13: i32 = add v7, v4
                    jump block2(v13)
                block4:
                    v14: i32 = add v5, v4
                    jump block1(v14)
                block5:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn only_what_may_be_computed_untested() {
        check(
            hoist_invariants,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 a: f32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: f32 = param2
                v3: i32 = const 0
                v4: i32 = const 1
                jump block1(v3)
            block1(v5: i32):
                v6: bool = icmp ult v5, v1
                branch v6, block2, block5
            block2:
                v7: i32 = load.global v0
                v8: bool = icmp eq v7, v5
                branch v8, block3, block4
            block3:
                v9: f32 = fdiv v2, v2
                v10: i32 = udiv v4, v1
                v11: i32 = sub nuw v1, v4
                store.global v0, v9
                store.global v0, v10
                store.global v0, v11
                jump block4
            block4:
                v14: i32 = add v5, v4
                jump block1(v14)
            block5:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 a: f32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: f32 = param2
                    v3: i32 = const 0
                    v4: i32 = const 1
                    v15: i32 = const 1
                    v11: i32 = sub v1, v15
                    jump block1(v3)
                block1(v5: i32):
                    v6: bool = icmp ult v5, v1
                    branch v6, block2, block5
                block2:
                    v7: i32 = load.global v0
                    v8: bool = icmp eq v7, v5
                    branch v8, block3, block4
                block3:
                    v9: f32 = fdiv v2, v2
                    v10: i32 = udiv v4, v1
                    store.global v0, v9
                    store.global v0, v10
                    store.global v0, v11
                    jump block4
                block4:
                    v14: i32 = add v5, v4
                    jump block1(v14)
                block5:
                    return
                }
            "#]],
        );
    }
}
