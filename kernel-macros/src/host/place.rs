//! Elements, and assignment to variables and elements, through the views of `kernel_runtime::device`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::{Printer, own, ty};
use crate::typed::{BinaryOp, Expr, ExprKind, Ty};

/// An element to be assigned to: statements that evaluate it, then the view and the index.
struct Target {
    setup: TokenStream,
    view: TokenStream,
    index: TokenStream,
}

impl Printer<'_> {
    /// `base[index]` for reading.
    pub(super) fn element(&mut self, base: &Expr, index: &Expr, whole: &Expr) -> TokenStream {
        let span = whole.span;
        let (base, index) = (self.operand(base), self.expr(index));
        match &whole.ty {
            Ty::Shared(_) | Ty::Array(..) => quote_spanned!(span=> #base.row(#index)),
            Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Dim3 | Ty::Slice { .. } => {
                quote_spanned!(span=> #base.at(#index))
            }
        }
    }

    /// The array that an element to be written is in.
    fn row_mut(&mut self, base: &Expr) -> TokenStream {
        match &base.kind {
            ExprKind::Index { base: outer, index } => {
                let (outer, index, span) = (self.row_mut(outer), self.expr(index), base.span);
                quote_spanned!(span=> #outer.row_mut(#index))
            }
            _ => self.operand(base),
        }
    }

    fn target(&mut self, base: &Expr, index: &Expr, span: Span) -> Target {
        let (index_name, index_tokens) = (own("index", index.span), self.expr(index));
        let set_index = quote_spanned!(span=> let #index_name: usize = #index_tokens;);
        let index = index_name.into_token_stream();
        match &base.kind {
            ExprKind::Index { .. } => {
                let (row, tokens) = (own("row", span), self.row_mut(base));
                let setup = quote_spanned!(span=> let mut #row = #tokens; #set_index);
                Target { setup, view: row.into_token_stream(), index }
            }
            _ => Target { setup: set_index, view: self.operand(base), index },
        }
    }

    /// `place = value`: the value comes first, as in Rust.
    pub(super) fn assign(&mut self, place: &Expr, value: &Expr, span: Span) -> TokenStream {
        let tokens = self.expr(value);
        let ExprKind::Index { base, index } = &place.kind else {
            let place = self.expr(place);
            return quote_spanned!(span=> #place = #tokens);
        };
        let (name, ty) = (own("value", value.span), ty(&place.ty));
        let Target { setup, view, index } = self.target(base, index, span);
        let place_span = place.span;
        let set = quote_spanned!(place_span=> #view.set(#index, #name));
        quote_spanned!(span=> { let #name: #ty = #tokens; #setup #set; })
    }

    /// `place op= value`: the value comes first, as in Rust for scalars.
    pub(super) fn assign_op(&mut self, op: BinaryOp, place: &Expr, value: &Expr, span: Span) -> TokenStream {
        let tokens = self.expr(value);
        let (name, value_ty) = (own("value", value.span), ty(&value.ty));
        let rhs = name.to_token_stream();
        let evaluate = quote_spanned!(span=> let #name: #value_ty = #tokens;);
        self.update(place, evaluate, span, |this, old| this.binary(op, &place.ty, old, rhs, span))
    }

    /// `place = ±(a * b) + place`, rounded once.
    pub(super) fn assign_mul_add(
        &mut self,
        place: &Expr,
        a: &Expr,
        b: &Expr,
        negate_product: bool,
        span: Span,
    ) -> TokenStream {
        let (a_tokens, b_tokens) = (self.negated_if(negate_product, a), self.expr(b));
        let (a, b, ty) = (own("a", a.span), own("b", b.span), ty(&place.ty));
        let evaluate = quote_spanned!(span=> let #a: #ty = #a_tokens; let #b: #ty = #b_tokens;);
        self.update(
            place,
            evaluate,
            span,
            |_, old| quote_spanned!(span=> ::kernel_runtime::device::ops::mul_add(#a, #b, #old)),
        )
    }

    /// Evaluates something, then replaces what is in a place by `new` of it.
    fn update(
        &mut self,
        place: &Expr,
        evaluate: TokenStream,
        span: Span,
        new: impl FnOnce(&Self, TokenStream) -> TokenStream,
    ) -> TokenStream {
        let ExprKind::Index { base, index } = &place.kind else {
            let place = self.expr(place);
            let new = new(self, place.clone());
            return quote_spanned!(span=> { #evaluate #place = #new; });
        };
        let Target { setup, view, index } = self.target(base, index, span);
        let place_span = place.span;
        let new_name = own("new", span);
        let old = quote_spanned!(place_span=> #view.at(#index));
        let new = new(self, old);
        let set = quote_spanned!(place_span=> #view.set(#index, #new_name));
        quote_spanned!(span=> { #evaluate #setup let #new_name = #new; #set; })
    }
}
