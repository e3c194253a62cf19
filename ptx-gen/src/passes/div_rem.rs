//! Remainders from quotients: of `a / b` and `a % b` the second becomes `a - a / b * b`, as LLVM's pass DivRemPairs has it.
//!
//! ptxas makes a division of each: for the pair it makes 181 instructions of `i64` and 153 of `u64`, and 105 and 90 of the quotient with a
//! product and a difference. This comes late: the ranges know more of a remainder.

use std::collections::HashMap;

use crate::analysis::{Cfg, DomTree};
use crate::ir::{BinaryOp, Block, Function, Inst, InstData, Type, Value};

/// An operand: a constant is the same number wherever it is made.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operand {
    Value(Value),
    Number(u64),
}

/// Signedness, type, dividend and divisor.
type Key = (bool, Type, [Operand; 2]);

/// See the head of this file.
pub fn pair_remainders(func: &mut Function) {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let (mut quotients, mut remainders) = (HashMap::<Key, Vec<(Block, Inst)>>::new(), Vec::new());
    for &block in tree.preorder() {
        for &inst in &func.blocks[block].insts {
            let InstData::Binary { op, args, .. } = func.insts[inst] else { continue };
            let key = |is_signed| {
                let operand = |value| func.constant(value).map_or(Operand::Value(value), Operand::Number);
                (is_signed, func.ty(args[0]), args.map(operand))
            };
            match op {
                BinaryOp::UDiv | BinaryOp::SDiv => {
                    quotients.entry(key(op == BinaryOp::SDiv)).or_default().push((block, inst));
                }
                BinaryOp::URem | BinaryOp::SRem => {
                    remainders.push((key(op == BinaryOp::SRem), block, inst));
                }
                _ => {}
            }
        }
    }
    for (key, block, inst) in remainders {
        let Some(known) = quotients.get_mut(&key) else { continue };
        let position = |func: &Function, block: Block, inst: Inst| {
            func.blocks[block].insts.iter().position(|&other| other == inst)
        };
        let is_before = |func: &Function, (a, first): (Block, Inst), (b, second): (Block, Inst)| {
            if a == b { position(func, a, first) < position(func, b, second) } else { tree.dominates(a, b) }
        };
        let here = (block, inst);
        let quotient = match known.iter().find(|&&quotient| is_before(func, quotient, here)) {
            Some(&(_, quotient)) => quotient,
            // Moving the quotient up is legal: it traps as the remainder does.
            None => {
                let Some(later) = known.iter_mut().find(|quotient| is_before(func, here, **quotient)) else {
                    continue;
                };
                let (from, quotient) = *later;
                func.blocks[from].insts.retain(|&other| other != quotient);
                let Some(at) = position(func, block, inst) else { continue };
                func.blocks[block].insts.insert(at, quotient);
                // Its own operands may be constants made behind the remainder.
                if let &InstData::Binary { args: here, .. } = &func.insts[inst]
                    && let InstData::Binary { args, .. } = &mut func.insts[quotient]
                {
                    *args = here;
                }
                *later = (block, quotient);
                quotient
            }
        };
        let InstData::Binary { args: [dividend, divisor], .. } = func.insts[inst] else { continue };
        let Some(result) = func.results[quotient] else { continue };
        // The product is at most the dividend.
        let (is_signed, ty, _) = key;
        let exact = |op, args| InstData::Binary { op, args, no_unsigned_wrap: !is_signed };
        let (product, value) =
            func.make_value(exact(BinaryOp::Mul, [result, divisor]), ty, func.locations[inst]);
        let Some(at) = position(func, block, inst) else { continue };
        func.blocks[block].insts.insert(at, product);
        func.insts[inst] = exact(BinaryOp::Sub, [dividend, value]);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn a_divisor_made_behind_the_remainder() {
        check(
            pair_remainders,
            "kernel k(param0 p: i64 ptr align 8, param1 a: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 7
                v3: i32 = urem v1, v2
                store.global v0, v3
                v4: i32 = const 7
                v5: i32 = udiv v1, v4
                store.global v0, v5
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 8, param1 a: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 7
                    v5: i32 = udiv v1, v2
                    v6: i32 = mul nuw v5, v2
                    v3: i32 = sub nuw v1, v6
                    store.global v0, v3
                    v4: i32 = const 7
                    store.global v0, v5
                    return
                }
            "#]],
        );
    }

    #[test]
    fn quotients_before_and_behind() {
        check(
            pair_remainders,
            "kernel k(param0 p: i64 ptr align 8, param1 a: i32, param2 b: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = urem v1, v2
                v4: i32 = srem v1, v2
                v5: i32 = sdiv v1, v2
                store.global v0, v4
                store.global v0 + 4, v5
                v6: bool = icmp ult v3, v4
                branch v6, block1, block2
            block1:
                v7: i32 = udiv v1, v2
                v8: i32 = const 10
                v9: i32 = udiv v3, v8
                store.global v0 + 8, v7
                store.global v0 + 12, v9
                jump block2
            block2:
                v10: i32 = const 10
                v11: i32 = urem v3, v10
                v12: i32 = urem v2, v1
                store.global v0 + 16, v11
                store.global v0 + 20, v12
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 8, param1 a: i32, param2 b: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v7: i32 = udiv v1, v2
                    v13: i32 = mul nuw v7, v2
                    v3: i32 = sub nuw v1, v13
                    v5: i32 = sdiv v1, v2
                    v14: i32 = mul v5, v2
                    v4: i32 = sub v1, v14
                    store.global v0, v4
                    store.global v0 + 4, v5
                    v6: bool = icmp ult v3, v4
                    branch v6, block1, block2
                block1:
                    v8: i32 = const 10
                    v9: i32 = udiv v3, v8
                    store.global v0 + 8, v7
                    store.global v0 + 12, v9
                    jump block2
                block2:
                    v10: i32 = const 10
                    v11: i32 = urem v3, v10
                    v12: i32 = urem v2, v1
                    store.global v0 + 16, v11
                    store.global v0 + 20, v12
                    return
                }
            "#]],
        );
    }
}
