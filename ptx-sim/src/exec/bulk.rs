//! Copies of many bytes that one thread asks for: `cp.async.bulk`, `cp.reduce.async.bulk`, those of tensors, `st.async`.
//!
//! Bytes for the shared memory of the block itself are written when a thread tests the barrier of the copy; those for
//! the shared memory of another block, at once. Bytes for global memory leave shared memory when their thread waits for
//! the group: a thread that does not wait never sees them arrive. Only the sanitizer could tell otherwise on a GPU, since
//! exactly the programs that wait are right.

use super::access::{Memories, Source, put};
use super::addresses::{Wrong, find, space_at, window};
use super::asynchronous::{at, read};
use super::atomic::combine;
use super::mbarrier::complete;
use super::packed::Element;
use super::peers::{self, PEER_BYTES, address_in};
use super::tensor_map::{Direction, ElementKind, TensorMap};
use crate::fault::{Misdeed, Touch};
use crate::op::{Address, AtomicFunction, Space};
use crate::registers::{Registers, Slot, lanes};

/// Element-by-element reduction into the destination.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reduction {
    pub(crate) function: AtomicFunction,
    /// Bytes of an element: 2, 4 or 8.
    pub(crate) size: u32,
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bulk {
    pub(crate) to: Address,
    pub(crate) from: Address,
    pub(crate) bytes: Slot,
    /// The mbarrier of a copy to shared memory; copies to global memory complete by groups.
    pub(crate) barrier: Option<Address>,
    pub(crate) reduction: Option<Reduction>,
    /// The blocks of the cluster that get it.
    pub(crate) multicast: Option<Slot>,
}

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) map: Address,
    pub(crate) coordinates: Vec<Slot>,
    pub(crate) shared: Address,
    /// A copy to shared memory, if there is one.
    pub(crate) barrier: Option<Address>,
    pub(crate) multicast: Option<Slot>,
    /// With elements in global memory that are unsigned, signed or floating, as the map says.
    pub(crate) reduction: Option<[Option<AtomicFunction>; 3]>,
}

/// `st.async` and `red.async`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoreAsync {
    pub(crate) to: Address,
    pub(crate) values: Vec<Slot>,
    pub(crate) size: u32,
    pub(crate) barrier: Address,
    pub(crate) reduction: Option<AtomicFunction>,
}

/// Bytes under way to shared memory of the block.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    /// The barrier that learns of them.
    barrier: u64,
    /// Destination and bytes of each piece.
    pieces: Vec<(u64, Vec<u8>)>,
}

/// Bytes under way from shared memory to global memory.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    lane: usize,
    /// The number of the group that it was committed in; none before.
    group: Option<u32>,
    /// From where to where, and how many.
    pieces: Vec<(u64, u64, u64)>,
    reduction: Option<Reduction>,
}

/// An effect on the shared memory of the block of a copy that a lane started or waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) lane: usize,
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    pub(crate) stage: Stage,
}

/// Stage of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The bytes will be written, when a barrier says so.
    Coming,
    Came,
    /// The bytes will be read, until a group is waited for.
    Leaving,
    Left,
}

/// Puts what is under way for a barrier of the block.
pub(super) fn deliver(memories: &mut Memories<'_>, lane: usize, barrier: u64) -> Result<(), Wrong> {
    if memories.deliveries.is_empty() || memories.elsewhere(barrier).is_some() {
        return Ok(());
    }
    let barrier = barrier & (PEER_BYTES - 1);
    let mut index = 0;
    while index < memories.deliveries.len() {
        if memories.deliveries[index].barrier != barrier {
            index += 1;
            continue;
        }
        let delivery = memories.deliveries.remove(index);
        hand_over(memories, lane, barrier, delivery.pieces)?;
    }
    Ok(())
}

