//! The macros of `core` that the language has: assertions, panics, `matches!`; and those of `std` that print.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::Token;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;

use super::Parser;
use super::spelled::spelled;
use crate::ast::{Block, Expr, ExprKind, Literal, Message, Stmt};
use crate::diagnostics::Loc;
use crate::typed::{BinaryOp, Output, UnaryOp};

/// The meaning of a macro.
#[derive(Clone, Copy)]
enum Kind {
    /// Panics with what is before its own message, or with that alone if there is none.
    Panic { prefix: &'static str, alone: &'static str },
    /// Panics unless its argument holds.
    Assert,
    /// Panics unless its arguments compare so.
    Compare(BinaryOp, &'static str),
    /// A `bool`: true if the pattern matches.
    Matches,
    /// Prints there; then the end of the line.
    Print(Output, &'static str),
}

/// Assertions are checked in debug and release builds alike.
const MACROS: &[(&str, Kind)] = &[
    ("panic", Kind::Panic { prefix: "", alone: "explicit panic" }),
    (
        "unreachable",
        Kind::Panic {
            prefix: "internal error: entered unreachable code: ",
            alone: "internal error: entered unreachable code",
        },
    ),
    ("todo", Kind::Panic { prefix: "not yet implemented: ", alone: "not yet implemented" }),
    ("unimplemented", Kind::Panic { prefix: "not implemented: ", alone: "not implemented" }),
    ("assert", Kind::Assert),
    ("debug_assert", Kind::Assert),
    ("assert_eq", Kind::Compare(BinaryOp::Eq, "==")),
    ("debug_assert_eq", Kind::Compare(BinaryOp::Eq, "==")),
    ("assert_ne", Kind::Compare(BinaryOp::Ne, "!=")),
    ("debug_assert_ne", Kind::Compare(BinaryOp::Ne, "!=")),
    ("matches", Kind::Matches),
    ("print", Kind::Print(Output::Stdout, "")),
    ("println", Kind::Print(Output::Stdout, "\n")),
    ("eprint", Kind::Print(Output::Stderr, "")),
    ("eprintln", Kind::Print(Output::Stderr, "\n")),
];

/// Names a macro of `core` or `std` that the language has.
pub fn is_macro(name: &str) -> bool {
    MACROS.iter().any(|row| row.0 == name)
}

/// A `use` in the arguments of a macro, which are expressions.
fn use_in(tokens: &TokenStream) -> Option<Span> {
    tokens.clone().into_iter().find_map(|tree| match tree {
        TokenTree::Ident(name) if name == "use" => Some(name.span()),
        TokenTree::Group(group) => use_in(&group.stream()),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}

/// The text of a literal, of `concat!` of literals and of `stringify!`.
pub(super) fn literal_text(expr: &syn::Expr) -> Option<syn::LitStr> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.clone()),
        syn::Expr::Macro(inner) => {
            let mac = &inner.mac;
            let text = match mac.path.segments.last()?.ident.to_string().as_str() {
                "stringify" => mac.tokens.to_string(),
                "concat" => {
                    let parts = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
                    let parts = parts.parse2(mac.tokens.clone()).ok()?;
                    parts.iter().map(concatenated).collect::<Option<String>>()?
                }
                _ => return None,
            };
            Some(syn::LitStr::new(&text, mac.path.segments.last()?.ident.span()))
        }
        syn::Expr::Group(inner) => literal_text(&inner.expr),
        _ => None,
    }
}

/// An argument of `concat!` as it stands in its text.
fn concatenated(expr: &syn::Expr) -> Option<String> {
    match expr {
        syn::Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Str(text) => Some(text.value()),
            syn::Lit::Char(c) => Some(c.value().to_string()),
            syn::Lit::Bool(value) => Some(value.value.to_string()),
            syn::Lit::Int(number) => number.base10_parse::<u128>().ok().map(|value| value.to_string()),
            syn::Lit::Float(number) => Some(number.base10_digits().to_owned()),
            _ => None,
        },
        syn::Expr::Group(inner) => concatenated(&inner.expr),
        other => literal_text(other).map(|text| text.value()),
    }
}

/// The arguments of a macro that are not its message.
struct Arguments {
    values: Vec<syn::Expr>,
    message: Vec<syn::Expr>,
}

