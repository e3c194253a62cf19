//! Divisions of 64 bits by constants: multiplications by reciprocals (Granlund and Montgomery, "Division by Invariant Integers using
//! Multiplication", 1994).
//!
//! ptxas does that for 32 bits, and for 64 makes a division of some 50 instructions that it does not know the divisor of. This comes late: the
//! ranges know more of a quotient and of a remainder.

use crate::ir::{BinaryOp, Function, Inst, InstData, SourceLoc, Type, Value};

/// See the head of this file.
pub fn multiply_by_reciprocals(func: &mut Function) {
    for block in func.layout.clone() {
        for inst in func.blocks[block].insts.clone() {
            let InstData::Binary { op, args: [dividend, divisor], .. } = func.insts[inst] else { continue };
            let is_signed = match op {
                BinaryOp::UDiv | BinaryOp::URem => false,
                BinaryOp::SDiv | BinaryOp::SRem => true,
                _ => continue,
            };
            let Some(number) = func.constant(divisor).filter(|_| func.ty(dividend) == Type::I64) else {
                continue;
            };
            // Divisions by powers of two are shifts, and by zero not executed.
            let magnitude = if is_signed { (number as i64).unsigned_abs() } else { number };
            if magnitude == 0 || magnitude.is_power_of_two() {
                continue;
            }
            let location = func.locations[inst];
            let mut code = Code { func, location, insts: Vec::new() };
            let mut quotient = match is_signed {
                false => code.unsigned(dividend, number),
                true => code.signed(dividend, number as i64),
            };
            if matches!(op, BinaryOp::URem | BinaryOp::SRem) {
                let product = code.binary(BinaryOp::Mul, quotient, divisor);
                quotient = code.binary(BinaryOp::Sub, dividend, product);
            }
            let mut insts = code.insts;
            // The last instruction is the result's.
            let Some(last) = insts.pop().filter(|&last| func.results[last] == Some(quotient)) else {
                continue;
            };
            func.insts[inst] = func.insts[last].clone();
            if let Some(at) = func.blocks[block].insts.iter().position(|&other| other == inst) {
                func.blocks[block].insts.splice(at..at, insts);
            }
        }
    }
}

/// Instructions that are made for one division.
struct Code<'f> {
    func: &'f mut Function,
    location: SourceLoc,
    insts: Vec<Inst>,
}

impl Code<'_> {
    fn make(&mut self, data: InstData) -> Value {
        let (inst, value) = self.func.make_value(data, Type::I64, self.location);
        self.insts.push(inst);
        value
    }

    fn number(&mut self, bits: u64) -> Value {
        self.make(InstData::Const { bits })
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
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

    /// The quotient of unsigned numbers, by a divisor that is no power of two.
    fn unsigned(&mut self, dividend: Value, divisor: u64) -> Value {
        // The dividend of an even divisor may be shifted first, so that it has fewer bits.
        for halved in [0, divisor.trailing_zeros()] {
            if let Some((multiplier, shift)) = multiplier(divisor >> halved, 64 - halved) {
                let dividend = self.shift(BinaryOp::LShr, dividend, halved);
                let multiplier = self.number(multiplier);
                let high = self.binary(BinaryOp::UMulHigh, dividend, multiplier);
                return self.shift(BinaryOp::LShr, high, shift);
            }
        }
        // The multiplier has 65 bits: 2⁶⁴ and these. The sum with the dividend is halved, so that it fits.
        let bits = u64::BITS - divisor.leading_zeros();
        let multiplier =
            ((1u128 << 64) * ((1u128 << bits) - u128::from(divisor)) / u128::from(divisor)) as u64 + 1;
        let multiplier = self.number(multiplier);
        let high = self.binary(BinaryOp::UMulHigh, dividend, multiplier);
        let rest = self.binary(BinaryOp::Sub, dividend, high);
        let half = self.shift(BinaryOp::LShr, rest, 1);
        let sum = self.binary(BinaryOp::Add, half, high);
        self.shift(BinaryOp::LShr, sum, bits - 1)
    }

    /// The quotient of signed numbers, rounded towards zero, by a divisor that is no power of two.
    fn signed(&mut self, dividend: Value, divisor: i64) -> Value {
        // The product is signed: it takes a multiplier of 2⁶³ or more as one less 2⁶⁴, so that the dividend is added.
        let Some((multiplier, shift)) = multiplier(divisor.unsigned_abs(), 63) else {
            unreachable!("a reciprocal of 64 bits is exact for dividends of 63")
        };
        let number = self.number(multiplier);
        let mut high = self.binary(BinaryOp::SMulHigh, dividend, number);
        if multiplier > i64::MAX as u64 {
            high = self.binary(BinaryOp::Add, high, dividend);
        }
        let quotient = self.shift(BinaryOp::AShr, high, shift);
        // This is rounded down: for negative dividends it is one too small.
        let sign = self.shift(BinaryOp::AShr, dividend, 63);
        match divisor > 0 {
            true => self.binary(BinaryOp::Sub, quotient, sign),
            false => self.binary(BinaryOp::Sub, sign, quotient),
        }
    }
}

