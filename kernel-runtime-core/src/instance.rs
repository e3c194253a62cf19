//! Instances of generic kernels.

use crate::cpu::Entry;
use crate::kernel::Kernel;
use crate::tune::Tuned;

/// A generic kernel has been compiled for these arguments: a tuple of its type arguments and, for `const N: usize`,
/// [`UsizeArg<N>`](UsizeArg) and its like.
#[diagnostic::on_unimplemented(
    message = "the kernel `{Self}` has no instance for `{Args}`",
    label = "not an instance of the kernel",
    note = "list its arguments: `#[kernel(instances(T = [f32, f64], N = [128, 256]))]`; `{Self}::INSTANCES` has those that are listed",
    note = "a generic function that launches it says that there is one: `where {Self}: Instance<{Args}>`, with `use kernel_runtime::instance::*;`"
)]
///
/// # Safety
/// Only `#[kernel]` implements it: both constants are of the instance of this kernel with these arguments.
pub unsafe trait Instance<Args> {
    /// The compiled kernel.
    const KERNEL: &'static Kernel;
    /// Its run copy.
    #[doc(hidden)]
    const ENTRY: Entry;
}

/// A tuned kernel has been compiled for these arguments, which are those that are not tuned.
#[diagnostic::on_unimplemented(
    message = "the kernel `{Self}` has no instances for `{Args}`",
    label = "no instances of the kernel",
    note = "list its arguments: `#[kernel(instances(T = [f32, f64]), tune(N = [128, 256]))]`; `{Self}::INSTANCES` has those that are listed",
    note = "a generic function that launches it says that there are some: `where {Self}: TunedInstance<{Args}>`, with `use kernel_runtime::instance::*;`"
)]
///
/// # Safety
/// Only `#[kernel]` implements it: both constants are of the instances of this kernel with these arguments.
pub unsafe trait TunedInstance<Args> {
    /// The instances that are chosen from.
    const TUNED: &'static Tuned;
    /// The run copy of the first.
    #[doc(hidden)]
    const ENTRY: Entry;
}

macro_rules! arguments {
    ($($name:ident $ty:ident)*) => {$(
        #[doc = concat!("A `", stringify!($ty), "` among the arguments of an [`Instance`].")]
        #[derive(Clone, Copy, Debug)]
        pub enum $name<const VALUE: $ty> {}
    )*};
}
arguments! {
    BoolArg bool
    I8Arg i8
    I16Arg i16
    I32Arg i32
    I64Arg i64
    IsizeArg isize
    U8Arg u8
    U16Arg u16
    U32Arg u32
    U64Arg u64
    UsizeArg usize
}
