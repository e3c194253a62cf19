//! Rematerialisation of values of a loop: in front of it the invariant ones, and in any block those that follow from
//! the counter alone, for another value of the counter. Other passes rematerialise in front of any part of a function.

use std::collections::HashMap;

use super::super::checks;
use super::copy::{call, copy_region, spill_live_out};
use crate::analysis::{DomTree, Loop, is_register};
use crate::ir::{
    BinaryOp, Block, BlockCall, Entity, EntityMap, Function, InstData, IntCond, LoopHint, SourceLoc,
    SpecialRegister, Type, UnaryOp, Value, ValueDef,
};

/// Maximum number of operations rematerialised for one value.
const MOST_PARTS: usize = 64;

/// The values that a loop computes, or any other part of a function.
pub(in crate::passes) struct Inside(EntityMap<Value, bool>);

impl Inside {
    pub(in crate::passes) fn new(func: &Function, blocks: &[Block]) -> Inside {
        let mut inside = EntityMap::filled(func.values.len(), false);
        for &block in blocks {
            let results = func.blocks[block].insts.iter().filter_map(|&inst| func.results[inst]);
            func.blocks[block].params.iter().copied().chain(results).for_each(|value| inside[value] = true);
        }
        Inside(inside)
    }

    pub(in crate::passes) fn has(&self, value: Value) -> bool {
        self.0.get(value).is_some_and(|&inside| inside)
    }

    /// The value, a new one, is computed there.
    pub(in crate::passes) fn enter(&mut self, value: Value) {
        while self.0.len() <= value.index() {
            self.0.push(false);
        }
        self.0[value] = true;
    }

    /// The value will be computed before.
    pub(in crate::passes) fn leave(&mut self, value: Value) {
        self.0[value] = false;
    }

    /// Returns true if a value is loop-invariant, and can be computed before the loop.
    pub(in crate::passes) fn is_invariant(&self, func: &Function, value: Value) -> bool {
        self.follows_from(func, value, &[])
    }

    /// Returns true if a value is made of these and of loop-invariant values.
    pub(in crate::passes) fn follows_from(&self, func: &Function, value: Value, given: &[Value]) -> bool {
        let mut parts = vec![value];
        let mut next = 0;
        while let Some(&part) = parts.get(next) {
            next += 1;
            if given.contains(&part) || !self.has(part) {
                continue;
            }
            let ValueDef::Result(inst) = func.values[part].def else { return false };
            let data = &func.insts[inst];
            if !data.is_pure() || may_trap(func, data) {
                return false;
            }
            data.visit_args(|arg| {
                if !parts.contains(&arg) {
                    parts.push(arg);
                }
            });
            if parts.len() > MOST_PARTS {
                return false;
            }
        }
        true
    }
}

/// A division is computed only where its divisor was tested.
pub(in crate::passes) fn may_trap(func: &Function, data: &InstData) -> bool {
    match data {
        InstData::Binary { op: BinaryOp::UDiv | BinaryOp::URem, args, .. } => {
            func.constant(args[1]).is_none_or(|bits| bits == 0)
        }
        InstData::Binary { op: BinaryOp::SDiv | BinaryOp::SRem, args, .. } => {
            func.constant(args[1]).is_none_or(|bits| bits == 0 || bits == func.ty(args[1]).mask())
        }
        _ => false,
    }
}

/// A check that every iteration makes, of values that follow from the counter: it jumps to a panic, or goes on.
#[derive(Clone, Copy)]
pub(super) struct Check {
    /// The block that it ends.
    pub(super) block: Block,
    pub(super) cond: Value,
    /// It passes if the condition is this.
    pub(super) passes_if: bool,
    /// It is loop-invariant.
    pub(super) is_invariant: bool,
    /// It passes while the counter is below this.
    pub(super) below: Option<Value>,
}

/// The checks of a loop that can be made before the iteration.
pub(super) fn checks(
    func: &Function,
    tree: &DomTree,
    around: &Loop,
    inside: &Inside,
    counter: Value,
) -> Vec<Check> {
    let check = |&block: &Block| {
        let checks::Check { cond, truth: passes_if, .. } = checks::Check::of(func, block)?;
        let is_made = around.latches.iter().all(|&latch| tree.dominates(block, latch));
        let is_known = inside.follows_from(func, cond, &[counter]);
        let is_invariant = is_known && inside.is_invariant(func, cond);
        let below = match func.def(cond)? {
            InstData::IntCompare { cond: IntCond::ULt, args: [a, b] } => {
                (passes_if && *a == counter && inside.is_invariant(func, *b)).then_some(*b)
            }
            _ => None,
        };
        (is_made && is_known).then_some(Check { block, cond, passes_if, is_invariant, below })
    };
    around.blocks.iter().filter_map(check).collect()
}

/// Adds instructions at the ends of blocks.
pub(in crate::passes) struct Appender<'f> {
    pub(in crate::passes) func: &'f mut Function,
    pub(in crate::passes) inside: &'f Inside,
    pub(in crate::passes) location: SourceLoc,
}

