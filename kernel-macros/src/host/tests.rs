//! What constructs look like in the hidden copy.

use expect_test::{Expect, expect};

use super::body_function;
use crate::analyze::analyze;
use crate::contract::contract;

/// The statements of a body in the copy, one a line.
#[track_caller]
fn check(params: &str, body: &str, expected: Expect) {
    let item = format!("fn k({params}) {{ {body} }}").parse().expect("the test's source has Rust's tokens");
    let mut kernel = analyze(Default::default(), item).unwrap_or_else(|failed| {
        panic!("{:?}", failed.errors.iter().map(|error| &error.message).collect::<Vec<_>>())
    });
    contract(&mut kernel);
    let text = body_function(&kernel).to_string();
    let (_, text) = text.split_once("fn body").unwrap_or(("", &text));
    let text =
        text.replace(":: kernel_runtime :: device :: ", "").replace(" ; ", " ;\n").replace(" :: ", "::");
    expected.assert_eq(text.trim());
}

#[test]
fn every_variable_has_its_type() {
    check(
        "a: f32, x: &[f32], y: &mut [f32]",
        "let i = global_idx().x; let mut s = 0.0; s = a; let _ = s; y[i] = x[i];",
        expect![[r#"
            (a : f32 , x : Slice < '_ , f32 > , # [allow (unused_mut)] mut y : SliceMut < '_ , f32 >) { let i : usize = global_idx () . x ;
            let mut s : f32 = 0f32 ;
            s = a ;
            let _ = s ;
            { let value : f32 = x . at (i) ;
            let index : usize = i ;
            y . set (index , value) ;
            } ;
            }"#]],
    );
}

#[test]
fn integers_wrap_and_shifts_mask() {
    check(
        "y: &mut [i32], a: i32, b: u8",
        "y[0] = (a + 1) * -a << b; y[1] -= -128i8 as i32; y[2] /= a;",
        expect![[r#"
            (# [allow (unused_mut)] mut y : SliceMut < '_ , i32 > , a : i32 , b : u8) { { let value : i32 = ((a . wrapping_add (1i32)) . wrapping_mul ((a . wrapping_neg ()))) . wrapping_shl (b as u32) ;
            let index : usize = 0usize ;
            y . set (index , value) ;
            } ;
            { let value : i32 = (- 128i8) as i32 ;
            let index : usize = 1usize ;
            let new = y . at (index) . wrapping_sub (value) ;
            y . set (index , new) ;
            } ;
            { let value : i32 = a ;
            let index : usize = 2usize ;
            let new = y . at (index) / value ;
            y . set (index , new) ;
            } ;
            }"#]],
    );
}

#[test]
fn fused_sums_keep_the_order_of_evaluation() {
    check(
        "y: &mut [f32], a: f32, b: f32",
        "let mut s = a * b - 1.0; s += a * b; y[0] = b - a * s; y[1] -= s * s;",
        expect![[r#"
            (# [allow (unused_mut)] mut y : SliceMut < '_ , f32 > , a : f32 , b : f32) { let mut s : f32 = ops::mul_add (a , b , - 1f32) ;
            { let a : f32 = a ;
            let b : f32 = b ;
            s = ops::mul_add (a , b , s) ;
            } ;
            { let value : f32 = ops::add_mul (b , - a , s) ;
            let index : usize = 0usize ;
            y . set (index , value) ;
            } ;
            { let a : f32 = - s ;
            let b : f32 = s ;
            let index : usize = 1usize ;
            let new = ops::mul_add (a , b , y . at (index)) ;
            y . set (index , new) ;
            } ;
            }"#]],
    );
}

#[test]
fn shared_memory_is_told_apart_by_number() {
    check(
        "y: &mut [u32]",
        "let mut t = shared::<[[u32; 4]; 2]>(); let u = shared::<[u32; 4]>(); t[1][2] = u[3]; barrier(); y[0] = t[0][1] + u.len() as u32;",
        expect![[r#"
            (# [allow (unused_mut)] mut y : SliceMut < '_ , u32 >) { let mut t : Shared < [[u32 ;
            4] ;
            2] > = shared_at::< [[u32 ;
            4] ;
            2] > (0usize) ;
            let u : Shared < [u32 ;
            4] > = shared_at::< [u32 ;
            4] > (1usize) ;
            { let value : u32 = u . at (3usize) ;
            let mut row = t . row_mut (1usize) ;
            let index : usize = 2usize ;
            row . set (index , value) ;
            } ;
            barrier () ;
            { let value : u32 = t . row (0usize) . at (1usize) . wrapping_add ((u . len () as u32)) ;
            let index : usize = 0usize ;
            y . set (index , value) ;
            } ;
            }"#]],
    );
}

#[test]
fn methods_that_differ_are_functions() {
    check(
        "y: &mut [f32], a: f32, k: i32",
        "y[0] = a.max(1.0).sqrt(); y[1] = k.abs().clamp(0, 9) as f32; y[2] = f32::from_bits(7);",
        expect![[r#"
            (# [allow (unused_mut)] mut y : SliceMut < '_ , f32 > , a : f32 , k : i32) { { let value : f32 = ops::max (a , 1f32) . sqrt () ;
            let index : usize = 0usize ;
            y . set (index , value) ;
            } ;
            { let value : f32 = k . wrapping_abs () . max (0i32) . min (9i32) as f32 ;
            let index : usize = 1usize ;
            y . set (index , value) ;
            } ;
            { let value : f32 = f32::from_bits (7u32) ;
            let index : usize = 2usize ;
            y . set (index , value) ;
            } ;
            }"#]],
    );
}

#[test]
fn constants_are_printed_as_written() {
    check(
        "y: &mut [u32]",
        "const N: u32 = 1 << 4; for i in (0..=N - 1).step_by(2) { y[0] = i; }",
        expect![[r#"
        (# [allow (unused_mut)] mut y : SliceMut < '_ , u32 >) { const N : u32 = 1u32 << 4i32 ;
        for i in (0u32 ..= (N . wrapping_sub (1u32))) . step_by (ops::step (2usize)) { { let value : u32 = i ;
        let index : usize = 0usize ;
        y . set (index , value) ;
        } ;
        } }"#]],
    );
}
