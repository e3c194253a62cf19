//! Fast path of the checks, for most accesses: ordinary ones of whole words, of lanes that are all in one memory.
//!
//! Checks that are uniform across lanes run once. A lane that finds anything out of the ordinary, an earlier access of a thread that
//! this one need not know of, is left to the thorough check, which alone reports.

use std::sync::atomic::{Ordering, fence};

use super::access::{Allowed, Check, Kind, Spot, shared_value};
use super::shadow::{LINE, Pair, Place, Record};
use super::{BlockChecks, Sanitizer};
use crate::exec::access::Memories;
use crate::exec::addresses::Addresses;
use crate::memory::Allocation;
use crate::op::{Order, Space};
use crate::registers::{FULL, LANES, Registers, lanes};

/// The one memory that all lanes of an access are in.
#[derive(Clone, Copy)]
enum Memory<'a> {
    Global(&'a Allocation, usize),
    Shared,
}

/// An access that can be checked fast.
pub(super) struct Quick<'a> {
    memory: Memory<'a>,
    addresses: &'a Addresses,
    /// Base address of that memory.
    base: u64,
    /// The record that the first lane of the warp leaves in the shadow of each word.
    record: Record,
    bytes: u64,
}

impl<'a> Quick<'a> {
    /// The access, if it is one of those.
    #[inline]
    pub(super) fn new(
        checks: &BlockChecks<'_>,
        addresses: &'a Addresses,
        memories: &Memories<'a>,
        warp: usize,
        on: u32,
        check: &Check<'_>,
        pc: usize,
    ) -> Option<Quick<'a>> {
        let bytes = check.bytes();
        if check.kind == Kind::Atomic || check.order.is_strong() || check.size < 4 || on == 0 {
            return None;
        }
        let time = checks.clocks.of_all_lanes(warp)?;
        if addresses.bits & u64::from(bytes - 1) != 0 {
            return None;
        }
        let end = addresses.greatest.checked_add(u64::from(bytes))?;
        let (memory, base) = match addresses.known_space(check.address.space)? {
            Space::Global | Space::Generic => {
                let (index, allocation) = memories.view.find_index(addresses.least)?;
                if end > allocation.base + allocation.bytes {
                    return None;
                }
                (Memory::Global(allocation, index), allocation.base)
            }
            Space::Shared
                if end <= memories.shared.len() as u64
                    && !checks.is_between_variables(addresses.least, end)
                    && checks.copies.is_empty()
                    && checks.products.are_idle() =>
            {
                (Memory::Shared, 0)
            }
            Space::Shared | Space::Local | Space::Param => return None,
        };
        let record = Record::new(Order::WEAK, (warp * LANES) as u32, time, pc, checks.number).with_bytes(0xf);
        Some(Quick { memory, addresses, base, record, bytes: u64::from(bytes) })
    }

    /// The offset of a lane's access in the memory.
    #[inline(always)]
    fn offset(&self, lane: usize) -> u64 {
        self.addresses.lanes[lane].wrapping_sub(self.base)
    }

    /// That of the first in memory.
    fn least(&self) -> u64 {
        self.addresses.least - self.base
    }

    fn spot(&self, lane: usize) -> Spot<'a> {
        let offset = self.offset(lane);
        match self.memory {
            Memory::Global(allocation, index) => Spot::Global(allocation, index, offset),
            Memory::Shared => Spot::Shared(offset),
        }
    }

    /// The words of a lane's access.
    fn words(&self, lane: usize) -> std::ops::Range<usize> {
        let start = (self.offset(lane) / 4) as usize;
        start..start + (self.bytes / 4) as usize
    }

    /// Bytes from the first to the last of all lanes, if they are one piece without gaps.
    fn piece(&self, on: u32) -> Option<(u64, u64)> {
        (self.addresses.packed && on == FULL).then(|| (self.least(), LANES as u64 * self.bytes))
    }

    /// The shadow of the words of all lanes, if each has one of global memory and they are adjacent.
    #[inline(always)]
    fn neighbours<'s>(&self, checks: &BlockChecks<'s>, on: u32, check: &Check<'_>) -> Option<&'s [Pair]> {
        let Memory::Global(_, index) = self.memory else { return None };
        let (start, _) = self.piece(on).filter(|_| check.size == 4 && check.values.len() == 1)?;
        let sanitizer: &'s Sanitizer = checks.sanitizer;
        sanitizer.global.words(index, (start / 4) as usize, LANES)
    }

    /// Returns true if every lane is the only one to have accessed its word; a read ignores other reads.
    #[inline(always)]
    fn is_alone(&self, pairs: &[Pair], is_load: bool) -> bool {
        let foreign = pairs.iter().enumerate().fold(0, |foreign, (lane, [write, read])| {
            let record = self.record.of_lane(lane);
            let reads = if is_load { 0 } else { record.foreign(read.load(Ordering::Relaxed)) };
            foreign | record.foreign(write.load(Ordering::Relaxed)) | reads
        });
        foreign == 0
    }

    /// Returns true if every lane's bytes have been written.
    fn is_initialized(&self, checks: &BlockChecks<'_>, on: u32) -> bool {
        let (least, all) = (self.least(), self.addresses.greatest + self.bytes - self.addresses.least);
        let each = |any: &dyn Fn(u64) -> bool| lanes(on).all(|lane| any(self.offset(lane)));
        match self.memory {
            Memory::Global(allocation, _) => {
                allocation.is_all_initialized()
                    || each(&|offset| allocation.all_initialized(offset, self.bytes))
            }
            Memory::Shared => {
                checks.shared_bits.all(least, all)
                    || each(&|offset| checks.shared_bits.all(offset, self.bytes))
            }
        }
    }

    /// Notes that every lane's bytes are written.
    fn initialize(&self, checks: &mut BlockChecks<'_>, on: u32) {
        let mut note = |start: u64, bytes: u64| match self.memory {
            Memory::Global(allocation, _) => allocation.initialize(start, bytes),
            Memory::Shared => checks.shared_bits.set(start, bytes),
        };
        match (self.memory, self.piece(on)) {
            (Memory::Global(allocation, _), _) if allocation.is_all_initialized() => {}
            (_, Some((start, bytes))) => note(start, bytes),
            (_, None) => lanes(on).for_each(|lane| note(self.offset(lane), self.bytes)),
        }
    }

    /// The lanes of a store that change what is there, or give a first value to shared memory.
    fn changed(
        &self,
        checks: &BlockChecks<'_>,
        registers: &Registers,
        memories: &Memories<'_>,
        on: u32,
        check: &Check<'_>,
    ) -> u32 {
        let mut changed = 0;
        if matches!(self.memory, Memory::Shared) && !self.is_initialized(checks, on) {
            let is_new = |lane: usize| !checks.shared_bits.all(self.offset(lane), self.bytes);
            changed = lanes(on).fold(0, |changed, lane| changed | u32::from(is_new(lane)) << lane);
        }
        for (element, slot) in check.values.iter().enumerate() {
            let skip = element as u64 * u64::from(check.size);
            for lane in lanes(on) {
                let at = self.offset(lane) + skip;
                let old = match self.memory {
                    Memory::Global(allocation, _) => allocation.load(at, check.size),
                    Memory::Shared => shared_value(memories.shared, at, check.size),
                };
                let new = match check.size {
                    8 => registers.d[slot.index()][lane],
                    _ => u64::from(registers.w[slot.index()][lane]),
                };
                changed |= u32::from(old != new) << lane;
            }
        }
        changed
    }
}

