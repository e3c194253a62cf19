//! PTX instructions that can flush subnormal numbers, and the position of `.ftz` in them.

use super::machine::words::*;
use ptx::tree::{Modifier, Opcode};

/// Opcodes with `.ftz` at the type `f32`. `tanh`, `copysign`, `selp`, `mov` and the memory instructions have none.
const ARITHMETIC: &[Opcode] = &[
    Opcode::Add,
    Opcode::Sub,
    Opcode::Mul,
    Opcode::Fma,
    Opcode::Div,
    Opcode::Rcp,
    Opcode::Sqrt,
    Opcode::Rsqrt,
    Opcode::Sin,
    Opcode::Cos,
    Opcode::Ex2,
    Opcode::Lg2,
    Opcode::Min,
    Opcode::Max,
    Opcode::Abs,
    Opcode::Neg,
    Opcode::Setp,
];

/// Adds `.ftz` to an instruction that has it for the types it is at: arithmetic and comparisons of `f32`, and conversions
/// from or to it, but those of integers to `f32` and of floats of 16 bits, which meet no subnormal `f32`. Instructions that have
/// it already, and those that saturate, where it makes no difference, stay as they are.
pub(super) fn flush_subnormals(opcode: Opcode, modifiers: &mut Vec<Modifier>) {
    let is_type = |modifier: &Modifier| matches!(modifier, Modifier::Type(_));
    let Some(first) = modifiers.iter().position(is_type) else { return };
    let flushes = match modifiers[first..] {
        _ if modifiers.iter().any(|modifier| matches!(*modifier, FTZ | SAT)) => false,
        [F32] => ARITHMETIC.contains(&opcode),
        [F32, F32 | F64] | [F64 | U32 | S32 | U64 | S64, F32] => opcode == Opcode::Cvt,
        _ => false,
    };
    if flushes {
        modifiers.insert(first, FTZ);
    }
}
