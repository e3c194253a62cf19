//! The variants of a kernel: one for each architecture that `arch(…)` names, and which of them a device gets.

use kernel_abi::tensor_map::TensorMapParam;
use ptx::target::{Arch, Suffix};

use super::{Called, CheckFree, Coarsened, KernelData, PanicSite};
use crate::printed::PrintSite;
use crate::report::Remark;

/// A kernel as compiled for one architecture.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The `.target` of the PTX.
    pub target: Arch,
    /// The name of the entry function in the PTX.
    pub entry: &'static str,
    /// The PTX text.
    pub ptx: &'static str,
    /// The calls that lead to its lines.
    pub called: Called,
    /// Static shared memory in bytes.
    pub shared_bytes: u32,
    /// Local memory that each thread's own variables take, in bytes. What a device says beyond it is spilled registers.
    pub local_bytes: u32,
    /// The places that can panic, by the index that a panic record holds.
    pub panics: &'static [PanicSite],
    /// Set if there is the hidden last parameter: the address of the panic record.
    pub has_panic_param: bool,
    /// The places that print, by the index that a record of the print buffer holds.
    pub prints: &'static [PrintSite],
    /// Set if there is the hidden parameter before that: the address of the print buffer.
    pub has_print_param: bool,
    /// The hidden parameters before these two: tensor maps of matrices.
    pub maps: &'static [TensorMapParam],
    /// The compiler's remarks, in the order of the source: see [`Kernel::report`](crate::Kernel::report).
    pub remarks: &'static [Remark],
    /// Its versions with fewer checks, or none, for launches whose launch guards hold, in the order in which a launch tries them: the check-free
    /// version and, if buffers of exactly the size that is indexed may fail some of its guards, the partly checked one, which makes those checks.
    pub check_free: &'static [CheckFree],
    /// The version with several elements a thread, for launches with `.over(n)` whose launch guards hold, if there is one.
    pub coarsened: Option<Coarsened>,
}

impl Variant {
    /// Nothing at all, for what a description leaves out.
    pub const EMPTY: Variant = Variant {
        target: Arch::FLOOR,
        entry: "",
        ptx: "",
        called: Called::NONE,
        shared_bytes: 0,
        local_bytes: 0,
        panics: &[],
        has_panic_param: false,
        prints: &[],
        has_print_param: false,
        maps: &[],
        remarks: &[],
        check_free: &[],
        coarsened: None,
    };
}

impl Variant {
    /// The entry that launches take as a rule, apart from a [coarsened](Variant::coarsened) one: that without checks, if there is one.
    pub fn usual(&self) -> &Variant {
        self.check_free.first().map_or(self, |check_free| check_free.variant)
    }
}

impl KernelData {
    /// The variant that a device of this compute capability gets: of those that it runs the one for the newest
    /// architecture, and of one architecture the most specific: `sm_90a` before `sm_90`. None if it runs none.
    pub fn variant_for(&self, capability: (u32, u32)) -> Option<&'static Variant> {
        let specific = |suffix: Suffix| match suffix {
            Suffix::None => 0,
            Suffix::FamilySpecific => 1,
            Suffix::ArchSpecific => 2,
        };
        let runs = |variant: &&Variant| variant.target.runs_on(capability);
        let rank =
            |variant: &&Variant| (variant.target.compute_capability(), specific(variant.target.suffix()));
        self.variants.iter().filter(runs).max_by_key(rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// Checks the variant that each device gets.
    fn check(targets: &[Arch], expected: Expect) {
        let variants = targets.iter().map(|&target| Variant { target, ..Variant::EMPTY }).collect::<Vec<_>>();
        let kernel = KernelData { variants: variants.leak(), ..KernelData::EMPTY };
        // The last two are older and newer than the table.
        let devices = [(7, 5), (8, 0), (8, 6), (9, 0), (10, 0), (10, 3), (11, 0), (12, 0), (7, 0), (13, 0)];
        let lines = devices.map(|(major, minor)| {
            let found = kernel.variant_for((major, minor)).map_or("none", |variant| variant.target.name());
            format!("{major}.{minor} {found}\n")
        });
        expected.assert_eq(&lines.concat());
    }

    #[test]
    fn the_newest_that_runs() {
        check(
            &[Arch::Sm80, Arch::Sm90],
            expect![[r#"
                7.5 none
                8.0 sm_80
                8.6 sm_80
                9.0 sm_90
                10.0 sm_90
                10.3 sm_90
                11.0 sm_90
                12.0 sm_90
                7.0 none
                13.0 sm_90
            "#]],
        );
    }

    #[test]
    fn letters_only_where_they_hold() {
        check(
            &[Arch::Sm75, Arch::Sm90, Arch::Sm90a, Arch::Sm100f, Arch::Sm121a],
            expect![[r#"
                7.5 sm_75
                8.0 sm_75
                8.6 sm_75
                9.0 sm_90a
                10.0 sm_100f
                10.3 sm_100f
                11.0 sm_90
                12.0 sm_90
                7.0 none
                13.0 sm_90
            "#]],
        );
        check(
            &[Arch::Sm90a],
            expect![[r#"
                7.5 none
                8.0 none
                8.6 none
                9.0 sm_90a
                10.0 none
                10.3 none
                11.0 none
                12.0 none
                7.0 none
                13.0 none
            "#]],
        );
    }
}
