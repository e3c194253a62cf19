//! Launching a kernel: its arguments, its shape, the checks before it, the report after it.

mod args;
mod report;
mod resident;
mod shape;

pub(crate) use args::{ArgBytes, Args, Borrowed, Hidden, Output};
pub use args::{
    AtomicsArg, IndicesArg, MatrixArg, MatrixMutArg, OptionalSliceArg, OptionalSliceMutArg, SliceArg,
    SliceMutArg, VolumeArg, VolumeMutArg,
};
pub use report::LaunchReport;
pub(crate) use report::panicked;
use resident::Resident;
pub use shape::{Extent, IntoDim3, IntoExtents};
pub(crate) use shape::{Shape, ShapeLimits, number};

use std::any::type_name;
use std::sync::Arc;
use std::time::Duration;

use kernel_abi::guard::LaunchFacts;
use ptx::target::Arch;

use crate::backend::LaunchConfig;
use crate::device::Atomic;
use crate::element::{Element, ElementType};
use crate::error::{Error, LaunchError, Result};
use crate::gpu::{Gpu, LoadedKernel};
use crate::graph::{Recipe, Recording};
use crate::indices::IndexElement;
use crate::kernel::{ChecksTaken, Coarsening, Kernel, KernelData, ParamKind, Promises};
use crate::l2::{Kept, L2Window};
use crate::pointer::{PointerArg, PointerMutArg};
use crate::stream::{Ready, Stream, Timed};
use crate::tune::{self, Tuned};
use ptx_sim::Progress;

/// A launch of a kernel that is being described. Calling a kernel gives one; [`run`](Launch::run) starts it and waits for its
/// end, [`start`](Launch::start) leaves it to a stream.
///
/// Its shape is `over(n)`, or `grid` and `block`. What is wrong with it, `run` and `start` report, before the kernel starts.
/// It borrows the buffers: those for `&mut` parameters are its own.
///
/// It stays on the thread that made it: it may hold [lent](crate::Lent) buffers, whose uses are kept apart by that. Make it on the thread that runs it;
/// buffers, streams and devices go between threads.
///
/// ```compile_fail,E0277
/// fn goes_to_another_thread<T: Send>() {}
/// goes_to_another_thread::<kernel_runtime::Launch<'static>>();
/// ```
/// ```compile_fail,E0277
/// fn is_shared_between_threads<T: Sync>() {}
/// is_shared_between_threads::<kernel_runtime::Launch<'static>>();
/// ```
/// ```
/// fn goes_and_is_shared<T: Send + Sync>() {}
/// goes_and_is_shared::<kernel_runtime::DeviceBuffer<f32>>();
/// goes_and_is_shared::<kernel_runtime::Stream>();
/// goes_and_is_shared::<kernel_runtime::Gpu>();
/// ```
#[derive(Debug)]
#[must_use = "a launch does nothing until `.run()` or `.start(&stream)`"]
pub struct Launch<'gpu> {
    kernel: &'static Kernel,
    /// The kernel is the first instance of this.
    tuned: Option<&'static Tuned>,
    /// Of a tuned kernel, the only instance to take.
    only: Option<&'static Kernel>,
    args: Args<'gpu>,
    on: Option<&'gpu Gpu>,
    shape: Shape,
}

