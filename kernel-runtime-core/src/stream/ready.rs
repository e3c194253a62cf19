//! Launches that have been checked: run to their end, or left to a stream.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use super::Stream;
use super::inner::{Inner, Ticket};
use super::uses::Mark;
use crate::account::LaunchTime;
use crate::backend::{Execution, LaunchConfig, Moment};
use crate::error::{Error, Result};
use crate::gpu::{Gpu, LoadedKernel};
use crate::kernel::KernelData;
use crate::launch::{ArgBytes, Borrowed, LaunchReport};
use crate::printed::Prints;
use crate::profile::Profile;
use ptx_sim::LaunchStats;

/// A launch that has been checked.
pub(crate) struct Ready<'a> {
    /// The name in errors.
    pub(crate) name: &'static str,
    /// Of a kernel of the program, its data.
    pub(crate) kernel: Option<&'static KernelData>,
    pub(crate) loaded: &'a LoadedKernel,
    pub(crate) config: &'a LaunchConfig,
    /// Without hidden parameters.
    pub(crate) params: &'a ArgBytes,
    pub(crate) borrowed: &'a Borrowed<'a>,
    /// It runs to be timed: nobody wants to see what it prints.
    pub(crate) is_trial: bool,
}

/// Result of a launch that is over.
pub(crate) struct Timed {
    /// On a GPU between two events, in the simulator by the host's clock.
    pub(crate) time: Duration,
    /// Counts of the simulator.
    pub(crate) stats: Option<LaunchStats>,
    /// The simulator's profile, if it was asked for.
    pub(crate) profile: Option<Arc<Profile>>,
    /// Text that the kernel printed in the simulator by `vprintf`.
    pub(crate) printed: Option<String>,
    /// Findings of the sanitizer that are no faults.
    pub(crate) warnings: Vec<String>,
    /// Texts that it printed otherwise.
    pub(crate) prints: Prints,
}

