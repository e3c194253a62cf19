//! Writes a laid-out body as PTX statements: names for registers and labels, declarations, source locations.

use super::layout::{Exit, Layout};
use super::machine::{self, Base, Body, Class, Predicate, VReg, Vector, words::UNI};
use crate::inline;
use crate::ir::{Block, Call, EntityMap, SourceLoc};
use ptx::tree::{
    Address, Guard, Immediate, Instruction, Location, Name, Opcode, Operand, Registers, Statement,
    StatementKind,
};

/// Gives each register that occurs its name, in the order of the text.
struct RegisterNames<'b> {
    classes: &'b EntityMap<VReg, Class>,
    names: EntityMap<VReg, Option<Name>>,
    /// Number of registers of each class.
    counts: [u32; Class::TABLE.len()],
}

impl RegisterNames<'_> {
    fn name(&mut self, reg: VReg) -> Name {
        if let Some(name) = &self.names[reg] {
            return name.clone();
        }
        let class = self.classes[reg] as usize;
        let name = Name::new(format!("{}{}", Class::TABLE[class].2, self.counts[class]));
        self.counts[class] += 1;
        self.names[reg] = Some(name.clone());
        name
    }
}

struct Writer<'b> {
    registers: RegisterNames<'b>,
    labels: EntityMap<Block, Option<Name>>,
    statements: Vec<Statement>,
    location: SourceLoc,
    callers: Vec<Option<Call>>,
}

/// A body as text.
pub struct Written {
    /// Declarations of registers.
    pub declarations: Vec<Statement>,
    /// The statements of the body.
    pub statements: Vec<Statement>,
    /// The caller of each location in the statements, in their order.
    pub callers: Vec<Option<Call>>,
}

/// Writes a body. `index` makes labels unique in the module.
pub fn write(body: &Body, layout: &Layout, index: usize) -> Written {
    let mut labels = EntityMap::new();
    for label in layout.labels.values() {
        labels.push(label.map(|number| Name::new(format!("$L__BB{index}_{number}"))));
    }
    let names = EntityMap::filled(body.regs.len(), None);
    let registers = RegisterNames { classes: &body.regs, names, counts: [0; Class::TABLE.len()] };
    let mut writer = Writer {
        registers,
        labels,
        statements: Vec::new(),
        location: SourceLoc::default(),
        callers: Vec::new(),
    };
    for &(block, exit) in &layout.blocks {
        writer.block(body, block, exit);
    }
    let Writer { registers, statements, callers, .. } = writer;
    Written { declarations: declarations(&registers), statements, callers }
}

fn declarations(registers: &RegisterNames<'_>) -> Vec<Statement> {
    let used = Class::TABLE.iter().zip(registers.counts).filter(|&(_, count)| count != 0);
    used.map(|(&(_, ty, stem), count)| {
        StatementKind::Registers(Registers { ty, vector: 1, name: stem.into(), count: Some(count) }).into()
    })
    .collect()
}

