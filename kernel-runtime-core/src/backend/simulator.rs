//! The simulator as a device: its memory, its programs, its answers in the terms of the runtime.

mod queue;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ptx::occupancy::{KernelResources, occupancy, registers_left};
use ptx::target::{Arch, Limits, MAX_THREADS_PER_BLOCK, WARP_SIZE};

use super::cuda::CudaDevice;
use super::{
    Allocation, Backend, Execution, Function, HostMemory, LaunchConfig, Mailbox, Module, Params, Queue,
    Recorded, Side, SuggestedSize, Work,
};
use crate::attributes::DeviceAttributes;
use crate::error::{Error, Result, SYNTAX_HELP};
use crate::gpu::lock;
use crate::kernel::{CallSite, Called, FunctionAttributes, threads_of};
use ptx_sim::{self as sim, Fault, KernelId, KernelInfo, LoadError, Memory, NotAllocated, Program};

/// A simulated device.
pub(crate) struct Simulator {
    attributes: DeviceAttributes,
    memory: Memory,
    /// Bytes of all buffers.
    used: AtomicU64,
    /// Held while a kernel runs: it has all cores, and the sanitizer looks at one at a time.
    running: Mutex<()>,
    /// Bytes of the second-level cache that are set aside: a number, and no more.
    l2_set_aside: AtomicU64,
}

impl Simulator {
    /// A device of this architecture; `fallback` is why it was not a CUDA device.
    pub(crate) fn new(arch: Arch, fallback: Option<Error>) -> Simulator {
        let memory = Memory::new();
        let attributes = DeviceAttributes { fallback, ..DeviceAttributes::simulated(arch) };
        Simulator {
            attributes,
            memory,
            used: AtomicU64::new(0),
            running: Mutex::new(()),
            l2_set_aside: AtomicU64::new(0),
        }
    }
}

impl Simulator {
    /// Refuses more memory than the host has. The simulator's own memory ends the program then: so it is asked for first, and given back.
    fn check_host_memory(&self, bytes: usize) -> Result<()> {
        let (device, requested) = (self.attributes.name.clone(), bytes as u64);
        let is_more_than_device = requested > self.attributes.memory_bytes;
        match is_more_than_device || Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
            true => Err(Error::OutOfHostMemory { device, requested }),
            false => Ok(()),
        }
    }
}

/// Memory that was allocated and not given back cannot be missing.
fn lost(error: NotAllocated) -> Error {
    Error::Internal { what: format!("the simulator lost memory of a buffer: {error}") }
}

impl fmt::Debug for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulator").field("attributes", &self.attributes).finish_non_exhaustive()
    }
}

impl Backend for Simulator {
    fn attributes(&self) -> &DeviceAttributes {
        &self.attributes
    }

