//! The profile of a launch on the simulator: what [`Launch::profile`](crate::Launch::profile) asks for.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! /// Every second element: half of what each access fetches is not used.
//! #[kernel]
//! fn gather(x: &[f32], y: &mut [f32]) {
//!     let i = global_idx().x;
//!     if i < y.len() && 2 * i < x.len() {
//!         y[i] = x[2 * i];
//!     }
//! }
//!
//! # fn main() -> Result<()> {
//! let gpu = Gpu::simulator(Arch::Sm90);
//! let (x, mut y) = (gpu.upload(&[1.0f32; 4096])?, gpu.zeros::<f32>(2048)?);
//! let report = gather(&x, &mut y).over(2048).block(256).profile().run()?;
//! let profile = report.profile()?;
//! assert_eq!(profile.counts.global_requests, 2 * 2048 / 32);
//! assert_eq!(profile.counts.sectors, (8 + 4) * 2048 / 32);
//! println!("{profile}"); // a table, with the lines of the source
//! let json = profile.to_json();
//! let page = profile.to_html(); // one file that needs no other
//! # assert!(json.contains("gather") && page.contains("gather"));
//! # Ok(())
//! # }
//! ```
//!
//! # What is counted and what is modelled
//!
//! Counted, exactly: instructions of PTX (a GPU runs the SASS that `ptxas` makes of them, whose numbers differ), active lanes and
//! lanes whose guard held, branches that diverged, requests and sectors of global memory, passes over shared memory, all with
//! Nsight Compute's definitions; passes of loads of constants, where atomic operations meet, and the block that executes the most; and the bytes of
//! global memory that the launch touches at all.
//!
//! Modelled: what the first-level cache has ([`Counts::near_sectors`]: the block's share of it, empty when the block starts),
//! how long a block takes alone ([`Counts::stalls`], on a few blocks: each warp issues in order and waits for its operands),
//! and from these and the speeds of the device the [`Estimate`]: the least time by each resource, and which of four regimes
//! the kernel is in. It is no prediction of the time; what it is for is the order of the bounds.

mod build;
mod estimate;
mod hints;
mod html;
mod machine;
mod numbers;
mod occupancy_plot;
mod source;
mod terminal;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use ptx_sim::{Class, Counts, Pattern, Stall, Stalls};

pub(crate) use estimate::LAUNCH as LAUNCH_SECONDS;
pub(crate) use numbers::{bytes, percent, time};

use crate::error::{Error, Result};
use ptx::target::Arch;

/// Bytes per second of the memory of the product that stands for an architecture.
pub(crate) fn memory_bandwidth(arch: Arch) -> f64 {
    machine::Machine::of(arch).memory_bytes_per_second()
}

/// Findings of the simulator about a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The kernel's name.
    pub kernel: String,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads per block along x, y, z.
    pub block: [u32; 3],
    /// Number of consecutive elements that each thread of the version that ran does: more than one of coarsened kernels.
    #[serde(default = "one")]
    pub elements: u32,
    /// Dynamic shared memory per block in bytes.
    pub dynamic_shared: u32,
    /// The device whose speeds the numbers are judged by.
    pub device: Device,
    /// Resources that the kernel needs.
    pub resources: Resources,
    /// All instructions together.
    pub counts: Counts,
    /// The instructions by kind, only those that there are.
    pub mix: Vec<MixRow>,
    /// The accesses to memory by kind, only those that there are.
    pub memory: Vec<MemoryRow>,
    /// The bytes of global memory that the launch touches at all, in sectors of 32 bytes: (read, written).
    pub footprint: (u64, u64),
    /// Occupancy of an SM.
    pub occupancy: OccupancyProfile,
    /// The lower bounds on its time.
    pub estimate: Estimate,
    /// The lines of source that instructions come from, in the order of the files.
    pub lines: Vec<LineProfile>,
    /// Every instruction, in the order of the PTX.
    pub instructions: Vec<InstructionProfile>,
    /// The source around these lines, as far as it was found.
    pub files: Vec<SourceFile>,
}

/// The elements of a thread in profiles that do not say.
fn one() -> u32 {
    1
}

/// The device that the simulator stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// The simulator's name.
    pub name: String,
    /// The product whose size and speeds it has.
    pub like: String,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Clock of the SMs in MHz.
    pub clock_mhz: u32,
    /// Bandwidth of the memory in bytes per second.
    pub memory_bandwidth: f64,
}

/// Resources that a kernel needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Registers per thread, estimated from the PTX.
    pub registers: u32,
    /// Static shared memory per block in bytes.
    pub static_shared: u32,
    /// Local memory per thread in bytes.
    pub local_bytes: u32,
}

/// Instructions of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MixRow {
    /// The kind.
    pub class: Class,
    /// Warp instructions.
    pub warp_instructions: u64,
    /// Lanes that did something.
    pub thread_instructions: u64,
    /// Floating-point operations.
    pub operations: u64,
}

/// Accesses of one kind to one memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRow {
    /// `global loads`, `shared stores`.
    pub what: String,
    /// Warp accesses.
    pub requests: u64,
    /// Bytes that lanes moved, of global and local memory.
    pub bytes: Option<u64>,
    /// Of global memory: distinct sectors of 32 bytes, summed over requests.
    pub sectors: Option<u64>,
    /// The sectors of packed accesses.
    pub ideal_sectors: Option<u64>,
    /// The sectors that the first-level cache had.
    pub near_sectors: Option<u64>,
    /// Of shared memory: passes.
    pub wavefronts: Option<u64>,
    /// The passes without bank conflicts.
    pub ideal_wavefronts: Option<u64>,
}

