//! Shadow memory: the last write and the last read of each word.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::clock::Time;
use crate::memory::{Allocation, View};
use crate::op::Order;

/// Bits of a record: (position, width).
const KIND: (u32, u32) = (0, 2);
const BYTES: (u32, u32) = (2, 4);
const THREAD: (u32, u32) = (6, 10);
const WARP_TIME: (u32, u32) = (16, 8);
const LANE_TIME: (u32, u32) = (24, 6);
const PC: (u32, u32) = (30, 14);
const BLOCK: (u32, u32) = (44, 20);

/// Values of `KIND` in a record; 0 is no record.
const WEAK: u64 = 1;
const STRONG_IN_BLOCK: u64 = 2;
const STRONG: u64 = 3;

const fn mask((_, width): (u32, u32)) -> u64 {
    (1 << width) - 1
}

/// Beyond the times that records hold.
pub(super) const LATEST: u32 = mask(WARP_TIME) as u32 + 1;

/// Blocks are distinguished by so many bits of their index.
pub(super) const BLOCK_MASK: u32 = mask(BLOCK) as u32;

/// An access, packed. Times and program counters that do not fit are the greatest that do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record(u64);

impl Record {
    pub(super) fn new(order: Order, thread: u32, time: Time, pc: usize, block: u32) -> Record {
        let put = |value: u64, field: (u32, u32)| value.min(mask(field)) << field.0;
        let kind = match (order.is_strong(), order.is_wide()) {
            (false, _) => WEAK,
            (true, false) => STRONG_IN_BLOCK,
            (true, true) => STRONG,
        };
        Record(
            put(kind, KIND)
                | put(u64::from(thread), THREAD)
                | put(u64::from(time.warp), WARP_TIME)
                | put(u64::from(time.lane), LANE_TIME)
                | put(pc as u64, PC)
                | put(u64::from(block), BLOCK),
        )
    }

    pub(super) fn with_bytes(self, bytes: u32) -> Record {
        Record(self.0 & !(mask(BYTES) << BYTES.0) | u64::from(bytes) << BYTES.0)
    }

    /// The record of a lane of the warp, made from that of its first lane.
    #[inline(always)]
    pub(super) fn of_lane(self, lane: usize) -> Record {
        Record(self.0 | (lane as u64) << THREAD.0)
    }

    fn get(self, field: (u32, u32)) -> u64 {
        self.0 >> field.0 & mask(field)
    }

    pub(super) fn is_some(self) -> bool {
        self.0 != 0
    }

    pub(super) fn is_strong(self) -> bool {
        self.get(KIND) >= STRONG_IN_BLOCK
    }

    /// Returns true if both may happen at once: atomic accesses, of one block or with a scope that holds both blocks.
    pub(super) fn may_meet(self, other: Record) -> bool {
        let wide = self.get(KIND) == STRONG && other.get(KIND) == STRONG;
        self.is_strong() && other.is_strong() && (wide || self.block() == other.block())
    }

    pub(super) fn bytes(self) -> u32 {
        self.get(BYTES) as u32
    }

    pub(super) fn thread(self) -> u32 {
        self.get(THREAD) as u32
    }

    /// When it was; none when too much time has passed to say.
    pub(super) fn time(self) -> Option<Time> {
        let (warp, lane) = (self.get(WARP_TIME), self.get(LANE_TIME));
        let fits = warp < mask(WARP_TIME) && lane < mask(LANE_TIME);
        fits.then_some(Time { warp: warp as u32, lane: lane as u32 })
    }

    pub(super) fn pc(self) -> usize {
        self.get(PC) as usize
    }

    pub(super) fn block(self) -> u32 {
        self.get(BLOCK) as u32
    }

    /// Made by the same operation at the same time, of one thread or of several in a warp.
    pub(super) fn same_moment(self, other: Record) -> bool {
        (self.0 ^ other.0) & !(mask(THREAD) << THREAD.0) == 0
    }

    /// As it was stored.
    pub(super) fn stored(bits: u64) -> Record {
        Record(bits)
    }

    /// As it is stored.
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// Zero for no access, as it is stored, and for one of the same thread of the same block.
    #[inline(always)]
    pub(super) fn foreign(self, stored: u64) -> u64 {
        let thread = mask(THREAD) << THREAD.0 | mask(BLOCK) << BLOCK.0;
        if stored == 0 { 0 } else { (self.0 ^ stored) & thread }
    }

    /// Of the same thread of the same block.
    pub(super) fn same_thread(self, other: Record) -> bool {
        let thread = mask(THREAD) << THREAD.0 | mask(BLOCK) << BLOCK.0;
        (self.0 ^ other.0) & thread == 0
    }
}

