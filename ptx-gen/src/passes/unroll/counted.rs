//! Counted loops: an induction variable goes in equal steps towards a bound, and every iteration tests it. Of these it can
//! be tested beforehand that so many further iterations will go on, whatever the bound and the step are.

use std::collections::HashMap;

use super::super::checks::panics;
use super::hoist::{Appender, Inside};
use super::trips::{Exit, exits};
use crate::analysis::{Cfg, DomTree, Loop, Loops, Ranges};
use crate::ir::{BinaryOp, Block, ConvertOp, Function, InstData, IntCond, Type, Value};
use kernel_abi::eval::signed;

/// A loop whose iterations go on while a test of its counter holds.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    /// The position of the counter among the parameters of the header.
    pub(super) position: usize,
    /// The counter.
    pub(super) counter: Value,
    /// The block that the test ends.
    pub(super) exit: Block,
    descends: bool,
    test: Test,
    /// Loop-invariant, of the type of the operands compared.
    step: Value,
}

/// Condition under which an iteration goes on.
#[derive(Clone, Copy, Debug)]
enum Test {
    /// `i < end` of a counter that goes up, `end < i` of one that goes down; `<=` if inclusive.
    Order { end: Value, is_signed: bool, inclusive: bool },
    /// `step < distance`, or `<=`; the distance to the bound is computed of the counter.
    Distance { distance: Value, inclusive: bool },
}

/// Bound computed before the loop, to test that so many iterations go on.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// The counter must be below it, or above.
    Last(Value),
    /// The distance must be more than it.
    Steps(Value),
}

/// Steps from here on are of blocks of elements.
const FAR: u64 = 32;

impl Counted {
    /// Matches such a loop, which may have other ways out.
    pub(super) fn find(
        func: &Function,
        tree: &DomTree,
        loops: &Loops,
        index: usize,
        inside: &Inside,
    ) -> Option<Counted> {
        let around = &loops.loops()[index];
        let mut exits = exits(func, tree, around, |block| loops.contains(index, block));
        // Checks end a loop too, but only if something is wrong.
        exits.sort_by_key(|exit| func.successors(exit.block).any(|next| panics(func, next)));
        let params = &func.blocks[around.header].params;
        exits.iter().find_map(|exit| {
            params.iter().enumerate().find_map(|(position, &counter)| {
                let (step, descends) = step(func, loops, index, position)?;
                let (test, step) = test(func, exit, inside, counter, step, descends)?;
                Some(Counted { position, counter, exit: exit.block, descends, test, step })
            })
        })
    }

    /// Returns true if the counter only grows while iterations go on, as an unsigned number.
    pub(super) fn ascends_unsigned(&self) -> bool {
        let is_signed = match self.test {
            Test::Order { is_signed, .. } => is_signed,
            Test::Distance { .. } => false,
        };
        !self.descends && !is_signed
    }

    /// Returns true if the counter of none of the iterations wraps that a bound was tested for.
    pub(super) fn is_exact(&self) -> bool {
        self.ascends_unsigned() && matches!(self.test, Test::Order { .. })
    }

    /// Returns true if the counter takes every value up to the bound: once a bound for so many further iterations is reached, or does not
    /// [exist](Self::exists), no more of them are left, as the counter is not below its type's least value and does not wrap.
    pub(super) fn steps_by_one(&self, func: &Function) -> bool {
        let ends_below = matches!(self.test, Test::Order { inclusive: false, .. });
        ends_below && !self.descends && func.constant(self.step) == Some(1)
    }

    /// Returns true if the counter steps by a large constant, as from one block of elements to the next: few iterations may be all there are.
    pub(super) fn steps_far(&self, func: &Function) -> bool {
        matches!(self.test, Test::Order { .. }) && func.constant(self.step).is_some_and(|step| step >= FAR)
    }

    /// Upper bound of the number of times that its test passes, from the ranges: of an unsigned counter that goes up by a constant and does not wrap.
    pub(super) fn most_passes(&self, func: &Function, ranges: &Ranges<'_>, around: &Loop) -> Option<u64> {
        let Test::Order { end, is_signed: false, inclusive } = self.test else { return None };
        let step = func.constant(self.step).filter(|&step| step > 0 && !self.descends)?;
        let first = ranges.at(self.counter, around.header)?.lo;
        let last = ranges.at(end, around.header)?.hi.checked_sub(u64::from(!inclusive))?;
        let fits = last.checked_add(step)? <= func.ty(self.step).mask();
        fits.then(|| last.checked_sub(first).map_or(0, |room| room / step + 1))
    }

