//! `#[kernel_module] mod m { … }`, the libraries that it links, and `use`.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};
use quote::ToTokens;

use super::item::{attributes_of, only_for_tests};
use super::{Item, Parser};
use crate::ast::{self, ItemKind, ModuleId, UseId};
use crate::attrs::{const_params, evaluate, parse_attrs};
use crate::diagnostics::Diagnostics;

/// A module and what stands in it, as it is to be emitted.
pub struct ParsedModule {
    /// Its attributes.
    pub outer: Vec<syn::Attribute>,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// Its name.
    pub name: syn::Ident,
    /// Its items, as they are to be emitted.
    pub items: Vec<ModuleItem>,
    /// The functions of the kernels, in the order of the text.
    pub kernels: Vec<Item>,
    /// Its items as written.
    pub source: Vec<syn::Item>,
}

/// An item of a module.
pub enum ModuleItem {
    /// As written, our attributes taken off.
    Other(TokenStream),
    /// The kernel with this index.
    Kernel(usize),
    /// A `use`.
    Import(TokenStream),
}

/// A library that a module links: the path that names it, and its module.
pub struct Library {
    /// As in `link(other::geometry)`.
    pub path: syn::Path,
    /// `mod geometry { … }`
    pub module: syn::ItemMod,
}

impl Library {
    /// The name under which the module has it.
    pub fn name(&self) -> &syn::Ident {
        self.path.segments.last().map_or(&self.module.ident, |last| &last.ident)
    }
}

/// Reads a `#[kernel_module]` with the libraries that it links; what kernels call is marked.
pub fn parse_module(
    item: syn::ItemMod,
    libraries: &[Library],
    diagnostics: &mut Diagnostics,
) -> (ParsedModule, ast::Program) {
    let mut parser = Parser::new(diagnostics);
    for library in libraries {
        parser.link(library.name(), &library.module);
    }
    let module = parser.kernel_module(item);
    (module, parser.finish())
}

/// Reads a `#[device_library]` where it is declared, for its mistakes.
pub fn check_library(
    module: syn::ItemMod,
    libraries: &[Library],
    diagnostics: &mut Diagnostics,
) -> ast::Program {
    let mut parser = Parser::new(diagnostics);
    for library in libraries {
        parser.link(library.name(), &library.module);
    }
    parser.link(&module.ident, &module);
    parser.finish()
}

/// Returns true if the attribute is ours: `#[kernel]`, `#[kernel_runtime::kernel]`.
pub fn is_ours(attr: &syn::Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == name)
}

impl Parser<'_> {
    /// A library is a module beside the root's items.
    fn link(&mut self, name: &syn::Ident, library: &syn::ItemMod) {
        let Some((_, items)) = &library.content else { return };
        let root = ModuleId(0);
        let library_name = name.clone();
        let (name, parent) = (Some(name.clone()), Some(root));
        self.draft.modules.push(ast::Module { name, parent, ..ast::Module::default() });
        let id = ModuleId(self.draft.modules.len() - 1);
        self.draft.modules[0].libraries.push(ast::Item { name: library_name, kind: ItemKind::Module(id) });
        self.scope.module = id;
        self.module_items(&items.iter().collect::<Vec<_>>());
        self.scope.module = root;
    }

    fn kernel_module(&mut self, item: syn::ItemMod) -> ParsedModule {
        let mistakes = self.diagnostics.count();
        self.item_attributes(&item.attrs);
        self.draft.modules[0].name = Some(item.ident.clone());
        let items = item.content.map(|(_, items)| items).unwrap_or_default();
        let mut parsed = ParsedModule {
            outer: item.attrs.into_iter().map(before_item).collect(),
            vis: item.vis,
            name: item.ident,
            items: Vec::new(),
            kernels: Vec::new(),
            source: items.clone(),
        };
        let mut others = Vec::new();
        let mut kernels = Vec::new();
        for item in &items {
            let attr = attributes_of(item).iter().find(|attr| is_ours(attr, "kernel"));
            match (item, attr) {
                (syn::Item::Fn(function), Some(attr)) if !only_for_tests(&function.attrs) => {
                    parsed.items.push(ModuleItem::Kernel(parsed.kernels.len()));
                    parsed.kernels.push(kernel_item(function));
                    kernels.push(attr);
                }
                (syn::Item::Use(names), _) => {
                    parsed.items.push(ModuleItem::Import(names.to_token_stream()));
                    others.push(item);
                }
                _ => {
                    parsed.items.push(ModuleItem::Other(without_marks(item)));
                    others.push(item);
                }
            }
        }
        self.module_items(&others);
        if parsed.kernels.is_empty() && self.diagnostics.count() == mistakes {
            let message = "expected a kernel in the module, found none\nhelp: mark one: `#[kernel] pub fn …`; a module of \
                           functions alone is a `#[device_library]`";
            self.error(&parsed.name, message);
        }
        let constants = integer_constants(&items);
        for (item, attr) in parsed.kernels.iter().zip(kernels) {
            let generics = const_params(&item.sig);
            // A generic parameter shadows a constant.
            let mut constants = constants.clone();
            constants.retain(|name, _| !generics.contains(name));
            let arguments = match &attr.meta {
                syn::Meta::List(list) => with_constants(list.tokens.clone(), &constants),
                syn::Meta::Path(_) | syn::Meta::NameValue(_) => TokenStream::new(),
            };
            let (attrs, instances) = parse_attrs(arguments, &generics, self.diagnostics);
            self.kernel(item, attrs, instances.as_ref());
        }
        parsed
    }

    /// The names of a `use`; what comes with `*` is noted in the scope.
    pub(super) fn use_names(&mut self, item: &syn::ItemUse) -> Vec<ast::Item> {
        self.item_attributes(&item.attrs);
        let mut names = Vec::new();
        let path = syn::Path { leading_colon: item.leading_colon, segments: Default::default() };
        self.use_tree(path, &item.tree, &mut names);
        names
    }

    fn use_tree(&mut self, path: syn::Path, tree: &syn::UseTree, names: &mut Vec<ast::Item>) {
        let with = |name: &syn::Ident| {
            let mut path = path.clone();
            path.segments.push(name.clone().into());
            path
        };
        match tree {
            syn::UseTree::Path(part) => self.use_tree(with(&part.ident), &part.tree, names),
            syn::UseTree::Name(part) if part.ident == "self" => {
                if let Some(last) = path.segments.last() {
                    let name = last.ident.clone();
                    self.use_name(name, path, names);
                }
            }
            syn::UseTree::Name(part) => self.use_name(part.ident.clone(), with(&part.ident), names),
            syn::UseTree::Rename(part) if part.rename == "_" => {}
            syn::UseTree::Rename(part) if part.ident == "self" => {
                self.use_name(part.rename.clone(), path, names);
            }
            syn::UseTree::Rename(part) => self.use_name(part.rename.clone(), with(&part.ident), names),
            syn::UseTree::Glob(_) if self.scope.blocks.is_empty() => self.module().globs.push(path),
            syn::UseTree::Glob(_) => self.scope.globs.push(path),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(path.clone(), tree, names);
                }
            }
        }
    }

    fn use_name(&mut self, name: syn::Ident, path: syn::Path, names: &mut Vec<ast::Item>) {
        self.mention_type(&path);
        self.draft.uses.push(ast::Use { path, module: self.scope.module });
        names.push(ast::Item { name, kind: ItemKind::Use(UseId(self.draft.uses.len() - 1)) });
    }
}

