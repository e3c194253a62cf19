//! The editor's copy: the user's own tokens, which rust-analyzer sees and rustc does not.
//!
//! To complete at a place, rust-analyzer expands the macro twice, as the text is and with a made-up name at the place, and
//! looks for the place by its distance from the start. So this copy comes first in every expansion, and is the same
//! whether the kernel compiles or not: nothing is inserted, and what is taken off is only attributes of ours.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

use crate::parse::attributes::TABLE;

/// Attributes of ours on items. Those on statements are in [`TABLE`].
const ON_ITEMS: &[&str] = &["kernel", "device"];

/// The copy of a function under `#[kernel]`.
pub fn function(item: &TokenStream) -> TokenStream {
    let item = without_ours(item.clone());
    shown_to_editors(&quote! {
        use ::kernel_runtime::device::*;
        #item
    })
}

/// The copy of a module under `#[kernel_module]` or `#[device_library]`.
pub fn module(item: &TokenStream) -> TokenStream {
    shown_to_editors(&without_ours(item.clone()))
}

fn shown_to_editors(items: &TokenStream) -> TokenStream {
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            #[allow(warnings)]
            const _: () = { #items };
        };
    }
}

/// All but attributes of ours, wherever they stand: what surrounds them may be unfinished.
fn without_ours(tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.into_iter().peekable();
    let mut kept = Vec::new();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(hash) if hash.as_char() == '#' && trees.peek().is_some_and(is_ours) => {
                trees.next();
            }
            TokenTree::Group(group) if holds_ours(&group.stream()) => {
                let mut inner = Group::new(group.delimiter(), without_ours(group.stream()));
                inner.set_span(group.span());
                kept.push(TokenTree::Group(inner));
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

/// A group without is kept as it is: a new one would lack the spans of its delimiters, at which rustc reports mistakes.
fn holds_ours(tokens: &TokenStream) -> bool {
    let mut after_hash = false;
    tokens.clone().into_iter().any(|tree| {
        let found = after_hash && is_ours(&tree);
        after_hash = matches!(&tree, TokenTree::Punct(hash) if hash.as_char() == '#');
        found || matches!(&tree, TokenTree::Group(group) if holds_ours(&group.stream()))
    })
}

/// `[name …]`, `[kernel_runtime::kernel …]`
fn is_ours(tree: &TokenTree) -> bool {
    let TokenTree::Group(group) = tree else { return false };
    let mut path = Vec::new();
    for tree in group.stream() {
        match tree {
            TokenTree::Ident(name) => path.push(name.to_string()),
            TokenTree::Punct(colon) if colon.as_char() == ':' => {}
            TokenTree::Punct(_) | TokenTree::Group(_) | TokenTree::Literal(_) => break,
        }
    }
    let known = |name: &String| TABLE.iter().any(|row| row.0 == name) || ON_ITEMS.contains(&name.as_str());
    group.delimiter() == Delimiter::Bracket
        && match &path[..] {
            [name] => known(name),
            [of, name] => of == "kernel_runtime" && known(name),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    /// The offset of the place would be another one, and nothing would complete.
    #[test]
    fn it_comes_first_and_is_the_same_with_and_without_mistakes() {
        let start = |body: &str| {
            let item = format!("pub fn k(x: &[f32], y: &mut [f32]) {{ let i = global_idx().x; {body} }}");
            let item: TokenStream = item.parse().expect("the test's source has Rust's tokens");
            let expansion = crate::expand::expand(TokenStream::new(), item).to_string();
            expansion[..expansion.find("} ; } ;").expect("the copy ends")].to_owned()
        };
        assert_eq!(start("y[i] = x[i].sqrt();"), start("y[i] = x[i].sqr();").replace("sqr", "sqrt"));
        assert_eq!(start("y[i] = x[i].sqrt();"), start("y[i] = x[i].;").replace(".;", ". sqrt () ;"));
    }

    #[test]
    fn attributes_of_ours_go_and_unfinished_text_stays() {
        let text = "#[inline] #[device] fn f() { #[unroll(4)] for i in 0..4 { #[allow(unused)] let a = b. } \
                    #[kernel_runtime::kernel] fn k() { #[ballot] let v = a[ } }";
        let text = text.replace("[ }", "[0] }");
        let tokens: TokenStream = text.parse().expect("the test's source has Rust's tokens");
        expect!["# [inline] fn f () { for i in 0 .. 4 { # [allow (unused)] let a = b . } fn k () { let v = a [0] } }"]
            .assert_eq(&without_ours(tokens).to_string());
    }
}
