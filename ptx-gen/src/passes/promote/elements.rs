//! Selection of elements of small local arrays by indices that are only known when the kernel runs: `m[pivot][k]` with a `pivot` below 4
//! is one of four values. A load becomes loads of all elements that it may mean, of which a selection takes one; a store
//! stores to each of them what it held, or the new value. All accesses are at constant offsets then, and
//! [promotion](super) keeps the array in registers. Other arrays stay in local memory, where each element that lanes of a warp
//! access differently is a transaction of its own.

use std::ops::Range;

use super::super::renames::Renames;
use super::super::unroll::hoist::{Appender, Inside};
use super::parts::{Access, Terms, Uses};
use super::promote_locals;
use crate::analysis::{Cfg, Ranges};
use crate::ir::{
    BinaryOp, Block, CacheHints, ConvertOp, Function, Inst, InstData, IntCond, LocalVar, Space, Type, Value,
};
use kernel_abi::eval;
use ptx::target::Arch;

/// Elements among which one access chooses.
const MOST_CHOICES: u64 = 8;
/// Bytes of an array that is kept in registers for that, of which a thread has 255 of four bytes.
const MOST_BYTES: u32 = 128;
/// Bytes of all such arrays together if one is larger: matrices that are swapped by rows, and their inverses.
const MOST_BYTES_TOGETHER: u32 = 384;
/// Selections in place of the accesses to one array.
const MOST_SELECTIONS: usize = 512;

/// See the head of this file.
pub fn select_elements(func: &mut Function) {
    if func.locals.is_empty() {
        return;
    }
    let chosen = chosen(func);
    if chosen.is_empty() {
        return;
    }
    let mut renames = Renames::new(func);
    for (var, accesses) in chosen {
        expand(func, &mut renames, var, &accesses);
    }
    renames.apply(func);
    promote_locals(func);
}

/// An access to one of a few elements.
struct Selected {
    inst: Inst,
    block: Block,
    choices: Choices,
    /// Added to the offset of each element.
    offset: i64,
}

/// The values of an index, and the offsets that they mean.
struct Choices {
    index: Value,
    /// Pairs of a value and an offset.
    values: Vec<(u64, i64)>,
}

/// The arrays that would be values, with their accesses by such indices.
fn chosen(func: &Function) -> Vec<(LocalVar, Vec<Selected>)> {
    let uses = Uses::new(func, &Cfg::new(func));
    let mut ranges = None;
    let (most_together, mut together) = (most_bytes_together(func), 0);
    let arrays = uses.accesses.iter().filter_map(|(var, accesses)| {
        let is_exact = |access: &Access| matches!(access.pointer.terms, Terms::None);
        let bytes = func.locals[var].bytes;
        let fits = bytes <= MOST_BYTES || together + bytes <= most_together;
        if uses.escapes(var) || !fits || accesses.iter().all(is_exact) {
            return None;
        }
        let ranges = ranges.get_or_insert_with(|| Ranges::new(func));
        let mut selected = Vec::new();
        let mut extents: Vec<Range<i64>> = Vec::new();
        for access in accesses {
            let size = i64::from(access.ty.bytes());
            let offset = access.pointer.offset;
            if access.ty == Type::Bool {
                return None;
            }
            let [term] = uses.terms(access.pointer.terms)?[..] else {
                is_exact(access).then(|| extents.push(offset..offset + size))?;
                continue;
            };
            let choices = choices(func, ranges, term, access.block)?;
            extents
                .extend(choices.values.iter().map(|(_, element)| offset + element..offset + element + size));
            selected.push(Selected { inst: access.inst, block: access.block, choices, offset });
        }
        let selections: usize = selected.iter().map(|access| access.choices.values.len()).sum();
        let is_chosen = selections <= MOST_SELECTIONS && are_parts(extents, bytes);
        together += if is_chosen { bytes } else { 0 };
        is_chosen.then_some((var, selected))
    });
    arrays.collect()
}

/// The most bytes of arrays in registers if one is large: half of what the launch bounds leave to a thread.
fn most_bytes_together(func: &Function) -> u32 {
    let bounds = &func.bounds;
    let threads = bounds.block.map(|block| block.iter().product()).or(bounds.max_threads);
    let of_launch = threads.map(|threads: u32| {
        let threads = threads.saturating_mul(bounds.min_blocks.unwrap_or(1));
        Arch::FLOOR.limits().registers_per_sm / threads.max(1)
    });
    let registers = of_launch.into_iter().chain(bounds.max_registers).min();
    registers.map_or(MOST_BYTES_TOGETHER, |registers| registers.saturating_mul(2).min(MOST_BYTES_TOGETHER))
}

