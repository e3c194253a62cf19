//! Occupancy: how many blocks of a kernel an SM holds at once, and what limits them. Pure arithmetic.
//!
//! It gives what `cuOccupancyMaxActiveBlocksPerMultiprocessor` and NVIDIA's `cuda_occupancy.h` give. Not counted:
//! the "virtual resources" that the header knows from compute capability 10.0 and that no public interface reports.

mod best;
mod bounds;
mod more;

pub use best::{BestBlockSize, NoBlockFits, best_block_size};
pub use bounds::{LaunchBoundsError, check_launch_bounds};
pub use more::{MoreBlocks, more_blocks};

use std::fmt;

use crate::target::{DEFAULT_SHARED_PER_BLOCK, Limits, MAX_THREADS_PER_BLOCK, WARP_SIZE};

/// Resources that a kernel needs, as the driver's function attributes or `ptxas -v` report them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelResources {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block, in bytes.
    pub static_shared: u32,
    /// Named barriers that a block uses.
    pub barriers: u32,
    /// Most threads per block, from the launch bounds or lowered by what the kernel needs.
    pub max_threads: u32,
    /// Limit of the shared memory of a block, static and dynamic together.
    pub shared_limit: SharedLimit,
    /// Division between L1 cache and shared memory.
    pub carveout: Carveout,
}

impl Default for KernelResources {
    /// A kernel that needs nothing, any block size, the driver's defaults.
    fn default() -> KernelResources {
        KernelResources {
            registers: 0,
            static_shared: 0,
            barriers: 0,
            max_threads: MAX_THREADS_PER_BLOCK,
            shared_limit: SharedLimit::Default,
            carveout: Carveout::Default,
        }
    }
}

/// The shared memory that a block may have, static and dynamic together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SharedLimit {
    /// 48 KiB: no attribute was set.
    #[default]
    Default,
    /// Limit of the architecture, after `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES` was set high enough.
    OptIn,
}

/// The preferred division of the L1 cache: `CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carveout {
    /// The driver's choice: as much shared memory as the blocks can use.
    #[default]
    Default,
    /// This part of the largest carve-out in percent (100 at most), rounded up to a size that the hardware has.
    Percent(u8),
}

/// A resource of an SM that can limit the number of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limiter {
    /// Warp slots.
    Warps,
    /// Block slots.
    Blocks,
    /// The register file.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Hardware barriers.
    Barriers,
    /// The block itself is empty, or larger than the kernel or the architecture allows.
    BlockSize,
}

impl Limiter {
    /// Every limiter, in the order in which ties are reported.
    pub const ALL: [Limiter; 6] = [
        Limiter::Warps,
        Limiter::Blocks,
        Limiter::Registers,
        Limiter::SharedMemory,
        Limiter::Barriers,
        Limiter::BlockSize,
    ];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limiter::Warps => "warp slots",
            Limiter::Blocks => "block slots",
            Limiter::Registers => "registers",
            Limiter::SharedMemory => "shared memory",
            Limiter::Barriers => "barriers",
            Limiter::BlockSize => "the block size",
        })
    }
}

/// The resources that limit together: each alone would allow the same number of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Limiters(u8);

impl Limiters {
    /// Returns true if this limiter is among them.
    pub const fn contains(self, limiter: Limiter) -> bool {
        self.0 & limiter.bit() != 0
    }

    /// The limiters, in the order of [`Limiter::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Limiter> {
        Limiter::ALL.into_iter().filter(move |&limiter| self.contains(limiter))
    }
}

impl FromIterator<Limiter> for Limiters {
    fn from_iter<I: IntoIterator<Item = Limiter>>(limiters: I) -> Limiters {
        Limiters(limiters.into_iter().fold(0, |set, limiter| set | limiter.bit()))
    }
}

impl fmt::Debug for Limiters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for Limiters {
    /// `registers`, `registers and barriers`, `warp slots, registers and barriers`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.count_ones() as usize;
        for (index, limiter) in self.iter().enumerate() {
            let separator = match index {
                0 => "",
                _ if index + 1 == count => " and ",
                _ => ", ",
            };
            write!(f, "{separator}{limiter}")?;
        }
        Ok(())
    }
}

/// Occupancy of an SM by one kernel at one block size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Threads per block that was asked about.
    pub block_threads: u32,
    /// Blocks resident per SM; 0 means that the kernel cannot be launched so.
    pub active_blocks: u32,
    /// Warps resident per SM.
    pub active_warps: u32,
    /// Warps that an SM can hold.
    pub max_warps: u32,
    /// Resources that limit the number of blocks.
    pub limiters: Limiters,
}

