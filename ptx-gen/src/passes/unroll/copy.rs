//! Copies the body of a loop for each iteration, or for several.
//!
//! A value computed in the loop and used after it goes through a local variable, so that a copy is only a renaming;
//! [`promote`](super::super::promote) makes values of these variables again.

use std::collections::HashMap;
use std::rc::Rc;

use super::counted::Counted;
use super::data_checks::DataChecks;
use super::hoist::{Appender, Check, Inside, checks};
use super::trips::Trips;
use crate::analysis::{Cfg, DomTree, Loop, Loops};
use crate::ir::{
    Block, BlockCall, BlockData, BranchHint, BranchWish, CacheHints, EntityMap, Function, Inst, InstData,
    LocalData, LocalVar, LoopHint, SourceLoc, Space, Type, UnaryOp, Value, ValueData, ValueDef,
};

/// The blocks of a loop, and its panics.
pub(in crate::passes) fn region(func: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Vec<Block> {
    let around = &loops.loops()[index];
    let mut region = around.blocks.clone();
    for &block in &around.blocks {
        for &next in cfg.successors(block) {
            let panics =
                func.terminator(next).is_some_and(|inst| matches!(func.insts[inst], InstData::Panic { .. }));
            if panics
                && !region.contains(&next)
                && cfg.predecessors(next).iter().all(|&from| loops.contains(index, from))
            {
                region.push(next);
            }
        }
    }
    region
}

/// Unrolls a loop fully, of which nothing is live behind it: a copy of the body for each iteration, and one that leaves.
pub(super) fn unroll_fully(func: &mut Function, around: &Loop, region: &[Block], trips: &Trips) {
    let mut copies: Vec<HashMap<Block, Block>> = vec![region.iter().map(|&block| (block, block)).collect()];
    for _ in 0..trips.rounds {
        copies.push(copy_region(func, region));
    }
    for (round, copy) in copies.iter().enumerate() {
        decide_exit(func, around, copy, trips.exit, round as u32 == trips.rounds);
        if let Some(next) = copies.get(round + 1) {
            for latch in &around.latches {
                redirect(func, copy[latch], copy[&around.header], next[&around.header]);
            }
        }
        func.blocks[copy[&around.header]].hint = None;
    }
    let end = func.layout.iter().rposition(|block| region.contains(block)).map_or(0, |last| last + 1);
    let added = copies[1..].iter().flat_map(|copy| region.iter().map(|block| copy[block]));
    func.layout.splice(end..end, added.collect::<Vec<_>>());
}

/// Unrolls a loop with a known trip count by a factor. It leaves from one of the copies, the one
/// that has the last iteration.
pub(super) fn unroll_exactly(func: &mut Function, around: &Loop, region: &[Block], trips: &Trips, by: u32) {
    let copies = copies_in_turn(func, around, region, by);
    for (copy, number) in copies.iter().zip(0..) {
        if number != trips.rounds % by {
            decide_exit(func, around, copy, trips.exit, false);
        }
    }
    close(func, around, &copies, copies[0][&around.header]);
}

/// Unrolls any loop by a factor; each copy keeps its tests.
pub(super) fn unroll_with_tests(func: &mut Function, around: &Loop, region: &[Block], by: u32) {
    let copies = copies_in_turn(func, around, region, by);
    close(func, around, &copies, copies[0][&around.header]);
}

/// Replaces a loop by so many copies, each with its test: the last one leaves it. Those but the first are predicated if asked for.
fn unroll_to_end(func: &mut Function, around: &Loop, region: &[Block], exit: Block, count: u32, masks: bool) {
    let copies = copies_in_turn(func, around, region, count);
    if let Some(last) = copies.last() {
        decide_exit(func, around, last, exit, true);
    }
    close(func, around, &copies, around.header);
    func.blocks[around.header].hint = None;
    for copy in copies.iter().skip(1).filter(|_| masks) {
        ask_for_predicates(func, copy[&exit]);
    }
}

/// Replaces a loop whose test passes at most so often by copies with a test each. The last one leaves: a loop that tests first gets to its
/// test once more, one that tests last begins with an iteration that no test has passed.
pub(super) fn unroll_at_most(
    func: &mut Function,
    around: &Loop,
    region: &[Block],
    counted: &Counted,
    passes: u32,
) {
    unroll_to_end(func, around, region, counted.exit, passes + 1, false);
}

/// Asks for no branch at the end of a block.
fn ask_for_predicates(func: &mut Function, block: Block) {
    let Some(terminator) = func.terminator(block) else { return };
    let location = func.locations[terminator];
    if let InstData::Branch { hint, .. } = &mut func.insts[terminator] {
        *hint = Some(BranchHint { wish: BranchWish::Predicate, location });
    }
}

/// Replaces a loop by so many copies that are to be predicated ([`predicate_asked`](super::super::if_convert::predicate_asked)): the loads of
/// all of them are under way together. Where the test of one fails, those after it do nothing.
fn unroll_masked(func: &mut Function, around: &Loop, region: &[Block], exit: Block, count: u32) {
    let copies = copies_in_turn(func, around, region, count);
    close(func, around, &copies, around.header);
    if !around.latches.contains(&exit) {
        copies[1..].iter().for_each(|copy| mask(func, around.header, copy));
    } else {
        test_behind(func, around, &copies, exit);
    }
}

/// Lets the copies of a loop of one block, which tests at its end, go to a test behind all of them: whether they went on, and what with.
fn test_behind(func: &mut Function, around: &Loop, copies: &[HashMap<Block, Block>], exit: Block) {
    let behind = func.make_block();
    for (number, copy) in copies.iter().enumerate() {
        let from = copy[&exit];
        let Some(terminator) = func.terminator(from) else { return };
        let location = func.locations[terminator];
        let InstData::Branch { cond, if_true, if_false, .. } = func.insts[terminator].clone() else { return };
        let next = copies.get(number + 1).map_or(around.header, |next| next[&around.header]);
        let goes_on = if_true.block == next;
        let (on, out) = if goes_on { (if_true, if_false) } else { (if_false, if_true) };
        if number == 0 {
            let types = on.args.iter().chain(&out.args).map(|&arg| func.ty(arg)).chain([Type::Bool]);
            let types: Vec<Type> = types.collect();
            let params: Vec<Value> = types.into_iter().map(|ty| func.add_block_param(behind, ty)).collect();
            let (again, rest) = params.split_at(on.args.len());
            let (leaves, flag) = rest.split_at(out.args.len());
            let [if_true, if_false] = [call(around.header, again), call(out.block, leaves)];
            let test = InstData::Branch { cond: flag[0], if_true, if_false, hint: None };
            let test = func.make_inst(test, None, location);
            func.blocks[behind].insts.push(test);
        }
        let is_last = number + 1 == copies.len();
        let (add, flag) = match (is_last, goes_on) {
            (true, true) => (None, cond),
            (true, false) => {
                let (inst, flag) =
                    func.make_value(InstData::Unary { op: UnaryOp::Not, arg: cond }, Type::Bool, location);
                (Some(inst), flag)
            }
            (false, _) => {
                let (inst, flag) = func.make_value(InstData::Const { bits: 0 }, Type::Bool, location);
                (Some(inst), flag)
            }
        };
        let args: Vec<Value> = on.args.iter().chain(&out.args).copied().chain([flag]).collect();
        let leaves = call(behind, &args);
        func.insts[terminator] = if is_last {
            InstData::Jump { target: leaves }
        } else {
            let [if_true, if_false] = if goes_on { [on, leaves] } else { [leaves, on] };
            InstData::Branch { cond, if_true, if_false, hint: None }
        };
        ask_for_predicates(func, from);
        let before = func.blocks[from].insts.len() - 1;
        func.blocks[from].insts.splice(before..before, add);
    }
    let last = func.layout.iter().rposition(|block| copies.iter().any(|copy| copy[&exit] == *block));
    func.layout.insert(last.map_or(0, |last| last + 1), behind);
}

/// Lets a copy of a loop that tests at its header go there if its test fails, where the same test fails again, and asks for no branch.
fn mask(func: &mut Function, header: Block, copy: &HashMap<Block, Block>) {
    let own = copy[&header];
    let Some(terminator) = func.terminator(own) else { return };
    let stays = call(header, &func.blocks[own].params);
    let InstData::Branch { if_true, if_false, .. } = &mut func.insts[terminator] else { return };
    let is_inside = |call: &BlockCall| copy.values().any(|&block| block == call.block);
    let leaves = if is_inside(if_true) { if_false } else { if_true };
    *leaves = stays;
    ask_for_predicates(func, own);
}

/// Puts copies that are to be predicated before a loop with checks of data: they run if the first iteration does, and the checks of all that do
/// pass. Returns the block to enter by.
fn mask_with_data(
    func: &mut Function,
    around: &Loop,
    region: &[Block],
    (plan, data): (&Plan, &DataChecks),
    count: u32,
    location: SourceLoc,
) -> Block {
    let Plan { counted, inside, .. } = plan;
    let header = around.header;
    let copies: Vec<HashMap<Block, Block>> = (0..count).map(|_| copy_region(func, region)).collect();
    let [first, loads] = [0; 2].map(|_| func.make_block());
    let nows = params_like(func, header, first, &[]);
    let now = nows[counted.position];
    let mut out = Appender { func, inside, location };
    let bound = counted.bound(&mut out, first, 0);
    let begins = counted.goes_on(&mut out, first, bound, now);
    out.branch(first, &[begins], call(loads, &[]), call(header, &nows));
    let mut guards = vec![None];
    for round in 1..count {
        let later = counted.later(&mut out, loads, now, round.into());
        let goes_on = counted.goes_on(&mut out, loads, bound, later);
        let all: Vec<Value> = guards.last().copied().flatten().into_iter().chain([goes_on]).collect();
        guards.push(out.all(loads, &all));
    }
    let (conds, loaded) = data.load_early(&mut out, loads, &nows, &guards, None);
    out.branch(loads, &conds, call(copies[0][&header], &nows), call(header, &nows));
    close(func, around, &copies, header);
    decide_exit(func, around, &copies[0], counted.exit, false);
    copies[1..].iter().for_each(|copy| mask(func, header, copy));
    copies.iter().for_each(|copy| plan.decide_checks(func, copy));
    insert_before(func, region, &[first, loads], &copies);
    data.use_loaded(func, &copies, &loaded);
    first
}

/// Forms of the remainder of an unrolled loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Remainder {
    /// The loop itself.
    Loop,
    /// So many copies, each with its test.
    Tests(u32),
    /// So many copies under predicates.
    Masked(u32),
}

