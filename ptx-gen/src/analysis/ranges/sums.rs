//! Sums as exact numbers, whatever their parts wrap to: of `x - 1 + n` the first difference may be below zero.

use super::facts::At;
use super::{Interval, RECOMPUTE_DEPTH, Ranges};
use crate::analysis::thread_index;
use crate::ir::{BinaryOp, Block, ConvertOp, InstData, Type, Value};

/// Maximum depth to which sums are decomposed.
const DEPTH: u32 = 5;
/// Terms of a sum.
const MOST_TERMS: usize = 6;
/// Times a divisor below which dividends are looked for.
const MOST_TIMES: u32 = 3;

/// A value as `plus - minus + number`, modulo two to the width of its type.
#[derive(Debug, Default)]
struct Terms {
    plus: Vec<Value>,
    minus: Vec<Value>,
    number: i128,
}

/// The least and the greatest exact number that a sum can be.
type Extent = (i128, i128);

impl Ranges<'_> {
    /// The terms of a value; a truncation of a sum is the sum of the truncated terms.
    fn terms(&self, value: Value) -> Option<Terms> {
        let mut terms = Terms::default();
        self.add_terms(value, false, self.func.ty(value), DEPTH, &mut terms)?;
        Some(terms)
    }

    fn add_terms(
        &self,
        value: Value,
        is_negative: bool,
        ty: Type,
        depth: u32,
        terms: &mut Terms,
    ) -> Option<()> {
        if let Some(bits) = self.func.constant(value) {
            let unused = u64::BITS - ty.bits();
            let number = i128::from((bits << unused) as i64 >> unused);
            terms.number += if is_negative { -number } else { number };
            return Some(());
        }
        match self.func.def(value) {
            Some(&InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args: [a, b], .. })
                if depth == DEPTH || depth > 0 && !self.is_known(value) =>
            {
                self.add_terms(a, is_negative, ty, depth - 1, terms)?;
                return self.add_terms(b, is_negative != (op == BinaryOp::Sub), ty, depth - 1, terms);
            }
            Some(&InstData::Convert { op: ConvertOp::Truncate, arg })
                if depth > 0
                    && matches!(
                        self.func.def(arg),
                        Some(InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. })
                    ) =>
            {
                return self.add_terms(arg, is_negative, ty, depth - 1, terms);
            }
            _ => {}
        }
        let of_sign = if is_negative { &mut terms.minus } else { &mut terms.plus };
        of_sign.push(value);
        (terms.plus.len() + terms.minus.len() <= MOST_TERMS).then_some(())
    }

    /// Returns true for a sum of which branches say something, as of the index of a thread: its parts say less.
    fn is_known(&self, sum: Value) -> bool {
        self.facts.is_branched(self.facts.root(sum)) || thread_index(self.func, sum).is_some()
    }

    /// Bounds of the exact sum of the terms.
    fn extent(&self, terms: &Terms, interval_of: &dyn Fn(Value) -> Option<Interval>) -> Option<Extent> {
        let (mut lo, mut hi) = (terms.number, terms.number);
        for &term in &terms.plus {
            let interval = interval_of(term)?;
            lo += i128::from(interval.lo);
            hi += i128::from(interval.hi);
        }
        for &term in &terms.minus {
            let interval = interval_of(term)?;
            lo -= i128::from(interval.hi);
            hi -= i128::from(interval.lo);
        }
        Some((lo, hi))
    }

    /// The interval of a sum or difference of several terms, if the exact sum fits its type.
    pub(super) fn interval_of_sum(
        &self,
        sum: Value,
        at: At,
        interval_of: &dyn Fn(Value) -> Option<Interval>,
    ) -> Option<Interval> {
        let terms = self.terms(sum).filter(|terms| terms.plus.len() + terms.minus.len() > 1)?;
        let of_term = |term: Value| match self.func.def(term) {
            Some(InstData::Convert { .. }) => self.recompute(term, at, 2),
            _ => interval_of(term),
        };
        let (lo, hi) = self.extent(&terms, &of_term)?;
        let mask = self.func.ty(sum).mask();
        let [lo, hi] = [lo, hi].map(|bound| u64::try_from(bound).ok().filter(|&bound| bound <= mask));
        Some(Interval::new(lo?, hi?))
    }

    /// Bounds of a value divided by another one, which is not zero, whenever a block runs: it is at least the first, zero or one, times that
    /// one, and less than the second times; none if that is more than [`MOST_TIMES`].
    pub fn times(&self, value: Value, by: Value, block: Block) -> Option<(u32, u32)> {
        let at = At::block(block);
        if let (Some(value), Some(by)) = (self.at(value, block), self.at(by, block))
            && let Some(most) = (1..=MOST_TIMES).find(|&times| value.hi < by.lo.saturating_mul(times.into()))
        {
            return Some((0, most));
        }
        let mask = i128::from(self.func.ty(value).mask());
        let whole = || Terms { plus: vec![value], ..Terms::default() };
        let is_exact =
            |terms: &Terms| self.extent_at(terms, at).is_some_and(|(lo, hi)| lo >= 0 && hi <= mask);
        let mut terms = self.terms(value).filter(is_exact).unwrap_or_else(whole);
        let least = u32::from(self.take_once(&mut terms, by, at));
        Some((least, least + self.most_times(&terms, by, at)?))
    }

    /// The number of times another value, which is positive, that a signed value is proved to be below whenever a block runs, if minus that
    /// other one is not above it; and whether the value may be negative.
    pub fn signed_times(&self, value: Value, by: Value, block: Block) -> Option<(bool, u32)> {
        let at = At::block(block);
        let most = i128::from(self.func.ty(value).mask() >> 1);
        let (terms, by_in) = (self.terms(value)?, self.recompute(by, at, RECOMPUTE_DEPTH)?);
        let (lo, hi) = self.extent_at(&terms, at)?;
        let is_positive = by_in.lo > 0 && i128::from(by_in.hi) <= most;
        let is_taken_once =
            || terms.number >= 0 && matches!(terms.minus[..], [less] if self.proves(less, by, 0, at));
        let is_within = lo >= -most && hi <= most && (lo >= -i128::from(by_in.lo) || is_taken_once());
        if is_positive && is_within { Some((lo < 0, self.most_times(&terms, by, at)?)) } else { None }
    }

    fn extent_at(&self, terms: &Terms, at: At) -> Option<Extent> {
        self.extent(terms, &|term| self.recompute(term, at, RECOMPUTE_DEPTH))
    }

    /// Takes a value from a sum that it is a term of, if the rest is not below zero.
    fn take_once(&self, terms: &mut Terms, by: Value, at: At) -> bool {
        let root = |value: Value| self.facts.root(self.untruncated(value));
        let Some(position) = terms.plus.iter().position(|&term| root(term) == root(by)) else { return false };
        let term = terms.plus.remove(position);
        if self.extent_at(terms, at).is_some_and(|(lo, _)| lo >= 0) {
            return true;
        }
        terms.plus.push(term);
        false
    }

    /// The value that a truncation leaves as it is whenever it is computed.
    fn untruncated(&self, value: Value) -> Value {
        match self.func.def(value) {
            Some(&InstData::Convert { op: ConvertOp::Truncate, arg })
                if self.of(arg).hi <= self.func.ty(value).mask() =>
            {
                arg
            }
            _ => value,
        }
    }

    /// The least number of times another value, which is not zero, that is proved to be above a sum.
    fn most_times(&self, terms: &Terms, by: Value, at: At) -> Option<u32> {
        let least = i128::from(self.recompute(by, at, RECOMPUTE_DEPTH)?.lo.max(1));
        let by = self.untruncated(by);
        let proves = |value: Value, more: i128| self.proves(value, by, more, at);
        (1..=MOST_TIMES).find(|&times| {
            // The terms less `by` each are at most this together.
            let rest = |terms: u32| (i128::from(times) - i128::from(terms)) * least - 1;
            match terms.plus[..] {
                [only] if times >= 1 => proves(only, rest(1) - terms.number),
                [a, b] if times >= 2 => [-1, 0].into_iter().any(|more| {
                    let rest = rest(2) - terms.number - more;
                    proves(a, more) && proves(b, rest) || proves(b, more) && proves(a, rest)
                }),
                _ => false,
            }
        })
    }
}
