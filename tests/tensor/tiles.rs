//! Products of matrices by tiles in shared memory and fragments: the CPU reference and the simulator against plain Rust, and a GPU where
//! there is one (`REQUIRE_GPU=1` makes its absence a failure).

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Gpu};
use tests::cuda_or_skip;

use super::{Random, bits};

/// Kernels that multiply matrices of one type, `M` × `N` sums per warp, of which two rows and two columns are in a block.
macro_rules! products {
    ($($kernel:ident $element:ident $of:ident $m:literal $n:literal $k:literal;)*) => {$(
        #[kernel(block(128), arch(sm_80))]
        fn $kernel(rows: usize, columns: usize, inner: usize, a: &[$element], b: &[$element], c: &mut [$of]) {
            let a = Matrix::new(a, [rows, inner]);
            let b = Matrix::new(b, [inner, columns]);
            let mut c = MatrixMut::new(c, [rows, columns]);
            let mut left = shared::<SharedTile<$element, { 2 * $m }, $k>>();
            let mut right = shared::<SharedTile<$element, $k, { 2 * $n }>>();
            let (row, column) = (2 * $m * block_idx().y, 2 * $n * block_idx().x);
            let (y, x) = ($m * (warp::warp_id() / 2), $n * (warp::warp_id() % 2));
            let mut sum = warp::Acc::<f32, $m, $n>::zero();
            for step in 0..a.columns().div_ceil($k) {
                left.load(&a, [row, $k * step]);
                right.load(&b, [$k * step, column]);
                barrier();
                let of_left = warp::Left::<$element, $m, $k>::load(&left, [y, 0]);
                let of_right = warp::Right::<$element, $k, $n>::load(&right, [0, x]);
                sum.mma(&of_left, &of_right);
                barrier();
            }
            sum.store(&mut c, [row + y, column + x]);
        }
    )*};
}
products! {
    f16_wide f16 f32 32 32 32;
    f16_narrow f16 f16 16 8 16;
    f16_odd f16 f32 48 24 48;
    bf16_long bf16 bf16 16 16 64;
}

