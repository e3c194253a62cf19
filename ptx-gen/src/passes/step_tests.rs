//! Makes `while i < end { …; i += step }` of loops that test the distance to the end, `step < end - i`, as `(a..end).step_by(step)` does
//! because `i + step` might wrap.
//!
//! The new counter is below the end exactly if the test holds, and does not wrap then; of the last one, which is not, the ranges have to
//! prove it. The test moves to the head of the loop, the form of `for i in a..end`: all later passes and ptxas count such loops (ptxas 13.0
//! unrolls none that tests a distance), and the branch around the loop that asks the same goes away.

use super::unroll::hoist::{Inside, may_trap};
use crate::analysis::{Cfg, DomTree, Loops, Ranges};
use crate::ir::{
    BinaryOp, Block, BlockCall, ConvertOp, Function, Inst, InstData, IntCond, Type, Value, ValueDef,
};

/// See the head of this file.
pub fn compare_counters(func: &mut Function) {
    let mut found = Vec::new();
    {
        let cfg = Cfg::new(func);
        let tree = DomTree::new(&cfg);
        let loops = Loops::new(&cfg, &tree);
        let mut ranges = None;
        for index in 0..loops.loops().len() {
            let Some(tested) = Tested::find(func, &cfg, &tree, &loops, index) else { continue };
            if tested.fits(func, ranges.get_or_insert_with(|| Ranges::new(func))) {
                found.push(tested);
            }
        }
    }
    found.into_iter().for_each(|tested| tested.apply(func));
}

/// A loop that goes on while the distance of its counter to the end is more than a step, or as much.
struct Tested {
    header: Block,
    counter: Value,
    end: Value,
    step: Value,
    /// Comparison of a counter with the end that holds in each iteration.
    cond: IntCond,
    /// The branch that tests the distance.
    test: Inst,
    /// Its targets in the loop, and out of it in terms of the parameters of the header.
    stays: BlockCall,
    leaves: BlockCall,
    /// The new counter and what else is computed only once the test holds.
    late: Vec<Inst>,
    /// A branch around the loop to where the test leads, and its other target.
    around: Option<(Inst, BlockCall)>,
}

