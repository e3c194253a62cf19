//! Errors of the parser.

use std::borrow::Cow;

use crate::tree::Position;

/// The text is not PTX that is known here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ptx:{}:{}: expected {expected}, found {found}", position.line, position.column)]
pub struct ParseError {
    /// Position in the text.
    pub position: Position,
    /// Syntax expected there.
    pub expected: Cow<'static, str>,
    /// Token found there.
    pub found: String,
}

impl ParseError {
    pub(crate) fn new(
        position: Position,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
    ) -> ParseError {
        ParseError { position, expected: expected.into(), found: found.into() }
    }
}
