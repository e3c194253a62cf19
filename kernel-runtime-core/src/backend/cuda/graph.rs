//! Graphs of the driver: what a stream was asked for, to be asked for again at once.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use super::context::{Context, Current};
use super::queue::Stream;
use super::sys::*;
use crate::backend::{Queue, Recorded, Work};
use crate::error::{CudaError, Result};

/// An executable graph.
#[derive(Debug)]
pub(super) struct Graph {
    context: Arc<Context>,
    handle: CUgraphExec,
}

// SAFETY: graphs may be used from any thread, by one at a time.
unsafe impl Send for Graph {}
// SAFETY: what a shared reference allows is launching, which happens with the graph locked.
unsafe impl Sync for Graph {}

/// A graph that cannot run yet: what an executable one is made from.
struct Template<'a> {
    current: &'a Current,
    handle: CUgraph,
}

impl<'a> Template<'a> {
    /// Captures what a stream is asked for.
    fn capture(context: &Arc<Context>, current: &'a Current, work: Work<'_>) -> Result<Template<'a>> {
        // Nobody else has this stream, and what other threads ask of the driver meanwhile is their own affair.
        let stream = Stream::new(context)?;
        let mode = CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream is alive, and a context is current.
        unsafe { current.driver().cuStreamBeginCapture_v2(stream.raw().cast(), mode) }?;
        let asked = work(&stream);
        let mut template = Template { current, handle: ptr::null_mut() };
        // Also where something failed: the stream has to be itself again before it is destroyed.
        // SAFETY: the stream is alive and captures; the pointer is valid.
        let ended = unsafe { current.driver().cuStreamEndCapture(stream.raw().cast(), &mut template.handle) };
        asked?;
        ended?;
        Ok(template)
    }

    fn instantiate(&self) -> Result<CUgraphExec, CudaError> {
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is valid and the graph alive.
        unsafe { self.current.driver().cuGraphInstantiateWithFlags(&mut handle, self.handle, 0) }?;
        Ok(handle)
    }
}

impl Drop for Template<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: made once, destroyed once.
            let _ = unsafe { self.current.driver().cuGraphDestroy(self.handle) };
        }
    }
}

impl Graph {
    pub(super) fn new(context: &Arc<Context>, work: Work<'_>) -> Result<Graph> {
        let current = context.enter()?;
        let handle = Template::capture(context, &current, work)?.instantiate()?;
        Ok(Graph { context: context.clone(), handle })
    }

    fn destroy(&self, current: &Current) {
        // Of a graph that still runs the driver keeps what it needs.
        // SAFETY: the handle is destroyed once: it is replaced, or this is dropped.
        let _ = unsafe { current.driver().cuGraphExecDestroy(self.handle) };
    }
}

impl Recorded for Graph {
    unsafe fn replay(&self, queue: &dyn Queue) -> Result<(), CudaError> {
        queue.check()?;
        let current = self.context.enter()?;
        // SAFETY: graph and stream are alive and of this context; what it accesses is there by this function's condition.
        unsafe { current.driver().cuGraphLaunch(self.handle, queue.raw().cast()) }
    }

    fn replace(&mut self, work: Work<'_>) -> Result<()> {
        let current = self.context.enter()?;
        let template = Template::capture(&self.context, &current, work)?;
        let mut info = MaybeUninit::<CUgraphExecUpdateResultInfo>::zeroed();
        // SAFETY: both graphs are alive and the pointer is valid. Its contents are not looked at: a newer driver may give numbers that the
        // enumeration does not have.
        let updated =
            unsafe { current.driver().cuGraphExecUpdate_v2(self.handle, template.handle, info.as_mut_ptr()) };
        match updated {
            Ok(()) => Ok(()),
            // The graph has another form: it is made anew.
            Err(CudaError::Call { code, .. }) if code == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE => {
                let handle = template.instantiate()?;
                self.destroy(&current);
                self.handle = handle;
                Ok(())
            }
            Err(other) => Err(other.into()),
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if let Ok(current) = self.context.enter() {
            self.destroy(&current);
        }
    }
}
