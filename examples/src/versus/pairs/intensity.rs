//! Pairs about what moves: filters, matrices, rows that stay in registers, tiles in a pipeline.

use kernel_runtime::{Kernel, PtxFunction, PtxLaunch};

use super::shapes::{BLOCK, Ours, Theirs, maps, of_one};
use crate::intensity::fusion::{squares_again, squares_loaded};
use crate::intensity::matmul::{matmul_double_buffered, matmul_naive, matmul_tiled};
use crate::intensity::matmul_async::kernels::matmul_async;
use crate::intensity::narrow::{matmul_dp4a, matmul_half2, matmul_sparse};
use crate::intensity::pipeline::kernels::{tiles_async, tiles_in_turn};
use crate::intensity::rows::WIDTH;
use crate::intensity::rows::kernels::{l2_registers, l2_two_passes, layer_norm, rms_norm, softmax};
use crate::intensity::transpose::{
    double_along_columns, double_along_rows, transpose_direct, transpose_tiles,
};
use crate::intensity::weights::{filter_plain, filter_staged};
use crate::versus::{Data, Lens, Other, Pair};

const TOPIC: &str = "intensity";

/// Weights of the filters.
const TAPS: usize = 32;
/// Columns of the matrices that are walked through.
const COLUMNS: usize = 1024;
/// Tiles of each block of a pipeline.
const TILES: usize = 12;

/// Weights in `y`; lanes take four elements.
fn filtered(n: usize) -> Lens {
    let n = n.next_multiple_of(4);
    Lens { x: n + TAPS, y: TAPS, out: n, ..Lens::NONE }
}

const fn filter(
    names: (&'static Kernel, &'static str),
    what: &'static str,
    ours: Ours,
    theirs: Theirs,
) -> Pair {
    Pair { lens: filtered, theirs, ..of_one((names.0, TOPIC, names.1), what, 0.0, ours) }
}

/// Whole rows of a matrix.
fn matrix(n: usize) -> Lens {
    let len = rows(n) * COLUMNS;
    Lens { x: len, y: 1, out: len, ..Lens::NONE }
}

fn rows(n: usize) -> usize {
    (n / COLUMNS).max(1)
}

/// Blocks of so many rows by 32 columns.
fn along(n: usize, tile: usize) -> (u32, u32) {
    (COLUMNS.div_ceil(32) as u32, rows(n).div_ceil(tile) as u32)
}

const fn walk(
    names: (&'static Kernel, &'static str),
    what: &'static str,
    ours: Ours,
    theirs: Theirs,
) -> Pair {
    Pair { lens: matrix, theirs, ..of_one((names.0, TOPIC, names.1), what, 0.0, ours) }
}

fn walked<'a>(twin: &PtxFunction, data: &'a mut Data, grid: (u32, u32)) -> PtxLaunch<'a> {
    let launch = twin.launch().arg(rows(data.n) as u32).arg(COLUMNS as u32);
    launch.arg(&data.x).arg(&mut data.out).grid(grid).block((32, 8))
}

/// Rows of `WIDTH` elements, as vectors.
fn wide(n: usize) -> Lens {
    Lens { x: 1, y: 1, out: 1, vectors: blocks(n) as usize * WIDTH / 4, ..Lens::NONE }
}

fn blocks(n: usize) -> u32 {
    (n / WIDTH).max(1) as u32
}

const fn of_rows(names: (&'static Kernel, &'static str), what: &'static str, ours: Ours) -> Pair {
    Pair {
        lens: wide,
        theirs: |twin, data| {
            let blocks = blocks(data.n);
            twin.launch().arg(&data.x4).arg(&mut data.out4).grid(blocks).block(BLOCK)
        },
        ..of_one((names.0, TOPIC, names.1), what, 1e-5, ours)
    }
}

/// The side of square matrices of as many elements, no more than takes a moment.
fn side(n: usize) -> usize {
    ((n as f64).sqrt() as usize / 128 * 128).clamp(128, 4096)
}

fn square(n: usize) -> Lens {
    let len = side(n) * side(n);
    Lens { x: len, y: len, out: len, ..Lens::NONE }
}

