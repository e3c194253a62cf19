//! Floats of 16 bits, alone and in pairs: one PTX instruction where there is one, else by way of `f32`.
//!
//! PTX adds, multiplies and fuses `f16` on every target known here, and takes minima of them from sm_80 on; below, they go
//! through `f32`. Of `bf16` it has `fma`, minima and the conversion from `f32`, all from sm_80 on (its sums and products
//! come with sm_90, and are no faster): so `a + b` is `fma(a, 1, b)` and `a * b` is `fma(a, b, -0)`, which round the
//! same and give zeros the same signs. Quotients and square roots are taken in `f32`, which has more than twice the digits
//! and two more, so that rounding twice gives what rounding once does (Figueroa, "When is double rounding innocuous?",
//! 1995); that holds for subnormal quotients of `bf16` too, which are never within 2⁻¹⁵⁰ of a tie without being one.
//! Signs are bits, so a NaN keeps its own.

use super::lower::{Extension, Lowering};
use super::machine::{Class, Operand, VReg, int, words::*};
use crate::ir::{BinaryOp, Type, UnaryOp, Value};
use ptx::target::Arch;
use ptx::tree::{Modifier, Opcode, ScalarType};

/// The type in PTX of a float of 16 bits or a pair of them.
pub(super) fn half_scalar(ty: Type) -> ScalarType {
    match ty {
        Type::F16 => ScalarType::F16,
        Type::BF16 => ScalarType::Bf16,
        Type::F16x2 => ScalarType::F16x2,
        Type::BF16x2 => ScalarType::Bf16x2,
        other => unreachable!("`{other}` is no float of 16 bits"),
    }
}

/// The bits of one float, in both lanes if the type is a pair.
fn both(ty: Type, bits: u64) -> u64 {
    if ty.lane().is_some() { bits << 16 | bits } else { bits }
}

fn is_f16(ty: Type) -> bool {
    ty.lane().unwrap_or(ty) == Type::F16
}

