//! Products by groups of four warps (`wgmma`), which other warps fill stages for: the simulator of `sm_90a`, where tensor maps fill them or
//! threads do; that of sm_80 and the CPU reference, which multiply fragments; and a GPU where there is one.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Error, Gpu};
use tests::cuda_or_skip;
use tests::toolchain::{Ptxas, require_or_skip};

use super::Random;
use super::elements::Sample;

/// The product of matrices of whole numbers.
fn product<T: Sample, S: Sample>(a: &[T], b: &[T], [m, n, k]: [usize; 3]) -> Vec<S> {
    let sum = |at: usize| (0..k).map(|i| a[at / n * k + i].value() * b[i * n + at % n].value()).sum();
    (0..m * n).map(|at| S::of(sum(at))).collect()
}

/// Room for the stages of each.
const SHARED: usize = 2 * 128 * 128 * size_of::<f16>();

/// Kernels of 64 × `$columns` or 128 × `$columns` sums per block at a time, of right tiles as they are, or of the transposed matrix.
macro_rules! products {
    ($($kernel:ident $method:ident $element:ident $sum:ident $of:ident $rows:literal $columns:literal $depth:literal [$right:ty] $turned:literal $block:literal;)*) => {$(
        #[kernel(block($block), arch(sm_80, sm_90a))]
        fn $kernel(a: Matrix<'_, $element>, b: Matrix<'_, $element>, mut c: MatrixMut<'_, $of>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<$element, $rows, $depth>, $right), 2>>();
            stages[0].$method(
                [c.rows(), c.columns()],
                a.columns().div_ceil($depth),
                |(left, right), [row, column], step| {
                    (left.load(&a, [row, $depth * step]), right.load(&b, if $turned { [column, $depth * step] } else { [$depth * step, column] }))
                },
                |sum: warp::Acc<$sum, 16, $columns>, at| sum.store(&mut c, at),
            );
        }
    )*};
}
products! {
    halves multiply_tiles f16 f32 f32 64 64 64 [SharedTile<f16, 64, 64>] false 256;
    brains multiply_tiles bf16 f32 bf16 64 128 64 [SharedTile<bf16, 64, 128>] false 256;
    two_groups multiply_transposed_tiles bf16 f32 f32 128 24 64 [SharedTile<bf16, 24, 64>] true 384;
    turned multiply_transposed_tiles f16 f32 f16 64 64 128 [SharedTile<f16, 64, 128>] true 256;
    bytes multiply_transposed_tiles i8 i32 i32 64 48 128 [SharedTile<i8, 48, 128>] true 256;
    unsigned multiply_transposed_tiles u8 i32 i32 64 64 128 [SharedTile<u8, 64, 128>] true 256;
    narrow multiply_transposed_tiles E4M3 f32 f32 64 64 128 [SharedTile<E4M3, 64, 128>] true 256;
    wide multiply_transposed_tiles E5M2 f32 f32 128 40 128 [SharedTile<E5M2, 40, 128>] true 384;
    singles multiply_transposed_tiles f32 f32 f32 64 64 64 [SharedTile<f32, 64, 64>] true 256;
    promoted multiply_transposed_tiles_promoted f32 f32 f32 64 64 64 [SharedTile<f32, 64, 64>] true 256;
    promoted_halves multiply_transposed_tiles_promoted f16 f32 f32 128 40 64 [SharedTile<f16, 40, 64>] true 384;
}

/// Runs a kernel everywhere, of whole numbers, whose sums are the same in any order.
macro_rules! compare {
    ($kernel:ident $element:ident $of:ident $turned:literal) => {{
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        // Rows of 16 bytes, as maps need them, and others; more tiles than blocks; less than a tile.
        for [m, n, k] in [[130usize, 144, 192], [65, 70, 75], [1, 1, 1], [200, 16, 48]] {
            let mut numbers = |len: usize| -> Vec<$element> {
                (0..len).map(|_| Sample::sample(random.number(true), false)).collect()
            };
            let (a, b) = (numbers(m * k), numbers(k * n));
            let right: Vec<$element> =
                if $turned { (0..n * k).map(|at| b[at % k * n + at / k]).collect() } else { b.clone() };
            let shape = if $turned { [n, k] } else { [k, n] };
            let expected: Vec<$of> = product(&a, &b, [m, n, k]);
            let what = format!("{} of {m} × {n} × {k}", stringify!($kernel));
            let mut on_cpu = vec![<$of>::default(); m * n];
            $kernel::cpu(
                Matrix::new(&a, [m, k]),
                Matrix::new(&right, shape),
                MatrixMut::new(&mut on_cpu, [m, n]),
            )
            .grid(3)
            .shared(SHARED)
            .target(Arch::Sm90a)
            .run()
            .expect("runs");
            assert_eq!(on_cpu, expected, "{what} on the CPU");
            for gpu in [Some(Gpu::simulator(Arch::Sm80)), Some(Gpu::simulator(Arch::Sm90a)), cuda_or_skip()]
                .into_iter()
                .flatten()
            {
                let (of_a, of_b) = (gpu.upload(&a).unwrap(), gpu.upload(&right).unwrap());
                let mut c = gpu.zeros::<$of>(m * n).unwrap();
                let (of_a, of_b) = (of_a.matrix(m, k).unwrap(), of_b.matrix(shape[0], shape[1]).unwrap());
                let launch = $kernel(of_a, of_b, c.matrix_mut(m, n).unwrap()).grid(3).shared(SHARED);
                launch.run().unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(c.to_vec().unwrap(), expected, "{what} on {}", gpu.describe());
            }
        }
    }};
}

