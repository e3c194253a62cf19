//! If-conversion plan of a branch: the order of the instructions of both sides, and the predicate of each.
//!
//! Both sides are put one after the other. An instruction of both is computed once; so is a load that both make before they write
//! anything. Stores to the same location at the end of both sides are one store of a selected value. Other accesses are
//! predicated.

use std::collections::HashMap;

use super::Side;
use super::cost::{cost, weight};
use crate::ir::{BinaryOp, Block, BlockCall, Function, Inst, InstData, SourceLoc, Type, UnaryOp, Value};

/// An instruction of a side.
struct Step {
    inst: Inst,
    /// The instruction, with operands of the other side where that computes them.
    data: InstData,
    /// True if it is done only on its own side.
    guarded: bool,
    /// The side.
    holds: bool,
}

/// A store that both sides end with.
struct CommonStore {
    /// The store of the true side.
    store: InstData,
    /// Value that the false side stores.
    other: Value,
    location: SourceLoc,
}

/// See the head of this file.
pub(super) struct Plan {
    steps: Vec<Step>,
    stores: Vec<CommonStore>,
    /// The arguments of the jump on each side.
    args: Vec<(Value, Value)>,
}

/// Treatment of an instruction when its side is not taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It can be executed speculatively.
    Pure,
    /// It reads.
    Load,
    /// It writes, or does both.
    Effect,
    /// It may be executed under any condition.
    Harmless,
    /// It needs the branch.
    Impossible,
}

fn kind(data: &InstData) -> Kind {
    match data {
        InstData::Load { .. } => Kind::Load,
        InstData::Store { .. }
        | InstData::AtomicCas { .. }
        | InstData::AtomicRmw { .. }
        | InstData::AtomicLoad { .. }
        | InstData::AtomicStore { .. }
        | InstData::Guarded { .. } => Kind::Effect,
        InstData::Fence { .. } | InstData::Special { .. } => Kind::Harmless,
        InstData::Inline { pure: false, .. }
        | InstData::InlineEffect { .. }
        | InstData::Shuffle { .. }
        | InstData::Vote { .. }
        | InstData::Match { .. }
        | InstData::Redux { .. }
        | InstData::ActiveMask
        | InstData::BarrierReduce { .. }
        | InstData::WarpBarrier { .. }
        | InstData::Barrier
        | InstData::GridBarrier
        | InstData::ClusterBarrier { .. }
        | InstData::NamedBarrier { .. }
        | InstData::Print { .. }
        | InstData::Jump { .. }
        | InstData::Branch { .. }
        | InstData::Return
        | InstData::Panic { .. } => Kind::Impossible,
        InstData::Inline { pure: true, .. }
        | InstData::InlineOut { .. }
        | InstData::Const { .. }
        | InstData::Unary { .. }
        | InstData::Binary { .. }
        | InstData::Fma { .. }
        | InstData::Select { .. }
        | InstData::IntCompare { .. }
        | InstData::FloatCompare { .. }
        | InstData::Convert { .. }
        | InstData::Pack { .. }
        | InstData::Extract { .. }
        | InstData::Param { .. }
        | InstData::SharedAddress { .. }
        | InstData::LocalAddress { .. }
        | InstData::ConstAddress { .. }
        | InstData::ToGeneric { .. }
        | InstData::MapShared { .. } => Kind::Pure,
    }
}

impl Plan {
    /// Of the sides of a branch, the true one first; none if an instruction needs the branch.
    pub(super) fn new(func: &Function, [yes, no]: [&Side; 2]) -> Option<Plan> {
        let insts = || yes.insts.iter().chain(&no.insts);
        if insts().any(|&inst| kind(&func.insts[inst]) == Kind::Impossible) {
            return None;
        }
        let mut plan = Plan { steps: Vec::new(), stores: Vec::new(), args: Vec::new() };
        // Computations and loads of the true side, by their data.
        let mut known: HashMap<(InstData, Option<Type>), (usize, Value)> = HashMap::new();
        let mut renamed: HashMap<Value, Value> = HashMap::new();
        for (side, holds) in [(yes, true), (no, false)] {
            let mut written = false;
            for &inst in &side.insts {
                let mut data = func.insts[inst].clone();
                data.map_args(|arg| renamed.get(&arg).copied().unwrap_or(arg));
                let kind = kind(&data);
                // A fact known behind the branch is not known before it.
                if let InstData::Binary { no_unsigned_wrap, .. } = &mut data {
                    *no_unsigned_wrap = false;
                }
                let result = func.results[inst];
                let shared = kind == Kind::Pure || kind == Kind::Load && !written;
                if let Some(result) = result.filter(|_| shared) {
                    let key = (data.clone(), Some(func.ty(result)));
                    if holds {
                        known.insert(key, (plan.steps.len(), result));
                    } else if let Some(&(index, value)) = known.get(&key) {
                        renamed.insert(result, value);
                        plan.steps[index].guarded = false;
                        continue;
                    }
                }
                written |= kind == Kind::Effect || matches!(data, InstData::Fence { .. });
                let guarded = matches!(kind, Kind::Load | Kind::Effect);
                plan.steps.push(Step { inst, data, guarded, holds });
            }
        }
        plan.join_stores(func);
        let name = |arg: &Value| renamed.get(arg).copied().unwrap_or(*arg);
        let BlockCall { args: if_true, .. } = &yes.target;
        plan.args = if_true.iter().zip(&no.target.args).map(|(a, b)| (*a, name(b))).collect();
        Some(plan)
    }

