//! Tiles through shared memory in a pipeline: while one tile is worked on, the loads of the next are under way. More stages are
//! more loads under way in each thread, and more registers and shared memory.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// Tiles of each block: as many as every number of stages divides.
const TILES: usize = 12;

/// The kernels, which share what is done with a tile.
#[kernel_module(link(crate::copies::ahead))]
pub mod kernels {
    use kernel_runtime::prelude::*;

    use crate::copies::ahead;

    const TILES: usize = 12;

    /// The sum of eight neighbours, the tile taken as a ring.
    #[device]
    fn neighbours(tile: &[f32; 256], thread: usize) -> f32 {
        let mut sum = 0.0f32;
        #[unroll]
        for k in 0..8 {
            sum += tile[(thread + k) % 256];
        }
        sum
    }

    /// One tile after the other: each waits for its own load, and for those who still read the last tile.
    #[kernel(block(256))]
    pub fn tiles_in_turn(x: &[f32], out: &mut [f32]) {
        let mut tile = shared::<[f32; 256]>();
        let thread = thread_idx().x;
        for turn in 0..TILES {
            let i = (block_idx().x * TILES + turn) * 256 + thread;
            tile[thread] = if i < x.len() { x[i] } else { 0.0 };
            barrier();
            let sum = neighbours(&tile, thread);
            if i < out.len() {
                out[i] = sum;
            }
            barrier();
        }
    }

    /// `STAGES` tiles, the loads of all but one under way: one barrier a tile.
    #[kernel(block(256), instances(STAGES = [2, 3, 4]))]
    pub fn tiles_in_stages<const STAGES: usize>(x: &[f32], out: &mut [f32]) {
        let mut tiles = shared::<[[f32; 256]; STAGES]>();
        let mut ahead = [0.0f32; STAGES];
        let thread = thread_idx().x;
        let first = block_idx().x * TILES * 256 + thread;
        #[unroll]
        for stage in 0..STAGES - 1 {
            let i = first + stage * 256;
            if i < x.len() {
                ahead[stage] = x[i];
            }
        }
        for group in 0..TILES / STAGES {
            #[unroll]
            for stage in 0..STAGES {
                let turn = group * STAGES + stage;
                // The load that has been under way longest.
                tiles[stage][thread] = ahead[stage];
                let next = first + (turn + STAGES - 1) * 256;
                ahead[(stage + STAGES - 1) % STAGES] =
                    if turn + STAGES - 1 < TILES && next < x.len() { x[next] } else { 0.0 };
                barrier();
                let sum = neighbours(&tiles[stage], thread);
                let i = first + turn * 256;
                if i < out.len() {
                    out[i] = sum;
                }
            }
        }
    }

    /// `STAGES` tiles by asynchronous copies, which bypass registers: those in flight cost shared memory only.
    #[kernel(block(256), instances(STAGES = [2, 3, 4]), arch(sm_80))]
    pub fn tiles_async<const STAGES: usize>(x: &[f32], out: &mut [f32]) {
        let mut tiles = shared::<[[f32; 256]; STAGES]>();
        let thread = thread_idx().x;
        let first = block_idx().x * TILES * 256 + thread;
        #[unroll]
        for stage in 0..STAGES - 1 {
            ahead::start(x, first + stage * 256, &raw mut tiles[stage][thread]);
            ahead::close_group();
        }
        for group in 0..TILES / STAGES {
            #[unroll]
            for stage in 0..STAGES {
                let turn = group * STAGES + stage;
                // One barrier a tile: it also says that all are done with the tile before, whose place the next copy takes.
                if STAGES == 2 {
                    ahead::wait_for_all_but::<0>();
                } else if STAGES == 3 {
                    ahead::wait_for_all_but::<1>();
                } else {
                    ahead::wait_for_all_but::<2>();
                }
                barrier();
                if turn + STAGES - 1 < TILES {
                    let next = (stage + STAGES - 1) % STAGES;
                    ahead::start(x, first + (turn + STAGES - 1) * 256, &raw mut tiles[next][thread]);
                }
                ahead::close_group();
                let sum = neighbours(&tiles[stage], thread);
                let i = first + turn * 256;
                if i < out.len() {
                    out[i] = sum;
                }
            }
        }
    }
}

use kernels::{tiles_async, tiles_in_stages, tiles_in_turn};

const TOPIC: &str = "intensity";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&tiles_in_turn::KERNEL, TOPIC, "tiles one after the other", 8, |gpu, n| {
        run(gpu, n, |x, out, blocks| tiles_in_turn(x, out).grid(blocks).run())
    }),
    Example::new(tiles_in_stages::kernel::<2>(), TOPIC, "tiles in two stages", 8, |gpu, n| {
        run(gpu, n, |x, out, blocks| tiles_in_stages::<2>(x, out).grid(blocks).run())
    }),
    Example::new(tiles_in_stages::kernel::<3>(), TOPIC, "tiles in three stages", 8, |gpu, n| {
        run(gpu, n, |x, out, blocks| tiles_in_stages::<3>(x, out).grid(blocks).run())
    }),
    Example::new(tiles_in_stages::kernel::<4>(), TOPIC, "tiles in four stages", 8, |gpu, n| {
        run(gpu, n, |x, out, blocks| tiles_in_stages::<4>(x, out).grid(blocks).run())
    }),
    Example::new(tiles_async::kernel::<2>(), TOPIC, "tiles in two stages by `cp.async`", 8, |gpu, n| {
        run(gpu, n, |x, out, blocks| tiles_async::<2>(x, out).grid(blocks).run())
    }),
    Example::new(tiles_async::kernel::<3>(), TOPIC, "tiles in three stages by `cp.async`", 8, |gpu, n| {
        run(gpu, n, |x, out, blocks| tiles_async::<3>(x, out).grid(blocks).run())
    }),
    Example::new(tiles_async::kernel::<4>(), TOPIC, "tiles in four stages by `cp.async`", 8, |gpu, n| {
        run(gpu, n, |x, out, blocks| tiles_async::<4>(x, out).grid(blocks).run())
    }),
];

fn run(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>, u32) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(45, n);
    let sums = |tile: &[f32]| -> Vec<f32> {
        let at = |i: usize| tile.get(i % 256).copied().unwrap_or(0.0);
        (0..tile.len()).map(|thread| (0..8).fold(0.0, |sum, k| sum + at(thread + k))).collect()
    };
    let expected = host.par_chunks(256).flat_map_iter(sums).collect();
    let blocks = n.div_ceil(256 * TILES) as u32;
    from_slice(gpu, &host, expected, 0.0, |x, out| launch(x, out, blocks))
}
