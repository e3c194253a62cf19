//! Symbolic bounds of values that differ between threads, over launch-uniform values: `row * cols + col` is at most
//! `rows * cols - 1` where branches say `row < rows` and `col < cols`.
//!
//! Bounds are polynomials over lengths, scalar parameters and the shape of the launch ([`poly`](super::poly)). Each comes with
//! *conditions*, other polynomials that must not be negative for it to hold: that a product fits its type, say. Facts are those of
//! the branches that dominate, as everywhere in [`ranges`](super); around loops a bound is assumed and must follow from itself.
//!
//! A bound holds whenever its block is reached. In launches that never reach it, it may be below zero, which is no
//! error: conclusions about those launches are vacuous.

mod float_branches;
mod monotone;

use std::collections::{HashMap, HashSet};
use std::iter;

use super::facts::{At, Relation, Want};
use super::poly::{Atom, AtomData, Atoms, FloatBound, Poly, Reach, Term};
use super::{Interval, REFINE_DEPTH, Ranges, interval, uniform};
use crate::analysis::multiples;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, InstData, IntCond, Param, SpecialRegister, Type, UnaryOp, Value,
    ValueDef,
};

/// A bound of a value, which holds where none of the conditions is negative.
#[derive(Clone, Debug)]
struct Bound {
    poly: Poly,
    conditions: Vec<Poly>,
}

/// Distances of an induction variable from its first value.
struct Steps {
    most: Vec<Bound>,
    least: Vec<Bound>,
}

/// A sum of a value and another one.
struct GuardedSum {
    sum: Value,
    args: [Value; 2],
    other: Value,
    no_unsigned_wrap: bool,
}

/// A division of a value.
struct Parts {
    divisor: Value,
    is_signed: bool,
    quotient: Option<Value>,
    remainder: Option<Value>,
}

/// Conditions on a launch that together give a truth value the required value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// None is negative.
    pub not_negative: Vec<Poly>,
    /// These values, made from parameters and the shape of the launch alone, are true or false.
    pub truths: Vec<(Value, bool)>,
}

impl Demand {
    /// Returns true if every launch meets them.
    pub fn is_nothing(&self) -> bool {
        self.not_negative.is_empty() && self.truths.is_empty()
    }
}

/// Steps after which a question is given up.
const FUEL: u32 = 1200;
/// Maximum length of a chain of steps.
const DEPTH: u32 = 14;
/// Maximum depth from a sum to the facts from branches about it.
const SUM_DEPTH: u32 = 5;
/// Bounds of one value.
const MOST: usize = 6;
/// Demands that each are enough.
const MOST_DEMANDS: usize = 10;
/// Demands of one test, each of which is enough.
const MOST_ALTERNATIVES: usize = 3;
/// A test of two lengths comes after products of fewer sizes, and one of a length times a size after one more.
const FACTORS_OF_LENGTH: usize = 3;
/// Terms of a sum that is one atom in products.
const LONG_SUM: usize = 3;
/// Maximum depth to which loaded numbers are searched for in sums.
const TYPE_DEPTH: u32 = 6;
/// Numbers beyond this come from the widths of types and registers.
const FAR: i128 = 1 << 20;
/// Numbers of elements or threads below this are less than any size.
const FEW: i128 = 64;
/// Numbers from here on are what types hold, less a few elements.
const MOST_THAT_FITS: i128 = 1 << 30;
/// Integers up to this are exact as an `f32`.
const MOST_EXACT_F32: i128 = 1 << 24;
/// Loaded numbers whose type allows no more than this, and a few more, may be indices of tables with an element for each.
const MOST_OF_FEW_BITS: u64 = 2 * u16::MAX as u64;
/// Numbers beyond this bound nothing that has memory.
const MOST_ELEMENTS: u64 = 1 << 28;

impl Ranges<'_> {
    /// Computes demands that make a `bool` be `truth` whenever `block` has run: any one of them is enough. Empty: no such demand
    /// is known.
    pub fn demands(&self, atoms: &mut Atoms, cond: Value, truth: bool, block: Block) -> Vec<Demand> {
        let mut search = Search::new(self, atoms);
        let found = search.likely_demands(cond, truth, block, false);
        if !search.has_long_sums {
            return found;
        }
        let mut search = Search { keeps_long_sums: true, ..Search::new(self, search.atoms) };
        let whole = search.likely_demands(cond, truth, block, false);
        let conditions = |found: &[Demand]| found.iter().map(|demand| demand.not_negative.len()).min();
        match (conditions(&found), conditions(&whole)) {
            (Some(_), None) => found,
            (Some(few), Some(many)) if few <= many => found,
            (None, _) | (Some(_), Some(_)) => whole,
        }
    }

    /// The demands on the number of threads alone where [`demands`](Self::demands) has some on lengths: for those that no launch
    /// meets beside other guards.
    pub fn demands_on_threads(
        &self,
        atoms: &mut Atoms,
        cond: Value,
        truth: bool,
        block: Block,
    ) -> Vec<Demand> {
        Search::new(self, atoms).likely_demands(cond, truth, block, true)
    }
}

impl Search<'_, '_> {
    /// The demands that launches meet most; of those on lengths and on numbers of threads the latter if so asked.
    fn likely_demands(&mut self, cond: Value, truth: bool, block: Block, takes_far: bool) -> Vec<Demand> {
        let search = self;
        let mut found = search.demands(cond, truth, At::block(block), 4);
        if found.iter().any(Demand::is_nothing) {
            return vec![Demand::default()];
        }
        // No address is below a size, as that of a vector would have to be for its last bits to be zero.
        found.retain(|demand| !demand.not_negative.iter().any(|poly| search.bounds_address(poly)));
        // A guard that something is empty says little.
        let says = |demand: &Demand| {
            demand.not_negative.iter().all(|poly| search.atoms.reach(poly).1.is_none_or(|most| most > 0))
        };
        if found.iter().any(says) {
            found.retain(says);
        }
        // Nor one on sizes that names no length, where a bound on the shape of blocks is enough: of an index into shared memory.
        if found.iter().any(|demand| demand.not_negative.iter().all(|poly| search.bounds_block(poly))) {
            found.retain(|demand| {
                let names_length = |poly: &Poly| search.names_length(poly);
                demand.not_negative.iter().all(|poly| search.bounds_block(poly) || names_length(poly))
            });
        }
        // Nor one that a size times others is no more than the size.
        found.retain(|demand| !demand.not_negative.iter().any(is_below_its_factor));
        // Nor does a guard that something which grows with the problem stays below a small number.
        let may_grow =
            |poly: &Poly| poly.terms().iter().any(|(atoms, by)| *by > 0 && (!atoms.is_empty() || *by > FAR));
        let grows = |demand: &Demand| demand.not_negative.iter().all(may_grow);
        if found.iter().any(grows) {
            found.retain(grows);
        }
        // Nor can a product of more dimensions be less than one of fewer, whatever the problem's size.
        let scales = |demand: &Demand| demand.not_negative.iter().all(|poly| search.scales(poly));
        if found.iter().any(scales) {
            found.retain(scales);
        } else {
            // The check is made where the access is.
            found.retain(|demand| !demand.not_negative.iter().any(|poly| search.contradicts(poly)));
        }
        // Nor has a launch only a handful of threads: the check is made where the access is.
        found.retain(|demand| !demand.not_negative.iter().any(|poly| search.leaves_few_threads(poly)));
        // Nor is a buffer longer than another one by what an index varies by, rather than by the neighbours of an element: the first index
        // is bounded by the other buffer although the sum of both is not.
        found.retain(|demand| {
            let is_longer =
                |poly: &Poly| poly.constant_term() <= -FEW && search.fails_for_equal_lengths(poly);
            !demand.not_negative.iter().any(is_longer)
        });
        // Nor is a size zero.
        found.retain(|demand| !demand.not_negative.iter().any(says_that_it_is_empty));
        // A test of lengths says more to the reader, and holds more often, than one of how many threads there are; but buffers of equal
        // lengths have to pass, where there is a choice.
        let is_far = |demand: &Demand| demand.not_negative.iter().any(|poly| search.is_far_demand(poly));
        let is_near = |demand: &Demand| !is_far(demand) && !demand.is_nothing();
        let fails =
            |demand: &Demand| demand.not_negative.iter().any(|poly| search.fails_for_equal_lengths(poly));
        let counts_threads =
            |demand: &Demand| demand.not_negative.iter().any(|poly| search.counts_threads(poly));
        // A demand on the number of blocks comes before one that a buffer is at most some elements of a tile longer than another one: a buffer that is
        // padded to whole tiles would fail that. Both demands have the slack of a tile.
        let has_slack = |poly: &Poly| poly.constant_term() >= FEW && search.names_length(poly);
        if found.iter().any(|demand| is_far(demand) && demand.not_negative.iter().all(has_slack)) {
            let is_padded = |poly: &Poly| has_slack(poly) && search.has_length_below(poly);
            found.retain(|demand| !demand.not_negative.iter().any(is_padded));
        }
        if found.iter().any(is_near) {
            match (takes_far, found.iter().any(|demand| is_near(demand) && !fails(demand))) {
                (true, _) => found.retain(is_far),
                (false, true) => found.retain(|demand| !is_far(demand) && !fails(demand)),
                (false, false) => found.retain(|demand| !is_far(demand) || !counts_threads(demand)),
            }
        } else if !takes_far {
            // Of the shape of the launch only what has to be there: an index of a block, say, but no number of threads where branches give a size.
            let registers = |demand: &Demand| -> HashSet<SpecialRegister> {
                let sizes = demand.not_negative.iter().filter(|poly| !says_that_it_fits(poly));
                sizes.flat_map(|poly| search.atoms.launch_registers(poly)).collect()
            };
            let named: Vec<HashSet<SpecialRegister>> =
                found.iter().filter(|demand| !fails(demand) && !demand.is_nothing()).map(registers).collect();
            found.retain(|demand| {
                let own = registers(demand);
                !named.iter().any(|fewer| fewer.len() < own.len() && fewer.is_subset(&own))
            });
        }
        // Nor one that has a number in place of a size which is at most that: of an array whose checks bound the size, say.
        let names_sizes =
            |demand: &Demand| !found.iter().any(|other| search.has_number_for_size(demand, other));
        let sizes: Vec<Demand> = found.iter().filter(|demand| names_sizes(demand)).cloned().collect();
        if !sizes.is_empty() {
            found = sizes;
        }
        // A bound on a product of more sizes holds wherever the one on fewer does. One that names a number of elements may be of another
        // slice of a fixed length: it says nothing of those on sizes, which come first.
        let is_of_sizes = |demand: &Demand| {
            !demand.not_negative.iter().any(|poly| search.has_length_below(poly))
                && !demand.not_negative.iter().any(names_number)
        };
        let least = found.iter().filter(|demand| is_of_sizes(demand)).map(most_factors).min();
        found
            .retain(|demand| !is_of_sizes(demand) || least.is_none_or(|least| most_factors(demand) <= least));
        found.sort_by_key(|demand| demand.not_negative.iter().any(names_number));
        found.truncate(MOST_ALTERNATIVES);
        found
    }
}

/// Returns true if products are to be at most what they are multiples of: `rows * columns <= columns`.
fn is_below_its_factor(poly: &Poly) -> bool {
    let (above, below): (Vec<_>, Vec<_>) = poly.terms().iter().partition(|(_, by)| *by > 0);
    let is_part = |(atoms, by): Term| {
        !atoms.is_empty()
            && below.iter().any(|(product, times)| -times >= by && is_factor_of(&atoms, product))
    };
    !above.is_empty() && above.into_iter().all(is_part)
}

/// Returns true if a product has all of these factors, and more.
fn is_factor_of(atoms: &[Atom], product: &[Atom]) -> bool {
    let mut rest = product.to_vec();
    atoms.len() < product.len()
        && atoms
            .iter()
            .all(|atom| rest.iter().position(|it| it == atom).map(|at| rest.swap_remove(at)).is_some())
}

/// Returns true if so many elements, or so many of a size, must be at most something: the length of another slice, or what a type or a shape
/// of blocks can be.
fn names_number(poly: &Poly) -> bool {
    !says_that_it_fits(poly) && poly.terms().iter().any(|(_, by)| *by < -FEW)
}

/// The most factors of a product that must be at most something; one at least, as of a number.
fn most_factors(demand: &Demand) -> usize {
    let sizes = demand.not_negative.iter().filter(|poly| !says_that_it_fits(poly));
    sizes.map(|poly| degree(poly, false)).max().unwrap_or(0).max(1)
}

/// The most factors of a product with this sign.
fn degree(poly: &Poly, is_positive: bool) -> usize {
    let terms = poly.terms().iter().filter(|(_, by)| (*by > 0) == is_positive);
    terms.map(|(atoms, _)| atoms.len()).max().unwrap_or(0)
}

impl Ranges<'_> {
    /// Conditions under which a value is at most this when a block runs, the fewest that are known of those that launches meet: that
    /// something fits.
    pub fn at_most_where(
        &self,
        atoms: &mut Atoms,
        value: Value,
        most: u64,
        block: Block,
    ) -> Option<Vec<Poly>> {
        let mut search = Search::new(self, atoms);
        let bounds = search.upper(value, At::block(block), DEPTH);
        let fitting = bounds.into_iter().filter_map(|bound| search.at_most(bound, most.into()));
        let is_met = |poly: &Poly| says_that_it_fits(poly) && !multiplies_far(poly);
        let are_met = |conditions: &Vec<Poly>| conditions.iter().all(is_met);
        fitting.map(|bound| bound.conditions).filter(are_met).min_by_key(Vec::len)
    }

    /// Returns true if a sum or a product of these is proved to be at most this when a block runs, in launches where none of these
    /// polynomials is negative.
    pub fn is_exact_where(
        &self,
        atoms: &mut Atoms,
        op: BinaryOp,
        args: [Value; 2],
        most: u64,
        block: Block,
        certain: &[Poly],
    ) -> bool {
        let mut search = Search::new(self, atoms);
        let [a, b] = args.map(|arg| search.upper(arg, At::block(block), DEPTH));
        let bounds = search.combine(&a, &b, |_, a, b| match op {
            BinaryOp::Add => a.plus(b),
            BinaryOp::Mul => a.times(b),
            _ => None,
        });
        bounds.iter().any(|bound| search.is_at_most_where(bound, most, certain))
    }

    /// Returns true if a value is proved to be below 2³² when a block runs, in launches where none of these polynomials is negative.
    pub fn fits_u32_where(&self, atoms: &mut Atoms, value: Value, block: Block, certain: &[Poly]) -> bool {
        let mut search = Search::new(self, atoms);
        let bounds = search.upper(value, At::block(block), DEPTH);
        bounds.iter().any(|bound| search.is_at_most_where(bound, u32::MAX.into(), certain))
    }
}

/// The register that each of these is below.
const BELOW: [(SpecialRegister, SpecialRegister); 6] = [
    (SpecialRegister::TidX, SpecialRegister::NtidX),
    (SpecialRegister::TidY, SpecialRegister::NtidY),
    (SpecialRegister::TidZ, SpecialRegister::NtidZ),
    (SpecialRegister::CtaidX, SpecialRegister::NctaidX),
    (SpecialRegister::CtaidY, SpecialRegister::NctaidY),
    (SpecialRegister::CtaidZ, SpecialRegister::NctaidZ),
];

struct Search<'s, 'f> {
    ranges: &'s Ranges<'f>,
    atoms: &'s mut Atoms,
    fuel: u32,
    /// Questions that were given up for want of fuel or depth.
    cuts: u32,
    /// A launch-uniform sum of several terms was met.
    has_long_sums: bool,
    /// Such a sum is one atom everywhere: the products of two are too long for a polynomial otherwise.
    keeps_long_sums: bool,
    /// The range of the type of loaded numbers bounds them: of what only has to fit a type, and of tables with an element for each.
    takes_types: bool,
    /// Bounds are of what a part of a thread's index along y or z is made of: the largest grid is none.
    is_in_part: bool,
    /// Known exact polynomials.
    exact: HashMap<(Value, At), Option<Bound>>,
    /// Parameters of loops, and what they are taken to be at most.
    assumed: Vec<(Value, Poly)>,
    /// Values being bounded, and where: a cycle among them bounds nothing.
    path: Vec<(Value, At)>,
}

impl<'s, 'f> Search<'s, 'f> {
    fn new(ranges: &'s Ranges<'f>, atoms: &'s mut Atoms) -> Search<'s, 'f> {
        Search {
            ranges,
            atoms,
            fuel: FUEL,
            cuts: 0,
            has_long_sums: false,
            keeps_long_sums: false,
            takes_types: true,
            is_in_part: false,
            exact: HashMap::new(),
            assumed: Vec::new(),
            path: Vec::new(),
        }
    }
}

impl Search<'_, '_> {
    /// Returns true if a bound holds and is at most this where none of these polynomials is negative.
    fn is_at_most_where(&self, Bound { poly, conditions }: &Bound, most: u64, certain: &[Poly]) -> bool {
        let room = Poly::number(most.into()).minus(poly);
        room.is_some_and(|room| self.atoms.follows(&room, certain))
            && conditions.iter().all(|condition| self.atoms.follows(condition, certain))
    }