fn square_vectors(n: usize) -> Lens {
    Lens { x: 1, y: 1, out: 1, vectors: side(n) * side(n) / 4, ..Lens::NONE }
}

fn tiled(n: usize, tile: usize) -> (u32, u32) {
    ((side(n) / tile) as u32, (side(n) / tile) as u32)
}

const fn product(
    names: (&'static Kernel, &'static str),
    what: &'static str,
    lens: fn(usize) -> Lens,
    ours: Ours,
    theirs: Theirs,
) -> Pair {
    let bytes = |n| 12 * (side(n) * side(n)) as u64;
    Pair { lens, bytes, theirs, ..of_one((names.0, TOPIC, names.1), what, 0.0, ours) }
}

/// Buffers of one element, for what a pair does not take.
const ONE: Lens = Lens { x: 1, y: 1, out: 1, ..Lens::NONE };

/// The bytes of a square matrix, four in a word.
fn bytes_in_words(n: usize) -> Vec<u32> {
    let word = |index: usize| (index as u32).wrapping_mul(0x9e37_79b9) ^ (index as u32) << 7;
    (0..side(n) * side(n) / 4).map(word).collect()
}

fn turns(n: usize) -> u32 {
    n.div_ceil(256 * TILES) as u32
}

const fn tiles(names: (&'static Kernel, &'static str), what: &'static str, ours: Ours) -> Pair {
    Pair {
        theirs: |twin, data| {
            let (len, blocks) = (data.len(), turns(data.n));
            twin.launch().arg(&data.x).arg(&mut data.out).arg(len).grid(blocks).block(BLOCK)
        },
        ..of_one((names.0, TOPIC, names.1), what, 0.0, ours)
    }
}

