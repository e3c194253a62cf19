//! Beside `cudarc`: its contexts, streams and slices become ours and ours its, without a copy. Behind the feature `cudarc`.
//!
//! The feature neither chooses a version of CUDA nor how `cudarc` finds the driver: name both in your own dependency on `cudarc` 0.19, or
//! let candle's, burn's or another's stand (`cudarc = { version = "0.19", features = ["cuda-version-from-build-system", "fallback-latest",
//! "dynamic-loading"] }`).
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use kernel_runtime::cudarc::driver::{CudaContext, CudaSlice};
//! use kernel_runtime::prelude::*;
//!
//! #[kernel]
//! pub fn double(x: &mut [f32]) {
//!     let i = global_idx().x;
//!     if i < x.len() {
//!         x[i] *= 2.0;
//!     }
//! }
//!
//! fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
//!     // A program that has a context, a stream and data already.
//!     let context = CudaContext::new(0)?;
//!     let theirs = context.new_stream()?;
//!     let slice: CudaSlice<f32> = theirs.clone_htod(&[1.0f32, 2.0, 3.0])?;
//!
//!     // SAFETY: nobody captures the stream.
//!     let stream = unsafe { Stream::from_cudarc(&theirs) }?; // the same stream: what both ask for is done in order
//!     let mut x = DeviceBuffer::try_from(slice)?;
//!     double(&mut x).over(3).start(&stream)?;
//!     let slice = x.into_cudarc(&theirs)?; // the host waits for nothing
//!     assert_eq!(theirs.clone_dtoh(&slice)?, [2.0, 4.0, 6.0]);
//!     Ok(())
//! }
//! ```
//!
//! Everything here lives in the primary context of its device, which [`CudaContext::new`] takes as well. The memory of a buffer moves from one
//! owner to the other, or is [borrowed](Stream::borrow) for a while; events order what both do with it, and the host waits for nothing.
//!
//! # Captured streams
//!
//! Between [`CudaStream::begin_capture`] and [`CudaStream::end_capture`] a stream does nothing: what it is asked for becomes part of a graph, whose
//! launches do it, as often as they like and for as long as the graph lives. A launch or copy of ours that is captured so would use its
//! buffers after they are gone, or while the host is at them. Capture begins by safe functions, on any thread, and also spreads to a stream that
//! waits for one that is captured; so [`Stream::from_cudarc`] is `unsafe`, and leaves it to the program that no such thing happens. What [`Stream`]
//! can see it refuses: asked for something while its stream is captured, it returns [`CudaError::Captured`].
//!
//! [`Gpu::graph`] records launches and copies of ours, and its graph keeps their buffers.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError, SyncOnDrop};

use crate::backend::cuda::CudaDevice;
use crate::buffer::DeviceBuffer;
use crate::element::Element;
use crate::error::{CudaError, Error, Result};
use crate::gpu::Gpu;
use crate::sliced::{BufferSlice, BufferSliceMut};
use crate::stream::{Access, Inner, Stream};

/// An error of `cudarc`'s as one of ours.
fn failed(call: &'static str) -> impl Fn(DriverError) -> Error {
    move |error: DriverError| {
        let text = |text: Result<&std::ffi::CStr, DriverError>, otherwise: &str| {
            text.map_or(otherwise.to_owned(), |text| text.to_string_lossy().into_owned())
        };
        Error::Cuda(CudaError::Call {
            call,
            code: error.0 as u32,
            name: text(error.error_name(), "unknown error"),
            description: text(error.error_string(), "which the driver does not describe"),
        })
    }
}

/// The CUDA device behind a handle.
fn cuda<'gpu>(gpu: &'gpu Gpu, what: &'static str) -> Result<&'gpu CudaDevice> {
    gpu.backend().as_cuda().ok_or_else(|| Error::Cuda(CudaError::NotCuda { device: gpu.to_string(), what }))
}

/// Refuses what lives in another context of the device.
fn same_context(gpu: &Gpu, context: &CudaContext, what: &'static str) -> Result<()> {
    let device = cuda(gpu, "context of CUDA's")?;
    let ordinal = device.ordinal();
    if device.is_context(context.cu_ctx().cast()) {
        Ok(())
    } else {
        Err(CudaError::OtherContext { what, ordinal }.into())
    }
}

