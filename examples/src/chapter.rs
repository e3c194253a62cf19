//! The effects that the kernels are about: which are compared with which, what there is to see, and how it is measured.
//!
//! On a GPU that is time, between events; on the simulator what it counts, and the time that its profiler models.

mod columns;
mod effects;

use std::time::{Duration, Instant};

use kernel_runtime::{Gpu, Kernel};
use serde::Serialize;

use crate::toolchain::Ptxas;
use crate::{Example, Outcome, examples};

pub use columns::{COLUMNS, Column};
pub use effects::EFFECTS;

/// Something to see.
pub struct Effect {
    /// The row of the list of kernels that it belongs to.
    pub row: u32,
    /// The topic.
    pub topic: &'static str,
    /// The subject of the comparison.
    pub title: &'static str,
    /// The effect that the numbers should show.
    pub shows: &'static str,
    /// Elements on the simulator, unless another number is asked for.
    pub elements: usize,
    /// The kernels or runs to compare; the first is the baseline of the others.
    pub compared: Compared,
}

/// Kernels or runs to compare.
pub enum Compared {
    /// The examples of these kernels, with all their instances, each with something to say beside it.
    Examples(&'static [(&'static str, &'static str)]),
    /// Examples that do different things: no ratio says anything.
    Apart(&'static [&'static str]),
    /// Examples that do different things, with the assembler's numbers of registers.
    Assembled(&'static [&'static str]),
    /// Runs that are no examples.
    Runs(fn(&Lab, usize) -> Result<Vec<Measured>, String>),
}

/// The device of a measurement, with its settings and the assembler.
pub struct Lab {
    /// The device.
    pub gpu: Gpu,
    /// Runs of each kernel on a GPU, of which the median counts.
    pub rounds: usize,
    /// Elements, if they were asked for.
    pub elements: Option<usize>,
    /// The assembler, where it is found.
    pub ptxas: Option<Ptxas>,
}

/// Measurements of a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Description of the variant.
    pub variant: String,
    /// The kernel.
    pub kernel: &'static str,
    /// Seconds: the median on a GPU, modelled on the simulator; none of several launches there.
    pub seconds: Option<f64>,
    /// Bytes per second by what it has to read and write; on a GPU.
    pub bytes_per_second: Option<f64>,
    /// Counts of the simulator.
    pub counted: Option<Counted>,
    /// Registers per thread, estimated on the simulator.
    pub registers: u32,
    /// Registers by the assembler, and the bytes that it spills.
    pub assembled: Option<(u32, u32)>,
    /// Threads per block.
    pub block: u32,
    /// Active warps per warp slot.
    pub occupancy: f64,
    /// The resource that limits the occupancy.
    pub limited_by: String,
    /// A remark for the reader.
    pub note: String,
}

/// Counts of the simulator.
#[derive(Clone, Debug, Serialize)]
pub struct Counted {
    /// Warp instructions, of PTX.
    pub instructions: u64,
    /// Active lanes per lane.
    pub lanes: f64,
    /// Lanes that a predicate switched off, summed over instructions.
    pub predicated_off: u64,
    /// Branches at which lanes parted.
    pub divergent_branches: u64,
    /// Sectors per access to global memory.
    pub sectors: f64,
    /// Bytes of these sectors.
    pub sector_bytes: u64,
    /// Passes over shared memory that bank conflicts added.
    pub conflicts: u64,
}

/// Time limit for the runs of a kernel together, most of which is the host's.
const ENOUGH: Duration = Duration::from_millis(250);

/// Elements on a GPU: more than its L2 holds.
const ELEMENTS_ON_A_GPU: usize = 1 << 24;

impl Effect {
    /// Runs and checks all that is compared.
    ///
    /// # Errors
    /// The message of a failure or of a wrong result, with the kernel's name.
    pub fn measure(&self, lab: &Lab) -> Result<Vec<Measured>, String> {
        let usual = if lab.gpu.is_simulator() { self.elements } else { ELEMENTS_ON_A_GPU };
        let elements = lab.elements.unwrap_or(usual);
        match self.compared {
            Compared::Examples(kernels) => {
                let measure = |&(name, note): &(&'static str, &'static str)| {
                    named(name).map(move |example| lab.example(example, elements, note, false))
                };
                kernels.iter().flat_map(measure).collect()
            }
            Compared::Apart(kernels) => {
                let measure = |&name: &&'static str| {
                    named(name).map(|example| lab.example(example, elements, "", false))
                };
                kernels.iter().flat_map(measure).collect()
            }
            Compared::Assembled(kernels) => {
                let measure = |&name: &&'static str| {
                    named(name).map(|example| lab.example(example, elements, "", true))
                };
                kernels.iter().flat_map(measure).collect()
            }
            Compared::Runs(runs) => runs(lab, elements),
        }
    }
}

