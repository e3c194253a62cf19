//! First writes to shared memory by atomic stores and exchanges: whatever other threads do there comes after them, for memory has no value before.

use std::collections::HashMap;

use super::BlockChecks;
use super::access::{Check, Kind, Targets};
use super::shadow::Record;
use crate::fault::{Misdeed, Touch};
use crate::registers::LANES;

/// The first writes to words of a block that not all of its threads are known to come after.
#[derive(Debug, Default)]
pub(super) struct FirstWrites {
    words: HashMap<u64, Record>,
    /// The epoch in which they were: what was in an earlier one all threads know.
    epoch: u32,
}

impl FirstWrites {
    pub(super) fn clear(&mut self) {
        self.words.clear();
    }
}

impl BlockChecks<'_> {
    /// Notes an atomic access to shared memory if it is the first write there, which gives a value without asking for one. Reports it if
    /// it needs a value and the first write of another thread need not have come before.
    pub(super) fn check_first_write(
        &mut self,
        warp: usize,
        lane: usize,
        pc: usize,
        check: &Check<'_>,
        offset: u64,
    ) {
        let epoch = self.clocks.epoch();
        if self.first_writes.epoch != epoch {
            self.first_writes = FirstWrites { epoch, ..FirstWrites::default() };
        }
        let bytes = check.bytes();
        let writes_only = check.kind == Kind::Store || matches!(check.targets, Targets::Old(_));
        let thread = (warp * LANES + lane) as u32;
        let record = Record::new(check.order, thread, self.clocks.now(warp, lane), pc, self.number);
        for word in offset / 4..(offset + u64::from(bytes)).div_ceil(4) {
            if writes_only {
                if !self.shared_bits.any(4 * word, 4) {
                    self.first_writes.words.insert(word, record);
                }
                continue;
            }
            let Some(&first) = self.first_writes.words.get(&word) else { continue };
            if record.same_thread(first) || self.is_ordered(first, warp, lane, false) {
                continue;
            }
            let touch = Touch { space: "shared", write: check.kind != Kind::Load, address: offset, bytes };
            let other = Box::new(self.other_access(first, true, warp));
            self.report(warp, lane, pc, first.pc(), Misdeed::BeforeFirstWrite { touch: touch.into(), other });
            return;
        }
    }
}
