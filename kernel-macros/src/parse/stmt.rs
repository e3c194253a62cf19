//! Blocks and statements.

use syn::spanned::Spanned;

use super::Parser;
use crate::ast::{self, Block, Origin, Stmt};
use crate::diagnostics::Loc;
use crate::typed::{ConstId, LocalId};

impl Parser<'_> {
    pub(super) fn block(&mut self, block: &syn::Block) -> Block {
        let braces = block.brace_token.span;
        self.stmts(&block.stmts, Loc::between(braces.open(), braces.close()))
    }

    pub(super) fn stmts(&mut self, stmts: &[syn::Stmt], loc: Loc) -> Block {
        let mut block = Block { stmts: Vec::with_capacity(stmts.len()), value: None, loc };
        for (index, stmt) in stmts.iter().enumerate() {
            let last = index + 1 == stmts.len();
            match stmt {
                syn::Stmt::Expr(expr, None) if last => block.value = self.expr(expr).map(Box::new),
                other => block.stmts.extend(self.stmt(other)),
            }
        }
        block
    }

    fn stmt(&mut self, stmt: &syn::Stmt) -> Option<Stmt> {
        match stmt {
            syn::Stmt::Local(local) => self.let_stmt(local),
            syn::Stmt::Item(syn::Item::Const(item)) => self.const_item(item),
            syn::Stmt::Item(item) => {
                self.refuse_item(item);
                None
            }
            syn::Stmt::Expr(expr, semicolon) => {
                let expr = self.expr(expr)?;
                Some(Stmt::Expr { expr, semicolon: semicolon.is_some() })
            }
            syn::Stmt::Macro(stmt) => {
                self.refuse_macro(&stmt.mac);
                None
            }
        }
    }

    fn let_stmt(&mut self, local: &syn::Local) -> Option<Stmt> {
        self.attributes(&local.attrs);
        let (pat, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        // A refused type is the mistake: the initial value would only repeat it.
        let ty = match ty {
            Some(ty) => Some(self.value_type(ty, true)?),
            None => None,
        };
        let origin = if local.init.is_some() { Origin::Let } else { Origin::LetUninit };
        let (bound, ty) = match self.binding(pat, origin)? {
            Some(id) => {
                self.locals[id.0].ty = ty;
                (Some(id), None)
            }
            None => (None, ty),
        };
        let init = match &local.init {
            Some(init) => {
                if let Some((token, _)) = &init.diverge {
                    self.error(
                        token.span(),
                        "`let … else` is not supported in kernels yet\nhelp: test with `if` and `return`",
                    );
                    return None;
                }
                Some(self.expr(&init.expr)?)
            }
            None => None,
        };
        let loc = Loc::between(local.let_token.span(), local.semi_token.span());
        Some(Stmt::Let { local: bound, ty, init, loc })
    }

    /// A name, or `_`; the outer `None` is for a pattern that was refused.
    pub(super) fn binding(&mut self, pat: &syn::Pat, origin: Origin) -> Option<Option<LocalId>> {
        match pat {
            syn::Pat::Wild(_) => Some(None),
            syn::Pat::Paren(paren) => self.binding(&paren.pat, origin),
            syn::Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                let id = LocalId(self.locals.len());
                let mutable = pat.mutability.is_some();
                self.locals.push(ast::Local { name: pat.ident.clone(), mutable, ty: None, origin });
                Some(Some(id))
            }
            other => {
                self.refuse_pattern(other);
                None
            }
        }
    }

    fn const_item(&mut self, item: &syn::ItemConst) -> Option<Stmt> {
        self.attributes(&item.attrs);
        let id = ConstId(self.const_count);
        self.const_count += 1;
        let ty = self.value_type(&item.ty, false)?;
        let init = self.expr(&item.expr)?;
        self.consts.push((id, ast::Const { name: item.ident.clone(), ty, init }));
        Some(Stmt::Const(id))
    }
}