impl Occupancy {
    /// The answer for a number of blocks found elsewhere (by a driver), with the limiters of this arithmetic.
    pub fn with_active_blocks(self, active_blocks: u32) -> Occupancy {
        let active_warps = active_blocks.saturating_mul(self.block_threads.div_ceil(WARP_SIZE));
        Occupancy { active_blocks, active_warps, ..self }
    }

    /// Active warps per warp slot, 0 to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.active_warps) / f64::from(self.max_warps)
    }
}

impl fmt::Display for Occupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Occupancy { block_threads: threads, active_blocks: blocks, limiters, .. } = self;
        if *blocks == 0 {
            return write!(f, "a block of {threads} threads does not fit an SM, because of {limiters}");
        }
        let s = if *blocks == 1 { "" } else { "s" };
        // One decimal where there is one: 62.5, 100.
        let percent = (1000.0 * self.fraction()).round() / 10.0;
        write!(
            f,
            "{blocks} block{s} of {threads} threads per SM, {percent} % occupancy, limited by {limiters}"
        )
    }
}

/// Computes the number of resident blocks of `threads` threads with `dynamic_shared` bytes of dynamic shared memory per SM.
pub fn occupancy(limits: &Limits, kernel: &KernelResources, threads: u32, dynamic_shared: u32) -> Occupancy {
    let allowed = block_limits(limits, kernel, threads, dynamic_shared);
    let active_blocks = allowed.iter().map(|&(_, blocks)| blocks).min().unwrap_or(0);
    let tight = allowed.iter().filter(|&&(_, blocks)| blocks == active_blocks);
    Occupancy {
        block_threads: threads,
        active_blocks,
        active_warps: active_blocks * threads.div_ceil(WARP_SIZE),
        max_warps: limits.warps_per_sm(),
        limiters: tight.map(|&(limiter, _)| limiter).collect(),
    }
}

/// The most registers per thread with which an SM holds so many blocks of so many threads; 0 if it holds too few with any.
pub fn registers_left(limits: &Limits, threads: u32, blocks: u32) -> u32 {
    let holds = |registers: &u32| {
        let kernel = KernelResources { registers: *registers, ..KernelResources::default() };
        occupancy(limits, &kernel, threads, 0).active_blocks >= blocks
    };
    (1..=limits.registers_per_thread).rev().find(holds).unwrap_or(0)
}

/// The blocks per SM that each resource alone allows; `u32::MAX` where the kernel does not use it.
pub fn block_limits(
    limits: &Limits,
    kernel: &KernelResources,
    threads: u32,
    dynamic_shared: u32,
) -> [(Limiter, u32); Limiter::ALL.len()] {
    Limiter::ALL.map(|limiter| {
        let blocks = match limiter {
            // An empty block counts as one warp here, and as a bad block size below.
            Limiter::Warps => limits.warps_per_sm() / threads.div_ceil(WARP_SIZE).max(1),
            Limiter::Blocks => limits.blocks_per_sm,
            Limiter::Registers => register_limit(limits, kernel.registers, threads),
            Limiter::SharedMemory => shared_limit(limits, kernel, dynamic_shared),
            Limiter::Barriers => {
                limits.barriers_per_sm.and_then(|all| all.checked_div(kernel.barriers)).unwrap_or(u32::MAX)
            }
            Limiter::BlockSize => {
                let fits = (1..=kernel.max_threads.min(MAX_THREADS_PER_BLOCK)).contains(&threads);
                if fits { u32::MAX } else { 0 }
            }
        };
        (limiter, blocks)
    })
}

/// Registers go to whole warps in units, and a warp's come from one sub-partition.
fn register_limit(limits: &Limits, registers: u32, threads: u32) -> u32 {
    if registers == 0 {
        return u32::MAX;
    }
    if registers > limits.registers_per_thread {
        return 0;
    }
    let warps = threads.div_ceil(WARP_SIZE).max(1);
    let per_warp = (registers * WARP_SIZE).next_multiple_of(limits.register_unit);
    // The launch check assumes that every sub-partition gets equally many warps: 9 warps count as 12. Where a block
    // may have all registers of an SM, as on every architecture so far, it refuses just the blocks that the last line rounds
    // to 0; it would say more where a block may have fewer.
    let assumed = u64::from(per_warp) * u64::from(warps).next_multiple_of(limits.sub_partitions.into());
    if assumed > limits.registers_per_block.into() {
        return 0;
    }
    let warps_per_partition = limits.registers_per_sm / limits.sub_partitions / per_warp;
    warps_per_partition * limits.sub_partitions / warps
}

