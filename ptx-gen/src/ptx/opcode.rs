//! The vocabulary of PTX instructions: opcodes, modifiers, scalar types and state spaces, one table each.
//!
//! Spelling is all that these tables know. Which modifiers an opcode takes, and from which target on, is said by the
//! table of instruction forms.

/// Declares an enum whose every variant has one spelling, with `as_str`, `from_str` and `ALL`.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl $name {
            /// Every word of this vocabulary.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The word as PTX spells it, without a leading dot.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The word that PTX spells so, if there is one.
            pub fn from_word(text: &str) -> Option<$name> {
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

vocabulary! {
    /// The type of a register, a variable or an instruction (PTX ISA, "Fundamental Types").
    ScalarType {
        Pred = "pred",
        B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128",
        U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        F16 = "f16", F16x2 = "f16x2", Bf16 = "bf16", Bf16x2 = "bf16x2", Tf32 = "tf32",
        F32 = "f32", F32x2 = "f32x2", F64 = "f64",
        E4m3 = "e4m3", E5m2 = "e5m2", E4m3x2 = "e4m3x2", E5m2x2 = "e5m2x2",
        U16x2 = "u16x2", S16x2 = "s16x2", U4 = "u4", S4 = "s4", B1 = "b1",
    }
}

impl ScalarType {
    /// Size in bits; predicates count as one.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Pred | Self::B1 => 1,
            Self::U4 | Self::S4 => 4,
            Self::B8 | Self::U8 | Self::S8 | Self::E4m3 | Self::E5m2 => 8,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 | Self::E4m3x2 | Self::E5m2x2 => 16,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 | Self::Tf32 => 32,
            Self::F16x2 | Self::Bf16x2 | Self::U16x2 | Self::S16x2 => 32,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 | Self::F32x2 => 64,
            Self::B128 => 128,
        }
    }
}

vocabulary! {
    /// Where a variable lives and an access goes (PTX ISA, "State Spaces").
    StateSpace {
        Reg = "reg", Param = "param", Global = "global", Shared = "shared", Local = "local", Const = "const",
        SharedCta = "shared::cta", SharedCluster = "shared::cluster",
        ParamEntry = "param::entry", ParamFunc = "param::func",
    }
}

vocabulary! {
    /// What an instruction does.
    Opcode {
        Abs = "abs", Activemask = "activemask", Add = "add", Addc = "addc", And = "and", Atom = "atom", Bar = "bar",
        Barrier = "barrier", Bfe = "bfe", Bfi = "bfi", Bfind = "bfind", Bmsk = "bmsk", Bra = "bra", Brev = "brev",
        Brx = "brx", Call = "call", Clz = "clz", Cnot = "cnot", Copysign = "copysign", Cos = "cos", Cvt = "cvt",
        Cvta = "cvta", Div = "div", Dp2a = "dp2a", Dp4a = "dp4a", Elect = "elect", Ex2 = "ex2", Exit = "exit",
        Fence = "fence", Fma = "fma", Fns = "fns", Isspacep = "isspacep", Ld = "ld", Ldu = "ldu", Lg2 = "lg2",
        Lop3 = "lop3", Mad = "mad", Mad24 = "mad24", Madc = "madc", Match = "match", Max = "max", Membar = "membar",
        Min = "min", Mov = "mov", Mul = "mul", Mul24 = "mul24", Nanosleep = "nanosleep", Neg = "neg", Not = "not",
        Or = "or", Popc = "popc", Prefetch = "prefetch", Prefetchu = "prefetchu", Prmt = "prmt", Rcp = "rcp",
        Red = "red", Redux = "redux", Rem = "rem", Ret = "ret", Rsqrt = "rsqrt", Sad = "sad", Selp = "selp",
        Set = "set", Setp = "setp", Shf = "shf", Shfl = "shfl", Shl = "shl", Shr = "shr", Sin = "sin", Slct = "slct",
        Sqrt = "sqrt", St = "st", Sub = "sub", Subc = "subc", Szext = "szext", Tanh = "tanh", Testp = "testp",
        Trap = "trap", Vote = "vote", Xor = "xor",
    }
}

vocabulary! {
    /// A word after an opcode that is neither a type nor a state space.
    Keyword {
        // Rounding, saturation, approximation.
        Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp", Rni = "rni", Rzi = "rzi", Rmi = "rmi", Rpi = "rpi",
        Approx = "approx", Full = "full", Ftz = "ftz", Sat = "sat", Nan = "NaN",
        Rna = "rna", Relu = "relu", Satfinite = "satfinite", Xorsign = "xorsign", Abs = "abs", Noftz = "noftz",
        // Halves and widths of products; `lo` and `hi` are comparisons as well.
        Lo = "lo", Hi = "hi", Wide = "wide",
        // Comparisons.
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", Ls = "ls", Hs = "hs",
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu", Num = "num",
        // Carries, clamps and the modes of `shf`, `bfind`, `bmsk` and `prmt`.
        Cc = "cc", Clamp = "clamp", Wrap = "wrap", L = "l", R = "r", Shiftamt = "shiftamt", F4e = "f4e", B4e = "b4e",
        Rc8 = "rc8", Rc16 = "rc16", Ecl = "ecl", Ecr = "ecr",
        // Classes of `testp`.
        Finite = "finite", Infinite = "infinite", Number = "number", Notanumber = "notanumber", Normal = "normal",
        Subnormal = "subnormal",
        // Boolean and atomic operations.
        And = "and", Or = "or", Xor = "xor", Add = "add", Min = "min", Max = "max", Inc = "inc", Dec = "dec",
        Exch = "exch", Cas = "cas",
        // Warp and block collectives.
        Sync = "sync", Up = "up", Down = "down", Bfly = "bfly", Idx = "idx", Ballot = "ballot", Any = "any",
        All = "all", Uni = "uni", Aligned = "aligned", Warp = "warp", Arrive = "arrive", Red = "red", Popc = "popc",
        // Memory accesses.
        To = "to", Nc = "nc", Volatile = "volatile", Relaxed = "relaxed", Acquire = "acquire", Release = "release",
        Cta = "cta", Gpu = "gpu", Sys = "sys", V2 = "v2", V4 = "v4", Cluster = "cluster", Gl = "gl", Weak = "weak",
        Mmio = "mmio", Sc = "sc", AcqRel = "acq_rel", V8 = "v8", Noinc = "noinc",
        // Cache operators and levels.
        Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt", L1 = "L1", L2 = "L2",
    }
}
