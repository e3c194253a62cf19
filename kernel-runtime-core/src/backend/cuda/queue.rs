//! A stream of the driver as a queue.

use std::any::Any;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex};

use super::context::{Context, Current, Event};
use super::copy_between;
use super::driver::is_not_ready;
use super::sys::*;
use crate::backend::{Moment, Queue, Side};
use crate::error::{CudaError, Result};
use crate::gpu::lock;

/// A stream of its own, which waits for no other, not for the null stream either; or one of somebody else's, which nobody captures while
/// it is asked for things (`interop`, "Captured streams").
#[derive(Debug)]
pub(super) struct Stream {
    context: Arc<Context>,
    handle: CUstream,
    /// The value that owns the handle and destroys it; none if the stream was made here.
    owner: Option<Arc<dyn Any + Send + Sync>>,
    /// The event that other streams wait for, recorded anew each time. Held until the wait is queued.
    end: Mutex<Event>,
    /// True if this stands for the work that the stream had been given when this was made: `end` stays where it was recorded then, and the stream is
    /// given no more work. Its owner may do with it as it likes afterwards, capture it, say.
    is_past: bool,
}

// SAFETY: streams may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(super) fn new(context: &Arc<Context>) -> Result<Stream, CudaError> {
        let end = Mutex::new(Event::new(context)?);
        let current = context.enter()?;
        let mut handle = ptr::null_mut();
        let flags = CU_STREAM_NON_BLOCKING;
        // SAFETY: the pointer is valid, and a context is current.
        unsafe { current.driver().cuStreamCreate(&mut handle, flags) }?;
        Ok(Stream { context: context.clone(), handle, owner: None, end, is_past: false })
    }

    /// A stream of this context that somebody else destroys.
    ///
    /// # Safety
    ///
    /// The handle is one of a stream of this context, which lives as long as the owner.
    #[cfg(feature = "cudarc")]
    pub(super) unsafe fn adopt(
        context: &Arc<Context>,
        handle: CUstream,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<Stream, CudaError> {
        let end = Mutex::new(Event::new(context)?);
        Ok(Stream { context: context.clone(), handle, owner: Some(owner), end, is_past: false })
    }

    /// The work that a stream of this context has been given by now.
    ///
    /// # Safety
    ///
    /// As for [`adopt`](Stream::adopt).
    #[cfg(feature = "cudarc")]
    pub(super) unsafe fn past(
        context: &Arc<Context>,
        handle: CUstream,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<Stream, CudaError> {
        // SAFETY: by this function's condition.
        let mut stream = unsafe { Stream::adopt(context, handle, owner) }?;
        stream.is_past = true;
        let current = stream.enter()?;
        lock(&stream.end).record(handle, &current)?;
        // An event of a capture would draw whoever waits for it into the capture.
        stream.check_not_captured(&current)?;
        Ok(stream)
    }

    /// Makes the context current, to ask the stream for something. Of a stream that is somebody else's it is first checked that the work
    /// would be done at all, and once: its owner has promised so, and an error here reports a promise that was not kept.
    #[inline]
    fn enter(&self) -> Result<Current, CudaError> {
        let current = self.context.enter()?;
        if self.owner.is_some() {
            self.check_not_captured(&current)?;
        }
        Ok(current)
    }

    fn check_not_captured(&self, current: &Current) -> Result<(), CudaError> {
        let mut status = CU_STREAM_CAPTURE_STATUS_NONE;
        // SAFETY: the stream is alive, and the pointer valid.
        unsafe { current.driver().cuStreamIsCapturing(self.handle, &mut status) }?;
        match status == CU_STREAM_CAPTURE_STATUS_NONE {
            true => Ok(()),
            false => Err(CudaError::Captured),
        }
    }
}

impl Queue for Stream {
    fn raw(&self) -> *mut c_void {
        self.handle.cast()
    }

    fn check(&self) -> Result<(), CudaError> {
        if self.owner.is_some() { self.enter().map(drop) } else { Ok(()) }
    }

    fn synchronize(&self) -> Result<(), CudaError> {
        if self.is_past {
            return lock(&self.end).wait();
        }
        let current = self.enter()?;
        // SAFETY: the stream is alive.
        unsafe { current.driver().cuStreamSynchronize(self.handle) }
    }

    fn is_idle(&self) -> Result<bool, CudaError> {
        if self.is_past {
            return lock(&self.end).is_reached();
        }
        let current = self.enter()?;
        // SAFETY: the stream is alive.
        is_not_ready(unsafe { current.driver().cuStreamQuery(self.handle) }).map(|pending| !pending)
    }

    fn wait_for(&self, other: &dyn Queue) -> Result<(), CudaError> {
        other.with_end(&mut |end| {
            let current = self.enter()?;
            // SAFETY: the stream and the event are alive. The event may be of another device (manual of the driver API, `cuStreamWaitEvent`).
            unsafe { current.driver().cuStreamWaitEvent(self.handle, end.cast(), 0) }
        })
    }

    fn with_end(&self, wait: &mut dyn FnMut(*mut c_void) -> Result<(), CudaError>) -> Result<(), CudaError> {
        // A wait is for what was recorded last when it was asked for.
        let end = lock(&self.end);
        if self.is_past {
            return wait(end.raw());
        }
        let current = self.enter()?;
        end.record(self.handle, &current)?;
        wait(end.raw())
    }

    fn moment(&self) -> Result<Box<dyn Moment>, CudaError> {
        Ok(Box::new(Event::new(&self.context)?))
    }

    fn place(&self, moment: &dyn Moment) -> Result<(), CudaError> {
        let current = self.enter()?;
        // SAFETY: the stream and the event are alive, and of one context.
        unsafe { current.driver().cuEventRecord(moment.raw().cast(), self.handle) }
    }

    fn wait_for_moment(&self, moment: &dyn Moment) -> Result<(), CudaError> {
        let current = self.enter()?;
        // SAFETY: the stream and the event are alive.
        unsafe { current.driver().cuStreamWaitEvent(self.handle, moment.raw().cast(), 0) }
    }

    unsafe fn zero(&self, to: u64, bytes: usize) -> Result<()> {
        if bytes > 0 {
            let current = self.enter()?;
            // SAFETY: by this function's condition; the stream is alive.
            unsafe { current.driver().cuMemsetD8Async(to, 0, bytes, self.handle) }?;
        }
        Ok(())
    }

    unsafe fn write(&self, to: u64, from: *const u8, bytes: usize) -> Result<()> {
        if bytes > 0 {
            let current = self.enter()?;
            // SAFETY: by this function's condition; the stream is alive.
            unsafe { current.driver().cuMemcpyHtoDAsync_v2(to, from.cast(), bytes, self.handle) }?;
        }
        Ok(())
    }

    unsafe fn read(&self, from: u64, into: *mut u8, bytes: usize) -> Result<()> {
        if bytes > 0 {
            let current = self.enter()?;
            // SAFETY: by this function's condition; the stream is alive.
            unsafe { current.driver().cuMemcpyDtoHAsync_v2(into.cast(), from, bytes, self.handle) }?;
        }
        Ok(())
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()> {
        if bytes > 0 {
            let current = self.enter()?;
            // SAFETY: by this function's condition; the stream is alive.
            unsafe { current.driver().cuMemcpyDtoDAsync_v2(to, from, bytes, self.handle) }?;
        }
        Ok(())
    }

    unsafe fn copy_across(&self, to: Side<'_>, from: Side<'_>) -> Result<()> {
        self.check()?;
        // SAFETY: by this function's condition; the stream is of this context.
        if unsafe { copy_between(&self.context, self.handle, to, from) }? {
            return Ok(());
        }
        // The host copies, after what was asked for so far.
        self.synchronize()?;
        to.device.copy_across(to.memory, from)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.is_past {
            return; // Nothing of ours is under way there.
        }
        if let Ok(current) = self.context.enter() {
            // A failure says that the device is lost, and with it the work.
            // SAFETY: the stream is alive.
            let _ = unsafe { current.driver().cuStreamSynchronize(self.handle) };
            if self.owner.is_none() {
                // SAFETY: made here once, destroyed once.
                let _ = unsafe { current.driver().cuStreamDestroy_v2(self.handle) };
            }
        }
    }
}
