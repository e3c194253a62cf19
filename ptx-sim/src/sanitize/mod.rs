//! The sanitizer: what a kernel does that no GPU would complain about, or complains about without saying where.
//!
//! It looks at every access before it happens: is it inside an allocation and aligned, and is it ordered with the last
//! accesses of other threads to the same word? It follows values that nothing has written, in registers bit by bit and in memory
//! byte by byte, and reports where something depends on one (`follow`, `bytes`). Order is judged by what the memory model
//! promises, not by what happened: different blocks are concurrent unless one released and the other acquired, in a scope
//! that holds both. Atomic accesses may meet, but those at block scope only in one block; in shared memory, which has no first value, they come
//! after the first write (`first`).
//!
//! Bytes that `cp.async` brings have no value until its thread has waited for it; an earlier use is reported with the copy. One mistake
//! is reported once: not a missing value where there is a race, nor the consequences of an illegal access.
//!
//! Variables in shared memory have gaps between them, by which an access beyond one is told from one to the next (`decode::function`).
//!
//! Of what is asynchronous it knows when it begins and when somebody has waited for it: copies (`copies`) and products of four warps (`products`). Barriers in
//! memory have lives (`objects`). The async proxy sees what the generic proxy wrote only behind a proxy fence, of the writer or of anyone who knew of
//! the write (PTX ISA, "Async proxy").
//!
//! It is silent where it cannot be sure: its reports are right. It is lenient in these ways: a warp releases and acquires
//! as a whole; a fence of any thread of a block releases with any later atomic write of the block; a relaxed read acquires
//! with the next fence or barrier, and volatile reads and atomics without an order acquire at once; who acquires from another
//! block learns of all that was released to any block before; a place that was released once stays so, whatever is
//! written there; writing the value that is there already is no race, but with an earlier read in shared memory, and stores of blocks that meet, of which memory
//! holds the value of both, are taken to be such; of the readers of a word the last is remembered.
//! A value that nothing has written may be stored to global memory beside others that have one, as the padding of a struct is:
//! a use of it there is reported.
//!
//! A thread with an illegal access ends there; the others go on, so that all causes are found.

mod access;
mod bytes;
mod clock;
mod copies;
mod elsewhere;
mod first;
mod follow;
mod handed;
mod matrices;
mod objects;
mod products;
mod quick;
mod releases;
mod report;
mod rules;
mod shadow;
mod values;

pub(crate) use access::{Check, Kind, Targets, check_access, note_reads, note_store};
pub(crate) use elsewhere::Elsewhere;
pub(crate) use follow::Touched;
pub(crate) use handed::{Destination, Missing};
pub(crate) use objects::BarrierUse;
pub(crate) use products::GroupRegisters;
pub use report::Report;
pub(crate) use report::Reports;
pub(crate) use values::Undefined;

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::memory::{Bits, View};
use super::program::Kernel;
use super::registers::{Class, LANES};
use access::StrongRead;
use bytes::{MissingBytes, Remnants};
use clock::Clocks;
use copies::Copies;
use first::FirstWrites;
use follow::Exchanged;
use handed::Handed;
use objects::Objects;
use products::Products;
use releases::Releases;
use shadow::{GlobalShadow, Word};
use values::{Origin, Values};

/// A number beyond those of the barriers of a block.
const CLUSTER_BARRIER: u32 = 16;
/// An address that no access has.
const CLUSTER_PLACE: u64 = u64::MAX;

/// State common to all blocks of a launch.
#[derive(Debug)]
pub(crate) struct Sanitizer {
    pub(crate) reports: Mutex<Reports>,
    global: GlobalShadow,
    releases: Releases,
    missing: Mutex<MissingBytes>,
    /// Blocks of a cluster may be ordered by what is not followed.
    unsure: AtomicBool,
}

impl Sanitizer {
    pub(crate) fn new(view: &View) -> Sanitizer {
        Sanitizer {
            reports: Mutex::default(),
            global: GlobalShadow::new(view),
            releases: Releases::default(),
            missing: Mutex::default(),
            unsure: AtomicBool::default(),
        }
    }
}

