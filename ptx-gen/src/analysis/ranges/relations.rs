//! Proves that one value is never above another plus a number, following branches and sums from one to the other.

use super::facts::{At, Relation, Want};
use super::{Interval, REFINE_DEPTH, Ranges};
use crate::ir::{BinaryOp, Block, ConvertOp, InstData, Value, ValueDef};

/// Steps after which a proof is given up.
const FUEL: u32 = 100;
/// Maximum length of a chain of steps.
const DEPTH: u32 = 12;

/// Right-hand side of the order to prove.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// A root.
    Value(Value),
    /// The number zero: only the offset counts.
    Zero,
}

impl Ranges<'_> {
    /// Returns true if `x <= y + offset` is proved at a block or edge, as exact numbers.
    pub(super) fn proves(&self, x: Value, y: Value, offset: i128, at: At) -> bool {
        let goal = Goal::Value(self.facts.root(y));
        Prover { ranges: self, fuel: FUEL, assumed: Vec::new(), path: Vec::new() }
            .at_most(x, goal, offset, at, DEPTH)
    }

    /// The operands of a sum that does not wrap, in both orders.
    pub(super) fn parts_of_sum(&self, sum: Value, at: At) -> Vec<[Value; 2]> {
        let sum = self.facts.root(sum);
        let Some(&InstData::Binary { op: BinaryOp::Add, args: [p, q], no_unsigned_wrap }) =
            self.func.def(sum)
        else {
            return Vec::new();
        };
        let most = u128::from(self.func.ty(sum).mask());
        let fits = || match [p, q].map(|arg| self.refine(arg, at, REFINE_DEPTH)) {
            [Some(p), Some(q)] => u128::from(p.hi) + u128::from(q.hi) <= most,
            _ => false,
        };
        if no_unsigned_wrap || fits() { vec![[p, q], [q, p]] } else { Vec::new() }
    }

    /// Returns true if `x <= most` is proved whenever `block` runs.
    pub(super) fn proves_below(&self, x: Value, most: u64, block: Block) -> bool {
        let mut prover = Prover { ranges: self, fuel: FUEL, assumed: Vec::new(), path: Vec::new() };
        prover.at_most(x, Goal::Zero, most.into(), At::block(block), DEPTH)
    }
}

struct Prover<'r, 'f> {
    ranges: &'r Ranges<'f>,
    fuel: u32,
    /// Loop parameters under proof, with goal and offset: the induction hypothesis for an iteration.
    assumed: Vec<(Value, Goal, i128)>,
    /// Orders under proof, and where: a cycle among them proves nothing.
    path: Vec<(Value, Goal, At)>,
}

impl Prover<'_, '_> {
    /// Returns true if `x <= goal + offset` is proved.
    fn at_most(&mut self, x: Value, goal: Goal, offset: i128, at: At, depth: u32) -> bool {
        let (Some(fuel), Some(depth)) = (self.fuel.checked_sub(1), depth.checked_sub(1)) else {
            return false;
        };
        self.fuel = fuel;
        let x = self.ranges.facts.root(x);
        if goal == Goal::Value(x) {
            return offset >= 0;
        }
        let goal_in = match goal {
            Goal::Value(value) => self.interval(value, at),
            Goal::Zero => Some(Interval::exact(0)),
        };
        let (Some(x_in), Some(goal_in)) = (self.interval(x, at), goal_in) else { return false };
        if i128::from(x_in.hi) <= i128::from(goal_in.lo) + offset {
            return true;
        }
        if i128::from(x_in.lo) > i128::from(goal_in.hi) + offset {
            return false;
        }
        if let Some(&(.., assumed)) = self.assumed.iter().find(|(value, g, _)| *value == x && *g == goal) {
            // An iteration that subtracts from the hypothesis proves it; one that adds to it only behind a branch that says so.
            return offset >= assumed || self.by_branches(x, goal, offset, at, depth);
        }
        if self.path.contains(&(x, goal, at)) {
            return false;
        }
        if self.path.is_empty() && self.by_terms(x, goal, offset, at, depth) {
            return true;
        }
        self.path.push((x, goal, at));
        let proved = self.by_branches(x, goal, offset, at, depth)
            || match self.ranges.func.values[x].def {
                ValueDef::Param(block) => self.by_arguments(x, block, goal, offset, depth),
                ValueDef::Result(_) => self.by_definition(x, goal, offset, at, depth),
            }
            || self.by_sums(x, goal, offset, at, depth);
        self.path.pop();
        proved
    }

