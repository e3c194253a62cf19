//! What passes say of the source: what they made of it, and what it asks for that cannot be had.
//!
//! A place of the source has one remark of a kind, however often its code was copied or put in place: [`Remark::count`] says
//! how often.

use std::borrow::Cow;
use std::fmt;

use super::function::{PanicKind, SourceLoc};

/// What a pass did with a place of the source, or why it could not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The place.
    pub location: SourceLoc,
    /// What is said of it.
    pub kind: RemarkKind,
    /// Of how many copies of its code.
    pub count: u32,
}

/// What is said of a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// What the source demands there cannot be had: a mistake for the front end to report, in these words. No program that
    /// compiles has one.
    Refused(String),
    /// A loop became so many copies of its body, and no loop is left.
    UnrolledWhole {
        /// How many; the most, if the loop itself was copied and its copies differ.
        rounds: u32,
    },
    /// Each thread does so many consecutive elements.
    Coarsened {
        /// How many.
        by: u32,
    },
    /// A loop has so many copies of its body.
    UnrolledBy {
        /// How many.
        copies: u32,
    },
    /// A loop loads before it needs what it loads.
    LoadsAhead {
        /// How many rounds before.
        rounds: u32,
        /// How many loads of a round.
        loads: u32,
    },
    /// What a loop adds up, it adds up in so many independent chains.
    Chains {
        /// How many.
        chains: u32,
    },
    /// A loop is left as it was written.
    KeptLoop,
    /// A condition without a branch: what both sides compute is selected, or done under a predicate.
    Predicated,
    /// A condition with a branch.
    KeptBranch,
    /// A check is not needed: it cannot fail.
    CheckProved {
        /// Of what.
        check: PanicKind,
    },
    /// A check is not needed where the host finds that a test holds, once for each launch; where it does not, the launch takes
    /// the entry that has the check.
    CheckTested {
        /// Of what.
        check: PanicKind,
        /// The test as one would write it in Rust.
        test: Cow<'static, str>,
    },
    /// A check is done when the kernel runs.
    CheckLeft {
        /// Of what.
        check: PanicKind,
    },
    /// Neighbours in memory are read by one instruction.
    WideLoad {
        /// Together.
        bytes: u32,
    },
    /// Neighbours in memory are written by one instruction.
    WideStore {
        /// Together.
        bytes: u32,
    },
    /// The device finds out which memory is meant.
    GenericAccess,
    /// An index is computed in 64 bits: nothing proves that 32 are enough.
    Index64,
    /// A product and a sum are one operation, rounded once.
    Contracted,
    /// An integer division of 64 bits, which takes many instructions.
    Division64,
    /// A variable in shared memory.
    SharedMemory {
        /// Its size.
        bytes: u32,
    },
    /// Shared memory of which the launch says how much.
    DynamicSharedMemory,
    /// A variable that is in memory, not in registers.
    LocalMemory {
        /// Its size.
        bytes: u32,
    },
}

/// What a remark is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RemarkTopic {
    /// What could not be had.
    Refusals,
    /// What became of loops.
    Loops,
    /// What became of conditions.
    Branches,
    /// What can panic.
    Checks,
    /// How memory is accessed.
    Accesses,
    /// What is computed, and how wide.
    Arithmetic,
    /// What a block and a thread need of memory.
    Memory,
}

impl RemarkTopic {
    /// Every topic in the order of a report, with its heading.
    pub const TABLE: &[(RemarkTopic, &str)] = &[
        (RemarkTopic::Refusals, "refused"),
        (RemarkTopic::Loops, "loops"),
        (RemarkTopic::Branches, "branches"),
        (RemarkTopic::Checks, "checks"),
        (RemarkTopic::Accesses, "accesses to memory"),
        (RemarkTopic::Arithmetic, "arithmetic"),
        (RemarkTopic::Memory, "shared and local memory"),
    ];

    /// The heading in a report.
    pub fn heading(self) -> &'static str {
        Self::TABLE[self as usize].1
    }
}

