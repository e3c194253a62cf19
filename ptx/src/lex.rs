//! PTX text as tokens with positions.
//!
//! A dot begins a word of the language (`.f32`, `.shared::cta`), so `add.f32` is two tokens. Numbers stay text: `9.0`
//! is a version in one place and a float in another.

use std::fmt::{self, Display, Formatter};

use super::parse::ParseError;
use super::tree::Position;

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind<'a> {
    /// An identifier or opcode: `add`, `%r1`, `$L__BB0_2`, `_`.
    Word(&'a str),
    /// A word of the language, without its dot: `f32`, `shared::cta`.
    Dotted(&'a str),
    /// A number as it was written: `0x1F`, `12U`, `0f3F800000`, `9.0`.
    Number(&'a str),
    /// Text between double quotes, as it was written.
    String(&'a str),
    /// Any other character of the language.
    Punctuation(char),
    /// After the last token.
    End,
}

impl Display for TokenKind<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Word(text) | TokenKind::Number(text) => write!(f, "'{text}'"),
            TokenKind::Dotted(text) => write!(f, "'.{text}'"),
            TokenKind::String(text) => write!(f, "\"{text}\""),
            TokenKind::Punctuation(c) => write!(f, "'{c}'"),
            TokenKind::End => write!(f, "the end of the text"),
        }
    }
}

/// A token and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Its kind.
    pub kind: TokenKind<'a>,
    /// Line and column of its first character.
    pub position: Position,
    /// Byte offset of its first character.
    pub offset: usize,
}

/// The tokens of a text; the last one is [`TokenKind::End`].
pub fn lex(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut lexer = Lexer { text, offset: 0, position: Position { line: 1, column: 1 } };
    // Three characters a token is about what compilers write.
    let mut tokens = Vec::with_capacity(text.len() / 3);
    loop {
        let token = lexer.next()?;
        tokens.push(token);
        if token.kind == TokenKind::End {
            return Ok(tokens);
        }
    }
}

/// Characters that stand for themselves.
const PUNCTUATION: &str = "{}[]()<>,;:@!|+-*/%&^~=?";

struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    /// Of the character at `offset`.
    position: Position,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Result<Token<'a>, ParseError> {
        self.skip_blanks()?;
        let (position, offset) = (self.position, self.offset);
        let kind = match self.rest().chars().next() {
            None => TokenKind::End,
            Some('"') => self.string()?,
            Some('.') => self.dotted()?,
            Some('0'..='9') => self.number(),
            // `%` alone is an operator.
            Some(c) if begins_word(c) && !(c == '%' && self.word_length(1) == 0) => {
                TokenKind::Word(self.take(1 + self.word_length(1)))
            }
            Some(c) if PUNCTUATION.contains(c) => {
                self.take(1);
                TokenKind::Punctuation(c)
            }
            Some(c) => return Err(ParseError::new(position, "a token of PTX", format!("{c:?}"))),
        };
        Ok(Token { kind, position, offset })
    }

    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    /// Passes over so many bytes, which end at a character boundary.
    fn take(&mut self, length: usize) -> &'a str {
        let taken = &self.rest()[..length];
        for c in taken.chars() {
            if c == '\n' {
                self.position = Position { line: self.position.line + 1, column: 1 };
            } else {
                self.position.column += 1;
            }
        }
        self.offset += length;
        taken
    }

    /// Passes over white space and comments.
    fn skip_blanks(&mut self) -> Result<(), ParseError> {
        loop {
            let rest = self.rest();
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let end = comment.find("*/");
                let end =
                    end.ok_or_else(|| ParseError::new(self.position, "'*/'", "a comment without end"))?;
                end + 4
            } else {
                rest.len() - rest.trim_ascii_start().len()
            };
            if length == 0 {
                return Ok(());
            }
            self.take(length);
        }
    }

    /// The number of bytes from `skip` on that continue a word.
    fn word_length(&self, skip: usize) -> usize {
        let rest = &self.rest()[skip..];
        rest.find(|c| !continues_word(c)).unwrap_or(rest.len())
    }

    fn dotted(&mut self) -> Result<TokenKind<'a>, ParseError> {
        let mut length = 1 + self.word_length(1);
        if length == 1 {
            return Err(ParseError::new(self.position, "a word after '.'", "'.'"));
        }
        // `::` continues the word, `.L2::128B`.
        while self.rest()[length..].starts_with("::") && self.word_length(length + 2) > 0 {
            length += 2 + self.word_length(length + 2);
        }
        Ok(TokenKind::Dotted(&self.take(length)[1..]))
    }

    fn number(&mut self) -> TokenKind<'a> {
        let mut length = self.word_length(0);
        let bytes = self.rest().as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        if bytes[..length].iter().all(u8::is_ascii_digit)
            && bytes.get(length) == Some(&b'.')
            && digit(length + 1)
        {
            length += 1 + self.word_length(length + 1);
        }
        let prefixed = bytes[0] == b'0' && bytes.get(1).is_some_and(u8::is_ascii_alphabetic);
        let signed_exponent =
            matches!(bytes[length - 1], b'e' | b'E') && matches!(bytes.get(length), Some(b'+' | b'-'));
        if !prefixed && signed_exponent && digit(length + 1) {
            length += 1 + self.word_length(length + 1);
        }
        TokenKind::Number(self.take(length))
    }

    fn string(&mut self) -> Result<TokenKind<'a>, ParseError> {
        let mut escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                '\n' => break,
                '"' if !escaped => return Ok(TokenKind::String(&self.take(at + 1)[1..at])),
                _ => escaped = c == '\\' && !escaped,
            }
        }
        Err(ParseError::new(self.position, "'\"' before the end of the line", "a string without end"))
    }
}

