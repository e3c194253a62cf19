//! Is every use dominated by its definition?

use super::Report;
use crate::analysis::{Cfg, DomTree};
use crate::ir::{Block, EntityMap, Function, Value};

pub(super) fn check(func: &Function, report: &mut Report<'_>) {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    // Definition of each value: its block, and its position in it (parameters come first).
    let mut places: EntityMap<Value, Option<(Block, usize)>> = EntityMap::filled(func.values.len(), None);
    for &block in &func.layout {
        for &param in &func.blocks[block].params {
            places[param] = Some((block, 0));
        }
        for (index, &inst) in func.blocks[block].insts.iter().enumerate() {
            if let Some(value) = func.results[inst] {
                places[value] = Some((block, index + 1));
            }
        }
    }
    // Uses in unreachable blocks need not be dominated, but their values must be defined somewhere.
    for &block in &func.layout {
        for (index, &inst) in func.blocks[block].insts.iter().enumerate() {
            func.insts[inst].visit_args(|value| {
                let message = match places[value] {
                    None => format!("`{value}` is in no block"),
                    Some(_) if !cfg.is_reachable(block) => return,
                    Some((home, place)) if home == block && place <= index => return,
                    Some((home, _)) if home == block => format!("`{value}` is used before its definition"),
                    Some((home, _)) if tree.dominates(home, block) => return,
                    Some((home, _)) => {
                        format!("`{value}` is used where its definition in {home} does not dominate")
                    }
                };
                report.inst(block, inst, message);
            });
        }
    }
}
