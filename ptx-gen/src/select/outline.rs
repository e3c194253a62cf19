//! Moves the end of the threads that panic to a device function.
//!
//! ptxas 13.0 decides where the lanes of a warp that leave a loop meet again by what comes behind it. Where a thread that fails a check writes more
//! instructions than one that ends as it should, it takes the panic for the end that all lanes reach: of a loop with a check, and a few
//! instructions behind the loops that follow it, the lanes that leave it one after the other never meet again, and what follows runs
//! once for each (`BSYNC` stands in the block that panics). A call is short.
//!
//! A common call is still longer than the end of a kernel that ends at once behind its last loop. There each check calls the function itself, and ends
//! there: behind a common call they would meet. Where a few instructions come before the end, one call is shorter than they are, and those of each check are not.

use std::collections::HashMap;

use super::machine::{
    Base, BlockData, Body, Class, Inst, Operand, Terminator, VReg,
    words::{CAS, PARAM},
};
use crate::inline::placeholder;
use crate::ir::{Block, EntityMap, SourceLoc};
use ptx::tree::{
    Address, Instruction, Name, Opcode, Operand as Written, StateSpace, Statement, StatementKind, Variable,
};

/// The most checks that call the function themselves.
const MOST_CALLS: usize = 32;

/// A function that threads call when they panic.
pub struct Outlined {
    /// Its code, which begins with the loads of the parameters.
    pub body: Body,
    /// Its parameters.
    pub parameters: Vec<Variable>,
}

/// Moves the code from the claim of the panic record on to a function of this name, which is called there. None if it is not in one place, or does
/// more than write the record.
pub fn outline_panics(body: &mut Body, name: &Name) -> Option<Outlined> {
    let claims = |block: &Block| {
        let data = &body.blocks[*block];
        let is_claim = |inst: &Inst| inst.opcode == Opcode::Atom && inst.modifiers.contains(&CAS);
        data.cold.then(|| data.insts.iter().position(is_claim)).flatten().map(|at| (*block, at))
    };
    let mut found = body.layout.iter().filter_map(claims);
    let (claim, at) = found.next().filter(|_| found.next().is_none())?;
    let moved = reached(body, claim);
    if moved.contains(&claim) || is_entered(body, claim, &moved) {
        return None;
    }
    let mut rest = body.blocks[claim].clone();
    rest.params.clear();
    let head = rest.insts.drain(..at).collect();
    let mut outlined = Body {
        regs: body.regs.clone(),
        blocks: EntityMap::filled(body.blocks.len(), BlockData::unreachable()),
        layout: std::iter::once(claim).chain(moved.iter().copied()).collect(),
    };
    outlined.blocks[claim] = rest;
    for &block in &moved {
        outlined.blocks[block] = body.blocks[block].clone();
    }
    if !outlined.layout.iter().all(|&block| may_move(&outlined.blocks[block])) {
        return None;
    }
    let inputs = inputs(&outlined);
    if inputs.iter().any(|&input| body.regs[input] == Class::Pred) {
        return None;
    }
    let parameters: Vec<Variable> = inputs
        .iter()
        .enumerate()
        .map(|(index, &input)| {
            let ty = body.regs[input].bits();
            Variable::new(StateSpace::Param, ty, Name::new(format!("{name}_{index}")))
        })
        .collect();
    let loads = inputs.iter().zip(&parameters).map(|(&input, parameter)| {
        let address = Operand::Address { base: Base::Name(parameter.name.clone()), offset: 0 };
        let modifiers = vec![PARAM, parameter.ty.into()];
        Inst { opcode: Opcode::Ld, modifiers, dst: Some(input), ..inst(vec![address]) }
    });
    outlined.blocks[claim].insts.splice(0..0, loads.collect::<Vec<_>>());
    let operands = inputs.iter().map(|&input| Operand::Reg(input)).collect();
    let call = Inst { inline: Some(call(name, &parameters).into()), ..inst(operands) };
    let hot = &mut body.blocks[claim];
    hot.insts = head;
    hot.insts.push(call);
    hot.terminator = Terminator::Return;
    body.layout.retain(|block| !moved.contains(block));
    call_from_each(body, claim);
    Some(Outlined { body: outlined, parameters })
}

/// Puts copies of a block that calls the function into the blocks that do nothing but lead there.
fn call_from_each(body: &mut Body, claim: Block) {
    let jump = |block: Block| match &body.blocks[block].terminator {
        Terminator::Jump(edge) if edge.target == claim => Some((block, edge.copies.clone())),
        _ => None,
    };
    let sites: Vec<(Block, Vec<(VReg, Operand)>)> = body
        .layout
        .iter()
        .filter(|&&block| body.blocks[block].cold)
        .filter_map(|&block| jump(block))
        .collect();
    let called = body.blocks[claim].insts.clone();
    let is_few = (2..=MOST_CALLS).contains(&sites.len());
    if !is_few || !ends_at_once(body) || !called.iter().all(reads_registers_plainly) {
        return;
    }
    for (site, copies) in sites {
        let mut known = HashMap::new();
        for (param, operand) in copies {
            let arg = operand.register().unwrap_or_else(|| {
                let class = body.regs[param];
                let fresh = body.regs.push(class);
                let modifiers = vec![class.bits().into()];
                let moved = Inst { opcode: Opcode::Mov, modifiers, dst: Some(fresh), ..inst(vec![operand]) };
                body.blocks[site].insts.push(moved);
                fresh
            });
            known.insert(param, arg);
        }
        for inst in &called {
            let mut copy = inst.clone();
            for operand in &mut copy.operands {
                if let Operand::Reg(reg) = operand {
                    *reg = known.get(reg).copied().unwrap_or(*reg);
                }
            }
            copy.dst = inst.dst.map(|dst| {
                let fresh = body.regs.push(body.regs[dst]);
                known.insert(dst, fresh);
                fresh
            });
            body.blocks[site].insts.push(copy);
        }
        body.blocks[site].terminator = Terminator::Return;
    }
    let is_reached = |block: Block| {
        body.layout
            .iter()
            .flat_map(|&from| body.blocks[from].terminator.edges())
            .any(|edge| edge.target == block)
    };
    if !is_reached(claim) {
        body.layout.retain(|&block| block != claim);
    }
}

