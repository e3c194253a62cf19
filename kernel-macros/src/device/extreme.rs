//! The reference that `iter().min()` or `iter().max()` keeps of two: of equal ones `min` keeps the first, `max` the last.

pub fn lesser<T>(a: &T, b: &T) -> &T {
    if *b < *a { b } else { a }
}

pub fn greater<T>(a: &T, b: &T) -> &T {
    if *b >= *a { b } else { a }
}
