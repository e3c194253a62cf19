//! Asynchronous operations: `cp.async`, and what belongs to it.
//!
//! The bytes of a `cp.async` are taken when it is issued and put when its thread waits: who forgets to wait finds what
//! was there before. Bulk copies (`bulk`) wait for their barrier or their group in the same way.

use super::access::Memories;
use super::addresses::{Wrong, window};
use super::bulk::{Bulk, Outgoing, StoreAsync, Tensor};
use super::mbarrier::{Change, State, barrier};
use super::peers;
use crate::fault::{Misdeed, Nearest, Touch};
use crate::op::{Address, Predicate, Space};
use crate::registers::{Class, LANES, Registers, Slot, lanes};
use crate::sanitize::BarrierUse;

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
    /// Bulk copies from shared memory that have not been waited for.
    pub(super) outgoing: Vec<Outgoing>,
    /// Groups of these that each lane has committed.
    pub(super) bulk_groups: [u32; LANES],
}

impl Copies {
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.groups = [0; LANES];
        self.outgoing.clear();
        self.bulk_groups = [0; LANES];
    }
}

/// Part of a copy that is read from the source; the rest is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Taken {
    All,
    /// So many bytes; the rest is zero.
    Bytes(Slot),
    /// Nothing where the predicate holds.
    Unless(Predicate),
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
        /// `.noinc`: the barrier counts on this arrival. Else it is one more that it waits for, and in the end changes nothing.
        counted: bool,
    },
    Bulk(Bulk),
    Tensor(Tensor),
    /// `st.async` and `red.async`
    Store(StoreAsync),
    CommitBulk,
    /// All but the last so many groups of bulk copies.
    WaitBulk {
        but: u32,
    },
    /// The number of pending arrivals in a state.
    PendingCount {
        target: Slot,
        state: Slot,
    },
}

impl Taken {
    /// The bytes that a lane's copy takes, of so many.
    fn count(self, registers: &Registers, lane: usize, bytes: u32) -> u32 {
        match self {
            Taken::All => bytes,
            Taken::Bytes(slot) => registers.w[slot.index()][lane].min(bytes),
            Taken::Unless(skip) if skip.lanes(registers) >> lane & 1 == 1 => 0,
            Taken::Unless(_) => bytes,
        }
    }
}

impl Asynchronous {
    /// The access that the sanitizer checks, to global memory or to a barrier: address, bytes, true if it writes.
    pub(crate) fn accesses(&self) -> Option<(&Address, u32, bool)> {
        match self {
            Asynchronous::Copy { from, bytes, .. } => Some((from, *bytes, false)),
            Asynchronous::Barrier { address, .. } | Asynchronous::ArriveOnCopies { address, .. } => {
                Some((address, 8, true))
            }
            Asynchronous::Commit
            | Asynchronous::Wait { .. }
            | Asynchronous::WaitAll
            | Asynchronous::Bulk(_)
            | Asynchronous::Tensor(_)
            | Asynchronous::Store(_)
            | Asynchronous::CommitBulk
            | Asynchronous::WaitBulk { .. }
            | Asynchronous::PendingCount { .. } => None,
        }
    }

    /// The bytes that a lane accesses, of those of [`Asynchronous::accesses`]: fewer for a copy that fills the rest with zeros.
    pub(crate) fn accessed(&self, registers: &Registers, lane: usize, bytes: u32) -> u32 {
        match self {
            Asynchronous::Copy { taken, .. } => taken.count(registers, lane, bytes),
            _ => bytes,
        }
    }

    /// Returns true if the bytes that it writes are those of copies that were started earlier.
    pub(crate) fn completes(&self) -> bool {
        matches!(
            self,
            Asynchronous::Wait { .. } | Asynchronous::WaitAll | Asynchronous::ArriveOnCopies { .. }
        )
    }

    /// Returns true if it writes by the generic proxy: not a bulk copy (PTX ISA, "Async proxy").
    pub(crate) fn is_generic(&self) -> bool {
        !matches!(self, Asynchronous::Bulk(_) | Asynchronous::Tensor(_) | Asynchronous::Store(_))
    }

    /// The barrier in memory that it changes or uses, and how.
    pub(crate) fn barrier(&self) -> Option<(&Address, BarrierUse)> {
        match self {
            Asynchronous::Barrier { address, change } => {
                let what = match change {
                    Change::Init { .. } => BarrierUse::Begin,
                    Change::Invalidate => BarrierUse::End,
                    Change::Nothing
                    | Change::Arrive { .. }
                    | Change::Expect { .. }
                    | Change::Complete { .. }
                    | Change::Test { .. }
                    | Change::TestParity { .. } => BarrierUse::Generic,
                };
                Some((address, what))
            }
            Asynchronous::ArriveOnCopies { address, .. } => Some((address, BarrierUse::Generic)),
            Asynchronous::Store(store) => Some((&store.barrier, BarrierUse::Generic)),
            Asynchronous::Bulk(bulk) => bulk.barrier.as_ref().map(|address| (address, BarrierUse::Copy)),
            Asynchronous::Tensor(tensor) => {
                tensor.barrier.as_ref().map(|address| (address, BarrierUse::Copy))
            }
            Asynchronous::Copy { .. }
            | Asynchronous::Commit
            | Asynchronous::Wait { .. }
            | Asynchronous::WaitAll
            | Asynchronous::CommitBulk
            | Asynchronous::WaitBulk { .. }
            | Asynchronous::PendingCount { .. } => None,
        }
    }