    /// Returns true if the iteration goes on exactly if the counter is below this.
    pub(super) fn is_below(&self, func: &Function, value: Value) -> bool {
        matches!(self.test, Test::Order { end, is_signed: false, inclusive: false }
            if !self.descends && same(func, end, value))
    }

    /// Returns true if the distance of the counter to the bound, in equal steps of a known length, decides whether an iteration goes on.
    pub(super) fn tests_distance(&self, func: &Function) -> bool {
        matches!(self.test, Test::Distance { .. }) && func.constant(self.step).is_some()
    }

    /// Returns true if so many steps are not known to overflow the type.
    pub(super) fn admits(&self, func: &Function, steps: u64) -> bool {
        func.constant(self.step).is_none_or(|step| step <= self.longest_step(func, steps))
    }

    /// The longest step of which so many do not overflow.
    fn longest_step(&self, func: &Function, steps: u64) -> u64 {
        let mask = func.ty(self.step).mask();
        match self.test {
            Test::Order { .. } => (mask >> 1) / steps.max(1),
            Test::Distance { .. } => mask / steps.max(1),
        }
    }

    /// Condition that a bound for the current iteration and so many after it exists; none if it always does.
    pub(super) fn exists(&self, out: &mut Appender<'_>, block: Block, ahead: u64) -> Option<Value> {
        let mut conds = Vec::new();
        let ty = out.func.ty(self.step);
        if out.func.constant(self.step).is_none() {
            let step = out.invariant(block, self.step);
            let longest = self.longest_step(out.func, ahead + 1);
            let longest = out.constant(block, longest, ty);
            let fits = InstData::IntCompare { cond: IntCond::ULe, args: [step, longest] };
            conds.push(out.value(block, fits, Type::Bool));
        }
        if let Test::Order { end, is_signed, .. } = self.test {
            let edge = match (is_signed, self.descends) {
                (true, false) => (ty.mask() >> 1) + 1,
                (true, true) => ty.mask() >> 1,
                (false, false) => 0,
                (false, true) => ty.mask(),
            };
            let least = self.ahead_of(out, block, ahead, edge);
            let end = out.invariant(block, end);
            let args = if self.descends { [end, least] } else { [least, end] };
            let cond = if is_signed { IntCond::SLt } else { IntCond::ULt };
            conds.push(out.value(block, InstData::IntCompare { cond, args }, Type::Bool));
        }
        out.all(block, &conds)
    }

    /// The counter's value before the first iteration, if that is a constant.
    pub(super) fn initial(&self, func: &Function, cfg: &Cfg, around: &Loop) -> Option<u64> {
        let entering = cfg.predecessors(around.header).iter().filter(|from| !around.latches.contains(from));
        let mut values = entering.flat_map(|&from| {
            let calls = func.terminator(from).into_iter().flat_map(|inst| func.insts[inst].successors());
            let calls = calls.filter(|call| call.block == around.header);
            calls
                .map(|call| call.args.get(self.position).and_then(|&arg| func.constant(arg)))
                .collect::<Vec<_>>()
        });
        let first = values.next()??;
        values.all(|value| value == Some(first)).then_some(first)
    }

    /// Condition that so many iterations follow the first, whose counter is `initial`: it implies that the bound
    /// [`exists`](Self::exists), as the counter is not below its type's least value. None where their counters are not known to fit.
    pub(super) fn begins(
        &self,
        out: &mut Appender<'_>,
        block: Block,
        ahead: u64,
        initial: u64,
    ) -> Option<Value> {
        let Test::Order { end, is_signed, inclusive } = self.test else { return None };
        let (ty, step) = (out.func.ty(self.step), out.func.constant(self.step)?);
        let greatest = if is_signed { ty.mask() >> 1 } else { ty.mask() };
        let initial = if is_signed { i128::from(signed(ty, initial)) } else { initial.into() };
        let last = i128::from(step).checked_mul(ahead.into())?.checked_add(initial)?;
        if self.descends || last > greatest.into() {
            return None;
        }
        let last = out.constant(block, last as u64 & ty.mask(), ty);
        let end = out.invariant(block, end);
        let cond = match (is_signed, inclusive) {
            (true, true) => IntCond::SLe,
            (true, false) => IntCond::SLt,
            (false, true) => IntCond::ULe,
            (false, false) => IntCond::ULt,
        };
        Some(out.value(block, InstData::IntCompare { cond, args: [last, end] }, Type::Bool))
    }

