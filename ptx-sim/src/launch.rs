//! Launches: checks the configuration, runs every block, merges what they counted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::block::block_registers;
use super::calls::{Builtin, Callee};
use super::decode::RESERVED_SHARED;
use super::fault::{Fault, Misdeed};
use super::memory::{Memory, View};
use super::names::Names;
use super::profile::{DetailCounts, Footprint, LaunchStats, Profile};
use super::program::{Constant, Kernel, KernelId, PerBlock, Program, Special};
use super::progress::Progress;
use super::registers::{LANES, Slot};
use super::sanitize::{Report, Sanitizer};
use super::takers::Takers;
use super::together::Together;
use super::turnstile::Turnstile;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaunchConfig {
    /// Blocks in each dimension.
    pub grid: [u32; 3],
    /// Threads of a block in each dimension.
    pub block: [u32; 3],
    /// Shared memory beyond what the kernel declares, in bytes.
    pub dynamic_shared: u32,
}

/// Limits beyond which a launch counts as endless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Operations that one warp may run.
    pub steps_per_warp: u64,
    /// Time by the host's clock that all threads may poll memory without an effect; those that only compute may for five times as long. None
    /// is no limit.
    pub patience: Option<Duration>,
}

impl Limits {
    /// So many operations for each warp, and no limit by the host's clock.
    pub fn steps(steps_per_warp: u64) -> Limits {
        Limits { steps_per_warp, patience: None }
    }
}

/// Options of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// When it counts as endless.
    pub limits: Limits,
    /// True if the sanitizer checks it.
    pub sanitize: bool,
    /// Blocks of a cluster in each dimension; none is what the kernel requires, or else clusters of one block.
    pub cluster: Option<[u32; 3]>,
    /// Set if it is profiled, with caches and stalls modelled: to the number of bytes of first-level cache of each
    /// block.
    pub profile: Option<u64>,
    /// All blocks run together and may wait for each other, as those of a cooperative launch.
    pub cooperative: bool,
}

impl Default for Options {
    /// With the sanitizer.
    fn default() -> Options {
        Options {
            limits: Limits::default(),
            sanitize: true,
            cluster: None,
            profile: None,
            cooperative: false,
        }
    }
}

impl Default for Limits {
    /// Some seconds for one warp, by steps and by the host's clock.
    fn default() -> Limits {
        Limits { steps_per_warp: 1 << 28, patience: Some(Duration::from_secs(3)) }
    }
}

/// Runs a kernel to its end, without the sanitizer. `params` is laid out as its parameter space.
pub fn launch(
    program: &Program,
    kernel: KernelId,
    memory: &Memory,
    config: &LaunchConfig,
    params: &[u8],
) -> Result<LaunchStats, Fault> {
    launch_within(program, kernel, memory, config, params, &Limits::default())
}

/// As [`launch`], with limits of one's own.
pub fn launch_within(
    program: &Program,
    kernel: KernelId,
    memory: &Memory,
    config: &LaunchConfig,
    params: &[u8],
    limits: &Limits,
) -> Result<LaunchStats, Fault> {
    let options = Options { limits: *limits, sanitize: false, ..Options::default() };
    run(program, kernel, memory, config, params, &options).result
}

/// Blocks of a cluster: 8 on every device, 16 where a kernel asks for it.
const MAX_CLUSTER: u64 = 16;
/// Bytes of dynamic shared memory of a block: no device has more than 227 KiB.
const MAX_DYNAMIC_SHARED: u32 = 256 << 10;
/// Threads of the blocks of a cooperative grid, which run together: no device has as many.
const MAX_TOGETHER: u64 = 1 << 20;
/// The size of the memory by which a cooperative grid meets.
const WORKSPACE_BYTES: u64 = 64;

