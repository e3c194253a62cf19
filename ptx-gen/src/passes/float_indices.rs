//! Converts floats to integers of 32 bits instead of 64 where indices are made of them: `(x * scale) as usize`.
//!
//! Conversions saturate: where the one to 64 bits is beyond 32, the one to 32 bits is 2³² − 1. So both are on the same side of every
//! number up to that, minima with such numbers are the same, and both are equal wherever a branch or a check has shown that the index is
//! below 2³². If every use is of these kinds the narrow one, extended, takes the place of the wide one. Panics report the wide one, which is
//! computed there.

use crate::analysis::Ranges;
use crate::ir::{BinaryOp, Block, ConvertOp, Function, Inst, InstData, IntCond, Type, Value, ValueDef};

/// See the head of this file.
pub fn narrow_float_indices(func: &mut Function) {
    let is_wide = |func: &Function, inst: Inst| {
        let result = func.results[inst].filter(|&result| func.ty(result) == Type::I64)?;
        let is_index = matches!(func.insts[inst], InstData::Convert { op: ConvertOp::FloatToUInt, .. });
        is_index.then_some(result)
    };
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let wide: Vec<Value> = insts.filter_map(|&inst| is_wide(func, inst)).collect();
    if wide.is_empty() {
        return;
    }
    let ranges = Ranges::new(func);
    let narrowed: Vec<(Value, Vec<Block>)> =
        wide.into_iter().filter_map(|value| Some((value, panics_with_it(func, &ranges, value)?))).collect();
    for (value, panics) in narrowed {
        narrow(func, value, None, &panics);
    }
}

/// The panics that report an index, if every other use of it may take the narrow one.
fn panics_with_it(func: &Function, ranges: &Ranges<'_>, value: Value) -> Option<Vec<Block>> {
    let mut panics = Vec::new();
    for &block in ranges.cfg().order() {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let mut is_used = data.successors().any(|call| call.args.contains(&value));
            data.visit_args(|arg| is_used |= arg == value);
            if !is_used || takes_narrow(ranges, data, value, block) {
                continue;
            }
            let ends_in_panic =
                func.terminator(block).is_some_and(|last| matches!(func.insts[last], InstData::Panic { .. }));
            if !ends_in_panic {
                return None;
            }
            if !panics.contains(&block) {
                panics.push(block);
            }
        }
    }
    Some(panics)
}

/// Returns true if an instruction does the same with the narrow index.
fn takes_narrow(ranges: &Ranges<'_>, data: &InstData, value: Value, block: Block) -> bool {
    const MOST: u64 = u32::MAX as u64;
    let most = |value| ranges.at(value, block).map_or(0, |interval| interval.hi);
    if most(value) <= MOST {
        return true;
    }
    match *data {
        InstData::Binary { op: BinaryOp::UMin, args: [a, b], .. } => {
            most(if a == value { b } else { a }) <= MOST
        }
        InstData::IntCompare { cond, args: [a, b] } => {
            let (cond, other) = if a == value { (cond, b) } else { (cond.swapped(), a) };
            match cond {
                IntCond::ULt | IntCond::UGe => most(other) <= MOST,
                IntCond::ULe | IntCond::UGt | IntCond::Eq | IntCond::Ne => most(other) < MOST,
                IntCond::SLt | IntCond::SLe | IntCond::SGt | IntCond::SGe => false,
            }
        }
        _ => false,
    }
}

