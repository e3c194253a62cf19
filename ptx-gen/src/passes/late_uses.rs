//! Moves what waits for a load behind the checks that follow it: of `let a = x[i] >> s; check(k); y[k]` the shift.
//!
//! ptxas moves nothing over a branch: before the check the shift would wait for `x[i]`, and `y[k]` would be loaded after that.

use std::collections::HashSet;

use super::checks::panics;
use super::simplify_cfg::count_edges;
use crate::analysis::Cfg;
use crate::ir::{Function, Inst, InstData, Space, Value};

/// See the head of this file.
pub fn sink_past_checks(func: &mut Function) {
    let edges = count_edges(func);
    // In the order of execution: behind one check comes the next one.
    for block in Cfg::new(func).order().to_vec() {
        let Some(terminator) = func.terminator(block) else { continue };
        let InstData::Branch { if_true, if_false, .. } = &func.insts[terminator] else { continue };
        let sides = [if_true.block, if_false.block];
        let [next, panic] = match sides.map(|side| panics(func, side)) {
            [false, true] => sides,
            [true, false] => [sides[1], sides[0]],
            _ => continue,
        };
        if edges[next] != 1 {
            continue;
        }
        let mut waits: HashSet<Value> = HashSet::new();
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let mut does_wait =
                matches!(data, InstData::Load { space: Space::Global | Space::Generic | Space::Shared, .. });
            data.visit_args(|arg| does_wait |= data.is_pure() && waits.contains(&arg));
            waits.extend(func.results[inst].filter(|_| does_wait));
        }
        let mut needed: HashSet<Value> = HashSet::new();
        for &inst in &func.blocks[panic].insts {
            func.insts[inst].visit_args(|arg| {
                needed.insert(arg);
            });
        }
        let mut moved: Vec<Inst> = Vec::new();
        for &inst in func.blocks[block].insts.iter().rev() {
            let data = &func.insts[inst];
            let is_late = |value: Value| data.is_pure() && waits.contains(&value) && !needed.contains(&value);
            if func.results[inst].is_some_and(is_late) {
                moved.push(inst);
            } else {
                data.visit_args(|arg| {
                    needed.insert(arg);
                });
            }
        }
        func.blocks[block].insts.retain(|inst| !moved.contains(inst));
        moved.reverse();
        func.blocks[next].insts.splice(0..0, moved);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::passes::check;

    /// Operands of the check and of its message stay; so does arithmetic that waits for no load.
    #[test]
    fn arithmetic_on_what_was_loaded() {
        check(
            sink_past_checks,
            "kernel k(param0 x: i64 ptr align 4, param1 n: i64) {
                panic0 index \"x\" @0:1:1
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i32 = load.global v0
                v3: i32 = add v2, v2
                v4: i64 = zext v3
                v5: i32 = mul v3, v3
                v6: i64 = add v1, v1
                v7: bool = icmp ult v4, v1
                branch v7, block1, block2
            block1:
                v8: i32 = load.global v0 + 4
                v9: i32 = xor v5, v8
                v10: bool = icmp ult v6, v1
                branch v10, block3, block4
            block3:
                store.global v0, v9
                return
            block2:
                panic panic0(v4, v1)
            block4:
                panic panic0(v6, v1)
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 n: i64) {
                    panic0 index "x" @0:1:1
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i32 = load.global v0
                    v3: i32 = add v2, v2
                    v4: i64 = zext v3
                    v6: i64 = add v1, v1
                    v7: bool = icmp ult v4, v1
                    branch v7, block1, block2
                block1:
                    v5: i32 = mul v3, v3
                    v8: i32 = load.global v0 + 4
                    v10: bool = icmp ult v6, v1
                    branch v10, block3, block4
                block3:
                    v9: i32 = xor v5, v8
                    store.global v0, v9
                    return
                block2:
                    panic panic0(v4, v1)
                block4:
                    panic panic0(v6, v1)
                }
            "#]],
        );
    }
}
