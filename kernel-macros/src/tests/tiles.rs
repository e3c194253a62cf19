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
fn accepts_stages_of_tiles() {
    check_refusals(
        "#[kernel(block(128), arch(sm_80))] fn k(a: &[f16], b: &[f16], c: &mut [f16], m: usize, n: usize, k: usize) {
            let a = Matrix::new(a, [m, k]);
            let b = Matrix::new(b, [k, n]);
            let mut c = MatrixMut::new(c, [m, n]);
            let mut stages = shared::<Stages<(SharedTile<f16, 128, 32>, SharedTile<f16, 32, 128>), 3>>();
            let (row, column) = (128 * block_idx().y, 128 * block_idx().x);
            let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
            let mut sum = warp::Acc::<f32, 64, 64>::zero();
            stages.run(
                a.columns().div_ceil(32),
                |(left, right), step| (left.load(&a, [row, 32 * step]), right.load(&b, [32 * step, column])),
                |(left, right)| {
                    let of_left = warp::Left::<f16, 64, 32>::load(left, [y, 0]);
                    let of_right = warp::Right::<f16, 32, 64>::load(right, [0, x]);
                    sum.mma(&of_left, &of_right);
                },
            );
            sum.store(&mut c, [row + y, column + x]);
        }",
        expect![""],
    );
}

