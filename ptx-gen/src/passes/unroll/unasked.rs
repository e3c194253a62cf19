//! Automatic unrolling of small loops, by the rule of thumb that NVPTX's compilers share: a loop is fully unrolled if it
//! is at most 300 instructions then, and else unrolled by a factor, so that an unrolled iteration has at most 75. So is a nest whose inner trip
//! counts depend on outer counters: a sorting network, the triangle of a matrix. A loop over a table of constants may become 800 instructions, without
//! those that are constants then. One that counts to a constant and loads nothing from global
//! memory may have 160. One that
//! loads from global memory may have 160 as long as it is no more than four iterations: their loads are under way together.
//! Addresses of later iterations are the first one's with an offset, and cost nothing. The remainder of a loop in another loop is run
//! as often as that one iterates, and is all there is of a small window: it is copies with a test each, as nvcc has it. Of other loops with
//! loads, if an iteration is short, the copies are predicated instead: the remainder waits for memory once.
//!
//! ptxas unrolls some loops by itself, but none with barriers, and few that store: a load of one iteration then waits for
//! the one before. This comes last, when a loop is as short as it gets. Of loops with checks those are unrolled that check what
//! they load ([`data_checks`](super::data_checks)); the others stay as they are.

use super::super::checks::panics;
use super::super::dce::eliminate_dead_code;
use super::super::early_loads::is_slow;
use super::super::fold::fold_constants;
use super::super::if_convert::{predicate_asked, weight};
use super::super::narrow::is_scaling;
use super::super::unlocks::converges;
use super::copy::{Plan, Remainder};
use super::data_checks::{DataChecks, inductions};
use super::hoist::Inside;
use super::products::step_by_numbers;
use super::{Way, forget_locals, go, tidy, trips};
use crate::analysis::uniformity::{Group, Uniformity};
use crate::analysis::{Cfg, DomTree, Loop, Loops, Ranges};
use crate::ir::{BinaryOp, Block, BlockShape, ConvertOp, EntityMap, Function, InstData, Space, Value};

/// Instructions that a loop may become that goes away.
const MOST_WHOLE: usize = 300;
/// Instructions that a loop over a table of constants may become that goes away, without those that are constants then.
pub(super) const MOST_WHOLE_OF_TABLE: usize = 800;
/// Instructions of an unrolled iteration.
const MOST_IN_TURN: usize = 75;
/// Instructions of an unrolled iteration that counts to a constant, without a remainder, and loads nothing from global memory.
const MOST_IN_EXACT_TURN: usize = 160;
/// Iterations of such a one.
const MOST_COPIES_EXACT: u32 = 16;
/// Instructions of an unrolled iteration that loads from global memory.
const MOST_IN_LOADING_TURN: usize = 160;
/// Iterations of an unrolled iteration of that size.
const MOST_COPIES_LOADING: u32 = 4;
/// Loads of an unrolled iteration of that size: each is a register, of the 32 that eight blocks of 256 threads have.
const MOST_LOADS: u32 = 12;
/// Instructions of each iteration to go on: the sum of the counter, the test, and the branch.
const AGAIN: usize = 3;
/// Iterations of an unrolled iteration.
const MOST_COPIES: u32 = 8;
/// Iterations of an unrolled iteration in which lanes of a warp wait for each other.
const MOST_COPIES_CONVERGING: u32 = 4;
/// Iterations of an unrolled iteration where nothing is written and ptxas unrolls it further.
const MOST_COPIES_READING: u32 = 4;
/// Instructions of an unrolled iteration, but those that step, where ptxas unrolls it further.
const MOST_IN_PTXAS: usize = 32;
/// Iterations of an unrolled iteration that loads the data that it checks first: ptxas does not go on with these.
const MOST_COPIES_CHECKED: u32 = 8;
/// Loads of such an iteration.
const MOST_LOADS_CHECKED: u32 = 16;
/// Weight of the iterations that are done under predicates.
const MOST_MASKED: u32 = 256;
/// Iterations that are counted.
const MOST_ROUNDS: u32 = 1024;
/// Loops around loops that go away are looked at so often.
const MOST_TURNS: usize = 4;

/// See the head of this file.
pub fn unroll_small_loops(func: &mut Function) {
    let variables = func.locals.len();
    let mut turns = Vec::new();
    for _ in 0..MOST_TURNS {
        let cfg = Cfg::new(func);
        let tree = DomTree::new(&cfg);
        let loops = Loops::new(&cfg, &tree);
        let choose_all = |func: &Function| -> Vec<_> {
            let mut chosen: Vec<Option<Way>> =
                (0..loops.loops().len()).map(|index| choose(func, &cfg, &tree, &loops, index)).collect();
            choose_nests(func, &cfg, &tree, &loops, &mut chosen);
            chosen
        };
        let mut chosen = choose_all(func);
        let mut has_stepped = false;
        for (index, way) in chosen.iter().enumerate() {
            has_stepped |= goes_on_in_ptxas(func, &loops.loops()[index], way)
                && step_by_numbers(func, &cfg, &tree, &loops, index);
        }
        if has_stepped {
            fold_constants(func);
            eliminate_dead_code(func);
            chosen = choose_all(func);
        }
        let Some(headers) = go(func, &cfg, &loops, &chosen) else { break };
        turns.extend(headers);
        tidy(func);
        predicate_asked(func);
    }
    // ptxas may do more: it sees what that costs in registers. It multiplies branches, too.
    turns.into_iter().for_each(|header| func.blocks[header].hint = None);
    forget_locals(func, variables);
}

/// Returns true if ptxas will unroll the main loop further: a short one that writes nothing and does not count by distances.
fn goes_on_in_ptxas(func: &Function, around: &Loop, way: &Option<Way>) -> bool {
    let Some(Way::WithRemainder(plan, by)) = way else { return false };
    let is_short = |body: Body| !body.writes && (body.size - body.once) * *by as usize <= MOST_IN_PTXAS;
    plan.data.is_none() && !plan.counted.tests_distance(func) && Body::of(func, around).is_some_and(is_short)
}

