//! Reductions and scans over the threads of a block: within the warps by shuffles, across them by shared memory.
//!
//! Every thread of the block takes part. The last warp may have fewer than 32. Each function writes shared memory that it read
//! in an earlier call only after a barrier of its own, so calls may follow each other without one.

use super::vocabulary::*;
use super::warp_collectives::*;

/// Threads in the block.
pub fn block_threads() -> usize {
    let size = block_dim();
    size.x * size.y * size.z
}

/// Warps in the block.
pub fn block_warps() -> usize {
    (block_threads() + 31) >> 5
}

/// Lanes of this warp that the block has.
pub fn block_lanes() -> usize {
    let lanes = block_threads().wrapping_sub(warp::warp_id() << 5);
    if lanes < 32 { lanes } else { 32 }
}

/// The partner `distance` away among the first `count` lanes, or the lane itself.
pub fn warp_partner(distance: u32, count: usize) -> u32 {
    let lane = warp::lane_id() as u32;
    let partner = lane ^ distance;
    if (partner as usize) < count { partner } else { lane }
}

/// The sum of the first `count` lanes, in the first lane.
pub fn warp_partial_add<T: Number>(value: T, count: usize) -> T {
    let lane = warp::lane_id() as u32;
    let mut v = value;
    let mut distance = 16_u32;
    while distance > 0 {
        let partner = warp_partner(distance, count);
        let other = warp::shfl_idx(v, partner);
        v = if partner == lane { v } else { v + other };
        distance >>= 1;
    }
    v
}

/// The sum of all threads of the block, in each of them.
pub fn block_reduce_add<T: Number>(value: T) -> T {
    let mut v = block_gather(warp_partial_add(value, block_lanes()));
    if warp::warp_id() == 0 {
        v = warp_partial_add(v, block_warps());
    }
    block_broadcast_first(v)
}

/// The product of the first `count` lanes, in the first lane.
pub fn warp_partial_mul<T: Number>(value: T, count: usize) -> T {
    let lane = warp::lane_id() as u32;
    let mut v = value;
    let mut distance = 16_u32;
    while distance > 0 {
        let partner = warp_partner(distance, count);
        let other = warp::shfl_idx(v, partner);
        v = if partner == lane { v } else { v * other };
        distance >>= 1;
    }
    v
}

/// The product of all threads of the block, in each of them.
pub fn block_reduce_mul<T: Number>(value: T) -> T {
    let mut v = block_gather(warp_partial_mul(value, block_lanes()));
    if warp::warp_id() == 0 {
        v = warp_partial_mul(v, block_warps());
    }
    block_broadcast_first(v)
}

/// The least of the first `count` lanes, in the first lane.
pub fn warp_partial_min_int<T: Int>(value: T, count: usize) -> T {
    let lane = warp::lane_id() as u32;
    let mut v = value;
    let mut distance = 16_u32;
    while distance > 0 {
        let partner = warp_partner(distance, count);
        let other = warp::shfl_idx(v, partner);
        v = if partner == lane { v } else { v.min(other) };
        distance >>= 1;
    }
    v
}

/// The least of all threads of the block, in each of them.
pub fn block_reduce_min_int<T: Int>(value: T) -> T {
    let mut v = block_gather(warp_partial_min_int(value, block_lanes()));
    if warp::warp_id() == 0 {
        v = warp_partial_min_int(v, block_warps());
    }
    block_broadcast_first(v)
}

/// The greatest of the first `count` lanes, in the first lane.
pub fn warp_partial_max_int<T: Int>(value: T, count: usize) -> T {
    let lane = warp::lane_id() as u32;
    let mut v = value;
    let mut distance = 16_u32;
    while distance > 0 {
        let partner = warp_partner(distance, count);
        let other = warp::shfl_idx(v, partner);
        v = if partner == lane { v } else { v.max(other) };
        distance >>= 1;
    }
    v
}

/// The greatest of all threads of the block, in each of them.
pub fn block_reduce_max_int<T: Int>(value: T) -> T {
    let mut v = block_gather(warp_partial_max_int(value, block_lanes()));
    if warp::warp_id() == 0 {
        v = warp_partial_max_int(v, block_warps());
    }
    block_broadcast_first(v)
}

/// The least of the first `count` lanes, in the first lane.
pub fn warp_partial_min_float<T: Float>(value: T, count: usize) -> T {
    let lane = warp::lane_id() as u32;
    let mut v = value;
    let mut distance = 16_u32;
    while distance > 0 {
        let partner = warp_partner(distance, count);
        let other = warp::shfl_idx(v, partner);
        v = if partner == lane { v } else { v.min(other) };
        distance >>= 1;
    }
    v
}

/// The least of all threads of the block, in each of them.
pub fn block_reduce_min_float<T: Float>(value: T) -> T {
    let mut v = block_gather(warp_partial_min_float(value, block_lanes()));
    if warp::warp_id() == 0 {
        v = warp_partial_min_float(v, block_warps());
    }
    block_broadcast_first(v)
}

/// The greatest of the first `count` lanes, in the first lane.
pub fn warp_partial_max_float<T: Float>(value: T, count: usize) -> T {
    let lane = warp::lane_id() as u32;
    let mut v = value;
    let mut distance = 16_u32;
    while distance > 0 {
        let partner = warp_partner(distance, count);
        let other = warp::shfl_idx(v, partner);
        v = if partner == lane { v } else { v.max(other) };
        distance >>= 1;
    }
    v
}

