//! Barriers in shared memory: where they are from `mbarrier.init` to `mbarrier.inval` (PTX ISA, "mbarrier").

use std::collections::HashMap;

use super::BlockChecks;
use super::clock::Time;
use crate::exec::mbarrier::State;
use crate::fault::{Misdeed, OtherAccess, Touch};
use crate::registers::LANES;

/// Bytes of a barrier.
const BYTES: u32 = 8;

/// The operation that began a barrier, or ended it.
#[derive(Clone, Copy, Debug)]
struct Event {
    warp: usize,
    lane: usize,
    time: Time,
    pc: usize,
    is_end: bool,
}

/// The barriers of a block by their offsets, those that have ended too.
#[derive(Debug, Default)]
pub(super) struct Objects {
    known: HashMap<u64, Event>,
}

impl Objects {
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }
}

/// The change or the use of a barrier that a lane is about to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierUse {
    Begin,
    End,
    /// By the generic proxy.
    Generic,
    /// By a copy of the async proxy.
    Copy,
}

impl BlockChecks<'_> {
    /// A lane is about to use the barrier at an offset of the block's memory.
    pub(crate) fn use_barrier(&mut self, warp: usize, lane: usize, pc: usize, at: u64, what: BarrierUse) {
        let touch = Touch { space: "shared", write: true, address: at, bytes: BYTES };
        let found = self.objects.known.get(&at).copied();
        let begun = found.filter(|event| !event.is_end);
        let time = self.clocks.now(warp, lane);
        match (what, begun) {
            (BarrierUse::Begin, Some(first)) => {
                // Without an order between the two it is a race, which is reported as that.
                let is_ordered = self.clocks.is_known((first.warp, first.lane), (warp, lane), first.time);
                if is_ordered {
                    let misdeed = Misdeed::SecondInit {
                        touch: touch.into(),
                        first: Box::new(self.kernel.code_of(first.pc)),
                    };
                    self.report(warp, lane, pc, first.pc, misdeed);
                }
            }
            (BarrierUse::Begin, None) => {}
            (BarrierUse::End | BarrierUse::Generic | BarrierUse::Copy, None) => {
                let ended = found.map(|event| Box::new(self.kernel.code_of(event.pc)));
                let misdeed = Misdeed::NoBarrier { touch: touch.into(), ended };
                self.report(warp, lane, pc, found.map_or(pc, |event| event.pc), misdeed);
                self.failed = true;
            }
            (BarrierUse::Copy, Some(first)) if !self.clocks.is_barrier_proxied(first.warp, first.time) => {
                let other = Box::new(OtherAccess {
                    write: true,
                    block: None,
                    thread: self.thread((first.warp * LANES + first.lane) as u32),
                    is_in_warp: first.warp == warp,
                    is_in_line: false,
                    is_above: false,
                    gap: None,
                    code: self.kernel.code_of(first.pc),
                });
                let misdeed = Misdeed::MissingProxyFence { touch: touch.into(), other };
                self.report(warp, lane, pc, first.pc, misdeed);
            }
            (BarrierUse::End | BarrierUse::Generic | BarrierUse::Copy, Some(_)) => {}
        }
        if matches!(what, BarrierUse::Begin | BarrierUse::End) {
            self.objects.known.insert(at, Event { warp, lane, time, pc, is_end: what == BarrierUse::End });
        }
    }

    /// The block ends: barriers whose phase waits for bytes, or has more than were announced, are reported.
    pub(super) fn end_barriers(&self, shared: &[u8]) {
        for (&at, event) in self.objects.known.iter().filter(|(_, event)| !event.is_end) {
            let raw = shared.get(at as usize..).and_then(|rest| rest.first_chunk::<8>()).copied();
            let bytes = raw.map_or(0, |raw| State::unpack(u64::from_le_bytes(raw)).bytes);
            if bytes != 0 {
                let touch = Touch { space: "shared", write: false, address: at, bytes: BYTES };
                let misdeed = Misdeed::WrongBytes { touch: touch.into(), bytes };
                self.report(event.warp, event.lane, event.pc, event.pc, misdeed);
            }
        }
    }
}