/// A counted loop, and the checks of its iterations.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) counted: Counted,
    pub(super) checks: Vec<Check>,
    /// Checks of what iterations load.
    pub(super) data: Option<DataChecks>,
    pub(super) inside: Rc<Inside>,
    /// The unrolled loop tests at its end, and `before` makes the first test. The counter's bound dominates nothing then, so this is for
    /// passes after those that look at ranges.
    pub(super) tests_at_end: bool,
    /// Form of its remainder.
    pub(super) remainder: Remainder,
    /// ptxas is not to unroll it further.
    pub(super) is_final: bool,
}

impl Plan {
    /// A plan for a loop, if it counts.
    pub(super) fn new(func: &Function, tree: &DomTree, loops: &Loops, index: usize) -> Option<Plan> {
        let around = &loops.loops()[index];
        let inside = Inside::new(func, &around.blocks);
        let counted = Counted::find(func, tree, loops, index, &inside)?;
        let checks = checks(func, tree, around, &inside, counted.counter);
        let inside = Rc::new(inside);
        Some(Plan {
            counted,
            checks,
            data: None,
            inside,
            tests_at_end: false,
            remainder: Remainder::Loop,
            is_final: false,
        })
    }

    /// Conditions under which the loop-invariant checks pass.
    pub(super) fn invariant_checks(&self, out: &mut Appender<'_>, block: Block) -> Vec<Value> {
        let mut known = HashMap::new();
        let checks = self.checks.iter().filter(|check| check.is_invariant);
        checks.map(|check| out.passes(block, check, &mut known)).collect()
    }

