//! Uses of memory by streams while the host does other things: they are waited for before it is used again.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::inner::{Inner, Ticket};
use crate::error::Result;
use crate::gpu::lock;

/// So many streams that read are remembered before those that have ended are looked for.
const MANY: usize = 16;

/// Kind of a use of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read: beside others that read.
    Read,
    /// Written, or both: by nobody else.
    Write,
}

/// Keeps a type on the thread that made it: it is neither `Send` nor `Sync`.
///
/// Handles that [`lend`](crate::DeviceBuffer::lend) a buffer are copies of one `&mut`, so that the borrow checker keeps none of their uses
/// apart. What keeps them apart is that one thread does one thing at a time: between [`Uses::order`], which looks for what a use has
/// to come after, and [`Uses::enter`], which makes it known, no user code runs, and so no other use of the buffer begins. Everything
/// that holds such a handle, or could, has this marker: `Lent`, `LentPinned`, `Recording`, `Graph`, and by their
/// [`Borrowed`](crate::launch::Borrowed) buffers `Launch` and `PtxLaunch`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OneThread(PhantomData<*const ()>);

impl OneThread {
    pub(crate) const fn new() -> OneThread {
        OneThread(PhantomData)
    }
}

/// The uses entered so far, of all memory in the process: a clock. It is raised while the uses of the memory are locked.
static ENTERED: AtomicU64 = AtomicU64::new(0);

/// A moment on the clock of uses: those entered until then have happened before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark(u64);

impl Mark {
    /// To be taken before [`Uses::order`]: what that does not find is entered later.
    pub(crate) fn now() -> Mark {
        // A use that `order` misses was entered with the lock taken after it, and so raises the clock beyond this.
        Mark(ENTERED.load(Ordering::Relaxed))
    }

