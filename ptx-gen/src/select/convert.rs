//! Conversions. Those from float to integer are Rust's `as`: they saturate, and NaN gives zero.

use super::lower::{Extension, Lowering, scalar};
use super::machine::{Class, Operand, VReg, int, words::*};
use crate::ir::{ConvertOp, InstData, Type, UnaryOp, Value};
use crate::ptx::tree::{Modifier, Opcode};

impl Lowering<'_> {
    /// Converts `arg` to `ty`.
    pub(super) fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type, dst: VReg) {
        use Extension::{Sign, Zero};
        match op {
            ConvertOp::ZeroExtend => self.extend_int(arg, ty, Zero, dst),
            ConvertOp::SignExtend => self.extend_int(arg, ty, Sign, dst),
            // Within 32-bit registers nothing happens, so what comes here starts from 64 bits.
            ConvertOp::Truncate => self.low_word_into(arg, dst),
            ConvertOp::UIntToFloat => self.int_to_float(arg, ty, Zero, dst),
            ConvertOp::SIntToFloat => self.int_to_float(arg, ty, Sign, dst),
            ConvertOp::FloatToUInt => self.float_to_int(arg, ty, Zero, dst),
            ConvertOp::FloatToSInt => self.float_to_int(arg, ty, Sign, dst),
            ConvertOp::FloatToFloat => self.float_to_float(arg, ty, dst),
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
                | UnaryOp::RoundEven => {}
            }
        }
        let source = self.reg(value);
        self.emit(dst, Opcode::Cvt, &[U32, U64], vec![source.into()]);
    }

    /// To float, to nearest even. The instruction reads narrow integers from wide registers by itself.
    fn int_to_float(&mut self, arg: Value, ty: Type, extension: Extension, dst: VReg) {
        let from = self.func.ty(arg);
        let source = self.reg(arg);
        self.emit(dst, Opcode::Cvt, &[RN, float(ty), scalar(from, extension).into()], vec![source.into()]);
    }

    /// To an integer. `cvt` saturates by itself, but only at 32 and 64 bits does the width suit; and it sends NaN to zero
    /// only on the way from `f32` to 32 bits (PTX ISA, "cvt").
    fn float_to_int(&mut self, arg: Value, ty: Type, extension: Extension, dst: VReg) {
        let from = self.func.ty(arg);
        let source = self.reg(arg);
        let wide = ty == Type::I64;
        let narrow = ty.bits() < 32;
        let fix_nan = wide || from == Type::F64;
        let class = Class::of(ty);
        let word = match (wide, extension) {
            (false, Extension::Zero) => U32,
            (false, Extension::Sign) => S32,
            (true, Extension::Zero) => U64,
            (true, Extension::Sign) => S64,
        };
        let mut result = if narrow || fix_nan { self.temp(class) } else { dst };
        self.emit(result, Opcode::Cvt, &[RZI, word, float(from)], vec![source.into()]);
        if fix_nan {
            let number =
                self.emit_temp(Class::Pred, Opcode::Setp, &[NUM, float(from)], vec![source.into(); 2]);
            let fixed = if narrow { self.temp(class) } else { dst };
            let select = if wide { B64 } else { B32 };
            self.emit(fixed, Opcode::Selp, &[select], vec![result.into(), int(0), number.into()]);
            result = fixed;
        }
        if narrow {
            self.clamp(result, ty, extension, word, dst);
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
            _ => self.emit(dst, Opcode::Mov, &[float(ty)], vec![source.into()]),
        }
    }
}

fn float(ty: Type) -> Modifier {
    if ty == Type::F64 { F64 } else { F32 }
}
