//! Whether an operand is what the form of its instruction asks for.

use crate::ptx::forms::{Kind, Shape, TypeRef, space_of, types_of, vector_of};
use crate::ptx::tree::{Address, Immediate, Instruction, Name, Operand, ScalarType, StateSpace};

use super::scope::{Declared, Scope};

/// Expected and found.
pub(super) type Mismatch = (String, String);

/// An operand in its instruction, and what the names in it stand for.
pub(super) struct Context<'a, 'm> {
    pub(super) instruction: &'a Instruction,
    pub(super) scope: &'a Scope<'m>,
}

impl Context<'_, '_> {
    /// Whether the operand has the shape.
    pub(super) fn check(&self, operand: &Operand, shape: Shape) -> Result<(), Mismatch> {
        let Some(ty) = self.type_of(shape.ty) else { return Ok(()) };
        match (shape.kind, operand) {
            (Kind::Any, _) => Ok(()),
            (Kind::Destination | Kind::DestinationAndPredicate, Operand::Discard) => Ok(()),
            (Kind::Destination | Kind::DestinationAndPredicate | Kind::Register, Operand::Name(name)) => {
                self.register(name, ty, shape.wider)
            }
            (Kind::Sink, Operand::Discard) => Ok(()),
            (
                Kind::DestinationAndPredicate | Kind::DestinationWithPredicate,
                Operand::Pair(first, second),
            ) => {
                self.register(first, ty, shape.wider)?;
                self.register(second, ScalarType::Pred, false)
            }
            (Kind::Destinations(_) | Kind::Sources(_), _) => self.elements(operand, shape, ty),
            (Kind::Unpacked | Kind::Packed, Operand::Vector(elements)) => self.packed(elements, shape, ty),
            (Kind::Source | Kind::MoveSource, Operand::Name(name)) => self.source(name, ty, shape),
            (Kind::Source | Kind::Immediate | Kind::MoveSource, Operand::Immediate(value)) => {
                immediate(*value, ty)
            }
            (Kind::MoveSource, Operand::Offset(name, _)) => self.variable(name, ty),
            (Kind::Predicate, Operand::Name(name) | Operand::Not(name)) => {
                self.register(name, ScalarType::Pred, false)
            }
            // `mov.pred %p, 1`
            (Kind::Predicate, Operand::Immediate(Immediate::Int(_))) => Ok(()),
            (Kind::Address, Operand::Address(address)) => self.address(address),
            (Kind::CachePolicy, Operand::Name(name)) => self.register(name, ScalarType::B64, false),
            (Kind::Name, Operand::Name(name)) => match self.find(name)? {
                Declared::Label | Declared::Function | Declared::Variable(_) => Ok(()),
                found @ (Declared::Register(..) | Declared::Special(..)) => {
                    Err(("a label or function".to_owned(), describe(name, found)))
                }
            },
            (kind, operand) => Err((describe_kind(kind, ty), format!("`{operand}`"))),
        }
    }

    /// The type that the form gives the operand. `None` if the instruction has none to refer to.
    fn type_of(&self, ty: TypeRef) -> Option<ScalarType> {
        match ty {
            TypeRef::Fixed(ty) => Some(ty),
            TypeRef::Modifier(at) => types_of(self.instruction).nth(at),
            TypeRef::Wide => types_of(self.instruction).next().and_then(twice_as_wide),
        }
    }

    fn find(&self, name: &Name) -> Result<Declared, Mismatch> {
        let declared = self.scope.find(name.as_str());
        declared.ok_or_else(|| ("a name that is declared".to_owned(), format!("`{name}`")))
    }

    /// Whether a name is a register of the type. `_` takes the place of any.
    fn register(&self, name: &Name, ty: ScalarType, wider: bool) -> Result<(), Mismatch> {
        if name.as_str() == "_" {
            return Ok(());
        }
        match self.find(name)? {
            Declared::Register(declared, 1) if fits(ty, declared, wider) => Ok(()),
            found => Err((format!("a register for .{ty}"), describe(name, found))),
        }
    }

    fn source(&self, name: &Name, ty: ScalarType, shape: Shape) -> Result<(), Mismatch> {
        match self.find(name)? {
            Declared::Special(declared, _) if fits(ty, declared, shape.wider) => Ok(()),
            Declared::Variable(_) | Declared::Function | Declared::Label
                if shape.kind == Kind::MoveSource =>
            {
                self.variable(name, ty)
            }
            Declared::Register(..)
            | Declared::Special(..)
            | Declared::Variable(_)
            | Declared::Label
            | Declared::Function => self.register(name, ty, shape.wider),
        }
    }

