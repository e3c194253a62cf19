//! The forms of instructions that touch memory.

use ptx::tree::{Instruction, Keyword, Opcode, ScalarType, StateSpace};

use super::function::{Decoder, Refusal};
use super::names;
use super::operand::space_of;
use super::words::{Words, operands};
use crate::exec::addresses::window;
use crate::exec::binary::Binary;
use crate::exec::compare::Compare;
use crate::exec::packed::Element;
use crate::exec::peers::PEER_BYTES;
use crate::exec::unary::Unary;
use crate::op::{Access, Address, Atomic, AtomicFunction, AtomicWide, Logic, Op, Order, Predicate, Space};
use crate::program::Constant;
use crate::registers::{Class, Slot};

/// Words that order accesses or hint at caches. Accesses here happen in program order, and go to memory at once (the caches of a
/// profile count, and hold nothing): what the words say of order is for the sanitizer. Volatile accesses are older than orders, and programs wait by them: they
/// count as acquiring.
const ORDERS: &[(Keyword, Order)] = &[
    (Keyword::Nc, Order::WEAK),
    (Keyword::Weak, Order::WEAK),
    (Keyword::Volatile, Order::ACQUIRE),
    (Keyword::Mmio, Order::ACQUIRE),
    (Keyword::Relaxed, Order::STRONG),
    (Keyword::Acquire, Order::ACQUIRE),
    (Keyword::Release, Order::RELEASE),
    (Keyword::AcqRel, Order(Order::ACQUIRE.0 | Order::RELEASE.0)),
    (Keyword::Cta, Order::BLOCK),
    (Keyword::Cluster, Order::WEAK),
    (Keyword::Gpu, Order::WEAK),
    (Keyword::Sys, Order::WEAK),
    (Keyword::Ca, Order::WEAK),
    (Keyword::Cg, Order::WEAK),
    (Keyword::Cs, Order::WEAK),
    (Keyword::Lu, Order::WEAK),
    (Keyword::Cv, Order::ACQUIRE),
    (Keyword::Wb, Order::WEAK),
    (Keyword::Wt, Order::WEAK),
    (Keyword::Noftz, Order::WEAK),
    (Keyword::L1EvictNormal, Order::WEAK),
    (Keyword::L1EvictUnchanged, Order::WEAK),
    (Keyword::L1EvictFirst, Order::WEAK),
    (Keyword::L1EvictLast, Order::WEAK),
    (Keyword::L1NoAllocate, Order::WEAK),
    (Keyword::L2EvictNormal, Order::WEAK),
    (Keyword::L2EvictFirst, Order::WEAK),
    (Keyword::L2EvictLast, Order::WEAK),
    (Keyword::L264B, Order::WEAK),
    (Keyword::L2128B, Order::WEAK),
    (Keyword::L2256B, Order::WEAK),
];

/// Takes all of these words.
fn order(words: &mut Words<'_>) -> Order {
    let mut order = Order::WEAK;
    while let Some(more) = words.take_any(ORDERS) {
        order = order.and(more);
    }
    order
}

pub(super) const VECTORS: &[(Keyword, usize)] = &[(Keyword::V2, 2), (Keyword::V4, 4), (Keyword::V8, 8)];

/// Elements that one operation moves.
const ACCESS: usize = 4;

/// Atomic functions by keyword: for unsigned, signed and floating-point types.
pub(super) const ATOMICS: &[(Keyword, [Option<AtomicFunction>; 3])] = {
    use AtomicFunction as F;
    &[
        (Keyword::And, [Some(F::And), None, None]),
        (Keyword::Or, [Some(F::Or), None, None]),
        (Keyword::Xor, [Some(F::Xor), None, None]),
        (Keyword::Exch, [Some(F::Exchange), None, None]),
        (Keyword::Cas, [Some(F::CompareExchange), None, None]),
        (Keyword::Add, [Some(F::Add), Some(F::Add), Some(F::AddFloat)]),
        (Keyword::Inc, [Some(F::Increment), None, None]),
        (Keyword::Dec, [Some(F::Decrement), None, None]),
        (Keyword::Min, [Some(F::MinUnsigned), Some(F::MinSigned), None]),
        (Keyword::Max, [Some(F::MaxUnsigned), Some(F::MaxSigned), None]),
    ]
};