impl Lowering<'_> {
    /// An operation on one float of 16 bits, or on each of a pair.
    pub(super) fn half_unary(&mut self, op: UnaryOp, arg: Value, ty: Type, dst: VReg) {
        let arg = self.reg(arg);
        let (opcode, modifiers): (Opcode, &[Modifier]) = match op {
            UnaryOp::FNeg => return self.half_bits(Opcode::Xor, arg, 0x8000, ty, dst),
            UnaryOp::FAbs => return self.half_bits(Opcode::And, arg, 0x7fff, ty, dst),
            UnaryOp::Sqrt => (Opcode::Sqrt, &[RN, F32]),
            // Of a float of 16 bits the nearest integer is one too.
            UnaryOp::Floor => (Opcode::Cvt, &[RMI, F32, F32]),
            UnaryOp::Ceil => (Opcode::Cvt, &[RPI, F32, F32]),
            UnaryOp::Trunc => (Opcode::Cvt, &[RZI, F32, F32]),
            UnaryOp::RoundEven => (Opcode::Cvt, &[RNI, F32, F32]),
            other => unreachable!("verified: `{other}` takes no `{ty}`"),
        };
        self.through_f32(opcode, modifiers, [arg], ty, dst);
    }

    /// An operation on two floats of 16 bits, or on each lane of two pairs.
    pub(super) fn half_binary(&mut self, op: BinaryOp, args: [Value; 2], ty: Type, dst: VReg) {
        let [a, b] = args.map(|arg| self.reg(arg));
        let word = Modifier::Type(half_scalar(ty));
        let has_minima = !is_f16(ty) || self.target.provides(Arch::Sm80);
        match op {
            BinaryOp::FAdd if is_f16(ty) => self.emit_half(dst, Opcode::Add, &[RN, word], [a, b]),
            BinaryOp::FSub if is_f16(ty) => self.emit_half(dst, Opcode::Sub, &[RN, word], [a, b]),
            BinaryOp::FMul if is_f16(ty) => self.emit_half(dst, Opcode::Mul, &[RN, word], [a, b]),
            BinaryOp::FAdd => {
                let one = self.literal(ty, both(ty, 0x3f80));
                self.emit_half(dst, Opcode::Fma, &[RN, word], [a, one, b]);
            }
            BinaryOp::FSub => {
                let minus_one = self.literal(ty, both(ty, 0xbf80));
                self.emit_half(dst, Opcode::Fma, &[RN, word], [b, minus_one, a]);
            }
            BinaryOp::FMul => {
                let minus_zero = self.literal(ty, both(ty, 0x8000));
                self.emit_half(dst, Opcode::Fma, &[RN, word], [a, b, minus_zero]);
            }
            BinaryOp::FMin if has_minima => self.emit_half(dst, Opcode::Min, &[word], [a, b]),
            BinaryOp::FMax if has_minima => self.emit_half(dst, Opcode::Max, &[word], [a, b]),
            BinaryOp::FMin => self.through_f32(Opcode::Min, &[F32], [a, b], ty, dst),
            BinaryOp::FMax => self.through_f32(Opcode::Max, &[F32], [a, b], ty, dst),
            BinaryOp::FDiv => self.through_f32(Opcode::Div, &[RN, F32], [a, b], ty, dst),
            BinaryOp::CopySign => {
                let class = Class::of(ty);
                let [magnitude, sign] = [self.temp(class), self.temp(class)];
                self.half_bits(Opcode::And, a, 0x7fff, ty, magnitude);
                self.half_bits(Opcode::And, b, 0x8000, ty, sign);
                self.emit_half(dst, Opcode::Or, &[bits_of(class)], [magnitude, sign]);
            }
            other => unreachable!("verified: `{other}` takes no `{ty}`"),
        }
    }

    /// `a * b + c`, rounded once.
    pub(super) fn half_fma(&mut self, args: [Value; 3], ty: Type, dst: VReg) {
        let args = args.map(|arg| self.reg(arg));
        self.emit_half(dst, Opcode::Fma, &[RN, half_scalar(ty).into()], args);
    }

    fn emit_half<const N: usize>(
        &mut self,
        dst: VReg,
        opcode: Opcode,
        modifiers: &[Modifier],
        args: [VReg; N],
    ) {
        self.emit(dst, opcode, modifiers, args.map(Operand::Reg).to_vec());
    }

    /// A bitwise operation with the same literal in every lane.
    fn half_bits(&mut self, opcode: Opcode, arg: VReg, bits: u64, ty: Type, dst: VReg) {
        let operands = vec![arg.into(), int(both(ty, bits) as i64)];
        self.emit(dst, opcode, &[bits_of(Class::of(ty))], operands);
    }

    /// An operation of `f32` on each lane.
    fn through_f32<const N: usize>(
        &mut self,
        opcode: Opcode,
        modifiers: &[Modifier],
        args: [VReg; N],
        ty: Type,
        dst: VReg,
    ) {
        let Some(lane) = ty.lane() else {
            let operands = args.map(|arg| Operand::Reg(self.widen_half(arg, ty))).to_vec();
            let result = self.emit_temp(Class::F32, opcode, modifiers, operands);
            return self.narrow_to_half(result, ty, dst);
        };
        let pairs = args.map(|arg| self.unpack(arg, Class::B16));
        let results = [0, 1].map(|index| {
            let result = self.temp(Class::B16);
            self.through_f32(opcode, modifiers, pairs.map(|pair| pair[index]), lane, result);
            result
        });
        self.pack(results, dst);
    }

    /// As an `f32`, exactly.
    pub(super) fn widen_half(&mut self, arg: VReg, ty: Type) -> VReg {
        let wide = self.temp(Class::F32);
        self.widen_half_into(arg, ty, wide);
        wide
    }

    /// Widens a float of 16 bits to `f32`, into this register.
    pub(super) fn widen_half_into(&mut self, arg: VReg, ty: Type, dst: VReg) {
        if ty == Type::F16 {
            return self.emit(dst, Opcode::Cvt, &[F32, F16], vec![arg.into()]);
        }
        // `cvt` does the same from sm_80 on.
        let low = self.emit_temp(Class::B32, Opcode::Cvt, &[U32, U16], vec![arg.into()]);
        let high = self.emit_temp(Class::B32, Opcode::Shl, &[B32], vec![low.into(), int(16)]);
        self.emit(dst, Opcode::Mov, &[B32], vec![high.into()]);
    }

    /// From an `f32`, to nearest even.
    pub(super) fn narrow_to_half(&mut self, arg: VReg, ty: Type, dst: VReg) {
        self.emit(dst, Opcode::Cvt, &[RN, half_scalar(ty).into(), F32], vec![arg.into()]);
    }

    /// To `bf16` from what was rounded to `f32` towards zero, `inexact` saying whether that lost anything: with its last
    /// bit set then, it is on the right side of every tie (Boldo and Melquiond, "Emulation of FMA and correctly rounded
    /// sums", 2008).
    pub(super) fn narrow_odd(&mut self, rounded: VReg, inexact: VReg, dst: VReg) {
        let bits = self.emit_temp(Class::B32, Opcode::Mov, &[B32], vec![rounded.into()]);
        let odd = self.emit_temp(Class::B32, Opcode::Or, &[B32], vec![bits.into(), int(1)]);
        let operands = vec![odd.into(), bits.into(), inexact.into()];
        let bits = self.emit_temp(Class::B32, Opcode::Selp, &[B32], operands);
        let value = self.emit_temp(Class::F32, Opcode::Mov, &[B32], vec![bits.into()]);
        self.narrow_to_half(value, Type::BF16, dst);
    }

    // Pairs.

    /// The low and the high half of a register.
    pub(super) fn unpack(&mut self, source: VReg, class: Class) -> [VReg; 2] {
        let halves = [self.temp(class), self.temp(class)];
        self.unpack_into(source, class, halves);
        halves
    }

    pub(super) fn unpack_into(&mut self, source: VReg, class: Class, halves: [VReg; 2]) {
        let modifier = if class == Class::B16 { B32 } else { B64 };
        self.emit_vector_dst(&halves, Opcode::Mov, &[modifier], vec![source.into()]);
    }

    /// A register of a low and a high half.
    pub(super) fn pack(&mut self, halves: [VReg; 2], dst: VReg) {
        let modifier = if self.class(halves[0]) == Class::B16 { B32 } else { B64 };
        self.emit_vector_source(Some(dst), Opcode::Mov, &[modifier], halves.map(Operand::Reg).to_vec());
    }

    /// A pair of two values.
    pub(super) fn pack_values(&mut self, args: [Value; 2], dst: VReg) {
        let halves = args.map(|arg| self.reg(arg));
        self.pack(halves, dst);
    }

    /// Extracts one lane of a pair; the other goes to a temporary that is not read.
    pub(super) fn extract(&mut self, arg: Value, lane: u8, dst: VReg) {
        let source = self.reg(arg);
        let other = self.temp(Class::B16);
        let halves = if lane == 0 { [dst, other] } else { [other, dst] };
        self.unpack_into(source, Class::B16, halves);
    }

    // Bits.

    /// Bits of 16 as another type: integers live in 32-bit registers.
    pub(super) fn bitcast_half(&mut self, arg: Value, ty: Type, dst: VReg) {
        let from = Class::of(self.func.ty(arg));
        let modifiers: &[Modifier] = match (from, Class::of(ty)) {
            (Class::B32, Class::B16) => &[U16, U32],
            (Class::B16, Class::B32) => &[U32, U16],
            _ => {
                let source = self.operand(arg, Extension::Zero);
                return self.emit(dst, Opcode::Mov, &[bits_of(from)], vec![source]);
            }
        };
        let source = self.reg(arg);
        self.emit(dst, Opcode::Cvt, modifiers, vec![source.into()]);
    }
}

/// The bits of a register of 16 or 32.
fn bits_of(class: Class) -> Modifier {
    if class == Class::B16 { B16 } else { B32 }
}
