//! A kernel's parameter as the launch, the CPU copy and the data see it. Types are printed as the user wrote them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::instances::{language_type, user_type};
use super::plain;
use crate::atomics::AtomicKind;
use crate::parse;
use crate::typed::{Kernel, Scalar, Ty};
use crate::views::{self, View};

/// A parameter.
pub struct Param<'k> {
    pub name: &'k Ident,
    kind: Kind<'k>,
    /// The type, or that of the elements, where it consists of the language's own and names no generic parameter: by a path that no
    /// name of the user's scope can change.
    language: Option<TokenStream>,
}

/// The kind of a parameter, by its written type.
enum Kind<'k> {
    /// Passed by value.
    Value {
        ty: &'k syn::Type,
        /// A scalar in every instance.
        is_scalar: bool,
        /// An enum with data is in it in some instance, so that not all of its bytes hold something: its type, or of an array that of
        /// the elements.
        holds_union: Option<TokenStream>,
        /// Names a generic parameter.
        is_generic: bool,
    },
    /// `&[T]`, `&mut [T]`
    Slice {
        element: &'k syn::Type,
        mutable: bool,
        /// Names a generic parameter.
        is_generic: bool,
    },
    /// `*const T`, `*mut T`
    Pointer {
        to: &'k syn::Type,
        mutable: bool,
        /// Names a generic parameter.
        is_generic: bool,
    },
    /// `&[AtomicU32]`
    Atomics { element: &'k syn::Type },
    /// `Matrix<'_, T>`
    View {
        view: &'static View,
        element: &'k syn::Type,
        /// Names a generic parameter.
        is_generic: bool,
    },
    /// `Option<f32>`
    OptionalValue { ty: &'k syn::Type },
    /// `Option<&[T]>`, `Option<&mut [T]>`
    OptionalSlice {
        element: &'k syn::Type,
        mutable: bool,
        /// Names a generic parameter.
        is_generic: bool,
    },
    /// After a mistake: its type may be one that rustc would refuse once more.
    Unknown,
}

/// `&[T]` and `&mut [T]`: the element and whether it is `&mut`.
fn as_slice(ty: &syn::Type) -> Option<(&syn::Type, bool)> {
    match ty {
        syn::Type::Paren(inner) => as_slice(&inner.elem),
        syn::Type::Group(inner) => as_slice(&inner.elem),
        syn::Type::Reference(reference) => match &*reference.elem {
            syn::Type::Slice(slice) => Some((&slice.elem, reference.mutability.is_some())),
            _ => None,
        },
        _ => None,
    }
}

/// `*const T` and `*mut T`: to what, and whether it is `*mut`.
fn as_pointer(ty: &syn::Type) -> Option<(&syn::Type, bool)> {
    match ty {
        syn::Type::Paren(inner) => as_pointer(&inner.elem),
        syn::Type::Group(inner) => as_pointer(&inner.elem),
        syn::Type::Ptr(pointer) => {
            Some((&pointer.elem, matches!(pointer.mutability, syn::PointerMutability::Mut(_))))
        }
        _ => None,
    }
}

/// A scalar by its plain name.
fn is_plain_scalar(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.get_ident().is_some_and(|name| {
        Scalar::from_name(&name.to_string()).is_some_and(|scalar| !matches!(scalar, Scalar::F16 | Scalar::Bf16))
    }))
}

/// An integer by its plain name.
fn is_integer(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.get_ident().is_some_and(|name| {
        Scalar::from_name(&name.to_string()).is_some_and(|scalar| scalar.is_int())
    }))
}

