//! Buffers seen as matrices and volumes: what kernels take for [`Matrix`](crate::device::Matrix) and its like.

use std::fmt;

use crate::buffer::DeviceBuffer;
use crate::device::{matrix_len, narrow_sizes, volume_len};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::lent::Lent;
use crate::sliced::{BufferSlice, BufferSliceMut};

macro_rules! shaped {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<'a, T> {
            pub(crate) part: BufferSlice<'a, T>,
            /// Sizes with which every element of the view is in the buffer: those that the kernel takes.
            pub(crate) sizes: [u32; 3],
        }

        impl<'a, T: Element> $name<'a, T> {
            /// The device that it is on.
            pub fn gpu(&self) -> &'a Gpu {
                self.part.gpu()
            }
        }

        impl<T: Element> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let [a, b, c] = self.sizes;
                write!(f, "{}({a}, {b}, {c} of {:?})", stringify!($name), self.part)
            }
        }
    };
}

shaped! {
    /// A buffer as a matrix, for a kernel's parameter `Matrix<'_, T>`: [`DeviceBuffer::matrix`].
    BufferMatrix
}
shaped! {
    /// A buffer as a matrix that is written, for a kernel's parameter `MatrixMut<'_, T>`: [`DeviceBuffer::matrix_mut`].
    BufferMatrixMut
}
shaped! {
    /// A buffer as a volume, for a kernel's parameter `Volume<'_, T>`: [`DeviceBuffer::volume`].
    BufferVolume
}
shaped! {
    /// A buffer as a volume that is written, for a kernel's parameter `VolumeMut<'_, T>`: [`DeviceBuffer::volume_mut`].
    BufferVolumeMut
}
shaped! {
    /// A lent buffer as a matrix, for `Matrix<'_, T>` and for `MatrixMut<'_, T>`: [`Lent::matrix`].
    LentMatrix
}
shaped! {
    /// A lent buffer as a volume, for `Volume<'_, T>` and for `VolumeMut<'_, T>`: [`Lent::volume`].
    LentVolume
}

impl<T: Element> BufferMatrix<'_, T> {
    /// Returns true if each row begins at a multiple of so many bytes of the device's memory, also where there is one only: 16 let
    /// asynchronous copies and tensor maps read it.
    pub fn rows_are_aligned(&self, bytes: usize) -> bool {
        let is_multiple = |of: u64| of.is_multiple_of(bytes as u64);
        is_multiple(self.part.address()) && is_multiple(self.stride() as u64 * size_of::<T>() as u64)
    }
}

macro_rules! matrix_sizes {
    ($($name:ident)*) => {$(
        impl<T> $name<'_, T> {
            /// Number of rows.
            pub fn rows(&self) -> usize {
                self.sizes[0] as usize
            }

            /// Number of columns.
            pub fn columns(&self) -> usize {
                self.sizes[1] as usize
            }

            /// Number of elements from the start of a row to that of the next one.
            pub fn stride(&self) -> usize {
                self.sizes[2] as usize
            }
        }
    )*};
}
matrix_sizes!(BufferMatrix BufferMatrixMut LentMatrix);

macro_rules! volume_sizes {
    ($($name:ident)*) => {$(
        impl<T> $name<'_, T> {
            /// Number of planes.
            pub fn depth(&self) -> usize {
                self.sizes[0] as usize
            }

            /// Number of rows of a plane.
            pub fn rows(&self) -> usize {
                self.sizes[1] as usize
            }

            /// Number of columns.
            pub fn columns(&self) -> usize {
                self.sizes[2] as usize
            }
        }
    )*};
}
volume_sizes!(BufferVolume BufferVolumeMut LentVolume);

// Derived implementations would ask for the same of `T`.
macro_rules! copied {
    ($($name:ident)*) => {$(
        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<'_, T> {}
    )*};
}
copied!(BufferMatrix BufferVolume LentMatrix LentVolume);

impl<T: Element> DeviceBuffer<T> {
    /// The buffer as a matrix, row after row, for kernels with a parameter `Matrix<'_, T>`.
    ///
    /// # Errors
    /// [`Error::Matrix`] if it has fewer than `rows * columns` elements, or that is 2³² or more.
    pub fn matrix(&self, rows: usize, columns: usize) -> Result<BufferMatrix<'_, T>> {
        self.as_slice().matrix(rows, columns)
    }

    /// The buffer as a matrix that is written, row after row, for kernels with a parameter `MatrixMut<'_, T>`.
    ///
    /// # Errors
    /// As [`matrix`](Self::matrix).
    pub fn matrix_mut(&mut self, rows: usize, columns: usize) -> Result<BufferMatrixMut<'_, T>> {
        self.matrix_mut_with_stride(rows, columns, columns)
    }

    /// The buffer as a matrix of which a row begins every `stride` elements.
    ///
    /// # Errors
    /// As [`matrix`](Self::matrix); or if a row is longer than that.
    pub fn matrix_with_stride(
        &self,
        rows: usize,
        columns: usize,
        stride: usize,
    ) -> Result<BufferMatrix<'_, T>> {
        self.as_slice().matrix_with_stride(rows, columns, stride)
    }

    /// The buffer as a matrix that is written and of which a row begins every `stride` elements.
    ///
    /// # Errors
    /// As [`matrix_with_stride`](Self::matrix_with_stride).
    pub fn matrix_mut_with_stride(
        &mut self,
        rows: usize,
        columns: usize,
        stride: usize,
    ) -> Result<BufferMatrixMut<'_, T>> {
        let BufferMatrix { part, sizes } = self.matrix_with_stride(rows, columns, stride)?;
        Ok(BufferMatrixMut { part, sizes })
    }

    /// The buffer as a volume, plane after plane, for kernels with a parameter `Volume<'_, T>`.
    ///
    /// # Errors
    /// [`Error::Volume`] if it has fewer than `depth * rows * columns` elements, or that is 2³² or more.
    pub fn volume(&self, depth: usize, rows: usize, columns: usize) -> Result<BufferVolume<'_, T>> {
        self.as_slice().volume(depth, rows, columns)
    }

    /// The buffer as a volume that is written, for kernels with a parameter `VolumeMut<'_, T>`.
    ///
    /// # Errors
    /// As [`volume`](Self::volume).
    pub fn volume_mut(
        &mut self,
        depth: usize,
        rows: usize,
        columns: usize,
    ) -> Result<BufferVolumeMut<'_, T>> {
        let BufferVolume { part, sizes } = self.volume(depth, rows, columns)?;
        Ok(BufferVolumeMut { part, sizes })
    }
}

