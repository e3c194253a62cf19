//! Reductions and scans over the threads of a block: within the warps by shuffles, across them by shared memory. Those with a
//! name for each operation are in `collectives`.
//!
//! Every thread of the block takes part, in the order of its linear index. The last warp may have fewer than 32. Each function
//! writes shared memory that it read in an earlier call only after a barrier of its own, so calls may follow each other
//! without one.

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

/// Number of lanes of this warp that belong to the block.
pub fn block_lanes() -> u32 {
    let threads = block_threads() as u32;
    let lanes = threads.wrapping_sub((warp::warp_id() as u32) << 5);
    let lanes = if lanes < 32 { lanes } else { 32 };
    // Else it would take a thread's index to know.
    if threads & 31 == 0 { 32 } else { lanes }
}

/// Mask of the lanes of this warp that belong to the block: a constant if the block is known to have whole warps.
pub fn block_members() -> u32 {
    u32::MAX >> (32 - block_lanes())
}

/// The warp's index, below 32 as everyone can see.
pub fn block_warp() -> usize {
    warp::warp_id() & 31
}

/// The first `count` lanes together, in the first lane; the others need not exist.
pub fn warp_partial<T: Element>(v: T, count: u32, combine: impl Fn(T, T) -> T) -> T {
    let lane = warp::lane_id() as u32;
    let members = block_members();
    let step = |v: T, distance: u32| {
        let partner = lane ^ distance;
        // Both lanes are among them; of a power of two, that every step asks the same.
        let is_pair = (lane | distance) < count;
        let other = warp::shfl_idx_sync(members, v, if is_pair { partner } else { lane });
        if is_pair { combine(v, other) } else { v }
    };
    step(step(step(step(step(v, 16), 8), 4), 2), 1)
}

/// All threads of the block together, in each of them.
pub fn block_reduce<T: Element>(v: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let mut v = block_gather(warp_partial(v, block_lanes(), combine));
    if warp::warp_id() == 0 {
        v = warp_partial(v, block_warps() as u32, combine);
    }
    block_broadcast_first(v)
}

/// In lane i of the first warp, the value of the first lane of warp i.
pub fn block_gather<T: Element>(v: T) -> T {
    let mut partial = shared::<[T; 32]>();
    let lane = warp::lane_id();
    if lane == 0 {
        partial[block_warp()] = v;
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

/// The reduction over the warps below this one; unspecified in the first warp.
pub fn block_below<T: Element>(inclusive: T, combine: impl Fn(T, T) -> T) -> T {
    let mut totals = shared::<[T; 32]>();
    let mut sums = shared::<[T; 32]>();
    let lane = warp::lane_id();
    let index = block_warp();
    if lane as u32 + 1 == block_lanes() {
        totals[index] = inclusive;
    }
    barrier();
    if index == 0 {
        let total = if lane < block_warps() { totals[lane] } else { inclusive };
        let sum = warp_scan(block_members(), total, 32, combine);
        if lane < block_warps() {
            sums[lane] = sum;
        }
    }
    barrier();
    if index == 0 { inclusive } else { sums[(index - 1) & 31] }
}

/// The threads up to this one together.
pub fn block_scan<T: Element>(v: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let inclusive = warp_scan(block_members(), v, 32, combine);
    let below = block_below(inclusive, combine);
    if warp::warp_id() == 0 { inclusive } else { combine(below, inclusive) }
}

/// The threads below this one together; `first` in the first.
pub fn block_before<T: Element>(v: T, first: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let members = block_members();
    let inclusive = warp_scan(members, v, 32, combine);
    let exclusive = warp::shfl_up_sync(members, inclusive, 1);
    let below = block_below(inclusive, combine);
    if warp::lane_id() == 0 {
        if warp::warp_id() == 0 { first } else { below }
    } else if warp::warp_id() == 0 {
        exclusive
    } else {
        combine(below, exclusive)
    }
}

/// `block::reduce`
pub fn block_reduce_by<T: Element>(v: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    block_reduce(v, combine)
}

/// `block::scan`
pub fn block_scan_by<T: Element>(v: T, _identity: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    block_scan(v, combine)
}

/// `block::exclusive_scan`
pub fn block_exclusive_scan_by<T: Element>(
    v: T,
    identity: T,
    combine: impl Fn(T, T) -> T + Copy,
) -> T {
    block_before(v, identity, combine)
}
