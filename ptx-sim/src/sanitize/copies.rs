//! Bytes of shared memory that asynchronous copies are still to bring.
//!
//! While they are on their way they count as bytes without a value. And bytes that bulk copies are still to read, which nobody
//! may write.

use super::clock::Time;
use super::shadow::{Record, Word};
use super::{BlockChecks, access::bytes_of};
use crate::fault::{Completion, Misdeed, Started, Touch};
use crate::op::Order;
use crate::registers::LANES;

/// The thread that copies a word, or reads it, and the operation that started the copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Carrier {
    pub(super) thread: u32,
    pub(super) pc: usize,
    /// The time of its thread at the start, if it counts.
    pub(super) time: Option<Time>,
    pub(super) completion: Completion,
}

impl Carrier {
    /// Returns true if an access has to wait for it.
    fn concerns(self, write: bool) -> bool {
        match self.completion {
            Completion::Group | Completion::Barrier => true,
            Completion::BulkGroup | Completion::Product => write,
        }
    }
}

/// The words that are on their way.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// By word, as far as any copy has come.
    words: Vec<Option<Carrier>>,
    /// Number of words with a carrier.
    count: usize,
}

impl Copies {
    pub(super) fn clear(&mut self) {
        if self.count > 0 {
            self.words.fill(None);
            self.count = 0;
        }
    }

    /// Returns true if there are none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn set(&mut self, word: usize, carrier: Option<Carrier>) {
        if word >= self.words.len() {
            self.words.resize(word + 1, None);
        }
        self.count -= usize::from(self.words[word].is_some());
        self.count += usize::from(carrier.is_some());
        self.words[word] = carrier;
    }

    fn get(&self, word: usize) -> Option<Carrier> {
        self.words.get(word).copied().flatten()
    }

    fn find(&self, start: u64, bytes: u64, write: bool) -> Option<Carrier> {
        if self.is_empty() {
            return None;
        }
        words_of(start, bytes).filter_map(|word| self.get(word)).find(|carrier| carrier.concerns(write))
    }
}

fn words_of(start: u64, bytes: u64) -> std::ops::Range<usize> {
    (start / 4) as usize..(start + bytes).div_ceil(4) as usize
}

