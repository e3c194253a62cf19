//! Trip count of a loop, found by running it: the constant values of its variables in each iteration, and with
//! them the tests that leave it. So every way to count is understood that comes to an end soon enough. Inner loops are run for the values
//! of their variables after them: `n += 1` in two loops counts over both.

use std::cell::Cell;
use std::collections::HashMap;

use crate::analysis::{Cfg, DomTree, Loop, Loops};
use crate::ir::{Block, EntityMap, Function, InstData, Space, Type, Value, ValueDef};
use kernel_abi::eval;

/// The trip count of a loop.
#[derive(Clone, Debug)]
pub(super) struct Trips {
    /// Number of times that it jumps back to its header, if nothing else ends it before.
    pub(super) rounds: u32,
    /// The block with the test that ends it then.
    pub(super) exit: Block,
    /// The parameters of its header that are constants in every iteration.
    pub(super) counters: Vec<Value>,
    /// Their values in the first iteration, and in the last one that does not leave the loop.
    pub(super) ends: [Vec<u64>; 2],
}

/// Counts the iterations of a loop; none if they are not known to be at most `most`.
pub(super) fn count(
    func: &Function,
    cfg: &Cfg,
    tree: &DomTree,
    loops: &Loops,
    index: usize,
    most: u32,
) -> Option<Trips> {
    count_given(func, cfg, tree, loops, index, most, &HashMap::new())
}

/// Counts the iterations of a loop in an iteration of the loops around it: `given` has the values of their counters.
pub(super) fn count_given(
    func: &Function,
    cfg: &Cfg,
    tree: &DomTree,
    loops: &Loops,
    index: usize,
    most: u32,
    given: &HashMap<Value, u64>,
) -> Option<Trips> {
    let evaluator = Evaluator { func, cfg, tree, loops, fuel: Cell::new(MOST_ROUNDS_RUN) };
    evaluator.run(index, most, given, |_| Some(())).map(|(trips, _)| trips)
}

/// Instructions that a loop becomes if it and the loops inside it are fully unrolled, whose trip counts may depend on its counters: none if one
/// has no constant trip count then, or if they are more than `most`. `sizes` has the instructions of each loop without those inside it.
pub(super) fn unrolled_size(
    func: &Function,
    cfg: &Cfg,
    tree: &DomTree,
    loops: &Loops,
    index: usize,
    sizes: &[usize],
    most: usize,
) -> Option<usize> {
    let evaluator = Evaluator { func, cfg, tree, loops, fuel: Cell::new(MOST_ROUNDS_RUN) };
    evaluator.unrolled_size(index, &HashMap::new(), sizes, most)
}

/// Iterations that are run for one count, those of inner loops among them: more than anybody counts of one loop.
const MOST_ROUNDS_RUN: u32 = 1 << 18;
/// Iterations that the start of a loop counts as. Loops that follow each other, each with several counters that the one before computes, would
/// be run anew for each of them.
const COST_OF_RUN: u32 = 64;
/// Iterations of an inner loop.
const MOST_ROUNDS_INSIDE: u32 = 256;

/// Evaluates loops iteration by iteration.
struct Evaluator<'f> {
    func: &'f Function,
    cfg: &'f Cfg,
    tree: &'f DomTree,
    loops: &'f Loops,
    /// Iterations that may still be run.
    fuel: Cell<u32>,
}

