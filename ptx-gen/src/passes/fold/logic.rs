//! Rules for truth values, selections and operations on one value.

use super::{Folder, Rewrite};
use crate::ir::{BinaryOp, FloatCond, InstData, IntCond, Type, UnaryOp, Value};

impl Folder<'_> {
    /// Of `!x`, `x`.
    pub(super) fn negated(&self, value: Value) -> Option<Value> {
        match self.func.def(value) {
            Some(&InstData::Unary { op: UnaryOp::Not, arg }) => Some(arg),
            _ => None,
        }
    }

    /// `a op b` of truth values, of which the right one may be constant.
    pub(super) fn bool_binary(&mut self, op: BinaryOp, [a, b]: [Value; 2]) -> Option<Rewrite> {
        if let Some(known) = self.identity(op, Type::Bool, [a, b]) {
            return Some(known);
        }
        let same = Some(Rewrite::Value(a));
        match (op, self.bits(b)) {
            (BinaryOp::And, Some(1)) | (BinaryOp::Or | BinaryOp::Xor, Some(0)) => same,
            (BinaryOp::And, Some(_)) => Some(Rewrite::Bits(0)),
            (BinaryOp::Or, Some(_)) => Some(Rewrite::Bits(1)),
            (BinaryOp::Xor, Some(_)) => Some(Rewrite::Data(InstData::Unary { op: UnaryOp::Not, arg: a })),
            (BinaryOp::And | BinaryOp::Or, None) if a == b => same,
            (BinaryOp::Xor, None) if a == b => Some(Rewrite::Bits(0)),
            _ => None,
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, arg: Value) -> Option<Rewrite> {
        let inner = self.func.def(arg)?.clone();
        match (op, inner) {
            (UnaryOp::Not, InstData::Unary { op: UnaryOp::Not, arg })
            | (UnaryOp::Neg, InstData::Unary { op: UnaryOp::Neg, arg })
            // Only the sign bit changes, and back.
            | (UnaryOp::FNeg, InstData::Unary { op: UnaryOp::FNeg, arg }) => Some(Rewrite::Value(arg)),
            (UnaryOp::FAbs, InstData::Unary { op: UnaryOp::FNeg | UnaryOp::FAbs, arg }) => {
                Some(Rewrite::Data(InstData::Unary { op, arg }))
            }
            (UnaryOp::Not, InstData::IntCompare { cond, args }) => {
                Some(Rewrite::Data(InstData::IntCompare { cond: cond.inverse(), args }))
            }
            // The opposite of other comparisons would have to be true on NaN.
            (UnaryOp::Not, InstData::FloatCompare { cond: FloatCond::Eq, args }) => {
                Some(Rewrite::Data(InstData::FloatCompare { cond: FloatCond::Ne, args }))
            }
            (UnaryOp::Not, InstData::FloatCompare { cond: FloatCond::Ne, args }) => {
                Some(Rewrite::Data(InstData::FloatCompare { cond: FloatCond::Eq, args }))
            }
            _ => None,
        }
    }

    pub(super) fn select(
        &mut self,
        cond: Value,
        if_true: Value,
        if_false: Value,
        ty: Type,
    ) -> Option<Rewrite> {
        match self.bits(cond) {
            Some(0) => return Some(Rewrite::Value(if_false)),
            Some(_) => return Some(Rewrite::Value(if_true)),
            None if if_true == if_false => return Some(Rewrite::Value(if_true)),
            // Equal constants may be two values.
            None if self.bits(if_true).is_some() && self.bits(if_true) == self.bits(if_false) => {
                return Some(Rewrite::Value(if_true));
            }
            None => {}
        }
        if let Some(positive) = self.negated(cond) {
            let swapped = InstData::Select { cond: positive, if_true: if_false, if_false: if_true };
            return Some(Rewrite::Data(swapped));
        }
        if ty == Type::I32
            && let Some(difference) = self.saturating_difference(cond, if_true, if_false)
        {
            return Some(difference);
        }
        if ty != Type::Bool {
            return self
                .extreme(cond, [if_true, if_false])
                .or_else(|| self.choice_of_two(cond, [if_true, if_false]));
        }
        let logic = |op, args| Some(Rewrite::Data(InstData::Binary { op, args, no_unsigned_wrap: false }));
        match (self.bits(if_true), self.bits(if_false)) {
            (Some(1), Some(_)) => Some(Rewrite::Value(cond)),
            (Some(_), Some(_)) => Some(Rewrite::Data(InstData::Unary { op: UnaryOp::Not, arg: cond })),
            (Some(1), None) => logic(BinaryOp::Or, [cond, if_false]),
            (None, Some(0)) => logic(BinaryOp::And, [cond, if_true]),
            (Some(_), None) => {
                let not = self.new_value(InstData::Unary { op: UnaryOp::Not, arg: cond }, Type::Bool);
                logic(BinaryOp::And, [not, if_false])
            }
            (None, Some(_)) => {
                let not = self.new_value(InstData::Unary { op: UnaryOp::Not, arg: cond }, Type::Bool);
                logic(BinaryOp::Or, [not, if_true])
            }
            (None, None) => None,
        }
    }

    /// Of `if a { x } else if b { x } else { y }` one choice by `a || b`, and of `if a { if b { x } else { y } } else { y }` one by
    /// `a && b`: comparisons are joined as they are made. Of integers: masks of the sums of tensor cores would need a predicate more each.
    fn choice_of_two(&mut self, cond: Value, [if_true, if_false]: [Value; 2]) -> Option<Rewrite> {
        let compares = |value| {
            matches!(self.func.def(value), Some(InstData::IntCompare { .. } | InstData::FloatCompare { .. }))
        };
        let is_same = |a: Value, b: Value| a == b || self.bits(a).is_some() && self.bits(a) == self.bits(b);
        let inner = |value| match self.func.def(value) {
            Some(&InstData::Select { cond, if_true, if_false }) => Some((cond, if_true, if_false)),
            _ => None,
        };
        let (op, other, chosen) = match (inner(if_true), inner(if_false)) {
            (_, Some((other, x, y))) if is_same(x, if_true) => (BinaryOp::Or, other, [x, y]),
            (Some((other, x, y)), _) if is_same(y, if_false) => (BinaryOp::And, other, [x, y]),
            _ => return None,
        };
        if !compares(cond) || !self.func.ty(if_true).is_int() {
            return None;
        }
        let both = InstData::Binary { op, args: [cond, other], no_unsigned_wrap: false };
        let cond = self.new_value(both, Type::Bool);
        Some(Rewrite::Data(InstData::Select { cond, if_true: chosen[0], if_false: chosen[1] }))
    }

    /// Of `if a < b { a } else { b }` the minimum, of the choice the other way round the maximum.
    fn extreme(&mut self, cond: Value, chosen: [Value; 2]) -> Option<Rewrite> {
        let &InstData::IntCompare { cond, args } = self.func.def(cond)? else { return None };
        let is_same = |a: Value, b: Value| a == b || self.bits(a).is_some() && self.bits(a) == self.bits(b);
        let is = |[a, b]: [Value; 2]| is_same(chosen[0], a) && is_same(chosen[1], b);
        let (least, greatest) = match cond {
            IntCond::ULt | IntCond::ULe => (BinaryOp::UMin, BinaryOp::UMax),
            IntCond::UGt | IntCond::UGe => (BinaryOp::UMax, BinaryOp::UMin),
            IntCond::SLt | IntCond::SLe => (BinaryOp::SMin, BinaryOp::SMax),
            IntCond::SGt | IntCond::SGe => (BinaryOp::SMax, BinaryOp::SMin),
            IntCond::Eq | IntCond::Ne => return None,
        };
        let op = match (is(args), is([args[1], args[0]])) {
            (true, _) => least,
            (false, true) => greatest,
            (false, false) => return None,
        };
        Some(Rewrite::Data(InstData::Binary { op, args: chosen, no_unsigned_wrap: false }))
    }

    /// Of `if a < b { 0 } else { a - b }` the greater of both less `b`: two instructions in place of three.
    fn saturating_difference(&mut self, cond: Value, if_true: Value, if_false: Value) -> Option<Rewrite> {
        let &InstData::IntCompare { cond, args: [a, b] } = self.func.def(cond)? else { return None };
        let (is_less, difference) = match (self.bits(if_true), self.bits(if_false)) {
            (Some(0), None) => (true, if_false),
            (None, Some(0)) => (false, if_true),
            _ => return None,
        };
        let &InstData::Binary { op: BinaryOp::Sub, args, .. } = self.func.def(difference)? else {
            return None;
        };
        // Of equal ones the difference is zero too.
        let (less, greater) = match if is_less { cond } else { cond.inverse() } {
            IntCond::ULt | IntCond::ULe => (a, b),
            IntCond::UGt | IntCond::UGe => (b, a),
            _ => return None,
        };
        if args != [less, greater] {
            return None;
        }
        let greatest = InstData::Binary { op: BinaryOp::UMax, args, no_unsigned_wrap: false };
        let greatest = self.new_value(greatest, Type::I32);
        let args = [greatest, greater];
        Some(Rewrite::Data(InstData::Binary { op: BinaryOp::Sub, args, no_unsigned_wrap: true }))
    }
}
