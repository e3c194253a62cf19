//! The macros of `core` that the language has: assertions, panics, `matches!`.

use proc_macro2::Span;
use syn::Token;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;

use super::Parser;
use crate::ast::{Block, Expr, ExprKind, Literal, Stmt};
use crate::diagnostics::{Loc, shown};
use crate::typed::{BinaryOp, UnaryOp};

/// What a macro does.
#[derive(Clone, Copy)]
enum Kind {
    /// Panics with what is before its own message, or with that alone if there is none.
    Panic { prefix: &'static str, alone: &'static str },
    /// Panics unless its argument holds.
    Assert,
    /// Panics unless its arguments compare so.
    Compare(BinaryOp, &'static str),
    /// Whether a pattern matches.
    Matches,
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
];

/// The arguments of a macro that are not its message.
struct Arguments {
    values: Vec<syn::Expr>,
    message: Vec<syn::Expr>,
}

impl Parser<'_> {
    pub(super) fn macro_expr(&mut self, mac: &syn::Macro) -> Option<Expr> {
        let name = mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let Some((_, kind)) = MACROS.iter().find(|row| row.0 == name) else {
            self.refuse_macro(mac);
            return None;
        };
        let loc = Loc::of(mac);
        match *kind {
            Kind::Panic { prefix, alone } => {
                let arguments = self.arguments(mac, &name, 0)?;
                let (message, args) = match &arguments.message[..] {
                    [] => (alone.to_owned(), Vec::new()),
                    message => {
                        let (text, args) = self.message(message)?;
                        (format!("{prefix}{text}"), args)
                    }
                };
                self.node(ExprKind::Panic { message, args }, loc)
            }
            Kind::Assert => {
                let Arguments { values, message } = self.arguments(mac, &name, 1)?;
                let holds = self.expr(&values[0]);
                let (message, args) = match &message[..] {
                    [] => (format!("assertion failed: {}", braces_doubled(&shown(&values[0]))), Vec::new()),
                    message => self.message(message)?,
                };
                self.unless(holds?, message, args, loc)
            }
            Kind::Compare(op, sign) => {
                let Arguments { values, message } = self.arguments(mac, &name, 2)?;
                let (lhs, rhs) = (self.boxed(&values[0]), self.boxed(&values[1]));
                let (lhs, rhs) = (lhs?, rhs?);
                let failed = format!("assertion `left {sign} right` failed");
                let (message, args) = match &message[..] {
                    [] => (failed, Vec::new()),
                    message => {
                        let (text, args) = self.message(message)?;
                        (format!("{failed}: {text}"), args)
                    }
                };
                let compared = Loc::between(lhs.loc, rhs.loc);
                let holds = self.node(ExprKind::Binary { op, lhs, rhs }, compared)?;
                self.unless(holds, message, args, loc)
            }
            Kind::Matches => self.matches(mac, loc),
        }
    }

    /// `if !holds { panic }`
    fn unless(&mut self, holds: Expr, message: String, args: Vec<Expr>, loc: Loc) -> Option<Expr> {
        let at = holds.loc;
        let cond = self.node(ExprKind::Unary { op: UnaryOp::Not, arg: Box::new(holds) }, at)?;
        let panic = self.node(ExprKind::Panic { message, args }, loc)?;
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

    /// A format string and its arguments: the text with `{}` for each value, and the values.
    fn message(&mut self, arguments: &[syn::Expr]) -> Option<(String, Vec<Expr>)> {
        let (first, rest) = arguments.split_first()?;
        let text = match first {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => text,
            other => {
                let message =
                    "expected the message as a string literal\nhelp: write `\"{}\"` before the value";
                self.error(Loc::of(other), message);
                return None;
            }
        };
        let mut positional = Vec::new();
        let mut named = Vec::new();
        for argument in rest {
            match argument {
                syn::Expr::Assign(assign) => named.push((shown(&assign.left), &*assign.right)),
                other => positional.push(other),
            }
        }
        let span = text.span();
        let mut values = Vec::new();
        let mut next = 0;
        let mut shown_text = String::new();
        for piece in pieces(&text.value()) {
            let name = match piece {
                Piece::Text(text) => {
                    shown_text.push_str(&text);
                    continue;
                }
                Piece::Value(name) => name,
            };
            shown_text.push_str("{}");
            let index = if name.is_empty() {
                next += 1;
                Some(next - 1)
            } else {
                name.parse::<usize>().ok()
            };
            let value = match index {
                Some(index) => match positional.get(index) {
                    Some(value) => self.expr(value),
                    None => {
                        let message = format!(
                            "expected a value for each `{{}}`, found {} for `{{{name}}}`\nhelp: add it after the string",
                            positional.len()
                        );
                        self.error(span, message);
                        None
                    }
                },
                None => match named.iter().find(|row| row.0 == name) {
                    Some((_, value)) => self.expr(value),
                    None => self.inline(&name, span),
                },
            };
            values.push(value);
        }
        if next < positional.len() && !text.value().contains("{0") {
            let message = format!(
                "expected {next} value{} for the message, found {}\nhelp: write `{{}}` for each",
                if next == 1 { "" } else { "s" },
                positional.len()
            );
            self.error(Loc::of(positional[next]), message);
            return None;
        }
        Some((shown_text, values.into_iter().collect::<Option<_>>()?))
    }

    /// The variable of `{name}` in a format string.
    fn inline(&mut self, name: &str, span: Span) -> Option<Expr> {
        match syn::parse_str::<syn::Ident>(name) {
            Ok(mut ident) => {
                ident.set_span(span);
                self.node(ExprKind::Path { path: ident.into(), of: None, generics: None }, span)
            }
            Err(_) => {
                let message = format!(
                    "expected a name or nothing between the braces, found `{{{name}}}`\nhelp: write `{{}}` and the value after the string"
                );
                self.error(span, message);
                None
            }
        }
    }
}

/// Text as it stands in a format string.
pub(super) fn braces_doubled(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// A piece of a format string.
enum Piece {
    /// Braces still doubled.
    Text(String),
    /// What is between the braces, before a `:`.
    Value(String),
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                plain.extend([c, c]);
            }
            '{' => {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                let inside: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let name = inside.split(':').next().unwrap_or_default();
                pieces.push(Piece::Value(name.trim().to_owned()));
            }
            other => plain.push(other),
        }
    }
    pieces.push(Piece::Text(plain));
    pieces
}
