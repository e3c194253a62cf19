//! Values as sums over the thread's index: `4 * index + width * row + 8`, modulo two to the power of their width.

use std::collections::HashMap;

use super::index::Index;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstData, SpecialRegister, Type, Value, ValueDef,
};

/// `index * thread's index + terms + constant`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Factor of the thread's index.
    pub(super) index: u64,
    /// Everything else that is no constant, ordered.
    pub(super) terms: Vec<Term>,
    pub(super) constant: u64,
}

/// A value with a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    pub(super) value: Value,
    /// It has 32 bits and is widened with zeros.
    pub(super) widened: bool,
    pub(super) by: u64,
}

/// Takes values apart.
pub(super) struct Forms<'f> {
    func: &'f Function,
    index: &'f Index,
    /// Cache of the values known to be the same for every index, or not.
    uniform: HashMap<Value, bool>,
}

/// Maximum depth to which values are followed.
const DEPTH: u32 = 64;

impl<'f> Forms<'f> {
    pub(super) fn new(func: &'f Function, index: &'f Index) -> Forms<'f> {
        Forms { func, index, uniform: HashMap::new() }
    }

    /// A value of 32 or 64 bits as a sum.
    pub(super) fn form(&self, value: Value) -> Form {
        let is_wide = self.func.ty(value) == Type::I64;
        let width = if is_wide { Width::Whole64 } else { Width::Whole32 };
        self.sum(value, width, self.func.ty(value).mask())
    }

    /// The sum, in 64 bits, of the number that a value is.
    pub(super) fn number(&self, value: Value) -> Form {
        let is_wide = self.func.ty(value) == Type::I64;
        self.sum(value, if is_wide { Width::Whole64 } else { Width::Widened }, u64::MAX)
    }

    fn sum(&self, value: Value, width: Width, mask: u64) -> Form {
        let mut form = Form { index: 0, terms: Vec::new(), constant: 0 };
        self.take(value, 1, width, DEPTH, &mut form);
        form.index &= mask;
        form.constant &= mask;
        form.terms.iter_mut().for_each(|term| term.by &= mask);
        form.terms.retain(|term| term.by != 0);
        form.terms.sort_unstable();
        form
    }

    fn take(&self, value: Value, by: u64, width: Width, depth: u32, form: &mut Form) {
        let add = |to: &mut u64, more: u64| *to = to.wrapping_add(more);
        let is_index = match width {
            Width::Whole64 => value == self.index.wide,
            Width::Whole32 => value == self.index.narrow,
            // A number truncated to 32 bits may be less than before.
            Width::Widened => value == self.index.narrow && !self.index.is_wide,
        };
        if is_index {
            return add(&mut form.index, by);
        }
        let may_wrap = width != Width::Widened;
        if let (Some(data), Some(depth)) = (self.func.def(value), depth.checked_sub(1)) {
            match *data {
                InstData::Const { bits } => return add(&mut form.constant, bits.wrapping_mul(by)),
                InstData::Binary { op, args: [a, b], no_unsigned_wrap } if may_wrap || no_unsigned_wrap => {
                    match (op, self.func.constant(a), self.func.constant(b)) {
                        (BinaryOp::Add, ..) => {
                            self.take(a, by, width, depth, form);
                            return self.take(b, by, width, depth, form);
                        }
                        (BinaryOp::Sub, ..) => {
                            self.take(a, by, width, depth, form);
                            return self.take(b, by.wrapping_neg(), width, depth, form);
                        }
                        (BinaryOp::Mul, _, Some(factor)) => {
                            return self.take(a, by.wrapping_mul(factor), width, depth, form);
                        }
                        (BinaryOp::Mul, Some(factor), _) => {
                            return self.take(b, by.wrapping_mul(factor), width, depth, form);
                        }
                        (BinaryOp::Shl, _, Some(shift)) if shift < 32 => {
                            return self.take(a, by.wrapping_mul(1 << shift), width, depth, form);
                        }
                        _ => {}
                    }
                }
                InstData::Convert { op: ConvertOp::ZeroExtend, arg }
                    if width == Width::Whole64 && self.func.ty(arg) == Type::I32 =>
                {
                    return self.take(arg, by, Width::Widened, depth, form);
                }
                _ => {}
            }
        }
        let widened = width == Width::Widened;
        match form.terms.iter_mut().find(|term| term.value == value && term.widened == widened) {
            Some(term) => add(&mut term.by, by),
            None => form.terms.push(Term { value, widened, by }),
        }
    }

    /// Returns true if all terms are the same for every index, and can be computed at the entry.
    pub(super) fn is_base(&mut self, form: &Form) -> bool {
        form.terms.iter().all(|term| self.is_uniform(term.value))
    }

    /// Returns true if a value can be computed at the entry, once the index is known: terms that cancel in its sum are needed too.
    pub(super) fn is_computable(&mut self, value: Value) -> bool {
        self.is_computable_at(value, DEPTH)
    }

    fn is_computable_at(&mut self, value: Value, depth: u32) -> bool {
        if value == self.index.narrow || value == self.index.wide || self.is_uniform(value) {
            return true;
        }
        let (Some(data), Some(depth)) = (self.func.def(value), depth.checked_sub(1)) else { return false };
        let mut all = data.is_pure();
        data.visit_args(|arg| all = all && self.is_computable_at(arg, depth));
        all
    }

    /// Returns true if a value depends on nothing but parameters and values uniform along x.
    pub(super) fn is_uniform(&mut self, value: Value) -> bool {
        self.uniform_at(value, DEPTH)
    }

    fn uniform_at(&mut self, value: Value, depth: u32) -> bool {
        if let Some(&known) = self.uniform.get(&value) {
            return known;
        }
        let mut uniform = depth > 0 && value != self.index.narrow && value != self.index.wide;
        if uniform {
            uniform = match self.func.def(value) {
                Some(InstData::Special { register }) => is_same_along_x(*register),
                Some(InstData::LocalAddress { .. } | InstData::SharedAddress { .. }) | None => false,
                Some(data) => {
                    let mut all = data.is_pure();
                    data.visit_args(|arg| all = all && self.uniform_at(arg, depth - 1));
                    all
                }
            };
        }
        self.uniform.insert(value, uniform);
        uniform
    }
}

