//! The pairs of [`suites`](crate::users::suites), with buffers exactly as long as what is indexed.

use super::shapes::BLOCK;
use super::users::{
    COLUMNS, ROUNDINGS, SUMS, TILE, matrices, no_bytes, pair, rows, scattered, small_side, tiles,
};
use crate::users::suites;
use crate::versus::{Lens, Other, Pair};

const TOPIC: &str = "suites";

/// Positions, heads and channels of a head of an attention.
const ATTENTION: (usize, usize, usize) = (61, 3, 32);
/// Channels and filters of a layer.
const LAYER: (usize, usize) = (8, 6);
/// The distance of the outputs of a layer in its input.
const STRIDE: usize = 2;
/// Weights of a window.
const WINDOW: usize = 7;

fn batches(n: usize) -> usize {
    let (length, heads, _) = ATTENTION;
    (n / (heads * length * length)).max(1)
}

/// Scores of an attention.
fn scores(n: usize) -> usize {
    let (length, heads, _) = ATTENTION;
    batches(n) * heads * length * length
}

/// The height of the input of a layer.
fn layer_height(n: usize) -> usize {
    (rows(n) / LAYER.0).max(4)
}

/// Rows and columns of the output of a layer with windows of 3 and padding of 1.
fn layer_out(n: usize) -> usize {
    ((layer_height(n) - 1) / STRIDE + 1) * ((COLUMNS - 1) / STRIDE + 1)
}

/// Cells of a fluid, and numbers that are searched.
fn cells(n: usize) -> usize {
    (n / 4).max(4)
}

