//! Shared memory is dealt out like cards: a block gets all that it asks for or does not run, and what is left over stays unused.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// Each block reverses a tile of `TILE` elements in shared memory. The larger the tile, the fewer blocks share an SM.
#[kernel(block(256), instances(TILE = [1024, 4096, 8192, 12_000]))]
pub fn reverse_tiles<const TILE: usize>(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; TILE]>();
    let start = block_idx().x * TILE;
    for k in (thread_idx().x..TILE).step_by(256) {
        if start + k < x.len() {
            tile[k] = x[start + k];
        }
    }
    barrier();
    for k in (thread_idx().x..TILE).step_by(256) {
        // The last tile may have a part only.
        let from = TILE - 1 - k;
        if start + k < out.len() && start + from < x.len() {
            out[start + k] = tile[from];
        }
    }
}

const TOPIC: &str = "occupancy";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(reverse_tiles::kernel::<1024>(), TOPIC, "tiles of 4,096 bytes", 8, |gpu, n| {
        run(gpu, n, 1024, |x, out| reverse_tiles::<1024>(x, out).grid(n.div_ceil(1024) as u32).run())
    }),
    Example::new(reverse_tiles::kernel::<4096>(), TOPIC, "tiles of 16,384 bytes", 8, |gpu, n| {
        run(gpu, n, 4096, |x, out| reverse_tiles::<4096>(x, out).grid(n.div_ceil(4096) as u32).run())
    }),
    Example::new(reverse_tiles::kernel::<8192>(), TOPIC, "tiles of 32,768 bytes", 8, |gpu, n| {
        run(gpu, n, 8192, |x, out| reverse_tiles::<8192>(x, out).grid(n.div_ceil(8192) as u32).run())
    }),
    Example::new(reverse_tiles::kernel::<12_000>(), TOPIC, "tiles of 48,000 bytes", 8, |gpu, n| {
        run(gpu, n, 12_000, |x, out| reverse_tiles::<12_000>(x, out).grid(n.div_ceil(12_000) as u32).run())
    }),
];

fn run(
    gpu: &Gpu,
    n: usize,
    tile: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(14, n);
    // In the last tile, elements whose mirror image lies beyond the end stay 0.
    let mirrored = |i: usize| host.get(i / tile * tile + (tile - 1 - i % tile)).copied().unwrap_or(0.0);
    let expected = (0..n).into_par_iter().map(mirrored).collect();
    from_slice(gpu, &host, expected, 0.0, launch)
}
