//! Conditions and loops.

use expect_test::expect;

use super::check_body;

#[test]
fn conditions_become_jumps() {
    check_body(
        "y: &mut [u32], a: u32, b: u32",
        "if a < 3 && !(b == a || y[0] == 7) { y[1] = 1; }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: i32, param3 b: i32) {
                panic0 index
                panic1 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v4: i32 = param3
                v5: i32 = const 3
                v6: bool = icmp ult v3, v5
                branch v6, block3, block2
            block3:
                v7: bool = icmp eq v4, v3
                branch v7, block2, block4
            block4:
                v8: i64 = const 0
                v9: bool = icmp ult v8, v2
                branch v9, block5, block6
            block5:
                v10: i64 = const 4
                v11: i64 = mul nuw v8, v10
                v12: i64 = add nuw v0, v11
                v13: i32 = load.global v12
                v14: i32 = const 7
                v15: bool = icmp eq v13, v14
                branch v15, block2, block1
            block1:
                v16: i32 = const 1
                v17: i64 = const 1
                v18: bool = icmp ult v17, v2
                branch v18, block7, block8
            block7:
                v19: i64 = const 4
                v20: i64 = mul nuw v17, v19
                v21: i64 = add nuw v0, v20
                store.global v21, v16
                jump block2
            block2:
                return
            block6:
                panic panic0(v8, v2)
            block8:
                panic panic1(v17, v2)
            }"#]],
    );
}

#[test]
fn if_is_a_value() {
    check_body(
        "y: &mut [u32], a: u32",
        "y[0] = if a > 3 { a } else if a > 1 { return } else { 5 };",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v5: i32 = const 3
                v6: bool = icmp ugt v3, v5
                branch v6, block1, block3
            block1:
                jump block2(v3)
            block3:
                v8: i32 = const 1
                v9: bool = icmp ugt v3, v8
                branch v9, block4, block6
            block4:
                return
            block6:
                v10: i32 = const 5
                jump block5(v10)
            block5(v7: i32):
                jump block2(v7)
            block2(v4: i32):
                v11: i64 = const 0
                v12: bool = icmp ult v11, v2
                branch v12, block7, block8
            block7:
                v13: i64 = const 4
                v14: i64 = mul nuw v11, v13
                v15: i64 = add nuw v0, v14
                store.global v15, v4
                return
            block8:
                panic panic0(v11, v2)
            }"#]],
    );
}

#[test]
fn loops_give_values() {
    check_body(
        "y: &mut [u32], a: u32",
        "let mut n = a; y[0] = loop { n += 1; if n > 9 { break n * 2; } };",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                jump block1(v3)
            block1(v6: i32):
                v5: i32 = const 1
                v7: i32 = add v6, v5
                v8: i32 = const 9
                v9: bool = icmp ugt v7, v8
                branch v9, block3, block4
            block3:
                v10: i32 = const 2
                v11: i32 = mul v7, v10
                jump block2(v11)
            block4:
                jump block1(v7)
            block2(v4: i32):
                v12: i64 = const 0
                v13: bool = icmp ult v12, v2
                branch v13, block5, block6
            block5:
                v14: i64 = const 4
                v15: i64 = mul nuw v12, v14
                v16: i64 = add nuw v0, v15
                store.global v16, v4
                return
            block6:
                panic panic0(v12, v2)
            }"#]],
    );
}

#[test]
fn while_and_continue() {
    check_body(
        "y: &mut [u32], a: u32",
        "let mut n = a; while n != 1 { n = n / 2; if n == 4 { continue; } y[0] = n; }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                jump block1(v3)
            block1(v4: i32):
                v5: i32 = const 1
                v6: bool = icmp ne v4, v5
                branch v6, block2, block3
            block2:
                v7: i32 = const 2
                v8: i32 = udiv v4, v7
                v9: i32 = const 4
                v10: bool = icmp eq v8, v9
                branch v10, block4, block5
            block4:
                jump block1(v8)
            block5:
                v11: i64 = const 0
                v12: bool = icmp ult v11, v2
                branch v12, block6, block7
            block6:
                v13: i64 = const 4
                v14: i64 = mul nuw v11, v13
                v15: i64 = add nuw v0, v14
                store.global v15, v8
                jump block1(v8)
            block3:
                return
            block7:
                panic panic0(v11, v2)
            }"#]],
    );
}

#[test]
fn code_after_a_return_is_dropped() {
    check_body(
        "y: &mut [u32]",
        "return; y[0] = 1;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                return
            }"#]],
    );
}
