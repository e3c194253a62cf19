//! The checks of one access of the lanes of a warp.

use super::shadow::{Place as Shadow, Record};
use super::{BlockChecks, quick};
use crate::exec::access::Memories;
use crate::exec::addresses::{Addresses, space_at, window};
use crate::exec::peers::{PEER_BYTES, distance};
use crate::fault::{Misdeed, Nearest, OtherAccess, Place, Touch};
use crate::memory::Allocation;
use crate::op::{Address, Order, Space};
use crate::registers::{LANES, Registers, Slot, lanes};

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Load,
    Store,
    Atomic,
}

/// Destination of the values that an access finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Targets {
    /// To the registers of the access: narrow ones sign-extended if signed.
    Values { signed: bool },
    /// To one register, of an exchange.
    Old(Slot),
    /// To registers that are looked at by whoever makes the access.
    Followed,
    /// Elsewhere: a missing value is reported at once.
    Nowhere,
}

/// An access that is about to happen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check<'a> {
    pub(crate) kind: Kind,
    pub(crate) address: &'a Address,
    /// Bytes of an element.
    pub(crate) size: u32,
    /// The values that a store writes, element by element; other accesses have as many slots as elements.
    pub(crate) values: &'a [Slot],
    pub(crate) targets: Targets,
    pub(crate) order: Order,
}

/// Lanes that may make the access, and of those the ones that change what is there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Allowed {
    pub(crate) lanes: u32,
    pub(crate) changed: u32,
}

/// Location of a lane's access.
pub(super) enum Spot<'a> {
    Global(&'a Allocation, usize, u64),
    Shared(u64),
    /// In the shared memory of another block of the cluster.
    Elsewhere {
        /// The owner's place in the cluster.
        rank: u32,
        /// Offset in its shared memory.
        offset: u64,
    },
    Local(u64),
    Param,
}

impl Check<'_> {
    pub(crate) fn bytes(&self) -> u32 {
        self.size * self.values.len() as u32
    }

    fn is_write(&self) -> bool {
        match self.kind {
            Kind::Load => false,
            Kind::Store | Kind::Atomic => true,
        }
    }

    pub(super) fn address(&self, registers: &Registers, lane: usize) -> u64 {
        crate::exec::asynchronous::at(registers, self.address, lane)
    }

    fn value(&self, registers: &Registers, element: usize, lane: usize) -> u64 {
        let slot = self.values[element].index();
        let raw = if self.size == 8 { registers.d[slot][lane] } else { u64::from(registers.w[slot][lane]) };
        if self.size < 8 { raw & ((1 << (8 * self.size)) - 1) } else { raw }
    }
}

/// A read that may learn of what others have released: what it found is known when it has happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrongRead {
    warp: usize,
    is_global: bool,
    address: u64,
    order: Order,
}

/// Checks an access before it happens, and notes it if it is no store. After a load that happened comes `note_reads`.
#[inline(never)]
pub(crate) fn check_access(
    checks: &mut BlockChecks<'_>,
    (registers, addresses): (&Registers, &Addresses),
    memories: &Memories<'_>,
    warp: usize,
    on: u32,
    check: &Check<'_>,
    pc: usize,
) -> Allowed {
    if let Some(allowed) = quick::parameter(addresses, memories, on, check) {
        return allowed;
    }
    if let Some(allowed) = quick::local(checks, addresses, memories, warp, on, check) {
        return allowed;
    }
    if let Some(allowed) = quick::check(checks, (registers, addresses), memories, warp, on, check, pc) {
        return allowed;
    }
    let mut allowed = Allowed::default();
    checks.compared.clear();
    for lane in lanes(on) {
        let address = check.address(registers, lane);
        let spot = match locate(memories, check, address) {
            Ok(spot) => spot,
            Err(misdeed) => {
                checks.report(warp, lane, pc, pc, misdeed);
                checks.failed = true;
                continue;
            }
        };
        if let Some(misdeed) = checks.leaves_variable(check, &spot) {
            checks.report(warp, lane, pc, pc, misdeed);
            checks.failed = true;
            continue;
        }
        allowed.lanes |= 1 << lane;
        if checks.meets_copy(warp, lane, pc, check, &spot) {
            continue;
        }
        if check.kind != Kind::Store {
            checks.find_values(warp, lane, pc, check, address, &spot);
        }
        if let Spot::Shared(offset) = spot
            && check.order.is_strong()
        {
            checks.check_first_write(warp, lane, pc, check, offset);
        }
        if checks.check_races(registers, memories, warp, lane, pc, check, &spot) {
            allowed.changed |= 1 << lane;
        }
        if check.is_write() {
            checks.initialize(warp, lane, check.bytes(), memories.local_bytes, &spot);
        }
    }
    // Nothing comes between the check of an atomic operation and the operation.
    if check.kind == Kind::Atomic {
        note_reads(checks);
    }
    allowed
}

