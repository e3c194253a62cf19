//! Expressions that make iterators which are kept: they need the iterators of the device library.

use crate::infer::is_iterator_method;

/// Methods of iterators that other types have as well.
const SHARED: &[&str] = &["map", "filter", "zip", "take", "copied", "cloned"];

/// Returns true for a chain of method calls that ends with an iterator: `x.iter().map(…)`.
pub(super) fn is_chain(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::MethodCall(call) => {
            let name = call.method.to_string();
            if SHARED.contains(&name.as_str()) { is_chain(&call.receiver) } else { is_iterator_method(&name) }
        }
        syn::Expr::Paren(paren) => is_chain(&paren.expr),
        syn::Expr::Range(_) => true,
        _ => false,
    }
}

/// Returns true for a range without an end.
pub(super) fn is_open_range(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Range(range) => range.start.is_some() && range.end.is_none(),
        syn::Expr::Paren(paren) => is_open_range(&paren.expr),
        _ => false,
    }
}
