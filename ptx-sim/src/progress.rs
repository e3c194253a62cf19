//! Progress of a launch and its cancellation, from other threads while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Watches launches from other threads, and ends them. Clones watch the same launches.
///
/// The simulator counts the blocks that are done, and a launch that is cancelled ends soon, its memory written in part. A GPU reports
/// nothing before the kernel is over, and nothing stops it there; only a launch that has not started yet is cancelled.
///
/// ```
/// use ptx_sim::{LaunchConfig, Memory, Options, Program, Progress, run_with};
///
/// let text = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";
/// let program = Program::load(text)?;
/// let kernel = program.kernel("nothing").ok_or("no such kernel")?;
/// let config = LaunchConfig { grid: [10, 1, 1], block: [32, 1, 1], dynamic_shared: 0 };
/// let progress = Progress::new();
/// let seen = progress.clone(); // for a thread that draws a bar, say
/// let run = |progress| run_with(&program, kernel, &Memory::new(), &config, &[], &Options::default(), Some(progress));
/// run(&progress).result?;
/// assert_eq!((seen.done(), seen.blocks()), (10, 10));
///
/// seen.cancel();
/// assert!(run(&progress).result.is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
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

    /// Notes that a launch of so many blocks starts; [`run_with`](crate::run_with) does.
    pub fn start(&self, blocks: u64) {
        self.shared.done.store(0, Ordering::Relaxed);
        self.shared.blocks.store(blocks, Ordering::Relaxed);
    }

    /// Notes that some more blocks are done; [`run_with`](crate::run_with) does.
    pub fn add(&self, blocks: u64) {
        self.shared.done.fetch_add(blocks, Ordering::Relaxed);
    }
}