    fn interval(&self, value: Value, at: At) -> Option<Interval> {
        self.ranges.refine(value, at, REFINE_DEPTH)
    }

    /// From a branch that says `x <= y + c`.
    fn by_branches(&mut self, x: Value, goal: Goal, offset: i128, at: At, depth: u32) -> bool {
        let ranges = self.ranges;
        ranges.facts.about(x, at, Want::Upper, &ranges.tree).any(|relation| match relation {
            Relation::AtMost { y, offset: c } => self.at_most(y, goal, offset - i128::from(c), at, depth),
            Relation::SignedAtMost { y, offset: c, bits } => {
                let non_negative = |value| self.interval(value, at).is_some_and(|i| i.is_non_negative(bits));
                non_negative(x) && non_negative(y) && self.at_most(y, goal, offset - i128::from(c), at, depth)
            }
            Relation::AtLeast { .. }
            | Relation::Differs { .. }
            | Relation::SignedAtLeast { .. }
            | Relation::Is(_) => false,
        })
    }

    /// From the instruction that computes `x`.
    fn by_definition(&mut self, x: Value, goal: Goal, offset: i128, at: At, depth: u32) -> bool {
        let func = self.ranges.func;
        let Some(data) = func.def(x) else { return false };
        if self.by_middle(x, goal, offset, at, depth) {
            return true;
        }
        match *data {
            InstData::Convert { op: ConvertOp::SignExtend | ConvertOp::IndexExtend, arg } => {
                let bits = func.ty(arg).bits();
                self.interval(arg, at).is_some_and(|arg| arg.is_non_negative(bits))
                    && self.at_most(arg, goal, offset, at, depth)
            }
            // Truncation only makes it less.
            InstData::Convert { op: ConvertOp::Truncate, arg } => self.at_most(arg, goal, offset, at, depth),
            InstData::Select { if_true, if_false, .. } => {
                self.at_most(if_true, goal, offset, at, depth)
                    && self.at_most(if_false, goal, offset, at, depth)
            }
            InstData::Binary { op, args: [a, b], no_unsigned_wrap } => match op {
                BinaryOp::Add
                    if self.sum_is_exact(x, [a, b], no_unsigned_wrap, at)
                        || self.is_behind_middle(a, b, at, depth) =>
                {
                    let (Some(a_in), Some(b_in)) = (self.interval(a, at), self.interval(b, at)) else {
                        return false;
                    };
                    self.at_most(a, goal, offset - i128::from(b_in.hi), at, depth)
                        || self.at_most(b, goal, offset - i128::from(a_in.hi), at, depth)
                        || self.step_within_distance([a, b], goal, offset, at, depth)
                        || self.step_within_distance([b, a], goal, offset, at, depth)
                }
                BinaryOp::Sub if self.difference_is_exact([a, b], no_unsigned_wrap, at, depth) => {
                    let Some(b_in) = self.interval(b, at) else { return false };
                    self.at_most(a, goal, offset + i128::from(b_in.lo), at, depth)
                        || self.rest_of_difference(a, b, goal, offset, at, depth)
                }
                BinaryOp::UDiv | BinaryOp::LShr => self.at_most(a, goal, offset, at, depth),
                BinaryOp::URem => {
                    self.at_most(b, goal, offset + 1, at, depth) || self.at_most(a, goal, offset, at, depth)
                }
                BinaryOp::And | BinaryOp::UMin => {
                    self.at_most(a, goal, offset, at, depth) || self.at_most(b, goal, offset, at, depth)
                }
                BinaryOp::UMax => {
                    self.at_most(a, goal, offset, at, depth) && self.at_most(b, goal, offset, at, depth)
                }
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::UMulHigh
                | BinaryOp::SMulHigh
                | BinaryOp::SDiv
                | BinaryOp::SRem
                | BinaryOp::SMin
                | BinaryOp::SMax
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::AShr => false,
                BinaryOp::FAdd
                | BinaryOp::FSub
                | BinaryOp::FMul
                | BinaryOp::FDiv
                | BinaryOp::FMin
                | BinaryOp::FMax
                | BinaryOp::CopySign
                | BinaryOp::FDivApprox => false,
            },
            _ => false,
        }
    }

