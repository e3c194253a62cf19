//! Checks leaving SSA against SSA itself: random functions run before and after, and store the same.
//!
//! Instructions have no meaning here but that equal ones of equal operands give equal results, so a value that lands in
//! the wrong register is seen in the next store or branch that depends on it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::flow::Flow;
use super::leave_ssa::leave_ssa;
use super::lower::{Names, lower};
use super::machine::{Base, Body, Inst, Operand, Terminator, VReg};
use super::rotate::rotate;
use crate::ir::{
    BinaryOp, Block, EntityMap, Function, FunctionBuilder, IntCond, Space, SpecialRegister, Type, UnaryOp,
    Variable,
};
use ptx::target::Arch;
use ptx::tree::{Name, Opcode};

/// A small generator of numbers: xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as usize % limit
    }
}

/// A function of random blocks that go anywhere, over a few variables that are all mutable.
fn random_function(random: &mut Random) -> Function {
    let mut b = FunctionBuilder::new("k");
    let pointer = b.add_param("out", Type::I64, Some(4));
    let entry = b.create_block();
    b.switch_to(entry);
    let out = b.param(pointer);
    let variables: Vec<Variable> = (0..2 + random.below(5)).map(|_| b.declare(Type::I32)).collect();
    let flag = b.declare(Type::Bool);
    for &variable in &variables {
        let value = match random.below(3) {
            0 => b.special(SpecialRegister::TidX),
            1 => b.load(Type::I32, Space::Global, out, 4 * random.below(9) as i32, false),
            _ => b.constant(Type::I32, random.below(9) as u64),
        };
        b.define(variable, value);
    }
    let yes = b.constant(Type::Bool, 1);
    b.define(flag, yes);
    let blocks: Vec<Block> = (0..1 + random.below(9)).map(|_| b.create_block()).collect();
    b.jump(blocks[0], &[]);
    let end = b.create_block();
    for (index, &block) in blocks.iter().enumerate() {
        b.switch_to(block);
        for _ in 0..random.below(6) {
            let [x, y, z] = [0; 3].map(|_| variables[random.below(variables.len())]);
            let [left, right] = [x, y].map(|variable| b.read(variable));
            match random.below(6) {
                0 => b.store(Space::Global, out, 0, left),
                // A copy, and an exchange.
                1 => b.define(z, left),
                2 => [(x, right), (y, left)]
                    .into_iter()
                    .for_each(|(variable, value)| b.define(variable, value)),
                3 => {
                    let less = b.int_compare(IntCond::ULt, left, right);
                    let flipped = b.unary(UnaryOp::Not, less);
                    b.define(flag, flipped);
                }
                _ => {
                    let sum = b.binary(BinaryOp::Add, left, right);
                    b.define(z, sum);
                }
            }
        }
        let [x, y] =
            [0; 2].map(|_| variables[random.below(variables.len())]).map(|variable| b.read(variable));
        // Every block leads to the next, so that all are reached; the last one may end.
        let any = blocks[random.below(blocks.len())];
        let next = blocks.get(index + 1).copied().unwrap_or(end);
        let [first, second] = if random.below(2) == 0 { [any, next] } else { [next, any] };
        match random.below(8) {
            0 | 1 => b.jump(next, &[]),
            2 | 3 => {
                let cond = b.read(flag);
                b.branch(cond, first, second);
            }
            _ => {
                let cond = b.int_compare(IntCond::SLt, x, y);
                b.branch(cond, first, second);
            }
        }
    }
    b.switch_to(end);
    let last = b.read(variables[0]);
    b.store(Space::Global, out, 0, last);
    b.ret();
    b.finish()
}

/// Runs a body for so many blocks: what it stored, and whether it ended.
fn run(body: &Body, most_blocks: usize) -> (Vec<u64>, bool) {
    let mut registers = HashMap::new();
    let mut stored = Vec::new();
    let mut block = body.layout[0];
    for _ in 0..most_blocks {
        let data = &body.blocks[block];
        for inst in &data.insts {
            step(inst, &mut registers, &mut stored);
        }
        let edge = match &data.terminator {
            Terminator::Jump(edge) => edge,
            Terminator::Branch { cond, if_true, if_false } => {
                let holds = (registers[&cond.reg] & 1 == 1) != cond.negated;
                if holds { if_true } else { if_false }
            }
            Terminator::Return | Terminator::Trap => return (stored, true),
        };
        let values: Vec<u64> = edge.copies.iter().map(|(_, source)| value(source, &registers)).collect();
        registers.extend(edge.copies.iter().map(|(dst, _)| *dst).zip(values));
        block = edge.target;
    }
    (stored, false)
}

fn step(inst: &Inst, registers: &mut HashMap<VReg, u64>, stored: &mut Vec<u64>) {
    let values: Vec<u64> = inst.operands.iter().map(|operand| value(operand, registers)).collect();
    if inst.guard.is_some_and(|guard| (registers[&guard.reg] & 1 == 1) == guard.negated) {
        inst.destinations().for_each(|dst| _ = registers.insert(dst, 0));
        return;
    }
    let Some(dst) = inst.dst else { return stored.push(values[1]) };
    let result = match inst.opcode {
        Opcode::Mov => values[0],
        Opcode::Not => values[0] ^ 1,
        opcode => hash(&(opcode, &inst.modifiers, &values)),
    };
    registers.insert(dst, result);
}

fn value(operand: &Operand, registers: &HashMap<VReg, u64>) -> u64 {
    match operand {
        Operand::Reg(reg) | Operand::Address { base: Base::Reg(reg), .. } => registers[reg],
        Operand::Not(reg) => registers[reg] ^ 1,
        Operand::Immediate(_) | Operand::Name(_) | Operand::Address { base: Base::Name(_), .. } => {
            hash(&format!("{operand:?}"))
        }
    }
}

fn hash(data: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn random_functions_store_the_same_after_leaving_ssa() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut stores = 0;
    for round in 0..3000 {
        let func = random_function(&mut random);
        crate::verify::verify_function(&func).unwrap_or_else(|errors| panic!("{errors}\n{func}"));
        let mut names = Names {
            params: EntityMap::new(),
            shared: EntityMap::new(),
            locals: EntityMap::new(),
            consts: EntityMap::new(),
            panics: Name::new("panics"),
        };
        names.params.push(Name::new("out"));
        let mut body = lower(&func, &Flow::new(&func), &names, Arch::FLOOR);
        let (expected, ends) = run(&body, 60);
        leave_ssa(&mut body);
        for what in ["leaving SSA", "rotating loops"] {
            // Critical edges have become blocks.
            let (found, ended) = run(&body, 180);
            let same = found.len() >= expected.len() && found[..expected.len()] == expected[..];
            assert!(
                same && (!ends || ended && found.len() == expected.len()),
                "round {round}, after {what}:\n{func}"
            );
            rotate(&mut body);
        }
        stores += expected.len();
    }
    assert!(stores > 3000, "the functions store too little to check anything: {stores}");
}
