//! Functions of a module that its device code calls: `#[device]` is written for them.
//!
//! The calls are read from the tokens, with the module's own names alone. A function that is missed here is told by the
//! resolution of names, with `#[device]` as the help.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse_quote;

use crate::parse::is_for_tests;

/// Writes `#[device]` before the functions of the module that kernels, device functions, impls and constants call, and before
/// those that these call.
pub fn mark_called(module: &mut syn::ItemMod) {
    let mut tree = Tree::default();
    let Some((_, items)) = &module.content else { return };
    tree.add(None, items);
    let mut called = HashSet::new();
    while let Some((of, tokens)) = tree.pending.pop() {
        for path in calls(tokens) {
            if let Some(function) = tree.function(of, &path, MOST_USES)
                && let Some(tokens) = tree.modules[function.0].functions.get(&function.1)
                && called.insert(function.clone())
            {
                tree.pending.push((function.0, tokens.clone()));
            }
        }
    }
    if let Some((_, items)) = &mut module.content {
        mark(items, &mut 0, &called);
    }
}

/// A chain of `use` longer than this is one that goes in a circle.
const MOST_USES: usize = 16;

/// A function: its module, by its number in the order of the text, and its name.
type Called = (usize, String);

/// The modules, in the order of the text.
#[derive(Default)]
struct Tree {
    modules: Vec<Module>,
    /// Device code whose calls are not yet looked at, and its module.
    pending: Vec<(usize, TokenStream)>,
}

#[derive(Default)]
struct Module {
    parent: Option<usize>,
    modules: HashMap<String, usize>,
    /// Those without `#[device]` and `#[kernel]`.
    functions: HashMap<String, TokenStream>,
    /// The name that a `use` brings and its path; no name: all of the path's.
    uses: Vec<(Option<String>, Vec<String>)>,
}

impl Tree {
    fn add(&mut self, parent: Option<usize>, items: &[syn::Item]) -> usize {
        let number = self.modules.len();
        self.modules.push(Module { parent, ..Module::default() });
        for item in items.iter().filter(|item| !is_for_tests(item)) {
            match item {
                syn::Item::Fn(function) if is_plain(function) => {
                    let name = function.sig.ident.to_string();
                    self.modules[number].functions.insert(name, function.to_token_stream());
                }
                syn::Item::Fn(_)
                | syn::Item::Impl(_)
                | syn::Item::Trait(_)
                | syn::Item::Const(_)
                | syn::Item::Static(_) => {
                    self.pending.push((number, item.to_token_stream()));
                }
                syn::Item::Mod(syn::ItemMod { ident, content: Some((_, items)), .. }) => {
                    let inner = self.add(Some(number), items);
                    self.modules[number].modules.insert(ident.to_string(), inner);
                }
                syn::Item::Use(names) => self.modules[number].add_uses(Vec::new(), &names.tree),
                _ => {}
            }
        }
        number
    }

    /// The function that the path names in the module.
    fn function(&self, of: usize, path: &[String], most_uses: usize) -> Option<Called> {
        let (name, prefix) = path.split_last()?;
        if !prefix.is_empty() {
            return self.member(self.module(of, prefix, most_uses)?, name, most_uses);
        }
        self.member(of, name, most_uses)
    }

    /// The function that the module has under the name, of its own or by a `use`.
    fn member(&self, of: usize, name: &String, most_uses: usize) -> Option<Called> {
        if self.modules[of].functions.contains_key(name) {
            return Some((of, name.clone()));
        }
        let most_uses = most_uses.checked_sub(1)?;
        self.modules[of].uses.iter().find_map(|(known, path)| match known {
            Some(known) if known == name => self.function(of, path, most_uses),
            Some(_) => None,
            None => self.member(self.module(of, path, most_uses)?, name, most_uses),
        })
    }

    /// The module that the path names in the module.
    fn module(&self, of: usize, path: &[String], most_uses: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        let next = match first.as_str() {
            "self" => Some(of),
            "super" => self.modules[of].parent,
            _ => self.modules[of].modules.get(first).copied(),
        };
        let next = next.or_else(|| {
            let most_uses = most_uses.checked_sub(1)?;
            let mut uses = self.modules[of].uses.iter();
            uses.find_map(|(known, path)| match known.as_ref() == Some(first) {
                true => self.module(of, path, most_uses),
                false => None,
            })
        })?;
        if rest.is_empty() { Some(next) } else { self.module(next, rest, most_uses) }
    }
}

impl Module {
    fn add_uses(&mut self, mut path: Vec<String>, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.add_uses(path, &part.tree);
            }
            syn::UseTree::Name(part) if part.ident == "self" => self.uses.push((path.last().cloned(), path)),
            syn::UseTree::Name(part) => {
                path.push(part.ident.to_string());
                self.uses.push((path.last().cloned(), path));
            }
            syn::UseTree::Rename(part) => {
                if part.ident != "self" {
                    path.push(part.ident.to_string());
                }
                self.uses.push((Some(part.rename.to_string()), path));
            }
            syn::UseTree::Glob(_) => self.uses.push((None, path)),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_uses(path.clone(), tree);
                }
            }
        }
    }
}

fn is_plain(function: &syn::ItemFn) -> bool {
    let is_ours = |attr: &syn::Attribute| {
        let last = attr.path().segments.last();
        last.is_some_and(|last| last.ident == "device" || last.ident == "kernel")
    };
    !function.attrs.iter().any(is_ours)
}

