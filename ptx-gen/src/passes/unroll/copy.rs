//! Copies the body of a loop for each round.
//!
//! What is computed in the loop and used after it goes through a local variable, so that a copy is only a renaming;
//! [`promote`](super::super::promote) makes values of these variables again.

use std::collections::HashMap;

use super::trips::{Counted, Trips};
use crate::analysis::{Cfg, Loop, Loops};
use crate::ir::{
    BinaryOp, Block, BlockCall, BlockData, EntityMap, Function, Inst, InstData, IntCond, LocalData, LocalVar,
    LoopHint, SourceLoc, Space, Type, Value, ValueData, ValueDef,
};

/// The blocks of a loop, and its panics.
pub(super) fn region(func: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Vec<Block> {
    let around = &loops.loops()[index];
    let mut region = around.blocks.clone();
    for &block in &around.blocks {
        for &next in cfg.successors(block) {
            let panics =
                func.terminator(next).is_some_and(|inst| matches!(func.insts[inst], InstData::Panic { .. }));
            if panics
                && !region.contains(&next)
                && cfg.predecessors(next).iter().all(|&from| loops.contains(index, from))
            {
                region.push(next);
            }
        }
    }
    region
}

/// Makes of a loop as many copies as it has rounds, and one that leaves.
pub(super) fn unroll_fully(func: &mut Function, around: &Loop, region: &[Block], trips: &Trips) {
    spill_live_out(func, region);
    let mut copies: Vec<HashMap<Block, Block>> = vec![region.iter().map(|&block| (block, block)).collect()];
    for _ in 0..trips.rounds {
        copies.push(copy_region(func, region));
    }
    for (round, copy) in copies.iter().enumerate() {
        decide_exit(func, around, copy, trips.exit, round as u32 == trips.rounds);
        if let Some(next) = copies.get(round + 1) {
            for latch in &around.latches {
                redirect(func, copy[latch], copy[&around.header], next[&around.header]);
            }
        }
        func.blocks[copy[&around.header]].hint = None;
    }
    let end = func.layout.iter().rposition(|block| region.contains(block)).map_or(0, |last| last + 1);
    let added = copies[1..].iter().flat_map(|copy| region.iter().map(|block| copy[block]));
    func.layout.splice(end..end, added.collect::<Vec<_>>());
}

/// Makes of a loop whose rounds are counted one with several rounds in each turn. It leaves from one of the copies, the one
/// that has the last round.
pub(super) fn unroll_exactly(func: &mut Function, around: &Loop, region: &[Block], trips: &Trips, by: u32) {
    let copies = copies_in_turn(func, around, region, by);
    for (copy, number) in copies.iter().zip(0..) {
        if number != trips.rounds % by {
            decide_exit(func, around, copy, trips.exit, false);
        }
    }
    close(func, around, &copies, copies[0][&around.header]);
}

/// Makes of any loop one with several rounds in each turn, each with its tests.
pub(super) fn unroll_with_tests(func: &mut Function, around: &Loop, region: &[Block], by: u32) {
    let copies = copies_in_turn(func, around, region, by);
    close(func, around, &copies, copies[0][&around.header]);
}

/// Makes of a loop that counts up to a bound one with several rounds in each turn, which runs while that many are left and
/// has one test, and lets the loop itself do the rest.
pub(super) fn unroll_with_remainder(
    func: &mut Function,
    cfg: &Cfg,
    around: &Loop,
    region: &[Block],
    counted: Counted,
    by: u32,
) {
    let header = around.header;
    spill_live_out(func, region);
    let copies: Vec<HashMap<Block, Block>> = (0..by).map(|_| copy_region(func, region)).collect();
    let [before, bound, main] = [0; 3].map(|_| func.make_block());
    for &from in cfg.predecessors(header).iter().filter(|from| !around.latches.contains(from)) {
        redirect(func, from.to_owned(), header, before);
    }
    turns(func, header, [before, bound, main], copies[0][&header], counted, by);
    for copy in &copies {
        decide_exit(func, around, copy, header, false);
    }
    close(func, around, &copies, main);
    for block in [header, main] {
        func.blocks[block].hint = Some(LoopHint::Never);
    }
    let start = func.layout.iter().position(|block| region.contains(block)).unwrap_or(0);
    let added = copies.iter().flat_map(|copy| region.iter().map(|block| copy[block]));
    let added: Vec<Block> = [before, bound, main].into_iter().chain(added).collect();
    func.layout.splice(start..start, added);
}

/// Fills the blocks that decide between another turn and the remainder:
/// `if end > ahead { last = end - ahead; while i < last { turn } } remainder`, where `ahead` is how far the last round of a
/// turn is from its first.
fn turns(
    func: &mut Function,
    header: Block,
    [before, bound, main]: [Block; 3],
    turn: Block,
    counted: Counted,
    by: u32,
) {
    let location = func.terminator(header).map_or(SourceLoc::default(), |inst| func.locations[inst]);
    let types: Vec<Type> = func.blocks[header].params.iter().map(|&param| func.ty(param)).collect();
    let [starts, nows] = [before, main]
        .map(|block| types.iter().map(|&ty| func.add_block_param(block, ty)).collect::<Vec<_>>());
    let ty = types[counted.counter];
    let ahead = counted.step * u64::from(by - 1);
    let to = |block, args: &[Value]| BlockCall { block, args: args.to_vec() };
    let mut out = Appender { func, location };
    let (less, least) = match counted.is_signed {
        true => (IntCond::SLt, ((ty.mask() >> 1) + 1 + ahead) & ty.mask()),
        false => (IntCond::ULt, ahead),
    };
    let least = out.value(before, InstData::Const { bits: least }, ty);
    let end = out.outside(before, counted.end);
    let exists = out.value(before, InstData::IntCompare { cond: less, args: [least, end] }, Type::Bool);
    let rest = to(header, &starts);
    out.effect(before, InstData::Branch { cond: exists, if_true: to(bound, &[]), if_false: rest });
    let ahead = out.value(bound, InstData::Const { bits: ahead }, ty);
    let end = out.outside(bound, counted.end);
    let no_unsigned_wrap = !counted.is_signed;
    let last = InstData::Binary { op: BinaryOp::Sub, args: [end, ahead], no_unsigned_wrap };
    let last = out.value(bound, last, ty);
    out.effect(bound, InstData::Jump { target: to(main, &starts) });
    let more = InstData::IntCompare { cond: less, args: [nows[counted.counter], last] };
    let more = out.value(main, more, Type::Bool);
    let (turn, rest) = (to(turn, &nows), to(header, &nows));
    out.effect(main, InstData::Branch { cond: more, if_true: turn, if_false: rest });
}

/// Adds instructions at the ends of blocks.
struct Appender<'f> {
    func: &'f mut Function,
    location: SourceLoc,
}

