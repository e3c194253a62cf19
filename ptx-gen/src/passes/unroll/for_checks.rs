//! Full unrolling of loops whose counter is multiplied or shifted, `stride *= 2`, for the sake of their checks: intervals say little of such
//! a counter, and of each of its constants all that a check needs. Those that are short would be unrolled later anyway.

use super::Trips;
use crate::analysis::{Loop, Loops, Ranges};
use crate::ir::{BinaryOp, Function, InstData, Value, ValueDef};
use crate::passes::checks::Check;

/// Iterations of such a loop.
const MOST_ROUNDS: u32 = 32;
/// Instructions that it may become, with its checks.
const MOST_COPIED: usize = 600;
/// Instructions that it may become where this gives launch guards, with the checks that go by them.
const MOST_COPIED_FOR_GUARDS: usize = 1200;

/// Returns true if the back edge to a block may pass such a counter: a quick test of a whole function.
pub(super) fn may_have_some(func: &Function) -> bool {
    func.layout.iter().any(|&block| {
        let Some(inst) = func.terminator(block) else { return false };
        func.insts[inst].successors().any(|call| {
            let params = &func.blocks[call.block].params;
            params.iter().zip(&call.args).any(|(&param, &next)| is_multiple(func, param, next))
        })
    })
}

/// The loops to be unrolled among these, whose trip counts are known: those with a check that nothing proves yet. `for_guards` takes longer
/// ones, too, with a check that the host may decide.
pub(super) fn choose(
    func: &Function,
    loops: &Loops,
    known: &[Option<Trips>],
    sizes: &[usize],
    for_guards: bool,
) -> Vec<usize> {
    let copied = |index: usize| {
        known[index].as_ref().map_or(usize::MAX, |trips| sizes[index].saturating_mul(trips.rounds as usize))
    };
    let most = if for_guards { MOST_COPIED_FOR_GUARDS } else { MOST_COPIED };
    let mut found: Vec<usize> = (0..known.len())
        .filter(|&index| {
            let around = &loops.loops()[index];
            let is_small = known[index].as_ref().is_some_and(|trips| {
                trips.rounds <= MOST_ROUNDS
                    && copied(index) <= most
                    && trips.counters.iter().any(|&counter| steps_by_factor(func, around, counter))
            });
            is_small && func.blocks[around.header].hint.is_none() && !checks(func, around).is_empty()
        })
        .collect();
    if !found.is_empty() {
        let ranges = Ranges::new(func);
        found.retain(|&index| {
            let is_long = copied(index) > MOST_COPIED;
            let open = |check: &Check| {
                !ranges.proves_that(check.cond, check.truth, check.block)
                    && (!is_long || is_of_length(func, &ranges, check))
            };
            checks(func, &loops.loops()[index]).iter().any(open)
        });
    }
    found
}

/// Returns true if something is compared with what the host knows but the compiler does not.
fn is_of_length(func: &Function, ranges: &Ranges<'_>, check: &Check) -> bool {
    match func.def(check.cond) {
        Some(InstData::IntCompare { args, .. }) => {
            args.iter().any(|&arg| func.constant(arg).is_none() && ranges.is_uniform(arg))
        }
        _ => false,
    }
}

/// The checks of a loop.
fn checks(func: &Function, around: &Loop) -> Vec<Check> {
    around.blocks.iter().filter_map(|&block| Check::of(func, block)).collect()
}

/// Returns true if the back edges pass a multiple or a part of a parameter of the header for it.
fn steps_by_factor(func: &Function, around: &Loop, counter: Value) -> bool {
    let params = &func.blocks[around.header].params;
    let Some(position) = params.iter().position(|&param| param == counter) else { return false };
    let mut arguments = around.latches.iter().flat_map(|&latch| {
        let calls = func.terminator(latch).into_iter().flat_map(|inst| func.insts[inst].successors());
        calls.filter(|call| call.block == around.header).map(|call| call.args[position])
    });
    arguments.all(|next| is_multiple(func, counter, next))
}

fn is_multiple(func: &Function, param: Value, next: Value) -> bool {
    let ValueDef::Result(inst) = func.values[next].def else { return false };
    match func.insts[inst] {
        InstData::Binary { op, args, .. } => {
            let by_factor = matches!(
                op,
                BinaryOp::Mul
                    | BinaryOp::Shl
                    | BinaryOp::UDiv
                    | BinaryOp::SDiv
                    | BinaryOp::LShr
                    | BinaryOp::AShr
            );
            by_factor && args[0] == param && func.constant(args[1]).is_some()
        }
        _ => false,
    }
}
