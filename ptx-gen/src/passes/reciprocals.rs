//! Divisions by constants: multiplications by reciprocals (Granlund and Montgomery, "Division by Invariant Integers using
//! Multiplication", 1994).
//!
//! ptxas 13.0 divides 32 bits by a constant with 14 instructions, a conversion to `f32` and its reciprocal among them, and 64 bits with some
//! 50 that do not know the divisor. Of a dividend of which fewer bits are known to be used the product and a shift are enough. This comes
//! late: the ranges know more of a quotient and of a remainder.
//!
//! Signed numbers that may be negative are divided by a power of two by a shift, once the divisor less one is added to those that are negative, which
//! rounds towards zero. ptxas takes the same 14 instructions for it.

use crate::analysis::Ranges;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstData, IntCond, SourceLoc, Type, UnaryOp, Value,
};

/// See the head of this file.
pub fn multiply_by_reciprocals(func: &mut Function) {
    for Division { block, inst, bits } in divisions(func) {
        let InstData::Binary { op, args: [dividend, divisor], .. } = func.insts[inst] else { continue };
        let Some(number) = func.constant(divisor) else { continue };
        let ty = func.ty(dividend);
        // Short integers are divided as 32 bits.
        let (width, is_short) =
            if ty == Type::I64 { (Type::I64, false) } else { (Type::I32, ty != Type::I32) };
        let location = func.locations[inst];
        let mut code = Code { func, location, ty: width, insts: Vec::new() };
        let extension = if bits.is_some() { ConvertOp::ZeroExtend } else { ConvertOp::SignExtend };
        let wide = if is_short { code.convert(extension, dividend) } else { dividend };
        let is_remainder = matches!(op, BinaryOp::URem | BinaryOp::SRem);
        let signed_number = sign_extend(number, ty);
        let magnitude = if bits.is_some() { number } else { signed_number.unsigned_abs() };
        let is_power = magnitude.is_power_of_two();
        let mut result = match bits {
            Some(_) if is_power && is_remainder => {
                let mask = code.number(number - 1);
                code.binary(BinaryOp::And, wide, mask)
            }
            Some(_) if is_power => code.shift(BinaryOp::LShr, wide, number.trailing_zeros()),
            Some(bits) => code.unsigned(wide, number, bits),
            None if is_power && is_remainder => code.signed_power_remainder(wide, signed_number),
            None if is_power => code.signed_power(wide, signed_number),
            None => code.signed(wide, signed_number, ty.bits() - 1),
        };
        if is_remainder && !is_power {
            let divisor = if is_short { code.number(sign_extend(number, ty) as u64) } else { divisor };
            let product = code.binary(BinaryOp::Mul, result, divisor);
            result = code.binary(BinaryOp::Sub, wide, product);
        }
        if is_short {
            code.ty = ty;
            result = code.convert(ConvertOp::Truncate, result);
        }
        let mut insts = code.insts;
        // The last instruction is the result's.
        let Some(last) = insts.pop().filter(|&last| func.results[last] == Some(result)) else {
            continue;
        };
        func.insts[inst] = func.insts[last].clone();
        if let Some(at) = func.blocks[block].insts.iter().position(|&other| other == inst) {
            func.blocks[block].insts.splice(at..at, insts);
        }
    }
}

/// A division or a remainder by a constant that is neither zero nor, of a dividend that is not negative, a power of two.
struct Division {
    block: Block,
    inst: Inst,
    /// Bits at the low end that the dividend is within, if it is unsigned or known not to be negative.
    bits: Option<u32>,
}

