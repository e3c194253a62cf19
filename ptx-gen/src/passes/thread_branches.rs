//! Jump threading: an edge on which the condition of a branch or of choices is known goes where the branch goes, or takes what is chosen.
//!
//! A helper that returns an `Option` gives `None` on many ways, and its caller asks for it behind them: the ways that give `None`
//! skip the question, and the values beside it. Where the caller's answer is cheap, the question is a few choices by then, and stands at
//! the start of the block where the ways meet. A branch on what another one decided before is known too: `if valid { … }` twice in a row is one
//! branch, and what both load is under way together.
//!
//! The block where a warp meets again is another one then, so a branch stays that a collective operation is behind, up to where its sides meet.
//! And a way stays in its loop: from one that left a loop of chained iterators in its middle, ptxas 13.0 made wrong code for sm_90. Where the
//! ways out of a loop meet the lanes of a warp do, which leave it in different iterations: `if hit { … }` behind a search is for all of them at
//! once, unless something about what is given has to be known.

use super::gvn::canonical;
use super::promote::promote_locals;
use super::simplify_cfg::simplify_cfg;
use super::unroll::copy::{copy_region, spill_live_out};
use super::unroll::forget_locals;
use super::unroll::trips::evaluate;
use crate::analysis::uniformity::Region;
use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{Block, BlockCall, EntityMap, Function, InstData, SourceLoc, Type, Value};

/// Instructions of the block of a branch, of which each way that is known gets a copy.
const MOST_COPIED: usize = 8;
/// Operations between a condition and the parameters of its block.
const MOST_DEPTH: u32 = 4;
/// Blocks that are looked at for a branch before an edge.
const MOST_DECIDED: usize = 4;
/// Branches and groups of choices of a function that are threaded.
const MOST_BRANCHES: usize = 64;

/// See the head of this file.
pub fn thread_branches(func: &mut Function) {
    thread(func, Which::All);
}

/// Threads the branches that are known on every edge, as those behind what gives an `Option`: what is given is known there, a length of a part among it.
pub fn thread_known_branches(func: &mut Function) {
    thread(func, Which::Known);
}

/// The branches that are threaded.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    All,
    /// Those of which all edges are known.
    Known,
}

fn thread(func: &mut Function, which: Which) {
    let variables = func.locals.len();
    let mut threaded = 0;
    while threaded < MOST_BRANCHES
        && let Some(edges) = thread_one(func, which)
    {
        threaded += 1;
        // A block that nothing goes to, as the entry, would be taken again.
        if edges == 0 {
            break;
        }
    }
    if threaded > 0 {
        simplify_cfg(func);
        promote_locals(func);
        forget_locals(func, variables);
    }
}

/// The edges of other blocks to the block of a branch, and the side it takes behind each: its terminator's number of the edge.
type Edges = Vec<(Block, usize, bool)>;

/// Threads one branch, or the choices at the start of a block. Returns the number of edges; `None` if there is no such branch.
fn thread_one(func: &mut Function, which: Which) -> Option<usize> {
    let has_choices = |block: Block| which == Which::All && choices(func, block).is_some();
    let is_candidate = |block: Block| may_thread(func, block) || has_choices(block);
    let candidates: Vec<Block> = func.layout.iter().copied().filter(|&block| is_candidate(block)).collect();
    if candidates.is_empty() {
        return None;
    }
    let cfg = Cfg::new(func);
    let is_known = |&block: &Block| which == Which::All || all_edges_known(func, &cfg, block);
    // Most functions have none: then nothing else is asked of them.
    let candidates: Vec<Block> = candidates.into_iter().filter(is_known).collect();
    if candidates.is_empty() {
        return None;
    }
    let tree = DomTree::new(&cfg);
    let loops = Loops::new(&cfg, &tree);
    let mut is_header = EntityMap::<Block, bool>::filled(func.blocks.len(), false);
    loops.loops().iter().for_each(|around| is_header[around.header] = true);
    let is_header = |block: Block| is_header[block];
    let mut region = None;
    // The back edge of a loop stays one, and its header the only way into it.
    for block in candidates.into_iter().filter(|&block| !is_header(block)) {
        let is_inside = |other: Block| loops.innermost(other) == loops.innermost(block);
        let is_end_of_loop = || {
            let before = tree.idom(block).and_then(|before| loops.innermost(before));
            before.is_some_and(|index| !loops.contains(index, block))
        };
        if may_thread(func, block)
            && !func.successors(block).any(is_header)
            && !(which == Which::All && is_end_of_loop())
        {
            let decided = (which == Which::All).then_some(&tree);
            let mut edges = known_edges(func, &cfg, decided, block, None);
            let side = |truth: bool| func.successors(block).nth(usize::from(!truth));
            edges.retain(|&(from, _, truth)| is_inside(from) && side(truth).is_some_and(is_inside));
            let takes = match which {
                Which::All => !edges.is_empty(),
                Which::Known => edges.len() == cfg.predecessors(block).len(),
            };
            if takes {
                let region = region.get_or_insert_with(|| Region::new(func));
                if keeps_warps(func, &cfg, region, block, &edges) {
                    thread_edges(func, block, &edges, None);
                    return Some(edges.len());
                }
            }
        }
        if which == Which::All
            && let Some((cond, count)) = choices(func, block)
        {
            let mut edges = known_edges(func, &cfg, None, block, Some(cond));
            edges.retain(|&(from, ..)| is_inside(from));
            if !edges.is_empty() {
                split_block(func, block, count);
                thread_edges(func, block, &edges, Some(cond));
                return Some(edges.len());
            }
        }
    }
    None
}

