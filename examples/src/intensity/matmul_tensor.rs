//! The matrix product by the tensor cores: `f16` or `bf16` elements, sums in `f32`, stages of tiles that `cp.async` fills.

use kernel_runtime::Launch;
use kernel_runtime::prelude::*;

use crate::{Example, Outcome, random};

/// Rows and columns of C per block.
pub const TILE: usize = 128;
/// Bytes of a block's three stages, each a tile of 128 × 64 elements and one of 64 × 128.
pub const SHARED: usize = 3 * 2 * TILE * 64 * size_of::<f16>();

/// 128 × 128 elements of C per block, 64 × 64 of them in the registers of each warp. Matrices have any sizes: what is beyond their edges
/// is zero when it is loaded, and left out when it is stored.
#[kernel(block(128), launch_bounds(128, 2), arch(sm_80), instances(T = [f16, bf16]))]
pub fn matmul_tensor<T: MatrixElement + OfSum>(a: Matrix<'_, T>, b: Matrix<'_, T>, mut c: MatrixMut<'_, T>) {
    let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, 64>, SharedTile<T, 64, 128>), 3>>();
    let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
    // Four warps, two by two.
    let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
    let mut sum = warp::Acc::<f32, 64, 64>::zero();
    stages[0].multiply(a.columns().div_ceil(64), [y, x], &mut sum, |(left, right), step| {
        (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
    });
    sum.store(&mut c, [row + y, column + x]);
}

/// Rows of A, columns of B, and what lies between: the second is no multiple of the tiles.
fn sizes(n: usize) -> [usize; 3] {
    if n >= 4 * 256 * 256 { [256, 232, 256] } else { [128, 104, 136] }
}

/// Runs of the kernel.
pub static EXAMPLES: &[Example] = &[
    Example::new(
        matmul_tensor::kernel::<f16>(),
        "intensity",
        "matrix product of `f16` by tensor cores",
        6,
        |gpu, n| run(gpu, n, f16::from_f32, f16::to_f32, |a, b, c, sizes| launch_f16(a, b, c, sizes)?.run()),
    ),
    Example::new(
        matmul_tensor::kernel::<bf16>(),
        "intensity",
        "matrix product of `bf16` by tensor cores",
        6,
        |gpu, n| {
            run(gpu, n, bf16::from_f32, bf16::to_f32, |a, b, c, sizes| launch_bf16(a, b, c, sizes)?.run())
        },
    ),
];

macro_rules! launches {
    (
        |$a:ident, $b:ident, $c:ident, $rows:ident, $columns:ident| $launch:expr;
        $($(#[$doc:meta])* $name:ident $element:ident;)*
    ) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// A matrix is not in its buffer.
        pub fn $name<'a>(
            a: &'a DeviceBuffer<$element>,
            b: &'a DeviceBuffer<$element>,
            c: &'a mut DeviceBuffer<$element>,
            [$rows, $columns, inner]: [usize; 3],
        ) -> Result<Launch<'a>> {
            let ($a, $b) = (a.matrix($rows, inner)?, b.matrix(inner, $columns)?);
            let $c = c.matrix_mut($rows, $columns)?;
            Ok($launch)
        }
    )*};
}
pub(super) use launches;

launches! {
    |a, b, c, rows, columns| {
        let grid = (rows.div_ceil(TILE) as u32, columns.div_ceil(TILE) as u32);
        matmul_tensor(a, b, c).grid(grid).shared(SHARED)
    };
    /// The product of matrices of `f16`, of so many rows of A and C, columns of B and C, columns of A and rows of B.
    launch_f16 f16;
    /// The product of matrices of `bf16`, as [`launch_f16`].
    launch_bf16 bf16;
}

/// Small whole numbers: their products and sums are exact in `f32` in any order, so that the bits are those of the reference.
pub(super) fn numbers(seed: u64, len: usize) -> Vec<f32> {
    random(seed, len).into_iter().map(|number| (number * 17.0).floor() - 8.0).collect()
}

pub(super) fn run<T: Element>(
    gpu: &Gpu,
    n: usize,
    of_f32: fn(f32) -> T,
    to_f32: fn(T) -> f32,
    launch: impl FnOnce(
        &DeviceBuffer<T>,
        &DeviceBuffer<T>,
        &mut DeviceBuffer<T>,
        [usize; 3],
    ) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let sizes = sizes(n);
    let [rows, columns, inner] = sizes;
    let (a, b) = (numbers(40, rows * inner), numbers(41, inner * columns));
    let elements = |numbers: &[f32]| -> Vec<T> { numbers.iter().map(|&number| of_f32(number)).collect() };
    let mut c = gpu.upload(&elements(&vec![0.0; rows * columns]))?;
    let report = launch(&gpu.upload(&elements(&a))?, &gpu.upload(&elements(&b))?, &mut c, sizes)?;
    let output = c.to_vec()?.into_iter().map(to_f32).collect();
    let sum = |place: usize| -> f32 {
        let (row, column) = (place / columns, place % columns);
        (0..inner).map(|k| a[row * inner + k] * b[k * columns + column]).sum()
    };
    let expected = (0..rows * columns).map(|place| to_f32(of_f32(sum(place)))).collect();
    Ok(Outcome { report, output, expected, tolerance: 0.0 })
}
