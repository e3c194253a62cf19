//! Truth values: comparisons as `setp`, with negations and one more condition folded in, and logic on predicates.

use super::lower::{Extension, Lowering};
use super::machine::{Class, Operand, Predicate, VReg, int, words::*};
use crate::ir::{BinaryOp, FloatCond, InstData, IntCond, Type, UnaryOp, Value};
use ptx::tree::{Keyword, Opcode};

/// A comparison as `setp` spells it.
struct Relation {
    keyword: Keyword,
    /// Signedness of a comparison of integers: the extension that narrow ones need.
    extension: Extension,
}

fn int_relation(cond: IntCond) -> Relation {
    let (keyword, extension) = match cond {
        IntCond::Eq => (Keyword::Eq, Extension::Zero),
        IntCond::Ne => (Keyword::Ne, Extension::Zero),
        IntCond::ULt => (Keyword::Lt, Extension::Zero),
        IntCond::ULe => (Keyword::Le, Extension::Zero),
        IntCond::UGt => (Keyword::Gt, Extension::Zero),
        IntCond::UGe => (Keyword::Ge, Extension::Zero),
        IntCond::SLt => (Keyword::Lt, Extension::Sign),
        IntCond::SLe => (Keyword::Le, Extension::Sign),
        IntCond::SGt => (Keyword::Gt, Extension::Sign),
        IntCond::SGe => (Keyword::Ge, Extension::Sign),
    };
    Relation { keyword, extension }
}

fn float_relation(cond: FloatCond) -> Keyword {
    match cond {
        FloatCond::Eq => Keyword::Eq,
        // True on NaN.
        FloatCond::Ne => Keyword::Neu,
        FloatCond::Lt => Keyword::Lt,
        FloatCond::Le => Keyword::Le,
        FloatCond::Gt => Keyword::Gt,
        FloatCond::Ge => Keyword::Ge,
    }
}

/// A comparison, and its opposite for integers and for floats, which NaN makes another.
const NEGATIONS: &[(Keyword, Keyword, Keyword)] = &[
    (Keyword::Eq, Keyword::Ne, Keyword::Neu),
    (Keyword::Ne, Keyword::Eq, Keyword::Eq),
    (Keyword::Neu, Keyword::Eq, Keyword::Eq),
    (Keyword::Lt, Keyword::Ge, Keyword::Geu),
    (Keyword::Le, Keyword::Gt, Keyword::Gtu),
    (Keyword::Gt, Keyword::Le, Keyword::Leu),
    (Keyword::Ge, Keyword::Lt, Keyword::Ltu),
    (Keyword::Ltu, Keyword::Ge, Keyword::Ge),
    (Keyword::Leu, Keyword::Gt, Keyword::Gt),
    (Keyword::Gtu, Keyword::Le, Keyword::Le),
    (Keyword::Geu, Keyword::Lt, Keyword::Lt),
];

/// The comparison with its operands exchanged.
const EXCHANGES: &[(Keyword, Keyword)] = &[
    (Keyword::Lt, Keyword::Gt),
    (Keyword::Le, Keyword::Ge),
    (Keyword::Gt, Keyword::Lt),
    (Keyword::Ge, Keyword::Le),
    (Keyword::Ltu, Keyword::Gtu),
    (Keyword::Leu, Keyword::Geu),
    (Keyword::Gtu, Keyword::Ltu),
    (Keyword::Geu, Keyword::Leu),
];

/// The comparison that holds exactly when this one does not.
pub(super) fn negate(keyword: Keyword, float: bool) -> Keyword {
    let row = NEGATIONS.iter().find(|row| row.0 == keyword);
    row.map_or(keyword, |&(_, int, with_nan)| if float { with_nan } else { int })
}

fn exchange(keyword: Keyword) -> Keyword {
    EXCHANGES.iter().find(|row| row.0 == keyword).map_or(keyword, |row| row.1)
}

