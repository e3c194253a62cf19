//! Slices taken apart for writing. rustc would have to be told that the parts are apart.

/// `split_at_mut`
pub fn slice_split_at_mut<T>(s: &mut [T], mid: usize) -> (&mut [T], &mut [T]) {
    if mid > s.len() {
        panic!("mid > len");
    }
    (&mut s[..mid], &mut s[mid..])
}
