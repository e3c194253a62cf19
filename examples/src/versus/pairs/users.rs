//! The pairs of [`users`](crate::users): buffers are exactly as long as what is indexed, and sizes are no powers of two but where
//! the algorithm has them.

use kernel_runtime::Kernel;

use super::shapes::{BLOCK, Ours, Theirs};
use crate::users::{learning, polybench, rodinia, samples, validated};
use crate::versus::{Lens, Other, Pair};

/// Columns of matrices that are not square.
pub(super) const COLUMNS: usize = 1020;
/// Blocks of kernels in two dimensions.
pub(super) const TILE: (u32, u32) = (32, 8);

pub(super) const fn pair(
    (kernel, topic, twin): (&'static Kernel, &'static str, &'static str),
    tolerance: f32,
    lens: fn(usize) -> Lens,
    bytes: fn(usize) -> u64,
    ours: Ours,
    theirs: Theirs,
) -> Pair {
    Pair { kernel, topic, twin, what: twin, attribute: None, lens, bytes, tolerance, ours, theirs }
}

/// The side of a square of about so many elements.
pub(super) fn side(n: usize) -> usize {
    ((n as f64).sqrt() as usize).max(8)
}

/// The side of the squares of products, which take as many steps for each element.
pub(super) fn small_side(n: usize) -> usize {
    side(n).min(1000)
}

/// Rows of [`COLUMNS`] elements.
pub(super) fn rows(n: usize) -> usize {
    (n / COLUMNS).max(4)
}

/// Blocks that cover a matrix.
pub(super) fn tiles(width: usize, height: usize) -> (u32, u32) {
    (width.div_ceil(TILE.0 as usize) as u32, height.div_ceil(TILE.1 as usize) as u32)
}

/// The first input and the output are squares.
pub(super) fn squares(n: usize) -> Lens {
    let len = side(n) * side(n);
    Lens { x: len, out: len, ..Lens::NONE }
}

/// The first input and the output are matrices.
pub(super) fn matrices(n: usize) -> Lens {
    let len = rows(n) * COLUMNS;
    Lens { x: len, out: len, ..Lens::NONE }
}

/// Scattered numbers below a limit.
pub(super) fn scattered(len: usize, limit: usize) -> Vec<u32> {
    let number = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (0..len).map(|i| (number(i) % limit.max(1) as u64) as u32).collect()
}

/// Elements of a sparse row on average.
const IN_A_ROW: usize = 16;

fn sparse_rows(n: usize) -> usize {
    (n / IN_A_ROW).max(4)
}

/// Start indices of sparse rows of 9 to 23 elements.
fn starts(n: usize) -> Vec<u32> {
    let rows = sparse_rows(n);
    let apart = scattered(rows + 1, 8);
    let start = |row: usize| match row {
        0 => 0,
        row if row == rows => rows * IN_A_ROW,
        row => row * IN_A_ROW + apart[row] as usize,
    };
    (0..=rows).map(|row| start(row) as u32).collect()
}

fn sparse_columns(n: usize) -> Vec<u32> {
    scattered(sparse_rows(n) * IN_A_ROW, sparse_rows(n))
}

pub(super) fn no_bytes(_: usize) -> u64 {
    0
}

/// Sums in another order.
pub(super) const SUMS: f32 = 1e-3;
/// A few roundings.
pub(super) const ROUNDINGS: f32 = 1e-5;

const POLYBENCH_TOPIC: &str = "polybench";

/// Those of PolyBench.
pub static POLYBENCH: &[Pair] = &[
    pair(
        (&polybench::atax_rows::KERNEL, POLYBENCH_TOPIC, "atax_rows"),
        SUMS,
        |n| Lens { x: rows(n) * COLUMNS, y: COLUMNS, out: rows(n), ..Lens::NONE },
        |n| 4 * n as u64,
        |d| polybench::atax_rows(rows(d.n), COLUMNS, &d.x, &d.y, &mut d.out).over(rows(d.n)).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(rows(d.n) as i32).arg(COLUMNS as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).over(rows(d.n)).block(BLOCK)
        },
    ),
    pair(
        (&polybench::atax_columns::KERNEL, POLYBENCH_TOPIC, "atax_columns"),
        SUMS,
        |n| Lens { x: rows(n) * COLUMNS, y: COLUMNS, out: rows(n), ..Lens::NONE },
        |n| 4 * n as u64,
        |d| polybench::atax_columns(COLUMNS, rows(d.n), &d.x, &d.y, &mut d.out).over(rows(d.n)).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(COLUMNS as i32).arg(rows(d.n) as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).over(rows(d.n)).block(BLOCK)
        },
    ),
    pair(
        (&polybench::gesummv::KERNEL, POLYBENCH_TOPIC, "gesummv"),
        SUMS,
        |n| Lens {
            y: side(n) * side(n),
            out: side(n),
            other: Other { z: side(n), ..Other::NONE },
            ..squares(n)
        },
        |n| 8 * n as u64,
        |d| {
            let n = side(d.n);
            polybench::gesummv(n, 1.5, 1.2, &d.x, &d.y, &d.z, &mut d.out).over(n).block(BLOCK)
        },
        |twin, d| {
            let launch = twin.launch().arg(side(d.n) as i32).arg(1.5f32).arg(1.2f32);
            launch.arg(&d.x).arg(&d.y).arg(&d.z).arg(&mut d.out).over(side(d.n)).block(BLOCK)
        },
    ),
    pair(
        (&polybench::gemm::KERNEL, POLYBENCH_TOPIC, "gemm"),
        SUMS,
        |n| {
            let len = small_side(n) * small_side(n);
            Lens { x: len, y: len, out: len, ..Lens::NONE }
        },
        no_bytes,
        |d| {
            let n = small_side(d.n);
            polybench::gemm(n, n, n, 0.01, 0.5, &d.x, &d.y, &mut d.out).grid(tiles(n, n)).block(TILE)
        },
        |twin, d| {
            let n = small_side(d.n);
            let launch = twin.launch().arg(n as i32).arg(n as i32).arg(n as i32).arg(0.01f32).arg(0.5f32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).grid(tiles(n, n)).block(TILE)
        },
    ),
    pair(
        (&polybench::syrk::KERNEL, POLYBENCH_TOPIC, "syrk"),
        SUMS,
        |n| Lens { x: small_side(n) * 500, out: small_side(n) * small_side(n), ..Lens::NONE },
        no_bytes,
        |d| {
            let n = small_side(d.n);
            polybench::syrk(n, 500, 0.01, 0.5, &d.x, &mut d.out).grid(tiles(n, n)).block(TILE)
        },
        |twin, d| {
            let n = small_side(d.n);
            let launch = twin.launch().arg(n as i32).arg(500i32).arg(0.01f32).arg(0.5f32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(n, n)).block(TILE)
        },
    ),
    pair(
        (&polybench::jacobi2d::KERNEL, POLYBENCH_TOPIC, "jacobi2d"),
        ROUNDINGS,
        squares,
        |n| 8 * n as u64,
        |d| {
            let n = side(d.n);
            polybench::jacobi2d(n, &d.x, &mut d.out).grid(tiles(n, n)).block(TILE)
        },
        |twin, d| {
            let n = side(d.n);
            twin.launch().arg(n as i32).arg(&d.x).arg(&mut d.out).grid(tiles(n, n)).block(TILE)
        },
    ),
    pair(
        (&polybench::fdtd2d_ey::KERNEL, POLYBENCH_TOPIC, "fdtd2d_ey"),
        ROUNDINGS,
        matrices,
        |n| 12 * n as u64,
        |d| {
            let (nx, ny) = (rows(d.n), COLUMNS);
            polybench::fdtd2d_ey(nx, ny, 0.25, &d.x, &mut d.out).grid(tiles(ny, nx)).block(TILE)
        },
        |twin, d| {
            let (nx, ny) = (rows(d.n), COLUMNS);
            let launch = twin.launch().arg(nx as i32).arg(ny as i32).arg(0.25f32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(ny, nx)).block(TILE)
        },
    ),
    pair(
        (&polybench::fdtd2d_hz::KERNEL, POLYBENCH_TOPIC, "fdtd2d_hz"),
        ROUNDINGS,
        |n| Lens { x: rows(n) * (COLUMNS + 1), y: (rows(n) + 1) * COLUMNS, ..matrices(n) },
        |n| 16 * n as u64,
        |d| {
            let (nx, ny) = (rows(d.n), COLUMNS);
            polybench::fdtd2d_hz(nx, ny, &d.x, &d.y, &mut d.out).grid(tiles(ny, nx)).block(TILE)
        },
        |twin, d| {
            let (nx, ny) = (rows(d.n), COLUMNS);
            let launch = twin.launch().arg(nx as i32).arg(ny as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).grid(tiles(ny, nx)).block(TILE)
        },
    ),
    pair(
        (&polybench::conv2d::KERNEL, POLYBENCH_TOPIC, "conv2d"),
        ROUNDINGS,
        matrices,
        |n| 8 * n as u64,
        |d| {
            let (ni, nj) = (rows(d.n), COLUMNS);
            polybench::conv2d(ni as i32, nj as i32, &d.x, &mut d.out).grid(tiles(nj, ni)).block(TILE)
        },
        |twin, d| {
            let (ni, nj) = (rows(d.n), COLUMNS);
            let launch = twin.launch().arg(ni as i32).arg(nj as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(nj, ni)).block(TILE)
        },
    ),
    pair(
        (&polybench::heat3d::KERNEL, POLYBENCH_TOPIC, "heat3d"),
        ROUNDINGS,
        |n| Lens { x: volume(n), out: volume(n), ..Lens::NONE },
        |n| 8 * n as u64,
        |d| {
            let (w, h, depth) = sizes(d.n);
            let grid = (tiles(w, h).0, tiles(w, h).1, depth as u32);
            polybench::heat3d(w, h, depth, &d.x, &mut d.out).grid(grid).block(TILE)
        },
        |twin, d| {
            let (w, h, depth) = sizes(d.n);
            let grid = (tiles(w, h).0, tiles(w, h).1, depth as u32);
            let launch = twin.launch().arg(w as i32).arg(h as i32).arg(depth as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(grid).block(TILE)
        },
    ),
    pair(
        (&polybench::correlation_mean::KERNEL, POLYBENCH_TOPIC, "correlation_mean"),
        SUMS,
        |n| Lens { out: rows(n), ..matrices(n) },
        |n| 4 * n as u64,
        |d| polybench::correlation_mean(COLUMNS, rows(d.n), &d.x, &mut d.out).over(rows(d.n)).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(COLUMNS as i32).arg(rows(d.n) as i32);
            launch.arg(&d.x).arg(&mut d.out).over(rows(d.n)).block(BLOCK)
        },
    ),
    pair(
        (&polybench::correlation_reduce::KERNEL, POLYBENCH_TOPIC, "correlation_reduce"),
        ROUNDINGS,
        |n| Lens { x: COLUMNS, y: COLUMNS, ..matrices(n) },
        |n| 8 * n as u64,
        |d| {
            let (n, m) = (rows(d.n), COLUMNS);
            polybench::correlation_reduce(n, m, &d.x, &d.y, &mut d.out).grid(tiles(m, n)).block(TILE)
        },
        |twin, d| {
            let (n, m) = (rows(d.n), COLUMNS);
            let launch = twin.launch().arg(n as i32).arg(m as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).grid(tiles(m, n)).block(TILE)
        },
    ),
];

