//! Buffers of exactly the size that is indexed: launches take the check-free version, and nothing is accessed outside in shorter ones.

use kernel_runtime::prelude::*;
use kernel_runtime::{CheckFree, ChecksTaken, Kernel};

/// The first CUDA device too, where there is one.
fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}

/// The launch guards of a kernel, as text, and how many checks its check-free version keeps.
fn guards(kernel: &Kernel) -> (Vec<&'static str>, usize) {
    let report = kernel.report();
    (report.tests.iter().map(|test| test.text).collect(), report.checks_left())
}

/// Returns true if a launch took the check-free version; false if another one, which may have panicked at an index.
fn is_check_free(result: Result<LaunchReport>) -> bool {
    match result {
        Ok(report) => matches!(report.checks, ChecksTaken::CheckFree),
        Err(Error::KernelPanicked { message, .. }) => {
            assert!(message.starts_with("index out of bounds"), "{message}");
            false
        }
        Err(other) => panic!("{other}"),
    }
}

/// Each thread goes through a column of layers; both sides of the branches before the loop enter it.
#[kernel]
fn layers(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j) = (global_idx().x, global_idx().y);
    if i < nx && j < ny {
        let layer = nx * ny;
        let mut at = j * nx + i;
        let mut west = if i == 0 { at } else { at - 1 };
        let mut south = if j == ny - 1 { at } else { at + nx };
        let mut above = if nz > 1 { x[at + layer] } else { 0.0 };
        for k in 0..nz {
            y[at] = above + x[west] + 2.0 * x[south];
            at += layer;
            west += layer;
            south += layer;
            above = if k + 2 < nz { x[at + layer] } else { 0.0 };
        }
    }
}

