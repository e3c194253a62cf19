//! Value range analysis of integers: the interval of each, and the orders between them.
//!
//! Values are exact unsigned numbers below 2^width here. Intervals ([`interval`]) start from special registers, constants
//! and types, follow the operations, and are refined by the branches that dominate ([`facts`]); around loops they are
//! widened to thresholds and narrowed again. Orders between two values ([`relations`]) are proved when asked for, from
//! the same branches and from sums that don't wrap ([`linear`] compares those of several terms): Pentagons (Logozzo and
//! Fähndrich, 2008) on demand, in the manner of ABCD (Bodík, Gupta and Sarkar, 2000). Bounds by launch-uniform values
//! ([`bounds`]) give the launch guards under which an order holds.
//!
//! Facts about a value at a block are about its latest instance. A block that dominates was last passed after the values
//! that dominate it were last defined, so what its branch said holds of the present instances.

mod bounds;
mod facts;
mod interval;
mod linear;
mod middle;
mod poly;
mod relations;
mod sums;
mod uniform;

pub use bounds::Demand;
pub use interval::Interval;
pub use poly::{Atom, AtomData, Atoms, FloatBound, Poly, Term};

use std::cell::RefCell;

use super::cfg::Cfg;
use super::domtree::DomTree;
use super::multiples::{self, LessLowBits};
use crate::ir::{
    BinaryOp, Block, EntityMap, Function, Inst, InstData, IntCond, SpecialRegister, Type, UnaryOp, Value,
    ValueDef,
};
use facts::{At, Entry, Facts, Relation, Want};
use middle::Middles;

/// The greatest value of a special register in any launch of a function.
pub fn most_of_special(register: SpecialRegister, func: &Function) -> u64 {
    interval::special(register, func).hi
}

/// The answers for one function, as long as it is not changed.
pub struct Ranges<'f> {
    func: &'f Function,
    cfg: Cfg,
    tree: DomTree,
    facts: Facts,
    middles: Middles,
    /// None: not computed yet, or the definition is never reached.
    intervals: EntityMap<Value, Option<Interval>>,
    /// The block that defines each value.
    homes: EntityMap<Value, Option<Block>>,
    /// The latest refinements once the intervals are final, by the entry of the facts that refine: a proof asks for the same few at
    /// one point again and again.
    refined: Option<RefCell<EntityMap<Entry, Vec<Refined>>>>,
}

/// The interval of a value at a point, or none where that is never reached.
#[derive(Clone)]
struct Refined {
    value: Value,
    want: Want,
    depth: u32,
    at: At,
    interval: Option<Interval>,
}

/// Maximum depth to which facts about the other sides of facts are followed.
const REFINE_DEPTH: u32 = 2;
/// Maximum depth of the operations that are computed again where a branch bounds their operands.
const RECOMPUTE_DEPTH: u32 = 6;

impl<'f> Ranges<'f> {
    /// Analyses the function.
    pub fn new(func: &'f Function) -> Ranges<'f> {
        let cfg = Cfg::new(func);
        let tree = DomTree::new(&cfg);
        let facts = Facts::new(func, &cfg, &tree);
        let middles = Middles::new(func, &cfg, &facts);
        let intervals = EntityMap::filled(func.values.len(), None);
        let homes = func.homes(cfg.order());
        let mut ranges = Ranges { func, cfg, tree, facts, middles, intervals, homes, refined: None };
        ranges.solve();
        ranges.refined = Some(RefCell::new(EntityMap::filled(ranges.facts.entries(), Vec::new())));
        ranges
    }

    /// The function that it was computed on.
    pub fn func(&self) -> &'f Function {
        self.func
    }

    /// The control-flow graph that it was computed on.
    pub fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    /// Interval of the value whenever it is computed. Everything of its type for floats and for unreachable code.
    pub fn of(&self, value: Value) -> Interval {
        self.intervals[value].unwrap_or(Interval::full(self.func.ty(value)))
    }

    /// Interval of the value whenever `block` runs; none if it never does.
    pub fn at(&self, value: Value, block: Block) -> Option<Interval> {
        self.refine(value, At::block(block), REFINE_DEPTH)
    }

    /// Decides a `bool` whenever `block` has run, by intervals; none if it may be either.
    pub fn decide(&self, cond: Value, block: Block) -> Option<bool> {
        self.decide_at(cond, At::block(block), 4)
    }

