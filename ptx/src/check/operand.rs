//! Checks of operands against the form of their instruction.

use crate::forms::{Kind, Shape, TypeRef, coordinates_of, image_offsets_of, space_of, types_of, vector_of};
use crate::selector::{Part, lanes_of, mask, selection};
use crate::special::Special;
use crate::tree::{Address, Immediate, Instruction, Name, Opcode, Operand, ScalarType, StateSpace};

use super::scope::{Declared, Scope};

/// Expected and found.
pub(super) type Mismatch = (String, String);

/// An operand in its instruction, and what the names in it stand for.
pub(super) struct Context<'a, 'm> {
    pub(super) instruction: &'a Instruction,
    pub(super) scope: &'a Scope<'m>,
}

impl Context<'_, '_> {
    /// Checks an operand against a shape.
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
            (Kind::Unpacked | Kind::Packed, Operand::Name(name)) => match self.find(name)? {
                Declared::Register(element, count) if count > 1 && element.bits() * count == ty.bits() => {
                    Ok(())
                }
                found => Err((describe_kind(shape.kind, ty), describe(name, found))),
            },
            (Kind::Source | Kind::MoveSource, Operand::Name(name)) => self.source(name, ty, shape),
            (Kind::Source | Kind::Immediate | Kind::MoveSource, Operand::Immediate(value)) => {
                immediate(*value, ty)
            }
            (Kind::Source | Kind::MoveSource, Operand::Offset(name, _)) => self.displaced(name, ty, shape),
            (Kind::Predicate, Operand::Name(name)) => self.source(name, ScalarType::Pred, shape),
            (Kind::Predicate, Operand::Not(name)) => self.register(name, ScalarType::Pred, false),
            // `mov.pred %p, 1`
            (Kind::Predicate, Operand::Immediate(Immediate::Int(_))) => Ok(()),
            (Kind::Address, Operand::Address(address)) => self.address(address),
            (Kind::TensorMemory, Operand::Address(address)) => match &address.base {
                Some(base) => self.register(base, ScalarType::B32, false),
                None => Err((describe_kind(Kind::TensorMemory, ty), format!("`{operand}`"))),
            },
            (Kind::Tensor, Operand::Address(address)) => self.tensor(address),
            (Kind::ImageOffsets, operand) => {
                self.elements(operand, numbers(image_offsets_of(self.instruction), ScalarType::U16), ty)
            }
            (Kind::CachePolicy, Operand::Name(name)) => self.register(name, ScalarType::B64, false),
            (Kind::Name, Operand::Name(name)) => match self.find(name)? {
                Declared::Label | Declared::Function | Declared::Variable(_) => Ok(()),
                found @ (Declared::Register(..) | Declared::Special(_) | Declared::SpecialVector(_)) => {
                    Err(("a label or function".to_owned(), describe(name, found)))
                }
            },
            (Kind::Part | Kind::SignedPart, Operand::Immediate(value)) => immediate(*value, ty),
            (Kind::SignedPart, Operand::Negative(name))
            | (Kind::Part | Kind::SignedPart, Operand::Name(name)) => {
                self.selected(name, ty, |component| Part::from_component(component).is_some())
            }
            (Kind::DestinationPart, Operand::Name(name)) => {
                self.selected(name, ty, |component| Part::from_component(component).is_some())
            }
            (Kind::Lanes, Operand::Name(name)) => {
                let lanes = lanes_of(self.instruction.opcode);
                self.selected(name, ty, |component| selection(component, lanes).is_some())
            }
            (Kind::DestinationLanes, Operand::Name(name)) => {
                let lanes = lanes_of(self.instruction.opcode);
                self.selected(name, ty, |component| mask(component, lanes).is_some())
            }
            (kind, operand) => Err((describe_kind(kind, ty), format!("`{operand}`"))),
        }
    }

    /// A register, with or without a component that selects of it.
    fn selected(&self, name: &Name, ty: ScalarType, selects: impl Fn(&str) -> bool) -> Result<(), Mismatch> {
        match name.as_str().split_once('.') {
            Some((whole, component)) if self.scope.find(name.as_str()).is_none() => {
                self.register(&Name::from(whole), ty, false)?;
                let mismatch =
                    || ("a selector of this video instruction".to_owned(), format!("`.{component}`"));
                if selects(component) { Ok(()) } else { Err(mismatch()) }
            }
            _ => self.register(name, ty, false),
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

    /// Checks that a name is a register of the type. `_` takes the place of any.
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
            Declared::Special(special) if self.reads_special(special, ty) => Ok(()),
            Declared::Variable(_) | Declared::Function | Declared::Label
                if shape.kind == Kind::MoveSource =>
            {
                self.variable(name, ty)
            }
            Declared::Register(..)
            | Declared::Special(_)
            | Declared::SpecialVector(_)
            | Declared::Variable(_)
            | Declared::Label
            | Declared::Function => self.register(name, ty, shape.wider),
        }
    }

    /// Returns true if the instruction takes a special register: `mov` does, and `cvt` between integers.
    fn reads_special(&self, special: &Special, ty: ScalarType) -> bool {
        let is_integer = |ty: ScalarType| matches!(class(ty), Class::Bits | Class::Integer);
        match self.instruction.opcode {
            Opcode::Mov => special_fits(special, ty),
            Opcode::Cvt => types_of(self.instruction).all(is_integer) && special.ty.bits() >= ty.bits(),
            _ => false,
        }
    }

    /// `register+4`, of integers, or `variable+4` where the address of a variable may stand.
    fn displaced(&self, name: &Name, ty: ScalarType, shape: Shape) -> Result<(), Mismatch> {
        let is_integer = matches!(class(ty), Class::Bits | Class::Integer);
        match self.find(name)? {
            Declared::Register(..) if is_integer => self.register(name, ty, shape.wider),
            Declared::Register(..) => Err((format!("a register or number for .{ty}"), format!("`{name}+…`"))),
            _ if shape.kind == Kind::MoveSource => self.variable(name, ty),
            found => Err((describe_kind(shape.kind, ty), describe(name, found))),
        }
    }

    /// An element of a vector: as an operand by itself, or a special register to read, but no sum.
    fn element(&self, operand: &Operand, shape: Shape) -> Result<(), Mismatch> {
        match operand {
            Operand::Offset(..) => {
                Err(("a register or number in a vector".to_owned(), format!("`{operand}`")))
            }
            Operand::Name(name) if shape.kind == Kind::Source => {
                match (self.find(name), self.type_of(shape.ty)) {
                    (Ok(Declared::Special(special)), Some(ty)) if special_fits(special, ty) => Ok(()),
                    _ => self.check(operand, shape),
                }
            }
            _ => self.check(operand, shape),
        }
    }

    /// Checks that the registers of a vector are of one size.
    fn of_one_size(&self, elements: &[Operand]) -> Result<(), Mismatch> {
        let named = elements
            .iter()
            .filter_map(|operand| if let Operand::Name(name) = operand { Some(name) } else { None });
        let mut sizes = named.filter_map(|name| match self.scope.find(name.as_str()) {
            Some(Declared::Register(ty, 1)) => Some((ty.bits(), name)),
            _ => None,
        });
        let Some((first, _)) = sizes.next() else { return Ok(()) };
        match sizes.find(|&(bits, _)| bits != first) {
            None => Ok(()),
            Some((bits, name)) => {
                Err((format!("a vector of registers of {first} bits"), format!("`{name}`, of {bits}")))
            }
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
                elements.iter().try_for_each(|operand| self.element(operand, element))?;
                self.of_one_size(elements)
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
                Declared::SpecialVector(special)
                    if count == 4
                        && kind == Kind::Source
                        && self.instruction.opcode == Opcode::Mov
                        && special_fits(special, ty) =>
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
        elements.iter().try_for_each(|operand| self.element(operand, element))
    }

    fn tensor(&self, address: &Address) -> Result<(), Mismatch> {
        let count = coordinates_of(self.instruction);
        let [operand] = address.coordinates.as_slice() else {
            let found = format!("{} operands behind the map", address.coordinates.len());
            return Err((format!("a vector of {count} coordinates"), found));
        };
        self.elements(operand, numbers(count, ScalarType::S32), ScalarType::S32)?;
        match &address.base {
            Some(base) => self.register(base, ScalarType::B64, false),
            None => Err(("the address of a tensor map".to_owned(), "none".to_owned())),
        }
    }

    fn address(&self, address: &Address) -> Result<(), Mismatch> {
        let expected = |space: Option<StateSpace>| match space {
            Some(space) => format!("an address in .{space}"),
            None => "an address".to_owned(),
        };
        let space = space_of(self.instruction);
        let Some(base) = &address.base else {
            let is_local = space == Some(StateSpace::Local) || self.has_several_spaces();
            let mismatch = || {
                (
                    "a register or variable: only in .local is a number an address".to_owned(),
                    format!("`{}`", Operand::Address(address.clone())),
                )
            };
            return if is_local { Ok(()) } else { Err(mismatch()) };
        };
        match self.find(base)? {
            // The windows of shared, local, constant and parameter memory are small; generic and global addresses are not.
            found @ Declared::Register(ty, 1)
                if ty.bits() == 32
                    && matches!(class(ty), Class::Bits | Class::Integer)
                    && matches!(space, None | Some(StateSpace::Global))
                    && !self.has_several_spaces()
                    && !self.is_in_shared_memory() =>
            {
                Err(("an address of 64 bits".to_owned(), describe(base, found)))
            }
            // Parameters have no generic addresses before `cvta`.
            found @ Declared::Variable(StateSpace::Param)
                if space.is_none() && !self.has_several_spaces() =>
            {
                Err(("an address that is generic, or `.param`".to_owned(), describe(base, found)))
            }
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

    /// Returns true if the only address is in shared memory although no modifier says it: `ptxas` takes 32 bits there.
    fn is_in_shared_memory(&self) -> bool {
        matches!(self.instruction.opcode, Opcode::Cp | Opcode::Tcgen05)
    }

    fn has_several_spaces(&self) -> bool {
        let addresses =
            self.instruction.operands.iter().filter(|operand| matches!(operand, Operand::Address(_)));
        addresses.count() > 1
    }
}

/// A vector of so many numbers to read.
fn numbers(count: usize, ty: ScalarType) -> Shape {
    Shape { kind: Kind::Sources(Some(count)), ty: TypeRef::Fixed(ty), wider: false, optional: false }
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

/// Returns true if a register may stand for a type (PTX ISA, "Type Checking Rules", and the relaxed ones for wider registers).
fn fits(ty: ScalarType, register: ScalarType, wider: bool) -> bool {
    let size_fits = register.bits() == ty.bits() || wider && register.bits() > ty.bits();
    let same_size = register.bits() == ty.bits();
    match (class(ty), class(register)) {
        (Class::Predicate, class) => class == Class::Predicate,
        (_, Class::Predicate | Class::Opaque) | (Class::Opaque, _) => ty == register,
        (Class::Bits, Class::Bits | Class::Integer) => size_fits,
        (Class::Bits, Class::Float | Class::Packed) => size_fits,
        (Class::Integer, Class::Bits | Class::Integer) => size_fits,
        (Class::Integer, Class::Float | Class::Packed) => false,
        (Class::Float, Class::Bits) => size_fits,
        (Class::Packed, Class::Bits | Class::Integer) => same_size,
        (Class::Float, Class::Float | Class::Packed) | (Class::Packed, Class::Float | Class::Packed) => {
            ty == register
        }
        (Class::Float, Class::Integer) => false,
    }
}

/// Returns true if a special register may be read as a value of the type.
fn special_fits(special: &Special, ty: ScalarType) -> bool {
    match class(ty) {
        Class::Bits | Class::Integer => special.has_width(ty.bits()),
        Class::Predicate => special.ty == ScalarType::Pred,
        Class::Float | Class::Packed | Class::Opaque => false,
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
        Declared::Special(special) => format!("`{name}`, a special register of .{}", special.ty),
        Declared::SpecialVector(special) => format!("`{name}`, special registers of .v4 .{}", special.ty),
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
        Kind::TensorMemory => "an address in tensor memory, a register of 32 bits in brackets".to_owned(),
        Kind::ImageOffsets => "a vector of offsets into an image, of 16 bits each".to_owned(),
        Kind::Tensor => "the address of a tensor map and coordinates: `[map, {x, y}]`".to_owned(),
        Kind::CachePolicy => "a register with a cache policy".to_owned(),
        Kind::Name => "a label or function".to_owned(),
        Kind::Part | Kind::SignedPart => format!("a register for .{ty} or a part of it"),
        Kind::DestinationPart => format!("a register for .{ty} or a part of it to write"),
        Kind::Lanes | Kind::DestinationLanes => format!("a register for .{ty}, perhaps with a selector"),
        Kind::Any => "an operand".to_owned(),
    }
}
