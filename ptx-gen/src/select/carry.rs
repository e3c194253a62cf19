//! Carries and borrows between words of 64 bits: `add.cc` and `addc`, `mad.lo.cc` and `madc.hi`, `sub.cc` and `subc`.
//!
//! In the IR the carry of `low = a + b` is the comparison `low < a`, which is added to the high word: ptxas compares both halves of the words, and
//! selects. The pair is emitted where the high word is computed and has the low word as its first result, so nothing may use the low word
//! before. Nothing comes between the two instructions (PTX ISA, "Extended-Precision Integer Arithmetic Instructions").

use super::lower::{Extension, Lowering};
use super::machine::{Class, Operand, VReg, int, words::*};
use crate::ir::{BinaryOp, ConvertOp, Inst, InstData, IntCond, Type, Value};
use ptx::tree::{Modifier, Opcode};

/// Opcode, modifiers and operands of an instruction.
type Code = (Opcode, &'static [Modifier], Vec<Operand>);

impl Lowering<'_> {
    /// Computes a sum with a carry or a difference with a borrow, and its low word, if that is what this value is.
    pub(super) fn with_carry(&mut self, op: BinaryOp, args: [Value; 2], result: Value, dst: VReg) -> bool {
        if self.func.ty(result) != Type::I64 {
            return false;
        }
        let found = match op {
            BinaryOp::Add => {
                [args, [args[1], args[0]]].into_iter().find_map(|args| self.with_carry_of_sum(args, result))
            }
            BinaryOp::Sub => self.with_borrow(args, result),
            _ => None,
        };
        let Some((low, first, second)) = found else { return false };
        let low = match low {
            Some(low) => self.compute_with_high(low),
            None => self.temp(Class::B64),
        };
        for (dst, (opcode, modifiers, operands)) in [(low, first), (dst, second)] {
            self.emit(dst, opcode, modifiers, operands);
        }
        true
    }

    /// The low word of a sum, its code, and that of the high word.
    fn with_carry_of_sum(
        &mut self,
        [high, bit]: [Value; 2],
        result: Value,
    ) -> Option<(Option<Value>, Code, Code)> {
        let [low, summand] = self.compared(bit)?;
        let &InstData::Binary { op: BinaryOp::Add, args, .. } = self.def(low)? else { return None };
        let is_summand = args.iter().any(|&arg| self.root(arg) == self.root(summand));
        if !is_summand || !self.may_wait(low, result, bit) {
            return None;
        }
        let orders = |args: [Value; 2]| [args, [args[1], args[0]]];
        let first = match orders(args)
            .into_iter()
            .find_map(|[product, rest]| Some((self.part(product, BinaryOp::Mul)?, rest)))
        {
            Some(([x, y], rest)) => (Opcode::Mad, &[LO, CC, U64][..], self.operands(&[x, y, rest])),
            None => (Opcode::Add, &[CC, U64][..], self.operands(&args)),
        };
        let of_product = |this: &Self, high| this.part(high, BinaryOp::UMulHigh);
        // A high word that is a sum with another carry is a pair of its own.
        let has_carry = |parts: &[Value; 2]| parts.iter().any(|&part| self.compared(part).is_some());
        let second = match self.part(high, BinaryOp::Add).filter(|parts| !has_carry(parts)) {
            Some(parts) => match orders(parts)
                .into_iter()
                .find_map(|[product, rest]| Some((of_product(self, product)?, rest)))
            {
                Some(([x, y], rest)) => (Opcode::Madc, &[HI, U64][..], self.operands(&[x, y, rest])),
                None => (Opcode::Addc, &[U64][..], self.operands(&parts)),
            },
            None => match of_product(self, high) {
                Some(factors) => {
                    let factors = self.operands(&factors);
                    (Opcode::Madc, &[HI, U64][..], [factors, vec![int(0)]].concat())
                }
                None => {
                    let high = self.operands(&[high]);
                    (Opcode::Addc, &[U64][..], [high, vec![int(0)]].concat())
                }
            },
        };
        Some((Some(low), first, second))
    }

    /// The low word of a difference, if it is computed, its code, and that of the high word.
    fn with_borrow(&mut self, [high, bit]: [Value; 2], result: Value) -> Option<(Option<Value>, Code, Code)> {
        let args = self.compared(bit)?;
        let is_low = |&value: &Value| match self.def(value) {
            Some(&InstData::Binary { op: BinaryOp::Sub, args: [a, b], .. }) => {
                [a, b].map(|arg| self.root(arg)) == args.map(|arg| self.root(arg))
            }
            _ => false,
        };
        let here = self.func.blocks[self.block].insts.iter();
        let low = here.filter_map(|&inst| self.func.results[inst]).find(is_low);
        let low = low.filter(|&low| self.values[low].is_some() && self.may_wait(low, result, bit));
        let first = (Opcode::Sub, &[CC, U64][..], self.operands(&args));
        let second = match self.part(high, BinaryOp::Sub) {
            Some(parts) => (Opcode::Subc, &[U64][..], self.operands(&parts)),
            None => {
                let high = self.operands(&[high]);
                (Opcode::Subc, &[U64][..], [high, vec![int(0)]].concat())
            }
        };
        Some((low, first, second))
    }

    /// The words that a bit tells the order of, `[a, b]` of `a < b`, if it has no other use.
    fn compared(&self, bit: Value) -> Option<[Value; 2]> {
        let &InstData::Convert { op: ConvertOp::ZeroExtend, arg } = self.def(bit)? else { return None };
        let &InstData::IntCompare { cond, args: [a, b] } = self.def(arg)? else { return None };
        if !self.serves_one(bit) || !self.serves_one(arg) || self.func.ty(a) != Type::I64 {
            return None;
        }
        match cond {
            IntCond::ULt => Some([a, b]),
            IntCond::UGt => Some([b, a]),
            _ => None,
        }
    }

    /// The arguments of an operation that has no other use.
    fn part(&self, value: Value, is: BinaryOp) -> Option<[Value; 2]> {
        match self.def(value) {
            Some(&InstData::Binary { op, args, .. }) if op == is && self.serves_one(value) => Some(args),
            _ => None,
        }
    }

    /// Returns true if a value may be computed where another one is, later in this block: nothing uses it between but the comparison of this bit.
    fn may_wait(&self, value: Value, until: Value, bit: Value) -> bool {
        let value = self.root(value);
        let insts = &self.func.blocks[self.block].insts;
        let position = |value: Value| insts.iter().position(|&inst| self.func.results[inst] == Some(value));
        let (Some(from), Some(to)) = (position(value), position(until)) else { return false };
        let comparison = match self.def(bit) {
            Some(&InstData::Convert { arg, .. }) => Some(self.flow.resolve(arg)),
            _ => None,
        };
        let uses = |inst: Inst| {
            let mut uses = false;
            self.func.insts[inst].visit_args(|arg| uses |= self.root(arg) == value);
            uses && self.func.results[inst] != comparison
        };
        from < to && !self.is_computed_with_high(value) && !insts[from + 1..to].iter().any(|&inst| uses(inst))
    }

    fn operands(&mut self, values: &[Value]) -> Vec<Operand> {
        values.iter().map(|&value| self.operand(value, Extension::Zero)).collect()
    }
}
