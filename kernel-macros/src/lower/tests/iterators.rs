//! Iterators: counted loops without checks.

use expect_test::expect;

use super::check_body;

#[test]
fn slices_are_read_without_checks() {
    check_body(
        "x: &[f32], y: &mut [f32]",
        "let mut sum = 0.0f32; for v in x { sum += *v; } y[0] = sum;",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = to_generic.global v4
                v6: i32 = param3
                v7: i64 = zext v6
                v8: f32 = const 0.0
                v10: i64 = const 0
                jump block1(v10, v8)
            block1(v9: i64, v16: f32):
                v11: bool = icmp ult v9, v3
                branch v11, block2, block4
            block2:
                v12: i64 = const 4
                v13: i64 = mul nuw v9, v12
                v14: i64 = add nuw v1, v13
                v15: f32 = load.generic v14
                v17: f32 = fadd v16, v15
                jump block3
            block3:
                v18: i64 = const 1
                v19: i64 = add nuw v9, v18
                jump block1(v19, v17)
            block4:
                v20: i64 = const 0
                v21: bool = icmp ult v20, v7
                branch v21, block5, block6
            block5:
                store.generic v5, v16
                return
            block6:
                panic panic0(v20, v7)
            }"#]],
    );
}

#[test]
fn zipped_slices() {
    check_body(
        "x: &[f32], y: &mut [f32]",
        "for (a, b) in x.iter().zip(y.iter_mut()) { *b = *a; }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) {
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = to_generic.global v4
                v6: i32 = param3
                v7: i64 = zext v6
                v8: i64 = umin v3, v7
                v10: i64 = const 0
                jump block1(v10)
            block1(v9: i64):
                v11: bool = icmp ult v9, v8
                branch v11, block2, block4
            block2:
                v12: i64 = const 4
                v13: i64 = mul nuw v9, v12
                v14: i64 = add nuw v1, v13
                v15: i64 = const 4
                v16: i64 = mul nuw v9, v15
                v17: i64 = add nuw v5, v16
                v18: f32 = load.generic v14
                store.generic v17, v18
                jump block3
            block3:
                v19: i64 = const 1
                v20: i64 = add nuw v9, v19
                jump block1(v20)
            block4:
                return
            }"#]],
    );
}

#[test]
fn sums_of_mapped_items() {
    check_body(
        "x: &[f32], y: &mut [f32]",
        "y[0] = x.iter().map(|v| v * v).sum::<f32>();",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = to_generic.global v4
                v6: i32 = param3
                v7: i64 = zext v6
                v8: f32 = const -0.0
                v10: i64 = const 0
                jump block1(v10, v8)
            block1(v9: i64, v18: f32):
                v11: bool = icmp ult v9, v3
                branch v11, block2, block4
            block2:
                v12: i64 = const 4
                v13: i64 = mul nuw v9, v12
                v14: i64 = add nuw v1, v13
                v15: f32 = load.generic v14
                v16: f32 = load.generic v14
                v17: f32 = fmul v15, v16
                v19: f32 = fadd v18, v17
                jump block3
            block3:
                v20: i64 = const 1
                v21: i64 = add nuw v9, v20
                jump block1(v21, v19)
            block4:
                v22: i64 = const 0
                v23: bool = icmp ult v22, v7
                branch v23, block5, block6
            block5:
                store.generic v5, v18
                return
            block6:
                panic panic0(v22, v7)
            }"#]],
    );
}

