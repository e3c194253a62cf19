//! Variables in shared memory that are declared together: `let (mut a, mut b) = (shared::<A>(), shared::<B>());` is a `let` for each.

use syn::visit::Visit;
use syn::{Expr, Ident, Pat, Stmt, parse_quote_spanned};

/// The statements of a block with such a `let` taken apart; `None` without one.
pub(super) fn apart(stmts: &[Stmt]) -> Option<Vec<Stmt>> {
    stmts
        .iter()
        .any(|stmt| parts(stmt).is_some())
        .then(|| stmts.iter().flat_map(|stmt| parts(stmt).unwrap_or_else(|| vec![stmt.clone()])).collect())
}

fn parts(stmt: &Stmt) -> Option<Vec<Stmt>> {
    let Stmt::Local(local) = stmt else { return None };
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    let (Pat::Tuple(names), Expr::Tuple(values), true) = (&local.pat, &*init.expr, local.attrs.is_empty())
    else {
        return None;
    };
    if names.elems.len() != values.elems.len()
        || names.elems.iter().any(|name| matches!(name, Pat::Rest(_)))
        || !values.elems.iter().any(is_shared)
    {
        return None;
    }
    // No value means a variable that an earlier part declares.
    let mut declared = Names::default();
    for (name, value) in names.elems.iter().zip(&values.elems) {
        let mut mentioned = Names::default();
        mentioned.visit_expr(value);
        if mentioned.has_macro || mentioned.names.iter().any(|name| declared.names.contains(name)) {
            return None;
        }
        declared.visit_pat(name);
    }
    let mark = local.let_token.span;
    let parts = names.elems.iter().zip(&values.elems);
    Some(parts.map(|(name, value)| parse_quote_spanned!(mark=> let #name = #value;)).collect())
}

/// Returns true for a call of `shared` or `shared_dyn`.
fn is_shared(value: &Expr) -> bool {
    let Expr::Call(call) = value else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "shared" || last.ident == "shared_dyn")
}

#[derive(Default)]
struct Names {
    names: Vec<Ident>,
    has_macro: bool,
}

impl<'a> Visit<'a> for Names {
    fn visit_ident(&mut self, ident: &'a Ident) {
        self.names.push(ident.clone());
    }

    fn visit_macro(&mut self, _: &'a syn::Macro) {
        self.has_macro = true;
    }
}
