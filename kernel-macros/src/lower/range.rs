//! `for` over ranges of integers, with Rust's semantics at the ends.
//!
//! A range with its adaptors is normalised to a [`Sequence`]. The plain `a..b` tests at the loop's head; all others test
//! once before the loop and then at its end, where they advance only if the distance left to the bound admits the step:
//! the variable never leaves the range, so nothing overflows, not even in `..=MAX` or under `step_by(usize::MAX)`.

use proc_macro2::Span;
use ptx_gen::ir::{BinaryOp as Op, IntCond, PanicKind, Type, Value};

use super::{Loop, Lowered, Lowerer, Values, layout};
use crate::typed::{Block, Expr, Iter, IterKind, LoopId, Pattern, Scalar, Ty};

/// The values `first`, `first ± step`, … up to a bound, if there are any.
struct Sequence {
    ty: Scalar,
    /// True if there is a first value.
    nonempty: Value,
    first: Value,
    /// The values stay on this side of the bound.
    bound: Value,
    /// The bound itself is admitted.
    inclusive: bool,
    descending: bool,
    /// An `i64`, not zero; none means one.
    step: Option<Value>,
}

/// A range of integers with its adaptors taken off.
struct Range<'t> {
    ty: Scalar,
    start: &'t Expr,
    end: &'t Expr,
    inclusive: bool,
    /// From the inside out.
    adaptors: Vec<Adaptor<'t>>,
}

/// An adaptor of a range.
enum Adaptor<'t> {
    /// `.rev()`
    Rev,
    /// `.step_by(n)`, and its place.
    StepBy(&'t Expr, Span),
}

/// Returns true if the iterator is a range of integers with no other adaptors than `rev` and `step_by`.
pub(super) fn is_range(iter: &Iter) -> bool {
    range_of(iter).is_some()
}

fn range_of(iter: &Iter) -> Option<Range<'_>> {
    match &iter.kind {
        IterKind::Range { start, end, inclusive } => match iter.item {
            Ty::Scalar(ty) => Some(Range { ty, start, end, inclusive: *inclusive, adaptors: Vec::new() }),
            _ => None,
        },
        IterKind::Rev(inner) => {
            let mut range = range_of(inner)?;
            range.adaptors.push(Adaptor::Rev);
            Some(range)
        }
        IterKind::StepBy(inner, step) => {
            let mut range = range_of(inner)?;
            range.adaptors.push(Adaptor::StepBy(step, iter.span));
            Some(range)
        }
        _ => None,
    }
}

