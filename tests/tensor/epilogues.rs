//! Sums that change their type, go to other places and are chosen by rows; products of planes, and of tiles that are chosen when the kernel runs.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Gpu};

use super::Random;

/// C = diag(s) A Bᵀ diag(t) of each plane, and its transposed; sums of bytes become `f32`.
#[kernel(block(64), arch(sm_80, sm_90))]
fn dequantised(
    a: Volume<'_, i8>,
    b: Volume<'_, i8>,
    s: &[f32],
    t: &[f32],
    mut c: VolumeMut<'_, f32>,
    mut turned: VolumeMut<'_, f32>,
) {
    let mut stages = shared::<Stages<(SharedTile<i8, 32, 32>, SharedTile<i8, 32, 32>), 2>>();
    let (row, column, batch) = (32 * block_idx().y, 32 * block_idx().x, block_idx().z);
    let first = 16 * warp::warp_id();
    let (a, b) = (a.plane(batch), b.plane(batch));
    let mut sum = warp::Acc::<i32, 16, 32>::zero();
    stages.multiply_transposed(a.columns().div_ceil(32), [first, 0], &mut sum, |(left, right), step| {
        (left.load(&a, [row, 32 * step]), right.load(&b, [column, 32 * step]))
    });
    let scales = warp::Rows::<usize, 16>::from_fn(|r| row + first + r)
        .map(|at| if at < s.len() { s[at] } else { 0.0 });
    let scaled = sum
        .map_rows(scales, |x, scale| scale * x as f32)
        .map_at(|_, q, x| if column + q < t.len() { t[column + q] * x } else { 0.0 });
    scaled.store(&mut c.plane_mut(batch), [row + first, column]);
    let mut turned = turned.plane_mut(batch);
    scaled.for_each(|r, q, x| {
        let (r, q) = (row + first + r, column + q);
        if q < turned.rows() && r < turned.columns() {
            turned[[q, r]] = x;
        }
    });
}

/// For each row of A Bᵀ the least sum and the first column with it, of tiles that are loaded in turns.
#[kernel(block(32), arch(sm_80, sm_90))]
fn least(a: Matrix<'_, f16>, b: Matrix<'_, f16>, place: &mut [u32], value: &mut [f32]) {
    let mut tiles = shared::<[SharedTile<f16, 32, 32>; 2]>();
    let mut left = shared::<SharedTile<f16, 16, 32>>();
    let row = 16 * block_idx().x;
    left.load(&a, [row, 0]);
    tiles[0].load(&b, [0, 0]);
    barrier();
    let left = warp::Left::<f16, 16, 32>::load(&left, [0, 0]);
    let mut best = warp::Rows::<f32, 16>::splat(f32::INFINITY);
    let mut at = warp::Rows::<u32, 16>::splat(0);
    for step in 0..b.rows().div_ceil(32) {
        tiles[(step + 1) % 2].load(&b, [32 * (step + 1), 0]);
        let mut sum = warp::Acc::<f32, 16, 32>::zero();
        sum.mma(&left, &warp::Right::<f16, 32, 32>::load_transposed(&tiles[step % 2], [0, 0]));
        let sum = sum.map_at(|_, q, x| if 32 * step + q < b.rows() { x } else { f32::INFINITY });
        let new = sum.row_min();
        let columns = sum
            .map_rows(new, |x, least| if x == least { 0 } else { i32::MAX })
            .map_at(|_, q, beyond| beyond.max((32 * step + q) as i32))
            .row_min();
        let is_less = new.zip(best, |new, best| new < best);
        at = at.zip(
            columns.zip(is_less, |q, is_less| (q as u32, is_less)),
            |old, (new, is_less)| {
                if is_less { new } else { old }
            },
        );
        best = best.zip(new, f32::min);
        barrier();
    }
    at.for_each(|r, at| {
        if row + r < place.len() {
            place[row + r] = at;
        }
    });
    best.for_each(|r, best| {
        if row + r < value.len() {
            value[row + r] = best;
        }
    });
}

