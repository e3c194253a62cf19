//! Barriers with numbers, for some of a block's warps: those that fill memory and those that read it, say.
//!
//! A block has 15 of them beside that of [`barrier()`](super::barrier()). Each opens when as many threads have come as its calls say, in whole warps, and
//! starts anew. All that come to it at the same time say the same number. Writes before it are seen behind it by those that come to it, and by no others.

use super::shared::outside;

/// Waits at barrier `ID`, 1 to 15, until so many threads have come to it, this one among them: a multiple of 32, at most the block.
///
/// A condition around it may differ between warps, as that of `if warp::warp_id() < 4`, but not within one. A thread that panics ends the launch.
///
/// # Panics
/// If no block has so many threads, or outside kernels.
#[doc(alias("bar.sync", "named_barrier_sync"))]
#[track_caller]
pub fn named<const ID: usize>(_threads: usize) {
    outside("barrier::named")
}

/// Comes to barrier `ID` as [`named`] does, and goes on without waiting: what this warp did before is seen by those that wait there.
///
/// # Panics
/// As [`named`].
#[doc(alias("bar.arrive", "named_barrier_arrive"))]
#[track_caller]
pub fn arrive<const ID: usize>(_threads: usize) {
    outside("barrier::arrive")
}