impl<'gpu> Launch<'gpu> {
    /// For the expansion of `#[kernel]`: a launch without arguments yet.
    ///
    /// # Safety
    /// The arguments that follow are those of the kernel's parameters, by the types of the kernel's own text; of an `unsafe fn` the
    /// caller keeps the conditions.
    #[doc(hidden)]
    #[inline]
    pub unsafe fn new(kernel: &'static Kernel) -> Launch<'gpu> {
        let data = kernel.data();
        // Maps are aligned to more than arguments in one piece are.
        let has_maps = data.variants.iter().any(|variant| !variant.maps.is_empty());
        let args = if data.bounds.cooperative || has_maps { Args::one_by_one() } else { Args::new() };
        Launch { kernel, tuned: None, only: None, args, on: None, shape: Shape::default() }
    }

    /// For the expansion of `#[kernel]` with `tune(…)`: a launch of whatever instance is best.
    ///
    /// # Safety
    /// As of [`new`](Launch::new).
    #[doc(hidden)]
    #[inline]
    pub unsafe fn tuned(tuned: &'static Tuned) -> Launch<'gpu> {
        // SAFETY: by the condition above: all candidates take the same arguments.
        let first = unsafe { Launch::new(tuned.first()) };
        Launch { tuned: Some(tuned), args: first.args.noting_outputs(), ..first }
    }

    /// For the expansion of `#[kernel]` with `tune(…)`: a launch of this instance.
    ///
    /// # Safety
    /// As of [`new`](Launch::new), and the kernel is a candidate.
    #[doc(hidden)]
    #[inline]
    pub unsafe fn instance(tuned: &'static Tuned, kernel: &'static Kernel) -> Launch<'gpu> {
        // SAFETY: by the condition above.
        Launch { only: Some(kernel), ..unsafe { Launch::tuned(tuned) } }
    }

    /// For the expansion of `#[kernel]`: the next argument, by value.
    #[doc(hidden)]
    pub fn scalar<T: Element>(&mut self, name: &'static str, value: T) {
        self.args.scalar(self.kernel.data().params, name, value);
    }

    /// For the expansion of `#[kernel]`: the next two arguments, a scalar and whether it is there.
    #[doc(hidden)]
    pub fn optional<T: Element>(&mut self, names: [&'static str; 2], value: Option<T>) {
        self.args.optional(self.kernel.data().params, names[0], value);
        self.scalar(names[1], value.is_some());
    }

    /// For the expansion of `#[kernel]`: the next argument, by value, not a scalar.
    ///
    /// # Safety
    /// The kernel's description says where scalars are in a `T`.
    #[doc(hidden)]
    pub unsafe fn value<T: Copy + 'static>(&mut self, name: &'static str, value: T) {
        // SAFETY: by the condition above.
        unsafe { self.args.value(self.kernel.data().params, name, value) };
    }

    /// For the expansion of `#[kernel]`: the next argument, by value, in which an enum with data may be.
    ///
    /// # Safety
    /// As of [`value`](Launch::value), and `P` is `T`, or an array of it, or an array of such arrays.
    #[doc(hidden)]
    pub unsafe fn elements<T: Element, P: Copy>(&mut self, name: &'static str, value: P) {
        // SAFETY: by the condition above.
        unsafe { self.args.elements::<T, P>(self.kernel.data().params, name, &value) };
    }

    /// For the expansion of `#[kernel]`: the next two arguments, a slice to read and whether it is there.
    #[doc(hidden)]
    pub fn optional_slice<T: Element>(
        &mut self,
        names: [&'static str; 2],
        slice: impl OptionalSliceArg<'gpu, T>,
    ) {
        let kind = ParamKind::Slice { element: ElementType::of::<T>(type_name::<T>()), mutable: false };
        let buffer = slice.buffer();
        self.args.slice(self.kernel.data(), names[0], kind, buffer);
        self.scalar(names[1], buffer.is_some());
    }

    /// For the expansion of `#[kernel]`: the next two arguments, a slice to read and write and whether it is there.
    #[doc(hidden)]
    pub fn optional_slice_mut<T: Element>(
        &mut self,
        names: [&'static str; 2],
        slice: impl OptionalSliceMutArg<'gpu, T>,
    ) {
        let kind = ParamKind::Slice { element: ElementType::of::<T>(type_name::<T>()), mutable: true };
        let buffer = slice.buffer();
        self.args.slice(self.kernel.data(), names[0], kind, buffer);
        self.scalar(names[1], buffer.is_some());
    }

    /// For the expansion of `#[kernel]`: the next argument, a slice to read.
    #[doc(hidden)]
    pub fn slice<T: Element>(&mut self, name: &'static str, slice: impl SliceArg<'gpu, T>) {
        let kind = ParamKind::Slice { element: ElementType::of::<T>(type_name::<T>()), mutable: false };
        self.args.slice(self.kernel.data(), name, kind, slice.buffer());
    }

    /// For the expansion of `#[kernel]`: the next argument, a slice to read and write.
    #[doc(hidden)]
    pub fn slice_mut<T: Element>(&mut self, name: &'static str, slice: impl SliceMutArg<'gpu, T>) {
        let kind = ParamKind::Slice { element: ElementType::of::<T>(type_name::<T>()), mutable: true };
        self.args.slice(self.kernel.data(), name, kind, slice.buffer());
    }

    /// For the expansion of `#[kernel]`: the next argument, a pointer to read from.
    #[doc(hidden)]
    pub fn pointer<T: Element>(&mut self, name: &'static str, pointer: impl PointerArg<'gpu, T>) {
        let kind = ParamKind::Pointer { to: ElementType::of::<T>(type_name::<T>()), mutable: false };
        self.args.pointer(self.kernel.data().params, name, kind, pointer.pointer());
    }

    /// For the expansion of `#[kernel]`: the next argument, a pointer to read from and write to.
    #[doc(hidden)]
    pub fn pointer_mut<T: Element>(&mut self, name: &'static str, pointer: impl PointerMutArg<'gpu, T>) {
        let kind = ParamKind::Pointer { to: ElementType::of::<T>(type_name::<T>()), mutable: true };
        self.args.pointer(self.kernel.data().params, name, kind, pointer.pointer());
    }

    /// For the expansion of `#[kernel]`: the next argument, a slice of atomics.
    #[doc(hidden)]
    pub fn atomics<A: Atomic>(&mut self, name: &'static str, slice: impl AtomicsArg<'gpu, A>) {
        let kind = ParamKind::Slice { element: ElementType::of::<A::Value>(type_name::<A>()), mutable: true };
        self.args.slice(self.kernel.data(), name, kind, Some(slice.buffer()));
    }

    /// For the expansion of `#[kernel]`: the next arguments, a matrix to read.
    #[doc(hidden)]
    pub fn matrix<T: Element>(&mut self, names: [&'static str; 4], view: impl MatrixArg<'gpu, T>) {
        let kind = ParamKind::Slice { element: ElementType::of::<T>(type_name::<T>()), mutable: false };
        self.args.view(self.kernel.data(), names, kind, view.view());
    }

    /// For the expansion of `#[kernel]`: the next arguments, a matrix to read and write.
    #[doc(hidden)]
    pub fn matrix_mut<T: Element>(&mut self, names: [&'static str; 4], view: impl MatrixMutArg<'gpu, T>) {
        let kind = ParamKind::Slice { element: ElementType::of::<T>(type_name::<T>()), mutable: true };
        self.args.view(self.kernel.data(), names, kind, view.view());
    }

    /// For the expansion of `#[kernel]`: the next arguments, indices and the bound of them.
    #[doc(hidden)]
    pub fn indices<T: IndexElement>(
        &mut self,
        [name, bound]: [&'static str; 2],
        indices: impl IndicesArg<'gpu, T>,
    ) {
        let kind = ParamKind::Slice { element: ElementType::of::<T>(type_name::<T>()), mutable: false };
        let (buffer, below) = indices.indices();
        self.args.slice(self.kernel.data(), name, kind, Some(buffer));
        self.args.scalar(self.kernel.data().params, bound, below as u64);
    }

    /// For the expansion of `#[kernel]`: the next arguments, a volume to read.
    #[doc(hidden)]
    pub fn volume<T: Element>(&mut self, names: [&'static str; 4], view: impl VolumeArg<'gpu, T>) {
        let kind = ParamKind::Slice { element: ElementType::of::<T>(type_name::<T>()), mutable: false };
        self.args.view(self.kernel.data(), names, kind, view.view());
    }

    /// For the expansion of `#[kernel]`: the next arguments, a volume to read and write.
    #[doc(hidden)]
    pub fn volume_mut<T: Element>(&mut self, names: [&'static str; 4], view: impl VolumeMutArg<'gpu, T>) {
        let kind = ParamKind::Slice { element: ElementType::of::<T>(type_name::<T>()), mutable: true };
        self.args.view(self.kernel.data(), names, kind, view.view());
    }

    /// At least `n` threads along x: blocks of a size of highest occupancy (or of [`block`](Launch::block)), and as
    /// many as hold `n` threads. The kernel has to compare its index with the length, for the last block goes beyond.
    ///
    /// An element-wise kernel takes its [coarsened version](crate::Coarsened) where that is proved equal: fewer threads, each of which does
    /// several elements. [`LaunchReport::coarsening`] says what a launch took, and [`Kernel::report`](crate::Kernel::report) why a kernel has
    /// no such version. A launch whose threads would then fill less than half of the device does not, unless it says
    /// [`coarsened(true)`](Launch::coarsened); a kernel with `coarsen(1)`, and a launch that gives its grid, never does.
    ///
    /// Of kernels in which no thread looks at its block the size is 256 where that reaches the highest occupancy; of others it is the
    /// [`best_block_size`](crate::Kernel::best_block_size).
    ///
    /// Of a kernel with `coarsen(k)`, whose threads do `k` elements each, at least `n` elements, by `n / k` threads. Of a kernel with
    /// `cooperative` as many blocks have to run at once, or it is an error: see [`fill`](Launch::fill).
    ///
    /// `over((width, height))` and `over((width, height, depth))` launch at least so many threads along x, y and z, in blocks of
    /// 32 × 8 or 32 × 4 × 2 threads where neither the launch nor the kernel says (fewer rows where the kernel cannot have so many threads). The
    /// kernel compares each index with its own bound.
    #[inline]
    pub fn over(mut self, extents: impl IntoExtents) -> Launch<'gpu> {
        extents.set(&mut self.shape.over, &mut self.shape.over_each);
        self
    }

    /// As many blocks along x as the device runs at once, each of the size of highest occupancy (or of [`block`](Launch::block)):
    /// for kernels whose threads go over the elements in a loop of stride `global_size().x`, those with `cooperative` above all.
    #[doc(alias = "cudaLaunchCooperativeKernel")]
    pub fn fill(mut self) -> Launch<'gpu> {
        self.shape.fill = true;
        self
    }

    /// The number of blocks: along x, or `(x, y)`, or `(x, y, z)`, or an array of as many. With `coarsen(k)` each thread does `k` elements along x.
    #[doc(alias = "gridDim")]
    #[inline]
    pub fn grid(mut self, blocks: impl IntoDim3) -> Launch<'gpu> {
        self.shape.grid = Some(blocks.into_dim3());
        self
    }

    /// The threads per block: along x, or `(x, y)`, or `(x, y, z)`, or an array of as many. A kernel with `block(…)` brings its own.
    #[doc(alias = "blockDim")]
    #[inline]
    pub fn block(mut self, threads: impl IntoDim3) -> Launch<'gpu> {
        self.shape.block = Some(threads.into_dim3());
        self
    }

    /// The blocks of a cluster: along x, or `(x, y)`, or `(x, y, z)`; the grid has to be whole clusters. A kernel with
    /// `cluster(…)` brings its own. Devices have clusters from compute capability 9.0.
    #[doc(alias("cudaLaunchAttributeClusterDimension", "__cluster_dims__"))]
    #[inline]
    pub fn cluster(mut self, blocks: impl IntoDim3) -> Launch<'gpu> {
        self.shape.cluster = Some(blocks.into_dim3());
        self
    }

    /// Asks to keep a buffer, or a part of one, in the second-level cache: of the accesses there the part `hit_ratio`, from 0 to 1, goes to what is
    /// [set aside](Gpu::set_aside_l2), and stays longer than what others access. With a ratio of what is set aside over the buffer's size,
    /// what is kept does not push itself out. See [`l2`](crate::l2).
    #[doc(alias = "cudaAccessPolicyWindow")]
    pub fn keep_in_l2(mut self, window: impl Into<L2Window>, hit_ratio: f32) -> Launch<'gpu> {
        self.shape.l2 = Some(Box::new(Kept { window: window.into(), hit_ratio }));
        self
    }

    /// Dynamic shared memory per block, in bytes: a `u32` or a `usize`, such as `n * size_of::<f32>()`.
    #[doc(alias("cudaFuncAttributeMaxDynamicSharedMemorySize", "extern __shared__"))]
    #[inline]
    pub fn shared(mut self, bytes: impl TryInto<u32>) -> Launch<'gpu> {
        self.shape.dynamic_shared = number(bytes);
        self
    }

    /// Switches the simulator's sanitizer on or off for this launch; it is on unless switched off. It finds accesses outside
    /// buffers, values that nobody wrote, and races, which [`run`](Launch::run) then returns as [`Error::Fault`]; without it a
    /// simulated launch is a few times faster. On a GPU this changes nothing.
    #[inline]
    pub fn sanitize(mut self, on: bool) -> Launch<'gpu> {
        self.shape.unwatched = !on;
        self
    }

