//! `coarsen(n)`: several consecutive elements a thread; `coarsen(1)`: one in every launch.

use super::number::{Quantity, evaluate};
use super::{Attribute, Checker};
use crate::diagnostics::Loc;

/// The most elements of a thread: with more, what they hold needs too many registers.
const MOST: u32 = 16;

const ELEMENTS: Quantity =
    Quantity { what: "the number of elements per thread", unit: "element", per: "per thread" };

impl Checker<'_> {
    pub(super) fn coarsen(&mut self, attribute: &Attribute) {
        if !self.count(attribute, 1, 1) {
            return;
        }
        let arg = &attribute.args[0];
        if let Ok(by) = evaluate(arg, &[]).map(u32::try_from)
            && let Ok(by) = by
            && (2..=MOST).contains(&by)
            && !by.is_power_of_two()
        {
            let message = format!(
                "expected a power of two, so that the elements of a thread are read at once, found {by}\nhelp: write 1, 2, \
                 4, 8 or 16"
            );
            return self.diagnostics.error(Loc::of(arg), message);
        }
        self.attrs.coarsen = self.number(arg, &ELEMENTS, 1, MOST);
    }
}
