//! PTX over virtual registers: what lowering makes, leaving SSA rewrites, and the writer names and prints.
//!
//! A register has one definition until [`leave_ssa`](super::leave_ssa) has run: an instruction, or being a parameter of a
//! block, to which every edge into the block brings a value by its copies.

use std::rc::Rc;

use crate::ir::entity::Entity;
use crate::ir::{Block, EntityMap, SourceLoc, Type};
use ptx::tree::{Immediate, Keyword, Modifier, Name, Opcode, ScalarType, Statement};

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VReg(u32);

impl Entity for VReg {
    fn from_index(index: usize) -> VReg {
        VReg(u32::try_from(index).expect("fewer than 2^32 registers"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kinds of registers that PTX declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `%p`
    Pred,
    /// `%r`: integers of 32 bits and narrower ones, whose upper bits are not specified.
    B32,
    /// `%rd`
    B64,
    /// `%f`
    F32,
    /// `%fd`
    F64,
    /// `%h`: floats of 16 bits.
    B16,
}

impl Class {
    /// Every class, in the order of declaration, with its type and the stem of its names.
    pub const TABLE: &[(Class, ScalarType, &str)] = &[
        (Class::Pred, ScalarType::Pred, "%p"),
        (Class::B32, ScalarType::B32, "%r"),
        (Class::B64, ScalarType::B64, "%rd"),
        (Class::F32, ScalarType::F32, "%f"),
        (Class::F64, ScalarType::F64, "%fd"),
        (Class::B16, ScalarType::B16, "%h"),
    ];

    /// The class that holds values of an IR type.
    pub const fn of(ty: Type) -> Class {
        match ty {
            Type::Bool => Class::Pred,
            Type::I8 | Type::I16 | Type::I32 => Class::B32,
            Type::I64 => Class::B64,
            Type::F32 => Class::F32,
            Type::F64 => Class::F64,
            Type::F16 | Type::BF16 => Class::B16,
            Type::F16x2 | Type::BF16x2 => Class::B32,
        }
    }

    /// The type of a `mov` between registers of this class.
    pub fn scalar(self) -> ScalarType {
        Class::TABLE[self as usize].1
    }

    /// The type of a `mov` that sets all bits to zero.
    pub fn bits(self) -> ScalarType {
        match self {
            Class::Pred => ScalarType::Pred,
            Class::B16 => ScalarType::B16,
            Class::B32 | Class::F32 => ScalarType::B32,
            Class::B64 | Class::F64 => ScalarType::B64,
        }
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Reg(VReg),
    /// `!p`
    Not(VReg),
    /// A number.
    Immediate(Immediate),
    /// A special register or a variable.
    Name(Name),
    /// `[base + offset]`
    Address {
        /// A register, or a variable.
        base: Base,
        /// In bytes.
        offset: i64,
    },
}

/// Base of an address.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// A register.
    Reg(VReg),
    /// A variable.
    Name(Name),
}

impl Operand {
    /// The register that it reads, if any.
    pub fn register(&self) -> Option<VReg> {
        match self {
            Operand::Reg(reg) | Operand::Not(reg) | Operand::Address { base: Base::Reg(reg), .. } => {
                Some(*reg)
            }
            Operand::Immediate(_) | Operand::Name(_) | Operand::Address { base: Base::Name(_), .. } => None,
        }
    }

    /// A predicate's opposite; other operands have none and stay.
    pub fn negated(self) -> Operand {
        match self {
            Operand::Reg(reg) => Operand::Not(reg),
            Operand::Not(reg) => Operand::Reg(reg),
            other @ (Operand::Immediate(_) | Operand::Name(_) | Operand::Address { .. }) => other,
        }
    }

    /// The register of an operand, mutable for renaming.
    pub fn register_mut(&mut self) -> Option<&mut VReg> {
        match self {
            Operand::Reg(reg) | Operand::Not(reg) | Operand::Address { base: Base::Reg(reg), .. } => {
                Some(reg)
            }
            Operand::Immediate(_) | Operand::Name(_) | Operand::Address { base: Base::Name(_), .. } => None,
        }
    }
}

impl From<VReg> for Operand {
    fn from(reg: VReg) -> Operand {
        Operand::Reg(reg)
    }
}

/// An integer literal.
pub const fn int(value: i64) -> Operand {
    Operand::Immediate(Immediate::Int(value))
}

/// An instruction that is no branch.
#[derive(Clone, Debug)]
pub struct Inst {
    /// The opcode.
    pub opcode: Opcode,
    /// Everything after the opcode.
    pub modifiers: Vec<Modifier>,
    /// Destination.
    pub dst: Option<VReg>,
    /// Further destinations, all different: the rest of a vector.
    pub more: Vec<VReg>,
    /// The vector operand that PTX writes in braces.
    pub vector: Option<Vector>,
    /// Sources.
    pub operands: Vec<Operand>,
    /// Inline statements of the user, in which `%_op0`, `%_op1`, … stand for the destinations and the sources. Opcode and modifiers
    /// mean nothing then.
    pub inline: Option<Rc<[Statement]>>,
    /// If this does not hold it does nothing, and what it writes is zero.
    pub guard: Option<Predicate>,
    /// Location in the source.
    pub location: SourceLoc,
}

/// Operands that make one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vector {
    /// Everything that is written.
    Destinations,
    /// Everything that is read but an address.
    Sources,
}

impl Inst {
    /// Every register that it reads.
    pub fn sources(&self) -> impl Iterator<Item = VReg> {
        self.operands.iter().filter_map(Operand::register).chain(self.guard.map(|guard| guard.reg))
    }

    /// Every register that it writes.
    pub fn destinations(&self) -> impl Iterator<Item = VReg> {
        self.dst.into_iter().chain(self.more.iter().copied())
    }
}

/// A predicate, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The register.
    pub reg: VReg,
    /// True if the predicate is negated.
    pub negated: bool,
}

/// A way from one block to another.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The block gone to.
    pub target: Block,
    /// Destinations, all different, and what they take: all at once.
    pub copies: Vec<(VReg, Operand)>,
}

