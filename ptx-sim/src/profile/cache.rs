//! A model of what the caches keep: the first-level cache as one block sees it, and the sectors that a launch touches at all.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::memory::{Allocation, View};

/// Lines of a set: replaced when they have not been used for longest.
const WAYS: usize = 4;
/// Sectors of 32 bytes in a line.
const SECTORS: u64 = 4;

/// A line: its address, which of its sectors are there, when it was used last.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// One more than the number of the line; zero is nothing.
    tag: u64,
    sectors: u8,
    used: u64,
}

/// The part of the first-level cache that a block has, empty when the block starts: what blocks before it left is not counted.
#[derive(Debug)]
pub(super) struct Cache {
    sets: Vec<[Line; WAYS]>,
    now: u64,
}

impl Cache {
    pub(super) fn new(bytes: u64) -> Cache {
        let sets = (bytes / (WAYS as u64 * SECTORS * 32)).max(1);
        Cache { sets: vec![Default::default(); sets as usize], now: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.sets.fill(Default::default());
        self.now = 0;
    }

    /// Returns true for a hit, the sector being there already; after a miss it is there.
    pub(super) fn touch(&mut self, sector: u64) -> bool {
        self.now += 1;
        let (line, bit) = (sector / SECTORS, 1u8 << (sector % SECTORS));
        // Spread by the golden ratio, so that powers of two do not meet in one set.
        let hash = line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let index = (hash * self.sets.len() as u64) >> 32;
        let set = &mut self.sets[index as usize];
        let found = set.iter().position(|way| way.tag == line + 1);
        let way = match found {
            Some(way) => &mut set[way],
            None => {
                let oldest = set.iter_mut().min_by_key(|way| way.used);
                let Some(way) = oldest else { return false };
                *way = Line { tag: line + 1, sectors: 0, used: 0 };
                way
            }
        };
        way.used = self.now;
        let hit = way.sectors & bit != 0;
        way.sectors |= bit;
        hit
    }
}

/// The sectors of an allocation that were touched, a bit each.
#[derive(Debug)]
struct Touched {
    first: u64,
    read: Vec<AtomicU64>,
    written: Vec<AtomicU64>,
}

/// The sectors of global memory that a launch reads and writes: what the memory has to deliver when caches are perfect.
#[derive(Debug)]
pub(crate) struct Footprint {
    /// Sorted as the allocations are.
    allocations: Vec<Touched>,
}

impl Footprint {
    pub(crate) fn new(view: &View) -> Footprint {
        let bits = |count: u64| (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let touched = |allocation: &Allocation| {
            let first = allocation.base / 32;
            let count = (allocation.base + allocation.bytes).div_ceil(32) - first;
            Touched { first, read: bits(count), written: bits(count) }
        };
        Footprint { allocations: view.allocations().map(touched).collect() }
    }

    pub(super) fn touch(&self, sector: u64, write: bool) {
        let index = self.allocations.partition_point(|allocation| allocation.first <= sector);
        let Some(allocation) = index.checked_sub(1).map(|index| &self.allocations[index]) else { return };
        let at = sector - allocation.first;
        let bits = if write { &allocation.written } else { &allocation.read };
        let Some(word) = bits.get((at / 64) as usize) else { return };
        let bit = 1 << (at % 64);
        // Most sectors are touched more than once: looking is cheaper than writing.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Sectors that were read, and that were written.
    pub(crate) fn sectors(&self) -> (u64, u64) {
        let count = |bits: &[AtomicU64]| -> u64 {
            bits.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
        };
        let add = |(read, written): (u64, u64), touched: &Touched| {
            (read + count(&touched.read), written + count(&touched.written))
        };
        self.allocations.iter().fold((0, 0), add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn what_fits_is_found_again() {
        let mut cache = Cache::new(4096);
        assert!(!(0..64).any(|sector| cache.touch(sector)), "it starts empty");
        assert!(cache.touch(63), "the last is there");
        cache.clear();
        assert!(!cache.touch(63));
        // Four times its size, over and over, leaves little of it.
        let mut cache = Cache::new(4096);
        let hits = (0..4).flat_map(|_| 0..512).filter(|&sector| cache.touch(sector)).count();
        assert!(hits < 400, "{hits}");
    }

    #[test]
    fn sectors_count_once() {
        let memory = Memory::new();
        let (a, b) = (memory.allocate(100, 4), memory.allocate(64, 4));
        let footprint = Footprint::new(&memory.view());
        for (address, write) in [(a, false), (a + 31, false), (a + 99, true), (b, true), (b + 32, false)] {
            footprint.touch(address / 32, write);
        }
        assert_eq!(footprint.sectors(), (2, 2));
        // Nothing is there.
        footprint.touch((b + 4096) / 32, false);
        footprint.touch(0, false);
        assert_eq!(footprint.sectors(), (2, 2));
    }
}