/// All that a launch leaves, whether it ended well or not.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The counts, or the fault that ended it.
    pub result: Result<LaunchStats, Fault>,
    /// Text that `vprintf` printed, block by block.
    pub printed: String,
    /// Findings of the sanitizer, in the order of the code.
    pub reports: Vec<Report>,
    /// The findings of a profile beyond the counts, if it was asked for and the launch ended well.
    pub detailed: Option<Detailed>,
}

/// Profile of a launch as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detailed {
    /// Sectors of 32 bytes of global memory that were read, each counted once.
    pub read_sectors: u64,
    /// Sectors that were written.
    pub written_sectors: u64,
    /// Blocks whose time was followed.
    pub sampled_blocks: u64,
    /// Cycles that they took alone, summed.
    pub sampled_cycles: u64,
    /// The warp instructions that they executed, summed.
    pub sampled_instructions: u64,
    /// Cycles that their warps waited for loads whose addresses came, one from the other, from several loads before.
    pub chained_cycles: u64,
    /// The linear index of the block with the most warp instructions; of several the first.
    pub heaviest_block: u64,
    /// Number of its warp instructions.
    pub heaviest_instructions: u64,
    /// The instruction that it executes most often, as an index into [`LaunchStats::lines`].
    pub heaviest_line: usize,
    /// Warps that accessed memory.
    pub accessing_warps: u64,
    /// The warp instructions of all warps if each had as many as the busiest one of its block.
    pub levelled_instructions: u64,
}

/// Blocks of a launch whose time is followed, about.
const SAMPLE: u64 = 4;

/// As [`launch_within`], with all findings.
pub fn run(
    program: &Program,
    kernel: KernelId,
    memory: &Memory,
    config: &LaunchConfig,
    params: &[u8],
    options: &Options,
) -> Outcome {
    run_with(program, kernel, memory, config, params, options, None)
}

/// As [`run`], watched.
pub fn run_with(
    program: &Program,
    kernel: KernelId,
    memory: &Memory,
    config: &LaunchConfig,
    params: &[u8],
    options: &Options,
    progress: Option<&Progress>,
) -> Outcome {
    let kernel = &program.kernels[kernel.0];
    let cluster = options.cluster.or(kernel.info.required_cluster).unwrap_or([1; 3]);
    if let Err(fault) = check(kernel, config, cluster, params, options) {
        return Outcome { result: Err(fault), printed: String::new(), reports: Vec::new(), detailed: None };
    }
    let module_base = program.place(memory);
    if kernel.sites.iter().any(|site| site.callee == Callee::Builtin(Builtin::Allocate)) {
        memory.reserve_heap();
    }
    // Memory by which the blocks of a cooperative grid synchronise; the layout is that of cooperative groups.
    let workspace = options.cooperative.then(|| memory.allocate(WORKSPACE_BYTES, 16));
    if let Some(address) = workspace {
        // It was allocated just now.
        let _ = memory.fill(address, 0, WORKSPACE_BYTES);
    }
    let view = memory.view();
    let volume = |dimensions: [u32; 3]| dimensions.into_iter().map(u64::from).fold(1, u64::saturating_mul);
    let meeting = if kernel.info.meets_cluster { cluster } else { [1; 3] };
    let together = if options.cooperative { config.grid } else { meeting };
    if !options.sanitize {
        view.assume_initialized();
    }
    let launch = Launch {
        kernel,
        config,
        params,
        limits: &options.limits,
        sanitizer: options.sanitize.then(|| Sanitizer::new(&view)),
        profile: options.profile.map(|cache_bytes| (Arc::new(Footprint::new(&view)), cache_bytes)),
        progress,
        view,
        module_base,
        cluster,
        meeting,
        piece_blocks: volume(together),
        takers: Takers::default(),
        workspace: workspace.unwrap_or(0),
        block_registers: block_registers(&kernel.constants_w),
    };
    let mut prints = Mutex::new(Prints::default());
    let result = launch.run(&prints);
    if let Some(address) = workspace {
        // As above.
        let _ = memory.free(address);
    }
    let detailed = result.as_ref().ok().and_then(|profile| launch.detailed(profile.detail.as_ref()?));
    let mut result = result.map(|profile| profile.finish(kernel));
    let prints = prints.get_mut().unwrap_or_else(PoisonError::into_inner);
    let printed = prints.text();
    if let Some(sanitizer) = &launch.sanitizer {
        sanitizer.end(kernel, config.block, &launch.view);
    }
    let reports = launch
        .sanitizer
        .as_ref()
        .map(|sanitizer| sanitizer.reports.lock().unwrap_or_else(PoisonError::into_inner).finish());
    let mut reports = reports.unwrap_or_default();
    if result.is_err() || !reports.is_empty() {
        let dynamic = (u64::from(kernel.info.dynamic_offset()), u64::from(config.dynamic_shared));
        // Buffers keep their names when they are dropped meanwhile, by another thread.
        let names = Names { kernel, params, view: &launch.view, dynamic };
        if let Err(fault) = &mut result {
            names.fault(fault);
            launch.explain_trap(fault);
        }
        reports.iter_mut().for_each(|report| names.misdeed(&mut report.misdeed));
    }
    let printed = String::from_utf8_lossy(&printed).into_owned();
    Outcome { result, printed, reports, detailed }
}

