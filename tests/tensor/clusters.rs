//! Products whose blocks come in clusters and share what they load: the CPU reference and the simulator, with tensor maps and without.

use super::{Random, bits};
use kernel_runtime::prelude::*;

/// Blocks one above the other share right tiles, blocks side by side left ones.
#[kernel(block(256), cluster(2, 2), arch(sm_90, sm_90a))]
fn multiply_tiles_by_clusters(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
    let mut stages = shared_dyn::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 128>), 3>>();
    stages[0].multiply_tiles_by_clusters(
        [c.rows(), c.columns()],
        a.columns().div_ceil(64),
        |(left, right), [row, column], step| {
            (left.load_for_row(&a, [row, 64 * step]), right.load_for_column(&b, [64 * step, column]))
        },
        |sum: warp::Acc<f32, 16, 128>, at| sum.store(&mut c, at),
    );
}

/// Products with the transposed right matrix, in clusters of a size that the launch says, and a call of each.
macro_rules! transposed {
    ($($kernel:ident $call:ident $ty:ident $deep:literal;)*) => {$(
        #[kernel(block(384), launch_bounds(384, 1, 8), arch(sm_90, sm_90a))]
        fn $kernel(a: Matrix<'_, $ty>, b: Matrix<'_, $ty>, mut c: MatrixMut<'_, f32>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<$ty, 128, $deep>, SharedTile<$ty, 64, $deep>), 2>>();
            stages[0].multiply_transposed_tiles_by_clusters(
                [c.rows(), c.columns()],
                a.columns().div_ceil($deep),
                |(left, right), [row, column], step| {
                    (left.load_for_row(&a, [row, $deep * step]), right.load_for_column(&b, [column, $deep * step]))
                },
                |sum: warp::Acc<f32, 16, 64>, at| sum.map(|x| 2.0 * x).store(&mut c, at),
            );
        }

        fn $call(gpu: &Gpu, [a, b]: [&[f32]; 2], [m, n, k]: [usize; 3], cluster: (u32, u32)) -> Result<Vec<f32>> {
            let of = |values: &[f32]| values.iter().map(|&x| $ty::from_f32(x)).collect::<Vec<$ty>>();
            let (a, b, mut c) = (gpu.upload(&of(a))?, gpu.upload(&of(b))?, gpu.zeros::<f32>(m * n)?);
            $kernel(a.matrix(m, k)?, b.matrix(n, k)?, c.matrix_mut(m, n)?)
                .grid((4 * cluster.0, 2 * cluster.1))
                .cluster(cluster)
                .shared(2 * (128 + 64) * 128)
                .run()?;
            c.to_vec()
        }
    )*};
}
transposed! {
    transposed_brains of_brains bf16 64;
    transposed_bytes of_bytes E4M3 128;
}

/// A thread panics while others of its cluster wait for what it would load, or drain, or have done so.
#[kernel(block(256), cluster(2, 2), arch(sm_90a))]
fn panicking(
    a: Matrix<'_, f16>,
    b: Matrix<'_, f16>,
    mut c: MatrixMut<'_, f32>,
    step_of_panic: usize,
    row_of_panic: usize,
) {
    let mut stages = shared_dyn::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 128>), 3>>();
    stages[0].multiply_tiles_by_clusters(
        [c.rows(), c.columns()],
        a.columns().div_ceil(64),
        |(left, right), [row, column], step| {
            assert!(step != step_of_panic || row != 64, "step {step}");
            (left.load_for_row(&a, [row, 64 * step]), right.load_for_column(&b, [64 * step, column]))
        },
        |sum: warp::Acc<f32, 16, 128>, at| {
            assert!(at[0] != row_of_panic, "row {}", at[0]);
            sum.store(&mut c, at)
        },
    );
}

/// Simulators of these, and a GPU with clusters if there is one.
fn devices(simulated: &[Arch]) -> Vec<Gpu> {
    let gpu = tests::cuda_or_skip().filter(|gpu| gpu.arch() == Arch::Sm90 || gpu.arch() == Arch::Sm90a);
    simulated.iter().copied().map(Gpu::simulator).chain(gpu).collect()
}

/// The elements of such a product, row by row.
fn expected(a: &[f32], b: impl Fn(usize, usize) -> f32, [m, n, k]: [usize; 3], factor: f32) -> Vec<f32> {
    let sum = |place: usize| (0..k).map(|i| a[place / n * k + i] * b(i, place % n)).sum::<f32>() * factor;
    (0..m * n).map(sum).collect()
}

