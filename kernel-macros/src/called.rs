//! Functions of a module that its device code calls: `#[device]` is written for them.
//!
//! Names are resolved among the module's functions and the variables of each body; those in macros by what is called in their
//! tokens. A function that is missed here is reported by the resolution of names, with `#[device]` as the help.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::parse_quote;
use syn::punctuated::Punctuated;
use syn::visit::Visit;

use crate::own_path;
use crate::parse::{Library, is_for_tests};

/// Writes `#[device]` before the functions of the module that kernels, device functions, impls and constants call, and before
/// those that these call, also where they are in the libraries that it links.
pub fn mark_called(module: &mut syn::ItemMod, libraries: &mut [Library]) {
    let mut tree = Tree::default();
    let root = tree.add(None, &[]);
    for library in libraries.iter() {
        let Some((_, items)) = &library.module.content else { continue };
        let number = tree.add(Some(root), items);
        tree.modules[root].modules.insert(library.name().to_string(), number);
    }
    let Some((_, items)) = &module.content else { return };
    let number = tree.add(Some(root), items);
    tree.own = Some((module.ident.to_string(), number));
    let mut called = HashSet::new();
    while let Some((of, item)) = tree.pending.pop() {
        for path in uses(&item) {
            if let Some(function) = tree.function(of, &path, MOST_USES)
                && let Some(item) = tree.modules[function.0].functions.get(&function.1)
                && called.insert(function.clone())
            {
                tree.pending.push((function.0, item.clone()));
            }
        }
    }
    let mut next = root + 1;
    for module in libraries.iter_mut().map(|library| &mut library.module).chain([module]) {
        if let Some((_, items)) = &mut module.content {
            mark(items, &mut next, &called);
        }
    }
}

/// A chain of `use` longer than this is one that goes in a circle.
const MOST_USES: usize = 16;

/// A function: its module, by its number in the order of the text, and its name.
type Called = (usize, String);

/// The modules, in the order of the text: the libraries and the module are in the first, which has no items.
#[derive(Default)]
struct Tree {
    modules: Vec<Module>,
    /// Device code whose calls are not yet looked at, and its module.
    pending: Vec<(usize, syn::Item)>,
    /// The name of the module itself, and its number.
    own: Option<(String, usize)>,
}

#[derive(Default)]
struct Module {
    parent: Option<usize>,
    modules: HashMap<String, usize>,
    /// Those without `#[device]` and `#[kernel]`.
    functions: HashMap<String, syn::Item>,
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
                    self.modules[number].functions.insert(name, item.clone());
                }
                syn::Item::Fn(_)
                | syn::Item::Impl(_)
                | syn::Item::Trait(_)
                | syn::Item::Const(_)
                | syn::Item::Static(_) => {
                    self.pending.push((number, item.clone()));
                }
                syn::Item::Mod(syn::ItemMod { ident, content: Some((_, items)), .. }) => {
                    let inner = self.add(Some(number), items);
                    self.modules[number].modules.insert(ident.to_string(), inner);
                }
                syn::Item::Use(names) => add_uses(&mut self.modules[number].uses, Vec::new(), &names.tree),
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
        let libraries = &self.modules[0].modules;
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
        });
        // The module itself is named from the root of the crate: `crate::waves::shapes`.
        if let (None, "crate", Some((own, number))) = (next, first.as_str(), &self.own) {
            let most_uses = most_uses.checked_sub(1)?;
            let found = own_path::places(path, own).find_map(|at| match &path[at + 1..] {
                [] => Some(*number),
                rest => self.module(*number, rest, most_uses),
            });
            if found.is_some() {
                return found;
            }
        }
        // A library is known by the last name of its path, from wherever that begins: `crate::colour`, `other::colour`.
        let Some(next) = next else {
            let at = path.iter().rposition(|name| libraries.contains_key(name))?;
            return self.module(0, &path[at..], most_uses.checked_sub(1)?);
        };
        if rest.is_empty() { Some(next) } else { self.module(next, rest, most_uses) }
    }
}

