//! Long chains of operators, piece by piece: what is printed one in the other is brackets in brackets, and rustc ends with a
//! signal at some hundreds of them.
//!
//! `a + b + c + …` becomes `{ let step: f32 = (a + b) + …; let step: f32 = (step + …) + …; (step + …) + … }`. The operand that is
//! taken out is what the expression computes first, so the order of evaluation is that of the source.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::{Printer, types};
use crate::typed::{Expr, ExprKind, Ty};

/// Operators of a chain in one piece.
const PIECE: usize = 24;

/// The operand that is evaluated first, if it and the whole are numbers.
fn first(expr: &Expr) -> Option<&Expr> {
    let operand = match &expr.kind {
        ExprKind::Unary { arg, .. } | ExprKind::Cast(arg) => arg,
        ExprKind::Binary { lhs, .. } | ExprKind::Logical { lhs, .. } => lhs,
        ExprKind::MulAdd { a, product_first: true, .. } => a,
        ExprKind::MulAdd { c, product_first: false, .. } => c,
        ExprKind::Call { args, .. } => args.first()?,
        _ => return None,
    };
    let is_number = |ty: &Ty| matches!(ty, Ty::Scalar(_) | Ty::Vector(..));
    (is_number(&expr.ty) && is_number(&operand.ty)).then_some(operand)
}

impl Printer<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> TokenStream {
        let (known, span) = (self.step, expr.span);
        let is_known = |expr: &Expr| known == Some(std::ptr::from_ref(expr));
        if is_known(expr) {
            return Ident::new("__step", span).into_token_stream();
        }
        let chain =
            || std::iter::successors(Some(expr), |&expr| first(expr)).take_while(|&expr| !is_known(expr));
        if chain().nth(2 * PIECE).is_none() {
            return self.whole(expr);
        }
        let pieces: Vec<&Expr> = chain().step_by(PIECE).skip(1).collect();
        let mut steps = TokenStream::new();
        for piece in pieces.into_iter().rev() {
            let (ty, tokens) = (types::ty(self.kernel, &piece.ty), self.expr(piece));
            let span = piece.span;
            steps.extend(quote_spanned!(span=> let __step: #ty = #tokens;));
            self.step = Some(std::ptr::from_ref(piece));
        }
        let value = self.expr(expr);
        self.step = known;
        quote_spanned!(span=> { #steps #value })
    }
}
