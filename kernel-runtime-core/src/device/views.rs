//! Slices with a shape: [`Matrix`], [`MatrixMut`], [`Volume`], [`VolumeMut`]; and with a limit: [`Indices`].

use std::fmt;
use std::ops::{Index, IndexMut};

use super::F32x4;

/// Sizes of 32 bits, as kernels take them; none if one needs more.
pub(crate) fn narrow(sizes: [usize; 3]) -> Option<[u32; 3]> {
    let [a, b, c] = sizes.map(|size| u32::try_from(size).ok());
    Some([a?, b?, c?])
}

/// The least length of a slice with `rows` rows of `columns` elements, one every `stride`; none if a row is longer than that, or the length
/// is 2³² or more: kernels compute indices in 32 bits.
pub(crate) fn matrix_len([rows, columns, stride]: [usize; 3]) -> Option<usize> {
    if rows == 0 || columns == 0 {
        return Some(0);
    }
    let before = (rows - 1).checked_mul(stride)?;
    before.checked_add(columns).filter(|&len| columns <= stride && u32::try_from(len).is_ok())
}

/// The length of a slice with so many planes, rows and columns; none if it is 2³² or more.
pub(crate) fn volume_len([depth, rows, columns]: [usize; 3]) -> Option<usize> {
    if [depth, rows, columns].contains(&0) {
        return Some(0);
    }
    depth.checked_mul(rows.checked_mul(columns)?).filter(|&len| u32::try_from(len).is_ok())
}

#[track_caller]
fn outside(what: &str, of: &str, count: usize, found: usize) -> ! {
    panic!("{what} out of bounds: the {of} has {count} {what}s but the {what} is {found}")
}

/// Indices from memory that the host has validated, as a parameter of kernels: a slice of integers.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// /// The product of a sparse matrix in compressed rows and a vector.
/// #[kernel]
/// pub fn spmv(starts: Indices<'_, u32>, columns: Indices<'_, u32>, values: &[f32], x: &[f32], y: &mut [f32]) {
///     let row = global_idx().x;
///     if row < y.len() && row + 1 < starts.len() {
///         let mut sum = 0.0;
///         for at in starts[row] as usize..starts[row + 1] as usize {
///             sum += values[at] * x[columns[at] as usize];
///         }
///         y[row] = sum;
///     }
/// }
///
/// let gpu = Gpu::simulator(Arch::Sm90);
/// let starts = gpu.upload_indices(&[0u32, 2, 3])?;
/// let columns = gpu.upload_indices(&[0u32, 1, 1])?;
/// let (values, x) = (gpu.upload(&[1.0f32, 2.0, 3.0])?, gpu.upload(&[10.0f32, 100.0])?);
/// let mut y = gpu.zeros::<f32>(2)?;
/// let report = spmv(&starts, &columns, &values, &x, &mut y).over(2).run()?;
/// assert_eq!(y.to_vec()?, [210.0, 300.0]);
/// assert!(matches!(report.checks, kernel_runtime::ChecksTaken::CheckFree));
/// # Ok::<(), kernel_runtime::Error>(())
/// ```
///
/// The host finds the bound of the elements once, one more than the greatest of them: [`Gpu::upload_indices`](crate::Gpu::upload_indices) and
/// [`DeviceBuffer::indices`](crate::DeviceBuffer::indices), which refuse negative elements. A launch passes it on, so that `x[columns[at] as usize]`
/// needs no check of its own where the bound is not above `x.len()`: the guard `columns.bound() <= x.len()` of the launch says so for
/// all elements. In kernels it is a `&[T]`, and the CPU reference takes one.
///
/// The lifetime is written, `Indices<'_, T>`: it tells a parameter of this type from a type of the user's.
pub type Indices<'a, T> = &'a [T];