/// Width, height and depth of a volume.
fn sizes(n: usize) -> (usize, usize, usize) {
    let depth = (n / (500 * 300)).max(4);
    if n < 500 * 300 * 4 { (20, 12, 9) } else { (500, 300, depth) }
}

fn volume(n: usize) -> usize {
    let (width, height, depth) = sizes(n);
    width * height * depth
}

const RODINIA_TOPIC: &str = "rodinia";

/// The diagonal that is computed, in the middle of the matrix.
fn diagonal(n: usize) -> usize {
    side(n) - 1
}

const FEATURES: usize = 17;
const CLUSTERS: usize = 5;

fn points(n: usize) -> usize {
    (n / FEATURES).max(4)
}

/// The pivot of the step of Gaussian elimination.
const PIVOT: usize = 3;

/// Those of Rodinia and HeCBench.
pub static RODINIA: &[Pair] = &[
    pair(
        (&rodinia::hotspot::KERNEL, RODINIA_TOPIC, "hotspot"),
        ROUNDINGS,
        |n| Lens { y: rows(n) * COLUMNS, ..matrices(n) },
        |n| 12 * n as u64,
        |d| {
            let r = rows(d.n);
            rodinia::hotspot(r, COLUMNS, &d.x, &d.y, &mut d.out).grid(tiles(COLUMNS, r)).block(TILE)
        },
        |twin, d| {
            let r = rows(d.n);
            let launch = twin.launch().arg(r as i32).arg(COLUMNS as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).grid(tiles(COLUMNS, r)).block(TILE)
        },
    ),
    pair(
        (&rodinia::pathfinder::KERNEL, RODINIA_TOPIC, "pathfinder"),
        ROUNDINGS,
        |n| Lens { x: 2 * n, y: n, out: n, ..Lens::NONE },
        |n| 12 * n as u64,
        |d| rodinia::pathfinder(1, d.n, &d.x, &d.y, &mut d.out).over(d.n).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(1i32).arg(d.n as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).over(d.n).block(BLOCK)
        },
    ),
    pair(
        (&rodinia::srad::KERNEL, RODINIA_TOPIC, "srad"),
        1e-4,
        matrices,
        |n| 8 * n as u64,
        |d| {
            let r = rows(d.n);
            rodinia::srad(r as u32, COLUMNS as u32, 0.05, &d.x, &mut d.out).over(r * COLUMNS).block(BLOCK)
        },
        |twin, d| {
            let r = rows(d.n);
            let launch = twin.launch().arg(r as u32).arg(COLUMNS as u32).arg(0.05f32);
            launch.arg(&d.x).arg(&mut d.out).over(r * COLUMNS).block(BLOCK)
        },
    ),
    pair(
        (&rodinia::needle::KERNEL, RODINIA_TOPIC, "needle"),
        ROUNDINGS,
        squares,
        |n| 20 * side(n) as u64,
        |d| {
            let n = diagonal(d.n);
            rodinia::needle(side(d.n), n, 0.1, &d.x, &mut d.out).over(n).block(BLOCK)
        },
        |twin, d| {
            let n = diagonal(d.n);
            let launch = twin.launch().arg(side(d.n) as i32).arg(n as i32).arg(0.1f32);
            launch.arg(&d.x).arg(&mut d.out).over(n).block(BLOCK)
        },
    ),
    pair(
        (&rodinia::kmeans::KERNEL, RODINIA_TOPIC, "kmeans"),
        0.0,
        |n| Lens { x: points(n) * FEATURES, y: CLUSTERS * FEATURES, out: points(n), ..Lens::NONE },
        |n| 4 * n as u64,
        |d| {
            let n = points(d.n);
            rodinia::kmeans(n, CLUSTERS, FEATURES, &d.x, &d.y, &mut d.out).over(n).block(BLOCK)
        },
        |twin, d| {
            let n = points(d.n);
            let launch = twin.launch().arg(n as i32).arg(CLUSTERS as i32).arg(FEATURES as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).over(n).block(BLOCK)
        },
    ),
    pair(
        (&rodinia::gaussian::KERNEL, RODINIA_TOPIC, "gaussian"),
        ROUNDINGS,
        squares,
        |n| 12 * n as u64,
        |d| {
            let n = side(d.n);
            rodinia::gaussian(n, PIVOT, &d.x, &mut d.out).grid(tiles(n, n)).block(TILE)
        },
        |twin, d| {
            let n = side(d.n);
            let launch = twin.launch().arg(n as i32).arg(PIVOT as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(n, n)).block(TILE)
        },
    ),
    BFS,
    SPMV_CSR,
    SPMV_ELL,
];