/// Width at which a value is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    /// The value, modulo two to the 64th.
    Whole64,
    /// The value, modulo two to the 32nd.
    Whole32,
    /// A value of 32 bits as a number, in a sum of 64 bits.
    Widened,
}

/// Returns true if a register is the same for all threads of the grid that have the same y and z.
pub(super) const fn is_same_along_x(register: SpecialRegister) -> bool {
    match register {
        SpecialRegister::TidY
        | SpecialRegister::TidZ
        | SpecialRegister::NtidY
        | SpecialRegister::NtidZ
        | SpecialRegister::CtaidY
        | SpecialRegister::CtaidZ
        | SpecialRegister::NctaidY
        | SpecialRegister::NctaidZ
        | SpecialRegister::DynamicSharedSize => true,
        SpecialRegister::TidX
        | SpecialRegister::NtidX
        | SpecialRegister::CtaidX
        | SpecialRegister::NctaidX
        | SpecialRegister::LaneId
        | SpecialRegister::LaneMaskLt
        | SpecialRegister::LaneMaskLe
        | SpecialRegister::LaneMaskEq
        | SpecialRegister::LaneMaskGe
        | SpecialRegister::LaneMaskGt
        | SpecialRegister::WarpId
        | SpecialRegister::SmId
        | SpecialRegister::NsmId
        | SpecialRegister::NwarpId
        | SpecialRegister::GridId
        | SpecialRegister::TotalSharedSize
        | SpecialRegister::ClusterCtaidX
        | SpecialRegister::ClusterCtaidY
        | SpecialRegister::ClusterCtaidZ
        | SpecialRegister::ClusterNctaidX
        | SpecialRegister::ClusterNctaidY
        | SpecialRegister::ClusterNctaidZ
        | SpecialRegister::ClusterIdX
        | SpecialRegister::ClusterIdY
        | SpecialRegister::ClusterIdZ
        | SpecialRegister::NclusterIdX
        | SpecialRegister::NclusterIdY
        | SpecialRegister::NclusterIdZ
        | SpecialRegister::ClusterCtaRank
        | SpecialRegister::ClusterNctaRank
        | SpecialRegister::Clock
        | SpecialRegister::Clock64
        | SpecialRegister::GlobalTimer
        | SpecialRegister::EnvReg1
        | SpecialRegister::EnvReg2 => false,
    }
}

/// Computes a value anew at the end of a block, with some values replaced. All that it depends on is pure.
pub(super) fn compute(
    func: &mut Function,
    block: Block,
    replaced: &mut HashMap<Value, Value>,
    value: Value,
) -> Value {
    if let Some(&known) = replaced.get(&value) {
        return known;
    }
    let ValueDef::Result(inst) = func.values[value].def else { return value };
    let mut data: InstData = func.insts[inst].clone();
    let mut args = Vec::new();
    data.visit_args(|arg| args.push(arg));
    for arg in args {
        compute(func, block, replaced, arg);
    }
    data.map_args(|arg| replaced.get(&arg).copied().unwrap_or(arg));
    // Here it is computed before the checks that keep it from wrapping.
    if let InstData::Binary { no_unsigned_wrap, .. } = &mut data {
        *no_unsigned_wrap = false;
    }
    let new = push(func, block, data, func.ty(value), inst);
    replaced.insert(value, new);
    new
}

fn push(func: &mut Function, block: Block, data: InstData, ty: Type, like: Inst) -> Value {
    let (inst, value) = func.make_value(data, ty, func.locations[like]);
    func.blocks[block].insts.push(inst);
    value
}
