//! Generic parameters with their bounds, and generic arguments.

use syn::spanned::Spanned;

use super::Parser;
use crate::ast::{Clause, GenericArg, GenericParam, GenericParamKind, Generics, TraitName, Type};
use crate::diagnostics::{Loc, shown};

/// The bounds that say how a value is called.
const CALLABLE: &[&str] = &["Fn", "FnMut", "FnOnce"];

impl Parser<'_> {
    /// Lifetimes are left out: rustc checks them in the copy.
    pub(super) fn generics(&mut self, generics: &syn::Generics) -> Option<Vec<GenericParam>> {
        let params: Vec<Option<GenericParam>> =
            generics.params.iter().filter_map(|param| self.generic_param(param, generics)).collect();
        params.into_iter().collect()
    }

    /// The bounds `Fn(A) -> B` and `Into<T>` that a `where` clause has of other types than the parameters here.
    pub(super) fn clauses(&mut self, generics: &syn::Generics) -> Option<Vec<Clause>> {
        let mut clauses = Vec::new();
        let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        for predicate in predicates {
            let syn::WherePredicate::Type(clause) = predicate else { continue };
            let is_own = generics.type_params().any(|param| {
                matches!(&clause.bounded_ty, syn::Type::Path(path) if path.path.is_ident(&param.ident))
            });
            let (called, target) =
                (clause.bounds.iter().find_map(callable), clause.bounds.iter().find_map(conversion));
            if is_own || called.is_none() && target.is_none() {
                continue;
            }
            let callable = match called {
                Some(arguments) => Some(self.callable(arguments)?),
                None => None,
            };
            let into = match target {
                Some(target) => Some(self.ty(target)?),
                None => None,
            };
            clauses.push(Clause { of: self.ty(&clause.bounded_ty)?, callable, into });
        }
        Some(clauses)
    }

    /// The outer `None` is for a lifetime.
    fn generic_param(
        &mut self,
        param: &syn::GenericParam,
        generics: &syn::Generics,
    ) -> Option<Option<GenericParam>> {
        match param {
            syn::GenericParam::Lifetime(_) => None,
            syn::GenericParam::Type(param) => {
                self.refuse_attributes(&param.attrs, "a generic parameter");
                let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
                let mut bounds: Vec<&syn::TypeParamBound> = param.bounds.iter().collect();
                for clause in clauses {
                    if let syn::WherePredicate::Type(clause) = clause
                        && matches!(&clause.bounded_ty, syn::Type::Path(path) if path.path.is_ident(&param.ident))
                    {
                        bounds.extend(&clause.bounds);
                    }
                }
                self.mention_bounds(bounds.iter().copied());
                let callable = match bounds.iter().find_map(|bound| callable(bound)) {
                    Some(arguments) => match self.callable(arguments) {
                        Some(callable) => Some(callable),
                        None => return Some(None),
                    },
                    None => None,
                };
                let item = match bounds.iter().find_map(|bound| item(bound)) {
                    Some(item) => match self.ty(item) {
                        Some(item) => Some(item),
                        None => return Some(None),
                    },
                    None => None,
                };
                let mut targets = bounds.iter().filter_map(|bound| conversion(bound));
                let into = match (targets.next(), targets.next()) {
                    (Some(target), None) => match self.ty(target) {
                        Some(target) => Some(Box::new(target)),
                        None => return Some(None),
                    },
                    _ => None,
                };
                let traits = self.trait_names(bounds.iter().copied());
                let mut applied = Vec::new();
                let written: Vec<_> = bounds.iter().filter_map(|bound| self.applied(bound)).collect();
                for (name, args) in written {
                    match self.generic_args(&args) {
                        Some(args) => applied.push((name, args)),
                        None => return Some(None),
                    }
                }
                let kind = GenericParamKind::Type { bounds: traits, callable, item, into, applied };
                let default = match &param.default {
                    Some((_, ty)) => match self.ty(ty) {
                        Some(ty) => Some(GenericArg::Type(ty)),
                        None => return Some(None),
                    },
                    None => None,
                };
                Some(Some(GenericParam { name: param.ident.clone(), kind, default }))
            }
            syn::GenericParam::Const(param) => {
                self.refuse_attributes(&param.attrs, "a generic parameter");
                let kind = self.ty(&param.ty).map(GenericParamKind::Const);
                let default = match &param.default {
                    Some((_, expr)) => match self.expr(expr) {
                        Some(expr) => Some(GenericArg::Const(expr)),
                        None => return Some(None),
                    },
                    None => None,
                };
                Some(kind.map(|kind| GenericParam { name: param.ident.clone(), kind, default }))
            }
        }
    }

    /// A bound by a trait of the user's own, or of an operator, with generic arguments: its name and these.
    fn applied(
        &self,
        bound: &syn::TypeParamBound,
    ) -> Option<(TraitName, syn::AngleBracketedGenericArguments)> {
        let syn::TypeParamBound::Trait(bound) = bound else { return None };
        let last = bound.path.segments.last()?;
        let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
        let mut arguments = arguments.clone();
        let of_trait = self.trait_name(&bound.path)?;
        let is_own = self.own_trait(&bound.path).is_some();
        if !is_own && ARITHMETIC.iter().any(|name| of_trait == *name) {
            // Associated types, `Output = T`, are checked by rustc.
            let types = arguments.args.into_iter().filter(|arg| matches!(arg, syn::GenericArgument::Type(_)));
            arguments.args = types.collect();
            return (arguments.args.len() == 1).then_some((of_trait, arguments));
        }
        (is_own && are_plain(&arguments)).then_some((of_trait, arguments))
    }

    /// Parses the parameter types and the result type of a callable.
    pub(super) fn callable(
        &mut self,
        arguments: &syn::ParenthesizedGenericArguments,
    ) -> Option<(Vec<Type>, Option<Type>)> {
        let params: Vec<Option<Type>> = arguments.inputs.iter().map(|arg| self.ty(&arg.ty)).collect();
        let result = match &arguments.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(self.ty(ty)?),
        };
        Some((params.into_iter().collect::<Option<_>>()?, result))
    }

    /// After `::`.
    pub(super) fn turbofish(&mut self, arguments: &syn::AngleBracketedGenericArguments) -> Option<Generics> {
        let args = self.generic_args(arguments)?;
        let loc = Loc::between(arguments.lt_token.span(), arguments.gt_token.span());
        Some(Generics { args, loc })
    }

    /// `shared::<[T]>()`: whether the array's length is missing, which is reported.
    pub(super) fn shared_without_length(
        &mut self,
        path: &syn::Path,
        arguments: &syn::AngleBracketedGenericArguments,
    ) -> bool {
        let (Some(last), Some(syn::GenericArgument::Type(syn::Type::Slice(slice)))) =
            (path.segments.last(), arguments.args.first())
        else {
            return false;
        };
        let is_shared = last.ident == "shared";
        if is_shared {
            let element = shown(&slice.elem);
            let message = format!(
                "expected an array with its length in shared memory, found `[{element}]`\nhelp: write the length, \
                 `shared::<[{element}; N]>()`, or leave it to the launch: `shared_dyn::<{element}>()`"
            );
            self.error(Loc::of(slice), message);
        }
        is_shared
    }

    pub(super) fn generic_args(
        &mut self,
        arguments: &syn::AngleBracketedGenericArguments,
    ) -> Option<Vec<GenericArg>> {
        let written =
            arguments.args.iter().filter(|argument| !matches!(argument, syn::GenericArgument::Lifetime(_)));
        let args: Vec<Option<GenericArg>> = written.map(|argument| self.generic_arg(argument)).collect();
        args.into_iter().collect()
    }

    /// The arguments of a trait, which may be slices: `AsRef<[u8]>`.
    pub(super) fn trait_args(
        &mut self,
        arguments: &syn::AngleBracketedGenericArguments,
    ) -> Option<Vec<GenericArg>> {
        let written =
            arguments.args.iter().filter(|argument| !matches!(argument, syn::GenericArgument::Lifetime(_)));
        let args: Vec<Option<GenericArg>> = written
            .map(|argument| match argument {
                syn::GenericArgument::Type(ty) => self.unsized_or(ty).map(GenericArg::Type),
                other => self.generic_arg(other),
            })
            .collect();
        args.into_iter().collect()
    }

    pub(super) fn generic_arg(&mut self, argument: &syn::GenericArgument) -> Option<GenericArg> {
        match argument {
            syn::GenericArgument::Type(ty) => self.ty(ty).map(GenericArg::Type),
            syn::GenericArgument::Const(expr) => self.expr(expr).map(GenericArg::Const),
            other => {
                self.error(
                    Loc::of(other),
                    "expected a type or a constant as generic argument\nhelp: write it as in `f::<f32, 4>(…)`",
                );
                None
            }
        }
    }
}