const BFS: Pair = pair(
    (&rodinia::bfs::KERNEL, RODINIA_TOPIC, "bfs"),
    0.0,
    |_| Lens {
        other: Other { starts, columns: sparse_columns, counts: levels, ..Other::NONE },
        ..Lens::NONE
    },
    |n| 4 * n as u64,
    |d| {
        let n = sparse_rows(d.n);
        rodinia::bfs(n, 0, &d.starts, &d.columns, &mut d.counts).over(n).block(BLOCK)
    },
    |twin, d| {
        let n = sparse_rows(d.n);
        let launch = twin.launch().arg(n as i32).arg(0u32);
        let launch = launch.arg(&*d.starts).arg(&*d.columns).arg(&mut d.counts);
        // As in Rodinia, threads that find the same node all write its level.
        launch.over(n).block(BLOCK).sanitize(false)
    },
);

const SPMV_CSR: Pair = pair(
    (&rodinia::spmv_csr::KERNEL, RODINIA_TOPIC, "spmv_csr"),
    SUMS,
    sparse,
    |n| 8 * n as u64,
    |d| {
        let n = sparse_rows(d.n);
        rodinia::spmv_csr(n, &d.starts, &d.columns, &d.x, &d.y, &mut d.out).over(n).block(BLOCK)
    },
    |twin, d| {
        let n = sparse_rows(d.n);
        let launch = twin.launch().arg(n as i32).arg(&*d.starts).arg(&*d.columns);
        launch.arg(&d.x).arg(&d.y).arg(&mut d.out).over(n).block(BLOCK)
    },
);

