//! Accesses to atomics: one instruction where PTX has it, else a loop that compares and exchanges.
//!
//! An access that is sequentially consistent is a fence of that order, and then one that acquires (Lustig, Sahasrabuddhe and
//! Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency Model"): so does libcu++.

use ptx_gen::ir::{
    AtomicOp as IrOp, BinaryOp as Op, ConvertOp, IntCond, MemoryOrder, MemoryScope, Space, Type,
    UnaryOp as IrUnary, Value,
};

use super::layout::scalar_type;
use super::{Lowered, Lowerer, Values};
use crate::atomics::{Access, AtomicKind, AtomicOp, Ordering, Scope};
use crate::typed::{AtomicAccess, Expr};

/// The target of an access: the type of the value, the scope, and the address.
#[derive(Clone, Copy)]
struct Place {
    kind: AtomicKind,
    scope: MemoryScope,
    address: Value,
}

impl Lowerer<'_> {
    /// A method of an atomic.
    pub(super) fn atomic(&mut self, access: &AtomicAccess) -> Lowered {
        let address = self.expr(&access.place)?[0];
        let place = Place { kind: access.atomic.kind, scope: scope_of(access.atomic.scope), address };
        if access.op == AtomicOp::Update {
            return self.atomic_update(place, access, &access.args[0]);
        }
        let args = access.args.iter().map(|arg| self.expr(arg)).collect::<Lowered<Vec<Values>>>()?;
        let order = access.order;
        let value = args.first().map(|value| self.packed(value));
        match (access.op, value) {
            (AtomicOp::CompareExchange, Some(expected)) => {
                let expected = self.bits(expected);
                let desired = self.packed(&args[1]);
                let desired = self.bits(desired);
                let found = self.exchange_if(place, order.and(access.failure), [expected, desired]);
                let same = self.b.int_compare(IntCond::Eq, found, expected);
                Ok(self.with_flag(place.kind, found, same))
            }
            (AtomicOp::Store, Some(value)) => {
                let order = self.ordered(place, order, Access::Store);
                self.b.atomic_store(Space::Generic, order, address, value);
                Ok(Values::new())
            }
            (op, Some(value)) => {
                let found = match native(op, place.kind) {
                    Some(native) => {
                        let value =
                            if op == AtomicOp::Sub { self.opposite(place.kind, &args[0]) } else { value };
                        let order = self.ordered(place, order, Access::Both);
                        self.b.atomic(native, Space::Generic, order, address, value)
                    }
                    None => self.change(place, op, order, value),
                };
                Ok(self.unpacked(found))
            }
            (_, None) => {
                let order = self.ordered(place, order, Access::Load);
                let found = self.b.atomic_load(register(place.kind), Space::Generic, order, address);
                Ok(self.unpacked(found))
            }
        }
    }

    /// `fence(order, scope)`
    pub(super) fn atomic_fence(&mut self, order: Ordering, scope: Scope) -> Values {
        let order = if order == Ordering::SeqCst { MemoryOrder::SeqCst } else { MemoryOrder::AcqRel };
        self.b.fence(scope_of(scope), order);
        Values::new()
    }

    /// Scope and order of an access; before one that is sequentially consistent a fence.
    fn ordered(&mut self, place: Place, order: Ordering, access: Access) -> (MemoryScope, MemoryOrder) {
        let order = match order {
            Ordering::Relaxed => MemoryOrder::Relaxed,
            Ordering::Acquire => MemoryOrder::Acquire,
            Ordering::Release => MemoryOrder::Release,
            Ordering::AcqRel => MemoryOrder::AcqRel,
            Ordering::SeqCst => {
                self.b.fence(place.scope, MemoryOrder::SeqCst);
                if access == Access::Store { MemoryOrder::Relaxed } else { MemoryOrder::Acquire }
            }
        };
        (place.scope, order)
    }

    /// Compares and exchanges; the bits that were there.
    fn exchange_if(&mut self, place: Place, order: Ordering, values: [Value; 2]) -> Value {
        let order = self.ordered(place, order, Access::Both);
        self.b.atomic_compare_exchange(Space::Generic, order, place.address, values)
    }

    /// An operation that PTX has no instruction for: tried until nobody came between.
    fn change(&mut self, place: Place, op: AtomicOp, order: Ordering, value: Value) -> Value {
        let first = self.b.atomic_load(
            register(place.kind),
            Space::Generic,
            (place.scope, MemoryOrder::Relaxed),
            place.address,
        );
        let first = self.bits(first);
        let (head, again, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let old_bits = self.b.add_block_param(head, word(place.kind));
        self.b.jump(head, &[first]);
        self.b.switch_to(head);
        let old = self.of_bits(place.kind, old_bits);
        let new = match op {
            AtomicOp::Nand => {
                let both = self.b.binary(Op::And, old, value);
                self.b.unary(IrUnary::Not, both)
            }
            AtomicOp::Min => self.b.binary(Op::FMin, old, value),
            _ => self.b.binary(Op::FMax, old, value),
        };
        let new = self.bits(new);
        let found = self.exchange_if(place, order, [old_bits, new]);
        let same = self.b.int_compare(IntCond::Eq, found, old_bits);
        self.b.branch(same, done, again);
        self.b.seal(again);
        self.b.switch_to(again);
        self.b.jump(head, &[found]);
        self.b.seal(head);
        self.b.seal(done);
        self.b.switch_to(done);
        old
    }

    /// `fetch_update(order, failure, function)`
    fn atomic_update(&mut self, place: Place, access: &AtomicAccess, function: &Expr) -> Lowered {
        self.expr(function)?;
        let order = self.ordered(place, access.failure, Access::Load);
        let first = self.b.atomic_load(register(place.kind), Space::Generic, order, place.address);
        let first = self.bits(first);
        let [head, write, again] = [(); 3].map(|()| self.b.create_block());
        let done = self.b.create_block();
        let changed = self.b.add_block_param(done, Type::Bool);
        let old_bits = self.b.add_block_param(head, word(place.kind));
        self.b.jump(head, &[first]);
        self.b.switch_to(head);
        let old = self.of_bits(place.kind, old_bits);
        let old = self.unpacked(old);
        let option = self.call_value(&function.ty, vec![old]);
        if let Ok(option) = option {
            let (is_some, new) = option.split_last().expect("an `Option` has a flag");
            let (stays, goes) = (self.b.create_block(), write);
            self.b.branch(*is_some, goes, stays);
            self.b.seal(stays);
            self.b.switch_to(stays);
            let unchanged = self.bool(false);
            self.b.jump(done, &[unchanged]);
            self.b.seal(write);
            self.b.switch_to(write);
            let new = self.packed(new);
            let new = self.bits(new);
            let found = self.exchange_if(place, access.order.and(access.failure), [old_bits, new]);
            let same = self.b.int_compare(IntCond::Eq, found, old_bits);
            let wrote = self.b.create_block();
            self.b.branch(same, wrote, again);
            self.b.seal(again);
            self.b.switch_to(again);
            self.b.jump(head, &[found]);
            self.b.seal(wrote);
            self.b.switch_to(wrote);
            let yes = self.bool(true);
            self.b.jump(done, &[yes]);
        }
        self.b.seal(head);
        self.enter(done)?;
        Ok(self.with_flag(place.kind, old_bits, changed))
    }

    /// The addend that subtracts the value.
    fn opposite(&mut self, kind: AtomicKind, value: &[Value]) -> Value {
        let op = if kind.value().0.is_float() { IrUnary::FNeg } else { IrUnary::Neg };
        let negated: Values = value.iter().map(|&lane| self.b.unary(op, lane)).collect();
        self.packed(&negated)
    }

    /// A value in the register that it is accessed in: pairs are one.
    fn packed(&mut self, value: &[Value]) -> Value {
        match *value {
            [low, high] => self.b.pack(low, high),
            _ => value[0],
        }
    }

    fn unpacked(&mut self, register: Value) -> Values {
        match self.b.ty(register).lane() {
            Some(_) => vec![self.b.extract(register, 0), self.b.extract(register, 1)],
            None => vec![register],
        }
    }

    /// The bits of a register, for what compares by bits.
    fn bits(&mut self, value: Value) -> Value {
        match self.b.ty(value) {
            Type::I32 | Type::I64 => value,
            ty if ty.bits() == 64 => self.b.convert(ConvertOp::Bitcast, value, Type::I64),
            _ => self.b.convert(ConvertOp::Bitcast, value, Type::I32),
        }
    }

    fn of_bits(&mut self, kind: AtomicKind, bits: Value) -> Value {
        match register(kind) {
            Type::I32 | Type::I64 => bits,
            ty => self.b.convert(ConvertOp::Bitcast, bits, ty),
        }
    }

    /// `Ok` or `Err` of what was there.
    fn with_flag(&mut self, kind: AtomicKind, bits: Value, flag: Value) -> Values {
        let found = self.of_bits(kind, bits);
        let mut values = self.unpacked(found);
        values.push(flag);
        values
    }
}

