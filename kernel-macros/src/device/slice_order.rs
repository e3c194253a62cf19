//! Methods of slices and arrays that order their elements, or search in ordered ones.

use super::ordering::*;
use super::slice_split::*;

/// `sort`: by insertion, which is stable.
pub fn slice_sort<T: Copy + PartialOrd>(s: &mut [T]) {
    for i in 1..s.len() {
        let value = s[i];
        let mut to = i;
        while to > 0 && value < s[to - 1] {
            s[to] = s[to - 1];
            to -= 1;
        }
        s[to] = value;
    }
}

/// `sort` of an array: a network of compare-exchanges of neighbours, at places that do not depend on the values. It is stable.
pub fn array_sort<T: Copy + PartialOrd, const N: usize>(a: &mut [T; N]) {
    for done in 1..N {
        for i in 0..N - done {
            let (first, second) = (a[i], a[i + 1]);
            let swaps = second < first;
            a[i] = if swaps { second } else { first };
            a[i + 1] = if swaps { first } else { second };
        }
    }
}

/// `sort_unstable`
pub fn slice_sort_unstable<T: Copy + PartialOrd>(s: &mut [T]) {
    slice_sort(s);
}

/// `sort_unstable` of an array.
pub fn array_sort_unstable<T: Copy + PartialOrd, const N: usize>(a: &mut [T; N]) {
    array_sort(a);
}

/// `sort_by`
pub fn slice_sort_by<T: Copy>(s: &mut [T], mut f: impl FnMut(&T, &T) -> Ordering) {
    for i in 1..s.len() {
        let value = s[i];
        let mut to = i;
        while to > 0 && f(&value, &s[to - 1]) == Ordering::Less {
            s[to] = s[to - 1];
            to -= 1;
        }
        s[to] = value;
    }
}

/// `sort_by` of an array.
pub fn array_sort_by<T: Copy, const N: usize>(a: &mut [T; N], mut f: impl FnMut(&T, &T) -> Ordering) {
    for done in 1..N {
        for i in 0..N - done {
            let (first, second) = (a[i], a[i + 1]);
            let swaps = f(&second, &first) == Ordering::Less;
            a[i] = if swaps { second } else { first };
            a[i + 1] = if swaps { first } else { second };
        }
    }
}

/// `sort_unstable_by`
pub fn slice_sort_unstable_by<T: Copy>(s: &mut [T], f: impl FnMut(&T, &T) -> Ordering) {
    slice_sort_by(s, f);
}

/// `sort_unstable_by` of an array.
pub fn array_sort_unstable_by<T: Copy, const N: usize>(a: &mut [T; N], f: impl FnMut(&T, &T) -> Ordering) {
    array_sort_by(a, f);
}

/// The parts of a sorted slice before, at and after an index.
pub fn parts_around<T: Copy>(s: &mut [T], index: usize) -> (&mut [T], &mut T, &mut [T]) {
    let len = s.len();
    assert!(index < len, "partition_at_index index {index} greater than length of slice {len}");
    let (before, rest) = s.split_at_mut(index);
    let (nth, after) = rest.split_at_mut(1);
    (before, &mut nth[0], after)
}

/// `select_nth_unstable`: the elements before and after may be in any order, so in that of `sort`.
pub fn slice_select_nth_unstable<T: Copy + PartialOrd>(
    s: &mut [T],
    index: usize,
) -> (&mut [T], &mut T, &mut [T]) {
    slice_sort(s);
    parts_around(s, index)
}

/// `select_nth_unstable_by`
pub fn slice_select_nth_unstable_by<T: Copy>(
    s: &mut [T],
    index: usize,
    f: impl FnMut(&T, &T) -> Ordering,
) -> (&mut [T], &mut T, &mut [T]) {
    slice_sort_by(s, f);
    parts_around(s, index)
}

/// `select_nth_unstable_by_key`
pub fn slice_select_nth_unstable_by_key<T: Copy, K: PartialOrd>(
    s: &mut [T],
    index: usize,
    f: impl FnMut(&T) -> K,
) -> (&mut [T], &mut T, &mut [T]) {
    slice_sort_by_key(s, f);
    parts_around(s, index)
}

/// `sort_by_key`
pub fn slice_sort_by_key<T: Copy, K: PartialOrd>(s: &mut [T], mut f: impl FnMut(&T) -> K) {
    for i in 1..s.len() {
        let value = s[i];
        let mut to = i;
        while to > 0 && f(&value) < f(&s[to - 1]) {
            s[to] = s[to - 1];
            to -= 1;
        }
        s[to] = value;
    }
}

