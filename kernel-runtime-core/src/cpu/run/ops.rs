//! Operations whose results on the GPU differ in something from those of Rust's own of the same name.

use half::{bf16, f16};

use crate::device::{Lane, Vector, half_from_f64};

/// Floats and vectors, by lane.
pub trait Float: Copy {
    /// The smaller one.
    fn min(self, other: Self) -> Self;
    /// The larger one.
    fn max(self, other: Self) -> Self;
    /// Returns true if it is not a number; false for vectors.
    fn is_nan(self) -> bool;
}

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Float for $ty {
            fn min(self, b: $ty) -> $ty {
                if $ty::is_nan(self) || b < self || (self == b && b.is_sign_negative()) { b } else { self }
            }
            fn max(self, b: $ty) -> $ty {
                if $ty::is_nan(self) || b > self || (self == b && self.is_sign_negative()) { b } else { self }
            }
            fn is_nan(self) -> bool {
                $ty::is_nan(self)
            }
        }
    )*};
}
floats! { f16 bf16 f32 f64 }

impl<V: Vector> Float for V {
    fn min(self, other: V) -> V {
        self.zip(other, Lane::lane_min)
    }
    fn max(self, other: V) -> V {
        self.zip(other, Lane::lane_max)
    }
    fn is_nan(self) -> bool {
        false
    }
}

/// `f16` and `bf16`.
pub trait Half: Sized {
    /// The nearest value, ties to even; rounded once.
    fn from_f64(value: f64) -> Self;
}

macro_rules! halves {
    ($($ty:ident $mantissa:literal $exponent:literal;)*) => {$(
        impl Half for $ty {
            fn from_f64(value: f64) -> $ty {
                $ty::from_bits(half_from_f64(value, $mantissa, $exponent))
            }
        }
    )*};
}
halves! {
    f16 10 15;
    bf16 7 127;
}

/// Types with a fused multiply-add.
pub trait Fused: Copy {
    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
}

