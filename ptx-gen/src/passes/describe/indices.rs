//! Accesses to memory whose index is computed in 64 bits.
//!
//! An address is a sum: where the data begin, constants, and indices times the size of an element. An index of 32 bits is
//! widened only there, for free; every other one costs two registers and twice the instructions.

use std::collections::HashSet;

use crate::analysis::Cfg;
use crate::ir::{
    BinaryOp, Block, ConvertOp, EntityMap, Function, InstData, SourceLoc, Type, Value, ValueDef,
};

/// Locations of the accesses with an index of 64 bits.
pub(super) fn wide_indices(func: &Function, cfg: &Cfg) -> Vec<SourceLoc> {
    let pointers = Pointers::new(func, cfg);
    let mut found = Vec::new();
    for &inst in cfg.order().iter().flat_map(|&block| &func.blocks[block].insts) {
        let Some((_, address)) = func.insts[inst].access() else { continue };
        if func.ty(address) == Type::I64 && pointers.has_wide_index(address) {
            found.push(func.locations[inst]);
        }
    }
    found
}

/// The values that are addresses.
struct Pointers<'f> {
    func: &'f Function,
    is_pointer: EntityMap<Value, bool>,
    /// Arguments that the edges into each block pass to its parameters.
    incoming: EntityMap<Block, Vec<Vec<Value>>>,
}

impl Pointers<'_> {
    fn new<'f>(func: &'f Function, cfg: &Cfg) -> Pointers<'f> {
        let mut incoming = EntityMap::filled(func.blocks.len(), Vec::new());
        for &block in cfg.order() {
            let calls = func.terminator(block).into_iter().flat_map(|inst| func.insts[inst].successors());
            for call in calls {
                incoming[call.block].push(call.args.clone());
            }
        }
        let is_pointer = EntityMap::filled(func.values.len(), false);
        let mut pointers = Pointers { func, is_pointer, incoming };
        // Back edges take another iteration.
        while pointers.spread(cfg) {}
        pointers
    }

    /// Finds values that are addresses because what they are made of is. Whether there were any.
    fn spread(&mut self, cfg: &Cfg) -> bool {
        let mut changed = false;
        for &block in cfg.order() {
            let data = &self.func.blocks[block];
            let params = data.params.iter().enumerate().map(|(index, &param)| {
                let brought = self.incoming[block].iter().filter_map(|args| args.get(index));
                (param, brought.into_iter().any(|&arg| self.is_pointer[arg]))
            });
            let params: Vec<(Value, bool)> = params.collect();
            for (param, is_pointer) in params {
                changed |= is_pointer && !std::mem::replace(&mut self.is_pointer[param], true);
            }
            for &inst in &data.insts {
                let Some(result) = self.func.results[inst] else { continue };
                if !self.is_pointer[result] && self.makes_pointer(&self.func.insts[inst]) {
                    self.is_pointer[result] = true;
                    changed = true;
                }
            }
        }
        changed
    }

    fn makes_pointer(&self, data: &InstData) -> bool {
        match *data {
            InstData::Param { param } => self.func.params[param].pointer_align.is_some(),
            InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::ToGeneric { .. }
            | InstData::MapShared { .. } => true,
            InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, args, .. } => {
                args.into_iter().any(|arg| self.is_pointer[arg])
            }
            InstData::Select { if_true, if_false, .. } => {
                self.is_pointer[if_true] || self.is_pointer[if_false]
            }
            _ => false,
        }
    }

    /// Returns true if a term of an address is an index of 64 bits.
    fn has_wide_index(&self, address: Value) -> bool {
        let mut seen = HashSet::from([address]);
        let mut work = vec![address];
        while let Some(value) = work.pop() {
            let mut push = |value: Value| {
                if seen.insert(value) {
                    work.push(value);
                }
            };
            match self.func.values[value].def {
                ValueDef::Param(block) if self.is_pointer[value] => {
                    let index = self.func.blocks[block].params.iter().position(|&param| param == value);
                    let brought = self.incoming[block].iter().filter_map(|args| args.get(index?)).copied();
                    brought.for_each(push);
                }
                ValueDef::Param(_) => return true,
                ValueDef::Result(inst) => match self.func.insts[inst] {
                    InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, args, .. }
                        if args.into_iter().any(|arg| self.is_pointer[arg]) =>
                    {
                        args.into_iter().for_each(push);
                    }
                    InstData::Select { if_true, if_false, .. } if self.is_pointer[value] => {
                        [if_true, if_false].into_iter().for_each(push);
                    }
                    InstData::ToGeneric { address, .. } => push(address),
                    // A reference that was read from memory has no index.
                    InstData::Load { .. } if seen.len() == 1 => {}
                    _ if self.is_pointer[value] || self.is_narrow(value) => {}
                    _ => return true,
                },
            }
        }
        false
    }

    /// Returns true if an index, or one times a constant, is a constant or extended from a narrower number.
    fn is_narrow(&self, value: Value) -> bool {
        match self.func.def(value) {
            Some(InstData::Const { .. }) => true,
            Some(InstData::Convert {
                op: ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::IndexExtend,
                ..
            }) => true,
            Some(&InstData::Binary { op: BinaryOp::Mul | BinaryOp::Shl, args: [index, by], .. }) => {
                self.func.constant(by).is_some() && self.is_narrow(index)
            }
            _ => false,
        }
    }
}