/// Writes pieces to their destination and completes their bytes at the barrier.
fn hand_over(
    memories: &mut Memories<'_>,
    lane: usize,
    barrier: u64,
    pieces: Vec<(u64, Vec<u8>)>,
) -> Result<(), Wrong> {
    let mut total = 0;
    for (place, bytes) in pieces {
        let count = bytes.len() as u64;
        let (memory, at) = memories.shared_at(lane, place, (count, 1), true)?;
        memory[at as usize..][..bytes.len()].copy_from_slice(&bytes);
        memories.transferred(lane, place, count, Stage::Came);
        total += count;
    }
    complete(memories, lane, barrier, total)
}

/// Sends pieces to the shared memory of a block, or of several of the cluster.
fn send(
    memories: &mut Memories<'_>,
    lane: usize,
    barrier: u64,
    pieces: Vec<(u64, Vec<u8>)>,
    multicast: Option<u32>,
) -> Result<(), Wrong> {
    // Refused where the instruction is, not where somebody waits.
    for (place, bytes) in &pieces {
        let found = memories.shared_at(lane, *place, (bytes.len() as u64, 1), false);
        found.map(drop).map_err(|mut wrong| {
            wrong.1.touch_mut().into_iter().for_each(|touch| touch.touch.write = true);
            wrong
        })?;
    }
    memories.shared_at(lane, barrier, (8, 8), false)?;
    if let Some(blocks) = multicast {
        for rank in lanes(blocks) {
            let there = pieces.iter().map(|(place, bytes)| (address_in(rank, *place), bytes.clone()));
            send(memories, lane, address_in(rank, barrier), there.collect(), None)?;
        }
        return Ok(());
    }
    let here = memories.elsewhere(barrier).is_none();
    if here && pieces.iter().all(|(place, _)| memories.elsewhere(*place).is_none()) {
        for (place, bytes) in &pieces {
            memories.transferred(lane, *place, bytes.len() as u64, Stage::Coming);
        }
        let barrier = barrier & (PEER_BYTES - 1);
        memories.deliveries.push(Delivery { barrier, pieces });
        return Ok(());
    }
    hand_over(memories, lane, barrier, pieces)
}

/// The copies to global memory so far are a group.
pub(super) fn commit(memories: &mut Memories<'_>, lane: usize) {
    let group = memories.copies.bulk_groups[lane];
    memories.copies.bulk_groups[lane] += 1;
    let open = memories.copies.outgoing.iter_mut();
    open.filter(|copy| copy.lane == lane && copy.group.is_none()).for_each(|copy| copy.group = Some(group));
}

/// Waits for all groups of a lane but the last so many.
pub(super) fn wait(memories: &mut Memories<'_>, lane: usize, but: u32) -> Result<(), Wrong> {
    let done = memories.copies.bulk_groups[lane].saturating_sub(but);
    for copy in std::mem::take(&mut memories.copies.outgoing) {
        if copy.lane != lane || copy.group.is_none_or(|group| group >= done) {
            memories.copies.outgoing.push(copy);
            continue;
        }
        if copy.reduction.is_some() {
            // In the order of the blocks, as atomic operations.
            memories.entry.be_first();
        }
        for (from, to, count) in copy.pieces {
            let (memory, at) = memories.shared_at(lane, from, (count, 1), false)?;
            let bytes = memory[at as usize..][..count as usize].to_vec();
            memories.transferred(lane, from, count, Stage::Left);
            write_global(memories, lane, to, &bytes, copy.reduction)?;
        }
    }
    Ok(())
}

/// Writes bytes to global memory, or combines them with what is there.
fn write_global(
    memories: &Memories<'_>,
    lane: usize,
    address: u64,
    bytes: &[u8],
    reduction: Option<Reduction>,
) -> Result<(), Wrong> {
    let mut done = 0;
    while done < bytes.len() {
        let at = address + done as u64;
        let left = bytes.len() - done;
        let size = match reduction {
            Some(reduction) => reduction.size,
            None => [8, 4, 2, 1]
                .into_iter()
                .find(|size| at.is_multiple_of(u64::from(*size)) && left >= *size as usize)
                .unwrap_or(1),
        };
        let mut raw = [0; 8];
        raw[..size as usize].copy_from_slice(&bytes[done..done + size as usize]);
        let value = u64::from_le_bytes(raw);
        let allocation = find(memories.view, lane, at, size, true)?;
        let offset = at - allocation.base;
        let value = match reduction {
            Some(Reduction { function, .. }) => {
                combine(function, size, allocation.load(offset, size), value, 0)
            }
            None => value,
        };
        allocation.initialize(offset, u64::from(size));
        allocation.store(offset, size, value);
        done += size as usize;
    }
    Ok(())
}

