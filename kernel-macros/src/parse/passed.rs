//! Functions handed over by their names, and calls of standard functions that are another expression: rustc sees what the user wrote,
//! the compiler the closure or the expression that means it.

use super::Parser;
use super::traits::before;
use crate::ast::{Expr, ItemKind};
use crate::diagnostics::Loc;
use crate::typed::Scalar;

/// The operators on two values by the methods of their traits, and by those of the traits that assign.
const OPERATORS: &[(&str, &str, &str)] = &[
    ("Add", "add", "+"),
    ("Sub", "sub", "-"),
    ("Mul", "mul", "*"),
    ("Div", "div", "/"),
    ("Rem", "rem", "%"),
    ("BitAnd", "bitand", "&"),
    ("BitOr", "bitor", "|"),
    ("BitXor", "bitxor", "^"),
    ("Shl", "shl", "<<"),
    ("Shr", "shr", ">>"),
];

/// Functions of standard traits that are the method of their first argument, with the number of their arguments.
const METHODS: &[(&str, &str, usize)] = &[
    ("Ord", "cmp", 2),
    ("Ord", "max", 2),
    ("Ord", "min", 2),
    ("Ord", "clamp", 3),
    ("PartialOrd", "partial_cmp", 2),
    ("Clone", "clone", 1),
    ("Into", "into", 1),
    ("TryInto", "try_into", 1),
    ("AsRef", "as_ref", 1),
    ("AsMut", "as_mut", 1),
    ("IntoIterator", "into_iter", 1),
    ("Iterator", "next", 1),
    ("Iterator", "count", 1),
    ("Iterator", "last", 1),
    ("Iterator", "rev", 1),
    ("Iterator", "map", 2),
    ("Iterator", "zip", 2),
    ("Iterator", "filter", 2),
    ("Iterator", "fold", 3),
];

/// The comparisons by the methods of their traits.
const COMPARISONS: &[(&str, &str, &str)] = &[
    ("PartialEq", "eq", "=="),
    ("PartialEq", "ne", "!="),
    ("PartialOrd", "lt", "<"),
    ("PartialOrd", "le", "<="),
    ("PartialOrd", "gt", ">"),
    ("PartialOrd", "ge", ">="),
];

