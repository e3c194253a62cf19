//! Gives the latches that [a pass](crate::passes::latches) made something to do: an empty block on the way back is none to ptxas.
//!
//! A value that the loop carries is copied there, by an instruction that coalescing leaves alone. ptxas coalesces it later on.

use super::machine::{Body, Inst, Operand, Terminator};
use crate::ir::entity::Entity;
use ptx::tree::Opcode;

/// See the head of this file. The body is in SSA still.
pub fn fill_latches(body: &mut Body) {
    let mut order = vec![usize::MAX; body.blocks.len()];
    body.layout.iter().enumerate().for_each(|(index, block)| order[block.index()] = index);
    for (index, &block) in body.layout.iter().enumerate() {
        let data = &mut body.blocks[block];
        let Terminator::Jump(edge) = &mut data.terminator else { continue };
        if !data.insts.is_empty() || order[edge.target.index()] > index {
            continue;
        }
        let carried = edge.copies.iter_mut().find_map(|(_, source)| match source {
            Operand::Reg(reg) => Some(reg),
            Operand::Not(_) | Operand::Immediate(_) | Operand::Name(_) | Operand::Address { .. } => None,
        });
        let Some(carried) = carried else { continue };
        let class = body.regs[*carried];
        let copy = body.regs.push(class);
        let source = std::mem::replace(carried, copy);
        data.insts.push(Inst {
            opcode: Opcode::Mov,
            modifiers: vec![class.scalar().into()],
            dst: Some(copy),
            more: Vec::new(),
            vector: None,
            operands: vec![source.into()],
            inline: None,
            guard: None,
            location: data.location,
        });
    }
}
