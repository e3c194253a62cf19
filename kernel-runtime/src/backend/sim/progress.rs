//! Progress of a launch and its cancellation, from other threads while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Watches launches from other threads, and ends them. Clones watch the same launches.
///
/// It is given to a launch with `.progress(&progress)`. On the simulator it counts the blocks that are done, and a launch that
/// is cancelled ends soon with [`Error::Cancelled`](crate::Error::Cancelled), its buffers written in part. A GPU reports nothing
/// before the kernel is over, and nothing stops it there; only a launch that has not started yet is cancelled.
///
/// ```
/// use kernel_runtime::Progress;
/// use kernel_runtime::prelude::*;
///
/// #[kernel]
/// fn squares(y: &mut [u32]) {
///     let i = global_idx().x;
///     if i < y.len() {
///         y[i] = (i * i) as u32;
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let gpu = Gpu::simulator(Arch::Sm90);
/// let mut y = gpu.zeros::<u32>(1000)?;
/// let progress = Progress::new();
/// let seen = progress.clone(); // for a thread that draws a bar, say
/// squares(&mut y).over(1000).block(100).progress(&progress).run()?;
/// assert_eq!((seen.done(), seen.blocks()), (10, 10));
///
/// seen.cancel();
/// let stopped = squares(&mut y).over(1000).progress(&progress).run();
/// assert!(matches!(stopped, Err(Error::Cancelled { .. })));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Progress {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    blocks: AtomicU64,
    done: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    /// Watches nothing yet.
    pub fn new() -> Progress {
        Progress::default()
    }

    /// Blocks of the launch that runs, or ran last; 0 before the first.
    pub fn blocks(&self) -> u64 {
        self.shared.blocks.load(Ordering::Relaxed)
    }

    /// The number of blocks that are done.
    pub fn done(&self) -> u64 {
        self.shared.done.load(Ordering::Relaxed)
    }

    /// The part that is done, 0 to 1.
    pub fn fraction(&self) -> f64 {
        match self.blocks() {
            0 => 0.0,
            blocks => self.done() as f64 / blocks as f64,
        }
    }

    /// Ends the launch that runs, and all that follow with this.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns true if [`cancel`](Progress::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Relaxed)
    }

    /// A launch of so many blocks starts.
    pub(crate) fn start(&self, blocks: u64) {
        self.shared.done.store(0, Ordering::Relaxed);
        self.shared.blocks.store(blocks, Ordering::Relaxed);
    }

    /// Some more blocks are done.
    pub(crate) fn add(&self, blocks: u64) {
        self.shared.done.fetch_add(blocks, Ordering::Relaxed);
    }
}
