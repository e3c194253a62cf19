//! The matrix product by groups of four warps (`wgmma`), which other warps fill stages for by tensor maps: the fastest there is on Hopper.

use kernel_runtime::Launch;
use kernel_runtime::prelude::*;

use super::matmul_tensor::run;
use crate::Example;

/// Bytes of a block's four stages, each a tile of 128 × 64 elements and one of 64 × 256.
pub const SHARED: usize = 4 * (128 + 256) * 64 * size_of::<f16>();

/// 128 × 256 elements of C for a block at a time: 64 rows for each of two groups of four warps, and four warps that fill the stages. Blocks
/// take tiles in turns, so that the stages of the next tile are filled while the sums of one are stored.
#[kernel(block(384), arch(sm_80, sm_90a), instances(T = [f16, bf16]))]
pub fn matmul_groups<T: MatrixElement + OfSum>(a: Matrix<'_, T>, b: Matrix<'_, T>, mut c: MatrixMut<'_, T>) {
    let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, 64>, SharedTile<T, 64, 256>), 4>>();
    stages[0].multiply_tiles(
        [c.rows(), c.columns()],
        a.columns().div_ceil(64),
        |(left, right), [row, column], step| {
            (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
        },
        |sum: warp::Acc<f32, 16, 256>, at| sum.store(&mut c, at),
    );
}

/// Runs of the kernel.
pub static EXAMPLES: &[Example] = &[
    Example::new(
        matmul_groups::kernel::<f16>(),
        "intensity",
        "matrix product of `f16` by groups of warps",
        6,
        |gpu, n| run(gpu, n, f16::from_f32, f16::to_f32, |a, b, c, sizes| launch_f16(a, b, c, sizes)?.run()),
    ),
    Example::new(
        matmul_groups::kernel::<bf16>(),
        "intensity",
        "matrix product of `bf16` by groups of warps",
        6,
        |gpu, n| {
            run(gpu, n, bf16::from_f32, bf16::to_f32, |a, b, c, sizes| launch_bf16(a, b, c, sizes)?.run())
        },
    ),
];

super::matmul_tensor::launches! {
    |a, b, c, rows, columns| matmul_groups(a, b, c).fill().shared(SHARED);
    /// The product of matrices of `f16`, of so many rows of A and C, columns of B and C, columns of A and rows of B.
    launch_f16 f16;
    /// The product of matrices of `bf16`, as [`launch_f16`].
    launch_bf16 bf16;
}
