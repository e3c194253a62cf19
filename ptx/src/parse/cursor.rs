//! The parser's position in the tokens, and the smallest steps from there.

use std::borrow::Cow;
use std::collections::HashMap;

use super::ParseError;
use crate::forms::ordered;
use crate::lex::{Token, TokenKind};
use crate::tree::{Modifier, Name, Opcode, Position};

/// Maximum nesting depth of blocks, lists and parentheses together. Compilers stay below ten; each level costs stack.
const MAX_DEPTH: u32 = 64;

/// The parser's state.
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// Ends with `End`.
    tokens: &'a [Token<'a>],
    /// Of the next token; never beyond `End`.
    next: usize,
    depth: u32,
    /// One allocation for all occurrences of a name.
    names: HashMap<&'a str, Name>,
    /// The order of the manual for modifiers that stand in another, each looked for once.
    orders: HashMap<Opcode, HashMap<Vec<Modifier>, Option<Vec<Modifier>>>>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token<'a>]) -> Cursor<'a> {
        Cursor { text, tokens, next: 0, depth: 0, names: HashMap::new(), orders: HashMap::new() }
    }

    /// The modifiers of an instruction in the order of the manual.
    pub(super) fn in_order(&mut self, opcode: Opcode, modifiers: Vec<Modifier>) -> Vec<Modifier> {
        let known = self.orders.entry(opcode).or_default();
        if let Some(order) = known.get(modifiers.as_slice()) {
            return order.clone().unwrap_or(modifiers);
        }
        let order = ordered(opcode, &modifiers);
        known.insert(modifiers.clone(), order.clone());
        order.unwrap_or(modifiers)
    }

    pub(super) fn peek(&self) -> TokenKind<'a> {
        self.peek_at(0)
    }

    /// The token `ahead` after the next one.
    pub(super) fn peek_at(&self, ahead: usize) -> TokenKind<'a> {
        self.tokens.get(self.next + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn position(&self) -> Position {
        self.tokens.get(self.next).map_or(Position::default(), |token| token.position)
    }

    /// Byte offset of the next token.
    pub(super) fn offset(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |token| token.offset)
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Passes over one token.
    pub(super) fn advance(&mut self) -> TokenKind<'a> {
        let kind = self.peek();
        if kind != TokenKind::End {
            self.next += 1;
        }
        kind
    }

    /// The error that the next token is not what should be there.
    pub(super) fn expected(&self, expected: impl Into<Cow<'static, str>>) -> ParseError {
        ParseError::new(self.position(), expected, self.peek().to_string())
    }

    pub(super) fn at(&self, punctuation: char) -> bool {
        self.peek() == TokenKind::Punctuation(punctuation)
    }

    pub(super) fn at_dotted(&self, word: &str) -> bool {
        self.peek() == TokenKind::Dotted(word)
    }

    /// Passes over this punctuation if it is next.
    pub(super) fn eat(&mut self, punctuation: char) -> bool {
        let found = self.at(punctuation);
        if found {
            self.advance();
        }
        found
    }

    /// Passes over this dotted word if it is next.
    pub(super) fn eat_dotted(&mut self, word: &str) -> bool {
        let found = self.at_dotted(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, punctuation: char) -> Result<(), ParseError> {
        if self.eat(punctuation) { Ok(()) } else { Err(self.expected(format!("'{punctuation}'"))) }
    }

    pub(super) fn expect_end(&mut self) -> Result<(), ParseError> {
        if self.peek() == TokenKind::End { Ok(()) } else { Err(self.expected("the end of the text")) }
    }

    /// A word that must be `word`.
    pub(super) fn expect_word(&mut self, word: &'static str) -> Result<(), ParseError> {
        if self.peek() == TokenKind::Word(word) {
            self.advance();
            Ok(())
        } else {
            Err(self.expected(format!("'{word}'")))
        }
    }

    /// An identifier without component.
    pub(super) fn name(&mut self, what: &'static str) -> Result<Name, ParseError> {
        let TokenKind::Word(text) = self.peek() else { return Err(self.expected(what)) };
        self.advance();
        Ok(self.intern(text))
    }

    /// An identifier with its component if it has one: `%tid.x`, `%v.r`, `%r1.b0`.
    pub(super) fn name_with_component(&mut self, what: &'static str) -> Result<Name, ParseError> {
        let (start, name) = (self.offset(), self.name(what)?);
        let TokenKind::Dotted(component) = self.peek() else { return Ok(name) };
        // In `a.x` nothing stands before the dot.
        if self.offset() != start + name.as_str().len() {
            return Ok(name);
        }
        let end = self.offset() + 1 + component.len();
        self.advance();
        Ok(self.intern(&self.text[start..end]))
    }

    fn intern(&mut self, text: &'a str) -> Name {
        self.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    /// The text between double quotes. Quotes and backslashes lose the backslash before them, other escapes stay.
    pub(super) fn string(&mut self, what: &'static str) -> Result<String, ParseError> {
        let TokenKind::String(text) = self.peek() else { return Err(self.expected(what)) };
        self.advance();
        let mut plain = String::with_capacity(text.len());
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            let escapes = c == '\\' && matches!(characters.peek(), Some('\\' | '"'));
            plain.extend(if escapes { characters.next() } else { Some(c) });
        }
        Ok(plain)
    }

    /// Parses something that may hold itself, one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth == MAX_DEPTH {
            return Err(self.expected(format!("no more than {MAX_DEPTH} levels of nesting")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Elements with commas between them, up to `close`, which is passed over. `open` has been read.
    pub(super) fn comma_separated<T>(
        &mut self,
        close: char,
        mut parse: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut elements = Vec::new();
        if self.eat(close) {
            return Ok(elements);
        }
        loop {
            elements.push(parse(self)?);
            if self.eat(close) {
                return Ok(elements);
            }
            if !self.eat(',') {
                return Err(self.expected(format!("',' or '{close}'")));
            }
        }
    }
}
