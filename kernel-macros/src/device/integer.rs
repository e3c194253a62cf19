//! Methods of every integer type: powers, checked, saturating and overflowing arithmetic, Euclidean division.
//!
//! `T::MIN < T::ZERO` asks whether the type is signed: a constant.

use super::vocabulary::*;

/// xⁿ, wrapped.
pub fn pow_int<T: Int>(x: T, n: u32) -> T {
    let mut n = n;
    let mut base = x;
    let mut power = T::ONE;
    while n != 0 {
        if (n & 1) != 0 {
            power = power.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        n >>= 1;
    }
    power
}

/// The sum, wrapped, and whether it did wrap.
pub fn overflowing_add_int<T: Int>(a: T, b: T) -> (T, bool) {
    let sum = a.wrapping_add(b);
    // Signed: the sum has neither operand's sign.
    (sum, if T::MIN < T::ZERO { ((a ^ sum) & (b ^ sum)) < T::ZERO } else { sum < a })
}

/// The difference, wrapped, and whether it did wrap.
pub fn overflowing_sub_int<T: Int>(a: T, b: T) -> (T, bool) {
    let difference = a.wrapping_sub(b);
    (difference, if T::MIN < T::ZERO { ((a ^ b) & (a ^ difference)) < T::ZERO } else { a < b })
}

/// The product, wrapped, and whether it did wrap.
pub fn overflowing_mul_int<T: Int>(a: T, b: T) -> (T, bool) {
    let product = a.wrapping_mul(b);
    // The high half of one that fits repeats its sign.
    let sign = if product < T::ZERO { T::ZERO.wrapping_sub(T::ONE) } else { T::ZERO };
    (product, a.mul_hi(b) != sign)
}

/// The negative, wrapped, and whether it did wrap.
pub fn overflowing_neg_int<T: Int>(a: T) -> (T, bool) {
    (T::ZERO.wrapping_sub(a), if T::MIN < T::ZERO { a == T::MIN } else { a != T::ZERO })
}

/// The power, wrapped, and whether it did wrap.
pub fn overflowing_pow_int<T: Int>(x: T, n: u32) -> (T, bool) {
    let mut n = n;
    let mut base = x;
    let mut power = T::ONE;
    let mut overflow = false;
    while n != 0 {
        if (n & 1) != 0 {
            let (product, wrapped) = overflowing_mul_int(power, base);
            power = product;
            overflow |= wrapped;
        }
        n >>= 1;
        if n != 0 {
            let (square, wrapped) = overflowing_mul_int(base, base);
            base = square;
            overflow |= wrapped;
        }
    }
    (power, overflow)
}

/// The value shifted by n modulo the width, and whether that changed n.
pub fn overflowing_shl_int<T: Int>(a: T, n: u32) -> (T, bool) {
    (a.wrapping_shl(n), n >= T::BITS)
}

/// The value shifted by n modulo the width, and whether that changed n.
pub fn overflowing_shr_int<T: Int>(a: T, n: u32) -> (T, bool) {
    (a.wrapping_shr(n), n >= T::BITS)
}

/// The sum, if it fits.
pub fn checked_add_int<T: Int>(a: T, b: T) -> Option<T> {
    let (sum, wrapped) = overflowing_add_int(a, b);
    if wrapped { None } else { Some(sum) }
}

/// The difference, if it fits.
pub fn checked_sub_int<T: Int>(a: T, b: T) -> Option<T> {
    let (difference, wrapped) = overflowing_sub_int(a, b);
    if wrapped { None } else { Some(difference) }
}

/// The product, if it fits.
pub fn checked_mul_int<T: Int>(a: T, b: T) -> Option<T> {
    let (product, wrapped) = overflowing_mul_int(a, b);
    if wrapped { None } else { Some(product) }
}

/// The negative, if it fits.
pub fn checked_neg_int<T: Int>(a: T) -> Option<T> {
    let (negative, wrapped) = overflowing_neg_int(a);
    if wrapped { None } else { Some(negative) }
}

/// The power, if it fits.
pub fn checked_pow_int<T: Int>(x: T, n: u32) -> Option<T> {
    let (power, wrapped) = overflowing_pow_int(x, n);
    if wrapped { None } else { Some(power) }
}

/// The value shifted, if n is below the width.
pub fn checked_shl_int<T: Int>(a: T, n: u32) -> Option<T> {
    if n < T::BITS { Some(a.wrapping_shl(n)) } else { None }
}

/// The value shifted, if n is below the width.
pub fn checked_shr_int<T: Int>(a: T, n: u32) -> Option<T> {
    if n < T::BITS { Some(a.wrapping_shr(n)) } else { None }
}

/// Returns true if a / b overflows: MIN / −1.
pub fn division_overflows_int<T: Int>(a: T, b: T) -> bool {
    T::MIN < T::ZERO && a == T::MIN && b == T::ZERO.wrapping_sub(T::ONE)
}

/// The quotient, if there is one.
pub fn checked_div_int<T: Int>(a: T, b: T) -> Option<T> {
    if b == T::ZERO || division_overflows_int(a, b) { None } else { Some(a / b) }
}

/// The remainder, if there is one.
pub fn checked_rem_int<T: Int>(a: T, b: T) -> Option<T> {
    if b == T::ZERO || division_overflows_int(a, b) { None } else { Some(a % b) }
}

/// The remainder that is not negative, if there is one.
pub fn checked_rem_euclid_int<T: Int>(a: T, b: T) -> Option<T> {
    if b == T::ZERO || division_overflows_int(a, b) { None } else { Some(rem_euclid_int(a, b)) }
}

/// The quotient to the remainder that is not negative, if there is one.
pub fn checked_div_euclid_int<T: Int>(a: T, b: T) -> Option<T> {
    if b == T::ZERO || division_overflows_int(a, b) { None } else { Some(div_euclid_int(a, b)) }
}

/// The quotient; MIN / −1 wraps.
pub fn wrapping_div_int<T: Int>(a: T, b: T) -> T {
    if division_overflows_int(a, b) { a } else { a / b }
}

/// The quotient; MIN / −1 is MAX.
pub fn saturating_div_int<T: Int>(a: T, b: T) -> T {
    if division_overflows_int(a, b) { T::MAX } else { a / b }
}

/// The remainder; that of MIN / −1 is 0.
pub fn wrapping_rem_int<T: Int>(a: T, b: T) -> T {
    if division_overflows_int(a, b) { T::ZERO } else { a % b }
}

/// The sum, or the bound that it passes.
pub fn saturating_add_int<T: Int>(a: T, b: T) -> T {
    let (sum, wrapped) = overflowing_add_int(a, b);
    let bound = if a < T::ZERO { T::MIN } else { T::MAX };
    if wrapped { bound } else { sum }
}

/// The difference, or the bound that it passes.
pub fn saturating_sub_int<T: Int>(a: T, b: T) -> T {
    let (difference, wrapped) = overflowing_sub_int(a, b);
    let bound = if T::MIN < T::ZERO && a >= T::ZERO { T::MAX } else { T::MIN };
    if wrapped { bound } else { difference }
}

/// The product, or the bound that it passes.
pub fn saturating_mul_int<T: Int>(a: T, b: T) -> T {
    let (product, wrapped) = overflowing_mul_int(a, b);
    let bound = if (a ^ b) < T::ZERO { T::MIN } else { T::MAX };
    if wrapped { bound } else { product }
}

/// The power, or the bound that it passes.
pub fn saturating_pow_int<T: Int>(x: T, n: u32) -> T {
    let (power, wrapped) = overflowing_pow_int(x, n);
    let bound = if x < T::ZERO && (n & 1) != 0 { T::MIN } else { T::MAX };
    if wrapped { bound } else { power }
}

/// The remainder that is not negative.
pub fn rem_euclid_int<T: Int>(a: T, b: T) -> T {
    let r = a % b;
    // The size of the divisor does not change in a loop over dividends; an unsigned remainder is below none.
    let size = b.max(T::ZERO.wrapping_sub(b));
    if r < T::ZERO { r.wrapping_add(size) } else { r }
}

/// The quotient to the remainder that is not negative.
pub fn div_euclid_int<T: Int>(a: T, b: T) -> T {
    let q = a / b;
    let next = if b < T::ZERO { q.wrapping_add(T::ONE) } else { q.wrapping_sub(T::ONE) };
    if a % b < T::ZERO { next } else { q }
}

/// The middle of two numbers without overflow: down for unsigned ones, towards zero for signed ones.
pub fn midpoint_int<T: Int>(a: T, b: T) -> T {
    let differing = a ^ b;
    let floor = differing.wrapping_shr(1).wrapping_add(a & b);
    if floor < T::ZERO { floor.wrapping_add(differing & T::ONE) } else { floor }
}

/// Ones above the highest zero.
pub fn leading_ones_int<T: Int>(a: T) -> u32 {
    (!a).leading_zeros()
}

/// Ones below the lowest zero.
pub fn trailing_ones_int<T: Int>(a: T) -> u32 {
    (!a).trailing_zeros()
}

/// The value shifted, zero from the width on.
pub fn unbounded_shl_int<T: Int>(a: T, n: u32) -> T {
    if n < T::BITS { a.wrapping_shl(n) } else { T::ZERO }
}

/// The value shifted, only signs from the width on.
pub fn unbounded_shr_int<T: Int>(a: T, n: u32) -> T {
    a.wrapping_shr(if n < T::BITS {
        n
    } else if T::MIN < T::ZERO {
        T::BITS - 1
    } else {
        0
    }) & (if n < T::BITS || a < T::ZERO { !T::ZERO } else { T::ZERO })
}

/// The largest n with 2ⁿ ≤ x; panics unless x is positive.
pub fn ilog2_int<T: Int>(x: T) -> u32 {
    assert!(x > T::ZERO, "argument of integer logarithm must be positive");
    (T::BITS - 1).wrapping_sub(x.leading_zeros())
}

/// The largest n with 2ⁿ ≤ x, if x is positive.
pub fn checked_ilog2_int<T: Int>(x: T) -> Option<u32> {
    if x > T::ZERO { Some((T::BITS - 1).wrapping_sub(x.leading_zeros())) } else { None }
}

/// The largest n with baseⁿ ≤ x; panics unless x is positive and the base at least 2.
pub fn ilog_int<T: Int>(x: T, base: T) -> u32 {
    assert!(base > T::ONE, "base of integer logarithm must be at least 2");
    assert!(x > T::ZERO, "argument of integer logarithm must be positive");
    let mut rest = x;
    let mut n = 0_u32;
    while rest >= base {
        rest /= base;
        n = n.wrapping_add(1);
    }
    n
}

/// The largest n with baseⁿ ≤ x, if x is positive and the base at least 2.
pub fn checked_ilog_int<T: Int>(x: T, base: T) -> Option<u32> {
    if x > T::ZERO && base > T::ONE { Some(ilog_int(x, base)) } else { None }
}
