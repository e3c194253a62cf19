//! Views of buffers as parameters of kernels: `x: Matrix<'_, T>`, `mut y: MatrixMut<'_, T>`, `Volume` and `VolumeMut` have a shape,
//! `col: Indices<'_, T>` has a limit of its elements.
//!
//! Such a parameter is taken apart before the kernel is read: into a slice and three sizes of 32 bits, which the compiled entry and the run
//! copy have as parameters, and a `let` at the start of the body that makes the view of them. All phases after that see slices and
//! scalars. The launch function takes the view as a whole, and has its host side check that it fits the buffer. The check copy is
//! the user's own text.
//!
//! `Indices` is a slice of the parameter's own name, for rustc too, and a number that its elements are below: the limit is set on the
//! pointer when the kernel is lowered, and nothing else mentions it.
//!
//! `Option<f32>` and `Option<&[T]>` are taken apart as well: into the value, or the slice, and a `bool` that says whether it is there.
//!
//! Names of the parts hold a character that programs do not write: `x·rows`. Users see `x.rows()`.

use proc_macro2::Ident;
use syn::spanned::Spanned;

/// A type of views that kernels take.
#[derive(Debug)]
pub struct View {
    /// Its name.
    pub name: &'static str,
    /// The kernel writes through it.
    pub mutable: bool,
    /// The method of launches that takes it.
    pub method: &'static str,
    /// The methods that give its sizes, in the order of the parts.
    sizes: &'static [&'static str],
    /// The type of the sizes.
    pub size: &'static str,
}

const MATRIX: &[&str] = &["rows", "columns", "stride"];
const VOLUME: &[&str] = &["depth", "rows", "columns"];
const INDICES: &[&str] = &[BOUND];

const VIEWS: &[View] = &[
    View { name: "Matrix", mutable: false, method: "matrix", sizes: MATRIX, size: "u32" },
    View { name: "MatrixMut", mutable: true, method: "matrix_mut", sizes: MATRIX, size: "u32" },
    View { name: "Volume", mutable: false, method: "volume", sizes: VOLUME, size: "u32" },
    View { name: "VolumeMut", mutable: true, method: "volume_mut", sizes: VOLUME, size: "u32" },
    View { name: "Indices", mutable: false, method: "indices", sizes: INDICES, size: "usize" },
];

/// Between the name of a parameter and that of its part.
const SEPARATOR: char = '·';

/// The part with the elements.
const ELEMENTS: &str = "elements";

/// The part with what an `Option` holds.
const VALUE: &str = "value";

/// The part that says whether an `Option` holds it.
const IS_SOME: &str = "is_some";

/// The part that all elements are below.
const BOUND: &str = "bound";

/// `Matrix<'_, T>` and its like: the view, and the type of its elements.
///
/// The lifetime tells it from a user's own type of this name, which as plain data has none.
pub fn of(ty: &syn::Type) -> Option<(&'static View, &syn::Type)> {
    let path = match ty {
        syn::Type::Paren(inner) => return of(&inner.elem),
        syn::Type::Group(inner) => return of(&inner.elem),
        syn::Type::Path(syn::TypePath { qself: None, path, .. }) => path,
        _ => return None,
    };
    let (last, modules) =
        path.segments.iter().collect::<Vec<_>>().split_last().map(|(l, m)| (*l, m.to_vec()))?;
    let view = VIEWS.iter().find(|view| last.ident == view.name)?;
    if !modules
        .iter()
        .all(|module| ["kernel_runtime", "prelude", "device"].iter().any(|name| module.ident == name))
    {
        return None;
    }
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.iter().collect::<Vec<_>>()[..] {
        [syn::GenericArgument::Lifetime(_), syn::GenericArgument::Type(element)] => Some((view, element)),
        _ => None,
    }
}

/// `T` of `Option<T>`.
pub fn optional(ty: &syn::Type) -> Option<&syn::Type> {
    let path = match ty {
        syn::Type::Paren(inner) => return optional(&inner.elem),
        syn::Type::Group(inner) => return optional(&inner.elem),
        syn::Type::Path(syn::TypePath { qself: None, path, .. }) => path,
        _ => return None,
    };
    let words: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (["Option"] | ["core" | "std", "option", "Option"]) = words[..] else { return None };
    let syn::PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else { return None };
    match arguments.args.iter().collect::<Vec<_>>()[..] {
        [syn::GenericArgument::Type(inner)] if !matches!(inner, syn::Type::ImplTrait(_)) => Some(inner),
        _ => None,
    }
}

/// Number of the parts of a parameter of this type.
pub fn parts_of(ty: &syn::Type) -> usize {
    match of(ty) {
        Some((view, _)) => view.count(),
        None => 1 + usize::from(optional(ty).is_some()),
    }
}

/// The names of the parts of a parameter that is an `Option`.
fn option_parts(name: &Ident) -> [Ident; 2] {
    [VALUE, IS_SOME].map(|which| part(name, which))
}

/// The names of the parts of a parameter that is an `Option` as users see them: `x`, `x.is_some()`.
pub fn shown_option_parts(name: &Ident) -> [String; 2] {
    option_parts(name).map(|part| shown(&part))
}

