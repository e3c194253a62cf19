//! Software pipelining: the loads of a later iteration before the work of this one.
//!
//! ```text
//! if the first n iterations load {
//!     loads of iterations 0 .. n
//!     while iteration i + n loads { load of iteration i + n; work of iteration i with the values loaded }
//!     work of the n iterations that are left with the values loaded
//! }
//! the loop itself as remainder: where a check fails, or fewer iterations are left
//! ```
//!
//! No load is made that the loop would not make: an iteration's loads are moved only together with the tests and checks before
//! them, so the loop must be counted, and have no other exit. A load is moved if its address follows from the counter, every
//! iteration makes it, no check before it holds the counter against what the loop computes, and nothing in the loop writes to such
//! memory.

use std::collections::HashMap;

use super::super::checks::panics;
use super::copy::{
    Plan, call, close, copy_region, decide_exit, enter_by, insert_before, params_like, redirect,
    spill_live_out,
};
use super::hoist::Appender;
use crate::analysis::{Cfg, DomTree, Loop, Loops};
use crate::ir::{
    Block, Function, Inst, InstData, IntCond, LoopHint, PanicKind, RemarkKind, SourceLoc, Space, Type, Value,
};
use crate::passes::simplify_cfg;

/// A loop whose loads can be made some iterations before they are needed.
#[derive(Clone)]
pub(super) struct Pipeline {
    plan: Plan,
    /// The loads, each with its block.
    loads: Vec<(Block, Inst)>,
    /// A load comes after the test that ends the loop, so an iteration loads only if its own test passes.
    after_test: bool,
}

/// Reasons why a loop cannot be pipelined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPipeline {
    /// It does not count towards a bound.
    NotCounted,
    /// It may end elsewhere.
    OtherExit,
    /// No load is made in every iteration.
    NoLoads,
    /// Nothing is left to load: the loads were dead.
    Unneeded,
    /// Every iteration loads from the same address.
    Same,
    /// It may write the memory that it loads.
    Written,
    /// The address does not follow from the counter.
    NotByCounter,
    /// A check before the load does not follow from the counter.
    Checked,
}

impl Pipeline {
    /// Looks at a loop.
    pub(super) fn new(
        func: &Function,
        cfg: &Cfg,
        tree: &DomTree,
        loops: &Loops,
        index: usize,
        distance: u32,
    ) -> Result<Pipeline, NoPipeline> {
        let around = &loops.loops()[index];
        let plan = Plan::new(func, tree, loops, index).ok_or(NoPipeline::NotCounted)?;
        if !plan.counted.admits(func, u64::from(distance) + 1) {
            return Err(NoPipeline::NotCounted);
        }
        let leaves = |&&block: &&Block| {
            block != plan.counted.exit
                && cfg
                    .successors(block)
                    .iter()
                    .any(|next| !loops.contains(index, *next) && !panics(func, *next))
        };
        if around.blocks.iter().any(|block| leaves(&block)) {
            return Err(NoPipeline::OtherExit);
        }
        let writes = Writes::of(func, around);
        let mut why = if has_loads(func, around) { NoPipeline::NoLoads } else { NoPipeline::Unneeded };
        let mut loads = Vec::new();
        let guards: Vec<Block> =
            around.blocks.iter().copied().filter(|&block| plan.guards_by_data(func, block)).collect();
        for &block in &around.blocks {
            if !around.latches.iter().all(|&latch| tree.dominates(block, latch)) {
                continue;
            }
            // An inner loop's block may run several times in an iteration.
            if loops.innermost(block) != Some(index) {
                continue;
            }
            for &inst in &func.blocks[block].insts {
                let InstData::Load { space, address, read_only, .. } = func.insts[inst] else { continue };
                if !is_shared(space) {
                    continue;
                }
                if !read_only && writes.may_change(space) {
                    why = NoPipeline::Written;
                } else if !plan.inside.follows_from(func, address, &[plan.counted.counter]) {
                    why = if why == NoPipeline::Written { why } else { NoPipeline::NotByCounter };
                } else if plan.inside.is_invariant(func, address) {
                    why = if why == NoPipeline::NoLoads { NoPipeline::Same } else { why };
                } else if guards.iter().any(|&guard| guard != block && tree.dominates(guard, block)) {
                    why = NoPipeline::Checked;
                } else {
                    loads.push((block, inst));
                }
            }
        }
        if loads.is_empty() {
            return Err(why);
        }
        let after_test = loads.iter().any(|&(block, _)| !tree.dominates(block, plan.counted.exit));
        Ok(Pipeline { plan, loads, after_test })
    }