impl Gpu {
    /// The context of this device for `cudarc`: that in which kernels run and buffers lie.
    ///
    /// # Errors
    ///
    /// [`CudaError::NotCuda`] on the simulator.
    pub fn cudarc_context(&self) -> Result<Arc<CudaContext>> {
        let ordinal = cuda(self, "context of CUDA's")?.ordinal();
        CudaContext::new(ordinal as usize).map_err(failed("CudaContext::new"))
    }
}

impl TryFrom<&Arc<CudaContext>> for Gpu {
    type Error = Error;

    /// The device of a context.
    ///
    /// # Errors
    ///
    /// [`CudaError::OtherContext`] when it is not the primary context of its device.
    fn try_from(context: &Arc<CudaContext>) -> Result<Gpu> {
        let gpu = Gpu::cuda(u32::try_from(context.ordinal()).unwrap_or(u32::MAX))?;
        same_context(&gpu, context, "the context")?;
        Ok(gpu)
    }
}

impl Stream {
    /// Wraps a stream of `cudarc`'s: work queued on either is done in order. `cudarc`'s lives as long as this one.
    ///
    /// # Safety
    ///
    /// While what this returns is asked for things, nobody captures the stream, or makes it wait for one that is being captured: see
    /// [captured streams](crate::interop#captured-streams).
    ///
    /// # Errors
    ///
    /// [`CudaError::OtherContext`] when it is not in the primary context of its device.
    pub unsafe fn from_cudarc(stream: &Arc<CudaStream>) -> Result<Stream> {
        let gpu = Gpu::try_from(stream.context())?;
        // SAFETY: the stream destroys its handle when it is dropped, and is of this context, as just checked.
        let queue =
            unsafe { cuda(&gpu, "stream of CUDA's")?.adopt(stream.cu_stream().cast(), stream.clone()) }?;
        Ok(Stream::over(&gpu, queue, stream.clone()))
    }
}

impl<T: Element> TryFrom<CudaSlice<T>> for DeviceBuffer<T> {
    type Error = Error;

    /// The memory of a slice. The host waits for nothing: what uses the buffer comes after what `cudarc` knows to use the slice.
    ///
    /// # Errors
    ///
    /// [`CudaError::OtherContext`] when it is not in the primary context of its device; [`CudaError::Captured`] when its stream is being
    /// captured: then the memory stays allocated.
    fn try_from(slice: CudaSlice<T>) -> Result<DeviceBuffer<T>> {
        let gpu = Gpu::try_from(slice.context())?;
        if slice.is_empty() {
            return gpu.zeros(0);
        }
        let (len, stream) = (slice.len(), slice.stream().clone());
        // The stream waits for what others do with the slice, and whatever uses the buffer for the stream.
        let address = slice.leak();
        // An error leaves the memory allocated: work that was queued through `cudarc` may still use it.
        stream.context().check_err().map_err(failed("cuStreamWaitEvent"))?;
        // SAFETY: the stream destroys its handle when it is dropped, and is of this context, as just checked.
        let before =
            unsafe { cuda(&gpu, "stream of CUDA's")?.past(stream.cu_stream().cast(), stream.clone()) }?;
        let before = Inner::foreign(gpu.backend(), before, gpu.printing());
        let ticket = before.ask(|_| Ok(()))?;
        // SAFETY: memory of this context for so many elements, which the slice has given away. What may use it still is entered at once.
        let buffer = unsafe { DeviceBuffer::adopt(&gpu, address, len) };
        buffer.uses().enter(Access::Write, &before, ticket);
        Ok(buffer)
    }
}

