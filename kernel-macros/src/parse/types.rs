//! Types, by where they stand.

use syn::spanned::Spanned;

use super::Parser;
use crate::ast::{Type, TypeKind};
use crate::diagnostics::{Loc, did_you_mean, shown};
use crate::typed::{Scalar, Ty};

/// Names that are no type of the language, with what to write instead.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("f16", "not supported yet: use `f32`"),
    ("bf16", "not supported yet: use `f32`"),
    ("i128", "use `i64`, or two of them"),
    ("u128", "use `u64`, or two of them"),
    ("f128", "use `f64`"),
    ("char", "use `u32`"),
    ("str", "use `&[u8]`"),
    ("String", "use `&[u8]`"),
    ("Vec", "pass a slice, or use `shared::<[T; N]>()`"),
    ("Box", "there is no heap on the GPU: use a scalar, or `shared::<[T; N]>()`"),
    ("Option", "not supported yet: use a value and a `bool`"),
    ("Dim3", "leave the type out: `thread_idx()` and its like are known to return it"),
    ("float", "use `f32`"),
    ("double", "use `f64`"),
    ("int", "use `i32`"),
    ("uint", "use `u32`"),
    ("size_t", "use `usize`"),
    ("AtomicU32", "atomics are not supported yet"),
    ("AtomicI32", "atomics are not supported yet"),
    ("AtomicU64", "atomics are not supported yet"),
    ("AtomicF32", "atomics are not supported yet"),
];

/// The type of a parameter that parsing let through.
pub(super) fn param_ty(ty: &Type) -> Option<Ty> {
    match &ty.kind {
        TypeKind::Scalar(scalar) => Some(Ty::Scalar(*scalar)),
        TypeKind::Slice { element, mutable } => Some(Ty::Slice { element: *element, mutable: *mutable }),
        TypeKind::Array { .. } | TypeKind::Unit | TypeKind::Infer => None,
    }
}