    /// Steps, one for each instruction that a warp executes, after which the simulator takes a warp for one that never ends, and
    /// stops the launch with [`Error::Fault`]. It is 2²⁸ by default, some seconds. Loops
    /// that come back to the state in which they were, counters aside, are found without it. Unless a limit is given, loops that have
    /// no effect while nothing else runs end earlier (see [`patience`](Launch::patience)): those that poll memory after three seconds, those that only compute after fifteen
    /// seconds and 2²⁴ steps. On a GPU this changes nothing.
    #[inline]
    pub fn step_limit(mut self, steps: u64) -> Launch<'gpu> {
        self.shape.steps = Some(steps);
        self
    }

    /// Time that a loop without an effect is given, while nothing else runs, before the simulator takes it for one that never ends, and stops
    /// the launch with [`Error::Fault`]: a loop that polls memory so long, one that only computes five times as long. It is three seconds by
    /// default, and not limited where a [`step_limit`](Launch::step_limit) alone is given. On a GPU this changes nothing.
    #[inline]
    pub fn patience(mut self, time: Duration) -> Launch<'gpu> {
        self.shape.patience = Some(time);
        self
    }

    /// Asks for a profile: counters by instruction and line of the source, caches and waiting times modelled, and what bounds
    /// the speed. The report of the launch then has it: [`LaunchReport::profile`]. Only the simulator can.
    pub fn profile(mut self) -> Launch<'gpu> {
        self.shape.profiled = true;
        self
    }

    /// Lets others see how far the launch is, and end it before its time.
    pub fn progress(mut self, progress: &Progress) -> Launch<'gpu> {
        self.shape.progress = Some(progress.clone());
        self
    }

    /// Takes the version with all checks if `on`, even where no launch guard fails: to compare both. Of a
    /// kernel that has only one version this changes nothing.
    #[inline]
    pub fn checked(mut self, on: bool) -> Launch<'gpu> {
        self.shape.checked = on;
        self
    }

    /// Takes the [coarsened version](crate::Coarsened) of a launch with [`over`](Launch::over) if `on`, even where it is so small that the
    /// plain one is taken by itself; otherwise the plain one: to compare both. Where a launch guard fails, the plain version is
    /// taken all the same. Of a kernel that has no such version this changes nothing.
    #[inline]
    pub fn coarsened(mut self, on: bool) -> Launch<'gpu> {
        self.shape.coarsened = Some(on);
        self
    }

    /// The device. A kernel with buffers needs none: it runs where they are.
    #[inline]
    pub fn on(mut self, gpu: &'gpu Gpu) -> Launch<'gpu> {
        self.on = Some(gpu);
        self
    }

    /// Checks the launch, runs the kernel and waits for its end.
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] before anything runs; [`Error::Load`] when the device refuses the kernel;
    /// [`Error::KernelPanicked`] when a thread did; [`Error::Failed`] or [`Error::Fault`] when the device stopped it.
    /// Of a kernel with `tune(…)` also [`Error::InstancesDiffer`] and [`Error::TuningCache`].
    #[doc(alias("cudaLaunchKernel", "cudaDeviceSynchronize", "<<<>>>", "cudaLaunchKernelEx"))]
    pub fn run(mut self) -> Result<LaunchReport> {
        // A launch is large: it stays where it is.
        let Launch { kernel, tuned, only, ref mut args, on, ref shape } = self;
        let refused = |reason| Error::Launch { kernel: kernel.name(), reason };
        let gpu = on.or(args.device()).ok_or(LaunchError::NoDevice).map_err(refused)?;
        args.check(kernel.data().params, gpu).map_err(refused)?;
        match tuned {
            None => Prepared::new(kernel, args, gpu, shape)?.run(gpu),
            Some(tuned) => tune::run(tuned, only, args, gpu, shape),
        }
    }

    /// Checks the launch and asks a stream for it, which runs it after all that it was asked for before. What a thread that
    /// panics leaves, and what the device stops the kernel for, the next synchronisation returns: see [`Stream`].
    ///
    /// The buffers are no longer borrowed when this returns, and may be used at once: whatever uses them next comes after the
    /// kernel. Of a kernel with `tune(…)` the trial runs, if there are any, are over when this returns.
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] before anything runs; [`Error::Load`] when the device refuses the kernel; [`Error::Failed`] when it
    /// refuses the launch. Of a kernel with `tune(…)` also the errors of [`run`](Launch::run) for the trial runs.
    #[doc(alias("cudaLaunchKernel", "<<<>>>"))]
    pub fn start(mut self, stream: &Stream) -> Result<()> {
        let Launch { kernel, tuned, only, ref mut args, on, ref shape } = self;
        let refused = |reason| Error::Launch { kernel: kernel.name(), reason };
        let gpu = stream.gpu();
        if let Some(on) = on.filter(|&on| on != gpu) {
            return Err(refused(LaunchError::OtherStream {
                expected: on.to_string(),
                found: gpu.name_beside(on),
            }));
        }
        args.check(kernel.data().params, gpu).map_err(refused)?;
        match tuned {
            None => Prepared::new(kernel, args, gpu, shape)?.start(stream),
            Some(tuned) => tune::start(tuned, only, args, stream, shape),
        }
    }

    /// Checks the launch and makes it part of a graph, after what was recorded before: see [`Gpu::graph`]. Of a kernel with `tune(…)` the
    /// trial runs, if there are any, are over when this returns, and the graph has the instance that is best now.
    ///
    /// # Errors
    ///
    /// Those of [`start`](Launch::start); [`LaunchError::PrintsInGraph`].
    #[doc(alias = "cudaGraphAddKernelNode")]
    pub fn record(mut self, recording: &mut Recording<'gpu>) -> Result<()> {
        let Launch { kernel, tuned, only, ref mut args, on, ref shape } = self;
        let refused = |reason| Error::Launch { kernel: kernel.name(), reason };
        let gpu = recording.gpu().clone();
        if let Some(on) = on.filter(|&on| *on != gpu) {
            let (expected, found) = (on.to_string(), gpu.name_beside(on));
            return Err(refused(LaunchError::OtherGraph { expected, found }));
        }
        args.check(kernel.data().params, &gpu).map_err(refused)?;
        match tuned {
            None => Prepared::new(kernel, args, &gpu, shape)?.record(recording),
            Some(tuned) => tune::record(tuned, only, args, recording, shape),
        }
    }
}

