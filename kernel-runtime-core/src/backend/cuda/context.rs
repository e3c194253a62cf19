//! The context of a device, and its events.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::driver::{Driver, is_not_ready};
use super::sys::*;
use crate::backend::Moment;
use crate::error::CudaError;
use crate::gpu::lock;

/// The primary context of a device, which every library of the process shares. Retained until it is dropped.
#[derive(Debug)]
pub(super) struct Context {
    driver: &'static Driver,
    device: CUdevice,
    handle: CUcontext,
    /// Devices to which a way was looked for.
    tried: Mutex<Vec<CUdevice>>,
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
        Ok(Arc::new(Context { driver, device, handle, tried: Mutex::default() }))
    }

    /// Returns true if this is its handle.
    #[cfg(feature = "cudarc")]
    pub(super) fn is(&self, handle: CUcontext) -> bool {
        self.handle == handle
    }

    /// Its handle.
    pub(super) fn handle(&self) -> CUcontext {
        self.handle
    }

    /// Lets this device reach the memory of another where there is a way between both: copies take it then, and go by way of the host else
    /// (CUDA programming guide, "Peer-to-Peer Memory Copy"). Tried once for each; where it fails, copies are slower and nothing else.
    pub(super) fn connect(&self, other: &Context) {
        let mut tried = lock(&self.tried);
        if tried.contains(&other.device) {
            return;
        }
        tried.push(other.device);
        let mut can = 0;
        // SAFETY: the pointer is valid for the call, and both are devices that the driver gave.
        let asked = unsafe { self.driver.cuDeviceCanAccessPeer(&mut can, self.device, other.device) };
        if asked.is_err() || can == 0 {
            return;
        }
        if let Ok(current) = self.enter() {
            // SAFETY: a context is current, and the other one is retained. A failure is one of those above, or says that somebody has done it.
            let _ = unsafe { current.driver().cuCtxEnablePeerAccess(other.handle, 0) };
        }
    }

    /// The driver, for what needs no current context.
    pub(super) fn driver(&self) -> &'static Driver {
        self.driver
    }

    /// Makes the context current in this thread, at least until the guard is dropped. Where none was current it stays, as it does with
    /// `cudarc` and the runtime API: the next call then only has to look.
    #[inline]
    pub(super) fn enter(&self) -> Result<Current, CudaError> {
        let mut current = ptr::null_mut();
        // SAFETY: the pointer is valid.
        unsafe { self.driver.cuCtxGetCurrent(&mut current) }?;
        let pushed = !current.is_null() && current != self.handle;
        // SAFETY: the context is retained.
        unsafe {
            if pushed {
                self.driver.cuCtxPushCurrent_v2(self.handle)?;
            } else if current.is_null() {
                self.driver.cuCtxSetCurrent(self.handle)?;
            }
        }
        Ok(Current { driver: self.driver, pushed, not_send: std::marker::PhantomData })
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
    /// Another was current before.
    pushed: bool,
    not_send: std::marker::PhantomData<*const ()>,
}

impl Current {
    #[inline]
    pub(super) fn driver(&self) -> &'static Driver {
        self.driver
    }
}

impl Drop for Current {
    #[inline]
    fn drop(&mut self) {
        if !self.pushed {
            return;
        }
        let mut popped = ptr::null_mut();
        // SAFETY: pushed by `enter` in this thread; guards nest, so it is on top.
        let _ = unsafe { self.driver.cuCtxPopCurrent_v2(&mut popped) };
    }
}

/// An event, for timing and for waiting.
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

    /// Records it on a stream of its context: it happens when all that was asked for there before is done.
    pub(super) fn record(&self, stream: CUstream, current: &Current) -> Result<(), CudaError> {
        // SAFETY: the event is alive, and its context current; the stream is alive by the caller's borrow.
        unsafe { current.driver().cuEventRecord(self.handle, stream) }
    }
}

impl Moment for Event {
    fn raw(&self) -> *mut c_void {
        self.handle.cast()
    }

    fn reach_now(&self) {}

    fn wait(&self) -> Result<(), CudaError> {
        let current = self.context.enter()?;
        // SAFETY: the event is alive.
        unsafe { current.driver().cuEventSynchronize(self.handle) }
    }

    fn is_reached(&self) -> Result<bool, CudaError> {
        let current = self.context.enter()?;
        // SAFETY: the event is alive.
        is_not_ready(unsafe { current.driver().cuEventQuery(self.handle) }).map(|pending| !pending)
    }

    fn since(&self, start: &dyn Moment) -> Result<Duration, CudaError> {
        let current = self.context.enter()?;
        let mut milliseconds = 0f32;
        // SAFETY: both events are alive, of this device by the invariant of queues, and the pointer is valid.
        unsafe { current.driver().cuEventElapsedTime(&mut milliseconds, start.raw().cast(), self.handle) }?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }

    fn host_time(&self) -> Option<Instant> {
        None
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