    /// Returns true if it is proved that a `bool` is `truth` whenever `block` has run. Dearer than [`decide`](Self::decide), which
    /// it contains.
    pub fn proves_that(&self, cond: Value, truth: bool, block: Block) -> bool {
        self.holds_at(cond, truth, At::block(block), 4)
    }

    /// Returns true if `x < y` is proved whenever `block` has run, as exact numbers.
    pub fn proves_less(&self, x: Value, y: Value, block: Block) -> bool {
        self.proves(x, y, -1, At::block(block))
    }

    /// Returns true if `x <= y` is proved whenever `block` has run, as exact numbers.
    pub fn proves_at_most(&self, x: Value, y: Value, block: Block) -> bool {
        self.proves(x, y, 0, At::block(block))
    }

    /// Returns true if the value is below 2³² whenever it is computed, by its interval.
    pub fn fits_u32(&self, value: Value) -> bool {
        self.intervals[value].is_some_and(|interval| interval.hi <= u32::MAX.into())
    }

    /// Returns true if it is proved that the value is below 2³² whenever it is computed, for sums and for parameters of loops
    /// that start below: orders prove more of those than intervals. Contains [`fits_u32`](Self::fits_u32).
    pub fn proves_u32(&self, value: Value) -> bool {
        const MOST: u64 = u32::MAX as u64;
        let Some(home) = self.home(value) else { return false };
        let hopeful = match self.func.values[value].def {
            ValueDef::Result(_) => true,
            ValueDef::Param(block) => {
                let params = &self.func.blocks[block].params;
                let index = params.iter().position(|&param| param == value);
                let mut args = index.into_iter().flat_map(|index| self.arguments(block, index));
                args.any(|(from, arg)| {
                    let arg = self.argument(arg, At { block: from, to: Some(block) });
                    arg.is_some_and(|interval| interval.hi <= MOST)
                })
            }
        };
        self.fits_u32(value)
            || self.intervals[value].is_some() && hopeful && self.proves_below(value, MOST, home)
    }

    /// Returns true if the host can compute the value before a launch: it depends on parameters and the shape of the launch alone.
    pub fn is_uniform(&self, value: Value) -> bool {
        uniform::is_known_to_host(self.func, value)
    }

    /// The block that defines a value.
    fn home(&self, value: Value) -> Option<Block> {
        self.homes[value]
    }

    // Solving.

    /// Goes through the blocks in order, around each group of loops until nothing grows, then down again.
    fn solve(&mut self) {
        let order: Vec<Block> = self.cfg.order().to_vec();
        let mut growths = EntityMap::<Value, u8>::filled(self.func.values.len(), 0);
        // The thresholds of what is widened, and where the first loop begins.
        let mut widened = None;
        let ends = self.ends_of_cycles(&order);
        let mut start = 0;
        while start < order.len() {
            // All that can run again before what comes after it.
            let mut end = start + 1;
            let mut position = start;
            while position < end {
                end = end.max(ends[position]);
                position += 1;
            }
            let blocks = &order[start..end];
            let cyclic = ends[start..end].iter().any(|&end| end > 0);
            if cyclic {
                let (thresholds, _) = widened.get_or_insert_with(|| (self.thresholds(&order), start));
                while self.sweep(blocks, &mut growths, thresholds) {}
            } else {
                self.sweep(blocks, &mut growths, &[]);
            }
            start = end;
        }
        if let Some((_, first)) = widened {
            // From a fixed point each step down is sound; two give back most of what widening lost.
            self.descend(&order[first..]);
            self.descend(&order[first..]);
        }
    }

    /// For each position the one after the last block that jumps back to it; 0 if none does.
    fn ends_of_cycles(&self, order: &[Block]) -> Vec<usize> {
        let mut ends = vec![0; order.len()];
        for (position, &block) in order.iter().enumerate() {
            for next in self.cfg.successors(block).iter().filter_map(|&next| self.cfg.position(next)) {
                if next as usize <= position {
                    ends[next as usize] = position + 1;
                }
            }
        }
        ends
    }

    /// Bounds to try before giving up on a loop variable: what it is compared with.
    fn thresholds(&self, order: &[Block]) -> Vec<u64> {
        let mut thresholds = WIDE_THRESHOLDS.to_vec();
        for &block in order {
            for &inst in &self.func.blocks[block].insts {
                let InstData::IntCompare { args, .. } = self.func.insts[inst] else { continue };
                let constants = args.iter().filter_map(|&arg| self.func.constant(arg));
                thresholds.extend(constants.flat_map(|k| [k.saturating_sub(1), k, k.saturating_add(1)]));
            }
        }
        thresholds.sort_unstable();
        thresholds.dedup();
        thresholds
    }

