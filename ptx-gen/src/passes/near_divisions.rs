//! Divisions of numbers that are not far above the divisor: comparisons and subtractions.
//!
//! Neighbours around a periodic border, `(x + width - 1) % width`, and sums of residues are below twice the divisor, or three times: of these a
//! remainder is the minimum of the number and its difference with the divisor, which wraps to a greater one if the number is less. So is a
//! remainder that is not negative, `(x as i32 - 1).rem_euclid(width as i32)`, once the divisor is added to a number below zero. This comes
//! late: the ranges know more of a remainder.

use super::reciprocals::Code;
use super::renames::Renames;
use crate::analysis::Ranges;
use crate::ir::{BinaryOp, Block, ConvertOp, Function, Inst, InstData, IntCond, Type, UnaryOp, Value};

/// See the head of this file.
pub fn subtract_divisors(func: &mut Function) {
    let near = near(func);
    if near.is_empty() {
        return;
    }
    let mut renames = Renames::new(func);
    for Near { block, inst, is_quotient, value, by, kind } in near {
        let Some(old) = func.results[inst] else { continue };
        let mut code = Code { ty: func.ty(value), location: func.locations[inst], func, insts: Vec::new() };
        let result = match kind {
            Kind::Times(least, most) if is_quotient => code.quotient(value, by, (least, most)),
            Kind::Times(least, most) => {
                let first = if least > 0 { code.binary(BinaryOp::Sub, value, by) } else { value };
                code.remainder(first, by, most - least)
            }
            Kind::Euclidean(false, most) => code.remainder(value, by, most),
            Kind::Euclidean(true, most) => {
                let sum = code.binary(BinaryOp::Add, value, by);
                let zero = code.number(0);
                let is_below = code.compare(IntCond::SLt, value, zero);
                let first = code.make(InstData::Select { cond: is_below, if_true: sum, if_false: value });
                code.remainder(first, by, most)
            }
        };
        let insts = code.insts;
        renames.replace(old, result);
        if let Some(at) = func.blocks[block].insts.iter().position(|&other| other == inst) {
            func.blocks[block].insts.splice(at..=at, insts);
        }
    }
    renames.apply(func);
}

/// A division, or the remainder of one.
struct Near {
    block: Block,
    inst: Inst,
    is_quotient: bool,
    value: Value,
    by: Value,
    kind: Kind,
}

enum Kind {
    /// The number is at least the first times the divisor, and below the second.
    Times(u32, u32),
    /// The remainder that is not negative of a signed number that is at least minus the divisor, and negative only if so said, and below this
    /// times it.
    Euclidean(bool, u32),
}

/// The divisions that have such operands.
fn near(func: &Function) -> Vec<Near> {
    let insts = || {
        func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)))
    };
    let is_division = |inst: Inst| match func.insts[inst] {
        InstData::Binary {
            op: BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem,
            args,
            ..
        } => matches!(func.ty(args[0]), Type::I32 | Type::I64),
        _ => false,
    };
    if !insts().any(|(_, inst)| is_division(inst)) {
        return Vec::new();
    }
    let ranges = Ranges::new(func);
    let near = |(block, inst): (Block, Inst)| match func.insts[inst] {
        InstData::Binary { op, args: [value, by], .. } if is_division(inst) => {
            let is_signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
            let is_positive = |value: Value| {
                ranges.at(value, block).is_some_and(|range| range.is_non_negative(func.ty(value).bits()))
            };
            if is_signed && !(is_positive(value) && is_positive(by)) {
                return None;
            }
            // Those by powers of two are shifts and masks, and a multiplication takes the place of more than one subtraction.
            let constant = func.constant(by);
            let (least, most) = ranges.times(value, by, block).filter(|_| constant != Some(0))?;
            let is_quotient = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv);
            let most_steps = if is_quotient || constant.is_some() { 1 } else { 2 };
            let is_near = most - least <= most_steps + 1 && !constant.is_some_and(u64::is_power_of_two);
            is_near.then_some(Near { block, inst, is_quotient, value, by, kind: Kind::Times(least, most) })
        }
        InstData::Select { .. } => {
            let (value, by) = euclidean(func, &ranges, inst, block)?;
            let (is_negative, most) = ranges.signed_times(value, by, block)?;
            let kind = Kind::Euclidean(is_negative, most);
            Some(Near { block, inst, is_quotient: false, value, by, kind })
        }
        _ => None,
    };
    insts().filter_map(near).collect()
}

/// The operands of a remainder that is not negative: `if r < 0 { r + |by| } else { r }` of `r = value % by`, with a divisor that is positive.
fn euclidean(func: &Function, ranges: &Ranges<'_>, inst: Inst, block: Block) -> Option<(Value, Value)> {
    let InstData::Select { cond, if_true, if_false: rest } = func.insts[inst] else { return None };
    let InstData::Binary { op: BinaryOp::SRem, args: [value, by], .. } = *func.def(rest)? else {
        return None;
    };
    let InstData::IntCompare { cond: IntCond::SLt, args: [compared, zero] } = *func.def(cond)? else {
        return None;
    };
    let InstData::Binary { op: BinaryOp::Add, args: sum, .. } = *func.def(if_true)? else { return None };
    let size = if sum[0] == rest { sum[1] } else { sum[0] };
    // The greater one of a positive number and its opposite is the number.
    let is_size = match func.def(size) {
        Some(&InstData::Binary { op: BinaryOp::SMax, args: [a, b], .. }) if size != by => {
            let is_opposite = |value| matches!(func.def(value), Some(&InstData::Unary { op: UnaryOp::Neg, arg }) if arg == by);
            a == by && is_opposite(b) || b == by && is_opposite(a)
        }
        _ => size == by,
    };
    let is_positive = ranges.at(by, block)?.is_non_negative(func.ty(by).bits());
    let is_rest = compared == rest && func.constant(zero) == Some(0) && sum.contains(&rest);
    (is_rest && is_size && is_positive).then_some((value, by))
}