#[test]
fn columns_of_layers() {
    assert_eq!(layers::KERNEL.report().checks_left(), 0);
    for gpu in devices() {
        for (nx, ny, nz) in [(1, 1, 2), (1, 5, 3), (7, 1, 2), (6, 4, 5)] {
            let len = nx * ny * nz;
            let run = |x_len: usize, y_len: usize| {
                let x = gpu.upload(&(0..x_len).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
                let mut y = gpu.zeros::<f32>(y_len).unwrap();
                let result = layers(nx, ny, nz, &x, &mut y).grid((1, 1)).block((8, 8)).run();
                (is_check_free(result), y.to_vec().unwrap())
            };
            let (is_free, y) = run(len, len);
            assert!(is_free, "{nx} {ny} {nz}");
            let expected = |at: usize| {
                let (i, j, k) = (at % nx, at / nx % ny, at / (nx * ny));
                let [west, south] =
                    [if i == 0 { at } else { at - 1 }, if j == ny - 1 { at } else { at + nx }];
                let above = if k + 1 < nz { at + nx * ny } else { at };
                (if above == at { 0.0 } else { above as f32 }) + west as f32 + 2.0 * south as f32
            };
            assert_eq!(y, (0..len).map(expected).collect::<Vec<_>>());
            assert!(!run(len - 1, len).0 && !run(len, len - 1).0);
        }
    }
}

/// Elements of each tile by places that are data, so many as data say; the last tile may be shorter.
#[kernel(block(64))]
fn chosen(x: &[u8], places: &[u16], counts: &[u32], values: &mut [u8]) {
    const TILE: usize = 256;
    let mut found = shared::<[u16; TILE + 1]>();
    let t = thread_idx().x;
    let tile = TILE * block_idx().x;
    let size = TILE.min(x.len() - tile);
    for k in (t..TILE).step_by(64) {
        found[k] = places[tile + k];
    }
    let own = if t < size { x[tile + t] } else { 0 };
    barrier();
    for k in (t..counts[block_idx().x] as usize).step_by(64) {
        values[tile + k] = x[tile + found[k] as usize] ^ own ^ found[k + 1] as u8;
    }
}

#[test]
fn places_that_are_data() {
    let (guards, left) = guards(&chosen::KERNEL);
    assert!(left > 0 && !guards.iter().any(|guard| guard.contains("<= values.len()")), "{guards:?}");
    for gpu in devices() {
        for len in [1, 255, 256, 257, 700] {
            let x: Vec<u8> = (0..len).map(|i| (i * 7 % 251) as u8).collect();
            let blocks = x.len().div_ceil(256);
            let places: Vec<u16> = (0..256 * blocks).map(|i| (i % 256 % (len % 256).max(1)) as u16).collect();
            let counts = vec![200u32; blocks];
            let mut values = gpu.zeros::<u8>(256 * blocks).unwrap();
            let of_x = gpu.upload(&x).unwrap();
            let of_places = gpu.upload(&places).unwrap();
            let of_counts = gpu.upload(&counts).unwrap();
            let result = chosen(&of_x, &of_places, &of_counts, &mut values).grid(blocks).run();
            assert!(is_check_free(result), "{len}");
            let expected = |i: usize| match i % 256 {
                k @ 0..200 => {
                    let own = if k % 64 < len - i / 256 * 256 { x[i / 256 * 256 + k % 64] } else { 0 };
                    x[i / 256 * 256 + places[i] as usize] ^ own ^ places[i + 1] as u8
                }
                _ => 0,
            };
            assert_eq!(values.to_vec().unwrap(), (0..256 * blocks).map(expected).collect::<Vec<_>>());
        }
    }
}

/// A table of twiddle factors, of which each step of a transform takes every so many.
#[kernel(block(64))]
fn twiddles(table: &[f32], y: &mut [f32]) {
    const QUARTER: usize = 64;
    let t = thread_idx().x;
    let mut sum = 0.0;
    let mut size = 1;
    while size < 4 * QUARTER {
        let k = t % size;
        for r in 1..4 {
            sum += table[r * k * (QUARTER / size)] * (t / size) as f32;
        }
        size *= 4;
    }
    let i = global_idx().x;
    if i < y.len() {
        y[i] = sum;
    }
}

#[test]
fn tables_of_loops_that_multiply() {
    const LEN: usize = 3 * 63 + 1;
    assert_eq!(guards(&twiddles::KERNEL).1, 0);
    for gpu in devices() {
        let run = |len: usize| {
            let table = gpu.upload(&(0..len).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
            let mut y = gpu.zeros::<f32>(128).unwrap();
            let result = twiddles(&table, &mut y).grid(2).run();
            (is_check_free(result), y.to_vec().unwrap())
        };
        let (is_free, y) = run(LEN);
        assert!(is_free);
        let of_thread = |t: usize| {
            let steps = [1, 4, 16, 64].map(|size| {
                (1..4).map(move |r| (r * (t % size) * (64 / size)) as f32 * (t / size) as f32).sum::<f32>()
            });
            steps.iter().sum::<f32>()
        };
        assert_eq!(y, (0..128).map(|i| of_thread(i % 64)).collect::<Vec<_>>());
        assert!(!run(LEN - 1).0);
    }
}

/// Linear interpolation between two elements, where both are there.
#[kernel]
fn interpolated(width: usize, places: &[f32], x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        let place = places[i];
        let low = place.floor();
        let mut sum = 0.0;
        if low >= 0.0 && low + 1.0 < width as f32 {
            let part = place - low;
            sum = (1.0 - part) * x[low as usize] + part * x[low as usize + 1];
        }
        if place >= 0.0 && place < width as f32 {
            sum += x[place as usize];
        }
        y[i] = sum;
    }
}

#[test]
fn indices_that_float_comparisons_bound() {
    let (guards, left) = guards(&interpolated::KERNEL);
    assert_eq!(left, 0, "{guards:?}");
    assert!(guards.contains(&"width <= 16777216") && guards.contains(&"width <= x.len()"), "{guards:?}");
    let places = [
        -1.0,
        -0.5,
        -0.0,
        0.0,
        0.5,
        2.999,
        3.0,
        3.5,
        4.0,
        4.999_999_5,
        5.0,
        1e9,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE / 2.0,
    ];
    for gpu in devices() {
        for width in [0, 1, 2, 5] {
            let run = |len: usize| {
                let x = gpu.upload(&(0..len).map(|i| (i * i + 1) as f32).collect::<Vec<_>>()).unwrap();
                let at = gpu.upload(&places).unwrap();
                let mut y = gpu.zeros::<f32>(places.len()).unwrap();
                let result = interpolated(width, &at, &x, &mut y).grid(1).block(32).run();
                (is_check_free(result), y.to_vec().unwrap())
            };
            let (is_free, y) = run(width);
            assert!(is_free);
            let at = |i: usize| (i * i + 1) as f32;
            let expected = places.map(|place| {
                let (low, mut sum) = (place.floor(), 0.0);
                if low >= 0.0 && low + 1.0 < width as f32 {
                    let part = place - low;
                    sum = (1.0 - part).mul_add(at(low as usize), part * at(low as usize + 1));
                }
                if place >= 0.0 && place < width as f32 { sum + at(place as usize) } else { sum }
            });
            for (y, expected) in y.iter().zip(expected) {
                assert!((y - expected).abs() < 1e-4, "{y} {expected}");
            }
            if width > 0 {
                assert!(!run(width - 1).0);
            }
        }
    }
}

/// Linear interpolation behind a return of what is outside; what is no number is inside, at the first element.
#[kernel]
fn interpolated_inside(width: usize, places: &[f32], x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        let place = places[i];
        y[i] = -1.0;
        if place < 0.0 || place >= (width - 1) as f32 {
            return;
        }
        let low = place as usize;
        let part = place - low as f32;
        y[i] = (1.0 - part) * x[low] + part * x[low + 1];
    }
}

