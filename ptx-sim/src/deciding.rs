//! The registers that decide what a kernel does next.
//!
//! They are those that branches, guards, addresses and operations other than plain computing read, and all that flows into them.
//! A counter that is only stored at the end is none. Where they, memory and control are as they were, and nothing had an effect in
//! between, the same operations follow for ever, whatever the other registers hold.

use std::collections::HashSet;

use super::decode;
use super::op::{Inst, Op, Space};
use super::program::Kernel;
use super::registers::{Class, Registers, Slot};

/// The deciding registers of a kernel, by class.
#[derive(Debug, Default)]
pub(crate) struct Deciding {
    p: Vec<usize>,
    w: Vec<usize>,
    d: Vec<usize>,
    /// Some of them come from memory that threads share: what is stored there may decide.
    pub(crate) by_memory: bool,
}

impl Deciding {
    pub(crate) fn of(kernel: &Kernel) -> Deciding {
        let touched: Vec<Vec<(Class, Slot, bool)>> =
            kernel.code.iter().map(|inst| decode::touched(kernel, inst)).collect();
        let mut found: HashSet<(Class, Slot)> = HashSet::new();
        for (inst, touched) in kernel.code.iter().zip(&touched) {
            found.insert((Class::P, inst.guard.slot));
            found.extend(roots(inst, touched));
        }
        loop {
            let before = found.len();
            for (inst, touched) in kernel.code.iter().zip(&touched) {
                let flows =
                    touched.iter().any(|&(class, slot, write)| write && found.contains(&(class, slot)));
                if flows && (inst.op.computes() || matches!(inst.op, Op::Load(_))) {
                    found.extend(reads(touched));
                }
            }
            if found.len() == before {
                break;
            }
        }
        let of = |wanted: Class| {
            let slots = found.iter().filter(|(class, _)| *class == wanted).map(|(_, slot)| slot.index());
            slots.collect()
        };
        let by_memory = kernel.code.iter().zip(&touched).any(|(inst, touched)| {
            reads_shared_state(&inst.op)
                && touched.iter().any(|&(class, slot, write)| write && found.contains(&(class, slot)))
        });
        Deciding { p: of(Class::P), w: of(Class::W), d: of(Class::D), by_memory }
    }

    /// Returns true if all of them are the same in both.
    pub(crate) fn are_equal(&self, a: &Registers, b: &Registers) -> bool {
        self.p.iter().all(|&slot| a.p[slot] == b.p[slot])
            && self.w.iter().all(|&slot| a.w[slot] == b.w[slot])
            && self.d.iter().all(|&slot| a.d[slot] == b.d[slot])
    }
}

/// Returns true for an operation whose results may follow from what other threads have written.
fn reads_shared_state(op: &Op) -> bool {
    match op {
        // Local memory is compared as it is, and parameters stay.
        Op::Load(access) => !matches!(access.address.space, Space::Local | Space::Param),
        // Of registers of the warp, which decide then.
        Op::Collective { .. } | Op::ActiveMask { .. } => false,
        op => !op.computes(),
    }
}

fn reads(touched: &[(Class, Slot, bool)]) -> impl Iterator<Item = (Class, Slot)> {
    touched.iter().filter(|(.., write)| !write).map(|&(class, slot, _)| (class, slot))
}

/// The registers that an operation decides by, whatever becomes of its result; its guard aside.
fn roots(inst: &Inst, touched: &[(Class, Slot, bool)]) -> Vec<(Class, Slot)> {
    match inst.op {
        ref op if op.computes() => Vec::new(),
        // It has an effect wherever it is executed, which ends the comparison: what it stores does not count.
        Op::Store(access) if access.address.space != Space::Local => Vec::new(),
        Op::Load(access) => {
            let class = if access.address.wide { Class::D } else { Class::W };
            vec![(class, access.address.base)]
        }
        _ => reads(touched).collect(),
    }
}
