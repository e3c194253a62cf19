//! Attention by groups of four warps (`wgmma`), which other warps fill stages of keys and values for, with the softmax taken as the keys come
//! (Dao, Fu, Ermon, Rudra and Ré, "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022; Shah et al.,
//! "FlashAttention-3", 2024).

use kernel_runtime::prelude::*;
use kernel_runtime::{Launch, LaunchReport};

use crate::{Example, Outcome, random};

/// Queries of a block: 64 for each of three groups of four warps.
pub const QUERIES: usize = 192;
/// Keys and values of a stage.
pub const KEYS: usize = 128;
/// Elements of a query, a key and a value.
pub const DEPTH: usize = 128;
/// Bytes of a block's two stages, each a tile of keys and one of values, and of its queries.
pub const SHARED: usize = (2 * 2 * KEYS + QUERIES) * DEPTH * size_of::<f16>();

/// For each head and query, the mean of the values, weighted by the exponentials of `scale` times the products of the query and the keys; of the
/// keys up to the query's number if it is causal. Rows of a head lie one below the other, those of the next head behind them; a head has so many
/// rows, a multiple of 16. A block has 192 queries of the head `block_idx().y`.
#[kernel(block(512), arch(sm_80, sm_90a), instances(T = [f16, bf16]))]
pub fn attention<T: MatrixElement + OfSum>(
    q: Matrix<'_, T>,
    k: Matrix<'_, T>,
    v: Matrix<'_, T>,
    mut o: MatrixMut<'_, T>,
    rows: usize,
    scale: f32,
    causal: bool,
) {
    let mut memory = shared_dyn::<(
        Stages<(SharedTile<T, 128, 128>, SharedTile<T, 128, 128>), 2>,
        SharedTile<T, 192, 128>,
    )>();
    let (stages, queries) = &mut memory[0];
    // Of a causal head the last queries have most keys: their blocks start first.
    let block = if causal { grid_dim().x - 1 - block_idx().x } else { block_idx().x };
    let (head, first) = (rows * block_idx().y, 192 * block);
    queries.load(&q, [head + first, 0]);
    barrier();
    // The first of this warp's 16 queries.
    let row = first + 16 * warp::warp_id();
    // Of the powers of two.
    let scale = scale * std::f32::consts::LOG2_E;
    let last = if causal { rows.min(first + 192) } else { rows };
    let state = (
        warp::Acc::<f32, 16, 128>::zero(),
        warp::Rows::<f32, 16>::splat(0.0),
        warp::Rows::<f32, 16>::splat(f32::NEG_INFINITY),
    );
    stages.run_specialized(
        last.div_ceil(128),
        |(key, value), step| (key.load(&k, [head + 128 * step, 0]), value.load(&v, [head + 128 * step, 0])),
        state,
        |(sum, total, largest), (key, value), step| {
            let mut scores = warp::Acc::<f32, 16, 128>::of_tiles_transposed(queries, key);
            let end = 128 * (step + 1);
            if end > rows || causal && end > row {
                scores = scores.map_at(|y, x, score| {
                    let (query, key) = (row + y, 128 * step + x);
                    if key < rows && (!causal || key <= query) { score } else { f32::NEG_INFINITY }
                });
            }
            let new = scores.row_max().zip(*largest, f32::max);
            let factor = largest.zip(new, |old, new| fast::exp2_ftz(scale * (old - new)));
            let weights = scores.map_rows(new, |score, new| fast::exp2_ftz(scale * score - scale * new));
            *total = total.zip(factor, |total, factor| total * factor).zip(weights.row_sum(), |a, b| a + b);
            *sum = sum.map_rows(factor, |sum, factor| sum * factor);
            *largest = new;
            sum.mma_tile(&weights.to_left::<T>(), value);
        },
        |(sum, total, _)| {
            if row < rows {
                let factor = total.map(|total| 1.0 / total);
                sum.map_rows(factor, |sum, factor| sum * factor).store(&mut o, [head + row, 0]);
            }
        },
    );
}

/// The sizes of a run: heads and rows of each.
fn sizes(n: usize) -> [usize; 2] {
    if n >= 4 * 256 * 256 { [2, 400] } else { [2, 208] }
}

