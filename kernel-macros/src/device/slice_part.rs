//! Parts of slices, where there are such: by ranges, and from either end by constant lengths.

/// `get(a..b)`
pub fn slice_get_range<T>(s: &[T], start: usize, end: usize) -> Option<&[T]> {
    if start <= end && end <= s.len() { Some(&s[start..end]) } else { None }
}

/// `get(a..=b)`
pub fn slice_get_range_inclusive<T>(s: &[T], start: usize, end: usize) -> Option<&[T]> {
    if end < s.len() && start <= end + 1 { Some(&s[start..=end]) } else { None }
}

/// `get(a..)`
pub fn slice_get_range_from<T>(s: &[T], start: usize) -> Option<&[T]> {
    if start <= s.len() { Some(&s[start..]) } else { None }
}

/// `get(..b)`
pub fn slice_get_range_to<T>(s: &[T], end: usize) -> Option<&[T]> {
    if end <= s.len() { Some(&s[..end]) } else { None }
}

/// `get(..=b)`
pub fn slice_get_range_to_inclusive<T>(s: &[T], end: usize) -> Option<&[T]> {
    if end < s.len() { Some(&s[..=end]) } else { None }
}

/// `get(..)`
pub fn slice_get_range_full<T>(s: &[T]) -> Option<&[T]> {
    Some(s)
}

/// `get_mut(a..b)`
pub fn slice_get_mut_range<T>(s: &mut [T], start: usize, end: usize) -> Option<&mut [T]> {
    if start <= end && end <= s.len() { Some(&mut s[start..end]) } else { None }
}

/// `get_mut(a..=b)`
pub fn slice_get_mut_range_inclusive<T>(s: &mut [T], start: usize, end: usize) -> Option<&mut [T]> {
    if end < s.len() && start <= end + 1 { Some(&mut s[start..=end]) } else { None }
}

/// `get_mut(a..)`
pub fn slice_get_mut_range_from<T>(s: &mut [T], start: usize) -> Option<&mut [T]> {
    if start <= s.len() { Some(&mut s[start..]) } else { None }
}

/// `get_mut(..b)`
pub fn slice_get_mut_range_to<T>(s: &mut [T], end: usize) -> Option<&mut [T]> {
    if end <= s.len() { Some(&mut s[..end]) } else { None }
}

/// `get_mut(..=b)`
pub fn slice_get_mut_range_to_inclusive<T>(s: &mut [T], end: usize) -> Option<&mut [T]> {
    if end < s.len() { Some(&mut s[..=end]) } else { None }
}

/// `get_mut(..)`
pub fn slice_get_mut_range_full<T>(s: &mut [T]) -> Option<&mut [T]> {
    Some(s)
}

/// `first_chunk`
pub fn slice_first_chunk<T, const N: usize>(s: &[T]) -> Option<&[T; N]> {
    // SAFETY: the slice has `N` elements, which an array of them has in the same places.
    if N <= s.len() { Some(unsafe { &*(s.as_ptr() as *const [T; N]) }) } else { None }
}

/// `last_chunk`
pub fn slice_last_chunk<T, const N: usize>(s: &[T]) -> Option<&[T; N]> {
    let n = s.len();
    // SAFETY: the slice has `N` elements from there to its end, which an array of them has in the same places.
    if N <= n { Some(unsafe { &*(s.as_ptr().add(n - N) as *const [T; N]) }) } else { None }
}

/// `split_first_chunk`
pub fn slice_split_first_chunk<T, const N: usize>(s: &[T]) -> Option<(&[T; N], &[T])> {
    // SAFETY: the slice has `N` elements, which an array of them has in the same places.
    if N <= s.len() { Some((unsafe { &*(s.as_ptr() as *const [T; N]) }, &s[N..])) } else { None }
}

/// `split_last_chunk`
pub fn slice_split_last_chunk<T, const N: usize>(s: &[T]) -> Option<(&[T], &[T; N])> {
    let n = s.len();
    // SAFETY: the slice has `N` elements from there to its end, which an array of them has in the same places.
    if N <= n { Some((&s[..n - N], unsafe { &*(s.as_ptr().add(n - N) as *const [T; N]) })) } else { None }
}

/// `first_chunk_mut`
pub fn slice_first_chunk_mut<T, const N: usize>(s: &mut [T]) -> Option<&mut [T; N]> {
    // SAFETY: as for `first_chunk`; the slice is lent to the array.
    if N <= s.len() { Some(unsafe { &mut *(s.as_mut_ptr() as *mut [T; N]) }) } else { None }
}

/// `last_chunk_mut`
pub fn slice_last_chunk_mut<T, const N: usize>(s: &mut [T]) -> Option<&mut [T; N]> {
    let n = s.len();
    // SAFETY: as for `last_chunk`; the slice is lent to the array.
    if N <= n { Some(unsafe { &mut *(s.as_mut_ptr().add(n - N) as *mut [T; N]) }) } else { None }
}

