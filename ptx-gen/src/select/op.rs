//! Arithmetic: one table from the operations of the IR to PTX, and the few that take more than one instruction.
//!
//! Rounding is always written out, so that ptxas neither fuses nor approximates; what flushes subnormals is said in `flush`.

use super::lower::{Extension, Lowering};
use super::machine::{Class, Operand, VReg, int, words::*};
use crate::ir::{BinaryOp, InstData, Type, UnaryOp, Value};
use ptx::tree::{Modifier, Opcode};

/// An operation that is one PTX instruction for types of 32 and 64 bits.
struct Row {
    opcode: Opcode,
    /// Modifiers after the opcode, for 32 bits.
    narrow: &'static [Modifier],
    /// Modifiers for 64 bits.
    wide: &'static [Modifier],
    /// Extension that integers narrower than 32 bits need first, if their upper bits matter.
    observes: Option<Extension>,
}

const fn row(
    opcode: Opcode,
    narrow: &'static [Modifier],
    wide: &'static [Modifier],
    observes: Option<Extension>,
) -> Row {
    Row { opcode, narrow, wide, observes }
}

/// The row of an operation, unless it takes more than one instruction at some type.
fn binary_row(op: BinaryOp) -> Option<Row> {
    use Extension::{Sign, Zero};
    Some(match op {
        BinaryOp::Add => row(Opcode::Add, &[S32], &[S64], None),
        BinaryOp::Sub => row(Opcode::Sub, &[S32], &[S64], None),
        BinaryOp::Mul => row(Opcode::Mul, &[LO, S32], &[LO, S64], None),
        BinaryOp::UDiv => row(Opcode::Div, &[U32], &[U64], Some(Zero)),
        BinaryOp::SDiv => row(Opcode::Div, &[S32], &[S64], Some(Sign)),
        BinaryOp::URem => row(Opcode::Rem, &[U32], &[U64], Some(Zero)),
        BinaryOp::SRem => row(Opcode::Rem, &[S32], &[S64], Some(Sign)),
        BinaryOp::UMin => row(Opcode::Min, &[U32], &[U64], Some(Zero)),
        BinaryOp::SMin => row(Opcode::Min, &[S32], &[S64], Some(Sign)),
        BinaryOp::UMax => row(Opcode::Max, &[U32], &[U64], Some(Zero)),
        BinaryOp::SMax => row(Opcode::Max, &[S32], &[S64], Some(Sign)),
        BinaryOp::And => row(Opcode::And, &[B32], &[B64], None),
        BinaryOp::Or => row(Opcode::Or, &[B32], &[B64], None),
        BinaryOp::Xor => row(Opcode::Xor, &[B32], &[B64], None),
        BinaryOp::FAdd => row(Opcode::Add, &[RN, F32], &[RN, F64], None),
        BinaryOp::FSub => row(Opcode::Sub, &[RN, F32], &[RN, F64], None),
        BinaryOp::FMul => row(Opcode::Mul, &[RN, F32], &[RN, F64], None),
        BinaryOp::FDiv => row(Opcode::Div, &[RN, F32], &[RN, F64], None),
        BinaryOp::FMin => row(Opcode::Min, &[F32], &[F64], None),
        BinaryOp::FMax => row(Opcode::Max, &[F32], &[F64], None),
        BinaryOp::CopySign => row(Opcode::Copysign, &[F32], &[F64], None),
        BinaryOp::FDivApprox => row(Opcode::Div, &[APPROX, F32], &[APPROX, F32], None),
        BinaryOp::UMulHigh | BinaryOp::SMulHigh | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            return None;
        }
    })
}

