//! The copy that rustc checks: the user's tokens, with types at the `let`s.

use expect_test::{Expect, expect};

use crate::analyze::analyze;

#[track_caller]
fn check(source: &str, expected: Expect) {
    let tokens: proc_macro2::TokenStream = source.parse().expect("the test's source has Rust's tokens");
    let (attr, item) = super::split_attribute(tokens);
    let analysis = analyze(attr, item);
    let copies: Vec<String> =
        analysis.kernels.iter().map(|kernel| crate::diagnostics::shown(&kernel.copy)).collect();
    expected.assert_eq(&format!("{} mistakes: {}", analysis.errors.len(), copies.join("\n")));
}

#[test]
fn variables_have_their_types() {
    check(
        "fn k(n: i32, y: &mut [f32]) {
            let i = global_idx().x;
            let mut sum = 0.0;
            let (a, b) = (1, 2);
            let pair = (n, [1u8; 3]);
            let typed: i32 = 3;
            let f = |v| v + 1;
            let later;
            later = 2.5;
            sum += later;
            y[i] = sum + (a + b + typed + f(n) + pair.0) as f32;
        }",
        expect![
            "0 mistakes: fn k(n : i32, y : &mut [f32]) { let i :::core::primitive::usize = global_idx() . x; let mut sum :::core::primitive::f32 = 0.0; let(a, b) =(1, 2); let pair :(:: core::primitive::i32, [:: core::primitive::u8; 3],) =(n, [1u8; 3]); let typed : i32 = 3; let f = | v | v + 1; let later :::core::primitive::f32; later = 2.5; sum += later; y [i] = sum +(a + b + typed + f(n) + pair . 0) as f32; }"
        ],
    );
}

#[test]
fn a_generic_kernel_is_as_written() {
    check(
        "#[kernel(instances(T = [f32, i32]))] fn k<T: Number>(v: T, y: &mut [T]) { let w = v + v; y[0] = w; }",
        expect!["0 mistakes: fn k<T : Number>(v : T, y : &mut [T]) { let w = v + v; y [0] = w; }"],
    );
}

#[test]
fn after_a_mistake_it_is_still_there() {
    check(
        "fn k(y: &mut [f32]) { let v = missing; y[0] = v; }",
        expect!["1 mistakes: fn k(y : &mut [f32]) { let v = missing; y [0] = v; }"],
    );
    check(
        "fn k(y: &mut [f32]) { let v = ; y[0] = v. }",
        expect!["1 mistakes: fn k(y : &mut [f32]) { let v =; y [0] = v . }"],
    );
}
