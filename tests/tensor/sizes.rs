//! Products by the tile API of all sizes up to 300 in each dimension, sampled: each size is in each dimension once, and those at the edges of tiles
//! and of what is copied at once are in all pairs. Elements are small integers, so that each sum is exact.

use kernel_runtime::prelude::*;

#[kernel(block(128), arch(sm_80))]
fn of_halves(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
    let mut stages = shared::<Stages<(SharedTile<f16, 64, 32>, SharedTile<f16, 32, 64>), 3>>();
    let (row, column) = (64 * block_idx().y, 64 * block_idx().x);
    let (y, x) = (32 * (warp::warp_id() / 2), 32 * (warp::warp_id() % 2));
    let mut sum = warp::Acc::<f32, 32, 32>::zero();
    stages.multiply(a.columns().div_ceil(32), [y, x], &mut sum, |(left, right), step| {
        (left.load(&a, [row, 32 * step]), right.load(&b, [32 * step, column]))
    });
    sum.store(&mut c, [row + y, column + x]);
}

#[kernel(block(128), arch(sm_80))]
fn of_bytes(a: Matrix<'_, i8>, b: Matrix<'_, i8>, mut c: MatrixMut<'_, i32>) {
    let mut stages = shared::<Stages<(SharedTile<i8, 64, 64>, SharedTile<i8, 64, 64>), 2>>();
    let (row, column) = (64 * block_idx().y, 64 * block_idx().x);
    let (y, x) = (32 * (warp::warp_id() / 2), 32 * (warp::warp_id() % 2));
    let mut sum = warp::Acc::<i32, 32, 32>::zero();
    stages.multiply_transposed(a.columns().div_ceil(64), [y, x], &mut sum, |(left, right), step| {
        (left.load(&a, [row, 64 * step]), right.load(&b, [column, 64 * step]))
    });
    sum.store(&mut c, [row + y, column + x]);
}

/// By groups of four warps and tensor maps.
#[kernel(block(256), arch(sm_90a))]
fn of_groups(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
    let mut stages = shared_dyn::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 64>), 2>>();
    stages[0].multiply_tiles(
        [c.rows(), c.columns()],
        a.columns().div_ceil(64),
        |(left, right), [row, column], step| {
            (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
        },
        |sum: warp::Acc<f32, 16, 64>, at| sum.store(&mut c, at),
    );
}

const MOST: usize = 300;

/// Sizes one below, at and above those of tiles, of products and of what is copied at once.
const EDGES: [usize; 11] = [1, 8, 9, 16, 31, 32, 33, 63, 64, 65, 257];

fn all_sizes() -> impl Iterator<Item = [usize; 3]> {
    (1..=MOST).map(|size| [size, size * 97 % MOST + 1, (size * 193 + 7) % MOST + 1])
}

fn edges() -> impl Iterator<Item = [usize; 3]> {
    let count = EDGES.len();
    (0..count * count).map(move |pair| {
        let (first, second) = (pair / count, pair % count);
        [EDGES[first], EDGES[second], EDGES[(4 * first + 7 * second) % count]]
    })
}

/// Numbers from -4 to 4.
fn integers(count: usize, seed: usize) -> Vec<i8> {
    let mut state = seed as u32 | 1;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as i8 % 5
    };
    (0..count).map(next).collect()
}

/// Runs a product of each of these sizes, of A row by row and B row by row or column by column.
fn check(
    sizes: impl Iterator<Item = [usize; 3]>,
    transposed: bool,
    product: impl Fn([usize; 3], &[i8], &[i8]) -> Result<Vec<i32>>,
) -> Result<()> {
    for [m, n, k] in sizes {
        let (a, b) = (integers(m * k, m + 7 * k), integers(k * n, n + 3 * k));
        let mut expected = vec![0; m * n];
        for row in 0..m {
            for i in 0..k {
                let left = i32::from(a[row * k + i]);
                for column in 0..n {
                    let right = if transposed { b[column * k + i] } else { b[i * n + column] };
                    expected[row * n + column] += left * i32::from(right);
                }
            }
        }
        let found = product([m, n, k], &a, &b)?;
        let wrong = (0..m * n).find(|&place| found[place] != expected[place]);
        if let Some(place) = wrong {
            panic!(
                "{m} × {n} × {k}, element [{}, {}]: expected {}, found {}",
                place / n,
                place % n,
                expected[place],
                found[place]
            );
        }
    }
    Ok(())
}

