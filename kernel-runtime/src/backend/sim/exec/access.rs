//! Loads, stores and atomic operations of the lanes of a warp.

use crate::backend::sim::fault::{Misdeed, Nearest, Touch};
use crate::backend::sim::memory::{Allocation, View};
use crate::backend::sim::op::{Access, Address, Atomic, AtomicFunction, Space};
use crate::backend::sim::profile::Traffic;
use crate::backend::sim::registers::{FULL, LANES, Registers, lanes};
use crate::backend::sim::turnstile::Entry;

/// Where the generic addresses of a memory start. Those of global memory are what they are.
pub(crate) const fn window(space: Space) -> u64 {
    match space {
        Space::Generic | Space::Global => 0,
        Space::Shared => 0x0100_0000_0000,
        Space::Local => 0x0200_0000_0000,
        Space::Param => 0x0300_0000_0000,
    }
}

/// The size of each of these windows.
const WINDOW_BYTES: u64 = 1 << 32;

/// The memory that a generic address is in.
pub(crate) fn space_at(address: u64) -> Space {
    let inside = |space: &Space| address.wrapping_sub(window(*space)) < WINDOW_BYTES;
    [Space::Shared, Space::Local, Space::Param].into_iter().find(inside).unwrap_or(Space::Global)
}

/// What a lane did that it must not.
pub(crate) type Wrong = Box<(usize, Misdeed)>;

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
}

/// Memory that elements are read from. Offsets are inside and aligned when they come here.
trait Source {
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
fn put(bytes: &mut [u8], offset: u64, size: u32, value: u64) {
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

/// The addresses of the lanes of `mask`, and what is common to them.
struct Addresses {
    lanes: [u64; LANES],
    least: u64,
    greatest: u64,
    /// All of them or-ed: low bits that are zero are zero in each.
    bits: u64,
}

impl Addresses {
    fn compute(registers: &Registers, mask: u32, address: &Address) -> Addresses {
        let offset = address.offset as i64 as u64;
        let mut result = Addresses { lanes: [0; LANES], least: u64::MAX, greatest: 0, bits: 0 };
        if address.wide {
            let base = &registers.d[address.base.index()];
            result.lanes = base.map(|base| base.wrapping_add(offset));
        } else {
            let base = &registers.w[address.base.index()];
            result.lanes = base.map(|base| u64::from(base).wrapping_add(offset));
        }
        result.summarise(mask);
        result
    }

    fn summarise(&mut self, mask: u32) {
        let (mut least, mut greatest, mut bits) = (u64::MAX, 0, 0);
        if mask == FULL {
            for &address in &self.lanes {
                least = least.min(address);
                greatest = greatest.max(address);
                bits |= address;
            }
        } else {
            for lane in lanes(mask) {
                let address = self.lanes[lane];
                least = least.min(address);
                greatest = greatest.max(address);
                bits |= address;
            }
        }
        (self.least, self.greatest, self.bits) = (least, greatest, bits);
    }
}

/// Splits a generic access by memory: the masks of lanes, with addresses as that memory has them.
fn split(mut mask: u32, addresses: &Addresses) -> Vec<(Space, u32, Addresses)> {
    let mut parts = Vec::new();
    while mask != 0 {
        let space = space_at(addresses.lanes[mask.trailing_zeros() as usize]);
        let mut part = Addresses { lanes: addresses.lanes, least: 0, greatest: 0, bits: 0 };
        let mut taken = 0;
        for lane in lanes(mask) {
            if space_at(addresses.lanes[lane]) == space {
                taken |= 1 << lane;
                part.lanes[lane] = addresses.lanes[lane] - window(space);
            }
        }
        part.summarise(taken);
        parts.push((space, taken, part));
        mask &= !taken;
    }
    parts
}

fn resolve(space: Space, mask: u32, addresses: Addresses) -> Vec<(Space, u32, Addresses)> {
    if space != Space::Generic {
        return vec![(space, mask, addresses)];
    }
    split(mask, &addresses)
}

/// Checks an access to a memory that starts at zero.
fn check(
    space: Space,
    limit: u64,
    mask: u32,
    addresses: &Addresses,
    bytes: u32,
    write: bool,
) -> Result<(), Wrong> {
    let end = limit.checked_sub(u64::from(bytes));
    if addresses.bits & u64::from(bytes - 1) == 0 && end.is_some_and(|end| addresses.greatest <= end) {
        return Ok(());
    }
    for lane in lanes(mask) {
        let address = addresses.lanes[lane];
        let touch = Touch { space: space.as_str(), write, address, bytes };
        if !address.is_multiple_of(u64::from(bytes)) {
            return Err(Box::new((lane, Misdeed::Misaligned { touch })));
        }
        if end.is_none_or(|end| address > end) {
            let distance = address.saturating_sub(limit) as i64;
            let nearest = Some(Nearest { address: 0, bytes: limit, distance });
            return Err(Box::new((lane, Misdeed::OutOfBounds { touch, nearest })));
        }
    }
    Ok(())
}

/// The allocation that one lane's access is in.
fn find(view: &View, lane: usize, address: u64, bytes: u32, write: bool) -> Result<&Allocation, Wrong> {
    let touch = Touch { space: "global", write, address, bytes };
    if !address.is_multiple_of(u64::from(bytes)) {
        return Err(Box::new((lane, Misdeed::Misaligned { touch })));
    }
    match view.find(address) {
        Some(allocation) if u64::from(bytes) <= allocation.bytes - (address - allocation.base) => {
            Ok(allocation)
        }
        Some(_) | None => {
            Err(Box::new((lane, Misdeed::OutOfBounds { touch, nearest: view.nearest(address) })))
        }
    }
}

/// The allocation that all lanes' accesses are in, if it is one and they are aligned.
fn find_common<'a>(view: &'a View, addresses: &Addresses, bytes: u32) -> Option<&'a Allocation> {
    if addresses.bits & u64::from(bytes - 1) != 0 {
        return None;
    }
    let allocation = view.find(addresses.least)?;
    let inside = addresses.greatest.checked_add(u64::from(bytes))? <= allocation.base + allocation.bytes;
    inside.then_some(allocation)
}

