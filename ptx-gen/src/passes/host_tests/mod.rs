//! Launch guards: conditions on a launch under which a check never fails, tested by the host, and the clone of the kernel without
//! such checks.
//!
//! A check that depends on the threads only by values that are bounded over a launch (an index below `rows * cols`,
//! where the branches that dominate say so) cannot fail where that bound is not above the length: a *launch guard* over
//! lengths, scalar parameters and the shape of the launch. The bounds are those of the [ranges](crate::analysis::Ranges), and
//! no other guards are made: a check goes only with those that its proof needs. A check that passed may prove the next one, here as
//! in the kernel itself, because in a launch where the guards hold none of the checks before it would have failed.

mod early;
mod indices;
mod write;

use std::collections::HashSet;

use crate::analysis::{Atom, AtomData, Atoms, Demand, DomTree, Poly, Ranges};
use crate::host_test::HostTest;
use crate::ir::{
    BinaryOp, Block, BlockCall, ConvertOp, EntityMap, Function, Inst, InstData, PanicKind, PanicSiteData,
    Param, RemarkKind, SourceLoc, SpecialRegister, Type, Value, ValueDef,
};
use crate::passes::checks::remark_proved;
use crate::passes::float_indices::narrow;
use crate::passes::{dce::eliminate_dead_code, gvn::number_values, simplify_cfg::simplify_cfg};
use early::EarlyLoad;
use indices::LowIndex;
use kernel_abi::guard::HostOp;
use write::Writer;

/// Drops the demands that imply another one that is enough, given the demands without an alternative. Returns the
/// latter.
fn simplify(open: &mut [Open], atoms: &Atoms) -> Vec<Poly> {
    loop {
        let certain: Vec<Poly> =
            open.iter().filter_map(Open::single).flat_map(|demand| demand.not_negative.clone()).collect();
        let mut changed = false;
        for Open { demands, .. } in open.iter_mut() {
            let implies = |strong: &Demand, weak: &Demand| {
                weak.truths.iter().all(|truth| strong.truths.contains(truth))
                    && weak.not_negative.iter().all(|poly| {
                        let with = strong.not_negative.iter().filter_map(|other| poly.minus(other));
                        atoms.follows(poly, &certain)
                            || with.into_iter().any(|rest| atoms.follows(&rest, &certain))
                    })
            };
            let needless = (0..demands.len()).find(|&strong| {
                (0..demands.len()).any(|weak| weak != strong && implies(&demands[strong], &demands[weak]))
            });
            if let Some(needless) = needless {
                demands.remove(needless);
                changed = true;
            }
        }
        if !changed {
            return certain;
        }
    }
}

/// The conditions that no other one implies, with their tests, at the places of the checks that they are for.
fn strongest(certain: &[Poly], open: &[Open], writer: &Writer<'_>, atoms: &Atoms) -> Vec<(Poly, HostTest)> {
    let mut strongest: Vec<&Poly> = Vec::new();
    for poly in certain {
        if !strongest.iter().any(|&other| atoms.follows(poly, std::slice::from_ref(other))) {
            strongest.retain(|&other| !atoms.follows(other, std::slice::from_ref(poly)));
            strongest.push(poly);
        }
    }
    let tests = strongest.into_iter().flat_map(|poly| {
        let is_for = |open: &&Open| open.single().is_some_and(|demand| demand.not_negative.contains(poly));
        let location = open.iter().find(is_for).map(|open| open.location).unwrap_or_default();
        let demand = Demand { not_negative: vec![poly.clone()], truths: Vec::new() };
        writer.each(&demand, location).into_iter().map(|test| (poly.clone(), test))
    });
    tests.collect()
}

/// Drops demands that no launch meets beside another check's, and takes ones on the number of threads where there is no other: of
/// `y[i] = x[i]` and `x[i + 1] = y[i]` the second would have `y.len() + 1 <= x.len()`, where the first has `x.len() <= y.len()`.
fn resolve_contradictions(open: &mut [Open], ranges: &Ranges<'_>, atoms: &mut Atoms) {
    let certain: Vec<Poly> =
        open.iter().filter_map(Open::single).flat_map(|demand| demand.not_negative.clone()).collect();
    for Open { demands, cond: (cond, truth, block), .. } in open {
        let contradicts = |demand: &Demand| {
            let both = |a: &Poly, b: &Poly| a.plus(b).is_some_and(|sum| atoms.always_negative(&sum));
            demand.not_negative.iter().any(|poly| certain.iter().any(|other| both(poly, other)))
        };
        if !demands.iter().all(&contradicts) {
            demands.retain(|demand| !contradicts(demand));
            continue;
        }
        let others = ranges.demands_on_threads(atoms, *cond, *truth, *block);
        if !others.is_empty() {
            *demands = others;
        }
    }
}

