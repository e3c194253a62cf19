//! The product of two matrices of `f16` with sums in `f32`, by the tensor cores of any GPU from sm_80 on.
//!
//! C is rows × columns, A rows × inner, B inner × columns, each row by row, of any sizes.

use kernel_runtime::prelude::*;

/// 128 × 128 elements of C per block, 64 × 32 of them per warp, in steps of 32 columns of A: two buffers of each tile in shared memory, and
/// the next step's elements on their way in registers meanwhile. Rows of the tiles are padded by 16 bytes, so that the eight rows that
/// an `ldmatrix` reads at once are in different banks.
#[kernel(block(256))]
pub fn matmul_tensor(rows: usize, columns: usize, inner: usize, a: &[f16], b: &[f16], c: &mut [f32]) {
    const A_ROW: usize = 32 + 8;
    const B_ROW: usize = 128 + 8;

    /// Eight elements of a row of a matrix, zeros beyond its edges.
    fn eight(matrix: &[f16], rows: usize, columns: usize, row: usize, column: usize) -> F16x8 {
        let mut found = F16x8::splat(f16::ZERO);
        if row < rows && column < columns {
            if columns.is_multiple_of(8) {
                found = F16x8::load(matrix, row * columns + column);
            } else {
                #[unroll]
                for i in 0..8 {
                    if column + i < columns {
                        found[i] = matrix[row * columns + column + i];
                    }
                }
            }
        }
        found
    }

    let mut tiles_a = shared::<[f16; 2 * 128 * A_ROW]>();
    let mut tiles_b = shared::<[f16; 2 * 32 * B_ROW]>();
    let (thread, lane, warp) = (thread_idx().x, warp::lane_id(), warp::warp_id());
    let (first_row, first_column) = (128 * block_idx().y, 128 * block_idx().x);
    // This thread's part of each tile: 8 elements of A in rows 64 apart, of B in rows 16 apart.
    let (row_of_a, part_of_a) = (thread / 4, 8 * (thread % 4));
    let (row_of_b, part_of_b) = (thread / 16, 8 * (thread % 16));
    // This warp's part of C.
    let (y, x) = (64 * (warp / 4), 32 * (warp % 4));
    let mut sums = [[F32x4::splat(0.0); 4]; 4];
    let mut of_a = [F16x8::splat(f16::ZERO); 2];
    let mut of_b = [F16x8::splat(f16::ZERO); 2];
    #[unroll]
    for i in 0..2 {
        of_a[i] = eight(a, rows, inner, first_row + row_of_a + 64 * i, part_of_a);
        of_b[i] = eight(b, inner, columns, row_of_b + 16 * i, first_column + part_of_b);
    }
    let mut buffer = 0;
    let steps = inner.div_ceil(32);
    for step in 0..steps {
        let (start_a, start_b) = (buffer * 128 * A_ROW, buffer * 32 * B_ROW);
        #[unroll]
        for i in 0..2 {
            of_a[i].store(&mut tiles_a[..], start_a + (row_of_a + 64 * i) * A_ROW + part_of_a);
            of_b[i].store(&mut tiles_b[..], start_b + (row_of_b + 16 * i) * B_ROW + part_of_b);
        }
        barrier();
        let next = 32 * (step + 1);
        if next < inner {
            #[unroll]
            for i in 0..2 {
                of_a[i] = eight(a, rows, inner, first_row + row_of_a + 64 * i, next + part_of_a);
                of_b[i] = eight(b, inner, columns, next + row_of_b + 16 * i, first_column + part_of_b);
            }
        }
        // Each lane names a row of the matrices of 8 × 8 that are loaded together: of 16 rows the left half, then the right half.
        let (row, half) = (lane % 16, 8 * (lane / 16));
        #[unroll]
        for k in 0..2 {
            let mut left = [F16x8::splat(f16::ZERO); 4];
            #[unroll]
            for i in 0..4 {
                let from = start_a + (y + 16 * i + row) * A_ROW + 16 * k + half;
                left[i] = F16x8::load_matrix(&tiles_a[..], from);
            }
            #[unroll]
            for j in 0..2 {
                let from = start_b + (16 * k + row) * B_ROW + x + 16 * j + half;
                let right = F16x8::load_matrix_transposed(&tiles_b[..], from);
                let first = F16x4::new(right[0], right[1], right[2], right[3]);
                let second = F16x4::new(right[4], right[5], right[6], right[7]);
                #[unroll]
                for i in 0..4 {
                    sums[i][2 * j] = warp::mma(left[i], first, sums[i][2 * j]);
                    sums[i][2 * j + 1] = warp::mma(left[i], second, sums[i][2 * j + 1]);
                }
            }
        }
        buffer = 1 - buffer;
    }
    #[unroll]
    for i in 0..4 {
        #[unroll]
        for j in 0..4 {
            let row = first_row + y + 16 * i + lane / 4;
            let column = first_column + x + 8 * j + 2 * (lane % 4);
            #[unroll]
            for part in 0..4 {
                let (row, column) = (row + 8 * (part / 2), column + part % 2);
                if row < rows && column < columns {
                    c[row * columns + column] = sums[i][j][part];
                }
            }
        }
    }
}
