//! Raw pointers in the run copies: arithmetic that may leave what they point into.

use std::panic::Location;

use crate::cpu::fiber;

/// A number of elements or bytes: `usize` or `isize`.
pub trait Distance {
    /// As a signed number.
    fn distance(self) -> isize;
}

impl Distance for usize {
    fn distance(self) -> isize {
        self.cast_signed()
    }
}

impl Distance for isize {
    fn distance(self) -> isize {
        self
    }
}

/// Reads what is there now. Others go on meanwhile, so that a thread that waits in a loop does not wait for ever.
///
/// # Safety
/// The pointer leads to a value.
#[track_caller]
pub unsafe fn read_volatile<T>(pointer: *mut T) -> T {
    // SAFETY: by this function's condition.
    let value = unsafe { pointer.read_volatile() };
    fiber::atomic_access(false, Location::caller());
    value
}

/// Writes a value, and lets others go on.
///
/// # Safety
/// The pointer leads to a place for a value.
#[track_caller]
pub unsafe fn write_volatile<T>(pointer: *mut T, value: T) {
    // SAFETY: by this function's condition.
    unsafe { pointer.write_volatile(value) };
    fiber::atomic_access(true, Location::caller());
}

/// So many elements further on.
pub fn offset<T>(pointer: *mut T, count: impl Distance) -> *mut T {
    pointer.wrapping_offset(count.distance())
}

/// So many elements before.
pub fn sub<T>(pointer: *mut T, count: usize) -> *mut T {
    pointer.wrapping_sub(count)
}

/// So many bytes further on.
pub fn byte_offset<T>(pointer: *mut T, count: impl Distance) -> *mut T {
    pointer.wrapping_byte_offset(count.distance())
}

/// So many bytes before.
pub fn byte_sub<T>(pointer: *mut T, count: usize) -> *mut T {
    pointer.wrapping_byte_sub(count)
}

/// The number of elements between the two.
pub fn offset_from<T>(pointer: *mut T, from: *mut T) -> isize {
    let bytes = pointer.addr().wrapping_sub(from.addr()).cast_signed();
    bytes.wrapping_div(size_of::<T>().max(1).cast_signed())
}