/// Takes demands on the number of threads of a check that would have its buffer a few elements longer than another one, where the check of that one
/// demands as much of the number of threads: a block that copies a tile of `x`, element `tile + k` with `k` from its thread on by steps of 64, has
/// passed the check of the last step, so that the same elements of `y` are below `x.len() + 63`.
fn resolve_lengths_by_threads(open: &mut [Open], ranges: &Ranges<'_>, atoms: &mut Atoms, func: &Function) {
    let length = |poly: &Poly, sign: i128, atoms: &Atoms| {
        let mut lengths = poly.terms().iter().filter_map(|(own, by)| match own[..] {
            [atom] if *by == sign && atoms.is_length(func, atom) => Some(atom),
            _ => None,
        });
        lengths.next().filter(|_| lengths.next().is_none())
    };
    let of_threads: Vec<(Atom, Poly)> = open
        .iter()
        .filter_map(Open::single)
        .flat_map(|demand| &demand.not_negative)
        .filter(|poly| !atoms.launch_registers(poly).is_empty() && length(poly, -1, atoms).is_none())
        .filter_map(|poly| Some((length(poly, 1, atoms)?, poly.clone())))
        .collect();
    for Open { demands, cond: (cond, truth, block), .. } in open {
        let [Demand { not_negative, .. }] = &demands[..] else { continue };
        let longer = not_negative.iter().find_map(|poly| {
            let lengths = Some((length(poly, 1, atoms)?, length(poly, -1, atoms)?));
            lengths.filter(|_| poly.terms().len() == 3 && poly.constant_term() < 0)
        });
        let Some((longer, than)) = longer else { continue };
        let known: Vec<&Poly> =
            of_threads.iter().filter(|(of, _)| *of == than).map(|(_, poly)| poly).collect();
        if known.is_empty() {
            continue;
        }
        let others = ranges.demands_on_threads(atoms, *cond, *truth, *block);
        let is_enough = |demand: &&Demand| {
            demand.not_negative.iter().all(|poly| {
                let of_other = Poly::atom(longer).minus(&Poly::atom(than)).and_then(|less| poly.minus(&less));
                length(poly, 1, atoms) == Some(longer)
                    && of_other.is_some_and(|poly| {
                        known.iter().any(|&known| atoms.follows(&poly, std::slice::from_ref(known)))
                    })
            })
        };
        if let Some(demand) = others.iter().find(is_enough) {
            *demands = vec![demand.clone()];
        }
    }
}

/// Leaves out checks of an element a little further on than that of another check before, if only some threads access it, by what their index
/// is made of: the branch is there because the buffer may end before. Of `if shift + bits > 32 { x[word + 1] }` behind `x[word]` the
/// check is made where the access is.
fn leave_conditional(open: &mut Vec<Open>, ranges: &Ranges<'_>, func: &Function) {
    let tree = DomTree::new(ranges.cfg());
    let is_conditional = |from: Block, Open { cond: (cond, _, block), .. }: &Open| {
        let index = leaves(func, ranges, *cond);
        let mut block = *block;
        while let Some(before) = tree.idom(block).filter(|_| block != from) {
            if let Some(InstData::Branch { cond, if_true, if_false, .. }) =
                func.terminator(before).map(|inst| &func.insts[inst])
                && [if_true, if_false].iter().all(|side| check(func, side.block).is_none())
                && ranges.cfg().predecessors(block) == [before]
                && leaves(func, ranges, *cond).intersection(&index).next().is_some()
            {
                return true;
            }
            block = before;
        }
        false
    };
    let is_left: Vec<bool> = open
        .iter()
        .map(|it| {
            open.iter().any(|other| {
                tree.strictly_dominates(other.cond.2, it.cond.2)
                    && demands_few_more(it, other)
                    && is_conditional(other.cond.2, it)
            })
        })
        .collect();
    let mut is_left = is_left.into_iter();
    open.retain(|_| is_left.next() == Some(false));
}

