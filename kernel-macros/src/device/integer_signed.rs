//! Methods of signed integers only.

use super::vocabulary::*;

/// The magnitude, wrapped.
pub fn wrapping_abs_signed<T: Int>(a: T) -> T {
    if a < T::ZERO { T::ZERO.wrapping_sub(a) } else { a }
}

/// The magnitude, wrapped, and whether it did wrap.
pub fn overflowing_abs_signed<T: Int>(a: T) -> (T, bool) {
    (wrapping_abs_signed(a), a == T::MIN)
}

/// The magnitude, if it fits.
pub fn checked_abs_signed<T: Int>(a: T) -> Option<T> {
    if a == T::MIN { None } else { Some(wrapping_abs_signed(a)) }
}

/// The magnitude, or the largest number.
pub fn saturating_abs_signed<T: Int>(a: T) -> T {
    if a == T::MIN { T::MAX } else { wrapping_abs_signed(a) }
}

/// The negative, or the largest number.
pub fn saturating_neg_signed<T: Int>(a: T) -> T {
    if a == T::MIN { T::MAX } else { T::ZERO.wrapping_sub(a) }
}

/// Returns true if the number is above zero.
pub fn is_positive_signed<T: Int>(a: T) -> bool {
    a > T::ZERO
}

/// Returns true if the number is below zero.
pub fn is_negative_signed<T: Int>(a: T) -> bool {
    a < T::ZERO
}