    /// So many steps from a constant, towards the bound.
    fn ahead_of(&self, out: &mut Appender<'_>, block: Block, ahead: u64, edge: u64) -> Value {
        let ty = out.func.ty(self.step);
        if let Some(step) = out.func.constant(self.step) {
            let distance = step.wrapping_mul(ahead);
            let at = if self.descends { edge.wrapping_sub(distance) } else { edge.wrapping_add(distance) };
            return out.constant(block, at, ty);
        }
        let distance = self.steps(out, block, ahead, false);
        if edge == 0 {
            return distance;
        }
        let edge = out.constant(block, edge, ty);
        let op = if self.descends { BinaryOp::Sub } else { BinaryOp::Add };
        out.binary(block, op, [edge, distance], false)
    }

    /// So many steps; `nuw` where they are known to fit.
    fn steps(&self, out: &mut Appender<'_>, block: Block, count: u64, nuw: bool) -> Value {
        let ty = out.func.ty(self.step);
        match out.func.constant(self.step) {
            Some(step) => out.constant(block, step.wrapping_mul(count), ty),
            None => {
                let step = out.invariant(block, self.step);
                let count = out.constant(block, count, ty);
                out.binary(block, BinaryOp::Mul, [step, count], nuw)
            }
        }
    }

    /// Computes the bound, where it [`exists`](Self::exists).
    pub(super) fn bound(&self, out: &mut Appender<'_>, block: Block, ahead: u64) -> Bound {
        match self.test {
            Test::Order { end, is_signed, .. } => {
                let distance = self.steps(out, block, ahead, true);
                let end = out.invariant(block, end);
                let op = if self.descends { BinaryOp::Add } else { BinaryOp::Sub };
                Bound::Last(out.binary(block, op, [end, distance], !is_signed))
            }
            Test::Distance { .. } => Bound::Steps(self.steps(out, block, ahead + 1, true)),
        }
    }

    /// Tests that the iteration whose counter is `now` goes on, and as many after it as the bound says.
    pub(super) fn goes_on(&self, out: &mut Appender<'_>, block: Block, bound: Bound, now: Value) -> Value {
        let data = match (bound, self.test) {
            (Bound::Last(last), Test::Order { is_signed, inclusive, .. }) => {
                let args = if self.descends { [last, now] } else { [now, last] };
                let cond = match (is_signed, inclusive) {
                    (true, true) => IntCond::SLe,
                    (true, false) => IntCond::SLt,
                    (false, true) => IntCond::ULe,
                    (false, false) => IntCond::ULt,
                };
                InstData::IntCompare { cond, args }
            }
            (Bound::Steps(steps), Test::Distance { distance, inclusive }) => {
                let distance = out.again(block, distance, &mut HashMap::from([(self.counter, now)]));
                let cond = if inclusive { IntCond::ULe } else { IntCond::ULt };
                InstData::IntCompare { cond, args: [steps, distance] }
            }
            // A bound is made by the test that it is used with.
            (Bound::Last(_), Test::Distance { .. }) | (Bound::Steps(_), Test::Order { .. }) => {
                InstData::Const { bits: 0 }
            }
        };
        out.value(block, data, Type::Bool)
    }

    /// The counter so many iterations after `now`.
    pub(super) fn later(&self, out: &mut Appender<'_>, block: Block, now: Value, rounds: u64) -> Value {
        if rounds == 0 {
            return now;
        }
        let ty = out.func.ty(self.counter);
        let mut distance = self.steps(out, block, rounds, false);
        if out.func.ty(distance) != ty {
            distance = match out.func.constant(distance) {
                Some(bits) => out.constant(block, bits, ty),
                None => out.value(block, InstData::Convert { op: ConvertOp::Truncate, arg: distance }, ty),
            };
        }
        let op = if self.descends { BinaryOp::Sub } else { BinaryOp::Add };
        out.binary(block, op, [now, distance], false)
    }
}