/// Returns true if the condition of a block's branch is known on all edges there.
fn all_edges_known(func: &Function, cfg: &Cfg, block: Block) -> bool {
    known_edges(func, cfg, None, block, None).len() == cfg.predecessors(block).len()
}

/// Returns true if a block ends in a branch that is not asked for, and little besides.
fn may_thread(func: &Function, block: Block) -> bool {
    let Some((&last, rest)) = func.blocks[block].insts.split_last() else { return false };
    matches!(func.insts[last], InstData::Branch { hint: None, .. })
        && rest.len() <= MOST_COPIED
        && rest.iter().all(|&inst| func.insts[inst].is_pure())
}

/// The parameter of a block by which the first choices in it choose, and the number of instructions up to the last of them.
fn choices(func: &Function, block: Block) -> Option<(Value, usize)> {
    let params = &func.blocks[block].params;
    let (mut found, mut copied) = (None, 0);
    for (index, &inst) in func.blocks[block].insts.iter().enumerate() {
        copied += usize::from(!matches!(func.insts[inst], InstData::Const { .. }));
        if !func.insts[inst].is_pure() || copied > MOST_COPIED {
            break;
        }
        if let InstData::Select { cond, .. } = func.insts[inst]
            && params.contains(&cond)
            && found.is_none_or(|(known, _)| known == cond)
        {
            found = Some((cond, index + 1));
        }
    }
    found
}

/// Ends a block after so many instructions, and lets another one go on.
fn split_block(func: &mut Function, block: Block, count: usize) {
    let rest = func.make_block();
    func.blocks[rest].insts = func.blocks[block].insts.split_off(count);
    let target = BlockCall { block: rest, args: Vec::new() };
    let location = func.blocks[rest].insts.first().map_or(SourceLoc::default(), |&inst| func.locations[inst]);
    let jump = func.make_inst(InstData::Jump { target }, None, location);
    func.blocks[block].insts.push(jump);
    let at = func.layout.iter().position(|&other| other == block).map_or(0, |at| at + 1);
    func.layout.insert(at, rest);
}

/// The edges on which the condition of a block's branch, or this one, is known; by branches before, too, given the tree of dominators.
fn known_edges(
    func: &Function,
    cfg: &Cfg,
    tree: Option<&DomTree>,
    block: Block,
    cond: Option<Value>,
) -> Edges {
    let mut edges = Edges::new();
    let cond = cond.or_else(|| match func.insts[func.terminator(block)?] {
        InstData::Branch { cond, .. } => Some(cond),
        _ => None,
    });
    let Some(cond) = cond else { return edges };
    let mut from: Vec<Block> = cfg.predecessors(block).to_vec();
    from.dedup();
    for &from in &from {
        let Some(terminator) = func.terminator(from) else { continue };
        for (number, call) in func.insts[terminator].successors().enumerate() {
            if call.block != block {
                continue;
            }
            let known = known(func, block, &call.args, cond, MOST_DEPTH).map(|truth| truth != 0);
            let decided = || decided(func, cfg, tree?, (from, number), cond);
            edges.extend(known.or_else(decided).map(|truth| (from, number, truth)));
        }
    }
    edges
}

