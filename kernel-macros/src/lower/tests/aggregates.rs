//! Tuples, structs, arrays, slices, constants, `Option`.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn tuples_are_their_scalars() {
    check_body(
        "y: &mut [i32], a: i32",
        "let (mut p, q) = (a, a + 1); p += q; let t = (p, (q, 3)); y[0] = t.1.0 + t.0;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: i32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i32 = const 1
                v6: i32 = add v4, v5
                v7: i32 = add v4, v6
                v8: i32 = const 3
                v9: i32 = add v6, v7
                v10: i64 = const 0
                v11: bool = icmp ult v10, v3
                branch v11, block1, block2
            block1:
                store.generic v1, v9
                return
            block2:
                panic panic0(v10, v3)
            }"#]],
    );
}

#[test]
fn arrays_live_in_memory() {
    check_body(
        "y: &mut [i32], i: usize",
        "let mut a = [1, 2, 3]; a[i] = 7; y[0] = a[1];",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 i: i64) {
                local0 a: 12 align 4
                panic0 index "a"
                panic1 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = address local0
                v6: i32 = const 1
                store.local v5, v6
                v7: i32 = const 2
                store.local v5 + 4, v7
                v8: i32 = const 3
                store.local v5 + 8, v8
                v9: i32 = const 7
                v10: i64 = const 3
                v11: bool = icmp ult v4, v10
                branch v11, block1, block2
            block1:
                v12: i64 = const 4
                v13: i64 = mul nuw v4, v12
                v14: i64 = add nuw v5, v13
                store.local v14, v9
                v15: i64 = const 1
                v16: i32 = load.local v5 + 4
                v17: i64 = const 0
                v18: bool = icmp ult v17, v3
                branch v18, block3, block4
            block3:
                store.generic v1, v16
                return
            block2:
                panic panic0(v4, v10)
            block4:
                panic panic1(v17, v3)
            }"#]],
    );
}

#[test]
fn large_arrays_are_filled_and_copied_by_loops() {
    check_body(
        "y: &mut [f32], i: usize",
        "let a = [1.5f32; 100]; let mut b = a; b[i] = 2.0; y[0] = b[0];",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 i: i64) {
                local0 a: 400 align 4
                local1 b: 400 align 4
                panic0 index "b"
                panic1 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = address local0
                v6: f32 = const 1.5
                v7: i64 = const 100
                v9: i64 = const 0
                jump block1(v9)
            block1(v8: i64):
                v10: bool = icmp ult v8, v7
                branch v10, block2, block4
            block2:
                v11: i64 = const 4
                v12: i64 = mul nuw v8, v11
                v13: i64 = add nuw v5, v12
                store.local v13, v6
                jump block3
            block3:
                v14: i64 = const 1
                v15: i64 = add nuw v8, v14
                jump block1(v15)
            block4:
                v16: i64 = address local1
                v17: i64 = const 100
                v19: i64 = const 0
                jump block5(v19)
            block5(v18: i64):
                v20: bool = icmp ult v18, v17
                branch v20, block6, block8
            block6:
                v21: i64 = const 4
                v22: i64 = mul nuw v18, v21
                v23: i64 = add nuw v5, v22
                v24: i64 = const 4
                v25: i64 = mul nuw v18, v24
                v26: i64 = add nuw v16, v25
                v27: f32 = load.local v23
                store.local v26, v27
                jump block7
            block7:
                v28: i64 = const 1
                v29: i64 = add nuw v18, v28
                jump block5(v29)
            block8:
                v30: f32 = const 2.0
                v31: i64 = const 100
                v32: bool = icmp ult v4, v31
                branch v32, block9, block10
            block9:
                v33: i64 = const 4
                v34: i64 = mul nuw v4, v33
                v35: i64 = add nuw v16, v34
                store.local v35, v30
                v36: i64 = const 0
                v37: f32 = load.local v16
                v38: i64 = const 0
                v39: bool = icmp ult v38, v3
                branch v39, block11, block12
            block11:
                store.generic v1, v37
                return
            block10:
                panic panic0(v4, v31)
            block12:
                panic panic1(v38, v3)
            }"#]],
    );
}

#[test]
fn tables_of_constants() {
    check_body(
        "y: &mut [i32], i: usize",
        "const T: [i32; 4] = [10, 20, 30, 40]; y[0] = T[2]; y[1] = T[i];",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 i: i64) {
                const0 table: 16 align 4 "0a000000140000001e00000028000000"
                panic0 index "y"
                panic1 index "T"
                panic2 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = const 2
                v6: i32 = const 30
                v7: i64 = const 0
                v8: bool = icmp ult v7, v3
                branch v8, block1, block2
            block1:
                store.generic v1, v6
                v9: i64 = const 4
                v10: bool = icmp ult v4, v9
                branch v10, block3, block4
            block3:
                v11: i64 = address const0
                v12: i64 = const 4
                v13: i64 = mul nuw v4, v12
                v14: i64 = add nuw v11, v13
                v15: i32 = load.const v14
                v16: i64 = const 1
                v17: bool = icmp ult v16, v3
                branch v17, block5, block6
            block5:
                store.generic v1 + 4, v15
                return
            block2:
                panic panic0(v7, v3)
            block4:
                panic panic1(v4, v9)
            block6:
                panic panic2(v16, v3)
            }"#]],
    );
}

