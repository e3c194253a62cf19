//! Slices and arrays in the run copies: pointers whose indices are checked.

use std::fmt;

use kernel_abi::panic::PanicKind;

use crate::cpu::fiber;
use crate::cpu::memory::Memory;
use crate::device::{MatrixRows, Vector, warp};

/// `&[T]` or `&mut [T]`: a pointer and a length, copied freely.
///
/// Invariant: behind the pointer are so many elements, for as long as the slice is used.
#[repr(C)]
pub struct Slice<T> {
    start: *mut T,
    len: usize,
    /// An address that any vector may begin at: on a GPU the memory that this is a part of is aligned so much. The host's need not be.
    origin: usize,
}

// Derived implementations would ask for the same of `T`.
impl<T> Clone for Slice<T> {
    fn clone(&self) -> Slice<T> {
        *self
    }
}
impl<T> Copy for Slice<T> {}

impl<T: PartialEq> PartialEq for Slice<T> {
    fn eq(&self, other: &Slice<T>) -> bool {
        // SAFETY: by the invariant of both; nobody writes meanwhile, for one thread of a kernel runs at a time.
        unsafe {
            std::slice::from_raw_parts(self.start, self.len)
                == std::slice::from_raw_parts(other.start, other.len)
        }
    }
}

impl<T> fmt::Debug for Slice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements at {:p}", self.len, self.start)
    }
}

/// Panics as the kernel does on a GPU.
#[track_caller]
#[cold]
fn fail(kind: PanicKind, first: usize, second: usize) -> ! {
    std::panic::panic_any(kind.message(None, &[first as u64, second as u64]))
}

#[track_caller]
pub(super) fn check(index: usize, len: usize) {
    if index >= len {
        fail(PanicKind::Index, index, len);
    }
}

impl<T> Slice<T> {
    /// A view of a slice that is only read.
    ///
    /// # Safety
    /// The slice outlives the uses of the view, and nobody writes it in the meantime.
    pub unsafe fn new(slice: &[T]) -> Slice<T> {
        Slice { start: slice.as_ptr().cast_mut(), len: slice.len(), origin: slice.as_ptr().addr() }
    }

    /// A view of a slice that all threads write.
    ///
    /// # Safety
    /// The slice outlives the uses of the view, and nobody else accesses it in the meantime.
    pub unsafe fn new_mut(slice: &mut [T]) -> Slice<T> {
        Slice { start: slice.as_mut_ptr(), len: slice.len(), origin: slice.as_ptr().addr() }
    }

    /// A view of memory. As on a GPU only its address says what may begin where, if it is shared memory; of the host's nothing is known, and the
    /// view begins where a vector may.
    ///
    /// # Safety
    /// There are so many elements, for as long as the view is used.
    pub unsafe fn from_raw(start: *mut T, len: usize) -> Slice<T> {
        Slice { start, len, origin: origin(start) }
    }

    /// A view of a constant, which is aligned as its elements are.
    pub const fn constant(slice: &'static [T]) -> Slice<T> {
        Slice { start: slice.as_ptr().cast_mut(), len: slice.len(), origin: 0 }
    }

    /// The number of elements.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        self.len
    }

    /// The first element's place.
    pub fn start(self) -> *mut T {
        self.start
    }

    /// Returns true if there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The element at an index.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn at(self, index: usize) -> *mut T {
        check(index, self.len);
        self.start.wrapping_add(index)
    }

    /// The element at an index that nobody checks on a GPU. Here it is checked even so: a mistake shows.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn at_unchecked(self, index: usize) -> *mut T {
        if index >= self.len {
            std::panic::panic_any(format!(
                "unsafe precondition violated: `get_unchecked` requires that the index is within the slice: the len is {} but \
                 the index is {index}",
                self.len
            ));
        }
        self.start.wrapping_add(index)
    }

    fn cut(self, start: usize, len: usize) -> Slice<T> {
        Slice { start: self.start.wrapping_add(start), len, origin: self.origin }
    }

    /// `[start..end]`
    ///
    /// # Panics
    /// As indexing with a range does.
    #[track_caller]
    pub fn part(self, start: usize, end: usize) -> Slice<T> {
        if start > end {
            fail(PanicKind::SliceOrder, start, end);
        }
        if end > self.len {
            fail(PanicKind::SliceEnd, end, self.len);
        }
        self.cut(start, end - start)
    }

    /// `[start..=end]`
    ///
    /// # Panics
    /// As indexing with a range does.
    #[track_caller]
    pub fn part_inclusive(self, start: usize, end: usize) -> Slice<T> {
        if end >= self.len {
            fail(PanicKind::SliceEnd, end.saturating_add(1), self.len);
        }
        self.part(start, end + 1)
    }

    /// `[start..]`
    ///
    /// # Panics
    /// As indexing with a range does.
    #[track_caller]
    pub fn part_from(self, start: usize) -> Slice<T> {
        if start > self.len {
            fail(PanicKind::SliceStart, start, self.len);
        }
        self.cut(start, self.len - start)
    }

    /// Pointers to the elements.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = *mut T> + ExactSizeIterator + Clone {
        (0..self.len).map(move |index| self.start.wrapping_add(index))
    }

    /// `chunks_exact`
    ///
    /// # Panics
    /// If the size is zero.
    #[track_caller]
    pub fn chunks_exact(
        self,
        size: usize,
    ) -> impl DoubleEndedIterator<Item = Slice<T>> + ExactSizeIterator + Clone {
        nonzero(size, "chunk size must be non-zero");
        (0..self.len / size).map(move |index| self.cut(index * size, size))
    }

    /// `chunks`
    ///
    /// # Panics
    /// If the size is zero.
    #[track_caller]
    pub fn chunks(
        self,
        size: usize,
    ) -> impl DoubleEndedIterator<Item = Slice<T>> + ExactSizeIterator + Clone {
        nonzero(size, "chunk size must be non-zero");
        (0..self.len.div_ceil(size)).map(move |index| {
            let start = index * size;
            self.cut(start, size.min(self.len - start))
        })
    }

    /// `windows`
    ///
    /// # Panics
    /// If the size is zero.
    #[track_caller]
    pub fn windows(
        self,
        size: usize,
    ) -> impl DoubleEndedIterator<Item = Slice<T>> + ExactSizeIterator + Clone {
        nonzero(size, "window size must be non-zero");
        (0..(self.len + 1).saturating_sub(size)).map(move |index| self.cut(index, size))
    }
}

