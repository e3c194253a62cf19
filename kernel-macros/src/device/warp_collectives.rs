//! Reductions and scans over the lanes of a warp, by shuffles.
//!
//! The order of the operations is part of what they are: the CPU's copies in the runtime keep it, so that floats agree.

use super::vocabulary::*;

/// The sum of all 32 lanes, in each of them.
pub fn warp_reduce_add<T: Number>(v: T) -> T {
    let v = v + warp::shfl_xor(v, 16);
    let v = v + warp::shfl_xor(v, 8);
    let v = v + warp::shfl_xor(v, 4);
    let v = v + warp::shfl_xor(v, 2);
    v + warp::shfl_xor(v, 1)
}

/// The sum of the `width` lanes of a segment, in each of them; the width is a power of two.
pub fn warp_reduce_add_width<T: Number>(v: T, width: u32) -> T {
    let v = if width > 16 { v + warp::shfl_xor(v, 16) } else { v };
    let v = if width > 8 { v + warp::shfl_xor(v, 8) } else { v };
    let v = if width > 4 { v + warp::shfl_xor(v, 4) } else { v };
    let v = if width > 2 { v + warp::shfl_xor(v, 2) } else { v };
    if width > 1 { v + warp::shfl_xor(v, 1) } else { v }
}

/// The product of all 32 lanes, in each of them.
pub fn warp_reduce_mul<T: Number>(v: T) -> T {
    let v = v * warp::shfl_xor(v, 16);
    let v = v * warp::shfl_xor(v, 8);
    let v = v * warp::shfl_xor(v, 4);
    let v = v * warp::shfl_xor(v, 2);
    v * warp::shfl_xor(v, 1)
}

/// The product of the `width` lanes of a segment, in each of them; the width is a power of two.
pub fn warp_reduce_mul_width<T: Number>(v: T, width: u32) -> T {
    let v = if width > 16 { v * warp::shfl_xor(v, 16) } else { v };
    let v = if width > 8 { v * warp::shfl_xor(v, 8) } else { v };
    let v = if width > 4 { v * warp::shfl_xor(v, 4) } else { v };
    let v = if width > 2 { v * warp::shfl_xor(v, 2) } else { v };
    if width > 1 { v * warp::shfl_xor(v, 1) } else { v }
}

/// The least of all 32 lanes, in each of them.
pub fn warp_reduce_min_int<T: Int>(v: T) -> T {
    let v = v.min(warp::shfl_xor(v, 16));
    let v = v.min(warp::shfl_xor(v, 8));
    let v = v.min(warp::shfl_xor(v, 4));
    let v = v.min(warp::shfl_xor(v, 2));
    v.min(warp::shfl_xor(v, 1))
}

/// The least of the `width` lanes of a segment, in each of them; the width is a power of two.
pub fn warp_reduce_min_int_width<T: Int>(v: T, width: u32) -> T {
    let v = if width > 16 { v.min(warp::shfl_xor(v, 16)) } else { v };
    let v = if width > 8 { v.min(warp::shfl_xor(v, 8)) } else { v };
    let v = if width > 4 { v.min(warp::shfl_xor(v, 4)) } else { v };
    let v = if width > 2 { v.min(warp::shfl_xor(v, 2)) } else { v };
    if width > 1 { v.min(warp::shfl_xor(v, 1)) } else { v }
}

/// The greatest of all 32 lanes, in each of them.
pub fn warp_reduce_max_int<T: Int>(v: T) -> T {
    let v = v.max(warp::shfl_xor(v, 16));
    let v = v.max(warp::shfl_xor(v, 8));
    let v = v.max(warp::shfl_xor(v, 4));
    let v = v.max(warp::shfl_xor(v, 2));
    v.max(warp::shfl_xor(v, 1))
}

/// The greatest of the `width` lanes of a segment, in each of them; the width is a power of two.
pub fn warp_reduce_max_int_width<T: Int>(v: T, width: u32) -> T {
    let v = if width > 16 { v.max(warp::shfl_xor(v, 16)) } else { v };
    let v = if width > 8 { v.max(warp::shfl_xor(v, 8)) } else { v };
    let v = if width > 4 { v.max(warp::shfl_xor(v, 4)) } else { v };
    let v = if width > 2 { v.max(warp::shfl_xor(v, 2)) } else { v };
    if width > 1 { v.max(warp::shfl_xor(v, 1)) } else { v }
}

/// The least of all 32 lanes, in each of them.
pub fn warp_reduce_min_float<T: Float>(v: T) -> T {
    let v = v.min(warp::shfl_xor(v, 16));
    let v = v.min(warp::shfl_xor(v, 8));
    let v = v.min(warp::shfl_xor(v, 4));
    let v = v.min(warp::shfl_xor(v, 2));
    v.min(warp::shfl_xor(v, 1))
}

