//! Paths from the root of the crate that name the `#[kernel_module]` itself: `crate::waves::Wave`.

/// The places in a path from the root of the crate, `crate` aside, where the module may be named: from the left, as a module or a function
/// in it may have its name. The last name is the module only if no name before it is.
pub fn places<'p>(path: &'p [String], own: &'p str) -> impl Iterator<Item = usize> + 'p {
    (0..path.len()).filter(move |&index| path[index] == own)
}
