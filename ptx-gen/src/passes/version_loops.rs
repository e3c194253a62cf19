//! Loop versioning: `for j in start..end { x[j] }` tests `end <= x.len()` before the loop, where `end` is data, and then runs a copy of the
//! loop without checks.
//!
//! So it is of other numbers than a counter that branches in the loop say to be below an end: of both cursors of a merge,
//! `while a < a_end && b < b_end { if x[a] < x[b] { a += 1 } else { b += 1 } }`.
//!
//! One test in front of the loop, by arithmetic alone, bounds the indices of all iterations. If it passes, a copy of the loop runs, in which
//! the [ranges](crate::analysis::Ranges) prove each check, so that it can be unrolled as any other. If it fails, the loop itself runs and
//! reaches the check that fails, so a panic is the same. Checks that launch guards cover are gone before this pass; checks of indices that
//! are data themselves stay in both.
//!
//! Indices that step beside the counter, `to += 1` in `for _ in 0..count`, are sums of it and of their initial values first, as LLVM's pass
//! IndVarSimplify has it.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::checks::{Check, below};
use super::fold::fold_constants;
use super::promote::promote_locals;
use super::renames::Renames;
use super::unlocks::converges;
use super::unroll::copy::{call, copy_region, enter_by, params_like, region, spill_live_out};
use super::unroll::data_checks::{Induction, inductions};
use super::unroll::forget_locals;
use super::unroll::hoist::{Appender, Inside};
use crate::analysis::{Cfg, DomTree, Loop, Loops, Ranges};
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstData, IntCond, LoopHint, SourceLoc, Type, UnaryOp, Value,
    ValueDef,
};

/// Instructions of a loop: it comes twice.
const MOST_INSTS: usize = 100;
/// Loops of a function.
const MOST_LOOPS: usize = 8;
/// Terms of an index.
const MOST_TERMS: usize = 4;

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
            Sum::of(before, &inside, induction.param, index).is_some_and(|sum| sum.of_counter > 0)
                || less(before, &inside, index, induction.param).is_some()
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

/// An index as a sum: `factor * counter`, invariant values with factors, and a number. Whether it wraps is not looked at.
#[derive(Default)]
struct Sum {
    of_counter: u64,
    terms: Vec<(Value, u64)>,
    number: u64,
}

impl Sum {
    fn of(func: &Function, inside: &Inside, counter: Value, index: Value) -> Option<Sum> {
        let mut sum = Sum::default();
        sum.add(func, inside, counter, index, 1)?;
        (sum.terms.len() <= MOST_TERMS).then_some(sum)
    }

    fn add(&mut self, func: &Function, inside: &Inside, counter: Value, value: Value, by: u64) -> Option<()> {
        if value == counter {
            self.of_counter = self.of_counter.checked_add(by)?;
            return Some(());
        }
        if let Some(bits) = func.constant(value) {
            self.number = self.number.checked_add(bits.checked_mul(by)?)?;
            return Some(());
        }
        if inside.is_invariant(func, value) {
            match self.terms.iter_mut().find(|(term, _)| *term == value) {
                Some((_, factor)) => *factor = factor.checked_add(by)?,
                None => self.terms.push((value, by)),
            }
            return Some(());
        }
        match *func.def(value)? {
            InstData::Convert { op: ConvertOp::ZeroExtend, arg } => self.add(func, inside, counter, arg, by),
            InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } => {
                self.add(func, inside, counter, a, by)?;
                self.add(func, inside, counter, b, by)
            }
            InstData::Binary { op: BinaryOp::Mul, args: [a, b], .. } => {
                let factor = by.checked_mul(func.constant(b)?)?;
                self.add(func, inside, counter, a, factor)
            }
            InstData::Binary { op: BinaryOp::Shl, args: [a, b], .. } => {
                let shift = func.constant(b).filter(|&shift| shift < 32)?;
                self.add(func, inside, counter, a, by.checked_mul(1 << shift)?)
            }
            _ => None,
        }
    }
}