    /// The address of a name as a number of the type.
    fn variable(&self, name: &Name, ty: ScalarType) -> Result<(), Mismatch> {
        let found = self.find(name)?;
        let is_integer = matches!(class(ty), Class::Bits | Class::Integer) && ty.bits() >= 32;
        match found {
            Declared::Variable(_) | Declared::Function | Declared::Label if is_integer => Ok(()),
            found => Err((format!("a value for .{ty}"), describe(name, found))),
        }
    }

    fn elements(&self, operand: &Operand, shape: Shape, ty: ScalarType) -> Result<(), Mismatch> {
        let (count, kind) = match shape.kind {
            Kind::Destinations(count) => (count, Kind::Destination),
            Kind::Sources(count) => (count, Kind::Source),
            other => (None, other),
        };
        // A count in the form asks for braces, even around one element.
        let in_braces = count.is_some();
        let count = count.unwrap_or_else(|| vector_of(self.instruction));
        let element = Shape { kind, ..shape };
        match operand {
            Operand::Vector(elements) if elements.len() == count && (in_braces || count > 1) => {
                elements.iter().try_for_each(|operand| self.check(operand, element))
            }
            Operand::Vector(elements) => {
                Err((format!("a vector of {count}"), format!("one of {}: `{operand}`", elements.len())))
            }
            // A register of a vector type is a vector too.
            Operand::Name(name) if count > 1 => match self.find(name)? {
                Declared::Register(declared, vector)
                    if vector as usize == count && fits(ty, declared, shape.wider) =>
                {
                    Ok(())
                }
                found => Err((format!("a vector of {count}"), describe(name, found))),
            },
            operand if count == 1 && !in_braces => self.check(operand, element),
            operand => Err((format!("a vector of {count}"), format!("`{operand}`"))),
        }
    }

    /// Elements whose sizes sum to that of the type.
    fn packed(&self, elements: &[Operand], shape: Shape, ty: ScalarType) -> Result<(), Mismatch> {
        let count = elements.len();
        let expected = || (describe_kind(shape.kind, ty), format!("a vector of {count}"));
        let bits = ty.bits() / u32::try_from(count).unwrap_or(u32::MAX).max(1);
        let part = match bits {
            8 => ScalarType::B8,
            16 => ScalarType::B16,
            32 => ScalarType::B32,
            64 => ScalarType::B64,
            _ => return Err(expected()),
        };
        if !matches!(count, 2 | 4) {
            return Err(expected());
        }
        let kind = if shape.kind == Kind::Unpacked { Kind::Destination } else { Kind::Source };
        let element = Shape { kind, ty: TypeRef::Fixed(part), wider: false, optional: false };
        elements.iter().try_for_each(|operand| self.check(operand, element))
    }

    fn address(&self, address: &Address) -> Result<(), Mismatch> {
        let Some(base) = &address.base else { return Ok(()) };
        let expected = |space: Option<StateSpace>| match space {
            Some(space) => format!("an address in .{space}"),
            None => "an address".to_owned(),
        };
        let space = space_of(self.instruction);
        match self.find(base)? {
            Declared::Register(ty, 1)
                if matches!(class(ty), Class::Bits | Class::Integer) && ty.bits() >= 32 =>
            {
                Ok(())
            }
            // Instructions with two addresses, of different spaces, name both: then the first says nothing of the other.
            Declared::Variable(found) if space.is_none_or(|space| family(space) == family(found)) => Ok(()),
            Declared::Variable(_) if self.has_several_spaces() => Ok(()),
            found => Err((expected(space), describe(base, found))),
        }
    }

    fn has_several_spaces(&self) -> bool {
        let addresses =
            self.instruction.operands.iter().filter(|operand| matches!(operand, Operand::Address(_)));
        addresses.count() > 1
    }
}

