//! Types.

use syn::spanned::Spanned;

use super::Parser;
use super::generics::{callable, conversion};
use crate::ast::{GenericArg, Type, TypeId, TypeKind};
use crate::atomics::AtomicKind;
use crate::device::library;
use crate::diagnostics::{Loc, shown};
use crate::views;

impl Parser<'_> {
    pub(super) fn new_type(&mut self, kind: TypeKind, loc: Loc) -> Option<Type> {
        self.text.counts.types += 1;
        Some(Type { id: TypeId(self.text.counts.types - 1), kind, loc })
    }

    pub(super) fn ty(&mut self, ty: &syn::Type) -> Option<Type> {
        match ty {
            syn::Type::Paren(paren) => self.ty(&paren.elem),
            syn::Type::Group(group) => self.ty(&group.elem),
            // A name of a slice, for rustc too.
            syn::Type::Path(_)
                if let Some((view, element)) = views::of(ty).filter(|(view, _)| view.is_slice()) =>
            {
                let (element, mutable) = (Box::new(self.ty(element)?), view.mutable);
                self.new_type(TypeKind::Slice { element, mutable }, Loc::of(ty))
            }
            syn::Type::Path(path) => self.path_type(path),
            syn::Type::Tuple(tuple) => {
                let parts: Vec<_> = tuple.elems.iter().map(|part| self.ty(part)).collect();
                let parens = tuple.paren_token.span;
                let parts = parts.into_iter().collect::<Option<_>>()?;
                self.new_type(TypeKind::Tuple(parts), Loc::between(parens.open(), parens.close()))
            }
            syn::Type::Array(array) => {
                let element = self.ty(&array.elem);
                let len = self.expr(&array.len);
                let brackets = array.bracket_token.span;
                let kind = TypeKind::Array { element: Box::new(element?), len: Box::new(len?) };
                self.new_type(kind, Loc::between(brackets.open(), brackets.close()))
            }
            syn::Type::Reference(reference) => self.reference(reference),
            syn::Type::Ptr(pointer) => self.pointer(pointer),
            syn::Type::Infer(token) => self.new_type(TypeKind::Infer, token.underscore_token.span().into()),
            syn::Type::ImplTrait(bounds) => {
                self.mention_bounds(bounds.bounds.iter());
                let Some(arguments) = bounds.bounds.iter().find_map(callable) else {
                    let item = match bounds.bounds.iter().find_map(super::generics::item) {
                        Some(item) => Some(Box::new(self.ty(item)?)),
                        None => None,
                    };
                    let into = match bounds.bounds.iter().find_map(conversion) {
                        Some(target) => Some(Box::new(self.ty(target)?)),
                        None => None,
                    };
                    let bounds = self.trait_names(bounds.bounds.iter());
                    return self.new_type(TypeKind::ImplTrait { item, bounds, into }, Loc::of(ty));
                };
                let (params, result) = self.callable(arguments)?;
                self.new_type(TypeKind::ImplFn { params, result: result.map(Box::new) }, Loc::of(ty))
            }
            syn::Type::FnPtr(pointer) if is_plain(pointer) => {
                let (params, result) = self.pointer_signature(pointer)?;
                self.new_type(TypeKind::FnPtr { params, result }, Loc::of(ty))
            }
            other => {
                let help = refused(other);
                self.error(Loc::of(ty), format!("expected a type, found `{}`\nhelp: {help}", shown(ty)));
                None
            }
        }
    }

    /// An associated type or that of an `impl`, which may be `[T]`: only references to it are spoken of.
    pub(super) fn unsized_or(&mut self, ty: &syn::Type) -> Option<Type> {
        let syn::Type::Slice(slice) = ty else { return self.ty(ty) };
        let element = Box::new(self.ty(&slice.elem)?);
        self.new_type(TypeKind::Unsized(element), Loc::of(ty))
    }

    fn reference(&mut self, reference: &syn::TypeReference) -> Option<Type> {
        let mutable = reference.mutability.is_some();
        let start = reference.and_token.span();
        match strip(&reference.elem) {
            syn::Type::Slice(slice) => {
                let element = Box::new(self.ty(&slice.elem)?);
                let loc = Loc::between(start, slice.bracket_token.span.close());
                self.new_type(TypeKind::Slice { element, mutable }, loc)
            }
            inner => {
                let inner = Box::new(self.ty(inner)?);
                let loc = Loc::between(start, inner.loc);
                self.new_type(TypeKind::Ref { inner, mutable }, loc)
            }
        }
    }

    fn pointer(&mut self, pointer: &syn::TypePtr) -> Option<Type> {
        let mutable = matches!(pointer.mutability, syn::PointerMutability::Mut(_));
        if let syn::Type::Slice(slice) = strip(&pointer.elem) {
            let message = format!(
                "expected a pointer to a value, found one to a slice\nhelp: take a pointer to the first element, and the length: \
                 `*{} {}`",
                if mutable { "mut" } else { "const" },
                shown(&slice.elem)
            );
            self.error(Loc::of(pointer), message);
            return None;
        }
        let inner = Box::new(self.ty(&pointer.elem)?);
        let loc = Loc::between(pointer.star_token.span(), inner.loc);
        self.new_type(TypeKind::Ptr { inner, mutable }, loc)
    }

    fn path_type(&mut self, ty: &syn::TypePath) -> Option<Type> {
        if let Some(qself) = &ty.qself {
            // `<Self as Add>::Output` is `Self::Output`.
            let name = match &*qself.ty {
                syn::Type::Path(path) if path.qself.is_none() => {
                    path.path.get_ident().filter(|name| *name == "Self" || qself.position == 0)
                }
                _ => None,
            };
            match (ty.path.segments.last(), name) {
                (Some(last), Some(own)) => {
                    let name = &last.ident;
                    let path = syn::parse_quote!(#own::#name);
                    let kind = TypeKind::Path { path, args: Vec::new(), is_value: false };
                    return self.new_type(kind, Loc::of(ty));
                }
                (Some(last), None) if qself.position > 0 && qself.position + 1 == ty.path.segments.len() => {
                    let of = Box::new(self.ty(&qself.ty)?);
                    let of_trait = super::traits::before(&ty.path, qself.position);
                    let args = match of_trait.segments.last().map(|last| &last.arguments) {
                        Some(syn::PathArguments::AngleBracketed(arguments))
                            if super::generics::are_plain(arguments) =>
                        {
                            self.generic_args(arguments)?
                        }
                        _ => Vec::new(),
                    };
                    let of_trait = self.trait_name(&of_trait)?;
                    let kind = TypeKind::Projected { of, of_trait, args, name: last.ident.clone() };
                    return self.new_type(kind, Loc::of(ty));
                }
                _ => {
                    let message = format!(
                        "expected a type, found the qualified path `{}`\nhelp: write the type in full, or `T` where its \
                         operators give `T`",
                        shown(ty)
                    );
                    self.error(Loc::of(ty), message);
                    return None;
                }
            }
        }
        let mut ty = self.path_as_type(&ty.path)?;
        if let TypeKind::Path { is_value, .. } = &mut ty.kind {
            *is_value = false;
        }
        Some(ty)
    }

    /// Notes the last name of a path to a type, and the last two: what of the device library may be needed.
    pub(super) fn mention_type(&mut self, path: &syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let [.., module, name] = &names[..] {
            self.draft.mentioned.insert(format!("{module}::{name}"));
        }
        self.draft.mentioned.extend(names.into_iter().next_back());
    }

    /// Notes the traits of bounds: `impl Iterator` needs the iterators of the device library.
    pub(super) fn mention_bounds<'b>(&mut self, bounds: impl Iterator<Item = &'b syn::TypeParamBound>) {
        for bound in bounds {
            if let syn::TypeParamBound::Trait(bound) = bound
                && let Some(last) = bound.path.segments.last()
            {
                self.draft.mentioned.insert(last.ident.to_string());
            }
        }
    }

    /// A path of a value with the generic arguments of its last name.
    pub(super) fn path_as_type(&mut self, path: &syn::Path) -> Option<Type> {
        let mut loc = path_loc(path);
        let mut path = path.clone();
        self.mention_type(&path);
        let last = path.segments.len().saturating_sub(1);
        let mut args: Vec<GenericArg> = Vec::new();
        for (index, segment) in path.segments.iter_mut().enumerate() {
            match std::mem::take(&mut segment.arguments) {
                syn::PathArguments::None => {}
                syn::PathArguments::AngleBracketed(mut arguments) if index == last => {
                    loc = Loc::between(loc, arguments.gt_token.span());
                    if segment.ident == library::PHANTOM {
                        functions_as_tuples(&mut arguments);
                    }
                    args = self.generic_args(&arguments)?;
                }
                other => {
                    self.error(Loc::of(&other), "expected no generic arguments here\nhelp: leave them out");
                    return None;
                }
            }
        }
        self.new_type(TypeKind::Path { path, args, is_value: true }, loc)
    }

    fn pointer_signature(&mut self, pointer: &syn::TypeFnPtr) -> Option<(Vec<Type>, Option<Box<Type>>)> {
        let params = pointer.inputs.iter().map(|param| self.ty(&param.ty));
        let params = params.collect::<Vec<_>>().into_iter().collect::<Option<_>>()?;
        let result = match &pointer.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(Box::new(self.ty(ty)?)),
        };
        Some((params, result))
    }

    /// The type of a function's parameter. A pointer to a function is what `impl Fn` is: the function is compiled for each.
    pub(super) fn param_type(&mut self, ty: &syn::Type) -> Option<Type> {
        match strip(ty) {
            syn::Type::FnPtr(pointer) if is_plain(pointer) => {
                let (params, result) = self.pointer_signature(pointer)?;
                self.new_type(TypeKind::ImplFn { params, result }, Loc::of(ty))
            }
            _ => self.ty(ty),
        }
    }

    /// A kernel's parameter: what is sure to be none is refused here, the rest when the types are known.
    pub(super) fn kernel_param_type(&mut self, ty: &syn::Type) -> Option<Type> {
        let written = strip(ty);
        if !matches!(written, syn::Type::ImplTrait(_))
            && let Some(part) = impl_in(written)
        {
            let message = format!(
                "expected a type, found `{}`, in the type of a kernel's parameter\nhelp: write the type that the host passes",
                shown(part)
            );
            self.error(Loc::of(part), message);
            return None;
        }
        match written {
            syn::Type::Reference(reference) => self.kernel_slice(reference),
            syn::Type::ImplTrait(_) | syn::Type::FnPtr(_) => {
                let message = "expected a scalar, a struct or a slice, found a function: the host cannot hand one to the GPU\nhelp: \
                               pass an enum or a number, and choose in the body";
                self.error(Loc::of(ty), message);
                None
            }
            syn::Type::Infer(_) => {
                let message = format!(
                    "expected a scalar, a struct or a slice, found `{}`\nhelp: pass each part as a parameter of its own",
                    shown(ty)
                );
                self.error(Loc::of(ty), message);
                None
            }
            other => self.ty(other),
        }
    }

    fn kernel_slice(&mut self, reference: &syn::TypeReference) -> Option<Type> {
        let mutable = reference.mutability.is_some();
        let and = if mutable { "&mut " } else { "&" };
        let slice = match strip(&reference.elem) {
            syn::Type::Slice(slice) => slice,
            syn::Type::Array(array) => {
                let message = format!(
                    "expected a slice, found a reference to an array\nhelp: pass a slice: `{and}[{}]`",
                    shown(&array.elem)
                );
                self.error(Loc::of(&reference.elem), message);
                return None;
            }
            syn::Type::Path(path) if self.slice_aliases.iter().any(|name| path.path.is_ident(name)) => {
                return None;
            }
            other => {
                let name = shown(other);
                let help = match (element_of(other), mutable) {
                    _ if matches!(other, syn::Type::TraitObject(_)) => {
                        "what is called has to be known when the kernel is compiled: pass an enum or a number, and choose in the body"
                            .to_owned()
                    }
                    (Some(element), _) => format!("pass a slice: `{and}[{element}]`"),
                    // Threads change an atomic through `&`.
                    (None, _) if AtomicKind::from_name(&name).is_some() => {
                        format!("pass a slice of length 1: `&[{name}]`")
                    }
                    (None, true) => format!("pass a slice of length 1: `&mut [{name}]`"),
                    (None, false) => format!("pass it by value: `{name}`"),
                };
                let message =
                    format!("expected a slice after `{and}`, found `{name}`\nhelp: {help}", and = and.trim());
                self.error(Loc::of(reference), message);
                return None;
            }
        };
        if let syn::Type::Path(element) = strip(&slice.elem)
            && element.path.is_ident("bool")
        {
            self.error(
                Loc::of(element),
                "expected an element type, found `bool`: not every byte is a `bool`\nhelp: use `u8` and compare with \
                 `!= 0`",
            );
            return None;
        }
        if let syn::Type::Reference(_) | syn::Type::Slice(_) = strip(&slice.elem) {
            let message = format!(
                "expected plain data as element, found `{}`\nhelp: pass one slice, and offsets into it",
                shown(&slice.elem)
            );
            self.error(Loc::of(&slice.elem), message);
            return None;
        }
        self.reference(reference)
    }
}