fn scope_of(scope: Scope) -> MemoryScope {
    match scope {
        Scope::Block => MemoryScope::Block,
        Scope::Device => MemoryScope::Device,
        Scope::System => MemoryScope::System,
    }
}

/// The type of the register.
fn register(kind: AtomicKind) -> Type {
    match kind.value() {
        (scalar, 1) => scalar_type(scalar),
        _ => Type::F16x2,
    }
}

/// The integer as wide.
fn word(kind: AtomicKind) -> Type {
    if register(kind).bits() == 64 { Type::I64 } else { Type::I32 }
}

/// The instruction, where there is one (PTX ISA, `atom`).
fn native(op: AtomicOp, kind: AtomicKind) -> Option<IrOp> {
    let (scalar, _) = kind.value();
    match op {
        AtomicOp::Add | AtomicOp::Sub if scalar.is_float() => Some(IrOp::FAdd),
        AtomicOp::Add | AtomicOp::Sub => Some(IrOp::Add),
        AtomicOp::Swap => Some(IrOp::Exchange),
        AtomicOp::Min | AtomicOp::Max if scalar.is_float() => None,
        AtomicOp::Min if scalar.is_signed() => Some(IrOp::SMin),
        AtomicOp::Min => Some(IrOp::UMin),
        AtomicOp::Max if scalar.is_signed() => Some(IrOp::SMax),
        AtomicOp::Max => Some(IrOp::UMax),
        AtomicOp::And => Some(IrOp::And),
        AtomicOp::Or => Some(IrOp::Or),
        AtomicOp::Xor => Some(IrOp::Xor),
        AtomicOp::Nand | AtomicOp::Load | AtomicOp::Store | AtomicOp::CompareExchange | AtomicOp::Update => {
            None
        }
    }
}
