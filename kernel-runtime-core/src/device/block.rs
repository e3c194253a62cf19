//! Reductions and scans over the threads of a block.
//!
//! Every thread of the block takes part, and each call is a barrier. Threads are in the order of their linear index, x
//! fastest. The operations are done in the order of the compiled ones, so that floats agree to the bit.

use std::marker::PhantomData;
use std::ptr::NonNull;

pub use super::by_operator::block::{arg_max, arg_min, exclusive_scan, reduce, scan};
use super::warp::{lane_id, shfl_idx, shfl_up, warp_id};
use super::{Bits, Combine, Constants, Number, barrier, block_dim, collectives};
use crate::cpu::fiber;
use crate::element::Element;

// Numbers of the variables here; kernels count theirs from 0.
const PARTIAL: usize = usize::MAX - 1;
const FIRST: usize = usize::MAX - 2;
const TOTALS: usize = usize::MAX - 3;
const SUMS: usize = usize::MAX - 4;

/// Bytes for a value of any type here.
const BYTES: usize = 16;

/// A variable of the block: a value for each warp, whatever its type.
struct Slots<T> {
    start: NonNull<[u8; BYTES]>,
    of: PhantomData<T>,
}

/// The block's variable of this number.
fn variable<T: Element>(number: usize) -> Slots<T> {
    const { assert!(size_of::<T>() <= BYTES) };
    let start = fiber::shared_variable::<[u8; BYTES]>("block", number, BYTES * 32);
    Slots { start, of: PhantomData }
}

impl<T: Element> Slots<T> {
    fn at(&self, warp: usize) -> NonNull<[u8; BYTES]> {
        assert!(warp < 32, "no block has more warps");
        // SAFETY: the variable has a place for each of 32 warps.
        unsafe { self.start.add(warp) }
    }

    fn set(&self, warp: usize, value: T) {
        let mut bytes = [0; BYTES];
        bytes[..size_of::<T>()].copy_from_slice(&T::bytes_of(std::slice::from_ref(&value)));
        // SAFETY: the place is there as long as the block, whose threads run one at a time, and only while it does.
        unsafe { self.at(warp).write(bytes) }
    }

    /// The value that was set. If nobody did, as its thread has panicked, the bytes need not be a value.
    fn get(&self, warp: usize) -> T {
        // SAFETY: as in `set`; the memory is initialised from the start.
        let bytes = unsafe { self.at(warp).read() };
        let value = bytemuck::checked::try_pod_read_unaligned(&bytes[..size_of::<T>()]);
        value.unwrap_or_else(|_| panic!("the thread whose value this is has ended"))
    }
}

fn threads() -> usize {
    let size = block_dim();
    size.x * size.y * size.z
}

fn warps() -> usize {
    threads().div_ceil(32)
}

/// Lanes of this warp that the block has.
fn lanes() -> usize {
    32.min(threads() - warp_id() * 32)
}

/// The reduction of the first `count` lanes, in the first lane; the others need not exist.
#[track_caller]
fn partial<T: Element>(value: T, count: usize, combine: impl Fn(T, T) -> T) -> T {
    let lane = lane_id();
    let mut v = value;
    for distance in [16, 8, 4, 2, 1] {
        let partner = if (lane ^ distance) < count { lane ^ distance } else { lane };
        let other = shfl_idx(v, partner as u32);
        v = if partner == lane { v } else { combine(v, other) };
    }
    v
}

/// In lane i of the first warp, the value of the first lane of warp i.
#[track_caller]
fn gather<T: Element>(v: T) -> T {
    let partial = variable::<T>(PARTIAL);
    if lane_id() == 0 {
        partial.set(warp_id(), v);
    }
    barrier();
    if warp_id() == 0 && lane_id() < warps() { partial.get(lane_id()) } else { v }
}

/// The value of the block's first thread, in all.
#[track_caller]
fn broadcast_first<T: Element>(v: T) -> T {
    let first = variable::<T>(FIRST);
    if warp_id() == 0 && lane_id() == 0 {
        first.set(0, v);
    }
    barrier();
    first.get(0)
}

#[track_caller]
fn reduce_of<T: Element>(value: T, combine: impl Fn(T, T) -> T) -> T {
    let mut v = gather(partial(value, lanes(), &combine));
    if warp_id() == 0 {
        v = partial(v, warps(), &combine);
    }
    broadcast_first(v)
}

