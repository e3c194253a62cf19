//! Comparisons through references, which are pointers in the copy: those compare addresses.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

use super::Printer;
use crate::typed::{self, BinaryOp, Ty};

impl Printer<'_> {
    /// `lhs op rhs` of a type with references in it, of what they lead to; `None` for other types and operators.
    pub(super) fn compare_behind(
        &self,
        op: BinaryOp,
        ty: &Ty,
        (lhs, rhs): (&TokenStream, &TokenStream),
        span: Span,
    ) -> Option<TokenStream> {
        if !self.holds_reference(ty) {
            return None;
        }
        let (a, b) = (quote_spanned!(span=> a), quote_spanned!(span=> b));
        let (equal, order) = (self.equal(ty, &a, &b, span), self.order(ty, &a, &b, span));
        let holds = match op {
            BinaryOp::Eq => equal,
            BinaryOp::Ne => quote_spanned!(span=> !(#equal)),
            BinaryOp::Lt => quote_spanned!(span=> (#order).is_some_and(|order| order.is_lt())),
            BinaryOp::Le => quote_spanned!(span=> (#order).is_some_and(|order| order.is_le())),
            BinaryOp::Gt => quote_spanned!(span=> (#order).is_some_and(|order| order.is_gt())),
            BinaryOp::Ge => quote_spanned!(span=> (#order).is_some_and(|order| order.is_ge())),
            _ => return None,
        };
        Some(quote_spanned!(span=> match (#lhs, #rhs) { (a, b) => #holds }))
    }

    fn holds_reference(&self, ty: &Ty) -> bool {
        typed::holds(ty, &self.kernel.structs, |part| matches!(part, Ty::Ref { .. }))
    }

    fn equal(&self, ty: &Ty, a: &TokenStream, b: &TokenStream, span: Span) -> TokenStream {
        match ty {
            Ty::Ref { inner, .. } => {
                self.equal(inner, &quote_spanned!(span=> (*#a)), &quote_spanned!(span=> (*#b)), span)
            }
            Ty::Option(inner) if self.holds_reference(inner) => {
                let equal = self.equal(inner, &quote_spanned!(span=> a), &quote_spanned!(span=> b), span);
                quote_spanned!(span=> match ((#a).get(), (#b).get()) {
                    (::core::option::Option::Some(a), ::core::option::Option::Some(b)) => #equal,
                    (::core::option::Option::None, ::core::option::Option::None) => true,
                    _ => false,
                })
            }
            Ty::Tuple(parts) if self.holds_reference(ty) => {
                let parts = parts.iter().enumerate().map(|(index, part)| {
                    let index = syn::Index::from(index);
                    self.equal(
                        part,
                        &quote_spanned!(span=> #a.#index),
                        &quote_spanned!(span=> #b.#index),
                        span,
                    )
                });
                quote_spanned!(span=> true #(&& #parts)*)
            }
            _ => quote_spanned!(span=> (#a == #b)),
        }
    }

    /// The `core::option::Option<core::cmp::Ordering>` of two values.
    fn order(&self, ty: &Ty, a: &TokenStream, b: &TokenStream, span: Span) -> TokenStream {
        let known = |name: &str| {
            let name = Ident::new(name, span);
            quote_spanned!(span=> ::core::option::Option::Some(::core::cmp::Ordering::#name))
        };
        let (less, equal, greater) = (known("Less"), known("Equal"), known("Greater"));
        match ty {
            Ty::Ref { inner, .. } => {
                self.order(inner, &quote_spanned!(span=> (*#a)), &quote_spanned!(span=> (*#b)), span)
            }
            Ty::Option(inner) if self.holds_reference(inner) => {
                let order = self.order(inner, &quote_spanned!(span=> a), &quote_spanned!(span=> b), span);
                quote_spanned!(span=> match ((#a).get(), (#b).get()) {
                    (::core::option::Option::Some(a), ::core::option::Option::Some(b)) => #order,
                    (::core::option::Option::None, ::core::option::Option::None) => #equal,
                    (::core::option::Option::None, _) => #less,
                    (_, ::core::option::Option::None) => #greater,
                })
            }
            Ty::Tuple(parts) if self.holds_reference(ty) => {
                let mut later = equal.clone();
                for (index, part) in parts.iter().enumerate().rev() {
                    let index = syn::Index::from(index);
                    let order = self.order(
                        part,
                        &quote_spanned!(span=> #a.#index),
                        &quote_spanned!(span=> #b.#index),
                        span,
                    );
                    later = quote_spanned!(span=> match #order { #equal => #later, decided => decided });
                }
                later
            }
            Ty::Unit => equal,
            _ => quote_spanned!(span=> ::core::cmp::PartialOrd::partial_cmp(&#a, &#b)),
        }
    }
}
