//! Makes SSA values of slots: parameters where definitions meet and are still needed, then one walk over the tree of
//! dominators (Cytron, Ferrante, Rosen, Wegman and Zadeck, 1991, with liveness as in Choi, Cytron and Ferrante, 1991).

use super::parts::{Fate, Plan, Slot};
use crate::analysis::{Cfg, DomTree};
use crate::ir::{Block, ConvertOp, EntityMap, Function, Inst, InstData, IntCond, SourceLoc, Type, Value};
use crate::passes::renames::Renames;

/// Carries out a plan.
pub(super) fn construct(func: &mut Function, plan: &Plan) {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let merges = place_merges(func, plan, &cfg, &tree);
    let renames = Renames::new(func);
    let mut constructor = Constructor {
        current: EntityMap::filled(plan.slots.len(), None),
        undo: Vec::new(),
        out: Vec::new(),
        func,
        plan,
        merges,
        renames,
    };
    constructor.walk(&tree);
    let Constructor { func, renames, .. } = constructor;
    renames.apply(func);
}

/// For each block the slots that it takes as parameters, and these.
type Merges = EntityMap<Block, Vec<(Slot, Value)>>;

/// Definitions and upward-exposed uses of a slot.
#[derive(Clone, Default)]
struct Places {
    definitions: Vec<Block>,
    exposed: Vec<Block>,
}

/// Adds parameters for the slots to blocks where definitions meet.
fn place_merges(func: &mut Function, plan: &Plan, cfg: &Cfg, tree: &DomTree) -> Merges {
    let mut merges: Merges = EntityMap::filled(func.blocks.len(), Vec::new());
    if plan.slots.is_empty() {
        return merges;
    }
    let places = places(func, plan, cfg);
    let frontiers = frontiers(func, cfg, tree);
    // Per block the last slot, from one, that was seen there; none needs clearing then.
    let mut live = EntityMap::<Block, u32>::filled(func.blocks.len(), 0);
    let mut defines = live.clone();
    let mut merged = live.clone();
    for ((slot, places), stamp) in places.iter().zip(1..) {
        places.definitions.iter().for_each(|&block| defines[block] = stamp);
        let mut work = places.exposed.clone();
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut live[block], stamp) != stamp {
                work.extend(cfg.predecessors(block).iter().filter(|&&before| defines[before] != stamp));
            }
        }
        work.extend(&places.definitions);
        while let Some(block) = work.pop() {
            for &meeting in &frontiers[block] {
                if live[meeting] == stamp && std::mem::replace(&mut merged[meeting], stamp) != stamp {
                    let param = func.add_block_param(meeting, plan.slots[slot]);
                    merges[meeting].push((slot, param));
                    if defines[meeting] != stamp {
                        work.push(meeting);
                    }
                }
            }
        }
    }
    merges
}

fn places(func: &Function, plan: &Plan, cfg: &Cfg) -> EntityMap<Slot, Places> {
    let mut places = EntityMap::filled(plan.slots.len(), Places::default());
    for &block in cfg.order() {
        for &inst in &func.blocks[block].insts {
            let Fate::Slot(slot) = plan.fates[inst] else { continue };
            let Places { definitions, exposed } = &mut places[slot];
            let is_defined = definitions.last() == Some(&block);
            match func.insts[inst] {
                InstData::Store { .. } if !is_defined => definitions.push(block),
                InstData::Load { .. } if !is_defined && exposed.last() != Some(&block) => {
                    exposed.push(block);
                }
                _ => {}
            }
        }
    }
    places
}

/// For each block those that it does not dominate but a predecessor of which it does.
fn frontiers(func: &Function, cfg: &Cfg, tree: &DomTree) -> EntityMap<Block, Vec<Block>> {
    let mut frontiers: EntityMap<Block, Vec<Block>> = EntityMap::filled(func.blocks.len(), Vec::new());
    for &block in cfg.order() {
        let predecessors = cfg.predecessors(block);
        if predecessors.len() < 2 {
            continue;
        }
        for &predecessor in predecessors {
            let mut runner = Some(predecessor);
            while let Some(from) = runner.filter(|&from| Some(from) != tree.idom(block)) {
                if frontiers[from].last() == Some(&block) {
                    break;
                }
                frontiers[from].push(block);
                runner = tree.idom(from);
            }
        }
    }
    frontiers
}

