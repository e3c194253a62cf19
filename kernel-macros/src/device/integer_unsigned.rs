//! Methods of unsigned integers only.

use super::vocabulary::*;

/// The least power of two that is not below; wraps to 0, as Rust's does in release builds.
pub fn next_power_of_two_unsigned<T: Int>(a: T) -> T {
    if a <= T::ONE {
        T::ONE
    } else {
        T::MAX.wrapping_shr(a.wrapping_sub(T::ONE).leading_zeros()).wrapping_add(T::ONE)
    }
}

/// The least power of two that is not below, if it fits.
pub fn checked_next_power_of_two_unsigned<T: Int>(a: T) -> Option<T> {
    let power = next_power_of_two_unsigned(a);
    if power == T::ZERO { None } else { Some(power) }
}

/// The quotient, rounded up.
pub fn div_ceil_unsigned<T: Int>(a: T, b: T) -> T {
    let q = a / b;
    if a % b != T::ZERO { q.wrapping_add(T::ONE) } else { q }
}

/// The least multiple of b that is not below; wraps, as Rust's does in release builds.
pub fn next_multiple_of_unsigned<T: Int>(a: T, b: T) -> T {
    let r = a % b;
    if r == T::ZERO { a } else { a.wrapping_add(b.wrapping_sub(r)) }
}

/// The least multiple of b that is not below, if there is one and it fits.
pub fn checked_next_multiple_of_unsigned<T: Int>(a: T, b: T) -> Option<T> {
    if b == T::ZERO {
        None
    } else {
        let multiple = next_multiple_of_unsigned(a, b);
        if multiple < a { None } else { Some(multiple) }
    }
}

/// Returns true if a is a multiple of b; the only multiple of 0 is 0.
pub fn is_multiple_of_unsigned<T: Int>(a: T, b: T) -> bool {
    if b == T::ZERO { a == T::ZERO } else { a % b == T::ZERO }
}

/// a + b + carry, wrapped, and the next carry.
pub fn carrying_add_unsigned<T: Int>(a: T, b: T, carry: bool) -> (T, bool) {
    let sum = a.wrapping_add(b);
    let total = sum.wrapping_add(if carry { T::ONE } else { T::ZERO });
    (total, sum < a || total < sum)
}

/// a − b − borrow, wrapped, and the next borrow.
pub fn borrowing_sub_unsigned<T: Int>(a: T, b: T, borrow: bool) -> (T, bool) {
    let difference = a.wrapping_sub(b);
    let total = difference.wrapping_sub(if borrow { T::ONE } else { T::ZERO });
    (total, a < b || difference < total)
}

/// The halves of a · b + carry, low and high.
pub fn carrying_mul_unsigned<T: Int>(a: T, b: T, carry: T) -> (T, T) {
    let product = a.wrapping_mul(b);
    let low = product.wrapping_add(carry);
    (low, a.mul_hi(b).wrapping_add(if low < carry { T::ONE } else { T::ZERO }))
}