/// Returns true if a character may begin a word (PTX ISA, "Identifiers"). All that may are of one byte.
fn begins_word(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%')
}

fn continues_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: Expect) {
        let shown = match lex(text) {
            Ok(tokens) => {
                let show = |token: &Token| {
                    format!("{}:{} {:?}\n", token.position.line, token.position.column, token.kind)
                };
                tokens.iter().map(show).collect()
            }
            Err(error) => error.to_string(),
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn an_instruction() {
        check(
            "@%p1 ld.shared::cta.v4.f32 {%f1, _}, [x+-4]; // end\n%tid.x",
            expect![[r#"
                1:1 Punctuation('@')
                1:2 Word("%p1")
                1:6 Word("ld")
                1:8 Dotted("shared::cta")
                1:20 Dotted("v4")
                1:23 Dotted("f32")
                1:28 Punctuation('{')
                1:29 Word("%f1")
                1:32 Punctuation(',')
                1:34 Word("_")
                1:35 Punctuation('}')
                1:36 Punctuation(',')
                1:38 Punctuation('[')
                1:39 Word("x")
                1:40 Punctuation('+')
                1:41 Punctuation('-')
                1:42 Number("4")
                1:43 Punctuation(']')
                1:44 Punctuation(';')
                2:1 Word("%tid")
                2:5 Dotted("x")
                2:7 End
            "#]],
        );
    }

    #[test]
    fn numbers() {
        check(
            "9.0 0x1e+4 1.5e-3 1e5 12U 0f3F800000 %r<8> 7%3",
            expect![[r#"
            1:1 Number("9.0")
            1:5 Number("0x1e")
            1:9 Punctuation('+')
            1:10 Number("4")
            1:12 Number("1.5e-3")
            1:19 Number("1e5")
            1:23 Number("12U")
            1:27 Number("0f3F800000")
            1:38 Word("%r")
            1:40 Punctuation('<')
            1:41 Number("8")
            1:42 Punctuation('>')
            1:44 Number("7")
            1:45 Word("%3")
            1:47 End
        "#]],
        );
    }

    #[test]
    fn words_that_begin_with_a_digit() {
        check(
            ".tile.2d.L2::128B .16x64b",
            expect![[r#"
            1:1 Dotted("tile")
            1:6 Dotted("2d")
            1:9 Dotted("L2::128B")
            1:19 Dotted("16x64b")
            1:26 End
        "#]],
        );
    }

    #[test]
    fn comments_and_strings() {
        check(
            "/* one\n two */ \"a \\\" b\" // three",
            expect![[r#"
            2:9 String("a \\\" b")
            2:26 End
        "#]],
        );
    }

    #[test]
    fn mistakes() {
        check("add é", expect!["ptx:1:5: expected a token of PTX, found 'é'"]);
        check("  /* open", expect!["ptx:1:3: expected '*/', found a comment without end"]);
        check(
            "\"open\n\"",
            expect![[r#"ptx:1:1: expected '"' before the end of the line, found a string without end"#]],
        );
        check("ld. x", expect!["ptx:1:3: expected a word after '.', found '.'"]);
    }
}
