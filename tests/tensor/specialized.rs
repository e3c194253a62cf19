//! Stages that four warps fill while the others read them, and sums of tiles of shared memory: the simulators of sm_80 and `sm_90a`, the CPU
//! reference, and a GPU where there is one.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Error, Gpu};
use tests::cuda_or_skip;
use tests::toolchain::{Ptxas, require_or_skip};

use super::Random;
use super::elements::Sample;

/// Room for two stages of two tiles, and for one more tile.
const SHARED: usize = (2 * 2 + 1) * 64 * 128 * size_of::<f16>();

/// Products of two tiles of each stage by a group of four warps, of the right matrix as it is or transposed.
macro_rules! products {
    ($($kernel:ident $method:ident $element:ident $sum:ident [$right:ty] $turned:literal $columns:literal;)*) => {$(
        #[kernel(block(256), arch(sm_80, sm_90a))]
        fn $kernel(a: Matrix<'_, $element>, b: Matrix<'_, $element>, mut c: MatrixMut<'_, $sum>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<$element, 64, 128>, $right), 2>>();
            let (row, column) = (64 * block_idx().y, $columns * block_idx().x);
            stages[0].run_specialized(
                a.columns().div_ceil(128),
                |(left, right), step| {
                    (left.load(&a, [row, 128 * step]), right.load(&b, if $turned { [column, 128 * step] } else { [128 * step, column] }))
                },
                warp::Acc::<$sum, 16, $columns>::zero(),
                |sum, (left, right), _| sum.$method(left, right),
                |sum| sum.store(&mut c, [row + 16 * warp::warp_id(), column]),
            );
        }
    )*};
}
products! {
    halves mma_tiles f16 f32 [SharedTile<f16, 128, 64>] false 64;
    brains_turned mma_tiles_transposed bf16 f32 [SharedTile<bf16, 32, 128>] true 32;
    bytes mma_tiles i8 i32 [SharedTile<i8, 128, 64>] false 64;
    bytes_turned mma_tiles_transposed i8 i32 [SharedTile<i8, 64, 128>] true 64;
    words_turned mma_tiles_transposed f32 f32 [SharedTile<f32, 16, 128>] true 16;
}