/// Leaves out checks of an index that a branch about data bounds, if what the launch knows of it is more than a buffer of exactly the size may
/// have: of `if k < counts[row] { x[row * stride + k] }` in blocks of 32 threads, that the last row has 32 elements, whatever `stride` is. The
/// version with all checks would run in most launches.
fn leave_bounded_by_data(open: &mut Vec<Open>, ranges: &Ranges<'_>, atoms: &Atoms, func: &Function) {
    let tree = DomTree::new(ranges.cfg());
    let compares_with_data = |cond: Value, index: &HashSet<Value>| {
        let compares = parts(func, cond).into_iter().filter_map(|part| match func.def(part) {
            Some(&InstData::IntCompare { args, .. }) => Some(args),
            _ => None,
        });
        let is_of_index = |value| {
            let is_one = |part: Value| {
                let is_counted_with = |&other: &Value| match (func.values[part].def, func.values[other].def) {
                    // One of the counters of the loop that the branch ends.
                    (ValueDef::Param(block), ValueDef::Param(other)) => block == other,
                    _ => false,
                };
                index.contains(&part) || index.iter().any(is_counted_with)
            };
            parts(func, value).into_iter().any(|part| !ranges.is_uniform(part) && is_one(part))
        };
        let is_data = |value| {
            let is_load = |&part: &Value| matches!(func.def(part), Some(InstData::Load { .. }));
            parts(func, value).iter().any(is_load)
        };
        compares.into_iter().any(|[a, b]| {
            is_of_index(a) && is_data(b) && !is_data(a) || is_of_index(b) && is_data(a) && !is_data(b)
        })
    };
    let is_bounded_by_data = |Open { cond: (cond, _, at), .. }: &Open| {
        let index = parts(func, *cond);
        let mut block = *at;
        while let Some(before) = tree.idom(block) {
            if let Some(InstData::Branch { cond, if_true, if_false, .. }) =
                func.terminator(before).map(|inst| &func.insts[inst])
                && [if_true, if_false].iter().all(|side| check(func, side.block).is_none())
                && compares_with_data(*cond, &index)
            {
                return true;
            }
            block = before;
        }
        false
    };
    let asks_for_more = |open: &Open| {
        open.single()
            .is_some_and(|demand| demand.not_negative.iter().any(|poly| may_miss_exactly(poly, atoms)))
    };
    open.retain(|open| !(asks_for_more(open) && is_bounded_by_data(open)));
}

/// Returns true if a buffer whose length is the largest product that is demanded of it may be too short or long enough: by what the sizes are to
/// each other.
fn may_miss_exactly(poly: &Poly, atoms: &Atoms) -> bool {
    let terms = poly.terms();
    // It occurs nowhere else.
    let length = terms.iter().enumerate().find_map(|(at, (own, by))| match &own[..] {
        &[atom] if *by == 1 => {
            let mut others = terms.iter().enumerate().filter(|&(other, _)| other != at);
            (!others.any(|(_, (other, _))| other.contains(&atom))).then_some(atom)
        }
        _ => None,
    });
    let products = terms.iter().filter(|(own, by)| *by < 0 && own.len() > 1);
    let largest = products.max_by_key(|(own, _)| own.len());
    let product = largest.and_then(|(own, by)| {
        own.iter().try_fold(Poly::number(-by), |product, &atom| product.times(&Poly::atom(atom)))
    });
    let length = length.map(Poly::atom);
    let rest = length.zip(product).and_then(|(length, product)| poly.minus(&length)?.plus(&product));
    rest.is_some_and(|rest| !atoms.never_negative(&rest) && !atoms.always_negative(&rest))
}

/// Returns true if buffers of exactly the size that a launch indexes may fail the guards of a check: those that compare sizes with each other, or a
/// length with a number that bounds data.
fn is_doubtful(open: &Open, atoms: &Atoms, func: &Function) -> bool {
    let is_length = |own: &[Atom]| matches!(own, &[atom] if atoms.is_length(func, atom));
    let compares_sizes = |poly: &Poly| {
        let has_sign =
            |sign: i128| poly.terms().iter().any(|(own, by)| !own.is_empty() && by.signum() == sign);
        let names_length = poly.terms().iter().any(|(own, by)| *by > 0 && is_length(own));
        !names_length && has_sign(1) && has_sign(-1)
    };
    let is_number_of_elements = |poly: &Poly| match poly.terms() {
        [(number, by), (length, 1)] | [(length, 1), (number, by)] if number.is_empty() => {
            *by < -1 && is_length(length)
        }
        _ => false,
    };
    let is_data = || {
        let is_load = |&part: &Value| matches!(func.def(part), Some(InstData::Load { .. }));
        parts(func, open.cond.0).iter().any(is_load)
    };
    !open.demands.is_empty()
        && open.demands.iter().all(|demand| {
            demand.not_negative.iter().any(|poly| {
                may_miss_exactly(poly, atoms)
                    || compares_sizes(poly)
                    || is_number_of_elements(poly) && is_data()
            })
        })
}

/// The values that arithmetic makes a value of, itself among them.
fn parts(func: &Function, value: Value) -> HashSet<Value> {
    let (mut parts, mut rest) = (HashSet::new(), vec![value]);
    while let Some(value) = rest.pop() {
        if !parts.insert(value) {
            continue;
        }
        if let Some(
            data @ (InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Convert { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }),
        ) = func.def(value)
        {
            data.visit_args(|arg| rest.push(arg));
        }
    }
    parts
}