impl Appender<'_> {
    fn value(&mut self, block: Block, data: InstData, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(data, ty, self.location);
        self.func.blocks[block].insts.push(inst);
        value
    }

    fn effect(&mut self, block: Block, data: InstData) {
        let inst = self.func.make_inst(data, None, self.location);
        self.func.blocks[block].insts.push(inst);
    }

    /// A value from outside the loop; constants may stand inside.
    fn outside(&mut self, block: Block, value: Value) -> Value {
        match self.func.constant(value) {
            Some(bits) => self.value(block, InstData::Const { bits }, self.func.ty(value)),
            None => value,
        }
    }
}

/// The loop and copies of it, in the layout; each still goes back to itself.
fn copies_in_turn(
    func: &mut Function,
    around: &Loop,
    region: &[Block],
    by: u32,
) -> Vec<HashMap<Block, Block>> {
    spill_live_out(func, region);
    let mut copies: Vec<HashMap<Block, Block>> = vec![region.iter().map(|&block| (block, block)).collect()];
    for _ in 1..by {
        copies.push(copy_region(func, region));
    }
    let end = func.layout.iter().rposition(|block| region.contains(block)).map_or(0, |last| last + 1);
    let added = copies[1..].iter().flat_map(|copy| region.iter().map(|block| copy[block]));
    func.layout.splice(end..end, added.collect::<Vec<_>>());
    func.blocks[around.header].hint = Some(LoopHint::Never);
    copies
}

/// Lets each copy go on at the next, and the last one at `first`. The copies are no loops by themselves any more.
fn close(func: &mut Function, around: &Loop, copies: &[HashMap<Block, Block>], first: Block) {
    for (number, copy) in copies.iter().enumerate() {
        let header = copy[&around.header];
        let next = copies.get(number + 1).map_or(first, |next| next[&around.header]);
        for latch in &around.latches {
            redirect(func, copy[latch], header, next);
        }
        if header != first {
            func.blocks[header].hint = None;
        }
    }
}

/// Makes every edge of `from` that goes to `old` go to `new`.
pub(super) fn redirect(func: &mut Function, from: Block, old: Block, new: Block) {
    if let Some(terminator) = func.terminator(from) {
        for call in func.insts[terminator].successors_mut().filter(|call| call.block == old) {
            call.block = new;
        }
    }
}

/// Makes the test of one copy a jump: out of the loop, or not.
fn decide_exit(func: &mut Function, around: &Loop, copy: &HashMap<Block, Block>, exit: Block, leaves: bool) {
    let Some(terminator) = func.terminator(copy[&exit]) else { return };
    let InstData::Branch { if_true, if_false, .. } = &func.insts[terminator] else { return };
    // The side in the loop is one of this copy's blocks, or a header of another.
    let is_inside = |call: &BlockCall| around.blocks.iter().any(|block| copy[block] == call.block);
    let target = if is_inside(if_true) == leaves { if_false } else { if_true };
    func.insts[terminator] = InstData::Jump { target: target.clone() };
}

