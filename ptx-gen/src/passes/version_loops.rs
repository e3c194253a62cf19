//! Loop versioning: `for j in start..end { x[j] }` tests `end <= x.len()` before the loop, where `end` is data, and then runs a copy of the
//! loop without checks.
//!
//! So it is of other numbers than a counter that branches in the loop say to be below an end: of both cursors of a merge,
//! `while a < a_end && b < b_end { if x[a] < x[b] { a += 1 } else { b += 1 } }`.
//!
//! One test in front of the loop, by arithmetic alone, [bounds the indices](super::index_bounds) of all iterations: sums, products and
//! differences of the counter and of any values that are invariant, `values[(base + j) * dim + d]`. If it passes, a copy of the loop runs
//! without these checks, so that it can be unrolled as any other. If it fails, the loop itself runs and reaches the check that fails, so a
//! panic is the same. Checks that launch guards cover are gone before this pass; checks of indices that are data themselves stay in both.
//!
//! An index that is below an end which the loop only lowers, as the middle of a binary search is, `high = middle`, is below the end that the loop begins
//! with: that is tested.
//!
//! Indices that step beside the counter, `to += 1` in `for _ in 0..count`, are sums of it and of their initial values first, as LLVM's pass
//! IndVarSimplify has it.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::checks::{Check, below, in_order, panics, site};
use super::index_bounds::{Front, Limited, Upper};
use super::promote::promote_locals;
use super::renames::Renames;
use super::unlocks::converges;
use super::unroll::copy::{call, enter_by, params_like, region};
use super::unroll::data_checks::{Induction, inductions};
use super::unroll::forget_locals;
use super::unroll::hoist::{Appender, Inside, version_by};
use crate::analysis::{Cfg, DomTree, Loop, Loops, Ranges};
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstData, RemarkKind, SourceLoc, Type, Value, ValueDef,
};

/// Instructions of a loop: it comes twice.
const MOST_INSTS: usize = 100;
/// Loops of a function.
const MOST_LOOPS: usize = 8;

/// See the head of this file.
pub fn version_loops(func: &mut Function) {
    let variables = func.locals.len();
    let (mut seen, mut versioned) = (HashSet::new(), 0);
    while versioned < MOST_LOOPS
        && let Some((version, headers)) = next_version(func, &mut seen)
    {
        *func = version;
        seen.extend(headers);
        versioned += 1;
    }
    if versioned > 0 {
        forget_locals(func, variables);
    }
}

/// The function with a version of the next innermost loop that has checks and asks for nothing, and the headers of both.
fn next_version(func: &Function, seen: &mut HashSet<Block>) -> Option<(Function, [Block; 2])> {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    let has_check = |&block: &Block| Check::of(func, block).is_some();
    let parents: HashSet<usize> = loops.loops().iter().filter_map(|around| around.parent).collect();
    let ranges = OnceCell::new();
    loops.loops().iter().enumerate().find_map(|(index, around)| {
        let is_candidate = !parents.contains(&index)
            && func.blocks[around.header].hint.is_none()
            && around.blocks.iter().any(has_check)
            && seen.insert(around.header);
        if !is_candidate {
            return None;
        }
        let with_sums = with_one_counter(func, &cfg, &loops, index);
        let of_sums = with_sums.and_then(|func| {
            let cfg = Cfg::new(&func);
            let loops = Loops::new(&cfg, &DomTree::new(&cfg));
            let index = loops.loops().iter().position(|other| other.header == around.header)?;
            version(&func, (&cfg, &loops), index, &OnceCell::new())
        });
        of_sums.or_else(|| version(func, (&cfg, &loops), index, &ranges))
    })
}

