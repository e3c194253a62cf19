//! Matrix products of narrow elements without tensor cores, by two halves and by four bytes at once, and with them: of every element that they
//! multiply, and of a matrix of which they skip the zeros.

use kernel_runtime::prelude::*;
use kernel_runtime::{Launch, Sparse24};

use super::matmul_tensor::numbers;
use crate::{Example, Outcome};

/// C = A Bᵀ of square matrices of bytes, four in a word: 64 × 64 sums per block, 4 × 4 per thread. `n` is a multiple of 64.
///
/// Four blocks on an SM leave 64 registers to a thread: for a fifth, ptxas spills some.
#[kernel(block(16, 16), launch_bounds(256, 4))]
pub fn matmul_dp4a(n: usize, a: &[u32], b: &[u32], c: &mut [u32]) {
    let mut left = shared::<[[u32; 64]; 8]>();
    let mut right = shared::<[[u32; 64]; 8]>();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let (row, column) = (64 * block_idx().y, 64 * block_idx().x);
    let thread = 16 * y + x;
    let words = n / 4;
    let mut sum = [[0u32; 4]; 4];
    #[unroll(1)]
    for step in 0..words / 8 {
        #[unroll]
        for part in 0..2 {
            let (of, k) = ((thread + 256 * part) / 8, thread % 8);
            left[k][of] = a[(row + of) * words + 8 * step + k];
            right[k][of] = b[(column + of) * words + 8 * step + k];
        }
        barrier();
        #[unroll]
        for k in 0..8 {
            #[unroll]
            for i in 0..4 {
                #[unroll]
                for j in 0..4 {
                    sum[i][j] = dot4(left[k][y + 16 * i], right[k][x + 16 * j], sum[i][j]);
                }
            }
        }
        barrier();
    }
    #[unroll]
    for i in 0..4 {
        #[unroll]
        for j in 0..4 {
            c[(row + y + 16 * i) * n + column + x + 16 * j] = sum[i][j];
        }
    }
}

/// C = A B of square matrices of halves, two sums at once: 64 × 64 sums in `f16` per block, 4 × 2 pairs per thread. `n` is a multiple of 64.
#[kernel(block(16, 16), launch_bounds(256, 3))]
pub fn matmul_half2(n: usize, a: &[f16], b: &[F16x2], c: &mut [F16x2]) {
    let mut left = shared::<[[f16; 64]; 16]>();
    let mut right = shared::<[[F16x2; 32]; 16]>();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let (row, pair) = (64 * block_idx().y, 32 * block_idx().x);
    let thread = 16 * y + x;
    let pairs = n / 2;
    let mut sum = [[F16x2::splat(f16::ZERO); 2]; 4];
    #[unroll(1)]
    for step in 0..n / 16 {
        #[unroll]
        for part in 0..4 {
            let (of, k) = ((thread + 256 * part) / 16, thread % 16);
            left[k][of] = a[(row + of) * n + 16 * step + k];
        }
        #[unroll]
        for part in 0..2 {
            let (k, of) = ((thread + 256 * part) / 32, thread % 32);
            right[k][of] = b[(16 * step + k) * pairs + pair + of];
        }
        barrier();
        #[unroll]
        for k in 0..16 {
            #[unroll]
            for i in 0..4 {
                let factor = F16x2::splat(left[k][y + 16 * i]);
                #[unroll]
                for j in 0..2 {
                    sum[i][j] = factor.mul_add(right[k][x + 16 * j], sum[i][j]);
                }
            }
        }
        barrier();
    }
    #[unroll]
    for i in 0..4 {
        #[unroll]
        for j in 0..2 {
            c[(row + y + 16 * i) * pairs + pair + x + 16 * j] = sum[i][j];
        }
    }
}

