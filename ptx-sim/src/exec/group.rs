//! Products of groups of four warps, `wgmma`: a matrix of 64 rows, of which each warp does 16, times one in shared memory.
//!
//! A descriptor of a matrix in shared memory (PTX ISA, "Asynchronous warpgroup level matrix shared memory layout") holds
//! its start, the distances between its cores of 8 rows of 16 bytes, and the swizzle of its 16-byte pieces, by bits of
//! their addresses. A product is complete at once: a program that waits cannot tell.

use super::access::Memories;
use super::addresses::Wrong;
use super::matrix::{Element, Fragment, Product};
use crate::op::Predicate;
use crate::registers::{Registers, Slot};

/// The warps of a group.
const WARPS: u32 = 4;
/// Rows that each does.
pub(crate) const ROWS: u32 = 16;

/// A matrix in shared memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InShared {
    pub(crate) descriptor: Slot,
    pub(crate) element: Element,
    /// Neighbours in memory are neighbours along M or N, not along K.
    pub(crate) transposed: bool,
}

/// The left matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Left {
    Registers(Fragment),
    Shared(InShared),
}

/// `wgmma.mma_async`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GroupProduct {
    pub(crate) left: Left,
    pub(crate) right: InShared,
    /// Of this warp: 16 rows.
    pub(crate) sum: Fragment,
    /// Predicate under which the accumulator is added; the true predicate if the instruction has none.
    pub(crate) adds: Predicate,
    /// Set if the left, or the right, matrix is negated.
    pub(crate) negate: [bool; 2],
    pub(crate) k: u32,
    pub(crate) saturate: bool,
}

/// The fields of a descriptor.
#[derive(Clone, Copy)]
struct Layout {
    start: u64,
    leading: u64,
    stride: u64,
    /// Bytes of a row of swizzled pieces; 16 if they are not swizzled.
    width: u64,
}

impl Layout {
    fn of(descriptor: u64) -> Layout {
        let field = |at: u32| (descriptor >> at & 0x3fff) << 4;
        let width = [16, 128, 64, 32][(descriptor >> 62) as usize];
        Layout { start: field(0), leading: field(16), stride: field(32), width }
    }

    /// The address of an element: `mn` along M or N, `k` along K.
    fn address(&self, mn: u64, k: u64, bytes: u64, transposed: bool) -> u64 {
        let (cores, within) = (|index: u64| index / 8, |index: u64| index % 8);
        let offset = match (transposed, self.width) {
            (false, 16) => {
                cores(mn) * self.stride + within(mn) * 16 + k * bytes / 16 * self.leading + k * bytes % 16
            }
            (false, width) => cores(mn) * self.stride + within(mn) * width + k * bytes,
            (true, 16) => {
                mn * bytes / 16 * self.stride + mn * bytes % 16 + cores(k) * self.leading + within(k) * 16
            }
            (true, width) => {
                mn * bytes / width * self.leading
                    + mn * bytes % width
                    + cores(k) * self.stride
                    + within(k) * width
            }
        };
        swizzle(self.start + offset, self.width)
    }
}

/// Exchanges the 16-byte pieces of rows of so many bytes by three bits of the address above them.
pub(crate) fn swizzle(address: u64, width: u64) -> u64 {
    address ^ (address >> 7 & (width / 16 - 1)) << 4
}

impl InShared {
    /// The pieces of 16 bytes that hold elements from `first` on along M or N, some of them more than once.
    fn pieces(
        &self,
        registers: &Registers,
        first: u32,
        count: u32,
        k: u32,
    ) -> impl Iterator<Item = u64> + use<> {
        let layout = Layout::of(registers.d[self.descriptor.index()][0]);
        let bytes = u64::from(self.element.bits() / 8);
        let (transposed, step) = (self.transposed, (16 / bytes) as usize);
        let [mn_step, k_step] = if transposed { [step, 1] } else { [1, step] };
        let places = (first..first + count).step_by(mn_step);
        places.flat_map(move |mn| {
            let along = (0..k).step_by(k_step);
            along.map(move |k| layout.address(mn.into(), k.into(), bytes, transposed) / 16)
        })
    }

    /// Elements from `first` on along M or N, row by row of K.
    fn read(
        &self,
        registers: &Registers,
        memories: &mut Memories<'_>,
        first: u32,
        count: u32,
        k: u32,
    ) -> Result<Vec<u64>, Wrong> {
        let layout = Layout::of(registers.d[self.descriptor.index()][0]);
        let bytes = u64::from(self.element.bits() / 8);
        let mut all = Vec::with_capacity((count * k) as usize);
        for mn in first..first + count {
            for k in 0..k {
                let address = layout.address(mn.into(), k.into(), bytes, self.transposed);
                let (memory, at) = memories.shared_at(0, address, (bytes, bytes), false)?;
                let mut raw = [0; 8];
                raw[..bytes as usize].copy_from_slice(&memory[at as usize..(at + bytes) as usize]);
                all.push(u64::from_le_bytes(raw));
            }
        }
        Ok(all)
    }
}

impl GroupProduct {
    /// The pieces of 16 bytes of shared memory that the part of a warp reads, some of them more than once.
    pub(crate) fn pieces(&self, registers: &Registers, warp: usize) -> impl Iterator<Item = u64> {
        let left = match &self.left {
            Left::Registers(_) => None,
            Left::Shared(matrix) => Some(matrix.pieces(registers, warp as u32 % WARPS * ROWS, ROWS, self.k)),
        };
        let right = self.right.pieces(registers, 0, self.sum.columns, self.k);
        left.into_iter().flatten().chain(right)
    }

    pub(super) fn run(&self, registers: &mut Registers, memories: &mut Memories<'_>) -> Result<(), Wrong> {
        let (n, k) = (self.sum.columns, self.k);
        let left = match &self.left {
            Left::Registers(fragment) => fragment.read(registers),
            Left::Shared(matrix) => {
                let first = memories.warp % WARPS * ROWS;
                matrix.read(registers, memories, first, ROWS, k)?
            }
        };
        let by_columns = self.right.read(registers, memories, 0, n, k)?;
        let right: Vec<u64> =
            (0..k * n).map(|index| by_columns[(index % n * k + index / n) as usize]).collect();
        let adds = self.adds.lanes(registers) & 1 == 1;
        let plus = if adds { self.sum.read(registers) } else { vec![0; (ROWS * n) as usize] };
        let element = match &self.left {
            Left::Registers(fragment) => fragment.element,
            Left::Shared(matrix) => matrix.element,
        };
        let [a, b] = self.negate;
        let product = Product {
            size: [ROWS as usize, n as usize, k as usize],
            elements: [element, self.right.element, self.sum.element, self.sum.element],
            saturate: self.saturate,
            xor: false,
            negate: a != b,
        };
        let result = product.of(&left, &right, &plus);
        self.sum.write(registers, &result);
        Ok(())
    }
}