/// Without parentheses.
pub(super) fn strip(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Paren(paren) => strip(&paren.elem),
        syn::Type::Group(group) => strip(&group.elem),
        other => other,
    }
}

/// Returns true for a pointer to a safe function of Rust's with so many parameters.
fn is_plain(pointer: &syn::TypeFnPtr) -> bool {
    pointer.unsafety.is_none() && pointer.abi.is_none() && pointer.variadic.is_none()
}

/// The element type of a collection of the host, as written.
fn element_of(ty: &syn::Type) -> Option<String> {
    const BYTES: &[&str] = &["str", "String"];
    const COLLECTIONS: &[&str] = &["Vec", "DeviceBuffer", "VecDeque", "Box", "Rc", "Arc"];
    let syn::Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if BYTES.iter().any(|name| last.ident == name) {
        return Some("u8".to_owned());
    }
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        syn::GenericArgument::Type(syn::Type::Slice(slice)) => Some(shown(&slice.elem)),
        syn::GenericArgument::Type(element) if COLLECTIONS.iter().any(|name| last.ident == name) => {
            Some(shown(element))
        }
        _ => None,
    }
}

/// Returns true for `dyn Fn(…) -> …` and its like.
fn is_of_functions(object: &syn::TypeTraitObject) -> bool {
    object.bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(of) => of
            .path
            .segments
            .last()
            .is_some_and(|last| ["Fn", "FnMut", "FnOnce"].iter().any(|name| last.ident == name)),
        _ => false,
    })
}