/// The greatest of all threads of the block, in each of them.
pub fn block_reduce_max_float<T: Float>(value: T) -> T {
    let mut v = block_gather(warp_partial_max_float(value, block_lanes()));
    if warp::warp_id() == 0 {
        v = warp_partial_max_float(v, block_warps());
    }
    block_broadcast_first(v)
}

/// The conjunction of the first `count` lanes, in the first lane.
pub fn warp_partial_and<T: Int>(value: T, count: usize) -> T {
    let lane = warp::lane_id() as u32;
    let mut v = value;
    let mut distance = 16_u32;
    while distance > 0 {
        let partner = warp_partner(distance, count);
        let other = warp::shfl_idx(v, partner);
        v = if partner == lane { v } else { v & other };
        distance >>= 1;
    }
    v
}

/// The conjunction of all threads of the block, in each of them.
pub fn block_reduce_and<T: Int>(value: T) -> T {
    let mut v = block_gather(warp_partial_and(value, block_lanes()));
    if warp::warp_id() == 0 {
        v = warp_partial_and(v, block_warps());
    }
    block_broadcast_first(v)
}

/// The disjunction of the first `count` lanes, in the first lane.
pub fn warp_partial_or<T: Int>(value: T, count: usize) -> T {
    let lane = warp::lane_id() as u32;
    let mut v = value;
    let mut distance = 16_u32;
    while distance > 0 {
        let partner = warp_partner(distance, count);
        let other = warp::shfl_idx(v, partner);
        v = if partner == lane { v } else { v | other };
        distance >>= 1;
    }
    v
}

/// The disjunction of all threads of the block, in each of them.
pub fn block_reduce_or<T: Int>(value: T) -> T {
    let mut v = block_gather(warp_partial_or(value, block_lanes()));
    if warp::warp_id() == 0 {
        v = warp_partial_or(v, block_warps());
    }
    block_broadcast_first(v)
}

/// The exclusive disjunction of the first `count` lanes, in the first lane.
pub fn warp_partial_xor<T: Int>(value: T, count: usize) -> T {
    let lane = warp::lane_id() as u32;
    let mut v = value;
    let mut distance = 16_u32;
    while distance > 0 {
        let partner = warp_partner(distance, count);
        let other = warp::shfl_idx(v, partner);
        v = if partner == lane { v } else { v ^ other };
        distance >>= 1;
    }
    v
}

/// The exclusive disjunction of all threads of the block, in each of them.
pub fn block_reduce_xor<T: Int>(value: T) -> T {
    let mut v = block_gather(warp_partial_xor(value, block_lanes()));
    if warp::warp_id() == 0 {
        v = warp_partial_xor(v, block_warps());
    }
    block_broadcast_first(v)
}

/// In lane i of the first warp, the value of the first lane of warp i.
pub fn block_gather<T: Element>(v: T) -> T {
    let mut partial = shared::<[T; 32]>();
    let lane = warp::lane_id();
    if lane == 0 {
        partial[warp::warp_id()] = v;
    }
    barrier();
    if warp::warp_id() == 0 && lane < block_warps() { partial[lane] } else { v }
}

/// The value of the block's first thread, in all.
pub fn block_broadcast_first<T: Element>(v: T) -> T {
    let mut first = shared::<[T; 1]>();
    if warp::warp_id() == 0 && warp::lane_id() == 0 {
        first[0] = v;
    }
    barrier();
    first[0]
}

/// The sum of what the warps below this one hold; zero in the first.
pub fn block_sum_below<T: Number>(inclusive: T) -> T {
    let mut totals = shared::<[T; 32]>();
    let mut sums = shared::<[T; 32]>();
    let lane = warp::lane_id();
    let index = warp::warp_id();
    if lane + 1 == block_lanes() {
        totals[index] = inclusive;
    }
    barrier();
    if index == 0 {
        let sum = warp_scan_add(if lane < block_warps() { totals[lane] } else { T::ZERO });
        if lane < block_warps() {
            sums[lane] = sum;
        }
    }
    barrier();
    if index == 0 { T::ZERO } else { sums[index - 1] }
}

/// The sum of the threads up to this one, in the order of their linear index.
pub fn block_scan_add<T: Number>(v: T) -> T {
    let inclusive = warp_scan_add(v);
    let below = block_sum_below(inclusive);
    if warp::warp_id() == 0 { inclusive } else { below + inclusive }
}

/// The sum of the threads below this one, in the order of their linear index; zero in the first.
pub fn block_exclusive_scan_add<T: Number>(v: T) -> T {
    let inclusive = warp_scan_add(v);
    let exclusive = warp::shfl_up(inclusive, 1);
    let below = block_sum_below(inclusive);
    if warp::lane_id() == 0 {
        below
    } else if warp::warp_id() == 0 {
        exclusive
    } else {
        below + exclusive
    }
}

/// In how many threads the condition holds.
pub fn block_count(condition: bool) -> u32 {
    block_reduce_add(condition as u32)
}

/// Whether the condition holds in any thread.
pub fn block_any(condition: bool) -> bool {
    block_reduce_or(condition as u32) != 0
}

/// Whether the condition holds in all threads.
pub fn block_all(condition: bool) -> bool {
    block_reduce_and(condition as u32) != 0
}