/// Notes what the loads that have been checked may have found. Before they happen it is too early: other blocks run.
pub(crate) fn note_reads(checks: &mut BlockChecks<'_>) {
    let BlockChecks { reads, clocks, sanitizer, .. } = checks;
    for read in reads.drain(..) {
        let is_wide = read.is_global && read.order.is_wide();
        let releases = if is_wide { sanitizer.releases.at(read.address) } else { 0 };
        clocks.read(read.warp, (read.is_global, read.address), releases, read.order.is_acquire());
    }
}

/// Notes a store that has happened. Lanes that wrote different values to one location are reported here.
#[inline(never)]
pub(crate) fn note_store(
    checks: &mut BlockChecks<'_>,
    registers: &Registers,
    memories: &Memories<'_>,
    warp: usize,
    changed: u32,
    check: &Check<'_>,
    pc: usize,
) {
    if quick::note(checks, registers, memories, warp, changed, check, pc) {
        return;
    }
    for lane in lanes(changed) {
        let address = check.address(registers, lane);
        if let Ok(spot) = locate(memories, check, address) {
            checks.note(registers, warp, lane, pc, check, &spot);
        }
    }
}

/// The place of an access, or why it is illegal.
pub(super) fn locate<'a>(
    memories: &Memories<'a>,
    check: &Check<'_>,
    address: u64,
) -> Result<Spot<'a>, Misdeed> {
    let space = match check.address.space {
        Space::Generic => space_at(address),
        space => space,
    };
    let offset = match check.address.space {
        Space::Generic => address.wrapping_sub(window(space)),
        _ => address,
    };
    let bytes = u64::from(check.bytes());
    let touch =
        Touch { space: space.as_str(), write: check.is_write(), address: offset, bytes: bytes as u32 };
    if !offset.is_multiple_of(bytes) {
        return Err(Misdeed::Misaligned { touch: touch.into() });
    }
    let within = |offset: u64, limit: u64| {
        let inside = limit.checked_sub(bytes).is_some_and(|end| offset <= end);
        let nearest = Nearest { address: 0, bytes: limit, distance: distance(offset, limit) };
        if inside {
            Ok(())
        } else {
            Err(Misdeed::OutOfBounds { touch: touch.into(), nearest: Some(nearest) })
        }
    };
    match space {
        Space::Global | Space::Generic => match memories.view.find_index(offset) {
            Some((index, allocation)) if bytes <= allocation.bytes - (offset - allocation.base) => {
                Ok(Spot::Global(allocation, index, offset - allocation.base))
            }
            _ => Err(memories.view.outside(touch)),
        },
        Space::Shared => match memories.elsewhere(offset) {
            None => {
                let offset = memories.own_offset(offset);
                within(offset, memories.shared.len() as u64).map(|()| Spot::Shared(offset))
            }
            Some((rank, ended, _)) if ended => {
                let touch = Touch { address: offset & (PEER_BYTES - 1), ..touch };
                Err(Misdeed::BlockEnded { touch: touch.into(), rank })
            }
            Some((rank, _, limit)) => {
                let offset = offset & (PEER_BYTES - 1);
                within(offset, limit).map(|()| Spot::Elsewhere { rank, offset })
            }
        },
        Space::Local => within(offset, memories.local_bytes).map(|()| Spot::Local(offset)),
        Space::Param if check.is_write() => Err(Misdeed::ReadOnly { touch: touch.into() }),
        Space::Param => within(offset, memories.params.len() as u64).map(|()| Spot::Param),
    }
}

