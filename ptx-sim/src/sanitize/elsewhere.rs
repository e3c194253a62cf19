//! Accesses to the shared memory of other blocks of the cluster.
//!
//! The memory of the others is lent while a block has its turn, and so is not the sanitizer's state of it. What the block accesses there is
//! listed, and compared with what the owner and others did once its turn is over. Blocks are concurrent unless a barrier of the cluster
//! orders them, or another pair of a release and an acquire. Of those in shared memory nothing is followed: after one, or a wide fence, or a
//! write by other means than a store, the accesses of a launch to other blocks' memory are compared no more.

use std::sync::atomic::Ordering;

use super::access::bytes_of;
use super::shadow::{Record, Word};
use super::{BlockChecks, Check, Kind};
use crate::fault::{Misdeed, OtherAccess, Touch};
use crate::registers::LANES;

/// An access to another block's shared memory.
#[derive(Clone, Debug)]
pub(crate) struct Elsewhere {
    /// The owner's place in the cluster.
    pub(crate) rank: usize,
    start: u64,
    bytes: u32,
    write: bool,
    record: Record,
    pc: usize,
    /// Releases of other blocks that the thread knew of.
    known: u32,
}

/// An earlier access to a word.
pub(crate) struct Met {
    record: Record,
    wrote: bool,
}

impl Elsewhere {
    /// The bytes that it wrote.
    pub(crate) fn written(&self) -> Option<(usize, u64, u64)> {
        self.write.then_some((self.rank, self.start, u64::from(self.bytes)))
    }

    fn words(&self) -> impl Iterator<Item = (usize, Record)> {
        let (start, end) = (self.start, self.start + u64::from(self.bytes));
        let record = self.record;
        (start / 4..end.div_ceil(4))
            .map(move |word| (word as usize, record.with_bytes(bytes_of(word, start, end))))
    }
}

impl BlockChecks<'_> {
    /// Lists an access that is about to happen.
    pub(super) fn access_elsewhere(
        &mut self,
        warp: usize,
        lane: usize,
        pc: usize,
        check: &Check<'_>,
        (rank, start): (u32, u64),
    ) {
        let order = check.order;
        if order.is_strong() && (order.is_acquire() || order.is_release()) {
            self.lose_sight();
        }
        let thread = (warp * LANES + lane) as u32;
        self.elsewhere.push(Elsewhere {
            rank: rank as usize,
            start,
            bytes: check.bytes(),
            write: check.kind != Kind::Load,
            record: Record::new(order, thread, self.clocks.now(warp, lane), pc, self.number),
            pc,
            known: self.clocks.releases_known(warp),
        });
    }

    /// Blocks of a cluster may be ordered by what is not followed.
    pub(super) fn lose_sight(&self) {
        self.sanitizer.unsure.store(true, Ordering::Relaxed);
    }

    /// Returns true if blocks of the cluster may be ordered by what is not followed.
    pub(super) fn has_lost_sight(&self) -> bool {
        self.sanitizer.unsure.load(Ordering::Relaxed)
    }

    /// Accesses of the turn that is over.
    pub(crate) fn take_elsewhere(&mut self) -> Vec<Elsewhere> {
        std::mem::take(&mut self.elsewhere)
    }

    /// The earlier accesses to the words that another block has accessed in this one's memory, writes and, if it writes, reads.
    pub(crate) fn met_by(&self, access: &Elsewhere) -> Vec<Met> {
        let found = access.words().filter_map(|(word, record)| {
            let known = self.shared.get(word)?;
            let read = Some((known.read, false)).filter(|_| access.write);
            let meets = move |(earlier, _): &(Record, bool)| {
                earlier.is_some() && earlier.bytes() & record.bytes() != 0
            };
            Some([Some((known.write, true)), read].into_iter().flatten().filter(meets))
        });
        found.flatten().map(|(record, wrote)| Met { record, wrote }).collect()
    }

    /// Remembers an access of another block to this one's memory.
    pub(crate) fn note_of_another(&mut self, access: &Elsewhere) {
        if access.write {
            self.first_writes.leave_out(access.start, access.bytes);
        }
        for (word, record) in access.words() {
            let Some(known) = self.shared.get_mut(word) else { continue };
            *known = match access.write {
                true => Word::any_time(record, Record::default()),
                false => Word::any_time(known.write, record),
            };
        }
    }

    /// Reports an access of this block to another one's memory if one that was there before is in conflict with it and not ordered.
    pub(crate) fn compare_elsewhere(&self, access: &Elsewhere, Met { record: earlier, wrote }: Met) {
        let (record, thread) = (access.record, earlier.thread() as usize);
        if record.same_thread(earlier) || record.may_meet(earlier) || self.has_lost_sight() {
            return;
        }
        let me = access.record.thread() as usize;
        let (warp, lane) = (me / LANES, me % LANES);
        let is_own = earlier.block() == self.number;
        let is_ordered = match earlier.time() {
            Some(time) if is_own => {
                self.clocks.is_known((thread / LANES, thread % LANES), (warp, lane), time)
            }
            None if is_own => true,
            time => self.sanitizer.releases.cover(earlier.block(), thread / LANES, time, access.known),
        };
        if is_ordered {
            return;
        }
        let touch =
            Touch { space: "shared", write: access.write, address: access.start, bytes: access.bytes };
        let code = self.kernel.code_of(earlier.pc());
        let other = Box::new(OtherAccess {
            write: wrote,
            block: (!is_own).then(|| earlier.block()),
            thread: self.thread(earlier.thread()),
            is_in_warp: is_own && thread / LANES == warp,
            is_in_line: self.kernel.code_of(access.pc).is_in_line_of(&code),
            is_above: false,
            gap: None,
            code,
        });
        let misdeed = match record.is_strong() && earlier.is_strong() {
            true => Misdeed::NarrowScope { touch: touch.into(), other },
            false => Misdeed::Race { touch: touch.into(), other },
        };
        self.report(warp, lane, access.pc, earlier.pc(), misdeed);
    }
}
