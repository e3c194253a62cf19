//! The public API of a crate as text: its source without what a user of the crate does not see.
//!
//! Items are listed in the module that defines them, with the `pub use` lines that make them public; bodies, comments and items with
//! `#[doc(hidden)]` are left out. What macros expand to is not seen: their calls stand for it.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::mem;
use std::path::{Path, PathBuf};

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::format_ident;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Fields, Ident, ImplItem, Item, TraitItem, Type, UseTree, Visibility};

/// The listing of the crate in a folder.
///
/// # Errors
///
/// A file that cannot be read or is not Rust.
pub fn listing(folder: &Path) -> Result<String, Box<dyn Error>> {
    let source = folder.join("src");
    let mut modules = Vec::new();
    let root = parse(&source.join("lib.rs"))?;
    walk(&mut modules, "crate".to_owned(), true, root, &source)?;

    let exports = Exports::of(&modules);
    let mut listed = BTreeSet::new();
    for module in &modules {
        let names = module.items.iter().filter(|item| exports.shows(module, item)).filter_map(name);
        listed.extend(names.map(Ident::to_string));
    }

    let mut text = String::new();
    for module in modules {
        let is_open = exports.opens(&module);
        // An item of the module's own that is not listed stands before a listed one of the same name elsewhere.
        let own = module.items.iter().filter(|item| !exports.shows(&module, item)).filter_map(name);
        let own: BTreeSet<String> = own.map(Ident::to_string).collect();
        let listed: BTreeSet<String> = listed.difference(&own).cloned().collect();
        let has_listed = module.items.iter().any(|item| exports.shows(&module, item));
        let Module { path, items, is_public } = module;
        let module = Module { path, items: Vec::new(), is_public };
        let shown = items.into_iter().filter_map(|item| {
            let is_shown = match &item {
                Item::Impl(_) => true,
                Item::Macro(_) => is_open || has_listed,
                Item::Use(_) => is_open,
                item => exports.shows(&module, item),
            };
            reduce(item, &listed).filter(|_| is_shown)
        });
        let items: Vec<Item> = shown.collect();
        if !items.is_empty() {
            let file = syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items };
            text += &format!("//////// {}\n\n{}\n", module.path, prettyplease::unparse(&file));
        }
    }
    Ok(text)
}

/// A module, and its items as the source has them.
struct Module {
    path: String,
    items: Vec<Item>,
    /// A path from outside of the crate leads to it.
    is_public: bool,
}

impl Module {
    fn last(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or_default()
    }

    fn parent(&self) -> &str {
        self.path.rsplit("::").nth(1).unwrap_or_default()
    }
}

fn parse(file: &Path) -> Result<Vec<Item>, Box<dyn Error>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(parsed.items)
}

/// Adds a module and those inside it. `folder` holds the files of those.
fn walk(
    modules: &mut Vec<Module>,
    path: String,
    is_public: bool,
    items: Vec<Item>,
    folder: &Path,
) -> Result<(), Box<dyn Error>> {
    let (inner, items) = items.into_iter().partition::<Vec<_>, _>(|item| matches!(item, Item::Mod(_)));
    modules.push(Module { path: path.clone(), items, is_public });
    for item in inner {
        let Item::Mod(inner) = item else { continue };
        if is_left_out(&inner.attrs) {
            continue;
        }
        let name = inner.ident.to_string();
        let (path, folder) = (format!("{path}::{name}"), folder.join(&name));
        let items = match inner.content {
            Some((_, items)) => items,
            None => parse(&file_of(&folder))?,
        };
        walk(modules, path, is_public && is_public_item(&inner.vis), items, &folder)?;
    }
    Ok(())
}

/// `name.rs` or `name/mod.rs`
fn file_of(folder: &Path) -> PathBuf {
    let beside = folder.with_extension("rs");
    if beside.exists() { beside } else { folder.join("mod.rs") }
}

fn is_public_item(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns true for `#[doc(hidden)]` and `#[cfg(test)]`.
fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let has = |outer: &str, inner: &str| {
            attribute.path().is_ident(outer)
                && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == inner)
        };
        has("doc", "hidden") || has("cfg", "test")
    })
}

/// Names that `pub use` makes public.
#[derive(Default)]
struct Exports {
    /// Each with the last name of the module that it is taken from.
    names: BTreeSet<(String, String)>,
    /// Last names of modules of which everything is.
    globs: BTreeSet<String>,
}

/// A name, or all names, that a `pub use` takes.
struct Reexport {
    /// The last name of the module that it is taken from.
    from: String,
    /// None is everything.
    name: Option<String>,
}