impl Evaluator<'_> {
    /// Runs a loop until it is left: its trip count, and the values of its counters then. `each` sees the values of each iteration whose body
    /// is executed, and ends the run by none.
    fn run(
        &self,
        index: usize,
        most: u32,
        given: &HashMap<Value, u64>,
        mut each: impl FnMut(&HashMap<Value, Option<u64>>) -> Option<()>,
    ) -> Option<(Trips, Vec<u64>)> {
        // Before the values that it starts with are computed, by running the loops in front of it.
        self.fuel.set(self.fuel.get().checked_sub(COST_OF_RUN)?);
        let around = &self.loops.loops()[index];
        let exits = exits(self.func, self.tree, around, |block| self.loops.contains(index, block));
        if exits.is_empty() {
            return None;
        }
        let mut rounds = Rounds::new(self, index, given);
        let values = |rounds: &Rounds<'_>| -> Vec<Option<u64>> {
            rounds.params.iter().map(|param| param.now).collect()
        };
        let first = values(&rounds);
        let mut last = first.clone();
        for round in 0..=most {
            self.fuel.set(self.fuel.get().checked_sub(1)?);
            let mut any_known = false;
            for exit in &exits {
                let Some(cond) = rounds.value(exit.cond, MOST_DEPTH) else { continue };
                any_known = true;
                if (cond != 0) == exit.leaves_if {
                    if exit.block != around.header {
                        each(&rounds.known)?;
                    }
                    let is_counter = |position: &usize| rounds.params[*position].now.is_some();
                    let positions: Vec<usize> = (0..rounds.params.len()).filter(is_counter).collect();
                    let counters: Vec<Value> =
                        positions.iter().map(|&position| rounds.params[position].value).collect();
                    let at_exit = rounds.params.iter().filter_map(|param| param.now).collect();
                    let ends = [first, last]
                        .map(|values| positions.iter().filter_map(|&position| values[position]).collect());
                    return Some((Trips { rounds: round, exit: exit.block, counters, ends }, at_exit));
                }
            }
            if !any_known {
                return None;
            }
            each(&rounds.known)?;
            last = values(&rounds);
            rounds.advance();
        }
        None
    }

    /// [`unrolled_size`], in an iteration of the loops around: `given` has the values of their counters.
    fn unrolled_size(
        &self,
        index: usize,
        given: &HashMap<Value, u64>,
        sizes: &[usize],
        most: usize,
    ) -> Option<usize> {
        let is_inner = |inner: &usize| self.loops.loops()[*inner].parent == Some(index);
        let inner: Vec<usize> = (0..self.loops.loops().len()).filter(is_inner).collect();
        let mut size = 0;
        self.run(index, MOST_ROUNDS_INSIDE, given, |values| {
            let given = constants(values);
            size += sizes[index];
            for &inner in &inner {
                size += self.unrolled_size(inner, &given, sizes, most)?;
            }
            (size <= most).then_some(())
        })?;
        Some(size)
    }

    /// Value of a loop variable after its loop, which lies directly in another one.
    fn after_loop(
        &self,
        value: Value,
        inside: Option<usize>,
        given: &HashMap<Value, Option<u64>>,
    ) -> Option<u64> {
        let ValueDef::Param(block) = self.func.values[value].def else { return None };
        let index = self.loops.loops().iter().position(|inner| inner.header == block)?;
        let inner = &self.loops.loops()[index];
        if inner.parent != inside {
            return None;
        }
        let (trips, at_exit) = self.run(index, MOST_ROUNDS_INSIDE, &constants(given), |_| Some(()))?;
        let leaves = |&block: &Block| {
            let ends = |to: &Block| self.cfg.successors(*to).is_empty();
            self.cfg.successors(block).iter().any(|to| !self.loops.contains(index, *to) && !ends(to))
        };
        let has_other_exit = inner.blocks.iter().any(|block| *block != trips.exit && leaves(block));
        let position = trips.counters.iter().position(|&counter| counter == value)?;
        if has_other_exit { None } else { Some(at_exit[position]) }
    }
}

/// The values that are constants.
fn constants(values: &HashMap<Value, Option<u64>>) -> HashMap<Value, u64> {
    values.iter().filter_map(|(&value, &bits)| Some((value, bits?))).collect()
}

/// A test that every iteration passes, and leaves the loop if the condition is this.
pub(super) struct Exit {
    pub(super) block: Block,
    pub(super) cond: Value,
    pub(super) leaves_if: bool,
}