macro_rules! matrices {
    ($(#[$doc:meta])* $name:ident of $($mutable:ident)?) => {
        $(#[$doc])*
        pub struct $name<'a, T> {
            // Invariant: `matrix_len` of the three sizes is at most the length, and each is below 2³².
            elements: &'a $($mutable)? [T],
            rows: usize,
            columns: usize,
            stride: usize,
        }

        impl<'a, T> $name<'a, T> {
            /// The matrix with `[rows, columns]` in a slice, row after row.
            ///
            /// # Panics
            /// If the slice has fewer elements, or the matrix 2³² or more.
            #[track_caller]
            pub fn new(elements: &'a $($mutable)? [T], shape: [usize; 2]) -> $name<'a, T> {
                $name::with_stride(elements, shape, shape[1])
            }

            /// The matrix with `[rows, columns]` in a slice in which a row begins every `stride` elements.
            ///
            /// # Panics
            /// As `new`, or if a row is longer than that.
            #[track_caller]
            pub fn with_stride(
                elements: &'a $($mutable)? [T],
                [rows, columns]: [usize; 2],
                stride: usize,
            ) -> $name<'a, T> {
                let (sizes, len) = ([rows, columns, stride], elements.len());
                assert!(
                    narrow(sizes).is_some() && matrix_len(sizes).is_some_and(|least| least <= len),
                    "expected a slice with every row of a matrix of {rows} × {columns} elements, found {len} elements and a row every \
                     {stride}"
                );
                $name { elements, rows, columns, stride }
            }

            /// For the expansion of `#[kernel]`.
            #[doc(hidden)]
            pub fn into_parts(self) -> (&'a $($mutable)? [T], [u32; 3]) {
                // Each is below 2³² by the invariant.
                (self.elements, [self.rows, self.columns, self.stride].map(|size| size as u32))
            }

            /// Number of rows.
            pub fn rows(&self) -> usize {
                self.rows
            }

            /// The first so many rows, all of them if there are no more: what is below, tiles take as zeros and stores of sums leave out.
            pub fn first_rows(&$($mutable)? self, rows: usize) -> $name<'_, T> {
                $name { elements: &$($mutable)? *self.elements, rows: rows.min(self.rows), columns: self.columns, stride: self.stride }
            }

            /// Number of columns.
            pub fn columns(&self) -> usize {
                self.columns
            }

            /// Number of elements from the start of a row to that of the next one.
            pub fn stride(&self) -> usize {
                self.stride
            }

            /// A copy of the element in a row and a column: `x[[row, column]]`.
            ///
            /// # Panics
            /// If there is no such row, or no such column; the message says which of them.
            #[track_caller]
            pub fn at(&self, row: usize, column: usize) -> T
            where
                T: Copy,
            {
                self[[row, column]]
            }

            /// The elements of a row.
            ///
            /// # Panics
            /// If there is no such row.
            #[track_caller]
            pub fn row(&self, row: usize) -> &[T] {
                let start = self.start(row);
                &self.elements[start..start + self.columns]
            }

            #[track_caller]
            fn start(&self, row: usize) -> usize {
                if row >= self.rows {
                    outside("row", "matrix", self.rows, row);
                }
                row * self.stride
            }

            #[track_caller]
            fn place(&self, [row, column]: [usize; 2]) -> usize {
                let start = self.start(row);
                if column >= self.columns {
                    outside("column", "matrix", self.columns, column);
                }
                start + column
            }
        }

        impl<T> Index<[usize; 2]> for $name<'_, T> {
            type Output = T;

            #[track_caller]
            fn index(&self, at: [usize; 2]) -> &T {
                &self.elements[self.place(at)]
            }
        }

        impl<T> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({} × {}, stride {})", stringify!($name), self.rows, self.columns, self.stride)
            }
        }
    };
}

