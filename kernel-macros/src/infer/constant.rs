//! Constants: their types, and their values by evaluation, as rustc evaluates them.

use std::ops::{Add, Div, Mul, Sub};

use super::{Infer, Ty};
use crate::ast::{Expr, ExprKind, Literal};
use crate::literal::{self, from_float, from_int, to_float, to_int};
use crate::resolve::Meaning;
use crate::typed::{self, BinaryOp, ConstId, ConstValue, Scalar, UnaryOp};

/// How far a constant is.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Not looked at.
    Unknown,
    /// Being evaluated.
    Open,
    /// Its value.
    Value(ConstValue),
    /// Has a mistake that was reported.
    Error,
}

impl State {
    /// The value, if it is known.
    pub(super) fn value(self) -> Option<ConstValue> {
        match self {
            State::Value(value) => Some(value),
            State::Unknown | State::Open | State::Error => None,
        }
    }
}

impl Infer<'_> {
    /// The value of a constant of the body; evaluated on its first use.
    pub(super) fn const_value(&mut self, id: ConstId) -> Option<ConstValue> {
        let kernel = self.kernel;
        let constant = &kernel.consts[id.0];
        match self.consts[id.0] {
            State::Unknown => {}
            State::Open => {
                let message = format!(
                    "expected a constant with a value, found `{0}`, which depends on itself\nhelp: write its value",
                    constant.name
                );
                self.diagnostics.error(&constant.name, message);
                self.consts[id.0] = State::Error;
                return None;
            }
            State::Value(_) | State::Error => return self.consts[id.0].value(),
        }
        self.consts[id.0] = State::Open;
        let ty = self.written(&constant.ty);
        let value = self.closed(&constant.init, &ty);
        // A constant that depends on itself was marked meanwhile.
        if let State::Open = self.consts[id.0] {
            self.consts[id.0] = value.map_or(State::Error, State::Value);
        }
        self.consts[id.0].value()
    }

    /// The length of an array: at least 1.
    pub(super) fn array_len(&mut self, len: &Expr) -> Option<u64> {
        let value = self.closed(len, &Ty::scalar(Scalar::Usize))?;
        if value.bits == 0 {
            self.diagnostics
                .error(len.loc, "expected at least 1 element, found 0\nhelp: write a length of 1 or more");
            return None;
        }
        Some(value.bits)
    }

    /// Types and evaluates an expression that shares no type with what is around it.
    fn closed(&mut self, expr: &Expr, ty: &Ty) -> Option<ConstValue> {
        let errors = self.diagnostics.count();
        let outer_claims = std::mem::take(&mut self.claims);
        let outer_casts = std::mem::take(&mut self.casts);
        let mark = self.vars.mark();
        self.operand(expr, &super::Hint::Must(ty.clone()));
        self.settle(mark);
        self.claims = outer_claims;
        self.casts = outer_casts;
        if self.diagnostics.count() > errors { None } else { self.evaluate(expr) }
    }

    /// The value of an expression whose types are known.
    fn evaluate(&mut self, expr: &Expr) -> Option<ConstValue> {
        let ty = match self.expr_ty(expr.id) {
            Ty::Known(typed::Ty::Scalar(ty)) => ty,
            Ty::Known(_) | Ty::Var(_) => return self.not_constant(expr),
            Ty::Error => return None,
        };
        match &expr.kind {
            ExprKind::Literal(value) => self.literal_value(expr, value, ty, false),
            ExprKind::Path(_) => match self.names.of(expr.id) {
                Meaning::Const(id) => self.const_value(id),
                Meaning::Known(value) => Some(value),
                Meaning::Nothing
                | Meaning::Local(_)
                | Meaning::Function(..)
                | Meaning::Loop(_)
                | Meaning::Error => None,
            },
            ExprKind::Unary { op: UnaryOp::Neg, arg } => {
                let value = match &arg.kind {
                    ExprKind::Literal(value) => self.literal_value(arg, value, ty, true)?,
                    _ => self.evaluate(arg)?,
                };
                if ty.is_float() {
                    return Some(from_float(ty, -to_float(value)));
                }
                // The bits of a literal one beyond the greatest value are those of the least.
                let negated = match (&arg.kind, to_int(value)) {
                    (ExprKind::Literal(_), least) if least < 0 => Some(value),
                    (_, value) => from_int(ty, -value),
                };
                self.in_range(expr, ty, negated)
            }
            ExprKind::Unary { op: UnaryOp::Not, arg } => {
                let value = self.evaluate(arg)?;
                let mask = u64::MAX >> (64 - ty.bits());
                Some(ConstValue { ty, bits: !value.bits & mask })
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let (left, right) = (self.evaluate(lhs)?, self.evaluate(rhs)?);
                self.binary_value(expr, *op, left, right)
            }
            ExprKind::Logical { and, lhs, rhs } => {
                let left = self.evaluate(lhs)?;
                if (left.bits == 1) == *and { self.evaluate(rhs) } else { Some(left) }
            }
            ExprKind::Cast { arg, .. } => self.evaluate(arg).map(|value| cast(value, ty)),
            ExprKind::Block(block) if block.stmts.is_empty() => match &block.value {
                Some(value) => self.evaluate(value),
                None => self.not_constant(expr),
            },
            ExprKind::If { cond, then, otherwise: Some(otherwise) } if then.stmts.is_empty() => {
                match (self.evaluate(cond)?.bits, &then.value) {
                    (0, _) => self.evaluate(otherwise),
                    (_, Some(value)) => self.evaluate(value),
                    (_, None) => self.not_constant(expr),
                }
            }
            ExprKind::Field { .. }
            | ExprKind::Index { .. }
            | ExprKind::Call { .. }
            | ExprKind::Method { .. }
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return => self.not_constant(expr),
        }
    }

    fn not_constant(&mut self, expr: &Expr) -> Option<ConstValue> {
        let message = "expected a constant expression, found one that is not supported in constants yet\nhelp: use \
                       literals, constants, operators, `as` and `if`";
        self.diagnostics.error(expr.loc, message);
        None
    }

    fn literal_value(
        &mut self,
        expr: &Expr,
        value: &Literal,
        ty: Scalar,
        negated: bool,
    ) -> Option<ConstValue> {
        literal::value(value, ty, negated).map_err(|message| self.diagnostics.error(expr.loc, message)).ok()
    }

    fn in_range(&mut self, expr: &Expr, ty: Scalar, value: Option<ConstValue>) -> Option<ConstValue> {
        if value.is_none() {
            let (least, most) = literal::int_range(ty);
            let message = format!(
                "expected {}, from {least} to {most}, found a constant that overflows it\nhelp: use a wider type",
                literal::with_article(ty)
            );
            self.diagnostics.error(expr.loc, message);
        }
        value
    }

    fn binary_value(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        left: ConstValue,
        right: ConstValue,
    ) -> Option<ConstValue> {
        if let Some(holds) = compare(op, left, right) {
            return Some(ConstValue { ty: Scalar::Bool, bits: u64::from(holds) });
        }
        let ty = left.ty;
        if ty.is_float() {
            let value = float_op(op, left, right);
            if value.is_none() {
                return self.not_constant(expr);
            }
            return value;
        }
        if ty == Scalar::Bool {
            let bits = match op {
                BinaryOp::And => left.bits & right.bits,
                BinaryOp::Or => left.bits | right.bits,
                _ => left.bits ^ right.bits,
            };
            return Some(ConstValue { ty, bits });
        }
        let (a, b) = (to_int(left), to_int(right));
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && b == 0 {
            let message = "expected a divisor other than 0, found 0\nhelp: divide by something else";
            self.diagnostics.error(expr.loc, message);
            return None;
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) && !(0..i128::from(ty.bits())).contains(&b) {
            let message = format!(
                "expected a shift by less than {}, the width of `{}`, found {b}\nhelp: shift by less",
                ty.bits(),
                ty.name()
            );
            self.diagnostics.error(expr.loc, message);
            return None;
        }
        let value = match op {
            BinaryOp::Add => from_int(ty, a + b),
            BinaryOp::Sub => from_int(ty, a - b),
            BinaryOp::Mul => a.checked_mul(b).and_then(|product| from_int(ty, product)),
            BinaryOp::Div => from_int(ty, a / b),
            // `MIN % -1` overflows as the division does.
            BinaryOp::Rem => from_int(ty, a / b).and(from_int(ty, a % b)),
            BinaryOp::And => Some(literal::wrap_int(ty, a & b)),
            BinaryOp::Or => Some(literal::wrap_int(ty, a | b)),
            BinaryOp::Xor => Some(literal::wrap_int(ty, a ^ b)),
            BinaryOp::Shl => Some(literal::wrap_int(ty, a << b)),
            BinaryOp::Shr => Some(literal::wrap_int(ty, a >> b)),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => None,
        };
        self.in_range(expr, ty, value)
    }
}