    /// Conditions under which the other checks of these iterations after `now` pass; `tested` iterations are known to go on.
    pub(super) fn checks_of(
        &self,
        out: &mut Appender<'_>,
        block: Block,
        now: Value,
        (rounds, tested): (&[u64], bool),
    ) -> Vec<Value> {
        let mut conds = Vec::new();
        let follows = |func: &Function, check: &Check| {
            tested && check.below.is_some_and(|below| self.counted.is_below(func, below))
        };
        for (index, &round) in rounds.iter().enumerate() {
            let is_last = index + 1 == rounds.len();
            // A counter that grows has its greatest value last.
            let grows = self.counted.ascends_unsigned() && !is_last;
            let checks = self.checks.iter().filter(|check| !check.is_invariant);
            let checks: Vec<&Check> = checks
                .filter(|check| !(grows && check.below.is_some() || follows(out.func, check)))
                .collect();
            if !checks.is_empty() {
                let later = self.counted.later(out, block, now, round);
                let mut known = HashMap::from([(self.counted.counter, later)]);
                conds.extend(checks.into_iter().map(|check| out.passes(block, check, &mut known)));
            }
        }
        conds
    }

    /// Makes jumps of the checks of a copy that were made before.
    pub(super) fn decide_checks(&self, func: &mut Function, copy: &HashMap<Block, Block>) {
        for check in self.checks.iter().chain(self.data.iter().flat_map(|data| &data.checks)) {
            let Some(terminator) = func.terminator(copy[&check.block]) else { continue };
            let InstData::Branch { if_true, if_false, .. } = &func.insts[terminator] else { continue };
            let target = if check.passes_if { if_true } else { if_false };
            func.insts[terminator] = InstData::Jump { target: target.clone() };
        }
    }
}