/// The combination of all warps up to the one below; unused in the first, which gets its own.
#[track_caller]
fn below<T: Element>(inclusive: T, combine: impl Fn(T, T) -> T) -> T {
    let totals = variable::<T>(TOTALS);
    let sums = variable::<T>(SUMS);
    if lane_id() + 1 == lanes() {
        totals.set(warp_id(), inclusive);
    }
    barrier();
    if warp_id() == 0 {
        let total = if lane_id() < warps() { totals.get(lane_id()) } else { inclusive };
        let sum = collectives::scan(total, 32, combine);
        if lane_id() < warps() {
            sums.set(lane_id(), sum);
        }
    }
    barrier();
    if warp_id() == 0 { inclusive } else { sums.get(warp_id() - 1) }
}

#[track_caller]
fn scan_of<T: Element>(v: T, combine: impl Fn(T, T) -> T) -> T {
    let inclusive = collectives::scan(v, 32, &combine);
    let below = below(inclusive, &combine);
    if warp_id() == 0 { inclusive } else { combine(below, inclusive) }
}

#[track_caller]
fn exclusive_scan_of<T: Element>(v: T, first: T, combine: impl Fn(T, T) -> T) -> T {
    let inclusive = collectives::scan(v, 32, &combine);
    let exclusive = shfl_up(inclusive, 1);
    let below = below(inclusive, &combine);
    match (lane_id(), warp_id()) {
        (0, 0) => first,
        (0, _) => below,
        (_, 0) => exclusive,
        _ => combine(below, exclusive),
    }
}

/// The functions of each operation, with its bounds, what it does to two values and what it makes of none.
macro_rules! named {
    ($($what:literal [$($bound:tt)+] [$($exclusive_bound:tt)+] |$a:ident, $b:ident| $combine:expr, |$v:ident| $first:expr;
        $reduce:ident $scan:ident $exclusive:ident;)*) => {$(
        #[doc = concat!("The ", $what, " of all threads, in each of them.")]
        #[track_caller]
        pub fn $reduce<T: $($bound)+>(v: T) -> T {
            reduce_of(v, |$a, $b| $combine)
        }

        #[doc = concat!("The ", $what, " of the threads up to this one.")]
        #[track_caller]
        pub fn $scan<T: $($bound)+>(v: T) -> T {
            scan_of(v, |$a, $b| $combine)
        }

        #[doc = concat!("The ", $what, " of the threads below this one; of none, what changes nothing.")]
        #[track_caller]
        pub fn $exclusive<T: $($exclusive_bound)+>($v: T) -> T {
            exclusive_scan_of($v, $first, |$a, $b| $combine)
        }
    )*};
}
named! {
    "sum" [Combine] [Combine + Default] |a, b| a.plus(b), |v| T::default(); reduce_add scan_add exclusive_scan_add;
    "product" [Combine] [Number] |a, b| a.times(b), |v| T::ONE; reduce_mul scan_mul exclusive_scan_mul;
    "least" [Combine] [Number] |a, b| a.least(b), |v| <T as Constants>::MAX; reduce_min scan_min exclusive_scan_min;
    "greatest" [Combine] [Number] |a, b| a.greatest(b), |v| <T as Constants>::MIN; reduce_max scan_max exclusive_scan_max;
    "conjunction" [Bits] [Bits] |a, b| a & b, |v| v | !v; reduce_and scan_and exclusive_scan_and;
    "disjunction" [Bits] [Bits] |a, b| a | b, |v| v & !v; reduce_or scan_or exclusive_scan_or;
    "exclusive disjunction" [Bits] [Bits] |a, b| a ^ b, |v| v & !v; reduce_xor scan_xor exclusive_scan_xor;
}

/// In how many threads the condition holds.
#[doc(alias = "__syncthreads_count")]
#[track_caller]
pub fn count(condition: bool) -> u32 {
    reduce_add(u32::from(condition))
}

/// Returns true if the condition holds in any thread.
#[doc(alias = "__syncthreads_or")]
#[track_caller]
pub fn any(condition: bool) -> bool {
    reduce_or(u32::from(condition)) != 0
}

/// Returns true if the condition holds in all threads.
#[doc(alias = "__syncthreads_and")]
#[track_caller]
pub fn all(condition: bool) -> bool {
    reduce_and(u32::from(condition)) != 0
}