impl Exports {
    /// Collects the names that `pub use` lines make public, of modules that can be reached themselves or whose names are taken further.
    fn of(modules: &[Module]) -> Exports {
        let mut exports = Exports::default();
        loop {
            let before = (exports.names.len(), exports.globs.len());
            for module in modules {
                for Reexport { from, name } in module.items.iter().flat_map(reexports) {
                    let passed_on =
                        |name: &String| exports.names.contains(&(module.last().to_owned(), name.clone()));
                    let counts = exports.opens(module) || name.as_ref().is_some_and(passed_on);
                    match name {
                        Some(name) if counts => _ = exports.names.insert((from, name)),
                        None if counts => _ = exports.globs.insert(from),
                        Some(_) | None => {}
                    }
                }
            }
            if (exports.names.len(), exports.globs.len()) == before {
                return exports;
            }
        }
    }

    /// Returns true if all public items of a module are public outside the crate.
    fn opens(&self, module: &Module) -> bool {
        let name = (module.parent().to_owned(), module.last().to_owned());
        module.is_public || self.globs.contains(module.last()) || self.names.contains(&name)
    }

    /// Returns true for a named item that is public outside the crate.
    fn shows(&self, module: &Module, item: &Item) -> bool {
        let is_visible = visibility(item).is_some_and(is_public_item);
        let named = |name: &Ident| self.names.contains(&(module.last().to_owned(), name.to_string()));
        let is_reached = self.opens(module) || name(item).is_some_and(named);
        is_visible && is_reached
    }
}

fn reexports(item: &Item) -> Vec<Reexport> {
    let mut all = Vec::new();
    if let Item::Use(item) = item
        && is_public_item(&item.vis)
        && !is_left_out(&item.attrs)
    {
        add_reexports(&mut all, &item.tree, "crate");
    }
    all
}

fn add_reexports(all: &mut Vec<Reexport>, tree: &UseTree, from: &str) {
    let mut add = |name: Option<String>| all.push(Reexport { from: from.to_owned(), name });
    match tree {
        UseTree::Path(path) => add_reexports(all, &path.tree, &path.ident.to_string()),
        UseTree::Name(name) => add(Some(name.ident.to_string())),
        UseTree::Rename(name) => add(Some(name.ident.to_string())),
        UseTree::Glob(_) => add(None),
        UseTree::Group(group) => group.items.iter().for_each(|tree| add_reexports(all, tree, from)),
    }
}

fn name(item: &Item) -> Option<&Ident> {
    Some(match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    })
}

fn visibility(item: &Item) -> Option<&Visibility> {
    Some(match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Union(item) => &item.vis,
        _ => return None,
    })
}

/// The item without bodies, comments and private parts; none if nothing of it is public.
fn reduce(item: Item, listed: &BTreeSet<String>) -> Option<Item> {
    let mut item = item;
    match &mut item {
        Item::Const(item) => {
            reduce_attributes(&mut item.attrs)?;
            reduce_value(&mut item.expr);
        }
        Item::Enum(item) => {
            reduce_attributes(&mut item.attrs)?;
            item.variants = reduced(mem::take(&mut item.variants), |variant| {
                reduce_attributes(&mut variant.attrs)?;
                variant.fields.iter_mut().try_for_each(|field| reduce_attributes(&mut field.attrs))
            });
        }
        Item::Fn(item) => {
            reduce_attributes(&mut item.attrs)?;
            item.block.stmts.clear();
        }
        Item::Impl(item) => {
            reduce_attributes(&mut item.attrs)?;
            let is_listed =
                |name: Option<&Ident>| name.is_some_and(|name| listed.contains(&name.to_string()));
            let of_type = is_listed(last_name(&item.self_ty));
            match &item.trait_ {
                Some((path, _)) => {
                    if !of_type && !is_listed(path.segments.last().map(|segment| &segment.ident)) {
                        return None;
                    }
                    item.items.clear();
                }
                None => {
                    item.items.retain_mut(|item| of_type && reduce_member(item).is_some());
                    if item.items.is_empty() {
                        return None;
                    }
                }
            }
        }
        Item::Macro(item) => {
            let is_exported = item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"));
            let is_left_out = is_left_out(&item.attrs) || item.mac.path.is_ident("thread_local");
            if is_left_out || (item.ident.is_some() && !is_exported) {
                return None;
            }
            reduce_attributes(&mut item.attrs)?;
            let tokens = mem::take(&mut item.mac.tokens);
            if item.ident.is_none() {
                item.mac.tokens = without_comments(tokens);
            }
        }
        Item::Static(item) => {
            reduce_attributes(&mut item.attrs)?;
            reduce_value(&mut item.expr);
        }
        Item::Struct(item) => {
            reduce_attributes(&mut item.attrs)?;
            reduce_fields(&mut item.fields);
        }
        Item::Trait(item) => {
            reduce_attributes(&mut item.attrs)?;
            item.items.retain_mut(|item| reduce_trait_member(item).is_some());
        }
        Item::Type(item) => reduce_attributes(&mut item.attrs)?,
        Item::Use(item) => {
            reduce_attributes(&mut item.attrs).filter(|()| is_public_item(&item.vis))?;
        }
        _ => return None,
    }
    Some(item)
}