/// The tests that every iteration passes.
pub(super) fn exits(
    func: &Function,
    tree: &DomTree,
    around: &Loop,
    is_inside: impl Fn(Block) -> bool,
) -> Vec<Exit> {
    let exit = |&block: &Block| {
        if !around.latches.iter().all(|&latch| tree.dominates(block, latch)) {
            return None;
        }
        let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[func.terminator(block)?] else {
            return None;
        };
        match (is_inside(if_true.block), is_inside(if_false.block)) {
            (true, false) => Some(Exit { block, cond: *cond, leaves_if: false }),
            (false, true) => Some(Exit { block, cond: *cond, leaves_if: true }),
            (true, true) | (false, false) => None,
        }
    };
    around.blocks.iter().filter_map(exit).collect()
}

/// A parameter of the header.
struct Param {
    value: Value,
    /// Its value in this iteration, if that is a constant.
    now: Option<u64>,
    /// Arguments of the back edges for it.
    next: Vec<Value>,
}

/// Maximum depth to which operations are followed.
const MOST_DEPTH: u32 = 64;

struct Rounds<'f> {
    evaluator: &'f Evaluator<'f>,
    /// The loop that the values are in.
    inside: Option<usize>,
    /// The counters of loops around.
    given: &'f HashMap<Value, u64>,
    params: Vec<Param>,
    /// Values computed in this iteration.
    known: HashMap<Value, Option<u64>>,
}

impl<'f> Rounds<'f> {
    fn new(evaluator: &'f Evaluator<'f>, index: usize, given: &'f HashMap<Value, u64>) -> Rounds<'f> {
        let Evaluator { func, cfg, loops, .. } = *evaluator;
        let around = &loops.loops()[index];
        let header = around.header;
        let mut params: Vec<Param> = func.blocks[header]
            .params
            .iter()
            .map(|&value| Param { value, now: None, next: Vec::new() })
            .collect();
        let mut before_loop =
            Rounds { evaluator, inside: around.parent, given, params: Vec::new(), known: HashMap::new() };
        before_loop.start();
        let mut is_first = true;
        let mut before = None;
        for &from in cfg.predecessors(header) {
            // A block with two edges here is listed twice, next to itself.
            if before.replace(from) == Some(from) {
                continue;
            }
            let calls = func.terminator(from).into_iter().flat_map(|inst| func.insts[inst].successors());
            for call in calls.filter(|call| call.block == header) {
                for (param, &arg) in params.iter_mut().zip(&call.args) {
                    if around.latches.contains(&from) {
                        param.next.push(arg);
                    } else {
                        let start = before_loop.value(arg, MOST_DEPTH);
                        param.now = if is_first || param.now == start { start } else { None };
                    }
                }
                is_first &= around.latches.contains(&from);
            }
        }
        let mut rounds = Rounds { evaluator, inside: Some(index), given, params, known: HashMap::new() };
        rounds.start();
        rounds
    }

    fn start(&mut self) {
        self.known.clear();
        self.known.extend(self.given.iter().map(|(&value, &bits)| (value, Some(bits))));
        self.known.extend(self.params.iter().map(|param| (param.value, param.now)));
    }

    /// Goes on to the next iteration.
    fn advance(&mut self) {
        let mut next = Vec::with_capacity(self.params.len());
        for index in 0..self.params.len() {
            let mut value = None;
            // A parameter that was not constant once is not followed any more.
            if self.params[index].now.is_some() {
                for position in 0..self.params[index].next.len() {
                    let arg = self.value(self.params[index].next[position], MOST_DEPTH);
                    if position > 0 && arg != value {
                        value = None;
                        break;
                    }
                    value = arg;
                }
            }
            next.push(value);
        }
        for (param, value) in self.params.iter_mut().zip(next) {
            param.now = value;
        }
        self.start();
    }

    /// A value in this iteration, if it is a constant.
    fn value(&mut self, value: Value, depth: u32) -> Option<u64> {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let depth = depth.checked_sub(1)?;
        let func = self.evaluator.func;
        let result = match func.def(value) {
            Some(data) => evaluate(func, data, func.ty(value), |arg| self.value(arg, depth)),
            None => self.evaluator.after_loop(value, self.inside, &self.known),
        };
        self.known.insert(value, result);
        result
    }
}

/// The result of a pure instruction from those of its operands.
pub(in crate::passes) fn evaluate(
    func: &Function,
    data: &InstData,
    ty: Type,
    mut get: impl FnMut(Value) -> Option<u64>,
) -> Option<u64> {
    match *data {
        InstData::Const { bits } => Some(bits),
        InstData::Unary { op, arg } => eval::unary(op, ty, get(arg)?),
        InstData::Binary { op, args: [a, b], .. } => eval::binary(op, ty, get(a)?, get(b)?),
        InstData::Select { cond, if_true, if_false } => {
            if get(cond)? != 0 {
                get(if_true)
            } else {
                get(if_false)
            }
        }
        InstData::IntCompare { cond, args: [a, b] } => {
            Some(eval::int_compare(cond, func.ty(a), get(a)?, get(b)?).into())
        }
        InstData::Convert { op, arg } => eval::convert(op, func.ty(arg), ty, get(arg)?),
        _ => None,
    }
}

/// Resolver of values that become constants once these loops are unrolled: made of constants, tables of them, and their counters, also by `match`
/// of such values. Notes the loops that it depends on.
pub(super) struct Resolver<'f> {
    pub(super) func: &'f Function,
    /// The loop that each counter is of.
    pub(super) counters: EntityMap<Value, Option<usize>>,
    /// For each loop, true if it may end before its last iteration: its counters are constants in it alone.
    pub(super) ends_early: Vec<bool>,
    pub(super) loops: &'f Loops,
    pub(super) cfg: &'f Cfg,
    pub(super) tree: &'f DomTree,
}

