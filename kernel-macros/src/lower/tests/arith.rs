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
                panic2 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i32 = param3
                v6: i32 = const 0
                v7: bool = icmp ne v5, v6
                branch v7, block1, block2
            block1:
                v8: i32 = const 0x80000000
                v9: i32 = const -1
                v10: bool = icmp ne v4, v8
                v11: bool = icmp ne v5, v9
                v12: bool = or v10, v11
                branch v12, block3, block4
            block3:
                v13: i32 = sdiv v4, v5
                v14: i64 = const 0
                v15: bool = icmp ult v14, v3
                branch v15, block5, block6
            block5:
                store.generic v1, v13
                return
            block2:
                panic panic0
            block4:
                panic panic1
            block6:
                panic panic2(v14, v3)
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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i32 = const 10
                v6: i32 = srem v4, v5
                v7: i64 = const 0
                v8: bool = icmp ult v7, v3
                branch v8, block1, block2
            block1:
                store.generic v1, v6
                return
            block2:
                panic panic0(v7, v3)
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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i8 = param3
                v6: i64 = sext v5
                v7: i64 = lshr v4, v6
                v8: i64 = const 0
                v9: bool = icmp ult v8, v3
                branch v9, block1, block2
            block1:
                store.generic v1, v7
                return
            block2:
                panic panic0(v8, v3)
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
                panic0 index "y"
                panic1 index "y"
                panic2 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: f32 = param2
                v5: i8 = param3
                v6: bool = param4
                v7: i64 = f2s v4
                v8: i64 = const 0
                v9: bool = icmp ult v8, v3
                branch v9, block1, block2
            block1:
                store.generic v1, v7
                v10: i64 = sext v5
                v11: i64 = const 1
                v12: bool = icmp ult v11, v3
                branch v12, block3, block4
            block3:
                store.generic v1 + 8, v10
                v13: i64 = zext v6
                v14: i64 = const 2
                v15: bool = icmp ult v14, v3
                branch v15, block5, block6
            block5:
                store.generic v1 + 16, v13
                return
            block2:
                panic panic0(v8, v3)
            block4:
                panic panic1(v11, v3)
            block6:
                panic panic2(v14, v3)
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
                panic0 index "y"
                panic1 index "y"
                panic2 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: f32 = param2
                v5: f32 = param3
                v6: f32 = fmul v4, v5
                v7: f32 = fadd v6, v4
                v8: i64 = const 0
                v9: bool = icmp ult v8, v3
                branch v9, block1, block2
            block1:
                store.generic v1, v7
                v10: f32 = fneg v4
                v11: f32 = fma v10, v5, v4
                v12: i64 = const 1
                v13: bool = icmp ult v12, v3
                branch v13, block3, block4
            block3:
                store.generic v1 + 4, v11
                v14: i64 = const 2
                v15: bool = icmp ult v14, v3
                branch v15, block5, block6
            block5:
                v16: f32 = load.generic v1 + 8
                v17: f32 = fneg v4
                v18: f32 = fma v17, v5, v16
                store.generic v1 + 8, v18
                return
            block2:
                panic panic0(v8, v3)
            block4:
                panic panic1(v12, v3)
            block6:
                panic panic2(v14, v3)
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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: bool = param2
                v5: bool = param3
                v6: bool = not v4
                v7: bool = and v6, v5
                v8: i8 = zext v7
                v9: bool = not v5
                v10: bool = or v9, v4
                v11: i8 = zext v10
                v12: i8 = add v8, v11
                v13: bool = xor v4, v5
                v14: i8 = zext v13
                v15: i8 = add v12, v14
                v16: i64 = const 0
                v17: bool = icmp ult v16, v3
                branch v17, block1, block2
            block1:
                store.generic v1, v15
                return
            block2:
                panic panic0(v16, v3)
            }"#]],
    );
}