/// A launch that has been checked, of a kernel that is on its device.
pub(crate) struct Prepared<'a, 'gpu> {
    kernel: &'static Kernel,
    taken: ChecksTaken,
    coarsening: Coarsening,
    loaded: &'a Arc<LoadedKernel>,
    config: LaunchConfig,
    args: &'a Args<'gpu>,
    /// The bytes of the arguments with tensor maps behind them, of a kernel that takes some.
    mapped: Option<Box<ArgBytes>>,
}

impl<'a, 'gpu> Prepared<'a, 'gpu> {
    /// Chooses what the shape leaves open, and checks it.
    // The return value is large, and made of small parts: handing it on from function to function costs more than making it.
    #[inline(always)]
    pub(crate) fn new(
        kernel: &'static Kernel,
        args: &'a Args<'gpu>,
        gpu: &'a Gpu,
        shape: &Shape,
    ) -> Result<Prepared<'a, 'gpu>> {
        let (data, checked) = (kernel.data(), kernel.load(gpu)?);
        let coarsening = match try_coarsened(data, checked, args, gpu, shape) {
            Ok((loaded, config, elements)) => {
                let refused = |reason| Error::Launch { kernel: data.name, reason };
                args.check_size(loaded.variant).map_err(refused)?;
                // There are no checks left, which is what the guards are for.
                let taken = match checked.check_free[..] {
                    [_, ..] => ChecksTaken::CheckFree,
                    [] => ChecksTaken::Only,
                };
                let coarsening = Coarsening::Taken { elements };
                let mapped = args.mapped(data, loaded.variant.maps, gpu)?;
                return Ok(Prepared { kernel, taken, coarsening, loaded, config, args, mapped });
            }
            Err(coarsening) => coarsening,
        };
        let mut twins = checked.check_free.iter().zip(checked.variant.check_free);
        let (mut loaded, mut taken) = match checked.check_free.first() {
            Some(_) if shape.checked => (checked, ChecksTaken::Asked),
            Some(twin) => (twin, ChecksTaken::CheckFree),
            None => (checked, ChecksTaken::Only),
        };
        let mut config = configure(data.name, data.promises(), gpu, loaded, shape)?;
        let mut twin = twins.next().filter(|_| !shape.checked);
        while let Some((_, check_free)) = twin {
            // Tests may ask for the shape of the launch, which may depend on the entry.
            let LaunchConfig { grid, block, dynamic_shared, .. } = config;
            let facts = LaunchFacts { params: args.bytes(), block, grid, dynamic_shared, over: None };
            let Some(test) = check_free.failing(&facts) else { break };
            twin = twins.next();
            (loaded, taken) = match twin {
                Some((next, _)) => (next, ChecksTaken::Partly(test)),
                None => (checked, ChecksTaken::Failed(test)),
            };
            config = configure_again(data, gpu, loaded, shape)?;
        }
        if let Some(least) = data.min_occupancy {
            check_occupancy(data, gpu, loaded, &config, least)?;
        }
        let refused = |reason| Error::Launch { kernel: data.name, reason };
        args.check_size(loaded.variant).map_err(refused)?;
        let mapped = args.mapped(data, loaded.variant.maps, gpu)?;
        Ok(Prepared { kernel, taken, coarsening, loaded, config, args, mapped })
    }