impl Writer<'_> {
    fn block(&mut self, body: &Body, block: Block, exit: Exit) {
        if let Some(label) = self.labels[block].clone() {
            self.statements.push(StatementKind::Label(label).into());
        }
        let data = &body.blocks[block];
        if data.nounroll {
            self.statements.push(StatementKind::Pragma("nounroll".into()).into());
        }
        for inst in &data.insts {
            self.locate(inst.location);
            self.inst(inst);
        }
        self.locate(data.location);
        match exit {
            Exit::FallThrough => {}
            Exit::Jump(target) => self.jump(target),
            Exit::Branch(cond, target) => self.branch(cond, target),
            Exit::BranchAndJump(cond, first, second) => {
                self.branch(cond, first);
                self.jump(second);
            }
            Exit::Return => self.plain(Opcode::Ret),
            Exit::Trap => self.plain(Opcode::Trap),
        }
    }

    /// `.loc`, where it changes.
    fn locate(&mut self, location: SourceLoc) {
        let is_known = location == self.location && location.caller == self.location.caller;
        if location.line == 0 || is_known {
            return;
        }
        self.location = location;
        self.callers.push(location.caller);
        let SourceLoc { file, line, column, .. } = location;
        self.statements.push(StatementKind::Location(Location { file: file.0 + 1, line, column }).into());
    }

    fn inst(&mut self, inst: &machine::Inst) {
        if let Some(statements) = &inst.inline {
            return self.inline(inst, statements);
        }
        let mut operands = Vec::with_capacity(inst.operands.len() + 1);
        operands.extend(inst.destinations().map(|dst| Operand::Name(self.registers.name(dst))));
        if inst.vector == Some(Vector::Destinations) {
            operands = vec![Operand::Vector(operands)];
        }
        let mut sources = Vec::new();
        for operand in &inst.operands {
            match (self.operand(operand), inst.vector) {
                (operand @ Operand::Address(_), _) | (operand, None | Some(Vector::Destinations)) => {
                    operands.push(operand);
                }
                (operand, Some(Vector::Sources)) => sources.push(operand),
            }
        }
        operands.extend((!sources.is_empty()).then_some(Operand::Vector(sources)));
        let modifiers = inst.modifiers.clone();
        // PTX writes the destination first; a store has none, and its address comes first already.
        let guard = inst.guard.map(|guard| self.guard(guard));
        self.push(Instruction { guard, opcode: inst.opcode, modifiers, operands });
        if let Some(Predicate { reg, negated }) = inst.guard {
            // Afterwards: what is written may be what was read.
            let guard = Some(self.guard(Predicate { reg, negated: !negated }));
            for dst in inst.destinations() {
                let modifiers = vec![self.registers.classes[dst].bits().into()];
                let operands =
                    vec![Operand::Name(self.registers.name(dst)), Operand::Immediate(Immediate::Int(0))];
                self.push(Instruction { guard: guard.clone(), opcode: Opcode::Mov, modifiers, operands });
            }
        }
    }

    /// Statements of the user's own, in braces if they declare something.
    fn inline(&mut self, inst: &machine::Inst, statements: &[Statement]) {
        let mut operands: Vec<Operand> =
            inst.destinations().map(|reg| Operand::Name(self.registers.name(reg))).collect();
        operands.extend(inst.operands.iter().map(|operand| self.operand(operand)));
        let filled = inline::fill(statements, &operands);
        match inline::declares(statements) {
            true => self.statements.push(StatementKind::Block(filled).into()),
            false => self.statements.extend(filled),
        }
    }

    fn operand(&mut self, operand: &machine::Operand) -> Operand {
        match operand {
            machine::Operand::Reg(reg) => Operand::Name(self.registers.name(*reg)),
            machine::Operand::Not(reg) => Operand::Not(self.registers.name(*reg)),
            machine::Operand::Immediate(immediate) => Operand::Immediate(*immediate),
            machine::Operand::Name(name) => Operand::Name(name.clone()),
            machine::Operand::Address { base, offset } => {
                let base = match base {
                    Base::Reg(reg) => self.registers.name(*reg),
                    Base::Name(name) => name.clone(),
                };
                Operand::Address(Address { base: Some(base), offset: *offset, coordinates: Vec::new() })
            }
        }
    }

    fn jump(&mut self, target: Block) {
        let operands = self.target(target);
        self.push(Instruction { guard: None, opcode: Opcode::Bra, modifiers: vec![UNI], operands });
    }

    fn guard(&mut self, Predicate { reg, negated }: Predicate) -> Guard {
        Guard { predicate: self.registers.name(reg), negated }
    }

    fn branch(&mut self, predicate: Predicate, target: Block) {
        let guard = Some(self.guard(predicate));
        let operands = self.target(target);
        self.push(Instruction { guard, opcode: Opcode::Bra, modifiers: Vec::new(), operands });
    }

    fn target(&self, target: Block) -> Vec<Operand> {
        self.labels[target].iter().map(|label| Operand::Name(label.clone())).collect()
    }

    fn plain(&mut self, opcode: Opcode) {
        self.push(Instruction { guard: None, opcode, modifiers: Vec::new(), operands: Vec::new() });
    }

    fn push(&mut self, instruction: Instruction) {
        self.statements.push(StatementKind::Instruction(instruction).into());
    }
}
