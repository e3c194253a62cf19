//! Memory: loads and stores, and the folding of address arithmetic into them.
//!
//! Constants that are added to an address move into `[base + offset]`; `widen(index) * scale` is one `mul.wide`. Its sum with
//! the base stays an `add`: from `mul.wide` and `add` ptxas makes one `IMAD.WIDE`, from `mad.wide` often two instructions.

use super::lower::{Extension, Lowering, extend, immediate, memory_scalar, state_space};
use super::machine::{Base, Class, Operand, VReg, int, words::*};
use crate::ir::{BinaryOp, CacheHints, CacheOp, ConvertOp, Fetch, InstData, Space, Type, Value};
use ptx::tree::{Keyword, Modifier, Opcode, ScalarType};

/// `widen(factor) * by`: a product of 32-bit numbers that is exact in 64 bits.
pub(super) struct WideProduct {
    extension: Extension,
    factor: Value,
    by: Factor,
}

enum Factor {
    Literal(i64),
    Value(Value),
}

/// Modifiers between the opcode of an access and its type: the space, the cache operator, `nc`, priorities and sizes, in the
/// order of the PTX ISA. Operators count for global memory, and the non-coherent path has no `lu` and no `cv`.
pub(super) fn memory_modifiers(space: Space, read_only: bool, cache: CacheHints) -> Vec<Modifier> {
    let mut modifiers: Vec<Modifier> = state_space(space).map(Modifier::from).into_iter().collect();
    let cache = match space {
        Space::Global | Space::Generic => cache,
        Space::Shared | Space::Cluster | Space::Local | Space::Const => CacheHints::NORMAL,
    };
    let (operator, priority) = match cache.op {
        CacheOp::Normal => (None, None),
        CacheOp::Ca => (Some(Keyword::Ca), None),
        CacheOp::Cg => (Some(Keyword::Cg), None),
        CacheOp::Cs => (Some(Keyword::Cs), None),
        CacheOp::Lu => (Some(Keyword::Lu), None),
        CacheOp::Cv => (Some(Keyword::Cv), None),
        CacheOp::Wb => (Some(Keyword::Wb), None),
        CacheOp::Wt => (Some(Keyword::Wt), None),
        CacheOp::EvictUnchanged => (None, Some(Keyword::L1EvictUnchanged)),
        CacheOp::EvictFirst => (None, Some(Keyword::L1EvictFirst)),
        CacheOp::EvictLast => (None, Some(Keyword::L1EvictLast)),
        CacheOp::NoAllocate => (None, Some(Keyword::L1NoAllocate)),
    };
    let fetch = match cache.fetch {
        Fetch::Normal => None,
        Fetch::B64 => Some(Keyword::L264B),
        Fetch::B128 => Some(Keyword::L2128B),
        Fetch::B256 => Some(Keyword::L2256B),
    };
    modifiers.extend(operator.map(Modifier::Keyword));
    if read_only && space == Space::Global && !matches!(cache.op, CacheOp::Lu | CacheOp::Cv) {
        modifiers.push(NC);
    }
    modifiers.extend(priority.into_iter().chain(fetch).map(Modifier::Keyword));
    modifiers
}