#[test]
fn sums_of_bytes_become_floats_in_two_places() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for [planes, m, n, k] in [[1, 1, 1, 1], [2, 33, 40, 70], [3, 32, 32, 32]] {
        let mut bytes = |len: usize| -> Vec<i8> { (0..len).map(|_| random.number(true) as i8).collect() };
        let (a, b) = (bytes(planes * m * k), bytes(planes * n * k));
        let s: Vec<f32> = (0..m).map(|i| 0.5 * i as f32).collect();
        let t: Vec<f32> = (0..n).map(|j| 1.0 - j as f32).collect();
        let sum = |p: usize, i: usize, j: usize| -> i32 {
            (0..k).map(|l| i32::from(a[(p * m + i) * k + l]) * i32::from(b[(p * n + j) * k + l])).sum()
        };
        let scaled = |p: usize, i: usize, j: usize| t[j] * (s[i] * sum(p, i, j) as f32);
        let expected: Vec<f32> =
            (0..planes * m * n).map(|at| scaled(at / (m * n), at / n % m, at % n)).collect();
        let transposed: Vec<f32> =
            (0..planes * m * n).map(|at| scaled(at / (m * n), at % m, at / m % n)).collect();
        let grid = (n.div_ceil(32), m.div_ceil(32), planes);
        for arch in [Arch::Sm80, Arch::Sm90] {
            let gpu = Gpu::simulator(arch);
            let (mut c, mut turned) =
                (gpu.zeros::<f32>(planes * m * n).unwrap(), gpu.zeros::<f32>(planes * m * n).unwrap());
            dequantised(
                gpu.upload(&a).unwrap().volume(planes, m, k).unwrap(),
                gpu.upload(&b).unwrap().volume(planes, n, k).unwrap(),
                &gpu.upload(&s).unwrap(),
                &gpu.upload(&t).unwrap(),
                c.volume_mut(planes, m, n).unwrap(),
                turned.volume_mut(planes, n, m).unwrap(),
            )
            .grid(grid)
            .run()
            .unwrap();
            assert_eq!(c.to_vec().unwrap(), expected, "{m} × {n} × {k}");
            assert_eq!(turned.to_vec().unwrap(), transposed, "{m} × {n} × {k}");
        }
        let (mut c, mut turned) = (vec![0.0; planes * m * n], vec![0.0; planes * m * n]);
        dequantised::cpu(
            Volume::new(&a, [planes, m, k]),
            Volume::new(&b, [planes, n, k]),
            &s,
            &t,
            VolumeMut::new(&mut c, [planes, m, n]),
            VolumeMut::new(&mut turned, [planes, n, m]),
        )
        .grid(grid)
        .run()
        .unwrap();
        assert_eq!((c, turned), (expected, transposed), "{m} × {n} × {k}");
    }
}

#[test]
fn rows_choose_among_tiles_that_are_loaded_in_turns() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for [m, n, k] in [[1, 1, 1], [20, 100, 32], [16, 32, 9], [33, 65, 30]] {
        let mut numbers = |len: usize| -> Vec<f16> {
            (0..len).map(|_| f16::from_f32(random.number(true) as f32)).collect()
        };
        let (a, b) = (numbers(m * k), numbers(n * k));
        let sum = |i: usize, j: usize| -> f32 {
            (0..k).map(|l| a[i * k + l].to_f32() * b[j * k + l].to_f32()).sum()
        };
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for i in 0..m {
            let least = (0..n).map(|j| sum(i, j)).fold(f32::INFINITY, f32::min);
            places.push((0..n).position(|j| sum(i, j) == least).unwrap() as u32);
            values.push(least);
        }
        for arch in [Arch::Sm80, Arch::Sm90] {
            let gpu = Gpu::simulator(arch);
            let (mut place, mut value) = (gpu.zeros::<u32>(m).unwrap(), gpu.zeros::<f32>(m).unwrap());
            least(
                gpu.upload(&a).unwrap().matrix(m, k).unwrap(),
                gpu.upload(&b).unwrap().matrix(n, k).unwrap(),
                &mut place,
                &mut value,
            )
            .grid(m.div_ceil(16))
            .run()
            .unwrap();
            assert_eq!((place.to_vec().unwrap(), value.to_vec().unwrap()), (places.clone(), values.clone()));
        }
        let (mut place, mut value) = (vec![0; m], vec![0.0; m]);
        least::cpu(Matrix::new(&a, [m, k]), Matrix::new(&b, [n, k]), &mut place, &mut value)
            .grid(m.div_ceil(16))
            .run()
            .unwrap();
        assert_eq!((place, value), (places, values));
    }
}