/// The divisions of a function that multiplications or shifts replace. Those of unsigned numbers by powers of two are shifts already, and those by
/// zero are not executed.
fn divisions(func: &Function) -> Vec<Division> {
    let mut found = Vec::new();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let InstData::Binary { op, args: [dividend, divisor], .. } = func.insts[inst] else { continue };
            let is_signed = match op {
                BinaryOp::UDiv | BinaryOp::URem => false,
                BinaryOp::SDiv | BinaryOp::SRem => true,
                _ => continue,
            };
            let ty = func.ty(dividend);
            let Some(number) = func.constant(divisor).filter(|_| ty.bits() <= 64) else { continue };
            let magnitude = if is_signed { sign_extend(number, ty).unsigned_abs() } else { number };
            let is_kept =
                if is_signed { magnitude < 2 } else { magnitude == 0 || magnitude.is_power_of_two() };
            if !is_kept {
                found.push((block, inst, dividend, is_signed.then(|| sign_extend(number, ty))));
            }
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let ranges = Ranges::new(func);
    let divisions = found.into_iter().map(|(block, inst, dividend, signed)| {
        let most = ranges.at(dividend, block).map_or(0, |range| range.hi);
        let is_unsigned = match signed {
            None => true,
            Some(divisor) => divisor > 0 && most <= func.ty(dividend).mask() >> 1,
        };
        Division { block, inst, bits: is_unsigned.then(|| u64::BITS - most.leading_zeros()) }
    });
    divisions.collect()
}

/// The number of which these are the bits in a signed type.
fn sign_extend(bits: u64, ty: Type) -> i64 {
    let unused = u64::BITS - ty.bits();
    (bits << unused) as i64 >> unused
}

/// Instructions that are made for one division.
pub(super) struct Code<'f> {
    pub(super) func: &'f mut Function,
    pub(super) location: SourceLoc,
    /// Type of the results: 32 or 64 bits but for the last.
    pub(super) ty: Type,
    pub(super) insts: Vec<Inst>,
}

impl Code<'_> {
    fn make_of(&mut self, data: InstData, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(data, ty, self.location);
        self.insts.push(inst);
        value
    }

    pub(super) fn make(&mut self, data: InstData) -> Value {
        self.make_of(data, self.ty)
    }

    pub(super) fn number(&mut self, bits: u64) -> Value {
        let bits = bits & self.ty.mask();
        self.make(InstData::Const { bits })
    }

    pub(super) fn convert(&mut self, op: ConvertOp, arg: Value) -> Value {
        self.make(InstData::Convert { op, arg })
    }

    pub(super) fn compare(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.make_of(InstData::IntCompare { cond, args: [a, b] }, Type::Bool)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.make(InstData::Binary { op, args: [a, b], no_unsigned_wrap: false })
    }

    /// A shift by a constant; by none it is the value.
    fn shift(&mut self, op: BinaryOp, value: Value, amount: u32) -> Value {
        if amount == 0 {
            return value;
        }
        let amount = self.number(amount.into());
        self.binary(op, value, amount)
    }

    /// The quotient of unsigned numbers, of which the dividend has so many bits, by a divisor that is no power of two.
    fn unsigned(&mut self, dividend: Value, divisor: u64, bits: u32) -> Value {
        let width = self.ty.bits();
        // The dividend of an even divisor may be shifted first, so that it has fewer bits.
        for halved in [0, divisor.trailing_zeros().min(bits)] {
            if let Some((multiplier, shift)) = multiplier(divisor >> halved, width, bits - halved) {
                let dividend = self.shift(BinaryOp::LShr, dividend, halved);
                let multiplier = self.number(multiplier);
                let high = self.binary(BinaryOp::UMulHigh, dividend, multiplier);
                return self.shift(BinaryOp::LShr, high, shift);
            }
        }
        // The multiplier has one bit more than the type: 2 to the width, and these. The sum with the dividend is halved, so that it fits.
        let bits = u64::BITS - divisor.leading_zeros();
        let power = (1u128 << width) * ((1u128 << bits) - u128::from(divisor));
        let multiplier = self.number((power / u128::from(divisor)) as u64 + 1);
        let high = self.binary(BinaryOp::UMulHigh, dividend, multiplier);
        let rest = self.binary(BinaryOp::Sub, dividend, high);
        let half = self.shift(BinaryOp::LShr, rest, 1);
        let sum = self.binary(BinaryOp::Add, half, high);
        self.shift(BinaryOp::LShr, sum, bits - 1)
    }

    /// The quotient of signed numbers, whose magnitudes have so many bits, rounded towards zero, by a divisor that is no power of two.
    fn signed(&mut self, dividend: Value, divisor: i64, bits: u32) -> Value {
        let width = self.ty.bits();
        let Some((multiplier, shift)) = multiplier(divisor.unsigned_abs(), width, bits) else {
            unreachable!("a reciprocal is exact for dividends of one bit less")
        };
        // The product is signed: it takes a multiplier of the upper half of the type as one less 2 to the width, so that the dividend is added.
        let number = self.number(multiplier);
        let mut high = self.binary(BinaryOp::SMulHigh, dividend, number);
        if multiplier > self.ty.mask() >> 1 {
            high = self.binary(BinaryOp::Add, high, dividend);
        }
        let quotient = self.shift(BinaryOp::AShr, high, shift);
        // This is rounded down: for negative dividends it is one too small.
        let sign = self.shift(BinaryOp::AShr, dividend, width - 1);
        match divisor > 0 {
            true => self.binary(BinaryOp::Sub, quotient, sign),
            false => self.binary(BinaryOp::Sub, sign, quotient),
        }
    }

    /// The sum of a signed dividend and, if that is negative, the power of two less one: with the low bits cleared it is the dividend rounded
    /// towards zero.
    fn rounded_to_power(&mut self, dividend: Value, power: u32) -> Value {
        let width = self.ty.bits();
        let sign = if power > 1 { self.shift(BinaryOp::AShr, dividend, width - 1) } else { dividend };
        let more = self.shift(BinaryOp::LShr, sign, width - power);
        self.binary(BinaryOp::Add, dividend, more)
    }

    /// The quotient of signed numbers, rounded towards zero, by a power of two or its negative.
    fn signed_power(&mut self, dividend: Value, divisor: i64) -> Value {
        let power = divisor.unsigned_abs().trailing_zeros();
        let sum = self.rounded_to_power(dividend, power);
        let quotient = self.shift(BinaryOp::AShr, sum, power);
        match divisor > 0 {
            true => quotient,
            false => self.make(InstData::Unary { op: UnaryOp::Neg, arg: quotient }),
        }
    }

    /// The remainder of [`signed_power`](Self::signed_power), which has the sign of the dividend.
    fn signed_power_remainder(&mut self, dividend: Value, divisor: i64) -> Value {
        let magnitude = divisor.unsigned_abs();
        let sum = self.rounded_to_power(dividend, magnitude.trailing_zeros());
        let mask = self.number(magnitude.wrapping_neg());
        let multiple = self.binary(BinaryOp::And, sum, mask);
        self.binary(BinaryOp::Sub, dividend, multiple)
    }
}