/// Chooses the way of unrolling a loop, if any.
fn choose(func: &Function, cfg: &Cfg, tree: &DomTree, loops: &Loops, index: usize) -> Option<Way> {
    let around = &loops.loops()[index];
    let is_innermost = loops.loops().iter().all(|other| other.parent != Some(index));
    if !is_innermost || func.blocks[around.header].hint.is_some() {
        return None;
    }
    if !has_one_exit(func, cfg, loops, index) {
        return None;
    }
    let body = Body::of(func, around)?;
    let Body { size, converges, writes, loads, .. } = body;
    let most = (2..=MOST_COPIES).rev().find(|&by| body.fits(by)).unwrap_or(1);
    if has_checks(func, around) {
        let fits = |&by: &u32| {
            body.fits(by) || body.size_of(by) <= MOST_IN_LOADING_TURN && loads * by <= MOST_LOADS_CHECKED
        };
        let most = (2..=MOST_COPIES_CHECKED).rev().find(fits).unwrap_or(1);
        return if converges { None } else { with_data_checks(func, tree, loops, index, most) };
    }
    let trips = trips::count(func, cfg, tree, loops, index, MOST_ROUNDS);
    if let Some(trips) = &trips {
        let size_of_copy = size.saturating_sub(body.scalings + AGAIN) + body.slow;
        if size_of_copy * trips.rounds as usize <= MOST_WHOLE {
            return Some(Way::Whole(trips.clone()));
        }
        if let Some(constant) = constant_by_tables(func, around, &trips.counters)
            && size_of_copy.saturating_sub(constant) * trips.rounds as usize <= MOST_WHOLE_OF_TABLE
        {
            return Some(Way::Whole(trips.clone()));
        }
        // Tests are left out of all copies but one.
        let (most_copies, most_size) = match loads {
            0 => (MOST_COPIES_EXACT, MOST_IN_EXACT_TURN),
            _ => (MOST_COPIES, MOST_IN_TURN),
        };
        let fits = |by: u32| size.saturating_sub(AGAIN) * by as usize + AGAIN <= most_size;
        if let Some(by) = (2..=most_copies).rev().find(|&by| trips.rounds.is_multiple_of(by) && fits(by)) {
            return Some(Way::Exactly(trips.clone(), by));
        }
    }
    // The lanes of a warp that wait for each other have to be in the same copy.
    if most < 2 || converges && !stays_together(func, loops, index) {
        return None;
    }
    let most = if converges { most.min(MOST_COPIES_CONVERGING) } else { most };
    let mut plan = Plan::new(func, tree, loops, index)?;
    if plan.checks.is_empty() && plan.counted.steps_far(func) && !func.has_group_products() {
        let passes = plan.counted.most_passes(func, &Ranges::new(func), around);
        let few = passes.and_then(|passes| u32::try_from(passes).ok());
        if let Some(passes) = few.filter(|&passes| passes <= MOST_COPIES_READING)
            && size * passes as usize <= MOST_IN_TURN
        {
            return Some(Way::AtMost(plan.counted, passes));
        }
    }
    plan.tests_at_end = true;
    // ptxas makes four of these of one, and each iteration of the remainder waits for its loads. It does not count by distances.
    let goes_on = !writes && !plan.counted.tests_distance(func);
    let most = if goes_on { most.min(MOST_COPIES_READING) } else { most };
    let by = 1 << most.ilog2();
    // Two remainders, one after the other, for less than what ptxas does alone.
    if goes_on && by < MOST_COPIES_READING && size <= MOST_IN_PTXAS {
        return None;
    }
    let has_branches = has_branches(func, loops, index);
    // There is no remainder of a number that is a multiple.
    if let Some(trips) = trips.filter(|trips| trips.rounds.is_multiple_of(by) && !(has_branches && loads > 0))
    {
        return Some(Way::Exactly(trips, by));
    }
    // A loop in a loop gets to its remainder often, and may have no more than that, the window of a filter: of a cache rather than of memory.
    let is_inner = around.parent.is_some();
    let copies = by.min(MOST_COPIES_READING) - 1;
    if is_inner && size * copies as usize <= MOST_IN_TURN {
        plan.remainder = if copies > 1 { Remainder::Tests(copies) } else { Remainder::Loop };
    } else if loads > 0 && !func.has_group_products() && may_mask(func, loops, index, &plan, copies) {
        plan.remainder = Remainder::Masked(copies);
    }
    plan.is_final = is_inner && has_branches;
    // ptxas moves no load from behind the branches of one iteration to before them.
    if has_branches && loads > 0 && !func.has_group_products() {
        plan.data = DataChecks::loads_alone(func, tree, around, &plan.inside)
            .filter(|data| by <= data.most_copies(func));
    }
    plan.counted.admits(func, by.into()).then_some(Way::WithRemainder(plan, by))
}

/// Instructions of an iteration that are constants in each copy of it, where its counters are: loads from tables of constants, and what is made of
/// them. None if it loads from no table.
pub(super) fn constant_by_tables(func: &Function, around: &Loop, counters: &[Value]) -> Option<usize> {
    let mut constants = counters.to_vec();
    let mut of_tables: Vec<Value> = Vec::new();
    let mut size = 0;
    // Each block comes after those that dominate it.
    for &inst in func
        .layout
        .iter()
        .filter(|block| around.blocks.contains(block))
        .flat_map(|&block| &func.blocks[block].insts)
    {
        let (data, Some(result)) = (&func.insts[inst], func.results[inst]) else { continue };
        let is_table = matches!(data, InstData::Load { space: Space::Const, .. });
        let is_arithmetic = matches!(
            data,
            InstData::Unary { .. }
                | InstData::Binary { .. }
                | InstData::Select { .. }
                | InstData::IntCompare { .. }
                | InstData::Convert { .. }
        );
        if !(is_table || is_arithmetic) {
            continue;
        }
        let (mut is_constant, mut is_of_table) = (true, is_table);
        data.visit_args(|arg| {
            let is_number =
                matches!(func.def(arg), Some(InstData::Const { .. } | InstData::ConstAddress { .. }));
            is_constant &= is_number || constants.contains(&arg);
            is_of_table |= of_tables.contains(&arg);
        });
        if !is_constant {
            continue;
        }
        constants.push(result);
        if is_of_table {
            of_tables.push(result);
            let slow =
                if is_slow(func, inst) { weight(func, data, Some(func.ty(result))) as usize } else { 1 };
            size += slow;
        }
    }
    (size > 0).then_some(size)
}

/// Chooses full unrolling of loops around others whose trip counts are constants only then. The loops inside follow once their counts are known.
fn choose_nests(func: &Function, cfg: &Cfg, tree: &DomTree, loops: &Loops, chosen: &mut [Option<Way>]) {
    let count = chosen.len();
    // Outer loops come before those inside them.
    for outer in 0..count {
        let inside = |&inner: &usize| loops.contains(outer, loops.loops()[inner].header);
        let nest: Vec<usize> = (outer..count).filter(inside).collect();
        let is_counted = |index: usize| trips::count(func, cfg, tree, loops, index, MOST_ROUNDS).is_some();
        let goes_away = |&index: &usize| {
            let around = &loops.loops()[index];
            func.blocks[around.header].hint.is_none()
                && has_one_exit(func, cfg, loops, index)
                && !has_checks(func, around)
        };
        if nest.len() == 1 || !nest.iter().all(goes_away) || nest[1..].iter().all(|&inner| is_counted(inner))
        {
            continue;
        }
        let Some(trips) = trips::count(func, cfg, tree, loops, outer, MOST_ROUNDS) else { continue };
        let Some(sizes) = own_sizes(func, loops, &nest) else { continue };
        if trips::unrolled_size(func, cfg, tree, loops, outer, &sizes, MOST_WHOLE).is_some() {
            nest.iter().for_each(|&inner| chosen[inner] = None);
            chosen[outer] = Some(Way::Whole(trips));
        }
    }
}

/// The instructions that each iteration of these loops copies, without those of loops inside; zero for all other loops.
fn own_sizes(func: &Function, loops: &Loops, nest: &[usize]) -> Option<Vec<usize>> {
    let mut sizes = vec![0usize; loops.loops().len()];
    for &index in nest {
        let body = Body::of(func, &loops.loops()[index])?;
        sizes[index] += body.size.saturating_sub(body.scalings + AGAIN);
        if let Some(parent) = loops.loops()[index].parent.filter(|parent| nest.contains(parent)) {
            sizes[parent] = sizes[parent].saturating_sub(body.size - body.scalings);
        }
    }
    Some(sizes)
}

/// Returns true if one branch alone leaves a loop, but for panics.
fn has_one_exit(func: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> bool {
    let leaves = |&block: &Block| {
        let next = cfg.successors(block).iter();
        next.filter(|&&next| !loops.contains(index, next) && !panics(func, next))
    };
    loops.loops()[index].blocks.iter().flat_map(leaves).count() == 1
}

/// Returns true if the threads that wait for each other in a loop leave it in the same iteration: the lanes of a warp, or all threads of a block
/// where there is something to be had, loads from memory that nobody writes, which ptxas moves over the barriers of the iterations before.
fn stays_together(func: &Function, loops: &Loops, index: usize) -> bool {
    let around = &loops.loops()[index];
    let mut insts = around.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
    let is_of_warp = |data: &InstData| {
        matches!(
            data,
            InstData::Shuffle { .. }
                | InstData::Vote { .. }
                | InstData::Match { .. }
                | InstData::Redux { .. }
        )
    };
    let is_of_block = |data: &InstData| matches!(data, InstData::Barrier | InstData::BarrierReduce { .. });
    let mut waits = insts.clone().map(|&inst| &func.insts[inst]).filter(|data| converges(data));
    if !waits.clone().all(|data| is_of_warp(data) || is_of_block(data)) {
        return false;
    }
    let group = if waits.any(is_of_block) { Group::Block } else { Group::Warp };
    let loads_ahead = |&inst| func.insts[inst].is_read_only_load();
    if group == Group::Block && !insts.any(loads_ahead) {
        return false;
    }
    let uniformity = Uniformity::new(func, BlockShape::default());
    let is_uniform = |&block: &Block| {
        func.successors(block).all(|next| loops.contains(index, next))
            || !uniformity.of_branch(block).varies_in(group)
    };
    around.blocks.iter().all(is_uniform)
}

/// Returns true if a loop has checks.
fn has_checks(func: &Function, around: &Loop) -> bool {
    around.blocks.iter().any(|&block| func.successors(block).any(|next| panics(func, next)))
}

/// Returns true if so many iterations may be done under predicates: short ones without branches but the test, which comes first or last, and
/// checks, and without what ptxas makes a branch of.
fn may_mask(func: &Function, loops: &Loops, index: usize, plan: &Plan, copies: u32) -> bool {
    let around = &loops.loops()[index];
    let header = around.header;
    let tests_first = plan.counted.exit == header
        && !around.latches.contains(&header)
        && func.blocks[header].insts.iter().all(|&inst| {
            let data = &func.insts[inst];
            data.is_pure() || data.is_terminator()
        });
    let is_one_block = around.blocks.len() == 1 && plan.data.is_none();
    if copies < 2 || has_branches(func, loops, index) || !(tests_first || is_one_block) {
        return false;
    }
    let mut weights = 0;
    for &inst in around.blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
        let data = &func.insts[inst];
        let masks = match data {
            InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. } => true,
            _ => data.is_pure() && !is_slow(func, inst),
        };
        if !masks {
            return false;
        }
        if !func.results[inst].is_some_and(|value| plan.inside.is_invariant(func, value)) {
            weights += weight(func, data, func.results[inst].map(|value| func.ty(value)));
        }
    }
    weights * copies <= MOST_MASKED
}