/// The least of the `width` lanes of a segment, in each of them; the width is a power of two.
pub fn warp_reduce_min_float_width<T: Float>(v: T, width: u32) -> T {
    let v = if width > 16 { v.min(warp::shfl_xor(v, 16)) } else { v };
    let v = if width > 8 { v.min(warp::shfl_xor(v, 8)) } else { v };
    let v = if width > 4 { v.min(warp::shfl_xor(v, 4)) } else { v };
    let v = if width > 2 { v.min(warp::shfl_xor(v, 2)) } else { v };
    if width > 1 { v.min(warp::shfl_xor(v, 1)) } else { v }
}

/// The greatest of all 32 lanes, in each of them.
pub fn warp_reduce_max_float<T: Float>(v: T) -> T {
    let v = v.max(warp::shfl_xor(v, 16));
    let v = v.max(warp::shfl_xor(v, 8));
    let v = v.max(warp::shfl_xor(v, 4));
    let v = v.max(warp::shfl_xor(v, 2));
    v.max(warp::shfl_xor(v, 1))
}

/// The greatest of the `width` lanes of a segment, in each of them; the width is a power of two.
pub fn warp_reduce_max_float_width<T: Float>(v: T, width: u32) -> T {
    let v = if width > 16 { v.max(warp::shfl_xor(v, 16)) } else { v };
    let v = if width > 8 { v.max(warp::shfl_xor(v, 8)) } else { v };
    let v = if width > 4 { v.max(warp::shfl_xor(v, 4)) } else { v };
    let v = if width > 2 { v.max(warp::shfl_xor(v, 2)) } else { v };
    if width > 1 { v.max(warp::shfl_xor(v, 1)) } else { v }
}

/// The conjunction of all 32 lanes, in each of them.
pub fn warp_reduce_and<T: Int>(v: T) -> T {
    let v = v & warp::shfl_xor(v, 16);
    let v = v & warp::shfl_xor(v, 8);
    let v = v & warp::shfl_xor(v, 4);
    let v = v & warp::shfl_xor(v, 2);
    v & warp::shfl_xor(v, 1)
}

/// The conjunction of the `width` lanes of a segment, in each of them; the width is a power of two.
pub fn warp_reduce_and_width<T: Int>(v: T, width: u32) -> T {
    let v = if width > 16 { v & warp::shfl_xor(v, 16) } else { v };
    let v = if width > 8 { v & warp::shfl_xor(v, 8) } else { v };
    let v = if width > 4 { v & warp::shfl_xor(v, 4) } else { v };
    let v = if width > 2 { v & warp::shfl_xor(v, 2) } else { v };
    if width > 1 { v & warp::shfl_xor(v, 1) } else { v }
}

/// The disjunction of all 32 lanes, in each of them.
pub fn warp_reduce_or<T: Int>(v: T) -> T {
    let v = v | warp::shfl_xor(v, 16);
    let v = v | warp::shfl_xor(v, 8);
    let v = v | warp::shfl_xor(v, 4);
    let v = v | warp::shfl_xor(v, 2);
    v | warp::shfl_xor(v, 1)
}

/// The disjunction of the `width` lanes of a segment, in each of them; the width is a power of two.
pub fn warp_reduce_or_width<T: Int>(v: T, width: u32) -> T {
    let v = if width > 16 { v | warp::shfl_xor(v, 16) } else { v };
    let v = if width > 8 { v | warp::shfl_xor(v, 8) } else { v };
    let v = if width > 4 { v | warp::shfl_xor(v, 4) } else { v };
    let v = if width > 2 { v | warp::shfl_xor(v, 2) } else { v };
    if width > 1 { v | warp::shfl_xor(v, 1) } else { v }
}

/// The exclusive disjunction of all 32 lanes, in each of them.
pub fn warp_reduce_xor<T: Int>(v: T) -> T {
    let v = v ^ warp::shfl_xor(v, 16);
    let v = v ^ warp::shfl_xor(v, 8);
    let v = v ^ warp::shfl_xor(v, 4);
    let v = v ^ warp::shfl_xor(v, 2);
    v ^ warp::shfl_xor(v, 1)
}

/// The exclusive disjunction of the `width` lanes of a segment, in each of them; the width is a power of two.
pub fn warp_reduce_xor_width<T: Int>(v: T, width: u32) -> T {
    let v = if width > 16 { v ^ warp::shfl_xor(v, 16) } else { v };
    let v = if width > 8 { v ^ warp::shfl_xor(v, 8) } else { v };
    let v = if width > 4 { v ^ warp::shfl_xor(v, 4) } else { v };
    let v = if width > 2 { v ^ warp::shfl_xor(v, 2) } else { v };
    if width > 1 { v ^ warp::shfl_xor(v, 1) } else { v }
}