    /// Computes every value of these blocks once more, upwards. Whether any grew.
    fn sweep(&mut self, blocks: &[Block], growths: &mut EntityMap<Value, u8>, thresholds: &[u64]) -> bool {
        let func = self.func;
        let mut changed = false;
        for &block in blocks {
            for (index, &param) in func.blocks[block].params.iter().enumerate() {
                let Some(new) = self.incoming(block, index, param) else { continue };
                let old = self.intervals[param];
                if old.is_some_and(|old| old.contains(new)) {
                    continue;
                }
                let mut grown = old.map_or(new, |old| old.join(new));
                growths[param] = growths[param].saturating_add(1);
                if let Some(old) = old
                    && growths[param] > 2
                {
                    let full = Interval::full(func.ty(param));
                    let steps: &[u64] = if growths[param] > 6 { WIDE_THRESHOLDS } else { thresholds };
                    grown = widen(old, grown, steps).intersect(full).unwrap_or(full);
                }
                self.intervals[param] = Some(grown);
                changed = true;
            }
            for &inst in &func.blocks[block].insts {
                let Some(result) = func.results[inst] else { continue };
                let new = self.transfer(inst, result, block);
                let old = self.intervals[result];
                let Some(new) = new.filter(|&new| old.is_none_or(|old| !old.contains(new))) else { continue };
                self.intervals[result] = Some(old.map_or(new, |old| old.join(new)));
                changed = true;
            }
        }
        changed
    }

    /// Computes every value once more from a fixed point, downwards.
    fn descend(&mut self, blocks: &[Block]) {
        let func = self.func;
        for &block in blocks {
            for (index, &param) in func.blocks[block].params.iter().enumerate() {
                let new = self.incoming(block, index, param);
                self.tighten(param, new);
            }
            for &inst in &func.blocks[block].insts {
                if let Some(result) = func.results[inst] {
                    let new = self.transfer(inst, result, block);
                    self.tighten(result, new);
                }
            }
        }
    }

    fn tighten(&mut self, value: Value, new: Option<Interval>) {
        let old = self.intervals[value];
        self.intervals[value] = match (old, new) {
            (Some(old), Some(new)) => old.intersect(new),
            (None, _) | (_, None) => new,
        };
    }

    /// Join of the intervals that jumps pass for a parameter.
    fn incoming(&self, block: Block, index: usize, param: Value) -> Option<Interval> {
        if !self.func.ty(param).is_int() && self.func.ty(param) != Type::Bool {
            return None;
        }
        let mut all: Option<Interval> = None;
        for (from, arg) in self.arguments(block, index) {
            let arg = self.argument(arg, At { block: from, to: Some(block) });
            all = match (all, arg) {
                (Some(all), Some(arg)) => Some(all.join(arg)),
                (all, arg) => all.or(arg),
            };
        }
        all
    }

