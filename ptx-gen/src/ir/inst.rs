//! The instructions.

use super::cache::CacheHints;
use super::entity::{Block, ConstVar, InlineAsm, LocalVar, PanicSite, Param, PrintSite, SharedVar, Value};
use super::function::SourceLoc;
use super::types::{Space, Type};

/// Declares an operation enum whose every variant has one mnemonic in textual IR.
macro_rules! mnemonics {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vmeta])* $variant),* }

        impl $name {
            /// Every one of them.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The mnemonic in textual IR.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The operation with this mnemonic.
            pub fn from_mnemonic(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(super) use mnemonics;

mnemonics! {
    /// Operations on one value, with a result of the same type.
    UnaryOp {
        /// Two's complement negation.
        Neg = "neg",
        /// Bitwise complement; of a `bool`, negation.
        Not = "not",
        /// Leading zeros, as a number of the same type.
        LeadingZeros = "clz",
        /// Trailing zeros.
        TrailingZeros = "ctz",
        /// Bits set.
        PopCount = "popc",
        /// Bits in reverse order.
        ReverseBits = "brev",
        /// Floating-point negation: flips the sign bit.
        FNeg = "fneg",
        /// Magnitude: clears the sign bit.
        FAbs = "fabs",
        /// Square root, rounded to nearest even.
        Sqrt = "sqrt",
        /// Largest integer not above.
        Floor = "floor",
        /// Smallest integer not below.
        Ceil = "ceil",
        /// Towards zero.
        Trunc = "trunc",
        /// To the nearest integer, ties to even.
        RoundEven = "round_even",
        /// The hardware's sine (PTX ISA, `sin.approx`, for the error of this and those below). These are of `f32` alone.
        SinApprox = "sin_approx",
        /// The hardware's cosine.
        CosApprox = "cos_approx",
        /// The hardware's power of two.
        Exp2Approx = "ex2_approx",
        /// The same, with subnormal arguments and results as zeros.
        Exp2Flushed = "ex2_flushed",
        /// The hardware's logarithm to base two.
        Log2Approx = "lg2_approx",
        /// The hardware's reciprocal.
        RcpApprox = "rcp_approx",
        /// The same, with subnormal arguments and results as zeros.
        RcpFlushed = "rcp_flushed",
        /// The hardware's reciprocal square root.
        RsqrtApprox = "rsqrt_approx",
        /// The hardware's square root.
        SqrtApprox = "sqrt_approx",
        /// The hardware's hyperbolic tangent.
        TanhApprox = "tanh_approx",
        /// The nearest number of 0 to 1; 0 for NaN.
        Saturate = "saturate",
    }
}

mnemonics! {
    /// Operations on two values of the same type, with a result of that type.
    BinaryOp {
        /// Wrapping addition.
        Add = "add",
        /// Wrapping subtraction.
        Sub = "sub",
        /// Wrapping multiplication, the low half.
        Mul = "mul",
        /// The high half of the unsigned product.
        UMulHigh = "umulhi",
        /// The high half of the signed product.
        SMulHigh = "smulhi",
        /// Unsigned division. The divisor is not zero.
        UDiv = "udiv",
        /// Signed division towards zero. The divisor is not zero, the quotient fits.
        SDiv = "sdiv",
        /// Unsigned remainder. The divisor is not zero.
        URem = "urem",
        /// Signed remainder with the dividend's sign. The divisor is not zero, the quotient fits.
        SRem = "srem",
        /// Unsigned minimum.
        UMin = "umin",
        /// Signed minimum.
        SMin = "smin",
        /// Unsigned maximum.
        UMax = "umax",
        /// Signed maximum.
        SMax = "smax",
        /// Bitwise; on `bool` too.
        And = "and",
        /// Bitwise; on `bool` too.
        Or = "or",
        /// Bitwise; on `bool` too.
        Xor = "xor",
        /// Left shift. The amount, of the same type, is taken modulo the width.
        Shl = "shl",
        /// Logical right shift. The amount is taken modulo the width.
        LShr = "lshr",
        /// Arithmetic right shift. The amount is taken modulo the width.
        AShr = "ashr",
        /// IEEE addition, to nearest even.
        FAdd = "fadd",
        /// IEEE subtraction, to nearest even.
        FSub = "fsub",
        /// IEEE multiplication, to nearest even.
        FMul = "fmul",
        /// IEEE division, to nearest even.
        FDiv = "fdiv",
        /// The operand that is not NaN, or the smaller one; −0 is below +0.
        FMin = "fmin",
        /// The operand that is not NaN, or the larger one; −0 is below +0.
        FMax = "fmax",
        /// The first operand with the sign of the second.
        CopySign = "copysign",
        /// The hardware's division, of `f32` alone (PTX ISA, `div.approx`).
        FDivApprox = "fdiv_approx",
    }
}

mnemonics! {
    /// Comparisons of integers; `eq` and `ne` also of `bool`s.
    IntCond {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Unsigned less.
        ULt = "ult",
        /// Unsigned less or equal.
        ULe = "ule",
        /// Unsigned greater.
        UGt = "ugt",
        /// Unsigned greater or equal.
        UGe = "uge",
        /// Signed less.
        SLt = "slt",
        /// Signed less or equal.
        SLe = "sle",
        /// Signed greater.
        SGt = "sgt",
        /// Signed greater or equal.
        SGe = "sge",
    }
}

impl BinaryOp {
    /// Returns true if the operands may be swapped. Those of floats stay: a NaN operand may show in the result.
    pub const fn is_commutative(self) -> bool {
        match self {
            BinaryOp::Add
            | BinaryOp::Mul
            | BinaryOp::UMulHigh
            | BinaryOp::SMulHigh
            | BinaryOp::UMin
            | BinaryOp::SMin
            | BinaryOp::UMax
            | BinaryOp::SMax
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor => true,
            BinaryOp::Sub
            | BinaryOp::UDiv
            | BinaryOp::SDiv
            | BinaryOp::URem
            | BinaryOp::SRem
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::FAdd
            | BinaryOp::FSub
            | BinaryOp::FMul
            | BinaryOp::FDiv
            | BinaryOp::FMin
            | BinaryOp::FMax
            | BinaryOp::CopySign
            | BinaryOp::FDivApprox => false,
        }
    }
}

impl IntCond {
    /// The comparison that holds of `b, a` when this one holds of `a, b`.
    pub const fn swapped(self) -> IntCond {
        match self {
            IntCond::Eq => IntCond::Eq,
            IntCond::Ne => IntCond::Ne,
            IntCond::ULt => IntCond::UGt,
            IntCond::ULe => IntCond::UGe,
            IntCond::UGt => IntCond::ULt,
            IntCond::UGe => IntCond::ULe,
            IntCond::SLt => IntCond::SGt,
            IntCond::SLe => IntCond::SGe,
            IntCond::SGt => IntCond::SLt,
            IntCond::SGe => IntCond::SLe,
        }
    }

    /// The comparison that holds when this one does not.
    pub const fn inverse(self) -> IntCond {
        match self {
            IntCond::Eq => IntCond::Ne,
            IntCond::Ne => IntCond::Eq,
            IntCond::ULt => IntCond::UGe,
            IntCond::ULe => IntCond::UGt,
            IntCond::UGt => IntCond::ULe,
            IntCond::UGe => IntCond::ULt,
            IntCond::SLt => IntCond::SGe,
            IntCond::SLe => IntCond::SGt,
            IntCond::SGt => IntCond::SLe,
            IntCond::SGe => IntCond::SLt,
        }
    }

    /// The comparison that says the same of numbers that are not negative.
    pub const fn unsigned(self) -> IntCond {
        match self {
            IntCond::SLt => IntCond::ULt,
            IntCond::SLe => IntCond::ULe,
            IntCond::SGt => IntCond::UGt,
            IntCond::SGe => IntCond::UGe,
            IntCond::Eq | IntCond::Ne | IntCond::ULt | IntCond::ULe | IntCond::UGt | IntCond::UGe => self,
        }
    }
}

mnemonics! {
    /// Comparisons of floats. All are false on NaN but `Ne`, which is true: as in Rust.
    FloatCond {
        /// Equal.
        Eq = "eq",
        /// Not equal, or unordered.
        Ne = "ne",
        /// Less.
        Lt = "lt",
        /// Less or equal.
        Le = "le",
        /// Greater.
        Gt = "gt",
        /// Greater or equal.
        Ge = "ge",
    }
}

mnemonics! {
    /// Conversions; the result's type says to what.
    ConvertOp {
        /// To a wider integer with zeros; a `bool` to an integer of any width.
        ZeroExtend = "zext",
        /// To a wider integer with the sign.
        SignExtend = "sext",
        /// `SignExtend` of an index less a constant `c`: at each access to whose address the result contributes, it is in `-c..2³¹ - c`
        /// for a `c` from 0 to 2³⁰. A positive constant may be taken out of it there, though sums of 32 bits wrap: `i` and `i + 1`
        /// share an address.
        IndexExtend = "sext_index",
        /// To a narrower integer.
        Truncate = "trunc_int",
        /// Unsigned integer to float, to nearest even.
        UIntToFloat = "u2f",
        /// Signed integer to float, to nearest even.
        SIntToFloat = "s2f",
        /// Float to unsigned integer towards zero; saturates, NaN to 0: Rust's `as`.
        FloatToUInt = "f2u",
        /// Float to signed integer towards zero; saturates, NaN to 0: Rust's `as`.
        FloatToSInt = "f2s",
        /// To another float, to nearest even.
        FloatToFloat = "f2f",
        /// Reinterprets the bits as another type of the same width.
        Bitcast = "bitcast",
    }
}

mnemonics! {
    /// Registers that say where a thread is (PTX ISA, "Special Registers"). All are `i32` but those that say otherwise.
    SpecialRegister {
        /// Thread in its block.
        TidX = "tid.x", #[allow(missing_docs)] TidY = "tid.y", #[allow(missing_docs)] TidZ = "tid.z",
        /// Threads per block.
        NtidX = "ntid.x", #[allow(missing_docs)] NtidY = "ntid.y", #[allow(missing_docs)] NtidZ = "ntid.z",
        /// Block in its grid.
        CtaidX = "ctaid.x", #[allow(missing_docs)] CtaidY = "ctaid.y", #[allow(missing_docs)] CtaidZ = "ctaid.z",
        /// Blocks per grid.
        NctaidX = "nctaid.x", #[allow(missing_docs)] NctaidY = "nctaid.y", #[allow(missing_docs)] NctaidZ = "nctaid.z",
        /// Lane in the warp, 0 to 31.
        LaneId = "laneid",
        /// Lanes below this one, as bits.
        LaneMaskLt = "lanemask_lt",
        /// Lanes up to this one.
        LaneMaskLe = "lanemask_le",
        /// This lane.
        LaneMaskEq = "lanemask_eq",
        /// Lanes from this one on.
        LaneMaskGe = "lanemask_ge",
        /// Lanes above this one.
        LaneMaskGt = "lanemask_gt",
        /// The warp's slot on its multiprocessor, which may change.
        WarpId = "warpid",
        /// A bound of those slots.
        NwarpId = "nwarpid",
        /// The multiprocessor that the block runs on.
        SmId = "smid",
        /// A bound of the numbers of multiprocessors.
        NsmId = "nsmid",
        /// Bytes of dynamic shared memory.
        DynamicSharedSize = "dynamic_smem_size",
        /// Bytes of shared memory.
        TotalSharedSize = "total_smem_size",
        /// The launch, as `i64`.
        GridId = "gridid",
        /// Block in its cluster.
        ClusterCtaidX = "cluster_ctaid.x", #[allow(missing_docs)] ClusterCtaidY = "cluster_ctaid.y",
        #[allow(missing_docs)] ClusterCtaidZ = "cluster_ctaid.z",
        /// Blocks per cluster.
        ClusterNctaidX = "cluster_nctaid.x", #[allow(missing_docs)] ClusterNctaidY = "cluster_nctaid.y",
        #[allow(missing_docs)] ClusterNctaidZ = "cluster_nctaid.z",
        /// Cluster in the grid.
        ClusterIdX = "clusterid.x", #[allow(missing_docs)] ClusterIdY = "clusterid.y",
        #[allow(missing_docs)] ClusterIdZ = "clusterid.z",
        /// Clusters in the grid.
        NclusterIdX = "nclusterid.x", #[allow(missing_docs)] NclusterIdY = "nclusterid.y",
        #[allow(missing_docs)] NclusterIdZ = "nclusterid.z",
        /// Block in its cluster, x fastest.
        ClusterCtaRank = "cluster_ctarank",
        /// Blocks per cluster, over all axes.
        ClusterNctaRank = "cluster_nctarank",
        /// Clock cycles of the multiprocessor.
        Clock = "clock",
        /// Clock cycles of the multiprocessor, as `i64`.
        Clock64 = "clock64",
        /// Nanoseconds, as `i64`.
        GlobalTimer = "globaltimer",
        /// The high half of the address of the workspace of a cooperative launch, by which its blocks synchronise.
        EnvReg1 = "envreg1",
        /// Its low half.
        EnvReg2 = "envreg2",
    }
}

impl SpecialRegister {
    /// The type of what it holds.
    pub const fn ty(self) -> Type {
        self.kind().0
    }

    /// Returns true if two reads by one thread may differ.
    pub const fn is_volatile(self) -> bool {
        self.kind().1
    }

    const fn kind(self) -> (Type, bool) {
        match self {
            SpecialRegister::TidX | SpecialRegister::TidY | SpecialRegister::TidZ => (Type::I32, false),
            SpecialRegister::NtidX | SpecialRegister::NtidY | SpecialRegister::NtidZ => (Type::I32, false),
            SpecialRegister::CtaidX | SpecialRegister::CtaidY | SpecialRegister::CtaidZ => (Type::I32, false),
            SpecialRegister::NctaidX | SpecialRegister::NctaidY | SpecialRegister::NctaidZ => {
                (Type::I32, false)
            }
            SpecialRegister::LaneId
            | SpecialRegister::LaneMaskLt
            | SpecialRegister::LaneMaskLe
            | SpecialRegister::LaneMaskEq
            | SpecialRegister::LaneMaskGe
            | SpecialRegister::LaneMaskGt
            | SpecialRegister::NsmId
            | SpecialRegister::NwarpId
            | SpecialRegister::TotalSharedSize
            | SpecialRegister::DynamicSharedSize
            | SpecialRegister::EnvReg1
            | SpecialRegister::EnvReg2 => (Type::I32, false),
            SpecialRegister::GridId => (Type::I64, false),
            SpecialRegister::ClusterCtaidX
            | SpecialRegister::ClusterCtaidY
            | SpecialRegister::ClusterCtaidZ
            | SpecialRegister::ClusterNctaidX
            | SpecialRegister::ClusterNctaidY
            | SpecialRegister::ClusterNctaidZ
            | SpecialRegister::ClusterIdX
            | SpecialRegister::ClusterIdY
            | SpecialRegister::ClusterIdZ
            | SpecialRegister::NclusterIdX
            | SpecialRegister::NclusterIdY
            | SpecialRegister::NclusterIdZ
            | SpecialRegister::ClusterCtaRank
            | SpecialRegister::ClusterNctaRank => (Type::I32, false),
            SpecialRegister::WarpId | SpecialRegister::SmId | SpecialRegister::Clock => (Type::I32, true),
            SpecialRegister::Clock64 | SpecialRegister::GlobalTimer => (Type::I64, true),
        }
    }
}

mnemonics! {
    /// Modes of a warp vote on a predicate of each lane (PTX ISA, `vote.sync`).
    VoteMode {
        /// Mask of the lanes where it holds, an `i32`. The other results are `bool`.
        Ballot = "ballot",
        /// It holds in some lane.
        Any = "any",
        /// It holds in every lane.
        All = "all",
        /// It is the same in every lane.
        Uniform = "uni",
    }
}

impl VoteMode {
    /// The type of the result.
    pub const fn ty(self) -> Type {
        match self {
            VoteMode::Ballot => Type::I32,
            VoteMode::Any | VoteMode::All | VoteMode::Uniform => Type::Bool,
        }
    }
}

mnemonics! {
    /// Modes of the comparison of a value across lanes (PTX ISA, `match.sync`).
    MatchMode {
        /// Mask of the lanes with the value of this lane.
        Any = "any",
        /// Mask of all members if they all have one value, else zero.
        All = "all",
    }
}

mnemonics! {
    /// Operations of a warp-wide reduction of `i32` (PTX ISA, `redux.sync`).
    ReduxOp {
        /// Wrapping sum.
        Add = "add",
        /// Unsigned minimum.
        UMin = "umin",
        /// Signed minimum.
        SMin = "smin",
        /// Unsigned maximum.
        UMax = "umax",
        /// Signed maximum.
        SMax = "smax",
        /// Bitwise.
        And = "and",
        /// Bitwise.
        Or = "or",
        /// Bitwise.
        Xor = "xor",
    }
}

mnemonics! {
    /// Operations of a block-wide reduction of a predicate, at a barrier (PTX ISA, `bar.red`).
    BarrierOp {
        /// Number of threads where it holds: an `i32`. The other results are `bool`.
        Count = "popc",
        /// It holds in all threads.
        And = "and",
        /// It holds in some thread.
        Or = "or",
    }
}

impl BarrierOp {
    /// The type of the result.
    pub const fn ty(self) -> Type {
        match self {
            BarrierOp::Count => Type::I32,
            BarrierOp::And | BarrierOp::Or => Type::Bool,
        }
    }
}

mnemonics! {
    /// Source lane of a shuffle (PTX ISA, `shfl.sync`).
    ShuffleMode {
        /// Lane − n.
        Up = "up",
        /// Lane + n.
        Down = "down",
        /// Lane ^ n.
        Xor = "bfly",
        /// Lane n.
        Idx = "idx",
    }
}

mnemonics! {
    /// Set of threads among which an atomic operation is atomic.
    MemoryScope {
        /// The block.
        Block = "cta",
        /// The device.
        Device = "gpu",
        /// The host and all devices.
        System = "sys",
    }
}

mnemonics! {
    /// Ordering by an atomic access, or a fence, of the thread's other accesses (PTX ISA, "Memory Consistency Model").
    MemoryOrder {
        /// Nothing.
        Relaxed = "relaxed",
        /// Those after it see what was before the release that it reads from.
        Acquire = "acquire",
        /// Those before it are seen by any thread that reads from it with `Acquire`.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
        /// Both, and all such fences are in one order. Of fences only: an access of that order is one with a fence before it.
        SeqCst = "sc",
    }
}

mnemonics! {
    /// Combinations of the value in memory and an operand by an atomic operation.
    AtomicOp {
        /// Wrapping addition.
        Add = "add",
        /// Unsigned minimum.
        UMin = "umin",
        /// Signed minimum.
        SMin = "smin",
        /// Unsigned maximum.
        UMax = "umax",
        /// Signed maximum.
        SMax = "smax",
        /// Bitwise.
        And = "and",
        /// Bitwise.
        Or = "or",
        /// Bitwise.
        Xor = "xor",
        /// The operand.
        Exchange = "exchange",
        /// Addition of floats, to nearest even. In global memory `f32` loses its subnormal numbers (PTX ISA, `atom`).
        FAdd = "fadd",
    }
}

/// A block to go to, and the values that its parameters take.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockCall {
    /// The block.
    pub block: Block,
    /// One value for each of its parameters.
    pub args: Vec<Value>,
}

/// Request of the source for a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BranchHint {
    /// The request.
    pub wish: BranchWish,
    /// Location of the request in the source.
    pub location: SourceLoc,
}

