//! The address that atomic operations meet at most: a summary of a stream of addresses in little memory.
//!
//! J. Misra, D. Gries, "Finding repeated elements", Science of Computer Programming 2 (1982). Every address with more than a part of
//! 1 / (`PLACES` + 1) of the lanes is in the summary, its count too small by at most that part.

/// Addresses that a summary has room for.
const PLACES: usize = 16;

/// Counts of addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hottest {
    counts: Vec<(u64, u64)>,
}

impl Hottest {
    /// Adds lanes that access an address.
    pub(super) fn add(&mut self, address: u64, lanes: u64) {
        if let Some((_, count)) = self.counts.iter_mut().find(|(known, _)| *known == address) {
            *count += lanes;
            return;
        }
        self.counts.push((address, lanes));
        if self.counts.len() > PLACES {
            let least = self.counts.iter().map(|(_, count)| *count).min().unwrap_or(0);
            self.counts.iter_mut().for_each(|(_, count)| *count -= least);
            self.counts.retain(|(_, count)| *count > 0);
        }
    }

    /// Adds what another summary has.
    pub(super) fn merge(&mut self, other: &Hottest) {
        other.counts.iter().for_each(|&(address, lanes)| self.add(address, lanes));
    }

    /// The address that most lanes meet at, and how many at least.
    pub(super) fn most(&self) -> Option<(u64, u64)> {
        self.counts.iter().copied().max_by_key(|(_, count)| *count)
    }

    /// Lanes at the address that most meet at, at least.
    pub(crate) fn lanes(&self) -> u64 {
        self.most().map_or(0, |(_, count)| count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_is_found() {
        let mut found = Hottest::default();
        (0..1000).for_each(|i| found.add(if i % 4 == 0 { 7 } else { 1000 + i }, 1));
        // A quarter of 1000, less a seventeenth at most.
        assert!((250 - 1000 / 17..=250).contains(&found.lanes()), "{found:?}");
    }

    #[test]
    fn none_of_many_stands_out() {
        let mut found = Hottest::default();
        (0..1000).for_each(|i| found.add(i, 1));
        assert!(found.lanes() <= 1000 / 17, "{found:?}");
    }

    #[test]
    fn parts_add_up() {
        let (mut a, mut b) = (Hottest::default(), Hottest::default());
        a.add(1, 30);
        b.add(1, 12);
        b.add(2, 5);
        a.merge(&b);
        assert_eq!(a.lanes(), 42);
    }
}
