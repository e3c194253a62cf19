//! Tuned kernels: `#[kernel(tune(UNROLL = [1, 4], block = [128, 256]))]` compiles an instance for each combination, and
//! the first launch finds the fastest of them.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! /// Doubles; each thread takes `EACH` elements.
//! #[kernel(tune(EACH = [1, 2, 4], block = [128, 256], per_thread = EACH))]
//! pub fn double<const EACH: usize>(x: &mut [f32]) {
//!     for step in 0..EACH {
//!         let i = global_idx().x + step * global_size().x;
//!         if i < x.len() {
//!             x[i] = 2.0 * x[i];
//!         }
//!     }
//! }
//!
//! fn main() -> Result<()> {
//!     let gpu = Gpu::new()?;
//!     let mut x = gpu.upload(&[1.5f32; 1000])?;
//!     let report = double(&mut x).over(1000).run()?; // finds the best, then runs it once on `x`
//!     assert_eq!(x.to_vec()?, [3.0; 1000]);
//!     println!("{report}"); // says which it was
//!     for tuning in double::TUNED.tunings(&gpu) {
//!         println!("{tuning}"); // a table: every instance, its time, the chosen one marked
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # How an instance is chosen
//!
//! The first launch of a size class runs every instance on copies of the slices that the kernel writes, and compares
//! what they have written: instances that differ are [`Error::InstancesDiffer`]. Then a GPU times them with
//! events, in turn, several times, each time on fresh copies; the smallest median wins. The simulator has no time to
//! measure: there an estimate from instructions, sectors and passes over shared memory decides, and the table says so.
//! The buffers of the launch are touched once, by the run of the chosen instance.
//!
//! A size class is the power of two below the launch's size: what `over(n)` says, or the number of blocks. What a launch
//! fixes, a block size or dynamic shared memory, is part of it. An instance that a device cannot run, with too many
//! threads say, is left out, and the table says why.
//!
//! # The cache file
//!
//! Choices are kept for the device in memory, and in a file where [`Gpu::tuning_cache`] or the environment variable
//! `KERNEL_TUNING_CACHE` names one. A program may bring such a file along, as a file or by
//! [`Gpu::load_tunings`]: its entries for devices of the same name, architecture and size are not measured again,
//! unless the kernel has changed since. Several programs may share one.

mod cache;
mod estimate;
mod measure;
mod outputs;
mod report;
mod store;

pub use report::{Cost, Tuning, TuningRow};
pub(crate) use store::Store;

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, LaunchError, Result};
use crate::gpu::Gpu;
use crate::graph::Recording;
use crate::kernel::Kernel;
use crate::launch::{Args, LaunchReport, Prepared, Shape};
use crate::stream::Stream;

/// A kernel with `tune(…)`: its instances, of which a launch takes the fastest. `k::TUNED` is that of a kernel `k` all of
/// whose generic parameters are tuned; `k::tuned::<f32>()` gives it where others are left.
#[derive(Debug)]
pub struct Tuned {
    data: &'static TunedData,
}

/// Data that the macro writes into the program for a tuned kernel.
#[derive(Debug)]
pub struct TunedData {
    /// The name in Rust, with the generic arguments that are not tuned.
    pub name: &'static str,
    /// The path of the module that it is in.
    pub module: &'static str,
    /// The instances to choose from, in the order written; at least one. All take the same arguments.
    pub candidates: &'static [Candidate],
}

/// One combination of what is tuned.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The tuned parameters with their values here: `[("UNROLL", "4"), ("block", "128")]`.
    pub settings: &'static [(&'static str, &'static str)],
    /// The compiled instance.
    pub kernel: &'static Kernel,
    /// Threads per block, where the block size is tuned.
    pub block: Option<[u32; 3]>,
    /// Number of elements of `over(n)` that a thread takes.
    pub per_thread: u32,
}

impl fmt::Display for Candidate {
    /// `UNROLL = 4, block = 128`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings: Vec<String> =
            self.settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        f.pad(&settings.join(", "))
    }
}

impl Tuned {
    /// For the expansion of `#[kernel]`.
    ///
    /// # Safety
    /// The candidates are instances of one kernel: all take the same arguments.
    #[doc(hidden)]
    pub const unsafe fn new(data: &'static TunedData) -> Tuned {
        Tuned { data }
    }