/// The last accesses to a word of shared memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    pub(super) write: Record,
    pub(super) read: Record,
    /// The epochs in which they were, or later ones: see `Clocks::epoch`.
    pub(super) write_epoch: u32,
    pub(super) read_epoch: u32,
}

impl Word {
    /// Accesses that were in no known epoch.
    pub(super) fn any_time(write: Record, read: Record) -> Word {
        Word { write, read, write_epoch: u32::MAX, read_epoch: u32::MAX }
    }
}

/// The last accesses to a word of global memory, or to the words of a line: write, read.
pub(super) type Pair = [AtomicU64; 2];

/// Words of global memory that are remembered as one while all of them were accessed last by the lanes of a warp in their
/// order: the record is then that of the first lane.
pub(super) const LINE: usize = 32;
/// Words of global memory of which the accesses are allocated together.
const CHUNK: usize = 32 * LINE;

/// The accesses to so many words.
#[derive(Debug)]
struct Chunk {
    /// The lines whose words are remembered one by one: a bit for each, never taken back.
    split: AtomicU32,
    /// Those and the lines that are being split: who has recorded an access in a line and then finds its bit set must record it
    /// again, in the words.
    split_begun: AtomicU32,
    lines: [Pair; CHUNK / LINE],
    words: OnceLock<Box<[Pair]>>,
    /// Held while a line is split.
    splitting: Mutex<()>,
}

impl Chunk {
    fn new() -> Box<Chunk> {
        let lines = std::array::from_fn(|_| Pair::default());
        Box::new(Chunk {
            split: AtomicU32::new(0),
            split_begun: AtomicU32::new(0),
            lines,
            words: OnceLock::new(),
            splitting: Mutex::new(()),
        })
    }

    fn is_split(&self, line: usize) -> bool {
        self.split.load(Ordering::Acquire) >> line & 1 == 1
    }

    /// The words, those from `first` to before `end` each with records of its own.
    fn words(&self, first: usize, end: usize) -> &[Pair] {
        let words = self.words.get_or_init(|| std::iter::repeat_with(Pair::default).take(CHUNK).collect());
        (first / LINE..end.div_ceil(LINE))
            .filter(|&line| !self.is_split(line))
            .for_each(|line| self.split(line, words));
        words
    }

    #[inline(never)]
    fn split(&self, line: usize, words: &[Pair]) {
        let _one_at_a_time = self.splitting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_split(line) {
            return;
        }
        self.split_begun.fetch_or(1 << line, Ordering::SeqCst);
        for (access, records) in self.lines[line].iter().enumerate() {
            let record = Record(records.load(Ordering::SeqCst));
            for (lane, word) in words[line * LINE..(line + 1) * LINE].iter().enumerate() {
                let of_word = if record.is_some() { record.of_lane(lane) } else { record };
                word[access].store(of_word.0, Ordering::Relaxed);
            }
        }
        self.split.fetch_or(1 << line, Ordering::Release);
    }
}

/// The shadow of an allocation, made where it is touched.
#[derive(Debug)]
struct Shadow {
    chunks: Vec<OnceLock<Box<Chunk>>>,
}

/// The shadows of the allocations that a launch sees.
#[derive(Debug)]
pub(super) struct GlobalShadow {
    /// Sorted as the allocations are.
    shadows: Vec<Shadow>,
}

impl GlobalShadow {
    pub(super) fn new(view: &View) -> GlobalShadow {
        let shadow = |allocation: &Allocation| Shadow {
            chunks: (0..allocation.words.len().div_ceil(CHUNK)).map(|_| OnceLock::new()).collect(),
        };
        GlobalShadow { shadows: view.allocations().map(shadow).collect() }
    }

    /// A word of the allocation with this index.
    #[inline]
    pub(super) fn word(&self, index: usize, word: usize) -> Option<&Pair> {
        let at = word % CHUNK;
        self.chunk(index, word)?.words(at, at + 1).get(at)
    }

    /// The line that begins at a word, if it is remembered as one.
    #[inline]
    pub(super) fn line(&self, index: usize, first: usize) -> Option<&Pair> {
        if !first.is_multiple_of(LINE) {
            return None;
        }
        let line = first % CHUNK / LINE;
        let chunk = self.chunk(index, first)?;
        (chunk.split_begun.load(Ordering::SeqCst) >> line & 1 == 0).then(|| &chunk.lines[line])
    }

    /// Neighbouring words, if they are in one chunk.
    #[inline]
    pub(super) fn words(&self, index: usize, first: usize, count: usize) -> Option<&[Pair]> {
        let start = first % CHUNK;
        if start + count > CHUNK {
            return None;
        }
        self.chunk(index, first)?.words(start, start + count).get(start..start + count)
    }