/// The sum of the lanes up to this one.
pub fn warp_scan_add<T: Number>(v: T) -> T {
    let lane = warp::lane_id();
    let below = warp::shfl_up(v, 1);
    let v = if lane >= 1 { below + v } else { v };
    let below = warp::shfl_up(v, 2);
    let v = if lane >= 2 { below + v } else { v };
    let below = warp::shfl_up(v, 4);
    let v = if lane >= 4 { below + v } else { v };
    let below = warp::shfl_up(v, 8);
    let v = if lane >= 8 { below + v } else { v };
    let below = warp::shfl_up(v, 16);
    if lane >= 16 { below + v } else { v }
}

/// The sum of the segment's lanes up to this one; the width is a power of two.
pub fn warp_scan_add_width<T: Number>(v: T, width: u32) -> T {
    let lane = (warp::lane_id() as u32) & width.wrapping_sub(1);
    let v = if width > 1 { warp_scan_step_add(v, lane, 1) } else { v };
    let v = if width > 2 { warp_scan_step_add(v, lane, 2) } else { v };
    let v = if width > 4 { warp_scan_step_add(v, lane, 4) } else { v };
    let v = if width > 8 { warp_scan_step_add(v, lane, 8) } else { v };
    if width > 16 { warp_scan_step_add(v, lane, 16) } else { v }
}

/// A step of the scan in a segment.
pub fn warp_scan_step_add<T: Number>(v: T, lane: u32, distance: u32) -> T {
    let below = warp::shfl_up(v, distance);
    if lane >= distance { below + v } else { v }
}

/// The least of the lanes up to this one.
pub fn warp_scan_min_int<T: Int>(v: T) -> T {
    let lane = warp::lane_id();
    let below = warp::shfl_up(v, 1);
    let v = if lane >= 1 { v.min(below) } else { v };
    let below = warp::shfl_up(v, 2);
    let v = if lane >= 2 { v.min(below) } else { v };
    let below = warp::shfl_up(v, 4);
    let v = if lane >= 4 { v.min(below) } else { v };
    let below = warp::shfl_up(v, 8);
    let v = if lane >= 8 { v.min(below) } else { v };
    let below = warp::shfl_up(v, 16);
    if lane >= 16 { v.min(below) } else { v }
}

/// The least of the segment's lanes up to this one; the width is a power of two.
pub fn warp_scan_min_int_width<T: Int>(v: T, width: u32) -> T {
    let lane = (warp::lane_id() as u32) & width.wrapping_sub(1);
    let v = if width > 1 { warp_scan_step_min_int(v, lane, 1) } else { v };
    let v = if width > 2 { warp_scan_step_min_int(v, lane, 2) } else { v };
    let v = if width > 4 { warp_scan_step_min_int(v, lane, 4) } else { v };
    let v = if width > 8 { warp_scan_step_min_int(v, lane, 8) } else { v };
    if width > 16 { warp_scan_step_min_int(v, lane, 16) } else { v }
}

/// A step of the scan in a segment.
pub fn warp_scan_step_min_int<T: Int>(v: T, lane: u32, distance: u32) -> T {
    let below = warp::shfl_up(v, distance);
    if lane >= distance { v.min(below) } else { v }
}

/// The greatest of the lanes up to this one.
pub fn warp_scan_max_int<T: Int>(v: T) -> T {
    let lane = warp::lane_id();
    let below = warp::shfl_up(v, 1);
    let v = if lane >= 1 { v.max(below) } else { v };
    let below = warp::shfl_up(v, 2);
    let v = if lane >= 2 { v.max(below) } else { v };
    let below = warp::shfl_up(v, 4);
    let v = if lane >= 4 { v.max(below) } else { v };
    let below = warp::shfl_up(v, 8);
    let v = if lane >= 8 { v.max(below) } else { v };
    let below = warp::shfl_up(v, 16);
    if lane >= 16 { v.max(below) } else { v }
}

/// The greatest of the segment's lanes up to this one; the width is a power of two.
pub fn warp_scan_max_int_width<T: Int>(v: T, width: u32) -> T {
    let lane = (warp::lane_id() as u32) & width.wrapping_sub(1);
    let v = if width > 1 { warp_scan_step_max_int(v, lane, 1) } else { v };
    let v = if width > 2 { warp_scan_step_max_int(v, lane, 2) } else { v };
    let v = if width > 4 { warp_scan_step_max_int(v, lane, 4) } else { v };
    let v = if width > 8 { warp_scan_step_max_int(v, lane, 8) } else { v };
    if width > 16 { warp_scan_step_max_int(v, lane, 16) } else { v }
}

