//! Stages of tiles that are filled while others are read: the CPU reference, the simulator and its sanitizer, and a GPU where there is one.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Gpu};
use tests::cuda_or_skip;

use super::{Random, bits};

/// Products of 32 × 32 elements per block by four warps, in so many stages.
macro_rules! products {
    ($($kernel:ident $element:ident $of:ident $stages:literal $arch:ident;)*) => {$(
        #[kernel(block(128), arch($arch))]
        fn $kernel(rows: usize, columns: usize, inner: usize, stride: usize, a: &[$element], b: &[$element], c: &mut [$of]) {
            let a = Matrix::with_stride(a, [rows, inner], stride);
            let b = Matrix::new(b, [inner, columns]);
            let mut c = MatrixMut::new(c, [rows, columns]);
            let mut stages = shared::<Stages<(SharedTile<$element, 32, 16>, SharedTile<$element, 16, 32>), $stages>>();
            let (row, column) = (32 * block_idx().y, 32 * block_idx().x);
            let (y, x) = (16 * (warp::warp_id() / 2), 16 * (warp::warp_id() % 2));
            let mut sum = warp::Acc::<f32, 16, 16>::zero();
            // Twice, so that the second run finds what the first has left; the first takes the first half of the steps.
            let steps = a.columns().div_ceil(16);
            let half = steps / 2;
            for part in 0..2 {
                let (first, count) = if part == 0 { (0, half) } else { (half, steps - half) };
                stages.run(
                    count,
                    |(left, right), step| {
                        let at = 16 * (first + step);
                        (left.load(&a, [row, at]), right.load(&b, [at, column]))
                    },
                    |(left, right)| {
                        let left = warp::Left::<$element, 16, 16>::load(left, [y, 0]);
                        let right = warp::Right::<$element, 16, 16>::load(right, [0, x]);
                        sum.mma(&left, &right);
                    },
                );
            }
            sum.store(&mut c, [row + y, column + x]);
        }
    )*};
}
products! {
    two_stages f16 f32 2 sm_80;
    three_stages bf16 bf16 3 sm_80;
    five_stages f16 f16 5 sm_90;
}

/// As above, of stages so deep, by their own product.
macro_rules! multiplied {
    ($($kernel:ident $element:ident $of:ident $stages:literal $depth:literal $arch:ident;)*) => {$(
        #[kernel(block(128), arch($arch))]
        fn $kernel(rows: usize, columns: usize, inner: usize, stride: usize, a: &[$element], b: &[$element], c: &mut [$of]) {
            let a = Matrix::with_stride(a, [rows, inner], stride);
            let b = Matrix::new(b, [inner, columns]);
            let mut c = MatrixMut::new(c, [rows, columns]);
            let mut stages =
                shared::<Stages<(SharedTile<$element, 32, $depth>, SharedTile<$element, $depth, 32>), $stages>>();
            let (row, column) = (32 * block_idx().y, 32 * block_idx().x);
            let (y, x) = (16 * (warp::warp_id() / 2), 16 * (warp::warp_id() % 2));
            let mut sum = warp::Acc::<f32, 16, 16>::zero();
            let steps = a.columns().div_ceil($depth);
            let half = steps / 2;
            for part in 0..2 {
                let (first, count) = if part == 0 { (0, half) } else { (half, steps - half) };
                stages.multiply(count, [y, x], &mut sum, |(left, right), step| {
                    let at = $depth * (first + step);
                    (left.load(&a, [row, at]), right.load(&b, [at, column]))
                });
            }
            sum.store(&mut c, [row + y, column + x]);
        }
    )*};
}
multiplied! {
    // Three parts of 16 a step, and tiles that the block's threads do not divide.
    two_deep_stages f16 f32 2 48 sm_80;
    three_deep_stages bf16 bf16 3 16 sm_80;
    four_deep_stages f16 f16 4 64 sm_90;
}