/// A number of `width` bits and a shift, so that `n / divisor` is the high half of the product of both, shifted, for each `n` of so many bits;
/// none if the number would have more.
///
/// It is `(2ʷ⁺ˢ + e) / divisor`, the first such that is whole: the product is `n / divisor`, and too large by `n e / (divisor 2ʷ⁺ˢ)`, which is less
/// than the `1 / divisor` that the next quotient is away, if `n e < 2ʷ⁺ˢ`.
fn multiplier(divisor: u64, width: u32, bits: u32) -> Option<(u64, u32)> {
    let divisor = u128::from(divisor);
    for shift in 0..width {
        let power = 1u128 << (width + shift);
        let number = power / divisor + 1;
        let excess = number * divisor - power;
        if number >> width != 0 {
            return None;
        }
        if excess <= 1u128 << (width + shift - bits) {
            return Some((number as u64, shift));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proptest::prelude::*;

    use super::super::check;
    use super::*;
    use kernel_abi::eval;

    /// The value that the code for a division of `dividend` has.
    fn run(op: BinaryOp, ty: Type, dividend: u64, divisor: u64) -> u64 {
        let text = format!(
            "kernel k(param0 p: i64 ptr align 8) {{
            block0:
                v0: i64 = param0
                v1: {ty} = const {}
                v2: {ty} = load.global v0
                v3: {ty} = {} v2, v1
                store.global v0, v3
                return
            }}",
            sign_extend(divisor, ty),
            match op {
                BinaryOp::UDiv => "udiv",
                BinaryOp::URem => "urem",
                BinaryOp::SDiv => "sdiv",
                _ => "srem",
            }
        );
        let mut func = crate::ir::parse_function(&text).unwrap();
        multiply_by_reciprocals(&mut func);
        let mut known = std::collections::HashMap::new();
        let mut stored = None;
        for &inst in &func.blocks[func.layout[0]].insts {
            let value = match func.insts[inst] {
                InstData::Const { bits } => bits,
                InstData::Load { .. } => dividend,
                InstData::Binary { op, args: [a, b], .. } => {
                    assert!(!matches!(op, BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem));
                    eval::binary(op, func.ty(a), known[&a], known[&b]).unwrap()
                }
                InstData::Unary { op, arg } => eval::unary(op, func.ty(arg), known[&arg]).unwrap(),
                InstData::Convert { op, arg } => {
                    let to = func.ty(func.results[inst].unwrap());
                    eval::convert(op, func.ty(arg), to, known[&arg]).unwrap()
                }
                InstData::Store { value, .. } => {
                    stored = Some(known[&value]);
                    continue;
                }
                _ => continue,
            };
            known.insert(func.results[inst].unwrap(), value);
        }
        stored.unwrap()
    }

    /// Compares quotients and remainders of these bits as numbers of a type.
    fn agree(ty: Type, n: u64, d: u64) {
        let (n, d) = (n & ty.mask(), d & ty.mask());
        if d != 0 && !d.is_power_of_two() {
            assert_eq!(run(BinaryOp::UDiv, ty, n, d), n / d, "{n} / {d} of {ty}");
            assert_eq!(run(BinaryOp::URem, ty, n, d), n % d, "{n} % {d} of {ty}");
        }
        let [signed_n, signed_d] = [n, d].map(|bits| sign_extend(bits, ty));
        if signed_d.unsigned_abs() > 1 {
            let of = |op| sign_extend(run(op, ty, n, d), ty);
            assert_eq!(
                of(BinaryOp::SDiv),
                signed_n.wrapping_div(signed_d),
                "{signed_n} / {signed_d} of {ty}"
            );
            assert_eq!(of(BinaryOp::SRem), signed_n % signed_d, "{signed_n} % {signed_d} of {ty}");
        }
    }

    /// Quotients change at multiples of the divisor: their neighbours, of all small divisors and of those near powers of two.
    #[test]
    fn quotients_at_their_borders() {
        let near = |power: u32| [-3, -1, 0, 1, 3].map(|by| (1u64 << power).wrapping_add_signed(by));
        let divisors = (3..200u64).chain((2..64).flat_map(near)).chain([
            10_000_000_000,
            2_013_265_921,
            u64::MAX,
            u64::MAX / 3,
        ]);
        for d in divisors.flat_map(|d| [d, d.wrapping_neg()]).filter(|&d| d > 2) {
            let most = u64::MAX / d * d;
            let signed = (i64::MAX as u64) / d * d;
            for n in [0, d, most, signed, signed.wrapping_neg(), 1 << 63, u64::MAX] {
                [-1, 0, 1].into_iter().for_each(|by| agree(Type::I64, n.wrapping_add_signed(by), d));
            }
        }
    }

    #[test]
    fn quotients_of_32_bits_at_their_borders() {
        let near = |power: u32| [-3, -1, 0, 1, 3].map(|by| (1u64 << power).wrapping_add_signed(by));
        let divisors = (3..100u64).chain((2..32).flat_map(near)).chain([641, 1_000_000_007, 0x5555_5555]);
        for d in divisors.flat_map(|d| [d, d.wrapping_neg()]).map(|d| d & 0xffff_ffff) {
            let (most, signed) = (0xffff_ffff / d * d, 0x7fff_ffff / d * d);
            for n in [0, d, most, signed, signed.wrapping_neg(), 1 << 31, 0xffff_ffff] {
                [-1, 0, 1].into_iter().for_each(|by| agree(Type::I32, n.wrapping_add_signed(by), d));
            }
        }
    }

    #[test]
    fn quotients_of_bytes() {
        (1..256).step_by(5).for_each(|d| (0..256).for_each(|n| agree(Type::I8, n, d)));
    }

    /// A multiplier is exact for all dividends of the bits it is for: at the borders of the last quotients.
    #[test]
    fn dividends_of_fewer_bits() {
        for (d, bits) in
            (3u64..1000).filter(|d| !d.is_power_of_two()).flat_map(|d| (1..32).map(move |bits| (d, bits)))
        {
            let (multiplier, shift) = multiplier(d, 32, bits).unwrap();
            let most = (1u64 << bits) - 1;
            for n in [most, most / d * d, (most / d * d).saturating_sub(1), d - 1, d] {
                if n <= most {
                    assert_eq!((n * multiplier) >> 32 >> shift, n / d, "{n} / {d} of {bits} bits");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn quotients_of_any_numbers(n: u64, d: u64, shift in 0u32..64) {
            for ty in [Type::I8, Type::I16, Type::I32, Type::I64] {
                agree(ty, n, d >> shift);
            }
        }
    }

    /// Of 0x80000000 the quotient is 1 for itself alone.
    #[test]
    fn quotients_of_powers_of_two() {
        for (ty, d) in [(Type::I8, 0x80), (Type::I16, 0x8000), (Type::I32, 1 << 31), (Type::I64, 1u64 << 63)]
        {
            for n in [0, 1, d - 1, d, d + 1, d / 2, u64::MAX] {
                agree(ty, n, d);
            }
        }
    }

    #[test]
    fn signed_numbers_by_powers_of_two() {
        check(
            multiply_by_reciprocals,
            "kernel k(param0 p: i64 ptr align 8, param1 a: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 32
                v3: i32 = sdiv v1, v2
                store.global v0, v3
                v4: i32 = srem v1, v2
                store.global v0 + 4, v4
                v5: i32 = const -2
                v6: i32 = sdiv v1, v5
                store.global v0 + 8, v6
                v7: i32 = const 255
                v8: i32 = and v1, v7
                v9: i32 = sdiv v8, v2
                store.global v0 + 12, v9
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 8, param1 a: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 32
                    v10: i32 = const 31
                    v11: i32 = ashr v1, v10
                    v12: i32 = const 27
                    v13: i32 = lshr v11, v12
                    v14: i32 = add v1, v13
                    v15: i32 = const 5
                    v3: i32 = ashr v14, v15
                    store.global v0, v3
                    v17: i32 = const 31
                    v18: i32 = ashr v1, v17
                    v19: i32 = const 27
                    v20: i32 = lshr v18, v19
                    v21: i32 = add v1, v20
                    v22: i32 = const -32
                    v23: i32 = and v21, v22
                    v4: i32 = sub v1, v23
                    store.global v0 + 4, v4
                    v5: i32 = const -2
                    v25: i32 = const 31
                    v26: i32 = lshr v1, v25
                    v27: i32 = add v1, v26
                    v28: i32 = const 1
                    v29: i32 = ashr v27, v28
                    v6: i32 = neg v29
                    store.global v0 + 8, v6
                    v7: i32 = const 255
                    v8: i32 = and v1, v7
                    v31: i32 = const 5
                    v9: i32 = lshr v8, v31
                    store.global v0 + 12, v9
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_remainder_of_64_bits_and_one_of_32() {
        check(
            multiply_by_reciprocals,
            "kernel k(param0 p: i64 ptr align 8, param1 a: i64, param2 b: i32) {
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = const 10
                v3: i64 = urem v1, v2
                store.global v0, v3
                v4: i32 = param2
                v5: i32 = const 10
                v6: i32 = urem v4, v5
                store.global v0 + 8, v6
                v7: i64 = sdiv v1, v2
                store.global v0 + 16, v7
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 8, param1 a: i64, param2 b: i32) {
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = const 10
                    v8: i64 = const 0xcccccccccccccccd
                    v9: i64 = umulhi v1, v8
                    v10: i64 = const 3
                    v11: i64 = lshr v9, v10
                    v12: i64 = mul v11, v2
                    v3: i64 = sub v1, v12
                    store.global v0, v3
                    v4: i32 = param2
                    v5: i32 = const 10
                    v14: i32 = const 0xcccccccd
                    v15: i32 = umulhi v4, v14
                    v16: i32 = const 3
                    v17: i32 = lshr v15, v16
                    v18: i32 = mul v17, v5
                    v6: i32 = sub v4, v18
                    store.global v0 + 8, v6
                    v20: i64 = const 0x6666666666666667
                    v21: i64 = smulhi v1, v20
                    v22: i64 = const 2
                    v23: i64 = ashr v21, v22
                    v24: i64 = const 63
                    v25: i64 = ashr v1, v24
                    v7: i64 = sub v23, v25
                    store.global v0 + 16, v7
                    return
                }
            "#]],
        );
    }
}
