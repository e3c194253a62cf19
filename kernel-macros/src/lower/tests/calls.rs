//! Functions and closures, put in place of their calls.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn functions_are_put_in_place() {
    check_body(
        "y: &mut [f32], a: f32",
        "fn square(x: f32) -> f32 { x * x } y[0] = square(a) + square(2.0);",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: f32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: f32 = param2
                v5: f32 = fmul v4, v4
                v6: f32 = const 2.0
                v7: f32 = fmul v6, v6
                v8: f32 = fadd v5, v7
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
fn early_returns_meet() {
    check_body(
        "y: &mut [i32], n: i32",
        "fn clamped(n: i32) -> i32 { if n < 0 { return 0; } n } y[0] = clamped(n);",
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
                v6: bool = icmp slt v4, v5
                branch v6, block1, block2
            block1:
                v7: i32 = const 0
                jump block3(v7)
            block2:
                jump block3(v4)
            block3(v8: i32):
                v9: i64 = const 0
                v10: bool = icmp ult v9, v3
                branch v10, block4, block5
            block4:
                store.generic v1, v8
                return
            block5:
                panic panic0(v9, v3)
            }"#]],
    );
}

#[test]
fn return_in_the_kernel_ends_the_thread() {
    check_body(
        "y: &mut [i32], n: i32",
        "if n < 0 { return; } y[0] = n;",
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
                v6: bool = icmp slt v4, v5
                branch v6, block1, block2
            block1:
                return
            block2:
                v7: i64 = const 0
                v8: bool = icmp ult v7, v3
                branch v8, block3, block4
            block3:
                store.generic v1, v4
                return
            block4:
                panic panic0(v7, v3)
            }"#]],
    );
}

#[test]
fn generic_functions_have_instances() {
    check_body(
        "y: &mut [f32], z: &mut [i32]",
        "fn twice<T: Number>(x: T) -> T { x + x } y[0] = twice(y[1]); z[0] = twice(z[1]);",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 z: i64 ptr align 4, param3 z_len: i32) {
                panic0 index "y"
                panic1 index "y"
                panic2 index "z"
                panic3 index "z"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = param2
                v5: i64 = to_generic.global v4
                v6: i32 = param3
                v7: i64 = zext v6
                v8: i64 = const 1
                v9: bool = icmp ult v8, v3
                branch v9, block1, block2
            block1:
                v10: f32 = load.generic v1 + 4
                v11: f32 = fadd v10, v10
                v12: i64 = const 0
                v13: bool = icmp ult v12, v3
                branch v13, block3, block4
            block3:
                store.generic v1, v11
                v14: i64 = const 1
                v15: bool = icmp ult v14, v7
                branch v15, block5, block6
            block5:
                v16: i32 = load.generic v5 + 4
                v17: i32 = add v16, v16
                v18: i64 = const 0
                v19: bool = icmp ult v18, v7
                branch v19, block7, block8
            block7:
                store.generic v5, v17
                return
            block2:
                panic panic0(v8, v3)
            block4:
                panic panic1(v12, v3)
            block6:
                panic panic2(v14, v7)
            block8:
                panic panic3(v18, v7)
            }"#]],
    );
}

#[test]
fn closures_see_the_variables_around_them() {
    check_body(
        "y: &mut [i32], n: i32",
        "let mut count = 0; let mut add = |by: i32| count += by * n; add(2); add(3); y[0] = count;",
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
                v6: i32 = const 2
                v7: i32 = mul v6, v4
                v8: i32 = add v5, v7
                v9: i32 = const 3
                v10: i32 = mul v9, v4
                v11: i32 = add v8, v10
                v12: i64 = const 0
                v13: bool = icmp ult v12, v3
                branch v13, block1, block2
            block1:
                store.generic v1, v11
                return
            block2:
                panic panic0(v12, v3)
            }"#]],
    );
}

#[test]
fn move_closures_copy_what_they_mention() {
    check_body(
        "y: &mut [i32], n: i32",
        "let mut k = n; let f = move |by: i32| k + by; k = 7; y[0] = f(1); y[1] = k;",
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
                v5: i32 = const 7
                v6: i32 = const 1
                v7: i32 = add v4, v6
                v8: i64 = const 0
                v9: bool = icmp ult v8, v3
                branch v9, block1, block2
            block1:
                store.generic v1, v7
                v10: i64 = const 1
                v11: bool = icmp ult v10, v3
                branch v11, block3, block4
            block3:
                store.generic v1 + 4, v5
                return
            block2:
                panic panic0(v8, v3)
            block4:
                panic panic1(v10, v3)
            }"#]],
    );
}

#[test]
fn functions_that_take_closures() {
    check_body(
        "y: &mut [i32], n: i32",
        "fn apply(f: impl Fn(i32) -> i32, x: i32) -> i32 { f(f(x)) } y[0] = apply(|x| x + n, 1);",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i32) {
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i32 = const 1
                v6: i32 = add v5, v4
                v7: i32 = add v6, v4
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
fn references_to_variables() {
    check_body(
        "y: &mut [i32], n: i32",
        "fn add(to: &mut i32, by: i32) { *to += by; } let mut sum = n; add(&mut sum, 2); y[0] = sum;",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 n: i32) {
                local0 sum: 4 align 4
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i32 = param2
                v5: i64 = address local0
                store.local v5, v4
                v6: i64 = to_generic.local v5
                v7: i32 = const 2
                v8: i32 = load.generic v6
                v9: i32 = add v8, v7
                store.generic v6, v9
                v10: i32 = load.local v5
                v11: i64 = const 0
                v12: bool = icmp ult v11, v3
                branch v12, block1, block2
            block1:
                store.generic v1, v10
                return
            block2:
                panic panic0(v11, v3)
            }"#]],
    );
}

#[test]
fn methods_and_operators() {
    check(
        "fn k(y: &mut [f32], a: f32) {
            #[derive(Clone, Copy)]
            struct V { x: f32, y: f32 }
            impl V { fn dot(&self, o: V) -> f32 { self.x * o.x + self.y * o.y } }
            impl core::ops::Add for V { type Output = V; fn add(self, o: V) -> V { V { x: self.x + o.x, y: self.y + o.y } } }
            let v = V { x: a, y: 2.0 };
            y[0] = (v + v).dot(v);
        }",
        expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 y_len: i32, param2 a: f32) {
                local0 temporary: 8 align 4
                panic0 index "y"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: f32 = param2
                v5: f32 = const 2.0
                v6: f32 = fadd v4, v4
                v7: f32 = fadd v5, v5
                v8: i64 = address local0
                store.local v8, v6
                store.local v8 + 4, v7
                v9: i64 = to_generic.local v8
                v10: f32 = load.generic v9
                v11: f32 = load.generic v9 + 4
                v12: f32 = fmul v11, v5
                v13: f32 = fma v10, v4, v12
                v14: i64 = const 0
                v15: bool = icmp ult v14, v3
                branch v15, block1, block2
            block1:
                store.generic v1, v13
                return
            block2:
                panic panic0(v14, v3)
            }"#]],
    );
}
