//! The words of textual IR.

use std::fmt;

use super::ParseError;

/// Start of a token in the text, from one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    line: u32,
    column: u32,
}

impl Place {
    pub(super) fn error(self, expected: impl Into<String>, found: String) -> ParseError {
        ParseError { line: self.line, column: self.column, expected: expected.into(), found }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Letters, digits, `_`, `$` and inner dots, starting with no digit: `load.global`.
    Word(&'a str),
    /// Starts with a digit: `16`, `0xff`, `1.5e-3`.
    Number(&'a str),
    /// In quotes, with Rust's escapes for quote, backslash, tab, newline and code points.
    Str(String),
    Punct(char),
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(text) | Token::Number(text) => write!(f, "`{text}`"),
            Token::Str(text) => write!(f, "{text:?}"),
            Token::Punct(punct) => write!(f, "`{punct}`"),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

pub(super) struct Lexer<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { rest: text, place: Place { line: 1, column: 1 } }
    }

    /// Takes the first `bytes` of the rest.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            match c {
                '\n' => self.place = Place { line: self.place.line + 1, column: 1 },
                _ => self.place.column += 1,
            }
        }
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            if !self.rest.starts_with(';') {
                return;
            }
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
    }

    pub(super) fn next(&mut self) -> Result<(Place, Token<'a>), ParseError> {
        self.skip_blanks();
        let place = self.place;
        let token = match self.rest.chars().next() {
            None => Token::End,
            Some('"') => Token::Str(self.string()?),
            Some(c) if c.is_ascii_digit() => Token::Number(self.number()),
            Some(c) if c.is_ascii_alphabetic() || c == '_' || c == '$' => {
                let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
                let end = self.rest.find(|c| !inner(c)).unwrap_or(self.rest.len());
                Token::Word(self.take(end))
            }
            Some(c) => {
                self.take(c.len_utf8());
                Token::Punct(c)
            }
        };
        Ok((place, token))
    }

    fn number(&mut self) -> &'a str {
        let hexadecimal = self.rest.starts_with("0x");
        let mut before = '\0';
        let end = self.rest.find(|c: char| {
            let exponent_sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !hexadecimal;
            before = c;
            !(c.is_ascii_alphanumeric() || c == '.' || exponent_sign)
        });
        self.take(end.unwrap_or(self.rest.len()))
    }

    fn string(&mut self) -> Result<String, ParseError> {
        let start = self.place;
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        loop {
            match chars.next() {
                Some((end, '"')) => {
                    self.take(end + 1);
                    return Ok(text);
                }
                Some((_, '\\')) => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, '0')) => text.push('\0'),
                    Some((_, 'u')) => {
                        let digits = chars.by_ref().map(|(_, c)| c).take_while(|&c| c != '}');
                        let digits: String = digits.skip(1).collect();
                        match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                            Some(c) => text.push(c),
                            None => return Err(start.error("a code point", format!("`\\u{{{digits}}}`"))),
                        }
                    }
                    Some((_, c)) => text.push(c),
                    None => return Err(start.error("a closing quote", Token::End.to_string())),
                },
                Some((_, '\n')) | None => {
                    return Err(start.error("a string that is closed on its line", "`\"`".into()));
                }
                Some((_, c)) => text.push(c),
            }
        }
    }
}