/// By 96 threads, which do not divide the tiles either.
#[kernel(block(96), arch(sm_80))]
fn odd_block(rows: usize, columns: usize, inner: usize, stride: usize, a: &[f16], b: &[f16], c: &mut [f16]) {
    let a = Matrix::with_stride(a, [rows, inner], stride);
    let b = Matrix::new(b, [inner, columns]);
    let mut c = MatrixMut::new(c, [rows, columns]);
    let mut stages = shared::<Stages<(SharedTile<f16, 48, 32>, SharedTile<f16, 32, 32>), 3>>();
    let (row, column) = (48 * block_idx().y, 32 * block_idx().x);
    let y = 16 * warp::warp_id();
    let mut sum = warp::Acc::<f32, 16, 32>::zero();
    stages.multiply(a.columns().div_ceil(32), [y, 0], &mut sum, |(left, right), step| {
        (left.load(&a, [row, 32 * step]), right.load(&b, [32 * step, column]))
    });
    sum.store(&mut c, [row + y, column]);
}

/// By 64 threads without tensor cores, 4 × 4 sums each, from registers that are filled a part ahead; of the transposed left matrix. Twice, as above.
#[kernel(block(64), arch(sm_80))]
fn in_parts(a: Matrix<'_, f32>, b: Matrix<'_, f32>, mut c: MatrixMut<'_, f32>) {
    let mut stages = shared::<Stages<(SharedTile<f32, 8, 32>, SharedTile<f32, 8, 32>), 3>>();
    let (row, column) = (32 * block_idx().y, 32 * block_idx().x);
    let (y, x) = (4 * (thread_idx().x / 8), 4 * (thread_idx().x % 8));
    let mut sums = [F32x4::splat(0.0); 4];
    let steps = b.rows().div_ceil(8);
    let half = steps / 2;
    for part in 0..2 {
        let (first, count) = if part == 0 { (0, half) } else { (half, steps - half) };
        stages.run_in_parts::<8, _>(
            count,
            |(left, right), step| {
                let at = 8 * (first + step);
                (left.load(&a, [at, row]), right.load(&b, [at, column]))
            },
            |(left, right), k| (left.vector_at(k, y), right.vector_at(k, x)),
            |(left, right)| {
                for i in 0..4 {
                    sums[i] = F32x4::splat(left[i]).mul_add(*right, sums[i]);
                }
            },
        );
    }
    for i in 0..4 {
        c.store_vector([row + y + i, column + x], sums[i]);
    }
}

