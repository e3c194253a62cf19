//! The product of a pruned matrix, as weights of neural networks are, by the sparse tensor cores: of each four neighbours in a row of A two are
//! kept, so that an instruction multiplies twice as much.

use kernel_runtime::Sparse24;
use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::{Example, Outcome, random};

/// 64 × 64 elements of C per block, 16 × 64 of them in the registers of each warp, 32 rows of B in shared memory at a time. `left` is A, or
/// with `SPARSE` what is kept of it, with its metadata. Sizes are multiples of 64.
#[kernel(block(128), arch(sm_80), instances(SPARSE = [false, true]))]
pub fn matmul_half<const SPARSE: bool>(
    left: Matrix<'_, f16>,
    metadata: &[u32],
    right: Matrix<'_, f16>,
    mut c: MatrixMut<'_, f32>,
) {
    // Rows are 72 elements apart, so that no two of the eight that are read at once share a bank.
    let mut tile = shared::<[f16; 32 * 72]>();
    let (thread, lane) = (thread_idx().x, warp::lane_id());
    let (row, column) = (64 * block_idx().y + 16 * warp::warp_id(), 64 * block_idx().x);
    let (g, t) = (lane / 4, 2 * (lane % 4));
    let mut sums = [F32x4::splat(0.0); 8];
    for step in 0..right.rows() / 32 {
        barrier();
        #[unroll]
        for part in 0..2 {
            let at = thread + 128 * part;
            let (y, x) = (at / 8, 8 * (at % 8));
            F16x8::load(right.row(32 * step + y), column + x).store(&mut tile[..], 72 * y + x);
        }
        barrier();
        let (upper, lower) = (left.row(row + g), left.row(row + g + 8));
        let fragment = |at: usize| {
            let parts = [
                F16x2::load(upper, at + t),
                F16x2::load(lower, at + t),
                F16x2::load(upper, at + t + 8),
                F16x2::load(lower, at + t + 8),
            ];
            let mut all = F16x8::splat(f16::ZERO);
            #[unroll]
            for i in 0..8 {
                all[i] = parts[i / 2][i % 2];
            }
            all
        };
        if SPARSE {
            let kept = fragment(16 * step);
            let word = metadata[16 * (row / 16 * (right.rows() / 32) + step) + 2 * g + lane % 2];
            #[unroll]
            for j in 0..8 {
                let columns = F16x8::load_matrix_transposed(&tile[..], 72 * lane + 8 * j);
                sums[j] = warp::mma_sparse(kept, columns, sums[j], word);
            }
        } else {
            let (first, second) = (fragment(32 * step), fragment(32 * step + 16));
            #[unroll]
            for j in 0..8 {
                let above = F16x4::load_matrix_transposed(&tile[..], 72 * (lane % 16) + 8 * j);
                let below = F16x4::load_matrix_transposed(&tile[..], 72 * (lane % 16 + 16) + 8 * j);
                sums[j] = warp::mma(first, above, sums[j]);
                sums[j] = warp::mma(second, below, sums[j]);
            }
        }
    }
    #[unroll]
    for j in 0..8 {
        F32x2::new(sums[j].x, sums[j].y).store(c.row_mut(row + g), column + 8 * j + t);
        F32x2::new(sums[j].z, sums[j].w).store(c.row_mut(row + g + 8), column + 8 * j + t);
    }
}

/// Runs of the kernel.
pub static EXAMPLES: &[Example] = &[
    Example::new(
        matmul_half::kernel::<false>(),
        "intensity",
        "product of a pruned matrix with its zeros",
        8,
        |gpu, n| run(gpu, n, false),
    ),
    Example::new(
        matmul_half::kernel::<true>(),
        "intensity",
        "product of a pruned matrix, `mma.sp`",
        7,
        |gpu, n| run(gpu, n, true),
    ),
];

/// Square matrices of about `n` elements, of small integers: sums are exact in any order.
fn run(gpu: &Gpu, n: usize, sparse: bool) -> Result<Outcome> {
    let size = n.min(1 << 20).isqrt().next_multiple_of(64).max(64);
    let [a, b] = [91, 92].map(|seed| -> Vec<f16> {
        random(seed, size * size).into_iter().map(|x| f16::from_f32((x * 17.0).floor() - 8.0)).collect()
    });
    let a = Sparse24::prune(&a, size, size)?;
    let dense = a.to_dense();
    let of_row = |row: usize| {
        let mut sums = vec![0.0f32; size];
        for (k, x) in dense[row * size..(row + 1) * size].iter().enumerate().filter(|(_, x)| **x != f16::ZERO)
        {
            for (sum, y) in sums.iter_mut().zip(&b[k * size..(k + 1) * size]) {
                *sum += x.to_f32() * y.to_f32();
            }
        }
        sums
    };
    let expected = (0..size).into_par_iter().flat_map_iter(of_row).collect();
    let left = gpu.upload(if sparse { a.values() } else { &dense })?;
    let (metadata, right) = (gpu.upload(a.metadata())?, gpu.upload(&b)?);
    let mut out = gpu.zeros::<f32>(size * size)?;
    let (b, c) = (right.matrix(size, size)?, out.matrix_mut(size, size)?);
    let launch = match sparse {
        true => matmul_half::<true>(left.matrix(size, size / 2)?, &metadata, b, c),
        false => matmul_half::<false>(left.matrix(size, size)?, &metadata, b, c),
    };
    let report = launch.grid((size / 64, size / 64)).run()?;
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance: 0.0 })
}