/// Suggests a replacement for a type that the language lacks.
fn refused(ty: &syn::Type) -> &'static str {
    match ty {
        syn::Type::Slice(_) => "take a reference: `&[T]`",
        syn::Type::FnPtr(_) => "write a pointer to a safe function of Rust's: `fn(f32) -> f32`",
        syn::Type::TraitObject(object) if is_of_functions(object) => {
            "there are no trait objects on the GPU: leave the type of a variable out, `let f = |x| …;`, and take a parameter as `impl Fn(f32) -> f32`"
        }
        syn::Type::TraitObject(_) => {
            "there are no trait objects on the GPU: take `impl Trait` or a type parameter, or use an enum and `match`"
        }
        syn::Type::Never(_) => "leave the result out, and write `panic!(…)` itself where a value is expected",
        syn::Type::Macro(_) => "write what the macro expands to",
        _ => "write the type in full",
    }
}

/// Writes a tuple of its parameters' types and its result's for each pointer to a function: `PhantomData` has no value of it.
fn functions_as_tuples(arguments: &mut syn::AngleBracketedGenericArguments) {
    for argument in &mut arguments.args {
        let syn::GenericArgument::Type(syn::Type::FnPtr(pointer)) = argument else { continue };
        let params = pointer.inputs.iter().map(|param| param.ty.clone());
        let result = match &pointer.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some((**ty).clone()),
        };
        let elems = params
            .chain(result)
            .map(|ty| syn::punctuated::Pair::Punctuated(ty, Default::default()))
            .collect();
        let tuple = syn::TypeTuple { attrs: Vec::new(), paren_token: pointer.paren_token, elems };
        *argument = syn::GenericArgument::Type(syn::Type::Tuple(tuple));
    }
}

