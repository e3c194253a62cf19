//! Dead code elimination: removes instructions and block parameters whose values are not needed.
//!
//! A value is needed if an effect uses it, or an instruction that is needed, or a jump for a parameter that is needed: so
//! a loop counter that only counts itself goes.

use crate::ir::{Block, EntityMap, Function, InstData, Value, ValueDef};

/// See the head of this file.
pub fn eliminate_dead_code(func: &mut Function) {
    let needed = needed_values(func);
    let Function { layout, blocks, insts, results, .. } = func;
    for &block in layout.iter() {
        blocks[block].insts.retain(|&inst| match results[inst] {
            Some(value) => needed[value] || has_effect(&insts[inst]),
            None => true,
        });
    }
    func.retain_block_params(|param| needed[param]);
}

/// Returns true if the instruction has an effect beyond its result.
fn has_effect(data: &InstData) -> bool {
    match data {
        InstData::Load { .. } => false,
        InstData::Guarded { access, .. } => has_effect(access),
        _ => !data.is_pure(),
    }
}

fn needed_values(func: &Function) -> EntityMap<Value, bool> {
    let mut needed = EntityMap::<Value, bool>::filled(func.values.len(), false);
    let mut work = Vec::new();
    let mut need = |value: Value, work: &mut Vec<Value>| {
        if !std::mem::replace(&mut needed[value], true) {
            work.push(value);
        }
    };
    // The jumps to each block, for the arguments of a parameter once it is needed.
    let mut jumps: EntityMap<Block, Vec<crate::ir::Inst>> = EntityMap::filled(func.blocks.len(), Vec::new());
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            match data {
                InstData::Jump { target } => jumps[target.block].push(inst),
                InstData::Branch { cond, if_true, if_false, .. } => {
                    need(*cond, &mut work);
                    jumps[if_true.block].push(inst);
                    if if_false.block != if_true.block {
                        jumps[if_false.block].push(inst);
                    }
                }
                _ if has_effect(data) => data.visit_args(|value| need(value, &mut work)),
                _ => {}
            }
        }
    }
    while let Some(value) = work.pop() {
        match func.values[value].def {
            ValueDef::Result(inst) => func.insts[inst].visit_args(|value| need(value, &mut work)),
            ValueDef::Param(block) => {
                let Some(index) = func.blocks[block].params.iter().position(|&param| param == value) else {
                    continue;
                };
                for &jump in &jumps[block] {
                    for call in func.insts[jump].successors().filter(|call| call.block == block) {
                        need(call.args[index], &mut work);
                    }
                }
            }
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn what_nobody_needs_goes() {
        check(
            eliminate_dead_code,
            "kernel k(param0 n: i32, param1 x: i64) {
            block0:
                v0: i32 = param0
                v1: i32 = const 0
                v2: i64 = param1
                v3: i32 = load.global v2
                v4: i32 = shuffle.up v1, v1, v1, v1
                v5: i32 = cas.global.gpu v2, v1, v1
                jump block1(v1, v1, v1)
            block1(v6: i32, v7: i32, v8: i32):
                v9: i32 = add v6, v7
                v10: i32 = const 1
                v11: i32 = add v7, v10
                v12: i32 = add v8, v6
                v13: bool = icmp ult v11, v0
                branch v13, block1(v9, v11, v12), block2
            block2:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 x: i64) {
                block0:
                    v0: i32 = param0
                    v1: i32 = const 0
                    v2: i64 = param1
                    v4: i32 = shuffle.up v1, v1, v1, v1
                    v5: i32 = cas.global.gpu v2, v1, v1
                    jump block1(v1)
                block1(v7: i32):
                    v10: i32 = const 1
                    v11: i32 = add v7, v10
                    v13: bool = icmp ult v11, v0
                    branch v13, block1(v11), block2
                block2:
                    return
                }
            "#]],
        );
    }
}