/// A test in front of a loop for one of its checks.
#[derive(PartialEq)]
enum Test {
    /// The condition of the check itself, and what it has to be.
    Invariant(Value, bool),
    /// That a sum of terms with factors, and a number, is at most a length.
    AtMost { terms: Vec<(Value, u64)>, more: u64, length: Value },
}

/// The test for a check of a loop, given numbers and their ends; none if there is no such test, as of an index that is data.
fn test_of(func: &Function, inside: &Inside, check: &Check, below_ends: &[(Value, Value)]) -> Option<Test> {
    if inside.is_invariant(func, check.cond) {
        return Some(Test::Invariant(check.cond, check.truth));
    }
    let (index, length) = below(func, check.cond, check.truth)?;
    if !matches!(func.ty(index), Type::I32 | Type::I64) || !inside.is_invariant(func, length) {
        return None;
    }
    below_ends.iter().find_map(|&(counter, end)| {
        let sum = Sum::of(func, inside, counter, index).filter(|sum| sum.of_counter > 0)?;
        // `factor * i + number` is below `factor * end + more` for an `i` below the end.
        let more = sum.number.checked_add(1)?.saturating_sub(sum.of_counter);
        Some(Test::AtMost { terms: [&[(end, sum.of_counter)], &sum.terms[..]].concat(), more, length })
    })
}

