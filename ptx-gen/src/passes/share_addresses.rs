//! Code hoisting for addresses: what several conditional blocks compute for theirs moves to the block that dominates all of them.
//!
//! Value numbering takes a value only from a block that dominates. The copies of an unrolled iteration, each with its own
//! condition, stand one after the other, and none dominates the next: of `if y >= 0 && y < h { sum += x[y * w + column] }` each
//! would compute the product again. Moved code runs also where none of its blocks does; it is a few integer instructions. A product
//! moves only with the sum or the extension that takes it: alone it costs an instruction, where a multiply-add costs none for it.

use std::collections::HashMap;

use super::checks::panics;
use super::gvn::canonical;
use super::renames::Renames;
use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{BinaryOp, Block, ConvertOp, EntityMap, Function, Inst, InstData, Type, Value, ValueDef};

/// See the head of this file.
pub fn share_addresses(func: &mut Function) {
    let parts = address_parts(func);
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let loops = Loops::new(&cfg, &tree);
    let mut homes = func.homes(tree.preorder());
    let mut renames = Renames::new(func);
    let mut table: HashMap<(InstData, Type), (Inst, Value)> = HashMap::new();
    // Products by what they are products of: one for all that are equal.
    let mut products: HashMap<(InstData, Type), Value> = HashMap::new();
    let mut product_of = EntityMap::<Value, Option<Value>>::filled(func.values.len(), None);
    for &block in tree.preorder() {
        if panics(func, block) {
            continue;
        }
        for inst in func.blocks[block].insts.clone() {
            let Some(result) = func.results[inst].filter(|&result| parts[result]) else { continue };
            func.insts[inst].map_args(|value| renames.resolve(value));
            let mut key = canonical(&func.insts[inst]);
            if is_product(&key) {
                product_of[result] = Some(*products.entry((key, func.ty(result))).or_insert(result));
                continue;
            }
            key.map_args(|arg| product_of[arg].unwrap_or(arg));
            let known = table.entry((canonical(&key), func.ty(result))).or_insert((inst, result));
            let (twin, value) = *known;
            let Some(home) = homes[value] else { continue };
            if value == result {
                continue;
            }
            if !tree.dominates(home, block) {
                let Some(to) = common_dominator(&tree, home, block).filter(|&to| {
                    let same_loop = |block| loops.innermost(block) == loops.innermost(to);
                    let is_before = |value: Value| homes[value].is_some_and(|home| tree.dominates(home, to));
                    let mut is_there = true;
                    func.insts[twin].visit_args(|arg| {
                        let product = func.def(arg).filter(|_| product_of[arg].is_some());
                        let is_movable = product.is_some_and(|data| {
                            let mut all = true;
                            data.visit_args(|factor| all &= is_before(factor));
                            all
                        });
                        is_there &= is_before(arg) || is_movable;
                    });
                    is_there && same_loop(home) && same_loop(block)
                }) else {
                    *known = (inst, result);
                    continue;
                };
                let mut moved = Vec::new();
                func.insts[twin].visit_args(|arg| {
                    let home = homes[arg].filter(|&home| !tree.dominates(home, to));
                    if let (Some(home), ValueDef::Result(product)) = (home, func.values[arg].def)
                        && !moved.contains(&(home, product, arg))
                    {
                        moved.push((home, product, arg));
                    }
                });
                moved.push((home, twin, value));
                for (home, inst, value) in moved {
                    // A sum that a condition keeps from wrapping may wrap in front of it.
                    if let InstData::Binary { no_unsigned_wrap, .. } = &mut func.insts[inst] {
                        *no_unsigned_wrap = false;
                    }
                    func.blocks[home].insts.retain(|&other| other != inst);
                    let end = func.blocks[to].insts.len().saturating_sub(1);
                    func.blocks[to].insts.insert(end, inst);
                    homes[value] = Some(to);
                }
            }
            renames.replace(result, value);
            func.blocks[block].insts.retain(|&other| other != inst);
        }
    }
    renames.apply(func);
}

fn is_product(data: &InstData) -> bool {
    matches!(data, InstData::Binary { op: BinaryOp::Mul | BinaryOp::Shl, .. })
}

