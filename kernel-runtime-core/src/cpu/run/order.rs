//! Orders by which iterators are compared in the run copies.

use std::cmp::Ordering;

use super::Option;

/// The order of values that are not NaN: what is compared by it has a total one.
pub fn order<T: PartialOrd>(a: &T, b: &T) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Equal)
}

/// A closure over pointers that gives the number of an `Ordering`, as one over references.
pub fn by_order<T>(mut function: impl FnMut(*mut T, *mut T) -> i8) -> impl FnMut(&T, &T) -> Ordering {
    move |a, b| function(std::ptr::from_ref(a).cast_mut(), std::ptr::from_ref(b).cast_mut()).cmp(&0)
}

/// Each item after its key.
pub fn with_keys<T, K>(
    items: impl Iterator<Item = T>,
    mut key: impl FnMut(*mut T) -> K,
) -> impl Iterator<Item = (K, T)> {
    items.map(move |mut item| (key(&raw mut item), item))
}

/// The order of the keys.
pub fn order_of_keys<T, K: PartialOrd>(a: &(K, T), b: &(K, T)) -> Ordering {
    order(&a.0, &b.0)
}

/// The item after its key.
pub fn value_with_key<T, K>(found: std::option::Option<(K, T)>) -> Option<T> {
    Option::of(found.map(|(_, item)| item))
}
