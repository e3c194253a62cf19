//! The remainder of floats, exactly as Rust's `%` has it: built of the IR's operations, as a loop.
//!
//! Each iteration takes away as many multiples of the divisor as make a quotient that a float holds exactly: of
//! `t = divisor * 2^k`, with `k` such that the quotient by `t` has one bit less than a fraction. The quotient is rounded,
//! so truncated it may be one too large, and what it leaves is exact, as `fma` gives it: a multiple of the last bit of `t`
//! and no larger than `t`. One iteration is the rule, 13 are the most for `f32`, 42 for `f64`.

use super::builder::FunctionBuilder;
use super::entity::Value;
use kernel_abi::operators::{BinaryOp, ConvertOp, FloatCond, IntCond, UnaryOp};
use kernel_abi::types::Type;

/// Parameters of a float type that the loop needs.
struct Layout {
    /// The integer of the same width.
    bits: Type,
    fraction_bits: u32,
    /// The exponent of 1, as it is stored.
    bias: u64,
}

impl FunctionBuilder {
    /// `x % y`, for floats of any type: the sign is that of `x`, and without a result it is NaN. Goes on in a block of its
    /// own.
    pub fn float_remainder(&mut self, x: Value, y: Value) -> Value {
        match self.ty(x) {
            Type::F32 => self.remainder(x, y, &Layout { bits: Type::I32, fraction_bits: 23, bias: 127 }),
            Type::F64 => self.remainder(x, y, &Layout { bits: Type::I64, fraction_bits: 52, bias: 1023 }),
            // The remainder is a multiple of the smaller last bit and below the divisor: it fits where both fit.
            ty => {
                let [x, y] = [x, y].map(|value| self.convert(ConvertOp::FloatToFloat, value, Type::F32));
                let result = self.float_remainder(x, y);
                self.convert(ConvertOp::FloatToFloat, result, ty)
            }
        }
    }

    fn remainder(&mut self, x: Value, y: Value, layout: &Layout) -> Value {
        let ty = self.ty(x);
        let exponent_mask = (layout.bias * 2 + 1) << layout.fraction_bits;
        let zero = self.constant(ty, 0);
        let infinity = self.constant(ty, exponent_mask);
        let nan = self.constant(ty, exponent_mask | 1 << (layout.fraction_bits - 1));
        let divisor = self.unary(UnaryOp::FAbs, y);
        let magnitude = self.unary(UnaryOp::FAbs, x);
        let divides = self.float_compare(FloatCond::Gt, divisor, zero);
        let finite = self.float_compare(FloatCond::Lt, magnitude, infinity);
        let defined = self.binary(BinaryOp::And, divides, finite);
        let start = self.select(defined, magnitude, nan);

        let rest = self.declare(ty);
        self.define(rest, start);
        let [head, body, exit] = [self.create_block(), self.create_block(), self.create_block()];
        let divisor_exponent = self.divisor_exponent(divisor, layout);
        self.jump(head, &[]);
        self.switch_to(head);
        let now = self.read(rest);
        // False for NaN, and at once for a divisor without end.
        let more = self.float_compare(FloatCond::Ge, now, divisor);
        self.branch(more, body, exit);
        self.seal(body);
        self.seal(exit);
        self.switch_to(body);
        let multiple = self.multiple(now, divisor, divisor_exponent, layout);
        let quotient = self.binary(BinaryOp::FDiv, now, multiple);
        let quotient = self.unary(UnaryOp::Trunc, quotient);
        let negative = self.unary(UnaryOp::FNeg, quotient);
        let left = self.fma(negative, multiple, now);
        let too_far = self.float_compare(FloatCond::Lt, left, zero);
        let back = self.binary(BinaryOp::FAdd, left, multiple);
        let next = self.select(too_far, back, left);
        self.define(rest, next);
        self.jump(head, &[]);
        self.seal(head);
        self.switch_to(exit);
        self.binary(BinaryOp::CopySign, now, x)
    }

    /// The exponent of a number that is not negative, as it is stored: an `i32`. Zero for subnormal numbers.
    fn stored_exponent(&mut self, value: Value, layout: &Layout) -> Value {
        let bits = self.convert(ConvertOp::Bitcast, value, layout.bits);
        let shift = self.constant(layout.bits, layout.fraction_bits.into());
        let exponent = self.binary(BinaryOp::LShr, bits, shift);
        if layout.bits == Type::I32 {
            exponent
        } else {
            self.convert(ConvertOp::Truncate, exponent, Type::I32)
        }
    }

    /// The stored exponent of the divisor, less than zero for subnormal ones.
    fn divisor_exponent(&mut self, divisor: Value, layout: &Layout) -> Value {
        let ty = self.ty(divisor);
        let lift = u64::from(layout.fraction_bits) + 1;
        let factor = self.constant(ty, (layout.bias + lift) << layout.fraction_bits);
        let lifted = self.binary(BinaryOp::FMul, divisor, factor);
        let lifted = self.stored_exponent(lifted, layout);
        let lift = self.constant(Type::I32, lift);
        let lifted = self.binary(BinaryOp::Sub, lifted, lift);
        let plain = self.stored_exponent(divisor, layout);
        let zero = self.constant(Type::I32, 0);
        let normal = self.int_compare(IntCond::Ne, plain, zero);
        self.select(normal, plain, lifted)
    }

    /// `divisor * 2^k` for this iteration.
    fn multiple(&mut self, now: Value, divisor: Value, divisor_exponent: Value, layout: &Layout) -> Value {
        let exponent = self.stored_exponent(now, layout);
        let distance = self.binary(BinaryOp::Sub, exponent, divisor_exponent);
        let digits = self.constant(Type::I32, u64::from(layout.fraction_bits) - 1);
        let distance = self.binary(BinaryOp::Sub, distance, digits);
        let zero = self.constant(Type::I32, 0);
        let distance = self.binary(BinaryOp::SMax, distance, zero);
        // In two steps, since one power of two may be too large.
        let one = self.constant(Type::I32, 1);
        let first = self.binary(BinaryOp::LShr, distance, one);
        let second = self.binary(BinaryOp::Sub, distance, first);
        let [first, second] = [first, second].map(|power| self.power_of_two(power, layout));
        let multiple = self.binary(BinaryOp::FMul, divisor, first);
        self.binary(BinaryOp::FMul, multiple, second)
    }

    /// `2^power` for an `i32` from zero up to the bias.
    fn power_of_two(&mut self, power: Value, layout: &Layout) -> Value {
        let bias = self.constant(Type::I32, layout.bias);
        let exponent = self.binary(BinaryOp::Add, power, bias);
        let exponent = match layout.bits {
            Type::I32 => exponent,
            wide => self.convert(ConvertOp::ZeroExtend, exponent, wide),
        };
        let shift = self.constant(layout.bits, layout.fraction_bits.into());
        let bits = self.binary(BinaryOp::Shl, exponent, shift);
        let ty = if layout.bits == Type::I32 { Type::F32 } else { Type::F64 };
        self.convert(ConvertOp::Bitcast, bits, ty)
    }
}
