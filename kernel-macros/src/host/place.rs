//! Places, references to them, and assignment.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Printer, constant, own, types};
use crate::infer::AXES;
use crate::typed::{BinaryOp, Expr, ExprKind, Ty, UnaryOp};

/// The base of a place.
enum Root {
    /// None: the expression is a value.
    Value,
    /// A variable, or the memory behind a pointer or slice.
    Memory,
    /// A constant.
    Const,
}

fn root(expr: &Expr) -> Root {
    match &expr.kind {
        ExprKind::Local(_) | ExprKind::Deref(_) => Root::Memory,
        ExprKind::Const(_) => Root::Const,
        ExprKind::Field { base, .. } | ExprKind::Axis { base, .. } => root(base),
        ExprKind::Index { base, .. } if matches!(base.ty, Ty::Slice { .. }) => Root::Memory,
        ExprKind::Index { base, .. } => root(base),
        _ => Root::Value,
    }
}

/// Returns true for numbers as they are written, and for arrays and tuples of such: `b"even"`.
fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Unary { op: UnaryOp::Neg, arg } => matches!(arg.kind, ExprKind::Literal(_)),
        ExprKind::Array(parts) | ExprKind::Tuple(parts) => parts.iter().all(is_literal),
        ExprKind::Repeat(value) => is_literal(value),
        _ => false,
    }
}

impl Printer<'_> {
    /// Returns true if an expression is a place rather than a value.
    pub(super) fn is_place(&self, expr: &Expr) -> bool {
        !matches!(root(expr), Root::Value)
    }

    /// A pointer to a place; a value is put into a slot of the frame first.
    pub(super) fn pointer(&mut self, expr: &Expr, mutable: bool) -> TokenStream {
        let span = expr.span;
        match root(expr) {
            Root::Memory => {
                let place = self.expr(expr);
                quote_spanned!(span=> (&raw mut #place))
            }
            // Of a constant that may be written each reference has its own copy.
            Root::Const if !mutable => {
                let place = self.expr(expr);
                quote_spanned!(span=> run::constant(&#place))
            }
            // As rustc promotes it: the reference may be in what a function or closure gives.
            Root::Value if !mutable && is_literal(expr) => {
                let (value, ty) = (self.expr(expr), types::ty(self.kernel, &expr.ty));
                quote_spanned!(span=> run::constant::<#ty>(&const { #value }))
            }
            Root::Const | Root::Value => {
                let (value, slot) = (self.expr(expr), self.slot(span));
                let ty = types::ty(self.kernel, &expr.ty);
                self.frame().hoisted.extend(quote!(let mut #slot = run::slot::<#ty>();));
                quote_spanned!(span=> (&raw mut *#slot.write(#value)))
            }
        }
    }

    /// `base[index]`: a place if the base is one.
    pub(super) fn index(&mut self, base: &Expr, index: &Expr, span: Span) -> TokenStream {
        if matches!(base.ty, Ty::Slice { .. }) {
            let (base, index) = (self.operand(base), self.expr(index));
            return quote_spanned!(span=> (*#base.at(#index)));
        }
        let function = if matches!(base.ty, Ty::Vector(..)) { "lane" } else { "at" };
        match root(base) {
            Root::Memory => {
                let function = proc_macro2::Ident::new(function, span);
                let (base, index) = (self.expr(base), self.expr(index));
                quote_spanned!(span=> (*run::#function(&raw mut #base, #index)))
            }
            Root::Const => {
                let function = proc_macro2::Ident::new(function, span);
                let (base, index) = (self.expr(base), self.expr(index));
                quote_spanned!(span=> (*run::#function(run::constant(&#base), #index)))
            }
            Root::Value => {
                let function = proc_macro2::Ident::new(&format!("{function}_of"), span);
                let (base, index) = (self.expr(base), self.expr(index));
                quote_spanned!(span=> run::#function(#base, #index))
            }
        }
    }

    /// `base.index`, by the type of the base.
    pub(super) fn field(&mut self, base: TokenStream, of: &Ty, index: usize, span: Span) -> TokenStream {
        match of {
            Ty::Struct(id) => {
                let path = types::field_path(&self.kernel.structs[id.0], index, span);
                quote_spanned!(span=> #base.#path)
            }
            Ty::Vector(_, lanes) if *lanes as usize > AXES.len() => {
                quote_spanned!(span=> (*run::lane(&raw mut #base, #index)))
            }
            Ty::Dim3 | Ty::Vector(..) => {
                let name = proc_macro2::Ident::new(AXES[index], span);
                quote_spanned!(span=> #base.#name)
            }
            Ty::Array(..) => quote_spanned!(span=> #base[#index]),
            _ => {
                let index = syn::Index { index: index as u32, span };
                quote_spanned!(span=> #base.#index)
            }
        }
    }

    /// `place op= value`: the value comes first, as in Rust for scalars.
    pub(super) fn assign_op(&mut self, op: BinaryOp, place: &Expr, value: &Expr, span: Span) -> TokenStream {
        let tokens = self.expr(value);
        let (name, value_ty) = (own("value", span), types::ty(self.kernel, &value.ty));
        self.update(place, span, quote_spanned!(span=> let #name: #value_ty = #tokens;), |this, old| {
            // In parentheses rustc finds both sides at the place of the whole, and names that if it panics.
            let (old, new) = match op {
                BinaryOp::Div | BinaryOp::Rem => {
                    (quote_spanned!(span=> (#old)), quote_spanned!(span=> (#name)))
                }
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => (old, quote!(#name)),
            };
            this.binary(op, &place.ty, old, new, span)
        })
    }

    /// `place = ±(a * b) + place`, rounded once.
    pub(super) fn assign_mul_add(
        &mut self,
        place: &Expr,
        (a, b): (&Expr, &Expr),
        negate_product: bool,
        span: Span,
    ) -> TokenStream {
        let (a_tokens, b_tokens) = (self.negated_if(negate_product, a), self.expr(b));
        let (a, b, ty) = (own("a", span), own("b", span), types::ty(self.kernel, &place.ty));
        let evaluate = quote_spanned!(span=> let #a: #ty = #a_tokens; let #b: #ty = #b_tokens;);
        self.update(place, span, evaluate, |_, old| quote_spanned!(span=> run::mul_add(#a, #b, #old)))
    }

    /// Evaluates something, then replaces what is in a place by `new` of it.
    fn update(
        &mut self,
        place: &Expr,
        span: Span,
        evaluate: TokenStream,
        new: impl FnOnce(&Self, TokenStream) -> TokenStream,
    ) -> TokenStream {
        let tokens = self.expr(place);
        if let ExprKind::Local(_) = place.kind {
            let new = new(self, tokens.clone());
            return quote_spanned!(span=> { #evaluate #tokens = #new; });
        }
        let at = own("at", span);
        let new = new(self, quote_spanned!(span=> (*#at)));
        quote_spanned!(span=> { #evaluate let #at = &raw mut #tokens; *#at = #new; })
    }

    pub(super) fn negated_if(&mut self, negate: bool, arg: &Expr) -> TokenStream {
        if !negate {
            return self.expr(arg);
        }
        if let ExprKind::Literal(value) = arg.kind {
            let (literal, span) = (constant::literal(value, arg.span), arg.span);
            return quote_spanned!(span=> -#literal);
        }
        let (arg, span) = (self.operand(arg), arg.span);
        quote_spanned!(span=> -#arg)
    }
}