/// Runs a kernel everywhere, of whole numbers, whose sums are the same in any order.
macro_rules! compare {
    ($kernel:ident $element:ident $sum:ident $turned:literal $columns:literal) => {{
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        for [m, n, k] in [[130usize, 144, 320], [65, 70, 75], [1, 1, 1]] {
            let mut numbers = |len: usize| -> Vec<$element> {
                (0..len).map(|_| Sample::sample(random.number(true), false)).collect()
            };
            let (a, b) = (numbers(m * k), numbers(k * n));
            let shape = if $turned { [n, k] } else { [k, n] };
            let at = |i: usize, j: usize| if $turned { b[j * k + i] } else { b[i * n + j] };
            let expected: Vec<$sum> = (0..m * n)
                .map(|place| {
                    let (i, j) = (place / n, place % n);
                    <$sum>::of((0..k).map(|l| a[i * k + l].value() * at(l, j).value()).sum())
                })
                .collect();
            let what = format!("{} of {m} × {n} × {k}", stringify!($kernel));
            let grid = (n.div_ceil($columns) as u32, m.div_ceil(64) as u32);
            let mut on_cpu = vec![<$sum>::default(); m * n];
            $kernel::cpu(
                Matrix::new(&a, [m, k]),
                Matrix::new(&b, shape),
                MatrixMut::new(&mut on_cpu, [m, n]),
            )
            .grid(grid)
            .shared(SHARED)
            .run()
            .expect("runs");
            assert_eq!(on_cpu, expected, "{what} on the CPU");
            for gpu in everywhere() {
                let (of_a, of_b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
                let mut c = gpu.zeros::<$sum>(m * n).unwrap();
                let (of_a, of_b) = (of_a.matrix(m, k).unwrap(), of_b.matrix(shape[0], shape[1]).unwrap());
                let launch = $kernel(of_a, of_b, c.matrix_mut(m, n).unwrap()).grid(grid).shared(SHARED);
                launch.run().unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(c.to_vec().unwrap(), expected, "{what} on {}", gpu.describe());
            }
        }
    }};
}

fn everywhere() -> impl Iterator<Item = Gpu> {
    [Some(Gpu::simulator(Arch::Sm80)), Some(Gpu::simulator(Arch::Sm90a)), cuda_or_skip()]
        .into_iter()
        .flatten()
}

#[test]
fn products_of_tiles() {
    compare!(halves f16 f32 false 64);
    compare!(brains_turned bf16 f32 true 32);
    compare!(bytes i8 i32 false 64);
    compare!(bytes_turned i8 i32 true 64);
    compare!(words_turned f32 f32 true 16);
}

/// Two products, the second of the sums of the first, which stay in registers: Q Kᵀ V, and Q Kᵀ Wᵀ beside it.
#[kernel(block(384), arch(sm_80, sm_90a), instances(T = [f16, bf16]))]
fn chained<T: MatrixElement + OfSum>(
    q: Matrix<'_, T>,
    k: Matrix<'_, T>,
    v: Matrix<'_, T>,
    mut by_rows: MatrixMut<'_, f32>,
    mut by_columns: MatrixMut<'_, f32>,
) {
    let mut memory =
        shared_dyn::<(Stages<(SharedTile<T, 64, 64>, SharedTile<T, 64, 64>), 3>, SharedTile<T, 128, 64>)>();
    let (stages, queries) = &mut memory[0];
    queries.load(&q, [0, 0]);
    barrier();
    let row = 16 * warp::warp_id();
    stages.run_specialized(
        k.rows().div_ceil(64),
        |(key, value), step| (key.load(&k, [64 * step, 0]), value.load(&v, [64 * step, 0])),
        (warp::Acc::<f32, 16, 64>::zero(), warp::Acc::<f32, 16, 64>::zero()),
        |(rows, columns), (key, value), _| {
            let scores = warp::Acc::<f32, 16, 64>::of_tiles_transposed(queries, key).to_left::<T>();
            rows.mma_tile(&scores, value);
            columns.mma_tile_transposed(&scores, value);
        },
        |(rows, columns)| {
            rows.store(&mut by_rows, [row, 0]);
            columns.store(&mut by_columns, [row, 0]);
        },
    );
}

#[test]
fn sums_become_left_matrices() {
    let (rows, keys, depth) = (128usize, 192usize, 64usize);
    let number = |seed: usize, at: usize| f16::from_f32(((at * seed + at / 7) % 3) as f32 - 1.0);
    let [q, k, v] = [(rows, 5), (keys, 11), (keys, 17)]
        .map(|(rows, seed)| (0..rows * depth).map(|at| number(seed, at)).collect::<Vec<f16>>());
    let of = |matrix: &[f16], i: usize, j: usize| matrix[i * depth + j].to_f32();
    let score = |i: usize, key: usize| (0..depth).map(|l| of(&q, i, l) * of(&k, key, l)).sum::<f32>();
    let (mut by_rows, mut by_columns) = (vec![0.0f32; rows * depth], vec![0.0f32; rows * depth]);
    for i in 0..rows {
        for key in 0..keys {
            let score = score(i, key);
            for j in 0..depth {
                by_rows[i * depth + j] += score * of(&v, key, j);
            }
        }
        // Each step's keys are the columns of a transposed tile of the values.
        for step in 0..keys / 64 {
            for j in 0..64 {
                by_columns[i * depth + j] +=
                    (0..64).map(|key| score(i, 64 * step + key) * of(&v, 64 * step + j, key)).sum::<f32>();
            }
        }
    }
    for gpu in everywhere() {
        let [q, k, v] = [&q, &k, &v].map(|matrix| gpu.upload(matrix).unwrap());
        let mut outputs = [gpu.zeros::<f32>(rows * depth).unwrap(), gpu.zeros::<f32>(rows * depth).unwrap()];
        let [first, second] = &mut outputs;
        let matrix = |of, rows| DeviceBuffer::<f16>::matrix(of, rows, depth).unwrap();
        chained::<f16>(
            matrix(&q, rows),
            matrix(&k, keys),
            matrix(&v, keys),
            first.matrix_mut(rows, depth).unwrap(),
            second.matrix_mut(rows, depth).unwrap(),
        )
        .grid(1)
        .shared((3 * 2 * 64 + 128) * 64 * size_of::<f16>())
        .run()
        .expect("runs");
        assert_eq!(outputs[0].to_vec().unwrap(), by_rows, "{}", gpu.describe());
        assert_eq!(outputs[1].to_vec().unwrap(), by_columns, "{}", gpu.describe());
    }
}

/// Every row minus its largest number, plus its sum, times two; and beside it the largest in all columns, plus the row in the first.
#[kernel(block(128), arch(sm_80, sm_90a))]
fn by_rows(
    a: Matrix<'_, f16>,
    one: Matrix<'_, f16>,
    mut changed: MatrixMut<'_, f32>,
    mut largest: MatrixMut<'_, f32>,
) {
    let mut left = shared::<SharedTile<f16, 64, 64>>();
    let mut right = shared::<SharedTile<f16, 64, 64>>();
    left.load(&a, [0, 0]);
    right.load(&one, [0, 0]);
    barrier();
    let row = 16 * warp::warp_id();
    let sum = warp::Acc::<f32, 16, 64>::of_tiles(&left, &right);
    // Sums changed by the numbers of their rows and back.
    let rows = warp::Rows::<f32, 16>::from_fn(|y| (row + y) as f32);
    let sum = sum
        .zip(sum.map_rows(rows, |x, y| x + y), |a, b| b - a)
        .zip(sum, |y, x| x + y)
        .map_rows(rows, |x, y| x - y);
    let top = sum.row_max();
    let plus = sum.row_sum().zip(top, |sum, top| sum - top).map(|x| 2.0 * x);
    sum.map_rows(plus, |x, plus| 2.0 * x + plus).store(&mut changed, [row, 0]);
    let none = warp::Rows::<f32, 16>::splat(0.0);
    sum.map_rows(none, |x, none| x * none).map_rows(top, |x, top| x + top).store(&mut largest, [row, 0]);
    top.for_each(|y, top| largest[[row + y, 0]] = top + (row + y) as f32);
}

#[test]
fn numbers_of_rows() {
    let a: Vec<f32> = (0..64 * 64).map(|at| ((at * 37 + at / 64 * 5) % 101) as f32 - 50.0).collect();
    let halves: Vec<f16> = a.iter().map(|&x| f16::from_f32(x)).collect();
    let one: Vec<f16> =
        (0..64 * 64).map(|at| if at / 64 == at % 64 { f16::ONE } else { f16::ZERO }).collect();
    let top = |row: usize| a[64 * row..64 * (row + 1)].iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum = |row: usize| a[64 * row..64 * (row + 1)].iter().sum::<f32>();
    let changed: Vec<f32> = (0..64 * 64).map(|at| 2.0 * (a[at] - top(at / 64) + sum(at / 64))).collect();
    let first = |at: usize| if at.is_multiple_of(64) { (at / 64) as f32 } else { 0.0 };
    let largest: Vec<f32> = (0..64 * 64).map(|at| top(at / 64) + first(at)).collect();
    let mut on_cpu = [vec![0.0f32; 64 * 64], vec![0.0f32; 64 * 64]];
    let [first, second] = &mut on_cpu;
    by_rows::cpu(
        Matrix::new(&halves, [64, 64]),
        Matrix::new(&one, [64, 64]),
        MatrixMut::new(first, [64, 64]),
        MatrixMut::new(second, [64, 64]),
    )
    .grid(1)
    .run()
    .expect("runs");
    assert_eq!(on_cpu, [changed.clone(), largest.clone()]);
    for gpu in everywhere() {
        let (of_a, of_one) = (gpu.upload(&halves).unwrap(), gpu.upload(&one).unwrap());
        let mut outputs = [gpu.zeros::<f32>(64 * 64).unwrap(), gpu.zeros::<f32>(64 * 64).unwrap()];
        let [first, second] = &mut outputs;
        by_rows(
            of_a.matrix(64, 64).unwrap(),
            of_one.matrix(64, 64).unwrap(),
            first.matrix_mut(64, 64).unwrap(),
            second.matrix_mut(64, 64).unwrap(),
        )
        .grid(1)
        .run()
        .expect("runs");
        assert_eq!(outputs[0].to_vec().unwrap(), changed, "{}", gpu.describe());
        assert_eq!(outputs[1].to_vec().unwrap(), largest, "{}", gpu.describe());
    }
}

#[test]
fn groups_of_warps_multiply_on_hopper() {
    // Behind the sums.
    let of_registers = "}, {%r";
    let kernels = [
        ("halves", &halves::KERNEL, "m64n64k16.f32.f16.f16", false),
        ("brains_turned", &brains_turned::KERNEL, "m64n32k16.f32.bf16.bf16", false),
        ("bytes_turned", &bytes_turned::KERNEL, "m64n64k32.s32.s8.s8", false),
        ("chained", chained::kernel::<bf16>(), "m64n64k16.f32.bf16.bf16", true),
        ("by_rows", &by_rows::KERNEL, "m64n64k16.f32.f16.f16", false),
    ];
    for (name, kernel, shape, has_registers) in kernels {
        let [old, new] = kernel.variants() else { panic!("{name} has two variants") };
        assert!(!old.ptx.contains("wgmma"), "{name}");
        assert!(!new.ptx.contains("mma.sync."), "{name}");
        let mut products =
            new.ptx.lines().filter(|line| line.contains(&format!("wgmma.mma_async.sync.aligned.{shape}")));
        assert_eq!(products.any(|line| line.contains(of_registers)), has_registers, "{name}");
        // Blocks of three or four groups share their registers anew.
        assert_eq!(new.ptx.contains("setmaxnreg.inc.sync.aligned.u32 232;"), name == "chained", "{name}");
        let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
        let report = ptxas.assemble(new.ptx, Arch::Sm90a).unwrap_or_else(|log| panic!("{name}: {log}"));
        for entry in &report.entries {
            assert!(entry.losses.is_empty() && entry.spill_loads == 0, "{name}: {entry:?}");
        }
    }
    // `wgmma` takes no bytes whose columns lie one below the other.
    assert!(!bytes::KERNEL.variants()[1].ptx.contains("wgmma"));
}

/// As `halves`, with a bias for each row and step, of which there are too few.
#[kernel(block(256), arch(sm_90a))]
fn biased(a: Matrix<'_, f16>, bias: &[f32], mut c: MatrixMut<'_, f32>) {
    let mut stages = shared_dyn::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 64>), 2>>();
    let row = 16 * warp::warp_id();
    stages[0].run_specialized(
        a.columns().div_ceil(64),
        |(left, right), step| (left.load(&a, [0, 64 * step]), right.load(&a, [0, 64 * step])),
        warp::Acc::<f32, 16, 64>::zero(),
        |sum, (left, right), step| {
            *sum = sum.map_at(|y, _, x| x + bias[64 * step + row + y]);
            sum.mma_tiles(left, right);
        },
        |sum| sum.store(&mut c, [row, 0]),
    );
}

