//! Reductions and scans over the lanes of a warp.
//!
//! All 32 lanes take part, or with `width`, a power of two, all lanes of each segment of so many. The operations are done in
//! the order of the compiled ones, so that floats agree to the bit.

use super::warp::{ballot, lane_id, shfl_idx, shfl_up, shfl_xor};
use super::{Int, Number};
use crate::element::Element;

/// All pairs at a distance of half the width, then of a quarter, and so on.
#[track_caller]
pub(super) fn reduce<T: Element>(value: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let distances = [16, 8, 4, 2, 1].into_iter().filter(|&distance| width > distance);
    let mut v = value;
    for distance in distances {
        v = combine(v, shfl_xor(v, distance));
    }
    v
}

/// The lane at a distance of 1 below, then of 2, and so on.
#[track_caller]
pub(super) fn scan<T: Element>(value: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let lane = lane_id() as u32 & width.wrapping_sub(1);
    let distances = [1, 2, 4, 8, 16].into_iter().filter(|&distance| width > distance);
    let mut v = value;
    for distance in distances {
        let below = shfl_up(v, distance);
        v = if lane >= distance { combine(below, v) } else { v };
    }
    v
}

/// The sum of all 32 lanes, in each of them.
#[track_caller]
pub fn reduce_add<T: Number>(v: T) -> T {
    reduce(v, 32, |a, b| a.plus(b))
}

/// The sum of the `width` lanes of a segment, in each of them.
#[track_caller]
pub fn reduce_add_width<T: Number>(v: T, width: u32) -> T {
    reduce(v, width, |a, b| a.plus(b))
}

/// The product of all 32 lanes, in each of them.
#[track_caller]
pub fn reduce_mul<T: Number>(v: T) -> T {
    reduce(v, 32, |a, b| a.times(b))
}

/// The product of the `width` lanes of a segment, in each of them.
#[track_caller]
pub fn reduce_mul_width<T: Number>(v: T, width: u32) -> T {
    reduce(v, width, |a, b| a.times(b))
}

/// The least of all 32 lanes, in each of them.
#[track_caller]
pub fn reduce_min<T: Number>(v: T) -> T {
    reduce(v, 32, |a, b| a.least(b))
}

/// The least of the `width` lanes of a segment, in each of them.
#[track_caller]
pub fn reduce_min_width<T: Number>(v: T, width: u32) -> T {
    reduce(v, width, |a, b| a.least(b))
}

/// The greatest of all 32 lanes, in each of them.
#[track_caller]
pub fn reduce_max<T: Number>(v: T) -> T {
    reduce(v, 32, |a, b| a.greatest(b))
}

/// The greatest of the `width` lanes of a segment, in each of them.
#[track_caller]
pub fn reduce_max_width<T: Number>(v: T, width: u32) -> T {
    reduce(v, width, |a, b| a.greatest(b))
}

/// The conjunction of all 32 lanes, in each of them.
#[track_caller]
pub fn reduce_and<T: Int>(v: T) -> T {
    reduce(v, 32, |a, b| a & b)
}

/// The conjunction of the `width` lanes of a segment, in each of them.
#[track_caller]
pub fn reduce_and_width<T: Int>(v: T, width: u32) -> T {
    reduce(v, width, |a, b| a & b)
}

/// The disjunction of all 32 lanes, in each of them.
#[track_caller]
pub fn reduce_or<T: Int>(v: T) -> T {
    reduce(v, 32, |a, b| a | b)
}

/// The disjunction of the `width` lanes of a segment, in each of them.
#[track_caller]
pub fn reduce_or_width<T: Int>(v: T, width: u32) -> T {
    reduce(v, width, |a, b| a | b)
}

/// The exclusive disjunction of all 32 lanes, in each of them.
#[track_caller]
pub fn reduce_xor<T: Int>(v: T) -> T {
    reduce(v, 32, |a, b| a ^ b)
}

/// The exclusive disjunction of the `width` lanes of a segment, in each of them.
#[track_caller]
pub fn reduce_xor_width<T: Int>(v: T, width: u32) -> T {
    reduce(v, width, |a, b| a ^ b)
}

/// The sum of the lanes up to this one.
#[track_caller]
pub fn scan_add<T: Number>(v: T) -> T {
    scan(v, 32, |a, b| a.plus(b))
}

/// The sum of the segment's lanes up to this one.
#[track_caller]
pub fn scan_add_width<T: Number>(v: T, width: u32) -> T {
    scan(v, width, |a, b| a.plus(b))
}

/// The least of the lanes up to this one.
#[track_caller]
pub fn scan_min<T: Number>(v: T) -> T {
    scan(v, 32, |a, b| a.least(b))
}

/// The least of the segment's lanes up to this one.
#[track_caller]
pub fn scan_min_width<T: Number>(v: T, width: u32) -> T {
    scan(v, width, |a, b| a.least(b))
}

/// The greatest of the lanes up to this one.
#[track_caller]
pub fn scan_max<T: Number>(v: T) -> T {
    scan(v, 32, |a, b| a.greatest(b))
}

/// The greatest of the segment's lanes up to this one.
#[track_caller]
pub fn scan_max_width<T: Number>(v: T, width: u32) -> T {
    scan(v, width, |a, b| a.greatest(b))
}

/// The sum of the lanes below this one, zero in the first.
#[track_caller]
pub fn exclusive_scan_add<T: Number>(v: T) -> T {
    exclusive_scan_add_width(v, 32)
}

/// The sum of the segment's lanes below this one, zero in its first.
#[track_caller]
pub fn exclusive_scan_add_width<T: Number>(v: T, width: u32) -> T {
    let below = shfl_up(scan_add_width(v, width), 1);
    if lane_id() as u32 & width.wrapping_sub(1) == 0 { T::ZERO } else { below }
}

/// The value of `lane`, in all.
#[track_caller]
pub fn broadcast<T: Element>(v: T, lane: u32) -> T {
    shfl_idx(v, lane)
}

/// In how many lanes the condition holds.
#[track_caller]
pub fn count(condition: bool) -> u32 {
    ballot(condition).count_ones()
}
