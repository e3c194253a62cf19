//! The bookkeeping of uses under threads of the host and queues that work at their own pace: nothing is read while it is written, and nothing
//! used after it is freed.
//!
//! `STRESS_SECONDS=600` says for how long, a second by default; `STRESS_SEED=7` begins elsewhere.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use super::inner::Inner;
use super::uses::{Access, Mark, Uses};
use crate::backend::{Moment, Queue, Side};
use crate::error::{CudaError, Result};
use crate::gpu::lock;
use crate::{Arch, Gpu};

/// A piece of work.
enum Work {
    /// Waits until another queue has done so much.
    After(Arc<Worker>, u64),
    /// Uses memory.
    Use(Arc<Place>, Access),
    /// Ends the thread.
    End,
}

/// A queue whose work a thread of its own does, some time.
#[derive(Default)]
struct Worker {
    work: Mutex<VecDeque<Work>>,
    has_work: Condvar,
    asked: AtomicU64,
    done: Mutex<u64>,
    is_done: Condvar,
}

impl Worker {
    fn push(&self, work: Work) {
        let mut all = lock(&self.work);
        all.push_back(work);
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.has_work.notify_one();
    }

    fn wait_until(&self, count: u64) {
        drop(self.is_done.wait_while(lock(&self.done), |done| *done < count).unwrap());
    }

    fn run(&self, pace: u32) {
        loop {
            let mut all = self.has_work.wait_while(lock(&self.work), |all| all.is_empty()).unwrap();
            let Some(work) = all.pop_front() else { continue };
            drop(all);
            match work {
                Work::After(other, count) => other.wait_until(count),
                Work::Use(place, access) => place.access(access, pace),
                Work::End => return,
            }
            *lock(&self.done) += 1;
            self.is_done.notify_all();
        }
    }
}

/// All queues; a queue's handle is its place here plus one.
static WORKERS: Mutex<Vec<Arc<Worker>>> = Mutex::new(Vec::new());

struct Handle(usize, Arc<Worker>);

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Handle({})", self.0)
    }
}

const LACKING: CudaError = CudaError::NoDevice { reason: None };