/// The tokens of a macro's call without its documentation.
fn without_comments(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let is_after_hash = matches!(kept.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#');
        match token {
            TokenTree::Group(group) if is_after_hash && group.stream().to_string().starts_with("doc =") => {
                kept.pop();
            }
            TokenTree::Group(group) => {
                let inner = without_comments(group.stream());
                kept.push(Group::new(group.delimiter(), inner).into());
            }
            token => kept.push(token),
        }
    }
    kept.into_iter().collect()
}

fn reduce_member(member: &mut ImplItem) -> Option<()> {
    match member {
        ImplItem::Const(item) => {
            reduce_value(&mut item.expr);
            reduce_attributes(&mut item.attrs).filter(|()| is_public_item(&item.vis))
        }
        ImplItem::Fn(item) => {
            item.block.stmts.clear();
            reduce_attributes(&mut item.attrs).filter(|()| is_public_item(&item.vis))
        }
        ImplItem::Macro(_) => Some(()),
        _ => None,
    }
}

fn reduce_trait_member(member: &mut TraitItem) -> Option<()> {
    match member {
        TraitItem::Const(item) => {
            if let Some((_, value)) = &mut item.default {
                reduce_value(value);
            }
            reduce_attributes(&mut item.attrs)
        }
        TraitItem::Fn(item) => {
            if let Some(body) = &mut item.default {
                body.stmts.clear();
            }
            reduce_attributes(&mut item.attrs)
        }
        TraitItem::Type(item) => reduce_attributes(&mut item.attrs),
        TraitItem::Macro(_) => Some(()),
        _ => None,
    }
}

/// Keeps what callers depend on. None if the item is hidden.
fn reduce_attributes(attributes: &mut Vec<Attribute>) -> Option<()> {
    const KEPT: [&str; 10] = [
        "cfg",
        "default",
        "deprecated",
        "derive",
        "kernel",
        "kernel_module",
        "macro_export",
        "must_use",
        "non_exhaustive",
        "repr",
    ];
    if is_left_out(attributes) {
        return None;
    }
    attributes.retain(|attribute| KEPT.iter().any(|name| attribute.path().is_ident(name)));
    Some(())
}

/// Values that are written down are part of the API, computed ones are not.
fn reduce_value(value: &mut Expr) {
    if !matches!(value, Expr::Lit(_)) {
        *value = syn::parse_quote!(_);
    }
}

/// One field `_` stands for all that are private, in a tuple one for each.
fn reduce_fields(fields: &mut Fields) {
    match fields {
        Fields::Named(fields) => {
            let mut private = None;
            let public = mem::take(&mut fields.named).into_iter().filter_map(|mut field| {
                let kept = reduce_attributes(&mut field.attrs).filter(|()| is_public_item(&field.vis));
                match kept {
                    Some(()) => Some(field),
                    None => {
                        private = Some(field);
                        None
                    }
                }
            });
            fields.named = public.collect();
            if let Some(mut field) = private {
                (field.attrs, field.vis) = (Vec::new(), Visibility::Inherited);
                (field.ident, field.ty) = (Some(format_ident!("_")), syn::parse_quote!(_));
                fields.named.push(field);
            }
        }
        Fields::Unnamed(fields) => {
            for field in &mut fields.unnamed {
                if reduce_attributes(&mut field.attrs).filter(|()| is_public_item(&field.vis)).is_none() {
                    (field.vis, field.ty) = (Visibility::Inherited, syn::parse_quote!(_));
                }
            }
        }
        Fields::Unit => {}
    }
}

fn reduced<T, P: Default>(
    items: Punctuated<T, P>,
    mut reduce: impl FnMut(&mut T) -> Option<()>,
) -> Punctuated<T, P> {
    items.into_iter().filter_map(|mut item| reduce(&mut item).map(|()| item)).collect()
}

/// The last name of a type's path, behind references.
fn last_name(of: &Type) -> Option<&Ident> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        Type::Reference(reference) => last_name(&reference.elem),
        _ => None,
    }
}