impl Lowerer<'_> {
    /// `for pattern in range { … }`, of an iterator that [`is_range`].
    pub(super) fn for_range(&mut self, id: LoopId, pattern: &Pattern, iter: &Iter, body: &Block) -> Lowered {
        let range = range_of(iter).expect("the caller looked");
        let start = self.scalar(range.start)?;
        let end = self.scalar(range.end)?;
        if range.adaptors.is_empty()
            && let Some(end) = self.exclusive_end(end, &range)
        {
            return self.plain_for(id, pattern, (start, end, range.ty), body);
        }
        let cond = order(range.ty, if range.inclusive { IntCond::ULe } else { IntCond::ULt });
        let mut sequence = Sequence {
            ty: range.ty,
            nonempty: self.b.int_compare(cond, start, end),
            first: start,
            bound: end,
            inclusive: range.inclusive,
            descending: false,
            step: None,
        };
        for adaptor in &range.adaptors {
            sequence = match adaptor {
                Adaptor::Rev => self.reverse(sequence),
                Adaptor::StepBy(step, span) => {
                    let step = self.scalar(step)?;
                    let outer = self.at(*span);
                    let sequence = self.step_by(sequence, step);
                    self.back_at(outer);
                    sequence
                }
            };
        }
        self.sequence_for(id, pattern, &sequence, body)
    }

    /// The end of `a..b`, also that of `a..=b` if `b` is a constant with a successor.
    fn exclusive_end(&mut self, end: Value, range: &Range<'_>) -> Option<Value> {
        if !range.inclusive {
            return Some(end);
        }
        let ty = layout::scalar_type(range.ty);
        let max = if range.ty.is_signed() { ty.mask() >> 1 } else { ty.mask() };
        let bits = self.b.function().constant(end).filter(|&bits| bits != max)?;
        Some(self.b.constant(ty, bits.wrapping_add(1)))
    }

    /// `a..b`: the test at the head.
    fn plain_for(
        &mut self,
        id: LoopId,
        pattern: &Pattern,
        (start, end, scalar): (Value, Value, Scalar),
        body: &Block,
    ) -> Lowered {
        let ty = layout::scalar_type(scalar);
        let (header, inside, next, exit) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block(), self.b.create_block());
        let i = self.b.add_block_param(header, ty);
        self.ask_of_loop(id, header);
        self.b.jump(header, &[start]);
        self.b.switch_to(header);
        let more = self.b.int_compare(order(scalar, IntCond::ULt), i, end);
        self.b.branch(more, inside, exit);
        self.enter(inside)?;
        self.loop_body(Loop { id, exit, next }, pattern, (i, scalar), body);
        if self.enter(next).is_ok() {
            let one = self.b.constant(ty, 1);
            let i = self.without_wrap(Op::Add, scalar, i, one);
            self.b.jump(header, &[i]);
        }
        self.b.seal(header);
        self.enter(exit)?;
        Ok(Values::new())
    }

    /// Any other sequence: a test before the loop, and one before each further value.
    fn sequence_for(&mut self, id: LoopId, pattern: &Pattern, sequence: &Sequence, body: &Block) -> Lowered {
        let ty = layout::scalar_type(sequence.ty);
        let (before, inside, next, further, exit) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        let i = self.b.add_block_param(inside, ty);
        self.ask_of_loop(id, inside);
        self.b.branch(sequence.nonempty, before, exit);
        self.enter(before)?;
        self.b.jump(inside, &[sequence.first]);
        self.b.switch_to(inside);
        self.loop_body(Loop { id, exit, next }, pattern, (i, sequence.ty), body);
        if self.enter(next).is_ok() {
            let admitted = self.admits_step(sequence, i);
            self.b.branch(admitted, further, exit);
            self.enter(further)?;
            let step = match sequence.step {
                Some(step) => self.resize(step, Scalar::Usize, ty),
                None => self.b.constant(ty, 1),
            };
            let op = if sequence.descending { Op::Sub } else { Op::Add };
            let i = self.without_wrap(op, sequence.ty, i, step);
            self.b.jump(inside, &[i]);
        }
        self.b.seal(inside);
        self.enter(exit)?;
        Ok(Values::new())
    }

    fn loop_body(&mut self, around: Loop, pattern: &Pattern, (i, ty): (Value, Scalar), body: &Block) {
        let next = around.next;
        self.in_loop(around, |this| {
            if this.bind_value(pattern, vec![i], &Ty::Scalar(ty)).is_ok() && this.block(body).is_ok() {
                this.b.jump(next, &[]);
            }
        });
    }

    /// True if the step after `i` stays within the bound.
    fn admits_step(&mut self, sequence: &Sequence, i: Value) -> Value {
        let (low, high) = if sequence.descending { (sequence.bound, i) } else { (i, sequence.bound) };
        let Some(step) = sequence.step else {
            return self.b.int_compare(order(sequence.ty, IntCond::ULt), low, high);
        };
        let distance = self.distance(sequence.ty, low, high);
        let cond = if sequence.inclusive { IntCond::ULe } else { IntCond::ULt };
        self.b.int_compare(cond, step, distance)
    }

    /// `high - low` as an `i64`, for `low <= high`. The difference as an unsigned number is exact for signed ones too.
    fn distance(&mut self, scalar: Scalar, low: Value, high: Value) -> Value {
        let distance = self.without_wrap(Op::Sub, scalar, high, low);
        self.resize(distance, Scalar::Usize, Type::I64)
    }

    /// The sequence from the last value to the first.
    fn reverse(&mut self, sequence: Sequence) -> Sequence {
        let ty = layout::scalar_type(sequence.ty);
        let last = match sequence.step {
            // These may wrap, but only where the sequence is empty.
            None if sequence.inclusive => sequence.bound,
            None => {
                let one = self.b.constant(ty, 1);
                self.b.binary(Op::Sub, sequence.bound, one)
            }
            Some(step) => self.last(&sequence, step, ty),
        };
        Sequence {
            first: last,
            bound: sequence.first,
            inclusive: true,
            descending: !sequence.descending,
            ..sequence
        }
    }

    /// The last value: as many steps from the first as the distance to the bound admits.
    fn last(&mut self, sequence: &Sequence, step: Value, ty: Type) -> Value {
        let (low, high) = if sequence.descending {
            (sequence.bound, sequence.first)
        } else {
            (sequence.first, sequence.bound)
        };
        let mut distance = self.b.binary(Op::Sub, high, low);
        if !sequence.inclusive {
            let one = self.b.constant(ty, 1);
            distance = self.b.binary(Op::Sub, distance, one);
        }
        let distance = self.resize(distance, Scalar::Usize, Type::I64);
        let beyond = self.b.binary(Op::URem, distance, step);
        let whole = self.b.binary(Op::Sub, distance, beyond);
        let whole = self.resize(whole, Scalar::Usize, ty);
        let op = if sequence.descending { Op::Sub } else { Op::Add };
        self.b.binary(op, sequence.first, whole)
    }

    /// Every `step`th value, from the first.
    fn step_by(&mut self, sequence: Sequence, step: Value) -> Sequence {
        if self.b.function().constant(step).is_none_or(|bits| bits == 0) {
            let nonzero = self.is_zero(step, IntCond::Ne);
            self.check(nonzero, PanicKind::ZeroStep, vec![]);
        }
        let Some(inner) = sequence.step else {
            return Sequence { step: Some(step), ..sequence };
        };
        // A product beyond 64 bits is beyond every distance: the first value is the only one.
        let product = self.b.binary(Op::Mul, inner, step);
        let high = self.b.binary(Op::UMulHigh, inner, step);
        let overflows = self.is_zero(high, IntCond::Ne);
        let most = self.i64(u64::MAX);
        let step = self.b.select(overflows, most, product);
        let (bound, inclusive) = self.inclusive_bound(&sequence);
        let bound = self.b.select(overflows, sequence.first, bound);
        Sequence { step: Some(step), bound, inclusive, ..sequence }
    }

    /// The bound with `inclusive` set; it may wrap, but only where the sequence is empty.
    fn inclusive_bound(&mut self, sequence: &Sequence) -> (Value, bool) {
        if sequence.inclusive {
            return (sequence.bound, true);
        }
        let one = self.b.constant(layout::scalar_type(sequence.ty), 1);
        (self.b.binary(Op::Sub, sequence.bound, one), true)
    }
}

/// A comparison of this type, given by its unsigned form.
pub(super) fn order(scalar: Scalar, unsigned: IntCond) -> IntCond {
    match unsigned {
        IntCond::ULt if scalar.is_signed() => IntCond::SLt,
        IntCond::ULe if scalar.is_signed() => IntCond::SLe,
        IntCond::UGe if scalar.is_signed() => IntCond::SGe,
        IntCond::ULt
        | IntCond::ULe
        | IntCond::Eq
        | IntCond::Ne
        | IntCond::UGt
        | IntCond::UGe
        | IntCond::SLt
        | IntCond::SLe
        | IntCond::SGt
        | IntCond::SGe => unsigned,
    }
}
