//! `#[kernel_module]` and `#[device_library]`.
//!
//! A macro sees its own tokens only. So a library leaves beside its module a macro of the same name that holds its tokens, and
//! a module that links libraries asks one after the other for them: `geometry!` calls back `__link!` with what it was given
//! and its own tokens, until all are together.

use std::hash::{DefaultHasher, Hash, Hasher};

use proc_macro2::{Group, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};

use crate::analyze::{analyze_library, analyze_module};
use crate::attrs::parse_links;
use crate::called::mark_called;
use crate::copy::plain_item;
use crate::diagnostics::{Diagnostic, Diagnostics, to_compile_errors};
use crate::expand::{editor, holders, marked, module_items};
use crate::parse::{Library, without_marks};

/// Expands `#[kernel_module(attr)] item`.
pub fn expand_module(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let editor = editor::module(&item);
    let links = parse_links(attr, &mut diagnostics);
    let Some(module) = read_module(&item, "kernel_module", &mut diagnostics) else {
        let errors = to_compile_errors(&diagnostics.into_errors());
        return quote!(#editor #errors #item);
    };
    let items = match links.split_first() {
        Some((first, rest)) if diagnostics.finish().is_ok() => {
            quote!(#first! { [::kernel_runtime::__link] { #first } { #(#rest),* } { } { #item } })
        }
        Some(_) | None => compile(module, Vec::new(), diagnostics),
    };
    quote!(#editor #items)
}

/// Expands `__link! { … }`: one more library's tokens have come.
pub fn expand_link(tokens: TokenStream) -> TokenStream {
    let link: Link = match syn::parse2(tokens) {
        Ok(link) => link,
        Err(error) => return error.to_compile_error(),
    };
    let Link { current, remaining, linked, item, library } = link;
    if let Some((next, rest)) = remaining.split_first() {
        let linked = linked.iter().map(|(path, library)| quote!({ #path } #library));
        return quote! {
            #next! { [::kernel_runtime::__link] { #next } { #(#rest),* } { #(#linked)* { #current } #library } #item }
        };
    }
    let mut diagnostics = Diagnostics::default();
    let mut libraries = Vec::new();
    for (path, library) in linked.into_iter().chain([(current, library)]) {
        if let Some(module) = read_module(&library.stream(), "device_library", &mut diagnostics) {
            libraries.push(Library { path, module });
        }
    }
    match read_module(&item.stream(), "kernel_module", &mut diagnostics) {
        Some(module) => compile(module, libraries, diagnostics),
        None => to_compile_errors(&diagnostics.into_errors()),
    }
}

/// The expansion of an item that is nested too deep: the error alone.
pub fn refuse(_item: TokenStream, error: Diagnostic) -> TokenStream {
    to_compile_errors(&[error])
}

/// The state of linking: `{ current } { remaining } { linked … } { module } { library of current }`.
struct Link {
    current: syn::Path,
    remaining: Vec<syn::Path>,
    linked: Vec<(syn::Path, Group)>,
    item: Group,
    library: Group,
}

impl Parse for Link {
    fn parse(input: ParseStream) -> syn::Result<Link> {
        let content;
        syn::braced!(content in input);
        let current = content.call(syn::Path::parse_mod_style)?;
        let content;
        syn::braced!(content in input);
        let remaining = content.parse_terminated(syn::Path::parse_mod_style, syn::Token![,])?;
        let content;
        syn::braced!(content in input);
        let mut linked = Vec::new();
        while !content.is_empty() {
            let path;
            syn::braced!(path in content);
            linked.push((path.call(syn::Path::parse_mod_style)?, content.parse()?));
        }
        let remaining = remaining.into_iter().collect();
        Ok(Link { current, remaining, linked, item: input.parse()?, library: input.parse()? })
    }
}

/// A module with its content.
fn read_module(
    tokens: &TokenStream,
    macro_name: &str,
    diagnostics: &mut Diagnostics,
) -> Option<syn::ItemMod> {
    match syn::parse2::<syn::Item>(tokens.clone()) {
        Ok(syn::Item::Mod(module)) if module.content.is_some() => Some(module),
        Ok(syn::Item::Mod(module)) => {
            let message = "expected the module's content here, found `;`: the macro does not see other files\nhelp: write \
                           `mod name { … }`";
            diagnostics.error(&module.ident, message);
            None
        }
        Ok(other) => {
            let message = format!(
                "expected a module under `#[{macro_name}]`, found another item\nhelp: put it on a `mod name {{ … }}` with the \
                 kernel's functions and types"
            );
            diagnostics.error(crate::diagnostics::Loc::of(&other), message);
            None
        }
        Err(error) => {
            diagnostics.syntax_of_item(&error);
            None
        }
    }
}

/// Compiles the kernels of a module.
fn compile(module: syn::ItemMod, mut libraries: Vec<Library>, diagnostics: Diagnostics) -> TokenStream {
    let (module, analysis) = analyze_module(module, &mut libraries, diagnostics);
    module_items(module, &libraries, analysis)
}

/// Expands `#[device_library] item`.
pub fn expand_library(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    if !attr.is_empty() {
        let message = "expected no arguments to `#[device_library]`\nhelp: leave them out";
        diagnostics.error(crate::diagnostics::Loc::of(&attr), message);
    }
    let Some(mut module) = read_module(&item, "device_library", &mut diagnostics) else {
        let errors = to_compile_errors(&diagnostics.into_errors());
        return quote!(#errors #item);
    };
    let name = module.ident.clone();
    let vis = module.vis.clone();
    mark_called(&mut module, &mut []);
    let items = module.content.as_ref().map_or(&[][..], |content| &content.1);
    let holders = holders(items.iter());
    let emitted = marked(without_marks(&syn::Item::Mod(module.clone())), &holders);
    let emitted = plain_item(emitted);
    let errors = to_compile_errors(&analyze_library(module, diagnostics));
    // Macros with `#[macro_export]` share one namespace in a crate.
    let mut hasher = DefaultHasher::new();
    item.to_string().hash(&mut hasher);
    let exported = format_ident!("__device_library_{name}_{:016x}", hasher.finish());
    // The editor wants the module at the same place with mistakes and without.
    quote! {
        #[allow(dead_code)]
        #emitted
        #errors

        #[doc(hidden)]
        #[macro_export]
        macro_rules! #exported {
            ([$($callback:tt)*] $($given:tt)*) => { $($callback)* ! { $($given)* { #item } } };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use #exported as #name;
    }
}

/// Expands `#[device] item` outside of a module that would have taken it off.
pub fn expand_device(item: TokenStream) -> TokenStream {
    let message = "expected `#[device]` in a `#[kernel_module]` or a `#[device_library]`, found it outside: a macro sees its own \
                   tokens only\nhelp: put the function and its kernels into a `#[kernel_module] mod name { … }`, or the function \
                   into the body of the kernel";
    let mut diagnostics = Diagnostics::default();
    diagnostics.error(proc_macro2::Span::call_site(), message);
    let errors = to_compile_errors(&diagnostics.into_errors());
    quote!(#errors #item)
}