#[test]
fn indices_that_comparisons_bound_which_do_not_hold() {
    let (guards, left) = guards(&interpolated_inside::KERNEL);
    assert_eq!(left, 0, "{guards:?}");
    assert!(guards.contains(&"width <= x.len()"), "{guards:?}");
    let places =
        [-0.5, -0.0, 0.0, 0.5, 2.999, 3.0, 3.999, 4.0, 1e9, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    for gpu in devices() {
        let run = |width: usize, places: &[f32], len: usize| {
            let x = gpu.upload(&(0..len).map(|i| (i * i + 1) as f32).collect::<Vec<_>>()).unwrap();
            let at = gpu.upload(places).unwrap();
            let mut y = gpu.zeros::<f32>(places.len()).unwrap();
            let result = interpolated_inside(width, &at, &x, &mut y).grid(1).block(32).run();
            (result.map(|report| matches!(report.checks, ChecksTaken::CheckFree)), y.to_vec().unwrap())
        };
        for width in [2, 5] {
            let (is_free, y) = run(width, &places, width);
            assert!(is_free.unwrap());
            let at = |i: usize| (i * i + 1) as f32;
            for (y, place) in y.iter().zip(places) {
                let is_outside = place < 0.0 || place >= (width - 1) as f32;
                let (low, part) = (place as usize, place - (place as usize) as f32);
                let expected = if is_outside { -1.0 } else { (1.0 - part) * at(low) + part * at(low + 1) };
                assert!(
                    (y - expected).abs() < 1e-4 || y.is_nan() && expected.is_nan(),
                    "{place}: {y} {expected}"
                );
            }
            assert!(!matches!(run(width, &places, width - 1).0, Ok(true)));
        }
        // A NaN reads the second of one element.
        assert!(run(1, &[f32::NAN], 1).0.is_err());
        assert!(!run(1, &[0.0, -1.0], 1).0.unwrap());
    }
}

/// Beyond the integers that are exact as an `f32` the comparison says nothing.
#[test]
fn widths_that_floats_round() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut y = gpu.zeros::<f32>(1).unwrap();
    for (width, is_exact) in [(1 << 24, true), ((1 << 24) + 1, false)] {
        let x = gpu.zeros::<f32>(width).unwrap();
        let result = interpolated(width, &x, &x, &mut y).grid(1).block(32).run();
        assert_eq!(is_check_free(result), is_exact);
    }
}

/// A table for all bytes, one for each block, and one for words.
#[kernel]
fn tables(all: &[f32], each: &[f32], few: &[f32], x: &[u8], letters: &[u8], ids: &[u16], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        let byte = x[i] as usize;
        y[i] = all[byte]
            + each[256 * block_idx().x + byte]
            + few[ids[i] as usize]
            + few[letters[i] as usize * 4 + 1];
    }
}

