//! `#[kernel_module]` and `#[device_library]`.
//!
//! A macro sees its own tokens only. So a library leaves beside its module a macro of the same name that holds its tokens, and
//! a module that links libraries asks one after the other for them: `geometry!` calls back `__link!` with what it was given
//! and its own tokens, until all are together.

use std::hash::{DefaultHasher, Hash, Hasher};

use proc_macro2::{Group, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};

use crate::analyze::{analyze_library, analyze_module};
use crate::attrs::parse_links;
use crate::called::mark_called;
use crate::copy::plain_item;
use crate::diagnostics::{Diagnostic, Diagnostics, Loc, to_compile_errors};
use crate::expand::{editor, holders, marked, module_items};
use crate::parse::{Library, is_ours, without_marks};

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
        Some(links) if diagnostics.finish().is_ok() => link(links, &item),
        Some(_) | None => compile(module, Vec::new(), diagnostics),
    };
    quote!(#editor #items)
}

/// Asks the first library for its tokens, which asks the next one.
fn link((first, rest): (&syn::Path, &[syn::Path]), item: &TokenStream) -> TokenStream {
    quote!(#first! { [::kernel_runtime::__link] { #first } { #(#rest),* } { } { #item } })
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
    let mut built_on = Vec::new();
    for (path, library) in linked.into_iter().chain([(current, library)]) {
        if let Some(mut module) = read_module(&library.stream(), "device_library", &mut diagnostics) {
            built_on.push(take_links(&mut module, &mut diagnostics).unwrap_or_default());
            libraries.push(Library { path, module });
        }
    }
    report_missing(&libraries, &built_on, &mut diagnostics);
    let Some(mut module) = read_module(&item.stream(), "kernel_module", &mut diagnostics) else {
        return to_compile_errors(&diagnostics.into_errors());
    };
    match take_links(&mut module, &mut diagnostics) {
        Some(links) => library_items(module, &links, libraries, diagnostics),
        None => compile(module, libraries, diagnostics),
    }
}

/// Takes `#[device_library(link(…))]` off a module, which tells a library that links others from a module with kernels. Returns the links.
fn take_links(module: &mut syn::ItemMod, diagnostics: &mut Diagnostics) -> Option<Vec<syn::Path>> {
    let at = module.attrs.iter().position(|attr| is_ours(attr, "device_library"))?;
    let links = match module.attrs.remove(at).meta {
        syn::Meta::List(list) => parse_links(list.tokens, diagnostics),
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => Vec::new(),
    };
    Some(links)
}

/// Reports libraries that others are built on and that are not linked with them.
fn report_missing(libraries: &[Library], built_on: &[Vec<syn::Path>], diagnostics: &mut Diagnostics) {
    let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let mut names: Vec<String> = libraries.iter().map(|library| library.name().to_string()).collect();
    for (library, needed) in libraries.iter().zip(built_on) {
        for needed in needed.iter().map(last) {
            if !names.contains(&needed) {
                let (of, written) = (library.name(), names.join(", "));
                let message = format!(
                    "expected `{needed}` among the linked libraries, which `{of}` is built on, found none\n\
                     help: write `link({needed}, {written})`, with the path that leads to it from here"
                );
                diagnostics.error(Loc::of(&library.path), message);
                names.push(needed);
            }
        }
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
            diagnostics.error(Loc::of(&other), message);
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

/// Expands `#[device_library(attr)] item`.
pub fn expand_library(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let links = parse_links(attr, &mut diagnostics);
    let Some(module) = read_module(&item, "device_library", &mut diagnostics) else {
        let errors = to_compile_errors(&diagnostics.into_errors());
        return quote!(#errors #item);
    };
    match links.split_first() {
        Some(first) if diagnostics.finish().is_ok() => {
            link(first, &quote!(#[device_library(link(#(#links),*))] #item))
        }
        Some(_) | None => library_items(module, &links, Vec::new(), diagnostics),
    }
}

/// Prints a library: the module as written, and the macro that hands its tokens on.
fn library_items(
    mut module: syn::ItemMod,
    links: &[syn::Path],
    mut libraries: Vec<Library>,
    diagnostics: Diagnostics,
) -> TokenStream {
    let item = module.to_token_stream();
    let name = module.ident.clone();
    let vis = module.vis.clone();
    mark_called(&mut module, &mut libraries);
    let items = module.content.as_ref().map_or(&[][..], |content| &content.1);
    let holders = holders(items.iter());
    let emitted = marked(without_marks(&syn::Item::Mod(module.clone())), &holders);
    let emitted = plain_item(emitted);
    let errors = to_compile_errors(&analyze_library(module, &libraries, diagnostics));
    // Macros with `#[macro_export]` share one namespace in a crate.
    let mut hasher = DefaultHasher::new();
    item.to_string().hash(&mut hasher);
    let exported = format_ident!("__device_library_{name}_{:016x}", hasher.finish());
    let built_on = (!links.is_empty()).then(|| quote!(#[device_library(link(#(#links),*))]));
    // The editor wants the module at the same place with mistakes and without.
    quote! {
        #[allow(dead_code)]
        #emitted
        #errors

        #[doc(hidden)]
        #[macro_export]
        macro_rules! #exported {
            ([$($callback:tt)*] $($given:tt)*) => { $($callback)* ! { $($given)* { #built_on #item } } };
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

#[cfg(test)]
mod tests {
    use quote::quote;

    /// The errors in the expansion of a module that links one library.
    fn errors(item: proc_macro2::TokenStream, library: proc_macro2::TokenStream) -> String {
        let expanded = super::expand_link(quote!({ curves } { } { } { #item } { #library })).to_string();
        let texts = expanded
            .split("compile_error ! {")
            .skip(1)
            .map(|text| text.split('}').next().unwrap_or_default());
        texts.map(str::trim).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_library_needs_those_that_it_is_built_on() {
        let module = quote!(
            mod m {
                #[kernel]
                pub fn k(y: &mut [f32]) {
                    y[0] = curves::f();
                }
            }
        );
        let library = quote!(
            mod curves {
                pub fn f() -> f32 {
                    1.0
                }
            }
        );
        assert_eq!(errors(module.clone(), library.clone()), "");
        let found = errors(module, quote!(#[device_library(link(other::numeric))] #library));
        assert!(
            found.contains(
                "expected `numeric` among the linked libraries, which `curves` is built on, found none"
            ),
            "{found}"
        );
        assert!(found.contains("help: write `link(numeric, curves)`"), "{found}");
    }
}
