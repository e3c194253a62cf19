//! Removes instructions and block parameters whose values nobody needs.
//!
//! A value is needed if an effect uses it, or an instruction that is needed, or a jump for a parameter that is needed: so
//! a loop counter that only counts itself goes.

use crate::ir::{Block, EntityMap, Function, InstData, Value, ValueDef};

/// See the head of this file.
pub fn eliminate_dead_code(func: &mut Function) {
    let needed = needed_values(func);
    let Function { layout, blocks, insts, results, .. } = func;
    for &block in layout.iter() {
        blocks[block].insts.retain(|&inst| match results[inst] {
            Some(value) => needed[value] || has_effect(&insts[inst]),
            None => true,
        });
        let Some(&terminator) = blocks[block].insts.last() else { continue };
        for call in insts[terminator].successors_mut() {
            let mut params = blocks[call.block].params.iter();
            call.args.retain(|_| params.next().is_none_or(|&param| needed[param]));
        }
    }
    for &block in layout.iter() {
        blocks[block].params.retain(|&param| needed[param]);
    }
}

/// Whether the instruction matters beyond its result.
fn has_effect(data: &InstData) -> bool {
    match data {
        InstData::Load { .. } => false,
        _ => !data.is_pure(),
    }
}

fn needed_values(func: &Function) -> EntityMap<Value, bool> {
    let mut needed = EntityMap::<Value, bool>::filled(func.values.len(), false);
    let mut work = Vec::new();
    let mut need = |value: Value, work: &mut Vec<Value>| {
        if !std::mem::replace(&mut needed[value], true) {
            work.push(value);
        }
    };
    // The jumps to each block, for the arguments of a parameter once it is needed.
    let mut jumps: EntityMap<Block, Vec<crate::ir::Inst>> = EntityMap::filled(func.blocks.len(), Vec::new());
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            match data {
                InstData::Jump { target } => jumps[target.block].push(inst),
                InstData::Branch { cond, if_true, if_false } => {
                    need(*cond, &mut work);
                    jumps[if_true.block].push(inst);
                    if if_false.block != if_true.block {
                        jumps[if_false.block].push(inst);
                    }
                }
                _ if has_effect(data) => data.visit_args(|value| need(value, &mut work)),
                _ => {}
            }
        }
    }
    while let Some(value) = work.pop() {
        match func.values[value].def {
            ValueDef::Result(inst) => func.insts[inst].visit_args(|value| need(value, &mut work)),
            ValueDef::Param(block) => {
                let Some(index) = func.blocks[block].params.iter().position(|&param| param == value) else {
                    continue;
                };
                for &jump in &jumps[block] {
                    for call in func.insts[jump].successors().filter(|call| call.block == block) {
                        need(call.args[index], &mut work);
                    }
                }
            }
        }
    }
    needed
}
