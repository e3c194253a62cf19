//! The name of `kernel-runtime` in the crate that is being compiled: `gpu = { package = "kernel-runtime", … }` renames it.
//!
//! Expansions name it `::kernel_runtime`; if it has another name there, that is put in its place at the end.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use proc_macro_crate::FoundCrate;
use proc_macro2::{Group, Ident, Spacing, TokenStream, TokenTree};

/// Its name where nobody renames it.
const USUAL: &str = "kernel_runtime";

/// The names by the folders of manifests: an editor expands macros of several crates in one process.
static NAMES: LazyLock<Mutex<HashMap<String, Option<String>>>> = LazyLock::new(Mutex::default);

/// The name, if it is not the usual one.
fn other_name() -> Option<String> {
    let folder = std::env::var("CARGO_MANIFEST_DIR").ok()?;
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.entry(folder).or_insert_with_key(|folder| find(folder)).clone()
}

fn find(folder: &str) -> Option<String> {
    let manifest = std::fs::read_to_string(std::path::Path::new(folder).join("Cargo.toml")).ok()?;
    // Cargo is asked only where this does not tell: it takes a while.
    let is_plain = manifest.contains("kernel-runtime") && !renames(&manifest);
    if is_plain {
        return None;
    }
    match proc_macro_crate::crate_name("kernel-runtime") {
        Ok(FoundCrate::Name(name)) => Some(name).filter(|name| name != USUAL),
        // A crate that exports it under its usual name, or none that Cargo knows of.
        Ok(FoundCrate::Itself) | Err(_) => None,
    }
}

/// `package = "kernel-runtime"`, however it is spaced.
fn renames(manifest: &str) -> bool {
    let bare: String = manifest.chars().filter(|c| !c.is_whitespace()).collect();
    bare.contains("package=\"kernel-runtime\"") || bare.contains("package='kernel-runtime'")
}

/// A path's first name as the compiler knows it.
pub fn usual(first: String) -> String {
    match other_name() {
        Some(name) if name == first => USUAL.to_owned(),
        Some(_) | None => first,
    }
}

/// The expansion with the crate's own name of `kernel-runtime`.
pub fn located(tokens: TokenStream) -> TokenStream {
    match other_name() {
        Some(name) => renamed(tokens, &name),
        None => tokens,
    }
}

/// `::kernel_runtime` as `::name`.
fn renamed(tokens: TokenStream, name: &str) -> TokenStream {
    let (mut colons, mut out) = (0, Vec::new());
    for tree in tokens {
        let starts = colons == 2;
        colons = match &tree {
            TokenTree::Punct(colon) if colon.as_char() == ':' => {
                let is_first = colon.spacing() == Spacing::Joint;
                // `a::kernel_runtime` is another name.
                let follows = is_first
                    && matches!(&out[..], [.., TokenTree::Ident(before)] if !is_keyword(before))
                    && !is_lifetime(&out);
                match (is_first, follows) {
                    (_, true) => 3,
                    (true, false) => 1,
                    (false, _) if colons == 1 => 2,
                    (false, _) => 0,
                }
            }
            _ => 0,
        };
        out.push(match tree {
            TokenTree::Ident(ident) if starts && ident == USUAL => Ident::new(name, ident.span()).into(),
            TokenTree::Group(group) if mentions(&group.stream()) => {
                let mut inner = Group::new(group.delimiter(), renamed(group.stream(), name));
                inner.set_span(group.span());
                inner.into()
            }
            other => other,
        });
    }
    out.into_iter().collect()
}

/// `'a`, which stands before a path rather than in it.
fn is_lifetime(before: &[TokenTree]) -> bool {
    matches!(before, [.., TokenTree::Punct(quote), TokenTree::Ident(_)] if quote.as_char() == '\'')
}

/// Words that stand before a path rather than in it.
fn is_keyword(word: &Ident) -> bool {
    const WORDS: &[&str] =
        &["use", "impl", "for", "as", "mut", "const", "dyn", "return", "in", "unsafe", "move", "crate"];
    WORDS.iter().any(|known| word == known)
}

/// A group without is kept as it is: a new one has no places of its delimiters.
fn mentions(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == USUAL,
        TokenTree::Group(group) => mentions(&group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn paths_of_the_crate_are_renamed() {
        let tokens = quote! {
            impl ::kernel_runtime::Instance<(f32,)> for k { const K: &'static ::kernel_runtime::Kernel = &a::kernel_runtime::B; }
            use ::kernel_runtime::device::*;
            fn f() -> ::kernel_runtime::Launch { kernel_runtime::f::<::kernel_runtime::T>() }
        };
        let expected = quote! {
            impl ::gpu::Instance<(f32,)> for k { const K: &'static ::gpu::Kernel = &a::kernel_runtime::B; }
            use ::gpu::device::*;
            fn f() -> ::gpu::Launch { kernel_runtime::f::<::gpu::T>() }
        };
        assert_eq!(renamed(tokens, "gpu").to_string(), expected.to_string());
    }

    #[test]
    fn a_manifest_tells_whether_it_renames() {
        assert!(renames("[dependencies]\ngpu = { package  = \"kernel-runtime\", version = \"0.1\" }"));
        assert!(renames("[dependencies.gpu]\npackage = 'kernel-runtime'"));
        assert!(!renames("[dependencies]\nkernel-runtime = \"0.1\""));
    }
}
