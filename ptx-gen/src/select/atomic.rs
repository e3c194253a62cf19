//! Atomic accesses and fences, with the order and in the scope that they name.

use super::half::half_scalar;
use super::lower::{Extension, Lowering, state_space};
use super::machine::{VReg, words::*};
use crate::ir::{AtomicOp, InstData, MemoryOrder, MemoryScope, Space, Type, Value};
use ptx::tree::{Keyword, Modifier, Opcode};

fn scope_keyword(scope: MemoryScope) -> Keyword {
    match scope {
        MemoryScope::Block => Keyword::Cta,
        MemoryScope::Device => Keyword::Gpu,
        MemoryScope::System => Keyword::Sys,
    }
}

fn order_keyword(order: MemoryOrder) -> Keyword {
    match order {
        MemoryOrder::Relaxed => Keyword::Relaxed,
        MemoryOrder::Acquire => Keyword::Acquire,
        MemoryOrder::Release => Keyword::Release,
        MemoryOrder::AcqRel => Keyword::AcqRel,
        MemoryOrder::SeqCst => Keyword::Sc,
        MemoryOrder::Volatile => Keyword::Volatile,
    }
}

/// Returns true if `red` does it when the old value is unused (PTX ISA, `red`): it has no exchange, and does not acquire.
pub(super) fn is_reduction(data: &InstData) -> bool {
    match data {
        InstData::AtomicRmw { op, order, .. } => {
            *op != AtomicOp::Exchange && matches!(order, MemoryOrder::Relaxed | MemoryOrder::Release)
        }
        InstData::Guarded { access, .. } => is_reduction(access),
        _ => false,
    }
}

impl Lowering<'_> {
    /// Modifiers after the opcode of an atomic access, up to the operation or type.
    ///
    /// Shared memory that no other block of the cluster accesses is visible to its block only, so there every scope is the block.
    pub(super) fn ordered(&self, space: Space, scope: MemoryScope, order: MemoryOrder) -> Vec<Modifier> {
        let is_of_block = space == Space::Shared && !self.maps_shared;
        let scope = if is_of_block { MemoryScope::Block } else { scope };
        let mut modifiers: Vec<Modifier> = match order {
            // Memory that nobody else writes has no volatile accesses in PTX.
            MemoryOrder::Volatile if matches!(space, Space::Local | Space::Const) => Vec::new(),
            // One of the whole system.
            MemoryOrder::Volatile => vec![Keyword::Volatile.into()],
            _ => vec![order_keyword(order).into(), scope_keyword(scope).into()],
        };
        modifiers.extend(state_space(space).map(Modifier::from));
        modifiers
    }

    /// Compares and swaps.
    pub(super) fn atomic_cas(
        &mut self,
        space: Space,
        (scope, order): (MemoryScope, MemoryOrder),
        address: Value,
        values: [Value; 2],
        dst: VReg,
    ) {
        let mut modifiers = self.ordered(space, scope, order);
        modifiers.extend([CAS, if self.func.ty(values[0]).bits() == 64 { B64 } else { B32 }]);
        let mut operands = vec![self.address(address, 0)];
        operands.extend(values.map(|value| self.operand(value, Extension::Sign)));
        self.emit(dst, Opcode::Atom, &modifiers, operands);
    }

    /// Changes memory in one step; without a register for what was there it is a reduction.
    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        space: Space,
        (scope, order): (MemoryScope, MemoryOrder),
        address: Value,
        value: Value,
        dst: Option<VReg>,
    ) {
        let ty = self.func.ty(value);
        let wide = ty.bits() == 64;
        let [unsigned, signed, bits] = if wide { [U64, S64, B64] } else { [U32, S32, B32] };
        let operation: &[Modifier] = match op {
            AtomicOp::Add => &[Keyword::Add.into(), unsigned],
            AtomicOp::UMin => &[Keyword::Min.into(), unsigned],
            AtomicOp::SMin => &[Keyword::Min.into(), signed],
            AtomicOp::UMax => &[Keyword::Max.into(), unsigned],
            AtomicOp::SMax => &[Keyword::Max.into(), signed],
            AtomicOp::And => &[Keyword::And.into(), bits],
            AtomicOp::Or => &[Keyword::Or.into(), bits],
            AtomicOp::Xor => &[Keyword::Xor.into(), bits],
            AtomicOp::Exchange => &[Keyword::Exch.into(), bits],
            AtomicOp::FAdd if ty.is_half() => {
                &[Keyword::Add.into(), Keyword::Noftz.into(), half_scalar(ty).into()]
            }
            AtomicOp::FAdd => &[Keyword::Add.into(), if ty == Type::F64 { F64 } else { F32 }],
        };
        let mut modifiers = self.ordered(space, scope, order);
        modifiers.extend(operation);
        let address = self.address(address, 0);
        let value = if ty.is_int() { self.operand(value, Extension::Sign) } else { self.reg(value).into() };
        let operands = vec![address, value];
        match dst {
            Some(dst) => self.emit(dst, Opcode::Atom, &modifiers, operands),
            None => self.emit_effect(Opcode::Red, &modifiers, operands),
        }
    }

    /// Orders accesses.
    pub(super) fn fence(&mut self, scope: MemoryScope, order: MemoryOrder) {
        self.emit_effect(
            Opcode::Fence,
            &[order_keyword(order).into(), scope_keyword(scope).into()],
            Vec::new(),
        );
    }
}
