//! The exact result of an operation on constants, given and returned as bits.
//!
//! None where there is no result (division by zero), or where it is a NaN, whose bits the device chooses, or an
//! approximation, whose error is its own.

use crate::half;
use crate::operators::{BinaryOp, ConvertOp, FloatCond, IntCond, UnaryOp};
use crate::types::Type;

/// The signed number with these bits.
pub fn signed(ty: Type, bits: u64) -> i64 {
    let shift = 64 - ty.bits();
    ((bits << shift) as i64) >> shift
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn f32_bits(value: f32) -> Option<u64> {
    (!value.is_nan()).then_some(value.to_bits().into())
}

fn f64_bits(value: f64) -> Option<u64> {
    (!value.is_nan()).then_some(value.to_bits())
}

/// An operation on one value.
pub fn unary(op: UnaryOp, ty: Type, a: u64) -> Option<u64> {
    match ty {
        Type::F16 | Type::BF16 => {
            // Exact, or rounded twice where that does no harm: half the digits and less.
            half_bits(ty, float_unary(op, half::widen(ty, a), f64::sqrt, f64::abs)?)
        }
        Type::F16x2 | Type::BF16x2 => lanes(ty, [a], |ty, [a]| unary(op, ty, a)),
        Type::F32 => float_unary(op, f32_of(a), f32::sqrt, f32::abs).and_then(f32_bits),
        Type::F64 => float_unary(op, f64::from_bits(a), f64::sqrt, f64::abs).and_then(f64_bits),
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 => int_unary(op, ty, a),
    }
}

fn half_bits(ty: Type, value: f64) -> Option<u64> {
    (!value.is_nan()).then(|| half::narrow(ty, value))
}

/// An operation on each lane of pairs.
fn lanes<const N: usize>(
    ty: Type,
    args: [u64; N],
    on_lane: impl Fn(Type, [u64; N]) -> Option<u64>,
) -> Option<u64> {
    let lane = ty.lane()?;
    let [low, high] = [0, 16].map(|shift| on_lane(lane, args.map(|bits| bits >> shift & 0xffff)));
    Some(high? << 16 | low?)
}

/// The sum, its last bit set if it is not exact: it then rounds to half the digits as the exact sum would.
fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    // The rounding error (Knuth's "TwoSum").
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    if error > 0.0 { sum.next_up() } else { sum.next_down() }
}

/// An operation on floats of 16 bits.
fn half_binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> Option<u64> {
    let [x, y] = [a, b].map(|bits| half::widen(ty, bits));
    match op {
        // The sign of a NaN counts too.
        BinaryOp::CopySign => Some(a & 0x7fff | b & 0x8000),
        BinaryOp::FAdd => half_bits(ty, sum_to_odd(x, y)),
        BinaryOp::FSub => half_bits(ty, sum_to_odd(x, -y)),
        // Exact, or rounded twice without harm.
        other => half_bits(ty, f64_binary(other, x, y)?),
    }
}

/// Rounding functions of both float types.
trait Float: Copy + std::ops::Neg<Output = Self> {
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round_ties_even(self) -> Self;
}

macro_rules! impl_float {
    ($($ty:ident)*) => {$(
        impl Float for $ty {
            fn floor(self) -> Self { $ty::floor(self) }
            fn ceil(self) -> Self { $ty::ceil(self) }
            fn trunc(self) -> Self { $ty::trunc(self) }
            fn round_ties_even(self) -> Self { $ty::round_ties_even(self) }
        }
    )*};
}
impl_float!(f32 f64);

