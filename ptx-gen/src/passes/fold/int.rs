//! Rules for operations on integers.

use super::{Folder, Rewrite};
use crate::ir::{BinaryOp, ConvertOp, InstData, IntCond, Type, UnaryOp, Value};
use kernel_abi::eval;

/// Longest chain of operations that are compared with others.
const ALIKE_DEPTH: u32 = 4;

impl Folder<'_> {
    /// One operand is not constant, and the left one is not where the operation commutes.
    pub(super) fn int_binary(
        &mut self,
        op: BinaryOp,
        ty: Type,
        [a, b]: [Value; 2],
        no_unsigned_wrap: bool,
    ) -> Option<Rewrite> {
        if let Some(known) = self.identity(op, ty, [a, b]) {
            return Some(known);
        }
        if let Some(k) = self.bits(b) {
            return self
                .identity_right(op, ty, a, k)
                .or_else(|| self.gather(op, ty, a, k, no_unsigned_wrap))
                .or_else(|| if op == BinaryOp::Mul { self.extended_product(ty, a, k) } else { None })
                .or_else(|| self.known_bits(op, ty, a, k))
                .or_else(|| if op == BinaryOp::Sub { self.sum_of_negative(ty, a, k) } else { None })
                .or_else(|| self.cheaper(op, ty, a, k));
        }
        if self.bits(a) == Some(0) {
            match op {
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => return Some(Rewrite::Bits(0)),
                BinaryOp::Sub => {
                    return Some(Rewrite::Data(InstData::Unary { op: UnaryOp::Neg, arg: b }));
                }
                _ => {}
            }
        }
        if a != b {
            return match op {
                BinaryOp::Sub => self
                    .difference_of_a_sum([a, b])
                    .map(Rewrite::Value)
                    .or_else(|| self.difference_of_neighbours(ty, [a, b]))
                    .or_else(|| self.rest_of_a_quotient([a, b]))
                    .or_else(|| self.difference_of_products(ty, [a, b])),
                _ => None,
            };
        }
        match op {
            BinaryOp::Sub | BinaryOp::Xor => Some(Rewrite::Bits(0)),
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::UMin
            | BinaryOp::SMin
            | BinaryOp::UMax
            | BinaryOp::SMax => Some(Rewrite::Value(a)),
            _ => None,
        }
    }

    /// Of `a - -k` the sum `a + k`, whose range is known where it does not wrap.
    fn sum_of_negative(&mut self, ty: Type, a: Value, k: u64) -> Option<Rewrite> {
        let positive = k.wrapping_neg() & ty.mask();
        if k <= ty.mask() >> 1 || k == positive {
            return None;
        }
        let args = [a, self.constant(ty, positive)];
        Some(Rewrite::Data(InstData::Binary { op: BinaryOp::Add, args, no_unsigned_wrap: false }))
    }

    /// Of `(a + b) - a`, which may wrap, `b`: the length of `&x[a..a + b]`.
    fn difference_of_a_sum(&self, [sum, less]: [Value; 2]) -> Option<Value> {
        let InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } = *self.func.def(sum)? else {
            return None;
        };
        let is_less = |value| self.are_computed_alike(value, less, ALIKE_DEPTH);
        is_less(a).then_some(b).or_else(|| is_less(b).then_some(a))
    }

    /// Returns true if two values are made by the same operations of the same values: of `&x[row * n..row * n + n]` each end has a product of
    /// its own until values are numbered.
    fn are_computed_alike(&self, a: Value, b: Value, depth: u32) -> bool {
        if a == b {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        match (self.func.def(a), self.func.def(b)) {
            (Some(InstData::Const { bits }), Some(InstData::Const { bits: other })) => {
                bits == other && self.func.ty(a) == self.func.ty(b)
            }
            (Some(InstData::Convert { op, arg }), Some(InstData::Convert { op: other, arg: other_arg })) => {
                op == other
                    && self.func.ty(a) == self.func.ty(b)
                    && self.are_computed_alike(*arg, *other_arg, depth)
            }
            (
                Some(InstData::Binary { op, args, .. }),
                Some(InstData::Binary { op: other, args: other_args, .. }),
            ) => {
                let in_order = |[a, b]: [Value; 2]| {
                    self.are_computed_alike(args[0], a, depth) && self.are_computed_alike(args[1], b, depth)
                };
                let [first, second] = *other_args;
                op == other && (in_order([first, second]) || op.is_commutative() && in_order([second, first]))
            }
            _ => false,
        }
    }

    /// Of `(a + k) - (a - m)`, which may wrap, `k + m`: the length of `&x[a - m..a + k]`.
    fn difference_of_neighbours(&self, ty: Type, values: [Value; 2]) -> Option<Rewrite> {
        let [(a, first), (b, second)] = values.map(|value| {
            let (op, [base, by]) = match self.func.def(value) {
                Some(&InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args, .. }) => (op, args),
                _ => return (value, 0),
            };
            match (op, self.bits(by)) {
                (BinaryOp::Add, Some(by)) => (base, by),
                (_, Some(by)) => (base, by.wrapping_neg()),
                (_, None) => (value, 0),
            }
        });
        (a == b).then(|| Rewrite::Bits(first.wrapping_sub(second) & ty.mask()))
    }

    /// Of `a - a / b * b` the remainder `a % b`.
    fn rest_of_a_quotient(&self, [a, product]: [Value; 2]) -> Option<Rewrite> {
        let InstData::Binary { op: BinaryOp::Mul, args, .. } = *self.func.def(product)? else { return None };
        [args, [args[1], args[0]]].into_iter().find_map(|[quotient, by]| match *self.func.def(quotient)? {
            InstData::Binary { op: BinaryOp::UDiv, args: [of, divisor], .. } if of == a && divisor == by => {
                let op = BinaryOp::URem;
                Some(Rewrite::Data(InstData::Binary { op, args: [a, by], no_unsigned_wrap: false }))
            }
            _ => None,
        })
    }

    /// Of `(i + k) * n - i * n`, which may wrap, `k * n`: the length of a row; and of `(i + k) * n * m - i * n * m` the product `k * n * m`.
    fn difference_of_products(&mut self, ty: Type, products: [Value; 2]) -> Option<Rewrite> {
        let [Some((op, first)), Some((same, second))] =
            products.map(|value| match *self.func.def(value)? {
                InstData::Binary { op: op @ (BinaryOp::Mul | BinaryOp::Shl), args, .. } => Some((op, args)),
                _ => None,
            })
        else {
            return None;
        };
        let orders: &[[usize; 2]] =
            if op == BinaryOp::Mul { &[[0, 0], [0, 1], [1, 0], [1, 1]] } else { &[[0, 0]] };
        let (by, steps) = orders.iter().filter(|_| op == same).find_map(|&[i, j]| {
            let (by, other) = (first[1 - i], second[1 - j]);
            let is_same = by == other || self.bits(by).is_some() && self.bits(by) == self.bits(other);
            let steps = if is_same { self.steps_between(ty, [first[i], second[j]])? } else { return None };
            Some((by, steps))
        })?;
        if op == BinaryOp::Mul && self.bits(steps) == Some(1) {
            return Some(Rewrite::Value(by));
        }
        let args = if op == BinaryOp::Mul && self.bits(by).is_none() { [by, steps] } else { [steps, by] };
        Some(Rewrite::Data(InstData::Binary { op, args, no_unsigned_wrap: false }))
    }

    /// Of two factors, which may wrap, what the first is more: of `i + k` and `i`, or of products of such.
    fn steps_between(&mut self, ty: Type, [more, less]: [Value; 2]) -> Option<Value> {
        if let InstData::Binary { op: BinaryOp::Add, args: [from, steps], .. } = *self.func.def(more)?
            && from == less
        {
            let steps = self.bits(steps)?;
            return Some(self.constant(ty, steps));
        }
        match self.difference_of_products(ty, [more, less])? {
            Rewrite::Value(value) => Some(value),
            Rewrite::Bits(bits) => Some(self.constant(ty, bits)),
            Rewrite::Data(data) => Some(self.new_value(data, ty)),
        }
    }

    /// `a op k` that is `a` or a constant.
    fn identity_right(&self, op: BinaryOp, ty: Type, a: Value, k: u64) -> Option<Rewrite> {
        let (ones, bits) = (ty.mask(), u64::from(ty.bits()));
        let (min, max) = (1 << (bits - 1), ones >> 1);
        let same = Some(Rewrite::Value(a));
        let constant = |bits| Some(Rewrite::Bits(bits));
        match (op, k) {
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor | BinaryOp::UMax, 0) => same,
            (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, k) if k % bits == 0 => same,
            (BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv, 1) => same,
            (BinaryOp::And | BinaryOp::UMin, k) if k == ones => same,
            (BinaryOp::SMin, k) if k == max => same,
            (BinaryOp::SMax, k) if k == min => same,
            (BinaryOp::Mul | BinaryOp::And | BinaryOp::UMin | BinaryOp::UMulHigh | BinaryOp::SMulHigh, 0) => {
                constant(0)
            }
            (BinaryOp::URem | BinaryOp::SRem, 1) => constant(0),
            (BinaryOp::Or | BinaryOp::UMax, k) if k == ones => constant(ones),
            (BinaryOp::SMin, k) if k == min => constant(min),
            (BinaryOp::SMax, k) if k == max => constant(max),
            _ => None,
        }
    }

    /// A multiple of an extended multiple that does not wrap, `4 * (2 * i) as u64`, as one of `i as u64`: with `4 * i as u64` and
    /// neighbours it shares an address.
    fn extended_product(&mut self, ty: Type, extended: Value, k: u64) -> Option<Rewrite> {
        let InstData::Convert { op: op @ ConvertOp::ZeroExtend, arg } = *self.func.def(extended)? else {
            return None;
        };
        let InstData::Binary { op: BinaryOp::Mul, args: [a, b], no_unsigned_wrap: true } =
            *self.func.def(arg)?
        else {
            return None;
        };
        let most = u128::from(self.func.ty(a).mask());
        let factor = self.bits(b)?.checked_mul(k).filter(|&by| most * u128::from(by) <= ty.mask().into())?;
        let (inst, wide) = self.func.make_value(InstData::Convert { op, arg: a }, ty, self.location);
        self.out.push(inst);
        let factor = self.constant(ty, factor);
        Some(Rewrite::Data(InstData::Binary {
            op: BinaryOp::Mul,
            args: [wide, factor],
            no_unsigned_wrap: true,
        }))
    }

    /// `(a op k1) op k2` as one operation.
    fn gather(
        &mut self,
        op: BinaryOp,
        ty: Type,
        inner: Value,
        k: u64,
        no_unsigned_wrap: bool,
    ) -> Option<Rewrite> {
        let Some(&InstData::Binary { op: inner_op, args: [a, b], no_unsigned_wrap: inner_nuw }) =
            self.func.def(inner)
        else {
            return None;
        };
        let first = self.bits(b)?;
        let same = |op| inner_op == op;
        // If neither step wraps, nor does the sum of both.
        let fits = |exact: Option<u64>| {
            no_unsigned_wrap && inner_nuw && exact.is_some_and(|exact| exact <= ty.mask())
        };
        let (op, bits, exact) = match op {
            BinaryOp::Add if same(BinaryOp::Add) => (op, first.wrapping_add(k), fits(first.checked_add(k))),
            BinaryOp::Add if same(BinaryOp::Sub) => (op, k.wrapping_sub(first), false),
            BinaryOp::Sub if same(BinaryOp::Sub) => (op, first.wrapping_add(k), fits(first.checked_add(k))),
            BinaryOp::Sub if same(BinaryOp::Add) => {
                (BinaryOp::Add, first.wrapping_sub(k), inner_nuw && first >= k)
            }
            BinaryOp::Mul if same(BinaryOp::Mul) => (op, first.wrapping_mul(k), fits(first.checked_mul(k))),
            BinaryOp::And if same(BinaryOp::And) => (op, first & k, false),
            BinaryOp::Or if same(BinaryOp::Or) => (op, first | k, false),
            BinaryOp::Xor if same(BinaryOp::Xor) => (op, first ^ k, false),
            BinaryOp::Shl | BinaryOp::LShr if same(op) => {
                let width = u64::from(ty.bits());
                let sum = first % width + k % width;
                if sum >= width {
                    return Some(Rewrite::Bits(0));
                }
                (op, sum, false)
            }
            _ => return None,
        };
        let b = self.constant(ty, bits);
        Some(Rewrite::Data(InstData::Binary { op, args: [a, b], no_unsigned_wrap: exact }))
    }

    /// Division by powers of two without division. (That by other constants is left to ptxas.)
    fn cheaper(&mut self, op: BinaryOp, ty: Type, a: Value, k: u64) -> Option<Rewrite> {
        if !k.is_power_of_two() {
            return None;
        }
        let (op, k) = match op {
            BinaryOp::UDiv => (BinaryOp::LShr, u64::from(k.trailing_zeros())),
            BinaryOp::URem => (BinaryOp::And, k - 1),
            _ => return None,
        };
        let b = self.constant(ty, k);
        Some(Rewrite::Data(InstData::Binary { op, args: [a, b], no_unsigned_wrap: false }))
    }

    /// Comparisons of integers and `bool`s.
    pub(super) fn int_compare(&mut self, cond: IntCond, [a, b]: [Value; 2]) -> Option<Rewrite> {
        let ty = self.func.ty(a);
        let constant = |holds: bool| Some(Rewrite::Bits(holds.into()));
        match (self.bits(a), self.bits(b)) {
            (Some(a), Some(b)) => return constant(eval::int_compare(cond, ty, a, b)),
            (Some(_), None) => {
                return Some(Rewrite::Data(InstData::IntCompare { cond: cond.swapped(), args: [b, a] }));
            }
            (None, _) => {}
        }
        if a == b {
            return constant(eval::int_compare(cond, ty, 0, 0));
        }
        if let Some(known) = self.order(cond, [a, b]) {
            return Some(known);
        }
        if let Some(k) = self.bits(b) {
            return self.compare_with(cond, ty, a, k);
        }
        // Of values that were widened, compare the narrow ones.
        let (a, b) = (self.zero_extended(a)?, self.zero_extended(b)?);
        if self.func.ty(a) != self.func.ty(b) || self.func.ty(a) == Type::Bool {
            return None;
        }
        Some(Rewrite::Data(InstData::IntCompare { cond: cond.unsigned(), args: [a, b] }))
    }

    fn compare_with(&mut self, cond: IntCond, ty: Type, a: Value, k: u64) -> Option<Rewrite> {
        let constant = |holds: bool| Some(Rewrite::Bits(holds.into()));
        if ty == Type::Bool {
            let same = (cond == IntCond::Eq) == (k == 1);
            return Some(match same {
                true => Rewrite::Value(a),
                false => Rewrite::Data(InstData::Unary { op: UnaryOp::Not, arg: a }),
            });
        }
        let replace = |this: &mut Self, cond, k| {
            let b = this.constant(ty, k);
            Some(Rewrite::Data(InstData::IntCompare { cond, args: [a, b] }))
        };
        match (cond, k) {
            (IntCond::ULt, 0) => return constant(false),
            (IntCond::UGe, 0) => return constant(true),
            (IntCond::ULe, k) if k == ty.mask() => return constant(true),
            (IntCond::UGt, k) if k == ty.mask() => return constant(false),
            (IntCond::ULt, 1) | (IntCond::ULe, 0) => return replace(self, IntCond::Eq, 0),
            (IntCond::UGe, 1) | (IntCond::UGt, 0) => return replace(self, IntCond::Ne, 0),
            _ => {}
        }
        if let Some(holds) = self.known_order(cond, ty, a, k) {
            return constant(holds);
        }
        // With these bits a number is at least as large, and with bits below a power of two below it where it is without them.
        let end = match cond {
            IntCond::ULt | IntCond::UGe => Some(k),
            IntCond::ULe | IntCond::UGt => k.checked_add(1),
            _ => None,
        };
        if let Some(&InstData::Binary { op: BinaryOp::Or, args: [rest, bits], .. }) = self.func.def(a)
            && let (Some(end), Some(bits)) = (end, self.bits(bits))
        {
            if bits >= end {
                return constant(matches!(cond, IntCond::UGe | IntCond::UGt));
            }
            if end.is_power_of_two() {
                let b = self.constant(ty, k);
                return Some(Rewrite::Data(InstData::IntCompare { cond, args: [rest, b] }));
            }
        }
        // All bits of a number are zeros at an end if it is zero: without counting them.
        if let Some(&InstData::Unary { op: UnaryOp::LeadingZeros | UnaryOp::TrailingZeros, arg }) =
            self.func.def(a)
            && k == u64::from(self.func.ty(arg).bits())
        {
            let cond = match cond {
                IntCond::UGe | IntCond::Eq => Some(IntCond::Eq),
                IntCond::ULt | IntCond::Ne => Some(IntCond::Ne),
                _ => None,
            };
            if let Some(cond) = cond {
                let zero = self.constant(self.func.ty(arg), 0);
                return Some(Rewrite::Data(InstData::IntCompare { cond, args: [arg, zero] }));
            }
        }
        // A comparison of `bound - taken` becomes one of `taken`.
        if let Some(&InstData::Binary { op: BinaryOp::Sub, args: [bound, taken], no_unsigned_wrap: true }) =
            self.func.def(a)
            && let Some(bound) = self.bits(bound)
            && cond == cond.unsigned()
        {
            return match bound.checked_sub(k) {
                Some(rest) => {
                    let b = self.constant(ty, rest);
                    Some(Rewrite::Data(InstData::IntCompare { cond: cond.swapped(), args: [taken, b] }))
                }
                // The difference is at most the bound.
                None => constant(eval::int_compare(cond, ty, bound, k)),
            };
        }
        // A multiple of a power of two, of either sign, has low bits that are zero.
        if let (IntCond::Eq | IntCond::Ne, 0) = (cond, k)
            && let Some(&InstData::Binary { op: BinaryOp::SRem, args: [number, by], .. }) = self.func.def(a)
            && let Some(by) = self.bits(by).filter(|by| by.is_power_of_two())
        {
            let mask = self.constant(ty, by - 1);
            let and = InstData::Binary { op: BinaryOp::And, args: [number, mask], no_unsigned_wrap: false };
            let low = self.new_value(and, ty);
            let zero = self.constant(ty, 0);
            return Some(Rewrite::Data(InstData::IntCompare { cond, args: [low, zero] }));
        }
        if let (IntCond::Eq | IntCond::Ne, Some(test)) = (cond, self.bit_test(cond, ty, a, k)) {
            return Some(Rewrite::Data(test));
        }
        // Of a number that a truth value chose, compare the truth value.
        if let Some(&InstData::Select { cond: choice, if_true, if_false }) = self.func.def(a)
            && let (Some(if_true), Some(if_false)) = (self.bits(if_true), self.bits(if_false))
        {
            let holds = [if_true, if_false].map(|a| eval::int_compare(cond, ty, a, k));
            return Some(match holds {
                [true, false] => Rewrite::Value(choice),
                [false, true] => Rewrite::Data(InstData::Unary { op: UnaryOp::Not, arg: choice }),
                [same, _] => Rewrite::Bits(same.into()),
            });
        }
        let narrow = self.zero_extended(a)?;
        let source = self.func.ty(narrow);
        if k > source.mask() {
            // The operand is below `k`, and not negative.
            let negative = k > ty.mask() >> 1;
            return constant(match cond {
                IntCond::Eq | IntCond::UGt | IntCond::UGe => false,
                IntCond::Ne | IntCond::ULt | IntCond::ULe => true,
                IntCond::SLt | IntCond::SLe => !negative,
                IntCond::SGt | IntCond::SGe => negative,
            });
        }
        match source {
            Type::Bool if matches!(cond, IntCond::Eq | IntCond::Ne) => {
                let b = self.constant(source, k);
                Some(Rewrite::Data(InstData::IntCompare { cond, args: [narrow, b] }))
            }
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
                let b = self.constant(source, k);
                Some(Rewrite::Data(InstData::IntCompare { cond: cond.unsigned(), args: [narrow, b] }))
            }
            Type::Bool | Type::F32 | Type::F64 => None,
            Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => None,
        }
    }

    /// A test of one bit as one whether a mask has it: of `x & 4 == 4` that it is not zero, and of `(x >> i) & 1` that `x & (1 << i)` is, whose
    /// mask a loop makes for all lanes.
    fn bit_test(&mut self, cond: IntCond, ty: Type, a: Value, k: u64) -> Option<InstData> {
        let &InstData::Binary { op: BinaryOp::And, args: [value, mask], .. } = self.func.def(a)? else {
            return None;
        };
        let bit = self.bits(mask).filter(|mask| mask.is_power_of_two())?;
        if k == bit {
            let zero = self.constant(ty, 0);
            return Some(InstData::IntCompare { cond: cond.inverse(), args: [a, zero] });
        }
        let &InstData::Binary { op: BinaryOp::LShr, args: [whole, amount], .. } = self.func.def(value)?
        else {
            return None;
        };
        // A shift by a constant has multiples, which the ranges know.
        if k != 0 || bit != 1 || self.bits(amount).is_some() {
            return None;
        }
        let one = self.constant(ty, 1);
        let binary = |op, args| InstData::Binary { op, args, no_unsigned_wrap: false };
        let mask = self.new_value(binary(BinaryOp::Shl, [one, amount]), ty);
        let part = self.new_value(binary(BinaryOp::And, [whole, mask]), ty);
        let zero = self.constant(ty, 0);
        Some(InstData::IntCompare { cond, args: [part, zero] })
    }

    /// The value that was widened with zeros to this one.
    fn zero_extended(&self, value: Value) -> Option<Value> {
        match self.func.def(value) {
            Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) => Some(arg),
            _ => None,
        }
    }
}
