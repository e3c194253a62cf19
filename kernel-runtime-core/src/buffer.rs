//! Memory on a device, freed when the buffer is dropped.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

use crate::backend::Allocation;
use crate::element::{Element, short_name};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::lent::Lent;
use crate::pointer::DevicePtr;
use crate::sliced::DeviceSlice;
use crate::stream::{Access, Uses};
use ptx_sim::Label;

/// A slice in the memory of a GPU. It keeps its device open.
///
/// Work that streams still do with it is waited for first: by methods that read it for writes, by those that write it and by its drop for
/// every use. They return the errors of the streams that they waited for: see [`Stream`](crate::Stream).
#[doc(alias("cudaMalloc", "cudaFree", "CudaSlice", "device_vector"))]
pub struct DeviceBuffer<T> {
    gpu: Gpu,
    allocation: Allocation,
    len: usize,
    uses: Uses,
    elements: PhantomData<T>,
}

impl<T: Element> DeviceBuffer<T> {
    /// With whatever bits are there.
    #[track_caller]
    pub(crate) fn allocate(gpu: &Gpu, len: usize) -> Result<DeviceBuffer<T>> {
        // A length that overflows is beyond any device's memory: the allocation then says so.
        let bytes = len.saturating_mul(size_of::<T>());
        let allocation = gpu.backend().allocate(bytes)?;
        let label = Label {
            element: short_name(std::any::type_name::<T>()),
            element_bytes: size_of::<T>(),
            made: Location::caller(),
        };
        gpu.backend().label(&allocation, label);
        let uses = Uses::default();
        Ok(DeviceBuffer { gpu: gpu.clone(), allocation, len, uses, elements: PhantomData })
    }

    /// A buffer of memory that somebody else has allocated.
    ///
    /// # Safety
    /// The memory has room for so many elements, is of the device's context, and is nobody else's: this buffer frees it.
    #[cfg(feature = "cudarc")]
    pub(crate) unsafe fn adopt(gpu: &Gpu, address: u64, len: usize) -> DeviceBuffer<T> {
        let allocation = Allocation { address, bytes: len.saturating_mul(size_of::<T>()) };
        DeviceBuffer { gpu: gpu.clone(), allocation, len, uses: Uses::default(), elements: PhantomData }
    }

    /// Leaves the memory to somebody else, who comes after all that uses it now. Returns its address.
    #[cfg(feature = "cudarc")]
    pub(crate) fn leave(&mut self) -> u64 {
        // An allocation of no bytes is not freed.
        std::mem::replace(&mut self.allocation, Allocation { address: 0, bytes: 0 }).address
    }

    /// Makes a stream wait for all that uses the memory, or the host where that fails. Returns false if neither is possible. Errors are left
    /// for the streams to report.
    #[cfg(feature = "cudarc")]
    pub(crate) fn settle_before(&mut self, stream: &std::sync::Arc<crate::stream::Inner>) -> bool {
        self.uses.order(Access::Write, stream).is_ok() || self.uses.settle()
    }

    #[track_caller]
    pub(crate) fn zeros(gpu: &Gpu, len: usize) -> Result<DeviceBuffer<T>> {
        let mut buffer = DeviceBuffer::allocate(gpu, len)?;
        buffer.set_zero()?;
        Ok(buffer)
    }

    #[track_caller]
    pub(crate) fn upload(gpu: &Gpu, data: &[T]) -> Result<DeviceBuffer<T>> {
        let mut buffer = DeviceBuffer::allocate(gpu, data.len())?;
        buffer.copy_from_slice(data)?;
        Ok(buffer)
    }