fn float_unary<F: Float>(op: UnaryOp, a: F, sqrt: fn(F) -> F, abs: fn(F) -> F) -> Option<F> {
    match op {
        UnaryOp::FNeg => Some(-a),
        UnaryOp::FAbs => Some(abs(a)),
        UnaryOp::Sqrt => Some(sqrt(a)),
        UnaryOp::Floor => Some(a.floor()),
        UnaryOp::Ceil => Some(a.ceil()),
        UnaryOp::Trunc => Some(a.trunc()),
        UnaryOp::RoundEven => Some(a.round_ties_even()),
        UnaryOp::Neg
        | UnaryOp::Not
        | UnaryOp::LeadingZeros
        | UnaryOp::TrailingZeros
        | UnaryOp::PopCount
        | UnaryOp::ReverseBits => None,
        // As the hardware has them.
        UnaryOp::SinApprox
        | UnaryOp::CosApprox
        | UnaryOp::Exp2Approx
        | UnaryOp::Exp2Flushed
        | UnaryOp::Log2Approx
        | UnaryOp::RcpApprox
        | UnaryOp::RcpFlushed
        | UnaryOp::Saturate
        | UnaryOp::RsqrtApprox
        | UnaryOp::SqrtApprox
        | UnaryOp::TanhApprox => None,
    }
}

fn int_unary(op: UnaryOp, ty: Type, a: u64) -> Option<u64> {
    let (bits, mask) = (ty.bits(), ty.mask());
    let result = match op {
        UnaryOp::Neg => a.wrapping_neg(),
        UnaryOp::Not => !a,
        UnaryOp::LeadingZeros => u64::from(a.leading_zeros() - (64 - bits)),
        UnaryOp::TrailingZeros => u64::from(a.trailing_zeros().min(bits)),
        UnaryOp::PopCount => u64::from(a.count_ones()),
        UnaryOp::ReverseBits => a.reverse_bits() >> (64 - bits),
        UnaryOp::FNeg
        | UnaryOp::FAbs
        | UnaryOp::Sqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundEven
        | UnaryOp::SinApprox
        | UnaryOp::CosApprox
        | UnaryOp::Exp2Approx
        | UnaryOp::Exp2Flushed
        | UnaryOp::Log2Approx
        | UnaryOp::RcpApprox
        | UnaryOp::RcpFlushed
        | UnaryOp::Saturate
        | UnaryOp::RsqrtApprox
        | UnaryOp::SqrtApprox
        | UnaryOp::TanhApprox => return None,
    };
    Some(result & mask)
}

/// An operation on two values.
pub fn binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> Option<u64> {
    match ty {
        Type::F16 | Type::BF16 => half_binary(op, ty, a, b),
        Type::F16x2 | Type::BF16x2 => lanes(ty, [a, b], |ty, [a, b]| binary(op, ty, a, b)),
        Type::F32 => f32_binary(op, f32_of(a), f32_of(b)).and_then(f32_bits),
        Type::F64 => f64_binary(op, f64::from_bits(a), f64::from_bits(b)).and_then(f64_bits),
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 => int_binary(op, ty, a, b),
    }
}

macro_rules! float_binary {
    ($name:ident, $ty:ident) => {
        fn $name(op: BinaryOp, a: $ty, b: $ty) -> Option<$ty> {
            // Of equal numbers only zeros differ; −0 is below +0.
            let below = |a: $ty, b: $ty| a < b || a == b && a.is_sign_negative();
            Some(match op {
                BinaryOp::FAdd => a + b,
                BinaryOp::FSub => a - b,
                BinaryOp::FMul => a * b,
                BinaryOp::FDiv => a / b,
                BinaryOp::FMin | BinaryOp::FMax if a.is_nan() => b,
                BinaryOp::FMin | BinaryOp::FMax if b.is_nan() => a,
                BinaryOp::FMin => {
                    if below(a, b) {
                        a
                    } else {
                        b
                    }
                }
                BinaryOp::FMax => {
                    if below(a, b) {
                        b
                    } else {
                        a
                    }
                }
                BinaryOp::CopySign => a.copysign(b),
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::UMulHigh
                | BinaryOp::SMulHigh
                | BinaryOp::UDiv
                | BinaryOp::SDiv
                | BinaryOp::URem
                | BinaryOp::SRem
                | BinaryOp::UMin
                | BinaryOp::SMin
                | BinaryOp::UMax
                | BinaryOp::SMax
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::LShr
                | BinaryOp::AShr
                | BinaryOp::FDivApprox => return None,
            })
        }
    };
}
float_binary!(f32_binary, f32);
float_binary!(f64_binary, f64);

