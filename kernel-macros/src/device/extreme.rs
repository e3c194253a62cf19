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

/// `clamp` of what is no number.
pub fn order_clamp<T: Copy + PartialOrd>(a: T, min: T, max: T) -> T {
    assert!(min <= max, "assertion failed: min <= max");
    if a < min {
        min
    } else if a > max {
        max
    } else {
        a
    }
}

/// `cmp::min`
pub fn cmp_min<T: Copy + Ord>(a: T, b: T) -> T {
    a.min(b)
}

/// `cmp::max`
pub fn cmp_max<T: Copy + Ord>(a: T, b: T) -> T {
    a.max(b)
}

/// `cmp::min_by_key`
pub fn cmp_min_by_key<T: Copy, K: PartialOrd>(a: T, b: T, mut key: impl FnMut(&T) -> K) -> T {
    let of_first = key(&a);
    if key(&b) < of_first { b } else { a }
}

/// `cmp::max_by_key`
pub fn cmp_max_by_key<T: Copy, K: PartialOrd>(a: T, b: T, mut key: impl FnMut(&T) -> K) -> T {
    let of_first = key(&a);
    if key(&b) < of_first { a } else { b }
}

/// True if `max_by_key` takes the next item: of equal ones the last.
pub fn order_max_by_key<K: Copy + PartialOrd>(best: Option<K>, next: K) -> bool {
    match best {
        Some(best) => next >= best,
        None => true,
    }
}

/// True if `min_by_key` takes the next item: of equal ones the first.
pub fn order_min_by_key<K: Copy + PartialOrd>(best: Option<K>, next: K) -> bool {
    match best {
        Some(best) => next < best,
        None => true,
    }
}
