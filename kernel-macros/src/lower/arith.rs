//! Operators and casts.

use ptx_gen::ir::{
    BinaryOp as Op, ConvertOp, FloatCond, IntCond, PanicKind, RemarkKind, Type, UnaryOp as IrUnary, Value,
};

use super::{Lowered, Lowerer, Values, layout};
use crate::typed::{BinaryOp, Expr, ExprKind, Scalar, Ty, UnaryOp};

/// The IR operations of an arithmetic operator.
struct Arithmetic {
    op: BinaryOp,
    signed: Op,
    unsigned: Op,
    float: Option<Op>,
}

const fn row(op: BinaryOp, signed: Op, unsigned: Op, float: Option<Op>) -> Arithmetic {
    Arithmetic { op, signed, unsigned, float }
}

const ARITHMETIC: &[Arithmetic] = &[
    row(BinaryOp::Add, Op::Add, Op::Add, Some(Op::FAdd)),
    row(BinaryOp::Sub, Op::Sub, Op::Sub, Some(Op::FSub)),
    row(BinaryOp::Mul, Op::Mul, Op::Mul, Some(Op::FMul)),
    row(BinaryOp::Div, Op::SDiv, Op::UDiv, Some(Op::FDiv)),
    row(BinaryOp::Rem, Op::SRem, Op::URem, None),
    row(BinaryOp::And, Op::And, Op::And, None),
    row(BinaryOp::Or, Op::Or, Op::Or, None),
    row(BinaryOp::Xor, Op::Xor, Op::Xor, None),
    row(BinaryOp::Shl, Op::Shl, Op::Shl, None),
    row(BinaryOp::Shr, Op::AShr, Op::LShr, None),
];

/// The IR conditions of a comparison.
struct Comparison {
    op: BinaryOp,
    signed: IntCond,
    unsigned: IntCond,
    float: FloatCond,
}

const fn compare(op: BinaryOp, signed: IntCond, unsigned: IntCond, float: FloatCond) -> Comparison {
    Comparison { op, signed, unsigned, float }
}

const COMPARISONS: &[Comparison] = &[
    compare(BinaryOp::Eq, IntCond::Eq, IntCond::Eq, FloatCond::Eq),
    compare(BinaryOp::Ne, IntCond::Ne, IntCond::Ne, FloatCond::Ne),
    compare(BinaryOp::Lt, IntCond::SLt, IntCond::ULt, FloatCond::Lt),
    compare(BinaryOp::Le, IntCond::SLe, IntCond::ULe, FloatCond::Le),
    compare(BinaryOp::Gt, IntCond::SGt, IntCond::UGt, FloatCond::Gt),
    compare(BinaryOp::Ge, IntCond::SGe, IntCond::UGe, FloatCond::Ge),
];

/// Returns true if the operator is a comparison.
pub(super) fn is_comparison(op: BinaryOp) -> bool {
    COMPARISONS.iter().any(|row| row.op == op)
}

/// The panics of a division: by zero, and `MIN` by −1.
fn division_panics(op: BinaryOp) -> Option<(PanicKind, PanicKind)> {
    match op {
        BinaryOp::Div => Some((PanicKind::DivideByZero, PanicKind::DivideOverflow)),
        BinaryOp::Rem => Some((PanicKind::RemainderByZero, PanicKind::RemainderOverflow)),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => None,
    }
}

