//! Partition of local variables into parts that can be values, by the accesses to them.

use std::ops::Range;

use super::stacks;
use crate::analysis::{Cfg, Ranges};
use crate::ir::{BinaryOp, Block, Entity, EntityMap, Function, Inst, InstData, LocalVar, Space, Type, Value};

/// A part of a variable that becomes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Slot(u32);

impl Entity for Slot {
    fn from_index(index: usize) -> Slot {
        Slot(u32::try_from(index).expect("fewer than 2^32 slots"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Fate of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It stays.
    Stay,
    /// It reads or writes a slot.
    Slot(Slot),
    /// Its value is never read.
    Drop,
    /// The memory was never written.
    Zero,
}

/// Fates of all accesses.
pub(super) struct Plan {
    /// By instruction.
    pub(super) fates: EntityMap<Inst, Fate>,
    /// The type of each slot's values.
    pub(super) slots: EntityMap<Slot, Type>,
    changes: bool,
}

impl Plan {
    pub(super) fn is_empty(&self) -> bool {
        !self.changes
    }
}

/// An address in a local variable: a constant offset, and terms that are only known when it runs.
#[derive(Clone, Copy)]
pub(super) struct Pointer {
    var: LocalVar,
    pub(super) offset: i64,
    pub(super) terms: Terms,
}

/// Terms added to an address.
#[derive(Clone, Copy)]
pub(super) enum Terms {
    None,
    /// The last in [`Uses::terms`], each of which leads to the one before.
    Last(u32),
    /// Something is subtracted.
    Unknown,
}

/// A load or store of a local variable.
pub(super) struct Access {
    pub(super) inst: Inst,
    pub(super) block: Block,
    pub(super) pointer: Pointer,
    pub(super) ty: Type,
    pub(super) is_store: bool,
}

/// Uses of the variables.
pub(super) struct Uses {
    pointers: EntityMap<Value, Option<Pointer>>,
    /// A term, and those added before it.
    terms: Vec<(Value, Terms)>,
    pub(super) accesses: EntityMap<LocalVar, Vec<Access>>,
    /// The address is used for something else.
    escapes: EntityMap<LocalVar, bool>,
}

/// Looks at every variable.
pub(super) fn plan(func: &Function) -> Plan {
    let cfg = Cfg::new(func);
    let uses = Uses::new(func, &cfg);
    let mut plan = Plan {
        fates: EntityMap::filled(func.insts.len(), Fate::Stay),
        slots: EntityMap::new(),
        changes: false,
    };
    let mut ranges = None;
    for (var, accesses) in uses.accesses.iter() {
        if !uses.escapes(var) && !accesses.is_empty() {
            plan.variable(func, &uses, var, &mut ranges);
            for inst in stacks::initial_stores(func, &uses, &cfg, var, &mut ranges) {
                if plan.fates[inst] == Fate::Stay {
                    plan.fates[inst] = Fate::Drop;
                    plan.changes = true;
                }
            }
        }
    }
    plan
}

/// For each variable that would become values if its indices were constants, what these indices are made of, and the blocks that use
/// them.
pub(in crate::passes) fn variable_indices(func: &Function) -> Vec<Vec<(Value, Block)>> {
    let uses = Uses::new(func, &Cfg::new(func));
    let indices = uses.accesses.iter().filter(|&(var, _)| !uses.escapes(var)).filter_map(|(_, accesses)| {
        let mut indices = Vec::new();
        for access in accesses {
            indices.extend(uses.terms(access.pointer.terms)?.into_iter().map(|term| (term, access.block)));
        }
        (!indices.is_empty()).then_some(indices)
    });
    indices.collect()
}

impl Uses {
    pub(super) fn new(func: &Function, cfg: &Cfg) -> Uses {
        let mut accesses = EntityMap::new();
        func.locals.keys().for_each(|_| {
            accesses.push(Vec::new());
        });
        let mut uses = Uses {
            pointers: EntityMap::filled(func.values.len(), None),
            terms: Vec::new(),
            accesses,
            escapes: EntityMap::filled(func.locals.len(), false),
        };
        for &block in cfg.order() {
            for &inst in &func.blocks[block].insts {
                uses.inst(func, block, inst);
            }
        }
        uses
    }

    fn inst(&mut self, func: &Function, block: Block, inst: Inst) {
        let data = &func.insts[inst];
        let result = func.results[inst];
        match *data {
            InstData::LocalAddress { var } => {
                if let Some(result) = result {
                    self.pointers[result] = Some(Pointer { var, offset: 0, terms: Terms::None });
                }
            }
            InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args: [a, b], .. } => {
                let Some(result) = result else { return };
                let sum = match (self.pointers[a], self.pointers[b]) {
                    (None, None) => return,
                    (Some(pointer), None) => Some(self.moved(func, op, pointer, b)),
                    (None, Some(pointer)) if op == BinaryOp::Add => Some(self.moved(func, op, pointer, a)),
                    (Some(_) | None, Some(_)) => None,
                };
                match sum {
                    Some(pointer) => self.pointers[result] = Some(pointer),
                    None => [a, b].into_iter().for_each(|arg| self.escape(arg)),
                }
            }
            InstData::Load { space: Space::Local, address, offset, .. } => {
                if let (Some(pointer), Some(result)) = (self.pointers[address], result) {
                    self.access(inst, block, pointer, offset, func.ty(result), false);
                }
            }
            InstData::Store { space: Space::Local, address, offset, value, .. } => {
                self.escape(value);
                if let Some(pointer) = self.pointers[address] {
                    self.access(inst, block, pointer, offset, func.ty(value), true);
                }
            }
            _ => data.visit_args(|arg| self.escape(arg)),
        }
    }

    fn access(&mut self, inst: Inst, block: Block, pointer: Pointer, offset: i32, ty: Type, is_store: bool) {
        let pointer = Pointer { offset: pointer.offset.wrapping_add(offset.into()), ..pointer };
        self.accesses[pointer.var].push(Access { inst, block, pointer, ty, is_store });
    }

    /// The sum or difference of an address and something else.
    fn moved(&mut self, func: &Function, op: BinaryOp, pointer: Pointer, by: Value) -> Pointer {
        let subtracts = op == BinaryOp::Sub;
        match (func.constant(by).map(|bits| bits as i64), subtracts) {
            (Some(bits), true) => Pointer { offset: pointer.offset.wrapping_sub(bits), ..pointer },
            (Some(bits), false) => Pointer { offset: pointer.offset.wrapping_add(bits), ..pointer },
            (None, true) => Pointer { terms: Terms::Unknown, ..pointer },
            (None, false) if matches!(pointer.terms, Terms::Unknown) => pointer,
            (None, false) => {
                self.terms.push((by, pointer.terms));
                Pointer { terms: Terms::Last(self.terms.len() as u32 - 1), ..pointer }
            }
        }
    }

    /// Terms added to an address at run time; none if they are not known.
    pub(super) fn terms(&self, mut terms: Terms) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        loop {
            match terms {
                Terms::None => return Some(values),
                Terms::Last(index) => {
                    let (value, before) = self.terms[index as usize];
                    values.push(value);
                    terms = before;
                }
                Terms::Unknown => return None,
            }
        }
    }

    /// Returns true if the address of a variable is used for something else than accesses.
    pub(super) fn escapes(&self, var: LocalVar) -> bool {
        self.escapes[var]
    }

    fn escape(&mut self, value: Value) {
        if let Some(pointer) = self.pointers[value] {
            self.escapes[pointer.var] = true;
        }
    }
}

impl Plan {
    /// Cuts a variable into parts and decides on each.
    fn variable<'f>(
        &mut self,
        func: &'f Function,
        uses: &Uses,
        var: LocalVar,
        ranges: &mut Option<Ranges<'f>>,
    ) {
        let (accesses, bytes) = (&uses.accesses[var], func.locals[var].bytes);
        let is_exact = |access: &Access| matches!(access.pointer.terms, Terms::None);
        let any_exact = accesses.iter().any(is_exact);
        let mut extents: Vec<(Range<i64>, &Access)> = Vec::with_capacity(accesses.len());
        for access in accesses {
            let extent = match access.pointer.terms {
                Terms::None => Some(0..0),
                // Only where there are parts to distinguish.
                Terms::Last(_) | Terms::Unknown if !any_exact => None,
                Terms::Last(_) | Terms::Unknown => uses.terms(access.pointer.terms).and_then(|terms| {
                    let ranges = ranges.get_or_insert_with(|| Ranges::new(func));
                    terms.into_iter().try_fold(0..0, |sum: Range<i64>, term| {
                        let span = span(ranges, term, access.block, bytes)?;
                        Some(sum.start + span.start..sum.end + span.end)
                    })
                }),
            };
            let offset = access.pointer.offset;
            let extent = match extent {
                Some(extent) => {
                    extent.start.saturating_add(offset)
                        ..extent.end.saturating_add(offset).saturating_add(access.ty.bytes().into())
                }
                None => i64::MIN..i64::MAX,
            };
            extents.push((extent, access));
        }
        extents.sort_by_key(|(extent, access)| (extent.start, access.inst.index()));
        let mut start = 0;
        while start < extents.len() {
            let mut last = extents[start].0.end;
            let mut end = start + 1;
            while end < extents.len() && extents[end].0.start < last {
                last = last.max(extents[end].0.end);
                end += 1;
            }
            self.part(&extents[start..end]);
            start = end;
        }
    }