    // Demands.

    fn demands(&mut self, cond: Value, truth: bool, at: At, depth: u32) -> Vec<Demand> {
        let ranges = self.ranges;
        if ranges.holds_at(cond, truth, at, depth) {
            return vec![Demand::default()];
        }
        let Some(deeper) = depth.checked_sub(1) else { return Vec::new() };
        let is_equality = |cond| {
            let is_one = |data: &InstData| {
                matches!(data, InstData::IntCompare { cond: IntCond::Eq | IntCond::Ne, .. })
            };
            ranges.func.def(cond).is_some_and(is_one) && uniform::is_known_to_host(ranges.func, cond)
        };
        let mut found = match ranges.func.def(cond) {
            Some(_) if is_equality(cond) => Vec::new(),
            Some(InstData::Unary { op: UnaryOp::Not, arg }) => self.demands(*arg, !truth, at, deeper),
            Some(InstData::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), args, .. }) => {
                let [a, b] = args.map(|arg| self.demands(arg, truth, at, deeper));
                match (*op == BinaryOp::And) == truth {
                    true => self.both(&a, &b),
                    false => [a, b].concat(),
                }
            }
            Some(InstData::IntCompare { cond, args }) if ranges.func.ty(args[0]).is_int() => {
                let cond = if truth { *cond } else { cond.inverse() };
                self.comparison(cond, *args, at)
            }
            Some(_) | None => Vec::new(),
        };
        if found.is_empty() && uniform::is_known_to_host(ranges.func, cond) {
            found.push(Demand { truths: vec![(cond, truth)], ..Demand::default() });
        }
        found.truncate(MOST_DEMANDS);
        found
    }

    fn both(&mut self, a: &[Demand], b: &[Demand]) -> Vec<Demand> {
        let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
        let joined = pairs.map(|(a, b)| Demand {
            not_negative: [&a.not_negative[..], &b.not_negative].concat(),
            truths: [&a.truths[..], &b.truths].concat(),
        });
        joined.take(MOST_DEMANDS).collect()
    }

    fn comparison(&mut self, cond: IntCond, [a, b]: [Value; 2], at: At) -> Vec<Demand> {
        match cond {
            IntCond::ULt => self.ordered(a, b, -1, None, at),
            IntCond::ULe => self.ordered(a, b, 0, None, at),
            IntCond::UGt => self.ordered(b, a, -1, None, at),
            IntCond::UGe => self.ordered(b, a, 0, None, at),
            // Of numbers that are not negative it is the same order.
            IntCond::SLt | IntCond::SLe | IntCond::SGt | IntCond::SGe => {
                let most = self.ranges.func.ty(a).mask() >> 1;
                let offset = if matches!(cond, IntCond::SLt | IntCond::SGt) { -1 } else { 0 };
                let (low, high) = if matches!(cond, IntCond::SLt | IntCond::SLe) { (a, b) } else { (b, a) };
                self.ordered(low, high, offset, Some(most), at)
            }
            IntCond::Eq => {
                let [up, down] = [self.ordered(a, b, 0, None, at), self.ordered(b, a, 0, None, at)];
                self.both(&up, &down)
            }
            IntCond::Ne => [self.ordered(a, b, -1, None, at), self.ordered(b, a, -1, None, at)].concat(),
        }
    }

    /// Computes demands that make sure that `a <= b + offset`, and that both are at most `most`.
    fn ordered(&mut self, a: Value, b: Value, offset: i128, most: Option<u64>, at: At) -> Vec<Demand> {
        let mut found = Vec::new();
        if let Some(exact) = self.more(a, b).filter(|_| offset == 0 && most.is_none()) {
            let fits = self.that_all_fit(&exact, at);
            found.extend(fits.into_iter().map(|not_negative| Demand { not_negative, truths: Vec::new() }));
        }
        let uppers = self.sizes(a, at);
        let lowers = self.sizes_below(b, at);
        let highest = most.map(|_| self.upper(b, at, DEPTH)).unwrap_or_default();
        for upper in &uppers {
            for lower in &lowers {
                let demand = self.demand(upper, lower, offset, most, &highest);
                found.extend(demand.map(|not_negative| Demand { not_negative, truths: Vec::new() }));
            }
        }
        found.sort_by_key(|demand: &Demand| {
            let (small, far, conditions) = self.likelihood(&demand.not_negative);
            (
                small,
                far,
                if demand.not_negative.iter().any(|poly| self.has_length_below(poly)) {
                    FACTORS_OF_LENGTH - 1
                } else {
                    0
                } + most_factors(demand),
                conditions,
            )
        });
        found.dedup();
        let all = found.clone();
        found.retain(|demand| !all.iter().any(|other| self.asks_less(other, demand)));
        found.truncate(MOST_DEMANDS);
        found
    }

    /// Upper bounds that may be sizes of buffers. Those by the range of the type of loaded numbers are none, as buffers of the size that is
    /// indexed would fail, but for tables with an element for each byte: `x[byte]`, `x[256 * i + byte]`.
    fn sizes(&mut self, value: Value, at: At) -> Vec<Bound> {
        const BYTES: i128 = 1 << u8::BITS;
        self.takes_types = false;
        let mut found = self.upper(value, at, DEPTH);
        self.takes_types = true;
        let root = self.ranges.facts.root(value);
        if (1..=u8::BITS).contains(&loaded_bits(self.ranges.func, root, TYPE_DEPTH)) {
            let has_all = |Bound { poly, .. }: &Bound| {
                let size = poly.plus_number(1);
                size.is_some_and(|size| size.terms().iter().all(|(_, by)| by % BYTES == 0 && *by < FAR))
            };
            found.extend(self.upper(value, at, DEPTH).into_iter().filter(has_all));
            found = self.best(found);
        }
        found
    }

    /// Lower bounds that may be sizes of buffers: of what is left of one behind an index that is such a size.
    fn sizes_below(&mut self, value: Value, at: At) -> Vec<Bound> {
        self.takes_types = false;
        let found = self.lower(value, at, DEPTH);
        self.takes_types = true;
        if found.is_empty() { self.lower(value, at, DEPTH) } else { found }
    }

    /// Returns true if a demand asks for fewer elements of a slice than another, and otherwise for no more than that something fits a type.
    fn asks_less(&self, demand: &Demand, other: &Demand) -> bool {
        let of_length = |demand: &Demand| {
            let mut of_length = demand.not_negative.iter().filter(|poly| self.names_length(poly));
            of_length.next().filter(|_| of_length.next().is_none()).cloned()
        };
        let (Some(length), Some(than)) = (of_length(demand), of_length(other)) else { return false };
        length != than
            && length.minus(&than).is_some_and(|rest| self.atoms.never_negative(&rest))
            && demand.not_negative.iter().all(|poly| {
                *poly == length
                    || other.not_negative.contains(poly)
                    || says_that_it_fits(poly) && self.scales(poly)
            })
    }

    /// Order of conditions, the ones first that launches meet most: whether they hold for small problems only, whether they bound the
    /// shape of the launch, and their number.
    fn likelihood(&self, conditions: &[Poly]) -> (bool, bool, usize) {
        let is_small = conditions.iter().any(|poly| !self.scales(poly));
        let is_far = conditions.iter().any(|poly| self.is_far_demand(poly));
        (is_small, is_far, conditions.len())
    }

    /// The sum or products that must not wrap for `b` to be `a` and more: a sum with it, `(i + k) * n` of `i * n`, or `(i + k) * n * m` of
    /// `i * n * m`.
    fn more(&self, a: Value, b: Value) -> Option<Vec<Value>> {
        let ranges = self.ranges;
        let [a, b] = [a, b].map(|value| ranges.facts.root(value));
        let is_sum = |sum: Value, part: Value| match ranges.func.def(ranges.facts.root(sum)) {
            Some(InstData::Binary { op: BinaryOp::Add, args, .. }) => {
                args.iter().any(|&arg| ranges.facts.root(arg) == ranges.facts.root(part))
            }
            _ => false,
        };
        if is_sum(b, a) {
            return Some(vec![b]);
        }
        let factors = |product: Value| match ranges.func.def(product) {
            Some(&InstData::Binary { op: BinaryOp::Mul, args, .. }) => Some(args),
            _ => None,
        };
        let (a, of_b) = factors(a).zip(factors(b))?;
        let orders = [[0, 0], [0, 1], [1, 0], [1, 1]];
        orders.into_iter().find_map(|[i, j]| {
            let stays = ranges.facts.root(a[1 - i]) == ranges.facts.root(of_b[1 - j]);
            let part = if stays { self.more(a[i], of_b[j])? } else { return None };
            // A factor that is a sum is seen to be exact with the product.
            let products = part.into_iter().filter(|&part| factors(part).is_some());
            Some(iter::once(b).chain(products).collect())
        })
    }

    /// Conditions under which none of these sums and products wraps: each element is enough.
    fn that_all_fit(&mut self, values: &[Value], at: At) -> Vec<Vec<Poly>> {
        let mut found = vec![Vec::new()];
        for &value in values {
            let fits = self.that_fits(value, at);
            let pairs = found.iter().flat_map(|known: &Vec<Poly>| fits.iter().map(move |fits| (known, fits)));
            let both = pairs.filter_map(|(known, fits)| {
                let mut all = known.clone();
                fits.iter().try_for_each(|poly| self.demand_that(&mut all, poly.clone()))?;
                Some(all)
            });
            found = both.take(MOST_DEMANDS).collect();
        }
        found
    }

    /// Conditions under which a sum or product, and the sums among its operands, don't wrap: each element is enough.
    fn that_fits(&mut self, value: Value, at: At) -> Vec<Vec<Poly>> {
        let ranges = self.ranges;
        let root = ranges.facts.root(value);
        let Some(&InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Mul), args, .. }) =
            ranges.func.def(root)
        else {
            return Vec::new();
        };
        let ty = ranges.func.ty(root);
        // A factor that is a sum fits by its interval.
        let is_exact = |arg: Value| match ranges.func.def(ranges.facts.root(arg)) {
            Some(&InstData::Binary { op: BinaryOp::Add, args, no_unsigned_wrap }) => {
                no_unsigned_wrap || self.fits(args, ranges.func.ty(arg), at, u128::checked_add)
            }
            _ => true,
        };
        if op == BinaryOp::Mul && !args.iter().all(|&arg| is_exact(arg)) {
            return Vec::new();
        }
        let [a, b] = args.map(|arg| self.upper(arg, at, DEPTH));
        let bounds = self.combine(&a, &b, |_, a, b| if op == BinaryOp::Add { a.plus(b) } else { a.times(b) });
        let fitting = bounds.into_iter().filter_map(|bound| self.within(bound, false, ty.mask().into()));
        let mut found: Vec<Vec<Poly>> = fitting.map(|bound| bound.conditions).collect();
        found.truncate(MOST_DEMANDS);
        found
    }

    fn demand(
        &self,
        upper: &Bound,
        lower: &Bound,
        offset: i128,
        most: Option<u64>,
        highest: &[Bound],
    ) -> Option<Vec<Poly>> {
        let mut all = Conditions::new();
        self.demand_that(&mut all, lower.poly.plus_number(offset)?.minus(&upper.poly)?)?;
        upper
            .conditions
            .iter()
            .chain(&lower.conditions)
            .try_for_each(|c| self.demand_that(&mut all, c.clone()))?;
        if let Some(most) = most {
            let most = Poly::number(most.into());
            self.demand_that(&mut all, most.minus(&upper.poly)?)?;
            let highest = highest.first()?;
            self.demand_that(&mut all, most.minus(&highest.poly)?)?;
            highest.conditions.iter().try_for_each(|c| self.demand_that(&mut all, c.clone()))?;
        }
        Some(all)
    }

    /// Adds a condition, unless another says it; none if no launch meets it. Numbers beyond 64 bits, which guards cannot have, become the
    /// greatest that they can.
    fn demand_that(&self, conditions: &mut Conditions, poly: Poly) -> Option<()> {
        if self.atoms.always_negative(&poly) {
            return None;
        }
        let number = poly.constant_term();
        let excess = number.saturating_sub(u64::MAX.into()).max(0);
        let poly = poly.plus_number(-excess)?;
        if !self.atoms.follows(&poly, conditions) {
            conditions.retain(|other| !self.atoms.follows(other, std::slice::from_ref(&poly)));
            conditions.push(poly);
        }
        Some(())
    }

    // Bounds.

    /// The exact polynomial of a launch-uniform value.
    fn exact(&mut self, value: Value, at: At) -> Option<Bound> {
        self.exact_within(value, at, DEPTH)
    }

    /// The exact polynomial, if the chain of operations is not longer than this.
    fn exact_within(&mut self, value: Value, at: At, depth: u32) -> Option<Bound> {
        let root = self.ranges.facts.root(value);
        if let Some(known) = self.exact.get(&(root, at)) {
            return known.clone();
        }
        let cuts = self.cuts;
        let mut found = self.exact_of(root, at, depth);
        if let Some(whole) = found.as_ref().and_then(|found| self.whole_sum(root, found)) {
            self.has_long_sums = true;
            found = if self.keeps_long_sums { Some(whole) } else { found };
        }
        if self.cuts == cuts {
            self.exact.insert((root, at), found.clone());
        }
        found
    }

    fn exact_of(&mut self, root: Value, at: At, depth: u32) -> Option<Bound> {
        let ranges = self.ranges;
        let known = ranges.of(root);
        if let Some(number) = known.single() {
            return Some(self.plain(Poly::number(number.into())));
        }
        let (Some(fuel), Some(depth)) = (self.fuel.checked_sub(1), depth.checked_sub(1)) else {
            self.cuts += 1;
            return None;
        };
        self.fuel = fuel;
        let cuts = self.cuts;
        let func = ranges.func;
        let mask = func.ty(root).mask();
        let apart = match func.def(root)? {
            InstData::Special { register } => {
                return kernel_abi::guard::LAUNCH_REGISTERS
                    .iter()
                    .any(|(known, _)| known == register)
                    .then(|| self.launch(*register));
            }
            InstData::Param { param }
                if func.ty(root).is_int() && func.params[*param].pointer_align.is_none() =>
            {
                return Some(self.parameter(*param));
            }
            // The absolute value of a number that is not negative.
            InstData::Binary { op: BinaryOp::SMax, args, .. } if ranges.opposite(*args).is_some() => ranges
                .opposite(*args)
                .and_then(|value| self.exact_within(value, at, depth))
                .and_then(|value| self.at_most(value, (mask >> 1).into())),
            InstData::Binary { op, args, no_unsigned_wrap } => {
                self.exact_binary(*op, *args, *no_unsigned_wrap, at, depth)
            }
            InstData::Convert { op: ConvertOp::SignExtend | ConvertOp::IndexExtend, arg } => {
                let most = func.ty(*arg).mask() >> 1;
                self.exact_within(*arg, at, depth).and_then(|arg| self.at_most(arg, most.into()))
            }
            InstData::Convert { op: ConvertOp::Truncate, arg } => {
                self.exact_within(*arg, at, depth).and_then(|arg| self.at_most(arg, mask.into()))
            }
            _ => None,
        };
        apart.or_else(|| {
            let atom = AtomData::Uniform(root);
            let is_known =
                self.cuts == cuts && func.ty(root).is_int() && uniform::is_known_to_host(func, root);
            is_known.then(|| {
                let atom = self.atoms.atom(atom, reach(uniform::reach(func, root)));
                self.plain(Poly::atom(atom))
            })
        })
    }

    fn parameter(&mut self, param: Param) -> Bound {
        let reach = reach(interval::param(&self.ranges.func.params[param]));
        let atom = self.atoms.atom(AtomData::Param(param), reach);
        self.plain(Poly::atom(atom))
    }

    fn exact_binary(
        &mut self,
        op: BinaryOp,
        [a, b]: [Value; 2],
        no_unsigned_wrap: bool,
        at: At,
        depth: u32,
    ) -> Option<Bound> {
        let func = self.ranges.func;
        let mask = func.ty(a).mask();
        let wrapped = func.constant(b).filter(|&by| op == BinaryOp::Add && by > mask / 2);
        if let Some(by) = wrapped {
            // A number is subtracted by adding its complement.
            let most_below = self.ranges.refine(a, at, REFINE_DEPTH).map_or(0, |a| i128::from(a.lo));
            let a = self.exact_within(a, at, depth)?;
            let less = i128::from(mask - by) + 1;
            let poly = a.poly.plus_number(-less)?;
            let room = if most_below >= less { Poly::default() } else { poly.clone() };
            return self.where_also(poly, room, [a.conditions]);
        }
        // A value limited to less than 2³¹ by a launch guard is masked where it is computed.
        let wide_mask = func.constant(b).filter(|&mask| {
            op == BinaryOp::And && mask >= i32::MAX as u64 && mask.wrapping_add(1).is_power_of_two()
        });
        if let Some(mask) = wide_mask {
            let a = self.exact_within(a, at, depth)?;
            return self.at_most(a, mask.into());
        }
        match op {
            BinaryOp::Add | BinaryOp::Mul | BinaryOp::Sub | BinaryOp::UDiv => {}
            BinaryOp::Shl | BinaryOp::LShr if self.shift(b).is_some() => {}
            _ => return None,
        }
        let no_wrap = no_unsigned_wrap || op == BinaryOp::Sub && self.ranges.proves(b, a, 0, at);
        let factors = [a, b];
        // `x - x % 4` is `x / 4 * 4`.
        let rest = multiples::low_bits(func, b, a)
            .filter(|&bits| op == BinaryOp::Sub && bits < 32)
            .map(|bits| 1u64 << bits);
        let a = self.exact_within(a, at, depth)?;
        let a_conditions = a.conditions.clone();
        let b = match op {
            BinaryOp::Shl | BinaryOp::LShr => self.plain(Poly::number(1 << self.shift(b)?)),
            _ => self.exact_within(b, at, depth)?,
        };
        let conditions = [a.conditions, b.conditions];
        match op {
            BinaryOp::Sub if rest.is_some() => {
                let by = i128::from(rest?);
                let quotient = self.quotient(a.poly, Poly::number(by), [a_conditions, Vec::new()])?;
                Some(Bound { poly: quotient.poly.times(&Poly::number(by))?, ..quotient })
            }
            BinaryOp::Sub => {
                let poly = a.poly.minus(&b.poly)?;
                let room = if no_wrap { Poly::default() } else { poly.clone() };
                self.where_also(poly, room, conditions)
            }
            BinaryOp::UDiv | BinaryOp::LShr => self.quotient(a.poly, b.poly, conditions),
            _ => {
                let poly = match op {
                    BinaryOp::Add => a.poly.plus(&b.poly)?,
                    _ => a.poly.times(&b.poly).or_else(|| {
                        let [a, b] = factors.map(|factor| self.product(factor, at, depth));
                        a?.times(&b?)
                    })?,
                };
                if no_wrap {
                    return Some(Bound { poly, conditions: conditions.concat() });
                }
                let room = Poly::number(mask.into()).minus(&poly)?;
                self.where_also(poly, room, conditions)
            }
        }
    }

    /// A launch-uniform product of which long sums are one atom each.
    fn product(&mut self, value: Value, at: At, depth: u32) -> Option<Poly> {
        let func = self.ranges.func;
        let depth = depth.checked_sub(1)?;
        if let Some(&InstData::Binary { op: BinaryOp::Mul, args, .. }) = func.def(value) {
            let [a, b] = args.map(|arg| self.product(arg, at, depth));
            return a?.times(&b?);
        }
        match self.long_sum(value, at, depth) {
            Some(Bound { poly, .. }) => Some(poly),
            None => self.exact_within(value, at, depth).map(|bound| bound.poly),
        }
    }

    /// A launch-uniform sum of several terms as one atom: `width + 2 * padding - size + 1`.
    fn long_sum(&mut self, value: Value, at: At, depth: u32) -> Option<Bound> {
        let root = self.ranges.facts.root(value);
        let exact = self.exact_within(root, at, depth)?;
        self.whole_sum(root, &exact)
    }

    /// A value with this exact polynomial as one atom, if it is such a sum.
    fn whole_sum(&mut self, root: Value, exact: &Bound) -> Option<Bound> {
        let func = self.ranges.func;
        let is_sum = matches!(func.def(root)?, InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. });
        let terms = exact.poly.terms();
        let is_compound =
            |&atom: &Atom| matches!(self.atoms.data(atom), AtomData::Uniform(_) | AtomData::Quotient(..));
        let has_parts = self.keeps_long_sums && terms.iter().flat_map(|(atoms, _)| atoms).any(is_compound);
        let is_long = is_sum && (has_parts || terms.len() >= LONG_SUM);
        (is_long && uniform::is_known_to_host(func, root)).then(|| {
            let atom = self.atoms.atom(AtomData::Uniform(root), reach(uniform::reach(func, root)));
            self.plain(Poly::atom(atom))
        })
    }

    /// Returns true if a value is computed on every path to a block or edge. Elsewhere its interval says nothing: it is that of the
    /// branches under which it is computed.
    fn is_computed(&self, root: Value, at: At) -> bool {
        let ranges = self.ranges;
        ranges.home(root).is_some_and(|home| ranges.facts.is_computed(root, home, at, &ranges.tree))
    }

    /// Upper bounds of a value at a block or edge; each of them holds.
    fn upper(&mut self, value: Value, at: At, depth: u32) -> Vec<Bound> {
        let ranges = self.ranges;
        let root = ranges.facts.root(value);
        if let Some((_, most)) = self.assumed.iter().rev().find(|(assumed, _)| *assumed == root) {
            let most = most.clone();
            return vec![self.plain(most)];
        }
        if !self.is_computed(root, at) {
            return Vec::new();
        }
        // A value at an unreachable block needs no bound.
        let Some(here) = ranges.refine(root, at, REFINE_DEPTH) else { return Vec::new() };
        let mut found: Vec<Bound> = Vec::new();
        // The range of a type is no size that anybody gives a slice, that of a few bits excepted.
        let is_of_type = here.hi == ranges.of(root).hi
            && (here.hi > MOST_OF_FEW_BITS && is_data(ranges, root)
                || !self.takes_types && loaded_bits(ranges.func, root, TYPE_DEPTH) > 0);
        // Nor is the largest grid along y and z one that anybody launches.
        let is_of_grid = here.hi == ranges.of(root).hi
            && (is_of_grid(ranges.func, root) || self.is_in_part && is_of_thread(ranges.func, root));
        if here.hi < MOST_ELEMENTS && !is_of_type && !is_of_grid {
            found.push(self.plain(Poly::number(here.hi.into())));
        }
        let (Some(fuel), Some(deeper)) = (self.fuel.checked_sub(1), depth.checked_sub(1)) else {
            return found;
        };
        self.fuel = fuel;
        if here.single().is_some() || self.path.contains(&(root, at)) {
            return found;
        }
        if let Some(exact) = self.exact(root, at) {
            // The number says more only where branches do.
            if exact.conditions.is_empty() && here.hi >= ranges.of(root).hi {
                found.clear();
            }
            found.push(exact);
            found.extend(self.long_sum(root, at, deeper));
            return found;
        }
        self.path.push((root, at));
        self.upper_by_branches(root, here, at, deeper, &mut found);
        self.upper_by_products(root, at, deeper, &mut found);
        match ranges.func.values[root].def {
            ValueDef::Param(block) => self.upper_of_parameter(root, block, at, deeper, &mut found),
            ValueDef::Result(_) => self.upper_by_definition(root, at, deeper, &mut found),
        }
        self.upper_by_parts(root, at, deeper, &mut found);
        self.path.pop();
        self.upper_by_differences(root, at, &mut found);
        self.round_down(root, &mut found);
        found.retain(|bound| {
            let number = bound.poly.as_number().and_then(|number| u64::try_from(number).ok());
            self.takes_types || !number.is_some_and(|most| self.is_of_other_array(root, most, at))
        });
        self.best(found)
    }

    /// Returns true if only the check of an array of that length says that a counter or loaded number is at most this: nothing of the size of
    /// another one.
    fn is_of_other_array(&self, root: Value, most: u64, at: At) -> bool {
        let ranges = self.ranges;
        let func = ranges.func;
        let is_data = match func.values[root].def {
            ValueDef::Param(_) => true,
            ValueDef::Result(_) => loaded_bits(func, root, TYPE_DEPTH) > 0,
        };
        let limits = |value: Value, most: u64, at: At| {
            ranges.facts.is_limited_by_check(value, at, most, |y| ranges.of(y).single(), &ranges.tree)
        };
        let limits_sum = |&sum: &Value| match func.def(sum) {
            Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. }) => {
                let more = func.constant(b).filter(|_| ranges.facts.root(a) == root);
                more.and_then(|more| most.checked_add(more)).is_some_and(|most| limits(sum, most, at))
            }
            _ => false,
        };
        // Counted on from what the iteration before checked.
        let limits_next = || {
            let ValueDef::Param(block) = func.values[root].def else { return false };
            let Some(index) = func.blocks[block].params.iter().position(|&param| param == root) else {
                return false;
            };
            ranges.arguments(block, index).any(|(from, arg)| match func.def(ranges.facts.root(arg)) {
                Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. })
                    if ranges.facts.root(a) == root =>
                {
                    let last = func.constant(b).and_then(|step| most.checked_sub(step));
                    last.is_some_and(|last| limits(root, last, At { block: from, to: Some(block) }))
                }
                _ => false,
            })
        };
        is_data
            && (limits(root, most, at)
                || ranges.facts.guarded_sums(root).iter().any(limits_sum)
                || limits_next())
    }

    /// Upper bounds of a sum whose one part is below the distance of the other from an end: of `start + k` where a branch says that
    /// `k < n - start`, or `k < size.min(n - start)`, and of `start + 1 + i % rest` where `rest` is `n - start - 1`.
    fn sum_within_distance(&mut self, part: Value, start: Value, at: At, depth: u32) -> Vec<Bound> {
        let ranges = self.ranges;
        let [part, start] = [part, start].map(|value| ranges.facts.root(value));
        let mut distances: Vec<(Value, i8)> = Vec::new();
        for relation in ranges.facts.about(part, at, Want::Upper, &ranges.tree) {
            let Relation::AtMost { y, offset } = relation else { continue };
            distances.push((y, offset));
            if let Some(&InstData::Binary { op: BinaryOp::UMin, args, .. }) = ranges.func.def(y) {
                distances.extend(args.map(|arg| (ranges.facts.root(arg), offset)));
            }
        }
        distances.extend(self.ends_of_part(part, at).into_iter().map(|end| (end, -1)));
        let mut found = Vec::new();
        for (distance, offset) in distances {
            let Some((end, less, is_exact, number)) = self.distance(start, distance) else { continue };
            let mut ends = self.upper(end, at, depth);
            if !is_exact && !ranges.proves(less, end, -number, at) {
                let [least, most] = [self.lower(end, at, depth), self.upper(less, at, depth)];
                let rooms = self.combine(&least, &most, |_, least, most| {
                    least.minus(most).and_then(|room| room.plus_number(-number))
                });
                let pairs = self.pairs(&ends, &rooms).into_iter();
                ends = pairs
                    .filter_map(|(end, room)| {
                        self.where_also(end.poly, room.poly, [end.conditions, room.conditions])
                    })
                    .collect();
            }
            found.extend(ends.into_iter().filter_map(|Bound { poly, conditions }| {
                Some(Bound { poly: poly.plus_number(offset.into())?, conditions })
            }));
        }
        found
    }

    /// A distance of a start from an end, `end - (less + number)`, where the start is `less + number`: the end, what is subtracted, true if the
    /// difference is known not to wrap, and the number, which is not negative.
    fn distance(&self, start: Value, distance: Value) -> Option<(Value, Value, bool, i128)> {
        let ranges = self.ranges;
        let difference = |value: Value| match ranges.func.def(value) {
            Some(&InstData::Binary { op: BinaryOp::Sub, args: [end, less], no_unsigned_wrap }) => {
                Some((end, less, no_unsigned_wrap))
            }
            _ => None,
        };
        if let Some((end, less, is_exact)) = difference(distance)
            && ranges.facts.root(less) == start
        {
            return Some((end, less, is_exact, 0));
        }
        let ((start, more), (distance, number)) = (self.and_number(start), self.and_number(distance));
        let (end, less, _) = difference(distance)?;
        let is_theirs = ranges.facts.root(less) == start && more >= 0 && more == -number;
        is_theirs.then_some((end, less, false, more))
    }

    /// A value as the sum of another one and a number.
    fn and_number(&self, value: Value) -> (Value, i128) {
        let ranges = self.ranges;
        let signed = |by: u64| {
            let unused = u64::BITS - ranges.func.ty(value).bits();
            i128::from((by << unused) as i64 >> unused)
        };
        match ranges.func.def(value) {
            Some(&InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args: [a, b], .. }) => {
                let by = ranges.func.constant(b).map(signed);
                let by = by.map(|by| if op == BinaryOp::Sub { -by } else { by });
                by.map_or((value, 0), |by| (ranges.facts.root(a), by))
            }
            _ => (value, 0),
        }
    }

    /// The values that a part of a division is below: the divisor, of a remainder; of a quotient `x / n`, where `x` is below `n * m`, the other
    /// factor. That holds of a product that wraps, too, which is less than the exact one.
    fn ends_of_part(&self, part: Value, at: At) -> Vec<Value> {
        let ranges = self.ranges;
        match ranges.func.def(part) {
            Some(&InstData::Binary { op: BinaryOp::URem, args: [_, divisor], .. }) => {
                vec![ranges.facts.root(divisor)]
            }
            Some(&InstData::Binary { op: BinaryOp::UDiv, args: [dividend, divisor], .. }) => {
                let divisor = ranges.facts.root(divisor);
                let other = |&product: &Value| {
                    let Some(&InstData::Binary { op: BinaryOp::Mul, args: [p, q], .. }) =
                        ranges.func.def(product)
                    else {
                        return None;
                    };
                    let [p, q] = [p, q].map(|factor| ranges.facts.root(factor));
                    let is_below = self.is_computed(product, at) && ranges.proves(dividend, product, -1, at);
                    is_below.then_some(if p == divisor { q } else { p })
                };
                ranges.facts.guarded_products(divisor).iter().filter_map(other).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A multiple of four below `4 * q + 3` is at most `4 * q`: bounds become multiples of what the value is a multiple of, where all
    /// but a number in them is.
    fn round_down(&self, root: Value, found: &mut [Bound]) {
        if found.is_empty() {
            return;
        }
        let zeros = self.zeros(root).min(16);
        let multiple = 1i128 << zeros;
        for Bound { poly, .. } in found.iter_mut().filter(|_| zeros > 0) {
            let number = poly.constant_term();
            let others = poly.terms().iter().filter(|(atoms, _)| !atoms.is_empty());
            if others.into_iter().all(|(_, by)| by % multiple == 0)
                && let Some(rounded) = poly.plus_number(-number.rem_euclid(multiple))
            {
                *poly = rounded;
            }
        }
    }

    /// The zeros at the low end of a value, around loops too.
    fn zeros(&self, root: Value) -> u32 {
        let ranges = self.ranges;
        let ValueDef::Param(block) = ranges.func.values[root].def else {
            return multiples::trailing_zeros(ranges.func, root);
        };
        let Some(index) = ranges.func.blocks[block].params.iter().position(|&param| param == root) else {
            return 0;
        };
        let is_root = |value: Value| ranges.facts.root(value) == root;
        let of = |arg: Value| match ranges.func.def(ranges.facts.root(arg)) {
            _ if is_root(arg) => u32::MAX,
            Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. }) if is_root(a) || is_root(b) => {
                multiples::trailing_zeros(ranges.func, if is_root(a) { b } else { a })
            }
            _ => multiples::trailing_zeros(ranges.func, arg),
        };
        ranges.arguments(block, index).map(|(_, arg)| of(arg)).min().unwrap_or(0)
    }

    fn upper_by_branches(&mut self, root: Value, here: Interval, at: At, depth: u32, found: &mut Vec<Bound>) {
        self.upper_by_branches_of(root, (root, 0), here, at, depth, found);
    }

    /// Upper bounds from branches about a value that is the sum of a part and at most a number.
    fn upper_by_branches_of(
        &mut self,
        root: Value,
        (part, more): (Value, u64),
        here: Interval,
        at: At,
        depth: u32,
        found: &mut Vec<Bound>,
    ) {
        let ranges = self.ranges;
        let mut above: Vec<(Value, i8, Option<u64>)> = Vec::new();
        // Conditions under which the value is not negative as a signed number, if the interval does not show it.
        let mut not_negative: Option<Vec<Poly>> = None;
        let relations: Vec<Relation> = ranges.facts.about(root, at, Want::Upper, &ranges.tree).collect();
        for relation in &relations {
            if let Relation::SignedAtMost { bits, .. } = *relation
                && !here.is_non_negative(bits)
                && not_negative.is_none()
            {
                let by = Poly::number(more.into());
                not_negative = self.fits_where(part, |own| own.plus(&by), u64::MAX >> (65 - bits), at, depth);
                if not_negative.is_none() && more == 0 {
                    not_negative = self.counts_without_overflow(root, bits);
                }
            }
        }
        above.extend(relations.into_iter().filter_map(|relation| match relation {
            Relation::AtMost { y, offset } => Some((y, offset, None)),
            Relation::SignedAtMost { y, offset, bits }
                if here.is_non_negative(bits) || not_negative.is_some() =>
            {
                Some((y, offset, Some(u64::MAX >> (65 - bits))))
            }
            Relation::SignedAtMost { .. }
            | Relation::AtLeast { .. }
            | Relation::SignedAtLeast { .. }
            | Relation::Differs { .. }
            | Relation::Is(_) => None,
        }));
        for (y, offset, most) in above {
            for bound in self.upper(y, at, depth) {
                // As a signed number the other must not be negative.
                let bound = match most {
                    Some(most) => self.at_most(bound, most.into()).and_then(|bound| {
                        let more = not_negative.clone().unwrap_or_default();
                        self.where_also(bound.poly, Poly::default(), [bound.conditions, more])
                    }),
                    None => Some(bound),
                };
                found.extend(bound.and_then(|Bound { poly, conditions }| {
                    Some(Bound { poly: poly.plus_number(offset.into())?, conditions })
                }));
            }
        }
        // Branches that bound a sum with this value bound the value.
        for GuardedSum { sum, args, other, no_unsigned_wrap } in self.guarded_sums(root, at) {
            let ty = ranges.func.ty(sum);
            let Some(Interval { lo, hi }) = ranges.refine(other, at, REFINE_DEPTH) else { continue };
            // Of checks too many sums would have bounds, most of them for nothing.
            let size = ranges.facts.is_branched(sum).then(|| self.exact(other, at));
            let size = size.flatten().filter(|size| size.poly.as_number().is_none());
            let exact = match no_unsigned_wrap || self.fits(args, ty, at, u128::checked_add) {
                true => Some(Vec::new()),
                false => {
                    let most = size.clone().unwrap_or_else(|| self.plain(Poly::number(hi.into())));
                    let fits = self.fits_where(root, |own| own.plus(&most.poly), ty.mask(), at, depth);
                    fits.map(|fits| [fits, most.conditions].concat())
                }
            };
            let Some(exact) = exact else { continue };
            self.path.push((sum, at));
            let mut of_sum = Vec::new();
            let in_sum = ranges.refine(sum, at, REFINE_DEPTH).unwrap_or(Interval::full(Type::I64));
            self.upper_by_branches_of(sum, (root, hi), in_sum, at, depth.min(SUM_DEPTH), &mut of_sum);
            self.path.pop();
            let mut least = vec![self.plain(Poly::number(lo.into()))];
            // Of a sum `i + k` that is at most `n - 1` with a size `k` the value is at most `n - 1 - k`.
            least.extend(size);
            for Bound { poly, conditions } in of_sum {
                for other in &least {
                    let conditions = [conditions.clone(), other.conditions.clone(), exact.clone()];
                    let poly = poly.minus(&other.poly);
                    found.extend(poly.and_then(|poly| self.where_also(poly, Poly::default(), conditions)));
                }
            }
        }
    }

    /// The sums of a value and another one that branches bound, of those that are computed at a point and not being bounded already.
    fn guarded_sums(&self, root: Value, at: At) -> Vec<GuardedSum> {
        let ranges = self.ranges;
        let of = |&sum: &Value| {
            let &InstData::Binary { args, no_unsigned_wrap, .. } = ranges.func.def(sum)? else { return None };
            let other = if ranges.facts.root(args[0]) == root { args[1] } else { args[0] };
            let is_open = self.is_computed(sum, at) && !self.path.contains(&(sum, at));
            let is_other = ranges.facts.root(other) != root;
            (is_open && is_other).then_some(GuardedSum { sum, args, other, no_unsigned_wrap })
        };
        ranges.facts.guarded_sums(root).iter().filter_map(of).collect()
    }

    /// Upper bounds from branches about a product of the value: of `i * k` that is at most `n - 1` the value is at most `(n - 1) / k`.
    fn upper_by_products(&mut self, root: Value, at: At, depth: u32, found: &mut Vec<Bound>) {
        let ranges = self.ranges;
        for &product in ranges.facts.guarded_products(root) {
            let Some(&InstData::Binary { op, args: [a, b], no_unsigned_wrap }) = ranges.func.def(product)
            else {
                continue;
            };
            if !self.is_computed(product, at) || self.path.contains(&(product, at)) {
                continue;
            }
            let ty = ranges.func.ty(product);
            let (fits, factor) = match (op, self.shift(b)) {
                (BinaryOp::Shl, None) => continue,
                (BinaryOp::Shl, Some(by)) => {
                    let most = ranges.refine(a, at, REFINE_DEPTH).map_or(u64::MAX, |a| a.hi);
                    (most <= ty.mask() >> by, Some(self.plain(Poly::number(1 << by))))
                }
                _ => {
                    let other = if ranges.facts.root(a) == root { b } else { a };
                    let fits = self.fits([a, b], ty, at, u128::checked_mul);
                    (fits, self.exact(other, at))
                }
            };
            let Some(factor) = factor else { continue };
            let exact = match no_unsigned_wrap || fits {
                true => Some(Vec::new()),
                false => self.fits_where(root, |own| own.times(&factor.poly), ty.mask(), at, depth),
            };
            let Some(exact) = exact else { continue };
            self.path.push((product, at));
            let mut of_product = Vec::new();
            let here = ranges.refine(product, at, REFINE_DEPTH).unwrap_or(Interval::full(ty));
            self.upper_by_branches_of(product, (product, 0), here, at, depth.min(SUM_DEPTH), &mut of_product);
            self.path.pop();
            for Bound { poly, conditions } in self.quotients(&of_product, &[factor]) {
                found.extend(self.where_also(poly, Poly::default(), [conditions, exact.clone()]));
            }
        }
    }

    /// Conditions under which what is computed of a value is at most a number, by the bounds of its definition.
    fn fits_where(
        &mut self,
        root: Value,
        computed: impl Fn(&Poly) -> Option<Poly>,
        most: u64,
        at: At,
        depth: u32,
    ) -> Option<Vec<Poly>> {
        let ranges = self.ranges;
        let mut own = Vec::new();
        match ranges.func.values[root].def {
            ValueDef::Result(_) => self.upper_by_definition(root, at, depth, &mut own),
            // A counter has no definition but its loop, whose branch bounds it.
            ValueDef::Param(_) => {
                let relations: Vec<Relation> =
                    ranges.facts.about(root, at, Want::Upper, &ranges.tree).collect();
                for relation in relations {
                    if let Relation::AtMost { y, offset } = relation
                        && let Some(Bound { poly, conditions }) = self.exact(y, at)
                    {
                        own.extend(poly.plus_number(offset.into()).map(|poly| Bound { poly, conditions }));
                    }
                }
            }
        }
        let fitting = own.into_iter().filter_map(|Bound { poly, conditions }| {
            self.at_most(Bound { poly: computed(&poly)?, conditions }, most.into())
        });
        fitting.map(|bound| bound.conditions).min_by_key(Vec::len)
    }

    /// A value that is at most `y` and differs from it is at most `y - 1`; `x` at most `y - k` differs from it if `x + k` differs from `y`. So it
    /// is where a bound of it is at most that: of `n / 2 * 2`, that it differs from `n`.
    fn upper_by_differences(&mut self, root: Value, at: At, found: &mut Vec<Bound>) {
        let ranges = self.ranges;
        let mut sums = vec![(root, 0)];
        for &sum in ranges.facts.guarded_sums(root) {
            if let Some(&InstData::Binary { args: [a, b], .. }) = ranges.func.def(sum)
                && ranges.facts.root(a) == root
                && let Some(more) = ranges.func.constant(b)
            {
                sums.push((sum, i128::from(more)));
            }
        }
        for (sum, more) in sums {
            let others =
                ranges.facts.about(sum, at, Want::Upper, &ranges.tree).filter_map(
                    |relation| match relation {
                        Relation::Differs { y } => Some(y),
                        Relation::AtMost { .. }
                        | Relation::SignedAtMost { .. }
                        | Relation::AtLeast { .. }
                        | Relation::SignedAtLeast { .. }
                        | Relation::Is(_) => None,
                    },
                );
            for y in others.collect::<Vec<_>>() {
                let Some(y) = self.exact(y, at) else { continue };
                // The sum does not wrap where it would be `y`, which is of its type.
                let Some(equal) = y.poly.plus_number(-more) else { continue };
                let Some(below) = equal.plus_number(-1) else { continue };
                let is_at_most = |bound: &Bound, most: &Poly| {
                    most.minus(&bound.poly).is_some_and(|rest| self.atoms.never_negative(&rest))
                };
                let reaches_it = |bound: &&Bound| {
                    bound.poly == equal || is_at_most(bound, &equal) && !is_at_most(bound, &below)
                };
                let less = found.iter().filter(reaches_it).map(|bound| {
                    let conditions = [&bound.conditions[..], &y.conditions].concat();
                    Bound { poly: below.clone(), conditions }
                });
                let less: Vec<Bound> = less.collect();
                found.extend(less);
            }
        }
    }

    /// Upper bounds of a dividend by branches about its quotient and its remainder: `q * b + r`.
    fn upper_by_parts(&mut self, root: Value, at: At, depth: u32, found: &mut Vec<Bound>) {
        for Parts { divisor, is_signed, quotient, remainder } in self.guarded_parts_of(root, at) {
            let Some(by) = self.exact(divisor, at) else { continue };
            let Some(by) = self.where_signed(is_signed, root, found, by) else { continue };
            let quotients = match quotient {
                Some(quotient) => self.upper(quotient, at, depth),
                None => {
                    // Nothing else is a multiple of a size: times the size its quotient is no less than it was.
                    let sizes: HashSet<Atom> =
                        by.poly.terms().iter().flat_map(|(own, _)| own.iter().copied()).collect();
                    let is_multiple = |bound: &&Bound| {
                        let mut factors = bound.poly.terms().iter().flat_map(|(own, _)| own.iter());
                        sizes.is_empty() || factors.any(|atom| sizes.contains(atom))
                    };
                    let multiples: Vec<Bound> = found.iter().filter(is_multiple).cloned().collect();
                    self.quotients(&multiples, std::slice::from_ref(&by))
                }
            };
            let remainders = match remainder {
                Some(remainder) => self.upper(remainder, at, depth),
                None => by.poly.plus_number(-1).map(|poly| self.plain(poly)).into_iter().collect(),
            };
            let whole = self.combine(&quotients, &[by], |_, quotient, by| quotient.times(by));
            let sums = self.combine(&whole, &remainders, |_, whole, remainder| whole.plus(remainder));
            found.extend(sums);
        }
    }

    /// Lower bounds of a dividend by branches about its quotient or its remainder.
    fn lower_by_parts(&mut self, root: Value, at: At, depth: u32) -> Vec<Bound> {
        let mut found = Vec::new();
        for Parts { divisor, is_signed, quotient, remainder } in self.guarded_parts_of(root, at) {
            let uppers = if is_signed { self.upper(root, at, depth) } else { Vec::new() };
            let mut least = |part: Option<Value>| match part {
                Some(part) => {
                    let mut bounds = self.lower(part, at, depth);
                    bounds.retain(|bound| self.atoms.never_negative(&bound.poly));
                    bounds
                }
                None => vec![self.plain(Poly::default())],
            };
            let [quotients, divisors, remainders] = [quotient, Some(divisor), remainder].map(&mut least);
            let divisors: Vec<Bound> = divisors
                .into_iter()
                .filter_map(|by| self.where_signed(is_signed, root, &uppers, by))
                .collect();
            let whole = self.combine(&quotients, &divisors, |_, quotient, by| quotient.times(by));
            found.extend(self.combine(&whole, &remainders, |_, whole, remainder| whole.plus(remainder)));
        }
        found
    }

    /// A divisor of this value, if it is an unsigned division, or a signed one of numbers that are not negative: with the conditions for
    /// that, by upper bounds of the value.
    fn where_signed(&self, is_signed: bool, root: Value, uppers: &[Bound], by: Bound) -> Option<Bound> {
        if !is_signed {
            return Some(by);
        }
        let most = i128::from(self.ranges.func.ty(root).mask() >> 1);
        let mut fitting = uppers.iter().filter_map(|bound| self.at_most(bound.clone(), most));
        let conditions = fitting.next()?.conditions;
        let Bound { poly, conditions: of_by } = self.at_most(by, most)?;
        self.where_also(poly, Poly::default(), [of_by, conditions])
    }

    /// The divisions of a value of which the quotient or the remainder has facts from branches.
    fn guarded_parts_of(&self, root: Value, at: At) -> Vec<Parts> {
        let ranges = self.ranges;
        let mut found: Vec<Parts> = Vec::new();
        for part in ranges.facts.guarded_parts(root, at, &ranges.tree) {
            let Some(&InstData::Binary { op, args: [_, divisor], .. }) = ranges.func.def(part) else {
                continue;
            };
            let divisor = ranges.facts.root(divisor);
            let is_signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
            let same = |parts: &&mut Parts| parts.divisor == divisor && parts.is_signed == is_signed;
            let (quotient, remainder) = match op {
                BinaryOp::UDiv | BinaryOp::SDiv => (Some(part), None),
                _ => (None, Some(part)),
            };
            match found.iter_mut().find(same) {
                Some(parts) => {
                    parts.quotient = parts.quotient.or(quotient);
                    parts.remainder = parts.remainder.or(remainder);
                }
                None => found.push(Parts { divisor, is_signed, quotient, remainder }),
            }
        }
        found
    }

    /// Returns true if a sum or product of two values fits the type by their intervals.
    fn fits(&self, args: [Value; 2], ty: Type, at: At, op: fn(u128, u128) -> Option<u128>) -> bool {
        let [a, b] = args.map(|arg| self.ranges.refine(arg, at, REFINE_DEPTH));
        let (Some(a), Some(b)) = (a, b) else { return false };
        op(a.hi.into(), b.hi.into()).is_some_and(|most| most <= ty.mask().into())
    }

    fn upper_by_definition(&mut self, root: Value, at: At, depth: u32, found: &mut Vec<Bound>) {
        let func = self.ranges.func;
        let ty = func.ty(root);
        let Some(data) = func.def(root) else { return };
        match *data {
            InstData::Special { register } => {
                let count = BELOW.iter().find(|(below, _)| *below == register);
                // A thread that does several elements has indices beyond the number of threads, once the pass for that has run.
                let has_several = func.coarsen.is_some()
                    && matches!(register, SpecialRegister::TidX | SpecialRegister::CtaidX);
                if let Some(&(_, count)) = count.filter(|_| !has_several) {
                    let Bound { poly, conditions } = self.launch(count);
                    found.extend(poly.plus_number(-1).map(|poly| Bound { poly, conditions }));
                }
            }
            InstData::Convert { op: ConvertOp::Truncate, arg } => found.extend(self.upper(arg, at, depth)),
            InstData::Convert { op: ConvertOp::SignExtend | ConvertOp::IndexExtend, arg } => {
                let most = func.ty(arg).mask() >> 1;
                let bounds = self.upper(arg, at, depth);
                found.extend(bounds.into_iter().filter_map(|bound| self.at_most(bound, most.into())));
            }
            InstData::Convert { op: op @ (ConvertOp::FloatToUInt | ConvertOp::FloatToSInt), arg } => {
                found.extend(self.upper_of_float(root, op, arg, at));
                found.extend(self.upper_by_float_branches(op, arg, at, depth));
            }
            InstData::Select { if_true, if_false, .. } => {
                let [a, b] = [if_true, if_false].map(|arg| self.upper(arg, at, depth));
                let greater = self.combine(&a, &b, Search::greater);
                found.extend(greater);
            }
            InstData::Load { below: Some(param), .. } => {
                let Bound { poly, conditions } = self.parameter(param);
                found.extend(poly.plus_number(-1).map(|poly| Bound { poly, conditions }));
            }
            InstData::Binary { op, args, no_unsigned_wrap } if ty.is_int() => {
                self.upper_of_binary(root, op, args, no_unsigned_wrap, at, depth, found);
            }
            _ => {}
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one instruction, and where it is asked about"
    )]
    fn upper_of_binary(
        &mut self,
        root: Value,
        op: BinaryOp,
        [a, b]: [Value; 2],
        no_unsigned_wrap: bool,
        at: At,
        depth: u32,
        found: &mut Vec<Bound>,
    ) {
        let func = self.ranges.func;
        let ty = func.ty(root);
        // A difference that wraps is at least the complement of what is subtracted.
        let is_difference = |most: u64| {
            let here = self.ranges.refine(root, at, REFINE_DEPTH);
            here.is_some_and(|here| here.hi <= ty.mask() - most)
        };
        let mask = i128::from(ty.mask());
        let most_signed = mask >> 1;
        let shift = self.shift(b);
        match (op, shift) {
            (BinaryOp::Add, _) if func.constant(b).is_some_and(|by| i128::from(by) > most_signed) => {
                let Some(by) = func.constant(b) else { return };
                let less = mask + 1 - i128::from(by);
                let exact = is_difference(ty.mask() - by + 1);
                let number = self.plain(Poly::number(less));
                found.extend(self.difference(a, None, &[number], exact, at, depth));
            }
            (BinaryOp::Add, _) => {
                let exact = no_unsigned_wrap || self.fits([a, b], ty, at, u128::checked_add);
                // `(p + q) + b` is `p + (q + b)`, of which branches may know the second part.
                for [inner, last] in [[a, b], [b, a]] {
                    for (first, sum) in self.guarded_parts(inner, last) {
                        let [first, sum] = [first, sum].map(|arg| self.upper(arg, at, depth));
                        let sums = self.combine(&first, &sum, |_, a, b| a.plus(b));
                        found.extend(sums.into_iter().filter_map(|sum| self.within(sum, false, mask)));
                    }
                }
                for [part, counter] in [[a, b], [b, a]] {
                    found.extend(self.sum_with_signed(part, counter, at, depth));
                    found.extend(self.sum_with_difference(root, part, counter, at, depth));
                    found.extend(self.sum_within_distance(part, counter, at, depth));
                }
                for &[low, high] in self.ranges.middles.ends(root) {
                    found.extend(self.upper_between(low, high, at, depth));
                }
                let [a, b] = [a, b].map(|arg| self.upper(arg, at, depth));
                let sums = self.combine(&a, &b, |_, a, b| a.plus(b));
                found.extend(sums.into_iter().filter_map(|sum| self.within(sum, exact, mask)));
            }
            (BinaryOp::Mul, _) | (BinaryOp::Shl, Some(_)) => {
                let (exact, factors) = match shift.filter(|_| op == BinaryOp::Shl) {
                    Some(by) => {
                        let most = self.ranges.refine(a, at, REFINE_DEPTH).map_or(ty.mask(), |a| a.hi);
                        let exact = i128::from(most) << by <= mask;
                        (exact, [self.upper(a, at, depth), vec![self.plain(Poly::number(1 << by))]])
                    }
                    None => {
                        let exact = self.fits([a, b], ty, at, u128::checked_mul);
                        (exact, [a, b].map(|arg| self.upper(arg, at, depth)))
                    }
                };
                let exact = exact || no_unsigned_wrap;
                let products = self.combine(&factors[0], &factors[1], |_, a, b| a.times(b));
                found.extend(products.into_iter().filter_map(|product| self.within(product, exact, mask)));
            }
            (BinaryOp::Sub, _) => {
                let most = self.ranges.refine(b, at, REFINE_DEPTH).map_or(ty.mask(), |b| b.hi);
                let exact = no_unsigned_wrap || is_difference(most);
                // `a - a % h` is `h` times the quotient, which says more than that it is at most `a`: of the first of a group of `h` elements in
                // a transform.
                if let Some(&InstData::Binary { op: BinaryOp::URem, args: [dividend, divisor], .. }) =
                    self.ranges.func.def(self.ranges.facts.root(b))
                    && self.ranges.facts.root(dividend) == self.ranges.facts.root(a)
                {
                    let (dividends, divisors) = (self.upper(a, at, depth), self.divisors(divisor, at, depth));
                    let quotients = self.quotients(&dividends, &divisors);
                    let factors = self.upper(divisor, at, depth);
                    found.extend(self.combine(&quotients, &factors, |_, a, b| a.times(b)));
                } else {
                    if let Some(zeros) = multiples::cleared_low_bits(func, root) {
                        let dividends = self.upper(a, at, depth);
                        found.extend(self.rounded_down(&dividends, zeros));
                    }
                    let less = self.lower(b, at, depth);
                    found.extend(self.difference(a, Some(b), &less, exact, at, depth));
                }
                // `(p + q) - b` is at most `q` where `p` is at most `b`.
                for [p, q] in self.ranges.parts_of_sum(a, at) {
                    if self.ranges.proves(p, b, 0, at) && (exact || self.ranges.proves(b, a, 0, at)) {
                        found.extend(self.upper(q, at, depth));
                    }
                }
            }
            (BinaryOp::UDiv, _) | (BinaryOp::LShr, Some(_)) => {
                for &[low, high] in self.ranges.middles.ends(root) {
                    found.extend(self.upper_between(low, high, at, depth));
                }
                // A thread's index along z is compared with a size, but not what its parts are.
                let was_in_part = self.is_in_part;
                self.is_in_part |= is_of_thread(func, a);
                let dividends = self.upper(a, at, depth);
                self.is_in_part = was_in_part;
                let divisors = match shift.filter(|_| op == BinaryOp::LShr) {
                    Some(by) => vec![self.plain(Poly::number(1 << by))],
                    None => self.divisors(b, at, depth),
                };
                // Around a loop it must be seen that nothing grows.
                let is_assumed = |bound: &&Bound| self.assumed.iter().any(|(_, most)| *most == bound.poly);
                found.extend(dividends.iter().filter(is_assumed).cloned());
                found.extend(self.quotients(&dividends, &divisors));
                for end in self.ends_of_part(root, at) {
                    let ends = self.upper(end, at, depth).into_iter();
                    found.extend(ends.filter_map(|Bound { poly, conditions }| {
                        Some(Bound { poly: poly.plus_number(-1)?, conditions })
                    }));
                }
            }
            (BinaryOp::URem, _) => {
                let divisors = self.upper(b, at, depth);
                if divisors.is_empty() {
                    found.extend(self.upper(a, at, depth));
                }
                found.extend(divisors.into_iter().filter_map(|Bound { poly, conditions }| {
                    Some(Bound { poly: poly.plus_number(-1)?, conditions })
                }));
            }
            (BinaryOp::And | BinaryOp::UMin, _) => {
                if let Some(zeros) = multiples::cleared_low_bits(func, root) {
                    let dividends = self.upper(a, at, depth);
                    found.extend(self.rounded_down(&dividends, zeros));
                }
                found.extend(self.upper(a, at, depth));
                found.extend(self.upper(b, at, depth));
            }
            // No bit is set that is not in one of them.
            (BinaryOp::Or | BinaryOp::Xor, _) => {
                let [a, b] = [a, b].map(|arg| self.upper(arg, at, depth));
                let sums = self.combine(&a, &b, |_, a, b| a.plus(b));
                found.extend(sums);
            }
            (BinaryOp::UMax, _) => {
                let [a, b] = [a, b].map(|arg| self.upper(arg, at, depth));
                let greater = self.combine(&a, &b, Search::greater);
                found.extend(greater);
            }
            // Signed operations on numbers that are not negative are the unsigned ones.
            (BinaryOp::SMin | BinaryOp::SMax | BinaryOp::SRem | BinaryOp::SDiv | BinaryOp::AShr, _) => {
                let [mut of_a, mut of_b] = [a, b].map(|arg| {
                    let bounds = self.upper(arg, at, depth);
                    let bounds = bounds.into_iter().filter_map(|bound| self.at_most(bound, most_signed));
                    bounds.collect::<Vec<_>>()
                });
                // Of one below zero the maximum with one that is not is the other.
                if op == BinaryOp::SMax && of_a.is_empty() != of_b.is_empty() {
                    let (unknown, arg) = if of_a.is_empty() { (&mut of_a, a) } else { (&mut of_b, b) };
                    *unknown = self.upper_where_not_negative(arg, at, depth);
                }
                let [both_a, both_b] = [
                    self.combine(&of_a, &of_b, |_, a, _| Some(a.clone())),
                    self.combine(&of_a, &of_b, |_, _, b| Some(b.clone())),
                ];
                match op {
                    BinaryOp::SMin => {
                        let bits = ty.bits();
                        // A result that is not negative is at most either operand, and neither of them is negative.
                        let [a, b] = [a, b].map(|arg| {
                            let mut here = [arg, root]
                                .into_iter()
                                .filter_map(|it| self.ranges.refine(it, at, REFINE_DEPTH));
                            here.any(|here| here.is_non_negative(bits))
                        });
                        found.extend(if b { of_a } else { both_a });
                        found.extend(if a { of_b } else { both_b });
                    }
                    BinaryOp::SMax => {
                        let greater = self.combine(&of_a, &of_b, Search::greater);
                        found.extend(greater);
                    }
                    BinaryOp::SRem => {
                        let here = self.ranges.refine(root, at, REFINE_DEPTH);
                        let is_positive = here.is_some_and(|here| here.is_non_negative(ty.bits()));
                        let divisors = if is_positive { of_b } else { both_b };
                        found.extend(divisors.into_iter().filter_map(|Bound { poly, conditions }| {
                            Some(Bound { poly: poly.plus_number(-1)?, conditions })
                        }))
                    }
                    _ => {
                        // Other amounts are taken modulo the width.
                        let divisors = match (op, shift) {
                            (BinaryOp::AShr, Some(by)) => vec![self.plain(Poly::number(1 << by))],
                            (BinaryOp::AShr, None) => Vec::new(),
                            _ => self.divisors(b, at, depth),
                        };
                        let quotients = self.quotients(&both_a, &divisors);
                        // As above.
                        let is_assumed =
                            |bound: &&Bound| self.assumed.iter().any(|(_, most)| *most == bound.poly);
                        found.extend(
                            both_a.iter().filter(|it| quotients.is_empty() || is_assumed(it)).cloned(),
                        );
                        found.extend(quotients);
                    }
                }
            }
            _ => {}
        }
    }

    /// Upper bounds of a sum with a difference that may be below zero, `t - (taps - 1) + k`, where a branch says that the sum is not: of
    /// numbers below half of what the type holds it is exact then.
    fn sum_with_difference(
        &mut self,
        root: Value,
        part: Value,
        difference: Value,
        at: At,
        depth: u32,
    ) -> Vec<Bound> {
        let func = self.ranges.func;
        let ty = func.ty(root);
        let most = ty.mask() >> 1;
        let is_small =
            |search: &Self, value| search.ranges.recompute(value, at, 1).is_some_and(|here| here.hi <= most);
        let Some(&InstData::Binary { op: BinaryOp::Sub, args: [more, less], .. }) = func.def(difference)
        else {
            return Vec::new();
        };
        if ![root, part, less].into_iter().all(|value| is_small(self, value)) {
            return Vec::new();
        }
        let uppers = self.upper(more, at, depth).into_iter();
        let uppers: Vec<Bound> = uppers.filter_map(|bound| self.at_most(bound, most.into())).collect();
        let [parts, lowers] = [self.upper(part, at, depth), self.lower(less, at, depth)];
        let sums = self.combine(&uppers, &parts, |_, a, b| a.plus(b));
        self.combine(&sums, &lowers, |_, sum, less| sum.minus(less))
    }

    /// Upper bounds of a difference of numbers that are not negative, where it is not negative itself.
    fn upper_where_not_negative(&mut self, value: Value, at: At, depth: u32) -> Vec<Bound> {
        let func = self.ranges.func;
        let mask = i128::from(func.ty(value).mask());
        let Some(&InstData::Binary { op, args: [a, b], .. }) = func.def(value) else { return Vec::new() };
        let less = match (op, func.constant(b).map(i128::from)) {
            (BinaryOp::Add, Some(by)) if by > mask >> 1 => vec![self.plain(Poly::number(mask + 1 - by))],
            (BinaryOp::Sub, _) => {
                let uppers = self.upper(b, at, depth);
                let is_small = |bound: &Bound| self.is_at_most_where(bound, (mask >> 1) as u64, &[]);
                if !uppers.iter().any(is_small) {
                    return Vec::new();
                }
                self.lower(b, at, depth)
            }
            _ => return Vec::new(),
        };
        let uppers = self.upper(a, at, depth).into_iter();
        let uppers: Vec<Bound> = uppers.filter_map(|bound| self.at_most(bound, mask >> 1)).collect();
        self.combine(&uppers, &less, |_, upper, less| upper.minus(less))
    }

    /// Upper bounds of a sum with a signed number that may be below zero: `i + k` for a counter `k` in `-r..=r`, where `i >= r`, or
    /// `x % n + n`.
    fn sum_with_signed(&mut self, part: Value, signed: Value, at: At, depth: u32) -> Vec<Bound> {
        // A number that is extended without its sign is none below zero.
        let func = self.ranges.func;
        if func.ty(self.ranges.facts.root(signed)) != func.ty(part) {
            return Vec::new();
        }
        let known = match self.signed_counter(signed) {
            Some((least, most)) => Some((least, self.most_signed(signed, most, at))),
            None => self.signed_remainder(signed, at),
        };
        let Some((least, most)) = known else { return Vec::new() };
        let mask = i128::from(self.ranges.func.ty(part).mask());
        let [above, below] = [self.upper(part, at, depth), self.lower(part, at, depth)];
        let mut found = Vec::new();
        for (above, below) in self.pairs(&above, &below) {
            let (Some(room), Some(sum)) = (below.poly.plus(&least.poly), above.poly.plus(&most.poly)) else {
                continue;
            };
            let conditions =
                [above.conditions, below.conditions, least.conditions.clone(), most.conditions.clone()];
            let sum = self.where_also(sum, room, conditions);
            found.extend(sum.and_then(|sum| self.within(sum, false, mask)));
        }
        self.best(found)
    }

    /// The least and the most of a remainder by a launch-uniform number that is not negative, in signed numbers.
    fn signed_remainder(&mut self, value: Value, at: At) -> Option<(Bound, Bound)> {
        let ranges = self.ranges;
        let root = ranges.facts.root(value);
        let &InstData::Binary { op: BinaryOp::SRem, args: [_, divisor], .. } = ranges.func.def(root)? else {
            return None;
        };
        let ty = ranges.func.ty(root);
        let by = self.exact(divisor, at).and_then(|by| self.at_most(by, i128::from(ty.mask() >> 1)))?;
        let bound = |poly: Poly| Bound { poly, conditions: by.conditions.clone() };
        let is_zero = |value: Value| ranges.of(value).single() == Some(0);
        let mut relations = ranges.facts.about(root, at, Want::Upper, &ranges.tree);
        let is_negative = ranges.refine(root, at, REFINE_DEPTH).is_some_and(|here| here.lo > ty.mask() >> 1)
            || relations.any(|relation| match relation {
                Relation::SignedAtMost { y, offset, .. } => offset < 0 && is_zero(y),
                _ => false,
            });
        let most = if is_negative { Poly::number(-1) } else { by.poly.plus_number(-1)? };
        Some((bound(Poly::number(1).minus(&by.poly)?), bound(most)))
    }

    /// The least and the most of a counter that goes up by one from below zero, in signed numbers.
    fn signed_counter(&mut self, counter: Value) -> Option<(Bound, Bound)> {
        let ranges = self.ranges;
        let root = ranges.facts.root(counter);
        let ValueDef::Param(header) = ranges.func.values[root].def else { return None };
        let index = ranges.func.blocks[header].params.iter().position(|&param| param == root)?;
        let arguments: Vec<(Block, Value)> = ranges.arguments(header, index).collect();
        let (again, first): (Vec<_>, Vec<_>) =
            arguments.into_iter().partition(|(from, _)| ranges.tree.dominates(header, *from));
        let ([(latch, next)], [(entry, begin)]) = (&again[..], &first[..]) else { return None };
        let is_next = matches!(
            ranges.func.def(ranges.facts.root(*next)),
            Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. })
                if ranges.facts.root(a) == root && ranges.func.constant(b) == Some(1)
        );
        let least = self.below_zero(*begin, At { block: *entry, to: Some(header) }).filter(|_| is_next)?;
        let edge = At { block: *latch, to: Some(header) };
        let ends: Vec<Value> = ranges
            .facts
            .about(root, edge, Want::Upper, &ranges.tree)
            .filter_map(|relation| match relation {
                // The next one is at most that, so it does not wrap.
                Relation::SignedAtMost { y, offset: -1, .. } => Some(y),
                _ => None,
            })
            .collect();
        let most_signed = i128::from(ranges.func.ty(root).mask() >> 1);
        ends.into_iter().find_map(|end| {
            let end = self.exact(end, edge).and_then(|end| self.at_most(end, most_signed))?;
            // The first one is the last where the end is before it.
            let distance = end.poly.minus(&least.poly)?;
            Some((least.clone(), self.where_also(end.poly, distance, [end.conditions])?))
        })
    }

    /// Conditions under which a signed counter that begins at or above zero and goes up by a launch-uniform step never overflows:
    /// the end that a branch in the loop compares it with is a step below the greatest number.
    fn counts_without_overflow(&mut self, root: Value, bits: u32) -> Option<Vec<Poly>> {
        let ranges = self.ranges;
        let ValueDef::Param(header) = ranges.func.values[root].def else { return None };
        let ty = ranges.func.ty(root);
        let index = ranges.func.blocks[header].params.iter().position(|&param| param == root)?;
        let arguments: Vec<(Block, Value)> = ranges.arguments(header, index).collect();
        let (again, first): (Vec<_>, Vec<_>) =
            arguments.into_iter().partition(|(from, _)| ranges.tree.dominates(header, *from));
        let &[(latch, next)] = &again[..] else { return None };
        let starts_positive = first.iter().all(|&(from, begin)| {
            let here = ranges.refine(begin, At { block: from, to: Some(header) }, REFINE_DEPTH);
            here.is_none_or(|here| here.is_non_negative(bits))
        });
        let &InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } =
            ranges.func.def(ranges.facts.root(next))?
        else {
            return None;
        };
        if !starts_positive || bits != ty.bits() || ranges.facts.root(a) != root {
            return None;
        }
        let edge = At { block: latch, to: Some(header) };
        let most = i128::from(ty.mask() >> 1);
        let step = self.exact(b, edge).and_then(|step| self.at_most(step, most))?;
        let relations: Vec<Relation> = ranges.facts.about(root, edge, Want::Upper, &ranges.tree).collect();
        relations.into_iter().find_map(|relation| {
            let Relation::SignedAtMost { y, offset, .. } = relation else { return None };
            let end = self.exact(y, edge).and_then(|end| self.at_most(end, most))?;
            let next = end.poly.plus_number(offset.into())?.plus(&step.poly)?;
            let room = Poly::number(most).minus(&next)?;
            let found = self.where_also(next, room, [end.conditions, step.conditions.clone()])?;
            Some(found.conditions)
        })
    }

    /// The upper bound of a signed number, or a lower one from branches at a block or edge: inside a loop its counter is below the end.
    fn most_signed(&mut self, value: Value, most: Bound, at: At) -> Bound {
        let ranges = self.ranges;
        let root = ranges.facts.root(value);
        let greatest = i128::from(ranges.func.ty(root).mask() >> 1);
        let ends =
            ranges.facts.about(root, at, Want::Upper, &ranges.tree).filter_map(|relation| match relation {
                Relation::SignedAtMost { y, offset, .. } => Some((y, offset)),
                _ => None,
            });
        let closer = ends.collect::<Vec<_>>().into_iter().find_map(|(end, offset)| {
            let Bound { poly, conditions } =
                self.exact(end, at).and_then(|end| self.at_most(end, greatest))?;
            let poly = poly.plus_number(offset.into())?;
            let less = most.poly.minus(&poly)?;
            self.atoms.never_negative(&less).then_some(Bound { poly, conditions })
        });
        let both = closer.and_then(|closer| {
            self.where_also(closer.poly, Poly::default(), [closer.conditions, most.conditions.clone()])
        });
        both.unwrap_or(most)
    }

    /// A launch-uniform value known to be negative as a signed number: a number, or the opposite of a value.
    fn below_zero(&mut self, value: Value, at: At) -> Option<Bound> {
        let func = self.ranges.func;
        let root = self.ranges.facts.root(value);
        let (mask, most) = (func.ty(root).mask(), i128::from(func.ty(root).mask() >> 1));
        if let Some(bits) = self.ranges.of(root).single() {
            let number = i128::from(bits) - i128::from(mask) - 1;
            return (number >= -most).then(|| self.plain(Poly::number(number)));
        }
        let &InstData::Unary { op: UnaryOp::Neg, arg } = func.def(root)? else { return None };
        let size = self.exact(arg, at).and_then(|size| self.at_most(size, most))?;
        Some(Bound { poly: Poly::default().minus(&size.poly)?, conditions: size.conditions })
    }

    /// Lower bounds of a divisor, and a long sum as a whole: a product with it can be divided by it.
    fn divisors(&mut self, value: Value, at: At, depth: u32) -> Vec<Bound> {
        let mut found = self.lower(value, at, depth);
        found.extend(self.long_sum(value, at, depth));
        found
    }

    /// Pairs for `inner = p + q`: `p`, and a sum of `q` and `last` with facts from branches.
    fn guarded_parts(&self, inner: Value, last: Value) -> Vec<(Value, Value)> {
        let facts = &self.ranges.facts;
        let func = self.ranges.func;
        let Some(&InstData::Binary { op: BinaryOp::Add, args: [p, q], .. }) = func.def(inner) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (first, second) in [(p, q), (q, p)] {
            let is_theirs = |sum: &&Value| match func.def(**sum) {
                Some(InstData::Binary { args, .. }) => [*args, [args[1], args[0]]].contains(&[second, last]),
                _ => false,
            };
            found.extend(
                facts.guarded_sums(facts.root(second)).iter().filter(is_theirs).map(|&sum| (first, sum)),
            );
        }
        found
    }

    /// Upper bounds of a number in the middle of these, if the first is the lower one.
    fn upper_between(&mut self, low: Value, high: Value, at: At, depth: u32) -> Vec<Bound> {
        let Some(offset) = [-1, 0].into_iter().find(|&offset| self.ranges.proves(low, high, offset, at))
        else {
            return Vec::new();
        };
        let bounds = self.upper(high, at, depth).into_iter();
        let below =
            |Bound { poly, conditions }: Bound| Some(Bound { poly: poly.plus_number(offset)?, conditions });
        bounds.filter_map(below).collect()
    }

    /// Amount by which a value shifts another of its type. Greater amounts are taken modulo the width.
    fn shift(&self, by: Value) -> Option<u64> {
        let func = self.ranges.func;
        let most = func.ty(by).bits().min(63);
        func.constant(by).filter(|&by| by < most.into())
    }

    /// Bounds of `a` less each of these, where that does not wrap.
    fn difference(
        &mut self,
        a: Value,
        b: Option<Value>,
        less: &[Bound],
        exact: bool,
        at: At,
        depth: u32,
    ) -> Vec<Bound> {
        let exact = exact || b.is_some_and(|b| self.ranges.proves(b, a, 0, at));
        let uppers = self.upper(a, at, depth);
        let room = match exact {
            true => vec![None],
            false => {
                let lowers = self.lower(a, at, depth);
                let most = match b {
                    Some(b) => self.upper(b, at, depth),
                    None => less.to_vec(),
                };
                let rooms = self.combine(&lowers, &most, |_, a, b| a.minus(b));
                rooms.into_iter().map(Some).collect()
            }
        };
        let mut found = Vec::new();
        for (upper, less) in self.pairs(&uppers, less) {
            for room in &room {
                let Some(poly) = upper.poly.minus(&less.poly) else { continue };
                let (condition, more) = match room {
                    Some(Bound { poly, conditions }) => (poly.clone(), conditions.clone()),
                    None => (Poly::number(0), Vec::new()),
                };
                let conditions = [upper.conditions.clone(), less.conditions.clone(), more];
                found.extend(self.where_also(poly, condition, conditions));
            }
        }
        self.best(found)
    }

    /// Upper bounds of a block parameter: those of all arguments. The arguments of back edges may assume the bound.
    fn upper_of_parameter(&mut self, root: Value, block: Block, at: At, depth: u32, found: &mut Vec<Bound>) {
        let ranges = self.ranges;
        let Some(index) = ranges.func.blocks[block].params.iter().position(|&param| param == root) else {
            return;
        };
        let arguments: Vec<(Block, Value)> = ranges.arguments(block, index).collect();
        let (again, first): (Vec<_>, Vec<_>) =
            arguments.into_iter().partition(|(from, _)| ranges.tree.dominates(block, *from));
        let mut start: Option<Vec<Bound>> = None;
        for &(from, arg) in &first {
            let bounds = self.upper(arg, At { block: from, to: Some(block) }, depth);
            start = Some(match start {
                None => bounds,
                Some(before) => {
                    let both = self.combine(&before, &bounds, Search::greater);
                    self.best(both)
                }
            });
        }
        let start = start.unwrap_or_default();
        let known = found.len();
        for bound in start.iter().cloned() {
            found.extend(self.around_loop(root, block, &again, bound, depth));
        }
        if found.len() == known && self.ranges.middles.is_end(root) {
            for bound in self.starts_of_others(root, block, &first, &start, depth) {
                found.extend(self.around_loop(root, block, &again, bound, depth));
            }
        }
        if let [(from, arg)] = again[..] {
            let latch = At { block: from, to: Some(block) };
            self.upper_within_distance(root, (arg, latch), at, depth, found);
            self.upper_inclusive((root, block), (arg, latch), at, depth, found);
            // Branches in the loop may know more of the first value.
            let start = match first[..] {
                [(_, begin)] => self.upper(begin, at, depth),
                _ => start,
            };
            let steps = self.steps(root, block, (from, arg), at, depth);
            for Steps { most, .. } in steps {
                found.extend(self.after_steps(&start, &most, root));
            }
            if let [(from, begin)] = first[..] {
                self.last_of_steps(root, arg, (begin, At { block: from, to: Some(block) }), found);
            }
        }
    }

    /// A bound of a loop's parameter before the loop, if what iterations pass keeps it.
    fn around_loop(
        &mut self,
        root: Value,
        block: Block,
        again: &[(Block, Value)],
        Bound { poly, conditions }: Bound,
        depth: u32,
    ) -> Option<Bound> {
        self.assumed.push((root, poly.clone()));
        let mut all = Some(conditions);
        for &(from, arg) in again {
            let bounds = self.upper(arg, At { block: from, to: Some(block) }, depth);
            let within = bounds
                .into_iter()
                .find(|bound| poly.minus(&bound.poly).is_some_and(|room| self.atoms.never_negative(&room)));
            all = all.zip(within).map(|(all, within)| [all, within.conditions].concat());
        }
        self.assumed.pop();
        all.map(|conditions| Bound { poly, conditions })
    }

    /// Bounds of the other parameters of a loop before it that bound this one there, too: of a bisection, whose lower end comes up to the
    /// upper one.
    fn starts_of_others(
        &mut self,
        root: Value,
        block: Block,
        first: &[(Block, Value)],
        start: &[Bound],
        depth: u32,
    ) -> Vec<Bound> {
        let ranges = self.ranges;
        let ([(from, _)], [own, ..]) = (first, start) else { return Vec::new() };
        let mut found = Vec::new();
        for (index, &other) in ranges.func.blocks[block].params.iter().enumerate() {
            if other == root || ranges.func.ty(other) != ranges.func.ty(root) {
                continue;
            }
            let arguments: Vec<_> = ranges.arguments(block, index).filter(|(way, _)| way == from).collect();
            let [(_, arg)] = arguments[..] else { continue };
            for bound in self.upper(arg, At { block: *from, to: Some(block) }, depth) {
                if bound.poly.minus(&own.poly).is_some_and(|room| self.atoms.never_negative(&room)) {
                    let conditions = [own.conditions.clone(), bound.conditions].concat();
                    found.push(Bound { poly: bound.poly, conditions });
                }
            }
        }
        found
    }

    /// A parameter of a loop that goes on only where the end is farther than a step: `step < end - i`.
    fn upper_within_distance(
        &mut self,
        root: Value,
        (next, latch): (Value, At),
        at: At,
        depth: u32,
        found: &mut Vec<Bound>,
    ) {
        let ranges = self.ranges;
        let next = ranges.facts.root(next);
        let Some(&InstData::Binary { op: BinaryOp::Add, args, .. }) = ranges.func.def(next) else { return };
        let [a, b] = args.map(|arg| ranges.facts.root(arg));
        let step = if a == root { b } else { a };
        let ends: Vec<(Value, i8)> = ranges
            .facts
            .about(step, latch, Want::Upper, &ranges.tree)
            .filter_map(|relation| {
                let Relation::AtMost { y, offset } = relation else { return None };
                match ranges.func.def(y) {
                    Some(InstData::Binary { op: BinaryOp::Sub, args: [end, start], .. }) => {
                        (ranges.facts.root(*start) == root).then_some((*end, offset))
                    }
                    _ => None,
                }
            })
            .collect();
        for (end, offset) in ends {
            if self.is_computed(end, at) && ranges.proves(root, end, offset.into(), at) {
                let bounds = self.upper(end, at, depth);
                found.extend(bounds.into_iter().filter_map(|Bound { poly, conditions }| {
                    Some(Bound { poly: poly.plus_number(offset.into())?, conditions })
                }));
            }
        }
    }

    /// A parameter of a loop that goes on only where it is below its last value: `if i < n { i += 1 }` of `for i in 0..=n`.
    fn upper_inclusive(
        &mut self,
        (root, header): (Value, Block),
        (next, latch): (Value, At),
        at: At,
        depth: u32,
        found: &mut Vec<Bound>,
    ) {
        let ranges = self.ranges;
        let Some(&InstData::Binary { op: BinaryOp::Add, args, .. }) =
            ranges.func.def(ranges.facts.root(next))
        else {
            return;
        };
        let [a, b] = args.map(|arg| ranges.facts.root(arg));
        let step = if a == root { b } else { a };
        let Some(step) = ranges.func.constant(step).filter(|_| a == root || b == root) else { return };
        let below = |at: At| {
            let about = ranges.facts.about(root, at, Want::Upper, &ranges.tree);
            about.filter_map(|relation| match relation {
                Relation::AtMost { y, offset } | Relation::SignedAtMost { y, offset, .. } => {
                    Some((y, i128::from(offset)))
                }
                Relation::AtLeast { .. }
                | Relation::SignedAtLeast { .. }
                | Relation::Differs { .. }
                | Relation::Is(_) => None,
            })
        };
        // A test in front of the iteration says more by its branch.
        let goes_on = |&block: &Block| {
            let end = ranges.func.terminator(block);
            end.is_none_or(|inst| !matches!(ranges.func.insts[inst], InstData::Panic { .. }))
        };
        let next: Vec<Block> = ranges.func.successors(header).collect();
        let says = |&to: &Block| below(At::block(to)).next().is_some();
        if next.len() > 1 && next.iter().all(goes_on) && next.iter().any(says) {
            return;
        }
        let known: Vec<Value> = below(at).map(|(end, _)| end).collect();
        let ends: Vec<(Value, i128)> = below(latch)
            .filter(|(end, _)| !known.contains(end))
            .map(|(end, offset)| (end, offset + i128::from(step)))
            .collect();
        for (end, offset) in ends {
            if self.is_computed(end, at) && ranges.proves(root, end, offset, at) {
                let bounds = self.upper(end, at, depth);
                found.extend(bounds.into_iter().filter_map(|Bound { poly, conditions }| {
                    Some(Bound { poly: poly.plus_number(offset)?, conditions })
                }));
            }
        }
    }

    /// An induction variable with a launch-uniform start and step: its upper bound is rounded down to a whole number of steps from
    /// its start.
    fn last_of_steps(
        &mut self,
        root: Value,
        next: Value,
        (begin, entry): (Value, At),
        found: &mut Vec<Bound>,
    ) {
        let Some((step, true)) = self.step(root, next) else { return };
        let Some(begin) = self.exact(begin, entry).filter(|_| step.poly.as_number() != Some(1)) else {
            return;
        };
        for most in found.clone() {
            let last = most.poly.minus(&begin.poly).and_then(|distance| {
                let conditions =
                    [begin.conditions.clone(), [&most.conditions[..], &step.conditions].concat()];
                let rounds = self.quotient(distance, step.poly.clone(), conditions)?;
                let poly = rounds.poly.times(&step.poly)?.plus(&begin.poly)?;
                Some(Bound { poly, conditions: rounds.conditions })
            });
            found.extend(last);
        }
    }

    /// The distances of an induction variable with a launch-uniform step from its first value, by way of others that count and that
    /// branches bound.
    fn steps(
        &mut self,
        root: Value,
        header: Block,
        (latch, arg): (Block, Value),
        at: At,
        depth: u32,
    ) -> Vec<Steps> {
        let ranges = self.ranges;
        let Some((by, _)) = self.step(root, arg) else { return Vec::new() };
        // In a launch where it is never computed, as no iteration ends, it may be anything, and must not take anything away.
        let Some(by) = self.where_also(by.poly.clone(), by.poly, [by.conditions]) else { return Vec::new() };
        let by = std::slice::from_ref(&by);
        let params = ranges.func.blocks[header].params.clone();
        let mut found = Vec::new();
        for (index, counter) in params.into_iter().enumerate().filter(|(_, param)| *param != root) {
            let arguments: Vec<(Block, Value)> = ranges.arguments(header, index).collect();
            let next = arguments.iter().find(|(from, _)| *from == latch).map(|(_, next)| *next);
            let starts = arguments.iter().filter(|(from, _)| *from != latch);
            let (Some(next), [(from, begin)]) = (next, &starts.collect::<Vec<_>>()[..]) else { continue };
            let Some((step, true)) = self.step(counter, next) else { continue };
            let entry = At { block: *from, to: Some(header) };
            let counter = ranges.facts.root(counter);
            let mut said = Vec::new();
            if let Some(here) = ranges.refine(counter, at, REFINE_DEPTH) {
                self.upper_by_branches(counter, here, at, depth, &mut said);
                self.upper_by_differences(counter, at, &mut said);
            }
            let begins = self.lower(*begin, entry, depth);
            let most = self.rounds(&said, &begins, &step, by);
            // Whole steps: of others the quotient may be rounded up by nothing.
            let least = match (step.poly.as_number(), self.exact(*begin, entry)) {
                (Some(1), Some(begin)) => {
                    let said = self.lower(counter, at, depth);
                    self.rounds(&said, &[begin], &step, by)
                }
                _ => Vec::new(),
            };
            found.push(Steps { most, least });
        }
        found
    }

    /// The distance of each of these ends from a beginning in steps, times a number.
    fn rounds(&mut self, ends: &[Bound], begins: &[Bound], step: &Bound, by: &[Bound]) -> Vec<Bound> {
        let distances = self.combine(ends, begins, |_, end, begin| end.minus(begin));
        let rounds: Vec<Bound> = distances
            .into_iter()
            .filter_map(|Bound { poly, conditions }| {
                self.quotient(poly, step.poly.clone(), [conditions, step.conditions.clone()])
            })
            .collect();
        self.combine(&rounds, by, |_, a, b| a.times(b))
    }

    /// Sums of the first values of an induction variable and its distances from these.
    fn after_steps(&mut self, start: &[Bound], distances: &[Bound], root: Value) -> Vec<Bound> {
        let mask = i128::from(self.ranges.func.ty(root).mask());
        let sums = self.combine(start, distances, |_, a, b| a.plus(b));
        sums.into_iter().filter_map(|sum| self.within(sum, false, mask)).collect()
    }

    /// Lower bounds of an induction variable where it has not wrapped.
    fn lower_of_parameter(&mut self, root: Value, block: Block, at: At, depth: u32) -> Vec<Bound> {
        let ranges = self.ranges;
        let Some(index) = ranges.func.blocks[block].params.iter().position(|&param| param == root) else {
            return Vec::new();
        };
        let arguments: Vec<(Block, Value)> = ranges.arguments(block, index).collect();
        let (again, first): (Vec<_>, Vec<_>) =
            arguments.into_iter().partition(|(from, _)| ranges.tree.dominates(block, *from));
        let ([(from, arg)], [(_, begin)]) = (&again[..], &first[..]) else { return Vec::new() };
        let mut found = Vec::new();
        for Steps { most, least } in self.steps(root, block, (*from, *arg), at, depth) {
            if least.is_empty() {
                continue;
            }
            let [above, below] = [self.upper(*begin, at, depth), self.lower(*begin, at, depth)];
            let mut room = self.after_steps(&above, &most, root);
            room.truncate(2);
            let sums = self.combine(&below, &least, |_, a, b| a.plus(b));
            found.extend(self.combine(&sums, &room, |_, sum, _| Some(sum.clone())));
        }
        found
    }

    /// Step of an induction variable, launch-uniform, and true if it is known never to wrap.
    fn step(&mut self, param: Value, next: Value) -> Option<(Bound, bool)> {
        let ranges = self.ranges;
        let next = ranges.facts.root(next);
        let &InstData::Binary { op: BinaryOp::Add, args: [a, b], no_unsigned_wrap } =
            ranges.func.def(next)?
        else {
            return None;
        };
        let (a, b, param) = (ranges.facts.root(a), ranges.facts.root(b), ranges.facts.root(param));
        let by = match (a == param, b == param) {
            (true, false) => b,
            (false, true) => a,
            (true, true) | (false, false) => return None,
        };
        let home = ranges.home(next)?;
        let exact =
            no_unsigned_wrap || self.fits([a, b], ranges.func.ty(next), At::block(home), u128::checked_add);
        // A subtraction, as the addition of a complement, is no upward step.
        if ranges.func.constant(by).is_some_and(|by| by > ranges.func.ty(next).mask() / 2) {
            return None;
        }
        Some((self.exact(by, At::block(home))?, exact))
    }

    /// Lower bounds of a value at a block or edge.
    fn lower(&mut self, value: Value, at: At, depth: u32) -> Vec<Bound> {
        let ranges = self.ranges;
        let root = ranges.facts.root(value);
        if !self.is_computed(root, at) {
            return Vec::new();
        }
        let Some(here) = ranges.refine(root, at, REFINE_DEPTH) else { return Vec::new() };
        let mut found = vec![self.plain(Poly::number(here.lo.into()))];
        let (Some(fuel), Some(depth)) = (self.fuel.checked_sub(1), depth.checked_sub(1)) else {
            return found;
        };
        self.fuel = fuel;
        if here.single().is_some() {
            return found;
        }
        if let Some(exact) = self.exact(root, at) {
            return vec![self.without_maximum(exact, at)];
        }
        let above: Vec<(Value, i8)> = ranges
            .facts
            .about(root, at, Want::Lower, &ranges.tree)
            .filter_map(|relation| match relation {
                Relation::AtLeast { y, offset } => Some((y, offset)),
                Relation::AtMost { .. }
                | Relation::SignedAtMost { .. }
                | Relation::SignedAtLeast { .. }
                | Relation::Differs { .. }
                | Relation::Is(_) => None,
            })
            .collect();
        for (y, offset) in above {
            if let Some(Bound { poly, conditions }) = self.exact(y, at) {
                found.extend(poly.plus_number(offset.into()).map(|poly| Bound { poly, conditions }));
            }
        }
        found.extend(self.lower_by_sums(root, at, depth));
        found.extend(self.lower_by_parts(root, at, depth));
        let func = ranges.func;
        let ty = func.ty(root);
        if let ValueDef::Param(block) = func.values[root].def
            && !self.path.contains(&(root, at))
        {
            self.path.push((root, at));
            found.extend(self.lower_of_parameter(root, block, at, depth));
            self.path.pop();
        }
        // A sign-extended number, as an unsigned one, is at least the number itself, and far more if that is negative.
        if let Some(&InstData::Convert { op: ConvertOp::SignExtend | ConvertOp::IndexExtend, arg }) =
            func.def(root)
        {
            found.extend(self.lower(arg, at, depth));
        }
        if let Some(&InstData::Binary { op, args: [a, b], no_unsigned_wrap }) = func.def(root) {
            match op {
                BinaryOp::Add if func.constant(b).is_some_and(|by| by > ty.mask() / 2) => {
                    // A number is subtracted by adding its complement.
                    let less = func.constant(b).map_or(0, |by| i128::from(ty.mask() - by) + 1);
                    let bounds = self.lower(a, at, depth);
                    found.extend(bounds.into_iter().filter_map(|Bound { poly, conditions }| {
                        let poly = poly.plus_number(-less)?;
                        self.where_also(poly.clone(), poly, [conditions])
                    }));
                }
                BinaryOp::Add => {
                    let exact = no_unsigned_wrap || self.fits([a, b], ty, at, u128::checked_add);
                    let room = self.room([a, b], exact, ty, at, depth, Poly::plus);
                    let [a, b] = [a, b].map(|arg| self.lower(arg, at, depth));
                    let sums = self.combine(&a, &b, |_, a, b| a.plus(b));
                    found.extend(self.combine(&sums, &room, |_, sum, _| Some(sum.clone())));
                }
                BinaryOp::Mul => {
                    let exact = no_unsigned_wrap || self.fits([a, b], ty, at, u128::checked_mul);
                    let room = self.room([a, b], exact, ty, at, depth, Poly::times);
                    // Products of what is below zero say nothing.
                    let [a, b] = [a, b].map(|arg| {
                        let mut bounds = self.lower(arg, at, depth);
                        bounds.retain(|bound| self.atoms.never_negative(&bound.poly));
                        bounds
                    });
                    let products = self.combine(&a, &b, |_, a, b| a.times(b));
                    found.extend(self.combine(&products, &room, |_, product, _| Some(product.clone())));
                }
                BinaryOp::Sub => {
                    let exact = no_unsigned_wrap || ranges.proves(b, a, 0, at);
                    let (a, b) = (self.lower(a, at, depth), self.upper(b, at, depth));
                    for (a, b) in self.pairs(&a, &b) {
                        let Some(poly) = a.poly.minus(&b.poly) else { continue };
                        let room = if exact { Poly::default() } else { poly.clone() };
                        found.extend(self.where_also(poly, room, [a.conditions, b.conditions]));
                    }
                }
                _ => {}
            }
        }
        self.greatest(found)
    }

    /// Lower bounds from branches about a sum with the value: of `i + k` that is at least `n` the value is at least `n - k`, and more if the sum
    /// wraps.
    fn lower_by_sums(&mut self, root: Value, at: At, depth: u32) -> Vec<Bound> {
        let ranges = self.ranges;
        let mut found = Vec::new();
        let sums = self.guarded_sums(root, at);
        for GuardedSum { sum, other, .. } in sums.into_iter().filter(|it| ranges.facts.is_branched(it.sum)) {
            let relations: Vec<Relation> = ranges.facts.about(sum, at, Want::Lower, &ranges.tree).collect();
            for relation in relations {
                let Relation::AtLeast { y, offset } = relation else { continue };
                let Some(least) = self.exact(y, at) else { continue };
                self.path.push((sum, at));
                let most = self.upper(other, at, depth.min(SUM_DEPTH));
                self.path.pop();
                let differences = self.combine(&[least], &most, |_, least, most| least.minus(most));
                found.extend(differences.into_iter().filter_map(|Bound { poly, conditions }| {
                    Some(Bound { poly: poly.plus_number(offset.into())?, conditions })
                }));
            }
        }
        found
    }

    /// Conditions under which a sum or product of two values does not wrap, as those of empty bounds: each bound is enough.
    fn room(
        &mut self,
        args: [Value; 2],
        exact: bool,
        ty: Type,
        at: At,
        depth: u32,
        op: fn(&Poly, &Poly) -> Option<Poly>,
    ) -> Vec<Bound> {
        if exact {
            return vec![self.plain(Poly::default())];
        }
        let [a, b] = args.map(|arg| self.upper(arg, at, depth));
        let most = self.combine(&a, &b, |_, a, b| op(a, b));
        let fitting = most.into_iter().filter_map(|bound| self.within(bound, false, ty.mask().into()));
        let mut found: Vec<Bound> = fitting.collect();
        found.sort_by_key(|bound| self.likelihood(&bound.conditions));
        found.truncate(2);
        found.into_iter().map(|bound| Bound { poly: Poly::default(), ..bound }).collect()
    }

    /// Of bounds from below those that no other makes needless, the simplest first.
    fn greatest(&self, mut found: Vec<Bound>) -> Vec<Bound> {
        found.sort_by_key(|bound| {
            (self.is_far(&bound.poly, -1), bound.conditions.len(), bound.poly.terms().len())
        });
        let is_above = |a: &Bound, b: &Bound| {
            a.conditions.iter().all(|condition| b.conditions.contains(condition))
                && a.poly.minus(&b.poly).is_some_and(|more| self.atoms.never_negative(&more))
        };
        let mut kept: Vec<Bound> = Vec::new();
        for bound in found {
            if !kept.iter().any(|other| is_above(other, &bound)) {
                kept.retain(|other| !is_above(&bound, other));
                kept.push(bound);
            }
        }
        kept.truncate(MOST);
        kept
    }

    /// A lower bound without a maximum: the maximum of a value and a number in it is replaced by the value.
    fn without_maximum(&mut self, bound: Bound, at: At) -> Bound {
        let func = self.ranges.func;
        let maximum = bound.poly.terms().iter().find_map(|(atoms, by)| match (&atoms[..], by) {
            (&[atom], 1..) => match *self.atoms.data(atom) {
                AtomData::Uniform(value) => match func.def(value)? {
                    InstData::Binary { op: BinaryOp::UMax, args, .. } if func.constant(args[1]).is_some() => {
                        Some((atom, *by, args[0]))
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        });
        let less = maximum.and_then(|(atom, by, value)| {
            let thing = self.exact(value, at)?;
            let without = bound.poly.minus(&Poly::atom(atom).times(&Poly::number(by))?)?;
            let poly = without.plus(&thing.poly.times(&Poly::number(by))?)?;
            Some(Bound { poly, conditions: [&bound.conditions[..], &thing.conditions].concat() })
        });
        less.unwrap_or(bound)
    }

    // Making bounds.

    fn plain(&self, poly: Poly) -> Bound {
        Bound { poly, conditions: Vec::new() }
    }

    fn launch(&mut self, register: SpecialRegister) -> Bound {
        let known = interval::special(register, self.ranges.func);
        match known.single() {
            Some(number) => self.plain(Poly::number(number.into())),
            None => {
                let atom = self.atoms.atom(AtomData::Launch(register), reach(known));
                self.plain(Poly::atom(atom))
            }
        }
    }

    /// A bound that holds if also `condition` is not negative; none if one of the conditions always is negative.
    fn where_also<const N: usize>(
        &self,
        poly: Poly,
        condition: Poly,
        conditions: [Vec<Poly>; N],
    ) -> Option<Bound> {
        let mut all = Conditions::new();
        for condition in conditions.into_iter().flatten().chain([condition]) {
            self.demand_that(&mut all, condition)?;
        }
        Some(Bound { poly, conditions: all })
    }

    /// The bound, if it is itself at most a number.
    fn at_most(&self, Bound { poly, conditions }: Bound, most: i128) -> Option<Bound> {
        let room = Poly::number(most).minus(&poly)?;
        self.where_also(poly, room, [conditions])
    }

    /// A bound of a result that wraps beyond `mask`, unless it is exact.
    fn within(&self, bound: Bound, exact: bool, mask: i128) -> Option<Bound> {
        if exact { Some(bound) } else { self.at_most(bound, mask) }
    }

    /// The quotients of bounds: each by the divisors that are a factor of it, if there are any.
    fn quotients(&mut self, dividends: &[Bound], divisors: &[Bound]) -> Vec<Bound> {
        let mut found = Vec::new();
        for a in dividends {
            let is_factor = |b: &&Bound| {
                let end = a.poly.plus_number(1);
                b.poly.as_number().is_none() && end.and_then(|end| end.divided_by(&b.poly)).is_some()
            };
            let factors: Vec<&Bound> = divisors.iter().filter(is_factor).collect();
            let chosen = if factors.is_empty() { divisors.iter().collect() } else { factors };
            for b in chosen {
                let conditions = [a.conditions.clone(), b.conditions.clone()];
                found.extend(self.quotient(a.poly.clone(), b.poly.clone(), conditions));
            }
        }
        found
    }

    /// Bounds of a value whose low bits are zeros, so many, from those of the value before they were cleared.
    fn rounded_down(&mut self, bounds: &[Bound], zeros: u32) -> Vec<Bound> {
        let by = self.plain(Poly::number(1 << zeros));
        let quotients = self.quotients(bounds, std::slice::from_ref(&by));
        self.combine(&quotients, &[by], |_, quotient, by| quotient.times(by))
    }

    fn quotient(&mut self, a: Poly, b: Poly, conditions: [Vec<Poly>; 2]) -> Option<Bound> {
        let positive = b.plus_number(-1)?;
        // `(q * b - 1) / b` is `q - 1`: of an index below a product.
        if b.as_number().is_none()
            && let Some(quotient) = a.plus_number(1).and_then(|a| a.divided_by(&b))
        {
            return self.where_also(quotient.plus_number(-1)?, positive, conditions);
        }
        if b.as_number().is_none()
            && let Some(quotient) = a.divided_by(&b)
        {
            return self.where_also(quotient, positive, conditions);
        }
        let poly = match (a.as_number(), b.as_number()) {
            (_, Some(1)) => a,
            (None, Some(b)) if b > 0 && a.terms().iter().all(|(_, by)| by % b == 0) => a.divided(b),
            (Some(a), Some(b)) if b > 0 => Poly::number(a.div_euclid(b)),
            _ => {
                let ((a_lo, a_hi), (b_lo, b_hi)) = (self.atoms.reach(&a), self.atoms.reach(&b));
                let least = |number: Option<i128>| number.map_or(1, |number| number.max(1));
                // A negative dividend gives a quotient nearer to zero the larger the divisor.
                let lo = a_lo.map(|a| {
                    if a < 0 { a.div_euclid(least(b_lo)) } else { b_hi.map_or(0, |b| a / b.max(1)) }
                });
                let hi = a_hi.map(|a| if a < 0 { -1 } else { a / least(b_lo) });
                let atom: Atom = self.atoms.atom(AtomData::Quotient(a, b), (lo, hi));
                Poly::atom(atom)
            }
        };
        self.where_also(poly, positive, conditions)
    }

    fn greater(&mut self, a: &Poly, b: &Poly) -> Option<Poly> {
        if b.minus(a).is_some_and(|rest| self.atoms.never_negative(&rest)) {
            return Some(b.clone());
        }
        if a.minus(b).is_some_and(|rest| self.atoms.never_negative(&rest)) {
            return Some(a.clone());
        }
        let ((a_lo, a_hi), (b_lo, b_hi)) = (self.atoms.reach(a), self.atoms.reach(b));
        let lo = a_lo.zip(b_lo).map(|(a, b)| a.max(b));
        let hi = a_hi.zip(b_hi).map(|(a, b)| a.max(b));
        let atom = self.atoms.atom(AtomData::Greater(a.clone(), b.clone()), (lo, hi));
        Some(Poly::atom(atom))
    }

    /// Returns true for a bound by the shape of the launch, or by numbers of this sign that come from the widths of types and
    /// registers: any other bound is better.
    fn is_far(&self, poly: &Poly, sign: i128) -> bool {
        self.atoms.names_launch(poly) || poly.terms().iter().any(|(_, by)| by.saturating_mul(sign) > FAR)
    }

    /// Returns true for a far bound as a demand. That the shape of a launch fits a type says nothing of its size.
    fn is_far_demand(&self, poly: &Poly) -> bool {
        self.is_far(poly, -1) && !says_that_it_fits(poly)
    }

    /// The most dimensions among the terms of a sign: the number of sizes multiplied. An atom with a small maximum has none; a length
    /// of a slice has any number, at least one where it must be little and as many as are wanted where it must be much.
    fn dimensions(&self, poly: &Poly, is_positive: bool) -> usize {
        self.most_dimensions(poly, is_positive, is_positive)
    }

    /// The most dimensions among the terms with this sign; `is_much` if the terms are wanted large, so that lengths have any number.
    fn most_dimensions(&self, poly: &Poly, sign: bool, is_much: bool) -> usize {
        let terms = poly.terms().iter().filter(|(_, by)| (*by > 0) == sign);
        let of_term = |atoms: &[Atom]| atoms.iter().map(|&atom| self.dimensions_of(atom, is_much)).sum();
        terms.map(|(atoms, _)| of_term(atoms)).max().unwrap_or(0)
    }

    fn dimensions_of(&self, atom: Atom, is_much: bool) -> usize {
        const MANY: usize = 100;
        let of = |part: &Poly| self.most_dimensions(part, true, is_much);
        match self.atoms.data(atom) {
            AtomData::Param(param) if is_much && self.ranges.func.is_length(*param) => MANY,
            AtomData::Launch(_) => 0,
            _ if self.atoms.reach(&Poly::atom(atom)).1.is_some_and(|most| most <= 1 << 16) => 0,
            AtomData::Quotient(a, _) => of(a),
            AtomData::Greater(a, b) => of(a).max(of(b)),
            AtomData::Float(FloatBound { leaves, .. }) => {
                leaves.iter().map(|(_, most)| of(most)).max().unwrap_or(0)
            }
            AtomData::Param(_) | AtomData::Uniform(_) => 1,
        }
    }

    /// The number of terms, with those in its maxima and quotients.
    fn size(&self, poly: &Poly) -> usize {
        let of_atom = |&atom: &Atom| match self.atoms.data(atom) {
            AtomData::Quotient(a, b) | AtomData::Greater(a, b) => self.size(a) + self.size(b),
            AtomData::Param(_) | AtomData::Launch(_) | AtomData::Uniform(_) | AtomData::Float(_) => 0,
        };
        poly.terms().iter().map(|(atoms, _)| 1 + atoms.iter().map(of_atom).sum::<usize>()).sum()
    }

    /// Returns true if a polynomial may be non-negative for problems of any size.
    fn scales(&self, poly: &Poly) -> bool {
        let below = self.dimensions(poly, false);
        if self.is_circular(poly) {
            return false;
        }
        if says_that_it_fits(poly) {
            // Of a size multiplied by all the blocks that a grid can have it is another matter.
            return !poly.terms().iter().any(|(atoms, by)| *by < -FAR && self.registers(atoms).is_none());
        }
        !multiplies_far(poly)
            && (below <= self.dimensions(poly, true)
                || below == 1 && self.has_number_above_one(poly) && !self.limits_length(poly))
    }

    /// Returns true if nothing but the shape of blocks has to be small, or that something fits a type.
    fn bounds_block(&self, poly: &Poly) -> bool {
        let of_block = |atom: &Atom| {
            let is_one = |register| {
                matches!(register, SpecialRegister::NtidX | SpecialRegister::NtidY | SpecialRegister::NtidZ)
            };
            matches!(self.atoms.data(*atom), AtomData::Launch(register) if is_one(*register))
        };
        says_that_it_fits(poly) || poly.terms().iter().flat_map(|(atoms, _)| atoms).all(of_block)
    }

    /// Returns true if a grid has to have fewer threads than two warps, or hardly more than a size, or a block one thread along x.
    fn leaves_few_threads(&self, poly: &Poly) -> bool {
        let number = poly.constant_term();
        let sizes: Vec<_> = poly.terms().iter().filter(|(atoms, _)| !atoms.is_empty()).collect();
        let [(atoms, by @ ..=-1)] = sizes[..] else { return false };
        if let [atom] = atoms[..]
            && let AtomData::Greater(a, b) = self.atoms.data(atom)
        {
            let grows = |part: &Poly| {
                part.terms()
                    .iter()
                    .any(|(atoms, by)| *by > 0 && self.registers(atoms).is_some_and(|of| of.len() > 1))
            };
            return number / -by < FEW && (grows(a) || grows(b));
        }
        match &self.registers(atoms).unwrap_or_default()[..] {
            [SpecialRegister::NtidX] => number / -by <= 1,
            [_, _, ..] => number / -by < FEW,
            _ => false,
        }
    }

    /// Returns true if the blocks along x occur in it with nothing but numbers and their threads, which `over` rounds up.
    fn counts_threads(&self, poly: &Poly) -> bool {
        let is_count = |atoms: &[Atom]| {
            self.registers(atoms).is_some_and(|registers| registers.contains(&SpecialRegister::NctaidX))
        };
        poly.terms().iter().any(|(atoms, _)| is_count(atoms))
    }

    /// The parts of the shape of a launch that are multiplied, if nothing else is.
    fn registers(&self, atoms: &[Atom]) -> Option<Vec<SpecialRegister>> {
        let launch = |atom: &Atom| match *self.atoms.data(*atom) {
            AtomData::Launch(register) => Some(register),
            _ => None,
        };
        atoms.iter().map(launch).collect()
    }

    /// Returns true if the length of a slice has to be large enough.
    fn names_length(&self, poly: &Poly) -> bool {
        let above = poly.terms().iter().filter(|(_, by)| *by > 0);
        above.flat_map(|(atoms, _)| atoms).any(|&atom| self.is_length_atom(atom))
    }

    /// Returns true if the length of a slice has an upper bound in the condition.
    fn has_length_below(&self, poly: &Poly) -> bool {
        let below = poly.terms().iter().filter(|(_, by)| *by < 0);
        below.flat_map(|(atoms, _)| atoms).any(|&atom| self.is_length_atom(atom))
    }

    fn is_length_atom(&self, atom: Atom) -> bool {
        self.atoms.is_length(self.ranges.func, atom)
    }

    /// Returns true if a demand asks of a length what another one asks of it, but for a number in place of a size: for `32 * n` elements rather than
    /// for `n * n`.
    fn has_number_for_size(&self, demand: &Demand, other: &Demand) -> bool {
        let of_lengths = |demand: &Demand| -> Vec<Poly> {
            demand.not_negative.iter().filter(|poly| self.names_length(poly)).cloned().collect()
        };
        let lengths = |poly: &Poly| -> Vec<Atom> {
            let above = poly.terms().iter().filter(|(_, by)| *by > 0);
            let atoms = above.flat_map(|(atoms, _)| atoms.iter().copied());
            atoms.filter(|&atom| self.is_length_atom(atom)).collect()
        };
        let below = |poly: &Poly| -> Vec<Term> {
            poly.terms().iter().filter(|(atoms, by)| !atoms.is_empty() && *by < 0).cloned().collect()
        };
        let others = of_lengths(other);
        of_lengths(demand).iter().any(|poly| {
            let mut same = others.iter().filter(|other| lengths(other) == lengths(poly));
            same.any(|other| {
                let products = below(other);
                below(poly).iter().any(|(atoms, by)| {
                    products.iter().any(|(product, times)| times > by && is_factor_of(atoms, product))
                })
            })
        })
    }

    /// Returns true if the condition is that an address is at most something.
    fn bounds_address(&self, poly: &Poly) -> bool {
        let func = self.ranges.func;
        let is_pointer = |param: Param| func.params[param].pointer_align.is_some();
        let is_address = |&atom: &Atom| match self.atoms.data(atom) {
            AtomData::Param(param) => is_pointer(*param),
            AtomData::Uniform(value) => {
                matches!(func.def(*value), Some(InstData::Param { param }) if is_pointer(*param))
            }
            _ => false,
        };
        poly.terms().iter().any(|(atoms, by)| *by < 0 && atoms.iter().any(is_address))
    }

    /// Returns true if a length has to be at least a maximum that contains that length.
    fn is_circular(&self, poly: &Poly) -> bool {
        let names_greater = |length: Atom, atom: Atom| match self.atoms.data(atom) {
            AtomData::Greater(a, b) => {
                [a, b].iter().any(|part| part.terms().iter().any(|(atoms, _)| atoms.contains(&length)))
            }
            AtomData::Uniform(value) => self.is_maximum_of(*value, length),
            _ => false,
        };
        let of_sign = |is_positive: bool| {
            let terms = poly.terms().iter().filter(move |(_, by)| (*by > 0) == is_positive);
            terms.flat_map(|(atoms, _)| atoms.iter().copied())
        };
        of_sign(true)
            .filter(|&atom| self.is_length_atom(atom))
            .any(|length| of_sign(false).any(|atom| names_greater(length, atom)))
    }

    /// Returns true if a length has to be more than another one: `x[i + 1]` where `y[i]` has passed, or `x[i + j]` where `y[i]` and
    /// `y[j]` have. Buffers of equal lengths fail, which pass another demand.
    fn fails_for_equal_lengths(&self, poly: &Poly) -> bool {
        let is_length = |atoms: &[Atom]| matches!(atoms, &[atom] if self.is_length_atom(atom));
        let (lengths, rest): (Vec<_>, Vec<_>) = poly.terms().iter().partition(|(atoms, _)| is_length(atoms));
        let more: i128 = lengths.iter().map(|(_, by)| by).sum();
        let is_less = rest.iter().all(|(atoms, by)| if atoms.is_empty() { *by < FAR } else { *by < 0 });
        lengths.len() > 1 && is_less && (more < 0 || more == 0 && rest.iter().any(|(_, by)| *by < 0))
    }

    /// Returns true if instructions make a value as the maximum of this length and something.
    fn is_maximum_of(&self, value: Value, length: Atom) -> bool {
        let func = self.ranges.func;
        let is_length = |mut value: Value| {
            if let Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) = func.def(value) {
                value = arg;
            }
            matches!((func.def(value), self.atoms.data(length)),
                (Some(InstData::Param { param }), AtomData::Param(of)) if param == of)
        };
        match func.def(value) {
            Some(InstData::Binary { op: BinaryOp::UMax, args, .. }) => args.iter().any(|&arg| is_length(arg)),
            _ => false,
        }
    }

    /// Returns true if only problems of size zero or one meet the condition.
    fn contradicts(&self, poly: &Poly) -> bool {
        let [below, above] = [false, true].map(|sign| self.dimensions(poly, sign));
        below > above && (above > 0 || !self.has_number_above_one(poly)) || self.limits_length(poly)
    }

    /// Returns true if the length of a slice has to be at most a number smaller than what fits a type.
    fn limits_length(&self, poly: &Poly) -> bool {
        let (above, below): (Vec<_>, Vec<_>) = poly.terms().iter().partition(|(_, by)| *by > 0);
        !says_that_it_fits(poly)
            && above.iter().all(|(atoms, _)| atoms.is_empty())
            && below.iter().flat_map(|(atoms, _)| atoms).any(|&atom| self.is_length_atom(atom))
    }

    fn has_number_above_one(&self, poly: &Poly) -> bool {
        poly.terms().iter().any(|(atoms, by)| atoms.is_empty() && *by > 1)
    }

    fn pairs(&self, a: &[Bound], b: &[Bound]) -> Vec<(Bound, Bound)> {
        a.iter().flat_map(|a| b.iter().map(move |b| (a.clone(), b.clone()))).collect()
    }

    /// One bound for each pair.
    fn combine(
        &mut self,
        a: &[Bound],
        b: &[Bound],
        op: impl Fn(&mut Self, &Poly, &Poly) -> Option<Poly>,
    ) -> Vec<Bound> {
        let mut found = Vec::new();
        for (a, b) in self.pairs(a, b) {
            let Some(poly) = op(self, &a.poly, &b.poly) else { continue };
            found.extend(self.where_also(poly, Poly::default(), [a.conditions, b.conditions]));
        }
        found
    }

    /// Bounds that no other makes needless, the simplest first. One that is another and a size more says less in all but the smallest
    /// launches: twice a length beside the length.
    fn best(&self, mut found: Vec<Bound>) -> Vec<Bound> {
        found.sort_by_key(|bound| {
            let degree = degree(&bound.poly, true);
            let registers = self.atoms.launch_registers(&bound.poly).len();
            (self.is_far(&bound.poly, 1), registers, degree, bound.conditions.len(), self.size(&bound.poly))
        });
        let is_more = |more: &Poly| {
            self.atoms.never_negative(more) || adds_size(more) && !self.atoms.names_launch(more)
        };
        let is_below = |a: &Bound, b: &Bound| {
            a.conditions.iter().all(|condition| b.conditions.contains(condition))
                && b.poly.minus(&a.poly).is_some_and(|more| is_more(&more))
        };
        let mut kept: Vec<Bound> = Vec::new();
        for bound in found {
            if !kept.iter().any(|other| is_below(other, &bound)) {
                kept.retain(|other| !is_below(&bound, other));
                kept.push(bound);
            }
        }
        kept.truncate(MOST);
        kept
    }
}

/// Returns true for sizes, less a few elements.
fn adds_size(poly: &Poly) -> bool {
    poly.terms().iter().all(|(atoms, by)| if atoms.is_empty() { *by > -FEW } else { *by > 0 })
        && poly.terms().iter().any(|(atoms, _)| !atoms.is_empty())
}

/// Returns true if a polynomial is negative unless a product is zero: `2 - 3 * n`.
fn says_that_it_is_empty(poly: &Poly) -> bool {
    let (numbers, products): (Vec<_>, Vec<_>) = poly.terms().iter().partition(|(atoms, _)| atoms.is_empty());
    let number: i128 = numbers.iter().map(|(_, by)| by).sum();
    products.iter().all(|(_, by)| *by < 0) && products.iter().any(|(_, by)| number + by < 0)
}

/// Returns true if the product of a size with what registers hold has to be at most something: of a bound in the shape of the launch
/// there is another one, which launches meet.
fn multiplies_far(poly: &Poly) -> bool {
    poly.terms().iter().any(|(atoms, by)| !atoms.is_empty() && *by < -FAR)
}

/// Returns true if the condition is only that a number fits a type, or is exact as a float.
fn says_that_it_fits(poly: &Poly) -> bool {
    let number = poly.constant_term();
    number >= MOST_THAT_FITS || number == MOST_EXACT_F32
}

/// Polynomials none of which may be negative.
type Conditions = Vec<Poly>;

/// The bits of the loaded numbers, the widest of them, whose type gives a value its range, sums and products among those values; 0 if there
/// are none. One that is masked or shifted has the range that the source gives it.
fn loaded_bits(func: &Function, root: Value, depth: u32) -> u32 {
    let Some(depth) = depth.checked_sub(1) else { return 0 };
    let of = |arg| loaded_bits(func, arg, depth);
    match func.def(root) {
        Some(&InstData::Load { below: None, .. }) => func.ty(root).bits(),
        Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) => of(arg),
        Some(&InstData::Convert { op: ConvertOp::Truncate, arg }) => of(arg).min(func.ty(root).bits()),
        Some(&InstData::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl | BinaryOp::Or,
            args: [a, b],
            ..
        }) => of(a).max(of(b)),
        _ => 0,
    }
}

