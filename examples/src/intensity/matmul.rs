//! The product of two matrices of `f32`, from one element a thread to 64, with tiles in shared memory and in registers.
//!
//! C is rows × columns, A rows × inner, B inner × columns, each row by row; sizes are multiples of the tiles.

use kernel_runtime::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// An element of C per thread: two loads for each multiply-add.
#[kernel(block(16, 16))]
pub fn matmul_naive(size: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row) = (global_idx().x, global_idx().y);
    if row < size && column < size {
        let mut sum = 0.0f32;
        for k in 0..size {
            sum += a[row * size + k] * b[k * size + column];
        }
        c[row * size + column] = sum;
    }
}

/// Tiles of 32 × 32 in shared memory: each element is loaded once per tile, and used 32 times.
#[kernel(block(32, 32))]
pub fn matmul_tiled(size: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let mut tile_a = shared::<[[f32; 32]; 32]>();
    let mut tile_b = shared::<[[f32; 32]; 32]>();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let (column, row) = (global_idx().x, global_idx().y);
    let mut sum = 0.0f32;
    for first in (0..size).step_by(32) {
        tile_a[y][x] = a[row * size + first + x];
        tile_b[y][x] = b[(first + y) * size + column];
        barrier();
        #[unroll]
        for k in 0..32 {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        barrier();
    }
    c[row * size + column] = sum;
}

/// 8 × 8 elements per thread in registers, 128 × 128 per block: four loads of 16 bytes from shared memory serve 64 multiply-adds.
/// A's tile stands on its side, so that a column of it is read at once.
#[kernel(block(256))]
pub fn matmul_registers(size: usize, a: &[F32x4], b: &[F32x4], c: &mut [F32x4]) {
    let mut tile_a = shared::<[[F32x4; 32]; 8]>();
    let mut tile_b = shared::<[[F32x4; 32]; 8]>();
    let thread = thread_idx().x;
    // In vectors of 4.
    let width = size / 4;
    let (first_row, first_column) = (block_idx().y * 128, block_idx().x * 32);
    // This thread's load of each tile, one vector: of A half a row of 8, of B a 32nd of a row of 128.
    let (row_of_a, part_of_a) = (thread / 2, thread % 2);
    let (row_of_b, part_of_b) = (thread / 32, thread % 32);
    // This thread's results: rows 4y … 4y + 3 and 64 + 4y …, columns likewise, so that lanes read neighbouring vectors.
    let (x, y) = (thread % 16, thread / 16);
    let mut sums = [[F32x4::splat(0.0); 2]; 8];
    for first in (0..size).step_by(8) {
        let of_a = a[(first_row + row_of_a) * width + first / 4 + part_of_a];
        let of_b = b[(first + row_of_b) * width + first_column + part_of_b];
        barrier();
        tile_a[4 * part_of_a][row_of_a / 4][row_of_a % 4] = of_a.x;
        tile_a[4 * part_of_a + 1][row_of_a / 4][row_of_a % 4] = of_a.y;
        tile_a[4 * part_of_a + 2][row_of_a / 4][row_of_a % 4] = of_a.z;
        tile_a[4 * part_of_a + 3][row_of_a / 4][row_of_a % 4] = of_a.w;
        tile_b[row_of_b][part_of_b] = of_b;
        barrier();
        #[unroll]
        for k in 0..8 {
            let column = [tile_a[k][y], tile_a[k][16 + y]];
            let row = [tile_b[k][x], tile_b[k][16 + x]];
            #[unroll]
            for i in 0..8 {
                let factor = F32x4::splat(column[i / 4][i % 4]);
                sums[i][0] = factor.mul_add(row[0], sums[i][0]);
                sums[i][1] = factor.mul_add(row[1], sums[i][1]);
            }
        }
    }
    #[unroll]
    for i in 0..8 {
        let row = first_row + 64 * (i / 4) + 4 * y + i % 4;
        c[row * width + first_column + x] = sums[i][0];
        c[row * width + first_column + 16 + x] = sums[i][1];
    }
}

/// Two buffers of each tile: while one is multiplied, the next is on its way in registers, and one barrier a step is enough.
#[kernel(block(256))]
pub fn matmul_double_buffered(size: usize, a: &[F32x4], b: &[F32x4], c: &mut [F32x4]) {
    let mut tiles_a = shared::<[[[F32x4; 32]; 8]; 2]>();
    let mut tiles_b = shared::<[[[F32x4; 32]; 8]; 2]>();
    let thread = thread_idx().x;
    let width = size / 4;
    let (first_row, first_column) = (block_idx().y * 128, block_idx().x * 32);
    let (row_of_a, part_of_a) = (thread / 2, thread % 2);
    let (row_of_b, part_of_b) = (thread / 32, thread % 32);
    let (x, y) = (thread % 16, thread / 16);
    let mut sums = [[F32x4::splat(0.0); 2]; 8];
    let mut of_a = a[(first_row + row_of_a) * width + part_of_a];
    let mut of_b = b[row_of_b * width + first_column + part_of_b];
    let mut buffer = 0;
    let steps = size / 8;
    for step in 0..steps {
        #[unroll]
        for lane in 0..4 {
            tiles_a[buffer][4 * part_of_a + lane][row_of_a / 4][row_of_a % 4] = of_a[lane];
        }
        tiles_b[buffer][row_of_b][part_of_b] = of_b;
        barrier();
        let next = step + 1;
        if next < steps {
            of_a = a[(first_row + row_of_a) * width + 2 * next + part_of_a];
            of_b = b[(8 * next + row_of_b) * width + first_column + part_of_b];
        }
        #[unroll]
        for k in 0..8 {
            let column = [tiles_a[buffer][k][y], tiles_a[buffer][k][16 + y]];
            let row = [tiles_b[buffer][k][x], tiles_b[buffer][k][16 + x]];
            #[unroll]
            for i in 0..8 {
                let factor = F32x4::splat(column[i / 4][i % 4]);
                sums[i][0] = factor.mul_add(row[0], sums[i][0]);
                sums[i][1] = factor.mul_add(row[1], sums[i][1]);
            }
        }
        buffer = 1 - buffer;
    }
    #[unroll]
    for i in 0..8 {
        let row = first_row + 64 * (i / 4) + 4 * y + i % 4;
        c[row * width + first_column + x] = sums[i][0];
        c[row * width + first_column + 16 + x] = sums[i][1];
    }
}

const TOPIC: &str = "intensity";

/// Runs of the kernels: matrices of 256 × 256 if that is no more than a quarter of the elements, else the smallest that do.
pub static EXAMPLES: &[Example] = &[
    Example::new(&matmul_naive::KERNEL, TOPIC, "matrix product, an element a thread", 12, |gpu, n| {
        let size = size(n, 32);
        let [a, b] = operands(size);
        let b = gpu.upload(&b)?;
        from_slice(gpu, &a, product(size), 0.0, |a, c| {
            matmul_naive(size, a, &b, c).grid(blocks(size, 16)).run()
        })
    }),
    Example::new(&matmul_tiled::KERNEL, TOPIC, "matrix product, tiles in shared memory", 12, |gpu, n| {
        let size = size(n, 32);
        let [a, b] = operands(size);
        let b = gpu.upload(&b)?;
        from_slice(gpu, &a, product(size), 0.0, |a, c| {
            matmul_tiled(size, a, &b, c).grid(blocks(size, 32)).run()
        })
    }),
    Example::new(&matmul_registers::KERNEL, TOPIC, "matrix product, 8 × 8 a thread", 12, |gpu, n| {
        vectors(gpu, size(n, 128), |size, a, b, c| {
            matmul_registers(size, a, b, c).grid(blocks(size, 128)).run()
        })
    }),
    Example::new(
        &matmul_double_buffered::KERNEL,
        TOPIC,
        "matrix product, 8 × 8 a thread, two buffers",
        12,
        |gpu, n| {
            vectors(gpu, size(n, 128), |size, a, b, c| {
                matmul_double_buffered(size, a, b, c).grid(blocks(size, 128)).run()
            })
        },
    ),
];

pub(super) fn size(n: usize, tile: usize) -> usize {
    if n >= 4 * 256 * 256 { 256 } else { tile }
}

pub(super) fn blocks(size: usize, tile: usize) -> (u32, u32) {
    ((size / tile) as u32, (size / tile) as u32)
}

pub(super) fn operands(size: usize) -> [Vec<f32>; 2] {
    [random(40, size * size), random(41, size * size)]
}

/// Row by row, each sum in the order of the inner index, fused as on the GPU.
pub(super) fn product(size: usize) -> Vec<f32> {
    let [a, b] = operands(size);
    let mut c = vec![0.0f32; size * size];
    for (row_of_a, row_of_c) in a.chunks(size).zip(c.chunks_mut(size)) {
        for (&factor, row_of_b) in row_of_a.iter().zip(b.chunks(size)) {
            row_of_c.iter_mut().zip(row_of_b).for_each(|(sum, &b)| *sum = factor.mul_add(b, *sum));
        }
    }
    c
}

fn vectors(
    gpu: &Gpu,
    size: usize,
    launch: impl FnOnce(
        usize,
        &DeviceBuffer<F32x4>,
        &DeviceBuffer<F32x4>,
        &mut DeviceBuffer<F32x4>,
    ) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let [a, b] = operands(size).map(|matrix| -> Vec<F32x4> {
        matrix.chunks_exact(4).map(|part| F32x4::new(part[0], part[1], part[2], part[3])).collect()
    });
    let (a, b) = (gpu.upload(&a)?, gpu.upload(&b)?);
    let mut c = gpu.zeros(size * size / 4)?;
    let report = launch(size, &a, &b, &mut c)?;
    let output = c.to_vec()?.into_iter().flat_map(F32x4::to_array).collect();
    Ok(Outcome { report, output, expected: product(size), tolerance: 0.0 })
}
