//! Marks on names: the expansions whose templates a name comes from, the innermost last, and the definitions that they expand.
//!
//! A stable compiler does not tell spans of expansions apart, so a mark is part of the name's text, `t··7`, until
//! [`hygiene`](super::hygiene) has found what the name means.

use std::ops::Range;

use proc_macro2::{Ident, Literal, Span};

/// Separator before each mark in a marked name: no name of a source is likely to have it.
const MARK: &str = "··";

/// Separator before the number of a variable that shares its name with another: `t·2`.
const NUMBER: char = '·';

/// Words that are never a variable or a label.
const KEYWORDS: &[&str] = &[
    "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self",
    "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

pub fn is_keyword(text: &str) -> bool {
    KEYWORDS.binary_search(&text).is_ok()
}

/// A text without marks.
pub fn unmarked(text: &str) -> String {
    without(text, MARK)
}

/// A text without the numbers of variables: as it was written.
pub fn as_written(text: &str) -> String {
    match text.contains(NUMBER) {
        true => without(text, "·"),
        false => text.to_owned(),
    }
}

/// A variable's name without its number.
pub fn name_as_written(name: &Ident) -> Ident {
    let text = name.to_string();
    match text.contains(NUMBER) {
        true => renamed(name, &as_written(text.strip_prefix("r#").unwrap_or(&text))),
        false => name.clone(),
    }
}

fn without(text: &str, sign: &str) -> String {
    let mut parts = text.split(sign);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|digit: char| digit.is_ascii_digit());
        if rest.len() == part.len() {
            plain.push_str(sign);
        }
        plain.push_str(rest);
    }
    plain
}

/// The name without marks, and its marks.
pub fn parts(text: &str) -> (String, Vec<usize>) {
    let text = text.strip_prefix("r#").unwrap_or(text);
    let mut parts = text.split(MARK);
    let base = parts.next().unwrap_or_default().to_owned();
    (base, parts.filter_map(|number| number.parse().ok()).collect())
}

/// Another name at the same place, raw if this one is.
pub fn renamed(name: &Ident, text: &str) -> Ident {
    match name.to_string().starts_with("r#") {
        true => Ident::new_raw(text, name.span()),
        false => Ident::new(text, name.span()),
    }
}

/// The name with one more mark.
pub fn marked(name: &Ident, mark: usize) -> Ident {
    let text = name.to_string();
    renamed(name, &format!("{}{MARK}{mark}", text.strip_prefix("r#").unwrap_or(&text)))
}

/// The name with its number.
pub fn numbered(base: &str, number: usize) -> String {
    format!("{base}{NUMBER}{number}")
}

/// A text with a mark.
pub fn text_marked(base: &str, mark: usize) -> String {
    format!("{base}{MARK}{mark}")
}

/// The names in the format string that a literal is by its source: of `{name}`, `{name:width$}`.
pub fn captured(source: &str) -> Vec<Range<usize>> {
    let in_name = |c: char| c == '_' || c == NUMBER || c.is_alphanumeric();
    let name_at = |start: usize| {
        let rest = &source[start..];
        let end = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
        let is_name = end > 0 && !rest.starts_with(|c: char| c.is_ascii_digit());
        (start..start + end, is_name)
    };
    let mut found = Vec::new();
    let mut at = 0;
    if !source.contains('"') {
        return found;
    }
    while let Some(open) = source[at..].find('{').map(|open| at + open) {
        at = open + 1;
        if source[at..].starts_with('{') {
            at += 1;
            continue;
        }
        if source[..open].ends_with("\\u") {
            continue;
        }
        let (name, is_name) = name_at(at);
        let end = name.end;
        let rest = &source[end..];
        if !rest.starts_with(['}', ':', ' ']) {
            continue;
        }
        if is_name {
            found.push(name);
        }
        at = end;
        // Counts: `width$`.
        let close = source[end..].find('}').map_or(source.len(), |close| end + close);
        while at < close {
            let (name, is_name) = name_at(at);
            if is_name && source[name.end..].starts_with('$') {
                found.push(name.clone());
            }
            at = name.end;
            at += source[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// The literal with other names in its format string.
pub fn with_names(literal: &Literal, mut rename: impl FnMut(&str) -> String) -> Literal {
    let source = literal.to_string();
    let names = captured(&source);
    if names.is_empty() {
        return literal.clone();
    }
    let (mut text, mut done) = (String::new(), 0);
    for name in names {
        text.push_str(&source[done..name.start]);
        text.push_str(&rename(&source[name.clone()]));
        done = name.end;
    }
    text.push_str(&source[done..]);
    match text.parse::<Literal>() {
        Ok(mut renamed) => {
            renamed.set_span(literal.span());
            renamed
        }
        Err(_) => literal.clone(),
    }
}

/// The hygiene of what a macro writes.
pub fn of_macro(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_format_strings() {
        let names = |source: &str| {
            captured(source).into_iter().map(|name| source[name].to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(r#""{a} {{b}} {} {0} {c:?} {d:>w$.p$} {:1$} \u{ab} {e·1}""#), "a c d w p e·1");
        assert_eq!(names("1.0"), "");
    }

    #[test]
    fn marks_come_off() {
        assert_eq!(unmarked("t··1··22"), "t");
        assert_eq!(unmarked(r#""{t··1} {l·l}""#), r#""{t} {l·l}""#);
        assert_eq!(parts("r#t··1··22"), ("t".to_owned(), vec![1, 22]));
        assert_eq!(as_written("`t·2` and l·l"), "`t` and l·l");
        assert!(KEYWORDS.is_sorted());
    }
}