impl Parser<'_> {
    pub(super) fn macro_expr(&mut self, mac: &syn::Macro) -> Option<Expr> {
        let name = mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if let Some(span) = use_in(&mac.tokens) {
            let message = "expected expressions in the arguments of a macro, found a `use`\nhelp: move it before the macro";
            self.error(span, message);
            return None;
        }
        if name == "inline_ptx" {
            return self.inline_ptx(mac);
        }
        let Some((_, kind)) = MACROS.iter().find(|row| row.0 == name) else {
            self.refuse_macro(mac);
            return None;
        };
        let loc = Loc::of(mac);
        match *kind {
            Kind::Panic { prefix, alone } => {
                let arguments = self.arguments(mac, &name, 0)?;
                let message = match &arguments.message[..] {
                    [] => plain(alone),
                    message => self.message(message)?.within(prefix, ""),
                };
                self.node(ExprKind::Panic(message), loc)
            }
            Kind::Assert => {
                let Arguments { values, message } = self.arguments(mac, &name, 1)?;
                let holds = self.expr(&values[0]);
                let message = match &message[..] {
                    [] => plain(&format!("assertion failed: {}", braces_doubled(&spelled(&values[0])))),
                    message => self.message(message)?,
                };
                self.unless(holds?, message, loc)
            }
            Kind::Compare(op, sign) => {
                let Arguments { values, message } = self.arguments(mac, &name, 2)?;
                let (lhs, rhs) = (self.boxed(&values[0]), self.boxed(&values[1]));
                let failed = format!("assertion `left {sign} right` failed");
                let message = match &message[..] {
                    [] => plain(&failed),
                    message => self.message(message)?.within(&format!("{failed}: "), ""),
                };
                let (lhs, rhs) = (lhs?, rhs?);
                let compared = Loc::between(lhs.loc, rhs.loc);
                let holds = Box::new(self.node(ExprKind::Binary { op, lhs, rhs }, compared)?);
                self.node(ExprKind::AssertCompare { holds, message }, loc)
            }
            Kind::Print(to, end) => {
                let arguments = self.arguments(mac, &name, 0)?;
                let message = match &arguments.message[..] {
                    [] => plain(end),
                    message => self.message(message)?.within("", end),
                };
                self.node(ExprKind::Print { to, message }, loc)
            }
            Kind::Matches => self.matches(mac, loc),
        }
    }

    /// `if !holds { panic }`
    fn unless(&mut self, holds: Expr, message: Message, loc: Loc) -> Option<Expr> {
        let at = holds.loc;
        let cond = self.node(ExprKind::Unary { op: UnaryOp::Not, arg: Box::new(holds) }, at)?;
        let panic = self.node(ExprKind::Panic(message), loc)?;
        let stmts = vec![Stmt::Expr { expr: panic, semicolon: true }];
        let then = Block { items: Vec::new(), globs: Vec::new(), stmts, value: None, loc };
        self.node(ExprKind::If { cond: Box::new(cond), then, otherwise: None, attr: None }, loc)
    }

    /// `if let pattern = value && guard { true } else { false }`
    fn matches(&mut self, mac: &syn::Macro, loc: Loc) -> Option<Expr> {
        let parts = |input: ParseStream| {
            let value: syn::Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<syn::Expr>()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let (value, pattern, guard) = match parts.parse2(mac.tokens.clone()) {
            Ok(parts) => parts,
            Err(error) => {
                self.diagnostics.syntax(&error);
                return None;
            }
        };
        // Asked for each alternative that matches.
        if let Some(guard) = &guard
            && has_alternatives(&pattern)
        {
            let at = loc.start;
            let of: syn::Expr =
                syn::parse_quote_spanned!(at=> match #value { #pattern if #guard => true, _ => false });
            return self.expr(&of);
        }
        let value = self.boxed(&value);
        let pattern = self.pattern(&pattern);
        let guard = guard.map(|guard| self.expr(&guard));
        let at = value.as_ref()?.loc;
        let mut cond = self.node(ExprKind::Let { pattern: pattern?, value: value? }, at)?;
        if let Some(guard) = guard {
            let (lhs, rhs) = (Box::new(cond), Box::new(guard?));
            let at = Loc::between(lhs.loc, rhs.loc);
            cond = self.node(ExprKind::Logical { and: true, lhs, rhs }, at)?;
        }
        let yes = self.node(ExprKind::Literal(Literal::Bool(true)), loc)?;
        let no = self.node(ExprKind::Literal(Literal::Bool(false)), loc)?;
        let block = |value| Block {
            items: Vec::new(),
            globs: Vec::new(),
            stmts: Vec::new(),
            value: Some(Box::new(value)),
            loc,
        };
        let otherwise = self.node(ExprKind::Block(block(no)), loc)?;
        let kind = ExprKind::If {
            cond: Box::new(cond),
            then: block(yes),
            otherwise: Some(Box::new(otherwise)),
            attr: None,
        };
        self.node(kind, loc)
    }

    fn arguments(&mut self, mac: &syn::Macro, name: &str, values: usize) -> Option<Arguments> {
        let parsed = Punctuated::<syn::Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone());
        let mut all: Vec<syn::Expr> = match parsed {
            Ok(all) => all.into_iter().collect(),
            Err(error) => {
                self.diagnostics.syntax(&error);
                return None;
            }
        };
        if all.len() < values {
            let message = format!(
                "expected {values} argument{} to `{name}!`, found {}\nhelp: add what is missing",
                if values == 1 { "" } else { "s" },
                all.len()
            );
            self.error(Loc::of(mac), message);
            return None;
        }
        let message = all.split_off(values);
        Some(Arguments { values: all, message })
    }
}

impl Message {
    /// With more before and after it.
    fn within(self, before: &str, after: &str) -> Message {
        Message { text: format!("{before}{}{after}", self.text), ..self }
    }
}

/// A format string without values.
pub(super) fn plain(text: &str) -> Message {
    Message { text: text.to_owned(), args: Vec::new() }
}

/// Text as it stands in a format string.
pub(super) fn braces_doubled(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// Returns true for a pattern with alternatives in it.
fn has_alternatives(pattern: &syn::Pat) -> bool {
    struct Search(bool);
    impl<'a> syn::visit::Visit<'a> for Search {
        fn visit_pat_or(&mut self, _: &'a syn::PatOr) {
            self.0 = true;
        }
    }
    let mut search = Search(false);
    syn::visit::Visit::visit_pat(&mut search, pattern);
    search.0
}
