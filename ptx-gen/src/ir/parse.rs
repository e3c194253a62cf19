//! Reads the textual IR that [`print`](super::print) writes.
//!
//! Numbers of values, blocks and tables are kept, so that what a pass prints compares line by line with what it was
//! given. `;` starts a comment. Line breaks mean nothing. Types are not checked here but by the verifier.

mod inst;
mod lex;

use std::collections::HashMap;

use super::entity::{Block, Entity, EntityMap, Inst, Value};
use super::function::{
    BlockData, Coarsen, Collective, ConstData, ElementLimit, FileId, Format, Function, InlineData,
    LaunchBounds, LocalData, LoopHint, MapOf, Module, PanicSiteData, ParamData, PrintSiteData, SharedData,
    SourceLoc, ValueData, ValueDef,
};
use super::inst::InstData;
use kernel_abi::panic::PanicKind;
use kernel_abi::types::Type;
use lex::{Lexer, Place, Token};

/// Text that is not IR.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Line, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
    /// Tokens that could have stood there.
    pub expected: String,
    /// The token found.
    pub found: String,
}

/// Reads a module.
pub fn parse_module(text: &str) -> Result<Module, ParseError> {
    let mut parser = Parser::new(text)?;
    let mut module = Module::default();
    while parser.eat_word("file")? {
        parser.index(module.files.len(), "the number of the next file")?;
        module.files.push(parser.string()?);
    }
    while parser.token != Token::End {
        module.functions.push(parser.function()?);
    }
    Ok(module)
}

/// Reads one kernel and nothing else.
pub fn parse_function(text: &str) -> Result<Function, ParseError> {
    let mut parser = Parser::new(text)?;
    let function = parser.function()?;
    parser.expect(Token::End)?;
    Ok(function)
}