    /// Number of loads of an iteration.
    pub(super) fn load_count(&self) -> u32 {
        self.loads.len() as u32
    }
}

impl Plan {
    /// Returns true if a block ends in a check that is not made beforehand, and may be what keeps an address that follows from the
    /// counter within its slice: any but that of an index which is data.
    fn guards_by_data(&self, func: &Function, block: Block) -> bool {
        let Some(&InstData::Branch { cond, .. }) = func.terminator(block).map(|inst| &func.insts[inst])
        else {
            return false;
        };
        let Some(panics) = func.successors(block).find(|&next| panics(func, next)) else { return false };
        let is_index = func.terminator(panics).is_some_and(|inst| match func.insts[inst] {
            InstData::Panic { site, .. } => func.panics[site].kind == PanicKind::Index,
            _ => false,
        });
        let of_data = match func.def(cond) {
            Some(&InstData::IntCompare { cond: IntCond::ULt, args: [index, _] }) => {
                !self.inside.follows_from(func, index, &[self.counted.counter])
            }
            _ => false,
        };
        !(is_index && of_data || self.checks.iter().any(|check| check.block == block))
    }
}

/// Returns true if a loop loads from memory that other threads see.
fn has_loads(func: &Function, around: &Loop) -> bool {
    let mut insts = around.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(|&inst| matches!(func.insts[inst], InstData::Load { space, .. } if is_shared(space)))
}

fn is_shared(space: Space) -> bool {
    matches!(space, Space::Global | Space::Shared | Space::Generic)
}

/// Refuses a loop that asks to load ahead and loads nothing: before any pass, while dead code is still there.
pub fn refuse_loops_without_loads(func: &mut Function) {
    let place = |func: &Function, block: Block| {
        let asks = matches!(func.blocks[block].hint, Some(LoopHint::Prefetch(_)));
        func.blocks[block].asked.filter(|_| asks)
    };
    if !func.layout.iter().any(|&block| place(func, block).is_some()) {
        return;
    }
    simplify_cfg::remove_unreachable(func);
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    for around in loops.loops() {
        if let Some(asked) = place(func, around.header)
            && !has_loads(func, around)
        {
            func.blocks[around.header].hint = None;
            func.remark(asked, RemarkKind::RefusedLoop(super::refuse::without_pipeline(NoPipeline::NoLoads)));
        }
    }
}

/// Memory that a loop may write to, or let other threads write to.
struct Writes {
    spaces: Vec<Space>,
    /// Others may have written anywhere.
    synchronizes: bool,
}

impl Writes {
    fn of(func: &Function, around: &Loop) -> Writes {
        let mut writes = Writes { spaces: Vec::new(), synchronizes: false };
        for &inst in around.blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
            match &func.insts[inst] {
                InstData::Store { space, .. } => writes.spaces.push(*space),
                InstData::Load { .. } => {}
                data => writes.synchronizes |= !data.is_pure() && !data.is_terminator(),
            }
        }
        writes
    }

    fn may_change(&self, space: Space) -> bool {
        self.synchronizes || self.spaces.iter().any(|other| other.meets(space))
    }
}

