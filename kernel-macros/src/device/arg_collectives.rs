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

/// The greatest value first, then the least index of the lanes that hold it: half the instructions of pairs that are compared, and two of them
/// from sm_80 on. The value is that of the lane with this index, zeros of both signs being equal.
pub fn warp_arg_max<T: Number, I: Int>(v: T, index: I) -> (T, I) {
    of_best(warp_reduce(v, 32, |a, b| a.max(b)), v, index)
}

pub fn warp_arg_min<T: Number, I: Int>(v: T, index: I) -> (T, I) {
    of_best(warp_reduce(v, 32, |a, b| a.min(b)), v, index)
}

/// The value and the index of the lane with the least index of those whose value equals the best one, which is NaN if there is no number.
pub fn of_best<T: Number, I: Int>(best: T, v: T, index: I) -> (T, I) {
    let is_best = v == best || best != best;
    let least = warp_least(if is_best { index } else { I::MAX });
    let lane = warp::ballot(is_best && index == least).trailing_zeros();
    (warp::shfl_idx(v, lane), least)
}

/// The least integer of the lanes, by one instruction for each 32 bits from sm_80 on.
pub fn warp_least<I: Int>(v: I) -> I {
    if target::at_least(80) {
        // With the sign's bit turned round unsigned numbers have the order of signed ones.
        if I::BITS <= 32 {
            let sign = if I::MIN < I::ZERO { 0x8000_0000u32 } else { 0 };
            (warp::redux_min_sync(u32::MAX, v as u32 ^ sign) ^ sign) as I
        } else {
            let sign = if I::MIN < I::ZERO { 1u64 << 63 } else { 0 };
            let key = v as u64 ^ sign;
            let high = warp::redux_min_sync(u32::MAX, (key >> 32) as u32);
            let low = if (key >> 32) as u32 == high { key as u32 } else { u32::MAX };
            let low = warp::redux_min_sync(u32::MAX, low);
            (((high as u64) << 32 | low as u64) ^ sign) as I
        }
    } else {
        warp_reduce(v, 32, |a, b| a.min(b))
    }
}

pub fn block_arg_max<T: Number, I: Int>(v: T, index: I) -> (T, I) {
    block_reduce((v, index), |a, b| greater_with_index(a, b))
}

pub fn block_arg_min<T: Number, I: Int>(v: T, index: I) -> (T, I) {
    block_reduce((v, index), |a, b| lesser_with_index(a, b))
}
