//! Indices from memory that the host has validated.

use expect_test::expect;

use super::check_error;
use super::guards::{check_free, check_guards};

#[test]
fn gathers_have_no_checks() {
    check_guards(
        "#[kernel(deny_checks)] fn k(col: Indices<'_, u32>, x: &[f32], y: &mut [f32]) {
            let i = global_idx().x;
            if i < y.len() && i < col.len() {
                y[i] = x[col[i] as usize];
            }
        }",
        expect!["col.bound() <= x.len()"],
    );
}

#[test]
fn scatters_of_signed_indices_have_no_checks() {
    check_guards(
        "#[kernel(deny_checks)] fn k(to: Indices<'_, i32>, x: &[f32], y: &mut [f32]) {
            let i = global_idx().x;
            if i < x.len() && i < to.len() {
                y[to[i] as usize] = x[i];
            }
        }",
        expect!["to.bound() <= y.len()"],
    );
}

#[test]
fn compressed_rows_have_no_checks() {
    check_guards(
        "#[kernel(deny_checks)] fn k(start: Indices<'_, u32>, col: Indices<'_, u32>, a: &[f32], x: &[f32], y: &mut [f32]) {
            let row = global_idx().x;
            if row < y.len() && row + 1 < start.len() {
                let mut sum = 0.0;
                for j in start[row] as usize..start[row + 1] as usize {
                    sum += a[j] * x[col[j] as usize];
                }
                y[row] = sum;
            }
        }",
        expect![[r#"
            start.bound() <= a.len() + 1
            start.bound() <= col.len() + 1
            col.bound() <= x.len()"#]],
    );
}

#[test]
fn rows_of_a_table_have_no_checks() {
    check_guards(
        "#[kernel(deny_checks)] fn k(ids: Indices<'_, u32>, table: &[f32], out: &mut [f32], width: usize) {
            let i = global_idx().x;
            if i < ids.len() * width && i < out.len() {
                let id = ids[i / width] as usize;
                out[i] = table[id * width + i % width];
            }
        }",
        expect![[r#"
            width < 1 << 31
            (ids.len() * width) < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            width != 0
            ((out.len() - 1) / width) + 1 <= ids.len() && 1 <= width || ids.len() * width <= i32::MAX && 1 <= width
            width * ids.bound() <= table.len()"#]],
    );
}

#[test]
fn parts_are_slices_of_indices() {
    let (guards, text) = check_free(
        "#[kernel] fn k(start: Indices<'_, u32>, col: Indices<'_, u32>, x: &[f32], y: &mut [f32]) {
            let row = global_idx().x;
            if row < y.len() && row + 1 < start.len() {
                let mut sum = 0.0;
                for &c in &col[start[row] as usize..start[row + 1] as usize] {
                    sum += x[c as usize];
                }
                y[row] = sum;
            }
        }",
    );
    expect![[r#"
        start.bound() <= col.len() + 1
        col.bound() <= x.len()"#]]
    .assert_eq(&guards.join("\n"));
    // The start of the part may be beyond its end.
    assert!(text.contains("$panic"), "{text}");
}

#[test]
fn other_slices_keep_their_checks() {
    let (guards, text) = check_free(
        "#[kernel] fn k(col: Indices<'_, u32>, other: &[u32], x: &[f32], y: &mut [f32]) {
            let i = global_idx().x;
            if i < y.len() && i < col.len() && i < other.len() && y.len() != 0 {
                let from = if i % 2 == 0 { col } else { other };
                y[i] = x[from[i] as usize] + x[col[i] as usize];
            }
        }",
    );
    expect!["col.bound() <= x.len()"].assert_eq(&guards.join("\n"));
    // From either of them.
    assert!(text.contains("$panic"), "{text}");
}

#[test]
fn indices_are_integers() {
    check_error(
        "#[kernel] fn k(col: Indices<'_, f32>, y: &mut [f32]) { y[0] = col[0]; }",
        expect![[r#"
            1:21 `Indices<'_, f32>`: expected integers as indices, found `f32`
            help: write `Indices<'_, u32>`"#]],
    );
}

#[test]
fn indices_are_not_written() {
    check_error(
        "#[kernel] fn k(col: Indices<'_, u32>) { col[0] = 1; }",
        expect![[r#"
            1:41 `col[0]`: expected a slice that can be written, found `col: &[u32]`
            help: declare it `col: &mut [u32]`"#]],
    );
}

#[test]
fn a_lifetime_is_written() {
    check_error(
        "#[kernel] fn k(col: Indices<u32>, y: &mut [u32]) { y[0] = col[0]; }",
        expect![[r#"
            1:21 `Indices<u32>`: expected a type, found `Indices`
            help: write its lifetime: `Indices<'_, u32>`"#]],
    );
}