/// The most bytes of output that a launch keeps, and each block meanwhile: a kernel that prints without an end takes no more memory.
pub(crate) const MOST_PRINTED: usize = 64 << 20;

/// Output of blocks.
#[derive(Default)]
struct Prints {
    /// That of each block, with its linear index.
    blocks: Vec<(u64, Vec<u8>)>,
    bytes: usize,
}

impl Prints {
    fn push(&mut self, block: u64, mut text: Vec<u8>) {
        text.truncate(MOST_PRINTED - self.bytes);
        self.bytes += text.len();
        self.blocks.push((block, text));
    }

    /// All of it, by the order of the blocks.
    fn text(&mut self) -> Vec<u8> {
        self.blocks.sort_by_key(|(block, _)| *block);
        let mut text = self.blocks.iter().flat_map(|(_, text)| text.iter().copied()).collect::<Vec<u8>>();
        if self.bytes == MOST_PRINTED {
            text.extend_from_slice(
                format!("\n… only {} MiB of output are kept\n", MOST_PRINTED >> 20).as_bytes(),
            );
        }
        text
    }
}

/// Refuses what a device would refuse.
fn check(
    kernel: &Kernel,
    config: &LaunchConfig,
    cluster: [u32; 3],
    params: &[u8],
    options: &Options,
) -> Result<(), Fault> {
    let info = &kernel.info;
    let volume = |dimensions: [u32; 3]| dimensions.into_iter().map(u64::from).fold(1, u64::saturating_mul);
    let threads = volume(config.block);
    let problem = if threads == 0 || volume(config.grid) == 0 {
        Some("the grid and the block need at least one of everything".to_string())
    } else if threads > 1024 || config.block[2] > 64 {
        Some(format!("{threads} threads in a block of {:?}: at most 1024, and 64 in z", config.block))
    } else if config.grid[0] > i32::MAX as u32 || config.grid[1] > 65_535 || config.grid[2] > 65_535 {
        Some(format!("a grid of {:?}: at most 2147483647, 65535 and 65535", config.grid))
    } else if info.max_threads.is_some_and(|most| threads > volume(most)) {
        Some(format!(
            "{threads} threads in a block: the kernel is for at most {}",
            volume(info.max_threads.unwrap_or_default())
        ))
    } else if info.required_threads.is_some_and(|required| required != config.block) {
        Some(format!(
            "a block of {:?}: the kernel requires {:?}",
            config.block,
            info.required_threads.unwrap_or_default()
        ))
    } else if cluster.contains(&0) || config.grid.iter().zip(cluster).any(|(blocks, of)| blocks % of != 0) {
        Some(format!("a grid of {:?}: it has to be whole clusters of {cluster:?}", config.grid))
    } else if info.required_cluster.is_some_and(|required| required != cluster) {
        let required = info.required_cluster.unwrap_or_default();
        Some(format!("clusters of {cluster:?}: the kernel requires {required:?}"))
    } else if volume(cluster) > MAX_CLUSTER {
        Some(format!("clusters of {cluster:?}: at most {MAX_CLUSTER} blocks"))
    } else if config.dynamic_shared > MAX_DYNAMIC_SHARED {
        let asked = config.dynamic_shared;
        Some(format!("{asked} bytes of dynamic shared memory: at most {MAX_DYNAMIC_SHARED}"))
    } else if options.cooperative && threads.saturating_mul(volume(config.grid)) > MAX_TOGETHER {
        let together = threads.saturating_mul(volume(config.grid));
        Some(format!("{together} threads of a cooperative grid, which run together: at most {MAX_TOGETHER}"))
    } else if params.len() < info.parameter_bytes as usize {
        Some(format!("{} bytes of parameters: the kernel has {}", params.len(), info.parameter_bytes))
    } else {
        None
    };
    match problem {
        Some(problem) => Err(Fault::Launch { kernel: info.name.clone(), problem }),
        None => Ok(()),
    }
}

