//! Tiles and fragments of matrices.

use super::{check_error, check_refusals};
use expect_test::expect;

#[test]
fn accepts_products_of_tiles() {
    check_refusals(
        "#[kernel(block(256), arch(sm_80))] fn k(a: &[f16], b: &[f16], c: &mut [f32], m: usize, n: usize, k: usize) {
            let a = Matrix::new(a, [m, k]);
            let b = Matrix::new(b, [k, n]);
            let mut c = MatrixMut::new(c, [m, n]);
            let mut left = shared::<SharedTile<f16, 128, 32>>();
            let mut right = shared::<SharedTile<f16, 32, 128>>();
            let (row, column) = (128 * block_idx().y, 128 * block_idx().x);
            let (y, x) = (64 * (warp::warp_id() / 4), 32 * (warp::warp_id() % 4));
            let mut sum = warp::Acc::<f32, 64, 32>::zero();
            for step in 0..a.columns().div_ceil(32) {
                left.load(&a, [row, 32 * step]);
                right.load(&b, [32 * step, column]);
                barrier();
                let of_left = warp::Left::<f16, 64, 32>::load(&left, [y, 0]);
                let of_right = warp::Right::<f16, 32, 32>::load(&right, [0, x]);
                sum.mma(&of_left, &of_right);
                barrier();
            }
            sum.map(|x| x.max(0.0)).store(&mut c, [row + y, column + x]);
        }",
        expect![""],
    );
}

#[test]
fn refuses_shapes_of_no_product() {
    check_error(
        "fn k() { let _ = warp::Acc::<f32, 20, 8>::zero(); }",
        expect![[r#"
        1:18 `warp::Acc::<f32, 20, 8>`: expected multiples of 16 × 8 as the shape of a `Acc`, found 20 × 8
        help: take the next larger one, 32 × 8: what is beyond the edges of a matrix is zero when it is loaded, and left out when it is stored"#]],
    );
    check_error(
        "fn k() { let _ = warp::Acc::<f32, 16, 0>::zero(); }",
        expect![[r#"
        1:18 `warp::Acc::<f32, 16, 0>`: expected multiples of 16 × 8 as the shape of a `Acc`, found 16 × 0
        help: take the next larger one, 16 × 8: what is beyond the edges of a matrix is zero when it is loaded, and left out when it is stored"#]],
    );
    check_error(
        "fn k() { let tile = shared::<SharedTile<f16, 32, 30>>(); }",
        expect![[r#"
        1:30 `SharedTile<f16, 32, 30>`: expected multiples of 1 × 8 as the shape of a `SharedTile`, found 32 × 30
        help: take the next larger one, 32 × 32: what is beyond the edges of a matrix is zero when it is loaded, and left out when it is stored"#]],
    );
}

#[test]
fn refuses_operands_that_do_not_fit() {
    let product = |left: &str, right: &str, sum: &str| {
        format!(
            "fn k(x: &[f16]) {{
                let mut tile = shared::<SharedTile<f16, 32, 32>>();
                tile.load(&Matrix::new(x, [32, 32]), [0, 0]);
                let left = warp::Left::<{left}>::load(&tile, [0, 0]);
                let right = warp::Right::<{right}>::load(&tile, [0, 0]);
                let mut sum = warp::Acc::<{sum}>::zero();
                sum.mma(&left, &right);
            }}"
        )
    };
    check_error(
        &product("f16, 16, 32", "f16, 16, 8", "f32, 16, 8"),
        expect![[r#"
        7:32 `&right`: expected `&Right<f16, 32, 8>`, found `&Right<f16, 16, 8>`
        help: write `*` before it"#]],
    );
    check_error(
        &product("f16, 16, 16", "f16, 16, 16", "f32, 16, 8"),
        expect![[r#"
        7:32 `&right`: expected `&Right<f16, 16, 8>`, found `&Right<f16, 16, 16>`
        help: write `*` before it"#]],
    );
    check_error(
        &product("f16, 32, 16", "f16, 16, 8", "f32, 16, 8"),
        expect![[r#"
        7:25 `&left`: expected `&Left<_, 16, _>`, found `&Left<f16, 32, 16>`
        help: write `*` before it"#]],
    );
    check_error(
        &product("bf16, 16, 16", "f16, 16, 8", "f32, 16, 8"),
        expect![[r#"
        4:61 `&tile`: expected `&SharedTile<bf16, _, _>`, found `&Shared<SharedTile<f16, 32, 32>>`
        help: write `*` before it
        7:32 `&right`: expected `&Right<bf16, 16, 8>`, found `&Right<f16, 16, 8>`
        help: write `*` before it"#]],
    );
    check_error(
        &product("f16, 16, 16", "f16, 16, 8", "f16, 16, 8"),
        expect![[r#"
        6:31 `warp::Acc::<f16, 16, 8>`: expected `f32` for the elements of a `Acc`, found `f16`
        help: sums have this type, and are converted when they are stored"#]],
    );
    check_error(
        "fn k(x: &[bf16]) { let mut tile = shared::<SharedTile<f16, 32, 32>>(); tile.load(&Matrix::new(x, [32, 32]), [0, 0]); }",
        expect![[r#"
            1:82 `&Matrix::new(x, [32, 32])`: expected `&Matrix<f16>`, found `&Matrix<bf16>`
            help: write `*` before it"#]],
    );
    check_error(
        "fn k(x: &[f32]) { let mut tile = shared::<SharedTile<f32, 32, 32>>(); tile.load(&Matrix::new(x, [32, 32]), [0, 0]); }",
        expect![[r#"
            1:43 `SharedTile<f32, 32, 32>`: expected `f16` or `bf16` for the elements of a `SharedTile`, found `f32`
            help: convert the matrices to one of them, or multiply in a loop without tensor cores"#]],
    );
}
