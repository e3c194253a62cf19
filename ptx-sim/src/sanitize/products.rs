//! Products of groups of four warps (`wgmma`): the registers and the shared memory that one under way takes.
//!
//! Until `wgmma.wait_group` has waited for the group of a product, nobody may access its sums, nor change its left matrix in registers or what it
//! reads in shared memory; and `wgmma.fence` comes between other accesses to its registers and the product (PTX ISA, "Asynchronous Warpgroup Level
//! Matrix Instructions"). The threads of a group learn of a wait of any of their warps.

use std::collections::{HashMap, VecDeque};

use super::clock::Row;
use super::copies::Carrier;
use super::matrices::registers_of;
use super::shadow::{Record, Word};
use super::values::{Register, index};
use super::{BlockChecks, Check, Kind, Targets};
use crate::exec::group::{GroupProduct, Left};
use crate::exec::matrix::Matrix;
use crate::exec::unary::Unary;
use crate::fault::{Completion, Misdeed, OtherAccess, Started, Touch};
use crate::op::{Address, Op, Order, Space, Warpgroup};
use crate::program::Kernel;
use crate::registers::{LANES, Registers, Slot};
use crate::warpgroup::members;

/// Bytes of the pieces of shared memory that products read as a whole.
const PIECE: u64 = 16;

/// The registers of products that each operation of a kernel accesses.
#[derive(Debug)]
pub(crate) struct GroupRegisters {
    /// Start of the list of each operation; the last is the end.
    starts: Vec<u32>,
    /// Registers, and whether they are written.
    accessed: Vec<(Register, bool)>,
}

impl GroupRegisters {
    /// Those of a kernel that has products of groups.
    pub(crate) fn of(kernel: &Kernel) -> Option<GroupRegisters> {
        let products = kernel.matrices.iter().filter_map(|matrix| match matrix {
            Matrix::Group(product) => Some(product),
            _ => None,
        });
        let mut is_taken = Vec::new();
        for register in products.flat_map(taken) {
            let index = index(register);
            if index >= is_taken.len() {
                is_taken.resize(index + 1, false);
            }
            is_taken[index] = true;
        }
        if is_taken.is_empty() {
            return None;
        }
        let (mut starts, mut accessed) = (vec![0], Vec::new());
        for inst in &kernel.code {
            if product_of(kernel, &inst.op).is_none() {
                let touched = crate::decode::touched(kernel, inst).into_iter();
                let touched = touched.map(|(class, slot, write)| ((class, slot), write));
                accessed
                    .extend(touched.filter(|(register, _)| is_taken.get(index(*register)) == Some(&true)));
            }
            starts.push(accessed.len() as u32);
        }
        Some(GroupRegisters { starts, accessed })
    }

    fn at(&self, pc: usize) -> &[(Register, bool)] {
        &self.accessed[self.starts[pc] as usize..self.starts[pc + 1] as usize]
    }
}

/// The product that an operation begins.
fn product_of<'k>(kernel: &'k Kernel, op: &Op) -> Option<&'k GroupProduct> {
    let Op::Matrix { index } = *op else { return None };
    match &kernel.matrices[index as usize] {
        Matrix::Group(product) => Some(product),
        _ => None,
    }
}

/// The registers that a product takes.
fn taken(product: &GroupProduct) -> Vec<Register> {
    let left = match &product.left {
        Left::Registers(fragment) => Some(fragment),
        Left::Shared(_) => None,
    };
    registers_of(&product.sum).chain(left.into_iter().flat_map(registers_of)).collect()
}

/// A product under way, of one warp.
#[derive(Debug)]
struct Product {
    /// The number of the product among those of its warp.
    number: u64,
    pc: usize,
    /// The pieces of shared memory that it reads.
    pieces: Vec<u64>,
    is_committed: bool,
    /// An access to its registers has been reported.
    is_told: bool,
}

/// The products of a warp.
#[derive(Debug, Default)]
struct OfWarp {
    begun: u64,
    under_way: VecDeque<Product>,
    has_fence: bool,
    /// Registers of products that other operations have accessed since the last fence.
    accessed: HashMap<Register, usize>,
    /// The operations that change how many registers its threads have, and the number.
    register_counts: Vec<(usize, bool, u32)>,
}