/// Atomic additions of 16-bit floats.
const HALVES: &[(ScalarType, AtomicFunction)] = &[
    (ScalarType::F16, AtomicFunction::AddPacked(Element::Half, false)),
    (ScalarType::F16x2, AtomicFunction::AddPacked(Element::Half, true)),
    (ScalarType::Bf16, AtomicFunction::AddPacked(Element::Brain, false)),
    (ScalarType::Bf16x2, AtomicFunction::AddPacked(Element::Brain, true)),
];

/// The atomic function that the keyword and the type select.
pub(super) fn atomic_function(words: &mut Words<'_>, ty: ScalarType) -> Result<AtomicFunction, Refusal> {
    let half = HALVES.iter().find(|(half, _)| *half == ty).map(|&(_, function)| function);
    let column = match ty {
        ScalarType::F32 | ScalarType::F64 => 2,
        ty if is_signed(ty) => 1,
        _ => 0,
    };
    let function = match half {
        Some(function) => Some(function).filter(|_| words.take(Keyword::Add)),
        None => words.take_any(ATOMICS).and_then(|functions| functions[column]),
    };
    function.ok_or_else(|| Refusal::new(format!("no such atomic operation of `.{ty}`")))
}

impl Decoder<'_> {
    pub(super) fn load(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let (order, space, count, ty) = access_words(&mut words)?;
        words.finish()?;
        let [target, address] = operands(instruction)?;
        let address = self.address(address, space)?;
        if ty == ScalarType::B128 {
            let [low, high] = self.wide(target)?;
            let values = [low, high, low, low];
            self.push(Op::Load(Access { address, size: 8, count: 2, signed: false, order, values }));
            return Ok(());
        }
        let (size, class) = element(ty)?;
        let signed = is_signed(ty);
        let mut widen = Vec::new();
        for (index, operands) in self.elements(target, count)?.chunks(ACCESS).enumerate() {
            let mut values = [Slot(0); ACCESS];
            for (slot, operand) in values.iter_mut().zip(operands) {
                let (target, after) = self.relaxed_target(operand, class, signed)?;
                *slot = target;
                widen.extend(after);
            }
            let address = part(address, index, size);
            self.push(Op::Load(Access { address, size, count: operands.len() as u8, signed, order, values }));
        }
        for op in widen {
            self.push(op);
        }
        Ok(())
    }

    pub(super) fn store(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        if instruction.modifiers.contains(&Keyword::Async.into()) {
            return self.store_async(instruction);
        }
        let mut words = Words::new(instruction);
        let (order, space, count, ty) = access_words(&mut words)?;
        words.finish()?;
        let [address, source] = operands(instruction)?;
        let address = self.address(address, space)?;
        if address.space == Space::Param {
            return Err(Refusal::new("parameters of a kernel are read-only"));
        }
        if ty == ScalarType::B128 {
            let [low, high] = self.wide(source)?;
            let values = [low, high, low, low];
            self.push(Op::Store(Access { address, size: 8, count: 2, signed: false, order, values }));
            return Ok(());
        }
        let (size, class) = element(ty)?;
        for (index, operands) in self.elements(source, count)?.chunks(ACCESS).enumerate() {
            let mut values = [Slot(0); ACCESS];
            for (slot, operand) in values.iter_mut().zip(operands) {
                *slot = self.relaxed_source(operand, class, ty)?;
            }
            let address = part(address, index, size);
            self.push(Op::Store(Access {
                address,
                size,
                count: operands.len() as u8,
                signed: false,
                order,
                values,
            }));
        }
        Ok(())
    }

    pub(super) fn atomic(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        if instruction.modifiers.contains(&Keyword::Async.into()) {
            return self.store_async(instruction);
        }
        let mut words = Words::new(instruction);
        let order = order(&mut words);
        // So do atomics that say no order: locks of CUDA C++ have relied on it.
        let order = if order.is_strong() { order } else { order.and(Order::ACQUIRE) };
        let (space, ty) = (words.space(), words.ty()?);
        if ty == ScalarType::B128 {
            return self.atomic_wide(instruction, words, space, order);
        }
        let count = words.take_any(VECTORS).unwrap_or(1);
        let function = atomic_function(&mut words, ty)?;
        words.finish()?;
        let half = matches!(function, AtomicFunction::AddPacked(..));
        let (size, class) = element(ty)?;
        let narrow = function == AtomicFunction::CompareExchange || function == AtomicFunction::Exchange;
        if size < 4 && !(size == 2 && (narrow || half)) {
            return Err(Refusal::new(format!("no atomic operation of `.{ty}`")));
        }
        let (target, rest) = match (instruction.opcode == Opcode::Atom, instruction.operands.as_slice()) {
            (true, [target, rest @ ..]) => (Some(target), rest),
            (_, rest) => (None, rest),
        };
        let (address, operand, replacement) = match (rest, function == AtomicFunction::CompareExchange) {
            ([address, operand], false) => (address, operand, operand),
            ([address, operand, replacement], true) => (address, operand, replacement),
            _ => return Err(Refusal::new("the number of operands does not fit the operation")),
        };
        let address = self.address(address, space)?;
        if address.space == Space::Param || address.space == Space::Local {
            return Err(Refusal::new("atomic operations are of global and shared memory"));
        }
        // The elements of a vector are changed one by one.
        let (operands, replacements) = (self.elements(operand, count)?, self.elements(replacement, count)?);
        let targets = target.map(|target| self.elements(target, count)).transpose()?;
        for index in 0..count {
            let operand = self.source(&operands[index], class, ty)?;
            let replacement = self.source(&replacements[index], class, ty)?;
            let old = targets.as_ref().map(|targets| self.target(&targets[index], class)).transpose()?;
            let address = Address { offset: address.offset + index as i32 * i32::from(size), ..address };
            self.push(Op::Atomic(Atomic { address, function, size, old, operand, replacement, order }));
        }
        Ok(())
    }

    /// `atom.exch.b128` and `atom.cas.b128`
    fn atomic_wide(
        &mut self,
        instruction: &Instruction,
        mut words: Words<'_>,
        space: Option<StateSpace>,
        order: Order,
    ) -> Result<(), Refusal> {
        let compares = words.take(Keyword::Cas);
        if !compares && !words.take(Keyword::Exch) {
            return Err(Refusal::new("of 128 bits there are `.exch` and `.cas`"));
        }
        words.finish()?;
        let (target, address, expected, new) = match instruction.operands.as_slice() {
            [target, address, new] if !compares => (target, address, None, new),
            [target, address, expected, new] if compares => (target, address, Some(expected), new),
            _ => return Err(Refusal::new("the number of operands does not fit the operation")),
        };
        let address = self.address(address, space)?;
        let expected = expected.map(|operand| self.wide(operand)).transpose()?;
        let (new, old) = (self.wide(new)?, self.wide(target)?);
        self.push(Op::AtomicWide(AtomicWide { address, old, expected, new, order }));
        Ok(())
    }

    /// `cvta`: generic addresses of shared and local memory are in windows of their own.
    pub(super) fn cvta(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let to = words.take(Keyword::To);
        let space = words.space().ok_or_else(|| Refusal::new("the state space is missing"))?;
        let ty = words.ty()?;
        words.finish()?;
        if ty != ScalarType::U64 {
            return Err(Refusal::new("only 64-bit addresses are simulated"));
        }
        let [target, source] = operands(instruction)?;
        let source = self.source(source, Class::D, ty)?;
        let target = self.target(target, Class::D)?;
        let base = self.constant(Class::D, Constant::Immediate(window(space_of(space)?)))?;
        let f = if to { Binary::Sub64 } else { Binary::Add64 };
        self.push(Op::Binary { f, target, sources: [source, base] });
        Ok(())
    }

    /// `membar` and `fence`.
    pub(super) fn fence(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let has = |word: Keyword| instruction.modifiers.contains(&word.into());
        let wide = !has(Keyword::Cta);
        if has(Keyword::MbarrierInit)
            || (has(Keyword::Proxy) && (has(Keyword::Async) || has(Keyword::AsyncGeneric)))
        {
            self.push(Op::ProxyFence { only_barriers: has(Keyword::MbarrierInit) });
        }
        self.push(Op::Fence { wide, of_barrier: false });
        Ok(())
    }

    pub(super) fn isspacep(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let space = words.space().ok_or_else(|| Refusal::new("the state space is missing"))?;
        words.finish()?;
        let [target, address] = operands(instruction)?;
        let mut address_slot = self.source(address, Class::D, ScalarType::U64);
        if self.class_of_register(address) == Some(Class::W) {
            let narrow = self.source(address, Class::W, ScalarType::U32)?;
            let wide = self.fresh(Class::D)?;
            self.push(Op::Unary { f: Unary::WidenU32, target: wide, sources: [narrow] });
            address_slot = Ok(wide);
        }
        let target = self.target(target, Class::P)?;
        if matches!(space, StateSpace::Const | StateSpace::Global) {
            return self.is_global(target, address_slot?, space);
        }
        let address = address_slot?;
        if matches!(space, StateSpace::Shared | StateSpace::SharedCta) {
            return self.is_own_shared(target, address);
        }
        self.push(Op::IsSpace { target, space: space_of(space)?, address });
        Ok(())
    }

    /// Of addresses of shared memory, those that name no other block of the cluster.
    fn is_own_shared(&mut self, target: Slot, address: Slot) -> Result<(), Refusal> {
        let end = self.constant(Class::W, Constant::Immediate(PEER_BYTES))?;
        let (offset, inside, own) = (self.fresh(Class::W)?, self.fresh(Class::P)?, self.fresh(Class::P)?);
        self.push(Op::Unary { f: Unary::Narrow64, target: offset, sources: [address] });
        let (combine, with, inverse) = (Logic::And, Predicate::TRUE, None);
        let (f, negated, a, b) = (Compare::LtU32, false, offset, end);
        self.push(Op::Compare { f, negated, a, b, combine, with, target: own, inverse });
        self.push(Op::IsSpace { target: inside, space: Space::Shared, address });
        let [a, b] = [inside, own].map(|slot| Predicate { slot, negated: false });
        self.push(Op::Logic { f: Logic::And, target, a, b });
        Ok(())
    }

    /// Constants are the first bytes of the variables of the module; the rest of global memory is global.
    fn is_global(&mut self, target: Slot, address: Slot, space: StateSpace) -> Result<(), Refusal> {
        let bytes = self.constant_bytes();
        let start = self.constant(Class::D, Constant::Variable(0))?;
        let end = self.constant(Class::D, Constant::Immediate(bytes))?;
        let offset = self.fresh(Class::D)?;
        self.push(Op::Binary { f: Binary::Sub64, target: offset, sources: [address, start] });
        let (inside, outside) = (self.fresh(Class::P)?, self.fresh(Class::P)?);
        let (f, combine, with) = (Compare::LtU64, Logic::And, Predicate::TRUE);
        let (negated, a, b) = (false, offset, end);
        self.push(Op::Compare { f, negated, a, b, combine, with, target: inside, inverse: Some(outside) });
        let (a, b) = if space == StateSpace::Const {
            (Predicate { slot: inside, negated: false }, Predicate::TRUE)
        } else {
            let global = self.fresh(Class::P)?;
            self.push(Op::IsSpace { target: global, space: Space::Global, address });
            (Predicate { slot: outside, negated: false }, Predicate { slot: global, negated: false })
        };
        self.push(Op::Logic { f: Logic::And, target, a, b });
        Ok(())
    }
}

