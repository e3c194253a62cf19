//! Values that are missing in matrices: an element of a product is missing if one of its row of the left matrix is, of its
//! column of the right one, or what is added to it.

use super::BlockChecks;
use super::access::{Check, Kind, Spot, Targets, locate};
use super::bytes::StoredMissing;
use super::rules;
use super::values::{Origin, Register, Undefined};
use crate::exec::access::Memories;
use crate::exec::group::Left;
use crate::exec::matrix::{Fragment, Matrix, from_pairs, pair};
use crate::fault::{Touch, Usage};
use crate::op::{Address, Order};
use crate::registers::{Class, FULL, LANES, Registers, Slot};

/// Rows and columns of the matrices of `ldmatrix`.
const SIDE: usize = 8;
/// Bytes of such a row.
const ROW_BYTES: u32 = 16;

/// The access of a lane to a row.
fn row_check(address: &Address, kind: Kind) -> Check<'_> {
    const SLOTS: &[Slot] = &[Slot(0); 2];
    Check { kind, address, size: 8, values: SLOTS, targets: Targets::Nowhere, order: Order::WEAK }
}

pub(super) fn registers_of(fragment: &Fragment) -> impl Iterator<Item = Register> {
    let class = if fragment.element.bits() == 64 { Class::D } else { Class::W };
    fragment.registers.iter().map(move |&slot| (class, slot))
}

