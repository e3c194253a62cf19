//! Functions of numbers.

use ptx_gen::ir::{BinaryOp as Op, ConvertOp, FloatCond, IntCond, Type, UnaryOp as IrUnary, Value};

use super::{Lowerer, layout};
use crate::builtins::Builtin;
use crate::typed::Scalar;

impl Lowerer<'_> {
    /// Functions of scalars; `ty` is the receiver's type, `result` that of the call.
    pub(super) fn arithmetic_builtin(
        &mut self,
        builtin: Builtin,
        args: &[Value],
        ty: Scalar,
        result: Scalar,
    ) -> Value {
        let arg = |index: usize| args[index];
        let pick = |float, signed, unsigned| match () {
            () if ty.is_float() => float,
            () if ty.is_signed() => signed,
            () => unsigned,
        };
        match builtin {
            Builtin::Sqrt if self.is_fast(ty) => self.b.unary(IrUnary::SqrtApprox, arg(0)),
            Builtin::Recip if self.is_fast(ty) => self.fast_reciprocal(arg(0)),
            Builtin::Sqrt => self.b.unary(IrUnary::Sqrt, arg(0)),
            Builtin::Floor => self.b.unary(IrUnary::Floor, arg(0)),
            Builtin::Ceil => self.b.unary(IrUnary::Ceil, arg(0)),
            Builtin::Trunc => self.b.unary(IrUnary::Trunc, arg(0)),
            Builtin::RoundTiesEven => self.b.unary(IrUnary::RoundEven, arg(0)),
            Builtin::FastSin => self.b.unary(IrUnary::SinApprox, arg(0)),
            Builtin::FastCos => self.b.unary(IrUnary::CosApprox, arg(0)),
            Builtin::FastExp2 => self.b.unary(IrUnary::Exp2Approx, arg(0)),
            Builtin::FastExp2Ftz => self.b.unary(IrUnary::Exp2Flushed, arg(0)),
            Builtin::FastRecipFtz => self.b.unary(IrUnary::RcpFlushed, arg(0)),
            Builtin::FastSaturate => self.b.unary(IrUnary::Saturate, arg(0)),
            Builtin::FastLog2 => self.b.unary(IrUnary::Log2Approx, arg(0)),
            Builtin::FastTanh => self.b.unary(IrUnary::TanhApprox, arg(0)),
            Builtin::FastSqrt => self.b.unary(IrUnary::SqrtApprox, arg(0)),
            Builtin::FastRsqrt => self.b.unary(IrUnary::RsqrtApprox, arg(0)),
            Builtin::FastRecip => self.b.unary(IrUnary::RcpApprox, arg(0)),
            Builtin::FastDiv => self.b.binary(Op::FDivApprox, arg(0), arg(1)),
            Builtin::Copysign => self.b.binary(Op::CopySign, arg(0), arg(1)),
            Builtin::MulAdd => self.b.fma(arg(0), arg(1), arg(2)),
            Builtin::Recip => {
                let one = self.number(ty, 1.0);
                self.b.binary(Op::FDiv, one, arg(0))
            }
            Builtin::Abs if ty.is_float() => self.b.unary(IrUnary::FAbs, arg(0)),
            Builtin::Abs | Builtin::UnsignedAbs => {
                if builtin == Builtin::Abs && self.function().checks_overflow {
                    self.check_negations(args, ty);
                }
                let negated = self.b.unary(IrUnary::Neg, arg(0));
                // MIN is its own negation, so it stays, as `wrapping_abs` has it.
                self.b.binary(Op::SMax, arg(0), negated)
            }
            Builtin::Min => self.b.binary(pick(Op::FMin, Op::SMin, Op::UMin), arg(0), arg(1)),
            Builtin::Max => self.b.binary(pick(Op::FMax, Op::SMax, Op::UMax), arg(0), arg(1)),
            Builtin::Clamp => {
                let raised = self.b.binary(pick(Op::FMax, Op::SMax, Op::UMax), arg(0), arg(1));
                let clamped = self.b.binary(pick(Op::FMin, Op::SMin, Op::UMin), raised, arg(2));
                if !ty.is_float() {
                    return clamped;
                }
                let is_nan = self.b.float_compare(FloatCond::Ne, arg(0), arg(0));
                self.b.select(is_nan, arg(0), clamped)
            }
            Builtin::IsNan => self.b.float_compare(FloatCond::Ne, arg(0), arg(0)),
            Builtin::IsInfinite => self.compare_with_infinity(FloatCond::Eq, arg(0), ty),
            Builtin::IsFinite => self.compare_with_infinity(FloatCond::Lt, arg(0), ty),
            Builtin::ToBits | Builtin::FromBits => {
                self.b.convert(ConvertOp::Bitcast, arg(0), layout::scalar_type(result))
            }
            Builtin::WrappingAdd => self.b.binary(Op::Add, arg(0), arg(1)),
            Builtin::WrappingSub => self.b.binary(Op::Sub, arg(0), arg(1)),
            Builtin::WrappingMul => self.b.binary(Op::Mul, arg(0), arg(1)),
            Builtin::UncheckedAdd => self.without_wrap(Op::Add, ty, arg(0), arg(1)),
            Builtin::UncheckedSub => self.without_wrap(Op::Sub, ty, arg(0), arg(1)),
            Builtin::UncheckedMul => self.without_wrap(Op::Mul, ty, arg(0), arg(1)),
            Builtin::MulHi => self.mul_hi(pick(Op::UMulHigh, Op::SMulHigh, Op::UMulHigh), arg(0), arg(1), ty),
            Builtin::WrappingNeg => self.b.unary(IrUnary::Neg, arg(0)),
            Builtin::WrappingShl => self.shift(Op::Shl, arg(0), arg(1)),
            Builtin::WrappingShr => self.shift(pick(Op::LShr, Op::AShr, Op::LShr), arg(0), arg(1)),
            Builtin::AbsDiff => {
                let larger = self.b.binary(pick(Op::FMax, Op::SMax, Op::UMax), arg(0), arg(1));
                let smaller = self.b.binary(pick(Op::FMin, Op::SMin, Op::UMin), arg(0), arg(1));
                self.b.binary(Op::Sub, larger, smaller)
            }
            Builtin::Signum => {
                let ty = self.b.ty(arg(0));
                let (one, minus_one) = (self.b.constant(ty, 1), self.b.constant(ty, u64::MAX));
                let at_most = self.b.binary(Op::SMin, arg(0), one);
                self.b.binary(Op::SMax, at_most, minus_one)
            }
            Builtin::CountOnes => self.count(IrUnary::PopCount, arg(0)),
            Builtin::CountZeros => {
                let inverted = self.b.unary(IrUnary::Not, arg(0));
                self.count(IrUnary::PopCount, inverted)
            }
            Builtin::LeadingZeros => self.count(IrUnary::LeadingZeros, arg(0)),
            Builtin::TrailingZeros => self.count(IrUnary::TrailingZeros, arg(0)),
            Builtin::RotateLeft => self.rotate(Op::Shl, Op::LShr, arg(0), arg(1)),
            Builtin::RotateRight => self.rotate(Op::LShr, Op::Shl, arg(0), arg(1)),
            Builtin::ReverseBits => self.b.unary(IrUnary::ReverseBits, arg(0)),
            Builtin::SwapBytes => self.swap_bytes(arg(0)),
            Builtin::IsPowerOfTwo => {
                let ones = self.count(IrUnary::PopCount, arg(0));
                let one = self.b.constant(Type::I32, 1);
                self.b.int_compare(IntCond::Eq, ones, one)
            }
            other => unreachable!("`call` sends only functions of numbers here, not {other:?}"),
        }
    }

    fn compare_with_infinity(&mut self, cond: FloatCond, value: Value, ty: Scalar) -> Value {
        let magnitude = self.b.unary(IrUnary::FAbs, value);
        let infinity = self.number(ty, f64::INFINITY);
        self.b.float_compare(cond, magnitude, infinity)
    }

    /// A count as the `u32` that Rust gives.
    fn count(&mut self, op: IrUnary, value: Value) -> Value {
        let count = self.b.unary(op, value);
        self.resize(count, Scalar::U32, Type::I32)
    }

    fn shift(&mut self, op: Op, value: Value, amount: Value) -> Value {
        let amount = self.resize(amount, Scalar::U32, self.b.ty(value));
        self.b.binary(op, value, amount)
    }

    /// The high half of a product; of one that fits 32 bits it is taken from there.
    fn mul_hi(&mut self, op: Op, a: Value, b: Value, scalar: Scalar) -> Value {
        let ty = self.b.ty(a);
        if matches!(ty, Type::I32 | Type::I64) {
            return self.b.binary(op, a, b);
        }
        let (a, b) = (self.resize(a, scalar, Type::I32), self.resize(b, scalar, Type::I32));
        let product = self.b.binary(Op::Mul, a, b);
        let width = self.b.constant(Type::I32, scalar.bits().into());
        let high = self.b.binary(Op::LShr, product, width);
        self.b.convert(ConvertOp::Truncate, high, ty)
    }

    /// Two shifts; amounts count modulo the width, so the other way is by the negated amount.
    fn rotate(&mut self, forth: Op, back: Op, value: Value, amount: Value) -> Value {
        let amount = self.resize(amount, Scalar::U32, self.b.ty(value));
        let rest = self.b.unary(IrUnary::Neg, amount);
        let forth = self.b.binary(forth, value, amount);
        let back = self.b.binary(back, value, rest);
        self.b.binary(Op::Or, forth, back)
    }

    fn rotate_by(&mut self, value: Value, amount: u64) -> Value {
        let amount = self.b.constant(Type::I32, amount);
        self.rotate(Op::Shl, Op::LShr, value, amount)
    }

    fn swap_bytes(&mut self, value: Value) -> Value {
        match self.b.ty(value) {
            Type::I16 => self.rotate_by(value, 8),
            Type::I32 => {
                let (even, odd) =
                    (self.b.constant(Type::I32, 0x00ff_00ff), self.b.constant(Type::I32, 0xff00_ff00));
                let left = self.rotate_by(value, 8);
                let left = self.b.binary(Op::And, left, even);
                let right = self.rotate_by(value, 24);
                let right = self.b.binary(Op::And, right, odd);
                self.b.binary(Op::Or, left, right)
            }
            Type::I64 => {
                let half = self.i64(32);
                let low = self.b.convert(ConvertOp::Truncate, value, Type::I32);
                let high = self.b.binary(Op::LShr, value, half);
                let high = self.b.convert(ConvertOp::Truncate, high, Type::I32);
                let (low, high) = (self.swap_bytes(low), self.swap_bytes(high));
                let low = self.b.convert(ConvertOp::ZeroExtend, low, Type::I64);
                let high = self.b.convert(ConvertOp::ZeroExtend, high, Type::I64);
                let low = self.b.binary(Op::Shl, low, half);
                self.b.binary(Op::Or, low, high)
            }
            Type::I8 => value,
            Type::Bool | Type::F32 | Type::F64 | Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => {
                unreachable!("checking admits `swap_bytes` of integers only")
            }
        }
    }
}
