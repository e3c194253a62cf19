//! Atomics in the language: their types, scopes and orderings, and a table with one row for each method.

use crate::typed::{Scalar, Ty};

/// An atomic type: the kind of its value, and the scope within which accesses to it are atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// The kind of its value.
    pub kind: AtomicKind,
    /// The scope of its accesses.
    pub scope: Scope,
}

/// The type of an atomic's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomicKind {
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
    F16x2,
}

impl AtomicKind {
    /// Every type with its name.
    pub const TABLE: &[(AtomicKind, &str)] = &[
        (AtomicKind::U32, "AtomicU32"),
        (AtomicKind::I32, "AtomicI32"),
        (AtomicKind::U64, "AtomicU64"),
        (AtomicKind::I64, "AtomicI64"),
        (AtomicKind::F32, "AtomicF32"),
        (AtomicKind::F64, "AtomicF64"),
        (AtomicKind::F16x2, "AtomicF16x2"),
    ];

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<AtomicKind> {
        Self::TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// The atomic of this scalar if it has such a method, for messages.
    pub fn of_method(name: &str, scalar: Scalar) -> Option<AtomicKind> {
        let method = method(name)?;
        let mut kinds = Self::TABLE.iter().map(|row| row.0);
        kinds.find(|kind| kind.value() == (scalar, 1) && method.is_of(*kind))
    }

    /// The scalar that it consists of, and how many: more than one are a vector.
    pub fn value(self) -> (Scalar, u32) {
        match self {
            AtomicKind::U32 => (Scalar::U32, 1),
            AtomicKind::I32 => (Scalar::I32, 1),
            AtomicKind::U64 => (Scalar::U64, 1),
            AtomicKind::I64 => (Scalar::I64, 1),
            AtomicKind::F32 => (Scalar::F32, 1),
            AtomicKind::F64 => (Scalar::F64, 1),
            AtomicKind::F16x2 => (Scalar::F16, 2),
        }
    }

    /// The type of what lies there.
    pub fn value_ty(self) -> Ty {
        match self.value() {
            (scalar, 1) => Ty::Scalar(scalar),
            (scalar, lanes) => Ty::Vector(scalar, lanes),
        }
    }
}

/// The threads among which an access is atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The threads of the block.
    Block,
    /// Those of the device: what there is without a word.
    Device,
    /// Those of all devices, and the host.
    System,
}

impl Scope {
    /// By the name of the variant of `Scope`.
    pub const NAMES: &[(&str, Scope)] =
        &[("Block", Scope::Block), ("Device", Scope::Device), ("System", Scope::System)];

    /// The method that gives a view with this scope, and the type of the view; of the device there is none.
    pub const VIEWS: &[(&str, &str, Scope)] =
        &[("block", "BlockScope", Scope::Block), ("system", "SystemScope", Scope::System)];
}

/// `core::sync::atomic::Ordering`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Ordering {
    /// By the name of the variant.
    pub const NAMES: &[(&str, Ordering)] = &[
        ("Relaxed", Ordering::Relaxed),
        ("Acquire", Ordering::Acquire),
        ("Release", Ordering::Release),
        ("AcqRel", Ordering::AcqRel),
        ("SeqCst", Ordering::SeqCst),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// The weakest ordering at least as strong as both operands, for one access in place of two.
    pub fn and(self, other: Ordering) -> Ordering {
        match (self, other) {
            (Ordering::Relaxed, order) | (order, Ordering::Relaxed) => order,
            (Ordering::SeqCst, _) | (_, Ordering::SeqCst) => Ordering::SeqCst,
            (Ordering::Acquire, Ordering::Acquire) => Ordering::Acquire,
            (Ordering::Release, Ordering::Release) => Ordering::Release,
            _ => Ordering::AcqRel,
        }
    }
}

/// The operation of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Load,
    Store,
    Swap,
    CompareExchange,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Min,
    Max,
    /// By a closure.
    Update,
}

/// The kind of access that an ordering is given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// One that reads: it cannot release.
    Load,
    /// One that writes: it cannot acquire.
    Store,
    /// One that does both.
    Both,
}

impl Access {
    /// Why it cannot have this order, if so.
    pub fn refuses(self, order: Ordering) -> Option<(&'static str, &'static str)> {
        match (self, order) {
            (Access::Load, Ordering::Release | Ordering::AcqRel) => {
                Some(("a load, which cannot release", "write `Ordering::Acquire`, `Relaxed` or `SeqCst`"))
            }
            (Access::Store, Ordering::Acquire | Ordering::AcqRel) => {
                Some(("a store, which cannot acquire", "write `Ordering::Release`, `Relaxed` or `SeqCst`"))
            }
            _ => None,
        }
    }
}

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A value of the atomic's value type.
    Value,
    /// An order.
    Order(Access),
    /// A function from a value to an `Option` of one.
    Function,
}

