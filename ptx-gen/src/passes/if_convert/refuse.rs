//! Reasons why a branch was kept although the source asks for none.

use super::MOST_PREDICATED;
use super::cost::weight;
use crate::analysis::uniformity::Region;
use crate::ir::{Block, BranchHint, BranchWish, Function, InstData, RemarkKind, SourceLoc};

/// Refuses the attributes whose branches are left, each with the first thing that stands in the way.
pub(super) fn refuse_what_is_left(func: &mut Function) {
    let left = func.layout.iter().filter_map(|&block| match &func.insts[func.terminator(block)?] {
        InstData::Branch { hint: Some(BranchHint { wish: BranchWish::Predicate, location }), .. } => {
            Some((*location, block))
        }
        _ => None,
    });
    let mut left: Vec<(SourceLoc, Block)> = left.collect();
    if left.is_empty() {
        return;
    }
    let region = Region::new(func);
    // The outermost comes first.
    left.sort_by_key(|&(location, block)| (location, region.position(block)));
    left.dedup_by_key(|(location, _)| *location);
    for (location, block) in left {
        let (found, help) = obstacle(func, &region, block);
        let message = format!(
            "expected sides that can be done under a predicate, found {found}\nhelp: {help}, or leave `#[predicate]` out"
        );
        func.remark(location, RemarkKind::Refused(message));
    }
}

/// The obstacle, and the proposed remedy.
fn obstacle(func: &Function, region: &Region, branch: Block) -> (String, &'static str) {
    const WAY_OUT: &str = "write the condition around what follows instead";
    let at = |location: SourceLoc| format!("{}:{}", location.line, location.column);
    let Some(blocks) = region.sides(branch) else {
        return ("a `return` in one of them".into(), WAY_OUT);
    };
    let mut work = 0;
    for &block in &blocks {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let place = at(func.locations[inst]);
            let ty = func.results[inst].map(|value| func.ty(value));
            let (found, help) = match data {
                InstData::Barrier
                | InstData::GridBarrier
                | InstData::ClusterBarrier { .. }
                | InstData::NamedBarrier { .. }
                | InstData::BarrierReduce { .. } => ("a barrier", "move it out of the condition"),
                InstData::Shuffle { .. }
                | InstData::Vote { .. }
                | InstData::Match { .. }
                | InstData::Redux { .. }
                | InstData::ActiveMask
                | InstData::WarpBarrier { .. } => {
                    ("a collective of the warp", "move it out of the condition")
                }
                InstData::Branch { hint: Some(BranchHint { wish: BranchWish::Keep, .. }), .. } => {
                    ("a condition with `#[branch]`", "leave that out")
                }
                InstData::Branch { .. } if region.successors(block).len() < 2 => {
                    ("a check that can panic", "make it hold by a condition before this one")
                }
                InstData::Return => ("a `return`", WAY_OUT),
                InstData::Branch { .. } | InstData::Jump { .. }
                    if region.is_in_loop_inside(block, branch) =>
                {
                    ("a loop", "unroll it, if the number of its rounds is constant")
                }
                InstData::Branch { .. } | InstData::Jump { .. } if region.leaves(block, branch) => {
                    ("a `break` or `continue`", WAY_OUT)
                }
                InstData::Print { .. } => ("a `println!`", "print before the condition or after it"),
                InstData::Panic { .. } => ("a panic", "make sure of it before the condition"),
                _ => {
                    work += weight(func, data, ty);
                    continue;
                }
            };
            return (format!("{found} at {place}"), help);
        }
    }
    if work > MOST_PREDICATED {
        let found = format!("work of about {work} instructions: at most {MOST_PREDICATED} are done in vain");
        return (found, "make the sides smaller");
    }
    ("sides that do not meet again".into(), WAY_OUT)
}