fn halves(values: &[i8]) -> Vec<f16> {
    values.iter().map(|&value| f16::from_f32(value.into())).collect()
}

fn whole(values: Vec<f32>) -> Vec<i32> {
    values.into_iter().map(|value| value as i32).collect()
}

#[test]
fn halves_of_all_sizes() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm80);
    check(all_sizes().chain(edges()), false, |[m, n, k], a, b| {
        let (a, b) = (gpu.upload(&halves(a))?, gpu.upload(&halves(b))?);
        let mut c = gpu.zeros::<f32>(m * n)?;
        let grid = (n.div_ceil(64) as u32, m.div_ceil(64) as u32);
        of_halves(a.matrix(m, k)?, b.matrix(k, n)?, c.matrix_mut(m, n)?).grid(grid).run()?;
        Ok(whole(c.to_vec()?))
    })
}

#[test]
fn bytes_of_all_sizes() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm80);
    check(all_sizes().chain(edges()), true, |[m, n, k], a, b| {
        let (a, b) = (gpu.upload(a)?, gpu.upload(b)?);
        let mut c = gpu.zeros::<i32>(m * n)?;
        let grid = (n.div_ceil(64) as u32, m.div_ceil(64) as u32);
        of_bytes(a.matrix(m, k)?, b.matrix(n, k)?, c.matrix_mut(m, n)?).grid(grid).run()?;
        c.to_vec()
    })
}

#[test]
fn groups_of_all_edges() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90a);
    check(edges().chain(all_sizes().step_by(10)), false, |[m, n, k], a, b| {
        let (a, b) = (gpu.upload(&halves(a))?, gpu.upload(&halves(b))?);
        let mut c = gpu.zeros::<f32>(m * n)?;
        let stages = 2 * 2 * 64 * 64 * size_of::<f16>();
        of_groups(a.matrix(m, k)?, b.matrix(k, n)?, c.matrix_mut(m, n)?).grid(3).shared(stages).run()?;
        Ok(whole(c.to_vec()?))
    })
}

/// 200 random sizes on a GPU, where there is one.
#[test]
fn random_sizes_on_a_gpu() -> Result<()> {
    let Some(gpu) = tests::cuda_or_skip() else { return Ok(()) };
    let mut state = 0x9e37_79b9_u32;
    let mut size = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % 400 + 1
    };
    let sizes: Vec<[usize; 3]> = (0..200).map(|_| [size(), size(), size()]).collect();
    check(sizes.iter().copied(), false, |[m, n, k], a, b| {
        let (a, b) = (gpu.upload(&halves(a))?, gpu.upload(&halves(b))?);
        let mut c = gpu.zeros::<f32>(m * n)?;
        let grid = (n.div_ceil(64) as u32, m.div_ceil(64) as u32);
        of_halves(a.matrix(m, k)?, b.matrix(k, n)?, c.matrix_mut(m, n)?).grid(grid).run()?;
        let found = whole(c.to_vec()?);
        if gpu.arch() == Arch::Sm90a {
            c.set_zero()?;
            let stages = 2 * 2 * 64 * 64 * size_of::<f16>();
            of_groups(a.matrix(m, k)?, b.matrix(k, n)?, c.matrix_mut(m, n)?).fill().shared(stages).run()?;
            assert_eq!(whole(c.to_vec()?), found, "{m} × {n} × {k}, by groups of warps");
        }
        Ok(found)
    })?;
    check(sizes.iter().copied(), true, |[m, n, k], a, b| {
        let (a, b) = (gpu.upload(a)?, gpu.upload(b)?);
        let mut c = gpu.zeros::<i32>(m * n)?;
        let grid = (n.div_ceil(64) as u32, m.div_ceil(64) as u32);
        of_bytes(a.matrix(m, k)?, b.matrix(n, k)?, c.matrix_mut(m, n)?).grid(grid).run()?;
        c.to_vec()
    })
}

/// On the CPU, too, at fewer.
#[test]
fn halves_on_the_cpu() -> Result<()> {
    check(edges().step_by(9), false, |[m, n, k], a, b| {
        let (a, b) = (halves(a), halves(b));
        let mut c = vec![0.0; m * n];
        let grid = (n.div_ceil(64) as u32, m.div_ceil(64) as u32);
        let (a, b) = (Matrix::new(&a, [m, k]), Matrix::new(&b, [k, n]));
        of_halves::cpu(a, b, MatrixMut::new(&mut c, [m, n])).grid(grid).run()?;
        Ok(whole(c))
    })
}
