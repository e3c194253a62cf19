//! Slices taken apart for writing. rustc would have to be told that the parts are apart.

/// `split_at_mut`
pub fn slice_split_at_mut<T>(s: &mut [T], mid: usize) -> (&mut [T], &mut [T]) {
    if mid > s.len() {
        panic!("mid > len");
    }
    (&mut s[..mid], &mut s[mid..])
}

/// `split_at_mut_checked`
pub fn slice_split_at_mut_checked<T>(s: &mut [T], mid: usize) -> Option<(&mut [T], &mut [T])> {
    if mid <= s.len() { Some((&mut s[..mid], &mut s[mid..])) } else { None }
}

/// `split_first_mut`
pub fn slice_split_first_mut<T>(s: &mut [T]) -> Option<(&mut T, &mut [T])> {
    if s.len() > 0 { Some((&mut s[0], &mut s[1..])) } else { None }
}

/// `split_last_mut`
pub fn slice_split_last_mut<T>(s: &mut [T]) -> Option<(&mut T, &mut [T])> {
    let n = s.len();
    if n > 0 { Some((&mut s[n - 1], &mut s[..n - 1])) } else { None }
}

/// `swap_with_slice`
pub fn slice_swap_with_slice<T: Copy>(s: &mut [T], other: &mut [T]) {
    if s.len() != other.len() {
        panic!("destination and source slices have different lengths");
    }
    for i in 0..s.len() {
        let value = s[i];
        s[i] = other[i];
        other[i] = value;
    }
}

/// `as_chunks_mut`
pub fn slice_as_chunks_mut<T, const N: usize>(s: &mut [T]) -> (&mut [[T; N]], &mut [T]) {
    assert!(N != 0, "chunk size must be non-zero");
    let n = s.len() / N;
    // SAFETY: the slice has at least `n * N` elements, which so many arrays have in the same places.
    let chunks = unsafe { core::slice::from_raw_parts_mut(s.as_mut_ptr() as *mut [T; N], n) };
    (chunks, &mut s[n * N..])
}
