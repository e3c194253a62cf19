//! `core::cmp::Ordering`, its methods, and comparisons that give one.

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(i8)]
pub enum Ordering {
    Less = -1,
    Equal = 0,
    Greater = 1,
}

/// `cmp` of integers, `bool`, and what is made of them.
pub fn order_cmp<T: PartialOrd>(a: &T, b: &T) -> Ordering {
    if *a < *b {
        Ordering::Less
    } else if *a == *b {
        Ordering::Equal
    } else {
        Ordering::Greater
    }
}

/// `partial_cmp`: `None` where a part that decides is NaN.
pub fn order_partial_cmp<T: PartialOrd>(a: &T, b: &T) -> Option<Ordering> {
    if *a < *b {
        Some(Ordering::Less)
    } else if *a == *b {
        Some(Ordering::Equal)
    } else if *a > *b {
        Some(Ordering::Greater)
    } else {
        None
    }
}

/// Options of a type with a `partial_cmp` of its own: nothing comes first.
pub fn option_partial_cmp<T: PartialOrd>(a: &Option<T>, b: &Option<T>) -> Option<Ordering> {
    match (a, b) {
        (Some(a), Some(b)) => a.partial_cmp(b),
        (None, None) => Some(Ordering::Equal),
        (None, Some(_)) => Some(Ordering::Less),
        (Some(_), None) => Some(Ordering::Greater),
    }
}

/// As [`option_partial_cmp`], by `cmp`.
pub fn option_cmp<T: Ord>(a: &Option<T>, b: &Option<T>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.cmp(b),
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
    }
}

