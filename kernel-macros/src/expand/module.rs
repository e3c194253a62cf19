//! `#[kernel_module]`: the module with its kernels expanded in place, the rest as written.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::visit_mut::VisitMut;

use super::{element, kernel_items, shown_to_rustc};
use crate::analyze::Analysis;
use crate::closed::{self, Closed};
use crate::copy::{closed_items, plain_item};
use crate::diagnostics::to_compile_errors;
use crate::parse::{Library, ModuleItem, ParsedModule};

/// Prints a module.
pub fn module_items(module: ParsedModule, libraries: &[Library], analysis: Analysis) -> TokenStream {
    let failed = !analysis.errors.is_empty();
    let errors = to_compile_errors(&analysis.errors);
    let (kernels, copies): (Vec<TokenStream>, Vec<Option<TokenStream>>) =
        analysis.kernels.into_iter().map(|kernel| kernel_items(kernel, failed)).unzip();
    let ParsedModule { outer, vis, name, items, source, .. } = module;
    // A kernel that could not be compiled has no copy: the mistake is reported.
    let check = copies.into_iter().collect::<Option<TokenStream>>().filter(|_| !failed).map(|kernels| {
        let links: Vec<syn::Path> = libraries.iter().map(|library| library.path.clone()).collect();
        let modules = libraries.iter().filter_map(|library| {
            let (_, items) = library.module.content.as_ref()?;
            let closed = Closed::new(links.clone(), items);
            let name = &library.path.segments.last()?.ident;
            Some(closed::module(name, &closed, &closed_items(items, &closed, &TokenStream::new())))
        });
        let libraries: Vec<TokenStream> = modules.collect();
        let closed = Closed::of_module(links, &name, &source);
        let module = closed::module(&name, &closed, &closed_items(&source, &closed, &kernels));
        shown_to_rustc(&closed::copy(&libraries, &module))
    });
    let of_libraries = libraries.iter().filter_map(|library| Some(&library.module.content.as_ref()?.1));
    let holders = holders(of_libraries.flatten().chain(&source));
    let items = items.into_iter().map(|item| match item {
        ModuleItem::Other(tokens) => ModuleItem::Other(marked(tokens, &holders)),
        other => other,
    });
    let items = items.map(|item| match item {
        ModuleItem::Kernel(index) => kernels.get(index).cloned().unwrap_or_default(),
        // Kernels use what it brings, in the check copy.
        ModuleItem::Import(tokens) => quote!(#[allow(unused_imports)] #tokens),
        ModuleItem::Other(tokens) if failed && is_static_of_atomics(&tokens) => TokenStream::new(),
        ModuleItem::Other(tokens) if failed => hollow(plain_item(tokens)),
        ModuleItem::Other(tokens) => plain_item(tokens),
    });
    // After a mistake nothing uses what the emptied functions did.
    let unused = failed.then(|| quote!(#[allow(unused_imports)]));
    // Device functions are called by copies that are never run, or not at all after a mistake.
    quote! {
        #errors
        #(#outer)*
        #[allow(dead_code, unstable_name_collisions)]
        #unused
        #vis mod #name { #(#items)* #check }
    }
}

/// The names of enums with data, and of structs that hold one, directly or in a field.
pub fn holders<'i>(items: impl Iterator<Item = &'i syn::Item>) -> HashSet<String> {
    fn collect<'i>(item: &'i syn::Item, structs: &mut Vec<&'i syn::ItemStruct>, found: &mut HashSet<String>) {
        match item {
            syn::Item::Enum(item) if item.variants.iter().any(|variant| !variant.fields.is_empty()) => {
                found.insert(item.ident.to_string());
            }
            syn::Item::Struct(item) => structs.push(item),
            syn::Item::Mod(syn::ItemMod { content: Some((_, items)), .. }) => {
                items.iter().for_each(|item| collect(item, structs, found));
            }
            _ => {}
        }
    }
    let (mut structs, mut found) = (Vec::new(), HashSet::new());
    items.for_each(|item| collect(item, &mut structs, &mut found));
    loop {
        let holds = |item: &&syn::ItemStruct| {
            !found.contains(&item.ident.to_string())
                && item.fields.iter().any(|field| match element::base(&field.ty) {
                    syn::Type::Path(path) => {
                        path.path.segments.last().is_some_and(|last| found.contains(&last.ident.to_string()))
                    }
                    _ => false,
                })
        };
        let more: Vec<String> =
            structs.iter().copied().filter(holds).map(|item| item.ident.to_string()).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// An item whose structs that hold enums with data say so to their `#[derive(Element)]`.
pub fn marked(tokens: TokenStream, holders: &HashSet<String>) -> TokenStream {
    struct Mark<'h> {
        holders: &'h HashSet<String>,
        changed: bool,
    }

    impl VisitMut for Mark<'_> {
        fn visit_item_struct_mut(&mut self, item: &mut syn::ItemStruct) {
            let mut derives_element = false;
            for attr in item.attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
                // rustc reports mistakes in it.
                let _ = attr.parse_nested_meta(|meta| {
                    derives_element |= meta.path.segments.last().is_some_and(|last| last.ident == "Element");
                    Ok(())
                });
            }
            let is_marked = item.attrs.iter().any(|attr| attr.path().is_ident(element::HELPER));
            if derives_element && !is_marked && self.holders.contains(&item.ident.to_string()) {
                let (helper, word) =
                    (format_ident!("{}", element::HELPER), format_ident!("{}", element::HOLDS_ENUMS));
                item.attrs.push(syn::parse_quote!(#[#helper(#word)]));
                self.changed = true;
            }
        }
    }

    if holders.is_empty() {
        return tokens;
    }
    let Ok(mut item) = syn::parse2::<syn::Item>(tokens.clone()) else { return tokens };
    let mut mark = Mark { holders, changed: false };
    mark.visit_item_mut(&mut item);
    if mark.changed { quote!(#item) } else { tokens }
}

/// An item after a mistake, which may be in it: its functions have no bodies, so that rustc does not report the mistake again.
fn hollow(tokens: TokenStream) -> TokenStream {
    let Ok(mut item) = syn::parse2::<syn::Item>(tokens.clone()) else { return tokens };
    let mut hollowed = Hollow { changed: false };
    hollowed.visit_item_mut(&mut item);
    if !hollowed.changed {
        return tokens;
    }
    quote! {
        #[allow(unused_variables, unused_mut)]
        #item
    }
}

/// Returns true for a static of atomics, which the compiler refuses, and which rustc would refuse again: the host makes none.
fn is_static_of_atomics(tokens: &TokenStream) -> bool {
    match syn::parse2::<syn::Item>(tokens.clone()) {
        Ok(syn::Item::Static(item)) => {
            let ty = &item.ty;
            quote!(#ty).into_iter().any(|tree| names_atomics(&tree))
        }
        _ => false,
    }
}

fn names_atomics(tree: &proc_macro2::TokenTree) -> bool {
    match tree {
        proc_macro2::TokenTree::Ident(name) => name.to_string().starts_with("Atomic"),
        proc_macro2::TokenTree::Group(group) => group.stream().into_iter().any(|tree| names_atomics(&tree)),
        proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_) => false,
    }
}

/// Empties functions, but not those that constants may call.
struct Hollow {
    changed: bool,
}

impl Hollow {
    fn empty(&mut self, sig: &syn::Signature, block: &mut syn::Block) {
        if sig.constness.is_some() {
            return;
        }
        // `!` is no iterator, and nothing else stands for any `impl Trait`.
        *block = match &sig.output {
            syn::ReturnType::Type(_, ty) if quote!(#ty).into_iter().any(|tree| is_impl(&tree)) => {
                let is_iterator =
                    matches!(&**ty, syn::Type::ImplTrait(_)) && quote!(#ty).to_string().contains("Iterator");
                if !is_iterator {
                    return;
                }
                syn::parse_quote!({ ::kernel_runtime::vocabulary::core::iter::empty() })
            }
            _ => syn::parse_quote!({ ::kernel_runtime::vocabulary::core::unreachable!() }),
        };
        self.changed = true;
    }
}

/// Returns true for `impl`, alone or in a group.
fn is_impl(tree: &proc_macro2::TokenTree) -> bool {
    match tree {
        proc_macro2::TokenTree::Ident(name) => name == "impl",
        proc_macro2::TokenTree::Group(group) => group.stream().into_iter().any(|tree| is_impl(&tree)),
        proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_) => false,
    }
}

impl VisitMut for Hollow {
    fn visit_item_fn_mut(&mut self, function: &mut syn::ItemFn) {
        self.empty(&function.sig, &mut function.block);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        self.empty(&function.sig, &mut function.block);
    }
}
