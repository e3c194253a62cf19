//! A costly side that is rarely wanted, after a vote of the warp, over tiles that are copied ahead: by `cp.async`, each thread its element,
//! and by bulk copies of sm_90, one thread the whole tile.

use kernel_runtime::prelude::*;

use super::uniform::rare;
use crate::Example;
use kernels::rare_async;

/// Tiles of each block.
const TILES: usize = 4;

/// The kernels.
#[kernel_module(link(crate::copies::ahead))]
pub mod kernels {
    use kernel_runtime::prelude::*;

    use crate::copies::ahead;

    const TILES: usize = 4;

    /// What one element in 256 wants, computed by a warp if one of its lanes does.
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
}

/// How each is run.
pub static EXAMPLES: &[Example] = &[Example::new(
    &rare_async::KERNEL,
    "divergence",
    "a rare costly side, tiles by `cp.async`",
    8,
    |gpu, n| rare(gpu, n, |x, out| rare_async(x, out).grid(n.div_ceil(256 * TILES) as u32).run()),
)];