mnemonics! {
    /// Requests for a branch.
    BranchWish {
        /// No branch: both sides are executed, and their results selected, or they are predicated.
        Predicate = "predicate",
        /// The branch is kept.
        Keep = "keep",
    }
}

/// An instruction without its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InstData {
    /// A constant: the bits, of the result's type, the rest zero.
    Const {
        /// Zero outside the type's width.
        bits: u64,
    },
    /// An operation on one value.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// Its operand.
        arg: Value,
    },
    /// An operation on two values.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// Its operands.
        args: [Value; 2],
        /// Of `add`, `sub`, `mul` and `shl`: the exact unsigned result fits the type, as the code that made the instruction has proved.
        no_unsigned_wrap: bool,
    },
    /// `args[0] * args[1] + args[2]` with one rounding.
    Fma {
        /// Factor, factor, summand.
        args: [Value; 3],
    },
    /// One of two values of the same type.
    Select {
        /// A `bool`.
        cond: Value,
        /// The result if `cond`.
        if_true: Value,
        /// The result if not.
        if_false: Value,
    },
    /// Compares integers or `bool`s; the result is a `bool`.
    IntCompare {
        /// The condition.
        cond: IntCond,
        /// Its operands.
        args: [Value; 2],
    },
    /// Compares floats; the result is a `bool`.
    FloatCompare {
        /// The condition.
        cond: FloatCond,
        /// Its operands.
        args: [Value; 2],
    },
    /// Converts to the result's type.
    Convert {
        /// The conversion.
        op: ConvertOp,
        /// Its operand.
        arg: Value,
    },
    /// Two floats of 16 bits as a pair, the first one in the low half.
    Pack {
        /// The two.
        args: [Value; 2],
    },
    /// One float of a pair.
    Extract {
        /// The pair.
        arg: Value,
        /// Its index: 0 for that in the low half, or 1.
        lane: u8,
    },
    /// Reads a special register.
    Special {
        /// The register.
        register: SpecialRegister,
    },
    /// Reads a kernel parameter.
    Param {
        /// The parameter.
        param: Param,
    },
    /// The address of a shared variable, in the shared space.
    SharedAddress {
        /// The variable.
        var: SharedVar,
    },
    /// The address of a local variable, in the local space. Memory not yet written has any value.
    LocalAddress {
        /// The variable.
        var: LocalVar,
    },
    /// The address of constant data, in the constant space.
    ConstAddress {
        /// The variable.
        var: ConstVar,
    },
    /// The generic address of the location that an address of one space names.
    ToGeneric {
        /// Any but generic.
        space: Space,
        /// Address in that space.
        address: Value,
    },
    /// Address of the location of another block of the cluster that an address of shared memory names in this one.
    MapShared {
        /// Address in shared memory.
        address: Value,
        /// The block's place in the cluster.
        rank: Value,
    },
    /// Reads a value of the result's type.
    Load {
        /// Memory that is read.
        space: Space,
        /// Base address.
        address: Value,
        /// Added to the address, in bytes.
        offset: i32,
        /// Known alignment of the sum in bytes, if more than the type requires.
        align: Option<u32>,
        /// No one writes this memory while the kernel runs, so the non-coherent path may serve it.
        read_only: bool,
        /// A parameter that the value, an unsigned number, is below: an [`ElementLimit`](super::ElementLimit).
        below: Option<Param>,
        /// Its cache hints.
        cache: CacheHints,
    },
    /// Writes a value.
    Store {
        /// Memory that is written.
        space: Space,
        /// Base address.
        address: Value,
        /// Added to the address, in bytes.
        offset: i32,
        /// Known alignment of the sum in bytes, if more than the type requires.
        align: Option<u32>,
        /// The value stored.
        value: Value,
        /// Its cache hints.
        cache: CacheHints,
    },
    /// Compare and swap; the result is the old value.
    AtomicCas {
        /// Memory that is accessed.
        space: Space,
        /// Threads among which it is atomic.
        scope: MemoryScope,
        /// Its memory ordering.
        order: MemoryOrder,
        /// The address.
        address: Value,
        /// The old value for which the swap is made.
        expected: Value,
        /// The new value.
        desired: Value,
    },
    /// Changes memory in one step; the result is the old value.
    AtomicRmw {
        /// The operation.
        op: AtomicOp,
        /// Memory that is accessed.
        space: Space,
        /// Threads among which it is atomic.
        scope: MemoryScope,
        /// Its memory ordering.
        order: MemoryOrder,
        /// The address.
        address: Value,
        /// Operand of the result's type.
        value: Value,
    },
    /// Reads memory that other threads may be writing.
    AtomicLoad {
        /// Memory that is read.
        space: Space,
        /// Threads among which it is atomic.
        scope: MemoryScope,
        /// `Relaxed` or `Acquire`.
        order: MemoryOrder,
        /// The address.
        address: Value,
    },
    /// Writes memory that other threads may be reading.
    AtomicStore {
        /// Memory that is written.
        space: Space,
        /// Threads among which it is atomic.
        scope: MemoryScope,
        /// `Relaxed` or `Release`.
        order: MemoryOrder,
        /// The address.
        address: Value,
        /// The value stored.
        value: Value,
    },
    /// The value of another lane, with PTX's lane operand `b` and clamp operand `c`.
    Shuffle {
        /// Interpretation of `lane`.
        mode: ShuffleMode,
        /// Of any type but `bool`.
        value: Value,
        /// `i32`: distance, mask or lane.
        lane: Value,
        /// `i32`: segment mask and clamp.
        clamp: Value,
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// Votes on a predicate across the member lanes of a warp.
    Vote {
        /// The mode.
        mode: VoteMode,
        /// A `bool`.
        pred: Value,
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// The lanes with the same value, as bits of an `i32`.
    Match {
        /// The mode.
        mode: MatchMode,
        /// `i32` or `i64`.
        value: Value,
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// Reduces a value across the member lanes of a warp; each gets the result.
    Redux {
        /// The operation.
        op: ReduxOp,
        /// `i32`.
        value: Value,
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// The lanes that happen to run this instruction together, as bits of an `i32`.
    ActiveMask,
    /// Waits for all threads of the block; the result is the reduction of their predicates.
    BarrierReduce {
        /// The operation.
        op: BarrierOp,
        /// A `bool`.
        pred: Value,
    },
    /// Waits for the participating lanes of the warp, and orders their accesses.
    WarpBarrier {
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// Orders this thread's earlier memory accesses before its later ones, for observers within this scope (PTX ISA, `fence`).
    Fence {
        /// Threads that observe the order.
        scope: MemoryScope,
        /// `AcqRel` or `SeqCst`.
        order: MemoryOrder,
    },
    /// Waits for all threads of the block.
    Barrier,
    /// Waits for all threads of the grid, whose blocks all run at once: [`LaunchBounds::cooperative`](super::LaunchBounds).
    GridBarrier,
    /// Waits for all threads of the cluster.
    ClusterBarrier {
        /// All threads of a warp come together.
        aligned: bool,
    },
    /// Hands values to the host, which prints them.
    Print {
        /// The site in the source.
        site: PrintSite,
        /// `i64` values, as many as the site's format takes.
        args: Vec<Value>,
    },
    /// Inline PTX of the user with at least one output; the result is the first output.
    Inline {
        /// The text.
        asm: InlineAsm,
        /// Its inputs.
        args: Vec<Value>,
        /// True if the outputs depend only on the inputs and there are no other effects: it may be removed, repeated, moved.
        pure: bool,
    },
    /// A further output of inline PTX.
    InlineOut {
        /// The result of the [`Inline`](InstData::Inline).
        of: Value,
        /// Number of the output, from 1.
        index: u32,
    },
    /// Inline PTX of the user without outputs.
    InlineEffect {
        /// The text.
        asm: InlineAsm,
        /// Its inputs.
        args: Vec<Value>,
    },
    /// A predicated memory access: made only if the condition has the value `holds`. If not, its result is zero.
    Guarded {
        /// A `bool`.
        cond: Value,
        /// Value of the condition for which the access is made.
        holds: bool,
        /// The access: a load, a store or an atomic one.
        access: Box<InstData>,
    },
    /// Terminator: goes on at a block.
    Jump {
        /// The target.
        target: BlockCall,
    },
    /// Terminator: goes on at one of two blocks.
    Branch {
        /// A `bool`.
        cond: Value,
        /// Target if it is true.
        if_true: BlockCall,
        /// Target if it is false.
        if_false: BlockCall,
        /// Request of the source for it.
        hint: Option<BranchHint>,
    },
    /// Terminator: the thread ends.
    Return,
    /// Terminator: records the panic and ends the thread.
    Panic {
        /// The site in the source.
        site: PanicSite,
        /// `i64` values for the message, as many as the site takes.
        args: Vec<Value>,
    },
}

impl InstData {
    /// Returns true if it ends a block.
    pub const fn is_terminator(&self) -> bool {
        match self {
            InstData::Jump { .. } | InstData::Branch { .. } | InstData::Return | InstData::Panic { .. } => {
                true
            }
            InstData::Const { .. }
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
            | InstData::Pack { .. }
            | InstData::Extract { .. }
            | InstData::Special { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::ToGeneric { .. }
            | InstData::MapShared { .. }
            | InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::AtomicCas { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. }
            | InstData::Shuffle { .. }
            | InstData::Vote { .. }
            | InstData::Match { .. }
            | InstData::Redux { .. }
            | InstData::ActiveMask
            | InstData::BarrierReduce { .. }
            | InstData::WarpBarrier { .. }
            | InstData::Fence { .. }
            | InstData::Print { .. }
            | InstData::Guarded { .. }
            | InstData::Inline { .. }
            | InstData::InlineOut { .. }
            | InstData::InlineEffect { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. } => false,
        }
    }

    /// Returns true if it may be removed when its result is unused, repeated, or moved over other such instructions.
    ///
    /// Loads may be removed but not moved over stores; they count as impure here.
    pub const fn is_pure(&self) -> bool {
        match self {
            InstData::Const { .. }
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
            | InstData::Pack { .. }
            | InstData::Extract { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::InlineOut { .. }
            | InstData::ToGeneric { .. }
            | InstData::MapShared { .. } => true,
            InstData::Special { register } => !register.is_volatile(),
            InstData::Inline { pure, .. } => *pure,
            InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::AtomicCas { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. }
            | InstData::Shuffle { .. }
            | InstData::Vote { .. }
            | InstData::Match { .. }
            | InstData::Redux { .. }
            | InstData::ActiveMask
            | InstData::BarrierReduce { .. }
            | InstData::WarpBarrier { .. }
            | InstData::Fence { .. }
            | InstData::Print { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::InlineEffect { .. }
            | InstData::Guarded { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. }
            | InstData::Return
            | InstData::Panic { .. } => false,
        }
    }

    /// Returns true if it accesses memory in a way that other threads see as one step.
    pub const fn is_atomic(&self) -> bool {
        match self {
            InstData::AtomicCas { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. } => true,
            InstData::Guarded { access, .. } => access.is_atomic(),
            _ => false,
        }
    }

    /// The memory that is accessed, and the address that the access starts from.
    pub const fn access(&self) -> Option<(Space, Value)> {
        match self {
            InstData::Guarded { access, .. } => access.access(),
            InstData::Load { space, address, .. }
            | InstData::Store { space, address, .. }
            | InstData::AtomicCas { space, address, .. }
            | InstData::AtomicRmw { space, address, .. }
            | InstData::AtomicLoad { space, address, .. }
            | InstData::AtomicStore { space, address, .. } => Some((*space, *address)),
            InstData::Const { .. }
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
            | InstData::Pack { .. }
            | InstData::Extract { .. }
            | InstData::Special { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::ToGeneric { .. }
            | InstData::MapShared { .. }
            | InstData::Shuffle { .. }
            | InstData::Vote { .. }
            | InstData::Match { .. }
            | InstData::Redux { .. }
            | InstData::ActiveMask
            | InstData::BarrierReduce { .. }
            | InstData::WarpBarrier { .. }
            | InstData::Fence { .. }
            | InstData::Print { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::Inline { .. }
            | InstData::InlineOut { .. }
            | InstData::InlineEffect { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. }
            | InstData::Return
            | InstData::Panic { .. } => None,
        }
    }

    /// The memory that is accessed and the address, both mutable.
    pub const fn access_mut(&mut self) -> Option<(&mut Space, &mut Value)> {
        match self {
            InstData::Guarded { access, .. } => access.access_mut(),
            InstData::Load { space, address, .. }
            | InstData::Store { space, address, .. }
            | InstData::AtomicCas { space, address, .. }
            | InstData::AtomicRmw { space, address, .. }
            | InstData::AtomicLoad { space, address, .. }
            | InstData::AtomicStore { space, address, .. } => Some((space, address)),
            _ => None,
        }
    }

    /// Calls `visit` with every value used, block arguments included.
    pub fn visit_args(&self, mut visit: impl FnMut(Value)) {
        match self {
            InstData::Const { .. }
            | InstData::Special { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::ActiveMask
            | InstData::Fence { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::Return => {}
            InstData::Unary { arg, .. } | InstData::Convert { arg, .. } | InstData::Extract { arg, .. } => {
                visit(*arg);
            }
            InstData::Vote { pred: value, members, .. }
            | InstData::Match { value, members, .. }
            | InstData::Redux { value, members, .. } => [*value, *members].into_iter().for_each(visit),
            InstData::MapShared { address, rank } => [*address, *rank].into_iter().for_each(visit),
            InstData::BarrierReduce { pred, .. } => visit(*pred),
            InstData::WarpBarrier { members } => visit(*members),
            InstData::Binary { args, .. }
            | InstData::Pack { args }
            | InstData::IntCompare { args, .. }
            | InstData::FloatCompare { args, .. } => args.iter().copied().for_each(visit),
            InstData::Fma { args } => args.iter().copied().for_each(visit),
            InstData::Select { cond, if_true, if_false } => {
                [*cond, *if_true, *if_false].into_iter().for_each(visit);
            }
            InstData::Load { address, .. }
            | InstData::AtomicLoad { address, .. }
            | InstData::ToGeneric { address, .. } => visit(*address),
            InstData::Store { address, value, .. }
            | InstData::AtomicRmw { address, value, .. }
            | InstData::AtomicStore { address, value, .. } => [*address, *value].into_iter().for_each(visit),
            InstData::AtomicCas { address, expected, desired, .. } => {
                [*address, *expected, *desired].into_iter().for_each(visit);
            }
            InstData::Shuffle { value, lane, clamp, members, .. } => {
                [*value, *lane, *clamp, *members].into_iter().for_each(visit);
            }
            InstData::Guarded { cond, access, .. } => {
                visit(*cond);
                // Through a reference: else the compiler would go on for ever with visitors of visitors.
                access.visit_args(&mut visit as &mut dyn FnMut(Value));
            }
            InstData::Jump { target } => target.args.iter().copied().for_each(visit),
            InstData::Branch { cond, if_true, if_false, .. } => {
                visit(*cond);
                if_true.args.iter().chain(&if_false.args).copied().for_each(visit);
            }
            InstData::InlineOut { of, .. } => visit(*of),
            InstData::Panic { args, .. }
            | InstData::Print { args, .. }
            | InstData::Inline { args, .. }
            | InstData::InlineEffect { args, .. } => args.iter().copied().for_each(visit),
        }
    }

    /// Replaces every value used, block arguments included.
    pub fn map_args(&mut self, mut map: impl FnMut(Value) -> Value) {
        match self {
            InstData::Const { .. }
            | InstData::Special { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::ActiveMask
            | InstData::Fence { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::Return => {}
            InstData::Unary { arg, .. } | InstData::Convert { arg, .. } | InstData::Extract { arg, .. } => {
                *arg = map(*arg);
            }
            InstData::Vote { pred: value, members, .. }
            | InstData::Match { value, members, .. }
            | InstData::Redux { value, members, .. } => {
                *value = map(*value);
                *members = map(*members);
            }
            InstData::MapShared { address, rank } => {
                *address = map(*address);
                *rank = map(*rank);
            }
            InstData::BarrierReduce { pred, .. } => *pred = map(*pred),
            InstData::WarpBarrier { members } => *members = map(*members),
            InstData::Binary { args, .. }
            | InstData::Pack { args }
            | InstData::IntCompare { args, .. }
            | InstData::FloatCompare { args, .. } => *args = args.map(map),
            InstData::Fma { args } => *args = args.map(map),
            InstData::Select { cond, if_true, if_false } => {
                *cond = map(*cond);
                *if_true = map(*if_true);
                *if_false = map(*if_false);
            }
            InstData::Load { address, .. }
            | InstData::AtomicLoad { address, .. }
            | InstData::ToGeneric { address, .. } => *address = map(*address),
            InstData::Store { address, value, .. }
            | InstData::AtomicRmw { address, value, .. }
            | InstData::AtomicStore { address, value, .. } => {
                *address = map(*address);
                *value = map(*value);
            }
            InstData::AtomicCas { address, expected, desired, .. } => {
                *address = map(*address);
                *expected = map(*expected);
                *desired = map(*desired);
            }
            InstData::Shuffle { value, lane, clamp, members, .. } => {
                for arg in [value, lane, clamp, members] {
                    *arg = map(*arg);
                }
            }
            InstData::Guarded { cond, access, .. } => {
                *cond = map(*cond);
                access.map_args(&mut map as &mut dyn FnMut(Value) -> Value);
            }
            InstData::Jump { target } => target.args.iter_mut().for_each(|arg| *arg = map(*arg)),
            InstData::Branch { cond, if_true, if_false, .. } => {
                *cond = map(*cond);
                if_true.args.iter_mut().chain(&mut if_false.args).for_each(|arg| *arg = map(*arg));
            }
            InstData::InlineOut { of, .. } => *of = map(*of),
            InstData::Panic { args, .. }
            | InstData::Print { args, .. }
            | InstData::Inline { args, .. }
            | InstData::InlineEffect { args, .. } => args.iter_mut().for_each(|arg| *arg = map(*arg)),
        }
    }

    /// The blocks that a terminator goes to, with their arguments.
    pub fn successors(&self) -> impl Iterator<Item = &BlockCall> {
        let [first, second] = match self {
            InstData::Jump { target } => [Some(target), None],
            InstData::Branch { if_true, if_false, .. } => [Some(if_true), Some(if_false)],
            _ => [None, None],
        };
        first.into_iter().chain(second)
    }

    /// The blocks that a terminator goes to, with their arguments, mutable.
    pub fn successors_mut(&mut self) -> impl Iterator<Item = &mut BlockCall> {
        let [first, second] = match self {
            InstData::Jump { target } => [Some(target), None],
            InstData::Branch { if_true, if_false, .. } => [Some(if_true), Some(if_false)],
            _ => [None, None],
        };
        first.into_iter().chain(second)
    }
}
