//! The closed scope of the check copy: rustc sees what the compiler saw, under the names that the compiler gave it.
//!
//! The copy is in a separate module. Traits, types, functions and constants of the user's scope are not visible there, so none
//! of them can shadow an item that the compiler understood as the language's own. Visible are
//! `kernel_runtime::vocabulary`, the libraries that are linked, and the items of the kernel or its module. Paths that lead out of
//! these are rewritten to lead to the vocabulary, where rustc finds what the compiler took them for, or nothing:
//!
//! ```text
//! mod __check {
//!     use ::kernel_runtime::vocabulary::*;
//!     mod geometry { use super::*; … }     // what is linked
//!     mod waves { use super::*; … }        // the module, or the kernel alone
//! }
//! ```
//!
//! Names of macros are not scoped by modules; those of the language are written as paths, and where that cannot be done rustc finds
//! the vocabulary's macro and the user's under one name, which is an error.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use crate::crate_name::usual;
use crate::own_path;
use crate::parse::is_macro;
use crate::resolve::is_known;

/// Crates whose names are in the vocabulary.
const CRATES: &[&str] = &["core", "std", "half", "bytemuck", "kernel_runtime"];

/// Modules of the vocabulary.
pub const MODULES: &[&str] =
    &["device", "warp", "fast", "block", "cluster", "barrier", "special", "target", "cache", "ptr", "slice"];

/// Derives that the compiler reads, with the path of each.
const DERIVES: &[(&str, &[&str])] = &[
    ("Clone", &["clone", "Clone"]),
    ("Copy", &["marker", "Copy"]),
    ("PartialEq", &["cmp", "PartialEq"]),
    ("Eq", &["cmp", "Eq"]),
    ("PartialOrd", &["cmp", "PartialOrd"]),
    ("Ord", &["cmp", "Ord"]),
    ("Hash", &["hash", "Hash"]),
    ("Default", &["default", "Default"]),
    ("Debug", &["fmt", "Debug"]),
];

/// Derives of plain data.
const OF_ELEMENTS: &[&str] = &["Element", "Pod", "Zeroable", "AnyBitPattern", "NoUninit"];

/// The scope at one point of the check copy.
#[derive(Clone, Default)]
pub struct Closed {
    /// The paths of the linked libraries.
    links: Vec<syn::Path>,
    /// Number of enclosing modules, without the module of the whole copy.
    depth: usize,
    /// The names of items: of the module, then of the enclosing blocks.
    names: Vec<HashSet<String>>,
    /// The names of the items of the modules in it, by their paths.
    modules: HashMap<Vec<String>, HashSet<String>>,
    /// The module that the copy is of, which paths from the root of the crate may name, and the names of its items:
    /// `crate::waves::Wave`.
    own: Option<(String, HashSet<String>)>,
}

