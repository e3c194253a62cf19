//! The sanitizer: what a kernel does that no GPU would complain about, or complains about without saying where.
//!
//! It looks at every access before it happens: is it inside an allocation and aligned, are the bytes initialised, and is
//! it ordered with the last accesses of other threads to the same word? Order is judged by what the memory model
//! promises, not by what happened: different blocks are concurrent unless one released and the other acquired, in a scope
//! that holds both. Atomic accesses may meet, but those at block scope only in one block.
//!
//! What `cp.async` brings has no value until its thread has waited for it; who uses it earlier is told of the copy. One mistake is
//! told once: not a value that is missing where there is a race, nor what follows from an illegal access.
//!
//! Where it cannot be sure, it is silent: what it reports is wrong. It is lenient in these ways: a warp releases and acquires
//! as a whole; a fence of any thread of a block releases with any later atomic write of the block; a relaxed read acquires
//! with the next fence or barrier, and volatile reads and atomics without an order acquire at once; who acquires from another
//! block learns of all that was released to any block before; a place that was released once stays so, whatever is
//! written there; writing the value that is there already is no race; of the readers of a word the last is remembered; an
//! access to memory of which any byte is initialised counts as initialised.
//!
//! A thread with an illegal access ends there; the others go on, so that all causes are found.

mod access;
mod clock;
mod copies;
mod quick;
mod releases;
mod report;
mod shadow;

pub(crate) use access::{Check, Kind, check_access, note_reads, note_store};
pub use report::Report;
pub(crate) use report::Reports;

use std::collections::HashMap;
use std::sync::Mutex;

use super::memory::{Bits, View};
use super::program::Kernel;
use super::registers::{Class, LANES, Slot};
use access::StrongRead;
use clock::Clocks;
use copies::Copies;
use releases::Releases;
use shadow::{GlobalShadow, Word};

/// A number beyond those of the barriers of a block.
const CLUSTER_BARRIER: u32 = 16;
/// An address that no access has.
const CLUSTER_PLACE: u64 = u64::MAX;

/// What all blocks of a launch share.
#[derive(Debug)]
pub(crate) struct Sanitizer {
    pub(crate) reports: Mutex<Reports>,
    global: GlobalShadow,
    releases: Releases,
}

impl Sanitizer {
    pub(crate) fn new(view: &View) -> Sanitizer {
        Sanitizer {
            reports: Mutex::default(),
            global: GlobalShadow::new(view),
            releases: Releases::default(),
        }
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

/// What an operation does with the values of its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handling {
    /// It computes with them.
    Uses,
    /// It hands them on: without a value there, its target has none.
    Moves,
    /// Lanes read each other's; whose is not looked at.
    Exchanges,
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
    /// Loads that are about to happen.
    reads: Vec<StrongRead>,
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
            reads: Vec::new(),
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
        // What the system keeps for itself has values that are not the program's business.
        self.shared_bits.set(0, u64::from(self.kernel.info.reserved_shared_bytes));
        self.copies.clear();
        self.local_bits.iter_mut().for_each(Bits::clear);
        self.clocks.reset();
        self.reads.clear();
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

    /// Another block of the cluster has written to the shared memory of this one. When is not known: what was there before
    /// is forgotten.
    pub(crate) fn written_by_another(&mut self, start: u64, bytes: u64) {
        self.shared_bits.set(start, bytes);
        let words = (start / 4) as usize..(start + bytes).div_ceil(4) as usize;
        self.shared.get_mut(words).unwrap_or_default().fill(Word::default());
    }

    /// All threads of the cluster have arrived at its barrier: what this block did is known to the others.
    pub(crate) fn release_to_cluster(&mut self) {
        let warps: Vec<usize> = (0..self.local_bits.len()).collect();
        self.clocks.meet(CLUSTER_BARRIER, &warps);
        self.sanitizer.releases.add(self.number, CLUSTER_PLACE, self.clocks.known_to_all());
    }

    /// And what the others did is known to this one.
    pub(crate) fn acquire_from_cluster(&mut self) {
        self.clocks.learn(self.sanitizer.releases.latest());
    }

    /// A fence; `wide` is whether other blocks see it.
    pub(crate) fn fence(&mut self, warp: usize, wide: bool) {
        self.clocks.fence(warp, wide);
    }

    /// Marks what a call writes to local memory as initialised.
    pub(crate) fn initialize_local(&mut self, warp: usize, start: usize, bytes: usize) {
        self.local_bits[warp].set(start as u64, bytes as u64);
    }
}