    /// Returns true if it initialises a barrier.
    pub(crate) fn initializes(&self) -> bool {
        matches!(self, Asynchronous::Barrier { change: Change::Init { .. }, .. })
    }

    /// Puts what is under way for the barriers that lanes are about to test.
    pub(crate) fn deliver(
        &self,
        registers: &Registers,
        memories: &mut Memories<'_>,
        mask: u32,
    ) -> Result<(), Wrong> {
        let Asynchronous::Barrier { address, change } = self else { return Ok(()) };
        lanes(mask).try_for_each(|lane| {
            let place = peers::offset(address.space, at(registers, address, lane));
            super::mbarrier::deliver(registers, memories, lane, place, *change)
        })
    }

    /// Returns true if it changes registers only, and has the same result until another thread changes shared memory.
    pub(crate) fn only_looks(&self) -> bool {
        match self {
            Asynchronous::Barrier { change, .. } => match change {
                Change::Test { .. } | Change::TestParity { .. } | Change::Nothing => true,
                Change::Init { .. }
                | Change::Invalidate
                | Change::Arrive { .. }
                | Change::Expect { .. }
                | Change::Complete { .. } => false,
            },
            Asynchronous::PendingCount { .. } => true,
            Asynchronous::Copy { .. }
            | Asynchronous::Commit
            | Asynchronous::Wait { .. }
            | Asynchronous::WaitAll
            | Asynchronous::ArriveOnCopies { .. }
            | Asynchronous::Bulk(_)
            | Asynchronous::Tensor(_)
            | Asynchronous::Store(_)
            | Asynchronous::CommitBulk
            | Asynchronous::WaitBulk { .. } => false,
        }
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
                    let target = peers::offset(to.space, at(registers, to, lane));
                    inside(memories, lane, target, u64::from(*bytes), u64::from(*bytes))?;
                    let count = taken.count(registers, lane, *bytes);
                    let mut data = vec![0; *bytes as usize];
                    // An address of which nothing is taken may be anywhere.
                    if count > 0 {
                        read(memories, lane, from.space, source, &mut data[..count as usize])?;
                    }
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
                Asynchronous::ArriveOnCopies { address, counted } => {
                    complete(memories, lane, written, |_| true);
                    let arrival = Change::Arrive { state: None, count: None, expect: None, drop: false };
                    let change = if *counted { arrival } else { Change::Nothing };
                    barrier(registers, memories, lane, address, change)?;
                }
                Asynchronous::Barrier { address, change } => {
                    barrier(registers, memories, lane, address, *change)?;
                }
                Asynchronous::Bulk(bulk) => bulk.run(registers, memories, lane)?,
                Asynchronous::Tensor(tensor) => tensor.run(registers, memories, lane)?,
                Asynchronous::Store(store) => store.run(registers, memories, lane)?,
                Asynchronous::CommitBulk => super::bulk::commit(memories, lane),
                Asynchronous::WaitBulk { but } => super::bulk::wait(memories, lane, *but)?,
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
    if address.wide {
        registers.d[address.base.index()][lane].wrapping_add(i64::from(address.offset) as u64)
    } else {
        // Addresses of 32 bits go round.
        u64::from(registers.w[address.base.index()][lane].wrapping_add_signed(address.offset))
    }
}

fn inside(memories: &Memories<'_>, lane: usize, start: u64, bytes: u64, align: u64) -> Result<(), Wrong> {
    let touch = Touch { space: "shared", write: true, address: start, bytes: bytes as u32 };
    let limit = memories.shared.len() as u64;
    if !start.is_multiple_of(align.max(1)) {
        return Err(Box::new((lane, Misdeed::Misaligned { touch: touch.into() })));
    }
    if limit.checked_sub(bytes).is_none_or(|end| start > end) {
        let nearest =
            Some(Nearest { address: 0, bytes: limit, distance: start.saturating_sub(limit) as i64 });
        return Err(Box::new((lane, Misdeed::OutOfBounds { touch: touch.into(), nearest })));
    }
    Ok(())
}

/// Reads bytes, all of them in one allocation.
pub(super) fn read(
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
        Asynchronous::ArriveOnCopies { address, .. } => vec![base(address)],
        Asynchronous::Barrier { address, change } => {
            let mut all = vec![base(address)];
            match *change {
                Change::Init { count } => all.push(read(count)),
                Change::Invalidate | Change::Nothing => {}
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
        Asynchronous::Bulk(bulk) => {
            let slots = [Some(bulk.bytes), bulk.multicast].into_iter().flatten().map(read);
            let addresses = [Some(&bulk.to), Some(&bulk.from), bulk.barrier.as_ref()].into_iter().flatten();
            addresses.map(base).chain(slots).collect()
        }
        Asynchronous::Tensor(tensor) => {
            let slots = tensor.coordinates.iter().copied().chain(tensor.multicast).map(read);
            let addresses = [Some(&tensor.map), Some(&tensor.shared), tensor.barrier.as_ref()];
            addresses.into_iter().flatten().map(base).chain(slots).collect()
        }
        Asynchronous::Store(store) => {
            let class = if store.size == 8 { Class::D } else { Class::W };
            let values = store.values.iter().map(|&slot| (class, slot, false));
            [&store.to, &store.barrier].into_iter().map(base).chain(values).collect()
        }
        Asynchronous::CommitBulk | Asynchronous::WaitBulk { .. } => Vec::new(),
        Asynchronous::PendingCount { target, state } => {
            vec![(Class::D, *state, false), (Class::W, *target, true)]
        }
    }
}
