//! Coarsening plan: the accesses at the thread's own index, to be done for several elements at once, and the branches that are
//! uniform over them. Also the reasons why a kernel is not element-wise.

use std::collections::{BTreeMap, HashMap};

use super::form::{Form, Forms};
use super::index::Index;
use super::refuse::{self, Refusal};
use crate::analysis::{Cfg, DomTree};
use crate::ir::{
    BinaryOp, Block, CacheHints, ConvertOp, Function, Inst, InstData, IntCond, Param, Space, Type, UnaryOp,
    Value,
};

/// See the head of this file.
#[derive(Debug)]
pub(super) struct Plan {
    /// Buffers of which each element has its own piece.
    pub(super) streams: Vec<Stream>,
    /// Slot of each access at the thread's own index.
    pub(super) places: HashMap<Inst, Place>,
    /// Conditions that hold for all elements of a thread, else the thread does them one by one.
    pub(super) decided: Vec<Decided>,
    /// The first access that not every element makes.
    pub(super) conditional: Option<Inst>,
    /// The first read that is neither in a stream nor the same for all elements.
    pub(super) elsewhere: Option<Inst>,
}

/// A row of equal pieces of a buffer, one for each index.
#[derive(Debug)]
pub(super) struct Stream {
    /// Address of the piece of index 0; `index` is the distance of the pieces in bytes.
    pub(super) start: Form,
    /// Known alignment of the buffer's address.
    pub(super) align: u32,
    pub(super) slots: Vec<Slot>,
}

impl Stream {
    /// The slice, if the pieces start at its start and lie one behind the other.
    pub(super) fn root(&self, func: &Function) -> Option<Param> {
        let [term] = self.start.terms[..] else { return None };
        match func.def(term.value) {
            Some(&InstData::Param { param }) if term.by == 1 => {
                func.params[param].pointer_align.is_some().then_some(param)
            }
            _ => None,
        }
    }
}

/// A scalar of each piece.
#[derive(Debug)]
pub(super) struct Slot {
    /// From the start of the piece, in bytes.
    pub(super) offset: i32,
    pub(super) ty: Type,
    pub(super) read_only: bool,
    /// Cache hints of its loads, and of its stores: the first ones, where they differ.
    pub(super) loads: CacheHints,
    pub(super) stores: CacheHints,
    /// Every piece may be read before anything is done.
    pub(super) ahead: bool,
    pub(super) stored: bool,
}

/// A slot by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) stream: usize,
    pub(super) slot: usize,
}

/// A `bool` that is the same for all elements of a thread, if the test before them says so.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) value: Value,
    /// Its value then.
    pub(super) holds: bool,
    pub(super) test: Test,
}

/// Tests of a `bool` over all elements of a thread.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// The value itself: it does not depend on the index.
    Uniform,
    /// A sum that grows with the index, against something that does not depend on it.
    Bound {
        cond: IntCond,
        sum: Value,
        limit: Value,
        /// The last element decides, not the first.
        upper: bool,
        /// The sum may wrap around between the first element and the last.
        may_wrap: bool,
    },
}

/// Factors of the index beyond this are not looked at.
const MOST_STEP: u64 = 1 << 16;

/// An access to global memory.
struct Access {
    inst: Inst,
    is_store: bool,
    ty: Type,
    read_only: bool,
    cache: CacheHints,
    form: Form,
    /// The buffer, if it is known.
    root: Option<Param>,
}

