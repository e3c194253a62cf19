//! Reductions and scans over the lanes of a warp, by shuffles. Those with a name for each operation are in `collectives`.
//!
//! A width is a power of two up to 32: lanes of different segments of so many have nothing to do with each other. The order
//! of the operations is part of what they are: the CPU's copies in the runtime keep it, so that floats agree.

use super::vocabulary::*;

/// All lanes of a segment together, in each of them: pairs at a distance of half the width, then of a quarter, and so on.
pub fn warp_reduce<T: Element>(v: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let step =
        |v: T, distance: u32| if distance < width { combine(v, warp::shfl_xor(v, distance)) } else { v };
    step(step(step(step(step(v, 16), 8), 4), 2), 1)
}

/// The reduction over the lanes of `mask` in a segment: at each distance the lane reads from any lane of `mask` that holds its
/// partner's partial result. These are the lanes that agree with the partner in the bits below twice the distance.
pub fn warp_reduce_members<T: Element>(mask: u32, v: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let lane = warp::lane_id() as u32;
    let members = mask & warp_segment(width);
    let step = |v: T, distance: u32, every: u32| {
        if distance < width {
            let partners = members & (every << ((lane ^ distance) & ((distance << 1) - 1)));
            let source = if partners == 0 { lane } else { partners.trailing_zeros() };
            let other = warp::shfl_idx_sync(mask, v, source);
            if partners == 0 { v } else { combine(v, other) }
        } else {
            v
        }
    };
    let v = step(step(step(v, 16, 1), 8, 0x0001_0001), 4, 0x0101_0101);
    step(step(v, 2, 0x1111_1111), 1, 0x5555_5555)
}

/// The lanes of a segment up to this one together: the lane at a distance of 1 below, then of 2, and so on. `mask` has no gaps.
pub fn warp_scan<T: Element>(mask: u32, v: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let lane = (warp::lane_id() as u32) & width.wrapping_sub(1);
    let step = |v: T, distance: u32| {
        if distance < width {
            let below = warp::shfl_up_sync(mask, v, distance);
            if lane >= distance { combine(below, v) } else { v }
        } else {
            v
        }
    };
    step(step(step(step(step(v, 1), 2), 4), 8), 16)
}

/// The inclusive scan over the lanes of `mask` in a segment: each lane tracks the nearest lane below that its value does not cover.
pub fn warp_scan_members<T: Element>(mask: u32, v: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let lane = warp::lane_id() as u32;
    let step = |(v, next): (T, u32), distance: u32| {
        if distance < width {
            let source = if next < 32 { next } else { lane };
            let other = warp::shfl_idx_sync(mask, v, source);
            let beyond = warp::shfl_idx_sync(mask, next, source);
            if next < 32 { (combine(other, v), beyond) } else { (v, next) }
        } else {
            (v, next)
        }
    };
    let first = (v, warp_below(mask, width));
    step(step(step(step(step(first, 1), 2), 4), 8), 16).0
}

/// The value of the lane below; `first` in the first lane of a segment.
pub fn warp_before<T: Element>(inclusive: T, width: u32, first: T) -> T {
    let below = warp::shfl_up(inclusive, 1);
    if ((warp::lane_id() as u32) & width.wrapping_sub(1)) == 0 { first } else { below }
}

/// The value of the next lane of `mask` below; `first` in the first such lane of a segment.
pub fn warp_before_members<T: Element>(mask: u32, inclusive: T, width: u32, first: T) -> T {
    let below = warp_below(mask, width);
    let source = if below < 32 { below } else { warp::lane_id() as u32 };
    let other = warp::shfl_idx_sync(mask, inclusive, source);
    if below < 32 { other } else { first }
}

/// The lanes of this lane's segment.
pub fn warp_segment(width: u32) -> u32 {
    if width < 32 {
        (u32::MAX >> (32 - width)) << ((warp::lane_id() as u32) & width.wrapping_neg())
    } else {
        u32::MAX
    }
}

/// The nearest lane of `mask` below this one in its segment, 32 if there is none.
pub fn warp_below(mask: u32, width: u32) -> u32 {
    let below = mask & warp_segment(width) & ((1 << warp::lane_id() as u32) - 1);
    if below == 0 { 32 } else { 31 - below.leading_zeros() }
}

/// In how many lanes the condition holds.
pub fn warp_count(condition: bool) -> u32 {
    warp::ballot(condition).count_ones()
}

/// In how many lanes of `mask` the condition holds.
pub fn warp_count_sync(mask: u32, condition: bool) -> u32 {
    warp::ballot_sync(mask, condition).count_ones()
}

/// The conjunction of conditions is a vote.
pub fn warp_reduce_and_bool(v: bool) -> bool {
    warp::all(v)
}

/// The conjunction of conditions is a vote.
pub fn warp_reduce_and_sync_bool(mask: u32, v: bool) -> bool {
    warp::all_sync(mask, v)
}

/// The disjunction of conditions is a vote.
pub fn warp_reduce_or_bool(v: bool) -> bool {
    warp::any(v)
}

/// The disjunction of conditions is a vote.
pub fn warp_reduce_or_sync_bool(mask: u32, v: bool) -> bool {
    warp::any_sync(mask, v)
}

/// Returns true if the condition holds in an odd number of lanes.
pub fn warp_reduce_xor_bool(v: bool) -> bool {
    warp::ballot(v).count_ones() & 1 == 1
}

/// Returns true if the condition holds in an odd number of the lanes of `mask`.
pub fn warp_reduce_xor_sync_bool(mask: u32, v: bool) -> bool {
    warp::ballot_sync(mask, v).count_ones() & 1 == 1
}

/// All lanes together, by one instruction.
pub fn warp_redux_add<T: warp::Word>(v: T) -> T {
    warp::redux_add_sync(u32::MAX, v)
}

/// All lanes together, by one instruction.
pub fn warp_redux_min<T: warp::Word>(v: T) -> T {
    warp::redux_min_sync(u32::MAX, v)
}

/// All lanes together, by one instruction.
pub fn warp_redux_max<T: warp::Word>(v: T) -> T {
    warp::redux_max_sync(u32::MAX, v)
}

/// All lanes together, by one instruction.
pub fn warp_redux_and<T: warp::Word>(v: T) -> T {
    warp::redux_and_sync(u32::MAX, v)
}

/// All lanes together, by one instruction.
pub fn warp_redux_or<T: warp::Word>(v: T) -> T {
    warp::redux_or_sync(u32::MAX, v)
}

/// All lanes together, by one instruction.
pub fn warp_redux_xor<T: warp::Word>(v: T) -> T {
    warp::redux_xor_sync(u32::MAX, v)
}

/// `warp::reduce`
pub fn warp_reduce_by<T: Element>(v: T, combine: impl Fn(T, T) -> T) -> T {
    warp_reduce(v, 32, combine)
}

/// `warp::scan`
pub fn warp_scan_by<T: Element>(v: T, _identity: T, combine: impl Fn(T, T) -> T) -> T {
    warp_scan(u32::MAX, v, 32, combine)
}

/// `warp::exclusive_scan`
pub fn warp_exclusive_scan_by<T: Element>(v: T, identity: T, combine: impl Fn(T, T) -> T) -> T {
    warp_before(warp_scan(u32::MAX, v, 32, combine), 32, identity)
}
