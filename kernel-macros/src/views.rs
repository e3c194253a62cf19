//! Views with a shape as parameters of kernels: `x: Matrix<'_, T>`, `mut y: MatrixMut<'_, T>`, `Volume` and `VolumeMut`.
//!
//! Such a parameter is taken apart before the kernel is read: into a slice and three sizes of 32 bits, which the compiled entry and the run
//! copy have as parameters, and a `let` at the start of the body that makes the view of them. All phases after that see slices and
//! scalars. The launch function takes the view as a whole, and has its host side check that it fits the buffer. The check copy is
//! the user's own text.
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
    sizes: [&'static str; 3],
}

const MATRIX: [&str; 3] = ["rows", "columns", "stride"];
const VOLUME: [&str; 3] = ["depth", "rows", "columns"];

const VIEWS: &[View] = &[
    View { name: "Matrix", mutable: false, method: "matrix", sizes: MATRIX },
    View { name: "MatrixMut", mutable: true, method: "matrix_mut", sizes: MATRIX },
    View { name: "Volume", mutable: false, method: "volume", sizes: VOLUME },
    View { name: "VolumeMut", mutable: true, method: "volume_mut", sizes: VOLUME },
];

/// Parts of a view.
pub const PARTS: usize = 4;

/// Between the name of a parameter and that of its part.
const SEPARATOR: char = '·';

/// The part with the elements.
const ELEMENTS: &str = "elements";

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
    /// The names of the parts of a parameter.
    fn parts(&self, name: &Ident) -> [Ident; PARTS] {
        let text = name.to_string();
        let text = text.strip_prefix("r#").unwrap_or(&text);
        let [a, b, c] = self.sizes;
        [ELEMENTS, a, b, c].map(|part| Ident::new(&format!("{text}{SEPARATOR}{part}"), name.span()))
    }

    /// The names of the parts as users see them: `x`, `x.rows()`, …
    pub fn shown_parts(&self, name: &Ident) -> [String; PARTS] {
        self.parts(name).map(|part| shown(&part))
    }
}

/// A variable's name as users see it: a part of a view is told by the method that gives it.
pub fn shown(name: &Ident) -> String {
    let text = name.to_string();
    match text.split_once(SEPARATOR) {
        Some((view, ELEMENTS)) => view.to_owned(),
        Some((view, part)) => format!("{view}.{part}()"),
        None => text,
    }
}

/// A variable's name in ASCII, where it is a part's.
pub fn plain(name: &Ident) -> Option<String> {
    let text = name.to_string();
    text.contains(SEPARATOR).then(|| text.replace(SEPARATOR, "_"))
}

/// The signature with the parts of views in their place, and the statements that make the views of them.
pub fn take_apart(sig: &syn::Signature) -> (syn::Signature, Vec<syn::Stmt>) {
    let mut apart = sig.clone();
    let mut statements = Vec::new();
    apart.inputs.clear();
    for input in &sig.inputs {
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
        let parts = view.parts(ident);
        let [elements, a, b, c] = &parts;
        let span = param.ty.span();
        let attrs = &param.attrs;
        let mutable = view.mutable.then(|| syn::Token![mut](span));
        apart.inputs.push(syn::parse_quote_spanned!(span=> #(#attrs)* #elements: & #mutable [#element]));
        for size in [a, b, c] {
            apart.inputs.push(syn::parse_quote_spanned!(span=> #size: u32));
        }
        let of = Ident::new(view.name, span);
        statements.push(syn::parse_quote_spanned! {span=>
            let #mutability #ident = #of::<#element>::of_parameter(#elements, #a, #b, #c);
        });
    }
    (apart, statements)
}