    /// The shape that it has.
    pub(crate) fn config(&self) -> &LaunchConfig {
        &self.config
    }

    /// The bytes of the arguments, without the addresses that the launch adds.
    fn params(&self) -> &ArgBytes {
        self.mapped.as_deref().unwrap_or(self.args.params())
    }

    fn ready(&self, is_trial: bool) -> Ready<'_> {
        Ready {
            name: self.kernel.name(),
            kernel: Some(self.kernel.data()),
            loaded: self.loaded,
            config: &self.config,
            params: self.params(),
            borrowed: self.args.borrowed(),
            is_trial,
        }
    }

    /// Runs it to its end, to see how long it takes. A thread that panicked is an error; what is printed nobody sees.
    pub(crate) fn execute(&self, gpu: &Gpu) -> Result<Timed> {
        // SAFETY: a kernel of the program accesses what its arguments say and no more: checked where it is safe, promised to
        // the launch where it is not. The arguments are those of its description.
        unsafe { self.ready(true).run(gpu) }
    }

    /// Runs it to its end, with a report.
    pub(crate) fn run(&self, gpu: &Gpu) -> Result<LaunchReport> {
        // SAFETY: as in `execute`.
        let timed = unsafe { self.ready(false).run(gpu) }?;
        let report = timed.report(gpu, self.kernel.name(), self.loaded, &self.config);
        Ok(LaunchReport { checks: self.taken, coarsening: self.coarsening, ..report })
    }

    /// Makes it part of a graph.
    pub(crate) fn record(self, recording: &mut Recording<'gpu>) -> Result<()> {
        let params = self.params().clone();
        let Prepared { kernel, loaded, config, args, .. } = self;
        let loaded = loaded.clone();
        recording.launch(Recipe { kernel: kernel.data(), loaded, config, params }, args.borrowed().all())
    }

    /// Asks a stream for it.
    pub(crate) fn start(&self, stream: &Stream) -> Result<()> {
        // SAFETY: as in `execute`.
        unsafe { self.ready(false).start(stream) }
    }
}