/// Unrolls a counted loop by a factor: it runs while that many iterations are left, with one test
/// for all of them and for their checks, and leaves the rest to the original loop as remainder. Checks of data get a test of
/// their own, after the loads.
pub(super) fn unroll_with_remainder(
    func: &mut Function,
    cfg: &Cfg,
    around: &Loop,
    region: &[Block],
    plan: &Plan,
    by: u32,
) -> Block {
    let header = around.header;
    let initial = plan.counted.initial(func, cfg, around).filter(|_| plan.tests_at_end);
    spill_live_out(func, region);
    let copies: Vec<HashMap<Block, Block>> = (0..by).map(|_| copy_region(func, region)).collect();
    let [before, bound, main] = [0; 3].map(|_| func.make_block());
    func.blocks[main].source = func.blocks[header].source;
    enter_by(func, cfg, around, before);
    let [starts, nows] = [before, main].map(|block| params_like(func, header, block, &[]));
    let Plan { counted, inside, .. } = plan;
    let location = func.terminator(header).map_or(SourceLoc::default(), |inst| func.locations[inst]);
    // If the test ends an iteration, the last copy needs none before the unrolled iteration: it makes its own.
    let is_at_end = plan.checks.is_empty() && plan.data.is_none() && ends_round(func, around, counted.exit);
    let ahead = u64::from(by - 1) - u64::from(is_at_end);
    let is_plain = plan.checks.is_empty() && plan.data.is_none();
    let rest = match (&plan.data, plan.remainder) {
        (Some(data), Remainder::Masked(copies)) => {
            mask_with_data(func, around, region, (plan, data), copies, location)
        }
        _ => header,
    };
    let mut out = Appender { func, inside, location };
    let begins = initial.filter(|_| is_plain).and_then(|at| counted.begins(&mut out, before, ahead, at));
    let mut conds: Vec<Value> =
        begins.or_else(|| counted.exists(&mut out, before, ahead)).into_iter().collect();
    conds.extend(plan.invariant_checks(&mut out, before));
    out.branch(before, &conds, call(bound, &[]), call(rest, &starts));
    let last = counted.bound(&mut out, bound, ahead);
    let entered = if begins.is_some() { copies[0][&header] } else { main };
    out.effect(bound, InstData::Jump { target: call(entered, &starts) });
    let now = nows[counted.position];
    let mut conds = vec![counted.goes_on(&mut out, main, last, now)];
    let rounds: Vec<u64> = (0..by.into()).collect();
    conds.extend(plan.checks_of(&mut out, main, now, (&rounds, true)));
    let first = call(copies[0][&header], &nows);
    let mut blocks = vec![before, bound];
    if begins.is_none() {
        blocks.push(main);
    }
    let mut loaded = Vec::new();
    match &plan.data {
        Some(data) => {
            let loads = out.func.make_block();
            blocks.push(loads);
            out.branch(main, &conds, call(loads, &[]), call(rest, &nows));
            let exact = counted.is_exact().then_some(counted.position);
            (conds, loaded) = data.load_early(&mut out, loads, &nows, &vec![None; copies.len()], exact);
            out.branch(loads, &conds, first, call(header, &nows));
        }
        None => out.branch(main, &conds, first, call(header, &nows)),
    }
    for (copy, number) in copies.iter().zip(1..) {
        if !(is_at_end && number == by) {
            decide_exit(func, around, copy, counted.exit, false);
        }
        plan.decide_checks(func, copy);
    }
    close(func, around, &copies, main);
    insert_before(func, region, &blocks, &copies);
    if begins.is_some() {
        insert_before(func, region, &[main], &[]);
    }
    let fused = is_at_end.then(|| fuse_tests(func, around, plan, &copies, main, location)).flatten();
    let unrolled = if let Some(behind) = fused {
        insert_before(func, region, &behind, &[]);
        copies[0][&header]
    } else {
        entered
    };
    for block in [header, unrolled] {
        func.blocks[block].hint = Some(LoopHint::Never);
    }
    if let Some(data) = &plan.data {
        data.use_loaded(func, &copies, &loaded);
    }
    match plan.remainder {
        Remainder::Loop => {}
        Remainder::Tests(copies) | Remainder::Masked(copies)
            if is_plain && copies + 1 == by && counted.steps_by_one(func) =>
        {
            let masks = matches!(plan.remainder, Remainder::Masked(_));
            // A loop that tests first gets to its test once more.
            unroll_to_end(func, around, region, counted.exit, if is_at_end { copies } else { by }, masks);
        }
        Remainder::Tests(copies) => unroll_with_tests(func, around, region, copies),
        Remainder::Masked(_) if !is_plain => {}
        Remainder::Masked(copies) => unroll_masked(func, around, region, counted.exit, copies),
    }
    unrolled
}