/// The row of an operation on one value, unless it takes more than one instruction at some type.
fn unary_row(op: UnaryOp) -> Option<Row> {
    Some(match op {
        UnaryOp::Neg => row(Opcode::Neg, &[S32], &[S64], None),
        UnaryOp::Not => row(Opcode::Not, &[B32], &[B64], None),
        UnaryOp::FNeg => row(Opcode::Neg, &[F32], &[F64], None),
        UnaryOp::FAbs => row(Opcode::Abs, &[F32], &[F64], None),
        UnaryOp::Sqrt => row(Opcode::Sqrt, &[RN, F32], &[RN, F64], None),
        UnaryOp::Floor => row(Opcode::Cvt, &[RMI, F32, F32], &[RMI, F64, F64], None),
        UnaryOp::Ceil => row(Opcode::Cvt, &[RPI, F32, F32], &[RPI, F64, F64], None),
        UnaryOp::Trunc => row(Opcode::Cvt, &[RZI, F32, F32], &[RZI, F64, F64], None),
        UnaryOp::RoundEven => row(Opcode::Cvt, &[RNI, F32, F32], &[RNI, F64, F64], None),
        UnaryOp::SinApprox => approximate(Opcode::Sin),
        UnaryOp::CosApprox => approximate(Opcode::Cos),
        UnaryOp::Exp2Approx => approximate(Opcode::Ex2),
        UnaryOp::Exp2Flushed => row(Opcode::Ex2, &[APPROX, FTZ, F32], &[APPROX, FTZ, F32], None),
        UnaryOp::RcpFlushed => row(Opcode::Rcp, &[APPROX, FTZ, F32], &[APPROX, FTZ, F32], None),
        // A modifier of the operation before it, once assembled.
        UnaryOp::Saturate => row(Opcode::Cvt, &[SAT, F32, F32], &[SAT, F32, F32], None),
        UnaryOp::Log2Approx => approximate(Opcode::Lg2),
        UnaryOp::RcpApprox => approximate(Opcode::Rcp),
        UnaryOp::RsqrtApprox => approximate(Opcode::Rsqrt),
        UnaryOp::SqrtApprox => approximate(Opcode::Sqrt),
        UnaryOp::TanhApprox => approximate(Opcode::Tanh),
        UnaryOp::LeadingZeros | UnaryOp::TrailingZeros | UnaryOp::PopCount | UnaryOp::ReverseBits => {
            return None;
        }
    })
}

/// A hardware approximation: of `f32` alone.
const fn approximate(opcode: Opcode) -> Row {
    row(opcode, &[APPROX, F32], &[APPROX, F32], None)
}

/// Extension of the result of a unary operation on narrow integers in its register, where it is known.
pub(super) fn unary_result(op: UnaryOp) -> Option<Extension> {
    match op {
        UnaryOp::LeadingZeros | UnaryOp::TrailingZeros | UnaryOp::PopCount | UnaryOp::ReverseBits => {
            Some(Extension::Zero)
        }
        UnaryOp::Neg
        | UnaryOp::Not
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
        | UnaryOp::TanhApprox => None,
    }
}

/// Extension of the result of a binary operation on narrow integers in its register, where it is known.
pub(super) fn binary_result(op: BinaryOp) -> Option<Extension> {
    match op {
        BinaryOp::UMulHigh | BinaryOp::LShr => Some(Extension::Zero),
        BinaryOp::SMulHigh | BinaryOp::AShr => Some(Extension::Sign),
        // An operation that observes its operands extended stays within their range.
        _ => binary_row(op).and_then(|row| row.observes),
    }
}

fn modifiers(row: &Row, ty: Type) -> &'static [Modifier] {
    if ty.bits() == 64 { row.wide } else { row.narrow }
}