impl<T: Element + bytemuck::AnyBitPattern> DeviceBuffer<T> {
    /// The memory as a slice of `cudarc`'s. The host waits for nothing: the stream, on which the slice is freed, waits for what uses the memory
    /// now, and so do other streams of `cudarc`'s that use the slice, as long as `cudarc` tracks such uses by events. Errors of kernels are left for
    /// the streams that they were started on to report.
    ///
    /// For types of which any bytes are a value: `cudarc` does not look at what a device wrote, as [`to_vec`](DeviceBuffer::to_vec) does.
    ///
    /// # Errors
    ///
    /// [`CudaError::OtherContext`] when the stream is not in the context of the buffer; [`CudaError::NotCuda`] on the simulator;
    /// [`CudaError::Captured`] when the stream is being captured; [`CudaError::InUse`] when neither the stream nor the host can wait.
    pub fn into_cudarc(mut self, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
        same_context(self.gpu(), stream.context(), "the context of the stream")?;
        stream.context().bind_to_thread().map_err(failed("CudaContext::bind_to_thread"))?;
        let (gpu, len) = (self.gpu().clone(), self.len());
        // SAFETY: the stream destroys its handle when it is dropped, and is of this context, as just checked.
        let queue =
            unsafe { cuda(&gpu, "stream of CUDA's")?.adopt(stream.cu_stream().cast(), stream.clone()) }?;
        queue.check()?;
        let after = Inner::foreign(gpu.backend(), queue, gpu.printing());
        if !self.settle_before(&after) {
            self.leave();
            return Err(CudaError::InUse { device: gpu.to_string() }.into());
        }
        // Every slice of `cudarc`'s has memory to free.
        let address = if len == 0 { gpu.zeros::<u8>(1)?.leave() } else { self.leave() };
        // SAFETY: an allocation of this context for so many elements, which nobody else frees; what uses it still the stream waits for. Any bytes
        // are values; where nobody has written, whoever made the buffer `uninitialized` has promised that nobody reads.
        let mut slice = unsafe { stream.upgrade_device_ptr(address, len) };
        // Records the event that other streams wait for.
        drop(slice.device_ptr_mut(stream));
        Ok(slice)
    }
}

impl Stream {
    /// Borrows memory of `cudarc`'s to be read: a [`CudaSlice`] or a [`CudaView`](cudarc::driver::CudaView).
    ///
    /// The host waits for nothing. What the returned value is used for comes after what `cudarc` knows to write the memory, on whatever stream it is
    /// started; and what `cudarc` asks for after the value is dropped comes after that. `cudarc` knows of uses on several streams as long as it
    /// tracks them by events, which it does unless told otherwise.
    ///
    /// ```no_run
    /// # use kernel_runtime::{cudarc, prelude::*};
    /// # #[kernel]
    /// # fn add(x: &[f32], y: &mut [f32]) {
    /// #     let i = global_idx().x;
    /// #     if i < x.len() && i < y.len() {
    /// #         y[i] += x[i];
    /// #     }
    /// # }
    /// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    /// let theirs = cudarc::driver::CudaContext::new(0)?.new_stream()?;
    /// let (x, mut y) = (theirs.clone_htod(&[1.0f32; 100])?, theirs.alloc_zeros::<f32>(100)?);
    /// let (view, mut view_mut) = (x.slice(50..), y.slice_mut(..50));
    ///
    /// // SAFETY: nobody captures the stream, and no borrow is forgotten.
    /// let stream = unsafe { Stream::from_cudarc(&theirs) }?;
    /// let (x, mut y) = unsafe { (stream.borrow(&view)?, stream.borrow_mut(&mut view_mut)?) };
    /// add(x.as_slice(), &mut y.as_mut_slice()).over(50).start(&stream)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// The value is dropped, not forgotten: its drop is what makes `cudarc` wait.
    ///
    /// # Errors
    ///
    /// [`CudaError::NotOfCudarc`] when the stream was not made by [`from_cudarc`](Stream::from_cudarc); [`CudaError::OtherContext`] when the
    /// memory is not in its context; [`CudaError::Captured`] when it is being captured.
    pub unsafe fn borrow<'a, T: Element, M: DevicePtr<T>>(
        &'a self,
        memory: &'a M,
    ) -> Result<CudarcSlice<'a, T>> {
        let theirs = self.beside(memory.stream())?;
        let (address, end) = memory.device_ptr(theirs);
        theirs.context().check_err().map_err(failed("cuStreamWaitEvent"))?;
        Ok(CudarcSlice(Loan::new(self, (address, memory.len()), end)?))
    }

    /// Borrows memory of `cudarc`'s to be written: a [`CudaSlice`] or a [`CudaViewMut`](cudarc::driver::CudaViewMut). As [`borrow`](Stream::borrow),
    /// and after all that uses the memory.
    ///
    /// # Safety
    ///
    /// As of [`borrow`](Stream::borrow).
    ///
    /// # Errors
    ///
    /// As of [`borrow`](Stream::borrow).
    pub unsafe fn borrow_mut<'a, T: Element, M: DevicePtrMut<T>>(
        &'a self,
        memory: &'a mut M,
    ) -> Result<CudarcSliceMut<'a, T>> {
        let theirs = self.beside(memory.stream())?;
        let len = memory.len();
        let (address, end) = memory.device_ptr_mut(theirs);
        theirs.context().check_err().map_err(failed("cuStreamWaitEvent"))?;
        Ok(CudarcSliceMut(Loan::new(self, (address, len), end)?))
    }

    /// The stream as one of `cudarc`'s, if it is one, of the same context as that of the memory.
    fn beside(&self, memory: &CudaStream) -> Result<&CudaStream> {
        let theirs = self.theirs().ok_or(CudaError::NotOfCudarc)?;
        same_context(self.gpu(), memory.context(), "the context of the memory")?;
        self.inner().queue().check()?;
        Ok(theirs)
    }
}

