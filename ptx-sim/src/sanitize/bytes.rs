//! Bytes of memory without a value: what is known of them beyond that, what loads find there, what stores leave there.
//!
//! A bit for each byte says whether it has a value (`Bits`, `Allocation::initialize`). Of bytes that were written with values that
//! are missing it is known which bits are, and where those come from.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::access::{Check, Spot, Targets, locate};
use super::values::{Origin, Source, Undefined};
use super::{BlockChecks, Sanitizer, rules};
use crate::exec::access::Memories;
use crate::fault::{Misdeed, Place, Touch, Unwritten, Usage};
use crate::memory::View;
use crate::program::Kernel;
use crate::registers::{Class, LANES, Registers, lanes};

/// Bytes of an access at most.
const MOST_BYTES: usize = 32;
/// Of so many words of a memory it is remembered what is missing in them.
const MOST_WORDS: usize = 1 << 20;
/// So many stores of missing values to global memory are looked at again at the end of a launch.
const MOST_ESCAPES: usize = 1 << 16;

/// Undefined bits and origin of words written with undefined values, by address.
#[derive(Debug, Default)]
pub(super) struct Remnants(HashMap<u64, ([u8; 4], Origin)>);

impl Remnants {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn put(&mut self, address: u64, mask: u8, origin: Origin) {
        if self.0.len() < MOST_WORDS || self.0.contains_key(&(address / 4)) {
            let (masks, from) = self.0.entry(address / 4).or_insert(([u8::MAX; 4], origin));
            masks[(address % 4) as usize] = mask;
            *from = origin;
        }
    }

    fn get(&self, address: u64) -> Option<(u8, Origin)> {
        let (masks, origin) = self.0.get(&(address / 4))?;
        Some((masks[(address % 4) as usize], *origin))
    }
}

/// Undefined bits of the bytes of an access.
struct Found {
    /// The undefined bits of each byte.
    masks: [u8; MOST_BYTES],
    /// Bytes that have a value, or a part of one.
    partly: bool,
    /// Origin of undefined values that were stored there.
    origin: Option<Origin>,
}

/// A part of a store whose value is missing.
pub(super) struct StoredMissing<'a> {
    /// Bytes before it.
    pub(super) skip: u64,
    /// The undefined bits of each of its bytes.
    pub(super) masks: &'a [u8],
    pub(super) origin: Origin,
    /// Other parts have a value.
    pub(super) partly: bool,
    /// Another part of the same store was noted, to be reported.
    pub(super) reported: bool,
}

/// A store of missing values to global memory: a mistake if they are still there when the kernel is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escape {
    block: [u32; 3],
    number: u32,
    thread: u32,
    pc: usize,
    origin: Origin,
    address: u64,
    bytes: u32,
}

/// The values that are missing in global memory.
#[derive(Debug, Default)]
pub(super) struct MissingBytes {
    remnants: Remnants,
    escapes: Vec<Escape>,
}

