//! The types of values and the spaces of memory.

use std::fmt;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A truth value: a predicate register.
    Bool,
    /// 8 bits.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// IEEE binary16.
    F16,
    /// The upper half of a binary32: 8 bits of exponent, 7 of fraction.
    BF16,
    /// Two binary16, the first one in the low half.
    F16x2,
    /// Two bfloat16, the first one in the low half.
    BF16x2,
}

impl Type {
    /// Every type.
    pub const ALL: &[Type] = &[
        Type::Bool,
        Type::I8,
        Type::I16,
        Type::I32,
        Type::I64,
        Type::F32,
        Type::F64,
        Type::F16,
        Type::BF16,
        Type::F16x2,
        Type::BF16x2,
    ];

    /// The name in textual IR.
    pub const fn as_str(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::I8 => "i8",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::F16 => "f16",
            Type::BF16 => "bf16",
            Type::F16x2 => "f16x2",
            Type::BF16x2 => "bf16x2",
        }
    }

    /// Width in bits; 1 for `bool`.
    pub const fn bits(self) -> u32 {
        match self {
            Type::Bool => 1,
            Type::I8 => 8,
            Type::I16 | Type::F16 | Type::BF16 => 16,
            Type::I32 | Type::F32 | Type::F16x2 | Type::BF16x2 => 32,
            Type::I64 | Type::F64 => 64,
        }
    }

    /// Size in memory, in bytes; a `bool` takes one.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// An integer, `bool` not among them.
    pub const fn is_int(self) -> bool {
        match self {
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => true,
            Type::Bool | Type::F32 | Type::F64 | Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => false,
        }
    }

    /// A floating-point number; pairs of them are not.
    pub const fn is_float(self) -> bool {
        match self {
            Type::F32 | Type::F64 | Type::F16 | Type::BF16 => true,
            Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F16x2 | Type::BF16x2 => false,
        }
    }

    /// Of a pair, the type of each of the two.
    pub const fn lane(self) -> Option<Type> {
        match self {
            Type::F16x2 => Some(Type::F16),
            Type::BF16x2 => Some(Type::BF16),
            Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 => None,
            Type::F32 | Type::F64 | Type::F16 | Type::BF16 => None,
        }
    }

    /// A float of 16 bits, or a pair of them.
    pub const fn is_half(self) -> bool {
        match self {
            Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => true,
            Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64 => false,
        }
    }

    /// The bits that a value of this type can have set in a 64-bit word.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The memory that a load, store or atomic goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Device memory; 64-bit addresses.
    Global,
    /// The block's shared memory; 32-bit addresses.
    Shared,
    /// The thread's own memory; 64-bit addresses.
    Local,
    /// Any of them, by 64-bit generic address.
    Generic,
    /// The module's constant data; 64-bit addresses.
    Const,
    /// Shared memory of all blocks of the cluster; 32-bit addresses.
    Cluster,
}

impl Space {
    /// Every space.
    pub const ALL: &[Space] =
        &[Space::Global, Space::Shared, Space::Local, Space::Generic, Space::Const, Space::Cluster];

    /// The name in textual IR.
    pub const fn as_str(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Generic => "generic",
            Space::Const => "const",
            Space::Cluster => "cluster",
        }
    }

    /// Returns true if an address of one space and one of the other may name the same location.
    pub fn meets(self, other: Space) -> bool {
        let either = |space| self == space || other == space;
        self == other || either(Space::Generic) || either(Space::Shared) && either(Space::Cluster)
    }

    /// The type of an address in this space.
    pub const fn address_type(self) -> Type {
        match self {
            Space::Shared | Space::Cluster => Type::I32,
            Space::Global | Space::Local | Space::Generic | Space::Const => Type::I64,
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
