//! Shared memory as type checking sees it. On the CPU a kernel's run copy has its own way to it.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// A variable of type `T` in the block's shared memory: every thread of the block has the same one.
#[derive(Debug)]
pub struct Shared<T> {
    /// There is none outside kernels.
    never: Infallible,
    what: PhantomData<*mut T>,
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        match self.never {}
    }
}

impl<T> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        match self.never {}
    }
}

/// The block's dynamic shared memory: as many `T` as fit what the launch asks for with `shared(bytes)`.
#[derive(Debug)]
pub struct SharedDyn<T> {
    never: Infallible,
    what: PhantomData<*mut T>,
}

impl<T> Deref for SharedDyn<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match self.never {}
    }
}

impl<T> DerefMut for SharedDyn<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self.never {}
    }
}

/// Variables in shared memory: [`Shared`] and [`SharedDyn`].
pub trait InShared {
    /// The type by which other blocks of the cluster see it.
    type Content: ?Sized;
}

impl<T> InShared for Shared<T> {
    type Content = T;
}

impl<T> InShared for SharedDyn<T> {
    type Content = [T];
}

/// A variable in the block's shared memory. Every thread of the block that comes to this call gets the same one; its
/// content is undefined before the first write. `T` is mostly an array, or an array of arrays.
///
/// # Panics
/// Outside kernels, where there is no block.
#[doc(alias = "__shared__")]
#[track_caller]
pub fn shared<T>() -> Shared<T> {
    outside("shared")
}

/// The block's dynamic shared memory.
///
/// # Panics
/// Outside kernels, where there is no block.
#[doc(alias = "__shared__")]
#[track_caller]
pub fn shared_dyn<T>() -> SharedDyn<T> {
    outside("shared_dyn")
}

#[track_caller]
pub(super) fn outside(function: &str) -> ! {
    panic!(
        "`{function}` was called outside a kernel: it has a meaning only in the body of a `#[kernel]` function"
    )
}
