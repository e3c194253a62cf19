//! Name resolution: registers, variables and their locations, in nested scopes.

use std::collections::HashMap;

use ptx::tree::{self, Operand, ScalarType, StateSpace, Statement, StatementKind};

use crate::fault::LoadError;
use crate::program::{Constant, PerBlock, Special};
use crate::registers::{Class, Slot};

/// The registers that a function may declare; each has a name. Those of nvcc have thousands at most.
const MOST_REGISTERS: u32 = 1 << 20;

/// Index of a scope of a function; the first is that of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub(super) usize);

/// The entity that a name is bound to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Binding {
    /// A register; its slot is given when it is first used.
    Register(RegisterId),
    /// A register of 128 bits: two of 64, the lower first.
    Wide([RegisterId; 2]),
    /// A register whose slot is known: a parameter of a function.
    Slot(Class, Slot),
    Variable(Variable),
    /// So many registers whose names are this one with a component: `V.x`.
    Vector(u32),
}

/// A register as declared: scopes may reuse names, so a name alone does not identify one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RegisterId {
    pub(super) number: u32,
    pub(super) class: Class,
}

/// A variable and where it is placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variable {
    pub(super) space: StateSpace,
    pub(super) address: Constant,
    /// The register that is added to the address, for what is on the stack.
    pub(super) frame: Option<Slot>,
}

/// The scopes of a function, innermost found first.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    parents: Vec<Option<ScopeId>>,
    names: Vec<HashMap<String, Binding>>,
    registers: u32,
}

impl Scopes {
    /// Opens a scope within another.
    pub(super) fn open(&mut self, parent: Option<ScopeId>) -> ScopeId {
        self.parents.push(parent);
        self.names.push(HashMap::new());
        ScopeId(self.names.len() - 1)
    }

    pub(super) fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.parents[scope.0]
    }

    pub(super) fn bind(&mut self, scope: ScopeId, name: &str, binding: Binding) {
        self.names[scope.0].insert(name.to_string(), binding);
    }

    pub(super) fn find(&self, scope: ScopeId, name: &str) -> Option<Binding> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Some(&binding) = self.names[scope.0].get(name) {
                return Some(binding);
            }
            at = self.parent(scope);
        }
        None
    }

    /// Binds the names of a `.reg`.
    pub(super) fn declare(&mut self, scope: ScopeId, registers: &tree::Registers) -> Result<(), LoadError> {
        let declared = u64::from(self.registers) + u64::from(registers.count.unwrap_or(1));
        if declared > MOST_REGISTERS.into() {
            return Err(LoadError::Declaration {
                name: registers.name.to_string(),
                problem: format!(
                    "expected at most {MOST_REGISTERS} registers in a function, found {declared}\nhelp: declare as many as are used"
                ),
            });
        }
        if registers.ty == ScalarType::B128 {
            return self.declare_wide(scope, registers);
        }
        let class = class_of(registers.ty).ok_or_else(|| LoadError::Declaration {
            name: registers.name.to_string(),
            problem: format!("registers of type `.{}` are not simulated", registers.ty),
        })?;
        for name in spellings(registers) {
            if registers.vector == 1 {
                self.declare_scalar(scope, &[name], class);
                continue;
            }
            for spellings in element_spellings(&name, registers.vector) {
                self.declare_scalar(scope, &spellings, class);
            }
            self.bind(scope, &name, Binding::Vector(registers.vector));
        }
        Ok(())
    }

    /// A register that has these names.
    fn declare_scalar(&mut self, scope: ScopeId, spellings: &[String], class: Class) {
        let number = self.registers;
        self.registers += 1;
        let register = Binding::Register(RegisterId { number, class });
        spellings.iter().for_each(|name| self.bind(scope, name, register));
    }

    fn declare_wide(&mut self, scope: ScopeId, registers: &tree::Registers) -> Result<(), LoadError> {
        for name in spellings(registers) {
            let first = self.registers;
            self.registers += 2;
            let half = |number| RegisterId { number, class: Class::D };
            self.bind(scope, &name, Binding::Wide([half(first), half(first + 1)]));
        }
        Ok(())
    }
}