/// Refuses a launch that does not fill as much of an SM as its kernel asks for.
#[inline(never)]
fn check_occupancy(
    kernel: &'static KernelData,
    gpu: &Gpu,
    loaded: &LoadedKernel,
    config: &LaunchConfig,
    least: f32,
) -> Result<()> {
    let threads = config.block.iter().product();
    let found = loaded.certain_occupancy(gpu, threads, config.dynamic_shared)?;
    if found.fraction() < f64::from(least) {
        return Err(Error::Launch { kernel: kernel.name, reason: LaunchError::Occupancy { found, least } });
    }
    Ok(())
}

/// The part of a device's threads that a coarsened launch has to fill, as a divisor. Half of them, with accesses of 16 bytes, have as much under
/// way as the memory takes; where fewer are left, the plain version has every access of the launch under way at once too, and spreads the
/// work over more SMs.
const FILLED: u64 = 2;

/// The coarsened version of a kernel and the shape of its launch, if it has one and the launch may take it.
#[inline(never)]
fn try_coarsened<'a>(
    kernel: &'static KernelData,
    checked: &'a LoadedKernel,
    args: &Args<'_>,
    gpu: &'a Gpu,
    shape: &Shape,
) -> Result<(&'a Arc<LoadedKernel>, LaunchConfig, u32), Coarsening> {
    let Some((loaded, version)) = checked.coarsened.as_ref().zip(checked.variant.coarsened) else {
        return Err(Coarsening::NoVersion);
    };
    if shape.checked || shape.coarsened == Some(false) {
        return Err(Coarsening::Asked);
    }
    let over = shape.over_alone().ok_or(Coarsening::OtherShape)?;
    let elements = version.elements;
    let promises = Promises { elements, ..kernel.promises() };
    // Errors of the launch are reported by the plain version.
    let config = configure(kernel.name, promises, gpu, loaded, shape).map_err(|_| Coarsening::DoesNotFit)?;
    let LaunchConfig { grid: [blocks, y, z], block, dynamic_shared, .. } = config;
    if block[1..] != [1, 1] {
        return Err(Coarsening::OtherShape);
    }
    let threads = u64::from(blocks) * u64::from(block[0]);
    let device = gpu.attributes();
    let least = u64::from(device.sms) * u64::from(device.limits.threads_per_sm) / FILLED;
    if shape.coarsened.is_none() && threads < least {
        return Err(Coarsening::Small { threads, least });
    }
    if let Some(least) = kernel.min_occupancy {
        check_occupancy(kernel, gpu, loaded, &config, least).map_err(|_| Coarsening::DoesNotFit)?;
    }
    let (params, over) = (args.bytes(), Some(over as u64));
    // The checks that are gone are those of the launch that does the same elements one by one.
    let grid = [blocks.checked_mul(elements).ok_or(Coarsening::DoesNotFit)?, y, z];
    match version.failing(&LaunchFacts { params, block, grid, dynamic_shared, over }) {
        Some(test) => Err(Coarsening::Failed(test)),
        None => Ok((loaded, config, elements)),
    }
}