matrices! {
    /// A matrix of any size in a slice, row by row: a parameter of kernels, or made in them of a slice.
    ///
    /// ```
    /// use kernel_runtime::prelude::*;
    ///
    /// /// The mean of each element's neighbours.
    /// #[kernel]
    /// pub fn jacobi(x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>) {
    ///     let (row, column) = (global_idx().y, global_idx().x);
    ///     if row >= 1 && row + 1 < x.rows() && column >= 1 && column + 1 < x.columns() {
    ///         y[[row, column]] = 0.25
    ///             * (x[[row - 1, column]] + x[[row + 1, column]] + x[[row, column - 1]] + x[[row, column + 1]]);
    ///     }
    /// }
    ///
    /// let gpu = Gpu::simulator(Arch::Sm90);
    /// let (rows, columns) = (5, 7);
    /// let x = gpu.upload(&vec![1.0f32; rows * columns])?;
    /// let mut y = gpu.zeros::<f32>(rows * columns)?;
    /// jacobi(x.matrix(rows, columns)?, y.matrix_mut(rows, columns)?).over((columns, rows)).run()?;
    /// assert_eq!(y.to_vec()?[..9], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), kernel_runtime::Error>(())
    /// ```
    ///
    /// A parameter is the slice and three sizes of 32 bits: rows, columns, and the stride, the number of elements from the start of a row
    /// to that of the next one. The host makes it of a buffer ([`DeviceBuffer::matrix`](crate::DeviceBuffer::matrix)), and checks
    /// once that every row is in it, with less than 2³² elements in all. An access compares the row with the rows and the column with the
    /// columns, so a guard for each dimension leaves no check. That the place is in the slice follows from the shape: nothing compares it
    /// with the length, and it is computed in 32 bits.
    ///
    /// The lifetime is written, `Matrix<'_, T>`: it tells a parameter of this type from a type of the user's.
    ///
    /// Elements that a [tile](super::SharedTile) takes from beyond its edges are zero.
    Matrix of
}

matrices! {
    /// A [matrix](Matrix) that is written: `mut y: MatrixMut<'_, f32>`, `y[[row, column]] = value`.
    ///
    /// As with `&mut [T]`, no two threads may write one element in one launch, or write what another one reads. What
    /// [fragments](super::warp::Acc) would store beyond its edges is left out.
    MatrixMut of mut
}

macro_rules! volumes {
    ($(#[$doc:meta])* $name:ident of $($mutable:ident)?) => {
        $(#[$doc])*
        pub struct $name<'a, T> {
            // Invariant: `volume_len` of the three sizes is at most the length, and each is below 2³².
            elements: &'a $($mutable)? [T],
            depth: usize,
            rows: usize,
            columns: usize,
        }

        impl<'a, T> $name<'a, T> {
            /// The volume with `[depth, rows, columns]` in a slice, plane after plane.
            ///
            /// # Panics
            /// If the slice has fewer elements, or the volume 2³² or more.
            #[track_caller]
            pub fn new(elements: &'a $($mutable)? [T], [depth, rows, columns]: [usize; 3]) -> $name<'a, T> {
                let (sizes, len) = ([depth, rows, columns], elements.len());
                assert!(
                    narrow(sizes).is_some() && volume_len(sizes).is_some_and(|least| least <= len),
                    "expected a slice with a volume of {depth} × {rows} × {columns} elements, found {len} elements"
                );
                $name { elements, depth, rows, columns }
            }

            /// For the expansion of `#[kernel]`.
            #[doc(hidden)]
            pub fn into_parts(self) -> (&'a $($mutable)? [T], [u32; 3]) {
                // Each is below 2³² by the invariant.
                (self.elements, [self.depth, self.rows, self.columns].map(|size| size as u32))
            }

            /// Number of planes.
            pub fn depth(&self) -> usize {
                self.depth
            }

            /// Number of rows of a plane.
            pub fn rows(&self) -> usize {
                self.rows
            }

            /// Number of columns of a plane.
            pub fn columns(&self) -> usize {
                self.columns
            }

            /// A copy of the element in a plane, a row and a column: `x[[plane, row, column]]`.
            ///
            /// # Panics
            /// If there is no such plane, row or column; the message says which of them.
            #[track_caller]
            pub fn at(&self, plane: usize, row: usize, column: usize) -> T
            where
                T: Copy,
            {
                self[[plane, row, column]]
            }

            /// A plane as a matrix: tiles of it are loaded by `tile.load(&x.plane(batch), [row, column])`.
            ///
            /// # Panics
            /// If there is no such plane.
            #[track_caller]
            pub fn plane(&self, plane: usize) -> Matrix<'_, T> {
                let (start, len) = (self.start(plane), self.rows * self.columns);
                Matrix {
                    elements: &self.elements[start..start + len],
                    rows: self.rows,
                    columns: self.columns,
                    stride: self.columns,
                }
            }

            #[track_caller]
            fn start(&self, plane: usize) -> usize {
                if plane >= self.depth {
                    outside("plane", "volume", self.depth, plane);
                }
                plane * self.rows * self.columns
            }

            #[track_caller]
            fn place(&self, [plane, row, column]: [usize; 3]) -> usize {
                let start = self.start(plane);
                if row >= self.rows {
                    outside("row", "volume", self.rows, row);
                }
                if column >= self.columns {
                    outside("column", "volume", self.columns, column);
                }
                start + row * self.columns + column
            }
        }

        impl<T> Index<[usize; 3]> for $name<'_, T> {
            type Output = T;

            #[track_caller]
            fn index(&self, at: [usize; 3]) -> &T {
                &self.elements[self.place(at)]
            }
        }

        impl<T> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({} × {} × {})", stringify!($name), self.depth, self.rows, self.columns)
            }
        }
    };
}