/// Numbers that branches of the loop on the way to a block say to be below an end, which is invariant; the latest branch comes first.
fn below_ends(
    func: &Function,
    (cfg, tree): (&Cfg, &DomTree),
    inside: &Inside,
    around: &Loop,
    mut block: Block,
) -> Vec<(Value, Value)> {
    let mut found = Vec::new();
    while block != around.header
        && let Some(branch) = tree.idom(block)
    {
        if let Some(InstData::Branch { cond, if_true, if_false, .. }) =
            func.terminator(branch).map(|inst| &func.insts[inst])
            && if_true.block != if_false.block
            && cfg.predecessors(block) == [branch]
            && Check::of(func, branch).is_none()
            && let Some((number, end)) = below(func, *cond, if_true.block == block)
            && inside.is_invariant(func, end)
        {
            found.push((number, end));
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
    let checks = around.blocks.iter().filter_map(|&block| Check::of(before, block));
    // Checks of data stay.
    let tested: Vec<(Test, Check)> = checks
        .filter_map(|check| {
            let ends = below_ends(before, (cfg, &tree), &inside, around, check.block);
            Some((test_of(before, &inside, &check, &ends)?, check))
        })
        .collect();
    if !tested.iter().any(|(test, _)| matches!(test, Test::AtMost { .. })) {
        return None;
    }

    let mut func = before.clone();
    let location = func.terminator(header).map_or(SourceLoc::default(), |inst| func.locations[inst]);
    spill_live_out(&mut func, &region);
    let copy = copy_region(&mut func, &region);
    let [test, entry] = [0; 2].map(|_| func.make_block());
    enter_by(&mut func, cfg, around, test);
    let starts = params_like(&mut func, header, test, &[]);
    let ranges = ranges.get_or_init(|| Ranges::new(before));
    let out = Appender { func: &mut func, inside: &inside, location };
    let mut front = Front { ranges, out, test, conds: Vec::new() };
    for (index, (test, _)) in tested.iter().enumerate() {
        if !tested[..index].iter().any(|(known, _)| known == test) {
            front.add(test);
        }
    }
    let Front { mut out, conds, .. } = front;
    out.branch(test, &conds, call(entry, &[]), call(header, &starts));
    out.effect(entry, InstData::Jump { target: call(copy[&header], &starts) });
    func.blocks[header].hint = Some(LoopHint::Never);
    let at = func.layout.iter().position(|&block| block == header)?;
    let added = [test, entry].into_iter().chain(region.iter().map(|block| copy[block]));
    func.layout.splice(at..at, added.collect::<Vec<_>>());
    promote_locals(&mut func);
    fold_constants(&mut func);
    remove_proved(&mut func, tested.iter().map(|(_, check)| (copy[&check.block], check.truth)))?;
    Some((func, [header, copy[&header]]))
}

/// The block in front of a loop, which tests whether the version without checks may run.
struct Front<'t> {
    /// Those of the function without that version.
    ranges: &'t Ranges<'t>,
    out: Appender<'t>,
    test: Block,
    conds: Vec<Value>,
}

impl Front<'_> {
    fn add(&mut self, test: &Test) {
        match *test {
            Test::Invariant(cond, truth) => {
                let cond = self.out.invariant(self.test, cond);
                let negated = InstData::Unary { op: UnaryOp::Not, arg: cond };
                self.conds.push(if truth { cond } else { self.out.value(self.test, negated, Type::Bool) });
            }
            Test::AtMost { ref terms, more, length } => self.at_most(terms, more, length),
        }
    }

    /// Tests that a sum of terms with factors, and a number, is at most a length.
    fn at_most(&mut self, terms: &[(Value, u64)], more: u64, length: Value) {
        let length = self.extended(length);
        let mut sum = None;
        for &(value, factor) in terms {
            let mut term = self.extended(value);
            // A value above a length fails some check, and its product could wrap.
            if !self.ranges.fits_u32(value) {
                self.compare(term, length);
            }
            if factor > 1 {
                let factor = self.out.constant(self.test, factor, Type::I64);
                term = self.out.binary(self.test, BinaryOp::Mul, [term, factor], false);
            }
            sum = Some(self.plus(sum, term));
        }
        if more > 0 {
            let more = self.out.constant(self.test, more, Type::I64);
            sum = Some(self.plus(sum, more));
        }
        if let Some(sum) = sum {
            self.compare(sum, length);
        }
    }

    fn plus(&mut self, sum: Option<Value>, term: Value) -> Value {
        match sum {
            Some(sum) => self.out.binary(self.test, BinaryOp::Add, [sum, term], false),
            None => term,
        }
    }

    fn compare(&mut self, less: Value, more: Value) {
        let fits = InstData::IntCompare { cond: IntCond::ULe, args: [less, more] };
        self.conds.push(self.out.value(self.test, fits, Type::Bool));
    }

    /// A value, which is invariant in the loop, before it and in 64 bits.
    fn extended(&mut self, value: Value) -> Value {
        let value = self.out.invariant(self.test, value);
        if self.out.func.ty(value) == Type::I64 {
            return value;
        }
        self.out.value(self.test, InstData::Convert { op: ConvertOp::ZeroExtend, arg: value }, Type::I64)
    }
}

