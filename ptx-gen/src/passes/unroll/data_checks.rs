//! Bounds checks of data, in loops that are unrolled: `x[columns[j]]`.
//!
//! The index is loaded in the iteration that checks it, so the check of one iteration stands before the loads of the next. An
//! unrolled iteration loads the index data of all its iterations first and tests all of them at once; then it runs without the
//! checks, on the values that were loaded and tested. If a check would fail, nothing but loads was done so far: the original
//! loop runs from there, loads again, and panics at the same element after the same effects.
//!
//! Checks of what is computed otherwise, of an index that `fetch_add` gives, stay where they are: earlier iterations have had all of their
//! effects by then.
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
pub(in crate::passes) struct Induction {
    pub(in crate::passes) position: usize,
    pub(in crate::passes) param: Value,
    pub(in crate::passes) step: Value,
    pub(in crate::passes) descends: bool,
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
    /// The checks of a loop beside `known` that can be made early; none if there are none.
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
        // Others, of what an atomic operation gives, stay where they are.
        let checks: Vec<Check> = checked.into_iter().filter_map(check).collect();
        if checks.is_empty() {
            return None;
        }
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
pub(in crate::passes) fn inductions(
    func: &Function,
    around: &Loop,
    inside: &Inside,
    latch: Block,
) -> Vec<Induction> {
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
                    v331: i32 = const 7
                    v332: bool = icmp ugt v2, v331
                    branch v332, block39, block69(v4, v5)
                block69(v256: i32, v257: f32):
                    v260: bool = icmp ult v256, v2
                    branch v260, block70, block1(v256, v257)
                block70:
                    v262: i32 = add v256, v6
                    v263: bool = icmp ult v262, v2
                    v264: i32 = const 2
                    v265: i32 = add v256, v264
                    v266: bool = icmp ult v265, v2
                    v267: bool = and v263, v266
                    v268: i32 = const 3
                    v269: i32 = add v256, v268
                    v270: bool = icmp ult v269, v2
                    v271: bool = and v267, v270
                    v272: i32 = const 4
                    v273: i32 = add v256, v272
                    v274: bool = icmp ult v273, v2
                    v275: bool = and v271, v274
                    v276: i32 = const 5
                    v277: i32 = add v256, v276
                    v278: bool = icmp ult v277, v2
                    v279: bool = and v275, v278
                    v280: i32 = const 6
                    v281: i32 = add v256, v280
                    v282: bool = icmp ult v281, v2
                    v283: bool = and v279, v282
                    v284: i64 = zext v256
                    v285: i64 = mul v284, v7
                    v286: i64 = add v0, v285
                    v287: i32 = load.global v286 read_only
                    v288: bool = icmp ult v287, v3
                    v290: i64 = zext v262
                    v291: i64 = mul v290, v7
                    v292: i64 = add v0, v291
                    v293: i32 = guard v263 load.global v292 read_only
                    v294: bool = icmp ult v293, v3
                    v296: i64 = zext v265
                    v297: i64 = mul v296, v7
                    v298: i64 = add v0, v297
                    v299: i32 = guard v267 load.global v298 read_only
                    v300: bool = icmp ult v299, v3
                    v302: i64 = zext v269
                    v303: i64 = mul v302, v7
                    v304: i64 = add v0, v303
                    v305: i32 = guard v271 load.global v304 read_only
                    v306: bool = icmp ult v305, v3
                    v308: i64 = zext v273
                    v309: i64 = mul v308, v7
                    v310: i64 = add v0, v309
                    v311: i32 = guard v275 load.global v310 read_only
                    v312: bool = icmp ult v311, v3
                    v314: i64 = zext v277
                    v315: i64 = mul v314, v7
                    v316: i64 = add v0, v315
                    v317: i32 = guard v279 load.global v316 read_only
                    v318: bool = icmp ult v317, v3
                    v320: i64 = zext v281
                    v321: i64 = mul v320, v7
                    v322: i64 = add v0, v321
                    v323: i32 = guard v283 load.global v322 read_only
                    v324: bool = icmp ult v323, v3
                    v325: bool = and v288, v294
                    v326: bool = and v325, v300
                    v327: bool = and v326, v306
                    v328: bool = and v327, v312
                    v329: bool = and v328, v318
                    v330: bool = and v329, v324
                    branch v330, block41, block1(v256, v257)
                block41:
                    v159: i64 = zext v287
                    v161: i64 = mul nuw v159, v7
                    v162: i64 = add nuw v1, v161
                    v163: f32 = load.global v162 read_only
                    v164: f32 = fma v163, v163, v257
                    v174: i64 = zext v293
                    v176: i64 = mul v174, v7
                    v177: i64 = add v1, v176
                    v178: f32 = guard v263 load.global v177 read_only
                    v179: f32 = fma v178, v178, v164
                    v189: i64 = zext v299
                    v191: i64 = mul v189, v7
                    v192: i64 = add v1, v191
                    v436: bool = and v263, v266
                    v193: f32 = guard v436 load.global v192 read_only
                    v194: f32 = fma v193, v193, v179
                    v204: i64 = zext v305
                    v206: i64 = mul v204, v7
                    v207: i64 = add v1, v206
                    v430: bool = and v266, v270
                    v437: bool = and v263, v430
                    v208: f32 = guard v437 load.global v207 read_only
                    v209: f32 = fma v208, v208, v194
                    v219: i64 = zext v311
                    v221: i64 = mul v219, v7
                    v222: i64 = add v1, v221
                    v425: bool = and v270, v274
                    v431: bool = and v266, v425
                    v438: bool = and v263, v431
                    v223: f32 = guard v438 load.global v222 read_only
                    v224: f32 = fma v223, v223, v209
                    v234: i64 = zext v317
                    v236: i64 = mul v234, v7
                    v237: i64 = add v1, v236
                    v421: bool = and v274, v278
                    v426: bool = and v270, v421
                    v432: bool = and v266, v426
                    v439: bool = and v263, v432
                    v238: f32 = guard v439 load.global v237 read_only
                    v239: f32 = fma v238, v238, v224
                    v249: i64 = zext v323
                    v251: i64 = mul v249, v7
                    v252: i64 = add v1, v251
                    v418: bool = and v278, v282
                    v422: bool = and v274, v418
                    v427: bool = and v270, v422
                    v433: bool = and v266, v427
                    v440: bool = and v263, v433
                    v253: f32 = guard v440 load.global v252 read_only
                    v254: f32 = fma v253, v253, v239
                    v255: i32 = add v256, v331
                    v416: i32 = select v282, v255, v281
                    v417: f32 = select v282, v254, v239
                    v419: i32 = select v278, v416, v277
                    v420: f32 = select v278, v417, v224
                    v423: i32 = select v274, v419, v273
                    v424: f32 = select v274, v420, v209
                    v428: i32 = select v270, v423, v269
                    v429: f32 = select v270, v424, v194
                    v434: i32 = select v266, v428, v265
                    v435: f32 = select v266, v429, v179
                    v441: i32 = select v263, v434, v262
                    v442: f32 = select v263, v435, v164
                    jump block1(v441, v442)
                block39:
                    v334: i32 = sub nuw v2, v331
                    jump block40(v4, v5)
                block40(v149: i32, v150: f32):
                    v335: bool = icmp ult v149, v334
                    branch v335, block71, block69(v149, v150)
                block71:
                    v336: i64 = zext v149
                    v337: i64 = mul v336, v7
                    v338: i64 = add v0, v337
                    v339: i32 = load.global v338 read_only
                    v340: bool = icmp ult v339, v3
                    v341: i32 = add nuw v149, v6
                    v342: i64 = zext v341
                    v343: i64 = mul v342, v7
                    v344: i64 = add v0, v343
                    v345: i32 = load.global v344 read_only
                    v346: bool = icmp ult v345, v3
                    v392: i32 = const 2
                    v347: i32 = add nuw v149, v392
                    v348: i64 = zext v347
                    v349: i64 = mul v348, v7
                    v350: i64 = add v0, v349
                    v351: i32 = load.global v350 read_only
                    v352: bool = icmp ult v351, v3
                    v393: i32 = const 3
                    v353: i32 = add nuw v149, v393
                    v354: i64 = zext v353
                    v355: i64 = mul v354, v7
                    v356: i64 = add v0, v355
                    v357: i32 = load.global v356 read_only
                    v358: bool = icmp ult v357, v3
                    v394: i32 = const 4
                    v359: i32 = add nuw v149, v394
                    v360: i64 = zext v359
                    v361: i64 = mul v360, v7
                    v362: i64 = add v0, v361
                    v363: i32 = load.global v362 read_only
                    v364: bool = icmp ult v363, v3
                    v395: i32 = const 5
                    v365: i32 = add nuw v149, v395
                    v366: i64 = zext v365
                    v367: i64 = mul v366, v7
                    v368: i64 = add v0, v367
                    v369: i32 = load.global v368 read_only
                    v370: bool = icmp ult v369, v3
                    v396: i32 = const 6
                    v371: i32 = add nuw v149, v396
                    v372: i64 = zext v371
                    v373: i64 = mul v372, v7
                    v374: i64 = add v0, v373
                    v375: i32 = load.global v374 read_only
                    v376: bool = icmp ult v375, v3
                    v377: i32 = add nuw v149, v331
                    v378: i64 = zext v377
                    v379: i64 = mul v378, v7
                    v380: i64 = add v0, v379
                    v381: i32 = load.global v380 read_only
                    v382: bool = icmp ult v381, v3
                    v383: bool = and v340, v346
                    v384: bool = and v383, v352
                    v385: bool = and v384, v358
                    v386: bool = and v385, v364
                    v387: bool = and v386, v370
                    v388: bool = and v387, v376
                    v389: bool = and v388, v382
                    branch v389, block6, block1(v149, v150)
                block6:
                    v35: i64 = zext v339
                    v37: i64 = mul nuw v35, v7
                    v38: i64 = add nuw v1, v37
                    v39: f32 = load.global v38 read_only
                    v40: f32 = fma v39, v39, v150
                    v50: i64 = zext v345
                    v52: i64 = mul nuw v50, v7
                    v53: i64 = add nuw v1, v52
                    v54: f32 = load.global v53 read_only
                    v55: f32 = fma v54, v54, v40
                    v65: i64 = zext v351
                    v67: i64 = mul nuw v65, v7
                    v68: i64 = add nuw v1, v67
                    v69: f32 = load.global v68 read_only
                    v70: f32 = fma v69, v69, v55
                    v80: i64 = zext v357
                    v82: i64 = mul nuw v80, v7
                    v83: i64 = add nuw v1, v82
                    v84: f32 = load.global v83 read_only
                    v85: f32 = fma v84, v84, v70
                    v95: i64 = zext v363
                    v97: i64 = mul nuw v95, v7
                    v98: i64 = add nuw v1, v97
                    v99: f32 = load.global v98 read_only
                    v100: f32 = fma v99, v99, v85
                    v110: i64 = zext v369
                    v112: i64 = mul nuw v110, v7
                    v113: i64 = add nuw v1, v112
                    v114: f32 = load.global v113 read_only
                    v115: f32 = fma v114, v114, v100
                    v125: i64 = zext v375
                    v127: i64 = mul nuw v125, v7
                    v128: i64 = add nuw v1, v127
                    v129: f32 = load.global v128 read_only
                    v130: f32 = fma v129, v129, v115
                    v140: i64 = zext v381
                    v142: i64 = mul nuw v140, v7
                    v143: i64 = add nuw v1, v142
                    v144: f32 = load.global v143 read_only
                    v145: f32 = fma v144, v144, v130
                    v404: i32 = const 8
                    v146: i32 = add nuw v149, v404
                    jump block40(v146, v145)
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
        // The second index may be loaded only once the first was checked: it is checked where it is loaded.
        check(
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
                    v183: i32 = const 3
                    v184: bool = icmp ugt v2, v183
                    branch v184, block33, block53(v4, v5)
                block53(v152: i32, v153: f32):
                    v156: bool = icmp ult v152, v2
                    branch v156, block54, block1(v152, v153)
                block54:
                    v158: i32 = add v152, v6
                    v159: bool = icmp ult v158, v2
                    v160: i32 = const 2
                    v161: i32 = add v152, v160
                    v162: bool = icmp ult v161, v2
                    v163: bool = and v159, v162
                    v164: i64 = zext v152
                    v165: i64 = mul v164, v7
                    v166: i64 = add v0, v165
                    v167: i32 = load.global v166 read_only
                    v168: bool = icmp ult v167, v3
                    v170: i64 = zext v158
                    v171: i64 = mul v170, v7
                    v172: i64 = add v0, v171
                    v173: i32 = guard v159 load.global v172 read_only
                    v174: bool = icmp ult v173, v3
                    v176: i64 = zext v161
                    v177: i64 = mul v176, v7
                    v178: i64 = add v0, v177
                    v179: i32 = guard v163 load.global v178 read_only
                    v180: bool = icmp ult v179, v3
                    v181: bool = and v168, v174
                    v182: bool = and v181, v180
                    branch v182, block35, block1(v152, v153)
                block35:
                    v109: i64 = zext v167
                    v111: i64 = mul nuw v109, v7
                    v112: i64 = add nuw v1, v111
                    v113: f32 = load.global v112 read_only
                    v114: i32 = load.global v166 + 4 read_only
                    v115: bool = icmp ult v114, v3
                    branch v115, block38, block40
                block38:
                    v116: f32 = fma v113, v113, v153
                    branch v159, block42, block1(v158, v116)
                block40:
                    panic panic0(v109, v8)
                block42:
                    v126: i64 = zext v173
                    v128: i64 = mul nuw v126, v7
                    v129: i64 = add nuw v1, v128
                    v130: f32 = load.global v129 read_only
                    v131: i32 = load.global v172 + 4 read_only
                    v132: bool = icmp ult v131, v3
                    branch v132, block44, block46
                block44:
                    v133: f32 = fma v130, v130, v116
                    branch v162, block48, block1(v161, v133)
                block46:
                    panic panic0(v126, v8)
                block48:
                    v143: i64 = zext v179
                    v145: i64 = mul nuw v143, v7
                    v146: i64 = add nuw v1, v145
                    v147: f32 = load.global v146 read_only
                    v148: i32 = load.global v178 + 4 read_only
                    v149: bool = icmp ult v148, v3
                    branch v149, block50, block52
                block50:
                    v150: f32 = fma v147, v147, v133
                    v151: i32 = add nuw v152, v183
                    jump block1(v151, v150)
                block52:
                    panic panic0(v143, v8)
                block33:
                    v186: i32 = sub nuw v2, v183
                    jump block34(v4, v5)
                block34(v99: i32, v100: f32):
                    v187: bool = icmp ult v99, v186
                    branch v187, block55, block53(v99, v100)
                block55:
                    v188: i64 = zext v99
                    v189: i64 = mul v188, v7
                    v190: i64 = add v0, v189
                    v191: i32 = load.global v190 read_only
                    v192: bool = icmp ult v191, v3
                    v193: i32 = add nuw v99, v6
                    v194: i64 = zext v193
                    v195: i64 = mul v194, v7
                    v196: i64 = add v0, v195
                    v197: i32 = load.global v196 read_only
                    v198: bool = icmp ult v197, v3
                    v216: i32 = const 2
                    v199: i32 = add nuw v99, v216
                    v200: i64 = zext v199
                    v201: i64 = mul v200, v7
                    v202: i64 = add v0, v201
                    v203: i32 = load.global v202 read_only
                    v204: bool = icmp ult v203, v3
                    v205: i32 = add nuw v99, v183
                    v206: i64 = zext v205
                    v207: i64 = mul v206, v7
                    v208: i64 = add v0, v207
                    v209: i32 = load.global v208 read_only
                    v210: bool = icmp ult v209, v3
                    v211: bool = and v192, v198
                    v212: bool = and v211, v204
                    v213: bool = and v212, v210
                    branch v213, block8, block1(v99, v100)
                block8:
                    v37: i64 = zext v191
                    v39: i64 = mul nuw v37, v7
                    v40: i64 = add nuw v1, v39
                    v41: f32 = load.global v40 read_only
                    v42: i32 = load.global v190 + 4 read_only
                    v43: bool = icmp ult v42, v3
                    branch v43, block11, block13
                block11:
                    v44: f32 = fma v41, v41, v100
                    v54: i64 = zext v197
                    v56: i64 = mul nuw v54, v7
                    v57: i64 = add nuw v1, v56
                    v58: f32 = load.global v57 read_only
                    v59: i32 = load.global v196 + 4 read_only
                    v60: bool = icmp ult v59, v3
                    branch v60, block17, block19
                block13:
                    panic panic0(v37, v8)
                block17:
                    v61: f32 = fma v58, v58, v44
                    v71: i64 = zext v203
                    v73: i64 = mul nuw v71, v7
                    v74: i64 = add nuw v1, v73
                    v75: f32 = load.global v74 read_only
                    v76: i32 = load.global v202 + 4 read_only
                    v77: bool = icmp ult v76, v3
                    branch v77, block23, block25
                block19:
                    panic panic0(v54, v8)
                block23:
                    v78: f32 = fma v75, v75, v61
                    v88: i64 = zext v209
                    v90: i64 = mul nuw v88, v7
                    v91: i64 = add nuw v1, v90
                    v92: f32 = load.global v91 read_only
                    v93: i32 = load.global v208 + 4 read_only
                    v94: bool = icmp ult v93, v3
                    branch v94, block29, block31
                block25:
                    panic panic0(v71, v8)
                block29:
                    v95: f32 = fma v92, v92, v78
                    v220: i32 = const 4
                    v96: i32 = add nuw v99, v220
                    jump block34(v96, v95)
                block31:
                    panic panic0(v88, v8)
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
                    v24: i32 = load.global v15 + 4 read_only
                    v25: bool = icmp ult v24, v3
                    branch v25, block6, block7
                block7:
                    panic panic0(v18, v8)
                block6:
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