    fn next() -> Mark {
        Mark(ENTERED.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Uses of a piece of memory that streams may still have under way.
///
/// Invariant: a use that may be going on is here. It is entered before the borrow of the memory ends that allowed it, and leaves when its
/// stream is known to have done it ([`Inner::is_done`]), or when a later use has come after it. So whoever borrows
/// the memory exclusively finds here every use that can still be going on, and whoever borrows it shared finds every write. A wait that
/// fails proves nothing, and forgets nothing.
///
/// No stream is dropped, and nothing of the user's called, while this is locked: the last handle on a stream waits for it when it goes, and
/// hands on what was printed.
#[derive(Default)]
pub(crate) struct Uses {
    going_on: Mutex<GoingOn>,
}

#[derive(Default)]
struct GoingOn {
    write: Option<Use>,
    /// After the write, and not waited for by one: at most one of each stream.
    reads: Vec<Use>,
}

struct Use {
    stream: Arc<Inner>,
    ticket: Ticket,
    entered: Mark,
}

impl Use {
    fn is_done(&self) -> bool {
        self.stream.is_done(self.ticket)
    }
}

/// Uses that have left: to be dropped when the lock is gone.
#[derive(Default)]
struct Left {
    write: Option<Use>,
    reads: Vec<Use>,
}

impl GoingOn {
    /// The uses that an access must not overlap with.
    fn conflicts(&self, access: Access) -> impl Iterator<Item = &Use> {
        let reads = match access {
            Access::Read => &[],
            Access::Write => &self.reads[..],
        };
        self.write.iter().chain(reads)
    }

    /// Takes out what conflicts with an access and is over.
    fn take(&mut self, access: Access, is_over: impl Fn(&Use) -> bool) -> Left {
        let write = self.write.take_if(|write| is_over(write));
        let reads = match access {
            Access::Read => Vec::new(),
            // Nearly always all of them, with their memory: nothing is allocated.
            Access::Write if self.reads.iter().all(&is_over) => std::mem::take(&mut self.reads),
            Access::Write => self.reads.extract_if(.., |read| is_over(read)).collect(),
        };
        Left { write, reads }
    }
}

impl Uses {
    /// Makes a stream wait for what an access must not be at the same time with. What its own work comes after needs no waiting.
    pub(crate) fn order(&self, access: Access, stream: &Arc<Inner>) -> Result<()> {
        let going_on = lock(&self.going_on);
        let elsewhere = |known: &&Use| !known.is_done() && !Arc::ptr_eq(&known.stream, stream);
        for known in going_on.conflicts(access).filter(elsewhere) {
            stream.queue().wait_for(known.stream.queue())?;
        }
        Ok(())
    }

    /// Enters a use that was asked for after [`order`](Uses::order).
    pub(crate) fn enter(&self, access: Access, stream: &Arc<Inner>, ticket: Ticket) {
        match access {
            Access::Read => self.enter_read(stream, ticket),
            Access::Write => self.enter_write(stream, ticket),
        }
    }

    fn enter_read(&self, stream: &Arc<Inner>, ticket: Ticket) {
        let mut going_on = lock(&self.going_on);
        let entered = Mark::next();
        if let Some(read) = going_on.reads.iter_mut().find(|read| Arc::ptr_eq(&read.stream, stream)) {
            (read.ticket, read.entered) = (read.ticket.max(ticket), entered);
            return;
        }
        // Nobody may ever write or wait, and reads that are over keep their streams. To look for what nobody knows to be over asks the
        // device.
        if going_on.reads.len() >= MANY {
            going_on.reads.iter().for_each(|read| read.stream.look());
        }
        let mut over = going_on.reads.extract_if(.., |read| read.is_done() && !read.stream.has_error());
        // Nearly always one at most: nothing is allocated then.
        let left = (over.next(), over.collect::<Vec<Use>>());
        going_on.reads.push(Use { stream: stream.clone(), ticket, entered });
        drop(going_on);
        drop(left);
    }

    fn enter_write(&self, stream: &Arc<Inner>, ticket: Ticket) {
        let mut going_on = lock(&self.going_on);
        let entered = Mark::next();
        let reads = std::mem::take(&mut going_on.reads);
        let write = match &mut going_on.write {
            Some(write) if Arc::ptr_eq(&write.stream, stream) => {
                (write.ticket, write.entered) = (ticket, entered);
                None
            }
            write => write.replace(Use { stream: stream.clone(), ticket, entered }),
        };
        drop(going_on);
        drop(write);
        self.drop_all(reads);
    }

    /// Drops reads that have left, and keeps their memory for those to come. Called without the lock.
    fn drop_all(&self, mut reads: Vec<Use>) {
        if reads.capacity() == 0 {
            return;
        }
        reads.clear();
        let mut going_on = lock(&self.going_on);
        if going_on.reads.capacity() < reads.capacity() {
            reads.append(&mut going_on.reads);
            std::mem::swap(&mut going_on.reads, &mut reads);
        }
    }

    /// Forgets what a use came after that is over now, and was [ordered](Uses::order) after `before` was taken. What was entered since is
    /// another use's.
    pub(crate) fn ended(&self, access: Access, before: Mark) {
        let left = lock(&self.going_on).take(access, |known| known.entered <= before);
        drop(left.write);
        self.drop_all(left.reads);
    }

    /// Waits until the host may do such an access, and reports the errors of the streams that were waited for.
    ///
    /// # Errors
    /// The first of those errors; all is waited for nevertheless. Where a wait itself fails, the uses stay, and the host may not go on.
    pub(crate) fn wait(&self, access: Access) -> Result<()> {
        let mut first = Ok(());
        let mut streams: Vec<Arc<Inner>> =
            lock(&self.going_on).conflicts(access).map(|known| known.stream.clone()).collect();
        loop {
            // Not locked: others may read meanwhile, and what is done with printed texts may begin another use.
            for stream in streams {
                first = first.and(stream.finish());
            }
            let mut going_on = lock(&self.going_on);
            let left = going_on.take(access, Use::is_done);
            streams = going_on.conflicts(access).map(|known| known.stream.clone()).collect();
            drop(going_on);
            drop(left.write);
            self.drop_all(left.reads);
            // An error may be one of a wait that failed: then another would fail as well.
            if streams.is_empty() || first.is_err() {
                return first;
            }
        }
    }

    /// Waits until nobody uses the memory any more, and says whether that is so: where a wait fails, the memory has to stay for ever.
    /// Errors are left for the streams to report.
    #[must_use]
    pub(crate) fn settle(&mut self) -> bool {
        loop {
            let going_on = self.going_on.get_mut().unwrap_or_else(PoisonError::into_inner);
            drop(going_on.take(Access::Write, Use::is_done));
            let Some(known) = going_on.conflicts(Access::Write).next() else { return true };
            let (stream, ticket) = (known.stream.clone(), known.ticket);
            if stream.settle().is_err() && !stream.is_done(ticket) {
                return false;
            }
        }
    }
}

impl fmt::Debug for Uses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let going_on = lock(&self.going_on);
        f.debug_struct("Uses")
            .field("written", &going_on.write.is_some())
            .field("read_by", &going_on.reads.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicUsize};
    use std::thread;

    use super::*;
    use crate::backend::{Moment, Queue, Side};
    use crate::error::CudaError;
    use crate::{Arch, Gpu};

    /// A queue that does what it was asked for when somebody waits.
    #[derive(Default)]
    struct Lazy {
        /// Waits fail.
        fails: AtomicBool,
        waited: AtomicUsize,
        /// Called by a wait, once.
        on_wait: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    }

    #[derive(Clone)]
    struct Handle(Arc<Lazy>);

    impl fmt::Debug for Handle {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Handle")
        }
    }

    const FAILED: CudaError = CudaError::NoDevice { reason: None };

    impl Queue for Handle {
        fn raw(&self) -> *mut c_void {
            ptr::null_mut()
        }
        fn check(&self) -> Result<(), CudaError> {
            Ok(())
        }
        fn synchronize(&self) -> Result<(), CudaError> {
            if self.0.fails.load(Ordering::Relaxed) {
                return Err(FAILED);
            }
            self.0.waited.fetch_add(1, Ordering::Relaxed);
            let call = lock(&self.0.on_wait).take();
            call.into_iter().for_each(|call| call());
            Ok(())
        }
        fn is_idle(&self) -> Result<bool, CudaError> {
            Ok(false)
        }
        fn wait_for(&self, _: &dyn Queue) -> Result<(), CudaError> {
            Ok(())
        }
        fn with_end(&self, _: &mut dyn FnMut(*mut c_void) -> Result<(), CudaError>) -> Result<(), CudaError> {
            Ok(())
        }
        fn moment(&self) -> Result<Box<dyn Moment>, CudaError> {
            Err(FAILED)
        }
        fn place(&self, _: &dyn Moment) -> Result<(), CudaError> {
            Err(FAILED)
        }
        fn wait_for_moment(&self, _: &dyn Moment) -> Result<(), CudaError> {
            Err(FAILED)
        }
        unsafe fn zero(&self, _: u64, _: usize) -> Result<()> {
            Ok(())
        }
        unsafe fn write(&self, _: u64, _: *const u8, _: usize) -> Result<()> {
            Ok(())
        }
        unsafe fn read(&self, _: u64, _: *mut u8, _: usize) -> Result<()> {
            Ok(())
        }
        unsafe fn copy(&self, _: u64, _: u64, _: usize) -> Result<()> {
            Ok(())
        }
        unsafe fn copy_across(&self, _: Side<'_>, _: Side<'_>) -> Result<()> {
            Ok(())
        }
    }

    fn stream() -> (Arc<Inner>, Handle) {
        let (gpu, queue) = (Gpu::simulator(Arch::Sm90), Handle(Arc::default()));
        (Arc::new(Inner::over(gpu.backend(), Box::new(queue.clone()), 1, gpu.printing())), queue)
    }

    /// Asks for something that uses the memory.
    fn begin(uses: &Uses, access: Access, stream: &Arc<Inner>) {
        uses.order(access, stream).unwrap();
        uses.enter(access, stream, stream.ask(|_| Ok(())).unwrap());
    }

    fn known(uses: &Uses) -> (bool, usize) {
        let going_on = lock(&uses.going_on);
        (going_on.write.is_some(), going_on.reads.len())
    }

    #[test]
    fn a_wait_that_fails_forgets_nothing() {
        let (mut uses, [(one, queue), (other, _)]) = (Uses::default(), [stream(), stream()]);
        begin(&uses, Access::Write, &one);
        begin(&uses, Access::Read, &other);
        queue.0.fails.store(true, Ordering::Relaxed);
        for _ in 0..2 {
            assert!(uses.wait(Access::Write).is_err());
            assert_eq!(known(&uses), (true, 0), "the other was waited for");
        }
        assert!(!uses.settle());
        assert_eq!(known(&uses), (true, 0));
        queue.0.fails.store(false, Ordering::Relaxed);
        assert!(uses.settle());
        assert_eq!(known(&uses), (false, 0));
    }

    #[test]
    fn the_end_of_a_use_forgets_what_it_came_after_only() {
        let (uses, [(one, _), (other, _), (third, _)]) = (Uses::default(), [stream(), stream(), stream()]);
        begin(&uses, Access::Write, &one);
        begin(&uses, Access::Read, &other);
        let before = Mark::now();
        begin(&uses, Access::Read, &third);
        uses.ended(Access::Write, before);
        assert_eq!(known(&uses), (false, 1));
        let before = Mark::now();
        // Entered anew, though it was there.
        begin(&uses, Access::Read, &third);
        uses.ended(Access::Write, before);
        assert_eq!(known(&uses), (false, 1));
        uses.ended(Access::Read, Mark::now());
        assert_eq!(known(&uses), (false, 1), "reads do not come after reads");
        uses.ended(Access::Write, Mark::now());
        assert_eq!(known(&uses), (false, 0));
    }

    /// Handing on printed texts while the host waits may begin another use.
    #[test]
    fn what_begins_during_a_wait_is_waited_for() {
        let (uses, [(one, first), (other, second)]) = (Arc::new(Uses::default()), [stream(), stream()]);
        begin(&uses, Access::Write, &one);
        let begins = uses.clone();
        *lock(&first.0.on_wait) = Some(Box::new(move || begin(&begins, Access::Write, &other)));
        uses.wait(Access::Read).unwrap();
        assert_eq!((known(&uses), second.0.waited.load(Ordering::Relaxed)), ((false, 0), 1));
    }

    /// Streams are dropped, and with them the user's code called, while nothing is locked.
    #[test]
    fn the_last_handle_on_a_stream_goes_without_the_lock() {
        let uses = Arc::new(Uses::default());
        for access in [Access::Read, Access::Write] {
            for leaves in [
                (|uses| begin(uses, Access::Write, &stream().0)) as fn(&Uses),
                |uses| uses.ended(Access::Write, Mark::now()),
                |uses| uses.wait(Access::Write).unwrap(),
            ] {
                let (last, queue) = stream();
                begin(&uses, access, &last);
                drop(last);
                let (looks, has_looked) = (uses.clone(), Arc::new(AtomicBool::new(false)));
                let told = has_looked.clone();
                *lock(&queue.0.on_wait) = Some(Box::new(move || {
                    known(&looks);
                    told.store(true, Ordering::Relaxed);
                }));
                leaves(&uses);
                assert!(has_looked.load(Ordering::Relaxed));
            }
        }
    }

    #[test]
    fn threads_share_memory_that_is_read() {
        let mut uses = Uses::default();
        begin(&uses, Access::Write, &stream().0);
        let queues: Vec<Handle> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|number| {
                    let uses = &uses;
                    scope.spawn(move || {
                        let (own, queue) = stream();
                        for round in 0..100 {
                            let before = Mark::now();
                            begin(uses, Access::Read, &own);
                            match (round + number) % 3 {
                                0 => uses.wait(Access::Read).unwrap(),
                                1 => uses.ended(Access::Read, before),
                                _ => own.finish().unwrap(),
                            }
                        }
                        begin(uses, Access::Read, &own);
                        queue
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        // Each thread's last read is there, and has to be waited for.
        assert_eq!(known(&uses), (false, 4));
        let waited = || queues.iter().map(|queue| queue.0.waited.load(Ordering::Relaxed)).collect::<Vec<_>>();
        let before = waited();
        assert!(uses.settle());
        assert!(waited().iter().zip(before).all(|(after, before)| *after == before + 1));
    }
}