/// Maximum number of operands, direct and indirect, of an index.
const MOST_PARTS: usize = 64;
/// Maximum number of blocks between a branch and where its ways meet.
const MOST_BETWEEN: usize = 32;

impl Resolver<'_> {
    /// The values that decide what a parameter is, if its block is no loop's first: those that are passed for it, and the conditions of the branches on
    /// the ways there from where they part.
    fn deciders(&self, param: Value) -> Option<Vec<Value>> {
        let ValueDef::Param(block) = self.func.values[param].def else { return None };
        let position = self.func.blocks[block].params.iter().position(|&other| other == param)?;
        let parting = self.tree.idom(block)?;
        let is_header = |block| self.loops.loops().iter().any(|around| around.header == block);
        let (mut found, mut between) = (Vec::new(), vec![block]);
        let mut next = 0;
        while let Some(&at) = between.get(next) {
            next += 1;
            if is_header(at) || between.len() > MOST_BETWEEN {
                return None;
            }
            for &before in self.cfg.predecessors(at) {
                let last = &self.func.insts[self.func.terminator(before)?];
                let calls = last.successors().filter(|call| call.block == block);
                found.extend(calls.map(|call| call.args[position]));
                if let InstData::Branch { cond, .. } = last {
                    found.push(*cond);
                }
                if before != parting && !between.contains(&before) {
                    between.push(before);
                }
            }
        }
        Some(found)
    }

    /// Returns true if the value is such a one in a block.
    pub(super) fn resolves(&self, value: Value, block: Block, loops: &mut Vec<usize>) -> bool {
        let mut parts = vec![value];
        let mut next = 0;
        while let Some(&value) = parts.get(next) {
            next += 1;
            if let Some(index) = self.counters[value] {
                if self.ends_early[index] && !self.loops.contains(index, block) {
                    return false;
                }
                if !loops.contains(&index) {
                    loops.push(index);
                }
                continue;
            }
            let mut more = Vec::new();
            match self.func.def(value) {
                Some(
                    data @ (InstData::Const { .. }
                    | InstData::Unary { .. }
                    | InstData::Binary { .. }
                    | InstData::Select { .. }
                    | InstData::IntCompare { .. }
                    | InstData::Convert { .. }
                    | InstData::ConstAddress { .. }
                    | InstData::Load { space: Space::Const, .. }),
                ) => data.visit_args(|arg| more.push(arg)),
                Some(_) => return false,
                None => match self.deciders(value) {
                    Some(deciders) => more = deciders,
                    None => return false,
                },
            }
            for arg in more {
                if !parts.contains(&arg) {
                    parts.push(arg);
                }
            }
            if parts.len() > MOST_PARTS {
                return false;
            }
        }
        true
    }
}
