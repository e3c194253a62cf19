//! Happens-before order inside a block: vector clocks, by warp and inside each warp by lane.

use std::collections::HashMap;

use crate::registers::{LANES, lanes};

/// A vector clock: of each warp of the block everything before its time is known; and in one more place, of the releases to other
/// blocks those up to this number.
pub(super) type Row = Vec<u32>;

/// The clocks of a block.
#[derive(Debug)]
pub(super) struct Clocks {
    /// The time of each warp. It goes on at barriers and fences.
    times: Row,
    known: Vec<Row>,
    /// For each warp: the times of its lanes since its own last went on, and what each knows of the others.
    lane_times: Vec<[u32; LANES]>,
    lanes_known: Vec<Box<[[u32; LANES]; LANES]>>,
    /// Set for a warp that has anything in the two above.
    lanes_used: Vec<bool>,
    /// Clocks released by arrivals at barriers.
    arrived: HashMap<u32, Row>,
    /// The clock of each warp at its last fence.
    fenced: Vec<Option<Row>>,
    /// The join of the clocks at fences that other blocks see.
    fenced_wide: Option<Row>,
    /// The join of the clocks at fences between the proxies, and at those that are for initialised barriers alone.
    proxied: Row,
    proxied_barriers: Row,
    /// Clocks that relaxed reads have found, which are acquired at a fence.
    found: Vec<Option<Row>>,
    /// Clocks that strong writes have released, by space and address.
    released: HashMap<(bool, u64), Row>,
    /// The number of times that all warps of the block have met, plus one.
    epoch: u32,
}

/// When an access happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) warp: u32,
    pub(super) lane: u32,
}

fn join(row: &mut Row, other: &Row) {
    row.iter_mut().zip(other).for_each(|(a, b)| *a = (*a).max(*b));
}

impl Clocks {
    pub(super) fn new(warps: usize) -> Clocks {
        Clocks {
            times: vec![1; warps],
            known: vec![vec![0; warps + 1]; warps],
            lane_times: vec![[1; LANES]; warps],
            lanes_known: (0..warps).map(|_| Box::new([[0; LANES]; LANES])).collect(),
            lanes_used: vec![false; warps],
            arrived: HashMap::new(),
            fenced: vec![None; warps],
            fenced_wide: None,
            proxied: vec![0; warps + 1],
            proxied_barriers: vec![0; warps + 1],
            found: vec![None; warps],
            released: HashMap::new(),
            epoch: 1,
        }
    }

    pub(super) fn reset(&mut self) {
        self.times.fill(1);
        self.known.iter_mut().for_each(|row| row.fill(0));
        (0..self.times.len()).for_each(|warp| self.reset_lanes(warp));
        self.arrived.clear();
        self.fenced.fill(None);
        self.fenced_wide = None;
        self.proxied.fill(0);
        self.proxied_barriers.fill(0);
        self.found.fill(None);
        self.released.clear();
        self.epoch = 1;
    }

    /// The time since all warps last met: what was done in an epoch before is known to all threads of the block.
    #[inline(always)]
    pub(super) fn epoch(&self) -> u32 {
        self.epoch
    }

    fn reset_lanes(&mut self, warp: usize) {
        if std::mem::take(&mut self.lanes_used[warp]) {
            self.lane_times[warp] = [1; LANES];
            *self.lanes_known[warp] = [[0; LANES]; LANES];
        }
    }

    /// Everything that a warp has done so far, and knows.
    fn all_of(&self, warp: usize) -> Row {
        let mut row = self.known[warp].clone();
        row[warp] = self.times[warp] + 1;
        row
    }

    fn go_on(&mut self, warp: usize) {
        self.times[warp] += 1;
        self.reset_lanes(warp);
    }

    pub(super) fn meet(&mut self, id: u32, warps: &[usize]) {
        let mut all = self.arrived.remove(&id).unwrap_or_else(|| vec![0; self.times.len() + 1]);
        warps.iter().for_each(|&warp| self.take_found(warp, true));
        warps.iter().for_each(|&warp| join(&mut all, &self.all_of(warp)));
        for &warp in warps {
            join(&mut self.known[warp], &all);
            self.go_on(warp);
        }
        self.epoch += u32::from(warps.len() == self.times.len());
    }

    pub(super) fn arrive(&mut self, id: u32, warp: usize) {
        let row = self.all_of(warp);
        join(self.arrived.entry(id).or_insert_with(|| vec![0; row.len()]), &row);
        self.go_on(warp);
    }

    pub(super) fn meet_lanes(&mut self, warp: usize, members: u32) {
        self.take_found(warp, true);
        self.lanes_used[warp] = true;
        let (times, known) = (&mut self.lane_times[warp], &mut self.lanes_known[warp]);
        let mut all = [0; LANES];
        for lane in lanes(members) {
            all.iter_mut().zip(&known[lane]).for_each(|(a, b)| *a = (*a).max(*b));
            all[lane] = all[lane].max(times[lane] + 1);
        }
        for lane in lanes(members) {
            known[lane].iter_mut().zip(&all).for_each(|(a, b)| *a = (*a).max(*b));
            times[lane] += 1;
        }
    }