    /// `(p + q) - b <= q` where `p <= b`.
    fn rest_of_difference(
        &mut self,
        a: Value,
        b: Value,
        goal: Goal,
        offset: i128,
        at: At,
        depth: u32,
    ) -> bool {
        let b = Goal::Value(self.ranges.facts.root(b));
        self.ranges
            .parts_of_sum(a, at)
            .into_iter()
            .any(|[p, q]| self.at_most(q, goal, offset, at, depth) && self.at_most(p, b, 0, at, depth.min(3)))
    }

    /// As the middle of two numbers that are in order.
    fn by_middle(&mut self, x: Value, goal: Goal, offset: i128, at: At, depth: u32) -> bool {
        self.ranges.middles.ends(x).iter().any(|&[low, high]| {
            let end = Goal::Value(self.ranges.facts.root(high));
            [1, 0].into_iter().any(|apart| {
                self.at_most(high, goal, offset + apart, at, depth)
                    && self.at_most(low, end, -apart, at, depth.min(3))
            })
        })
    }

    /// `i + step <= end + c` from a branch that says `step <= (end - i) + c`.
    fn step_within_distance(
        &mut self,
        [i, step]: [Value; 2],
        goal: Goal,
        offset: i128,
        at: At,
        depth: u32,
    ) -> bool {
        let ranges = self.ranges;
        let (i, step) = (ranges.facts.root(i), ranges.facts.root(step));
        ranges.facts.about(step, at, Want::Upper, &ranges.tree).any(|relation| {
            let Relation::AtMost { y, offset: c } = relation else { return false };
            let Some(InstData::Binary { op: BinaryOp::Sub, args: [end, start], no_unsigned_wrap }) =
                ranges.func.def(y)
            else {
                return false;
            };
            ranges.facts.root(*start) == i
                && self.difference_is_exact([*end, *start], *no_unsigned_wrap, at, depth)
                && self.at_most(*end, goal, offset - i128::from(c), at, depth)
        })
    }

    /// From a branch that says `y + c <= goal`, where `y` has all the terms of `x`.
    fn by_terms(&mut self, x: Value, goal: Goal, offset: i128, at: At, depth: u32) -> bool {
        let (ranges, Goal::Value(goal)) = (self.ranges, goal) else { return false };
        let is_sum =
            |value| matches!(ranges.func.def(value), Some(InstData::Binary { op: BinaryOp::Add, .. }));
        let mut above = ranges.facts.about(goal, at, Want::Lower, &ranges.tree).filter_map(|relation| {
            let Relation::AtLeast { y, offset } = relation else { return None };
            is_sum(y).then_some((y, i128::from(offset)))
        });
        let Some(first) = above.next() else { return false };
        let terms = ranges.linear(x, at);
        let above: Vec<(Value, i128)> = std::iter::once(first).chain(above).collect();
        above.into_iter().any(|(y, c)| {
            let more = ranges.linear(y, at);
            more.at_least(&terms).is_some_and(|difference| offset + difference + c >= 0)
                // `base + 4 * i + 3` is below `base + 4 * end` for an `i` below the end.
                || more.at_least_but_one(&terms).is_some_and(|(i, ends, difference)| {
                    ends.into_iter().any(|end| {
                        let end = Goal::Value(end);
                        [(1, i128::from(i.1)), (0, 0)].into_iter().any(|(less, gained)| {
                            offset + difference + gained + c >= 0 && self.at_most(i.0, end, -less, at, depth)
                        })
                    })
                })
        })
    }