volumes! {
    /// Planes of rows of columns in a slice: a parameter of kernels as [`Matrix`] is, or made in them of a slice.
    Volume of
}

volumes! {
    /// A [volume](Volume) that is written: `mut y: VolumeMut<'_, f32>`, `y[[plane, row, column]] = value`.
    VolumeMut of mut
}

impl<T> VolumeMut<'_, T> {
    /// A plane as a matrix that is written.
    ///
    /// # Panics
    /// If there is no such plane.
    #[track_caller]
    pub fn plane_mut(&mut self, plane: usize) -> MatrixMut<'_, T> {
        let (start, len) = (self.start(plane), self.rows * self.columns);
        MatrixMut {
            elements: &mut self.elements[start..start + len],
            rows: self.rows,
            columns: self.columns,
            stride: self.columns,
        }
    }
}

impl<T> MatrixMut<'_, T> {
    /// The elements of a row, to be written.
    ///
    /// # Panics
    /// If there is no such row.
    #[track_caller]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        let start = self.start(row);
        &mut self.elements[start..start + self.columns]
    }
}

impl MatrixMut<'_, f32> {
    /// Stores four elements of a row, from `[row, column]` on, those inside of the matrix: at once where they begin at a multiple of 16 bytes.
    pub fn store_vector(&mut self, [row, column]: [usize; 2], values: F32x4) {
        if row < self.rows && column < self.columns {
            let place = self.place([row, column]);
            let inside = self.columns - column;
            for (to, value) in self.elements[place..].iter_mut().zip(values.to_array()).take(inside) {
                *to = value;
            }
        }
    }
}

impl<T> IndexMut<[usize; 2]> for MatrixMut<'_, T> {
    #[track_caller]
    fn index_mut(&mut self, at: [usize; 2]) -> &mut T {
        let place = self.place(at);
        &mut self.elements[place]
    }
}

impl<T> IndexMut<[usize; 3]> for VolumeMut<'_, T> {
    #[track_caller]
    fn index_mut(&mut self, at: [usize; 3]) -> &mut T {
        let place = self.place(at);
        &mut self.elements[place]
    }
}

// Derived implementations would ask for the same of `T`.
impl<T> Clone for Matrix<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Matrix<'_, T> {}
impl<T> Clone for Volume<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Volume<'_, T> {}
