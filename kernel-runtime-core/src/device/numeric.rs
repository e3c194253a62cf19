//! Traits of numbers: the bounds of generic device functions, and the methods that Rust's own types lack.
//!
//! `f32::sin` and its like are Rust's own here, so that a device function also runs on the host outside a kernel. Within a
//! kernel, on the CPU as on the GPU, they are the device library's.

use std::fmt::Debug;
use std::iter::{Product, Sum};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul,
    MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use half::{bf16, f16};

use super::host_math;
use crate::cpu::run::{self, Fused, Half};
use crate::element::Element;

/// Types that reductions and scans add, multiply and compare: numbers, and vectors of them by lane.
pub trait Combine: Element {
    /// The sum; that of integers wraps.
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    /// The product; that of integers wraps.
    #[doc(hidden)]
    fn times(self, other: Self) -> Self;
    /// The lesser of two, as `min` has it on the GPU.
    #[doc(hidden)]
    fn least(self, other: Self) -> Self;
    /// The greater of two, as `max` has it on the GPU.
    #[doc(hidden)]
    fn greatest(self, other: Self) -> Self;
}

/// Types that reductions and scans combine bit by bit: integers, `bool`, and vectors of integers by lane.
pub trait Bits:
    Element + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
}
impl Bits for bool {}

/// Constants of numbers: `T::ZERO` of a `T: Number`. The prelude does not have this trait, so that a trait of the user's may have constants of
/// these names for numbers.
pub trait Constants: Sized {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The least number that is not infinite.
    const MIN: Self;
    /// The greatest number that is not infinite.
    const MAX: Self;
}

/// Integers and floats.
pub trait Number:
    Combine
    + Constants
    + Default
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
    + Sum
    + Product
{
}

/// Declares methods that Rust's own types have under the same name, and forwards to these.
macro_rules! forward {
    (methods $($name:ident($($arg:ident: $argty:ty),*) -> $result:ty;)*) => {$(
        #[doc = concat!("As Rust's `", stringify!($name), "`.")]
        fn $name(self $(, $arg: $argty)*) -> $result;
    )*};
    (halves $ty:ident $($name:ident($($arg:ident: $argty:ty),*) -> $result:ty;)*) => {$(
        fn $name(self $(, $arg: $argty)*) -> $result {
            f64::$name(f64::from(self) $(, $arg.widen())*).narrow()
        }
    )*};
    (impl $ty:ident $($name:ident($($arg:ident: $argty:ty),*) -> $result:ty;)*) => {$(
        fn $name(self $(, $arg: $argty)*) -> $result {
            <$ty>::$name(self $(, $arg)*)
        }
    )*};
}

/// The methods of every integer.
macro_rules! int_methods {
    ($($how:tt)+) => { forward! { $($how)+
        wrapping_add(b: Self) -> Self;
        wrapping_sub(b: Self) -> Self;
        wrapping_mul(b: Self) -> Self;
        wrapping_div(b: Self) -> Self;
        wrapping_rem(b: Self) -> Self;
        wrapping_neg() -> Self;
        wrapping_shl(n: u32) -> Self;
        wrapping_shr(n: u32) -> Self;
        wrapping_pow(n: u32) -> Self;
        pow(n: u32) -> Self;
        overflowing_add(b: Self) -> (Self, bool);
        overflowing_sub(b: Self) -> (Self, bool);
        overflowing_mul(b: Self) -> (Self, bool);
        checked_add(b: Self) -> Option<Self>;
        checked_sub(b: Self) -> Option<Self>;
        checked_mul(b: Self) -> Option<Self>;
        checked_div(b: Self) -> Option<Self>;
        checked_rem(b: Self) -> Option<Self>;
        saturating_add(b: Self) -> Self;
        saturating_sub(b: Self) -> Self;
        saturating_mul(b: Self) -> Self;
        rem_euclid(b: Self) -> Self;
        div_euclid(b: Self) -> Self;
        midpoint(b: Self) -> Self;
        isqrt() -> Self;
        ilog2() -> u32;
        ilog10() -> u32;
        count_ones() -> u32;
        count_zeros() -> u32;
        leading_zeros() -> u32;
        trailing_zeros() -> u32;
        leading_ones() -> u32;
        trailing_ones() -> u32;
        rotate_left(n: u32) -> Self;
        rotate_right(n: u32) -> Self;
        reverse_bits() -> Self;
        swap_bytes() -> Self;
    } };
}