/// Values and blocks have at most this number, so that a typing error cannot ask for gigabytes.
const MAX_NUMBER: usize = 1 << 20;

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    place: Place,
    func: Function,
    /// Type and definition of each value that was defined, by number.
    values: Vec<Option<ValueData>>,
    /// Location of each value's first use, to report values without a definition.
    value_uses: HashMap<Value, Place>,
    block_uses: HashMap<Block, Place>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, ParseError> {
        let mut parser = Parser {
            lexer: Lexer::new(text),
            token: Token::End,
            place: Place::default(),
            func: Function::default(),
            values: Vec::new(),
            value_uses: HashMap::new(),
            block_uses: HashMap::new(),
        };
        parser.advance()?;
        Ok(parser)
    }

    // Tokens.

    fn advance(&mut self) -> Result<(), ParseError> {
        (self.place, self.token) = self.lexer.next()?;
        Ok(())
    }

    fn error<T>(&self, expected: impl Into<String>) -> Result<T, ParseError> {
        Err(self.place.error(expected, self.token.to_string()))
    }

    fn eat(&mut self, token: Token<'_>) -> Result<bool, ParseError> {
        let found = self.token == token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, token: Token<'_>) -> Result<(), ParseError> {
        if self.eat(token.clone())? { Ok(()) } else { self.error(token.to_string()) }
    }

    fn eat_word(&mut self, word: &str) -> Result<bool, ParseError> {
        self.eat(Token::Word(word))
    }

    fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        self.expect(Token::Word(word))
    }

    fn word(&mut self, expected: &str) -> Result<&'a str, ParseError> {
        match self.token {
            Token::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            Token::Number(_) | Token::Str(_) | Token::Punct(_) | Token::End => self.error(expected),
        }
    }

    /// The next word, looked up; `expected` says what kind of word it should be.
    fn lookup<T>(
        &mut self,
        expected: &str,
        find: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, ParseError> {
        match self.token {
            Token::Word(word) => match find(word) {
                Some(found) => {
                    self.advance()?;
                    Ok(found)
                }
                None => self.error(expected),
            },
            Token::Number(_) | Token::Str(_) | Token::Punct(_) | Token::End => self.error(expected),
        }
    }

    fn string(&mut self) -> Result<String, ParseError> {
        match std::mem::replace(&mut self.token, Token::End) {
            Token::Str(text) => {
                self.advance()?;
                Ok(text)
            }
            other => {
                self.token = other;
                self.error("a string")
            }
        }
    }

    fn name(&mut self) -> Result<String, ParseError> {
        if let Token::Str(_) = self.token {
            return self.string();
        }
        Ok(self.word("a name")?.to_owned())
    }

    fn number<T: TryFrom<u64>>(&mut self, expected: &str) -> Result<T, ParseError> {
        if let Token::Number(text) = self.token {
            let value = match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => text.parse(),
            };
            if let Some(value) = value.ok().and_then(|value| T::try_from(value).ok()) {
                self.advance()?;
                return Ok(value);
            }
        }
        self.error(expected)
    }

    fn u32(&mut self) -> Result<u32, ParseError> {
        self.number("a 32-bit number")
    }

    /// The number `index`, which the reader could have counted.
    fn index(&mut self, index: usize, what: &str) -> Result<(), ParseError> {
        match self.token {
            Token::Number(text) if text.parse() == Ok(index) => self.advance(),
            _ => self.error(format!("{what}, `{index}`")),
        }
    }

    /// The entity whose name is the next word, such as `v7`.
    fn entity<K: Entity>(&mut self, prefix: &str, expected: &str) -> Result<K, ParseError> {
        let numbered = |word: &str| {
            let digits = word.strip_prefix(prefix)?;
            let plain = digits == "0" || !digits.starts_with('0');
            let all = digits.bytes().all(|b| b.is_ascii_digit());
            let number = digits.parse().ok().filter(|&number: &usize| number < MAX_NUMBER)?;
            (plain && all).then(|| K::from_index(number))
        };
        self.lookup(expected, numbered)
    }

    /// `prefix` with the number of the next entity of a table.
    fn next_entity<K: Entity>(&mut self, prefix: &str, table_len: usize) -> Result<K, ParseError> {
        self.expect(Token::Word(&format!("{prefix}{table_len}")))?;
        Ok(K::from_index(table_len))
    }

    fn ty(&mut self) -> Result<Type, ParseError> {
        self.lookup("a type", |word| Type::ALL.iter().copied().find(|ty| ty.as_str() == word))
    }

    /// A comma-separated list up to `)`; the `(` has been read.
    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), ParseError>) -> Result<(), ParseError> {
        if self.eat(Token::Punct(')'))? {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(Token::Punct(')'))? {
                return Ok(());
            }
            if !self.eat(Token::Punct(','))? {
                return self.error("`,` or `)`");
            }
        }
    }

    fn location(&mut self) -> Result<SourceLoc, ParseError> {
        if !self.eat(Token::Punct('@'))? {
            return Ok(SourceLoc::default());
        }
        let file = FileId(self.number("the number of a file")?);
        self.expect(Token::Punct(':'))?;
        let line = self.number("a line")?;
        self.expect(Token::Punct(':'))?;
        let column = self.number("a column")?;
        Ok(SourceLoc { file, line, column, caller: None })
    }

    // Values.

    fn value(&mut self) -> Result<Value, ParseError> {
        let place = self.place;
        let value = self.entity("v", "a value such as `v0`")?;
        self.value_uses.entry(value).or_insert(place);
        Ok(value)
    }

    /// `v0: i32`, which defines a value.
    fn definition(&mut self, def: ValueDef) -> Result<Value, ParseError> {
        let place = self.place;
        let value: Value = self.entity("v", "a value such as `v0`")?;
        self.expect(Token::Punct(':'))?;
        let ty = self.ty()?;
        if self.values.len() <= value.index() {
            self.values.resize(value.index() + 1, None);
        }
        if self.values[value.index()].replace(ValueData { ty, def }).is_some() {
            return Err(place.error("a value that is not defined yet", format!("`{value}`")));
        }
        Ok(value)
    }

    // Functions.

    fn function(&mut self) -> Result<Function, ParseError> {
        self.expect_word("kernel")?;
        self.func.name = self.name()?;
        self.expect(Token::Punct('('))?;
        self.list(Self::param)?;
        if self.eat_word("bounds")? {
            self.bounds()?;
        }
        if self.eat_word("coarsen")? {
            self.func.coarsen = Some(Coarsen { by: self.u32()?, location: self.location()? });
        }
        self.func.flush_subnormals = self.eat_word("ftz")?;
        if self.eat_word("most_threads_x")? {
            self.func.most_threads_x = Some(self.number("a number")?);
        }
        for (axis, word) in ["most_block_x", "most_block_y", "most_block_z"].into_iter().enumerate() {
            if self.eat_word(word)? {
                self.func.most_block[axis] = Some(self.u32()?);
            }
        }
        self.expect(Token::Punct('{'))?;
        self.tables()?;
        while !self.eat(Token::Punct('}'))? {
            self.block()?;
        }
        self.finish()
    }

    fn param(&mut self) -> Result<(), ParseError> {
        let _: super::Param = self.next_entity("param", self.func.params.len())?;
        let name = self.name()?;
        self.expect(Token::Punct(':'))?;
        let ty = self.ty()?;
        let mut pointer_align = None;
        if self.eat_word("ptr")? {
            self.expect_word("align")?;
            pointer_align = Some(self.u32()?);
        }
        let read_only = self.eat_word("read_only")?;
        let min = if self.eat_word("min")? { self.number("a number")? } else { 0 };
        let max = if self.eat_word("max")? { Some(self.number("a number")?) } else { None };
        let mut elements = None;
        if self.eat_word("elements")? {
            let ty = self.ty()?;
            self.expect_word("below")?;
            elements = Some(ElementLimit { ty, below: self.param_name()? });
        }
        let mut map_of = None;
        if self.eat_word("map_of")? {
            let elements = self.param_name()?;
            self.expect_word("of")?;
            map_of = Some(MapOf { elements, element_bytes: self.u32()? });
        }
        let source = String::new();
        self.func.params.push(ParamData {
            name,
            ty,
            pointer_align,
            read_only,
            min,
            max,
            elements,
            map_of,
            source,
        });
        Ok(())
    }

    fn param_name(&mut self) -> Result<super::Param, ParseError> {
        self.entity("param", "a parameter such as `param0`")
    }

    fn bounds(&mut self) -> Result<(), ParseError> {
        let mut bounds = LaunchBounds::default();
        self.expect(Token::Punct('('))?;
        self.list(|parser| {
            if parser.eat_word("max_threads")? {
                bounds.max_threads = Some(parser.u32()?);
            } else if parser.eat_word("min_blocks")? {
                bounds.min_blocks = Some(parser.u32()?);
            } else if parser.eat_word("max_cluster")? {
                bounds.max_cluster = Some(parser.u32()?);
            } else if parser.eat_word("block")? {
                bounds.block = Some([parser.u32()?, parser.u32()?, parser.u32()?]);
            } else if parser.eat_word("cluster")? {
                bounds.cluster = Some([parser.u32()?, parser.u32()?, parser.u32()?]);
            } else if parser.eat_word("max_registers")? {
                bounds.max_registers = Some(parser.u32()?);
            } else if parser.eat_word("cooperative")? {
                bounds.cooperative = true;
            } else if parser.eat_word("nonportable_cluster")? {
                bounds.nonportable_cluster = true;
            } else {
                return parser.error("a launch bound: `max_threads`, `min_blocks`, `max_cluster`, `block`, `cluster`, `max_registers`, `cooperative` or `nonportable_cluster`");
            }
            Ok(())
        })?;
        self.func.bounds = bounds;
        Ok(())
    }

    /// `name: bytes align n`.
    fn variable(&mut self) -> Result<(String, u32, u32), ParseError> {
        let name = self.name()?;
        self.expect(Token::Punct(':'))?;
        let bytes = self.u32()?;
        self.expect_word("align")?;
        Ok((name, bytes, self.u32()?))
    }

    /// The variables in memory and the panic sites.
    fn tables(&mut self) -> Result<(), ParseError> {
        while let Token::Word(word) = self.token {
            if word.starts_with("shared") {
                let _: super::SharedVar = self.next_entity("shared", self.func.shared.len())?;
                let (name, bytes, align) = self.variable()?;
                self.func.shared.push(SharedData { name, bytes, align });
            } else if word.starts_with("local") {
                let _: super::LocalVar = self.next_entity("local", self.func.locals.len())?;
                let (name, bytes, align) = self.variable()?;
                self.func.locals.push(LocalData { name, bytes, align });
            } else if word.starts_with("const") {
                let _: super::ConstVar = self.next_entity("const", self.func.consts.len())?;
                let (name, len, align) = self.variable()?;
                let place = self.place;
                let digits = self.string()?;
                let Some(bytes) = bytes(&digits).filter(|bytes| bytes.len() == len as usize) else {
                    return Err(place.error(format!("{len} bytes in hexadecimal"), format!("{digits:?}")));
                };
                self.func.consts.push(ConstData { name, bytes, align });
            } else if word.starts_with("inline") {
                let _: super::InlineAsm = self.next_entity("inline", self.func.inlines.len())?;
                let text = self.string()?;
                let mut types = [Vec::new(), Vec::new()];
                for (word, types) in ["out", "in"].into_iter().zip(&mut types) {
                    self.expect_word(word)?;
                    if self.eat(Token::Punct('('))? {
                        self.list(|parser| {
                            types.push(parser.ty()?);
                            Ok(())
                        })?;
                    }
                }
                let ([outs, ins], memory) = (types, self.eat_word("memory")?);
                let mut collective = self.eat_word("collective")?.then_some(Collective::Warp);
                if collective.is_some() && self.eat_word("of")? {
                    collective = Some(if self.eat_word("party")? {
                        Collective::Party
                    } else if self.eat_word("block")? {
                        Collective::Block
                    } else {
                        self.expect_word("warpgroup")?;
                        Collective::Warpgroup
                    });
                }
                self.func.inlines.push(InlineData { text, outs, ins, memory, collective });
            } else if word.starts_with("panic") {
                let _: super::PanicSite = self.next_entity("panic", self.func.panics.len())?;
                let kind = self.lookup("why it panics", PanicKind::from_mnemonic)?;
                let message = match self.token {
                    Token::Str(_) => Some(self.string()?),
                    Token::Word(_) | Token::Number(_) | Token::Punct(_) | Token::End => None,
                };
                let format = match self.token {
                    Token::Word("format") => Some(self.format()?),
                    Token::Str(_) | Token::Word(_) | Token::Number(_) | Token::Punct(_) | Token::End => None,
                };
                let location = self.location()?;
                let mut calls = Vec::new();
                if self.eat_word("called")? {
                    while matches!(self.token, Token::Punct('@')) {
                        calls.push(self.location()?);
                    }
                }
                self.func.panics.push(PanicSiteData { kind, message, format, location, calls });
            } else if word.starts_with("print") {
                let _: super::PrintSite = self.next_entity("print", self.func.prints.len())?;
                let format = self.format()?;
                let location = self.location()?;
                self.func.prints.push(PrintSiteData { format, location });
            } else {
                break;
            }
        }
        Ok(())
    }

    /// `format 3 words 2`
    fn format(&mut self) -> Result<Format, ParseError> {
        self.expect_word("format")?;
        let number = self.u32()?;
        self.expect_word("words")?;
        Ok(Format { number, words: self.u32()? })
    }

    fn block(&mut self) -> Result<(), ParseError> {
        let place = self.place;
        let block: Block = self.entity("block", "a block such as `block0`")?;
        while self.func.blocks.len() <= block.index() {
            self.func.blocks.push(BlockData::default());
        }
        if self.func.layout.contains(&block) {
            return Err(place.error("a block that is not in the text yet", format!("`{block}`")));
        }
        self.func.layout.push(block);
        if self.eat(Token::Punct('('))? {
            self.list(|parser| {
                let param = parser.definition(ValueDef::Param(block))?;
                parser.func.blocks[block].params.push(param);
                Ok(())
            })?;
        }
        self.func.blocks[block].hint = self.loop_hint()?;
        if self.func.blocks[block].hint.is_some() && self.token == Token::Punct('@') {
            self.func.blocks[block].asked = Some(self.location()?);
        }
        self.expect(Token::Punct(':'))?;
        loop {
            let inst = self.inst()?;
            self.func.blocks[block].insts.push(inst);
            let at_block = matches!(self.token, Token::Word(word) if word.starts_with("block"));
            if at_block || self.token == Token::Punct('}') {
                return Ok(());
            }
        }
    }

    /// `unroll`, `unroll 4`, `nounroll`, `prefetch 2`, or nothing.
    fn loop_hint(&mut self) -> Result<Option<LoopHint>, ParseError> {
        if self.eat_word("nounroll")? {
            return Ok(Some(LoopHint::Never));
        }
        if self.eat_word("prefetch")? {
            return Ok(Some(LoopHint::Prefetch(self.u32()?)));
        }
        if !self.eat_word("unroll")? {
            return Ok(None);
        }
        Ok(Some(match self.token {
            Token::Number(_) => LoopHint::By(self.u32()?),
            Token::Word(_) | Token::Str(_) | Token::Punct(_) | Token::End => LoopHint::Full,
        }))
    }

    fn inst(&mut self) -> Result<Inst, ParseError> {
        let inst = Inst::from_index(self.func.insts.len());
        let has_result = matches!(self.token, Token::Word(word)
            if word.strip_prefix('v').is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit())));
        let result = match has_result {
            true => Some(self.definition(ValueDef::Result(inst))?),
            false => None,
        };
        let ty = result.and_then(|value| self.values[value.index()]).map(|data| data.ty);
        if result.is_some() {
            self.expect(Token::Punct('='))?;
        }
        let mut data = self.inst_data(ty)?;
        let location = self.location()?;
        // The request for a branch has no location in the text: it gets the branch's.
        if let InstData::Branch { hint: Some(hint), .. } = &mut data {
            hint.location = location;
        }
        self.func.insts.push(data);
        self.func.results.push(result);
        self.func.locations.push(location);
        Ok(inst)
    }

    /// Checks that every name used is defined, and fills gaps in the numbering.
    fn finish(&mut self) -> Result<Function, ParseError> {
        let defined = |value: &Value| self.values.get(value.index()).is_some_and(Option::is_some);
        let missing = self.value_uses.iter().filter(|(value, _)| !defined(value));
        if let Some((value, place)) = missing.min_by_key(|(_, place)| **place) {
            return Err(place.error("a value that the kernel defines", format!("`{value}`")));
        }
        let missing = self.block_uses.iter().filter(|(block, _)| !self.func.layout.contains(block));
        if let Some((block, place)) = missing.min_by_key(|(_, place)| **place) {
            return Err(place.error("a block of the kernel", format!("`{block}`")));
        }
        self.value_uses.clear();
        self.block_uses.clear();
        let mut func = std::mem::take(&mut self.func);
        let mut values = EntityMap::new();
        for data in std::mem::take(&mut self.values) {
            // A number that is not used belongs to an instruction in no block, like one that a pass removed.
            let data = data.unwrap_or_else(|| {
                let inst = func.insts.push(InstData::Const { bits: 0 });
                func.locations.push(SourceLoc::default());
                func.results.push(Some(Value::from_index(values.len())));
                ValueData { ty: Type::I32, def: ValueDef::Result(inst) }
            });
            values.push(data);
        }
        func.values = values;
        Ok(func)
    }
}

