//! The order that `derive` gives a type, written out where a part of the type has an order of its own: an `impl` like any other. What is
//! derived of the language's own orders alone is compared as one value.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::visit::Visit;

use super::Parser;

/// The attribute of the impls that are written out here.
pub(super) const MARK: &str = "automatically_derived";

/// The traits that compare.
const ORDERS: &[&str] = &["PartialEq", "PartialOrd", "Ord"];

impl Parser<'_> {
    /// The impls that the derives of these items stand for, if any impl of the user's gives a type an order, or a type holds references,
    /// which are compared by what they lead to.
    pub(super) fn derived_orders(&mut self, items: &[&syn::Item]) -> Vec<syn::Item> {
        self.own_orders |= items.iter().any(|item| gives_order(item) || holds_reference(item));
        if !self.own_orders {
            return Vec::new();
        }
        items.iter().flat_map(|item| orders_of(item)).collect()
    }
}

/// Returns true for an impl that compares, also in a module.
fn gives_order(item: &syn::Item) -> bool {
    match item {
        syn::Item::Impl(item) => item.trait_.as_ref().is_some_and(|(path, _)| {
            path.segments.last().is_some_and(|last| ORDERS.iter().any(|name| last.ident == name))
        }),
        syn::Item::Mod(item) => item.content.iter().flat_map(|(_, items)| items).any(gives_order),
        _ => false,
    }
}

/// Returns true for a type with a lifetime or a reference anywhere in it, also in a module.
fn holds_reference(item: &syn::Item) -> bool {
    let mut references = References::default();
    match item {
        syn::Item::Struct(item) => references.visit_item_struct(item),
        syn::Item::Enum(item) => references.visit_item_enum(item),
        syn::Item::Type(item) => references.visit_item_type(item),
        syn::Item::Mod(item) => {
            return item.content.iter().flat_map(|(_, items)| items).any(holds_reference);
        }
        _ => {}
    }
    references.found
}

/// Finds the references that an item declares: those that a pointer to a function takes are none of its values.
#[derive(Default)]
struct References {
    found: bool,
}

impl Visit<'_> for References {
    fn visit_lifetime_param(&mut self, _: &syn::LifetimeParam) {
        self.found = true;
    }

    fn visit_type_reference(&mut self, _: &syn::TypeReference) {
        self.found = true;
    }

    fn visit_type_fn_ptr(&mut self, _: &syn::TypeFnPtr) {}

    fn visit_parenthesized_generic_arguments(&mut self, _: &syn::ParenthesizedGenericArguments) {}

    fn visit_expr(&mut self, _: &syn::Expr) {}
}

/// The derived orders of a struct or an enum with data, written out.
fn orders_of(item: &syn::Item) -> Vec<syn::Item> {
    let (attrs, name, generics) = match item {
        syn::Item::Struct(item) => (&item.attrs, &item.ident, &item.generics),
        syn::Item::Enum(item) if super::item::has_data(item) => (&item.attrs, &item.ident, &item.generics),
        _ => return Vec::new(),
    };
    let mark = format_ident!("{MARK}");
    let (declared, arguments, clause) = generics.split_for_impl();
    let derived = ORDERS.iter().filter(|order| derives(attrs, order));
    derived
        .map(|order| {
            let of_trait = format_ident!("{order}");
            let method = match *order {
                "PartialEq" => quote!(
                    fn eq(&self, other: &Self) -> bool
                ),
                "PartialOrd" => quote!(
                    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering>
                ),
                _ => quote!(
                    fn cmp(&self, other: &Self) -> core::cmp::Ordering
                ),
            };
            let body = match item {
                syn::Item::Enum(item) => of_variants(order, item),
                syn::Item::Struct(item) => {
                    let parts = members(&item.fields);
                    in_order(order, parts.iter().map(|part| (quote!(self.#part), quote!(other.#part))))
                }
                _ => TokenStream::new(),
            };
            syn::parse_quote! {
                #[#mark]
                impl #declared #of_trait for #name #arguments #clause { #method { #body } }
            }
        })
        .collect()
}

/// Returns true if a `derive` names the trait.
fn derives(attrs: &[syn::Attribute], name: &str) -> bool {
    attrs.iter().filter(|attr| attr.path().is_ident("derive")).any(|attr| {
        let mut found = false;
        // A path that cannot be read is a mistake of the derive's.
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == name);
            Ok(())
        });
        found
    })
}

fn members(fields: &syn::Fields) -> Vec<syn::Member> {
    fields.members().collect()
}

/// Compares pairs, each only where the ones before are equal.
fn in_order(order: &str, pairs: impl Iterator<Item = (TokenStream, TokenStream)>) -> TokenStream {
    let equal = quote!(core::cmp::Ordering::Equal);
    match order {
        "PartialEq" => {
            let all = pairs.map(|(a, b)| quote!(&& #a == #b));
            quote!(true #(#all)*)
        }
        "PartialOrd" => {
            let steps = pairs.map(
                |(a, b)| quote!(match #a.partial_cmp(&#b) { Some(#equal) => {} unequal => return unequal }),
            );
            quote!(#(#steps)* Some(#equal))
        }
        _ => {
            let steps =
                pairs.map(|(a, b)| quote!(match #a.cmp(&#b) { #equal => {} unequal => return unequal }));
            quote!(#(#steps)* #equal)
        }
    }
}

/// Variants compare by their numbers, those of one by what they hold.
fn of_variants(order: &str, item: &syn::ItemEnum) -> TokenStream {
    let (mut arms, mut ranks) = (Vec::new(), Vec::new());
    let (mut start, mut after): (syn::Expr, i64) = (syn::parse_quote!(0), 0);
    for variant in &item.variants {
        if let Some((_, number)) = &variant.discriminant {
            (start, after) = (number.clone(), 0);
        }
        let name = &variant.ident;
        ranks.push(quote!(Self::#name { .. } => (#start) as i64 + #after));
        after += 1;
        let parts = members(&variant.fields);
        if parts.is_empty() {
            continue;
        }
        let names = |prefix: &str| -> Vec<Ident> {
            (0..parts.len()).map(|index| format_ident!("{prefix}{index}")).collect()
        };
        let (a, b) = (names("a"), names("b"));
        let body = in_order(order, a.iter().zip(&b).map(|(a, b)| (quote!((*#a)), quote!((*#b)))));
        arms.push(quote!((Self::#name { #(#parts: #a),* }, Self::#name { #(#parts: #b),* }) => { #body }));
    }
    let ranks = quote!({ #(#ranks),* });
    let by_rank = match order {
        "PartialEq" => quote!(a == b),
        "PartialOrd" => quote!(a.partial_cmp(&b)),
        _ => quote!(a.cmp(&b)),
    };
    quote! {
        match (self, other) {
            #(#arms)*
            _ => {
                let (a, b) = (match self #ranks, match other #ranks);
                #by_rank
            }
        }
    }
}
