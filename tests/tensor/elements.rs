//! Products of every element that tensor cores have: the CPU reference and the simulator against plain Rust, and a GPU where there is one.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Gpu};
use tests::cuda_or_skip;

use super::Random;

/// Kernels of 32 × 48 sums per block, 16 × 24 per warp, in steps of 32: of tiles that are read as they are and transposed, and of stages.
macro_rules! products {
    ($($module:ident $element:ident $sum:ident [$($arch:ident)*];)*) => {$(
        mod $module {
            use super::*;

            pub type Element = $element;
            pub type Sum = $sum;

            #[kernel(block(128), arch($($arch),*))]
            pub fn tiled(a: Matrix<'_, $element>, b: Matrix<'_, $element>, turned: Matrix<'_, $element>, mut c: MatrixMut<'_, $sum>) {
                let mut left = shared::<SharedTile<$element, 32, 32>>();
                let mut right = shared::<SharedTile<$element, 32, 48>>();
                let mut columns = shared::<SharedTile<$element, 48, 32>>();
                let (row, column) = (32 * block_idx().y, 48 * block_idx().x);
                let (y, x) = (16 * (warp::warp_id() / 2), 24 * (warp::warp_id() % 2));
                let mut sum = warp::Acc::<$sum, 16, 24>::zero();
                for step in 0..a.columns().div_ceil(32) {
                    left.load(&a, [row, 32 * step]);
                    right.load(&b, [32 * step, column]);
                    columns.load(&turned, [column, 32 * step]);
                    barrier();
                    let of_left = warp::Left::<$element, 16, 32>::load(&left, [y, 0]);
                    // One as it is, the next transposed: they are the same matrix.
                    if step % 2 == 0 {
                        sum.mma(&of_left, &warp::Right::<$element, 32, 24>::load(&right, [0, x]));
                    } else {
                        sum.mma(&of_left, &warp::Right::<$element, 32, 24>::load_transposed(&columns, [x, 0]));
                    }
                    barrier();
                }
                sum.store(&mut c, [row + y, column + x]);
            }

            #[kernel(block(128), arch($($arch),*))]
            pub fn staged(a: Matrix<'_, $element>, b: Matrix<'_, $element>, mut c: MatrixMut<'_, $sum>) {
                let mut stages = shared::<Stages<(SharedTile<$element, 32, 32>, SharedTile<$element, 32, 48>), 2>>();
                let (row, column) = (32 * block_idx().y, 48 * block_idx().x);
                let (y, x) = (16 * (warp::warp_id() / 2), 24 * (warp::warp_id() % 2));
                let mut sum = warp::Acc::<$sum, 16, 24>::zero();
                stages.multiply(a.columns().div_ceil(32), [y, x], &mut sum, |(left, right), step| {
                    (left.load(&a, [row, 32 * step]), right.load(&b, [32 * step, column]))
                });
                sum.store(&mut c, [row + y, column + x]);
            }

            #[kernel(block(128), arch($($arch),*))]
            pub fn turned(a: Matrix<'_, $element>, turned: Matrix<'_, $element>, mut c: MatrixMut<'_, $sum>) {
                let mut stages = shared::<Stages<(SharedTile<$element, 32, 32>, SharedTile<$element, 48, 32>), 2>>();
                let (row, column) = (32 * block_idx().y, 48 * block_idx().x);
                let (y, x) = (16 * (warp::warp_id() / 2), 24 * (warp::warp_id() % 2));
                let mut sum = warp::Acc::<$sum, 16, 24>::zero();
                stages.multiply_transposed(a.columns().div_ceil(32), [y, x], &mut sum, |(left, right), step| {
                    (left.load(&a, [row, 32 * step]), right.load(&turned, [column, 32 * step]))
                });
                sum.store(&mut c, [row + y, column + x]);
            }
        }
    )*};
}
products! {
    halves f16 f32 [sm_75 sm_80];
    half_sums f16 f16 [sm_75 sm_80];
    brains bf16 f32 [sm_80];
    bytes i8 i32 [sm_75 sm_80];
    unsigned u8 i32 [sm_75 sm_80];
    singles f32 f32 [sm_80];
    doubles f64 f64 [sm_80];
    narrow E4M3 f32 [sm_80 sm_89];
    wide E5M2 f32 [sm_80 sm_89];
}

