//! If-conversion: both sides of a branch are computed, and their results selected or predicated.
//!
//! Without a request, this is done to branches whose sides only compute a few cheap values, or store them in the
//! same location, and join again: no divergence, and the short circuits of `&&` and `||` become logic. At most
//! [`MOST_WORK`] instructions may be speculative, and [`MOST_SELECTS`] values selected; loads that only one side makes,
//! divisions, square roots and arithmetic on `f64`, which is slow on most devices, stay behind their branch. ptxas itself
//! predicates other short code, and knows the machine better. The threshold of the examples is 56 instructions
//! of sm_90 so, as with its selection written out, and 64 with the branch, though ptxas predicates both stores.
//!
//! `#[predicate]` requests it: then all that can be speculated is, accesses to memory are predicated
//! ([`InstData::Guarded`]), and conditions inside are converted too. The rest is [refused](refuse). `#[branch]` forbids it.

mod cost;
mod equal;
mod plan;
mod refuse;
mod short_circuit;
#[cfg(test)]
mod tests;

pub(super) use self::cost::{cost, weight};
pub use self::equal::merge_equal_choices;
use self::plan::Plan;
pub use self::short_circuit::fold_short_circuits;
use super::simplify_cfg::{count_edges, simplify_cfg};
use crate::analysis::uniformity::Region;
use crate::analysis::{Cfg, DomTree};
use crate::ir::{
    Block, BlockCall, BlockData, BranchWish, EntityMap, Function, Inst, InstData, RemarkKind, SourceLoc,
};

/// The most that both sides together may cost, in instructions.
const MOST_WORK: u32 = 6;
/// The most that both sides together may cost if they choose among numbers by comparisons with numbers, as a `match` does: each of them
/// takes less than a branch whose sides the lanes of a warp take in turns.
const MOST_CHOICES: u32 = 16;
/// The most values that may be selected.
const MOST_SELECTS: usize = 3;
/// The maximum cost of both sides together if it was requested.
const MOST_PREDICATED: u32 = 256;
/// Conditions nested deeper than this keep their outer branches, without a request.
const MOST_ROUNDS: usize = 4;

/// See the head of this file.
pub fn convert_ifs(func: &mut Function) {
    spread_wishes(func);
    hoist_constants(func);
    for round in 0.. {
        let mut edges = count_edges(func);
        let mut changed = false;
        // Inner conditions come later in the text than those around them.
        for index in (0..func.layout.len()).rev() {
            if let Some(location) = convert(func, func.layout[index], round < MOST_ROUNDS, &mut edges) {
                func.remark(location, RemarkKind::Predicated);
                changed = true;
            }
        }
        if !changed {
            break;
        }
        simplify_cfg(func);
    }
    refuse::refuse_what_is_left(func);
}

/// Takes constants out of blocks that do nothing else and that several branches jump to, as arms of a `match` are that give numbers: what
/// is left of them is a jump.
fn hoist_constants(func: &mut Function) {
    let edges = count_edges(func);
    let is_constant = |func: &Function, &inst: &Inst| matches!(func.insts[inst], InstData::Const { .. });
    let arms: Vec<Block> = func
        .layout
        .iter()
        .copied()
        .filter(|&block| {
            let Some((last, others)) = func.blocks[block].insts.split_last() else { return false };
            let jumps = matches!(func.insts[*last], InstData::Jump { .. });
            edges[block] > 1
                && jumps
                && !others.is_empty()
                && others.iter().all(|inst| is_constant(func, inst))
        })
        .collect();
    if arms.is_empty() {
        return;
    }
    let tree = DomTree::new(&Cfg::new(func));
    for arm in arms {
        let Some(before) = tree.idom(arm) else { continue };
        let constants = func.blocks[arm].insts.len() - 1;
        let hoisted: Vec<Inst> = func.blocks[arm].insts.drain(..constants).collect();
        let insts = &mut func.blocks[before].insts;
        let end = insts.len().saturating_sub(1);
        insts.splice(end..end, hoisted);
    }
}

/// Converts the branches that a pass has asked for, the last ones first; those that cannot be are branches.
pub(super) fn predicate_asked(func: &mut Function) {
    let asks = |func: &Function, block: Block| wish(func, block) == Some(BranchWish::Predicate);
    if !func.layout.iter().any(|&block| asks(func, block)) {
        return;
    }
    let mut edges = count_edges(func);
    for index in (0..func.layout.len()).rev() {
        let block = func.layout[index];
        if asks(func, block)
            && convert(func, block, false, &mut edges).is_none()
            && let Some(terminator) = func.terminator(block)
            && let InstData::Branch { hint, .. } = &mut func.insts[terminator]
        {
            *hint = None;
        }
    }
    simplify_cfg(func);
}

/// Request of the source for the branch at the end of a block.
fn wish(func: &Function, block: Block) -> Option<BranchWish> {
    match &func.insts[func.terminator(block)?] {
        InstData::Branch { hint, .. } => hint.map(|hint| hint.wish),
        _ => None,
    }
}

