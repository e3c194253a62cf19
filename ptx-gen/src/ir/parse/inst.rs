//! Reads one instruction after its `v0: i32 =`.

use super::lex::Token;
use super::{ParseError, Parser};
use crate::ir::SourceLoc;
use crate::ir::cache::{CacheHints, CacheOp, Fetch};
use crate::ir::entity::{
    Block, ConstVar, InlineAsm, LocalVar, PanicSite, Param, PrintSite, SharedVar, Value,
};
use crate::ir::inst::{BlockCall, BranchHint, BranchWish, InstData};
use kernel_abi::half;
use kernel_abi::operators::{
    AtomicOp, BarrierOp, BinaryOp, ConvertOp, FloatCond, IntCond, MatchMode, MemoryOrder, MemoryScope,
    ReduxOp, ShuffleMode, SpecialRegister, UnaryOp, VoteMode,
};
use kernel_abi::types::{Space, Type};

impl Parser<'_> {
    /// The mnemonic and the operands; `ty` is the type of the result.
    pub(super) fn inst_data(&mut self, ty: Option<Type>) -> Result<InstData, ParseError> {
        const EXPECTED: &str = "an instruction";
        let Token::Word(mnemonic) = self.token else { return self.error(EXPECTED) };
        if let Some(op) = UnaryOp::from_mnemonic(mnemonic) {
            self.advance()?;
            return Ok(InstData::Unary { op, arg: self.value()? });
        }
        if let Some(op) = BinaryOp::from_mnemonic(mnemonic) {
            self.advance()?;
            let no_unsigned_wrap = self.eat_word("nuw")?;
            return Ok(InstData::Binary { op, args: self.values()?, no_unsigned_wrap });
        }
        if let Some(op) = ConvertOp::from_mnemonic(mnemonic) {
            self.advance()?;
            return Ok(InstData::Convert { op, arg: self.value()? });
        }
        let (name, suffix) = mnemonic.split_once('.').unwrap_or((mnemonic, ""));
        match (name, suffix) {
            ("const", "") => {
                self.advance()?;
                Ok(InstData::Const { bits: self.constant(ty)? })
            }
            ("fma", "") => {
                self.advance()?;
                Ok(InstData::Fma { args: self.values()? })
            }
            ("select", "") => {
                self.advance()?;
                let [cond, if_true, if_false] = self.values()?;
                Ok(InstData::Select { cond, if_true, if_false })
            }
            ("icmp", "") => {
                self.advance()?;
                let cond = self.lookup("a comparison of integers", IntCond::from_mnemonic)?;
                Ok(InstData::IntCompare { cond, args: self.values()? })
            }
            ("fcmp", "") => {
                self.advance()?;
                let cond = self.lookup("a comparison of floats", FloatCond::from_mnemonic)?;
                Ok(InstData::FloatCompare { cond, args: self.values()? })
            }
            ("special", "") => {
                self.advance()?;
                let register = self.lookup("a special register", SpecialRegister::from_mnemonic)?;
                Ok(InstData::Special { register })
            }
            ("inline", "" | "pure") => {
                let pure = mnemonic.ends_with(".pure");
                self.advance()?;
                let asm: InlineAsm = self.entity("inline", "PTX such as `inline0`")?;
                Ok(InstData::Inline { asm, args: self.args()?, pure })
            }
            ("inline_out", "") => {
                self.advance()?;
                let of = self.value()?;
                self.expect(Token::Punct(','))?;
                Ok(InstData::InlineOut { of, index: self.u32()? })
            }
            ("inline_effect", "") => {
                self.advance()?;
                let asm: InlineAsm = self.entity("inline", "PTX such as `inline0`")?;
                Ok(InstData::InlineEffect { asm, args: self.args()? })
            }
            ("address", "") => {
                self.advance()?;
                if matches!(self.token, Token::Word(word) if word.starts_with("const")) {
                    let var: ConstVar = self.entity("const", "constant data such as `const0`")?;
                    return Ok(InstData::ConstAddress { var });
                }
                if matches!(self.token, Token::Word(word) if word.starts_with("local")) {
                    let var: LocalVar = self.entity("local", "a local variable such as `local0`")?;
                    return Ok(InstData::LocalAddress { var });
                }
                let var: SharedVar = self.entity("shared", "a shared variable such as `shared0`")?;
                Ok(InstData::SharedAddress { var })
            }
            ("to_generic", space) => {
                let space = self.space(space)?;
                self.advance()?;
                Ok(InstData::ToGeneric { space, address: self.value()? })
            }
            ("map_shared", "") => {
                self.advance()?;
                let address = self.value()?;
                self.expect(Token::Punct(','))?;
                Ok(InstData::MapShared { address, rank: self.value()? })
            }
            ("load", space) => {
                let space = self.space(space)?;
                self.advance()?;
                let (address, offset) = self.address()?;
                let align = self.alignment()?;
                let read_only = self.eat_word("read_only")?;
                let below = if self.eat_word("below")? { Some(self.param_name()?) } else { None };
                let cache = self.cache()?;
                Ok(InstData::Load { space, address, offset, align, read_only, below, cache })
            }
            ("store", space) => {
                let space = self.space(space)?;
                self.advance()?;
                let (address, offset) = self.address()?;
                let align = self.alignment()?;
                let cache = self.cache()?;
                self.expect(Token::Punct(','))?;
                Ok(InstData::Store { space, address, offset, align, value: self.value()?, cache })
            }
            ("atomic_load", suffix) => {
                let (space, scope, order) = self.scoped(suffix)?;
                self.advance()?;
                Ok(InstData::AtomicLoad { space, scope, order, address: self.value()? })
            }
            ("atomic_store", suffix) => {
                let (space, scope, order) = self.scoped(suffix)?;
                self.advance()?;
                let [address, value] = self.values()?;
                Ok(InstData::AtomicStore { space, scope, order, address, value })
            }
            (atomic, suffix) if atomic.starts_with("atomic_") => {
                let Some(op) = AtomicOp::from_mnemonic(&atomic["atomic_".len()..]) else {
                    return self.error("an atomic operation such as `atomic_add`");
                };
                let (space, scope, order) = self.scoped(suffix)?;
                self.advance()?;
                let [address, value] = self.values()?;
                Ok(InstData::AtomicRmw { op, space, scope, order, address, value })
            }
            ("cas", suffix) => {
                let (space, scope, order) = self.scoped(suffix)?;
                self.advance()?;
                let [address, expected, desired] = self.values()?;
                Ok(InstData::AtomicCas { space, scope, order, address, expected, desired })
            }
            ("shuffle", mode) => {
                let Some(mode) = ShuffleMode::from_mnemonic(mode) else {
                    return self.error("`shuffle.MODE` with mode `up`, `down`, `bfly` or `idx`");
                };
                self.advance()?;
                let [value, lane, clamp, members] = self.values()?;
                Ok(InstData::Shuffle { mode, value, lane, clamp, members })
            }
            ("pack", "") => {
                self.advance()?;
                Ok(InstData::Pack { args: self.values()? })
            }
            ("extract", lane @ ("0" | "1")) => {
                self.advance()?;
                Ok(InstData::Extract { arg: self.value()?, lane: u8::from(lane == "1") })
            }
            ("vote", mode) => {
                let Some(mode) = VoteMode::from_mnemonic(mode) else {
                    return self.error("`vote.MODE` with mode `ballot`, `any`, `all` or `uni`");
                };
                self.advance()?;
                let [pred, members] = self.values()?;
                Ok(InstData::Vote { mode, pred, members })
            }
            ("match", mode) => {
                let Some(mode) = MatchMode::from_mnemonic(mode) else {
                    return self.error("`match.MODE` with mode `any` or `all`");
                };
                self.advance()?;
                let [value, members] = self.values()?;
                Ok(InstData::Match { mode, value, members })
            }
            ("redux", op) => {
                let Some(op) = ReduxOp::from_mnemonic(op) else {
                    return self.error("`redux.OP` such as `redux.add`");
                };
                self.advance()?;
                let [value, members] = self.values()?;
                Ok(InstData::Redux { op, value, members })
            }
            ("active_mask", "") => {
                self.advance()?;
                Ok(InstData::ActiveMask)
            }
            ("warp_barrier", "") => {
                self.advance()?;
                Ok(InstData::WarpBarrier { members: self.value()? })
            }
            ("fence", suffix) => {
                let (scope, order) = suffix.split_once('.').unwrap_or((suffix, MemoryOrder::SeqCst.as_str()));
                let scope = MemoryScope::from_mnemonic(scope);
                let Some((scope, order)) = scope.zip(MemoryOrder::from_mnemonic(order)) else {
                    return self
                        .error("`fence.SCOPE` or `fence.SCOPE.acq_rel` with scope `cta`, `gpu` or `sys`");
                };
                self.advance()?;
                Ok(InstData::Fence { scope, order })
            }
            ("barrier", op) if !op.is_empty() => {
                let Some(op) = BarrierOp::from_mnemonic(op) else {
                    return self.error("`barrier.OP` with `popc`, `and` or `or`");
                };
                self.advance()?;
                Ok(InstData::BarrierReduce { op, pred: self.value()? })
            }
            ("barrier", "") => {
                self.advance()?;
                Ok(InstData::Barrier)
            }
            ("grid_barrier", "") => {
                self.advance()?;
                Ok(InstData::GridBarrier)
            }
            ("cluster_barrier", kind @ ("" | "divergent")) => {
                let aligned = kind.is_empty();
                self.advance()?;
                Ok(InstData::ClusterBarrier { aligned })
            }
            ("named_barrier", mode @ ("sync" | "arrive")) => {
                let waits = mode == "sync";
                self.advance()?;
                let id = self.number("the number of a barrier")?;
                self.expect(Token::Punct(','))?;
                Ok(InstData::NamedBarrier { id, threads: self.value()?, waits })
            }
            ("jump", "") => {
                self.advance()?;
                Ok(InstData::Jump { target: self.call()? })
            }
            ("guard", "") => {
                self.advance()?;
                let holds = !self.eat_word("not")?;
                let cond = self.value()?;
                Ok(InstData::Guarded { cond, holds, access: Box::new(self.inst_data(ty)?) })
            }
            ("branch", wish) => {
                let hint = match BranchWish::from_mnemonic(wish) {
                    Some(wish) => Some(BranchHint { wish, location: SourceLoc::default() }),
                    None if wish.is_empty() => None,
                    None => return self.error("`branch`, `branch.predicate` or `branch.keep`"),
                };
                self.advance()?;
                let cond = self.value()?;
                self.expect(Token::Punct(','))?;
                let if_true = self.call()?;
                self.expect(Token::Punct(','))?;
                Ok(InstData::Branch { cond, if_true, if_false: self.call()?, hint })
            }
            ("return", "") => {
                self.advance()?;
                Ok(InstData::Return)
            }
            ("panic", "") => {
                self.advance()?;
                let site: PanicSite = self.entity("panic", "a place that can panic such as `panic0`")?;
                Ok(InstData::Panic { site, args: self.args()? })
            }
            ("print", "") => {
                self.advance()?;
                let site: PrintSite = self.entity("print", "a place that prints such as `print0`")?;
                Ok(InstData::Print { site, args: self.args()? })
            }
            (param, "") if param.starts_with("param") => {
                let param: Param = self.entity("param", "a parameter such as `param0`")?;
                Ok(InstData::Param { param })
            }
            _ => self.error(EXPECTED),
        }
    }

    fn space(&self, name: &str) -> Result<Space, ParseError> {
        match Space::ALL.iter().find(|space| space.as_str() == name) {
            Some(space) => Ok(*space),
            None => self.error("a memory `.global`, `.shared`, `.local`, `.generic` or `.const`"),
        }
    }

    /// `SPACE.SCOPE` of an atomic access, and what it orders unless it is relaxed.
    fn scoped(&self, suffix: &str) -> Result<(Space, MemoryScope, MemoryOrder), ParseError> {
        let mut words = suffix.split('.');
        let space = self.space(words.next().unwrap_or_default())?;
        let scope = words.next().and_then(MemoryScope::from_mnemonic);
        let order = words.next().map_or(Some(MemoryOrder::Relaxed), MemoryOrder::from_mnemonic);
        match scope.zip(order) {
            Some((scope, order)) if words.next().is_none() => Ok((space, scope, order)),
            Some(_) | None => self.error(
                "an atomic access `.SPACE.SCOPE` or `.SPACE.SCOPE.ORDER` with scope `cta`, `gpu` or `sys`, order \
                 `acquire`, `release` or `acq_rel`",
            ),
        }
    }

    /// As many values as the instruction takes, separated by commas.
    fn values<const N: usize>(&mut self) -> Result<[Value; N], ParseError> {
        let mut values = Vec::with_capacity(N);
        for index in 0..N {
            if index > 0 {
                self.expect(Token::Punct(','))?;
            }
            values.push(self.value()?);
        }
        match values.try_into() {
            Ok(values) => Ok(values),
            Err(_) => self.error(format!("{N} values")),
        }
    }

    /// Values in parentheses, or nothing.
    fn args(&mut self) -> Result<Vec<Value>, ParseError> {
        let mut args = Vec::new();
        if self.eat(Token::Punct('('))? {
            self.list(|parser| {
                args.push(parser.value()?);
                Ok(())
            })?;
        }
        Ok(args)
    }

    fn call(&mut self) -> Result<BlockCall, ParseError> {
        let place = self.place;
        let block: Block = self.entity("block", "a block such as `block0`")?;
        self.block_uses.entry(block).or_insert(place);
        Ok(BlockCall { block, args: self.args()? })
    }

    /// `v0`, `v0 + 16` or `v0 - 16`.
    fn address(&mut self) -> Result<(Value, i32), ParseError> {
        let base = self.value()?;
        let negative = self.token == Token::Punct('-');
        if !negative && self.token != Token::Punct('+') {
            return Ok((base, 0));
        }
        self.advance()?;
        let place = self.place;
        let magnitude = i64::from(self.u32()?);
        match i32::try_from(if negative { -magnitude } else { magnitude }) {
            Ok(offset) => Ok((base, offset)),
            Err(_) => Err(place.error("an offset of 32 bits with sign", format!("`{magnitude}`"))),
        }
    }

    /// The words of an access for the caches.
    fn cache(&mut self) -> Result<CacheHints, ParseError> {
        let mut cache = CacheHints::NORMAL;
        for &op in CacheOp::ALL {
            if self.eat_word(op.as_str())? {
                cache.op = op;
            }
        }
        for &fetch in Fetch::ALL {
            if self.eat_word(fetch.as_str())? {
                cache.fetch = fetch;
            }
        }
        Ok(cache)
    }

    /// `align 16`, or nothing.
    fn alignment(&mut self) -> Result<Option<u32>, ParseError> {
        Ok(if self.eat_word("align")? { Some(self.u32()?) } else { None })
    }

    /// A constant of the given type, as its bits.
    fn constant(&mut self, ty: Option<Type>) -> Result<u64, ParseError> {
        let Some(ty) = ty else { return self.error("a result for the constant, as in `v0: i32 = const 1`") };
        let expected = format!("a constant of type `{ty}`");
        let place = self.place;
        let negative = self.eat(Token::Punct('-'))?;
        let text = match self.token {
            Token::Word(text) | Token::Number(text) => text,
            Token::Str(_) | Token::Punct(_) | Token::End => return self.error(expected),
        };
        match constant_bits(ty, text, negative) {
            Some(bits) => {
                self.advance()?;
                Ok(bits)
            }
            None => {
                let sign = if negative { "-" } else { "" };
                Err(place.error(expected, format!("`{sign}{text}`")))
            }
        }
    }
}

fn constant_bits(ty: Type, text: &str, negative: bool) -> Option<u64> {
    let hexadecimal = text.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
    if let Some(bits) = hexadecimal {
        return bits.ok().filter(|bits| !negative && bits & !ty.mask() == 0);
    }
    match ty {
        Type::Bool => match text {
            "true" if !negative => Some(1),
            "false" if !negative => Some(0),
            _ => None,
        },
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
            let magnitude: u64 = text.parse().ok()?;
            let limit = if negative { 1 << (ty.bits() - 1) } else { ty.mask() };
            let bits = if negative { magnitude.wrapping_neg() } else { magnitude };
            (magnitude <= limit).then_some(bits & ty.mask())
        }
        Type::F32 => {
            let value: f32 = text.parse().ok()?;
            Some(u64::from((if negative { -value } else { value }).to_bits()))
        }
        Type::F64 => {
            let value: f64 = text.parse().ok()?;
            Some((if negative { -value } else { value }).to_bits())
        }
        Type::F16 | Type::BF16 => {
            let value: f64 = text.parse().ok()?;
            Some(half::narrow(ty, if negative { -value } else { value }))
        }
        // Only by their bits.
        Type::F16x2 | Type::BF16x2 => None,
    }
}