impl Lowerer<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, arg: &Expr) -> Lowered {
        let values = self.expr(arg)?;
        // `-128i8` is one literal.
        let is_literal = matches!(arg.kind, ExprKind::Literal(_));
        if op == UnaryOp::Neg && self.function().checks_overflow && !is_literal {
            self.check_negations(&values, self.types.scalar(&arg.ty));
        }
        let op = match op {
            UnaryOp::Neg if self.types.scalar(&arg.ty).is_float() => IrUnary::FNeg,
            UnaryOp::Neg => IrUnary::Neg,
            UnaryOp::Not => IrUnary::Not,
        };
        Ok(self.unary_lanes(op, &values))
    }

    pub(super) fn binary(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Lowered {
        if let Some(sum) = self.balanced_sum(op, lhs, rhs) {
            return Ok(vec![sum?]);
        }
        let a = self.expr(lhs)?;
        let b = self.expr(rhs)?;
        Ok(self.binary_lanes(op, (&a, &lhs.ty), (&b, &rhs.ty)))
    }

    // Lanes: of a scalar there is one.

    /// An operation on each lane, or on two floats of 16 bits at once; a single lane stands for all.
    pub(super) fn by_lane(
        &mut self,
        operands: &[&[Value]],
        mut op: impl FnMut(&mut Self, &[Value]) -> Value,
    ) -> Values {
        let count = operands.iter().map(|lanes| lanes.len()).max().unwrap_or(0);
        let lane = |lanes: &[Value], index: usize| lanes[index.min(lanes.len() - 1)];
        let paired = count % 2 == 0
            && count > 0
            && operands.iter().all(|lanes| matches!(self.b.ty(lanes[0]), Type::F16 | Type::BF16));
        if !paired {
            return (0..count)
                .map(|index| {
                    let lanes: Values = operands.iter().map(|lanes| lane(lanes, index)).collect();
                    op(self, &lanes)
                })
                .collect();
        }
        let mut results = Values::with_capacity(count);
        for index in (0..count).step_by(2) {
            let pairs: Values = operands
                .iter()
                .map(|lanes| self.b.pack(lane(lanes, index), lane(lanes, index + 1)))
                .collect();
            let pair = op(self, &pairs);
            results.extend([self.b.extract(pair, 0), self.b.extract(pair, 1)]);
        }
        results
    }

    /// An operation on each lane.
    pub(super) fn unary_lanes(&mut self, op: IrUnary, lanes: &[Value]) -> Values {
        self.by_lane(&[lanes], |this, lane| this.b.unary(op, lane[0]))
    }

    /// An operator on each lane; a single lane stands for all. Whole values compare as one.
    pub(super) fn binary_lanes(
        &mut self,
        op: BinaryOp,
        (a, ty): (&[Value], &Ty),
        (b, rhs_ty): (&[Value], &Ty),
    ) -> Values {
        let is_lane = matches!(ty, Ty::Scalar(_) | Ty::Enum(_) | Ty::Ptr { .. });
        match op {
            BinaryOp::Eq if !is_lane => return vec![self.equal(a, b, ty)],
            BinaryOp::Ne if !is_lane => {
                let equal = self.equal(a, b, ty);
                return vec![self.b.unary(IrUnary::Not, equal)];
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
                if !is_lane && !matches!(ty, Ty::Vector(..)) =>
            {
                return vec![self.compare_parts(op, a, b, ty)];
            }
            _ => {}
        }
        let (scalar, rhs_scalar) = (self.types.scalar(ty), self.types.scalar(rhs_ty));
        self.by_lane(&[a, b], |this, lanes| {
            this.binary_values(op, (lanes[0], scalar), (lanes[1], rhs_scalar))
        })
    }

    /// A fused multiply-add on each lane.
    pub(super) fn fma_lanes(&mut self, a: &[Value], b: &[Value], c: &[Value]) -> Values {
        self.by_lane(&[a, b, c], |this, lanes| this.b.fma(lanes[0], lanes[1], lanes[2]))
    }

    /// An operator on values with their types, checks included.
    pub(super) fn binary_values(
        &mut self,
        op: BinaryOp,
        (a, ty): (Value, Scalar),
        (b, rhs_ty): (Value, Scalar),
    ) -> Value {
        if let Some(comparison) = COMPARISONS.iter().find(|row| row.op == op) {
            return self.comparison(comparison, ty, a, b);
        }
        if self.function().checks_overflow
            && ty.is_int()
            && let Some(value) = self.checked_values(op, (a, ty), (b, rhs_ty))
        {
            return value;
        }
        if self.is_fast(ty)
            && let Some(value) = self.fast_values(op, a, b)
        {
            return value;
        }
        let b = match op {
            // Only the amount's lowest bits count, so cutting it does no harm.
            BinaryOp::Shl | BinaryOp::Shr => self.resize(b, rhs_ty, layout::scalar_type(ty)),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => b,
        };
        if let (Some(panics), true) = (division_panics(op), ty.is_int()) {
            self.check_division(panics, ty, a, b);
        }
        if op == BinaryOp::Rem && ty.is_float() {
            return self.b.float_remainder(a, b);
        }
        let row = ARITHMETIC.iter().find(|row| row.op == op).expect("an operator is in one of the tables");
        let op = match row.float {
            Some(op) if ty.is_float() => op,
            _ if ty.is_signed() => row.signed,
            _ => row.unsigned,
        };
        self.b.binary(op, a, b)
    }

    fn comparison(&mut self, row: &Comparison, ty: Scalar, a: Value, b: Value) -> Value {
        if ty.is_float() {
            return self.b.float_compare(row.float, a, b);
        }
        if ty == Scalar::Bool {
            return self.compare_bools(row.op, a, b);
        }
        let cond = if ty.is_signed() { row.signed } else { row.unsigned };
        self.b.int_compare(cond, a, b)
    }

    /// `false < true`, by logic: the IR orders integers only.
    fn compare_bools(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let (negated, other, joined) = match op {
            BinaryOp::Lt => (a, b, Op::And),
            BinaryOp::Le => (a, b, Op::Or),
            BinaryOp::Gt => (b, a, Op::And),
            BinaryOp::Ge => (b, a, Op::Or),
            BinaryOp::Ne => return self.b.binary(Op::Xor, a, b),
            BinaryOp::Eq
            | BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr => return self.b.int_compare(IntCond::Eq, a, b),
        };
        let negated = self.b.unary(IrUnary::Not, negated);
        self.b.binary(joined, negated, other)
    }

    /// The panics that come before an integer division; a constant divisor needs few of them.
    fn check_division(&mut self, panics: (PanicKind, PanicKind), ty: Scalar, a: Value, b: Value) {
        let (by_zero, overflow) = panics;
        let ir_type = layout::scalar_type(ty);
        let divisor = self.b.function().constant(b);
        if divisor.is_none_or(|bits| bits == 0) {
            let nonzero = self.is_zero(b, IntCond::Ne);
            self.check(nonzero, by_zero, vec![]);
        }
        if ty.is_signed() && divisor.is_none_or(|bits| bits == ir_type.mask()) {
            let min = self.b.constant(ir_type, 1 << (ir_type.bits() - 1));
            let minus_one = self.b.constant(ir_type, u64::MAX);
            let dividend_fits = self.b.int_compare(IntCond::Ne, a, min);
            let divisor_fits = self.b.int_compare(IntCond::Ne, b, minus_one);
            let fits = self.b.binary(Op::Or, dividend_fits, divisor_fits);
            self.check(fits, overflow, vec![]);
        }
    }

    /// `±(a * b) ± c`, rounded once. Negating an operand is exact.
    pub(super) fn mul_add(
        &mut self,
        [a, b, c]: [&Expr; 3],
        negate_product: bool,
        negate_c: bool,
        product_first: bool,
    ) -> Lowered {
        let early_c = if product_first { None } else { Some(self.expr(c)?) };
        let mut a = self.expr(a)?;
        let b = self.expr(b)?;
        let mut c = match early_c {
            Some(c) => c,
            None => self.expr(c)?,
        };
        if negate_product {
            a = self.unary_lanes(IrUnary::FNeg, &a);
        }
        if negate_c {
            c = self.unary_lanes(IrUnary::FNeg, &c);
        }
        self.contracted();
        Ok(self.fma_lanes(&a, &b, &c))
    }

    /// Says that a product and a sum of the source are one operation.
    pub(super) fn contracted(&mut self) {
        let location = self.location;
        self.b.function().remark(location, RemarkKind::Contracted);
    }

    /// `arg as to`.
    pub(super) fn cast(&mut self, arg: &Expr, to: &Ty) -> Lowered {
        let value = self.scalar(arg)?;
        let (from, to) = (self.types.scalar(&arg.ty), self.types.scalar(to));
        Ok(vec![self.cast_value(value, from, to)])
    }

    pub(super) fn cast_value(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        let ty = layout::scalar_type(to);
        let op = match (from.is_float(), to.is_float()) {
            (true, true) if from == to => return value,
            (true, true) => ConvertOp::FloatToFloat,
            (true, false) if to.is_signed() => ConvertOp::FloatToSInt,
            (true, false) => ConvertOp::FloatToUInt,
            (false, true) if from == Scalar::Bool => {
                let bit = self.b.convert(ConvertOp::ZeroExtend, value, Type::I32);
                return self.b.convert(ConvertOp::UIntToFloat, bit, ty);
            }
            (false, true) if from.is_signed() => ConvertOp::SIntToFloat,
            (false, true) => ConvertOp::UIntToFloat,
            (false, false) => return self.resize(value, from, ty),
        };
        self.b.convert(op, value, ty)
    }
}