#[test]
fn products_by_groups() {
    compare!(halves f16 f32 false);
    compare!(brains bf16 bf16 false);
    compare!(two_groups bf16 f32 true);
    compare!(turned f16 f16 true);
    compare!(bytes i8 i32 true);
    compare!(unsigned u8 i32 true);
    compare!(narrow E4M3 f32 true);
    compare!(wide E5M2 f32 true);
    compare!(singles f32 f32 true);
    compare!(promoted f32 f32 true);
    compare!(promoted_halves f16 f32 true);
}

/// Whole numbers of 12 bits, of which tf32 has 11: those in the middle become the even one, in copies by maps, in those by threads, and
/// where fragments are loaded.
#[test]
fn singles_are_rounded_to_even() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let to_even =
        |x: f32| f64::from(f32::from_bits((x.to_bits() + 0xfff + (x.to_bits() >> 13 & 1)) & !0x1fff));
    for [m, n, k] in [[64usize, 64, 4], [70, 5, 3]] {
        let mut numbers = |len: usize| -> Vec<f32> {
            (0..len).map(|_| (3072.0 + 128.0 * random.number(false)).round() as f32).collect()
        };
        let (a, b) = (numbers(m * k), numbers(n * k));
        let sum = |at: usize| {
            (0..k).map(|i| to_even(a[at / n * k + i]) * to_even(b[at % n * k + i])).sum::<f64>() as f32
        };
        let expected: Vec<f32> = (0..m * n).map(sum).collect();
        assert_ne!(
            expected,
            (0..m * n)
                .map(|at| (0..k).map(|i| a[at / n * k + i] * b[at % n * k + i]).sum())
                .collect::<Vec<f32>>(),
            "some are rounded"
        );
        let mut on_cpu = vec![0.0; m * n];
        let c = MatrixMut::new(&mut on_cpu, [m, n]);
        singles::cpu(Matrix::new(&a, [m, k]), Matrix::new(&b, [n, k]), c)
            .grid(3)
            .shared(SHARED)
            .target(Arch::Sm90a)
            .run()
            .expect("runs");
        assert_eq!(on_cpu, expected, "on the CPU");
        let simulators = [Gpu::simulator(Arch::Sm80), Gpu::simulator(Arch::Sm90a)];
        for gpu in simulators.into_iter().chain(cuda_or_skip()) {
            let (of_a, of_b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
            let mut c = gpu.zeros::<f32>(m * n).unwrap();
            let (of_a, of_b) = (of_a.matrix(m, k).unwrap(), of_b.matrix(n, k).unwrap());
            singles(of_a, of_b, c.matrix_mut(m, n).unwrap()).grid(3).shared(SHARED).run().expect("runs");
            assert_eq!(c.to_vec().unwrap(), expected, "{m} × {n} × {k} on {}", gpu.describe());
        }
    }
}

#[test]
fn groups_multiply_in_one_instruction() {
    // Boxes of maps have 64 rows: those of other tiles are filled by threads.
    let kernels = [
        ("halves", &halves::KERNEL, "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", true),
        ("brains", &brains::KERNEL, "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16", true),
        ("two_groups", &two_groups::KERNEL, "wgmma.mma_async.sync.aligned.m64n24k16.f32.bf16.bf16", false),
        ("turned", &turned::KERNEL, "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", true),
        ("bytes", &bytes::KERNEL, "wgmma.mma_async.sync.aligned.m64n48k32.s32.s8.s8", false),
        ("unsigned", &unsigned::KERNEL, "wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.u8", true),
        ("narrow", &narrow::KERNEL, "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3", true),
        ("wide", &wide::KERNEL, "wgmma.mma_async.sync.aligned.m64n40k32.f32.e5m2.e5m2", false),
        ("singles", &singles::KERNEL, "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32", true),
    ];
    for (name, kernel, product, is_mapped) in kernels {
        let [old, new] = kernel.variants() else { panic!("{name} has two variants") };
        assert!(!old.ptx.contains("wgmma") && old.maps.is_empty(), "{name}");
        assert!(new.ptx.contains(product), "{name} has no {product}");
        assert!(!new.ptx.contains("mma.sync"), "{name}");
        assert_eq!(new.ptx.contains("cp.async.bulk.tensor.2d"), is_mapped, "{name}");
        if is_mapped {
            assert_eq!(new.maps.len(), 2, "{name}: of both factors");
        }
        let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
        let report = ptxas.assemble(new.ptx, Arch::Sm90a).unwrap_or_else(|log| panic!("{name}: {log}"));
        for entry in &report.entries {
            assert!(entry.losses.is_empty() && entry.spill_loads == 0, "{name}: {entry:?}");
        }
    }
}

