//! Words of 64 bits in local arrays that only ever hold numbers of 32: a stack of `usize` nodes, whose numbers are below a length.
//!
//! Each word of 32 bits in local memory is a line of its own for the lanes of a warp, so that the upper halves cost as much as the lower ones. They
//! stay where they are, and nothing reads or writes them any more.

use std::collections::BTreeMap;

use super::super::narrow::narrow_to_32_bits;
use super::parts::{Access, Terms, Uses};
use crate::analysis::Cfg;
use crate::analysis::multiples::trailing_zeros;
use crate::ir::{ConvertOp, Function, InstData, Type, Value};

/// Bytes of a word.
const WORD: i64 = 8;
/// The largest period of elements, in bits, that is looked at.
const MOST_ZEROS: u32 = 16;

/// See the head of this file.
pub fn narrow_words(func: &mut Function) {
    if func.locals.is_empty() {
        return;
    }
    let uses = Uses::new(func, &Cfg::new(func));
    let mut chosen = Vec::new();
    for (var, accesses) in uses.accesses.iter() {
        if !uses.escapes(var) {
            chosen.extend(
                words_of(func, &uses, accesses)
                    .into_iter()
                    .flatten()
                    .map(|access| (access.block, access.inst)),
            );
        }
    }
    for &(block, inst) in &chosen {
        let location = func.locations[inst];
        let Some(at) = func.blocks[block].insts.iter().position(|&other| other == inst) else { continue };
        let (new, value) = match (func.insts[inst].clone(), func.results[inst]) {
            (load @ InstData::Load { .. }, Some(_)) => {
                let (new, value) = func.make_value(load, Type::I32, location);
                func.insts[inst] = InstData::Convert { op: ConvertOp::ZeroExtend, arg: value };
                (Some(new), None)
            }
            (InstData::Store { value, .. }, _) => match low_word(func, value) {
                Some(low) if func.ty(low) == Type::I32 => (None, Some(low)),
                low => {
                    let data = match low {
                        Some(arg) => InstData::Convert { op: ConvertOp::ZeroExtend, arg },
                        None => InstData::Const { bits: func.constant(value).unwrap_or_default() },
                    };
                    let (new, value) = func.make_value(data, Type::I32, location);
                    (Some(new), Some(value))
                }
            },
            _ => continue,
        };
        func.blocks[block].insts.splice(at..at, new);
        if let (InstData::Store { value: stored, .. }, Some(value)) = (&mut func.insts[inst], value) {
            *stored = value;
        }
    }
    if !chosen.is_empty() {
        // Indices that are loaded are 32 bits now.
        narrow_to_32_bits(func);
    }
}

/// The accesses to each word of a period of the variable that holds numbers of 32 bits alone.
fn words_of<'u>(func: &Function, uses: &Uses, accesses: &'u [Access]) -> Vec<Vec<&'u Access>> {
    let mut zeros = MOST_ZEROS;
    let mut has_terms = false;
    for access in accesses {
        match uses.terms(access.pointer.terms) {
            Some(terms) => zeros = terms.iter().map(|&term| trailing_zeros(func, term)).fold(zeros, u32::min),
            None => return Vec::new(),
        }
        has_terms |= !matches!(access.pointer.terms, Terms::None);
    }
    let period = 1i64 << zeros;
    if !has_terms || period < WORD {
        return Vec::new();
    }
    let place = |access: &Access| {
        let start = access.pointer.offset.rem_euclid(period);
        start..start + i64::from(access.ty.bytes())
    };
    let mut words: BTreeMap<i64, Vec<&Access>> = BTreeMap::new();
    let is_word = |access: &&Access| access.ty == Type::I64 && place(access).start % WORD == 0;
    for access in accesses.iter().filter(is_word) {
        words.entry(place(access).start).or_default().push(access);
    }
    words.retain(|&start, of_word| {
        let meets = |access: &Access| {
            let place = place(access);
            place.end > period || place.start < start + WORD && start < place.end
        };
        let is_small = |access: &&Access| match func.insts[access.inst] {
            InstData::Store { value, .. } => {
                low_word(func, value).is_some()
                    || func.constant(value).is_some_and(|bits| bits <= u32::MAX.into())
            }
            _ => true,
        };
        of_word.iter().any(|access| !access.is_store)
            && of_word.iter().all(is_small)
            && !accesses.iter().any(|access| !is_word(&access) && meets(access))
    });
    words.into_values().collect()
}

/// The number of at most 32 bits that a word is the extension of.
fn low_word(func: &Function, value: Value) -> Option<Value> {
    match *func.def(value)? {
        InstData::Convert { op: ConvertOp::ZeroExtend, arg } => Some(arg),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::super::{check, check_stays};
    use super::*;

    /// A stack of words beside floats: a word is pushed, and one is popped.
    fn stack(word: &str, more: &str) -> String {
        format!(
            "kernel k(param0 p: i64 ptr align 8, param1 i: i32, param2 j: i32, param3 x: f32, param4 w: i64) {{
                local0 stack: 384 align 16
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: f32 = param3
                v4: i64 = param4
                v5: i64 = address local0
                v6: i64 = const 0
                v7: i32 = const 16
                store.local v5, v6
                v8: i32 = mul v1, v7
                v9: i64 = zext v8
                v10: i64 = add v5, v9
                v11: i64 = zext v2
                store.local v10 + 16, {word}
                store.local v10 + 24, v3
                v12: i32 = mul v2, v7
                v13: i64 = zext v12
                v14: i64 = add v5, v13
                {more}
                v15: i64 = load.local v14
                store.global v0, v15
                return
            }}"
        )
    }

    #[test]
    fn a_stack_of_indices() {
        check(
            narrow_words,
            &stack("v11", ""),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 8, param1 i: i32, param2 j: i32, param3 x: f32, param4 w: i64) {
                local0 stack: 384 align 16
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: f32 = param3
                v4: i64 = param4
                v5: i64 = address local0
                v6: i64 = const 0
                v7: i32 = const 16
                v16: i32 = const 0
                store.local v5, v16
                v8: i32 = mul v1, v7
                v9: i64 = zext v8
                v10: i64 = add v5, v9
                v11: i64 = zext v2
                store.local v10 + 16, v2
                store.local v10 + 24, v3
                v12: i32 = mul v2, v7
                v13: i64 = zext v12
                v14: i64 = add v5, v13
                v17: i32 = load.local v14
                v15: i64 = zext v17
                store.global v0, v15
                return
            }
        "#]],
        );
    }

    #[test]
    fn words_of_64_bits_and_parts_of_words() {
        check_stays(narrow_words, &stack("v4", ""));
        check_stays(narrow_words, &stack("v11", "v16: i32 = load.local v14 + 4 store.global v0 + 8, v16"));
        check_stays(narrow_words, &stack("v11", "v16: i64 = load.local v14 + 4 store.global v0 + 8, v16"));
    }
}