/// Returns true if a check demands a few elements more than another.
fn demands_few_more(open: &Open, than: &Open) -> bool {
    const FEW: i128 = 64;
    let (Some(demand), Some(than)) = (open.single(), than.single()) else { return false };
    let number = |poly: &Poly| match poly.terms() {
        [(atoms, by)] if atoms.is_empty() => Some(*by),
        _ => None,
    };
    // Of the length of a buffer.
    let names_length = |poly: &Poly| poly.terms().iter().any(|(atoms, by)| !atoms.is_empty() && *by > 0);
    demand.not_negative.iter().filter(|poly| names_length(poly)).any(|poly| {
        let less = than.not_negative.iter().filter_map(|other| number(&other.minus(poly)?));
        less.into_iter().any(|less| (1..FEW).contains(&less))
    })
}

/// The values that differ between threads and that a value is computed from, but for those that loops count: their tests say where they
/// end, not where a buffer does.
fn leaves(func: &Function, ranges: &Ranges<'_>, value: Value) -> HashSet<Value> {
    let (mut leaves, mut seen, mut rest) = (HashSet::new(), HashSet::new(), vec![value]);
    while let Some(value) = rest.pop() {
        if !seen.insert(value) || ranges.is_uniform(value) {
            continue;
        }
        match func.def(value) {
            Some(
                data @ (InstData::Unary { .. }
                | InstData::Binary { .. }
                | InstData::Convert { .. }
                | InstData::Select { .. }
                | InstData::IntCompare { .. }),
            ) => data.visit_args(|arg| rest.push(arg)),
            Some(_) => {
                leaves.insert(value);
            }
            None => {}
        }
    }
    leaves
}

/// More tests than a launch shall make.
pub const MOST_TESTS: usize = 32;

/// The end of the name of the entry without checks.
pub const SUFFIX: &str = "__check_free";

/// The end of the name of the entry with those checks whose guards buffers of exactly the size may fail.
pub const PARTLY_CHECKED: &str = "__partly_checked";

/// A check of the source.
pub type Check = (SourceLoc, PanicKind);

/// The checks that are left in a function once it is described.
pub fn left(func: &Function) -> HashSet<Check> {
    let left = func.remarks.iter().filter_map(|remark| match remark.kind {
        RemarkKind::CheckLeft { check, .. } => Some((remark.location, check)),
        _ => None,
    });
    left.collect()
}

/// Results for the checks of a function.
#[derive(Debug, Default)]
pub struct Found {
    /// Checks that cannot fail in any launch.
    proved: Vec<Decided>,
    /// Checks that the passes prove anyway, but maybe by checks that are removed.
    known: Vec<Decided>,
    /// Some guards are [doubtful](is_doubtful).
    pub has_doubtful: bool,
    /// Checks that cannot fail where guards hold, with the texts of their guards.
    tested: Vec<(Decided, String)>,
    tests: Vec<HostTest>,
    /// The guards among them that limit the threads of a block along an axis.
    blocks: Vec<BlockLimit>,
    /// Parameters of which the guards say no more than that they are at most a number.
    params: Vec<(Param, u64)>,
    /// Parameters of which the guards say that they are at least a number.
    least: Vec<(Param, u64)>,
    /// Floats that become indices of 64 bits and are below 2³¹ where the tests hold.
    floats: Vec<Value>,
    /// Divisions of 64 bits, of numbers that are below 2³² where the tests hold.
    divisions: Vec<(Block, Inst)>,
    /// Sums and products of 64 bits that are compared, and are below 2³² where the tests hold.
    sums: Vec<(Block, Inst)>,
    /// Indices of 64 bits that are below a length of 32 where a check has passed.
    low: Vec<LowIndex>,
    /// Loads that may be made in front of checks of data.
    early: Vec<EarlyLoad>,
}

/// A guard that a block has at most so many threads along an axis.
#[derive(Clone, Debug)]
struct BlockLimit {
    axis: usize,
    most: u32,
    test: HostTest,
}

/// A branch that is none any more.
#[derive(Clone, Debug)]
struct Decided {
    inst: Inst,
    /// Target that is always taken.
    target: BlockCall,
    /// Target that is never taken.
    panics: Block,
}

/// A check, and what each is enough for it not to fail.
struct Open {
    decided: Decided,
    location: SourceLoc,
    demands: Vec<Demand>,
    /// The condition, what it has to be, and the block that branches by it.
    cond: (Value, bool, Block),
}

