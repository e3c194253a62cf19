//! Sums of several terms, as `base + 2 * stride + 3`, to compare them term by term.

use super::facts::At;
use super::{REFINE_DEPTH, Ranges};
use crate::ir::{BinaryOp, Block, InstData, Value};

/// A sum of roots with factors, and a constant: exactly, as numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    terms: Vec<(Value, u64)>,
    constant: u64,
}

/// Maximum depth to which sums are decomposed.
const DEPTH: u32 = 5;
/// That where two sums are compared which may be built up in different ways.
const DEPTH_OF_ORDER: u32 = 12;

impl Linear {
    /// If no term is more often in `other`, how much more the constant is here: `self >= other + that`.
    pub(super) fn at_least(&self, other: &Linear) -> Option<i128> {
        let factor = |value| self.terms.iter().find(|(term, _)| *term == value).map_or(0, |(_, by)| *by);
        let covered = other.terms.iter().all(|&(value, by)| by <= factor(value));
        covered.then(|| i128::from(self.constant) - i128::from(other.constant))
    }

    /// If one term of `other`, with its factor, is all that is not here as often: that term, the values with at least its factor here that `other`
    /// does not have, and how much more the constant is here. With the term at most such a value `self >= other + that`.
    pub(super) fn at_least_but_one(&self, other: &Linear) -> Option<((Value, u64), Vec<Value>, i128)> {
        let factor =
            |of: &Linear, value| of.terms.iter().find(|(term, _)| *term == value).map_or(0, |(_, by)| *by);
        let mut missing = other.terms.iter().filter(|&&(value, by)| by > factor(self, value));
        let (Some(&(value, by)), None) = (missing.next(), missing.next()) else { return None };
        let is_end = |&&(end, times): &&(Value, u64)| times >= by && factor(other, end) == 0;
        let ends = self.terms.iter().filter(is_end).map(|(end, _)| *end).collect();
        Some(((value, by), ends, i128::from(self.constant) - i128::from(other.constant)))
    }

    /// Adds `by` times a value; none if that is too much for 64 bits.
    fn add(&mut self, value: Value, by: u64) -> Option<()> {
        match self.terms.iter_mut().find(|(term, _)| *term == value) {
            Some((_, factor)) => *factor = factor.checked_add(by)?,
            None => self.terms.push((value, by)),
        }
        Some(())
    }
}

impl Ranges<'_> {
    /// Returns true if `x <= y` whenever a block runs, as no term of `x` is more often in it than in `y`: `at + 3` and `at + 2 * width + 3`.
    pub fn has_no_more_terms(&self, x: Value, y: Value, block: Block) -> bool {
        let parts = |value| {
            let mut sum = Linear::default();
            self.take_apart(value, 1, At::block(block), DEPTH_OF_ORDER, &mut sum).map(|()| sum)
        };
        let (Some(x), Some(y)) = (parts(x), parts(y)) else { return false };
        y.at_least(&x).is_some_and(|more| more >= 0)
    }

    /// A value as a sum, as far as its sums and products don't wrap at a block or edge.
    pub(super) fn linear(&self, value: Value, at: At) -> Linear {
        let mut sum = Linear::default();
        match self.take_apart(value, 1, at, DEPTH, &mut sum) {
            Some(()) => sum,
            None => Linear { terms: vec![(self.facts.root(value), 1)], constant: 0 },
        }
    }

    fn take_apart(&self, value: Value, by: u64, at: At, depth: u32, sum: &mut Linear) -> Option<()> {
        let root = self.facts.root(value);
        if let Some(bits) = self.func.constant(root) {
            sum.constant = sum.constant.checked_add(bits.checked_mul(by)?)?;
            return Some(());
        }
        let (Some(&InstData::Binary { op, args: [a, b], no_unsigned_wrap }), Some(depth)) =
            (self.func.def(root), depth.checked_sub(1))
        else {
            return sum.add(root, by);
        };
        let mask = u128::from(self.func.ty(root).mask());
        let most = |value| self.most(value, at, depth);
        let exact = |result: u128| no_unsigned_wrap || result <= mask;
        match (op, self.func.constant(b)) {
            (BinaryOp::Add, _) if exact(most(a) + most(b)) => {
                self.take_apart(a, by, at, depth, sum)?;
                self.take_apart(b, by, at, depth, sum)
            }
            (BinaryOp::Mul, Some(k)) if exact(most(a) * u128::from(k)) => {
                self.take_apart(a, by.checked_mul(k)?, at, depth, sum)
            }
            (BinaryOp::Shl, Some(k)) if k < 64 && exact(most(a) << k) => {
                self.take_apart(a, by.checked_mul(1 << k)?, at, depth, sum)
            }
            _ => sum.add(root, by),
        }
    }

    /// Maximum of a value at a block or edge: of a multiple also by what branches say there of the value multiplied.
    fn most(&self, value: Value, at: At, depth: u32) -> u128 {
        let mask = u128::from(self.func.ty(value).mask());
        let known = self.refine(value, at, REFINE_DEPTH).map_or(mask, |interval| interval.hi.into());
        let (Some(&InstData::Binary { op, args: [a, b], .. }), Some(depth)) =
            (self.func.def(self.facts.root(value)), depth.checked_sub(1))
        else {
            return known;
        };
        let product = match (op, self.func.constant(b)) {
            (BinaryOp::Mul, Some(k)) => self.most(a, at, depth).checked_mul(k.into()),
            (BinaryOp::Shl, Some(k)) if k < 64 => self.most(a, at, depth).checked_mul(1 << k),
            _ => None,
        };
        // Else it may have wrapped.
        let of_root = u128::from(self.func.ty(self.facts.root(value)).mask());
        product.filter(|&product| product <= of_root).map_or(known, |product| known.min(product))
    }
}