/// The methods of floats that Rust's own have.
macro_rules! float_methods {
    ($($how:tt)+) => { forward! { $($how)+
        sqrt() -> Self;
        abs() -> Self;
        recip() -> Self;
        copysign(sign: Self) -> Self;
        floor() -> Self;
        ceil() -> Self;
        trunc() -> Self;
        round() -> Self;
        round_ties_even() -> Self;
        fract() -> Self;
        signum() -> Self;
        exp() -> Self;
        exp2() -> Self;
        exp_m1() -> Self;
        ln() -> Self;
        log2() -> Self;
        log10() -> Self;
        ln_1p() -> Self;
        log(base: Self) -> Self;
        sin() -> Self;
        cos() -> Self;
        tan() -> Self;
        sin_cos() -> (Self, Self);
        asin() -> Self;
        acos() -> Self;
        atan() -> Self;
        atan2(x: Self) -> Self;
        sinh() -> Self;
        cosh() -> Self;
        tanh() -> Self;
        asinh() -> Self;
        acosh() -> Self;
        atanh() -> Self;
        powf(y: Self) -> Self;
        powi(n: i32) -> Self;
        cbrt() -> Self;
        hypot(y: Self) -> Self;
        to_degrees() -> Self;
        to_radians() -> Self;
        rem_euclid(b: Self) -> Self;
        div_euclid(b: Self) -> Self;
        midpoint(b: Self) -> Self;
        is_nan() -> bool;
        is_infinite() -> bool;
        is_finite() -> bool;
        is_sign_negative() -> bool;
        is_sign_positive() -> bool;
    } };
}

/// Integers.
pub trait Int:
    Number
    + Bits
    + Ord
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + ShlAssign<u32>
    + ShrAssign<u32>
{
    /// The width.
    const BITS: u32;
    /// The high half of the product, CUDA's `__mulhi`.
    fn mul_hi(self, b: Self) -> Self;
    int_methods! { methods }
}

/// Floats.
pub trait Float: Number + Neg<Output = Self> {
    /// ∞.
    const INFINITY: Self;
    /// −∞.
    const NEG_INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// The distance from 1 to the next larger number.
    const EPSILON: Self;
    /// The smallest positive normal number.
    const MIN_POSITIVE: Self;
    /// The lesser of two; the one that is not NaN; −0 is below 0.
    fn min(self, other: Self) -> Self;
    /// The greater of two; the one that is not NaN; −0 is below 0.
    fn max(self, other: Self) -> Self;
    /// self · b + c, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// 10ˣ.
    fn exp10(self) -> Self;
    /// sin πx.
    fn sinpi(self) -> Self;
    /// cos πx.
    fn cospi(self) -> Self;
    /// 1/√x.
    fn rsqrt(self) -> Self;
    /// 1/∛x.
    fn rcbrt(self) -> Self;
    /// √(x² + y² + z²), without overflow on the way.
    fn norm3d(self, y: Self, z: Self) -> Self;
    /// The error function.
    fn erf(self) -> Self;
    /// The complementary error function, 1 − erf x.
    fn erfc(self) -> Self;
    /// The gamma function.
    fn tgamma(self) -> Self;
    /// The logarithm of the gamma function's magnitude.
    fn lgamma(self) -> Self;
    /// x · 2ⁿ, rounded once.
    fn ldexp(self, n: i32) -> Self;
    float_methods! { methods }
}

macro_rules! ints {
    ($wide:ident $($ty:ident)*) => {$(
        impl Number for $ty {}
        impl Constants for $ty {
            const ZERO: $ty = 0;
            const ONE: $ty = 1;
            const MIN: $ty = <$ty>::MIN;
            const MAX: $ty = <$ty>::MAX;
        }
        impl Bits for $ty {}
        impl Combine for $ty {
            fn plus(self, other: $ty) -> $ty {
                <$ty>::wrapping_add(self, other)
            }
            fn times(self, other: $ty) -> $ty {
                <$ty>::wrapping_mul(self, other)
            }
            fn least(self, other: $ty) -> $ty {
                Ord::min(self, other)
            }
            fn greatest(self, other: $ty) -> $ty {
                Ord::max(self, other)
            }
        }
        impl Int for $ty {
            const BITS: u32 = <$ty>::BITS;
            fn mul_hi(self, b: $ty) -> $ty {
                ((self as $wide * b as $wide) >> <$ty>::BITS) as $ty
            }
            int_methods! { impl $ty }
        }
    )*};
}
ints! { i128 i8 i16 i32 i64 isize }
ints! { u128 u8 u16 u32 u64 usize }

