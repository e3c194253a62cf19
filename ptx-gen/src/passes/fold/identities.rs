//! Identities of integers and truth values, as a table: what LLVM's InstSimplify folds.
//!
//! A division by zero has no result, so that identities may give it any.

use super::{Folder, Rewrite};
use crate::ir::{BinaryOp, InstData, IntCond, Type, UnaryOp, Value};

/// A part of an expression. Operands of operations that commute match in either order.
enum Part {
    A,
    B,
    /// A constant, as a number of the type: all ones is −1.
    Number(i64),
    Neg(&'static Part),
    /// The complement, or exclusive or with all ones.
    Not(&'static Part),
    Op(BinaryOp, &'static Part, &'static Part),
    /// An operation that is recorded not to wrap.
    Exact(BinaryOp, &'static Part, &'static Part),
}

use BinaryOp::*;
use Part::*;

/// Operations and what they give.
const IDENTITIES: &[(BinaryOp, Part, Part, Part)] = &[
    (UDiv, Number(0), A, Number(0)),
    (SDiv, Number(0), A, Number(0)),
    (URem, Number(0), A, Number(0)),
    (SRem, Number(0), A, Number(0)),
    (AShr, Number(-1), A, Number(-1)),
    (UDiv, A, A, Number(1)),
    (SDiv, A, A, Number(1)),
    (URem, A, A, Number(0)),
    (SRem, A, A, Number(0)),
    (SDiv, A, Number(-1), Neg(&A)),
    (SRem, A, Number(-1), Number(0)),
    (UDiv, Exact(Mul, &A, &B), B, A),
    (URem, Exact(Mul, &A, &B), B, Number(0)),
    (URem, Op(URem, &A, &B), B, Op(URem, &A, &B)),
    (SRem, Op(SRem, &A, &B), B, Op(SRem, &A, &B)),
    (UDiv, Op(URem, &A, &B), B, Number(0)),
    (SDiv, Op(SRem, &A, &B), B, Number(0)),
    (Add, Op(Mul, &Op(UDiv, &A, &B), &B), Op(URem, &A, &B), A),
    (Add, Op(Mul, &Op(SDiv, &A, &B), &B), Op(SRem, &A, &B), A),
    (Add, Op(Sub, &A, &B), B, A),
    (Add, A, Neg(&B), Op(Sub, &A, &B)),
    (Add, A, Not(&A), Number(-1)),
    (Sub, A, Neg(&B), Op(Add, &A, &B)),
    (Sub, A, Op(Sub, &A, &B), B),
    (Sub, Op(Sub, &A, &B), A, Neg(&B)),
    (Sub, A, Op(Add, &A, &B), Neg(&B)),
    (And, A, Not(&A), Number(0)),
    (And, A, Op(And, &A, &B), Op(And, &A, &B)),
    (And, A, Op(Or, &A, &B), A),
    (Or, A, Not(&A), Number(-1)),
    (Or, A, Op(Or, &A, &B), Op(Or, &A, &B)),
    (Or, A, Op(And, &A, &B), A),
    (Xor, A, Not(&A), Number(-1)),
    (Xor, A, Op(Xor, &A, &B), B),
    (UMin, A, Op(UMin, &A, &B), Op(UMin, &A, &B)),
    (UMin, A, Op(UMax, &A, &B), A),
    (UMax, A, Op(UMax, &A, &B), Op(UMax, &A, &B)),
    (UMax, A, Op(UMin, &A, &B), A),
    (SMin, A, Op(SMin, &A, &B), Op(SMin, &A, &B)),
    (SMin, A, Op(SMax, &A, &B), A),
    (SMax, A, Op(SMax, &A, &B), Op(SMax, &A, &B)),
    (SMax, A, Op(SMin, &A, &B), A),
];

/// Unsigned orders that always hold: the first is at most the second, or less if so marked.
const ORDERS: &[(Part, Part, bool)] = &[
    (Op(URem, &A, &B), B, true),
    (Op(URem, &A, &B), A, false),
    (Op(UDiv, &A, &B), A, false),
    (Op(LShr, &A, &B), A, false),
    (Op(And, &A, &B), A, false),
    (Op(UMin, &A, &B), A, false),
    (A, Op(UMax, &A, &B), false),
    (A, Op(Or, &A, &B), false),
    (A, Exact(Add, &A, &B), false),
    (Exact(Sub, &A, &B), A, false),
];

/// The values of `A` and `B`.
type Bindings = [Option<Value>; 2];

impl Folder<'_> {
    /// The table's rewrite of a binary operation on integers or truth values.
    pub(super) fn identity(&mut self, op: BinaryOp, ty: Type, args: [Value; 2]) -> Option<Rewrite> {
        let identities = IDENTITIES.iter().filter(|(of, ..)| *of == op);
        for (_, a, b, result) in identities {
            if let Some(bound) = self.operands(op, [a, b], args, [None; 2]) {
                return self.build(result, ty, bound);
            }
        }
        None
    }

    /// The table's rewrite of an unsigned comparison.
    pub(super) fn order(&self, cond: IntCond, [a, b]: [Value; 2]) -> Option<Rewrite> {
        let ([less, more], is_strict, truth) = match cond {
            IntCond::ULe => ([a, b], false, true),
            IntCond::ULt => ([a, b], true, true),
            IntCond::UGe => ([b, a], false, true),
            IntCond::UGt => ([b, a], true, true),
            _ => return None,
        };
        let holds = |values: [Value; 2], is_strict: bool| {
            let mut orders = ORDERS.iter().filter(|(.., is_less)| *is_less || !is_strict);
            orders.any(|(a, b, _)| self.both([a, b], values, [None; 2]).is_some())
        };
        if holds([less, more], is_strict) {
            return Some(Rewrite::Bits(truth.into()));
        }
        // The opposite order.
        holds([more, less], !is_strict).then_some(Rewrite::Bits((!truth).into()))
    }

    /// The values of `A` and `B` for which these are the operands of an operation.
    fn operands(
        &self,
        op: BinaryOp,
        [a, b]: [&Part; 2],
        [x, y]: [Value; 2],
        bound: Bindings,
    ) -> Option<Bindings> {
        let commuted = if op.is_commutative() { self.both([a, b], [y, x], bound) } else { None };
        self.both([a, b], [x, y], bound).or(commuted)
    }

    /// The values of `A` and `B` for which these parts are these values: one that is a value alone decides how others match.
    fn both(&self, [a, b]: [&Part; 2], [x, y]: [Value; 2], bound: Bindings) -> Option<Bindings> {
        match b {
            A | B => self.matches(a, x, self.matches(b, y, bound)?),
            Number(_) | Neg(_) | Not(_) | Op(..) | Exact(..) => {
                self.matches(b, y, self.matches(a, x, bound)?)
            }
        }
    }

    fn matches(&self, part: &Part, value: Value, mut bound: Bindings) -> Option<Bindings> {
        let ty = self.func.ty(value);
        match *part {
            A | B => {
                let known = &mut bound[usize::from(matches!(part, B))];
                let is_same = |other: Value| {
                    let is_number = ty == self.func.ty(other) && self.bits(value).is_some();
                    other == value || is_number && self.bits(value) == self.bits(other)
                };
                known.get_or_insert(value);
                known.is_some_and(is_same).then_some(bound)
            }
            Number(number) => (self.bits(value)? == number as u64 & ty.mask()).then_some(bound),
            Neg(of) => match *self.func.def(value)? {
                InstData::Unary { op: UnaryOp::Neg, arg } => self.matches(of, arg, bound),
                _ => None,
            },
            Not(of) => match *self.func.def(value)? {
                InstData::Unary { op: UnaryOp::Not, arg } => self.matches(of, arg, bound),
                InstData::Binary { op: Xor, args: [arg, ones], .. } if self.bits(ones) == Some(ty.mask()) => {
                    self.matches(of, arg, bound)
                }
                _ => None,
            },
            Op(op, a, b) => match *self.func.def(value)? {
                InstData::Binary { op: of, args, .. } if of == op => self.operands(op, [a, b], args, bound),
                _ => None,
            },
            Exact(op, a, b) => match *self.func.def(value)? {
                InstData::Binary { op: of, args, no_unsigned_wrap: true } if of == op => {
                    self.operands(op, [a, b], args, bound)
                }
                _ => None,
            },
        }
    }

    /// The result of an identity: a value, a number, or one operation on these.
    fn build(&mut self, part: &Part, ty: Type, bound: Bindings) -> Option<Rewrite> {
        let value = |part: &Part| match part {
            A => bound[0],
            B => bound[1],
            Number(_) | Neg(_) | Not(_) | Op(..) | Exact(..) => None,
        };
        Some(match *part {
            A | B => Rewrite::Value(value(part)?),
            Number(number) => Rewrite::Bits(number as u64 & ty.mask()),
            Neg(of) => Rewrite::Data(InstData::Unary { op: UnaryOp::Neg, arg: value(of)? }),
            Not(of) => Rewrite::Data(InstData::Unary { op: UnaryOp::Not, arg: value(of)? }),
            Op(op, a, b) | Exact(op, a, b) => {
                Rewrite::Data(InstData::Binary { op, args: [value(a)?, value(b)?], no_unsigned_wrap: false })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use kernel_abi::eval;

    use super::*;

    /// The bits of an expression for these values; none for a division by zero, or a wrap that is recorded not to be.
    fn eval(part: &Part, ty: Type, values: [u64; 2]) -> Option<u64> {
        let of = |part: &Part| eval(part, ty, values);
        match *part {
            A => Some(values[0]),
            B => Some(values[1]),
            Number(number) => Some(number as u64 & ty.mask()),
            Neg(of_part) => eval::unary(UnaryOp::Neg, ty, of(of_part)?),
            Not(of_part) => eval::unary(UnaryOp::Not, ty, of(of_part)?),
            Op(op, a, b) => eval::binary(op, ty, of(a)?, of(b)?),
            Exact(op, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let exact = match op {
                    Add => u128::from(a) + u128::from(b),
                    Mul => u128::from(a) * u128::from(b),
                    _ => u128::from(a.checked_sub(b)?),
                };
                u64::try_from(exact).ok().filter(|&exact| exact <= ty.mask())
            }
        }
    }

    /// Every identity, for all bytes and for truth values where they have the operation.
    #[test]
    fn identities_hold() {
        for (index, (op, a, b, result)) in IDENTITIES.iter().enumerate() {
            let mut count = 0;
            let types: &[Type] = match op {
                And | Or | Xor => &[Type::Bool, Type::I8],
                _ => &[Type::I8],
            };
            for &ty in types {
                let numbers = 0..=ty.mask();
                for values in numbers.clone().flat_map(|a| numbers.clone().map(move |b| [a, b])) {
                    let [Some(x), Some(y)] = [a, b].map(|part| eval(part, ty, values)) else { continue };
                    let Some(expected) = eval::binary(*op, ty, x, y) else { continue };
                    assert_eq!(
                        eval(result, ty, values),
                        Some(expected),
                        "identity {index} of {values:?}: {ty}"
                    );
                    count += 1;
                }
            }
            assert!(count > 0, "identity {index} has no instance");
        }
    }

    #[test]
    fn orders_hold() {
        for (index, (a, b, is_strict)) in ORDERS.iter().enumerate() {
            for values in (0..256).flat_map(|a| (0..256).map(move |b| [a, b])) {
                let [Some(x), Some(y)] = [a, b].map(|part| eval(part, Type::I8, values)) else { continue };
                assert!(if *is_strict { x < y } else { x <= y }, "order {index} of {values:?}");
            }
        }
    }
}