impl Closed {
    /// The scope of a kernel on its own, or of the items at the top of a module or library.
    pub fn new<'i>(links: Vec<syn::Path>, items: impl IntoIterator<Item = &'i syn::Item>) -> Closed {
        Closed { links, depth: 1, names: Vec::new(), modules: HashMap::new(), own: None }.with(items)
    }

    /// The scope of the items at the top of the module of this name.
    pub fn of_module(links: Vec<syn::Path>, name: &Ident, items: &[syn::Item]) -> Closed {
        let own = Some((name.to_string(), names_of(items)));
        Closed { links, depth: 1, names: Vec::new(), modules: HashMap::new(), own }.with(items)
    }

    /// The scope of a module in this one.
    pub fn module<'i>(&self, items: impl IntoIterator<Item = &'i syn::Item>) -> Closed {
        let (links, own) = (self.links.clone(), self.own.clone());
        Closed { links, depth: self.depth + 1, names: Vec::new(), modules: HashMap::new(), own }.with(items)
    }

    fn with<'i>(mut self, items: impl IntoIterator<Item = &'i syn::Item>) -> Closed {
        self.enter(items);
        self
    }

    /// Enters a block.
    pub fn enter<'i>(&mut self, items: impl IntoIterator<Item = &'i syn::Item>) {
        let items: Vec<&syn::Item> = items.into_iter().collect();
        self.names.push(names_of(items.iter().copied()));
        add_modules(&mut self.modules, &[], items.iter().copied());
        let mut leaves = Vec::new();
        for item in &items {
            if let syn::Item::Use(item) = item {
                let mut of_item = Vec::new();
                flatten(&item.tree, &mut Vec::new(), &mut of_item);
                leaves.extend(of_item.into_iter().map(|leaf| (leaf, item.leading_colon.is_some())));
            }
        }
        // A `use` may stand before the one that brings the name it begins with.
        loop {
            let (found, others): (Vec<_>, Vec<_>) =
                leaves.into_iter().partition(|(leaf, colon)| self.import_of(leaf, *colon).is_some());
            leaves = others;
            let brought = found.iter().flat_map(|(leaf, _)| match &leaf.name {
                Some(name) => HashSet::from([name.clone()]),
                None => {
                    let path: Vec<String> = leaf.path.iter().map(Ident::to_string).collect();
                    self.modules.get(&path).cloned().unwrap_or_default()
                }
            });
            let brought: Vec<String> = brought.collect();
            if brought.is_empty() {
                return;
            }
            self.names.last_mut().into_iter().for_each(|names| names.extend(brought.iter().cloned()));
        }
    }

    /// Leaves the block that was entered last.
    pub fn leave(&mut self) {
        self.names.pop();
    }

    /// `use super::super::*`: what all modules of the copy see.
    pub fn import(&self) -> TokenStream {
        let supers = self.supers(Span::call_site());
        quote! {
            #[allow(unused_imports)]
            use #supers *;
        }
    }

    /// `super::` as often as leads to the module of the whole copy.
    fn supers(&self, span: Span) -> TokenStream {
        (0..self.depth).map(|_| quote_spanned!(span=> super::)).collect()
    }

    fn is_library(&self, name: &str) -> bool {
        self.links.iter().filter_map(|link| link.segments.last()).any(|last| last.ident == name)
    }

    /// Index in a path from outside of the last name that is a linked library's.
    fn library_in(&self, words: &[String]) -> Option<usize> {
        words.iter().rposition(|word| self.is_library(word))
    }

    /// Index in a path from the root of the crate of the name of the module that the copy is of.
    fn own_in(&self, words: &[String]) -> Option<usize> {
        let (own, names) =
            self.own.as_ref().filter(|_| words.first().is_some_and(|first| first == "crate"))?;
        let has_next = |at: &usize| words.get(at + 1).is_some_and(|next| names.contains(next));
        // The names of what a `use` brings into the module are not known.
        own_path::places(words, own).find(has_next).or_else(|| own_path::places(words, own).next())
    }

    /// Names the crate of a linked library.
    fn is_crate_of_library(&self, word: &str) -> bool {
        self.links.iter().any(|link| {
            link.segments.len() > 1 && link.segments.first().is_some_and(|first| first.ident == word)
        })
    }

    /// Returns the target of a path that leads out of the copy, by its names; `None` for a path that stays inside of it.
    fn lead(&self, words: &[String], leading_colon: bool) -> Option<Lead> {
        let first = words.first()?.as_str();
        let supers = words.iter().take_while(|word| *word == "super").count();
        let is_outside = leading_colon
            || matches!(first, "crate" | "$crate")
            || supers >= self.depth
            || self.is_crate_of_library(first) && words.len() > 1;
        if !is_outside {
            return None;
        }
        if let Some(index) = self.library_in(words).or_else(|| self.own_in(words)) {
            return Some(Lead { vocabulary: false, skip: index });
        }
        let skip = match first {
            "crate" | "$crate" => 1,
            // One `super` more than there are modules leads out; the compiler then takes the rest.
            _ => supers,
        };
        Some(Lead { vocabulary: true, skip })
    }

    /// The tokens in front of the names that are kept.
    fn head(&self, vocabulary: bool, span: Span) -> TokenStream {
        match vocabulary {
            true => quote_spanned!(span=> ::kernel_runtime::vocabulary::),
            false => self.supers(span),
        }
    }

    /// Makes a path lead to what the compiler took it for.
    pub fn path(&self, path: &mut syn::Path) {
        let words: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let Some(Lead { vocabulary, skip }) = self.lead(&words, path.leading_colon.is_some()) else { return };
        let span = path.segments.first().map_or_else(Span::call_site, |first| first.ident.span());
        let head = self.head(vocabulary, span);
        let kept = path.segments.iter().skip(skip);
        let tokens = quote!(#head #(#kept)::*);
        if let Ok(rewritten) = syn::parse2::<syn::Path>(tokens) {
            *path = rewritten;
        }
    }

    /// The names that a `use` brings, each with where the compiler found it; what it did not find is left out.
    pub fn imports(&self, item: &syn::ItemUse) -> TokenStream {
        let mut leaves = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut leaves);
        let (vis, attrs) = (&item.vis, &item.attrs);
        // Of a module rustc sees them where the user wrote them, of a body only here.
        let unused = (self.names.len() == 1).then(|| quote!(#[allow(unused_imports)]));
        let lines = leaves.into_iter().filter_map(|leaf| {
            let head = self.import_of(&leaf, item.leading_colon.is_some())?;
            let end = leaf.end;
            Some(quote!(#(#attrs)* #unused #vis use #head #end;))
        });
        lines.collect()
    }

    /// The path of a name that a `use` brings, up to what ends it.
    fn import_of(&self, leaf: &Leaf, leading_colon: bool) -> Option<TokenStream> {
        let mut words: Vec<String> = leaf.path.iter().map(Ident::to_string).collect();
        let mut path = leaf.path.clone();
        if let (Some(first), true) = (words.first_mut(), leaf.is_glob || leaf.path.len() > 1) {
            let written = std::mem::take(first);
            *first = usual(written.clone());
            if *first != written {
                path[0] = Ident::new(first, path[0].span());
            }
        }
        let span = leaf.path.first().map_or_else(Span::call_site, Ident::span);
        let print = |vocabulary: Option<bool>, skip: usize| {
            let head = vocabulary.map(|vocabulary| self.head(vocabulary, span));
            let kept = &path[skip..];
            let separator = leaf.is_glob.then(|| quote!(::));
            Some(quote!(#head #(#kept)::* #separator))
        };
        let first = words.first()?.as_str();
        if !leading_colon {
            let is_item = self.names.iter().any(|names| names.contains(first));
            let supers = words.iter().take_while(|word| *word == "super").count();
            if first == "self" || supers > 0 && supers < self.depth || is_item {
                return print(None, 0);
            }
            if self.is_library(first) {
                return print(Some(false), 0);
            }
            if MODULES.contains(&first) {
                return print(Some(true), 0);
            }
        }
        if CRATES.contains(&first) {
            // Everything that these two have is seen already; the rest of a prelude is for the host.
            if leaf.is_glob && first == "kernel_runtime" {
                return None;
            }
            return print(Some(true), 0);
        }
        if let Some(index) = self.library_in(&words).or_else(|| self.own_in(&words)) {
            return print(Some(false), index);
        }
        let skip = match first {
            "crate" => 1,
            _ => words.iter().take_while(|word| *word == "super").count(),
        };
        let rest = &words[skip..];
        let is_plain = rest.len() == 1 && !leaf.is_renamed;
        (!leaf.is_glob && !is_plain && is_known(rest)).then(|| print(Some(true), skip)).flatten()
    }

    /// The arguments of a macro: paths as in [`path`](Closed::path).
    pub fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut out = Vec::new();
        let mut trees = tokens.into_iter().peekable();
        let mut before = None;
        while let Some(tree) = trees.next() {
            let starts_path = !matches!(before, Some(Before::Colon | Before::Name));
            match tree {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    out.push(TokenTree::Group(inner));
                    before = None;
                }
                // `::core::…`, but not that of `<T as Trait>::NAME`
                TokenTree::Punct(colon)
                    if colon.as_char() == ':'
                        && colon.spacing() == Spacing::Joint
                        && starts_path
                        && !matches!(out.last(), Some(TokenTree::Punct(last)) if last.as_char() == '>') =>
                {
                    out.extend(self.head(true, colon.span()));
                    trees.next();
                    before = Some(Before::Colon);
                }
                TokenTree::Ident(name) if name == "crate" && starts_path => {
                    // The colons are those of the head.
                    trees.next();
                    trees.next();
                    let leads_back = match (trees.peek(), &self.own) {
                        (Some(TokenTree::Ident(next)), Some((own, _))) => next == own,
                        _ => false,
                    };
                    out.extend(self.head(!leads_back, name.span()));
                    before = Some(Before::Colon);
                }
                TokenTree::Ident(name) => {
                    before = Some(Before::Name);
                    out.push(TokenTree::Ident(name));
                }
                TokenTree::Punct(punct) => {
                    before = (punct.as_char() == ':').then_some(Before::Colon);
                    out.push(TokenTree::Punct(punct));
                }
                TokenTree::Literal(literal) => {
                    before = None;
                    out.push(TokenTree::Literal(literal));
                }
            }
        }
        out.into_iter().collect()
    }

    /// A macro of the language by its path, its arguments as in [`tokens`](Closed::tokens).
    pub fn mac(&self, mac: &mut syn::Macro) {
        mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
        let Some(last) = mac.path.segments.last() else { return };
        let name = last.ident.clone();
        let span = name.span();
        let home = match name.to_string().as_str() {
            "inline_ptx" => quote_spanned!(span=> ::kernel_runtime::vocabulary),
            "print" | "println" | "eprint" | "eprintln" => {
                quote_spanned!(span=> ::kernel_runtime::vocabulary::std)
            }
            known if is_macro(known) => {
                quote_spanned!(span=> ::kernel_runtime::vocabulary::core)
            }
            _ => return,
        };
        if let Ok(path) = syn::parse2(quote!(#home::#name)) {
            mac.path = path;
        }
    }
}

/// The target of a path that leads out of the copy.
struct Lead {
    /// True for the vocabulary, false for the module of the whole copy.
    vocabulary: bool,
    /// Number of leading names that are dropped.
    skip: usize,
}

/// The token before a path may start.
#[derive(Clone, Copy)]
enum Before {
    Colon,
    Name,
}

/// One name that a `use` brings.
struct Leaf {
    path: Vec<Ident>,
    /// That name; none of a glob.
    name: Option<String>,
    /// The tokens after the path: none, `*`, `as name`.
    end: TokenStream,
    is_glob: bool,
    is_renamed: bool,
}

fn flatten(tree: &syn::UseTree, before: &mut Vec<Ident>, leaves: &mut Vec<Leaf>) {
    let with = |name: &Ident, before: &[Ident]| {
        let mut path = before.to_vec();
        if name != "self" || before.is_empty() {
            path.push(name.clone());
        }
        path
    };
    match tree {
        syn::UseTree::Path(part) => {
            before.push(part.ident.clone());
            flatten(&part.tree, before, leaves);
            before.pop();
        }
        syn::UseTree::Name(part) => {
            let path = with(&part.ident, before);
            let name = path.last().map(Ident::to_string);
            leaves.push(Leaf { path, name, end: TokenStream::new(), is_glob: false, is_renamed: false });
        }
        syn::UseTree::Rename(part) => {
            let rename = &part.rename;
            leaves.push(Leaf {
                path: with(&part.ident, before),
                name: Some(rename.to_string()),
                end: quote!(as #rename),
                is_glob: false,
                is_renamed: true,
            });
        }
        syn::UseTree::Glob(_) => leaves.push(Leaf {
            path: before.clone(),
            name: None,
            end: TokenTree::Punct(Punct::new('*', Spacing::Alone)).into(),
            is_glob: true,
            is_renamed: false,
        }),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, before, leaves);
            }
        }
    }
}

/// Adds the names of the items of each module in these, by its path from them.
fn add_modules<'i>(
    modules: &mut HashMap<Vec<String>, HashSet<String>>,
    path: &[String],
    items: impl IntoIterator<Item = &'i syn::Item>,
) {
    for item in items {
        if let syn::Item::Mod(module) = item
            && let Some((_, inner)) = &module.content
        {
            let path = [path, &[module.ident.to_string()]].concat();
            add_modules(modules, &path, inner);
            modules.insert(path, names_of(inner));
        }
    }
}

/// The names of items, those apart that a `use` brings.
fn names_of<'i>(items: impl IntoIterator<Item = &'i syn::Item>) -> HashSet<String> {
    let mut names = HashSet::new();
    for item in items {
        let name = match item {
            syn::Item::Fn(item) => &item.sig.ident,
            syn::Item::Struct(item) => &item.ident,
            syn::Item::Enum(item) => &item.ident,
            syn::Item::Const(item) => &item.ident,
            syn::Item::Static(item) => &item.ident,
            syn::Item::Type(item) => &item.ident,
            syn::Item::Mod(item) => &item.ident,
            syn::Item::Trait(item) => &item.ident,
            _ => continue,
        };
        names.insert(name.to_string());
    }
    names
}