/// As `halves` by two groups of warps that share the registers of the block, of which one thread ends with a panic.
#[kernel(block(384), arch(sm_90a))]
fn biased_at_the_end(a: Matrix<'_, f16>, bias: &[f32], mut c: MatrixMut<'_, f32>) {
    let mut stages = shared_dyn::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 64>), 2>>();
    let row = 16 * warp::warp_id();
    stages[0].run_specialized(
        a.columns().div_ceil(64),
        |(left, right), step| (left.load(&a, [0, 64 * step]), right.load(&a, [0, 64 * step])),
        warp::Acc::<f32, 16, 64>::zero(),
        |sum, (left, right), _| {
            let right: &SharedTile<f16, 64, 64> = right;
            sum.mma_tile(&warp::Left::<f16, 16, 64>::load(left, [row % 64, 0]), right);
        },
        |sum| sum.map_at(|y, _, x| x + bias[row + y]).store(&mut c, [row, 0]),
    );
}

/// A product by four warps, of which some lanes have panicked.
#[kernel(block(128), arch(sm_90a))]
fn scaled(a: Matrix<'_, f16>, scales: &[f32], mut c: MatrixMut<'_, f32>) {
    let mut left = shared::<SharedTile<f16, 64, 64>>();
    let mut right = shared::<SharedTile<f16, 64, 64>>();
    left.load(&a, [0, 0]);
    right.load(&a, [0, 64]);
    barrier();
    let scale = scales[thread_idx().x];
    let sum = warp::Acc::<f32, 16, 64>::of_tiles(&left, &right);
    sum.map(|x| scale * x).store(&mut c, [16 * warp::warp_id(), 0]);
}