/// Notes what a `use` brings: a name and its path; no name: all of the path's.
fn add_uses(uses: &mut Vec<(Option<String>, Vec<String>)>, mut path: Vec<String>, tree: &syn::UseTree) {
    match tree {
        syn::UseTree::Path(part) => {
            path.push(part.ident.to_string());
            add_uses(uses, path, &part.tree);
        }
        syn::UseTree::Name(part) if part.ident == "self" => uses.push((path.last().cloned(), path)),
        syn::UseTree::Name(part) => {
            path.push(part.ident.to_string());
            uses.push((path.last().cloned(), path));
        }
        syn::UseTree::Rename(part) => {
            if part.ident != "self" {
                path.push(part.ident.to_string());
            }
            uses.push((Some(part.rename.to_string()), path));
        }
        syn::UseTree::Glob(_) => uses.push((None, path)),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                add_uses(uses, path.clone(), tree);
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

/// The paths that the item uses as functions: those that it calls, and those that it hands over as values. A name that it
/// declares itself, as a variable or a function, is none of the module's.
fn uses(item: &syn::Item) -> Vec<Vec<String>> {
    let mut found = Uses::default();
    match item {
        // Its own name is the module's.
        syn::Item::Fn(function) => found.function(&function.sig, &function.block),
        item => found.visit_item(item),
    }
    found.paths
}

#[derive(Default)]
struct Uses {
    paths: Vec<Vec<String>>,
    /// The names declared so far, innermost last.
    scope: Vec<String>,
    /// The names that the `use`s of the blocks around bring, each with its path; no name: all of the path's.
    brought: Vec<(Option<String>, Vec<String>)>,
}

impl Uses {
    /// Reads with the names that are declared meanwhile, and forgets these.
    fn scoped(&mut self, read: impl FnOnce(&mut Self)) {
        let declared = self.scope.len();
        read(self);
        self.scope.truncate(declared);
    }

    fn bind(&mut self, pattern: &syn::Pat) {
        self.visit_pat(pattern);
        struct Names<'s>(&'s mut Vec<String>);
        impl Visit<'_> for Names<'_> {
            fn visit_pat_ident(&mut self, pattern: &syn::PatIdent) {
                self.0.push(pattern.ident.to_string());
                syn::visit::visit_pat_ident(self, pattern);
            }
        }
        Names(&mut self.scope).visit_pat(pattern);
    }

    fn function(&mut self, sig: &syn::Signature, block: &syn::Block) {
        self.scoped(|this| {
            this.visit_generics(&sig.generics);
            for input in &sig.inputs {
                if let syn::FnArg::Typed(input) = input {
                    this.visit_type(&input.ty);
                    this.bind(&input.pat);
                }
            }
            this.visit_return_type(&sig.output);
            this.visit_block(block);
        });
    }

    fn path(&mut self, path: &syn::Path) {
        let words: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let is_local = words.len() == 1 && self.scope.contains(&words[0]);
        if path.leading_colon.is_none() && !is_local {
            self.named(words);
        }
    }

    /// Notes a path as the `use`s of the blocks around say: the innermost that brings its first name, else whatever may bring it.
    fn named(&mut self, words: Vec<String>) {
        let explicit = self.brought.iter().rev().find(|(name, _)| name.as_ref() == words.first());
        if let Some((_, path)) = explicit {
            self.paths.push(path.iter().chain(&words[1..]).cloned().collect());
            return;
        }
        let globs = self.brought.iter().filter(|(name, _)| name.is_none());
        self.paths.extend(globs.map(|(_, path)| path.iter().chain(&words).cloned().collect()));
        self.paths.push(words);
    }

    /// The tokens of a macro: expressions between commas, else whatever is called in them.
    fn tokens(&mut self, tokens: TokenStream) {
        let parser = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        match parser.parse2(tokens.clone()) {
            Ok(arguments) => arguments.iter().for_each(|argument| self.visit_expr(argument)),
            Err(_) => {
                for path in calls(tokens) {
                    if path.len() > 1 || !self.scope.contains(&path[0]) {
                        self.named(path);
                    }
                }
            }
        }
    }
}

impl Visit<'_> for Uses {
    fn visit_block(&mut self, block: &syn::Block) {
        let brought = self.brought.len();
        self.scoped(|this| {
            for stmt in &block.stmts {
                match stmt {
                    syn::Stmt::Item(syn::Item::Fn(function)) => {
                        this.scope.push(function.sig.ident.to_string());
                    }
                    syn::Stmt::Item(syn::Item::Use(names)) => {
                        add_uses(&mut this.brought, Vec::new(), &names.tree);
                    }
                    _ => {}
                }
            }
            syn::visit::visit_block(this, block);
        });
        self.brought.truncate(brought);
    }

    fn visit_item_fn(&mut self, function: &syn::ItemFn) {
        self.function(&function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &syn::ImplItemFn) {
        self.function(&function.sig, &function.block);
    }

    fn visit_trait_item_fn(&mut self, function: &syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(&function.sig, block);
        }
    }

    fn visit_local(&mut self, local: &syn::Local) {
        if let Some(init) = &local.init {
            self.visit_local_init(init);
        }
        self.bind(&local.pat);
    }

    fn visit_expr_closure(&mut self, closure: &syn::ExprClosure) {
        self.scoped(|this| {
            closure.inputs.iter().for_each(|input| this.bind(input));
            this.visit_expr(&closure.body);
        });
    }

    fn visit_arm(&mut self, arm: &syn::Arm) {
        self.scoped(|this| {
            this.bind(&arm.pat);
            syn::visit::visit_arm(this, arm);
        });
    }

    fn visit_expr_for_loop(&mut self, expr: &syn::ExprForLoop) {
        self.visit_expr(&expr.expr);
        self.scoped(|this| {
            this.bind(&expr.pat);
            this.visit_block(&expr.body);
        });
    }

    fn visit_expr_let(&mut self, expr: &syn::ExprLet) {
        self.visit_expr(&expr.expr);
        self.bind(&expr.pat);
    }

    fn visit_expr_if(&mut self, expr: &syn::ExprIf) {
        self.scoped(|this| {
            this.visit_expr(&expr.cond);
            this.visit_block(&expr.then_branch);
        });
        if let Some((_, otherwise)) = &expr.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, expr: &syn::ExprWhile) {
        self.scoped(|this| syn::visit::visit_expr_while(this, expr));
    }

    fn visit_expr_path(&mut self, expr: &syn::ExprPath) {
        if expr.qself.is_none() {
            self.path(&expr.path);
        }
        syn::visit::visit_expr_path(self, expr);
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        self.tokens(call.tokens.clone());
    }
}