impl Lowering<'_> {
    /// Reads a number of this type.
    pub(super) fn load(&mut self, data: &InstData, ty: ScalarType, dst: VReg) {
        let InstData::Load { space, address, offset, read_only, cache, .. } = *data else {
            unreachable!("{data:?} is no load")
        };
        let address = self.address(address, offset);
        let mut modifiers = memory_modifiers(space, read_only, cache);
        modifiers.push(ty.into());
        self.emit(dst, Opcode::Ld, &modifiers, vec![address]);
    }

    /// The generic address of an address of one space (PTX ISA, `cvta`, which takes 64 bits).
    pub(super) fn emit_to_generic(&mut self, space: Space, address: Value, dst: VReg) {
        let mut source = self.reg(address);
        if space.address_type() == Type::I32 {
            source = self.emit_temp(Class::B64, Opcode::Cvt, &[U64, U32], vec![source.into()]);
        }
        let (opcode, modifiers) = match state_space(space) {
            Some(space) => (Opcode::Cvta, vec![space.into(), U64]),
            None => (Opcode::Mov, vec![U64]),
        };
        self.emit(dst, opcode, &modifiers, vec![source.into()]);
    }

    /// Writes a value.
    pub(super) fn store(
        &mut self,
        (space, cache): (Space, CacheHints),
        address: Value,
        offset: i32,
        value: Value,
    ) {
        let ty = self.func.ty(value);
        let address = self.address(address, offset);
        let value = match (ty, self.constant(value)) {
            (Type::Bool, None) => {
                let byte = self.temp(Class::B32);
                self.bool_to_int(value, Type::I32, byte);
                byte.into()
            }
            // ptxas takes integer literals here, floating-point ones not.
            (
                Type::Bool
                | Type::I8
                | Type::I16
                | Type::I32
                | Type::I64
                | Type::F16
                | Type::BF16
                | Type::F16x2
                | Type::BF16x2,
                Some(bits),
            ) => immediate(ty, bits, Extension::Zero),
            _ => self.reg(value).into(),
        };
        let mut modifiers = memory_modifiers(space, false, cache);
        modifiers.push(memory_scalar(ty).into());
        self.emit_effect(Opcode::St, &modifiers, vec![address, value]);
    }

    /// `[base + offset]`, with the constants that are added to the address folded into the offset.
    pub(super) fn address(&mut self, address: Value, offset: i32) -> Operand {
        let mut base = address;
        let mut offset = offset;
        while let Some((inner, sum)) = self.folded(base, offset) {
            (base, offset) = (inner, sum);
        }
        let base = match self.def(base) {
            Some(InstData::SharedAddress { var }) => Base::Name(self.names.shared[*var].clone()),
            Some(InstData::LocalAddress { var }) => Base::Name(self.names.locals[*var].clone()),
            Some(InstData::ConstAddress { var }) => Base::Name(self.names.consts[*var].clone()),
            _ => Base::Reg(self.reg(base)),
        };
        Operand::Address { base, offset: offset.into() }
    }

    /// If `base` adds a constant to something, that, and the constant added to the offset.
    pub(super) fn folded(&self, base: Value, offset: i32) -> Option<(Value, i32)> {
        let Some(InstData::Binary { op, args: [a, b], .. }) = self.def(base) else { return None };
        let ty = self.func.ty(base);
        let literal = |value| self.constant(value).map(|bits| extend(ty, bits, Extension::Sign));
        let (inner, added) = match op {
            BinaryOp::Add => match (literal(*a), literal(*b)) {
                (_, Some(added)) => (*a, added),
                (Some(added), None) => (*b, added),
                (None, None) => return None,
            },
            BinaryOp::Sub => (*a, literal(*b)?.checked_neg()?),
            _ => return None,
        };
        let sum = i32::try_from(added.checked_add(offset.into())?).ok()?;
        Some((inner, sum))
    }

    /// A product or shift of widened numbers as `mul.wide`.
    pub(super) fn wide_mul(&mut self, op: BinaryOp, args: [Value; 2], ty: Type, dst: VReg) -> bool {
        let Some(product) = (ty == Type::I64).then(|| self.wide_factors(op, args)).flatten() else {
            return false;
        };
        let (ty, operands) = self.wide_operands(product);
        self.emit(dst, Opcode::Mul, &[WIDE, ty], operands);
        true
    }

    fn wide_operands(&mut self, product: WideProduct) -> (Modifier, Vec<Operand>) {
        let WideProduct { extension, factor, by } = product;
        let factor = self.extended(factor, extension);
        let by = match by {
            Factor::Literal(literal) => int(literal),
            Factor::Value(value) => self.extended(value, extension),
        };
        (if extension == Extension::Sign { S32 } else { U32 }, vec![factor, by])
    }

    /// The factors of a product of widened numbers.
    pub(super) fn wide_factors(&self, op: BinaryOp, [a, b]: [Value; 2]) -> Option<WideProduct> {
        let literal = |value| self.constant(value);
        if op == BinaryOp::Shl {
            let (extension, factor) = self.widened(a)?;
            let by = 1i64 << (literal(b)? & 63).min(62);
            return is_word(by, extension).then_some(WideProduct {
                extension,
                factor,
                by: Factor::Literal(by),
            });
        }
        for [a, b] in [[a, b], [b, a]] {
            let Some((extension, factor)) = self.widened(a) else { continue };
            if let Some(bits) = literal(b) {
                let by = bits as i64;
                return is_word(by, extension).then_some(WideProduct {
                    extension,
                    factor,
                    by: Factor::Literal(by),
                });
            }
            if let Some((other_extension, other)) = self.widened(b)
                && other_extension == extension
            {
                return Some(WideProduct { extension, factor, by: Factor::Value(other) });
            }
        }
        None
    }

    /// If a value widens a number of at most 32 bits to 64, how, and the number.
    fn widened(&self, value: Value) -> Option<(Extension, Value)> {
        let (extension, arg) = match self.def(value)? {
            InstData::Convert { op: ConvertOp::ZeroExtend, arg } => (Extension::Zero, *arg),
            InstData::Convert { op: ConvertOp::SignExtend | ConvertOp::IndexExtend, arg } => {
                (Extension::Sign, *arg)
            }
            _ => return None,
        };
        (self.func.ty(arg) != Type::Bool).then_some((extension, arg))
    }
}

/// Returns true if a number is the extension of one of 32 bits.
fn is_word(number: i64, extension: Extension) -> bool {
    match extension {
        Extension::Zero => u32::try_from(number).is_ok(),
        Extension::Sign => i32::try_from(number).is_ok(),
    }
}