fn int_binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> Option<u64> {
    let (bits, mask) = (ty.bits(), ty.mask());
    let (signed_a, signed_b) = (signed(ty, a), signed(ty, b));
    let amount = (b % u64::from(bits)) as u32;
    let overflows = signed_b == -1 && a == 1 << (bits - 1);
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UMulHigh => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        BinaryOp::SMulHigh => ((i128::from(signed_a) * i128::from(signed_b)) >> bits) as u64,
        BinaryOp::UDiv => a.checked_div(b)?,
        BinaryOp::URem => a.checked_rem(b)?,
        BinaryOp::SDiv | BinaryOp::SRem if overflows => return None,
        BinaryOp::SDiv => signed_a.checked_div(signed_b)? as u64,
        BinaryOp::SRem => signed_a.checked_rem(signed_b)? as u64,
        BinaryOp::UMin => a.min(b),
        BinaryOp::UMax => a.max(b),
        BinaryOp::SMin => signed_a.min(signed_b) as u64,
        BinaryOp::SMax => signed_a.max(signed_b) as u64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << amount,
        BinaryOp::LShr => a >> amount,
        BinaryOp::AShr => (signed_a >> amount) as u64,
        BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FMin
        | BinaryOp::FMax
        | BinaryOp::CopySign
        | BinaryOp::FDivApprox => return None,
    };
    Some(result & mask)
}

/// `a * b + c`, rounded once.
pub fn fma(ty: Type, [a, b, c]: [u64; 3]) -> Option<u64> {
    match ty {
        Type::F16 | Type::BF16 => {
            let [a, b, c] = [a, b, c].map(|bits| half::widen(ty, bits));
            // The product is exact.
            half_bits(ty, sum_to_odd(a * b, c))
        }
        Type::F16x2 | Type::BF16x2 => lanes(ty, [a, b, c], fma),
        Type::F32 => f32_bits(f32_of(a).mul_add(f32_of(b), f32_of(c))),
        Type::F64 => f64_bits(f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c))),
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 => None,
    }
}

/// A comparison of integers of type `ty`.
pub fn int_compare(cond: IntCond, ty: Type, a: u64, b: u64) -> bool {
    let (signed_a, signed_b) = (signed(ty, a), signed(ty, b));
    match cond {
        IntCond::Eq => a == b,
        IntCond::Ne => a != b,
        IntCond::ULt => a < b,
        IntCond::ULe => a <= b,
        IntCond::UGt => a > b,
        IntCond::UGe => a >= b,
        IntCond::SLt => signed_a < signed_b,
        IntCond::SLe => signed_a <= signed_b,
        IntCond::SGt => signed_a > signed_b,
        IntCond::SGe => signed_a >= signed_b,
    }
}

/// The number with these bits: every float is an `f64`.
fn float_of(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F32 => f64::from(f32_of(bits)),
        Type::F16 | Type::BF16 => half::widen(ty, bits),
        Type::F64 => f64::from_bits(bits),
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F16x2 | Type::BF16x2 => {
            unreachable!("verified: `{ty}` is no float")
        }
    }
}

/// A comparison of floats of type `ty`.
pub fn float_compare(cond: FloatCond, ty: Type, a: u64, b: u64) -> bool {
    let (a, b) = (float_of(ty, a), float_of(ty, b));
    match cond {
        FloatCond::Eq => a == b,
        FloatCond::Ne => a != b,
        FloatCond::Lt => a < b,
        FloatCond::Le => a <= b,
        FloatCond::Gt => a > b,
        FloatCond::Ge => a >= b,
    }
}