#[track_caller]
fn nonzero(size: usize, message: &str) {
    if size == 0 {
        std::panic::panic_any(message.to_owned());
    }
}

/// The element of an array at an index.
///
/// # Panics
/// If there is none.
#[track_caller]
pub fn at<T, const N: usize>(array: *mut [T; N], index: usize) -> *mut T {
    check(index, N);
    array.cast::<T>().wrapping_add(index)
}

/// [`at`] of a value.
///
/// # Panics
/// If there is no such element.
#[track_caller]
pub fn at_of<T: Copy, const N: usize>(array: [T; N], index: usize) -> T {
    check(index, N);
    array[index]
}

/// The lane of a vector at an index.
///
/// # Panics
/// If there is none.
#[track_caller]
pub fn lane<V: Vector>(vector: *mut V, index: usize) -> *mut V::Lane {
    check(index, V::LANES);
    vector.cast::<V::Lane>().wrapping_add(index)
}

/// [`lane`] of a value.
///
/// # Panics
/// If there is no such lane.
#[track_caller]
pub fn lane_of<V: Vector>(mut vector: V, index: usize) -> V::Lane {
    // SAFETY: the pointer is to a lane of the variable.
    unsafe { *lane(&raw mut vector, index) }
}

/// An array as a slice.
///
/// # Safety
/// The pointer is valid for as long as the slice is used.
pub unsafe fn unsize<T, const N: usize>(array: *mut [T; N]) -> Slice<T> {
    let start = array.cast();
    Slice { start, len: N, origin: origin(start) }
}

/// An address from which on vectors may begin, for a slice that begins here.
fn origin<T>(start: *mut T) -> usize {
    // Variables in shared memory are aligned as on a GPU.
    if fiber::is_shared(start.cast_const().cast()) { 0 } else { start.addr() }
}

/// The place of the vector at an index.
#[track_caller]
fn vector_at<V: Vector>(slice: Slice<V::Lane>, index: usize) -> *mut V {
    let place = slice.start.wrapping_add(index).cast::<V>();
    if index >= slice.len || slice.len - index < V::LANES {
        fail(PanicKind::SliceEnd, index.wrapping_add(V::LANES), slice.len);
    }
    if !place.addr().wrapping_sub(slice.origin).is_multiple_of(size_of::<V>()) {
        fail(PanicKind::Misaligned, index, V::LANES);
    }
    place
}

/// The vector of the elements from an index on.
///
/// # Panics
/// If they are not all there, or a vector cannot begin there.
#[track_caller]
pub fn load<V: Vector>(slice: Slice<V::Lane>, index: usize) -> V {
    // SAFETY: the elements are there; the host's slices need not be aligned as vectors are.
    unsafe { vector_at::<V>(slice, index).read_unaligned() }
}

/// `V::load_matrix`
///
/// # Panics
/// As [`load`] of a row.
#[track_caller]
pub fn load_matrix<V: MatrixRows>(slice: Slice<V::Lane>, index: usize) -> V {
    warp::load_matrix(&load::<V::Row>(slice, index), false)
}

/// `V::load_matrix_transposed`
///
/// # Panics
/// As [`load`] of a row.
#[track_caller]
pub fn load_matrix_transposed<V: MatrixRows>(slice: Slice<V::Lane>, index: usize) -> V {
    warp::load_matrix(&load::<V::Row>(slice, index), true)
}

/// Writes a vector over the elements from an index on.
///
/// ```compile_fail,E0133
/// # use kernel_runtime::{cpu::run, prelude::*};
/// static ONES: [f32; 4] = [1.0; 4];
/// run::store(F32x4::splat(0.0), run::Slice::constant(&ONES), 0);
/// ```
///
/// # Safety
/// The slice is no [`constant`](Slice::constant), and not one that is only read.
///
/// # Panics
/// If they are not all there, or a vector cannot begin there.
#[track_caller]
pub unsafe fn store<V: Vector>(vector: V, slice: Slice<V::Lane>, index: usize) {
    // SAFETY: the elements are there, and may be written by this function's condition; the host's slices need not be aligned as vectors are.
    unsafe { vector_at::<V>(slice, index).write_unaligned(vector) }
}

/// A variable in shared memory, as copies have it.
pub trait Variable {
    /// That of another block of the cluster.
    #[track_caller]
    fn of_block(self, rank: usize) -> Self;
}

impl<T: Memory> Variable for *mut T {
    #[track_caller]
    fn of_block(self, rank: usize) -> *mut T {
        fiber::of_block(self, rank)
    }
}

impl<T: Memory> Variable for Slice<T> {
    #[track_caller]
    fn of_block(self, rank: usize) -> Slice<T> {
        let start = fiber::of_block(self.start, rank);
        Slice { start, len: self.len, origin: origin(start) }
    }
}
