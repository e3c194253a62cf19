//! Graphs: launches and copies that are asked for once, and done again and again at the cost of one.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! #[kernel]
//! pub fn step(rate: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_idx().x;
//!     if i < x.len() && i < y.len() {
//!         y[i] = x[i] + rate * (1.0 - x[i]);
//!     }
//! }
//!
//! fn main() -> Result<()> {
//!     let gpu = Gpu::new()?;
//!     let n = 1 << 10;
//!     let (mut x, mut y) = (gpu.zeros::<f32>(n)?, gpu.zeros::<f32>(n)?);
//!     let (x, y) = (x.lend(), y.lend()); // handles that the graph may have while the host reads
//!
//!     let mut graph = gpu.graph(|graph| {
//!         for _ in 0..50 {
//!             step(0.5, x, y).over(n).record(graph)?;
//!             step(0.5, y, x).over(n).record(graph)?;
//!         }
//!         Ok(())
//!     })?;
//!     let stream = gpu.stream()?;
//!     while x.to_vec()?[0] < 0.999 {
//!         graph.start(&stream)?; // 100 launches, asked for at once
//!     }
//!     stream.synchronize()?; // what went wrong in a kernel comes out here
//!
//!     graph.update(|graph| step(0.25, x, y).over(n).record(graph))?; // other arguments, or other work
//!     println!("{:?}", graph.run()?); // and how long it takes
//!     Ok(())
//! }
//! ```
//!
//! Steps are checked once, as a launch is, and done in order each time. On a GPU they are a graph of the driver's, on the simulator the
//! launches themselves. A graph that is started is one use of all its buffers, ordered as every other: see [`stream`](crate::stream).
//!
//! # Why it is sound
//!
//! A graph borrows what it uses as long as it lives: buffers that it only reads by `&`, others by the [`Lent`](crate::Lent) handles that
//! [`lend`](crate::DeviceBuffer::lend) makes of a `&mut`. So nobody frees a buffer while a graph has it, or uses it otherwise than by those handles.
//! They, the launches that take them and the graph stay on one thread: between the moment when a use looks for what it must wait for and the
//! moment when it is entered, no other is. A graph does what was recorded for it and nothing else: recordings that were exchanged are refused.
//! A graph that is leaked by `std::mem::forget` runs no more after that; what it was started for before is entered in its buffers, and dropping those waits.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kernel_abi::panic::PanicRecord;

use crate::account::{CopiedBy, CopyKind, LaunchTime};
use crate::backend::{Execution, LaunchConfig, Mailbox, Queue, Recorded};
use crate::element::Element;
use crate::error::{Error, LaunchError, Result};
use crate::gpu::{Gpu, LoadedKernel, lock};
use crate::kernel::{KernelData, Variant};
use crate::launch::{ArgBytes, Hidden, SliceArg, SliceMutArg, panicked};
use crate::lent::LentPinned;
use crate::profile::Profile;
use crate::stream::{Access, Inner, OneThread, Stream, Uses, placed};

/// A graph as it is recorded: the argument of [`Gpu::graph`].
///
/// Steps hold addresses of the graph's device, so that a recording serves the graph that it was made for and no other: one that was exchanged, by
/// [`std::mem::swap`] say, is an error ([`Error::RecordingExchanged`]).
pub struct Recording<'a> {
    gpu: Gpu,
    /// Of all recordings in the process this one alone has it.
    number: u64,
    steps: Vec<Step>,
    /// Every buffer once.
    uses: Vec<(&'a Uses, Access)>,
    _one_thread: OneThread,
}

/// Something that a graph does.
#[derive(Debug)]
enum Step {
    Launch(Box<Recipe>),
    /// Addresses of the device.
    Copy {
        from: u64,
        to: u64,
        bytes: usize,
    },
    Zero {
        to: u64,
        bytes: usize,
    },
    /// From an address of the host; a number, so that graphs need no promise about threads.
    ToDevice {
        from: usize,
        to: u64,
        bytes: usize,
    },
    ToHost {
        from: u64,
        to: usize,
        bytes: usize,
    },
}

