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
use crate::ir::{BinaryOp, Block, BlockCall, Function, Inst, InstData, Space, Type, UnaryOp, Value};

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
    /// For each check, what has to be true, or false, for an iteration to make it.
    conditions: Vec<Vec<(Value, bool)>>,
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
        let loads = early_loads(func, tree, around, inside, &given, |block| checked.contains(&block));
        let is_data = |&block: &Block| match func.terminator(block).map(|inst| &func.insts[inst]) {
            Some(InstData::Branch { cond, .. }) => !inside.follows_from(func, *cond, &given),
            _ => true,
        };
        // Others that every iteration makes were worth a test before the loop if they could have one.
        let is_conditional = |&block: &Block| !tree.dominates(block, latch);
        if !checked.iter().any(|block| is_data(block) || is_conditional(block)) {
            return None;
        }
        let loaded: Vec<Value> = loads.iter().filter_map(|&(_, inst)| func.results[inst]).collect();
        let given = [given, loaded.clone()].concat();
        let check = |block: Block| {
            let checks::Check { cond, truth: passes_if, .. } = checks::Check::of(func, block)?;
            // A check of the counter in one iteration may be the reason that the next one's loads are in bounds.
            let given = if is_conditional(&block) { &given } else { &loaded };
            inside.follows_from(func, cond, given).then_some(Check {
                block,
                cond,
                passes_if,
                is_invariant: false,
                below: None,
            })
        };
        let checks = checked.into_iter().map(check).collect::<Option<Vec<Check>>>()?;
        let conditions = |check: &Check| {
            let known = |&(cond, _): &(Value, bool)| inside.follows_from(func, cond, &given);
            conditions_of(func, tree, around, check.block).into_iter().filter(known).collect()
        };
        let conditions = checks.iter().map(conditions).collect();
        Some(DataChecks { inductions, loads, checks, conditions })
    }

    /// The loads alone of a loop without checks; none if there are none.
    pub(super) fn loads_alone(
        func: &Function,
        tree: &DomTree,
        around: &Loop,
        inside: &Inside,
    ) -> Option<DataChecks> {
        let [latch] = around.latches[..] else { return None };
        let inductions = inductions(func, around, inside, latch);
        let given: Vec<Value> = inductions.iter().map(|induction| induction.param).collect();
        let loads = early_loads(func, tree, around, inside, &given, |_| false);
        (!loads.is_empty()).then_some(DataChecks {
            inductions,
            loads,
            checks: Vec::new(),
            conditions: Vec::new(),
        })
    }

    /// Bytes that an iteration loads early.
    fn loaded(&self, func: &Function) -> u32 {
        self.loads.iter().filter_map(|&(_, inst)| Some(func.ty(func.results[inst]?).bytes())).sum()
    }

    /// The largest power of two of iterations whose early loads fit in registers.
    pub(super) fn most_copies(&self, func: &Function) -> u32 {
        (MOST_LOADED / self.loaded(func).max(1)).max(1)
    }

    /// Makes the loads of iterations from `nows` on, at the end of a block, each under its guard if it has one: of an iteration without a
    /// turn zeros are checked. Returns the conditions under which their checks pass, and the value of each load for each iteration. The
    /// parameter at `exact` is known not to wrap in these.
    pub(super) fn load_early(
        &self,
        out: &mut Appender<'_>,
        block: Block,
        nows: &[Value],
        guards: &[Option<Value>],
        exact: Option<usize>,
    ) -> (Vec<Value>, Vec<Vec<Value>>) {
        let mut at: Vec<Value> = self.inductions.iter().map(|induction| nows[induction.position]).collect();
        let (mut conds, mut values) = (Vec::new(), Vec::new());
        for (copy, &guard) in guards.iter().enumerate() {
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
                if let Some(cond) = guard {
                    data = InstData::Guarded { cond, holds: true, access: Box::new(data) };
                }
                let value = out.value(block, data, out.func.ty(result));
                known.insert(result, value);
                loaded.push(value);
            }
            values.push(loaded);
            for (check, conditions) in self.checks.iter().zip(&self.conditions) {
                let mut passes = out.passes(block, check, &mut known);
                for &(cond, truth) in conditions {
                    let mut skips = out.again(block, cond, &mut known);
                    if truth {
                        skips =
                            out.value(block, InstData::Unary { op: UnaryOp::Not, arg: skips }, Type::Bool);
                    }
                    passes = out.binary(block, BinaryOp::Or, [passes, skips], false);
                }
                conds.push(passes);
            }
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

/// The conditions of branches in the loop on the way to a block, and which way that is, without those that check.
fn conditions_of(func: &Function, tree: &DomTree, around: &Loop, block: Block) -> Vec<(Value, bool)> {
    let mut conditions = Vec::new();
    let mut below = block;
    while below != around.header
        && let Some(branch) = tree.idom(below)
    {
        if let Some(terminator) = func.terminator(branch)
            && let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[terminator]
            && [if_true, if_false].iter().all(|way| around.blocks.contains(&way.block))
        {
            // A way leads to the block alone if nothing else leads to its first block.
            let leads = |way: &BlockCall| way.block == below && is_entered_from(func, around, below, branch);
            match (leads(if_true), leads(if_false)) {
                (true, false) => conditions.push((*cond, true)),
                (false, true) => conditions.push((*cond, false)),
                (true, true) | (false, false) => {}
            }
        }
        below = branch;
    }
    conditions
}

/// Returns true if a block of a loop has no predecessor but this one.
fn is_entered_from(func: &Function, around: &Loop, block: Block, from: Block) -> bool {
    around.blocks.iter().all(|&other| other == from || func.successors(other).all(|next| next != block))
}

/// The loads that every iteration makes, up to the end of the first block that `ends`, from addresses that follow from what is given and of memory
/// that no one writes in between.
fn early_loads(
    func: &Function,
    tree: &DomTree,
    around: &Loop,
    inside: &Inside,
    given: &[Value],
    ends: impl Fn(Block) -> bool,
) -> Vec<(Block, Inst)> {
    let is_always = |&block: &Block| around.latches.iter().all(|&latch| tree.dominates(block, latch));
    // Blocks of every iteration come one after the other.
    let mut always: Vec<Block> = around.blocks.iter().copied().filter(is_always).collect();
    always.sort_by_key(|&block| around.blocks.iter().filter(|&&other| tree.dominates(other, block)).count());
    let writes = around.blocks.iter().flat_map(|&block| &func.blocks[block].insts).any(|&inst| {
        let data = &func.insts[inst];
        !(data.is_pure() || data.is_terminator() || matches!(data, InstData::Load { .. }))
    });
    let mut loads = Vec::new();
    for block in always {
        for &inst in &func.blocks[block].insts {
            if let InstData::Load { space, address, read_only, .. } = func.insts[inst]
                && (read_only || !writes && space != Space::Local)
                && inside.follows_from(func, address, given)
            {
                loads.push((block, inst));
            }
        }
        if ends(block) {
            break;
        }
    }
    loads
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
                    v167: i32 = const 3
                    v168: bool = icmp ugt v2, v167
                    branch v168, block23, block37(v4, v5)
                block37(v136: i32, v137: f32):
                    v140: bool = icmp ult v136, v2
                    branch v140, block38, block1(v136, v137)
                block38:
                    v142: i32 = add v136, v6
                    v143: bool = icmp ult v142, v2
                    v144: i32 = const 2
                    v145: i32 = add v136, v144
                    v146: bool = icmp ult v145, v2
                    v147: bool = and v143, v146
                    v148: i64 = zext v136
                    v149: i64 = mul v148, v7
                    v150: i64 = add v0, v149
                    v151: i32 = load.global v150 read_only
                    v152: bool = icmp ult v151, v3
                    v154: i64 = zext v142
                    v155: i64 = mul v154, v7
                    v156: i64 = add v0, v155
                    v157: i32 = guard v143 load.global v156 read_only
                    v158: bool = icmp ult v157, v3
                    v160: i64 = zext v145
                    v161: i64 = mul v160, v7
                    v162: i64 = add v0, v161
                    v163: i32 = guard v147 load.global v162 read_only
                    v164: bool = icmp ult v163, v3
                    v165: bool = and v152, v158
                    v166: bool = and v165, v164
                    branch v166, block25, block1(v136, v137)
                block25:
                    v99: i64 = zext v151
                    v101: i64 = mul nuw v99, v7
                    v102: i64 = add nuw v1, v101
                    v103: f32 = load.global v102 read_only
                    v104: f32 = fma v103, v103, v137
                    v114: i64 = zext v157
                    v116: i64 = mul v114, v7
                    v117: i64 = add v1, v116
                    v118: f32 = guard v143 load.global v117 read_only
                    v119: f32 = fma v118, v118, v104
                    v129: i64 = zext v163
                    v131: i64 = mul v129, v7
                    v132: i64 = add v1, v131
                    v210: bool = and v143, v146
                    v133: f32 = guard v210 load.global v132 read_only
                    v134: f32 = fma v133, v133, v119
                    v135: i32 = add v136, v167
                    v208: i32 = select v146, v135, v145
                    v209: f32 = select v146, v134, v119
                    v211: i32 = select v143, v208, v142
                    v212: f32 = select v143, v209, v104
                    jump block1(v211, v212)
                block23:
                    v170: i32 = sub nuw v2, v167
                    jump block24(v4, v5)
                block24(v89: i32, v90: f32):
                    v171: bool = icmp ult v89, v170
                    branch v171, block39, block37(v89, v90)
                block39:
                    v172: i64 = zext v89
                    v173: i64 = mul v172, v7
                    v174: i64 = add v0, v173
                    v175: i32 = load.global v174 read_only
                    v176: bool = icmp ult v175, v3
                    v177: i32 = add nuw v89, v6
                    v178: i64 = zext v177
                    v179: i64 = mul v178, v7
                    v180: i64 = add v0, v179
                    v181: i32 = load.global v180 read_only
                    v182: bool = icmp ult v181, v3
                    v200: i32 = const 2
                    v183: i32 = add nuw v89, v200
                    v184: i64 = zext v183
                    v185: i64 = mul v184, v7
                    v186: i64 = add v0, v185
                    v187: i32 = load.global v186 read_only
                    v188: bool = icmp ult v187, v3
                    v189: i32 = add nuw v89, v167
                    v190: i64 = zext v189
                    v191: i64 = mul v190, v7
                    v192: i64 = add v0, v191
                    v193: i32 = load.global v192 read_only
                    v194: bool = icmp ult v193, v3
                    v195: bool = and v176, v182
                    v196: bool = and v195, v188
                    v197: bool = and v196, v194
                    branch v197, block6, block1(v89, v90)
                block6:
                    v35: i64 = zext v175
                    v37: i64 = mul nuw v35, v7
                    v38: i64 = add nuw v1, v37
                    v39: f32 = load.global v38 read_only
                    v40: f32 = fma v39, v39, v90
                    v50: i64 = zext v181
                    v52: i64 = mul nuw v50, v7
                    v53: i64 = add nuw v1, v52
                    v54: f32 = load.global v53 read_only
                    v55: f32 = fma v54, v54, v40
                    v65: i64 = zext v187
                    v67: i64 = mul nuw v65, v7
                    v68: i64 = add nuw v1, v67
                    v69: f32 = load.global v68 read_only
                    v70: f32 = fma v69, v69, v55
                    v80: i64 = zext v193
                    v82: i64 = mul nuw v80, v7
                    v83: i64 = add nuw v1, v82
                    v84: f32 = load.global v83 read_only
                    v85: f32 = fma v84, v84, v70
                    v204: i32 = const 4
                    v86: i32 = add nuw v89, v204
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

    /// The remainder of a loop that checks its counter, too, is the loop itself: its checks are made there.
    #[test]
    fn a_remainder_with_checks_of_the_counter() {
        let before = "v30: bool = icmp ult v10, v3
            branch v30, block6, block7
            block7:
                panic panic0(v13, v8)
            block6:";
        let mut func =
            crate::ir::parse_function(&sparse(before, "")).unwrap_or_else(|error| panic!("{error}"));
        unroll_small_loops(&mut func);
        let text = func.to_string();
        assert!(!text.contains("guard"), "{text}");
        assert_eq!(text.matches("panic panic0").count(), 2, "{text}");
    }
}