#[test]
fn parts_of_slices_are_checked() {
    check_body(
        "x: &[f32], y: &mut [f32], a: usize, b: usize",
        "let s = &x[a..b]; y[0] = s[0]; let t = &x[2..]; y[1] = t[0];",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32, param4 a: i64, param5 b: i64) {
                panic0 slice_order "x"
                panic1 slice_end "x"
                panic2 index "s"
                panic3 index "y"
                panic4 slice_start "x"
                panic5 index "t"
                panic6 index "y"
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
                v9: i64 = param5
                v10: bool = icmp ule v8, v9
                branch v10, block1, block2
            block1:
                v11: bool = icmp ule v9, v3
                branch v11, block3, block4
            block3:
                v12: i64 = sub nuw v9, v8
                v13: i64 = const 4
                v14: i64 = mul nuw v8, v13
                v15: i64 = add nuw v1, v14
                v16: i64 = const 0
                v17: bool = icmp ult v16, v12
                branch v17, block5, block6
            block5:
                v18: f32 = load.generic v15
                v19: i64 = const 0
                v20: bool = icmp ult v19, v7
                branch v20, block7, block8
            block7:
                store.generic v5, v18
                v21: i64 = const 2
                v22: bool = icmp ule v21, v3
                branch v22, block9, block10
            block9:
                v23: i64 = sub nuw v3, v21
                v24: i64 = const 8
                v25: i64 = add nuw v1, v24
                v26: i64 = const 0
                v27: bool = icmp ult v26, v23
                branch v27, block11, block12
            block11:
                v28: f32 = load.generic v25
                v29: i64 = const 1
                v30: bool = icmp ult v29, v7
                branch v30, block13, block14
            block13:
                store.generic v5 + 4, v28
                return
            block2:
                panic panic0(v8, v9)
            block4:
                panic panic1(v9, v3)
            block6:
                panic panic2(v16, v12)
            block8:
                panic panic3(v19, v7)
            block10:
                panic panic4(v21, v3)
            block12:
                panic panic5(v26, v23)
            block14:
                panic panic6(v29, v7)
            }"#]],
    );
}

#[test]
fn structs_in_slices() {
    check(
        "fn k(x: &mut [u32], n: u32) {
            #[derive(Clone, Copy, PartialEq)]
            struct P { a: u8, b: u32 }
            let p = P { a: n as u8, b: n };
            let q = P { b: 7, ..p };
            x[0] = if p == q { 1 } else { q.b };
        }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 n: i32) {
                panic0 index "x"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i8 = trunc_int v4
                v6: i32 = const 7
                v8: bool = icmp eq v5, v5
                v9: bool = icmp eq v4, v6
                v10: bool = and v8, v9
                branch v10, block1, block3
            block1:
                v11: i32 = const 1
                jump block2(v11)
            block3:
                jump block2(v6)
            block2(v7: i32):
                v12: i64 = const 0
                v13: bool = icmp ult v12, v3
                branch v13, block4, block5
            block4:
                store.generic v1, v7
                return
            block5:
                panic panic0(v12, v3)
            }"#]],
    );
}

#[test]
fn options_are_a_value_and_a_flag() {
    check_body(
        "y: &mut [i32], n: i32",
        "let o = if n > 0 { Some(n) } else { None }; if let Some(v) = o && v < 9 { y[0] = v; }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v7: i32 = const 0
                v8: bool = icmp sgt v4, v7
                branch v8, block1, block3
            block1:
                v9: bool = const true
                jump block2(v4, v9)
            block3:
                v10: i32 = const 0
                v11: bool = const false
                jump block2(v10, v11)
            block2(v5: i32, v6: bool):
                branch v6, block7, block5
            block7:
                jump block6
            block6:
                v12: i32 = const 9
                v13: bool = icmp slt v5, v12
                branch v13, block4, block5
            block4:
                v14: i64 = const 0
                v15: bool = icmp ult v14, v3
                branch v15, block8, block9
            block8:
                store.generic v1, v5
                jump block5
            block5:
                return
            block9:
                panic panic0(v14, v3)
            }"#]],
    );
}

