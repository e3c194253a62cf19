//! Removes stores that a later store of the same block overwrites, if nothing in between may read them: of `total[t] += part[k][t]` in an
//! unrolled loop all but the last one. The loads of other variables, which could not pass these stores, are then side by side.
//!
//! No other thread may read what is stored in between: it would be a data race, and one with the later store too. Barriers, fences, collectives and
//! atomic operations end what is known.

use super::forward::Place;
use crate::ir::{Function, InstData, Space};

/// Maximum number of later stores: each access examines all of them.
const MOST_STORES: usize = 48;

/// See the head of this file.
pub fn remove_dead_stores(func: &mut Function) {
    for block in func.layout.clone() {
        // Bytes that are overwritten before anything reads them.
        let mut overwritten: Vec<Place> = Vec::new();
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        let mut is_dead = vec![false; insts.len()];
        for (&inst, is_dead) in insts.iter().zip(&mut is_dead).rev() {
            match func.insts[inst] {
                InstData::Store {
                    space: space @ (Space::Global | Space::Shared | Space::Local),
                    address,
                    offset,
                    value,
                    cache,
                    ..
                } if !cache.is_volatile() => {
                    let place = Place::new(func, space, address, offset, func.ty(value));
                    *is_dead = overwritten.iter().any(|later| later.covers(&place));
                    if !*is_dead && overwritten.len() < MOST_STORES {
                        overwritten.push(place);
                    }
                }
                InstData::Load { space, address, offset, .. } => {
                    let Some(result) = func.results[inst] else { continue };
                    let place = Place::new(func, space, address, offset, func.ty(result));
                    overwritten.retain(|later| !later.may_meet(&place));
                }
                ref data if data.is_pure() => {}
                _ => overwritten.clear(),
            }
        }
        let mut is_dead = is_dead.into_iter();
        insts.retain(|_| is_dead.next() == Some(false));
        func.blocks[block].insts = insts;
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// Stores of a sum, with this between them.
    fn stores(between: &str) -> String {
        format!(
            "kernel k(param0 x: i64 ptr align 4) {{
                shared0 sums: 64 align 4
                shared1 parts: 64 align 4
            block0:
                v0: i64 = param0
                v1: i32 = address shared0
                v2: i32 = address shared1
                v3: i32 = special tid.x
                v4: i32 = const 4
                v5: i32 = mul nuw v3, v4
                v6: i32 = add v1, v5
                v7: i32 = add v2, v5
                v8: i32 = load.shared v6
                v9: i32 = load.shared v7
                v10: i32 = add v8, v9
                store.shared v6, v10
                {between}
                v11: i32 = load.shared v7 + 32
                v12: i32 = add v10, v11
                store.shared v6, v12
                return
            }}"
        )
    }

    #[test]
    fn a_sum_that_is_stored_twice() {
        check(
            remove_dead_stores,
            &stores(""),
            expect![[r#"
            kernel k(param0 x: i64 ptr align 4) {
                shared0 sums: 64 align 4
                shared1 parts: 64 align 4
            block0:
                v0: i64 = param0
                v1: i32 = address shared0
                v2: i32 = address shared1
                v3: i32 = special tid.x
                v4: i32 = const 4
                v5: i32 = mul nuw v3, v4
                v6: i32 = add v1, v5
                v7: i32 = add v2, v5
                v8: i32 = load.shared v6
                v9: i32 = load.shared v7
                v10: i32 = add v8, v9
                v11: i32 = load.shared v7 + 32
                v12: i32 = add v10, v11
                store.shared v6, v12
                return
            }
        "#]],
        );
    }

    #[test]
    fn stores_that_something_may_see() {
        check_stays(remove_dead_stores, &stores("barrier"));
        check_stays(remove_dead_stores, &stores("v20: i32 = load.shared v6"));
        // An address that may be this one.
        check_stays(remove_dead_stores, &stores("v20: i32 = load.shared v1 + 8"));
    }
}