    fn sum_is_exact(&self, sum: Value, [a, b]: [Value; 2], no_unsigned_wrap: bool, at: At) -> bool {
        let most = u128::from(self.ranges.func.ty(sum).mask());
        no_unsigned_wrap
            || match (self.interval(a, at), self.interval(b, at)) {
                (Some(a), Some(b)) => u128::from(a.hi) + u128::from(b.hi) <= most,
                _ => false,
            }
    }

    /// Returns true if the middle of two numbers and a constant have a sum that does not wrap: `first = middle + 1`.
    fn is_behind_middle(&mut self, middle: Value, more: Value, at: At, depth: u32) -> bool {
        let most = self.ranges.func.ty(middle).mask();
        let most = self.ranges.func.constant(more).and_then(|more| most.checked_sub(more));
        most.is_some_and(|most| self.by_middle(middle, Goal::Zero, most.into(), at, depth.min(4)))
    }

    /// Returns true if an end of a bisection and a constant have a sum that does not wrap: of `while low + 1 < high`. By an induction of
    /// its own, so that what it assumes may be part of the proof.
    fn is_end_with_room(&mut self, end: Value, more: Value, at: At, depth: u32) -> bool {
        let ranges = self.ranges;
        let most = ranges.func.constant(more).and_then(|more| ranges.func.ty(end).mask().checked_sub(more));
        let Some(most) = most.filter(|_| ranges.middles.is_end(end)) else { return false };
        let path = std::mem::take(&mut self.path);
        let proved = self.at_most(end, Goal::Zero, most.into(), at, depth);
        self.path = path;
        proved
    }

    fn difference_is_exact(
        &mut self,
        [a, b]: [Value; 2],
        no_unsigned_wrap: bool,
        at: At,
        depth: u32,
    ) -> bool {
        let a = self.ranges.facts.root(a);
        no_unsigned_wrap || self.at_most(b, Goal::Value(a), 0, at, depth.min(3))
    }

    /// From a sum `x + k` or a difference `n - x` computed before.
    fn by_sums(&mut self, x: Value, goal: Goal, offset: i128, at: At, depth: u32) -> bool {
        let ranges = self.ranges;
        ranges.facts.sums(x, at, &ranges.tree).any(|sum| {
            let Some(&InstData::Binary { op, args: [a, b], no_unsigned_wrap }) = ranges.func.def(sum) else {
                return false;
            };
            let (root_a, root_b) = (ranges.facts.root(a), ranges.facts.root(b));
            match op {
                BinaryOp::Add => {
                    let other = if root_a == x { b } else { a };
                    let more = other;
                    let Some(other) = self.interval(other, at) else { return false };
                    (self.sum_is_exact(sum, [a, b], no_unsigned_wrap, at)
                        || self.is_end_with_room(x, more, at, depth))
                        && self.at_most(sum, goal, offset + i128::from(other.lo), at, depth)
                }
                BinaryOp::Sub if root_b == x => {
                    let Some(distance) = self.interval(sum, at) else { return false };
                    self.difference_is_exact([a, b], no_unsigned_wrap, at, depth)
                        && self.at_most(a, goal, offset + i128::from(distance.lo), at, depth)
                }
                _ => false,
            }
        })
    }

    /// From all arguments passed for a block parameter. On back edges the order is the induction hypothesis.
    fn by_arguments(&mut self, x: Value, block: Block, goal: Goal, offset: i128, depth: u32) -> bool {
        let ranges = self.ranges;
        // The goal must be the same value in all iterations, so from outside.
        if let Goal::Value(value) = goal
            && !ranges.home(value).is_some_and(|home| ranges.tree.strictly_dominates(home, block))
        {
            return false;
        }
        let Some(index) = ranges.func.blocks[block].params.iter().position(|&param| param == x) else {
            return false;
        };
        self.assumed.push((x, goal, offset));
        let holds = ranges
            .arguments(block, index)
            .all(|(from, arg)| self.at_most(arg, goal, offset, At { block: from, to: Some(block) }, depth));
        self.assumed.pop();
        holds
    }
}