impl Open {
    /// The demand, if there is only one.
    fn single(&self) -> Option<&Demand> {
        match &self.demands[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// Operations by which the host computes a launch-uniform value, a function of parameters and the shape of the launch, and its text;
/// none if they are too long.
pub fn uniform_program(func: &Function, value: Value) -> Option<(Vec<HostOp>, String)> {
    let atoms = Atoms::default();
    Writer::new(func, &atoms).uniform(value)
}

/// Treatment of the checks whose guards are [doubtful](is_doubtful).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubtful {
    /// The guards are made, as all others are.
    Tested,
    /// The checks are left.
    Left,
}

/// Searches for the proofs and the guards of these checks of a function.
pub fn find(func: &Function, left: &HashSet<Check>, doubtful: Doubtful) -> Found {
    let mut found = Found::default();
    let mut atoms = Atoms::default();
    let ranges = Ranges::new(func);
    let mut open = Vec::new();
    for &block in func.layout.iter().filter(|&&block| ranges.cfg().is_reachable(block)) {
        let Some(inst) = func.terminator(block) else { continue };
        let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[inst] else { continue };
        let (truth, target, panics) = match (check(func, if_true.block), check(func, if_false.block)) {
            (None, Some(_)) => (true, if_true, if_false.block),
            (Some(_), None) => (false, if_false, if_true.block),
            (None, None) | (Some(_), Some(_)) => continue,
        };
        let decided = Decided { inst, target: target.clone(), panics };
        if !check(func, panics).is_some_and(|check| left.contains(&check)) {
            if ranges.proves_that(*cond, truth, block) {
                found.known.push(decided);
            }
            continue;
        }
        let demands = ranges.demands(&mut atoms, *cond, truth, block);
        match &demands[..] {
            [] => {}
            [demand] if demand.is_nothing() => found.proved.push(decided),
            _ => {
                let location = check(func, panics).map(|(location, _)| location).unwrap_or_default();
                open.push(Open { decided, location, demands, cond: (*cond, truth, block) });
            }
        }
    }
    resolve_contradictions(&mut open, &ranges, &mut atoms);
    resolve_lengths_by_threads(&mut open, &ranges, &mut atoms, func);
    leave_conditional(&mut open, &ranges, func);
    leave_bounded_by_data(&mut open, &ranges, &atoms, func);
    let is_certain = |open: &Open| !is_doubtful(open, &atoms, func);
    match doubtful {
        Doubtful::Tested => found.has_doubtful = !open.iter().all(is_certain),
        Doubtful::Left => open.retain(is_certain),
    }
    let mut certain = found.choose(func, &atoms, open);
    found.blocks = found.block_limits(func, &atoms, &certain);
    found.params = certain.iter().filter_map(|poly| atoms.limit_of_param(poly)).collect();
    found.least = certain.iter().filter_map(|poly| atoms.least_of_param(poly)).collect();
    if !found.tested.is_empty() {
        found.limit_floats(&ranges, &mut atoms, func, &mut certain);
        found.limit_divisions(&ranges, &mut atoms, func, &mut certain);
        found.limit_sums(&ranges, &mut atoms, func, &mut certain);
    }
    let decided = || found.proved.iter().chain(&found.known).chain(found.tested.iter().map(|(it, _)| it));
    let early = early::find(&ranges, &mut atoms, &certain, func, decided());
    // In loops that do several elements at a time indices are looked for again.
    if func.coarsen.is_none() {
        found.low = indices::low(&ranges, &mut atoms, &certain, func, decided());
    }
    found.early = early;
    found
}

/// Kind and location of the panic that a block ends in, if it does.
fn check(func: &Function, block: Block) -> Option<Check> {
    match func.insts[func.terminator(block)?] {
        InstData::Panic { site, .. } => {
            let PanicSiteData { kind, location, .. } = func.panics[site];
            Some((location, kind))
        }
        _ => None,
    }
}

impl Found {
    /// Returns true if some checks cannot fail in any launch.
    pub fn proves_some(&self) -> bool {
        !self.proved.is_empty()
    }

    /// The function without the checks that cannot fail.
    pub fn checked(&self, before: &Function) -> Function {
        let mut func = before.clone();
        self.proved.iter().for_each(|decided| decided.apply(&mut func, None));
        clean(&mut func);
        func
    }

    /// The function without the checks that cannot fail in any launch, those among them that the passes would remove later.
    pub fn without_known(&self, before: &Function) -> Function {
        let mut func = before.clone();
        self.proved.iter().chain(&self.known).for_each(|decided| decided.apply(&mut func, None));
        clean(&mut func);
        func
    }

    /// Results with limited arguments, given those without limits: checks that cannot fail only with the limits get these as guards,
    /// or the text of the guard that they have without.
    pub fn knowing(mut self, without: &Found, limits: &[HostTest]) -> Found {
        let text = limits.iter().map(|test| test.text.as_str()).collect::<Vec<_>>().join(" && ");
        let is_known = |decided: &Decided| without.proved.iter().any(|known| known.inst == decided.inst);
        let (proved, limited): (Vec<_>, Vec<_>) = self.proved.into_iter().partition(is_known);
        self.proved = proved;
        self.tested.extend(limited.into_iter().map(|decided| {
            let mut tested = without.tested.iter();
            let known = tested.find(|(known, _)| known.inst == decided.inst).map(|(_, text)| text.clone());
            // With the limits it may be no test any more.
            let is_test = |text: &str| self.tests.iter().any(|test| test.text == text);
            let is_made = |text: &String| is_test(text) || text.split(" && ").all(is_test);
            (decided, known.filter(is_made).unwrap_or_else(|| text.clone()))
        }));
        self
    }

    /// Limits the blocks of a function by the guards that were found to do so, and adds these to the limits. Returns true if there
    /// are any: indices into shared memory that depend on them are worth another search.
    pub fn limit_blocks(&self, func: &mut Function, limits: &mut Vec<HostTest>) -> bool {
        for BlockLimit { axis, most, test } in &self.blocks {
            func.most_block[*axis] = Some(func.most_block[*axis].map_or(*most, |known| known.min(*most)));
            limits.push(test.clone());
        }
        !self.blocks.is_empty()
    }

    /// The guards that limit the threads of a block along an axis, of these conditions.
    fn block_limits(&self, func: &Function, atoms: &Atoms, certain: &[Poly]) -> Vec<BlockLimit> {
        const AXES: [SpecialRegister; 3] =
            [SpecialRegister::NtidX, SpecialRegister::NtidY, SpecialRegister::NtidZ];
        let writer = Writer::new(func, atoms);
        let mut limits: Vec<BlockLimit> = Vec::new();
        for poly in certain {
            let Some((register, most)) = atoms.limit(poly) else { continue };
            let (Some(axis), Ok(most)) = (AXES.iter().position(|&axis| axis == register), most.try_into())
            else {
                continue;
            };
            let is_known = limits.iter().any(|known| known.axis == axis && known.most <= most);
            let ops = writer.program(poly).filter(|_| !is_known);
            if let Some(test) = self.tests.iter().find(|test| ops.as_ref() == Some(&test.ops)) {
                limits.push(BlockLimit { axis, most, test: test.clone() });
            }
        }
        limits
    }

    /// The check-free function, and its guards, the limits among them; none if there are none.
    pub fn check_free(&self, before: &Function, limits: &[HostTest]) -> Option<(Function, Vec<HostTest>)> {
        let tests = [limits, &self.tests].concat();
        if tests.is_empty() {
            return None;
        }
        let mut func = before.clone();
        indices::make_low(&mut func, &self.low);
        for &index in &self.floats {
            narrow(&mut func, index, Some(i32::MAX as u64), &[]);
        }
        for &(block, inst) in &self.divisions {
            divide_low(&mut func, block, inst);
        }
        for &(block, inst) in &self.sums {
            add_low(&mut func, block, inst);
        }
        for &(param, most) in self.params.iter().filter(|_| !before.has_group_products()) {
            let max = &mut func.params[param].max;
            *max = Some(max.map_or(most, |known| known.min(most)));
        }
        for &(param, least) in self.least.iter().filter(|_| !before.has_group_products()) {
            let min = &mut func.params[param].min;
            *min = least.max(*min);
        }
        early::move_loads(&mut func, &self.early);
        func.name += SUFFIX;
        self.proved.iter().chain(&self.known).for_each(|decided| decided.apply(&mut func, None));
        self.tested.iter().for_each(|(decided, text)| decided.apply(&mut func, Some(text)));
        clean(&mut func);
        Some((func, tests))
    }

    /// Chooses the fewest guards for all checks, and returns the conditions that they establish.
    fn choose(&mut self, func: &Function, atoms: &Atoms, mut open: Vec<Open>) -> Vec<Poly> {
        let writer = Writer::new(func, atoms);
        open.retain_mut(|open| {
            open.demands.retain(|demand| writer.can_write(demand));
            !open.demands.is_empty()
        });
        let certain = simplify(&mut open, atoms);
        let strongest = strongest(&certain, &open, &writer, atoms);
        // Accesses of an unrolled loop demand the same but for a number each: only the strongest is a test.
        let stated = |poly: &Poly| {
            strongest.iter().find(|(strong, _)| atoms.follows(poly, std::slice::from_ref(strong)))
        };
        for Open { decided, location, demands, .. } in open {
            // Each can be written alone, but all together may be too long for one test: then the first has to do.
            let together = writer.any(&demands, location);
            let (tests, text) = match (&demands[..], together) {
                ([_, _, ..], Some(test)) => (vec![test], writer.text(&demands)),
                ([first, ..], _) => {
                    let mut tests = Vec::new();
                    let mut rest = first.clone();
                    rest.not_negative.retain(|poly| match stated(poly) {
                        Some((_, test)) => {
                            tests.push(test.clone());
                            false
                        }
                        None => true,
                    });
                    tests.extend(writer.each(&rest, location));
                    // Not the weaker one that this check alone would need.
                    let mut texts: Vec<&str> = Vec::new();
                    for test in &tests {
                        if !texts.contains(&test.text.as_str()) {
                            texts.push(&test.text);
                        }
                    }
                    let text = texts.join(" && ");
                    (tests, text)
                }
                ([], _) => continue,
            };
            let mut new: Vec<HostTest> = Vec::new();
            for test in tests {
                if !self.tests.iter().chain(&new).any(|known| known.ops == test.ops) {
                    new.push(test);
                }
            }
            if self.tests.len() + new.len() <= MOST_TESTS {
                self.tests.extend(new);
                self.tested.push((decided, text));
            }
        }
        // There may be more than a launch shall make.
        let is_tested = |poly: &Poly| {
            stated(poly).is_some_and(|(_, stated)| self.tests.iter().any(|test| test.ops == stated.ops))
        };
        certain.into_iter().filter(is_tested).collect()
    }

    /// Limits the floats that become indices of 64 bits, so that these have 32.
    fn limit_floats(
        &mut self,
        ranges: &Ranges<'_>,
        atoms: &mut Atoms,
        func: &Function,
        certain: &mut Vec<Poly>,
    ) {
        for (block, inst) in insts(ranges, func) {
            let (InstData::Convert { op: ConvertOp::FloatToUInt, .. }, Some(index)) =
                (&func.insts[inst], func.results[inst])
            else {
                continue;
            };
            if func.ty(index) == Type::I64
                && let Some(conditions) = ranges.at_most_where(atoms, index, i32::MAX as u64, block)
                && self.limit(func, atoms, conditions, func.locations[inst], certain)
            {
                self.floats.push(index);
            }
        }
    }

    /// Limits what is divided in 64 bits and what it is divided by, so that the division has 32.
    fn limit_divisions(
        &mut self,
        ranges: &Ranges<'_>,
        atoms: &mut Atoms,
        func: &Function,
        certain: &mut Vec<Poly>,
    ) {
        for (block, inst) in insts(ranges, func) {
            let InstData::Binary { op: BinaryOp::UDiv | BinaryOp::URem, args, .. } = func.insts[inst] else {
                continue;
            };
            if func.ty(args[0]) != Type::I64 || func.constant(args[1]).is_some() {
                continue;
            }
            let wide = args.into_iter().filter(|&arg| !ranges.fits_u32(arg));
            let conditions: Option<Vec<Vec<Poly>>> =
                wide.map(|arg| ranges.at_most_where(atoms, arg, u32::MAX.into(), block)).collect();
            if let Some(conditions) = conditions.map(|conditions| conditions.concat())
                && !conditions.is_empty()
                && conditions.iter().all(|condition| is_of_indices(func, atoms, condition))
                && self.limit(func, atoms, conditions, func.locations[inst], certain)
            {
                self.divisions.push((block, inst));
            }
        }
    }

    /// Limits sums and products of 64 bits that are compared, so that they and the comparison have 32: `x + k` of a window that ends at
    /// the border, `(x + k).saturating_sub(radius).min(width - 1)`. Those that addresses are made of stay wide: there they cost
    /// an extension.
    fn limit_sums(
        &mut self,
        ranges: &Ranges<'_>,
        atoms: &mut Atoms,
        func: &Function,
        certain: &mut Vec<Poly>,
    ) {
        // Comparisons for checks that go are not counted.
        let decided = self.proved.iter().chain(&self.known).chain(self.tested.iter().map(|(it, _)| it));
        let conds: HashSet<Value> = decided.filter_map(|decided| decided.cond(func)).collect();
        let goes = |inst: Inst| func.results[inst].is_some_and(|result| conds.contains(&result));
        let mut compared = EntityMap::<Value, bool>::filled(func.values.len(), false);
        let mut is_part = EntityMap::<Value, bool>::filled(func.values.len(), false);
        for (_, inst) in insts(ranges, func).filter(|&(_, inst)| !goes(inst)) {
            match func.insts[inst] {
                InstData::IntCompare { args, .. }
                | InstData::Binary { op: BinaryOp::UMin | BinaryOp::UMax, args, .. } => {
                    args.into_iter().for_each(|arg| compared[arg] = true);
                }
                InstData::Convert { op: ConvertOp::UIntToFloat, arg } => compared[arg] = true,
                InstData::Binary { op: BinaryOp::Sub, .. } | InstData::Select { .. } => {}
                ref data => data.visit_args(|arg| is_part[arg] = true),
            }
        }
        for (block, inst) in insts(ranges, func) {
            let (InstData::Binary { op: BinaryOp::Add | BinaryOp::Mul, args, .. }, Some(sum)) =
                (&func.insts[inst], func.results[inst])
            else {
                continue;
            };
            let is_difference = func.constant(args[1]).is_some_and(|by| by > u32::MAX.into());
            if func.ty(sum) == Type::I64
                && compared[sum]
                && !is_part[sum]
                && !is_difference
                && !ranges.is_uniform(sum)
                && !ranges.proves_u32(sum)
                && let Some(conditions) = ranges.at_most_where(atoms, sum, u32::MAX.into(), block)
                && conditions.iter().all(|condition| is_of_indices(func, atoms, condition))
                && self.limit(func, atoms, conditions, func.locations[inst], certain)
            {
                self.sums.push((block, inst));
            }
        }
    }

    /// Adds guards for these conditions, but for those that are certain already. Returns true if all of them are certain now.
    fn limit(
        &mut self,
        func: &Function,
        atoms: &Atoms,
        mut conditions: Vec<Poly>,
        location: SourceLoc,
        certain: &mut Vec<Poly>,
    ) -> bool {
        conditions.retain(|condition| !atoms.follows(condition, certain));
        let demand = Demand { not_negative: conditions, truths: Vec::new() };
        let writer = Writer::new(func, atoms);
        if !writer.can_write(&demand) {
            return false;
        }
        let tests = writer.each(&demand, location);
        if self.tests.len() + tests.len() > MOST_TESTS {
            return false;
        }
        self.tests.extend(tests);
        certain.extend(demand.not_negative);
        true
    }
}

/// Returns true if a condition names no parameter of 64 bits but those that indices are computed of: a modulus of 64 bits is one because
/// products below its square are divided by it.
fn is_of_indices(func: &Function, atoms: &Atoms, condition: &Poly) -> bool {
    condition.terms().iter().flat_map(|(factors, _)| factors).all(|&factor| match *atoms.data(factor) {
        AtomData::Param(param) => func.params[param].ty != Type::I64 || func.params[param].max.is_some(),
        _ => true,
    })
}

/// The instructions of the blocks that are reachable, with their blocks.
fn insts(ranges: &Ranges<'_>, func: &Function) -> impl Iterator<Item = (Block, Inst)> {
    let order = ranges.cfg().order();
    order.iter().flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)))
}

