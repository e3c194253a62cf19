//! The names that kernels see: what rustc finds under a name of the language, whatever the user's scope has under it.
//!
//! For the expansion of `#[kernel]`. The check copy of a kernel stands in a module that sees these names and no others.

pub use ::bytemuck;
pub use ::core;
pub use ::half;
pub use ::std;

pub use crate as kernel_runtime;
pub use crate::device;
pub use crate::device::*;
pub use crate::{Element, inline_ptx};
pub use bytemuck::{Pod, Zeroable};
pub use core::mem::{align_of, size_of};
pub use core::{ptr, slice};

/// Shadows a trait that `device` has for bounds of its functions: its methods and constants are not of the language, and a trait of the user's
/// may have the same ones. A bound by the shadow is one by the trait.
macro_rules! bounds {
    ($($name:ident)*) => {$(
        #[doc(hidden)]
        pub trait $name: crate::device::$name {}
        impl<T: crate::device::$name> $name for T {}
    )*};
}
bounds! { Bits Combine Constants }

pub use core::{
    assert, assert_eq, assert_ne, debug_assert, debug_assert_eq, debug_assert_ne, matches, panic, todo,
    unimplemented, unreachable,
};
pub use std::{eprint, eprintln, print, println};