/// Copies blocks; jumps within the region stay within the copy. The copy is not in the layout yet.
pub(super) fn copy_region(func: &mut Function, region: &[Block]) -> HashMap<Block, Block> {
    let blocks: HashMap<Block, Block> = region.iter().map(|&block| (block, func.make_block())).collect();
    let mut values: HashMap<Value, Value> = HashMap::new();
    for &block in region {
        let copy = blocks[&block];
        let BlockData { params, insts, hint } = func.blocks[block].clone();
        func.blocks[copy].hint = hint;
        for param in params {
            let ty = func.ty(param);
            values.insert(param, func.add_block_param(copy, ty));
        }
        for inst in insts {
            let new = copy_inst(func, inst);
            if let (Some(old), Some(new)) = (func.results[inst], func.results[new]) {
                values.insert(old, new);
            }
            func.blocks[copy].insts.push(new);
        }
    }
    for &block in region {
        for index in 0..func.blocks[blocks[&block]].insts.len() {
            let inst = func.blocks[blocks[&block]].insts[index];
            let data = &mut func.insts[inst];
            data.map_args(|value| values.get(&value).copied().unwrap_or(value));
            for call in data.successors_mut() {
                call.block = blocks.get(&call.block).copied().unwrap_or(call.block);
            }
        }
    }
    blocks
}

fn copy_inst(func: &mut Function, inst: Inst) -> Inst {
    let ty = func.results[inst].map(|value| func.ty(value));
    func.make_inst(func.insts[inst].clone(), ty, func.locations[inst])
}

/// Lets what is computed in the region and used outside go through local variables; constants are made anew there.
pub(super) fn spill_live_out(func: &mut Function, region: &[Block]) {
    let mut is_inside = EntityMap::<Block, bool>::filled(func.blocks.len(), false);
    region.iter().for_each(|&block| is_inside[block] = true);
    // The block of each value of the region.
    let mut homes: EntityMap<Value, Option<Block>> = EntityMap::filled(func.values.len(), None);
    for &block in region {
        let results = func.blocks[block].insts.iter().filter_map(|&inst| func.results[inst]);
        for value in func.blocks[block].params.iter().copied().chain(results) {
            homes[value] = Some(block);
        }
    }
    let mut variables: HashMap<Value, LocalVar> = HashMap::new();
    for block in func.layout.clone().into_iter().filter(|&block| !is_inside[block]) {
        let mut here: HashMap<Value, Value> = HashMap::new();
        let mut reads = Vec::new();
        for index in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[index];
            let mut data = std::mem::replace(&mut func.insts[inst], InstData::Return);
            data.map_args(|value| match homes.get(value) {
                Some(Some(_)) => {
                    *here.entry(value).or_insert_with(|| read(func, &mut variables, value, &mut reads))
                }
                Some(None) | None => value,
            });
            func.insts[inst] = data;
        }
        func.blocks[block].insts.splice(0..0, reads);
    }
    let mut variables: Vec<_> = variables.into_iter().collect();
    variables.sort_unstable();
    for (value, variable) in variables {
        let Some(block) = homes[value] else { continue };
        let address = InstData::LocalAddress { var: variable };
        let (at, address) = func.make_value(address, Space::Local.address_type(), SourceLoc::default());
        let store = InstData::Store { space: Space::Local, address, offset: 0, align: None, value };
        let store = func.make_inst(store, None, SourceLoc::default());
        let position = match func.values[value].def {
            ValueDef::Param(_) => 0,
            ValueDef::Result(inst) => {
                func.blocks[block].insts.iter().position(|&other| other == inst).map_or(0, |index| index + 1)
            }
        };
        func.blocks[block].insts.splice(position..position, [at, store]);
    }
}

/// A value of the region as one of a block outside: the instructions for it go to `out`.
fn read(
    func: &mut Function,
    variables: &mut HashMap<Value, LocalVar>,
    value: Value,
    out: &mut Vec<Inst>,
) -> Value {
    let ValueData { ty, .. } = func.values[value];
    let mut push = |func: &mut Function, data, ty| {
        let (inst, value) = func.make_value(data, ty, SourceLoc::default());
        out.push(inst);
        value
    };
    if let Some(bits) = func.constant(value) {
        return push(func, InstData::Const { bits }, ty);
    }
    let var = *variables.entry(value).or_insert_with(|| {
        func.locals.push(LocalData { name: "live".into(), bytes: ty.bytes(), align: ty.bytes() })
    });
    let address = push(func, InstData::LocalAddress { var }, Space::Local.address_type());
    push(func, InstData::Load { space: Space::Local, address, offset: 0, align: None, read_only: false }, ty)
}