/// Sizes with whole tiles, with parts of them, and with rows that no tensor map takes.
const SIZES: [[usize; 3]; 6] =
    [[256, 256, 192], [200, 300, 128], [64, 8, 64], [500, 130, 72], [130, 64, 33], [1, 1, 1]];

#[test]
fn blocks_share_tiles() -> Result<()> {
    let mut random = Random(0x2f6b_3c61_9e01_77d5);
    for [m, n, k] in SIZES {
        let mut numbers = |count| (0..count).map(|_| random.number(true) as f32).collect::<Vec<f32>>();
        let (a, b) = (numbers(m * k), numbers(k * n));
        let expected = expected(&a, |i, column| b[i * n + column], [m, n, k], 1.0);
        let of = |values: &[f32]| values.iter().map(|&x| f16::from_f32(x)).collect::<Vec<f16>>();
        let (a, b) = (of(&a), of(&b));
        let mut c = vec![0.0; m * n];
        let stages = 3 * (64 * 64 + 64 * 128) * 2;
        multiply_tiles_by_clusters::cpu(
            Matrix::new(&a, [m, k]),
            Matrix::new(&b, [k, n]),
            MatrixMut::new(&mut c, [m, n]),
        )
        .grid((2, 2))
        .shared(stages)
        .run()?;
        assert_eq!(bits(&c), bits(&expected), "on the CPU, {m} × {n} × {k}");
        for gpu in devices(&[Arch::Sm90, Arch::Sm90a]) {
            for grid in [(2, 2), (4, 4), (6, 2)] {
                let (a, b, mut c) = (gpu.upload(&a)?, gpu.upload(&b)?, gpu.zeros::<f32>(m * n)?);
                multiply_tiles_by_clusters(a.matrix(m, k)?, b.matrix(k, n)?, c.matrix_mut(m, n)?)
                    .grid(grid)
                    .shared(stages)
                    .run()?;
                assert_eq!(bits(&c.to_vec()?), bits(&expected), "on {gpu}, {m} × {n} × {k}, {grid:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn clusters_of_any_shape() -> Result<()> {
    let mut random = Random(0x51c8_11d0_8a3e_94b7);
    for ([m, n, k], cluster) in SIZES.into_iter().zip([(1, 2), (2, 1), (4, 1), (1, 3), (2, 4), (1, 1)]) {
        let mut numbers = |count| (0..count).map(|_| random.number(true) as f32).collect::<Vec<f32>>();
        let (a, b) = (numbers(m * k), numbers(k * n));
        let expected = expected(&a, |i, column| b[column * k + i], [m, n, k], 2.0);
        for gpu in devices(&[Arch::Sm90, Arch::Sm90a]) {
            for product in [of_brains, of_bytes] {
                let found = product(&gpu, [&a, &b], [m, n, k], cluster)?;
                assert_eq!(bits(&found), bits(&expected), "on {gpu}, {m} × {n} × {k}, {cluster:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn panics_of_one_block_end_the_cluster() -> Result<()> {
    let [m, n, k] = [256, 256, 512];
    for gpu in devices(&[Arch::Sm90a]) {
        for (step, row, message) in [(0, 999, "step 0"), (7, 999, "step 7"), (999, 128, "row 128")] {
            let (a, b) = (gpu.zeros::<f16>(m * k)?, gpu.zeros::<f16>(k * n)?);
            let mut c = gpu.zeros::<f32>(m * n)?;
            let error = panicking(a.matrix(m, k)?, b.matrix(k, n)?, c.matrix_mut(m, n)?, step, row)
                .grid((2, 2))
                .shared(3 * (64 * 64 + 64 * 128) * 2)
                .run()
                .expect_err("panics");
            assert!(error.to_string().contains(message), "on {gpu}: {error}");
        }
    }
    Ok(())
}

#[test]
fn ptxas_takes_multicast() {
    let [plain, groups] = multiply_tiles_by_clusters::KERNEL.variants() else { panic!("two variants") };
    assert!(!plain.ptx.contains("multicast") && groups.ptx.contains(".multicast::cluster"));
    let kernels = [&multiply_tiles_by_clusters::KERNEL, &panicking::KERNEL];
    for kernel in kernels {
        for variant in kernel.variants() {
            let Some(reports) = tests::toolchain::assemble_all_everywhere(&[(kernel.name(), variant.ptx)])
            else {
                return;
            };
            assert!(!reports[0].is_empty(), "{}", kernel.name());
        }
    }
}
