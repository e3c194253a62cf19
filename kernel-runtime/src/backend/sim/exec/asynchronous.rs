//! Asynchronous copies, and the barriers in shared memory that they complete on.
//!
//! The bytes of a `cp.async` are taken when it is issued and put when its thread waits: who forgets to wait finds what
//! was there before. Bulk copies are complete at once, and say so to their barrier.

use super::access::{Memories, Source, put};
use super::addresses::{Wrong, find, space_at, window};
use crate::backend::sim::fault::{Misdeed, Nearest, Touch};
use crate::backend::sim::op::{Address, Predicate, Space};
use crate::backend::sim::registers::{Class, LANES, Registers, Slot, lanes};

/// Copies of a thread that have not been waited for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pending {
    lane: usize,
    /// The number of the group that it was committed in; none before.
    group: Option<u32>,
    to: u64,
    bytes: Vec<u8>,
}

/// The asynchronous copies of a warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    pending: Vec<Pending>,
    /// Groups that each lane has committed.
    groups: [u32; LANES],
}

impl Copies {
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.groups = [0; LANES];
    }
}

/// How much of a copy comes from the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Taken {
    All,
    /// So many bytes; the rest is zero.
    Bytes(Slot),
    /// Nothing where the predicate holds.
    Unless(Predicate),
}

/// What happens to a barrier in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    Init {
        count: Slot,
    },
    Invalidate,
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
    /// Whether the phase of a state is over.
    Test {
        target: Slot,
        state: Slot,
    },
    /// Whether the phase of a parity is over.
    TestParity {
        target: Slot,
        parity: Slot,
    },
}

/// An asynchronous operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Asynchronous {
    Copy {
        to: Address,
        from: Address,
        bytes: u32,
        taken: Taken,
    },
    Commit,
    /// All but the last so many groups.
    Wait {
        but: u32,
    },
    WaitAll,
    Barrier {
        address: Address,
        change: Change,
    },
    /// A barrier learns of the copies so far.
    ArriveOnCopies {
        address: Address,
    },
    /// Bytes from one memory to another, told to a barrier.
    Bulk {
        to: Address,
        from: Address,
        bytes: Slot,
        barrier: Option<Address>,
    },
    /// How many arrivals a state waits for.
    PendingCount {
        target: Slot,
        state: Slot,
    },
}

/// A barrier as it is in memory. PTX does not say how.
#[derive(Clone, Copy, Debug)]
struct State {
    phase: u64,
    expected: u64,
    pending: u64,
    /// Bytes that are announced and have not come, from the middle of its range: they may come first.
    bytes: i64,
}

const COUNT: u64 = (1 << 20) - 1;

