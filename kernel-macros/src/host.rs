//! The run copy: the typed tree printed back as Rust that runs on the CPU.

use proc_macro2::{Ident, Span, TokenStream};

use crate::typed::{Kernel, Scalar};

/// Prints the body as `fn body(…) { … }` with a parameter for each of the kernel's.
pub fn body_function(_kernel: &Kernel) -> TokenStream {
    unreachable!()
}

/// The name of a scalar type, as tokens at `span`.
pub fn scalar_name(scalar: Scalar, span: Span) -> Ident {
    Ident::new(scalar.name(), span)
}