impl<'f> Lowering<'f> {
    /// A truth value as a predicate that may be negated.
    pub(super) fn predicate(&mut self, value: Value) -> Predicate {
        let (value, negated) = self.strip_negations(value);
        Predicate { reg: self.reg(value), negated }
    }

    /// The value under any number of negations, and whether their number is odd.
    fn strip_negations(&self, value: Value) -> (Value, bool) {
        let mut value = self.root(value);
        let mut negated = false;
        loop {
            let (inner, negates) = match self.def(value) {
                Some(InstData::Unary { op: UnaryOp::Not, arg }) => (*arg, true),
                Some(InstData::IntCompare { cond, args }) if self.func.ty(args[0]) == Type::Bool => {
                    let Some(bits) = self.constant(args[1]) else { return (value, negated) };
                    (args[0], (*cond == IntCond::Eq) == (bits == 0))
                }
                _ => return (value, negated),
            };
            value = self.root(inner);
            negated ^= negates;
        }
    }

    /// The operand of a comparison or select that takes predicates; only the third one of `setp` may be negated.
    fn positive(&mut self, value: Value) -> VReg {
        let predicate = self.predicate(value);
        if !predicate.negated {
            return predicate.reg;
        }
        self.emit_temp(Class::Pred, Opcode::Not, &[PRED], vec![predicate.reg.into()])
    }

    /// Materialises the negation of a truth value in a register.
    pub(super) fn not(&mut self, arg: Value, dst: VReg) {
        let (inner, negated) = self.strip_negations(arg);
        if let Some(data) = self.lone_comparison(inner) {
            return self.compare(data, !negated, None, dst);
        }
        let source = self.reg(inner);
        let opcode = if negated { Opcode::Mov } else { Opcode::Not };
        self.emit(dst, opcode, &[PRED], vec![source.into()]);
    }

