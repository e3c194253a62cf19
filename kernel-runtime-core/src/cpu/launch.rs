//! [`CpuLaunch`]: the typed launch of a kernel's body on the CPU.

use std::fmt;
use std::rc::Rc;

use ptx::target::{Arch, MAX_BLOCK_DIM, MAX_GRID_DIM};

use super::block::{self, CpuError, Stacks};
use super::fiber::{Position, Together};
use super::{overflow, panics};
use crate::error::{Error, Result};
use crate::kernel::{Bounds, CallSite, Kernel, PanicSite, Variant};
use crate::launch::{IntoDim3, IntoExtents, Shape, ShapeLimits, number};
use crate::printed::{Printed, to_host};

/// Threads per block where neither the launch nor the kernel says; no occupancy is at stake here.
const DEFAULT_BLOCK: u32 = 256;

/// The stack of a thread of a kernel without large variables, in bytes: of functions that are compiled without optimisation, and of a panic.
const DEFAULT_STACK: usize = 512 << 10;

/// Number of copies of a variable on the stack: without optimisation rustc keeps each value on its way into it, in the function and its
/// callees.
const COPIES: usize = 8;

/// The most threads per block, as on every GPU.
const MAX_THREADS: u32 = 1024;

/// The most bytes of shared memory, as on the GPU that has most.
const MAX_SHARED: u32 = 227 << 10;

/// The most blocks that run together: each takes a stack at least, and Linux has 65,530 mappings for a process.
const MOST_TOGETHER: u64 = 1 << 15;

/// A launch of a kernel's body on the CPU: `kernel::cpu(…)` makes it, [`run`](Self::run) runs it.
#[must_use = "a launch does nothing until `run`"]
pub struct CpuLaunch<'host> {
    name: &'static str,
    bounds: Bounds,
    elements: u32,
    wide_index: bool,
    body: Box<dyn Fn() + 'host>,
    /// Bytes of each thread's stack.
    stack: usize,
    shape: Shape,
    target: Arch,
    /// The kernel's, whose panic sites name what an index is in.
    variants: &'static [Variant],
    on_print: Box<dyn FnMut(Printed) + 'host>,
}

impl fmt::Debug for CpuLaunch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuLaunch")
            .field("kernel", &self.name)
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