    fn allocate(&self, bytes: usize) -> Result<Allocation> {
        let requested = bytes as u64;
        let total = self.attributes.memory_bytes;
        let within = |used: u64| used.checked_add(requested).filter(|&sum| sum <= total);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within) {
            Ok(_) if bytes == 0 => Ok(Allocation { address: 0, bytes }),
            Ok(_) => match self.check_host_memory(bytes) {
                Ok(()) => Ok(Allocation { address: self.memory.allocate(requested, ALIGN), bytes }),
                Err(error) => {
                    self.used.fetch_sub(requested, Ordering::Relaxed);
                    Err(error)
                }
            },
            Err(used) => Err(Error::OutOfMemory {
                device: self.attributes.name.clone(),
                requested,
                free: total - used,
                total,
            }),
        }
    }

    fn label(&self, allocation: &Allocation, label: sim::Label) {
        self.memory.label(allocation.address, label);
    }

    fn free_memory(&self) -> Result<u64> {
        Ok(self.attributes.memory_bytes.saturating_sub(self.used.load(Ordering::Relaxed)))
    }

    fn free(&self, allocation: &Allocation) {
        if allocation.bytes > 0 {
            // There by the invariant of `Allocation`.
            let _ = self.memory.free(allocation.address);
            self.used.fetch_sub(allocation.bytes as u64, Ordering::Relaxed);
        }
    }

    fn zero(&self, allocation: &Allocation) -> Result<()> {
        if allocation.bytes == 0 {
            return Ok(());
        }
        self.memory.fill(allocation.address, 0, allocation.bytes as u64).map_err(lost)
    }

    fn write(&self, to: &Allocation, from: &[u8]) -> Result<()> {
        let bytes = from.len().min(to.bytes);
        if bytes == 0 {
            return Ok(());
        }
        self.memory.write(to.address, &from[..bytes]).map_err(lost)
    }

    fn read(&self, from: &Allocation, into: &mut [u8]) -> Result<()> {
        let bytes = into.len().min(from.bytes);
        if bytes == 0 {
            return Ok(());
        }
        self.memory.read(from.address, &mut into[..bytes]).map_err(lost)
    }

    fn copy(&self, to: &Allocation, from: u64) -> Result<()> {
        if to.bytes == 0 {
            return Ok(());
        }
        let mut bytes = vec![0; to.bytes];
        self.memory.read(from, &mut bytes).map_err(lost)?;
        self.memory.write(to.address, &bytes).map_err(lost)
    }

    fn copy_across(&self, to: &Allocation, from: Side<'_>) -> Result<()> {
        Side { device: self, memory: to }.copy_by_host(from)
    }

    fn set_aside_l2(&self, bytes: u64) -> Result<()> {
        self.l2_set_aside.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn l2_set_aside(&self) -> Result<u64> {
        Ok(self.l2_set_aside.load(Ordering::Relaxed))
    }

    fn reset_l2(&self) -> Result<()> {
        Ok(())
    }

    fn load_module(self: Arc<Self>, ptx: &str, called: &Called) -> Result<Box<dyn Module>, String> {
        let mut program =
            Program::load(ptx).map_err(|error| format!("{error}\nhelp: {}", load_help(&error)))?;
        if !called.lines.is_empty() {
            let line = |CallSite { file, line, column }| sim::SourceLine { file: file.into(), line, column };
            program.set_calls(|of_ptx| called.at_line(of_ptx).map(line).collect());
        }
        let target = target(ptx);
        if !self.attributes.arch.can_run(target) {
            let arch = self.attributes.arch;
            return Err(format!(
                "its PTX is for {target}, which {arch} does not run\nhelp: open a device that runs it, as \
                 `Gpu::simulator` of {target} does, or compile for {arch}"
            ));
        }
        Ok(Box::new(SimulatedModule { device: self, program: Arc::new(program), text: ptx.into(), target }))
    }

    fn as_cuda(&self) -> Option<&CudaDevice> {
        None
    }

    fn tensor_map(&self, map: &sim::TensorMap) -> Result<[u8; sim::TensorMap::BYTES]> {
        Ok(map.encode())
    }

    fn queue(self: Arc<Self>) -> Result<Box<dyn Queue>> {
        Ok(Box::new(queue::SimulatedQueue::new(self)))
    }

    fn recorded(self: Arc<Self>, _work: Work<'_>) -> Result<Option<Box<dyn Recorded>>> {
        Ok(None)
    }

    fn mailbox(self: Arc<Self>, bytes: usize) -> Result<Box<dyn Mailbox>> {
        Ok(Box::new(queue::SimulatedMailbox::new(self, bytes)?))
    }

    fn host_memory(self: Arc<Self>, bytes: usize) -> Result<Box<dyn HostMemory>> {
        queue::PlainMemory::new(&self.attributes.name, bytes).map(|memory| Box::new(memory) as _)
    }
}

/// The limits after which a launch counts as endless: those that it sets, and the simulator's own for the rest. With a number of steps alone there is
/// no limit of time.
fn limits(steps: Option<u64>, patience: Option<Duration>) -> sim::Limits {
    let otherwise = steps.map_or_else(sim::Limits::default, sim::Limits::steps);
    sim::Limits { patience: patience.or(otherwise.patience), ..otherwise }
}

/// The help for a text that cannot be loaded.
fn load_help(error: &LoadError) -> &'static str {
    match error {
        LoadError::Syntax(_) => SYNTAX_HELP,
        LoadError::Instruction { .. } | LoadError::Declaration { .. } => {
            "the simulator does not run all of PTX; a GPU may run it, `Gpu::cuda(0)`"
        }
    }
}