/// The side that a branch on this condition took on every way to an edge.
fn decided(
    func: &Function,
    cfg: &Cfg,
    tree: &DomTree,
    (from, number): (Block, usize),
    cond: Value,
) -> Option<bool> {
    let (mut block, mut next) = (from, None);
    for _ in 0..MOST_DECIDED {
        if let InstData::Branch { cond: other, if_true, if_false, .. } =
            &func.insts[func.terminator(block)?]
            && let Some(is_same) = compare_conditions(func, *other, cond)
            && if_true.block != if_false.block
        {
            match next {
                None => return Some((number == 0) == is_same),
                Some(next) if cfg.predecessors(next) == [block] => {
                    return Some((if_true.block == next) == is_same);
                }
                Some(_) => return None,
            }
        }
        (block, next) = (tree.idom(block)?, Some(block));
    }
    None
}

/// `true` for the same condition, also as two comparisons of the same numbers, `false` for its opposite.
fn compare_conditions(func: &Function, a: Value, b: Value) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    let (Some(a @ &InstData::IntCompare { cond, args }), Some(b @ InstData::IntCompare { .. })) =
        (func.def(a), func.def(b))
    else {
        return None;
    };
    let inverse = InstData::IntCompare { cond: cond.inverse(), args };
    let b = canonical(b);
    if canonical(a) == b { Some(true) } else { (canonical(&inverse) == b).then_some(false) }
}

/// A value of a block where its parameters are these, if it is constant then.
fn known(func: &Function, block: Block, args: &[Value], value: Value, depth: u32) -> Option<u64> {
    if let Some(position) = func.blocks[block].params.iter().position(|&param| param == value) {
        return func.constant(args[position]);
    }
    let depth = depth.checked_sub(1)?;
    evaluate(func, func.def(value)?, func.ty(value), |arg| known(func, block, args, arg, depth))
}

