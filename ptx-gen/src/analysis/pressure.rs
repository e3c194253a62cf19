//! Register pressure: how many registers of 32 bits hold values that are still needed, at the place where it is most.
//!
//! Live variables by backward data flow over the blocks (Aho, Lam, Sethi and Ullman, "Compilers", section 9.2.5). Predicates have
//! registers of their own, and what is computed anew where it is used has none: constants, parameters and addresses of
//! variables. ptxas allocates registers after it has moved instructions, so this is a measure and not a count.

use super::Cfg;
use crate::ir::{Block, Entity, EntityMap, Function, InstData, Type, Value, ValueDef};

/// Values, a bit each.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn insert(&mut self, value: Value) {
        self.0[value.index() / 64] |= 1 << (value.index() % 64);
    }

    fn remove(&mut self, value: Value) {
        self.0[value.index() / 64] &= !(1 << (value.index() % 64));
    }

    fn has(&self, value: Value) -> bool {
        self.0[value.index() / 64] >> (value.index() % 64) & 1 == 1
    }

    /// Takes in another set; true if that had more.
    fn merge(&mut self, other: &Set) -> bool {
        let mut grew = false;
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            grew |= *other & !*own != 0;
            *own |= other;
        }
        grew
    }
}

/// The greatest number of registers of 32 bits that are needed at once.
pub fn register_pressure(func: &Function) -> u32 {
    let cfg = Cfg::new(func);
    let none = Set(vec![0; func.values.len().div_ceil(64)]);
    let mut live_in: EntityMap<Block, Set> = EntityMap::filled(func.blocks.len(), none.clone());
    let mut most = 0;
    let mut changed = true;
    while changed {
        (changed, most) = (false, 0);
        for &block in cfg.order().iter().rev() {
            let mut live = none.clone();
            for next in func.successors(block) {
                live.merge(&live_in[next]);
            }
            let mut registers: u32 = live_values(&live).map(|value| registers(func, value)).sum();
            most = most.max(registers);
            for &inst in func.blocks[block].insts.iter().rev() {
                if let Some(result) = func.results[inst]
                    && live.has(result)
                {
                    live.remove(result);
                    registers -= self::registers(func, result);
                }
                func.insts[inst].visit_args(|arg| {
                    if !live.has(arg) {
                        live.insert(arg);
                        registers += self::registers(func, arg);
                    }
                });
                most = most.max(registers);
            }
            func.blocks[block].params.iter().for_each(|&param| live.remove(param));
            changed |= live_in[block].merge(&live);
        }
    }
    most
}

fn live_values(set: &Set) -> impl Iterator<Item = Value> {
    set.0.iter().enumerate().flat_map(|(word, &bits)| {
        let nonzero = |bits: u64| (bits != 0).then_some(bits);
        std::iter::successors(nonzero(bits), move |bits| nonzero(bits & (bits - 1)))
            .map(move |bits| Value::from_index(word * 64 + bits.trailing_zeros() as usize))
    })
}

/// Registers of 32 bits that a value takes.
fn registers(func: &Function, value: Value) -> u32 {
    if let ValueDef::Result(inst) = func.values[value].def
        && matches!(
            func.insts[inst],
            InstData::Const { .. }
                | InstData::Param { .. }
                | InstData::SharedAddress { .. }
                | InstData::LocalAddress { .. }
                | InstData::ConstAddress { .. }
        )
    {
        return 0;
    }
    match func.ty(value) {
        Type::Bool => 0,
        ty => ty.bytes().div_ceil(4),
    }
}
