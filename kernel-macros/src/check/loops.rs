//! The attributes of loops: one for each, with a number that makes sense.

use super::Checker;
use crate::ast::LoopAttrs;
use crate::literal;
use crate::typed::{Constant, LoopAsk, LoopAttr};

/// A loop attribute, and the help for each mistake in its number.
struct Row {
    name: &'static str,
    /// The least number, and the most.
    range: (i128, i128),
    /// The help if there is no number.
    none: &'static str,
    /// The help if the number is too low.
    low: &'static str,
    /// The help if the number is too high.
    high: &'static str,
    make: fn(u32) -> LoopAsk,
}

const TABLE: [Row; 3] = [
    Row {
        name: "unroll",
        range: (1, 4096),
        none: "",
        low: "`#[unroll(1)]` leaves the loop as it is, `#[unroll]` unrolls it whole",
        high: "unroll by fewer rounds",
        make: |n| if n == 1 { LoopAsk::Stay } else { LoopAsk::By(n) },
    },
    Row {
        name: "ilp",
        range: (2, 32),
        none: "say how many chains: `#[ilp(4)]`",
        low: "leave the attribute out for one chain, or write `#[ilp(4)]`",
        high: "use fewer chains: four to eight hide what one addition waits for",
        make: LoopAsk::Chains,
    },
    Row {
        name: "prefetch",
        range: (1, 16),
        none: "say how many rounds ahead: `#[prefetch(1)]`",
        low: "leave the attribute out, or write `#[prefetch(1)]`",
        high: "load fewer rounds ahead: what was loaded waits in registers",
        make: LoopAsk::Ahead,
    },
];

impl<'p> Checker<'_, '_, 'p> {
    /// Checks the attributes of a loop.
    pub(super) fn loop_attr(&mut self, attrs: &'p LoopAttrs) -> Option<LoopAttr> {
        let (name, attr) = attrs.each().next()?;
        if let Some((second, again)) = attrs.each().nth(1) {
            let message = format!(
                "expected one of `#[unroll]`, `#[ilp]` and `#[prefetch]` on a loop, found `#[{second}]` with `#[{name}]`\n\
                 help: leave one of them out; `#[ilp(n)]` unrolls by itself"
            );
            self.error(again.loc, message);
            return None;
        }
        let row = TABLE.iter().find(|row| row.name == name)?;
        let Some(count) = &attr.count else {
            if name == "unroll" {
                return Some(LoopAttr { ask: LoopAsk::Whole, loc: attr.loc });
            }
            self.error(
                attr.loc,
                format!("expected a number in `#[{name}(n)]`, found none\nhelp: {}", row.none),
            );
            return None;
        };
        let env = self.infer.env.clone();
        let Constant::Scalar(value) = self.infer.world.evaluate_any(&env, count)? else { return None };
        if !value.ty.is_int() {
            let message = format!(
                "expected an integer in `#[{name}(n)]`, found `{}`\nhelp: write a number, as `#[{name}(4)]`",
                value.ty.name()
            );
            self.error(attr.loc, message);
            return None;
        }
        let number = literal::to_int(value);
        let (least, most) = row.range;
        let (word, limit, help) = match number {
            number if number < least => ("least", least, row.low),
            number if number > most => ("most", most, row.high),
            number => return Some(LoopAttr { ask: (row.make)(number as u32), loc: attr.loc }),
        };
        let message = format!("expected at {word} {limit} in `#[{name}(n)]`, found {number}\nhelp: {help}");
        self.error(attr.loc, message);
        None
    }
}
