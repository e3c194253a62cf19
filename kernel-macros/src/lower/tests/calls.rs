//! Functions and closures, put in place of their calls.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn functions_are_put_in_place() {
    check_body(
        "y: &mut [f32], a: f32",
        "fn square(x: f32) -> f32 { x * x } y[0] = square(a) + square(2.0);",
        expect![[""]],
    );
}

#[test]
fn early_returns_meet() {
    check_body(
        "y: &mut [i32], n: i32",
        "fn clamped(n: i32) -> i32 { if n < 0 { return 0; } n } y[0] = clamped(n);",
        expect![[""]],
    );
}

#[test]
fn return_in_the_kernel_ends_the_thread() {
    check_body("y: &mut [i32], n: i32", "if n < 0 { return; } y[0] = n;", expect![[""]]);
}

#[test]
fn generic_functions_have_instances() {
    check_body(
        "y: &mut [f32], z: &mut [i32]",
        "fn twice<T: Number>(x: T) -> T { x + x } y[0] = twice(y[1]); z[0] = twice(z[1]);",
        expect![[""]],
    );
}

#[test]
fn closures_see_the_variables_around_them() {
    check_body(
        "y: &mut [i32], n: i32",
        "let mut count = 0; let mut add = |by: i32| count += by * n; add(2); add(3); y[0] = count;",
        expect![[""]],
    );
}

#[test]
fn move_closures_copy_what_they_mention() {
    check_body(
        "y: &mut [i32], n: i32",
        "let mut k = n; let f = move |by: i32| k + by; k = 7; y[0] = f(1); y[1] = k;",
        expect![[""]],
    );
}

#[test]
fn functions_that_take_closures() {
    check_body(
        "y: &mut [i32], n: i32",
        "fn apply(f: impl Fn(i32) -> i32, x: i32) -> i32 { f(f(x)) } y[0] = apply(|x| x + n, 1);",
        expect![[""]],
    );
}

#[test]
fn references_to_variables() {
    check_body(
        "y: &mut [i32], n: i32",
        "fn add(to: &mut i32, by: i32) { *to += by; } let mut sum = n; add(&mut sum, 2); y[0] = sum;",
        expect![[""]],
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
        expect![[""]],
    );
}