/// No steps, fewer than stages, and more, with clipped edges.
#[test]
fn stages_in_parts() {
    for [m, n, k] in [[1usize, 1, 0], [1, 1, 1], [32, 32, 8], [33, 40, 31], [36, 33, 64], [40, 36, 100]] {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut numbers = |len: usize| -> Vec<f32> { (0..len).map(|_| random.number(true) as f32).collect() };
        let (a, b) = (numbers(k * m), numbers(k * n));
        let product = |place: usize| (0..k).map(|i| a[i * m + place / n] * b[i * n + place % n]).sum::<f32>();
        let expected: Vec<f32> = (0..m * n).map(product).collect();
        let grid = (n.div_ceil(32) as u32, m.div_ceil(32) as u32);
        for gpu in [Some(Gpu::simulator(Arch::Sm80)), cuda_or_skip()].into_iter().flatten() {
            let (a, b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
            let mut c = gpu.upload(&vec![f32::NAN; m * n]).unwrap();
            let (a, b) = (a.matrix(k, m).unwrap(), b.matrix(k, n).unwrap());
            in_parts(a, b, c.matrix_mut(m, n).unwrap()).grid(grid).run().expect("runs");
            assert_eq!(c.to_vec().unwrap(), expected, "{m} × {n} × {k}");
        }
        let mut on_cpu = vec![f32::NAN; m * n];
        in_parts::cpu(Matrix::new(&a, [k, m]), Matrix::new(&b, [k, n]), MatrixMut::new(&mut on_cpu, [m, n]))
            .grid(grid)
            .block(64)
            .run()
            .expect("runs on the CPU");
        assert_eq!(on_cpu, expected, "{m} × {n} × {k}, on the CPU");
    }
}

/// Numbers in `f32` of every kernel.
macro_rules! compare {
    ($kernel:ident $element:ident $of:ident, $size:expr) => {
        compare!($kernel $element $of, $size, 32, 128)
    };
    ($kernel:ident $element:ident $of:ident, $size:expr, $rows:literal, $threads:literal) => {{
        let [m, n, k, stride]: [usize; 4] = $size;
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut numbers = |len: usize| -> Vec<$element> {
            (0..len).map(|_| $element::from_f64(random.number(true))).collect()
        };
        let (a, b) = (numbers((m - 1) * stride + k), numbers(k * n));
        let expected: Vec<$of> = (0..m * n)
            .map(|place| {
                let term = |i: usize| a[place / n * stride + i].to_f64() * b[i * n + place % n].to_f64();
                <$of as FromF64>::from_f64((0..k).map(term).sum())
            })
            .collect();
        let grid = (n.div_ceil(32) as u32, m.div_ceil($rows) as u32);
        let what = format!("{} of {m} × {n} × {k}, a row every {stride}", stringify!($kernel));
        let mut on_cpu = vec![<$of>::default(); m * n];
        $kernel::cpu(m, n, k, stride, &a, &b, &mut on_cpu)
            .grid(grid)
            .block($threads)
            .run()
            .expect("runs on the CPU");
        assert_eq!(on_cpu, expected, "{what}, on the CPU");
        for gpu in [Some(Gpu::simulator(Arch::Sm90)), cuda_or_skip()].into_iter().flatten() {
            let (of_a, of_b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
            let mut c = gpu.zeros::<$of>(m * n).unwrap();
            $kernel(m, n, k, stride, &of_a, &of_b, &mut c).grid(grid).run().expect("runs");
            assert_eq!(c.to_vec().unwrap(), expected, "{what}");
        }
    }};
}

/// 128 × 128 elements per block, 64 × 64 per warp, in steps of 64.
macro_rules! fast {
    ($($kernel:ident $element:ident;)*) => {$(
        #[kernel(launch_bounds(128, 2), block(128), arch(sm_80))]
        pub fn $kernel(rows: usize, columns: usize, inner: usize, a: &[$element], b: &[$element], c: &mut [$element]) {
            let (a, b) = (Matrix::new(a, [rows, inner]), Matrix::new(b, [inner, columns]));
            let mut c = MatrixMut::new(c, [rows, columns]);
            let mut stages = shared_dyn::<Stages<(SharedTile<$element, 128, 64>, SharedTile<$element, 64, 128>), 3>>();
            let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
            let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
            let mut sum = warp::Acc::<f32, 64, 64>::zero();
            stages[0].multiply(a.columns().div_ceil(64), [y, x], &mut sum, |(left, right), step| {
                (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
            });
            sum.store(&mut c, [row + y, column + x]);
        }
    )*};
}
/// Bytes of its stages.
const STAGES: usize = 3 * 2 * 2 * 128 * 64;
fast! {
    fast_f16 f16;
    fast_bf16 bf16;
}

#[test]
fn fast_products() {
    for [m, n, k] in [[128usize, 128, 64], [130, 200, 100], [128, 256, 512]] {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut numbers =
            |len: usize| -> Vec<f16> { (0..len).map(|_| f16::from_f64(random.number(true) / 8.0)).collect() };
        let (a, b) = (numbers(m * k), numbers(k * n));
        let expected: Vec<f16> = (0..m * n)
            .map(|place| {
                let term = |i: usize| a[place / n * k + i].to_f64() * b[i * n + place % n].to_f64();
                f16::from_f64((0..k).map(term).sum())
            })
            .collect();
        let grid = (m.div_ceil(128) as u32, n.div_ceil(128) as u32);
        for gpu in [Some(Gpu::simulator(Arch::Sm80)), cuda_or_skip()].into_iter().flatten() {
            let mut c = gpu.zeros(m * n).unwrap();
            let (a, b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
            fast_f16(m, n, k, &a, &b, &mut c).grid(grid).shared(STAGES).run().expect("runs");
            assert_eq!(c.to_vec().unwrap(), expected, "{m} × {n} × {k}");
        }
    }
    let [m, n, k]: [usize; 3] = [70, 40, 64];
    let (a, b) = (vec![bf16::ONE; m * k], vec![bf16::ONE; k * n]);
    let gpu = Gpu::simulator(Arch::Sm80);
    let mut c = gpu.zeros(m * n).unwrap();
    let (a, b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
    fast_bf16(m, n, k, &a, &b, &mut c).grid((1, 1)).shared(STAGES).run().expect("runs");
    assert_eq!(c.to_vec().unwrap(), vec![bf16::from_f32(64.0); m * n]);
}

trait FromF64 {
    fn from_f64(x: f64) -> Self;
}

impl FromF64 for f32 {
    fn from_f64(x: f64) -> f32 {
        x as f32
    }
}

impl FromF64 for f16 {
    fn from_f64(x: f64) -> f16 {
        f16::from_f64(x)
    }
}

impl FromF64 for bf16 {
    fn from_f64(x: f64) -> bf16 {
        bf16::from_f64(x)
    }
}

/// Fewer steps than stages, as many, and more; rows that are aligned to 16 bytes and rows that are not; clipped edges.
#[test]
fn products_in_stages() {
    for size in [
        [1, 1, 1, 1],
        [32, 32, 16, 16],
        [33, 40, 31, 32],
        [40, 33, 48, 48],
        [8, 24, 70, 71],
        [64, 64, 160, 168],
        [5, 8, 77, 80],
    ] {
        compare!(two_stages f16 f32, size);
        compare!(three_stages bf16 bf16, size);
        compare!(five_stages f16 f16, size);
        compare!(two_deep_stages f16 f32, size);
        compare!(three_deep_stages bf16 bf16, size);
        compare!(four_deep_stages f16 f16, size);
        compare!(odd_block f16 f16, size, 48, 96);
    }
    // Whole tiles first, then clipped ones.
    compare!(four_deep_stages f16 f16, [64, 64, 1000, 1000]);
    compare!(three_deep_stages bf16 bf16, [64, 64, 200, 200]);
}

/// Numbers that are rounded have the same bits on the CPU and the simulator.
#[test]
fn rounded_products_in_stages() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let [m, n, k]: [usize; 3] = [40, 72, 96];
    let a: Vec<f16> = (0..m * k).map(|_| f16::from_f64(random.number(false))).collect();
    let b: Vec<f16> = (0..k * n).map(|_| f16::from_f64(random.number(false))).collect();
    let grid = (n.div_ceil(32) as u32, m.div_ceil(32) as u32);
    let mut on_cpu = vec![0.0; m * n];
    two_stages::cpu(m, n, k, k, &a, &b, &mut on_cpu).grid(grid).block(128).run().expect("runs on the CPU");
    let gpu = Gpu::simulator(Arch::Sm80);
    let mut c = gpu.zeros(m * n).unwrap();
    let (a, b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
    two_stages(m, n, k, k, &a, &b, &mut c).grid(grid).run().expect("runs");
    assert_eq!(bits(&on_cpu), bits(&c.to_vec().unwrap()));
}

#[test]
fn ptxas_takes_them() {
    let kernels = [
        ("two_stages", &two_stages::KERNEL),
        ("three_stages", &three_stages::KERNEL),
        ("two_deep_stages", &two_deep_stages::KERNEL),
        ("fast_f16", &fast_f16::KERNEL),
        ("in_parts", &in_parts::KERNEL),
    ];
    let texts: Vec<(&str, String)> =
        kernels.iter().map(|(name, kernel)| (*name, kernel.ptx().to_owned())).collect();
    for (name, text) in &texts {
        assert!(!text.contains(".local"), "{name} keeps fragments in memory");
        assert!(text.contains("cp.async.cg.shared.global"), "{name} copies by registers");
        assert!(!text.contains("cvta.to.shared"), "{name} computes generic addresses of shared memory");
    }
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let Some(reports) = tests::toolchain::assemble_all_everywhere(&texts) else { return };
    for report in &reports {
        assert_eq!(report.iter().map(|(arch, _)| *arch).min(), Some(Arch::Sm80));
    }
}
