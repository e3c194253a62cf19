//! Parts of buffers: kernels and copies take them where they take a whole buffer.

use std::fmt;
use std::ops::{Bound, RangeBounds};

use crate::account::CopyKind;
use crate::backend::Allocation;
use crate::buffer::DeviceBuffer;
use crate::element::{Element, read_vec};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::indices::IndexBuffer;
use crate::lent::Lent;
use crate::stream::{Access, OneThread, Uses};

/// A part of a buffer, for a kernel's parameter `&[T]` and as the source of copies: [`DeviceBuffer::slice`].
///
/// Streams remember uses of the whole buffer: what reads one part waits for what writes another. Parts stay on their thread, so that
/// these uses are entered one after another:
///
/// ```compile_fail,E0277
/// fn is_send<T: Send>() {}
/// is_send::<kernel_runtime::BufferSlice<'_, f32>>();
/// ```
/// ```compile_fail,E0277
/// fn is_sync<T: Sync>() {}
/// is_sync::<kernel_runtime::BufferSliceMut<'_, f32>>();
/// ```
pub struct BufferSlice<'a, T> {
    buffer: &'a DeviceBuffer<T>,
    start: usize,
    len: usize,
    /// Of a buffer that is lent: it may be another argument of the launch as well.
    pub(crate) is_lent: bool,
    _one_thread: OneThread,
}

/// A part of a buffer that is written, for a kernel's parameter `&mut [T]` and as the destination of copies:
/// [`DeviceBuffer::slice_mut`], [`DeviceBuffer::split_at_mut`].
pub struct BufferSliceMut<'a, T> {
    part: BufferSlice<'a, T>,
}

/// Memory of a device that copies read: a buffer, a part of one, or a handle on one that is lent.
#[diagnostic::on_unimplemented(
    message = "a copy of `{T}` on a device takes a buffer of `{T}` or a part of one, found `{Self}`",
    label = "expected `DeviceBuffer<{T}>` or a part of one"
)]
pub trait DeviceSlice<T>: private::Sealed {
    #[doc(hidden)]
    fn part(&self) -> BufferSlice<'_, T>;
}

/// Memory of a device that copies write.
#[diagnostic::on_unimplemented(
    message = "a copy of `{T}` to a device takes a buffer of `{T}` or a part of one that is written, found `{Self}`",
    label = "expected `DeviceBuffer<{T}>` or `BufferSliceMut<'_, {T}>`"
)]
pub trait DeviceSliceMut<T>: DeviceSlice<T> {}

mod private {
    pub trait Sealed {}
}

macro_rules! device_slices {
    ($($name:ty, $this:ident => $part:expr;)*) => {$(
        impl<T> private::Sealed for $name {}

        impl<T: Element> DeviceSlice<T> for $name {
            fn part(&self) -> BufferSlice<'_, T> {
                let $this = self;
                $part
            }
        }
    )*};
}
device_slices! {
    DeviceBuffer<T>, buffer => buffer.as_slice();
    BufferSlice<'_, T>, part => *part;
    BufferSliceMut<'_, T>, part => part.as_slice();
    Lent<'_, T>, lent => lent.as_part();
    IndexBuffer<T>, indices => indices.as_slice();
}
impl<T: Element> DeviceSliceMut<T> for DeviceBuffer<T> {}
impl<T: Element> DeviceSliceMut<T> for BufferSliceMut<'_, T> {}
impl<T: Element> DeviceSliceMut<T> for Lent<'_, T> {}

// A derived implementation would ask for the same of `T`.
impl<T> Clone for BufferSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for BufferSlice<'_, T> {}