/// C = A Bᵀ of a matrix A of which two of four neighbours in a row are kept: 16 rows and 32 columns per warp, by `mma.sp`. Rows are multiples of 64,
/// columns of C and of A multiples of 32; elements of A and B are loaded in pairs.
#[kernel(block(128), arch(sm_80))]
pub fn matmul_sparse(
    columns: usize,
    inner: usize,
    values: &[F16x2],
    metadata: &[u32],
    b: &[F16x2],
    c: &mut [f32],
) {
    let lane = warp::lane_id();
    let (g, t) = (lane / 4, lane % 4);
    let (row, column) = (64 * block_idx().y + 16 * warp::warp_id(), 32 * block_idx().x);
    let (kept, pairs) = (inner / 4, inner / 2);
    let mut sums = [F32x4::splat(0.0); 4];
    #[unroll(1)]
    for step in 0..inner / 32 {
        let mut left = F16x8::splat(f16::ZERO);
        #[unroll]
        for i in 0..4 {
            let pair = values[(row + g + 8 * (i % 2)) * kept + 8 * step + t + 4 * (i / 2)];
            left[2 * i] = pair.x;
            left[2 * i + 1] = pair.y;
        }
        let places = metadata[16 * (row / 16 * (inner / 32) + step) + 2 * g + lane % 2];
        #[unroll]
        for part in 0..4 {
            let mut right = F16x8::splat(f16::ZERO);
            #[unroll]
            for i in 0..4 {
                let pair = b[(column + 8 * part + g) * pairs + 16 * step + t + 4 * i];
                right[2 * i] = pair.x;
                right[2 * i + 1] = pair.y;
            }
            sums[part] = warp::mma_sparse(left, right, sums[part], places);
        }
    }
    #[unroll]
    for part in 0..4 {
        #[unroll]
        for i in 0..4 {
            c[(row + g + 8 * (i / 2)) * columns + column + 8 * part + 2 * t + i % 2] = sums[part][i];
        }
    }
}

/// Elements in pairs, as [`matmul_sparse`] takes them.
pub fn in_pairs(elements: &[f16]) -> Vec<F16x2> {
    elements.chunks_exact(2).map(|pair| F16x2::new(pair[0], pair[1])).collect()
}