impl Plan {
    /// Makes the plan, or returns all the reasons against it.
    pub(super) fn new(func: &Function, index: &Index) -> Result<Plan, Vec<Refusal>> {
        let mut refusals = refuse::effects(func, index);
        let mut forms = Forms::new(func, index);
        let accesses = accesses(func, index, &forms);
        let decided = decided(func, index, &mut forms);
        let mut planner = Planner { func, forms: &mut forms, refusals: &mut refusals };
        let (mut streams, places) = planner.streams(&accesses);
        let certain = certain_blocks(func, index, &decided);
        for access in &accesses {
            let Some(place) = places.get(&access.inst).filter(|_| !access.is_store) else { continue };
            let stream = &mut streams[place.stream];
            if in_bounds(func, &forms, access, &decided) || certain.contains(&access.inst) {
                stream.slots[place.slot].ahead = true;
            }
        }
        if refusals.is_empty() && !accesses.iter().any(|access| access.is_store) {
            refusals.push(refuse::nothing_written(func));
        }
        refusals.sort_by_key(|refusal| refusal.location);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let conditional = accesses.iter().map(|access| access.inst).find(|inst| !certain.contains(inst));
        let elsewhere = accesses.iter().filter(|access| !places.contains_key(&access.inst)).find(|access| {
            let form = &access.form;
            form.index != 0 || !forms.is_base(form)
        });
        let elsewhere = elsewhere.map(|access| access.inst);
        Ok(Plan { streams, places, decided, conditional, elsewhere })
    }
}

/// The accesses to global memory in the body.
fn accesses(func: &Function, index: &Index, forms: &Forms<'_>) -> Vec<Access> {
    let insts = index.body(func).flat_map(|block| &func.blocks[block].insts);
    let accesses = insts.filter_map(|&inst| {
        let (space, address, offset, is_store, ty, read_only, cache) = match func.insts[inst] {
            InstData::Load { space, address, offset, read_only, cache, .. } => {
                (space, address, offset, false, func.ty(func.results[inst]?), read_only, cache)
            }
            InstData::Store { space, address, offset, value, cache, .. } => {
                (space, address, offset, true, func.ty(value), false, cache)
            }
            _ => return None,
        };
        if !matches!(space, Space::Global | Space::Generic) {
            return None;
        }
        let mut form = forms.form(address);
        form.constant = form.constant.wrapping_add_signed(offset.into());
        let mut roots = form.terms.iter().filter_map(|term| match func.def(term.value) {
            Some(&InstData::Param { param }) if func.params[param].pointer_align.is_some() => {
                Some((param, term.by))
            }
            _ => None,
        });
        let root = match (roots.next(), roots.next()) {
            (Some((param, 1)), None) => Some(param),
            _ => None,
        };
        let read_only = read_only || root.is_some_and(|param| func.params[param].read_only);
        Some(Access { inst, is_store, ty, read_only, cache, form, root })
    });
    accesses.collect()
}

struct Planner<'p, 'f> {
    func: &'f Function,
    forms: &'p mut Forms<'f>,
    refusals: &'p mut Vec<Refusal>,
}

impl Planner<'_, '_> {
    /// The streams, and the slot of each access in them. Accesses to read-only buffers may be elsewhere;
    /// all others have to be in a stream.
    fn streams(&mut self, accesses: &[Access]) -> (Vec<Stream>, HashMap<Inst, Place>) {
        let mut by_buffer: BTreeMap<Option<Param>, Vec<&Access>> = BTreeMap::new();
        for access in accesses {
            by_buffer.entry(access.root).or_default().push(access);
        }
        let mut streams = Vec::new();
        let mut places = HashMap::new();
        let is_written = |of: &[&Access]| of.iter().any(|access| access.is_store);
        let (written, read): (Vec<_>, Vec<_>) = by_buffer.into_iter().partition(|(_, of)| is_written(of));
        for (root, of) in written {
            match root {
                Some(param) => self.written(param, &of, &mut streams, &mut places),
                None => {
                    of.iter().for_each(|access| self.refuse(refuse::unknown_buffer(self.func, access.inst)))
                }
            }
        }
        let written = streams.len();
        for (root, of) in read {
            match root {
                Some(_) => {
                    for access in of {
                        self.read(access, written, &mut streams, &mut places);
                    }
                }
                // They may be to a buffer with stores.
                None => of
                    .iter()
                    .filter(|access| !access.read_only)
                    .for_each(|access| self.refuse(refuse::unknown_buffer(self.func, access.inst))),
            }
        }
        (streams, places)
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.refusals.push(refusal);
    }