/// Replaces derives by paths, leaves out those that the compiler does not read, and says whether plain data was among them.
pub fn derives(attrs: &mut [syn::Attribute]) -> bool {
    let mut is_element = false;
    for attr in attrs.iter_mut().filter(|attr| attr.path().is_ident("derive")) {
        let mut kept = Vec::new();
        // rustc reports mistakes in the derive of the user's own item.
        let _ = attr.parse_nested_meta(|meta| {
            let Some(last) = meta.path.segments.last() else { return Ok(()) };
            let name = last.ident.to_string();
            is_element |= OF_ELEMENTS.contains(&name.as_str());
            if let Some((_, path)) = DERIVES.iter().find(|row| row.0 == name) {
                let path = path.iter().map(|word| Ident::new(word, last.ident.span()));
                kept.push(quote!(::kernel_runtime::vocabulary::core #(::#path)*));
            }
            Ok(())
        });
        if let syn::Meta::List(list) = &mut attr.meta {
            list.tokens = quote!(#(#kept),*);
        }
    }
    is_element
}

/// `unsafe impl Pod`, for rustc to see what the derive of the user's own struct proves.
pub fn element_impls(name: &Ident, generics: &syn::Generics) -> TokenStream {
    let (impl_generics, type_generics, clause) = generics.split_for_impl();
    let clause = clause.map(|clause| clause.predicates.to_token_stream());
    quote! {
        // SAFETY: the struct outside of the copy has these by its own derive; this one only stands for it in types.
        unsafe impl #impl_generics ::kernel_runtime::bytemuck::Zeroable for #name #type_generics
        where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static, #clause {}
        // SAFETY: as above.
        unsafe impl #impl_generics ::kernel_runtime::bytemuck::Pod for #name #type_generics
        where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static, #clause {}
    }
}

/// As [`element_impls`], of an enum without data.
pub fn enum_element_impls(name: &Ident, repr: &Ident) -> TokenStream {
    quote! {
        // SAFETY: the enum outside of the copy has these by its own derive; this one only stands for it in types.
        unsafe impl ::kernel_runtime::bytemuck::NoUninit for #name
        where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static {}
        // SAFETY: as above.
        unsafe impl ::kernel_runtime::bytemuck::CheckedBitPattern for #name
        where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static
        {
            type Bits = ::kernel_runtime::vocabulary::core::primitive::#repr;
            fn is_valid_bit_pattern(_: &Self::Bits) -> ::kernel_runtime::vocabulary::core::primitive::bool {
                true
            }
        }
    }
}

/// The whole copy: `libraries` and `module` are what [`module`] made.
pub fn copy(libraries: &[TokenStream], module: &TokenStream) -> TokenStream {
    quote! {
        mod __check {
            #[allow(unused_imports)]
            use ::kernel_runtime::vocabulary::*;
            #(#libraries)*
            #module
        }
    }
}

/// A module of the copy.
pub fn module(name: &Ident, closed: &Closed, items: &TokenStream) -> TokenStream {
    let import = closed.import();
    quote!(pub mod #name { #import #items })
}

/// The name of the module of a kernel on its own.
pub fn kernel_module() -> Ident {
    format_ident!("__kernel")
}
