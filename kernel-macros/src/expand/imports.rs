//! The user's imports that a kernel uses: rustc counts them as used, though the check copy sees the vocabulary in their place.
//!
//! ```text
//! mod __imports {
//!     use super::*;                          // the user's scope
//!     use ::kernel_runtime::vocabulary::*;   // names that the user need not import
//!     mod used { use super::{Ordering as _, barrier as _}; }
//! }
//! ```
//!
//! A name that means something else in the user's scope than in the language is ambiguous there, and rustc says so.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Spacing, TokenStream, TokenTree};
use quote::quote;

use crate::closed::MODULES;
use crate::resolve::is_known;
use crate::typed::Scalar;

/// Uses the names of the language that the body of a kernel mentions; those of the signature are in the host's function, too.
pub fn of_kernel(kernel: &TokenStream) -> TokenStream {
    let mut signature: Vec<TokenTree> = kernel.clone().into_iter().collect();
    let body = signature.pop();
    let (mut names, mut in_signature) = (BTreeMap::new(), BTreeMap::new());
    collect(body.into_iter().collect(), &mut names);
    collect(signature.into_iter().collect(), &mut in_signature);
    names.retain(|name, _| !in_signature.contains_key(name));
    let names = names.values();
    quote! {
        #[allow(unused_imports)]
        const _: () = {
            mod __imports {
                use super::*;
                use ::kernel_runtime::vocabulary::*;
                mod used { use super::{#(#names as _),*}; }
            }
        };
    }
}

/// Collects names of the language where a path may start: in bodies, types and the arguments of macros.
fn collect(tokens: TokenStream, names: &mut BTreeMap<String, Ident>) {
    let (mut starts_path, mut before) = (true, None);
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let next_is = |trees: &mut std::iter::Peekable<_>, sign| matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == sign);
        match tree {
            TokenTree::Group(group) => {
                collect(group.stream(), names);
                starts_path = true;
            }
            TokenTree::Ident(name) => {
                let word = name.to_string();
                let is_meant = match word.as_str() {
                    "inline_ptx" => next_is(&mut trees, '!'),
                    // `barrier` is a function, too.
                    module if MODULES.contains(&module) && next_is(&mut trees, ':') => true,
                    // Scalars are rustc's own or those of `half`, and what the prelude of `std` has needs no import.
                    "Some" | "None" | "Ok" | "Err" | "Option" | "Result" | "drop" => false,
                    word => Scalar::from_name(word).is_none() && is_known(&[word.to_owned()]),
                };
                if starts_path && is_meant {
                    names.entry(word).or_insert(name);
                }
                starts_path = true;
            }
            // Behind `.`, but not `..`, is a field or a method; behind `::`, but not `:`, a name of what is before.
            TokenTree::Punct(sign) => {
                let is_second = before == Some(sign.as_char());
                starts_path = match sign.as_char() {
                    '.' => is_second,
                    ':' => !is_second,
                    _ => true,
                };
                before = (sign.spacing() == Spacing::Joint && !is_second).then(|| sign.as_char());
                continue;
            }
            TokenTree::Literal(_) => starts_path = true,
        }
        before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let mut names = BTreeMap::new();
        collect(text.parse().unwrap(), &mut names);
        names.into_keys().collect()
    }

    #[test]
    fn names_where_a_path_starts() {
        assert_eq!(
            names("fn k(c: &[AtomicU32]) { c[0].fetch_add(1, Ordering::Relaxed); }"),
            ["AtomicU32", "Ordering"]
        );
        assert_eq!(
            names("fn k() { for _ in 0..thread_idx().x {} device::barrier() }"),
            ["device", "thread_idx"]
        );
        assert_eq!(names("fn k() { println!(\"{}\", block_idx().x) }"), ["block_idx"]);
    }

    #[test]
    fn names_that_are_no_imports() {
        assert_eq!(
            names("fn k(x: &mut [f32]) { x.barrier(); other::barrier(); Some(1u32); let device = 1; }"),
            [""; 0]
        );
    }
}