impl Tested {
    fn find(func: &Function, cfg: &Cfg, tree: &DomTree, loops: &Loops, index: usize) -> Option<Tested> {
        let around = &loops.loops()[index];
        let [latch] = around.latches[..] else { return None };
        let header = around.header;
        let is_inside = |block: Block| loops.contains(index, block);
        let in_terminator = |block: Block| Some(&func.insts[func.terminator(block)?]);
        // The test, with nothing behind it but the next values.
        let (exit, next) = match in_terminator(latch)? {
            InstData::Jump { target } => {
                let [exit] = cfg.predecessors(latch)[..] else { return None };
                let (_, before) = func.blocks[latch].insts.split_last()?;
                let is_plain =
                    |&inst: &Inst| func.insts[inst].is_pure() && !may_trap(func, &func.insts[inst]);
                (exit, before.iter().all(is_plain).then_some(target)?)
            }
            InstData::Branch { if_true, if_false, .. } => {
                (latch, [if_true, if_false].into_iter().find(|call| call.block == header)?)
            }
            _ => return None,
        };
        let InstData::Branch { cond, if_true, if_false, .. } = in_terminator(exit)? else { return None };
        let (stays, leaves, goes_on) = match (is_inside(if_true.block), is_inside(if_false.block)) {
            (true, false) => (if_true, if_false, true),
            (false, true) => (if_false, if_true, false),
            (true, true) | (false, false) => return None,
        };
        let inside = Inside::new(func, &around.blocks);
        let (step, distance, inclusive) = long_enough(func, *cond, goes_on)?;
        let &InstData::Binary { op: BinaryOp::Sub, args: [end, counter], .. } = func.def(distance)? else {
            return None;
        };
        let params = &func.blocks[header].params;
        let position = params.iter().position(|&param| param == counter)?;
        let &InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } = func.def(next.args[position])? else {
            return None;
        };
        let same = |a: Value| a == step || func.constant(a).is_some_and(|it| func.constant(step) == Some(it));
        let steps = a == counter && same(b) || b == counter && same(a);
        if !steps || inside.has(end) || inside.has(step) && func.constant(step).is_none() {
            return None;
        }
        // The values that go out are next values, which are the parameters at the head, and values of before.
        let at_head = |&value: &Value| match next.args.iter().position(|&next| next == value) {
            Some(position) => Some(params[position]),
            None => (!inside.has(value)).then_some(value),
        };
        let args: Option<Vec<Value>> = leaves.args.iter().map(at_head).collect();
        let leaves_at_head = BlockCall { block: leaves.block, args: args? };
        // Several loops are changed at once.
        let leads_to_another = loops.loops().iter().any(|other| other.header == leaves.block);
        if leads_to_another || uses_inside(func, cfg, &inside, leaves.block, &is_inside) {
            return None;
        }
        let mut entries = cfg.predecessors(header).iter().filter(|&&from| from != latch);
        let (Some(&entry), None) = (entries.next(), entries.next()) else { return None };
        let InstData::Jump { target: enters } = in_terminator(entry)? else { return None };
        let first = enters.args[position];
        let (cond, guard) = guard(func, cfg, tree, entry, [first, end], inclusive)?;
        let skips = leaves_at_head.args.iter().map(|arg| {
            let position = params.iter().position(|param| param == arg);
            position.map_or(*arg, |position| enters.args[position])
        });
        let skips = BlockCall { block: leaves.block, args: skips.collect() };
        let around = guard.and_then(|(branch, taken, other)| {
            let is_direct = taken.block == entry && func.blocks[entry].insts.len() == 1;
            (is_direct && *other == skips).then(|| (branch, taken.clone()))
        });
        Some(Tested {
            header,
            counter,
            end,
            step,
            cond,
            test: func.terminator(exit)?,
            stays: stays.clone(),
            late: if latch == exit { Vec::new() } else { func.blocks[latch].insts.clone() },
            leaves: leaves_at_head,
            around,
        })
    }

    /// Returns true if the last counter, which is not below the end, does not wrap.
    fn fits(&self, func: &Function, ranges: &Ranges<'_>) -> bool {
        let most = |value| ranges.at(value, self.header).map_or(u64::MAX, |interval| interval.hi);
        let mask = func.ty(self.counter).mask();
        let mask = if matches!(self.cond, IntCond::SLt | IntCond::SLe) { mask >> 1 } else { mask };
        let last = u128::from(most(self.end)) + u128::from(most(self.step));
        last <= u128::from(mask)
    }

    fn apply(self, func: &mut Function) {
        let location = func.locations[self.test];
        let (header, head) = (self.header, func.make_block());
        let params = std::mem::take(&mut func.blocks[header].params);
        params.iter().for_each(|&param| func.values[param].def = ValueDef::Param(head));
        func.blocks[head].params = params;
        func.blocks[head].hint = func.blocks[header].hint.take();
        func.blocks[head].asked = func.blocks[header].asked.take();
        func.blocks[head].source = std::mem::take(&mut func.blocks[header].source);
        func.insts[self.test] = InstData::Jump { target: self.stays };
        // Of the last counter only this is known not to wrap.
        let is_signed = matches!(self.cond, IntCond::SLt | IntCond::SLe);
        for inst in self.late {
            let step = [self.counter, self.step];
            if let InstData::Binary { op, args, no_unsigned_wrap } = &mut func.insts[inst] {
                *no_unsigned_wrap &= !is_signed && *op == BinaryOp::Add && *args == step;
            }
        }
        for block in func.layout.clone() {
            let Some(last) = func.terminator(block) else { continue };
            let calls = func.insts[last].successors_mut().filter(|call| call.block == header);
            calls.for_each(|call| call.block = head);
        }
        let compare = InstData::IntCompare { cond: self.cond, args: [self.counter, self.end] };
        let (compare, cond) = func.make_value(compare, Type::Bool, location);
        let body = BlockCall { block: header, args: Vec::new() };
        let branch = InstData::Branch { cond, if_true: body, if_false: self.leaves, hint: None };
        let branch = func.make_inst(branch, None, location);
        func.blocks[head].insts = vec![compare, branch];
        let at = func.layout.iter().position(|&block| block == header).unwrap_or(func.layout.len());
        func.layout.insert(at, head);
        if let Some((branch, taken)) = self.around {
            func.insts[branch] = InstData::Jump { target: taken };
        }
    }
}

