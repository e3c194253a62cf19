//! Atomics as type checking sees them. On the CPU a kernel's run copy has its own way to them.

use std::cell::UnsafeCell;
use std::sync::atomic::Ordering;

use super::F16x2;
use crate::element::Element;

/// Among whom an access to an atomic is one step, and who sees the order that a [`fence`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The threads of the block.
    Block,
    /// Those of the device.
    Device,
    /// Those of all devices, and the host.
    System,
}

mod private {
    pub trait Sealed {}
}

/// An atomic type: a place in global or shared memory that all threads may change.
///
/// A kernel takes `&[AtomicU32]`, for which a launch lends it a `&mut DeviceBuffer<u32>`; in shared memory it is
/// `shared::<[AtomicU32; 256]>()`.
pub trait Atomic: private::Sealed + 'static {
    /// Type of the value in the place.
    type Value: Element;
}

/// The bound of `new`, which no type meets: numbers of the host become atomics while a kernel has them.
///
/// ```compile_fail,E0277
/// let counts = [kernel_runtime::prelude::AtomicU32::new(0)];
/// ```
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the host makes no atomics: for `&[AtomicU32]` it passes numbers",
    label = "expected memory of a kernel",
    note = "a launch takes a `&mut DeviceBuffer<u32>`, the CPU reference a `&mut [u32]`: `let mut counts = [0u32; 256]; k::cpu(&mut counts)`"
)]
pub trait HostAtomic {}

/// A view of an atomic whose accesses are one step among the threads of the block only: `counts[i].block()`.
///
/// Threads of other blocks must not access the place in the meantime.
#[derive(Debug)]
#[repr(transparent)]
pub struct BlockScope<A>(A);

/// A view of an atomic whose accesses are one step among all devices and the host: `counts[i].system()`.
#[derive(Debug)]
#[repr(transparent)]
pub struct SystemScope<A>(A);

#[track_caller]
fn outside(function: &str) -> ! {
    panic!(
        "`{function}` was called outside a kernel: it has a meaning only in the body of a `#[kernel]` function"
    )
}

/// The methods of one type, or of a view of it.
macro_rules! methods {
    ($value:ident) => {
        /// The current value. The order is `Relaxed`, `Acquire` or `SeqCst`.
        #[track_caller]
        pub fn load(&self, order: Ordering) -> $value {
            let _ = order;
            outside("load")
        }

        /// Puts a value there. The order is `Relaxed`, `Release` or `SeqCst`.
        #[track_caller]
        pub fn store(&self, value: $value, order: Ordering) {
            let _ = (value, order);
            outside("store")
        }

        /// Puts a value there, and gives what was there.
        #[doc(alias = "atomicExch")]
        #[track_caller]
        pub fn swap(&self, value: $value, order: Ordering) -> $value {
            let _ = (value, order);
            outside("swap")
        }

        /// Puts `new` where `current` is, compared by bits: `Ok` of what was there if it did, else `Err` of that.
        ///
        /// # Errors
        ///
        /// The value that was there, if it was another than `current`.
        #[doc(alias = "atomicCAS")]
        #[track_caller]
        pub fn compare_exchange(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            let _ = (current, new, success, failure);
            outside("compare_exchange")
        }

        /// As [`compare_exchange`](Self::compare_exchange): on a GPU it never fails without a reason.
        ///
        /// # Errors
        ///
        /// As [`compare_exchange`](Self::compare_exchange).
        #[track_caller]
        pub fn compare_exchange_weak(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            let _ = (current, new, success, failure);
            outside("compare_exchange_weak")
        }

        /// Adds to it, and gives what was there. Integers wrap.
        #[doc(alias = "atomicAdd")]
        #[track_caller]
        pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
            let _ = (value, order);
            outside("fetch_add")
        }

        /// Subtracts from it, and gives what was there. Integers wrap.
        #[doc(alias = "atomicSub")]
        #[track_caller]
        pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
            let _ = (value, order);
            outside("fetch_sub")
        }

        /// Puts there what `f` makes of what is there, again if another thread came between; nothing if that is `None`. `Ok`
        /// of what was there if it did, else `Err` of that.
        ///
        /// # Errors
        ///
        /// The value that was there, if `f` made `None` of it.
        #[track_caller]
        pub fn fetch_update<F: FnMut($value) -> Option<$value>>(
            &self,
            set: Ordering,
            fetch: Ordering,
            f: F,
        ) -> Result<$value, $value> {
            let _ = (set, fetch, f);
            outside("fetch_update")
        }
    };
    ($value:ident numbers) => {
        methods!($value);

        /// Keeps the smaller one, and gives what was there. Of floats that which is not NaN, and −0 is below +0.
        #[doc(alias = "atomicMin")]
        #[track_caller]
        pub fn fetch_min(&self, value: $value, order: Ordering) -> $value {
            let _ = (value, order);
            outside("fetch_min")
        }

        /// Keeps the larger one, and gives what was there. Of floats that which is not NaN, and −0 is below +0.
        #[doc(alias = "atomicMax")]
        #[track_caller]
        pub fn fetch_max(&self, value: $value, order: Ordering) -> $value {
            let _ = (value, order);
            outside("fetch_max")
        }
    };
    ($value:ident integers) => {
        methods!($value numbers);

        /// Bitwise "and", and gives what was there.
        #[doc(alias = "atomicAnd")]
        #[track_caller]
        pub fn fetch_and(&self, value: $value, order: Ordering) -> $value {
            let _ = (value, order);
            outside("fetch_and")
        }

        /// Bitwise "not and", and gives what was there.
        #[track_caller]
        pub fn fetch_nand(&self, value: $value, order: Ordering) -> $value {
            let _ = (value, order);
            outside("fetch_nand")
        }

        /// Bitwise "or", and gives what was there.
        #[doc(alias = "atomicOr")]
        #[track_caller]
        pub fn fetch_or(&self, value: $value, order: Ordering) -> $value {
            let _ = (value, order);
            outside("fetch_or")
        }

        /// Bitwise "exclusive or", and gives what was there.
        #[doc(alias = "atomicXor")]
        #[track_caller]
        pub fn fetch_xor(&self, value: $value, order: Ordering) -> $value {
            let _ = (value, order);
            outside("fetch_xor")
        }
    };
}