/// Multiplies `m` × `k` by `k` × `n` elements everywhere. Integers have the same sums in any order, so that a GPU's are those too.
macro_rules! compare {
    ($kernel:ident $element:ident $of:ident $tile_m:literal $tile_n:literal, $size:expr, $integers:expr) => {{
        let ([m, n, k], integers): ([usize; 3], bool) = ($size, $integers);
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let a: Vec<$element> = (0..m * k).map(|_| $element::from_f64(random.number(integers))).collect();
        let b: Vec<$element> = (0..k * n).map(|_| $element::from_f64(random.number(integers))).collect();
        let grid = (n.div_ceil(2 * $tile_n) as u32, m.div_ceil(2 * $tile_m) as u32);
        let to_f32 =
            |values: Vec<$of>| -> Vec<f32> { values.into_iter().map(|x| x.to_f64() as f32).collect() };
        let run = |gpu: &Gpu| {
            let (of_a, of_b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
            let mut c = gpu.zeros::<$of>(m * n).unwrap();
            $kernel(m, n, k, &of_a, &of_b, &mut c).grid(grid).run().expect("runs");
            to_f32(c.to_vec().unwrap())
        };
        let what = format!("{} of {m} × {n} × {k}, integers: {integers}", stringify!($kernel));
        let mut on_cpu = vec![<$of>::default(); m * n];
        $kernel::cpu(m, n, k, &a, &b, &mut on_cpu).grid(grid).block(128).run().expect("runs on the CPU");
        let on_cpu = to_f32(on_cpu);
        let simulated = run(&Gpu::simulator(Arch::Sm80));
        assert_eq!(bits(&on_cpu), bits(&simulated), "{what}");
        if integers && let Some(gpu) = cuda_or_skip() {
            assert_eq!(bits(&on_cpu), bits(&run(&gpu)), "{what}, on the GPU");
        }
        // The bound of a rounding of each partial sum to `f32`, and of the result to its type.
        for (place, &found) in simulated.iter().enumerate() {
            let (row, column) = (place / n, place % n);
            let terms = (0..k).map(|i| a[row * k + i].to_f64() * b[i * n + column].to_f64());
            let (sum, magnitude) = terms.fold((0.0, 0.0), |(sum, all), term| (sum + term, all + term.abs()));
            let bound = (k + 1) as f64 * f64::from(f32::EPSILON) * magnitude
                + sum.abs() * <$of>::EPSILON.to_f64() / 2.0;
            assert!((f64::from(found) - sum).abs() <= bound, "{what}, element {place}: {found}, {sum}");
        }
    }};
}

/// `to_f64` of every element.
trait ToF64 {
    fn to_f64(self) -> f64;
}

impl ToF64 for f32 {
    fn to_f64(self) -> f64 {
        self.into()
    }
}

#[test]
fn products_of_any_size() {
    for size in [[1, 1, 1], [2, 9, 17], [33, 5, 40], [64, 64, 64], [65, 72, 33], [100, 130, 72]] {
        for integers in [true, false] {
            compare!(f16_wide f16 f32 32 32, size, integers);
            compare!(f16_narrow f16 f16 16 8, size, integers);
            compare!(f16_odd f16 f32 48 24, size, integers);
            compare!(bf16_long bf16 bf16 16 16, size, integers);
        }
    }
}

/// Every size from 1 to 40 along each axis, beside others along the other two.
#[test]
fn products_of_every_small_size() {
    for size in 1..=40 {
        for [other, third] in [[1, 16], [40, 7], [41 - size, 33]] {
            compare!(f16_narrow f16 f16 16 8, [size, other, third], true);
            compare!(f16_narrow f16 f16 16 8, [third, size, other], true);
            compare!(f16_narrow f16 f16 16 8, [other, third, size], true);
        }
    }
}

/// Places in the fragment, and a matrix whose rows are apart.
#[kernel(block(32), arch(sm_80))]
fn places(rows: usize, columns: usize, stride: usize, c: &mut [f32]) {
    let mut c = MatrixMut::with_stride(c, [rows, columns], stride);
    let sum = warp::Acc::<f32, 32, 24>::zero().map_at(|row, column, x| x + (100 * row + column) as f32);
    sum.map(|x| x + 1.0).store(&mut c, [1, 2]);
}

#[test]
fn places_of_sums() {
    for [rows, columns, stride] in [[40, 30, 30], [20, 13, 17], [1, 2, 5], [2, 3, 3]] {
        let len = (rows - 1) * stride + columns;
        let expected: Vec<f32> = (0..len)
            .map(|place| (place / stride, place % stride))
            .map(|(row, column)| match (1..33).contains(&row) && (2..26.min(columns)).contains(&column) {
                true => (100 * (row - 1) + column - 2 + 1) as f32,
                false => -1.0,
            })
            .collect();
        let mut on_cpu = vec![-1.0; len];
        places::cpu(rows, columns, stride, &mut on_cpu).grid(1).block(32).run().expect("runs on the CPU");
        assert_eq!(on_cpu, expected, "{rows} × {columns} every {stride} on the CPU");
        for gpu in [Some(Gpu::simulator(Arch::Sm80)), cuda_or_skip()].into_iter().flatten() {
            let mut c = gpu.upload(&vec![-1.0; len]).unwrap();
            places(rows, columns, stride, &mut c).grid(1).run().expect("runs");
            assert_eq!(c.to_vec().unwrap(), expected, "{rows} × {columns} every {stride}");
        }
    }
}

/// A part that begins at a place of the launch's.
#[kernel(block(32), arch(sm_80))]
fn part_at(row: usize, column: usize, x: &[f16], c: &mut [f32]) {
    let x = Matrix::new(x, [16, 16]);
    let mut c = MatrixMut::new(c, [16, 8]);
    let mut tile = shared::<SharedTile<f16, 16, 32>>();
    tile.load(&x, [0, 0]);
    warp::sync();
    let mut sum = warp::Acc::<f32, 16, 8>::zero();
    sum.mma(
        &warp::Left::<f16, 16, 16>::load(&tile, [row, column]),
        &warp::Right::<f16, 16, 8>::load(&tile, [0, 0]),
    );
    sum.store(&mut c, [0, 0]);
}

/// Ones at a place of the launch's: 16 × 32 of them, which are stored by chunks of 16 bytes or by pairs where all are inside.
#[kernel(block(32), arch(sm_80), instances(T = [f16, f32]))]
fn ones_at<T: OfSum>(at: [usize; 2], mut c: MatrixMut<'_, T>) {
    warp::Acc::<f32, 16, 32>::zero().map(|x| x + 1.0).store(&mut c, at);
}

/// A place whose sum with the size is beyond the largest number: what is inside is stored, and nothing else.
#[test]
fn places_that_wrap() {
    let (rows, columns) = (24, 40);
    let inside = |at: [usize; 2], place: usize| {
        let [row, column] = [place / columns, place % columns];
        row.wrapping_sub(at[0]) < 16 && column.wrapping_sub(at[1]) < 32
    };
    for at in [
        [0, 0],
        [8, 8],
        [9, 0],
        [usize::MAX - 7, 0],
        [0, usize::MAX - 7],
        [usize::MAX - 15, 8],
        [1 << 40, 1 << 63],
    ] {
        let expected: Vec<f32> =
            (0..rows * columns).map(|place| if inside(at, place) { 1.0 } else { 0.0 }).collect();
        let mut on_cpu = vec![0.0; rows * columns];
        ones_at::cpu::<f32>(at, MatrixMut::new(&mut on_cpu, [rows, columns]))
            .grid(1)
            .run()
            .expect("runs on the CPU");
        assert_eq!(on_cpu, expected, "at {at:?} on the CPU");
        for gpu in [Some(Gpu::simulator(Arch::Sm80)), cuda_or_skip()].into_iter().flatten() {
            let mut c = gpu.zeros::<f32>(rows * columns).unwrap();
            ones_at::<f32>(at, c.matrix_mut(rows, columns).unwrap()).grid(1).run().expect("runs");
            assert_eq!(c.to_vec().unwrap(), expected, "at {at:?}");
            let mut c = gpu.zeros::<f16>(rows * columns).unwrap();
            ones_at::<f16>(at, c.matrix_mut(rows, columns).unwrap()).grid(1).run().expect("runs");
            assert_eq!(
                c.to_vec().unwrap().into_iter().map(f16::to_f32).collect::<Vec<_>>(),
                expected,
                "at {at:?}"
            );
        }
    }
}

/// Tiles of matrices in shared memory, in a thread's own and in a table, of which none is copied past registers.
#[kernel(block(32), arch(sm_80))]
fn elsewhere(which: usize, x: &[f16], mut c: MatrixMut<'_, f32>) {
    const TABLE: [f16; 256] = [f16::ONE; 256];
    let mut in_shared = shared::<[f16; 256]>();
    let mut own = [f16::ZERO; 256];
    for i in 0..256 {
        own[(i + which) % 256] = x[i];
        if i % 32 == thread_idx().x {
            in_shared[i] = x[i];
        }
    }
    barrier();
    let from = match which {
        0 => Matrix::new(&in_shared[..], [16, 16]),
        1 => Matrix::new(&own[..], [16, 16]),
        2 => Matrix::new(&TABLE[..], [16, 16]),
        _ => Matrix::new(x, [16, 16]),
    };
    let mut tile = shared::<SharedTile<f16, 16, 16>>();
    tile.load(&from, [0, 0]);
    barrier();
    let left = warp::Left::<f16, 16, 16>::load(&tile, [0, 0]);
    let right = warp::Right::<f16, 16, 16>::load(&tile, [0, 0]);
    let mut sum = warp::Acc::<f32, 16, 16>::zero();
    sum.mma(&left, &right);
    sum.store(&mut c, [0, 0]);
}

#[test]
fn matrices_outside_of_global_memory() {
    let x = [f16::ONE; 256];
    for which in 0..4 {
        let mut c = [0.0; 256];
        let of_c = MatrixMut::new(&mut c, [16, 16]);
        elsewhere::cpu(which, &x, of_c).grid(1).run().expect("runs on the CPU");
        assert_eq!(c, [16.0; 256], "{which}");
        for gpu in [Some(Gpu::simulator(Arch::Sm80)), cuda_or_skip()].into_iter().flatten() {
            let (of_x, mut c) = (gpu.upload(&x).unwrap(), gpu.zeros::<f32>(256).unwrap());
            let ran = elsewhere(which, &of_x, c.matrix_mut(16, 16).unwrap()).grid(1).run();
            ran.unwrap_or_else(|error| panic!("{which} on {gpu}: {error}"));
            assert_eq!(c.to_vec().unwrap(), [16.0; 256], "{which} on {gpu}");
        }
    }
}

#[test]
fn mistakes_are_panics() {
    let x = vec![f16::ONE; 256];
    for (row, column, len, message) in [
        (1, 0, 128, "at [1, 0]"),
        (0, 4, 128, "at [0, 4]"),
        (0, 24, 128, "at [0, 24]"),
        (usize::MAX, 0, 128, "expected 16 × 16 elements of a tile of 16 × 32"),
        (0, 0, 127, "expected a slice with every row of a matrix of 16 × 8 elements, found 127"),
    ] {
        let mut c = vec![0.0; len];
        let error =
            part_at::cpu(row, column, &x, &mut c).grid(1).block(32).run().expect_err("panics on the CPU");
        assert!(error.to_string().contains(message), "{error}");
        let gpu = Gpu::simulator(Arch::Sm80);
        let (of_x, mut c) = (gpu.upload(&x).unwrap(), gpu.zeros::<f32>(len).unwrap());
        let error = part_at(row, column, &of_x, &mut c).grid(1).run().expect_err("panics when simulated");
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn ptxas_takes_them() {
    let kernels =
        [("f16_wide", &f16_wide::KERNEL), ("f16_odd", &f16_odd::KERNEL), ("bf16_long", &bf16_long::KERNEL)];
    let texts: Vec<(&str, String)> =
        kernels.iter().map(|(name, kernel)| (*name, kernel.ptx().to_owned())).collect();
    for (name, text) in &texts {
        assert!(!text.contains(".local"), "{name} keeps fragments in memory");
    }
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let Some(reports) = tests::toolchain::assemble_all_everywhere(&texts) else { return };
    for report in &reports {
        assert_eq!(report.iter().map(|(arch, _)| *arch).min(), Some(Arch::Sm80));
    }
}

/// Elements of tiles one by one and in fours: the transposed matrix. Rows of 96 bytes are permuted otherwise than those of 128.
macro_rules! transpositions {
    ($($kernel:ident $element:ident $rows:literal $columns:literal;)*) => {$(
        #[kernel(block(64), arch(sm_80))]
        fn $kernel(x: Matrix<'_, $element>, mut y: MatrixMut<'_, $element>) {
            let mut tile = shared::<SharedTile<$element, $rows, $columns>>();
            let (row, column) = ($rows * block_idx().y, $columns * block_idx().x);
            tile.load(&x, [row, column]);
            barrier();
            for at in (thread_idx().x..$rows * $columns).step_by(64) {
                let (i, j) = (at / $columns, at % $columns);
                if row + i < x.rows() && column + j < x.columns() {
                    y[[column + j, row + i]] = tile.at(i, j);
                }
            }
        }
    )*};
}
transpositions! {
    turned_halves f16 10 24;
    turned_brains bf16 16 64;
    turned_singles f32 16 16;
    turned_doubles f64 5 16;
    turned_bytes i8 9 32;
    turned_floats E4M3 8 128;
}

/// Rows of a tile, in fours, from the last to the first.
#[kernel(block(64), arch(sm_80))]
fn reversed(x: Matrix<'_, f32>, y: &mut [f32]) {
    let mut tile = shared::<SharedTile<f32, 16, 64>>();
    tile.load(&x, [0, 0]);
    barrier();
    for row in (thread_idx().x / 16..16).step_by(4) {
        let at = thread_idx().x % 16;
        tile.vector_at(15 - row, 4 * at).store(y, 64 * row + 4 * at);
    }
}

#[test]
fn elements_of_tiles() {
    macro_rules! compare {
        ($kernel:ident $element:ident $rows:literal $columns:literal |$number:ident| $make:expr) => {{
            let [rows, columns] = [2 * $rows - 3, 3 * $columns - 5];
            let x: Vec<$element> = (0..rows * columns).map(|$number| $make).collect();
            let expected: Vec<$element> =
                (0..rows * columns).map(|at| x[at % rows * columns + at / rows]).collect();
            let mut on_cpu = vec![$element::default(); rows * columns];
            $kernel::cpu(Matrix::new(&x, [rows, columns]), MatrixMut::new(&mut on_cpu, [columns, rows]))
                .grid((3, 2))
                .run()
                .expect("runs on the CPU");
            assert_eq!(on_cpu, expected, "{} on the CPU", stringify!($kernel));
            for gpu in [Some(Gpu::simulator(Arch::Sm80)), cuda_or_skip()].into_iter().flatten() {
                let of_x = gpu.upload(&x).unwrap();
                let mut y = gpu.zeros::<$element>(rows * columns).unwrap();
                let (of_x, of_y) =
                    (of_x.matrix(rows, columns).unwrap(), y.matrix_mut(columns, rows).unwrap());
                $kernel(of_x, of_y).grid((3, 2)).run().expect("runs");
                assert_eq!(y.to_vec().unwrap(), expected, "{} on {}", stringify!($kernel), gpu.describe());
            }
        }};
    }
    compare!(turned_halves f16 10 24 |x| f16::from_f32(x as f32));
    compare!(turned_brains bf16 16 64 |x| bf16::from_f32((x % 256) as f32));
    compare!(turned_singles f32 16 16 |x| x as f32);
    compare!(turned_doubles f64 5 16 |x| x as f64);
    compare!(turned_bytes i8 9 32 |x| x as i8);
    compare!(turned_floats E4M3 8 128 |x| E4M3::from_f32((x % 16) as f32));

    let x: Vec<f32> = (0..16 * 64).map(|x| x as f32).collect();
    let expected: Vec<f32> = (0..16 * 64).map(|at| x[(15 - at / 64) * 64 + at % 64]).collect();
    let gpu = Gpu::simulator(Arch::Sm80);
    let (of_x, mut y) = (gpu.upload(&x).unwrap(), gpu.zeros::<f32>(16 * 64).unwrap());
    reversed(of_x.matrix(16, 64).unwrap(), &mut y).grid(1).run().expect("runs");
    assert_eq!(y.to_vec().unwrap(), expected);
}

#[kernel(block(32), arch(sm_80))]
fn element_at(x: Matrix<'_, f32>, at: usize, y: &mut [f32]) {
    let mut tile = shared::<SharedTile<f32, 16, 16>>();
    tile.load(&x, [0, 0]);
    barrier();
    y[thread_idx().x] = tile.at(at, at) + tile.vector_at(0, at).x;
}

#[test]
fn elements_beyond_a_tile_are_panics() {
    let gpu = Gpu::simulator(Arch::Sm80);
    let (x, mut y) = (gpu.upload(&[1.0f32; 256]).unwrap(), gpu.zeros::<f32>(32).unwrap());
    let mut said = |at: usize| {
        let refused = element_at(x.matrix(16, 16).unwrap(), at, &mut y).grid(1).run();
        refused.map_or_else(|error| error.to_string(), |_| "it ran".to_owned())
    };
    assert_eq!(said(12), "it ran");
    let beyond = said(16);
    assert!(beyond.contains("expected an element of a tile of 16 × 16, found [16, 16]"), "{beyond}");
    let askew = said(13);
    assert!(askew.contains("from a column that is a multiple of 4, found [0, 13]"), "{askew}");
}