impl<'a, T: Element> Lent<'a, T> {
    /// The buffer as a matrix that may be read and written, row after row: a graph may give it to one kernel for `Matrix<'_, T>` and to
    /// another for `MatrixMut<'_, T>`.
    ///
    /// # Errors
    /// As [`DeviceBuffer::matrix`].
    pub fn matrix(self, rows: usize, columns: usize) -> Result<LentMatrix<'a, T>> {
        self.matrix_with_stride(rows, columns, columns)
    }

    /// The buffer as a matrix that may be read and written, of which a row begins every `stride` elements.
    ///
    /// # Errors
    /// As [`DeviceBuffer::matrix_with_stride`].
    pub fn matrix_with_stride(self, rows: usize, columns: usize, stride: usize) -> Result<LentMatrix<'a, T>> {
        let BufferMatrix { part, sizes } = self.as_part().matrix_with_stride(rows, columns, stride)?;
        Ok(LentMatrix { part, sizes })
    }

    /// The buffer as a volume that may be read and written, plane after plane.
    ///
    /// # Errors
    /// As [`DeviceBuffer::volume`].
    pub fn volume(self, depth: usize, rows: usize, columns: usize) -> Result<LentVolume<'a, T>> {
        let BufferVolume { part, sizes } = self.as_part().volume(depth, rows, columns)?;
        Ok(LentVolume { part, sizes })
    }
}

impl<'a, T: Element> BufferSlice<'a, T> {
    /// The part as a matrix.
    ///
    /// # Errors
    /// As [`DeviceBuffer::matrix`].
    pub fn matrix(self, rows: usize, columns: usize) -> Result<BufferMatrix<'a, T>> {
        self.matrix_with_stride(rows, columns, columns)
    }

    /// The part as a matrix of which a row begins every `stride` elements.
    ///
    /// # Errors
    /// As [`DeviceBuffer::matrix_with_stride`].
    pub fn matrix_with_stride(
        self,
        rows: usize,
        columns: usize,
        stride: usize,
    ) -> Result<BufferMatrix<'a, T>> {
        let (sizes, len) = ([rows, columns, stride], self.len());
        let fits = matrix_len(sizes).is_some_and(|least| least <= len);
        let sizes =
            narrow_sizes(sizes).filter(|_| fits).ok_or(Error::Matrix { rows, columns, stride, len })?;
        Ok(BufferMatrix { part: self, sizes })
    }

    /// The part as a volume.
    ///
    /// # Errors
    /// As [`DeviceBuffer::volume`].
    pub fn volume(self, depth: usize, rows: usize, columns: usize) -> Result<BufferVolume<'a, T>> {
        let (sizes, len) = ([depth, rows, columns], self.len());
        let fits = volume_len(sizes).is_some_and(|least| least <= len);
        let sizes =
            narrow_sizes(sizes).filter(|_| fits).ok_or(Error::Volume { depth, rows, columns, len })?;
        Ok(BufferVolume { part: self, sizes })
    }
}

impl<T: Element> BufferSliceMut<'_, T> {
    /// The part as a matrix that is written.
    ///
    /// # Errors
    /// As [`DeviceBuffer::matrix`].
    pub fn matrix_mut(&mut self, rows: usize, columns: usize) -> Result<BufferMatrixMut<'_, T>> {
        self.matrix_mut_with_stride(rows, columns, columns)
    }

    /// The part as a matrix that is written and of which a row begins every `stride` elements.
    ///
    /// # Errors
    /// As [`DeviceBuffer::matrix_with_stride`].
    pub fn matrix_mut_with_stride(
        &mut self,
        rows: usize,
        columns: usize,
        stride: usize,
    ) -> Result<BufferMatrixMut<'_, T>> {
        let BufferMatrix { part, sizes } = self.as_slice().matrix_with_stride(rows, columns, stride)?;
        Ok(BufferMatrixMut { part, sizes })
    }

    /// The part as a volume that is written.
    ///
    /// # Errors
    /// As [`DeviceBuffer::volume`].
    pub fn volume_mut(
        &mut self,
        depth: usize,
        rows: usize,
        columns: usize,
    ) -> Result<BufferVolumeMut<'_, T>> {
        let BufferVolume { part, sizes } = self.as_slice().volume(depth, rows, columns)?;
        Ok(BufferVolumeMut { part, sizes })
    }
}