/// The mean of one head and query in `f64`.
fn mean(q: &[f32], [k, v]: [&[f32]; 2], keys: usize, scale: f32) -> Vec<f32> {
    let scores: Vec<f64> = (0..keys)
        .map(|key| (0..DEPTH).map(|at| f64::from(q[at]) * f64::from(k[key * DEPTH + at])).sum::<f64>())
        .collect();
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (f64::from(scale) * (score - largest)).exp()).collect();
    let total: f64 = weights.iter().sum();
    let of = |at: usize| (0..keys).map(|key| weights[key] * f64::from(v[key * DEPTH + at])).sum::<f64>();
    (0..DEPTH).map(|at| (of(at) / total) as f32).collect()
}

fn run<T: Element>(
    gpu: &Gpu,
    n: usize,
    of_f32: fn(f32) -> T,
    to_f32: fn(T) -> f32,
    causal: bool,
    launch: impl FnOnce(
        [&DeviceBuffer<T>; 3],
        &mut DeviceBuffer<T>,
        [usize; 2],
        f32,
        bool,
    ) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let [heads, rows] = sizes(n);
    let scale = 1.0 / (DEPTH as f32).sqrt();
    let rounded = |seed: u64| -> Vec<f32> {
        random(seed, heads * rows * DEPTH).into_iter().map(|number| to_f32(of_f32(number))).collect()
    };
    let (q, k, v) = (rounded(50), rounded(51), rounded(52));
    let elements = |numbers: &[f32]| -> Vec<T> { numbers.iter().map(|&number| of_f32(number)).collect() };
    let [of_q, of_k, of_v] = [&q, &k, &v].map(|numbers| gpu.upload(&elements(numbers)));
    let mut o = gpu.upload(&elements(&vec![0.0; q.len()]))?;
    let report = launch([&of_q?, &of_k?, &of_v?], &mut o, [heads, rows], scale, causal)?;
    let output = o.to_vec()?.into_iter().map(to_f32).collect();
    let expected = (0..heads * rows)
        .flat_map(|row| {
            let head = row / rows * rows * DEPTH..;
            let keys = if causal { row % rows + 1 } else { rows };
            mean(&q[row * DEPTH..], [&k[head.clone()], &v[head]], keys, scale)
        })
        .collect();
    // The weights are rounded as the elements are.
    Ok(Outcome { report, output, expected, tolerance: 1e-2 })
}

/// Runs of the kernel.
pub static EXAMPLES: &[Example] = &[
    Example::new(
        attention::kernel::<f16>(),
        "intensity",
        "attention of `f16` by groups of warps",
        8,
        |gpu, n| {
            run(gpu, n, f16::from_f32, f16::to_f32, false, |qkv, o, sizes, scale, causal| {
                launch_f16(qkv, o, sizes, scale, causal)?.run()
            })
        },
    ),
    Example::new(
        attention::kernel::<bf16>(),
        "intensity",
        "causal attention of `bf16` by groups of warps",
        8,
        |gpu, n| {
            run(gpu, n, bf16::from_f32, bf16::to_f32, true, |qkv, o, sizes, scale, causal| {
                launch_bf16(qkv, o, sizes, scale, causal)?.run()
            })
        },
    ),
];

macro_rules! launches {
    ($($(#[$doc:meta])* $name:ident $element:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// A matrix is not in its buffer.
        pub fn $name<'a>(
            [q, k, v]: [&'a DeviceBuffer<$element>; 3],
            o: &'a mut DeviceBuffer<$element>,
            [heads, rows]: [usize; 2],
            scale: f32,
            causal: bool,
        ) -> Result<Launch<'a>> {
            let [q, k, v] = [q, k, v].map(|matrix| matrix.matrix(heads * rows, DEPTH));
            let o = o.matrix_mut(heads * rows, DEPTH)?;
            let grid = (rows.div_ceil(QUERIES) as u32, heads as u32);
            Ok(attention(q?, k?, v?, o, rows, scale, causal).grid(grid).shared(SHARED))
        }
    )*};
}
launches! {
    /// Attention of `f16`: of so many heads, with so many queries, keys and values each.
    launch_f16 f16;
    /// Attention of `bf16`, as [`launch_f16`].
    launch_bf16 bf16;
}
