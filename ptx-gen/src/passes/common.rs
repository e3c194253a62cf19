//! Loads before a branch what both of its sides load first, and computes integers that both compute: what addresses are made of.
//! Likewise what a side shares with the block that follows it and the branch (code that is anticipated on every path).
//!
//! A load is under way earlier then. Arithmetic on floats stays: before the branch it could wait for a load that one of the sides
//! would put off, as in a loop that [loads ahead](super::unroll).

use std::collections::HashMap;

use super::gvn::{canonical, is_repeatable};
use super::renames::Renames;
use super::simplify_cfg::count_edges;
use crate::analysis::Cfg;
use crate::ir::{Block, Function, Inst, InstData, Type};

/// See the head of this file.
pub fn hoist_common_code(func: &mut Function) {
    let edges = count_edges(func);
    let order = Cfg::new(func).order().to_vec();
    let mut renames = Renames::new(func);
    // Code hoisted out of an inner branch may be hoisted out of the one around it.
    for block in order.into_iter().rev() {
        let Some(terminator) = func.terminator(block) else { continue };
        let InstData::Branch { if_true, if_false, .. } = &func.insts[terminator] else { continue };
        let sides = [if_true.block, if_false.block];
        let is_plain = if_true.args.is_empty() && if_false.args.is_empty();
        if is_plain && sides[0] != sides[1] && sides.iter().all(|&side| edges[side] == 1) {
            hoist(func, block, sides, true, &mut renames);
        }
        let [a, b] = sides;
        for [side, join] in [[a, b], [b, a]] {
            if edges[side] == 1 && edges[join] == 2 && func.successors(side).eq([join]) {
                let has_no_effect = func.blocks[side].insts.iter().rev().skip(1).all(|&inst| {
                    let data = &func.insts[inst];
                    data.is_pure() || is_plain_load(data)
                });
                hoist(func, block, [side, join], has_no_effect, &mut renames);
            }
        }
    }
    renames.apply(func);
}

/// Moves what two sides share to the end of the block before them. The second one may follow the first, which may have effects on memory
/// then.
fn hoist(func: &mut Function, block: Block, sides: [Block; 2], is_first: bool, renames: &mut Renames) {
    let mut first: HashMap<(InstData, Type), Inst> = HashMap::new();
    for inst in candidates(func, sides[0], true) {
        first.entry(key(func, renames, inst)).or_insert(inst);
    }
    let mut shared: Vec<(Inst, Inst)> = Vec::new();
    for inst in candidates(func, sides[1], is_first) {
        if let Some(&twin) = first.get(&key(func, renames, inst))
            && let (Some(value), Some(same)) = (func.results[inst], func.results[twin])
        {
            renames.replace(value, same);
            shared.push((twin, inst));
        }
    }
    for &(twin, inst) in &shared {
        // A flag set on both sides holds before the branch.
        let is_exact = matches!(func.insts[inst], InstData::Binary { no_unsigned_wrap: true, .. });
        if let InstData::Binary { no_unsigned_wrap, .. } = &mut func.insts[twin] {
            *no_unsigned_wrap &= is_exact;
        }
    }
    let moves = |inst: &Inst| shared.iter().any(|(twin, _)| twin == inst);
    let moved: Vec<Inst> = func.blocks[sides[0]].insts.iter().copied().filter(moves).collect();
    func.blocks[sides[0]].insts.retain(|inst| !moves(inst));
    func.blocks[sides[1]].insts.retain(|inst| shared.iter().all(|(_, gone)| gone != inst));
    let end = func.blocks[block].insts.len().saturating_sub(1);
    func.blocks[block].insts.splice(end..end, moved);
}

/// Key under which instructions are equal, once those before them are known.
fn key(func: &Function, renames: &Renames, inst: Inst) -> (InstData, Type) {
    let mut data = func.insts[inst].clone();
    data.map_args(|value| renames.resolve(value));
    (canonical(&data), func.results[inst].map_or(Type::Bool, |result| func.ty(result)))
}

/// Instructions that may be computed before a side: pure ones, and loads before any other effect, if there is none before the side.
fn candidates(func: &Function, side: Block, mut is_first: bool) -> Vec<Inst> {
    let mut found = Vec::new();
    for &inst in &func.blocks[side].insts {
        let data = &func.insts[inst];
        let is_load = is_plain_load(data);
        let is_int = func.results[inst].is_some_and(|result| func.ty(result).is_int());
        if is_repeatable(data) && (is_int || is_load) || is_load && is_first {
            found.push(inst);
        }
        is_first &= is_load || data.is_pure();
    }
    found
}

