//! Upper bounds of indices that floats become, by branches about those: `if x >= 0.0 && x + 1.0 < width as f32 { row[x as usize + 1] }`.
//!
//! An integer up to 2^24 is exact as an `f32`. Where `x + c`, rounded, is below such a number, the sum itself is, because rounding is monotone
//! and leaves that number as it is. So `x` is below `width - c`, and so is the index, the integer next to `x` towards zero.
//!
//! A comparison that does not hold, as behind `if x < 0.0 || x >= width as f32 { return; }`, says the same of numbers. What is no number becomes
//! 0, and so does what is negative and becomes an unsigned integer: there the bound holds where it is not negative itself.

use super::{At, Bound, MOST_EXACT_F32, Search};
use crate::analysis::ranges::facts::{Relation, Want};
use crate::ir::{BinaryOp, ConvertOp, FloatCond, Function, InstData, Type, UnaryOp, Value};

/// Integers up to this are exact as an `f64`.
const MOST_EXACT_F64: i128 = 1 << 53;

/// A float that is at most another one, or below it.
struct Below {
    low: Value,
    high: Value,
    is_strict: bool,
    /// Neither is NaN. Of a comparison that does not hold one may be.
    is_ordered: bool,
}

impl Search<'_, '_> {
    /// Upper bounds of the integer that a float becomes.
    pub(super) fn upper_by_float_branches(
        &mut self,
        op: ConvertOp,
        arg: Value,
        at: At,
        depth: u32,
    ) -> Vec<Bound> {
        let func = self.ranges.func;
        let exact = match func.ty(arg) {
            Type::F32 => MOST_EXACT_F32,
            Type::F64 => MOST_EXACT_F64,
            _ => return Vec::new(),
        };
        // Rounded towards zero they become the same integer.
        let mut same = vec![arg];
        while let Some(&InstData::Unary { op: UnaryOp::Floor | UnaryOp::Trunc, arg }) =
            same.last().and_then(|&last| func.def(last))
        {
            same.push(arg);
        }
        let known = self.float_branches(at);
        let is_positive = |below: &Below| {
            same.contains(&below.high) && number(func, below.low).is_some_and(|least| least >= 0.0)
        };
        let is_positive = known.iter().any(is_positive);
        if !is_positive && op == ConvertOp::FloatToSInt {
            return Vec::new();
        }
        let mut found = Vec::new();
        for Below { low, high, is_strict, is_ordered } in known {
            let (low, more) = offset(func, low);
            let (high, less) = offset(func, high);
            let Some(&InstData::Convert { op: ConvertOp::UIntToFloat, arg: end }) = func.def(high) else {
                continue;
            };
            // An equal sum may have been rounded down.
            let is_usable = same.contains(&low) && (is_strict || more == 0.0);
            let fits = |by: f64| (0.0..=exact as f64).contains(&by);
            if !is_usable || !fits(more) || !fits(-less) || less.fract() != 0.0 {
                continue;
            }
            let offset = less as i128 - more.floor() as i128 - i128::from(is_strict);
            for end in self.upper(end, at, depth) {
                let bound = self.at_most(end, exact).and_then(|Bound { poly, conditions }| {
                    let poly = poly.plus_number(offset)?;
                    if is_positive && is_ordered {
                        return Some(Bound { poly, conditions });
                    }
                    // 0, which the conversion gives of what is negative or no number, is to be below it, too.
                    self.where_also(poly.clone(), poly, [conditions])
                });
                found.extend(bound);
            }
        }
        found
    }

    /// The comparisons of floats that hold at a block or edge.
    fn float_branches(&self, at: At) -> Vec<Below> {
        let ranges = self.ranges;
        let (func, facts) = (ranges.func, &ranges.facts);
        let outcome = |cond: Value| {
            facts.about(cond, at, Want::Both, &ranges.tree).find_map(|fact| match fact {
                Relation::Is(outcome) => Some(outcome),
                _ => None,
            })
        };
        let insts = ranges.cfg.order().iter().flat_map(|&block| &func.blocks[block].insts);
        insts
            .filter_map(|&inst| {
                let InstData::FloatCompare { cond, args: [a, b] } = func.insts[inst] else { return None };
                let (low, high, is_strict) = match cond {
                    FloatCond::Lt => (a, b, true),
                    FloatCond::Le => (a, b, false),
                    FloatCond::Gt => (b, a, true),
                    FloatCond::Ge => (b, a, false),
                    FloatCond::Eq | FloatCond::Ne => return None,
                };
                Some(match func.results[inst].and_then(outcome)? {
                    true => Below { low, high, is_strict, is_ordered: true },
                    false => Below { low: high, high: low, is_strict: !is_strict, is_ordered: false },
                })
            })
            .collect()
    }
}

/// A float constant.
fn number(func: &Function, value: Value) -> Option<f64> {
    let bits = func.constant(value)?;
    match func.ty(value) {
        Type::F32 => Some(f32::from_bits(bits as u32).into()),
        Type::F64 => Some(f64::from_bits(bits)),
        _ => None,
    }
}

/// A value as another one and a constant that is added.
fn offset(func: &Function, value: Value) -> (Value, f64) {
    match func.def(value) {
        Some(&InstData::Binary { op: BinaryOp::FAdd, args: [a, b], .. }) => {
            match (number(func, a), number(func, b)) {
                (_, Some(by)) => (a, by),
                (Some(by), None) => (b, by),
                (None, None) => (value, 0.0),
            }
        }
        Some(&InstData::Binary { op: BinaryOp::FSub, args: [a, b], .. }) => {
            number(func, b).map_or((value, 0.0), |by| (a, -by))
        }
        _ => (value, 0.0),
    }
}