/// A read of a parameter by all lanes at once, if it is one and legal.
pub(super) fn parameter(
    addresses: &Addresses,
    memories: &Memories<'_>,
    on: u32,
    check: &Check<'_>,
) -> Option<Allowed> {
    if check.address.space != Space::Param || check.kind != Kind::Load || on == 0 {
        return None;
    }
    let bytes = check.bytes();
    let end = addresses.greatest.checked_add(u64::from(bytes))?;
    let legal = addresses.bits & u64::from(bytes - 1) == 0 && end <= memories.params.len() as u64;
    legal.then_some(Allowed { lanes: on, changed: 0 })
}

/// An access of all lanes to their own local memory, if it is one, legal, and of bytes that have values.
pub(super) fn local(
    checks: &mut BlockChecks<'_>,
    addresses: &Addresses,
    memories: &Memories<'_>,
    warp: usize,
    on: u32,
    check: &Check<'_>,
) -> Option<Allowed> {
    if check.address.space != Space::Local || check.kind == Kind::Atomic || on == 0 {
        return None;
    }
    let bytes = u64::from(check.bytes());
    let end = addresses.greatest.checked_add(bytes)?;
    if addresses.bits & (bytes - 1) != 0 || end > memories.local_bytes {
        return None;
    }
    let bits = &mut checks.local_bits[warp];
    let start = |lane: usize| lane as u64 * memories.local_bytes + addresses.lanes[lane];
    if check.kind == Kind::Store {
        lanes(on).for_each(|lane| bits.set(start(lane), bytes));
    } else if !lanes(on).all(|lane| bits.all(start(lane), bytes)) {
        return None;
    }
    Some(Allowed { lanes: on, changed: 0 })
}

