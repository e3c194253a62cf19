//! Tests of where slices start: `x[4 * i]` to `x[4 * i + 3]` are one access of 16 bytes if `x` starts at a multiple of that.
//!
//! Elements are aligned to their own size only, as a part of a buffer may start at any. The host sees where it does, so the
//! entry without checks may count on more: neighbours that one block accesses are wide accesses there. In a kernel whose checks all go,
//! that is what the entry is for.

use std::collections::{BTreeMap, HashMap};

use crate::analysis::multiples::{WIDEST, from_pointer, said_alignment};
use crate::host_test::{HostTest, offsets};
use crate::ir::{
    BinaryOp, Block, CacheHints, Entity, Function, Inst, InstData, Param, SourceLoc, Space, Type, Value,
};
use kernel_abi::guard::HostOp;

/// A slice, what its address should be a multiple of, and where it is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Parameter with its start address.
    pub param: Param,
    /// In bytes.
    pub align: u32,
    /// The first of the neighbours.
    pub location: SourceLoc,
}

/// Takes it for granted that slices start where neighbours in memory become wide accesses, and the tests of that; at most so many.
pub fn align_slices(func: &mut Function, most_tests: usize) -> Vec<HostTest> {
    let mut tests = Vec::new();
    for Wanted { param, align, location } in wanted(func).into_iter().take(most_tests) {
        tests.push(guard(func, param, align, location));
        func.params[param].pointer_align = Some(align);
    }
    tests
}

/// The launch guard that a slice starts at a multiple of so many bytes.
pub(super) fn guard(func: &Function, param: Param, align: u32, location: SourceLoc) -> HostTest {
    let at = HostOp::Param { at: offsets(func)[param.index()], ty: Type::I64 };
    let and = HostOp::Binary(BinaryOp::And, Type::I64);
    let ops = vec![at, HostOp::Number((align - 1).into()), and, HostOp::Number(0), HostOp::AtMost];
    let text = format!("{}.addr() % {align} == 0", func.params[param].source_name());
    HostTest { location, text, ops }
}

/// The pointers that should be aligned to more than they are, for neighbours to become wide accesses.
pub fn wanted(func: &Function) -> Vec<Wanted> {
    wanted_in(func, &func.layout)
}

/// [`wanted`] for the accesses of these blocks.
pub(super) fn wanted_in(func: &Function, blocks: &[Block]) -> Vec<Wanted> {
    let mut all: Vec<Wanted> = Vec::new();
    for (row, neighbours) in rows(func, blocks) {
        let Some((param, zeros)) = from_pointer(func, row.base) else { continue };
        let known = func.params[param].pointer_align.unwrap_or(1);
        let mut next = i64::MIN;
        for (&offset, &inst) in &neighbours {
            let possible = 1u32 << zeros.min(offset.trailing_zeros()).min(WIDEST.trailing_zeros());
            let are_there = |width: &u32| {
                let count = i64::from(width / row.bytes);
                (1..count).all(|step| neighbours.contains_key(&(offset + step * i64::from(row.bytes))))
            };
            let widths = [WIDEST, WIDEST / 2, WIDEST / 4].into_iter();
            let width = widths.filter(|&width| width <= possible && width >= 2 * row.bytes).find(are_there);
            let Some(width) = width.filter(|_| offset >= next) else { continue };
            next = offset + i64::from(width);
            if width <= known || said_alignment(&func.insts[inst]).is_some_and(|said| said >= width) {
                continue;
            }
            let location = func.locations[inst];
            match all.iter_mut().find(|wanted| wanted.param == param) {
                Some(wanted) => wanted.align = wanted.align.max(width),
                None => all.push(Wanted { param, align: width, location }),
            }
        }
    }
    all
}

/// Key of accesses of a block that may be parts of one wide access.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Row {
    base: Value,
    bytes: u32,
    is_store: bool,
    read_only: bool,
    cache: CacheHints,
}

/// The accesses of global memory in each of these blocks, by what they have in common and their distance from it; rows in the order of the text.
fn rows(func: &Function, blocks: &[Block]) -> Vec<(Row, BTreeMap<i64, Inst>)> {
    let mut rows: Vec<(Row, BTreeMap<i64, Inst>)> = Vec::new();
    for &block in blocks {
        let mut numbers: HashMap<Row, usize> = HashMap::new();
        for &inst in &func.blocks[block].insts {
            let (address, offset, value, is_store, read_only, cache) = match func.insts[inst] {
                InstData::Load { space: Space::Global, address, offset, read_only, cache, .. } => {
                    let Some(value) = func.results[inst] else { continue };
                    (address, offset, value, false, read_only, cache)
                }
                InstData::Store { space: Space::Global, address, offset, value, cache, .. } => {
                    (address, offset, value, true, false, cache)
                }
                _ => continue,
            };
            let (base, offset) = without_constants(func, address, offset.into());
            let row = Row { base, bytes: func.ty(value).bytes().max(1), is_store, read_only, cache };
            let number = *numbers.entry(row).or_insert_with(|| {
                rows.push((row, BTreeMap::new()));
                rows.len() - 1
            });
            rows[number].1.entry(offset).or_insert(inst);
        }
    }
    rows
}

/// An address without the constants that are added to it, and their sum.
fn without_constants(func: &Function, mut base: Value, mut offset: i64) -> (Value, i64) {
    while let Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. }) = func.def(base) {
        let (rest, constant) = match (func.constant(a), func.constant(b)) {
            (None, Some(constant)) => (a, constant),
            (Some(constant), None) => (b, constant),
            (None, None) | (Some(_), Some(_)) => break,
        };
        (base, offset) = (rest, offset.wrapping_add(constant as i64));
    }
    (base, offset)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(accesses: &str, expected: Expect) {
        let text = format!(
            "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 y: i64 ptr align 4, param3 n: i32) {{
            block0:
                v0: i64 = param0
                v1: i64 = param2
                v2: i32 = special tid.x
                v3: i64 = zext v2
                v4: i64 = const 16
                v5: i64 = mul v3, v4
                v6: i64 = add v0, v5
                v7: i64 = add v1, v5
                v8: f32 = const 1.0
                {accesses}
                return
            }}"
        );
        let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        let tests = align_slices(&mut func, 8);
        let tests: Vec<String> = tests.into_iter().map(|test| test.text).collect();
        expected.assert_eq(&tests.join("\n"));
    }

    #[test]
    fn neighbours() {
        check(
            "store.global v6, v8 store.global v6 + 8, v8 store.global v6 + 12, v8",
            expect!["x.addr() % 8 == 0"],
        );
        check(
            "store.global v7 + 12, v8 store.global v7 + 8, v8 store.global v7 + 4, v8 store.global v7, v8
            v9: f32 = load.global v6 v10: f32 = load.global v6 + 4",
            expect![[r#"
                y.addr() % 16 == 0
                x.addr() % 8 == 0"#]],
        );
    }

    #[test]
    fn what_would_not_become_one() {
        for accesses in [
            // Not beside each other, or not where a wide access may start; of two kinds; known to be aligned.
            "store.global v6, v8 store.global v6 + 8, v8",
            "store.global v6 + 4, v8 store.global v6 + 8, v8",
            "store.global v6, v8 v9: f32 = load.global v6 + 4",
            "store.global v6 align 8, v8 store.global v6 + 4, v8",
        ] {
            check(accesses, expect![""]);
        }
    }
}
