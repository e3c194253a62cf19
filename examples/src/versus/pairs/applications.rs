//! The pairs of [`applications`](crate::users::applications).

use super::shapes::BLOCK;
use super::users::{
    COLUMNS, ROUNDINGS, SUMS, TILE, bodies, matrices, no_bytes, pair, rows, scattered, side, targets, tiles,
};
use crate::users::applications;
use crate::versus::{Lens, Other, Pair};

const TOPIC: &str = "applications";

/// The side of a tile of a triangular decomposition; its second one on the diagonal is the pivot.
const PIVOT: usize = 16;
/// Coordinates of a point, and centres.
const POINT: (usize, usize) = (16, 5);
/// Particles of a box.
const IN_A_BOX: usize = 100;
/// Samples of k-space.
const SAMPLES: usize = 200;
/// Bins of angles.
const BINS: usize = 20;
/// Points of a lattice along its first and its last axis.
const LATTICE: (usize, usize) = (60, 2);
/// The most pixels that a block of a frame has moved, and how many ways that is.
const MOVED: (usize, usize) = (2, 25);
/// Channels of a head.
const HEAD: usize = 64;
/// Channels and groups of them.
const GROUPS: (usize, usize) = (6, 3);
/// Columns, frames and bytes of a film, and pixels of an object in it.
const FILM: (i32, i32, i32, usize) = (101, 3, 5000, 32);

fn tiled_side(n: usize) -> usize {
    PIVOT * (side(n) / PIVOT).clamp(3, 250)
}

fn points(n: usize) -> usize {
    (n / 16).max(4)
}

/// The cells around each; −1 and −2 are borders.
fn neighbours(n: usize) -> Vec<u32> {
    let mut neighbours = scattered(4 * points(n), points(n));
    neighbours.iter_mut().step_by(7).for_each(|border| *border = u32::MAX);
    neighbours.iter_mut().skip(3).step_by(11).for_each(|border| *border = u32::MAX - 1);
    neighbours
}

fn boxes_side(n: usize) -> usize {
    ((n as f64 / IN_A_BOX as f64).cbrt() as usize).clamp(2, 20)
}

fn boxes(n: usize) -> usize {
    boxes_side(n).pow(3)
}

fn voxels(n: usize) -> usize {
    (n / 16).clamp(4, 1 << 18)
}

fn galaxies(n: usize) -> usize {
    (n / 16).clamp(2 * BINS, 20_000)
}

fn lattice_rows(n: usize) -> usize {
    (n / 4096).clamp(4, 1000)
}

fn frame_height(n: usize) -> usize {
    4 * (rows(n) / 64).max(1)
}

fn positions(n: usize) -> usize {
    (n / 512).clamp(5, 1000)
}

fn heads(n: usize) -> usize {
    (n / (HEAD * positions(n))).max(2)
}

fn images(n: usize) -> usize {
    (rows(n) / GROUPS.0).max(2)
}