/// The architecture that `.target` names.
fn target(ptx: &str) -> Arch {
    let directive = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"));
    let words = directive.unwrap_or_default().split([',', ' ', '\t']);
    // A program without a target that is known here has been refused.
    words.into_iter().find_map(|word| word.parse().ok()).unwrap_or(Arch::FLOOR)
}

/// Alignment of buffers, as the CUDA driver gives it.
const ALIGN: u64 = 256;

/// The attributes that the simulator can give of a kernel: no assembler ran, so the registers are an estimate.
fn function_attributes(device: &DeviceAttributes, info: &KernelInfo, target: Arch) -> FunctionAttributes {
    let bounds = info.required_threads.or(info.max_threads);
    // No block has more threads than the device takes, whatever the text says.
    let promised = bounds.map(|threads| threads_of(threads).min(MAX_THREADS_PER_BLOCK));
    let registers = assumed_registers(&device.limits, info, promised);
    let bound = promised.unwrap_or(MAX_THREADS_PER_BLOCK);
    // The driver refuses blocks whose registers do not fit. An estimate is no reason to: `ptxas` may get by with fewer.
    let bare = KernelResources { registers, ..KernelResources::default() };
    let fits = |&threads: &u32| occupancy(&device.limits, &bare, threads, 0).active_blocks > 0;
    let estimated_max_threads =
        (1..=bound.div_ceil(WARP_SIZE)).rev().map(|warps| bound.min(warps * WARP_SIZE)).find(fits);
    FunctionAttributes {
        registers,
        registers_estimated: true,
        wanted_registers: info.register_estimate.min(device.limits.registers_per_thread),
        local_bytes: info.local_bytes,
        static_shared: info.static_shared_bytes,
        const_bytes: 0,
        max_threads: bound,
        estimated_max_threads,
        barriers: info.barriers,
        ptx_target: target.compute_capability(),
        binary_version: None,
    }
}

/// The estimate, bounded as the assembler is: by `.maxnreg`, and by what lets `.minnctapersm` blocks, at least one,
/// of as many threads as `.maxntid` or `.reqntid` say into an SM. Without either it takes as many as it wants.
fn assumed_registers(limits: &Limits, info: &KernelInfo, threads: Option<u32>) -> u32 {
    let estimate = info.register_estimate.min(limits.registers_per_thread);
    let estimate = estimate.min(info.max_registers.unwrap_or(u32::MAX));
    let Some(threads) = threads else { return estimate };
    // The assembler ignores bounds that no number of registers meets.
    match registers_left(limits, threads, info.min_blocks_per_sm.unwrap_or(1).max(1)) {
        0 => estimate,
        left => estimate.min(left),
    }
}

/// A PTX text decoded for the simulator.
struct SimulatedModule {
    device: Arc<Simulator>,
    program: Arc<Program>,
    text: Arc<str>,
    target: Arch,
}

impl Module for SimulatedModule {
    fn function(&self, name: &'static str, entry: &str) -> Result<Box<dyn Function>, String> {
        let id = self.program.kernel(entry).ok_or_else(|| format!("the PTX has no entry `{entry}`"))?;
        let attributes = function_attributes(&self.device.attributes, self.program.info(id), self.target);
        let (device, program, text) = (self.device.clone(), self.program.clone(), self.text.clone());
        Ok(Box::new(SimulatedFunction { device, program, text, id, name: name.into(), attributes }))
    }
}

/// A kernel decoded for the simulator.
struct SimulatedFunction {
    device: Arc<Simulator>,
    program: Arc<Program>,
    text: Arc<str>,
    id: KernelId,
    /// The name that the program gives it, for messages: its entry may be one of several versions.
    name: Arc<str>,
    attributes: FunctionAttributes,
}

impl SimulatedFunction {
    /// A finding in the program's words.
    fn told(&self, report: &sim::Report) -> String {
        let place = sim::Place { kernel: self.name.clone(), ..report.place.clone() };
        sim::Report { place, ..report.clone() }.to_string()
    }

    /// A fault in the program's words.
    fn fault(&self, mut fault: Fault) -> String {
        match &mut fault {
            Fault::Thread { place, .. } => place.kernel = self.name.clone(),
            Fault::Launch { kernel, .. }
            | Fault::Deadlock { kernel, .. }
            | Fault::Cancelled { kernel, .. } => {
                *kernel = self.name.clone();
            }
        }
        fault.to_string()
    }