/// Bytes from two hexadecimal digits each.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Text that prints as it was parsed.
    #[track_caller]
    fn check_same(text: &str) {
        match parse_module(text) {
            Ok(module) => assert_eq!(module.to_string(), text),
            Err(error) => panic!("{error}"),
        }
    }

    /// The error of a text that is no module.
    #[track_caller]
    fn check_error(text: &str, expect: Expect) {
        let error = parse_module(text).expect_err("the text is wrong");
        expect.assert_eq(&error.to_string());
    }

    #[test]
    fn everything_round_trips() {
        check_same(
            r#"file 0 "src/lib.rs"
file 1 "a \"b\"\\.rs"

kernel saxpy(param0 a: f32, param1 x: i64 ptr align 4 read_only, param2 "odd name": bool) bounds(max_threads 256, min_blocks 8, max_cluster 4, block 64 2 1, cluster 2 1 1, max_registers 40, nonportable_cluster) coarsen 4 @0:2:10 ftz most_threads_x 2147483648 most_block_x 128 {
    shared0 tile: 1024 align 4
    local0 "[f32; 8]": 32 align 4
    const0 table: 4 align 2 "00ff807f"
    panic0 index @0:3:9 called @0:5:2 @0:6:1
    panic1 divide_by_zero
    panic2 message "x is \"odd\"\n" @0:4:9
block0:
    v0: i32 = special tid.x
    v1: i64 = param1
    v2: f32 = load.global v1 + 16 read_only @0:3:5
    v3: f32 = load.global v1 - 4
    v4: i32 = address shared0
    store.shared v4, v2
    barrier @1:2:3
    grid_barrier
    cluster_barrier
    cluster_barrier.divergent
    named_barrier.sync 15, v0
    named_barrier.arrive 1, v4
    v90: i32 = map_shared v4, v0
    v91: f32 = load.cluster v90 + 4
    v5: bool = icmp ult v0, v4
    branch v5, block4(v1, v0), block2
block4(v7: i64, v9: i32):
    v10: f32 = fma v2, v3, v2
    v11: f32 = select v5, v2, v3
    v12: bool = fcmp ne v2, v3
    v13: i64 = zext v9
    v14: i64 = add nuw v13, v13
    v15: i64 = shl v13, v14
    v16: f32 = sqrt v2
    v17: i32 = cas.global.sys v7, v9, v9
    v18: i32 = shuffle.bfly v9, v9, v9, v9
    v19: i64 = address local0
    v20: i64 = to_generic.local v19
    v21: i64 = to_generic.shared v4
    v22: i64 = address const0
    v23: f16 = load.const v22 + 2 align 4
    store.global v7 + 8 align 16, v9
    v24: f16x2 = pack v23, v23
    v25: f16 = extract.1 v24
    v26: i32 = vote.ballot v5, v9
    v27: bool = vote.uni v5, v9
    v28: i32 = match.all v13, v9
    v29: i32 = redux.umin v9, v9
    v30: i32 = active_mask
    v31: i32 = barrier.popc v5
    warp_barrier v9
    fence.gpu
    v32: i64 = special clock64
    v33: f32 = sin_approx v2
    v34: f32 = fdiv_approx v2, v33
    v35: i32 = atomic_umax.shared.cta v4, v9
    v36: f32 = atomic_fadd.global.gpu v7, v2
    v37: i64 = atomic_load.generic.sys v7
    atomic_store.global.gpu v7, v9
    v38: f32 = guard v5 load.global v7 + 4 read_only
    guard not v5 store.global v7, v38
    panic panic0(v7, v13)
block2 unroll:
    branch.predicate v5, block3, block5 @0:7:9
block3 unroll 4:
    jump block5
block5 nounroll:
    return
}

kernel other() {
block0:
    panic panic1
}
"#,
        );
    }

    #[test]
    fn constants_round_trip() {
        check_same(
            "kernel k() {
block0:
    v0: bool = const true
    v1: i8 = const -128
    v2: i16 = const -1
    v3: i32 = const 2147483647
    v4: i32 = const 0x80000000
    v5: i64 = const -4096
    v6: i64 = const 0xffffffffffffefff
    v7: f32 = const -0.0
    v8: f32 = const 1e-45
    v9: f32 = const 0x7fc00001
    v10: f64 = const inf
    v11: f64 = const -inf
    v12: f64 = const 0.1
    v13: f64 = const 1e300
    v14: i8 = const 255
    v15: f16 = const 1.5
    v16: f16 = const -5.9604645e-8
    v17: f16 = const 0x7e01
    v18: bf16 = const 3.3895314e38
    v19: bf16 = const inf
    v20: f16x2 = const 0x3c003c00
    return
}
"
            .replace("const 255", "const -1")
            .as_str(),
        );
    }

    #[test]
    fn comments_and_layout_are_free() {
        let module =
            parse_module("kernel k ( ) { ; nothing\nblock0 : v1:i32=const 0x10 return}").expect("IR");
        expect![[r#"
            kernel k() {
            block0:
                v1: i32 = const 16
                return
            }
        "#]]
        .assert_eq(&module.to_string());
        assert_eq!(module.functions[0].values.len(), 2);
    }

    #[test]
    fn errors() {
        check_error("kernel", expect!["line 1, column 7: expected a name, found the end of the text"]);
        check_error(
            "file 1 \"a\"",
            expect!["line 1, column 6: expected the number of the next file, `0`, found `1`"],
        );
        check_error(
            "file 0 \"a",
            expect![[r#"line 1, column 8: expected a string that is closed on its line, found `"`"#]],
        );
        check_error(
            "kernel k(param1 a: i32) {}",
            expect!["line 1, column 10: expected `param0`, found `param1`"],
        );
        check_error("kernel k(param0 a: int) {}", expect!["line 1, column 20: expected a type, found `int`"]);
        check_error(
            "kernel k(param0 a: i32 param1 b: i32) {}",
            expect!["line 1, column 24: expected `,` or `)`, found `param1`"],
        );
        check_error(
            "kernel k() bounds(threads 1) {}",
            expect![
                "line 1, column 19: expected a launch bound: `max_threads`, `min_blocks`, `max_cluster`, `block`, `cluster`, `max_registers`, `cooperative` or `nonportable_cluster`, found `threads`"
            ],
        );
        check_error(
            "kernel k() { panic0 sadness }",
            expect!["line 1, column 21: expected why it panics, found `sadness`"],
        );
        check_error(
            "kernel k() {\nblock0:\n  v0: i32 = frob v1\n}",
            expect!["line 3, column 13: expected an instruction, found `frob`"],
        );
        check_error(
            "kernel k() {\nblock0:\n  v0: i32 = add v1\n}",
            expect!["line 4, column 1: expected `,`, found `}`"],
        );
        check_error(
            "kernel k() {\nblock0:\n  v0: i32 = neg v1\n return }",
            expect!["line 3, column 17: expected a value that the kernel defines, found `v1`"],
        );
        check_error(
            "kernel k() {\nblock0:\n  jump block1 }",
            expect!["line 3, column 8: expected a block of the kernel, found `block1`"],
        );
        check_error(
            "kernel k() {\nblock0:\n return block0: return }",
            expect!["line 3, column 9: expected a block that is not in the text yet, found `block0`"],
        );
        check_error(
            "kernel k() { block0: v0: i8 = const 0 v0: i8 = const 1 return }",
            expect!["line 1, column 39: expected a value that is not defined yet, found `v0`"],
        );
        check_error(
            "kernel k() { block0: v0: i8 = const 256 return }",
            expect!["line 1, column 37: expected a constant of type `i8`, found `256`"],
        );
        check_error(
            "kernel k() { block0: v0: i8 = const -129 return }",
            expect!["line 1, column 37: expected a constant of type `i8`, found `-129`"],
        );
        check_error(
            "kernel k() { block0: const 0 return }",
            expect![
                "line 1, column 28: expected a result for the constant, as in `v0: i32 = const 1`, found `0`"
            ],
        );
        check_error(
            "kernel k() { block0: v99999999: i8 = const 0 return }",
            expect!["line 1, column 22: expected a value such as `v0`, found `v99999999`"],
        );
        check_error(
            "kernel k() { block0: v0: i32 = load.heap v0 return }",
            expect![
                "line 1, column 32: expected a memory `.global`, `.shared`, `.local`, `.generic` or `.const`, found `load.heap`"
            ],
        );
        check_error(
            "kernel k() { block0: v0: i32 = load.shared v0 + 0x80000000 return }",
            expect!["line 1, column 49: expected an offset of 32 bits with sign, found `2147483648`"],
        );
        check_error(
            "kernel k() { block0: return @1 }",
            expect!["line 1, column 32: expected `:`, found `}`"],
        );
    }

    #[test]
    fn a_function_alone() {
        assert!(parse_function("kernel k() { block0: return }").is_ok());
        let error = parse_function("kernel k() { block0: return } more").expect_err("too much");
        expect!["line 1, column 31: expected the end of the text, found `more`"]
            .assert_eq(&error.to_string());
    }
}
