//! Streams: work of a device in order, beside that of other streams, while the host goes on.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! #[kernel]
//! pub fn add(x: &[f32], y: &mut [f32]) {
//!     let i = global_idx().x;
//!     if i < x.len() && i < y.len() {
//!         y[i] += x[i];
//!     }
//! }
//!
//! fn main() -> Result<()> {
//!     let gpu = Gpu::new()?;
//!     let n = 1 << 12;
//!     let input = gpu.pinned_from(&vec![1.5f32; n])?; // memory that the device copies from by itself
//!     let mut output = gpu.pinned::<f32>(n)?;
//!     let (mut x, mut y) = (gpu.zeros::<f32>(n)?, gpu.zeros::<f32>(n)?);
//!
//!     let (copies, work) = (gpu.stream()?, gpu.stream()?);
//!     let start = work.record()?;
//!     copies.copy_to_device(&input, &mut x)?;
//!     add(&x, &mut y).over(n).start(&work)?; // after the copy of the other stream: it reads `x`
//!     add(&x, &mut y).over(n).start(&work)?;
//!     let end = work.record()?;
//!     copies.copy_to_host(&y, &mut output)?; // after both kernels: they write `y`
//!     // Nothing has been waited for so far.
//!     assert_eq!(output.read()?[7], 3.0); // waits for the copy
//!     work.synchronize()?; // what went wrong in a kernel comes out here
//!     println!("{:?} in the kernels", end.since(&start)?);
//!     Ok(())
//! }
//! ```
//!
//! # What is ordered
//!
//! A launch or copy that is started borrows its buffers as it uses them, `&` or `&mut`, and gives the borrow back at once. The buffer
//! remembers the use. Whatever uses it next comes after what it must not be at the same time with: a read comes after the last write, a write
//! after everything. On the same stream that is so anyway; another stream, of whatever device, is made to wait, on the device; the host waits itself: in
//! [`to_vec`](crate::DeviceBuffer::to_vec), in [`PinnedBuffer::read`](crate::PinnedBuffer::read), when a buffer is dropped. So the borrow checker's rule,
//! many readers or one writer, holds over time on every stream, and a program never has to synchronise for its memory to be right. Events are there
//! for timing, and for order that no buffer shows.
//!
//! # Why it is sound
//!
//! 1. Memory is reached through a [`DeviceBuffer`](crate::DeviceBuffer) or a [`PinnedBuffer`] only. Its address is no secret, but
//!    only `unsafe` code can use it.
//! 2. Every use is entered in the buffer while the borrow that allows it still lives. So whoever borrows the buffer with `&mut`, or owns it, finds
//!    all uses that may be going on, and whoever borrows it with `&` finds all writes: none can be added meanwhile. The handles that
//!    [`lend`](crate::DeviceBuffer::lend) gives share one `&mut`, and stay on its thread, as does all that may hold them: recordings, graphs
//!    and [launches](crate::Launch) are neither `Send` nor `Sync`. So their uses are entered one after another, and no code of the program
//!    runs between the look at what a use has to come after and the entry of that use.
//! 3. Every method that lets the host at the memory, or frees it, waits for the uses that it finds, and looks again: what a program does with
//!    printed texts may begin others. A reference that it returns borrows the buffer: no use that conflicts is entered before the reference
//!    is gone. A use is forgotten when it is known to be over and never else: where a wait fails the host gets an error in place of the memory, and
//!    memory that would have been freed stays allocated for ever.
//! 4. What is leaked, by `std::mem::forget` say, is never freed, for only dropping the buffer frees: a leak wastes memory and nothing
//!    else. No guard has to be dropped for any of this, and no reference of the program's is kept by a stream.
//! 5. A stream that is dropped waits for its work; buffers in use by it keep it. Kernels are unloaded after everything on their device is done, and
//!    stay loaded where that cannot be known.
//! 6. What a queue is asked for is done once. A stream of CUDA's that somebody captures (`interop`, "Captured streams") would do it again later,
//!    so that making one ours is `unsafe`.
//!
//! # What goes wrong
//!
//! The next synchronisation of the stream reports a panic of a thread, or a simulator finding: [`Stream::synchronize`], or a method of
//! a buffer that had to wait for the stream. The first error is reported, once. The other launches run on. An error that nobody asks for is
//! printed to the standard error when the stream is dropped.

