//! Blocks and statements.

use syn::spanned::Spanned;

use super::Parser;
use crate::ast::{Block, Origin, Stmt};
use crate::device::library;
use crate::diagnostics::Loc;

impl Parser<'_> {
    pub(super) fn block(&mut self, block: &syn::Block) -> Block {
        let braces = block.brace_token.span;
        self.stmts(&block.stmts, Loc::between(braces.open(), braces.close()))
    }

    /// Items first, all of them: statements and items of a block see every one.
    pub(super) fn stmts(&mut self, stmts: &[syn::Stmt], loc: Loc) -> Block {
        let with_ranges = super::ranges::in_variables(stmts);
        let stmts = with_ranges.as_deref().unwrap_or(stmts);
        let with_shared = super::shared::apart(stmts);
        let stmts = with_shared.as_deref().unwrap_or(stmts);
        let items = stmts.iter().filter_map(|stmt| match stmt {
            syn::Stmt::Item(item) => Some(item),
            syn::Stmt::Local(_) | syn::Stmt::Expr(..) | syn::Stmt::Macro(_) => None,
        });
        let mut items: Vec<&syn::Item> = items.collect();
        let derived = self.derived_orders(&items);
        items.extend(&derived);
        let globs = self.scope.globs.len();
        self.scope.blocks.push(Vec::new());
        let declared = self.declare(&items);
        if let Some(block) = self.scope.blocks.last_mut() {
            block.extend(declared.iter().flat_map(|item| item.names.clone()));
        }
        self.read_items(&declared);
        let mut block = Block {
            items: Vec::new(),
            globs: self.scope.globs[globs..].to_vec(),
            stmts: Vec::with_capacity(stmts.len()),
            value: None,
            loc,
        };
        for (index, stmt) in stmts.iter().enumerate() {
            let last = index + 1 == stmts.len();
            match stmt {
                syn::Stmt::Expr(expr, None) if last => block.value = self.expr(expr).map(Box::new),
                // `panic!("…")` at the end is the block's value.
                syn::Stmt::Macro(stmt) if last && stmt.semi_token.is_none() => {
                    self.attributes(&stmt.attrs);
                    block.value = self.macro_expr(&stmt.mac).map(Box::new);
                }
                other => block.stmts.extend(self.stmt(other)),
            }
        }
        block.items = self.scope.blocks.pop().unwrap_or_default();
        self.scope.globs.truncate(globs);
        block
    }

    pub(super) fn stmt(&mut self, stmt: &syn::Stmt) -> Option<Stmt> {
        match stmt {
            syn::Stmt::Local(local) => self.let_stmt(local),
            syn::Stmt::Item(_) => None,
            // `;` on its own.
            syn::Stmt::Expr(syn::Expr::Verbatim(tokens), Some(_)) if tokens.is_empty() => None,
            syn::Stmt::Expr(expr, semicolon) => {
                let expr = self.expr(expr)?;
                Some(Stmt::Expr { expr, semicolon: semicolon.is_some() })
            }
            syn::Stmt::Macro(stmt) => {
                self.attributes(&stmt.attrs);
                let expr = self.macro_expr(&stmt.mac)?;
                Some(Stmt::Expr { expr, semicolon: true })
            }
        }
    }

    fn let_stmt(&mut self, local: &syn::Local) -> Option<Stmt> {
        let (pat, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        let origin = if local.init.is_some() { Origin::Pattern } else { Origin::LetUninit };
        let pattern = self.pattern_of(pat, origin);
        // A refused type is the mistake: the initial value would only repeat it.
        let ty = match ty {
            Some(ty) => Some(self.ty(ty)?),
            None => None,
        };
        if local.init.as_ref().is_some_and(|init| super::iter::is_chain(&init.expr)) {
            self.draft.mentioned.insert(library::ITERATOR.to_owned());
        }
        let init = self.initial_value(local)?;
        let otherwise = match local.init.as_ref().and_then(|init| init.diverge.as_ref()) {
            Some((_, block)) => match &**block {
                syn::Expr::Block(block) => Some(self.block(&block.block)),
                other => {
                    self.refuse_expr(other);
                    return None;
                }
            },
            None => None,
        };
        let loc = Loc::between(local.let_token.span(), local.semi_token.span());
        Some(Stmt::Let { pattern: pattern?, ty, init, otherwise, loc })
    }
}