/// The warps that go on when others panic give up, and the device goes on after it.
#[test]
fn panics_end_the_others() {
    for gpu in [Some(Gpu::simulator(Arch::Sm90a)), cuda_or_skip()].into_iter().flatten() {
        let a = gpu.upload(&vec![f16::ONE; 64 * 1024]).unwrap();
        let mut c = gpu.zeros::<f32>(128 * 64).unwrap();
        let mut run = |which: usize, numbers: usize| {
            let numbers = &gpu.upload(&vec![1.0f32; numbers]).unwrap();
            let a = a.matrix(64, 1024).unwrap();
            let c = c.matrix_mut(128, 64).unwrap();
            let shared = 4 * 64 * 64 * size_of::<f16>();
            match which {
                0 => biased(a, numbers, c).grid(1).shared(shared).run(),
                1 => biased_at_the_end(a, numbers, c).grid(1).shared(shared).run(),
                _ => scaled(a, numbers, c).grid(1).run(),
            }
        };
        for (which, few, enough) in [(0, 350, 1024), (1, 102, 128), (2, 77, 128)] {
            let error = run(which, few).expect_err("there are too few numbers");
            let Error::KernelPanicked { message, .. } = &error else { panic!("{which}: {error}") };
            assert!(message.contains(&format!("index out of bounds: the len is {few}")), "{message}");
            run(which, enough).unwrap_or_else(|error| panic!("{which}: {error}"));
        }
    }
}

