//! Attention of `kernel-library`, by groups of four warps (`wgmma`), which other warps fill stages of keys and values for.

use kernel_library::kernels::attention::attention_128;
use kernel_library::{AttentionElement, Layout, attention};
use kernel_runtime::prelude::*;

use crate::{Example, Outcome, random};

/// Elements of a query, a key and a value.
const DEPTH: usize = 128;

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

fn run<T: AttentionElement>(
    gpu: &Gpu,
    n: usize,
    of_f32: fn(f32) -> T,
    to_f32: fn(T) -> f32,
    causal: bool,
) -> Result<Outcome> {
    let [heads, rows] = sizes(n);
    let scale = 1.0 / (DEPTH as f32).sqrt();
    let rounded = |seed: u64| -> Vec<f32> {
        random(seed, heads * rows * DEPTH).into_iter().map(|number| to_f32(of_f32(number))).collect()
    };
    let (q, k, v) = (rounded(50), rounded(51), rounded(52));
    let elements = |numbers: &[f32]| -> Vec<T> { numbers.iter().map(|&number| of_f32(number)).collect() };
    let [of_q, of_k, of_v] = [&q, &k, &v].map(|numbers| gpu.upload(&elements(numbers)));
    let [of_q, of_k, of_v] = [of_q?, of_k?, of_v?];
    let mut o = gpu.upload(&elements(&vec![0.0; q.len()]))?;
    let [mq, mk, mv] = [&of_q, &of_k, &of_v].map(|matrix| matrix.matrix(heads * rows, DEPTH));
    let mut call =
        attention(mq?, mk?, mv?, o.matrix_mut(heads * rows, DEPTH)?).heads(heads).layout(Layout::ByHead);
    if causal {
        call = call.causal();
    }
    let report = match call.run() {
        Err(kernel_library::Error::Kernel(error)) => return Err(error),
        other => other.expect("the sizes fit each other"),
    };
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
        attention_128::kernel::<f16>(),
        "intensity",
        "attention of `f16` by groups of warps",
        8,
        |gpu, n| run(gpu, n, f16::from_f32, f16::to_f32, false),
    ),
    Example::new(
        attention_128::kernel::<bf16>(),
        "intensity",
        "causal attention of `bf16` by groups of warps",
        8,
        |gpu, n| run(gpu, n, bf16::from_f32, bf16::to_f32, true),
    ),
];