/// A request for no branch applies to the branches inside.
fn spread_wishes(func: &mut Function) {
    let asks = |&&block: &&Block| wish(func, block) == Some(BranchWish::Predicate);
    let asking: Vec<Block> = func.layout.iter().filter(asks).copied().collect();
    if asking.is_empty() {
        return;
    }
    let region = Region::new(func);
    for block in asking {
        let Some(InstData::Branch { hint: asked, .. }) =
            func.terminator(block).map(|inst| func.insts[inst].clone())
        else {
            continue;
        };
        for inside in region.sides(block).unwrap_or_default() {
            // One way of a check ends in a panic.
            if let Some(terminator) = func.terminator(inside).filter(|_| region.successors(inside).len() == 2)
                && let InstData::Branch { hint: hint @ None, .. } = &mut func.insts[terminator]
            {
                *hint = asked;
            }
        }
    }
}

/// One side of a branch: the jump to where both meet, and the instructions before it.
struct Side {
    insts: Vec<Inst>,
    target: BlockCall,
}

/// Converts the branch at the end of a block if it is small enough, or if that was requested; `unasked` is true if others
/// are converted too. Returns its location if it was.
fn convert(
    func: &mut Function,
    block: Block,
    unasked: bool,
    edges: &mut EntityMap<Block, u32>,
) -> Option<SourceLoc> {
    let terminator = func.terminator(block)?;
    let InstData::Branch { cond, if_true, if_false, hint } = func.insts[terminator].clone() else {
        return None;
    };
    let asked = match hint.map(|hint| hint.wish) {
        Some(BranchWish::Keep) => return None,
        Some(BranchWish::Predicate) => true,
        None if !unasked => return None,
        None => false,
    };
    let ways = [if_true.block, if_false.block];
    let (if_true, if_false) = meeting_sides(func, if_true, if_false, edges)?;
    let target = if_true.target.block;
    let plan = Plan::new(func, [&if_true, &if_false])?;
    let accepted = match asked {
        true => plan.weight(func) <= MOST_PREDICATED,
        false => {
            let most = if plan.chooses(func) { MOST_CHOICES } else { MOST_WORK };
            plan.is_speculative() && plan.cost(func) <= Some(most) && plan.selects() <= MOST_SELECTS
        }
    };
    if !accepted || !asked && plan.cost(func).is_none() {
        return None;
    }
    let location = func.locations[terminator];
    func.blocks[block].insts.pop();
    let args = plan.apply(func, block, cond, location);
    // A block that is not its own is still jumped over from elsewhere.
    for next in ways {
        edges[next] -= 1;
        if next != target && edges[next] == 0 {
            edges[target] -= 1;
        }
    }
    edges[target] += 1;
    let jump = func.make_inst(InstData::Jump { target: BlockCall { block: target, args } }, None, location);
    func.blocks[block].insts.push(jump);
    Some(location)
}

/// Both sides of a branch up to where they meet.
fn meeting_sides(
    func: &Function,
    if_true: BlockCall,
    if_false: BlockCall,
    edges: &EntityMap<Block, u32>,
) -> Option<(Side, Side)> {
    let through_true = jump_of(func, &if_true, edges);
    let through_false = jump_of(func, &if_false, edges);
    let meets = |call: &BlockCall, other: &BlockCall| call.block == other.block;
    let (true_inside, false_inside) = match (&through_true, &through_false) {
        _ if meets(&if_true, &if_false) => (false, false),
        (Some(a), _) if meets(a, &if_false) => (true, false),
        (_, Some(b)) if meets(&if_true, b) => (false, true),
        (Some(a), Some(b)) if meets(a, b) => (true, true),
        _ => return None,
    };
    let side = |call: BlockCall, inside: bool| match inside {
        false => Side { insts: Vec::new(), target: call },
        true => take_side(func, &call),
    };
    Some((side(if_true, true_inside), side(if_false, false_inside)))
}

/// The jump of a block that only this branch reaches, or that does nothing else.
fn jump_of(func: &Function, call: &BlockCall, edges: &EntityMap<Block, u32>) -> Option<BlockCall> {
    let BlockData { params, insts, .. } = &func.blocks[call.block];
    let is_own = params.is_empty() && (edges[call.block] == 1 || insts.len() == 1);
    let terminator = func.terminator(call.block).filter(|_| is_own)?;
    match &func.insts[terminator] {
        InstData::Jump { target } if target.block != call.block => Some(target.clone()),
        _ => None,
    }
}

fn take_side(func: &Function, call: &BlockCall) -> Side {
    let mut insts = func.blocks[call.block].insts.clone();
    let target = insts.pop().and_then(|jump| func.insts[jump].successors().next().cloned());
    Side { insts, target: target.unwrap_or_else(|| call.clone()) }
}
