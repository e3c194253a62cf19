//! `checks(overflow)`: integer operators that panic where their results do not fit.
//!
//! Every check is a comparison that the range analysis can decide, and where it can it says more than that the operation
//! fits: it bounds an operand. A sum of unsigned numbers fits if one operand is at most what the other leaves, so after the
//! check the sum is known not to wrap. Where an operand is constant, so is the bound.

use ptx_gen::ir::{BinaryOp as Op, InstData, IntCond, PanicKind, Type, UnaryOp as IrUnary, Value};

use super::{Lowerer, layout};
use crate::typed::{BinaryOp, Scalar};

/// The numbers of an integer type.
struct Limits {
    ty: Type,
    least: i128,
    most: i128,
}

impl Limits {
    fn of(scalar: Scalar) -> Limits {
        let ty = layout::scalar_type(scalar);
        let values = 1i128 << scalar.bits();
        let (least, most) = if scalar.is_signed() { (-values / 2, values / 2 - 1) } else { (0, values - 1) };
        Limits { ty, least, most }
    }
}

/// The condition for no overflow.
enum Fits {
    /// Always true.
    Always,
    /// This value.
    If(Value),
}

impl Lowerer<'_> {
    /// `a op b` after its check; none if the operator has none, or leaves the value to others.
    pub(super) fn checked_values(
        &mut self,
        op: BinaryOp,
        (a, ty): (Value, Scalar),
        (b, amount_ty): (Value, Scalar),
    ) -> Option<Value> {
        let limits = Limits::of(ty);
        let [left, right] = [(a, ty), (b, amount_ty)].map(|(value, ty)| self.known_number(value, ty));
        let (ir_op, kind, fits) = match op {
            BinaryOp::Add => (Op::Add, PanicKind::AddOverflow, self.sum_fits(&limits, (a, left), (b, right))),
            BinaryOp::Sub => (Op::Sub, PanicKind::SubOverflow, self.difference_fits(&limits, a, (b, right))),
            BinaryOp::Mul => {
                (Op::Mul, PanicKind::MulOverflow, self.product_fits(&limits, (a, left), (b, right)))
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let shl = op == BinaryOp::Shl;
                let kind = if shl { PanicKind::ShlOverflow } else { PanicKind::ShrOverflow };
                self.check_shift(kind, ty, (b, right));
                return None;
            }
            BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => return None,
        };
        if let Fits::If(holds) = fits {
            self.check(holds, kind, vec![]);
        }
        Some(self.without_wrap(ir_op, ty, a, b))
    }

    /// An operation whose exact result is known to fit its type.
    pub(super) fn without_wrap(&mut self, op: Op, ty: Scalar, a: Value, b: Value) -> Value {
        // The IR has no such flag for signed integers.
        if ty.is_signed() { self.b.binary(op, a, b) } else { self.b.binary_nuw(op, a, b) }
    }

    /// Panics for each lane that has no negative.
    pub(super) fn check_negations(&mut self, lanes: &[Value], ty: Scalar) {
        if !ty.is_signed() {
            return;
        }
        let limits = Limits::of(ty);
        for &lane in lanes {
            if self.known_number(lane, ty).is_some_and(|value| value != limits.least) {
                continue;
            }
            let holds = self.compare_with(IntCond::Ne, lane, limits.least, limits.ty);
            self.check(holds, PanicKind::NegOverflow, vec![]);
        }
    }

    /// An amount of any integer type is below the width; a negative one, taken as unsigned, is not.
    fn check_shift(&mut self, kind: PanicKind, ty: Scalar, (amount, known): (Value, Option<i128>)) {
        let width = i128::from(ty.bits());
        if known.is_some_and(|amount| (0..width).contains(&amount)) {
            return;
        }
        let amount_type = self.b.ty(amount);
        let holds = self.compare_with(IntCond::ULt, amount, width, amount_type);
        self.check(holds, kind, vec![]);
    }

    fn sum_fits(
        &mut self,
        limits: &Limits,
        (a, left): (Value, Option<i128>),
        (b, right): (Value, Option<i128>),
    ) -> Fits {
        match (left, right) {
            (_, Some(known)) => self.at_distance(limits, a, -known),
            (Some(known), None) => self.at_distance(limits, b, -known),
            (None, None) if limits.least == 0 => {
                // The greatest number less `b`.
                let room = self.b.unary(IrUnary::Not, b);
                Fits::If(self.b.int_compare(IntCond::ULe, a, room))
            }
            (None, None) => {
                let sum = self.b.binary(Op::Add, a, b);
                self.signs_agree(sum, a, b, limits.ty)
            }
        }
    }

    fn difference_fits(&mut self, limits: &Limits, a: Value, (b, right): (Value, Option<i128>)) -> Fits {
        match right {
            Some(known) => self.at_distance(limits, a, known),
            None if limits.least == 0 => Fits::If(self.b.int_compare(IntCond::UGe, a, b)),
            None => {
                let difference = self.b.binary(Op::Sub, a, b);
                // That of signs that differ has the sign of the first: neither that of `a` nor of `-b` is lost.
                let differ = self.b.binary(Op::Xor, a, b);
                let turned = self.b.binary(Op::Xor, a, difference);
                self.sign_is_clear(differ, turned, limits.ty)
            }
        }
    }

    fn product_fits(
        &mut self,
        limits: &Limits,
        (a, left): (Value, Option<i128>),
        (b, right): (Value, Option<i128>),
    ) -> Fits {
        let (factor, known) = match (left, right) {
            (_, Some(known)) => (a, known),
            (Some(known), None) => (b, known),
            (None, None) => return self.wide_product_fits(limits, a, b),
        };
        match known {
            0 | 1 => Fits::Always,
            // The quotients by a negative number change places.
            _ if known < 0 => self.within(limits, factor, limits.most / known, limits.least / known),
            _ => self.within(limits, factor, limits.least / known, limits.most / known),
        }
    }

    /// The upper half of a product that fits repeats the sign of the lower one.
    fn wide_product_fits(&mut self, limits: &Limits, a: Value, b: Value) -> Fits {
        if limits.least == 0 {
            let high = self.b.binary(Op::UMulHigh, a, b);
            return Fits::If(self.compare_with(IntCond::Eq, high, 0, limits.ty));
        }
        let high = self.b.binary(Op::SMulHigh, a, b);
        let low = self.b.binary(Op::Mul, a, b);
        let last_bit = self.b.constant(limits.ty, u64::from(limits.ty.bits() - 1));
        let sign = self.b.binary(Op::AShr, low, last_bit);
        Fits::If(self.b.int_compare(IntCond::Eq, high, sign))
    }

    /// `value - distance` fits.
    fn at_distance(&mut self, limits: &Limits, value: Value, distance: i128) -> Fits {
        let (cond, bound) = match (distance, limits.least) {
            (0, _) => return Fits::Always,
            (1.., 0) => (IntCond::UGe, distance),
            (1.., least) => (IntCond::SGe, least + distance),
            (_, 0) => (IntCond::ULe, limits.most + distance),
            _ => (IntCond::SLe, limits.most + distance),
        };
        Fits::If(self.compare_with(cond, value, bound, limits.ty))
    }

    /// `value` is from `least` to `most`, which are not all numbers of its type.
    fn within(&mut self, limits: &Limits, value: Value, least: i128, most: i128) -> Fits {
        // −1 · MIN: the bound below, MIN + 1, is the one that counts.
        let (least, most) = (least.max(limits.least), most.min(limits.most));
        if least == 0 {
            return Fits::If(self.compare_with(IntCond::ULe, value, most, limits.ty));
        }
        let offset = self.b.constant(limits.ty, (-least) as u64 & limits.ty.mask());
        let above = self.b.binary(Op::Add, value, offset);
        Fits::If(self.compare_with(IntCond::ULe, above, most - least, limits.ty))
    }

    /// A sum has the sign of one of its operands.
    fn signs_agree(&mut self, sum: Value, a: Value, b: Value, ty: Type) -> Fits {
        let [a, b] = [a, b].map(|operand| self.b.binary(Op::Xor, operand, sum));
        self.sign_is_clear(a, b, ty)
    }

    /// `a & b` is not negative.
    fn sign_is_clear(&mut self, a: Value, b: Value, ty: Type) -> Fits {
        let both = self.b.binary(Op::And, a, b);
        Fits::If(self.compare_with(IntCond::SGe, both, 0, ty))
    }

    fn compare_with(&mut self, cond: IntCond, value: Value, number: i128, ty: Type) -> Value {
        let number = self.b.constant(ty, number as u64 & ty.mask());
        self.b.int_compare(cond, value, number)
    }

    /// The number that a constant stands for, or one with a minus before it.
    fn known_number(&mut self, value: Value, ty: Scalar) -> Option<i128> {
        let func = self.b.function();
        let bits = match func.def(value)? {
            InstData::Unary { op: IrUnary::Neg, arg } => {
                func.constant(*arg)?.wrapping_neg() & func.ty(value).mask()
            }
            _ => func.constant(value)?,
        };
        let unused = 64 - ty.bits();
        Some(match ty.is_signed() {
            true => i128::from(((bits << unused) as i64) >> unused),
            false => i128::from(bits),
        })
    }
}