/// A launch to be asked for again and again.
pub(crate) struct Recipe {
    pub(crate) kernel: &'static KernelData,
    pub(crate) loaded: Arc<LoadedKernel>,
    pub(crate) config: LaunchConfig,
    pub(crate) params: ArgBytes,
}

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kernel.name, self.config)
    }
}

impl<'a> Recording<'a> {
    /// The recording that `record` makes for a graph of this device.
    fn by(gpu: &Gpu, record: impl FnOnce(&mut Recording<'a>) -> Result<()>) -> Result<Recording<'a>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (gpu, _one_thread) = (gpu.clone(), OneThread::new());
        let mut recording = Recording { gpu, number, steps: Vec::new(), uses: Vec::new(), _one_thread };
        record(&mut recording)?;
        match recording.number == number {
            true => Ok(recording),
            false => Err(Error::RecordingExchanged),
        }
    }

    /// Its device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Copies on the device. Both sides have the same length.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when one of both is not on the device of the graph;
    /// [`Error::CopyLength`].
    #[doc(alias("cudaMemcpyAsync", "cudaGraphAddMemcpyNode"))]
    pub fn copy<T: Element>(
        &mut self,
        from: impl SliceArg<'a, T>,
        to: impl SliceMutArg<'a, T>,
    ) -> Result<()> {
        let (from, to) = match (from.buffer(), to.buffer()) {
            (Some(from), Some(to)) => (from, to),
            (from, to) => return nothing(from.map_or(0, |from| from.len()), to.map_or(0, |to| to.len())),
        };
        let bytes = self.check::<T>((from.gpu(), from.len()), (to.gpu(), to.len()))?;
        if from.is_same(&to) {
            return Ok(()); // What is in it already.
        }
        self.enter(from.uses(), Access::Read);
        self.enter(to.uses(), Access::Write);
        self.steps.push(Step::Copy { from: from.address(), to: to.address(), bytes });
        Ok(())
    }

    /// Sets every element to zero (`false`).
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when the buffer is not on the device of the graph.
    #[doc(alias = "cudaGraphAddMemsetNode")]
    pub fn set_zero<T: Element>(&mut self, buffer: impl SliceMutArg<'a, T>) -> Result<()> {
        let Some(to) = buffer.buffer() else { return Ok(()) };
        self.same_device("to", to.gpu())?;
        self.enter(to.uses(), Access::Write);
        self.steps.push(Step::Zero { to: to.address(), bytes: to.len() * size_of::<T>() });
        Ok(())
    }

    /// Copies to the device what is in the host's memory when the graph comes to it. Both sides have the same length.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when one of both is not on the device of the graph;
    /// [`Error::CopyLength`].
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_to_device<T: Element>(
        &mut self,
        from: LentPinned<'a, T>,
        to: impl SliceMutArg<'a, T>,
    ) -> Result<()> {
        let from = from.buffer();
        let Some(to) = to.buffer() else { return nothing(from.len(), 0) };
        let bytes = self.check::<T>((from.gpu(), from.len()), (to.gpu(), to.len()))?;
        self.enter(from.uses(), Access::Read);
        self.enter(to.uses(), Access::Write);
        let from = from.start().expose_provenance();
        self.steps.push(Step::ToDevice { from, to: to.address(), bytes });
        Ok(())
    }

    /// Copies from the device. Both sides have the same length.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when one of both is not on the device of the graph;
    /// [`Error::CopyLength`].
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_to_host<T: Element>(
        &mut self,
        from: impl SliceArg<'a, T>,
        to: LentPinned<'a, T>,
    ) -> Result<()> {
        let to = to.buffer();
        let Some(from) = from.buffer() else { return nothing(0, to.len()) };
        let bytes = self.check::<T>((from.gpu(), from.len()), (to.gpu(), to.len()))?;
        self.enter(from.uses(), Access::Read);
        self.enter(to.uses(), Access::Write);
        let to = to.start_of_lent().expose_provenance();
        self.steps.push(Step::ToHost { from: from.address(), to, bytes });
        Ok(())
    }

    /// A launch that has been checked, with the buffers that it uses.
    pub(crate) fn launch(
        &mut self,
        recipe: Recipe,
        borrowed: impl Iterator<Item = (&'a Uses, Access)>,
    ) -> Result<()> {
        if recipe.loaded.variant.has_print_param {
            let (kernel, reason) = (recipe.kernel.name, LaunchError::PrintsInGraph);
            return Err(Error::Launch { kernel, reason });
        }
        borrowed.for_each(|(uses, access)| self.enter(uses, access));
        self.steps.push(Step::Launch(Box::new(recipe)));
        Ok(())
    }

    fn enter(&mut self, uses: &'a Uses, access: Access) {
        match self.uses.iter_mut().find(|(known, _)| std::ptr::eq(*known, uses)) {
            Some((_, known)) if access == Access::Write => *known = access,
            Some(_) => {}
            None => self.uses.push((uses, access)),
        }
    }

    /// The bytes of a copy between buffers of the graph's device.
    fn check<T>(&self, from: (&Gpu, usize), to: (&Gpu, usize)) -> Result<usize> {
        self.same_device("from", from.0)?;
        self.same_device("to", to.0)?;
        match from.1 == to.1 {
            true => Ok(from.1 * size_of::<T>()),
            false => Err(Error::CopyLength { from: from.1, to: to.1 }),
        }
    }

    fn same_device(&self, what: &'static str, gpu: &Gpu) -> Result<()> {
        if *gpu == self.gpu {
            return Ok(());
        }
        Err(Error::OtherDevice { what, expected: self.gpu.to_string(), found: gpu.name_beside(&self.gpu) })
    }

    /// Gives each launch that can panic a record.
    fn records(&mut self) -> Result<Records> {
        let mut of = Vec::new();
        let mut panicking = Vec::new();
        for step in &mut self.steps {
            let Step::Launch(recipe) = step else { continue };
            if recipe.loaded.variant.has_panic_param {
                of.push((recipe.kernel, recipe.loaded.variant));
                panicking.push(recipe);
            }
        }
        let mailbox = match of.len() {
            0 => None,
            count => Some(self.gpu.backend().clone().mailbox(count * PanicRecord::BYTES)?),
        };
        for (index, recipe) in panicking.into_iter().enumerate() {
            let address = mailbox.as_ref().map(|mailbox| mailbox.address());
            let panic = address.map(|address| address + (index * PanicRecord::BYTES) as u64);
            recipe.params = recipe.params.with_hidden(Hidden { panic, ..Hidden::default() });
        }
        Ok(Records { mailbox, of, started: Mutex::new(0) })
    }
}

/// A copy of so many elements to so many, without a buffer on one side.
fn nothing(from: usize, to: usize) -> Result<()> {
    if from == to { Ok(()) } else { Err(Error::CopyLength { from, to }) }
}

impl fmt::Debug for Recording<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("steps", &self.steps).finish_non_exhaustive()
    }
}