impl<T: Element> DeviceBuffer<T> {
    /// A part of the buffer.
    ///
    /// ```
    /// use kernel_runtime::prelude::*;
    ///
    /// #[kernel]
    /// fn scale(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx().x;
    ///     if i < x.len() && i < y.len() {
    ///         y[i] = 2.0 * x[i];
    ///     }
    /// }
    ///
    /// let gpu = Gpu::simulator(Arch::Sm90);
    /// let mut x = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let (first, mut last) = x.split_at_mut(2)?;
    /// scale(first.as_slice(), &mut last).over(2).run()?;
    /// assert_eq!(x.slice(1..)?.to_vec()?, [2.0, 2.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Range`] if the range ends behind the buffer or before its own start.
    #[doc(alias = "try_slice")]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<BufferSlice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// A part of the buffer that is written.
    ///
    /// # Errors
    /// As [`slice`](Self::slice).
    #[doc(alias = "try_slice_mut")]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<BufferSliceMut<'_, T>> {
        Ok(BufferSliceMut { part: self.slice(range)? })
    }

    /// The parts before and from an element on, which one launch may be given both.
    ///
    /// # Errors
    /// [`Error::Range`] if that is behind the buffer's end.
    pub fn split_at_mut(&mut self, at: usize) -> Result<(BufferSliceMut<'_, T>, BufferSliceMut<'_, T>)> {
        self.as_slice().split_mut(at)
    }

    /// All of it as a part that is written.
    pub fn as_mut_slice(&mut self) -> BufferSliceMut<'_, T> {
        BufferSliceMut { part: self.as_slice() }
    }

    /// All of it as a part.
    pub fn as_slice(&self) -> BufferSlice<'_, T> {
        BufferSlice { buffer: self, start: 0, len: self.len(), is_lent: false, _one_thread: OneThread::new() }
    }
}

impl<'a, T: Element> BufferSlice<'a, T> {
    /// Its length in elements.
    pub fn len(self) -> usize {
        self.len
    }

    /// Returns true if it has no elements.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The device that it is on.
    pub fn gpu(self) -> &'a Gpu {
        self.buffer.gpu()
    }

    /// A part of it.
    ///
    /// # Errors
    /// As [`DeviceBuffer::slice`].
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<BufferSlice<'a, T>> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len,
        };
        if start > end || end > self.len {
            return Err(Error::Range { start, end, len: self.len });
        }
        Ok(BufferSlice { start: self.start + start, len: end - start, ..self })
    }

    /// Two parts that are written. The caller has borrowed this one with `&mut`.
    fn split_mut(self, at: usize) -> Result<(BufferSliceMut<'a, T>, BufferSliceMut<'a, T>)> {
        Ok((BufferSliceMut { part: self.slice(..at)? }, BufferSliceMut { part: self.slice(at..)? }))
    }

    /// A copy on the host. As [`DeviceBuffer::to_vec`] it waits for whoever writes the buffer.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::to_vec`].
    #[doc(alias("cudaMemcpy", "cudaMemcpyDeviceToHost"))]
    pub fn to_vec(self) -> Result<Vec<T>> {
        self.uses().wait(Access::Read)?;
        let bytes = self.memory().bytes;
        let read = self.gpu().counting(CopyKind::ToHost, bytes, || {
            read_vec(self.len, |bytes| self.gpu().backend().read(&self.memory(), bytes))
        })?;
        let element = std::any::type_name::<T>();
        read.map_err(|(index, number)| Error::InvalidValue { element, index, number })
    }

    /// Copies to the host, into a slice of the same length.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::copy_to_slice`].
    #[doc(alias("cudaMemcpy", "cudaMemcpyDeviceToHost"))]
    pub fn copy_to_slice(self, data: &mut [T]) -> Result<()> {
        self.same_length(data.len())?;
        data.copy_from_slice(&self.to_vec()?);
        Ok(())
    }

    /// Copies from the host. The caller may write it.
    pub(crate) fn replace(self, data: &[T]) -> Result<()> {
        self.same_length(data.len())?;
        self.uses().wait(Access::Write)?;
        let memory = self.memory();
        let bytes = T::bytes_of(data);
        self.gpu().uploading(&bytes);
        self.gpu().counting(CopyKind::ToDevice, memory.bytes, || self.gpu().backend().write(&memory, &bytes))
    }

    /// The part as that of a buffer that is lent: it may be another argument as well.
    pub(crate) fn lent(self) -> Self {
        BufferSlice { is_lent: true, ..self }
    }

    /// Copies from another one of the same length. The caller may write this one.
    pub(crate) fn copy_from(self, from: BufferSlice<'_, T>) -> Result<()> {
        if from.len != self.len {
            return Err(Error::CopyLength { from: from.len, to: self.len });
        }
        if self.is_same(from) {
            return Ok(()); // What is in it already.
        }
        from.uses().wait(Access::Read)?;
        self.uses().wait(Access::Write)?;
        let (here, memory) = (self.gpu().backend(), self.memory());
        self.gpu().counting(CopyKind::OnDevice, memory.bytes, || match from.gpu() == self.gpu() {
            true => here.copy(&memory, from.address()),
            false => here.copy_across(&memory, from.gpu().side(&from.memory())),
        })
    }

    /// Sets every element to zero (`false`). The caller may write it.
    pub(crate) fn clear(self) -> Result<()> {
        self.uses().wait(Access::Write)?;
        let memory = self.memory();
        self.gpu().counting(CopyKind::Zeros, memory.bytes, || self.gpu().backend().zero(&memory))
    }

    /// Its address in the device's memory; 0 in a buffer without elements.
    pub(crate) fn address(self) -> u64 {
        self.buffer.address() + (self.start * size_of::<T>()) as u64
    }

    /// Uses by streams of the buffer that it is in.
    pub(crate) fn uses(self) -> &'a Uses {
        self.buffer.uses()
    }

    /// Returns true if both are handles on the same memory. Parts that are borrowed apart share no element.
    pub(crate) fn is_same(self, other: BufferSlice<'_, T>) -> bool {
        std::ptr::eq(self.buffer, other.buffer) && self.start == other.start
    }

    /// Its memory, as the whole of an allocation.
    pub(crate) fn memory(self) -> Allocation {
        Allocation { address: self.address(), bytes: self.len * size_of::<T>() }
    }

    fn same_length(self, host: usize) -> Result<()> {
        if host == self.len { Ok(()) } else { Err(Error::Length { buffer: self.len, host }) }
    }
}