/// Memory of `cudarc`'s that is read: [`Stream::borrow`].
#[derive(Debug)]
pub struct CudarcSlice<'a, T: Element>(Loan<'a, T>);

/// Memory of `cudarc`'s that is written: [`Stream::borrow_mut`].
#[derive(Debug)]
pub struct CudarcSliceMut<'a, T: Element>(Loan<'a, T>);

impl<T: Element> CudarcSlice<'_, T> {
    /// It as a part of a buffer, for launches and copies.
    pub fn as_slice(&self) -> BufferSlice<'_, T> {
        self.0.buffer.as_slice()
    }
}

impl<T: Element> CudarcSliceMut<'_, T> {
    /// It as a part of a buffer to be read, for launches and copies.
    pub fn as_slice(&self) -> BufferSlice<'_, T> {
        self.0.buffer.as_slice()
    }

    /// It as a part of a buffer, for launches and copies.
    pub fn as_mut_slice(&mut self) -> BufferSliceMut<'_, T> {
        self.0.buffer.as_mut_slice()
    }
}

/// Memory of somebody else's as a buffer, until the stream has waited for all that uses it.
struct Loan<'a, T: Element> {
    /// Given back before it is dropped.
    buffer: DeviceBuffer<T>,
    stream: &'a Stream,
    /// Records when it is dropped, after [`drop`](Loan::drop), the event by which `cudarc` knows of the use.
    _end: SyncOnDrop<'a>,
}

impl<'a, T: Element> Loan<'a, T> {
    /// A loan of so many elements at an address, which the stream has been made to wait for.
    fn new(stream: &'a Stream, (address, len): (u64, usize), end: SyncOnDrop<'a>) -> Result<Loan<'a, T>> {
        // SAFETY: memory of this context for so many elements, borrowed by the value that `end` is of, and given back in `drop`.
        let buffer = unsafe { DeviceBuffer::adopt(stream.gpu(), address, len) };
        let loan = Loan { buffer, stream, _end: end };
        // Other streams wait for what this one has waited for, too.
        let ticket = stream.inner().ask(|_| Ok(()))?;
        loan.buffer.uses().enter(Access::Write, stream.inner(), ticket);
        Ok(loan)
    }
}

impl<T: Element> Drop for Loan<'_, T> {
    /// Makes the stream wait for all that uses the memory. Where neither it nor the host can wait, the device is lost, and with it the work.
    fn drop(&mut self) {
        self.buffer.settle_before(self.stream.inner());
        self.buffer.leave();
    }
}

impl<T: Element> std::fmt::Debug for Loan<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.buffer.fmt(f)
    }
}
