//! Indices known to be below 2³² at their uses, once their checks have been removed: a length has 32 bits.
//!
//! The fact that a check establishes is lost with it, so it is recorded: the address uses the low half of the index, extended. For an
//! index `i + c` with a constant it uses the low half of `i`, if that is known to fit as well: then neighbours share an address.
//! So do `i - 1` and `row + (i - 1)`: an index is below a length, so it is at most 2³² - 2, and the sum without the 1 still fits.
//! Of a signed number of 32 bits, `x[i as usize]`, the check shows that it is not negative: [`ConvertOp::IndexExtend`] records that.

use std::collections::HashMap;

use super::Decided;
use crate::analysis::{Atoms, Cfg, DomTree, Poly, Ranges};
use crate::ir::{
    BinaryOp, Block, ConvertOp, EntityMap, Function, Inst, InstData, IntCond, SourceLoc, Type, Value,
    ValueDef,
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
/// more than the sum, and a factor no more than the product. But one beyond 2³² may have a zero beside it, so a factor is decomposed only if
/// the other is known not to be zero. Of one in 32 bits it is recorded that it does not wrap.
#[derive(Clone, Debug)]
enum Low {
    Value(Value),
    Binary(BinaryOp, Box<[Low; 2]>),
    /// A sum modulo 2³².
    Wrapping(Box<[Low; 2]>),
}

/// Maximum depth to which sums and products are decomposed.
const DEPTH: u32 = 6;

/// Facts about an index: the ranges, and the launch guards that hold where it is used.
struct Facts<'s, 'f> {
    ranges: &'s Ranges<'f>,
    atoms: &'s mut Atoms,
    certain: &'s [Poly],
    block: Block,
}

impl Facts<'_, '_> {
    /// Returns true if a value is below 2³².
    fn fits_u32(&mut self, value: Value) -> bool {
        self.ranges.fits_u32(value) || self.ranges.fits_u32_where(self.atoms, value, self.block, self.certain)
    }

    /// Returns true if a value is not zero where the index is used.
    fn is_positive(&self, value: Value) -> bool {
        self.ranges.at(value, self.block).is_none_or(|interval| interval.lo > 0)
    }

    /// Returns true if a sum or product of these does not wrap.
    fn is_exact(&mut self, func: &Function, op: BinaryOp, args: [Value; 2]) -> bool {
        let [a, b] = args.map(|arg| u128::from(self.ranges.of(arg).hi));
        let result = if op == BinaryOp::Add { a + b } else { a * b };
        let most = func.ty(args[0]).mask();
        result <= most.into()
            || self.ranges.is_exact_where(self.atoms, op, args, most, self.block, self.certain)
    }
}

impl Low {
    fn of(facts: &mut Facts<'_, '_>, func: &Function, value: Value, depth: u32) -> Low {
        let (Some(&InstData::Binary { op, args: [a, b], no_unsigned_wrap }), Some(depth)) =
            (func.def(value), depth.checked_sub(1))
        else {
            return Low::Value(value);
        };
        if !matches!(op, BinaryOp::Add | BinaryOp::Mul)
            || !no_unsigned_wrap && !facts.is_exact(func, op, [a, b])
        {
            return Low::Value(value);
        }
        Low::Binary(
            op,
            Box::new([(a, b), (b, a)].map(|(part, other)| {
                let is_whole = op == BinaryOp::Mul && !facts.is_positive(other);
                Low::of(facts, func, part, if is_whole { 0 } else { depth })
            })),
        )
    }

    /// The low half of a sum without its constant -1; none if it has another constant, or none.
    fn without_minus_one(facts: &mut Facts<'_, '_>, func: &Function, value: Value) -> Option<Low> {
        match Low::peel(facts, func, value, DEPTH) {
            (low, u64::MAX) => Some(low),
            _ => None,
        }
    }

    /// The low half of what is left of a sum without its constants, and these (modulo 2⁶⁴).
    fn peel(facts: &mut Facts<'_, '_>, func: &Function, value: Value, depth: u32) -> (Low, u64) {
        let whole = |facts: &mut Facts<'_, '_>| (Low::of(facts, func, value, depth), 0);
        let (Some(&InstData::Binary { op, args: [a, b], .. }), Some(deeper)) =
            (func.def(value), depth.checked_sub(1))
        else {
            return whole(facts);
        };
        match (op, func.constant(b)) {
            (BinaryOp::Add | BinaryOp::Sub, Some(by)) => {
                let (rest, more) = Low::peel(facts, func, a, deeper);
                (rest, more.wrapping_add(if op == BinaryOp::Add { by } else { by.wrapping_neg() }))
            }
            (BinaryOp::Add, None) => {
                let [(left, first), (right, second)] = [a, b].map(|arg| Low::peel(facts, func, arg, deeper));
                // The parts without their constants are no longer known to be less than the sum.
                let constant = first.wrapping_add(second);
                if constant == 0 {
                    return whole(facts);
                }
                (Low::Wrapping(Box::new([left, right])), constant)
            }
            _ => whole(facts),
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
    let extended = extensions(func);
    for Decided { inst, target, .. } in decided {
        let InstData::Branch { cond, if_true, .. } = &func.insts[*inst] else { continue };
        if ranges.cfg().predecessors(target.block).len() != 1 {
            continue;
        }
        let truth = if_true.block == target.block;
        let Some(index) = below_u32(ranges, func, &extended, *cond, truth) else { continue };
        if all.iter().any(|known| known.index == index && known.block == target.block) {
            continue;
        }
        let facts = &mut Facts { ranges, atoms, certain, block: target.block };
        if let Some(&InstData::Convert { op, arg }) = func.def(index) {
            let low = match (op, func.ty(arg)) {
                (ConvertOp::SignExtend, Type::I32) => Some((Low::Value(arg), ConvertOp::IndexExtend)),
                // An index that was computed in 32 bits: what does not wrap shares its address with neighbours.
                (ConvertOp::ZeroExtend, Type::I32) => match Low::of(facts, func, arg, DEPTH) {
                    Low::Value(_) => None,
                    low => Some((low, ConvertOp::ZeroExtend)),
                },
                _ => None,
            };
            let constant = Constant::None;
            all.extend(low.map(|(low, extension)| LowIndex {
                index,
                block: target.block,
                low,
                extension,
                constant,
            }));
            continue;
        }
        let part = match func.def(index) {
            Some(&InstData::Binary { op: BinaryOp::Add, args: [part, by], .. })
                if func.constant(by).is_some() =>
            {
                facts.fits_u32(part).then_some((part, by))
            }
            _ => None,
        };
        let whole = part.map_or(index, |(part, _)| part);
        if is_wide_product(func, whole) {
            continue;
        }
        let (low, constant) = match (part, Low::without_minus_one(facts, func, index)) {
            (Some((part, by)), _) => (Low::of(facts, func, part, DEPTH), Constant::Value(by)),
            (None, Some(low)) => (low, Constant::MinusOne),
            (None, None) => (Low::of(facts, func, index, DEPTH), Constant::None),
        };
        // Narrowing finds the same of the whole index by the ranges, and that its sums do not wrap. What goes round a loop may be known by
        // checks that go.
        let is_computed = matches!(func.values[index].def, ValueDef::Result(_));
        if matches!(constant, Constant::None) && is_computed && ranges.fits_u32(index) {
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

/// The first extension of each value of 32 bits by zeros.
fn extensions(func: &Function) -> HashMap<Value, Value> {
    let mut extended = HashMap::new();
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        if let (InstData::Convert { op: ConvertOp::ZeroExtend, arg }, Some(result)) =
            (&func.insts[inst], func.results[inst])
            && func.ty(*arg) == Type::I32
        {
            extended.entry(*arg).or_insert(result);
        }
    }
    extended
}

/// The 64-bit value that a condition says to be below a number of 32 bits, of which one may be compared in 32 bits. A value that the
/// ranges know to fit counts: they may know it from a check that goes.
fn below_u32(
    ranges: &Ranges<'_>,
    func: &Function,
    extended: &HashMap<Value, Value>,
    cond: Value,
    truth: bool,
) -> Option<Value> {
    match *func.def(cond)? {
        InstData::IntCompare { cond, args: [a, b] } => {
            let cond = if truth { cond } else { cond.inverse() };
            let (less, more) = match cond {
                IntCond::ULt => (a, b),
                IntCond::UGt => (b, a),
                _ => return None,
            };
            match func.ty(less) {
                Type::I32 => extended.get(&less).copied(),
                _ => ranges.fits_u32(more).then_some(less),
            }
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