/// Returns true if extents are equal or do not overlap, and lie within a variable.
fn are_parts(mut extents: Vec<Range<i64>>, bytes: u32) -> bool {
    extents.sort_by_key(|extent| (extent.start, extent.end));
    extents.iter().all(|extent| extent.start >= 0 && extent.end <= bytes.into())
        && extents.windows(2).all(|pair| pair[0] == pair[1] || pair[0].end <= pair[1].start)
}

/// Returns true if an index is one of a few values at a block.
pub(in crate::passes) fn is_one_of_few(
    func: &Function,
    ranges: &Ranges<'_>,
    index: Value,
    block: Block,
) -> bool {
    choices(func, ranges, index, block).is_some()
}

/// The few values of what an index is made of by operations with constants; none if there are more.
fn choices(func: &Function, ranges: &Ranges<'_>, term: Value, block: Block) -> Option<Choices> {
    let mut made = vec![term];
    while let Some(arg) = made.last().and_then(|&last| made_of(func, last)) {
        made.push(arg);
    }
    // From the inside outwards: the multiple of a small number is none.
    let (at, interval) = made.iter().enumerate().rev().find_map(|(at, &value)| {
        let interval = ranges.at(value, block)?;
        (interval.hi - interval.lo < MOST_CHOICES).then_some((at, interval))
    })?;
    let mut values = Vec::new();
    for bits in interval.lo..=interval.hi {
        let offset = made[..at].iter().rev().try_fold(bits, |bits, &value| evaluate(func, value, bits))?;
        values.push((bits, offset as i64));
    }
    Some(Choices { index: made[at], values })
}

/// The only operand of an operation that is no constant.
fn made_of(func: &Function, value: Value) -> Option<Value> {
    let is_constant = |value: Value| func.constant(value).is_some();
    match *func.def(value)? {
        InstData::Convert {
            op: ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::IndexExtend | ConvertOp::Truncate,
            arg,
        } if func.ty(arg) != Type::Bool => Some(arg),
        InstData::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl,
            args: [a, b],
            ..
        } => match (is_constant(a), is_constant(b)) {
            (false, true) => Some(a),
            (true, false) => Some(b),
            (true, true) | (false, false) => None,
        },
        _ => None,
    }
}

/// The value of such an operation for a value of its operand.
fn evaluate(func: &Function, value: Value, bits: u64) -> Option<u64> {
    let ty = func.ty(value);
    match *func.def(value)? {
        InstData::Convert { op, arg } => eval::convert(op, func.ty(arg), ty, bits),
        InstData::Binary { op, args, .. } => {
            let [a, b] = args.map(|arg| func.constant(arg).unwrap_or(bits));
            eval::binary(op, ty, a, b)
        }
        _ => None,
    }
}

/// Replaces the accesses to an array.
fn expand(func: &mut Function, renames: &mut Renames, var: LocalVar, accesses: &[Selected]) {
    let inside = Inside::new(func, &[]);
    let mut blocks: Vec<Block> = accesses.iter().map(|access| access.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    for block in blocks {
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            match accesses.iter().find(|access| access.inst == inst) {
                Some(access) => access.expand(func, &inside, renames, var),
                None => func.blocks[block].insts.push(inst),
            }
        }
    }
}

