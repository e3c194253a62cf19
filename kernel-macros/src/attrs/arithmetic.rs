//! The attributes that select the arithmetic: `fp_contract(off)`, `fast_math`, `index(u64)`, `checks(overflow)`.

use super::{Attribute, Checker};
use crate::diagnostics::{Loc, did_you_mean, shown};

/// The possible arguments of `checks(…)`.
const CHECKS: &[&str] = &["overflow"];

impl Checker<'_> {
    pub(super) fn fp_contract(&mut self, attribute: &Attribute) {
        if !self.count(attribute, 1, 1) {
            return;
        }
        let arg = &attribute.args[0];
        let written = shown(arg);
        match written.as_str() {
            "off" => self.attrs.fp_contract_off = true,
            "on" | "fast" => self.diagnostics.error(
                Loc::of(arg),
                format!(
                    "expected `off`, found `{written}`\nhelp: leave `fp_contract` out: contraction is on by default"
                ),
            ),
            _ => self.diagnostics.error(
                Loc::of(arg),
                format!("expected `off`, found `{written}`\nhelp: write `fp_contract(off)`"),
            ),
        }
    }

    pub(super) fn fast_math(&mut self, attribute: &Attribute) {
        if self.count(attribute, 0, 0) {
            self.attrs.fast_math = true;
        }
    }

    pub(super) fn index(&mut self, attribute: &Attribute) {
        if !self.count(attribute, 1, 1) {
            return;
        }
        let arg = &attribute.args[0];
        let written = shown(arg);
        let help = match written.as_str() {
            "u64" => {
                self.attrs.wide_index = true;
                return;
            }
            "u32" => "leave `index` out: launches have 32-bit indices by default",
            _ => "write `index(u64)`",
        };
        self.diagnostics.error(Loc::of(arg), format!("expected `u64`, found `{written}`\nhelp: {help}"));
    }

    pub(super) fn checks(&mut self, attribute: &Attribute) {
        if attribute.args.is_empty() {
            let message = "expected the checks to make, found none\nhelp: write `checks(overflow)`";
            self.diagnostics.error(attribute.loc, message);
        }
        for arg in &attribute.args {
            let written = shown(arg);
            if written == "overflow" {
                if std::mem::replace(&mut self.attrs.overflow_checks, true) {
                    let message = format!(
                        "expected each check once, found `{written}` again\nhelp: leave one of them out"
                    );
                    self.diagnostics.error(Loc::of(arg), message);
                }
                continue;
            }
            let help = match did_you_mean(&written, CHECKS.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "the checks are {}; those of indices and divisors are always made",
                    CHECKS.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                ),
            };
            let message = format!("expected a check to make, found `{written}`\nhelp: {help}");
            self.diagnostics.error(Loc::of(arg), message);
        }
    }
}