    /// The comparison of numbers that defines a value with a single use in this block.
    fn lone_comparison(&self, value: Value) -> Option<&'f InstData> {
        let data = self.func.def(value).filter(|_| self.serves_one(value))?;
        match data {
            InstData::FloatCompare { .. } => Some(data),
            InstData::IntCompare { args, .. } if self.func.ty(args[0]) != Type::Bool => Some(data),
            _ => None,
        }
    }

    /// `dst = comparison`, negated or not, or `dst = comparison op predicate`.
    pub(super) fn compare(
        &mut self,
        data: &InstData,
        negated: bool,
        combined: Option<(Keyword, Predicate)>,
        dst: VReg,
    ) {
        let (mut keyword, ty, mut operands, args) = match data {
            InstData::IntCompare { args, .. } if self.func.ty(args[0]) == Type::Bool => {
                return self.compare_bools(data, *args, dst);
            }
            InstData::IntCompare { cond, args } => {
                let Relation { keyword, extension } = int_relation(*cond);
                let ty = match (self.func.ty(args[0]), extension) {
                    (Type::I64, Extension::Zero) => U64,
                    (Type::I64, Extension::Sign) => S64,
                    (_, Extension::Zero) => U32,
                    (_, Extension::Sign) => S32,
                };
                (keyword, ty, args.map(|arg| self.extended(arg, extension)), args)
            }
            InstData::FloatCompare { cond, args } if self.func.ty(args[0]).is_half() => {
                let operands = args.map(|arg| self.reg(arg));
                // PTX compares `bf16` from sm_90 on.
                let (ty, operands) = match self.func.ty(args[0]) {
                    Type::BF16 => (F32, operands.map(|reg| self.widen_half(reg, Type::BF16))),
                    _ => (F16, operands),
                };
                (float_relation(*cond), ty, operands.map(Operand::Reg), args)
            }
            InstData::FloatCompare { cond, args } => {
                let ty = if self.func.ty(args[0]) == Type::F64 { F64 } else { F32 };
                (float_relation(*cond), ty, args.map(|arg| self.operand(arg, Extension::Sign)), args)
            }
            other => unreachable!("{other:?} is no comparison"),
        };
        if negated {
            keyword = negate(keyword, matches!(data, InstData::FloatCompare { .. }));
        }
        if self.constant(args[0]).is_some() && self.constant(args[1]).is_none() {
            operands.reverse();
            keyword = exchange(keyword);
        }
        let mut operands = operands.to_vec();
        let mut modifiers = vec![keyword.into()];
        if let Some((op, Predicate { reg, negated })) = combined {
            operands.push(if negated { Operand::Not(reg) } else { Operand::Reg(reg) });
            modifiers.push(op.into());
        }
        modifiers.push(ty);
        if self.func.ty(args[0]).is_half() {
            self.keeping_subnormals(|this| this.emit(dst, Opcode::Setp, &modifiers, operands));
        } else {
            self.emit(dst, Opcode::Setp, &modifiers, operands);
        }
    }

    /// Equality of truth values.
    fn compare_bools(&mut self, data: &InstData, args: [Value; 2], dst: VReg) {
        let equal = matches!(data, InstData::IntCompare { cond: IntCond::Eq, .. });
        let (a, a_negated) = self.strip_negations(args[0]);
        let (b, b_negated) = self.strip_negations(args[1]);
        let [a, b] = [a, b].map(|value| Operand::Reg(self.reg(value)));
        if equal ^ a_negated ^ b_negated {
            let different = self.emit_temp(Class::Pred, Opcode::Xor, &[PRED], vec![a, b]);
            self.emit(dst, Opcode::Not, &[PRED], vec![different.into()]);
        } else {
            self.emit(dst, Opcode::Xor, &[PRED], vec![a, b]);
        }
    }

    /// `and`, `or`, `xor` of truth values; a comparison that serves only here becomes one `setp` with the other.
    pub(super) fn logic(&mut self, op: BinaryOp, args: [Value; 2], dst: VReg) {
        let (opcode, keyword) = match op {
            BinaryOp::Or => (Opcode::Or, Keyword::Or),
            BinaryOp::Xor => (Opcode::Xor, Keyword::Xor),
            BinaryOp::And => (Opcode::And, Keyword::And),
            other => unreachable!("verified: `{other}` takes no truth values"),
        };
        for [first, other] in [[args[1], args[0]], args] {
            let (inner, negated) = self.strip_negations(first);
            if let Some(data) = self.lone_comparison(inner)
                && self.constant(other).is_none()
            {
                let other = self.predicate(other);
                return self.compare(data, negated, Some((keyword, other)), dst);
            }
        }
        let operands = args.map(|arg| Operand::Reg(self.positive(arg))).to_vec();
        self.emit(dst, opcode, &[PRED], operands);
    }

    /// One of two truth values: `cond & if_true | !cond & if_false`.
    pub(super) fn select_bool(&mut self, cond: VReg, if_true: Value, if_false: Value, dst: VReg) {
        let [a, b] = [if_true, if_false].map(|value| self.positive(value));
        let first = self.emit_temp(Class::Pred, Opcode::And, &[PRED], vec![cond.into(), a.into()]);
        let not = self.emit_temp(Class::Pred, Opcode::Not, &[PRED], vec![cond.into()]);
        let second = self.emit_temp(Class::Pred, Opcode::And, &[PRED], vec![not.into(), b.into()]);
        self.emit(dst, Opcode::Or, &[PRED], vec![first.into(), second.into()]);
    }

    /// A truth value as an integer: 1 or 0.
    pub(super) fn bool_to_int(&mut self, value: Value, ty: Type, dst: VReg) {
        let Predicate { reg, negated } = self.predicate(value);
        let modifier = if ty == Type::I64 { B64 } else { B32 };
        let [set, clear] = if negated { [0, 1] } else { [1, 0] };
        self.emit(dst, Opcode::Selp, &[modifier], vec![int(set), int(clear), reg.into()]);
    }

    /// A byte from memory as a predicate.
    pub(super) fn int_to_bool(&mut self, source: VReg, dst: VReg) {
        self.emit(dst, Opcode::Setp, &[NE, B32], vec![source.into(), int(0)]);
    }
}
