//! Slice parameters as every thread sees them.
//!
//! A `&mut [T]` is lent to all threads at once, so it becomes a slice of cells: the threads are fibers of one thread of
//! the system, and each access is a whole read or write.

use std::cell::Cell;

/// A `&[T]` parameter.
#[derive(Debug)]
pub struct Slice<'a, T>(&'a [T]);

/// A `&mut [T]` parameter.
#[derive(Debug)]
pub struct SliceMut<'a, T: Copy>(&'a [Cell<T>]);

// Derived implementations would ask for `T: Clone`.
impl<T> Clone for Slice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Slice<'_, T> {}
impl<T: Copy> Clone for SliceMut<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Copy> Copy for SliceMut<'_, T> {}

impl<'a, T: Copy> Slice<'a, T> {
    /// A view of the whole slice.
    pub fn new(slice: &'a [T]) -> Slice<'a, T> {
        Slice(slice)
    }

    /// How many elements there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The element at `index`.
    ///
    /// # Panics
    /// If there is none, as indexing does.
    #[track_caller]
    pub fn at(&self, index: usize) -> T {
        self.0[index]
    }
}

impl<'a, T: Copy> SliceMut<'a, T> {
    /// A view of the whole slice.
    pub fn new(slice: &'a mut [T]) -> SliceMut<'a, T> {
        SliceMut(Cell::from_mut(slice).as_slice_of_cells())
    }

    /// How many elements there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The element at `index`.
    ///
    /// # Panics
    /// If there is none, as indexing does.
    #[track_caller]
    pub fn at(&self, index: usize) -> T {
        self.0[index].get()
    }

    /// Replaces the element at `index`.
    ///
    /// # Panics
    /// If there is none, as indexing does.
    #[track_caller]
    pub fn set(&mut self, index: usize, value: T) {
        self.0[index].set(value);
    }
}
