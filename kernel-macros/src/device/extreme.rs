//! The lesser and the greater of two: of equal ones `min` keeps the first, `max` the last.

/// The reference that `iter().min()` keeps.
pub fn lesser<T>(a: &T, b: &T) -> &T {
    if *b < *a { b } else { a }
}

/// The reference that `iter().max()` keeps.
pub fn greater<T>(a: &T, b: &T) -> &T {
    if *b >= *a { b } else { a }
}

/// `min` of what is no number.
pub fn order_min<T: Copy + PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// `max` of what is no number.
pub fn order_max<T: Copy + PartialOrd>(a: T, b: T) -> T {
    if b < a { a } else { b }
}
