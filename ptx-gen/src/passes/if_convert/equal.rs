//! Equal choices: a branch whose sides compute what those of another branch by the same condition do, where that one dominates, is
//! replaced by its results.
//!
//! Inlined functions with branches, as of the weights of an interpolation, are so once a loop around them is unrolled. Value
//! numbering does not see it: no side of one branch dominates a side of the other. Branches with cheap sides are converted
//! before, and are expressions.

use std::collections::HashMap;

use super::{Side, meeting_sides};
use crate::analysis::{Cfg, DomTree};
use crate::ir::{Block, BlockCall, Entity, EntityMap, Function, InstData, Type, Value};
use crate::passes::gvn::{canonical, is_repeatable};
use crate::passes::simplify_cfg::{count_edges, simplify_cfg};

/// A choice by what it computes: the condition, and each side.
type Choice = (Value, [Computed; 2]);

/// The instructions of a side, whose own values are counted from the last entity down, and the arguments of its jump.
type Computed = (Vec<(InstData, Type)>, Vec<Value>);

/// See the head of this file.
pub fn merge_equal_choices(func: &mut Function) {
    let edges = count_edges(func);
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    // The blocks where the sides meet, of choices that no earlier one is equal to.
    let mut found: HashMap<Choice, Vec<Block>> = HashMap::new();
    let mut same = HashMap::new();
    for &block in cfg.order() {
        let Some((choice, target)) = choice(func, block, &edges, &same) else { continue };
        let earlier = found.entry(choice).or_default();
        let Some(&known) = earlier.iter().find(|&&known| tree.dominates(known, block)) else {
            earlier.push(target);
            continue;
        };
        let args = func.blocks[known].params.clone();
        same.extend(func.blocks[target].params.iter().copied().zip(args.iter().copied()));
        if let Some(terminator) = func.terminator(block) {
            func.insts[terminator] = InstData::Jump { target: BlockCall { block: target, args } };
        }
    }
    if !same.is_empty() {
        simplify_cfg(func);
    }
}

/// The choice that a block ends with, and the block where its sides meet, to which nothing else jumps.
fn choice(
    func: &Function,
    block: Block,
    edges: &EntityMap<Block, u32>,
    same: &HashMap<Value, Value>,
) -> Option<(Choice, Block)> {
    let InstData::Branch { cond, if_true, if_false, hint: None } =
        func.insts[func.terminator(block)?].clone()
    else {
        return None;
    };
    let ways = [if_true.block, if_false.block];
    let (if_true, if_false) = meeting_sides(func, if_true, if_false, edges)?;
    let target = if_true.target.block;
    let is_own = ways.into_iter().all(|way| way == target || edges[way] == 1);
    if !is_own || edges[target] != 2 || func.blocks[target].params.is_empty() {
        return None;
    }
    let sides = [computed(func, &if_true, same)?, computed(func, &if_false, same)?];
    Some(((*same.get(&cond).unwrap_or(&cond), sides), target))
}

/// The values that a side computes; none if it does more.
fn computed(func: &Function, side: &Side, same: &HashMap<Value, Value>) -> Option<Computed> {
    let mut own: HashMap<Value, Value> = HashMap::new();
    let mut insts = Vec::with_capacity(side.insts.len());
    for &inst in &side.insts {
        let (data, result) = (&func.insts[inst], func.results[inst]?);
        if !is_repeatable(data) {
            return None;
        }
        let mut data = data.clone();
        data.map_args(|arg| *own.get(&arg).or_else(|| same.get(&arg)).unwrap_or(&arg));
        insts.push((canonical(&data), func.ty(result)));
        own.insert(result, Value::from_index(u32::MAX as usize - 1 - own.len()));
    }
    let args = side.target.args.iter();
    Some((insts, args.map(|arg| *own.get(arg).or_else(|| same.get(arg)).unwrap_or(arg)).collect()))
}
