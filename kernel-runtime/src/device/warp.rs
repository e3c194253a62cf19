//! Functions over the 32 lanes of a warp.
//!
//! All lanes that have not ended take part. As in CUDA, a lane whose source would be outside the warp keeps its own value;
//! a source that has ended, or that the block does not have, is an error on the CPU.

use std::panic::Location;

use ptx_gen::ir::ShuffleMode;

use super::Scalar;
pub use super::collectives::{
    all, any, ballot, broadcast, count, exclusive_scan_add, exclusive_scan_add_width, reduce_add,
    reduce_add_width, reduce_and, reduce_and_width, reduce_max, reduce_max_width, reduce_min,
    reduce_min_width, reduce_mul, reduce_mul_width, reduce_or, reduce_or_width, reduce_xor, reduce_xor_width,
    scan_add, scan_add_width, scan_max, scan_max_width, scan_min, scan_min_width,
};
use crate::cpu::fiber::{self, Wait};

/// Lanes in a warp.
pub const SIZE: usize = 32;

/// The thread's lane in its warp, 0 to 31.
pub fn lane_id() -> usize {
    fiber::position("warp::lane_id").linear() % SIZE
}

/// The warp's index in its block: the thread's linear index, x fastest, over 32.
pub fn warp_id() -> usize {
    fiber::position("warp::warp_id").linear() / SIZE
}

/// The value of the lane `delta` below.
#[track_caller]
pub fn shfl_up<T: Scalar>(value: T, delta: u32) -> T {
    shuffle(ShuffleMode::Up, value, delta)
}

/// The value of the lane `delta` above.
#[track_caller]
pub fn shfl_down<T: Scalar>(value: T, delta: u32) -> T {
    shuffle(ShuffleMode::Down, value, delta)
}

/// The value of the lane whose number differs in the bits of `mask`.
#[track_caller]
pub fn shfl_xor<T: Scalar>(value: T, mask: u32) -> T {
    shuffle(ShuffleMode::Xor, value, mask)
}

/// The value of `lane`.
#[track_caller]
pub fn shfl_idx<T: Scalar>(value: T, lane: u32) -> T {
    shuffle(ShuffleMode::Idx, value, lane)
}

#[track_caller]
fn shuffle<T: Scalar>(mode: ShuffleMode, value: T, operand: u32) -> T {
    let at = Location::caller();
    T::from_word(fiber::suspend(Wait::Shuffle { mode, value: value.to_word(), operand, at }))
}
