//! Jump threading: an edge on which the condition of a branch is known goes where the branch goes.
//!
//! A helper that returns an `Option` gives `None` on many ways, and its caller asks for it behind them: the ways that give `None`
//! skip the question, and the value beside it. Where the ways are cheap, both conditions are going to be logic
//! ([`if_convert`](super::if_convert)), which is better than branches: `a && b` is such a condition.
//!
//! Where a warp meets again is another block then, so a branch stays that a collective operation is behind, up to where its sides meet.

use super::if_convert::cost;
use super::promote::promote_locals;
use super::simplify_cfg::simplify_cfg;
use super::unroll::copy::{copy_region, spill_live_out};
use super::unroll::forget_locals;
use super::unroll::trips::evaluate;
use crate::analysis::uniformity::Region;
use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{Block, Function, InstData, Value};

/// Instructions of the block of a branch, of which each way that is known gets a copy.
const MOST_COPIED: usize = 8;
/// Operations between a condition and the parameters of its block.
const MOST_DEPTH: u32 = 4;
/// The cost of the ways to a branch up to which they are left to if-conversion.
const MOST_AS_LOGIC: u32 = 12;
/// Branches of a function that are threaded.
const MOST_BRANCHES: usize = 64;

/// See the head of this file.
pub fn thread_branches(func: &mut Function) {
    let variables = func.locals.len();
    let mut threaded = 0;
    while threaded < MOST_BRANCHES && thread_one(func) {
        threaded += 1;
    }
    if threaded > 0 {
        simplify_cfg(func);
        promote_locals(func);
        forget_locals(func, variables);
    }
}

/// The edges of other blocks to the block of a branch, and the side it takes behind each: its terminator's number of the edge.
type Edges = Vec<(Block, usize, bool)>;

/// Threads one branch; false if there is none.
fn thread_one(func: &mut Function) -> bool {
    let candidates: Vec<Block> =
        func.layout.iter().copied().filter(|&block| may_thread(func, block)).collect();
    if candidates.is_empty() {
        return false;
    }
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let loops = Loops::new(&cfg, &tree);
    let is_header = |block: Block| loops.loops().iter().any(|around| around.header == block);
    let mut region = None;
    for block in candidates {
        let edges = known_edges(func, &cfg, block);
        // The back edge of a loop stays one, and its header the only way into it.
        if edges.is_empty()
            || is_header(block)
            || func.successors(block).any(is_header)
            || is_cheap(func, &cfg, &tree, block)
        {
            continue;
        }
        let region = region.get_or_insert_with(|| Region::new(func));
        if !region.sides(block).is_some_and(|sides| sides.into_iter().all(|side| is_free(func, side))) {
            continue;
        }
        thread(func, block, &edges);
        return true;
    }
    false
}

/// Returns true if a block ends in a branch that is not asked for, and little besides.
fn may_thread(func: &Function, block: Block) -> bool {
    let Some((&last, rest)) = func.blocks[block].insts.split_last() else { return false };
    matches!(func.insts[last], InstData::Branch { hint: None, .. })
        && !func.blocks[block].params.is_empty()
        && rest.len() <= MOST_COPIED
        && rest.iter().all(|&inst| func.insts[inst].is_pure())
}

fn known_edges(func: &Function, cfg: &Cfg, block: Block) -> Edges {
    let mut edges = Edges::new();
    let Some(InstData::Branch { cond, .. }) = func.terminator(block).map(|inst| &func.insts[inst]) else {
        return edges;
    };
    let mut from: Vec<Block> = cfg.predecessors(block).to_vec();
    from.dedup();
    for &from in &from {
        let Some(terminator) = func.terminator(from) else { continue };
        for (number, call) in func.insts[terminator].successors().enumerate() {
            if call.block == block
                && let Some(truth) = known(func, block, &call.args, *cond, MOST_DEPTH)
            {
                edges.push((from, number, truth != 0));
            }
        }
    }
    edges
}

/// A value of a block where its parameters are these, if it is constant then.
fn known(func: &Function, block: Block, args: &[Value], value: Value, depth: u32) -> Option<u64> {
    if let Some(position) = func.blocks[block].params.iter().position(|&param| param == value) {
        return func.constant(args[position]);
    }
    let depth = depth.checked_sub(1)?;
    evaluate(func, func.def(value)?, func.ty(value), |arg| known(func, block, args, arg, depth))
}

/// Returns true if what is computed since the ways to a block parted can be logic.
fn is_cheap(func: &Function, cfg: &Cfg, tree: &DomTree, block: Block) -> bool {
    let Some(parting) = tree.idom(block) else { return true };
    let (mut work, mut seen, mut total) = (cfg.predecessors(block).to_vec(), Vec::new(), 0);
    while let Some(way) = work.pop() {
        if way == parting || seen.contains(&way) {
            continue;
        }
        seen.push(way);
        for &inst in func.blocks[way].insts.iter().filter(|&&inst| !func.insts[inst].is_terminator()) {
            match cost(func, &func.insts[inst], func.results[inst].map(|value| func.ty(value))) {
                Some(cost) => total += cost,
                None => return false,
            }
        }
        work.extend(cfg.predecessors(way));
    }
    total <= MOST_AS_LOGIC
}

