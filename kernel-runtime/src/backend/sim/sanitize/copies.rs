//! Bytes of shared memory that asynchronous copies are still to bring.
//!
//! While they are on their way they count as bytes without a value: so only an access that would be told anyway looks here.

use super::shadow::{Record, Word};
use super::{BlockChecks, access::bytes_of};
use crate::backend::sim::fault::{Misdeed, Started, Touch};
use crate::backend::sim::op::Order;
use crate::backend::sim::registers::LANES;

/// Who brings a word: the thread, and the operation that started the copy.
#[derive(Clone, Copy, Debug)]
struct Bringer {
    thread: u32,
    pc: usize,
}

/// The words that are on their way.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// By word, as far as any copy has come.
    words: Vec<Option<Bringer>>,
    /// How many there are.
    count: usize,
}

impl Copies {
    pub(super) fn clear(&mut self) {
        if self.count > 0 {
            self.words.fill(None);
            self.count = 0;
        }
    }

    /// Whether there are any.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn set(&mut self, word: usize, bringer: Option<Bringer>) {
        if word >= self.words.len() {
            self.words.resize(word + 1, None);
        }
        self.count -= usize::from(self.words[word].is_some());
        self.count += usize::from(bringer.is_some());
        self.words[word] = bringer;
    }

    fn find(&self, start: u64, bytes: u64) -> Option<Bringer> {
        if self.is_empty() {
            return None;
        }
        let words = (start / 4) as usize..(start + bytes).div_ceil(4) as usize;
        words.filter_map(|word| self.words.get(word).copied().flatten()).next()
    }
}

impl BlockChecks<'_> {
    /// A lane has started a copy to shared memory: it may write there from now on.
    pub(crate) fn copy_started(&mut self, warp: usize, lane: usize, pc: usize, start: u64, bytes: u64) {
        self.written_shared(warp, lane, pc, start, bytes);
        self.shared_bits.unset(start, bytes);
        let thread = (warp * LANES + lane) as u32;
        for word in start / 4..(start + bytes).div_ceil(4) {
            self.copies.set(word as usize, Some(Bringer { thread, pc }));
        }
    }

    /// A lane knows that bytes which it copies have come.
    pub(crate) fn copy_done(&mut self, warp: usize, lane: usize, start: u64, bytes: u64) {
        self.shared_bits.set(start, bytes);
        let thread = (warp * LANES + lane) as u32;
        let time = self.clocks.now(warp, lane);
        for word in start / 4..(start + bytes).div_ceil(4) {
            let Some(Bringer { pc, .. }) = self.copies.words.get(word as usize).copied().flatten() else {
                continue;
            };
            self.copies.set(word as usize, None);
            let record = Record::new(Order::WEAK, thread, time, pc, self.number);
            let record = record.with_bytes(bytes_of(word, start, start + bytes));
            if let Some(shadow) = self.shared.get_mut(word as usize) {
                *shadow = Word { write: record, read: Record::default() };
            }
        }
    }

    /// The misdeed of an access to bytes that are on their way.
    pub(super) fn missing_wait(&self, touch: Touch, start: u64) -> Option<Misdeed> {
        let Bringer { thread, pc } = self.copies.find(start, u64::from(touch.bytes))?;
        let copy = Started { thread: self.thread(thread), code: self.kernel.code_of(pc) };
        Some(Misdeed::MissingWait { touch, copy: Box::new(copy) })
    }
}
