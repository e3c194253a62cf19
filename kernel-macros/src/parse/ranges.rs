//! Ranges in variables: `let r = a..b;` keeps the two ends, and each use of `r` is the range of them.
//!
//! A range is an operand of what consumes it and no value of its own. Its variable does not change, so that the range can be
//! written where the variable is used. Uses of the variable as anything else are left as they are.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::format_ident;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Expr, Pat, Stmt, parse_quote};

use super::function::plain_name;

/// The statements of a block with the ranges written where their variables are used; `None` without such a variable.
pub(super) fn in_variables(stmts: &[Stmt]) -> Option<Vec<Stmt>> {
    let is_candidate = |stmt: &Stmt| declared(stmt).is_some();
    if !stmts.iter().any(is_candidate) {
        return None;
    }
    let mut done: Vec<Stmt> = Vec::with_capacity(stmts.len());
    let mut rest: Vec<Stmt> = stmts.to_vec();
    while !rest.is_empty() {
        let after = rest.split_off(1);
        let Some(stmt) = rest.pop() else { break };
        rest = after;
        let Some((name, range)) = declared(&stmt).filter(|(name, _)| is_only_used(name, &rest)) else {
            done.push(stmt);
            continue;
        };
        let mut uses = Uses { name: name.clone(), range: range.clone() };
        let ends = [("start", &range.start, &mut uses.range.start), ("end", &range.end, &mut uses.range.end)];
        for (end, value, place) in ends {
            if let Some(value) = value {
                let variable = format_ident!("__{end}_of_{name}", span = name.span());
                done.push(parse_quote!(let #variable = #value;));
                *place = Some(parse_quote!(#variable));
            }
        }
        // The ends have one type, even if no use says so.
        if let (Some(start), Some(_)) = (&uses.range.start, &uses.range.end) {
            let range = &uses.range;
            done.push(parse_quote!(let _ = (#range).contains(&#start);));
        }
        rest.iter_mut().for_each(|stmt| uses.visit_stmt_mut(stmt));
    }
    Some(done)
}

/// The variable and the range, of `let r = a..b;`.
fn declared(stmt: &Stmt) -> Option<(Ident, syn::ExprRange)> {
    let Stmt::Local(syn::Local { pat, init: Some(init), attrs, .. }) = stmt else { return None };
    let name = plain_name(pat).filter(|name| name.mutability.is_none() && attrs.is_empty())?;
    let mut value = &*init.expr;
    while let Expr::Paren(inner) = value {
        value = &inner.expr;
    }
    match value {
        Expr::Range(range) if init.diverge.is_none() && range.attrs.is_empty() => {
            Some((name.ident.clone(), range.clone()))
        }
        _ => None,
    }
}

/// Returns true if nothing in the statements declares the name again, and no macro, whose tokens are not read here, names it.
fn is_only_used(name: &Ident, stmts: &[Stmt]) -> bool {
    let mut search = Search { name, found: false };
    stmts.iter().for_each(|stmt| search.visit_stmt(stmt));
    !search.found
}

struct Search<'n> {
    name: &'n Ident,
    found: bool,
}

impl<'a> Visit<'a> for Search<'_> {
    fn visit_pat(&mut self, pat: &'a Pat) {
        if let Pat::Ident(pat) = pat {
            self.found |= pat.ident == *self.name;
        }
        syn::visit::visit_pat(self, pat);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.found |= mentions(call.tokens.clone(), &self.name.to_string());
    }
}

/// Returns true if the tokens have the name, or a text that could show it.
fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Literal(literal) => literal.to_string().contains(&format!("{{{name}")),
        TokenTree::Punct(_) => false,
    })
}

struct Uses {
    name: Ident,
    /// The range between the variables that keep its ends.
    range: syn::ExprRange,
}

impl Uses {
    fn is_use(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Path(path) if path.qself.is_none() && path.path.is_ident(&self.name))
    }

    /// `r.start`, `r.end`
    fn end(&self, field: &syn::ExprField) -> Option<Expr> {
        if !self.is_use(&field.base) || matches!(self.range.limits, syn::RangeLimits::Closed(_)) {
            return None;
        }
        match &field.member {
            syn::Member::Named(name) if name == "start" => self.range.start.as_deref().cloned(),
            syn::Member::Named(name) if name == "end" => self.range.end.as_deref().cloned(),
            syn::Member::Named(_) | syn::Member::Unnamed(_) => None,
        }
    }

    fn is_clone(&self, call: &syn::ExprMethodCall) -> bool {
        call.method == "clone" && call.args.is_empty() && self.is_use(&call.receiver)
    }
}

impl VisitMut for Uses {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let replacement = match expr {
            Expr::Field(field) => self.end(field),
            Expr::MethodCall(call) if self.is_clone(call) => Some(Expr::Range(self.range.clone())),
            Expr::Path(_) if self.is_use(expr) => Some(Expr::Range(self.range.clone())),
            _ => None,
        };
        match replacement {
            Some(replacement) => *expr = replacement,
            None => syn::visit_mut::visit_expr_mut(self, expr),
        }
    }

    /// Items see no variables.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
