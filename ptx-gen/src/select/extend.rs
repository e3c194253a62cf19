//! Narrow integers whose upper bits matter: extended forms, made once, right after the value itself.
//!
//! A value whose definition leaves the upper bits extended anyway (a load, a shift to the right) needs no other form.

use super::lower::{Extension, Lowering, extend, immediate, scalar};
use super::machine::{Class, Operand, VReg, int, words::*};
use crate::ir::{BinaryOp, ConvertOp, InstData, Type, Value};
use ptx::tree::Opcode;

/// An extended form of a value that has a use.
pub(super) struct Extended {
    ty: Type,
    extension: Extension,
    reg: VReg,
}

impl Lowering<'_> {
    /// The operand for users that observe all 32 bits of a narrow integer.
    pub(super) fn extended(&mut self, value: Value, extension: Extension) -> Operand {
        match self.constant(value) {
            Some(bits) => immediate(self.func.ty(value), bits, extension),
            None => Operand::Reg(self.extended_reg(value, extension)),
        }
    }

    /// The register that holds a value, a narrow integer being extended to 32 bits.
    pub(super) fn extended_reg(&mut self, value: Value, extension: Extension) -> VReg {
        let ty = self.func.ty(value);
        if !matches!(ty, Type::I8 | Type::I16) || self.is_extended(value, extension) {
            return self.reg(value);
        }
        let root = self.root(value);
        if let Some(bits) = self.func.constant(root) {
            return self.literal(Type::I32, extend(ty, bits, extension) as u32 as u64);
        }
        let wanted = |e: &&Extended| e.ty == ty && e.extension == extension;
        if let Some(extended) = self.extended.get(&root).and_then(|list| list.iter().find(wanted)) {
            return extended.reg;
        }
        let reg = self.temp(Class::B32);
        self.extended.entry(root).or_default().push(Extended { ty, extension, reg });
        reg
    }

    /// Returns true if the definition of a narrow integer leaves its register extended so anyway.
    fn is_extended(&self, value: Value, extension: Extension) -> bool {
        let ty = self.func.ty(value);
        let root = self.root(value);
        if self.func.ty(root) != ty {
            return false;
        }
        let Some(data) = self.func.def(root) else { return false };
        match data {
            InstData::Load { .. } | InstData::Param { .. } => extension == Extension::Zero,
            InstData::Unary { op, .. } => super::op::unary_result(*op) == Some(extension),
            InstData::Binary { op, args, .. } => {
                super::op::binary_result(*op) == Some(extension) || self.is_masked(data, *args, extension)
            }
            InstData::Convert { op, .. } => match op {
                // Zeros above a narrower integer are its sign in the wider one.
                ConvertOp::ZeroExtend => true,
                ConvertOp::SignExtend | ConvertOp::IndexExtend => extension == Extension::Sign,
                ConvertOp::FloatToUInt => extension == Extension::Zero,
                ConvertOp::FloatToSInt => extension == Extension::Sign,
                ConvertOp::Truncate
                | ConvertOp::UIntToFloat
                | ConvertOp::SIntToFloat
                | ConvertOp::FloatToFloat
                | ConvertOp::Bitcast => false,
            },
            _ => false,
        }
    }

    /// A narrow `and` with a literal: literals of `and` are written with zeros above.
    fn is_masked(&self, data: &InstData, args: [Value; 2], extension: Extension) -> bool {
        extension == Extension::Zero
            && matches!(data, InstData::Binary { op: BinaryOp::And, .. })
            && args.iter().any(|&arg| self.constant(arg).is_some())
    }

    /// The register for the sign-extended value, if that is the only form used.
    pub(super) fn take_sign_extension(&mut self, value: Value) -> Option<VReg> {
        let ty = self.func.ty(value);
        match self.extended.get(&value)?[..] {
            [Extended { ty: wanted, extension: Extension::Sign, reg }]
                if wanted == ty && self.values[value].is_none() =>
            {
                self.extended.remove(&value);
                Some(reg)
            }
            _ => None,
        }
    }

    /// Emits the extended forms of a value that have uses.
    pub(super) fn emit_extensions(&mut self, value: Value) {
        for Extended { ty, extension, reg } in self.extended.remove(&value).unwrap_or_default() {
            let source = self.reg(value);
            self.emit_extension(ty, extension, source, reg);
        }
    }

    fn emit_extension(&mut self, ty: Type, extension: Extension, source: VReg, dst: VReg) {
        match extension {
            Extension::Zero => {
                let mask = int(ty.mask() as i64);
                self.emit(dst, Opcode::And, &[B32], vec![source.into(), mask]);
            }
            Extension::Sign => {
                self.emit(dst, Opcode::Cvt, &[S32, scalar(ty, Extension::Sign).into()], vec![source.into()]);
            }
        }
    }
}
