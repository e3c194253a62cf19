//! First writes to shared memory by atomic stores and exchanges: whatever other threads do there comes after them, for memory has no value before.

use std::collections::HashMap;

use super::BlockChecks;
use super::access::{Check, Kind, Targets};
use super::shadow::Record;
use crate::fault::{Misdeed, Touch};
use crate::registers::LANES;

/// The first writes to bytes of a block that not all of its threads are known to come after. Bytes to which threads write in no order are left
/// out: it is enough to come after one of the writes.
#[derive(Debug, Default)]
pub(super) struct FirstWrites {
    bytes: HashMap<u64, Record>,
    /// The epoch in which they were: what was in an earlier one all threads know.
    epoch: u32,
}

impl FirstWrites {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Leaves bytes out: another block of the cluster has written them too.
    pub(super) fn leave_out(&mut self, start: u64, bytes: u32) {
        for byte in start..start + u64::from(bytes) {
            self.bytes.remove(&byte);
        }
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
        for byte in offset..offset + u64::from(bytes) {
            if writes_only && !self.shared_bits.any(byte, 1) {
                self.first_writes.bytes.insert(byte, record);
                continue;
            }
            let Some(&first) = self.first_writes.bytes.get(&byte) else { continue };
            let is_behind = record.same_thread(first) || self.is_ordered(first, warp, lane, false);
            // Another block of the cluster may order them, unseen.
            if is_behind || self.has_lost_sight() {
                continue;
            }
            if writes_only {
                self.first_writes.bytes.remove(&byte);
                continue;
            }
            let touch = Touch { space: "shared", write: check.kind != Kind::Load, address: offset, bytes };
            let other = Box::new(self.other_access(first, true, (warp, lane), pc));
            self.report(warp, lane, pc, first.pc(), Misdeed::BeforeFirstWrite { touch: touch.into(), other });
            return;
        }
    }
}