    /// A buffer that is written has one stream, and no other accesses.
    fn written(
        &mut self,
        param: Param,
        of: &[&Access],
        streams: &mut Vec<Stream>,
        places: &mut HashMap<Inst, Place>,
    ) {
        let model = of.iter().find(|access| access.is_store && self.has_own_piece(access));
        let Some(model) = model else {
            return of
                .iter()
                .filter(|access| access.is_store)
                .for_each(|access| self.refuse(refuse::other_index(self.func, access.inst, param)));
        };
        let step = model.form.index;
        // The stores are to one piece.
        let stores = of.iter().filter(|access| access.is_store && access.form.terms == model.form.terms);
        let constants = stores.map(|access| access.form.constant as i64);
        let start = constants.min().unwrap_or(0).div_euclid(step as i64) * step as i64;
        let start = Form { constant: start as u64, ..model.form.clone() };
        let number = streams.len();
        streams.push(Stream { start, align: self.align(param), slots: Vec::new() });
        for access in of {
            match slot(&mut streams[number], access) {
                Some(slot) => drop(places.insert(access.inst, Place { stream: number, slot })),
                None => self.refuse(refuse::other_index(self.func, access.inst, param)),
            }
        }
        let slots = &streams[number].slots;
        let overlap = slots.iter().enumerate().any(|(index, a)| {
            slots[..index].iter().any(|b| {
                a.offset < b.offset + b.ty.bytes() as i32 && b.offset < a.offset + a.ty.bytes() as i32
            })
        });
        if overlap {
            self.refuse(refuse::overlap(self.func, model.inst, param));
        }
    }

    /// Adds a read of a read-only buffer to a stream if it is at the own index, and aligned like the buffers
    /// that are written.
    fn read(
        &mut self,
        access: &Access,
        written: usize,
        streams: &mut Vec<Stream>,
        places: &mut HashMap<Inst, Place>,
    ) {
        let Some(param) = access.root.filter(|_| self.has_own_piece(access)) else { return };
        let same = |stream: &Stream| {
            let Form { index, terms, constant: 0 } = &stream.start else { return false };
            *index == access.form.index && *terms == access.form.terms
        };
        let number = match streams.iter().position(same) {
            Some(number) => number,
            None => {
                let others = |form: &Form, step: u64| -> Vec<(Value, bool, u128)> {
                    let is_root = |value| match self.func.def(value) {
                        Some(&InstData::Param { param }) => self.func.params[param].pointer_align.is_some(),
                        _ => false,
                    };
                    let terms = form.terms.iter().filter(|term| !is_root(term.value));
                    terms
                        .map(|term| (term.value, term.widened, u128::from(term.by) * u128::from(step)))
                        .collect()
                };
                // A row of a matrix is read as it is written.
                let fits = |stream: &Stream| {
                    others(&access.form, stream.start.index) == others(&stream.start, access.form.index)
                };
                if access.form.terms.len() > 1 && !streams[..written].iter().any(fits) {
                    return;
                }
                let start = Form { constant: 0, ..access.form.clone() };
                streams.push(Stream { start, align: self.align(param), slots: Vec::new() });
                streams.len() - 1
            }
        };
        match slot(&mut streams[number], access) {
            Some(slot) => drop(places.insert(access.inst, Place { stream: number, slot })),
            None if streams[number].slots.is_empty() => drop(streams.pop()),
            None => {}
        }
    }

    /// Returns true if each index has a piece of the buffer to itself, whose start can be computed at the entry.
    fn has_own_piece(&mut self, access: &Access) -> bool {
        (1..=MOST_STEP).contains(&access.form.index) && self.forms.is_base(&access.form)
    }

    fn align(&self, param: Param) -> u32 {
        self.func.params[param].pointer_align.unwrap_or(1)
    }
}

