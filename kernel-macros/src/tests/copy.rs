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
            "0 mistakes: fn k(n : i32, y : &mut [f32]) { let i :::kernel_runtime::vocabulary::core::primitive::usize = global_idx() . x; let mut sum :::kernel_runtime::vocabulary::core::primitive::f32 = 0.0; let(a, b) =(1, 2); let pair :(:: kernel_runtime::vocabulary::core::primitive::i32, [:: kernel_runtime::vocabulary::core::primitive::u8; 3],) =(n, [1u8; 3]); let typed : i32 = 3; let f = | v | v + 1; let later :::kernel_runtime::vocabulary::core::primitive::f32; later = 2.5; sum += later; y [i] = sum +(a + b + typed + f(n) + pair . 0) as f32; }"
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

#[test]
fn paths_lead_to_the_vocabulary() {
    check(
        "fn k(y: &mut [f32]) {
            use core::f32::consts; use crate::evil::Trait as _; use super::warp::lane_id as lane; use evil::*;
            #[derive(Clone, evil::Copy, Debug, Element)] #[repr(C)] struct P { a: f32 }
            fn f(p: &::core::primitive::f32) -> f32 { *p }
            let i = crate::device::global_idx().x;
            assert!(crate::warp::any(i > 0), \"{}\", ::core::f32::MAX);
            y[i] = f(&P { a: consts::PI }.a);
        }",
        expect![[
            r#"1 mistakes: fn k(y : &mut [f32]) { use::kernel_runtime::vocabulary::core::f32::consts; use::kernel_runtime::vocabulary::warp::lane_id as lane; # [derive(:: kernel_runtime::vocabulary::core::clone::Clone,::kernel_runtime::vocabulary::core::marker::Copy,::kernel_runtime::vocabulary::core::fmt::Debug)] # [repr(C)] struct P { a : f32 } unsafe impl::kernel_runtime::bytemuck::Zeroable for P where Self :::kernel_runtime::vocabulary::core::marker::Copy + 'static, { } unsafe impl::kernel_runtime::bytemuck::Pod for P where Self :::kernel_runtime::vocabulary::core::marker::Copy + 'static, { } fn f(p : &::kernel_runtime::vocabulary::core::primitive::f32) -> f32 { *p } let i =::kernel_runtime::vocabulary::device::global_idx() . x;::kernel_runtime::vocabulary::core::assert !(:: kernel_runtime::vocabulary::warp::any(i> 0), "{}",::kernel_runtime::vocabulary::core::f32::MAX); y [i] = f(&P { a : consts::PI } . a); }"#
        ]],
    );
}
