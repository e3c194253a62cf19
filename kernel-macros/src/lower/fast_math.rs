//! `fast_math`: what the user's own operators on `f32` become. Functions of the library keep theirs; which of them stand for
//! others is a table of the library.

use ptx_gen::ir::{BinaryOp as Op, InstData, Type, UnaryOp as IrUnary, Value};

use super::{Lowered, Lowerer};
use crate::typed::{BinaryOp, Expr, ExprKind, Scalar, Ty};

/// Sums of fewer summands stay as they are: a tree of them is no less deep.
const LEAST_SUMMANDS: usize = 4;

impl Lowerer<'_> {
    /// Returns true if operators on this type may be approximated and reassociated here.
    pub(super) fn is_fast(&self, ty: Scalar) -> bool {
        self.kernel.attrs.fast_math && ty == Scalar::F32 && !self.function().is_library
    }

    /// `a op b`, where something cheaper does.
    pub(super) fn fast_values(&mut self, op: BinaryOp, a: Value, b: Value) -> Option<Value> {
        match op {
            BinaryOp::Div => Some(self.fast_quotient(a, b)),
            BinaryOp::Mul => self.joined_factors(a, b).or_else(|| self.joined_factors(b, a)),
            BinaryOp::Add => self.fused_sum(a, b),
            BinaryOp::Sub => self.fused_difference(a, b),
            BinaryOp::Rem
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

    /// A quotient: a product with a constant's reciprocal, or with the hardware's reciprocal square root, or `div.approx`.
    fn fast_quotient(&mut self, a: Value, b: Value) -> Value {
        if let Some(reciprocal) = self.known_float(b).map(f32::recip).filter(|value| value.is_normal()) {
            let reciprocal = self.b.constant(Type::F32, reciprocal.to_bits().into());
            let joined = self.joined_factors(a, reciprocal);
            return joined.unwrap_or_else(|| self.b.binary(Op::FMul, a, reciprocal));
        }
        if self.known_float(a) == Some(1.0) {
            return self.fast_reciprocal(b);
        }
        match self.rooted(b) {
            Some(square) => {
                let root = self.b.unary(IrUnary::RsqrtApprox, square);
                self.b.binary(Op::FMul, a, root)
            }
            None => self.b.binary(Op::FDivApprox, a, b),
        }
    }

    /// 1/x; of a square root one instruction.
    pub(super) fn fast_reciprocal(&mut self, x: Value) -> Value {
        match self.rooted(x) {
            Some(square) => self.b.unary(IrUnary::RsqrtApprox, square),
            None => self.b.unary(IrUnary::RcpApprox, x),
        }
    }

    /// `(x * c) * d` with constants `c` and `d`: one product.
    fn joined_factors(&mut self, a: Value, b: Value) -> Option<Value> {
        let outer = self.known_float(b)?;
        let Some(&InstData::Binary { op: Op::FMul, args: [x, c], .. }) = self.b.function().def(a) else {
            return None;
        };
        let factor = Some(self.known_float(c)? * outer).filter(|factor| factor.is_normal())?;
        let factor = self.b.constant(Type::F32, factor.to_bits().into());
        Some(self.b.binary(Op::FMul, x, factor))
    }

    /// A sum with a product that another statement or function has computed; those in one expression are fused before.
    fn fused_sum(&mut self, a: Value, b: Value) -> Option<Value> {
        let (factors, summand) = match (self.factors(a), self.factors(b)) {
            (_, Some(factors)) => (factors, a),
            (Some(factors), None) => (factors, b),
            (None, None) => return None,
        };
        Some(self.b.fma(factors[0], factors[1], summand))
    }

    /// Fuses a difference with a product that another statement or function has computed.
    fn fused_difference(&mut self, a: Value, b: Value) -> Option<Value> {
        if let Some([x, y]) = self.factors(b) {
            let negative = self.negated(y);
            return Some(self.b.fma(x, negative, a));
        }
        let [x, y] = self.factors(a)?;
        let negative = self.negated(b);
        Some(self.b.fma(x, y, negative))
    }

    fn negated(&mut self, value: Value) -> Value {
        match self.known_float(value) {
            Some(number) => self.b.constant(Type::F32, (-number).to_bits().into()),
            None => self.b.unary(IrUnary::FNeg, value),
        }
    }

    /// The factors of the value if it is a product and products may be fused.
    fn factors(&mut self, value: Value) -> Option<[Value; 2]> {
        match self.b.function().def(value) {
            Some(&InstData::Binary { op: Op::FMul, args, .. }) if !self.kernel.attrs.fp_contract_off => {
                Some(args)
            }
            _ => None,
        }
    }

    /// `a + b + c + d`, and longer: in pairs, so that they don't wait for each other. All are evaluated in order first.
    pub(super) fn balanced_sum(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Option<Lowered<Value>> {
        let fast = op == BinaryOp::Add && matches!(lhs.ty, Ty::Scalar(ty) if self.is_fast(ty));
        let mut summands = Vec::new();
        if fast {
            collect(lhs, &mut summands);
            summands.push(rhs);
        }
        (summands.len() >= LEAST_SUMMANDS).then(|| {
            let mut level =
                summands.into_iter().map(|part| self.scalar(part)).collect::<Lowered<Vec<_>>>()?;
            while level.len() > 1 {
                level = level
                    .chunks(2)
                    .map(|pair| match *pair {
                        [a, b] => self.fused_sum(a, b).unwrap_or_else(|| self.b.binary(Op::FAdd, a, b)),
                        [a, ..] => a,
                        [] => unreachable!("chunks are not empty"),
                    })
                    .collect();
            }
            Ok(level[0])
        })
    }

    /// The radicand, if the value is a square root.
    fn rooted(&mut self, value: Value) -> Option<Value> {
        match self.b.function().def(value) {
            Some(&InstData::Unary { op: IrUnary::SqrtApprox, arg }) => Some(arg),
            _ => None,
        }
    }

    /// The number that a constant stands for, or one with a minus before it.
    fn known_float(&mut self, value: Value) -> Option<f32> {
        let func = self.b.function();
        let number = |value| func.constant(value).map(|bits| f32::from_bits(bits as u32));
        match func.def(value)? {
            InstData::Unary { op: IrUnary::FNeg, arg } => number(*arg).map(|value| -value),
            _ => number(value),
        }
    }
}

/// The summands of `a + b + c`, from the left.
fn collect<'e>(expr: &'e Expr, summands: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Add, lhs, rhs } => {
            collect(lhs, summands);
            summands.push(rhs);
        }
        _ => summands.push(expr),
    }
}
