//! Kernels of [`rodinia`](super::rodinia) and [`learning`](super::learning) that take their indices as [`Indices`].

use kernel_runtime::prelude::*;

/// A level of a breadth-first search.
#[kernel(deny_checks)]
pub fn bfs(
    nodes: usize,
    depth: u32,
    starts: Indices<'_, u32>,
    edges: Indices<'_, u32>,
    levels: &[AtomicU32],
) {
    let node = global_idx().x;
    if node < nodes && levels[node].load(Ordering::Relaxed) == depth {
        for e in starts[node] as usize..starts[node + 1] as usize {
            let id = edges[e] as usize;
            if levels[id].load(Ordering::Relaxed) == u32::MAX {
                levels[id].store(depth + 1, Ordering::Relaxed);
            }
        }
    }
}

/// A sparse matrix in compressed rows by a vector, a thread for each row.
#[kernel(deny_checks)]
pub fn spmv_csr(
    rows: usize,
    starts: Indices<'_, u32>,
    columns: Indices<'_, u32>,
    values: &[f32],
    x: &[f32],
    y: &mut [f32],
) {
    let row = global_idx().x;
    if row < rows {
        let start = starts[row] as usize;
        let end = starts[row + 1] as usize;
        let mut sum = 0.0f32;
        for j in start..end {
            sum += values[j] * x[columns[j] as usize];
        }
        y[row] = sum;
    }
}

/// A sparse matrix of equally long rows, stored by columns, by a vector.
#[kernel(deny_checks)]
pub fn spmv_ell(
    rows: usize,
    width: usize,
    columns: Indices<'_, u32>,
    values: &[f32],
    x: &[f32],
    y: &mut [f32],
) {
    let row = global_idx().x;
    if row < rows {
        let mut sum = 0.0f32;
        for k in 0..width {
            let at = k * rows + row;
            sum += values[at] * x[columns[at] as usize];
        }
        y[row] = sum;
    }
}

/// Embeddings of tokens and of their positions.
#[kernel(deny_checks)]
pub fn encoder_forward(
    b: usize,
    t: usize,
    c: usize,
    tokens: Indices<'_, u32>,
    wte: &[f32],
    wpe: &[f32],
    out: &mut [f32],
) {
    let i = global_idx().x;
    if i < b * t * c {
        let bt = i / c;
        let channel = i % c;
        let position = bt % t;
        let token = tokens[bt] as usize;
        out[i] = wte[token * c + channel] + wpe[position * c + channel];
    }
}

/// The loss of the right token of each row.
#[kernel(deny_checks)]
pub fn crossentropy_forward(
    rows: usize,
    vocabulary: usize,
    probabilities: &[f32],
    targets: Indices<'_, u32>,
    losses: &mut [f32],
) {
    let i = global_idx().x;
    if i < rows {
        let target = targets[i] as usize;
        losses[i] = -(probabilities[i * vocabulary + target] + 1.0).ln();
    }
}
