//! The block size of highest occupancy, by the algorithm of `cudaOccupancyMaxPotentialBlockSizeVariableSMem`.

use std::fmt;

use super::{KernelResources, Limiters, Occupancy, occupancy};
use crate::target::{Limits, MAX_THREADS_PER_BLOCK, WARP_SIZE};

/// The largest block size of highest occupancy, and the smallest grid that fills the device with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestBlockSize {
    /// Threads per block.
    pub threads: u32,
    /// Blocks that occupy every SM of the device.
    pub blocks: u32,
    /// Elements per thread: more than one of a coarsened kernel.
    pub elements: u32,
    /// The occupancy reached.
    pub occupancy: Occupancy,
}

impl BestBlockSize {
    /// Elements that are worked on at once: fewer leave SMs idle.
    pub fn full_grid(&self) -> u64 {
        u64::from(self.threads) * u64::from(self.blocks) * u64::from(self.elements)
    }
}

impl fmt::Display for BestBlockSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BestBlockSize { threads, blocks, elements, occupancy } = self;
        write!(f, "{threads} threads per block, {blocks} blocks fill the device")?;
        if *elements > 1 {
            write!(f, " with {} elements, {elements} per thread", self.full_grid())?;
        }
        write!(f, ": {occupancy}")
    }
}

/// The kernel cannot be launched with any block size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no block size fits an SM: even a block of {threads} threads is refused because of {limiters}\n\
     help: use less of it, or raise the limit on the block size"
)]
pub struct NoBlockFits {
    /// The smallest block tried.
    pub threads: u32,
    /// Resources that it exceeds.
    pub limiters: Limiters,
}

/// Tries block sizes from the largest allowed down in steps of a warp and keeps the first of highest occupancy.
///
/// `block_limit` bounds the block size beside the kernel's own launch bounds; `dynamic_shared` tells the bytes of
/// dynamic shared memory that a block of so many threads needs; `sms` is the number of SMs of the device.
pub fn best_block_size(
    limits: &Limits,
    kernel: &KernelResources,
    sms: u32,
    block_limit: Option<u32>,
    dynamic_shared: impl Fn(u32) -> u32,
) -> Result<BestBlockSize, NoBlockFits> {
    let limit = MAX_THREADS_PER_BLOCK.min(kernel.max_threads).min(block_limit.unwrap_or(u32::MAX));
    // Only the largest may be ragged: 100, 96, 64, 32.
    let sizes = (1..=limit.div_ceil(WARP_SIZE)).rev().map(|warps| limit.min(warps * WARP_SIZE));
    let mut best: Option<Occupancy> = None;
    let mut smallest = occupancy(limits, kernel, limit, 0);
    for threads in sizes {
        let found = occupancy(limits, kernel, threads, dynamic_shared(threads));
        smallest = found;
        if resident_threads(&found) > best.as_ref().map_or(0, resident_threads) {
            best = Some(found);
        }
        if resident_threads(&found) == limits.threads_per_sm {
            break;
        }
    }
    match best {
        Some(occupancy) => Ok(BestBlockSize {
            threads: occupancy.block_threads,
            blocks: occupancy.active_blocks.saturating_mul(sms),
            elements: 1,
            occupancy,
        }),
        None => Err(NoBlockFits { threads: smallest.block_threads, limiters: smallest.limiters }),
    }
}

/// Threads, not warps, as CUDA counts here: of two sizes with equally many warps the one without idle lanes wins.
fn resident_threads(occupancy: &Occupancy) -> u32 {
    occupancy.active_blocks * occupancy.block_threads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Arch;
    use expect_test::{Expect, expect};

    fn check(kernel: KernelResources, block_limit: Option<u32>, shared: fn(u32) -> u32, expected: Expect) {
        let best = best_block_size(Arch::Sm90.limits(), &kernel, 132, block_limit, shared);
        expected.assert_eq(&best.map_or_else(|e| e.to_string(), |best| best.to_string()));
    }

    fn registers(registers: u32) -> KernelResources {
        KernelResources { registers, ..KernelResources::default() }
    }

    #[test]
    fn the_largest_block_of_full_occupancy_wins() {
        let whole = expect![[r#"
            1024 threads per block, 264 blocks fill the device: 2 blocks of 1024 threads per SM, 100 % occupancy, limited by warp slots and registers"#]];
        check(registers(32), None, |_| 0, whole);
    }

    #[test]
    fn registers_move_the_best_size() {
        let some = expect![
            "640 threads per block, 264 blocks fill the device: 2 blocks of 640 threads per SM, 62.5 % occupancy, limited by registers"
        ];
        check(registers(48), None, |_| 0, some);
    }

    #[test]
    fn shared_memory_may_depend_on_the_block_size() {
        let some = expect![
            "512 threads per block, 528 blocks fill the device: 4 blocks of 512 threads per SM, 100 % occupancy, limited by warp slots"
        ];
        check(registers(16), None, |threads| threads * 64, some);
    }

    #[test]
    fn the_block_limit_may_be_ragged() {
        let some = expect![
            "40 threads per block, 4224 blocks fill the device: 32 blocks of 40 threads per SM, 100 % occupancy, limited by warp slots and block slots"
        ];
        check(registers(16), Some(40), |_| 0, some);
    }

    #[test]
    fn nothing_fits() {
        let none = expect![[r#"
            no block size fits an SM: even a block of 32 threads is refused because of shared memory
            help: use less of it, or raise the limit on the block size"#]];
        check(registers(16), None, |_| 1 << 20, none);
        let none = expect![[r#"
            no block size fits an SM: even a block of 0 threads is refused because of the block size
            help: use less of it, or raise the limit on the block size"#]];
        check(registers(16), Some(0), |_| 0, none);
    }
}
