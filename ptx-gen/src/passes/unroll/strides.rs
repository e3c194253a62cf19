//! Counts in 32 bits where an index steps over a slice: `while i < x.len() { …; i += stride }`.
//!
//! The index of the last iteration is below the length, but the one after it, with which the loop ends, need not fit 32 bits. So
//! the test is replaced: another iteration follows if `i < length − stride`, which is computed before the loop, 0 if the
//! stride is longer. Its operand in 32 bits is then an index below the length, and so is every sum. For that the
//! test goes to the latch, and its first evaluation to the preheader. The index after the loop is
//! computed there.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::ops::Deref;

use super::super::checks::below;
use super::copy::{call, region, spill_live_out};
use super::hoist::{Appender, Inside};
use super::{forget_locals, promote_locals};
use crate::analysis::{Cfg, DomTree, Loops, Ranges};
use crate::ir::{
    BinaryOp, Block, BlockCall, ConvertOp, Function, Inst, InstData, IntCond, Type, Value, ValueData,
    ValueDef,
};

/// Sums of two numbers below this fit 64 bits.
const MOST_STRIDE: u64 = 1 << 62;

/// See the head of this file.
pub fn narrow_strides(func: &mut Function) {
    let variables = func.locals.len();
    let mut changed = false;
    // A loop that was changed does not match again.
    while let Some(stride) = all(func, &LazyCell::new(|| Ranges::new(func))).pop() {
        stride.narrow(func);
        promote_locals(func);
        changed = true;
    }
    if changed {
        forget_locals(func, variables);
    }
}

/// A loop over an index that steps.
struct Stride {
    header: Block,
    /// The only block that enters it, and the only one that goes back; both jump.
    entry: Block,
    latch: Block,
    /// The blocks of the loop and its panics.
    region: Vec<Block>,
    inside: Inside,
    /// The position of the index among the parameters of the header, and the index.
    position: usize,
    index: Value,
    /// An iteration goes on if the index, and the sum with `added`, are below the bound.
    added: Option<Value>,
    bound: Value,
    step: Value,
    /// Edge of the header into the loop, and edge that leaves it.
    stays: BlockCall,
    leaves: BlockCall,
}

/// The indices that [`narrow_strides`] makes narrow.
pub fn strided_indices(func: &Function, ranges: &Ranges<'_>) -> Vec<Value> {
    all(func, &ranges).into_iter().map(|stride| stride.index).collect()
}

/// Every such loop.
fn all<'f>(func: &'f Function, ranges: &impl Deref<Target = Ranges<'f>>) -> Vec<Stride> {
    let wide = |block: &Block| func.blocks[*block].params.iter().any(|&param| func.ty(param) == Type::I64);
    if !func.layout.iter().any(wide) {
        return Vec::new();
    }
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    (0..loops.loops().len()).filter_map(|number| matches(func, &cfg, &loops, ranges, number)).collect()
}

fn matches<'f>(
    func: &'f Function,
    cfg: &Cfg,
    loops: &Loops,
    ranges: &impl Deref<Target = Ranges<'f>>,
    number: usize,
) -> Option<Stride> {
    let around = &loops.loops()[number];
    let header = around.header;
    let [latch] = around.latches[..] else { return None };
    let mut entries = cfg.predecessors(header).iter().copied().filter(|&from| from != latch);
    let (Some(entry), None) = (entries.next(), entries.next()) else { return None };
    let (initial, back) = (jump(func, entry)?, jump(func, latch)?);
    let (&last, insts) = func.blocks[header].insts.split_last()?;
    if !insts.iter().all(|&inst| func.insts[inst].is_pure()) {
        return None;
    }
    let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[last] else { return None };
    let is_inside = |call: &BlockCall| loops.contains(number, call.block);
    let (stays, leaves, truth) = match (is_inside(if_true), is_inside(if_false)) {
        (true, false) => (if_true.clone(), if_false.clone(), true),
        (false, true) => (if_false.clone(), if_true.clone(), false),
        (true, true) | (false, false) => return None,
    };
    let inside = Inside::new(func, &around.blocks);
    let (sum, bound) = below(func, *cond, truth)?;
    // The ranges of a function without such a loop are not asked for.
    let most = |value: Value| ranges.of(value).hi;
    if !inside.is_invariant(func, bound) {
        return None;
    }
    let is_step = |&value: &Value| inside.is_invariant(func, value) && most(value) < MOST_STRIDE;
    let mut params = func.blocks[header].params.iter().enumerate();
    let (position, index, added, step) = params.find_map(|(position, &index)| {
        let added = if sum == index { None } else { Some(addend(func, sum, index)?) };
        let step = addend(func, *back.args.get(position)?, index)?;
        let is_index = func.ty(index) == Type::I64
            && added.iter().chain([&step]).all(is_step)
            && most(*initial.args.get(position)?) <= u32::MAX.into();
        is_index.then_some((position, index, added, step))
    })?;
    if most(bound) > u32::MAX.into() {
        return None;
    }
    let region = region(func, cfg, loops, number);
    // If it ends in a panic that reports the index, that is the index of an iteration.
    if region.contains(&leaves.block) {
        return None;
    }
    Some(Stride { header, entry, latch, region, inside, position, index, added, bound, step, stays, leaves })
}