/// End of a block.
#[derive(Clone, Debug)]
pub enum Terminator {
    /// Continues at a block.
    Jump(Edge),
    /// Continues at one of two blocks.
    Branch {
        /// The condition.
        cond: Predicate,
        /// Edge taken if it is true.
        if_true: Edge,
        /// Edge taken if it is false.
        if_false: Edge,
    },
    /// The thread ends.
    Return,
    /// The thread ends, and the grid with it.
    Trap,
}

impl Terminator {
    /// The edges out of the block.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        let [first, second] = match self {
            Terminator::Jump(edge) => [Some(edge), None],
            Terminator::Branch { if_true, if_false, .. } => [Some(if_true), Some(if_false)],
            Terminator::Return | Terminator::Trap => [None, None],
        };
        first.into_iter().chain(second)
    }

    /// Condition of a branch.
    pub fn condition(&self) -> Option<Predicate> {
        match self {
            Terminator::Branch { cond, .. } => Some(*cond),
            Terminator::Jump(_) | Terminator::Return | Terminator::Trap => None,
        }
    }

    /// The edges of a terminator, mutable.
    pub fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let [first, second] = match self {
            Terminator::Jump(edge) => [Some(edge), None],
            Terminator::Branch { if_true, if_false, .. } => [Some(if_true), Some(if_false)],
            Terminator::Return | Terminator::Trap => [None, None],
        };
        first.into_iter().chain(second)
    }
}

/// A block.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// The registers that the edges into the block write.
    pub params: Vec<VReg>,
    /// Its instructions.
    pub insts: Vec<Inst>,
    /// Its terminator.
    pub terminator: Terminator,
    /// Location of the terminator in the source.
    pub location: SourceLoc,
    /// Runs only on the way to a panic.
    pub cold: bool,
    /// The header of a loop that ptxas is to leave as it is.
    pub nounroll: bool,
}

impl BlockData {
    /// Stands for a block of the IR that nothing reaches.
    pub fn unreachable() -> BlockData {
        BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            terminator: Terminator::Return,
            location: SourceLoc::default(),
            cold: false,
            nounroll: false,
        }
    }
}

/// A kernel's body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Every virtual register.
    pub regs: EntityMap<VReg, Class>,
    /// Every block; the first ones are those of the IR.
    pub blocks: EntityMap<Block, BlockData>,
    /// The blocks that run, in the order of the text; the entry first.
    pub layout: Vec<Block>,
}

/// Modifiers under the names that PTX gives them.
pub mod words {
    use super::{Keyword, Modifier, ScalarType};
    use ptx::tree::StateSpace;

    macro_rules! words {
        ($($name:ident = $kind:ident($vocabulary:ident::$word:ident);)*) => {
            $(pub const $name: Modifier = Modifier::$kind($vocabulary::$word);)*
        };
    }

    words! {
        PRED = Type(ScalarType::Pred);
        B16 = Type(ScalarType::B16);
        B32 = Type(ScalarType::B32);
        B64 = Type(ScalarType::B64);
        U16 = Type(ScalarType::U16);
        U32 = Type(ScalarType::U32);
        U64 = Type(ScalarType::U64);
        S32 = Type(ScalarType::S32);
        S64 = Type(ScalarType::S64);
        F16 = Type(ScalarType::F16);
        F32 = Type(ScalarType::F32);
        F64 = Type(ScalarType::F64);
        GLOBAL = Space(StateSpace::Global);
        PARAM = Space(StateSpace::Param);
        RN = Keyword(Keyword::Rn);
        RZ = Keyword(Keyword::Rz);
        APPROX = Keyword(Keyword::Approx);
        FTZ = Keyword(Keyword::Ftz);
        SAT = Keyword(Keyword::Sat);
        RNI = Keyword(Keyword::Rni);
        RZI = Keyword(Keyword::Rzi);
        RMI = Keyword(Keyword::Rmi);
        RPI = Keyword(Keyword::Rpi);
        CC = Keyword(Keyword::Cc);
        LO = Keyword(Keyword::Lo);
        HI = Keyword(Keyword::Hi);
        WIDE = Keyword(Keyword::Wide);
        NE = Keyword(Keyword::Ne);
        NUM = Keyword(Keyword::Num);
        L = Keyword(Keyword::L);
        R = Keyword(Keyword::R);
        WRAP = Keyword(Keyword::Wrap);
        NC = Keyword(Keyword::Nc);
        TO = Keyword(Keyword::To);
        SYNC = Keyword(Keyword::Sync);
        CLUSTER = Keyword(Keyword::Cluster);
        ARRIVE = Keyword(Keyword::Arrive);
        RELEASE = Keyword(Keyword::Release);
        WAIT = Keyword(Keyword::Wait);
        ACQUIRE = Keyword(Keyword::Acquire);
        ALIGNED = Keyword(Keyword::Aligned);
        WARP = Keyword(Keyword::Warp);
        RED = Keyword(Keyword::Red);
        UNI = Keyword(Keyword::Uni);
        CAS = Keyword(Keyword::Cas);
    }
}
