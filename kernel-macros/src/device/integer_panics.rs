//! Methods of integers that panic when they overflow, for kernels with `checks(overflow)`: the operators here are checked.

use super::vocabulary::*;

/// xⁿ. The last square is not made, so it cannot overflow.
pub fn checked_power_int<T: Int>(x: T, n: u32) -> T {
    let mut n = n;
    let mut base = x;
    let mut power = T::ONE;
    while n != 0 {
        if (n & 1) != 0 {
            power *= base;
        }
        n >>= 1;
        if n != 0 {
            base *= base;
        }
    }
    power
}

/// The least power of two that is not below.
pub fn checked_power_of_two_unsigned<T: Int>(a: T) -> T {
    if a <= T::ONE { T::ONE } else { T::MAX.wrapping_shr(a.wrapping_sub(T::ONE).leading_zeros()) + T::ONE }
}

/// The least multiple of b that is not below.
pub fn checked_multiple_unsigned<T: Int>(a: T, b: T) -> T {
    let r = a % b;
    if r == T::ZERO { a } else { a + b.wrapping_sub(r) }
}
