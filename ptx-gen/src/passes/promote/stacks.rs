//! Initial values of local arrays that are never read: those of stacks and lists, of which only slots below a counter are.
//!
//! A block parameter `P` is a *height* if, in the blocks that its own dominates, slots 0 to P − 1 hold values of stores that are not
//! initial. Heights are found by induction over the edges: each passes a constant `k` behind stores of slots 0 to k − 1, or a
//! height `Q` less a number that is proved not to be greater, or `Q + c` behind stores of slots Q to Q + c − 1. If every load is of a
//! slot below a height, a store whose block no height's block dominates is an *initial* one, and nothing reads it: on every path from it to a load
//! there is the height's block, so it comes before the stores that the height counts.

use std::collections::HashSet;

use super::parts::{Access, Uses};
use crate::analysis::{Cfg, DomTree, Ranges};
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstData, IntCond, LocalVar, Type, Value, ValueDef,
};
use kernel_abi::eval::signed;

/// Greatest number that is added to a height on an edge, and greatest constant height.
const MOST_SLOTS: i64 = 64;

/// A value as another one and a constant; a constant alone has no base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Linear {
    base: Option<Value>,
    plus: i64,
}

/// An access to a slot of the array: to a field of an element.
struct Place<'a> {
    access: &'a Access,
    slot: Linear,
    /// Offset in the element, and size.
    field: (i64, u32),
}

struct Array<'f, 'a> {
    func: &'f Function,
    cfg: &'a Cfg,
    tree: DomTree,
    places: Vec<Place<'a>>,
    fields: HashSet<(i64, u32)>,
    heights: Vec<Value>,
    /// Constant heights, with the blocks that pass them.
    constants: Vec<(Block, i64)>,
}

/// The stores of initial values of a variable that nothing reads. See the head of this file.
pub(super) fn initial_stores<'f>(
    func: &'f Function,
    uses: &Uses,
    cfg: &Cfg,
    var: LocalVar,
    ranges: &mut Option<Ranges<'f>>,
) -> Vec<Inst> {
    let Some(mut array) = Array::new(func, uses, cfg, var) else { return Vec::new() };
    match array.find_heights(ranges) {
        Some(()) => array.initial(),
        None => Vec::new(),
    }
}

impl<'f, 'a> Array<'f, 'a> {
    fn new(func: &'f Function, uses: &'a Uses, cfg: &'a Cfg, var: LocalVar) -> Option<Array<'f, 'a>> {
        let accesses = &uses.accesses[var];
        let index = |access: &Access| match uses.terms(access.pointer.terms)?[..] {
            [] => Some(None),
            [term] => Some(Some(scaled(func, term))),
            _ => None,
        };
        let (_, stride) = index(accesses.iter().find(|access| !access.is_store)?)??;
        let places = accesses.iter().map(|access| {
            let Linear { base, plus } = match index(access)? {
                None => Linear { base: None, plus: 0 },
                Some((index, by)) if by == stride => linear(func, index),
                Some(_) => return None,
            };
            let offset = access.pointer.offset;
            let slot = Linear { base, plus: plus.checked_add(offset.div_euclid(stride))? };
            Some(Place { access, slot, field: (offset.rem_euclid(stride), access.ty.bytes()) })
        });
        let places: Vec<Place<'_>> = places.collect::<Option<_>>()?;
        let loaded = || places.iter().filter(|place| !place.access.is_store);
        let fields: HashSet<(i64, u32)> = loaded().map(|place| place.field).collect();
        // Fields that share bytes are one.
        let end = |(offset, bytes): (i64, u32)| offset + i64::from(bytes);
        let meets = |a: (i64, u32), b: (i64, u32)| a.0 < end(b) && b.0 < end(a);
        let are_apart = places.iter().all(|place| {
            end(place.field) <= stride && fields.iter().all(|&f| f == place.field || !meets(f, place.field))
        });
        are_apart.then(|| Array {
            func,
            cfg,
            tree: DomTree::new(cfg),
            places,
            fields,
            heights: Vec::new(),
            constants: Vec::new(),
        })
    }

    /// Finds heights above every load, and what they are made of; none if there is a load without.
    fn find_heights(&mut self, ranges: &mut Option<Ranges<'f>>) -> Option<()> {
        for place in self.places.iter().filter(|place| !place.access.is_store) {
            let height = self.height_above(place)?;
            if !self.heights.contains(&height) {
                self.heights.push(height);
            }
        }
        let mut next = 0;
        while let Some(&height) = self.heights.get(next) {
            next += 1;
            let ValueDef::Param(block) = self.func.values[height].def else { return None };
            let index = self.func.blocks[block].params.iter().position(|&param| param == height)?;
            for &from in self.cfg.predecessors(block) {
                let calls = self.func.insts[self.func.terminator(from)?].successors();
                for call in calls.filter(|call| call.block == block) {
                    let Linear { base, plus } = linear(self.func, call.args[index]);
                    if !(-MOST_SLOTS..=MOST_SLOTS).contains(&plus) {
                        return None;
                    }
                    let Some(base) = base else {
                        (plus >= 0).then(|| self.constants.push((from, plus)))?;
                        continue;
                    };
                    let is_stored = |plus| {
                        let slot = Linear { base: Some(base), plus };
                        self.fields.iter().all(|&field| self.stores(slot, field, from).next().is_some())
                    };
                    let holds = if plus >= 0 {
                        (0..plus).all(is_stored)
                    } else {
                        self.is_accessed(Linear { base: Some(base), plus }, from)
                            || ranges
                                .get_or_insert_with(|| Ranges::new(self.func))
                                .at(base, from)
                                .is_some_and(|interval| interval.lo >= plus.unsigned_abs())
                    };
                    if !holds {
                        return None;
                    }
                    if !self.heights.contains(&base) {
                        self.heights.push(base);
                    }
                }
            }
        }
        Some(())
    }