/// Walks the modules in the order in which [`Tree::add`] numbered them.
fn mark(items: &mut [syn::Item], next: &mut usize, called: &HashSet<Called>) {
    let number = *next;
    *next += 1;
    for item in items {
        if is_for_tests(item) {
            continue;
        }
        match item {
            syn::Item::Fn(function)
                if is_plain(function) && called.contains(&(number, function.sig.ident.to_string())) =>
            {
                function.attrs.push(parse_quote!(#[device]));
            }
            syn::Item::Mod(module) => {
                if let Some((_, items)) = &mut module.content {
                    mark(items, next, called);
                }
            }
            _ => {}
        }
    }
}

/// The paths that are called in the tokens. A name that the tokens declare themselves, as a variable or a function, is not one
/// of the module's.
fn calls(tokens: TokenStream) -> Vec<Vec<String>> {
    let mut found = Found::default();
    found.read(tokens);
    let Found { mut paths, declared } = found;
    paths.retain(|path| path.len() > 1 || !declared.contains(&path[0]));
    paths
}

#[derive(Default)]
struct Found {
    paths: Vec<Vec<String>>,
    declared: HashSet<String>,
}

impl Found {
    fn read(&mut self, tokens: TokenStream) {
        // The path so far; `None` after what no function of the module is reached by: `.`, `<T as Trait>::`.
        let mut path = Some(Vec::new());
        let mut before = Before::Other;
        let mut trees = tokens.into_iter().peekable();
        while let Some(tree) = trees.next() {
            let now = match &tree {
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    let is_colon = |next: &TokenTree| matches!(next, TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == Spacing::Alone);
                    if before == Before::Let || trees.peek().is_some_and(is_colon) {
                        self.declared.insert(name.clone());
                    }
                    match before {
                        Before::Path => path.iter_mut().for_each(|path| path.push(name.clone())),
                        Before::Dot => path = None,
                        Before::Let | Before::Name | Before::Colon | Before::Other => {
                            path = Some(vec![name.clone()]);
                        }
                    }
                    if name == "let" || name == "mut" { Before::Let } else { Before::Name }
                }
                TokenTree::Punct(punct) => match (punct.as_char(), before) {
                    (':', Before::Colon) => Before::Path,
                    (':', before) if punct.spacing() == Spacing::Joint => {
                        if before != Before::Name {
                            path = None;
                        }
                        Before::Colon
                    }
                    // `f::<T>(…)`
                    ('<', Before::Path) => {
                        self.paths.extend(path.take());
                        Before::Other
                    }
                    ('.', _) => Before::Dot,
                    _ => Before::Other,
                },
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Parenthesis && before == Before::Name {
                        self.paths.extend(path.take());
                    }
                    self.read(group.stream());
                    Before::Other
                }
                TokenTree::Literal(_) => Before::Other,
            };
            before = now;
        }
    }
}

/// The token before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// `let`, `mut`: a variable's name comes.
    Let,
    /// Any other name.
    Name,
    /// The first half of `::`.
    Colon,
    /// `::`
    Path,
    Dot,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(source: &str) -> String {
        let mut module: syn::ItemMod = syn::parse_str(source).expect("a module");
        mark_called(&mut module);
        let mut names = Vec::new();
        fn walk(items: &[syn::Item], names: &mut Vec<String>) {
            for item in items {
                match item {
                    syn::Item::Fn(function)
                        if function.attrs.iter().any(|attr| attr.path().is_ident("device")) =>
                    {
                        names.push(function.sig.ident.to_string());
                    }
                    syn::Item::Mod(module) => walk(&module.content.as_ref().expect("content").1, names),
                    _ => {}
                }
            }
        }
        walk(&module.content.expect("content").1, &mut names);
        names.join(" ")
    }

    #[test]
    fn called_by_kernels_and_by_the_called() {
        let of = |body: &str| {
            marked(&format!(
                "mod m {{ #[kernel] fn k() {{ {body} }} fn a() {{ b(1) }} fn b(x: u32) {{}} fn c() {{ a() }} \
                 mod n {{ pub fn d() {{ super::b(2) }} pub fn a() {{}} }} mod host {{ pub fn a() {{}} pub fn e() {{}} }} \
                 use n::d as renamed; use host::*; struct S; impl S {{ fn m(&self) {{ }} }} }}"
            ))
        };
        let cases = [
            ("a();", "a b"),
            ("b::<3>(1);", "b"),
            ("n::d();", "b d"),
            ("self::n::a();", "a"),
            ("renamed();", "b d"),
            ("e();", "e"),
            ("host::a();", "a"),
            ("println!(\"{}\", c());", "a b c"),
            ("let s = S { x: a() };", "a b"),
            // Methods, functions of types, variables, other crates.
            ("x.a(); x.c::<u32>();", ""),
            ("S::a(); <S as T>::c(); core::a(); ::m::a(); Vec::<u8>::a();", ""),
            ("let a = |x| x; a(1);", ""),
            ("let f = |a: F| a(1);", ""),
        ];
        for (body, expected) in cases {
            assert_eq!(of(body), expected, "{body}");
        }
    }

    #[test]
    fn called_by_the_host_alone() {
        assert_eq!(
            marked(
                "mod m { #[kernel] fn k() {} fn f() {} #[cfg(test)] mod t { fn g() { f() } } fn h() { f() } }"
            ),
            ""
        );
        assert_eq!(
            marked(
                "mod m { #[kernel] fn k() {} fn f() {} impl S { fn m() { f() } } const C: u32 = g(); fn g() {} }"
            ),
            "f g"
        );
        assert_eq!(
            marked(
                "mod m { use a::*; use b::*; mod a { pub use super::b::*; } mod b { pub use super::a::*; } #[kernel] fn k() { f() } }"
            ),
            ""
        );
    }
}
