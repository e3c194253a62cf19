//! Loads and stores of the lanes of a warp.

use std::sync::atomic::Ordering;

use super::addresses::{Addresses, Wrong, check, count, find, find_common, space_at, window};
use super::asynchronous::Copies;
use super::bulk::{Delivery, Transfer};
use super::mbarrier::Poll;
use super::peers::{PEER_BYTES, Peers};
use crate::fault::{Misdeed, Touch};
use crate::memory::{Allocation, View};
use crate::op::{Access, Space};
use crate::profile::{Detail, Traffic};
use crate::registers::{FULL, LANES, Registers, lanes};
use crate::takers::{Takers, Taking, Word};
use crate::turnstile::Entry;

/// The memories that a warp can reach.
pub(crate) struct Memories<'a> {
    pub(crate) view: &'a View,
    pub(crate) params: &'a [u8],
    /// The place of this block among those that run at the same time.
    pub(crate) entry: &'a Entry<'a>,
    pub(crate) shared: &'a mut [u8],
    /// The local memory of the warp: all of lane 0, then all of lane 1, …
    pub(crate) local: &'a mut [u8],
    pub(crate) local_bytes: u64,
    /// Text that the block has printed.
    pub(crate) output: &'a mut Vec<u8>,
    /// Places in local memory that calls have written, and how many bytes.
    pub(crate) local_writes: Vec<(usize, usize)>,
    /// The asynchronous copies of the warp.
    pub(crate) copies: &'a mut Copies,
    /// The profiler's collector of data beyond counts.
    pub(crate) detail: Option<&'a mut Detail>,
    /// The other blocks of the cluster.
    pub(crate) peers: &'a mut Peers,
    /// Asynchronous copies in flight to the shared memory of the block.
    pub(crate) deliveries: &'a mut Vec<Delivery>,
    /// Accesses of bulk copies to the shared memory of the block, for the sanitizer.
    pub(crate) transfers: Vec<Transfer>,
    /// Barriers that lanes have looked at in vain.
    pub(crate) polls: Vec<Poll>,
    /// The linear index of the block.
    pub(crate) block: u64,
    /// The number of the warp in its block.
    pub(crate) warp: u32,
    /// The threads that took locks.
    pub(crate) takers: &'a Takers,
    /// The warp waits for what others do: they should have their turn.
    pub(crate) yielded: bool,
    /// Stores are compared with what is there: the warp runs for long, perhaps in a loop without an end. Without it each is a change.
    pub(crate) compares: bool,
    /// Stores and atomic operations that have changed what was there.
    pub(crate) changes: u64,
    /// Atomic and volatile accesses.
    pub(crate) looks: u64,
}

/// Longer strings than this have no end, as far as anyone can tell.
const MAX_STRING: u64 = 1 << 16;

impl Memories<'_> {
    /// Reads bytes at a generic address.
    pub(crate) fn bytes(&self, lane: usize, address: u64, into: &mut [u8]) -> Result<(), Wrong> {
        for (index, byte) in into.iter_mut().enumerate() {
            let address = address.wrapping_add(index as u64);
            let space = space_at(address);
            let offset = address.wrapping_sub(window(space));
            let inside = |memory: &[u8], limit: u64, start: u64| {
                let inside = offset < limit;
                inside.then(|| memory.get((start + offset) as usize).copied()).flatten()
            };
            let found = match space {
                Space::Global | Space::Generic => {
                    let allocation = find(self.view, lane, address, 1, false)?;
                    Some(allocation.load(address - allocation.base, 1) as u8)
                }
                Space::Shared => inside(self.shared, self.shared.len() as u64, 0),
                Space::Local => inside(self.local, self.local_bytes, lane as u64 * self.local_bytes),
                Space::Param => inside(self.params, self.params.len() as u64, 0),
            };
            *byte = found.ok_or_else(|| {
                let touch = Touch { space: space.as_str(), write: false, address: offset, bytes: 1 };
                Box::new((lane, Misdeed::OutOfBounds { touch: touch.into(), nearest: None }))
            })?;
        }
        Ok(())
    }

    /// The string at a generic address, without its zero.
    pub(crate) fn string(&self, lane: usize, address: u64) -> Result<Vec<u8>, Wrong> {
        let mut text = Vec::new();
        for offset in 0..MAX_STRING {
            let mut byte = [0];
            self.bytes(lane, address.wrapping_add(offset), &mut byte)?;
            if byte[0] == 0 {
                break;
            }
            text.push(byte[0]);
        }
        Ok(text)
    }
}

