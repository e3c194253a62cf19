//! The sanitizer: what a kernel does that no GPU would complain about, or complains about without saying where.
//!
//! It looks at every access before it happens: is it inside an allocation and aligned, are the bytes initialised, and is
//! it ordered with the last accesses of other threads to the same word? Order is judged by what the memory model
//! promises, not by what happened: different blocks are concurrent unless one released and the other acquired.
//!
//! Where it cannot be sure, it is silent: what it reports is wrong. It is lenient in these ways: a fence and any later
//! strong write release, any strong read acquires; writing the value that is there already is no race; of the readers
//! of a word the last is remembered; an access to memory of which any byte is initialised counts as initialised.
//!
//! A thread with an illegal access ends there; the others go on, so that all causes are found.

mod access;
mod clock;
mod copies;
mod quick;
mod report;
mod shadow;

pub(crate) use access::{Check, Kind, check_access, note_store};
pub use report::Report;
pub(crate) use report::Reports;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::memory::{Bits, View};
use super::program::Kernel;
use super::registers::{Class, LANES, Slot};
use clock::Clocks;
use copies::Copies;
use shadow::{GlobalShadow, Word};

/// What all blocks of a launch share.
#[derive(Debug)]
pub(crate) struct Sanitizer {
    pub(crate) reports: Mutex<Reports>,
    global: GlobalShadow,
    /// Counts releases of blocks to all others.
    releases: AtomicU64,
    /// When each block released first.
    first_release: Mutex<HashMap<u32, u64>>,
}

impl Sanitizer {
    pub(crate) fn new(view: &View) -> Sanitizer {
        Sanitizer {
            reports: Mutex::default(),
            global: GlobalShadow::new(view),
            releases: AtomicU64::new(0),
            first_release: Mutex::default(),
        }
    }

    fn release(&self, block: u32) {
        let mut first = self.first_release.lock().unwrap_or_else(PoisonError::into_inner);
        first.entry(block).or_insert_with(|| self.releases.fetch_add(1, Ordering::Relaxed) + 1);
    }

    /// Whether a block had released when another acquired last.
    fn has_released(&self, block: u32, known: u64) -> bool {
        let first = self.first_release.lock().unwrap_or_else(PoisonError::into_inner);
        first.get(&block).is_some_and(|&release| release <= known)
    }
}

/// Reads and writes of registers that may be read before they are written, by operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracked {
    pub(crate) reads: Vec<(Class, Slot)>,
    pub(crate) writes: Vec<(Class, Slot)>,
    /// The predicate that it runs under, if it is one of those.
    pub(crate) guard: Option<Slot>,
}

/// What a block needs.
#[derive(Debug)]
pub(crate) struct BlockChecks<'a> {
    pub(crate) sanitizer: &'a Sanitizer,
    kernel: &'a Kernel,
    block: [u32; 3],
    /// Its linear index, as records hold it.
    number: u32,
    block_size: [u32; 3],
    shared: Vec<Word>,
    shared_bits: Bits,
    copies: Copies,
    /// Initialised bytes of local memory, by warp.
    local_bits: Vec<Bits>,
    clocks: Clocks,
    /// Releases up to here are known in this block.
    known: u64,
    /// A fence for all blocks has been executed.
    fenced: bool,
    /// Lanes that have written a tracked register, by warp.
    written: Vec<HashMap<(Class, Slot), u32>>,
    /// An illegal access was found: what follows from it is not told.
    pub(crate) failed: bool,
}

impl<'a> BlockChecks<'a> {
    pub(crate) fn new(
        sanitizer: &'a Sanitizer,
        kernel: &'a Kernel,
        block_size: [u32; 3],
        shared_bytes: usize,
    ) -> BlockChecks<'a> {
        let warps = block_size.iter().product::<u32>().div_ceil(LANES as u32) as usize;
        let local = kernel.info.local_bytes as usize * LANES;
        BlockChecks {
            sanitizer,
            kernel,
            block: [0; 3],
            number: 0,
            block_size,
            shared: vec![Word::default(); shared_bytes.div_ceil(4)],
            shared_bits: Bits::new(shared_bytes as u64),
            copies: Copies::default(),
            local_bits: (0..warps).map(|_| Bits::new(local as u64)).collect(),
            clocks: Clocks::new(warps),
            known: 0,
            fenced: false,
            written: vec![HashMap::new(); warps],
            failed: false,
        }
    }

    /// Forgets the block before.
    pub(crate) fn start(&mut self, block: [u32; 3], number: u64) {
        self.block = block;
        self.number = number as u32 & shadow::BLOCK_MASK;
        self.shared.fill(Word::default());
        self.shared_bits.clear();
        self.copies.clear();
        self.local_bits.iter_mut().for_each(Bits::clear);
        self.clocks.reset();
        self.known = 0;
        self.fenced = false;
        self.written.iter_mut().for_each(HashMap::clear);
        self.failed = false;
    }

    /// Some warps have met at a barrier.
    pub(crate) fn barrier(&mut self, id: u32, warps: &[usize]) {
        self.clocks.meet(id, warps);
    }

    /// A warp arrives at a barrier without waiting.
    pub(crate) fn arrive(&mut self, id: u32, warp: usize) {
        self.clocks.arrive(id, warp);
    }

    /// Lanes of a warp have met.
    pub(crate) fn warp_sync(&mut self, warp: usize, lanes: u32) {
        self.clocks.meet_lanes(warp, lanes);
    }

    /// A fence; `wide` is whether other blocks see it.
    pub(crate) fn fence(&mut self, warp: usize, wide: bool) {
        self.clocks.fence(warp);
        self.fenced |= wide;
    }

    /// Marks what a call writes to local memory as initialised.
    pub(crate) fn initialize_local(&mut self, warp: usize, start: usize, bytes: usize) {
        self.local_bits[warp].set(start as u64, bytes as u64);
    }
}
