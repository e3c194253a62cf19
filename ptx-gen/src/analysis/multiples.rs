//! Known alignment of addresses, and the alignment that they would have if their slices started elsewhere.

use crate::ir::{BinaryOp, ConvertOp, Function, InstData, Param, Value};

/// The most bytes of one access.
pub const WIDEST: u32 = 16;

/// The zeros at the low end of a number, as many as are known.
pub fn trailing_zeros(func: &Function, value: Value) -> u32 {
    zeros(func, value, DEPTH)
}

/// The pointer that an address starts from, and the zeros at the low end of what is added to it.
pub fn from_pointer(func: &Function, address: Value) -> Option<(Param, u32)> {
    from(func, address, DEPTH)
}

fn from(func: &Function, address: Value, depth: u32) -> Option<(Param, u32)> {
    match *func.def(address).filter(|_| depth > 0)? {
        InstData::Param { param } => func.params[param].pointer_align.map(|_| (param, u32::MAX)),
        InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } => {
            [(a, b), (b, a)].into_iter().find_map(|(pointer, added)| {
                let (param, known) = from(func, pointer, depth - 1)?;
                Some((param, known.min(trailing_zeros(func, added))))
            })
        }
        _ => None,
    }
}

/// Alignment that an access itself states for its address.
pub fn said_alignment(data: &InstData) -> Option<u32> {
    match data {
        InstData::Load { align, .. } | InstData::Store { align, .. } => *align,
        _ => None,
    }
}

/// Number of low bits of `whole` that a value consists of, if it is `whole % 4`, `whole & 3` or the like.
pub fn low_bits(func: &Function, value: Value, whole: Value) -> Option<u32> {
    match *func.def(value)? {
        InstData::Binary { op, args: [a, b], .. } if a == whole => {
            let number = func.constant(b)?;
            match op {
                BinaryOp::And if number.wrapping_add(1).is_power_of_two() => Some(number.trailing_ones()),
                BinaryOp::URem if number.is_power_of_two() => Some(number.trailing_zeros()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Number of low bits that `x & !3`, `x - x % 4` or the like sets to zero.
pub fn cleared_low_bits(func: &Function, value: Value) -> Option<u32> {
    let &InstData::Binary { op, args: [a, b], .. } = func.def(value)? else { return None };
    let zeros = match op {
        BinaryOp::And => {
            let mask = func.constant(b)?;
            let zeros = mask.trailing_zeros().min(63);
            (mask == func.ty(value).mask() & !0 << zeros).then_some(zeros)
        }
        BinaryOp::Sub => low_bits(func, b, a),
        _ => None,
    };
    zeros.filter(|&zeros| 0 < zeros && zeros < 32)
}

/// A multiple of a number less some low bits of it: `2 * x - x % 4`.
#[derive(Clone, Copy, Debug)]
pub struct LessLowBits {
    /// The number.
    pub whole: Value,
    /// The factor, one at least.
    pub factor: u64,
    /// Number of low bits that are subtracted.
    pub bits: u32,
}

/// The parts of a difference of these, if it is a multiple of a number less some low bits of it.
pub fn less_low_bits(func: &Function, [multiple, less]: [Value; 2]) -> Option<LessLowBits> {
    let scaled = match func.def(multiple) {
        Some(&InstData::Binary { op: BinaryOp::Mul, args: [whole, by], .. }) => {
            func.constant(by).filter(|&by| by > 0).map(|by| (whole, by))
        }
        Some(&InstData::Binary { op: BinaryOp::Shl, args: [whole, by], .. }) => {
            func.constant(by).filter(|&by| by < 32).map(|by| (whole, 1 << by))
        }
        _ => None,
    };
    [Some((multiple, 1)), scaled].into_iter().flatten().find_map(|(whole, factor)| {
        let bits = low_bits(func, less, whole)?;
        Some(LessLowBits { whole, factor, bits })
    })
}

/// Maximum depth to which the operands of sums and products are followed.
const DEPTH: u32 = 8;

fn zeros(func: &Function, value: Value, depth: u32) -> u32 {
    let Some(data) = func.def(value).filter(|_| depth > 0) else { return 0 };
    let of = |value| zeros(func, value, depth - 1);
    let least = |[a, b]: [Value; 2]| of(a).min(of(b));
    match *data {
        InstData::Const { bits } => bits.trailing_zeros(),
        InstData::SharedAddress { var } => func.shared[var].align.trailing_zeros(),
        InstData::LocalAddress { var } => func.locals[var].align.trailing_zeros(),
        InstData::ConstAddress { var } => func.consts[var].align.trailing_zeros(),
        InstData::Param { param } => func.params[param].pointer_align.map_or(0, u32::trailing_zeros),
        InstData::ToGeneric { address, .. } | InstData::MapShared { address, .. } => of(address),
        InstData::Select { if_true, if_false, .. } => least([if_true, if_false]),
        InstData::Convert {
            op: ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::IndexExtend | ConvertOp::Truncate,
            arg,
        } => of(arg),
        InstData::Binary { op, args, .. } => match op {
            // `x - x % 4`, whatever `x` is.
            BinaryOp::Sub => least(args).max(low_bits(func, args[1], args[0]).unwrap_or(0)),
            BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor => least(args),
            BinaryOp::And => of(args[0]).max(of(args[1])),
            BinaryOp::Mul => of(args[0]).saturating_add(of(args[1])),
            BinaryOp::Shl => match func.constant(args[1]) {
                Some(shift) => of(args[0]).saturating_add((shift % u64::from(func.ty(value).bits())) as u32),
                None => of(args[0]),
            },
            _ => 0,
        },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits that masks clear at the low end, of which one of zero clears all, and none that is a multiple.
    #[test]
    fn masks_that_clear_low_bits() {
        for (ty, mask, zeros) in [
            ("i32", -2i64, Some(1)),
            ("i64", -16, Some(4)),
            ("i32", 6, None),
            ("i32", 0, None),
            ("i64", 0, None),
        ] {
            let text = format!(
                "kernel k(param0 p: i64 ptr align 8) {{
                block0:
                    v0: i64 = param0
                    v1: {ty} = load.global v0
                    v2: {ty} = const {mask}
                    v3: {ty} = and v1, v2
                    store.global v0, v3
                    return
                }}"
            );
            let func = crate::ir::parse_function(&text).unwrap();
            let inst = func.blocks[func.layout[0]].insts[3];
            assert_eq!(cleared_low_bits(&func, func.results[inst].unwrap()), zeros, "{ty} {mask}");
        }
    }
}
