//! Polynomials over what is the same for all threads of a launch: the numbers that bounds are made of.

use std::cmp::Ordering;
use std::ops::Deref;

use crate::ir::{Function, Param, SpecialRegister, Value};

/// Something that has one value in a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(u32);

/// Meaning of an [`Atom`], as an exact number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtomData {
    /// The size of a block, a grid, or dynamic shared memory.
    Launch(SpecialRegister),
    /// The bits of a parameter of the kernel.
    Param(Param),
    /// A value that instructions make of those, and nothing else.
    Uniform(Value),
    /// The upper bound of an index made of floats.
    Float(FloatBound),
    /// A quotient, rounded down.
    Quotient(Poly, Poly),
    /// The greater of two.
    Greater(Poly, Poly),
}

/// An index that is made of floats, for the greatest of the integers that those are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatBound {
    /// The conversion to an integer.
    pub index: Value,
    /// The integers that differ between threads, with their upper bounds.
    pub leaves: Vec<(Value, Poly)>,
    /// Launch-uniform floats that are not negative where this is a bound.
    pub not_negative: Vec<Value>,
}

/// The atoms of one question, with the numbers that each lies between.
#[derive(Debug, Default)]
pub struct Atoms {
    known: Vec<(AtomData, Reach)>,
}

/// The least and the greatest number; none for one beyond 128 bits.
pub type Reach = (Option<i128>, Option<i128>);

impl Atoms {
    /// Meaning of an atom.
    pub fn data(&self, atom: Atom) -> &AtomData {
        &self.known[atom.0 as usize].0
    }

    /// Returns true if an atom is the length of a slice, or as large as one.
    pub fn is_length(&self, func: &Function, atom: Atom) -> bool {
        matches!(*self.data(atom), AtomData::Param(param) if func.is_length(param))
    }

    /// The atom for this, which lies between these numbers.
    pub(super) fn atom(&mut self, data: AtomData, reach: Reach) -> Atom {
        let known = self.known.iter().position(|(known, _)| *known == data);
        let index = known.unwrap_or_else(|| {
            self.known.push((data, reach));
            self.known.len() - 1
        });
        // So many more than a question has fuel for do not fit into memory.
        Atom(index as u32)
    }

    /// The numbers that a polynomial lies between.
    pub(super) fn reach(&self, poly: &Poly) -> Reach {
        let mut sum = (Some(0), Some(0));
        for (atoms, by) in &poly.terms {
            let term = scaled(self.reach_of_product(atoms), *by);
            sum = (checked_sum(sum.0, term.0), checked_sum(sum.1, term.1));
        }
        sum
    }

    /// The numbers that a product lies between: a quotient times its divisor is at most the dividend.
    fn reach_of_product(&self, atoms: &[Atom]) -> Reach {
        match atoms {
            [] => return (Some(1), Some(1)),
            [atom] => return self.known[atom.0 as usize].1,
            _ if !self.has_quotient(atoms) => return self.reach_of_factors(atoms),
            _ => {}
        }
        let mut rest = atoms.to_vec();
        let mut reach = (Some(1), Some(1));
        let quotient = |rest: &[Atom]| {
            rest.iter().enumerate().find_map(|(at, &atom)| {
                let AtomData::Quotient(dividend, divisor) = self.data(atom) else { return None };
                let of = rest.iter().position(|&other| *divisor == Poly::atom(other))?;
                let whole = self.reach(dividend);
                (at != of && is_at_least_zero(whole.0)).then_some((at.max(of), at.min(of), whole.1))
            })
        };
        while let Some((last, first, most)) = quotient(&rest) {
            rest.remove(last);
            rest.remove(first);
            reach = times(reach, (Some(0), most));
        }
        times(reach, self.reach_of_factors(&rest))
    }

    fn has_quotient(&self, atoms: &[Atom]) -> bool {
        atoms.iter().any(|&atom| matches!(self.data(atom), AtomData::Quotient(..)))
    }

    /// The numbers that a product lies between, by what each factor does.
    fn reach_of_factors(&self, atoms: &[Atom]) -> Reach {
        atoms.iter().fold((Some(1), Some(1)), |so_far, atom| times(so_far, self.known[atom.0 as usize].1))
    }

