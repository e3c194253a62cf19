//! Assertions that two names are of one type, for the expansion of `#[kernel]`.
//!
//! The compiler knows a parameter's type by its name, before rustc resolves names. In the scope of a kernel the name may be that of
//! another type: then nothing that the compiler knows of the arguments holds.

/// `Self` is the type `T`.
#[diagnostic::on_unimplemented(
    message = "expected `{T}`, found `{Self}` under its name",
    label = "kernels know the language's type under this name",
    note = "rename the type or alias of this name in the scope of the kernel, or import the language's type"
)]
pub trait Same<T: ?Sized> {}

impl<T: ?Sized> Same<T> for T {}

/// Compiles only if both are one type.
pub const fn same<T: Same<U> + ?Sized, U: ?Sized>() {}

/// Compiles only if the value is of the type `U`.
pub const fn same_as<T: Same<U>, U>(_: &T) {}

/// `core::marker::PhantomData`, and no other type of its name: a field of it has no bytes.
#[diagnostic::on_unimplemented(
    message = "expected `core::marker::PhantomData`, found `{Self}` under its name",
    label = "a `PhantomData` of one's own",
    note = "rename that type, or write `core::marker::PhantomData<T>`"
)]
pub trait Phantom {}

impl<T: ?Sized> Phantom for core::marker::PhantomData<T> {}

/// Asserts that the type is the language's `PhantomData`.
pub fn is_phantom<T: Phantom>() {}