const SPMV_ELL: Pair = pair(
    (&rodinia::spmv_ell::KERNEL, RODINIA_TOPIC, "spmv_ell"),
    SUMS,
    sparse,
    |n| 8 * n as u64,
    |d| {
        let n = sparse_rows(d.n);
        rodinia::spmv_ell(n, IN_A_ROW, &d.columns, &d.x, &d.y, &mut d.out).over(n).block(BLOCK)
    },
    |twin, d| {
        let n = sparse_rows(d.n);
        let launch = twin.launch().arg(n as i32).arg(IN_A_ROW as i32).arg(&*d.columns);
        launch.arg(&d.x).arg(&d.y).arg(&mut d.out).over(n).block(BLOCK)
    },
);

/// Every fourth node has been reached at once.
fn levels(n: usize) -> Vec<u32> {
    (0..sparse_rows(n)).map(|node| if node % 4 == 0 { 0 } else { u32::MAX }).collect()
}

fn sparse(n: usize) -> Lens {
    let rows = sparse_rows(n);
    let other = Other { starts, columns: sparse_columns, ..Other::NONE };
    Lens { x: rows * IN_A_ROW, y: rows, out: rows, other, ..Lens::NONE }
}

const LEARNING_TOPIC: &str = "learning";

const CHANNELS: usize = 90;
const LENGTH: usize = 70;
const VOCABULARY: usize = 500;

fn batches(n: usize) -> usize {
    (n / CHANNELS / LENGTH).max(1)
}

fn of_tokens(n: usize) -> Vec<u32> {
    scattered(batches(n) * LENGTH, VOCABULARY)
}

const ENCODER_FORWARD: Pair = pair(
    (&learning::encoder_forward::KERNEL, LEARNING_TOPIC, "encoder_forward"),
    0.0,
    |n| Lens {
        x: VOCABULARY * CHANNELS,
        y: LENGTH * CHANNELS,
        out: batches(n) * LENGTH * CHANNELS,
        other: Other { starts: of_tokens, ..Other::NONE },
        ..Lens::NONE
    },
    |n| 4 * n as u64,
    |d| {
        let (b, t, c) = (batches(d.n), LENGTH, CHANNELS);
        let launch = learning::encoder_forward(b, t, c, &d.starts, &d.x, &d.y, &mut d.out);
        launch.over(b * t * c).block(BLOCK)
    },
    |twin, d| {
        let (b, t, c) = (batches(d.n), LENGTH, CHANNELS);
        let launch = twin.launch().arg(b as i32).arg(t as i32).arg(c as i32);
        launch.arg(&*d.starts).arg(&d.x).arg(&d.y).arg(&mut d.out).over(b * t * c).block(BLOCK)
    },
);

const CROSSENTROPY_FORWARD: Pair = pair(
    (&learning::crossentropy_forward::KERNEL, LEARNING_TOPIC, "crossentropy_forward"),
    ROUNDINGS,
    |n| Lens { out: rows(n), other: Other { starts: targets, ..Other::NONE }, ..matrices(n) },
    |n| 12 * rows(n) as u64,
    |d| {
        let r = rows(d.n);
        learning::crossentropy_forward(r, COLUMNS, &d.x, &d.starts, &mut d.out).over(r).block(BLOCK)
    },
    |twin, d| {
        let launch = twin.launch().arg(rows(d.n) as i32).arg(COLUMNS as i32);
        launch.arg(&d.x).arg(&*d.starts).arg(&mut d.out).over(rows(d.n)).block(BLOCK)
    },
);

