//! Traits of the user's own: what an impl leaves to the trait is added to the impl, so that later phases see impls alone.
//!
//! Calls are resolved by the types of an instance, which are known, and rustc holds generic functions to their bounds in the
//! check copy; so a trait's own signatures are of no more use once its impls are complete.

use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};

use super::Parser;
use super::spelled::spelled;
use crate::ast::{self, ItemKind, ModuleId, TraitId, TraitName};
use crate::diagnostics::{Loc, shown};
use crate::own_path;

/// A trait of the user's own.
pub(super) struct OwnTrait {
    pub(super) item: syn::ItemTrait,
}

/// The end of a path, as far as traits and modules matter.
enum Place {
    Module(ModuleId),
    Trait(TraitId),
    /// Something that the program does not declare, by its last name: a trait of the standard library, say.
    Outside(String),
}

/// Most steps from one `use` to the next.
const STEPS: usize = 12;

/// The first names of a path.
pub(super) fn before(path: &syn::Path, count: usize) -> syn::Path {
    syn::Path {
        leading_colon: path.leading_colon,
        segments: path.segments.iter().take(count).cloned().collect(),
    }
}

fn words(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

impl Parser<'_> {
    /// Remembers a trait for the impls that follow.
    pub(super) fn declare_trait(&mut self, item: &syn::ItemTrait) -> Option<TraitId> {
        self.item_attributes(&item.attrs);
        for part in &item.items {
            if let syn::TraitItem::Type(output) = part
                && !output.generics.params.is_empty()
            {
                let message = format!(
                    "expected an associated type without parameters, found `{}<…>`\nhelp: give the trait the parameter",
                    output.ident
                );
                self.error(Loc::of(&output.generics), message);
            }
        }
        self.traits.push(OwnTrait { item: item.clone() });
        (!self.scope.is_library).then(|| TraitId(self.traits.len() - 1))
    }

    /// The trait of the user's own that a path means here.
    pub(super) fn own_trait(&self, path: &syn::Path) -> Option<&syn::ItemTrait> {
        let name = self.trait_name(path)?;
        let found = match name.own {
            Some(id) => self.traits.get(id.0),
            None if self.scope.is_library => self.traits.iter().find(|own| own.item.ident == name.name),
            None => None,
        };
        found.map(|own| &own.item)
    }

    /// The trait that a path means here.
    pub(super) fn trait_name(&self, path: &syn::Path) -> Option<TraitName> {
        let last = &path.segments.last()?.ident;
        let found = match self.scope.is_library {
            true => None,
            false => self.place_here(&words(path), STEPS),
        };
        let (mut name, own) = match found {
            Some(Place::Trait(id)) => (self.traits.get(id.0)?.item.ident.clone(), Some(id)),
            Some(Place::Outside(name)) => (syn::parse_str(&name).unwrap_or_else(|_| last.clone()), None),
            Some(Place::Module(_)) | None => (last.clone(), None),
        };
        name.set_span(last.span());
        Some(TraitName { name, own })
    }

    /// The traits among bounds.
    pub(super) fn trait_names<'b>(
        &self,
        bounds: impl Iterator<Item = &'b syn::TypeParamBound>,
    ) -> Vec<TraitName> {
        let name = |bound: &syn::TypeParamBound| match bound {
            syn::TypeParamBound::Trait(bound) => self.trait_name(&bound.path),
            _ => None,
        };
        bounds.filter_map(name).collect()
    }

    /// Returns true for a path that means a module here.
    pub(super) fn is_module(&self, path: &syn::Path) -> bool {
        matches!(self.place_here(&words(path), STEPS), Some(Place::Module(_)))
    }

    /// The place that a path leads to from here: by the items and `use`s of the blocks around, the innermost first, else of the module.
    fn place_here(&self, path: &[String], steps: usize) -> Option<Place> {
        let steps = steps.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        for items in self.scope.blocks.iter().rev() {
            if let Some(found) = self.among(items, first, steps, |words, steps| self.place_here(words, steps))
            {
                return self.onwards(found, rest, steps);
            }
        }
        let by_glob = self.scope.globs.iter().rev().find_map(|glob| {
            let whole: Vec<String> = words(glob).into_iter().chain([first.clone()]).collect();
            self.known_place(self.scope.module, &whole, steps)
        });
        match by_glob {
            Some(found) => self.onwards(found, rest, steps),
            None => self.place(self.scope.module, path, steps),
        }
    }

    /// The place that a path leads to from a module.
    fn place(&self, module: ModuleId, path: &[String], steps: usize) -> Option<Place> {
        let steps = steps.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        let parent = self.draft.modules.get(module.0)?.parent;
        let start = match (first.as_str(), parent) {
            ("self", _) => Some(Place::Module(module)),
            ("super", Some(parent)) => Some(Place::Module(parent)),
            ("crate" | "$crate" | "super", _) => {
                let root = &self.draft.modules.first()?.name;
                let own = root.as_ref().map(ToString::to_string).unwrap_or_default();
                let found = own_path::places(rest, &own)
                    .find_map(|at| self.onwards(Place::Module(ModuleId(0)), &rest[at + 1..], steps));
                return found.or_else(|| self.outside(path, steps));
            }
            ("core" | "std" | "alloc", _) => None,
            _ => self.in_module(module, first, steps),
        };
        match start {
            Some(start) => self.onwards(start, rest, steps),
            None => self.outside(path, steps),
        }
    }

    /// As [`Parser::place`], of something that the program declares.
    fn known_place(&self, module: ModuleId, path: &[String], steps: usize) -> Option<Place> {
        self.place(module, path, steps).filter(|place| !matches!(place, Place::Outside(_)))
    }

    /// A path from outside of what the program declares: into a library that it links, or to a name alone.
    fn outside(&self, path: &[String], steps: usize) -> Option<Place> {
        let libraries = &self.draft.modules.first()?.libraries;
        let by_library = path.iter().enumerate().rev().find_map(|(index, name)| {
            let library = libraries.iter().find(|item| item.name == name)?;
            let ItemKind::Module(id) = library.kind else { return None };
            self.onwards(Place::Module(id), &path[index + 1..], steps)
        });
        by_library.or_else(|| path.last().map(|last| Place::Outside(last.clone())))
    }

    /// The trait or module of this name among items; a `use` is followed.
    fn among(
        &self,
        items: &[ast::Item],
        name: &str,
        steps: usize,
        follow: impl Fn(&[String], usize) -> Option<Place>,
    ) -> Option<Place> {
        let of_name = || items.iter().filter(|item| item.name == name);
        // A `use` beside it brings a function of its name.
        let declared = of_name().find_map(|item| match item.kind {
            ItemKind::Module(id) => Some(Place::Module(id)),
            ItemKind::Trait(Some(id)) => Some(Place::Trait(id)),
            _ => None,
        });
        declared.or_else(|| {
            let brought = of_name().filter_map(|item| match item.kind {
                ItemKind::Use(id) => follow(&words(&self.draft.uses.get(id.0)?.path), steps),
                _ => None,
            });
            // Of a type and a function of one name one may be from outside.
            brought.reduce(|first, next| if matches!(first, Place::Outside(_)) { next } else { first })
        })
    }

    /// The trait or module of this name in a module, also by `use path::*`.
    fn in_module(&self, module: ModuleId, name: &str, steps: usize) -> Option<Place> {
        let steps = steps.checked_sub(1)?;
        let of = self.draft.modules.get(module.0)?;
        let declared = self.among(&of.items, name, steps, |words, steps| self.place(module, words, steps));
        declared.or_else(|| {
            of.globs.iter().find_map(|glob| {
                let whole: Vec<String> = words(glob).into_iter().chain([name.to_owned()]).collect();
                self.known_place(module, &whole, steps)
            })
        })
    }

    /// The place that the remaining names of a path lead to.
    fn onwards(&self, start: Place, rest: &[String], steps: usize) -> Option<Place> {
        let Some((name, after)) = rest.split_first() else { return Some(start) };
        let next = match start {
            Place::Module(id) => match name.as_str() {
                "self" => Place::Module(id),
                "super" => Place::Module(self.draft.modules.get(id.0)?.parent?),
                _ => self.in_module(id, name, steps)?,
            },
            Place::Trait(_) => return None,
            Place::Outside(_) => Place::Outside(name.clone()),
        };
        self.onwards(next, after, steps)
    }

    /// Reports functions that an impl leaves out of a trait of the user's own, and the trait leaves to it. Of a module rustc does.
    pub(super) fn refuse_missing(&mut self, item: &syn::ItemImpl) {
        let path = item.trait_.as_ref().map(|of| &of.0);
        let is_standard = |path: &syn::Path| {
            path.segments.len() > 1
                && path.segments.first().is_some_and(|first| first.ident == "core" || first.ident == "std")
        };
        let path = path.filter(|path| !is_standard(path));
        let Some(of) = path.and_then(|path| self.own_trait(path)) else { return };
        let names = of.items.iter().filter_map(|part| match part {
            syn::TraitItem::Fn(function) if function.default.is_none() => Some(&function.sig),
            _ => None,
        });
        let missing: Vec<&syn::Signature> = names.filter(|sig| !has(item, &sig.ident)).collect();
        if missing.is_empty() {
            return;
        }
        let listed = |shown: &dyn Fn(&syn::Signature) -> String| {
            missing.iter().map(|sig| format!("`{}`", shown(sig))).collect::<Vec<_>>().join(", ")
        };
        let message = format!(
            "expected every function of `{}` in the `impl`, found none for {}\nhelp: write {}",
            of.ident,
            listed(&|sig| sig.ident.to_string()),
            listed(&|sig| format!("{} {{ … }}", spelled(sig))),
        );
        match self.scope.blocks.is_empty() {
            true => self.diagnostics.error_known_to_rustc(Loc::of(&item.self_ty), message),
            false => self.error(Loc::of(&item.self_ty), message),
        }
    }

    /// The impl with what it leaves to a trait of the user's own; `None` if the trait is none of these.
    pub(super) fn completed(&self, item: &syn::ItemImpl) -> Option<syn::ItemImpl> {
        let path = &item.trait_.as_ref()?.0;
        let (last, of) = (path.segments.last()?, self.own_trait(path)?);
        let mut whole = item.clone();
        let mut replace = Parameters::new(of, last, &item.self_ty);
        for part in &of.items {
            let mut added = match part {
                syn::TraitItem::Fn(function) if !has(item, &function.sig.ident) => {
                    let Some(block) = &function.default else { continue };
                    let (attrs, sig) = (&function.attrs, &function.sig);
                    syn::parse_quote!(#(#attrs)* #sig #block)
                }
                syn::TraitItem::Const(constant) if !has(item, &constant.ident) => {
                    let Some((_, value)) = &constant.default else { continue };
                    let (attrs, name, ty) = (&constant.attrs, &constant.ident, &constant.ty);
                    syn::parse_quote!(#(#attrs)* const #name: #ty = #value;)
                }
                _ => continue,
            };
            replace.visit_impl_item_mut(&mut added);
            whole.items.push(added);
        }
        Some(whole)
    }
}

/// Returns true if an impl has a function or constant of this name.
fn has(item: &syn::ItemImpl, name: &Ident) -> bool {
    item.items.iter().any(|part| match part {
        syn::ImplItem::Fn(function) => function.sig.ident == *name,
        syn::ImplItem::Const(constant) => constant.ident == *name,
        _ => false,
    })
}

/// The arguments of a trait in place of its parameters.
struct Parameters {
    types: Vec<(Ident, syn::Type)>,
    consts: Vec<(Ident, syn::Expr)>,
}

impl Parameters {
    fn new(of: &syn::ItemTrait, path: &syn::PathSegment, own: &syn::Type) -> Parameters {
        let written: Vec<&syn::GenericArgument> = match &path.arguments {
            syn::PathArguments::AngleBracketed(arguments) => arguments
                .args
                .iter()
                .filter(|arg| !matches!(arg, syn::GenericArgument::Lifetime(_)))
                .collect(),
            _ => Vec::new(),
        };
        let params =
            of.generics.params.iter().filter(|param| !matches!(param, syn::GenericParam::Lifetime(_)));
        let (mut types, mut consts) = (Vec::new(), Vec::new());
        for (index, param) in params.enumerate() {
            match (param, written.get(index)) {
                (syn::GenericParam::Type(param), Some(syn::GenericArgument::Type(ty))) => {
                    types.push((param.ident.clone(), ty.clone()));
                }
                (syn::GenericParam::Type(param), None) => {
                    let ty = param.default.as_ref().map_or(own, |default| &default.1).clone();
                    types.push((param.ident.clone(), ty));
                }
                (syn::GenericParam::Const(param), Some(syn::GenericArgument::Const(value))) => {
                    consts.push((param.ident.clone(), value.clone()));
                }
                // A constant's name looks like a type.
                (syn::GenericParam::Const(param), Some(syn::GenericArgument::Type(name))) => {
                    if let Ok(value) = syn::parse_str(&shown(name)) {
                        consts.push((param.ident.clone(), value));
                    }
                }
                _ => {}
            }
        }
        Parameters { types, consts }
    }

    fn ty(&self, name: &Ident) -> Option<&syn::Type> {
        self.types.iter().find(|row| row.0 == *name).map(|row| &row.1)
    }
}

impl VisitMut for Parameters {
    fn visit_generic_argument_mut(&mut self, argument: &mut syn::GenericArgument) {
        if let syn::GenericArgument::Type(syn::Type::Path(path)) = argument
            && path.qself.is_none()
            && let Some(name) = path.path.get_ident()
            && let Some((_, value)) = self.consts.iter().find(|row| row.0 == *name)
        {
            *argument = syn::GenericArgument::Const(value.clone());
            return;
        }
        visit_mut::visit_generic_argument_mut(self, argument);
    }

    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if let syn::Type::Path(path) = ty
            && path.qself.is_none()
            && let Some(name) = path.path.get_ident()
            && let Some(argument) = self.ty(name)
        {
            *ty = argument.clone();
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        if let syn::Expr::Path(path) = expr
            && path.qself.is_none()
            && let Some(first) = path.path.segments.first().map(|segment| segment.ident.clone())
        {
            let alone = path.path.segments.len() == 1;
            if let Some((_, value)) = self.consts.iter().find(|row| alone && row.0 == first) {
                *expr = value.clone();
                return;
            }
            if let (Some(ty), false) = (self.ty(&first), alone) {
                let rest = path.path.segments.iter().skip(1);
                *expr = syn::parse_quote!(<#ty>::#(#rest)::*);
                return;
            }
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}
