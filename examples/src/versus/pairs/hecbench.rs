//! The pairs of [`hecbench`](crate::users::hecbench), with buffers exactly as long as what is indexed.

use super::shapes::BLOCK;
use super::users::{
    COLUMNS, ROUNDINGS, SUMS, TILE, bodies, matrices, no_bytes, pair, rows, side, small_side, squares, tiles,
};
use crate::users::hecbench;
use crate::versus::{Lens, Other, Pair};

const TOPIC: &str = "hecbench";

/// Channels of images.
const CHANNELS: usize = 8;
/// Columns and rows of volumes.
const PLANE: (usize, usize) = (255, 130);
/// Elements of a query and a key.
const HEAD: usize = 64;
/// Points of a thread.
const POINTS: u32 = 256;

/// The height of images of [`COLUMNS`] columns.
fn height(n: usize) -> usize {
    (rows(n) / CHANNELS).max(4)
}

fn images(n: usize) -> Lens {
    let len = CHANNELS * height(n) * COLUMNS;
    Lens { x: len, out: len, ..Lens::NONE }
}

/// Blocks that cover images.
fn image_tiles(n: usize) -> (u32, u32, u32) {
    let (x, y) = tiles(COLUMNS, height(n));
    (x, y, CHANNELS as u32)
}

/// The depth of volumes.
fn depth(n: usize) -> usize {
    (n / (PLANE.0 * PLANE.1)).max(3)
}

/// Positions of an attention.
fn positions(n: usize) -> usize {
    side(n).min(2000)
}

fn counters(n: usize) -> usize {
    (n / 16).max(256)
}