/// The examples of a kernel and of all its instances.
pub fn named(name: &str) -> impl Iterator<Item = &'static Example> {
    let of_letters = |c: char| c.is_alphanumeric() || c == '_';
    examples().filter(move |example| {
        example.kernel.name().strip_prefix(name).is_some_and(|rest| !rest.starts_with(of_letters))
    })
}

impl Lab {
    fn example(
        &self,
        example: &'static Example,
        elements: usize,
        note: &str,
        assembled: bool,
    ) -> Result<Measured, String> {
        let bytes = elements as u64 * u64::from(example.bytes_per_element);
        let measured = self.measure(example.kernel, example.about, || (example.run)(&self.gpu, elements))?;
        // Wrong for examples whose data has the same size whatever is asked for: they move another number of bytes.
        let bytes_per_second = measured.bytes_per_second.map(|per_second| per_second * bytes as f64);
        let assembled = if assembled { self.assemble(example.kernel)? } else { None };
        Ok(Measured { bytes_per_second, assembled, note: note.to_owned(), ..measured })
    }

    /// Runs and checks something, several times on a GPU. It moves one byte.
    pub(crate) fn measure(
        &self,
        kernel: &'static Kernel,
        variant: &str,
        run: impl Fn() -> kernel_runtime::Result<Outcome>,
    ) -> Result<Measured, String> {
        let said = |what: String| format!("{} ({variant}): {what}", kernel.name());
        let start = Instant::now();
        let mut times: Vec<Duration> = Vec::new();
        let mut last = None;
        let rounds = if self.gpu.is_simulator() { 1 } else { self.rounds.max(1) };
        for _ in 0..rounds {
            let outcome = run().map_err(|error| said(error.to_string()))?;
            outcome.check().map_err(said)?;
            times.push(outcome.report.time);
            last = Some(outcome.report);
            // The second one finds the kernel loaded and clocks up.
            if times.len() >= 2 && start.elapsed() > ENOUGH {
                break;
            }
        }
        let report = last.ok_or_else(|| said("it was not run".to_owned()))?;
        times.sort_unstable();
        let block = report.block_threads();
        let occupancy = kernel
            .max_active_blocks(&self.gpu, block, report.dynamic_shared)
            .map_err(|error| said(error.to_string()))?;
        let registers = usual_registers(kernel, &self.gpu).map_err(|error| said(error.to_string()))?;
        let median = times[times.len() / 2].as_secs_f64();
        let counted = report.stats.as_ref().map(|stats| Counted {
            instructions: stats.warp_instructions,
            lanes: stats.warp_execution_efficiency(),
            predicated_off: stats.predicated_off_thread_instructions(),
            divergent_branches: stats.divergent_branches,
            sectors: stats.sectors_per_request(),
            sector_bytes: 32 * stats.sectors,
            conflicts: stats.bank_conflicts(),
        });
        // The profile of several launches is that of the last: it says nothing of them all.
        let of_one = |counted: &Counted| {
            let profile = report.profile().ok()?;
            (profile.counts.warp_instructions == counted.instructions).then_some(profile.estimate.seconds)
        };
        let seconds = counted.as_ref().map_or(Some(median), of_one);
        let bytes_per_second = counted.is_none().then(|| median.recip());
        Ok(Measured {
            variant: variant.to_owned(),
            kernel: kernel.name(),
            seconds,
            bytes_per_second,
            counted,
            registers,
            assembled: None,
            block,
            occupancy: occupancy.fraction(),
            limited_by: occupancy.limiters.to_string(),
            note: String::new(),
        })
    }

    /// Registers and spilled bytes of the entry that launches take: by the driver's assembler or by that of the toolkit.
    fn assemble(&self, kernel: &'static Kernel) -> Result<Option<(u32, u32)>, String> {
        let spilled = kernel.spilled_bytes(&self.gpu).map_err(|error| error.to_string())?;
        if let Some(spilled) = spilled {
            let registers = usual_registers(kernel, &self.gpu).map_err(|error| error.to_string())?;
            return Ok(Some((registers, spilled)));
        }
        let Some(ptxas) = &self.ptxas else { return Ok(None) };
        let variant = kernel.variant(&self.gpu).map_err(|error| error.to_string())?;
        let entry = variant.usual().entry;
        let report = ptxas.assemble(variant.ptx, self.gpu.arch())?;
        let entry = report.entries.iter().find(|known| known.name == entry);
        Ok(entry.map(|entry| (entry.registers, entry.stack)))
    }
}

/// Registers of the entry that launches take.
fn usual_registers(kernel: &'static Kernel, gpu: &Gpu) -> kernel_runtime::Result<u32> {
    let attributes = match kernel.check_free_attributes(gpu)? {
        Some(attributes) => attributes,
        None => kernel.attributes(gpu)?,
    };
    Ok(attributes.registers)
}