impl Parser<'_> {
    /// The arguments of a call. A constructor or a conversion that is handed over by its name, `map(Some)`, is a closure that calls it.
    pub(super) fn passed<'e>(&mut self, args: impl IntoIterator<Item = &'e syn::Expr>) -> Option<Vec<Expr>> {
        let args: Vec<_> = args
            .into_iter()
            .map(|arg| match self.as_closure(arg) {
                Some(closure) => {
                    let loc = Loc::of(arg);
                    self.closure(&closure).map(|expr| Expr { loc, ..expr })
                }
                None => self.expr(arg),
            })
            .collect();
        args.into_iter().collect()
    }

    /// `core::iter::zip(a, b)` as `a.into_iter().zip(b)`, which it is. The inner `None` is for a mistake.
    pub(super) fn zipped(&mut self, call: &syn::ExprCall) -> Option<Option<syn::ExprMethodCall>> {
        let syn::Expr::Path(path) = &*call.func else { return None };
        let words = self.imported(&path.path);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (["core" | "std", "iter", "zip"], Some(last)) = (&words[..], path.path.segments.last()) else {
            return None;
        };
        let name = &last.ident;
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let [first, second] = args[..] else {
            let message =
                format!("expected 2 arguments to `{name}`, found {}\nhelp: write `{name}(a, b)`", args.len());
            self.error(Loc::of(call), message);
            return Some(None);
        };
        let zip = syn::Ident::new("zip", name.span());
        let first = of_traits(syn::parse_quote_spanned!(name.span()=> (#first).into_iter()));
        let receiver = Box::new(syn::Expr::MethodCall(first));
        let zipped: syn::ExprMethodCall = syn::parse_quote_spanned!(name.span()=> first.#zip(#second));
        Some(Some(of_traits(syn::ExprMethodCall { receiver, ..zipped })))
    }

    /// The names of a path, the first replaced by what a `use` of the blocks around, the innermost first, or of the module brings in by that
    /// name.
    pub(super) fn imported(&self, path: &syn::Path) -> Vec<String> {
        let words: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let Some((first, rest)) = words.split_first() else { return words };
        let of_module = self.draft.modules.get(self.scope.module.0).filter(|_| !self.scope.is_library);
        let items = self.scope.blocks.iter().rev().chain(of_module.map(|module| &module.items)).flatten();
        let mut brought = items.filter(|item| item.name == first).filter_map(|item| match item.kind {
            ItemKind::Use(id) => self.draft.uses.get(id.0),
            _ => None,
        });
        match brought.next() {
            Some(of) => {
                let of = of.path.segments.iter().map(|segment| segment.ident.to_string());
                of.chain(rest.iter().cloned()).collect()
            }
            None => words,
        }
    }

    /// Returns true for `Add::add` if `Add` is the standard trait: a type or trait of one's own may be called so, too.
    fn is_of_standard(&self, path: &syn::Path) -> bool {
        let words = self.imported(path);
        match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["core" | "std", "ops" | "cmp" | "clone" | "convert" | "iter", _, _] => true,
            [of, _] => !self.constructors.contains_key(*of) && self.own_trait(&before(path, 1)).is_none(),
            _ => false,
        }
    }

    /// `Add::add(a, b)` as `(a) + (b)`, `Neg::neg(a)` as `-(a)`, `AddAssign::add_assign(&mut a, b)` as `a += b`: rustc finds the same
    /// functions.
    pub(super) fn as_operator(&self, call: &syn::ExprCall) -> Option<syn::Expr> {
        let syn::Expr::Path(syn::ExprPath { qself: None, path, .. }) = &*call.func else { return None };
        let [.., of, name] = &path.segments.iter().collect::<Vec<_>>()[..] else { return None };
        if !of.arguments.is_none() || !self.is_of_standard(path) {
            return None;
        }
        let mark = name.ident.span();
        let (of, name) = (of.ident.to_string(), name.ident.to_string());
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        match &args[..] {
            [left, right] => {
                if let Some(op) = operator(&of, &name).or_else(|| comparison(&of, &name)) {
                    return Some(syn::parse_quote_spanned!(mark=> (#left) #op (#right)));
                }
                let op = assigning(&of, &name)?;
                Some(match left {
                    syn::Expr::Reference(place) if place.mutability.is_some() => {
                        let place = &place.expr;
                        syn::parse_quote_spanned!(mark=> #place #op (#right))
                    }
                    _ => syn::parse_quote_spanned!(mark=> *(#left) #op (#right)),
                })
            }
            [arg] if of == "Neg" && name == "neg" => Some(syn::parse_quote_spanned!(mark=> -(#arg))),
            [arg] if of == "Not" && name == "not" => Some(syn::parse_quote_spanned!(mark=> !(#arg))),
            _ => None,
        }
    }

    /// `Ord::cmp(a, b)` as `(a).cmp(b)`, which it is.
    pub(super) fn of_standard_trait(&self, call: &syn::ExprCall) -> Option<syn::ExprMethodCall> {
        let syn::Expr::Path(syn::ExprPath { qself: None, path, .. }) = &*call.func else { return None };
        let [.., of, name] = &path.segments.iter().collect::<Vec<_>>()[..] else { return None };
        let is_known =
            |row: &&(&str, &str, usize)| of.ident == row.0 && name.ident == row.1 && call.args.len() == row.2;
        let is_plain = of.arguments.is_none() && name.arguments.is_none();
        if !is_plain || !METHODS.iter().any(|row| is_known(&row)) || !self.is_of_standard(path) {
            return None;
        }
        let mut args = call.args.iter();
        let (receiver, name, mark) = (args.next()?, &name.ident, name.ident.span());
        Some(of_traits(syn::parse_quote_spanned!(mark=> (#receiver).#name(#(#args),*))))
    }

    /// `<[T]>::first(x)` as `(x).first()`: a slice has no path but this one.
    pub(super) fn of_slice(&self, call: &syn::ExprCall) -> Option<syn::ExprMethodCall> {
        let syn::Expr::Path(function) = &*call.func else { return None };
        let method = slice_method(function)?;
        let mut args = call.args.iter();
        let receiver = args.next()?;
        let (name, mark) = (&method.ident, method.ident.span());
        let turbofish = match &method.arguments {
            syn::PathArguments::AngleBracketed(arguments) => Some(arguments),
            _ => None,
        };
        Some(syn::parse_quote_spanned!(mark=> (#receiver).#name #turbofish(#(#args),*)))
    }

    /// The number of parameters of a method of a trait of the user's own, `self` included; none of a function without `self`.
    fn parameters_of_method(&self, path: &syn::Path) -> Option<usize> {
        let name = &path.segments.last()?.ident;
        let of = self.own_trait(&before(path, path.segments.len() - 1))?;
        of.items.iter().find_map(|part| match part {
            syn::TraitItem::Fn(function) if function.sig.ident == *name => {
                function.sig.receiver().map(|_| function.sig.inputs.len())
            }
            _ => None,
        })
    }

    /// The closure that calls a method of a trait of the user's own.
    fn own_method_of(&self, function: &syn::ExprPath, mark: proc_macro2::Span) -> Option<syn::ExprClosure> {
        let count = self.parameters_of_method(&function.path)?;
        let values: Vec<_> = (0..count).map(|index| value(index, mark)).collect();
        Some(syn::parse_quote_spanned!(mark=> |#(#values),*| #function(#(#values),*)))
    }

    fn as_closure(&self, arg: &syn::Expr) -> Option<syn::ExprClosure> {
        let syn::Expr::Path(function) = arg else { return None };
        let words: Vec<String> =
            function.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let [.., last] = &words[..] else { return None };
        let mark = function.path.segments.last()?.ident.span();
        if let Some(method) = slice_method(function) {
            return Some(syn::parse_quote_spanned!(mark=> |value| value.#method()));
        }
        if let ["core" | "std", "convert", "identity"] =
            &self.imported(&function.path).iter().map(String::as_str).collect::<Vec<_>>()[..]
        {
            return Some(syn::parse_quote_spanned!(mark=> |value| value));
        }
        match &words[..] {
            // The argument says which of several conversions it is, also of `T::into`; a function of a module may be called so, too.
            [prefix @ .., of, name] if name == "into" && function.qself.is_none() => {
                let count = prefix.len() + 1;
                let owner = before(&function.path, count);
                // A name with a small letter that the program does not declare is that of a module.
                let is_type = of.starts_with(char::is_uppercase)
                    || Scalar::from_name(of).is_some()
                    || self.constructors.contains_key(of);
                if is_type && !self.is_module(&owner) && self.own_trait(&owner).is_none() {
                    let into = &function.path.segments.last()?.ident;
                    let call: syn::ExprMethodCall = syn::parse_quote_spanned!(mark=> value.#into());
                    // A type's own comes first in its path, a trait's in that of the trait.
                    let call = if of == "Into" { of_traits(call) } else { call };
                    return Some(closure_of(mark, &["value"], call));
                }
                if let Some(closure) = self.own_method_of(function, mark) {
                    return Some(closure);
                }
            }
            // The argument says which of several conversions it is.
            [.., of, name] if name == "from" && of != "From" => {
                return Some(syn::parse_quote_spanned!(mark=> |value| #function(value)));
            }
            // A method of a type or trait that has no functions without `self` to hand over.
            [of, name]
                if matches!(of.as_str(), "Option" | "Result" | "Iterator" | "IntoIterator" | "Clone")
                    && self.own_trait(&before(&function.path, 1)).is_none()
                    && !name.starts_with(char::is_uppercase)
                    && function.path.segments.iter().all(|segment| segment.arguments.is_none()) =>
            {
                let method = &function.path.segments.last()?.ident;
                let call: syn::ExprMethodCall = syn::parse_quote_spanned!(mark=> value.#method());
                let is_type = matches!(of.as_str(), "Option" | "Result");
                return Some(closure_of(mark, &["value"], if is_type { call } else { of_traits(call) }));
            }
            [.., of, name] if self.is_of_standard(&function.path) => {
                if let Some(op) = operator(of, name) {
                    return Some(syn::parse_quote_spanned!(mark=> |left, right| left #op right));
                }
                if let Some(op) = assigning(of, name) {
                    return Some(syn::parse_quote_spanned!(mark=> |left, right| *left #op right));
                }
                if let Some(op) = comparison(of, name) {
                    return Some(syn::parse_quote_spanned!(mark=> |left, right| left #op right));
                }
                if METHODS
                    .iter()
                    .any(|row| of == row.0 && name == row.1 && row.2 == 2 && row.0.ends_with("Ord"))
                {
                    let method = &function.path.segments.last()?.ident;
                    let call = of_traits(syn::parse_quote_spanned!(mark=> left.#method(right)));
                    return Some(closure_of(mark, &["left", "right"], call));
                }
                match (of.as_str(), name.as_str()) {
                    ("Neg", "neg") => return Some(syn::parse_quote_spanned!(mark=> |value| -value)),
                    ("Not", "not") => return Some(syn::parse_quote_spanned!(mark=> |value| !value)),
                    _ => {}
                }
            }
            [.., _, _] => {
                if let Some(closure) = self.own_method_of(function, mark) {
                    return Some(closure);
                }
            }
            _ => {}
        }
        let named = |word: &str| match &self.own_type {
            Some(of) if word == "Self" => of.clone(),
            _ => word.to_owned(),
        };
        let qualified = match &words[..] {
            [.., of, name] => self.constructors.get(&format!("{}::{name}", named(of))),
            _ => None,
        };
        // Of the standard library's types, unless the program has its own of that name.
        const STANDARD: &[&str] = &["Reverse", "Wrapping", "Saturating", "Break", "Continue"];
        let standard = || STANDARD.contains(&last.as_str()).then_some(1);
        let declared = qualified.or_else(|| self.constructors.get(&named(last)));
        let count = declared.copied().unwrap_or_else(standard)?;
        let values: Vec<_> = (0..count).map(|index| value(index, mark)).collect();
        Some(syn::parse_quote_spanned!(mark=> |#(#values),*| #function(#(#values),*)))
    }
}

/// The attribute of method calls that are made here of a trait's function: a method that the type has without a trait is not meant.
const OF_TRAITS: &str = "__of_traits";

/// The call, of methods of traits alone.
fn of_traits(call: syn::ExprMethodCall) -> syn::ExprMethodCall {
    let mark = proc_macro2::Ident::new(OF_TRAITS, call.method.span());
    syn::ExprMethodCall { attrs: vec![syn::parse_quote!(#[#mark])], ..call }
}

/// Returns true for the attribute of a call of methods of traits alone.
pub(super) fn is_of_traits(attr: &syn::Attribute) -> bool {
    attr.path().is_ident(OF_TRAITS)
}

/// The name of a closure's parameter.
fn value(index: usize, mark: proc_macro2::Span) -> proc_macro2::Ident {
    proc_macro2::Ident::new(&format!("v{index}"), mark)
}

/// The closure with these parameters that makes a call.
fn closure_of(mark: proc_macro2::Span, params: &[&str], call: syn::ExprMethodCall) -> syn::ExprClosure {
    let params = params.iter().map(|name| proc_macro2::Ident::new(name, mark));
    let closure: syn::ExprClosure = syn::parse_quote_spanned!(mark=> |#(#params),*| ());
    syn::ExprClosure { body: Box::new(syn::Expr::MethodCall(call)), ..closure }
}

/// The operator of `Add::add`.
fn operator(of: &str, name: &str) -> Option<syn::BinOp> {
    let (.., op) = OPERATORS.iter().find(|row| of == row.0 && name == row.1)?;
    syn::parse_str(op).ok()
}

/// The operator of `PartialEq::eq`.
fn comparison(of: &str, name: &str) -> Option<syn::BinOp> {
    let (.., op) = COMPARISONS.iter().find(|row| of == row.0 && name == row.1)?;
    syn::parse_str(op).ok()
}

/// The operator of `AddAssign::add_assign`.
fn assigning(of: &str, name: &str) -> Option<syn::BinOp> {
    let (of, name) = (of.strip_suffix("Assign")?, name.strip_suffix("_assign")?);
    let (.., op) = OPERATORS.iter().find(|row| of == row.0 && name == row.1)?;
    syn::parse_str(&format!("{op}=")).ok()
}

/// The method of `<[T]>::method`.
fn slice_method(function: &syn::ExprPath) -> Option<&syn::PathSegment> {
    let qself = function.qself.as_ref().filter(|qself| qself.position == 0)?;
    match (&*qself.ty, &function.path.segments.iter().collect::<Vec<_>>()[..]) {
        (syn::Type::Slice(_), &[method]) => Some(method),
        _ => None,
    }
}