/// Panic records of the threads of a graph's launches. They live as long as the graph may run.
#[derive(Debug)]
pub(crate) struct Records {
    mailbox: Option<Box<dyn Mailbox>>,
    /// The kernel and the variant of each record.
    of: Vec<(&'static KernelData, &'static Variant)>,
    /// Number of times that the graph was started. Locked while it is, and while records are looked at.
    started: Mutex<u64>,
}

impl Records {
    /// The first panic of a graph that is over, unless it has been started since; the records are empty then.
    pub(crate) fn collect(&self, number: u64) -> Result<Option<Error>> {
        let started = lock(&self.started);
        if *started != number {
            return Ok(None); // Whoever waits for the last start tells.
        }
        let mut first = None;
        for index in 0..self.of.len() {
            first = first.or(self.take(index)?);
        }
        Ok(first)
    }

    /// The panic of a launch that is over.
    fn take(&self, index: usize) -> Result<Option<Error>> {
        let (Some(mailbox), Some((kernel, variant))) = (&self.mailbox, self.of.get(index)) else {
            return Ok(None);
        };
        let at = index * PanicRecord::BYTES;
        let mut first = [0; 4];
        mailbox.read(at + PanicRecord::CLAIMED, &mut first)?;
        if !PanicRecord::is_claimed(first) {
            return Ok(None);
        }
        let mut bytes = [0; PanicRecord::BYTES];
        mailbox.read(at, &mut bytes)?;
        mailbox.clear(at, PanicRecord::BYTES)?;
        Ok(PanicRecord::read(&bytes).map(|record| panicked(kernel, variant, &record)))
    }
}