mod event;
mod inner;
mod ready;
#[cfg(test)]
mod stress;
mod uses;

pub use event::Event;
pub(crate) use inner::{Inner, Ticket};
pub(crate) use ready::{Lane, LaneInUse, Ready, Timed, placed};
pub(crate) use uses::{Access, Mark, OneThread, Uses};

use std::fmt;
use std::sync::Arc;

use crate::account::{CopiedBy, CopyKind};
#[cfg(feature = "cudarc")]
use crate::backend::Queue;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::pinned::PinnedBuffer;
use crate::sliced::{DeviceSlice, DeviceSliceMut};

/// Launches that can panic and be under way on a stream at once; one more waits for them. As many launches of any kind CUDA itself
/// lets be under way.
const LAUNCHES: usize = 1024;

/// Work of a device that is done in the order in which it is asked for, beside that of other streams: see the [module](self).
///
/// [`Gpu::stream`] makes one. Launches come to it by [`Launch::start`](crate::Launch::start). It may be used from several threads. Dropping it waits for its work
/// unless a buffer still knows of it.
#[doc(alias("cudaStream_t", "CUstream", "cudaStreamDestroy"))]
pub struct Stream {
    gpu: Gpu,
    inner: Arc<Inner>,
    /// The stream of `cudarc`'s that it is, if it is one.
    #[cfg(feature = "cudarc")]
    theirs: Option<Arc<cudarc::driver::CudaStream>>,
}

impl Stream {
    pub(crate) fn new(gpu: &Gpu) -> Result<Stream> {
        Ok(Stream {
            gpu: gpu.clone(),
            inner: Arc::new(Inner::new(gpu.backend(), LAUNCHES, gpu.printing())?),
            #[cfg(feature = "cudarc")]
            theirs: None,
        })
    }

    /// A stream of `cudarc`'s over a queue of the device that is the same.
    #[cfg(feature = "cudarc")]
    pub(crate) fn over(gpu: &Gpu, queue: Box<dyn Queue>, theirs: Arc<cudarc::driver::CudaStream>) -> Stream {
        let inner = Inner::over(gpu.backend(), queue, LAUNCHES, gpu.printing());
        Stream { gpu: gpu.clone(), inner: Arc::new(inner), theirs: Some(theirs) }
    }