/// The products of a block.
#[derive(Debug, Default)]
pub(super) struct Products {
    warps: Vec<OfWarp>,
    /// Products that read each piece of shared memory, as far as any has come.
    readers: Vec<u32>,
    /// Pieces that are read, each as often as it is.
    reading: usize,
    /// Facts that each group knows by its waits.
    known: Vec<Option<Row>>,
}

impl Products {
    pub(super) fn new(warps: usize) -> Products {
        let known = vec![None; warps.div_ceil(crate::warpgroup::WARPS)];
        Products { warps: (0..warps).map(|_| OfWarp::default()).collect(), known, ..Products::default() }
    }

    pub(super) fn clear(&mut self) {
        self.warps.iter_mut().for_each(|warp| *warp = OfWarp::default());
        self.readers.fill(0);
        self.reading = 0;
        self.known.fill(None);
    }

    /// Returns true if none reads shared memory.
    #[inline(always)]
    pub(super) fn are_idle(&self) -> bool {
        self.reading == 0
    }

    /// A product that reads any of these bytes.
    pub(super) fn reader(&self, start: u64, bytes: u64) -> Option<Carrier> {
        if self.are_idle() {
            return None;
        }
        let is_read = |piece: &u64| self.readers.get(*piece as usize).is_some_and(|count| *count > 0);
        let piece = (start / PIECE..(start + bytes).div_ceil(PIECE)).find(is_read)?;
        self.warps.iter().enumerate().find_map(|(warp, of)| {
            let product = of.under_way.iter().find(|product| product.pieces.contains(&piece))?;
            let thread = (warp * LANES) as u32;
            Some(Carrier { thread, pc: product.pc, time: None, completion: Completion::Product })
        })
    }
}

