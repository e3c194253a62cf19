//! Coarsened kernels as IR.

use expect_test::{Expect, expect};

use super::coarsen_threads;
use crate::passes::{check, dce, fold, gvn, simplify_cfg};

/// Checks the coarsened kernel of a body with the thread's index in `v5`, the buffers `x` and `y` in `v0` and `v1`, their lengths
/// in `v2` and `v3`; cleaned up as the pipeline does.
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
            v12: i64 = zext v5
            v11: bool = icmp ult v5, v2
            branch v11, block3, block4
         block3:
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
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) {
                panic0 index
            block5:
                v20: i32 = special ctaid.x
                v21: i32 = special ntid.x
                v22: i32 = special tid.x
                v23: i32 = mul nuw v20, v21
                v24: i32 = add nuw v23, v22
                v25: i32 = const 2
                v26: i32 = mul nuw v24, v25
                v27: i32 = const 0
                v59: i64 = param2
                v61: i64 = param0
                v64: i32 = const 1
                v67: i32 = add nuw v26, v64
                v69: i64 = or v59, v61
                v70: i32 = trunc_int v69
                v71: i32 = const 7
                v72: i32 = and v70, v71
                v74: bool = icmp eq v72, v27
                v75: i32 = param3
                v76: bool = icmp ult v67, v75
                v77: i32 = param1
                v78: bool = icmp ult v67, v77
                v79: bool = and v74, v76
                v80: bool = and v79, v78
                branch v80, block17, block6(v27)
            block17:
                v133: i64 = zext v24
                v134: i64 = const 8
                v83: i64 = mul nuw v133, v134
                v84: i64 = add v59, v83
                v88: i64 = add v61, v83
                v92: f32 = load.global v88 align 8 read_only
                v94: f32 = load.global v88 + 4 read_only
                v42: f32 = fadd v92, v92
                v56: f32 = fadd v94, v94
                store.global v84 align 8, v42
                store.global v84 + 4, v56
                jump block20
            block6(v28: i32) nounroll:
                v29: i32 = add nuw v26, v28
                v10: bool = icmp ult v29, v75
                branch v10, block1, block19
            block1:
                v12: i64 = zext v29
                v11: bool = icmp ult v29, v77
                branch v11, block3, block4
            block3:
                v13: i64 = const 4
                v14: i64 = mul nuw v12, v13
                v15: i64 = add nuw v61, v14
                v16: f32 = load.global v15 read_only
                v17: f32 = fadd v16, v16
                v18: i64 = add nuw v59, v14
                store.global v18, v17
                jump block19
            block4:
                v19: i64 = zext v77
                panic panic0(v12, v19)
            block19:
                v122: i32 = add nuw v28, v64
                v124: bool = icmp ult v122, v25
                branch v124, block6(v122), block20
            block20:
                return
            }
        "#]],
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
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) {
                panic0 index
            block4:
                v22: i32 = special ctaid.x
                v23: i32 = special ntid.x
                v24: i32 = special tid.x
                v25: i32 = mul nuw v22, v23
                v26: i32 = add nuw v25, v24
                v27: i32 = const 2
                v28: i32 = mul nuw v26, v27
                v29: i32 = const 0
                v53: i64 = param2
                v56: i32 = const 1
                v59: i32 = add nuw v28, v56
                v61: i32 = trunc_int v53
                v62: i32 = const 7
                v63: i32 = and v61, v62
                v65: bool = icmp eq v63, v29
                v66: i32 = param3
                v67: bool = icmp ult v59, v66
                v68: bool = and v65, v67
                branch v68, block14, block5(v29)
            block14:
                v113: i64 = zext v26
                v114: i64 = const 8
                v71: i64 = mul nuw v113, v114
                v72: i64 = add v53, v71
                v74: f32 = load.global v72 align 8
                v77: f32 = load.global v72 + 4
                v41: f32 = const 0.0
                v42: bool = fcmp lt v74, v41
                branch v42, block8, block9(v74, v29)
            block8:
                jump block9(v41, v56)
            block9(v109: f32, v111: i32):
                v52: bool = fcmp lt v77, v41
                branch v52, block12, block13(v77, v29)
            block12:
                jump block13(v41, v56)
            block13(v110: f32, v112: i32):
                v96: bool = icmp ne v111, v29
                branch v96, block20, block21
            block20:
                store.global v72 align 8, v109
                jump block21
            block21:
                v102: bool = icmp ne v112, v29
                branch v102, block22, block17
            block22:
                store.global v72 + 4, v110
                jump block17
            block5(v30: i32) nounroll:
                v31: i32 = add nuw v28, v30
                v10: bool = icmp uge v31, v66
                branch v10, block16, block2
            block2:
                v12: i64 = zext v31
                v13: i64 = const 4
                v14: i64 = mul nuw v12, v13
                v18: i64 = add nuw v53, v14
                v19: f32 = load.global v18
                v20: f32 = const 0.0
                v21: bool = fcmp lt v19, v20
                branch v21, block3, block16
            block3:
                store.global v18, v20
                jump block16
            block16:
                v106: i32 = add nuw v30, v56
                v108: bool = icmp ult v106, v27
                branch v108, block5(v106), block17
            block17:
                return
            }
        "#]],
    );
}
