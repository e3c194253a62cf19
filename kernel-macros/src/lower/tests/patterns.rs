//! Patterns: `match`, `if let`, `let … else`.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn arms_are_tried_in_order() {
    check_body(
        "y: &mut [i32], n: i32",
        "y[0] = match n { 0 | 1 => 10, 2..=5 => 20, m if m > 9 => m, _ => 30 };",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v6: i32 = const 0
                v7: bool = icmp eq v4, v6
                v8: i32 = const 1
                v9: bool = icmp eq v4, v8
                v10: bool = or v7, v9
                branch v10, block3, block2
            block3:
                v11: i32 = const 10
                jump block1(v11)
            block2:
                v12: i32 = const 2
                v13: bool = icmp sge v4, v12
                v14: i32 = const 5
                v15: bool = icmp sle v4, v14
                v16: bool = and v13, v15
                branch v16, block5, block4
            block5:
                v17: i32 = const 20
                jump block1(v17)
            block4:
                v18: i32 = const 9
                v19: bool = icmp sgt v4, v18
                branch v19, block7, block6
            block7:
                jump block1(v4)
            block6:
                v20: i32 = const 30
                jump block1(v20)
            block1(v5: i32):
                v21: i64 = const 0
                v22: bool = icmp ult v21, v3
                branch v22, block8, block9
            block8:
                store.generic v1, v5
                return
            block9:
                panic panic0(v21, v3)
            }"#]],
    );
}

/// Arms that are numbers, of seven comparisons: each is tried.
#[test]
fn numbers_of_few_constants_are_tried() {
    check_body(
        "y: &mut [i32], n: u8",
        "y[0] = match n { b'A' | b'a' => 0, b'C' | b'c' => -1, b'G' | b'g' => 2, 200.. => 3, _ => i32::MAX };",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i8) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i8 = param2
                v6: i8 = const 65
                v7: bool = icmp eq v4, v6
                v8: i8 = const 97
                v9: bool = icmp eq v4, v8
                v10: bool = or v7, v9
                branch v10, block3, block2
            block3:
                v11: i32 = const 0
                jump block1(v11)
            block2:
                v12: i8 = const 67
                v13: bool = icmp eq v4, v12
                v14: i8 = const 99
                v15: bool = icmp eq v4, v14
                v16: bool = or v13, v15
                branch v16, block5, block4
            block5:
                v17: i32 = const 1
                v18: i32 = neg v17
                jump block1(v18)
            block4:
                v19: i8 = const 71
                v20: bool = icmp eq v4, v19
                v21: i8 = const 103
                v22: bool = icmp eq v4, v21
                v23: bool = or v20, v22
                branch v23, block7, block6
            block7:
                v24: i32 = const 2
                jump block1(v24)
            block6:
                v25: i8 = const -56
                v26: bool = icmp uge v4, v25
                branch v26, block9, block8
            block9:
                v27: i32 = const 3
                jump block1(v27)
            block8:
                v28: i32 = const 2147483647
                jump block1(v28)
            block1(v5: i32):
                v29: i64 = const 0
                v30: bool = icmp ult v29, v3
                branch v30, block10, block11
            block10:
                store.generic v1, v5
                return
            block11:
                panic panic0(v29, v3)
            }"#]],
    );
}

/// Three arms and the last, of seven comparisons: each arm is tried, and the numbers of one are one branch.
#[test]
fn few_arms_of_few_constants_are_tried() {
    check_body(
        "y: &mut [i32], n: u8, d: i32",
        "y[0] = match n { b'{' | b'[' => d + 1, b'}' | b']' => d - 1, b'\"' | b':' | b',' => 2 * d, _ => d };",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i8, param3 d: i32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i8 = param2
                v5: i32 = param3
                v7: i8 = const 123
                v8: bool = icmp eq v4, v7
                v9: i8 = const 91
                v10: bool = icmp eq v4, v9
                v11: bool = or v8, v10
                branch v11, block3, block2
            block3:
                v12: i32 = const 1
                v13: i32 = add v5, v12
                jump block1(v13)
            block2:
                v14: i8 = const 125
                v15: bool = icmp eq v4, v14
                v16: i8 = const 93
                v17: bool = icmp eq v4, v16
                v18: bool = or v15, v17
                branch v18, block5, block4
            block5:
                v19: i32 = const 1
                v20: i32 = sub v5, v19
                jump block1(v20)
            block4:
                v21: i8 = const 34
                v22: bool = icmp eq v4, v21
                v23: i8 = const 58
                v24: bool = icmp eq v4, v23
                v25: bool = or v22, v24
                v26: i8 = const 44
                v27: bool = icmp eq v4, v26
                v28: bool = or v25, v27
                branch v28, block7, block6
            block7:
                v29: i32 = const 2
                v30: i32 = mul v29, v5
                jump block1(v30)
            block6:
                jump block1(v5)
            block1(v6: i32):
                v31: i64 = const 0
                v32: bool = icmp ult v31, v3
                branch v32, block8, block9
            block8:
                store.generic v1, v6
                return
            block9:
                panic panic0(v31, v3)
            }"#]],
    );
}

