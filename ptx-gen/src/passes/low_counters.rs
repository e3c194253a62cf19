//! Versions of loops that divide their counter, which has 64 bits, and whose end is data: `for k in 0..n { stages[k % 3] }` tests
//! `n < 2³¹` in front of the loop, and then runs a copy of it in which the ranges know what the counter is below.
//!
//! A remainder of 64 bits by a constant is nine multiplications, and two of 32 bits. If the test fails, the loop itself runs. Both copies do the
//! same, so all threads that wait for each other in the loop have to be in one of them: the end is the same for all threads of the block there.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Deref;

use super::checks::below;
use super::promote::promote_locals;
use super::unlocks::converges;
use super::unroll::copy::{enter_by, params_like, region};
use super::unroll::forget_locals;
use super::unroll::hoist::{Appender, Inside, version_by};
use crate::analysis::uniformity::{Group, Uniformity};
use crate::analysis::{Cfg, DomTree, Loop, Loops, Ranges};
use crate::ir::{BinaryOp, Block, BlockShape, Function, InstData, IntCond, SourceLoc, Type, Value, ValueDef};

/// Instructions of a loop: it comes twice.
const MOST_INSTS: usize = 150;
/// Loops of a function.
const MOST_LOOPS: usize = 4;

/// See the head of this file.
pub fn version_low_counters(func: &mut Function) {
    let is_division = |data: &InstData| {
        matches!(data, InstData::Binary { op: BinaryOp::UDiv | BinaryOp::URem, args, .. }
            if func.ty(args[0]) == Type::I64)
    };
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    if !insts.any(|&inst| is_division(&func.insts[inst])) {
        return;
    }
    let variables = func.locals.len();
    let mut seen = HashSet::new();
    for _ in 0..MOST_LOOPS {
        let Some(headers) = version_next(func, &seen) else { break };
        seen.extend(headers);
    }
    if !seen.is_empty() {
        forget_locals(func, variables);
    }
}

/// Makes a version of the next loop, and returns the headers of both.
fn version_next(func: &mut Function, seen: &HashSet<Block>) -> Option<[Block; 2]> {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let loops = Loops::new(&cfg, &tree);
    let (index, end) = {
        let ranges = LazyCell::new(|| Ranges::new(func));
        loops.loops().iter().enumerate().find_map(|(index, around)| {
            let is_open = !seen.contains(&around.header) && func.blocks[around.header].hint.is_none();
            let end = divided_below(func, around, &ranges).filter(|_| is_open)?;
            may_be_versioned(func, &region(func, &cfg, &loops, index), end).then_some((index, end))
        })?
    };
    let around = &loops.loops()[index];
    let header = around.header;
    let region = region(func, &cfg, &loops, index);
    let inside = Inside::new(func, &around.blocks);
    let location = func.terminator(header).map_or(SourceLoc::default(), |inst| func.locations[inst]);
    let [test, entry] = [0; 2].map(|_| func.make_block());
    enter_by(func, &cfg, around, test);
    let starts = params_like(func, header, test, &[]);
    let mut out = Appender { func, inside: &inside, location };
    let most = out.constant(test, i32::MAX as u64, Type::I64);
    let fits = out.value(test, InstData::IntCompare { cond: IntCond::ULe, args: [end, most] }, Type::Bool);
    let copy = version_by(func, [test, entry], &[fits], (header, &starts), &region);
    promote_locals(func);
    Some([header, copy[&header]])
}

/// The end that the counter of a loop is below in each iteration, computed in front of the loop, if nothing else bounds the counter to 32 bits,
/// and it, or its sum with a number, is divided.
fn divided_below<'f>(
    func: &'f Function,
    around: &Loop,
    ranges: &impl Deref<Target = Ranges<'f>>,
) -> Option<Value> {
    let inside = Inside::new(func, &around.blocks);
    let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[func.terminator(around.header)?]
    else {
        return None;
    };
    let [of_true, of_false] = [if_true, if_false].map(|side| around.blocks.contains(&side.block));
    let (counter, end) = if of_true == of_false { return None } else { below(func, *cond, of_true)? };
    let is_counter = matches!(func.values[counter].def, ValueDef::Param(block) if block == around.header);
    if !is_counter || inside.has(end) || func.ty(counter) != Type::I64 {
        return None;
    }
    let is_of_counter = |value: Value| match func.def(value) {
        Some(&InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, args: [a, b], .. }) => {
            a == counter && func.constant(b).is_some()
        }
        _ => value == counter,
    };
    let is_slow = |data: &InstData| match *data {
        InstData::Binary { op: BinaryOp::UDiv | BinaryOp::URem, args: [dividend, divisor], .. } => {
            let is_power = func.constant(divisor).is_some_and(u64::is_power_of_two);
            is_of_counter(dividend) && !is_power && ranges.fits_u32(divisor)
        }
        _ => false,
    };
    let mut insts = around.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
    (insts.any(|&inst| is_slow(&func.insts[inst])) && !ranges.fits_u32(counter)).then_some(end)
}

