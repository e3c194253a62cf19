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
                panic0 index "y"
                panic1 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i32 = param3
                v6: i32 = const 3
                v7: bool = icmp ult v4, v6
                branch v7, block3, block2
            block3:
                v8: bool = icmp eq v5, v4
                branch v8, block2, block4
            block4:
                v9: i64 = const 0
                v10: bool = icmp ult v9, v3
                branch v10, block5, block6
            block5:
                v11: i32 = load.generic v1
                v12: i32 = const 7
                v13: bool = icmp eq v11, v12
                branch v13, block2, block1
            block1:
                v14: i32 = const 1
                v15: i64 = const 1
                v16: bool = icmp ult v15, v3
                branch v16, block7, block8
            block7:
                store.generic v1 + 4, v14
                jump block2
            block2:
                return
            block6:
                panic panic0(v9, v3)
            block8:
                panic panic1(v15, v3)
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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v6: i32 = const 3
                v7: bool = icmp ugt v4, v6
                branch v7, block1, block3
            block1:
                jump block2(v4)
            block3:
                v9: i32 = const 1
                v10: bool = icmp ugt v4, v9
                branch v10, block4, block6
            block4:
                return
            block6:
                v11: i32 = const 5
                jump block5(v11)
            block5(v8: i32):
                jump block2(v8)
            block2(v5: i32):
                v12: i64 = const 0
                v13: bool = icmp ult v12, v3
                branch v13, block7, block8
            block7:
                store.generic v1, v5
                return
            block8:
                panic panic0(v12, v3)
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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                jump block1(v4)
            block1(v7: i32):
                v6: i32 = const 1
                v8: i32 = add v7, v6
                v9: i32 = const 9
                v10: bool = icmp ugt v8, v9
                branch v10, block3, block4
            block3:
                v11: i32 = const 2
                v12: i32 = mul v8, v11
                jump block2(v12)
            block4:
                jump block1(v8)
            block2(v5: i32):
                v13: i64 = const 0
                v14: bool = icmp ult v13, v3
                branch v14, block5, block6
            block5:
                store.generic v1, v5
                return
            block6:
                panic panic0(v13, v3)
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
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                jump block1(v4)
            block1(v5: i32):
                v6: i32 = const 1
                v7: bool = icmp ne v5, v6
                branch v7, block2, block3
            block2:
                v8: i32 = const 2
                v9: i32 = udiv v5, v8
                v10: i32 = const 4
                v11: bool = icmp eq v9, v10
                branch v11, block4, block5
            block4:
                jump block1(v9)
            block5:
                v12: i64 = const 0
                v13: bool = icmp ult v12, v3
                branch v13, block6, block7
            block6:
                store.generic v1, v9
                jump block1(v9)
            block3:
                return
            block7:
                panic panic0(v12, v3)
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
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                return
            }"#]],
    );
}