/// The sanitizer's state of a block.
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
    first_writes: FirstWrites,
    shared_remnants: Remnants,
    copies: Copies,
    products: Products,
    /// The registers of products that operations access, if there are any.
    group_registers: Option<&'a GroupRegisters>,
    objects: Objects,
    /// Initialised bytes of local memory, by warp.
    local_bits: Vec<Bits>,
    local_remnants: Vec<Remnants>,
    clocks: Clocks,
    /// Loads that are about to happen.
    reads: Vec<StrongRead>,
    /// Earlier accesses that the store being checked was compared with: when it has happened, only later ones are news.
    compared: Vec<shadow::Record>,
    /// Registers without a value, by warp.
    values: Vec<Values>,
    /// Accesses to the memory of other blocks of the cluster in this turn.
    elsewhere: Vec<Elsewhere>,
    /// Targets of the exchange among lanes that is about to happen.
    exchanged: Vec<Exchanged>,
    /// Arguments and results on their way to a callee or caller.
    handed: Vec<Handed>,
    /// An illegal access was found: its consequences are not reported.
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
        let local = kernel.info.frame_bytes as usize * LANES;
        BlockChecks {
            sanitizer,
            kernel,
            block: [0; 3],
            number: 0,
            block_size,
            shared: vec![Word::default(); shared_bytes.div_ceil(4)],
            shared_bits: Bits::new(shared_bytes as u64),
            first_writes: FirstWrites::default(),
            shared_remnants: Remnants::default(),
            copies: Copies::default(),
            products: Products::new(warps),
            group_registers: kernel.group_registers(),
            objects: Objects::default(),
            local_bits: (0..warps).map(|_| Bits::new(local as u64)).collect(),
            local_remnants: (0..warps).map(|_| Remnants::default()).collect(),
            clocks: Clocks::new(warps),
            reads: Vec::new(),
            compared: Vec::new(),
            values: (0..warps).map(|_| Values::default()).collect(),
            elsewhere: Vec::new(),
            exchanged: Vec::new(),
            handed: Vec::new(),
            failed: false,
        }
    }

    /// Forgets the block before.
    pub(crate) fn start(&mut self, block: [u32; 3], number: u64) {
        self.block = block;
        self.number = number as u32 & shadow::BLOCK_MASK;
        self.shared.fill(Word::default());
        self.shared_bits.clear();
        // Memory that the system reserves has values that the program need not write.
        self.shared_bits.set(0, u64::from(self.kernel.info.reserved_shared_bytes));
        self.first_writes.clear();
        self.shared_remnants.clear();
        self.copies.clear();
        self.products.clear();
        self.objects.clear();
        self.local_bits.iter_mut().for_each(Bits::clear);
        self.local_remnants.iter_mut().for_each(Remnants::clear);
        self.clocks.reset();
        self.reads.clear();
        self.compared.clear();
        self.exchanged.clear();
        self.handed.clear();
        for values in &mut self.values {
            values.clear();
            for &register in &self.kernel.doubtful {
                let all = rules::ones(match register.0 {
                    Class::P => 1,
                    Class::W => 32,
                    Class::D => 64,
                });
                (0..LANES).for_each(|lane| values.set_lane(register, lane, all, Origin::default()));
            }
        }
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

    /// Another block of the cluster has written to the shared memory of this one. By other means than a store or an atomic, when is not
    /// known: what was there before is forgotten.
    pub(crate) fn written_by_another(&mut self, start: u64, bytes: u64, is_known: bool) {
        self.shared_bits.set(start, bytes);
        if !is_known {
            self.lose_sight();
            let words = (start / 4) as usize..(start + bytes).div_ceil(4) as usize;
            self.shared.get_mut(words).unwrap_or_default().fill(Word::default());
        }
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

    /// A fence; `wide` is whether other blocks see it. That of a barrier orders what the barrier does.
    pub(crate) fn fence(&mut self, warp: usize, wide: bool, of_barrier: bool) {
        if wide && !of_barrier {
            self.lose_sight();
        }
        self.clocks.fence(warp, wide);
    }

    /// Marks what a call writes to local memory as initialised.
    pub(crate) fn initialize_local(&mut self, warp: usize, start: usize, bytes: usize) {
        self.local_bits[warp].set(start as u64, bytes as u64);
    }
}