/// Returns true for a load that is ordered by none but stores.
fn is_plain_load(data: &InstData) -> bool {
    matches!(data, InstData::Load { cache, .. } if !cache.is_volatile())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, dce};
    use super::*;

    #[test]
    fn loads_before_anything_is_stored() {
        check(
            |func| {
                hoist_common_code(func);
                dce::eliminate_dead_code(func);
            },
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 5
                v3: bool = icmp ult v1, v2
                branch v3, block1, block2
            block1:
                v4: i64 = zext v1
                v5: i64 = const 4
                v6: i64 = mul nuw v4, v5
                v7: i64 = add v0, v6
                v8: i32 = load.global v7
                v9: i32 = add v8, v1
                store.global v7, v9
                v10: i32 = load.global v0
                store.global v0 + 4, v10
                jump block3
            block2:
                v11: i64 = zext v1
                v12: i64 = const 4
                v13: i64 = mul v11, v12
                v14: i64 = add v0, v13
                v15: i32 = load.global v14
                store.global v0, v15
                v16: i32 = load.global v0
                store.global v0 + 4, v16
                jump block3
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 5
                    v3: bool = icmp ult v1, v2
                    v4: i64 = zext v1
                    v5: i64 = const 4
                    v6: i64 = mul v4, v5
                    v7: i64 = add v0, v6
                    v8: i32 = load.global v7
                    branch v3, block1, block2
                block1:
                    v9: i32 = add v8, v1
                    store.global v7, v9
                    v10: i32 = load.global v0
                    store.global v0 + 4, v10
                    jump block3
                block2:
                    store.global v0, v8
                    v16: i32 = load.global v0
                    store.global v0 + 4, v16
                    jump block3
                block3:
                    return
                }
            "#]],
        );
    }

    /// The load that a side and the code behind it need: `x[k]` of `if k < n { before += x[k] } sum += x[k]`.
    #[test]
    fn loads_of_a_side_and_what_follows() {
        let text = |effect: &str| {
            format!(
                "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {{
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 5
                v3: bool = icmp ult v1, v2
                branch v3, block1, block2(v1)
            block1:
                v4: i32 = load.global v0 + 8
                v5: i32 = add v4, v1
                {effect}
                jump block2(v5)
            block2(v6: i32):
                v7: i32 = load.global v0 + 8
                v8: i32 = add v7, v6
                store.global v0, v8
                return
            }}"
            )
        };
        check(
            hoist_common_code,
            &text(""),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 5
                v3: bool = icmp ult v1, v2
                v4: i32 = load.global v0 + 8
                branch v3, block1, block2(v1)
            block1:
                v5: i32 = add v4, v1
                jump block2(v5)
            block2(v6: i32):
                v8: i32 = add v4, v6
                store.global v0, v8
                return
            }
        "#]],
        );
        check(
            hoist_common_code,
            &text("store.global v0 + 8, v5"),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 5
                v3: bool = icmp ult v1, v2
                branch v3, block1, block2(v1)
            block1:
                v4: i32 = load.global v0 + 8
                v5: i32 = add v4, v1
                store.global v0 + 8, v5
                jump block2(v5)
            block2(v6: i32):
                v7: i32 = load.global v0 + 8
                v8: i32 = add v7, v6
                store.global v0, v8
                return
            }
        "#]],
        );
    }

    #[test]
    fn out_of_two_branches() {
        check(
            hoist_common_code,
            "kernel k(param0 p: i64 ptr align 4, param1 a: bool, param2 b: bool, param3 n: i32) {
            block0:
                v0: i64 = param0
                v1: bool = param1
                v2: bool = param2
                v3: i32 = param3
                branch v1, block1, block2
            block1:
                v4: i32 = mul v3, v3
                store.global v0, v4
                jump block5
            block2:
                branch v2, block3, block4
            block3:
                v5: i32 = mul v3, v3
                store.global v0 + 4, v5
                jump block5
            block4:
                v6: i32 = mul v3, v3
                store.global v0 + 8, v6
                jump block5
            block5:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 a: bool, param2 b: bool, param3 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: bool = param1
                    v2: bool = param2
                    v3: i32 = param3
                    v4: i32 = mul v3, v3
                    branch v1, block1, block2
                block1:
                    store.global v0, v4
                    jump block5
                block2:
                    branch v2, block3, block4
                block3:
                    store.global v0 + 4, v4
                    jump block5
                block4:
                    store.global v0 + 8, v4
                    jump block5
                block5:
                    return
                }
            "#]],
        );
    }
}
