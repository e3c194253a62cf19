//! Validated indices: buffers whose elements are known to be below a bound, for kernels' parameters
//! [`Indices`](crate::device::Indices).
//!
//! Invariant of both types: every element of the buffer is at least 0 and below `bound`. It holds as long as nobody writes the
//! buffer: one borrows it, the other owns it and hands out shared references only.

use std::fmt;
use std::ops::Deref;

use crate::buffer::DeviceBuffer;
use crate::element::{Element, ElementType};
use crate::error::{Error, Result};
use crate::gpu::Gpu;

mod private {
    pub trait Sealed {}
}

/// Types of indices in buffers: the integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of indices",
    label = "expected an integer: `u32`, `i32`, `u64`, …"
)]
pub trait IndexElement: Element + fmt::Display + private::Sealed {
    /// The index; none of a negative number, and of the greatest that 64 bits hold.
    #[doc(hidden)]
    fn index(self) -> Option<usize>;
}

macro_rules! index_elements {
    ($($ty:ty)*) => {$(
        impl private::Sealed for $ty {}

        impl IndexElement for $ty {
            fn index(self) -> Option<usize> {
                usize::try_from(self).ok().filter(|&index| index < usize::MAX)
            }
        }
    )*};
}
index_elements!(u8 u16 u32 u64 i8 i16 i32 i64);

/// A borrowed buffer of indices with their bound, for a kernel's parameter `Indices<'_, T>`: [`DeviceBuffer::indices`].
pub struct BufferIndices<'a, T> {
    pub(crate) buffer: &'a DeviceBuffer<T>,
    pub(crate) bound: usize,
}

// Derived implementations would ask for the same of `T`.
impl<T> Clone for BufferIndices<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for BufferIndices<'_, T> {}

impl<T> BufferIndices<'_, T> {
    /// The number that every element is below: one more than the greatest; 0 if there is none.
    pub fn bound(&self) -> usize {
        self.bound
    }
}

impl<T: Element> fmt::Debug for BufferIndices<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferIndices(below {} of {:?})", self.bound, self.buffer)
    }
}

/// A buffer of indices with their bound, for kernels' parameters `Indices<'_, T>`: pass `&col`.
///
/// It is made by [`Gpu::upload_indices`] and [`DeviceBuffer::into_indices`]. Where a `&DeviceBuffer<T>` is asked for,
/// `&*col` is that buffer. Nobody writes it until [`into_buffer`](IndexBuffer::into_buffer) gives it back without its bound.
pub struct IndexBuffer<T> {
    buffer: DeviceBuffer<T>,
    bound: usize,
}

impl<T: IndexElement> IndexBuffer<T> {
    /// The indices as an argument.
    pub fn indices(&self) -> BufferIndices<'_, T> {
        BufferIndices { buffer: &self.buffer, bound: self.bound }
    }
}

impl<T> IndexBuffer<T> {
    /// The number that every element is below: one more than the greatest; 0 if there is none.
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// The buffer, which may be written again.
    pub fn into_buffer(self) -> DeviceBuffer<T> {
        self.buffer
    }
}

impl<T> Deref for IndexBuffer<T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

impl<T: Element> fmt::Debug for IndexBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IndexBuffer(below {} of {:?})", self.bound, self.buffer)
    }
}

impl Gpu {
    /// A buffer with a copy of these indices, whose bound is found on the way.
    ///
    /// # Errors
    /// [`Error::Indices`] if an element is negative; and as [`upload`](Gpu::upload).
    #[track_caller]
    pub fn upload_indices<T: IndexElement>(&self, indices: &[T]) -> Result<IndexBuffer<T>> {
        let bound = bound(indices)?;
        Ok(IndexBuffer { buffer: self.upload(indices)?, bound })
    }
}

impl<T: IndexElement> DeviceBuffer<T> {
    /// The buffer as indices, for kernels with a parameter `Indices<'_, T>`. While they are borrowed nobody writes it.
    ///
    /// The elements are copied to the host, which searches for the greatest: keep the result for many launches, or use
    /// [`Gpu::upload_indices`], which copies nothing back.
    ///
    /// # Errors
    /// [`Error::Indices`] if an element is negative; and as [`to_vec`](DeviceBuffer::to_vec).
    pub fn indices(&self) -> Result<BufferIndices<'_, T>> {
        Ok(BufferIndices { buffer: self, bound: bound(&self.to_vec()?)? })
    }

    /// The buffer as indices that keep their bound as long as nobody writes it.
    ///
    /// # Errors
    /// As [`indices`](DeviceBuffer::indices).
    pub fn into_indices(self) -> Result<IndexBuffer<T>> {
        let bound = self.indices()?.bound;
        Ok(IndexBuffer { buffer: self, bound })
    }
}

/// One more than the greatest.
fn bound<T: IndexElement>(indices: &[T]) -> Result<usize> {
    let mut bound = 0;
    for (at, element) in indices.iter().enumerate() {
        let Some(index) = element.index() else {
            let element_type = ElementType::of::<T>(std::any::type_name::<T>());
            return Err(Error::Indices {
                element: element.to_string(),
                at,
                len: indices.len(),
                element_type,
            });
        };
        bound = bound.max(index + 1);
    }
    Ok(bound)
}