/// The step and the distance of a test that the latter is more, or as much: then the flag is true.
fn long_enough(func: &Function, cond: Value, holds: bool) -> Option<(Value, Value, bool)> {
    let &InstData::IntCompare { cond, args: [a, b] } = func.def(cond)? else { return None };
    match if holds { cond } else { cond.inverse() } {
        IntCond::ULt => Some((a, b, false)),
        IntCond::ULe => Some((a, b, true)),
        IntCond::UGt => Some((b, a, false)),
        IntCond::UGe => Some((b, a, true)),
        IntCond::Eq | IntCond::Ne | IntCond::SLt | IntCond::SLe | IntCond::SGt | IntCond::SGe => None,
    }
}

/// A branch with its targets: the one that it takes on the way to a loop, and the other.
type Guard<'f> = (Inst, &'f BlockCall, &'f BlockCall);

/// The comparison of the first counter with the end that holds at the entry of a loop, and the nearest branch of which it is known, if that
/// is the branch of the block before.
fn guard<'f>(
    func: &'f Function,
    cfg: &Cfg,
    tree: &DomTree,
    entry: Block,
    [first, end]: [Value; 2],
    inclusive: bool,
) -> Option<(IntCond, Option<Guard<'f>>)> {
    let mut below = entry;
    loop {
        let block = tree.idom(below)?;
        let last = func.terminator(block)?;
        if let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[last]
            && let Some(&InstData::IntCompare { cond, args: [a, b] }) = func.def(*cond)
            && cfg.predecessors(below) == [block]
            && if_true.block != if_false.block
        {
            let (taken, other, cond) = match below == if_true.block {
                true => (if_true, if_false, cond),
                false => (if_false, if_true, cond.inverse()),
            };
            let compares = |low: Value, high: Value| {
                low == first && high == end
                    || is_extended(func, [low, first]) && is_extended(func, [high, end])
            };
            let is_narrow = a != first && b != first;
            let cond = match (compares(a, b), compares(b, a)) {
                (true, _) => Some(cond),
                (_, true) => Some(cond.swapped()),
                (false, false) => None,
            };
            // The sign of a narrow number is none of the extended one.
            let takes_narrow = !func.has_group_products();
            let cond =
                cond.filter(|cond| !is_narrow || takes_narrow && matches!(cond, IntCond::ULt | IntCond::ULe));
            let order = match (cond, inclusive) {
                (Some(IntCond::ULt), false) => Some(IntCond::ULt),
                (Some(IntCond::SLt), false) => Some(IntCond::SLt),
                (Some(IntCond::ULe), true) => Some(IntCond::ULe),
                (Some(IntCond::SLe), true) => Some(IntCond::SLe),
                _ => None,
            };
            if let Some(order) = order {
                return Some((order, (below == entry).then_some((last, taken, other))));
            }
        }
        below = block;
    }
}

/// Returns true if the second is the first, extended with zeros.
fn is_extended(func: &Function, [narrow, wide]: [Value; 2]) -> bool {
    match func.def(wide) {
        Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) => arg == narrow,
        _ => match (func.constant(wide), func.constant(narrow)) {
            (Some(wide), Some(narrow)) => wide == narrow,
            _ => false,
        },
    }
}