fn is_shared(space: Space, address: u64) -> bool {
    space == Space::Shared || (space == Space::Generic && space_at(address) == Space::Shared)
}

impl Memories<'_> {
    /// Notes what happens to bytes of shared memory, if they are of the block itself.
    fn transferred(&mut self, lane: usize, place: u64, bytes: u64, stage: Stage) {
        if self.elsewhere(place).is_none() {
            self.transfers.push(Transfer { lane, start: place & (PEER_BYTES - 1), bytes, stage });
        }
    }
}

impl Bulk {
    pub(super) fn run(
        &self,
        registers: &Registers,
        memories: &mut Memories<'_>,
        lane: usize,
    ) -> Result<(), Wrong> {
        let count = u64::from(registers.w[self.bytes.index()][lane]);
        let (source, target) = (at(registers, &self.from, lane), at(registers, &self.to, lane));
        for (space, address, write) in [(self.from.space, source, false), (self.to.space, target, true)] {
            if !address.is_multiple_of(16) || !count.is_multiple_of(16) {
                let touch = Touch { space: space.as_str(), write, address, bytes: 16 };
                return Err(Box::new((lane, Misdeed::Misaligned { touch: touch.into() })));
            }
        }
        if !is_shared(self.to.space, target) {
            let from = peers::offset(self.from.space, source);
            memories.shared_at(lane, from, (count, 16), false)?;
            memories.transferred(lane, from, count, Stage::Leaving);
            let (pieces, reduction) = (vec![(from, target, count)], self.reduction);
            memories.copies.outgoing.push(Outgoing { lane, group: None, pieces, reduction });
            return Ok(());
        }
        let mut data = vec![0; count as usize];
        if is_shared(self.from.space, source) {
            let (memory, at) =
                memories.shared_at(lane, peers::offset(self.from.space, source), (count, 16), false)?;
            data.copy_from_slice(&memory[at as usize..][..count as usize]);
        } else {
            read(memories, lane, self.from.space, source, &mut data)?;
        }
        let target = peers::offset(self.to.space, target);
        if let Some(reduction) = self.reduction {
            let (memory, at) = memories.shared_at(lane, target, (count, 16), true)?;
            reduce(&memory[at as usize..][..count as usize], &mut data, reduction);
        }
        let Some(barrier) = &self.barrier else { return Ok(()) };
        let barrier = peers::offset(barrier.space, at(registers, barrier, lane));
        if self.reduction.is_some() {
            return hand_over(memories, lane, barrier, vec![(target, data)]);
        }
        let multicast = self.multicast.map(|slot| registers.w[slot.index()][lane] & 0xffff);
        send(memories, lane, barrier, vec![(target, data)], multicast)
    }
}

/// Combines bytes with those that are there.
fn reduce(old: &[u8], new: &mut [u8], Reduction { function, size }: Reduction) {
    for offset in (0..new.len() as u64).step_by(size as usize) {
        let value = combine(function, size, old.element(offset, size), (*new).element(offset, size), 0);
        put(new, offset, size, value);
    }
}