/// An atomic by its name.
fn is_atomic(ty: &syn::Type) -> bool {
    let last = match ty {
        syn::Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    last.is_some_and(|last| AtomicKind::from_name(&last.ident.to_string()).is_some())
}

impl<'k> Param<'k> {
    /// `instance` is the first one, with its type there, or that of its first part; none after a mistake. `has_union`: in some instance an
    /// enum with data is in it.
    pub fn new(
        param: &'k parse::Param,
        (instance, has_union): (Option<(&Kernel, &Ty)>, bool),
        generics: &syn::Generics,
        failed: bool,
    ) -> Param<'k> {
        let names = parameters(generics);
        let is_generic = |ty: &syn::Type| mentions(ty.to_token_stream(), &names);
        let ty = instance.map(|(_, ty)| ty);
        let language = instance.filter(|_| !is_generic(&param.ty)).and_then(|(kernel, ty)| {
            let tokens = language_type(kernel, inner(ty))?;
            let whole = views::optional(&param.ty).unwrap_or(&param.ty);
            let of = as_slice(whole).or_else(|| as_pointer(whole)).map(|of| of.0);
            let of = of.or_else(|| views::optional(&param.ty));
            let span = of.or_else(|| Some(views::of(&param.ty)?.1)).unwrap_or(&param.ty).span();
            Some(located(tokens, span))
        });
        let is_atomic = |element: &syn::Type| match ty {
            Some(Ty::Slice { element, .. }) => matches!(**element, Ty::Atomic(_)),
            _ => is_atomic(element),
        };
        let of_option = views::optional(&param.ty);
        let kind = match as_slice(&param.ty) {
            None if let Some((element, mutable)) = of_option.and_then(as_slice)
                && (!failed || is_plain_scalar(element)) =>
            {
                Kind::OptionalSlice { element, mutable, is_generic: is_generic(element) }
            }
            None if let Some(ty) = of_option
                && (!failed || is_plain_scalar(ty)) =>
            {
                Kind::OptionalValue { ty }
            }
            Some((element, false)) if is_atomic(element) => Kind::Atomics { element },
            Some((element, mutable)) if !failed || is_plain_scalar(element) => {
                Kind::Slice { element, mutable, is_generic: is_generic(element) }
            }
            None if let Some((view, element)) = views::of(&param.ty)
                && (!failed
                    || is_plain_scalar(element) && (view.name != "Indices" || is_integer(element))) =>
            {
                Kind::View { view, element, is_generic: is_generic(element) }
            }
            None if let Some((to, mutable)) = as_pointer(&param.ty).filter(|_| !failed) => {
                Kind::Pointer { to, mutable, is_generic: is_generic(to) }
            }
            None if !failed || is_plain_scalar(&param.ty) => {
                let is_scalar = match ty {
                    Some(ty) => matches!(ty, Ty::Scalar(_)) && !is_generic(&param.ty),
                    None => true,
                };
                let is_generic = is_generic(&param.ty);
                let written = || param.ty.to_token_stream();
                let holds_union = has_union.then(|| match instance {
                    Some((kernel, ty)) if !is_generic => user_type(kernel, innermost(ty)),
                    _ => written(),
                });
                Kind::Value { ty: &param.ty, is_scalar, holds_union, is_generic }
            }
            Some(_) | None => Kind::Unknown,
        };
        Param { name: &param.name, kind, language }
    }

    /// A type of the parameter as the host sees it.
    fn host_type(&self, written: &syn::Type) -> TokenStream {
        self.language.clone().unwrap_or_else(|| written.to_token_stream())
    }

    /// Its type, or that of its elements, as written.
    pub fn written_type(&self) -> Option<&'k syn::Type> {
        match self.kind {
            Kind::Value { ty, .. } | Kind::OptionalValue { ty } => Some(ty),
            Kind::Slice { element, .. }
            | Kind::OptionalSlice { element, .. }
            | Kind::Atomics { element }
            | Kind::View { element, .. }
            | Kind::Pointer { to: element, .. } => Some(element),
            Kind::Unknown => None,
        }
    }

    /// As a parameter of the launch function.
    pub fn launch(&self) -> TokenStream {
        let name = self.name;
        match self.kind {
            Kind::Value { ty, .. } => {
                let ty = self.host_type(ty);
                quote!(#name: #ty)
            }
            Kind::OptionalValue { ty } => {
                let ty = self.host_type(ty);
                quote!(#name: ::kernel_runtime::vocabulary::core::option::Option<#ty>)
            }
            Kind::OptionalSlice { element, mutable, .. } => {
                let element = self.host_type(element);
                let argument = if mutable { "OptionalSliceMutArg" } else { "OptionalSliceArg" };
                let argument = Ident::new(argument, name.span());
                quote!(#name: impl ::kernel_runtime::#argument<'gpu, #element>)
            }
            Kind::Slice { element, mutable, .. } => {
                let element = self.host_type(element);
                let argument = Ident::new(if mutable { "SliceMutArg" } else { "SliceArg" }, name.span());
                quote!(#name: impl ::kernel_runtime::#argument<'gpu, #element>)
            }
            Kind::Pointer { to, mutable, .. } => {
                let to = self.host_type(to);
                let argument = Ident::new(if mutable { "PointerMutArg" } else { "PointerArg" }, name.span());
                quote!(#name: impl ::kernel_runtime::#argument<'gpu, #to>)
            }
            Kind::Atomics { element } => {
                let element = self.host_type(element);
                quote!(#name: impl ::kernel_runtime::AtomicsArg<'gpu, #element>)
            }
            Kind::View { view, element, .. } => {
                let element = self.host_type(element);
                let argument = Ident::new(&format!("{}Arg", view.name), name.span());
                quote!(#name: impl ::kernel_runtime::#argument<'gpu, #element>)
            }
            Kind::Unknown => quote!(#name: impl ::kernel_runtime::vocabulary::core::marker::Sized),
        }
    }

    /// As a parameter of `cpu`.
    pub fn cpu(&self) -> TokenStream {
        let name = self.name;
        match self.kind {
            Kind::Value { ty, .. } => {
                let ty = self.host_type(ty);
                quote!(#name: #ty)
            }
            Kind::OptionalValue { ty } => {
                let ty = self.host_type(ty);
                quote!(#name: ::kernel_runtime::vocabulary::core::option::Option<#ty>)
            }
            Kind::OptionalSlice { element, mutable, .. } => {
                let (element, mutable) = (self.host_type(element), mutable.then(|| quote!(mut)));
                quote!(#name: ::kernel_runtime::vocabulary::core::option::Option<&'host #mutable [#element]>)
            }
            Kind::Slice { element, mutable, .. } => {
                let (element, mutable) = (self.host_type(element), mutable.then(|| quote!(mut)));
                quote!(#name: &'host #mutable [#element])
            }
            Kind::Pointer { to, mutable, .. } => {
                let (to, mutable) = (self.host_type(to), if mutable { quote!(mut) } else { quote!(const) });
                quote!(#name: *#mutable #to)
            }
            Kind::Atomics { element } => {
                let element = self.host_type(element);
                quote!(#name: &'host mut [<#element as ::kernel_runtime::device::Atomic>::Value])
            }
            Kind::View { view, element, .. } => {
                let element = self.host_type(element);
                let view = Ident::new(view.name, Span::call_site());
                quote!(#name: ::kernel_runtime::device::#view<'host, #element>)
            }
            Kind::Unknown => quote!(#name: impl ::kernel_runtime::vocabulary::core::marker::Sized),
        }
    }

    /// The statement that adds the argument to `launch`.
    pub fn argument(&self, launch: &Ident) -> TokenStream {
        let (name, text) = (self.name, plain(self.name));
        match &self.kind {
            Kind::Value { is_scalar: true, .. } => quote!(#launch.scalar(#text, #name);),
            Kind::Value { ty, is_scalar: false, holds_union, .. } => {
                let span = ty.span();
                let pass = match holds_union {
                    Some(element) => quote_spanned!(span=> #launch.elements::<#element, _>(#text, #name)),
                    None => quote_spanned!(span=> #launch.value(#text, #name)),
                };
                // SAFETY: the data says where the scalars of the parameter's own type are: see the assertions.
                quote!(unsafe { #pass; })
            }
            Kind::OptionalValue { .. } => {
                let [value, is_some] = views::shown_option_parts(name);
                quote!(#launch.optional([#value, #is_some], #name);)
            }
            Kind::OptionalSlice { mutable, .. } => {
                let [value, is_some] = views::shown_option_parts(name);
                let slice = Ident::new(
                    if *mutable { "optional_slice_mut" } else { "optional_slice" },
                    Span::call_site(),
                );
                quote!(#launch.#slice([#value, #is_some], #name);)
            }
            Kind::Slice { mutable: false, .. } => quote!(#launch.slice(#text, #name);),
            Kind::Slice { mutable: true, .. } => quote!(#launch.slice_mut(#text, #name);),
            Kind::Pointer { mutable: false, .. } => quote!(#launch.pointer(#text, #name);),
            Kind::Pointer { mutable: true, .. } => quote!(#launch.pointer_mut(#text, #name);),
            Kind::Atomics { .. } => quote!(#launch.atomics(#text, #name);),
            Kind::View { view, .. } => {
                let (method, parts) = (Ident::new(view.method, Span::call_site()), view.shown_parts(name));
                quote!(#launch.#method([#(#parts),*], #name);)
            }
            Kind::Unknown => quote!(let _ = #name;),
        }
    }

    /// The statement that turns a slice into the view that the copy takes.
    pub fn to_view(&self) -> Option<TokenStream> {
        let name = self.name;
        match self.kind {
            Kind::Value { .. } | Kind::Pointer { .. } | Kind::Unknown => None,
            Kind::OptionalValue { .. } => {
                let (value, is_some) = (view_part(name, 0), view_part(name, 1));
                // SAFETY: zeros are a value of every scalar.
                Some(quote! {
                    let #is_some = #name.is_some();
                    let #value = match #name {
                        ::kernel_runtime::vocabulary::core::option::Option::Some(value) => value,
                        ::kernel_runtime::vocabulary::core::option::Option::None => unsafe {
                            ::kernel_runtime::cpu::run::poison()
                        },
                    };
                })
            }
            Kind::OptionalSlice { mutable, .. } => {
                let (value, is_some) = (view_part(name, 0), view_part(name, 1));
                let new = Ident::new(if mutable { "new_mut" } else { "new" }, Span::call_site());
                // SAFETY: as below; there is nothing in the slice where there is none.
                Some(quote! {
                    let #is_some = #name.is_some();
                    let #value = unsafe { ::kernel_runtime::cpu::run::Slice::#new(#name.unwrap_or_default()) };
                })
            }
            Kind::Slice { mutable, .. } => {
                let new = Ident::new(if mutable { "new_mut" } else { "new" }, Span::call_site());
                // SAFETY: the launch borrows the slice, and the views of its threads end before it does.
                Some(quote!(let #name = unsafe { ::kernel_runtime::cpu::run::Slice::#new(#name) };))
            }
            Kind::Atomics { .. } => {
                // SAFETY: as above.
                Some(quote!(let #name = unsafe { ::kernel_runtime::cpu::run::Slice::new_mut(#name) };))
            }
            Kind::View { view, .. } => {
                let new = Ident::new(if view.mutable { "new_mut" } else { "new" }, Span::call_site());
                let parts = view_parts(name, view);
                let (elements, sizes) = parts.split_first()?;
                if view.is_slice() {
                    // Nothing of the copy asks for the bound.
                    // SAFETY: as above.
                    return Some(quote! {
                        let #elements = unsafe { ::kernel_runtime::cpu::run::Slice::#new(#name) };
                        #(let #sizes = 0usize;)*
                    });
                }
                // SAFETY: as above.
                Some(quote! {
                    let (#elements, [#(#sizes),*]) = #name.into_parts();
                    let #elements = unsafe { ::kernel_runtime::cpu::run::Slice::#new(#elements) };
                })
            }
        }
    }

    /// The variables of `cpu` with what the kernel's copy takes for it, in order.
    pub fn cpu_arguments(&self) -> Vec<Ident> {
        match self.kind {
            Kind::View { view, .. } => view_parts(self.name, view),
            Kind::OptionalValue { .. } | Kind::OptionalSlice { .. } => {
                (0..2).map(|index| view_part(self.name, index)).collect()
            }
            _ => vec![self.name.clone()],
        }
    }

    /// Parameters of the compiled kernel that stand for it, in order: the names and the written types.
    pub fn parts(&self) -> Vec<(String, String)> {
        match self.kind {
            Kind::View { view, .. } => {
                let sizes = std::iter::repeat_n(view.size.to_owned(), view.count() - 1);
                let written = self.written().into_iter().chain(sizes);
                view.shown_parts(self.name).into_iter().zip(written).collect()
            }
            Kind::OptionalValue { .. } | Kind::OptionalSlice { .. } => {
                let written = [self.written().unwrap_or_default(), "bool".to_owned()];
                views::shown_option_parts(self.name).into_iter().zip(written).collect()
            }
            _ => vec![(plain(self.name), self.written().unwrap_or_default())],
        }
    }

    /// The written types of what the compiled kernel takes for it, or of their elements, in order.
    pub fn written_types(&self) -> Vec<Option<&'k syn::Type>> {
        let mut types = vec![self.written_type()];
        if let Kind::View { view, .. } = self.kind {
            types.resize(view.count(), None);
        }
        if let Kind::OptionalValue { .. } | Kind::OptionalSlice { .. } = self.kind {
            types.push(None);
        }
        types
    }

    /// `Complex<T>: Element`, where it depends on the instance.
    pub fn element_bound(&self) -> Option<TokenStream> {
        match self.kind {
            Kind::Slice { element, is_generic: true, .. }
            | Kind::OptionalSlice { element, is_generic: true, .. }
            | Kind::View { element, is_generic: true, .. }
            | Kind::Pointer { to: element, is_generic: true, .. }
            | Kind::Value { ty: element, is_generic: true, holds_union: Some(_), .. } => {
                Some(quote!(#element: ::kernel_runtime::Element))
            }
            Kind::Slice { .. }
            | Kind::Atomics { .. }
            | Kind::View { .. }
            | Kind::Pointer { .. }
            | Kind::Value { .. }
            | Kind::OptionalValue { .. }
            | Kind::OptionalSlice { .. }
            | Kind::Unknown => None,
        }
    }

    /// Its written type or its elements'.
    pub fn written(&self) -> Option<String> {
        match self.kind {
            Kind::Unknown => None,
            _ => self.written_type().map(crate::diagnostics::shown),
        }
    }
}

/// Variables of `cpu` with the parts of a view, which no name of the user's can be.
fn view_parts(name: &Ident, view: &View) -> Vec<Ident> {
    (0..view.count()).map(|part| view_part(name, part)).collect()
}

fn view_part(name: &Ident, part: usize) -> Ident {
    Ident::new(&format!("{}_{part}", plain(name)), Span::mixed_site().located_at(name.span()))
}

/// The type of the elements of a slice or of what a pointer leads to; else the type itself.
pub fn inner(ty: &Ty) -> &Ty {
    match ty {
        Ty::Slice { element: of, .. } | Ty::Ptr { inner: of, .. } => of,
        other => other,
    }
}

/// The elements that an array consists of in the end; else the type itself.
fn innermost(ty: &Ty) -> &Ty {
    match ty {
        Ty::Array(element, _) => innermost(element),
        other => other,
    }
}

/// The names of generic parameters.
pub fn parameters(generics: &syn::Generics) -> Vec<String> {
    let name = |param: &syn::GenericParam| match param {
        syn::GenericParam::Type(param) => param.ident.to_string(),
        syn::GenericParam::Const(param) => param.ident.to_string(),
        syn::GenericParam::Lifetime(param) => param.lifetime.to_string(),
    };
    generics.params.iter().map(name).collect()
}

/// Gives the tokens another span, at which rustc reports mistakes in them.
fn located(tokens: TokenStream, span: Span) -> TokenStream {
    let trees = tokens.into_iter().map(|mut tree| {
        if let proc_macro2::TokenTree::Group(group) = &tree {
            tree = proc_macro2::Group::new(group.delimiter(), located(group.stream(), span)).into();
        }
        tree.set_span(Span::call_site().located_at(span));
        tree
    });
    trees.collect()
}

/// Returns true if one of these names is among the tokens.
pub fn mentions(tokens: TokenStream, names: &[String]) -> bool {
    tokens.into_iter().any(|tree| match tree {
        proc_macro2::TokenTree::Group(group) => mentions(group.stream(), names),
        proc_macro2::TokenTree::Ident(name) => names.contains(&name.to_string()),
        proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_) => false,
    })
}
