//! `#[kernel_module(link(…))]`: the libraries that a module uses.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;

use crate::diagnostics::Diagnostics;

/// Reads the arguments of `#[kernel_module(link(…))]`: the paths of the libraries.
pub fn parse_links(attr: TokenStream, diagnostics: &mut Diagnostics) -> Vec<syn::Path> {
    let links = |input: ParseStream| {
        let mut paths = Vec::new();
        while !input.is_empty() {
            let name: Ident = input.call(syn::ext::IdentExt::parse_any)?;
            if name != "link" {
                let message = format!(
                    "expected `link(library)`, found `{name}`\nhelp: attributes of a kernel stand on the kernel"
                );
                return Err(syn::Error::new(name.span(), message));
            }
            let content;
            syn::parenthesized!(content in input);
            paths.extend(content.call(Punctuated::<syn::Path, syn::Token![,]>::parse_terminated)?);
            if !input.is_empty() {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok(paths)
    };
    links.parse2(attr).unwrap_or_else(|error| {
        diagnostics.syntax(&error);
        Vec::new()
    })
}
