//! Undefined bits of the result of an operation, given those of its operands.
//!
//! The rules are those of Memcheck (Seward and Nethercote, "Using Valgrind to detect undefined value errors with
//! bit-precision", USENIX 2005): exact for logic, shifts, moves and selections; sums and products are undefined from the lowest
//! undefined bit of an operand on; comparisons are defined where no value of the undefined bits changes them; any other
//! result is undefined as a whole as soon as a bit of an operand is. A set bit of a mask means undefined.

use crate::exec::binary::Binary;
use crate::exec::compare::Compare;
use crate::exec::convert::{Clamp, Conversion, Number};
use crate::exec::packed::Packed;
use crate::exec::ternary::{Quaternary, Ternary};
use crate::exec::unary::Unary;
use crate::op::Logic;

/// An operand in one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) value: u64,
    /// Its undefined bits.
    pub(super) undefined: u64,
}

impl Operand {
    /// The low bits of it.
    fn low(self, bits: u32) -> Operand {
        let mask = ones(bits);
        Operand { value: self.value & mask, undefined: self.undefined & mask }
    }

    fn is_defined(self) -> bool {
        self.undefined == 0
    }

    fn is_zero(self) -> bool {
        self.value == 0 && self.undefined == 0
    }

    /// The bits that are 0 whatever the undefined ones are, and those that are 1.
    fn known(self) -> (u64, u64) {
        (!self.value & !self.undefined, self.value & !self.undefined)
    }
}