/// Removes the checks at the ends of these blocks, which pass if their conditions are this; none if one of them is not proved.
pub(super) fn remove_proved(func: &mut Function, checks: impl Iterator<Item = (Block, bool)>) -> Option<()> {
    let ranges = Ranges::new(func);
    let mut decided = Vec::new();
    for (block, truth) in checks {
        let inst = func.terminator(block)?;
        match &func.insts[inst] {
            InstData::Branch { cond, if_true, if_false, .. } => {
                if !ranges.proves_that(*cond, truth, block) {
                    return None;
                }
                decided.push((inst, if truth { if_true.clone() } else { if_false.clone() }));
            }
            InstData::Jump { .. } => {}
            _ => return None,
        }
    }
    for (inst, target) in decided {
        func.insts[inst] = InstData::Jump { target };
    }
    Some(())
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
                v57: bool = icmp ule v3, v1
                v58: bool = icmp ule v4, v1
                v59: i64 = add v3, v4
                v60: bool = icmp ule v59, v1
                v62: bool = icmp ule v31, v1
                v63: i64 = add v3, v31
                v64: bool = icmp ule v63, v1
                v65: bool = and v57, v58
                v66: bool = and v65, v60
                v67: bool = and v66, v57
                v68: bool = and v67, v62
                v69: bool = and v68, v64
                branch v69, block17, block1(v6, v5)
            block17:
                jump block10(v6, v5)
            block10(v36: i64, v38: i64):
                v40: i64 = add v4, v36
                v41: i64 = add v31, v36
                v42: bool = icmp ult v36, v3
                branch v42, block11, block6(v38)
            block11:
                v43: bool = icmp ult v40, v1
                jump block12
            block12:
                v45: bool = icmp ult v41, v1
                jump block13
            block13:
                v46: i64 = mul nuw v41, v9
                v47: i64 = add nuw v0, v46
                v48: i32 = load.global v47
                v49: i64 = mul nuw v40, v9
                v50: i64 = add nuw v0, v49
                store.global v50, v48
                v51: i64 = add v36, v7
                v53: i64 = add v38, v8
                jump block10(v51, v53)
            block14:
                panic panic0(v40, v1)
            block15:
                panic panic0(v41, v1)
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
            block6(v70: i64):
                store.global v2, v70
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
                v60: bool = icmp ule v3, v1
                v61: bool = icmp ule v4, v1
                v62: i64 = add v3, v4
                v63: bool = icmp ule v62, v1
                v65: i64 = const 2
                v66: i64 = mul v3, v65
                v67: bool = icmp ule v5, v1
                v68: i64 = add v66, v5
                v69: bool = icmp ule v68, v1
                v70: bool = and v60, v61
                v71: bool = and v70, v63
                v72: bool = and v71, v60
                v73: bool = and v72, v67
                v74: bool = and v73, v69
                branch v74, block17, block1(v6)
            block17:
                jump block10(v6)
            block10(v37: i64):
                v40: i64 = add v4, v37
                v42: i64 = mul v37, v65
                v43: i64 = add v5, v42
                v45: bool = icmp ult v37, v3
                branch v45, block11, block6(v43)
            block11:
                v46: bool = icmp ult v40, v1
                jump block12
            block12:
                v47: i64 = add v43, v7
                v48: bool = icmp ult v47, v1
                jump block13
            block13:
                v49: i64 = mul nuw v47, v9
                v50: i64 = add nuw v0, v49
                v51: i32 = load.global v50
                v52: i64 = mul nuw v40, v9
                v53: i64 = add nuw v0, v52
                store.global v53, v51
                v54: i64 = add v37, v7
                jump block10(v54)
            block14:
                panic panic0(v40, v1)
            block15:
                panic panic0(v47, v1)
            block1(v10: i64) nounroll:
                v30: i64 = add v4, v10
                v32: i64 = mul v10, v65
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
            block6(v75: i64):
                store.global v2, v75
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
                v38: i64 = add v7, v9
                v39: bool = icmp ule v38, v2
                branch v39, block11, block1(v6, v8)
            block11:
                jump block6(v6, v8)
            block6(v24: i64, v25: i32):
                v27: bool = icmp ult v24, v7
                branch v27, block7, block5(v25)
            block7:
                v28: i64 = add v24, v9
                v29: bool = icmp ult v28, v2
                jump block8
            block8:
                v30: i64 = mul nuw v28, v10
                v31: i64 = add nuw v0, v30
                v32: i32 = load.global v31
                v33: i32 = add v25, v32
                jump block6(v28, v33)
            block9:
                panic panic0(v28, v2)
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
            block5(v40: i32):
                store.global v3, v40
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
                v44: i64 = mul v7, v10
                v45: i64 = add v44, v6
                v46: bool = icmp ule v45, v2
                branch v46, block11, block1(v6, v8)
            block11:
                jump block6(v6, v8)
            block6(v27: i64, v28: i32):
                v30: bool = icmp ult v27, v7
                branch v30, block7, block5(v28)
            block7:
                v31: i64 = mul v27, v10
                v32: i64 = const 3
                v33: i64 = add v31, v32
                v34: i64 = add v6, v33
                v35: bool = icmp ult v34, v2
                jump block8
            block8:
                v36: i64 = mul nuw v34, v10
                v37: i64 = add nuw v0, v36
                v38: i32 = load.global v37
                v39: i32 = add v28, v38
                v40: i64 = add nuw v27, v9
                jump block6(v40, v39)
            block9:
                panic panic0(v34, v2)
            block1(v11: i64, v12: i32) nounroll:
                v13: bool = icmp ult v11, v7
                branch v13, block2, block5(v12)
            block2:
                v21: i64 = mul v11, v10
                v22: i64 = const 3
                v23: i64 = add v21, v22
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
            block5(v47: i32):
                store.global v3, v47
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
                    jump block19(v5, v5)
                block19(v42: i32, v43: i32):
                    v44: i64 = zext v1
                    v45: i64 = zext v3
                    v46: bool = icmp ule v3, v1
                    v47: i64 = zext v1
                    v48: i64 = zext v4
                    v49: bool = icmp ule v4, v1
                    v50: bool = and v46, v49
                    branch v50, block20, block1(v42, v43)
                block20:
                    jump block11(v42, v43)
                block11(v25: i32, v26: i32):
                    v27: bool = icmp ult v25, v3
                    branch v27, block12, block9
                block12:
                    v28: bool = icmp ult v26, v4
                    branch v28, block13, block9
                block13:
                    v29: bool = icmp ult v25, v1
                    jump block14
                block14:
                    v30: i64 = zext v25
                    v31: i64 = mul nuw v30, v7
                    v32: i64 = add nuw v0, v31
                    v33: i32 = load.global v32
                    v34: bool = icmp ult v26, v1
                    jump block15
                block15:
                    v35: i64 = zext v26
                    v36: i64 = mul nuw v35, v7
                    v37: i64 = add nuw v0, v36
                    v38: i32 = load.global v37
                    v39: bool = icmp ult v33, v38
                    branch v39, block16, block17
                block16:
                    v40: i32 = add nuw v25, v6
                    jump block11(v40, v26)
                block17:
                    v41: i32 = add nuw v26, v6
                    jump block11(v25, v41)
                block18:
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
                    v45: bool = icmp ule v5, v1
                    branch v45, block15, block1(v6, v8)
                block15:
                    jump block8(v6, v8)
                block8(v28: i64, v29: i32):
                    v31: bool = icmp ult v28, v7
                    branch v31, block9, block5(v29)
                block9:
                    v32: bool = icmp ult v28, v2
                    jump block10
                block10:
                    v33: i64 = mul nuw v28, v10
                    v34: i64 = add nuw v3, v33
                    v35: i32 = load.global v34
                    v36: i64 = zext v35
                    v37: bool = icmp ult v35, v1
                    branch v37, block11, block13
                block11:
                    v38: i64 = mul nuw v36, v10
                    v39: i64 = add nuw v0, v38
                    v40: i32 = load.global v39
                    v41: i32 = add v29, v40
                    v42: i64 = add nuw v28, v9
                    jump block8(v42, v41)
                block12:
                    panic panic0(v28, v2)
                block13:
                    panic panic0(v36, v2)
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
                block5(v46: i32):
                    store.global v3, v46
                    return
                }
            "#]],
        );
    }

    #[test]
    fn indices_that_may_wrap() {
        // The counter times itself, and a distance below zero.
        check_stays(version_loops, &data_ends("v14: i64 = mul v11, v11", ""));
        check_stays(version_loops, &data_ends("v14: i64 = sub v11, v9", "").replace("zext v4", "sext v4"));
        // The number of the sum is the maximum of its type.
        check_stays(
            version_loops,
            &data_ends(&format!("v21: i64 = const {}\n v14: i64 = add v11, v21", u64::MAX), ""),
        );
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
