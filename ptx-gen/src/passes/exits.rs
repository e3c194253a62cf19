//! Merges the exits of a loop that tests its counter and something else, `for _ in 0..n { …; if found { break; } }`: where the iteration ends by a
//! branch that leaves as the test of the header does, a copy of the test is made behind it, and both are one branch.
//!
//! The header is left as what guards the first iteration. This comes late: the loop is not of the form any more in which a header tests.

use super::checks::panics;
use super::fold::fold_constants;
use super::if_convert::{cost, fold_short_circuits};
use super::promote::promote_locals;
use super::simplify_cfg::simplify_cfg;
use super::unroll::copy::{copy_region, spill_live_out};
use super::unroll::forget_locals;
use crate::analysis::{Cfg, DomTree, Loop, Loops};
use crate::ir::{Block, BlockCall, Function, Inst, InstData, Value};

/// The most that the end of an iteration and the test of the next one may cost, in instructions: they are executed where the other branch leaves too.
const MOST_WORK: u32 = 4;
/// Loops of a function.
const MOST_LOOPS: usize = 16;

/// See the head of this file.
pub fn merge_exits(func: &mut Function) {
    // Their loops have the form that ptxas wants between products.
    if func.has_group_products() {
        return;
    }
    let variables = func.locals.len();
    let mut merged = 0;
    while merged < MOST_LOOPS
        && let Some(exits) = next(func)
    {
        exits.merge(func);
        merged += 1;
    }
    if merged > 0 {
        promote_locals(func);
        fold_constants(func);
        simplify_cfg(func);
        fold_short_circuits(func);
        simplify_cfg(func);
        forget_locals(func, variables);
    }
}

/// A loop with two exits to one place.
struct Exits {
    header: Block,
    /// The first block of the loop behind its test.
    inside: Block,
    /// The block that jumps back.
    latch: Block,
    /// The branch before it, which passes to the exit what the header would in the next iteration.
    branch: Inst,
    exit: Block,
}

/// The next loop with such exits.
fn next(func: &Function) -> Option<Exits> {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    loops
        .loops()
        .iter()
        .enumerate()
        .find_map(|(index, around)| exits(func, &cfg, around, |block| loops.contains(index, block)))
}

fn exits(func: &Function, cfg: &Cfg, around: &Loop, contains: impl Fn(Block) -> bool) -> Option<Exits> {
    let (header, [latch]) = (around.header, &around.latches[..]) else { return None };
    let [before] = *cfg.predecessors(*latch) else { return None };
    if *latch == header || before == header || !contains(before) {
        return None;
    }
    let InstData::Jump { target: back } = &func.insts[func.terminator(*latch)?] else { return None };
    // The side that leaves, and the other one.
    let sides = |block: Block| match &func.insts[func.terminator(block)?] {
        InstData::Branch { if_true, if_false, hint: None, .. } => {
            match (contains(if_true.block), contains(if_false.block)) {
                (true, false) => Some((if_false, if_true)),
                (false, true) => Some((if_true, if_false)),
                (true, true) | (false, false) => None,
            }
        }
        _ => None,
    };
    let ((exit, inside), (other, to_latch)) = (sides(header)?, sides(before)?);
    let (exit, other) = (through(func, exit), through(func, other));
    let is_of_latch = to_latch.block == *latch && to_latch.args.is_empty();
    if !is_of_latch || exit.block != other.block || panics(func, exit.block) {
        return None;
    }
    let mut work = 0;
    for block in [*latch, header] {
        let (_, insts) = func.blocks[block].insts.split_last()?;
        for &inst in insts {
            let data = &func.insts[inst];
            work += cost(func, data, func.results[inst].map(|value| func.ty(value)))
                .filter(|_| data.is_pure())?;
        }
    }
    let branch = func.terminator(before)?;
    let is_alone = cfg.predecessors(inside.block) == [header];
    let passes_same = passes_same(func, header, exit, back, other);
    (work <= MOST_WORK && is_alone && passes_same).then_some(Exits {
        header,
        inside: inside.block,
        latch: *latch,
        branch,
        exit: exit.block,
    })
}

/// The block that a way leads to, which may begin with one that only jumps.
fn through<'f>(func: &'f Function, call: &'f BlockCall) -> &'f BlockCall {
    match &func.blocks[call.block].insts[..] {
        &[only] if func.blocks[call.block].params.is_empty() => match &func.insts[only] {
            InstData::Jump { target } => target,
            _ => call,
        },
        _ => call,
    }
}