    pub(super) fn fence(&mut self, warp: usize, wide: bool) {
        self.take_found(warp, wide);
        let row = self.all_of(warp);
        if wide {
            join(self.fenced_wide.get_or_insert_with(|| vec![0; row.len()]), &row);
        }
        self.fenced[warp] = Some(row);
        self.go_on(warp);
    }

    /// A fence between the proxies, of a warp: of all accesses that it knows, or of initialised barriers alone.
    pub(super) fn proxy_fence(&mut self, warp: usize, only_barriers: bool) {
        let row = self.all_of(warp);
        join(&mut self.proxied_barriers, &row);
        if !only_barriers {
            join(&mut self.proxied, &row);
        }
        self.go_on(warp);
    }

    /// Returns true if a fence between the proxies came behind an access of a warp at a time.
    pub(super) fn is_proxied(&self, warp: usize, time: Time) -> bool {
        self.proxied[warp] > time.warp
    }

    /// As above, of the initialisation of a barrier.
    pub(super) fn is_barrier_proxied(&self, warp: usize, time: Time) -> bool {
        self.proxied_barriers[warp] > time.warp
    }

    /// Everything that a warp has done so far, and knows, for others to learn by `hear`.
    pub(super) fn tell(&mut self, warp: usize) -> Row {
        let row = self.all_of(warp);
        self.go_on(warp);
        row
    }

    /// A warp learns what another one has told.
    pub(super) fn hear(&mut self, warp: usize, row: &Row) {
        join(&mut self.known[warp], row);
    }

    /// Acquires the clocks that relaxed reads have found; those of other blocks only at a fence that they see. Barriers count as
    /// one, as programs rely on.
    fn take_found(&mut self, warp: usize, wide: bool) {
        let Some(mut row) = self.found[warp].take() else { return };
        if !wide && let Some(releases) = row.last_mut() {
            *releases = 0;
        }
        join(&mut self.known[warp], &row);
    }

    /// A strong write: with `release` of everything before, else of what was before the last fence.
    pub(super) fn release(&mut self, warp: usize, place: (bool, u64), release: bool) {
        if release {
            self.fenced[warp] = Some(self.all_of(warp));
            self.go_on(warp);
        }
        if let Some(row) = &self.fenced[warp] {
            join(self.released.entry(place).or_insert_with(|| vec![0; row.len()]), row);
        }
    }

    /// The clock that a strong write releases to other blocks, if any.
    pub(super) fn released_to_all(&self, warp: usize, release: bool) -> Option<Row> {
        let mut row = self.fenced_wide.clone();
        if release && let Some(own) = &self.fenced[warp] {
            join(row.get_or_insert_with(|| vec![0; own.len()]), own);
        }
        row
    }

    /// A strong read of what was released at a place, and of releases of other blocks up to a number: known at once if it
    /// acquires, else after the next fence.
    pub(super) fn read(&mut self, warp: usize, place: (bool, u64), releases: u32, acquire: bool) {
        let row = self.released.get(&place);
        if row.is_none() && releases == 0 {
            return;
        }
        let known = match acquire {
            true => &mut self.known[warp],
            false => self.found[warp].get_or_insert_with(|| vec![0; self.times.len() + 1]),
        };
        if let Some(row) = row {
            join(known, row);
        }
        if let Some(last) = known.last_mut() {
            *last = (*last).max(releases);
        }
    }

    /// The clock of every warp after all have met: everything before.
    pub(super) fn known_to_all(&self) -> Row {
        self.known.first().cloned().unwrap_or_default()
    }

    /// All warps learn of the releases of other blocks up to a number.
    pub(super) fn learn(&mut self, releases: u32) {
        for last in self.known.iter_mut().filter_map(|row| row.last_mut()) {
            *last = (*last).max(releases);
        }
    }

    /// Releases of other blocks that a warp knows of.
    pub(super) fn releases_known(&self, warp: usize) -> u32 {
        self.known[warp].last().copied().unwrap_or(0)
    }

    /// The time of a warp whose lanes all have the same.
    pub(super) fn of_all_lanes(&self, warp: usize) -> Option<Time> {
        (!self.lanes_used[warp]).then(|| Time { warp: self.times[warp], lane: 1 })
    }

    /// Returns true if all lanes of a warp know the accesses of any lane of another, or of itself, at a time; false is not sure.
    #[inline]
    pub(super) fn knows(&self, by: usize, warp: usize, time: Time) -> bool {
        if warp != by { self.known[by][warp] > time.warp } else { time.warp < self.times[warp] }
    }

    pub(super) fn now(&self, warp: usize, lane: usize) -> Time {
        Time { warp: self.times[warp], lane: self.lane_times[warp][lane] }
    }

    /// Returns true if an access of a thread at a time happens before the present of another.
    pub(super) fn is_known(&self, (warp, lane): (usize, usize), by: (usize, usize), time: Time) -> bool {
        if warp != by.0 {
            return self.known[by.0][warp] > time.warp;
        }
        lane == by.1 || time.warp < self.times[warp] || self.lanes_known[warp][by.1][lane] > time.lane
    }
}