/// Memory that elements are read from. Offsets are inside and aligned when they come here.
pub(crate) trait Source {
    fn element(&self, offset: u64, size: u32) -> u64;
}

impl Source for Allocation {
    #[inline(always)]
    fn element(&self, offset: u64, size: u32) -> u64 {
        self.load(offset, size)
    }
}

impl Source for [u8] {
    #[inline(always)]
    fn element(&self, offset: u64, size: u32) -> u64 {
        let at = offset as usize;
        let mut raw = [0; 8];
        match size {
            4 => raw[..4].copy_from_slice(&self[at..at + 4]),
            8 => raw.copy_from_slice(&self[at..at + 8]),
            2 => raw[..2].copy_from_slice(&self[at..at + 2]),
            _ => raw[0] = self[at],
        }
        u64::from_le_bytes(raw)
    }
}

#[inline(always)]
pub(super) fn put(bytes: &mut [u8], offset: u64, size: u32, value: u64) {
    let (at, raw) = (offset as usize, value.to_le_bytes());
    match size {
        4 => bytes[at..at + 4].copy_from_slice(&raw[..4]),
        8 => bytes[at..at + 8].copy_from_slice(&raw),
        2 => bytes[at..at + 2].copy_from_slice(&raw[..2]),
        _ => bytes[at] = raw[0],
    }
}

#[inline(always)]
fn extend(raw: u64, size: u32, signed: bool) -> u32 {
    match (size, signed) {
        (1, true) => raw as u8 as i8 as u32,
        (2, true) => raw as u16 as i16 as u32,
        _ => raw as u32,
    }
}

/// Runs a load.
#[inline(always)]
pub(super) fn load(
    registers: &mut Registers,
    memories: &mut Memories<'_>,
    mask: u32,
    access: &Access,
    traffic: &mut Traffic,
) -> Result<(), Wrong> {
    let bytes = u32::from(access.size) * u32::from(access.count);
    let all = Addresses::compute(registers, mask, &access.address, bytes);
    load_at(registers, memories, mask, access, &all, traffic)
}

/// Runs a load at addresses that are known.
#[inline(always)]
pub(super) fn load_at(
    registers: &mut Registers,
    memories: &mut Memories<'_>,
    mask: u32,
    access: &Access,
    all: &Addresses,
    traffic: &mut Traffic,
) -> Result<(), Wrong> {
    let bytes = u32::from(access.size) * u32::from(access.count);
    memories.looks += u64::from(access.order.is_strong());
    if access.address.uniform && access.address.space == Space::Param {
        check(Space::Param, memories.params.len() as u64, mask, all, bytes, false)?;
        broadcast(registers, memories.params, mask, access, all.least);
        return Ok(());
    }
    let (mut left, mut part) = (mask, None);
    while left != 0 {
        let (space, mask, addresses) = match all.known_space(access.address.space) {
            Some(space) => (space, left, all),
            None => {
                let (space, mask, addresses) = part.insert(all.part(left));
                (*space, *mask, &*addresses)
            }
        };
        left &= !mask;
        count(space, mask, addresses, bytes, traffic);
        match space {
            Space::Global | Space::Generic => match find_common(memories.view, addresses, bytes) {
                Some(allocation) if addresses.packed && access.size == 4 => {
                    load_packed(registers, allocation, access, addresses.least);
                }
                Some(allocation) => {
                    let base = allocation.base;
                    load_from(registers, allocation, mask, access, |lane| addresses.lanes[lane] - base);
                }
                None => {
                    for lane in lanes(mask) {
                        let address = addresses.lanes[lane];
                        let allocation = find(memories.view, lane, address, bytes, false)?;
                        load_from(registers, allocation, 1 << lane, access, |_| address - allocation.base);
                    }
                }
            },
            Space::Shared if addresses.greatest >= PEER_BYTES => {
                for lane in lanes(mask) {
                    let size = u64::from(bytes);
                    let (memory, at) =
                        memories.shared_at(lane, addresses.lanes[lane], (size, size), false)?;
                    load_from(registers, &*memory, 1 << lane, access, |_| at);
                }
            }
            Space::Shared => {
                check(space, memories.shared.len() as u64, mask, addresses, bytes, false)?;
                load_from(registers, &*memories.shared, mask, access, |lane| addresses.lanes[lane]);
            }
            Space::Local => {
                check(space, memories.local_bytes, mask, addresses, bytes, false)?;
                let stride = memories.local_bytes;
                load_from(registers, &*memories.local, mask, access, |lane| {
                    lane as u64 * stride + addresses.lanes[lane]
                });
            }
            Space::Param => {
                check(space, memories.params.len() as u64, mask, addresses, bytes, false)?;
                load_from(registers, memories.params, mask, access, |lane| addresses.lanes[lane]);
            }
        }
    }
    Ok(())
}

