//! Reductions and scans over the lanes of a warp.
//!
//! All 32 lanes take part, or those of a mask; with `width`, a power of two, each segment of so many lanes is by itself. The
//! operations are done in the order of the compiled ones, so that floats agree to the bit.

use super::warp::{
    LaneOperand, ballot, ballot_sync, lane_id, shfl_idx, shfl_idx_sync, shfl_up, shfl_up_width, shfl_xor,
};
use crate::element::Element;

/// All pairs at a distance of half the width, then of a quarter, and so on.
#[track_caller]
pub(super) fn reduce<T: Element>(v: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let mut v = v;
    for distance in [16, 8, 4, 2, 1].into_iter().filter(|&distance| distance < width) {
        v = combine(v, shfl_xor(v, distance));
    }
    v
}

/// Like [`reduce`], for the lanes of `mask`: at each distance, from any member that has the value that the partner would have.
#[track_caller]
fn reduce_members<T: Element>(mask: u32, v: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let (lane, members) = (lane_id() as u32, mask & segment(width));
    let mut v = v;
    for (distance, every) in [(16, 1), (8, 0x0001_0001), (4, 0x0101_0101), (2, 0x1111_1111), (1, 0x5555_5555)]
    {
        if distance < width {
            let partners: u32 = members & (every << ((lane ^ distance) & (2 * distance - 1)));
            let other = shfl_idx_sync(mask, v, if partners == 0 { lane } else { partners.trailing_zeros() });
            v = if partners == 0 { v } else { combine(v, other) };
        }
    }
    v
}

/// The lane at a distance of 1 below, then of 2, and so on.
#[track_caller]
pub(super) fn scan<T: Element>(v: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let lane = lane_id() as u32 & (width - 1);
    let mut v = v;
    for distance in [1, 2, 4, 8, 16].into_iter().filter(|&distance| distance < width) {
        let below = shfl_up(v, distance);
        v = if lane >= distance { combine(below, v) } else { v };
    }
    v
}

/// Like [`scan`], for the lanes of `mask`: each knows the nearest member below that its value does not include.
#[track_caller]
fn scan_members<T: Element>(mask: u32, v: T, width: u32, combine: impl Fn(T, T) -> T) -> T {
    let lane = lane_id() as u32;
    let (mut v, mut next) = (v, below(mask, width));
    for _ in [1, 2, 4, 8, 16].into_iter().filter(|&distance| distance < width) {
        let source = if next < 32 { next } else { lane };
        let (other, beyond) = (shfl_idx_sync(mask, v, source), shfl_idx_sync(mask, next, source));
        if next < 32 {
            (v, next) = (combine(other, v), beyond);
        }
    }
    v
}

/// The value of the lane below; `first` in a segment's first.
#[track_caller]
fn before<T: Element>(inclusive: T, width: u32, first: T) -> T {
    let other = shfl_up_width(inclusive, 1, width);
    if lane_id() as u32 & (width - 1) == 0 { first } else { other }
}

/// The value of the next lane of `mask` below; `first` in a segment's first.
#[track_caller]
fn before_members<T: Element>(mask: u32, inclusive: T, width: u32, first: T) -> T {
    let below = below(mask, width);
    let other = shfl_idx_sync(mask, inclusive, if below < 32 { below } else { lane_id() as u32 });
    if below < 32 { other } else { first }
}

/// The lanes of this lane's segment.
fn segment(width: u32) -> u32 {
    (u32::MAX >> (32 - width)) << (lane_id() as u32 & width.wrapping_neg())
}

/// The nearest lane of `mask` below this one in its segment, 32 if there is none.
fn below(mask: u32, width: u32) -> u32 {
    let below = mask & segment(width) & ((1 << lane_id()) - 1);
    if below == 0 { 32 } else { 31 - below.leading_zeros() }
}

