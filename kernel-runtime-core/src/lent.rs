//! Buffers that are lent for a while, to be written from several places: what graphs take.

use std::fmt;

use crate::buffer::DeviceBuffer;
use crate::element::Element;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::pinned::PinnedBuffer;
use crate::sliced::BufferSlice;
use crate::stream::OneThread;

/// A handle on a buffer that is borrowed with `&mut`: [`DeviceBuffer::lend`]. Kernels take it for `&[T]` and for `&mut [T]`,
/// and [`matrix`](Lent::matrix) and [`volume`](Lent::volume) of it for views with a shape.
///
/// It may be copied, so that a [`Graph`](crate::Graph) has the buffer and the host reads it between two runs. Nobody else can use the buffer
/// meanwhile, and since all handles stay on their thread, as do the launches and graphs that they are given to, uses by them come one after
/// another: each is entered in the buffer, and what must not be at the same time waits, as for [streams](crate::stream). A launch that is given
/// one buffer twice and writes it is refused.
pub struct Lent<'a, T> {
    buffer: &'a DeviceBuffer<T>,
    _one_thread: OneThread,
}

impl<'a, T: Element> Lent<'a, T> {
    pub(crate) fn new(buffer: &'a mut DeviceBuffer<T>) -> Lent<'a, T> {
        Lent { buffer, _one_thread: OneThread::new() }
    }

    pub(crate) fn buffer(self) -> &'a DeviceBuffer<T> {
        self.buffer
    }

    /// All of the buffer, as a part that is lent.
    pub(crate) fn as_part(self) -> BufferSlice<'a, T> {
        self.buffer.as_slice().lent()
    }

    /// Its length in elements.
    pub fn len(self) -> usize {
        self.buffer.len()
    }

    /// Returns true if it has no elements.
    pub fn is_empty(self) -> bool {
        self.buffer.is_empty()
    }

    /// The device that it is on.
    pub fn gpu(self) -> &'a Gpu {
        self.buffer.gpu()
    }

    /// A copy on the host. As [`DeviceBuffer::to_vec`] it waits for whoever writes the buffer.
    ///
    /// # Errors
    ///
    /// Those of [`DeviceBuffer::to_vec`].
    pub fn to_vec(self) -> Result<Vec<T>> {
        self.buffer.to_vec()
    }

    /// Copies to the host, to a slice of the same length. As [`DeviceBuffer::copy_to_slice`] it waits for whoever writes the buffer.
    ///
    /// # Errors
    ///
    /// Those of [`DeviceBuffer::copy_to_slice`].
    pub fn copy_to_slice(self, data: &mut [T]) -> Result<()> {
        self.buffer.copy_to_slice(data)
    }

    /// Copies from the host, from a slice of the same length. As [`DeviceBuffer::copy_from_slice`] it waits for whoever uses the buffer.
    ///
    /// # Errors
    ///
    /// Those of [`DeviceBuffer::copy_from_slice`].
    pub fn copy_from_slice(self, data: &[T]) -> Result<()> {
        self.buffer.as_slice().replace(data)
    }

    /// Sets all elements to zero. As [`DeviceBuffer::set_zero`] it waits for whoever uses the buffer; a graph does it each time by
    /// [`Recording::set_zero`](crate::Recording::set_zero).
    ///
    /// # Errors
    ///
    /// Those of [`DeviceBuffer::set_zero`].
    #[doc(alias = "cudaMemset")]
    pub fn set_zero(self) -> Result<()> {
        self.buffer.as_slice().clear()
    }
}

/// A handle on page-locked memory that is borrowed with `&mut`: [`PinnedBuffer::lend`]. A [`Graph`](crate::Graph) copies from it and to it.
///
/// As [`Lent`] it may be copied. The host gets at it by copies only, for a graph may write it whenever it is started.
pub struct LentPinned<'a, T> {
    buffer: &'a PinnedBuffer<T>,
    _one_thread: OneThread,
}

impl<'a, T: Element> LentPinned<'a, T> {
    pub(crate) fn new(buffer: &'a mut PinnedBuffer<T>) -> LentPinned<'a, T> {
        LentPinned { buffer, _one_thread: OneThread::new() }
    }

    pub(crate) fn buffer(self) -> &'a PinnedBuffer<T> {
        self.buffer
    }

    /// Its length in elements.
    pub fn len(self) -> usize {
        self.buffer.len()
    }

    /// Returns true if it has no elements.
    pub fn is_empty(self) -> bool {
        self.buffer.is_empty()
    }

    /// A copy of what is in it. As [`PinnedBuffer::read`] it waits for whoever writes it.
    ///
    /// # Errors
    ///
    /// Those of [`PinnedBuffer::read`].
    pub fn to_vec(self) -> Result<Vec<T>> {
        Ok(self.buffer.read()?.to_vec())
    }

    /// Copies from a slice of the same length. As [`PinnedBuffer::write`] it waits for whoever uses it.
    ///
    /// # Errors
    ///
    /// [`Error::Length`](crate::Error::Length); the first error of the streams that use it, which are waited for.
    pub fn copy_from_slice(self, data: &[T]) -> Result<()> {
        self.buffer.replace(data)
    }
}

// Derived implementations would ask for the same of `T`.
impl<T> Clone for Lent<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Lent<'_, T> {}
impl<T> Clone for LentPinned<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for LentPinned<'_, T> {}

impl<T: Element> fmt::Debug for Lent<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lent({:?})", self.buffer)
    }
}

impl<T: Element> fmt::Debug for LentPinned<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LentPinned({:?})", self.buffer)
    }
}
