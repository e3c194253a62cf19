//! The context of a device, and its events.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::driver::{Driver, is_not_ready};
use super::sys::*;
use crate::backend::Moment;
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

    /// Returns true if this is its handle.
    #[cfg(feature = "cudarc")]
    pub(super) fn is(&self, handle: CUcontext) -> bool {
        self.handle == handle
    }

    /// Copies between the memory of two devices, and waits for it: to this one from another. By the way between both if there is one,
    /// else the driver takes it by way of the host.
    ///
    /// # Safety
    /// Both sides have so many bytes, each in its context.
    pub(super) unsafe fn copy_from(
        &self,
        other: &Context,
        to: CUdeviceptr,
        from: CUdeviceptr,
        bytes: usize,
    ) -> Result<(), CudaError> {
        let current = self.enter()?;
        let stream = ptr::null_mut();
        // SAFETY: both contexts are retained; the memory is there by this function's condition, until the copy is done.
        unsafe {
            current.driver().cuMemcpyPeerAsync(to, self.handle, from, other.handle, bytes, stream)?;
            current.driver().cuStreamSynchronize(stream)
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
