//! The bounds of an index over the iterations of a loop, computed in front of it: interval arithmetic whose ends are values. Loop
//! versioning ([`version_loops`](super::version_loops)) tests them.
//!
//! `values[(base + i) * dim + d]` for `i` below an end is at most what it is for the last `i`, whatever `base`, `dim` and `d` are, as sums and
//! products of unsigned numbers grow with each of them. That is computed in 64 bits, with a test wherever it could wrap there, so that it is
//! exact; then none of the loop's own operations wraps either: what it computes is no more.
//!
//! A part of a sum or product is no more than the whole, or multiplied by zero, so it is enough for those in 32 bits that the index is below a
//! length. What is subtracted, divided or compared has a test of its own.

use std::collections::HashMap;

use super::unroll::hoist::{Appender, Inside};
use crate::analysis::Ranges;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Entity, Function, Inst, InstData, IntCond, Type, UnaryOp, Value,
};

/// Parts of an index.
const MOST_PARTS: u32 = 32;
const MOST_WORD: u64 = u32::MAX as u64;

/// The least and greatest value of a number in a loop, as values of 64 bits in front of it.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// None if nothing but 0 is known to be no more.
    least: Option<Value>,
    greatest: Value,
    /// No less than the greatest value wherever an index that it is part of is checked: elsewhere nothing is asked of it.
    most: u64,
}

impl Bounds {
    fn of_one(value: Value, most: u64) -> Bounds {
        Bounds { least: Some(value), greatest: value, most }
    }
}

/// A number that differs from one iteration to the next, and what limits it: values that are invariant or in front of the loop.
pub(super) struct Limited {
    pub(super) number: Value,
    /// It is at most all of these.
    pub(super) most: Vec<Upper>,
    /// It is more than all of these, or, with `true`, at least.
    pub(super) least: Vec<(Value, bool)>,
}

/// Upper bound of a number.
pub(super) enum Upper {
    AtMost(Value),
    Below(Value),
    /// A start, or by so many more than an end.
    StepFrom {
        start: Value,
        end: Value,
        by: u64,
    },
}

/// Computes bounds in a block in front of a loop.
pub(super) struct Front<'t> {
    /// The function without that block, and the intervals of its values.
    before: &'t Function,
    ranges: &'t Ranges<'t>,
    inside: &'t Inside,
    out: Appender<'t>,
    test: Block,
    /// Conditions under which the bounds are exact.
    conds: Vec<Value>,
    /// Invariant values that are in the block.
    invariants: HashMap<Value, Value>,
    /// Parts that the index may have yet, and the number that differs among its parts.
    parts: u32,
    number: Option<Value>,
}

