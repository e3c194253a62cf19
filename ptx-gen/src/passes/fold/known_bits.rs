//! Bits that are known to be zero: masks, shifts and exclusive ors of such values are folded, and constants come out of them.
//!
//! A sum `x + c` without carries, for `x` has zeros where `c` has ones, is the union of both, and bitwise operations apply to each
//! for itself. A constant is then left at the outside, where addresses take it into the offset of an access: the chunks
//! of a swizzled tile, `(x + c1) ^ c2`, share the addresses that differ in what varies only. (LLVM: `computeKnownBits`, "disjoint or".)

use super::{Folder, Rewrite};
use crate::analysis::ranges;
use crate::ir::{BinaryOp, ConvertOp, InstData, IntCond, Type, Value};

/// Maximum depth to which operands are followed.
const DEPTH: u32 = 6;

impl Folder<'_> {
    /// `a op k` for a mask, a shift to the right and an exclusive or.
    pub(super) fn known_bits(&mut self, op: BinaryOp, ty: Type, a: Value, k: u64) -> Option<Rewrite> {
        match op {
            BinaryOp::And if self.zeros(a, DEPTH) | k == ty.mask() => Some(Rewrite::Value(a)),
            BinaryOp::And if k.wrapping_add(1).is_power_of_two() => self.low_bits(ty, a, k),
            BinaryOp::LShr => {
                let (x, c) = self.disjoint_sum(a)?;
                let by = (k % u64::from(ty.bits())) as u32;
                self.sum_of(ty, (op, x, k), c >> by)
            }
            BinaryOp::Xor => {
                let (x, c) = self.disjoint_sum(a).unwrap_or((a, 0));
                let zeros = self.zeros(x, DEPTH);
                let varied = k & !zeros;
                (c != 0 || varied != k).then(|| self.sum_of(ty, (op, x, varied), (c ^ k) & zeros))?
            }
            _ => None,
        }
    }

    /// The truth of a comparison of `a` with `k`, if the bits that are known to be zero decide it: a lane's number is below 32.
    pub(super) fn known_order(&self, cond: IntCond, ty: Type, a: Value, k: u64) -> Option<bool> {
        let zeros = self.zeros(a, DEPTH);
        let most = ty.mask() & !zeros;
        let (positive, negative) = (ty.mask() >> 1, k > ty.mask() >> 1);
        match cond {
            IntCond::Eq | IntCond::Ne => (k & zeros != 0).then_some(cond == IntCond::Ne),
            IntCond::SLt | IntCond::SLe | IntCond::SGt | IntCond::SGe if most > positive => None,
            IntCond::SLt | IntCond::SLe if negative => Some(false),
            IntCond::SGt | IntCond::SGe if negative => Some(true),
            IntCond::ULt | IntCond::SLt => (most < k).then_some(true),
            IntCond::ULe | IntCond::SLe => (most <= k).then_some(true),
            IntCond::UGt | IntCond::SGt => (most <= k).then_some(false),
            IntCond::UGe | IntCond::SGe => (most < k).then_some(false),
        }
    }

    /// `a & mask` of the lowest bits: zero of a multiple, and of a sum with a multiple those of the other operand.
    fn low_bits(&mut self, ty: Type, a: Value, mask: u64) -> Option<Rewrite> {
        let is_multiple = |value| self.zeros(value, DEPTH) & mask == mask;
        if is_multiple(a) {
            return Some(Rewrite::Bits(0));
        }
        let Some(&InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args: [x, y], .. }) =
            self.func.def(a)
        else {
            return None;
        };
        let rest = match op {
            _ if is_multiple(y) => x,
            BinaryOp::Add if is_multiple(x) => y,
            BinaryOp::Add => {
                let c = self.bits(y)? & mask;
                // Without a carry within the mask.
                return (self.zeros(x, DEPTH) & c == c)
                    .then(|| self.sum_of(ty, (BinaryOp::And, x, mask), c))?;
            }
            _ => return None,
        };
        let mask = self.constant(ty, mask);
        let data = InstData::Binary { op: BinaryOp::And, args: [rest, mask], no_unsigned_wrap: false };
        Some(Rewrite::Data(data))
    }

    /// The parts of a sum with a constant that has no carries.
    fn disjoint_sum(&self, sum: Value) -> Option<(Value, u64)> {
        let InstData::Binary { op: BinaryOp::Add, args: [x, c], .. } = *self.func.def(sum)? else {
            return None;
        };
        let c = self.bits(c)?;
        (self.zeros(x, DEPTH) & c == c).then_some((x, c))
    }

    /// `(x op k) + c`, whose operands have no bits in common.
    fn sum_of(&mut self, ty: Type, (op, x, k): (BinaryOp, Value, u64), c: u64) -> Option<Rewrite> {
        if c == 0 {
            let k = self.constant(ty, k);
            return Some(Rewrite::Data(InstData::Binary { op, args: [x, k], no_unsigned_wrap: false }));
        }
        let k = self.constant(ty, k);
        let data = InstData::Binary { op, args: [x, k], no_unsigned_wrap: false };
        let part = match self.simplify(&data, ty) {
            Some(Rewrite::Value(value)) => value,
            Some(Rewrite::Bits(bits)) => self.constant(ty, bits),
            Some(Rewrite::Data(data)) => self.new_value(data, ty),
            None => self.new_value(data, ty),
        };
        let c = self.constant(ty, c);
        Some(Rewrite::Data(InstData::Binary { op: BinaryOp::Add, args: [part, c], no_unsigned_wrap: true }))
    }

    /// The bits that are known to be zero, as a mask of the type.
    fn zeros(&self, value: Value, depth: u32) -> u64 {
        let ty = self.func.ty(value);
        let mask = ty.mask();
        // All above the highest bit of the greatest value.
        let above = |most: u64| mask & !low_mask(u64::BITS - most.leading_zeros());
        if let Some(bits) = self.bits(value) {
            return mask & !bits;
        }
        let (Some(data), Some(depth)) = (self.func.def(value), depth.checked_sub(1)) else { return 0 };
        let zeros = |value: Value| self.zeros(value, depth);
        // The greatest value that the known bits allow.
        let most = |value: Value| self.func.ty(value).mask() & !zeros(value);
        match *data {
            InstData::Binary { op, args: [a, b], .. } => match op {
                BinaryOp::And => zeros(a) | zeros(b),
                BinaryOp::Or | BinaryOp::Xor => zeros(a) & zeros(b),
                BinaryOp::Add => {
                    let (x, y) = (most(a), most(b));
                    let low = x.trailing_zeros().min(y.trailing_zeros());
                    let low = low_mask(low) & mask;
                    match x.checked_add(y).filter(|&sum| sum <= mask) {
                        Some(sum) if x & y == 0 => mask & !sum,
                        Some(sum) => low | above(sum),
                        None => low,
                    }
                }
                BinaryOp::Sub => mask & low_mask(most(a).trailing_zeros().min(most(b).trailing_zeros())),
                BinaryOp::Mul => {
                    let (x, y) = (most(a), most(b));
                    let low = mask & low_mask(x.trailing_zeros().saturating_add(y.trailing_zeros()));
                    match x.checked_mul(y).filter(|&product| product <= mask) {
                        Some(product) => low | above(product),
                        None => low,
                    }
                }
                BinaryOp::Shl | BinaryOp::LShr => {
                    let Some(by) = self.bits(b) else { return 0 };
                    let by = by % u64::from(ty.bits());
                    if op == BinaryOp::Shl {
                        mask & (zeros(a) << by | low_mask(by as u32))
                    } else {
                        mask & !(most(a) >> by)
                    }
                }
                BinaryOp::UDiv => self.bits(b).filter(|&by| by != 0).map_or(0, |by| above(most(a) / by)),
                BinaryOp::URem => {
                    self.bits(b).filter(|&by| by != 0).map_or(0, |by| above((by - 1).min(most(a))))
                }
                BinaryOp::UMin => above(most(a).min(most(b))),
                _ => 0,
            },
            InstData::Select { if_true, if_false, .. } => zeros(if_true) & zeros(if_false),
            InstData::Convert { op, arg } => {
                let source = self.func.ty(arg);
                match op {
                    ConvertOp::ZeroExtend => zeros(arg) | mask & !source.mask(),
                    ConvertOp::Truncate => zeros(arg) & mask,
                    // The highest bit of the source becomes all above it.
                    ConvertOp::SignExtend | ConvertOp::IndexExtend => {
                        let known = zeros(arg);
                        let is_positive = known >> (source.bits() - 1) & 1 == 1;
                        known | if is_positive { mask & !source.mask() } else { 0 }
                    }
                    _ => 0,
                }
            }
            InstData::Special { register } => above(ranges::most_of_special(register, self.func)),
            InstData::Param { param } => self.func.params[param]
                .pointer_align
                .map_or(0, |align| mask & low_mask(align.trailing_zeros())),
            _ => 0,
        }
    }
}

/// So many ones at the low end.
fn low_mask(count: u32) -> u64 {
    1u64.checked_shl(count).map_or(u64::MAX, |power| power - 1)
}