impl Queue for Handle {
    fn raw(&self) -> *mut c_void {
        ptr::without_provenance_mut(self.0 + 1)
    }
    fn check(&self) -> Result<(), CudaError> {
        Ok(())
    }
    fn synchronize(&self) -> Result<(), CudaError> {
        self.1.wait_until(self.1.asked.load(Ordering::SeqCst));
        Ok(())
    }
    fn is_idle(&self) -> Result<bool, CudaError> {
        Ok(*lock(&self.1.done) == self.1.asked.load(Ordering::SeqCst))
    }
    fn wait_for(&self, other: &dyn Queue) -> Result<(), CudaError> {
        let other = lock(&WORKERS)[other.raw().addr() - 1].clone();
        let asked = other.asked.load(Ordering::SeqCst);
        self.1.push(Work::After(other, asked));
        Ok(())
    }
    fn with_end(&self, _: &mut dyn FnMut(*mut c_void) -> Result<(), CudaError>) -> Result<(), CudaError> {
        Err(LACKING)
    }
    fn moment(&self) -> Result<Box<dyn Moment>, CudaError> {
        Err(LACKING)
    }
    fn place(&self, _: &dyn Moment) -> Result<(), CudaError> {
        Err(LACKING)
    }
    fn wait_for_moment(&self, _: &dyn Moment) -> Result<(), CudaError> {
        Err(LACKING)
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

/// Memory of the device: who uses it now.
#[derive(Default)]
struct Place {
    /// Readers, or a negative number of those who write it or have freed it.
    users: AtomicI64,
    conflicts: AtomicU64,
}

/// More than there are readers.
const WRITER: i64 = 1 << 32;

impl Place {
    fn access(&self, access: Access, pace: u32) {
        let by = if access == Access::Write { -WRITER } else { 1 };
        let before = self.users.fetch_add(by, Ordering::SeqCst);
        let conflicts = if access == Access::Write { before != 0 } else { before < 0 };
        self.conflicts.fetch_add(conflicts.into(), Ordering::SeqCst);
        for _ in 0..pace {
            thread::yield_now();
        }
        self.users.fetch_sub(by, Ordering::SeqCst);
    }

    fn free(&self) {
        self.access(Access::Write, 0);
        // For good.
        self.users.fetch_add(-WRITER, Ordering::SeqCst);
    }
}

/// A buffer: what the streams may still do with its memory.
#[derive(Default)]
struct Buffer {
    uses: Uses,
    place: Arc<Place>,
}

struct Stream {
    inner: Arc<Inner>,
    worker: Arc<Worker>,
}

impl Stream {
    fn new(gpu: &Gpu) -> Stream {
        let worker = Arc::<Worker>::default();
        let mut all = lock(&WORKERS);
        all.push(worker.clone());
        let queue = Box::new(Handle(all.len() - 1, worker.clone()));
        drop(all);
        Stream { inner: Arc::new(Inner::over(gpu.backend(), queue, 1, gpu.printing())), worker }
    }

    /// As `Ready::start`.
    fn begin(&self, buffer: &Buffer, access: Access) {
        buffer.uses.order(access, &self.inner).unwrap();
        let ticket = self.inner.ask(|_| {
            self.worker.push(Work::Use(buffer.place.clone(), access));
            Ok(())
        });
        buffer.uses.enter(access, &self.inner, ticket.unwrap());
    }

    /// As `Ready::run`.
    fn run(&self, buffer: &Buffer, access: Access) {
        let before = Mark::now();
        buffer.uses.order(access, &self.inner).unwrap();
        let ticket = self.inner.ask(|_| {
            self.worker.push(Work::Use(buffer.place.clone(), access));
            Ok(())
        });
        self.inner.finish().unwrap();
        assert!(self.inner.is_done(ticket.unwrap()));
        buffer.uses.ended(access, before);
    }
}

/// A host's thread: borrows buffers as the borrow checker lets it, and does something with them. Returns what it has freed.
fn host(streams: &[Stream], buffers: &[RwLock<Buffer>], mut seed: u64, end: Instant) -> Vec<Arc<Place>> {
    let mut next = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 16) as usize % below
    };
    let mut freed = Vec::new();
    while Instant::now() < end {
        let (stream, buffer) = (&streams[next(streams.len())], &buffers[next(buffers.len())]);
        match next(16) {
            0..6 => stream.begin(&buffer.read().unwrap(), Access::Read),
            6..10 => stream.begin(&buffer.write().unwrap(), Access::Write),
            10 => stream.run(&buffer.read().unwrap(), Access::Read),
            11 => stream.run(&buffer.write().unwrap(), Access::Write),
            12 | 13 => {
                let buffer = buffer.read().unwrap();
                buffer.uses.wait(Access::Read).unwrap();
                buffer.place.access(Access::Read, 1);
            }
            14 => {
                #[expect(clippy::readonly_write_lock, reason = "whoever writes is alone")]
                let buffer = buffer.write().unwrap();
                buffer.uses.wait(Access::Write).unwrap();
                buffer.place.access(Access::Write, 1);
            }
            _ => {
                let mut old = std::mem::take(&mut *buffer.write().unwrap());
                assert!(old.uses.settle());
                old.place.free();
                freed.push(old.place.clone());
            }
        }
    }
    freed
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn nothing_is_used_by_two_or_after_it_is_freed() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let end = Instant::now() + Duration::from_secs(number("STRESS_SECONDS").unwrap_or(1));
    let seed = number("STRESS_SEED").unwrap_or(1);
    let streams: Vec<Stream> = (0..4).map(|_| Stream::new(&gpu)).collect();
    let buffers: Vec<RwLock<Buffer>> = (0..3).map(|_| RwLock::default()).collect();
    let mut freed = Vec::new();
    thread::scope(|scope| {
        for (pace, stream) in (0..).zip(&streams) {
            scope.spawn(move || stream.worker.run(pace));
        }
        let hosts: Vec<_> = (1..=4)
            .map(|thread| {
                let (streams, buffers) = (&streams, &buffers);
                scope.spawn(move || {
                    host(streams, buffers, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | thread, end)
                })
            })
            .collect();
        freed = hosts.into_iter().flat_map(|host| host.join().unwrap()).collect();
        for stream in &streams {
            stream.inner.finish().unwrap();
            stream.worker.push(Work::End);
        }
    });
    for buffer in buffers {
        let mut buffer = buffer.into_inner().unwrap();
        assert!(buffer.uses.settle());
        buffer.place.free();
        freed.push(buffer.place.clone());
    }
    // The threads have ended, and the queues are dropped.
    for stream in &streams {
        *lock(&stream.worker.done) += 1;
    }
    let conflicts = freed.iter().map(|place| place.conflicts.load(Ordering::SeqCst)).sum::<u64>();
    assert_eq!(conflicts, 0, "in {} buffers", freed.len());
}