/// Returns true if an iteration has a branch within it.
fn has_branches(func: &Function, loops: &Loops, index: usize) -> bool {
    let stays = |&block: &Block| loops.contains(index, block);
    let branches = |&block: &Block| func.successors(block).filter(stays).count() > 1;
    loops.loops()[index].blocks.iter().any(branches)
}

/// Unrolls a loop with checks of which some are of data, by as many iterations as the data can be loaded of at once.
fn with_data_checks(func: &Function, tree: &DomTree, loops: &Loops, index: usize, most: u32) -> Option<Way> {
    let around = &loops.loops()[index];
    let mut plan = Plan::new(func, tree, loops, index)?;
    // A check that counts says nothing of the test that ends the loop: later iterations, whose loads are made early, may never begin.
    if func.successors(plan.counted.exit).any(|next| panics(func, next)) {
        return None;
    }
    let data = DataChecks::new(func, tree, around, &plan.inside, &plan.checks)?;
    let by = 1 << most.min(data.most_copies(func)).max(1).ilog2();
    plan.data = Some(data);
    // Checks of the counter would have to be made of each iteration that is left.
    if plan.checks.is_empty() && may_mask(func, loops, index, &plan, by - 1) {
        plan.remainder = Remainder::Masked(by - 1);
    }
    (by > 1 && plan.counted.admits(func, by.into())).then_some(Way::WithRemainder(plan, by))
}

/// Size and collectives of a loop's body.
struct Body {
    /// Instructions of each iteration: constants and loop-invariant values are computed before.
    size: usize,
    /// Those among them that an unrolled iteration has once: they step with the counter, or go on to the next iteration.
    once: usize,
    /// Instructions that divisions and roots are beside one each: with two copies of them the latencies are hidden as well.
    slow: usize,
    /// Those among them that multiply an index by the size of an element: one instruction with the sum that is the address.
    scalings: usize,
    /// Loads from global memory.
    loads: u32,
    /// Lanes of a warp wait for each other.
    converges: bool,
    /// It has more effects than loads.
    writes: bool,
}

impl Body {
    /// None for a loop better left as it is: one that prints, or with inline PTX.
    fn of(func: &Function, around: &Loop) -> Option<Body> {
        let inside = Inside::new(func, &around.blocks);
        let steps = Steps::new(func, &inside, around);
        let mut body =
            Body { size: 0, once: 0, slow: 0, scalings: 0, loads: 0, converges: false, writes: false };
        for &block in &around.blocks {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                match data {
                    InstData::Print { .. }
                    | InstData::Inline { .. }
                    | InstData::InlineOut { .. }
                    | InstData::InlineEffect { .. } => return None,
                    InstData::Jump { .. } => continue,
                    _ => {}
                }
                body.converges |= converges(data);
                let is_read = matches!(data, InstData::Load { .. });
                body.loads += u32::from(matches!(data, InstData::Load { space: Space::Global, .. }));
                body.writes |= !(data.is_pure() || data.is_terminator() || is_read);
                let stays = func.results[inst].is_some_and(|value| inside.is_invariant(func, value));
                let counts = !stays && !is_part(func, block, data);
                body.size += usize::from(counts);
                if counts && is_slow(func, inst) {
                    let ty = func.results[inst].map(|value| func.ty(value));
                    body.slow += (weight(func, data, ty) as usize).saturating_sub(1);
                }
                body.scalings += usize::from(counts && scales_index(func, data));
                body.once += usize::from(counts && func.results[inst].is_some_and(|value| steps.has(value)));
            }
        }
        body.once = (body.once + 2).min(body.size); // the test and the branch
        Some(body)
    }

    /// Instructions of an unrolled iteration of that many iterations.
    fn size_of(&self, by: u32) -> usize {
        self.once + (self.size - self.once + self.slow) * by as usize
    }

    /// Returns true if an unrolled iteration may be that many iterations.
    fn fits(&self, by: u32) -> bool {
        let size = self.size_of(by);
        match self.loads {
            0 => size <= MOST_IN_TURN,
            _ if (self.size + self.slow) * by as usize <= MOST_IN_TURN => true,
            loads => size <= MOST_IN_LOADING_TURN && by <= MOST_COPIES_LOADING && loads * by <= MOST_LOADS,
        }
    }
}

/// The integers of a loop that differ by an invariant from iteration to iteration: the counter, and the sums, invariant
/// multiples and conversions of such (without regard to wrap-around: this is a measure of size).
struct Steps(EntityMap<Value, bool>);

impl Steps {
    fn new(func: &Function, inside: &Inside, around: &Loop) -> Steps {
        let mut steps = Steps(EntityMap::filled(func.values.len(), false));
        let [latch] = around.latches[..] else { return steps };
        for induction in inductions(func, around, inside, latch) {
            steps.0[induction.param] = true;
        }
        loop {
            let mut changed = false;
            for &inst in around.blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
                let Some(value) = func.results[inst].filter(|&value| !steps.has(value)) else { continue };
                let stays = |value: Value| inside.is_invariant(func, value);
                let follows = match func.insts[inst] {
                    InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, args: [a, b], .. } => {
                        (steps.has(a) || steps.has(b))
                            && [a, b].into_iter().all(|arg| steps.has(arg) || stays(arg))
                    }
                    InstData::Binary { op: BinaryOp::Mul, args: [a, b], .. } => {
                        steps.has(a) && stays(b) || steps.has(b) && stays(a)
                    }
                    InstData::Binary { op: BinaryOp::Shl, args: [a, b], .. } => steps.has(a) && stays(b),
                    InstData::Convert { op, arg } => op.is_of_integers() && steps.has(arg),
                    _ => false,
                };
                steps.0[value] = follows;
                changed |= follows;
            }
            if !changed {
                return steps;
            }
        }
    }

    fn has(&self, value: Value) -> bool {
        self.0.get(value).is_some_and(|&steps| steps)
    }
}

/// Returns true for the product of an extended index with a constant.
fn scales_index(func: &Function, data: &InstData) -> bool {
    let InstData::Binary { args: [index, _], .. } = data else { return false };
    let is_extended = matches!(
        func.def(*index),
        Some(InstData::Convert {
            op: ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::IndexExtend,
            ..
        })
    );
    is_extended && is_scaling(func, data)
}