/// Checks an access before it happens, and notes it if it is no store; none if it has to be looked at thoroughly: then nothing
/// has been noted.
pub(super) fn check(
    checks: &mut BlockChecks<'_>,
    (registers, addresses): (&Registers, &Addresses),
    memories: &Memories<'_>,
    warp: usize,
    on: u32,
    check: &Check<'_>,
    pc: usize,
) -> Option<Allowed> {
    let quick = Quick::new(checks, addresses, memories, warp, on, check, pc)?;
    checks.compared.clear();
    let is_load = check.kind == Kind::Load;
    if is_load && !quick.is_initialized(checks, on) {
        return None;
    }
    let changed = if is_load { 0 } else { quick.changed(checks, registers, memories, on, check) };
    // A write that another block records from now on sees the read; one before the fence is seen by the second look.
    let unseen = |look: &dyn Fn() -> bool| {
        look()
            && (!is_load || {
                fence(Ordering::SeqCst);
                look()
            })
    };
    let line = || quick.check_line(checks, warp, on, check);
    let alone = || {
        let Some(pairs) = quick.neighbours(checks, on, check) else { return false };
        let alone = quick.is_alone(pairs, is_load);
        if alone && is_load {
            for (lane, [_, read]) in pairs.iter().enumerate() {
                read.store(quick.record.of_lane(lane).bits(), Ordering::Relaxed);
            }
        }
        alone
    };
    if unseen(&line) || unseen(&alone) {
        if !is_load {
            quick.initialize(checks, on);
        }
        return Some(Allowed { lanes: on, changed });
    }
    // In shared memory also those that write what is there already: others may have read it.
    let looked_at = if is_load || matches!(quick.memory, Memory::Shared) { on } else { changed };
    if !quick.check_epochs(checks, looked_at, is_load) {
        quick.check_lanes(checks, registers, memories, (warp, pc), looked_at, check);
    }
    if !is_load {
        quick.initialize(checks, on);
    }
    Some(Allowed { lanes: on, changed })
}

