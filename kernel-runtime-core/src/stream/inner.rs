//! A queue and what it leaves: which launches are under way, who panicked, what came to grief.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, ptr};

use kernel_abi::panic::PanicRecord;

use super::ready::Ready;
use crate::backend::{Backend, Execution, Mailbox, Queue};
use crate::error::{CudaError, Error, Result};
use crate::gpu::lock;
use crate::graph::{Plan, Recipe, Records};
use crate::kernel::{KernelData, Variant};
use crate::launch::{Hidden, panicked};
use crate::printed::{LaunchPrints, PrintBuffer, Printing, Prints};

/// Distinct kernels that an error of the device names.
const MOST_NAMES: usize = 8;

/// Number of a piece of work on a queue, from one. Zero is before all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// A queue of a device, and what it leaves. When it is dropped, it waits for its work.
#[derive(Debug)]
pub(crate) struct Inner {
    backend: Arc<dyn Backend>,
    /// Launches that can be under way, each with a panic record of its own.
    records: usize,
    /// The last ticket that was given out. Only raised after the work was asked for.
    asked: AtomicU64,
    /// All up to this ticket is known to be done.
    done: AtomicU64,
    state: Mutex<State>,
    /// Destination of the texts that kernels print.
    printing: Arc<Printing>,
    /// It stands for work of somebody else's, which nobody has to wait for when this is dropped.
    is_foreign: bool,
    /// After the state: its mailbox is dropped first, but [`drop`](Inner::drop) waits before that.
    queue: Box<dyn Queue>,
}

#[derive(Debug, Default)]
struct State {
    /// The memory that panicking threads write to, once there is a kernel that can.
    mailbox: Option<Box<dyn Mailbox>>,
    /// Launches that can panic and may be under way, in order. One of every `records` in a row has each record.
    under_way: VecDeque<UnderWay>,
    /// The record of the next launch.
    next: usize,
    /// Graphs that can panic and may be under way, each once.
    graphs: Vec<GraphUnderWay>,
    /// The memory that printing threads write to, once there is a kernel that prints.
    print_buffer: Option<PrintBuffer>,
    /// The launch that may be writing there: one at a time.
    printer: Option<Printer>,
    /// Texts that were printed and not handed on yet.
    prints: Vec<LaunchPrints>,
    /// The first error that was not reported yet.
    error: Option<Error>,
    /// Kernels launched since the device was last waited for: some of them.
    kernels: Vec<&'static str>,
}

impl State {
    /// Notes the name of a kernel that is launched.
    #[inline]
    fn note(&mut self, name: &'static str) {
        // By address first: it is the same kernel nearly always.
        let is_known = self.kernels.iter().any(|&known| ptr::eq(known, name) || known == name);
        if self.kernels.len() < MOST_NAMES && !is_known {
            self.kernels.push(name);
        }
    }
}

#[derive(Debug)]
struct UnderWay {
    ticket: Ticket,
    record: usize,
    kernel: &'static KernelData,
    variant: &'static Variant,
}

/// A graph that may be under way.
#[derive(Debug)]
struct GraphUnderWay {
    /// The last time that it was asked for here, and which of all times that was.
    ticket: Ticket,
    number: u64,
    records: Arc<Records>,
}

/// A launch that prints and may be under way.
#[derive(Debug)]
struct Printer {
    ticket: Ticket,
    kernel: &'static KernelData,
    variant: &'static Variant,
    /// Set if the launch is only timed, and nobody wants to see its texts.
    is_trial: bool,
}

impl Inner {
    pub(crate) fn new(backend: &Arc<dyn Backend>, records: usize, printing: &Arc<Printing>) -> Result<Inner> {
        Ok(Inner::over(backend, backend.clone().queue()?, records, printing))
    }

    /// Like [`new`](Self::new), over an existing queue.
    pub(crate) fn over(
        backend: &Arc<dyn Backend>,
        queue: Box<dyn Queue>,
        records: usize,
        printing: &Arc<Printing>,
    ) -> Inner {
        Inner {
            backend: backend.clone(),
            records,
            asked: AtomicU64::new(0),
            done: AtomicU64::new(0),
            state: Mutex::default(),
            printing: printing.clone(),
            is_foreign: false,
            queue,
        }
    }