/// Returns true if a loop may come twice, of which one is chosen by its end.
fn may_be_versioned(func: &Function, region: &[Block], end: Value) -> bool {
    let insts = || region.iter().flat_map(|&block| &func.blocks[block].insts).map(|&inst| &func.insts[inst]);
    let must_be_there_once = |data: &InstData| {
        matches!(
            data,
            InstData::Print { .. }
                | InstData::Inline { .. }
                | InstData::InlineOut { .. }
                | InstData::InlineEffect { .. }
                | InstData::GridBarrier
                | InstData::ClusterBarrier { .. }
        )
    };
    if insts().count() > MOST_INSTS || insts().any(must_be_there_once) {
        return false;
    }
    !insts().any(converges) || !Uniformity::new(func, BlockShape::default()).of(end).varies_in(Group::Block)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// `for k in 0..n { x[k % 3] = k; }` with an end that is loaded.
    fn remainders(end: &str, divisor: u32, body: &str) -> String {
        format!(
            "kernel k(param0 x: i64 ptr align 8, param1 ends: i64 ptr align 8 read_only) {{
            block0:
                v0: i64 = param0
                v14: i64 = param1
                v1: i32 = special tid.x
                v2: i32 = special ctaid.x
                v3: i64 = zext {end}
                v4: i64 = add v14, v3
                v5: i64 = load.global v4 read_only
                v6: i64 = const 0
                v7: i64 = const 1
                v8: i64 = const {divisor}
                jump block1(v6)
            block1(v9: i64):
                v10: bool = icmp ult v9, v5
                branch v10, block2, block3
            block2:
                v11: i64 = add v9, v7
                v12: i64 = urem v11, v8
                store.global v0, v12
                {body}
                v13: i64 = add nuw v9, v7
                jump block1(v13)
            block3:
                return
            }}"
        )
    }

    #[test]
    fn a_counter_that_is_divided() {
        check(
            version_low_counters,
            &remainders("v2", 3, "barrier"),
            expect![[r#"
                kernel k(param0 x: i64 ptr align 8, param1 ends: i64 ptr align 8 read_only) {
                block0:
                    v0: i64 = param0
                    v14: i64 = param1
                    v1: i32 = special tid.x
                    v2: i32 = special ctaid.x
                    v3: i64 = zext v2
                    v4: i64 = add v14, v3
                    v5: i64 = load.global v4 read_only
                    v6: i64 = const 0
                    v7: i64 = const 1
                    v8: i64 = const 3
                    jump block4(v6)
                block4(v15: i64):
                    v16: i64 = const 2147483647
                    v17: bool = icmp ule v5, v16
                    branch v17, block5, block1(v15)
                block5:
                    jump block6(v15)
                block6(v18: i64):
                    v19: bool = icmp ult v18, v5
                    branch v19, block7, block3
                block7:
                    v20: i64 = add v18, v7
                    v21: i64 = urem v20, v8
                    store.global v0, v21
                    barrier
                    v22: i64 = add nuw v18, v7
                    jump block6(v22)
                block1(v9: i64) nounroll:
                    v10: bool = icmp ult v9, v5
                    branch v10, block2, block3
                block2:
                    v11: i64 = add v9, v7
                    v12: i64 = urem v11, v8
                    store.global v0, v12
                    barrier
                    v13: i64 = add nuw v9, v7
                    jump block1(v13)
                block3:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn loops_that_stay() {
        // Masks.
        check_stays(version_low_counters, &remainders("v2", 4, ""));
        // A barrier in a loop whose end differs between threads.
        check_stays(version_low_counters, &remainders("v1", 3, "barrier"));
    }

    #[test]
    fn a_loop_without_barriers_may_end_by_thread() {
        let mut func =
            crate::ir::parse_function(&remainders("v1", 3, "")).unwrap_or_else(|error| panic!("{error}"));
        version_low_counters(&mut func);
        assert_eq!(func.to_string().matches("urem").count(), 2);
    }
}