/// The jump at the end of a block.
fn jump(func: &Function, block: Block) -> Option<&BlockCall> {
    match &func.insts[func.terminator(block)?] {
        InstData::Jump { target } => Some(target),
        _ => None,
    }
}

/// The other operand of a sum.
pub(super) fn addend(func: &Function, sum: Value, to: Value) -> Option<Value> {
    match func.def(sum) {
        Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. }) if a == to && b != to => Some(b),
        Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. }) if b == to && a != to => Some(a),
        _ => None,
    }
}

impl Stride {
    fn narrow(self, func: &mut Function) {
        let Stride { header, entry, latch, position, .. } = self;
        spill_live_out(func, &self.region);
        let location = func.terminator(header).map(|inst| func.locations[inst]).unwrap_or_default();
        let (Some(initial), Some(mut back)) = (take_jump(func, entry), take_jump(func, latch)) else {
            return;
        };
        let [left_at_once, left] = [&initial, &back].map(|args| (func.make_block(), args.clone()));
        let counter = func.values.push(ValueData { ty: Type::I32, def: ValueDef::Param(header) });

        // Test for a first iteration, and the bound below which another follows.
        let mut out = Appender { func, inside: &self.inside, location };
        let [bound, step] = [self.bound, self.step].map(|value| out.invariant(entry, value));
        let limit = match self.added {
            Some(added) => {
                let added = out.invariant(entry, added);
                let arg = difference(&mut out, entry, bound, added);
                out.value(entry, InstData::Convert { op: ConvertOp::ZeroExtend, arg }, Type::I64)
            }
            None => bound,
        };
        let last = difference(&mut out, entry, limit, step);
        let [first, step] = [initial[position], step].map(|value| truncate(&mut out, entry, value));
        let cond = less(&mut out, entry, [initial[position], limit]);
        let mut starts = initial;
        starts[position] = first;
        out.branch(entry, &[cond], call(header, &starts), call(left_at_once.0, &[]));

        // The end of an iteration. The index after the last one is needed behind the loop alone.
        let cond = less(&mut out, latch, [counter, last]);
        back[position] = out.binary(latch, BinaryOp::Add, [counter, step], false);
        out.branch(latch, &[cond], call(header, &back), call(left.0, &[]));
        let (exit, mut args) = left;
        let args_position = &mut args[position];
        if let ValueDef::Result(sum) = out.func.values[*args_position].def {
            *args_position = out.value(exit, out.func.insts[sum].clone(), Type::I64);
        }
        self.leave(func, (exit, args));
        self.leave(func, left_at_once);

        // The index is the counter.
        func.blocks[header].params[position] = counter;
        let extend = InstData::Convert { op: ConvertOp::ZeroExtend, arg: counter };
        let extend = func.make_inst(extend, None, location);
        func.results[extend] = Some(self.index);
        func.values[self.index].def = ValueDef::Result(extend);
        func.blocks[header].insts.pop();
        let stay = func.make_inst(InstData::Jump { target: self.stays }, None, location);
        func.blocks[header].insts.insert(0, extend);
        func.blocks[header].insts.push(stay);
    }