    /// Takes stores to the same location from the ends of both sides.
    fn join_stores(&mut self, func: &Function) {
        let last = |plan: &Plan, holds: bool| {
            let accesses = |step: &Step| step.holds == holds && !matches!(kind(&step.data), Kind::Pure);
            plan.steps.iter().rposition(accesses)
        };
        while let (Some(yes), Some(no)) = (last(self, true), last(self, false)) {
            let (InstData::Store { value, .. }, InstData::Store { value: other, .. }) =
                (&self.steps[yes].data, &self.steps[no].data)
            else {
                return;
            };
            let (value, other) = (*value, *other);
            let mut of_other = self.steps[no].data.clone();
            if let InstData::Store { value: stored, .. } = &mut of_other {
                *stored = value;
            }
            if of_other != self.steps[yes].data || func.ty(value) != func.ty(other) {
                return;
            }
            let location = func.locations[self.steps[yes].inst];
            // The false side comes later.
            self.steps.remove(no);
            let Step { data: store, .. } = self.steps.remove(yes);
            self.stores.insert(0, CommonStore { store, other, location });
        }
    }

    /// Returns true if nothing is predicated, and nothing with an effect speculated.
    pub(super) fn is_speculative(&self) -> bool {
        self.steps.iter().all(|step| !step.guarded && kind(&step.data) != Kind::Harmless)
    }

    /// Returns true if all that the sides do is to compare integers with constants, and to select by that.
    pub(super) fn chooses(&self, func: &Function) -> bool {
        self.steps.iter().all(|step| match step.data {
            InstData::Const { .. } | InstData::Select { .. } => true,
            InstData::IntCompare { args: [_, b], .. } => func.constant(b).is_some(),
            InstData::Binary { op: BinaryOp::And | BinaryOp::Or, args: [a, _], .. } => {
                func.ty(a) == Type::Bool
            }
            _ => false,
        })
    }

    /// Cost of the speculated instructions of both sides; none if one must not be speculated.
    pub(super) fn cost(&self, func: &Function) -> Option<u32> {
        let costs = self.steps.iter().map(|step| match kind(&step.data) {
            // Both sides make it.
            Kind::Load => Some(0),
            Kind::Pure | Kind::Effect | Kind::Harmless | Kind::Impossible => {
                cost(func, &step.data, func.results[step.inst].map(|value| func.ty(value)))
            }
        });
        costs.sum()
    }

    /// About how many instructions all is.
    pub(super) fn weight(&self, func: &Function) -> u32 {
        let of = |step: &Step| weight(func, &step.data, func.results[step.inst].map(|value| func.ty(value)));
        self.steps.iter().map(of).sum::<u32>() + self.selects() as u32
    }

    /// Number of selected values.
    pub(super) fn selects(&self) -> usize {
        let stored = |store: &&CommonStore| !matches!(store.store, InstData::Store { value, .. } if value == store.other);
        self.args.iter().filter(|(a, b)| a != b).count() + self.stores.iter().filter(stored).count()
    }

    /// Puts all at the end of a block; the arguments of the jump that follows.
    pub(super) fn apply(
        self,
        func: &mut Function,
        block: Block,
        cond: Value,
        location: SourceLoc,
    ) -> Vec<Value> {
        let mut out = Out { func, block, cond };
        for Step { inst, data, guarded, holds } in self.steps {
            let place = out.func.locations[inst];
            let data = match data {
                data if guarded => out.guard(data, holds, place),
                // The divisor is one if the quotient is not wanted: nothing is divided by zero.
                InstData::Binary { op, args: [a, b], no_unsigned_wrap } if is_division(op) => {
                    let one = out.value(InstData::Const { bits: 1 }, out.func.ty(b), place);
                    let b = out.choose(if holds { [b, one] } else { [one, b] }, place);
                    InstData::Binary { op, args: [a, b], no_unsigned_wrap }
                }
                data => data,
            };
            out.func.insts[inst] = data;
            out.func.blocks[block].insts.push(inst);
        }
        for CommonStore { mut store, other, location } in self.stores {
            if let InstData::Store { value, .. } = &mut store {
                *value = out.choose([*value, other], location);
            }
            let inst = out.func.make_inst(store, None, location);
            out.func.blocks[block].insts.push(inst);
        }
        self.args.into_iter().map(|(a, b)| out.choose([a, b], location)).collect()
    }
}

fn is_division(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)
}

/// Adds to the end of a block.
struct Out<'f> {
    func: &'f mut Function,
    block: Block,
    cond: Value,
}

impl Out<'_> {
    fn value(&mut self, data: InstData, ty: Type, location: SourceLoc) -> Value {
        let (inst, value) = self.func.make_value(data, ty, location);
        self.func.blocks[self.block].insts.push(inst);
        value
    }

    /// The value of the side that is taken.
    fn choose(&mut self, [a, b]: [Value; 2], location: SourceLoc) -> Value {
        if a == b {
            return a;
        }
        let ty = self.func.ty(a);
        self.value(InstData::Select { cond: self.cond, if_true: a, if_false: b }, ty, location)
    }

    /// An access under the condition, and under its own if it has one.
    fn guard(&mut self, data: InstData, holds: bool, location: SourceLoc) -> InstData {
        let InstData::Guarded { cond: inner, holds: inner_holds, access } = data else {
            return InstData::Guarded { cond: self.cond, holds, access: Box::new(data) };
        };
        let args = [(self.cond, holds), (inner, inner_holds)].map(|(cond, holds)| match holds {
            true => cond,
            false => self.value(InstData::Unary { op: UnaryOp::Not, arg: cond }, Type::Bool, location),
        });
        let both = InstData::Binary { op: BinaryOp::And, args, no_unsigned_wrap: false };
        InstData::Guarded { cond: self.value(both, Type::Bool, location), holds: true, access }
    }
}