    /// A block parameter that the slot of a load is below: by subtraction, or by a comparison that has been made.
    fn height_above(&self, load: &Place<'_>) -> Option<Value> {
        let is_param = |value: &Value| matches!(self.func.values[*value].def, ValueDef::Param(_));
        let below = |slot: Linear| slot.base.filter(|_| slot.plus < 0).filter(is_param);
        if let Some(height) = below(load.slot) {
            return Some(height);
        }
        let mut block = load.access.block;
        loop {
            let before = self.tree.idom(block)?;
            if let InstData::Branch { cond, if_true, if_false, .. } =
                &self.func.insts[self.func.terminator(before)?]
                && if_true.block != if_false.block
                && self.cfg.predecessors(block) == [before]
                && let Some(&InstData::IntCompare { cond, args }) = self.func.def(*cond)
            {
                let cond = if if_true.block == block { cond } else { cond.inverse() };
                let less = match cond.unsigned() {
                    IntCond::ULt => Some(args),
                    IntCond::UGt => Some([args[1], args[0]]),
                    _ => None,
                };
                // A difference may have wrapped, so the height is compared as it is.
                if let Some([low, Linear { base: Some(height), plus: 0 }]) =
                    less.map(|args| args.map(|arg| linear(self.func, arg)))
                    && low == load.slot
                    && is_param(&height)
                {
                    return Some(height);
                }
            }
            block = before;
        }
    }

    /// Stores of a field of a slot that have been executed once `block` ends.
    fn stores(&self, slot: Linear, field: (i64, u32), block: Block) -> impl Iterator<Item = &Place<'a>> {
        self.places.iter().filter(move |place| {
            place.access.is_store
                && (place.slot, place.field) == (slot, field)
                && self.tree.dominates(place.access.block, block)
        })
    }

    /// Returns true if a slot has been accessed once `block` ends, and so is one of the array's.
    fn is_accessed(&self, slot: Linear, block: Block) -> bool {
        self.places.iter().any(|place| place.slot == slot && self.tree.dominates(place.access.block, block))
    }

    /// The initial stores, without those of the slots that constant heights count.
    fn initial(&self) -> Vec<Inst> {
        let blocks: Vec<Block> = self.heights.iter().filter_map(|&height| self.block_of(height)).collect();
        let is_initial = |access: &Access| {
            access.is_store && !blocks.iter().any(|&block| self.tree.dominates(block, access.block))
        };
        let mut counted: Vec<Block> = Vec::new();
        for &(from, height) in &self.constants {
            for slot in 0..height {
                for &field in &self.fields {
                    let slot = Linear { base: None, plus: slot };
                    // The last of them.
                    let stores = self.stores(slot, field, from).map(|place| place.access.block);
                    let Some(block) = stores.max_by_key(|&block| self.cfg.position(block)) else {
                        return Vec::new();
                    };
                    counted.push(block);
                }
            }
        }
        let most = self.constants.iter().map(|&(_, height)| height).max().unwrap_or(0);
        let stays = |place: &Place<'_>| match place.slot {
            Linear { base: None, plus } => (0..most).contains(&plus),
            // One that comes after a store that counts may be of its slot.
            _ => counted.iter().any(|&block| self.tree.dominates(block, place.access.block)),
        };
        let initial = self.places.iter().filter(|place| is_initial(place.access) && !stays(place));
        initial.map(|place| place.access.inst).collect()
    }

    fn block_of(&self, param: Value) -> Option<Block> {
        match self.func.values[param].def {
            ValueDef::Param(block) => Some(block),
            ValueDef::Result(_) => None,
        }
    }
}

/// A term of an address as an index and the size of an element.
fn scaled(func: &Function, term: Value) -> (Value, i64) {
    if let Some(&InstData::Binary { op, args: [index, by], .. }) = func.def(term)
        && let Some(by) = func.constant(by)
    {
        match op {
            BinaryOp::Mul if (1..1 << 32).contains(&by) => return (index, by as i64),
            BinaryOp::Shl if by < 32 => return (index, 1 << by),
            _ => {}
        }
    }
    (term, 1)
}

/// A value as a base and a constant. Exact for indices within an array: a sum that wraps is none.
fn linear(func: &Function, mut value: Value) -> Linear {
    let mut plus = 0i64;
    loop {
        let ty = func.ty(value);
        match func.def(value) {
            Some(&InstData::Const { bits }) if ty != Type::Bool => {
                return Linear { base: None, plus: plus.saturating_add(signed(ty, bits)) };
            }
            Some(&InstData::Convert {
                op: ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::IndexExtend,
                arg,
            }) if func.ty(arg) == Type::I32 => value = arg,
            Some(&InstData::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Sub), args: [first, by], ..
            }) => {
                let Some(bits) = func.constant(by) else { break };
                let by = signed(func.ty(by), bits);
                let sum = match op {
                    BinaryOp::Add => plus.checked_add(by),
                    _ => plus.checked_sub(by),
                };
                let Some(sum) = sum.filter(|sum| sum.unsigned_abs() < 1 << 16) else { break };
                (value, plus) = (first, sum);
            }
            _ => break,
        }
    }
    Linear { base: Some(value), plus }
}
