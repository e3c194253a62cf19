//! Queues of the simulator, which do at once what they are asked for, and memory of the host.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::fmt;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{Simulator, lost};
use crate::backend::{HOST_ALIGN, HostMemory, Mailbox, Moment, Queue, Side};
use crate::error::{CudaError, Error, Result};
use crate::gpu::lock;

/// Does at once what it is asked for, so that it never has work and nobody waits for it.
#[derive(Debug)]
pub(super) struct SimulatedQueue {
    device: Arc<Simulator>,
}

impl SimulatedQueue {
    pub(super) fn new(device: Arc<Simulator>) -> SimulatedQueue {
        SimulatedQueue { device }
    }
}

impl Queue for SimulatedQueue {
    fn raw(&self) -> *mut c_void {
        ptr::null_mut()
    }

    fn check(&self) -> Result<(), CudaError> {
        Ok(())
    }

    fn synchronize(&self) -> Result<(), CudaError> {
        Ok(())
    }

    fn is_idle(&self) -> Result<bool, CudaError> {
        Ok(true)
    }

    /// Waits at once: the other may be a GPU's.
    fn wait_for(&self, other: &dyn Queue) -> Result<(), CudaError> {
        other.synchronize()
    }

    fn with_end(&self, _wait: &mut dyn FnMut(*mut c_void) -> Result<(), CudaError>) -> Result<(), CudaError> {
        Ok(())
    }

    fn moment(&self) -> Result<Box<dyn Moment>, CudaError> {
        Ok(Box::new(HostMoment(Mutex::new(Instant::now()))))
    }

    fn place(&self, moment: &dyn Moment) -> Result<(), CudaError> {
        moment.reach_now();
        Ok(())
    }

    fn wait_for_moment(&self, _moment: &dyn Moment) -> Result<(), CudaError> {
        Ok(())
    }

    unsafe fn zero(&self, to: u64, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.device.memory.fill(to, 0, bytes as u64).map_err(lost)
    }

    unsafe fn write(&self, to: u64, from: *const u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: by this function's condition so many bytes are there, and nobody writes them.
        let from = unsafe { slice::from_raw_parts(from, bytes) };
        self.device.memory.write(to, from).map_err(lost)
    }

    unsafe fn read(&self, from: u64, into: *mut u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: by this function's condition so many bytes are there, nobody else uses them, and memory of the host is
        // initialised from the start.
        let into = unsafe { slice::from_raw_parts_mut(into, bytes) };
        self.device.memory.read(from, into).map_err(lost)
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()> {
        /// Bytes that are on their way at once.
        const PIECE: usize = 1 << 20;
        let mut piece = vec![0; bytes.min(PIECE)];
        for at in (0..bytes).step_by(PIECE) {
            let piece = &mut piece[..(bytes - at).min(PIECE)];
            self.device.memory.read(from + at as u64, piece).map_err(lost)?;
            self.device.memory.write(to + at as u64, piece).map_err(lost)?;
        }
        Ok(())
    }

    unsafe fn copy_across(&self, to: Side<'_>, from: Side<'_>) -> Result<()> {
        to.device.copy_across(to.memory, from)
    }
}

/// When the host came to it.
#[derive(Debug)]
struct HostMoment(Mutex<Instant>);

impl Moment for HostMoment {
    fn raw(&self) -> *mut c_void {
        ptr::null_mut()
    }

    fn reach_now(&self) {
        *lock(&self.0) = Instant::now();
    }

    fn wait(&self) -> Result<(), CudaError> {
        Ok(())
    }

    fn is_reached(&self) -> Result<bool, CudaError> {
        Ok(true)
    }

    fn since(&self, start: &dyn Moment) -> Result<Duration, CudaError> {
        let end = *lock(&self.0);
        Ok(start.host_time().map_or(Duration::ZERO, |start| end.saturating_duration_since(start)))
    }

    fn host_time(&self) -> Option<Instant> {
        Some(*lock(&self.0))
    }
}

/// Memory of the device for records that kernels write. It does not count as memory of buffers.
pub(super) struct SimulatedMailbox {
    device: Arc<Simulator>,
    /// Allocated in the device's memory until this is dropped.
    address: u64,
}

impl SimulatedMailbox {
    pub(super) fn new(device: Arc<Simulator>, bytes: usize) -> Result<SimulatedMailbox> {
        // The memory ends the program when the host has none for it. So it is asked for first, and given back.
        device.check_host_memory(bytes)?;
        let address = device.memory.allocate(bytes as u64, HOST_ALIGN as u64);
        // Zeros are a value, which a kernel may read.
        let _ = device.memory.fill(address, 0, bytes as u64);
        Ok(SimulatedMailbox { device, address })
    }
}

impl fmt::Debug for SimulatedMailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimulatedMailbox({:#x})", self.address)
    }
}

impl Mailbox for SimulatedMailbox {
    fn address(&self) -> u64 {
        self.address
    }

    fn read(&self, at: usize, into: &mut [u8]) -> Result<()> {
        self.device.memory.read(self.address + at as u64, into).map_err(lost)
    }

    fn write(&self, at: usize, from: &[u8]) -> Result<()> {
        self.device.memory.write(self.address + at as u64, from).map_err(lost)
    }

    fn clear(&self, at: usize, bytes: usize) -> Result<()> {
        self.device.memory.fill(self.address + at as u64, 0, bytes as u64).map_err(lost)
    }
}

impl Drop for SimulatedMailbox {
    fn drop(&mut self) {
        // There by the invariant of `address`.
        let _ = self.device.memory.free(self.address);
    }
}

/// Memory of the process, for copies of a device that is one.
#[derive(Debug)]
pub(super) struct PlainMemory {
    /// Allocated with `layout` until this is dropped.
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: memory that belongs to this value alone.
unsafe impl Send for PlainMemory {}
// SAFETY: a shared reference only tells where it is.
unsafe impl Sync for PlainMemory {}

impl PlainMemory {
    pub(super) fn new(device: &str, bytes: usize) -> Result<PlainMemory> {
        let none = || Error::OutOfHostMemory { device: device.to_owned(), requested: bytes as u64 };
        // Of no bytes nothing can be allocated.
        let layout = Layout::from_size_align(bytes.max(1), HOST_ALIGN).map_err(|_| none())?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(none)?;
        Ok(PlainMemory { start, layout })
    }
}

impl HostMemory for PlainMemory {
    fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for PlainMemory {
    fn drop(&mut self) {
        // SAFETY: allocated once with this layout, freed once; nobody uses it any more.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
