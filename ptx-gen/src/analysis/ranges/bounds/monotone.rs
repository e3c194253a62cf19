//! Upper bounds of indices that are made of floats, `(column as f32 * scale) as usize`, where those are made of bounded integers.
//!
//! IEEE 754 rounds monotonically: a larger operand gives no smaller sum, and no smaller product with a number that is not negative. So the
//! greatest index is that of the greatest integers, and the host computes it by the device's operations. Where it would be NaN there the
//! host knows nothing; a thread's NaN is index 0.

use super::{At, Bound, Search};
use crate::analysis::ranges::poly::{AtomData, FloatBound, Poly};
use crate::analysis::ranges::uniform;
use crate::ir::{BinaryOp, ConvertOp, InstData, Type, UnaryOp, Value};

/// More operations than a host shall compute for one bound.
const MOST: u32 = 16;

/// A float that does not fall while the integers that it is made of grow.
struct Growth {
    bound: FloatBound,
    conditions: Vec<Poly>,
    left: u32,
}

impl Search<'_, '_> {
    /// The upper bound of a conversion of a float to an integer.
    pub(super) fn upper_of_float(&mut self, root: Value, op: ConvertOp, arg: Value, at: At) -> Option<Bound> {
        let func = self.ranges.func;
        if func.flush_subnormals {
            return None;
        }
        let bound = FloatBound { index: root, leaves: Vec::new(), not_negative: Vec::new() };
        let mut growth = Growth { bound, conditions: Vec::new(), left: MOST };
        let never_negative = self.grows(arg, at, &mut growth)?;
        let ty = func.ty(root);
        let most = match op {
            ConvertOp::FloatToUInt => ty.mask(),
            _ if never_negative => ty.mask() >> 1,
            _ => return None,
        };
        let atom = self.atoms.atom(AtomData::Float(growth.bound), (Some(0), Some(most.into())));
        self.where_also(Poly::atom(atom), Poly::default(), [growth.conditions])
    }

    /// True of a float that is never negative, false of others; none if it may fall.
    fn grows(&mut self, value: Value, at: At, growth: &mut Growth) -> Option<bool> {
        let func = self.ranges.func;
        growth.left = growth.left.checked_sub(1)?;
        if !matches!(func.ty(value), Type::F32 | Type::F64) {
            return None;
        }
        match *func.def(value)? {
            InstData::Const { bits } => Some(bits <= func.ty(value).mask() >> 1),
            InstData::Param { .. } => Some(false),
            InstData::Convert { op: ConvertOp::FloatToFloat, arg } => self.grows(arg, at, growth),
            InstData::Convert { op: ConvertOp::UIntToFloat, arg } => {
                if !uniform::is_known_to_host(func, arg) {
                    let Bound { poly, conditions } = self.upper(arg, at, super::DEPTH).into_iter().next()?;
                    growth.bound.leaves.push((arg, poly));
                    growth.conditions.extend(conditions);
                }
                Some(true)
            }
            InstData::Unary {
                op: UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::RoundEven,
                arg,
            } => self.grows(arg, at, growth),
            InstData::Fma { args: [a, b, c] } => {
                let product = self.product_grows(a, b, at, growth)?;
                Some(self.grows(c, at, growth)? && product)
            }
            InstData::Binary { op, args: [a, b], .. } => match op {
                BinaryOp::FMul => self.product_grows(a, b, at, growth),
                BinaryOp::FDiv if self.is_uniform_float(b) => {
                    if !self.grows(b, at, growth)? {
                        self.needs_sign(b, growth)?;
                    }
                    self.grows(a, at, growth)
                }
                BinaryOp::FSub if self.is_uniform_float(b) => {
                    self.grows(b, at, growth)?;
                    self.grows(a, at, growth).map(|_| false)
                }
                BinaryOp::FAdd | BinaryOp::FMin | BinaryOp::FMax => {
                    let [a, b] = [self.grows(a, at, growth)?, self.grows(b, at, growth)?];
                    match op {
                        BinaryOp::FMax => Some(a || b),
                        // Of a NaN and another number it is the other one: those without negative numbers are at most infinite.
                        BinaryOp::FMin => (a && b).then_some(true),
                        _ => Some(a && b),
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Of a product of numbers that are not negative, or of any and a launch-uniform one that is not.
    fn product_grows(&mut self, a: Value, b: Value, at: At, growth: &mut Growth) -> Option<bool> {
        let [a, b] = [a, b].map(|factor| (factor, self.is_uniform_float(factor)));
        let of_a = self.grows(a.0, at, growth)?;
        let of_b = self.grows(b.0, at, growth)?;
        match ((a.1, of_a), (b.1, of_b)) {
            ((_, true), (_, true)) => Some(true),
            ((true, true), (_, other)) | ((_, other), (true, true)) => Some(other),
            ((true, false), (_, other)) => self.needs_sign(a.0, growth).map(|()| other),
            ((_, other), (true, false)) => self.needs_sign(b.0, growth).map(|()| other),
            ((false, _), (false, _)) => None,
        }
    }

    /// Notes that the host has to find a float not negative; none for a number, which is.
    fn needs_sign(&self, value: Value, growth: &mut Growth) -> Option<()> {
        self.ranges.func.constant(value).is_none().then(|| growth.bound.not_negative.push(value))
    }

    /// Returns true if a float is made of parameters and the shape of the launch alone.
    fn is_uniform_float(&self, value: Value) -> bool {
        let func = self.ranges.func;
        let mut parts = vec![value];
        let mut next = 0;
        while let Some(&part) = parts.get(next) {
            next += 1;
            match func.def(part) {
                Some(InstData::Const { .. } | InstData::Param { .. }) => {}
                Some(&InstData::Convert { op: ConvertOp::UIntToFloat, arg }) => {
                    if !uniform::is_known_to_host(func, arg) {
                        return false;
                    }
                }
                Some(
                    data @ (InstData::Convert { op: ConvertOp::FloatToFloat, .. }
                    | InstData::Unary { .. }
                    | InstData::Binary { .. }
                    | InstData::Fma { .. }),
                ) => data.visit_args(|arg| parts.push(arg)),
                _ => return false,
            }
            if parts.len() > MOST as usize {
                return false;
            }
        }
        true
    }
}
