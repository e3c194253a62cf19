//! The vocabulary of PTX instructions: opcodes, scalar types and state spaces, one table each.
//!
//! Spelling is all that these tables know. Which modifiers an opcode takes, and from which target on, is said by the
//! table of instruction [forms](super::forms).

pub use super::keyword::Keyword;
use super::vocabulary::vocabulary;

vocabulary! {
    /// The type of a register, a variable or an instruction (PTX ISA, "Fundamental Types", "Alternate Floating-Point
    /// Data Formats", "Packed Data Types", "Opaque Types").
    ScalarType {
        Pred = "pred",
        B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128",
        U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        F16 = "f16", F16x2 = "f16x2", Bf16 = "bf16", Bf16x2 = "bf16x2", Tf32 = "tf32",
        F32 = "f32", F32x2 = "f32x2", F64 = "f64",
        E4m3 = "e4m3", E5m2 = "e5m2", E4m3x2 = "e4m3x2", E5m2x2 = "e5m2x2", E4m3x4 = "e4m3x4", E5m2x4 = "e5m2x4",
        E2m3 = "e2m3", E3m2 = "e3m2", E2m3x2 = "e2m3x2", E3m2x2 = "e3m2x2", E2m3x4 = "e2m3x4", E3m2x4 = "e3m2x4",
        E2m1 = "e2m1", E2m1x2 = "e2m1x2", E2m1x4 = "e2m1x4",
        Ue8m0 = "ue8m0", Ue8m0x2 = "ue8m0x2", Ue4m3 = "ue4m3",
        U16x2 = "u16x2", S16x2 = "s16x2", U4 = "u4", S4 = "s4", U2 = "u2", S2 = "s2", B1 = "b1",
        Texref = "texref", Samplerref = "samplerref", Surfref = "surfref",
    }
}

impl ScalarType {
    /// Size in bits; predicates count as one, the handles of textures, samplers and surfaces as 64.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Pred | Self::B1 => 1,
            Self::U2 | Self::S2 => 2,
            Self::U4 | Self::S4 | Self::E2m1 => 4,
            Self::E2m3 | Self::E3m2 => 6,
            Self::B8 | Self::U8 | Self::S8 | Self::E4m3 | Self::E5m2 => 8,
            Self::E2m1x2 | Self::Ue8m0 | Self::Ue4m3 => 8,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 16,
            Self::E4m3x2 | Self::E5m2x2 | Self::E2m3x2 | Self::E3m2x2 | Self::Ue8m0x2 | Self::E2m1x4 => 16,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 | Self::Tf32 => 32,
            Self::F16x2 | Self::Bf16x2 | Self::U16x2 | Self::S16x2 => 32,
            Self::E4m3x4 | Self::E5m2x4 | Self::E2m3x4 | Self::E3m2x4 => 32,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 | Self::F32x2 => 64,
            Self::Texref | Self::Samplerref | Self::Surfref => 64,
            Self::B128 => 128,
        }
    }
}

vocabulary! {
    /// State space of a variable or an access (PTX ISA, "State Spaces").
    StateSpace {
        Reg = "reg", Param = "param", Global = "global", Shared = "shared", Local = "local", Const = "const",
        SharedCta = "shared::cta", SharedCluster = "shared::cluster",
        ParamEntry = "param::entry", ParamFunc = "param::func", Tex = "tex",
    }
}

vocabulary! {
    /// Opcode of an instruction: every one of PTX ISA 9.0.
    Opcode {
        Abs = "abs", Activemask = "activemask", Add = "add", Addc = "addc", Alloca = "alloca", And = "and",
        Applypriority = "applypriority", Atom = "atom", Bar = "bar", Barrier = "barrier", Bfe = "bfe", Bfi = "bfi",
        Bfind = "bfind", Bmsk = "bmsk", Bra = "bra", Brev = "brev", Brkpt = "brkpt", Brx = "brx", Call = "call",
        Clusterlaunchcontrol = "clusterlaunchcontrol", Clz = "clz", Cnot = "cnot", Copysign = "copysign",
        Cos = "cos", Cp = "cp", Createpolicy = "createpolicy", Cvt = "cvt", Cvta = "cvta", Discard = "discard",
        Div = "div", Dp2a = "dp2a", Dp4a = "dp4a", Elect = "elect", Ex2 = "ex2", Exit = "exit", Fence = "fence",
        Fma = "fma", Fns = "fns", Getctarank = "getctarank", Griddepcontrol = "griddepcontrol",
        Isspacep = "isspacep", Istypep = "istypep", Ld = "ld", Ldmatrix = "ldmatrix", Ldu = "ldu", Lg2 = "lg2",
        Lop3 = "lop3", Mad = "mad", Mad24 = "mad24", Madc = "madc", Mapa = "mapa", Match = "match", Max = "max",
        Mbarrier = "mbarrier", Membar = "membar", Min = "min", Mma = "mma", Mov = "mov", Movmatrix = "movmatrix",
        Mul = "mul", Mul24 = "mul24", Multimem = "multimem", Nanosleep = "nanosleep", Neg = "neg", Not = "not",
        Or = "or", Pmevent = "pmevent", Popc = "popc", Prefetch = "prefetch", Prefetchu = "prefetchu",
        Prmt = "prmt", Rcp = "rcp", Red = "red", Redux = "redux", Rem = "rem", Ret = "ret", Rsqrt = "rsqrt",
        Sad = "sad", Selp = "selp", Set = "set", Setmaxnreg = "setmaxnreg", Setp = "setp", Shf = "shf",
        Shfl = "shfl", Shl = "shl", Shr = "shr", Sin = "sin", Slct = "slct", Sqrt = "sqrt", St = "st",
        Stackrestore = "stackrestore", Stacksave = "stacksave", Stmatrix = "stmatrix", Sub = "sub", Subc = "subc",
        Suld = "suld", Suq = "suq", Sured = "sured", Sust = "sust", Szext = "szext", Tanh = "tanh",
        Tcgen05 = "tcgen05", Tensormap = "tensormap", Testp = "testp", Tex = "tex", Tld4 = "tld4", Trap = "trap",
        Txq = "txq", Vabsdiff = "vabsdiff", Vabsdiff2 = "vabsdiff2", Vabsdiff4 = "vabsdiff4", Vadd = "vadd",
        Vadd2 = "vadd2", Vadd4 = "vadd4", Vavrg2 = "vavrg2", Vavrg4 = "vavrg4", Vmad = "vmad", Vmax = "vmax",
        Vmax2 = "vmax2", Vmax4 = "vmax4", Vmin = "vmin", Vmin2 = "vmin2", Vmin4 = "vmin4", Vote = "vote",
        Vset = "vset", Vset2 = "vset2", Vset4 = "vset4", Vshl = "vshl", Vshr = "vshr", Vsub = "vsub",
        Vsub2 = "vsub2", Vsub4 = "vsub4", Wgmma = "wgmma", Wmma = "wmma", Xor = "xor",
    }
}