macro_rules! atomics {
    ($($name:ident $value:ident [$($class:ident)?] $doc:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// Methods are those of `core::sync::atomic`, with its orders. Accesses are one step among the threads of the device:
        /// [`block`](Self::block) and [`system`](Self::system) say otherwise.
        #[derive(Debug)]
        #[repr(transparent)]
        pub struct $name(UnsafeCell<$value>);

        // SAFETY: there is none outside kernels, and nothing reads or writes the cell.
        unsafe impl Sync for $name {}

        impl private::Sealed for $name {}

        impl Atomic for $name {
            type Value = $value;
        }

        impl $name {
            /// There is none outside kernels: refuses what `core::sync::atomic` has, and says what is passed instead.
            #[doc(hidden)]
            #[track_caller]
            pub fn new<T: HostAtomic>(value: T) -> Self {
                let _ = value;
                outside("new")
            }

            /// A view of the place whose accesses are one step among the threads of the block only: cheaper where no other
            /// block accesses it in the meantime. In shared memory it is so anyway.
            #[track_caller]
            pub fn block(&self) -> &BlockScope<$name> {
                outside("block")
            }

            /// A view of the place whose accesses are one step among all devices and the host.
            #[track_caller]
            pub fn system(&self) -> &SystemScope<$name> {
                outside("system")
            }

            methods!($value $($class)?);
        }

        impl BlockScope<$name> {
            methods!($value $($class)?);
        }

        impl SystemScope<$name> {
            methods!($value $($class)?);
        }
    )*};
}
atomics! {
    AtomicU32 u32 [integers] "A `u32` that all threads may change.";
    AtomicI32 i32 [integers] "An `i32` that all threads may change.";
    AtomicU64 u64 [integers] "A `u64` that all threads may change.";
    AtomicI64 i64 [integers] "An `i64` that all threads may change.";
    AtomicF32 f32 [numbers] "An `f32` that all threads may change.\n\nIn global memory `fetch_add` and `fetch_sub` take subnormal numbers, and give them, as zeros (PTX ISA, `atom`).";
    AtomicF64 f64 [numbers] "An `f64` that all threads may change.";
    AtomicF16x2 F16x2 [] "A pair of `f16` that all threads may change.\n\n`fetch_add` is one step for each of the two, not for the pair (PTX ISA, `atom`).";
}

/// Orders this thread's memory accesses before and after it, as the threads of `scope` see them. The order is `Acquire`,
/// `Release`, `AcqRel` or `SeqCst`; the first three are one and the same.
///
/// # Panics
/// Outside kernels.
#[track_caller]
pub fn fence(order: Ordering, scope: Scope) {
    let _ = (order, scope);
    outside("fence")
}
