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
}

impl Type {
    /// Every type.
    pub const ALL: &[Type] = &[Type::Bool, Type::I8, Type::I16, Type::I32, Type::I64, Type::F32, Type::F64];

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
        }
    }

    /// Width in bits; 1 for `bool`.
    pub const fn bits(self) -> u32 {
        match self {
            Type::Bool => 1,
            Type::I8 => 8,
            Type::I16 => 16,
            Type::I32 | Type::F32 => 32,
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
            Type::Bool | Type::F32 | Type::F64 => false,
        }
    }

    /// A floating-point number.
    pub const fn is_float(self) -> bool {
        match self {
            Type::F32 | Type::F64 => true,
            Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 => false,
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
}

impl Space {
    /// Every space.
    pub const ALL: &[Space] = &[Space::Global, Space::Shared, Space::Local, Space::Generic];

    /// The name in textual IR.
    pub const fn as_str(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Generic => "generic",
        }
    }

    /// The type of an address in this space.
    pub const fn address_type(self) -> Type {
        match self {
            Space::Shared => Type::I32,
            Space::Global | Space::Local | Space::Generic => Type::I64,
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