impl<'host> CpuLaunch<'host> {
    /// For the expansion of `#[kernel]`: `body` is called once for each thread.
    ///
    /// # Safety
    /// The body is the run copy of the kernel with arguments of its parameters; of an `unsafe fn` the caller keeps the conditions.
    #[doc(hidden)]
    pub unsafe fn new(kernel: &'static Kernel, body: impl Fn() + 'host) -> CpuLaunch<'host> {
        CpuLaunch {
            name: kernel.name(),
            bounds: kernel.data().bounds,
            elements: kernel.data().elements,
            wide_index: kernel.data().wide_index,
            body: Box::new(body),
            stack: stack_of(kernel.data().cpu_variables),
            shape: Shape::default(),
            variants: kernel.variants(),
            target: kernel.variants().last().map_or(Arch::FLOOR, |variant| variant.target),
            on_print: Box::new(|printed| to_host(&printed)),
        }
    }

    /// At least `n` threads along x: blocks of the kernel's size or of 256 threads, as many as it takes. Of `(width, height)` and
    /// `(width, height, depth)` at least so many along x, y and z.
    pub fn over(mut self, extents: impl IntoExtents) -> CpuLaunch<'host> {
        extents.set(&mut self.shape.over, &mut self.shape.over_each);
        self
    }

    /// Blocks per grid.
    pub fn grid(mut self, blocks: impl IntoDim3) -> CpuLaunch<'host> {
        self.shape.grid = Some(blocks.into_dim3());
        self
    }

    /// Threads per block.
    pub fn block(mut self, threads: impl IntoDim3) -> CpuLaunch<'host> {
        self.shape.block = Some(threads.into_dim3());
        self
    }

    /// The blocks of a cluster, of a kernel that leaves it open; the grid has to be whole clusters.
    pub fn cluster(mut self, blocks: impl IntoDim3) -> CpuLaunch<'host> {
        self.shape.cluster = Some(blocks.into_dim3());
        self
    }

    /// Dynamic shared memory per block, in bytes: a `u32` or a `usize`, such as `n * size_of::<f32>()`.
    pub fn shared(mut self, bytes: impl TryInto<u32>) -> CpuLaunch<'host> {
        self.shape.dynamic_shared = number(bytes);
        self
    }

    /// The stack of each thread, in bytes. It is as large as the kernel's variables need, with much to spare, unless this is said; a thread that
    /// overflows it ends the program, with a message.
    pub fn stack(mut self, bytes: usize) -> CpuLaunch<'host> {
        self.stack = bytes;
        self
    }

    /// Selects the variant of a kernel with `arch(…)` to stand for, by which `target::at_least(…)` answers. The newest by default.
    pub fn target(mut self, target: Arch) -> CpuLaunch<'host> {
        self.target = target;
        self
    }

    /// Passes the texts that the kernel prints to this closure, instead of printing them: called for each text, in the order in which
    /// threads run.
    pub fn on_print(mut self, sink: impl FnMut(Printed) + 'host) -> CpuLaunch<'host> {
        self.on_print = Box::new(sink);
        self
    }

    /// Runs every thread of the grid on the calling thread: block after block, of clusters those of one in turns, or of a cooperative
    /// kernel all blocks.
    ///
    /// # Errors
    /// [`Error::Launch`] for a grid or block that no GPU takes; [`Error::KernelPanicked`] for the first thread that
    /// panicked, after all others have run; [`Error::Cpu`] when threads wait for each other at different places.
    pub fn run(mut self) -> Result<()> {
        let kernel = self.name;
        let refused = |reason| Error::Launch { kernel, reason };
        let limits = ShapeLimits {
            bounds: self.bounds,
            elements: self.elements,
            wide_index: self.wide_index,
            function_threads: MAX_THREADS,
            static_shared: 0,
            shared: MAX_SHARED,
            threads: MAX_THREADS,
            block: MAX_BLOCK_DIM,
            grid: MAX_GRID_DIM,
            clusters: true,
        };
        let best = || Ok(self.bounds.max_threads.unwrap_or(MAX_THREADS).min(DEFAULT_BLOCK));
        let config = self.shape.resolve(&limits, best, refused)?;
        limits.check(&config).map_err(refused)?;
        panics::install_hook();
        let (stacks, _watched) = (Stacks::of(self.stack), overflow::Kernel::new(kernel));
        let shared = Rc::<Together>::default();
        let mut first_panic = None;
        // A coarsened thread is run as so many plain ones, whose results are equal: the body sees only its index.
        let [width, height, depth] = config.grid;
        let grid_size = [width.saturating_mul(self.elements), height, depth];
        let (block_size, target) = (config.block, self.target);
        let cluster_size = config.cluster.unwrap_or([1; 3]);
        let clusters = std::array::from_fn(|axis| grid_size[axis] / cluster_size[axis]);
        let in_cluster = |cluster: [u32; 3]| {
            let first: [u32; 3] = std::array::from_fn(|axis| cluster[axis] * cluster_size[axis]);
            blocks(cluster_size).map(move |block| std::array::from_fn(|axis| first[axis] + block[axis]))
        };
        let mut firsts = blocks(clusters).flat_map(in_cluster).map(|block| Position {
            thread: [0; 3],
            block,
            block_size,
            cluster_size,
            grid_size,
            target,
        });
        let together: u64 = match config.cooperative {
            true => grid_size.iter().map(|&size| u64::from(size)).product(),
            false => cluster_size.iter().map(|&size| u64::from(size)).product(),
        };
        if together > MOST_TOGETHER {
            let reason = format!("{together} blocks run together, {MOST_TOGETHER} can on the CPU");
            let error = CpuError::Stack { bytes: self.stack, reason };
            return Err(describe(kernel, self.variants, error));
        }
        // A grid may have more blocks than memory has room for their positions.
        let mut group = Vec::new();
        loop {
            group.clear();
            group.extend(firsts.by_ref().take(together as usize));
            if group.is_empty() {
                break;
            }
            let ended = block::run(&*self.body, &group, config.dynamic_shared, &stacks, &shared);
            for mut printed in shared.printed.take() {
                printed.kernel = kernel;
                let (block, thread) = (&mut printed.block, &mut printed.thread);
                (block[0], thread[0]) = coarse(block[0], thread[0], config.block[0], self.elements);
                (self.on_print)(printed);
            }
            match ended {
                Ok(()) => {}
                Err(mut error @ CpuError::Panicked { .. }) => {
                    if let CpuError::Panicked { block, thread, .. } = &mut error {
                        (block[0], thread[0]) = coarse(block[0], thread[0], config.block[0], self.elements);
                    }
                    first_panic.get_or_insert(error);
                }
                Err(error) => return Err(describe(kernel, self.variants, error)),
            }
        }
        first_panic.map_or(Ok(()), |error| Err(describe(kernel, self.variants, error)))
    }
}

