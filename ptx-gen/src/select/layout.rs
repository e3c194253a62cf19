//! The order of blocks in the text, branches that fall through where they can, and labels.

use super::invert::{Counts, positive};
use super::machine::{Body, Predicate, Terminator};
use crate::ir::entity::Entity;
use crate::ir::{Block, EntityMap};

/// Control transfer at the end of a block in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// To the block that follows.
    FallThrough,
    /// `bra.uni target`
    Jump(Block),
    /// `@p bra target`, else to the block that follows.
    Branch(Predicate, Block),
    /// `@p bra first`, else `bra.uni second`.
    BranchAndJump(Predicate, Block, Block),
    /// `ret`
    Return,
    /// `trap`
    Trap,
}

/// The text's blocks in order, each with how control leaves it.
pub struct Layout {
    /// In order.
    pub blocks: Vec<(Block, Exit)>,
    /// The number of each block's label, for those that are branched to.
    pub labels: EntityMap<Block, Option<u32>>,
}

/// Lays out a body that has left SSA; comparisons may be turned to suit the branches.
pub fn lay_out(body: &mut Body) -> Layout {
    let counts = Counts::new(body);
    debug_assert!(counts.are_consistent(), "a register is read that nothing writes");
    let goals = goals(body);
    let is_kept = |block: &Block| goals[*block] == *block || *block == body.layout[0];
    let (cold, hot): (Vec<Block>, Vec<Block>) =
        body.layout.iter().copied().filter(is_kept).partition(|&block| body.blocks[block].cold);
    let order: Vec<Block> = hot.into_iter().chain(cold).collect();
    let mut blocks = Vec::with_capacity(order.len());
    let mut is_target = EntityMap::filled(body.blocks.len(), false);
    for (index, &block) in order.iter().enumerate() {
        let mut exit = exit(&body.blocks[block].terminator, order.get(index + 1).copied(), &goals);
        if let Exit::Branch(cond, _) | Exit::BranchAndJump(cond, ..) = &mut exit {
            *cond = positive(body, &counts, block, *cond);
        }
        match exit {
            Exit::Jump(target) | Exit::Branch(_, target) => is_target[target] = true,
            Exit::BranchAndJump(_, first, second) => {
                is_target[first] = true;
                is_target[second] = true;
            }
            Exit::FallThrough | Exit::Return | Exit::Trap => {}
        }
        blocks.push((block, exit));
    }
    let mut labels = EntityMap::filled(body.blocks.len(), None);
    let targets = blocks.iter().map(|&(block, _)| block).filter(|&block| is_target[block]);
    for (block, number) in targets.zip(0..) {
        labels[block] = Some(number);
    }
    Layout { blocks, labels }
}

/// For each block the one that control ends up in: blocks that only jump on are skipped.
fn goals(body: &Body) -> EntityMap<Block, Block> {
    let mut goals: EntityMap<Block, Block> = EntityMap::new();
    for block in body.blocks.keys() {
        let mut goal = block;
        // An endless loop of empty blocks has no other goal than itself.
        for _ in 0..body.blocks.len() {
            match &body.blocks[goal] {
                data if data.insts.is_empty() => match &data.terminator {
                    Terminator::Jump(edge) => goal = edge.target,
                    Terminator::Branch { .. } | Terminator::Return | Terminator::Trap => break,
                },
                _ => break,
            }
            if goal.index() < block.index() {
                goal = goals[goal];
                break;
            }
        }
        goals.push(goal);
    }
    goals
}

fn exit(terminator: &Terminator, next: Option<Block>, goals: &EntityMap<Block, Block>) -> Exit {
    match terminator {
        Terminator::Jump(edge) => jump(goals[edge.target], next),
        Terminator::Branch { cond, if_true, if_false } => {
            let (if_true, if_false) = (goals[if_true.target], goals[if_false.target]);
            let inverse = Predicate { negated: !cond.negated, ..*cond };
            if if_true == if_false {
                jump(if_true, next)
            } else if next == Some(if_true) {
                Exit::Branch(inverse, if_false)
            } else if next == Some(if_false) {
                Exit::Branch(*cond, if_true)
            } else {
                Exit::BranchAndJump(*cond, if_true, if_false)
            }
        }
        Terminator::Return => Exit::Return,
        Terminator::Trap => Exit::Trap,
    }
}

fn jump(target: Block, next: Option<Block>) -> Exit {
    if next == Some(target) { Exit::FallThrough } else { Exit::Jump(target) }
}
