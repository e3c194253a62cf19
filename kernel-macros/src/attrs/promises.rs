//! `occupancy(min = …)`, `spills(0)`, `deny_checks`, `disjoint`: properties that a kernel must have on every device that it is
//! launched on.

use super::number::evaluate;
use super::{Attribute, Checker};
use crate::diagnostics::{Loc, shown};

impl Checker<'_> {
    pub(super) fn occupancy(&mut self, attribute: &Attribute) {
        if !self.count(attribute, 1, 1) {
            return;
        }
        let arg = &attribute.args[0];
        let value = match arg {
            syn::Expr::Assign(assign) if shown(&*assign.left) == "min" => &*assign.right,
            _ => {
                let message = format!(
                    "expected `min = ` and a part of 1, found `{}`\nhelp: write `occupancy(min = 0.5)`",
                    shown(arg)
                );
                return self.diagnostics.error(Loc::of(arg), message);
            }
        };
        let part = match value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(lit), .. }) => lit.base10_parse().ok(),
            _ => evaluate(value, &[]).ok().map(|value| value as f32),
        };
        match part {
            Some(part) if part > 0.0 && part <= 1.0 => self.attrs.min_occupancy = Some(part),
            found => {
                // `min = 50` is meant as percent.
                let help = match found {
                    Some(percent) if (2.0..=100.0).contains(&percent) => {
                        format!("for {percent} % write `min = {}`", percent / 100.0)
                    }
                    _ => "write `min = 0.5` for half of the warps that an SM holds".to_owned(),
                };
                let message = format!(
                    "expected a number above 0 and at most 1, the part of an SM's warps, found `{}`\nhelp: {help}",
                    shown(value)
                );
                self.diagnostics.error(Loc::of(value), message);
            }
        }
    }

    pub(super) fn deny_checks(&mut self, attribute: &Attribute) {
        self.attrs.deny_checks = self.count(attribute, 0, 0);
    }

    pub(super) fn disjoint(&mut self, attribute: &Attribute) {
        self.attrs.disjoint = self.count(attribute, 0, 0);
    }

    pub(super) fn spills(&mut self, attribute: &Attribute) {
        if !self.count(attribute, 1, 1) {
            return;
        }
        let arg = &attribute.args[0];
        match evaluate(arg, &[]) {
            Ok(0) => self.attrs.no_spills = true,
            Ok(_) | Err(_) => {
                let message = format!(
                    "expected `0`: a kernel may spill registers or not, found `{}`\nhelp: write `spills(0)` to refuse \
                     spilled registers, or leave it out",
                    shown(arg)
                );
                self.diagnostics.error(Loc::of(arg), message);
            }
        }
    }
}