impl BlockChecks<'_> {
    /// A lane has started a copy to shared memory: it may write there from now on. Without `races` earlier accesses to these
    /// bytes are not reported.
    pub(crate) fn copy_started(
        &mut self,
        warp: usize,
        lane: usize,
        pc: usize,
        (start, bytes): (u64, u64),
        completion: Completion,
        races: bool,
    ) {
        let touch = Touch { space: "shared", write: true, address: start, bytes: bytes as u32 };
        let reader = self.copies.find(start, bytes, true);
        let reader = reader.filter(|reader| reader.completion == Completion::BulkGroup);
        if let Some(reader) = reader.or_else(|| self.products.reader(start, bytes)) {
            self.report(warp, lane, pc, reader.pc, self.missing_wait_for(touch, reader, (warp, lane)));
        }
        if races {
            self.written_shared(warp, lane, pc, start, bytes);
        }
        self.shared_bits.unset(start, bytes);
        let (thread, time) = ((warp * LANES + lane) as u32, Some(self.clocks.now(warp, lane)));
        for word in words_of(start, bytes) {
            self.copies.set(word, Some(Carrier { thread, pc, time, completion }));
        }
    }

    /// A lane knows that bytes which it copies have come.
    pub(crate) fn copy_done(&mut self, warp: usize, lane: usize, start: u64, bytes: u64) {
        self.shared_bits.set(start, bytes);
        for word in words_of(start, bytes) {
            if let Some(Carrier { pc, .. }) = self.copies.get(word) {
                self.copies.set(word, None);
                self.wrote(warp, lane, pc, word, bytes_of(word as u64, start, start + bytes));
            }
        }
    }

    /// A lane finds that bytes of a bulk copy have come, of one that another block has started perhaps.
    pub(crate) fn copy_came(&mut self, warp: usize, lane: usize, start: u64, bytes: u64) {
        self.shared_bits.set(start, bytes);
        for word in words_of(start, bytes) {
            match self.copies.get(word) {
                Some(Carrier { pc, .. }) => {
                    self.copies.set(word, None);
                    self.wrote(warp, lane, pc, word, bytes_of(word as u64, start, start + bytes));
                }
                None => self.written_by_another(word as u64 * 4, 4, false),
            }
        }
    }

    fn wrote(&mut self, warp: usize, lane: usize, pc: usize, word: usize, bytes: u32) {
        let thread = (warp * LANES + lane) as u32;
        let record = Record::new(Order::WEAK, thread, self.clocks.now(warp, lane), pc, self.number);
        if let Some(shadow) = self.shared.get_mut(word) {
            *shadow = Word::any_time(record.with_bytes(bytes), Record::default());
        }
    }

    /// A lane is about to store a row of 16 bytes by other means than a store.
    pub(crate) fn stores_row(&self, warp: usize, lane: usize, pc: usize, start: u64) {
        let touch = Touch { space: "shared", write: true, address: start, bytes: 16 };
        if let Some((copy, misdeed)) = self.missing_wait(touch, start, (warp, lane)) {
            self.report(warp, lane, pc, copy, misdeed);
        }
    }

    /// A lane has started a copy from shared memory: nobody may write there.
    pub(crate) fn source_in_use(&mut self, warp: usize, lane: usize, pc: usize, start: u64, bytes: u64) {
        let (thread, time) = ((warp * LANES + lane) as u32, Some(self.clocks.now(warp, lane)));
        let mut last = Record::default();
        for word in words_of(start, bytes) {
            let write = self.shared.get(word).map_or(last, |shadow| shadow.write);
            if write.is_some() && write != last {
                last = write;
                let touch = Touch { space: "shared", write: false, address: word as u64 * 4, bytes: 4 };
                self.seen_by_async_proxy(warp, lane, pc, touch, write);
            }
            // A word whose copy has not come yet is reported when it is read.
            if self.copies.get(word).is_none() {
                self.copies.set(word, Some(Carrier { thread, pc, time, completion: Completion::BulkGroup }));
            }
        }
    }

    /// A lane knows that bytes have been read.
    pub(crate) fn source_free(&mut self, warp: usize, lane: usize, start: u64, bytes: u64) {
        let thread = (warp * LANES + lane) as u32;
        let time = self.clocks.now(warp, lane);
        for word in words_of(start, bytes) {
            let Some(Carrier { pc, completion: Completion::BulkGroup, .. }) = self.copies.get(word) else {
                continue;
            };
            self.copies.set(word, None);
            let record = Record::new(Order::WEAK, thread, time, pc, self.number);
            if let Some(shadow) = self.shared.get_mut(word) {
                let bytes = bytes_of(word as u64, start, start + bytes);
                *shadow = Word::any_time(shadow.write, record.with_bytes(bytes));
            }
        }
    }

    /// The block ends: bulk copies that nobody has waited for are reported.
    pub(crate) fn end(&mut self, shared: &[u8]) {
        if self.failed {
            return;
        }
        self.end_products();
        if self.copies.is_empty() {
            return self.end_barriers(shared);
        }
        let mut told: Vec<Carrier> = Vec::new();
        for carrier in self.copies.words.iter().copied().flatten() {
            let is_told = |told: &Carrier| (told.thread, told.pc) == (carrier.thread, carrier.pc);
            if carrier.completion != Completion::Group && !told.iter().any(is_told) {
                told.push(carrier);
            }
        }
        for Carrier { thread, pc, completion, .. } in told {
            let (warp, lane) = (thread as usize / LANES, thread as usize % LANES);
            self.report(warp, lane, pc, pc, Misdeed::UnfinishedCopy { completion });
        }
    }

    fn missing_wait_for(&self, touch: Touch, carrier: Carrier, (warp, lane): (usize, usize)) -> Misdeed {
        let Carrier { thread, pc, time, completion } = carrier;
        let starter = (thread as usize / LANES, thread as usize % LANES);
        let is_before = time.is_none_or(|time| self.clocks.is_known(starter, (warp, lane), time));
        let copy =
            Started { thread: self.thread(thread), code: self.kernel.code_of(pc), completion, is_before };
        Misdeed::MissingWait { touch: touch.into(), copy: Box::new(copy) }
    }

    /// The misdeed of an access to bytes that are on their way, and the operation that started the copy.
    pub(super) fn missing_wait(
        &self,
        touch: Touch,
        start: u64,
        of: (usize, usize),
    ) -> Option<(usize, Misdeed)> {
        let bytes = u64::from(touch.bytes);
        let product = || self.products.reader(start, bytes).filter(|_| touch.write);
        let carrier = self.copies.find(start, bytes, touch.write).or_else(product)?;
        Some((carrier.pc, self.missing_wait_for(touch, carrier, of)))
    }
}
