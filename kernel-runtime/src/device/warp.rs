//! Functions over the 32 lanes of a warp.
//!
//! All lanes that have not ended take part; those that `_sync` functions name by a mask, where one is given. As in CUDA, a
//! lane whose source would be outside the warp keeps its own value; a source that has ended, or that the block does not
//! have, is an error on the CPU.

use std::panic::Location;

use ptx_gen::ir::ShuffleMode;

pub use super::collectives::{
    broadcast, count, exclusive_scan_add, exclusive_scan_add_width, reduce_add, reduce_add_width, reduce_and,
    reduce_and_width, reduce_max, reduce_max_width, reduce_min, reduce_min_width, reduce_mul,
    reduce_mul_width, reduce_or, reduce_or_width, reduce_xor, reduce_xor_width, scan_add, scan_add_width,
    scan_max, scan_max_width, scan_min, scan_min_width,
};
use crate::cpu::fiber::{self, Collective, Wait};
use crate::element::Element;

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

/// Waits for the other lanes of the warp. Writes before it are seen after it.
#[track_caller]
pub fn sync() {
    collective(Collective::Sync, None, 0, 0);
}

/// The lanes that run together now.
#[track_caller]
pub fn active_mask() -> u32 {
    collective(Collective::ActiveMask, None, 0, 0) as u32
}

macro_rules! votes {
    ($($name:ident $masked:ident $kind:ident $result:ty, $doc:literal, |$answer:ident| $convert:expr;)*) => {$(
        #[doc = $doc]
        #[track_caller]
        pub fn $name(condition: bool) -> $result {
            let $answer = collective(Collective::$kind, None, condition.into(), 0);
            $convert
        }

        #[doc = concat!($doc, " The lanes of `mask` take part.")]
        #[track_caller]
        pub fn $masked(mask: u32, condition: bool) -> $result {
            let $answer = collective(Collective::$kind, Some(mask), condition.into(), 0);
            $convert
        }
    )*};
}
votes! {
    ballot ballot_sync Ballot u32, "The lanes where the condition holds, a bit each.", |answer| answer as u32;
    any any_sync Ballot bool, "Whether the condition holds in any lane.", |answer| answer != 0;
    all all_sync All bool, "Whether the condition holds in every lane.", |answer| answer != 0;
}

/// The lanes that have the same value, a bit each.
#[track_caller]
pub fn match_any<T: Element>(value: T) -> u32 {
    collective(Collective::MatchAny, None, to_bits(value), 0) as u32
}

/// The lanes that have the same value, a bit each. The lanes of `mask` take part.
#[track_caller]
pub fn match_any_sync<T: Element>(mask: u32, value: T) -> u32 {
    collective(Collective::MatchAny, Some(mask), to_bits(value), 0) as u32
}

macro_rules! shuffles {
    ($($name:ident $masked:ident $mode:ident $operand:ident, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[track_caller]
        pub fn $name<T: Element>(value: T, $operand: u32) -> T {
            from_bits(collective(Collective::Shuffle(ShuffleMode::$mode), None, to_bits(value), $operand))
        }

        #[doc = concat!($doc, " The lanes of `mask` take part.")]
        #[track_caller]
        pub fn $masked<T: Element>(mask: u32, value: T, $operand: u32) -> T {
            from_bits(collective(Collective::Shuffle(ShuffleMode::$mode), Some(mask), to_bits(value), $operand))
        }
    )*};
}
shuffles! {
    shfl_up shfl_up_sync Up delta, "The value of the lane `delta` below.";
    shfl_down shfl_down_sync Down delta, "The value of the lane `delta` above.";
    shfl_xor shfl_xor_sync Xor lane_mask, "The value of the lane whose number differs in the bits of `lane_mask`.";
    shfl_idx shfl_idx_sync Idx lane, "The value of `lane`.";
}

/// The bytes of a value of at most 16.
fn to_bits<T: Element>(value: T) -> u128 {
    const { assert!(size_of::<T>() <= 16, "a value that lanes exchange has at most 16 bytes") };
    let mut bytes = [0; 16];
    bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
    u128::from_ne_bytes(bytes)
}

fn from_bits<T: Element>(bits: u128) -> T {
    // They are those of another lane's value.
    bytemuck::checked::pod_read_unaligned(&bits.to_ne_bytes()[..size_of::<T>()])
}

#[track_caller]
fn collective(what: Collective, mask: Option<u32>, value: u128, operand: u32) -> u128 {
    let at = Location::caller();
    fiber::suspend(Wait::Warp { what, mask, value, operand, at })
}