/// Lets the last copy test whether another unrolled iteration follows, and only if none does whether an iteration does: then the
/// unrolled loop has one exit, and ptxas may unroll it further. Before the counter steps its distance to the bound is positive, so the
/// test does not wrap. Returns the blocks behind the exit; none if the loop's test is of another kind.
fn fuse_tests(
    func: &mut Function,
    around: &Loop,
    plan: &Plan,
    copies: &[HashMap<Block, Block>],
    main: Block,
    location: SourceLoc,
) -> Option<Vec<Block>> {
    let Plan { counted, inside, .. } = plan;
    let (first, last) = (copies[0][&around.header], copies.last()?);
    if !counted.tests_distance(func) || !counted.admits(func, copies.len() as u64) {
        return None;
    }
    let exit = last[&counted.exit];
    let terminator = func.terminator(exit)?;
    let InstData::Branch { if_true, if_false, .. } = &func.insts[terminator] else {
        return None;
    };
    let goes_on = |call: &BlockCall| call.block == main || last.values().any(|&block| block == call.block);
    let next = match (goes_on(if_true), goes_on(if_false)) {
        (true, false) => if_true.clone(),
        (false, true) => if_false.clone(),
        _ => return None,
    };
    func.blocks[exit].insts.pop();
    let now = func.blocks[last[&around.header]].params[counted.position];
    let mut out = Appender { func, inside, location };
    let bound = counted.bound(&mut out, exit, copies.len() as u64 - 1);
    let again = counted.goes_on(&mut out, exit, bound, now);
    let rest = out.func.make_block();
    out.branch(exit, &[again], next.clone(), call(rest, &[]));
    func.blocks[rest].insts.push(terminator);
    let mut behind = vec![rest];
    if next.block == main {
        redirect(func, rest, main, around.header);
        redirect(func, exit, main, first);
    } else {
        // The counter's step, if that comes after the test, is on both ways.
        let latch = copy_region(func, &[next.block])[&next.block];
        redirect(func, rest, next.block, latch);
        redirect(func, latch, main, around.header);
        redirect(func, next.block, main, first);
        behind.push(latch);
    }
    Some(behind)
}

/// Returns true if an iteration has no effects after this test.
fn ends_round(func: &Function, around: &Loop, exit: Block) -> bool {
    let [latch] = around.latches[..] else { return false };
    let does_nothing = || {
        let (_, before) = func.blocks[latch].insts.split_last()?;
        Some(before.iter().all(|&inst| func.insts[inst].is_pure()))
    };
    exit == latch || func.successors(exit).any(|next| next == latch) && does_nothing() == Some(true)
}

/// Lets all that entered a loop go to this block instead.
pub(in crate::passes) fn enter_by(func: &mut Function, cfg: &Cfg, around: &Loop, before: Block) {
    for &from in cfg.predecessors(around.header).iter().filter(|from| !around.latches.contains(from)) {
        redirect(func, from, around.header, before);
    }
}

