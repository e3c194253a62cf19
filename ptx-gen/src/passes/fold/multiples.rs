//! Known multiples: masks and remainders of them are folded.

use super::{Folder, Rewrite};
use crate::ir::{BinaryOp, ConvertOp, InstData, Value};

/// Maximum depth to which sums and products are followed.
const DEPTH: u32 = 6;

impl Folder<'_> {
    /// `a & mask` of the lowest bits: zero of a multiple, and of a sum with a multiple those of the other operand.
    pub(super) fn low_bits(&mut self, a: Value, mask: u64) -> Option<Rewrite> {
        if !mask.wrapping_add(1).is_power_of_two() {
            return None;
        }
        let bits = mask.count_ones();
        if self.low_zeros(a, DEPTH) >= bits {
            return Some(Rewrite::Bits(0));
        }
        let Some(&InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args: [x, y], .. }) =
            self.func.def(a)
        else {
            return None;
        };
        let rest = match op {
            _ if self.low_zeros(y, DEPTH) >= bits => x,
            BinaryOp::Add if self.low_zeros(x, DEPTH) >= bits => y,
            _ => return None,
        };
        let mask = self.constant(self.func.ty(a), mask);
        let data = InstData::Binary { op: BinaryOp::And, args: [rest, mask], no_unsigned_wrap: false };
        Some(Rewrite::Data(data))
    }

    /// Number of lowest bits that are known to be zero. A sum or product that wraps keeps them.
    fn low_zeros(&self, value: Value, depth: u32) -> u32 {
        let all = self.func.ty(value).bits();
        if let Some(bits) = self.bits(value) {
            return bits.trailing_zeros().min(all);
        }
        let (Some(data), Some(depth)) = (self.func.def(value), depth.checked_sub(1)) else { return 0 };
        let zeros = |value: Value| self.low_zeros(value, depth);
        match *data {
            InstData::Binary { op, args: [a, b], .. } => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor => zeros(a).min(zeros(b)),
                BinaryOp::And => zeros(a).max(zeros(b)),
                BinaryOp::Mul => (zeros(a) + zeros(b)).min(all),
                BinaryOp::Shl => {
                    self.bits(b).map_or(0, |by| (zeros(a) + (by % u64::from(all)) as u32).min(all))
                }
                _ => 0,
            },
            InstData::Convert {
                op:
                    ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::IndexExtend | ConvertOp::Truncate,
                arg,
            } => zeros(arg).min(all),
            InstData::Param { param } => {
                self.func.params[param].pointer_align.map_or(0, |align| align.trailing_zeros().min(all))
            }
            _ => 0,
        }
    }
}
