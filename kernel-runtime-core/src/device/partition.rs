//! Parts of slices that one thread has for itself.

use super::{block_dim, block_idx, global_idx, grid_dim, thread_idx, warp};

/// Partitions of a `&mut [T]` parameter of a kernel: each thread has one part for itself, so that threads cannot race for an element.
///
/// The index along x says which part a thread has, so launches are along x alone: a launch with more than one block along y or z, or
/// threads there where each thread has a part, panics in every thread.
///
/// With `#[kernel(disjoint)]` the compiler refuses every other access to the kernel's `&mut [T]` parameters, and two partitions of one slice
/// whose parts overlap: a data race in global memory cannot be written then.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// #[kernel(disjoint)]
/// pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = global_idx().x;
///     if let Some(y) = y.per_thread() {
///         *y += a * x[i];
///     }
/// }
///
/// let gpu = Gpu::simulator(Arch::Sm90);
/// let x = gpu.upload(&[1.0f32, 2.0, 3.0])?;
/// let mut y = gpu.upload(&[10.0f32; 3])?;
/// saxpy(2.0, &x, &mut y).over(3).run()?;
/// assert_eq!(y.to_vec()?, [12.0, 14.0, 16.0]);
/// # Ok::<(), kernel_runtime::Error>(())
/// ```
pub trait Partition<T> {
    /// Element `global_idx().x`, of the thread with that index; none beyond the end.
    fn per_thread(&mut self) -> Option<&mut T>;

    /// Elements `n * global_idx().x` to `n * global_idx().x + n - 1`, of the thread with that index: fewer at the end of the slice, and
    /// none beyond.
    fn chunk_per_thread(&mut self, n: usize) -> &mut [T];

    /// Element `block_idx().x * w + warp::warp_id()`, where a block has `w` warps, of the first lane of that warp; none in other lanes
    /// and beyond the end.
    fn per_warp(&mut self) -> Option<&mut T>;

    /// Element `block_idx().x`, of the first thread of that block; none in other threads and beyond the end.
    fn per_block(&mut self) -> Option<&mut T>;
}

impl<T> Partition<T> for [T] {
    fn per_thread(&mut self) -> Option<&mut T> {
        line_of_threads();
        self.get_mut(global_idx().x)
    }

    fn chunk_per_thread(&mut self, n: usize) -> &mut [T] {
        line_of_threads();
        let start = global_idx().x.checked_mul(n).map_or(self.len(), |start| start.min(self.len()));
        let end = start.saturating_add(n).min(self.len());
        &mut self[start..end]
    }

    fn per_warp(&mut self) -> Option<&mut T> {
        line_of_blocks();
        let threads = block_dim();
        let warps = (threads.x * threads.y * threads.z).div_ceil(32);
        (warp::lane_id() == 0).then(|| self.get_mut(block_idx().x * warps + warp::warp_id())).flatten()
    }

    fn per_block(&mut self) -> Option<&mut T> {
        line_of_blocks();
        let thread = thread_idx();
        ([thread.x, thread.y, thread.z] == [0; 3]).then(|| self.get_mut(block_idx().x)).flatten()
    }
}

fn line_of_blocks() {
    let grid = grid_dim();
    assert!([grid.y, grid.z] == [1; 2], "expected a grid along x alone");
}

fn line_of_threads() {
    line_of_blocks();
    let block = block_dim();
    assert!([block.y, block.z] == [1; 2], "expected blocks along x alone");
}