#[test]
fn ranges_of_types() {
    let (guards, left) = guards(&tables::KERNEL);
    assert!(guards.contains(&"256 <= all.len()"), "{guards:?}");
    assert!(!guards.iter().any(|guard| guard.contains("few")), "{guards:?}");
    assert_eq!(left, 2);
    for gpu in devices() {
        let [all, few] = [256, 12].map(|len| gpu.upload(&vec![1.0f32; len]).unwrap());
        let each = gpu.upload(&vec![2.0f32; 512]).unwrap();
        let x = gpu.upload(&(0..64).map(|i| if i == 7 { 0 } else { 2 }).collect::<Vec<u8>>()).unwrap();
        let ids = gpu.upload(&(0..64).map(|i| i % 12).collect::<Vec<u16>>()).unwrap();
        let mut y = gpu.zeros::<f32>(64).unwrap();
        let result = tables(&all, &each, &few, &x, &x, &ids, &mut y).grid(2).block(32).run();
        assert!(is_check_free(result));
        assert_eq!(y.to_vec().unwrap(), [5.0; 64]);
    }
}

/// The elements that data counts, at most 64 of a row; a table with an element for each of fewer bytes than there are.
#[kernel(block(32))]
fn counted(stride: usize, counts: &[u32], x: &[u8], table: &[f32], y: &mut [f32]) {
    let (row, t) = (block_idx().x, thread_idx().x);
    let count = (counts[row] as usize).min(64);
    let mut sum = 0.0;
    for k in (t..count).step_by(32) {
        sum += table[x[row * stride + k] as usize];
    }
    y[row * 32 + t] = sum;
}

/// One guard that does not hold costs the checks that it is for, and no others.
#[test]
fn guards_that_exact_buffers_fail() {
    let [all, some] = counted::KERNEL.variants()[0].check_free else { panic!("two versions") };
    let texts = |version: &CheckFree| version.tests.iter().map(|test| test.text).collect::<Vec<_>>();
    assert!(texts(all).contains(&"256 <= table.len()"), "{:?}", texts(all));
    assert!(texts(some).iter().any(|text| text.contains("y.len()")), "{:?}", texts(some));
    assert!(
        !texts(some).iter().any(|text| text.contains("table") || text.contains("x.len()")),
        "{:?}",
        texts(some)
    );
    let left = |version: &CheckFree| counted::KERNEL.report_of(version.variant).checks_left();
    assert_eq!([left(all), left(some)], [0, 2]);
    for gpu in devices() {
        let run = |rows: usize, stride: usize, table: usize, y_len: usize| {
            let counts = gpu.upload(&vec![stride as u32; rows]).unwrap();
            let x = gpu.upload(&(0..rows * stride).map(|i| (i % 40) as u8).collect::<Vec<_>>()).unwrap();
            let table = gpu.upload(&(0..table).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
            let mut y = gpu.zeros::<f32>(y_len).unwrap();
            let report = counted(stride, &counts, &x, &table, &mut y).grid(rows).run()?;
            let sum = |row: usize, t: usize| {
                (t..stride).step_by(32).map(|k| ((row * stride + k) % 40) as f32).sum()
            };
            let expected: Vec<f32> = (0..rows * 32).map(|i| sum(i / 32, i % 32)).collect();
            assert_eq!(y.to_vec()?, expected);
            Ok::<_, Error>(report.checks)
        };
        assert!(matches!(run(3, 64, 256, 96), Ok(ChecksTaken::CheckFree)));
        // The table is shorter, or rows are shorter than what the count is cut to.
        assert!(matches!(run(3, 64, 40, 96), Ok(ChecksTaken::Partly(test)) if test.text.contains("table")));
        assert!(
            matches!(run(3, 50, 256, 96), Ok(ChecksTaken::Partly(test)) if test.text.contains("x.len()"))
        );
        // The checks that are left, and one that another guard is for.
        let message = |result: Result<ChecksTaken>| match result {
            Err(Error::KernelPanicked { message, .. }) => message,
            other => panic!("expected a panic, found {other:?}"),
        };
        assert_eq!(message(run(3, 50, 39, 96)), "index out of bounds: the len is 39 but the index is 39");
        assert_eq!(message(run(3, 64, 256, 95)), "index out of bounds: the len is 95 but the index is 95");
    }
}
