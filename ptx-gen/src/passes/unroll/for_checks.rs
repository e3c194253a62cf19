//! Full unrolling of loops for the sake of their checks: of those whose counter is multiplied or shifted, `stride *= 2`, and of those that
//! check what is made of the counter's element of a table of constants, `tile[y + OFFSETS[k]]`. Intervals say little of such a counter and of a
//! table, and of each of the constants all that a check needs. Those that are short would be unrolled later anyway.

use super::Trips;
use super::unasked::{MOST_WHOLE_OF_TABLE, constant_by_tables};
use crate::analysis::{Loop, Loops, Ranges};
use crate::ir::{BinaryOp, Function, InstData, Space, Value, ValueDef};
use crate::passes::checks::Check;

/// Iterations of such a loop.
const MOST_ROUNDS: u32 = 32;
/// Instructions that it may become, with its checks.
const MOST_COPIED: usize = 600;
/// Instructions that it may become where this gives launch guards, with the checks that go by them.
const MOST_COPIED_FOR_GUARDS: usize = 1200;

/// Steps from a condition to the load from a table.
const DEPTH: u32 = 8;

/// Returns true if there may be such a loop: the back edge to a block passes such a counter, or something is loaded from a table. A quick test
/// of a whole function.
pub(super) fn may_have_some(func: &Function) -> bool {
    let is_of_table = |data: &InstData| matches!(data, InstData::Load { space: Space::Const, .. });
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    if insts.any(|&inst| is_of_table(&func.insts[inst])) {
        return true;
    }
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
    let multiplies = |index: usize, trips: &Trips| {
        let mut counters = trips.counters.iter();
        copied(index) <= most
            && counters.any(|&counter| steps_by_factor(func, &loops.loops()[index], counter))
    };
    let is_over_table = |index: usize, trips: &Trips| {
        let around = &loops.loops()[index];
        let rest = constant_by_tables(func, around, &trips.counters)
            .map(|constant| sizes[index].saturating_sub(constant).saturating_mul(trips.rounds as usize));
        rest.is_some_and(|rest| rest <= MOST_WHOLE_OF_TABLE)
            && checks_elements_of_tables(func, around, &trips.counters)
    };
    // Those over a table of constants are marked.
    let mut found: Vec<(usize, bool)> = Vec::new();
    for (index, trips) in known.iter().enumerate() {
        let around = &loops.loops()[index];
        let Some(trips) = trips.as_ref().filter(|trips| trips.rounds <= MOST_ROUNDS) else { continue };
        if func.blocks[around.header].hint.is_none() && !checks(func, around).is_empty() {
            if multiplies(index, trips) {
                found.push((index, false));
            } else if is_over_table(index, trips) {
                found.push((index, true));
            }
        }
    }
    if !found.is_empty() {
        let ranges = Ranges::new(func);
        found.retain(|&(index, is_over_table)| {
            let is_long = !is_over_table && copied(index) > MOST_COPIED;
            let open = |check: &Check| {
                !ranges.proves_that(check.cond, check.truth, check.block)
                    && (!is_long || is_of_length(func, &ranges, check))
            };
            checks(func, &loops.loops()[index]).iter().any(open)
        });
    }
    found.into_iter().map(|(index, _)| index).collect()
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

/// Returns true if a check of the loop compares what is made of an element of a table of constants, and which one a counter says.
fn checks_elements_of_tables(func: &Function, around: &Loop, counters: &[Value]) -> bool {
    checks(func, around).iter().any(|check| {
        parts(func, check.cond).iter().any(|&part| match func.def(part) {
            Some(&InstData::Load { space: Space::Const, address, .. }) => {
                parts(func, address).iter().any(|part| counters.contains(part))
            }
            _ => false,
        })
    })
}

/// The values that arithmetic makes a value of, itself and what is loaded among them.
fn parts(func: &Function, value: Value) -> Vec<Value> {
    let (mut found, mut next) = (vec![value], vec![value]);
    for _ in 0..DEPTH {
        let mut deeper = Vec::new();
        for value in next {
            if let Some(
                data @ (InstData::Unary { .. }
                | InstData::Binary { .. }
                | InstData::Convert { .. }
                | InstData::Select { .. }
                | InstData::IntCompare { .. }),
            ) = func.def(value)
            {
                data.visit_args(|arg| {
                    if !found.contains(&arg) {
                        found.push(arg);
                        deeper.push(arg);
                    }
                });
            }
        }
        next = deeper;
    }
    found
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
