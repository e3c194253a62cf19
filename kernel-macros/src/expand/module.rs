//! `#[kernel_module]`: the module with its kernels expanded in place, the rest as written.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::VisitMut;

use super::{Scope, kernel_items};
use crate::analyze::Analysis;
use crate::copy::plain_item;
use crate::diagnostics::to_compile_errors;
use crate::parse::{ModuleItem, ParsedModule};

/// Prints a module.
pub fn module_items(module: ParsedModule, analysis: Analysis) -> TokenStream {
    let failed = !analysis.errors.is_empty();
    let errors = to_compile_errors(&analysis.errors);
    let kernels: Vec<TokenStream> = analysis
        .kernels
        .into_iter()
        .map(|kernel| kernel_items(kernel, Scope { failed, in_module: true }))
        .collect();
    let ParsedModule { outer, vis, name, items, .. } = module;
    let items = items.into_iter().map(|item| match item {
        ModuleItem::Kernel(index) => kernels.get(index).cloned().unwrap_or_default(),
        ModuleItem::Other(tokens) if failed => hollow(plain_item(tokens)),
        ModuleItem::Other(tokens) => plain_item(tokens),
    });
    // After a mistake nothing uses what the emptied functions did.
    let unused = failed.then(|| quote!(#[allow(unused_imports)]));
    // Device functions are called by copies that are never run, or not at all after a mistake.
    quote! {
        #errors
        #(#outer)*
        #[allow(dead_code)]
        #unused
        #vis mod #name { #(#items)* }
    }
}

/// An item after a mistake, which may be in it: its functions have no bodies, so that rustc does not tell the mistake again.
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

/// Empties functions, but not those that constants may call.
struct Hollow {
    changed: bool,
}

impl Hollow {
    fn empty(&mut self, sig: &syn::Signature, block: &mut syn::Block) {
        if sig.constness.is_none() {
            *block = syn::parse_quote!({ ::core::unreachable!() });
            self.changed = true;
        }
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