#[test]
fn shared_arrays_as_slices() {
    check_body(
        "y: &mut [f32], n: usize",
        "fn first(s: &[f32]) -> f32 { s[0] } let mut tile = shared::<[f32; 32]>(); tile[n] = 1.0; y[0] = first(&tile[..]);",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i64) {
                shared0 tile: 128 align 4
                panic0 index "tile"
                panic1 index "s"
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
                v10: i32 = const 4
                v11: i32 = mul nuw v9, v10
                v12: i32 = add nuw v5, v11
                store.shared v12, v6
                v13: i64 = to_generic.shared v5
                v14: i64 = const 32
                v15: i64 = const 0
                v16: bool = icmp ult v15, v14
                branch v16, block3, block4
            block3:
                v17: f32 = load.generic v13
                v18: i64 = const 0
                v19: bool = icmp ult v18, v3
                branch v19, block5, block6
            block5:
                store.generic v1, v17
                return
            block2:
                panic panic0(v4, v7)
            block4:
                panic panic1(v15, v14)
            block6:
                panic panic2(v18, v3)
            }"#]],
    );
}

#[test]
fn vectors_in_slices_of_lanes() {
    check_body(
        "x: &[f32], y: &mut [f32], i: usize",
        "let v = F32x4::load(x, i); (v + v).store(y, 0);",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32, param4 i: i64) {
                panic0 slice_end
                panic1 misaligned
                panic2 slice_end
                panic3 misaligned
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
                v9: i64 = const 3
                v10: i64 = umax v3, v9
                v11: i64 = sub nuw v10, v9
                v12: bool = icmp ult v8, v11
                v13: i64 = const 4
                v14: i64 = add v8, v13
                branch v12, block1, block2
            block1:
                v15: i64 = const 4
                v16: i64 = mul nuw v8, v15
                v17: i64 = add nuw v1, v16
                v18: i64 = const 15
                v19: i64 = and v17, v18
                v20: i64 = const 0
                v21: bool = icmp eq v19, v20
                branch v21, block3, block4
            block3:
                v22: f32 = load.generic v17 align 16
                v23: f32 = load.generic v17 + 4
                v24: f32 = load.generic v17 + 8 align 8
                v25: f32 = load.generic v17 + 12
                v26: f32 = fadd v22, v22
                v27: f32 = fadd v23, v23
                v28: f32 = fadd v24, v24
                v29: f32 = fadd v25, v25
                v30: i64 = const 0
                v31: i64 = const 3
                v32: i64 = umax v7, v31
                v33: i64 = sub nuw v32, v31
                v34: bool = icmp ult v30, v33
                v35: i64 = const 4
                v36: i64 = add v30, v35
                branch v34, block5, block6
            block5:
                v37: i64 = const 15
                v38: i64 = and v5, v37
                v39: i64 = const 0
                v40: bool = icmp eq v38, v39
                branch v40, block7, block8
            block7:
                store.generic v5 align 16, v26
                store.generic v5 + 4, v27
                store.generic v5 + 8 align 8, v28
                store.generic v5 + 12, v29
                return
            block2:
                panic panic0(v14, v3)
            block4:
                panic panic1(v8, v13)
            block6:
                panic panic2(v36, v7)
            block8:
                panic panic3(v30, v35)
            }"#]],
    );
}

#[test]
fn floats_of_16_bits_go_in_pairs() {
    check_body(
        "x: &[F16x2], y: &mut [F16x2]",
        "y[0] = x[0] * x[1] + y[0];",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 4 read_only, param1 x_len: i32, param2 y: i64 ptr align 4, param3 y_len: i32) {
                panic0 index "x"
                panic1 index "x"
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
                v8: i64 = const 0
                v9: bool = icmp ult v8, v3
                branch v9, block1, block2
            block1:
                v10: f16 = load.generic v1 align 4
                v11: f16 = load.generic v1 + 2
                v12: i64 = const 1
                v13: bool = icmp ult v12, v3
                branch v13, block3, block4
            block3:
                v14: f16 = load.generic v1 + 4 align 4
                v15: f16 = load.generic v1 + 6
                v16: i64 = const 0
                v17: bool = icmp ult v16, v7
                branch v17, block5, block6
            block5:
                v18: f16 = load.generic v5 align 4
                v19: f16 = load.generic v5 + 2
                v20: f16x2 = pack v10, v11
                v21: f16x2 = pack v14, v15
                v22: f16x2 = pack v18, v19
                v23: f16x2 = fma v20, v21, v22
                v24: f16 = extract.0 v23
                v25: f16 = extract.1 v23
                v26: i64 = const 0
                v27: bool = icmp ult v26, v7
                branch v27, block7, block8
            block7:
                store.generic v5 align 4, v24
                store.generic v5 + 2, v25
                return
            block2:
                panic panic0(v8, v3)
            block4:
                panic panic1(v12, v3)
            block6:
                panic panic2(v16, v7)
            block8:
                panic panic3(v26, v7)
            }"#]],
    );
}
