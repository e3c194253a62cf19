//! Operators, casts and contraction.

use expect_test::expect;

use super::check_body;

#[test]
fn integer_division_checks_its_divisor() {
    check_body(
        "y: &mut [i32], a: i32, b: i32",
        "y[0] = a / b;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: i32, param3 b: i32) {
                panic0 divide_by_zero
                panic1 divide_overflow
                panic2 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v4: i32 = param3
                v5: i32 = const 0
                v6: bool = icmp ne v4, v5
                branch v6, block1, block2
            block1:
                v7: i32 = const 0x80000000
                v8: i32 = const -1
                v9: bool = icmp ne v3, v7
                v10: bool = icmp ne v4, v8
                v11: bool = or v9, v10
                branch v11, block3, block4
            block3:
                v12: i32 = sdiv v3, v4
                v13: i64 = const 0
                v14: bool = icmp ult v13, v2
                branch v14, block5, block6
            block5:
                v15: i64 = const 4
                v16: i64 = mul nuw v13, v15
                v17: i64 = add nuw v0, v16
                store.global v17, v12
                return
            block2:
                panic panic0
            block4:
                panic panic1
            block6:
                panic panic2(v13, v2)
            }"#]],
    );
}

#[test]
fn division_by_a_constant_needs_no_check() {
    check_body(
        "y: &mut [i32], a: i32",
        "y[0] = a % 10;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v4: i32 = const 10
                v5: i32 = srem v3, v4
                v6: i64 = const 0
                v7: bool = icmp ult v6, v2
                branch v7, block1, block2
            block1:
                v8: i64 = const 4
                v9: i64 = mul nuw v6, v8
                v10: i64 = add nuw v0, v9
                store.global v10, v5
                return
            block2:
                panic panic0(v6, v2)
            }"#]],
    );
}

#[test]
fn shifts_take_an_amount_of_the_same_width() {
    check_body(
        "y: &mut [u64], a: u64, b: i8",
        "y[0] = a >> b;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 8, param1 y_len: i32, param2 a: i64, param3 b: i8) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i64 = param2
                v4: i8 = param3
                v5: i64 = sext v4
                v6: i64 = lshr v3, v5
                v7: i64 = const 0
                v8: bool = icmp ult v7, v2
                branch v8, block1, block2
            block1:
                v9: i64 = const 8
                v10: i64 = mul nuw v7, v9
                v11: i64 = add nuw v0, v10
                store.global v11, v6
                return
            block2:
                panic panic0(v7, v2)
            }"#]],
    );
}

#[test]
fn casts() {
    check_body(
        "y: &mut [i64], a: f32, b: u8, c: bool",
        "y[0] = a as i64; y[1] = (b as i8) as i64; y[2] = c as i64;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 8, param1 y_len: i32, param2 a: f32, param3 b: i8, param4 c: bool) {
                panic0 index
                panic1 index
                panic2 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: f32 = param2
                v4: i8 = param3
                v5: bool = param4
                v6: i64 = f2s v3
                v7: i64 = const 0
                v8: bool = icmp ult v7, v2
                branch v8, block1, block2
            block1:
                v9: i64 = const 8
                v10: i64 = mul nuw v7, v9
                v11: i64 = add nuw v0, v10
                store.global v11, v6
                v12: i64 = sext v4
                v13: i64 = const 1
                v14: bool = icmp ult v13, v2
                branch v14, block3, block4
            block3:
                v15: i64 = const 8
                v16: i64 = mul nuw v13, v15
                v17: i64 = add nuw v0, v16
                store.global v17, v12
                v18: i64 = zext v5
                v19: i64 = const 2
                v20: bool = icmp ult v19, v2
                branch v20, block5, block6
            block5:
                v21: i64 = const 8
                v22: i64 = mul nuw v19, v21
                v23: i64 = add nuw v0, v22
                store.global v23, v18
                return
            block2:
                panic panic0(v7, v2)
            block4:
                panic panic1(v13, v2)
            block6:
                panic panic2(v19, v2)
            }"#]],
    );
}

#[test]
fn contraction_fuses_within_an_expression() {
    check_body(
        "y: &mut [f32], a: f32, b: f32",
        "let p = a * b; y[0] = p + a; y[1] = a - a * b; y[2] -= a * b;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: f32, param3 b: f32) {
                panic0 index
                panic1 index
                panic2 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: f32 = param2
                v4: f32 = param3
                v5: f32 = fmul v3, v4
                v6: f32 = fadd v5, v3
                v7: i64 = const 0
                v8: bool = icmp ult v7, v2
                branch v8, block1, block2
            block1:
                v9: i64 = const 4
                v10: i64 = mul nuw v7, v9
                v11: i64 = add nuw v0, v10
                store.global v11, v6
                v12: f32 = fneg v3
                v13: f32 = fma v12, v4, v3
                v14: i64 = const 1
                v15: bool = icmp ult v14, v2
                branch v15, block3, block4
            block3:
                v16: i64 = const 4
                v17: i64 = mul nuw v14, v16
                v18: i64 = add nuw v0, v17
                store.global v18, v13
                v19: i64 = const 2
                v20: bool = icmp ult v19, v2
                branch v20, block5, block6
            block5:
                v21: i64 = const 4
                v22: i64 = mul nuw v19, v21
                v23: i64 = add nuw v0, v22
                v24: f32 = load.global v23
                v25: f32 = fneg v3
                v26: f32 = fma v25, v4, v24
                store.global v23, v26
                return
            block2:
                panic panic0(v7, v2)
            block4:
                panic panic1(v14, v2)
            block6:
                panic panic2(v19, v2)
            }"#]],
    );
}

#[test]
fn booleans_are_ordered_by_logic() {
    check_body(
        "y: &mut [u8], a: bool, b: bool",
        "y[0] = (a < b) as u8 + (a >= b) as u8 + (a != b) as u8;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 1, param1 y_len: i32, param2 a: bool, param3 b: bool) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: bool = param2
                v4: bool = param3
                v5: bool = not v3
                v6: bool = and v5, v4
                v7: i8 = zext v6
                v8: bool = not v4
                v9: bool = or v8, v3
                v10: i8 = zext v9
                v11: i8 = add v7, v10
                v12: bool = xor v3, v4
                v13: i8 = zext v12
                v14: i8 = add v11, v13
                v15: i64 = const 0
                v16: bool = icmp ult v15, v2
                branch v16, block1, block2
            block1:
                v17: i64 = add nuw v0, v15
                store.global v17, v14
                return
            block2:
                panic panic0(v15, v2)
            }"#]],
    );
}
