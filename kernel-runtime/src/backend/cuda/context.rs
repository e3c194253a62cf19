//! What lives in a device's context: the context itself, events, and the memory that panics are written to.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::{
    CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CUcontext, CUdevice, CUevent,
};
use ptx_gen::panic::PanicRecord;

use super::driver::Driver;
use crate::error::CudaError;

/// The primary context of a device, which every library of the process shares. Retained until it is dropped.
#[derive(Debug)]
pub(super) struct Context {
    driver: &'static Driver,
    device: CUdevice,
    handle: CUcontext,
}

// SAFETY: the driver API may be called from any thread, and a context be current in several.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn retain(driver: &'static Driver, device: CUdevice) -> Result<Arc<Context>, CudaError> {
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is valid, and the device is one that the driver gave.
        unsafe { driver.cuDevicePrimaryCtxRetain(&mut handle, device) }?;
        Ok(Arc::new(Context { driver, device, handle }))
    }

    /// The driver, for what needs no current context.
    pub(super) fn driver(&self) -> &'static Driver {
        self.driver
    }

    /// Makes the context current in this thread until the guard is dropped.
    pub(super) fn enter(&self) -> Result<Current, CudaError> {
        // SAFETY: the context is retained.
        unsafe { self.driver.cuCtxPushCurrent_v2(self.handle) }?;
        Ok(Current { driver: self.driver, not_send: std::marker::PhantomData })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once, released once. There is nobody to tell of a failure.
        let _ = unsafe { self.driver.cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// While it lives, a context is current in the thread that made it.
pub(super) struct Current {
    driver: &'static Driver,
    not_send: std::marker::PhantomData<*const ()>,
}

impl Current {
    pub(super) fn driver(&self) -> &'static Driver {
        self.driver
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let mut popped = ptr::null_mut();
        // SAFETY: pushed by `enter` in this thread; guards nest, so it is on top.
        let _ = unsafe { self.driver.cuCtxPopCurrent_v2(&mut popped) };
    }
}

/// An event, for timing.
#[derive(Debug)]
pub(super) struct Event {
    context: Arc<Context>,
    handle: CUevent,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    pub(super) fn new(context: &Arc<Context>) -> Result<Event, CudaError> {
        let current = context.enter()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is valid, a context is current; flags of 0 ask for timing.
        unsafe { current.driver().cuEventCreate(&mut handle, 0) }?;
        Ok(Event { context: context.clone(), handle })
    }

    /// Records it on the null stream: it happens when all that was asked for before is done.
    pub(super) fn record(&self, current: &Current) -> Result<(), CudaError> {
        // SAFETY: the event is alive, and its context current.
        unsafe { current.driver().cuEventRecord(self.handle, ptr::null_mut()) }
    }

    /// Waits until it has happened.
    pub(super) fn wait(&self, current: &Current) -> Result<(), CudaError> {
        // SAFETY: the event is alive.
        unsafe { current.driver().cuEventSynchronize(self.handle) }
    }

    /// The time from another event to this one. Both have happened.
    pub(super) fn since(&self, start: &Event, current: &Current) -> Result<Duration, CudaError> {
        let mut milliseconds = 0f32;
        // SAFETY: both events are alive, and the pointer is valid.
        unsafe { current.driver().cuEventElapsedTime(&mut milliseconds, start.handle, self.handle) }?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(current) = self.context.enter() {
            // SAFETY: made once, destroyed once.
            let _ = unsafe { current.driver().cuEventDestroy_v2(self.handle) };
        }
    }
}

/// A [`PanicRecord`] in memory of the host that the device writes to: reading it needs no copy, and it is there even
/// when the kernel's own memory is not.
#[derive(Debug)]
pub(super) struct PanicMemory {
    context: Arc<Context>,
    /// Valid for reads and writes of [`PanicRecord::BYTES`] bytes until this is dropped.
    host: NonNull<[u8; PanicRecord::BYTES]>,
    device: u64,
}

// SAFETY: memory that belongs to this value alone; kernels write to it only while one runs.
unsafe impl Send for PanicMemory {}
// SAFETY: `take` is called by one thread at a time: the launch lock of the device is held.
unsafe impl Sync for PanicMemory {}

impl PanicMemory {
    pub(super) fn new(context: &Arc<Context>) -> Result<PanicMemory, CudaError> {
        let current = context.enter()?;
        let mut host: *mut c_void = ptr::null_mut();
        let flags = CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the pointer is valid, and a context is current.
        unsafe { current.driver().cuMemHostAlloc(&mut host, PanicRecord::BYTES, flags) }?;
        let host = NonNull::new(host.cast()).ok_or_else(|| CudaError::Call {
            call: "cuMemHostAlloc",
            code: 0,
            name: "CUDA_SUCCESS".to_owned(),
            description: "but it gave no memory".to_owned(),
        })?;
        let mut memory = PanicMemory { context: context.clone(), host, device: 0 };
        // SAFETY: the pointer is to memory just allocated with `DEVICEMAP`.
        unsafe {
            current.driver().cuMemHostGetDevicePointer_v2(&mut memory.device, host.as_ptr().cast(), 0)
        }?;
        memory.clear();
        Ok(memory)
    }

    /// Where the device sees it.
    pub(super) fn device_address(&self) -> u64 {
        self.device
    }

    /// What a kernel has left there; the memory is free for the next launch. No kernel runs meanwhile.
    pub(super) fn take(&self) -> Option<PanicRecord> {
        // SAFETY: the memory is valid by the invariant of `host`. It is volatile because the device writes to it.
        let record = PanicRecord::read(&unsafe { self.host.as_ptr().read_volatile() });
        if record.is_some() {
            self.clear();
        }
        record
    }

    fn clear(&self) {
        // SAFETY: as in `take`.
        unsafe { self.host.as_ptr().write_volatile([0; PanicRecord::BYTES]) };
    }
}

impl Drop for PanicMemory {
    fn drop(&mut self) {
        if let Ok(current) = self.context.enter() {
            // SAFETY: allocated once, freed once; no kernel runs, for launches wait for their end.
            let _ = unsafe { current.driver().cuMemFreeHost(self.host.as_ptr().cast()) };
        }
    }
}
