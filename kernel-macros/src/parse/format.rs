//! Format strings: their placeholders, the argument of each, and the formatting that it asks for.
//!
//! The grammar is that of `std::fmt`. The text itself is not changed: the host formats with Rust's own `format!` of it.

use std::iter::Peekable;
use std::str::Chars;

use proc_macro2::Span;

use super::Parser;
use crate::ast::{ExprKind, Message, MessageArg, MessageUse};
use crate::diagnostics::{Loc, shown};

/// A reference to an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Which {
    /// The next one that is not named: the `n`th of these.
    Next(usize),
    /// By its number.
    Number(usize),
    /// By its name, or the variable of this name.
    Name(String),
}

/// A use of an argument.
type Use = (Which, MessageUse);

/// The types that may end a format, with what they ask of a value.
const TYPES: &[(&str, MessageUse)] = &[
    ("", MessageUse::Display),
    ("?", MessageUse::Debug),
    ("x?", MessageUse::Debug),
    ("X?", MessageUse::Debug),
    ("x", MessageUse::Int("{:x}")),
    ("X", MessageUse::Int("{:X}")),
    ("o", MessageUse::Int("{:o}")),
    ("b", MessageUse::Int("{:b}")),
    ("e", MessageUse::Number("{:e}")),
    ("E", MessageUse::Number("{:E}")),
];

/// A format string on its way.
struct Format<'t> {
    rest: Peekable<Chars<'t>>,
    uses: Vec<Use>,
    /// Number of placeholders so far that take the next argument.
    next: usize,
}

/// The uses in a format string, in order; an error says what is wrong with it.
fn uses(text: &str) -> Result<Vec<Use>, String> {
    let mut format = Format { rest: text.chars().peekable(), uses: Vec::new(), next: 0 };
    while let Some(c) = format.rest.next() {
        match c {
            '{' | '}' if format.rest.peek() == Some(&c) => {
                format.rest.next();
            }
            '{' => format.placeholder()?,
            '}' => {
                return Err(
                    "expected `{` before `}` in the format string\nhelp: write `}}` for a brace".to_owned()
                );
            }
            _ => {}
        }
    }
    Ok(format.uses)
}

impl Format<'_> {
    /// From after `{` to `}`: `[argument][:[[fill]align][sign]['#']['0'][width]['.' precision][type]]`.
    fn placeholder(&mut self) -> Result<(), String> {
        let mut inside = String::new();
        loop {
            match self.rest.next() {
                Some('}') => break,
                Some(c) => inside.push(c),
                None => {
                    return Err("expected `}` after `{` in the format string\nhelp: write `{{` for a brace"
                        .to_owned());
                }
            }
        }
        let inside = inside.as_str();
        let (argument, spec) = match inside.split_once(':') {
            Some((argument, spec)) => (argument.trim(), spec.trim_end()),
            None => (inside.trim(), ""),
        };
        let refused = || {
            format!(
                "expected a format as of `std::fmt`, such as `{{}}`, `{{name}}`, `{{:>8.3}}` or `{{:#x}}`, found `{{{inside}}}`\n\
                 help: write `{{{{` for a brace that is to be printed"
            )
        };
        let named = match argument {
            "" => None,
            text => Some(which(text).ok_or_else(refused)?),
        };
        let mut spec = Spec { rest: spec };
        spec.flags();
        let mut counts = Vec::new();
        counts.extend(spec.count());
        let mut takes_precision = false;
        if spec.eat('.') {
            if spec.eat('*') {
                takes_precision = true;
            } else {
                let before = spec.rest;
                counts.extend(spec.count());
                if spec.rest == before {
                    return Err(refused());
                }
            }
        }
        let kind = TYPES.iter().find(|row| row.0 == spec.rest);
        if spec.rest == "p" {
            return Err(format!(
                "expected a format for a value, found `{{{inside}}}` for an address\nhelp: leave the `p` out"
            ));
        }
        let Some(&(_, kind)) = kind else {
            let Some(shorter) = without_letter(inside, spec.rest) else { return Err(refused()) };
            return Err(format!(
                "expected a format as of `std::fmt`, found `{{{inside}}}` with the letter of a type\nhelp: write `{{{shorter}}}`"
            ));
        };
        // `.*` takes the argument before the value.
        if takes_precision {
            let which = self.next_one();
            self.uses.push((which, MessageUse::Count));
        }
        let which = named.unwrap_or_else(|| self.next_one());
        self.uses.push((which, kind));
        self.uses.extend(counts.into_iter().map(|which| (which, MessageUse::Count)));
        Ok(())
    }

    fn next_one(&mut self) -> Which {
        self.next += 1;
        Which::Next(self.next - 1)
    }
}

/// The inside of the braces without the letter that names a type in formats of C and Python: `:.3` for `:.3f`.
fn without_letter<'a>(inside: &'a str, letter: &str) -> Option<&'a str> {
    const LETTERS: [&str; 14] =
        ["d", "i", "u", "f", "F", "g", "G", "s", "ld", "lu", "lf", "lld", "llu", "zu"];
    let shorter = inside.trim_end().strip_suffix(LETTERS.into_iter().find(|other| *other == letter)?)?;
    Some(shorter.strip_suffix(':').unwrap_or(shorter))
}

