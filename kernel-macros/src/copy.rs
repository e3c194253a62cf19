//! The check copy: the user's own tokens as an ordinary function, for rustc to check.
//!
//! Nothing is changed but this: attributes of ours are taken off, a collective on a `let` becomes the call that it stands for,
//! and a `let` without a type gets the one that was inferred, so that a wrong inference is an error rather than a wrong kernel.

use std::collections::HashMap;

use proc_macro2::{Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};

use crate::parse::Item;
use crate::parse::attributes::is_ours;
use crate::parse::collective;
use crate::typed::{Function, Ty};

/// `fn name(…) { … }` as written; with the types of its variables if they are known.
pub fn check_copy(item: &Item, typed: Option<&Function>) -> TokenStream {
    let sig = &item.sig;
    let body = match item.statements() {
        Some(stmts) => {
            let mut stmts = stmts.to_vec();
            let mut copier = Copier { types: typed.map(types_of).unwrap_or_default() };
            for stmt in &mut stmts {
                copier.visit_stmt_mut(stmt);
            }
            let inner = item.inner_attributes();
            let mut body = Group::new(proc_macro2::Delimiter::Brace, quote!(#(#inner)* #(#stmts)*));
            body.set_span(item.body.span());
            body
        }
        // What `syn` cannot read the editor may.
        None => item.body.clone(),
    };
    quote!(#sig #body)
}

/// An item of a module without the attributes of ours on its statements.
pub fn plain_item(tokens: TokenStream) -> TokenStream {
    let Ok(mut item) = syn::parse2::<syn::Item>(tokens.clone()) else { return tokens };
    Copier { types: HashMap::new() }.visit_item_mut(&mut item);
    item.into_token_stream()
}

/// A variable by its name and where it is declared.
type Key = (String, usize, usize);

fn key(name: &Ident) -> Key {
    let start = name.span().start();
    (name.to_string(), start.line, start.column)
}

/// The types that can be written, by the variables. Two at one place, from a macro, are left out.
fn types_of(function: &Function) -> HashMap<Key, Option<TokenStream>> {
    let mut types = HashMap::new();
    for local in &function.locals[function.param_count..] {
        let ty = tokens(&local.ty, local.name.span());
        types.entry(key(&local.name)).and_modify(|known| *known = None).or_insert(ty);
    }
    types
}

/// The type as tokens: numbers, and tuples and arrays of them; others are not written.
fn tokens(ty: &Ty, span: Span) -> Option<TokenStream> {
    match ty {
        Ty::Scalar(scalar) if scalar.bits() != 16 || scalar.is_int() => {
            let name = Ident::new(scalar.name(), span);
            Some(quote_spanned!(span=> ::core::primitive::#name))
        }
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(|part| tokens(part, span)).collect::<Option<Vec<_>>>()?;
            Some(quote_spanned!(span=> (#(#parts,)*)))
        }
        Ty::Array(element, len) => {
            let (element, len) = (tokens(element, span)?, proc_macro2::Literal::u64_unsuffixed(*len));
            Some(quote_spanned!(span=> [#element; #len]))
        }
        Ty::Ptr { inner, mutable } => {
            let inner = tokens(inner, span)?;
            Some(match mutable {
                true => quote_spanned!(span=> *mut #inner),
                false => quote_spanned!(span=> *const #inner),
            })
        }
        Ty::Scalar(_)
        | Ty::Unit
        | Ty::Never
        | Ty::Dim3
        | Ty::Struct(_)
        | Ty::Enum(_)
        | Ty::Option(_)
        | Ty::Atomic(_)
        | Ty::Vector(..)
        | Ty::Ref { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Function(_) => None,
    }
}

struct Copier {
    types: HashMap<Key, Option<TokenStream>>,
}

impl VisitMut for Copier {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
        attrs.retain(|attr| !is_ours(attr));
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let syn::Pat::Ident(pat) = &local.pat
            && pat.by_ref.is_none()
            && pat.subpat.is_none()
            && let Some(Some(ty)) = self.types.get(&key(&pat.ident))
        {
            let typed = syn::PatType {
                attrs: Vec::new(),
                pat: Box::new(local.pat.clone()),
                colon_token: syn::Token![:](pat.ident.span()),
                ty: Box::new(syn::Type::Verbatim(ty.clone())),
            };
            local.pat = syn::Pat::Type(typed);
        }
        if let [collective] = &local.attrs.iter().filter(|attr| is_ours(attr)).collect::<Vec<_>>()[..]
            && let Some(init) = &mut local.init
            && let Ok(call) = collective::call(collective, &init.expr)
        {
            *init.expr = call;
        }
        visit_mut::visit_local_mut(self, local);
    }

    /// Items in the body have no types inserted.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        let types = std::mem::take(&mut self.types);
        visit_mut::visit_item_mut(self, item);
        self.types = types;
    }
}