    #[inline]
    fn chunk(&self, index: usize, word: usize) -> Option<&Chunk> {
        let chunk = self.shadows[index].chunks.get(word / CHUNK)?;
        Some(chunk.get_or_init(Chunk::new))
    }
}

/// Location of records: in shared memory, or in global memory that other blocks use at the same time.
pub(super) enum Place<'a> {
    Shared(&'a mut Word),
    Global(&'a Pair),
}

impl Place<'_> {
    pub(super) fn write(&self) -> Record {
        match self {
            Place::Shared(word) => word.write,
            Place::Global([write, _]) => Record(write.load(Ordering::Relaxed)),
        }
    }

    pub(super) fn read(&self) -> Record {
        match self {
            Place::Shared(word) => word.read,
            Place::Global([_, read]) => Record(read.load(Ordering::Relaxed)),
        }
    }

    /// Records a write; returns the write and the read that were recorded before. Those that another block records from now on
    /// see this one: of two accesses at once at least one sees the other (the order of Dekker's algorithm).
    pub(super) fn replace_write(&mut self, record: Record, epoch: u32) -> (Record, Record) {
        match self {
            Place::Shared(word) => {
                let new = Word { write: record, read: Record::default(), write_epoch: epoch, read_epoch: 0 };
                let old = std::mem::replace(&mut **word, new);
                (old.write, old.read)
            }
            Place::Global([write, read]) => {
                let write = write.swap(record.0, Ordering::SeqCst);
                (Record(write), Record(read.swap(0, Ordering::SeqCst)))
            }
        }
    }

    /// Records a read; returns the write that is recorded then, in the same order.
    pub(super) fn replace_read(&mut self, record: Record, epoch: u32) -> Record {
        match self {
            Place::Shared(word) => {
                (word.read, word.read_epoch) = (record, epoch);
                word.write
            }
            Place::Global([write, read]) => {
                read.store(record.0, Ordering::SeqCst);
                Record(write.load(Ordering::SeqCst))
            }
        }
    }

    /// Records a read, unordered with what other blocks record: a fence must follow, then a look at the writes.
    pub(super) fn set_read(&mut self, record: Record, epoch: u32) {
        match self {
            Place::Shared(word) => (word.read, word.read_epoch) = (record, epoch),
            Place::Global([_, read]) => read.store(record.0, Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    fn record(block: u32) -> Record {
        Record::new(Order::WEAK, 0, Time { warp: 1, lane: 1 }, 0, block)
    }

    #[test]
    fn a_store_finds_what_came_since_it_was_checked() {
        let pair = Pair::default();
        assert!(!Place::Global(&pair).write().is_some() && !Place::Global(&pair).read().is_some());
        assert_eq!(Place::Global(&pair).replace_read(record(1), 1), Record::default());
        assert_eq!(Place::Global(&pair).replace_write(record(0), 1), (Record::default(), record(1)));
        assert_eq!(Place::Global(&pair).replace_read(record(2), 1), record(0));
    }

    /// Runs both in two threads, from the same moment.
    fn at_once<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let a = scope.spawn(|| {
                barrier.wait();
                a()
            });
            barrier.wait();
            let b = b();
            (a.join().unwrap(), b)
        })
    }

    #[test]
    fn of_two_accesses_at_once_one_sees_the_other() {
        const WORDS: usize = 20_000;
        let pairs: Vec<Pair> = std::iter::repeat_with(Pair::default).take(WORDS).collect();
        let (writes, reads) = at_once(
            || pairs.iter().map(|pair| Place::Global(pair).replace_write(record(0), 1).1).collect::<Vec<_>>(),
            || pairs.iter().map(|pair| Place::Global(pair).replace_read(record(1), 1)).collect::<Vec<_>>(),
        );
        let unseen = writes.iter().zip(&reads).filter(|(read, write)| !read.is_some() && !write.is_some());
        assert_eq!(unseen.count(), 0);
    }

    #[test]
    fn a_write_to_a_line_that_is_being_split_is_kept() {
        for _ in 0..2_000 {
            let chunk = Chunk::new();
            let (_, in_time) = at_once(
                || chunk.words(0, 1).len(),
                || {
                    chunk.lines[0][0].store(record(0).bits(), Ordering::SeqCst);
                    chunk.split_begun.load(Ordering::SeqCst) & 1 == 0
                },
            );
            let word = &chunk.words(0, 1)[1][0];
            let kept = Record::stored(word.load(Ordering::Relaxed)) == record(0).of_lane(1);
            assert!(kept || !in_time, "a write that nobody repeats is lost");
        }
    }
}
