//! Which of two references `iter().min()` and `iter().max()` keep: of equal ones the first least, the last greatest.

pub fn lesser<T>(a: &T, b: &T) -> &T {
    if *b < *a { b } else { a }
}

pub fn greater<T>(a: &T, b: &T) -> &T {
    if *b >= *a { b } else { a }
}