/// Returns true for a loaded number whose type alone bounds it, or one that a loop passes on, also divided by a constant, and for the sum of such a
/// one and a constant.
fn is_data(ranges: &Ranges<'_>, root: Value) -> bool {
    let func = ranges.func;
    match func.def(root) {
        Some(&InstData::Load { below: None, .. }) => true,
        Some(&InstData::Convert { op: ConvertOp::ZeroExtend | ConvertOp::Truncate, arg }) => {
            is_data(ranges, arg)
        }
        Some(&InstData::Binary {
            op: BinaryOp::LShr | BinaryOp::UDiv | BinaryOp::Add, args: [a, b], ..
        }) => func.constant(b).is_some() && is_data(ranges, a),
        Some(_) => false,
        None => {
            let (most, mask) = (ranges.of(root).hi, func.ty(root).mask());
            [mask, mask >> 1].iter().any(|width| (width.saturating_sub(FEW as u64)..=*width).contains(&most))
        }
    }
}

/// Returns true for the index of a block along y or z, or a part of it or of a thread's.
fn is_of_grid(func: &Function, root: Value) -> bool {
    match func.def(root) {
        Some(InstData::Special { register }) => {
            matches!(register, SpecialRegister::CtaidY | SpecialRegister::CtaidZ)
        }
        Some(&InstData::Convert { arg, .. }) => is_of_grid(func, arg),
        Some(&InstData::Binary {
            op: BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem | BinaryOp::LShr,
            args: [a, _],
            ..
        }) => is_of_grid(func, a) || is_of_thread(func, a),
        _ => false,
    }
}

/// Returns true for a thread's index along y or z, `block_idx().z * block_dim().z + thread_idx().z`, and for its first part.
fn is_of_thread(func: &Function, value: Value) -> bool {
    match func.def(value) {
        Some(&InstData::Convert { arg, .. }) => is_of_thread(func, arg),
        Some(&InstData::Binary { op: BinaryOp::Add, args: [first, _], .. }) => is_of_thread(func, first),
        Some(&InstData::Binary { op: BinaryOp::Mul | BinaryOp::Shl, args: [block, _], .. }) => {
            is_of_grid(func, block)
        }
        _ => false,
    }
}

fn reach(interval: Interval) -> Reach {
    (Some(interval.lo.into()), Some(interval.hi.into()))
}
