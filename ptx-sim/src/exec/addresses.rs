//! The addresses of the lanes of a warp: which memory they are in, whether they are legal, what an access costs.

use std::ops::Range;

use crate::fault::{Misdeed, Nearest, Touch};
use crate::memory::{Allocation, View};
use crate::op::{Address, Space};
use crate::profile::Traffic;
use crate::registers::{FULL, LANES, Registers, lanes};

/// Base of the window of a memory in the generic address space. Global memory has its own addresses there.
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
/// Addresses from here on are global.
const WINDOWS_END: u64 = window(Space::Param) + WINDOW_BYTES;

/// The memory that a generic address is in.
pub(crate) fn space_at(address: u64) -> Space {
    let inside = |space: &Space| address.wrapping_sub(window(*space)) < WINDOW_BYTES;
    [Space::Shared, Space::Local, Space::Param].into_iter().find(inside).unwrap_or(Space::Global)
}

/// The lane that faulted, and its fault.
pub(crate) type Wrong = Box<(usize, Misdeed)>;

/// The addresses of the lanes of a mask, and what is common to them.
pub(crate) struct Addresses {
    pub(crate) lanes: [u64; LANES],
    pub(crate) least: u64,
    pub(crate) greatest: u64,
    /// All of them or-ed: low bits that are zero are zero in each.
    pub(crate) bits: u64,
    /// Every lane takes part, and each access starts where the one of the lane before ends.
    pub(crate) packed: bool,
}

impl Addresses {
    /// The addresses of accesses of so many bytes.
    #[inline(always)]
    pub(crate) fn compute(registers: &Registers, mask: u32, address: &Address, bytes: u32) -> Addresses {
        if !address.wide {
            return Addresses::narrow(&registers.w[address.base.index()], mask, address.offset, bytes);
        }
        let offset = i64::from(address.offset) as u64;
        let base = &registers.d[address.base.index()];
        let lanes: [u64; LANES] = std::array::from_fn(|lane| base[lane].wrapping_add(offset));
        if mask == FULL {
            let first = lanes[0];
            let mut difference = 0;
            for (lane, address) in lanes.iter().enumerate() {
                difference |= address ^ first.wrapping_add(lane as u64 * u64::from(bytes));
            }
            let last = first.checked_add(31 * u64::from(bytes));
            if let (0, Some(last)) = (difference, last) {
                return Addresses { lanes, least: first, greatest: last, bits: first, packed: true };
            }
        }
        let mut result = Addresses { lanes, least: 0, greatest: 0, bits: 0, packed: false };
        result.summarise(mask);
        result
    }

    /// Addresses of 32 bits, which go round: as above, in vectors of twice as many lanes.
    #[inline(always)]
    fn narrow(base: &[u32; LANES], mask: u32, offset: i32, bytes: u32) -> Addresses {
        let narrow: [u32; LANES] = std::array::from_fn(|lane| base[lane].wrapping_add_signed(offset));
        let lanes = narrow.map(u64::from);
        let mut result = Addresses { lanes, least: 0, greatest: 0, bits: 0, packed: false };
        if mask != FULL {
            result.summarise(mask);
            return result;
        }
        let first = narrow[0];
        let (mut difference, mut least, mut greatest, mut all) = (0, u32::MAX, 0, 0);
        for (lane, &address) in narrow.iter().enumerate() {
            difference |= address ^ first.wrapping_add(lane as u32 * bytes);
            least = least.min(address);
            greatest = greatest.max(address);
            all |= address;
        }
        // One that goes round begins with what is not the least.
        result.packed = difference == 0 && least == first;
        (result.least, result.greatest, result.bits) = (least.into(), greatest.into(), all.into());
        result
    }

    #[inline(always)]
    fn summarise(&mut self, mask: u32) {
        let (mut least, mut greatest, mut bits) = (u64::MAX, 0, 0);
        let mut add = |address: u64| {
            least = least.min(address);
            greatest = greatest.max(address);
            bits |= address;
        };
        if mask == FULL {
            self.lanes.iter().for_each(|&address| add(address));
        } else {
            lanes(mask).for_each(|lane| add(self.lanes[lane]));
        }
        (self.least, self.greatest, self.bits) = (least, greatest, bits);
    }

