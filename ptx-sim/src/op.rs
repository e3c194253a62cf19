//! The compact operations that the interpreter runs: types resolved, operands as slots, targets as indices.

use super::exec::binary::Binary;
use super::exec::compare::Compare;
use super::exec::convert::Conversion;
use super::exec::packed::{Element, Packed};
use super::exec::ternary::{Quaternary, Ternary};
use super::exec::unary::Unary;
use super::exec::video::Video;
use super::registers::{Registers, Slot};

/// A predicate as an operand: `p` or `!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Predicate {
    pub(crate) slot: Slot,
    pub(crate) negated: bool,
}

impl Predicate {
    /// The predicate that holds in every lane: the decoder fills its slot before anything else.
    pub(crate) const TRUE: Predicate = Predicate { slot: Slot(0), negated: false };

    /// The lanes in which it holds.
    #[inline(always)]
    pub(crate) fn lanes(self, registers: &Registers) -> u32 {
        registers.p[self.slot.index()] ^ 0u32.wrapping_sub(u32::from(self.negated))
    }
}

/// Boolean operations on predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
}

impl Logic {
    #[inline(always)]
    pub(crate) fn apply(self, a: u32, b: u32) -> u32 {
        match self {
            Logic::And => a & b,
            Logic::Or => a | b,
            Logic::Xor => a ^ b,
        }
    }
}

/// The memory that an access goes to. Parameters of kernels are read-only bytes; constants live in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Param,
}

impl Space {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "param",
        }
    }
}

/// Address operand of an access: a register of 32 or 64 bits, plus an offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) space: Space,
    /// The base is in the file of 64-bit registers.
    pub(crate) wide: bool,
    /// The base is a constant: every lane has the same address.
    pub(crate) uniform: bool,
    pub(crate) base: Slot,
    pub(crate) offset: i32,
}

/// Memory order of an access: a bit set of its modifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order(pub(crate) u8);

impl Order {
    pub(crate) const WEAK: Order = Order(0);
    /// `.relaxed`, `.volatile` and whatever is stronger: accesses that may race with each other.
    pub(crate) const STRONG: Order = Order(1);
    pub(crate) const ACQUIRE: Order = Order(1 | 2);
    pub(crate) const RELEASE: Order = Order(1 | 4);
    /// Only inside the block.
    pub(crate) const BLOCK: Order = Order(8);

    pub(crate) fn and(self, other: Order) -> Order {
        Order(self.0 | other.0)
    }

    pub(crate) fn is_strong(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) fn is_acquire(self) -> bool {
        self.0 & 2 != 0
    }

    pub(crate) fn is_release(self) -> bool {
        self.0 & 4 != 0
    }

    /// Other blocks take part.
    pub(crate) fn is_wide(self) -> bool {
        self.0 & 8 == 0
    }
}

/// A load or store of up to four elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) address: Address,
    /// Bytes of an element: 1, 2, 4 or 8. Elements of 8 bytes are in the file of 64-bit registers.
    pub(crate) size: u8,
    /// Elements: 1, 2 or 4.
    pub(crate) count: u8,
    /// Narrow elements are sign-extended when loaded.
    pub(crate) signed: bool,
    pub(crate) order: Order,
    pub(crate) values: [Slot; 4],
}

/// Function of an atomic access on the old value and its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicFunction {
    And,
    Or,
    Xor,
    Exchange,
    CompareExchange,
    Add,
    Increment,
    Decrement,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    AddFloat,
    /// 16-bit floats, one or two.
    AddPacked(Element, bool),
}

/// `atom` and `red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Atomic {
    pub(crate) address: Address,
    pub(crate) function: AtomicFunction,
    /// Bytes: 2, 4 or 8.
    pub(crate) size: u8,
    /// Destination of the old value; `red` has none.
    pub(crate) old: Option<Slot>,
    pub(crate) operand: Slot,
    /// The new value of a compare and exchange.
    pub(crate) replacement: Slot,
    pub(crate) order: Order,
}

/// `atom.exch.b128` and `atom.cas.b128`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtomicWide {
    pub(crate) address: Address,
    pub(crate) old: [Slot; 2],
    /// The value compared with the old one; none for an unconditional exchange.
    pub(crate) expected: Option<[Slot; 2]>,
    pub(crate) new: [Slot; 2],
    pub(crate) order: Order,
}

/// Mode of `shfl.sync`, which selects the lane that a lane reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

/// The votes of `vote.sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uniform,
    Ballot,
}

/// The operations of `redux.sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReduxMode {
    Add,
    And,
    Or,
    Xor,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
}

/// An exchange among the lanes that `members` names, which wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    Shuffle {
        mode: ShuffleMode,
        target: Slot,
        valid: Option<Slot>,
        source: Slot,
        lane: Slot,
        clamp: Slot,
    },
    Vote {
        mode: VoteMode,
        target: Slot,
        source: Predicate,
    },
    /// `match.any` and `match.all` over 32 or 64 bits.
    Match {
        all: bool,
        wide: bool,
        target: Slot,
        valid: Option<Slot>,
        source: Slot,
    },
    Redux {
        mode: ReduxMode,
        target: Slot,
        source: Slot,
    },
    Elect {
        target: Slot,
        leader: Slot,
    },
    /// `bar.warp.sync`
    Synchronize,
}

