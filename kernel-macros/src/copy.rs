//! The check copy: the user's own tokens as an ordinary function, for rustc to check.
//!
//! Nothing is changed but this: attributes of ours are taken off, a collective on a `let` becomes the call that it stands for,
//! a `let` without a type gets the one that was inferred, so that a wrong inference is an error rather than a wrong kernel, and
//! paths that lead out of it lead to what the compiler took them for: see [`closed`](crate::closed).

use std::collections::HashMap;

use proc_macro2::{Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};

use crate::closed::{self, Closed};
use crate::host;
use crate::parse::attributes::is_ours;
use crate::parse::collective;
use crate::parse::{Item, is_seen, without_marks};
use crate::typed::{Function, Ty};

/// `fn name(…) { … }` as written; with the types of its variables if they are known.
pub fn check_copy(item: &Item, typed: Option<&Function>, closed: &Closed) -> TokenStream {
    let mut sig = item.sig.clone();
    let types = typed.map(types_of).unwrap_or_default();
    let mut copier = Copier { types, closed: Some(closed.clone()) };
    copier.visit_signature_mut(&mut sig);
    let body = match item.statements() {
        Some(stmts) => {
            let mut stmts = stmts.to_vec();
            copier.statements(&mut stmts);
            let inner = item.inner_attributes();
            let mut body = Group::new(proc_macro2::Delimiter::Brace, quote!(#(#inner)* #(#stmts)*));
            body.set_span(item.body.span());
            body
        }
        // Tokens that `syn` cannot parse are kept for the editor.
        None => item.body.clone(),
    };
    quote!(#sig #body)
}

/// An item of a module without the attributes of ours on its statements.
pub fn plain_item(tokens: TokenStream) -> TokenStream {
    let Ok(mut item) = syn::parse2::<syn::Item>(tokens.clone()) else { return tokens };
    Copier { types: HashMap::new(), closed: None }.visit_item_mut(&mut item);
    item.into_token_stream()
}

/// The items of a module as the compiler saw them, in the closed scope. `kernels` are the copies of its kernels.
pub fn closed_items(items: &[syn::Item], closed: &Closed, kernels: &TokenStream) -> TokenStream {
    let items = items.iter().filter(|item| is_seen(item)).map(|item| {
        let (is_told, body) = match item {
            syn::Item::Mod(module) => {
                let content = module.content.as_ref().map_or(&[][..], |(_, items)| items);
                let inner = closed.module(content);
                let items = closed_items(content, &inner, &TokenStream::new());
                let (vis, name, import) = (&module.vis, &module.ident, inner.import());
                (false, quote!(#vis mod #name { #import #items }))
            }
            // `#[device]` is of functions.
            syn::Item::Fn(_) => (true, closed_item(without_marks(item), closed)),
            other => (!matches!(other, syn::Item::Use(_)), closed_item(other.to_token_stream(), closed)),
        };
        // rustc reports lints at the user's own items.
        let lints = is_told.then(host::lints);
        quote!(#lints #body)
    });
    quote!(#(#items)* #kernels)
}

fn closed_item(tokens: TokenStream, closed: &Closed) -> TokenStream {
    let Ok(mut item) = syn::parse2::<syn::Item>(tokens.clone()) else { return tokens };
    Copier { types: HashMap::new(), closed: Some(closed.clone()) }.visit_item_mut(&mut item);
    item.into_token_stream()
}

/// A variable by its name and where it is declared.
type Key = (String, usize, usize);

fn key(name: &Ident) -> Key {
    let start = name.span().start();
    (name.to_string(), start.line, start.column)
}

/// The types that can be written, by the variables. Two at one place, from a macro, are left out.
fn types_of(function: &Function) -> HashMap<Key, Option<TokenStream>> {
    let mut types = HashMap::new();
    for local in &function.locals[function.param_count..] {
        let ty = if local.holds_pointer { None } else { tokens(&local.ty, local.name.span()) };
        types.entry(key(&local.name)).and_modify(|known| *known = None).or_insert(ty);
    }
    types
}

/// The type as tokens: numbers, and tuples and arrays of them; others are not written.
fn tokens(ty: &Ty, span: Span) -> Option<TokenStream> {
    match ty {
        Ty::Scalar(scalar) if scalar.bits() != 16 || scalar.is_int() => {
            let name = Ident::new(scalar.name(), span);
            Some(quote_spanned!(span=> ::kernel_runtime::vocabulary::core::primitive::#name))
        }
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(|part| tokens(part, span)).collect::<Option<Vec<_>>>()?;
            Some(quote_spanned!(span=> (#(#parts,)*)))
        }
        Ty::Array(element, len) => {
            let (element, len) = (tokens(element, span)?, proc_macro2::Literal::u64_unsuffixed(*len));
            Some(quote_spanned!(span=> [#element; #len]))
        }
        Ty::Ptr { inner, mutable } => {
            let inner = tokens(inner, span)?;
            Some(match mutable {
                true => quote_spanned!(span=> *mut #inner),
                false => quote_spanned!(span=> *const #inner),
            })
        }
        Ty::Scalar(_)
        | Ty::Unit
        | Ty::Never
        | Ty::Dim3
        | Ty::Struct(_)
        | Ty::Enum(_)
        | Ty::Option(_)
        | Ty::Atomic(_)
        | Ty::Vector(..)
        | Ty::Ref { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Function(_) => None,
    }
}

struct Copier {
    types: HashMap<Key, Option<TokenStream>>,
    /// The scope at this point; `None` in the user's own scope.
    closed: Option<Closed>,
}

impl Copier {
    fn statements(&mut self, stmts: &mut [syn::Stmt]) {
        let items: Vec<&syn::Item> = stmts
            .iter()
            .filter_map(|stmt| match stmt {
                syn::Stmt::Item(item) => Some(item),
                _ => None,
            })
            .collect();
        if let Some(closed) = &mut self.closed {
            closed.enter(items);
        }
        for stmt in stmts {
            self.visit_stmt_mut(stmt);
        }
        if let Some(closed) = &mut self.closed {
            closed.leave();
        }
    }
}

impl Copier {
    /// `<T>::NAME`, whose colons lead nowhere else, and `<T as Trait>::NAME`.
    fn qualified(&mut self, qself: &mut Option<syn::QSelf>, path: &mut syn::Path) {
        let Some(qself) = qself else { return self.visit_path_mut(path) };
        self.visit_qself_mut(qself);
        if qself.position == 0 {
            return visit_mut::visit_path_mut(self, path);
        }
        let own = path.segments.len() - qself.position;
        self.visit_path_mut(path);
        qself.position = path.segments.len() - own;
    }
}

impl VisitMut for Copier {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
        attrs.retain(|attr| !is_ours(attr));
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let syn::Pat::Ident(pat) = &local.pat
            && pat.by_ref.is_none()
            && pat.subpat.is_none()
            && let Some(Some(ty)) = self.types.get(&key(&pat.ident))
        {
            let typed = syn::PatType {
                attrs: Vec::new(),
                pat: Box::new(local.pat.clone()),
                colon_token: syn::Token![:](pat.ident.span()),
                ty: Box::new(syn::Type::Verbatim(ty.clone())),
            };
            local.pat = syn::Pat::Type(typed);
        }
        if let [collective] = &local.attrs.iter().filter(|attr| is_ours(attr)).collect::<Vec<_>>()[..]
            && let Some(init) = &mut local.init
            && let Ok(call) = collective::call(collective, &init.expr)
        {
            *init.expr = call;
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.statements(&mut block.stmts);
    }

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        if let Some(closed) = &self.closed {
            closed.path(path);
        }
        visit_mut::visit_path_mut(self, path);
    }

    fn visit_expr_path_mut(&mut self, expr: &mut syn::ExprPath) {
        self.qualified(&mut expr.qself, &mut expr.path);
    }

    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        self.qualified(&mut ty.qself, &mut ty.path);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if let Some(closed) = &self.closed {
            closed.mac(mac);
        }
    }

    /// `pub(in path)` is about the scope outside.
    fn visit_visibility_mut(&mut self, _: &mut syn::Visibility) {}

    /// Items in the body have no types inserted.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        let mut element = None;
        if let Some(closed) = &self.closed {
            match item {
                syn::Item::Use(names) => {
                    *item = syn::Item::Verbatim(closed.imports(names));
                    return;
                }
                syn::Item::Struct(item) => {
                    item.attrs.retain(|attr| !attr.path().is_ident(crate::expand::HELPER));
                    let impls = closed::element_impls(&item.ident, &item.generics);
                    element = closed::derives(&mut item.attrs).then_some(impls);
                }
                syn::Item::Enum(item) => {
                    let repr = crate::expand::repr_of(&item.attrs);
                    let derives = closed::derives(&mut item.attrs);
                    element =
                        repr.filter(|_| derives).map(|repr| closed::enum_element_impls(&item.ident, &repr));
                }
                _ => {}
            }
        }
        let types = std::mem::take(&mut self.types);
        visit_mut::visit_item_mut(self, item);
        if let Some(element) = element {
            *item = syn::Item::Verbatim(quote!(#item #element));
        }
        self.types = types;
    }
}