/// Returns true if an access is part of a wide one, at an address aligned for it, of which the first element is the access.
fn is_part(func: &Function, block: Block, data: &InstData) -> bool {
    let place = |data: &InstData| match *data {
        InstData::Load { address, offset, align, .. } => Some((false, address, offset, align)),
        InstData::Store { address, offset, align, .. } => Some((true, address, offset, align)),
        _ => None,
    };
    let Some((stores, address, offset, _)) = place(data) else { return false };
    func.blocks[block].insts.iter().any(|&other| match place(&func.insts[other]) {
        Some((other_stores, to, start, Some(align))) => {
            let distance = i64::from(offset) - i64::from(start);
            stores == other_stores && to == address && (1..i64::from(align)).contains(&distance)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::super::check;
    use super::*;

    /// Sums of a segment: the main loop carries the address.
    #[test]
    fn addresses_that_step_by_numbers() {
        check(
            |func| {
                unroll_small_loops(func);
                crate::passes::addresses::split_addresses(func);
                crate::passes::gvn::number_values(func);
                eliminate_dead_code(func);
            },
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 first: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 0
                v4: i32 = const 1
                v5: i64 = const 4
                v6: f32 = const 0.0
                jump block1(v3, v6)
            block1(v7: i32, v8: f32):
                v9: bool = icmp ult v7, v1
                branch v9, block2, block3
            block2:
                v10: i32 = add nuw v2, v7
                v11: i64 = zext v10
                v12: i64 = mul nuw v11, v5
                v13: i64 = add nuw v0, v12
                v14: f32 = load.global v13
                v15: f32 = fadd v8, v14
                v16: i32 = add nuw v7, v4
                jump block1(v16, v15)
            block3:
                store.global v0, v8
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 first: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i32 = const 0
                    v4: i32 = const 1
                    v5: i64 = const 4
                    v6: f32 = const 0.0
                    v22: i64 = zext v2
                    v23: i64 = mul v22, v5
                    v24: i64 = add v0, v23
                    v71: i32 = const 3
                    v72: bool = icmp ugt v1, v71
                    branch v72, block13, block1(v3, v6, v24)
                block13:
                    v74: i32 = sub nuw v1, v71
                    jump block4(v3, v6, v24)
                block4(v29: i32, v30: f32, v31: i64):
                    v34: f32 = load.global v31
                    v35: f32 = fadd v30, v34
                    v37: i64 = add v31, v5
                    v43: f32 = load.global v37
                    v44: f32 = fadd v35, v43
                    v106: i64 = const 8
                    v46: i64 = add v31, v106
                    v52: f32 = load.global v46
                    v53: f32 = fadd v44, v52
                    v108: i64 = const 12
                    v55: i64 = add v31, v108
                    v61: f32 = load.global v55
                    v62: f32 = fadd v53, v61
                    v109: i32 = const 4
                    v63: i32 = add nuw v29, v109
                    v110: i64 = const 16
                    v64: i64 = add v31, v110
                    v75: bool = icmp ult v63, v74
                    branch v75, block4(v63, v62, v64), block1(v63, v62, v64)
                block1(v7: i32, v8: f32, v13: i64):
                    v9: bool = icmp ult v7, v1
                    branch v9, block2, block3(v8)
                block2:
                    v14: f32 = load.global v13
                    v15: f32 = fadd v8, v14
                    v16: i32 = add nuw v7, v4
                    v25: i64 = add v13, v5
                    v80: bool = icmp ult v16, v1
                    v81: f32 = guard v80 load.global v25
                    v82: f32 = fadd v15, v81
                    v111: i32 = const 2
                    v83: i32 = add v7, v111
                    v112: i64 = const 8
                    v84: i64 = add v13, v112
                    v89: bool = icmp ult v83, v1
                    v117: bool = and v80, v89
                    v90: f32 = guard v117 load.global v84
                    v91: f32 = fadd v82, v90
                    v116: f32 = select v89, v91, v82
                    v118: f32 = select v80, v116, v15
                    jump block3(v118)
                block3(v115: f32):
                    store.global v0, v115
                    return
                }
            "#]],
        );
    }

    /// `for k in 0..12 { sum = step(sum, NUMBERS[k]) }` with steps of 40 instructions becomes 12 steps by numbers; a loop that gets the numbers from
    /// global memory, and one with larger steps, are unrolled by a factor at most.
    #[test]
    fn loops_over_tables_of_constants() {
        let copies = |number: &str, additions: usize| {
            let mut chain = String::new();
            for k in 0..additions {
                chain += &format!("v{}: f32 = fadd v{}, v20\n", 31 + k, 30 + k);
            }
            let mut func = crate::ir::parse_function(&format!(
                "kernel k(param0 x: i64 ptr align 4 read_only, param1 y: i64 ptr align 4) {{
                    const0 numbers: 48 align 4 \"{}\"
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = const 0
                    v3: i64 = const 12
                    v4: i64 = const 4
                    v5: i64 = const 1
                    v6: i64 = address const0
                    v7: f32 = load.global v1
                    jump block1(v2, v7)
                block1(v10: i64, v11: f32):
                    v12: bool = icmp ult v10, v3
                    branch v12, block2, block3
                block2:
                    v13: i64 = mul nuw v10, v4
                    {number}
                    v16: f32 = s2f v15
                    v17: f32 = sqrt v16
                    v20: f32 = fmul v17, v17
                    v30: f32 = fmul v11, v20
                    {chain}
                    v18: i64 = add nuw v10, v5
                    jump block1(v18, v{})
                block3:
                    store.global v1, v11
                    return
                }}",
                "03000000".repeat(12),
                30 + additions
            ))
            .unwrap_or_else(|error| panic!("{error}"));
            crate::passes::assert_valid("none yet", &func);
            unroll_small_loops(&mut func);
            crate::passes::assert_valid("under test", &func);
            let text = func.to_string();
            (text.matches("fadd").count() / additions, text.matches("sqrt").count())
        };
        let of_table = "v14: i64 = add nuw v6, v13\n v15: i32 = load.const v14";
        let of_memory = "v14: i64 = add nuw v0, v13\n v15: i32 = load.global v14 read_only";
        let found = [copies(of_table, 40), copies(of_table, 90), copies(of_memory, 40)];
        // Twelve iterations are six times two, without a remainder.
        assert_eq!(found, [(12, 0), (1, 1), (2, 2)]);
    }

    #[test]
    fn ptxas_may_unroll_the_main_loop_further() {
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = const 0
                v2: i32 = const 1
                v3: i32 = param1
                jump block1(v1)
            block1(v4: i32):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block3
            block2:
                v6: f32 = load.global v0 + 4
                v8: f32 = fadd v6, v6
                v9: f32 = fmul v8, v6
                v10: f32 = fadd v9, v8
                v11: f32 = fmul v10, v9
                v12: f32 = fadd v11, v10
                v13: f32 = fmul v12, v11
                v14: f32 = fadd v13, v12
                v15: f32 = fmul v14, v13
                v16: f32 = fadd v15, v14
                v17: f32 = fmul v16, v15
                v18: f32 = fadd v17, v16
                v19: f32 = fmul v18, v17
                v20: f32 = fadd v19, v18
                v21: f32 = fmul v20, v19
                v22: f32 = fadd v21, v20
                v23: f32 = fmul v22, v21
                store.global v0, v23
                v7: i32 = add v4, v2
                jump block1(v7)
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0
                    v2: i32 = const 1
                    v3: i32 = param1
                    v106: i32 = const 3
                    v107: bool = icmp ugt v3, v106
                    branch v107, block13, block1(v1)
                block13:
                    v109: i32 = sub nuw v3, v106
                    jump block4(v1)
                block4(v24: i32):
                    v26: f32 = load.global v0 + 4
                    v27: f32 = fadd v26, v26
                    v28: f32 = fmul v27, v26
                    v29: f32 = fadd v28, v27
                    v30: f32 = fmul v29, v28
                    v31: f32 = fadd v30, v29
                    v32: f32 = fmul v31, v30
                    v33: f32 = fadd v32, v31
                    v34: f32 = fmul v33, v32
                    v35: f32 = fadd v34, v33
                    v36: f32 = fmul v35, v34
                    v37: f32 = fadd v36, v35
                    v38: f32 = fmul v37, v36
                    v39: f32 = fadd v38, v37
                    v40: f32 = fmul v39, v38
                    v41: f32 = fadd v40, v39
                    v42: f32 = fmul v41, v40
                    store.global v0, v42
                    v46: f32 = load.global v0 + 4
                    v47: f32 = fadd v46, v46
                    v48: f32 = fmul v47, v46
                    v49: f32 = fadd v48, v47
                    v50: f32 = fmul v49, v48
                    v51: f32 = fadd v50, v49
                    v52: f32 = fmul v51, v50
                    v53: f32 = fadd v52, v51
                    v54: f32 = fmul v53, v52
                    v55: f32 = fadd v54, v53
                    v56: f32 = fmul v55, v54
                    v57: f32 = fadd v56, v55
                    v58: f32 = fmul v57, v56
                    v59: f32 = fadd v58, v57
                    v60: f32 = fmul v59, v58
                    v61: f32 = fadd v60, v59
                    v62: f32 = fmul v61, v60
                    store.global v0, v62
                    v66: f32 = load.global v0 + 4
                    v67: f32 = fadd v66, v66
                    v68: f32 = fmul v67, v66
                    v69: f32 = fadd v68, v67
                    v70: f32 = fmul v69, v68
                    v71: f32 = fadd v70, v69
                    v72: f32 = fmul v71, v70
                    v73: f32 = fadd v72, v71
                    v74: f32 = fmul v73, v72
                    v75: f32 = fadd v74, v73
                    v76: f32 = fmul v75, v74
                    v77: f32 = fadd v76, v75
                    v78: f32 = fmul v77, v76
                    v79: f32 = fadd v78, v77
                    v80: f32 = fmul v79, v78
                    v81: f32 = fadd v80, v79
                    v82: f32 = fmul v81, v80
                    store.global v0, v82
                    v86: f32 = load.global v0 + 4
                    v87: f32 = fadd v86, v86
                    v88: f32 = fmul v87, v86
                    v89: f32 = fadd v88, v87
                    v90: f32 = fmul v89, v88
                    v91: f32 = fadd v90, v89
                    v92: f32 = fmul v91, v90
                    v93: f32 = fadd v92, v91
                    v94: f32 = fmul v93, v92
                    v95: f32 = fadd v94, v93
                    v96: f32 = fmul v95, v94
                    v97: f32 = fadd v96, v95
                    v98: f32 = fmul v97, v96
                    v99: f32 = fadd v98, v97
                    v100: f32 = fmul v99, v98
                    v101: f32 = fadd v100, v99
                    v102: f32 = fmul v101, v100
                    store.global v0, v102
                    v174: i32 = const 4
                    v103: i32 = add v24, v174
                    v110: bool = icmp ult v103, v109
                    branch v110, block4(v103), block1(v103)
                block1(v4: i32):
                    v5: bool = icmp ult v4, v3
                    branch v5, block2, block3
                block2:
                    v6: f32 = load.global v0 + 4
                    v8: f32 = fadd v6, v6
                    v9: f32 = fmul v8, v6
                    v10: f32 = fadd v9, v8
                    v11: f32 = fmul v10, v9
                    v12: f32 = fadd v11, v10
                    v13: f32 = fmul v12, v11
                    v14: f32 = fadd v13, v12
                    v15: f32 = fmul v14, v13
                    v16: f32 = fadd v15, v14
                    v17: f32 = fmul v16, v15
                    v18: f32 = fadd v17, v16
                    v19: f32 = fmul v18, v17
                    v20: f32 = fadd v19, v18
                    v21: f32 = fmul v20, v19
                    v22: f32 = fadd v21, v20
                    v23: f32 = fmul v22, v21
                    store.global v0, v23
                    v7: i32 = add v4, v2
                    v112: bool = icmp ult v7, v3
                    v113: f32 = guard v112 load.global v0 + 4
                    v114: f32 = fadd v113, v113
                    v115: f32 = fmul v114, v113
                    v116: f32 = fadd v115, v114
                    v117: f32 = fmul v116, v115
                    v118: f32 = fadd v117, v116
                    v119: f32 = fmul v118, v117
                    v120: f32 = fadd v119, v118
                    v121: f32 = fmul v120, v119
                    v122: f32 = fadd v121, v120
                    v123: f32 = fmul v122, v121
                    v124: f32 = fadd v123, v122
                    v125: f32 = fmul v124, v123
                    v126: f32 = fadd v125, v124
                    v127: f32 = fmul v126, v125
                    v128: f32 = fadd v127, v126
                    v129: f32 = fmul v128, v127
                    guard v112 store.global v0, v129
                    v175: i32 = const 2
                    v130: i32 = add v4, v175
                    v132: bool = icmp ult v130, v3
                    v177: bool = and v112, v132
                    v133: f32 = guard v177 load.global v0 + 4
                    v134: f32 = fadd v133, v133
                    v135: f32 = fmul v134, v133
                    v136: f32 = fadd v135, v134
                    v137: f32 = fmul v136, v135
                    v138: f32 = fadd v137, v136
                    v139: f32 = fmul v138, v137
                    v140: f32 = fadd v139, v138
                    v141: f32 = fmul v140, v139
                    v142: f32 = fadd v141, v140
                    v143: f32 = fmul v142, v141
                    v144: f32 = fadd v143, v142
                    v145: f32 = fmul v144, v143
                    v146: f32 = fadd v145, v144
                    v147: f32 = fmul v146, v145
                    v148: f32 = fadd v147, v146
                    v149: f32 = fmul v148, v147
                    v178: bool = and v112, v132
                    guard v178 store.global v0, v149
                    jump block3
                block3:
                    return
                }
            "#]],
        );
    }

    /// A step of 32 may wrap, so the loop's own test comes after its copies.
    #[test]
    fn a_remainder_with_loads_waits_for_memory_once() {
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4 read_only, param1 n: i32, param2 y: i64 ptr align 4) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = param2
                v3: i32 = special laneid
                v4: f32 = const 0.0
                jump block1(v3, v4)
            block1(v5: i32, v6: f32):
                v7: bool = icmp ult v5, v1
                branch v7, block2, block3
            block2:
                v8: i64 = zext v5
                v9: i64 = const 4
                v10: i64 = mul v8, v9
                v11: i64 = add v0, v10
                v12: f32 = load.global v11 read_only
                v13: f32 = fmax v6, v12
                v14: i32 = const 32
                v15: i32 = add v5, v14
                jump block1(v15, v13)
            block3:
                store.global v2, v6
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4 read_only, param1 n: i32, param2 y: i64 ptr align 4) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = param2
                    v3: i32 = special laneid
                    v4: f32 = const 0.0
                    v71: i32 = const 96
                    v72: bool = icmp ugt v1, v71
                    branch v72, block13, block1(v3, v4)
                block13:
                    v74: i32 = sub nuw v1, v71
                    jump block14(v3, v4)
                block14(v69: i32, v70: f32):
                    v75: bool = icmp ult v69, v74
                    branch v75, block4, block1(v69, v70)
                block4:
                    v23: i64 = zext v69
                    v24: i64 = const 4
                    v25: i64 = mul v23, v24
                    v26: i64 = add v0, v25
                    v27: f32 = load.global v26 read_only
                    v28: f32 = fmax v70, v27
                    v29: i32 = const 32
                    v30: i32 = add v69, v29
                    v35: i64 = zext v30
                    v37: i64 = mul v35, v24
                    v38: i64 = add v0, v37
                    v39: f32 = load.global v38 read_only
                    v40: f32 = fmax v28, v39
                    v101: i32 = const 64
                    v42: i32 = add v69, v101
                    v47: i64 = zext v42
                    v49: i64 = mul v47, v24
                    v50: i64 = add v0, v49
                    v51: f32 = load.global v50 read_only
                    v52: f32 = fmax v40, v51
                    v54: i32 = add v69, v71
                    v59: i64 = zext v54
                    v61: i64 = mul v59, v24
                    v62: i64 = add v0, v61
                    v63: f32 = load.global v62 read_only
                    v64: f32 = fmax v52, v63
                    v103: i32 = const 128
                    v66: i32 = add v69, v103
                    jump block14(v66, v64)
                block1(v5: i32, v6: f32) nounroll:
                    v7: bool = icmp ult v5, v1
                    branch v7, block2, block3
                block2:
                    v8: i64 = zext v5
                    v9: i64 = const 4
                    v10: i64 = mul v8, v9
                    v11: i64 = add v0, v10
                    v12: f32 = load.global v11 read_only
                    v13: f32 = fmax v6, v12
                    v14: i32 = const 32
                    v15: i32 = add v5, v14
                    v79: bool = icmp ult v15, v1
                    v80: i64 = zext v15
                    v82: i64 = mul v80, v9
                    v83: i64 = add v0, v82
                    v84: f32 = guard v79 load.global v83 read_only
                    v85: f32 = fmax v13, v84
                    v104: i32 = const 64
                    v87: i32 = add v5, v104
                    v91: bool = icmp ult v87, v1
                    v92: i64 = zext v87
                    v94: i64 = mul v92, v9
                    v95: i64 = add v0, v94
                    v108: bool = and v79, v91
                    v96: f32 = guard v108 load.global v95 read_only
                    v97: f32 = fmax v85, v96
                    v99: i32 = add v5, v71
                    v106: i32 = select v91, v99, v87
                    v107: f32 = select v91, v97, v85
                    v109: i32 = select v79, v106, v15
                    v110: f32 = select v79, v107, v13
                    jump block1(v109, v110)
                block3:
                    store.global v2, v6
                    return
                }
            "#]],
        );
    }

    /// A loop that tests at its end: whether an iteration follows is tested behind the copies.
    #[test]
    fn a_remainder_that_tests_at_its_end() {
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4 read_only, param1 n: i32, param2 y: i64 ptr align 4, param3 step: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = param2
                v3: i32 = param3
                v4: i32 = special tid.x
                jump block1(v4)
            block1(v5: i32):
                v8: i64 = zext v5
                v9: i64 = const 4
                v10: i64 = mul v8, v9
                v11: i64 = add v0, v10
                v12: f32 = load.global v11 read_only
                v13: i64 = add v2, v10
                store.global v13, v12
                v14: bool = icmp ult v5, v1
                v15: i32 = add v5, v3
                branch v14, block1(v15), block2
            block2:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4 read_only, param1 n: i32, param2 y: i64 ptr align 4, param3 step: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = param2
                    v3: i32 = param3
                    v4: i32 = special tid.x
                    v90: i32 = const 306783378
                    v91: bool = icmp ule v3, v90
                    v92: i32 = const 6
                    v93: i32 = mul v3, v92
                    v94: bool = icmp ult v93, v1
                    v95: bool = and v91, v94
                    branch v95, block12, block1(v4)
                block12:
                    v98: i32 = sub nuw v1, v93
                    jump block13(v4)
                block13(v89: i32):
                    v99: bool = icmp ult v89, v98
                    branch v99, block3, block1(v89)
                block3:
                    v17: i64 = zext v89
                    v18: i64 = const 4
                    v19: i64 = mul v17, v18
                    v20: i64 = add v0, v19
                    v21: f32 = load.global v20 read_only
                    v22: i64 = add v2, v19
                    store.global v22, v21
                    v24: i32 = add v89, v3
                    v26: i64 = zext v24
                    v28: i64 = mul v26, v18
                    v29: i64 = add v0, v28
                    v30: f32 = load.global v29 read_only
                    v31: i64 = add v2, v28
                    store.global v31, v30
                    v33: i32 = add v24, v3
                    v35: i64 = zext v33
                    v37: i64 = mul v35, v18
                    v38: i64 = add v0, v37
                    v39: f32 = load.global v38 read_only
                    v40: i64 = add v2, v37
                    store.global v40, v39
                    v42: i32 = add v33, v3
                    v44: i64 = zext v42
                    v46: i64 = mul v44, v18
                    v47: i64 = add v0, v46
                    v48: f32 = load.global v47 read_only
                    v49: i64 = add v2, v46
                    store.global v49, v48
                    v51: i32 = add v42, v3
                    v53: i64 = zext v51
                    v55: i64 = mul v53, v18
                    v56: i64 = add v0, v55
                    v57: f32 = load.global v56 read_only
                    v58: i64 = add v2, v55
                    store.global v58, v57
                    v60: i32 = add v51, v3
                    v62: i64 = zext v60
                    v64: i64 = mul v62, v18
                    v65: i64 = add v0, v64
                    v66: f32 = load.global v65 read_only
                    v67: i64 = add v2, v64
                    store.global v67, v66
                    v69: i32 = add v60, v3
                    v71: i64 = zext v69
                    v73: i64 = mul v71, v18
                    v74: i64 = add v0, v73
                    v75: f32 = load.global v74 read_only
                    v76: i64 = add v2, v73
                    store.global v76, v75
                    v78: i32 = add v69, v3
                    v80: i64 = zext v78
                    v82: i64 = mul v80, v18
                    v83: i64 = add v0, v82
                    v84: f32 = load.global v83 read_only
                    v85: i64 = add v2, v82
                    store.global v85, v84
                    v86: bool = icmp ult v78, v1
                    v87: i32 = add v78, v3
                    branch v86, block13(v87), block2
                block1(v5: i32) nounroll:
                    v8: i64 = zext v5
                    v9: i64 = const 4
                    v10: i64 = mul v8, v9
                    v11: i64 = add v0, v10
                    v12: f32 = load.global v11 read_only
                    v13: i64 = add v2, v10
                    store.global v13, v12
                    v14: bool = icmp ult v5, v1
                    v15: i32 = add v5, v3
                    v120: bool = const false
                    v101: i64 = zext v15
                    v103: i64 = mul v101, v9
                    v104: i64 = add v0, v103
                    v105: f32 = guard v14 load.global v104 read_only
                    v106: i64 = add v2, v103
                    guard v14 store.global v106, v105
                    v107: bool = icmp ult v15, v1
                    v108: i32 = add v15, v3
                    v110: i64 = zext v108
                    v112: i64 = mul v110, v9
                    v113: i64 = add v0, v112
                    v124: bool = and v14, v107
                    v114: f32 = guard v124 load.global v113 read_only
                    v115: i64 = add v2, v112
                    v125: bool = and v14, v107
                    guard v125 store.global v115, v114
                    v116: bool = icmp ult v108, v1
                    v117: i32 = add v108, v3
                    v122: i32 = select v107, v117, v108
                    v123: bool = select v107, v116, v120
                    v126: i32 = select v14, v122, v15
                    v127: bool = select v14, v123, v120
                    branch v127, block1(v126), block2
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn the_remainder_of_an_inner_loop_has_no_way_back() {
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 m: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 0
                v4: i32 = const 1
                jump block1(v3, v3)
            block1(v5: i32, v6: i32):
                v7: bool = icmp slt v5, v1
                branch v7, block2, block6
            block2:
                jump block3(v3, v6)
            block3(v8: i32, v9: i32):
                v10: bool = icmp slt v8, v2
                branch v10, block4, block5
            block4:
                v11: i32 = xor v9, v8
                v12: i32 = add v8, v4
                jump block3(v12, v11)
            block5:
                v13: i32 = add v5, v4
                jump block1(v13, v9)
            block6:
                store.global v0, v6
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
                    jump block1(v3, v3)
                block1(v5: i32, v6: i32):
                    v7: bool = icmp slt v5, v1
                    branch v7, block2, block6
                block2:
                    v45: i32 = const 2
                    v46: bool = icmp sgt v2, v45
                    branch v46, block16, block3(v3, v6)
                block16:
                    v48: i32 = sub v2, v45
                    jump block7(v3, v6)
                block7(v17: i32, v18: i32):
                    v21: i32 = xor v18, v17
                    v22: i32 = add v17, v4
                    v27: i32 = xor v21, v22
                    v28: i32 = add v17, v45
                    v33: i32 = xor v27, v28
                    v64: i32 = const 3
                    v34: i32 = add v17, v64
                    v38: bool = icmp slt v34, v2
                    branch v38, block14, block5(v33)
                block14:
                    v39: i32 = xor v33, v34
                    v65: i32 = const 4
                    v40: i32 = add v17, v65
                    v49: bool = icmp slt v40, v48
                    branch v49, block7(v40, v39), block3(v40, v39)
                block3(v8: i32, v9: i32):
                    v10: bool = icmp slt v8, v2
                    branch v10, block4, block5(v9)
                block4:
                    v11: i32 = xor v9, v8
                    v12: i32 = add v8, v4
                    v53: bool = icmp slt v12, v2
                    branch v53, block19, block5(v11)
                block19:
                    v54: i32 = xor v11, v12
                    jump block5(v54)
                block5(v67: i32):
                    v13: i32 = add v5, v4
                    jump block1(v13, v67)
                block6:
                    store.global v0, v6
                    return
                }
            "#]],
        );
    }

    #[test]
    fn few_rounds_go_away() {
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4) {
            block0:
                v0: i64 = param0
                v1: i64 = const 0
                v2: i64 = const 4
                v3: i64 = const 12
                jump block1(v1)
            block1(v4: i64):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block3
            block2:
                v6: i64 = add v0, v4
                store.global v6, v2
                v7: i64 = add v4, v2
                jump block1(v7)
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4) {
                block0:
                    v0: i64 = param0
                    v2: i64 = const 4
                    store.global v0, v2
                    v10: i64 = add v0, v2
                    store.global v10, v2
                    v11: i64 = const 8
                    v14: i64 = add v0, v11
                    store.global v14, v2
                    return
                }
            "#]],
        );
    }

    /// The inner loop of the triangle `j in i + 1..3` for `i in 0..3` has no constant trip count of its own.
    #[test]
    fn a_triangle_goes_away() {
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4) {
            block0:
                v0: i64 = param0
                v1: i64 = const 0
                v2: i64 = const 1
                v3: i64 = const 3
                v4: i32 = load.global v0
                jump block1(v1, v4)
            block1(v5: i64, v6: i32):
                v7: bool = icmp ult v5, v3
                branch v7, block2, block5
            block2:
                v8: i64 = add v5, v2
                jump block3(v8, v6)
            block3(v9: i64, v10: i32):
                v11: bool = icmp ult v9, v3
                branch v11, block4, block6
            block4:
                v12: i32 = trunc_int v9
                v13: i32 = trunc_int v5
                v14: i32 = mul v10, v12
                v15: i32 = xor v14, v13
                v16: i64 = add v9, v2
                jump block3(v16, v15)
            block6:
                jump block1(v8, v10)
            block5:
                store.global v0, v6
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4) {
                block0:
                    v0: i64 = param0
                    v4: i32 = load.global v0
                    v12: i32 = const 1
                    v82: i32 = const 2
                    v83: i32 = mul v4, v82
                    v97: i32 = const 4
                    v30: i32 = mul v4, v97
                    v31: i32 = add nuw v30, v12
                    store.global v0, v31
                    return
                }
            "#]],
        );
    }

    #[test]
    fn lanes_that_wait_stay_together() {
        // Of the 300 iterations 6 are an unrolled one: a test at the beginning is enough.
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4) {
            block0:
                v0: i64 = param0
                v1: i32 = const 0
                v2: i32 = const 1
                v3: i32 = const 300
                jump block1(v1)
            block1(v4: i32):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block3
            block2:
                store.global v0, v4
                barrier
                v6: i32 = load.global v0
                store.global v0 + 4, v6
                store.global v0 + 8, v6
                store.global v0 + 12, v6
                store.global v0 + 16, v6
                barrier
                v7: i32 = add v4, v2
                jump block1(v7)
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4) {
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0
                    v2: i32 = const 1
                    v3: i32 = const 300
                    jump block1(v1)
                block1(v4: i32):
                    v5: bool = icmp ult v4, v3
                    branch v5, block2, block3
                block2:
                    store.global v0, v4
                    barrier
                    v6: i32 = load.global v0
                    store.global v0 + 4, v6
                    store.global v0 + 8, v6
                    store.global v0 + 12, v6
                    store.global v0 + 16, v6
                    barrier
                    v7: i32 = add v4, v2
                    store.global v0, v7
                    barrier
                    v10: i32 = load.global v0
                    store.global v0 + 4, v10
                    store.global v0 + 8, v10
                    store.global v0 + 12, v10
                    store.global v0 + 16, v10
                    barrier
                    v28: i32 = const 2
                    v11: i32 = add v4, v28
                    store.global v0, v11
                    barrier
                    v14: i32 = load.global v0
                    store.global v0 + 4, v14
                    store.global v0 + 8, v14
                    store.global v0 + 12, v14
                    store.global v0 + 16, v14
                    barrier
                    v29: i32 = const 3
                    v15: i32 = add v4, v29
                    store.global v0, v15
                    barrier
                    v18: i32 = load.global v0
                    store.global v0 + 4, v18
                    store.global v0 + 8, v18
                    store.global v0 + 12, v18
                    store.global v0 + 16, v18
                    barrier
                    v30: i32 = const 4
                    v19: i32 = add v4, v30
                    store.global v0, v19
                    barrier
                    v22: i32 = load.global v0
                    store.global v0 + 4, v22
                    store.global v0 + 8, v22
                    store.global v0 + 12, v22
                    store.global v0 + 16, v22
                    barrier
                    v31: i32 = const 5
                    v23: i32 = add v4, v31
                    store.global v0, v23
                    barrier
                    v26: i32 = load.global v0
                    store.global v0 + 4, v26
                    store.global v0 + 8, v26
                    store.global v0 + 12, v26
                    store.global v0 + 16, v26
                    barrier
                    v32: i32 = const 6
                    v27: i32 = add v4, v32
                    jump block1(v27)
                block3:
                    return
                }
            "#]],
        );
    }

    /// Votes on the bits of a number, whose count the lanes share, and the same of a count that each lane has for itself.
    #[test]
    fn lanes_that_vote_in_loops_of_unknown_length() {
        let text = |count: &str| {
            format!(
                "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {{
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0
                    v2: i32 = const 1
                    v3: i32 = {count}
                    v8: i32 = special tid.x
                    v14: i32 = const -1
                    jump block1(v1, v1)
                block1(v4: i32, v11: i32):
                    v5: bool = icmp ult v4, v3
                    branch v5, block2, block3
                block2:
                    v6: i32 = lshr v8, v4
                    v9: i32 = and v6, v2
                    v10: bool = icmp eq v9, v2
                    v12: i32 = vote.ballot v10, v14
                    v13: i32 = xor v11, v12
                    v7: i32 = add v4, v2
                    jump block1(v7, v13)
                block3:
                    store.global v0, v11
                    return
                }}"
            )
        };
        check(
            unroll_small_loops,
            &text("param1"),
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0
                    v2: i32 = const 1
                    v3: i32 = param1
                    v8: i32 = special tid.x
                    v14: i32 = const -1
                    v62: i32 = const 3
                    v63: bool = icmp ugt v3, v62
                    branch v63, block13, block1(v1, v1)
                block13:
                    v65: i32 = sub nuw v3, v62
                    jump block4(v1, v1)
                block4(v18: i32, v19: i32):
                    v71: i32 = shl v2, v18
                    v72: i32 = and v8, v71
                    v24: bool = icmp ne v72, v1
                    v25: i32 = vote.ballot v24, v14
                    v26: i32 = xor v19, v25
                    v27: i32 = add v18, v2
                    v76: i32 = shl v2, v27
                    v77: i32 = and v8, v76
                    v34: bool = icmp ne v77, v1
                    v35: i32 = vote.ballot v34, v14
                    v36: i32 = xor v26, v35
                    v79: i32 = const 2
                    v37: i32 = add v18, v79
                    v82: i32 = shl v2, v37
                    v83: i32 = and v8, v82
                    v44: bool = icmp ne v83, v1
                    v45: i32 = vote.ballot v44, v14
                    v46: i32 = xor v36, v45
                    v47: i32 = add v18, v62
                    v88: i32 = shl v2, v47
                    v89: i32 = and v8, v88
                    v54: bool = icmp ne v89, v1
                    v55: i32 = vote.ballot v54, v14
                    v56: i32 = xor v46, v55
                    v91: i32 = const 4
                    v57: i32 = add v18, v91
                    v66: bool = icmp ult v57, v65
                    branch v66, block4(v57, v56), block1(v57, v56)
                block1(v4: i32, v11: i32) nounroll:
                    v5: bool = icmp ult v4, v3
                    branch v5, block2, block3
                block2:
                    v94: i32 = shl v2, v4
                    v95: i32 = and v8, v94
                    v10: bool = icmp ne v95, v1
                    v12: i32 = vote.ballot v10, v14
                    v13: i32 = xor v11, v12
                    v7: i32 = add v4, v2
                    jump block1(v7, v13)
                block3:
                    store.global v0, v11
                    return
                }
            "#]],
        );
        check(
            unroll_small_loops,
            &text("load.global v0"),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = const 0
                v2: i32 = const 1
                v3: i32 = load.global v0
                v8: i32 = special tid.x
                v14: i32 = const -1
                jump block1(v1, v1)
            block1(v4: i32, v11: i32):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block3
            block2:
                v6: i32 = lshr v8, v4
                v9: i32 = and v6, v2
                v10: bool = icmp eq v9, v2
                v12: i32 = vote.ballot v10, v14
                v13: i32 = xor v11, v12
                v7: i32 = add v4, v2
                jump block1(v7, v13)
            block3:
                store.global v0, v11
                return
            }
        "#]],
        );
        check(
            unroll_small_loops,
            &text("special laneid"),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = const 0
                v2: i32 = const 1
                v3: i32 = special laneid
                v8: i32 = special tid.x
                v14: i32 = const -1
                jump block1(v1, v1)
            block1(v4: i32, v11: i32):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block3
            block2:
                v6: i32 = lshr v8, v4
                v9: i32 = and v6, v2
                v10: bool = icmp eq v9, v2
                v12: i32 = vote.ballot v10, v14
                v13: i32 = xor v11, v12
                v7: i32 = add v4, v2
                jump block1(v7, v13)
            block3:
                store.global v0, v11
                return
            }
        "#]],
        );
    }

    #[test]
    fn lanes_that_wait_in_loops_of_unknown_length() {
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = const 0
                v2: i32 = const 1
                v3: i32 = param1
                jump block1(v1)
            block1(v4: i32):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block3
            block2:
                store.global v0, v4
                barrier
                v7: i32 = add v4, v2
                jump block1(v7)
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0
                    v2: i32 = const 1
                    v3: i32 = param1
                    jump block1(v1)
                block1(v4: i32):
                    v5: bool = icmp ult v4, v3
                    branch v5, block2, block3
                block2:
                    store.global v0, v4
                    barrier
                    v7: i32 = add v4, v2
                    jump block1(v7)
                block3:
                    return
                }
            "#]],
        );
    }

    /// Loads of memory that nobody writes are under way together over the barriers.
    #[test]
    fn loads_over_barriers() {
        let text = |read_only: &str, end: &str| {
            format!(
                "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 x: i64 ptr align 4) {{
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0
                    v2: i32 = const 1
                    v3: i32 = param1
                    v8: i64 = param2
                    v9: i32 = special tid.x
                    jump block1(v1, v1)
                block1(v4: i32, v10: i32):
                    v5: bool = icmp ult v4, {end}
                    branch v5, block2, block3
                block2:
                    v11: i64 = zext v4
                    v12: i64 = const 4
                    v13: i64 = mul v11, v12
                    v14: i64 = add v8, v13
                    v15: i32 = load.global v14{read_only}
                    v16: i32 = add v10, v15
                    store.global v0, v16
                    barrier
                    v17: i32 = load.global v0
                    v7: i32 = add v4, v2
                    jump block1(v7, v17)
                block3:
                    return
                }}"
            )
        };
        let barriers = |text: &str| {
            let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
            unroll_small_loops(&mut func);
            func.to_string().matches("barrier").count()
        };
        assert_eq!(barriers(&text(" read_only", "v3")), 5);
        assert_eq!(barriers(&text("", "v3")), 1);
        // Not all threads leave in one iteration.
        assert_eq!(barriers(&text(" read_only", "v9")), 1);
    }

    #[test]
    fn another_way_out() {
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = const 0
                v2: i32 = const 1
                v3: i32 = param1
                jump block1(v1)
            block1(v4: i32):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block3
            block2:
                v6: i32 = load.global v0
                v7: i32 = add v4, v2
                v8: bool = icmp eq v6, v4
                branch v8, block3, block1(v7)
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0
                    v2: i32 = const 1
                    v3: i32 = param1
                    jump block1(v1)
                block1(v4: i32):
                    v5: bool = icmp ult v4, v3
                    branch v5, block2, block3
                block2:
                    v6: i32 = load.global v0
                    v7: i32 = add v4, v2
                    v8: bool = icmp eq v6, v4
                    branch v8, block3, block1(v7)
                block3:
                    return
                }
            "#]],
        );
    }

    /// The last of eight iterations tests whether eight more follow, and only then whether one does.
    #[test]
    fn unrolled_iterations_have_one_exit() {
        check(
            unroll_small_loops,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 0
                v3: i32 = const 32
                v4: f32 = const 0.0
                v5: bool = icmp ult v2, v1
                branch v5, block1(v2, v4), block3(v4)
            block1(v6: i32, v7: f32):
                v8: i64 = zext v6
                v9: i64 = add v0, v8
                v10: f32 = load.global v9
                v11: f32 = fmax v7, v10
                v12: i32 = sub v1, v6
                v13: bool = icmp ult v3, v12
                branch v13, block2, block3(v11)
            block2:
                v14: i32 = add v6, v3
                jump block1(v14, v11)
            block3(v15: f32):
                store.global v0, v15
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 0
                    v3: i32 = const 32
                    v4: f32 = const 0.0
                    v5: bool = icmp ne v1, v2
                    branch v5, block20, block3(v4)
                block20:
                    v92: i32 = const 224
                    v94: bool = icmp ugt v1, v92
                    branch v94, block4(v2, v4), block1(v2, v4)
                block4(v16: i32, v17: f32):
                    v18: i64 = zext v16
                    v19: i64 = add v0, v18
                    v20: f32 = load.global v19
                    v21: f32 = fmax v17, v20
                    v24: i32 = add v16, v3
                    v27: i64 = zext v24
                    v28: i64 = add v0, v27
                    v29: f32 = load.global v28
                    v30: f32 = fmax v21, v29
                    v102: i32 = const 64
                    v33: i32 = add v16, v102
                    v36: i64 = zext v33
                    v37: i64 = add v0, v36
                    v38: f32 = load.global v37
                    v39: f32 = fmax v30, v38
                    v103: i32 = const 96
                    v42: i32 = add v16, v103
                    v45: i64 = zext v42
                    v46: i64 = add v0, v45
                    v47: f32 = load.global v46
                    v48: f32 = fmax v39, v47
                    v104: i32 = const 128
                    v51: i32 = add v16, v104
                    v54: i64 = zext v51
                    v55: i64 = add v0, v54
                    v56: f32 = load.global v55
                    v57: f32 = fmax v48, v56
                    v105: i32 = const 160
                    v60: i32 = add v16, v105
                    v63: i64 = zext v60
                    v64: i64 = add v0, v63
                    v65: f32 = load.global v64
                    v66: f32 = fmax v57, v65
                    v106: i32 = const 192
                    v69: i32 = add v16, v106
                    v72: i64 = zext v69
                    v73: i64 = add v0, v72
                    v74: f32 = load.global v73
                    v75: f32 = fmax v66, v74
                    v78: i32 = add v16, v92
                    v81: i64 = zext v78
                    v82: i64 = add v0, v81
                    v83: f32 = load.global v82
                    v84: f32 = fmax v75, v83
                    v85: i32 = sub v1, v78
                    v86: bool = icmp ugt v85, v3
                    v95: i32 = const 256
                    v97: bool = icmp ugt v85, v95
                    branch v97, block19, block23
                block19:
                    v87: i32 = add v16, v95
                    jump block4(v87, v84)
                block23:
                    branch v86, block24, block3(v84)
                block24:
                    v98: i32 = add v16, v95
                    jump block1(v98, v84)
                block1(v6: i32, v7: f32) nounroll:
                    v8: i64 = zext v6
                    v9: i64 = add v0, v8
                    v10: f32 = load.global v9
                    v11: f32 = fmax v7, v10
                    v12: i32 = sub v1, v6
                    v13: bool = icmp ugt v12, v3
                    branch v13, block2, block3(v11)
                block2:
                    v14: i32 = add v6, v3
                    jump block1(v14, v11)
                block3(v15: f32):
                    store.global v0, v15
                    return
                }
            "#]],
        );
    }
}
