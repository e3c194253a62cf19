//! Memory of the host that streams copy from and to.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::backend::{HOST_ALIGN, HostMemory};
use crate::element::{Element, WholeElement, first_invalid};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::lent::LentPinned;
use crate::stream::{Access, Uses};

/// A slice in page-locked memory of the host, from which and to which a device copies by itself: [`Stream::copy_to_device`] and
/// [`Stream::copy_to_host`]. [`Gpu::pinned`] and [`Gpu::pinned_from`] make one. On the simulator it is ordinary memory.
///
/// The host gets at it by [`read`](PinnedBuffer::read) and [`write`](PinnedBuffer::write), which wait for the copies that must go first.
///
/// [`Stream::copy_to_device`]: crate::Stream::copy_to_device
/// [`Stream::copy_to_host`]: crate::Stream::copy_to_host
#[doc(alias("cudaMallocHost", "cudaHostAlloc", "cudaFreeHost"))]
pub struct PinnedBuffer<T> {
    /// Dropped by this type's `drop`, once no stream uses it; so before the device that it is for.
    memory: ManuallyDrop<Box<dyn HostMemory>>,
    gpu: Gpu,
    len: usize,
    uses: Uses,
    /// Something may be in it that no check has seen.
    unchecked: AtomicBool,
    /// A graph writes it when it likes.
    of_a_graph: AtomicBool,
    elements: PhantomData<T>,
}

impl<T: WholeElement> PinnedBuffer<T> {
    pub(crate) fn zeros(gpu: &Gpu, len: usize) -> Result<PinnedBuffer<T>> {
        const { assert!(align_of::<T>() <= HOST_ALIGN, "elements are not aligned to more than that") };
        // A length that overflows is beyond any memory: the allocation then says so.
        let memory =
            ManuallyDrop::new(gpu.backend().clone().host_memory(len.saturating_mul(size_of::<T>()))?);
        let (uses, unchecked) = (Uses::default(), AtomicBool::new(true));
        let (gpu, of_a_graph) = (gpu.clone(), AtomicBool::new(false));
        Ok(PinnedBuffer { memory, gpu, len, uses, unchecked, of_a_graph, elements: PhantomData })
    }

    pub(crate) fn from_slice(gpu: &Gpu, data: &[T]) -> Result<PinnedBuffer<T>> {
        let mut buffer = PinnedBuffer::zeros(gpu, data.len())?;
        let start = buffer.memory.start().as_ptr().cast::<T>();
        // SAFETY: new memory for so many elements, aligned for them.
        unsafe { start.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        buffer.unchecked = AtomicBool::new(false);
        Ok(buffer)
    }
}

impl<T: Element> PinnedBuffer<T> {
    /// Its length in elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that it is for.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Its elements. Waits until no stream copies to it any more.
    ///
    /// # Errors
    ///
    /// The failure of the stream that was waited for; [`Error::InvalidValue`].
    pub fn read(&self) -> Result<&[T]> {
        self.uses.wait(Access::Read)?;
        self.check()?;
        // SAFETY: so many elements are there, aligned, and valid by the line above. While the slice lives the buffer is borrowed, so that no copy to
        // it can be asked for, and those before are over.
        Ok(unsafe { slice::from_raw_parts(self.memory.start().as_ptr().cast(), self.len) })
    }

    /// Its elements, to be written. Waits until no stream uses it any more.
    ///
    /// # Errors
    ///
    /// The failure of the streams that were waited for; [`Error::InvalidValue`].
    pub fn write(&mut self) -> Result<&mut [T]> {
        self.uses.wait(Access::Write)?;
        self.check()?;
        // SAFETY: as in `read`; no copy at all can be asked for.
        Ok(unsafe { slice::from_raw_parts_mut(self.memory.start().as_ptr().cast(), self.len) })
    }

    /// Handles on it that may be copied, for [graphs](crate::graph). As long as there are any, the memory is theirs.
    pub fn lend(&mut self) -> LentPinned<'_, T> {
        LentPinned::new(self)
    }

    /// Copies from a slice of the same length, for whoever lends it: nobody else has it, or a reference into it.
    pub(crate) fn replace(&self, data: &[T]) -> Result<()> {
        if data.len() != self.len {
            return Err(Error::Length { buffer: self.len, host: data.len() });
        }
        self.uses.wait(Access::Write)?;
        let start = self.memory.start().as_ptr().cast::<T>();
        // SAFETY: memory for so many elements, aligned for them. No stream uses it, by the line above, and nobody has a reference into it: the
        // handles that lend it give none.
        unsafe { start.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        self.unchecked.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Looks at values that a device has written.
    fn check(&self) -> Result<()> {
        if !self.unchecked.load(Ordering::Relaxed) && !self.of_a_graph.load(Ordering::Relaxed) {
            return Ok(());
        }
        let start = self.memory.start().as_ptr();
        // SAFETY: so many elements are there, aligned, and initialised from the start; no copy to them is going on.
        if let Some((index, number)) = unsafe { first_invalid::<T>(start, self.len) } {
            return Err(Error::InvalidValue { element: std::any::type_name::<T>(), index, number });
        }
        self.unchecked.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Uses of it by streams.
    pub(crate) fn uses(&self) -> &Uses {
        &self.uses
    }

    /// Its first byte.
    pub(crate) fn start(&self) -> *const u8 {
        self.memory.start().as_ptr()
    }

    /// Its first byte, for copies of a graph from a device.
    pub(crate) fn start_of_lent(&self) -> *mut u8 {
        self.of_a_graph.store(true, Ordering::Relaxed);
        self.memory.start().as_ptr()
    }

    /// Its first byte, for a copy from a device.
    pub(crate) fn start_to_write(&mut self) -> *mut u8 {
        *self.unchecked.get_mut() = true;
        self.memory.start().as_ptr()
    }
}

impl<T> Drop for PinnedBuffer<T> {
    /// Leaks the memory if the wait fails: the device may still copy from it or to it.
    fn drop(&mut self) {
        if self.uses.settle() {
            // SAFETY: dropped once, here.
            unsafe { ManuallyDrop::drop(&mut self.memory) };
        }
    }
}

impl<T: Element> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBuffer<{}>({} elements for {})", std::any::type_name::<T>(), self.len, self.gpu)
    }
}
