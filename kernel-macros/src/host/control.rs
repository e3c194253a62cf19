//! Blocks, statements and control flow. Every loop has a label, since a block with a label may stand between it and a `break`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Printer, label, types};
use crate::typed::{Block, Expr, ExprKind, Pattern, Stmt, Ty};

impl Printer<'_> {
    /// `if … else if … else …`, which may be long.
    fn if_chain(&mut self, expr: &Expr) -> TokenStream {
        let (mut tokens, mut at) = (TokenStream::new(), expr);
        loop {
            let span = at.span;
            let ExprKind::If { cond, then, otherwise, .. } = &at.kind else {
                let last = self.expr(at);
                tokens.extend(match at.kind {
                    ExprKind::Block(_) => last,
                    _ => quote_spanned!(span=> { #last }),
                });
                return tokens;
            };
            let (cond, then) = (self.operand(cond), self.block(then));
            tokens.extend(quote_spanned!(span=> if #cond #then));
            let Some(otherwise) = otherwise else { return tokens };
            tokens.extend(quote_spanned!(span=> else));
            at = otherwise;
        }
    }

    /// `{ … }`
    pub(super) fn block(&mut self, block: &Block) -> TokenStream {
        let mut tokens = TokenStream::new();
        for stmt in &block.stmts {
            tokens.extend(self.stmt(stmt));
        }
        if let Some(value) = &block.value {
            tokens.extend(self.expr(value));
        }
        let span = block.span;
        quote_spanned!(span=> { #tokens })
    }

    fn stmt(&mut self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Declare(id) => {
                self.frame().declared.insert(*id);
                let (declaration, unset) = (self.declaration(*id), self.unset());
                quote!(let #declaration = #unset;)
            }
            Stmt::Let { pattern, init, otherwise, span } => {
                self.let_statement(pattern, init, otherwise.as_ref(), *span)
            }
            Stmt::Expr(expr) => {
                let (tokens, span) = (self.expr(expr), expr.span);
                match expr.ty {
                    Ty::Unit | Ty::Never => quote_spanned!(span=> #tokens;),
                    // At the start of a statement, `if` and blocks would have to be `()`.
                    _ => quote_spanned!(span=> let _ = (#tokens);),
                }
            }
        }
    }

    fn let_statement(
        &mut self,
        pattern: &Pattern,
        init: &Expr,
        otherwise: Option<&Block>,
        span: Span,
    ) -> TokenStream {
        match (pattern, otherwise) {
            (Pattern::Wild, None) => {
                let init = self.expr(init);
                return quote_spanned!(span=> let _ = (#init););
            }
            (Pattern::Bind { local, mode: crate::typed::BindMode::Value, inner: None }, None) => {
                let init_tokens = self.expr(init);
                self.frame().declared.insert(*local);
                let name = &self.names[local.0];
                if init.ty == Ty::Never {
                    return quote_spanned!(span=> let mut #name = #init_tokens;);
                }
                let ty = types::ty(self.kernel, &self.current().local(*local).ty);
                return quote_spanned!(span=> let mut #name: #ty = #init_tokens;);
            }
            _ => {}
        }
        let (setup, place) = self.scrutinee(init);
        // After the value, which cannot see them.
        let otherwise = otherwise.map(|block| self.block(block));
        let declarations = self.declare(pattern);
        let test = self.test(pattern, &place, &init.ty, span);
        match otherwise {
            Some(otherwise) => quote_spanned!(span=> #declarations #setup if !#test #otherwise),
            None => quote_spanned!(span=> #declarations #setup let _ = #test;),
        }
    }

    /// Control flow.
    pub(super) fn control(&mut self, expr: &Expr) -> TokenStream {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Labeled { id, body, .. } => {
                let (label, body) = (label(*id), self.block(body));
                quote_spanned!(span=> #label: #body)
            }
            ExprKind::If { .. } => self.if_chain(expr),
            ExprKind::Loop { id, body, .. } => {
                let (label, body) = (label(*id), self.block(body));
                quote_spanned!(span=> #label: loop #body)
            }
            ExprKind::While { id, cond, body, .. } => {
                let label = label(*id);
                let (cond, body) = (self.operand(cond), self.block(body));
                quote_spanned!(span=> #label: while #cond #body)
            }
            ExprKind::For { id, pattern, iter, body, .. } => {
                let (label, tokens) = (label(*id), self.iterator(iter));
                let (item, bind) = self.item(pattern, &iter.item, span);
                let body = self.block(body);
                quote_spanned!(span=> #label: for #item in #tokens { #bind #body })
            }
            ExprKind::Break { target, value } => {
                let label = label(*target);
                let value = value.as_ref().map(|value| self.operand(value));
                quote_spanned!(span=> break #label #value)
            }
            ExprKind::Continue { target } => {
                let label = label(*target);
                quote_spanned!(span=> continue #label)
            }
            ExprKind::Return(value) => {
                let value = value.as_ref().map(|value| self.operand(value));
                quote_spanned!(span=> return #value)
            }
            _ => quote!(),
        }
    }
}