#[test]
fn filters_are_conditions_inside() {
    check_body(
        "x: &[i32], y: &mut [i32]",
        "y[0] = x.iter().copied().filter(|v| *v > 0).fold(0, |a, b| a + b);",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) {
                local0 temporary: 4 align 4
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = to_generic.global v4
                v6: i32 = param3
                v7: i64 = zext v6
                v8: i32 = const 0
                v10: i64 = const 0
                jump block1(v10, v8)
            block1(v9: i64, v21: i32):
                v11: bool = icmp ult v9, v3
                branch v11, block2, block4
            block2:
                v12: i64 = const 4
                v13: i64 = mul nuw v9, v12
                v14: i64 = add nuw v1, v13
                v15: i32 = load.generic v14
                v16: i64 = address local0
                store.local v16, v15
                v17: i64 = to_generic.local v16
                v18: i32 = load.generic v17
                v19: i32 = const 0
                v20: bool = icmp sgt v18, v19
                branch v20, block5, block3(v21)
            block5:
                v22: i32 = add v21, v15
                jump block3(v22)
            block3(v25: i32):
                v23: i64 = const 1
                v24: i64 = add nuw v9, v23
                jump block1(v24, v25)
            block4:
                v26: i64 = const 0
                v27: bool = icmp ult v26, v7
                branch v27, block6, block7
            block6:
                store.generic v5, v21
                return
            block7:
                panic panic0(v26, v7)
            }"#]],
    );
}

#[test]
fn reversed_steps_with_numbers() {
    check_body(
        "x: &[i32], y: &mut [i32]",
        "for (i, v) in x.iter().rev().step_by(3).enumerate() { y[i] = *v; }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = to_generic.global v4
                v6: i32 = param3
                v7: i64 = zext v6
                v8: i64 = const 3
                v9: i64 = udiv v3, v8
                v10: i64 = urem v3, v8
                v11: i64 = const 0
                v12: bool = icmp ne v10, v11
                v13: i64 = zext v12
                v14: i64 = add nuw v9, v13
                v16: i64 = const 0
                jump block1(v16)
            block1(v15: i64):
                v17: bool = icmp ult v15, v14
                branch v17, block2, block4
            block2:
                v18: i64 = mul nuw v15, v8
                v19: i64 = const 1
                v20: i64 = sub nuw v3, v19
                v21: i64 = sub nuw v20, v18
                v22: i64 = const 4
                v23: i64 = mul nuw v21, v22
                v24: i64 = add nuw v1, v23
                v25: i32 = load.generic v24
                v26: bool = icmp ult v15, v7
                branch v26, block5, block6
            block5:
                v27: i64 = const 4
                v28: i64 = mul nuw v15, v27
                v29: i64 = add nuw v5, v28
                store.generic v29, v25
                jump block3
            block3:
                v30: i64 = const 1
                v31: i64 = add nuw v15, v30
                jump block1(v31)
            block4:
                return
            block6:
                panic panic0(v15, v7)
            }"#]],
    );
}

#[test]
fn searches_stop() {
    check_body(
        "x: &[i32], y: &mut [i32]",
        "if x.iter().any(|v| *v == 3) { y[0] = 1; }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = to_generic.global v4
                v6: i32 = param3
                v7: i64 = zext v6
                v9: i64 = const 0
                jump block3(v9)
            block3(v8: i64):
                v10: bool = icmp ult v8, v3
                branch v10, block4, block6
            block4:
                v11: i64 = const 4
                v12: i64 = mul nuw v8, v11
                v13: i64 = add nuw v1, v12
                v14: i32 = load.generic v13
                v15: i32 = const 3
                v16: bool = icmp eq v14, v15
                branch v16, block1, block5
            block5:
                v17: i64 = const 1
                v18: i64 = add nuw v8, v17
                jump block3(v18)
            block6:
                jump block2
            block1:
                v19: i32 = const 1
                v20: i64 = const 0
                v21: bool = icmp ult v20, v7
                branch v21, block7, block8
            block7:
                store.generic v5, v19
                jump block2
            block2:
                return
            block8:
                panic panic0(v20, v7)
            }"#]],
    );
}

