//! Static shared memory: one variable per call of `shared` and block.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

use super::Scalar;
use crate::cpu::fiber::{self, SharedKey};

/// What may be in shared memory: scalars, and arrays of what may.
pub trait SharedType: 'static {
    /// The scalars it consists of.
    type Scalar: Scalar;
    /// How many.
    const LEN: usize;
}

impl<T: Scalar> SharedType for T {
    type Scalar = T;
    const LEN: usize = 1;
}

impl<A: SharedType, const N: usize> SharedType for [A; N] {
    type Scalar = A::Scalar;
    const LEN: usize = N * A::LEN;
}

/// A variable of type `A` in the block's shared memory, or a part of one.
#[derive(Debug)]
pub struct Shared<A: SharedType> {
    cells: Rc<[Cell<A::Scalar>]>,
    start: usize,
    what: PhantomData<A>,
}

/// A variable in the block's shared memory. Every thread of the block that comes to this call gets the same one; its
/// content is undefined before the first write. `A` is an array, or an array of arrays, of scalars.
#[track_caller]
pub fn shared<A: SharedType>() -> Shared<A> {
    find(SharedKey::Location(Location::caller()))
}

/// [`shared`] for the call with this number in its kernel: what the hidden copy calls.
pub fn shared_at<A: SharedType>(number: usize) -> Shared<A> {
    find(SharedKey::Number(number))
}

fn find<A: SharedType>(key: SharedKey) -> Shared<A> {
    let cells = fiber::shared_variable(key, A::LEN);
    Shared { cells, start: 0, what: PhantomData }
}

impl<A: SharedType, const N: usize> Shared<[A; N]> {
    /// How many elements there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        N
    }

    /// Where the element at `index` starts.
    #[track_caller]
    fn offset(&self, index: usize) -> usize {
        if index >= N {
            panic!("index out of bounds: the len is {N} but the index is {index}");
        }
        self.start + index * A::LEN
    }

    /// The array at `index`, for reading.
    ///
    /// # Panics
    /// If there is none, as indexing does.
    #[track_caller]
    pub fn row(&self, index: usize) -> Shared<A> {
        Shared { start: self.offset(index), cells: Rc::clone(&self.cells), what: PhantomData }
    }

    /// The array at `index`, for writing.
    ///
    /// # Panics
    /// If there is none, as indexing does.
    #[track_caller]
    pub fn row_mut(&mut self, index: usize) -> Shared<A> {
        self.row(index)
    }
}

impl<T: Scalar, const N: usize> Shared<[T; N]> {
    /// The element at `index`.
    ///
    /// # Panics
    /// If there is none, as indexing does.
    #[track_caller]
    pub fn at(&self, index: usize) -> T {
        self.cells[self.offset(index)].get()
    }

    /// Replaces the element at `index`.
    ///
    /// # Panics
    /// If there is none, as indexing does.
    #[track_caller]
    pub fn set(&mut self, index: usize, value: T) {
        self.cells[self.offset(index)].set(value);
    }
}
