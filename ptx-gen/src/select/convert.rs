//! Conversions. Those from float to integer are Rust's `as`: they saturate, and NaN gives zero.

use super::lower::{Extension, Lowering, scalar};
use super::machine::{Class, Operand, VReg, int, words::*};
use crate::ir::{ConvertOp, InstData, Type, UnaryOp, Value};
use ptx::tree::{Modifier, Opcode};

impl Lowering<'_> {
    /// Converts `arg` to `ty`.
    pub(super) fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type, dst: VReg) {
        use Extension::{Sign, Zero};
        match op {
            ConvertOp::ZeroExtend => self.extend_int(arg, ty, Zero, dst),
            ConvertOp::SignExtend | ConvertOp::IndexExtend => self.extend_int(arg, ty, Sign, dst),
            // Within 32-bit registers nothing happens, so what comes here starts from 64 bits.
            ConvertOp::Truncate => self.low_word_into(arg, dst),
            ConvertOp::UIntToFloat => self.int_to_float(arg, ty, Zero, dst),
            ConvertOp::SIntToFloat => self.int_to_float(arg, ty, Sign, dst),
            ConvertOp::FloatToUInt => self.float_to_int(arg, ty, Zero, dst),
            ConvertOp::FloatToSInt => self.float_to_int(arg, ty, Sign, dst),
            ConvertOp::FloatToFloat => self.float_to_float(arg, ty, dst),
            ConvertOp::Bitcast if ty.bits() == 16 => self.bitcast_half(arg, ty, dst),
            ConvertOp::Bitcast => {
                let arg = self.operand(arg, Sign);
                self.emit(dst, Opcode::Mov, &[if ty.bits() == 64 { B64 } else { B32 }], vec![arg]);
            }
        }
    }

    /// To a wider integer. Within 32-bit registers the source's extended form is the result, so what comes here goes to
    /// 64 bits, or starts from a truth value.
    fn extend_int(&mut self, arg: Value, ty: Type, extension: Extension, dst: VReg) {
        let from = self.func.ty(arg);
        if from == Type::Bool {
            return self.bool_to_int(arg, ty, dst);
        }
        let word = if extension == Extension::Sign { S64 } else { U64 };
        let arg = self.operand(arg, extension);
        self.emit(dst, Opcode::Cvt, &[word, scalar(from, extension).into()], vec![arg]);
    }

    /// The low half of an `i64` in some register.
    pub(super) fn low_word(&mut self, value: Value) -> VReg {
        if let Some(InstData::Convert { op: ConvertOp::ZeroExtend | ConvertOp::SignExtend, arg }) =
            self.def(value)
            && self.func.ty(*arg) == Type::I32
        {
            return self.reg(*arg);
        }
        let low = self.temp(Class::B32);
        self.low_word_into(value, low);
        low
    }

    /// The low half of an `i64`.
    fn low_word_into(&mut self, value: Value, dst: VReg) {
        if let Some(InstData::Unary { op, arg }) = self.def(value) {
            match op {
                UnaryOp::LeadingZeros | UnaryOp::TrailingZeros | UnaryOp::PopCount => {
                    return self.count_wide(*op, *arg, dst);
                }
                UnaryOp::Neg
                | UnaryOp::Not
                | UnaryOp::ReverseBits
                | UnaryOp::FNeg
                | UnaryOp::FAbs
                | UnaryOp::Sqrt
                | UnaryOp::Floor
                | UnaryOp::Ceil
                | UnaryOp::Trunc
                | UnaryOp::RoundEven
                | UnaryOp::SinApprox
                | UnaryOp::CosApprox
                | UnaryOp::Exp2Approx
                | UnaryOp::Exp2Flushed
                | UnaryOp::Log2Approx
                | UnaryOp::RcpApprox
                | UnaryOp::RcpFlushed
                | UnaryOp::Saturate
                | UnaryOp::RsqrtApprox
                | UnaryOp::SqrtApprox
                | UnaryOp::TanhApprox => {}
            }
        }
        let source = self.reg(value);
        self.emit(dst, Opcode::Cvt, &[U32, U64], vec![source.into()]);
    }

    /// To float, to nearest even. The instruction reads narrow integers from wide registers by itself.
    fn int_to_float(&mut self, arg: Value, ty: Type, extension: Extension, dst: VReg) {
        let from = self.func.ty(arg);
        let source = self.reg(arg);
        let word = scalar(from, extension).into();
        if ty != Type::BF16 {
            return self.emit(dst, Opcode::Cvt, &[RN, float(ty), word], vec![source.into()]);
        }
        // PTX has this conversion from sm_90 on.
        let rounded = self.emit_temp(Class::F32, Opcode::Cvt, &[RZ, F32, word], vec![source.into()]);
        if from.bits() < 32 {
            return self.narrow_to_half(rounded, ty, dst);
        }
        let back = self.emit_temp(Class::of(from), Opcode::Cvt, &[RZI, word, F32], vec![rounded.into()]);
        let bits = if from == Type::I64 { B64 } else { B32 };
        let inexact =
            self.emit_temp(Class::Pred, Opcode::Setp, &[NE, bits], vec![source.into(), back.into()]);
        self.narrow_odd(rounded, inexact, dst);
    }

    /// To an integer, with a rounding before it. `cvt` saturates by itself to the width of the result, and sends NaN to zero on the
    /// way from `f32` to at most 32 bits (PTX ISA, "cvt").
    fn float_to_int(&mut self, arg: Value, ty: Type, extension: Extension, dst: VReg) {
        let (rounding, arg) = self.rounded(arg);
        let mut from = self.func.ty(arg);
        let mut source = self.reg(arg);
        if from.is_half() {
            (source, from) = (self.widen_half(source, from), Type::F32);
        }
        if from == Type::F32 && ty != Type::I64 {
            let modifiers = [rounding, scalar(ty, extension).into(), F32];
            return self.emit(dst, Opcode::Cvt, &modifiers, vec![source.into()]);
        }
        let (word, bits) = match (ty, extension) {
            (Type::I64, Extension::Zero) => (U64, B64),
            (Type::I64, Extension::Sign) => (S64, B64),
            (_, Extension::Zero) => (U32, B32),
            (_, Extension::Sign) => (S32, B32),
        };
        let class = Class::of(ty);
        let found = self.emit_temp(class, Opcode::Cvt, &[rounding, word, float(from)], vec![source.into()]);
        let number = self.emit_temp(Class::Pred, Opcode::Setp, &[NUM, float(from)], vec![source.into(); 2]);
        let narrow = ty.bits() < 32;
        let result = if narrow { self.temp(class) } else { dst };
        self.emit(result, Opcode::Selp, &[bits], vec![found.into(), int(0), number.into()]);
        if narrow {
            self.clamp(result, ty, extension, word, dst);
        }
    }

    /// The rounding to an integer that a value is the result of, which `cvt` does by itself, and what is rounded.
    fn rounded(&self, value: Value) -> (Modifier, Value) {
        match self.def(value) {
            Some(&InstData::Unary { op, arg }) if !self.func.ty(arg).is_half() => match op {
                UnaryOp::Floor => (RMI, arg),
                UnaryOp::Ceil => (RPI, arg),
                UnaryOp::RoundEven => (RNI, arg),
                UnaryOp::Trunc => (RZI, arg),
                _ => (RZI, value),
            },
            _ => (RZI, value),
        }
    }

    /// Saturates a 32-bit integer to the range of a narrower one.
    fn clamp(&mut self, source: VReg, ty: Type, extension: Extension, word: Modifier, dst: VReg) {
        let mut source: Operand = source.into();
        let mut max = ty.mask() as i64;
        if extension == Extension::Sign {
            max >>= 1;
            source = self.emit_temp(Class::B32, Opcode::Max, &[word], vec![source, int(-max - 1)]).into();
        }
        self.emit(dst, Opcode::Min, &[word], vec![source, int(max)]);
    }

    fn float_to_float(&mut self, arg: Value, ty: Type, dst: VReg) {
        let source = self.reg(arg);
        let from = self.func.ty(arg);
        match (from, ty) {
            (Type::F64, Type::F32) => self.emit(dst, Opcode::Cvt, &[RN, F32, F64], vec![source.into()]),
            (Type::F32, Type::F64) => self.emit(dst, Opcode::Cvt, &[F64, F32], vec![source.into()]),
            (Type::F16, Type::F32 | Type::F64) => {
                self.emit(dst, Opcode::Cvt, &[float(ty), F16], vec![source.into()]);
            }
            (Type::F32 | Type::F64, Type::F16) => {
                self.emit(dst, Opcode::Cvt, &[RN, F16, float(from)], vec![source.into()]);
            }
            (Type::F32, Type::BF16) => self.narrow_to_half(source, ty, dst),
            (Type::F64, Type::BF16) => self.keeping_subnormals(|this| {
                let rounded = this.emit_temp(Class::F32, Opcode::Cvt, &[RZ, F32, F64], vec![source.into()]);
                let back = this.emit_temp(Class::F64, Opcode::Cvt, &[F64, F32], vec![rounded.into()]);
                let operands = vec![source.into(), back.into()];
                let inexact = this.emit_temp(Class::Pred, Opcode::Setp, &[NE, F64], operands);
                this.narrow_odd(rounded, inexact, dst);
            }),
            (Type::BF16, Type::F32) => self.widen_half_into(source, from, dst),
            (Type::BF16, Type::F64) => {
                let wide = self.widen_half(source, from);
                self.keeping_subnormals(|this| this.emit(dst, Opcode::Cvt, &[F64, F32], vec![wide.into()]));
            }
            (Type::F16, Type::BF16) | (Type::BF16, Type::F16) => {
                let wide = self.widen_half(source, from);
                self.narrow_to_half(wide, ty, dst);
            }
            _ => self.emit(dst, Opcode::Mov, &[float(ty)], vec![source.into()]),
        }
    }
}

fn float(ty: Type) -> Modifier {
    match ty {
        Type::F64 => F64,
        Type::F16 => F16,
        _ => F32,
    }
}
