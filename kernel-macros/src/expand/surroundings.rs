//! The source around a kernel. A macro is given its item alone; an `impl` or a `trait` cannot hold the items that a kernel expands to,
//! and rustc would report each of them. So the source around the item is scanned, as far as braces, strings and comments go.

use proc_macro2::{LineColumn, Span, TokenStream, TokenTree};

use crate::diagnostics::Diagnostics;

/// The construct around an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Impl,
    Trait,
    Other,
}

/// Keywords that begin a construct with braces.
const HEADS: &[(&str, Around)] = &[
    ("impl", Around::Impl),
    ("trait", Around::Trait),
    ("fn", Around::Other),
    ("mod", Around::Other),
    ("const", Around::Other),
    ("static", Around::Other),
    ("let", Around::Other),
    ("macro_rules", Around::Other),
];

/// Refuses a kernel directly in an `impl` or a `trait`, if the source can be read.
pub fn check(item: &TokenStream, diagnostics: &mut Diagnostics) {
    let place = Span::call_site();
    let Some(source) = place.local_file().and_then(|path| std::fs::read_to_string(path).ok()) else { return };
    let (what, from) = match around(&source, place.start()) {
        Around::Impl => ("an `impl`", "the `impl`"),
        Around::Trait => ("a `trait`", "the `trait`"),
        Around::Other => return,
    };
    let message =
        format!("expected a free function as kernel, found one in {what}\nhelp: move it out of {from}");
    let mut trees = item.clone().into_iter();
    let name =
        trees.find(|tree| matches!(tree, TokenTree::Ident(word) if word == "fn")).and_then(|_| trees.next());
    diagnostics.error(name.map_or(place, |name| name.span()), message);
}

/// The construct whose braces most closely enclose a location.
fn around(source: &str, at: LineColumn) -> Around {
    let mut scan = Scan { open: Vec::new(), head: None };
    let line = source.split_inclusive('\n').take(at.line.saturating_sub(1)).map(str::len).sum::<usize>();
    let column = source[line..].chars().take(at.column).map(char::len_utf8).sum::<usize>();
    let mut rest = &source[..line + column];
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment(rest),
            '"' => string(rest),
            '\'' => character(rest),
            c if c == '_' || c.is_alphabetic() => {
                let word = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
                let after = &rest[word..];
                match &rest[..word] {
                    "r" | "br" | "cr" if after.starts_with(['"', '#']) => word + raw(after),
                    word => {
                        scan.word(word);
                        word.len()
                    }
                }
            }
            c => {
                scan.mark(c);
                c.len_utf8()
            }
        };
        rest = rest.get(len..).unwrap_or("");
    }
    scan.open.last().map_or(Around::Other, |open| open.0)
}

/// The brackets that are open.
struct Scan {
    /// For each the construct that it belongs to, and the `head` that its end restores.
    open: Vec<(Around, Option<Around>)>,
    /// The first word of [`HEADS`] since the last item or statement.
    head: Option<Around>,
}

impl Scan {
    fn word(&mut self, word: &str) {
        if self.head.is_none() {
            self.head = HEADS.iter().find(|row| row.0 == word).map(|row| row.1);
        }
    }

    fn mark(&mut self, mark: char) {
        match mark {
            '{' => self.open.push((self.head.unwrap_or(Around::Other), None)),
            '(' | '[' => self.open.push((Around::Other, self.head)),
            '}' | ')' | ']' => self.head = self.open.pop().and_then(|open| open.1),
            ';' => self.head = None,
            _ => {}
        }
        if matches!(mark, '{' | '(' | '[') {
            self.head = None;
        }
    }
}

/// The length of `/* … */`, which may hold others.
fn comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(mark) = text[at..].find(['/', '*']) {
        at += mark;
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (at, depth) = (at + 2, depth + 1);
        } else if rest.starts_with("*/") {
            (at, depth) = (at + 2, depth.saturating_sub(1));
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of `"…"`.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of `'c'`; a lifetime's is that of its quote.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((escaped, c))) => {
            let after = escaped + c.len_utf8();
            after + text[after..].find('\'').map_or(0, |quote| quote + 1)
        }
        (Some(_), Some((quote, '\''))) => quote + 1,
        _ => 1,
    }
}

/// The length of `#"…"#` after an `r`, or of the `#` of a raw name.
fn raw(text: &str) -> usize {
    let hashes = text.find(|c| c != '#').unwrap_or(text.len());
    if !text[hashes..].starts_with('"') {
        return hashes;
    }
    let end = format!("\"{}", &text[..hashes]);
    text[hashes + 1..].find(&end).map_or(text.len(), |found| hashes + 1 + found + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the construct around the `@` of a text.
    #[track_caller]
    fn check(source: &str, expected: Around) {
        let (before, _) = source.split_once('@').expect("a place");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
        assert_eq!(around(source, LineColumn { line, column }), expected, "{source}");
    }

    #[test]
    fn items_in_impls_and_traits() {
        check("@fn k() {}", Around::Other);
        check("struct S;\nimpl S {\n    @fn k() {}\n}", Around::Impl);
        check("impl S { fn a(&self) -> [u8; { 3 }] { if x { y } } @fn k() {} }", Around::Impl);
        check("pub unsafe trait T: Sized { const N: usize; @fn k(); }", Around::Trait);
        check("impl<const N: usize> S<N> where [f32; N]: Sized { @fn k() {} }", Around::Impl);
        check("impl S {} @fn k() {}", Around::Other);
        check("impl S { fn a() { @fn k() {} } }", Around::Other);
        check("fn a(f: impl Fn()) -> impl Sized { @fn k() {} }", Around::Other);
        check("mod m { impl S {}\n mod inner { @fn k() {} } }", Around::Other);
        check("impl S { const C: () = { @fn k() {} }; }", Around::Other);
    }

    #[test]
    fn braces_in_text_do_not_count() {
        check("impl S { // }\n /* } /* } */ } */ @fn k() {} }", Around::Impl);
        check(
            "impl S { const A: &str = \"}\\\"}\"; const B: char = '}'; const C: char = '\\''; @fn k() {} }",
            Around::Impl,
        );
        check(
            "impl<'a> S<'a> { const A: &'a str = r#\"}\"}\"#; const r#B: &[u8] = br\"}\"; @fn k() {} }",
            Around::Impl,
        );
        check("impl S { const A: char = 'é'; const B: char = '\\u{7d}'; @fn k() {} }", Around::Impl);
    }
}
