//! Operators on integers that panic when they overflow, with Rust's messages, whatever the program is built with: for
//! kernels with `checks(overflow)`.

use super::ops::Summand;
use crate::device::Vector;

/// Integers and vectors of them.
pub trait Checked: Copy {
    /// The sum.
    fn add(self, other: Self) -> Option<Self>;
    /// The difference.
    fn sub(self, other: Self) -> Option<Self>;
    /// The product.
    fn mul(self, other: Self) -> Option<Self>;
    /// The negative.
    fn neg(self) -> Option<Self>;
    /// The magnitude.
    fn abs(self) -> Option<Self>;
}

/// Types that can be shifted.
pub trait Shift: Copy {
    /// To the left.
    fn shl(self, amount: u32) -> Option<Self>;
    /// To the right.
    fn shr(self, amount: u32) -> Option<Self>;
}

/// Types of a shift amount.
pub trait Amount: Copy {
    /// The amount; one that no type is wide enough for if it is negative.
    fn amount(self) -> u32;
}

macro_rules! integers {
    ($($ty:ident |$value:ident| $abs:expr;)*) => {$(
        impl Checked for $ty {
            fn add(self, other: $ty) -> Option<$ty> { self.checked_add(other) }
            fn sub(self, other: $ty) -> Option<$ty> { self.checked_sub(other) }
            fn mul(self, other: $ty) -> Option<$ty> { self.checked_mul(other) }
            fn neg(self) -> Option<$ty> { self.checked_neg() }
            fn abs(self) -> Option<$ty> { let $value = self; $abs }
        }

        impl Shift for $ty {
            fn shl(self, amount: u32) -> Option<$ty> { self.checked_shl(amount) }
            fn shr(self, amount: u32) -> Option<$ty> { self.checked_shr(amount) }
        }

        impl Amount for $ty {
            fn amount(self) -> u32 { u32::try_from(self).unwrap_or(u32::MAX) }
        }

        impl Total for $ty {
            fn total(self, other: $ty) -> Option<$ty> { self.checked_add(other) }
            fn times_all(self, other: $ty) -> Option<$ty> { self.checked_mul(other) }
        }
    )*};
}
integers! {
    i8 |v| v.checked_abs(); i16 |v| v.checked_abs(); i32 |v| v.checked_abs(); i64 |v| v.checked_abs();
    isize |v| v.checked_abs();
    u8 |v| Some(v); u16 |v| Some(v); u32 |v| Some(v); u64 |v| Some(v); usize |v| Some(v);
}

/// Each lane of two vectors, if all have a result.
fn lanes<V: Vector>(a: V, b: V, op: impl Fn(V::Lane, V::Lane) -> Option<V::Lane>) -> Option<V> {
    let mut result = a;
    for index in 0..V::LANES {
        result.set_lane(index, op(a.lane(index), b.lane(index))?);
    }
    Some(result)
}

impl<V: Vector<Lane: Checked>> Checked for V {
    fn add(self, other: V) -> Option<V> {
        lanes(self, other, Checked::add)
    }
    fn sub(self, other: V) -> Option<V> {
        lanes(self, other, Checked::sub)
    }
    fn mul(self, other: V) -> Option<V> {
        lanes(self, other, Checked::mul)
    }
    fn neg(self) -> Option<V> {
        lanes(self, self, |lane, _| lane.neg())
    }
    fn abs(self) -> Option<V> {
        lanes(self, self, |lane, _| lane.abs())
    }
}

/// Types that `sum` and `product` take: floats do not overflow.
pub trait Total: Summand {
    /// The sum of two.
    fn total(self, other: Self) -> Option<Self> {
        Some(self.plus(other))
    }
    /// The product of two.
    fn times_all(self, other: Self) -> Option<Self> {
        Some(self.times(other))
    }
}

impl Total for f32 {}
impl Total for f64 {}
impl Total for half::f16 {}
impl Total for half::bf16 {}

#[track_caller]
fn or_panic<T>(value: Option<T>, message: &str) -> T {
    match value {
        Some(value) => value,
        None => panic!("{message}"),
    }
}

macro_rules! operators {
    ($($name:ident($($arg:ident),*) $message:literal;)*) => {$(
        /// As the operator of this name in a debug build.
        ///
        /// # Panics
        /// If the result does not fit the type.
        #[track_caller]
        pub fn $name<T: Checked>($($arg: T),*) -> T {
            or_panic(Checked::$name($($arg),*), concat!("attempt to ", $message, " with overflow"))
        }
    )*};
}
operators! {
    add(a, b) "add";
    sub(a, b) "subtract";
    mul(a, b) "multiply";
    neg(a) "negate";
    abs(a) "negate";
}

/// `a << b` as in a debug build.
///
/// # Panics
/// If `b` is negative, or not below the width.
#[track_caller]
pub fn shl<T: Shift>(a: T, b: impl Amount) -> T {
    or_panic(a.shl(b.amount()), "attempt to shift left with overflow")
}

/// `a >> b` as in a debug build.
///
/// # Panics
/// If `b` is negative, or not below the width.
#[track_caller]
pub fn shr<T: Shift>(a: T, b: impl Amount) -> T {
    or_panic(a.shr(b.amount()), "attempt to shift right with overflow")
}

/// The sum of all, in order.
///
/// # Panics
/// If it overflows on the way.
#[track_caller]
pub fn sum<T: Total>(values: impl Iterator<Item = T>) -> T {
    let mut sum = T::ZERO;
    for value in values {
        sum = or_panic(sum.total(value), "attempt to add with overflow");
    }
    sum
}

/// The product of all, in order.
///
/// # Panics
/// If it overflows on the way.
#[track_caller]
pub fn product<T: Total>(values: impl Iterator<Item = T>) -> T {
    let mut product = T::ONE;
    for value in values {
        product = or_panic(product.times_all(value), "attempt to multiply with overflow");
    }
    product
}

/// The sum of a vector's lanes, from the first to the last.
///
/// # Panics
/// If it overflows on the way.
#[track_caller]
pub fn sum_of_lanes<V: Vector<Lane: Total>>(vector: V) -> V::Lane {
    let mut sum = vector.lane(0);
    for index in 1..V::LANES {
        sum = or_panic(sum.total(vector.lane(index)), "attempt to add with overflow");
    }
    sum
}
