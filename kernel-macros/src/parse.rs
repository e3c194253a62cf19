//! `syn`'s tree → [`ast`]: keeps the Rust that the language has and refuses the rest, each at its token, saying what to
//! write instead.

use proc_macro2::Ident;

use crate::ast;
use crate::diagnostics::Diagnostics;

/// A function as `syn` read it; a mistake in the body leaves the rest.
pub struct Item {
    /// Attributes other than `#[kernel]`.
    pub outer: Vec<syn::Attribute>,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// From `fn` to the brace.
    pub sig: syn::Signature,
}

impl syn::parse::Parse for Item {
    fn parse(_: syn::parse::ParseStream) -> syn::Result<Item> {
        unreachable!()
    }
}

/// A parameter as far as it could be understood.
pub struct Param {
    /// Its name, or one made up.
    pub name: Ident,
    /// Its type as written.
    pub ty: syn::Type,
}

/// Reads one `#[kernel]` function with what is in its body.
pub fn parse_item(_: Item, _: &mut Diagnostics) -> ast::Program {
    unreachable!()
}
