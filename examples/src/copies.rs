//! Copies from global into shared memory that no register waits for, for the kernels of this crate: `cp.async` of sm_80, each thread its
//! element, and `cp.async.bulk` of sm_90, one thread a whole tile.

use kernel_runtime::prelude::*;

/// Copies that are started, closed into groups, and waited for by group.
#[device_library]
pub mod ahead {
    use kernel_runtime::prelude::*;

    /// Starts the copy of `x[i]` to a place in shared memory; beyond the end of `x`, which is not empty, 0 is written.
    #[device]
    pub fn start(x: &[f32], i: usize, to: *mut f32) {
        let is_there = i < x.len();
        let from = x.as_ptr().wrapping_add(if is_there { i } else { 0 });
        let bytes = if is_there { 4u32 } else { 0 };
        // SAFETY: the element lies inside `x`, and the caller's place in shared memory.
        unsafe {
            inline_ptx!(
                ".reg .b64 %from, %to;",
                "cvta.to.global.u64 %from, {from};",
                "cvta.to.shared.u64 %to, {to};",
                "cp.async.ca.shared.global [%to], [%from], 4, {bytes};",
                from = in(usize) from as usize,
                to = in(usize) to as usize,
                bytes = in(u32) bytes,
                cpu = *(to as *mut f32) = if bytes == 4 { *(from as *const f32) } else { 0.0 },
            );
        }
    }

    /// Starts the copy of a vector of 16 bytes, as `start` does for an element.
    #[device]
    pub fn start_vector(x: &[F32x4], i: usize, to: *mut F32x4) {
        let is_there = i < x.len();
        let from = x.as_ptr().wrapping_add(if is_there { i } else { 0 });
        let bytes = if is_there { 16u32 } else { 0 };
        // SAFETY: as above.
        unsafe {
            inline_ptx!(
                ".reg .b64 %from, %to;",
                "cvta.to.global.u64 %from, {from};",
                "cvta.to.shared.u64 %to, {to};",
                "cp.async.cg.shared.global [%to], [%from], 16, {bytes};",
                from = in(usize) from as usize,
                to = in(usize) to as usize,
                bytes = in(u32) bytes,
                cpu = *(to as *mut F32x4) = if bytes == 16 { *(from as *const F32x4) } else { F32x4::splat(0.0) },
            );
        }
    }

    /// Makes a group of what this thread has started since the last one.
    #[device]
    pub fn close_group() {
        // SAFETY: it only counts.
        unsafe { inline_ptx!("cp.async.commit_group;", cpu = ()) };
    }

    /// Waits until no more than the youngest `N` groups of this thread are under way. A barrier has to follow for other threads.
    #[device]
    pub fn wait_for_all_but<const N: u32>() {
        // SAFETY: it only waits.
        unsafe { inline_ptx!("cp.async.wait_group {n};", n = const N, cpu = ()) };
    }
}

/// Tiles that one thread asks for, and a barrier in shared memory that knows when all of their bytes are there.
#[device_library]
pub mod bulk {
    use kernel_runtime::prelude::*;

    /// Makes a barrier that one thread arrives at. The threads that are to wait meet at a barrier of the block first.
    #[device]
    pub fn make(arrived: *mut u64) {
        // SAFETY: the barrier is the caller's, and nobody uses it yet.
        unsafe {
            inline_ptx!(
                ".reg .b64 %at;",
                "cvta.to.shared.u64 %at, {at};",
                "mbarrier.init.shared::cta.b64 [%at], 1;",
                "fence.mbarrier_init.release.cluster;",
                at = in(usize) arrived as usize,
                cpu = (),
            );
        }
    }

    /// Starts the copy of the 256 elements from `x[i]` on; one thread says so. Both sides are aligned to 16 bytes.
    ///
    /// # Safety
    /// They are inside `x`, and `to` has room for them.
    #[device]
    pub unsafe fn start(x: &[f32], i: usize, to: *mut f32, arrived: *mut u64) {
        // SAFETY: by this function's condition; the barrier has been made.
        unsafe {
            inline_ptx!(
                ".reg .b64 %from, %to, %at, %token;",
                "cvta.to.global.u64 %from, {from};",
                "cvta.to.shared.u64 %to, {to};",
                "cvta.to.shared.u64 %at, {at};",
                "mbarrier.arrive.expect_tx.shared::cta.b64 %token, [%at], 1024;",
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%to], [%from], 1024, [%at];",
                from = in(usize) x.as_ptr().add(i) as usize,
                to = in(usize) to as usize,
                at = in(usize) arrived as usize,
                cpu = *(to as *mut [f32; 256]) = *(from as *const [f32; 256]),
            );
        }
    }

    /// Waits for the tile that the barrier has been used for last: 0 and 1 in turns, from its first use on.
    #[device]
    pub fn wait(arrived: *mut u64, turn: u32) {
        // SAFETY: it only waits, for a copy that was started.
        unsafe {
            inline_ptx!(
                ".reg .b64 %at;",
                ".reg .pred %done;",
                "cvta.to.shared.u64 %at, {at};",
                "$again:",
                "mbarrier.try_wait.parity.shared::cta.b64 %done, [%at], {turn};",
                "@!%done bra $again;",
                at = in(usize) arrived as usize,
                turn = in(u32) turn,
                cpu = (),
            );
        }
    }
}