/// `split_first_chunk_mut`
pub fn slice_split_first_chunk_mut<T, const N: usize>(s: &mut [T]) -> Option<(&mut [T; N], &mut [T])> {
    if N > s.len() {
        return None;
    }
    let (first, rest) = s.split_at_mut(N);
    // SAFETY: the first part has `N` elements.
    Some((unsafe { &mut *(first.as_mut_ptr() as *mut [T; N]) }, rest))
}

/// `split_last_chunk_mut`
pub fn slice_split_last_chunk_mut<T, const N: usize>(s: &mut [T]) -> Option<(&mut [T], &mut [T; N])> {
    let n = s.len();
    if N > n {
        return None;
    }
    let (rest, last) = s.split_at_mut(n - N);
    // SAFETY: the last part has `N` elements.
    Some((rest, unsafe { &mut *(last.as_mut_ptr() as *mut [T; N]) }))
}

/// `copy_within(a..b, to)`
pub fn slice_copy_within_range<T: Copy>(s: &mut [T], start: usize, end: usize, dest: usize) {
    let n = s[start..end].len();
    if dest > s.len() - n {
        panic!("dest is out of bounds");
    }
    for i in 0..n {
        // Copies to lower places begin with the first element, to higher ones with the last: none is overwritten before it is copied.
        let i = if dest <= start { i } else { n - 1 - i };
        s[dest + i] = s[start + i];
    }
}

/// `copy_within(a..=b, to)`
pub fn slice_copy_within_range_inclusive<T: Copy>(s: &mut [T], start: usize, end: usize, dest: usize) {
    let n = s[start..=end].len();
    slice_copy_within_range(s, start, start + n, dest);
}

/// `copy_within(a.., to)`
pub fn slice_copy_within_range_from<T: Copy>(s: &mut [T], start: usize, dest: usize) {
    let n = s[start..].len();
    slice_copy_within_range(s, start, start + n, dest);
}

/// `copy_within(..b, to)`
pub fn slice_copy_within_range_to<T: Copy>(s: &mut [T], end: usize, dest: usize) {
    slice_copy_within_range(s, 0, end, dest);
}

/// `copy_within(..=b, to)`
pub fn slice_copy_within_range_to_inclusive<T: Copy>(s: &mut [T], end: usize, dest: usize) {
    slice_copy_within_range_inclusive(s, 0, end, dest);
}

/// `copy_within(.., to)`
pub fn slice_copy_within_range_full<T: Copy>(s: &mut [T], dest: usize) {
    let n = s.len();
    slice_copy_within_range(s, 0, n, dest);
}

/// `try_into` to an array: the error says no more than that the lengths differ.
pub fn slice_try_into<T: Copy, const N: usize>(s: &[T]) -> Result<[T; N], ()> {
    if s.len() != N {
        return Err(());
    }
    Ok(core::array::from_fn(|i| s[i]))
}

/// `try_into` to a reference to an array
pub fn slice_try_into_ref<T, const N: usize>(s: &[T]) -> Result<&[T; N], ()> {
    if s.len() != N {
        return Err(());
    }
    // SAFETY: the slice has `N` elements, which an array of them has in the same places.
    Ok(unsafe { &*(s.as_ptr() as *const [T; N]) })
}

/// `try_into` to a mutable reference to an array
pub fn slice_try_into_mut<T, const N: usize>(s: &mut [T]) -> Result<&mut [T; N], ()> {
    if s.len() != N {
        return Err(());
    }
    // SAFETY: as above.
    Ok(unsafe { &mut *(s.as_mut_ptr() as *mut [T; N]) })
}

/// `as_chunks`
pub fn slice_as_chunks<T, const N: usize>(s: &[T]) -> (&[[T; N]], &[T]) {
    assert!(N != 0, "chunk size must be non-zero");
    let n = s.len() / N;
    // SAFETY: the slice has at least `n * N` elements, which so many arrays have in the same places.
    let chunks = unsafe { core::slice::from_raw_parts(s.as_ptr() as *const [T; N], n) };
    (chunks, &s[n * N..])
}

/// `as_flattened`
pub fn slice_as_flattened<T, const N: usize>(s: &[[T; N]]) -> &[T] {
    // SAFETY: each array has `N` elements, one after the other.
    unsafe { core::slice::from_raw_parts(s.as_ptr() as *const T, s.len() * N) }
}

/// `as_flattened_mut`
pub fn slice_as_flattened_mut<T, const N: usize>(s: &mut [[T; N]]) -> &mut [T] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts_mut(s.as_mut_ptr() as *mut T, s.len() * N) }
}