/// Makes the loop load so many iterations ahead.
pub(super) fn prefetch(
    func: &mut Function,
    cfg: &Cfg,
    around: &Loop,
    region: &[Block],
    pipeline: &Pipeline,
    distance: u32,
) {
    let header = around.header;
    spill_live_out(func, region);
    let Pipeline { plan, loads, after_test } = pipeline;
    let Plan { counted, inside, .. } = plan;
    let distance = u64::from(distance);
    let types: Vec<Type> =
        loads.iter().filter_map(|&(_, inst)| func.results[inst]).map(|value| func.ty(value)).collect();
    let queue: Vec<Type> = (0..distance).flat_map(|_| types.iter().copied()).collect();
    // The work of one iteration in the loop, and of those that are left.
    let copies: Vec<HashMap<Block, Block>> = (0..=distance).map(|_| copy_region(func, region)).collect();
    let (work, rest) = (&copies[0], &copies[1..]);
    let [before, bound, first, main, steady] = [0; 5].map(|_| func.make_block());
    func.blocks[main].source = func.blocks[header].source;
    enter_by(func, cfg, around, before);
    let starts = params_like(func, header, before, &[]);
    let nows = params_like(func, header, main, &queue);
    let (nows, queue) = nows.split_at(starts.len());
    let (nows, queue) = (nows.to_vec(), queue.to_vec());
    let location = func.terminator(header).map_or(SourceLoc::default(), |inst| func.locations[inst]);
    let mut out = Appender { func, inside, location };

    // Number of iterations that must go on after the current one, for the last of the first loads, and for one more.
    let more = if *after_test { distance } else { distance - 1 };
    let mut conds: Vec<Value> = counted.exists(&mut out, before, more).into_iter().collect();
    conds.extend(plan.invariant_checks(&mut out, before));
    out.branch(before, &conds, call(bound, &[]), call(header, &starts));
    let start = starts[counted.position];
    let mut conds = Vec::new();
    if more > 0 {
        let last = counted.bound(&mut out, bound, more - 1);
        conds.push(counted.goes_on(&mut out, bound, last, start));
    }
    let rounds: Vec<u64> = (0..distance).collect();
    conds.extend(plan.checks_of(&mut out, bound, start, (&rounds, *after_test)));
    let last = counted.bound(&mut out, bound, more);
    out.branch(bound, &conds, call(first, &[]), call(header, &starts));
    let mut args = starts.clone();
    for round in 0..distance {
        let now = counted.later(&mut out, first, start, round);
        args.extend(load(&mut out, first, pipeline, now));
    }
    out.effect(first, InstData::Jump { target: call(main, &args) });

    let now = nows[counted.position];
    let mut conds = vec![counted.goes_on(&mut out, main, last, now)];
    conds.extend(plan.checks_of(&mut out, main, now, (&[distance], *after_test)));
    out.branch(main, &conds, call(steady, &[]), call(rest[0][&header], &nows));
    let later = counted.later(&mut out, steady, now, distance);
    let loaded = load(&mut out, steady, pipeline, later);
    out.effect(steady, InstData::Jump { target: call(work[&header], &nows) });

    for copy in &copies {
        plan.decide_checks(func, copy);
    }
    decide_exit(func, around, work, counted.exit, false);
    for (round, copy) in rest.iter().enumerate() {
        // The last iteration may not go on, unless that is tested before its loads.
        if *after_test || round + 1 < rest.len() {
            decide_exit(func, around, copy, counted.exit, false);
        }
    }
    close(func, around, rest, header);
    let next: Vec<Value> = queue.iter().skip(types.len()).copied().chain(loaded).collect();
    for latch in &around.latches {
        redirect(func, work[latch], work[&header], main);
        pass_on(func, work[latch], main, &next);
    }
    func.blocks[work[&header]].hint = None;
    // Iterations in the order of their loads.
    let turns = std::iter::once(work).zip([0]).chain(rest.iter().zip(0..));
    for (copy, round) in turns {
        for (&(block, inst), &value) in loads.iter().zip(&queue[round * types.len()..]) {
            take(func, region, copy, (block, inst), value);
        }
    }
    for block in [header, main] {
        func.blocks[block].hint = Some(LoopHint::Never);
    }
    insert_before(func, region, &[before, bound, first, main, steady], &copies);
}

/// The loads of the iteration whose counter is this.
fn load(out: &mut Appender<'_>, block: Block, pipeline: &Pipeline, now: Value) -> Vec<Value> {
    let mut known = HashMap::from([(pipeline.plan.counted.counter, now)]);
    let mut values = Vec::new();
    for &(_, inst) in &pipeline.loads {
        let mut data = out.func.insts[inst].clone();
        data.map_args(|arg| out.again(block, arg, &mut known));
        let ty = out.func.results[inst].map(|value| out.func.ty(value));
        let location = out.func.locations[inst];
        let made = out.func.make_inst(data, ty, location);
        out.func.blocks[block].insts.push(made);
        values.extend(out.func.results[made]);
    }
    values
}