/// Action of a thread at a barrier of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierMode {
    Sync,
    /// Counted, without waiting.
    Arrive,
    /// The number of threads whose predicate holds.
    CountTrue {
        target: Slot,
        source: Predicate,
    },
    /// True if the predicate holds in all of them.
    All {
        target: Slot,
        source: Predicate,
    },
    /// True if the predicate holds in any of them.
    Any {
        target: Slot,
        source: Predicate,
    },
}

/// `bar` and `barrier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Barrier {
    pub(crate) mode: BarrierMode,
    /// All lanes of a warp must come together.
    pub(crate) aligned: bool,
    pub(crate) id: Slot,
    /// Number of threads that take part; every thread of the block if absent.
    pub(crate) count: Option<Slot>,
}

/// An operation of the four warps of a group on the order of their products and on their registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Warpgroup {
    /// `wgmma.fence`
    Fence,
    /// `wgmma.commit_group`
    Commit,
    /// `wgmma.wait_group`: for all but the last so many groups.
    Wait { but: u32 },
    /// `setmaxnreg.inc` and `setmaxnreg.dec`: so many registers for each thread.
    Registers { more: bool, count: u32 },
}

/// An operation. An instruction of PTX is one or a few of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Unary {
        f: Unary,
        target: Slot,
        sources: [Slot; 1],
    },
    Binary {
        f: Binary,
        target: Slot,
        sources: [Slot; 2],
    },
    Ternary {
        f: Ternary,
        target: Slot,
        sources: [Slot; 3],
    },
    Quaternary {
        f: Quaternary,
        target: Slot,
        sources: [Slot; 4],
    },
    Convert {
        how: Conversion,
        target: Slot,
        source: Slot,
    },
    /// 16-bit floats and pairs; sources that it does not have repeat the first.
    Packed {
        how: Packed,
        target: Slot,
        sources: [Slot; 3],
    },
    /// A video instruction; sources that it does not have repeat the first.
    Video {
        how: Video,
        target: Slot,
        sources: [Slot; 3],
    },
    /// `target|inverse = combine(a f b, with)`, `inverse = combine(!(a f b), with)`; `negated` inverts `f`.
    Compare {
        f: Compare,
        negated: bool,
        a: Slot,
        b: Slot,
        combine: Logic,
        with: Predicate,
        target: Slot,
        inverse: Option<Slot>,
    },
    Select32 {
        target: Slot,
        a: Slot,
        b: Slot,
        condition: Predicate,
    },
    Select64 {
        target: Slot,
        a: Slot,
        b: Slot,
        condition: Predicate,
    },
    Logic {
        f: Logic,
        target: Slot,
        a: Predicate,
        b: Predicate,
    },
    /// Addition or subtraction with the carry flag.
    Carry {
        wide: bool,
        subtract: bool,
        carry_in: bool,
        carry_out: bool,
        target: Slot,
        a: Slot,
        b: Slot,
        flag: Slot,
    },
    /// `mov` of 2 or 4 parts of `bits` each into one register.
    Pack {
        target: Slot,
        parts: [Slot; 4],
        count: u8,
        bits: u8,
    },
    /// `mov` of one register into 2 or 4 parts of `bits` each.
    Unpack {
        source: Slot,
        parts: [Slot; 4],
        count: u8,
        bits: u8,
    },
    Load(Access),
    Store(Access),
    Atomic(Atomic),
    /// `atom` of 128 bits: an exchange, if what is there is as expected; halves, the lower first.
    AtomicWide(AtomicWide),
    /// `isspacep`
    IsSpace {
        target: Slot,
        space: Space,
        address: Slot,
    },
    Collective {
        members: Slot,
        what: Collective,
    },
    ActiveMask {
        target: Slot,
    },
    Barrier(Barrier),
    /// `barrier.cluster`
    ClusterBarrier {
        wait: bool,
    },
    /// Steps that the warp has made, as `%clock`.
    Clock {
        target: Slot,
        wide: bool,
    },
    Branch {
        target: u32,
    },
    /// To one of the operations of a table, by the number in a register.
    Switch {
        table: u32,
        index: Slot,
    },
    /// The call with this index.
    Call {
        site: u32,
    },
    Return,
    /// The operation of the whole warp with this index.
    Matrix {
        index: u32,
    },
    /// The asynchronous operation with this index.
    Asynchronous {
        index: u32,
    },
    Exit,
    Trap,
    /// Orders what comes before and after it; for other blocks too if wide.
    Fence {
        wide: bool,
        /// It is part of a barrier of the cluster.
        of_barrier: bool,
    },
    /// Orders accesses of the generic proxy and those of the async proxy; initialisations of barriers alone, perhaps (PTX ISA, "Async proxy").
    ProxyFence {
        only_barriers: bool,
    },
    Warpgroup(Warpgroup),
    /// Hints without an effect: prefetches, naps.
    Nothing,
}

impl Op {
    /// Returns true for an operation that only computes its targets from registers.
    pub(crate) fn computes(&self) -> bool {
        matches!(
            self,
            Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Ternary { .. }
                | Op::Quaternary { .. }
                | Op::Convert { .. }
                | Op::Packed { .. }
                | Op::Video { .. }
                | Op::Compare { .. }
                | Op::Select32 { .. }
                | Op::Select64 { .. }
                | Op::Logic { .. }
                | Op::Carry { .. }
                | Op::Pack { .. }
                | Op::Unpack { .. }
                | Op::IsSpace { .. }
                | Op::Nothing
        )
    }
}

/// An operation and the lanes that it is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inst {
    pub(crate) op: Op,
    pub(crate) guard: Predicate,
}
