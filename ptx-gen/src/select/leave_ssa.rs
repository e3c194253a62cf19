//! Leaves SSA: the parameters of blocks become copies on the edges.
//!
//! A parameter and its argument share a register when their live ranges do not overlap, the edges of loops first; what
//! remains are copies that happen at once on an edge. They are put in an order, with one more register to break a cycle,
//! at the end of a block with one successor, else in a new block on the edge (so a copy cannot disturb the other
//! edge: the "lost copy" problem, and a cycle is the "swap" problem of Briggs, Cooper, Harvey and Simpson, 1998).

use super::live::{self, Range};
use super::machine::{BlockData, Body, Class, Edge, Inst, Operand, Terminator, VReg};
use crate::ir::entity::Entity;
use crate::ir::{Block, EntityMap, SourceLoc};
use ptx::tree::Opcode;

/// Replaces the copies of edges by instructions.
pub fn leave_ssa(body: &mut Body) {
    if body.layout.iter().all(|&block| body.blocks[block].params.is_empty()) {
        return;
    }
    Coalescing::new(body).run(body);
    place_copies(body);
}

/// Sets of coalesced registers.
struct Coalescing {
    /// A union-find forest.
    parents: EntityMap<VReg, VReg>,
    /// The range of all registers of a set, at its root.
    ranges: EntityMap<VReg, Range>,
}

impl Coalescing {
    fn new(body: &Body) -> Coalescing {
        let mut wanted = EntityMap::filled(body.regs.len(), false);
        for &block in &body.layout {
            for (dst, source) in body.blocks[block].terminator.edges().flat_map(|edge| &edge.copies) {
                wanted[*dst] = true;
                if let Operand::Reg(source) = source {
                    wanted[*source] = true;
                }
            }
        }
        let mut parents = EntityMap::new();
        body.regs.keys().for_each(|reg| {
            parents.push(reg);
        });
        Coalescing { parents, ranges: live::ranges(body, &wanted) }
    }

    fn run(mut self, body: &mut Body) {
        let mut order = vec![usize::MAX; body.blocks.len()];
        body.layout.iter().enumerate().for_each(|(index, block)| order[block.index()] = index);
        // Edges by frequency: back edges first, then others, those on the way to a panic last.
        let rank = |block: Block, edge: &Edge| {
            if body.blocks[edge.target].cold {
                2
            } else {
                u32::from(order[edge.target.index()] > order[block.index()])
            }
        };
        let mut edges: Vec<(u32, &Edge)> = Vec::new();
        for &block in &body.layout {
            edges.extend(body.blocks[block].terminator.edges().map(|edge| (rank(block, edge), edge)));
        }
        edges.sort_by_key(|&(rank, _)| rank);
        for (_, edge) in edges {
            self.edge(edge, &body.regs);
        }
        self.rename(body);
    }

    fn edge(&mut self, edge: &Edge, regs: &EntityMap<VReg, Class>) {
        for (dst, source) in &edge.copies {
            if let Operand::Reg(source) = *source
                && regs[*dst] == regs[source]
            {
                self.unite(*dst, source);
            }
        }
    }

    fn find(&mut self, reg: VReg) -> VReg {
        let mut root = reg;
        while self.parents[root] != root {
            // Halve the path on the way.
            self.parents[root] = self.parents[self.parents[root]];
            root = self.parents[root];
        }
        root
    }

    fn unite(&mut self, a: VReg, b: VReg) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b && !self.ranges[a].overlaps(&self.ranges[b]) {
            self.parents[b] = a;
            let range = std::mem::take(&mut self.ranges[b]);
            self.ranges[a].merge(range);
        }
    }

    fn rename(&mut self, body: &mut Body) {
        for index in 0..body.layout.len() {
            let data = &mut body.blocks[body.layout[index]];
            data.params.clear();
            for inst in &mut data.insts {
                inst.dst = inst.dst.map(|dst| self.find(dst));
                inst.more.iter_mut().for_each(|dst| *dst = self.find(*dst));
                inst.operands.iter_mut().for_each(|operand| self.rename_operand(operand));
                if let Some(guard) = &mut inst.guard {
                    guard.reg = self.find(guard.reg);
                }
            }
            if let Terminator::Branch { cond, .. } = &mut data.terminator {
                cond.reg = self.find(cond.reg);
            }
            for edge in data.terminator.edges_mut() {
                for (dst, source) in &mut edge.copies {
                    *dst = self.find(*dst);
                    self.rename_operand(source);
                }
                edge.copies.retain(|(dst, source)| *source != Operand::Reg(*dst));
            }
        }
    }

    fn rename_operand(&mut self, operand: &mut Operand) {
        if let Some(reg) = operand.register_mut() {
            *reg = self.find(*reg);
        }
    }
}

/// Turns the copies of edges into instructions, on critical edges in new blocks.
fn place_copies(body: &mut Body) {
    let mut layout = Vec::with_capacity(body.layout.len());
    for block in std::mem::take(&mut body.layout) {
        layout.push(block);
        let location = body.blocks[block].location;
        let mut terminator = std::mem::replace(&mut body.blocks[block].terminator, Terminator::Return);
        match &mut terminator {
            Terminator::Jump(edge) => {
                let moves = sequence(std::mem::take(&mut edge.copies), &mut body.regs, location);
                body.blocks[block].insts.extend(moves);
            }
            Terminator::Branch { if_true, if_false, .. } => {
                for edge in [if_false, if_true] {
                    if !edge.copies.is_empty() {
                        layout.push(split(body, edge, location));
                    }
                }
            }
            Terminator::Return | Terminator::Trap => {}
        }
        body.blocks[block].terminator = terminator;
    }
    body.layout = layout;
}

/// Makes a block on an edge that does its copies.
fn split(body: &mut Body, edge: &mut Edge, location: SourceLoc) -> Block {
    let insts = sequence(std::mem::take(&mut edge.copies), &mut body.regs, location);
    let terminator = Terminator::Jump(Edge { target: edge.target, copies: Vec::new() });
    let cold = body.blocks[edge.target].cold;
    let params = Vec::new();
    edge.target = body.blocks.push(BlockData { params, insts, terminator, location, cold, nounroll: false });
    edge.target
}

/// Orders copies that happen at once: one whose destination no other still reads goes first; when none is left but
/// cycles, a register is saved in a new one.
fn sequence(
    copies: Vec<(VReg, Operand)>,
    regs: &mut EntityMap<VReg, Class>,
    location: SourceLoc,
) -> Vec<Inst> {
    let mut pending = copies;
    let mut done = Vec::with_capacity(pending.len());
    let mut copy = |dst: VReg, source: Operand, class: Class| {
        done.push(Inst {
            opcode: Opcode::Mov,
            modifiers: vec![class.scalar().into()],
            dst: Some(dst),
            more: Vec::new(),
            vector: None,
            operands: vec![source],
            inline: None,
            guard: None,
            location,
        });
    };
    while !pending.is_empty() {
        let is_read = |dst: VReg| pending.iter().any(|(_, source)| *source == Operand::Reg(dst));
        match pending.iter().position(|&(dst, _)| !is_read(dst)) {
            Some(free) => {
                let (dst, source) = pending.remove(free);
                copy(dst, source, regs[dst]);
            }
            None => {
                let victim = pending[0].0;
                let class = regs[victim];
                let saved = regs.push(class);
                copy(saved, Operand::Reg(victim), class);
                for (_, source) in &mut pending {
                    if *source == Operand::Reg(victim) {
                        *source = Operand::Reg(saved);
                    }
                }
            }
        }
    }
    done
}
