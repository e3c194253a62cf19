//! The header of a module, its items, and functions up to their bodies.

use super::ParseError;
use super::cursor::Cursor;
use crate::lex::TokenKind;
use crate::tree::{
    File, Function, FunctionDirective, Item, Linkage, Module, PtxVersion, Section, StateSpace, Variable,
};

/// Directives that begin an item of a module, beside the state spaces of variables.
const ITEM_WORDS: &[&str] =
    &["entry", "func", "visible", "extern", "weak", "common", "file", "alias", "section"];

impl Cursor<'_> {
    pub(super) fn module(&mut self) -> Result<Module, ParseError> {
        if !self.eat_dotted("version") {
            return Err(self.expected("'.version', which begins every module"));
        }
        let version = self.version()?;
        if !self.eat_dotted("target") {
            return Err(self.expected("'.target'"));
        }
        let mut target = vec![self.name("a target such as sm_90")?.to_string()];
        while self.eat(',') {
            target.push(self.name("an option of '.target'")?.to_string());
        }
        // The manual says 32 for a module that does not say; `ptxas` has only 64 since CUDA 12, and takes it so.
        let address_size = if self.eat_dotted("address_size") { self.count("32 or 64")? } else { 64 };
        let mut items = Vec::new();
        while self.peek() != TokenKind::End {
            self.item(&mut items)?;
        }
        Ok(Module { version, target, address_size, items })
    }

    fn version(&mut self) -> Result<PtxVersion, ParseError> {
        let error = self.expected("a version such as 8.0");
        let TokenKind::Number(text) = self.advance() else { return Err(error) };
        text.parse().map_err(|_| error)
    }

    /// One item; a declaration of several variables is several.
    fn item(&mut self, items: &mut Vec<Item>) -> Result<(), ParseError> {
        let linkage = self.linkage();
        let TokenKind::Dotted(word) = self.peek() else {
            return Err(self.expected("a variable, a function or a directive"));
        };
        match (linkage, word) {
            (_, "entry" | "func") => items.push(Item::Function(self.function(linkage)?)),
            (Linkage::Internal, "file") => {
                self.advance();
                let index = self.count("the index of a file")?;
                let path = self.string("the path of a file")?;
                // A time stamp and a size may follow; only debuggers of long ago read them.
                while self.eat(',') {
                    self.integer("a time stamp or a size")?;
                }
                items.push(Item::File(File { index, path }));
            }
            (Linkage::Internal, "pragma") => items.push(Item::Pragma(self.pragma()?)),
            (Linkage::Internal, "alias") => {
                self.advance();
                let name = self.name("the alias of a function")?;
                self.expect(',')?;
                let aliasee = self.name("the name of a function")?;
                self.expect(';')?;
                items.push(Item::Alias { name, aliasee });
            }
            (Linkage::Internal, "section") => items.push(Item::Section(self.section()?)),
            (Linkage::Internal, "reg") => {
                items.extend(self.registers()?.into_iter().map(Item::Registers));
            }
            (_, word) => match StateSpace::from_word(word) {
                Some(_) => items.extend(self.variables(linkage)?.into_iter().map(Item::Variable)),
                None => return Err(self.expected("a variable, a function or a directive")),
            },
        }
        Ok(())
    }

    fn linkage(&mut self) -> Linkage {
        let linkage = match self.peek() {
            TokenKind::Dotted("visible") => Linkage::Visible,
            TokenKind::Dotted("extern") => Linkage::Extern,
            TokenKind::Dotted("weak") => Linkage::Weak,
            TokenKind::Dotted("common") => Linkage::Common,
            _ => return Linkage::Internal,
        };
        self.advance();
        linkage
    }

    /// `.section name { … }`. The braces in it are balanced.
    fn section(&mut self) -> Result<Section, ParseError> {
        self.advance();
        let TokenKind::Dotted(name) = self.peek() else { return Err(self.expected("the name of a section")) };
        self.advance();
        self.expect('{')?;
        let (start, mut depth) = (self.offset(), 1);
        // Blanks after the brace belong to the text too.
        let start = self.text()[..start].rfind('{').map_or(start, |brace| brace + 1);
        loop {
            let end = self.offset();
            match self.advance() {
                TokenKind::Punctuation('{') => depth += 1,
                TokenKind::Punctuation('}') => depth -= 1,
                TokenKind::End => return Err(self.expected("'}' at the end of the section")),
                TokenKind::Word(_)
                | TokenKind::Dotted(_)
                | TokenKind::Number(_)
                | TokenKind::String(_)
                | TokenKind::Punctuation(_) => {}
            }
            if depth == 0 {
                let text = self.text()[start..end].to_owned();
                return Ok(Section { name: format!(".{name}"), text });
            }
        }
    }

    fn function(&mut self, linkage: Linkage) -> Result<Function, ParseError> {
        let position = self.position();
        let is_entry = self.eat_dotted("entry");
        if !is_entry {
            self.eat_dotted("func");
        }
        let returns = if self.at('(') { self.parameters()? } else { Vec::new() };
        let name = self.name("the name of a function")?;
        let parameters = if self.at('(') { self.parameters()? } else { Vec::new() };
        let directives = self.function_directives()?;
        let body = if self.eat(';') {
            None
        } else if self.eat('{') {
            Some(self.statements()?)
        } else if !is_entry && (self.begins_item() || self.peek() == TokenKind::End) {
            // A prototype: old texts leave out the semicolon.
            None
        } else {
            return Err(self.expected("'{' or ';'"));
        };
        Ok(Function { linkage, is_entry, name, returns, parameters, directives, body, position })
    }

    /// `(…)` after `.func`, after a name, or of a prototype.
    pub(super) fn parameters(&mut self) -> Result<Vec<Variable>, ParseError> {
        self.expect('(')?;
        self.comma_separated(')', |cursor| cursor.variable(Linkage::Internal))
    }

    /// Returns true if the next token begins an item of a module that no directive of a function is mistaken for.
    fn begins_item(&self) -> bool {
        let TokenKind::Dotted(word) = self.peek() else { return false };
        ITEM_WORDS.contains(&word) || StateSpace::from_word(word).is_some()
    }

    pub(super) fn function_directives(&mut self) -> Result<Vec<FunctionDirective>, ParseError> {
        let mut directives = Vec::new();
        while let TokenKind::Dotted(word) = self.peek() {
            if self.begins_item() {
                break;
            }
            if word == "pragma" {
                directives.push(FunctionDirective::Pragma(self.pragma()?));
                continue;
            }
            let error = self.expected("a directive of a function");
            self.advance();
            directives.push(match word {
                "maxntid" => FunctionDirective::MaxThreads(self.dimensions()?),
                "reqntid" => FunctionDirective::RequiredThreads(self.dimensions()?),
                "reqnctapercluster" => FunctionDirective::RequiredCluster(self.dimensions()?),
                "minnctapersm" => FunctionDirective::MinBlocksPerSm(self.count("a number of blocks")?),
                "maxnctapersm" => FunctionDirective::MaxBlocksPerSm(self.count("a number of blocks")?),
                "maxnreg" => FunctionDirective::MaxRegisters(self.count("a number of registers")?),
                "maxclusterrank" => FunctionDirective::MaxClusterRank(self.count("a number of blocks")?),
                "abi_preserve" => FunctionDirective::AbiPreserve(self.count("a number of registers")?),
                "abi_preserve_control" => {
                    FunctionDirective::AbiPreserveControl(self.count("a number of registers")?)
                }
                "explicitcluster" => FunctionDirective::ExplicitCluster,
                "blocksareclusters" => FunctionDirective::BlocksAreClusters,
                "noreturn" => FunctionDirective::NoReturn,
                _ => return Err(error),
            });
        }
        Ok(directives)
    }

    /// One to three sizes; those not given are 1.
    fn dimensions(&mut self) -> Result<[u32; 3], ParseError> {
        let mut sizes = [self.count("a size")?, 1, 1];
        for size in &mut sizes[1..] {
            if self.eat(',') {
                *size = self.count("a size")?;
            } else if let TokenKind::Number(_) = self.peek() {
                *size = self.count("a size")?;
            }
        }
        Ok(sizes)
    }

    /// `.pragma "text";`
    pub(super) fn pragma(&mut self) -> Result<String, ParseError> {
        self.advance();
        let text = self.string("the text of a pragma")?;
        self.expect(';')?;
        Ok(text)
    }
}