/// Occupancy of an SM with the kernel, by block size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OccupancyProfile {
    /// With the blocks of the launch.
    pub launched: OccupancyPoint,
    /// Warps that an SM holds.
    pub max_warps: u32,
    /// With blocks of every number of whole warps.
    pub curve: Vec<OccupancyPoint>,
}

/// Occupancy of an SM with blocks of one size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OccupancyPoint {
    /// Threads per block.
    pub threads: u32,
    /// Blocks on an SM.
    pub active_blocks: u32,
    /// Their warps.
    pub active_warps: u32,
    /// The resource that allows no more blocks.
    pub limited_by: String,
}

/// Bottleneck of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Regime {
    /// The arithmetic units or the issue of instructions.
    Compute,
    /// The bandwidth of a memory or a cache.
    Bandwidth,
    /// Waiting: instructions that need each other's results, with too few others to fill the time.
    Latency,
    /// Too little work at once: SMs without a block, few warps on each, or less work than starting it takes.
    Parallelism,
}

/// Lower bounds on the time of a launch, and the reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The bottleneck.
    pub regime: Regime,
    /// Why, in sentences; the first names the bound.
    pub reasons: Vec<String>,
    /// Advice on a faster kernel, with lines of the source.
    pub hints: Vec<String>,
    /// Cycles that each resource takes at least, the most first.
    pub bounds: Vec<Bound>,
    /// Floating-point operations per byte of memory that the launch touches.
    pub intensity: f64,
    /// Seconds by the greatest bound.
    pub seconds: f64,
}

/// Cycles that a launch takes because of one resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The resource.
    pub what: String,
    /// The regime that it stands for.
    pub regime: Regime,
    /// Clock cycles of the SMs.
    pub cycles: f64,
}

/// The counts of a line of source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineProfile {
    /// The file, as an index into [`Profile::files`]; none for instructions that come from no line.
    pub file: Option<usize>,
    /// The line, from one.
    pub line: u32,
    /// Counts of its instructions.
    pub counts: Counts,
    /// Its instructions, as indices into [`Profile::instructions`].
    pub instructions: Vec<usize>,
}

/// The counts of an instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstructionProfile {
    /// The line of the PTX, from one.
    pub ptx_line: u32,
    /// That line.
    pub text: String,
    /// The instruction with its modifiers, as `fma.rn.f32`.
    #[serde(default)]
    pub name: String,
    /// The class of its work.
    pub class: Class,
    /// Its counts.
    pub counts: Counts,
    /// Order of the addresses of its lanes.
    #[serde(default)]
    pub pattern: Pattern,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its path as the PTX has it.
    pub path: String,
    /// The parts that instructions come from; none if the file was not found.
    pub excerpts: Vec<Excerpt>,
}

/// Lines that follow each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The number of the first.
    pub first_line: u32,
    /// Their text.
    pub lines: Vec<String>,
}

impl Regime {
    /// In a word or two.
    pub const fn as_str(self) -> &'static str {
        match self {
            Regime::Compute => "compute",
            Regime::Bandwidth => "memory bandwidth",
            Regime::Latency => "latency",
            Regime::Parallelism => "too little parallelism",
        }
    }
}

impl Profile {
    /// Everything as JSON, which [`from_json`](Profile::from_json) reads.
    pub fn to_json(&self) -> String {
        // Numbers, strings and lists of them: nothing that JSON could not say.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// A profile from its JSON; an error is what is wrong with the text.
    ///
    /// # Errors
    ///
    /// A message that says where the text is no JSON of a profile.
    pub fn from_json(text: &str) -> std::result::Result<Profile, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// One page for a browser, complete in itself: the source with bars beside the lines, tables, occupancy by block size.
    pub fn to_html(&self) -> String {
        html::page(self)
    }

    /// Writes the page to a file.
    ///
    /// # Errors
    ///
    /// [`Error::Write`] when the file cannot be written.
    pub fn write_html(&self, path: impl AsRef<std::path::Path>) -> Result<()> {
        let path = path.as_ref();
        std::fs::write(path, self.to_html())
            .map_err(|error| Error::Write { path: path.display().to_string(), reason: error.to_string() })
    }

    /// The place of an instruction in the source, as `src/lib.rs:12`.
    pub fn place(&self, line: &LineProfile) -> String {
        match line.file.and_then(|file| self.files.get(file)) {
            Some(file) => format!("{}:{}", file.path, line.line),
            None => "made by the compiler".to_owned(),
        }
    }

    /// The text of a line of the source, if it was found.
    pub fn text(&self, line: &LineProfile) -> Option<&str> {
        let file = self.files.get(line.file?)?;
        file.excerpts.iter().find_map(|excerpt| {
            let index = line.line.checked_sub(excerpt.first_line)?;
            excerpt.lines.get(index as usize).map(String::as_str)
        })
    }

    /// The line with the most of something, if any has some.
    pub fn line_with_most(&self, what: impl Fn(&Counts) -> u64) -> Option<&LineProfile> {
        let most = self.lines.iter().max_by_key(|line| what(&line.counts))?;
        (what(&most.counts) > 0).then_some(most)
    }
}