/// A mask of so many low bits.
pub(super) fn ones(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Every bit from the lowest undefined one on.
fn upwards(undefined: u64) -> u64 {
    undefined | undefined.wrapping_neg()
}

/// All bits of a result, or none.
fn all(bits: u32, any: bool) -> u64 {
    if any { ones(bits) } else { 0 }
}

/// Undefined bits of a product: none of a factor that is zero.
fn product(bits: u32, a: Operand, b: Operand, plus: u64) -> u64 {
    let factors = if a.is_zero() || b.is_zero() { 0 } else { a.undefined | b.undefined };
    upwards(factors | plus) & ones(bits)
}

/// The low bits with copies of their highest above them.
pub(super) fn sign_extended(bits: u64, from: u32) -> u64 {
    extend(bits, from, true) & if from == 64 { u64::MAX } else { ones(32) }
}

fn extend(bits: u64, from: u32, signed: bool) -> u64 {
    let unused = 64 - from;
    if signed { ((bits << unused) as i64 >> unused) as u64 } else { bits << unused >> unused }
}

/// The result of an operation with one operand.
pub(super) fn unary(f: Unary, a: Operand) -> u64 {
    let (result, [width]) = f.bits();
    let a = a.low(width);
    match f {
        Unary::Move32 | Unary::Move64 | Unary::Not16 | Unary::Not32 | Unary::Not64 => a.undefined,
        Unary::Narrow64 => a.undefined & ones(32),
        Unary::WidenU32 => a.undefined,
        Unary::WidenS32 => extend(a.undefined, 32, true),
        Unary::Brev32 | Unary::Brev64 => f.of([a.undefined]),
        Unary::NegS16 | Unary::NegS32 | Unary::NegS64 => upwards(a.undefined) & ones(result),
        _ => all(result, !a.is_defined()),
    }
}

/// The result of an operation with two operands.
pub(super) fn binary(f: Binary, a: Operand, b: Operand) -> u64 {
    use Binary as B;
    let (result, [wide_a, wide_b]) = f.bits();
    let (a, b) = (a.low(wide_a), b.low(wide_b));
    let either = a.undefined | b.undefined;
    match f {
        B::And16 | B::And32 | B::And64 => either & !a.known().0 & !b.known().0 & ones(result),
        B::Or16 | B::Or32 | B::Or64 => either & !a.known().1 & !b.known().1 & ones(result),
        B::Xor16 | B::Xor32 | B::Xor64 => either,
        B::Add16 | B::Add32 | B::Add64 | B::Sub16 | B::Sub32 | B::Sub64 => upwards(either) & ones(result),
        B::MulLo16 | B::MulLo32 | B::MulLo64 => product(result, a, b, 0),
        B::MulWideU16 | B::MulWideU32 => product(result, a, b, 0),
        B::MulHiU16 | B::MulHiU32 | B::MulHiU64 | B::MulHiS16 | B::MulHiS32 | B::MulHiS64 => {
            all(result, product(64, a, b, 0) != 0)
        }
        // Shifted as the value is; what an arithmetic shift repeats is undefined with the sign.
        B::Shl16
        | B::Shl32
        | B::Shl64
        | B::ShrU16
        | B::ShrU32
        | B::ShrU64
        | B::ShrS16
        | B::ShrS32
        | B::ShrS64
            if b.is_defined() =>
        {
            f.of([a.undefined, b.value]) & ones(result)
        }
        _ => all(result, either != 0),
    }
}

/// The result of an operation with three operands.
pub(super) fn ternary(f: Ternary, [a, b, c]: [Operand; 3]) -> u64 {
    use Ternary as T;
    let (result, [wide_a, wide_b, wide_c]) = f.bits();
    let (a, b, c) = (a.low(wide_a), b.low(wide_b), c.low(wide_c));
    let any = a.undefined | b.undefined | c.undefined != 0;
    match f {
        T::MadLo16 | T::MadLo32 | T::MadLo64 | T::MadWideU16 | T::MadWideU32 => {
            product(result, a, b, c.undefined)
        }
        T::BfeU32 | T::BfeS32 | T::BfeU64 | T::BfeS64 if b.is_defined() && c.is_defined() => {
            f.of([a.undefined, b.value, c.value]) & ones(result)
        }
        T::Prmt | T::ShfLeftClamp | T::ShfLeftWrap | T::ShfRightClamp | T::ShfRightWrap if c.is_defined() => {
            f.of([a.undefined, b.undefined, c.value])
        }
        T::Slct32 | T::Slct64 | T::Slct32F32 | T::Slct64F32 if c.is_defined() => {
            f.of([a.undefined, b.undefined, c.value])
        }
        _ => all(result, any),
    }
}

/// The result of an operation with four operands.
pub(super) fn quaternary(f: Quaternary, [a, b, c, d]: [Operand; 4]) -> u64 {
    let (result, [wide_a, wide_b, wide_c, wide_d]) = f.bits();
    let (a, b, c, d) = (a.low(wide_a), b.low(wide_b), c.low(wide_c), d.low(wide_d));
    match f {
        Quaternary::Lop3 if d.is_defined() => logic3(a, b, c, d.value),
        Quaternary::Bfi32 | Quaternary::Bfi64 if c.is_defined() && d.is_defined() => {
            f.of([a.undefined, b.undefined, c.value, d.value])
        }
        Quaternary::Lop3 | Quaternary::Bfi32 | Quaternary::Bfi64 => {
            all(result, a.undefined | b.undefined | c.undefined | d.undefined != 0)
        }
    }
}

/// A bit of a logical function of three is undefined if the undefined operands can make it 0 and 1.
fn logic3(a: Operand, b: Operand, c: Operand, table: u64) -> u64 {
    let (mut zero, mut one) = (0, 0);
    for row in 0..8 {
        let can_be = |operand: Operand, bit: u64| {
            operand.undefined | if row >> bit & 1 == 1 { operand.value } else { !operand.value }
        };
        let possible = can_be(a, 2) & can_be(b, 1) & can_be(c, 0);
        if table >> row & 1 == 1 {
            one |= possible;
        } else {
            zero |= possible;
        }
    }
    zero & one & ones(32)
}

/// The result of a conversion.
pub(super) fn convert(how: Conversion, a: Operand) -> u64 {
    let (from, to) = (u32::from(how.from.bits()), u32::from(how.to.bits()));
    let a = a.low(from);
    // Narrow results fill a register.
    let register = if to == 64 { 64 } else { 32 };
    match (how.from, how.to, how.clamp) {
        (Number::Unsigned(_) | Number::Signed(_), Number::Unsigned(_) | Number::Signed(_), Clamp::None) => {
            let wide = extend(a.undefined, from, matches!(how.from, Number::Signed(_)));
            extend(wide, to, matches!(how.to, Number::Signed(_))) & ones(register)
        }
        _ => all(register, !a.is_defined()),
    }
}

/// The result of an operation on 16-bit numbers, one or two in a register.
pub(super) fn packed(how: Packed, sources: [Operand; 3]) -> u64 {
    let any = sources.iter().fold(0, |any, source| any | source.undefined);
    let half = |shift: u32| if any >> shift & 0xffff != 0 { 0xffff << shift } else { 0 };
    if how.pair { half(0) | half(16) } else { half(0) }
}

/// Returns true if the undefined bits can change the result of a comparison.
pub(super) fn compare(f: Compare, a: Operand, b: Operand) -> bool {
    use Compare as C;
    let bits = match f {
        C::Eq16 | C::LtU16 | C::LtS16 => 16,
        C::Eq32 | C::LtU32 | C::LtS32 => 32,
        _ => 64,
    };
    let (a, b) = (a.low(bits), b.low(bits));
    let either = a.undefined | b.undefined;
    if either == 0 {
        return false;
    }
    let least_and_greatest = |operand: Operand, flip: u64| {
        let value = operand.value ^ flip;
        (value & !operand.undefined, value | operand.undefined)
    };
    let ordered = |flip: u64| {
        let ((a_least, a_greatest), (b_least, b_greatest)) =
            (least_and_greatest(a, flip), least_and_greatest(b, flip));
        a_greatest < b_least || a_least >= b_greatest
    };
    match f {
        C::Eq16 | C::Eq32 | C::Eq64 => (a.value ^ b.value) & !either == 0,
        C::LtU16 | C::LtU32 | C::LtU64 => !ordered(0),
        C::LtS16 | C::LtS32 | C::LtS64 => !ordered(1 << (bits - 1)),
        _ => true,
    }
}

/// The lanes in which the result of a logical function of predicates is undefined.
pub(super) fn logic(f: Logic, (a, undefined_a): (u32, u32), (b, undefined_b): (u32, u32)) -> u32 {
    let either = undefined_a | undefined_b;
    match f {
        Logic::And => either & (a | undefined_a) & (b | undefined_b),
        Logic::Or => either & (!a | undefined_a) & (!b | undefined_b),
        Logic::Xor => either,
    }
}

/// One of two values by a condition.
pub(super) fn select(bits: u32, a: Operand, b: Operand, (holds, defined): (bool, bool)) -> u64 {
    let (a, b) = (a.low(bits), b.low(bits));
    match (defined, holds) {
        (true, true) => a.undefined,
        (true, false) => b.undefined,
        // Bits that agree do not depend on it.
        (false, _) => a.undefined | b.undefined | (a.value ^ b.value),
    }
}

/// A sum or difference with a carry.
pub(super) fn carry(bits: u32, a: Operand, b: Operand, flag: bool) -> u64 {
    let (a, b) = (a.low(bits), b.low(bits));
    upwards(a.undefined | b.undefined | u64::from(flag)) & ones(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(value: u64) -> Operand {
        Operand { value, undefined: 0 }
    }

    fn partly(value: u64, undefined: u64) -> Operand {
        Operand { value, undefined }
    }

    /// Compares a rule with what the values of the undefined bits do to the result, all of them tried: a bit that changes must be
    /// undefined; where the rule is exact, no other is.
    fn check(f: Binary, bits: u32, is_exact: bool) {
        let values = [0, 1, 5, 0x55, 0x80, 0xff];
        let masks = [0, 1, 0x6, 0x80, 0xff];
        for (a, b) in values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))) {
            for (mask_a, mask_b) in masks.iter().flat_map(|&a| masks.iter().map(move |&b| (a, b))) {
                let subsets = |mask: u64| (0..=mask).filter(move |subset| subset & !mask == 0);
                let first = f.of([a, b]);
                let changed = subsets(mask_a)
                    .flat_map(|x| subsets(mask_b).map(move |y| (x, y)))
                    .fold(0, |changed, (x, y)| changed | first ^ f.of([a & !mask_a | x, b & !mask_b | y]));
                let found = binary(f, partly(a, mask_a), partly(b, mask_b));
                assert_eq!(changed & !found, 0, "{f:?} {a:#x}/{mask_a:#x} {b:#x}/{mask_b:#x}: {found:#x}");
                if is_exact {
                    assert_eq!(found & ones(bits), changed & ones(bits), "{f:?} {a:#x} {b:#x}");
                }
            }
        }
    }

    #[test]
    fn no_rule_misses_a_bit_that_can_change() {
        check(Binary::And16, 16, true);
        check(Binary::Or16, 16, true);
        check(Binary::Xor16, 16, true);
        for f in [
            Binary::Add16,
            Binary::Sub16,
            Binary::MulLo16,
            Binary::MulWideU16,
            Binary::MulHiU16,
            Binary::Shl16,
            Binary::ShrU16,
            Binary::ShrS16,
            Binary::MinU16,
            Binary::RemU16,
        ] {
            check(f, 16, false);
        }
    }

    #[test]
    fn comparisons_are_defined_where_nothing_changes_them() {
        assert!(!compare(Compare::Eq32, partly(0x10, 0xf), known(0x20)));
        assert!(compare(Compare::Eq32, partly(0x10, 0xf), known(0x15)));
        assert!(!compare(Compare::LtU32, partly(0x10, 0xf), known(0x20)));
        assert!(!compare(Compare::LtU32, partly(0x10, 0xf), known(0x10)));
        assert!(compare(Compare::LtU32, partly(0x10, 0xf), known(0x11)));
        assert!(!compare(Compare::LtS32, partly(0xffff_fff0, 0xf), known(0)));
        assert!(compare(Compare::LtF32, partly(0, 1), known(0)));
    }

    #[test]
    fn a_field_is_taken_out_of_what_is_defined() {
        assert_eq!(ternary(Ternary::BfeU32, [partly(0, 0xff00), known(0), known(8)]), 0);
        assert_eq!(ternary(Ternary::BfeU32, [partly(0, 0xff00), known(4), known(8)]), 0xf0);
        assert_eq!(ternary(Ternary::Prmt, [partly(0, 0xff00), known(0), known(0x4420)]), 0);
        assert_eq!(
            quaternary(Quaternary::Bfi32, [known(1), partly(0, u32::MAX.into()), known(0), known(8)]),
            0xffff_ff00
        );
        // a & b | c
        let and_or = known(0xea);
        assert_eq!(quaternary(Quaternary::Lop3, [partly(0, 0xf), known(0), partly(0, 0xf0), and_or]), 0xf0);
        assert_eq!(quaternary(Quaternary::Lop3, [partly(0, 0xf), known(3), known(1), and_or]), 2);
    }

    #[test]
    fn selections_take_what_is_chosen() {
        assert_eq!(select(32, partly(0, 0xff), known(0), (false, true)), 0);
        assert_eq!(select(32, partly(0, 0xff), known(0), (true, true)), 0xff);
        assert_eq!(select(32, known(3), known(1), (true, false)), 2);
        assert_eq!(logic(Logic::And, (0, 1), (0, 0)), 0);
        assert_eq!(logic(Logic::And, (0, 1), (1, 0)), 1);
        assert_eq!(logic(Logic::Or, (0, 1), (1, 0)), 0);
    }
}
