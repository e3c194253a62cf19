//! Rules for operations on floats.
//!
//! `x + 0` is not `x` for −0, and `x * 1` is another NaN if `x` is one that an operation does not give: so the one is not here, and the other one
//! is where `x` is the result of an operation.

use super::{Folder, Rewrite};
use crate::ir::{BinaryOp, InstData, Type, UnaryOp, Value, half};

impl Folder<'_> {
    pub(super) fn float_binary(&mut self, op: BinaryOp, ty: Type, [a, b]: [Value; 2]) -> Option<Rewrite> {
        if let Some(same) = self.float_identity(op, ty, [a, b]) {
            return Some(Rewrite::Value(same));
        }
        match (op, self.bits(b)) {
            // The reciprocal of a power of two is exact, so the product rounds as the quotient does.
            (BinaryOp::FDiv, Some(divisor)) => {
                let reciprocal = exact_reciprocal(ty, divisor)?;
                let b = self.constant(ty, reciprocal);
                let product = InstData::Binary { op: BinaryOp::FMul, args: [a, b], no_unsigned_wrap: false };
                Some(Rewrite::Data(product))
            }
            _ => None,
        }
    }

    /// The operand that an operation with this constant leaves as it is: `x - 0`, `x + -0`, `x * 1`.
    fn float_identity(&self, op: BinaryOp, ty: Type, [a, b]: [Value; 2]) -> Option<Value> {
        let (zero, one) = (0, one(ty)?);
        let minus_zero = 1 << (ty.bits() - 1);
        let is_result = |value: Value| match self.func.def(value) {
            Some(InstData::Binary { op, .. }) => {
                matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv)
            }
            Some(InstData::Unary { op, .. }) => *op == UnaryOp::Sqrt,
            Some(InstData::Fma { .. }) => true,
            _ => false,
        };
        let is_same = |value: Value, number: Value, neutral: u64| {
            self.bits(number) == Some(neutral) && is_result(value)
        };
        let (neutral, commutes) = match op {
            BinaryOp::FSub => (zero, false),
            BinaryOp::FAdd => (minus_zero, true),
            BinaryOp::FMul => (one, true),
            BinaryOp::FDiv => (one, false),
            _ => return None,
        };
        if is_same(a, b, neutral) {
            return Some(a);
        }
        (commutes && is_same(b, a, neutral)).then_some(b)
    }
}

/// The number one of a type of which results are never other NaNs than those that an operation gives.
fn one(ty: Type) -> Option<u64> {
    match ty {
        Type::F32 => Some(1f32.to_bits().into()),
        Type::F64 => Some(1f64.to_bits()),
        _ => None,
    }
}

/// `1 / x` if it is a normal power of two like `x`.
fn exact_reciprocal(ty: Type, bits: u64) -> Option<u64> {
    match ty {
        Type::F32 => {
            let value = f32::from_bits(bits as u32);
            let power = value.is_normal() && value.to_bits() & ((1 << (f32::MANTISSA_DIGITS - 1)) - 1) == 0;
            (power && value.recip().is_normal()).then(|| value.recip().to_bits().into())
        }
        Type::F64 => {
            let value = f64::from_bits(bits);
            let power = value.is_normal() && value.to_bits() & ((1 << (f64::MANTISSA_DIGITS - 1)) - 1) == 0;
            (power && value.recip().is_normal()).then(|| value.recip().to_bits())
        }
        Type::F16 | Type::BF16 => {
            // Exact as an `f64`, and normal numbers are those whose reciprocals and themselves come back.
            let value = half::widen(ty, bits);
            let power = value.is_normal() && value.to_bits() & ((1 << (f64::MANTISSA_DIGITS - 1)) - 1) == 0;
            let least = if ty == Type::F16 { 2f64.powi(-14) } else { 2f64.powi(-126) };
            let reciprocal = half::narrow(ty, value.recip());
            let exact = half::widen(ty, reciprocal) == value.recip();
            (power && exact && value.abs() >= least && value.recip().abs() >= least).then_some(reciprocal)
        }
        Type::F16x2 | Type::BF16x2 => None,
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals() {
        let reciprocal = |value: f32| exact_reciprocal(Type::F32, value.to_bits().into());
        assert_eq!(reciprocal(8.0), Some(0.125f32.to_bits().into()));
        assert_eq!(reciprocal(-0.5), Some((-2.0f32).to_bits().into()));
        for value in [0.0, 3.0, f32::INFINITY, f32::NAN, 1e-45, 2f32.powi(127)] {
            assert_eq!(reciprocal(value), None, "{value}");
        }
        assert_eq!(exact_reciprocal(Type::F64, 4f64.to_bits()), Some(0.25f64.to_bits()));
    }
}