/// The slot of an access in a stream, if it is in one.
fn slot(stream: &mut Stream, access: &Access) -> Option<usize> {
    let Form { index, terms, constant } = &stream.start;
    if access.form.index != *index || access.form.terms != *terms {
        return None;
    }
    let offset = access.form.constant.wrapping_sub(*constant);
    if offset.checked_add(access.ty.bytes().into())? > *index {
        return None;
    }
    let (offset, ty) = (offset as i32, access.ty);
    let known = stream.slots.iter().position(|slot| (slot.offset, slot.ty) == (offset, ty));
    let number = known.unwrap_or_else(|| {
        let read_only = access.read_only;
        let (loads, stores) = (CacheHints::NORMAL, CacheHints::NORMAL);
        stream.slots.push(Slot { offset, ty, read_only, loads, stores, ahead: false, stored: false });
        stream.slots.len() - 1
    });
    let slot = &mut stream.slots[number];
    let cache = if access.is_store { &mut slot.stores } else { &mut slot.loads };
    if *cache == CacheHints::NORMAL {
        *cache = access.cache;
    }
    stream.slots[number].stored |= access.is_store;
    Some(number)
}

// Branches.

/// Conditions that hold for all elements wherever one of the outer sides does nothing but return or panic.
fn decided(func: &Function, index: &Index, forms: &mut Forms<'_>) -> Vec<Decided> {
    let mut found: Vec<Decided> = Vec::new();
    for block in index.body(func) {
        let Some(terminator) = func.terminator(block) else { continue };
        let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[terminator] else { continue };
        let holds = match (ends(func, if_true.block), ends(func, if_false.block)) {
            (false, true) => true,
            (true, false) => false,
            (true, true) | (false, false) => continue,
        };
        for (value, holds) in parts(func, *cond, holds) {
            if !found.iter().any(|known| known.value == value) {
                let test = test(func, index, forms, value, holds);
                found.extend(test.map(|test| Decided { value, holds, test }));
            }
        }
    }
    found
}

/// The conditions that all hold where a condition has this value.
pub(super) fn parts(func: &Function, cond: Value, holds: bool) -> Vec<(Value, bool)> {
    let (mut work, mut parts) = (vec![(cond, holds)], Vec::new());
    while let Some((value, holds)) = work.pop() {
        match func.def(value) {
            Some(InstData::Binary { op: BinaryOp::And, args, .. }) if holds => {
                work.extend(args.map(|arg| (arg, true)));
            }
            Some(InstData::Binary { op: BinaryOp::Or, args, .. }) if !holds => {
                work.extend(args.map(|arg| (arg, false)));
            }
            Some(InstData::Unary { op: UnaryOp::Not, arg }) => work.push((*arg, !holds)),
            _ => parts.push((value, holds)),
        }
    }
    parts
}

/// Returns true if a block only leads to a return or a panic, without side effects.
pub(super) fn ends(func: &Function, mut block: Block) -> bool {
    for _ in 0..4 {
        let Some((&terminator, before)) = func.blocks[block].insts.split_last() else { return false };
        if !before.iter().all(|&inst| func.insts[inst].is_pure()) {
            return false;
        }
        match &func.insts[terminator] {
            InstData::Return | InstData::Panic { .. } => return true,
            InstData::Jump { target } => block = target.block,
            _ => return false,
        }
    }
    false
}