    /// Returns true if it is never below zero.
    pub fn never_negative(&self, poly: &Poly) -> bool {
        let is_it = |poly: &Poly| is_at_least_zero(self.reach(poly).0);
        is_it(poly) || self.with_dividends(poly).is_some_and(|less| is_it(&less))
    }

    /// A polynomial that is at most this one: the dividends are taken off in place of products of quotients and divisors that are numbers. Of
    /// `n - 2 * (n / 2)` it is 0.
    fn with_dividends(&self, poly: &Poly) -> Option<Poly> {
        let mut less = None;
        for (atoms, by) in poly.terms.iter().filter(|(_, by)| *by < 0) {
            let &[atom] = &atoms[..] else { continue };
            let AtomData::Quotient(dividend, divisor) = self.data(atom) else { continue };
            let divides = |number: &i128| *number > 0 && by % number == 0;
            let Some(number) = divisor.as_number().filter(divides) else { continue };
            if is_at_least_zero(self.reach(dividend).0) {
                let rest = dividend.minus(&Poly::atom(atom).times(&Poly::number(number))?)?;
                let change = rest.times(&Poly::number(by / number))?;
                less = Some(less.as_ref().unwrap_or(poly).plus(&change)?);
            }
        }
        less
    }

    /// Returns true if it is always below zero.
    pub fn always_negative(&self, poly: &Poly) -> bool {
        self.reach(poly).1.is_some_and(|hi| hi < 0)
    }

    /// Returns true if it is never below zero where the others are not.
    pub fn follows(&self, poly: &Poly, others: &[Poly]) -> bool {
        others.contains(poly)
            || self.never_negative(poly)
            || others.iter().any(|other| self.is_at_least(poly, other))
    }

    /// Returns true if the difference is never below zero.
    fn is_at_least(&self, poly: &Poly, other: &Poly) -> bool {
        let mut least = Some(0);
        let difference = poly.combined(other, true, |atoms, by| {
            least = checked_sum(least, scaled(self.reach_of_product(&atoms), by).0);
            least.map(|_| ())
        });
        let has_quotient = |poly: &Poly| poly.terms.iter().any(|(atoms, _)| self.has_quotient(atoms));
        difference.is_some() && is_at_least_zero(least)
            || (has_quotient(poly) || has_quotient(other))
                && poly.minus(other).is_some_and(|rest| self.never_negative(&rest))
    }

    /// The number that part of the shape of a launch is at most where this is not negative, if it says no more.
    pub fn limit(&self, poly: &Poly) -> Option<(SpecialRegister, u64)> {
        match self.limit_of_atom(poly)? {
            (&AtomData::Launch(register), most) => Some((register, most)),
            _ => None,
        }
    }

    /// The number that the bits of a parameter are at most where this is not negative, if it says no more.
    pub fn limit_of_param(&self, poly: &Poly) -> Option<(Param, u64)> {
        match self.limit_of_atom(poly)? {
            (&AtomData::Param(param), most) => Some((param, most)),
            _ => None,
        }
    }

    /// The parameter that is at least a number where this is not negative, if it says no more, and the number.
    pub fn least_of_param(&self, poly: &Poly) -> Option<(Param, u64)> {
        let [(none, number), (atoms, 1)] = &poly.terms[..] else { return None };
        let &[atom] = &atoms[..] else { return None };
        match *self.data(atom) {
            AtomData::Param(param) if none.is_empty() => Some((param, u64::try_from(-number).ok()?)),
            _ => None,
        }
    }

    /// The number that an atom is at most where this is not negative, if it says no more.
    fn limit_of_atom(&self, poly: &Poly) -> Option<(&AtomData, u64)> {
        let [(none, number), (atoms, by)] = &poly.terms[..] else { return None };
        match (&none[..], &atoms[..]) {
            ([], &[atom]) if *by < 0 && *number >= 0 => {
                Some((self.data(atom), u64::try_from(number / -by).ok()?))
            }
            _ => None,
        }
    }

    /// Returns true if the shape of the launch occurs in it.
    pub fn names_launch(&self, poly: &Poly) -> bool {
        !self.launch_registers(poly).is_empty()
    }

    /// The parts of the shape of the launch that occur in it.
    pub fn launch_registers(&self, poly: &Poly) -> Vec<SpecialRegister> {
        let mut found = Vec::new();
        self.add_launch_registers(poly, &mut found);
        found
    }

