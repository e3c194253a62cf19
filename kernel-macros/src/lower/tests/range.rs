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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = const 2
                jump block1(v5)
            block1(v6: i64):
                v7: bool = icmp ult v6, v4
                branch v7, block2, block4
            block2:
                v8: i64 = const 0
                v9: bool = icmp ult v8, v3
                branch v9, block5, block6
            block5:
                store.generic v1, v6
                jump block3
            block3:
                v10: i64 = const 1
                v11: i64 = add nuw v6, v10
                jump block1(v11)
            block4:
                return
            block6:
                panic panic0(v8, v3)
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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i8 = param2
                v5: i8 = param3
                v6: bool = icmp ule v4, v5
                branch v6, block1, block5
            block1:
                jump block2(v4)
            block2(v7: i8):
                v8: i64 = const 0
                v9: bool = icmp ult v8, v3
                branch v9, block6, block7
            block6:
                store.generic v1, v7
                jump block3
            block3:
                v10: bool = icmp ult v7, v5
                branch v10, block4, block5
            block4:
                v11: i8 = const 1
                v12: i8 = add nuw v7, v11
                jump block2(v12)
            block5:
                return
            block7:
                panic panic0(v8, v3)
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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i32 = const 0
                v6: bool = icmp slt v5, v4
                v7: i32 = const 1
                v8: i32 = sub v4, v7
                branch v6, block1, block5
            block1:
                jump block2(v8)
            block2(v9: i32):
                v10: i64 = const 0
                v11: bool = icmp ult v10, v3
                branch v11, block6, block7
            block6:
                store.generic v1, v9
                jump block3
            block3:
                v12: bool = icmp slt v5, v9
                branch v12, block4, block5
            block4:
                v13: i32 = const 1
                v14: i32 = sub v9, v13
                jump block2(v14)
            block5:
                return
            block7:
                panic panic0(v10, v3)
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
                panic1 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i32 = special ctaid.x
                v6: i32 = special ntid.x
                v7: i32 = mul nuw v5, v6
                v8: i32 = special tid.x
                v9: i32 = add nuw v7, v8
                v10: i64 = zext v9
                v11: bool = icmp ult v10, v4
                v12: i32 = special nctaid.x
                v13: i32 = special ntid.x
                v14: i32 = mul nuw v12, v13
                v15: i64 = zext v14
                v16: i64 = const 0
                v17: bool = icmp ne v15, v16
                branch v17, block1, block2
            block1:
                branch v11, block3, block7
            block3:
                jump block4(v10)
            block4(v18: i64):
                v19: bool = icmp ult v18, v3
                branch v19, block8, block9
            block8:
                v20: i64 = const 8
                v21: i64 = mul nuw v18, v20
                v22: i64 = add nuw v1, v21
                store.generic v22, v18
                jump block5
            block5:
                v23: i64 = sub nuw v4, v18
                v24: bool = icmp ult v15, v23
                branch v24, block6, block7
            block6:
                v25: i64 = add nuw v18, v15
                jump block4(v25)
            block7:
                return
            block2:
                panic panic0
            block9:
                panic panic1(v18, v3)
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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i16 = param2
                v5: i16 = const 0
                v6: bool = icmp slt v5, v4
                v7: i64 = const 3
                v8: i16 = sub v4, v5
                v9: i16 = const 1
                v10: i16 = sub v8, v9
                v11: i64 = zext v10
                v12: i64 = urem v11, v7
                v13: i64 = sub v11, v12
                v14: i16 = trunc_int v13
                v15: i16 = add v5, v14
                branch v6, block1, block5
            block1:
                jump block2(v15)
            block2(v16: i16):
                v17: i64 = const 0
                v18: bool = icmp ult v17, v3
                branch v18, block6, block7
            block6:
                store.generic v1, v16
                jump block3
            block3:
                v19: i16 = sub v16, v5
                v20: i64 = zext v19
                v21: bool = icmp ule v7, v20
                branch v21, block4, block5
            block4:
                v22: i16 = trunc_int v7
                v23: i16 = sub v16, v22
                jump block2(v23)
            block5:
                return
            block7:
                panic panic0(v17, v3)
            }"#]],
    );
}
