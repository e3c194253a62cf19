//! Releases of blocks to other blocks: they are counted, and their numbers order the accesses before them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::clock::{Row, Time};
use super::shadow::LATEST;

/// Releases that are kept apart of a block. Later ones count as the last of them, which is lenient.
const KEPT: usize = 256;

/// The releases of all blocks to others.
#[derive(Debug, Default)]
pub(super) struct Releases {
    /// Number of releases: a copy, to see without a lock that there were none.
    count: AtomicU32,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    count: u32,
    /// Of each block its releases with their numbers, and what each lets others know: more than the one before.
    blocks: HashMap<u32, Vec<(u32, Row)>>,
    /// By address: who reads there what was written last knows of the releases up to this one.
    places: HashMap<u64, u32>,
}

impl Releases {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A write at an address is about to release what a block has in a row.
    pub(super) fn add(&self, block: u32, address: u64, mut row: Row) {
        // Beyond the latest time that records hold nothing is distinguished.
        row.iter_mut().for_each(|time| *time = (*time).min(LATEST));
        row.pop();
        let mut log = self.log();
        let Log { count, blocks, places } = &mut *log;
        let releases = blocks.entry(block).or_default();
        let full = releases.len() >= KEPT;
        match releases.last_mut() {
            Some((_, last)) if full => last.iter_mut().zip(&row).for_each(|(a, b)| *a = (*a).max(*b)),
            last => {
                let mut joined = last.map_or_else(|| vec![0; row.len()], |(_, last)| last.clone());
                joined.iter_mut().zip(&row).for_each(|(a, b)| *a = (*a).max(*b));
                if releases.last().is_none_or(|(_, last)| *last != joined) {
                    *count += 1;
                    releases.push((*count, joined));
                }
            }
        }
        places.insert(address, *count);
        self.count.store(*count, Ordering::SeqCst);
    }

    /// The number of the last release.
    pub(super) fn latest(&self) -> u32 {
        self.count.load(Ordering::SeqCst)
    }

    /// The releases that a read of an address may learn of.
    pub(super) fn at(&self, address: u64) -> u32 {
        if self.count.load(Ordering::SeqCst) == 0 {
            return 0;
        }
        self.log().places.get(&address).copied().unwrap_or(0)
    }

    /// Returns true if an access of a warp of a block at a time is covered by the releases up to `known`.
    pub(super) fn cover(&self, block: u32, warp: usize, time: Option<Time>, known: u32) -> bool {
        if known == 0 {
            return false;
        }
        let log = self.log();
        let Some(releases) = log.blocks.get(&block) else { return false };
        let Some(last) = releases.partition_point(|release| release.0 <= known).checked_sub(1) else {
            return false;
        };
        match time {
            None => true,
            Some(time) => releases[last].1.get(warp).is_none_or(|&before| before > time.warp),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_before_a_release_is_known_to_who_reads_there() {
        let releases = Releases::default();
        let at = |warp| Some(Time { warp, lane: 1 });
        assert_eq!(releases.at(8), 0);
        releases.add(3, 8, vec![5, 0, 0]);
        releases.add(4, 16, vec![2, 2, 0]);
        releases.add(3, 24, vec![5, 9, 0]);
        assert_eq!([8, 16, 24, 32].map(|address| releases.at(address)), [1, 2, 3, 0]);
        assert!(releases.cover(3, 0, at(4), 1));
        assert!(!releases.cover(3, 0, at(5), 1), "after the release");
        assert!(!releases.cover(3, 1, at(4), 1), "another warp, which released later");
        assert!(releases.cover(3, 1, at(4), 3));
        assert!(!releases.cover(4, 0, at(1), 1));
        assert!(releases.cover(3, 0, None, 1) && !releases.cover(5, 0, None, 3));
    }

    #[test]
    fn many_releases_of_a_block_are_one() {
        let releases = Releases::default();
        (1..=1000).for_each(|time| releases.add(0, 8, vec![time % LATEST, time / LATEST, 0]));
        assert_eq!(releases.log().blocks[&0].len(), KEPT);
        assert!(releases.cover(0, 1, Some(Time { warp: 1000 / LATEST - 1, lane: 1 }), releases.at(8)));
    }
}
