//! Promotion of local variables to SSA values (mem2reg and SROA), of scalar parts of them where only some accesses are known.
//!
//! A variable whose address is used for nothing but loads and stores is cut into parts ([`parts`]): bytes that one access
//! touches belong together. A part that every access takes whole, at a constant offset, becomes an SSA value
//! ([`construct`]); of the others, stores that are never read are removed, those of initial values of stacks ([`stacks`])
//! among them, and loads of memory never written read zero.

mod construct;
mod elements;
mod parts;
mod stacks;
mod words;

pub(super) use elements::is_one_of_few;
pub use elements::select_elements;
pub(super) use parts::variable_indices;
pub use words::narrow_words;

use super::{dce, fold, gvn, simplify_cfg, spaces};
use crate::analysis::multiples::WIDEST;
use crate::ir::{Function, InstData};

/// See the head of this file. References that lay in memory name their memory once they are values, so this goes on as long
/// as it helps.
pub fn promote_locals(func: &mut Function) {
    // Each iteration promotes the targets of references promoted before: references to references are rare.
    const MOST_ROUNDS: usize = 4;
    for _ in 0..MOST_ROUNDS {
        if !promote(func) {
            break;
        }
        spaces::infer_spaces(func);
        simplify_cfg::simplify_cfg(func);
        fold::fold_constants(func);
        gvn::number_values(func);
        simplify_cfg::simplify_cfg(func);
    }
    align_variables(func);
}

/// Aligns the variables that stay in memory to the widest access that fits in them, so that accesses of neighbouring parts can become
/// one: an array of zeros is set 16 bytes at a time.
fn align_variables(func: &mut Function) {
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            if let InstData::LocalAddress { var } = func.insts[inst] {
                let variable = &mut func.locals[var];
                variable.align = variable.align.max(WIDEST.min(1 << variable.bytes.max(1).ilog2()));
            }
        }
    }
}

/// One iteration; returns true if anything changed.
fn promote(func: &mut Function) -> bool {
    if func.locals.is_empty() || !has_local_addresses(func) {
        return false;
    }
    simplify_cfg::remove_unreachable(func);
    // Dead code must not count as a use of an address.
    dce::eliminate_dead_code(func);
    let plan = parts::plan(func);
    if plan.is_empty() {
        return false;
    }
    construct::construct(func, &plan);
    dce::eliminate_dead_code(func);
    true
}

fn has_local_addresses(func: &Function) -> bool {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(|&inst| matches!(func.insts[inst], InstData::LocalAddress { .. }))
}

#[cfg(test)]
mod tests;