/// As `halves`, of matrices that are made in the kernel, which have no maps.
#[kernel(block(256), arch(sm_90a))]
fn unmapped(sizes: [usize; 3], a: &[f16], b: &[f16], c: &mut [f32]) {
    let [rows, columns, inner] = sizes;
    let a = Matrix::new(a, [rows, inner]);
    let b = Matrix::new(b, [inner, columns]);
    let mut c = MatrixMut::new(c, [rows, columns]);
    let mut stages = shared::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 64>), 2>>();
    stages.multiply_tiles(
        [rows, columns],
        inner.div_ceil(64),
        |(left, right), [row, column], step| {
            (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
        },
        |sum: warp::Acc<f32, 16, 64>, at| sum.store(&mut c, at),
    );
}

/// As `halves`, with a bias for each column, of which there are too few.
#[kernel(block(256), arch(sm_90a))]
fn biased(a: Matrix<'_, f16>, b: Matrix<'_, f16>, bias: &[f32], mut c: MatrixMut<'_, f32>) {
    let mut stages = shared::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 64>), 2>>();
    stages.multiply_tiles(
        [c.rows(), c.columns()],
        a.columns().div_ceil(64),
        |(left, right), [row, column], step| {
            (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
        },
        |sum: warp::Acc<f32, 16, 64>, at| {
            sum.map_at(|_, column, x| x + bias[at[1] + column]).store(&mut c, at)
        },
    );
}

#[test]
fn matrices_without_maps() {
    assert!(unmapped::KERNEL.variants()[0].maps.is_empty());
    for gpu in [Some(Gpu::simulator(Arch::Sm90a)), cuda_or_skip()].into_iter().flatten() {
        let [m, n, k] = [70, 80, 100];
        let (a, b) =
            (gpu.upload(&vec![f16::ONE; m * k]).unwrap(), gpu.upload(&vec![f16::ONE; k * n]).unwrap());
        let mut c = gpu.zeros::<f32>(m * n).unwrap();
        unmapped([m, n, k], &a, &b, &mut c).grid(2).run().expect("runs");
        assert_eq!(c.to_vec().unwrap(), vec![k as f32; m * n]);
    }
}

/// The warps that go on when others panic give up.
#[test]
fn panics_in_one_role_end_the_others() {
    for gpu in [Some(Gpu::simulator(Arch::Sm90a)), cuda_or_skip()].into_iter().flatten() {
        let (a, b) =
            (gpu.upload(&vec![f16::ONE; 64 * 512]).unwrap(), gpu.upload(&vec![f16::ONE; 512 * 256]).unwrap());
        let mut c = gpu.zeros::<f32>(64 * 256).unwrap();
        let bias = gpu.upload(&[1.0f32; 130]).unwrap();
        let (a, b, c) =
            (a.matrix(64, 512).unwrap(), b.matrix(512, 256).unwrap(), c.matrix_mut(64, 256).unwrap());
        let error = biased(a, b, &bias, c).grid(1).run().expect_err("130 of 256 columns have a bias");
        let Error::KernelPanicked { message, .. } = &error else { panic!("{error}") };
        assert!(message.contains("index out of bounds: the len is 130"), "{message}");
    }
}

/// As `biased`, with a bias for each row: some lanes of a warp panic, and its next product comes without them.
#[kernel(block(256), arch(sm_90a))]
fn biased_by_rows(a: Matrix<'_, f16>, b: Matrix<'_, f16>, bias: &[f32], mut c: MatrixMut<'_, f32>) {
    let mut stages = shared::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 64>), 2>>();
    stages.multiply_tiles(
        [c.rows(), c.columns()],
        a.columns().div_ceil(64),
        |(left, right), [row, column], step| {
            (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
        },
        |sum: warp::Acc<f32, 16, 64>, at| sum.map_at(|row, _, x| x + bias[at[0] + row]).store(&mut c, at),
    );
}

#[test]
fn lanes_that_panic_end_their_group() {
    for gpu in [Some(Gpu::simulator(Arch::Sm90a)), cuda_or_skip()].into_iter().flatten() {
        let (a, b) =
            (gpu.upload(&vec![f16::ONE; 64 * 512]).unwrap(), gpu.upload(&vec![f16::ONE; 512 * 256]).unwrap());
        let mut c = gpu.zeros::<f32>(64 * 256).unwrap();
        for (rows, is_enough) in [(44, false), (64, true)] {
            let bias = gpu.upload(&vec![1.0f32; rows]).unwrap();
            let (a, b, c) =
                (a.matrix(64, 512).unwrap(), b.matrix(512, 256).unwrap(), c.matrix_mut(64, 256).unwrap());
            match biased_by_rows(a, b, &bias, c).grid(1).run() {
                Ok(_) => assert!(is_enough, "44 of 64 rows have a bias"),
                Err(Error::KernelPanicked { message, .. }) if !is_enough => {
                    assert!(message.contains("index out of bounds: the len is 44"), "{message}");
                }
                Err(error) => panic!("{rows}: {error}"),
            }
        }
    }
}
