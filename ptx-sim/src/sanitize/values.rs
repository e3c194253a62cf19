//! Bits of the registers of a warp that are undefined, and the origin of each.
//!
//! Only registers with such bits are kept, and most kernels have none at any time: then nothing is looked at. What an operation
//! does with them is followed by `follow`.

use crate::fault::Touch;
use crate::registers::{Class, LANES, Slot, lanes};

/// A register of a thread.
pub(crate) type Register = (Class, Slot);

/// Location of an undefined value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Source {
    /// In a register that nothing has written.
    #[default]
    Register,
    /// In memory; `partly` if other bytes of the same access had a value, as beside the padding of a struct.
    Memory { touch: Touch, partly: bool },
}

/// The first read of a value that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The operation; of a register, `UNREAD` before anything reads it.
    pub(crate) pc: usize,
    pub(crate) source: Source,
}

/// The operation of an origin that nothing has read yet.
pub(crate) const UNREAD: usize = usize::MAX;

impl Default for Origin {
    fn default() -> Origin {
        Origin { pc: UNREAD, source: Source::Register }
    }
}

/// The undefined bits of a register by lane. A lane without any has no origin.
#[derive(Clone, Debug)]
pub(crate) struct Undefined {
    pub(crate) bits: [u64; LANES],
    pub(crate) origins: [Origin; LANES],
}

impl Undefined {
    pub(crate) fn none() -> Undefined {
        Undefined { bits: [0; LANES], origins: [Origin::default(); LANES] }
    }

    /// The lanes in which it has undefined bits.
    pub(crate) fn lanes(&self) -> u32 {
        (0..LANES).fold(0, |mask, lane| mask | u32::from(self.bits[lane] != 0) << lane)
    }

    pub(crate) fn set(&mut self, lane: usize, bits: u64, origin: Origin) {
        (self.bits[lane], self.origins[lane]) = (bits, origin);
    }
}

/// The registers of a warp that have undefined bits.
#[derive(Debug, Default)]
pub(crate) struct Values {
    /// By `index`, as far as any register has been undefined.
    table: Vec<Option<Box<Undefined>>>,
    /// Number of such registers.
    count: usize,
}

/// The place of a register in tables of registers of all classes.
pub(crate) fn index((class, slot): Register) -> usize {
    3 * slot.index() + class as usize
}

impl Values {
    /// Returns true if no register has undefined bits.
    #[inline(always)]
    pub(crate) fn is_clean(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn clear(&mut self) {
        if self.count > 0 {
            self.table.fill(None);
            self.count = 0;
        }
    }

    /// By the place of the register.
    #[inline]
    pub(super) fn has(&self, index: usize) -> bool {
        self.table.get(index).is_some_and(Option::is_some)
    }

    pub(crate) fn get(&self, register: Register) -> Option<&Undefined> {
        self.table.get(index(register))?.as_deref()
    }

    /// The lanes of a mask in which a register has undefined bits.
    pub(crate) fn lanes(&self, register: Register, on: u32) -> u32 {
        self.get(register).map_or(0, |undefined| undefined.lanes() & on)
    }

    /// Notes the operation that reads registers which nothing has written, where it is the first.
    pub(crate) fn note_read(&mut self, register: Register, on: u32, pc: usize) {
        let Some(Some(undefined)) = self.table.get_mut(index(register)) else { return };
        for lane in lanes(on) {
            let origin = &mut undefined.origins[lane];
            if undefined.bits[lane] != 0 && origin.pc == UNREAD {
                origin.pc = pc;
            }
        }
    }

    /// The lanes of a mask have a value.
    pub(crate) fn define(&mut self, register: Register, on: u32) {
        let index = index(register);
        let Some(Some(undefined)) = self.table.get_mut(index) else { return };
        lanes(on).for_each(|lane| undefined.set(lane, 0, Origin::default()));
        if undefined.lanes() == 0 {
            self.table[index] = None;
            self.count -= 1;
        }
    }

    /// The lanes of a mask have these undefined bits.
    pub(crate) fn set(&mut self, register: Register, on: u32, from: &Undefined) {
        if from.lanes() & on == 0 {
            return self.define(register, on);
        }
        let undefined = self.entry(register);
        lanes(on).for_each(|lane| undefined.set(lane, from.bits[lane], from.origins[lane]));
        if undefined.lanes() == 0 {
            self.define(register, u32::MAX);
        }
    }

    /// One lane has these undefined bits.
    pub(crate) fn set_lane(&mut self, register: Register, lane: usize, bits: u64, origin: Origin) {
        if bits == 0 {
            self.define(register, 1 << lane);
        } else {
            self.entry(register).set(lane, bits, origin);
        }
    }

    fn entry(&mut self, register: Register) -> &mut Undefined {
        let index = index(register);
        if index >= self.table.len() {
            self.table.resize(index + 1, None);
        }
        self.count += usize::from(self.table[index].is_none());
        self.table[index].get_or_insert_with(|| Box::new(Undefined::none()))
    }
}
