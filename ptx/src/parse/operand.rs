//! The operands of instructions.

use super::ParseError;
use super::cursor::Cursor;
use crate::lex::TokenKind;
use crate::tree::{Address, Name, Opcode, Operand};

impl Cursor<'_> {
    pub(super) fn operand(&mut self, opcode: Opcode) -> Result<Operand, ParseError> {
        if self.eat('{') {
            let elements =
                self.nested(|cursor| cursor.comma_separated('}', |cursor| cursor.operand(opcode)))?;
            return Ok(Operand::Vector(elements));
        }
        if self.eat('[') {
            return self.nested(|cursor| cursor.address(opcode)).map(Operand::Address);
        }
        // Parentheses group the arguments of a call; anywhere else they belong to an expression.
        if opcode == Opcode::Call && self.eat('(') {
            let elements =
                self.nested(|cursor| cursor.comma_separated(')', |cursor| cursor.operand(opcode)))?;
            return Ok(Operand::Group(elements));
        }
        if opcode == Opcode::Vmad && self.at('-') && matches!(self.peek_at(1), TokenKind::Word(_)) {
            self.advance();
            return self.name_with_component("a register").map(Operand::Negative);
        }
        if self.at_constant() || self.at('(') {
            return self.constant().map(Operand::Immediate);
        }
        if self.eat('!') {
            return self.name("a predicate register").map(Operand::Not);
        }
        self.named()
    }

    /// An operand that begins with a name.
    fn named(&mut self) -> Result<Operand, ParseError> {
        let name = self.name_with_component("an operand")?;
        if self.eat('|') {
            return Ok(Operand::Pair(name, self.name_with_component("a second destination")?));
        }
        if self.at('+') || self.at('-') {
            return Ok(Operand::Offset(name, self.offset_sum()?));
        }
        Ok(if name.as_str() == "_" { Operand::Discard } else { Operand::Name(name) })
    }

    /// An address up to its closing bracket, which is passed over. The opening one has been read.
    fn address(&mut self, opcode: Opcode) -> Result<Address, ParseError> {
        let base: Option<Name> = match self.peek() {
            TokenKind::Word(_) if !self.at_constant() => Some(self.name_with_component("an address")?),
            _ => None,
        };
        let offset = if base.is_some() {
            self.offset_sum()?
        } else {
            self.integer("a register, a variable or a number")?
        };
        let coordinates = if self.eat(',') {
            self.comma_separated(']', |cursor| cursor.operand(opcode))?
        } else {
            Vec::new()
        };
        if coordinates.is_empty() {
            self.expect(']')?;
        }
        Ok(Address { base, offset, coordinates })
    }
}