impl Fused for f32 {
    fn fma(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
}

impl Fused for f64 {
    fn fma(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
}

impl Fused for f16 {
    fn fma(self, b: f16, c: f16) -> f16 {
        Half::from_f64(fused_to_odd(self.to_f64(), b.to_f64(), c.to_f64()))
    }
}

impl Fused for bf16 {
    fn fma(self, b: bf16, c: bf16) -> bf16 {
        Half::from_f64(fused_to_odd(self.to_f64(), b.to_f64(), c.to_f64()))
    }
}

impl<V: Vector<Lane: Fused>> Fused for V {
    fn fma(self, b: V, c: V) -> V {
        let mut lanes = self.zip(b, |a, _| a);
        for index in 0..V::LANES {
            let value = self.lane(index).fma(b.lane(index), c.lane(index));
            lanes.set_lane(index, value);
        }
        lanes
    }
}

/// `a * b + c`, where the product is exact, rounded to odd: rounding the result once more to fewer digits is then as if
/// there had been one rounding only (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
fn fused_to_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() {
        return sum;
    }
    // The rounding error of the sum (Knuth's TwoSum).
    let c_part = sum - product;
    let lost = (product - (sum - c_part)) + (c - c_part);
    if lost == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (lost > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// The operand that is not NaN, or the smaller one; −0 is below +0 (PTX ISA, `min`). Of vectors by lane.
pub fn min<T: Float>(a: T, b: T) -> T {
    a.min(b)
}

/// The operand that is not NaN, or the larger one; −0 is below +0 (PTX ISA, `max`). Of vectors by lane.
pub fn max<T: Float>(a: T, b: T) -> T {
    a.max(b)
}

/// `max` with `low`, then `min` with `high`; NaN stays.
pub fn clamp<T: Float>(value: T, low: T, high: T) -> T {
    if value.is_nan() { value } else { min(max(value, low), high) }
}

/// `max` with `low`, then `min` with `high`.
pub fn clamp_int<T: Ord>(value: T, low: T, high: T) -> T {
    value.max(low).min(high)
}

/// `a * b + c`, rounded once. Of vectors by lane.
pub fn mul_add<T: Fused>(a: T, b: T, c: T) -> T {
    a.fma(b, c)
}

/// [`mul_add`] with the summand evaluated first: what `c + a * b` becomes.
pub fn add_mul<T: Fused>(c: T, a: T, b: T) -> T {
    a.fma(b, c)
}

/// Types that `sum` and `product` take.
pub trait Summand: Copy {
    /// The identity of a sum: −0.0 for floats, as in Rust.
    const ZERO: Self;
    /// The identity of a product.
    const ONE: Self;
    /// The sum; of integers it wraps.
    fn plus(self, other: Self) -> Self;
    /// The product; of integers it wraps.
    fn times(self, other: Self) -> Self;
}

macro_rules! summands {
    (ints: $($int:ident)*; floats: $($float:ident $zero:expr, $one:expr;)*) => {
        $(impl Summand for $int {
            const ZERO: $int = 0;
            const ONE: $int = 1;
            fn plus(self, other: $int) -> $int { self.wrapping_add(other) }
            fn times(self, other: $int) -> $int { self.wrapping_mul(other) }
        })*
        $(impl Summand for $float {
            const ZERO: $float = $zero;
            const ONE: $float = $one;
            fn plus(self, other: $float) -> $float { self + other }
            fn times(self, other: $float) -> $float { self * other }
        })*
    };
}
summands! {
    ints: i8 i16 i32 i64 isize u8 u16 u32 u64 usize;
    floats:
        f16 f16::NEG_ZERO, f16::ONE;
        bf16 bf16::NEG_ZERO, bf16::ONE;
        f32 -0.0, 1.0;
        f64 -0.0, 1.0;
}

/// The sum of all, in order.
pub fn sum<T: Summand>(values: impl Iterator<Item = T>) -> T {
    values.fold(T::ZERO, T::plus)
}

/// The product of all, in order.
pub fn product<T: Summand>(values: impl Iterator<Item = T>) -> T {
    values.fold(T::ONE, T::times)
}

/// The argument of `step_by`, checked here so that the panic's place is the kernel's and not the standard library's.
///
/// # Panics
/// If it is zero, with the message of `step_by`.
#[track_caller]
pub fn step(step: usize) -> usize {
    assert!(step != 0, "assertion failed: step != 0");
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_and_maximum_are_those_of_ptx() {
        assert_eq!(min(f32::NAN, 1.0), 1.0);
        assert_eq!(min(1.0, f32::NAN), 1.0);
        assert_eq!(max(f64::NAN, -1.0), -1.0);
        assert!(min(f32::NAN, f32::NAN).is_nan());
        assert!(min(0.0f32, -0.0).is_sign_negative() && min(-0.0f32, 0.0).is_sign_negative());
        assert!(max(0.0f32, -0.0).is_sign_positive() && max(-0.0f32, 0.0).is_sign_positive());
        assert_eq!((min(2.0f32, 3.0), max(2.0f64, 3.0)), (2.0, 3.0));
    }

    #[test]
    fn clamping_keeps_nan_and_prefers_the_upper_end() {
        assert!(clamp(f32::NAN, 0.0, 1.0).is_nan());
        assert_eq!(clamp(5.0f32, 0.0, 1.0), 1.0);
        assert_eq!(clamp(0.5f32, 2.0, 1.0), 1.0);
    }

    #[test]
    fn sums_of_halves_round_once() {
        // 1 + 2⁻¹¹ + a little: rounding the product first would end at the tie and go to even.
        let (a, b, c) = (f16::from_f32(1.0 + 2f32.powi(-10)), f16::from_f32(2f32.powi(-11)), f16::ONE);
        assert_eq!(mul_add(a, b, c).to_f64(), 1.0 + 2f64.powi(-10));
        // Far apart: the product is beyond all digits of the sum, yet breaks the tie.
        let tiny = f16::from_bits(1);
        let tie = f16::from_f32(2048.0);
        assert_eq!(mul_add(tiny, tiny, tie).to_f64(), 2048.0);
        assert_eq!(<f16 as Half>::from_f64(65519.9), f16::MAX);
        assert_eq!(<f16 as Half>::from_f64(65520.0), f16::INFINITY);
        // Between two values of f32, which would round it to the tie first.
        let above_tie = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(<f16 as Half>::from_f64(above_tie).to_f64(), 1.0 + 2f64.powi(-10));
    }
}