/// The stack of a thread whose variables take so many bytes.
fn stack_of(variables: u64) -> usize {
    usize::try_from(variables).unwrap_or(usize::MAX).saturating_mul(COPIES).saturating_add(DEFAULT_STACK)
}

/// The indices of a grid's blocks, x fastest.
fn blocks([width, height, depth]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

/// The block and the thread along x of a kernel that does several elements per thread, by those that do one.
fn coarse(block: u32, thread: u32, block_size: u32, elements: u32) -> (u32, u32) {
    let size = u64::from(block_size);
    let thread = (u64::from(block) * size + u64::from(thread)) / u64::from(elements);
    ((thread / size) as u32, (thread % size) as u32)
}

/// The name of what the index is in that panicked at a location with this message, and the calls that lead there; none of what several
/// sites there differ in.
fn known_of(
    variants: &[Variant],
    (file, line, column): (&str, u32, u32),
    message: &str,
) -> (Option<&'static str>, &'static [CallSite]) {
    let words = |message: &str| message.split(|c: char| c.is_ascii_digit()).next().map(str::to_owned);
    let is_there = |site: &&PanicSite| (site.file, site.line, site.column) == (file, line, column);
    let sites = variants.iter().flat_map(|variant| variant.panics).filter(is_there);
    let of_index = sites.clone().filter(|site| words(&site.kind.message(None, &[0, 0])) == words(message));
    let indexed = one_of(of_index.map(PanicSite::indexed)).flatten();
    (indexed, one_of(sites.map(|site| site.calls)).unwrap_or(&[]))
}

/// The only value of all.
fn one_of<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

fn describe(kernel: &'static str, variants: &[Variant], error: CpuError) -> Error {
    match error {
        CpuError::Panicked { message, file, line, column, block, thread } => {
            let (indexed, calls) = known_of(variants, (&file, line, column), &message);
            let file = file.into();
            Error::KernelPanicked { kernel, indexed, message, file, line, column, calls, block, thread }
        }
        CpuError::Diverged { .. }
        | CpuError::Named { .. }
        | CpuError::Spins { .. }
        | CpuError::InactiveLane { .. }
        | CpuError::IncompleteWarp { .. }
        | CpuError::Stack { .. } => Error::Cpu { kernel, reason: error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PanicKind;

    const CALLS: &[CallSite] = &[CallSite { file: "b.rs", line: 9, column: 1 }];
    const A: PanicSite = PanicSite {
        kind: PanicKind::Index,
        message: Some("x"),
        format: None,
        file: "a.rs",
        line: 3,
        column: 5,
        calls: &[],
    };
    const B: PanicSite = PanicSite { message: Some("y"), file: "b.rs", calls: CALLS, ..A };
    const VARIANTS: &[Variant] = &[Variant { panics: &[A, B], ..Variant::EMPTY }];

    /// A module in another file may have a panic in the line and column of one in the kernel's.
    #[test]
    fn sites_are_told_apart_by_their_files() {
        let message = "index out of bounds: the len is 4 but the index is 7";
        assert_eq!(known_of(VARIANTS, ("a.rs", 3, 5), message), (Some("x"), &[][..]));
        assert_eq!(known_of(VARIANTS, ("b.rs", 3, 5), message), (Some("y"), CALLS));
        assert_eq!(known_of(VARIANTS, ("c.rs", 3, 5), message), (None, &[][..]));
    }
}
