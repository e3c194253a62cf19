//! Constructs that the language lacks, with replacements.

use quote::ToTokens;

use super::Parser;
use crate::configured;
use crate::diagnostics::{Loc, shown};

/// Attributes that only concern warnings and documentation.
const LINT_ATTRIBUTES: &[&str] = &["allow", "expect", "warn", "deny", "forbid", "doc"];

/// Attributes of items that the compiler reads, or that change nothing for it: every call is inlined.
const ITEM_ATTRIBUTES: &[&str] = &[
    "automatically_derived",
    "derive",
    "repr",
    "element",
    "device",
    "inline",
    "must_use",
    "cold",
    "non_exhaustive",
    "track_caller",
    "deprecated",
];

/// Macros with a remedy of their own.
const MACROS: &[(&str, &str)] = &[
    ("dbg", "use `eprintln!`"),
    ("vec", "there is no heap on the GPU: use an array, or `shared::<[T; N]>()`"),
    ("format", "there are no strings on the GPU: write numbers to a `&mut [T]` parameter"),
    ("write", "there are no strings on the GPU: write numbers to a `&mut [T]` parameter"),
    ("cfg", "write it where a value stands: `if cfg!(…) { … }`"),
    ("include", "write what the file holds"),
    ("asm", "write `inline_ptx!(\"…\")`, with PTX"),
];

const UNSTABLE: (&str, &str) = ("this is", "write it in stable Rust");

/// An expression that the language does not have: what it is, and what to write instead.
fn refused_expr(expr: &syn::Expr) -> (&'static str, &'static str) {
    use syn::Expr;
    match expr {
        Expr::Async(_) | Expr::Await(_) => {
            ("`async` is", "kernels run to their end: call what you need directly")
        }
        Expr::Let(_) => ("`let` outside of a condition is", "write `matches!(value, pattern)`"),
        Expr::TryBlock(_) | Expr::Yield(_) | Expr::Verbatim(_) => UNSTABLE,
        _ => ("this expression is", "write it another way"),
    }
}

/// An item that the language does not have.
fn refused_item(item: &syn::Item) -> (&'static str, &'static str) {
    use syn::Item;
    match item {
        Item::Static(_) => (
            "`static mut` is",
            "take a slice of atomics, `&[AtomicU32]`, or use `shared::<[T; N]>()` for memory of the block",
        ),
        Item::Union(_) => ("unions are", "use a struct, and `to_bits` and `from_bits`"),
        Item::TraitAlias(_) => ("trait aliases are", "write a trait with the others as supertraits"),
        Item::Macro(_) => ("macros of your own are", "write a function, or what the macro expands to"),
        Item::Mod(_) => ("modules here are", "put the items beside the kernel, in its `#[kernel_module]`"),
        Item::ExternCrate(_) | Item::ForeignMod(_) => ("foreign items are", "write the function in Rust"),
        _ => ("this item is", "write it outside, where only rustc sees it"),
    }
}

impl Parser<'_> {
    pub(super) fn refuse_expr(&mut self, expr: &syn::Expr) {
        let (what, help) = refused_expr(expr);
        self.error(Loc::of(expr), format!("{what} not supported in kernels\nhelp: {help}"));
    }

    pub(super) fn refuse_pattern(&mut self, pat: &syn::Pat) {
        let (what, help) = match pat {
            syn::Pat::Const(_) => ("`const` blocks are", "declare a `const NAME: T = …;` and name it"),
            syn::Pat::Macro(_) => ("macros in patterns are", "write what the macro expands to"),
            _ => ("this pattern is", "bind a name and test it with `if`"),
        };
        self.error(Loc::of(pat), format!("{what} not supported in kernels\nhelp: {help}"));
    }

    pub(super) fn refuse_item(&mut self, item: &syn::Item) {
        let (what, help) = refused_item(item);
        self.error(Loc::of(item), format!("{what} not supported in kernels\nhelp: {help}"));
    }

    pub(super) fn refuse_macro(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let known = MACROS.iter().find(|row| row.0 == name).map(|row| row.1.to_owned());
        let help = known.unwrap_or_else(|| {
            format!("write what it expands to; if it is yours, move `macro_rules! {name}` into the body, or both into a `#[kernel_module]`")
        });
        self.error(Loc::of(mac), format!("`{name}!` is not supported in kernels\nhelp: {help}"));
    }

    /// Attributes of an expression or a statement: what concerns only warnings may stay.
    pub(super) fn attributes(&mut self, attrs: &[syn::Attribute]) {
        for attr in attrs {
            self.attribute(attr, "a body has no attributes but those of lints");
        }
    }

    /// Attributes of an item that the compiler reads.
    pub(super) fn item_attributes(&mut self, attrs: &[syn::Attribute]) {
        for attr in attrs {
            if ITEM_ATTRIBUTES.iter().any(|known| attr.path().is_ident(known))
                || super::module::is_ours(attr, "device")
            {
                continue;
            }
            if super::module::is_ours(attr, "kernel") {
                let message = "expected a kernel at the top of a `#[kernel_module]` or outside of one, found it inside another \
                               item\nhelp: move it out";
                self.error(Loc::of(attr), message);
                continue;
            }
            self.attribute(
                attr,
                "items that a kernel sees have `derive`, `repr`, `inline` and attributes of lints",
            );
        }
    }

    fn attribute(&mut self, attr: &syn::Attribute, rule: &str) {
        let path = attr.path();
        let is_tool = path.segments.len() > 1
            && path.segments.first().is_some_and(|tool| tool.ident == "rustfmt" || tool.ident == "clippy");
        if is_tool || LINT_ATTRIBUTES.iter().any(|lint| path.is_ident(lint)) {
            return;
        }
        let name = path.to_token_stream();
        if let syn::Meta::List(list) = &attr.meta
            && path.is_ident("cfg")
            && !configured::is_predicate(&list.tokens)
        {
            let found = shown(&list.tokens);
            self.error(
                Loc::of(&list.tokens),
                format!("expected a predicate in `#[cfg(…)]`, found `{found}`\nhelp: write `feature = \"name\"`; the GPU's architecture is asked by `if target::at_least(80) {{ … }}`"),
            );
            return;
        }
        if super::attributes::is_ours(attr) {
            self.misplaced(attr);
            return;
        }
        let help = if path.is_ident("cfg") || path.is_ident("cfg_attr") {
            "write `#[cfg(…)]` at a statement or an item: the compiler does not know the crate's configuration here"
                .to_owned()
        } else if ["shared", "__shared__", "address_space"].contains(&&*name.to_string()) {
            "leave it out, and give the variable its memory: `let mut tile = shared::<[f32; 32]>();`"
                .to_owned()
        } else if let Some(near) = super::attributes::near(&name.to_string()) {
            format!("did you mean `#[{near}]`?")
        } else {
            format!("leave it out: {rule}")
        };
        self.error(Loc::of(attr), format!("`#[{name}]` is not supported in kernels\nhelp: {help}"));
    }

    pub(super) fn refuse_attributes(&mut self, attrs: &[syn::Attribute], place: &str) {
        for attr in attrs.iter().filter(|attr| !LINT_ATTRIBUTES.iter().any(|lint| attr.path().is_ident(lint)))
        {
            let name = attr.path().to_token_stream();
            self.error(Loc::of(attr), format!("`#[{name}]` is not supported on {place}\nhelp: leave it out"));
        }
    }
}