/// Gives a block the parameters of another, and these.
pub(in crate::passes) fn params_like(
    func: &mut Function,
    of: Block,
    block: Block,
    more: &[Type],
) -> Vec<Value> {
    let types = func.blocks[of].params.iter().map(|&param| func.ty(param)).collect::<Vec<_>>();
    types.iter().chain(more).map(|&ty| func.add_block_param(block, ty)).collect()
}

/// A jump to a block with these arguments.
pub(in crate::passes) fn call(block: Block, args: &[Value]) -> BlockCall {
    BlockCall { block, args: args.to_vec() }
}

/// Puts blocks and copies of a region into the layout, before the region.
pub(super) fn insert_before(
    func: &mut Function,
    region: &[Block],
    blocks: &[Block],
    copies: &[HashMap<Block, Block>],
) {
    let start = func.layout.iter().position(|block| region.contains(block)).unwrap_or(0);
    let added = copies.iter().flat_map(|copy| region.iter().map(|block| copy[block]));
    let added: Vec<Block> = blocks.iter().copied().chain(added).collect();
    func.layout.splice(start..start, added);
}

/// The loop and copies of it, in the layout; each still goes back to itself.
fn copies_in_turn(
    func: &mut Function,
    around: &Loop,
    region: &[Block],
    by: u32,
) -> Vec<HashMap<Block, Block>> {
    spill_live_out(func, region);
    let mut copies: Vec<HashMap<Block, Block>> = vec![region.iter().map(|&block| (block, block)).collect()];
    for _ in 1..by {
        copies.push(copy_region(func, region));
    }
    let end = func.layout.iter().rposition(|block| region.contains(block)).map_or(0, |last| last + 1);
    let added = copies[1..].iter().flat_map(|copy| region.iter().map(|block| copy[block]));
    func.layout.splice(end..end, added.collect::<Vec<_>>());
    func.blocks[around.header].hint = Some(LoopHint::Never);
    copies
}

/// Lets each copy go on at the next, and the last one at `first`. The copies are no loops by themselves any more.
pub(super) fn close(func: &mut Function, around: &Loop, copies: &[HashMap<Block, Block>], first: Block) {
    for (number, copy) in copies.iter().enumerate() {
        let header = copy[&around.header];
        let next = copies.get(number + 1).map_or(first, |next| next[&around.header]);
        for latch in &around.latches {
            redirect(func, copy[latch], header, next);
        }
        if header != first {
            func.blocks[header].hint = None;
        }
    }
}

/// Makes every edge of `from` that goes to `old` go to `new`.
pub(super) fn redirect(func: &mut Function, from: Block, old: Block, new: Block) {
    if let Some(terminator) = func.terminator(from) {
        for call in func.insts[terminator].successors_mut().filter(|call| call.block == old) {
            call.block = new;
        }
    }
}

/// Makes the test of one copy a jump: out of the loop, or not.
pub(super) fn decide_exit(
    func: &mut Function,
    around: &Loop,
    copy: &HashMap<Block, Block>,
    exit: Block,
    leaves: bool,
) {
    let Some(terminator) = func.terminator(copy[&exit]) else { return };
    let InstData::Branch { if_true, if_false, .. } = &func.insts[terminator] else { return };
    // The side in the loop is one of this copy's blocks, or a header of another.
    let is_inside = |call: &BlockCall| around.blocks.iter().any(|block| copy[block] == call.block);
    let target = if is_inside(if_true) == leaves { if_false } else { if_true };
    func.insts[terminator] = InstData::Jump { target: target.clone() };
}

/// Copies blocks; jumps within the region stay within the copy. The copy is not in the layout yet.
pub(in crate::passes) fn copy_region(func: &mut Function, region: &[Block]) -> HashMap<Block, Block> {
    let blocks: HashMap<Block, Block> = region.iter().map(|&block| (block, func.make_block())).collect();
    let mut values: HashMap<Value, Value> = HashMap::new();
    for &block in region {
        let copy = blocks[&block];
        let BlockData { params, insts, source, hint, asked } = func.blocks[block].clone();
        func.blocks[copy] = BlockData { source, hint, asked, ..BlockData::default() };
        for param in params {
            let ty = func.ty(param);
            values.insert(param, func.add_block_param(copy, ty));
        }
        for inst in insts {
            let new = copy_inst(func, inst);
            if let (Some(old), Some(new)) = (func.results[inst], func.results[new]) {
                values.insert(old, new);
            }
            func.blocks[copy].insts.push(new);
        }
    }
    for &block in region {
        for index in 0..func.blocks[blocks[&block]].insts.len() {
            let inst = func.blocks[blocks[&block]].insts[index];
            let data = &mut func.insts[inst];
            data.map_args(|value| values.get(&value).copied().unwrap_or(value));
            for call in data.successors_mut() {
                call.block = blocks.get(&call.block).copied().unwrap_or(call.block);
            }
        }
    }
    blocks
}

