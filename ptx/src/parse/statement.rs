//! The statements of a body, and instructions up to their operands.

use super::ParseError;
use super::cursor::Cursor;
use crate::lex::TokenKind;
use crate::tree::{
    Guard, InlinedLocation, Instruction, Linkage, Location, Modifier, Name, Opcode, StateSpace, Statement,
    StatementKind,
};

impl Cursor<'_> {
    /// Statements up to the closing brace, which is passed over. The opening one has been read.
    pub(super) fn statements(&mut self) -> Result<Vec<Statement>, ParseError> {
        let mut statements = Vec::new();
        while !self.eat('}') {
            let position = self.position();
            let mut push = |kind| statements.push(Statement { kind, position });
            match (self.peek(), self.peek_at(1)) {
                (TokenKind::Dotted("reg"), _) => {
                    self.registers()?.into_iter().map(StatementKind::Registers).for_each(push);
                }
                (TokenKind::Dotted("loc"), _) => push(self.location()?),
                (TokenKind::Dotted("pragma"), _) => push(StatementKind::Pragma(self.pragma()?)),
                (TokenKind::Dotted(word), _) if StateSpace::from_word(word).is_some() => {
                    let variables = self.variables(Linkage::Internal)?;
                    variables.into_iter().map(StatementKind::Variable).for_each(push);
                }
                (TokenKind::Punctuation('{'), _) => {
                    self.advance();
                    push(StatementKind::Block(self.nested(Self::statements)?));
                }
                (TokenKind::Word(_), TokenKind::Punctuation(':')) => push(self.label()?),
                (TokenKind::Word(_) | TokenKind::Punctuation('@'), _) => {
                    push(StatementKind::Instruction(self.instruction()?));
                }
                // An empty statement.
                (TokenKind::Punctuation(';'), _) => _ = self.advance(),
                _ => return Err(self.expected("a statement or '}'")),
            }
        }
        Ok(statements)
    }

    /// `name:`, and the list or prototype that it names if it is not a branch target.
    fn label(&mut self) -> Result<StatementKind, ParseError> {
        let name = self.name("a label")?;
        self.expect(':')?;
        if self.eat_dotted("branchtargets") {
            return Ok(StatementKind::BranchTargets { name, targets: self.targets()? });
        }
        if self.eat_dotted("calltargets") {
            return Ok(StatementKind::CallTargets { name, targets: self.targets()? });
        }
        if !self.eat_dotted("callprototype") {
            return Ok(StatementKind::Label(name));
        }
        let returns = if self.at('(') { self.parameters()? } else { Vec::new() };
        self.expect_word("_")?;
        let parameters = if self.at('(') { self.parameters()? } else { Vec::new() };
        let directives = self.function_directives()?;
        self.expect(';')?;
        Ok(StatementKind::CallPrototype { name, returns, parameters, directives })
    }

    fn targets(&mut self) -> Result<Vec<Name>, ParseError> {
        self.comma_separated(';', |cursor| cursor.name("a label or function"))
    }

    /// `.loc file line column`, and where it was inlined.
    fn location(&mut self) -> Result<StatementKind, ParseError> {
        self.advance();
        let location = self.place()?;
        if !self.eat(',') {
            return Ok(StatementKind::Location(location));
        }
        self.expect_word("function_name")?;
        let function = self.name_of_section_label()?;
        let error = self.expected("an offset without sign");
        let offset = u32::try_from(self.offset_sum()?).map_err(|_| error)?;
        self.expect(',')?;
        self.expect_word("inlined_at")?;
        let at = self.place()?;
        Ok(StatementKind::InlinedLocation(InlinedLocation { location, function, offset, at }))
    }

    /// A label in a section, or the section itself: `$L__info_string0`, `.debug_str`.
    fn name_of_section_label(&mut self) -> Result<Name, ParseError> {
        let TokenKind::Dotted(section) = self.peek() else { return self.name("a label in a section") };
        self.advance();
        Ok(Name::new(format!(".{section}")))
    }

    fn place(&mut self) -> Result<Location, ParseError> {
        let file = self.count("the index of a file")?;
        let line = self.count("a line")?;
        let column = self.count("a column")?;
        Ok(Location { file, line, column })
    }

    /// An instruction with its semicolon.
    pub(super) fn instruction(&mut self) -> Result<Instruction, ParseError> {
        let mut guard = None;
        if self.eat('@') {
            let negated = self.eat('!');
            guard = Some(Guard { predicate: self.name("a predicate register")?, negated });
        }
        let TokenKind::Word(word) = self.peek() else { return Err(self.expected("an instruction")) };
        let opcode = Opcode::from_word(word).ok_or_else(|| self.expected("an instruction"))?;
        self.advance();
        let mut modifiers = Vec::new();
        while let TokenKind::Dotted(word) = self.peek() {
            let modifier = Modifier::from_word(word);
            modifiers.push(modifier.ok_or_else(|| self.expected(format!("a modifier of '{opcode}'")))?);
            self.advance();
        }
        let modifiers = self.in_order(opcode, modifiers);
        let operands = self.comma_separated(';', |cursor| cursor.operand(opcode))?;
        Ok(Instruction { guard, opcode, modifiers, operands })
    }
}