/// Integers that the addresses of accesses are made of.
fn address_parts(func: &Function) -> EntityMap<Value, bool> {
    let mut is_part = EntityMap::<Value, bool>::filled(func.values.len(), false);
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let mut work: Vec<Value> =
        insts.filter_map(|&inst| func.insts[inst].access()).map(|(_, address)| address).collect();
    while let Some(value) = work.pop() {
        let is_made = match func.def(value) {
            Some(InstData::Binary { op, .. }) => {
                matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl)
            }
            Some(InstData::Convert { op, .. }) => {
                matches!(op, ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::IndexExtend)
            }
            Some(InstData::Const { .. }) => true,
            _ => false,
        };
        if !is_made || std::mem::replace(&mut is_part[value], true) {
            continue;
        }
        if let Some(data) = func.def(value) {
            data.visit_args(|arg| work.push(arg));
        }
    }
    is_part
}

/// The nearest block that dominates both.
fn common_dominator(tree: &DomTree, a: Block, b: Block) -> Option<Block> {
    std::iter::successors(Some(a), |&block| tree.idom(block)).find(|&block| tree.dominates(block, b))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, dce, gvn};
    use super::*;

    #[test]
    fn of_blocks_one_after_the_other() {
        check(
            |func| {
                share_addresses(func);
                gvn::number_values(func);
                dce::eliminate_dead_code(func);
            },
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 m: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 5
                v4: bool = icmp ult v1, v3
                branch v4, block1, block2
            block1:
                v5: i32 = mul nuw v1, v2
                v6: i64 = sext_index v5
                v7: i64 = const 4
                v8: i64 = mul v6, v7
                v9: i64 = add v0, v8
                store.global v9, v1
                jump block2
            block2:
                v10: bool = icmp ult v2, v3
                branch v10, block3, block4
            block3:
                v11: i32 = mul nuw v1, v2
                v12: i64 = sext_index v11
                v13: i64 = const 4
                v14: i64 = mul v12, v13
                v15: i64 = add v0, v14
                store.global v15 + 4, v2
                v16: i32 = load.global v15
                v17: i32 = mul v16, v2
                store.global v0, v17
                jump block4
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 m: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i32 = const 5
                    v4: bool = icmp ult v1, v3
                    v5: i32 = mul v1, v2
                    v6: i64 = sext_index v5
                    v7: i64 = const 4
                    v8: i64 = mul v6, v7
                    v9: i64 = add v0, v8
                    branch v4, block1, block2
                block1:
                    store.global v9, v1
                    jump block2
                block2:
                    v10: bool = icmp ult v2, v3
                    branch v10, block3, block4
                block3:
                    store.global v9 + 4, v2
                    v16: i32 = load.global v9
                    v17: i32 = mul v16, v2
                    store.global v0, v17
                    jump block4
                block4:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn not_out_of_loops_nor_before_their_parts() {
        check(
            share_addresses,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = const 5
                v4: bool = icmp ult v1, v3
                branch v4, block1, block2
            block1:
                v5: i64 = add v0, v2
                store.global v5, v1
                v6: bool = icmp ult v3, v1
                branch v6, block1, block2
            block2:
                v7: bool = icmp eq v1, v3
                branch v7, block3, block4
            block3:
                v8: i64 = add v0, v2
                v9: i64 = load.global v8
                v10: i64 = add v0, v9
                store.global v10, v1
                jump block4
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = zext v1
                    v3: i32 = const 5
                    v4: bool = icmp ult v1, v3
                    branch v4, block1, block2
                block1:
                    v5: i64 = add v0, v2
                    store.global v5, v1
                    v6: bool = icmp ult v3, v1
                    branch v6, block1, block2
                block2:
                    v7: bool = icmp eq v1, v3
                    branch v7, block3, block4
                block3:
                    v8: i64 = add v0, v2
                    v9: i64 = load.global v8
                    v10: i64 = add v0, v9
                    store.global v10, v1
                    jump block4
                block4:
                    return
                }
            "#]],
        );
    }
}