#[test]
fn accepts_elements_of_tiles() {
    let reading = |arch: &str, element: &str, read: &str| {
        format!(
            "#[kernel(block(256), arch({arch}))] fn k(a: Matrix<'_, {element}>, y: &mut [{element}]) {{
                let mut tile = shared::<SharedTile<{element}, 16, 64>>();
                tile.load(&a, [0, 0]);
                barrier();
                let i = thread_idx().x;
                {read}
            }}"
        )
    };
    for element in ["f16", "bf16", "f32", "f64", "i8", "u8", "E4M3", "E5M2"] {
        check_refusals(&reading("sm_80, sm_90", element, "y[i] = tile.at(i % 16, i / 16);"), expect![""]);
    }
    check_refusals(
        &reading("sm_80", "f32", "tile.vector_at(i / 16, 4 * (i % 16)).store(y, 4 * i);"),
        expect![""],
    );
    check_refusals(&reading("sm_80, sm_90a", "f16", "y[i] = tile.at(i % 16, i / 16);"), expect![""]);
    check_error(
        &reading("sm_80, sm_90a", "f32", "y[i] = tile.at(i % 16, i / 16);"),
        expect![[r#"
        6:29 `at`: expected a tile that holds the elements of its matrix, found one of `f32` in a kernel for `sm_90a`, where tiles hold them rounded to tf32
        help: compile the kernel for `arch(sm_80)`, which newer devices run, too"#]],
    );
    check_error(
        &reading("sm_80", "f32", "y[i] = tile.vector_at(0, 2).x;"),
        expect![[r#"
        6:42 `2`: expected four elements of a tile of 16 × 64, from a column that is a multiple of 4, found [0, 2]
        help: as it is written, every launch panics here"#]],
    );
    check_error(
        &reading("sm_80", "f16", "y[i] = tile.at(16, 0);"),
        expect![[r#"
        6:36 `0`: expected an element of a tile of 16 × 64, found [16, 0]
        help: as it is written, every launch panics here"#]],
    );
}

#[test]
fn refuses_stages_that_are_not_filled() {
    let run = |stages: &str, fill: &str, drain: &str| {
        format!(
            "fn k(x: &[f16]) {{
                let x = Matrix::new(x, [32, 32]);
                let mut stages = shared::<Stages<{stages}>>();
                stages.run(2, |slot, step| {fill}, |stage| {drain});
            }}"
        )
    };
    check_error(
        &run("SharedTile<f16, 32, 32>, 1", "slot.load(&x, [0, 0])", "{}"),
        expect![[r#"
        3:43 `Stages<SharedTile<f16, 32, 32>, 1>`: expected at least 2 stages, one to fill while another is read, found 1
        help: write `2`, or load single tiles: `tile.load(…)` with a `barrier()` before and after what reads them"#]],
    );
    check_error(
        &run("SharedTile<f16, 32, 32>, 2", "{ if step == 0 { slot.load(&x, [0, 0]); } }", "{}"),
        expect![[r#"
            4:46 `if step == 0 { slot.load(&x, [0, 0]); }`: expected `LoadingTile<f16, 32, 32>`, found an `if` without `else`
            help: add an `else` with a value"#]],
    );
    check_error(
        &run("(SharedTile<f16, 32, 32>, SharedTile<f16, 32, 8>), 2", "slot.0.load(&x, [0, 0])", "{}"),
        expect![[r#"
            4:44 `slot.0.load(&x, [0, 0])`: expected `(LoadingTile<f16, 32, 32>, LoadingTile<f16, 32, 8>)`, found `LoadingTile<f16, 32, 32>`
            help: return the loads of all tiles of the stage, in their order: `(left.load(…), right.load(…))`"#]],
    );
    check_error(
        &run(
            "SharedTile<f16, 32, 32>, 2",
            "{ warp::Left::<f16, 16, 16>::load(&slot, [0, 0]); slot.load(&x, [0, 0]) }",
            "{}",
        ),
        expect![[r#"
            4:78 `&slot`: expected `&SharedTile<f16, _, _>`, found `&EmptyTile<f16, 32, 32>`
            help: refer to a value of type `SharedTile<f16, _, _>`"#]],
    );
    check_error(
        &run("SharedTile<f16, 32, 32>, 2", "slot.load(&x, [0, 0])", "stage.load(&x, [0, 0])"),
        expect![[r#"
            4:75 `stage`: expected a tile that can be filled, found one that is only read, `stage: &SharedTile<f16, 32, 32>`
            help: stages are filled by the closure that starts their loads; load other tiles where `stage` comes from, and take it by `&mut`"#]],
    );
}

#[test]
fn refuses_shapes_of_no_product() {
    check_error(
        "fn k() { let _ = warp::Acc::<f32, 20, 8>::zero(); }",
        expect![[r#"
            1:18 `warp::Acc::<f32, 20, 8>`: expected multiples of 16 × 8 as the shape of an `Acc`, found 20 × 8
            help: take the next larger one, 32 × 8: what is beyond the edges of a matrix is zero when it is loaded, and left out when it is stored"#]],
    );
    check_error(
        "fn k() { let _ = warp::Acc::<f32, 16, 0>::zero(); }",
        expect![[r#"
            1:18 `warp::Acc::<f32, 16, 0>`: expected multiples of 16 × 8 as the shape of an `Acc`, found 16 × 0
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
            help: refer to a value of type `Right<f16, 32, 8>`"#]],
    );
    check_error(
        &product("f16, 16, 16", "f16, 16, 16", "f32, 16, 8"),
        expect![[r#"
            7:32 `&right`: expected `&Right<f16, 16, 8>`, found `&Right<f16, 16, 16>`
            help: refer to a value of type `Right<f16, 16, 8>`"#]],
    );
    check_error(
        &product("f16, 32, 16", "f16, 16, 8", "f32, 16, 8"),
        expect![[r#"
            7:25 `&left`: expected `&Left<_, 16, _>`, found `&Left<f16, 32, 16>`
            help: refer to a value of type `Left<_, 16, _>`"#]],
    );
    check_error(
        &product("bf16, 16, 16", "f16, 16, 8", "f32, 16, 8"),
        expect![[r#"
            4:61 `&tile`: expected `&SharedTile<bf16, _, _>`, found `&Shared<SharedTile<f16, 32, 32>>`
            help: refer to a value of type `SharedTile<bf16, _, _>`"#]],
    );
    check_error(
        "fn k(x: &[bf16]) { let mut tile = shared::<SharedTile<f16, 32, 32>>(); tile.load(&Matrix::new(x, [32, 32]), [0, 0]); }",
        expect![[r#"
            1:82 `&Matrix::new(x, [32, 32])`: expected `&Matrix<f16>`, found `&Matrix<bf16>`
            help: refer to a value of type `Matrix<f16>`"#]],
    );
    check_error(
        "fn k(x: &[u32]) { let mut tile = shared::<SharedTile<u32, 32, 32>>(); tile.load(&Matrix::new(x, [32, 32]), [0, 0]); }",
        expect![[r#"
            1:43 `SharedTile<u32, 32, 32>`: expected `f16`, `bf16`, `i8`, `u8`, `f32`, `f64`, `E4M3` or `E5M2` for the elements of a `SharedTile`, found `u32`
            help: convert the matrices to one of them, or multiply in a loop without tensor cores"#]],
    );
}

#[test]
fn accepts_whole_products_of_stages() {
    check_refusals(
        "#[kernel(block(128), arch(sm_80), instances(T = [f16, bf16]))]
        fn k<T: MatrixElement + OfSum>(a: Matrix<'_, T>, b: Matrix<'_, T>, mut c: MatrixMut<'_, T>) {
            let mut stages = shared::<Stages<(SharedTile<T, 64, 32>, SharedTile<T, 32, 64>), 3>>();
            let (row, column) = (64 * block_idx().y, 64 * block_idx().x);
            let (y, x) = (32 * (warp::warp_id() / 2), 32 * (warp::warp_id() % 2));
            let mut sum = warp::Acc::<f32, 32, 32>::zero();
            stages.multiply(a.columns().div_ceil(32), [y, x], &mut sum, |(left, right), step| {
                (left.load(&a, [row, 32 * step]), right.load(&b, [32 * step, column]))
            });
            sum.store(&mut c, [row + y, column + x]);
        }",
        expect![""],
    );
}

#[test]
fn refuses_products_of_stages_that_do_not_fit() {
    let multiply = |stages: &str, sum: &str, fill: &str| {
        format!(
            "fn k(a: Matrix<'_, f16>, b: Matrix<'_, bf16>) {{
                let mut stages = shared::<Stages<{stages}>>();
                let mut sum = {sum};
                stages.multiply(2, [0, 0], &mut sum, |(left, right), step| {fill});
            }}"
        )
    };
    let (sum, fill) = (
        "warp::Acc::<f32, 16, 16>::zero()",
        "(left.load(&a, [0, 32 * step]), right.load(&a, [32 * step, 0]))",
    );
    let tiles = "(SharedTile<f16, 32, 32>, SharedTile<f16, 32, 32>), 2";
    // Stages of one tile.
    check_error(
        &multiply("SharedTile<f16, 32, 32>, 2", sum, fill),
        expect![[r#"
        4:24 `multiply`: expected a method of a shared `Stages<SharedTile<f16, 32, 32>, 2>`, found `multiply`
        help: multiply stages of two tiles of the same elements, the left one with as many columns as the right one has rows: `Stages<(SharedTile<f16, 64, 32>, SharedTile<f16, 32, 128>), 3>`"#]],
    );
    // Tiles of different depths, and of different elements.
    check_error(
        &multiply("(SharedTile<f16, 32, 16>, SharedTile<f16, 32, 32>), 2", sum, fill),
        expect![[r#"
        4:24 `multiply`: expected a method of a shared `Stages<(SharedTile<f16, 32, 16>, SharedTile<f16, 32, 32>), 2>`, found `multiply`
        help: multiply stages of two tiles of the same elements, the left one with as many columns as the right one has rows: `Stages<(SharedTile<f16, 64, 32>, SharedTile<f16, 32, 128>), 3>`"#]],
    );
    check_error(
        &multiply("(SharedTile<f16, 32, 32>, SharedTile<bf16, 32, 32>), 2", sum, fill),
        expect![[r#"
        4:24 `multiply`: expected a method of a shared `Stages<(SharedTile<f16, 32, 32>, SharedTile<bf16, 32, 32>), 2>`, found `multiply`
        help: multiply stages of two tiles of the same elements, the left one with as many columns as the right one has rows: `Stages<(SharedTile<f16, 64, 32>, SharedTile<f16, 32, 128>), 3>`"#]],
    );
    // Something else than sums.
    check_error(
        &multiply(tiles, "0.0f32", fill),
        expect![[r#"
            4:44 `&mut sum`: expected `&mut Acc<_, _, _>`, found `&mut f32`
            help: refer to a value of type `Acc<_, _, _>`"#]],
    );
    // A matrix of other elements than the tile.
    check_error(
        &multiply(tiles, sum, "(left.load(&a, [0, 32 * step]), right.load(&b, [32 * step, 0]))"),
        expect![[r#"
            4:119 `&b`: expected `&Matrix<f16>`, found `&Matrix<bf16>`
            help: refer to a value of type `Matrix<f16>`"#]],
    );
    // A tile that is left out, one in the other's place, one that is read.
    check_error(
        &multiply(tiles, sum, "left.load(&a, [0, 32 * step])"),
        expect![[r#"
            4:76 `left.load(&a, [0, 32 * step])`: expected `(LoadingTile<f16, 32, 32>, LoadingTile<f16, 32, 32>)`, found `LoadingTile<f16, 32, 32>`
            help: return the loads of all tiles of the stage, in their order: `(left.load(…), right.load(…))`"#]],
    );
    check_error(
        &multiply(tiles, sum, "(left.load(&a, [0, 0]), right)"),
        expect![[r#"
            4:100 `right`: expected `LoadingTile<f16, 32, 32>`, found `EmptyTile<f16, 32, 32>`
            help: load it: `tile.load(&matrix, [row, column])`"#]],
    );
    check_error(
        &multiply(
            tiles,
            sum,
            "{ warp::Left::<f16, 16, 16>::load(&left, [0, 0]); (left.load(&a, [0, 0]), right.load(&a, [0, 0])) }",
        ),
        expect![[r#"
            4:110 `&left`: expected `&SharedTile<f16, _, _>`, found `&EmptyTile<f16, 32, 32>`
            help: refer to a value of type `SharedTile<f16, _, _>`"#]],
    );
    // Half of a place.
    check_error(
        &multiply(tiles, sum, "(left.load(&a, 0), right.load(&a, [0, 0]))"),
        expect![[r#"
        4:91 `0`: expected `[usize; 2]`, found an integer
        help: make both of the same type"#]],
    );
}

#[test]
fn accepts_products_by_groups() {
    check_refusals(
        "#[kernel(block(384), arch(sm_80, sm_90a), instances(T = [f16, bf16]))]
        fn k<T: MatrixElement + OfSum>(a: Matrix<'_, T>, b: Matrix<'_, T>, bias: &[f32], mut c: MatrixMut<'_, T>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, 64>, SharedTile<T, 64, 256>), 4>>();
            stages[0].multiply_tiles(
                [c.rows(), c.columns()],
                a.columns().div_ceil(64),
                |(left, right), [row, column], step| (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column])),
                |sum: warp::Acc<f32, 16, 256>, at| sum.map_at(|_, column, x| x + bias[at[1] + column]).store(&mut c, at),
            );
        }",
        expect![""],
    );
}

#[test]
fn refuses_products_by_groups_that_do_not_fit() {
    let multiply = |head: &str, stages: &str, method: &str, sum: &str| {
        format!(
            "#[kernel({head})]
            fn k(a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {{
                let mut stages = shared::<Stages<{stages}>>();
                stages.{method}([64, 64], 2, |(left, right), [row, column], step| (left.load(&a, [row, 0]), right.load(&a, [0, column])), {sum});
            }}"
        )
    };
    let (tiles, sum) = (
        "(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 32>), 2",
        "|sum: warp::Acc<f32, 16, 32>, at| sum.store(&mut c, at)",
    );
    // Tiles of different depths, and one that is not of the transposed matrix.
    check_error(
        &multiply(
            "block(256)",
            "(SharedTile<f16, 64, 64>, SharedTile<f16, 32, 32>), 2",
            "multiply_tiles",
            sum,
        ),
        expect![[r#"
            4:24 `multiply_tiles`: expected a method of a shared `Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 32, 32>), 2>`, found `multiply_tiles`
            help: multiply stages of two tiles of the same elements, the left one with as many columns as the right one has rows: `Stages<(SharedTile<f16, 64, 32>, SharedTile<f16, 32, 128>), 3>`"#]],
    );
    check_error(
        &multiply("block(256)", tiles, "multiply_transposed_tiles", sum),
        expect![[r#"
            4:24 `multiply_transposed_tiles`: expected a method of a shared `Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 32>), 2>`, found `multiply_transposed_tiles`
            help: multiply stages of two tiles of the same elements and with as many columns, the right one of the transposed matrix: `Stages<(SharedTile<i8, 64, 64>, SharedTile<i8, 128, 64>), 3>`"#]],
    );
    // Sums of another width, and of another type.
    check_error(
        &multiply(
            "block(256)",
            tiles,
            "multiply_tiles",
            "|sum: warp::Acc<f32, 16, 64>, at| sum.store(&mut c, at)",
        ),
        expect![[r#"
            4:17 `stages.multiply_tiles([64, 64], 2, |(left, right), [row, column], step| (left.load(&a, [row, 0]), right.load(&a, [0, column])), |sum: warp::Acc<f32, 16, 64>, at| sum.store(&mut c, at))`: expected a closure that takes `Acc<_, 16, 32>`, found one that takes `Acc<f32, 16, 64>`
            help: leave the parameter's type out, or write `Acc<_, 16, 32>`"#]],
    );
    check_error(
        &multiply("block(256)", tiles, "multiply_tiles", "|sum: warp::Acc<i32, 16, 32>, at| {}"),
        expect![[r#"
            4:24 `multiply_tiles`: expected operands whose products have sums of this type, found others
            help: sums of `f16` are `f32` or `f16`, of `bf16`, `f32`, `E4M3` and `E5M2` `f32`, of `i8` and `u8` `i32`, of `f64` `f64`"#]],
    );
}

#[test]
fn refuses_groups_of_warps_that_part() {
    let multiply = |head: &str, condition: &str| {
        format!(
            "#[kernel({head}, arch(sm_80, sm_90a))] fn k(a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {{
                let mut left = shared::<SharedTile<f16, 128, 64>>();
                let mut right = shared::<SharedTile<f16, 64, 64>>();
                left.load(&a, [0, 0]);
                right.load(&a, [0, 0]);
                barrier();
                let mut sum = warp::Acc::<f32, 16, 64>::zero();
                if {condition} {{
                    sum.mma_tiles(&left, &right);
                }}
                sum.store(&mut c, [16 * warp::warp_id(), 0]);
            }}"
        )
    };
    check_refusals(&multiply("block(256)", "c.rows() > 4"), expect![""]);
    check_refusals(&multiply("block(256)", "warp::warp_id() / 4 == 1"), expect![""]);
    check_refusals(
        &multiply("block(256)", "warp::warp_id() == 1"),
        expect![[r#"
        9:25 `mma_tiles`: expected the four warps of a group to come here together, found a condition at 8:20 that varies within groups of four warps, as it depends on the warp, read at 4:22
        help: move it out of the condition"#]],
    );
    check_refusals(
        &multiply("block(96)", "c.rows() > 4"),
        expect![[r#"
        9:25 `mma_tiles`: expected blocks of whole groups of four warps, which multiply together here, found `block` with 96 threads
        help: make it 128 threads"#]],
    );
    check_refusals(
        &multiply("launch_bounds(256)", "c.rows() > 4"),
        expect![[r#"
        9:25 `mma_tiles`: expected blocks of whole groups of four warps, which multiply together here, found a kernel that takes blocks of any size
        help: name the size, a multiple of 128: `#[kernel(block(128))]`"#]],
    );
}

/// A kernel whose readers share rows: its attributes, the exchanged tile, and what it does with each stage.
fn exchanging(head: &str, tile: &str, drain: &str) -> String {
    format!(
        "#[kernel({head})] fn k(a: Matrix<'_, f16>, c: &[AtomicF32], mut d: MatrixMut<'_, f32>) {{
            let mut memory = shared_dyn::<(Stages<SharedTile<f16, 64, 64>, 2>, SharedTile<f16, 128, 64>, {tile})>();
            let (stages, own, rows) = &mut memory[0];
            own.load(&a, [0, 0]);
            barrier();
            let sums = Matrix::new(c, [a.rows(), 64]);
            stages.run_exchanging(rows, 8, |tile, step| tile.load(&a, [64 * step, 0]), (), |_, tile, exchange, step| {{
                let left = warp::Acc::<f32, 16, 64>::of_tiles_transposed(own, tile).to_left::<f16>();
                {drain}
            }}, |_| {{}});
        }}"
    )
}

const SHARES: &str = "exchange.share(&left, || {}, |rows| {
    let sum = warp::Acc::<f32, 16, 64>::of_left_transposed(rows, own, [0, 0]);
    sum.add_to(&sums, [64 * step + 16 * (warp::warp_id() % 4), 0]);
});";

#[test]
fn accepts_exchanges_of_rows() {
    let tile = "SharedTile<f16, 128, 64>";
    check_refusals(&exchanging("block(384), arch(sm_80, sm_90a)", tile, SHARES), expect![""]);
    // All warps that read stages, or none.
    let sometimes = format!("if step % 2 == 0 && a.rows() > 4 {{ {SHARES} }}");
    check_refusals(&exchanging("block(384), arch(sm_80, sm_90a)", tile, &sometimes), expect![""]);
}

#[test]
fn refuses_exchanges_that_some_warps_miss() {
    let some = |condition: &str| {
        exchanging(
            "block(384), arch(sm_80, sm_90a)",
            "SharedTile<f16, 128, 64>",
            &format!("if {condition} {{ exchange.share(&left, || {{}}, |rows| {{}}); }}"),
        )
    };
    check_refusals(
        &some("warp::warp_id() / 4 == 0"),
        expect![[r#"
        9:56 `share`: expected all warps that read stages to come here together, found a condition at 9:20 that varies between them, as it depends on the warp, read at 4:17
        help: move it out of the condition"#]],
    );
    check_refusals(
        &some("warp::lane_id() < 16"),
        expect![[r#"
        9:52 `share`: expected all warps that read stages to come here together, found a condition at 9:20 that varies between them, as it depends on the lane, read at 9:20
        help: move it out of the condition"#]],
    );
}

#[test]
fn refuses_exchanges_of_other_tiles() {
    let share = "exchange.share(&left, || {}, |rows| {});";
    check_error(
        &exchanging("block(384), arch(sm_80)", "SharedTile<f16, 128, 32>", share),
        expect![[r#"
        9:32 `&left`: expected `&Left<f16, 16, 32>`, found `&Left<f16, 16, 64>`
        help: refer to a value of type `Left<f16, 16, 32>`"#]],
    );
    check_error(
        &exchanging("block(384), arch(sm_80)", "SharedTile<f32, 128, 64>", ""),
        expect![[r#"
        7:20 `run_exchanging`: expected a tile of `f16` or `bf16`, whose rows warps exchange, found one of other elements
        help: take one of `f16`"#]],
    );
    check_error(
        &exchanging("block(384), arch(sm_80)", "SharedTile<f16, 128, 24>", ""),
        expect![[r#"
        7:20 `run_exchanging`: expected a tile of a multiple of 16 columns, as the left matrix has that a warp stores in it, found 24
        help: take 32"#]],
    );
}

#[test]
fn refuses_transposed_left_tiles_that_do_not_fit() {
    let product = |sums: &str, right: &str, at: &str| {
        format!(
            "#[kernel(block(128), arch(sm_80))] fn k(a: Matrix<'_, f16>, mut d: MatrixMut<'_, f32>) {{
                let left = shared::<SharedTile<f16, 32, 64>>();
                let right = shared::<SharedTile<{right}>>();
                let sum = warp::Acc::<{sums}>::of_left_transposed(&left, &right, {at});
                sum.store(&mut d, [0, 0]);
            }}"
        )
    };
    check_refusals(&product("f32, 16, 64", "f16, 32, 128", "[0, 64]"), expect![""]);
    check_error(
        &product("f32, 16, 64", "f16, 64, 64", "[0, 0]"),
        expect![[r#"
        4:79 `&right`: expected `&SharedTile<f16, 32, _>`, found `&Shared<SharedTile<f16, 64, 64>>`
        help: refer to a value of type `SharedTile<f16, 32, _>`"#]],
    );
    check_error(
        &product("f32, 16, 32", "f16, 32, 64", "[0, 0]"),
        expect![[r#"
        4:27 `warp::Acc::<f32, 16, 32>::of_left_transposed(&left, &right, [0, 0])`: expected sums of 16 rows and a multiple of 64 columns, and tiles of multiples of 16 rows and 64 columns, found 16 × 32 of tiles of 32 × 64 and 32 × 64
        help: make them multiples"#]],
    );
    check_error(
        &product("i32, 16, 64", "f16, 32, 64", "[0, 0]"),
        expect![[r#"
        4:27 `warp::Acc::<i32, 16, 64>::of_left_transposed(&left, &right, [0, 0])`: expected operands whose products have sums of this type, found others
        help: sums of `f16` are `f32` or `f16`, of `bf16`, `f32`, `E4M3` and `E5M2` `f32`, of `i8` and `u8` `i32`, of `f64` `f64`"#]],
    );
    check_error(
        "#[kernel(arch(sm_80))] fn k() {
            let tile = shared::<SharedTile<i8, 64, 64>>();
            let left = warp::Left::<i8, 16, 32>::load_transposed(&tile, [0, 0]);
        }",
        expect![[r#"
            3:24 `warp::Left::<i8, 16, 32>::load_transposed(&tile, [0, 0])`: expected a tile of `f16` or `bf16`, which tensor cores load transposed, found one of other elements
            help: store the transposed matrix, or take one of `f16`"#]],
    );
}

#[test]
fn refuses_to_add_to_what_is_not_atomic() {
    check_error(
        "#[kernel(arch(sm_80))] fn k(mut c: MatrixMut<'_, f32>) {
            warp::Acc::<f32, 16, 8>::zero().add_to(&c, [0, 0]);
        }",
        expect![[r#"
            2:52 `&c`: expected `&Matrix<AtomicF32>`, found `&MatrixMut<f32>`
            help: refer to a value of type `Matrix<AtomicF32>`"#]],
    );
    check_error(
        "#[kernel(arch(sm_80))] fn k(c: &[AtomicF32]) {
            warp::Acc::<i32, 16, 8>::zero().add_to(&Matrix::new(c, [16, 8]), [0, 0]);
        }",
        expect![[r#"
            2:45 `add_to`: expected a method of `Acc<i32, 16, 8>`, found `add_to`
            help: add sums of `f32`, to a matrix of `AtomicF32`; store others"#]],
    );
}

#[test]
fn refuses_left_matrices_of_other_elements() {
    check_error(
        "#[kernel(block(128), arch(sm_80))] fn k(mut c: MatrixMut<'_, f32>) {
            let sum = warp::Acc::<f32, 16, 64>::zero();
            let left = sum.to_left::<f32>();
        }",
        expect![[r#"
            3:28 `to_left`: expected a left matrix of `f16` or `bf16`, whose elements the lanes hold as they do sums, found one of others
            help: take one of `f16`"#]],
    );
}

#[test]
fn accepts_products_of_every_element() {
    for (element, sum, of) in [
        ("f16", "f32", "f32"),
        ("f16", "f16", "f16"),
        ("bf16", "f32", "bf16"),
        ("i8", "i32", "i32"),
        ("u8", "i32", "i32"),
        ("f32", "f32", "f16"),
        ("f64", "f64", "f64"),
    ] {
        check_refusals(
            &format!(
                "#[kernel(block(128), arch(sm_80))]
                fn k(a: Matrix<'_, {element}>, b: Matrix<'_, {element}>, mut c: MatrixMut<'_, {of}>) {{
                    let mut left = shared::<SharedTile<{element}, 32, 32>>();
                    let mut right = shared::<SharedTile<{element}, 32, 32>>();
                    let mut turned = shared::<Stages<(SharedTile<{element}, 32, 32>, SharedTile<{element}, 24, 32>), 2>>();
                    let mut sum = warp::Acc::<{sum}, 32, 24>::zero();
                    left.load(&a, [0, 0]);
                    right.load(&b, [0, 0]);
                    barrier();
                    sum.mma(&warp::Left::<{element}, 32, 32>::load(&left, [0, 0]), &warp::Right::<{element}, 32, 24>::load(&right, [0, 8]));
                    turned.multiply_transposed(2, [0, 0], &mut sum, |(left, right), step| {{
                        (left.load(&a, [0, 32 * step]), right.load(&b, [0, 32 * step]))
                    }});
                    sum.map(|x| x + x).store(&mut c, [0, 0]);
                }}"
            ),
            expect![""],
        );
    }
}

#[test]
fn accepts_sums_of_literals_by_where_they_are_stored() {
    check_refusals(
        "#[kernel(block(32))] fn k(mut c: MatrixMut<'_, f32>) {
            let sum = warp::Acc::<f32, 16, 8>::zero();
            sum.map(|x| if x > 0.0 { 1.0 } else { 0.0 }).store(&mut c, [0, 0]);
        }",
        expect![""],
    );
}

#[test]
fn refuses_elements_that_an_architecture_does_not_have() {
    check_refusals(
        "#[kernel(block(32), arch(sm_75, sm_80))] fn k(a: Matrix<'_, bf16>) {
            let mut tile = shared::<SharedTile<bf16, 32, 32>>();
            tile.load(&a, [0, 0]);
            barrier();
            let mut sum = warp::Acc::<f32, 16, 8>::zero();
            sum.mma(&warp::Left::<bf16, 16, 16>::load(&tile, [0, 0]), &warp::Right::<bf16, 16, 8>::load(&tile, [0, 0]));
        }",
        expect![[r#"
            6:17 `mma`: expected what `sm_75` has, as the kernel's `arch` names it, found `mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32`, which needs sm_80
            help: leave `sm_75` out of `arch`, or do it another way there: `if target::at_least(…) { … } else { … }`"#]],
    );
}

#[test]
fn refuses_sums_of_other_products() {
    let product = |element: &str, sum: &str, of: &str| {
        format!(
            "#[kernel(block(32), arch(sm_80))] fn k(a: Matrix<'_, {element}>, mut c: MatrixMut<'_, {of}>) {{
                let mut tile = shared::<SharedTile<{element}, 32, 32>>();
                let mut sum = warp::Acc::<{sum}, 16, 8>::zero();
                sum.mma(&warp::Left::<{element}, 16, 32>::load(&tile, [0, 0]), &warp::Right::<{element}, 32, 8>::load(&tile, [0, 0]));
                sum.store(&mut c, [0, 0]);
            }}"
        )
    };
    check_error(
        &product("i8", "f32", "f32"),
        expect![[r#"
            4:21 `mma`: expected operands whose products have sums of this type, found others
            help: sums of `f16` are `f32` or `f16`, of `bf16`, `f32`, `E4M3` and `E5M2` `f32`, of `i8` and `u8` `i32`, of `f64` `f64`"#]],
    );
    check_error(
        &product("bf16", "f16", "f16"),
        expect![[r#"
            4:21 `mma`: expected operands whose products have sums of this type, found others
            help: sums of `f16` are `f32` or `f16`, of `bf16`, `f32`, `E4M3` and `E5M2` `f32`, of `i8` and `u8` `i32`, of `f64` `f64`"#]],
    );
    check_error(
        &product("u8", "i32", "f32"),
        expect![[r#"
            5:21 `store`: expected a matrix of `i32`, as sums of `i32` are stored, found one of other elements
            help: take one of `i32`, or make them `f32` first: `sum.map(|x| x as f32)`"#]],
    );
    check_error(
        &product("f64", "f64", "f32"),
        expect![[r#"
        5:21 `store`: expected a matrix of `f64`, as sums of `f64` are stored, found one of other elements
        help: take one of `f64`"#]],
    );
    check_error(
        &product("f16", "f32", "i32"),
        expect![[r#"
        5:21 `store`: expected a matrix of `f32`, `f16` or `bf16`, as sums of `f32` are stored, found one of other elements
        help: take one of these"#]],
    );
}

#[test]
fn refuses_other_words_than_four_bytes() {
    check_error(
        "fn k(x: &[f32], y: &mut [i32]) { y[0] = dot4(x[0], 1u32, 0); }",
        expect![[r#"
        1:46 `x[0]`: expected four bytes in an `i32` or `u32`, which are `i8` or `u8`, found `f32`
        help: make it of bytes: `i32::from_ne_bytes([a, b, c, d])`, `u32::from_ne_bytes([a, b, c, d])`"#]],
    );
    check_error(
        "fn k(x: &[u32], y: &mut [u32]) { y[0] = dot4(x[0], -1i32, 0); }",
        expect![[r#"
        1:41 `dot4(x[0], -1i32, 0)`: expected `u32`, found `i32`
        help: convert with `as u32`"#]],
    );
}

#[test]
fn blocks_without_a_size() {
    check_refusals(
        "#[kernel(arch(sm_80))] fn k(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
            let mut stages = shared::<Stages<(SharedTile<f16, 64, 32>, SharedTile<f16, 32, 64>), 3>>();
            let mut sum = warp::Acc::<f32, 64, 64>::zero();
            stages.multiply(4, [0, 0], &mut sum, |(left, right), step| (left.load(&a, [0, 32 * step]), right.load(&b, [32 * step, 0])));
            sum.store(&mut c, [0, 0]);
        }",
        expect![[r#"
            4:20 `multiply`: expected a kernel that says how many threads its blocks have, as the loads of this call are dealt out among them, found none
            help: write `#[kernel(block(128))]`"#]],
    );
}

/// The barriers at which groups of warps meet behind checks count as static shared memory.
#[test]
fn products_by_four_warps_take_shared_memory() {
    let kernel = |arch: &str| {
        format!(
            "#[kernel(block(128), arch({arch}))] fn k(a: Matrix<'_, f16>, scales: &[f32], mut c: MatrixMut<'_, f32>) {{
                let mut left = shared::<SharedTile<f16, 64, 128>>();
                let mut right = shared::<SharedTile<f16, 128, 64>>();
                let mut rest = shared::<[f32; 4096]>();
                left.load(&a, [0, 0]);
                right.load(&a, [0, 0]);
                barrier();
                rest[thread_idx().x] = scales[thread_idx().x];
                let sum = warp::Acc::<f32, 16, 64>::of_tiles(&left, &right);
                sum.map(|x| x * rest[0]).store(&mut c, [16 * warp::warp_id(), 0]);
            }}"
        )
    };
    check_refusals(&kernel("sm_80"), expect![""]);
    check_refusals(
        &kernel("sm_90a"),
        expect![[r#"
        9:27 `warp`: expected at most 49152 bytes of static shared memory in a kernel, found 49160 with the 8 that a product by groups of four warps takes behind checks
        help: make the kernel's arrays smaller, or dynamic by `shared_dyn`"#]],
    );
}

#[test]
fn accepts_floats_of_eight_bits() {
    check_refusals(
        "#[kernel(block(128), arch(sm_80))] fn k(x: &[E4M3], y: &[E5M2], z: &mut [E4M3], bits: &mut [u8]) {
            let i = global_idx().x;
            z[i] = E4M3::from_f32(x[i].to_f32() + y[i].to_f32());
            bits[i] = x[i].to_bits() | E5M2::from_bits(bits[i]).to_bits();
        }",
        expect![""],
    );
    // A type of that name of one's own is the user's.
    check_refusals(
        "#[kernel] fn k(y: &mut [f32]) {
            #[derive(Clone, Copy)] struct E4M3 { x: f32 }
            let a = E4M3 { x: 2.0 };
            y[0] = a.x + E4M3 { x: 1.0 }.x;
        }",
        expect![""],
    );
}

#[test]
fn refuses_arithmetic_of_floats_of_eight_bits() {
    for (body, expected) in [
        (
            "fn k(x: &[E4M3], y: &mut [E4M3]) { y[0] = x[0] + x[1]; }",
            expect![[r#"
            1:43 `x[0]`: expected a type that has `+` with `E4M3`, found `E4M3`
            help: convert its operands with `to_f32()`, and the result back with `from_f32`"#]],
        ),
        (
            "fn k(x: &[E4M3], y: &mut [f32]) { y[0] = 2.0 * x[0]; }",
            expect![[r#"
            1:42 `2.0`: expected a type that has `*` with `E4M3`, found a float
            help: convert its operands with `to_f32()`, and the result back with `from_f32`"#]],
        ),
        (
            "fn k(x: &[E4M3], y: &mut [E4M3]) { y[0] = -x[0]; }",
            expect![[r#"
            1:44 `x[0]`: expected a type that has `-`, found `E4M3`
            help: convert its operands with `to_f32()`, and the result back with `from_f32`"#]],
        ),
        (
            "fn k(x: &[E4M3], y: &mut [E4M3]) { y[0] += x[0]; }",
            expect![[r#"
            1:36 `y[0]`: expected a type that has `+=` with `E4M3`, found `E4M3`
            help: convert its operands with `to_f32()`, and the result back with `from_f32`"#]],
        ),
        ("fn k(x: &[E4M3], y: &mut [E4M3]) { if x[0] < x[1] { y[0] = x[0]; } }", expect!["accepted"]),
        (
            "fn k(x: &[E5M2], y: &mut [f32]) { y[0] = x[0]; }",
            expect![[r#"
            1:42 `x[0]`: expected `f32`, found `E5M2`
            help: convert with `to_f32()`"#]],
        ),
        (
            "fn k(x: &mut [E5M2]) { x[0] = 1.5; }",
            expect![[r#"
            1:31 `1.5`: expected `E5M2`, found a float
            help: convert with `E5M2::from_f32(x)`"#]],
        ),
        (
            "fn k(x: &[f32], y: &mut [E4M3]) { y[0] = x[0] as E4M3; }",
            expect![[r#"
            1:50 `E4M3`: expected a type that `as` can convert to, found `E4M3`
            help: write `E4M3::from_f32(x)`"#]],
        ),
        (
            "fn k(x: &[E4M3], y: &mut [f32]) { y[0] = x[0] as f32; }",
            expect![[r#"
            1:42 `x[0]`: expected a scalar before `as f32`, found `E4M3`
            help: convert with `to_f32()`"#]],
        ),
        (
            "fn k(x: &[E4M3], y: &mut [E5M2]) { y[0] = x[0]; }",
            expect![[r#"
            1:43 `x[0]`: expected `E5M2`, found `E4M3`
            help: convert with `E5M2::from_f32(x.to_f32())`"#]],
        ),
    ] {
        check_error(body, expected);
    }
}

#[test]
fn refuses_right_tiles_that_sums_in_f32_leave_no_registers_for() {
    check_error(
        "#[kernel(block(256), arch(sm_90a))]
        fn k(a: Matrix<'_, E4M3>, b: Matrix<'_, E4M3>, mut c: MatrixMut<'_, bf16>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<E4M3, 64, 128>, SharedTile<E4M3, 256, 128>), 2>>();
            stages[0].multiply_transposed_tiles([c.rows(), c.columns()], a.columns().div_ceil(128), |(left, right), [row, column], step| (left.load(&a, [row, 128 * step]), right.load(&b, [column, 128 * step])), |sum: warp::Acc<f32, 16, 256>, at| sum.store(&mut c, at));
        }",
        expect![[r#"
            4:23 `multiply_transposed_tiles`: expected at most 192 columns of sums, of which there are two sets for elements of 8 bits, found 256
            help: make the right tiles smaller"#]],
    );
}

/// The library's own texts mean its traits.
#[test]
fn refuses_right_tiles_that_promoted_sums_leave_no_registers_for() {
    check_error(
        "#[kernel(block(384), arch(sm_80, sm_90a))]
        fn k(a: Matrix<'_, f32>, b: Matrix<'_, f32>, mut c: MatrixMut<'_, f32>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<f32, 128, 32>, SharedTile<f32, 256, 32>), 2>>();
            stages[0].multiply_transposed_tiles_promoted([c.rows(), c.columns()], 1,
                |(left, right), at, step| (left.load(&a, [at[0], 0]), right.load(&b, [at[1], 0])),
                |sum: warp::Acc<f32, 16, 256>, at| sum.store(&mut c, at));
        }",
        expect![[r#"
            4:23 `multiply_transposed_tiles_promoted`: expected at most 192 columns of sums, of which there are two sets where those of a stage are added to the others, found 256
            help: make the right tiles smaller"#]],
    );
}

#[test]
fn accepts_own_traits_with_names_of_the_library() {
    check_refusals(
        "#[kernel(block(32), arch(sm_80))] fn k(a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
            trait Named {
                const CHUNK: usize;
                type LeftPart;
                fn left_place(row: usize, column: usize) -> usize;
                fn byte(self) -> u32;
            }
            impl Named for f16 {
                const CHUNK: usize = 2;
                type LeftPart = u8;
                fn left_place(row: usize, column: usize) -> usize { row + column }
                fn byte(self) -> u32 { 7 }
            }
            let mut tile = shared::<SharedTile<f16, 32, 32>>();
            tile.load(&a, [0, 0]);
            barrier();
            let left = warp::Left::<f16, 16, 16>::load(&tile, [0, 0]);
            let mut sum = warp::Acc::<f32, 16, 16>::zero();
            sum.mma(&left, &warp::Right::<f16, 16, 16>::load(&tile, [0, 0]));
            sum.store(&mut c, [0, 0]);
        }",
        expect![""],
    );
}

#[test]
fn refuses_tiles_that_groups_of_warps_cannot_read() {
    let kernel = |arch: &str, of: &str| {
        format!(
            "#[kernel(block(128), arch({arch}))] fn k(a: Matrix<'_, f16>) {{ let mut memory = shared{of}(); }}"
        )
    };
    check_error(
        &kernel("sm_90a", "_dyn::<([f16; 8], SharedTile<f16, 64, 64>)>"),
        expect![[r#"
            1:81 `shared_dyn::<([f16; 8], SharedTile<f16, 64, 64>)>()`: expected tiles at multiples of 1024 bytes, as `sm_90a` multiplies them, found one at byte 16
            help: make a variable of its own of what lies before it, or that a multiple of 1024 bytes long"#]],
    );
    check_error(
        &kernel("sm_80, sm_90a", "_dyn::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 8, 8>), 2>>"),
        expect![[r#"
            1:88 `shared_dyn::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 8, 8>), 2>>()`: expected tiles at multiples of 1024 bytes, as `sm_90a` multiplies them, found one at byte 8320
            help: make a variable of its own of what lies before it, or that a multiple of 1024 bytes long"#]],
    );
    // The second one of as many as there is room for.
    check_error(
        &kernel("sm_90a", "_dyn::<(SharedTile<f16, 64, 64>, [f16; 8])>"),
        expect![[r#"
            1:81 `shared_dyn::<(SharedTile<f16, 64, 64>, [f16; 8])>()`: expected tiles at multiples of 1024 bytes, as `sm_90a` multiplies them, found one at byte 8208
            help: make a variable of its own of what lies before it, or that a multiple of 1024 bytes long"#]],
    );
    check_refusals(&kernel("sm_80", "_dyn::<([f16; 8], SharedTile<f16, 64, 64>)>"), expect![""]);
    check_refusals(&kernel("sm_90a", "::<(SharedTile<f16, 64, 64>, [f16; 8])>"), expect![""]);
    check_refusals(&kernel("sm_90a", "::<([f16; 8], SharedTile<f16, 8, 8>)>"), expect![""]);
}

#[test]
fn accepts_products_by_clusters() {
    check_refusals(
        "#[kernel(block(384), cluster(1, 2), arch(sm_90a))] fn k(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f16>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<f16, 128, 64>, SharedTile<f16, 64, 128>), 4>>();
            stages[0].multiply_tiles_by_clusters(
                [c.rows(), c.columns()],
                a.columns().div_ceil(64),
                |(left, right), [row, column], step| (left.load_for_row(&a, [row, 64 * step]), right.load_for_column(&b, [64 * step, column])),
                |sum: warp::Acc<f32, 16, 128>, at| sum.store(&mut c, at),
            );
        }",
        expect![""],
    );
}

/// Blocks share loads with those of their cluster.
#[test]
fn refuses_to_share_loads_without_clusters() {
    check_error(
        "#[kernel(block(384), arch(sm_90a))] fn k(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f16>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<f16, 128, 64>, SharedTile<f16, 64, 128>), 4>>();
            stages[0].multiply_tiles_by_clusters(
                [c.rows(), c.columns()],
                a.columns().div_ceil(64),
                |(left, right), [row, column], step| (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column])),
                |sum: warp::Acc<f32, 16, 128>, at| sum.store(&mut c, at),
            );
        }",
        expect![[r#"
            3:23 `multiply_tiles_by_clusters`: expected a kernel whose blocks come in clusters, found one that says nothing of them
            help: write `#[kernel(cluster(2))]`, or a largest cluster, which the launch may choose: `#[kernel(launch_bounds(256, 1, 8))]`"#]],
    );
    check_error(
        "#[kernel(block(128), arch(sm_80))] fn k(a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
            let mut stages = shared::<Stages<SharedTile<f16, 64, 64>, 2>>();
            let mut sum = warp::Acc::<f32, 16, 64>::zero();
            stages.run(1, |tile, step| tile.load_for_row(&a, [0, 64 * step]), |tile| sum.mma_tile_transposed(&warp::Left::load(tile, [0, 0]), tile));
            sum.store(&mut c, [0, 0]);
        }",
        expect![[r#"
            4:45 `load_for_row`: expected a kernel whose blocks come in clusters, found one that says nothing of them
            help: write `#[kernel(cluster(2))]`, or a largest cluster, which the launch may choose: `#[kernel(launch_bounds(256, 1, 8))]`"#]],
    );
}

#[test]
fn refuses_tiles_that_some_threads_load() {
    let loading = |condition: &str| {
        format!(
            "#[kernel(block(128), arch(sm_80))] fn k(flags: &[u32], a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {{
                let mut tile = shared::<SharedTile<f16, 32, 32>>();
                if {condition} {{
                    tile.load(&a, [0, 0]);
                }}
                barrier();
                let left = warp::Left::<f16, 32, 32>::load(&tile, [0, 0]);
                let mut sum = warp::Acc::<f32, 32, 32>::zero();
                sum.mma(&left, &warp::Right::<f16, 32, 32>::load(&tile, [0, 0]));
                sum.store(&mut c, [0, 0]);
            }}"
        )
    };
    check_refusals(&loading("flags[block_idx().x] == 1"), expect![""]);
    check_refusals(
        &loading("thread_idx().x < 64"),
        expect![[r#"
        4:26 `load`: expected all threads of the block to come here together, found a condition at 3:20 that varies between threads, as it depends on the warp, read at 3:20
        help: move it out of the condition"#]],
    );
    check_refusals(
        &loading("warp::warp_id() == 0"),
        expect![[r#"
        4:26 `load`: expected all threads of the block to come here together, found a condition at 3:20 that varies between threads, as it depends on the warp, read at 3:20
        help: move it out of the condition"#]],
    );
}

#[test]
fn accepts_sums_of_other_types() {
    let kernel = |body: &str| {
        format!(
            "#[kernel(block(32), arch(sm_80))] fn k(a: Matrix<'_, i8>, mut c: MatrixMut<'_, f32>, mut h: MatrixMut<'_, f16>, y: &mut [u32]) {{
                let mut tile = shared::<SharedTile<i8, 32, 32>>();
                tile.load(&a, [0, 0]);
                barrier();
                let mut sum = warp::Acc::<i32, 32, 32>::zero();
                sum.mma(&warp::Left::<i8, 32, 32>::load(&tile, [0, 0]), &warp::Right::<i8, 32, 32>::load_transposed(&tile, [0, 0]));
                {body}
            }}"
        )
    };
    for body in [
        "sum.map(|x| 0.5 * x as f32).store(&mut c, [0, 0]);",
        "sum.map_at(|row, column, x| if row < column { x as f32 } else { 0.0 }).store(&mut c, [0, 0]);",
        "sum.map_rows(warp::Rows::<f32, 32>::splat(0.5), |x, scale| scale * x as f32).store(&mut c, [0, 0]);",
        "sum.zip(warp::Acc::<f32, 32, 32>::zero(), |x, y| x as f32 + y).store(&mut c, [0, 0]);",
        "sum.map(|x| f16::from_f32(x as f32)).store(&mut h, [0, 0]);",
        "sum.row_min().zip(sum.row_max(), |least, most| (most - least) as u32).for_each(|row, x| y[row] = x);",
        "sum.row_max().map(|x| x > 3).for_each(|row, x| y[row] = x as u32);",
        "sum.for_each(|row, column, x| if row < c.columns() && column < c.rows() { c[[column, row]] = x as f32; });",
    ] {
        check_refusals(&kernel(body), expect![""]);
    }
}

#[test]
fn accepts_tiles_that_are_chosen_when_it_runs() {
    for (tiles, choice) in [
        ("let mut tiles = shared::<[SharedTile<f16, 32, 32>; 2]>();", "&tiles[step % 2]"),
        (
            "let mut even = shared::<SharedTile<f16, 32, 32>>(); let mut odd = shared::<SharedTile<f16, 32, 32>>();",
            "if step % 2 == 0 { &*even } else { &*odd }",
        ),
    ] {
        check_refusals(
            &format!(
                "#[kernel(block(32), arch(sm_80))] fn k(a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {{
                    {tiles}
                    let mut sum = warp::Acc::<f32, 32, 32>::zero();
                    for step in 0..a.columns() / 32 {{
                        let tile = {choice};
                        let left = warp::Left::<f16, 32, 32>::load(tile, [0, 0]);
                        sum.mma(&left, &warp::Right::<f16, 32, 32>::load(tile, [0, 0]));
                    }}
                    sum.store(&mut c, [0, 0]);
                }}"
            ),
            expect![""],
        );
    }
}

#[test]
fn refuses_blocks_with_other_warps_than_those_that_fill_and_read() {
    check_error(
        "#[kernel(block(96), arch(sm_80))] fn k(a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
            let mut stages = shared::<Stages<SharedTile<f16, 64, 64>, 2>>();
            stages.run_specialized(2, |tile, step| tile.load(&a, [0, 64 * step]), (), |_, tile, _| {}, |_| {});
        }",
        expect![[r#"
            3:20 `run_specialized`: expected a block of four warps that fill stages, and of groups of four that read them, found `block` with 96 threads
            help: write `block(256)`, `block(384)` or `block(512)`"#]],
    );
    check_error(
        "#[kernel(block(256), arch(sm_80, sm_90a))] fn k(a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<f16, 128, 64>, SharedTile<f16, 64, 64>), 3>>();
            stages[0].multiply_tiles([c.rows(), c.columns()], 2,
                |(left, right), [row, column], step| (left.load(&a, [row, 64 * step]), right.load(&a, [64 * step, column])),
                |sum: warp::Acc<f32, 16, 64>, at| sum.store(&mut c, at));
        }",
        expect![[r#"
            3:23 `multiply_tiles`: expected a block of 384 threads, four warps that fill tiles and one for each 16 of 128 rows that are multiplied, found `block` with 256
            help: write `block(384)`"#]],
    );
}

#[test]
fn planes_of_volumes() {
    check_refusals(
        "#[kernel(block(32), arch(sm_80))] fn k(a: Volume<'_, f16>, mut c: VolumeMut<'_, f32>) {
            let mut tile = shared::<SharedTile<f16, 32, 32>>();
            tile.load(&a.plane(block_idx().x), [0, 0]);
            barrier();
            let old = c.plane(block_idx().x)[[0, 0]];
            let mut sum = warp::Acc::<f32, 32, 32>::zero();
            sum.mma(&warp::Left::<f16, 32, 32>::load(&tile, [0, 0]), &warp::Right::<f16, 32, 32>::load(&tile, [0, 0]));
            sum.map(|x| x + old).store(&mut c.plane_mut(block_idx().x), [0, 0]);
        }",
        expect![""],
    );
    check_error(
        "fn k(a: Volume<'_, f16>, y: &mut [f32]) { y[0] = a.slab(0)[[0, 0]].to_f32(); }",
        expect![[r#"
            1:52 `slab`: expected a method of `Volume<f16>`, found `slab`
            help: its methods are `at`, `columns`, `depth`, `plane`, `rows`"#]],
    );
}

/// A place that 64 bits do not count is no multiple of a pattern.
#[test]
fn tiles_behind_more_bytes_than_are_counted() {
    let source = "#[kernel(block(128), arch(sm_90a))] fn k(a: Matrix<'_, f16>) {
        let mut tiles = shared_dyn::<[[SharedTile<f16, 64, 64>; 1 << 60]; 2]>();
        tiles[0][0][0].load(&a, [0, 0]);
    }";
    let errors =
        super::analyzed(source).err().map(|errors| super::errors_in(source, &errors)).unwrap_or_default();
    assert!(errors.contains("expected tiles at multiples of 1024 bytes"), "{errors}");
}