/// State common to all blocks of a launch.
pub(crate) struct Launch<'a> {
    pub(crate) kernel: &'a Kernel,
    config: &'a LaunchConfig,
    pub(crate) params: &'a [u8],
    pub(crate) limits: &'a Limits,
    pub(crate) sanitizer: Option<Sanitizer>,
    /// The profiler's state common to all blocks, and the bytes of cache that each has.
    pub(crate) profile: Option<(Arc<Footprint>, u64)>,
    pub(crate) progress: Option<&'a Progress>,
    pub(crate) view: View,
    module_base: u64,
    /// Blocks of a cluster in each dimension.
    pub(crate) cluster: [u32; 3],
    /// As above, or one block where the kernel has nothing by which blocks of a cluster meet.
    meeting: [u32; 3],
    /// Blocks that run together.
    piece_blocks: u64,
    /// The threads that took locks.
    pub(crate) takers: Takers,
    /// Memory by which the blocks of a cooperative grid synchronise.
    workspace: u64,
    /// Registers whose value depends on the block.
    pub(crate) block_registers: Vec<(Slot, PerBlock)>,
}

impl Launch<'_> {
    /// Says why a kernel trapped that synchronises its grid: cooperative groups do where they find no memory for it.
    fn explain_trap(&self, fault: &mut Fault) {
        let is_workspace = |(_, constant): &(Slot, Constant)| {
            matches!(constant, Constant::Special(Special::Environment(1 | 2)))
        };
        let asks = || self.kernel.constants_w.iter().any(is_workspace);
        if let Fault::Thread { misdeed: misdeed @ Misdeed::Trap, .. } = fault
            && self.workspace == 0
            && asks()
        {
            *misdeed = Misdeed::NotCooperative;
        }
    }

    pub(crate) fn block_size(&self) -> [u32; 3] {
        self.config.block
    }

    pub(crate) fn threads(&self) -> u32 {
        self.config.block.iter().product()
    }

    /// Gaps between variables and bytes of shared memory of a block: reserved for the system, declared, dynamic.
    fn shared_parts(&self) -> (u32, u32) {
        let info = &self.kernel.info;
        let [before_end, before_dynamic] = info.shared_gaps;
        match self.config.dynamic_shared {
            0 => (before_end, info.reserved_shared_bytes + info.static_shared_bytes),
            dynamic => (before_dynamic, info.dynamic_offset() - before_dynamic + dynamic),
        }
    }

    /// All shared memory of a block, with the gaps between variables.
    pub(crate) fn shared_bytes(&self) -> usize {
        let (gaps, bytes) = self.shared_parts();
        gaps as usize + bytes as usize
    }

    /// The shared memory of a block that the kernel asks for.
    fn user_shared_bytes(&self) -> u32 {
        self.shared_parts().1 - self.kernel.info.reserved_shared_bytes
    }

    /// The index in the block of a lane of a warp.
    pub(crate) fn thread(&self, warp: u32, lane: usize) -> [u32; 3] {
        let linear = warp * LANES as u32 + lane as u32;
        let [x, y, _] = self.config.block;
        [linear % x, linear / x % y, linear / x / y]
    }

    /// The value in a lane of a register that nothing writes; those that depend on the block are set later.
    pub(crate) fn constant(&self, constant: Constant, warp: u32, lane: usize) -> u64 {
        let bit = 1u32 << lane;
        let special = match constant {
            Constant::Immediate(value) => return value,
            Constant::Variable(offset) => return self.module_base.wrapping_add(offset),
            Constant::DynamicShared => self.kernel.info.dynamic_offset(),
            Constant::Special(special) => match special {
                Special::Thread(dimension) => self.thread(warp, lane)[usize::from(dimension)],
                Special::BlockSize(dimension) => self.config.block[usize::from(dimension)],
                Special::PerBlock(_) => 0,
                Special::Clusters(dimension) => {
                    let axis = usize::from(dimension);
                    self.config.grid[axis] / self.cluster[axis]
                }
                Special::ClusterSize(dimension) => self.cluster[usize::from(dimension)],
                Special::ClusterRanks => self.cluster.iter().product(),
                Special::GridSize(dimension) => self.config.grid[usize::from(dimension)],
                Special::Lane => lane as u32,
                Special::Warp => warp,
                Special::Warps => self.threads().div_ceil(LANES as u32),
                Special::MaskEqual => bit,
                Special::MaskLess => bit - 1,
                Special::MaskLessEqual => bit | (bit - 1),
                Special::MaskGreater => !(bit | (bit - 1)),
                Special::MaskGreaterEqual => !(bit - 1),
                Special::DynamicSharedBytes => self.config.dynamic_shared,
                Special::TotalSharedBytes => self.user_shared_bytes(),
                Special::AggregateSharedBytes => self.user_shared_bytes() + RESERVED_SHARED,
                // The address of the workspace, its high half first (cooperative groups, `driver_abi.h`).
                Special::Environment(1) => (self.workspace >> 32) as u32,
                Special::Environment(2) => self.workspace as u32,
                Special::Environment(_) => 0,
                Special::Fixed(value) => value,
            },
        };
        u64::from(special)
    }

    /// Returns true if the time of a block is followed.
    pub(crate) fn is_sampled(&self, linear: u64) -> bool {
        linear.is_multiple_of(self.blocks().div_ceil(SAMPLE))
    }

    fn detailed(&self, found: &DetailCounts) -> Option<Detailed> {
        let (read_sectors, written_sectors) = self.profile.as_ref()?.0.sectors();
        let DetailCounts { sampled_blocks, sampled_cycles, sampled_instructions, .. } = *found;
        let DetailCounts { heaviest, accessing_warps, levelled_instructions, chained_cycles, .. } = *found;
        let origin = self.kernel.origins.get(heaviest.operation)?;
        Some(Detailed {
            read_sectors,
            written_sectors,
            sampled_blocks,
            sampled_cycles,
            sampled_instructions,
            chained_cycles,
            heaviest_block: heaviest.block,
            heaviest_instructions: heaviest.warp_instructions,
            heaviest_line: origin.instruction as usize,
            accessing_warps,
            levelled_instructions,
        })
    }

    /// The fault of a launch that somebody wants to end, if so.
    pub(crate) fn cancelled(&self) -> Result<(), Fault> {
        match self.progress {
            Some(progress) if progress.is_cancelled() => Err(Fault::Cancelled {
                kernel: self.kernel.info.name.clone(),
                done: progress.done(),
                blocks: self.blocks(),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Number of blocks that may begin only when the one with this linear index is over.
    pub(crate) fn blocks_after(&self, linear: u64) -> u64 {
        if self.piece_blocks == 1 { self.blocks().saturating_sub(linear + 1) } else { 0 }
    }

    fn blocks(&self) -> u64 {
        self.config.grid.iter().map(|&d| u64::from(d)).product()
    }

    /// Pieces of the grid whose blocks run together.
    fn pieces(&self) -> u64 {
        self.blocks() / self.piece_blocks
    }

    /// The blocks of a piece with their linear indices, those of a cluster side by side in the order of their ranks.
    fn blocks_of(&self, piece: u64) -> impl Iterator<Item = ([u32; 3], u64)> {
        let [cx, cy, cz] = self.meeting.map(u64::from);
        let [gx, gy, _] = self.config.grid.map(u64::from);
        let (across, along) = (gx / cx, gy / cy);
        (piece * self.piece_blocks..(piece + 1) * self.piece_blocks).map(move |number| {
            let (cluster, rank) = (number / (cx * cy * cz), number % (cx * cy * cz));
            let x = cluster % across * cx + rank % cx;
            let y = cluster / across % along * cy + rank / cx % cy;
            let z = cluster / across / along * cz + rank / cx / cy;
            ([x as u32, y as u32, z as u32], x + gx * (y + gy * z))
        })
    }

    /// Pieces on all cores, handed out in order. Of several faults the one of the first block is returned, and atomic
    /// operations on global memory happen in the order of the blocks: a run is as if blocks had run one by one.
    fn run(&self, prints: &Mutex<Prints>) -> Result<Profile, Fault> {
        if let Some(progress) = self.progress {
            progress.start(self.blocks());
        }
        self.cancelled()?;
        let pieces = self.pieces();
        let share = (pieces / (rayon::current_num_threads() as u64 * 16)).max(1);
        let cluster = self.meeting.iter().product::<u32>() as usize;
        let turnstile = Turnstile::default();
        let next = AtomicU64::new(0);
        let first_fault = AtomicU64::new(u64::MAX);
        let work = || {
            let mut kept = None;
            loop {
                let ticket = next.fetch_add(1, Ordering::Relaxed);
                let start = ticket.saturating_mul(share);
                let entry = turnstile.enter(ticket);
                if start >= pieces || first_fault.load(Ordering::Relaxed) < start {
                    return Ok(kept.and_then(Together::into_profile));
                }
                let blocks =
                    kept.get_or_insert_with(|| Together::new(self, self.piece_blocks as usize, cluster));
                for piece in start..(start + share).min(pieces) {
                    blocks.start(self.blocks_of(piece));
                    let result = blocks.run(&entry);
                    for ((_, linear), text) in self.blocks_of(piece).zip(blocks.take_output()) {
                        if !text.is_empty() {
                            prints.lock().unwrap_or_else(PoisonError::into_inner).push(linear, text);
                        }
                    }
                    if let (Some(progress), true) = (self.progress, result.is_ok()) {
                        progress.add(self.piece_blocks);
                    }
                    if let Err((place, fault)) = result {
                        first_fault.fetch_min(piece, Ordering::Relaxed);
                        return Err(((piece, place), fault));
                    }
                }
            }
        };
        let worker = || {
            turnstile.join();
            let result = work();
            turnstile.leave();
            result
        };
        let mut profile = Profile::new(self.kernel.code.len());
        let mut fault = None;
        let results = match pieces {
            // Blocks that run together keep one thread busy: this one, which need not wait for another.
            1 => vec![worker()],
            _ => rayon::broadcast(|_| worker()),
        };
        for result in results {
            match result {
                Ok(Some(counted)) => profile = profile.merge(counted),
                Ok(None) => {}
                Err((place, other)) => {
                    if fault.as_ref().is_none_or(|&(first, _)| place < first) {
                        fault = Some((place, other));
                    }
                }
            }
        }
        fault.map_or(Ok(profile), |(_, fault)| Err(fault))
    }
}