impl Appender<'_> {
    pub(in crate::passes) fn value(&mut self, block: Block, data: InstData, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(data, ty, self.location);
        self.func.blocks[block].insts.push(inst);
        value
    }

    pub(in crate::passes) fn effect(&mut self, block: Block, data: InstData) {
        let inst = self.func.make_inst(data, None, self.location);
        self.func.blocks[block].insts.push(inst);
    }

    pub(in crate::passes) fn constant(&mut self, block: Block, bits: u64, ty: Type) -> Value {
        self.value(block, InstData::Const { bits: bits & ty.mask() }, ty)
    }

    pub(in crate::passes) fn binary(
        &mut self,
        block: Block,
        op: BinaryOp,
        args: [Value; 2],
        nuw: bool,
    ) -> Value {
        let ty = self.func.ty(args[0]);
        self.value(block, InstData::Binary { op, args, no_unsigned_wrap: nuw }, ty)
    }

    /// All of these; none for none.
    pub(super) fn all(&mut self, block: Block, conds: &[Value]) -> Option<Value> {
        conds.iter().copied().reduce(|a, b| self.binary(block, BinaryOp::And, [a, b], false))
    }

    /// Goes to one block if all of these hold, else to another.
    pub(in crate::passes) fn branch(
        &mut self,
        block: Block,
        conds: &[Value],
        if_true: BlockCall,
        if_false: BlockCall,
    ) {
        let data = match self.all(block, conds) {
            Some(cond) => InstData::Branch { cond, if_true, if_false, hint: None },
            None => InstData::Jump { target: if_true },
        };
        self.effect(block, data);
    }

    /// A loop-invariant value.
    pub(in crate::passes) fn invariant(&mut self, block: Block, value: Value) -> Value {
        self.again(block, value, &mut HashMap::new())
    }

    /// A value as it is in the iteration whose counter is known: `known` holds the values computed already.
    pub(in crate::passes) fn again(
        &mut self,
        block: Block,
        value: Value,
        known: &mut HashMap<Value, Value>,
    ) -> Value {
        if let Some(&copy) = known.get(&value) {
            return copy;
        }
        let ValueDef::Result(inst) = self.func.values[value].def else { return value };
        if !self.inside.has(value) {
            return value;
        }
        let mut data = self.func.insts[inst].clone();
        data.map_args(|arg| self.again(block, arg, known));
        // Nothing was tested yet that would keep it from wrapping.
        let wraps = !is_exact_everywhere(self.func, &data);
        if let InstData::Binary { no_unsigned_wrap, .. } = &mut data {
            *no_unsigned_wrap &= !wraps;
        }
        let (ty, location) = (self.func.ty(value), self.func.locations[inst]);
        let (inst, copy) = self.func.make_value(data, ty, location);
        self.func.blocks[block].insts.push(inst);
        known.insert(value, copy);
        copy
    }

    /// Condition under which a check passes in the iteration whose counter is known.
    pub(super) fn passes(&mut self, block: Block, check: &Check, known: &mut HashMap<Value, Value>) -> Value {
        let cond = self.again(block, check.cond, known);
        match check.passes_if {
            true => cond,
            false => self.value(block, InstData::Unary { op: UnaryOp::Not, arg: cond }, Type::Bool),
        }
    }
}

/// The products of launch registers that never wrap, as launches check: the number of a block's first thread, and of all threads, along
/// an axis. Other operations may be exact only behind a check.
const EXACT: [[SpecialRegister; 2]; 6] = [
    [SpecialRegister::CtaidX, SpecialRegister::NtidX],
    [SpecialRegister::CtaidY, SpecialRegister::NtidY],
    [SpecialRegister::CtaidZ, SpecialRegister::NtidZ],
    [SpecialRegister::NctaidX, SpecialRegister::NtidX],
    [SpecialRegister::NctaidY, SpecialRegister::NtidY],
    [SpecialRegister::NctaidZ, SpecialRegister::NtidZ],
];

/// Returns true for a product of registers that wraps in no launch, so that this holds wherever it is computed.
fn is_exact_everywhere(func: &Function, data: &InstData) -> bool {
    let &InstData::Binary { op: BinaryOp::Mul, args: [a, b], .. } = data else { return false };
    let is = |[x, y]: [SpecialRegister; 2]| is_register(func, a, x) && is_register(func, b, y);
    EXACT.iter().any(|&[x, y]| is([x, y]) || is([y, x]))
}

/// Loop versioning: behind `test`, which all that enter the loop come to, a copy of it runs by way of `entry` if all of the conditions hold there, and
/// else the loop itself, which is not unrolled then. Both start with the same arguments of the header. Returns the copies of the blocks; variables in
/// local memory carry what is live behind the loop until they are promoted.
pub(in crate::passes) fn version_by(
    func: &mut Function,
    [test, entry]: [Block; 2],
    conds: &[Value],
    (header, starts): (Block, &[Value]),
    region: &[Block],
) -> HashMap<Block, Block> {
    spill_live_out(func, region);
    let copy = copy_region(func, region);
    let location = func.terminator(header).map_or(SourceLoc::default(), |inst| func.locations[inst]);
    let nothing_inside = Inside::new(func, &[]);
    let mut out = Appender { func, inside: &nothing_inside, location };
    out.branch(test, conds, call(entry, &[]), call(header, starts));
    out.effect(entry, InstData::Jump { target: call(copy[&header], starts) });
    func.blocks[header].hint = Some(LoopHint::Never);
    let at = func.layout.iter().position(|&block| block == header).unwrap_or(func.layout.len());
    let added = [test, entry].into_iter().chain(region.iter().map(|block| copy[block]));
    func.layout.splice(at..at, added.collect::<Vec<_>>());
    copy
}