impl Quick<'_> {
    /// Records of the line that the lanes of a warp access in order, if they do.
    #[inline(always)]
    fn line<'s>(&self, checks: &BlockChecks<'s>, on: u32, check: &Check<'_>) -> Option<&'s Pair> {
        let Memory::Global(_, index) = self.memory else { return None };
        let (start, _) = self.piece(on).filter(|_| check.size == 4 && check.values.len() == 1)?;
        const { assert!(LINE == LANES) };
        let sanitizer: &'s Sanitizer = checks.sanitizer;
        sanitizer.global.line(index, (start / 4) as usize)
    }

    /// Returns true if an earlier access to a line is none, of the same lanes, or known to the warp.
    #[inline(always)]
    fn is_ordered(&self, checks: &BlockChecks<'_>, warp: usize, stored: u64) -> bool {
        self.record.foreign(stored) == 0 || is_expected(checks, self.record, Record::stored(stored), warp)
    }

    /// Checks an access to a whole line. Returns true if all earlier accesses are ordered; a load is recorded then.
    #[inline(always)]
    fn check_line(&self, checks: &BlockChecks<'_>, warp: usize, on: u32, check: &Check<'_>) -> bool {
        let Some([write, read]) = self.line(checks, on, check) else { return false };
        let is_load = check.kind == Kind::Load;
        let ordered = self.is_ordered(checks, warp, write.load(Ordering::Relaxed))
            && (is_load || self.is_ordered(checks, warp, read.load(Ordering::Relaxed)));
        if ordered && is_load {
            read.store(self.record.bits(), Ordering::Relaxed);
        }
        ordered
    }

    /// Checks an access to shared memory by epochs. Returns true if all earlier accesses to its words come before the last barrier
    /// of all warps; a load is recorded then.
    #[inline(always)]
    fn check_epochs(&self, checks: &mut BlockChecks<'_>, on: u32, is_load: bool) -> bool {
        let Memory::Shared = self.memory else { return false };
        let now = checks.clocks.epoch();
        let count = (self.bytes / 4) as usize;
        let words = &mut checks.shared[..];
        let mut latest = 0;
        let mut look = |lane: usize| {
            let first = (self.offset(lane) / 4) as usize;
            for word in &words[first..first + count] {
                latest = latest.max(word.write_epoch).max(if is_load { 0 } else { word.read_epoch });
            }
        };
        if on == FULL {
            (0..LANES).for_each(&mut look)
        } else {
            lanes(on).for_each(&mut look)
        }
        if latest >= now {
            return false;
        }
        if is_load {
            let mut note = |lane: usize| {
                let first = (self.offset(lane) / 4) as usize;
                for word in &mut words[first..first + count] {
                    (word.read, word.read_epoch) = (self.record.of_lane(lane), now);
                }
            };
            if on == FULL { (0..LANES).for_each(&mut note) } else { lanes(on).for_each(&mut note) }
        }
        true
    }

    /// Looks at each lane; what is suspicious is checked thoroughly.
    fn check_lanes(
        &self,
        checks: &mut BlockChecks<'_>,
        registers: &Registers,
        memories: &Memories<'_>,
        (warp, pc): (usize, usize),
        on: u32,
        check: &Check<'_>,
    ) {
        let is_load = check.kind == Kind::Load;
        if is_load {
            let epoch = checks.clocks.epoch();
            for lane in lanes(on) {
                let record = self.record.of_lane(lane);
                for word in self.words(lane) {
                    if let Some(mut shadow) = shadow(checks, self, word) {
                        shadow.set_read(record, epoch);
                    }
                }
            }
            if matches!(self.memory, Memory::Global(..)) {
                fence(Ordering::SeqCst);
            }
        }
        for lane in lanes(on) {
            let record = self.record.of_lane(lane);
            let suspicious = self.words(lane).any(|word| {
                let earlier = shadow(checks, self, word).map(|shadow| (shadow.write(), shadow.read()));
                let (write, read) = earlier.unwrap_or_default();
                is_unexpected(checks, record, write, warp)
                    || (!is_load && is_unexpected(checks, record, read, warp))
            });
            if suspicious {
                checks.check_races(registers, memories, warp, lane, pc, check, &self.spot(lane));
            }
        }
    }
}

