//! Access orders of threads in a matrix of 1,024 columns: along rows, accesses are coalesced; along columns, each thread
//! reads another sector. Tiles in shared memory turn one order into the other, if their columns have no bank conflicts.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// Each thread doubles an element; neighbours are in a row.
#[kernel(block(32, 8))]
pub fn double_along_rows(rows: usize, columns: usize, x: &[f32], out: &mut [f32]) {
    let (column, row) = (global_idx().x, global_idx().y);
    if row < rows && column < columns {
        out[row * columns + column] = 2.0 * x[row * columns + column];
    }
}

/// Each thread doubles an element; neighbours are in a column.
#[kernel(block(32, 8))]
pub fn double_along_columns(rows: usize, columns: usize, x: &[f32], out: &mut [f32]) {
    let (row, column) = (global_idx().x, global_idx().y);
    if row < rows && column < columns {
        out[row * columns + column] = 2.0 * x[row * columns + column];
    }
}

/// The transpose, read along rows and written along columns.
#[kernel(block(32, 8))]
pub fn transpose_direct(rows: usize, columns: usize, x: &[f32], out: &mut [f32]) {
    let (column, row) = (global_idx().x, global_idx().y);
    if row < rows && column < columns {
        out[column * rows + row] = x[row * columns + column];
    }
}

/// Through tiles of 32 × 32 in shared memory: rows on both sides. `PITCH` is what a row of the tile takes: with 32, a column lies in
/// one bank; with 33, in 32 of them.
#[kernel(block(32, 8), instances(PITCH = [32, 33]))]
pub fn transpose_tiles<const PITCH: usize>(rows: usize, columns: usize, x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[[f32; PITCH]; 32]>();
    let (column, row) = (block_idx().x * 32 + thread_idx().x, block_idx().y * 32);
    #[unroll]
    for k in 0..4 {
        let y = thread_idx().y + 8 * k;
        if row + y < rows && column < columns {
            tile[y][thread_idx().x] = x[(row + y) * columns + column];
        }
    }
    barrier();
    let (column, row) = (block_idx().y * 32 + thread_idx().x, block_idx().x * 32);
    #[unroll]
    for k in 0..4 {
        let y = thread_idx().y + 8 * k;
        if row + y < columns && column < rows {
            out[(row + y) * rows + column] = tile[thread_idx().x][y];
        }
    }
}

const TOPIC: &str = "intensity";
const COLUMNS: usize = 1024;

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&double_along_rows::KERNEL, TOPIC, "doubled along rows", 8, |gpu, n| {
        doubled(gpu, n, |rows, x, out| {
            let grid = (COLUMNS.div_ceil(32) as u32, rows.div_ceil(8) as u32);
            double_along_rows(rows, COLUMNS, x, out).grid(grid).run()
        })
    }),
    Example::new(&double_along_columns::KERNEL, TOPIC, "doubled along columns", 8, |gpu, n| {
        doubled(gpu, n, |rows, x, out| {
            let grid = (rows.div_ceil(32) as u32, COLUMNS.div_ceil(8) as u32);
            double_along_columns(rows, COLUMNS, x, out).grid(grid).run()
        })
    }),
    Example::new(&transpose_direct::KERNEL, TOPIC, "transpose, direct", 8, |gpu, n| {
        transposed(gpu, n, |rows, x, out| {
            let grid = (COLUMNS.div_ceil(32) as u32, rows.div_ceil(8) as u32);
            transpose_direct(rows, COLUMNS, x, out).grid(grid).run()
        })
    }),
    Example::new(transpose_tiles::kernel::<32>(), TOPIC, "transpose, tiles without padding", 8, |gpu, n| {
        transposed(gpu, n, |rows, x, out| {
            transpose_tiles::<32>(rows, COLUMNS, x, out).grid(tiles(rows)).run()
        })
    }),
    Example::new(transpose_tiles::kernel::<33>(), TOPIC, "transpose, tiles with padding", 8, |gpu, n| {
        transposed(gpu, n, |rows, x, out| {
            transpose_tiles::<33>(rows, COLUMNS, x, out).grid(tiles(rows)).run()
        })
    }),
];

fn tiles(rows: usize) -> (u32, u32) {
    (COLUMNS.div_ceil(32) as u32, rows.div_ceil(32) as u32)
}

fn matrix(n: usize) -> (usize, Vec<f32>) {
    let rows = n.div_ceil(COLUMNS);
    (rows, random(42, rows * COLUMNS))
}

fn doubled(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(usize, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let (rows, host) = matrix(n);
    let expected = host.iter().map(|x| 2.0 * x).collect();
    from_slice(gpu, &host, expected, 0.0, |x, out| launch(rows, x, out))
}

fn transposed(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(usize, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let (rows, host) = matrix(n);
    let expected = (0..rows * COLUMNS).into_par_iter().map(|i| host[i % rows * COLUMNS + i / rows]).collect();
    from_slice(gpu, &host, expected, 0.0, |x, out| launch(rows, x, out))
}