/// Passes more arguments to a block.
fn pass_on(func: &mut Function, from: Block, to: Block, more: &[Value]) {
    if let Some(terminator) = func.terminator(from) {
        for call in func.insts[terminator].successors_mut().filter(|call| call.block == to) {
            call.args.extend_from_slice(more);
        }
    }
}

/// Replaces the load of a copy by a value.
fn take(
    func: &mut Function,
    region: &[Block],
    copy: &HashMap<Block, Block>,
    (block, inst): (Block, Inst),
    value: Value,
) {
    // Copies keep the order of instructions, and nothing was added to this block.
    let Some(position) = func.blocks[block].insts.iter().position(|&other| other == inst) else { return };
    let copied = func.blocks[copy[&block]].insts[position];
    let Some(old) = func.results[copied] else { return };
    for &block in region {
        for index in 0..func.blocks[copy[&block]].insts.len() {
            let inst = func.blocks[copy[&block]].insts[index];
            func.insts[inst].map_args(|arg| if arg == old { value } else { arg });
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::passes::check;
    use crate::passes::unroll::unroll_loops;

    #[test]
    fn two_rounds_ahead() {
        check(
            unroll_loops,
            "kernel k(param0 p: i64 ptr align 4, param1 n: i64, param2 len: i64) {
                panic0 index
            block0:
                v0: i64 = param0
                v2: i64 = param1
                v4: i64 = param2
                v6: i64 = const 0
                v7: f32 = const 0.0
                v8: i64 = const 4
                v9: i64 = const 1
                jump block1(v6, v7)
            block1(v10: i64, v11: f32) prefetch 2 @0:3:5:
                v12: bool = icmp ult v10, v2
                branch v12, block2, block5
            block2:
                v13: bool = icmp ult v10, v4
                branch v13, block3, block4
            block4:
                panic panic0(v10, v4)
            block3:
                v14: i64 = mul nuw v10, v8
                v15: i64 = add nuw v0, v14
                v16: f32 = load.global v15
                v17: f32 = fma v11, v11, v16
                v18: i64 = add nuw v10, v9
                jump block1(v18, v17)
            block5:
                store.global v0, v11
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i64, param2 len: i64) {
                    panic0 index
                block0:
                    v0: i64 = param0
                    v2: i64 = param1
                    v4: i64 = param2
                    v6: i64 = const 0
                    v7: f32 = const 0.0
                    v8: i64 = const 4
                    v9: i64 = const 1
                    v58: i64 = const 2
                    v59: bool = icmp ugt v2, v58
                    branch v59, block19, block1(v6, v7)
                block19:
                    v61: i64 = sub nuw v2, v9
                    v62: bool = icmp ne v61, v6
                    v65: bool = icmp ugt v4, v9
                    v67: i64 = sub nuw v2, v58
                    v68: bool = and v62, v65
                    branch v68, block20, block1(v6, v7)
                block20:
                    v71: f32 = load.global v0
                    v75: i64 = add v0, v8
                    v76: f32 = load.global v75
                    jump block21(v6, v7, v71, v76)
                block21(v54: i64, v55: f32, v56: f32, v57: f32) nounroll:
                    v77: bool = icmp ult v54, v67
                    v79: i64 = add v54, v58
                    v80: bool = icmp ult v79, v4
                    v81: bool = and v77, v80
                    branch v81, block22, block10
                block22:
                    v84: i64 = mul v79, v8
                    v85: i64 = add v0, v84
                    v86: f32 = load.global v85
                    v30: f32 = fma v55, v55, v56
                    v31: i64 = add nuw v54, v9
                    jump block21(v31, v30, v57, v86)
                block10:
                    v40: f32 = fma v55, v55, v56
                    v50: f32 = fma v40, v40, v57
                    jump block1(v79, v50)
                block1(v10: i64, v11: f32) nounroll @0:3:5:
                    v12: bool = icmp ult v10, v2
                    branch v12, block2, block5
                block2:
                    v13: bool = icmp ult v10, v4
                    branch v13, block3, block4
                block4:
                    panic panic0(v10, v4)
                block3:
                    v14: i64 = mul nuw v10, v8
                    v15: i64 = add nuw v0, v14
                    v16: f32 = load.global v15
                    v17: f32 = fma v11, v11, v16
                    v18: i64 = add nuw v10, v9
                    jump block1(v18, v17)
                block5:
                    store.global v0, v11
                    return
                }
            "#]],
        );
    }
}