impl Tensor {
    pub(super) fn run(
        &self,
        registers: &Registers,
        memories: &mut Memories<'_>,
        lane: usize,
    ) -> Result<(), Wrong> {
        let address = at(registers, &self.map, lane);
        let generic = match self.map.space {
            Space::Shared | Space::Local | Space::Param => address.wrapping_add(window(self.map.space)),
            Space::Global | Space::Generic => address,
        };
        let mut raw = [0; TensorMap::BYTES];
        memories.bytes(lane, generic, &mut raw)?;
        let wrong = |reason: String| -> Wrong { Box::new((lane, Misdeed::TensorMap { reason })) };
        let map = TensorMap::decode(&raw).map_err(&wrong)?;
        let coordinates: Vec<i32> =
            self.coordinates.iter().map(|slot| registers.w[slot.index()][lane] as i32).collect();
        let shared = peers::offset(self.shared.space, at(registers, &self.shared, lane));
        let own = shared & (PEER_BYTES - 1);
        if !own.is_multiple_of(map.alignment()) {
            let touch = Touch { space: "shared", write: self.barrier.is_some(), address: own, bytes: 128 };
            return Err(Box::new((lane, Misdeed::Misaligned { touch: touch.into() })));
        }
        let rank = shared - own;
        match &self.barrier {
            Some(barrier) => {
                let barrier = peers::offset(barrier.space, at(registers, barrier, lane));
                let mut pieces = Vec::new();
                for piece in map.pieces(own, &coordinates, Direction::ToShared).map_err(&wrong)? {
                    let mut data = vec![0; piece.bytes as usize];
                    match piece.global {
                        Some(from) => {
                            read(memories, lane, Space::Global, from, &mut data)?;
                            map.round(&mut data);
                        }
                        None => map.fill_outside(&mut data),
                    }
                    pieces.push((rank + piece.shared, data));
                }
                let multicast = self.multicast.map(|slot| registers.w[slot.index()][lane] & 0xffff);
                send(memories, lane, barrier, pieces, multicast)
            }
            None => {
                let size = map.element_bytes() as u32;
                let reduction = self.reduction.map(|functions| match (map.kind, size) {
                    (ElementKind::Unsigned, _) => functions[0],
                    (ElementKind::Signed, _) => functions[1],
                    (ElementKind::Float, 4 | 8) | (ElementKind::Tensor, _) => functions[2],
                    (ElementKind::Float, _) => {
                        functions[2].and(Some(AtomicFunction::AddPacked(Element::Half, false)))
                    }
                    (ElementKind::Brain, _) => {
                        functions[2].and(Some(AtomicFunction::AddPacked(Element::Brain, false)))
                    }
                });
                let reduction = match reduction {
                    None => None,
                    Some(Some(function)) => Some(Reduction { function, size }),
                    Some(None) => {
                        return Err(wrong("the tensor's elements have no such reduction\nhelp: those of floats are `.add`, `.min` and `.max`".to_string()));
                    }
                };
                let pieces = map.pieces(own, &coordinates, Direction::ToGlobal).map_err(&wrong)?;
                let pieces: Vec<_> = pieces
                    .into_iter()
                    .filter_map(|piece| Some((piece.shared, piece.global?, piece.bytes)))
                    .collect();
                for &(from, _, bytes) in &pieces {
                    memories.shared_at(lane, from, (bytes, 1), false)?;
                    memories.transferred(lane, from, bytes, Stage::Leaving);
                }
                memories.copies.outgoing.push(Outgoing { lane, group: None, pieces, reduction });
                Ok(())
            }
        }
    }
}

impl StoreAsync {
    pub(super) fn run(
        &self,
        registers: &Registers,
        memories: &mut Memories<'_>,
        lane: usize,
    ) -> Result<(), Wrong> {
        let to = peers::offset(self.to.space, at(registers, &self.to, lane));
        let barrier = peers::offset(self.barrier.space, at(registers, &self.barrier, lane));
        let size = u64::from(self.size);
        let mut data = Vec::new();
        for slot in &self.values {
            let raw = match self.size {
                8 => registers.d[slot.index()][lane],
                _ => u64::from(registers.w[slot.index()][lane]),
            };
            data.extend_from_slice(&raw.to_le_bytes()[..self.size as usize]);
        }
        let total = data.len() as u64;
        let (memory, at) = memories.shared_at(lane, to, (total, size), true)?;
        if let Some(function) = self.reduction {
            let old = memory[at as usize..][..data.len()].to_vec();
            reduce(&old, &mut data, Reduction { function, size: self.size });
            // At once: another one to the same place finds what this one has made.
            return hand_over(memories, lane, barrier, vec![(to, data)]);
        }
        send(memories, lane, barrier, vec![(to, data)], None)
    }
}
