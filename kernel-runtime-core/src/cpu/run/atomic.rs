//! Accesses to atomics in the run copies. Threads take turns, so each is one step, and all is in one order; after some of
//! them a thread lets the others go on, so that one that waits in a loop does not wait for ever.

use std::panic::Location;

use crate::cpu::fiber;
use crate::device::F16x2;

/// Type of the value in an atomic.
pub trait Value: Copy {
    /// Its bits.
    fn bits(self) -> u64;
    /// `fetch_add`
    fn plus(self, other: Self) -> Self;
    /// The number to add in place of subtracting this one.
    fn opposite(self) -> Self;
    /// Zero if it is a subnormal number of a type whose atomics in global memory have none.
    fn flushed(self) -> Self {
        self
    }
}

/// Numbers.
pub trait Number: Value {
    /// `fetch_min`
    fn lesser(self, other: Self) -> Self;
    /// `fetch_max`
    fn greater(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($ty:ident $bits:ident)*) => {$(
        impl Value for $ty {
            fn bits(self) -> u64 {
                (self as $bits).into()
            }
            fn plus(self, other: $ty) -> $ty {
                self.wrapping_add(other)
            }
            fn opposite(self) -> $ty {
                self.wrapping_neg()
            }
        }
        impl Number for $ty {
            fn lesser(self, other: $ty) -> $ty {
                Ord::min(self, other)
            }
            fn greater(self, other: $ty) -> $ty {
                Ord::max(self, other)
            }
        }
    )*};
}
integers! { u32 u32 i32 u32 u64 u64 i64 u64 }

impl Value for f32 {
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
    fn plus(self, other: f32) -> f32 {
        self + other
    }
    fn opposite(self) -> f32 {
        -self
    }
    fn flushed(self) -> f32 {
        if self.is_subnormal() { 0.0f32.copysign(self) } else { self }
    }
}

impl Value for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn plus(self, other: f64) -> f64 {
        self + other
    }
    fn opposite(self) -> f64 {
        -self
    }
}

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            fn lesser(self, other: $ty) -> $ty {
                super::min(self, other)
            }
            fn greater(self, other: $ty) -> $ty {
                super::max(self, other)
            }
        }
    )*};
}
floats! { f32 f64 }

impl Value for F16x2 {
    fn bits(self) -> u64 {
        u64::from(self.x.to_bits()) | u64::from(self.y.to_bits()) << 16
    }
    fn plus(self, other: F16x2) -> F16x2 {
        self + other
    }
    fn opposite(self) -> F16x2 {
        -self
    }
}

/// The old value, and true if it was replaced: a `Result` as the copies have it.
pub type Outcome<T> = (T, bool);

/// Changes a place, and gives what was there.
#[track_caller]
unsafe fn change<T: Value>(place: *mut T, new: impl FnOnce(T) -> T) -> T {
    // SAFETY: by the condition of the functions below.
    let old = unsafe { place.read() };
    let new = new(old);
    // SAFETY: as above.
    unsafe { place.write(new) };
    fiber::atomic_access(new.bits() != old.bits(), Location::caller());
    old
}

macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident<$ty:ident: $bound:path>($($arg:ident),*) -> $result:ty { $place:ident => $body:expr })*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The pointer is valid.
        #[track_caller]
        pub unsafe fn $name<$ty: $bound>($place: *mut $ty $(, $arg: $ty)*) -> $result {
            // SAFETY: by the condition above.
            unsafe { $body }
        }
    )*};
}
functions! {
    /// `load`
    fn load<T: Value>() -> T { place => change(place, |old| old) }
    /// `store`
    fn store<T: Value>(value) -> () { place => { change(place, |_| value); } }
    /// `swap`
    fn swap<T: Value>(value) -> T { place => change(place, |_| value) }
    /// `fetch_add`
    fn add<T: Value>(value) -> T { place => {
        if fiber::is_shared(place.cast()) {
            change(place, |old| old.plus(value))
        } else {
            change(place, |old| old.flushed().plus(value.flushed()).flushed())
        }
    } }
    /// `fetch_sub`
    fn sub<T: Value>(value) -> T { place => add(place, value.opposite()) }
    /// `fetch_min`
    fn min<T: Number>(value) -> T { place => change(place, |old| old.lesser(value)) }
    /// `fetch_max`
    fn max<T: Number>(value) -> T { place => change(place, |old| old.greater(value)) }
    /// `fetch_and`
    fn and<T: Bits>(value) -> T { place => change(place, |old| old & value) }
    /// `fetch_nand`
    fn nand<T: Bits>(value) -> T { place => change(place, |old| !(old & value)) }
    /// `fetch_or`
    fn or<T: Bits>(value) -> T { place => change(place, |old| old | value) }
    /// `fetch_xor`
    fn xor<T: Bits>(value) -> T { place => change(place, |old| old ^ value) }
    /// `compare_exchange`
    fn compare_exchange<T: Value>(current, new) -> Outcome<T> { place => {
        let old = change(place, |old| if old.bits() == current.bits() { new } else { old });
        (old, old.bits() == current.bits())
    } }
}

/// Integers.
pub trait Bits:
    Value
    + std::ops::BitAnd<Output = Self>
    + std::ops::BitOr<Output = Self>
    + std::ops::BitXor<Output = Self>
    + std::ops::Not<Output = Self>
{
}
impl Bits for u32 {}
impl Bits for i32 {}
impl Bits for u64 {}
impl Bits for i64 {}

/// `fetch_update`
///
/// # Safety
/// The pointer is valid.
#[track_caller]
pub unsafe fn update<T: Value>(place: *mut T, mut function: impl FnMut(T) -> super::Option<T>) -> Outcome<T> {
    // SAFETY: by the condition above.
    let mut old = unsafe { load(place) };
    while let Some(new) = function(old).get() {
        // SAFETY: as above. The function may have waited, and the others gone on.
        let (found, done) = unsafe { compare_exchange(place, old, new) };
        if done {
            return (found, true);
        }
        old = found;
    }
    (old, false)
}