/// Returns true if what comes after a loop uses values that are defined in it.
fn uses_inside(
    func: &Function,
    cfg: &Cfg,
    inside: &Inside,
    after: Block,
    is_inside: &impl Fn(Block) -> bool,
) -> bool {
    let (mut seen, mut next) = (vec![after], 0);
    while let Some(&block) = seen.get(next) {
        next += 1;
        for &inst in &func.blocks[block].insts {
            let mut any = false;
            let data = &func.insts[inst];
            data.visit_args(|arg| any |= inside.has(arg));
            any |= data.successors().any(|call| call.args.iter().any(|&arg| inside.has(arg)));
            if any {
                return true;
            }
        }
        for &to in cfg.successors(block) {
            if !seen.contains(&to) && !is_inside(to) {
                seen.push(to);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::check;
    use super::*;

    fn check_tests(text: &str, expect: Expect) {
        check(compare_counters, text, expect);
    }

    #[test]
    fn a_strided_loop_below_a_limit() {
        check_tests(
            "kernel k(param0 p: i64 ptr align 4, param1 n: i64 max 2147483647) {
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i32 = special tid.x
                v3: i64 = zext v2
                v4: i64 = const 32
                v5: i32 = const 0
                v6: bool = icmp ult v3, v1
                branch v6, block1, block4(v5)
            block1:
                jump block2(v3, v5)
            block2(v7: i64, v8: i32):
                v9: i64 = add v0, v7
                v10: i32 = load.global v9
                v11: i32 = add v8, v10
                v12: i64 = sub nuw v1, v7
                v13: bool = icmp ugt v12, v4
                branch v13, block3, block4(v11)
            block3:
                v14: i64 = add nuw v7, v4
                jump block2(v14, v11)
            block4(v15: i32):
                store.global v0, v15
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i64 max 2147483647) {
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i32 = special tid.x
                    v3: i64 = zext v2
                    v4: i64 = const 32
                    v5: i32 = const 0
                    v6: bool = icmp ult v3, v1
                    jump block1
                block1:
                    jump block5(v3, v5)
                block5(v7: i64, v8: i32):
                    v16: bool = icmp ult v7, v1
                    branch v16, block2, block4(v8)
                block2:
                    v9: i64 = add v0, v7
                    v10: i32 = load.global v9
                    v11: i32 = add v8, v10
                    v12: i64 = sub nuw v1, v7
                    v13: bool = icmp ugt v12, v4
                    jump block3
                block3:
                    v14: i64 = add nuw v7, v4
                    jump block5(v14, v11)
                block4(v15: i32):
                    store.global v0, v15
                    return
                }
            "#]],
        );
    }

    /// The first test as it is once narrowed: of the operands that the counter and the end extend.
    #[test]
    fn a_first_test_of_narrow_operands() {
        let text = |compare: &str| {
            format!(
                "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 step: i64 max 2147483647) {{
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = param2
                    v3: i32 = special tid.x
                    v4: i64 = zext v3
                    v5: i64 = zext v1
                    v6: bool = icmp {compare}
                    branch v6, block1, block4
                block1:
                    jump block2(v4)
                block2(v7: i64):
                    v8: i64 = add v0, v7
                    store.global v8, v3
                    v9: i64 = sub nuw v5, v7
                    v10: bool = icmp ult v2, v9
                    branch v10, block3, block4
                block3:
                    v11: i64 = add nuw v7, v2
                    jump block2(v11)
                block4:
                    return
                }}"
            )
        };
        check_tests(
            &text("ult v3, v1"),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 step: i64 max 2147483647) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = param2
                v3: i32 = special tid.x
                v4: i64 = zext v3
                v5: i64 = zext v1
                v6: bool = icmp ult v3, v1
                jump block1
            block1:
                jump block5(v4)
            block5(v7: i64):
                v12: bool = icmp ult v7, v5
                branch v12, block2, block4
            block2:
                v8: i64 = add v0, v7
                store.global v8, v3
                v9: i64 = sub nuw v5, v7
                v10: bool = icmp ult v2, v9
                jump block3
            block3:
                v11: i64 = add nuw v7, v2
                jump block5(v11)
            block4:
                return
            }
        "#]],
        );
        check_tests(
            &text("ugt v1, v3"),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 step: i64 max 2147483647) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = param2
                v3: i32 = special tid.x
                v4: i64 = zext v3
                v5: i64 = zext v1
                v6: bool = icmp ugt v1, v3
                jump block1
            block1:
                jump block5(v4)
            block5(v7: i64):
                v12: bool = icmp ult v7, v5
                branch v12, block2, block4
            block2:
                v8: i64 = add v0, v7
                store.global v8, v3
                v9: i64 = sub nuw v5, v7
                v10: bool = icmp ult v2, v9
                jump block3
            block3:
                v11: i64 = add nuw v7, v2
                jump block5(v11)
            block4:
                return
            }
        "#]],
        );
        // Of numbers with a sign, and the other way round: nothing is known of the first counter.
        super::super::check_stays(compare_counters, &text("slt v3, v1"));
        super::super::check_stays(compare_counters, &text("ult v1, v3"));
    }

    #[test]
    fn signed_counters_and_both_ends() {
        check_tests(
            "kernel k(param0 p: i64 ptr align 4) {
            block0:
                v0: i64 = param0
                v2: i32 = special tid.x
                v3: i32 = const 4000
                v4: i32 = special ntid.x
                v6: bool = icmp sgt v2, v3
                branch v6, block4, block1
            block1:
                jump block2(v2)
            block2(v7: i32):
                store.global v0, v7
                v12: i32 = sub v3, v7
                v13: bool = icmp ult v12, v4
                branch v13, block4, block3
            block3:
                v14: i32 = add v7, v4
                jump block2(v14)
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4) {
                block0:
                    v0: i64 = param0
                    v2: i32 = special tid.x
                    v3: i32 = const 4000
                    v4: i32 = special ntid.x
                    v6: bool = icmp sgt v2, v3
                    jump block1
                block1:
                    jump block5(v2)
                block5(v7: i32):
                    v15: bool = icmp sle v7, v3
                    branch v15, block2, block4
                block2:
                    store.global v0, v7
                    v12: i32 = sub v3, v7
                    v13: bool = icmp ult v12, v4
                    jump block3
                block3:
                    v14: i32 = add v7, v4
                    jump block5(v14)
                block4:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_counter_that_may_wrap_keeps_its_test() {
        check_tests(
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = special tid.x
                v4: i32 = const 32
                v6: bool = icmp ult v2, v1
                branch v6, block1, block4
            block1:
                jump block2(v2)
            block2(v7: i32):
                store.global v0, v7
                v12: i32 = sub nuw v1, v7
                v13: bool = icmp ugt v12, v4
                branch v13, block3, block4
            block3:
                v14: i32 = add nuw v7, v4
                jump block2(v14)
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = special tid.x
                    v4: i32 = const 32
                    v6: bool = icmp ult v2, v1
                    branch v6, block1, block4
                block1:
                    jump block2(v2)
                block2(v7: i32):
                    store.global v0, v7
                    v12: i32 = sub nuw v1, v7
                    v13: bool = icmp ugt v12, v4
                    branch v13, block3, block4
                block3:
                    v14: i32 = add nuw v7, v4
                    jump block2(v14)
                block4:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn the_last_counter_is_needed_behind_the_loop() {
        check_tests(
            "kernel k(param0 p: i64 ptr align 4, param1 n: i64 max 2147483647) {
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = const 0
                v4: i64 = const 32
                v6: bool = icmp ult v2, v1
                branch v6, block1, block4(v2)
            block1:
                jump block2(v2)
            block2(v7: i64):
                store.global v0, v7
                v12: i64 = sub nuw v1, v7
                v13: bool = icmp ugt v12, v4
                branch v13, block3, block4(v7)
            block3:
                v14: i64 = add nuw v7, v4
                jump block2(v14)
            block4(v15: i64):
                store.global v0, v15
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i64 max 2147483647) {
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = const 0
                    v4: i64 = const 32
                    v6: bool = icmp ult v2, v1
                    branch v6, block1, block4(v2)
                block1:
                    jump block2(v2)
                block2(v7: i64):
                    store.global v0, v7
                    v12: i64 = sub nuw v1, v7
                    v13: bool = icmp ugt v12, v4
                    branch v13, block3, block4(v7)
                block3:
                    v14: i64 = add nuw v7, v4
                    jump block2(v14)
                block4(v15: i64):
                    store.global v0, v15
                    return
                }
            "#]],
        );
    }
}