    /// Its name in Rust.
    pub fn name(&self) -> &'static str {
        self.data.name
    }

    /// The instances to choose from, in the order written.
    pub fn candidates(&self) -> &'static [Candidate] {
        self.data.candidates
    }

    /// The choices on this device so far, one table for each size class in which it was launched.
    pub fn tunings(&self, gpu: &Gpu) -> Vec<Arc<Tuning>> {
        gpu.tunings().of(self)
    }

    /// Whatever is chosen, a launch's arguments are described by this one.
    #[doc(hidden)]
    pub fn first(&self) -> &'static Kernel {
        self.data.candidates[0].kernel
    }
}

impl Candidate {
    /// The shape of the launch with this instance.
    fn shape(&self, asked: &Shape) -> Shape {
        let over = asked.over.map(|n| n.div_ceil(self.per_thread.max(1) as usize));
        let over_each = asked.over_each.map(|[x, y, z]| [x.div_ceil(self.per_thread.max(1) as usize), y, z]);
        Shape { over, over_each, block: asked.block.or(self.block), ..asked.clone() }
    }

    /// Returns true if a launch with this block size may choose it.
    fn takes(&self, block: Option<[u32; 3]>) -> bool {
        match (self.block, block) {
            (Some(own), Some(asked)) => own == asked,
            (None, _) | (_, None) => true,
        }
    }
}

/// Runs the best instance, or if there is an `only` one that in the best block size; finds the best first where it is not
/// known.
pub(crate) fn run(
    tuned: &'static Tuned,
    only: Option<&'static Kernel>,
    args: &Args<'_>,
    gpu: &Gpu,
    shape: &Shape,
) -> Result<LaunchReport> {
    let (index, tuning) = choose(tuned, only, args, gpu, shape)?;
    let candidate = &tuned.candidates()[index];
    let report = Prepared::new(candidate.kernel, args, gpu, &candidate.shape(shape))?.run(gpu)?;
    Ok(LaunchReport { tuning, ..report })
}

/// Starts the best instance on a stream, chosen as by [`run`].
pub(crate) fn start(
    tuned: &'static Tuned,
    only: Option<&'static Kernel>,
    args: &Args<'_>,
    stream: &Stream,
    shape: &Shape,
) -> Result<()> {
    let (index, _) = choose(tuned, only, args, stream.gpu(), shape)?;
    let candidate = &tuned.candidates()[index];
    Prepared::new(candidate.kernel, args, stream.gpu(), &candidate.shape(shape))?.start(stream)
}

/// Records the best instance as part of a graph, chosen as by [`run`].
pub(crate) fn record<'gpu>(
    tuned: &'static Tuned,
    only: Option<&'static Kernel>,
    args: &Args<'gpu>,
    recording: &mut Recording<'gpu>,
    shape: &Shape,
) -> Result<()> {
    let gpu = recording.gpu().clone();
    let (index, _) = choose(tuned, only, args, &gpu, shape)?;
    let candidate = &tuned.candidates()[index];
    Prepared::new(candidate.kernel, args, &gpu, &candidate.shape(shape))?.record(recording)
}

/// The index of the instance to take, and how it was chosen where there was a choice.
fn choose(
    tuned: &'static Tuned,
    only: Option<&'static Kernel>,
    args: &Args<'_>,
    gpu: &Gpu,
    shape: &Shape,
) -> Result<(usize, Option<Arc<Tuning>>)> {
    let all = tuned.candidates();
    let is_only = |candidate: &Candidate| only.is_none_or(|only| std::ptr::eq(candidate.kernel, only));
    let allows = |&index: &usize| all[index].takes(shape.block) && is_only(&all[index]);
    let allowed: Vec<usize> = (0..all.len()).filter(allows).collect();
    match allowed[..] {
        [] => {
            let blocks = all.iter().filter_map(|candidate| candidate.block);
            let found = shape.block.unwrap_or([1; 3]);
            let reason = LaunchError::BlockNotTuned { found, tuned: distinct(blocks) };
            Err(Error::Launch { kernel: tuned.name(), reason })
        }
        // Nothing to choose.
        [only] => Ok((only, None)),
        _ => {
            let tuning = gpu.tunings().choose(tuned, &allowed, args, gpu, shape, only)?;
            Ok((tuning.chosen, Some(tuning)))
        }
    }
}

fn distinct(values: impl Iterator<Item = [u32; 3]>) -> Vec<[u32; 3]> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}