    /// A queue that is asked for nothing: others wait for it, or it for them.
    #[cfg(feature = "cudarc")]
    pub(crate) fn foreign(
        backend: &Arc<dyn Backend>,
        queue: Box<dyn Queue>,
        printing: &Arc<Printing>,
    ) -> Arc<Inner> {
        let mut inner = Inner::over(backend, queue, 0, printing);
        inner.is_foreign = true;
        Arc::new(inner)
    }

    pub(crate) fn queue(&self) -> &dyn Queue {
        &*self.queue
    }

    /// Asks for something, with a ticket for it.
    pub(crate) fn ask(&self, work: impl FnOnce(&dyn Queue) -> Result<()>) -> Result<Ticket> {
        let _in_order = lock(&self.state);
        work(&*self.queue)?;
        Ok(self.next_ticket())
    }

    /// Called with the state locked, after the work was asked for.
    fn next_ticket(&self) -> Ticket {
        // Nobody else raises it meanwhile: the state is locked.
        let ticket = self.asked.load(Ordering::Relaxed) + 1;
        self.asked.store(ticket, Ordering::Release);
        Ticket(ticket)
    }

    /// Asks for a launch. What it does wrong is kept for [`finish`](Inner::finish), also where the queue has done it by now.
    ///
    /// # Safety
    /// As for [`Function::launch`](crate::backend::Function::launch).
    pub(crate) unsafe fn launch(&self, ready: &Ready<'_>) -> Result<(Ticket, Option<Box<Execution>>)> {
        let mut state = lock(&self.state);
        let can_panic = ready.kernel.filter(|_| ready.loaded.variant.has_panic_param);
        let prints = ready.kernel.filter(|_| ready.loaded.variant.has_print_param);
        let (mut record, mut hidden) = (None, Hidden::default());
        if prints.is_some() {
            hidden.print = Some(self.print_buffer(&mut state)?.address());
        }
        if can_panic.is_some() {
            if state.under_way.len() >= self.records {
                self.wait(&mut state)?;
            }
            let address = self.mailbox(&mut state)?.address();
            record = Some(state.next);
            hidden.panic = Some(address + (state.next * PanicRecord::BYTES) as u64);
        }
        let takes_hidden = prints.or(can_panic).is_some();
        let with_hidden = takes_hidden.then(|| ready.params.with_hidden(hidden));
        state.note(ready.name);
        let params = with_hidden.as_ref().unwrap_or(ready.params);
        // SAFETY: by this function's condition; the panic record and the print buffer stay until this is dropped, which waits.
        let execution =
            unsafe { ready.loaded.function.launch(&*self.queue, ready.config, params.as_params()) }?;
        let ticket = self.next_ticket();
        if let (Some(kernel), Some(record)) = (can_panic, record) {
            state.next = (state.next + 1) % self.records;
            let variant = ready.loaded.variant;
            state.under_way.push_back(UnderWay { ticket, record, kernel, variant });
        }
        if let Some(kernel) = prints {
            let (variant, is_trial) = (ready.loaded.variant, ready.is_trial);
            state.printer = Some(Printer { ticket, kernel, variant, is_trial });
        }
        if let Some(execution) = &execution {
            self.done.fetch_max(ticket.0, Ordering::AcqRel);
            // The others miss the thread that a panic ended, in a shuffle say: the panic is the cause, and comes first.
            let panicked = self.collect(&mut state)?;
            if let Some(error) = execution.error(ready.name).filter(|_| !panicked) {
                state.error.get_or_insert(error);
            }
        }
        Ok((ticket, execution))
    }

    /// Asks for all that a graph does. What it does wrong is kept for [`finish`](Inner::finish).
    ///
    /// # Safety
    /// As for [`Plan::ask`].
    pub(crate) unsafe fn replay(&self, plan: &Plan, done: impl FnMut(&Recipe, &Execution)) -> Result<Ticket> {
        let mut state = lock(&self.state);
        for name in plan.kernels() {
            state.note(name);
        }
        let mut first = None;
        // SAFETY: by this function's condition; the records stay until this has looked at them.
        let (number, is_done) = unsafe {
            let wrong = |error| {
                first.get_or_insert(error);
            };
            plan.ask(&*self.queue, wrong, done)
        }?;
        let ticket = self.next_ticket();
        if is_done {
            self.done.fetch_max(ticket.0, Ordering::AcqRel);
            if let Some(error) = first {
                state.error.get_or_insert(error);
            }
        } else if plan.can_panic() {
            match state.graphs.iter_mut().find(|known| Arc::ptr_eq(&known.records, plan.records())) {
                Some(known) => (known.ticket, known.number) = (ticket, number),
                None => {
                    let records = plan.records().clone();
                    state.graphs.push(GraphUnderWay { ticket, number, records });
                }
            }
        }
        Ok(ticket)
    }