impl BlockChecks<'_> {
    /// An operation of a whole warp is about to happen.
    pub(crate) fn follow_matrix(
        &mut self,
        registers: &Registers,
        memories: &Memories<'_>,
        warp: usize,
        pc: usize,
        matrix: &Matrix,
    ) {
        match matrix {
            Matrix::Load { address, transposed, targets } => {
                self.use_base(warp, pc, address);
                for (number, &target) in targets.iter().enumerate() {
                    let found =
                        self.missing_rows(registers, memories, warp, pc, (address, number), *transposed);
                    match found {
                        Some(undefined) => self.values[warp].set((Class::W, target), FULL, &undefined),
                        None => self.values[warp].define((Class::W, target), FULL),
                    }
                }
            }
            Matrix::Transpose { target, source } => {
                let undefined = self.read(warp, pc, (Class::W, *source)).map(|from| {
                    let matrix = from_pairs(&from.bits.map(|bits| bits as u32), false);
                    spread(&matrix, true, first_origin(&from))
                });
                self.write(warp, (Class::W, *target), undefined);
            }
            Matrix::Multiply { a, b, c, d, sparse, .. } => {
                for slot in sparse.iter().flat_map(|sparse| [sparse.said, sparse.selector]) {
                    self.use_register(warp, FULL, pc, (Class::W, slot), Usage::Operand);
                }
                if !self.is_clean(warp) {
                    self.product(warp, pc, (Some(a), Some(b), Some(c)), d);
                }
            }
            Matrix::Group(product) => {
                let left = match &product.left {
                    Left::Registers(fragment) => Some(fragment),
                    Left::Shared(matrix) => {
                        self.use_register(warp, FULL, pc, (Class::D, matrix.descriptor), Usage::Address);
                        None
                    }
                };
                self.use_register(warp, FULL, pc, (Class::D, product.right.descriptor), Usage::Address);
                self.use_register(warp, FULL, pc, (Class::P, product.adds.slot), Usage::Condition);
                self.begin_product(registers, warp, pc, product, memories.shared.len() as u64);
                let adds = product.adds.lanes(registers) & 1 == 1;
                if !self.is_clean(warp) {
                    self.product(warp, pc, (left, None, adds.then_some(&product.sum)), &product.sum);
                }
            }
            Matrix::LoadFragment { fragment, address, stride, .. } => {
                self.use_base(warp, pc, address);
                if let &Some(slot) = stride {
                    self.use_register(warp, FULL, pc, (Class::W, slot), Usage::Address);
                }
                registers_of(fragment).for_each(|register| self.values[warp].define(register, FULL));
            }
            Matrix::StoreFragment { fragment, address, stride, .. } => {
                self.use_base(warp, pc, address);
                if let &Some(slot) = stride {
                    self.use_register(warp, FULL, pc, (Class::W, slot), Usage::Address);
                }
                for register in registers_of(fragment) {
                    self.use_register(warp, FULL, pc, register, Usage::Operand);
                }
            }
            Matrix::Store { address, .. } => self.use_base(warp, pc, address),
        }
    }

    /// `stmatrix` has happened: what is missing in its registers is missing in memory.
    pub(crate) fn stored_matrix(
        &mut self,
        registers: &Registers,
        memories: &Memories<'_>,
        warp: usize,
        pc: usize,
        (address, sources, transposed): (&Address, &[Slot], bool),
    ) {
        for (number, &source) in sources.iter().enumerate() {
            let Some(from) = self.read(warp, pc, (Class::W, source)) else { continue };
            let matrix = from_pairs(&from.bits.map(|bits| bits as u32), transposed);
            let origin = first_origin(&from);
            for (row, elements) in matrix.iter().enumerate() {
                let lane = SIDE * number + row;
                let masks: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
                let check = row_check(address, Kind::Store);
                if let Ok(spot) = locate(memories, &check, check.address(registers, lane)) {
                    let partly = masks.iter().any(|&mask| mask != u8::MAX);
                    let missing = StoredMissing { skip: 0, masks: &masks, origin, partly, reported: false };
                    self.store_missing(warp, lane, pc, &spot, missing);
                }
            }
        }
    }

    fn use_base(&mut self, warp: usize, pc: usize, address: &Address) {
        let class = if address.wide { Class::D } else { Class::W };
        self.use_register(warp, FULL, pc, (class, address.base), Usage::Address);
    }

    /// The undefined bits of a register.
    fn read(&mut self, warp: usize, pc: usize, register: Register) -> Option<Undefined> {
        self.values[warp].note_read(register, FULL, pc);
        self.values[warp].get(register).cloned()
    }

    fn write(&mut self, warp: usize, register: Register, undefined: Option<Undefined>) {
        match undefined {
            Some(undefined) => self.values[warp].set(register, FULL, &undefined),
            None => self.values[warp].define(register, FULL),
        }
    }

    /// Undefined bits of a matrix at the row addresses of the lanes.
    fn missing_rows(
        &self,
        registers: &Registers,
        memories: &Memories<'_>,
        warp: usize,
        pc: usize,
        (address, number): (&Address, usize),
        transposed: bool,
    ) -> Option<Undefined> {
        let mut matrix = [[0u16; SIDE]; SIDE];
        let mut first = None;
        for (row, elements) in matrix.iter_mut().enumerate() {
            let lane = SIDE * number + row;
            let check = row_check(address, Kind::Load);
            let start = check.address(registers, lane);
            let Ok(spot) = locate(memories, &check, start) else { continue };
            let space = if matches!(spot, Spot::Global(..)) { "global" } else { "shared" };
            let touch = Touch { space, write: false, address: start, bytes: ROW_BYTES };
            if let Some((masks, origin)) = self.missing_in(warp, lane, &spot, ROW_BYTES, (pc, touch)) {
                first = first.or(Some(origin));
                for (element, mask) in elements.iter_mut().zip(masks.chunks(2)) {
                    *element = u16::from_le_bytes([mask[0], mask[1]]);
                }
            }
        }
        first.map(|origin| spread(&matrix, transposed, origin))
    }

    /// A product and a sum of fragments; those that are in memory have all their values.
    fn product(
        &mut self,
        warp: usize,
        pc: usize,
        (a, b, c): (Option<&Fragment>, Option<&Fragment>, Option<&Fragment>),
        d: &Fragment,
    ) {
        let (rows, columns) = (d.rows as usize, d.columns as usize);
        let mut missing: Vec<Option<Origin>> = vec![None; rows * columns];
        if let Some(a) = a {
            self.missing_elements(warp, pc, a, |place, origin| {
                let row = place / a.columns as usize;
                missing[row * columns..(row + 1) * columns].fill(Some(origin));
            });
        }
        if let Some(b) = b {
            self.missing_elements(warp, pc, b, |place, origin| {
                let column = place % b.columns as usize;
                (0..rows).for_each(|row| missing[row * columns + column] = Some(origin));
            });
        }
        if let Some(c) = c {
            self.missing_elements(warp, pc, c, |place, origin| missing[place] = Some(origin));
        }
        let bits = d.element.bits();
        let mut results = vec![Undefined::none(); d.registers.len()];
        d.for_each(|lane, register, index, place| {
            if let Some(origin) = missing[place] {
                let result: &mut Undefined = &mut results[register];
                let element = rules::ones(bits) << (index * bits);
                result.set(lane, result.bits[lane] | element, origin);
            }
        });
        for (register, undefined) in registers_of(d).zip(&results) {
            self.values[warp].set(register, FULL, undefined);
        }
    }

    /// Calls `f` with the place of each element of a fragment that has undefined bits.
    fn missing_elements(
        &mut self,
        warp: usize,
        pc: usize,
        fragment: &Fragment,
        mut f: impl FnMut(usize, Origin),
    ) {
        let parts: Vec<Option<Undefined>> =
            registers_of(fragment).map(|register| self.read(warp, pc, register)).collect();
        if parts.iter().all(Option::is_none) {
            return;
        }
        let bits = fragment.element.bits();
        fragment.for_each(|lane, register, index, place| {
            if let Some(undefined) = &parts[register]
                && undefined.bits[lane] >> (index * bits) & rules::ones(bits) != 0
            {
                f(place, undefined.origins[lane]);
            }
        });
    }
}

fn first_origin(undefined: &Undefined) -> Origin {
    let lane = undefined.lanes().trailing_zeros() as usize;
    undefined.origins.get(lane).copied().unwrap_or_default()
}

/// Distributes a matrix of undefined bits to the lanes.
fn spread(matrix: &[[u16; SIDE]; SIDE], transposed: bool, origin: Origin) -> Undefined {
    let mut undefined = Undefined::none();
    (0..LANES).for_each(|lane| undefined.set(lane, u64::from(pair(matrix, lane, transposed)), origin));
    undefined
}
