//! Iterators: counted loops without checks.

use expect_test::expect;

use super::check_body;

#[test]
fn slices_are_read_without_checks() {
    check_body(
        "x: &[f32], y: &mut [f32]",
        "let mut sum = 0.0f32; for v in x { sum += *v; } y[0] = sum;",
        expect![[""]],
    );
}

#[test]
fn zipped_slices() {
    check_body(
        "x: &[f32], y: &mut [f32]",
        "for (a, b) in x.iter().zip(y.iter_mut()) { *b = *a; }",
        expect![[""]],
    );
}

#[test]
fn sums_of_mapped_items() {
    check_body("x: &[f32], y: &mut [f32]", "y[0] = x.iter().map(|v| v * v).sum::<f32>();", expect![[""]]);
}

#[test]
fn filters_are_conditions_inside() {
    check_body(
        "x: &[i32], y: &mut [i32]",
        "y[0] = x.iter().copied().filter(|v| *v > 0).fold(0, |a, b| a + b);",
        expect![[""]],
    );
}

#[test]
fn reversed_steps_with_numbers() {
    check_body(
        "x: &[i32], y: &mut [i32]",
        "for (i, v) in x.iter().rev().step_by(3).enumerate() { y[i] = *v; }",
        expect![[""]],
    );
}

#[test]
fn searches_stop() {
    check_body("x: &[i32], y: &mut [i32]", "if x.iter().any(|v| *v == 3) { y[0] = 1; }", expect![[""]]);
}

#[test]
fn chunks_and_chains() {
    check_body(
        "x: &[i32], y: &mut [i32], n: usize",
        "for c in x.chunks(n) { y[0] += c[0]; } for i in (0..3).chain(7..n) { y[i] = 1; }",
        expect![[""]],
    );
}

#[test]
fn arrays_by_value() {
    check_body("y: &mut [i32], n: i32", "for v in [1, n, 3] { y[0] += v; }", expect![[""]]);
}
