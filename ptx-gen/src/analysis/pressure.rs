//! Register pressure: how many registers of 32 bits hold values that are still needed, at the place where it is most.
//!
//! Live variables by backward data flow over the blocks (Aho, Lam, Sethi and Ullman, "Compilers", section 9.2.5), of those values alone that
//! are used in another block than the one that defines them: the others are local to a walk over their block. Predicates have
//! registers of their own, and what is computed anew where it is used has none: constants, parameters and addresses of
//! variables. ptxas allocates registers after it has moved instructions, so this is a measure and not a count.

use super::Cfg;
use crate::ir::{Block, EntityMap, Function, InstData, Type, Value, ValueDef};

/// The greatest number of registers of 32 bits that are needed at once.
pub fn register_pressure(func: &Function) -> u32 {
    let cfg = Cfg::new(func);
    let global = Globals::new(func, &cfg);
    let live_in = global.live_in(&cfg);
    // The block after which a value was last seen to be live.
    let mut live = EntityMap::<Value, Option<Block>>::filled(func.values.len(), None);
    let mut most = 0;
    for &block in cfg.order() {
        let mut now = 0;
        for number in cfg.successors(block).iter().flat_map(|&next| numbers(&live_in[next])) {
            let (value, registers) = global.values[number];
            if live[value].replace(block) != Some(block) {
                now += registers;
            }
        }
        most = most.max(now);
        for &inst in func.blocks[block].insts.iter().rev() {
            if let Some(result) = func.results[inst]
                && live[result].take_if(|known| *known == block).is_some()
            {
                now -= registers(func, result);
            }
            func.insts[inst].visit_args(|arg| {
                if live[arg].replace(block) != Some(block) {
                    now += registers(func, arg);
                }
            });
            most = most.max(now);
        }
    }
    most
}

/// Numbers of [`Globals`], a bit each.
type Set = Vec<u64>;

/// Values in registers that are used in another block than the one that defines them.
struct Globals {
    /// By number, with the registers that each takes.
    values: Vec<(Value, u32)>,
    /// The numbers of those that a block uses.
    used: EntityMap<Block, Vec<usize>>,
    /// The numbers of those that a block defines.
    defined: EntityMap<Block, Vec<usize>>,
}

impl Globals {
    fn new(func: &Function, cfg: &Cfg) -> Globals {
        let homes = func.homes(cfg.order());
        let none = EntityMap::filled(func.blocks.len(), Vec::new());
        let mut global = Globals { values: Vec::new(), used: none.clone(), defined: none };
        let mut known = EntityMap::<Value, Option<usize>>::filled(func.values.len(), None);
        for &block in cfg.order() {
            for &inst in &func.blocks[block].insts {
                func.insts[inst].visit_args(|arg| {
                    let Some(home) = homes[arg].filter(|&home| home != block) else { return };
                    let registers = registers(func, arg);
                    if registers > 0 {
                        let number = *known[arg].get_or_insert_with(|| {
                            global.defined[home].push(global.values.len());
                            global.values.push((arg, registers));
                            global.values.len() - 1
                        });
                        global.used[block].push(number);
                    }
                });
            }
        }
        global
    }

    /// For each block what is needed where it begins: what it uses, and what is needed behind it and not defined in it.
    fn live_in(&self, cfg: &Cfg) -> EntityMap<Block, Set> {
        let mut live_in = EntityMap::filled(self.used.len(), vec![0; self.values.len().div_ceil(64)]);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in cfg.order().iter().rev() {
                let mut live = vec![0; self.values.len().div_ceil(64)];
                for &next in cfg.successors(block) {
                    live.iter_mut().zip(&live_in[next]).for_each(|(own, next)| *own |= next);
                }
                self.defined[block].iter().for_each(|number| live[number / 64] &= !(1 << (number % 64)));
                self.used[block].iter().for_each(|number| live[number / 64] |= 1 << (number % 64));
                changed |= live != live_in[block];
                live_in[block] = live;
            }
        }
        live_in
    }
}

fn numbers(set: &Set) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        let nonzero = |bits: u64| (bits != 0).then_some(bits);
        std::iter::successors(nonzero(bits), move |bits| nonzero(bits & (bits - 1)))
            .map(move |bits| word * 64 + bits.trailing_zeros() as usize)
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