impl BlockChecks<'_> {
    /// An operation is about to access registers of products.
    #[inline(never)]
    pub(super) fn access_registers(&mut self, warp: usize, on: u32, pc: usize) {
        let Some(registers) = self.group_registers.filter(|_| on != 0) else { return };
        // Compilers put constants behind a fence that the source has after them, and the assembler orders moves.
        let is_move = matches!(self.kernel.code[pc].op, Op::Unary { f: Unary::Move32 | Unary::Move64, .. });
        for &(register, write) in registers.at(pc) {
            if !is_move {
                self.products.warps[warp].accessed.insert(register, pc);
            }
            let kernel = self.kernel;
            let takes = |product: &&mut Product| {
                let Some(group) = product_of(kernel, &kernel.code[product.pc].op) else { return false };
                // To read the left matrix does no harm.
                let is_sum = registers_of(&group.sum).any(|sum| sum == register);
                !product.is_told && (is_sum || (write && taken(group).contains(&register)))
            };
            let Some(product) = self.products.warps[warp].under_way.iter_mut().find(takes) else { continue };
            product.is_told = true;
            let (at, is_committed) = (product.pc, product.is_committed);
            let product = Box::new(self.started(warp, at));
            let misdeed = Misdeed::PendingRegisters { product, write, is_committed };
            self.report(warp, on.trailing_zeros() as usize, pc, at, misdeed);
        }
    }

    fn started(&self, warp: usize, pc: usize) -> Started {
        let thread = self.thread((warp * LANES) as u32);
        Started { thread, code: self.kernel.code_of(pc), completion: Completion::Product, is_before: true }
    }

    /// A warp begins its part of a product, which reads these rows of 16 bytes in shared memory.
    pub(super) fn begin_product(
        &mut self,
        registers: &Registers,
        warp: usize,
        pc: usize,
        product: &GroupProduct,
        shared_bytes: u64,
    ) {
        let of = &mut self.products.warps[warp];
        let accessed = taken(product).into_iter().find_map(|register| of.accessed.get(&register).copied());
        if accessed.is_some() || !of.has_fence {
            // One is enough.
            of.has_fence = true;
            of.accessed.clear();
            let access = accessed.map(|access| self.kernel.code_of(access));
            self.report(warp, 0, pc, accessed.unwrap_or(pc), Misdeed::MissingProductFence { access });
        }
        let mut pieces: Vec<u64> = product.pieces(registers, warp).collect();
        pieces.sort_unstable();
        pieces.dedup();
        pieces.retain(|piece| (piece + 1) * PIECE <= shared_bytes);
        let mut last = Record::default();
        for &piece in &pieces {
            self.read_operand(warp, pc, piece * PIECE, &mut last);
            let index = piece as usize;
            if index >= self.products.readers.len() {
                self.products.readers.resize(index + 1, 0);
            }
            self.products.readers[index] += 1;
        }
        self.products.reading += pieces.len();
        let of = &mut self.products.warps[warp];
        let number = of.begun;
        of.begun += 1;
        of.under_way.push_back(Product { number, pc, pieces, is_committed: false, is_told: false });
    }

    /// The async proxy reads a piece of shared memory for a product. `last` is the write that was compared last.
    fn read_operand(&mut self, warp: usize, pc: usize, start: u64, last: &mut Record) {
        const SLOTS: &[Slot] = &[Slot(0); 2];
        let touch = Touch { space: "shared", write: false, address: start, bytes: PIECE as u32 };
        if let Some((copy, misdeed)) = self.missing_wait(touch, start, (warp, 0)) {
            self.report(warp, 0, pc, copy, misdeed);
            return;
        }
        let time = self.clocks.now(warp, 0);
        let record = Record::new(Order::WEAK, (warp * LANES) as u32, time, pc, self.number).with_bytes(0xf);
        for word in start / 4..(start + PIECE) / 4 {
            let write = self.shared.get(word as usize).map_or(Record::default(), |shadow| shadow.write);
            if !write.is_some() || write == *last {
                continue;
            }
            *last = write;
            let address =
                Address { space: Space::Shared, wide: false, uniform: true, base: Slot(0), offset: 0 };
            let (kind, targets) = (Kind::Load, Targets::Nowhere);
            let check =
                Check { kind, address: &address, size: 8, values: SLOTS, targets, order: Order::WEAK };
            // The lanes of a warp come together.
            if write.block() != self.number || write.thread() as usize / LANES != warp {
                self.compare(record, write, true, warp, 0, pc, &check, false, start);
            }
            self.seen_by_async_proxy(warp, 0, pc, touch, write);
        }
    }

    /// Reports that the async proxy accesses what a write of the generic proxy left, if no proxy fence comes between.
    pub(super) fn seen_by_async_proxy(
        &self,
        warp: usize,
        lane: usize,
        pc: usize,
        touch: Touch,
        write: Record,
    ) {
        let is_generic = self.kernel.code.get(write.pc()).is_some_and(|inst| match inst.op {
            Op::Asynchronous { index } => self.kernel.asynchronous[index as usize].is_generic(),
            _ => true,
        });
        let writer = write.thread() as usize / LANES;
        let is_fenced = || match write.time() {
            Some(time) => self.clocks.is_proxied(writer, time),
            None => true,
        };
        if write.block() != self.number || !is_generic || is_fenced() {
            return;
        }
        let other = Box::new(OtherAccess {
            write: true,
            block: None,
            thread: self.thread(write.thread()),
            is_in_warp: writer == warp,
            is_in_line: false,
            is_above: false,
            gap: None,
            code: self.kernel.code_of(write.pc()),
        });
        let misdeed = Misdeed::MissingProxyFence { touch: touch.into(), other };
        self.report(warp, lane, pc, write.pc(), misdeed);
    }

    /// A fence between the proxies.
    pub(crate) fn proxy_fence(&mut self, warp: usize, only_barriers: bool) {
        self.clocks.proxy_fence(warp, only_barriers);
    }

    /// An operation of a warp on its products or registers.
    pub(crate) fn warpgroup(&mut self, warp: usize, pc: usize, what: Warpgroup) {
        let of = &mut self.products.warps[warp];
        match what {
            Warpgroup::Fence => {
                of.has_fence = true;
                of.accessed.clear();
            }
            Warpgroup::Commit => of.under_way.iter_mut().for_each(|product| product.is_committed = true),
            Warpgroup::Wait { .. } => {}
            Warpgroup::Registers { more, count } => self.change_registers(warp, pc, more, count),
        }
    }

    /// A warp has waited for its first so many products: those of its group are complete.
    pub(crate) fn products_done(&mut self, warp: usize, begun: u64) {
        let group = members(warp, self.products.warps.len());
        let thread = (warp * LANES) as u32;
        let mut is_first = false;
        for other in group {
            let products = &mut self.products.warps[other].under_way;
            for product in products.iter_mut().take_while(|product| product.number < begun) {
                let pieces = std::mem::take(&mut product.pieces);
                self.products.reading -= pieces.len();
                is_first |= !pieces.is_empty();
                let time = self.clocks.now(warp, 0);
                let record = Record::new(Order::WEAK, thread, time, product.pc, self.number).with_bytes(0xf);
                for piece in pieces {
                    self.products.readers[piece as usize] -= 1;
                    for word in 4 * piece..4 * (piece + 1) {
                        if let Some(shadow) = self.shared.get_mut(word as usize) {
                            *shadow = Word::any_time(shadow.write, record);
                        }
                    }
                }
            }
        }
        let of = &mut self.products.warps[warp];
        while of.under_way.front().is_some_and(|product| product.number < begun) {
            of.under_way.pop_front();
        }
        let known = &mut self.products.known[warp / crate::warpgroup::WARPS];
        match (is_first, &*known) {
            (true, _) => *known = Some(self.clocks.tell(warp)),
            (false, Some(row)) => self.clocks.hear(warp, row),
            (false, None) => {}
        }
    }

    /// The block ends: products that nobody has waited for are reported, and groups whose warps did not agree on their registers.
    pub(super) fn end_products(&self) {
        for (warp, of) in self.products.warps.iter().enumerate() {
            let mut told = Vec::new();
            for product in &of.under_way {
                if !product.is_told && !told.contains(&product.pc) {
                    told.push(product.pc);
                    let misdeed = Misdeed::UnfinishedCopy { completion: Completion::Product };
                    self.report(warp, 0, product.pc, product.pc, misdeed);
                }
            }
        }
        self.end_registers();
    }

    /// Registers that a thread has when the block begins: as many as fit, as `ptxas` gives them to kernels that change the number; none if the
    /// kernel does not bound its threads, where `ptxas` ignores the changes.
    fn first_registers(&self) -> Option<u32> {
        const OF_AN_SM: u32 = 1 << 16;
        let info = &self.kernel.info;
        // A bound may be larger than any block.
        let threads = |size: [u32; 3]| {
            size.iter().fold(1u32, |threads, &side| threads.saturating_mul(side)).min(OF_AN_SM)
        };
        let bound = info.required_threads.or(info.max_threads).map(threads);
        let fits = bound.map(|threads| {
            OF_AN_SM
                / threads
                    .next_multiple_of(LANES as u32)
                    .saturating_mul(info.min_blocks_per_sm.unwrap_or(1))
                    .max(1)
        });
        info.max_registers.or(fits).map(|count| count.min(256) / 8 * 8)
    }

    fn change_registers(&mut self, warp: usize, pc: usize, more: bool, count: u32) {
        let Some(first) = self.first_registers() else { return };
        let counts = &mut self.products.warps[warp].register_counts;
        let current = counts.last().map_or(first, |&(_, _, count)| count);
        counts.push((pc, more, count));
        if (more && count < current) || (!more && count > current) {
            self.report(warp, 0, pc, pc, Misdeed::WrongRegisters { more, count, current });
        }
    }

    fn end_registers(&self) {
        let warps = &self.products.warps;
        for (warp, of) in warps.iter().enumerate() {
            // All warps of the group have these instructions.
            let group = members(warp, warps.len());
            for (number, &(pc, ..)) in of.register_counts.iter().enumerate() {
                let lacks =
                    |other: &usize| warps[*other].register_counts.get(number).is_none_or(|at| at.0 != pc);
                let missing = group.clone().filter(lacks).fold(0, |all, other| all | 1 << other);
                if missing != 0 {
                    self.report(warp, 0, pc, pc, Misdeed::PartialGroup { missing, other: None });
                    return;
                }
            }
        }
        let Some(first) = self.first_registers() else { return };
        let last = |of: &OfWarp| of.register_counts.last().map_or(first, |&(_, _, count)| count);
        let asked: u32 = warps.iter().map(|of| LANES as u32 * last(of)).sum();
        let pool = LANES as u32 * first * warps.len() as u32;
        let largest = (0..warps.len())
            .filter(|&warp| last(&warps[warp]) > first)
            .max_by_key(|&warp| last(&warps[warp]));
        if let (true, Some(warp)) = (asked > pool, largest)
            && let Some(&(pc, ..)) = warps[warp].register_counts.last()
        {
            self.report(warp, 0, pc, pc, Misdeed::RegisterPool { asked, pool });
        }
    }
}