/// The result of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Nothing.
    Unit,
    /// The previous value.
    Value,
    /// `Ok` of the previous value if the write happened, `Err` of it if not.
    Result,
}

/// The atomic types that have a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// All.
    All,
    /// Integers and floats, no pairs.
    Numbers,
    /// Integers.
    Integers,
}

/// A method of atomics.
#[derive(Debug)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// The operation.
    pub op: AtomicOp,
    /// The types that have it.
    pub of: Of,
    /// The kinds of its arguments.
    pub args: &'static [Arg],
    /// The kind of its result.
    pub gives: Gives,
}

impl Method {
    /// Returns true if atomics of this kind have the method.
    pub fn is_of(&self, kind: AtomicKind) -> bool {
        let (scalar, lanes) = kind.value();
        match self.of {
            Of::All => true,
            Of::Numbers => lanes == 1,
            Of::Integers => scalar.is_int(),
        }
    }
}

const LOAD: Arg = Arg::Order(Access::Load);
const STORE: Arg = Arg::Order(Access::Store);
const BOTH: Arg = Arg::Order(Access::Both);

/// The methods of atomics, as `core::sync::atomic` has them; `min` and `max` of floats take the other one of a NaN.
#[rustfmt::skip]
pub const METHODS: &[Method] = &[
    Method { name: "load",                  op: AtomicOp::Load,            of: Of::All,      args: &[LOAD],                                gives: Gives::Value },
    Method { name: "store",                 op: AtomicOp::Store,           of: Of::All,      args: &[Arg::Value, STORE],                   gives: Gives::Unit },
    Method { name: "swap",                  op: AtomicOp::Swap,            of: Of::All,      args: &[Arg::Value, BOTH],                    gives: Gives::Value },
    Method { name: "compare_exchange",      op: AtomicOp::CompareExchange, of: Of::All,      args: &[Arg::Value, Arg::Value, BOTH, LOAD],  gives: Gives::Result },
    Method { name: "compare_exchange_weak", op: AtomicOp::CompareExchange, of: Of::All,      args: &[Arg::Value, Arg::Value, BOTH, LOAD],  gives: Gives::Result },
    Method { name: "fetch_add",             op: AtomicOp::Add,             of: Of::All,      args: &[Arg::Value, BOTH],                    gives: Gives::Value },
    Method { name: "fetch_sub",             op: AtomicOp::Sub,             of: Of::All,      args: &[Arg::Value, BOTH],                    gives: Gives::Value },
    Method { name: "fetch_min",             op: AtomicOp::Min,             of: Of::Numbers,  args: &[Arg::Value, BOTH],                    gives: Gives::Value },
    Method { name: "fetch_max",             op: AtomicOp::Max,             of: Of::Numbers,  args: &[Arg::Value, BOTH],                    gives: Gives::Value },
    Method { name: "fetch_and",             op: AtomicOp::And,             of: Of::Integers, args: &[Arg::Value, BOTH],                    gives: Gives::Value },
    Method { name: "fetch_nand",            op: AtomicOp::Nand,            of: Of::Integers, args: &[Arg::Value, BOTH],                    gives: Gives::Value },
    Method { name: "fetch_or",              op: AtomicOp::Or,              of: Of::Integers, args: &[Arg::Value, BOTH],                    gives: Gives::Value },
    Method { name: "fetch_xor",             op: AtomicOp::Xor,             of: Of::Integers, args: &[Arg::Value, BOTH],                    gives: Gives::Value },
    Method { name: "fetch_update",          op: AtomicOp::Update,          of: Of::All,      args: &[BOTH, LOAD, Arg::Function],           gives: Gives::Result },
];

/// The method with this name.
pub fn method(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_the_order_of_their_enums() {
        assert!(AtomicKind::TABLE.iter().enumerate().all(|(index, row)| row.0 as usize == index));
        assert!(Ordering::NAMES.iter().enumerate().all(|(index, row)| row.1 as usize == index));
    }

    #[test]
    fn orders_together() {
        assert_eq!(Ordering::Acquire.and(Ordering::Release), Ordering::AcqRel);
        assert_eq!(Ordering::Relaxed.and(Ordering::Acquire), Ordering::Acquire);
        assert_eq!(Ordering::SeqCst.and(Ordering::Acquire), Ordering::SeqCst);
    }
}