/// Suffixes that name the elements of a vector, in two spellings (PTX ISA, "Vectors as Operands").
const COMPONENTS: &[(&str, &str)] = &[(".x", ".r"), (".y", ".g"), (".z", ".b"), (".w", ".a")];

/// The spellings of each element of a register of so many elements; a scalar has its name only.
pub(super) fn element_spellings(name: &str, count: u32) -> Vec<Vec<String>> {
    if count == 1 {
        return vec![vec![name.to_owned()]];
    }
    let parts = COMPONENTS.iter().take(count as usize);
    parts.map(|(part, color)| vec![format!("{name}{part}"), format!("{name}{color}")]).collect()
}

/// The elements of a vector of this name as operands.
pub(super) fn components(name: &str, count: u32) -> Vec<Operand> {
    let parts = COMPONENTS.iter().take(count as usize);
    parts.map(|(part, _)| Operand::Name(tree::Name::new(format!("{name}{part}")))).collect()
}

/// The components of special registers that have a name together: `%tid`.
pub(super) fn special_elements(name: &str) -> Option<Vec<Operand>> {
    special(&format!("{name}.x")).map(|_| components(name, 4))
}

/// The names that a `.reg` declares.
fn spellings(registers: &tree::Registers) -> Vec<String> {
    match registers.count {
        None => vec![registers.name.to_string()],
        Some(count) => (0..count).map(|index| format!("{}{index}", registers.name)).collect(),
    }
}

/// The file that values of a type live in; 128-bit ones have none.
pub(super) fn class_of(ty: ScalarType) -> Option<Class> {
    match ty.bits() {
        1 => Some(Class::P),
        bits if bits <= 32 => Some(Class::W),
        64 => Some(Class::D),
        _ => None,
    }
}

/// Bytes of shared memory that the system keeps for itself at the start of every block's, from sm_80 on (CUDA programming
/// guide, "Technical Specifications per Compute Capability"). Cooperative groups synchronise tiles of several warps there.
pub(crate) const RESERVED_SHARED: u32 = 1 << 10;

/// The special registers by which a kernel finds the shared memory that is reserved for the system.
const RESERVED_SHARED_NAMES: &str = "%reserved_smem_offset_";

/// Returns true if an instruction of a body names the shared memory reserved for the system: only then it is allocated.
pub(super) fn names_reserved_shared(body: &[Statement]) -> bool {
    let in_operand = |operand: &Operand| match operand {
        Operand::Name(name) => name.as_str().starts_with(RESERVED_SHARED_NAMES),
        Operand::Not(_)
        | Operand::Negative(_)
        | Operand::Immediate(_)
        | Operand::Address(_)
        | Operand::Vector(_)
        | Operand::Offset(..)
        | Operand::Pair(..)
        | Operand::Group(_)
        | Operand::Discard => false,
    };
    body.iter().any(|statement| match &statement.kind {
        StatementKind::Instruction(instruction) => instruction.operands.iter().any(in_operand),
        StatementKind::Block(inner) => names_reserved_shared(inner),
        StatementKind::Registers(_)
        | StatementKind::Variable(_)
        | StatementKind::Label(_)
        | StatementKind::Location(_)
        | StatementKind::InlinedLocation(_)
        | StatementKind::Pragma(_)
        | StatementKind::BranchTargets { .. }
        | StatementKind::CallTargets { .. }
        | StatementKind::CallPrototype { .. } => false,
    })
}