struct Constructor<'f> {
    func: &'f mut Function,
    plan: &'f Plan,
    merges: Merges,
    renames: Renames,
    /// Current value of each slot; none if it was not written yet.
    current: EntityMap<Slot, Option<Value>>,
    /// Previous values of slots, to be restored when the walk leaves a subtree.
    undo: Vec<(Slot, Option<Value>)>,
    /// The instructions of the block so far.
    out: Vec<Inst>,
}

impl Constructor<'_> {
    fn walk(&mut self, tree: &DomTree) {
        // The blocks above, each with the length of `undo` when it was entered.
        let mut above: Vec<(Block, usize)> = Vec::new();
        for &block in tree.preorder() {
            while let Some(&(parent, mark)) = above.last() {
                if tree.idom(block) == Some(parent) {
                    break;
                }
                above.pop();
                for (slot, value) in self.undo.drain(mark..).rev() {
                    self.current[slot] = value;
                }
            }
            above.push((block, self.undo.len()));
            self.block(block);
        }
    }

    fn block(&mut self, block: Block) {
        for index in 0..self.merges[block].len() {
            let (slot, param) = self.merges[block][index];
            self.set(slot, param);
        }
        for inst in std::mem::take(&mut self.func.blocks[block].insts) {
            self.inst(inst);
        }
        self.func.blocks[block].insts = std::mem::take(&mut self.out);
    }

    fn set(&mut self, slot: Slot, value: Value) {
        self.undo.push((slot, self.current[slot].replace(value)));
    }

    /// Current value of a slot; zero if it was not written yet.
    fn get(&mut self, slot: Slot, location: SourceLoc) -> Value {
        match self.current[slot] {
            Some(value) => value,
            None => self.push(InstData::Const { bits: 0 }, self.plan.slots[slot], location),
        }
    }

    fn inst(&mut self, inst: Inst) {
        let location = self.func.locations[inst];
        match (self.plan.fates.get(inst), &self.func.insts[inst]) {
            (Some(Fate::Drop), _) => {}
            (Some(Fate::Zero), _) => {
                self.func.insts[inst] = InstData::Const { bits: 0 };
                self.out.push(inst);
            }
            (Some(&Fate::Slot(slot)), &InstData::Store { value, .. }) => {
                let value = self.renames.resolve(value);
                let value = self.convert(value, self.plan.slots[slot], location);
                self.set(slot, value);
            }
            (Some(&Fate::Slot(slot)), _) => {
                let Some(result) = self.func.results[inst] else { return };
                let value = self.get(slot, location);
                let value = self.convert(value, self.func.ty(result), location);
                self.renames.replace(result, value);
            }
            (Some(Fate::Stay) | None, _) => {
                if self.func.insts[inst].is_terminator() {
                    self.pass_arguments(inst, location);
                }
                self.out.push(inst);
            }
        }
    }

    fn pass_arguments(&mut self, inst: Inst, location: SourceLoc) {
        let mut data = std::mem::replace(&mut self.func.insts[inst], InstData::Return);
        for call in data.successors_mut() {
            for index in 0..self.merges[call.block].len() {
                let (slot, _) = self.merges[call.block][index];
                let value = self.get(slot, location);
                call.args.push(value);
            }
        }
        self.func.insts[inst] = data;
    }

    /// A value as one of another type of the same size in memory.
    fn convert(&mut self, value: Value, to: Type, location: SourceLoc) -> Value {
        match (self.func.ty(value), to) {
            (from, to) if from == to => value,
            (Type::Bool, to) => {
                let byte = InstData::Convert { op: ConvertOp::ZeroExtend, arg: value };
                let byte = self.push(byte, Type::I8, location);
                self.convert(byte, to, location)
            }
            (from, Type::Bool) => {
                let zero = self.push(InstData::Const { bits: 0 }, from, location);
                let data = InstData::IntCompare { cond: IntCond::Ne, args: [value, zero] };
                self.push(data, Type::Bool, location)
            }
            (_, to) => self.push(InstData::Convert { op: ConvertOp::Bitcast, arg: value }, to, location),
        }
    }

    fn push(&mut self, data: InstData, ty: Type, location: SourceLoc) -> Value {
        let (inst, value) = self.func.make_value(data, ty, location);
        self.out.push(inst);
        value
    }
}
