//! Bounds checks of data, in loops that are unrolled: `x[columns[j]]`.
//!
//! The index is loaded in the iteration that checks it, so the check of one iteration stands before the loads of the next. An
//! unrolled iteration loads the index data of all its iterations first and tests all of them at once; then it runs without the
//! checks, on the values that were loaded and tested. If a check would fail, nothing but loads was done so far: the original
//! loop runs from there, loads again, and panics at the same element after the same effects.
//!
//! A load is made early only if every iteration makes it, before the first check of data, from an address that follows from the
//! induction variables, and if no one writes that memory in between.

use std::collections::HashMap;

use super::super::checks;
use super::super::renames::Renames;
use super::hoist::{Appender, Check, Inside};
use super::strides::addend;
use crate::analysis::{DomTree, Loop};
use crate::ir::{BinaryOp, Block, Function, Inst, InstData, Space, Value};

/// Bytes that the early loads of an unrolled iteration take in registers.
const MOST_LOADED: u32 = 64;

/// A parameter of the header that steps.
#[derive(Clone, Copy)]
pub(super) struct Induction {
    position: usize,
    pub(super) param: Value,
    step: Value,
    descends: bool,
}

/// Loads of a loop that are made early, and the checks of what they load.
#[derive(Clone)]
pub(super) struct DataChecks {
    inductions: Vec<Induction>,
    /// In their order.
    loads: Vec<(Block, Inst)>,
    pub(super) checks: Vec<Check>,
}

impl DataChecks {
    /// The checks of a loop beside `known`; none if one of them cannot be made early, or if there are none.
    pub(super) fn new(
        func: &Function,
        tree: &DomTree,
        around: &Loop,
        inside: &Inside,
        known: &[Check],
    ) -> Option<DataChecks> {
        let [latch] = around.latches[..] else { return None };
        let inductions = inductions(func, around, inside, latch);
        let given: Vec<Value> = inductions.iter().map(|induction| induction.param).collect();
        let is_known = |block: Block| known.iter().any(|check| check.block == block);
        let makes = |&&block: &&Block| func.successors(block).any(|next| checks::panics(func, next));
        let checked: Vec<Block> =
            around.blocks.iter().filter(makes).copied().filter(|&block| !is_known(block)).collect();
        if checked.is_empty() {
            return None;
        }
        // Blocks of every iteration come one after the other.
        let mut always: Vec<Block> =
            around.blocks.iter().copied().filter(|&block| tree.dominates(block, latch)).collect();
        always.sort_by_key(|&block| {
            around.blocks.iter().filter(|&&other| tree.dominates(other, block)).count()
        });
        let writes = around.blocks.iter().flat_map(|&block| &func.blocks[block].insts).any(|&inst| {
            let data = &func.insts[inst];
            !(data.is_pure() || data.is_terminator() || matches!(data, InstData::Load { .. }))
        });
        let mut loads = Vec::new();
        for block in always {
            for &inst in &func.blocks[block].insts {
                if let InstData::Load { space, address, read_only, .. } = func.insts[inst]
                    && (read_only || !writes && space != Space::Local)
                    && inside.follows_from(func, address, &given)
                {
                    loads.push((block, inst));
                }
            }
            if checked.contains(&block) {
                break;
            }
        }
        let is_data = |&block: &Block| match func.terminator(block).map(|inst| &func.insts[inst]) {
            Some(InstData::Branch { cond, .. }) => !inside.follows_from(func, *cond, &given),
            _ => true,
        };
        if !checked.iter().any(is_data) {
            return None;
        }
        let loaded = loads.iter().filter_map(|&(_, inst)| func.results[inst]);
        let given: Vec<Value> = given.iter().copied().chain(loaded).collect();
        let check = |block: Block| {
            let checks::Check { cond, truth: passes_if, .. } = checks::Check::of(func, block)?;
            inside.follows_from(func, cond, &given).then_some(Check {
                block,
                cond,
                passes_if,
                is_invariant: false,
                below: None,
            })
        };
        let checks = checked.into_iter().map(check).collect::<Option<Vec<Check>>>()?;
        Some(DataChecks { inductions, loads, checks })
    }

    /// Bytes that an iteration loads early.
    fn loaded(&self, func: &Function) -> u32 {
        self.loads.iter().filter_map(|&(_, inst)| Some(func.ty(func.results[inst]?).bytes())).sum()
    }

    /// The largest power of two of iterations whose early loads fit in registers.
    pub(super) fn most_copies(&self, func: &Function) -> u32 {
        (MOST_LOADED / self.loaded(func).max(1)).max(1)
    }

