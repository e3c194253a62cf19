//! PTX text as a tree.
//!
//! ```text
//! module: items, functions → variable: declarations → statement: bodies → operand → constant: expressions
//! ```
//!
//! Every function of the parser consumes what it returns and reports the first mistake. Nesting is bounded, so no text
//! exhausts the stack.

mod constant;
mod cursor;
mod error;
mod module;
mod operand;
mod statement;
mod variable;

use cursor::Cursor;
pub use error::ParseError;

use super::lex::lex;
use super::tree::{Instruction, Module};

/// The module that a text says.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let tokens = lex(text)?;
    let mut cursor = Cursor::new(text, &tokens);
    cursor.module()
}

/// The instruction that a text says, with its semicolon.
pub fn parse_instruction(text: &str) -> Result<Instruction, ParseError> {
    let tokens = lex(text)?;
    let mut cursor = Cursor::new(text, &tokens);
    let instruction = cursor.instruction()?;
    cursor.expect_end()?;
    Ok(instruction)
}

#[cfg(test)]
mod tests;
