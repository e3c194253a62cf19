//! Kinds of remarks of the compiler on the source: transformations made, and requests of the source that cannot be met.

use std::borrow::Cow;
use std::fmt;

use crate::panic::PanicKind;

/// Kinds of remarks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// A request of the source that cannot be met: an error for the front end to report, in these words. No program that
    /// compiles has one.
    Refused(String),
    /// A request of a loop that cannot be met.
    RefusedLoop(String),
    /// A loop was fully unrolled: no loop is left.
    UnrolledWhole {
        /// Number of copies; the largest, if the loop itself was copied and its copies differ.
        rounds: u32,
    },
    /// Each thread does so many consecutive elements.
    Coarsened {
        /// Number of elements.
        by: u32,
    },
    /// Launches with `.over(n)` take a version in which each thread does so many consecutive elements.
    CoarsenedOver {
        /// Number of elements.
        by: u32,
    },
    /// An element-wise kernel without such a version, and what it has instead of what is needed.
    NotCoarsened {
        /// The construct.
        found: Cow<'static, str>,
    },
    /// A loop was unrolled by a factor.
    UnrolledBy {
        /// Number of copies of the body.
        copies: u32,
    },
    /// Loads of a loop are made iterations before their values are needed.
    LoadsAhead {
        /// Number of iterations ahead.
        rounds: u32,
        /// Number of loads of an iteration.
        loads: u32,
    },
    /// A reduction of a loop was split into independent chains.
    Chains {
        /// Number of chains.
        chains: u32,
    },
    /// A loop is left as it was written.
    KeptLoop,
    /// A condition without a branch: the results of both sides are selected, or the sides are predicated.
    Predicated,
    /// A condition with a branch.
    KeptBranch,
    /// A check is not needed: it cannot fail.
    CheckProved {
        /// Kind of the check.
        check: PanicKind,
    },
    /// A check is removed where its launch guard holds, tested by the host once for each launch; where it does not, the launch takes
    /// the checked version.
    CheckTested {
        /// Kind of the check.
        check: PanicKind,
        /// The guard as one would write it in Rust.
        test: Cow<'static, str>,
    },
    /// A check is done when the kernel runs.
    CheckLeft {
        /// Kind of the check.
        check: PanicKind,
        /// A test in front of a loop stands for it: it is done in the loop only where that test fails.
        in_front: bool,
    },
    /// Adjacent locations in memory are read by one instruction.
    WideLoad {
        /// Bytes of them together.
        bytes: u32,
    },
    /// Adjacent locations in memory are written by one instruction.
    WideStore {
        /// Bytes of them together.
        bytes: u32,
    },
    /// A generic access: the device determines the memory.
    GenericAccess,
    /// An index is computed in 64 bits: nothing proves that 32 are enough.
    Index64,
    /// A product and a sum are one operation, rounded once.
    Contracted,
    /// An integer division of 64 bits, which takes many instructions.
    Division64,
    /// A function of `f32` that is exact to the last bits, of which the device has an approximation in few instructions.
    ExactFunction {
        /// Its name.
        name: &'static str,
    },
    /// A variable in shared memory.
    SharedMemory {
        /// Its size.
        bytes: u32,
    },
    /// Shared memory whose size the launch gives.
    DynamicSharedMemory,
    /// A variable that is in memory, not in registers.
    LocalMemory {
        /// Its size.
        bytes: u32,
    },
}

/// Topic of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RemarkTopic {
    /// Requests that could not be met.
    Refusals,
    /// Loop transformations.
    Loops,
    /// Branches and predication.
    Branches,
    /// Checks that can panic.
    Checks,
    /// Memory accesses.
    Accesses,
    /// Arithmetic and its width.
    Arithmetic,
    /// Shared and local memory needed.
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
    /// Its topic.
    pub const fn topic(&self) -> RemarkTopic {
        match self {
            RemarkKind::Refused(_) | RemarkKind::RefusedLoop(_) => RemarkTopic::Refusals,
            RemarkKind::UnrolledWhole { .. }
            | RemarkKind::Coarsened { .. }
            | RemarkKind::CoarsenedOver { .. }
            | RemarkKind::NotCoarsened { .. }
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
            RemarkKind::Index64
            | RemarkKind::Contracted
            | RemarkKind::Division64
            | RemarkKind::ExactFunction { .. } => RemarkTopic::Arithmetic,
            RemarkKind::SharedMemory { .. }
            | RemarkKind::DynamicSharedMemory
            | RemarkKind::LocalMemory { .. } => RemarkTopic::Memory,
        }
    }
}

impl fmt::Display for RemarkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RemarkKind::Refused(message) | RemarkKind::RefusedLoop(message) => f.write_str(message),
            RemarkKind::UnrolledWhole { rounds } => write!(f, "loop unrolled whole: {rounds} rounds"),
            RemarkKind::Coarsened { by } => write!(f, "coarsened: {by} elements a thread"),
            RemarkKind::CoarsenedOver { by } => {
                write!(f, "{by} elements a thread in launches with `.over(n)`")
            }
            RemarkKind::NotCoarsened { found } => {
                write!(f, "one element a thread with `.over(n)`, for {found}")
            }
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
            RemarkKind::CheckLeft { check, in_front: false } => {
                write!(f, "{}: checked at run time", subject(*check))
            }
            RemarkKind::CheckLeft { check, in_front: true } => {
                write!(f, "{}: tested in front of the loop, in it only where that fails", subject(*check))
            }
            RemarkKind::WideLoad { bytes } => write!(f, "{bytes} bytes loaded at once"),
            RemarkKind::WideStore { bytes } => write!(f, "{bytes} bytes stored at once"),
            RemarkKind::GenericAccess => f.write_str("generic address: which memory is unknown"),
            RemarkKind::Index64 => f.write_str("index of 64 bits"),
            RemarkKind::Contracted => f.write_str("multiply-add contracted"),
            RemarkKind::Division64 => f.write_str("division of 64 bits"),
            RemarkKind::ExactFunction { name } => write!(f, "`{name}` to the last bits"),
            RemarkKind::SharedMemory { bytes } => write!(f, "{bytes} bytes of shared memory"),
            RemarkKind::DynamicSharedMemory => f.write_str("dynamic shared memory"),
            RemarkKind::LocalMemory { bytes } => write!(f, "{bytes} bytes of local memory"),
        }
    }
}

/// The condition that a check establishes.
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
