//! Polynomials over what is the same for all threads of a launch: the numbers that bounds are made of.

use crate::ir::{Param, SpecialRegister, Value};

/// Something that has one value in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(usize);

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
        &self.known[atom.0].0
    }

    /// The atom for this, which lies between these numbers.
    pub(super) fn atom(&mut self, data: AtomData, reach: Reach) -> Atom {
        let known = self.known.iter().position(|(known, _)| *known == data);
        Atom(known.unwrap_or_else(|| {
            self.known.push((data, reach));
            self.known.len() - 1
        }))
    }

    /// The numbers that a polynomial lies between.
    pub(super) fn reach(&self, poly: &Poly) -> Reach {
        let mut sum = (Some(0), Some(0));
        for (atoms, by) in &poly.terms {
            let (lo, hi) = times((Some(*by), Some(*by)), self.reach_of_product(atoms));
            let add = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
            sum = (add(sum.0, lo), add(sum.1, hi));
        }
        sum
    }

    /// The numbers that a product lies between: a quotient times its divisor is at most the dividend.
    fn reach_of_product(&self, atoms: &[Atom]) -> Reach {
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
        rest.iter().fold(reach, |so_far, atom| times(so_far, self.known[atom.0].1))
    }

    /// Returns true if it is never below zero.
    pub fn never_negative(&self, poly: &Poly) -> bool {
        self.reach(poly).0.is_some_and(|lo| lo >= 0)
    }

    /// Returns true if it is always below zero.
    pub fn always_negative(&self, poly: &Poly) -> bool {
        self.reach(poly).1.is_some_and(|hi| hi < 0)
    }

    /// Returns true if it is never below zero where the others are not.
    pub fn follows(&self, poly: &Poly, others: &[Poly]) -> bool {
        let above = |other: &Poly| poly.minus(other).is_some_and(|rest| self.never_negative(&rest));
        self.never_negative(poly) || others.iter().any(above)
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

/// The numbers that a product lies between.
fn times((a_lo, a_hi): Reach, (b_lo, b_hi): Reach) -> Reach {
    let corners = [(a_lo, b_lo), (a_lo, b_hi), (a_hi, b_lo), (a_hi, b_hi)];
    let products = corners.map(|(a, b)| a?.checked_mul(b?));
    match products {
        [Some(a), Some(b), Some(c), Some(d)] => (Some(a.min(b).min(c).min(d)), Some(a.max(b).max(c).max(d))),
        _ if is_at_least_zero(a_lo) && is_at_least_zero(b_lo) => (products[0], products[3]),
        _ => (None, None),
    }
}

fn is_at_least_zero(number: Option<i128>) -> bool {
    number.is_some_and(|number| number >= 0)
}

/// A sum of products of atoms, each with a factor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Poly {
    /// Sorted by atoms, which are sorted too; no factor is zero.
    terms: Vec<(Vec<Atom>, i128)>,
}

/// More terms than people read.
const MOST_TERMS: usize = 12;
/// More factors than indices of arrays have dimensions.
const MOST_FACTORS: usize = 5;

impl Poly {
    /// A number.
    pub fn number(number: i128) -> Poly {
        let terms = if number == 0 { Vec::new() } else { vec![(Vec::new(), number)] };
        Poly { terms }
    }

    /// An atom.
    pub fn atom(atom: Atom) -> Poly {
        Poly { terms: vec![(vec![atom], 1)] }
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
    pub fn terms(&self) -> &[(Vec<Atom>, i128)] {
        &self.terms
    }

    /// The sum; none if it is too large to deal with, as for the others.
    pub fn plus(&self, other: &Poly) -> Option<Poly> {
        let mut sum = self.clone();
        other.terms.iter().try_for_each(|(atoms, by)| sum.add(atoms, *by))?;
        (sum.terms.len() <= MOST_TERMS).then_some(sum)
    }

    /// The difference.
    pub fn minus(&self, other: &Poly) -> Option<Poly> {
        let mut sum = self.clone();
        other.terms.iter().try_for_each(|(atoms, by)| sum.add(atoms, by.checked_neg()?))?;
        (sum.terms.len() <= MOST_TERMS).then_some(sum)
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
                let mut atoms = [&a[..], b].concat();
                atoms.sort_unstable();
                product.add(&atoms, a_by.checked_mul(*b_by)?)?;
            }
        }
        let small = product.terms.iter().all(|(atoms, _)| atoms.len() <= MOST_FACTORS);
        (small && product.terms.len() <= MOST_TERMS).then_some(product)
    }

    /// The quotient, if there is no remainder: division of polynomials by their leading terms, in graded lexicographic order.
    pub(super) fn divided_by(&self, other: &Poly) -> Option<Poly> {
        let leading =
            |poly: &Poly| poly.terms.iter().max_by_key(|(atoms, _)| (atoms.len(), atoms.clone())).cloned();
        let (divisor, by) = leading(other)?;
        let mut quotient = Poly::default();
        let mut rest = self.clone();
        while let Some((mut atoms, factor)) = leading(&rest) {
            for atom in &divisor {
                let at = atoms.iter().position(|other| other == atom)?;
                atoms.remove(at);
            }
            if factor % by != 0 || quotient.terms.len() == MOST_TERMS {
                return None;
            }
            let term = Poly { terms: vec![(atoms, factor / by)] };
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

    fn add(&mut self, atoms: &[Atom], by: i128) -> Option<()> {
        match self.terms.binary_search_by(|(known, _)| known.as_slice().cmp(atoms)) {
            Ok(index) => {
                let sum = self.terms[index].1.checked_add(by)?;
                match sum {
                    0 => drop(self.terms.remove(index)),
                    sum => self.terms[index].1 = sum,
                }
            }
            Err(_) if by == 0 => {}
            Err(index) => self.terms.insert(index, (atoms.to_vec(), by)),
        }
        Some(())
    }
}