/// The pairs.
pub static PAIRS: &[Pair] = &[
    Pair {
        lens: maps(2),
        bytes: |n| 12 * n as u64,
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&data.x).arg(&data.y).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
        ..of_one((&squares_loaded::KERNEL, TOPIC, "squares_loaded"), "x² + x, squares loaded", 0.0, |data| {
            squares_loaded(&data.x, &data.y, &mut data.out).over(data.n).block(BLOCK)
        })
    },
    of_one((&squares_again::KERNEL, TOPIC, "squares_again"), "x² + x, squares computed again", 0.0, |data| {
        squares_again(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
    filter(
        (&filter_plain::KERNEL, "filter_plain"),
        "32 weights in global memory",
        |data| filter_plain(&data.y, &data.x, &mut data.out).over(data.n.next_multiple_of(4)).block(BLOCK),
        |twin, data| {
            let len = data.len();
            let launch = twin.launch().arg(&data.y).arg(&data.x).arg(&mut data.out).arg(len);
            launch.over(len as usize).block(BLOCK)
        },
    ),
    filter(
        (&filter_staged::KERNEL, "filter_staged"),
        "32 weights in shared memory",
        |data| filter_staged(&data.y, &data.x, &mut data.out).over(data.n.div_ceil(4)).block(BLOCK),
        |twin, data| {
            let len = data.len();
            let launch = twin.launch().arg(&data.y).arg(&data.x).arg(&mut data.out).arg(len);
            launch.over(len as usize / 4).block(BLOCK)
        },
    ),
    walk(
        (&double_along_rows::KERNEL, "double_along_rows"),
        "a matrix doubled along rows",
        |data| {
            let (n, rows) = (data.n, rows(data.n));
            double_along_rows(rows, COLUMNS, &data.x, &mut data.out).grid(along(n, 8))
        },
        |twin, data| {
            let grid = along(data.n, 8);
            walked(twin, data, grid)
        },
    ),
    walk(
        (&double_along_columns::KERNEL, "double_along_columns"),
        "a matrix doubled along columns",
        |data| {
            let rows = rows(data.n);
            let grid = (rows.div_ceil(32) as u32, COLUMNS.div_ceil(8) as u32);
            double_along_columns(rows, COLUMNS, &data.x, &mut data.out).grid(grid)
        },
        |twin, data| {
            let grid = (rows(data.n).div_ceil(32) as u32, COLUMNS.div_ceil(8) as u32);
            walked(twin, data, grid)
        },
    ),
    walk(
        (&transpose_direct::KERNEL, "transpose_direct"),
        "transpose, direct",
        |data| {
            let (n, rows) = (data.n, rows(data.n));
            transpose_direct(rows, COLUMNS, &data.x, &mut data.out).grid(along(n, 8))
        },
        |twin, data| {
            let grid = along(data.n, 8);
            walked(twin, data, grid)
        },
    ),
    walk(
        (transpose_tiles::kernel::<32>(), "transpose_tiles_32"),
        "transpose, tiles without padding",
        |data| {
            let (n, rows) = (data.n, rows(data.n));
            transpose_tiles::<32>(rows, COLUMNS, &data.x, &mut data.out).grid(along(n, 32))
        },
        |twin, data| {
            let grid = along(data.n, 32);
            walked(twin, data, grid)
        },
    ),
    walk(
        (transpose_tiles::kernel::<33>(), "transpose_tiles_33"),
        "transpose, tiles with padding",
        |data| {
            let (n, rows) = (data.n, rows(data.n));
            transpose_tiles::<33>(rows, COLUMNS, &data.x, &mut data.out).grid(along(n, 32))
        },
        |twin, data| {
            let grid = along(data.n, 32);
            walked(twin, data, grid)
        },
    ),
    Pair {
        lens: |n| Lens { x: blocks(n) as usize * WIDTH, y: 1, out: blocks(n) as usize * WIDTH, ..Lens::NONE },
        bytes: |n| 12 * n as u64,
        theirs: |twin, data| {
            let blocks = blocks(data.n);
            twin.launch().arg(&data.x).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
        ..of_one(
            (&l2_two_passes::KERNEL, TOPIC, "l2_two_passes"),
            "L2 norm of rows, two passes",
            1e-5,
            |data| {
                let blocks = blocks(data.n);
                l2_two_passes(&data.x, &mut data.out).grid(blocks)
            },
        )
    },
    of_rows((&l2_registers::KERNEL, "l2_registers"), "L2 norm of rows in registers", |data| {
        let blocks = blocks(data.n);
        l2_registers(&data.x4, &mut data.out4).grid(blocks)
    }),
    of_rows((&softmax::KERNEL, "softmax"), "softmax of rows in registers", |data| {
        let blocks = blocks(data.n);
        softmax(&data.x4, &mut data.out4).grid(blocks)
    }),
    of_rows((&layer_norm::KERNEL, "layer_norm"), "layer norm of rows in registers", |data| {
        let blocks = blocks(data.n);
        layer_norm(&data.x4, &mut data.out4).grid(blocks)
    }),
    of_rows((&rms_norm::KERNEL, "rms_norm"), "RMS norm of rows in registers", |data| {
        let blocks = blocks(data.n);
        rms_norm(&data.x4, &mut data.out4).grid(blocks)
    }),
    product(
        (&matmul_naive::KERNEL, "matmul_naive"),
        "matrix product, an element a thread",
        square,
        |data| {
            let n = data.n;
            matmul_naive(side(n), &data.x, &data.y, &mut data.out).grid(tiled(n, 16))
        },
        |twin, data| {
            let n = data.n;
            let launch = twin.launch().arg(side(n) as u32).arg(&data.x).arg(&data.y).arg(&mut data.out);
            launch.grid(tiled(n, 16)).block((16, 16))
        },
    ),
    product(
        (&matmul_tiled::KERNEL, "matmul_tiled"),
        "matrix product, tiles in shared memory",
        square,
        |data| {
            let n = data.n;
            matmul_tiled(side(n), &data.x, &data.y, &mut data.out).grid(tiled(n, 32))
        },
        |twin, data| {
            let n = data.n;
            let launch = twin.launch().arg(side(n) as u32).arg(&data.x).arg(&data.y).arg(&mut data.out);
            launch.grid(tiled(n, 32)).block((32, 32))
        },
    ),
    product(
        (&matmul_double_buffered::KERNEL, "matmul_double_buffered"),
        "matrix product, 8 × 8 a thread",
        square_vectors,
        |data| {
            let n = data.n;
            matmul_double_buffered(side(n), &data.x4, &data.y4, &mut data.out4).grid(tiled(n, 128))
        },
        |twin, data| {
            let n = data.n;
            let launch = twin.launch().arg(side(n) as u32).arg(&data.x4).arg(&data.y4).arg(&mut data.out4);
            launch.grid(tiled(n, 128)).block(BLOCK)
        },
    ),
    product(
        (&matmul_async::KERNEL, "matmul_async"),
        "matrix product, 8 × 8 a thread, by `cp.async`",
        |n| Lens { x: side(n) * side(n), ..square_vectors(n) },
        |data| {
            let n = data.n;
            matmul_async(side(n), &data.x, &data.y4, &mut data.out4).grid(tiled(n, 128))
        },
        |twin, data| {
            let n = data.n;
            let launch = twin.launch().arg(side(n) as u32).arg(&data.x).arg(&data.y4).arg(&mut data.out4);
            launch.grid(tiled(n, 128)).block(BLOCK)
        },
    ),
    product(
        (&matmul_dp4a::KERNEL, "matmul_dp4a"),
        "matrix product of bytes by `dp4a`",
        |_| Lens {
            other: Other { words: bytes_in_words, counts: |n| vec![0; side(n) * side(n)], ..Other::NONE },
            ..ONE
        },
        |data| {
            let n = data.n;
            matmul_dp4a(side(n), &data.words, &data.words, &mut data.counts).grid(tiled(n, 64))
        },
        |twin, data| {
            let n = data.n;
            let launch = twin.launch().arg(side(n) as u32).arg(&data.words).arg(&data.words);
            launch.arg(&mut data.counts).grid(tiled(n, 64)).block((16, 16))
        },
    ),
    product(
        (&matmul_half2::KERNEL, "matmul_half2"),
        "matrix product of halves in pairs",
        |n| Lens { other: Other { halves: [side(n) * side(n); 2], ..Other::NONE }, ..ONE },
        |data| {
            let n = data.n;
            matmul_half2(side(n), &data.halves, &data.pairs, &mut data.out_pairs).grid(tiled(n, 64))
        },
        |twin, data| {
            let n = data.n;
            let launch = twin.launch().arg(side(n) as u32).arg(&data.halves).arg(&data.pairs);
            launch.arg(&mut data.out_pairs).grid(tiled(n, 64)).block((16, 16))
        },
    ),
    product(
        (&matmul_sparse::KERNEL, "matmul_sparse"),
        "matrix product with 2:4 sparsity",
        |n| Lens {
            out: side(n) * side(n),
            // The first two of each four neighbours.
            other: Other {
                words: |n| vec![0x4444_4444; side(n) * side(n) / 32],
                halves: [side(n) * side(n), 0],
                ..Other::NONE
            },
            ..ONE
        },
        |data| {
            let (n, side) = (data.n, side(data.n));
            let launch = matmul_sparse(side, side, &data.pairs, &data.words, &data.pairs, &mut data.out);
            launch.grid((tiled(n, 32).0, tiled(n, 64).0))
        },
        |twin, data| {
            let (n, side) = (data.n, side(data.n) as u32);
            let launch = twin.launch().arg(side).arg(side).arg(&data.pairs).arg(&data.words).arg(&data.pairs);
            launch.arg(&mut data.out).grid((tiled(n, 32).0, tiled(n, 64).0)).block(128)
        },
    ),
    tiles((&tiles_in_turn::KERNEL, "tiles_in_turn"), "tiles one after the other", |data| {
        let blocks = turns(data.n);
        tiles_in_turn(&data.x, &mut data.out).grid(blocks)
    }),
    tiles((tiles_async::kernel::<3>(), "tiles_async"), "tiles in three stages by `cp.async`", |data| {
        let blocks = turns(data.n);
        tiles_async::<3>(&data.x, &mut data.out).grid(blocks)
    }),
];
