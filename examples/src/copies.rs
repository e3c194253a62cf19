//! Copies from global into shared memory that no register waits for, `cp.async` of sm_80, for the kernels of this crate.

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