/// The function with a loop whose checked indices that step beside its counter are sums of it; none if there are none. The counter begins at zero
/// and steps by one.
fn with_one_counter(before: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Option<Function> {
    let around = &loops.loops()[index];
    let header = around.header;
    let inside = Inside::new(before, &around.blocks);
    let [latch] = around.latches[..] else { return None };
    let (counter, _) = counter_and_end(before, &inside, header, |block| loops.contains(index, block))?;
    let inductions = inductions(before, around, &inside, latch);
    let number = |induction: &Induction| {
        before.constant(induction.step).filter(|_| !induction.descends && before.ty(induction.param).is_int())
    };
    let of_counter = inductions.iter().find(|induction| induction.param == counter)?;
    let starts_at_zero = cfg.predecessors(header).iter().filter(|from| **from != latch).all(|&from| {
        let calls = before.terminator(from).map(|inst| before.insts[inst].successors()).into_iter().flatten();
        let mut to_header = calls.filter(|call| call.block == header);
        to_header.all(|call| before.constant(call.args[of_counter.position]) == Some(0))
    });
    if number(of_counter) != Some(1) || !starts_at_zero {
        return None;
    }
    let checked: Vec<Value> = around
        .blocks
        .iter()
        .filter_map(|&block| Check::of(before, block))
        .filter_map(|check| Some(below(before, check.cond, check.truth)?.0))
        .collect();
    let is_checked = |induction: &&Induction| {
        let has = |&index: &Value| {
            !inside.is_invariant(before, index) && inside.follows_from(before, index, &[induction.param])
        };
        induction.param != counter && number(induction).is_some() && checked.iter().any(has)
    };
    let chosen: Vec<Induction> = inductions.iter().filter(is_checked).copied().collect();
    if chosen.is_empty() {
        return None;
    }

    let mut func = before.clone();
    let location = func.terminator(header).map_or(SourceLoc::default(), |inst| func.locations[inst]);
    let entry = func.make_block();
    enter_by(&mut func, cfg, around, entry);
    let starts = params_like(&mut func, header, entry, &[]);
    let at = func.layout.iter().position(|&block| block == header)?;
    func.layout.insert(at, entry);
    let mut renames = Renames::new(&func);
    // Sums are made at the start of the header, of what is before the loop.
    let first = func.make_block();
    let mut out = Appender { func: &mut func, inside: &inside, location };
    for induction in &chosen {
        let (param, start) = (induction.param, starts[induction.position]);
        let (ty, step) = (before.ty(param), before.constant(induction.step)?);
        let mut distance = match (before.ty(counter).bits(), ty.bits()) {
            (from, to) if from == to => counter,
            (from, to) => {
                let op = if from < to { ConvertOp::ZeroExtend } else { ConvertOp::Truncate };
                out.value(first, InstData::Convert { op, arg: counter }, ty)
            }
        };
        if step != 1 {
            let step = out.constant(first, step, ty);
            distance = out.binary(first, BinaryOp::Mul, [distance, step], false);
        }
        let sum = out.binary(first, BinaryOp::Add, [start, distance], false);
        renames.replace(param, sum);
        for &inst in around.blocks.iter().flat_map(|&block| &before.blocks[block].insts) {
            let Some(result) = before.results[inst] else { continue };
            if let Some(by) = less(before, &inside, result, param) {
                let by = out.invariant(entry, by);
                let start = out.binary(entry, BinaryOp::Sub, [start, by], false);
                let difference = out.binary(first, BinaryOp::Add, [start, distance], false);
                renames.replace(result, difference);
            }
        }
    }
    out.effect(entry, InstData::Jump { target: call(header, &starts) });
    renames.apply(&mut func);
    let sums = std::mem::take(&mut func.blocks[first].insts);
    func.blocks[header].insts.splice(0..0, sums);
    Some(func)
}

/// The value that is taken from a parameter of the loop's header, if this is the difference and it is invariant.
fn less(func: &Function, inside: &Inside, value: Value, param: Value) -> Option<Value> {
    match *func.def(value)? {
        InstData::Binary { op: BinaryOp::Sub, args: [from, by], .. } => {
            (from == param && inside.is_invariant(func, by)).then_some(by)
        }
        _ => None,
    }
}

/// A number that a branch of the loop says to be on this side of another, which is invariant.
struct Limit {
    number: Value,
    other: Value,
    is_below: bool,
    or_equal: bool,
}

/// The limits that branches of the loop set on the way to a block.
fn limits(
    func: &Function,
    (cfg, tree): (&Cfg, &DomTree),
    inside: &Inside,
    around: &Loop,
    mut block: Block,
) -> Vec<Limit> {
    let mut found = Vec::new();
    while block != around.header
        && let Some(branch) = tree.idom(block)
    {
        if let Some(InstData::Branch { cond, if_true, if_false, .. }) =
            func.terminator(branch).map(|inst| &func.insts[inst])
            && if_true.block != if_false.block
            && cfg.predecessors(block) == [branch]
            && Check::of(func, branch).is_none()
            && let Some((less, more, or_equal)) = in_order(func, *cond, if_true.block == block)
        {
            match [less, more].map(|value| inside.is_invariant(func, value)) {
                [false, true] => found.push(Limit { number: less, other: more, is_below: true, or_equal }),
                [true, false] => found.push(Limit { number: more, other: less, is_below: false, or_equal }),
                _ => {}
            }
        }
        block = branch;
    }
    found
}

/// The function with a version of a loop without checks, and the headers of both.
fn version<'f>(
    before: &'f Function,
    (cfg, loops): (&Cfg, &Loops),
    index: usize,
    ranges: &OnceCell<Ranges<'f>>,
) -> Option<(Function, [Block; 2])> {
    let around = &loops.loops()[index];
    let header = around.header;
    let region = region(before, cfg, loops, index);
    let insts = || region.iter().flat_map(|&block| &before.blocks[block].insts);
    if insts().count() > MOST_INSTS || insts().any(|&inst| !may_be_copied(before, inst)) {
        return None;
    }
    let inside = Inside::new(before, &around.blocks);
    let tree = DomTree::new(cfg);
    let checks: Vec<Check> = around.blocks.iter().filter_map(|&block| Check::of(before, block)).collect();
    let index_of = |check: &Check| {
        let (index, length) = below(before, check.cond, check.truth)?;
        let is_int = matches!(before.ty(index), Type::I32 | Type::I64);
        (is_int && inside.is_invariant(before, length)).then_some((index, length))
    };
    let is_invariant = |check: &Check| inside.is_invariant(before, check.cond);
    if !checks.iter().any(|check| !is_invariant(check) && index_of(check).is_some()) {
        return None;
    }

    let mut func = before.clone();
    let location = func.terminator(header).map_or(SourceLoc::default(), |inst| func.locations[inst]);
    let [test, entry] = [0; 2].map(|_| func.make_block());
    enter_by(&mut func, cfg, around, test);
    let starts = params_like(&mut func, header, test, &[]);
    let ranges = ranges.get_or_init(|| Ranges::new(before));
    let mut front = Front::new(before, ranges, test, Appender { func: &mut func, inside: &inside, location });
    let at_latch = match around.latches[..] {
        [latch] => limits(before, (cfg, &tree), &inside, around, latch),
        _ => Vec::new(),
    };
    // Checks of data stay.
    let mut bounded = Vec::new();
    let mut tested = Vec::new();
    for check in &checks {
        if is_invariant(check) {
            front.test_invariant(check.cond, check.truth);
            tested.push(check);
        } else if let Some((index, length)) = index_of(check) {
            let here = limits(before, (cfg, &tree), &inside, around, check.block);
            let known = limited(before, around, &starts, [&here, &at_latch]);
            let is_bounded = front.test_below(index, length, &known).is_some() || {
                let end = falling_end(before, ranges, around, (index, check.block));
                end.inspect(|&position| front.test_at_most(starts[position], length)).is_some()
            };
            if is_bounded {
                tested.push(check);
                bounded.push(check);
            }
        }
    }
    let conds = front.into_conds();
    if bounded.is_empty() {
        return None;
    }
    let copy = version_by(&mut func, [test, entry], &conds, (header, &starts), &region);
    for check in tested {
        let copied = Check::of(&func, copy[&check.block])?;
        let failing = func.successors(copied.block).find(|&next| panics(&func, next));
        func.insts[copied.inst] = InstData::Jump { target: copied.target };
        if let Some((location, check)) = failing.and_then(|block| site(&func, block)) {
            func.remark(location, RemarkKind::CheckLeft { check, in_front: true });
        }
    }
    promote_locals(&mut func);
    Some((func, [header, copy[&header]]))
}

/// The position of a parameter of the loop's header that an index is below where it is checked, and that is never more in the next iteration.
fn falling_end(
    func: &Function,
    ranges: &Ranges<'_>,
    around: &Loop,
    (index, checked): (Value, Block),
) -> Option<usize> {
    let params = &func.blocks[around.header].params;
    let falls = |position: usize| {
        around.latches.iter().all(|&latch| {
            let calls = func.terminator(latch).into_iter().flat_map(|last| func.insts[last].successors());
            let mut back = calls.filter(|call| call.block == around.header);
            back.all(|call| ranges.proves_at_most(call.args[position], params[position], latch))
        })
    };
    let is_end = |&position: &usize| {
        matches!(func.ty(params[position]), Type::I32 | Type::I64)
            && ranges.proves_less(index, params[position], checked)
            && falls(position)
    };
    (0..params.len()).find(is_end)
}