pub(super) fn targets(n: usize) -> Vec<u32> {
    scattered(rows(n), COLUMNS)
}

/// Blocks of eight warps, a row for each.
fn warps(rows: usize) -> u32 {
    rows.div_ceil(8) as u32
}

const HALF: usize = 40;

fn positions(n: usize) -> usize {
    (n / (2 * HALF)).max(2)
}

const HEADS: usize = 6;
const DEPTH: usize = 40;

fn packed_batches(n: usize) -> usize {
    (n / (LENGTH * HEADS * DEPTH)).max(1)
}

const OUTPUTS: usize = 70;
const INPUTS: usize = 96;

fn layer_rows(n: usize) -> usize {
    (n / 1000).max(5)
}

/// Channels, height and width of images.
fn image(n: usize) -> (usize, usize, usize) {
    if n < 300 * 200 * 4 { (3, 12, 20) } else { (n / (300 * 200), 200, 300) }
}

fn pixels(n: usize) -> usize {
    let (channels, height, width) = image(n);
    channels * height * width
}

/// Those of llm.c, Triton's tutorials and PyTorch.
pub static LEARNING: &[Pair] = &[
    pair(
        (&learning::gelu_forward::KERNEL, LEARNING_TOPIC, "gelu_forward"),
        ROUNDINGS,
        |n| Lens { x: n, out: n, ..Lens::NONE },
        |n| 8 * n as u64,
        |d| learning::gelu_forward(d.n, &d.x, &mut d.out).over(d.n).block(BLOCK),
        |twin, d| twin.launch().arg(d.n as i32).arg(&d.x).arg(&mut d.out).over(d.n).block(BLOCK),
    ),
    pair(
        (&learning::adamw::KERNEL, LEARNING_TOPIC, "adamw"),
        ROUNDINGS,
        |n| Lens { x: n, out: n, other: Other { more: 2 * n, ..Other::NONE }, ..Lens::NONE },
        |n| 28 * n as u64,
        |d| {
            let launch =
                learning::adamw(d.n, 1e-3, 0.9, 0.95, 0.1, 0.05, 0.01, &d.x, &mut d.more, &mut d.out);
            launch.over(d.n).block(BLOCK)
        },
        |twin, d| {
            let launch = twin.launch().arg(d.n as i32).arg(1e-3f32).arg(0.9f32).arg(0.95f32);
            let launch = launch.arg(0.1f32).arg(0.05f32).arg(0.01f32);
            launch.arg(&d.x).arg(&mut d.more).arg(&mut d.out).over(d.n).block(BLOCK)
        },
    ),
    pair(
        (&learning::residual_forward::KERNEL, LEARNING_TOPIC, "residual_forward"),
        0.0,
        |n| Lens { x: n, y: n, out: n, ..Lens::NONE },
        |n| 12 * n as u64,
        |d| learning::residual_forward(d.n, &d.x, &d.y, &mut d.out).over(d.n).block(BLOCK),
        |twin, d| twin.launch().arg(d.n as i32).arg(&d.x).arg(&d.y).arg(&mut d.out).over(d.n).block(BLOCK),
    ),
    ENCODER_FORWARD,
    pair(
        (&learning::layernorm_forward::KERNEL, LEARNING_TOPIC, "layernorm_forward"),
        SUMS,
        |n| Lens { y: COLUMNS, other: Other { z: COLUMNS, ..Other::NONE }, ..matrices(n) },
        |n| 16 * n as u64,
        |d| {
            let r = rows(d.n);
            learning::layernorm_forward(r, COLUMNS, &d.x, &d.y, &d.z, &mut d.out).over(r).block(BLOCK)
        },
        |twin, d| {
            let launch = twin.launch().arg(rows(d.n) as i32).arg(COLUMNS as i32);
            launch.arg(&d.x).arg(&d.y).arg(&d.z).arg(&mut d.out).over(rows(d.n)).block(BLOCK)
        },
    ),
    pair(
        (&learning::layernorm_backward::KERNEL, LEARNING_TOPIC, "layernorm_backward"),
        SUMS,
        |n| Lens { y: rows(n) * COLUMNS, other: Other { z: COLUMNS, ..Other::NONE }, ..matrices(n) },
        |n| 12 * n as u64,
        |d| {
            let r = rows(d.n);
            learning::layernorm_backward(r, COLUMNS, &d.x, &d.y, &d.z, &mut d.out).grid(warps(r)).block(BLOCK)
        },
        |twin, d| {
            let launch = twin.launch().arg(rows(d.n) as i32).arg(COLUMNS as i32);
            launch.arg(&d.x).arg(&d.y).arg(&d.z).arg(&mut d.out).grid(warps(rows(d.n))).block(BLOCK)
        },
    ),
    pair(
        (&learning::softmax_forward::KERNEL, LEARNING_TOPIC, "softmax_forward"),
        ROUNDINGS,
        matrices,
        |n| 8 * n as u64,
        |d| {
            learning::softmax_forward(rows(d.n), COLUMNS, &d.x, &mut d.out)
                .grid(warps(rows(d.n)))
                .block(BLOCK)
        },
        |twin, d| {
            let launch = twin.launch().arg(rows(d.n) as i32).arg(COLUMNS as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(warps(rows(d.n))).block(BLOCK)
        },
    ),
    pair(
        (&learning::rmsnorm_by_four::KERNEL, LEARNING_TOPIC, "rmsnorm_by_four"),
        SUMS,
        |n| Lens { y: COLUMNS, ..matrices(n) },
        |n| 8 * n as u64,
        |d| {
            let r = rows(d.n);
            learning::rmsnorm_by_four(r, COLUMNS, &d.x, &d.y, &mut d.out).grid(warps(r)).block(BLOCK)
        },
        |twin, d| {
            let launch = twin.launch().arg(rows(d.n) as i32).arg(COLUMNS as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).grid(warps(rows(d.n))).block(BLOCK)
        },
    ),
    pair(
        (&learning::row_squares::KERNEL, LEARNING_TOPIC, "row_squares"),
        SUMS,
        |n| Lens { out: rows(n), ..matrices(n) },
        |n| 4 * n as u64,
        |d| learning::row_squares(rows(d.n), COLUMNS, &d.x, &mut d.out).grid(warps(rows(d.n))).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(rows(d.n) as i32).arg(COLUMNS as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(warps(rows(d.n))).block(BLOCK)
        },
    ),
    CROSSENTROPY_FORWARD,
    pair(
        (&learning::rope::KERNEL, LEARNING_TOPIC, "rope"),
        ROUNDINGS,
        |n| Lens {
            x: positions(n) * 2 * HALF,
            y: HALF,
            out: positions(n) * 2 * HALF,
            other: Other { z: HALF, ..Other::NONE },
            ..Lens::NONE
        },
        |n| 8 * n as u64,
        |d| {
            let length = positions(d.n);
            learning::rope(length, HALF, &d.x, &d.y, &d.z, &mut d.out).over(length * HALF).block(BLOCK)
        },
        |twin, d| {
            let length = positions(d.n);
            let launch = twin.launch().arg(length as i32).arg(HALF as i32);
            launch.arg(&d.x).arg(&d.y).arg(&d.z).arg(&mut d.out).over(length * HALF).block(BLOCK)
        },
    ),
    pair(
        (&learning::permute::KERNEL, LEARNING_TOPIC, "permute"),
        0.0,
        |n| {
            let queries = packed_batches(n) * LENGTH * HEADS * DEPTH;
            // Of the last position only the queries are read.
            Lens { x: 3 * queries - 2 * HEADS * DEPTH, out: queries, ..Lens::NONE }
        },
        |n| 8 * n as u64,
        |d| {
            let b = packed_batches(d.n);
            learning::permute(b, LENGTH, HEADS, DEPTH, &d.x, &mut d.out)
                .over(b * LENGTH * HEADS * DEPTH)
                .block(BLOCK)
        },
        |twin, d| {
            let b = packed_batches(d.n);
            let launch = twin.launch().arg(b as i32).arg(LENGTH as i32).arg(HEADS as i32).arg(DEPTH as i32);
            launch.arg(&d.x).arg(&mut d.out).over(b * LENGTH * HEADS * DEPTH).block(BLOCK)
        },
    ),
    pair(
        (&learning::matmul_forward::KERNEL, LEARNING_TOPIC, "matmul_forward"),
        SUMS,
        |n| Lens {
            x: layer_rows(n) * INPUTS,
            y: OUTPUTS * INPUTS,
            out: layer_rows(n) * OUTPUTS,
            other: Other { z: OUTPUTS, ..Other::NONE },
            ..Lens::NONE
        },
        no_bytes,
        |d| {
            let r = layer_rows(d.n);
            let launch = learning::matmul_forward(r, INPUTS, OUTPUTS, &d.x, &d.y, &d.z, &mut d.out);
            launch.grid(tiles(r, OUTPUTS)).block(TILE)
        },
        |twin, d| {
            let r = layer_rows(d.n);
            let launch = twin.launch().arg(r as i32).arg(INPUTS as i32).arg(OUTPUTS as i32);
            launch.arg(&d.x).arg(&d.y).arg(&d.z).arg(&mut d.out).grid(tiles(r, OUTPUTS)).block(TILE)
        },
    ),
    pair(
        (&learning::im2col::KERNEL, LEARNING_TOPIC, "im2col"),
        0.0,
        |n| Lens { x: pixels(n / 9), out: 9 * pixels(n / 9), ..Lens::NONE },
        |n| 5 * n as u64,
        |d| {
            let (c, h, w) = image(d.n / 9);
            let launch = learning::im2col(c as i32, h as i32, w as i32, 3, 1, &d.x, &mut d.out);
            launch.over(c * h * w).block(BLOCK)
        },
        |twin, d| {
            let (c, h, w) = image(d.n / 9);
            let launch = twin.launch().arg(c as i32).arg(h as i32).arg(w as i32).arg(3i32).arg(1i32);
            launch.arg(&d.x).arg(&mut d.out).over(c * h * w).block(BLOCK)
        },
    ),
    pair(
        (&learning::maxpool::KERNEL, LEARNING_TOPIC, "maxpool"),
        0.0,
        |n| Lens { x: pixels(n), out: pixels(n) / 4, ..Lens::NONE },
        |n| 5 * n as u64,
        |d| {
            let (c, h, w) = image(d.n);
            learning::maxpool(c, h, w, &d.x, &mut d.out).over(c * h * w / 4).block(BLOCK)
        },
        |twin, d| {
            let (c, h, w) = image(d.n);
            let launch = twin.launch().arg(c as i32).arg(h as i32).arg(w as i32);
            launch.arg(&d.x).arg(&mut d.out).over(c * h * w / 4).block(BLOCK)
        },
    ),
];

const SAMPLES_TOPIC: &str = "samples";

/// Bytes of one input and as many of the output.
fn cells(n: usize) -> Lens {
    let len = rows(n) * COLUMNS;
    Lens { other: Other { bytes: [len, len], ..Other::NONE }, ..Lens::NONE }
}

pub(super) fn bodies(n: usize) -> usize {
    (n / 16).clamp(4, 20_000)
}

const TAPS: usize = 17;
const ROUNDS: u32 = 100;

fn zeros_of_matrix(n: usize) -> Vec<u32> {
    vec![0; rows(n) * COLUMNS]
}

fn reducing_blocks(n: usize) -> usize {
    n.div_ceil(4096)
}

/// Those of the CUDA samples, and images.
pub static SAMPLES: &[Pair] = &[
    pair(
        (&samples::transpose_naive::KERNEL, SAMPLES_TOPIC, "transpose_naive"),
        0.0,
        matrices,
        |n| 8 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            samples::transpose_naive(w as u32, h as u32, &d.x, &mut d.out).grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as u32).arg(h as u32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(w, h)).block(TILE)
        },
    ),
    pair(
        (&samples::histogram::KERNEL, SAMPLES_TOPIC, "histogram"),
        // It counts on from the run before: only the first run is compared.
        0.0,
        |n| Lens { other: Other { bytes: [n, 0], counts: |_| vec![0; 256], ..Other::NONE }, ..Lens::NONE },
        |n| n as u64,
        |d| samples::histogram(d.n, &d.bytes, &mut d.counts).grid(4 * d.blocks).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(d.n as i32).arg(&d.bytes);
            launch.arg(&mut d.counts).grid(4 * d.blocks).block(BLOCK)
        },
    ),
    pair(
        (&samples::black_scholes::KERNEL, SAMPLES_TOPIC, "black_scholes"),
        ROUNDINGS,
        |n| Lens { x: n, y: n, out: 2 * n, other: Other { z: n, ..Other::NONE }, ..Lens::NONE },
        |n| 20 * n as u64,
        |d| {
            let launch = samples::black_scholes(d.n, 0.02, 0.3, &d.x, &d.y, &d.z, &mut d.out);
            launch.over(d.n).block(BLOCK)
        },
        |twin, d| {
            let launch = twin.launch().arg(d.n as i32).arg(0.02f32).arg(0.3f32);
            launch.arg(&d.x).arg(&d.y).arg(&d.z).arg(&mut d.out).over(d.n).block(BLOCK)
        },
    ),
    pair(
        (&samples::mandelbrot::KERNEL, SAMPLES_TOPIC, "mandelbrot"),
        // A rounding more decides when points at the edge escape.
        0.5,
        |_| Lens { other: Other { counts: zeros_of_matrix, ..Other::NONE }, ..Lens::NONE },
        |n| 4 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            samples::mandelbrot(w, h, ROUNDS, &mut d.counts).grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32).arg(ROUNDS);
            launch.arg(&mut d.counts).grid(tiles(w, h)).block(TILE)
        },
    ),
    pair(
        (&samples::game_of_life::KERNEL, SAMPLES_TOPIC, "game_of_life"),
        0.0,
        cells,
        |n| 2 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            samples::game_of_life(w, h, &d.bytes, &mut d.out_bytes).grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32);
            launch.arg(&d.bytes).arg(&mut d.out_bytes).grid(tiles(w, h)).block(TILE)
        },
    ),
    pair(
        (&samples::scan_block::KERNEL, SAMPLES_TOPIC, "scan_block"),
        ROUNDINGS,
        |n| Lens { x: n, out: n, ..Lens::NONE },
        |n| 8 * n as u64,
        |d| samples::scan_block(d.n, &d.x, &mut d.out).over(d.n).block(BLOCK),
        |twin, d| twin.launch().arg(d.n as i32).arg(&d.x).arg(&mut d.out).over(d.n).block(BLOCK),
    ),
    pair(
        (&samples::nbody::KERNEL, SAMPLES_TOPIC, "nbody"),
        SUMS,
        |n| Lens { vectors: bodies(n), ..Lens::NONE },
        no_bytes,
        |d| samples::nbody(bodies(d.n), &d.x4, &mut d.out4).over(bodies(d.n)).block(BLOCK),
        |twin, d| {
            let n = bodies(d.n);
            twin.launch().arg(n as i32).arg(&d.x4).arg(&mut d.out4).over(n).block(BLOCK)
        },
    ),
    pair(
        (&samples::rgb_to_grey::KERNEL, SAMPLES_TOPIC, "rgb_to_grey"),
        0.0,
        |n| {
            let len = rows(n) * COLUMNS;
            Lens { other: Other { bytes: [3 * len, len], ..Other::NONE }, ..Lens::NONE }
        },
        |n| 4 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            samples::rgb_to_grey(w, h, &d.bytes, &mut d.out_bytes).grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32);
            launch.arg(&d.bytes).arg(&mut d.out_bytes).grid(tiles(w, h)).block(TILE)
        },
    ),
    pair(
        (&samples::sobel::KERNEL, SAMPLES_TOPIC, "sobel"),
        ROUNDINGS,
        matrices,
        |n| 8 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            samples::sobel(w, h, &d.x, &mut d.out).grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(w, h)).block(TILE)
        },
    ),
    pair(
        (&samples::median::KERNEL, SAMPLES_TOPIC, "median"),
        0.0,
        matrices,
        |n| 8 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            samples::median(w, h, &d.x, &mut d.out).grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(w, h)).block(TILE)
        },
    ),
    pair(
        (&samples::box_blur::KERNEL, SAMPLES_TOPIC, "box_blur"),
        ROUNDINGS,
        matrices,
        |n| 8 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            samples::box_blur(w as i32, h as i32, 2, &d.x, &mut d.out).grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32).arg(2i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(w, h)).block(TILE)
        },
    ),
    pair(
        (&samples::bilinear::KERNEL, SAMPLES_TOPIC, "bilinear"),
        1e-4,
        |n| Lens { out: 2 * COLUMNS * rows(n), ..matrices(n) },
        |n| 12 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            samples::bilinear(w, h, 2 * w, h, &d.x, &mut d.out).grid(tiles(2 * w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32).arg(2 * w as i32).arg(h as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(2 * w, h)).block(TILE)
        },
    ),
    pair(
        (&samples::convolution_rows::KERNEL, SAMPLES_TOPIC, "convolution_rows"),
        ROUNDINGS,
        |n| Lens { y: TAPS, ..wide(n) },
        |n| 8 * n as u64,
        |d| {
            let h = wide_rows(d.n);
            let grid = (COLUMNS.div_ceil(128) as u32, h as u32);
            samples::convolution_rows(COLUMNS, h, &d.y, &d.x, &mut d.out).grid(grid).block(128)
        },
        |twin, d| {
            let h = wide_rows(d.n);
            let grid = (COLUMNS.div_ceil(128) as u32, h as u32);
            let launch = twin.launch().arg(COLUMNS as i32).arg(h as i32);
            launch.arg(&d.y).arg(&d.x).arg(&mut d.out).grid(grid).block(128)
        },
    ),
    pair(
        (&samples::reduce::KERNEL, SAMPLES_TOPIC, "reduce"),
        SUMS,
        |n| Lens { x: n, out: reducing_blocks(n), ..Lens::NONE },
        |n| 4 * n as u64,
        |d| {
            let blocks = reducing_blocks(d.n) as u32;
            samples::reduce(d.n, &d.x, &mut d.out).grid(blocks).block(BLOCK)
        },
        |twin, d| {
            let blocks = reducing_blocks(d.n) as u32;
            twin.launch().arg(d.n as i32).arg(&d.x).arg(&mut d.out).grid(blocks).block(BLOCK)
        },
    ),
];