    /// Interval of an argument on the edge that passes it: of `n - 1`, computed before the branch on `0 < n`, what it is behind that.
    fn argument(&self, arg: Value, at: At) -> Option<Interval> {
        let interval = self.refine(arg, at, REFINE_DEPTH)?;
        let may_differ = matches!(
            self.func.def(arg),
            Some(InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. } | InstData::Convert { .. })
        );
        if interval.hi == self.func.ty(arg).mask() && may_differ && !self.func.has_group_products() {
            return self.recompute(arg, at, 2);
        }
        Some(interval)
    }

    /// The arguments passed for a parameter, with the blocks that pass them.
    fn arguments(&self, block: Block, index: usize) -> impl Iterator<Item = (Block, Value)> {
        let func = self.func;
        let mut before = None;
        self.cfg.predecessors(block).iter().flat_map(move |&from| {
            // A block with two edges here is listed twice, next to itself.
            let again = before.replace(from) == Some(from);
            let inst = func.terminator(from).filter(|_| !again);
            let calls = inst.into_iter().flat_map(|inst| func.insts[inst].successors());
            calls.filter(move |call| call.block == block).map(move |call| (from, call.args[index]))
        })
    }

    /// The interval of a result from those of the operands.
    fn transfer(&self, inst: Inst, result: Value, block: Block) -> Option<Interval> {
        let at = At::block(block);
        self.transfer_at(inst, result, at, &|operand| self.refine(operand, at, REFINE_DEPTH))
    }

    /// The interval of a result at a block or edge from those of the operands there.
    fn transfer_at(
        &self,
        inst: Inst,
        result: Value,
        at: At,
        interval_of: &dyn Fn(Value) -> Option<Interval>,
    ) -> Option<Interval> {
        let func = self.func;
        let ty = func.ty(result);
        let data = &func.insts[inst];
        if ty.is_float() {
            return None;
        }
        if interval::is_opaque(data) {
            return Some(Interval::full(ty));
        }
        let operand = |value: Value| match func.ty(value).is_float() {
            true => Some(Interval::full(func.ty(value))),
            false => interval_of(value),
        };
        Some(match *data {
            InstData::Const { bits } => Interval::exact(bits),
            InstData::Unary { op, arg } => interval::unary(op, ty, operand(arg)?),
            InstData::Binary { op, args, no_unsigned_wrap } => {
                let distance = match op {
                    BinaryOp::Sub => self.said_distance(args[1], args[0], at),
                    _ => None,
                };
                let exact = no_unsigned_wrap || distance.is_some();
                let found = interval::binary(op, ty, operand(args[0])?, operand(args[1])?, exact);
                let found = found.intersect(Interval::new(distance.unwrap_or(0), ty.mask()))?;
                let found = match op {
                    BinaryOp::Add | BinaryOp::Sub if found == Interval::full(ty) => {
                        self.interval_of_sum(result, at, interval_of).unwrap_or(found)
                    }
                    _ => found,
                };
                // `2 * x - x % 4` is `x` and a multiple of four.
                let parts = multiples::less_low_bits(func, args).filter(|_| op == BinaryOp::Sub);
                let found = match parts {
                    Some(LessLowBits { whole, factor, bits }) => {
                        let whole = operand(whole)?;
                        let rest = whole.without_low_bits(bits);
                        let times =
                            |number: u64, rest: u64| (factor - 1).checked_mul(number)?.checked_add(rest);
                        match times(whole.hi, rest.hi).filter(|&hi| hi <= ty.mask()) {
                            Some(hi) => {
                                let lo = times(whole.lo, rest.lo).unwrap_or(0);
                                found.intersect(Interval::new(lo, hi))?
                            }
                            None => found,
                        }
                    }
                    None => found,
                };
                match interval::index_of_thread(func, result) {
                    Some(index) => found.intersect(index)?,
                    None => found,
                }
            }
            InstData::Select { cond, if_true, if_false } => match operand(cond)?.single() {
                Some(0) => operand(if_false)?,
                Some(_) => operand(if_true)?,
                None => operand(if_true)?.join(operand(if_false)?),
            },
            InstData::IntCompare { cond, args } => {
                let bits = func.ty(args[0]).bits();
                let [a, b] = [operand(args[0])?, operand(args[1])?];
                interval::compare(cond, bits, a, b)
                    .map_or(Interval::full(ty), |holds| Interval::exact(holds.into()))
            }
            InstData::Convert { op, arg } => interval::convert(op, func.ty(arg), ty, operand(arg)?),
            InstData::Special { register } => interval::special(register, func),
            InstData::Param { param } => interval::param(&func.params[param]),
            InstData::Load { below: Some(param), .. } => interval::below(&func.params[param], ty),
            _ => Interval::full(ty),
        })
    }

    // Facts.

    /// Interval of a value at a block or edge, refined by the facts that hold there.
    fn refine(&self, value: Value, at: At, depth: u32) -> Option<Interval> {
        self.refine_for(value, at, Want::Both, depth)
    }

    /// Interval of a value at a block or edge, of which only the wanted bounds are refined.
    fn refine_for(&self, value: Value, at: At, want: Want, depth: u32) -> Option<Interval> {
        let interval = self.intervals[value]?;
        let entry = self.facts.entry_of(value);
        // A number that a loop starts with may not be the one behind a branch: nothing is popped of an empty stack.
        if depth == 0 || !self.facts.refines(entry) || self.func.constant(value).is_some() {
            return Some(interval);
        }
        let Some(refined) = &self.refined else { return self.refine_anew(value, interval, at, want, depth) };
        let is_asked = |known: &Refined| known.value == value && known.want == want && known.depth == depth;
        if let Some(known) = refined.borrow()[entry].iter().find(|&known| is_asked(known) && known.at == at) {
            return known.interval;
        }
        let interval = self.refine_anew(value, interval, at, want, depth);
        let known = &mut refined.borrow_mut()[entry];
        known.retain(|known| !is_asked(known));
        known.push(Refined { value, want, depth, at, interval });
        interval
    }

    /// The one of two values of which the other is the opposite.
    fn opposite(&self, [a, b]: [Value; 2]) -> Option<Value> {
        let is_opposite = |of: Value, value: Value| matches!(self.func.def(value), Some(&InstData::Unary { op: UnaryOp::Neg, arg }) if arg == of);
        if is_opposite(a, b) { Some(a) } else { is_opposite(b, a).then_some(b) }
    }

    /// The interval of a value cut by the facts that hold at a block or edge.
    fn refine_anew(
        &self,
        value: Value,
        mut interval: Interval,
        at: At,
        want: Want,
        depth: u32,
    ) -> Option<Interval> {
        let root = self.facts.root(value);
        let depth = depth.checked_sub(1)?;
        for relation in self.facts.about(root, at, want, &self.tree) {
            interval = self.apply(interval, relation, at, depth)?;
        }
        if want != Want::Lower {
            for &sum in self.facts.guarded_sums(root) {
                interval = self.cut_by_sum(interval, value, sum, at, depth)?;
            }
            for &part in self.facts.low_parts(root) {
                interval = self.cut_by_low_part(interval, value, part, at, depth);
            }
        }
        Some(interval)
    }

    /// The interval of a value at a block or edge, computed again of its operands as the facts there refine them: a branch on `t`
    /// bounds the `2 * t + 1` that was computed before it. The operands of now are those of the value, which they dominate.
    fn recompute(&self, value: Value, at: At, depth: u32) -> Option<Interval> {
        let here = self.refine(value, at, REFINE_DEPTH)?;
        let Some(depth) = depth.checked_sub(1).filter(|_| here.single().is_none()) else { return Some(here) };
        let inst = match self.func.values[value].def {
            ValueDef::Result(inst) => inst,
            ValueDef::Param(block) => {
                return match self.passed(value, block, at, depth) {
                    Some(passed) => here.intersect(passed),
                    None => Some(here),
                };
            }
        };
        let is_arithmetic = matches!(
            self.func.insts[inst],
            InstData::Binary { .. }
                | InstData::Convert { .. }
                | InstData::Unary { .. }
                | InstData::Select { .. }
        );
        if !is_arithmetic {
            return Some(here);
        }
        here.intersect(self.transfer_at(inst, value, at, &|operand| self.recompute(operand, at, depth))?)
    }

    /// Join of the arguments of a block parameter that a way may have passed on which what branches say at a block or edge held: of
    /// `let digit = if valid { key & 15 } else { 16 }` behind another branch on `valid` the first. None if that is all of them.
    fn passed(&self, param: Value, block: Block, at: At, depth: u32) -> Option<Interval> {
        let above = self.tree.idom(block)?;
        let position = self.func.blocks[block].params.iter().position(|&other| other == param)?;
        let (mut all, mut is_cut) = (None, false);
        for (from, arg) in self.arguments(block, position) {
            // In a loop the condition may be another one by now.
            if self.tree.dominates(block, from) {
                return None;
            }
            if self.contradicts(from, block, above, at) {
                is_cut = true;
                continue;
            }
            let arg = self.recompute(arg, At { block: from, to: Some(block) }, depth)?;
            all = Some(all.map_or(arg, |all: Interval| all.join(arg)));
        }
        all.filter(|_| is_cut)
    }

    /// Returns true if a branch on the way from a block that dominates to an edge went the other way than its condition says at a point behind.
    fn contradicts(&self, from: Block, to: Block, above: Block, at: At) -> bool {
        let (mut block, mut next) = (from, to);
        loop {
            let terminator = self.func.terminator(block).map(|inst| &self.func.insts[inst]);
            if let Some(InstData::Branch { cond, if_true, if_false, .. }) = terminator
                && if_true.block != if_false.block
                && (next == to || self.cfg.predecessors(next).len() == 1)
            {
                let known = self.refine(*cond, at, 1).and_then(Interval::single);
                let went = u64::from(if_true.block == next);
                if (if_true.block == next || if_false.block == next) && known == Some(1 - went) {
                    return true;
                }
            }
            if block == above {
                return false;
            }
            let Some(up) = self.tree.idom(block) else { return false };
            (block, next) = (up, block);
        }
    }

    /// The part of `x` in which a sum `x + k` stays below what branches say of it, if the sum doesn't wrap.
    fn cut_by_sum(&self, x: Interval, value: Value, sum: Value, at: At, depth: u32) -> Option<Interval> {
        let Some(&InstData::Binary { args: [a, b], no_unsigned_wrap, .. }) = self.func.def(sum) else {
            return Some(x);
        };
        let other = if self.facts.root(a) == self.facts.root(value) { b } else { a };
        let Some(k) = self.intervals[other] else { return Some(x) };
        let mask = self.func.ty(sum).mask();
        if !no_unsigned_wrap && u128::from(x.hi) + u128::from(k.hi) > mask.into() {
            return Some(x);
        }
        // Only what branches say: they come after the sum, so its operands are those of now. Where none has come, the sum may
        // not have been computed, and that it does not wrap says nothing.
        let mut said = self.facts.about(sum, at, Want::Upper, &self.tree).peekable();
        if said.peek().is_none() {
            return Some(x);
        }
        let mut below = Interval::new(0, mask);
        for relation in said {
            below = self.apply(below, relation, at, depth)?;
        }
        x.intersect(Interval::new(0, below.hi.checked_sub(k.lo)?))
    }

    /// The multiples in `x`, where a branch says that the remainder of a division by a power of two is zero.
    fn cut_by_low_part(&self, x: Interval, value: Value, part: Value, at: At, depth: u32) -> Interval {
        let whole = match self.func.def(part) {
            Some(InstData::Binary { args, .. }) => args[0],
            _ => return x,
        };
        let Some(bits) = multiples::low_bits(self.func, part, whole) else { return x };
        // Only what branches say, as they come after the remainder.
        let full = Interval::full(self.func.ty(value));
        let mut said = self.facts.about(part, at, Want::Upper, &self.tree);
        let is_zero =
            said.any(|relation| self.apply(full, relation, at, depth).is_some_and(|part| part.hi == 0));
        if is_zero { Interval::new(x.lo, x.without_low_bits(bits).hi.max(x.lo)) } else { x }
    }

    /// The part of an interval in which a relation can hold.
    fn apply(&self, x: Interval, relation: Relation, at: At, depth: u32) -> Option<Interval> {
        let plus = |value: u64, offset: i8| value.checked_add_signed(offset.into());
        let other = |y, want| self.refine_for(y, at, want, depth);
        match relation {
            Relation::AtMost { y, offset } => match other(y, Want::Upper) {
                // Below zero there is nothing.
                Some(y) => x.intersect(Interval::new(0, plus(y.hi, offset)?)),
                None => Some(x),
            },
            Relation::AtLeast { y, offset } => match other(y, Want::Lower) {
                Some(y) => x.intersect(Interval::new(plus(y.lo, offset)?, u64::MAX)),
                None => Some(x),
            },
            Relation::Differs { y } => match other(y, Want::Both).and_then(Interval::single) {
                Some(y) if x.lo == y && x.hi == y => None,
                Some(y) if x.lo == y => Some(Interval::new(x.lo + 1, x.hi)),
                Some(y) if x.hi == y => Some(Interval::new(x.lo, x.hi - 1)),
                Some(_) | None => Some(x),
            },
            // A signed number at least one that is not negative is not negative; then the order is the unsigned one.
            Relation::SignedAtLeast { y, offset, bits } => match other(y, Want::Both) {
                Some(y) if y.is_non_negative(bits) => {
                    x.intersect(Interval::new(plus(y.lo, offset)?, u64::MAX >> (65 - bits)))
                }
                Some(_) | None => Some(x),
            },
            Relation::SignedAtMost { y, offset, bits } => match other(y, Want::Both) {
                Some(y) if y.is_non_negative(bits) && x.is_non_negative(bits) => {
                    x.intersect(Interval::new(0, plus(y.hi, offset)?))
                }
                Some(_) | None => Some(x),
            },
            Relation::Is(truth) => x.intersect(Interval::exact(truth.into())),
        }
    }

    /// The greatest `distance` of which a branch's condition is directly `x + distance <= y`, without overflow.
    fn said_distance(&self, x: Value, y: Value, at: At) -> Option<u64> {
        let y = self.facts.root(y);
        let about = self.facts.about(self.facts.root(x), at, Want::Upper, &self.tree);
        let distances = about.filter_map(|relation| match relation {
            Relation::AtMost { y: other, offset } if other == y && offset <= 0 => {
                Some(offset.unsigned_abs().into())
            }
            Relation::AtMost { .. }
            | Relation::AtLeast { .. }
            | Relation::Differs { .. }
            | Relation::SignedAtMost { .. }
            | Relation::SignedAtLeast { .. }
            | Relation::Is(_) => None,
        });
        distances.max()
    }

    fn decide_at(&self, cond: Value, at: At, depth: u32) -> Option<bool> {
        if let Some(known) = self.refine(cond, at, REFINE_DEPTH)?.single() {
            return Some(known == 1);
        }
        let depth = depth.checked_sub(1)?;
        match self.func.def(cond)? {
            InstData::Unary { arg, .. } => self.decide_at(*arg, at, depth).map(|holds| !holds),
            InstData::Binary { op, args, .. } => {
                let [a, b] = args.map(|arg| self.decide_at(arg, at, depth));
                match op {
                    BinaryOp::And if a == Some(false) || b == Some(false) => Some(false),
                    BinaryOp::And => Some(a? && b?),
                    BinaryOp::Or if a == Some(true) || b == Some(true) => Some(true),
                    BinaryOp::Or => Some(a? || b?),
                    BinaryOp::Xor => Some(a? != b?),
                    _ => None,
                }
            }
            InstData::IntCompare { cond, args } => {
                let bits = self.func.ty(args[0]).bits();
                let decide = |[a, b]: [Option<Interval>; 2]| interval::compare(*cond, bits, a?, b?);
                decide(args.map(|arg| self.refine(arg, at, REFINE_DEPTH)))
                    .or_else(|| decide(args.map(|arg| self.recompute(arg, at, RECOMPUTE_DEPTH))))
            }
            _ => None,
        }
    }

    fn holds_at(&self, cond: Value, truth: bool, at: At, depth: u32) -> bool {
        if let Some(known) = self.decide_at(cond, at, 1) {
            return known == truth;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self.func.def(cond) {
            Some(InstData::Unary { arg, .. }) => self.holds_at(*arg, !truth, at, depth),
            Some(InstData::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), args, .. }) => {
                let mut each = args.iter().map(|&arg| self.holds_at(arg, truth, at, depth));
                if (*op == BinaryOp::And) == truth {
                    each.all(|holds| holds)
                } else {
                    each.any(|holds| holds)
                }
            }
            Some(InstData::IntCompare { cond, args }) => {
                let cond = if truth { *cond } else { cond.inverse() };
                self.proves_comparison(cond, *args, at)
            }
            _ => false,
        }
    }

    /// Returns true if a comparison holds by the order of its operands.
    fn proves_comparison(&self, cond: IntCond, [a, b]: [Value; 2], at: At) -> bool {
        let ty = self.func.ty(a);
        if ty == Type::Bool {
            return false;
        }
        let below = |x, y, offset| self.proves(x, y, offset, at);
        let non_negative = |value| {
            self.refine(value, at, REFINE_DEPTH).is_some_and(|interval| interval.is_non_negative(ty.bits()))
        };
        match cond {
            IntCond::SLt | IntCond::SLe | IntCond::SGt | IntCond::SGe => {
                non_negative(a) && non_negative(b) && self.proves_comparison(cond.unsigned(), [a, b], at)
            }
            IntCond::Eq => below(a, b, 0) && below(b, a, 0),
            IntCond::Ne => below(a, b, -1) || below(b, a, -1),
            IntCond::ULt => below(a, b, -1),
            IntCond::ULe => below(a, b, 0),
            IntCond::UGt => below(b, a, -1),
            IntCond::UGe => below(b, a, 0),
        }
    }
}

/// The greatest numbers of the types, signed and not.
const WIDE_THRESHOLDS: &[u64] =
    &[0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// `new` with the bounds that moved pushed to the next of the sorted thresholds.
fn widen(old: Interval, new: Interval, thresholds: &[u64]) -> Interval {
    let lo = match new.lo < old.lo {
        true => thresholds.iter().rev().copied().find(|&step| step <= new.lo).unwrap_or(0),
        false => new.lo,
    };
    let hi = match new.hi > old.hi {
        true => thresholds.iter().copied().find(|&step| step >= new.hi).unwrap_or(u64::MAX),
        false => new.hi,
    };
    Interval::new(lo, hi)
}