fn copy_inst(func: &mut Function, inst: Inst) -> Inst {
    let ty = func.results[inst].map(|value| func.ty(value));
    func.make_inst(func.insts[inst].clone(), ty, func.locations[inst])
}

/// Lets what is computed in the region and used outside go through local variables; constants are made anew there.
pub(in crate::passes) fn spill_live_out(func: &mut Function, region: &[Block]) {
    spill_live_out_of(func, &[region]);
}

/// [`spill_live_out`] of several regions that have no block in common.
pub(in crate::passes) fn spill_live_out_of(func: &mut Function, regions: &[&[Block]]) {
    let mut numbers = EntityMap::<Block, Option<usize>>::filled(func.blocks.len(), None);
    for (number, region) in regions.iter().enumerate() {
        region.iter().for_each(|&block| numbers[block] = Some(number));
    }
    let homes = func.homes(regions.iter().copied().flatten());
    let mut variables: HashMap<Value, LocalVar> = HashMap::new();
    for block in func.layout.clone() {
        let is_outside = |value: Value| {
            let home = homes.get(value).copied().flatten();
            home.is_some_and(|home| numbers[home] != numbers[block])
        };
        let mut here: HashMap<Value, Value> = HashMap::new();
        let mut reads = Vec::new();
        for index in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[index];
            // Most of a large function has nothing to do with the region.
            let mut takes = false;
            func.insts[inst].visit_args(|value| takes |= is_outside(value));
            if !takes {
                continue;
            }
            let mut data = std::mem::replace(&mut func.insts[inst], InstData::Return);
            data.map_args(|value| match is_outside(value) {
                true => *here.entry(value).or_insert_with(|| read(func, &mut variables, value, &mut reads)),
                false => value,
            });
            func.insts[inst] = data;
        }
        if !reads.is_empty() {
            func.blocks[block].insts.splice(0..0, reads);
        }
    }
    let mut variables: Vec<_> = variables.into_iter().collect();
    variables.sort_unstable();
    for (value, variable) in variables {
        let Some(block) = homes[value] else { continue };
        let address = InstData::LocalAddress { var: variable };
        let (at, address) = func.make_value(address, Space::Local.address_type(), SourceLoc::default());
        let store = InstData::Store {
            space: Space::Local,
            address,
            offset: 0,
            align: None,
            value,
            cache: CacheHints::NORMAL,
        };
        let store = func.make_inst(store, None, SourceLoc::default());
        let position = match func.values[value].def {
            ValueDef::Param(_) => 0,
            ValueDef::Result(inst) => {
                func.blocks[block].insts.iter().position(|&other| other == inst).map_or(0, |index| index + 1)
            }
        };
        func.blocks[block].insts.splice(position..position, [at, store]);
    }
}

/// A value of the region as one of a block outside: the instructions for it go to `out`.
fn read(
    func: &mut Function,
    variables: &mut HashMap<Value, LocalVar>,
    value: Value,
    out: &mut Vec<Inst>,
) -> Value {
    let ValueData { ty, .. } = func.values[value];
    let mut push = |func: &mut Function, data, ty| {
        let (inst, value) = func.make_value(data, ty, SourceLoc::default());
        out.push(inst);
        value
    };
    if let Some(bits) = func.constant(value) {
        return push(func, InstData::Const { bits }, ty);
    }
    let var = *variables.entry(value).or_insert_with(|| {
        func.locals.push(LocalData { name: "live".into(), bytes: ty.bytes(), align: ty.bytes() })
    });
    let address = push(func, InstData::LocalAddress { var }, Space::Local.address_type());
    push(
        func,
        InstData::Load {
            space: Space::Local,
            address,
            offset: 0,
            align: None,
            read_only: false,
            below: None,
            cache: CacheHints::NORMAL,
        },
        ty,
    )
}