impl<T: Element> BufferSliceMut<'_, T> {
    /// Its length in elements.
    pub fn len(&self) -> usize {
        self.part.len
    }

    /// Returns true if it has no elements.
    pub fn is_empty(&self) -> bool {
        self.part.is_empty()
    }

    /// The device that it is on.
    pub fn gpu(&self) -> &Gpu {
        self.part.gpu()
    }

    /// This part to be read.
    pub fn as_slice(&self) -> BufferSlice<'_, T> {
        self.part
    }

    /// A part of it to be read.
    ///
    /// # Errors
    /// As [`DeviceBuffer::slice`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<BufferSlice<'_, T>> {
        self.part.slice(range)
    }

    /// A part of it.
    ///
    /// # Errors
    /// As [`DeviceBuffer::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<BufferSliceMut<'_, T>> {
        Ok(BufferSliceMut { part: self.part.slice(range)? })
    }

    /// The parts before and from an element on.
    ///
    /// # Errors
    /// As [`DeviceBuffer::split_at_mut`].
    pub fn split_at_mut(&mut self, at: usize) -> Result<(BufferSliceMut<'_, T>, BufferSliceMut<'_, T>)> {
        self.part.split_mut(at)
    }

    /// A copy on the host. As [`DeviceBuffer::to_vec`] it waits for whoever writes the buffer.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::to_vec`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.part.to_vec()
    }

    /// Copies from the host, from a slice of the same length. As [`DeviceBuffer::copy_from_slice`] it waits for whoever uses the buffer.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::copy_from_slice`].
    #[doc(alias("cudaMemcpy", "cudaMemcpyHostToDevice"))]
    pub fn copy_from_slice(&mut self, data: &[T]) -> Result<()> {
        self.part.replace(data)
    }

    /// Copies from a buffer or part of the same length, as [`DeviceBuffer::copy_from`] does.
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from`].
    pub fn copy_from(&mut self, from: &impl DeviceSlice<T>) -> Result<()> {
        self.part.copy_from(from.part())
    }

    /// Sets every element to zero (`false`).
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::set_zero`].
    #[doc(alias = "cudaMemset")]
    pub fn set_zero(&mut self) -> Result<()> {
        self.part.clear()
    }
}

impl<T: Element> fmt::Debug for BufferSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferSlice({}..{} of {:?})", self.start, self.start + self.len, self.buffer)
    }
}

impl<T: Element> fmt::Debug for BufferSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.part.fmt(f)
    }
}
