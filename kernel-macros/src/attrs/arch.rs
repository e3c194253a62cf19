//! `arch(sm_80, sm_90a)`: the architectures that a kernel is compiled for.

use ptx::target::{Arch, Suffix};

use super::{Attribute, Checker};
use crate::diagnostics::{Loc, did_you_mean, shown};

impl Checker<'_> {
    pub(super) fn arch(&mut self, attribute: &Attribute) {
        if attribute.args.is_empty() {
            let message = "expected architectures in `arch`, found none\nhelp: write `arch(sm_80, sm_90a)`, or leave it out";
            return self.diagnostics.error(attribute.loc, message);
        }
        for arg in &attribute.args {
            let (written, loc) = (shown(arg), Loc::of(arg));
            match written.parse::<Arch>() {
                Ok(arch) if self.attrs.archs.iter().any(|&(known, _)| known == arch) => {
                    let message = format!(
                        "expected each architecture once, found `{arch}` again\nhelp: leave one of them out"
                    );
                    self.diagnostics.error(loc, message);
                }
                Ok(arch) => self.attrs.archs.push((arch, loc)),
                Err(_) => self.diagnostics.error(loc, unknown(&written)),
            }
        }
        self.attrs.archs.sort_by_key(|&(arch, _)| arch);
    }

    /// Reports the architectures of `arch(…)` that lack clusters, if another attribute asks for clusters.
    pub(super) fn check_arch(&mut self) {
        let bounds = self.attrs.bounds;
        let wants = match (bounds.cluster, bounds.max_cluster) {
            (Some(_), _) => "cluster",
            (None, Some(_)) => "max_cluster",
            (None, None) => return,
        };
        for &(arch, loc) in &self.attrs.archs {
            if !arch.provides(Arch::WITH_CLUSTERS) {
                let message = format!(
                    "expected {} or later, which has clusters, as `{wants}` asks for them, found `{arch}`\nhelp: leave \
                     `{arch}` out of `arch`, or make the kernel another one without clusters",
                    Arch::WITH_CLUSTERS
                );
                self.diagnostics.error(loc, message);
            }
        }
    }
}

fn unknown(written: &str) -> String {
    let names = || Arch::ALL.iter().map(|arch| arch.name());
    // A compute capability, or a part of the name.
    let digits: String = written.chars().filter(char::is_ascii_alphanumeric).collect();
    let digits = digits.trim_start_matches("sm").trim_start_matches("compute");
    let near = names().find(|name| name.trim_start_matches("sm_") == digits);
    // Of a chip that is not in the table the one before it.
    let near = near.or_else(|| {
        let number: u32 = digits.parse().ok()?;
        let mut before =
            Arch::ALL.iter().filter(|arch| arch.suffix() == Suffix::None && arch.number() <= number);
        before.next_back().map(|arch| arch.name())
    });
    let help = match near.or_else(|| did_you_mean(written, names())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the architectures are `{}`", names().collect::<Vec<_>>().join("`, `")),
    };
    format!("expected an architecture, found `{written}`\nhelp: {help}")
}
