//! Thread indices, shared memory, shuffles.

use expect_test::expect;

use super::check_body;

#[test]
fn shared_arrays_of_arrays() {
    check_body(
        "y: &mut [f32], i: usize",
        "let mut tile = shared::<[[f32; 33]; 32]>(); tile[i][2] = 1.0; barrier(); y[0] = tile[3][i];",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 i: i64) {
                shared0 tile: 4224 align 4
                panic0 index "tile"
                panic1 index "tile[_]"
                panic2 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i32 = address shared0
                v6: f32 = const 1.0
                v7: i64 = const 32
                v8: bool = icmp ult v4, v7
                branch v8, block1, block2
            block1:
                v9: i32 = trunc_int v4
                v10: i32 = const 132
                v11: i32 = mul nuw v9, v10
                v12: i32 = add nuw v5, v11
                v13: i64 = const 2
                store.shared v12 + 8, v6
                barrier
                v14: i64 = const 3
                v15: i64 = const 33
                v16: bool = icmp ult v4, v15
                branch v16, block3, block4
            block3:
                v17: i32 = trunc_int v4
                v18: i32 = const 4
                v19: i32 = mul nuw v17, v18
                v20: i32 = add nuw v5, v19
                v21: f32 = load.shared v20 + 396
                v22: i64 = const 0
                v23: bool = icmp ult v22, v3
                branch v23, block5, block6
            block5:
                store.generic v1, v21
                return
            block2:
                panic panic0(v4, v7)
            block4:
                panic panic1(v4, v15)
            block6:
                panic panic2(v22, v3)
            }"#]],
    );
}

#[test]
fn shuffles_of_64_bits_are_two() {
    check_body(
        "y: &mut [f64], a: f64",
        "y[0] = warp::shfl_down(a, 16);",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 8, param1 y_len: i32, param2 a: f64) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: f64 = param2
                v5: i32 = const -1
                v6: i32 = const 16
                v7: i32 = const 31
                v8: f64 = shuffle.down v4, v6, v7, v5
                v9: i64 = const 0
                v10: bool = icmp ult v9, v3
                branch v10, block1, block2
            block1:
                store.generic v1, v8
                return
            block2:
                panic panic0(v9, v3)
            }"#]],
    );
}

#[test]
fn shuffles_know_their_clamp() {
    check_body(
        "y: &mut [f32], a: f32",
        "y[0] = warp::shfl_up(a, 1);",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: f32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: f32 = param2
                v5: i32 = const -1
                v6: i32 = const 1
                v7: i32 = const 0
                v8: f32 = shuffle.up v4, v6, v7, v5
                v9: i64 = const 0
                v10: bool = icmp ult v9, v3
                branch v10, block1, block2
            block1:
                store.generic v1, v8
                return
            block2:
                panic panic0(v9, v3)
            }"#]],
    );
}

#[test]
fn only_the_axes_used_are_computed() {
    check_body(
        "y: &mut [usize]",
        "let t = thread_idx(); y[0] = global_idx().y; y[1] = warp::warp_id(); y[2] = t.z;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 8, param1 y_len: i32) {
                panic0 index "y"
                panic1 index "y"
                panic2 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = special tid.x
                v5: i64 = zext v4
                v6: i32 = special tid.y
                v7: i64 = zext v6
                v8: i32 = special tid.z
                v9: i64 = zext v8
                v10: i32 = special ctaid.y
                v11: i32 = special ntid.y
                v12: i32 = mul nuw v10, v11
                v13: i32 = special tid.y
                v14: i32 = add nuw v12, v13
                v15: i64 = zext v14
                v16: i64 = const 0
                v17: bool = icmp ult v16, v3
                branch v17, block1, block2
            block1:
                store.generic v1, v15
                v18: i32 = special tid.z
                v19: i32 = special ntid.y
                v20: i32 = mul nuw v18, v19
                v21: i32 = special tid.y
                v22: i32 = add nuw v20, v21
                v23: i32 = special ntid.x
                v24: i32 = mul nuw v22, v23
                v25: i32 = special tid.x
                v26: i32 = add nuw v24, v25
                v27: i32 = const 5
                v28: i32 = lshr v26, v27
                v29: i64 = zext v28
                v30: i64 = const 1
                v31: bool = icmp ult v30, v3
                branch v31, block3, block4
            block3:
                store.generic v1 + 8, v29
                v32: i64 = const 2
                v33: bool = icmp ult v32, v3
                branch v33, block5, block6
            block5:
                store.generic v1 + 16, v9
                return
            block2:
                panic panic0(v16, v3)
            block4:
                panic panic1(v30, v3)
            block6:
                panic panic2(v32, v3)
            }"#]],
    );
}

#[test]
fn dynamic_shared_memory_is_a_slice() {
    check_body(
        "y: &mut [f32], i: usize",
        "let mut s = shared_dyn::<f32>(); s[i] = 1.0; barrier(); y[0] = s[0]; y[s.len()] = 2.0;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 i: i64) {
                shared0 s: 0 align 16
                panic0 index "s"
                panic1 index "s"
                panic2 index "y"
                panic3 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: f32 = const 1.0
                v6: i32 = address shared0
                v7: i32 = special dynamic_smem_size
                v8: i64 = zext v7
                v9: i64 = const 4
                v10: i64 = udiv v8, v9
                v11: i64 = to_generic.shared v6
                v12: bool = icmp ult v4, v10
                branch v12, block1, block2
            block1:
                v13: i64 = const 4
                v14: i64 = mul nuw v4, v13
                v15: i64 = add nuw v11, v14
                store.generic v15, v5
                barrier
                v16: i32 = address shared0
                v17: i32 = special dynamic_smem_size
                v18: i64 = zext v17
                v19: i64 = const 4
                v20: i64 = udiv v18, v19
                v21: i64 = to_generic.shared v16
                v22: i64 = const 0
                v23: bool = icmp ult v22, v20
                branch v23, block3, block4
            block3:
                v24: f32 = load.generic v21
                v25: i64 = const 0
                v26: bool = icmp ult v25, v3
                branch v26, block5, block6
            block5:
                store.generic v1, v24
                v27: f32 = const 2.0
                v28: i32 = address shared0
                v29: i32 = special dynamic_smem_size
                v30: i64 = zext v29
                v31: i64 = const 4
                v32: i64 = udiv v30, v31
                v33: i64 = to_generic.shared v28
                v34: bool = icmp ult v32, v3
                branch v34, block7, block8
            block7:
                v35: i64 = const 4
                v36: i64 = mul nuw v32, v35
                v37: i64 = add nuw v1, v36
                store.generic v37, v27
                return
            block2:
                panic panic0(v4, v10)
            block4:
                panic panic1(v22, v20)
            block6:
                panic panic2(v25, v3)
            block8:
                panic panic3(v32, v3)
            }"#]],
    );
}
