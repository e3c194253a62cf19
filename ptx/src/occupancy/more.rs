//! Reductions of resource use that let an SM hold more blocks than it does.

use std::fmt;

use super::{KernelResources, Limiter, Occupancy, block_limits, occupancy};
use crate::target::Limits;

/// Reduction of a kernel's resource use, and the occupancy that it would give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoreBlocks {
    /// Registers fewer per thread; 0 if they are not in the way.
    pub registers: u32,
    /// Bytes of shared memory fewer per block; 0 if it is not in the way.
    pub shared: u32,
    /// The occupancy then.
    pub occupancy: Occupancy,
}

impl fmt::Display for MoreBlocks {
    /// `3 registers fewer per thread give 4 blocks of 256 threads per SM, 50 % occupancy, limited by registers`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MoreBlocks { registers, shared, occupancy } = self;
        let s = |count: &u32| if *count == 1 { "" } else { "s" };
        if *registers > 0 {
            write!(f, "{registers} register{} fewer per thread", s(registers))?;
        }
        if *registers > 0 && *shared > 0 {
            f.write_str(" and ")?;
        }
        if *shared > 0 {
            write!(f, "{shared} byte{} of shared memory fewer per block", s(shared))?;
        }
        let gives = if registers.saturating_add(*shared) == 1 { "gives" } else { "give" };
        write!(f, " {gives} {occupancy}")
    }
}

/// The least that a kernel would have to give up for one more block per SM; none where warp slots, block slots, barriers or the block
/// size itself are in the way, or nothing that it could give up is enough.
pub fn more_blocks(
    limits: &Limits,
    kernel: &KernelResources,
    threads: u32,
    dynamic_shared: u32,
) -> Option<MoreBlocks> {
    let now = occupancy(limits, kernel, threads, dynamic_shared);
    let wanted = now.active_blocks.checked_add(1)?;
    // Static shared memory is reduced first: with less of it the rest stays as it is.
    let lean = |registers: u32, shared: u32| {
        let of_static = shared.min(kernel.static_shared);
        let resources = KernelResources {
            registers: kernel.registers - registers,
            static_shared: kernel.static_shared - of_static,
            ..*kernel
        };
        (resources, dynamic_shared - (shared - of_static))
    };
    let allows = |limiter: Limiter, registers: u32, shared: u32| {
        let (resources, dynamic) = lean(registers, shared);
        let allowed = block_limits(limits, &resources, threads, dynamic);
        allowed.iter().any(|&(known, blocks)| known == limiter && blocks >= wanted)
    };
    let (mut registers, mut shared) = (0, 0);
    for (limiter, blocks) in block_limits(limits, kernel, threads, dynamic_shared) {
        if blocks >= wanted {
            continue;
        }
        match limiter {
            Limiter::Registers => {
                registers = (1..kernel.registers).find(|&fewer| allows(Limiter::Registers, fewer, 0))?;
            }
            Limiter::SharedMemory => {
                let all = kernel.static_shared.checked_add(dynamic_shared)?;
                shared = (1..=all).find(|&fewer| allows(Limiter::SharedMemory, 0, fewer))?;
            }
            Limiter::Warps | Limiter::Blocks | Limiter::Barriers | Limiter::BlockSize => return None,
        }
    }
    let (resources, dynamic) = lean(registers, shared);
    let occupancy = occupancy(limits, &resources, threads, dynamic);
    Some(MoreBlocks { registers, shared, occupancy })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::target::Arch;

    fn check(registers: u32, static_shared: u32, threads: u32, dynamic_shared: u32, expected: Expect) {
        let kernel = KernelResources { registers, static_shared, ..KernelResources::default() };
        let more = more_blocks(Arch::Sm90.limits(), &kernel, threads, dynamic_shared);
        expected.assert_eq(&more.map_or_else(|| "nothing".to_owned(), |more| more.to_string()));
    }

    #[test]
    fn registers() {
        check(
            67,
            0,
            256,
            0,
            expect![
                "3 registers fewer per thread give 4 blocks of 256 threads per SM, 50 % occupancy, limited by registers"
            ],
        );
    }

    #[test]
    fn shared_memory_of_either_kind() {
        check(
            32,
            40_000,
            128,
            0,
            expect![
                "2112 bytes of shared memory fewer per block give 6 blocks of 128 threads per SM, 37.5 % occupancy, limited by shared memory"
            ],
        );
        check(
            32,
            1_000,
            128,
            39_000,
            expect![
                "2112 bytes of shared memory fewer per block give 6 blocks of 128 threads per SM, 37.5 % occupancy, limited by shared memory"
            ],
        );
    }

    #[test]
    fn both() {
        check(
            128,
            48_000,
            128,
            0,
            expect![
                "32 registers fewer per thread and 2432 bytes of shared memory fewer per block give 5 blocks of 128 threads per SM, 31.3 % occupancy, limited by registers and shared memory"
            ],
        );
    }

    #[test]
    fn warp_slots_are_what_they_are() {
        check(32, 0, 256, 0, expect!["nothing"]);
        check(16, 0, 768, 0, expect!["nothing"]);
    }
}