/// Shared memory goes to blocks in units, each with the driver's reserve, out of the carve-out.
fn shared_limit(limits: &Limits, kernel: &KernelResources, dynamic_shared: u32) -> u32 {
    let reserved = u64::from(limits.shared_reserved_per_block);
    let used = u64::from(kernel.static_shared) + u64::from(dynamic_shared) + reserved;
    let allocated = used.next_multiple_of(limits.shared_granularity.into());
    let allowed = match kernel.shared_limit {
        SharedLimit::Default => DEFAULT_SHARED_PER_BLOCK,
        SharedLimit::OptIn => limits.shared_per_block_optin,
    };
    if allocated > u64::from(allowed) + reserved {
        return 0;
    }
    let preferred = match kernel.carveout {
        Carveout::Default => limits.shared_per_sm,
        Carveout::Percent(part) => limits.shared_per_sm * u32::from(part.min(100)) / 100,
    };
    // A preference too small for one block gives way to the block.
    let sizes = limits.shared_carveouts.iter().map(|&size| u64::from(size));
    let capacity = sizes.into_iter().find(|&size| size >= allocated.max(preferred.into())).unwrap_or(0);
    capacity.checked_div(allocated).map_or(u32::MAX, |blocks| u32::try_from(blocks).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Arch;
    use expect_test::{Expect, expect};

    fn check(arch: Arch, kernel: KernelResources, threads: u32, dynamic_shared: u32, expected: Expect) {
        expected.assert_eq(&occupancy(arch.limits(), &kernel, threads, dynamic_shared).to_string());
    }

    fn registers(registers: u32) -> KernelResources {
        KernelResources { registers, ..KernelResources::default() }
    }

    #[test]
    fn a_light_kernel_fills_the_warp_slots() {
        let full = expect!["8 blocks of 256 threads per SM, 100 % occupancy, limited by warp slots"];
        check(Arch::Sm90, registers(16), 256, 0, full);
    }

    #[test]
    fn ties_are_told() {
        let tie = expect![[r#"
            8 blocks of 256 threads per SM, 100 % occupancy, limited by warp slots and registers"#]];
        check(Arch::Sm90, registers(32), 256, 0, tie);
        let tie = expect![[r#"
            32 blocks of 64 threads per SM, 100 % occupancy, limited by warp slots, block slots and registers"#]];
        check(Arch::Sm90, registers(32), 64, 0, tie);
    }

    #[test]
    fn small_blocks_run_out_of_block_slots() {
        let few = expect!["16 blocks of 32 threads per SM, 33.3 % occupancy, limited by block slots"];
        check(Arch::Sm86, registers(16), 32, 0, few);
    }

    #[test]
    fn the_launch_check_rounds_warps_up_to_sub_partitions() {
        let none = expect!["a block of 288 threads does not fit an SM, because of registers"];
        check(Arch::Sm90, registers(224), 288, 0, none);
    }

    #[test]
    fn shared_memory_beyond_the_default_needs_opting_in() {
        let none = expect!["a block of 128 threads does not fit an SM, because of shared memory"];
        check(Arch::Sm80, registers(16), 128, 49_153, none);
        let opted = KernelResources { shared_limit: SharedLimit::OptIn, ..registers(16) };
        let three = expect!["3 blocks of 128 threads per SM, 18.8 % occupancy, limited by shared memory"];
        check(Arch::Sm80, opted, 128, 49_153, three);
    }

    #[test]
    fn a_smaller_carveout_holds_fewer_blocks() {
        let kernel =
            KernelResources { static_shared: 7 * 1024, carveout: Carveout::Percent(25), ..registers(16) };
        let eight = expect!["8 blocks of 64 threads per SM, 25 % occupancy, limited by shared memory"];
        check(Arch::Sm90, kernel, 64, 0, eight);
    }

    #[test]
    fn barriers_limit_from_hopper_on() {
        let kernel = KernelResources { barriers: 16, ..registers(16) };
        let four = expect!["4 blocks of 64 threads per SM, 12.5 % occupancy, limited by barriers"];
        check(Arch::Sm90, kernel, 64, 0, four);
        let all = expect![[r#"
            24 blocks of 64 threads per SM, 100 % occupancy, limited by warp slots and block slots"#]];
        check(Arch::Sm89, kernel, 64, 0, all);
    }

    #[test]
    fn impossible_blocks_and_huge_requests_are_answers_not_panics() {
        let size = || expect!["a block of 0 threads does not fit an SM, because of the block size"];
        check(Arch::Sm75, registers(16), 0, 0, size());
        let bounded = KernelResources { max_threads: 128, ..registers(16) };
        let size = expect!["a block of 129 threads does not fit an SM, because of the block size"];
        check(Arch::Sm75, bounded, 129, 0, size);
        let all = expect![[r#"
            a block of 4294967295 threads does not fit an SM, because of warp slots, registers, shared memory and the block size"#]];
        check(Arch::Sm75, registers(u32::MAX), u32::MAX, u32::MAX, all);
    }
}