/// Those that take longer than the others.
pub static PAIRS: &[Pair] = &[
    pair(
        (&applications::lud_perimeter::KERNEL, TOPIC, "lud_perimeter"),
        SUMS,
        |n| Lens { out: tiled_side(n).pow(2), ..Lens::NONE },
        no_bytes,
        |d| {
            let dim = tiled_side(d.n);
            applications::lud_perimeter(dim, PIVOT, &mut d.out).grid((dim / PIVOT - 2) as u32).block(32)
        },
        |twin, d| {
            let dim = tiled_side(d.n);
            let launch = twin.launch().arg(dim as i32).arg(PIVOT as i32).arg(&mut d.out);
            launch.grid((dim / PIVOT - 2) as u32).block(32)
        },
    ),
    pair(
        (&applications::stream_cost::KERNEL, TOPIC, "stream_cost"),
        SUMS,
        |n| {
            let len = points(n);
            let other = Other {
                z: len,
                columns: |n| scattered(points(n), points(n)),
                starts: |n| scattered(points(n), POINT.1),
                counts: |n| vec![0; points(n)],
                ..Other::NONE
            };
            Lens { x: POINT.0 * len, y: len, out: len * (POINT.1 + 1), other, ..Lens::NONE }
        },
        |n| 6 * n as u64,
        |d| {
            let n = points(d.n);
            let launch = applications::stream_cost(
                n,
                POINT.0,
                n / 2,
                POINT.1,
                &d.x,
                &d.y,
                &d.z,
                &d.columns,
                &d.starts,
                &mut d.counts,
                &mut d.out,
            );
            launch.over(n).block(BLOCK)
        },
        |twin, d| {
            let n = points(d.n);
            let launch =
                twin.launch().arg(n as i32).arg(POINT.0 as i32).arg((n / 2) as i32).arg(POINT.1 as i32);
            let launch = launch.arg(&d.x).arg(&d.y).arg(&d.z).arg(&*d.columns).arg(&*d.starts);
            launch.arg(&mut d.counts).arg(&mut d.out).over(n).block(BLOCK)
        },
    ),
    pair(
        (&applications::cfd_flux::KERNEL, TOPIC, "cfd_flux"),
        SUMS,
        |n| {
            let len = points(n);
            let other = Other { counts: neighbours, ..Other::NONE };
            Lens { x: 5 * len, y: 12 * len, out: 4 * len, other, ..Lens::NONE }
        },
        |n| 10 * n as u64,
        |d| {
            let n = points(d.n);
            applications::cfd_flux(n, &d.counts, &d.y, &d.x, &mut d.out).over(n).block(BLOCK)
        },
        |twin, d| {
            let n = points(d.n);
            let launch = twin.launch().arg(n as i32).arg(&d.counts).arg(&d.y).arg(&d.x);
            launch.arg(&mut d.out).over(n).block(BLOCK)
        },
    ),
    pair(
        (&applications::lavamd::KERNEL, TOPIC, "lavamd"),
        SUMS,
        |n| Lens { y: IN_A_BOX * boxes(n), vectors: IN_A_BOX * boxes(n), ..Lens::NONE },
        no_bytes,
        |d| {
            let launch = applications::lavamd(boxes_side(d.n) as i32, 0.5, &d.x4, &d.y, &mut d.out4);
            launch.grid(boxes(d.n) as u32).block(128)
        },
        |twin, d| {
            let launch = twin.launch().arg(boxes_side(d.n) as i32).arg(0.5f32).arg(&d.x4).arg(&d.y);
            launch.arg(&mut d.out4).grid(boxes(d.n) as u32).block(128)
        },
    ),
    pair(
        (&applications::mri_q::KERNEL, TOPIC, "mri_q"),
        SUMS,
        |n| {
            let len = voxels(n);
            let other = Other { z: len, more: len, ..Other::NONE };
            Lens { x: len, y: len, out: len, vectors: SAMPLES, other }
        },
        no_bytes,
        |d| {
            let n = voxels(d.n);
            applications::mri_q(SAMPLES, n, &d.x4, &d.x, &d.y, &d.z, &mut d.out, &mut d.more)
                .over(n)
                .block(BLOCK)
        },
        |twin, d| {
            let n = voxels(d.n);
            let launch = twin.launch().arg(SAMPLES as i32).arg(n as i32).arg(&d.x4).arg(&d.x).arg(&d.y);
            launch.arg(&d.z).arg(&mut d.out).arg(&mut d.more).over(n).block(BLOCK)
        },
    ),
    pair(
        (&applications::tpacf::KERNEL, TOPIC, "tpacf"),
        // A rounding more decides between two bins.
        0.05,
        |n| {
            let len = galaxies(n);
            let other = Other { z: len, counts: |_| vec![0; BINS + 2], ..Other::NONE };
            Lens { x: len, y: len, other, ..Lens::NONE }
        },
        no_bytes,
        |d| {
            let n = galaxies(d.n);
            applications::tpacf(n, BINS, &d.x, &d.y, &d.z, &d.x, &mut d.counts).over(n).block(BLOCK)
        },
        |twin, d| {
            let n = galaxies(d.n);
            let launch = twin.launch().arg(n as i32).arg(BINS as i32).arg(&d.x).arg(&d.y).arg(&d.z);
            launch.arg(&d.x).arg(&mut d.counts).over(n).block(BLOCK)
        },
    ),
    pair(
        (&applications::cutcp::KERNEL, TOPIC, "cutcp"),
        SUMS,
        |n| Lens { vectors: bodies(n).min(1000), out: LATTICE.0 * lattice_rows(n) * LATTICE.1, ..Lens::NONE },
        no_bytes,
        |d| {
            let (w, h, atoms) = (LATTICE.0, lattice_rows(d.n), bodies(d.n).min(1000));
            let (x, y) = tiles(w, h);
            let launch = applications::cutcp(w, h, atoms, 0.01, 0.4, &d.x4, &mut d.out);
            launch.grid((x, y, LATTICE.1 as u32)).block(TILE)
        },
        |twin, d| {
            let (w, h, atoms) = (LATTICE.0, lattice_rows(d.n), bodies(d.n).min(1000));
            let (x, y) = tiles(w, h);
            let launch = twin.launch().arg(w as i32).arg(h as i32).arg(atoms as i32).arg(0.01f32).arg(0.4f32);
            launch.arg(&d.x4).arg(&mut d.out).grid((x, y, LATTICE.1 as u32)).block(TILE)
        },
    ),
    pair(
        (&applications::sad::KERNEL, TOPIC, "sad"),
        0.0,
        |n| {
            let counts = |n| vec![0; COLUMNS / 4 * (frame_height(n) / 4) * MOVED.1];
            Lens {
                other: Other { bytes: [2 * COLUMNS * frame_height(n), 0], counts, ..Other::NONE },
                ..Lens::NONE
            }
        },
        no_bytes,
        |d| {
            let (w, h) = (COLUMNS, frame_height(d.n));
            let launch = applications::sad(w as i32, h as i32, MOVED.0 as i32, &d.bytes, &mut d.counts);
            launch.grid(tiles(w / 4 * (h / 4), MOVED.1)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, frame_height(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32).arg(MOVED.0 as i32);
            launch.arg(&d.bytes).arg(&mut d.counts).grid(tiles(w / 4 * (h / 4), MOVED.1)).block(TILE)
        },
    ),
    pair(
        (&applications::attention_decode::KERNEL, TOPIC, "attention_decode"),
        SUMS,
        |n| {
            let (len, of_heads) = (positions(n), HEAD * heads(n));
            let other = Other { z: of_heads, more: heads(n) * len, ..Other::NONE };
            Lens { x: len * of_heads, y: len * of_heads, out: of_heads, other, ..Lens::NONE }
        },
        |n| 8 * n as u64,
        |d| {
            let (len, heads) = (positions(d.n), heads(d.n));
            let launch =
                applications::attention_decode(len, heads, HEAD, &d.z, &d.x, &d.y, &mut d.more, &mut d.out);
            launch.grid(heads as u32).block(128)
        },
        |twin, d| {
            let (len, heads) = (positions(d.n), heads(d.n));
            let launch = twin.launch().arg(len as i32).arg(heads as i32).arg(HEAD as i32).arg(&d.z);
            launch.arg(&d.x).arg(&d.y).arg(&mut d.more).arg(&mut d.out).grid(heads as u32).block(128)
        },
    ),
    pair(
        (&applications::gelu_backward::KERNEL, TOPIC, "gelu_backward"),
        ROUNDINGS,
        |n| Lens { x: n, y: n, out: n, ..Lens::NONE },
        |n| 12 * n as u64,
        |d| applications::gelu_backward(d.n, &d.x, &d.y, &mut d.out).over(d.n).block(BLOCK),
        |twin, d| twin.launch().arg(d.n as i32).arg(&d.x).arg(&d.y).arg(&mut d.out).over(d.n).block(BLOCK),
    ),
    pair(
        (&applications::crossentropy_backward::KERNEL, TOPIC, "crossentropy_backward"),
        ROUNDINGS,
        |n| Lens { y: rows(n), other: Other { starts: targets, ..Other::NONE }, ..matrices(n) },
        |n| 12 * n as u64,
        |d| {
            let n = d.x.len();
            applications::crossentropy_backward(rows(d.n), COLUMNS, &d.y, &d.x, &d.starts, &mut d.out)
                .over(n)
                .block(BLOCK)
        },
        |twin, d| {
            let n = d.x.len();
            let launch = twin.launch().arg(rows(d.n) as i32).arg(COLUMNS as i32).arg(&d.y).arg(&d.x);
            launch.arg(&*d.starts).arg(&mut d.out).over(n).block(BLOCK)
        },
    ),
    pair(
        (&applications::group_norm::KERNEL, TOPIC, "group_norm"),
        SUMS,
        |n| {
            let len = images(n) * GROUPS.0 * COLUMNS;
            Lens { x: len, y: GROUPS.0, out: len, other: Other { z: GROUPS.0, ..Other::NONE }, ..Lens::NONE }
        },
        |n| 8 * n as u64,
        |d| {
            let (channels, groups) = GROUPS;
            applications::group_norm(channels, groups, COLUMNS, &d.x, &d.y, &d.z, &mut d.out)
                .grid((images(d.n) * groups) as u32)
                .block(BLOCK)
        },
        |twin, d| {
            let (channels, groups) = GROUPS;
            let launch = twin.launch().arg(channels as i32).arg(groups as i32).arg(COLUMNS as i32);
            let launch = launch.arg(&d.x).arg(&d.y).arg(&d.z).arg(&mut d.out);
            launch.grid((images(d.n) * groups) as u32).block(BLOCK)
        },
    ),
    pair(
        (&applications::erode::KERNEL, TOPIC, "erode"),
        0.0,
        |n| {
            let len = rows(n) * COLUMNS;
            Lens { other: Other { bytes: [len, len], ..Other::NONE }, ..Lens::NONE }
        },
        |n| 2 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = applications::erode(w as i32, h as i32, 2, &d.bytes, &mut d.out_bytes);
            launch.grid(tiles(w, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32).arg(2i32);
            launch.arg(&d.bytes).arg(&mut d.out_bytes).grid(tiles(w, h)).block(TILE)
        },
    ),
    pair(
        (&applications::dwt_lifting::KERNEL, TOPIC, "dwt_lifting"),
        ROUNDINGS,
        matrices,
        |n| 8 * n as u64,
        |d| {
            let (w, h) = (COLUMNS, rows(d.n));
            applications::dwt_lifting(w, h, &d.x, &mut d.out).grid(tiles(w / 2, h)).block(TILE)
        },
        |twin, d| {
            let (w, h) = (COLUMNS, rows(d.n));
            let launch = twin.launch().arg(w as i32).arg(h as i32);
            launch.arg(&d.x).arg(&mut d.out).grid(tiles(w / 2, h)).block(TILE)
        },
    ),
    pair(
        (&applications::hodgkin_huxley::KERNEL, TOPIC, "hodgkin_huxley"),
        SUMS,
        |n| Lens { out: 4 * points(n), ..Lens::NONE },
        |n| 2 * n as u64,
        |d| {
            let n = points(d.n);
            applications::hodgkin_huxley(n, 20, 0.01, 10.0, &mut d.out).over(n).block(BLOCK)
        },
        |twin, d| {
            let n = points(d.n);
            let launch = twin.launch().arg(n as i32).arg(20u32).arg(0.01f32).arg(10.0f32);
            launch.arg(&mut d.out).over(n).block(BLOCK)
        },
    ),
    pair(
        (&applications::particle_likelihood::KERNEL, TOPIC, "particle_likelihood"),
        SUMS,
        |n| {
            let len = points(n);
            let other = Other { z: 2 * FILM.3, bytes: [FILM.2 as usize, 0], ..Other::NONE };
            Lens { x: len, y: len, out: len, other, ..Lens::NONE }
        },
        no_bytes,
        |d| {
            let (n, (columns, frames, size, ones)) = (points(d.n), FILM);
            let launch = applications::particle_likelihood(
                n, ones, columns, frames, 1, size, &d.x, &d.y, &d.z, &d.bytes, &mut d.out,
            );
            launch.over(n).block(BLOCK)
        },
        |twin, d| {
            let (n, (columns, frames, size, ones)) = (points(d.n), FILM);
            let launch = twin.launch().arg(n as i32).arg(ones as i32).arg(columns).arg(frames).arg(1i32);
            let launch = launch.arg(size).arg(&d.x).arg(&d.y).arg(&d.z).arg(&d.bytes);
            launch.arg(&mut d.out).over(n).block(BLOCK)
        },
    ),
];
