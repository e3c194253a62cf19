//! Global value numbering: an instruction whose result was computed before, in a block that dominates, is that result.
//!
//! Pure instructions count, and loads of read-only memory. Walks the dominator tree in preorder: an entry of
//! the table that does not dominate belongs to a subtree that will not be seen again, and is overwritten.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::renames::Renames;
use crate::analysis::{Cfg, DomTree};
use crate::ir::{Block, Function, InstData, Space, Type, Value, ValueDef};

/// See the head of this file.
pub fn number_values(func: &mut Function) {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let mut renames = Renames::new(func);
    let count = func.layout.iter().map(|&block| func.blocks[block].insts.len()).sum();
    let mut table: HashMap<(InstData, Type), (Block, Value), BuildHasherDefault<WordHasher>> =
        HashMap::with_capacity_and_hasher(count, BuildHasherDefault::default());
    let Function { blocks, insts, results, values, .. } = &mut *func;
    for &block in tree.preorder() {
        let mut runs_as_a_whole = true;
        blocks[block].insts.retain(|&inst| {
            let data = &mut insts[inst];
            data.map_args(|value| renames.resolve(value));
            // PTX of the user may end the thread.
            runs_as_a_whole &= !matches!(
                data,
                InstData::Inline { .. } | InstData::InlineOut { .. } | InstData::InlineEffect { .. }
            );
            let Some(result) = results[inst].filter(|_| is_repeatable(data)) else { return true };
            let known = table.entry((canonical(data), values[result].ty)).or_insert((block, result));
            if known.1 == result {
                return true;
            }
            if !tree.dominates(known.0, block) {
                *known = (block, result);
                return true;
            }
            let is_exact = matches!(data, InstData::Binary { no_unsigned_wrap: true, .. });
            // One does not run without the other.
            if is_exact
                && runs_as_a_whole
                && known.0 == block
                && let ValueDef::Result(first) = values[known.1].def
                && let InstData::Binary { no_unsigned_wrap, .. } = &mut insts[first]
            {
                *no_unsigned_wrap = true;
            }
            renames.replace(result, known.1);
            false
        });
    }
    // Arguments along back edges may name what was found later.
    renames.apply(func);
}

pub(super) fn is_repeatable(data: &InstData) -> bool {
    match data {
        InstData::Load { space, read_only, cache, .. } => {
            (*read_only || *space == Space::Const) && !cache.is_volatile()
        }
        _ => data.is_pure(),
    }
}

/// Canonical data: equal for instructions with the same result.
///
/// The first instruction stays, with its own `no_unsigned_wrap`, which holds wherever it stands, or that of another in its block.
pub(super) fn canonical(data: &InstData) -> InstData {
    match *data {
        InstData::Binary { op, args, .. } => {
            let args = if op.is_commutative() { sorted(args) } else { args };
            InstData::Binary { op, args, no_unsigned_wrap: false }
        }
        InstData::IntCompare { cond, args } => {
            let cond = if sorted(args) == args { cond } else { cond.swapped() };
            InstData::IntCompare { cond, args: sorted(args) }
        }
        _ => data.clone(),
    }
}

fn sorted([a, b]: [Value; 2]) -> [Value; 2] {
    [a.min(b), a.max(b)]
}

/// Multiplies and rotates word by word: the keys are small numbers, with no adversary to make them collide.
#[derive(Default)]
struct WordHasher(u64);

impl WordHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        // The table takes the top bits for its tags and the low bits for the place.
        self.0 ^ (self.0 >> 32)
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.add(byte.into()));
    }
    fn write_u8(&mut self, word: u8) {
        self.add(word.into());
    }
    fn write_u32(&mut self, word: u32) {
        self.add(word.into());
    }
    fn write_i32(&mut self, word: i32) {
        self.add(word as u64);
    }
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }
    fn write_isize(&mut self, word: isize) {
        self.add(word as u64);
    }
    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn the_same_again() {
        check(
            number_values,
            "kernel k(param0 n: i32, param1 x: i64 ptr align 4) {
            block0:
                v0: i32 = special tid.x
                v1: i32 = param0
                v2: i32 = add nuw v0, v1
                v3: i32 = special tid.x
                v4: i32 = add v1, v3
                v5: bool = icmp ult v4, v1
                branch v5, block1, block2
            block1:
                v6: bool = icmp ugt v1, v2
                v7: i32 = param0
                v8: i32 = neg v7
                v9: i64 = param1
                v10: i32 = load.global v9 read_only
                v11: i32 = load.global v9
                branch v6, block3(v8, v10, v11), block4
            block4:
                v20: i32 = load.global v9 read_only
                v21: i32 = load.global v9
                jump block3(v8, v20, v21)
            block2:
                v12: i32 = neg v1
                v13: i32 = sub v0, v1
                v14: i32 = sub v1, v0
                jump block3(v12, v13, v14)
            block3(v15: i32, v16: i32, v17: i32):
                v18: i32 = neg v1
                store.shared v18, v15
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 x: i64 ptr align 4) {
                block0:
                    v0: i32 = special tid.x
                    v1: i32 = param0
                    v2: i32 = add nuw v0, v1
                    v5: bool = icmp ult v2, v1
                    branch v5, block1, block2
                block1:
                    v8: i32 = neg v1
                    v9: i64 = param1
                    v10: i32 = load.global v9 read_only
                    v11: i32 = load.global v9
                    branch v5, block3(v8, v10, v11), block4
                block4:
                    v21: i32 = load.global v9
                    jump block3(v8, v10, v21)
                block2:
                    v12: i32 = neg v1
                    v13: i32 = sub v0, v1
                    v14: i32 = sub v1, v0
                    jump block3(v12, v13, v14)
                block3(v15: i32, v16: i32, v17: i32):
                    v18: i32 = neg v1
                    store.shared v18, v15
                    return
                }
            "#]],
        );
    }

    /// Of two equal sums of a block that one does not wrap holds for both: the address of `x[i + j]` where `i + j` was computed before.
    #[test]
    fn a_sum_that_does_not_wrap() {
        check(
            number_values,
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = special tid.x
                v1: i32 = param0
                v2: i32 = add v0, v1
                v3: i32 = add nuw v1, v0
                v4: i32 = sub v0, v1
                store.shared v2, v3
                v5: bool = icmp ult v0, v1
                branch v5, block1, block2
            block1:
                v6: i32 = sub nuw v0, v1
                store.shared v4, v6
                return
            block2:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = special tid.x
                    v1: i32 = param0
                    v2: i32 = add nuw v0, v1
                    v4: i32 = sub v0, v1
                    store.shared v2, v2
                    v5: bool = icmp ult v0, v1
                    branch v5, block1, block2
                block1:
                    store.shared v4, v4
                    return
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn around_a_loop() {
        check(
            number_values,
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = const 1
                jump block1(v1)
            block1(v2: i32):
                v3: i32 = const 1
                v4: i32 = add v2, v3
                v5: bool = icmp ult v4, v0
                branch v5, block1(v3), block2
            block2:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = param0
                    v1: i32 = const 1
                    jump block1(v1)
                block1(v2: i32):
                    v4: i32 = add v2, v1
                    v5: bool = icmp ult v4, v0
                    branch v5, block1(v1), block2
                block2:
                    return
                }
            "#]],
        );
    }
}
