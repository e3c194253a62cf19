//! Uniformity analysis: values that differ between the threads of a grid, of a block or of a warp, and divergent branches.
//!
//! As in Karrenberg and Hack, "Improving Performance of OpenCL on CPUs" (CC 2012), and Rosemann, Moll and Hack, "An Abstract
//! Interpretation for SPMD Divergence on Reducible Control Flow Graphs" (POPL 2021): everything is uniform at first; thread
//! and lane numbers, atomics and thread-private memory vary; the results computed from them vary with them; so does a
//! parameter of a block that joins paths of a divergent branch, and a value used outside a loop that threads leave in
//! different iterations. The analysis runs to a fixed point.
//!
//! Threads that panic exit, and no thread waits for them: branches into a panic are not divergent.
//!
//! Memory at a uniform address is uniform where no other thread can write it while it is read: see [`races`].

mod influence;
mod origin;
mod races;
mod shape;
mod transfer;
mod variance;

pub use influence::Region;
pub use origin::Origin;
pub use transfer::ALL_LANES;
pub use variance::{Group, Variance};

use self::influence::{Influence, Live};
use self::races::Races;
use self::shape::Threads;
use super::loops::Loops;
use crate::ir::{Block, BlockShape, EntityMap, Function, Inst, InstData, Value, ValueDef};

/// Maximum number of steps by which a value is followed to see that it is loop-invariant.
const MOST_STEPS: usize = 6;

/// Cause of a value's variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// The instruction that makes it is a source.
    Itself,
    /// Another value does.
    Value(Value),
    /// The divergent branch at the end of this block, whose paths join here or leave a loop.
    Branch(Block),
    /// The value that this instruction stores in thread-private memory.
    Store(Inst),
}

/// Result of the analysis of a function.
pub struct Uniformity<'f> {
    func: &'f Function,
    live: Live,
    loops: Loops,
    races: Races,
    threads: Threads,
    values: EntityMap<Value, Variance>,
    /// For each group of threads why a value varies in it.
    causes: EntityMap<Value, [Option<Cause>; Group::ALL.len()]>,
    /// The divergent branches, by their block, with their influence regions.
    parting: Vec<(Block, Influence)>,
    /// The branches whose sides meet in a block, and the blocks from which they come.
    meets: EntityMap<Block, Vec<(Block, Vec<Block>)>>,
    /// Loops that threads leave in different iterations (temporal divergence): by loop, the branches at fault.
    temporal: Vec<Vec<Block>>,
    /// Variance of the content of thread-private memory, and the store at fault.
    own_memory: (Variance, [Option<Inst>; Group::ALL.len()]),
}