/// A graph without the borrows.
#[derive(Debug)]
pub(crate) struct Plan {
    steps: Vec<Step>,
    /// The graph of the driver's that does all of it at once, if the device has such a thing.
    recorded: Option<Box<dyn Recorded>>,
    records: Arc<Records>,
    /// The names of the kernels, each once.
    kernels: Vec<&'static str>,
}

impl Plan {
    fn new(gpu: &Gpu, recording: &mut Recording<'_>, known: Option<Box<dyn Recorded>>) -> Result<Plan> {
        let records = Arc::new(recording.records()?);
        let steps = std::mem::take(&mut recording.steps);
        let mut work = |queue: &dyn Queue| {
            // SAFETY: nothing is done before the graph is started.
            steps.iter().try_for_each(|step| unsafe { step.ask(queue) }.map(drop))
        };
        let recorded = match known {
            Some(mut known) => {
                known.replace(&mut work)?;
                Some(known)
            }
            None => gpu.backend().clone().recorded(&mut work)?,
        };
        let mut kernels = Vec::new();
        for step in &steps {
            match step {
                Step::Launch(recipe) if !kernels.contains(&recipe.kernel.name) => {
                    kernels.push(recipe.kernel.name)
                }
                Step::Launch(_)
                | Step::Copy { .. }
                | Step::Zero { .. }
                | Step::ToDevice { .. }
                | Step::ToHost { .. } => {}
            }
        }
        Ok(Plan { steps, recorded, records, kernels })
    }

    /// Queues all of it. Errors that are known by now are passed to `wrong`, launches that are over to `done`. Returns the number of the
    /// start, and true if it is over.
    ///
    /// # Safety
    /// Memory that it accesses lives until it is over, nobody writes what it reads, and nobody else uses what it writes.
    pub(crate) unsafe fn ask(
        &self,
        queue: &dyn Queue,
        mut wrong: impl FnMut(Error),
        mut done: impl FnMut(&Recipe, &Execution),
    ) -> Result<(u64, bool)> {
        let mut started = lock(&self.records.started);
        match &self.recorded {
            // SAFETY: by this function's condition.
            Some(recorded) => unsafe { recorded.replay(queue) }?,
            None => {
                let mut record = 0;
                for step in &self.steps {
                    // SAFETY: as above.
                    let execution = unsafe { step.ask(queue) }?;
                    let Step::Launch(recipe) = step else { continue };
                    execution.iter().for_each(|execution| done(recipe, execution));
                    let mut panicked = false;
                    if recipe.loaded.variant.has_panic_param {
                        let told = self.records.take(record)?;
                        panicked = told.is_some();
                        told.into_iter().for_each(&mut wrong);
                        record += 1;
                    }
                    // Others miss the thread that a panic ended: the panic is the cause.
                    let told = execution.and_then(|execution| execution.error(recipe.kernel.name));
                    told.filter(|_| !panicked).into_iter().for_each(&mut wrong);
                }
            }
        }
        *started += 1;
        Ok((*started, self.recorded.is_none() && !self.steps.is_empty()))
    }

    pub(crate) fn records(&self) -> &Arc<Records> {
        &self.records
    }

    /// The kernels in it, each once.
    pub(crate) fn kernels(&self) -> &[&'static str] {
        &self.kernels
    }

    /// Returns true if there are records to look at.
    pub(crate) fn can_panic(&self) -> bool {
        !self.records.of.is_empty()
    }
}