/// Returns true if nothing in a block depends on which threads run it together.
fn is_free(func: &Function, block: Block) -> bool {
    func.blocks[block].insts.iter().all(|&inst| {
        let data = &func.insts[inst];
        data.is_pure()
            || data.is_terminator()
            || matches!(data, InstData::Load { .. } | InstData::Store { .. } | InstData::AtomicRmw { .. })
    })
}

/// Lets these edges go to a copy of the block that goes on where the branch does.
fn thread(func: &mut Function, block: Block, edges: &Edges) {
    spill_live_out(func, &[block]);
    for truth in [true, false] {
        if !edges.iter().any(|&(.., known)| known == truth) {
            continue;
        }
        let copy = copy_region(func, &[block])[&block];
        if let Some(terminator) = func.terminator(copy)
            && let InstData::Branch { if_true, if_false, .. } = &func.insts[terminator]
        {
            let target = if truth { if_true } else { if_false }.clone();
            func.insts[terminator] = InstData::Jump { target };
        }
        let at = func.layout.iter().position(|&other| other == block).map_or(0, |at| at + 1);
        func.layout.insert(at, copy);
        for &(from, number, _) in edges.iter().filter(|&&(.., known)| known == truth) {
            if let Some(terminator) = func.terminator(from)
                && let Some(call) = func.insts[terminator].successors_mut().nth(number)
            {
                call.block = copy;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::check;
    use super::*;

    /// An option by three ways, two of which give none, and a question behind it; `work` stands on the third.
    fn ask(work: &str, then: &str, expect: Expect) {
        let text = format!(
            "kernel k(param0 a: bool, param1 b: bool, param2 x: i64 ptr align 4, param3 y: f32) {{
            block0:
                v0: bool = param0
                v1: bool = param1
                v2: i64 = param2
                v3: f32 = param3
                v4: bool = const false
                v5: f32 = const 0
                branch v0, block1(v4, v5), block2
            block2:
                branch v1, block1(v4, v5), block3
            block3:
                {work}
                v8: bool = const true
                jump block1(v8, v7)
            block1(v10: bool, v11: f32):
                v12: f32 = fadd v11, v3
                branch v10, block4, block5
            block4:
                {then}
                store.global v2, v11
                jump block5
            block5:
                store.global v2 + 4, v12
                return
            }}"
        );
        check(thread_branches, &text, expect);
    }

    #[test]
    fn ways_that_are_known() {
        ask(
            "v7: f32 = load.global v2 + 8",
            "",
            expect![[r#"
            kernel k(param0 a: bool, param1 b: bool, param2 x: i64 ptr align 4, param3 y: f32) {
            block0:
                v0: bool = param0
                v1: bool = param1
                v2: i64 = param2
                v3: f32 = param3
                branch v0, block7, block2
            block2:
                branch v1, block7, block3
            block3:
                v7: f32 = load.global v2 + 8
                v22: f32 = fadd v7, v3
                store.global v2, v7
                jump block5(v22)
            block7:
                v30: f32 = const 0.0
                v27: f32 = fadd v30, v3
                jump block5(v27)
            block5(v32: f32):
                store.global v2 + 4, v32
                return
            }
        "#]],
        );
    }

    #[test]
    fn cheap_ways_are_left_to_logic() {
        ask(
            "v7: f32 = fneg v3",
            "",
            expect![[r#"
            kernel k(param0 a: bool, param1 b: bool, param2 x: i64 ptr align 4, param3 y: f32) {
            block0:
                v0: bool = param0
                v1: bool = param1
                v2: i64 = param2
                v3: f32 = param3
                v4: bool = const false
                v5: f32 = const 0.0
                branch v0, block1(v4, v5), block2
            block2:
                branch v1, block1(v4, v5), block3
            block3:
                v7: f32 = fneg v3
                v8: bool = const true
                jump block1(v8, v7)
            block1(v10: bool, v11: f32):
                v12: f32 = fadd v11, v3
                branch v10, block4, block5
            block4:
                store.global v2, v11
                jump block5
            block5:
                store.global v2 + 4, v12
                return
            }
        "#]],
        );
    }

    #[test]
    fn threads_stay_together_for_collectives() {
        ask(
            "v7: f32 = load.global v2 + 8",
            "v13: i32 = active_mask",
            expect![[r#"
            kernel k(param0 a: bool, param1 b: bool, param2 x: i64 ptr align 4, param3 y: f32) {
            block0:
                v0: bool = param0
                v1: bool = param1
                v2: i64 = param2
                v3: f32 = param3
                v4: bool = const false
                v5: f32 = const 0.0
                branch v0, block1(v4, v5), block2
            block2:
                branch v1, block1(v4, v5), block3
            block3:
                v7: f32 = load.global v2 + 8
                v8: bool = const true
                jump block1(v8, v7)
            block1(v10: bool, v11: f32):
                v12: f32 = fadd v11, v3
                branch v10, block4, block5
            block4:
                v13: i32 = active_mask
                store.global v2, v11
                jump block5
            block5:
                store.global v2 + 4, v12
                return
            }
        "#]],
        );
    }
}