/// Kernels of C = A Bᵀ by tensor cores: attributes, name, the type of sums, how many columns of them a warp has, and the columns of tiles. 128 × 128
/// sums per block, of matrices of any sizes.
macro_rules! by_tensor_cores {
    ($($(#[$attribute:meta])* pub fn $name:ident -> $sum:ident, $width:literal, $depth:literal;)*) => {$(
        $(#[$attribute])*
        pub fn $name<T: MatrixElement>(a: Matrix<'_, T>, b: Matrix<'_, T>, mut c: MatrixMut<'_, $sum>) {
            let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, $depth>, SharedTile<T, 128, $depth>), 3>>();
            let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
            let warps = 128 / $width;
            let (y, x) = (64 * (warp::warp_id() / warps), $width * (warp::warp_id() % warps));
            let mut sum = warp::Acc::<$sum, 64, $width>::zero();
            stages[0].multiply_transposed(a.columns().div_ceil($depth), [y, x], &mut sum, |(left, right), step| {
                (left.load(&a, [row, $depth * step]), right.load(&b, [column, $depth * step]))
            });
            sum.store(&mut c, [row + y, column + x]);
        }
    )*};
}
by_tensor_cores! {
    /// C = A Bᵀ of elements of 16 and 32 bits: those of `f32` are rounded to tf32.
    #[kernel(block(128), arch(sm_80, sm_90), instances(T = [f16, bf16, f32]))]
    pub fn matmul_elements -> f32, 64, 32;
    /// C = A Bᵀ of floats of 8 bits: by instructions of their own from sm_89 on, which take more registers where ptxas makes others of them, as on Hopper.
    #[kernel(block(256), arch(sm_80, sm_89), instances(T = [E4M3, E5M2]))]
    pub fn matmul_small_floats -> f32, 32, 64;
    /// C = A Bᵀ of bytes.
    #[kernel(block(128), arch(sm_80), instances(T = [i8, u8]))]
    pub fn matmul_bytes -> i32, 64, 64;
}

const TOPIC: &str = "intensity";

/// Rows and columns of square matrices of as many elements, a multiple of 64.
fn side(n: usize) -> usize {
    ((n as f64).sqrt() as usize / 64 * 64).clamp(64, 2048)
}

/// Rows of A, rows of B and what they have in common: no multiples of the tiles.
fn sizes(n: usize) -> [usize; 3] {
    if n >= 4 * 256 * 256 { [200, 232, 256] } else { [72, 104, 136] }
}

/// The bytes of dynamic shared memory for the stages of tensor cores.
fn stages<T>(columns: usize) -> usize {
    3 * 2 * 128 * columns * size_of::<T>()
}

/// Small whole numbers from 0 on, whose sums are exact in `f16`.
fn bits(seed: u64, len: usize) -> Vec<f32> {
    numbers(seed, len).into_iter().map(|number| f32::from(u8::from(number > 6.0))).collect()
}

/// A Bᵀ of so many rows each.
fn product(a: &[f32], b: &[f32], [rows, columns, inner]: [usize; 3]) -> Vec<f32> {
    let of = |place: usize| -> f32 {
        let (left, right) = (&a[place / columns * inner..][..inner], &b[place % columns * inner..][..inner]);
        left.iter().zip(right).map(|(left, right)| left * right).sum()
    };
    (0..rows * columns).map(of).collect()
}

/// Four numbers a word, as bytes.
fn words(numbers: &[f32]) -> Vec<u32> {
    let word = |bytes: &[f32]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte as u8));
    numbers.chunks(4).map(word).collect()
}

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&matmul_dp4a::KERNEL, TOPIC, "matrix product of bytes by `dp4a`", 2, |gpu, n| {
        let side = side(n);
        let [a, b]: [Vec<f32>; 2] =
            [42, 43].map(|seed| numbers(seed, side * side).into_iter().map(|number| number + 8.0).collect());
        let expected = product(&a, &b, [side; 3]);
        let (a, b, mut c) =
            (gpu.upload(&words(&a))?, gpu.upload(&words(&b))?, gpu.zeros::<u32>(side * side)?);
        let blocks = (side / 64) as u32;
        let report = matmul_dp4a(side, &a, &b, &mut c).grid((blocks, blocks)).run()?;
        let output = c.to_vec()?.into_iter().map(|sum| sum as f32).collect();
        Ok(Outcome { report, output, expected, tolerance: 0.0 })
    }),
    Example::new(&matmul_half2::KERNEL, TOPIC, "matrix product of pairs of `f16`", 6, |gpu, n| {
        let side = side(n);
        let (a, turned) = (bits(44, side * side), bits(45, side * side));
        let b: Vec<f32> = (0..side * side).map(|place| turned[place % side * side + place / side]).collect();
        let expected = product(&a, &turned, [side; 3]);
        let halves: Vec<f16> = a.iter().map(|&number| f16::from_f32(number)).collect();
        let pair = |two: &[f32]| F16x2::new(f16::from_f32(two[0]), f16::from_f32(two[1]));
        let pairs: Vec<F16x2> = b.chunks(2).map(pair).collect();
        let mut c = gpu.zeros::<F16x2>(side * side / 2)?;
        let blocks = (side / 64) as u32;
        let (a, b) = (gpu.upload(&halves)?, gpu.upload(&pairs)?);
        let report = matmul_half2(side, &a, &b, &mut c).grid((blocks, blocks)).run()?;
        let output = c.to_vec()?.into_iter().flat_map(F16x2::to_array).map(f16::to_f32).collect();
        Ok(Outcome { report, output, expected, tolerance: 0.0 })
    }),
    Example::new(
        &matmul_sparse::KERNEL,
        TOPIC,
        "matrix product with 2:4 sparsity by `mma.sp`",
        5,
        |gpu, n| {
            let side = side(n);
            let (a, b) = (numbers(46, side * side), numbers(47, side * side));
            let halves: Vec<f16> = a.iter().map(|&number| f16::from_f32(number)).collect();
            let sparse = Sparse24::prune(&halves, side, side)?;
            let pruned: Vec<f32> = sparse.to_dense().into_iter().map(f16::to_f32).collect();
            let expected = product(&pruned, &b, [side; 3]);
            let (values, metadata) =
                (gpu.upload(&in_pairs(sparse.values()))?, gpu.upload(sparse.metadata())?);
            let b: Vec<f16> = b.iter().map(|&number| f16::from_f32(number)).collect();
            let (b, mut c) = (gpu.upload(&in_pairs(&b))?, gpu.zeros::<f32>(side * side)?);
            let grid = ((side / 32) as u32, (side / 64) as u32);
            let report = matmul_sparse(side, side, &values, &metadata, &b, &mut c).grid(grid).run()?;
            Ok(Outcome { report, output: c.to_vec()?, expected, tolerance: 0.0 })
        },
    ),
    Example::new(
        matmul_elements::kernel::<f32>(),
        TOPIC,
        "matrix product of tf32 by tensor cores",
        12,
        |gpu, n| of_elements(gpu, n, |number| number, |a, b, c, sizes| launch_tf32(a, b, c, sizes)?.run()),
    ),
    Example::new(
        matmul_small_floats::kernel::<E4M3>(),
        TOPIC,
        "matrix product of `E4M3` by tensor cores",
        6,
        |gpu, n| of_elements(gpu, n, E4M3::from_f32, |a, b, c, sizes| launch_e4m3(a, b, c, sizes)?.run()),
    ),
    Example::new(
        matmul_small_floats::kernel::<E5M2>(),
        TOPIC,
        "matrix product of `E5M2` by tensor cores",
        6,
        |gpu, n| {
            // Whole numbers of three bits.
            let half = |number| E5M2::from_f32(number / 2.0);
            of_elements(gpu, n, half, |a, b, c, sizes| launch_e5m2(a, b, c, sizes)?.run())
        },
    ),
    Example::new(
        matmul_bytes::kernel::<i8>(),
        TOPIC,
        "matrix product of `i8` by tensor cores",
        6,
        |gpu, n| {
            let sizes = sizes(n);
            let [rows, columns, inner] = sizes;
            let (a, b) = (numbers(50, rows * inner), numbers(51, columns * inner));
            let bytes = |numbers: &[f32]| -> Vec<i8> { numbers.iter().map(|&number| number as i8).collect() };
            let mut c = gpu.zeros::<i32>(rows * columns)?;
            let (of_a, of_b) = (gpu.upload(&bytes(&a))?, gpu.upload(&bytes(&b))?);
            let report = launch_i8(&of_a, &of_b, &mut c, sizes)?.run()?;
            let output = c.to_vec()?.into_iter().map(|sum| sum as f32).collect();
            Ok(Outcome { report, output, expected: product(&a, &b, sizes), tolerance: 0.0 })
        },
    ),
];