/// The result of a comparison; `None` for other operators.
fn compare(op: BinaryOp, left: ConstValue, right: ConstValue) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match left.ty.is_float() {
        true => to_float(left).partial_cmp(&to_float(right)),
        false => Some(to_int(left).cmp(&to_int(right))),
    };
    Some(match op {
        BinaryOp::Eq => order == Some(Equal),
        BinaryOp::Ne => order != Some(Equal),
        BinaryOp::Lt => order == Some(Less),
        BinaryOp::Le => matches!(order, Some(Less | Equal)),
        BinaryOp::Gt => order == Some(Greater),
        BinaryOp::Ge => matches!(order, Some(Greater | Equal)),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => return None,
    })
}

/// Arithmetic in the type's own precision; `None` for operators that floats do not have.
fn float_op(op: BinaryOp, left: ConstValue, right: ConstValue) -> Option<ConstValue> {
    let (a, b) = (to_float(left), to_float(right));
    match left.ty {
        Scalar::F32 => arithmetic(op, a as f32, b as f32).map(|value| from_float(left.ty, value.into())),
        _ => arithmetic(op, a, b).map(|value| from_float(left.ty, value)),
    }
}

fn arithmetic<T: Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>>(
    op: BinaryOp,
    a: T,
    b: T,
) -> Option<T> {
    match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Sub => Some(a - b),
        BinaryOp::Mul => Some(a * b),
        BinaryOp::Div => Some(a / b),
        _ => None,
    }
}

/// `value as ty`: integers wrap, floats saturate and NaN is 0, as in Rust.
fn cast(value: ConstValue, ty: Scalar) -> ConstValue {
    match (value.ty.is_float(), ty.is_float()) {
        (true, true) => from_float(ty, to_float(value)),
        (true, false) => {
            let (least, most) = literal::int_range(ty);
            literal::wrap_int(ty, (to_float(value) as i128).clamp(least, most))
        }
        // From the integer straight to each width: no double rounding.
        (false, true) if ty == Scalar::F32 => {
            ConstValue { ty, bits: u64::from((to_int(value) as f32).to_bits()) }
        }
        (false, true) => from_float(ty, to_int(value) as f64),
        (false, false) => literal::wrap_int(ty, to_int(value)),
    }
}