/// Loads elements of 4 bytes that all lanes together have side by side.
#[inline(always)]
fn load_packed(registers: &mut Registers, allocation: &Allocation, access: &Access, first: u64) {
    let count = usize::from(access.count);
    let start = ((first - allocation.base) / 4) as usize;
    let words = &allocation.words[start..start + LANES * count];
    for (index, slot) in access.values[..count].iter().enumerate() {
        let target = &mut registers.w[slot.index()];
        for (value, words) in target.iter_mut().zip(words.chunks_exact(count)) {
            *value = words[index].load(Ordering::Relaxed);
        }
    }
}

/// Loads the same value in every lane.
fn broadcast(registers: &mut Registers, source: &[u8], mask: u32, access: &Access, offset: u64) {
    let size = u32::from(access.size);
    for (index, slot) in access.values[..usize::from(access.count)].iter().enumerate() {
        let raw = source.element(offset + index as u64 * u64::from(size), size);
        if size == 8 {
            let target = &mut registers.d[slot.index()];
            if mask == FULL {
                *target = [raw; LANES];
            } else {
                lanes(mask).for_each(|lane| target[lane] = raw);
            }
        } else {
            let value = extend(raw, size, access.signed);
            let target = &mut registers.w[slot.index()];
            if mask == FULL {
                *target = [value; LANES];
            } else {
                lanes(mask).for_each(|lane| target[lane] = value);
            }
        }
    }
}

#[inline(always)]
fn load_from<S: Source + ?Sized>(
    registers: &mut Registers,
    source: &S,
    mask: u32,
    access: &Access,
    offset: impl Fn(usize) -> u64,
) {
    let size = u32::from(access.size);
    for (index, slot) in access.values[..usize::from(access.count)].iter().enumerate() {
        let skip = index as u64 * u64::from(size);
        match size {
            8 => {
                let target = &mut registers.d[slot.index()];
                lanes(mask).for_each(|lane| target[lane] = source.element(offset(lane) + skip, 8));
            }
            4 if mask == FULL => {
                let target = &mut registers.w[slot.index()];
                (0..LANES).for_each(|lane| target[lane] = source.element(offset(lane) + skip, 4) as u32);
            }
            4 => {
                let target = &mut registers.w[slot.index()];
                lanes(mask).for_each(|lane| target[lane] = source.element(offset(lane) + skip, 4) as u32);
            }
            _ => {
                let target = &mut registers.w[slot.index()];
                for lane in lanes(mask) {
                    target[lane] = extend(source.element(offset(lane) + skip, size), size, access.signed);
                }
            }
        }
    }
}

/// Runs a store. Where lanes write the same place, the highest one wins.
#[inline(always)]
pub(super) fn store(
    registers: &Registers,
    memories: &mut Memories<'_>,
    mask: u32,
    access: &Access,
    traffic: &mut Traffic,
) -> Result<(), Wrong> {
    let bytes = u32::from(access.size) * u32::from(access.count);
    let all = Addresses::compute(registers, mask, &access.address, bytes);
    store_at(registers, memories, mask, access, &all, traffic)
}