/// Options of a type with an `eq` of its own.
pub fn option_eq<T: PartialEq>(a: &Option<T>, b: &Option<T>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => *a == *b,
        (None, None) => true,
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// `<` of tuples with a part whose order is its own.
pub fn tuple2_partial_cmp<A: PartialOrd, B: PartialOrd>(a: &(A, B), b: &(A, B)) -> Option<Ordering> {
    match a.0.partial_cmp(&b.0) { Some(Ordering::Equal) => a.1.partial_cmp(&b.1), unequal => unequal }
}

/// As [`tuple2_partial_cmp`], by `cmp`.
pub fn tuple2_cmp<A: Ord, B: Ord>(a: &(A, B), b: &(A, B)) -> Ordering {
    match a.0.cmp(&b.0) { Ordering::Equal => a.1.cmp(&b.1), unequal => unequal }
}

/// Tuples with a part whose `eq` is its own.
pub fn tuple2_eq<A: PartialEq, B: PartialEq>(a: &(A, B), b: &(A, B)) -> bool {
    a.0 == b.0 && a.1 == b.1
}

/// `<` of tuples with a part whose order is its own.
pub fn tuple3_partial_cmp<A: PartialOrd, B: PartialOrd, C: PartialOrd>(a: &(A, B, C), b: &(A, B, C)) -> Option<Ordering> {
    match a.0.partial_cmp(&b.0) { Some(Ordering::Equal) => match a.1.partial_cmp(&b.1) { Some(Ordering::Equal) => a.2.partial_cmp(&b.2), unequal => unequal }, unequal => unequal }
}

/// As [`tuple3_partial_cmp`], by `cmp`.
pub fn tuple3_cmp<A: Ord, B: Ord, C: Ord>(a: &(A, B, C), b: &(A, B, C)) -> Ordering {
    match a.0.cmp(&b.0) { Ordering::Equal => match a.1.cmp(&b.1) { Ordering::Equal => a.2.cmp(&b.2), unequal => unequal }, unequal => unequal }
}

/// Tuples with a part whose `eq` is its own.
pub fn tuple3_eq<A: PartialEq, B: PartialEq, C: PartialEq>(a: &(A, B, C), b: &(A, B, C)) -> bool {
    a.0 == b.0 && a.1 == b.1 && a.2 == b.2
}

/// `<` of tuples with a part whose order is its own.
pub fn tuple4_partial_cmp<A: PartialOrd, B: PartialOrd, C: PartialOrd, D: PartialOrd>(a: &(A, B, C, D), b: &(A, B, C, D)) -> Option<Ordering> {
    match a.0.partial_cmp(&b.0) { Some(Ordering::Equal) => match a.1.partial_cmp(&b.1) { Some(Ordering::Equal) => match a.2.partial_cmp(&b.2) { Some(Ordering::Equal) => a.3.partial_cmp(&b.3), unequal => unequal }, unequal => unequal }, unequal => unequal }
}

/// As [`tuple4_partial_cmp`], by `cmp`.
pub fn tuple4_cmp<A: Ord, B: Ord, C: Ord, D: Ord>(a: &(A, B, C, D), b: &(A, B, C, D)) -> Ordering {
    match a.0.cmp(&b.0) { Ordering::Equal => match a.1.cmp(&b.1) { Ordering::Equal => match a.2.cmp(&b.2) { Ordering::Equal => a.3.cmp(&b.3), unequal => unequal }, unequal => unequal }, unequal => unequal }
}

/// Tuples with a part whose `eq` is its own.
pub fn tuple4_eq<A: PartialEq, B: PartialEq, C: PartialEq, D: PartialEq>(a: &(A, B, C, D), b: &(A, B, C, D)) -> bool {
    a.0 == b.0 && a.1 == b.1 && a.2 == b.2 && a.3 == b.3
}

/// `<` of arrays of a type whose order is its own.
pub fn elements_partial_cmp<T: PartialOrd, const N: usize>(a: &[T; N], b: &[T; N]) -> Option<Ordering> {
    for i in 0..N {
        match a[i].partial_cmp(&b[i]) {
            Some(Ordering::Equal) => {}
            unequal => return unequal,
        }
    }
    Some(Ordering::Equal)
}

/// `partial_cmp` of slices: their first elements that differ decide, else their lengths.
pub fn slice_partial_cmp<T: PartialOrd>(a: &[T], b: &[T]) -> Option<Ordering> {
    let least = if a.len() < b.len() { a.len() } else { b.len() };
    for i in 0..least {
        match a[i].partial_cmp(&b[i]) {
            Some(Ordering::Equal) => {}
            unequal => return unequal,
        }
    }
    Some(order_cmp(&a.len(), &b.len()))
}

/// As [`slice_partial_cmp`], by `cmp`.
pub fn slice_cmp<T: Ord>(a: &[T], b: &[T]) -> Ordering {
    let least = if a.len() < b.len() { a.len() } else { b.len() };
    for i in 0..least {
        match a[i].cmp(&b[i]) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    order_cmp(&a.len(), &b.len())
}

/// As [`elements_partial_cmp`], by `cmp`.
pub fn elements_cmp<T: Ord, const N: usize>(a: &[T; N], b: &[T; N]) -> Ordering {
    for i in 0..N {
        match a[i].cmp(&b[i]) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    Ordering::Equal
}

/// Arrays of a type whose `eq` is its own.
pub fn elements_eq<T: PartialEq, const N: usize>(a: &[T; N], b: &[T; N]) -> bool {
    for i in 0..N {
        if a[i] != b[i] {
            return false;
        }
    }
    true
}

/// `total_cmp`: the bits as a signed integer, those of negative numbers counted downwards.
pub fn total_cmp_f32(a: f32, b: &f32) -> Ordering {
    let (a, b) = (a.to_bits() as i32, b.to_bits() as i32);
    let (a, b) = (a ^ ((a >> 31) as u32 >> 1) as i32, b ^ ((b >> 31) as u32 >> 1) as i32);
    order_cmp(&a, &b)
}

/// `total_cmp` of `f64`
pub fn total_cmp_f64(a: f64, b: &f64) -> Ordering {
    let (a, b) = (a.to_bits() as i64, b.to_bits() as i64);
    let (a, b) = (a ^ ((a >> 63) as u64 >> 1) as i64, b ^ ((b >> 63) as u64 >> 1) as i64);
    order_cmp(&a, &b)
}

/// `<` by an own `partial_cmp`
pub fn compared_lt(o: Option<Ordering>) -> bool {
    o == Some(Ordering::Less)
}

/// `<=` by an own `partial_cmp`
pub fn compared_le(o: Option<Ordering>) -> bool {
    o == Some(Ordering::Less) || o == Some(Ordering::Equal)
}

/// `>` by an own `partial_cmp`
pub fn compared_gt(o: Option<Ordering>) -> bool {
    o == Some(Ordering::Greater)
}

/// `>=` by an own `partial_cmp`
pub fn compared_ge(o: Option<Ordering>) -> bool {
    o == Some(Ordering::Greater) || o == Some(Ordering::Equal)
}

/// `reverse`
pub fn ordering_reverse(o: Ordering) -> Ordering {
    match o {
        Ordering::Less => Ordering::Greater,
        Ordering::Equal => Ordering::Equal,
        Ordering::Greater => Ordering::Less,
    }
}

/// `then`
pub fn ordering_then(o: Ordering, other: Ordering) -> Ordering {
    match o {
        Ordering::Equal => other,
        Ordering::Less | Ordering::Greater => o,
    }
}

/// `then_with`
pub fn ordering_then_with(o: Ordering, f: impl FnOnce() -> Ordering) -> Ordering {
    match o {
        Ordering::Equal => f(),
        Ordering::Less | Ordering::Greater => o,
    }
}

/// `is_lt`
pub fn ordering_is_lt(o: Ordering) -> bool {
    o == Ordering::Less
}

/// `is_le`
pub fn ordering_is_le(o: Ordering) -> bool {
    o != Ordering::Greater
}

/// `is_gt`
pub fn ordering_is_gt(o: Ordering) -> bool {
    o == Ordering::Greater
}

/// `is_ge`
pub fn ordering_is_ge(o: Ordering) -> bool {
    o != Ordering::Less
}

/// `is_eq`
pub fn ordering_is_eq(o: Ordering) -> bool {
    o == Ordering::Equal
}

/// `is_ne`
pub fn ordering_is_ne(o: Ordering) -> bool {
    o != Ordering::Equal
}

/// `cmp::min_by`
pub fn cmp_min_by<T: Copy>(a: T, b: T, compare: impl FnOnce(&T, &T) -> Ordering) -> T {
    if compare(&a, &b) == Ordering::Greater { b } else { a }
}

/// `cmp::max_by`
pub fn cmp_max_by<T: Copy>(a: T, b: T, compare: impl FnOnce(&T, &T) -> Ordering) -> T {
    if compare(&a, &b) == Ordering::Greater { a } else { b }
}