/// The constants of a module that are made of integers and of each other: attributes may name them.
fn integer_constants(items: &[syn::Item]) -> HashMap<String, Literal> {
    let constants = items.iter().filter_map(|item| match item {
        syn::Item::Const(item) => Some(item),
        _ => None,
    });
    let mut open: Vec<&syn::ItemConst> = constants.collect();
    let mut values = Vec::new();
    loop {
        let before = open.len();
        open.retain(|item| match evaluate(&item.expr, &values) {
            Ok(value) => {
                values.push((item.ident.to_string(), value));
                false
            }
            Err(_) => true,
        });
        if open.len() == before {
            break;
        }
    }
    let literals = values.into_iter().filter(|row| row.1 >= 0);
    literals.map(|(name, value)| (name, Literal::i128_unsuffixed(value))).collect()
}

/// The arguments of `#[kernel(…)]` with numbers for constants in what takes numbers alone; others name parameters there.
fn with_constants(arguments: TokenStream, constants: &HashMap<String, Literal>) -> TokenStream {
    const OF_NUMBERS: &[&str] = &["launch_bounds", "block", "cluster", "maxnreg", "coarsen"];
    let mut of_numbers = false;
    let trees = arguments.into_iter().map(|tree| match tree {
        TokenTree::Ident(name) => {
            of_numbers = OF_NUMBERS.iter().any(|of| name == of);
            TokenTree::Ident(name)
        }
        TokenTree::Group(group) if of_numbers => {
            let mut replaced = Group::new(group.delimiter(), numbers(group.stream(), constants));
            replaced.set_span(group.span());
            TokenTree::Group(replaced)
        }
        other => other,
    });
    trees.collect()
}

/// The tokens with numbers for constants.
fn numbers(tokens: TokenStream, constants: &HashMap<String, Literal>) -> TokenStream {
    let trees = tokens.into_iter().map(|tree| match &tree {
        TokenTree::Ident(name) => match constants.get(&name.to_string()) {
            Some(literal) => {
                let mut literal = literal.clone();
                literal.set_span(name.span());
                TokenTree::Literal(literal)
            }
            None => tree,
        },
        TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => tree,
    });
    trees.collect()
}

/// A kernel's function, `#[kernel]` taken off.
fn kernel_item(function: &syn::ItemFn) -> Item {
    let is_inner = |attr: &&syn::Attribute| matches!(attr.style, syn::AttrStyle::Inner(_));
    let outer = function.attrs.iter().filter(|attr| !is_inner(attr) && !is_ours(attr, "kernel"));
    let block = &function.block;
    // A block prints as one group.
    let mut body = Group::new(Delimiter::Brace, TokenStream::new());
    if let Some(TokenTree::Group(group)) = block.to_token_stream().into_iter().next() {
        body = group;
    }
    Item {
        outer: outer.cloned().collect(),
        vis: function.vis.clone(),
        sig: function.sig.clone(),
        body,
        inner: function.attrs.iter().filter(is_inner).cloned().collect(),
        stmts: Ok(block.stmts.clone()),
    }
}

/// The item without `#[device]` and the attributes of modules.
pub fn without_marks(item: &syn::Item) -> TokenStream {
    match item {
        syn::Item::Fn(function) => {
            let mut function = function.clone();
            function.attrs.retain(|attr| !is_ours(attr, "device"));
            function.to_token_stream()
        }
        syn::Item::Mod(module) => {
            let mut module = module.clone();
            module.attrs.retain(|attr| !is_ours(attr, "device_library") && !is_ours(attr, "kernel_module"));
            if let Some((_, items)) = &mut module.content {
                *items = items.iter().map(|item| syn::Item::Verbatim(without_marks(item))).collect();
            }
            module.to_token_stream()
        }
        other => other.to_token_stream(),
    }
}

/// An attribute within an item, `//! …` of a module, as one before it: rustc takes no others from a macro.
fn before_item(attr: syn::Attribute) -> syn::Attribute {
    syn::Attribute { style: syn::AttrStyle::Outer, ..attr }
}