/// A value as a function of f64 takes it: halves are computed in f64, and rounded once as what is computed is exact or
/// nearly so.
trait Widen {
    /// That type.
    type Wide;
    /// The value.
    fn widen(self) -> Self::Wide;
}

/// A result of a function of f64 as that of another type.
trait Narrow<T> {
    /// The nearest value.
    fn narrow(self) -> T;
}

macro_rules! conversions {
    ($($ty:ident)*) => {$(
        impl Widen for $ty {
            type Wide = f64;
            fn widen(self) -> f64 {
                self.into()
            }
        }
        impl Narrow<$ty> for f64 {
            fn narrow(self) -> $ty {
                Half::from_f64(self)
            }
        }
        impl Narrow<($ty, $ty)> for (f64, f64) {
            fn narrow(self) -> ($ty, $ty) {
                (self.0.narrow(), self.1.narrow())
            }
        }
    )*};
}
conversions! { f16 bf16 }

impl Widen for i32 {
    type Wide = i32;
    fn widen(self) -> i32 {
        self
    }
}

impl Narrow<bool> for bool {
    fn narrow(self) -> bool {
        self
    }
}

/// Functions of one argument by those of f64.
macro_rules! forward_wide {
    (|$value:ident| $narrow:expr, $ty:ident $($name:ident: $function:path;)*) => {$(
        fn $name(self) -> $ty {
            let $value = $function(self.into());
            $narrow
        }
    )*};
}

macro_rules! floats {
    ($($how:ident $ty:ident $zero:expr, $one:expr, |$value:ident| $narrow:expr;)*) => {$(
        impl Number for $ty {}
        impl Constants for $ty {
            const ZERO: $ty = $zero;
            const ONE: $ty = $one;
            const MIN: $ty = <$ty>::MIN;
            const MAX: $ty = <$ty>::MAX;
        }
        impl Combine for $ty {
            fn plus(self, other: $ty) -> $ty {
                self + other
            }
            fn times(self, other: $ty) -> $ty {
                self * other
            }
            fn least(self, other: $ty) -> $ty {
                run::min(self, other)
            }
            fn greatest(self, other: $ty) -> $ty {
                run::max(self, other)
            }
        }
        impl Float for $ty {
            const INFINITY: $ty = <$ty>::INFINITY;
            const NEG_INFINITY: $ty = <$ty>::NEG_INFINITY;
            const NAN: $ty = <$ty>::NAN;
            const EPSILON: $ty = <$ty>::EPSILON;
            const MIN_POSITIVE: $ty = <$ty>::MIN_POSITIVE;
            fn min(self, other: $ty) -> $ty {
                run::min(self, other)
            }
            fn max(self, other: $ty) -> $ty {
                run::max(self, other)
            }
            fn mul_add(self, b: $ty, c: $ty) -> $ty {
                self.fma(b, c)
            }
            fn rsqrt(self) -> $ty {
                <$ty as Constants>::ONE / Float::sqrt(self)
            }
            fn rcbrt(self) -> $ty {
                <$ty as Constants>::ONE / Float::cbrt(self)
            }
            fn norm3d(self, y: $ty, z: $ty) -> $ty {
                let $value = f64::from(self).hypot(y.into()).hypot(z.into());
                $narrow
            }
            fn ldexp(self, n: i32) -> $ty {
                let $value = libm::ldexp(self.into(), n);
                $narrow
            }
            forward_wide! { |$value| $narrow, $ty
                exp10: libm::exp10;
                sinpi: host_math::sinpi;
                cospi: host_math::cospi;
                erf: libm::erf;
                erfc: libm::erfc;
                tgamma: libm::tgamma;
                lgamma: libm::lgamma;
            }
            float_methods! { $how $ty }
        }
    )*};
}

floats! {
    impl f32 0.0, 1.0, |value| value as f32;
    impl f64 0.0, 1.0, |value| value;
    halves f16 f16::ZERO, f16::ONE, |value| Half::from_f64(value);
    halves bf16 bf16::ZERO, bf16::ONE, |value| Half::from_f64(value);
}