    fn add_launch_registers(&self, poly: &Poly, found: &mut Vec<SpecialRegister>) {
        for &atom in poly.terms.iter().flat_map(|(atoms, _)| atoms) {
            match self.data(atom) {
                AtomData::Launch(register) if found.contains(register) => {}
                AtomData::Launch(register) => found.push(*register),
                AtomData::Param(_) | AtomData::Uniform(_) => {}
                AtomData::Float(FloatBound { leaves, .. }) => {
                    leaves.iter().for_each(|(_, most)| self.add_launch_registers(most, found));
                }
                AtomData::Quotient(a, b) | AtomData::Greater(a, b) => {
                    [a, b].into_iter().for_each(|part| self.add_launch_registers(part, found));
                }
            }
        }
    }
}

fn checked_sum(a: Option<i128>, b: Option<i128>) -> Option<i128> {
    a?.checked_add(b?)
}

/// The numbers that a multiple lies between.
fn scaled((lo, hi): Reach, by: i128) -> Reach {
    let multiple = |end: Option<i128>| match by {
        1 => end,
        _ => end?.checked_mul(by),
    };
    if by < 0 { (multiple(hi), multiple(lo)) } else { (multiple(lo), multiple(hi)) }
}

/// The numbers that a product lies between.
fn times((a_lo, a_hi): Reach, (b_lo, b_hi): Reach) -> Reach {
    if is_at_least_zero(a_lo) && is_at_least_zero(b_lo) {
        let product = |a: Option<i128>, b: Option<i128>| a?.checked_mul(b?);
        return (product(a_lo, b_lo), product(a_hi, b_hi));
    }
    let corners = [(a_lo, b_lo), (a_lo, b_hi), (a_hi, b_lo), (a_hi, b_hi)];
    let products = corners.map(|(a, b)| a?.checked_mul(b?));
    match products {
        [Some(a), Some(b), Some(c), Some(d)] => (Some(a.min(b).min(c).min(d)), Some(a.max(b).max(c).max(d))),
        _ => (None, None),
    }
}

fn is_at_least_zero(number: Option<i128>) -> bool {
    number.is_some_and(|number| number >= 0)
}

/// A product of atoms, sorted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Product {
    factors: [Atom; 2 * MOST_FACTORS],
    count: usize,
}

impl Product {
    /// The product of these, which are sorted; none of more than two polynomials' terms have together.
    fn new(atoms: &[Atom]) -> Option<Product> {
        let mut product = Product { count: atoms.len(), ..Product::default() };
        product.factors.get_mut(..atoms.len())?.copy_from_slice(atoms);
        Some(product)
    }

    /// The product; none as for [`Product::new`].
    fn times(&self, other: &Product) -> Option<Product> {
        let mut atoms = [&self[..], other].concat();
        atoms.sort_unstable();
        Product::new(&atoms)
    }
}

impl Deref for Product {
    type Target = [Atom];

    fn deref(&self) -> &[Atom] {
        &self.factors[..self.count]
    }
}

impl<'p> IntoIterator for &'p Product {
    type Item = &'p Atom;
    type IntoIter = std::slice::Iter<'p, Atom>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Product {
    fn eq(&self, other: &Product) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Product {}

impl PartialOrd for Product {
    fn partial_cmp(&self, other: &Product) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Product {
    /// Lexicographic order.
    fn cmp(&self, other: &Product) -> Ordering {
        // Not that of slices: macros are compiled without optimisation, and then that is several times as slow.
        let mut at = 0;
        while at < self.count && at < other.count {
            let (a, b) = (self.factors[at].0, other.factors[at].0);
            if a != b {
                return a.cmp(&b);
            }
            at += 1;
        }
        self.count.cmp(&other.count)
    }
}

/// A product of atoms with its factor.
pub type Term = (Product, i128);

/// A sum of products of atoms, each with a factor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Poly {
    /// Sorted by products; no factor is zero.
    terms: Vec<Term>,
}

/// More terms than people read.
const MOST_TERMS: usize = 12;
/// More factors than indices of arrays have dimensions.
const MOST_FACTORS: usize = 5;

impl Poly {
    /// A number.
    pub fn number(number: i128) -> Poly {
        let terms = if number == 0 { Vec::new() } else { vec![(Product::default(), number)] };
        Poly { terms }
    }