impl<'f> Uniformity<'f> {
    /// Analyses a function, for launches whose blocks are of this shape where the kernel's bounds leave them open.
    pub fn new(func: &'f Function, shape: BlockShape) -> Uniformity<'f> {
        let live = Live::new(func);
        let loops = Loops::new(&live.cfg, &live.dominators);
        let mut uniformity = Uniformity {
            func,
            races: Races::new(func),
            threads: Threads::new(func, shape),
            values: EntityMap::filled(func.values.len(), Variance::UNIFORM),
            causes: EntityMap::filled(func.values.len(), [None; Group::ALL.len()]),
            parting: Vec::new(),
            meets: EntityMap::filled(func.blocks.len(), Vec::new()),
            temporal: vec![Vec::new(); loops.loops().len()],
            own_memory: (Variance::UNIFORM, [None; Group::ALL.len()]),
            live,
            loops,
        };
        while uniformity.sweep() {}
        uniformity
    }

    /// Variance of a value at its definition.
    pub fn of(&self, value: Value) -> Variance {
        self.values[value]
    }

    /// Variance of the condition at the end of a block; uniform if it has none.
    pub fn of_branch(&self, block: Block) -> Variance {
        self.condition(block).map_or(Variance::UNIFORM, |cond| self.at(cond, block))
    }

    /// The branches, by their blocks, that keep some threads of a group from coming to `block` with the others, in the order
    /// of the code.
    pub fn parted_before(&self, block: Block, group: Group) -> Vec<Block> {
        let touching = self.parting.iter().filter(|(branch, influence)| {
            influence.touches(block) && self.of_branch(*branch).varies_in(group)
        });
        let mut branches: Vec<Block> = touching.map(|(branch, _)| *branch).collect();
        branches.sort_by_key(|&branch| self.live.cfg.position(branch));
        branches
    }

    /// The blocks that run without ending in a panic, in reverse postorder.
    pub fn blocks(&self) -> &[Block] {
        self.live.cfg.order()
    }

    /// The graph of those blocks.
    pub fn cfg(&self) -> &super::Cfg {
        &self.live.cfg
    }

    /// Returns true if a branch leaves a loop that holds a block too, or decides whether to.
    pub fn leaves_loop_around(&self, branch: Block, block: Block) -> bool {
        let mut around = (0..self.loops.loops().len())
            .filter(|&index| self.loops.contains(index, branch) && self.loops.contains(index, block));
        let leaves = |index: usize| {
            self.live.cfg.successors(branch).iter().any(|&next| !self.loops.contains(index, next))
        };
        around.any(leaves)
    }

    fn condition(&self, block: Block) -> Option<Value> {
        // A branch with one way left is none.
        if self.live.cfg.successors(block).len() < 2 {
            return None;
        }
        match &self.func.insts[self.func.terminator(block)?] {
            InstData::Branch { cond, .. } => Some(*cond),
            _ => None,
        }
    }

    /// Looks at every instruction once; whether anything changed.
    fn sweep(&mut self) -> bool {
        let mut changed = false;
        for index in 0..self.live.cfg.order().len() {
            let block = self.live.cfg.order()[index];
            changed |= self.params(block);
            let func = self.func;
            for &inst in &func.blocks[block].insts {
                match func.results[inst] {
                    Some(result) => {
                        let variance = self.transfer(block, inst, result);
                        changed |= self.raise(result, variance, |this, group| this.cause(block, inst, group));
                    }
                    None => changed |= self.store(block, inst),
                }
            }
            changed |= self.part(block);
        }
        changed
    }

    /// Makes a value vary at least so; `cause` says why, for each group in which it did not before.
    fn raise(&mut self, value: Value, to: Variance, cause: impl Fn(&Self, Group) -> Option<Cause>) -> bool {
        let before = self.values[value];
        let after = before.union(self.threads.limit(to));
        if after == before {
            return false;
        }
        for group in Group::ALL {
            if after.shows_in(group) && !before.shows_in(group) {
                self.causes[value][group as usize] = cause(self, group);
            }
        }
        self.values[value] = after;
        true
    }

    /// The parameters of a block take what the edges bring.
    fn params(&mut self, block: Block) -> bool {
        let func = self.func;
        let mut changed = false;
        for (position, &param) in func.blocks[block].params.iter().enumerate() {
            for index in 0..self.live.cfg.predecessors(block).len() {
                let from = self.live.cfg.predecessors(block)[index];
                let Some(terminator) = func.terminator(from) else { continue };
                for call in func.insts[terminator].successors().filter(|call| call.block == block) {
                    let arg = call.args[position];
                    let variance = self.at(arg, block);
                    changed |= self.raise(param, variance, |this, group| this.cause_at(arg, block, group));
                }
            }
            for index in 0..self.meets[block].len() {
                let (branch, from) = &self.meets[block][index];
                if self.bring_the_same(from, block, position) {
                    continue;
                }
                let branch = *branch;
                let variance = self.of_branch(branch);
                changed |= self.raise(param, variance, |_, _| Some(Cause::Branch(branch)));
            }
        }
        changed
    }

    /// Returns true if a parameter is the same value on all edges from these blocks.
    fn bring_the_same(&self, from: &[Block], block: Block, position: usize) -> bool {
        let terminators = from.iter().filter_map(|&from| self.func.terminator(from));
        let calls = terminators.flat_map(|inst| self.func.insts[inst].successors());
        let mut args = calls.filter(|call| call.block == block).map(|call| call.args[position]);
        let Some(first) = args.next() else { return true };
        let bits = self.func.constant(first);
        args.all(|arg| arg == first || bits.is_some() && self.func.constant(arg) == bits)
    }

    /// Variance of a value at a use: more than at its definition if threads left a loop in between in different iterations.
    fn at(&self, value: Value, block: Block) -> Variance {
        let parted = self.left_loops(value, block).map(|branch| self.of_branch(branch));
        parted.fold(self.values[value], Variance::union)
    }

    fn cause_at(&self, value: Value, block: Block, group: Group) -> Option<Cause> {
        if self.values[value].shows_in(group) {
            return Some(Cause::Value(value));
        }
        self.left_loops(value, block)
            .find(|&branch| self.of_branch(branch).shows_in(group))
            .map(Cause::Branch)
    }

    /// The branches that make threads leave the loops between a value and its use in different iterations.
    fn left_loops(&self, value: Value, block: Block) -> impl Iterator<Item = Block> {
        let mut next = self.home(value).and_then(|home| self.loops.innermost(home));
        let around = std::iter::from_fn(move || {
            let index = next.filter(|&index| !self.loops.contains(index, block))?;
            next = self.loops.loops()[index].parent;
            Some(index)
        });
        let around = around.filter(move |&index| !self.is_same_in_each_round(value, index, MOST_STEPS));
        around.flat_map(|index| self.temporal[index].iter().copied())
    }

    /// Returns true if a value of a loop is loop-invariant, as found in so many steps at most.
    fn is_same_in_each_round(&self, value: Value, around: usize, steps: usize) -> bool {
        let ValueDef::Result(inst) = self.func.values[value].def else { return false };
        let data = &self.func.insts[inst];
        let is_outside = |arg: Value| self.home(arg).is_some_and(|home| !self.loops.contains(around, home));
        let mut same = data.is_pure() && steps > 0;
        data.visit_args(|arg| {
            same = same && (is_outside(arg) || self.is_same_in_each_round(arg, around, steps - 1));
        });
        same
    }

    /// The block where a value is made.
    fn home(&self, value: Value) -> Option<Block> {
        match self.func.values[value].def {
            ValueDef::Param(home) => Some(home),
            ValueDef::Result(inst) => self.live.home(inst),
        }
    }

    /// The content of memory that may be thread-private varies with the value stored, the address, and the divergence here.
    fn store(&mut self, block: Block, inst: Inst) -> bool {
        let InstData::Store { space, address, value, .. } = self.func.insts[inst] else { return false };
        if !self.live.may_be_own(space) {
            return false;
        }
        let control = self.parting.iter().filter(|(_, influence)| influence.touches(block));
        let control =
            control.map(|(branch, _)| self.of_branch(*branch)).fold(Variance::UNIFORM, Variance::union);
        let stored = self.at(address, block).union(self.at(value, block)).union(control);
        let before = self.own_memory.0;
        let after = before.union(self.threads.limit(stored));
        for group in Group::ALL {
            if after.shows_in(group) && !before.shows_in(group) {
                self.own_memory.1[group as usize] = Some(inst);
            }
        }
        self.own_memory.0 = after;
        after != before
    }

    /// If the branch at the end of a block parts threads: what that touches.
    fn part(&mut self, block: Block) -> bool {
        if self.of_branch(block) == Variance::UNIFORM || self.parting.iter().any(|(known, _)| *known == block)
        {
            return false;
        }
        let influence = Influence::new(&self.live, block);
        for (meet, from) in &influence.meets {
            self.meets[*meet].push((block, from.clone()));
        }
        for (index, inside) in self.loops.loops().iter().enumerate() {
            let leaves = |&from: &Block| {
                (from == block || influence.touches(from))
                    && self.live.cfg.successors(from).iter().any(|&to| !self.loops.contains(index, to))
            };
            if self.loops.contains(index, block) && inside.blocks.iter().any(leaves) {
                self.temporal[index].push(block);
            }
        }
        self.parting.push((block, influence));
        true
    }
}