/// Every second of the threads that fill is given a matrix that no map describes.
#[kernel(block(256), arch(sm_90a))]
fn of_two_minds(a: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
    let mut stages = shared_dyn::<Stages<SharedTile<f16, 64, 64>, 2>>();
    stages[0].run_specialized(
        8,
        |tile, _| match thread_idx().x % 2 {
            0 => tile.load(&a, [0, 0]),
            _ => tile.load(&a.first_rows(64), [0, 0]),
        },
        warp::Acc::<f32, 16, 64>::zero(),
        |sum, tile, _| sum.mma_tiles(tile, tile),
        |sum| sum.store(&mut c, [16 * warp::warp_id(), 0]),
    );
}

/// However threads differ in what they fill a stage from, its barrier counts right.
#[test]
fn threads_that_fill_from_different_matrices() {
    for gpu in [Some(Gpu::simulator(Arch::Sm90a)), cuda_or_skip()].into_iter().flatten() {
        let a = gpu.upload(&vec![f16::ONE; 64 * 64]).unwrap();
        let mut c = gpu.zeros::<f32>(64 * 64).unwrap();
        let shared = 2 * 64 * 64 * size_of::<f16>();
        let launch = of_two_minds(a.matrix(64, 64).unwrap(), c.matrix_mut(64, 64).unwrap());
        // Both write the tile, the same elements: a race, but of the block's own memory.
        launch.grid(1).shared(shared).sanitize(false).run().unwrap();
        assert_eq!(c.to_vec().unwrap(), [512.0; 64 * 64]);
    }
}

/// Tiles that begin anywhere in a row.
#[kernel(block(256), arch(sm_80, sm_90a))]
fn windows(x: Matrix<'_, f16>, step_columns: usize, mut y: MatrixMut<'_, f32>) {
    let mut stages = shared::<Stages<SharedTile<f16, 64, 64>, 2>>();
    let columns = y.columns();
    stages.run_specialized(
        columns,
        |tile, step| tile.load(&x, [1, step_columns * step]),
        (),
        |_, tile, step| {
            let row = thread_idx().x;
            if row < 64 {
                let mut sum = 0.0;
                for column in 0..64 {
                    sum += tile.at(row, column).to_f32();
                }
                y[[row, step]] = sum;
            }
        },
        |_| {},
    );
}

/// Boxes of TMA begin at multiples of 16 bytes: the H200 stops with an illegal instruction otherwise.
#[test]
fn tiles_from_any_column() {
    let (rows, columns) = (65, 152);
    let at = |row: usize, column: usize| {
        if row < rows && column < columns { ((row * 7 + column) % 16) as f32 } else { 0.0 }
    };
    let x: Vec<f16> = (0..rows * columns).map(|i| f16::from_f32(at(i / columns, i % columns))).collect();
    let gpus = [Arch::Sm80, Arch::Sm90a].map(Gpu::simulator).into_iter().chain(cuda_or_skip());
    for gpu in gpus {
        let x = gpu.upload(&x).unwrap();
        for step_columns in [1, 4, 8, 62, 64] {
            let mut y = gpu.zeros::<f32>(64 * 3).unwrap();
            let matrices = (x.matrix(rows, columns).unwrap(), y.matrix_mut(64, 3).unwrap());
            windows(matrices.0, step_columns, matrices.1).grid(1).run().unwrap();
            let sum = |row: usize, step: usize| {
                (0..64).map(|column| at(row + 1, step_columns * step + column)).sum()
            };
            let expected: Vec<f32> = (0..64 * 3).map(|i| sum(i / 3, i % 3)).collect();
            assert_eq!(y.to_vec().unwrap(), expected, "{step_columns} columns a step on {gpu}");
        }
    }
}
