//! Patterns: `match`, `if let`, `let … else`.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn arms_are_tried_in_order() {
    check_body(
        "y: &mut [i32], n: i32",
        "y[0] = match n { 0 | 1 => 10, 2..=5 => 20, m if m > 9 => m, _ => 30 };",
        expect![[""]],
    );
}

#[test]
fn many_constants_are_searched() {
    check_body(
        "y: &mut [i32], n: u8",
        "y[0] = match n { 0 => 5, 1 => 3, 2 => 8, 3 => 1, 4 => 9, 5 => 7, 10..=19 => 2, 200.. => 4, _ => 0 };",
        expect![[""]],
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
        expect![[""]],
    );
}

#[test]
fn alternatives_bind_the_same_variables() {
    check_body(
        "y: &mut [i32], a: i32, b: i32",
        "match (a, b) { (0, v) | (v, 0) => y[0] = v, (p, q) => y[0] = p * q }",
        expect![[""]],
    );
}

#[test]
fn let_else_goes_away() {
    check_body(
        "y: &mut [i32], n: i32",
        "let o = if n > 0 { Some(n) } else { None }; let Some(v) = o else { return }; y[0] = v;",
        expect![[""]],
    );
}

#[test]
fn slices_are_taken_apart() {
    check_body("x: &[i32], y: &mut [i32]", "if let [a, .., b] = x { y[0] = *a + *b; }", expect![[""]]);
}