    /// Does in a block what the header does with these arguments before it leaves the loop, and leaves it.
    fn leave(&self, func: &mut Function, (exit, args): (Block, Vec<Value>)) {
        let params = func.blocks[self.header].params.iter().copied();
        let mut known: HashMap<Value, Value> = params.zip(args).collect();
        let mut insts: Vec<Inst> = func.blocks[self.header].insts.clone();
        insts.retain(|&inst| !func.insts[inst].is_terminator());
        let renamed = |known: &HashMap<Value, Value>, value| known.get(&value).copied().unwrap_or(value);
        for inst in insts {
            let mut data = func.insts[inst].clone();
            data.map_args(|value| renamed(&known, value));
            let ty = func.results[inst].map(|result| func.ty(result));
            let copy = func.make_inst(data, ty, func.locations[inst]);
            if let (Some(old), Some(new)) = (func.results[inst], func.results[copy]) {
                known.insert(old, new);
            }
            func.blocks[exit].insts.push(copy);
        }
        let args = self.leaves.args.iter().map(|&value| renamed(&known, value)).collect();
        let target = BlockCall { block: self.leaves.block, args };
        let location = func.terminator(self.header).map(|inst| func.locations[inst]).unwrap_or_default();
        let jump = func.make_inst(InstData::Jump { target }, None, location);
        func.blocks[exit].insts.push(jump);
        let after = func.layout.iter().rposition(|block| self.region.contains(block));
        func.layout.insert(after.map_or(func.layout.len(), |at| at + 1), exit);
    }
}

/// Takes away the jump at the end of a block; its arguments.
fn take_jump(func: &mut Function, block: Block) -> Option<Vec<Value>> {
    let args = jump(func, block)?.args.clone();
    func.blocks[block].insts.pop();
    Some(args)
}

/// `a − b` in 32 bits, or 0 if that is below: `a` fits them, and so does `b` where it counts.
fn difference(out: &mut Appender<'_>, block: Block, a: Value, b: Value) -> Value {
    let fits = less(out, block, [b, a]);
    let [a, b] = [a, b].map(|value| truncate(out, block, value));
    let difference = out.binary(block, BinaryOp::Sub, [a, b], false);
    let zero = out.constant(block, 0, Type::I32);
    out.value(block, InstData::Select { cond: fits, if_true: difference, if_false: zero }, Type::I32)
}

fn less(out: &mut Appender<'_>, block: Block, args: [Value; 2]) -> Value {
    out.value(block, InstData::IntCompare { cond: IntCond::ULt, args }, Type::Bool)
}

