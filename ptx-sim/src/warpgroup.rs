//! Groups of four warps: the products that they begin together, and the waits for these.
//!
//! The product of a warp is computed when the warp begins it. A wait is over when all four warps have begun the products that it is for, as on a
//! GPU: before that none of them is complete, and nobody may overwrite what they read.

use std::collections::VecDeque;

use super::exec::Watch;
use super::fault::Misdeed;
use super::op::Warpgroup;
use super::program::Kernel;
use super::sanitize::BlockChecks;
use super::sync::is_polling;
use super::warp::{Group, State, Warp};

/// The warps of a group.
pub(crate) const WARPS: usize = 4;

/// The products of a warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Products {
    /// Number of those that it has begun.
    pub(crate) begun: u64,
    /// That number at each `wgmma.commit_group` that has not been waited for.
    groups: VecDeque<u64>,
}

impl Products {
    pub(crate) fn clear(&mut self) {
        self.begun = 0;
        self.groups.clear();
    }

    /// The number of products that a wait for all but the last so many groups is for, of all from the first on; 0 if it is for none.
    fn awaited(&mut self, but: u32) -> u64 {
        let done = self.groups.len().saturating_sub(but as usize);
        self.groups.drain(..done).next_back().unwrap_or(0)
    }
}

impl Warp {
    /// An operation on products or registers; lanes that come first wait for the others.
    pub(crate) fn warpgroup(
        &mut self,
        index: usize,
        on: u32,
        what: Warpgroup,
        watch: Option<&mut Watch<'_, '_>>,
    ) {
        if on != self.live {
            self.wait(index, on, State::Members);
            return;
        }
        if let Some(Watch { checks, warp }) = watch {
            checks.warpgroup(*warp, self.groups[index].pc, what);
        }
        match what {
            Warpgroup::Fence | Warpgroup::Registers { .. } => {}
            Warpgroup::Commit => self.products.groups.push_back(self.products.begun),
            Warpgroup::Wait { but } => {
                let begun = self.products.awaited(but);
                if begun > 0 {
                    self.wait(index, on, State::Products { begun });
                    return;
                }
            }
        }
        self.groups[index].pc += 1;
    }
}

/// The warps of a block that are in the group of a warp.
pub(crate) fn members(warp: usize, warps: usize) -> std::ops::Range<usize> {
    let first = warp / WARPS * WARPS;
    first..(first + WARPS).min(warps)
}

/// The warps of its group that have not begun so many products, a bit for each warp of the block.
fn missing(warps: &[Warp], warp: usize, begun: u64) -> u32 {
    let first = warp / WARPS * WARPS;
    let is_missing = |other: &usize| warps.get(*other).is_none_or(|other| other.products.begun < begun);
    (first..first + WARPS).filter(is_missing).fold(0, |all, other| all | 1 << other)
}

/// Lets warps go on that wait for products which their group has begun; whether there were any.
pub(crate) fn release(warps: &mut [Warp], mut checks: Option<&mut BlockChecks<'_>>) -> bool {
    let mut any = false;
    for warp in 0..warps.len() {
        for index in 0..warps[warp].groups.len() {
            let State::Products { begun } = warps[warp].groups[index].state else { continue };
            if missing(warps, warp, begun) == 0 {
                warps[warp].release(index);
                if let Some(checks) = &mut checks {
                    checks.products_done(warp, begun);
                }
                any = true;
            }
        }
    }
    any
}

/// A wait for a product that some warps of the group never begin.
pub(crate) fn partial<'a>(warps: &'a [Warp], kernel: &Kernel) -> Option<(usize, &'a Group, Misdeed)> {
    warps
        .iter()
        .enumerate()
        .flat_map(|(warp, state)| state.groups.iter().map(move |group| (warp, group)))
        .find_map(|(warp, group)| {
            let State::Products { begun } = group.state else { return None };
            let missing = missing(warps, warp, begun);
            let others =
                || (0..warps.len()).filter(|other| missing >> other & 1 == 1).map(|other| &warps[other]);
            let waits_elsewhere = |other: &Warp| other.groups.iter().any(|group| is_polling(other, group));
            if missing == 0 || others().any(waits_elsewhere) {
                return None;
            }
            let other = others().find_map(|other| other.groups.first()).map(|group| kernel.code_of(group.pc));
            Some((warp, group, Misdeed::PartialGroup { missing, other }))
        })
}