    /// Makes the loads of so many iterations from `nows` on, at the end of a block. Returns the conditions under which their checks
    /// pass, and the value of each load for each iteration. The parameter at `exact` is known not to wrap in these.
    pub(super) fn load_early(
        &self,
        out: &mut Appender<'_>,
        block: Block,
        nows: &[Value],
        copies: usize,
        exact: Option<usize>,
    ) -> (Vec<Value>, Vec<Vec<Value>>) {
        let mut at: Vec<Value> = self.inductions.iter().map(|induction| nows[induction.position]).collect();
        let (mut conds, mut values) = (Vec::new(), Vec::new());
        for copy in 0..copies {
            if copy > 0 {
                for (now, induction) in at.iter_mut().zip(&self.inductions) {
                    let step = out.invariant(block, induction.step);
                    let op = if induction.descends { BinaryOp::Sub } else { BinaryOp::Add };
                    *now = out.binary(block, op, [*now, step], exact == Some(induction.position));
                }
            }
            let params = self.inductions.iter().map(|induction| induction.param);
            let mut known: HashMap<Value, Value> = params.zip(at.iter().copied()).collect();
            let mut loaded = Vec::new();
            for &(_, inst) in &self.loads {
                let mut data = out.func.insts[inst].clone();
                data.map_args(|arg| out.again(block, arg, &mut known));
                let Some(result) = out.func.results[inst] else { continue };
                let value = out.value(block, data, out.func.ty(result));
                known.insert(result, value);
                loaded.push(value);
            }
            values.push(loaded);
            conds.extend(self.checks.iter().map(|check| out.passes(block, check, &mut known)));
        }
        (conds, values)
    }

    /// Lets the copies of the loop's blocks use what was loaded early, instead of loading it again.
    pub(super) fn use_loaded(
        &self,
        func: &mut Function,
        copies: &[HashMap<Block, Block>],
        values: &[Vec<Value>],
    ) {
        let mut renames = Renames::new(func);
        for (copy, values) in copies.iter().zip(values) {
            for (&(block, inst), &value) in self.loads.iter().zip(values) {
                let Some(index) = func.blocks[block].insts.iter().position(|&other| other == inst) else {
                    continue;
                };
                if let Some(result) = func.results[func.blocks[copy[&block]].insts[index]] {
                    renames.replace(result, value);
                }
            }
        }
        renames.apply(func);
    }
}

