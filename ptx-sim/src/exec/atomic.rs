//! Atomic operations of the lanes of a warp.

use super::access::{Memories, Source, put};
use super::addresses::{Addresses, Wrong, check, count, find};
use super::packed::Packed;
use super::peers::PEER_BYTES;
use crate::fault::{Misdeed, Touch};
use crate::float::Float;
use crate::op::{Atomic, AtomicFunction, AtomicWide, Space};
use crate::profile::Traffic;
use crate::registers::{Registers, Slot, lanes};
use crate::takers::{Taking, Word};

/// Runs an atomic operation at `pc`, lane by lane.
#[inline(never)]
pub(super) fn atomic(
    registers: &mut Registers,
    memories: &mut Memories<'_>,
    mask: u32,
    (atomic, pc): (&Atomic, usize),
    traffic: &mut Traffic,
) -> Result<(), Wrong> {
    let bytes = u32::from(atomic.size);
    let read = |registers: &Registers, slot: usize, lane: usize| {
        if bytes == 8 { registers.d[slot][lane] } else { u64::from(registers.w[slot][lane]) }
    };
    memories.looks += 1;
    let all = Addresses::compute(registers, mask, &atomic.address, bytes);
    let exchanges = matches!(atomic.function, AtomicFunction::CompareExchange | AtomicFunction::Exchange);
    let (mut left, mut part) = (mask, None);
    while left != 0 {
        let (space, mask, addresses) = match all.known_space(atomic.address.space) {
            Some(space) => (space, left, &all),
            None => {
                let (space, mask, addresses) = part.insert(all.part(left));
                (*space, *mask, &*addresses)
            }
        };
        left &= !mask;
        count(space, mask, addresses, bytes, traffic);
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
                Space::Shared if address >= PEER_BYTES => {
                    let size = u64::from(bytes);
                    let (memory, at) = memories.shared_at(lane, address, (size, size), true)?;
                    let old = memory.element(at, bytes);
                    put(memory, at, bytes, change(old));
                    old
                }
                Space::Shared => {
                    let one = addresses.of_lane(lane);
                    check(space, memories.shared.len() as u64, 1 << lane, &one, bytes, true)?;
                    let old = memories.shared.element(address, bytes);
                    put(memories.shared, address, bytes, change(old));
                    old
                }
                Space::Local | Space::Param => {
                    let touch = Touch { space: space.as_str(), write: true, address, bytes };
                    return Err(Box::new((lane, Misdeed::ReadOnly { touch: touch.into() })));
                }
            };
            let new = change(old);
            memories.changes += u64::from(new != old);
            // An exchange whose result nobody uses stores.
            let is_store = atomic.function == AtomicFunction::Exchange && atomic.old.is_none();
            if new != old && new != 0 || is_store {
                let block = (space == Space::Shared).then_some(memories.block);
                let word = Word { block, address };
                match exchanges {
                    true => {
                        let value = if bytes == 2 { new & 0xffff } else { new };
                        let (block, warp) = (memories.block, memories.warp);
                        memories.takers.note(Taking { word, value, is_store, block, warp, lane, pc });
                    }
                    false => memories.takers.forget(word),
                }
            }
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

/// Runs an atomic operation of 128 bits, lane by lane.
#[inline(never)]
pub(super) fn wide(
    registers: &mut Registers,
    memories: &mut Memories<'_>,
    mask: u32,
    atomic: &AtomicWide,
    traffic: &mut Traffic,
) -> Result<(), Wrong> {
    memories.looks += 1;
    let all = Addresses::compute(registers, mask, &atomic.address, 16);
    for lane in lanes(mask) {
        let (space, _, one) = match all.known_space(atomic.address.space) {
            Some(space) => (space, mask, all.of_lane(lane)),
            None => all.part(1 << lane),
        };
        count(space, 1 << lane, &one, 16, traffic);
        let address = one.lanes[lane];
        let read = |registers: &Registers, [low, high]: [Slot; 2]| {
            [registers.d[low.index()][lane], registers.d[high.index()][lane]]
        };
        let (expected, new) =
            (atomic.expected.map(|slots| read(registers, slots)), read(registers, atomic.new));
        let changes = |old: [u64; 2]| expected.is_none_or(|expected| expected == old);
        let old = match space {
            Space::Global | Space::Generic => {
                memories.entry.be_first();
                let allocation = find(memories.view, lane, address, 16, true)?;
                let offset = address - allocation.base;
                let old = [allocation.load(offset, 8), allocation.load(offset + 8, 8)];
                if changes(old) {
                    allocation.store(offset, 8, new[0]);
                    allocation.store(offset + 8, 8, new[1]);
                }
                old
            }
            Space::Shared => {
                let (memory, at) = memories.shared_at(lane, address, (16, 16), true)?;
                let old = [memory.element(at, 8), memory.element(at + 8, 8)];
                if changes(old) {
                    put(memory, at, 8, new[0]);
                    put(memory, at + 8, 8, new[1]);
                }
                old
            }
            Space::Local | Space::Param => {
                let touch = Touch { space: space.as_str(), write: true, address, bytes: 16 };
                return Err(Box::new((lane, Misdeed::ReadOnly { touch: touch.into() })));
            }
        };
        memories.changes += u64::from(changes(old) && new != old);
        for (slot, half) in atomic.old.iter().zip(old) {
            registers.d[slot.index()][lane] = half;
        }
    }
    Ok(())
}

fn add_flushed(a: u32, b: u32) -> u32 {
    let sum = f32::from_bits(a).flush() + f32::from_bits(b).flush();
    sum.flush().canonical().to_bits()
}

/// The new value of an atomic operation.
pub(super) fn combine(function: AtomicFunction, bytes: u32, old: u64, operand: u64, replacement: u64) -> u64 {
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
        AtomicFunction::AddPacked(element, pair) => {
            u64::from(Packed::addition(element, pair).of(old as u32, operand as u32))
        }
        AtomicFunction::AddFloat if wide => {
            (f64::from_bits(old) + f64::from_bits(operand)).canonical().to_bits()
        }
        AtomicFunction::AddFloat => {
            u64::from((f32::from_bits(old as u32) + f32::from_bits(operand as u32)).canonical().to_bits())
        }
    };
    if wide { result } else { result & 0xffff_ffff }
}