/// Returns true for the value in an `Option`.
pub fn is_value(name: &Ident) -> bool {
    name.to_string().split_once(SEPARATOR).is_some_and(|(_, part)| part == VALUE)
}

/// The name of a part.
fn part(name: &Ident, which: &str) -> Ident {
    let text = name.to_string();
    let text = text.strip_prefix("r#").unwrap_or(&text);
    Ident::new(&format!("{text}{SEPARATOR}{which}"), name.span())
}

/// Returns true if this is the name of a type of views.
pub fn is_view(name: &str) -> bool {
    VIEWS.iter().any(|view| view.name == name)
}

/// Returns true if the variable of this name is a view made of some of these.
pub fn is_made_of(name: &Ident, mut params: impl Iterator<Item = String>) -> bool {
    let elements = format!("{name}{SEPARATOR}{ELEMENTS}");
    params.any(|param| param == elements)
}

impl View {
    /// Number of its parts.
    pub fn count(&self) -> usize {
        1 + self.sizes.len()
    }

    /// Returns true if it is a slice for the kernel.
    pub fn is_slice(&self) -> bool {
        self.sizes == INDICES
    }

    /// The names of the parts of a parameter: the elements, and the sizes.
    fn parts(&self, name: &Ident) -> (Ident, Vec<Ident>) {
        let elements = if self.is_slice() { name.clone() } else { part(name, ELEMENTS) };
        (elements, self.sizes.iter().map(|size| part(name, size)).collect())
    }

    /// The names of the parts as users see them: `x`, `x.rows()`, …
    pub fn shown_parts(&self, name: &Ident) -> Vec<String> {
        let (elements, sizes) = self.parts(name);
        std::iter::once(elements).chain(sizes).map(|part| shown(&part)).collect()
    }
}

/// A variable's name as users see it: a part of a view is told by the method that gives it.
pub fn shown(name: &Ident) -> String {
    let text = name.to_string();
    match text.split_once(SEPARATOR) {
        Some((view, ELEMENTS | VALUE)) => view.to_owned(),
        Some((view, part)) => format!("{view}.{part}()"),
        None => text,
    }
}

/// A variable's name in ASCII, where it is a part's.
pub fn plain(name: &Ident) -> Option<String> {
    let text = name.to_string();
    text.contains(SEPARATOR).then(|| text.replace(SEPARATOR, "_"))
}

/// Returns true for the last part of a matrix.
pub fn is_stride(name: &Ident) -> bool {
    name.to_string().split_once(SEPARATOR).is_some_and(|(_, part)| part == "stride")
}

/// Returns true for the part of [`Indices`](VIEWS) that the elements of the parameter before it are below.
pub fn is_bound(name: &Ident) -> bool {
    name.to_string().split_once(SEPARATOR).is_some_and(|(_, part)| part == BOUND)
}

/// The signature with the parts of views and options in their place, and the statements that make the views and options of them.
pub fn take_apart(sig: &syn::Signature) -> (syn::Signature, Vec<syn::Stmt>) {
    let mut apart = sig.clone();
    let mut statements = Vec::new();
    apart.inputs.clear();
    for input in &sig.inputs {
        if let syn::FnArg::Typed(param) = input
            && let (syn::Pat::Ident(name), Some(inner)) = (&*param.pat, optional(&param.ty))
            && name.by_ref.is_none()
            && name.subpat.is_none()
        {
            let syn::PatIdent { ident, mutability, .. } = name;
            let ([value, is_some], span, attrs) = (option_parts(ident), param.ty.span(), &param.attrs);
            apart.inputs.push(syn::parse_quote_spanned!(span=> #(#attrs)* #value: #inner));
            apart.inputs.push(syn::parse_quote_spanned!(span=> #is_some: bool));
            statements.push(syn::parse_quote_spanned! {span=>
                let #mutability #ident = if #is_some { Some(#value) } else { None };
            });
            continue;
        }
        let view = match input {
            syn::FnArg::Typed(param) => match (&*param.pat, of(&param.ty)) {
                (syn::Pat::Ident(name), Some(view)) if name.by_ref.is_none() && name.subpat.is_none() => {
                    Some((param, name, view))
                }
                _ => None,
            },
            syn::FnArg::Receiver(_) => None,
        };
        let Some((param, syn::PatIdent { ident, mutability, .. }, (view, element))) = view else {
            apart.inputs.push(input.clone());
            continue;
        };
        let (elements, sizes) = view.parts(ident);
        let span = param.ty.span();
        let attrs = &param.attrs;
        let mutable = view.mutable.then(|| syn::Token![mut](span));
        // Users may write `mut` before a slice.
        let own = mutability.filter(|_| view.is_slice());
        apart.inputs.push(syn::parse_quote_spanned!(span=> #(#attrs)* #own #elements: & #mutable [#element]));
        let ty = Ident::new(view.size, span);
        for size in &sizes {
            apart.inputs.push(syn::parse_quote_spanned!(span=> #size: #ty));
        }
        if !view.is_slice() {
            let of = Ident::new(view.name, span);
            statements.push(syn::parse_quote_spanned! {span=>
                let #mutability #ident = #of::<#element>::of_parameter(#elements, #(#sizes),*);
            });
        }
    }
    (apart, statements)
}
