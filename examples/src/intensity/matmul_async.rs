//! The matrix product with 8 × 8 elements a thread and two of each tile, which `cp.async` brings past registers.

use kernel_runtime::prelude::*;

use super::matmul::{blocks, operands, product, size};
use crate::{Example, Outcome};
use kernels::matmul_async;

/// The kernel.
#[kernel_module(link(crate::copies::ahead))]
pub mod kernels {
    use kernel_runtime::prelude::*;

    use crate::copies::ahead;

    /// While one tile is multiplied, the next is on its way. A's tile stands on its side: its elements come one by one, those of B in
    /// vectors.
    #[kernel(block(256), arch(sm_80))]
    pub fn matmul_async(size: usize, a: &[f32], b: &[F32x4], c: &mut [F32x4]) {
        let mut tiles_a = shared::<[[[F32x4; 32]; 8]; 2]>();
        let mut tiles_b = shared::<[[[F32x4; 32]; 8]; 2]>();
        let thread = thread_idx().x;
        let width = size / 4;
        let (first_row, first_column) = (block_idx().y * 128, block_idx().x * 32);
        // This thread's part of each tile: of A four elements of a row of 8, of B a vector of a row of 128.
        let (row_of_a, part_of_a) = (thread / 2, 4 * (thread % 2));
        let (row_of_b, part_of_b) = (thread / 32, thread % 32);
        let (x, y) = (thread % 16, thread / 16);
        let of_a = (first_row + row_of_a) * size + part_of_a;
        let of_b = row_of_b * width + first_column + part_of_b;
        let mut sums = [[F32x4::splat(0.0); 2]; 8];
        #[unroll]
        for lane in 0..4 {
            let place = tiles_a[0][part_of_a + lane].as_mut_ptr().cast::<f32>().wrapping_add(row_of_a);
            ahead::start(a, of_a + lane, place);
        }
        ahead::start_vector(b, of_b, &raw mut tiles_b[0][row_of_b][part_of_b]);
        ahead::close_group();
        let mut buffer = 0;
        for first in (0..size).step_by(8) {
            ahead::wait_for_all_but::<0>();
            // The tile is there for all, and all are done with the one before, whose place the next one takes.
            barrier();
            let next = first + 8;
            if next < size {
                #[unroll]
                for lane in 0..4 {
                    let row = &mut tiles_a[1 - buffer][part_of_a + lane];
                    ahead::start(
                        a,
                        of_a + next + lane,
                        row.as_mut_ptr().cast::<f32>().wrapping_add(row_of_a),
                    );
                }
                ahead::start_vector(
                    b,
                    of_b + next * width,
                    &raw mut tiles_b[1 - buffer][row_of_b][part_of_b],
                );
                ahead::close_group();
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
}

/// The run of the kernel.
pub static EXAMPLES: &[Example] = &[Example::new(
    &matmul_async::KERNEL,
    "intensity",
    "matrix product, 8 × 8 a thread, two buffers by `cp.async`",
    12,
    |gpu, n| {
        let size = size(n, 128);
        let [a, b] = operands(size);
        let b: Vec<F32x4> =
            b.chunks_exact(4).map(|part| F32x4::new(part[0], part[1], part[2], part[3])).collect();
        let (a, b) = (gpu.upload(&a)?, gpu.upload(&b)?);
        let mut c = gpu.zeros(size * size / 4)?;
        let report = matmul_async(size, &a, &b, &mut c).grid(blocks(size, 128)).run()?;
        let output = c.to_vec()?.into_iter().flat_map(F32x4::to_array).collect();
        Ok(Outcome { report, output, expected: product(size), tolerance: 0.0 })
    },
)];
