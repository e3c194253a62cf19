//! The size of the block as a constant where the kernel requires it: `block(256)` makes 256 of `block_dim().x`.
//!
//! Loops that step by the block then step by a number.

use crate::analysis::required_size;
use crate::ir::{Function, InstData};

/// See the head of this file.
pub fn fold_block_shape(func: &mut Function) {
    if func.bounds.block.is_none() || func.has_group_products() {
        return;
    }
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        for at in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[at];
            if let InstData::Special { register } = func.insts[inst]
                && let Some(bits) = required_size(func, register)
            {
                func.insts[inst] = InstData::Const { bits };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    const TEXT: &str = "kernel k(param0 p: i64 ptr align 4) bounds(block 256 1 1) {
        block0:
            v0: i64 = param0
            v1: i32 = special ntid.x
            v2: i32 = special ntid.y
            v3: i32 = special tid.x
            v4: i32 = add v1, v2
            v5: i32 = add v4, v3
            store.global v0, v5
            return
        }";

    #[test]
    fn required_sizes_are_constants() {
        check(
            fold_block_shape,
            TEXT,
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4) bounds(block 256 1 1) {
            block0:
                v0: i64 = param0
                v1: i32 = const 256
                v2: i32 = const 1
                v3: i32 = special tid.x
                v4: i32 = add v1, v2
                v5: i32 = add v4, v3
                store.global v0, v5
                return
            }
        "#]],
        );
    }

    #[test]
    fn other_sizes_stay() {
        check_stays(fold_block_shape, &TEXT.replace("block 256 1 1", "max_threads 256"));
    }
}
