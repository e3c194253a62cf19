//! Operands: names, numbers and addresses become slots.

use std::borrow::Cow;

use ptx::tree::{self, Operand, ScalarType, StateSpace};

use super::function::{Decoder, Refusal};
use super::immediate_bits;
use super::names::{self, Binding, Clock};
use crate::exec::binary::Binary;
use crate::exec::unary::Unary;
use crate::op::{Address, Op, Predicate, Space};
use crate::program::Constant;
use crate::registers::{Class, Slot};

impl Decoder<'_> {
    /// A source of the class that the operation wants. `ty` gives literals their meaning.
    pub(super) fn source(
        &mut self,
        operand: &Operand,
        class: Class,
        ty: ScalarType,
    ) -> Result<Slot, Refusal> {
        match operand {
            Operand::Name(name) => self.named_source(name.as_str(), class, 0),
            Operand::Offset(name, offset) => self.named_source(name.as_str(), class, *offset),
            Operand::Immediate(immediate) => {
                self.constant(class, Constant::Immediate(immediate_bits(*immediate, ty)))
            }
            Operand::Not(_)
            | Operand::Negative(_)
            | Operand::Address(_)
            | Operand::Vector(_)
            | Operand::Pair(..)
            | Operand::Group(_)
            | Operand::Discard => Err(Refusal::new("expected a register or a number as source")),
        }
    }

    /// The elements of a vector operand: those in braces, or those of a register of a vector type.
    pub(super) fn elements<'o>(
        &mut self,
        operand: &'o Operand,
        count: usize,
    ) -> Result<Cow<'o, [Operand]>, Refusal> {
        let named = match operand {
            Operand::Name(name) if count > 1 => {
                self.named_elements(operand).or_else(|| names::special_elements(name.as_str()))
            }
            _ => None,
        };
        if let Some(named) = named {
            return match named.len() == count {
                true => Ok(Cow::Owned(named)),
                false => {
                    Err(Refusal::new(format!("expected a vector of {count}, found one of {}", named.len())))
                }
            };
        }
        match operand {
            Operand::Vector(elements) if elements.len() == count => Ok(Cow::Borrowed(elements)),
            Operand::Vector(elements) => {
                Err(Refusal::new(format!("expected a vector of {count}, found one of {}", elements.len())))
            }
            _ if count == 1 => Ok(Cow::Borrowed(std::slice::from_ref(operand))),
            Operand::Name(_)
            | Operand::Not(_)
            | Operand::Negative(_)
            | Operand::Immediate(_)
            | Operand::Offset(..)
            | Operand::Address(_)
            | Operand::Pair(..)
            | Operand::Group(_)
            | Operand::Discard => Err(Refusal::new(format!("expected a vector of {count}"))),
        }
    }

    /// The elements of a register of a vector type.
    pub(super) fn named_elements(&self, operand: &Operand) -> Option<Vec<Operand>> {
        let Operand::Name(name) = operand else { return None };
        match self.scopes.find(self.scope, name.as_str()) {
            Some(Binding::Vector(count)) => Some(names::components(name.as_str(), count)),
            Some(Binding::Register(_) | Binding::Slot(..) | Binding::Wide(_) | Binding::Variable(_))
            | None => None,
        }
    }

    fn named_source(&mut self, name: &str, class: Class, offset: i64) -> Result<Slot, Refusal> {
        if let Some(special) = names::special(name) {
            return self.constant(class, Constant::Special(special));
        }
        if name == "WARP_SZ" {
            return self.constant(class, Constant::Immediate(32));
        }
        if let Some(part) = names::clock(name) {
            return self.clock_value(part, class);
        }
        match self.find(name)? {
            Binding::Register(register) if register.class == class => {
                let slot = self.slot(register)?;
                self.sum(slot, class, offset)
            }
            Binding::Slot(known, slot) if known == class => self.sum(slot, class, offset),
            Binding::Register(_) | Binding::Slot(..) | Binding::Wide(_) | Binding::Vector(_) => {
                Err(Refusal::new(format!("`{name}` has another size than the instruction")))
            }
            Binding::Variable(variable) => {
                let constant = self.displaced(variable.address, offset)?;
                let constant = self.constant(class, constant)?;
                match variable.frame {
                    None => Ok(constant),
                    Some(base) if class == Class::D => {
                        let target = self.fresh(Class::D)?;
                        self.push(Op::Binary { f: Binary::Add64, target, sources: [base, constant] });
                        Ok(target)
                    }
                    Some(_) => Err(Refusal::new("addresses of the stack have 64 bits")),
                }
            }
        }
    }

    /// A register plus a number.
    fn sum(&mut self, slot: Slot, class: Class, offset: i64) -> Result<Slot, Refusal> {
        let f = match class {
            _ if offset == 0 => return Ok(slot),
            Class::W => Binary::Add32,
            Class::D => Binary::Add64,
            Class::P => return Err(Refusal::new("there are no sums of predicates")),
        };
        let offset = self.constant(class, Constant::Immediate(offset as u64))?;
        let target = self.fresh(class)?;
        self.push(Op::Binary { f, target, sources: [slot, offset] });
        Ok(target)
    }

    /// Emits a read of a clock, as an operand.
    fn clock_value(&mut self, part: Clock, class: Class) -> Result<Slot, Refusal> {
        let target = self.fresh(class)?;
        match (part, class) {
            (Clock::Whole, Class::D) => self.push(Op::Clock { target, wide: true }),
            (Clock::Low, Class::W) => self.push(Op::Clock { target, wide: false }),
            (Clock::High, Class::W) => {
                let whole = self.fresh(Class::D)?;
                let unused = self.fresh(Class::W)?;
                self.push(Op::Clock { target: whole, wide: true });
                let parts = [unused, target, unused, unused];
                self.push(Op::Unpack { source: whole, parts, count: 2, bits: 32 });
            }
            (Clock::Whole | Clock::Low | Clock::High, _) => {
                return Err(Refusal::new("the clock has another size than the instruction"));
            }
        }
        Ok(target)
    }

    fn displaced(&self, address: Constant, offset: i64) -> Result<Constant, Refusal> {
        match (address, offset) {
            (address, 0) => Ok(address),
            (Constant::Immediate(at), offset) => Ok(Constant::Immediate(at.wrapping_add_signed(offset))),
            (Constant::Variable(at), offset) => Ok(Constant::Variable(at.wrapping_add_signed(offset))),
            (Constant::DynamicShared | Constant::Special(_), _) => {
                Err(Refusal::new("an offset from dynamic shared memory is not a constant here"))
            }
        }
    }

    /// As [`source`](Self::source), but the register may be wider than the type, as `ld`, `st` and `cvt` allow.
    pub(super) fn relaxed_source(
        &mut self,
        operand: &Operand,
        class: Class,
        ty: ScalarType,
    ) -> Result<Slot, Refusal> {
        if class == Class::W && self.class_of_register(operand) == Some(Class::D) {
            let wide = self.source(operand, Class::D, ty)?;
            let target = self.fresh(Class::W)?;
            self.push(Op::Unary { f: Unary::Narrow64, target, sources: [wide] });
            return Ok(target);
        }
        self.source(operand, class, ty)
    }

    /// The class of the register that an operand names, if it names one.
    pub(super) fn class_of_register(&mut self, operand: &Operand) -> Option<Class> {
        let Operand::Name(name) = operand else { return None };
        match self.find(name.as_str()) {
            Ok(Binding::Register(register)) => Some(register.class),
            Ok(Binding::Slot(class, _)) => Some(class),
            Ok(Binding::Wide(_) | Binding::Vector(_) | Binding::Variable(_)) | Err(_) => None,
        }
    }

    /// A register to write.
    pub(super) fn target(&mut self, operand: &Operand, class: Class) -> Result<Slot, Refusal> {
        match operand {
            Operand::Name(name) => self.named_target(name, class),
            Operand::Discard => self.fresh(class),
            Operand::Not(_)
            | Operand::Negative(_)
            | Operand::Immediate(_)
            | Operand::Offset(..)
            | Operand::Address(_)
            | Operand::Vector(_)
            | Operand::Pair(..)
            | Operand::Group(_) => Err(Refusal::new("expected a register to write")),
        }
    }

    /// A register to write, or `_`.
    pub(super) fn named_target(&mut self, name: &tree::Name, class: Class) -> Result<Slot, Refusal> {
        let name = name.as_str();
        if name == "_" {
            return self.fresh(class);
        }
        match self.find(name)? {
            Binding::Register(register) if register.class == class => self.slot(register),
            Binding::Slot(known, slot) if known == class => Ok(slot),
            Binding::Register(_) | Binding::Slot(..) | Binding::Wide(_) | Binding::Vector(_) => {
                Err(Refusal::new(format!("`{name}` has another size than the instruction")))
            }
            Binding::Variable(_) => Err(Refusal::new(format!("`{name}` is a variable, not a register"))),
        }
    }

    /// A target that may be wider than the type: the slot to write, and what to do afterwards.
    pub(super) fn relaxed_target(
        &mut self,
        operand: &Operand,
        class: Class,
        signed: bool,
    ) -> Result<(Slot, Option<Op>), Refusal> {
        if class == Class::W && self.class_of_register(operand) == Some(Class::D) {
            let target = self.target(operand, Class::D)?;
            let narrow = self.fresh(Class::W)?;
            let f = if signed { Unary::WidenS32 } else { Unary::WidenU32 };
            return Ok((narrow, Some(Op::Unary { f, target, sources: [narrow] })));
        }
        Ok((self.target(operand, class)?, None))
    }

    /// The halves of a register of 128 bits, the lower first.
    pub(super) fn wide(&mut self, operand: &Operand) -> Result<[Slot; 2], Refusal> {
        let Operand::Name(name) = operand else {
            return Err(Refusal::new("expected a register of 128 bits"));
        };
        match self.find(name.as_str())? {
            Binding::Wide([low, high]) => Ok([self.slot(low)?, self.slot(high)?]),
            Binding::Register(_) | Binding::Slot(..) | Binding::Vector(_) | Binding::Variable(_) => {
                Err(Refusal::new(format!("`{name}` is no register of 128 bits")))
            }
        }
    }

    /// `mov.b128`: between two registers, or a register and two halves.
    pub(super) fn move128(&mut self, target: &Operand, source: &Operand) -> Result<(), Refusal> {
        let halves = |operand: &Operand| match operand {
            Operand::Vector(parts) if parts.len() == 2 => Some([parts[0].clone(), parts[1].clone()]),
            _ => None,
        };
        let sources = match halves(source) {
            Some([low, high]) => [
                self.source(&low, Class::D, ScalarType::B64)?,
                self.source(&high, Class::D, ScalarType::B64)?,
            ],
            None => self.wide(source)?,
        };
        let targets = match halves(target) {
            Some([low, high]) => [self.target(&low, Class::D)?, self.target(&high, Class::D)?],
            None => self.wide(target)?,
        };
        // Through a copy: the halves may be exchanged.
        let copy = self.fresh(Class::D)?;
        self.push(Op::Unary { f: Unary::Move64, target: copy, sources: [sources[1]] });
        self.push(Op::Unary { f: Unary::Move64, target: targets[0], sources: [sources[0]] });
        self.push(Op::Unary { f: Unary::Move64, target: targets[1], sources: [copy] });
        Ok(())
    }

    /// A predicate to read, possibly negated; numbers stand for true and false.
    pub(super) fn predicate(&mut self, operand: &Operand) -> Result<Predicate, Refusal> {
        match operand {
            Operand::Name(name) => self.named_predicate(name, false),
            Operand::Not(name) => self.named_predicate(name, true),
            Operand::Immediate(immediate) => {
                let holds = immediate_bits(*immediate, ScalarType::B32) != 0;
                Ok(Predicate { negated: !holds, ..Predicate::TRUE })
            }
            Operand::Offset(..)
            | Operand::Negative(_)
            | Operand::Address(_)
            | Operand::Vector(_)
            | Operand::Pair(..)
            | Operand::Group(_)
            | Operand::Discard => Err(Refusal::new("expected a predicate")),
        }
    }

    pub(super) fn named_predicate(&mut self, name: &tree::Name, negated: bool) -> Result<Predicate, Refusal> {
        match self.find(name.as_str())? {
            Binding::Register(register) if register.class == Class::P => {
                Ok(Predicate { slot: self.slot(register)?, negated })
            }
            Binding::Slot(Class::P, slot) => Ok(Predicate { slot, negated }),
            Binding::Register(_)
            | Binding::Slot(..)
            | Binding::Wide(_)
            | Binding::Vector(_)
            | Binding::Variable(_) => Err(Refusal::new(format!("`{name}` is no predicate"))),
        }
    }

    /// `d` or `d|p`: the target, and the predicate beside it.
    pub(super) fn target_pair(
        &mut self,
        operand: &Operand,
        class: Class,
    ) -> Result<(Slot, Option<Slot>), Refusal> {
        match operand {
            Operand::Pair(first, second) => {
                Ok((self.named_target(first, class)?, Some(self.named_target(second, Class::P)?)))
            }
            Operand::Name(_)
            | Operand::Not(_)
            | Operand::Negative(_)
            | Operand::Immediate(_)
            | Operand::Offset(..)
            | Operand::Address(_)
            | Operand::Vector(_)
            | Operand::Group(_)
            | Operand::Discard => Ok((self.target(operand, class)?, None)),
        }
    }

    /// `[base + offset]` in a space; generic when the instruction names none and the base is a register.
    pub(super) fn address(
        &mut self,
        operand: &Operand,
        space: Option<StateSpace>,
    ) -> Result<Address, Refusal> {
        let Operand::Address(address) = operand else {
            return Err(Refusal::new("expected an address in brackets"));
        };
        if !address.coordinates.is_empty() {
            return Err(Refusal::new("coordinates in an address are not simulated"));
        }
        let offset = i32::try_from(address.offset).map_err(|_| Refusal::new("the offset exceeds 32 bits"))?;
        let space_named = space.map(space_of).transpose()?;
        let Some(base) = &address.base else {
            let base = self.constant(Class::D, Constant::Immediate(address.offset as u64))?;
            let space = space_named.unwrap_or(Space::Generic);
            return Ok(Address { space, wide: true, uniform: true, base, offset: 0 });
        };
        match self.find(base.as_str())? {
            Binding::Register(register) => {
                let slot = self.slot(register)?;
                based(base.as_str(), space_named, register.class, slot, offset)
            }
            Binding::Slot(class, slot) => based(base.as_str(), space_named, class, slot, offset),
            Binding::Wide(_) | Binding::Vector(_) => {
                Err(Refusal::new(format!("`{base}` is no register of 32 or 64 bits, so no address")))
            }
            Binding::Variable(variable) => {
                let space = space_of(variable.space)?;
                if let (Some(base), Constant::Immediate(start)) = (variable.frame, variable.address) {
                    let offset = i32::try_from(start).ok().and_then(|start| start.checked_add(offset));
                    let offset = offset.ok_or_else(|| Refusal::new("the offset exceeds 32 bits"))?;
                    return Ok(Address { space, wide: true, uniform: false, base, offset });
                }
                let base = self.constant(Class::D, variable.address)?;
                Ok(Address { space, wide: true, uniform: true, base, offset })
            }
        }
    }
}

/// `[register + offset]`
fn based(
    name: &str,
    space: Option<Space>,
    class: Class,
    base: Slot,
    offset: i32,
) -> Result<Address, Refusal> {
    let wide = match class {
        Class::D => true,
        Class::W => false,
        Class::P => return Err(Refusal::new(format!("`{name}` is a predicate, not an address"))),
    };
    Ok(Address { space: space.unwrap_or(Space::Generic), wide, uniform: false, base, offset })
}

/// The memory that a state space is here.
pub(super) fn space_of(space: StateSpace) -> Result<Space, Refusal> {
    match space {
        StateSpace::Global | StateSpace::Const => Ok(Space::Global),
        // Addresses say which block of the cluster they are of (`exec::peers`).
        StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster => Ok(Space::Shared),
        StateSpace::Local => Ok(Space::Local),
        StateSpace::Param | StateSpace::ParamEntry => Ok(Space::Param),
        StateSpace::ParamFunc => Ok(Space::Local),
        StateSpace::Reg | StateSpace::Tex => Err(Refusal::new(format!("there is no memory `.{space}`"))),
    }
}
