//! Validation of launch bounds: `max_threads × min_blocks` has to fit an SM.

use crate::target::{Arch, Limits, MAX_THREADS_PER_BLOCK, WARP_SIZE};

/// Launch bounds that no launch could satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchBoundsError {
    /// `max_threads` is 0.
    #[error("expected at least 1 thread per block, found 0")]
    NoThreads,
    /// `max_threads` is beyond every architecture.
    #[error("expected at most {MAX_THREADS_PER_BLOCK} threads per block, found {max_threads}")]
    TooManyThreads {
        /// The number given.
        max_threads: u32,
    },
    /// `min_blocks` is 0.
    #[error("expected at least 1 block per SM, found 0\nhelp: leave the minimum out to ask for nothing")]
    NoBlocks,
    /// `min_blocks` blocks of `max_threads` threads exceed an SM of a named architecture, or of all.
    #[error(
        "{min_blocks} blocks of {max_threads} threads do not fit an SM of {}, which holds {} threads in at most {} \
         blocks\nhelp: ask for at most {} per SM",
        if *.named { arch.name() } else { "any architecture" },
        arch.limits().threads_per_sm,
        arch.limits().blocks_per_sm,
        resident_blocks(arch.limits(), *.max_threads)
    )]
    BeyondSm {
        /// Threads per block.
        max_threads: u32,
        /// Blocks per SM.
        min_blocks: u32,
        /// The architecture that holds the fewest such blocks of those named, or the most of all if none is.
        arch: Arch,
        /// True if architectures were named.
        named: bool,
    },
}

/// Accepts or refuses `launch_bounds(max_threads, min_blocks)` (`min_blocks` 1 where it is left out).
///
/// The blocks must fit an SM of every architecture in `archs`. With none named they are refused only if no
/// architecture of the table could hold them.
pub fn check_launch_bounds(
    max_threads: u32,
    min_blocks: u32,
    archs: &[Arch],
) -> Result<(), LaunchBoundsError> {
    if max_threads == 0 {
        return Err(LaunchBoundsError::NoThreads);
    }
    if max_threads > MAX_THREADS_PER_BLOCK {
        return Err(LaunchBoundsError::TooManyThreads { max_threads });
    }
    if min_blocks == 0 {
        return Err(LaunchBoundsError::NoBlocks);
    }
    let held = |arch: &&Arch| resident_blocks(arch.limits(), max_threads);
    let judge = match archs {
        [] => Arch::ALL.iter().max_by_key(held),
        named => named.iter().min_by_key(held),
    };
    match judge {
        Some(&arch) if min_blocks > resident_blocks(arch.limits(), max_threads) => {
            Err(LaunchBoundsError::BeyondSm { max_threads, min_blocks, arch, named: !archs.is_empty() })
        }
        _ => Ok(()),
    }
}

/// Blocks of so many threads for which an SM has warp and block slots.
fn resident_blocks(limits: &Limits, max_threads: u32) -> u32 {
    limits.blocks_per_sm.min(limits.warps_per_sm() / max_threads.div_ceil(WARP_SIZE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(max_threads: u32, min_blocks: u32, archs: &[Arch], expected: Expect) {
        let result = check_launch_bounds(max_threads, min_blocks, archs);
        expected.assert_eq(&result.map_or_else(|e| e.to_string(), |()| "accepted".to_owned()));
    }

    #[test]
    fn what_every_named_architecture_holds_is_accepted() {
        check(256, 8, &[Arch::Sm80, Arch::Sm90a], expect!["accepted"]);
        check(1024, 1, Arch::ALL, expect!["accepted"]);
    }

    #[test]
    fn the_smallest_named_architecture_decides() {
        let refused = expect![[r#"
            8 blocks of 256 threads do not fit an SM of sm_75, which holds 1024 threads in at most 16 blocks
            help: ask for at most 4 per SM"#]];
        check(256, 8, &[Arch::Sm90, Arch::Sm75, Arch::Sm86], refused);
    }

    #[test]
    fn block_slots_count_too() {
        let refused = expect![[r#"
            17 blocks of 32 threads do not fit an SM of sm_86, which holds 1536 threads in at most 16 blocks
            help: ask for at most 16 per SM"#]];
        check(32, 17, &[Arch::Sm86], refused);
    }

    #[test]
    fn with_none_named_one_architecture_is_enough() {
        check(256, 8, &[], expect!["accepted"]);
        let refused = expect![[r#"
            9 blocks of 256 threads do not fit an SM of any architecture, which holds 2048 threads in at most 32 blocks
            help: ask for at most 8 per SM"#]];
        check(256, 9, &[], refused);
    }

    #[test]
    fn single_numbers_out_of_range() {
        check(0, 1, &[], expect!["expected at least 1 thread per block, found 0"]);
        check(1025, 1, &[], expect!["expected at most 1024 threads per block, found 1025"]);
        let zero = expect![[r#"
            expected at least 1 block per SM, found 0
            help: leave the minimum out to ask for nothing"#]];
        check(256, 0, &[], zero);
    }
}