    /// Decides on accesses whose bytes overlap.
    fn part(&mut self, accesses: &[(Range<i64>, &Access)]) {
        let (extent, first) = &accesses[0];
        let same = accesses.iter().all(|(other, access)| {
            other == extent
                && matches!(access.pointer.terms, Terms::None)
                && access.ty.bytes() == first.ty.bytes()
        });
        let any_store = accesses.iter().any(|(_, access)| access.is_store);
        let any_load = accesses.iter().any(|(_, access)| !access.is_store);
        let fate = match (same, any_store, any_load) {
            (_, true, false) => Fate::Drop,
            (_, false, _) => Fate::Zero,
            (true, true, true) => Fate::Slot(self.slots.push(slot_type(accesses))),
            (false, true, true) => return,
        };
        self.changes = true;
        for (_, access) in accesses {
            self.fates[access.inst] = fate;
        }
    }
}

/// Interval of a term of an address at a block, if that is within the variable.
fn span(ranges: &Ranges<'_>, term: Value, block: Block, bytes: u32) -> Option<Range<i64>> {
    let interval = ranges.at(term, block)?;
    let within = interval.hi <= bytes.into();
    within.then_some(interval.lo as i64..interval.hi as i64)
}

/// The type of the values of a slot: that of its accesses, or one of the same width. A `bool` has no width to share.
fn slot_type(accesses: &[(Range<i64>, &Access)]) -> Type {
    let first = accesses[0].1.ty;
    let all_same = accesses.iter().all(|(_, access)| access.ty == first);
    let any_bool = accesses.iter().any(|(_, access)| access.ty == Type::Bool);
    match (all_same, any_bool) {
        (true, _) => first,
        (false, true) => Type::I8,
        (false, false) => {
            accesses.iter().find(|(_, access)| access.is_store).map_or(first, |(_, access)| access.ty)
        }
    }
}