/// The special registers that stay the same while a block runs.
const SPECIALS: &[(&str, Special)] = &[
    ("%tid.x", Special::Thread(0)),
    ("%tid.y", Special::Thread(1)),
    ("%tid.z", Special::Thread(2)),
    ("%ntid.x", Special::BlockSize(0)),
    ("%ntid.y", Special::BlockSize(1)),
    ("%ntid.z", Special::BlockSize(2)),
    ("%ctaid.x", Special::PerBlock(PerBlock::Index(0))),
    ("%ctaid.y", Special::PerBlock(PerBlock::Index(1))),
    ("%ctaid.z", Special::PerBlock(PerBlock::Index(2))),
    ("%nctaid.x", Special::GridSize(0)),
    ("%nctaid.y", Special::GridSize(1)),
    ("%nctaid.z", Special::GridSize(2)),
    ("%laneid", Special::Lane),
    ("%warpid", Special::Warp),
    ("%nwarpid", Special::Warps),
    ("%lanemask_eq", Special::MaskEqual),
    ("%lanemask_lt", Special::MaskLess),
    ("%lanemask_le", Special::MaskLessEqual),
    ("%lanemask_gt", Special::MaskGreater),
    ("%lanemask_ge", Special::MaskGreaterEqual),
    ("%dynamic_smem_size", Special::DynamicSharedBytes),
    ("%total_smem_size", Special::TotalSharedBytes),
    ("%smid", Special::Fixed(0)),
    ("%nsmid", Special::Fixed(1)),
    ("%gridid", Special::Fixed(1)),
    ("%aggr_smem_size", Special::AggregateSharedBytes),
    ("%reserved_smem_offset_begin", Special::Fixed(0)),
    ("%reserved_smem_offset_end", Special::Fixed(RESERVED_SHARED)),
    ("%reserved_smem_offset_cap", Special::Fixed(RESERVED_SHARED)),
    ("%reserved_smem_offset_0", Special::Fixed(0)),
    ("%reserved_smem_offset_1", Special::Fixed(RESERVED_SHARED / 2)),
    ("%current_graph_exec", Special::Fixed(0)),
    ("%cluster_ctaid.x", Special::PerBlock(PerBlock::InCluster(0))),
    ("%cluster_ctaid.y", Special::PerBlock(PerBlock::InCluster(1))),
    ("%cluster_ctaid.z", Special::PerBlock(PerBlock::InCluster(2))),
    ("%cluster_nctaid.x", Special::ClusterSize(0)),
    ("%cluster_nctaid.y", Special::ClusterSize(1)),
    ("%cluster_nctaid.z", Special::ClusterSize(2)),
    ("%cluster_ctarank", Special::PerBlock(PerBlock::Rank)),
    ("%cluster_nctarank", Special::ClusterRanks),
    ("%clusterid.x", Special::PerBlock(PerBlock::Cluster(0))),
    ("%clusterid.y", Special::PerBlock(PerBlock::Cluster(1))),
    ("%clusterid.z", Special::PerBlock(PerBlock::Cluster(2))),
    ("%nclusterid.x", Special::Clusters(0)),
    ("%nclusterid.y", Special::Clusters(1)),
    ("%nclusterid.z", Special::Clusters(2)),
];

/// The special register with this name, if it is one that stays the same.
pub(super) fn special(name: &str) -> Option<Special> {
    if let Some(number) = name.strip_prefix("%envreg") {
        return number.parse().ok().filter(|number| *number < 32).map(Special::Environment);
    }
    let found = SPECIALS.iter().find(|(text, _)| *text == name).map(|&(_, special)| special);
    found.or_else(|| fourth_component(name))
}

/// `%tid.w` and its like: no grid has a fourth dimension, so sizes are 1 along it and indices 0.
fn fourth_component(name: &str) -> Option<Special> {
    let stem = name.strip_suffix(".w")?;
    special(&format!("{stem}.x"))?;
    let is_size = stem.starts_with("%n") || stem == "%cluster_nctaid";
    Some(Special::Fixed(is_size.into()))
}

/// Part of a clock that a special register reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    Whole,
    Low,
    High,
}

const CLOCKS: &[(&str, Clock)] = &[
    ("%clock", Clock::Low),
    ("%clock_hi", Clock::High),
    ("%clock64", Clock::Whole),
    ("%globaltimer", Clock::Whole),
    ("%globaltimer_lo", Clock::Low),
    ("%globaltimer_hi", Clock::High),
];

/// The part of a clock that a name reads, if it names one.
pub(super) fn clock(name: &str) -> Option<Clock> {
    CLOCKS.iter().find(|(text, _)| *text == name).map(|&(_, part)| part)
}