/// The location of a path, without the generic arguments of its last segment.
pub(super) fn path_loc(path: &syn::Path) -> Loc {
    let first = match (&path.leading_colon, path.segments.first()) {
        (Some(colons), _) => colons.span(),
        (None, Some(segment)) => segment.ident.span(),
        (None, None) => proc_macro2::Span::call_site(),
    };
    let last = path.segments.last().map_or(first, |segment| segment.ident.span());
    Loc { start: first, end: last }
}

/// An `impl Trait` within a type.
fn impl_in(ty: &syn::Type) -> Option<&syn::Type> {
    match strip(ty) {
        part @ syn::Type::ImplTrait(_) => Some(part),
        syn::Type::Reference(of) => impl_in(&of.elem),
        syn::Type::Slice(of) => impl_in(&of.elem),
        syn::Type::Array(of) => impl_in(&of.elem),
        syn::Type::Tuple(of) => of.elems.iter().find_map(impl_in),
        syn::Type::Path(of) => of.path.segments.iter().find_map(|segment| match &segment.arguments {
            syn::PathArguments::AngleBracketed(of) => of.args.iter().find_map(|arg| match arg {
                syn::GenericArgument::Type(ty) => impl_in(ty),
                _ => None,
            }),
            _ => None,
        }),
        _ => None,
    }
}
