//! Tuples, structs, arrays, slices, constants, `Option`.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn tuples_are_their_scalars() {
    check_body(
        "y: &mut [i32], a: i32",
        "let (mut p, q) = (a, a + 1); p += q; let t = (p, (q, 3)); y[0] = t.1.0 + t.0;",
        expect![[""]],
    );
}

#[test]
fn arrays_live_in_memory() {
    check_body("y: &mut [i32], i: usize", "let mut a = [1, 2, 3]; a[i] = 7; y[0] = a[1];", expect![[""]]);
}

#[test]
fn large_arrays_are_filled_and_copied_by_loops() {
    check_body(
        "y: &mut [f32], i: usize",
        "let a = [1.5f32; 100]; let mut b = a; b[i] = 2.0; y[0] = b[0];",
        expect![[""]],
    );
}

#[test]
fn tables_of_constants() {
    check_body(
        "y: &mut [i32], i: usize",
        "const T: [i32; 4] = [10, 20, 30, 40]; y[0] = T[2]; y[1] = T[i];",
        expect![[""]],
    );
}

#[test]
fn parts_of_slices_are_checked() {
    check_body(
        "x: &[f32], y: &mut [f32], a: usize, b: usize",
        "let s = &x[a..b]; y[0] = s[0]; let t = &x[2..]; y[1] = t[0];",
        expect![[""]],
    );
}

#[test]
fn structs_in_slices() {
    check(
        "fn k(x: &mut [u32], n: u32) {
            #[derive(Clone, Copy, PartialEq)]
            struct P { a: u8, b: u32 }
            let p = P { a: n as u8, b: n };
            let q = P { b: 7, ..p };
            x[0] = if p == q { 1 } else { q.b };
        }",
        expect![[""]],
    );
}

#[test]
fn options_are_a_value_and_a_flag() {
    check_body(
        "y: &mut [i32], n: i32",
        "let o = if n > 0 { Some(n) } else { None }; if let Some(v) = o && v < 9 { y[0] = v; }",
        expect![[""]],
    );
}

#[test]
fn shared_arrays_as_slices() {
    check_body(
        "y: &mut [f32], n: usize",
        "fn first(s: &[f32]) -> f32 { s[0] } let mut tile = shared::<[f32; 32]>(); tile[n] = 1.0; y[0] = first(&tile[..]);",
        expect![[""]],
    );
}

#[test]
fn vectors_in_slices_of_lanes() {
    check_body(
        "x: &[f32], y: &mut [f32], i: usize",
        "let v = F32x4::load(x, i); (v + v).store(y, 0);",
        expect![[""]],
    );
}

#[test]
fn floats_of_16_bits_go_in_pairs() {
    check_body("x: &[F16x2], y: &mut [F16x2]", "y[0] = x[0] * x[1] + y[0];", expect![[""]]);
}