/// A number of 64 bits and a shift, so that `n / divisor` is the high half of the product of both, shifted, for each `n` of so many bits; none if
/// the number would have more.
///
/// It is `(2⁶⁴⁺ˢ + e) / divisor`, the first such that is whole: the product is `n / divisor`, and too large by `n e / (divisor 2⁶⁴⁺ˢ)`, which is less
/// than the `1 / divisor` that the next quotient is away, if `n e < 2⁶⁴⁺ˢ`.
fn multiplier(divisor: u64, bits: u32) -> Option<(u64, u32)> {
    let divisor = u128::from(divisor);
    for shift in 0..u64::BITS {
        let power = 1u128 << (64 + shift);
        let number = power / divisor + 1;
        let excess = number * divisor - power;
        if number > u64::MAX.into() {
            return None;
        }
        if excess <= 1u128 << (64 + shift - bits) {
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
    fn run(op: BinaryOp, dividend: u64, divisor: u64) -> u64 {
        let text = format!(
            "kernel k(param0 p: i64 ptr align 8) {{
            block0:
                v0: i64 = param0
                v1: i64 = const {}
                v2: i64 = load.global v0
                v3: i64 = {} v2, v1
                store.global v0, v3
                return
            }}",
            divisor as i64,
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
                    eval::binary(op, Type::I64, known[&a], known[&b]).unwrap()
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

    fn agree(n: u64, d: u64) {
        if d == 0 || d.is_power_of_two() {
            return;
        }
        assert_eq!(run(BinaryOp::UDiv, n, d), n / d, "{n} / {d}");
        assert_eq!(run(BinaryOp::URem, n, d), n % d, "{n} % {d}");
        let (n, d) = (n as i64, d as i64);
        if d.unsigned_abs().is_power_of_two() {
            return;
        }
        assert_eq!(run(BinaryOp::SDiv, n as u64, d as u64) as i64, n / d, "{n} / {d}");
        assert_eq!(run(BinaryOp::SRem, n as u64, d as u64) as i64, n % d, "{n} % {d}");
    }

    /// Quotients change at multiples of the divisor: their neighbours, of all small divisors and of those near powers of two.
    #[test]
    fn quotients_at_their_borders() {
        let near = |power: u32| [-3, -1, 1, 3].map(|by| (1u64 << power).wrapping_add_signed(by));
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
                [-1, 0, 1].into_iter().for_each(|by| agree(n.wrapping_add_signed(by), d));
            }
        }
    }

    proptest! {
        #[test]
        fn quotients_of_any_numbers(n: u64, d: u64, shift in 0u32..64) {
            agree(n, d >> shift);
        }
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
                    v6: i32 = urem v4, v5
                    store.global v0 + 8, v6
                    v14: i64 = const 0x6666666666666667
                    v15: i64 = smulhi v1, v14
                    v16: i64 = const 2
                    v17: i64 = ashr v15, v16
                    v18: i64 = const 63
                    v19: i64 = ashr v1, v18
                    v7: i64 = sub v17, v19
                    store.global v0 + 16, v7
                    return
                }
            "#]],
        );
    }
}