impl Parser<'_> {
    /// A parameter's: a scalar or a slice.
    pub(super) fn param_type(&mut self, ty: &syn::Type) -> Option<Type> {
        match ty {
            syn::Type::Reference(reference) => self.slice(reference),
            syn::Type::Array(array) => {
                let message = format!(
                    "expected a scalar or a slice, found `{}`: arrays are not supported as parameters yet\nhelp: pass a \
                     slice: `&[{}]`",
                    shown(ty),
                    shown(&array.elem)
                );
                self.error(Loc::of(ty), message);
                None
            }
            syn::Type::Paren(paren) => self.param_type(&paren.elem),
            syn::Type::Group(group) => self.param_type(&group.elem),
            other => self.scalar_type(other, "a scalar or a slice"),
        }
    }

    fn slice(&mut self, reference: &syn::TypeReference) -> Option<Type> {
        let mutable = reference.mutability.is_some();
        let and = if mutable { "&mut " } else { "&" };
        let slice = match &*reference.elem {
            syn::Type::Slice(slice) => slice,
            syn::Type::Array(array) => {
                let message = format!(
                    "expected a slice, found a reference to an array\nhelp: pass a slice: `{and}[{}]`",
                    shown(&array.elem)
                );
                self.error(Loc::of(&reference.elem), message);
                return None;
            }
            other => {
                let name = shown(other);
                let help = if mutable {
                    format!("pass a slice of length 1: `&mut [{name}]`")
                } else {
                    format!("pass it by value: `{name}`")
                };
                let message =
                    format!("expected a slice after `{and}`, found `{name}`\nhelp: {help}", and = and.trim());
                self.error(Loc::of(reference), message);
                return None;
            }
        };
        if let Some(lifetime) = &reference.lifetime {
            let message = format!(
                "expected no lifetime, found `{lifetime}`\nhelp: leave it out: a slice lives as long as the launch"
            );
            self.error(lifetime.span(), message);
            return None;
        }
        let element = self.element_type(&slice.elem)?;
        let loc = Loc::between(reference.and_token.span(), slice.bracket_token.span.close());
        Some(Type { kind: TypeKind::Slice { element, mutable }, loc })
    }

    /// The elements of slices and shared arrays: plain data, so `bool` is not among them.
    fn element_type(&mut self, ty: &syn::Type) -> Option<Scalar> {
        let ty = self.scalar_type(ty, "a scalar")?;
        match ty.kind {
            TypeKind::Scalar(Scalar::Bool) => {
                self.error(
                    ty.loc,
                    "expected an element type, found `bool`: not every byte is a `bool`\nhelp: use `u8` and compare with \
                     `!= 0`",
                );
                None
            }
            TypeKind::Scalar(scalar) => Some(scalar),
            TypeKind::Slice { .. } | TypeKind::Array { .. } | TypeKind::Unit | TypeKind::Infer => None,
        }
    }

    /// That of `let` and `const` and behind `as`: a scalar, or where `infer` says so `_` or `()`.
    pub(super) fn value_type(&mut self, ty: &syn::Type, infer: bool) -> Option<Type> {
        match ty {
            syn::Type::Infer(token) if infer => {
                Some(Type { kind: TypeKind::Infer, loc: token.underscore_token.span().into() })
            }
            syn::Type::Tuple(tuple) if tuple.elems.is_empty() && infer => {
                let parens = tuple.paren_token.span;
                Some(Type { kind: TypeKind::Unit, loc: Loc::between(parens.open(), parens.close()) })
            }
            syn::Type::Paren(paren) => self.value_type(&paren.elem, infer),
            syn::Type::Group(group) => self.value_type(&group.elem, infer),
            other => self.scalar_type(other, "a scalar type"),
        }
    }

    /// That of `shared::<T>()`: an array, or an array of arrays.
    pub(super) fn shared_type(&mut self, ty: &syn::Type) -> Option<Type> {
        let array = match ty {
            syn::Type::Array(array) => array,
            syn::Type::Paren(paren) => return self.shared_type(&paren.elem),
            syn::Type::Group(group) => return self.shared_type(&group.elem),
            other => {
                let name = shown(other);
                let message = format!(
                    "expected an array type, found `{name}`\nhelp: write `shared::<[{name}; N]>()` with a constant `N`"
                );
                self.error(Loc::of(other), message);
                return None;
            }
        };
        let element = match &*array.elem {
            nested @ (syn::Type::Array(_) | syn::Type::Paren(_) | syn::Type::Group(_)) => {
                self.shared_type(nested)
            }
            scalar => self
                .element_type(scalar)
                .map(|element| Type { kind: TypeKind::Scalar(element), loc: Loc::of(scalar) }),
        };
        let len = self.expr(&array.len);
        let brackets = array.bracket_token.span;
        let kind = TypeKind::Array { element: Box::new(element?), len: Box::new(len?) };
        Some(Type { kind, loc: Loc::between(brackets.open(), brackets.close()) })
    }

    fn scalar_type(&mut self, ty: &syn::Type, expected: &str) -> Option<Type> {
        if let syn::Type::Paren(paren) = ty {
            return self.scalar_type(&paren.elem, expected);
        }
        if let syn::Type::Group(group) = ty {
            return self.scalar_type(&group.elem, expected);
        }
        let name = scalar_name(ty);
        if let Some(scalar) = name.as_deref().and_then(Scalar::from_name) {
            return Some(Type { kind: TypeKind::Scalar(scalar), loc: Loc::of(ty) });
        }
        if name.as_ref().is_some_and(|name| self.type_params.iter().any(|param| param == name)) {
            return None;
        }
        let help = self.help_for_type(ty, name.as_deref());
        let message = format!("expected {expected}, found `{}`\nhelp: {help}", shown(ty));
        self.error(Loc::of(ty), message);
        None
    }

    fn help_for_type(&self, ty: &syn::Type, name: Option<&str>) -> String {
        if let Some(name) = name {
            if let Some((_, help)) = OTHER_NAMES.iter().find(|row| row.0 == name) {
                return (*help).to_owned();
            }
            if let Some(near) = did_you_mean(name, Scalar::TABLE.iter().map(|row| row.1)) {
                return format!("did you mean `{near}`?");
            }
        }
        match ty {
            syn::Type::Tuple(_) => "tuples are not supported yet: use one variable for each part",
            syn::Type::Array(_) => {
                "arrays on the stack are not supported yet: use scalars, or `shared::<[T; N]>()`"
            }
            syn::Type::Reference(_) | syn::Type::Ptr(_) => {
                "there are no references but slice parameters: use the value"
            }
            syn::Type::FnPtr(_) => "functions are not values on the GPU: use an `if`",
            syn::Type::Infer(_) => "write the type in full",
            _ => "the scalar types are `bool`, `i8` … `i64`, `u8` … `u64`, `isize`, `usize`, `f32` and `f64`",
        }
        .to_owned()
    }
}

/// The last name of a path without arguments, or with: `Vec<f32>` is `Vec`.
fn scalar_name(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            let is_scalar = Scalar::from_name(&last.ident.to_string()).is_some();
            // A path to something that only has a scalar's name is not that scalar.
            if is_scalar && (path.path.segments.len() > 1 || !last.arguments.is_empty()) {
                return None;
            }
            Some(last.ident.to_string())
        }
        _ => None,
    }
}