macro_rules! launches {
    ($($(#[$doc:meta])* $name:ident $element:ident $sum:ident $kernel:ident $depth:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// A matrix is not in its buffer.
        pub fn $name<'a>(
            a: &'a DeviceBuffer<$element>,
            b: &'a DeviceBuffer<$element>,
            c: &'a mut DeviceBuffer<$sum>,
            [rows, columns, inner]: [usize; 3],
        ) -> Result<Launch<'a>> {
            let grid = (rows.div_ceil(128) as u32, columns.div_ceil(128) as u32);
            let (a, b) = (a.matrix(rows, inner)?, b.matrix(columns, inner)?);
            let launch = $kernel(a, b, c.matrix_mut(rows, columns)?);
            Ok(launch.grid(grid).shared(stages::<$element>($depth)))
        }
    )*};
}
launches! {
    /// The product of matrices of `f16`: of so many rows of A and C, rows of B and columns of C, columns of A and B.
    launch_f16 f16 f32 matmul_elements 32;
    /// The product of matrices of `bf16`, as [`launch_f16`].
    launch_bf16 bf16 f32 matmul_elements 32;
    /// The product of matrices of `f32` rounded to tf32, as [`launch_f16`].
    launch_tf32 f32 f32 matmul_elements 32;
    /// The product of matrices of `E4M3`, as [`launch_f16`].
    launch_e4m3 E4M3 f32 matmul_small_floats 64;
    /// The product of matrices of `E5M2`, as [`launch_f16`].
    launch_e5m2 E5M2 f32 matmul_small_floats 64;
    /// The product of matrices of `i8`, as [`launch_f16`].
    launch_i8 i8 i32 matmul_bytes 64;
}

/// Runs [`matmul_elements`] or [`matmul_small_floats`] on whole numbers of few bits.
fn of_elements<T: Element + Into<f32>>(
    gpu: &Gpu,
    n: usize,
    of: impl Fn(f32) -> T,
    launch: impl FnOnce(
        &DeviceBuffer<T>,
        &DeviceBuffer<T>,
        &mut DeviceBuffer<f32>,
        [usize; 3],
    ) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let sizes = sizes(n);
    let [rows, columns, inner] = sizes;
    let elements = |seed: u64, len: usize| -> Vec<T> { numbers(seed, len).into_iter().map(&of).collect() };
    let (a, b) = (elements(48, rows * inner), elements(49, columns * inner));
    let values = |elements: &[T]| -> Vec<f32> { elements.iter().map(|&element| element.into()).collect() };
    let expected = product(&values(&a), &values(&b), sizes);
    let mut c = gpu.zeros::<f32>(rows * columns)?;
    let report = launch(&gpu.upload(&a)?, &gpu.upload(&b)?, &mut c, sizes)?;
    Ok(Outcome { report, output: c.to_vec()?, expected, tolerance: 0.0 })
}