#[test]
fn many_constants_are_searched() {
    check_body(
        "y: &mut [i32], n: u8",
        "y[0] = match n { 0 => 5, 1 => 3, 2 => 8, 3 => 1, 4 => 9, 5 => 7, 10..=19 => 2, 200.. => 4, _ => 0 };",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i8) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i8 = param2
                v6: i8 = const 5
                v7: bool = icmp ult v4, v6
                branch v7, block11, block12
            block11:
                v8: i8 = const 2
                v9: bool = icmp ult v4, v8
                branch v9, block13, block14
            block13:
                v10: i8 = const 1
                v11: bool = icmp eq v4, v10
                branch v11, block3, block2
            block14:
                v12: i8 = const 3
                v13: bool = icmp ult v4, v12
                branch v13, block15, block16
            block15:
                jump block4
            block16:
                v14: i8 = const 4
                v15: bool = icmp eq v4, v14
                branch v15, block6, block5
            block12:
                v16: i8 = const 10
                v17: bool = icmp ult v4, v16
                branch v17, block17, block18
            block17:
                v18: i8 = const 6
                v19: bool = icmp ult v4, v18
                branch v19, block19, block20
            block19:
                jump block7
            block20:
                jump block10
            block18:
                v20: i8 = const 20
                v21: bool = icmp ult v4, v20
                branch v21, block21, block22
            block21:
                jump block8
            block22:
                v22: i8 = const -56
                v23: bool = icmp ult v4, v22
                branch v23, block23, block24
            block23:
                jump block10
            block24:
                jump block9
            block2:
                v24: i32 = const 5
                jump block1(v24)
            block3:
                v25: i32 = const 3
                jump block1(v25)
            block4:
                v26: i32 = const 8
                jump block1(v26)
            block5:
                v27: i32 = const 1
                jump block1(v27)
            block6:
                v28: i32 = const 9
                jump block1(v28)
            block7:
                v29: i32 = const 7
                jump block1(v29)
            block8:
                v30: i32 = const 2
                jump block1(v30)
            block9:
                v31: i32 = const 4
                jump block1(v31)
            block10:
                v32: i32 = const 0
                jump block1(v32)
            block1(v5: i32):
                v33: i64 = const 0
                v34: bool = icmp ult v33, v3
                branch v34, block25, block26
            block25:
                store.generic v1, v5
                return
            block26:
                panic panic0(v33, v3)
            }"#]],
    );
}

#[test]
fn enums_are_integers() {
    check(
        "fn k(y: &mut [i32], n: u32) {
            #[derive(Clone, Copy, PartialEq)]
            enum Side { Left, Right }
            let side = if n == 0 { Side::Left } else { Side::Right };
            y[0] = match side { Side::Left => -1, Side::Right => 1 };
            y[1] = side as i32;
        }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i32) {
                panic0 index "y"
                panic1 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v6: i32 = const 0
                v7: bool = icmp eq v4, v6
                branch v7, block1, block3
            block1:
                v8: i32 = const 0
                jump block2(v8)
            block3:
                v9: i32 = const 1
                jump block2(v9)
            block2(v5: i32):
                v11: i32 = const 0
                v12: bool = icmp eq v5, v11
                branch v12, block6, block5
            block6:
                v13: i32 = const 1
                v14: i32 = neg v13
                jump block4(v14)
            block5:
                v15: i32 = const 1
                jump block4(v15)
            block4(v10: i32):
                v16: i64 = const 0
                v17: bool = icmp ult v16, v3
                branch v17, block7, block8
            block7:
                store.generic v1, v10
                v18: i64 = const 1
                v19: bool = icmp ult v18, v3
                branch v19, block9, block10
            block9:
                store.generic v1 + 4, v5
                return
            block8:
                panic panic0(v16, v3)
            block10:
                panic panic1(v18, v3)
            }"#]],
    );
}

#[test]
fn alternatives_bind_the_same_variables() {
    check_body(
        "y: &mut [i32], a: i32, b: i32",
        "match (a, b) { (0, v) | (v, 0) => y[0] = v, (p, q) => y[0] = p * q }",
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
                v6: i32 = const 0
                v7: bool = icmp eq v4, v6
                branch v7, block5, block4
            block5:
                jump block3(v5)
            block4:
                v8: i32 = const 0
                v9: bool = icmp eq v5, v8
                branch v9, block6, block2
            block6:
                jump block3(v4)
            block3(v10: i32):
                v11: i64 = const 0
                v12: bool = icmp ult v11, v3
                branch v12, block7, block8
            block7:
                store.generic v1, v10
                jump block1
            block2:
                v13: i32 = mul v4, v5
                v14: i64 = const 0
                v15: bool = icmp ult v14, v3
                branch v15, block9, block10
            block9:
                store.generic v1, v13
                jump block1
            block1:
                return
            block8:
                panic panic0(v11, v3)
            block10:
                panic panic1(v14, v3)
            }"#]],
    );
}

#[test]
fn let_else_goes_away() {
    check_body(
        "y: &mut [i32], n: i32",
        "let o = if n > 0 { Some(n) } else { None }; let Some(v) = o else { return }; y[0] = v;",
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
                branch v6, block6, block4
            block6:
                jump block5
            block4:
                return
            block5:
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
fn slices_are_taken_apart() {
    check_body(
        "x: &[i32], y: &mut [i32]",
        "if let [a, .., b] = x { y[0] = *a + *b; }",
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
                v8: i64 = const 2
                v9: bool = icmp uge v3, v8
                branch v9, block3, block2
            block3:
                v10: i64 = const 0
                v11: i64 = const 1
                v12: i64 = sub nuw v3, v11
                v13: i64 = const 4
                v14: i64 = mul nuw v12, v13
                v15: i64 = add nuw v1, v14
                jump block1
            block1:
                v16: i32 = load.generic v1
                v17: i32 = load.generic v15
                v18: i32 = add v16, v17
                v19: i64 = const 0
                v20: bool = icmp ult v19, v7
                branch v20, block4, block5
            block4:
                store.generic v5, v18
                jump block2
            block2:
                return
            block5:
                panic panic0(v19, v7)
            }"#]],
    );
}