/// Runs a store at addresses that are known.
#[inline(always)]
pub(super) fn store_at(
    registers: &Registers,
    memories: &mut Memories<'_>,
    mask: u32,
    access: &Access,
    all: &Addresses,
    traffic: &mut Traffic,
) -> Result<(), Wrong> {
    let bytes = u32::from(access.size) * u32::from(access.count);
    let (mut left, mut part) = (mask, None);
    // The bits that differ from what was there.
    let (compares, mut changed) = (memories.compares, u64::from(!memories.compares));
    while left != 0 {
        let (space, mask, addresses) = match all.known_space(access.address.space) {
            Some(space) => (space, left, all),
            None => {
                let (space, mask, addresses) = part.insert(all.part(left));
                (*space, *mask, &*addresses)
            }
        };
        left &= !mask;
        count(space, mask, addresses, bytes, traffic);
        match space {
            Space::Global | Space::Generic => match find_common(memories.view, addresses, bytes) {
                Some(allocation) => store_to(registers, mask, access, |lane, skip, size, value| {
                    let offset = addresses.lanes[lane] - allocation.base + skip;
                    if compares {
                        changed |= difference(allocation.load(offset, size), value, size);
                    }
                    allocation.store(offset, size, value);
                }),
                None => {
                    for lane in lanes(mask) {
                        let address = addresses.lanes[lane];
                        let allocation = find(memories.view, lane, address, bytes, true)?;
                        store_to(registers, 1 << lane, access, |_, skip, size, value| {
                            let offset = address - allocation.base + skip;
                            if compares {
                                changed |= difference(allocation.load(offset, size), value, size);
                            }
                            allocation.store(offset, size, value);
                        });
                    }
                }
            },
            Space::Shared if addresses.greatest >= PEER_BYTES => {
                for lane in lanes(mask) {
                    let size = u64::from(bytes);
                    let (memory, at) = memories.shared_at(lane, addresses.lanes[lane], (size, size), true)?;
                    store_to(registers, 1 << lane, access, |_, skip, size, value| {
                        if compares {
                            changed |= difference(memory.element(at + skip, size), value, size);
                        }
                        put(memory, at + skip, size, value);
                    });
                }
            }
            Space::Shared => {
                check(space, memories.shared.len() as u64, mask, addresses, bytes, true)?;
                let shared = &mut *memories.shared;
                store_to(registers, mask, access, |lane, skip, size, value| {
                    let at = addresses.lanes[lane] + skip;
                    if compares {
                        changed |= difference(shared.element(at, size), value, size);
                    }
                    put(shared, at, size, value);
                });
            }
            Space::Local => {
                check(space, memories.local_bytes, mask, addresses, bytes, true)?;
                let (local, stride) = (&mut *memories.local, memories.local_bytes);
                store_to(registers, mask, access, |lane, skip, size, value| {
                    put(local, lane as u64 * stride + addresses.lanes[lane] + skip, size, value);
                });
            }
            Space::Param => {
                let lane = mask.trailing_zeros() as usize;
                let touch =
                    Touch { space: space.as_str(), write: true, address: addresses.lanes[lane], bytes };
                return Err(Box::new((lane, Misdeed::ReadOnly { touch: touch.into() })));
            }
        }
    }
    memories.changes += u64::from(changed != 0);
    Ok(())
}

/// Zero if the low `size` bytes of two numbers are equal.
#[inline(always)]
fn difference(a: u64, b: u64, size: u32) -> u64 {
    (a ^ b) << (64 - 8 * size)
}

/// Remembers who has stored these words, for whoever waits for other values.
#[inline(never)]
pub(super) fn remember_store(
    registers: &Registers,
    memories: &Memories<'_>,
    mask: u32,
    access: &Access,
    (all, pc): (&Addresses, usize),
) {
    let block = match all.known_space(access.address.space) {
        Some(Space::Shared) if all.greatest < PEER_BYTES => Some(memories.block),
        Some(Space::Global) => None,
        Some(_) | None => return,
    };
    store_to(registers, mask, access, |lane, skip, _, value| {
        let word = Word { block, address: all.lanes[lane] + skip };
        let (block, warp) = (memories.block, memories.warp);
        memories.takers.note(Taking { word, value, is_store: true, block, warp, lane, pc });
    });
}

#[inline(always)]
fn store_to(registers: &Registers, mask: u32, access: &Access, mut put: impl FnMut(usize, u64, u32, u64)) {
    let size = u32::from(access.size);
    for (index, slot) in access.values[..usize::from(access.count)].iter().enumerate() {
        let skip = index as u64 * u64::from(size);
        match size {
            8 => {
                let values = &registers.d[slot.index()];
                lanes(mask).for_each(|lane| put(lane, skip, 8, values[lane]));
            }
            4 => {
                let values = &registers.w[slot.index()];
                lanes(mask).for_each(|lane| put(lane, skip, 4, u64::from(values[lane])));
            }
            _ => {
                let values = &registers.w[slot.index()];
                lanes(mask).for_each(|lane| put(lane, skip, size, u64::from(values[lane])));
            }
        }
    }
}
