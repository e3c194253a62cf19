//! What is wrong with a text that does not parse.

use std::borrow::Cow;

use crate::ptx::tree::Position;

/// The text is not PTX that is known here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ptx:{}:{}: expected {expected}, found {found}", position.line, position.column)]
pub struct ParseError {
    /// Where.
    pub position: Position,
    /// What could stand there.
    pub expected: Cow<'static, str>,
    /// What stands there.
    pub found: String,
}

impl ParseError {
    pub(in crate::ptx) fn new(
        position: Position,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
    ) -> ParseError {
        ParseError { position, expected: expected.into(), found: found.into() }
    }
}