/// The shape of a launch that takes the other entry of its kernel after all.
#[inline(never)]
fn configure_again(
    kernel: &'static KernelData,
    gpu: &Gpu,
    loaded: &LoadedKernel,
    shape: &Shape,
) -> Result<LaunchConfig> {
    configure(kernel.name, kernel.promises(), gpu, loaded, shape)
}

/// The shape of a launch on a device, chosen where it is left open, and checked; of a kernel with these bounds and elements per
/// thread.
// As `Prepared::new`.
#[inline(always)]
pub(crate) fn configure(
    kernel: &'static str,
    Promises { bounds, elements, wide_index, ignores_blocks }: Promises,
    gpu: &Gpu,
    loaded: &LoadedKernel,
    shape: &Shape,
) -> Result<LaunchConfig> {
    let refused = |reason| Error::Launch { kernel, reason };
    let function = loaded.function.attributes();
    let device = gpu.attributes();
    let limits = ShapeLimits {
        bounds,
        elements,
        wide_index,
        function_threads: function.max_threads,
        static_shared: function.static_shared,
        shared: device.limits.shared_per_block_optin,
        threads: device.max_threads_per_block,
        block: device.max_block,
        grid: device.max_grid,
        clusters: device.compute_capability >= Arch::WITH_CLUSTERS.compute_capability(),
    };
    // Shared memory first: no block size could be found for more than there is.
    limits.check_shared(shape.dynamic_shared).map_err(refused)?;
    let best = || match ignores_blocks {
        true => loaded.block_size_of_launch(gpu, kernel, shape.dynamic_shared),
        false => Ok(loaded.best_block_size(gpu, kernel, shape.dynamic_shared)?.threads),
    };
    let mut config = shape.resolve(&limits, best, refused)?;
    config.profile |= gpu.is_profiling();
    if let Some(kept) = &shape.l2 {
        config.l2 = kept.access(gpu).map_err(refused)?;
    }
    if shape.fill || config.cooperative {
        limits.check_block(config.block).map_err(refused)?;
        Resident::new(loaded, gpu, &config)?.bound(shape.fill, &mut config).map_err(refused)?;
    }
    limits.check(&config).map_err(refused)?;
    Ok(config)
}
