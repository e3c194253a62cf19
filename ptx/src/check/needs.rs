//! Requirements of declarations and directives, and the lowest header that meets all requirements of a module.

use std::sync::LazyLock;

use super::Checker;
use crate::forms::Needs;
use crate::target::{Arch, Suffix};
use crate::tree::{FunctionDirective, Initializer, Module, PtxVersion, Registers, ScalarType, Variable};

/// Declares needs that are parsed when first asked for.
macro_rules! needs {
    ($($(#[$meta:meta])* $name:ident = $since:literal;)*) => {
        $($(#[$meta])* pub(super) fn $name() -> &'static Needs {
            static NEEDS: LazyLock<Needs> = LazyLock::new(|| Needs::parse($since));
            &NEEDS
        })*
    };
}

needs! {
    /// Available everywhere.
    nothing = "1.0";
    /// `.ptr`
    pointer = "2.2";
    /// `.attribute(.managed)`
    managed = "4.0";
    /// `mask()`
    masked = "7.1";
    /// `.b128`
    wide_bits = "8.3";
    /// `.alias`
    alias = "6.3";
    /// `.loc … function_name … inlined_at`
    inlined_location = "7.2";
    no_return = "6.4";
    cluster = "7.8:90";
    blocks_are_clusters = "9.0:90";
    abi_preserve = "9.0:80";
}

/// Requirements of a function's directive.
pub(super) fn directive_needs(directive: &FunctionDirective) -> &'static Needs {
    match directive {
        FunctionDirective::MaxThreads(_)
        | FunctionDirective::RequiredThreads(_)
        | FunctionDirective::MinBlocksPerSm(_)
        | FunctionDirective::MaxBlocksPerSm(_)
        | FunctionDirective::MaxRegisters(_)
        | FunctionDirective::Pragma(_) => nothing(),
        FunctionDirective::RequiredCluster(_)
        | FunctionDirective::MaxClusterRank(_)
        | FunctionDirective::ExplicitCluster => cluster(),
        FunctionDirective::BlocksAreClusters => blocks_are_clusters(),
        FunctionDirective::AbiPreserve(_) | FunctionDirective::AbiPreserveControl(_) => abi_preserve(),
        FunctionDirective::NoReturn => no_return(),
    }
}

/// Requirements of a declaration of registers.
pub(super) fn registers_needs(registers: &Registers) -> &'static Needs {
    if registers.ty == ScalarType::B128 { wide_bits() } else { nothing() }
}

/// Calls `need` with each thing that a variable needs.
pub(super) fn variable_needs(variable: &Variable, mut need: impl FnMut(&'static Needs)) {
    let reasons = [
        (variable.pointer.is_some(), pointer()),
        (variable.managed, managed()),
        (variable.ty == ScalarType::B128, wide_bits()),
        (variable.initializer.as_ref().is_some_and(has_mask), masked()),
    ];
    reasons.into_iter().filter(|(holds, _)| *holds).for_each(|(_, needs)| need(needs));
}

fn has_mask(initializer: &Initializer) -> bool {
    match initializer {
        Initializer::Masked { .. } => true,
        Initializer::List(elements) => elements.iter().any(has_mask),
        Initializer::Immediate(_) | Initializer::Address { .. } => false,
    }
}

/// All that a module needs.
#[derive(Default)]
pub(super) struct Needed {
    ptx: Option<PtxVersion>,
    /// Of each set one target must be provided; without duplicates.
    targets: Vec<Vec<Arch>>,
}

impl Needed {
    pub(super) fn add(&mut self, needs: &Needs) {
        self.ptx = self.ptx.max(Some(needs.ptx));
        if !needs.targets.is_empty() && !self.targets.contains(&needs.targets) {
            self.targets.push(needs.targets.clone());
        }
    }

    fn of(module: &Module) -> Needed {
        let mut checker = Checker { target: Some(Arch::FLOOR), ..Checker::new(module) };
        checker.walk();
        checker.needed
    }

    fn are_met_by(&self, arch: Arch) -> bool {
        self.targets.iter().all(|any| any.iter().any(|target| arch.provides(*target)))
    }
}

/// Returns true if a target has what the instructions and directives of a module need. It need not provide the target of [`requirements`], which is
/// one of several with it: `sm_100a` and `sm_120a` have instructions that nothing between them has.
pub fn is_met_by(module: &Module, arch: Arch) -> bool {
    Needed::of(module).are_met_by(arch)
}

/// The lowest `.version` and `.target` that give what the instructions and directives of a module need, whatever its
/// own header says. Never below sm_75, and the version that knows the target.
///
/// An instruction that no form matches is ignored: [`check`](super::check) reports it. Where no single target meets all
/// requirements, the newest one needed is returned; the check reports that too.
pub fn requirements(module: &Module) -> (PtxVersion, Arch) {
    let needed = Needed::of(module);
    let mut candidates: Vec<Arch> = Arch::ALL.to_vec();
    // Of one chip, the target that most others run comes first.
    candidates.sort_by_key(|arch| match arch.suffix() {
        Suffix::None => (arch.number(), 0),
        Suffix::FamilySpecific => (arch.number(), 1),
        Suffix::ArchSpecific => (arch.number(), 2),
    });
    let gives_all = |arch: &Arch| needed.are_met_by(*arch);
    let newest = || needed.targets.iter().filter_map(|any| any.iter().min()).max().copied();
    let arch = candidates.into_iter().find(gives_all).or_else(newest).unwrap_or(Arch::FLOOR);
    let version = needed.ptx.unwrap_or(arch.min_ptx()).max(arch.min_ptx());
    (version, arch)
}
