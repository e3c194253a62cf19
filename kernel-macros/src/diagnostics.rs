//! Errors, collected and reported between phases, and what part of the source they point at.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use crate::declarative::as_written;

/// A stretch of source: its first and its last token.
///
/// On stable Rust a macro cannot join two spans, so both are kept; an error underlines everything between them.
#[derive(Clone, Copy, Debug)]
pub struct Loc {
    /// The first token.
    pub start: Span,
    /// The last token.
    pub end: Span,
}

impl Loc {
    /// From the start of one to the end of another.
    pub fn between(first: impl Into<Loc>, last: impl Into<Loc>) -> Loc {
        Loc { start: first.into().start, end: last.into().end }
    }

    /// The location of these tokens. Builds a token stream: for errors, not for every node.
    pub fn of(tokens: &impl ToTokens) -> Loc {
        let mut spans = tokens.to_token_stream().into_iter();
        let first = spans.next();
        let last = spans.last();
        match (first, last) {
            (Some(first), Some(last)) => Loc { start: open(&first), end: close(&last) },
            (Some(only), None) => Loc { start: open(&only), end: close(&only) },
            (None, _) => Span::call_site().into(),
        }
    }
}

fn open(tree: &proc_macro2::TokenTree) -> Span {
    match tree {
        proc_macro2::TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    }
}

fn close(tree: &proc_macro2::TokenTree) -> Span {
    match tree {
        proc_macro2::TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    }
}

impl From<Span> for Loc {
    fn from(span: Span) -> Loc {
        Loc { start: span, end: span }
    }
}

impl From<&Ident> for Loc {
    fn from(ident: &Ident) -> Loc {
        ident.span().into()
    }
}

/// One mistake: where it is, what was expected, what was found, and after `help:` what to write instead.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The tokens at fault.
    pub loc: Loc,
    /// The text.
    pub message: String,
    /// Number of further locations with the same mistake.
    more: usize,
    /// True if rustc has reported it as well: it parses every item before a macro does.
    known_to_rustc: bool,
}

impl Diagnostic {
    /// A mistake at one place.
    pub fn new(loc: impl Into<Loc>, message: impl Into<String>) -> Diagnostic {
        let message = as_written(&message.into());
        Diagnostic { loc: loc.into(), message, more: 0, known_to_rustc: false }
    }

    /// Its text with the number of places.
    fn counted(mut self) -> Diagnostic {
        if self.more > 0 {
            let more = match self.more {
                1 => ", and at another place".to_owned(),
                more => format!(", and at {more} other places"),
            };
            self.message.insert_str(headline(&self.message).len(), &more);
            self.more = 0;
        }
        self
    }

    fn to_compile_error(&self) -> TokenStream {
        if self.known_to_rustc {
            return self.to_last_resort();
        }
        // `new_spanned` underlines from the first token to the last: two stand for all between them.
        let ends = [Ident::new("a", self.loc.start), Ident::new("b", self.loc.end)];
        let tokens: TokenStream = ends.into_iter().map(proc_macro2::TokenTree::from).collect();
        syn::Error::new_spanned(tokens, &self.message).to_compile_error()
    }

    /// An error that rustc reports only if it reports no other: for syntax that it knows and `syn` does not. Lints come last.
    fn to_last_resort(&self) -> TokenStream {
        let message = &self.message;
        quote_spanned! {self.loc.start=>
            const _: () = {
                #[must_use = #message]
                struct Unread;
                #[deny(unused_must_use)]
                #[allow(dead_code)]
                fn unread(read: fn() -> Unread) {
                    read();
                }
            };
        }
    }
}

/// A message without its help.
fn headline(message: &str) -> &str {
    message.split("\nhelp:").next().unwrap_or(message)
}