impl Code<'_> {
    /// The remainder of a number that is below so many times the divisor.
    fn remainder(&mut self, mut value: Value, by: Value, times: u32) -> Value {
        for _ in 1..times {
            let less = self.binary(BinaryOp::Sub, value, by);
            value = self.binary(BinaryOp::UMin, value, less);
        }
        value
    }

    /// The quotient of a number that is at least so many times the divisor, and below one or two times more.
    fn quotient(&mut self, value: Value, by: Value, (least, most): (u32, u32)) -> Value {
        let number = self.number(least.into());
        if most - least == 1 {
            return number;
        }
        let rest = if least > 0 { self.binary(BinaryOp::Sub, value, by) } else { value };
        let is_one = self.compare(IntCond::UGe, rest, by);
        let one = self.convert(ConvertOp::ZeroExtend, is_one);
        self.binary(BinaryOp::Add, one, number)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// Values that are computed of an index `v4` below a size `v3`, of 30 bits.
    fn index_below_size(body: &str) -> String {
        format!(
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {{
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 0x3fffffff
                v3: i32 = and v1, v2
                v4: i32 = special tid.x
                v5: i32 = const 1
                v6: i32 = const 0
                v7: bool = icmp ult v4, v3
                branch v7, block1, block2
            block1:
                {body}
                jump block2
            block2:
                return
            }}"
        )
    }

    #[test]
    fn neighbours_around_a_border() {
        check(
            subtract_divisors,
            &index_below_size(
                "v10: i32 = sub v4, v5
                v11: i32 = add v10, v3
                v12: i32 = urem v11, v3
                store.global v0, v12
                v13: i32 = add v4, v5
                v14: i32 = urem v13, v3
                store.global v0, v14
                v15: i32 = add v13, v3
                v16: i32 = urem v15, v3
                store.global v0, v16
                v17: i32 = udiv v11, v3
                store.global v0, v17
                v18: i32 = urem v4, v3
                store.global v0, v18",
            ),
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 1073741823
                    v3: i32 = and v1, v2
                    v4: i32 = special tid.x
                    v5: i32 = const 1
                    v6: i32 = const 0
                    v7: bool = icmp ult v4, v3
                    branch v7, block1, block2
                block1:
                    v10: i32 = sub v4, v5
                    v11: i32 = add v10, v3
                    v19: i32 = sub v11, v3
                    v20: i32 = umin v11, v19
                    store.global v0, v20
                    v13: i32 = add v4, v5
                    v21: i32 = sub v13, v3
                    v22: i32 = umin v13, v21
                    store.global v0, v22
                    v15: i32 = add v13, v3
                    v23: i32 = sub v15, v3
                    v24: i32 = sub v23, v3
                    v25: i32 = umin v23, v24
                    store.global v0, v25
                    v26: i32 = const 0
                    v27: bool = icmp uge v11, v3
                    v28: i32 = zext v27
                    v29: i32 = add v28, v26
                    store.global v0, v29
                    store.global v0, v4
                    jump block2
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_remainder_that_is_not_negative() {
        check(
            subtract_divisors,
            &index_below_size(
                "v10: i32 = sub v4, v5
                v11: i32 = srem v10, v3
                v12: i32 = neg v3
                v13: i32 = smax v3, v12
                v14: bool = icmp slt v11, v6
                v15: i32 = add v11, v13
                v16: i32 = select v14, v15, v11
                store.global v0, v16",
            ),
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 1073741823
                    v3: i32 = and v1, v2
                    v4: i32 = special tid.x
                    v5: i32 = const 1
                    v6: i32 = const 0
                    v7: bool = icmp ult v4, v3
                    branch v7, block1, block2
                block1:
                    v10: i32 = sub v4, v5
                    v11: i32 = srem v10, v3
                    v12: i32 = neg v3
                    v13: i32 = smax v3, v12
                    v14: bool = icmp slt v11, v6
                    v15: i32 = add v11, v13
                    v17: i32 = add v10, v3
                    v18: i32 = const 0
                    v19: bool = icmp slt v10, v18
                    v20: i32 = select v19, v17, v10
                    store.global v0, v20
                    jump block2
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn numbers_that_are_far_from_the_divisor() {
        let stays = |body: &str| check_stays(subtract_divisors, &index_below_size(body));
        // A multiple, a sum that may wrap, a number that may be below zero, and a divisor that is a mask.
        stays(
            "v10: i32 = const 5\n v11: i32 = mul nuw v4, v10\n v12: i32 = urem v11, v3\n store.global v0, v12",
        );
        stays("v10: i32 = add v1, v4\n v11: i32 = urem v10, v1\n store.global v0, v11");
        stays("v10: i32 = sub v4, v5\n v11: i32 = urem v10, v3\n store.global v0, v11");
        stays("v10: i32 = const 64\n v11: i32 = urem v4, v10\n store.global v0, v11");
    }
}
