//! Loads that race with a write: their values may differ between threads that read the same address.
//!
//! Barriers divide a run into intervals: all threads of a block are in the same interval at the same time (PTX ISA, 9.7.13.1, "bar, barrier").
//! Two instructions may run in the same interval if the same barrier, or the start of the kernel, leads to both without another
//! barrier between; that is a forward data-flow problem over sets of barriers. Shared memory is written by the block alone, so
//! barriers of the block divide it, where no other block of the cluster has an address of it; global memory is written by other blocks
//! too. Only barriers of the cluster and of the grid keep those in step.
//!
//! Parameters are slices of different buffers, or read-only, and variables in shared memory do not overlap: only
//! writes to the same one matter, and of those at other constant distances from its start none. Inline PTX is `unsafe`: its
//! author has to make sure that its writes race with no other access.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::analysis::Cfg;
use crate::ir::{BinaryOp, Block, EntityMap, Function, Inst, InstData, Param, SharedVar, Space, Type, Value};

/// Object that an access is to, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Object {
    /// A variable in shared memory; all dynamic ones are one.
    Shared(SharedVar),
    /// The dynamic shared memory.
    Dynamic,
    /// Such a variable of any block of the cluster; none for the dynamic one.
    Remote(Option<SharedVar>),
    /// The buffer that a parameter points to.
    Buffer(Param),
}

/// Pointer provenance of a number: a lattice, from nothing seen up to everything possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// Nothing has been seen yet.
    Unseen,
    /// No address of an object.
    Number,
    /// An address in one, at this distance from its start if that is constant.
    In(Object, Option<i64>),
    /// It may be anywhere.
    Anywhere,
}

impl Root {
    fn join(self, other: Root) -> Root {
        match (self, other) {
            (Root::Unseen, other) | (other, Root::Unseen) => other,
            (Root::Number, Root::Number) => Root::Number,
            (Root::In(a, from), Root::In(b, to)) if a == b => Root::In(a, from.filter(|_| from == to)),
            (Root::Number | Root::In(..) | Root::Anywhere, _) => Root::Anywhere,
        }
    }

    /// Of a sum; `by` is the other summand if that is constant.
    fn plus(self, other: Root, by: Option<i64>) -> Root {
        match (self, other) {
            (Root::Unseen, _) | (_, Root::Unseen) => Root::Unseen,
            (Root::In(object, at), Root::Number) => {
                Root::In(object, at.zip(by).map(|(at, by)| at.wrapping_add(by)))
            }
            (Root::Number, Root::Number) => Root::Number,
            _ => Root::Anywhere,
        }
    }
}

/// The roots of all values.
fn roots(func: &Function, cfg: &Cfg) -> EntityMap<Value, Root> {
    let mut roots = EntityMap::filled(func.values.len(), Root::Unseen);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in cfg.order() {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                if let Some(result) = func.results[inst] {
                    roots[result] = root(func, &roots, data);
                }
                for call in data.successors() {
                    for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                        let joined = roots[param].join(roots[arg]);
                        changed |= joined != roots[param];
                        roots[param] = joined;
                    }
                }
            }
        }
    }
    roots
}

fn root(func: &Function, roots: &EntityMap<Value, Root>, data: &InstData) -> Root {
    let number =
        |value: Value| func.constant(value).map(|bits| kernel_abi::eval::signed(func.ty(value), bits));
    match *data {
        InstData::SharedAddress { var } if func.shared[var].is_dynamic() => {
            Root::In(Object::Dynamic, Some(0))
        }
        InstData::SharedAddress { var } => Root::In(Object::Shared(var), Some(0)),
        InstData::Param { param } if func.params[param].pointer_align.is_some() => {
            Root::In(Object::Buffer(param), Some(0))
        }
        InstData::ToGeneric { address, .. } => roots[address],
        InstData::MapShared { address, .. } => match roots[address] {
            Root::In(Object::Shared(var), at) => Root::In(Object::Remote(Some(var)), at),
            Root::In(Object::Dynamic, at) => Root::In(Object::Remote(None), at),
            other => other,
        },
        InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } => match roots[a] {
            Root::Number => roots[b].plus(roots[a], number(a)),
            Root::Unseen | Root::In(..) | Root::Anywhere => roots[a].plus(roots[b], number(b)),
        },
        InstData::Binary { op: BinaryOp::Sub, args: [a, b], .. } => {
            roots[a].plus(roots[b], number(b).map(i64::wrapping_neg))
        }
        InstData::Select { if_true, if_false, .. } => roots[if_true].join(roots[if_false]),
        _ => Root::Number,
    }
}

/// A set of the barriers after which a point of the code may be reached without another; 0 stands for the start of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Starts(Vec<u64>);

impl Starts {
    fn only(start: usize) -> Starts {
        let mut words = vec![0; start / 64 + 1];
        words[start / 64] = 1 << (start % 64);
        Starts(words)
    }

    /// Adds the starts of another set; returns true if there are new ones.
    fn add(&mut self, other: &Starts) -> bool {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        let mut changed = false;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }

    fn meets(&self, other: &Starts) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// The intervals between barriers of some kind.
struct Intervals {
    /// At the start of each block.
    starts: EntityMap<Block, Starts>,
    /// The numbers of the barriers.
    numbers: HashMap<Inst, usize>,
}

impl Intervals {
    fn new(func: &Function, cfg: &Cfg, divides: impl Fn(&InstData) -> bool) -> Intervals {
        let mut numbers = HashMap::new();
        let mut last = EntityMap::<Block, Option<usize>>::filled(func.blocks.len(), None);
        for &block in cfg.order() {
            for &inst in func.blocks[block].insts.iter().filter(|&&inst| divides(&func.insts[inst])) {
                numbers.insert(inst, numbers.len() + 1);
                last[block] = Some(numbers.len());
            }
        }
        let mut starts = EntityMap::filled(func.blocks.len(), Starts::default());
        starts[func.entry()] = Starts::only(0);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in cfg.order() {
                let end = last[block].map_or_else(|| starts[block].clone(), Starts::only);
                for &next in cfg.successors(block) {
                    changed |= starts[next].add(&end);
                }
            }
        }
        Intervals { starts, numbers }
    }

    /// Visits the instructions of a block with the sets of where they stand.
    fn visit(&self, func: &Function, block: Block, mut visit: impl FnMut(Inst, &Starts)) {
        let mut now = self.starts[block].clone();
        for &inst in &func.blocks[block].insts {
            visit(inst, &now);
            if let Some(&number) = self.numbers.get(&inst) {
                now = Starts::only(number);
            }
        }
    }
}

/// The writes to an object.
#[derive(Default)]
struct Writes {
    /// All of them.
    all: Starts,
    /// Writes at unknown distances.
    elsewhere: Starts,
    /// The others, by their distance.
    at: BTreeMap<i64, Vec<(i64, Starts)>>,
}

/// The most bytes that one access takes.
const MOST_BYTES: i64 = 32;

impl Writes {
    fn add(&mut self, range: Option<(i64, i64)>, starts: &Starts) {
        self.all.add(starts);
        match range {
            None => _ = self.elsewhere.add(starts),
            Some((from, to)) => {
                let known = self.at.entry(from).or_default();
                match known.iter_mut().find(|row| row.0 == to) {
                    Some(row) => _ = row.1.add(starts),
                    None => known.push((to, starts.clone())),
                }
            }
        }
    }

    fn meet(&self, range: Option<(i64, i64)>, starts: &Starts) -> bool {
        let Some((from, to)) = range else { return self.all.meets(starts) };
        let near = self.at.range(from.saturating_sub(MOST_BYTES)..to);
        self.elsewhere.meets(starts)
            || near.flat_map(|(_, rows)| rows).any(|(end, at)| *end > from && at.meets(starts))
    }
}

/// An access, as far as it is known where it goes.
struct Access {
    space: Space,
    object: Option<Object>,
    /// From where to where in the object.
    range: Option<(i64, i64)>,
}

/// The loads that race with writes.
pub(super) struct Races {
    racing: HashSet<Inst>,
}

impl Races {
    /// Of all blocks, those that end in a panic too.
    pub fn new(func: &Function) -> Races {
        let cfg = Cfg::new(func);
        let mut racing = HashSet::new();
        Search::new(func, &cfg).races(|load, _| _ = racing.insert(load));
        Races { racing }
    }

    /// Returns true if another thread may write the memory that this load reads, in the same interval.
    pub fn contains(&self, load: Inst) -> bool {
        self.racing.contains(&load)
    }

    /// A write that a load races with, for messages.
    pub fn writer(func: &Function, load: Inst) -> Option<Inst> {
        let cfg = Cfg::new(func);
        Search::new(func, &cfg).writer(load)
    }
}

/// Analyses that both queries need.
struct Search<'f> {
    func: &'f Function,
    cfg: &'f Cfg,
    roots: EntityMap<Value, Root>,
    /// Of barriers of the block; for global memory, of the grid; for what other blocks access in shared memory, of the cluster.
    intervals: [Intervals; 3],
}