/// The parameters of the header that step by something loop-invariant.
pub(super) fn inductions(func: &Function, around: &Loop, inside: &Inside, latch: Block) -> Vec<Induction> {
    let Some(terminator) = func.terminator(latch) else { return Vec::new() };
    let mut calls = func.insts[terminator].successors().filter(|call| call.block == around.header);
    let (Some(call), None) = (calls.next(), calls.next()) else { return Vec::new() };
    let step = |(position, (&param, &next)): (usize, (&Value, &Value))| {
        let (step, descends) = match func.def(next)? {
            &InstData::Binary { op: BinaryOp::Sub, args: [a, b], .. } if a == param => (b, true),
            _ => (addend(func, next, param)?, false),
        };
        inside.is_invariant(func, step).then_some(Induction { position, param, step, descends })
    };
    func.blocks[around.header].params.iter().zip(&call.args).enumerate().filter_map(step).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::passes::unroll::unroll_small_loops;
    use crate::passes::{check, check_stays};

    /// `for j in 0..n { let value = x[columns[j]]; sum += value * value; }`, with more in each iteration.
    fn sparse(before: &str, after: &str) -> String {
        format!(
            "kernel k(param0 columns: i64 ptr align 4, param1 x: i64 ptr align 4, param2 n: i32, param3 len: i32) {{
                panic0 index
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i32 = param2
                v3: i32 = param3
                v4: i32 = const 0
                v5: f32 = const 0.0
                v6: i32 = const 1
                v7: i64 = const 4
                v8: i64 = zext v3
                jump block1(v4, v5)
            block1(v10: i32, v11: f32):
                v12: bool = icmp ult v10, v2
                branch v12, block2, block5
            block2:
                v13: i64 = zext v10
                v14: i64 = mul nuw v13, v7
                v15: i64 = add nuw v0, v14
                {before}
                v16: i32 = load.global v15 read_only
                v18: i64 = zext v16
                v17: bool = icmp ult v16, v3
                branch v17, block3, block4
            block4:
                panic panic0(v18, v8)
            block3:
                v19: i64 = mul nuw v18, v7
                v20: i64 = add nuw v1, v19
                v21: f32 = load.global v20 read_only
                v22: f32 = fma v21, v21, v11
                {after}
                v23: i32 = add nuw v10, v6
                jump block1(v23, v22)
            block5:
                store.global v0, v11
                return
            }}"
        )
    }

    #[test]
    fn indices_are_loaded_and_tested_together() {
        check(
            unroll_small_loops,
            &sparse("", ""),
            expect![[r#"
            kernel k(param0 columns: i64 ptr align 4, param1 x: i64 ptr align 4, param2 n: i32, param3 len: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i32 = param2
                v3: i32 = param3
                v4: i32 = const 0
                v5: f32 = const 0.0
                v6: i32 = const 1
                v7: i64 = const 4
                v8: i64 = zext v3
                v91: i32 = const 3
                v92: bool = icmp ugt v2, v91
                branch v92, block23, block1(v4, v5)
            block23:
                v94: i32 = sub nuw v2, v91
                jump block24(v4, v5)
            block24(v89: i32, v90: f32):
                v95: bool = icmp ult v89, v94
                branch v95, block25, block1(v89, v90)
            block25:
                v96: i64 = zext v89
                v97: i64 = mul v96, v7
                v98: i64 = add v0, v97
                v99: i32 = load.global v98 read_only
                v100: bool = icmp ult v99, v3
                v101: i32 = add nuw v89, v6
                v102: i64 = zext v101
                v103: i64 = mul v102, v7
                v104: i64 = add v0, v103
                v105: i32 = load.global v104 read_only
                v106: bool = icmp ult v105, v3
                v124: i32 = const 2
                v107: i32 = add nuw v89, v124
                v108: i64 = zext v107
                v109: i64 = mul v108, v7
                v110: i64 = add v0, v109
                v111: i32 = load.global v110 read_only
                v112: bool = icmp ult v111, v3
                v113: i32 = add nuw v89, v91
                v114: i64 = zext v113
                v115: i64 = mul v114, v7
                v116: i64 = add v0, v115
                v117: i32 = load.global v116 read_only
                v118: bool = icmp ult v117, v3
                v119: bool = and v100, v106
                v120: bool = and v119, v112
                v121: bool = and v120, v118
                branch v121, block6, block1(v89, v90)
            block6:
                v35: i64 = zext v99
                v37: i64 = mul nuw v35, v7
                v38: i64 = add nuw v1, v37
                v39: f32 = load.global v38 read_only
                v40: f32 = fma v39, v39, v90
                v50: i64 = zext v105
                v52: i64 = mul nuw v50, v7
                v53: i64 = add nuw v1, v52
                v54: f32 = load.global v53 read_only
                v55: f32 = fma v54, v54, v40
                v65: i64 = zext v111
                v67: i64 = mul nuw v65, v7
                v68: i64 = add nuw v1, v67
                v69: f32 = load.global v68 read_only
                v70: f32 = fma v69, v69, v55
                v80: i64 = zext v117
                v82: i64 = mul nuw v80, v7
                v83: i64 = add nuw v1, v82
                v84: f32 = load.global v83 read_only
                v85: f32 = fma v84, v84, v70
                v128: i32 = const 4
                v86: i32 = add nuw v89, v128
                jump block24(v86, v85)
            block1(v10: i32, v11: f32) nounroll:
                v12: bool = icmp ult v10, v2
                branch v12, block2, block5
            block2:
                v13: i64 = zext v10
                v14: i64 = mul nuw v13, v7
                v15: i64 = add nuw v0, v14
                v16: i32 = load.global v15 read_only
                v18: i64 = zext v16
                v17: bool = icmp ult v16, v3
                branch v17, block3, block4
            block4:
                panic panic0(v18, v8)
            block3:
                v19: i64 = mul nuw v18, v7
                v20: i64 = add nuw v1, v19
                v21: f32 = load.global v20 read_only
                v22: f32 = fma v21, v21, v11
                v23: i32 = add nuw v10, v6
                jump block1(v23, v22)
            block5:
                store.global v0, v11
                return
            }
        "#]],
        );
    }

    #[test]
    fn data_that_the_loop_may_write() {
        let text = sparse("", "store.global v20, v22").replace("v15 read_only", "v15");
        check_stays(unroll_small_loops, &text);
    }

    #[test]
    fn data_behind_a_check_of_data() {
        // The second index may be loaded only once the first was checked.
        check_stays(
            unroll_small_loops,
            &sparse("", "").replace(
                "v22: f32 = fma v21, v21, v11",
                "v24: i32 = load.global v15 + 4 read_only
                v25: bool = icmp ult v24, v3
                branch v25, block6, block7
            block7:
                panic panic0(v18, v8)
            block6:
                v22: f32 = fma v21, v21, v11",
            ),
        );
    }

    #[test]
    fn data_of_the_iteration_before() {
        check_stays(unroll_small_loops, &sparse("", "").replace("icmp ult v16, v3", "fcmp lt v11, v5"));
    }

    #[test]
    fn a_check_that_counts_where_the_loop_does_not() {
        // `while j + 1 < n`: the iterations that pass the check of `j` may never begin.
        let guard = "v24: bool = icmp ult v10, v3
                branch v24, block6, block7
            block7:
                panic panic0(v13, v8)
            block6:";
        let goes_on = "v26: i32 = add v10, v6\n v12: bool = icmp ult v26, v2";
        check_stays(unroll_small_loops, &sparse(guard, "").replace("v12: bool = icmp ult v10, v2", goes_on));
    }

    #[test]
    fn lanes_that_wait_for_each_other() {
        check_stays(unroll_small_loops, &sparse("barrier", ""));
    }
}
