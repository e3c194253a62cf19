//! Barriers in shared memory: `mbarrier`.

use super::access::{Memories, Source, put};
use super::addresses::Wrong;
use super::asynchronous::at;
use super::{bulk, peers};
use crate::fault::Misdeed;
use crate::op::Address;
use crate::registers::{Registers, Slot};

/// An operation on a barrier in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    Init {
        count: Slot,
    },
    Invalidate,
    /// It is there, and stays as it is.
    Nothing,
    /// `expect` bytes are announced first.
    Arrive {
        state: Option<Slot>,
        count: Option<Slot>,
        expect: Option<Slot>,
        drop: bool,
    },
    Expect {
        bytes: Slot,
    },
    Complete {
        bytes: Slot,
    },
    /// Tests the phase of a state: true if it is complete.
    Test {
        target: Slot,
        state: Slot,
    },
    /// Tests the phase of a parity: true if it is complete.
    TestParity {
        target: Slot,
        parity: Slot,
    },
}

/// A barrier as it is in memory. PTX does not say how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) phase: u64,
    pub(crate) expected: u64,
    pub(crate) pending: u64,
    /// Bytes that are announced and have not come, from the middle of its range: they may come first.
    pub(crate) bytes: i64,
}

/// A lane that has found the phase which it waits for not to be over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Poll {
    pub(crate) lane: usize,
    /// Address of the barrier.
    pub(crate) address: u64,
    /// The state of the barrier that the lane found.
    pub(crate) state: State,
}

const COUNT: u64 = (1 << 20) - 1;

impl State {
    pub(crate) fn unpack(raw: u64) -> State {
        State {
            phase: raw >> 63,
            expected: raw >> 42 & COUNT,
            pending: raw >> 22 & COUNT,
            bytes: ((raw & ((1 << 22) - 1)) << 42) as i64 >> 42,
        }
    }

    fn pack(self) -> u64 {
        self.phase << 63 | self.expected << 42 | self.pending << 22 | self.bytes as u64 & ((1 << 22) - 1)
    }

    /// The next phase begins when nobody and nothing is missing.
    fn settle(mut self) -> State {
        if self.pending == 0 && self.bytes == 0 {
            self.phase ^= 1;
            self.pending = self.expected;
        }
        self
    }
}

fn is_test(change: Change) -> bool {
    match change {
        Change::Test { .. } | Change::TestParity { .. } => true,
        Change::Init { .. }
        | Change::Invalidate
        | Change::Nothing
        | Change::Arrive { .. }
        | Change::Expect { .. }
        | Change::Complete { .. } => false,
    }
}

/// The phase, as 0 or 1, that a test asks the end of.
fn awaited_phase(registers: &Registers, lane: usize, change: Change) -> u64 {
    match change {
        Change::Test { state, .. } => State::unpack(registers.d[state.index()][lane]).phase,
        Change::TestParity { parity, .. } => u64::from(registers.w[parity.index()][lane] & 1),
        Change::Init { .. }
        | Change::Invalidate
        | Change::Nothing
        | Change::Arrive { .. }
        | Change::Expect { .. }
        | Change::Complete { .. } => 0,
    }
}

/// Delivers bytes in flight to a lane that has to wait for them: a thread that does not wait finds the old bytes, and so does one
/// that tests a phase that is complete.
pub(super) fn deliver(
    registers: &Registers,
    memories: &mut Memories<'_>,
    lane: usize,
    place: u64,
    change: Change,
) -> Result<(), Wrong> {
    if memories.deliveries.is_empty() || !is_test(change) {
        return Ok(());
    }
    let (memory, at) = memories.shared_at(lane, place, (8, 8), false)?;
    let state = State::unpack(memory.element(at, 8));
    match state.phase == awaited_phase(registers, lane, change) {
        true => bulk::deliver(memories, lane, place),
        false => Ok(()),
    }
}

/// Does what an instruction does to the barrier of a lane.
pub(super) fn barrier(
    registers: &mut Registers,
    memories: &mut Memories<'_>,
    lane: usize,
    address: &Address,
    change: Change,
) -> Result<(), Wrong> {
    let place = peers::offset(address.space, at(registers, address, lane));
    deliver(registers, memories, lane, place, change)?;
    let tests = is_test(change);
    let (memory, at) = memories.shared_at(lane, place, (8, 8), !tests)?;
    let old = memory.element(at, 8);
    let mut state = State::unpack(old);
    let word = |registers: &Registers, slot: Slot| u64::from(registers.w[slot.index()][lane]);
    let mut waits = false;
    match change {
        Change::Init { count } => {
            let count = word(registers, count) & COUNT;
            state = State { phase: 0, expected: count, pending: count, bytes: 0 };
        }
        Change::Nothing => {}
        Change::Invalidate => state = State { phase: 0, expected: 0, pending: 0, bytes: 0 },
        Change::Arrive { state: target, count, expect, drop } => {
            if let Some(bytes) = expect {
                state.bytes += word(registers, bytes) as i64;
            }
            let count = count.map_or(1, |slot| word(registers, slot));
            if count > state.pending {
                let misdeed = Misdeed::TooManyArrivals { count: count as u32, pending: state.pending as u32 };
                return Err(Box::new((lane, misdeed)));
            }
            state.pending -= count;
            if drop {
                state.expected = state.expected.saturating_sub(1);
            }
            state = state.settle();
            if let Some(target) = target {
                registers.d[target.index()][lane] = old;
            }
        }
        Change::Expect { bytes } => state.bytes += word(registers, bytes) as i64,
        Change::Complete { bytes } => {
            state.bytes -= word(registers, bytes) as i64;
            state = state.settle();
        }
        Change::Test { target, .. } | Change::TestParity { target, .. } => {
            waits = state.phase == awaited_phase(registers, lane, change);
            registers.set_predicate(target, 1 << lane, 0u32.wrapping_sub(u32::from(!waits)));
        }
    }
    put(memory, at, 8, state.pack());
    if waits {
        memories.yielded = true;
        memories.polls.push(Poll { lane, address: place, state });
    }
    Ok(())
}

/// Completes so many bytes of a barrier's phase.
pub(super) fn complete(
    memories: &mut Memories<'_>,
    lane: usize,
    barrier: u64,
    bytes: u64,
) -> Result<(), Wrong> {
    let (memory, at) = memories.shared_at(lane, barrier, (8, 8), true)?;
    let mut state = State::unpack(memory.element(at, 8));
    state.bytes -= bytes as i64;
    put(memory, at, 8, state.settle().pack());
    Ok(())
}
