//! Arithmetic of a signed and an unsigned integer of one width.
//!
//! In no file that rustc compiles, which has no `as T`.

/// The sum with a number of the other sign, modulo the width.
pub fn wrapping_add_other_int<T: Int, S: Int>(a: T, b: S) -> T {
    a.wrapping_add(b as T)
}

/// The difference to a number of the other sign, modulo the width.
pub fn wrapping_sub_other_int<T: Int, S: Int>(a: T, b: S) -> T {
    a.wrapping_sub(b as T)
}

/// The sum of an unsigned and a signed number, if it fits.
pub fn checked_add_signed_unsigned<T: Int, S: Int>(a: T, b: S) -> Option<T> {
    let sum = a.wrapping_add(b as T);
    if (b < S::ZERO) == (sum < a) { Some(sum) } else { None }
}

/// The sum of an unsigned and a signed number, limited to the range.
pub fn saturating_add_signed_unsigned<T: Int, S: Int>(a: T, b: S) -> T {
    let sum = a.wrapping_add(b as T);
    if (b < S::ZERO) == (sum < a) {
        sum
    } else if b < S::ZERO {
        T::ZERO
    } else {
        T::MAX
    }
}
