//! The registers that PTX defines itself (PTX ISA, "Special Registers").

use std::sync::LazyLock;

use super::forms::Needs;
use super::tree::ScalarType::{self, B32, B64, Pred, U32, U64};

/// Name (`.x` stands for any of x, y, z, w), type, and since when.
const ROWS: &[(&str, ScalarType, &str)] = &[
    ("%tid.x", U32, "1.0"),
    ("%ntid.x", U32, "1.0"),
    ("%ctaid.x", U32, "1.0"),
    ("%nctaid.x", U32, "1.0"),
    ("%laneid", U32, "1.3"),
    ("%warpid", U32, "1.3"),
    ("%nwarpid", U32, "2.0"),
    ("%smid", U32, "1.3"),
    ("%nsmid", U32, "1.3"),
    ("%gridid", U64, "3.0"),
    ("%is_explicit_cluster", Pred, "7.8:90"),
    ("%clusterid.x", U32, "7.8:90"),
    ("%nclusterid.x", U32, "7.8:90"),
    ("%cluster_ctaid.x", U32, "7.8:90"),
    ("%cluster_nctaid.x", U32, "7.8:90"),
    ("%cluster_ctarank", U32, "7.8:90"),
    ("%cluster_nctarank", U32, "7.8:90"),
    ("%lanemask_eq", U32, "2.0"),
    ("%lanemask_le", U32, "2.0"),
    ("%lanemask_lt", U32, "2.0"),
    ("%lanemask_ge", U32, "2.0"),
    ("%lanemask_gt", U32, "2.0"),
    ("%clock", U32, "1.0"),
    ("%clock_hi", U32, "5.0"),
    ("%clock64", U64, "2.0"),
    ("%globaltimer", U64, "3.1"),
    ("%globaltimer_lo", U32, "3.1"),
    ("%globaltimer_hi", U32, "3.1"),
    ("%total_smem_size", U32, "4.1"),
    ("%aggr_smem_size", U32, "8.1:90"),
    ("%dynamic_smem_size", U32, "4.1"),
    ("%reserved_smem_offset_begin", B32, "7.6:80"),
    ("%reserved_smem_offset_end", B32, "7.6:80"),
    ("%reserved_smem_offset_cap", B32, "7.6:80"),
    ("%current_graph_exec", U64, "8.0"),
];

/// Registers with a number after the name: how many, and the rest as above.
const NUMBERED: &[(&str, u32, ScalarType, &str)] =
    &[("%envreg", 32, B32, "2.1"), ("%pm", 8, U32, "1.3"), ("%reserved_smem_offset_", 2, B32, "7.6:80")];

/// Special registers that were of 16 bits before PTX 2.0, and may still be read so: the low bits.
const ONCE_NARROW: &[&str] = &["%tid.x", "%ntid.x", "%ctaid.x", "%nctaid.x"];

/// Description of a special register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Special {
    /// The spelling, `.x` for all components.
    pub name: &'static str,
    /// Its type; of each component.
    pub ty: ScalarType,
    /// Requirements of its use.
    pub needs: Needs,
}

impl Special {
    /// Returns true if `mov` may read so many bits of it: all, or those that it had in an older PTX.
    pub fn has_width(&self, bits: u32) -> bool {
        bits == self.ty.bits()
            || bits == 16 && ONCE_NARROW.contains(&self.name)
            || self.name == "%gridid" && matches!(bits, 16 | 32)
    }
}

/// The special register whose four components make the vector of this name: `%tid`.
pub fn special_vector(name: &str) -> Option<&'static Special> {
    let is_whole = name.starts_with('%') && !name.contains('.');
    if is_whole { special(&format!("{name}.x")) } else { None }
}

/// The special register of this name.
pub fn special(name: &str) -> Option<&'static Special> {
    static ALL: LazyLock<Vec<Special>> = LazyLock::new(|| {
        let special = |(name, ty, since): &(&'static str, ScalarType, &str)| Special {
            name,
            ty: *ty,
            needs: Needs::parse(since),
        };
        let numbered = NUMBERED.iter().map(|(name, _, ty, since)| (*name, *ty, *since));
        ROWS.iter()
            .copied()
            .chain(numbered)
            .chain([("%pm_64", B64, "4.0")])
            .map(|row| special(&row))
            .collect()
    });
    // `%tid.y` is `%tid.x` in the table.
    let (stem, component) =
        name.split_once('.').map_or((name, None), |(stem, component)| (stem, Some(component)));
    let found = ALL.iter().find(|special| match (special.name.strip_suffix(".x"), component) {
        (Some(known), Some(component)) => known == stem && matches!(component, "x" | "y" | "z" | "w"),
        (None, None) => special.name == stem,
        (Some(_), None) | (None, Some(_)) => false,
    });
    found.or_else(|| {
        // `%pm0_64` … `%pm7_64` are as wide as their name says.
        let (stem, known) = match stem.strip_suffix("_64") {
            Some(stem) if stem.starts_with("%pm") => (stem, Some("%pm_64")),
            _ => (stem, None),
        };
        let (name, ..) = NUMBERED.iter().filter(|_| component.is_none()).find(|(name, count, ..)| {
            let number = stem.strip_prefix(name).and_then(|digits| digits.parse::<u32>().ok());
            number.is_some_and(|number| number < *count)
        })?;
        ALL.iter().find(|special| special.name == known.unwrap_or(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(names: &[&str], expect: Expect) {
        let show = |name: &&str| match special(name) {
            Some(special) => format!("{name}: {} since {}\n", special.ty, special.needs.ptx),
            None => format!("{name}: none\n"),
        };
        expect.assert_eq(&names.iter().map(show).collect::<String>());
    }

    #[test]
    fn names() {
        check(
            &[
                "%tid.y",
                "%tid",
                "%laneid.x",
                "%clock64",
                "%envreg31",
                "%envreg32",
                "%pm3",
                "%pm3_64",
                "%pm8",
                "%r1",
            ],
            expect![[r#"
                %tid.y: u32 since 1.0
                %tid: none
                %laneid.x: none
                %clock64: u64 since 2.0
                %envreg31: b32 since 2.1
                %envreg32: none
                %pm3: u32 since 1.3
                %pm3_64: b64 since 4.0
                %pm8: none
                %r1: none
            "#]],
        );
    }
}