#[test]
fn chunks_and_chains() {
    check_body(
        "x: &[i32], y: &mut [i32], n: usize",
        "for c in x.chunks(n) { y[0] += c[0]; } for i in (0..3).chain(7..n) { y[i] = 1; }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32, param4 n: i64) {
                panic0 message "chunk size must be non-zero"
                panic1 index "c"
                panic2 index "y"
                panic3 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = to_generic.global v4
                v6: i32 = param3
                v7: i64 = zext v6
                v8: i64 = param4
                v9: i64 = const 0
                v10: bool = icmp ne v8, v9
                branch v10, block1, block2
            block1:
                v11: i64 = udiv v3, v8
                v12: i64 = urem v3, v8
                v13: i64 = const 0
                v14: bool = icmp ne v12, v13
                v15: i64 = zext v14
                v16: i64 = add nuw v11, v15
                v18: i64 = const 0
                jump block3(v18)
            block3(v17: i64):
                v19: bool = icmp ult v17, v16
                branch v19, block4, block6
            block4:
                v20: i64 = mul nuw v17, v8
                v21: i64 = const 4
                v22: i64 = mul nuw v20, v21
                v23: i64 = add nuw v1, v22
                v24: i64 = sub nuw v3, v20
                v25: i64 = umin v24, v8
                v26: i64 = const 0
                v27: bool = icmp ult v26, v25
                branch v27, block7, block8
            block7:
                v28: i32 = load.generic v23
                v29: i64 = const 0
                v30: bool = icmp ult v29, v7
                branch v30, block9, block10
            block9:
                v31: i32 = load.generic v5
                v32: i32 = add v31, v28
                store.generic v5, v32
                jump block5
            block5:
                v33: i64 = const 1
                v34: i64 = add nuw v17, v33
                jump block3(v34)
            block6:
                v35: i64 = const 0
                v36: i64 = const 3
                v37: bool = icmp ult v35, v36
                v38: i64 = sub v36, v35
                v39: i64 = const 0
                v40: i64 = const 7
                v41: bool = icmp ult v40, v8
                v42: i64 = sub v8, v40
                v43: i64 = const 0
                v44: i64 = select v41, v42, v43
                v45: i64 = const -1
                v46: i64 = sub nuw v45, v36
                v47: i64 = umin v46, v44
                v48: i64 = add nuw v36, v47
                v50: i64 = const 0
                jump block11(v50)
            block11(v49: i64):
                v51: bool = icmp ult v49, v48
                branch v51, block12, block14
            block12:
                v52: bool = icmp ult v49, v36
                branch v52, block15, block16
            block15:
                v54: i64 = add nuw v35, v49
                jump block17(v54)
            block16:
                v55: i64 = sub nuw v49, v36
                v56: i64 = add nuw v40, v55
                jump block17(v56)
            block17(v53: i64):
                v57: i32 = const 1
                v58: bool = icmp ult v53, v7
                branch v58, block18, block19
            block18:
                v59: i64 = const 4
                v60: i64 = mul nuw v53, v59
                v61: i64 = add nuw v5, v60
                store.generic v61, v57
                jump block13
            block13:
                v62: i64 = const 1
                v63: i64 = add nuw v49, v62
                jump block11(v63)
            block14:
                return
            block2:
                panic panic0
            block8:
                panic panic1(v26, v25)
            block10:
                panic panic2(v29, v7)
            block19:
                panic panic3(v53, v7)
            }"#]],
    );
}

#[test]
fn arrays_by_value() {
    check_body(
        "y: &mut [i32], n: i32",
        "for v in [1, n, 3] { y[0] += v; }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i32) {
                local0 temporary: 12 align 4
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i32 = const 1
                v6: i32 = const 3
                v7: i64 = address local0
                store.local v7, v5
                store.local v7 + 4, v4
                store.local v7 + 8, v6
                v8: i64 = const 3
                v10: i64 = const 0
                jump block1(v10)
            block1(v9: i64):
                v11: bool = icmp ult v9, v8
                branch v11, block2, block4
            block2:
                v12: i64 = const 4
                v13: i64 = mul nuw v9, v12
                v14: i64 = add nuw v7, v13
                v15: i32 = load.local v14
                v16: i64 = const 0
                v17: bool = icmp ult v16, v3
                branch v17, block5, block6
            block5:
                v18: i32 = load.generic v1
                v19: i32 = add v18, v15
                store.generic v1, v19
                jump block3
            block3:
                v20: i64 = const 1
                v21: i64 = add nuw v9, v20
                jump block1(v21)
            block4:
                return
            block6:
                panic panic0(v16, v3)
            }"#]],
    );
}