/// The functions of each operation, with its bounds, what it does to two values and what it makes of none.
macro_rules! named {
    ($($what:literal [$($bound:tt)+] [$($exclusive_bound:tt)+] |$a:ident, $b:ident| $combine:expr, |$v:ident| $first:expr;
        $reduce:ident $reduce_width:ident $reduce_sync:ident $reduce_both:ident,
        $scan:ident $scan_width:ident $scan_sync:ident $scan_both:ident,
        $before:ident $before_width:ident $before_sync:ident $before_both:ident;)*) => {$(
        named! { @forms [$($bound)+] |v| v; |v, width| reduce(v, width, |$a, $b| $combine);
            |v, mask, width| reduce_members(mask, v, width, |$a, $b| $combine);
            $reduce $reduce_width $reduce_sync $reduce_both; concat!("The ", $what, " of all lanes, in each of them.") }
        named! { @forms [$($bound)+] |v| v; |v, width| scan(v, width, |$a, $b| $combine);
            |v, mask, width| scan_members(mask, v, width, |$a, $b| $combine);
            $scan $scan_width $scan_sync $scan_both; concat!("The ", $what, " of the lanes up to this one.") }
        named! { @forms [$($exclusive_bound)+] |$v| $first;
            |v, width, first| before(scan(v, width, |$a, $b| $combine), width, first);
            |v, mask, width, first| before_members(mask, scan_members(mask, v, width, |$a, $b| $combine), width, first);
            $before $before_width $before_sync $before_both;
            concat!("The ", $what, " of the lanes below this one; of none, what changes nothing.") }
    )*};
    (@forms [$($bound:tt)+] |$v:ident| $first:expr;
        |$value:ident, $width:ident $(, $none:ident)?| $all:expr;
        |$members:ident, $mask:ident, $segment:ident $(, $nothing:ident)?| $some:expr;
        $name:ident $with_width:ident $with_mask:ident $with_both:ident; $doc:expr) => {
        #[doc = $doc]
        #[track_caller]
        pub fn $name<T: $($bound)+>($value: T) -> T {
            $with_width($value, 32)
        }

        #[doc = $doc]
        /// Each segment of `width` lanes is by itself; 1, 2, 4, 8, 16 or 32.
        #[track_caller]
        pub fn $with_width<T: $($bound)+>($value: T, $width: u32) -> T {
            $(let $v = $value; let $none = $first;)?
            $all
        }

        #[doc = $doc]
        /// The lanes of `mask` take part.
        #[track_caller]
        pub fn $with_mask<T: $($bound)+>(mask: u32, v: T) -> T {
            $with_both(mask, v, 32)
        }

        #[doc = $doc]
        /// The lanes of `mask` take part; each segment of `width` lanes is by itself.
        #[track_caller]
        pub fn $with_both<T: $($bound)+>($mask: u32, $members: T, $segment: u32) -> T {
            $(let $v = $members; let $nothing = $first;)?
            $some
        }
    };
}

/// The functions with an operation in their name.
pub(super) mod named {
    use super::super::{Bits, Combine, Constants, Number};
    use super::*;

