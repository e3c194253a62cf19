//! The greatest and the least value of a warp or a block with its index.
//!
//! In no file that rustc compiles: there no pair is an element. NaN is beside all numbers: it is found only if there is nothing else. Of equal
//! values, and of several NaN, the one with the least index is found, so that the order in which they are compared does not matter.

use super::block_collectives::*;
use super::warp_collectives::*;

/// Of two values with their indices, the greater one.
pub fn greater_with_index<T: Number, I: Int>(a: (T, I), b: (T, I)) -> (T, I) {
    let is_beyond = b.0 > a.0 || a.0 != a.0 && b.0 == b.0;
    let is_same = b.0 == a.0 || a.0 != a.0 && b.0 != b.0;
    if is_beyond || is_same && b.1 < a.1 { b } else { a }
}

/// Of two values with their indices, the lesser one.
pub fn lesser_with_index<T: Number, I: Int>(a: (T, I), b: (T, I)) -> (T, I) {
    let is_beyond = b.0 < a.0 || a.0 != a.0 && b.0 == b.0;
    let is_same = b.0 == a.0 || a.0 != a.0 && b.0 != b.0;
    if is_beyond || is_same && b.1 < a.1 { b } else { a }
}

pub fn warp_arg_max<T: Number, I: Int>(v: T, index: I) -> (T, I) {
    warp_reduce((v, index), 32, |a, b| greater_with_index(a, b))
}

pub fn warp_arg_min<T: Number, I: Int>(v: T, index: I) -> (T, I) {
    warp_reduce((v, index), 32, |a, b| lesser_with_index(a, b))
}

pub fn block_arg_max<T: Number, I: Int>(v: T, index: I) -> (T, I) {
    block_reduce((v, index), |a, b| greater_with_index(a, b))
}

pub fn block_arg_min<T: Number, I: Int>(v: T, index: I) -> (T, I) {
    block_reduce((v, index), |a, b| lesser_with_index(a, b))
}