    /// The stream of `cudarc`'s that it is, if it is one.
    #[cfg(feature = "cudarc")]
    pub(crate) fn theirs(&self) -> Option<&Arc<cudarc::driver::CudaStream>> {
        self.theirs.as_ref()
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    /// Its device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Waits until all is done that was asked for.
    ///
    /// # Errors
    ///
    /// The first that went wrong since the stream was last waited for: [`Error::KernelPanicked`], [`Error::Fault`], or [`Error::Stream`] when the
    /// device is lost.
    #[doc(alias("cudaStreamSynchronize", "cudaDeviceSynchronize"))]
    pub fn synchronize(&self) -> Result<()> {
        let done = self.inner.finish();
        self.gpu.ledger().waited();
        done
    }

    /// This stream, for accounts.
    fn copying(&self) -> CopiedBy {
        CopiedBy::Stream(Arc::as_ptr(&self.inner) as usize)
    }

    /// Returns true if all work that was queued is done. Errors stay to be reported.
    ///
    /// # Errors
    ///
    /// The driver's error, [`Error::Cuda`].
    #[doc(alias = "cudaStreamQuery")]
    pub fn is_idle(&self) -> Result<bool> {
        Ok(self.inner.queue().is_idle()?)
    }

    /// An event that happens when all is done that was asked for so far.
    ///
    /// # Errors
    ///
    /// The driver's error, [`Error::Cuda`].
    #[doc(alias("cudaEventRecord", "cudaEventCreate"))]
    pub fn record(&self) -> Result<Event> {
        Event::new(self)
    }

    /// Makes an event happen here and anew: when all is done that this stream was asked for so far.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when the event is of another device; the driver's error,
    /// [`Error::Cuda`].
    #[doc(alias = "cudaEventRecord")]
    pub fn record_again(&self, event: &mut Event) -> Result<()> {
        event.place(self)
    }

    /// Makes what is asked for from here on wait for an event.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when the event is of another device; the driver's error,
    /// [`Error::Cuda`].
    #[doc(alias = "cudaStreamWaitEvent")]
    pub fn wait_for(&self, event: &Event) -> Result<()> {
        self.same_device("event", event.gpu())?;
        Ok(self.inner.queue().wait_for_moment(event.moment())?)
    }

    /// Copies to the device. Both sides have the same length.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when one of both is not on the stream's device;
    /// [`Error::CopyLength`]; the driver's error, [`Error::Cuda`].
    #[doc(alias("cudaMemcpyAsync", "cudaMemcpyHostToDevice"))]
    pub fn copy_to_device<T: Element>(
        &self,
        from: &PinnedBuffer<T>,
        to: &mut impl DeviceSliceMut<T>,
    ) -> Result<()> {
        let to = to.part();
        self.check(("from", from.gpu(), from.len()), ("to", to.gpu(), to.len()))?;
        from.uses().order(Access::Read, &self.inner)?;
        to.uses().order(Access::Write, &self.inner)?;
        // SAFETY: both have so many bytes. What conflicts goes first, by the two lines above, or comes later, by the two below.
        let ticket =
            self.inner.ask(|queue| unsafe { queue.write(to.address(), from.start(), to.memory().bytes) })?;
        from.uses().enter(Access::Read, &self.inner, ticket);
        to.uses().enter(Access::Write, &self.inner, ticket);
        self.gpu.copied(CopyKind::ToDevice, to.memory().bytes, self.copying());
        Ok(())
    }

    /// Copies from the device. Both sides have the same length.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when one of both is not on the stream's device;
    /// [`Error::CopyLength`]; the driver's error, [`Error::Cuda`].
    #[doc(alias("cudaMemcpyAsync", "cudaMemcpyDeviceToHost"))]
    pub fn copy_to_host<T: Element>(
        &self,
        from: &impl DeviceSlice<T>,
        to: &mut PinnedBuffer<T>,
    ) -> Result<()> {
        let from = from.part();
        self.check(("from", from.gpu(), from.len()), ("to", to.gpu(), to.len()))?;
        from.uses().order(Access::Read, &self.inner)?;
        to.uses().order(Access::Write, &self.inner)?;
        let start = to.start_to_write();
        // SAFETY: as in `copy_to_device`.
        let ticket =
            self.inner.ask(|queue| unsafe { queue.read(from.address(), start, from.memory().bytes) })?;
        from.uses().enter(Access::Read, &self.inner, ticket);
        to.uses().enter(Access::Write, &self.inner, ticket);
        self.gpu.copied(CopyKind::ToHost, from.memory().bytes, self.copying());
        Ok(())
    }

    /// Copies from one buffer to another of the same length, or parts of such. One of them may be on another device: between two GPUs the copy goes directly where
    /// they are connected, else by way of the host, and comes after what streams of both devices do with the buffers. Where one of both is a
    /// simulator, it is done when this returns.
    ///
    /// ```
    /// use kernel_runtime::prelude::*;
    ///
    /// #[kernel]
    /// fn double(x: &mut [f32]) {
    ///     let i = global_idx().x;
    ///     if i < x.len() {
    ///         x[i] *= 2.0;
    ///     }
    /// }
    ///
    /// let (one, other) = (Gpu::simulator(Arch::Sm90), Gpu::simulator(Arch::Sm90));
    /// let mut x = one.upload(&[1.0f32, 2.0, 3.0])?;
    /// let mut y = other.zeros::<f32>(3)?;
    /// let (first, second) = (one.stream()?, other.stream()?);
    /// double(&mut x).over(3).start(&first)?;
    /// second.copy(&x, &mut y)?; // after the kernel on the other device
    /// double(&mut x).over(3).start(&first)?; // after the copy
    /// assert_eq!(y.to_vec()?, [2.0, 4.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when neither is on the stream's device; [`Error::CopyLength`]; the
    /// driver's error, [`Error::Cuda`].
    #[doc(alias("cudaMemcpyAsync", "cudaMemcpyPeerAsync", "cudaMemcpyDeviceToDevice"))]
    pub fn copy<T: Element>(
        &self,
        from: &impl DeviceSlice<T>,
        to: &mut impl DeviceSliceMut<T>,
    ) -> Result<()> {
        let (from, to) = (from.part(), to.part());
        if *from.gpu() != self.gpu {
            self.same_device("to", to.gpu())?;
        }
        same_length(from.len(), to.len())?;
        if from.is_same(to) {
            return Ok(()); // What is in it already.
        }
        from.uses().order(Access::Read, &self.inner)?;
        to.uses().order(Access::Write, &self.inner)?;
        let ticket = self.inner.ask(|queue| match from.gpu() == to.gpu() {
            // SAFETY: as in `copy_to_device`.
            true => unsafe { queue.copy(to.address(), from.address(), to.memory().bytes) },
            // SAFETY: as in `copy_to_device`; one side is on this device, by the lines above.
            false => unsafe {
                queue.copy_across(to.gpu().side(&to.memory()), from.gpu().side(&from.memory()))
            },
        })?;
        from.uses().enter(Access::Read, &self.inner, ticket);
        to.uses().enter(Access::Write, &self.inner, ticket);
        self.gpu.copied(CopyKind::OnDevice, to.memory().bytes, self.copying());
        Ok(())
    }

    /// Sets every element to zero (`false`).
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when the buffer is not on the stream's device; the driver's error,
    /// [`Error::Cuda`].
    #[doc(alias = "cudaMemsetAsync")]
    pub fn set_zero<T: Element>(&self, buffer: &mut impl DeviceSliceMut<T>) -> Result<()> {
        let buffer = buffer.part();
        self.same_device("to", buffer.gpu())?;
        buffer.uses().order(Access::Write, &self.inner)?;
        // SAFETY: as in `copy_to_device`.
        let ticket =
            self.inner.ask(|queue| unsafe { queue.zero(buffer.address(), buffer.memory().bytes) })?;
        buffer.uses().enter(Access::Write, &self.inner, ticket);
        self.gpu.copied(CopyKind::Zeros, buffer.memory().bytes, self.copying());
        Ok(())
    }

    fn check(&self, from: (&'static str, &Gpu, usize), to: (&'static str, &Gpu, usize)) -> Result<()> {
        self.same_device(from.0, from.1)?;
        self.same_device(to.0, to.1)?;
        same_length(from.2, to.2)
    }

    fn same_device(&self, what: &'static str, gpu: &Gpu) -> Result<()> {
        if *gpu == self.gpu {
            return Ok(());
        }
        Err(Error::OtherDevice { what, expected: self.gpu.to_string(), found: gpu.name_beside(&self.gpu) })
    }
}

/// Refuses a copy between two lengths.
fn same_length(from: usize, to: usize) -> Result<()> {
    if from == to { Ok(()) } else { Err(Error::CopyLength { from, to }) }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({})", self.gpu)
    }
}