impl RemarkKind {
    /// What it is about.
    pub const fn topic(&self) -> RemarkTopic {
        match self {
            RemarkKind::Refused(_) => RemarkTopic::Refusals,
            RemarkKind::UnrolledWhole { .. }
            | RemarkKind::Coarsened { .. }
            | RemarkKind::UnrolledBy { .. }
            | RemarkKind::LoadsAhead { .. }
            | RemarkKind::Chains { .. }
            | RemarkKind::KeptLoop => RemarkTopic::Loops,
            RemarkKind::Predicated | RemarkKind::KeptBranch => RemarkTopic::Branches,
            RemarkKind::CheckProved { .. }
            | RemarkKind::CheckTested { .. }
            | RemarkKind::CheckLeft { .. } => RemarkTopic::Checks,
            RemarkKind::WideLoad { .. } | RemarkKind::WideStore { .. } | RemarkKind::GenericAccess => {
                RemarkTopic::Accesses
            }
            RemarkKind::Index64 | RemarkKind::Contracted | RemarkKind::Division64 => RemarkTopic::Arithmetic,
            RemarkKind::SharedMemory { .. }
            | RemarkKind::DynamicSharedMemory
            | RemarkKind::LocalMemory { .. } => RemarkTopic::Memory,
        }
    }
}

impl fmt::Display for RemarkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RemarkKind::Refused(message) => f.write_str(message),
            RemarkKind::UnrolledWhole { rounds } => write!(f, "loop unrolled whole: {rounds} rounds"),
            RemarkKind::Coarsened { by } => write!(f, "coarsened: {by} elements a thread"),
            RemarkKind::UnrolledBy { copies } => write!(f, "loop unrolled by {copies}"),
            RemarkKind::LoadsAhead { rounds, loads } => {
                let plural = |n: u32| if n == 1 { "" } else { "s" };
                write!(
                    f,
                    "{loads} load{} of a round made {rounds} round{} ahead",
                    plural(*loads),
                    plural(*rounds)
                )
            }
            RemarkKind::Chains { chains } => write!(f, "loop accumulates in {chains} chains"),
            RemarkKind::KeptLoop => f.write_str("loop kept"),
            RemarkKind::Predicated => f.write_str("no branch: values selected or predicated"),
            RemarkKind::KeptBranch => f.write_str("branch kept"),
            RemarkKind::CheckProved { check } => write!(f, "{}: proved, no check", subject(*check)),
            RemarkKind::CheckTested { check, test } => {
                write!(f, "{}: no check where `{test}`", subject(*check))
            }
            RemarkKind::CheckLeft { check } => write!(f, "{}: checked at run time", subject(*check)),
            RemarkKind::WideLoad { bytes } => write!(f, "{bytes} bytes loaded at once"),
            RemarkKind::WideStore { bytes } => write!(f, "{bytes} bytes stored at once"),
            RemarkKind::GenericAccess => f.write_str("generic address: which memory is unknown"),
            RemarkKind::Index64 => f.write_str("index of 64 bits"),
            RemarkKind::Contracted => f.write_str("multiply-add contracted"),
            RemarkKind::Division64 => f.write_str("division of 64 bits"),
            RemarkKind::SharedMemory { bytes } => write!(f, "{bytes} bytes of shared memory"),
            RemarkKind::DynamicSharedMemory => f.write_str("dynamic shared memory"),
            RemarkKind::LocalMemory { bytes } => write!(f, "{bytes} bytes of local memory"),
        }
    }
}

/// What a check is about.
const fn subject(check: PanicKind) -> &'static str {
    match check {
        PanicKind::Index => "index in bounds",
        PanicKind::DivideByZero | PanicKind::RemainderByZero => "divisor not zero",
        PanicKind::DivideOverflow | PanicKind::RemainderOverflow => "division without overflow",
        PanicKind::AddOverflow => "sum without overflow",
        PanicKind::SubOverflow => "difference without overflow",
        PanicKind::MulOverflow => "product without overflow",
        PanicKind::NegOverflow => "negation without overflow",
        PanicKind::ShlOverflow | PanicKind::ShrOverflow => "shift below the width",
        PanicKind::ZeroStep => "step not zero",
        PanicKind::Unwrap => "`Some` to unwrap",
        PanicKind::Message | PanicKind::Formatted => "no panic",
        PanicKind::Misaligned => "vector aligned",
        PanicKind::SliceOrder => "start of slice before its end",
        PanicKind::SliceStart => "start of slice in bounds",
        PanicKind::SliceEnd => "end of slice in bounds",
    }
}
