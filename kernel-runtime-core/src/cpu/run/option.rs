//! `Option` in the run copies.

use std::fmt;
use std::mem::MaybeUninit;

use crate::cpu::memory::Memory;

/// `Option<T>`, laid out as on a GPU: the value, then whether there is one.
///
/// In shared memory one thread may have a reference to the value, which is all that rustc sees, when another writes `None`: what the
/// first one then reads has to be a value still, and zeros are one of every type that shared memory holds.
///
/// Invariant: `value` is a `T` if `is_some`, else zeros.
#[repr(C)]
pub struct Option<T> {
    value: MaybeUninit<T>,
    is_some: bool,
}

// Derived implementations would ask for less of `T`.
impl<T: Copy> Clone for Option<T> {
    fn clone(&self) -> Option<T> {
        *self
    }
}
impl<T: Copy> Copy for Option<T> {}

impl<T: PartialEq> PartialEq for Option<T> {
    fn eq(&self, other: &Option<T>) -> bool {
        self.as_std() == other.as_std()
    }
}

impl<T: PartialOrd> PartialOrd for Option<T> {
    fn partial_cmp(&self, other: &Option<T>) -> std::option::Option<std::cmp::Ordering> {
        self.as_std().partial_cmp(&other.as_std())
    }
}

#[allow(non_upper_case_globals, non_snake_case)]
impl<T> Option<T> {
    /// No value.
    pub const None: Option<T> = Option { value: MaybeUninit::zeroed(), is_some: false };

    /// A value.
    pub const fn Some(value: T) -> Option<T> {
        Option { value: MaybeUninit::new(value), is_some: true }
    }

    /// The value, if there is one.
    pub fn when(is_some: bool, value: T) -> Option<T> {
        if is_some { Option::Some(value) } else { Option::None }
    }

    /// Of Rust's own.
    pub fn of(option: std::option::Option<T>) -> Option<T> {
        option.map_or(Option::None, Option::Some)
    }

    fn as_std(&self) -> std::option::Option<&T> {
        // SAFETY: by the invariant.
        self.is_some.then(|| unsafe { self.value.assume_init_ref() })
    }

    /// Rust's own.
    pub fn get(self) -> std::option::Option<T> {
        // SAFETY: by the invariant.
        self.is_some.then(|| unsafe { self.value.assume_init() })
    }
}

/// A closure that gives one of Rust's own, as iterators take it.
pub fn to_std_option<A, T>(
    mut function: impl FnMut(A) -> Option<T>,
) -> impl FnMut(A) -> std::option::Option<T> {
    move |argument| function(argument).get()
}

/// The function of `try_fold`, as iterators take it.
pub fn try_fold<A, I>(
    mut function: impl FnMut(A, I) -> Option<A>,
) -> impl FnMut(A, I) -> std::option::Option<A> {
    move |total, item| function(total, item).get()
}

/// The function of `scan`, as iterators take it.
pub fn scan<S, I, T>(
    mut function: impl FnMut(*mut S, I) -> Option<T>,
) -> impl FnMut(&mut S, I) -> std::option::Option<T> {
    move |state, item| function(std::ptr::from_mut(state), item).get()
}

impl<T: fmt::Debug> fmt::Debug for Option<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_std(), f)
    }
}

// SAFETY: a whole option is written, of a value; all bytes zero are one without.
unsafe impl<T: Memory> Memory for Option<T> {
    const ANY_BYTES: bool = false;

    unsafe fn poison(place: *mut Option<T>) {
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: the first by this function's condition, of a place of its own.
        unsafe {
            T::poison(value.as_mut_ptr());
            place.write(Option { value, is_some: true });
        }
    }
}

/// Returns true if there is a value.
///
/// # Safety
/// The pointer is valid.
pub unsafe fn is_some<T>(option: *mut Option<T>) -> bool {
    // SAFETY: by the condition above.
    unsafe { (*option).is_some }
}

/// The place of the value.
///
/// # Safety
/// The pointer is valid, and there is a value.
pub unsafe fn payload<T>(option: *mut Option<T>) -> *mut T {
    // SAFETY: by the condition above.
    unsafe { (&raw mut (*option).value).cast() }
}

/// As [`is_some`], of a value.
pub fn holds_value<T: Copy>(option: Option<T>) -> bool {
    option.is_some
}

/// The value, or zeros where there is none.
///
/// # Safety
/// All bytes zero are a `T`.
pub unsafe fn value_or_zeros<T: Copy>(option: Option<T>) -> T {
    // SAFETY: by the invariant and the condition above.
    unsafe { option.value.assume_init() }
}