/// A number of any type.
pub trait Sample {
    /// Of a number from -8 to 8: small if its products are to be exact in this type of sums.
    fn sample(number: f64, small: bool) -> Self;
    fn value(&self) -> f64;
    /// The nearest of this type.
    fn of(number: f64) -> Self;
}

macro_rules! samples {
    ($($ty:ident |$number:ident| $make:expr, |$value:ident| $take:expr, |$of:ident| $nearest:expr;)*) => {$(
        impl Sample for $ty {
            fn sample(number: f64, small: bool) -> $ty {
                let $number = if small { (number / 4.0).round() } else { number };
                $make
            }
            fn value(&self) -> f64 {
                let $value = *self;
                $take
            }
            fn of($of: f64) -> $ty {
                $nearest
            }
        }
    )*};
}
samples! {
    f16 |x| f16::from_f64(x), |x| x.to_f64(), |x| f16::from_f64(x);
    bf16 |x| bf16::from_f64(x), |x| x.to_f64(), |x| bf16::from_f64(x);
    f32 |x| x as f32, |x| x.into(), |x| x as f32;
    f64 |x| x, |x| x, |x| x;
    // The whole range: to -128 and 127, to 0 and 255.
    i8 |x| (x * 16.0) as i8, |x| x.into(), |x| x as i8;
    u8 |x| (x * 16.0 + 128.0) as u8, |x| x.into(), |x| x as u8;
    i32 |x| x as i32, |x| x.into(), |x| x as i32;
    E4M3 |x| E4M3::from_f32(x as f32), |x| x.to_f32().into(), |x| E4M3::from_f32(x as f32);
    // Whole numbers of three bits.
    E5M2 |x| E5M2::from_f32(x as f32), |x| x.to_f32().into(), |x| E5M2::from_f32(x as f32);
}

/// Runs the three kernels of a module everywhere. Whole numbers have the same sums in any order, so that a GPU's are those too.
macro_rules! compare {
    ($module:ident, $arch:ident, $small:literal) => {{
        use $module::{Element, Sum, staged, tiled, turned};
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for [m, n, k] in [[1usize, 1, 1], [33, 50, 70], [32, 48, 96], [40, 96, 128]] {
            for whole in [true, false] {
                let mut numbers = |len: usize| -> Vec<Element> {
                    (0..len).map(|_| Element::sample(random.number(whole), $small)).collect()
                };
                let (a, b) = (numbers(m * k), numbers(k * n));
                let bt: Vec<Element> = (0..n * k).map(|place| b[place % k * n + place / k]).collect();
                let grid = (n.div_ceil(48) as u32, m.div_ceil(32) as u32);
                let what = format!("{} of {m} × {n} × {k}, whole: {whole}", stringify!($module));
                let sum = |place: usize| -> f64 {
                    (0..k).map(|i| a[place / n * k + i].value() * b[i * n + place % n].value()).sum()
                };
                let expected: Vec<f64> = (0..m * n).map(sum).collect();
                let bits = |values: &[Sum]| -> Vec<f64> { values.iter().map(|x| x.value()).collect() };
                let mut on_cpu = vec![vec![Sum::default(); m * n]; 3];
                let [first, second, third] = &mut on_cpu[..] else { unreachable!() };
                let (ma, mb, mt) =
                    (Matrix::new(&a, [m, k]), Matrix::new(&b, [k, n]), Matrix::new(&bt, [n, k]));
                let target = Arch::$arch;
                tiled::cpu(ma, mb, mt, MatrixMut::new(first, [m, n]))
                    .grid(grid)
                    .block(128)
                    .target(target)
                    .run()
                    .expect("runs");
                staged::cpu(ma, mb, MatrixMut::new(second, [m, n]))
                    .grid(grid)
                    .block(128)
                    .target(target)
                    .run()
                    .expect("runs");
                turned::cpu(ma, mt, MatrixMut::new(third, [m, n]))
                    .grid(grid)
                    .block(128)
                    .target(target)
                    .run()
                    .expect("runs");
                let on = |gpu: &Gpu| -> Vec<Vec<f64>> {
                    let [da, db, dt] = [&a, &b, &bt].map(|x| gpu.upload(x).unwrap());
                    let of = [0, 1, 2].map(|which| {
                        let mut c = gpu.zeros::<Sum>(m * n).unwrap();
                        let (ma, mb, mt) =
                            (da.matrix(m, k).unwrap(), db.matrix(k, n).unwrap(), dt.matrix(n, k).unwrap());
                        let mc = c.matrix_mut(m, n).unwrap();
                        match which {
                            0 => tiled(ma, mb, mt, mc).grid(grid).run(),
                            1 => staged(ma, mb, mc).grid(grid).run(),
                            _ => turned(ma, mt, mc).grid(grid).run(),
                        }
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                        bits(&c.to_vec().unwrap())
                    });
                    of.into()
                };
                let simulated = on(&Gpu::simulator(target));
                for (which, on_cpu) in on_cpu.iter().enumerate() {
                    assert_eq!(simulated[which], bits(on_cpu), "{what}, kernel {which}");
                    if whole {
                        assert_eq!(simulated[which], expected, "{what}, kernel {which}");
                    }
                }
                if whole && let Some(gpu) = cuda_or_skip() {
                    for (which, found) in on(&gpu).iter().enumerate() {
                        assert_eq!(*found, expected, "{what}, kernel {which} on the GPU");
                    }
                }
            }
        }
    }};
}