/// The numbers that branches on the way to a check limit, and the parameters of the loop's header that something limits.
fn limited(
    func: &Function,
    around: &Loop,
    starts: &[Value],
    [here, at_latch]: [&[Limit]; 2],
) -> Vec<Limited> {
    let params = &func.blocks[around.header].params;
    let limited = here.iter().map(|limit| limit.number);
    let is_int = |number: &Value| matches!(func.ty(*number), Type::I32 | Type::I64);
    let mut numbers: Vec<Value> = params.iter().copied().chain(limited).filter(is_int).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let limits = |number: Value| {
        let of = |limits: &[Limit], is_below: bool| -> Vec<(Value, bool)> {
            let own = limits.iter().filter(|limit| limit.number == number && limit.is_below == is_below);
            own.map(|limit| (limit.other, limit.or_equal)).collect()
        };
        let end =
            |(end, or_equal): (Value, bool)| if or_equal { Upper::AtMost(end) } else { Upper::Below(end) };
        let mut most: Vec<Upper> = of(here, true).into_iter().map(end).collect();
        let mut least = of(here, false);
        if let Some(position) = params.iter().position(|&param| param == number)
            && let Some(steps) = Steps::of(func, around, position)
        {
            let start = starts[position];
            match steps {
                Steps::Up(_) => least.push((start, true)),
                Steps::Down => most.push(Upper::AtMost(start)),
            }
            if let Steps::Up(Some(by)) = steps
                && most.is_empty()
            {
                let step = |(end, or_equal): (Value, bool)| Upper::StepFrom {
                    start,
                    end,
                    by: by - u64::from(!or_equal),
                };
                most.extend(of(at_latch, true).into_iter().map(step));
            }
        }
        (!most.is_empty()).then_some(Limited { number, most, least })
    };
    numbers.into_iter().filter_map(limits).collect()
}

/// The way that a parameter of a loop's header goes, by operations that do not wrap.
#[derive(Clone, Copy)]
enum Steps {
    /// By so many, if that is known and one latch does it.
    Up(Option<u64>),
    Down,
}

impl Steps {
    fn of(func: &Function, around: &Loop, position: usize) -> Option<Steps> {
        let param = func.blocks[around.header].params[position];
        let calls = around.latches.iter().filter_map(|&latch| func.terminator(latch));
        let calls = calls.flat_map(|inst| func.insts[inst].successors());
        let args = calls.filter(|call| call.block == around.header).map(|call| call.args[position]);
        let steps = args.map(|next| match func.def(next) {
            _ if next == param => Some(Steps::Up(None)),
            Some(&InstData::Binary { op, args: [from, by], no_unsigned_wrap: true }) if from == param => {
                match op {
                    BinaryOp::Add => Some(Steps::Up(func.constant(by).filter(|&by| by > 0))),
                    BinaryOp::Sub => Some(Steps::Down),
                    _ => None,
                }
            }
            _ => None,
        });
        steps.reduce(|a, b| match (a?, b?) {
            (Steps::Up(_), Steps::Up(_)) => Some(Steps::Up(None)),
            (Steps::Down, Steps::Down) => Some(Steps::Down),
            (Steps::Up(_), Steps::Down) | (Steps::Down, Steps::Up(_)) => None,
        })?
    }
}

/// Returns true if lanes need not reach an instruction together, and it is nothing that must be there once.
fn may_be_copied(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let is_inline = matches!(
        data,
        InstData::Print { .. }
            | InstData::Inline { .. }
            | InstData::InlineOut { .. }
            | InstData::InlineEffect { .. }
    );
    !converges(data) && !is_inline
}