impl Step {
    /// Enters it in the accounts of its device; of launches `times` has the time of the next one, if it is known.
    fn count(&self, gpu: &Gpu, times: &mut impl Iterator<Item = LaunchTime>) {
        match *self {
            Step::Launch(ref recipe) => {
                let (kernel, blocks) = (recipe.kernel.name, recipe.config.blocks());
                let time = times.next().unwrap_or(LaunchTime::Unknown);
                gpu.ledger().launched_by_graph(kernel, blocks, gpu.attributes().sms, time);
            }
            Step::Copy { bytes, .. } => gpu.copied(CopyKind::OnDevice, bytes, CopiedBy::Graph),
            Step::Zero { bytes, .. } => gpu.copied(CopyKind::Zeros, bytes, CopiedBy::Graph),
            Step::ToDevice { bytes, .. } => gpu.copied(CopyKind::ToDevice, bytes, CopiedBy::Graph),
            Step::ToHost { bytes, .. } => gpu.copied(CopyKind::ToHost, bytes, CopiedBy::Graph),
        }
    }

    /// # Safety
    /// As for [`Plan::ask`].
    unsafe fn ask(&self, queue: &dyn Queue) -> Result<Option<Box<Execution>>> {
        // SAFETY: by this function's condition; the sizes were compared when it was recorded.
        unsafe {
            match self {
                Step::Launch(recipe) => {
                    let Recipe { loaded, config, params, .. } = &**recipe;
                    return loaded.function.launch(queue, config, params.as_params());
                }
                &Step::Copy { from, to, bytes } => queue.copy(to, from, bytes),
                &Step::Zero { to, bytes } => queue.zero(to, bytes),
                &Step::ToDevice { from, to, bytes } => {
                    queue.write(to, std::ptr::with_exposed_provenance(from), bytes)
                }
                &Step::ToHost { from, to, bytes } => {
                    queue.read(from, std::ptr::with_exposed_provenance_mut(to), bytes)
                }
            }?;
        }
        Ok(None)
    }
}

/// Launches and copies that are done again and again: see the [module](self). [`Gpu::graph`] makes one.
///
/// It borrows its buffers. Dropping it waits for it.
#[doc(alias("cudaGraph_t", "cudaGraphExec_t"))]
pub struct Graph<'a> {
    /// Runs of it: one at a time.
    own: Uses,
    plan: Plan,
    uses: Vec<(&'a Uses, Access)>,
    gpu: Gpu,
    _one_thread: OneThread,
}

impl Gpu {
    /// Records launches and copies, to be done again and again: see [`graph`](crate::graph). `record` is called once, and nothing is done yet.
    ///
    /// # Errors
    ///
    /// The error of `record`; the device's error if it refuses the steps.
    #[doc(alias("cudaGraphInstantiate", "cudaStreamBeginCapture"))]
    pub fn graph<'a>(&self, record: impl FnOnce(&mut Recording<'a>) -> Result<()>) -> Result<Graph<'a>> {
        let mut recording = Recording::by(self, record)?;
        let plan = Plan::new(self, &mut recording, None)?;
        self.ledger().graph_recorded();
        let (own, uses) = (Uses::default(), recording.uses);
        Ok(Graph { own, plan, uses, gpu: self.clone(), _one_thread: OneThread::new() })
    }
}

impl<'a> Graph<'a> {
    /// Its device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The number of its launches and copies.
    pub fn len(&self) -> usize {
        self.plan.steps.len()
    }

    /// Returns true if it does nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Asks a stream for all of it. What a thread that panics leaves, and what the device stops a kernel for, the next synchronisation returns, of
    /// several launches that of the first.
    ///
    /// A graph runs once at a time: what it was started for before comes first.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`]; what the device says when it refuses the graph.
    #[doc(alias = "cudaGraphLaunch")]
    pub fn start(&self, stream: &Stream) -> Result<()> {
        if *stream.gpu() != self.gpu {
            let (expected, found) = (self.gpu.to_string(), stream.gpu().name_beside(&self.gpu));
            return Err(Error::OtherDevice { what: "stream", expected, found });
        }
        self.order(stream.inner())?;
        // SAFETY: ordered by the line above.
        unsafe { self.ask(stream.inner()) }
    }