/// The address of the elements that one operation of several moves.
fn part(address: Address, index: usize, size: u8) -> Address {
    Address { offset: address.offset + (index * ACCESS) as i32 * i32::from(size), ..address }
}

/// The space, the number of elements and the type of a load or store.
fn access_words(words: &mut Words<'_>) -> Result<(Order, Option<StateSpace>, usize, ScalarType), Refusal> {
    Ok((order(words), words.space(), words.take_any(VECTORS).unwrap_or(1), words.ty()?))
}

/// The bytes of an element and the class of its register.
fn element(ty: ScalarType) -> Result<(u8, Class), Refusal> {
    match (names::class_of(ty), ty.bits()) {
        (Some(class @ (Class::W | Class::D)), bits @ (8 | 16 | 32 | 64)) => Ok(((bits / 8) as u8, class)),
        _ => Err(Refusal::new(format!("accesses of type `.{ty}` are not simulated"))),
    }
}

fn is_signed(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::S8 | ScalarType::S16 | ScalarType::S32 | ScalarType::S64)
}

/// Returns true if blocks can communicate through this operation.
pub(super) fn is_global_atomic(op: &Op) -> bool {
    let address = match op {
        Op::Atomic(atomic) => atomic.address,
        Op::AtomicWide(atomic) => atomic.address,
        _ => return false,
    };
    matches!(address.space, Space::Global | Space::Generic)
}