/// Returns true if threads that ran together behind a branch do so when these edges are threaded, where it matters: in front of a collective operation.
///
/// Those of a side come by one edge then, if all edges are known and one alone goes there.
fn keeps_warps(func: &Function, cfg: &Cfg, region: &Region, block: Block, edges: &Edges) -> bool {
    let edges_in: usize = cfg.predecessors(block).len();
    [true, false].into_iter().zip(func.successors(block)).all(|(truth, side)| {
        let count = edges.iter().filter(|&&(.., known)| known == truth).count();
        edges.len() == edges_in && count <= 1
            || region.side(block, side).into_iter().all(|block| is_free(func, block))
    })
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

/// Lets these edges go to a copy of the block that goes on where the branch does, or in which the parameter that is known is a constant.
fn thread_edges(func: &mut Function, block: Block, edges: &Edges, param: Option<Value>) {
    let position = func.blocks[block].params.iter().position(|&known| Some(known) == param);
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
        if let Some(position) = position {
            let param = func.blocks[copy].params[position];
            let data = InstData::Const { bits: truth.into() };
            let (inst, constant) = func.make_value(data, Type::Bool, SourceLoc::default());
            for &inst in &func.blocks[copy].insts {
                func.insts[inst].map_args(|arg| if arg == param { constant } else { arg });
            }
            func.blocks[copy].insts.insert(0, inst);
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

    use super::super::{check, check_stays};
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
    fn choices_behind_known_ways() {
        let text = "kernel k(param0 a: bool, param1 x: i64 ptr align 4, param2 y: f32) {
            block0:
                v0: bool = param0
                v1: i64 = param1
                v2: f32 = param2
                v3: bool = const false
                v4: f32 = const 0
                branch v0, block1(v3, v4), block2
            block2:
                v5: f32 = load.global v1 + 8
                v6: bool = const true
                jump block1(v6, v5)
            block1(v7: bool, v8: f32):
                v9: f32 = fadd v8, v2
                v10: f32 = select v7, v9, v2
                store.global v1, v10
                return
            }";
        check(
            thread_branches,
            text,
            expect![[r#"
                kernel k(param0 a: bool, param1 x: i64 ptr align 4, param2 y: f32) {
                block0:
                    v0: bool = param0
                    v1: i64 = param1
                    v2: f32 = param2
                    branch v0, block5, block2
                block2:
                    v5: f32 = load.global v1 + 8
                    v19: bool = const true
                    v16: f32 = fadd v5, v2
                    jump block3(v16)
                block5:
                    v27: f32 = const 0.0
                    v25: bool = const false
                    v22: f32 = fadd v27, v2
                    jump block3(v2)
                block3(v29: f32):
                    store.global v1, v29
                    return
                }
            "#]],
        );
    }

    /// All that go to a side come by one edge.
    #[test]
    fn threads_of_one_edge_stay_together() {
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
                branch v0, block7, block2
            block2:
                branch v1, block7, block3
            block3:
                v7: f32 = load.global v2 + 8
                v23: f32 = fadd v7, v3
                v13: i32 = active_mask
                store.global v2, v7
                jump block5(v23)
            block7:
                v31: f32 = const 0.0
                v28: f32 = fadd v31, v3
                jump block5(v28)
            block5(v33: f32):
                store.global v2 + 4, v33
                return
            }
        "#]],
        );
    }

    /// `if hit { … }` behind a search: the lanes that found something in different iterations meet in front of it.
    #[test]
    fn ways_out_of_a_loop_meet_behind_it() {
        check_stays(
            thread_branches,
            "kernel k(param0 x: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 0
                v3: i32 = const 1
                v4: i32 = special tid.x
                v5: bool = const false
                v6: bool = const true
                jump block1(v2)
            block1(v7: i32):
                v8: bool = icmp ult v7, v1
                branch v8, block2, block4(v5)
            block2:
                v9: i32 = mul v7, v4
                v10: bool = icmp ugt v9, v1
                branch v10, block4(v6), block3
            block3:
                v11: i32 = add nuw v7, v3
                jump block1(v11)
            block4(v12: bool):
                branch v12, block5, block6
            block5:
                store.global v0, v4
                jump block6
            block6:
                return
            }",
        );
    }

    #[test]
    fn a_condition_that_was_decided_before() {
        check(
            thread_branches,
            "kernel k(param0 a: bool, param1 x: i64 ptr align 4) {
            block0:
                v0: bool = param0
                v1: i64 = param1
                v2: f32 = const 0.0
                branch v0, block1, block2(v2)
            block1:
                v3: f32 = load.global v1
                jump block2(v3)
            block2(v4: f32):
                v5: i32 = special laneid
                branch v0, block3, block4(v2)
            block3:
                v6: f32 = load.global v1 + 4
                jump block4(v6)
            block4(v7: f32):
                v8: f32 = fadd v4, v7
                store.global v1, v8
                return
            }",
            expect![[r#"
                kernel k(param0 a: bool, param1 x: i64 ptr align 4) {
                block0:
                    v0: bool = param0
                    v1: i64 = param1
                    v2: f32 = const 0.0
                    branch v0, block1, block6
                block1:
                    v3: f32 = load.global v1
                    v6: f32 = load.global v1 + 4
                    jump block4(v6, v3)
                block6:
                    jump block4(v2, v2)
                block4(v7: f32, v19: f32):
                    v8: f32 = fadd v19, v7
                    store.global v1, v8
                    return
                }
            "#]],
        );
    }

    /// Two comparisons of the same numbers, neither of which is computed wherever the other is: of `i == n || i < n && …` and a check of `i`.
    #[test]
    fn a_comparison_that_was_made_before() {
        check(
            thread_branches,
            "kernel k(param0 a: bool, param1 x: i64 ptr align 4, param2 i: i32, param3 n: i32) {
            block0:
                v0: bool = param0
                v1: i64 = param1
                v2: i32 = param2
                v3: i32 = param3
                branch v0, block2, block1
            block1:
                v4: bool = icmp ult v2, v3
                v5: f32 = load.global v1
                branch v4, block2, block4
            block2:
                v6: bool = icmp ule v3, v2
                branch v6, block4, block3
            block3:
                store.global v1, v2
                return
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 a: bool, param1 x: i64 ptr align 4, param2 i: i32, param3 n: i32) {
                block0:
                    v0: bool = param0
                    v1: i64 = param1
                    v2: i32 = param2
                    v3: i32 = param3
                    branch v0, block2, block1
                block1:
                    v4: bool = icmp ult v2, v3
                    v5: f32 = load.global v1
                    branch v4, block5, block4
                block2:
                    v6: bool = icmp ule v3, v2
                    branch v6, block4, block3
                block5:
                    v7: bool = icmp ule v3, v2
                    jump block3
                block3:
                    store.global v1, v2
                    return
                block4:
                    return
                }
            "#]],
        );
    }

    /// Threads of two edges meet in front of the collective operation.
    #[test]
    fn threads_stay_together_for_collectives() {
        check_stays(
            thread_branches,
            "kernel k(param0 a: bool, param1 x: i64 ptr align 4) {
            block0:
                v0: bool = param0
                v1: i64 = param1
                v2: bool = const true
                v3: bool = const false
                branch v0, block1, block2
            block1:
                store.global v1, v0
                branch v0, block3(v2), block3(v3)
            block2:
                jump block3(v2)
            block3(v4: bool):
                branch v4, block4, block5
            block4:
                v5: i32 = active_mask
                store.global v1, v5
                jump block5
            block5:
                return
            }",
        );
    }
}