/// `(A, B) -> C` of a bound `Fn(A, B) -> C`.
pub(super) fn callable(bound: &syn::TypeParamBound) -> Option<&syn::ParenthesizedGenericArguments> {
    let syn::TypeParamBound::Trait(bound) = bound else { return None };
    let last = bound.path.segments.last()?;
    match &last.arguments {
        syn::PathArguments::Parenthesized(arguments) if CALLABLE.iter().any(|name| last.ident == name) => {
            Some(arguments)
        }
        _ => None,
    }
}

/// `T` of a bound `Into<T>`.
pub(super) fn conversion(bound: &syn::TypeParamBound) -> Option<&syn::Type> {
    let syn::TypeParamBound::Trait(bound) = bound else { return None };
    let last = bound.path.segments.last().filter(|last| last.ident == "Into")?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// `T` of a bound `Iterator<Item = T>`.
pub(super) fn item(bound: &syn::TypeParamBound) -> Option<&syn::Type> {
    let syn::TypeParamBound::Trait(bound) = bound else { return None };
    let last = bound.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let of_items = ["Iterator", "IntoIterator", "DoubleEndedIterator", "ExactSizeIterator"];
    arguments.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::AssocType(argument)
            if argument.ident == "Item" && of_items.iter().any(|name| last.ident == name) =>
        {
            Some(&argument.ty)
        }
        _ => None,
    })
}

/// The traits of operators whose right side may be of another type.
const ARITHMETIC: &[&str] =
    &["Add", "Sub", "Mul", "Div", "Rem", "AddAssign", "SubAssign", "MulAssign", "DivAssign", "RemAssign"];

/// Returns true if all of these arguments are types and constants.
pub(super) fn are_plain(arguments: &syn::AngleBracketedGenericArguments) -> bool {
    let is_plain = |argument: &syn::GenericArgument| {
        matches!(argument, syn::GenericArgument::Type(_) | syn::GenericArgument::Const(_))
    };
    arguments.args.iter().all(is_plain)
}