/// A number or a name.
fn which(text: &str) -> Option<Which> {
    match text.parse() {
        Ok(number) if text.bytes().all(|digit| digit.is_ascii_digit()) => Some(Which::Number(number)),
        _ => syn::parse_str::<syn::Ident>(text).ok().map(|_| Which::Name(text.to_owned())),
    }
}

/// The format specification after the colon.
struct Spec<'t> {
    rest: &'t str,
}

impl Spec<'_> {
    fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// `[[fill]align][sign]['#']['0']`
    fn flags(&mut self) {
        const ALIGN: [char; 3] = ['<', '^', '>'];
        let mut chars = self.rest.chars();
        match (chars.next(), chars.next()) {
            (Some(_), Some(align)) if ALIGN.contains(&align) => self.rest = chars.as_str(),
            (Some(align), _) if ALIGN.contains(&align) => self.rest = &self.rest[1..],
            _ => {}
        }
        let _ = self.eat('+') || self.eat('-');
        self.eat('#');
        // `0$` is a width.
        if !self.rest.starts_with("0$") {
            self.eat('0');
        }
    }

    /// A number, or `argument$`, which is the answer.
    fn count(&mut self) -> Option<Which> {
        let digits = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if let Some((argument, rest)) = self.rest.split_once('$')
            && let Some(which) = which(argument)
        {
            self.rest = rest;
            return Some(which);
        }
        self.rest = &self.rest[digits..];
        None
    }
}

impl Parser<'_> {
    /// A format string and its arguments.
    pub(super) fn message(&mut self, arguments: &[syn::Expr]) -> Option<Message> {
        let (first, rest) = arguments.split_first()?;
        let text = match first {
            first if let Some(text) = super::macros::literal_text(first) => text,
            other => {
                let message =
                    "expected the message as a string literal\nhelp: write `\"{}\"` before the value";
                self.error(Loc::of(other), message);
                return None;
            }
        };
        let mut ok = true;
        let mut args: Vec<(Option<String>, Loc, Option<crate::ast::Expr>)> = Vec::new();
        for argument in rest {
            let (name, value) = match argument {
                syn::Expr::Assign(assign) => (Some(shown(&assign.left)), &*assign.right),
                other => (None, other),
            };
            let loc = Loc::of(argument);
            if name.is_none() && args.iter().any(|(name, ..)| name.is_some()) {
                self.error(loc, "expected a name for each argument after the first named one, found none\nhelp: move it before those");
                ok = false;
            }
            if let Some(name) = &name
                && args.iter().any(|(other, ..)| other.as_ref() == Some(name))
            {
                self.error(
                    loc,
                    format!("expected one argument `{name}`, found another\nhelp: rename one of them"),
                );
                ok = false;
            }
            let value = self.expr(value);
            args.push((name, loc, value));
        }
        let span = text.span();
        let found = match uses(&text.value()) {
            Ok(found) => found,
            Err(message) => {
                self.error(span, message);
                return None;
            }
        };
        let (given, unnamed) = (args.len(), args.iter().filter(|(name, ..)| name.is_none()).count());
        let mut used: Vec<Vec<MessageUse>> = vec![Vec::new(); given];
        for (which, how) in found {
            let index = match which {
                Which::Next(index) | Which::Number(index) if index < given => index,
                Which::Next(_) | Which::Number(_) if !ok => continue,
                Which::Next(index) | Which::Number(index) => {
                    let place =
                        if matches!(which, Which::Next(_)) { String::new() } else { index.to_string() };
                    let message = format!(
                        "expected a value for each `{{}}`, found {unnamed} for `{{{place}}}`\nhelp: add it after the string"
                    );
                    self.error(span, message);
                    ok = false;
                    continue;
                }
                Which::Name(name) => {
                    match args.iter().position(|(other, ..)| other.as_ref() == Some(&name)) {
                        Some(index) => index,
                        None => {
                            let value = self.captured(&name, span);
                            args.push((Some(name), span.into(), value));
                            used.push(Vec::new());
                            args.len() - 1
                        }
                    }
                }
            };
            used[index].push(how);
        }
        if ok && let Some(index) = used.iter().position(Vec::is_empty) {
            let (name, loc, _) = &args[index];
            let message = match name {
                Some(name) => format!(
                    "expected `{name}` in the format string, found an argument of that name only\nhelp: write `{{{name}}}`, or leave it out"
                ),
                None => {
                    let used = used[..unnamed].iter().filter(|uses| !uses.is_empty()).count();
                    let instead = match conversion(&text.value()) {
                        Some(conversion) => format!("in place of C's `{conversion}`"),
                        None => "for each".to_owned(),
                    };
                    format!(
                        "expected {used} value{} for the message, found {unnamed}\nhelp: write `{{}}` {instead}",
                        if used == 1 { "" } else { "s" }
                    )
                }
            };
            self.error(*loc, message);
            ok = false;
        }
        let args = args
            .into_iter()
            .zip(used)
            .map(|((name, _, value), uses)| Some(MessageArg { name, value: value?, uses }));
        let args = args.collect::<Option<_>>()?;
        ok.then(|| Message { text: text.value(), args })
    }

    /// The variable of `{name}` in a format string.
    fn captured(&mut self, name: &str, span: Span) -> Option<crate::ast::Expr> {
        let mut ident = syn::parse_str::<syn::Ident>(name).ok()?;
        ident.set_span(span);
        self.node(ExprKind::Path { path: ident.into(), of: None, generics: None }, span)
    }
}