impl<'f> Search<'f> {
    fn new(func: &'f Function, cfg: &'f Cfg) -> Search<'f> {
        let of_grid = |data: &InstData| matches!(data, InstData::GridBarrier);
        let of_cluster = |data: &InstData| of_grid(data) || matches!(data, InstData::ClusterBarrier { .. });
        let of_block = |data: &InstData| {
            of_cluster(data) || matches!(data, InstData::Barrier | InstData::BarrierReduce { .. })
        };
        let intervals = [
            Intervals::new(func, cfg, of_block),
            Intervals::new(func, cfg, of_grid),
            Intervals::new(func, cfg, of_cluster),
        ];
        Search { func, cfg, roots: roots(func, cfg), intervals }
    }

    /// Access of an instruction to memory that other threads may write too.
    fn access(&self, inst: Inst) -> Option<Access> {
        let func = self.func;
        let data = &func.insts[inst];
        let (space, address) = data.access()?;
        if let Space::Local | Space::Const = space {
            return None;
        }
        let Root::In(object, distance) = self.roots[address] else {
            return Some(Access { space, object: None, range: None });
        };
        if let Object::Buffer(param) = object
            && func.params[param].read_only
        {
            return None;
        }
        let accessed = match *data {
            InstData::Load { offset, .. } => func.results[inst].map(|result| (offset, func.ty(result))),
            InstData::Store { offset, value, .. } => Some((offset, func.ty(value))),
            _ => None,
        };
        let range = accessed.zip(distance).map(|((offset, ty), distance): ((i32, Type), i64)| {
            let from = distance.wrapping_add(offset.into());
            (from, from.saturating_add(ty.bytes().into()))
        });
        Some(Access { space, object: Some(object), range })
    }

    /// The intervals that matter for an access: those of all kinds where it may be to any memory.
    fn kinds(access: &Access) -> &'static [usize] {
        match (access.space, access.object) {
            (Space::Cluster, _) | (_, Some(Object::Remote(_))) => &[2],
            (Space::Shared, _) | (_, Some(Object::Shared(_) | Object::Dynamic)) => &[0, 2],
            (Space::Global, _) | (_, Some(Object::Buffer(_))) => &[1],
            _ => &[0, 1, 2],
        }
    }

    /// The objects whose writes matter in intervals of a kind for a load of one.
    fn others(kind: usize, object: Object) -> [Option<Object>; 2] {
        let remote = |var| Some(Object::Remote(var));
        match (kind, object) {
            (2, Object::Shared(var)) => [remote(Some(var)), None],
            (2, Object::Dynamic) => [remote(None), None],
            (2, Object::Remote(Some(var))) => [remote(Some(var)), Some(Object::Shared(var))],
            (2, Object::Remote(None)) => [remote(None), Some(Object::Dynamic)],
            _ => [Some(object), None],
        }
    }

    fn writes(data: &InstData) -> bool {
        match data {
            InstData::Guarded { access, .. } => Self::writes(access),
            InstData::Store { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicCas { .. }
            | InstData::AtomicStore { .. } => true,
            _ => false,
        }
    }

    /// Kinds of barriers that differ: those of the cluster are as the block's if no block has an address of another's memory.
    fn kinds_in_use(&self) -> usize {
        if self.func.maps_shared() { 3 } else { 2 }
    }

    /// Calls it for each load that races.
    fn races(&self, mut found: impl FnMut(Inst, &Access)) {
        let func = self.func;
        for kind in 0..self.kinds_in_use() {
            let intervals = &self.intervals[kind];
            let mut writes: HashMap<Option<Object>, Writes> = HashMap::new();
            let mut all = Starts::default();
            let mut loads = Vec::new();
            for &block in self.cfg.order() {
                intervals.visit(func, block, |inst, starts| {
                    let data = &func.insts[inst];
                    let Some(access) = self.access(inst) else { return };
                    if !Self::kinds(&access).contains(&kind) {
                        return;
                    }
                    if Self::writes(data) {
                        writes.entry(access.object).or_default().add(access.range, starts);
                        all.add(starts);
                    } else if let InstData::Load { read_only: false, .. } = data {
                        loads.push((inst, access, starts.clone()));
                    }
                });
            }
            for (load, access, starts) in loads {
                let met = match access.object {
                    None => all.meets(&starts),
                    Some(object) => {
                        let others = Self::others(kind, object).into_iter().flatten().map(Some);
                        others.chain([None]).any(|object| {
                            writes.get(&object).is_some_and(|writes| writes.meet(access.range, &starts))
                        })
                    }
                };
                if met {
                    found(load, &access);
                }
            }
        }
    }

    /// The first write in the order of the code that a load races with.
    fn writer(&self, load: Inst) -> Option<Inst> {
        let read = self.access(load)?;
        let overlap = |kind: usize, written: &Access| {
            let is_other = |object: Object| Self::others(kind, object).contains(&written.object);
            let same = written.object.is_none() || read.object.is_none_or(is_other);
            let apart = read.object.is_some()
                && read.range.zip(written.range).is_some_and(|(a, b)| a.1 <= b.0 || b.1 <= a.0);
            same && !apart
        };
        for &kind in Self::kinds(&read).iter().filter(|&&kind| kind < self.kinds_in_use()) {
            let intervals = &self.intervals[kind];
            let mut at = Starts::default();
            for &block in self.cfg.order() {
                intervals.visit(self.func, block, |inst, starts| {
                    if inst == load {
                        at = starts.clone();
                    }
                });
            }
            let mut writer = None;
            for &block in self.cfg.order() {
                intervals.visit(self.func, block, |inst, starts| {
                    let written = || {
                        self.access(inst).is_some_and(|written| {
                            Self::kinds(&written).contains(&kind) && overlap(kind, &written)
                        })
                    };
                    if writer.is_none()
                        && Self::writes(&self.func.insts[inst])
                        && starts.meets(&at)
                        && written()
                    {
                        writer = Some(inst);
                    }
                });
            }
            if writer.is_some() {
                return writer;
            }
        }
        None
    }
}