/// Computes a sum or product that is below 2³² from the low halves of its operands.
fn add_low(func: &mut Function, block: Block, inst: Inst) {
    let InstData::Binary { op, args, .. } = func.insts[inst] else { return };
    let location = func.locations[inst];
    let mut made = Vec::new();
    let args = args.map(|arg| {
        let truncation = InstData::Convert { op: ConvertOp::Truncate, arg };
        let (low, half) = func.make_value(truncation, Type::I32, location);
        made.push(low);
        half
    });
    let low = InstData::Binary { op, args, no_unsigned_wrap: false };
    let (low, sum) = func.make_value(low, Type::I32, location);
    made.push(low);
    func.insts[inst] = InstData::Convert { op: ConvertOp::ZeroExtend, arg: sum };
    let at = func.blocks[block].insts.iter().position(|&known| known == inst).unwrap_or_default();
    func.blocks[block].insts.splice(at..at, made);
}

/// Divides the low halves of numbers that are below 2³².
fn divide_low(func: &mut Function, block: Block, inst: Inst) {
    let InstData::Binary { op, args, no_unsigned_wrap } = func.insts[inst] else { return };
    let location = func.locations[inst];
    let mut made = Vec::new();
    let args = args.map(|arg| {
        let (low, half) =
            func.make_value(InstData::Convert { op: ConvertOp::Truncate, arg }, Type::I32, location);
        let widen = InstData::Convert { op: ConvertOp::ZeroExtend, arg: half };
        let (extension, value) = func.make_value(widen, Type::I64, location);
        made.extend([low, extension]);
        value
    });
    func.insts[inst] = InstData::Binary { op, args, no_unsigned_wrap };
    let at = func.blocks[block].insts.iter().position(|&known| known == inst).unwrap_or_default();
    func.blocks[block].insts.splice(at..at, made);
}

impl Decided {
    /// The condition of the branch.
    fn cond(&self, func: &Function) -> Option<Value> {
        match func.insts[self.inst] {
            InstData::Branch { cond, .. } => Some(cond),
            _ => None,
        }
    }

    /// Makes the branch a jump; with the text of a test if it needs one.
    fn apply(&self, func: &mut Function, test: Option<&String>) {
        func.insts[self.inst] = InstData::Jump { target: self.target.clone() };
        match (test, check(func, self.panics)) {
            (Some(test), Some((location, check))) => {
                func.remark(location, RemarkKind::CheckTested { check, test: test.clone().into() });
            }
            (None, _) => remark_proved(func, self.panics),
            (Some(_), None) => {}
        }
    }
}

/// Removes unreachable blocks, and the values that only they needed. What indices were computed by, and is known to be exact now, goes
/// before equal values become one.
fn clean(func: &mut Function) {
    simplify_cfg(func);
    eliminate_dead_code(func);
    number_values(func);
    eliminate_dead_code(func);
}

#[cfg(test)]
mod tests;
