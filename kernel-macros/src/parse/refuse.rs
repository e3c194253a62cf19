//! What the language does not have, and what to write instead.

use quote::ToTokens;

use super::Parser;
use crate::diagnostics::Loc;

/// Attributes that the language will have on statements.
const PLANNED_ATTRIBUTES: &[&str] = &[
    "unroll",
    "ilp",
    "prefetch",
    "predicate",
    "branch",
    "shfl",
    "warp_reduce",
    "warp_scan",
    "block_reduce",
    "ballot",
];

/// Attributes that only concern warnings.
const LINT_ATTRIBUTES: &[&str] = &["allow", "expect", "warn", "deny", "forbid"];

/// Macros with a remedy of their own.
const MACROS: &[(&str, &str)] = &[
    ("println", "write what you want to see to a `&mut [T]` parameter"),
    ("print", "write what you want to see to a `&mut [T]` parameter"),
    ("eprintln", "write what you want to see to a `&mut [T]` parameter"),
    ("dbg", "write what you want to see to a `&mut [T]` parameter"),
    ("assert", "test with `if` and record the failure in a `&mut [T]` parameter"),
    ("assert_eq", "test with `if` and record the failure in a `&mut [T]` parameter"),
    ("assert_ne", "test with `if` and record the failure in a `&mut [T]` parameter"),
    ("debug_assert", "test with `if` and record the failure in a `&mut [T]` parameter"),
    ("panic", "record the failure in a `&mut [T]` parameter and `return`"),
    ("unreachable", "record the failure in a `&mut [T]` parameter and `return`"),
    ("todo", "leave the branch empty"),
    ("unimplemented", "leave the branch empty"),
    ("vec", "there is no heap on the GPU: use `shared::<[T; N]>()`"),
    ("format", "there are no strings on the GPU: write numbers to a `&mut [T]` parameter"),
    ("matches", "compare with `==` and `||`"),
];

const UNSTABLE: (&str, &str) = ("this is", "write it in stable Rust");

/// An expression that the language does not have: what it is, and what to write instead. `None` for what it has.
pub(super) fn refused_expr(expr: &syn::Expr) -> Option<(&'static str, &'static str)> {
    use syn::Expr;
    Some(match expr {
        Expr::Array(_) | Expr::Repeat(_) => {
            ("arrays on the stack are", "use scalars, or `shared::<[T; N]>()` for an array of the block")
        }
        Expr::Async(_) | Expr::Await(_) => {
            ("`async` is", "kernels run to their end: call what you need directly")
        }
        Expr::Closure(_) => ("closures are", "write the expression where it is needed"),
        Expr::Const(_) => ("`const` blocks are", "declare a `const NAME: T = …;` in the body"),
        Expr::Infer(_) => ("`_` as an expression is", "use `let _ = …;` to drop a value"),
        Expr::Let(_) => ("`if let` and `while let` are", "compare with `==`, or test with `if`"),
        Expr::Match(_) => ("`match` is", "write `if … else if … else`"),
        Expr::Range(_) => ("ranges as values are", "use them in the head of a `for`: `for i in start..end`"),
        Expr::RawAddr(_) => ("raw pointers are", "index the slice instead"),
        Expr::Reference(_) => ("references are", "use the value itself; slices are parameters only"),
        Expr::Struct(_) => ("structs are", "use one variable for each field"),
        Expr::Try(_) => ("`?` is", "test with `if` and `return`"),
        Expr::TryBlock(_) | Expr::Yield(_) | Expr::Verbatim(_) => UNSTABLE,
        Expr::Tuple(_) => ("tuples are", "use one variable for each part"),
        Expr::Unsafe(_) => ("`unsafe` is", "leave it out: every access is checked"),
        _ => return None,
    })
}

/// A pattern that the language does not have.
pub(super) fn refused_pattern(pat: &syn::Pat) -> (&'static str, &'static str) {
    use syn::Pat;
    match pat {
        Pat::Tuple(_) => ("tuple patterns are", "write one `let` for each variable"),
        Pat::Struct(_) | Pat::TupleStruct(_) => ("struct patterns are", "write one `let` for each field"),
        Pat::Slice(_) => ("slice patterns are", "index the slice: `let first = x[0];`"),
        Pat::Reference(_) => ("reference patterns are", "bind the value itself"),
        Pat::Ident(pat) if pat.by_ref.is_some() => ("`ref` is", "bind the value itself"),
        _ => ("this pattern is", "bind a name and test it with `if`"),
    }
}

/// An item inside the body, other than a constant.
fn refused_item(item: &syn::Item) -> (&'static str, &'static str) {
    use syn::Item;
    match item {
        Item::Fn(_) => ("functions in the body are", "write the code where it is called"),
        Item::Static(_) => ("statics are", "use `const`, or `shared::<[T; N]>()` for memory of the block"),
        Item::Struct(_) | Item::Enum(_) | Item::Union(_) => {
            ("types declared in the body are", "use one variable for each field")
        }
        Item::Use(_) => ("`use` in the body is", "put it beside the kernel, or write the path in full"),
        Item::Impl(_) | Item::Trait(_) | Item::TraitAlias(_) => {
            ("traits and `impl` are", "write the code where it is called")
        }
        Item::Type(_) => ("type aliases are", "write the type in full"),
        _ => ("items in the body, other than constants, are", "write them beside the kernel"),
    }
}

impl Parser<'_> {
    pub(super) fn refuse_expr(&mut self, expr: &syn::Expr) {
        let (what, help) = refused_expr(expr).unwrap_or(("this expression is", "write it another way"));
        self.error(Loc::of(expr), format!("{what} not supported in kernels yet\nhelp: {help}"));
    }

    pub(super) fn refuse_pattern(&mut self, pat: &syn::Pat) {
        let (what, help) = refused_pattern(pat);
        self.error(Loc::of(pat), format!("{what} not supported in kernels yet\nhelp: {help}"));
    }

    pub(super) fn refuse_item(&mut self, item: &syn::Item) {
        let (what, help) = refused_item(item);
        self.error(Loc::of(item), format!("{what} not supported in kernels yet\nhelp: {help}"));
    }

    pub(super) fn refuse_macro(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let help = MACROS.iter().find(|row| row.0 == name).map_or("write what it expands to", |row| row.1);
        self.error(Loc::of(mac), format!("`{name}!` is not supported in kernels yet\nhelp: {help}"));
    }

    /// Attributes of an expression or a statement: what concerns only warnings may stay.
    pub(super) fn attributes(&mut self, attrs: &[syn::Attribute]) {
        for attr in attrs {
            let path = attr.path();
            if path.is_ident("doc") || LINT_ATTRIBUTES.iter().any(|lint| path.is_ident(lint)) {
                continue;
            }
            let name = path.to_token_stream();
            let help = if PLANNED_ATTRIBUTES.iter().any(|planned| path.is_ident(planned)) {
                "leave it out"
            } else {
                "leave it out: a body has no attributes but those of lints"
            };
            self.error(Loc::of(attr), format!("`#[{name}]` is not supported in kernels yet\nhelp: {help}"));
        }
    }

    pub(super) fn refuse_attributes(&mut self, attrs: &[syn::Attribute], place: &str) {
        for attr in attrs {
            let name = attr.path().to_token_stream();
            self.error(Loc::of(attr), format!("`#[{name}]` is not supported on {place}\nhelp: leave it out"));
        }
    }
}