/// Chooses the test that a `bool` has this value for all elements, if there is one.
fn test(func: &Function, index: &Index, forms: &mut Forms<'_>, value: Value, holds: bool) -> Option<Test> {
    if forms.is_uniform(value) {
        return Some(Test::Uniform);
    }
    let &InstData::IntCompare { cond, args: [a, b] } = func.def(value)? else { return None };
    let (sum, limit, cond) = if forms.is_uniform(b) {
        (a, b, cond)
    } else if forms.is_uniform(a) {
        (b, a, cond.swapped())
    } else {
        return None;
    };
    let cond = if holds { cond } else { cond.inverse() };
    // An unsigned number that is not zero is above it.
    let cond = match cond {
        IntCond::Ne if func.constant(limit) == Some(0) => IntCond::UGt,
        cond => cond,
    };
    let upper = match cond {
        IntCond::ULt | IntCond::ULe | IntCond::SLt | IntCond::SLe => true,
        IntCond::UGt | IntCond::UGe | IntCond::SGt | IntCond::SGe => false,
        IntCond::Eq | IntCond::Ne => return None,
    };
    let ty = func.ty(sum);
    if !matches!(ty, Type::I32 | Type::I64) {
        return None;
    }
    let form = forms.form(sum);
    if !(1..=MOST_STEP).contains(&form.index) || !forms.is_base(&form) || !forms.is_computable(sum) {
        return None;
    }
    let small = ty == Type::I64 && !index.is_wide && form.constant < 1 << 32;
    let plain = form.index == 1 && form.constant == 0;
    let may_wrap = cond != cond.unsigned() || !form.terms.is_empty() || !(small || plain);
    Some(Test::Bound { cond, sum, limit, upper, may_wrap })
}

// Reads before everything else.

/// Returns true if the conditions keep an access within its buffer, whether it is made or not.
fn in_bounds(func: &Function, forms: &Forms<'_>, access: &Access, decided: &[Decided]) -> bool {
    let Some(root) = access.root else { return false };
    decided.iter().any(|known| {
        let Test::Bound { cond: IntCond::ULt, sum, limit, .. } = known.test else { return false };
        if length_of(func, limit) != Some(root) {
            return false;
        }
        let index = forms.number(sum);
        if index.index == 0 {
            return false;
        }
        let size = access.form.index / index.index;
        // Elements may be larger than their alignment says, but not smaller: `x[2 * i]` moves by two elements, not by a large one.
        let align = func.params[root].pointer_align.unwrap_or(1);
        if size * index.index != access.form.index || size > align.into() {
            return false;
        }
        let mut scaled = index.terms.clone();
        scaled.iter_mut().for_each(|term| term.by = term.by.wrapping_mul(size));
        let others = access.form.terms.iter().filter(|term| match func.def(term.value) {
            Some(&InstData::Param { param }) => param != root,
            _ => true,
        });
        let offset = access.form.constant.wrapping_sub(index.constant.wrapping_mul(size));
        others.eq(&scaled) && offset.saturating_add(access.ty.bytes().into()) <= size
    })
}

/// The slice parameter that a value is the length of.
fn length_of(func: &Function, value: Value) -> Option<Param> {
    let value = match *func.def(value)? {
        InstData::Convert { op: ConvertOp::ZeroExtend, arg } => arg,
        _ => value,
    };
    let &InstData::Param { param } = func.def(value)? else { return None };
    func.slice_of(param)
}

/// The instructions that run for every element, whichever way its branches go, once what is decided is known.
fn certain_blocks(func: &Function, index: &Index, decided: &[Decided]) -> Vec<Inst> {
    let mut known = func.clone();
    for &Decided { value, holds, .. } in decided {
        for &block in &func.layout {
            let Some(terminator) = known.terminator(block) else { continue };
            if let InstData::Branch { cond, if_true, if_false, .. } = &known.insts[terminator]
                && *cond == value
            {
                let target = if holds { if_true } else { if_false }.clone();
                known.insts[terminator] = InstData::Jump { target };
            }
        }
    }
    let cfg = Cfg::new(&known);
    let tree = DomTree::new(&cfg);
    let exits: Vec<Block> =
        cfg.order().iter().copied().filter(|&block| known.successors(block).next().is_none()).collect();
    let certain = cfg.order().iter().filter(|&&block| {
        block != index.entry && block != index.header && exits.iter().all(|&exit| tree.dominates(block, exit))
    });
    certain.flat_map(|&block| func.blocks[block].insts.iter().copied()).collect()
}