impl Ready<'_> {
    /// Runs it to its end, on a stream that does nothing else meanwhile.
    ///
    /// # Safety
    /// The kernel accesses only buffers that are borrowed, and only as they are borrowed.
    pub(crate) unsafe fn run(&self, gpu: &Gpu) -> Result<Timed> {
        self.cancelled()?;
        let lane = gpu.lane()?;
        let before = Mark::now();
        self.borrowed.order(&lane.stream)?;
        let queue = lane.stream.queue();
        queue.place(&*lane.start)?;
        // SAFETY: by this function's condition; what was going on before is waited for. What comes after waits for this, or for its entry by
        // `Launched`, which is dropped while the buffers are still borrowed.
        let (ticket, execution) = unsafe { lane.stream.launch(self) }?;
        // From here on the kernel may run: also where the wait fails, or what is done with printed texts panics.
        let launched = Launched { borrowed: self.borrowed, stream: &lane.stream, ticket, before };
        let stopped = if execution.is_none() { queue.place(&*lane.stop) } else { Ok(()) };
        let finished = lane.stream.finish_with_prints();
        drop(launched);
        let prints = match finished {
            Ok(prints) => prints,
            Err(Error::Stream { device, reason, .. }) => {
                return Err(Error::Failed { kernel: self.name, device, reason });
            }
            Err(other) => return Err(other),
        };
        stopped?;
        let timed = match execution {
            Some(done) => {
                let profile = Profile::of(&done, self.loaded, self.config, gpu, self.name).map(Arc::new);
                let Execution { time, stats, printed, warnings, .. } = *done;
                Timed { time, stats, profile, printed: Some(printed), warnings, prints }
            }
            None => {
                if let Some(progress) = &self.config.progress {
                    progress.start(self.config.blocks());
                    progress.add(self.config.blocks());
                }
                Timed {
                    time: lane.stop.since(&*lane.start)?,
                    stats: None,
                    profile: None,
                    printed: None,
                    warnings: Vec::new(),
                    prints,
                }
            }
        };
        if gpu.ledger().is_open() {
            self.count(gpu, LaunchTime::of(gpu, timed.profile.as_deref(), timed.time));
            gpu.ledger().waited();
        }
        Ok(timed)
    }

    /// Enters the launch in the accounts of its device.
    fn count(&self, gpu: &Gpu, time: LaunchTime) {
        if !self.is_trial {
            gpu.ledger().launched(self.name, self.config.blocks(), gpu.attributes().sms, time);
        }
    }

    /// Asks a stream for it.
    ///
    /// # Safety
    /// As for [`run`](Ready::run).
    pub(crate) unsafe fn start(&self, stream: &Stream) -> Result<()> {
        self.cancelled()?;
        let (gpu, stream) = (stream.gpu(), stream.inner());
        self.borrowed.order(stream)?;
        let is_counted = gpu.ledger().is_open();
        // On a GPU between two moments; where there are none the launch goes on without.
        let start = is_counted.then(|| placed(stream)).flatten();
        // SAFETY: by this function's condition; what was going on before is waited for. What comes after waits for this: it is
        // entered while the buffers are still borrowed, and whoever frees them waits.
        let (ticket, execution) = unsafe { stream.launch(self) }?;
        self.borrowed.enter(stream, ticket);
        if is_counted {
            self.count(
                gpu,
                match (execution, start) {
                    (Some(done), _) => {
                        let profile = Profile::of(&done, self.loaded, self.config, gpu, self.name);
                        LaunchTime::of(gpu, profile.as_ref(), done.time)
                    }
                    (None, Some(start)) => placed(stream)
                        .map_or(LaunchTime::Unknown, |stop| LaunchTime::Between(Arc::new([start, stop]))),
                    (None, None) => LaunchTime::Unknown,
                },
            );
        }
        Ok(())
    }

    /// The error of a launch that somebody has ended before it started, if so.
    fn cancelled(&self) -> Result<()> {
        match &self.config.progress {
            Some(progress) if progress.is_cancelled() => {
                let (kernel, done, blocks) = (self.name, 0, self.config.blocks());
                Err(Error::Cancelled { kernel, done, blocks })
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// A new moment in the work of a stream, if there can be one.
pub(crate) fn placed(stream: &Inner) -> Option<Box<dyn Moment>> {
    let moment = stream.queue().moment().ok()?;
    stream.queue().place(&*moment).ok()?;
    Some(moment)
}

/// A launch that runs, or has run, whose buffers are still borrowed. When this is dropped, the launch is known to be over, or is entered as
/// a use of them like one that was left to a stream.
struct Launched<'a> {
    borrowed: &'a Borrowed<'a>,
    stream: &'a Arc<Inner>,
    ticket: Ticket,
    /// Taken before the buffers were ordered.
    before: Mark,
}

impl Drop for Launched<'_> {
    fn drop(&mut self) {
        match self.stream.is_done(self.ticket) {
            true => self.borrowed.ended(self.before),
            false => self.borrowed.enter(self.stream, self.ticket),
        }
    }
}

impl Timed {
    pub(crate) fn report(
        self,
        gpu: &Gpu,
        kernel: &'static str,
        loaded: &LoadedKernel,
        config: &LaunchConfig,
    ) -> LaunchReport {
        let Timed { time, stats, profile, printed, warnings, prints } = self;
        let LaunchConfig { grid, block, dynamic_shared, .. } = *config;
        let gpu = gpu.clone();
        let (checks, coarsening) = Default::default();
        let tuning = None;
        let estimated_max_threads = loaded.function.attributes().doubted_threads(block);
        LaunchReport {
            gpu,
            kernel,
            grid,
            block,
            dynamic_shared,
            time,
            stats,
            profile,
            printed,
            warnings,
            prints,
            checks,
            coarsening,
            tuning,
            estimated_max_threads,
        }
    }
}

/// A stream for launches that are waited for, one at a time, and what times them.
#[derive(Debug)]
pub(crate) struct Lane {
    stream: Arc<Inner>,
    start: Box<dyn Moment>,
    stop: Box<dyn Moment>,
}

impl Lane {
    pub(crate) fn new(stream: Inner) -> Result<Lane> {
        let (start, stop) = (stream.queue().moment()?, stream.queue().moment()?);
        Ok(Lane { stream: Arc::new(stream), start, stop })
    }

    /// Does work that `ask` queues, after what `order` makes it wait for, and returns the time that it took.
    pub(crate) fn time(
        &self,
        order: impl FnOnce(&Arc<Inner>) -> Result<()>,
        ask: impl FnOnce(&Arc<Inner>) -> Result<()>,
    ) -> Result<Duration> {
        order(&self.stream)?;
        let queue = self.stream.queue();
        queue.place(&*self.start)?;
        ask(&self.stream)?;
        let stopped = queue.place(&*self.stop);
        self.stream.finish()?;
        stopped?;
        Ok(self.stop.since(&*self.start)?)
    }
}

/// A lane that is in use. It goes back to its device afterwards.
pub(crate) struct LaneInUse<'gpu> {
    gpu: &'gpu Gpu,
    lane: ManuallyDrop<Lane>,
}

impl<'gpu> LaneInUse<'gpu> {
    pub(crate) fn new(gpu: &'gpu Gpu, lane: Lane) -> LaneInUse<'gpu> {
        LaneInUse { gpu, lane: ManuallyDrop::new(lane) }
    }
}

impl Deref for LaneInUse<'_> {
    type Target = Lane;

    fn deref(&self) -> &Lane {
        &self.lane
    }
}

impl Drop for LaneInUse<'_> {
    fn drop(&mut self) {
        // SAFETY: taken once; nobody sees it afterwards.
        let lane = unsafe { ManuallyDrop::take(&mut self.lane) };
        self.gpu.give_back(lane);
    }
}
