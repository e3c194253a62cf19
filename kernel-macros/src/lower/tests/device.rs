//! Where a thread is, shared memory, shuffles.

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
                panic0 index
                panic1 index
                panic2 index
                panic3 index
                panic4 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i64 = param2
                v4: i32 = address shared0
                v5: f32 = const 1.0
                v6: i64 = const 32
                v7: bool = icmp ult v3, v6
                branch v7, block1, block2
            block1:
                v8: i32 = trunc_int v3
                v9: i32 = const 132
                v10: i32 = mul nuw v8, v9
                v11: i32 = add nuw v4, v10
                v12: i64 = const 33
                v13: i64 = const 2
                v14: bool = icmp ult v13, v12
                branch v14, block3, block4
            block3:
                v15: i32 = trunc_int v13
                v16: i32 = const 4
                v17: i32 = mul nuw v15, v16
                v18: i32 = add nuw v11, v17
                store.shared v18, v5
                barrier
                v19: i64 = const 32
                v20: i64 = const 3
                v21: bool = icmp ult v20, v19
                branch v21, block5, block6
            block5:
                v22: i32 = trunc_int v20
                v23: i32 = const 132
                v24: i32 = mul nuw v22, v23
                v25: i32 = add nuw v4, v24
                v26: i64 = const 33
                v27: bool = icmp ult v3, v26
                branch v27, block7, block8
            block7:
                v28: i32 = trunc_int v3
                v29: i32 = const 4
                v30: i32 = mul nuw v28, v29
                v31: i32 = add nuw v25, v30
                v32: f32 = load.shared v31
                v33: i64 = const 0
                v34: bool = icmp ult v33, v2
                branch v34, block9, block10
            block9:
                v35: i64 = const 4
                v36: i64 = mul nuw v33, v35
                v37: i64 = add nuw v0, v36
                store.global v37, v32
                return
            block2:
                panic panic0(v3, v6)
            block4:
                panic panic1(v13, v12)
            block6:
                panic panic2(v20, v19)
            block8:
                panic panic3(v3, v26)
            block10:
                panic panic4(v33, v2)
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
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: f64 = param2
                v4: i32 = const 16
                v5: i64 = bitcast v3
                v6: i64 = const 32
                v7: i32 = trunc_int v5
                v8: i64 = lshr v5, v6
                v9: i32 = trunc_int v8
                v10: i32 = const 31
                v11: i32 = const -1
                v12: i32 = shuffle.down v7, v4, v10, v11
                v13: i32 = const 31
                v14: i32 = const -1
                v15: i32 = shuffle.down v9, v4, v13, v14
                v16: i64 = zext v12
                v17: i64 = zext v15
                v18: i64 = shl v17, v6
                v19: i64 = or v18, v16
                v20: f64 = bitcast v19
                v21: i64 = const 0
                v22: bool = icmp ult v21, v2
                branch v22, block1, block2
            block1:
                v23: i64 = const 8
                v24: i64 = mul nuw v21, v23
                v25: i64 = add nuw v0, v24
                store.global v25, v20
                return
            block2:
                panic panic0(v21, v2)
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
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: f32 = param2
                v4: i32 = const 1
                v5: i32 = const 0
                v6: i32 = const -1
                v7: f32 = shuffle.up v3, v4, v5, v6
                v8: i64 = const 0
                v9: bool = icmp ult v8, v2
                branch v9, block1, block2
            block1:
                v10: i64 = const 4
                v11: i64 = mul nuw v8, v10
                v12: i64 = add nuw v0, v11
                store.global v12, v7
                return
            block2:
                panic panic0(v8, v2)
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
                panic0 index
                panic1 index
                panic2 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = special tid.x
                v4: i64 = zext v3
                v5: i32 = special tid.y
                v6: i64 = zext v5
                v7: i32 = special tid.z
                v8: i64 = zext v7
                v9: i32 = special ctaid.y
                v10: i32 = special ntid.y
                v11: i32 = mul nuw v9, v10
                v12: i32 = special tid.y
                v13: i32 = add nuw v11, v12
                v14: i64 = zext v13
                v15: i64 = const 0
                v16: bool = icmp ult v15, v2
                branch v16, block1, block2
            block1:
                v17: i64 = const 8
                v18: i64 = mul nuw v15, v17
                v19: i64 = add nuw v0, v18
                store.global v19, v14
                v20: i32 = special tid.z
                v21: i32 = special ntid.y
                v22: i32 = mul nuw v20, v21
                v23: i32 = special tid.y
                v24: i32 = add nuw v22, v23
                v25: i32 = special ntid.x
                v26: i32 = mul nuw v24, v25
                v27: i32 = special tid.x
                v28: i32 = add nuw v26, v27
                v29: i32 = const 5
                v30: i32 = lshr v28, v29
                v31: i64 = zext v30
                v32: i64 = const 1
                v33: bool = icmp ult v32, v2
                branch v33, block3, block4
            block3:
                v34: i64 = const 8
                v35: i64 = mul nuw v32, v34
                v36: i64 = add nuw v0, v35
                store.global v36, v31
                v37: i64 = const 2
                v38: bool = icmp ult v37, v2
                branch v38, block5, block6
            block5:
                v39: i64 = const 8
                v40: i64 = mul nuw v37, v39
                v41: i64 = add nuw v0, v40
                store.global v41, v8
                return
            block2:
                panic panic0(v15, v2)
            block4:
                panic panic1(v32, v2)
            block6:
                panic panic2(v37, v2)
            }"#]],
    );
}