    /// The part of an SM's first-level cache that each block of a launch has, as far as shared memory leaves it.
    fn cache_bytes(&self, config: &sim::LaunchConfig) -> u64 {
        let threads = config.block.iter().product();
        let limits = &self.device.attributes.limits;
        let resources = self.attributes.resources(config.dynamic_shared);
        let blocks = occupancy(limits, &resources, threads, config.dynamic_shared).active_blocks.max(1);
        let shared = limits.shared_reserved_per_block + resources.static_shared + config.dynamic_shared;
        // The carve-out that holds the blocks; the cache has what the largest leaves, and what this one gives back.
        let taken = limits.shared_carveouts.iter().copied().find(|&size| size >= shared * blocks);
        let free = limits.shared_per_sm - taken.unwrap_or(limits.shared_per_sm) + CACHE_BESIDE_SHARED;
        u64::from(free / blocks)
    }
}

/// Bytes of the first-level cache of an SM that shared memory cannot take, about.
const CACHE_BESIDE_SHARED: u32 = 28 << 10;

impl Function for SimulatedFunction {
    fn attributes(&self) -> &FunctionAttributes {
        &self.attributes
    }

    fn active_blocks(&self, _threads: u32, _dynamic_shared: u32) -> Result<Option<u32>> {
        Ok(None)
    }

    fn active_clusters(
        &self,
        _cluster: [u32; 3],
        _block: [u32; 3],
        _dynamic_shared: u32,
    ) -> Result<Option<u32>> {
        Ok(None)
    }

    fn allow_nonportable_clusters(&self) -> Result<()> {
        Ok(())
    }

    fn best_block_size(&self, _dynamic_shared: u32) -> Result<Option<SuggestedSize>> {
        Ok(None)
    }

    unsafe fn launch(
        &self,
        _queue: &dyn Queue,
        config: &LaunchConfig,
        params: Params<'_>,
    ) -> Result<Option<Box<Execution>>> {
        let LaunchConfig {
            grid,
            block,
            cluster,
            cooperative,
            // Its caches have no priorities.
            l2: _,
            dynamic_shared,
            sanitize,
            steps,
            patience,
            profile,
            ref progress,
        } = *config;
        let config = sim::LaunchConfig { grid, block, dynamic_shared };
        let profile = profile.then(|| self.cache_bytes(&config));
        let limits = limits(steps, patience);
        let options = sim::Options { limits, sanitize, cluster, cooperative, profile };
        let _one_at_a_time = lock(&self.device.running);
        let start = Instant::now();
        let (program, memory) = (&self.program, &self.device.memory);
        let watch = sim::interrupt::Watch::new();
        let outcome =
            sim::run_with(program, self.id, memory, &config, params.bytes, &options, progress.as_ref());
        let time = start.elapsed();
        // As the driver does when a kernel is over.
        print!("{}", outcome.printed);
        if sim::interrupt::is_requested() {
            if let Err(fault) = &outcome.result {
                eprintln!("{fault}");
            }
            sim::interrupt::end_program();
        }
        drop(watch);
        let cancelled = match outcome.result {
            Err(Fault::Cancelled { done, blocks, .. }) => Some((done, blocks)),
            Ok(_) | Err(_) => None,
        };
        let (warnings, reports): (Vec<_>, Vec<_>) =
            outcome.reports.iter().partition(|report| report.misdeed.is_warning());
        let warnings = warnings.into_iter().map(|report| self.told(report)).collect();
        let reports = reports.into_iter().map(|report| self.told(report));
        let (stats, faults): (_, Vec<String>) = match outcome.result {
            Ok(stats) => (Some(stats), reports.collect()),
            Err(fault) => (None, std::iter::once(self.fault(fault)).chain(reports).collect()),
        };
        let fault = (!faults.is_empty() && cancelled.is_none()).then(|| faults.join("\n"));
        let detailed = outcome.detailed.map(|detailed| (detailed, self.text.clone()));
        let printed = outcome.printed;
        Ok(Some(Box::new(Execution { time, stats, detailed, printed, fault, warnings, cancelled })))
    }
}
