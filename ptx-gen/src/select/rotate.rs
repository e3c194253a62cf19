//! Loop rotation: a block that jumps back to a short test gets a copy of the test, so that the loop tests at its end.
//!
//! `while` starts with its test, and its body jumps back to it: two branches in each iteration. With a copy of the test at
//! the end of the body there is one, and the first test only guards the loop. Registers may be written more than once
//! here, so the copy is one word for word.

use super::invert::Counts;
use super::machine::{Body, Inst, Terminator, VReg};
use crate::ir::entity::Entity;
use crate::ir::{Block, EntityMap};
use ptx::tree::Opcode;

/// The longest test that is copied, in instructions.
const LONGEST: usize = 8;

/// Copies the tests of loops to their ends. The body has left SSA.
pub fn rotate(body: &mut Body) {
    let mut order = vec![usize::MAX; body.blocks.len()];
    body.layout.iter().enumerate().for_each(|(index, block)| order[block.index()] = index);
    let mut ways_back: EntityMap<Block, u32> = EntityMap::filled(body.blocks.len(), 0);
    for &block in &body.layout {
        for edge in body.blocks[block].terminator.edges() {
            ways_back[edge.target] += u32::from(order[edge.target.index()] <= order[block.index()]);
        }
    }
    let counts = Counts::new(body);
    for index in 0..body.layout.len() {
        let block = body.layout[index];
        let Terminator::Jump(edge) = &body.blocks[block].terminator else { continue };
        let head = edge.target;
        if order[head.index()] < index
            && ways_back[head] == 1
            && is_test(body, head, |b| order[b.index()], index)
        {
            copy_test(body, &counts, &order, head, block);
        }
    }
}

/// Returns true if a block is short, may be copied elsewhere, and decides whether to leave the loop that ends at `end`.
fn is_test(body: &Body, head: Block, order: impl Fn(Block) -> usize, end: usize) -> bool {
    let data = &body.blocks[head];
    let leaves = data.terminator.condition().is_some()
        && data.terminator.edges().any(|edge| order(edge.target) > end || order(edge.target) < order(head));
    leaves && data.insts.len() <= LONGEST && data.insts.iter().all(is_movable)
}

/// Barriers and collectives are not copied: the lanes of a warp converge at them. Inline PTX may contain one.
fn is_movable(inst: &Inst) -> bool {
    inst.inline.is_none()
        && !matches!(
            inst.opcode,
            Opcode::Bar
                | Opcode::Shfl
                | Opcode::Vote
                | Opcode::Match
                | Opcode::Redux
                | Opcode::Activemask
                | Opcode::Membar
                | Opcode::Fence
                | Opcode::Atom
                | Opcode::Red
                | Opcode::St
        )
}

fn copy_test(body: &mut Body, counts: &Counts, order: &[usize], head: Block, end: Block) {
    let last = order[end.index()];
    let mut insts = body.blocks[head].insts.clone();
    let mut terminator = body.blocks[head].terminator.clone();
    // A condition with the branch as its only use gets a new register in the copy, so that each copy can be inverted.
    if let Terminator::Branch { cond, .. } = &mut terminator
        && counts.is_local(cond.reg)
        && let Some(inst) = insts.iter_mut().find(|inst| inst.dst == Some(cond.reg))
    {
        let fresh: VReg = body.regs.push(body.regs[cond.reg]);
        inst.dst = Some(fresh);
        cond.reg = fresh;
    }
    // The successor of the test in the loop is the header now.
    let end_order =
        |target: Block| order.get(target.index()).is_some_and(|&at| at <= last && at > order[head.index()]);
    if std::mem::take(&mut body.blocks[head].nounroll)
        && let Some(inside) = terminator.edges().map(|edge| edge.target).find(|&target| end_order(target))
    {
        body.blocks[inside].nounroll = true;
    }
    let location = body.blocks[head].location;
    let data = &mut body.blocks[end];
    data.insts.extend(insts);
    data.terminator = terminator;
    data.location = location;
}
