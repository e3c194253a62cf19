//! Copies the body of a loop for each round.
//!
//! What is computed in the loop and used after it goes through a local variable, so that a copy is only a renaming;
//! [`promote`](super::super::promote) makes values of these variables again.

use std::collections::HashMap;

use super::trips::Trips;
use crate::analysis::{Cfg, Loop, Loops};
use crate::ir::{
    Block, BlockCall, BlockData, EntityMap, Function, Inst, InstData, LocalData, LocalVar, SourceLoc, Space,
    Value, ValueData, ValueDef,
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