/// Rows that a grid can have along y.
fn wide_rows(n: usize) -> usize {
    rows(n).min(60_000)
}

fn wide(n: usize) -> Lens {
    let len = wide_rows(n) * COLUMNS;
    Lens { x: len, out: len, ..Lens::NONE }
}

/// Pairs whose kernels take indices from memory that the host has validated, beside the same twins.
pub static VALIDATED: &[Pair] = &[
    Pair {
        kernel: &validated::bfs::KERNEL,
        attribute: Some("Indices"),
        ours: |d| {
            let n = sparse_rows(d.n);
            validated::bfs(n, 0, &d.starts, &d.columns, &mut d.counts).over(n).block(BLOCK)
        },
        ..BFS
    },
    Pair {
        kernel: &validated::spmv_csr::KERNEL,
        attribute: Some("Indices"),
        ours: |d| {
            let n = sparse_rows(d.n);
            validated::spmv_csr(n, &d.starts, &d.columns, &d.x, &d.y, &mut d.out).over(n).block(BLOCK)
        },
        ..SPMV_CSR
    },
    Pair {
        kernel: &validated::spmv_ell::KERNEL,
        attribute: Some("Indices"),
        ours: |d| {
            let n = sparse_rows(d.n);
            validated::spmv_ell(n, IN_A_ROW, &d.columns, &d.x, &d.y, &mut d.out).over(n).block(BLOCK)
        },
        ..SPMV_ELL
    },
    Pair {
        kernel: &validated::encoder_forward::KERNEL,
        attribute: Some("Indices"),
        ours: |d| {
            let (b, t, c) = (batches(d.n), LENGTH, CHANNELS);
            let launch = validated::encoder_forward(b, t, c, &d.starts, &d.x, &d.y, &mut d.out);
            launch.over(b * t * c).block(BLOCK)
        },
        ..ENCODER_FORWARD
    },
    Pair {
        kernel: &validated::crossentropy_forward::KERNEL,
        attribute: Some("Indices"),
        ours: |d| {
            let r = rows(d.n);
            validated::crossentropy_forward(r, COLUMNS, &d.x, &d.starts, &mut d.out).over(r).block(BLOCK)
        },
        ..CROSSENTROPY_FORWARD
    },
];