/// Step of a parameter of the header, and true if it goes down.
fn step(func: &Function, loops: &Loops, index: usize, position: usize) -> Option<(Value, bool)> {
    let around = &loops.loops()[index];
    let counter = func.blocks[around.header].params[position];
    let mut found: Option<(Value, bool)> = None;
    for &latch in &around.latches {
        let calls = func.insts[func.terminator(latch)?].successors();
        for call in calls.filter(|call| call.block == around.header) {
            let &InstData::Binary { op, args: [a, b], .. } = func.def(call.args[position])? else {
                return None;
            };
            let next = match op {
                BinaryOp::Add if a == counter => (b, false),
                BinaryOp::Add if b == counter => (a, false),
                BinaryOp::Sub if a == counter => (b, true),
                _ => return None,
            };
            match found {
                None => found = Some(next),
                Some((step, descends)) if descends == next.1 && same(func, step, next.0) => {}
                Some(_) => return None,
            }
        }
    }
    found
}

fn same(func: &Function, a: Value, b: Value) -> bool {
    a == b || func.constant(a).is_some() && func.constant(a) == func.constant(b)
}

/// The test of an exit and the step as it compares it, if it is of this counter.
fn test(
    func: &Function,
    exit: &Exit,
    inside: &Inside,
    counter: Value,
    step: Value,
    descends: bool,
) -> Option<(Test, Value)> {
    let &InstData::IntCompare { cond, args: [a, b] } = func.def(exit.cond)? else { return None };
    let cond = if exit.leaves_if { cond.inverse() } else { cond };
    let (low, high, is_signed, inclusive) = match cond {
        IntCond::ULt => (a, b, false, false),
        IntCond::ULe => (a, b, false, true),
        IntCond::UGt => (b, a, false, false),
        IntCond::UGe => (b, a, false, true),
        IntCond::SLt => (a, b, true, false),
        IntCond::SLe => (a, b, true, true),
        IntCond::SGt => (b, a, true, false),
        IntCond::SGe => (b, a, true, true),
        // `0 < i` as it is folded.
        IntCond::Ne if func.constant(b) == Some(0) => (b, a, false, false),
        IntCond::Eq | IntCond::Ne => return None,
    };
    let (now, end) = if descends { (high, low) } else { (low, high) };
    if now == counter {
        let fits = inside.is_invariant(func, end) && inside.is_invariant(func, step);
        return fits.then_some((Test::Order { end, is_signed, inclusive }, step));
    }
    // `step < bound - i`, the distance perhaps extended.
    let compared = low;
    let distance = match func.def(high)? {
        InstData::Convert { op: ConvertOp::ZeroExtend, arg } => *arg,
        _ => high,
    };
    let &InstData::Binary { op: BinaryOp::Sub, args: [from, to], .. } = func.def(distance)? else {
        return None;
    };
    let (now, end) = if descends { (from, to) } else { (to, from) };
    let is_step = same(func, compared, step)
        || matches!(func.def(step), Some(InstData::Convert { op: ConvertOp::Truncate, arg }) if *arg == compared);
    let fits = !is_signed
        && now == counter
        && is_step
        && inside.is_invariant(func, end)
        && inside.is_invariant(func, compared);
    fits.then_some((Test::Distance { distance: high, inclusive }, compared))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::passes::check;
    use crate::passes::unroll::unroll_loops;

    #[test]
    fn steps_that_are_no_constant_and_checks() {
        // `while i < n { sum += x[i]; i += step; }` with another length: one test for an unrolled iteration and its checks.
        check(
            unroll_loops,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 len: i32, param3 step: i64) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v4: i64 = zext v3
                v5: i64 = param3
                v6: i64 = const 0
                v7: i32 = const 0
                v8: i64 = const 4
                jump block1(v6, v7)
            block1(v10: i64, v11: i32) unroll 2 @0:3:5:
                v12: bool = icmp ult v10, v2
                branch v12, block2, block5
            block2:
                v13: bool = icmp ult v10, v4
                branch v13, block3, block4
            block4:
                panic panic0(v10, v4)
            block3:
                v14: i64 = mul nuw v10, v8
                v15: i64 = add nuw v0, v14
                v16: i32 = load.global v15
                v17: i32 = add v11, v16
                v18: i64 = add v10, v5
                jump block1(v18, v17)
            block5:
                store.global v0, v11
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 len: i32, param3 step: i64) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = zext v1
                    v3: i32 = param2
                    v4: i64 = zext v3
                    v5: i64 = param3
                    v6: i64 = const 0
                    v7: i32 = const 0
                    v8: i64 = const 4
                    v46: i64 = const 0x3fffffffffffffff
                    v47: bool = icmp ule v5, v46
                    v50: bool = icmp ult v5, v2
                    v51: bool = and v47, v50
                    branch v51, block15, block1(v6, v7)
                block15:
                    v54: i64 = sub nuw v2, v5
                    jump block16(v6, v7)
                block16(v44: i64, v45: i32) nounroll:
                    v55: bool = icmp ult v44, v54
                    v58: i64 = add v44, v5
                    v59: bool = icmp ult v58, v4
                    v60: bool = and v55, v59
                    branch v60, block6, block1(v44, v45)
                block6:
                    v27: i64 = mul nuw v44, v8
                    v28: i64 = add nuw v0, v27
                    v29: i32 = load.global v28
                    v30: i32 = add v45, v29
                    v37: i64 = mul nuw v58, v8
                    v38: i64 = add nuw v0, v37
                    v39: i32 = load.global v38
                    v40: i32 = add v30, v39
                    v41: i64 = add v58, v5
                    jump block16(v41, v40)
                block1(v10: i64, v11: i32) nounroll @0:3:5:
                    v12: bool = icmp ult v10, v2
                    branch v12, block2, block5
                block2:
                    v13: bool = icmp ult v10, v4
                    branch v13, block3, block4
                block4:
                    panic panic0(v10, v4)
                block3:
                    v14: i64 = mul nuw v10, v8
                    v15: i64 = add nuw v0, v14
                    v16: i32 = load.global v15
                    v17: i32 = add v11, v16
                    v18: i64 = add v10, v5
                    jump block1(v18, v17)
                block5:
                    store.global v0, v11
                    return
                }
            "#]],
        );
    }

    #[test]
    fn distances_to_a_bound() {
        // `(a..=b).step_by(step)` of 32 bits, downwards: the test is at the end of an iteration.
        check(
            unroll_loops,
            "kernel k(param0 p: i64 ptr align 4, param1 first: i32, param2 last: i32, param3 step: i64) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i64 = param3
                v4: i32 = trunc_int v3
                jump block1(v2)
            block1(v10: i32) unroll 3:
                store.global v0, v10
                v11: i32 = sub nuw v10, v1
                v12: i64 = zext v11
                v13: bool = icmp ule v3, v12
                branch v13, block2, block3
            block2:
                v14: i32 = sub nuw v10, v4
                jump block1(v14)
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 first: i32, param2 last: i32, param3 step: i64) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i64 = param3
                    v4: i32 = trunc_int v3
                    v32: i64 = const 0x7fffffffffffffff
                    v33: bool = icmp ule v3, v32
                    branch v33, block11, block1(v2)
                block11:
                    v34: i64 = const 2
                    v35: i64 = mul nuw v3, v34
                    jump block12(v2)
                block12(v31: i32) nounroll:
                    v36: i32 = sub v31, v1
                    v37: i64 = zext v36
                    v38: bool = icmp ule v35, v37
                    branch v38, block4, block1(v31)
                block4:
                    store.global v0, v31
                    v19: i32 = sub nuw v31, v4
                    store.global v0, v19
                    v24: i32 = sub nuw v19, v4
                    store.global v0, v24
                    v26: i32 = sub nuw v24, v1
                    v27: i64 = zext v26
                    v28: bool = icmp ule v3, v27
                    branch v28, block9, block3
                block9:
                    v29: i32 = sub nuw v24, v4
                    jump block12(v29)
                block1(v10: i32) nounroll:
                    store.global v0, v10
                    v11: i32 = sub nuw v10, v1
                    v12: i64 = zext v11
                    v13: bool = icmp ule v3, v12
                    branch v13, block2, block3
                block2:
                    v14: i32 = sub nuw v10, v4
                    jump block1(v14)
                block3:
                    return
                }
            "#]],
        );
    }
}
