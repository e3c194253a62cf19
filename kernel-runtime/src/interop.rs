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
//!     let slice = x.into_cudarc(&theirs)?; // waits for the kernel
//!     assert_eq!(theirs.clone_dtoh(&slice)?, [2.0, 4.0, 6.0]);
//!     Ok(())
//! }
//! ```
//!
//! Everything here lives in the primary context of its device, which [`CudaContext::new`] takes as well. The memory of a buffer moves from one
//! owner to the other; whoever gives it away waits until nothing uses it.
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

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError};

use crate::backend::cuda::CudaDevice;
use crate::buffer::DeviceBuffer;
use crate::element::Element;
use crate::error::{CudaError, Error, Result};
use crate::gpu::Gpu;
use crate::stream::Stream;

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
        Stream::over(&gpu, queue)
    }
}

impl<T: Element> TryFrom<CudaSlice<T>> for DeviceBuffer<T> {
    type Error = Error;

    /// The memory of a slice, once nothing that `cudarc` knows of uses it.
    ///
    /// # Errors
    ///
    /// [`CudaError::OtherContext`] when it is not in the primary context of its device.
    fn try_from(slice: CudaSlice<T>) -> Result<DeviceBuffer<T>> {
        let gpu = Gpu::try_from(slice.context())?;
        if slice.is_empty() {
            return gpu.zeros(0);
        }
        let (len, stream) = (slice.len(), slice.stream().clone());
        // The stream waits for what others do with the slice, and this for the stream.
        let address = slice.leak();
        // A failed wait leaves the memory allocated: work that was queued through `cudarc` may still use it.
        stream.synchronize().map_err(failed("CudaStream::synchronize"))?;
        // SAFETY: memory of this context for so many elements, which the slice has given away, and which nothing uses any more.
        Ok(unsafe { DeviceBuffer::adopt(&gpu, address, len) })
    }
}

impl<T: Element + bytemuck::AnyBitPattern> DeviceBuffer<T> {
    /// The memory as a slice of `cudarc`'s, once nothing uses it any more. The stream is that on which the slice is freed.
    ///
    /// For types of which any bytes are a value: `cudarc` does not look at what a device wrote, as [`to_vec`](DeviceBuffer::to_vec) does.
    ///
    /// # Errors
    ///
    /// [`CudaError::OtherContext`] when the stream is not in the context of the buffer; [`CudaError::NotCuda`] on the simulator;
    /// [`CudaError::InUse`] when waiting fails.
    pub fn into_cudarc(self, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
        same_context(self.gpu(), stream.context(), "the context of the stream")?;
        stream.context().bind_to_thread().map_err(failed("CudaContext::bind_to_thread"))?;
        let (gpu, len) = (self.gpu().clone(), self.len());
        // Every slice of `cudarc`'s has memory to free.
        let left = if len == 0 { gpu.zeros::<u8>(1)?.leave() } else { self.leave() };
        let (address, _) = left.ok_or_else(|| CudaError::InUse { device: gpu.to_string() })?;
        // SAFETY: an allocation of this context for so many elements, which nothing uses and nobody else frees. Any bytes are values; where
        // nobody has written, whoever made the buffer `uninitialized` has promised that nobody reads.
        Ok(unsafe { stream.upgrade_device_ptr(address, len) })
    }
}