/// Runs a load.
pub(super) fn load(
    registers: &mut Registers,
    memories: &mut Memories<'_>,
    mask: u32,
    access: &Access,
    traffic: &mut Traffic,
) -> Result<(), Wrong> {
    let bytes = u32::from(access.size) * u32::from(access.count);
    let addresses = Addresses::compute(registers, mask, &access.address);
    if access.address.uniform && access.address.space == Space::Param {
        check(Space::Param, memories.params.len() as u64, mask, &addresses, bytes, false)?;
        broadcast(registers, memories.params, mask, access, addresses.least);
        return Ok(());
    }
    for (space, mask, addresses) in resolve(access.address.space, mask, addresses) {
        count(space, mask, &addresses, bytes, traffic);
        match space {
            Space::Global | Space::Generic => match find_common(memories.view, &addresses, bytes) {
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
            Space::Shared => {
                check(space, memories.shared.len() as u64, mask, &addresses, bytes, false)?;
                load_from(registers, &*memories.shared, mask, access, |lane| addresses.lanes[lane]);
            }
            Space::Local => {
                check(space, memories.local_bytes, mask, &addresses, bytes, false)?;
                let stride = memories.local_bytes;
                load_from(registers, &*memories.local, mask, access, |lane| {
                    lane as u64 * stride + addresses.lanes[lane]
                });
            }
            Space::Param => {
                check(space, memories.params.len() as u64, mask, &addresses, bytes, false)?;
                load_from(registers, memories.params, mask, access, |lane| addresses.lanes[lane]);
            }
        }
    }
    Ok(())
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
pub(super) fn store(
    registers: &Registers,
    memories: &mut Memories<'_>,
    mask: u32,
    access: &Access,
    traffic: &mut Traffic,
) -> Result<(), Wrong> {
    let bytes = u32::from(access.size) * u32::from(access.count);
    let addresses = Addresses::compute(registers, mask, &access.address);
    for (space, mask, addresses) in resolve(access.address.space, mask, addresses) {
        count(space, mask, &addresses, bytes, traffic);
        match space {
            Space::Global | Space::Generic => match find_common(memories.view, &addresses, bytes) {
                Some(allocation) => store_to(registers, mask, access, |lane, skip, size, value| {
                    allocation.store(addresses.lanes[lane] - allocation.base + skip, size, value);
                }),
                None => {
                    for lane in lanes(mask) {
                        let address = addresses.lanes[lane];
                        let allocation = find(memories.view, lane, address, bytes, true)?;
                        store_to(registers, 1 << lane, access, |_, skip, size, value| {
                            allocation.store(address - allocation.base + skip, size, value);
                        });
                    }
                }
            },
            Space::Shared => {
                check(space, memories.shared.len() as u64, mask, &addresses, bytes, true)?;
                let shared = &mut *memories.shared;
                store_to(registers, mask, access, |lane, skip, size, value| {
                    put(shared, addresses.lanes[lane] + skip, size, value);
                });
            }
            Space::Local => {
                check(space, memories.local_bytes, mask, &addresses, bytes, true)?;
                let (local, stride) = (&mut *memories.local, memories.local_bytes);
                store_to(registers, mask, access, |lane, skip, size, value| {
                    put(local, lane as u64 * stride + addresses.lanes[lane] + skip, size, value);
                });
            }
            Space::Param => {
                let lane = mask.trailing_zeros() as usize;
                let touch =
                    Touch { space: space.as_str(), write: true, address: addresses.lanes[lane], bytes };
                return Err(Box::new((lane, Misdeed::ReadOnly { touch })));
            }
        }
    }
    Ok(())
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

/// Runs an atomic operation, lane by lane.
pub(super) fn atomic(
    registers: &mut Registers,
    memories: &mut Memories<'_>,
    mask: u32,
    atomic: &Atomic,
    traffic: &mut Traffic,
) -> Result<(), Wrong> {
    let bytes = u32::from(atomic.size);
    let addresses = Addresses::compute(registers, mask, &atomic.address);
    let read = |registers: &Registers, slot: usize, lane: usize| {
        if bytes == 8 { registers.d[slot][lane] } else { u64::from(registers.w[slot][lane]) }
    };
    for (space, mask, addresses) in resolve(atomic.address.space, mask, addresses) {
        count(space, mask, &addresses, bytes, traffic);
        if matches!(space, Space::Global | Space::Generic) {
            memories.entry.be_first();
        }
        for lane in lanes(mask) {
            let address = addresses.lanes[lane];
            let operand = read(registers, atomic.operand.index(), lane);
            let replacement = read(registers, atomic.replacement.index(), lane);
            let change = |old: u64| combine(atomic.function, bytes, old, operand, replacement);
            let old = match space {
                Space::Global | Space::Generic => {
                    let allocation = find(memories.view, lane, address, bytes, true)?;
                    let offset = address - allocation.base;
                    let old = allocation.load(offset, bytes);
                    // `atom.add.f32` on global memory flushes subnormals (PTX ISA, `atom`).
                    let new = if atomic.function == AtomicFunction::AddFloat && bytes == 4 {
                        u64::from(add_flushed(old as u32, operand as u32))
                    } else {
                        change(old)
                    };
                    allocation.store(offset, bytes, new);
                    old
                }
                Space::Shared => {
                    let one = Addresses {
                        lanes: addresses.lanes,
                        least: address,
                        greatest: address,
                        bits: address,
                    };
                    check(space, memories.shared.len() as u64, 1 << lane, &one, bytes, true)?;
                    let old = memories.shared.element(address, bytes);
                    put(memories.shared, address, bytes, change(old));
                    old
                }
                Space::Local | Space::Param => {
                    let touch = Touch { space: space.as_str(), write: true, address, bytes };
                    return Err(Box::new((lane, Misdeed::ReadOnly { touch })));
                }
            };
            if let Some(target) = atomic.old {
                if bytes == 8 {
                    registers.d[target.index()][lane] = old;
                } else {
                    registers.w[target.index()][lane] = old as u32;
                }
            }
        }
    }
    Ok(())
}

fn add_flushed(a: u32, b: u32) -> u32 {
    use crate::backend::sim::float::Float;
    let sum = f32::from_bits(a).flush() + f32::from_bits(b).flush();
    sum.flush().canonical().to_bits()
}

/// The new value of an atomic operation.
fn combine(function: AtomicFunction, bytes: u32, old: u64, operand: u64, replacement: u64) -> u64 {
    use crate::backend::sim::float::Float;
    let wide = bytes == 8;
    let signed = |value: u64| if wide { value as i64 } else { i64::from(value as i32) };
    let result = match function {
        AtomicFunction::And => old & operand,
        AtomicFunction::Or => old | operand,
        AtomicFunction::Xor => old ^ operand,
        AtomicFunction::Exchange => operand,
        AtomicFunction::CompareExchange => {
            let mask = if bytes == 2 { 0xffff } else { u64::MAX };
            if old == operand & mask { replacement } else { old }
        }
        AtomicFunction::Add => old.wrapping_add(operand),
        AtomicFunction::Increment => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        AtomicFunction::Decrement => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        AtomicFunction::MinUnsigned => old.min(operand),
        AtomicFunction::MaxUnsigned => old.max(operand),
        AtomicFunction::MinSigned => signed(old).min(signed(operand)) as u64,
        AtomicFunction::MaxSigned => signed(old).max(signed(operand)) as u64,
        AtomicFunction::AddFloat if wide => {
            (f64::from_bits(old) + f64::from_bits(operand)).canonical().to_bits()
        }
        AtomicFunction::AddFloat => {
            u64::from((f32::from_bits(old as u32) + f32::from_bits(operand as u32)).canonical().to_bits())
        }
    };
    if wide { result } else { result & 0xffff_ffff }
}

/// Counts what a request costs.
fn count(space: Space, mask: u32, addresses: &Addresses, bytes: u32, traffic: &mut Traffic) {
    let total = u64::from(mask.count_ones()) * u64::from(bytes);
    match space {
        Space::Global | Space::Generic => {
            traffic.global_requests += 1;
            traffic.global_bytes += total;
            traffic.ideal_sectors += total.div_ceil(32);
            traffic.sectors += u64::from(distinct_sectors(mask, addresses));
        }
        Space::Shared => {
            traffic.shared_requests += 1;
            traffic.ideal_wavefronts += total.div_ceil(128);
            traffic.wavefronts += u64::from(wavefronts(mask, addresses, bytes));
        }
        Space::Local | Space::Param => {}
    }
}

/// Distinct sectors of 32 bytes. An aligned access of up to 16 bytes is in one.
fn distinct_sectors(mask: u32, addresses: &Addresses) -> u32 {
    let mut count = 0;
    let mut last = None;
    for lane in lanes(mask) {
        let sector = addresses.lanes[lane] >> 5;
        match last {
            Some(last) if sector == last => {}
            Some(last) if sector < last => return sorted_sectors(mask, addresses),
            Some(_) | None => {
                count += 1;
                last = Some(sector);
            }
        }
    }
    count
}

fn sorted_sectors(mask: u32, addresses: &Addresses) -> u32 {
    let mut sectors: Vec<u64> = lanes(mask).map(|lane| addresses.lanes[lane] >> 5).collect();
    sectors.sort_unstable();
    sectors.dedup();
    sectors.len() as u32
}

/// Passes over shared memory: lanes go in groups of 32, 16 or 8 for up to 4, 8 or 16 bytes; of each group, the most
/// distinct words in one of the 32 banks.
fn wavefronts(mask: u32, addresses: &Addresses, bytes: u32) -> u32 {
    let group = match bytes {
        16.. => 8,
        8.. => 16,
        _ => 32,
    };
    if group == 32 && addresses.greatest / 4 - addresses.least / 4 < 32 {
        return 1;
    }
    let mut total = 0;
    for start in (0..LANES).step_by(group) {
        let part = mask & ((((1u64 << group) - 1) << start) as u32);
        let words_of =
            |lane: usize| (0..u64::from(bytes.div_ceil(4))).map(move |word| addresses.lanes[lane] / 4 + word);
        let mut words: Vec<u64> = lanes(part).flat_map(words_of).collect();
        words.sort_unstable();
        words.dedup();
        let mut banks = [0u32; 32];
        words.iter().for_each(|word| banks[(word & 31) as usize] += 1);
        total += banks.iter().max().copied().unwrap_or(0);
    }
    total
}