    /// Does all of it and waits for its end. Returns the time it took: on a GPU between two events, in the simulator by the host's clock.
    ///
    /// # Errors
    ///
    /// As [`start`](Graph::start), and what went wrong in it.
    pub fn run(&self) -> Result<Duration> {
        // SAFETY: ordered before.
        self.gpu.lane()?.time(|stream| self.order(stream), |stream| unsafe { self.ask(stream) })
    }

    /// The graph itself and its buffers.
    fn uses(&self) -> impl Iterator<Item = (&Uses, Access)> {
        self.uses.iter().copied().chain([(&self.own, Access::Write)])
    }

    /// Makes a stream wait for what must not go on at the same time.
    fn order(&self, stream: &Arc<Inner>) -> Result<()> {
        self.uses().try_for_each(|(uses, access)| uses.order(access, stream))
    }

    /// # Safety
    /// The stream has been [ordered](Graph::order), and nothing was asked for since.
    unsafe fn ask(&self, stream: &Arc<Inner>) -> Result<()> {
        let is_counted = self.gpu.ledger().is_open();
        // On a GPU between two moments, as for a launch; on the simulator each launch by itself.
        let is_timed = is_counted && !self.gpu.is_simulator();
        let start = is_timed.then(|| placed(stream)).flatten();
        let mut times = Vec::new();
        let done = |recipe: &Recipe, execution: &Execution| {
            if is_counted {
                let Recipe { kernel, loaded, config, .. } = recipe;
                let profile = Profile::of(execution, loaded, config, &self.gpu, kernel.name);
                times.push(LaunchTime::of(&self.gpu, profile.as_ref(), execution.time));
            }
        };
        // SAFETY: a kernel of the program accesses what its arguments say and no more. What is going on with the buffers is waited for, and what
        // comes later waits for this: it is entered while they are borrowed, and no other use meanwhile, for all handles are on this thread (see
        // `OneThread`), and no code of the program runs here.
        let ticket = unsafe { stream.replay(&self.plan, done) }?;
        self.uses().for_each(|(uses, access)| uses.enter(access, stream, ticket));
        if is_counted {
            self.gpu.ledger().graph_replayed();
            if is_timed {
                let moments = start.and_then(|start| Some([start, placed(stream)?]));
                let between = |moments| LaunchTime::Between(Arc::new(moments));
                self.gpu.ledger().graph_started(moments.map_or(LaunchTime::Unknown, between));
            }
            let mut times = times.into_iter();
            self.plan.steps.iter().for_each(|step| step.count(&self.gpu, &mut times));
        }
        Ok(())
    }

    /// Records something else in its place. The same launches with other arguments take least time: where the device can, it changes what it has.
    ///
    /// Starts before the update are done as they were recorded then.
    ///
    /// # Errors
    ///
    /// As [`Gpu::graph`]; the graph is then as it was, except where the device refuses what was recorded: then it is empty.
    #[doc(alias = "cudaGraphExecUpdate")]
    pub fn update(&mut self, record: impl FnOnce(&mut Recording<'a>) -> Result<()>) -> Result<()> {
        let mut recording = Recording::by(&self.gpu, record)?;
        // Its kernels and its graph of the driver's are about to go. Where the wait fails that harms nothing: devices keep the one, the driver
        // keeps what still runs of the other, and streams keep the memory for panics of what they may still run.
        let _ = self.own.settle();
        let known = self.plan.recorded.take();
        self.plan.steps.clear();
        self.plan = Plan::new(&self.gpu, &mut recording, known)?;
        self.uses = recording.uses;
        Ok(())
    }
}

impl Drop for Graph<'_> {
    fn drop(&mut self) {
        // A failure frees nothing that is in use: see `update`.
        let _ = self.own.settle();
    }
}

impl fmt::Debug for Graph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} steps on {})", self.len(), self.gpu)
    }
}
