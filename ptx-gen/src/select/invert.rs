//! Branches on the opposite of a comparison: `setp.lt` and `@!p bra` become `setp.ge` and `@p bra`.
//!
//! It is more than looks: ptxas 13.0 unrolls a loop that `@p` leaves, and not one that `@!p` leaves.

use super::compare::negate;
use super::machine::{Body, Inst, Predicate, VReg};
use crate::ir::{Block, EntityMap};
use ptx::tree::{Keyword, Modifier, Opcode, ScalarType};

/// Number of writes and reads of each register.
pub struct Counts {
    counts: EntityMap<VReg, (u32, u32)>,
}

impl Counts {
    /// Looks at every instruction once.
    pub fn new(body: &Body) -> Counts {
        let mut counts = EntityMap::filled(body.regs.len(), (0, 0));
        for &block in &body.layout {
            let data = &body.blocks[block];
            for inst in &data.insts {
                inst.destinations().for_each(|dst| counts[dst].0 += 1);
                inst.sources().for_each(|reg| counts[reg].1 += 1);
            }
            data.terminator.condition().into_iter().for_each(|cond| counts[cond.reg].1 += 1);
        }
        Counts { counts }
    }

    /// Returns true if every register that is read is written somewhere.
    pub fn are_consistent(&self) -> bool {
        self.counts.values().all(|&(writes, reads)| writes != 0 || reads == 0)
    }

    /// Returns true if a register is written once and read once; those made since are.
    pub fn is_local(&self, reg: VReg) -> bool {
        self.counts.get(reg).is_none_or(|&counts| counts == (1, 1))
    }
}

/// The predicate of a branch at the end of `block`, after making it positive if the comparison serves only the branch.
pub fn positive(body: &mut Body, counts: &Counts, block: Block, predicate: Predicate) -> Predicate {
    if !predicate.negated || !counts.is_local(predicate.reg) {
        return predicate;
    }
    let insts = &mut body.blocks[block].insts;
    let comparison = insts.iter_mut().rev().find(|inst| inst.dst == Some(predicate.reg));
    let negated = comparison.is_none_or(|inst| !invert(inst));
    Predicate { negated, ..predicate }
}

/// Makes a `setp` give the opposite; others are left.
fn invert(inst: &mut Inst) -> bool {
    if inst.opcode != Opcode::Setp {
        return false;
    }
    let (Some(Modifier::Keyword(relation)), Some(&Modifier::Type(ty))) =
        (inst.modifiers.first().copied(), inst.modifiers.last())
    else {
        return false;
    };
    inst.modifiers[0] =
        negate(relation, matches!(ty, ScalarType::F16 | ScalarType::F32 | ScalarType::F64)).into();
    // With another condition: De Morgan.
    let combined = match inst.modifiers[1] {
        Modifier::Keyword(Keyword::And) => Keyword::Or,
        Modifier::Keyword(Keyword::Or) => Keyword::And,
        // A flipped operand flips `xor` by itself; a plain comparison has no other condition.
        _ => return true,
    };
    inst.modifiers[1] = combined.into();
    match inst.operands.last_mut() {
        Some(other) => *other = other.clone().negated(),
        None => return false,
    }
    true
}