/// Returns true if the test of a header, to which a jump passes values, passes to an exit what another way there does.
fn passes_same(
    func: &Function,
    header: Block,
    exit: &BlockCall,
    back: &BlockCall,
    other: &BlockCall,
) -> bool {
    let next = |value: Value| {
        let position = func.blocks[header].params.iter().position(|&param| param == value);
        position.map_or(value, |position| back.args[position])
    };
    let is_same =
        |a: Value, b: Value| a == b || func.constant(a).is_some() && func.constant(a) == func.constant(b);
    let of_header =
        |value: Value| func.blocks[header].insts.iter().any(|&inst| func.results[inst] == Some(value));
    // Values of the test are computed again for the next iteration.
    let is_known = |arg: Value| !of_header(arg) || func.constant(arg).is_some();
    exit.args.iter().zip(&other.args).all(|(&arg, &other)| is_known(arg) && is_same(next(arg), other))
}

impl Exits {
    fn merge(self, func: &mut Function) {
        let Exits { header, inside, latch, branch, exit } = self;
        for inst in func.terminator(header).into_iter().chain([branch]) {
            let mut data = func.insts[inst].clone();
            for call in data.successors_mut() {
                let target = through(func, call).clone();
                if target.block == exit {
                    *call = target;
                }
            }
            func.insts[inst] = data;
        }
        let hint = func.blocks[header].hint.take();
        func.blocks[inside].hint = hint;
        spill_live_out(func, &[header]);
        let copy = copy_region(func, &[header])[&header];
        let args =
            func.insts[branch].successors().find(|call| call.block == exit).map(|call| call.args.clone());
        if let Some((args, test)) = args.zip(func.terminator(copy)) {
            let mut calls = func.insts[test].successors_mut().filter(|call| call.block == exit);
            if let Some(call) = calls.next() {
                call.args = args;
            }
        }
        if let Some(jump) = func.terminator(latch) {
            func.insts[jump].successors_mut().for_each(|call| call.block = copy);
        }
        let at = func.layout.iter().position(|&block| block == latch).map_or(func.layout.len(), |at| at + 1);
        func.layout.insert(at, copy);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// `for i in 0..n { sum += x[i]; if sum > limit { break; } }`, which stores `given` behind the loop.
    fn search(leaves_with: &str) -> String {
        format!(
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 limit: i32) {{
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 0
                v4: i32 = const 1
                v5: i64 = const 4
                jump block1(v3, v3)
            block1(v6: i32, v7: i32):
                v8: bool = icmp ult v6, v1
                branch v8, block2, block4(v7)
            block2:
                v9: i64 = zext v6
                v10: i64 = mul nuw v9, v5
                v11: i64 = add nuw v0, v10
                v12: i32 = load.global v11
                v13: i32 = add v7, v12
                v14: bool = icmp ugt v13, v2
                branch v14, block4({leaves_with}), block3
            block3:
                v15: i32 = add nuw v6, v4
                jump block1(v15, v13)
            block4(v16: i32):
                store.global v0, v16
                return
            }}"
        )
    }

    #[test]
    fn a_search_that_counts() {
        check(
            merge_exits,
            &search("v13"),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 limit: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 0
                v4: i32 = const 1
                v5: i64 = const 4
                v8: bool = icmp ne v1, v3
                branch v8, block2(v3, v3), block4(v3)
            block2(v30: i32, v31: i32):
                v9: i64 = zext v30
                v10: i64 = mul nuw v9, v5
                v11: i64 = add nuw v0, v10
                v12: i32 = load.global v11
                v13: i32 = add v31, v12
                v14: bool = icmp ugt v13, v2
                v15: i32 = add v30, v4
                v29: bool = icmp ult v15, v1
                v35: bool = icmp uge v15, v1
                v36: bool = or v14, v35
                branch v36, block4(v13), block2(v15, v13)
            block4(v16: i32):
                store.global v0, v16
                return
            }
        "#]],
        );
    }

    #[test]
    fn exits_with_other_values() {
        check_stays(merge_exits, &search("v7"));
        check_stays(merge_exits, &search("v4"));
    }
}