    named! {
        "sum" [Combine] [Combine + Default] |a, b| a.plus(b), |_v| T::default();
            reduce_add reduce_add_width reduce_add_sync reduce_add_width_sync,
            scan_add scan_add_width scan_add_sync scan_add_width_sync,
            exclusive_scan_add exclusive_scan_add_width exclusive_scan_add_sync exclusive_scan_add_width_sync;
        "product" [Combine] [Number] |a, b| a.times(b), |_v| T::ONE;
            reduce_mul reduce_mul_width reduce_mul_sync reduce_mul_width_sync,
            scan_mul scan_mul_width scan_mul_sync scan_mul_width_sync,
            exclusive_scan_mul exclusive_scan_mul_width exclusive_scan_mul_sync exclusive_scan_mul_width_sync;
        "least" [Combine] [Number] |a, b| a.least(b), |_v| <T as Constants>::MAX;
            reduce_min reduce_min_width reduce_min_sync reduce_min_width_sync,
            scan_min scan_min_width scan_min_sync scan_min_width_sync,
            exclusive_scan_min exclusive_scan_min_width exclusive_scan_min_sync exclusive_scan_min_width_sync;
        "greatest" [Combine] [Number] |a, b| a.greatest(b), |_v| <T as Constants>::MIN;
            reduce_max reduce_max_width reduce_max_sync reduce_max_width_sync,
            scan_max scan_max_width scan_max_sync scan_max_width_sync,
            exclusive_scan_max exclusive_scan_max_width exclusive_scan_max_sync exclusive_scan_max_width_sync;
        "conjunction" [Bits] [Bits] |a, b| a & b, |v| v | !v;
            reduce_and reduce_and_width reduce_and_sync reduce_and_width_sync,
            scan_and scan_and_width scan_and_sync scan_and_width_sync,
            exclusive_scan_and exclusive_scan_and_width exclusive_scan_and_sync exclusive_scan_and_width_sync;
        "disjunction" [Bits] [Bits] |a, b| a | b, |v| v & !v;
            reduce_or reduce_or_width reduce_or_sync reduce_or_width_sync,
            scan_or scan_or_width scan_or_sync scan_or_width_sync,
            exclusive_scan_or exclusive_scan_or_width exclusive_scan_or_sync exclusive_scan_or_width_sync;
        "exclusive disjunction" [Bits] [Bits] |a, b| a ^ b, |v| v & !v;
            reduce_xor reduce_xor_width reduce_xor_sync reduce_xor_width_sync,
            scan_xor scan_xor_width scan_xor_sync scan_xor_width_sync,
            exclusive_scan_xor exclusive_scan_xor_width exclusive_scan_xor_sync exclusive_scan_xor_width_sync;
    }
}

/// The value of `lane`, in all.
#[track_caller]
pub fn broadcast<T: Element>(v: T, lane: impl LaneOperand) -> T {
    shfl_idx(v, lane)
}

/// The value of `lane`, in all lanes of `mask`.
#[track_caller]
pub fn broadcast_sync<T: Element>(mask: u32, v: T, lane: impl LaneOperand) -> T {
    shfl_idx_sync(mask, v, lane)
}

/// In how many lanes the condition holds.
#[track_caller]
pub fn count(condition: bool) -> u32 {
    ballot(condition).count_ones()
}

/// In how many lanes of `mask` the condition holds.
#[track_caller]
pub fn count_sync(mask: u32, condition: bool) -> u32 {
    ballot_sync(mask, condition).count_ones()
}

/// Functions by which the lanes of a mask combine their integers, with one instruction of sm_80.
macro_rules! redux {
    ($($name:ident $all:ident $what:literal |$a:ident, $b:ident| $combine:expr;)*) => {
        /// The functions that are one instruction of the hardware.
        pub(super) mod redux {
            use super::*;
            $(
                #[doc = concat!("The ", $what, " of all lanes, by one instruction of sm_80 and later.")]
                #[track_caller]
                pub fn $all<T: Word>(v: T) -> T {
                    reduce(v, 32, |$a, $b| $combine)
                }

                #[doc = concat!("The ", $what, " of the lanes of `mask`, by one instruction of sm_80 and later.")]
                #[track_caller]
                pub fn $name<T: Word>(mask: u32, v: T) -> T {
                    reduce_members(mask, v, 32, |$a, $b| $combine)
                }
            )*
        }
    };
}
redux! {
    redux_add_sync redux_add "sum" |a, b| a.plus(b);
    redux_min_sync redux_min "least" |a, b| a.least(b);
    redux_max_sync redux_max "greatest" |a, b| a.greatest(b);
    redux_and_sync redux_and "conjunction" |a, b| a & b;
    redux_or_sync redux_or "disjunction" |a, b| a | b;
    redux_xor_sync redux_xor "exclusive disjunction" |a, b| a ^ b;
}

/// Integers of 32 bits.
pub trait Word: super::Int {}
impl Word for i32 {}
impl Word for u32 {}