/// The mistakes that were found so far.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    errors: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Records a mistake.
    pub fn error(&mut self, at: impl Into<Loc>, message: impl Into<String>) {
        self.errors.push(Diagnostic::new(at, message));
    }

    /// Records a mistake that is reported at its first location only, with the number of the others, whatever the help is there.
    pub fn error_at_first(&mut self, at: impl Into<Loc>, message: impl Into<String>) {
        let (loc, message) = (at.into(), message.into());
        let same = self.errors.iter_mut().find(|error| headline(&error.message) == headline(&message));
        let Some(same) = same else {
            return self.error(loc, message);
        };
        let place = |loc: Loc| (loc.start.start().line, loc.start.start().column);
        if place(loc) < place(same.loc) {
            same.loc = loc;
        }
        same.more += 1;
    }

    /// Records a mistake that follows from one which rustc reports.
    pub fn error_known_to_rustc(&mut self, at: impl Into<Loc>, message: impl Into<String>) {
        self.errors.push(Diagnostic { known_to_rustc: true, ..Diagnostic::new(at, message) });
    }

    /// Records what `syn` refused of an item that rustc has read.
    pub fn syntax_of_item(&mut self, error: &syn::Error) {
        let known = self.errors.len();
        self.syntax(error);
        self.errors[known..].iter_mut().for_each(|error| error.known_to_rustc = true);
    }

    /// Records what `syn` refused.
    pub fn syntax(&mut self, error: &syn::Error) {
        for error in error {
            self.error(error.span(), error.to_string());
        }
    }

    /// Number of mistakes so far.
    pub fn count(&self) -> usize {
        self.errors.len()
    }

    /// Forgets all but the first ones: they were found on trial.
    pub fn forget_after(&mut self, count: usize) {
        self.errors.truncate(count);
    }

    /// Ends a phase: `Err` if any mistake was found up to here.
    pub fn finish(&self) -> Result<(), Mistakes> {
        if self.errors.is_empty() { Ok(()) } else { Err(Mistakes) }
    }

    /// All of them, in the order in which they were found.
    pub fn into_errors(self) -> Vec<Diagnostic> {
        self.errors.into_iter().map(Diagnostic::counted).collect()
    }
}

/// The mark of a phase that found mistakes; the [`Diagnostics`] hold them.
#[derive(Clone, Copy, Debug)]
pub struct Mistakes;

/// Each mistake once: one in a generic function is found in each instance, with the types of that instance in its text. The first at a place stays.
pub fn once_each(mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    errors.retain(|error| {
        let (start, end) = (error.loc.start.start(), error.loc.end.end());
        seen.insert((start.line, start.column, end.line, end.column))
    });
    errors
}

/// The errors as `compile_error!` invocations.
pub fn to_compile_errors(errors: &[Diagnostic]) -> TokenStream {
    errors.iter().map(Diagnostic::to_compile_error).collect()
}

/// Tokens in a message, spaced as one would write them: without a source text `proc_macro2` puts a space everywhere.
pub fn shown(tokens: &impl ToTokens) -> String {
    const SPACED: &[(&str, &str)] = &[
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("& ", "&"),
        ("* ", "*"),
        (" ;", ";"),
        (" ,", ","),
        (" (", "("),
    ];
    SPACED.iter().fold(tokens.to_token_stream().to_string(), |text, (from, to)| text.replace(from, to))
}

/// The candidate nearest to `name`, if one is near enough to have been meant.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = name.chars().count() / 3;
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words; case does not count.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A syntax error of an item is left to rustc: it becomes a denied lint, which rustc reports only if it finds no error itself.
    #[test]
    fn syntax_errors_are_left_to_rustc() {
        let errors = |body: &str| {
            let item = format!("fn k(y: &mut [f32]) {{ {body} }}").parse().expect("Rust's tokens");
            let expansion = crate::expand::expand(TokenStream::new(), item).to_string();
            (expansion.matches("compile_error").count(), expansion.matches("must_use").count())
        };
        assert_eq!(errors("let i = 1 if i == 1 {}"), (0, 2));
        assert_eq!(errors("y[0] = z;"), (1, 0));
    }

    #[test]
    fn a_mistake_is_told_at_its_first_place_with_the_number_of_the_others() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.error_at_first(Span::call_site(), "no `a`\nhelp: one");
        assert_eq!(diagnostics.errors.len(), 1);
        diagnostics.error_at_first(Span::call_site(), "no `a`\nhelp: other");
        diagnostics.error_at_first(Span::call_site(), "no `b`");
        diagnostics.error_at_first(Span::call_site(), "no `a`");
        let told: Vec<String> = diagnostics.into_errors().into_iter().map(|error| error.message).collect();
        assert_eq!(told, ["no `a`, and at 2 other places\nhelp: one", "no `b`"]);
    }
}
