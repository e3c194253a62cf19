//! Events: points in the work of streams, to time it and to wait for it.

use std::fmt;
use std::time::Duration;

use super::Stream;
use crate::backend::Moment;
use crate::error::{Error, Result};
use crate::gpu::Gpu;

/// A point in the work of a stream: [`Stream::record`]. It happens when all is done that the stream was asked for before.
///
/// Waiting for it reports no errors of kernels; [`Stream::synchronize`] does.
#[doc(alias("cudaEvent_t", "cudaEventCreate", "cudaEventDestroy"))]
pub struct Event {
    // Before the device that it is on.
    moment: Box<dyn Moment>,
    gpu: Gpu,
}

impl Event {
    pub(super) fn new(stream: &Stream) -> Result<Event> {
        let mut event = Event { moment: stream.inner().queue().moment()?, gpu: stream.gpu().clone() };
        event.place(stream)?;
        Ok(event)
    }

    pub(super) fn place(&mut self, stream: &Stream) -> Result<()> {
        stream.same_device("event", &self.gpu)?;
        Ok(stream.inner().queue().place(&*self.moment)?)
    }

    pub(super) fn moment(&self) -> &dyn Moment {
        &*self.moment
    }

    /// Its device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Waits until it has happened.
    ///
    /// # Errors
    ///
    /// The driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaEventSynchronize")]
    pub fn wait(&self) -> Result<()> {
        Ok(self.moment.wait()?)
    }

    /// Returns true if it has happened.
    ///
    /// # Errors
    ///
    /// The driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaEventQuery")]
    pub fn has_happened(&self) -> Result<bool> {
        Ok(self.moment.is_reached()?)
    }

    /// The time from another event of the device to this one; waits until both have happened. On a GPU it is measured there, to about half a
    /// microsecond; in the simulator by the host's clock. Zero if the other came later.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`](crate::Error::OtherDevice) when the events are of two devices; the driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias("cudaEventElapsedTime", "elapsed_time"))]
    pub fn since(&self, start: &Event) -> Result<Duration> {
        if start.gpu != self.gpu {
            let (expected, found) = (self.gpu.to_string(), start.gpu.name_beside(&self.gpu));
            return Err(Error::OtherDevice { what: "start", expected, found });
        }
        start.wait()?;
        self.wait()?;
        Ok(self.moment.since(&*start.moment)?)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({})", self.gpu)
    }
}
