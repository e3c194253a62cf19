//! Indices known to be below 2³² at their uses, once their checks have been removed: a length has 32 bits.
//!
//! The fact that a check establishes is lost with it, so it is recorded: the address uses the low half of the index, extended. For an
//! index `i + c` with a constant it uses the low half of `i`, if that is known to fit as well: then neighbours share an address.
//! So do `i - 1` and `row + (i - 1)`: an index is below a length, so it is at most 2³² - 2, and the sum without the 1 still fits.
//! Of a signed number of 32 bits, `x[i as usize]`, the check shows that it is not negative: [`ConvertOp::IndexExtend`] records that.

use super::Decided;
use crate::analysis::{Atoms, Cfg, DomTree, Poly, Ranges};
use crate::ir::{
    BinaryOp, Block, ConvertOp, EntityMap, Function, Inst, InstData, IntCond, SourceLoc, Type, Value,
};
use crate::passes::limits::addresses;

/// An index, and the block where it is below 2³².
#[derive(Clone, Debug)]
pub(super) struct LowIndex {
    index: Value,
    block: Block,
    /// The low half of the index, or of a value below 2³² that gives the index with a constant.
    low: Low,
    extension: ConvertOp,
    constant: Constant,
}

/// Added to the extended low half.
#[derive(Clone, Copy, Debug)]
enum Constant {
    None,
    Value(Value),
    MinusOne,
}

/// Computation of the low half of a number below 2³² from low halves.
///
/// The parts of a sum or product that does not wrap in 64 bits and is below 2³² do not wrap in 32 bits either: a part of a sum is no
/// more than the sum, and a factor beyond 2³² has a zero beside it, so factors are not decomposed.
#[derive(Clone, Debug)]
enum Low {
    Value(Value),
    Binary(BinaryOp, Box<[Low; 2]>),
    /// A sum modulo 2³².
    Wrapping(Box<[Low; 2]>),
}

/// Maximum depth to which sums and products are decomposed.
const DEPTH: u32 = 6;

impl Low {
    fn of(ranges: &Ranges<'_>, func: &Function, value: Value, depth: u32) -> Low {
        let (Some(&InstData::Binary { op, args: [a, b], no_unsigned_wrap }), Some(depth)) =
            (func.def(value), depth.checked_sub(1))
        else {
            return Low::Value(value);
        };
        let [most_a, most_b] = [a, b].map(|arg| u128::from(ranges.of(arg).hi));
        let (most, depth) = match op {
            BinaryOp::Add => (most_a + most_b, depth),
            BinaryOp::Mul => (most_a * most_b, 0),
            _ => return Low::Value(value),
        };
        if !no_unsigned_wrap && most > u64::MAX.into() {
            return Low::Value(value);
        }
        Low::Binary(op, Box::new([a, b].map(|arg| Low::of(ranges, func, arg, depth))))
    }

    /// The low half of a sum without its constant -1; none if it has another constant, or none.
    fn without_minus_one(ranges: &Ranges<'_>, func: &Function, value: Value) -> Option<Low> {
        match Low::peel(ranges, func, value, DEPTH) {
            (low, u64::MAX) => Some(low),
            _ => None,
        }
    }

    /// The low half of what is left of a sum without its constants, and these (modulo 2⁶⁴).
    fn peel(ranges: &Ranges<'_>, func: &Function, value: Value, depth: u32) -> (Low, u64) {
        let whole = || (Low::of(ranges, func, value, depth), 0);
        let (Some(&InstData::Binary { op, args: [a, b], .. }), Some(deeper)) =
            (func.def(value), depth.checked_sub(1))
        else {
            return whole();
        };
        match (op, func.constant(b)) {
            (BinaryOp::Add | BinaryOp::Sub, Some(by)) => {
                let (rest, more) = Low::peel(ranges, func, a, deeper);
                (rest, more.wrapping_add(if op == BinaryOp::Add { by } else { by.wrapping_neg() }))
            }
            (BinaryOp::Add, None) => {
                let [(left, first), (right, second)] = [a, b].map(|arg| Low::peel(ranges, func, arg, deeper));
                // The parts without their constants are no longer known to be less than the sum.
                let constant = first.wrapping_add(second);
                if constant == 0 {
                    return whole();
                }
                (Low::Wrapping(Box::new([left, right])), constant)
            }
            _ => whole(),
        }
    }

    /// Appends the computation; that of a part of a sum that wraps is not known to be exact.
    fn make(&self, func: &mut Function, location: SourceLoc, is_exact: bool, insts: &mut Vec<Inst>) -> Value {
        let data = match self {
            Low::Value(value) if func.ty(*value) == Type::I32 => return *value,
            Low::Value(value) => InstData::Convert { op: ConvertOp::Truncate, arg: *value },
            Low::Binary(op, parts) => {
                let args = [0, 1].map(|part| parts[part].make(func, location, is_exact, insts));
                InstData::Binary { op: *op, args, no_unsigned_wrap: is_exact }
            }
            Low::Wrapping(parts) => {
                let args = [0, 1].map(|part| parts[part].make(func, location, false, insts));
                InstData::Binary { op: BinaryOp::Add, args, no_unsigned_wrap: false }
            }
        };
        let (inst, value) = func.make_value(data, Type::I32, location);
        insts.push(inst);
        value
    }
}