/// Returns true if the threads that do not panic have nothing to do where they end.
fn ends_at_once(body: &Body) -> bool {
    let data = body.layout.iter().map(|&block| &body.blocks[block]);
    let mut ends = data.filter(|data| !data.cold && matches!(data.terminator, Terminator::Return));
    ends.all(|data| data.insts.is_empty())
}

/// Returns true for an instruction whose registers are its operands, and its one result.
fn reads_registers_plainly(inst: &Inst) -> bool {
    let is_plain = |operand: &Operand| match operand {
        Operand::Reg(_) | Operand::Immediate(_) | Operand::Name(_) => true,
        Operand::Address { base: Base::Name(_), .. } => true,
        Operand::Not(_) | Operand::Address { .. } => false,
    };
    inst.guard.is_none() && inst.more.is_empty() && inst.operands.iter().all(is_plain)
}

/// The blocks that follow a block, in the order of the text.
fn reached(body: &Body, from: Block) -> Vec<Block> {
    let (mut found, mut rest) = (Vec::new(), vec![from]);
    while let Some(block) = rest.pop() {
        for edge in body.blocks[block].terminator.edges() {
            if !found.contains(&edge.target) {
                found.push(edge.target);
                rest.push(edge.target);
            }
        }
    }
    let layout = body.layout.iter().copied();
    layout.filter(|block| found.contains(block)).collect()
}

/// Returns true if blocks other than this one and those moved lead to these.
fn is_entered(body: &Body, claim: Block, moved: &[Block]) -> bool {
    let others = body.layout.iter().filter(|&block| *block != claim && !moved.contains(block));
    others.flat_map(|&block| body.blocks[block].terminator.edges()).any(|edge| moved.contains(&edge.target))
}

/// Returns true if a block does nothing that a function cannot: it names no variable of the kernel, and does not end the grid.
fn may_move(data: &BlockData) -> bool {
    let is_plain = |inst: &Inst| {
        let names_variable = |operand: &Operand| match operand {
            Operand::Name(name) => !name.as_str().starts_with('%'),
            Operand::Address { base: Base::Name(_), .. } => true,
            Operand::Reg(_) | Operand::Not(_) | Operand::Immediate(_) | Operand::Address { .. } => false,
        };
        let is_of_record =
            matches!(inst.opcode, Opcode::Atom | Opcode::St | Opcode::Mov | Opcode::Setp | Opcode::Cvt);
        is_of_record && inst.inline.is_none() && !inst.operands.iter().any(names_variable)
    };
    !matches!(data.terminator, Terminator::Trap) && data.insts.iter().all(is_plain)
}

/// The registers that a body reads and does not write.
fn inputs(body: &Body) -> Vec<VReg> {
    let blocks = || body.layout.iter().map(|&block| &body.blocks[block]);
    let mut written = EntityMap::filled(body.regs.len(), false);
    for data in blocks() {
        let insts = data.insts.iter().flat_map(Inst::destinations);
        insts.chain(data.params.iter().copied()).for_each(|reg| written[reg] = true);
    }
    let mut found: Vec<VReg> = Vec::new();
    for data in blocks() {
        let edges = data.terminator.edges().flat_map(|edge| &edge.copies);
        let copies = edges.filter_map(|(_, operand)| operand.register());
        let condition = data.terminator.condition().map(|cond| cond.reg);
        for reg in data.insts.iter().flat_map(Inst::sources).chain(condition).chain(copies) {
            if !written[reg] && !found.contains(&reg) {
                found.push(reg);
            }
        }
    }
    found
}

fn inst(operands: Vec<Operand>) -> Inst {
    Inst {
        opcode: Opcode::Call,
        modifiers: Vec::new(),
        dst: None,
        more: Vec::new(),
        vector: None,
        operands,
        inline: None,
        guard: None,
        location: SourceLoc::default(),
    }
}

/// A call with the operands of an inline instruction as arguments (PTX ISA, "Kernel and Function Directives").
fn call(name: &Name, parameters: &[Variable]) -> Vec<Statement> {
    let argument = |index: usize| Name::new(format!("argument{index}"));
    let instruction = |opcode, modifiers, operands| {
        Statement::from(StatementKind::Instruction(Instruction { guard: None, opcode, modifiers, operands }))
    };
    let declared = parameters.iter().enumerate().map(|(index, parameter)| {
        StatementKind::Variable(Variable { name: argument(index), ..parameter.clone() }).into()
    });
    let stored = parameters.iter().enumerate().map(|(index, parameter)| {
        let address = Address { base: Some(argument(index)), offset: 0, coordinates: Vec::new() };
        let value = Written::Name(Name::new(placeholder(index)));
        instruction(Opcode::St, vec![PARAM, parameter.ty.into()], vec![Written::Address(address), value])
    });
    let arguments = (0..parameters.len()).map(|index| Written::Name(argument(index))).collect();
    let called = vec![Written::Name(name.clone()), Written::Group(arguments)];
    declared.chain(stored).chain([instruction(Opcode::Call, Vec::new(), called)]).collect()
}