/// The first conversion of C's `printf` in a text: `%d`, `%5.2f`, `%llu`.
fn conversion(text: &str) -> Option<&str> {
    text.match_indices('%').find_map(|(start, _)| {
        let rest = &text[start + 1..];
        let flags = rest.find(|c: char| !c.is_ascii_digit() && !"-+#.lhz".contains(c))?;
        let kind = rest[flags..].chars().next().filter(|&kind| "diuxXofeEgGcsp".contains(kind))?;
        Some(&text[start..start + 1 + flags + kind.len_utf8()])
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let shown = match uses(text) {
            Ok(uses) => {
                let uses = uses.iter().map(|(which, how)| {
                    let which = match which {
                        Which::Next(index) => format!("next {index}"),
                        Which::Number(index) => format!("number {index}"),
                        Which::Name(name) => name.clone(),
                    };
                    format!("{which} {how:?}")
                });
                uses.collect::<Vec<_>>().join(", ")
            }
            Err(message) => message,
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn plain_text_and_braces() {
        check("plain, {{ and }}", expect![""]);
        check(
            "{",
            expect![[r#"
            expected `}` after `{` in the format string
            help: write `{{` for a brace"#]],
        );
        check(
            "a } b",
            expect![[r#"
            expected `{` before `}` in the format string
            help: write `}}` for a brace"#]],
        );
        check(
            "{a b}",
            expect![[r#"
            expected a format as of `std::fmt`, such as `{}`, `{name}`, `{:>8.3}` or `{:#x}`, found `{a b}`
            help: write `{{` for a brace that is to be printed"#]],
        );
    }

    #[test]
    fn arguments() {
        check(
            "{} {1} {} {name} {name}",
            expect!["next 0 Display, number 1 Display, next 1 Display, name Display, name Display"],
        );
        check(
            "{:?} {:x} {0:E} {x:#?} {:#x?} {:o}",
            expect![[
                r#"next 0 Debug, next 1 Int("{:x}"), number 0 Number("{:E}"), x Debug, next 2 Debug, next 3 Int("{:o}")"#
            ]],
        );
        check(
            "{:p}",
            expect![[r#"
            expected a format for a value, found `{:p}` for an address
            help: leave the `p` out"#]],
        );
        check(
            "{:y}",
            expect![[r#"
            expected a format as of `std::fmt`, such as `{}`, `{name}`, `{:>8.3}` or `{:#x}`, found `{:y}`
            help: write `{{` for a brace that is to be printed"#]],
        );
    }

    #[test]
    fn letters_of_types() {
        check(
            "{:.3f}",
            expect![[r#"
            expected a format as of `std::fmt`, found `{:.3f}` with the letter of a type
            help: write `{:.3}`"#]],
        );
        check(
            "{n:d}",
            expect![[r#"
            expected a format as of `std::fmt`, found `{n:d}` with the letter of a type
            help: write `{n}`"#]],
        );
        check(
            "{:5lu}",
            expect![[r#"
            expected a format as of `std::fmt`, found `{:5lu}` with the letter of a type
            help: write `{:5}`"#]],
        );
    }

    #[test]
    fn flags_widths_and_precisions() {
        check(
            "{:>8.3} {:*^+#010.2} {:<5} {:-<5} {: ^5e}",
            expect![[
                r#"next 0 Display, next 1 Display, next 2 Display, next 3 Display, next 4 Number("{:e}")"#
            ]],
        );
        check(
            "{:width$} {:.precision$} {:1$} {:>0$.2$} {:0width$}",
            expect![
                "next 0 Display, width Count, next 1 Display, precision Count, next 2 Display, number 1 Count, next 3 Display, number 0 Count, number 2 Count, next 4 Display, width Count"
            ],
        );
        check(
            "{:.*} {0:.*} {name:.*}",
            expect![
                "next 0 Count, next 1 Display, next 2 Count, number 0 Display, next 3 Count, name Display"
            ],
        );
        check(
            "{:.}",
            expect![[r#"
            expected a format as of `std::fmt`, such as `{}`, `{name}`, `{:>8.3}` or `{:#x}`, found `{:.}`
            help: write `{{` for a brace that is to be printed"#]],
        );
    }
}