fn truncate(out: &mut Appender<'_>, block: Block, value: Value) -> Value {
    out.value(block, InstData::Convert { op: ConvertOp::Truncate, arg: value }, Type::I32)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::super::check;
    use super::*;

    #[test]
    fn a_sum_over_the_grid() {
        check(
            narrow_strides,
            "kernel k(param0 x: i64 ptr align 4, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = special tid.x
                v4: i64 = zext v3
                v5: f32 = const 0.0
                jump block1(v4, v5)
            block1(v6: i64, v7: f32):
                v8: bool = icmp ult v6, v2
                branch v8, block2, block3
            block2:
                v9: i64 = const 4
                v10: i64 = mul v6, v9
                v11: i64 = add v0, v10
                v12: f32 = load.global v11
                v13: f32 = fadd v7, v12
                v14: i32 = special ntid.x
                v15: i64 = zext v14
                v16: i64 = add v6, v15
                jump block1(v16, v13)
            block3:
                store.global v0, v7
                store.global v0+8, v6
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = zext v1
                    v3: i32 = special tid.x
                    v4: i64 = zext v3
                    v5: f32 = const 0.0
                    v24: i32 = special ntid.x
                    v25: i64 = zext v24
                    v26: bool = icmp ult v24, v1
                    v29: i32 = sub v1, v24
                    v30: i32 = const 0
                    v46: i32 = umax v1, v24
                    v31: i32 = sub nuw v46, v24
                    v34: bool = icmp ult v3, v1
                    branch v34, block1(v3, v5), block4
                block1(v23: i32, v7: f32):
                    v6: i64 = zext v23
                    v9: i64 = const 4
                    v10: i64 = mul v6, v9
                    v11: i64 = add v0, v10
                    v12: f32 = load.global v11
                    v13: f32 = fadd v7, v12
                    v35: bool = icmp ult v23, v31
                    v36: i32 = add v23, v24
                    branch v35, block1(v36, v13), block5
                block4:
                    jump block3(v5, v4)
                block5:
                    v37: i64 = add v6, v25
                    jump block3(v13, v37)
                block3(v44: f32, v45: i64):
                    store.global v0, v44
                    store.global v0 + 8, v45
                    return
                }
            "#]],
        );
    }

    /// A step that a check in the loop keeps from wrapping may wrap before it: what follows the loop has it from there.
    #[test]
    fn a_step_that_may_wrap_before_the_loop() {
        check(
            narrow_strides,
            "kernel k(param0 x: i64 ptr align 4, param1 n: i32) {
                panic0 sub_overflow
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = special warpid
                v4: i64 = const 0
                v5: i32 = const 5
                jump block1(v4)
            block1(v6: i64):
                v8: bool = icmp ult v6, v2
                branch v8, block2, block3
            block2:
                v9: bool = icmp ule v3, v5
                branch v9, block4, block5
            block5:
                panic panic0()
            block4:
                store.global v0, v3
                v14: i32 = sub nuw v5, v3
                v15: i64 = zext v14
                v16: i64 = add v6, v15
                jump block1(v16)
            block3:
                v17: i32 = sub v5, v3
                store.global v0, v17
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 n: i32) {
                    panic0 sub_overflow
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = zext v1
                    v3: i32 = special warpid
                    v4: i64 = const 0
                    v5: i32 = const 5
                    v19: i32 = sub v5, v3
                    v20: i64 = zext v19
                    v21: bool = icmp ult v20, v2
                    v22: i32 = trunc_int v2
                    v23: i32 = trunc_int v20
                    v24: i32 = sub v22, v23
                    v25: i32 = const 0
                    v26: i32 = select v21, v24, v25
                    v27: i32 = trunc_int v4
                    v28: i32 = trunc_int v20
                    v29: bool = icmp ult v4, v2
                    branch v29, block1(v27), block6
                block1(v18: i32):
                    v6: i64 = zext v18
                    v8: bool = icmp ult v6, v2
                    jump block2
                block2:
                    v9: bool = icmp ule v3, v5
                    branch v9, block4, block5
                block5:
                    panic panic0
                block4:
                    store.global v0, v3
                    v14: i32 = sub nuw v5, v3
                    v15: i64 = zext v14
                    v16: i64 = add v6, v15
                    v30: bool = icmp ult v18, v26
                    v31: i32 = add v18, v28
                    branch v30, block1(v31), block7
                block6:
                    v34: bool = icmp ult v4, v2
                    jump block3
                block7:
                    v32: i64 = add v6, v15
                    v33: bool = icmp ult v32, v2
                    jump block3
                block3:
                    v17: i32 = sub v5, v3
                    store.global v0, v17
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_loop_that_a_check_ends() {
        let text = "kernel k(param0 n: i32) {
            panic0 index @0:1:1
            block0:
                v1: i32 = param0
                v2: i64 = zext v1
                v3: i64 = const 0
                jump block1(v3)
            block1(v6: i64):
                v8: bool = icmp ult v6, v2
                branch v8, block2, block3
            block2:
                v14: i64 = const 4
                v16: i64 = add v6, v14
                jump block1(v16)
            block3:
                panic panic0(v6, v2)
            }";
        let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
        let before = func.to_string();
        narrow_strides(&mut func);
        assert_eq!(func.to_string(), before);
    }

    #[test]
    fn steps_that_change_and_starts_beyond_32_bits() {
        let text = |start: &str, step: &str| {
            format!(
                "kernel k(param0 x: i64 ptr align 4, param1 n: i32, param2 start: i64) {{
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i64 = {start}
                jump block1(v3)
            block1(v6: i64):
                v8: bool = icmp ult v6, v2
                branch v8, block2, block3
            block2:
                v14: i32 = {step}
                v15: i64 = zext v14
                v16: i64 = add v6, v15
                jump block1(v16)
            block3:
                store.global v0, v6
                return
            }}"
            )
        };
        let narrows = |start, step| {
            let mut func =
                crate::ir::parse_function(&text(start, step)).unwrap_or_else(|error| panic!("{error}"));
            let before = func.to_string();
            narrow_strides(&mut func);
            func.to_string() != before
        };
        assert!(narrows("const 0", "special ntid.x"));
        assert!(!narrows("const 0", "load.global v0"));
        assert!(!narrows("param2", "special ntid.x"));
    }
}
