//! Views with a shape: matrices and volumes as parameters of kernels.

use expect_test::expect;

use super::guards::check_guards;
use super::{check_error, check_refusals};

const COPY: &str = "#[kernel(deny_checks)] fn k(x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>) {
    let (row, column) = (global_idx().y, global_idx().x);
    if row < x.rows() && column < x.columns() && row < y.rows() && column < y.columns() {
        y[[row, column]] = x.at(row, column);
    }
}";

const STENCIL: &str = "#[kernel(deny_checks)] fn k(x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>) {
    let (r, c) = (global_idx().y, global_idx().x);
    if r >= 1 && r + 1 < x.rows() && c >= 1 && c + 1 < x.columns() && r < y.rows() && c < y.columns() {
        y[[r, c]] = x[[r, c]] + x[[r - 1, c]] + x[[r + 1, c]] + x[[r, c - 1]] + x[[r, c + 1]];
    }
}";

const HEAT: &str = "#[kernel(deny_checks)] fn k(x: Volume<'_, f32>, mut y: VolumeMut<'_, f32>) {
    let (p, r, c) = (global_idx().z, global_idx().y, global_idx().x);
    if p >= 1 && p + 1 < x.depth() && r >= 1 && r + 1 < x.rows() && c >= 1 && c + 1 < x.columns()
        && p < y.depth() && r < y.rows() && c < y.columns() {
        y[[p, r, c]] = x[[p - 1, r, c]] + x[[p + 1, r, c]] + x[[p, r - 1, c]] + x[[p, r + 1, c]] + x[[p, r, c - 1]] + x[[p, r, c + 1]];
    }
}";

#[test]
fn elements_have_no_checks() {
    check_guards(COPY, expect![""]);
}

#[test]
fn neighbours_have_no_checks() {
    check_guards(STENCIL, expect![""]);
}

#[test]
fn neighbours_in_volumes_have_no_checks() {
    check_guards(HEAT, expect![""]);
}

#[test]
fn rows_have_no_checks() {
    check_guards(
        "#[kernel(deny_checks)] fn k(x: Matrix<'_, f32>, sums: &mut [f32]) {
            let row = global_idx().x;
            if row < x.rows() && row < sums.len() {
                let mut sum = 0.0;
                for value in x.row(row) {
                    sum += value;
                }
                sums[row] = sum;
            }
        }",
        expect![
            "x.rows() * x.stride() + x.columns() <= x.stride() + x.len() || sums.len() * x.stride() + x.columns() <= x.stride() + x.len()"
        ],
    );
}

#[test]
fn products_have_no_checks() {
    check_guards(
        "#[kernel(deny_checks)] fn k(a: Matrix<'_, f32>, b: Matrix<'_, f32>, mut c: MatrixMut<'_, f32>) {
            let (row, column) = (global_idx().y, global_idx().x);
            if row < a.rows() && column < b.columns() && row < c.rows() && column < c.columns() && a.columns() <= b.rows() {
                let mut sum = 0.0;
                for k in 0..a.columns() {
                    sum += a[[row, k]] * b[[k, column]];
                }
                c[[row, column]] = sum;
            }
        }",
        expect![""],
    );
}

#[test]
fn parameters_feed_tiles() {
    check_refusals(
        "#[kernel(block(128), arch(sm_80))] fn k(a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
            let mut tile = shared::<SharedTile<f16, 32, 32>>();
            tile.load(&a, [0, 0]);
            barrier();
            let left = warp::Left::<f16, 16, 16>::load(&tile, [0, 0]);
            let right = warp::Right::<f16, 16, 8>::load(&tile, [16, 0]);
            let mut sum = warp::Acc::<f32, 16, 8>::zero();
            sum.mma(&left, &right);
            sum.store(&mut c, [0, 0]);
        }",
        expect![[""]],
    );
}

#[test]
fn mistakes() {
    for (params, body, expected) in [
        (
            "x: Matrix<'_, bool>",
            "",
            expect![[r#"
            1:20 `bool`: expected an element type, found `bool`: not every byte is a `bool`
            help: use `u8` and compare with `!= 0`"#]],
        ),
        (
            "x: Matrix<f32>",
            "",
            expect![[r#"
            1:9 `Matrix<f32>`: expected plain data as a kernel's parameter, found `Matrix<f32>`
            help: write its lifetime: `Matrix<'_, f32>`"#]],
        ),
        (
            "x: &Matrix<'_, f32>",
            "",
            expect![[r#"
            1:9 `&Matrix<'_, f32>`: expected a slice after `&`, found `Matrix<'_, f32>`
            help: pass it by value: `Matrix<'_, f32>`"#]],
        ),
        (
            "x: Matrix<'_, f32>",
            "x[[0, 0]] = 1.0;",
            expect![[r#"
            1:28 `x[[0, 0]]`: expected a type with elements that can be written, found one that has only `Index`
            help: take a `MatrixMut`, and declare it `mut`"#]],
        ),
        (
            "x: MatrixMut<'_, f32>",
            "x[[0, 0]] = 1.0;",
            expect![[r#"
            1:31 `x`: expected a mutable variable, found the parameter `x`
            help: declare it `mut x`"#]],
        ),
        (
            "x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>",
            "y[[0, 0]] = x[0];",
            expect![[r#"
                1:69 `0`: expected `[usize; 2]` as the index of `Matrix<f32>`, found an integer
                help: write all in one: `x[[i, j]]`"#]],
        ),
        (
            "x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>",
            "y[[0, 0]] = x[[0, 0, 0]];",
            expect![[r#"
                1:69 `[0, 0, 0]`: expected `[usize; 2]` as the index of `Matrix<f32>`, found `[_; 3]`
                help: write all in one: `x[[i, j]]`"#]],
        ),
        (
            "x: Volume<'_, f32>, mut y: MatrixMut<'_, f32>",
            "y[[0, 0]] = x[[0, 0]];",
            expect![[r#"
                1:69 `[0, 0]`: expected `[usize; 3]` as the index of `Volume<f32>`, found `[_; 2]`
                help: write all in one: `x[[i, j, k]]`"#]],
        ),
        (
            "x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>",
            "y[[0, 0]] = x.at(0);",
            expect![[r#"
            1:67 `x.at(0)`: expected 2 arguments to `at`, found 1
            help: add what is missing"#]],
        ),
        (
            "x: Matrix<'_, f32>, mut y: MatrixMut<'_, i32>",
            "y[[0, 0]] = x[[0, 0]];",
            expect![[r#"
            1:67 `x[[0, 0]]`: expected `i32`, found `f32`
            help: convert with `as i32`"#]],
        ),
    ] {
        check_error(&format!("fn k({params}) {{ {body} }}"), expected);
    }
}

#[test]
fn disjoint_kernels_take_no_matrix_to_write() {
    check_error(
        "#[kernel(disjoint)] fn k(mut y: MatrixMut<'_, f32>) { y[[0, 0]] = 1.0; }",
        expect![[r#"
            1:30 `y`: expected no view that is written in a kernel that is `disjoint`, found `y`, which every thread has
            help: take a slice, `&mut [T]`, or leave `disjoint` out"#]],
    );
}

#[test]
fn parameters_may_have_the_names_of_parts() {
    check_refusals(
        "fn k(x: Matrix<'_, f32>, x_rows: usize, mut y: MatrixMut<'_, f32>) { y[[0, x_rows]] = x[[x_rows, 1]]; }",
        expect![[""]],
    );
}
