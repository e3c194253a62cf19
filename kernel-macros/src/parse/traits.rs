//! Traits of the user's own: what an impl leaves to the trait is added to the impl, so that later phases see impls alone.
//!
//! Calls are resolved by the types of an instance, which are known, and rustc holds generic functions to their bounds in the
//! check copy; so a trait's own signatures are of no more use once its impls are complete.

use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};

use super::Parser;
use super::spelled::spelled;
use crate::diagnostics::{Loc, shown};

/// A trait and the module that declares it.
pub(super) struct OwnTrait {
    pub(super) item: syn::ItemTrait,
    module: crate::ast::ModuleId,
}

impl Parser<'_> {
    /// Remembers a trait for the impls that follow.
    pub(super) fn declare_trait(&mut self, item: &syn::ItemTrait) {
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
        self.traits.push(OwnTrait { item: item.clone(), module: self.scope.module });
    }

    /// The trait of the user's own that a path in the current module means. Of several with this name it is that of the module which the
    /// path or its `use` names, else that of the current module, else one of a module whose names are all brought in, else the last.
    fn own_trait(&self, path: &syn::Path) -> Option<&syn::ItemTrait> {
        let last = path.segments.last()?;
        let of_name = || self.traits.iter().rev().filter(|own| own.item.ident == last.ident);
        let words = self.imported(path);
        let named = |module: crate::ast::ModuleId, name: &str| {
            self.draft.modules[module.0].name.as_ref().is_some_and(|known| known == name)
        };
        let here = &self.draft.modules[self.scope.module.0];
        let is_brought_in = |own: &OwnTrait| {
            here.globs.iter().filter_map(|glob| glob.segments.last()).any(|last| {
                named(own.module, &last.ident.to_string())
                    || last.ident == "super" && here.parent == Some(own.module)
            })
        };
        let by_path = words.len().checked_sub(2).and_then(|index| {
            let of = &words[index];
            of_name().find(|own| named(own.module, of) || of == "super" && here.parent == Some(own.module))
        });
        let found = by_path
            .or_else(|| of_name().find(|own| own.module == self.scope.module))
            .or_else(|| of_name().find(|own| is_brought_in(own)))
            .or_else(|| of_name().next());
        found.map(|own| &own.item)
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