/// Those of HeCBench and of tutorials.
pub static PAIRS: &[Pair] = &[
    pair(
        (&hecbench::depthwise_conv::KERNEL, TOPIC, "depthwise_conv"),
        ROUNDINGS,
        |n| Lens { y: CHANNELS * 9, ..images(n) },
        |n| 8 * n as u64,
        |d| {
            let launch = hecbench::depthwise_conv(
                CHANNELS as i32,
                height(d.n) as i32,
                COLUMNS as i32,
                &d.x,
                &d.y,
                &mut d.out,
            );
            launch.grid(image_tiles(d.n)).block(TILE)
        },
        |twin, d| {
            let launch = twin.launch().arg(CHANNELS as i32).arg(height(d.n) as i32).arg(COLUMNS as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).grid(image_tiles(d.n)).block(TILE)
        },
    ),
    pair(
        (&hecbench::average_pool::KERNEL, TOPIC, "average_pool"),
        ROUNDINGS,
        |n| {
            let (w, h) = (COLUMNS, rows(n));
            Lens { x: w * h, out: (w / 2) * (h / 2), ..Lens::NONE }
        },
        |n| 5 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            hecbench::average_pool(h, w, &d.x, &mut d.out).grid(tiles(w / 2, h / 2)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(h as i32).arg(w as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(w / 2, h / 2)).block(TILE)
        },
    ),
    pair(
        (&hecbench::matmul_int::KERNEL, TOPIC, "matmul_int"),
        SUMS,
        |n| {
            let m = small_side(n);
            Lens { x: m * m, y: m * m, out: m * m, ..Lens::NONE }
        },
        no_bytes,
        |d| {
            let m = small_side(d.n);
            hecbench::matmul_int(m as i32, m as i32, m as i32, &d.x, &d.y, &mut d.out)
                .grid(tiles(m, m))
                .block(TILE)
        },
        |twin, d| {
            let m = small_side(d.n);
            let launch = twin.launch().arg(m as i32).arg(m as i32).arg(m as i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).grid(tiles(m, m)).block(TILE)
        },
    ),
    pair(
        (&hecbench::laplace3d::KERNEL, TOPIC, "laplace3d"),
        ROUNDINGS,
        |n| {
            let len = PLANE.0 * PLANE.1 * depth(n);
            Lens { x: len, out: len, ..Lens::NONE }
        },
        |n| 8 * n as u64,
        |d| {
            let (x, y) = PLANE;
            let launch = hecbench::laplace3d(x as i32, y as i32, depth(d.n) as i32, &d.x, &mut d.out);
            launch.grid(tiles(x, y)).block(TILE)
        },
        |twin, d| {
            let (x, y) = PLANE;
            let launch = twin.launch().arg(x as i32).arg(y as i32).arg(depth(d.n) as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(x, y)).block(TILE)
        },
    ),
    pair(
        (&hecbench::haar::KERNEL, TOPIC, "haar"),
        0.0,
        |n| Lens { x: 2 * (n / 2), out: 2 * (n / 2), ..Lens::NONE },
        |n| 8 * n as u64,
        |d| hecbench::haar(2 * (d.n / 2), &d.x, &mut d.out).over(d.n / 2).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(2 * (d.n / 2) as i32);
            launch.arg(&d.x).arg(&mut d.out).over(d.n / 2).block(BLOCK)
        },
    ),
    pair(
        (&hecbench::nearest::KERNEL, TOPIC, "nearest"),
        ROUNDINGS,
        |n| Lens { x: 2 * n, out: n, ..Lens::NONE },
        |n| 12 * n as u64,
        |d| hecbench::nearest(d.n, 0.25, -0.125, &d.x, &mut d.out).over(d.n).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(d.n as i32).arg(0.25f32).arg(-0.125f32);
            launch.arg(&d.x).arg(&mut d.out).over(d.n).block(BLOCK)
        },
    ),
    pair(
        (&hecbench::causal_scores::KERNEL, TOPIC, "causal_scores"),
        SUMS,
        |n| {
            let len = positions(n);
            Lens { x: len * HEAD, y: len * HEAD, out: len * len, ..Lens::NONE }
        },
        no_bytes,
        |d| {
            let len = positions(d.n);
            let launch = hecbench::causal_scores(len as i32, HEAD as i32, 0.125, &d.x, &d.y, &mut d.out);
            launch.grid(tiles(len, len)).block(TILE)
        },
        |twin, d| {
            let len = positions(d.n);
            let launch = twin.launch().arg(len as i32).arg(HEAD as i32).arg(0.125f32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).grid(tiles(len, len)).block(TILE)
        },
    ),
    pair(
        (&hecbench::batchnorm::KERNEL, TOPIC, "batchnorm"),
        ROUNDINGS,
        |n| Lens { y: CHANNELS, other: Other { z: CHANNELS, ..Other::NONE }, ..images(n) },
        |n| 8 * n as u64,
        |d| {
            let (total, pixels) = (d.x.len(), height(d.n) * COLUMNS);
            hecbench::batchnorm(total, CHANNELS, pixels, &d.y, &d.z, &d.x, &mut d.out)
                .over(total)
                .block(BLOCK)
        },
        |twin, d| {
            let (total, pixels) = (d.x.len(), height(d.n) * COLUMNS);
            let launch = twin.launch().arg(total as i32).arg(CHANNELS as i32).arg(pixels as i32);
            launch.arg(&d.y).arg(&d.z).arg(&d.x).arg(&mut d.out).over(total).block(BLOCK)
        },
    ),
    pair(
        (&hecbench::bitonic_step::KERNEL, TOPIC, "bitonic_step"),
        0.0,
        |_| Lens {
            other: Other {
                counts: |n| (0..n as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect(),
                ..Other::NONE
            },
            ..Lens::NONE
        },
        |n| 8 * n as u64,
        |d| hecbench::bitonic_step(d.n as u32, 64, 256, &mut d.counts).over(d.n).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(d.n as u32).arg(64u32).arg(256u32);
            launch.arg(&mut d.counts).over(d.n).block(BLOCK)
        },
    ),
    pair(
        (&hecbench::monte_carlo_pi::KERNEL, TOPIC, "monte_carlo_pi"),
        0.0,
        |_| Lens { other: Other { counts: |n| vec![0; counters(n)], ..Other::NONE }, ..Lens::NONE },
        no_bytes,
        |d| hecbench::monte_carlo_pi(POINTS, &mut d.counts).over(counters(d.n)).block(BLOCK),
        |twin, d| {
            let len = counters(d.n);
            twin.launch().arg(POINTS).arg(&mut d.counts).arg(len as i32).over(len).block(BLOCK)
        },
    ),
    pair(
        (&hecbench::stencil_shared::KERNEL, TOPIC, "stencil_shared"),
        ROUNDINGS,
        |n| Lens { x: n, out: n, ..Lens::NONE },
        |n| 8 * n as u64,
        |d| hecbench::stencil_shared(d.n as i32, &d.x, &mut d.out).over(d.n).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(d.n as i32);
            launch.arg(&d.x).arg(&mut d.out).over(d.n).block(BLOCK)
        },
    ),
    pair(
        (&hecbench::log_softmax::KERNEL, TOPIC, "log_softmax"),
        ROUNDINGS,
        matrices,
        |n| 8 * n as u64,
        |d| hecbench::log_softmax(COLUMNS, &d.x, &mut d.out).grid(rows(d.n) as u32).block(BLOCK),
        |twin, d| {
            let launch = twin.launch().arg(COLUMNS as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(rows(d.n) as u32).block(BLOCK)
        },
    ),
    pair(
        (&hecbench::overlaps::KERNEL, TOPIC, "overlaps"),
        // A rounding more decides when two cover each other by just the threshold.
        0.5,
        |n| Lens {
            vectors: bodies(n),
            other: Other { counts: |n| vec![0; bodies(n)], ..Other::NONE },
            ..Lens::NONE
        },
        no_bytes,
        |d| hecbench::overlaps(bodies(d.n), 0.3, &d.x4, &mut d.counts).over(bodies(d.n)).block(BLOCK),
        |twin, d| {
            let n = bodies(d.n);
            twin.launch().arg(n as i32).arg(0.3f32).arg(&d.x4).arg(&mut d.counts).over(n).block(BLOCK)
        },
    ),
    pair(
        (&hecbench::floyd_warshall::KERNEL, TOPIC, "floyd_warshall"),
        0.0,
        squares,
        |n| 8 * n as u64,
        |d| {
            let m = side(d.n);
            hecbench::floyd_warshall(m, m / 3, &d.x, &mut d.out).grid(tiles(m, m)).block(TILE)
        },
        |twin, d| {
            let m = side(d.n);
            let launch = twin.launch().arg(m as i32).arg((m / 3) as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(m, m)).block(TILE)
        },
    ),
];