    /// An atom.
    pub fn atom(atom: Atom) -> Poly {
        let mut product = Product { count: 1, ..Product::default() };
        product.factors[0] = atom;
        Poly { terms: vec![(product, 1)] }
    }

    /// The number that it is, if it is one.
    pub fn as_number(&self) -> Option<i128> {
        match &self.terms[..] {
            [] => Some(0),
            [(atoms, number)] if atoms.is_empty() => Some(*number),
            _ => None,
        }
    }

    /// The term without atoms, zero if there is none.
    pub fn constant_term(&self) -> i128 {
        self.terms().iter().find(|(atoms, _)| atoms.is_empty()).map_or(0, |(_, by)| *by)
    }

    /// The products of atoms with their factors, the number alone first.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The sum; none if it is too large to deal with, as for the others.
    pub fn plus(&self, other: &Poly) -> Option<Poly> {
        self.combine(other, false)
    }

    /// The difference.
    pub fn minus(&self, other: &Poly) -> Option<Poly> {
        self.combine(other, true)
    }

    fn combine(&self, other: &Poly, subtracts: bool) -> Option<Poly> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        self.combined(other, subtracts, |atoms, by| {
            terms.push((atoms, by));
            Some(())
        })?;
        Some(Poly { terms })
    }

    /// Calls `each` for the terms of the sum or difference, in their order, until it returns none; none then, too.
    fn combined(
        &self,
        other: &Poly,
        subtracts: bool,
        mut each: impl FnMut(Product, i128) -> Option<()>,
    ) -> Option<()> {
        let (mut ours, mut others) = (&self.terms[..], &other.terms[..]);
        let mut count = 0;
        loop {
            let order = match (ours.first(), others.first()) {
                (None, None) => return Some(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let (mut atoms, mut sum) = (Product::default(), 0i128);
            if order != Ordering::Greater {
                (atoms, sum) = ours[0];
                ours = &ours[1..];
            }
            if order != Ordering::Less {
                let by;
                (atoms, by) = others[0];
                sum = if subtracts { sum.checked_sub(by)? } else { sum.checked_add(by)? };
                others = &others[1..];
            }
            if sum != 0 {
                count += 1;
                if count > MOST_TERMS {
                    return None;
                }
                each(atoms, sum)?;
            }
        }
    }

    /// The sum with a number.
    pub fn plus_number(&self, number: i128) -> Option<Poly> {
        self.plus(&Poly::number(number))
    }

    /// The product.
    pub fn times(&self, other: &Poly) -> Option<Poly> {
        let mut product = Poly::default();
        for (a, a_by) in &self.terms {
            for (b, b_by) in &other.terms {
                product.add(a.times(b)?, a_by.checked_mul(*b_by)?)?;
            }
        }
        let small = product.terms.iter().all(|(atoms, _)| atoms.len() <= MOST_FACTORS);
        (small && product.terms.len() <= MOST_TERMS).then_some(product)
    }

    /// The quotient, if there is no remainder: division of polynomials by their leading terms, in graded lexicographic order.
    pub(super) fn divided_by(&self, other: &Poly) -> Option<Poly> {
        let leading = |poly: &Poly| poly.terms.iter().max_by_key(|(atoms, _)| (atoms.len(), *atoms)).copied();
        let (divisor, by) = leading(other)?;
        let mut quotient = Poly::default();
        let mut rest = self.clone();
        while let Some((atoms, factor)) = leading(&rest) {
            let mut atoms = atoms.to_vec();
            for atom in &divisor {
                let at = atoms.iter().position(|other| other == atom)?;
                atoms.remove(at);
            }
            if factor % by != 0 || quotient.terms.len() == MOST_TERMS {
                return None;
            }
            let term = Poly { terms: vec![(Product::new(&atoms)?, factor / by)] };
            rest = rest.minus(&other.times(&term)?)?;
            quotient = quotient.plus(&term)?;
        }
        Some(quotient)
    }

    /// The quotient by a number that divides each factor.
    pub(super) fn divided(mut self, by: i128) -> Poly {
        self.terms.iter_mut().for_each(|(_, factor)| *factor /= by);
        self
    }

    fn add(&mut self, atoms: Product, by: i128) -> Option<()> {
        match self.terms.binary_search_by(|(known, _)| known.cmp(&atoms)) {
            Ok(index) => {
                let sum = self.terms[index].1.checked_add(by)?;
                match sum {
                    0 => drop(self.terms.remove(index)),
                    sum => self.terms[index].1 = sum,
                }
            }
            Err(_) if by == 0 => {}
            Err(index) => self.terms.insert(index, (atoms, by)),
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ir::Entity;

    /// Number of atoms of the tests.
    const ATOMS: usize = 3;

    /// Atoms that lie between 0 and 10, as other parameters of a kernel each.
    fn atoms() -> Atoms {
        let mut atoms = Atoms::default();
        for index in 0..ATOMS {
            atoms.atom(AtomData::Param(Param::from_index(index)), (Some(0), Some(10)));
        }
        atoms
    }

    /// The value where the atoms have these.
    fn value(poly: &Poly, of: &[i128; ATOMS]) -> i128 {
        let product = |atoms: &Product| atoms.iter().map(|atom| of[atom.0 as usize]).product::<i128>();
        poly.terms.iter().map(|(atoms, by)| product(atoms) * by).sum()
    }

    fn polys() -> impl Strategy<Value = Poly> {
        let term = (prop::collection::vec(0..ATOMS as u32, 0..3), -4..5i128);
        prop::collection::vec(term, 0..4).prop_map(|terms| {
            let mut poly = Poly::default();
            for (mut atoms, by) in terms {
                atoms.sort_unstable();
                let atoms: Vec<Atom> = atoms.into_iter().map(Atom).collect();
                poly.add(Product::new(&atoms).unwrap(), by).unwrap();
            }
            poly
        })
    }

    fn is_normal(poly: &Poly) -> bool {
        poly.terms.is_sorted_by(|(a, _), (b, _)| a < b) && poly.terms.iter().all(|(_, by)| *by != 0)
    }

    proptest! {
        #[test]
        fn arithmetic_is_that_of_the_values(a in polys(), b in polys(), of in prop::array::uniform3(0..11i128)) {
            let (sum, difference, product) = (a.plus(&b).unwrap(), a.minus(&b).unwrap(), a.times(&b));
            prop_assert_eq!(value(&sum, &of), value(&a, &of) + value(&b, &of));
            prop_assert_eq!(value(&difference, &of), value(&a, &of) - value(&b, &of));
            prop_assert!(is_normal(&sum) && is_normal(&difference));
            prop_assert_eq!(difference.plus(&b), Some(a.clone()));
            if let Some(product) = product {
                prop_assert_eq!(value(&product, &of), value(&a, &of) * value(&b, &of));
                prop_assert!(is_normal(&product));
                if b != Poly::default() {
                    prop_assert_eq!(product.divided_by(&b), Some(a));
                }
            }
        }

        #[test]
        fn values_are_within_reach(a in polys(), b in polys(), of in prop::array::uniform3(0..11i128)) {
            let atoms = atoms();
            let (least, most) = atoms.reach(&a);
            prop_assert!(least.unwrap() <= value(&a, &of) && value(&a, &of) <= most.unwrap());
            prop_assert_eq!(atoms.is_at_least(&a, &b), atoms.never_negative(&a.minus(&b).unwrap()));
            if atoms.follows(&a, std::slice::from_ref(&b)) && value(&b, &of) >= 0 {
                prop_assert!(value(&a, &of) >= 0);
            }
        }

        #[test]
        fn products_are_in_the_order_of_their_atoms(a in prop::collection::vec(0..4u32, 0..5), b in prop::collection::vec(0..4u32, 0..5)) {
            let product = |atoms: &[u32]| Product::new(&atoms.iter().copied().map(Atom).collect::<Vec<_>>()).unwrap();
            prop_assert_eq!(product(&a).cmp(&product(&b)), a.cmp(&b));
        }
    }

    #[test]
    fn sums_of_too_many_terms_are_none() {
        let many = |from: u32| Poly {
            terms: (from..from + 7).map(|at| (Product::new(&[Atom(at)]).unwrap(), 1)).collect(),
        };
        assert!(many(0).plus(&many(5)).is_some());
        assert!(many(0).plus(&many(6)).is_none());
        assert!(Product::new(&[Atom(0); 2 * MOST_FACTORS + 1]).is_none());
    }
}
