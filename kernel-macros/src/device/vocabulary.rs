//! What the language offers to generic code, for rustc: the files of the library name it, the compiler has its own.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Rem, Sub};

pub use kernel_runtime::device::{Scalar, barrier, block_dim, shared, thread_idx, warp};

/// Integers and floats.
pub trait Number:
    Scalar
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    const MIN: Self;
    const MAX: Self;
}

/// Floats.
pub trait Float: Number {
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
}

/// Integers.
pub trait Int:
    Number + Ord + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    const BITS: u32;
    fn wrapping_add(self, b: Self) -> Self;
    fn wrapping_sub(self, b: Self) -> Self;
    fn wrapping_mul(self, b: Self) -> Self;
    fn wrapping_shl(self, n: u32) -> Self;
    fn wrapping_shr(self, n: u32) -> Self;
    fn leading_zeros(self) -> u32;
    fn trailing_zeros(self) -> u32;
    /// The high half of the product.
    fn mul_hi(self, b: Self) -> Self;
}

macro_rules! numbers {
    ($zero:literal $one:literal $($ty:ident)*) => {$(
        impl Number for $ty {
            const ZERO: $ty = $zero;
            const ONE: $ty = $one;
            const MIN: $ty = $ty::MIN;
            const MAX: $ty = $ty::MAX;
        }
    )*};
}
numbers! { 0 1 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
numbers! { 0.0 1.0 f32 f64 }

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Float for $ty {
            fn min(self, other: $ty) -> $ty {
                kernel_runtime::device::ops::min(self, other)
            }
            fn max(self, other: $ty) -> $ty {
                kernel_runtime::device::ops::max(self, other)
            }
        }
    )*};
}
floats! { f32 f64 }

macro_rules! ints {
    ($wide:ident $($ty:ident)*) => {$(
        impl Int for $ty {
            const BITS: u32 = $ty::BITS;
            fn wrapping_add(self, b: $ty) -> $ty {
                self.wrapping_add(b)
            }
            fn wrapping_sub(self, b: $ty) -> $ty {
                self.wrapping_sub(b)
            }
            fn wrapping_mul(self, b: $ty) -> $ty {
                self.wrapping_mul(b)
            }
            fn wrapping_shl(self, n: u32) -> $ty {
                self.wrapping_shl(n)
            }
            fn wrapping_shr(self, n: u32) -> $ty {
                self.wrapping_shr(n)
            }
            fn leading_zeros(self) -> u32 {
                self.leading_zeros()
            }
            fn trailing_zeros(self) -> u32 {
                self.trailing_zeros()
            }
            fn mul_hi(self, b: $ty) -> $ty {
                ((self as $wide * b as $wide) >> $ty::BITS) as $ty
            }
        }
    )*};
}
ints! { i128 i8 i16 i32 i64 isize }
ints! { u128 u8 u16 u32 u64 usize }
