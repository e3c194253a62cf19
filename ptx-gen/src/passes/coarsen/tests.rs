//! Coarsened kernels as IR.

use expect_test::{Expect, expect};

use super::coarsen_threads;
use crate::passes::{check, dce, fold, gvn, simplify_cfg};

/// What a body becomes that has the thread's index in `v5`, the buffers `x` and `y` in `v0` and `v1`, and their lengths in `v2`
/// and `v3`; cleaned up as the pipeline does.
#[track_caller]
fn check_body(by: u32, body: &str, expected: Expect) {
    let text = format!(
        "kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) coarsen {by} {{
            panic0 index
         block0:
            v0: i64 = param0
            v1: i64 = param2
            v2: i32 = param1
            v3: i32 = param3
            v6: i32 = special ctaid.x
            v7: i32 = special ntid.x
            v8: i32 = mul nuw v6, v7
            v9: i32 = special tid.x
            v5: i32 = add nuw v8, v9
            {body}
         }}"
    );
    let pass = |func: &mut crate::ir::Function| {
        coarsen_threads(func);
        simplify_cfg::simplify_cfg(func);
        fold::fold_constants(func);
        gvn::number_values(func);
        dce::eliminate_dead_code(func);
        func.coarsen = None;
    };
    check(pass, &text, expected);
}

#[test]
fn elements_at_once_and_one_by_one() {
    check_body(
        2,
        "v10: bool = icmp ult v5, v3
            branch v10, block1, block2
         block1:
            v11: bool = icmp ult v5, v2
            branch v11, block3, block4
         block3:
            v12: i64 = zext v5
            v13: i64 = const 4
            v14: i64 = mul nuw v12, v13
            v15: i64 = add nuw v0, v14
            v16: f32 = load.global v15 read_only
            v17: f32 = fadd v16, v16
            v18: i64 = add nuw v1, v14
            store.global v18, v17
            jump block2
         block4:
            v19: i64 = zext v2
            panic panic0(v12, v19)
         block2:
            return",
        expect![],
    );
}

#[test]
fn what_is_written_sometimes_is_stored_sometimes() {
    check_body(
        2,
        "v10: bool = icmp uge v5, v3
            branch v10, block1, block2
         block2:
            v12: i64 = zext v5
            v13: i64 = const 4
            v14: i64 = mul nuw v12, v13
            v18: i64 = add nuw v1, v14
            v19: f32 = load.global v18
            v20: f32 = const 0x0
            v21: bool = fcmp lt v19, v20
            branch v21, block3, block1
         block3:
            store.global v18, v20
            jump block1
         block1:
            return",
        expect![],
    );
}