/// Those of a second choice.
pub static PAIRS: &[Pair] = &[
    pair(
        (&suites::covariance::KERNEL, TOPIC, "covariance"),
        SUMS,
        |n| {
            let m = small_side(n);
            Lens { x: 100 * m, out: m * m, ..Lens::NONE }
        },
        no_bytes,
        |d| {
            let m = small_side(d.n);
            suites::covariance(100, m, &d.x, &mut d.out).over(m).block(BLOCK)
        },
        |twin, d| {
            let m = small_side(d.n);
            let launch = twin.launch().arg(100i32).arg(m as i32);
            launch.arg(&d.x).arg(&mut d.out).over(m).block(BLOCK)
        },
    ),
    pair(
        (&suites::adjust_weights::KERNEL, TOPIC, "adjust_weights"),
        ROUNDINGS,
        |n| {
            let len = (rows(n) + 1) * (COLUMNS + 1);
            let other = Other { z: rows(n) + 1, more: len, ..Other::NONE };
            Lens { y: COLUMNS + 1, out: len, other, ..Lens::NONE }
        },
        |n| 16 * n as u64,
        |d| {
            let (h, w) = (rows(d.n), COLUMNS);
            suites::adjust_weights(h, w, &d.y, &d.z, &mut d.out, &mut d.more).grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (h, w) = (rows(d.n), COLUMNS);
            let launch = twin.launch().arg(h as i32).arg(w as i32).arg(&d.y).arg(&d.z);
            launch.arg(&mut d.out).arg(&mut d.more).grid(tiles(w, h)).block(TILE)
        },
    ),
    pair(
        (&suites::step_factor::KERNEL, TOPIC, "step_factor"),
        ROUNDINGS,
        |n| Lens { x: 5 * cells(n), y: cells(n), out: cells(n), ..Lens::NONE },
        |n| 7 * n as u64,
        |d| {
            let n = cells(d.n);
            suites::step_factor(n, &d.x, &d.y, &mut d.out).over(n).block(BLOCK)
        },
        |twin, d| {
            let n = cells(d.n);
            twin.launch().arg(n as i32).arg(&d.x).arg(&d.y).arg(&mut d.out).over(n).block(BLOCK)
        },
    ),
    pair(
        (&suites::thomas::KERNEL, TOPIC, "thomas"),
        SUMS,
        |n| {
            let len = rows(n) * COLUMNS;
            Lens { y: len, other: Other { more: len, ..Other::NONE }, ..matrices(n) }
        },
        |n| 36 * n as u64,
        |d| {
            let n = rows(d.n);
            suites::thomas(n, COLUMNS, &d.x, &d.y, &mut d.more, &mut d.out).over(n).block(BLOCK)
        },
        |twin, d| {
            let n = rows(d.n);
            let launch = twin.launch().arg(n as i32).arg(COLUMNS as i32).arg(&d.x).arg(&d.y);
            launch.arg(&mut d.more).arg(&mut d.out).over(n).block(BLOCK)
        },
    ),
    pair(
        (&suites::query_key::KERNEL, TOPIC, "query_key"),
        SUMS,
        |n| {
            let (length, heads, size) = ATTENTION;
            Lens { x: batches(n) * length * 3 * heads * size, out: scores(n), ..Lens::NONE }
        },
        no_bytes,
        |d| {
            let (length, heads, size) = ATTENTION;
            let (b, t, c) = (batches(d.n) as i32, length as i32, (heads * size) as i32);
            let n = scores(d.n);
            suites::query_key(b, t, c, heads as i32, &d.x, &mut d.out).over(n).block(BLOCK)
        },
        |twin, d| {
            let (length, heads, size) = ATTENTION;
            let launch = twin.launch().arg(batches(d.n) as i32).arg(length as i32);
            let launch = launch.arg((heads * size) as i32).arg(heads as i32);
            launch.arg(&d.x).arg(&mut d.out).over(scores(d.n)).block(BLOCK)
        },
    ),
    pair(
        (&suites::conv_layer::KERNEL, TOPIC, "conv_layer"),
        SUMS,
        |n| Lens {
            x: LAYER.0 * layer_height(n) * COLUMNS,
            y: LAYER.1 * LAYER.0 * 9,
            out: LAYER.1 * layer_out(n),
            ..Lens::NONE
        },
        no_bytes,
        |d| {
            let (channels, filters) = (LAYER.0 as i32, LAYER.1 as i32);
            let (h, w, stride) = (layer_height(d.n) as i32, COLUMNS as i32, STRIDE as i32);
            suites::conv_layer(channels, h, w, filters, 3, stride, 1, &d.x, &d.y, &mut d.out)
                .over(LAYER.1 * layer_out(d.n))
                .block(BLOCK)
        },
        |twin, d| {
            let launch = twin.launch().arg(LAYER.0 as i32).arg(layer_height(d.n) as i32).arg(COLUMNS as i32);
            let launch = launch.arg(LAYER.1 as i32).arg(3i32).arg(STRIDE as i32).arg(1i32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).over(LAYER.1 * layer_out(d.n)).block(BLOCK)
        },
    ),
    pair(
        (&suites::recursive_gaussian::KERNEL, TOPIC, "recursive_gaussian"),
        SUMS,
        matrices,
        |n| 20 * n as u64,
        |d| {
            let w = rows(d.n);
            suites::recursive_gaussian(w, COLUMNS, 0.2, 0.1, -0.5, -0.2, &d.x, &mut d.out)
                .over(w)
                .block(BLOCK)
        },
        |twin, d| {
            let w = rows(d.n);
            let launch = twin.launch().arg(w as i32).arg(COLUMNS as i32).arg(0.2f32).arg(0.1f32);
            launch.arg(-0.5f32).arg(-0.2f32).arg(&d.x).arg(&mut d.out).over(w).block(BLOCK)
        },
    ),
    pair(
        (&suites::box_filter::KERNEL, TOPIC, "box_filter"),
        SUMS,
        matrices,
        |n| 12 * n as u64,
        |d| {
            let h = rows(d.n);
            suites::box_filter(COLUMNS, h, 5, &d.x, &mut d.out).over(h).block(BLOCK)
        },
        |twin, d| {
            let h = rows(d.n);
            let launch = twin.launch().arg(COLUMNS as i32).arg(h as i32).arg(5i32);
            launch.arg(&d.x).arg(&mut d.out).over(h).block(BLOCK)
        },
    ),
    pair(
        (&suites::bilateral::KERNEL, TOPIC, "bilateral"),
        SUMS,
        |n| Lens { y: WINDOW, ..matrices(n) },
        |n| 8 * n as u64,
        |d| {
            let (w, h, radius) = (COLUMNS, rows(d.n), WINDOW as i32 / 2);
            suites::bilateral(w as i32, h as i32, radius, 2.5, &d.y, &d.x, &mut d.out)
                .grid(tiles(w, h))
                .block(TILE)
        },
        |twin, d| {
            let (w, h, radius) = (COLUMNS, rows(d.n), WINDOW as i32 / 2);
            let launch = twin.launch().arg(w as i32).arg(h as i32).arg(radius).arg(2.5f32);
            launch.arg(&d.y).arg(&d.x).arg(&mut d.out).grid(tiles(w, h)).block(TILE)
        },
    ),
    // The chances are all below the ratios, so that the last bits of `exp` decide nothing.
    pair(
        (&suites::ising::KERNEL, TOPIC, "ising"),
        0.0,
        |n| Lens { y: rows(n) * COLUMNS, ..matrices(n) },
        |n| 16 * n as u64,
        |d| {
            let n = rows(d.n);
            suites::ising(n, COLUMNS, 0.25, &d.x, &d.y, &mut d.out).over(n * COLUMNS).block(BLOCK)
        },
        |twin, d| {
            let n = rows(d.n);
            let launch = twin.launch().arg(n as i32).arg(COLUMNS as i32).arg(0.25f32);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.out).over(n * COLUMNS).block(BLOCK)
        },
    ),
    pair(
        (&suites::lower_bound::KERNEL, TOPIC, "lower_bound"),
        0.0,
        |_| Lens {
            other: Other {
                starts: |n| (0..cells(n)).map(|i| 7 * i as u32 + 3).collect(),
                columns: |n| scattered(cells(n), 7 * cells(n)),
                counts: |n| vec![0; cells(n)],
                ..Other::NONE
            },
            ..Lens::NONE
        },
        no_bytes,
        |d| {
            let n = cells(d.n);
            suites::lower_bound(n, n, &d.starts, &d.columns, &mut d.counts).over(n).block(BLOCK)
        },
        |twin, d| {
            let n = cells(d.n);
            let launch = twin.launch().arg(n as i32).arg(n as i32);
            launch.arg(&*d.starts).arg(&*d.columns).arg(&mut d.counts).over(n).block(BLOCK)
        },
    ),
    pair(
        (&suites::rotate::KERNEL, TOPIC, "rotate"),
        SUMS,
        matrices,
        |n| 8 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            suites::rotate(w as i32, h as i32, 0.6, 0.8, &d.x, &mut d.out).grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32).arg(0.6f32).arg(0.8f32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(w, h)).block(TILE)
        },
    ),
];