impl State {
    fn unpack(raw: u64) -> State {
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

impl Asynchronous {
    /// What the sanitizer should know: an access to global memory, or to a barrier: address, bytes, whether it writes.
    pub(crate) fn accesses(&self) -> Option<(&Address, u32, bool)> {
        match self {
            Asynchronous::Copy { from, bytes, .. } => Some((from, *bytes, false)),
            Asynchronous::Barrier { address, .. } | Asynchronous::ArriveOnCopies { address } => {
                Some((address, 8, true))
            }
            Asynchronous::Commit
            | Asynchronous::Wait { .. }
            | Asynchronous::WaitAll
            | Asynchronous::Bulk { .. }
            | Asynchronous::PendingCount { .. } => None,
        }
    }

    /// Whether what it writes is what copies bring that were started earlier.
    pub(crate) fn completes(&self) -> bool {
        matches!(
            self,
            Asynchronous::Wait { .. } | Asynchronous::WaitAll | Asynchronous::ArriveOnCopies { .. }
        )
    }

    /// Whether it makes a barrier.
    pub(crate) fn initializes(&self) -> bool {
        matches!(self, Asynchronous::Barrier { change: Change::Init { .. }, .. })
    }

    /// Runs it in the lanes of a mask. Bytes of shared memory that were written are added to `written`: lane, start,
    /// count.
    #[inline(never)]
    pub(crate) fn run(
        &self,
        registers: &mut Registers,
        memories: &mut Memories<'_>,
        mask: u32,
        written: &mut Vec<(usize, u64, u64)>,
    ) -> Result<(), Wrong> {
        for lane in lanes(mask) {
            match self {
                Asynchronous::Copy { to, from, bytes, taken } => {
                    let source = at(registers, from, lane);
                    let target = shared(to.space, at(registers, to, lane));
                    inside(memories, lane, target, u64::from(*bytes), u64::from(*bytes))?;
                    let count = match *taken {
                        Taken::All => *bytes,
                        Taken::Bytes(slot) => registers.w[slot.index()][lane].min(*bytes),
                        Taken::Unless(skip) if skip.lanes(registers) >> lane & 1 == 1 => 0,
                        Taken::Unless(_) => *bytes,
                    };
                    let mut data = vec![0; *bytes as usize];
                    read(memories, lane, from.space, source, &mut data[..count as usize])?;
                    memories.copies.pending.push(Pending { lane, group: None, to: target, bytes: data });
                }
                Asynchronous::Commit => {
                    let group = memories.copies.groups[lane];
                    memories.copies.groups[lane] += 1;
                    let open = memories.copies.pending.iter_mut();
                    open.filter(|copy| copy.lane == lane && copy.group.is_none())
                        .for_each(|copy| copy.group = Some(group));
                }
                Asynchronous::Wait { but } => {
                    let done = memories.copies.groups[lane].saturating_sub(*but);
                    complete(memories, lane, written, |group| group.is_some_and(|group| group < done));
                }
                Asynchronous::WaitAll => complete(memories, lane, written, |_| true),
                Asynchronous::ArriveOnCopies { address } => {
                    complete(memories, lane, written, |_| true);
                    let change = Change::Arrive { state: None, count: None, expect: None, drop: false };
                    barrier(registers, memories, lane, address, change)?;
                }
                Asynchronous::Barrier { address, change } => {
                    barrier(registers, memories, lane, address, *change)?;
                }
                Asynchronous::Bulk { to, from, bytes, barrier } => {
                    let count = registers.w[bytes.index()][lane];
                    bulk(registers, memories, lane, (to, from), count, barrier.as_ref(), written)?;
                }
                Asynchronous::PendingCount { target, state } => {
                    let state = State::unpack(registers.d[state.index()][lane]);
                    registers.w[target.index()][lane] = state.pending as u32;
                }
            }
        }
        Ok(())
    }
}

/// The address of a lane.
pub(crate) fn at(registers: &Registers, address: &Address, lane: usize) -> u64 {
    let base = if address.wide {
        registers.d[address.base.index()][lane]
    } else {
        u64::from(registers.w[address.base.index()][lane])
    };
    base.wrapping_add(i64::from(address.offset) as u64)
}

/// The offset in shared memory of an address of it, generic or not.
fn shared(space: Space, address: u64) -> u64 {
    if space == Space::Generic { address.wrapping_sub(window(Space::Shared)) } else { address }
}

fn inside(memories: &Memories<'_>, lane: usize, start: u64, bytes: u64, align: u64) -> Result<(), Wrong> {
    let touch = Touch { space: "shared", write: true, address: start, bytes: bytes as u32 };
    let limit = memories.shared.len() as u64;
    if !start.is_multiple_of(align.max(1)) {
        return Err(Box::new((lane, Misdeed::Misaligned { touch })));
    }
    if limit.checked_sub(bytes).is_none_or(|end| start > end) {
        let nearest =
            Some(Nearest { address: 0, bytes: limit, distance: start.saturating_sub(limit) as i64 });
        return Err(Box::new((lane, Misdeed::OutOfBounds { touch, nearest })));
    }
    Ok(())
}

/// Reads bytes, all of them in one allocation.
fn read(
    memories: &Memories<'_>,
    lane: usize,
    space: Space,
    address: u64,
    into: &mut [u8],
) -> Result<(), Wrong> {
    if into.is_empty() {
        return Ok(());
    }
    let generic = match space {
        Space::Shared | Space::Local | Space::Param => address.wrapping_add(window(space)),
        Space::Global | Space::Generic => address,
    };
    memories.bytes(lane, generic, into)
}

/// Puts the bytes of the copies of a lane whose group is chosen.
fn complete(
    memories: &mut Memories<'_>,
    lane: usize,
    written: &mut Vec<(usize, u64, u64)>,
    chosen: impl Fn(Option<u32>) -> bool,
) {
    let pending = std::mem::take(&mut memories.copies.pending);
    for copy in pending {
        if copy.lane != lane || !chosen(copy.group) {
            memories.copies.pending.push(copy);
            continue;
        }
        let start = copy.to as usize;
        if let Some(place) = memories.shared.get_mut(start..start + copy.bytes.len()) {
            place.copy_from_slice(&copy.bytes);
            written.push((lane, copy.to, copy.bytes.len() as u64));
        }
    }
}

fn barrier(
    registers: &mut Registers,
    memories: &mut Memories<'_>,
    lane: usize,
    address: &Address,
    change: Change,
) -> Result<(), Wrong> {
    let place = shared(address.space, at(registers, address, lane));
    inside(memories, lane, place, 8, 8)?;
    let old = memories.shared.element(place, 8);
    let mut state = State::unpack(old);
    let word = |registers: &Registers, slot: Slot| u64::from(registers.w[slot.index()][lane]);
    match change {
        Change::Init { count } => {
            let count = word(registers, count) & COUNT;
            state = State { phase: 0, expected: count, pending: count, bytes: 0 };
        }
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
        Change::Test { target, state: token } => {
            let over = State::unpack(registers.d[token.index()][lane]).phase != state.phase;
            registers.set_predicate(target, 1 << lane, 0u32.wrapping_sub(u32::from(over)));
        }
        Change::TestParity { target, parity } => {
            let over = word(registers, parity) & 1 != state.phase;
            registers.set_predicate(target, 1 << lane, 0u32.wrapping_sub(u32::from(over)));
        }
    }
    put(memories.shared, place, 8, state.pack());
    Ok(())
}

fn bulk(
    registers: &mut Registers,
    memories: &mut Memories<'_>,
    lane: usize,
    (to, from): (&Address, &Address),
    count: u32,
    barrier_at: Option<&Address>,
    written: &mut Vec<(usize, u64, u64)>,
) -> Result<(), Wrong> {
    let (source, target) = (at(registers, from, lane), at(registers, to, lane));
    for (space, address, write) in [(from.space, source, false), (to.space, target, true)] {
        if !address.is_multiple_of(16) || !count.is_multiple_of(16) {
            let touch = Touch { space: space.as_str(), write, address, bytes: 16 };
            return Err(Box::new((lane, Misdeed::Misaligned { touch })));
        }
    }
    let mut data = vec![0; count as usize];
    read(memories, lane, from.space, source, &mut data)?;
    let to_shared =
        to.space == Space::Shared || (to.space == Space::Generic && space_at(target) == Space::Shared);
    if to_shared {
        let start = shared(to.space, target);
        inside(memories, lane, start, u64::from(count), 16)?;
        let place = start as usize;
        memories.shared[place..place + data.len()].copy_from_slice(&data);
        written.push((lane, start, u64::from(count)));
    } else {
        for (index, word) in data.chunks_exact(8).enumerate() {
            let address = target + 8 * index as u64;
            let allocation = find(memories.view, lane, address, 8, true)?;
            let mut raw = [0; 8];
            raw.copy_from_slice(word);
            allocation.initialize(address - allocation.base, 8);
            allocation.store(address - allocation.base, 8, u64::from_le_bytes(raw));
        }
    }
    if let Some(address) = barrier_at {
        let place = shared(address.space, at(registers, address, lane));
        inside(memories, lane, place, 8, 8)?;
        let mut state = State::unpack(memories.shared.element(place, 8));
        state.bytes -= i64::from(count);
        put(memories.shared, place, 8, state.settle().pack());
    }
    Ok(())
}

/// The registers that an asynchronous operation reads and writes: class, slot, whether it writes.
pub(crate) fn registers_of(what: &Asynchronous) -> Vec<(Class, Slot, bool)> {
    let base = |address: &Address| (if address.wide { Class::D } else { Class::W }, address.base, false);
    let read = |slot: Slot| (Class::W, slot, false);
    match what {
        Asynchronous::Copy { to, from, taken, .. } => {
            let mut all = vec![base(to), base(from)];
            match *taken {
                Taken::All => {}
                Taken::Bytes(slot) => all.push(read(slot)),
                Taken::Unless(predicate) => all.push((Class::P, predicate.slot, false)),
            }
            all
        }
        Asynchronous::Commit | Asynchronous::Wait { .. } | Asynchronous::WaitAll => Vec::new(),
        Asynchronous::ArriveOnCopies { address } => vec![base(address)],
        Asynchronous::Barrier { address, change } => {
            let mut all = vec![base(address)];
            match *change {
                Change::Init { count } => all.push(read(count)),
                Change::Invalidate => {}
                Change::Arrive { state, count, expect, .. } => {
                    all.extend(count.into_iter().chain(expect).map(read));
                    all.extend(state.map(|slot| (Class::D, slot, true)));
                }
                Change::Expect { bytes } | Change::Complete { bytes } => all.push(read(bytes)),
                Change::Test { target, state } => {
                    all.extend([(Class::D, state, false), (Class::P, target, true)]);
                }
                Change::TestParity { target, parity } => {
                    all.extend([read(parity), (Class::P, target, true)]);
                }
            }
            all
        }
        Asynchronous::Bulk { to, from, bytes, barrier } => {
            let mut all = vec![base(to), base(from), read(*bytes)];
            all.extend(barrier.as_ref().map(base));
            all
        }
        Asynchronous::PendingCount { target, state } => {
            vec![(Class::D, *state, false), (Class::W, *target, true)]
        }
    }
}