impl BlockChecks<'_> {
    fn place(&self, warp: usize, lane: usize, pc: usize) -> Place {
        Place {
            kernel: self.kernel.info.name.clone(),
            block: self.block,
            thread: self.thread((warp * LANES + lane) as u32),
            code: self.kernel.code_of(pc),
        }
    }

    pub(super) fn thread(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.block_size;
        [linear % x, linear / x % y, linear / x / y]
    }

    /// Returns true for an access of a thread of this warp.
    fn is_in_warp(&self, access: Record, warp: usize) -> bool {
        access.block() == self.number && access.thread() as usize / LANES == warp
    }

    /// Reports an illegal operation of a lane.
    pub(crate) fn report(&self, warp: usize, lane: usize, pc: usize, other: usize, misdeed: Misdeed) {
        let mut reports = self.sanitizer.reports.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let block = u64::from(self.number);
        reports.add(block, (pc, other), misdeed, || self.place(warp, lane, pc));
    }

    /// Returns true if some of these bytes of shared memory are of no variable.
    pub(super) fn is_between_variables(&self, start: u64, end: u64) -> bool {
        self.kernel.shared_gaps.iter().any(|gap| start < gap.end && gap.start < end)
    }

    /// The fault of an access to shared memory beyond its variable.
    fn leaves_variable(&self, check: &Check<'_>, spot: &Spot<'_>) -> Option<Misdeed> {
        let (Spot::Shared(address) | Spot::Elsewhere { offset: address, .. }) = *spot else { return None };
        let bytes = check.bytes();
        let touch = Touch { space: "shared", write: check.is_write(), address, bytes };
        let outside = self.is_between_variables(address, address + u64::from(bytes));
        outside.then(|| Misdeed::OutOfBounds { touch: touch.into(), nearest: None })
    }

    /// Reports an access to bytes that an asynchronous copy is still to bring. Returns true if it is one.
    fn meets_copy(&self, warp: usize, lane: usize, pc: usize, check: &Check<'_>, spot: &Spot<'_>) -> bool {
        let Spot::Shared(offset) = *spot else { return false };
        let touch = Touch { space: "shared", write: check.is_write(), address: offset, bytes: check.bytes() };
        let missing = self.missing_wait(touch, offset, (warp, lane));
        missing.map(|(copy, misdeed)| self.report(warp, lane, pc, copy, misdeed)).is_some()
    }

    fn initialize(&mut self, warp: usize, lane: usize, bytes: u32, local_bytes: u64, spot: &Spot<'_>) {
        match *spot {
            Spot::Global(allocation, _, offset) => allocation.initialize(offset, u64::from(bytes)),
            Spot::Shared(offset) => self.shared_bits.set(offset, u64::from(bytes)),
            Spot::Local(offset) => {
                self.local_bits[warp].set(lane as u64 * local_bytes + offset, u64::from(bytes));
            }
            Spot::Elsewhere { .. } | Spot::Param => {}
        }
    }

    /// Compares an access with the last ones to its words; whether a store changes what is there.
    #[expect(clippy::too_many_arguments, reason = "an access is that many things")]
    pub(super) fn check_races(
        &mut self,
        registers: &Registers,
        memories: &Memories<'_>,
        warp: usize,
        lane: usize,
        pc: usize,
        check: &Check<'_>,
        spot: &Spot<'_>,
    ) -> bool {
        let (is_global, start) = match *spot {
            Spot::Global(allocation, _, offset) => (true, allocation.base + offset),
            Spot::Shared(offset) => (false, offset),
            Spot::Elsewhere { rank, offset } => {
                self.access_elsewhere(warp, lane, pc, check, (rank, offset));
                return false;
            }
            Spot::Local(_) | Spot::Param => return false,
        };
        let order = check.order;
        if order.is_strong() {
            if check.kind != Kind::Store {
                self.reads.push(StrongRead { warp, is_global, address: start, order });
            }
            if check.is_write() {
                self.clocks.release(warp, (is_global, start), order.is_release());
                if is_global
                    && order.is_wide()
                    && let Some(row) = self.clocks.released_to_all(warp, order.is_release())
                {
                    self.sanitizer.releases.add(self.number, start, row);
                }
            }
        }
        let mut changed = check.kind == Kind::Atomic;
        if check.kind == Kind::Store {
            // Memory that was never written has no value yet, not even the one in the simulator's memory.
            changed =
                matches!(*spot, Spot::Shared(at) if !self.shared_bits.all(at, u64::from(check.bytes())));
            for element in 0..check.values.len() {
                let at = start_of(spot) + element as u64 * u64::from(check.size);
                let old = match *spot {
                    Spot::Global(allocation, ..) => allocation.load(at, check.size),
                    _ => shared_value(memories.shared, at, check.size),
                };
                changed |= old != check.value(registers, element, lane);
            }
        }
        let thread = (warp * LANES + lane) as u32;
        let record = Record::new(order, thread, self.clocks.now(warp, lane), pc, self.number);
        let (first, last) = (start_of(spot), start_of(spot) + u64::from(check.bytes()));
        if check.kind == Kind::Store && !changed {
            // Among the threads of a block a barrier is missing even so: with other data the reader may read what comes next.
            for word in (first / 4..last.div_ceil(4)).filter(|_| !is_global) {
                let record = record.with_bytes(bytes_of(word, first, last));
                let read = self.shadow(spot, word as usize).map(|shadow| shadow.read());
                if let Some(read) = read.filter(|read| read.is_some()) {
                    self.compare(record, read, false, warp, lane, pc, check, is_global, start);
                }
            }
            return false;
        }
        let epoch = self.clocks.epoch();
        for word in first / 4..last.div_ceil(4) {
            let record = record.with_bytes(bytes_of(word, first, last));
            let Some(mut shadow) = self.shadow(spot, word as usize) else { continue };
            let (write, read) = match check.kind {
                Kind::Load => (shadow.replace_read(record, epoch), Record::default()),
                Kind::Atomic => shadow.replace_write(record, epoch),
                Kind::Store => (shadow.write(), shadow.read()),
            };
            if check.kind == Kind::Store {
                self.compared.extend([write, read].iter().filter(|earlier| earlier.is_some()));
            }
            if write.is_some() {
                self.compare(record, write, true, warp, lane, pc, check, is_global, start);
            }
            if check.is_write() && read.is_some() {
                self.compare(record, read, false, warp, lane, pc, check, is_global, start);
            }
        }
        changed
    }

    fn shadow<'s>(&'s mut self, spot: &Spot<'_>, word: usize) -> Option<Shadow<'s>> {
        match *spot {
            Spot::Global(_, index, _) => self.sanitizer.global.word(index, word).map(Shadow::Global),
            Spot::Shared(_) => self.shared.get_mut(word).map(Shadow::Shared),
            Spot::Elsewhere { .. } | Spot::Local(_) | Spot::Param => None,
        }
    }

    /// Reports a race if an access and an earlier one are in conflict and not ordered.
    #[expect(clippy::too_many_arguments, reason = "an access is that many things")]
    pub(super) fn compare(
        &self,
        record: Record,
        earlier: Record,
        earlier_wrote: bool,
        warp: usize,
        lane: usize,
        pc: usize,
        check: &Check<'_>,
        is_global: bool,
        address: u64,
    ) {
        let harmless =
            record.same_thread(earlier) || record.bytes() & earlier.bytes() == 0 || record.may_meet(earlier);
        if harmless || self.is_ordered(earlier, warp, lane, is_global) {
            return;
        }
        let space = if is_global { "global" } else { "shared" };
        let touch = Touch { space, write: check.is_write(), address, bytes: check.bytes() };
        let mut other = Box::new(self.other_access(earlier, earlier_wrote, (warp, lane), pc));
        // If one of both is atomic, the other one is to be so, too.
        if record.is_strong() || earlier.is_strong() {
            other.gap = None;
        }
        // Of an atomic access and a plain read, the plain read.
        let guess = match (check.kind, earlier_wrote) {
            (Kind::Load, true) if !record.is_strong() && earlier.is_strong() => Some(pc),
            (Kind::Atomic, false) if record.is_strong() && !earlier.is_strong() => Some(earlier.pc()),
            _ => None,
        };
        if let Some(read) = guess.filter(|read| self.kernel.guesses().contains(read)) {
            return self.report(warp, lane, pc, read, Misdeed::PlainGuess { touch: touch.into(), other });
        }
        let misdeed = match record.is_strong() && earlier.is_strong() {
            true => Misdeed::NarrowScope { touch: touch.into(), other },
            false => Misdeed::Race { touch: touch.into(), other },
        };
        self.report(warp, lane, pc, earlier.pc(), misdeed);
    }

    /// An earlier access as reports of a warp's access at an operation tell it.
    pub(super) fn other_access(
        &self,
        earlier: Record,
        write: bool,
        (warp, lane): (usize, usize),
        pc: usize,
    ) -> OtherAccess {
        let code = self.kernel.code_of(earlier.pc());
        let [own, other] = [(warp * LANES + lane) as u32, earlier.thread()].map(|thread| self.thread(thread));
        let is_in_line = self.kernel.code_of(pc).is_in_line_of(&code);
        OtherAccess {
            write,
            block: (earlier.block() != self.number).then(|| earlier.block()),
            gap: if earlier.block() != self.number { self.kernel.gap() } else { None },
            thread: other,
            is_in_warp: self.is_in_warp(earlier, warp),
            is_in_line: pc == earlier.pc() || is_in_line,
            is_above: own[0] == other[0] && own != other,
            code,
        }
    }

    pub(super) fn is_ordered(&self, earlier: Record, warp: usize, lane: usize, is_global: bool) -> bool {
        let thread = earlier.thread() as usize;
        if earlier.block() != self.number {
            if !is_global && self.has_lost_sight() {
                return true;
            }
            let known = self.clocks.releases_known(warp);
            return self.sanitizer.releases.cover(earlier.block(), thread / LANES, earlier.time(), known);
        }
        match earlier.time() {
            None => true,
            Some(time) => self.clocks.is_known((thread / LANES, thread % LANES), (warp, lane), time),
        }
    }

    /// Records a store after it has happened, and compares it with the accesses that came since it was checked.
    pub(super) fn note(
        &mut self,
        registers: &Registers,
        warp: usize,
        lane: usize,
        pc: usize,
        check: &Check<'_>,
        spot: &Spot<'_>,
    ) {
        let thread = (warp * LANES + lane) as u32;
        let time = self.clocks.now(warp, lane);
        let record = Record::new(check.order, thread, time, pc, self.number);
        let (first, last) = (start_of(spot), start_of(spot) + u64::from(check.bytes()));
        let epoch = self.clocks.epoch();
        for word in first / 4..last.div_ceil(4) {
            let record = record.with_bytes(bytes_of(word, first, last));
            let Some(mut shadow) = self.shadow(spot, word as usize) else { continue };
            let earlier = shadow.replace_write(record, epoch);
            self.compare_noted(registers, warp, lane, pc, check, spot, record, earlier);
        }
    }

    /// Compares a store with the write and the read that it has replaced: those of other blocks since the check, and a write by
    /// another lane of the same instruction.
    #[expect(clippy::too_many_arguments, reason = "an access is that many things")]
    pub(super) fn compare_noted(
        &self,
        registers: &Registers,
        warp: usize,
        lane: usize,
        pc: usize,
        check: &Check<'_>,
        spot: &Spot<'_>,
        record: Record,
        (write, read): (Record, Record),
    ) {
        let (is_global, address) = match *spot {
            Spot::Global(allocation, ..) => (true, allocation.base + start_of(spot)),
            Spot::Shared(_) | Spot::Elsewhere { .. } | Spot::Local(_) | Spot::Param => {
                (false, start_of(spot))
            }
        };
        let is_new = |earlier: &Record| earlier.is_some() && !self.compared.contains(earlier);
        if is_new(&read) {
            self.compare(record, read, false, warp, lane, pc, check, is_global, address);
        }
        let together = !write.same_thread(record)
            && write.with_bytes(0).same_moment(record.with_bytes(0))
            && write.thread() as usize / LANES == warp;
        let differ = || {
            let other = write.thread() as usize % LANES;
            (0..check.values.len()).any(|element| {
                check.value(registers, element, other) != check.value(registers, element, lane)
            })
        };
        let is_same = || self.writes_the_same(registers, lane, check, spot, write);
        if is_new(&write) && (!together || differ()) && !is_same() {
            self.compare(record, write, true, warp, lane, pc, check, is_global, address);
        }
    }

    /// Returns true for a store that came together with one of another block, after which memory holds what both are then taken to have
    /// written: to write what is there is no race. One that wrote something else before is not told from it; it is found where they do not meet.
    pub(super) fn writes_the_same(
        &self,
        registers: &Registers,
        lane: usize,
        check: &Check<'_>,
        spot: &Spot<'_>,
        earlier: Record,
    ) -> bool {
        let Spot::Global(allocation, _, offset) = *spot else { return false };
        let is_there = |element: usize| {
            let at = offset + element as u64 * u64::from(check.size);
            allocation.load(at, check.size) == check.value(registers, element, lane)
        };
        earlier.block() != self.number && (0..check.values.len()).all(is_there)
    }

    /// Notes that a lane has written bytes of shared memory by other means than a store.
    pub(crate) fn written_shared(&mut self, warp: usize, lane: usize, pc: usize, start: u64, bytes: u64) {
        self.shared_bits.set(start, bytes);
        let thread = (warp * LANES + lane) as u32;
        let record = Record::new(Order::WEAK, thread, self.clocks.now(warp, lane), pc, self.number);
        for word in start / 4..(start + bytes).div_ceil(4) {
            let record = record.with_bytes(bytes_of(word, start, start + bytes));
            let Some(shadow) = self.shared.get_mut(word as usize) else { continue };
            let before = std::mem::replace(shadow, super::Word::any_time(record, Record::default()));
            for (earlier, wrote) in [(before.write, true), (before.read, false)] {
                let harmless = !earlier.is_some()
                    || record.same_thread(earlier)
                    || record.bytes() & earlier.bytes() == 0
                    || earlier.is_strong();
                if harmless || self.is_ordered(earlier, warp, lane, false) {
                    continue;
                }
                let touch = Touch { space: "shared", write: true, address: word * 4, bytes: 4 };
                let other = self.other_access(earlier, wrote, (warp, lane), pc);
                self.report(
                    warp,
                    lane,
                    pc,
                    earlier.pc(),
                    Misdeed::Race { touch: touch.into(), other: Box::new(other) },
                );
            }
        }
    }
}

fn start_of(spot: &Spot<'_>) -> u64 {
    match *spot {
        Spot::Global(_, _, offset) | Spot::Shared(offset) | Spot::Local(offset) => offset,
        Spot::Elsewhere { .. } | Spot::Param => 0,
    }
}

/// The bytes of a word that an access from `first` to before `last` touches.
pub(super) fn bytes_of(word: u64, first: u64, last: u64) -> u32 {
    let (start, end) = ((word * 4).max(first), (word * 4 + 4).min(last));
    ((1u32 << (end - word * 4)) - 1) & !((1u32 << (start - word * 4)) - 1)
}

pub(super) fn shared_value(shared: &[u8], at: u64, size: u32) -> u64 {
    let mut raw = [0; 8];
    let at = at as usize;
    if let Some(bytes) = shared.get(at..at + size as usize) {
        raw[..size as usize].copy_from_slice(bytes);
    }
    u64::from_le_bytes(raw)
}