impl Lowering<'_> {
    /// An operation on one value.
    pub(super) fn unary(&mut self, op: UnaryOp, arg: Value, dst: VReg) {
        let ty = self.func.ty(arg);
        if ty.is_half() {
            return self.keeping_subnormals(|this| this.half_unary(op, arg, ty, dst));
        }
        match (op, unary_row(op)) {
            (UnaryOp::Not, _) if ty == Type::Bool => self.not(arg, dst),
            (_, Some(row)) => {
                let arg = self.operand(arg, Extension::Sign);
                self.emit(dst, row.opcode, modifiers(&row, ty), vec![arg]);
            }
            (_, None) => self.count_bits(op, arg, ty, dst),
        }
    }

    /// An operation on two values of one type.
    pub(super) fn binary(&mut self, op: BinaryOp, args: [Value; 2], dst: VReg) {
        let ty = self.func.ty(args[0]);
        if ty == Type::Bool {
            return self.logic(op, args, dst);
        }
        if ty.is_half() {
            return self.keeping_subnormals(|this| this.half_binary(op, args, ty, dst));
        }
        match op {
            BinaryOp::Add if self.fused_add(args, ty, dst) => return,
            BinaryOp::Mul | BinaryOp::Shl if self.wide_mul(op, args, ty, dst) => return,
            BinaryOp::Mul if self.mul_as_shift(args, ty, dst) => return,
            BinaryOp::FDiv if self.reciprocal(args, ty, dst) => return,
            BinaryOp::SMax if self.absolute(args, ty, dst) => return,
            BinaryOp::Or if self.wide_rotation(args, ty, dst) || self.rotation(args, ty, dst) => return,
            _ => {}
        }
        let Some(row) = binary_row(op) else {
            return match op {
                BinaryOp::UMulHigh => self.mul_high(Extension::Zero, args, ty, dst),
                BinaryOp::SMulHigh => self.mul_high(Extension::Sign, args, ty, dst),
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => self.shift(op, args, ty, dst),
                other => unreachable!("`{other}` has a row"),
            };
        };
        let mut operands = args.map(|arg| match row.observes {
            Some(extension) => self.extended(arg, extension),
            // Masks read best, and are known to leave zeros above, when they are written as unsigned numbers.
            None if op == BinaryOp::And => self.operand(arg, Extension::Zero),
            None => self.operand(arg, Extension::Sign),
        });
        // PTX ISA, "copysign": "copies sign bit of a into value of b".
        if op == BinaryOp::CopySign {
            operands.reverse();
        }
        self.emit(dst, row.opcode, modifiers(&row, ty), operands.to_vec());
    }

    /// `1 / x`: rounded as the quotient is, with less to do for numbers out of the ordinary.
    fn reciprocal(&mut self, [dividend, divisor]: [Value; 2], ty: Type, dst: VReg) -> bool {
        let one = if ty == Type::F64 { 1f64.to_bits() } else { 1f32.to_bits().into() };
        if self.constant(dividend) != Some(one) {
            return false;
        }
        let divisor = self.operand(divisor, Extension::Sign);
        self.emit(dst, Opcode::Rcp, if ty == Type::F64 { &[RN, F64] } else { &[RN, F32] }, vec![divisor]);
        true
    }

    /// The greater one of `x` and `-x`: ptxas does not find the absolute value by itself. Narrower types wrap where the register does not.
    fn absolute(&mut self, args: [Value; 2], ty: Type, dst: VReg) -> bool {
        if ty.bits() < 32 {
            return false;
        }
        let is_negated = |[value, other]: [Value; 2]| matches!(self.def(other), Some(&InstData::Unary { op: UnaryOp::Neg, arg }) if self.root(arg) == self.root(value));
        let Some([value, _]) = [args, [args[1], args[0]]].into_iter().find(|&args| is_negated(args)) else {
            return false;
        };
        let value = self.operand(value, Extension::Sign);
        self.emit(dst, Opcode::Abs, if ty == Type::I64 { &[S64] } else { &[S32] }, vec![value]);
        true
    }

    /// A rotation of 64 bits by a constant: two shifts whose results share no bit. ptxas makes of their sum two shifts of 32-bit halves and
    /// no more, as nvcc has it; of `or` it makes parts of the logic around, and copies of registers for it.
    fn wide_rotation(&mut self, args: [Value; 2], ty: Type, dst: VReg) -> bool {
        const WIDTH: u64 = 64;
        let by = |value| match self.def(value) {
            Some(&InstData::Binary { op, args: [value, amount], .. }) => {
                Some((op, self.root(value), self.constant(amount)? % WIDTH))
            }
            _ => None,
        };
        let shifts = args.map(by);
        let is_rotation = |[forth, back]: [Option<(BinaryOp, Value, u64)>; 2]| match (forth, back) {
            (Some((BinaryOp::Shl, value, left)), Some((BinaryOp::LShr, other, right))) => {
                value == other && left + right == WIDTH
            }
            _ => false,
        };
        if ty != Type::I64 || !(is_rotation(shifts) || is_rotation([shifts[1], shifts[0]])) {
            return false;
        }
        let operands = args.map(|arg| self.operand(arg, Extension::Sign));
        self.emit(dst, Opcode::Add, &[S64], operands.to_vec());
        true
    }

    /// A rotation of 32 bits by what is no constant, `x << n | x >> -n`: ptxas makes a funnel shift of it only where the amount is a number.
    fn rotation(&mut self, args: [Value; 2], ty: Type, dst: VReg) -> bool {
        let shift = |value| match self.def(value) {
            Some(&InstData::Binary { op, args: [value, amount], .. }) => Some((op, self.root(value), amount)),
            _ => None,
        };
        // Amounts count modulo the width, so that the other one is the negation.
        let is_negation = |of: Value, amount: Value| match self.def(of) {
            Some(&InstData::Unary { op: UnaryOp::Neg, arg }) => self.root(arg) == self.root(amount),
            _ => false,
        };
        let find = |[forth, back]: [Option<(BinaryOp, Value, Value)>; 2]| match (forth, back) {
            (Some((BinaryOp::Shl, value, left)), Some((BinaryOp::LShr, other, right))) if value == other => {
                if is_negation(right, left) {
                    Some((value, L, left))
                } else {
                    is_negation(left, right).then_some((value, R, right))
                }
            }
            _ => None,
        };
        let [first, second] = args.map(shift);
        let found =
            (ty == Type::I32).then(|| find([first, second]).or_else(|| find([second, first]))).flatten();
        let Some((value, direction, amount)) = found else { return false };
        let value = self.operand(value, Extension::Sign);
        let amount = self.reg(amount).into();
        self.emit(dst, Opcode::Shf, &[direction, WRAP, B32], vec![value.clone(), value, amount]);
        true
    }

    /// `a * b + c` where the product has no other use.
    fn fused_add(&mut self, args: [Value; 2], ty: Type, dst: VReg) -> bool {
        for [product, summand] in [args, [args[1], args[0]]] {
            if !self.serves_one(product) {
                continue;
            }
            let Some(InstData::Binary { op: BinaryOp::Mul, args: factors, .. }) = self.def(product) else {
                continue;
            };
            let is_cheaper_alone =
                self.power_of_two(*factors).is_some() || self.wide_factors(BinaryOp::Mul, *factors).is_some();
            if ty == Type::I64 && is_cheaper_alone {
                continue;
            }
            let [a, b] = factors.map(|factor| self.operand(factor, Extension::Sign));
            let c = self.operand(summand, Extension::Sign);
            let modifiers = if ty == Type::I64 { [LO, S64] } else { [LO, S32] };
            self.emit(dst, Opcode::Mad, &modifiers, vec![a, b, c]);
            return true;
        }
        false
    }

    /// A 64-bit product with a power of two. ptxas makes three instructions of `mul.lo.s64` and `add`, two of `shl` and
    /// `add`; at 32 bits it finds the shift itself.
    fn mul_as_shift(&mut self, args: [Value; 2], ty: Type, dst: VReg) -> bool {
        let Some((value, shift)) = (ty == Type::I64).then(|| self.power_of_two(args)).flatten() else {
            return false;
        };
        let value = self.operand(value, Extension::Sign);
        self.emit(dst, Opcode::Shl, &[B64], vec![value, int(shift.into())]);
        true
    }

    /// If one factor is a power of two: the other one, and the exponent.
    fn power_of_two(&self, [a, b]: [Value; 2]) -> Option<(Value, u32)> {
        let exponent =
            |value| self.constant(value).filter(|bits| bits.is_power_of_two()).map(u64::trailing_zeros);
        exponent(b).map(|shift| (a, shift)).or_else(|| exponent(a).map(|shift| (b, shift)))
    }

    /// `a * b + c`, rounded once.
    pub(super) fn fma(&mut self, args: [Value; 3], dst: VReg) {
        let ty = self.func.ty(args[0]);
        if ty.is_half() {
            return self.half_fma(args, ty, dst);
        }
        let ty = if ty == Type::F64 { F64 } else { F32 };
        let operands = args.map(|arg| self.operand(arg, Extension::Sign)).to_vec();
        self.emit(dst, Opcode::Fma, &[RN, ty], operands);
    }

    /// The high half of a product. Narrow products fit 32 bits.
    fn mul_high(&mut self, extension: Extension, args: [Value; 2], ty: Type, dst: VReg) {
        let operands = args.map(|arg| self.extended(arg, extension)).to_vec();
        let (word, double) = match extension {
            Extension::Zero => (U32, U64),
            Extension::Sign => (S32, S64),
        };
        match ty.bits() {
            64 => self.emit(dst, Opcode::Mul, &[HI, double], operands),
            32 => self.emit(dst, Opcode::Mul, &[HI, word], operands),
            _ => {
                let product = self.emit_temp(Class::B32, Opcode::Mul, &[LO, S32], operands);
                self.emit(dst, Opcode::Shr, &[word], vec![product.into(), int(ty.bits() as i64)]);
            }
        }
    }

    /// Shifts: the IR takes amounts modulo the width, PTX clamps them.
    fn shift(&mut self, op: BinaryOp, [value, amount]: [Value; 2], ty: Type, dst: VReg) {
        let (opcode, observes, word, double) = match op {
            BinaryOp::LShr => (Opcode::Shr, Some(Extension::Zero), U32, U64),
            BinaryOp::AShr => (Opcode::Shr, Some(Extension::Sign), S32, S64),
            _ => (Opcode::Shl, None, B32, B64),
        };
        let value = match observes {
            Some(extension) => self.extended(value, extension),
            None => self.operand(value, Extension::Sign),
        };
        let amount = self.shift_amount(amount, ty);
        self.emit(dst, opcode, &[if ty == Type::I64 { double } else { word }], vec![value, amount]);
    }

    /// A shift amount as a number below the width, in a 32-bit register or literal.
    fn shift_amount(&mut self, amount: Value, ty: Type) -> Operand {
        let width = ty.bits() as i64;
        if let Some(bits) = self.constant(amount) {
            return int(bits as i64 & (width - 1));
        }
        let amount = if ty == Type::I64 { self.low_word(amount) } else { self.reg(amount) };
        self.emit_temp(Class::B32, Opcode::And, &[B32], vec![amount.into(), int(width - 1)]).into()
    }

    /// Counts and reversals of bits.
    fn count_bits(&mut self, op: UnaryOp, arg: Value, ty: Type, dst: VReg) {
        let unused = 32 - ty.bits().min(32) as i64;
        match (op, ty) {
            // The counts of 64 bits are 32-bit numbers in PTX.
            (UnaryOp::ReverseBits, Type::I64) => {
                let arg = self.reg(arg);
                self.emit(dst, Opcode::Brev, &[B64], vec![arg.into()]);
            }
            (_, Type::I64) => {
                let count = self.temp(Class::B32);
                self.count_wide(op, arg, count);
                self.emit(dst, Opcode::Cvt, &[U64, U32], vec![count.into()]);
            }
            (UnaryOp::LeadingZeros, _) => {
                let arg = self.extended_reg(arg, Extension::Zero);
                if unused == 0 {
                    return self.emit(dst, Opcode::Clz, &[B32], vec![arg.into()]);
                }
                let count = self.emit_temp(Class::B32, Opcode::Clz, &[B32], vec![arg.into()]);
                self.emit(dst, Opcode::Sub, &[S32], vec![count.into(), int(unused)]);
            }
            (UnaryOp::TrailingZeros, _) => {
                let mut source = self.reg(arg);
                if unused != 0 {
                    // A bit just above the value: it ends the count of a zero, and hides what is above it.
                    let stop = int(1 << ty.bits());
                    source = self.emit_temp(Class::B32, Opcode::Or, &[B32], vec![source.into(), stop]);
                }
                let reversed = self.emit_temp(Class::B32, Opcode::Brev, &[B32], vec![source.into()]);
                self.emit(dst, Opcode::Clz, &[B32], vec![reversed.into()]);
            }
            (UnaryOp::PopCount, _) => {
                let arg = self.extended_reg(arg, Extension::Zero);
                self.emit(dst, Opcode::Popc, &[B32], vec![arg.into()]);
            }
            _ => {
                let arg = self.reg(arg);
                if unused == 0 {
                    return self.emit(dst, Opcode::Brev, &[B32], vec![arg.into()]);
                }
                let reversed = self.emit_temp(Class::B32, Opcode::Brev, &[B32], vec![arg.into()]);
                self.emit(dst, Opcode::Shr, &[U32], vec![reversed.into(), int(unused)]);
            }
        }
    }

    /// A count of the bits of an `i64`, as PTX gives it: in a 32-bit register.
    pub(super) fn count_wide(&mut self, op: UnaryOp, arg: Value, dst: VReg) {
        let arg = self.reg(arg);
        match op {
            UnaryOp::TrailingZeros => {
                let reversed = self.emit_temp(Class::B64, Opcode::Brev, &[B64], vec![arg.into()]);
                self.emit(dst, Opcode::Clz, &[B64], vec![reversed.into()]);
            }
            UnaryOp::PopCount => self.emit(dst, Opcode::Popc, &[B64], vec![arg.into()]),
            _ => self.emit(dst, Opcode::Clz, &[B64], vec![arg.into()]),
        }
    }

    /// One of two values.
    pub(super) fn select(&mut self, cond: Value, if_true: Value, if_false: Value, dst: VReg) {
        let ty = self.func.ty(if_true);
        let cond = self.predicate(cond);
        let [if_true, if_false] = if cond.negated { [if_false, if_true] } else { [if_true, if_false] };
        if ty == Type::Bool {
            return self.select_bool(cond.reg, if_true, if_false, dst);
        }
        let modifier = match Class::of(ty) {
            Class::F32 => F32,
            Class::F64 => F64,
            Class::B64 => B64,
            Class::B16 => B16,
            Class::B32 | Class::Pred => B32,
        };
        let [a, b] = [if_true, if_false].map(|value| self.operand(value, Extension::Sign));
        self.emit(dst, Opcode::Selp, &[modifier], vec![a, b, cond.reg.into()]);
    }
}