#[test]
fn products_of_every_element() {
    compare!(halves, Sm80, false);
    compare!(half_sums, Sm80, true);
    compare!(brains, Sm80, false);
    compare!(bytes, Sm80, false);
    compare!(unsigned, Sm80, false);
    compare!(singles, Sm80, false);
    compare!(doubles, Sm80, false);
    compare!(narrow, Sm89, false);
    compare!(wide, Sm89, false);
}

/// As products of `f16`.
#[test]
fn floats_of_8_bits_before_sm_89() {
    compare!(narrow, Sm80, false);
    compare!(wide, Sm80, false);
}

/// By products of half the depth and plain copies.
#[test]
fn products_before_sm_80() {
    compare!(halves, Sm75, false);
    compare!(half_sums, Sm75, true);
    compare!(bytes, Sm75, false);
    compare!(unsigned, Sm75, false);
}

#[test]
fn ptxas_takes_them() {
    let kernels = [
        ("halves", &halves::turned::KERNEL, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
        ("half_sums", &half_sums::turned::KERNEL, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"),
        ("brains", &brains::staged::KERNEL, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
        ("bytes", &bytes::turned::KERNEL, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"),
        ("unsigned", &unsigned::turned::KERNEL, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32"),
        ("singles", &singles::turned::KERNEL, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
        ("doubles", &doubles::turned::KERNEL, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"),
    ];
    for (name, kernel, product) in kernels {
        let text = kernel.ptx();
        assert!(!text.contains(".local"), "{name} keeps fragments in memory");
        assert!(text.contains(product), "{name} has no {product}");
        let texts = [(name, text)];
        let Some(reports) = tests::toolchain::assemble_all_everywhere(&texts) else { return };
        assert!(!reports[0].is_empty(), "{name}");
    }
    for (kernel, product) in [
        (&narrow::turned::KERNEL, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"),
        (&wide::turned::KERNEL, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32"),
    ] {
        let [old, new] = kernel.variants() else { panic!("{product}: two variants") };
        assert!(old.ptx.contains("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), "{product}");
        assert!(new.ptx.contains(product) && !new.ptx.contains(".local"), "{product}");
        let Some(reports) = tests::toolchain::assemble_all_everywhere(&[(product, new.ptx)]) else { return };
        assert!(!reports[0].is_empty(), "{product}");
    }
}

/// One source for every architecture that has products of an element, and the number of columns of an `mma` there by a part of the instruction's name.
macro_rules! everywhere {
    ($($module:ident $element:ident $sum:ident [$($target:ident $arch:ident $product:literal)*];)*) => {$(
        mod $module {
            use super::*;

            #[kernel(block(128), arch($($target),*))]
            pub fn product(a: Matrix<'_, $element>, b: Matrix<'_, $element>, mut c: MatrixMut<'_, $sum>) {
                let mut stages = shared::<Stages<(SharedTile<$element, 64, 32>, SharedTile<$element, 64, 32>), 2>>();
                let (row, column) = (64 * block_idx().y, 64 * block_idx().x);
                let (y, x) = (32 * (warp::warp_id() / 2), 32 * (warp::warp_id() % 2));
                let mut sum = warp::Acc::<$sum, 32, 32>::zero();
                stages.multiply_transposed(a.columns().div_ceil(32), [y, x], &mut sum, |(left, right), step| {
                    (left.load(&a, [row, 32 * step]), right.load(&b, [column, 32 * step]))
                });
                sum.store(&mut c, [row + y, column + x]);
            }

            /// Each variant assembles, with the product that its architecture has, and its CPU reference and the simulator agree bit for bit.
            #[test]
            fn one_source() {
                let targets = [$((Arch::$arch, $product)),*];
                let variants = product::KERNEL.variants();
                assert_eq!(variants.len(), targets.len());
                let mut random = Random(0x2545_f491_4f6c_dd1d);
                for (variant, (arch, instruction)) in variants.iter().zip(targets) {
                    let text = variant.ptx;
                    assert!(text.contains(&format!(".target {}", arch.name())), "{arch:?}");
                    assert!(text.contains(instruction), "{arch:?} has no {instruction}");
                    assert_eq!(text.contains("cp.async"), arch != Arch::Sm75, "{arch:?}");
                    if let Some(reports) = tests::toolchain::assemble_all_everywhere(&[(arch.name(), text)]) {
                        assert!(reports[0].iter().any(|(assembled, _)| *assembled == arch), "{arch:?}");
                    }
                    for [m, n, k] in [[1usize, 1, 1], [70, 66, 100]] {
                        let mut numbers =
                            |len| -> Vec<$element> { (0..len).map(|_| Sample::sample(random.number(false), false)).collect() };
                        let (a, b) = (numbers(m * k), numbers(n * k));
                        let grid = (n.div_ceil(64) as u32, m.div_ceil(64) as u32);
                        let mut on_cpu = vec![$sum::default(); m * n];
                        let (ma, mb) = (Matrix::new(&a, [m, k]), Matrix::new(&b, [n, k]));
                        product::cpu(ma, mb, MatrixMut::new(&mut on_cpu, [m, n])).grid(grid).target(arch).run().expect("runs");
                        let gpu = Gpu::simulator(arch);
                        let (a, b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
                        let mut c = gpu.zeros::<$sum>(m * n).unwrap();
                        product(a.matrix(m, k).unwrap(), b.matrix(n, k).unwrap(), c.matrix_mut(m, n).unwrap())
                            .grid(grid)
                            .run()
                            .expect("runs");
                        let bits = |sums: &[$sum]| -> Vec<u64> { sums.iter().map(|sum| sum.value().to_bits()).collect() };
                        assert_eq!(bits(&c.to_vec().unwrap()), bits(&on_cpu), "{m} × {n} × {k} on {arch:?}");
                    }
                }
            }
        }
    )*};
}
everywhere! {
    halves_everywhere f16 f32 [
        sm_75 Sm75 "mma.sync.aligned.m16n8k8.row.col.f32.f16" sm_80 Sm80 "m16n8k16.row.col.f32.f16" sm_86 Sm86 "m16n8k16.row.col.f32.f16"
        sm_89 Sm89 "m16n8k16.row.col.f32.f16" sm_90 Sm90 "m16n8k16.row.col.f32.f16" sm_100 Sm100 "m16n8k16.row.col.f32.f16"
        sm_120 Sm120 "m16n8k16.row.col.f32.f16"
    ];
    bytes_everywhere i8 i32 [
        sm_75 Sm75 "mma.sync.aligned.m8n8k16.row.col.s32.s8" sm_80 Sm80 "m16n8k32.row.col.s32.s8" sm_86 Sm86 "m16n8k32.row.col.s32.s8"
        sm_89 Sm89 "m16n8k32.row.col.s32.s8" sm_90 Sm90 "m16n8k32.row.col.s32.s8" sm_100 Sm100 "m16n8k32.row.col.s32.s8"
        sm_120 Sm120 "m16n8k32.row.col.s32.s8"
    ];
    brains_everywhere bf16 f32 [
        sm_80 Sm80 "m16n8k16.row.col.f32.bf16" sm_86 Sm86 "m16n8k16.row.col.f32.bf16" sm_89 Sm89 "m16n8k16.row.col.f32.bf16"
        sm_90 Sm90 "m16n8k16.row.col.f32.bf16" sm_100 Sm100 "m16n8k16.row.col.f32.bf16" sm_120 Sm120 "m16n8k16.row.col.f32.bf16"
    ];
    singles_everywhere f32 f32 [
        sm_80 Sm80 "m16n8k8.row.col.f32.tf32" sm_86 Sm86 "m16n8k8.row.col.f32.tf32" sm_89 Sm89 "m16n8k8.row.col.f32.tf32"
        sm_90 Sm90 "m16n8k8.row.col.f32.tf32" sm_100 Sm100 "m16n8k8.row.col.f32.tf32" sm_120 Sm120 "m16n8k8.row.col.f32.tf32"
    ];
    narrow_everywhere E4M3 f32 [
        sm_80 Sm80 "m16n8k16.row.col.f32.f16" sm_86 Sm86 "m16n8k16.row.col.f32.f16" sm_89 Sm89 "m16n8k32.row.col.f32.e4m3"
        sm_90 Sm90 "m16n8k32.row.col.f32.e4m3" sm_100 Sm100 "m16n8k32.row.col.f32.e4m3" sm_120 Sm120 "m16n8k32.row.col.f32.e4m3"
    ];
}

/// Of either type of bytes.
#[kernel(block(128), arch(sm_75, sm_80), instances(T = [i8, u8]))]
fn of_bytes<T: MatrixElement>(a: Matrix<'_, T>, b: Matrix<'_, T>, mut c: MatrixMut<'_, i32>) {
    let mut stages = shared::<Stages<(SharedTile<T, 64, 64>, SharedTile<T, 64, 64>), 2>>();
    let (row, column) = (64 * block_idx().y, 64 * block_idx().x);
    let (y, x) = (32 * (warp::warp_id() / 2), 32 * (warp::warp_id() % 2));
    let mut sum = warp::Acc::<i32, 32, 32>::zero();
    stages.multiply_transposed(a.columns().div_ceil(64), [y, x], &mut sum, |(left, right), step| {
        (left.load(&a, [row, 64 * step]), right.load(&b, [column, 64 * step]))
    });
    sum.map(|x| x - 1).store(&mut c, [row + y, column + x]);
}

#[test]
fn the_largest_bytes() {
    for gpu in [Some(Gpu::simulator(Arch::Sm80)), Some(Gpu::simulator(Arch::Sm75)), cuda_or_skip()]
        .into_iter()
        .flatten()
    {
        let (a, b) = (gpu.upload(&[255u8; 8 * 100]).unwrap(), gpu.upload(&[255u8; 4 * 100]).unwrap());
        let mut c = gpu.zeros::<i32>(8 * 4).unwrap();
        let product =
            of_bytes::<u8>(a.matrix(8, 100).unwrap(), b.matrix(4, 100).unwrap(), c.matrix_mut(8, 4).unwrap());
        product.grid((1, 1)).run().expect("runs");
        assert_eq!(c.to_vec().unwrap(), [100 * 255 * 255 - 1; 8 * 4]);
        let (a, b) = (gpu.upload(&[-128i8; 3 * 80]).unwrap(), gpu.upload(&[-128i8; 5 * 80]).unwrap());
        let mut c = gpu.zeros::<i32>(3 * 5).unwrap();
        let product =
            of_bytes::<i8>(a.matrix(3, 80).unwrap(), b.matrix(5, 80).unwrap(), c.matrix_mut(3, 5).unwrap());
        product.grid((1, 1)).run().expect("runs");
        assert_eq!(c.to_vec().unwrap(), [80 * 128 * 128 - 1; 15]);
    }
}