/// Notes a store that has happened; whether it could, else nothing has been noted.
pub(super) fn note(
    checks: &mut BlockChecks<'_>,
    registers: &Registers,
    memories: &Memories<'_>,
    warp: usize,
    changed: u32,
    check: &Check<'_>,
    pc: usize,
) -> bool {
    let addresses = Addresses::compute(registers, changed, check.address, check.bytes());
    let Some(quick) = Quick::new(checks, &addresses, memories, warp, changed, check, pc) else {
        return false;
    };
    // Accesses of other blocks since the check see this one, or are seen here: see `Place::replace_write`.
    let late = |checks: &BlockChecks<'_>, lane: usize, earlier: u64, earlier_wrote: bool| {
        let earlier = Record::stored(earlier);
        let (record, address) = (quick.record.of_lane(lane), addresses.lanes[lane]);
        let is_same =
            || earlier_wrote && checks.writes_the_same(registers, lane, check, &quick.spot(lane), earlier);
        if is_unexpected(checks, record, earlier, warp) && !checks.compared.contains(&earlier) && !is_same() {
            checks.compare(record, earlier, earlier_wrote, warp, lane, pc, check, true, address);
        }
    };
    if let Some([write, read]) = quick.line(checks, changed, check) {
        let writes = write.swap(quick.record.bits(), Ordering::SeqCst);
        let reads = read.swap(0, Ordering::SeqCst);
        for (earlier, wrote) in [(writes, true), (reads, false)] {
            if !quick.is_ordered(checks, warp, earlier) {
                let of_lane = |lane| Record::stored(earlier).of_lane(lane).bits();
                (0..LANES).for_each(|lane| late(checks, lane, of_lane(lane), wrote));
            }
        }
        if quick.line(checks, changed, check).is_some() {
            return true;
        }
    }
    if let Some(pairs) = quick.neighbours(checks, changed, check) {
        // Each lane has a word of its own.
        for (lane, [write, read]) in pairs.iter().enumerate() {
            late(checks, lane, write.swap(quick.record.of_lane(lane).bits(), Ordering::SeqCst), true);
            late(checks, lane, read.swap(0, Ordering::SeqCst), false);
        }
        return true;
    }
    let epoch = checks.clocks.epoch();
    let is_global = matches!(quick.memory, Memory::Global(..));
    for lane in lanes(changed) {
        let record = quick.record.of_lane(lane);
        for word in quick.words(lane) {
            let Some(mut shadow) = shadow(checks, &quick, word) else { continue };
            let (write, read) = shadow.replace_write(record, epoch);
            // In shared memory nothing comes between, but other lanes of this very instruction.
            let suspicious = match is_global {
                true => [write, read].iter().any(|&earlier| is_unexpected(checks, record, earlier, warp)),
                false => write.same_moment(record) && !write.same_thread(record),
            };
            if suspicious {
                checks.compare_noted(
                    registers,
                    warp,
                    lane,
                    pc,
                    check,
                    &quick.spot(lane),
                    record,
                    (write, read),
                );
            }
        }
    }
    true
}

/// Returns true if an earlier access is of the same thread, or one that this warp knows of; one that is too long ago to tell counts as
/// known.
#[inline(always)]
fn is_expected(checks: &BlockChecks<'_>, record: Record, earlier: Record, warp: usize) -> bool {
    record.same_thread(earlier)
        || (earlier.block() == checks.number
            && earlier
                .time()
                .is_none_or(|time| checks.clocks.knows(warp, earlier.thread() as usize / LANES, time)))
}

/// Returns true for an access that happened and is not expected.
#[inline(always)]
fn is_unexpected(checks: &BlockChecks<'_>, record: Record, earlier: Record, warp: usize) -> bool {
    earlier.is_some() && !is_expected(checks, record, earlier, warp)
}

#[inline(always)]
fn shadow<'s>(checks: &'s mut BlockChecks<'_>, quick: &Quick<'_>, word: usize) -> Option<Place<'s>> {
    match quick.memory {
        Memory::Global(_, index) => checks.sanitizer.global.word(index, word).map(Place::Global),
        Memory::Shared => checks.shared.get_mut(word).map(Place::Shared),
    }
}