/// The counter of a loop that begins an iteration by the test that it is below its end, and the end, which is invariant.
fn counter_and_end(
    func: &Function,
    inside: &Inside,
    header: Block,
    contains: impl Fn(Block) -> bool,
) -> Option<(Value, Value)> {
    let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[func.terminator(header)?] else {
        return None;
    };
    let truth = match (contains(if_true.block), contains(if_false.block)) {
        (true, false) => true,
        (false, true) => false,
        (true, true) | (false, false) => return None,
    };
    let (counter, end) = below(func, *cond, truth)?;
    let is_counter = matches!(func.values[counter].def, ValueDef::Param(block) if block == header);
    (is_counter && inside.is_invariant(func, end)).then_some((counter, end))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// `while low < high { let middle = (low + high) / 2; if x[middle] < k { low = middle + 1 } else { high = middle } }` between ends that are loaded:
    /// the higher one is compared with the length. Not where it may rise.
    #[test]
    fn a_binary_search_between_ends_that_are_loaded() {
        let text = |high: &str| {
            format!(
                "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4, param3 k: i32) {{
                    panic0 index
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v3: i64 = param2
                    v4: i32 = load.global v3
                    v5: i32 = load.global v3 + 4
                    v6: i32 = param3
                    v7: i32 = const 1
                    v8: i32 = const 2
                    v9: i64 = const 4
                    jump block1(v4, v5)
                block1(v10: i32, v11: i32):
                    v12: bool = icmp ult v10, v11
                    branch v12, block2, block6
                block2:
                    v13: i32 = add v10, v11
                    v14: i32 = udiv v13, v8
                    v15: bool = icmp ult v14, v1
                    branch v15, block3, block7
                block3:
                    v16: i64 = zext v14
                    v17: i64 = mul nuw v16, v9
                    v18: i64 = add nuw v0, v17
                    v19: i32 = load.global v18
                    v20: i32 = add v14, v7
                    v21: bool = icmp ult v19, v6
                    branch v21, block4, block5
                block4:
                    jump block1(v20, v11)
                block5:
                    jump block1(v10, {high})
                block6:
                    store.global v3, v10
                    return
                block7:
                    v22: i64 = zext v14
                    v23: i64 = zext v1
                    panic panic0(v22, v23)
                }}"
            )
        };
        check(
            version_loops,
            &text("v14"),
            expect![[r#"
            kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4, param3 k: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v3: i64 = param2
                v4: i32 = load.global v3
                v5: i32 = load.global v3 + 4
                v6: i32 = param3
                v7: i32 = const 1
                v8: i32 = const 2
                v9: i64 = const 4
                v26: i64 = zext v5
                v27: i64 = zext v1
                v28: bool = icmp ule v5, v1
                branch v28, block9, block1(v4, v5)
            block9:
                jump block10(v4, v5)
            block10(v32: i32, v33: i32):
                v35: bool = icmp ult v32, v33
                branch v35, block11, block6(v32)
            block11:
                v36: i32 = add v32, v33
                v37: i32 = lshr v36, v7
                v39: i64 = zext v37
                v40: i64 = mul nuw v39, v9
                v41: i64 = add nuw v0, v40
                v42: i32 = load.global v41
                v43: i32 = add v37, v7
                v44: bool = icmp ult v42, v6
                branch v44, block13, block14
            block13:
                jump block10(v43, v33)
            block14:
                jump block10(v32, v37)
            block1(v10: i32, v11: i32) nounroll:
                v12: bool = icmp ult v10, v11
                branch v12, block2, block6(v10)
            block2:
                v13: i32 = add v10, v11
                v14: i32 = lshr v13, v7
                v15: bool = icmp ult v14, v1
                branch v15, block3, block7
            block3:
                v16: i64 = zext v14
                v17: i64 = mul nuw v16, v9
                v18: i64 = add nuw v0, v17
                v19: i32 = load.global v18
                v20: i32 = add v14, v7
                v21: bool = icmp ult v19, v6
                branch v21, block4, block5
            block4:
                jump block1(v20, v11)
            block5:
                jump block1(v10, v14)
            block6(v47: i32):
                store.global v3, v47
                return
            block7:
                v22: i64 = zext v14
                panic panic0(v22, v27)
            }
        "#]],
        );
        check_stays(version_loops, &text("v6"));
    }

    /// `for j in start..end { sum += x[index] }` with ends that are loaded.
    fn data_ends(index: &str, body: &str) -> String {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4) {{
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i64 = param2
                v4: i32 = load.global v3
                v5: i32 = load.global v3 + 4
                v6: i64 = zext v4
                v7: i64 = zext v5
                v8: i32 = const 0
                v9: i64 = const 1
                v10: i64 = const 4
                jump block1(v6, v8)
            block1(v11: i64, v12: i32):
                v13: bool = icmp ult v11, v7
                branch v13, block2, block5
            block2:
                {index}
                v15: bool = icmp ult v14, v2
                branch v15, block3, block4
            block3:
                v16: i64 = mul nuw v14, v10
                v17: i64 = add nuw v0, v16
                v18: i32 = load.global v17
                v19: i32 = add v12, v18
                {body}
                v20: i64 = add nuw v11, v9
                jump block1(v20, v19)
            block4:
                panic panic0(v14, v2)
            block5:
                store.global v3, v12
                return
            }}"
        )
    }

    /// `for _ in 0..count { y[to] = x[to - distance]; to += 1; from += 2 }`, with the index of the second load.
    fn two_indices(start: &str, index: &str) -> String {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 len: i32, param2 begins: i64 ptr align 8) {{
                panic0 index
            block0:
                v0: i64 = param0
                v26: i32 = param1
                v1: i64 = zext v26
                v2: i64 = param2
                v3: i64 = load.global v2
                v4: i64 = load.global v2 + 8
                v5: i64 = load.global v2 + 16
                v6: i64 = const {start}
                v7: i64 = const 1
                v8: i64 = const 2
                v9: i64 = const 4
                jump block1(v6, v4, v5)
            block1(v10: i64, v11: i64, v12: i64):
                v13: bool = icmp ult v10, v3
                branch v13, block2, block6
            block2:
                v14: bool = icmp ult v11, v1
                branch v14, block3, block5
            block3:
                v15: i64 = {index}
                v16: bool = icmp ult v15, v1
                branch v16, block4, block7
            block4:
                v17: i64 = mul nuw v15, v9
                v18: i64 = add nuw v0, v17
                v19: i32 = load.global v18
                v20: i64 = mul nuw v11, v9
                v21: i64 = add nuw v0, v20
                store.global v21, v19
                v22: i64 = add v10, v7
                v23: i64 = add v11, v7
                v24: i64 = add v12, v8
                jump block1(v22, v23, v24)
            block5:
                panic panic0(v11, v1)
            block7:
                panic panic0(v15, v1)
            block6:
                store.global v2, v12
                return
            }}"
        )
    }

    #[test]
    fn indices_that_step_beside_the_counter() {
        check(
            version_loops,
            &two_indices("0", "sub v11, v5"),
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 len: i32, param2 begins: i64 ptr align 8) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v26: i32 = param1
                    v1: i64 = zext v26
                    v2: i64 = param2
                    v3: i64 = load.global v2
                    v4: i64 = load.global v2 + 8
                    v5: i64 = load.global v2 + 16
                    v6: i64 = const 0
                    v7: i64 = const 1
                    v8: i64 = const 2
                    v9: i64 = const 4
                    v31: i64 = sub v4, v5
                    v37: i64 = sub v3, v7
                    v38: i64 = const 0xffffffff
                    v39: bool = icmp ule v4, v38
                    v40: bool = icmp ule v37, v38
                    v41: i64 = add v4, v37
                    v42: bool = icmp ult v41, v1
                    v43: bool = icmp ule v31, v38
                    v44: i64 = add v31, v37
                    v45: bool = icmp ult v44, v1
                    v67: bool = and v39, v40
                    v68: bool = and v67, v42
                    v69: bool = and v68, v43
                    v70: bool = and v69, v45
                    branch v70, block11, block1(v6, v5)
                block11:
                    jump block12(v6, v5)
                block12(v49: i64, v51: i64):
                    v53: i64 = add v4, v49
                    v54: i64 = add v31, v49
                    v55: bool = icmp ult v49, v3
                    branch v55, block15, block6(v51)
                block15:
                    v59: i64 = mul nuw v54, v9
                    v60: i64 = add nuw v0, v59
                    v61: i32 = load.global v60
                    v62: i64 = mul nuw v53, v9
                    v63: i64 = add nuw v0, v62
                    store.global v63, v61
                    v64: i64 = add v49, v7
                    v66: i64 = add v51, v8
                    jump block12(v64, v66)
                block1(v10: i64, v12: i64) nounroll:
                    v30: i64 = add v4, v10
                    v32: i64 = add v31, v10
                    v13: bool = icmp ult v10, v3
                    branch v13, block2, block6(v12)
                block2:
                    v14: bool = icmp ult v30, v1
                    branch v14, block3, block5
                block3:
                    v16: bool = icmp ult v32, v1
                    branch v16, block4, block7
                block4:
                    v17: i64 = mul nuw v32, v9
                    v18: i64 = add nuw v0, v17
                    v19: i32 = load.global v18
                    v20: i64 = mul nuw v30, v9
                    v21: i64 = add nuw v0, v20
                    store.global v21, v19
                    v22: i64 = add v10, v7
                    v24: i64 = add v12, v8
                    jump block1(v22, v24)
                block5:
                    panic panic0(v30, v1)
                block7:
                    panic panic0(v32, v1)
                block6(v71: i64):
                    store.global v2, v71
                    return
                }
            "#]],
        );
        check(
            version_loops,
            &two_indices("0", "add v12, v7"),
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 len: i32, param2 begins: i64 ptr align 8) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v26: i32 = param1
                    v1: i64 = zext v26
                    v2: i64 = param2
                    v3: i64 = load.global v2
                    v4: i64 = load.global v2 + 8
                    v5: i64 = load.global v2 + 16
                    v6: i64 = const 0
                    v7: i64 = const 1
                    v9: i64 = const 4
                    v38: i64 = sub v3, v7
                    v39: i64 = const 0xffffffff
                    v40: bool = icmp ule v4, v39
                    v41: bool = icmp ule v38, v39
                    v42: i64 = add v4, v38
                    v43: bool = icmp ult v42, v1
                    v44: i64 = const 2
                    v45: i64 = mul v38, v44
                    v46: bool = icmp ule v5, v39
                    v47: i64 = add v5, v45
                    v48: i64 = add v47, v7
                    v49: bool = icmp ult v48, v1
                    v73: bool = and v40, v41
                    v74: bool = and v73, v43
                    v75: bool = and v74, v46
                    v76: bool = and v75, v49
                    branch v76, block11, block1(v6)
                block11:
                    jump block12(v6)
                block12(v53: i64):
                    v56: i64 = add v4, v53
                    v58: i64 = mul v53, v44
                    v59: i64 = add v5, v58
                    v61: bool = icmp ult v53, v3
                    branch v61, block14, block6(v59)
                block14:
                    v63: i64 = add v59, v7
                    v65: i64 = mul nuw v63, v9
                    v66: i64 = add nuw v0, v65
                    v67: i32 = load.global v66
                    v68: i64 = mul nuw v56, v9
                    v69: i64 = add nuw v0, v68
                    store.global v69, v67
                    v70: i64 = add v53, v7
                    jump block12(v70)
                block1(v10: i64) nounroll:
                    v30: i64 = add v4, v10
                    v32: i64 = mul v10, v44
                    v33: i64 = add v5, v32
                    v13: bool = icmp ult v10, v3
                    branch v13, block2, block6(v33)
                block2:
                    v14: bool = icmp ult v30, v1
                    branch v14, block3, block5
                block3:
                    v15: i64 = add v33, v7
                    v16: bool = icmp ult v15, v1
                    branch v16, block4, block7
                block4:
                    v17: i64 = mul nuw v15, v9
                    v18: i64 = add nuw v0, v17
                    v19: i32 = load.global v18
                    v20: i64 = mul nuw v30, v9
                    v21: i64 = add nuw v0, v20
                    store.global v21, v19
                    v22: i64 = add v10, v7
                    jump block1(v22)
                block5:
                    panic panic0(v30, v1)
                block7:
                    panic panic0(v15, v1)
                block6(v77: i64):
                    store.global v2, v77
                    return
                }
            "#]],
        );
    }

    /// The sum would be of a difference, which may wrap.
    #[test]
    fn a_counter_that_begins_elsewhere() {
        check_stays(version_loops, &two_indices("1", "sub v11, v5"));
    }

    #[test]
    fn a_segment_of_a_slice() {
        let text = data_ends("v14: i64 = add v11, v9", "");
        check(
            version_loops,
            &text,
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = zext v1
                    v3: i64 = param2
                    v4: i32 = load.global v3
                    v5: i32 = load.global v3 + 4
                    v6: i64 = zext v4
                    v7: i64 = zext v5
                    v8: i32 = const 0
                    v9: i64 = const 1
                    v10: i64 = const 4
                    v24: i64 = sub v7, v9
                    v27: bool = icmp ult v5, v1
                    branch v27, block7, block1(v6, v8)
                block7:
                    jump block8(v6, v8)
                block8(v31: i64, v32: i32):
                    v34: bool = icmp ult v31, v7
                    branch v34, block9, block5(v32)
                block9:
                    v35: i64 = add nuw v31, v9
                    v37: i64 = mul nuw v35, v10
                    v38: i64 = add nuw v0, v37
                    v39: i32 = load.global v38
                    v40: i32 = add v32, v39
                    jump block8(v35, v40)
                block1(v11: i64, v12: i32) nounroll:
                    v13: bool = icmp ult v11, v7
                    branch v13, block2, block5(v12)
                block2:
                    v14: i64 = add v11, v9
                    v15: bool = icmp ult v14, v2
                    branch v15, block3, block4
                block3:
                    v16: i64 = mul nuw v14, v10
                    v17: i64 = add nuw v0, v16
                    v18: i32 = load.global v17
                    v19: i32 = add v12, v18
                    jump block1(v14, v19)
                block4:
                    panic panic0(v14, v2)
                block5(v42: i32):
                    store.global v3, v42
                    return
                }
            "#]],
        );
    }

    #[test]
    fn four_elements_of_each_iteration() {
        let text = data_ends(
            "v21: i64 = mul v11, v10
                v22: i64 = const 3
                v23: i64 = add v21, v22
                v14: i64 = add v6, v23",
            "",
        );
        check(
            version_loops,
            &text,
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = zext v1
                    v3: i64 = param2
                    v4: i32 = load.global v3
                    v5: i32 = load.global v3 + 4
                    v6: i64 = zext v4
                    v7: i64 = zext v5
                    v8: i32 = const 0
                    v9: i64 = const 1
                    v10: i64 = const 4
                    v27: i64 = sub v7, v9
                    v29: i64 = mul v27, v10
                    v30: i64 = const 3
                    v32: i64 = add v29, v30
                    v34: i64 = add v6, v32
                    v35: bool = icmp ult v34, v2
                    branch v35, block7, block1(v6, v8)
                block7:
                    jump block8(v6, v8)
                block8(v39: i64, v40: i32):
                    v42: bool = icmp ult v39, v7
                    branch v42, block9, block5(v40)
                block9:
                    v43: i64 = mul v39, v10
                    v45: i64 = add v43, v30
                    v46: i64 = add v6, v45
                    v48: i64 = mul nuw v46, v10
                    v49: i64 = add nuw v0, v48
                    v50: i32 = load.global v49
                    v51: i32 = add v40, v50
                    v52: i64 = add nuw v39, v9
                    jump block8(v52, v51)
                block1(v11: i64, v12: i32) nounroll:
                    v13: bool = icmp ult v11, v7
                    branch v13, block2, block5(v12)
                block2:
                    v21: i64 = mul v11, v10
                    v23: i64 = add v21, v30
                    v14: i64 = add v6, v23
                    v15: bool = icmp ult v14, v2
                    branch v15, block3, block4
                block3:
                    v16: i64 = mul nuw v14, v10
                    v17: i64 = add nuw v0, v16
                    v18: i32 = load.global v17
                    v19: i32 = add v12, v18
                    v20: i64 = add nuw v11, v9
                    jump block1(v20, v19)
                block4:
                    panic panic0(v14, v2)
                block5(v53: i32):
                    store.global v3, v53
                    return
                }
            "#]],
        );
    }

    /// Both cursors of a merge are below their ends, of which the second test is not the header's.
    #[test]
    fn two_cursors() {
        check(
            version_loops,
            "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = param2
                v3: i32 = load.global v2
                v4: i32 = load.global v2 + 4
                v5: i32 = const 0
                v6: i32 = const 1
                v7: i64 = const 4
                jump block1(v5, v5)
            block1(v8: i32, v9: i32):
                v10: bool = icmp ult v8, v3
                branch v10, block2, block9
            block2:
                v11: bool = icmp ult v9, v4
                branch v11, block3, block9
            block3:
                v12: bool = icmp ult v8, v1
                branch v12, block4, block10
            block4:
                v13: i64 = zext v8
                v14: i64 = mul nuw v13, v7
                v15: i64 = add nuw v0, v14
                v16: i32 = load.global v15
                v17: bool = icmp ult v9, v1
                branch v17, block5, block10
            block5:
                v18: i64 = zext v9
                v19: i64 = mul nuw v18, v7
                v20: i64 = add nuw v0, v19
                v21: i32 = load.global v20
                v22: bool = icmp ult v16, v21
                branch v22, block6, block7
            block6:
                v23: i32 = add nuw v8, v6
                jump block1(v23, v9)
            block7:
                v24: i32 = add nuw v9, v6
                jump block1(v8, v24)
            block9:
                return
            block10:
                panic panic0(v7, v7)
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = param2
                    v3: i32 = load.global v2
                    v4: i32 = load.global v2 + 4
                    v5: i32 = const 0
                    v6: i32 = const 1
                    v7: i64 = const 4
                    jump block11(v5, v5)
                block11(v25: i32, v26: i32):
                    v27: i64 = zext v3
                    v28: i64 = const 1
                    v29: i64 = sub v27, v28
                    v30: i64 = zext v25
                    v31: i64 = zext v1
                    v32: bool = icmp ult v29, v31
                    v33: i64 = zext v4
                    v34: i64 = sub v33, v28
                    v35: i64 = zext v26
                    v36: bool = icmp ult v34, v31
                    v54: bool = and v32, v36
                    branch v54, block12, block1(v25, v26)
                block12:
                    jump block13(v25, v26)
                block13(v37: i32, v38: i32):
                    v39: bool = icmp ult v37, v3
                    branch v39, block14, block9
                block14:
                    v40: bool = icmp ult v38, v4
                    branch v40, block15, block9
                block15:
                    v41: bool = icmp ult v37, v1
                    jump block16
                block16:
                    v42: i64 = zext v37
                    v43: i64 = mul nuw v42, v7
                    v44: i64 = add nuw v0, v43
                    v45: i32 = load.global v44
                    v46: bool = icmp ult v38, v1
                    jump block17
                block17:
                    v47: i64 = zext v38
                    v48: i64 = mul nuw v47, v7
                    v49: i64 = add nuw v0, v48
                    v50: i32 = load.global v49
                    v51: bool = icmp ult v45, v50
                    branch v51, block18, block19
                block18:
                    v52: i32 = add nuw v37, v6
                    jump block13(v52, v38)
                block19:
                    v53: i32 = add nuw v38, v6
                    jump block13(v37, v53)
                block20:
                    panic panic0(v7, v7)
                block1(v8: i32, v9: i32) nounroll:
                    v10: bool = icmp ult v8, v3
                    branch v10, block2, block9
                block2:
                    v11: bool = icmp ult v9, v4
                    branch v11, block3, block9
                block3:
                    v12: bool = icmp ult v8, v1
                    branch v12, block4, block10
                block4:
                    v13: i64 = zext v8
                    v14: i64 = mul nuw v13, v7
                    v15: i64 = add nuw v0, v14
                    v16: i32 = load.global v15
                    v17: bool = icmp ult v9, v1
                    branch v17, block5, block10
                block5:
                    v18: i64 = zext v9
                    v19: i64 = mul nuw v18, v7
                    v20: i64 = add nuw v0, v19
                    v21: i32 = load.global v20
                    v22: bool = icmp ult v16, v21
                    branch v22, block6, block7
                block6:
                    v23: i32 = add nuw v8, v6
                    jump block1(v23, v9)
                block7:
                    v24: i32 = add nuw v9, v6
                    jump block1(v8, v24)
                block9:
                    return
                block10:
                    panic panic0(v7, v7)
                }
            "#]],
        );
    }

    #[test]
    fn indices_that_are_data() {
        check_stays(version_loops, &data_ends("v21: i32 = load.global v3 + 8\n v14: i64 = zext v21", ""));
    }

    /// `for j in start..end { sum += x[columns[j]] }`: the check of `columns` goes, that of `x` stays in both versions.
    #[test]
    fn a_check_of_data_beside() {
        check(
            version_loops,
            &data_ends(
                "v21: bool = icmp ult v11, v2
                branch v21, block7, block6
            block6:
                panic panic0(v11, v2)
            block7:
                v22: i64 = mul nuw v11, v10
                v23: i64 = add nuw v3, v22
                v24: i32 = load.global v23
                v14: i64 = zext v24",
                "",
            ),
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = zext v1
                    v3: i64 = param2
                    v4: i32 = load.global v3
                    v5: i32 = load.global v3 + 4
                    v6: i64 = zext v4
                    v7: i64 = zext v5
                    v8: i32 = const 0
                    v9: i64 = const 1
                    v10: i64 = const 4
                    v28: i64 = sub v7, v9
                    v29: bool = icmp ult v28, v2
                    branch v29, block9, block1(v6, v8)
                block9:
                    jump block10(v6, v8)
                block10(v33: i64, v34: i32):
                    v36: bool = icmp ult v33, v7
                    branch v36, block12, block5(v34)
                block12:
                    v38: i64 = mul nuw v33, v10
                    v39: i64 = add nuw v3, v38
                    v40: i32 = load.global v39
                    v41: i64 = zext v40
                    v42: bool = icmp ult v40, v1
                    branch v42, block13, block15
                block13:
                    v43: i64 = mul nuw v41, v10
                    v44: i64 = add nuw v0, v43
                    v45: i32 = load.global v44
                    v46: i32 = add v34, v45
                    v47: i64 = add nuw v33, v9
                    jump block10(v47, v46)
                block15:
                    panic panic0(v41, v2)
                block1(v11: i64, v12: i32) nounroll:
                    v13: bool = icmp ult v11, v7
                    branch v13, block2, block5(v12)
                block2:
                    v21: bool = icmp ult v11, v2
                    branch v21, block7, block6
                block6:
                    panic panic0(v11, v2)
                block7:
                    v22: i64 = mul nuw v11, v10
                    v23: i64 = add nuw v3, v22
                    v24: i32 = load.global v23
                    v14: i64 = zext v24
                    v15: bool = icmp ult v24, v1
                    branch v15, block3, block4
                block3:
                    v16: i64 = mul nuw v14, v10
                    v17: i64 = add nuw v0, v16
                    v18: i32 = load.global v17
                    v19: i32 = add v12, v18
                    v20: i64 = add nuw v11, v9
                    jump block1(v20, v19)
                block4:
                    panic panic0(v14, v2)
                block5(v48: i32):
                    store.global v3, v48
                    return
                }
            "#]],
        );
    }

    #[test]
    fn indices_without_bounds() {
        check_stays(version_loops, &data_ends("v14: i64 = xor v11, v9", ""));
        // Two numbers that differ, and a difference from what may be zero in a test that never passes.
        check_stays(version_loops, &data_ends("v21: i64 = lshr v11, v9\nv14: i64 = sub v11, v21", ""));
        check_stays(version_loops, &data_ends("v21: i64 = and v11, v10\nv14: i64 = sub v21, v9", ""));
        check_stays(
            version_loops,
            &data_ends("v21: i64 = sext v5\n v14: i64 = mul v11, v12", "")
                .replace("v12: i32", "v12: i64")
                .replace("v8: i32 = const 0", "v8: i64 = const 0")
                .replace("v19: i32 = add v12, v18", "v22: i64 = zext v18\n v19: i64 = add v12, v22")
                .replace("store.global v3, v12", "v23: i32 = trunc_int v12\n store.global v3, v23"),
        );
        // Of a product with itself no more than a sum of so many terms is looked at.
        let square = |n: u32| format!("v{}: i64 = add v{}, v{}", n + 1, n, n);
        let doubled: Vec<String> = (30..40).map(square).collect();
        let index = format!("v30: i64 = mul v11, v11\n {}\n v14: i64 = add v40, v9", doubled.join("\n "));
        check_stays(version_loops, &data_ends(&index, ""));
    }

    /// Test in front of a loop for its version without checks: the instructions between the constant `v10` and the branch to it.
    fn test_of(text: &str) -> String {
        let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
        version_loops(&mut func);
        crate::passes::assert_valid("version_loops", &func);
        crate::passes::dce::eliminate_dead_code(&mut func);
        let text = func.to_string();
        crate::passes::simplify_cfg::simplify_cfg(&mut func);
        let left = func.to_string();
        assert_eq!(left.matches("panic panic").count(), 1, "{left}");
        let mut lines = text.lines().map(str::trim).skip_while(|line| !line.contains("v10: i64")).skip(1);
        let mut test = Vec::new();
        while let Some(line) = lines.next().filter(|line| !line.contains(", block1(")) {
            test.push(line);
        }
        format!("    {}\n", test.join("\n    "))
    }

    #[test]
    fn products_and_differences() {
        let indices = [
            "v14: i64 = mul v11, v11",
            "v14: i64 = sub v11, v9",
            "v21: i64 = add v11, v2; v22: i64 = mul v21, v2; v14: i64 = add v22, v7",
            "v21: i64 = sub v7, v9; v14: i64 = sub v21, v11",
            "v21: i64 = const 3; v14: i64 = and v11, v21",
            "v14: i64 = urem v11, v6",
            "v21: i64 = lshr v11, v9; v14: i64 = umin v21, v7",
            "v21: i64 = const 0xfffffffffffffff8; v14: i64 = and v11, v21",
        ];
        let of = |index: &&str| format!("{index}\n{}", test_of(&data_ends(&index.replace("; ", "\n"), "")));
        let tests: String = indices.iter().map(of).collect();
        expect![[r#"
            v14: i64 = mul v11, v11
                v24: i64 = sub v7, v9
                v26: i64 = mul v24, v24
                v27: bool = icmp ult v26, v2
            v14: i64 = sub v11, v9
                v25: bool = icmp ne v4, v8
                v48: i64 = const 2
                v26: i64 = sub v7, v48
                v28: bool = icmp ult v26, v2
                v43: bool = and v25, v28
            v21: i64 = add v11, v2; v22: i64 = mul v21, v2; v14: i64 = add v22, v7
                v26: i64 = sub v7, v9
                v28: i64 = add v26, v2
                v29: i64 = const 0xffffffff
                v30: bool = icmp ule v28, v29
                v32: i64 = mul v28, v2
                v34: i64 = add v32, v7
                v35: bool = icmp ult v34, v2
                v52: bool = and v30, v35
            v21: i64 = sub v7, v9; v14: i64 = sub v21, v11
                v24: i64 = sub v7, v9
                v27: bool = icmp ule v24, v24
                v28: i64 = sub v24, v6
                v30: bool = icmp ult v28, v2
                v46: bool = and v27, v30
            v21: i64 = const 3; v14: i64 = and v11, v21
                v24: i64 = const 3
                v43: i32 = const 3
                v25: bool = icmp ugt v1, v43
            v14: i64 = urem v11, v6
                v24: i64 = sub v6, v9
                v25: bool = icmp ult v24, v2
            v21: i64 = lshr v11, v9; v14: i64 = umin v21, v7
                v25: i64 = sub v7, v9
                v27: i64 = lshr v25, v9
                v29: i64 = umin v27, v7
                v30: bool = icmp ult v29, v2
            v21: i64 = const 0xfffffffffffffff8; v14: i64 = and v11, v21
                v25: i64 = sub v7, v9
                v26: bool = icmp ult v25, v2
        "#]]
        .assert_eq(&tests);
    }

    /// A loop that goes on at its end: `for j in start..=end`, `for j in (start..=end).rev()`, `for j in (start..=end).step_by(4)`.
    fn tested_at_its_end(first: &str, goes_on: &str, next: &str) -> String {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4) {{
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i64 = param2
                v4: i32 = load.global v3
                v5: i32 = load.global v3 + 4
                v6: i64 = zext v4
                v7: i64 = zext v5
                v8: i64 = const 4
                v9: i64 = const 1
                v10: i64 = const 4
                v15: bool = icmp ule v6, v7
                branch v15, block1({first}), block5
            block1(v11: i64):
                v12: bool = icmp ult v11, v2
                branch v12, block2, block4
            block2:
                v16: i64 = mul nuw v11, v10
                v17: i64 = add nuw v0, v16
                store.global v17, v5
                v13: bool = icmp {goes_on}
                branch v13, block3, block5
            block3:
                v20: i64 = {next}
                jump block1(v20)
            block4:
                panic panic0(v11, v2)
            block5:
                return
            }}"
        )
    }

    #[test]
    fn loops_that_test_at_their_ends() {
        let loops = [
            ("v6", "ult v11, v7", "add nuw v11, v9"),
            ("v6", "ult v11, v7", "add nuw v11, v8"),
            ("v7", "ult v6, v11", "sub nuw v11, v9"),
        ];
        let tests: String = loops
            .iter()
            .map(|(first, goes_on, next)| {
                format!("{goes_on}; {next}\n{}", test_of(&tested_at_its_end(first, goes_on, next)))
            })
            .collect();
        expect![[r#"
            ult v11, v7; add nuw v11, v9
                v15: bool = icmp ule v6, v7
                branch v15, block6(v6), block5
                block6(v21: i64):
                v22: i64 = const 0
                v23: i64 = add v7, v22
                v24: i64 = umax v21, v23
                v25: bool = icmp ult v24, v2
            ult v11, v7; add nuw v11, v8
                v15: bool = icmp ule v6, v7
                branch v15, block6(v6), block5
                block6(v21: i64):
                v22: i64 = const 3
                v23: i64 = add v7, v22
                v24: i64 = umax v21, v23
                v25: bool = icmp ult v24, v2
            ult v6, v11; sub nuw v11, v9
                v15: bool = icmp ule v6, v7
                branch v15, block6(v7), block5
                block6(v21: i64):
                v22: bool = icmp ult v21, v2
        "#]]
        .assert_eq(&tests);
        // It may wrap, so that nothing bounds it.
        check_stays(version_loops, &tested_at_its_end("v6", "ult v11, v7", "add v11, v8"));
        check_stays(version_loops, &tested_at_its_end("v7", "ult v6, v11", "sub v11, v8"));
    }

    /// An end that a branch of the loop bounds is larger in front of it: what it is multiplied by is tested.
    #[test]
    fn an_end_in_the_loop() {
        let text = "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i32, param3 start: i32, param4 k: i32, param5 t: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v4: i32 = param3
                v5: i32 = param4
                v6: i64 = zext v5
                v7: i32 = param5
                v8: i64 = zext v7
                v9: i32 = const 1
                v24: i32 = const 10
                v25: i32 = const 4
                v10: i64 = const 4
                jump block1(v4)
            block1(v11: i32):
                v14: i64 = zext v11
                v15: i64 = mul v14, v6
                v16: i64 = add v15, v8
                v17: bool = icmp ult v16, v2
                branch v17, block2, block6
            block2:
                v18: i64 = mul nuw v16, v10
                v19: i64 = add nuw v0, v18
                store.global v19, v11
                v20: bool = icmp ult v3, v24
                branch v20, block3, block5
            block3:
                v21: i32 = add nuw v3, v9
                v22: bool = icmp ult v11, v21
                branch v22, block4, block5
            block4:
                v23: i32 = add nuw v11, v25
                jump block1(v23)
            block5:
                return
            block6:
                panic panic0(v16, v2)
            }";
        expect![[r#"
            test
                jump block7(v4)
                block7(v26: i32):
                v27: i64 = zext v26
                v28: i32 = add v3, v9
                v29: i64 = zext v28
                v30: i64 = const 3
                v31: i64 = add v29, v30
                v32: i64 = umax v27, v31
                v33: i64 = const 0xffffffff
                v34: bool = icmp ule v32, v33
                v36: i64 = mul v32, v6
                v38: i64 = add v36, v8
                v39: bool = icmp ult v38, v2
                v51: bool = and v34, v39
        "#]]
        .assert_eq(&format!("test\n{}", test_of(text)));
    }

    #[test]
    fn lanes_that_wait_for_each_other() {
        check_stays(version_loops, &data_ends("v14: i64 = add v11, v9", "barrier"));
    }

    /// Returns true if the check of `x[index]` in `while i cond end` is proved behind a test that `most` is at most the length.
    fn is_proved(most: &str, cond: &str, index: &str) -> bool {
        let text = format!(
            "kernel k(param0 n: i32, param1 first: i32, param2 last: i32) {{
                panic0 index
            block0:
                v0: i32 = param0
                v1: i64 = zext v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i64 = zext v4
                v6: i64 = const 0
                v7: i64 = const 1
                v8: i64 = const 2
                v9: i64 = const 3
                v10: i64 = const 4
                v11: i64 = mul nuw v5, v10
                v12: i64 = mul nuw v5, v9
                v13: i64 = add nuw v3, {most}
                v14: bool = icmp ule v13, v1
                branch v14, block6, block4
            block6:
                jump block1(v6)
            block1(v15: i64):
                v16: bool = icmp {cond} v15, v5
                branch v16, block2, block4
            block2:
                {index}
                v20: bool = icmp ult v19, v1
                branch v20, block3, block5
            block3:
                v21: i64 = add nuw v15, v7
                jump block1(v21)
            block4:
                return
            block5:
                panic panic0(v19, v1)
            }}"
        );
        let func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        crate::passes::assert_valid("none yet", &func);
        let check = func.layout.iter().find_map(|&block| Some((block, Check::of(&func, block)?)));
        let (block, check) = check.unwrap_or_else(|| panic!("a check in\n{text}"));
        Ranges::new(&func).proves_that(check.cond, check.truth, block)
    }

    /// A test of a sum with the end bounds sums with the counter.
    #[test]
    fn sums_that_a_test_bounds() {
        let four_and_three = "v17: i64 = mul v15, v10
            v18: i64 = add v17, v9
            v19: i64 = add v3, v18";
        assert!(is_proved("v11", "ult", four_and_three));
        // Too small a factor, no end, and a counter that is the end once.
        assert!(!is_proved("v12", "ult", four_and_three));
        assert!(!is_proved("v5", "ult", four_and_three));
        assert!(!is_proved("v10", "ult", four_and_three));
        assert!(!is_proved("v11", "ule", four_and_three));
        // One more than the last of the four.
        assert!(!is_proved("v11", "ult", &four_and_three.replace("v17, v9", "v17, v10")));
        let beside_the_end = "v17: i64 = add v15, v5
            v19: i64 = add v3, v17";
        assert!(!is_proved("v5", "ult", beside_the_end));
        assert!(is_proved("v5", "ult", "v19: i64 = add v3, v15"));
    }
}
