//! `for` over ranges.

use expect_test::expect;

use super::check_body;

#[test]
fn plain_ranges_test_at_their_head() {
    check_body(
        "y: &mut [usize], n: usize",
        "for i in 2..n { y[0] = i; }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 8, param1 y_len: i32, param2 n: i64) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i64 = param2
                v4: i64 = const 2
                jump block1(v4)
            block1(v5: i64):
                v6: bool = icmp ult v5, v3
                branch v6, block2, block4
            block2:
                v7: i64 = const 0
                v8: bool = icmp ult v7, v2
                branch v8, block5, block6
            block5:
                v9: i64 = const 8
                v10: i64 = mul nuw v7, v9
                v11: i64 = add nuw v0, v10
                store.global v11, v5
                jump block3
            block3:
                v12: i64 = const 1
                v13: i64 = add nuw v5, v12
                jump block1(v13)
            block4:
                return
            block6:
                panic panic0(v7, v2)
            }"#]],
    );
}

#[test]
fn inclusive_ranges_reach_the_maximum() {
    check_body(
        "y: &mut [u8], a: u8, b: u8",
        "for i in a..=b { y[0] = i; }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 1, param1 y_len: i32, param2 a: i8, param3 b: i8) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i8 = param2
                v4: i8 = param3
                v5: bool = icmp ule v3, v4
                branch v5, block1, block5
            block1:
                jump block2(v3)
            block2(v6: i8):
                v7: i64 = const 0
                v8: bool = icmp ult v7, v2
                branch v8, block6, block7
            block6:
                v9: i64 = add nuw v0, v7
                store.global v9, v6
                jump block3
            block3:
                v10: bool = icmp ult v6, v4
                branch v10, block4, block5
            block4:
                v11: i8 = const 1
                v12: i8 = add nuw v6, v11
                jump block2(v12)
            block5:
                return
            block7:
                panic panic0(v7, v2)
            }"#]],
    );
}

#[test]
fn reversed_ranges() {
    check_body(
        "y: &mut [i32], n: i32",
        "for i in (0..n).rev() { y[0] = i; }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v4: i32 = const 0
                v5: bool = icmp slt v4, v3
                v6: i32 = const 1
                v7: i32 = sub v3, v6
                branch v5, block1, block5
            block1:
                jump block2(v7)
            block2(v8: i32):
                v9: i64 = const 0
                v10: bool = icmp ult v9, v2
                branch v10, block6, block7
            block6:
                v11: i64 = const 4
                v12: i64 = mul nuw v9, v11
                v13: i64 = add nuw v0, v12
                store.global v13, v8
                jump block3
            block3:
                v14: bool = icmp slt v4, v8
                branch v14, block4, block5
            block4:
                v15: i32 = const 1
                v16: i32 = sub v8, v15
                jump block2(v16)
            block5:
                return
            block7:
                panic panic0(v9, v2)
            }"#]],
    );
}

#[test]
fn steps_stay_within_the_range() {
    check_body(
        "y: &mut [usize], n: usize",
        "for i in (global_idx().x..n).step_by(global_size().x) { y[i] = i; }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 8, param1 y_len: i32, param2 n: i64) {
                panic0 zero_step
                panic1 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i64 = param2
                v4: i32 = special ctaid.x
                v5: i32 = special ntid.x
                v6: i32 = mul nuw v4, v5
                v7: i32 = special tid.x
                v8: i32 = add nuw v6, v7
                v9: i64 = zext v8
                v10: bool = icmp ult v9, v3
                v11: i32 = special nctaid.x
                v12: i32 = special ntid.x
                v13: i32 = mul nuw v11, v12
                v14: i64 = zext v13
                v15: i64 = const 0
                v16: bool = icmp ne v14, v15
                branch v16, block1, block2
            block1:
                branch v10, block3, block7
            block3:
                jump block4(v9)
            block4(v17: i64):
                v18: bool = icmp ult v17, v2
                branch v18, block8, block9
            block8:
                v19: i64 = const 8
                v20: i64 = mul nuw v17, v19
                v21: i64 = add nuw v0, v20
                store.global v21, v17
                jump block5
            block5:
                v22: i64 = sub nuw v3, v17
                v23: bool = icmp ult v14, v22
                branch v23, block6, block7
            block6:
                v24: i64 = add nuw v17, v14
                jump block4(v24)
            block7:
                return
            block2:
                panic panic0
            block9:
                panic panic1(v17, v2)
            }"#]],
    );
}

#[test]
fn stepped_ranges_reversed() {
    check_body(
        "y: &mut [i16], n: i16",
        "for i in (0..n).step_by(3).rev() { y[0] = i; }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 2, param1 y_len: i32, param2 n: i16) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i16 = param2
                v4: i16 = const 0
                v5: bool = icmp slt v4, v3
                v6: i64 = const 3
                v7: i16 = sub v3, v4
                v8: i16 = const 1
                v9: i16 = sub v7, v8
                v10: i64 = zext v9
                v11: i64 = urem v10, v6
                v12: i64 = sub v10, v11
                v13: i16 = trunc_int v12
                v14: i16 = add v4, v13
                branch v5, block1, block5
            block1:
                jump block2(v14)
            block2(v15: i16):
                v16: i64 = const 0
                v17: bool = icmp ult v16, v2
                branch v17, block6, block7
            block6:
                v18: i64 = const 2
                v19: i64 = mul nuw v16, v18
                v20: i64 = add nuw v0, v19
                store.global v20, v15
                jump block3
            block3:
                v21: i16 = sub v15, v4
                v22: i64 = zext v21
                v23: bool = icmp ule v6, v22
                branch v23, block4, block5
            block4:
                v24: i16 = trunc_int v6
                v25: i16 = sub v15, v24
                jump block2(v25)
            block5:
                return
            block7:
                panic panic0(v16, v2)
            }"#]],
    );
}