/// `shared::cta` is a part of `shared`.
fn family(space: StateSpace) -> StateSpace {
    match space {
        StateSpace::SharedCta | StateSpace::SharedCluster => StateSpace::Shared,
        StateSpace::ParamEntry | StateSpace::ParamFunc => StateSpace::Param,
        StateSpace::Reg
        | StateSpace::Param
        | StateSpace::Global
        | StateSpace::Shared
        | StateSpace::Local
        | StateSpace::Const
        | StateSpace::Tex => space,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Predicate,
    Bits,
    Integer,
    Float,
    /// Several numbers, or one of a format that no register has: kept as bits.
    Packed,
    Opaque,
}

fn class(ty: ScalarType) -> Class {
    use ScalarType::*;
    match ty {
        Pred => Class::Predicate,
        B1 | B8 | B16 | B32 | B64 | B128 => Class::Bits,
        U2 | S2 | U4 | S4 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 => Class::Integer,
        F16 | F16x2 | F32 | F64 => Class::Float,
        Bf16 | Bf16x2 | Tf32 | F32x2 | U16x2 | S16x2 => Class::Packed,
        E4m3 | E5m2 | E4m3x2 | E5m2x2 | E4m3x4 | E5m2x4 | E2m3 | E3m2 | E2m3x2 | E3m2x2 | E2m3x4 | E3m2x4 => {
            Class::Packed
        }
        E2m1 | E2m1x2 | E2m1x4 | Ue8m0 | Ue8m0x2 | Ue4m3 => Class::Packed,
        Texref | Samplerref | Surfref => Class::Opaque,
    }
}

/// Whether a register may stand for a type (PTX ISA, "Type Checking Rules", and the relaxed ones for wider registers).
fn fits(ty: ScalarType, register: ScalarType, wider: bool) -> bool {
    let size_fits = register.bits() == ty.bits() || wider && register.bits() > ty.bits();
    let same_size = register.bits() == ty.bits();
    match (class(ty), class(register)) {
        (Class::Predicate, class) => class == Class::Predicate,
        (_, Class::Predicate | Class::Opaque) | (Class::Opaque, _) => ty == register,
        (Class::Bits, Class::Bits | Class::Integer) => size_fits,
        (Class::Bits, Class::Float | Class::Packed) => same_size,
        (Class::Integer, Class::Bits | Class::Integer) => size_fits,
        (Class::Integer, Class::Float | Class::Packed) => false,
        (Class::Float, Class::Bits) => same_size,
        (Class::Packed, Class::Bits | Class::Integer) => same_size,
        (Class::Float, Class::Float | Class::Packed) | (Class::Packed, Class::Float | Class::Packed) => {
            ty == register
        }
        (Class::Float, Class::Integer) => false,
    }
}

fn immediate(value: Immediate, ty: ScalarType) -> Result<(), Mismatch> {
    let is_float = matches!(value, Immediate::F32(_) | Immediate::F64(_));
    let fits = match class(ty) {
        Class::Integer => !is_float,
        Class::Float => is_float || ty.bits() != 32 && ty.bits() != 64,
        Class::Bits | Class::Packed => true,
        Class::Predicate | Class::Opaque => false,
    };
    if fits { Ok(()) } else { Err((format!("a number for .{ty}"), format!("`{value}`"))) }
}

fn twice_as_wide(ty: ScalarType) -> Option<ScalarType> {
    match ty {
        ScalarType::U16 => Some(ScalarType::U32),
        ScalarType::S16 => Some(ScalarType::S32),
        ScalarType::U32 => Some(ScalarType::U64),
        ScalarType::S32 => Some(ScalarType::S64),
        _ => None,
    }
}

fn describe(name: &Name, declared: Declared) -> String {
    match declared {
        Declared::Register(ty, 1) => format!("`{name}`, a .{ty} register"),
        Declared::Register(ty, vector) => format!("`{name}`, a .v{vector} .{ty} register"),
        Declared::Special(ty, _) => format!("`{name}`, a special register of .{ty}"),
        Declared::Variable(space) => format!("`{name}`, a variable in .{space}"),
        Declared::Label => format!("`{name}`, a label"),
        Declared::Function => format!("`{name}`, a function"),
    }
}

fn describe_kind(kind: Kind, ty: ScalarType) -> String {
    match kind {
        Kind::Destination | Kind::Register => format!("a register for .{ty}"),
        Kind::DestinationAndPredicate => format!("a register for .{ty}, perhaps with a predicate"),
        Kind::DestinationWithPredicate => format!("a register for .{ty} and a predicate"),
        Kind::Sink => "`_`".to_owned(),
        Kind::Destinations(_) | Kind::Sources(_) => format!("a vector for .{ty}"),
        Kind::Source => format!("a register or number for .{ty}"),
        Kind::Immediate => "a number".to_owned(),
        Kind::Predicate => "a predicate".to_owned(),
        Kind::MoveSource => format!("a register, number or address for .{ty}"),
        Kind::Unpacked | Kind::Packed => format!("a vector of 2 or 4 that fills .{ty}"),
        Kind::Address => "an address in brackets".to_owned(),
        Kind::CachePolicy => "a register with a cache policy".to_owned(),
        Kind::Name => "a label or function".to_owned(),
        Kind::Any => "an operand".to_owned(),
    }
}
