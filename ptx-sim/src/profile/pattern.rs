//! Distances between the addresses of neighbouring lanes.

use serde::{Deserialize, Serialize};

use super::hottest::Hottest;
use crate::registers::lanes;

/// Order of the addresses of neighbouring lanes, in most requests of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// No request of two lanes and more was looked at: launches that are not profiled look at none.
    #[default]
    Unknown,
    /// Neighbours are so many bytes apart; 0 if they access one place.
    Stride(i64),
    /// So many lanes after each other are as far apart as that in bytes, then another such row begins, always at one distance.
    Rows {
        /// Lanes of a row, 2 to 16.
        lanes: u32,
        /// Distance of neighbours in bytes.
        stride: i64,
    },
    /// Neighbours have no common distance.
    Irregular,
}

/// Distances of the requests of an access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distances {
    /// Requests of two lanes and more.
    requests: u64,
    /// Those of one distance, by its bits.
    regular: Hottest,
    /// Those of rows, by the lanes of one and the distance in it.
    rows: Hottest,
}

/// Lanes of the longest rows that are told as such: of longer ones most neighbours have one distance.
const LONGEST_ROW: usize = 16;

/// A row's lanes and distance as one number; the distance is cut to 32 bits.
fn packed(lanes: usize, stride: u64) -> u64 {
    (lanes as u64) << 32 | u64::from(stride as u32)
}

impl Distances {
    /// Adds a request of these lanes.
    pub(super) fn add(&mut self, addresses: &[u64], on: u32) {
        let pairs = on.count_ones().saturating_sub(1);
        if pairs == 0 {
            return;
        }
        self.requests += 1;
        let neighbours = || lanes(on).zip(lanes(on).skip(1));
        let distance = |(a, b): (usize, usize)| {
            let bytes = addresses[b].wrapping_sub(addresses[a]) as i64;
            (bytes / (b - a) as i64) as u64
        };
        let first = neighbours().next().map_or(0, distance);
        // Most requests have one distance, for which nothing is allocated.
        if neighbours().all(|pair| distance(pair) == first) {
            return self.regular.add(first, 1);
        }
        let mut found = Hottest::default();
        neighbours().for_each(|pair| found.add(distance(pair), 1));
        // The rows of a block of several are at another distance from each other.
        if let Some((distance, count)) = found.most()
            && 4 * count >= 3 * u64::from(pairs)
        {
            return self.regular.add(distance, 1);
        }
        // Short rows, as of a narrow block.
        let row = 1 + neighbours().take_while(|&pair| distance(pair) == first).count();
        let jump = neighbours().nth(row - 1).map_or(0, distance);
        let is_of_rows = |(at, pair)| distance(pair) == if (at + 1) % row == 0 { jump } else { first };
        if (2..=LONGEST_ROW).contains(&row) && neighbours().enumerate().all(is_of_rows) {
            self.rows.add(packed(row, first), 1);
        }
    }

    pub(super) fn merge(&mut self, other: &Distances) {
        self.requests += other.requests;
        self.regular.merge(&other.regular);
        self.rows.merge(&other.rows);
    }

    /// The order in most of the requests.
    pub(super) fn pattern(&self) -> Pattern {
        match self.regular.most() {
            _ if self.requests == 0 => Pattern::Unknown,
            Some((distance, count)) if 2 * count >= self.requests => Pattern::Stride(distance as i64),
            Some(_) | None => match self.rows.most() {
                Some((row, count)) if 2 * count >= self.requests => {
                    Pattern::Rows { lanes: (row >> 32) as u32, stride: i64::from(row as u32 as i32) }
                }
                Some(_) | None => Pattern::Irregular,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(requests: &[(&dyn Fn(u64) -> u64, u32)]) -> Pattern {
        let mut all = Distances::default();
        for (address, on) in requests {
            let addresses: Vec<u64> = (0..32).map(address).collect();
            all.add(&addresses, *on);
        }
        all.pattern()
    }

    #[test]
    fn patterns() {
        let row = |lane| 1000 + 4 * lane;
        let down = |lane| 1000 - 8 * lane;
        let one = |_| 1000;
        // Two rows of a block of 16 × 16 threads, and eight of one of 4 × 8.
        let rows = |lane| 1000 + lane / 16 * 512 + lane % 16 * 12;
        let short_rows = |lane| 1000 + lane / 4 * 512 + lane % 4 * 4;
        // Sixteen rows of a block of 2 × 128 threads.
        let pairs = |lane| 1000 + lane / 2 * 512 + lane % 2 * 4;
        let none = |lane: u64| lane.wrapping_mul(2_654_435_761) % 4096 * 4;
        let all = u32::MAX;
        assert_eq!(of(&[]), Pattern::Unknown);
        assert_eq!(of(&[(&row, 1)]), Pattern::Unknown);
        assert_eq!(of(&[(&row, all)]), Pattern::Stride(4));
        // Every other lane.
        assert_eq!(of(&[(&row, 0x5555_5555)]), Pattern::Stride(4));
        assert_eq!(of(&[(&down, all)]), Pattern::Stride(-8));
        assert_eq!(of(&[(&one, all)]), Pattern::Stride(0));
        assert_eq!(of(&[(&rows, all)]), Pattern::Stride(12));
        assert_eq!(of(&[(&short_rows, all)]), Pattern::Stride(4));
        assert_eq!(of(&[(&pairs, all)]), Pattern::Rows { lanes: 2, stride: 4 });
        assert_eq!(of(&[(&pairs, all), (&none, all), (&none, all)]), Pattern::Irregular);
        assert_eq!(of(&[(&none, all)]), Pattern::Irregular);
        assert_eq!(of(&[(&row, all), (&none, all), (&row, all)]), Pattern::Stride(4));
        assert_eq!(of(&[(&row, all), (&none, all), (&none, all)]), Pattern::Irregular);
    }
}
