//! Methods of slices and arrays.

/// `as_ref` of an array
pub fn slice_as_ref<T>(s: &[T]) -> &[T] {
    s
}

/// `as_slice` of an array
pub fn slice_as_slice<T>(s: &[T]) -> &[T] {
    s
}

/// `as_mut` of an array
pub fn slice_as_mut<T>(s: &mut [T]) -> &mut [T] {
    s
}

/// `as_mut_slice` of an array
pub fn slice_as_mut_slice<T>(s: &mut [T]) -> &mut [T] {
    s
}

/// `is_empty`
pub fn slice_is_empty<T>(s: &[T]) -> bool {
    s.len() == 0
}

/// `first`
pub fn slice_first<T>(s: &[T]) -> Option<&T> {
    if s.len() > 0 { Some(&s[0]) } else { None }
}

/// `last`
pub fn slice_last<T>(s: &[T]) -> Option<&T> {
    let n = s.len();
    if n > 0 { Some(&s[n - 1]) } else { None }
}

/// `get`
pub fn slice_get<T>(s: &[T], i: usize) -> Option<&T> {
    if i < s.len() { Some(&s[i]) } else { None }
}

/// `first_mut`
pub fn slice_first_mut<T>(s: &mut [T]) -> Option<&mut T> {
    if s.len() > 0 { Some(&mut s[0]) } else { None }
}

/// `last_mut`
pub fn slice_last_mut<T>(s: &mut [T]) -> Option<&mut T> {
    let n = s.len();
    if n > 0 { Some(&mut s[n - 1]) } else { None }
}

/// `get_mut`
pub fn slice_get_mut<T>(s: &mut [T], i: usize) -> Option<&mut T> {
    if i < s.len() { Some(&mut s[i]) } else { None }
}

/// `swap`
pub fn slice_swap<T: Copy>(s: &mut [T], a: usize, b: usize) {
    let first = s[a];
    s[a] = s[b];
    s[b] = first;
}

/// `fill`
pub fn slice_fill<T: Copy>(s: &mut [T], value: T) {
    for i in 0..s.len() {
        s[i] = value;
    }
}

/// `fill_with`
pub fn slice_fill_with<T, F: FnMut() -> T>(s: &mut [T], mut f: F) {
    for i in 0..s.len() {
        s[i] = f();
    }
}

/// `reverse`
pub fn slice_reverse<T: Copy>(s: &mut [T]) {
    let n = s.len();
    for i in 0..n / 2 {
        let first = s[i];
        s[i] = s[n - 1 - i];
        s[n - 1 - i] = first;
    }
}

/// `copy_from_slice`
pub fn slice_copy_from_slice<T: Copy>(s: &mut [T], from: &[T]) {
    if s.len() != from.len() {
        panic!(
            "copy_from_slice: source slice length ({}) does not match destination slice length ({})",
            from.len(),
            s.len()
        );
    }
    for i in 0..s.len() {
        s[i] = from[i];
    }
}

/// `clone_from_slice`
pub fn slice_clone_from_slice<T: Copy>(s: &mut [T], from: &[T]) {
    if s.len() != from.len() {
        panic!("destination and source slices have different lengths");
    }
    for i in 0..s.len() {
        s[i] = from[i];
    }
}

/// `contains`
pub fn slice_contains<T: PartialEq>(s: &[T], value: &T) -> bool {
    for i in 0..s.len() {
        if s[i] == *value {
            return true;
        }
    }
    false
}

/// `==`
pub fn slice_eq<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    for i in 0..a.len() {
        if a[i] != b[i] {
            return false;
        }
    }
    true
}

/// `starts_with`
pub fn slice_starts_with<T: PartialEq>(s: &[T], start: &[T]) -> bool {
    if start.len() > s.len() {
        return false;
    }
    for i in 0..start.len() {
        if s[i] != start[i] {
            return false;
        }
    }
    true
}

/// `ends_with`
pub fn slice_ends_with<T: PartialEq>(s: &[T], end: &[T]) -> bool {
    if end.len() > s.len() {
        return false;
    }
    let skipped = s.len() - end.len();
    for i in 0..end.len() {
        if s[skipped + i] != end[i] {
            return false;
        }
    }
    true
}

/// `strip_prefix`
pub fn slice_strip_prefix<'a, T: PartialEq>(s: &'a [T], prefix: &[T]) -> Option<&'a [T]> {
    if slice_starts_with(s, prefix) { Some(&s[prefix.len()..]) } else { None }
}

/// `strip_suffix`
pub fn slice_strip_suffix<'a, T: PartialEq>(s: &'a [T], suffix: &[T]) -> Option<&'a [T]> {
    if slice_ends_with(s, suffix) { Some(&s[..s.len() - suffix.len()]) } else { None }
}

/// `split_at_checked`
pub fn slice_split_at_checked<T>(s: &[T], mid: usize) -> Option<(&[T], &[T])> {
    if mid <= s.len() { Some((&s[..mid], &s[mid..])) } else { None }
}

/// `split_at`
pub fn slice_split_at<T>(s: &[T], mid: usize) -> (&[T], &[T]) {
    if mid > s.len() {
        panic!("mid > len");
    }
    (&s[..mid], &s[mid..])
}

/// `split_first`
pub fn slice_split_first<T>(s: &[T]) -> Option<(&T, &[T])> {
    if s.len() > 0 { Some((&s[0], &s[1..])) } else { None }
}

/// `split_last`
pub fn slice_split_last<T>(s: &[T]) -> Option<(&T, &[T])> {
    let n = s.len();
    if n > 0 { Some((&s[n - 1], &s[..n - 1])) } else { None }
}