/// The paths that are called in tokens that are no expressions. A name that the tokens declare themselves is left out.
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
        mark_called(&mut module, &mut []);
        let mut names = Vec::new();
        walk(&module.content.expect("content").1, &mut names);
        names.join(" ")
    }

    /// The names of the functions with `#[device]`.
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
            ("use n::d as c; c();", "b d"),
            ("use host::*; a(); c();", "a b c a"),
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
            ("let a = a(1);", "a b"),
            ("if true { let a = 1; } a();", "a b"),
            ("if let Some(a) = a(1) { a(); }", "a b"),
            ("if let Some(a) = x { a(); }", ""),
            ("match x { a => a(), _ => 0 };", ""),
            ("for a in 0..3 { x += a; }", ""),
            ("fn a() {} a();", ""),
            ("let S { a, .. } = s; a(1);", ""),
            // Handed over.
            ("x.map(a);", "a b"),
            ("let f = [b, c];", "a b c"),
            ("S { a: 1, x: b };", "b"),
            ("x.map(n::d);", "b d"),
            // In macros.
            ("assert!(x.all(a), \"{}\", 1);", "a b"),
            ("let a = 1; println!(\"{}\", a);", ""),
        ];
        for (body, expected) in cases {
            assert_eq!(of(body), expected, "{body}");
        }
    }

    #[test]
    fn functions_of_libraries() {
        let parse = |source: &str| syn::parse_str::<syn::ItemMod>(source).expect("a module");
        let library =
            "mod lib { pub fn a() { deep::b() } pub mod deep { pub fn b() {} pub fn c() {} } pub fn d() {} }";
        let cases = [
            ("lib::a();", vec!["a", "b"]),
            ("use super::lib::{self, d}; #[kernel] fn k2() { d() }", vec!["d"]),
            ("use other::lib::lib::deep::*; #[kernel] fn k2() { c() }", vec!["c"]),
            (
                "use super::lib::deep as far; #[kernel] fn k2() { far::c(); crate::x::lib::d() }",
                vec!["c", "d"],
            ),
            ("use super::lib::d; fn host() { d() }", vec![]),
        ];
        for (text, expected) in cases {
            let (body, items) = if text.starts_with("use") { ("", text) } else { (text, "") };
            let mut module = parse(&format!("mod m {{ {items} #[kernel] fn k() {{ {body} }} }}"));
            let mut libraries = [Library { path: parse_quote!(other::lib), module: parse(library) }];
            mark_called(&mut module, &mut libraries);
            let mut names = Vec::new();
            walk(&libraries[0].module.content.as_ref().expect("content").1, &mut names);
            assert_eq!(names, expected, "{text}");
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