impl Sanitizer {
    /// The kernel is over: reports values that are missing in what it leaves.
    pub(crate) fn end(&self, kernel: &Kernel, block_size: [u32; 3], view: &View) {
        let missing = std::mem::take(&mut *lock(&self.missing));
        for escape in missing.escapes {
            let Escape { block, number, thread, pc, origin, address, bytes } = escape;
            let Some(allocation) = view.find(address) else { continue };
            let offset = address - allocation.base;
            if (0..u64::from(bytes)).all(|byte| !allocation.any_initialized(offset + byte, 1)) {
                let described = Box::new(describe(kernel, origin.pc, origin));
                let misdeed = Misdeed::UninitializedUse { usage: Usage::Store, origin: described };
                let [x, y, _] = block_size;
                let thread = [thread % x, thread / x % y, thread / x / y];
                let place =
                    || Place { kernel: kernel.info.name.clone(), block, thread, code: kernel.code_of(pc) };
                lock(&self.reports).add(u64::from(number), (pc, origin.pc), misdeed, place);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Describes where a value is missing.
pub(super) fn describe(kernel: &Kernel, pc: usize, origin: Origin) -> Unwritten {
    let touch = match origin.source {
        Source::Register => None,
        Source::Memory { touch, .. } => Some(touch.into()),
    };
    Unwritten { touch, code: kernel.code_of(pc) }
}

impl BlockChecks<'_> {
    pub(super) fn describe(&self, pc: usize, origin: Origin) -> Unwritten {
        describe(self.kernel, pc, origin)
    }

    /// Hands the undefined bits that a load or an atomic operation finds to its registers, or reports them.
    pub(super) fn find_values(
        &mut self,
        warp: usize,
        lane: usize,
        pc: usize,
        check: &Check<'_>,
        address: u64,
        spot: &Spot<'_>,
    ) {
        if check.targets == Targets::Followed {
            return;
        }
        let bytes = check.bytes();
        let Some(found) = self.missing_at(warp, lane, spot, bytes) else { return };
        let space = match spot {
            Spot::Global(..) => "global",
            Spot::Shared(_) | Spot::Elsewhere { .. } => "shared",
            Spot::Local(_) => "local",
            Spot::Param => "param",
        };
        let touch = Touch { space, write: false, address, bytes };
        let source = Source::Memory { touch, partly: found.partly };
        let origin = found.origin.unwrap_or(Origin { pc, source });
        let (slots, signed) = match check.targets {
            Targets::Values { signed } => (check.values, signed),
            Targets::Old(ref slot) => (std::slice::from_ref(slot), false),
            Targets::Followed => return,
            Targets::Nowhere if found.partly => return,
            Targets::Nowhere => {
                return self.report(warp, lane, pc, pc, Misdeed::Uninitialized { touch: touch.into() });
            }
        };
        let class = if check.size == 8 { Class::D } else { Class::W };
        for (&slot, masks) in slots.iter().zip(found.masks.chunks(check.size as usize)) {
            let raw = masks.iter().rev().fold(0, |whole, &mask| whole << 8 | u64::from(mask));
            let bits = if signed { rules::sign_extended(raw, 8 * check.size) } else { raw };
            self.values[warp].set_lane((class, slot), lane, bits, origin);
        }
    }

    /// The undefined bits of bytes of memory, if any are.
    fn missing_at(&self, warp: usize, lane: usize, spot: &Spot<'_>, bytes: u32) -> Option<Found> {
        let mut found = Found { masks: [0; MOST_BYTES], partly: false, origin: None };
        let local = |offset: u64| lane as u64 * u64::from(self.kernel.info.frame_bytes) + offset;
        let mut any = false;
        for (byte, mask) in (0..u64::from(bytes)).zip(&mut found.masks) {
            let (defined, remnant) = match *spot {
                Spot::Global(allocation, _, offset) => {
                    (allocation.any_initialized(offset + byte, 1), allocation.base + offset + byte)
                }
                Spot::Shared(offset) => (self.shared_bits.any(offset + byte, 1), offset + byte),
                Spot::Local(offset) => {
                    (self.local_bits[warp].any(local(offset) + byte, 1), local(offset) + byte)
                }
                Spot::Elsewhere { .. } | Spot::Param => (true, 0),
            };
            if defined {
                found.partly = true;
                continue;
            }
            any = true;
            let known = match *spot {
                Spot::Global(..) => lock(&self.sanitizer.missing).remnants.get(remnant),
                Spot::Shared(_) => self.shared_remnants.get(remnant),
                Spot::Local(_) => self.local_remnants[warp].get(remnant),
                Spot::Elsewhere { .. } | Spot::Param => None,
            };
            *mask = known.map_or(u8::MAX, |(mask, _)| mask);
            found.partly |= *mask != u8::MAX;
            found.origin = found.origin.or(known.map(|(_, origin)| origin));
        }
        any.then_some(found)
    }

    /// The undefined bits of bytes of shared or global memory, by byte, for what moves matrices.
    pub(super) fn missing_in(
        &self,
        warp: usize,
        lane: usize,
        spot: &Spot<'_>,
        bytes: u32,
        (pc, touch): (usize, Touch),
    ) -> Option<([u8; MOST_BYTES], Origin)> {
        let found = self.missing_at(warp, lane, spot, bytes)?;
        let source = Source::Memory { touch, partly: found.partly };
        Some((found.masks, found.origin.unwrap_or(Origin { pc, source })))
    }

    /// A store of registers has happened: what has no value there has none in memory either.
    pub(crate) fn store_values(
        &mut self,
        registers: &Registers,
        memories: &Memories<'_>,
        warp: usize,
        on: u32,
        check: &Check<'_>,
        pc: usize,
    ) {
        let class = if check.size == 8 { Class::D } else { Class::W };
        let undefined: Vec<Option<Undefined>> = check
            .values
            .iter()
            .map(|&slot| {
                self.values[warp].note_read((class, slot), on, pc);
                self.values[warp].get((class, slot)).cloned()
            })
            .collect();
        let lanes_missing = undefined.iter().flatten().fold(0, |mask, undefined| mask | undefined.lanes());
        for lane in lanes(lanes_missing & on) {
            let Ok(spot) = locate(memories, check, check.address(registers, lane)) else { continue };
            // A part that has a value: what has none beside it may be padding.
            let whole = rules::ones(8 * check.size);
            let partly = undefined.iter().any(|undefined| {
                undefined.as_ref().is_none_or(|undefined| undefined.bits[lane] & whole != whole)
            });
            let mut reported = false;
            for (element, undefined) in undefined.iter().enumerate() {
                let Some(undefined) = undefined.as_ref().filter(|undefined| undefined.bits[lane] != 0) else {
                    continue;
                };
                let (bits, origin) = (undefined.bits[lane] & whole, undefined.origins[lane]);
                let skip = element as u64 * u64::from(check.size);
                let masks = &bits.to_le_bytes()[..check.size as usize];
                let missing = StoredMissing { skip, masks, origin, partly, reported };
                reported |= self.store_missing(warp, lane, pc, &spot, missing);
            }
        }
    }

    /// Bytes of a place have been written with values of which some bits are missing; whether that may be reported.
    pub(super) fn store_missing(
        &mut self,
        warp: usize,
        lane: usize,
        pc: usize,
        spot: &Spot<'_>,
        missing: StoredMissing<'_>,
    ) -> bool {
        let StoredMissing { skip, masks, origin, partly, reported } = missing;
        let is_whole = masks.iter().all(|&mask| mask == u8::MAX);
        let escapes = is_whole && !(partly && is_padding(origin));
        match *spot {
            Spot::Global(allocation, _, offset) => {
                let start = offset + skip;
                let mut missing = lock(&self.sanitizer.missing);
                for (byte, &mask) in (start..).zip(masks).filter(|&(_, &mask)| mask != 0) {
                    allocation.forget(byte);
                    missing.remnants.put(allocation.base + byte, mask, origin);
                }
                if escapes && !reported && missing.escapes.len() < MOST_ESCAPES {
                    missing.escapes.push(Escape {
                        block: self.block,
                        number: self.number,
                        thread: (warp * LANES + lane) as u32,
                        pc,
                        origin,
                        address: allocation.base + start,
                        bytes: masks.len() as u32,
                    });
                }
            }
            Spot::Shared(offset) => {
                for (byte, &mask) in (offset + skip..).zip(masks).filter(|&(_, &mask)| mask != 0) {
                    self.shared_bits.unset(byte, 1);
                    self.shared_remnants.put(byte, mask, origin);
                }
            }
            Spot::Local(offset) => {
                let start = lane as u64 * u64::from(self.kernel.info.frame_bytes) + offset + skip;
                self.lose_local(warp, start, masks, origin);
            }
            Spot::Elsewhere { .. } => {
                if escapes && !reported {
                    self.report_use(warp, lane, pc, Usage::Store, origin);
                }
            }
            Spot::Param => {}
        }
        escapes
    }

    /// Bytes of local memory are written with values of which some bits are missing.
    pub(super) fn lose_local(&mut self, warp: usize, start: u64, masks: &[u8], origin: Origin) {
        for (byte, &mask) in (start..).zip(masks).filter(|&(_, &mask)| mask != 0) {
            self.local_bits[warp].unset(byte, 1);
            self.local_remnants[warp].put(byte, mask, origin);
        }
    }

    /// The undefined bits of bytes of the local memory of a warp.
    pub(super) fn missing_local(
        &self,
        warp: usize,
        start: u64,
        bytes: usize,
    ) -> Option<(Vec<u8>, Option<Origin>)> {
        let missing = |byte: u64| !self.local_bits[warp].any(byte, 1);
        let bytes = start..start + bytes as u64;
        if !bytes.clone().any(missing) {
            return None;
        }
        let known = |byte: u64| self.local_remnants[warp].get(byte);
        let masks = bytes.clone().map(|byte| match (missing(byte), known(byte)) {
            (false, _) => 0,
            (true, known) => known.map_or(u8::MAX, |(mask, _)| mask),
        });
        let origin = bytes.clone().find_map(|byte| known(byte).filter(|_| missing(byte)));
        Some((masks.collect(), origin.map(|(_, origin)| origin)))
    }
}

/// Returns true for an undefined part that may be padding of a struct: it was read beside defined bytes, or
/// nobody but the thread itself could have written it.
fn is_padding(origin: Origin) -> bool {
    match origin.source {
        Source::Register => true,
        Source::Memory { touch, partly } => partly || touch.space == "local",
    }
}
