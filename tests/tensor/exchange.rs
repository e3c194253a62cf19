//! Tiles by which warps exchange rows, products of transposed left tiles, and sums that are added to those of other blocks.

use kernel_runtime::prelude::*;
use tests::cuda_or_skip;
use tests::toolchain::{Ptxas, require_or_skip};

fn everywhere() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm80), Gpu::simulator(Arch::Sm90a)].into_iter().chain(cuda_or_skip())
}

/// For each step S = A Bᵀ of 128 rows of A and 64 of B: adds Sᵀ A to the rows of `by_columns` that are this step's, and S B to `by_rows`.
#[kernel(block(384), arch(sm_80, sm_90a), instances(T = [f16, bf16]))]
fn both_ways<T: MatrixElement + OfSum>(
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    by_columns: &[AtomicF32],
    mut by_rows: MatrixMut<'_, f32>,
) {
    let mut memory =
        shared_dyn::<(Stages<SharedTile<T, 64, 128>, 2>, SharedTile<T, 128, 128>, SharedTile<T, 128, 64>)>();
    let (stages, own, scores) = &mut memory[0];
    let first = 128 * block_idx().x;
    own.load(&a, [first, 0]);
    barrier();
    let sums = Matrix::new(by_columns, [b.rows(), 128]);
    let group = warp::warp_id() / 4;
    stages.run_exchanging(
        scores,
        b.rows().div_ceil(64),
        |tile, step| tile.load(&b, [64 * step, 0]),
        warp::Acc::<f32, 16, 128>::zero(),
        |rows, tile, exchange, step| {
            let scores = warp::Acc::<f32, 16, 64>::of_tiles_transposed(own, tile).to_left::<T>();
            exchange.share(
                &scores,
                || rows.mma_tile(&scores, tile),
                |scores| {
                    let mut columns =
                        warp::Acc::<f32, 16, 64>::of_left_transposed(scores, own, [0, 64 * group]);
                    columns.mma_left_transposed(scores, own, [0, 64 * group]);
                    columns.add_to(&sums, [64 * step + 16 * (warp::warp_id() % 4), 64 * group]);
                },
            );
        },
        |rows| rows.store(&mut by_rows, [first + 16 * warp::warp_id(), 0]),
    );
}

/// Whole numbers so small that all sums are exact.
fn numbers(rows: usize, seed: usize) -> Vec<f16> {
    (0..rows * 128).map(|at| f16::from_f32(((at * seed + at / 7) % 3) as f32 - 1.0)).collect()
}

#[test]
fn warps_exchange_rows() {
    let (rows, others) = (200usize, 150usize);
    let (a, b) = (numbers(rows, 5), numbers(others, 11));
    let of = |matrix: &[f16], i: usize, j: usize| matrix[i * 128 + j].to_f32();
    let (mut by_columns, mut by_rows) = (vec![1.0f32; others * 128], vec![0.0f32; rows * 128]);
    for i in 0..rows {
        for l in 0..others {
            let score = (0..128).map(|j| of(&a, i, j) * of(&b, l, j)).sum::<f32>();
            for j in 0..128 {
                by_columns[l * 128 + j] += 2.0 * score * of(&a, i, j);
                by_rows[i * 128 + j] += score * of(&b, l, j);
            }
        }
    }
    let mut on_cpu = (vec![1.0f32; others * 128], vec![0.0f32; rows * 128]);
    let shared = (2 * 64 * 128 + 128 * 128 + 128 * 64) * size_of::<f16>();
    both_ways::cpu::<f16>(
        Matrix::new(&a, [rows, 128]),
        Matrix::new(&b, [others, 128]),
        &mut on_cpu.0,
        MatrixMut::new(&mut on_cpu.1, [rows, 128]),
    )
    .grid(2)
    .shared(shared)
    .run()
    .expect("runs");
    assert_eq!(on_cpu, (by_columns.clone(), by_rows.clone()));
    for gpu in everywhere() {
        let (a, b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
        let mut sums = gpu.upload(&vec![1.0f32; others * 128]).unwrap();
        let mut to_rows = gpu.zeros::<f32>(rows * 128).unwrap();
        both_ways::<f16>(
            a.matrix(rows, 128).unwrap(),
            b.matrix(others, 128).unwrap(),
            &mut sums,
            to_rows.matrix_mut(rows, 128).unwrap(),
        )
        .grid(2)
        .shared(shared)
        .run()
        .unwrap_or_else(|error| panic!("{}: {error}", gpu.describe()));
        assert_eq!(sums.to_vec().unwrap(), by_columns, "{}", gpu.describe());
        assert_eq!(to_rows.to_vec().unwrap(), by_rows, "{}", gpu.describe());
    }
}

#[test]
fn groups_multiply_exchanged_rows_on_hopper() {
    let [old, new] = both_ways::kernel::<bf16>().variants() else { panic!("it has two variants") };
    assert!(!old.ptx.contains("wgmma"));
    assert!(!new.ptx.contains("mma.sync."));
    // Both tiles have their rows along K.
    assert!(new.ptx.contains(", 1, 1, 1, 1;"));
    assert!(new.ptx.contains("red.relaxed.gpu.global.add.v2.f32"));
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    for variant in [old, new] {
        let report =
            ptxas.assemble(variant.ptx, variant.target).unwrap_or_else(|log| panic!("both_ways: {log}"));
        for entry in report.entries.iter().filter(|_| variant.target == Arch::Sm90a) {
            assert!(entry.losses.is_empty() && entry.spill_loads == 0, "{entry:?}");
        }
    }
}

/// A tile with rows for other warps than those that read stages.
#[kernel(block(256), arch(sm_80))]
fn other_rows(a: Matrix<'_, f16>) {
    let mut memory = shared_dyn::<(Stages<SharedTile<f16, 64, 64>, 2>, SharedTile<f16, 128, 64>)>();
    let (stages, tile) = &mut memory[0];
    stages.run_exchanging(tile, 1, |tile, _| tile.load(&a, [0, 0]), (), |_, _, _, _| {}, |_| {});
}

/// A part of a product that begins in the middle of 64 columns.
#[kernel(block(128), arch(sm_80))]
fn from_the_middle(column: usize, mut c: MatrixMut<'_, f32>) {
    let left = shared::<SharedTile<f16, 32, 64>>();
    let right = shared::<SharedTile<f16, 32, 128>>();
    let sum = warp::Acc::<f32, 16, 64>::of_left_transposed(&left, &right, [0, column]);
    sum.store(&mut c, [0, 0]);
}

#[test]
fn what_does_not_fit_panics() {
    let gpu = Gpu::simulator(Arch::Sm80);
    let a = gpu.upload(&[f16::ONE; 64]).unwrap();
    let error = other_rows(a.matrix(8, 8).unwrap())
        .grid(1)
        .shared((2 * 64 + 128) * 64 * size_of::<f16>())
        .run()
        .expect_err("rows for other warps");
    assert!(
        error.to_string().contains("expected a tile of 16 rows for each warp that reads stages, 64"),
        "{error}"
    );
    let mut c = gpu.zeros::<f32>(64).unwrap();
    let error =
        from_the_middle(32, c.matrix_mut(8, 8).unwrap()).grid(1).run().expect_err("no multiple of 64");
    assert!(error.to_string().contains("from multiples of 64 on, found them at [0, 32]"), "{error}");
}