/// Replaces an index by the narrow one, but in these panics; with these bits alone if it is known to have no others, which the mask shows.
pub(super) fn narrow(func: &mut Function, value: Value, mask: Option<u64>, panics: &[Block]) {
    let ValueDef::Result(inst) = func.values[value].def else { return };
    let (location, data) = (func.locations[inst], func.insts[inst].clone());
    let Some(home) = func.layout.iter().copied().find(|&block| func.blocks[block].insts.contains(&inst))
    else {
        return;
    };
    let (convert, mut low) = func.make_value(data.clone(), Type::I32, location);
    let mut made = vec![convert];
    if let Some(bits) = mask {
        let (number, mask) = func.make_value(InstData::Const { bits }, Type::I32, location);
        let and = InstData::Binary { op: BinaryOp::And, args: [low, mask], no_unsigned_wrap: false };
        let (and, masked) = func.make_value(and, Type::I32, location);
        made.extend([number, and]);
        low = masked;
    }
    let extension = InstData::Convert { op: ConvertOp::ZeroExtend, arg: low };
    let (extend, wide) = func.make_value(extension, Type::I64, location);
    for block in func.layout.clone() {
        let mut new = wide;
        if panics.contains(&block) {
            let (again, exact) = func.make_value(data.clone(), Type::I64, location);
            func.blocks[block].insts.insert(0, again);
            new = exact;
        }
        for inst in func.blocks[block].insts.clone() {
            func.insts[inst].map_args(|arg| if arg == value { new } else { arg });
            for call in func.insts[inst].successors_mut() {
                call.args.iter_mut().filter(|arg| **arg == value).for_each(|arg| *arg = new);
            }
        }
    }
    let at = func.blocks[home].insts.iter().position(|&other| other == inst).map_or(0, |at| at + 1);
    made.push(extend);
    func.blocks[home].insts.splice(at..at, made);
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::check;
    use super::*;

    fn check_narrowed(text: &str, expect: Expect) {
        check(narrow_float_indices, text, expect);
    }

    #[test]
    fn a_guarded_index() {
        check_narrowed(
            "kernel k(param0 x: f32, param1 n: i32, param2 y: i64 ptr align 4) {
            block0:
                v0: f32 = param0
                v1: i64 = f2u v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: bool = icmp ult v1, v3
                branch v4, block1, block2
            block1:
                v5: i64 = param2
                v6: i64 = const 4
                v7: i64 = mul v1, v6
                v8: i64 = add v5, v7
                store.global v8, v0
                return
            block2:
                return
            }",
            expect![[r#"
                kernel k(param0 x: f32, param1 n: i32, param2 y: i64 ptr align 4) {
                block0:
                    v0: f32 = param0
                    v1: i64 = f2u v0
                    v9: i32 = f2u v0
                    v10: i64 = zext v9
                    v2: i32 = param1
                    v3: i64 = zext v2
                    v4: bool = icmp ult v10, v3
                    branch v4, block1, block2
                block1:
                    v5: i64 = param2
                    v6: i64 = const 4
                    v7: i64 = mul v10, v6
                    v8: i64 = add v5, v7
                    store.global v8, v0
                    return
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_minimum() {
        check_narrowed(
            "kernel k(param0 x: f32, param1 y: i64 ptr align 8) {
            block0:
                v0: f32 = param0
                v1: i64 = f2u v0
                v2: i64 = const 63
                v3: i64 = umin v1, v2
                v4: i64 = param1
                store.global v4, v3
                return
            }",
            expect![[r#"
                kernel k(param0 x: f32, param1 y: i64 ptr align 8) {
                block0:
                    v0: f32 = param0
                    v1: i64 = f2u v0
                    v5: i32 = f2u v0
                    v6: i64 = zext v5
                    v2: i64 = const 63
                    v3: i64 = umin v6, v2
                    v4: i64 = param1
                    store.global v4, v3
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_sum_may_wrap() {
        check_narrowed(
            "kernel k(param0 x: f32, param1 y: i64 ptr align 8) {
            block0:
                v0: f32 = param0
                v1: i64 = f2u v0
                v2: i64 = const 1
                v3: i64 = add v1, v2
                v4: i64 = const 63
                v5: i64 = umin v3, v4
                v6: i64 = param1
                store.global v6, v5
                return
            }",
            expect![[r#"
                kernel k(param0 x: f32, param1 y: i64 ptr align 8) {
                block0:
                    v0: f32 = param0
                    v1: i64 = f2u v0
                    v2: i64 = const 1
                    v3: i64 = add v1, v2
                    v4: i64 = const 63
                    v5: i64 = umin v3, v4
                    v6: i64 = param1
                    store.global v6, v5
                    return
                }
            "#]],
        );
    }
}