/// `sort_by_key` of an array.
pub fn array_sort_by_key<T: Copy, K: PartialOrd, const N: usize>(a: &mut [T; N], mut f: impl FnMut(&T) -> K) {
    for done in 1..N {
        for i in 0..N - done {
            let (first, second) = (a[i], a[i + 1]);
            let swaps = f(&second) < f(&first);
            a[i] = if swaps { second } else { first };
            a[i + 1] = if swaps { first } else { second };
        }
    }
}

/// `sort_unstable_by_key`
pub fn slice_sort_unstable_by_key<T: Copy, K: PartialOrd>(s: &mut [T], f: impl FnMut(&T) -> K) {
    slice_sort_by_key(s, f);
}

/// `sort_unstable_by_key` of an array.
pub fn array_sort_unstable_by_key<T: Copy, K: PartialOrd, const N: usize>(a: &mut [T; N], f: impl FnMut(&T) -> K) {
    array_sort_by_key(a, f);
}

/// `is_sorted`
pub fn slice_is_sorted<T: PartialOrd>(s: &[T]) -> bool {
    for i in 1..s.len() {
        if !(s[i - 1] <= s[i]) {
            return false;
        }
    }
    true
}

/// `is_sorted_by`
pub fn slice_is_sorted_by<T>(s: &[T], mut f: impl FnMut(&T, &T) -> bool) -> bool {
    for i in 1..s.len() {
        if !f(&s[i - 1], &s[i]) {
            return false;
        }
    }
    true
}

/// `is_sorted_by_key`
pub fn slice_is_sorted_by_key<T, K: PartialOrd>(s: &[T], mut f: impl FnMut(&T) -> K) -> bool {
    if s.is_empty() {
        return true;
    }
    let mut before = f(&s[0]);
    for i in 1..s.len() {
        let key = f(&s[i]);
        if !(before <= key) {
            return false;
        }
        before = key;
    }
    true
}

/// `partition_point`
pub fn slice_partition_point<T>(s: &[T], mut f: impl FnMut(&T) -> bool) -> usize {
    let (mut start, mut end) = (0, s.len());
    while start < end {
        let middle = start + (end - start) / 2;
        if f(&s[middle]) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    start
}

/// `binary_search`
pub fn slice_binary_search<T: PartialOrd>(s: &[T], x: &T) -> Result<usize, usize> {
    slice_binary_search_by(s, |other: &T| order_cmp(other, x))
}

/// `binary_search_by`: of several equal elements it finds the one that Rust's own finds since 1.82, by the same steps.
pub fn slice_binary_search_by<T>(s: &[T], mut f: impl FnMut(&T) -> Ordering) -> Result<usize, usize> {
    if s.is_empty() {
        return Err(0);
    }
    let (mut base, mut end) = (0, s.len());
    while base + 1 < end {
        let half = (end - base) / 2;
        let middle = base + half;
        // SAFETY: the middle is between `base` and `end`, which is at most the length.
        if f(unsafe { s.get_unchecked(middle) }) != Ordering::Greater {
            base = middle;
        } else {
            end -= half;
        }
    }
    // SAFETY: it is below `end`, as the slice is not empty.
    match f(unsafe { s.get_unchecked(base) }) {
        Ordering::Equal => Ok(base),
        Ordering::Less => Err(base + 1),
        Ordering::Greater => Err(base),
    }
}

/// `binary_search_by_key`
pub fn slice_binary_search_by_key<T, K: PartialOrd>(
    s: &[T],
    key: &K,
    mut f: impl FnMut(&T) -> K,
) -> Result<usize, usize> {
    slice_binary_search_by(s, |value: &T| order_cmp(&f(value), key))
}

/// Reverses the elements from `start` to before `end`.
pub fn slice_reverse_part<T: Copy>(s: &mut [T], start: usize, end: usize) {
    let mut i = start;
    let mut j = end;
    while i + 1 < j {
        j -= 1;
        let first = s[i];
        s[i] = s[j];
        s[j] = first;
        i += 1;
    }
}

/// `rotate_left`: by three reversals.
pub fn slice_rotate_left<T: Copy>(s: &mut [T], mid: usize) {
    let n = s.len();
    if mid > n {
        panic!("assertion failed: mid <= self.len()");
    }
    slice_reverse_part(s, 0, mid);
    slice_reverse_part(s, mid, n);
    slice_reverse_part(s, 0, n);
}

/// `rotate_right`
pub fn slice_rotate_right<T: Copy>(s: &mut [T], k: usize) {
    let n = s.len();
    if k > n {
        panic!("assertion failed: k <= self.len()");
    }
    slice_rotate_left(s, n - k);
}
