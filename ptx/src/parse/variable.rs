//! Declarations of variables, parameters and registers, and initial values.

use super::ParseError;
use super::cursor::Cursor;
use crate::lex::TokenKind;
use crate::tree::{
    Immediate, Initializer, Linkage, Name, Pointer, Registers, ScalarType, StateSpace, Variable,
};

/// The spaces that a parameter of a kernel may point to (PTX ISA, "Kernel Function Parameter Attribute: .ptr").
const POINTER_SPACES: &[StateSpace] =
    &[StateSpace::Const, StateSpace::Global, StateSpace::Local, StateSpace::Shared];

impl Cursor<'_> {
    /// `.space … name = value, name …;`: one variable for each name.
    pub(super) fn variables(&mut self, linkage: Linkage) -> Result<Vec<Variable>, ParseError> {
        let first = self.variable(linkage)?;
        let mut more = Vec::new();
        while self.eat(',') {
            more.push(self.declarator(Variable { name: Name::from(""), ..first.clone() })?);
        }
        self.expect(';')?;
        more.insert(0, first);
        Ok(more)
    }

    /// A declaration up to what ends it: a variable, or a parameter of a function.
    pub(super) fn variable(&mut self, linkage: Linkage) -> Result<Variable, ParseError> {
        let space = match self.peek() {
            TokenKind::Dotted(word) => StateSpace::from_word(word),
            _ => None,
        };
        let space = space.ok_or_else(|| self.expected("a state space"))?;
        self.advance();
        // The type stands last but for `.ptr`; until it is read any will do.
        let mut variable = Variable { linkage, ..Variable::new(space, ScalarType::B32, Name::from("")) };
        let mut ty = None;
        while let TokenKind::Dotted(word) = self.peek() {
            match word {
                "align" => {
                    self.advance();
                    variable.align = Some(self.count("an alignment in bytes")?);
                }
                "v2" | "v4" => {
                    self.advance();
                    variable.vector = if word == "v2" { 2 } else { 4 };
                }
                "attribute" => {
                    self.advance();
                    self.attribute()?;
                    variable.managed = true;
                }
                "ptr" if ty.is_some() => variable.pointer = Some(self.pointer()?),
                word => {
                    let error = || self.expected("a type, an alignment or a name");
                    ty = Some(ScalarType::from_word(word).filter(|_| ty.is_none()).ok_or_else(error)?);
                    self.advance();
                }
            }
        }
        variable.ty = ty.ok_or_else(|| self.expected("the type of the variable"))?;
        self.declarator(variable)
    }

    /// `(.managed)`
    fn attribute(&mut self) -> Result<(), ParseError> {
        self.expect('(')?;
        if !self.eat_dotted("managed") {
            return Err(self.expected("'.managed'"));
        }
        self.expect(')')
    }

    /// `.ptr .space .align n`: the last of the words before the name.
    fn pointer(&mut self) -> Result<Pointer, ParseError> {
        self.advance();
        let space = match self.peek() {
            TokenKind::Dotted(word) => POINTER_SPACES.iter().copied().find(|space| space.as_str() == word),
            _ => None,
        };
        if space.is_some() {
            self.advance();
        }
        // Four is what the manual says for a pointer that does not say.
        let align = if self.eat_dotted("align") { self.count("an alignment in bytes")? } else { 4 };
        if let TokenKind::Dotted(_) = self.peek() {
            return Err(self.expected("the name of the parameter after '.ptr', a space of const, global, local or shared, and '.align'"));
        }
        Ok(Pointer { space, align })
    }

    /// The name, the dimensions and the initial value.
    fn declarator(&mut self, variable: Variable) -> Result<Variable, ParseError> {
        let name = self.name("the name of a variable")?;
        let mut dimensions = Vec::new();
        while self.eat('[') {
            if self.eat(']') {
                dimensions.push(None);
                continue;
            }
            let error = self.expected("a size without sign");
            let size = self.integer("a size")?;
            dimensions.push(Some(u64::try_from(size).map_err(|_| error)?));
            self.expect(']')?;
        }
        let initializer = if self.eat('=') { Some(self.initializer()?) } else { None };
        Ok(Variable { name, dimensions, initializer, ..variable })
    }

    fn initializer(&mut self) -> Result<Initializer, ParseError> {
        if self.eat('{') {
            let elements = self.nested(|cursor| cursor.comma_separated('}', Self::initializer))?;
            return Ok(Initializer::List(elements));
        }
        if let TokenKind::Word(_) = self.peek()
            && !self.at_constant()
        {
            return self.address_initializer();
        }
        let value = if self.at_constant() || self.at('(') {
            self.constant()?
        } else {
            return Err(self.expected("an initial value"));
        };
        // `0xFF00(name)` is one byte of an address.
        if self.eat('(') {
            let mask = match value {
                Immediate::Int(value) => value.cast_unsigned(),
                Immediate::Unsigned(value) => value,
                Immediate::F32(_) | Immediate::F64(_) => return Err(self.expected("an integer as mask")),
            };
            let value = Box::new(self.nested(Self::initializer)?);
            self.expect(')')?;
            return Ok(Initializer::Masked { mask, value });
        }
        Ok(Initializer::Immediate(value))
    }

    fn address_initializer(&mut self) -> Result<Initializer, ParseError> {
        let generic =
            self.peek() == TokenKind::Word("generic") && self.peek_at(1) == TokenKind::Punctuation('(');
        if generic {
            self.advance();
            self.expect('(')?;
        }
        let name = self.name("the name of a variable or function")?;
        let mut offset = if generic { self.offset_sum()? } else { 0 };
        if generic {
            self.expect(')')?;
        }
        offset = offset.wrapping_add(self.offset_sum()?);
        Ok(Initializer::Address { name, offset, generic })
    }

    /// `.reg .v2 .type name<n>, name …;`
    pub(super) fn registers(&mut self) -> Result<Vec<Registers>, ParseError> {
        self.advance();
        let (mut vector, mut ty) = (1, None);
        while let TokenKind::Dotted(word) = self.peek() {
            match word {
                "v2" => vector = 2,
                "v4" => vector = 4,
                word => {
                    ty = Some(
                        ScalarType::from_word(word).ok_or_else(|| self.expected("the type of registers"))?,
                    );
                }
            }
            self.advance();
        }
        let ty = ty.ok_or_else(|| self.expected("the type of registers"))?;
        let mut declared = Vec::new();
        loop {
            let name = self.name("the name of a register")?;
            let mut count = None;
            if self.eat('<') {
                count = Some(self.count("a number of registers")?);
                self.expect('>')?;
            }
            declared.push(Registers { ty, vector, name, count });
            if !self.eat(',') {
                self.expect(';')?;
                return Ok(declared);
            }
        }
    }
}