    /// The address of one lane alone.
    pub(super) fn of_lane(&self, lane: usize) -> Addresses {
        let address = self.lanes[lane];
        Addresses { lanes: self.lanes, least: address, greatest: address, bits: address, packed: false }
    }

    /// The one space of all lanes' addresses, if it is known without a look at each of them.
    #[inline(always)]
    pub(crate) fn known_space(&self, space: Space) -> Option<Space> {
        match space {
            Space::Generic if self.least >= WINDOWS_END => Some(Space::Global),
            Space::Generic => None,
            Space::Global | Space::Shared | Space::Local | Space::Param => Some(space),
        }
    }

    /// Of generic addresses, the lanes that go to the same memory as the first, with the addresses that it has there.
    #[inline(never)]
    pub(super) fn part(&self, mask: u32) -> (Space, u32, Addresses) {
        let space = space_at(self.lanes[mask.trailing_zeros() as usize]);
        let mut part = Addresses { lanes: self.lanes, least: 0, greatest: 0, bits: 0, packed: false };
        let mut taken = 0;
        for lane in lanes(mask) {
            if space_at(self.lanes[lane]) == space {
                taken |= 1 << lane;
                part.lanes[lane] = self.lanes[lane] - window(space);
            }
        }
        part.summarise(taken);
        (space, taken, part)
    }
}

/// Checks an access to a memory that starts at zero.
#[inline(always)]
pub(super) fn check(
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
    explain(space, limit, mask, addresses, bytes, write)
}

/// Says which lane's access is wrong.
#[inline(never)]
fn explain(
    space: Space,
    limit: u64,
    mask: u32,
    addresses: &Addresses,
    bytes: u32,
    write: bool,
) -> Result<(), Wrong> {
    let end = limit.checked_sub(u64::from(bytes));
    for lane in lanes(mask) {
        let address = addresses.lanes[lane];
        let touch = Touch { space: space.as_str(), write, address, bytes };
        if !address.is_multiple_of(u64::from(bytes)) {
            return Err(Box::new((lane, Misdeed::Misaligned { touch: touch.into() })));
        }
        if end.is_none_or(|end| address > end) {
            let distance = address.saturating_sub(limit) as i64;
            let nearest = Some(Nearest { address: 0, bytes: limit, distance });
            return Err(Box::new((lane, Misdeed::OutOfBounds { touch: touch.into(), nearest })));
        }
    }
    Ok(())
}

/// The allocation that one lane's access is in.
pub(super) fn find(
    view: &View,
    lane: usize,
    address: u64,
    bytes: u32,
    write: bool,
) -> Result<&Allocation, Wrong> {
    let touch = Touch { space: "global", write, address, bytes };
    if !address.is_multiple_of(u64::from(bytes)) {
        return Err(Box::new((lane, Misdeed::Misaligned { touch: touch.into() })));
    }
    match view.find(address) {
        Some(allocation) if u64::from(bytes) <= allocation.bytes - (address - allocation.base) => {
            Ok(allocation)
        }
        Some(_) | None => Err(Box::new((lane, view.outside(touch)))),
    }
}

/// The allocation that all lanes' accesses are in, if it is one and they are aligned.
#[inline(always)]
pub(super) fn find_common<'a>(view: &'a View, addresses: &Addresses, bytes: u32) -> Option<&'a Allocation> {
    if addresses.bits & u64::from(bytes - 1) != 0 {
        return None;
    }
    let allocation = view.find(addresses.least)?;
    let inside = addresses.greatest.checked_add(u64::from(bytes))? <= allocation.base + allocation.bytes;
    inside.then_some(allocation)
}

/// Counts what a request costs.
#[inline(always)]
pub(super) fn count(space: Space, mask: u32, addresses: &Addresses, bytes: u32, traffic: &mut Traffic) {
    let total = u64::from(mask.count_ones()) * u64::from(bytes);
    match space {
        Space::Global | Space::Generic => {
            traffic.global_requests += 1;
            traffic.global_bytes += total;
            traffic.ideal_sectors += total.div_ceil(32);
            traffic.sectors += if addresses.packed {
                (addresses.least + total - 1) / 32 - addresses.least / 32 + 1
            } else {
                u64::from(distinct_sectors(mask, addresses))
            };
        }
        Space::Shared => {
            traffic.shared_requests += 1;
            traffic.ideal_wavefronts += total.div_ceil(128);
            traffic.wavefronts += u64::from(wavefronts(mask, addresses, bytes));
        }
        Space::Local => {
            traffic.local_requests += 1;
            traffic.local_bytes += total;
        }
        Space::Param => {}
    }
}