impl Selected {
    /// Appends what is in place of the access to its block.
    fn expand(&self, func: &mut Function, inside: &Inside, renames: &mut Renames, var: LocalVar) {
        let &Selected { inst, block, offset, ref choices } = self;
        let location = func.locations[inst];
        let (access, result) = (func.insts[inst].clone(), func.results[inst]);
        let mut out = Appender { func, inside, location };
        let index_type = out.func.ty(choices.index);
        let mut found: Option<Value> = None;
        for &(bits, element) in &choices.values {
            let address = out.value(block, InstData::LocalAddress { var }, Type::I64);
            let offset = i32::try_from(offset + element).unwrap_or_default();
            let is_meant = |out: &mut Appender<'_>| {
                let number = out.constant(block, bits, index_type);
                let args = [choices.index, number];
                out.value(block, InstData::IntCompare { cond: IntCond::Eq, args }, Type::Bool)
            };
            let ty = match access {
                InstData::Store { value, .. } => out.func.ty(value),
                _ => result.map_or(Type::I32, |result| out.func.ty(result)),
            };
            let cache = CacheHints::NORMAL;
            let load = InstData::Load {
                space: Space::Local,
                address,
                offset,
                align: None,
                read_only: false,
                below: None,
                cache,
            };
            let held = out.value(block, load, ty);
            match access {
                InstData::Store { value, .. } => {
                    let cond = is_meant(&mut out);
                    let value = InstData::Select { cond, if_true: value, if_false: held };
                    let value = out.value(block, value, ty);
                    let store =
                        InstData::Store { space: Space::Local, address, offset, align: None, value, cache };
                    out.effect(block, store);
                }
                // The first one is what is left where none of the others is meant.
                _ => {
                    found = Some(match found {
                        None => held,
                        Some(before) => {
                            let cond = is_meant(&mut out);
                            let data = InstData::Select { cond, if_true: held, if_false: before };
                            out.value(block, data, ty)
                        }
                    });
                }
            }
        }
        if let (Some(result), Some(found)) = (result, found) {
            renames.replace(result, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::select_elements;
    use crate::passes::{check, check_stays};

    /// An array of four numbers, `n`, `n` and zeros, with accesses by an index `i % most`.
    fn array(bytes: u32, most: u32, accesses: &str) -> String {
        format!(
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 i: i32) {{
            local0 a: {bytes} align 4
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i32 = param2
            v3: i64 = address local0
            v4: i32 = const 0
            store.local v3, v1
            store.local v3 + 4, v1
            store.local v3 + 8, v4
            store.local v3 + 12, v4
            v5: i32 = const {most}
            v6: i32 = urem v2, v5
            v7: i64 = zext v6
            v8: i64 = const 4
            v9: i64 = mul nuw v7, v8
            v10: i64 = add nuw v3, v9
            {accesses}
            return
        }}"
        )
    }

    #[test]
    fn loads() {
        let accesses = "v11: i32 = load.local v10
            store.global v0, v11";
        check(
            select_elements,
            &array(16, 4, accesses),
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 i: i32) {
                    local0 a: 16 align 4
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v4: i32 = const 0
                    v5: i32 = const 4
                    v29: i32 = const 3
                    v6: i32 = and v2, v29
                    v16: i32 = const 1
                    v17: bool = icmp eq v6, v16
                    v21: i32 = const 2
                    v22: bool = icmp eq v6, v21
                    v23: i32 = select v22, v4, v1
                    v27: bool = icmp eq v6, v29
                    v30: bool = or v27, v22
                    v28: i32 = select v30, v4, v1
                    store.global v0, v28
                    return
                }
            "#]],
        );
    }

    #[test]
    fn stores() {
        let accesses = "store.local v10 + 4, v2
            v11: i32 = load.local v3 + 4
            v12: i32 = load.local v3 + 8
            store.global v0, v11
            store.global v0 + 4, v12";
        check(
            select_elements,
            &array(16, 2, accesses),
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 i: i32) {
                    local0 a: 16 align 4
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v4: i32 = const 0
                    v5: i32 = const 2
                    v23: i32 = const 1
                    v6: i32 = and v2, v23
                    v16: bool = icmp eq v6, v4
                    v17: i32 = select v16, v2, v1
                    v21: bool = icmp ne v6, v4
                    v22: i32 = select v21, v2, v4
                    store.global v0, v17
                    store.global v0 + 4, v22
                    return
                }
            "#]],
        );
    }

    #[test]
    fn more_than_a_few() {
        let accesses = "v11: i32 = load.local v10
            store.global v0, v11";
        check_stays(select_elements, &array(36, 9, accesses));
        check_stays(select_elements, &array(400, 4, accesses));
    }

    /// An array of 144 bytes stays in local memory where a block of 1,024 threads leaves a thread 64 registers.
    #[test]
    fn larger_arrays_by_launch_bounds() {
        let accesses = "v11: i32 = load.local v10
            store.global v0, v11";
        let text = array(144, 4, accesses);
        check_stays(select_elements, &text.replace("i: i32) {", "i: i32) bounds(block 1024 1 1) {"));
        check_stays(
            select_elements,
            &text.replace("i: i32) {", "i: i32) bounds(max_threads 256, min_blocks 4) {"),
        );
        check(
            select_elements,
            &text.replace("i: i32) {", "i: i32) bounds(block 64 1 1) {"),
            expect![[r#"
                kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 i: i32) bounds(block 64 1 1) {
                    local0 a: 144 align 4
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v4: i32 = const 0
                    v5: i32 = const 4
                    v29: i32 = const 3
                    v6: i32 = and v2, v29
                    v16: i32 = const 1
                    v17: bool = icmp eq v6, v16
                    v21: i32 = const 2
                    v22: bool = icmp eq v6, v21
                    v23: i32 = select v22, v4, v1
                    v27: bool = icmp eq v6, v29
                    v30: bool = or v27, v22
                    v28: i32 = select v30, v4, v1
                    store.global v0, v28
                    return
                }
            "#]],
        );
    }

    #[test]
    fn parts_of_elements() {
        let accesses = "v11: i16 = load.local v10 + 2
            store.global v0, v11";
        check_stays(select_elements, &array(20, 4, accesses));
    }
}