    /// Its length in elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// A copy on the host.
    ///
    /// # Errors
    ///
    /// The first error of the streams that write it, which are waited for; [`Error::InvalidValue`](crate::Error::InvalidValue) where a kernel has
    /// left bytes that are no `T`; the driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias("cudaMemcpyDeviceToHost", "clone_dtoh", "cudaMemcpy"))]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.as_slice().to_vec()
    }

    /// Copies to the host, into a slice of the same length.
    ///
    /// # Errors
    ///
    /// [`Error::Length`](crate::Error::Length); those of [`to_vec`](DeviceBuffer::to_vec).
    #[doc(alias("cudaMemcpyDeviceToHost", "memcpy_dtoh", "cudaMemcpy"))]
    pub fn copy_to_slice(&self, data: &mut [T]) -> Result<()> {
        self.as_slice().copy_to_slice(data)
    }

    /// Handles on it that may be copied, for [graphs](crate::graph). As long as there are any, the buffer is theirs.
    pub fn lend(&mut self) -> Lent<'_, T> {
        Lent::new(self)
    }

    /// Copies from the host, from a slice of the same length.
    ///
    /// # Errors
    ///
    /// [`Error::Length`](crate::Error::Length); the first error of the streams that use it, which are waited for; the driver's error,
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias("cudaMemcpyHostToDevice", "memcpy_htod", "cudaMemcpy"))]
    pub fn copy_from_slice(&mut self, data: &[T]) -> Result<()> {
        self.as_slice().replace(data)
    }

    /// Copies from another buffer of the same length, or a part of one, which may be on another device: between two GPUs directly where they are
    /// connected, else by way of the host. It is done when this returns.
    ///
    /// ```
    /// use kernel_runtime::prelude::*;
    ///
    /// let (one, other) = (Gpu::simulator(Arch::Sm90), Gpu::simulator(Arch::Sm80));
    /// let x = one.upload(&[1.0f32, 2.0, 3.0])?;
    /// let mut y = other.zeros::<f32>(3)?;
    /// y.copy_from(&x)?;
    /// assert_eq!(y.to_vec()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// A [stream](crate::Stream::copy) copies beside other work.
    ///
    /// # Errors
    ///
    /// [`Error::CopyLength`](crate::Error::CopyLength); what went wrong in streams that use one of both.
    #[doc(alias("cudaMemcpyDeviceToDevice", "cudaMemcpyPeer", "cudaMemcpy"))]
    pub fn copy_from(&mut self, from: &impl DeviceSlice<T>) -> Result<()> {
        self.as_slice().copy_from(from.part())
    }

    /// Sets every element to zero (`false`).
    ///
    /// # Errors
    ///
    /// The first error of the streams that use it, which are waited for; the driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaMemset")]
    pub fn set_zero(&mut self) -> Result<()> {
        self.as_slice().clear()
    }

    /// Waits until nothing writes it any more.
    ///
    /// # Errors
    ///
    /// The failure of the stream that wrote it.
    pub fn wait(&self) -> Result<()> {
        self.uses.wait(Access::Read)
    }

    /// Uses of it by streams.
    pub(crate) fn uses(&self) -> &Uses {
        &self.uses
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.allocation.bytes
    }

    /// Its first element, for kernels that take raw pointers. The pointer borrows nothing: that the buffer is still there when a
    /// kernel follows it, and that nobody else writes where this one does, is for the `unsafe` launch to see to.
    #[doc(alias("CUdeviceptr", "data_ptr"))]
    pub fn as_device_ptr(&self) -> DevicePtr<T> {
        DevicePtr::from_address(self.address())
    }

    /// Its memory.
    pub(crate) fn allocation(&self) -> &Allocation {
        &self.allocation
    }

    /// Its address in the device's memory; 0 for a buffer without elements.
    pub(crate) fn address(&self) -> u64 {
        self.allocation.address
    }
}

impl<T> Drop for DeviceBuffer<T> {
    /// Waits until nobody uses the memory, and leaks it if the wait fails: a kernel may still use it. A buffer without elements has none to wait for.
    fn drop(&mut self) {
        if self.allocation.bytes > 0 && self.uses.settle() {
            self.gpu.backend().free(&self.allocation);
        }
    }
}

impl<T: Element> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBuffer<{}>({} elements on {})", std::any::type_name::<T>(), self.len, self.gpu)
    }
}