/// The indices of the checks that are decided.
pub(super) fn low<'d>(
    ranges: &Ranges<'_>,
    atoms: &mut Atoms,
    certain: &[Poly],
    func: &Function,
    decided: impl Iterator<Item = &'d Decided>,
) -> Vec<LowIndex> {
    let mut all: Vec<LowIndex> = Vec::new();
    for Decided { inst, target, .. } in decided {
        let InstData::Branch { cond, if_true, .. } = &func.insts[*inst] else { continue };
        if ranges.cfg().predecessors(target.block).len() != 1 {
            continue;
        }
        let truth = if_true.block == target.block;
        let Some(index) = below_u32(ranges, func, *cond, truth) else { continue };
        if all.iter().any(|known| known.index == index && known.block == target.block) {
            continue;
        }
        if let Some(&InstData::Convert { op, arg }) = func.def(index) {
            if op == ConvertOp::SignExtend && func.ty(arg) == Type::I32 {
                let (low, constant) = (Low::Value(arg), Constant::None);
                let extension = ConvertOp::IndexExtend;
                all.push(LowIndex { index, block: target.block, low, extension, constant });
            }
            continue;
        }
        let part = match func.def(index) {
            Some(&InstData::Binary { op: BinaryOp::Add, args: [part, by], .. })
                if func.constant(by).is_some() =>
            {
                let fits = ranges.fits_u32(part) || ranges.fits_u32_where(atoms, part, target.block, certain);
                fits.then_some((part, by))
            }
            _ => None,
        };
        let whole = part.map_or(index, |(part, _)| part);
        if is_wide_product(func, whole) {
            continue;
        }
        let (low, constant) = match (part, Low::without_minus_one(ranges, func, index)) {
            (Some((part, by)), _) => (Low::of(ranges, func, part, DEPTH), Constant::Value(by)),
            (None, Some(low)) => (low, Constant::MinusOne),
            (None, None) => (Low::of(ranges, func, index, DEPTH), Constant::None),
        };
        // Narrowing finds the same of the whole index by the ranges, and that its sums do not wrap.
        if matches!(constant, Constant::None) && ranges.fits_u32(index) {
            continue;
        }
        all.push(LowIndex { index, block: target.block, low, extension: ConvertOp::ZeroExtend, constant });
    }
    all
}

/// Returns true if one instruction multiplies a 32-bit value by a constant and gives 64 bits, with the size of an element too.
fn is_wide_product(func: &Function, value: Value) -> bool {
    let is_extension =
        |value| matches!(func.def(value), Some(InstData::Convert { op: ConvertOp::ZeroExtend, .. }));
    match func.def(value) {
        Some(&InstData::Binary { op: BinaryOp::Mul | BinaryOp::Shl, args: [a, by], .. }) => {
            is_extension(a) && func.constant(by).is_some()
        }
        _ => false,
    }
}

/// The 64-bit value that a condition says to be below a number of 32 bits. A value that the ranges know to fit counts: they may know
/// it from a check that goes.
fn below_u32(ranges: &Ranges<'_>, func: &Function, cond: Value, truth: bool) -> Option<Value> {
    match *func.def(cond)? {
        InstData::IntCompare { cond, args: [a, b] } => {
            let cond = if truth { cond } else { cond.inverse() };
            let (less, more) = match cond {
                IntCond::ULt => (a, b),
                IntCond::UGt => (b, a),
                _ => return None,
            };
            (func.ty(less) == Type::I64 && ranges.fits_u32(more)).then_some(less)
        }
        _ => None,
    }
}

/// Makes addresses of the low halves.
pub(super) fn make_low(func: &mut Function, low: &[LowIndex]) {
    if low.is_empty() {
        return;
    }
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let parts = address_parts(func);
    for LowIndex { index, block, low, extension, constant } in low {
        let users: Vec<(Block, Inst)> = parts
            .iter()
            .copied()
            .filter(|(home, inst)| {
                let mut uses = false;
                func.insts[*inst].visit_args(|arg| uses |= arg == *index);
                uses && tree.dominates(*block, *home)
            })
            .collect();
        let Some(&(_, first)) = users.first() else { continue };
        let location = func.locations[first];
        let mut insts = Vec::new();
        let short = low.make(func, location, true, &mut insts);
        let extend = InstData::Convert { op: *extension, arg: short };
        let (inst, mut known) = func.make_value(extend, Type::I64, location);
        insts.push(inst);
        let by = match *constant {
            Constant::None => None,
            Constant::Value(by) => Some(by),
            Constant::MinusOne => {
                let (inst, value) = func.make_value(InstData::Const { bits: u64::MAX }, Type::I64, location);
                insts.push(inst);
                Some(value)
            }
        };
        if let Some(by) = by {
            let sum = InstData::Binary { op: BinaryOp::Add, args: [known, by], no_unsigned_wrap: false };
            let (inst, value) = func.make_value(sum, Type::I64, location);
            insts.push(inst);
            known = value;
        }
        func.blocks[*block].insts.splice(0..0, insts);
        for (_, user) in users {
            func.insts[user].map_args(|arg| if arg == *index { known } else { arg });
        }
    }
}

/// The instructions that make addresses of indices: products with sizes of elements, and sums with what these start from.
fn address_parts(func: &Function) -> Vec<(Block, Inst)> {
    let is_address = addresses(func);
    let mut is_offset = EntityMap::<Value, bool>::filled(func.values.len(), false);
    let mut sums = Vec::new();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let Some(result) = func.results[inst].filter(|&result| is_address[result]) else { continue };
            match func.insts[inst] {
                InstData::Binary { op: BinaryOp::Add, args, .. } => {
                    sums.push((block, inst));
                    args.into_iter().for_each(|arg| is_offset[arg] = true);
                }
                InstData::Binary { .. } => is_offset[result] = true,
                _ => {}
            }
        }
    }
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let Some(result) = func.results[inst].filter(|&result| is_offset[result]) else { continue };
            if let InstData::Binary { op: BinaryOp::Mul | BinaryOp::Shl, args, .. } = func.insts[inst]
                && func.constant(args[1]).is_some()
                && func.ty(result) == Type::I64
            {
                sums.push((block, inst));
            }
        }
    }
    sums
}