impl<'t> Front<'t> {
    pub(super) fn new(
        before: &'t Function,
        ranges: &'t Ranges<'t>,
        test: Block,
        out: Appender<'t>,
    ) -> Front<'t> {
        Front {
            before,
            ranges,
            inside: out.inside,
            out,
            test,
            conds: Vec::new(),
            invariants: HashMap::new(),
            parts: 0,
            number: None,
        }
    }

    /// Tests that an index is below a length in each iteration, where `known` has the numbers that differ from one to the next. None
    /// if the index is made of anything else, or of several of them: they need not be greatest at once.
    pub(super) fn test_below(&mut self, index: Value, length: Value, known: &[Limited]) -> Option<()> {
        let conds = self.conds.len();
        (self.parts, self.number) = (MOST_PARTS, None);
        let Some(index) = self.bounds(index, known, true) else {
            self.conds.truncate(conds);
            return None;
        };
        let length = self.invariant(length);
        let length = self.word(length);
        self.test(IntCond::ULt, index.greatest, length.greatest);
        Some(())
    }

    /// Tests that a number, invariant or in front of the loop, is at most a length.
    pub(super) fn test_at_most(&mut self, number: Value, length: Value) {
        let (number, length) = (self.invariant(number), self.invariant(length));
        self.test(IntCond::ULe, number.greatest, length.greatest);
    }

    /// The conditions that all have to hold for what was tested.
    pub(super) fn into_conds(self) -> Vec<Value> {
        self.conds
    }

    /// Tests that an invariant condition is this.
    pub(super) fn test_invariant(&mut self, cond: Value, truth: bool) {
        let cond = self.early(cond);
        let negated = InstData::Unary { op: UnaryOp::Not, arg: cond };
        let cond = if truth { cond } else { self.value(negated, Type::Bool) };
        self.hold(cond);
    }

    /// The bounds of a number; none if nothing is known to be no less.
    fn limited(&mut self, Limited { most, least, .. }: &Limited) -> Option<Bounds> {
        let mut greatest: Option<Bounds> = None;
        for most in most {
            let bound = match *most {
                Upper::AtMost(end) => self.invariant(end),
                // Below 0, where this wraps, no iteration has a number.
                Upper::Below(end) => {
                    let (end, one) = (self.invariant(end), self.constant(1));
                    Bounds::of_one(self.binary(BinaryOp::Sub, end.greatest, one), end.most)
                }
                Upper::StepFrom { start, end, by } => {
                    let start = self.invariant(start);
                    // The first iteration comes to the check without the branches that may have cut the range of an end in the loop.
                    let is_inside = self.inside.has(end);
                    let mask = self.before.ty(end).mask();
                    let mut end = self.invariant(end);
                    if is_inside {
                        end.most = mask;
                    }
                    let by = Bounds::of_one(self.constant(by), by);
                    let next = self.grown(BinaryOp::Add, end, by);
                    let value = self.binary(BinaryOp::UMax, start.greatest, next.greatest);
                    Bounds::of_one(value, start.most.max(next.most))
                }
            };
            greatest = Some(match greatest {
                Some(known) => {
                    let value = self.binary(BinaryOp::UMin, known.greatest, bound.greatest);
                    Bounds::of_one(value, known.most.min(bound.most))
                }
                None => bound,
            });
        }
        let greatest = greatest?;
        let mut lowest = None;
        for &(bound, or_equal) in least {
            let mut bound = self.invariant(bound).greatest;
            if !or_equal {
                let one = self.constant(1);
                bound = self.binary(BinaryOp::Add, bound, one);
            }
            lowest = Some(match lowest {
                Some(known) => self.binary(BinaryOp::UMax, known, bound),
                None => bound,
            });
        }
        Some(Bounds { least: lowest, ..greatest })
    }

    /// `is_part` says that the index is no less than this number, or that the number is multiplied by zero.
    fn bounds(&mut self, value: Value, known: &[Limited], is_part: bool) -> Option<Bounds> {
        if let Some(limited) = known.iter().find(|limited| limited.number == value) {
            let is_only = *self.number.get_or_insert(value) == value;
            return if is_only { self.limited(limited) } else { None };
        }
        let ty = self.before.ty(value);
        if !matches!(ty, Type::I32 | Type::I64) {
            return None;
        }
        if self.inside.is_invariant(self.before, value) {
            return Some(self.invariant(value));
        }
        self.parts = self.parts.checked_sub(1)?;
        let constant = |value| self.before.constant(value);
        let exact = match *self.before.def(value)? {
            InstData::Convert { op: ConvertOp::ZeroExtend, arg } => {
                return self.bounds(arg, known, is_part);
            }
            InstData::Convert { op: ConvertOp::Truncate, arg } => {
                let arg = self.bounds(arg, known, false)?;
                return (ty == Type::I32).then(|| self.word(arg));
            }
            InstData::Binary { op, args: [a, b], .. } => match (op, constant(b)) {
                (BinaryOp::Add, Some(by)) if by > ty.mask() >> 1 => {
                    let a = self.bounds(a, known, false)?;
                    let by = by.wrapping_neg() & ty.mask();
                    let by = Bounds::of_one(self.constant(by), by);
                    return self.difference(a, by);
                }
                // Of two that differ the difference may be far from what the bounds say.
                (BinaryOp::Sub, _)
                    if [a, b].iter().any(|&arg| self.inside.is_invariant(self.before, arg)) =>
                {
                    let [a, b] = self.both([a, b], known, false)?;
                    return self.difference(a, b);
                }
                // A mask of high bits rounds down.
                (BinaryOp::And, Some(mask)) if mask > ty.mask() >> 1 => {
                    let a = self.bounds(a, known, false)?;
                    return Some(Bounds { least: None, ..a });
                }
                (BinaryOp::And, Some(mask)) => {
                    return Some(Bounds { least: None, greatest: self.constant(mask), most: mask });
                }
                (BinaryOp::URem, _) if self.inside.is_invariant(self.before, b) => {
                    let (b, one) = (self.invariant(b), self.constant(1));
                    let greatest = self.binary(BinaryOp::Sub, b.greatest, one);
                    return Some(Bounds { least: None, greatest, most: b.most });
                }
                (BinaryOp::UDiv | BinaryOp::LShr, Some(by)) => {
                    let a = self.bounds(a, known, false)?;
                    return self.shrunk(op, a, by);
                }
                (BinaryOp::UMin | BinaryOp::UMax, _) => {
                    let [a, b] = self.both([a, b], known, false)?;
                    let least = self.least(op, a, b);
                    let greatest = self.binary(op, a.greatest, b.greatest);
                    let most = if op == BinaryOp::UMin { a.most.min(b.most) } else { a.most.max(b.most) };
                    return Some(Bounds { least, greatest, most });
                }
                (BinaryOp::Add, _) => {
                    let [a, b] = self.both([a, b], known, is_part)?;
                    self.grown(BinaryOp::Add, a, b)
                }
                (BinaryOp::Mul, _) => {
                    let [a, b] = self.both([a, b], known, is_part)?;
                    self.grown(BinaryOp::Mul, a, b)
                }
                (BinaryOp::Shl, Some(by)) if by < 32 => {
                    let a = self.bounds(a, known, is_part)?;
                    let by = Bounds::of_one(self.constant(1 << by), 1 << by);
                    self.grown(BinaryOp::Mul, a, by)
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(if ty == Type::I32 && !is_part { self.word(exact) } else { exact })
    }

    fn both(&mut self, args: [Value; 2], known: &[Limited], is_part: bool) -> Option<[Bounds; 2]> {
        let [a, b] = args.map(|arg| self.bounds(arg, known, is_part));
        Some([a?, b?])
    }

    /// A sum or product; operands whose result could wrap in 64 bits are tested.
    fn grown(&mut self, op: BinaryOp, mut a: Bounds, mut b: Bounds) -> Bounds {
        let of = |a: u64, b: u64| if op == BinaryOp::Add { a.checked_add(b) } else { a.checked_mul(b) };
        let most = loop {
            match of(a.most, b.most) {
                Some(most) => break most,
                None if a.most >= b.most => a = self.word(a),
                None => b = self.word(b),
            }
        };
        let least = self.least(op, a, b);
        Bounds { least, greatest: self.binary(op, a.greatest, b.greatest), most }
    }

    /// The least result of an operation that grows with its operands.
    fn least(&mut self, op: BinaryOp, a: Bounds, b: Bounds) -> Option<Value> {
        let (a, b) = (a.least?, b.least?);
        Some(self.binary(op, a, b))
    }

    /// A difference, with the test that it is none of a lesser number; none if that might not be known of any.
    fn difference(&mut self, a: Bounds, b: Bounds) -> Option<Bounds> {
        let least = a.least?;
        self.test(IntCond::ULe, b.greatest, least);
        let greatest = match b.least {
            Some(b) => self.binary(BinaryOp::Sub, a.greatest, b),
            None => a.greatest,
        };
        Some(Bounds { least: Some(self.binary(BinaryOp::Sub, least, b.greatest)), greatest, most: a.most })
    }

    /// A quotient by a constant.
    fn shrunk(&mut self, op: BinaryOp, a: Bounds, by: u64) -> Option<Bounds> {
        let most = match op {
            BinaryOp::UDiv => a.most.checked_div(by)?,
            _ => a.most >> u32::try_from(by).ok().filter(|&by| by < 32)?,
        };
        let by = Bounds::of_one(self.constant(by), by);
        let least = self.least(op, a, by);
        Some(Bounds { least, greatest: self.binary(op, a.greatest, by.greatest), most })
    }

    /// The number, tested to be below 2³² where that is not known.
    fn word(&mut self, number: Bounds) -> Bounds {
        if number.most <= MOST_WORD {
            return number;
        }
        let most = self.constant(MOST_WORD);
        self.test(IntCond::ULe, number.greatest, most);
        Bounds { most: MOST_WORD, ..number }
    }

    /// A value that is invariant in the loop, or in front of it.
    fn invariant(&mut self, value: Value) -> Bounds {
        // That of a start in front of the loop is not known.
        let is_known = value.index() < self.before.values.len();
        let most = if is_known { self.ranges.of(value).hi } else { self.out.func.ty(value).mask() };
        let value = self.early(value);
        Bounds::of_one(self.extended(value), most)
    }

    /// A value that is there in front of the loop, in 64 bits.
    fn extended(&mut self, value: Value) -> Value {
        match self.out.func.ty(value) {
            Type::I64 => value,
            _ => self.value(InstData::Convert { op: ConvertOp::ZeroExtend, arg: value }, Type::I64),
        }
    }

    fn early(&mut self, value: Value) -> Value {
        self.out.again(self.test, value, &mut self.invariants)
    }

    fn constant(&mut self, bits: u64) -> Value {
        self.value(InstData::Const { bits }, Type::I64)
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.value(InstData::Binary { op, args: [a, b], no_unsigned_wrap: false }, Type::I64)
    }

    fn test(&mut self, cond: IntCond, a: Value, b: Value) {
        let test = self.value(InstData::IntCompare { cond, args: [a, b] }, Type::Bool);
        self.hold(test);
    }

    fn hold(&mut self, cond: Value) {
        if !self.conds.contains(&cond) {
            self.conds.push(cond);
        }
    }

    /// The result of an instruction, which is there once.
    fn value(&mut self, data: InstData, ty: Type) -> Value {
        let func = &*self.out.func;
        let is_known = |&&inst: &&Inst| func.insts[inst] == data;
        let known = func.blocks[self.test].insts.iter().find(is_known);
        let result = known.and_then(|&inst| func.results[inst]).filter(|&result| func.ty(result) == ty);
        result.unwrap_or_else(|| self.out.value(self.test, data, ty))
    }
}
