//! Result of a launch that is over: a report, or the panic of a thread as an error.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kernel_abi::panic::PanicRecord;

use crate::error::{Error, Result, debug_by_display};
use crate::gpu::Gpu;
use crate::kernel::{ChecksTaken, Coarsening, KernelData, PanicSite, Variant};
use crate::printed::Prints;
use crate::profile::Profile;
use crate::tune::Tuning;
use ptx_sim::LaunchStats;

/// Report of [`Launch::run`](super::Launch::run) on a launch that ended well.
#[derive(Clone)]
pub struct LaunchReport {
    /// The device that it ran on.
    pub gpu: Gpu,
    /// The kernel's name.
    pub kernel: &'static str,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads per block along x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block in bytes.
    pub dynamic_shared: u32,
    /// Run time of the kernel: on a GPU measured there, between two events; on the simulator by the host's clock.
    pub time: Duration,
    /// Counts of the simulator; none on a GPU.
    pub stats: Option<LaunchStats>,
    /// Text that the kernel printed by CUDA's `vprintf`, on the simulator. It also goes to the standard output, as it does on a GPU.
    pub printed: Option<String>,
    /// Findings of the simulator's sanitizer that are no faults, each once: a compare-and-swap loop whose first read is plain.
    pub warnings: Vec<String>,
    /// Findings of the profiler; see [`profile`](LaunchReport::profile).
    pub(crate) profile: Option<Arc<Profile>>,
    /// The version of the kernel that it took: that with all checks, or that without those that could not fail in this launch.
    pub checks: ChecksTaken,
    /// Version with several elements a thread: taken, or why not.
    pub coarsening: Coarsening,
    /// Texts that the kernel printed by `println!` and its like. They also went to the host's output, or to the closure of
    /// [`Gpu::on_print`].
    pub prints: Prints,
    /// Of a kernel with `tune(…)`: how the instance that ran was chosen.
    pub tuning: Option<Arc<Tuning>>,
    /// A warning of the simulator: by the registers that it estimates no more threads than these could be in a block on a GPU,
    /// but this launch had more. `ptxas` decides; `launch_bounds` make it keep to what fits.
    pub estimated_max_threads: Option<u32>,
}

impl LaunchReport {
    /// Threads per block.
    pub fn block_threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// The profile of a launch that said `.profile()`.
    ///
    /// # Errors
    ///
    /// [`Error::NotProfiled`] when it did not, or ran on a GPU, which counts nothing for a program.
    pub fn profile(&self) -> Result<&Profile> {
        self.profile.as_deref().ok_or_else(|| Error::NotProfiled {
            kernel: self.kernel,
            device: self.gpu.to_string(),
            simulated: self.gpu.is_simulator(),
        })
    }

    /// Bytes per second, in units of 10⁹, for a kernel that moves so many.
    pub fn gigabytes_per_second(&self, bytes: u64) -> f64 {
        bytes as f64 / self.time.as_secs_f64() / 1e9
    }
}

debug_by_display!(LaunchReport);

impl fmt::Display for LaunchReport {
    /// `saxpy: 4096 × 1 × 1 blocks of 256 × 1 × 1 threads on NVIDIA H200 (CUDA device 0), 5.2µs`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LaunchReport { gpu, kernel, grid: [gx, gy, gz], block: [bx, by, bz], time, stats, .. } = self;
        // The host's time is none of the kernel.
        let how = if gpu.is_simulator() { "simulated in " } else { "" };
        write!(
            f,
            "{kernel}: {gx} × {gy} × {gz} blocks of {bx} × {by} × {bz} threads on {gpu}, {how}{time:.1?}"
        )?;
        if let Some(stats) = stats {
            let efficiency = 100.0 * stats.warp_execution_efficiency();
            write!(
                f,
                ", {} warp instructions of PTX, warp execution efficiency {efficiency:.1} %",
                stats.warp_instructions
            )?;
        }
        match self.coarsening {
            Coarsening::Taken { elements } => write!(f, ", {elements} elements a thread")?,
            Coarsening::Failed(test) => write!(f, ", one element a thread, as not {test}")?,
            // As the launch asks for it, or as it is with every kernel and small launch.
            Coarsening::NoVersion
            | Coarsening::OtherShape
            | Coarsening::Asked
            | Coarsening::Small { .. }
            | Coarsening::DoesNotFit => {}
        }
        match self.checks {
            ChecksTaken::Failed(test) => write!(f, ", checked, as not {test}")?,
            ChecksTaken::Partly(test) => write!(f, ", partly checked, as not {test}")?,
            ChecksTaken::Only | ChecksTaken::CheckFree | ChecksTaken::Asked => {}
        }
        if let Some(best) = self.tuning.as_deref().and_then(Tuning::best) {
            write!(f, ", tuned: {}", best.instance())?;
        }
        for warning in &self.warnings {
            write!(f, "\nwarning: {warning}")?;
        }
        if let Some(most) = self.estimated_max_threads {
            write!(
                f,
                "\nwarning: its registers, as estimated, let blocks of at most {most} threads start on a GPU\n\
                 help: bound the threads of a block (`launch_bounds`, `.maxntid`), then `ptxas` keeps to what fits"
            )?;
        }
        Ok(())
    }
}

/// The error for a record that a thread left. A site that the kernel does not have is reported as it is.
pub(crate) fn panicked(kernel: &KernelData, variant: &Variant, record: &PanicRecord) -> Error {
    let site = usize::try_from(record.site).ok().and_then(|site| variant.panics.get(site));
    let (message, file, line, column) = match site {
        Some(site) => (site.text(&record.args), site.file, site.line, site.column),
        None => (format!("at the unknown place {}", record.site), kernel.file, kernel.line, 1),
    };
    let (indexed, calls) = (site.and_then(PanicSite::indexed), site.map_or(&[][..], |site| site.calls));
    let PanicRecord { block, thread, .. } = *record;
    Error::KernelPanicked {
        kernel: kernel.name,
        indexed,
        message,
        file: file.into(),
        line,
        column,
        calls,
        block,
        thread,
    }
}
