//! Destructuring assignments to structs and to places with `..` among them, `Pair { left: a, .. } = value`: written out as Rust defines them
//! (RFC 2909), a `let` with the pattern, then an assignment to each place.

use syn::spanned::Spanned;

/// The block that the assignment stands for. `None` if its left side is a place, or places in tuples and arrays alone.
pub(super) fn written_out(assign: &syn::ExprAssign) -> Option<syn::Expr> {
    if !has_pattern(&assign.left) {
        return None;
    }
    let mark = assign.eq_token.span();
    let mut parts = Vec::new();
    let pattern = pattern(&assign.left, &mut parts);
    let value = &assign.right;
    let assigns = parts.iter().map(|(name, place)| quote::quote_spanned!(mark=> #place = #name;));
    Some(syn::parse_quote_spanned!(mark=> { let #pattern = #value; #(#assigns)* }))
}

/// Returns true for what only a pattern can take apart.
fn has_pattern(left: &syn::Expr) -> bool {
    match left {
        syn::Expr::Struct(_) => true,
        syn::Expr::Call(call) => names_type(&call.func),
        syn::Expr::Range(range) => is_rest(range),
        syn::Expr::Paren(inner) => has_pattern(&inner.expr),
        syn::Expr::Group(inner) => has_pattern(&inner.expr),
        syn::Expr::Tuple(inner) => inner.elems.iter().any(has_pattern),
        syn::Expr::Array(inner) => inner.elems.iter().any(has_pattern),
        _ => false,
    }
}

/// Returns true for the path of a tuple struct or of a variant, by its first letter: what a function returns is no place.
fn names_type(callee: &syn::Expr) -> bool {
    let syn::Expr::Path(path) = callee else { return false };
    let last = path.path.segments.last().map(|segment| segment.ident.to_string());
    last.is_some_and(|name| name.starts_with(char::is_uppercase))
}

fn is_rest(range: &syn::ExprRange) -> bool {
    range.start.is_none() && range.end.is_none() && matches!(range.limits, syn::RangeLimits::HalfOpen(_))
}

/// The pattern of an assignee expression. Its places are replaced by variables, which are added to `parts` in their order.
fn pattern<'e>(left: &'e syn::Expr, parts: &mut Vec<(syn::Ident, &'e syn::Expr)>) -> syn::Pat {
    match left {
        syn::Expr::Paren(inner) => pattern(&inner.expr, parts),
        syn::Expr::Group(inner) => pattern(&inner.expr, parts),
        syn::Expr::Infer(_) => syn::parse_quote_spanned!(left.span()=> _),
        syn::Expr::Range(range) if is_rest(range) => syn::parse_quote_spanned!(left.span()=> ..),
        syn::Expr::Tuple(inner) => {
            let inner: Vec<_> = inner.elems.iter().map(|part| pattern(part, parts)).collect();
            syn::parse_quote_spanned!(left.span()=> (#(#inner,)*))
        }
        syn::Expr::Array(inner) => {
            let inner = inner.elems.iter().map(|part| pattern(part, parts));
            let inner: Vec<_> = inner.collect();
            syn::parse_quote_spanned!(left.span()=> [#(#inner),*])
        }
        syn::Expr::Call(call) if names_type(&call.func) => {
            let inner: Vec<_> = call.args.iter().map(|part| pattern(part, parts)).collect();
            let of = &call.func;
            syn::parse_quote_spanned!(left.span()=> #of(#(#inner),*))
        }
        syn::Expr::Struct(of) => {
            let fields = of.fields.iter().map(|field| {
                let (member, inner) = (&field.member, pattern(&field.expr, parts));
                quote::quote_spanned!(field.span()=> #member: #inner)
            });
            let (path, fields) = (&of.path, fields.collect::<Vec<_>>());
            match &of.dot2_token {
                Some(dots) => syn::parse_quote_spanned!(left.span()=> #path { #(#fields,)* #dots }),
                None => syn::parse_quote_spanned!(left.span()=> #path { #(#fields),* }),
            }
        }
        place => {
            let name = syn::Ident::new(&format!("__part_{}", parts.len()), place.span());
            let bound = syn::parse_quote_spanned!(place.span()=> #name);
            parts.push((name, place));
            bound
        }
    }
}
