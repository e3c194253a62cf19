//! The operations of instructions: of arithmetic, of memory, of warps.

use crate::types::Type;

/// Declares an operation enum whose every variant has one mnemonic in textual IR.
#[macro_export]
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
        /// As before, with subnormal arguments and results as zeros.
        Exp2Flushed = "ex2_flushed",
        /// The hardware's logarithm to base two.
        Log2Approx = "lg2_approx",
        /// The hardware's reciprocal.
        RcpApprox = "rcp_approx",
        /// As before, with subnormal arguments and results as zeros.
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

impl ConvertOp {
    /// Returns true for conversions from integer to integer.
    pub const fn is_of_integers(self) -> bool {
        matches!(
            self,
            ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::IndexExtend | ConvertOp::Truncate
        )
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
        /// Nothing, and the access happens as often and in the order as written. Of loads and stores only.
        Volatile = "volatile",
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