/// Counts what an access of the lanes of a mask costs, whatever memory it is in.
pub(crate) fn count_access(
    registers: &Registers,
    mask: u32,
    address: &Address,
    bytes: u32,
    traffic: &mut Traffic,
) {
    let all = Addresses::compute(registers, mask, address, bytes);
    if let Some(space) = all.known_space(address.space) {
        return count(space, mask, &all, bytes, traffic);
    }
    let mut left = mask;
    while left != 0 {
        let (space, part, addresses) = all.part(left);
        left &= !part;
        count(space, part, &addresses, bytes, traffic);
    }
}

/// Counts what one lane's move of neighbouring bytes costs, at an address of any memory.
pub(crate) fn count_range(space: Space, start: u64, bytes: u64, traffic: &mut Traffic) {
    let space = if space == Space::Generic { space_at(start) } else { space };
    match space {
        _ if bytes == 0 => {}
        Space::Global | Space::Generic => {
            traffic.global_requests += 1;
            traffic.global_bytes += bytes;
            traffic.ideal_sectors += bytes.div_ceil(32);
            traffic.sectors += start.saturating_add(bytes - 1) / 32 - start / 32 + 1;
        }
        Space::Shared => {
            traffic.shared_requests += 1;
            traffic.ideal_wavefronts += bytes.div_ceil(128);
            traffic.wavefronts += bytes.div_ceil(128);
        }
        Space::Local | Space::Param => {}
    }
}

/// The sectors of global memory that an access of the lanes of a mask touches, each once.
pub(crate) fn global_sectors(
    registers: &Registers,
    mask: u32,
    address: &Address,
    bytes: u32,
    sectors: &mut Vec<u64>,
) {
    sectors.clear();
    let all = Addresses::compute(registers, mask, address, bytes);
    if all.packed && all.known_space(address.space) == Some(Space::Global) {
        let last = all.least + u64::from(bytes) * LANES as u64 - 1;
        sectors.extend(all.least / 32..=last / 32);
        return;
    }
    let global = |&lane: &usize| address.space == Space::Global || space_at(all.lanes[lane]) == Space::Global;
    sectors.extend(lanes(mask).filter(global).map(|lane| all.lanes[lane] >> 5));
    sectors.sort_unstable();
    sectors.dedup();
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
    (0..LANES).step_by(group).map(|start| passes(mask, start..start + group, addresses, bytes)).sum()
}

/// The passes of a group of lanes.
fn passes(mask: u32, group: Range<usize>, addresses: &Addresses, bytes: u32) -> u32 {
    let size = u64::from(bytes.div_ceil(4));
    let (mut least, mut greatest) = (u64::MAX, 0);
    for lane in group.clone().filter(|lane| mask >> lane & 1 == 1) {
        let first = addresses.lanes[lane] / 4;
        (least, greatest) = (least.min(first), greatest.max(first + size - 1));
    }
    match greatest.checked_sub(least) {
        None => return 0,
        // No two of them are in one bank.
        Some(0..BANKS) => return 1,
        Some(_) => {}
    }
    // As many words as a pass can have; wider accesses have more.
    let mut words = [0; 2 * BANKS as usize];
    let mut count = 0;
    for lane in group.filter(|lane| mask >> lane & 1 == 1) {
        for word in 0..size {
            if let Some(place) = words.get_mut(count) {
                *place = addresses.lanes[lane] / 4 + word;
                count += 1;
            }
        }
    }
    words[..count].sort_unstable();
    let mut banks = [0u32; BANKS as usize];
    let mut last = None;
    for &word in &words[..count] {
        if last != Some(word) {
            banks[(word % BANKS) as usize] += 1;
            last = Some(word);
        }
    }
    banks.iter().max().copied().unwrap_or(0)
}

/// The banks of shared memory, each of one word.
const BANKS: u64 = 32;
