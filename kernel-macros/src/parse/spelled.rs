//! The source text of expressions, from their tokens: the message of an assertion without one.
//!
//! On stable Rust a macro cannot see the source positions of tokens, and tokens from `macro_rules` have no source; so the spaces
//! are put where `rustfmt` would.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

use crate::declarative::as_written;

/// The kind of the previous token, as far as it decides about the next space.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing, or what attaches to what follows: an opening bracket, a sign before a value, a dot.
    Open,
    /// A value has ended: a name, a literal, a closing bracket.
    Value,
    /// A keyword, an operator between values, a comma: a space follows, and then a value.
    Between,
}

/// Words after which a value is still to come.
const KEYWORDS: &[&str] =
    &["as", "break", "else", "if", "in", "let", "match", "move", "mut", "return", "while"];

/// Operators between values that stand without spaces.
const TIGHT: &[&str] = &[".", "..", "..=", "::", "?"];

/// The text of an expression.
pub fn spelled(tokens: &impl ToTokens) -> String {
    let mut text = String::new();
    write(&mut text, tokens.to_token_stream(), Last::Open);
    as_written(&text)
}

/// Appends tokens after `last`; returns the kind of the last one.
fn write(text: &mut String, tokens: TokenStream, mut last: Last) -> Last {
    let mut rest = tokens.into_iter().peekable();
    // Number of open `<` of generic arguments, and true between a closure's `|`.
    let (mut generics, mut params) = (0, false);
    while let Some(tree) = rest.next() {
        last = match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace if group.stream().is_empty() => ("{", "}"),
                    Delimiter::Brace => ("{ ", " }"),
                    // A fragment that `macro_rules` has captured.
                    Delimiter::None => {
                        last = write(text, group.stream(), last);
                        continue;
                    }
                };
                if last == Last::Between || (last == Last::Value && group.delimiter() == Delimiter::Brace) {
                    text.push(' ');
                }
                text.push_str(open);
                write(text, group.stream(), Last::Open);
                text.push_str(close);
                Last::Value
            }
            TokenTree::Ident(ident) => {
                if last != Last::Open {
                    text.push(' ');
                }
                let word = ident.to_string();
                text.push_str(&word);
                if KEYWORDS.contains(&word.as_str()) { Last::Between } else { Last::Value }
            }
            TokenTree::Literal(literal) => {
                if last != Last::Open {
                    text.push(' ');
                }
                text.push_str(&literal.to_string());
                Last::Value
            }
            TokenTree::Punct(first) => {
                let mut sign = String::from(first.as_char());
                let mut spacing = first.spacing();
                while let (Spacing::Joint, Some(TokenTree::Punct(next))) = (spacing, rest.peek()) {
                    if !continues(&sign, next.as_char(), generics) {
                        break;
                    }
                    sign.push(next.as_char());
                    spacing = next.spacing();
                    rest.next();
                }
                match sign.as_str() {
                    "'" => {
                        if last != Last::Open {
                            text.push(' ');
                        }
                        text.push('\'');
                        Last::Open
                    }
                    "," | ";" => {
                        text.push_str(&sign);
                        Last::Between
                    }
                    // `::<T>`, and `<T>::`.
                    "<" if last != Last::Value || text.ends_with("::") => {
                        if last == Last::Between {
                            text.push(' ');
                        }
                        generics += 1;
                        text.push('<');
                        Last::Open
                    }
                    ">" if generics > 0 => {
                        generics -= 1;
                        text.push('>');
                        Last::Value
                    }
                    "|" | "||" if last != Last::Value || params => {
                        if last == Last::Between && !params {
                            text.push(' ');
                        }
                        text.push_str(&sign);
                        params = sign == "|" && !params;
                        if params { Last::Open } else { Last::Between }
                    }
                    ":" => {
                        text.push(':');
                        Last::Between
                    }
                    tight if TIGHT.contains(&tight) => {
                        if last == Last::Between {
                            text.push(' ');
                        }
                        text.push_str(tight);
                        if tight == "?" { Last::Value } else { Last::Open }
                    }
                    // `matches!(…)`
                    "!" if last == Last::Value => {
                        text.push('!');
                        Last::Value
                    }
                    before if last != Last::Value => {
                        if last == Last::Between {
                            text.push(' ');
                        }
                        text.push_str(before);
                        Last::Open
                    }
                    between => {
                        text.push(' ');
                        text.push_str(between);
                        Last::Between
                    }
                }
            }
        };
    }
    last
}

/// Returns true if the character continues the operator before it.
fn continues(sign: &str, next: char, generics: usize) -> bool {
    const OPERATORS: &[&str] = &[
        "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "..", "..=", "::", "->", "=>", "+=", "-=", "*=",
        "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
    ];
    let joined = format!("{sign}{next}");
    !(generics > 0 && sign == ">") && OPERATORS.contains(&joined.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Read with spaces everywhere, as what `macro_rules` made is shown, and written again.
    fn check(text: &str) {
        let tokens: TokenStream = text.parse().expect("tokens");
        assert_eq!(spelled(&tokens), text);
    }

    #[test]
    fn expressions_are_spelled_as_rustfmt_does() {
        [
            "a < b && !c",
            "!(armed && i == 200)",
            "-x[i] * (n - 1) >= 3.5e2",
            "f(&x, &mut y, *z)[2].abs() as u32 > 1 << 4",
            "x.iter().all(|&v| v < 3 || v == -1)",
            "x.iter().map(|v: &i32| *v).sum::<i32>() > 0",
            "matches!(a, Some(1..=3))",
            "a..b",
            "Point { x: 1, y: -2 } == p",
            "<f32 as Number>::ONE < f32::MAX",
            "[0u8; 4] != [1, 2, 3, 4]",
            "if a { 1 } else { 2 } == 'x'",
            "x.0 == a % 2 | b",
        ]
        .into_iter()
        .for_each(check);
    }
}