/// A step of the scan in a segment.
pub fn warp_scan_step_max_int<T: Int>(v: T, lane: u32, distance: u32) -> T {
    let below = warp::shfl_up(v, distance);
    if lane >= distance { v.max(below) } else { v }
}

/// The least of the lanes up to this one.
pub fn warp_scan_min_float<T: Float>(v: T) -> T {
    let lane = warp::lane_id();
    let below = warp::shfl_up(v, 1);
    let v = if lane >= 1 { v.min(below) } else { v };
    let below = warp::shfl_up(v, 2);
    let v = if lane >= 2 { v.min(below) } else { v };
    let below = warp::shfl_up(v, 4);
    let v = if lane >= 4 { v.min(below) } else { v };
    let below = warp::shfl_up(v, 8);
    let v = if lane >= 8 { v.min(below) } else { v };
    let below = warp::shfl_up(v, 16);
    if lane >= 16 { v.min(below) } else { v }
}

/// The least of the segment's lanes up to this one; the width is a power of two.
pub fn warp_scan_min_float_width<T: Float>(v: T, width: u32) -> T {
    let lane = (warp::lane_id() as u32) & width.wrapping_sub(1);
    let v = if width > 1 { warp_scan_step_min_float(v, lane, 1) } else { v };
    let v = if width > 2 { warp_scan_step_min_float(v, lane, 2) } else { v };
    let v = if width > 4 { warp_scan_step_min_float(v, lane, 4) } else { v };
    let v = if width > 8 { warp_scan_step_min_float(v, lane, 8) } else { v };
    if width > 16 { warp_scan_step_min_float(v, lane, 16) } else { v }
}

/// A step of the scan in a segment.
pub fn warp_scan_step_min_float<T: Float>(v: T, lane: u32, distance: u32) -> T {
    let below = warp::shfl_up(v, distance);
    if lane >= distance { v.min(below) } else { v }
}

/// The greatest of the lanes up to this one.
pub fn warp_scan_max_float<T: Float>(v: T) -> T {
    let lane = warp::lane_id();
    let below = warp::shfl_up(v, 1);
    let v = if lane >= 1 { v.max(below) } else { v };
    let below = warp::shfl_up(v, 2);
    let v = if lane >= 2 { v.max(below) } else { v };
    let below = warp::shfl_up(v, 4);
    let v = if lane >= 4 { v.max(below) } else { v };
    let below = warp::shfl_up(v, 8);
    let v = if lane >= 8 { v.max(below) } else { v };
    let below = warp::shfl_up(v, 16);
    if lane >= 16 { v.max(below) } else { v }
}

/// The greatest of the segment's lanes up to this one; the width is a power of two.
pub fn warp_scan_max_float_width<T: Float>(v: T, width: u32) -> T {
    let lane = (warp::lane_id() as u32) & width.wrapping_sub(1);
    let v = if width > 1 { warp_scan_step_max_float(v, lane, 1) } else { v };
    let v = if width > 2 { warp_scan_step_max_float(v, lane, 2) } else { v };
    let v = if width > 4 { warp_scan_step_max_float(v, lane, 4) } else { v };
    let v = if width > 8 { warp_scan_step_max_float(v, lane, 8) } else { v };
    if width > 16 { warp_scan_step_max_float(v, lane, 16) } else { v }
}

/// A step of the scan in a segment.
pub fn warp_scan_step_max_float<T: Float>(v: T, lane: u32, distance: u32) -> T {
    let below = warp::shfl_up(v, distance);
    if lane >= distance { v.max(below) } else { v }
}

/// The sum of the lanes below this one, zero in the first.
pub fn warp_exclusive_scan_add<T: Number>(v: T) -> T {
    let below = warp::shfl_up(warp_scan_add(v), 1);
    if warp::lane_id() == 0 { T::ZERO } else { below }
}

/// The sum of the segment's lanes below this one, zero in its first; the width is a power of two.
pub fn warp_exclusive_scan_add_width<T: Number>(v: T, width: u32) -> T {
    let below = warp::shfl_up(warp_scan_add_width(v, width), 1);
    if ((warp::lane_id() as u32) & width.wrapping_sub(1)) == 0 { T::ZERO } else { below }
}

/// The value of one lane, in all.
pub fn warp_broadcast<T: Element>(v: T, lane: u32) -> T {
    warp::shfl_idx(v, lane)
}

/// In how many lanes the condition holds.
pub fn warp_count(condition: bool) -> u32 {
    warp::ballot(condition).count_ones()
}