    fn mailbox<'s>(&self, state: &'s mut State) -> Result<&'s dyn Mailbox> {
        let mailbox = match state.mailbox.take() {
            Some(mailbox) => mailbox,
            None => {
                state.under_way.reserve(self.records);
                self.backend.clone().mailbox(self.records * PanicRecord::BYTES)?
            }
        };
        Ok(&**state.mailbox.insert(mailbox))
    }

    /// The print buffer, which no launch writes to: those that print wait for each other.
    fn print_buffer<'s>(&self, state: &'s mut State) -> Result<&'s PrintBuffer> {
        if state.printer.is_some() {
            self.wait(state)?;
        }
        let bytes = self.printing.bytes();
        let buffer = match state.print_buffer.take().filter(|buffer| buffer.holds(bytes)) {
            Some(buffer) => buffer,
            None => {
                PrintBuffer::new(bytes, |bytes| self.backend.clone().mailbox(bytes)).map_err(|error| {
                    let (device, reason) = (self.backend.attributes().name.clone(), Box::new(error));
                    Error::PrintBuffer { device, requested: bytes, reason }
                })?
            }
        };
        Ok(state.print_buffer.insert(buffer))
    }

    /// Returns true if a ticket's work is known to be done.
    pub(crate) fn is_done(&self, ticket: Ticket) -> bool {
        self.done.load(Ordering::Acquire) >= ticket.0
    }

    /// Notes what is done by now, without waiting. Nothing of the user's is called: what was printed is handed on later.
    pub(crate) fn look(&self) {
        let asked = self.asked.load(Ordering::Acquire);
        if self.is_done(Ticket(asked)) || !self.queue.is_idle().unwrap_or(false) {
            return;
        }
        let mut state = lock(&self.state);
        self.done.fetch_max(asked, Ordering::AcqRel);
        if let Err(error) = self.collect(&mut state) {
            state.error.get_or_insert(error);
        }
    }

    /// Waits for all that was asked for so far, and hands on what was printed. What went wrong is kept.
    pub(crate) fn settle(&self) -> Result<(), CudaError> {
        self.settle_and(|_| ()).0
    }

    /// Like [`settle`](Self::settle); returns the texts that were printed, too, and the part of the state that `take` takes.
    #[inline]
    fn settle_and<T>(&self, take: impl FnOnce(&mut State) -> T) -> (Result<(), CudaError>, Prints, T) {
        let asked = self.asked.load(Ordering::Acquire);
        // Not locked: others may ask for more meanwhile.
        let waited = if self.is_done(Ticket(asked)) { Ok(()) } else { self.queue.synchronize() };
        let mut state = lock(&self.state);
        if waited.is_ok() {
            self.done.fetch_max(asked, Ordering::AcqRel);
            if self.asked.load(Ordering::Acquire) == asked {
                state.kernels.clear();
            }
        }
        if let Err(error) = self.collect(&mut state) {
            state.error.get_or_insert(error);
        }
        if waited.is_err()
            && let Some(error) = self.claimed(&state)
        {
            state.error.get_or_insert(error);
        }
        let (prints, taken) = (mem::take(&mut state.prints), take(&mut state));
        // Handing the texts on runs the user's code, which may need the stream.
        drop(state);
        self.printing.deliver(&prints);
        (waited, Prints::of_all(prints), taken)
    }

    /// Waits for all work that was queued so far, and returns the first error that was not reported yet.
    pub(crate) fn finish(&self) -> Result<()> {
        self.finish_with_prints().map(|_| ())
    }

    /// Like [`finish`](Self::finish); returns the texts that were printed if there was no error.
    pub(crate) fn finish_with_prints(&self) -> Result<Prints> {
        match self.settle_and(|state| state.error.take()) {
            (_, _, Some(error)) => Err(error),
            (Ok(()), prints, None) => Ok(prints),
            (Err(reason), _, None) => {
                let kernels = mem::take(&mut lock(&self.state).kernels);
                Err(Error::Stream { kernels, device: self.backend.attributes().name.clone(), reason })
            }
        }
    }

    /// Returns true if there is an error to report.
    pub(crate) fn has_error(&self) -> bool {
        lock(&self.state).error.is_some()
    }

    /// The first panic among launches that are not known to be done, once the wait for them has failed: a kernel that cannot go on without the
    /// thread that panicked ends by a trap.
    fn claimed(&self, state: &State) -> Option<Error> {
        let mailbox = state.mailbox.as_ref()?;
        state.under_way.iter().find_map(|launch| {
            let mut bytes = [0; PanicRecord::BYTES];
            mailbox.read(launch.record * PanicRecord::BYTES, &mut bytes).ok()?;
            PanicRecord::read(&bytes).map(|record| panicked(launch.kernel, launch.variant, &record))
        })
    }

    /// Waits for all work with the state locked: nobody queues more meanwhile.
    fn wait(&self, state: &mut State) -> Result<()> {
        self.queue.synchronize()?;
        self.done.fetch_max(self.asked.load(Ordering::Acquire), Ordering::AcqRel);
        self.collect(state)?;
        Ok(())
    }

    /// Reads the panic records of launches that are done, and the texts that they printed. Returns true if a record was claimed.
    fn collect(&self, state: &mut State) -> Result<bool> {
        if let (Some(buffer), Some(done)) =
            (&state.print_buffer, state.printer.take_if(|printer| self.is_done(printer.ticket)))
        {
            let prints = buffer.take(done.kernel, done.variant)?;
            if !done.is_trial {
                state.prints.extend(prints);
            }
        }
        // Of several errors the first is reported.
        let mut found: Option<(Ticket, Error)> = None;
        let mut tell = |ticket: Ticket, error: Error| {
            if found.as_ref().is_none_or(|&(first, _)| ticket < first) {
                found = Some((ticket, error));
            }
        };
        let mut failed = Ok(());
        state.graphs.retain(|graph| {
            let done = self.is_done(graph.ticket);
            if done {
                match graph.records.collect(graph.number) {
                    Ok(error) => error.into_iter().for_each(|error| tell(graph.ticket, error)),
                    Err(error) => failed = Err(error),
                }
            }
            !done
        });
        let claimed = self.collect_launches(state, &mut tell)?;
        if let Some((_, error)) = found {
            state.error.get_or_insert(error);
        }
        failed.map(|()| claimed)
    }

    /// Reads the panic records of launches outside of graphs. Returns true if a record was claimed.
    fn collect_launches(&self, state: &mut State, tell: &mut impl FnMut(Ticket, Error)) -> Result<bool> {
        let State { mailbox: Some(mailbox), under_way, .. } = state else { return Ok(false) };
        let mut claimed = false;
        while let Some(launch) = under_way.pop_front_if(|launch| self.is_done(launch.ticket)) {
            let at = launch.record * PanicRecord::BYTES;
            let mut first = [0; 4];
            mailbox.read(at + PanicRecord::CLAIMED, &mut first)?;
            if !PanicRecord::is_claimed(first) {
                continue;
            }
            let mut bytes = [0; PanicRecord::BYTES];
            mailbox.read(at, &mut bytes)?;
            if let Some(record) = PanicRecord::read(&bytes) {
                claimed = true;
                mailbox.clear(at, PanicRecord::BYTES)?;
                tell(launch.ticket, panicked(launch.kernel, launch.variant, &record));
            }
        }
        Ok(claimed)
    }
}

impl Drop for Inner {
    /// Waits: kernels write to the mailbox. An error that was not reported is printed, for it would be lost.
    fn drop(&mut self) {
        if self.is_foreign {
            return;
        }
        if let Err(error) = self.finish() {
            eprintln!("{error}\n  (told here because the stream was dropped without `synchronize`)");
        }
        let asked = Ticket(*self.asked.get_mut());
        if !self.is_done(asked) {
            // The wait has failed: kernels may still write there, so that the memory stays for ever.
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            mem::forget((state.mailbox.take(), state.print_buffer.take(), mem::take(&mut state.graphs)));
        }
    }
}
