//! A costly side that is rarely wanted, after a vote of the warp, over tiles that are copied ahead: by `cp.async`, each thread its element,
//! and by bulk copies of sm_90, one thread the whole tile.

use kernel_runtime::prelude::*;

use super::uniform::rare;
use crate::Example;
use kernels::{rare_async, rare_bulk};

/// Tiles of each block.
const TILES: usize = 4;

/// The kernels.
#[kernel_module(link(crate::copies::ahead, crate::copies::bulk))]
pub mod kernels {
    use kernel_runtime::prelude::*;

    use crate::copies::{ahead, bulk};

    const TILES: usize = 4;

    /// The costly result, for one element in 256, computed by a warp if one of its lanes wants it.
    #[device]
    fn after_a_vote(value: f32) -> f32 {
        let mut result = 0.0f32;
        if warp::any(value >= 0.99609375) {
            #[predicate]
            if value >= 0.99609375 {
                result = fast::exp(value) + fast::sin(value) * fast::cos(value) + (value + 1.0).sqrt();
            }
        }
        result
    }

    /// Two tiles: while one is worked on, the next is on its way.
    #[kernel(block(256), arch(sm_80))]
    pub fn rare_async(x: &[f32], out: &mut [f32]) {
        let mut tiles = shared::<[[f32; 256]; 2]>();
        let thread = thread_idx().x;
        let first = block_idx().x * TILES * 256;
        ahead::start(x, first + thread, &raw mut tiles[0][thread]);
        ahead::close_group();
        for turn in 0..TILES {
            ahead::wait_for_all_but::<0>();
            // Each warp reads what another one has loaded, and all are done with the tile before.
            barrier();
            if turn + 1 < TILES {
                ahead::start(x, first + (turn + 1) * 256 + thread, &raw mut tiles[(turn + 1) % 2][thread]);
                ahead::close_group();
            }
            let i = first + turn * 256 + 255 - thread;
            let result = after_a_vote(tiles[turn % 2][255 - thread]);
            if i < out.len() {
                out[i] = result;
            }
        }
    }

    /// Two tiles that one thread asks for. The last one may not be whole: then each thread loads its element, as it does where there are
    /// no bulk copies.
    #[kernel(block(256), arch(sm_75, sm_90))]
    pub fn rare_bulk(x: &[f32], out: &mut [f32]) {
        let mut tiles = shared::<[[F32x4; 64]; 2]>();
        let mut arrived = shared::<[u64; 2]>();
        let thread = thread_idx().x;
        let first = block_idx().x * TILES * 256;
        if target::at_least(90) && thread == 0 {
            bulk::make(&raw mut arrived[0]);
            bulk::make(&raw mut arrived[1]);
            if first + 256 <= x.len() {
                // SAFETY: the tile lies inside `x`, whose buffer is aligned to more than 16 bytes, and has its place.
                unsafe { bulk::start(x, first, tiles[0].as_mut_ptr().cast(), &raw mut arrived[0]) };
            }
        }
        barrier();
        for turn in 0..TILES {
            let tile = first + turn * 256;
            let next = tile + 256;
            if target::at_least(90) && thread == 0 && turn + 1 < TILES && next + 256 <= x.len() {
                let place = (turn + 1) % 2;
                // SAFETY: as above; all are done with the tile that was there.
                unsafe { bulk::start(x, next, tiles[place].as_mut_ptr().cast(), &raw mut arrived[place]) };
            }
            if target::at_least(90) && next <= x.len() {
                bulk::wait(&raw mut arrived[turn % 2], (turn / 2 % 2) as u32);
            } else {
                let i = tile + thread;
                tiles[turn % 2][thread / 4][thread % 4] = if i < x.len() { x[i] } else { 0.0 };
                barrier();
            }
            let mirrored = 255 - thread;
            let result = after_a_vote(tiles[turn % 2][mirrored / 4][mirrored % 4]);
            if tile + mirrored < out.len() {
                out[tile + mirrored] = result;
            }
            barrier();
        }
    }
}

const TOPIC: &str = "divergence";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&rare_async::KERNEL, TOPIC, "a rare costly side, tiles by `cp.async`", 8, |gpu, n| {
        rare(gpu, n, |x, out| rare_async(x, out).grid(n.div_ceil(256 * TILES) as u32).run())
    }),
    Example::new(&rare_bulk::KERNEL, TOPIC, "a rare costly side, tiles by bulk copies", 8, |gpu, n| {
        rare(gpu, n, |x, out| rare_bulk(x, out).grid(n.div_ceil(256 * TILES) as u32).run())
    }),
];
