//! Barriers for some of a block's warps, by number: 0 is that of `barrier()` and of all that the compiler makes.

use super::vocabulary::*;

/// `barrier::named::<ID>(threads)`
pub fn barrier_named<const ID: usize>(threads: usize) {
    assert!(
        threads % 32 == 0 && threads > 0,
        "expected a number of threads that is a multiple of 32, as whole warps come to a barrier, found {}",
        threads
    );
    assert!(ID >= 1 && ID <= 15, "expected a barrier from 1 to 15, found {}: 0 is that of `barrier()`", ID);
    assert!(
        threads <= (block_dim().x * block_dim().y * block_dim().z + 31) / 32 * 32,
        "expected at most the threads of a block, found a barrier for {}",
        threads
    );
    barrier_of_warps(ID, threads);
}

/// `barrier::arrive::<ID>(threads)`
pub fn barrier_arrive<const ID: usize>(threads: usize) {
    assert!(
        threads % 32 == 0 && threads > 0,
        "expected a number of threads that is a multiple of 32, as whole warps come to a barrier, found {}",
        threads
    );
    assert!(ID >= 1 && ID <= 15, "expected a barrier from 1 to 15, found {}: 0 is that of `barrier()`", ID);
    assert!(
        threads <= (block_dim().x * block_dim().y * block_dim().z + 31) / 32 * 32,
        "expected at most the threads of a block, found a barrier for {}",
        threads
    );
    arrival_of_warps(ID, threads);
}