/// A conversion.
pub fn convert(op: ConvertOp, from: Type, to: Type, a: u64) -> Option<u64> {
    match op {
        ConvertOp::ZeroExtend => Some(a),
        ConvertOp::SignExtend | ConvertOp::IndexExtend => Some(signed(from, a) as u64 & to.mask()),
        ConvertOp::Truncate => Some(a & to.mask()),
        // Casts of Rust round to nearest even, saturate, and send NaN to 0. From shorter floats through f64 is exact.
        ConvertOp::UIntToFloat => int_to_float(to, a.into()),
        ConvertOp::SIntToFloat => int_to_float(to, signed(from, a).into()),
        ConvertOp::FloatToUInt => Some((float_of(from, a) as u64).min(to.mask())),
        ConvertOp::FloatToSInt => {
            let max = (to.mask() >> 1) as i64;
            Some((float_of(from, a) as i64).clamp(-max - 1, max) as u64 & to.mask())
        }
        ConvertOp::FloatToFloat => match to {
            Type::F32 => f32_bits(float_of(from, a) as f32),
            Type::F16 | Type::BF16 => half_bits(to, float_of(from, a)),
            _ => f64_bits(float_of(from, a)),
        },
        ConvertOp::Bitcast => Some(a),
    }
}

/// The float next to an integer.
fn int_to_float(to: Type, value: i128) -> Option<u64> {
    match to {
        Type::F32 => f32_bits(value as f32),
        Type::F16 | Type::BF16 => {
            // In two exact parts.
            let low = value & 0xffff_ffff;
            half_bits(to, sum_to_odd((value - low) as f64, low as f64))
        }
        _ => f64_bits(value as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(binary(BinaryOp::Add, Type::I8, 200, 100), Some(44));
        assert_eq!(binary(BinaryOp::SMulHigh, Type::I8, 0x80, 0x80), Some(0x40));
        assert_eq!(binary(BinaryOp::SDiv, Type::I8, 0x80, 0xff), None);
        assert_eq!(binary(BinaryOp::SDiv, Type::I8, 0xf9, 2), Some(0xfd));
        assert_eq!(binary(BinaryOp::SRem, Type::I8, 0xf9, 2), Some(0xff));
        assert_eq!(binary(BinaryOp::URem, Type::I64, 1, 0), None);
        assert_eq!(binary(BinaryOp::Shl, Type::I32, 1, 33), Some(2));
        assert_eq!(binary(BinaryOp::AShr, Type::I16, 0x8000, 15), Some(0xffff));
        assert_eq!(unary(UnaryOp::LeadingZeros, Type::I16, 0), Some(16));
        assert_eq!(unary(UnaryOp::TrailingZeros, Type::I8, 0), Some(8));
        assert_eq!(unary(UnaryOp::ReverseBits, Type::I8, 1), Some(0x80));
        assert_eq!(unary(UnaryOp::Not, Type::Bool, 0), Some(1));
    }

    #[test]
    fn floats_have_no_nan_results() {
        let bits = |value: f32| u64::from(value.to_bits());
        let nan = bits(f32::NAN);
        assert_eq!(binary(BinaryOp::FDiv, Type::F32, bits(0.0), bits(0.0)), None);
        assert_eq!(binary(BinaryOp::FMin, Type::F32, nan, bits(1.0)), Some(bits(1.0)));
        assert_eq!(binary(BinaryOp::FMin, Type::F32, nan, nan), None);
        assert_eq!(binary(BinaryOp::FMin, Type::F32, bits(0.0), bits(-0.0)), Some(bits(-0.0)));
        assert_eq!(binary(BinaryOp::FMax, Type::F32, bits(0.0), bits(-0.0)), Some(bits(0.0)));
        assert_eq!(binary(BinaryOp::FMax, Type::F32, bits(-0.0), bits(0.0)), Some(bits(0.0)));
        assert_eq!(unary(UnaryOp::Sqrt, Type::F32, bits(-1.0)), None);
        assert_eq!(fma(Type::F32, [1.5f32, 2.0, 0.25].map(bits)), Some(bits(3.25)));
    }

    /// Every pair of some numbers of each kind, in every operation: as the nearest to the exact result.
    #[test]
    fn short_floats_round_once() {
        let f16 = |value| half::narrow(Type::F16, value);
        // 1 + 2^-11 is a tie; what is added far below decides.
        let args = [f16(1.0), f16(1.0 + 2f64.powi(-10)), f16(2f64.powi(-24))];
        assert_eq!(fma(Type::F16, args), Some(f16(1.0 + 2f64.powi(-10))));
        let tie = [f16(2f64.powi(-11)), f16(1.0), f16(1.0)];
        assert_eq!(fma(Type::F16, tie), Some(f16(1.0)));
        let bf16 = |value| half::narrow(Type::BF16, value);
        // (1 + 2^-4)² = 1.125 + 2^-8 is a tie of `bf16`, which `f64` cannot distinguish from a sum a little above or below.
        let (factor, tiny) = (bf16(1.0625), 2f64.powi(-120));
        let sum = |summand| fma(Type::BF16, [factor, factor, bf16(summand)]);
        assert_eq!([0.0, -tiny, tiny].map(sum), [1.125, 1.125, 1.1328125].map(|sum| Some(bf16(sum))));
        let sum = |summand| binary(BinaryOp::FAdd, Type::BF16, bf16(1.0), bf16(summand));
        assert_eq!([2f64.powi(-8), 2f64.powi(-7)].map(sum), [1.0, 1.0078125].map(|sum| Some(bf16(sum))));
        assert_eq!(binary(BinaryOp::FDiv, Type::F16, f16(1.0), f16(3.0)), Some(0x3555));
        assert_eq!(unary(UnaryOp::Sqrt, Type::F16, f16(2.0)), Some(0x3da8));
        assert_eq!(binary(BinaryOp::FAdd, Type::F16x2, 0x3c00_4000, 0x3c00_3c00), Some(0x4000_4200));
        assert_eq!(unary(UnaryOp::FNeg, Type::BF16x2, 0x8000_3f80), Some(0x0000_bf80));
        assert_eq!(
            convert(ConvertOp::UIntToFloat, Type::I64, Type::BF16, (1 << 62) + (1 << 54) + 1),
            Some(0x5e81)
        );
        assert_eq!(convert(ConvertOp::SIntToFloat, Type::I32, Type::F16, 0xffff_ffff), Some(f16(-1.0)));
        assert_eq!(convert(ConvertOp::FloatToSInt, Type::F16, Type::I8, f16(-200.5)), Some(0x80));
        assert_eq!(convert(ConvertOp::FloatToFloat, Type::F64, Type::BF16, 0.1f64.to_bits()), Some(0x3dcd));
    }

    #[test]
    fn conversions_are_those_of_rust() {
        let bits = |value: f32| u64::from(value.to_bits());
        for value in
            [0.0f32, -0.5, 1.5, 255.9, 256.0, -128.5, -129.0, 3e9, -3e9, 1e20, f32::NAN, f32::INFINITY]
        {
            let unsigned = |to| convert(ConvertOp::FloatToUInt, Type::F32, to, bits(value));
            let with_sign = |to| convert(ConvertOp::FloatToSInt, Type::F32, to, bits(value));
            assert_eq!(unsigned(Type::I8), Some((value as u8).into()), "{value}");
            assert_eq!(unsigned(Type::I32), Some((value as u32).into()), "{value}");
            assert_eq!(unsigned(Type::I64), Some(value as u64), "{value}");
            assert_eq!(with_sign(Type::I8), Some((value as i8 as u8).into()), "{value}");
            assert_eq!(with_sign(Type::I32), Some((value as i32 as u32).into()), "{value}");
            assert_eq!(with_sign(Type::I64), Some(value as i64 as u64), "{value}");
        }
        assert_eq!(convert(ConvertOp::SIntToFloat, Type::I8, Type::F32, 0xff), Some(bits(-1.0)));
        assert_eq!(
            convert(ConvertOp::UIntToFloat, Type::I64, Type::F32, u64::MAX),
            Some(bits(u64::MAX as f32))
        );
    }
}
