//! Fragments of matrices: `ldmatrix`, `stmatrix`, `movmatrix`, `mma` and `wmma`.
//!
//! A lane is g = lane / 4 and t = lane % 4 (PTX ISA, "Matrix Fragments for mma"). With p elements in a register, register
//! r of A holds row g + 8 (r mod 2) and columns 4p (r / 2) + p t …; of B rows 4p r + p t … of column g; of C and D
//! row g + 8 r and columns 2t and 2t + 1, and the same of every eight more columns. The layout of `wmma` fragments is not specified: here element n of a matrix is
//! in lane n mod 32.
//!
//! Products and sums are exact up to f64, and rounded once. PTX leaves their order and precision open.

use super::access::{Memories, Source, put};
use super::addresses::{Wrong, find, space_at, window};
use super::group::GroupProduct;
use crate::fault::{Misdeed, Nearest, Touch};
use crate::float::Rounding;
use crate::narrow::{BRAIN, E4M3, E5M2, HALF};
use crate::op::{Address, Space};
use crate::registers::{LANES, Registers, Slot};

/// The type of the elements of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `.f16`
    F16,
    /// `.bf16`
    Bf16,
    /// `.tf32`
    Tf32,
    /// `.e4m3`
    E4m3,
    /// `.e5m2`
    E5m2,
    /// `.f32`
    F32,
    /// `.f64`
    F64,
    /// An integer without a sign, of so many bits.
    Unsigned(u32),
    /// An integer with a sign, of so many bits.
    Signed(u32),
}

impl Element {
    /// Bits in a register and in memory.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Element::F64 => 64,
            Element::Tf32 | Element::F32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::E4m3 | Element::E5m2 => 8,
            Element::Unsigned(bits) | Element::Signed(bits) => bits,
        }
    }

    /// The number of elements in a register.
    pub(crate) fn per_register(self) -> u32 {
        (32 / self.bits()).max(1)
    }

    pub(crate) fn is_float(self) -> bool {
        !matches!(self, Element::Unsigned(_) | Element::Signed(_))
    }

    fn value(self, raw: u64) -> f64 {
        match self {
            Element::F16 => HALF.value(raw as u32 & 0xffff),
            Element::Bf16 => BRAIN.value(raw as u32 & 0xffff),
            Element::E4m3 => E4M3.value(raw as u32 & 0xff),
            Element::E5m2 => E5M2.value(raw as u32 & 0xff),
            // The hardware does not look at the lowest bits.
            Element::Tf32 => f64::from(f32::from_bits(raw as u32 & !0x1fff)),
            Element::F32 => f64::from(f32::from_bits(raw as u32)),
            Element::F64 => f64::from_bits(raw),
            Element::Unsigned(_) | Element::Signed(_) => self.integer(raw) as f64,
        }
    }

    fn integer(self, raw: u64) -> i64 {
        match self {
            Element::Signed(bits) => (raw << (64 - bits)) as i64 >> (64 - bits),
            Element::Unsigned(bits) => (raw << (64 - bits) >> (64 - bits)) as i64,
            _ => 0,
        }
    }

    fn round(self, value: f64) -> u64 {
        match self {
            Element::F16 => u64::from(HALF.round(value, 0.0, Rounding::Nearest, false)),
            Element::Bf16 => u64::from(BRAIN.round(value, 0.0, Rounding::Nearest, false)),
            Element::F64 => value.to_bits(),
            _ if value.is_nan() => 0x7fff_ffff,
            _ => u64::from((value as f32).to_bits()),
        }
    }
}

/// The matrix that a fragment is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    A,
    B,
    /// Also D.
    C,
}

/// Rows, columns and the type of a matrix whose elements lanes hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fragment {
    pub(crate) operand: Operand,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) element: Element,
    /// The layout of `wmma`.
    pub(crate) opaque: bool,
    pub(crate) registers: Vec<Slot>,
}

impl Fragment {
    /// The row and column of an element of a register of a lane.
    fn place(&self, lane: u32, register: u32, index: u32) -> (u32, u32) {
        let p = self.element.per_register();
        if self.opaque {
            let number = lane + 32 * (register * p + index);
            return (number / self.columns, number % self.columns);
        }
        let (g, t) = (lane / 4, lane % 4);
        match self.operand {
            Operand::A if self.rows == 8 => (g, 4 * p * register + p * t + index),
            Operand::A => (g + 8 * (register % 2), 4 * p * (register / 2) + p * t + index),
            Operand::B => (4 * p * register + p * t + index, g),
            Operand::C => {
                let number = register * p + index;
                (g + 8 * (number / 2 % 2), 2 * t + number % 2 + 8 * (number / 4))
            }
        }
    }

    /// Calls `f` with lane, register and index in it, for the row and column of each element that there is.
    pub(crate) fn for_each(&self, mut f: impl FnMut(usize, usize, u32, usize)) {
        for lane in 0..LANES as u32 {
            for register in 0..self.registers.len() as u32 {
                for index in 0..self.element.per_register() {
                    let (row, column) = self.place(lane, register, index);
                    if row < self.rows && column < self.columns {
                        f(lane as usize, register as usize, index, (row * self.columns + column) as usize);
                    }
                }
            }
        }
    }

    /// The elements, row by row.
    pub(super) fn read(&self, registers: &Registers) -> Vec<u64> {
        self.gather(|slot, lane| match self.element.bits() {
            64 => registers.d[slot.index()][lane],
            _ => u64::from(registers.w[slot.index()][lane]),
        })
    }

    /// The elements, row by row, from the registers' values by lane.
    fn gather(&self, value: impl Fn(Slot, usize) -> u64) -> Vec<u64> {
        let mut all = vec![0; (self.rows * self.columns) as usize];
        let bits = self.element.bits();
        self.for_each(|lane, register, index, place| {
            let index = if bits == 64 { 0 } else { index };
            all[place] = value(self.registers[register], lane) >> (index * bits) & (u64::MAX >> (64 - bits));
        });
        all
    }

    pub(super) fn write(&self, registers: &mut Registers, all: &[u64]) {
        let bits = self.element.bits();
        if bits < 32 {
            for slot in &self.registers {
                registers.w[slot.index()] = [0; LANES];
            }
        }
        self.for_each(|lane, register, index, place| {
            let slot = self.registers[register].index();
            match bits {
                64 => registers.d[slot][lane] = all[place],
                32 => registers.w[slot][lane] = all[place] as u32,
                _ => registers.w[slot][lane] |= (all[place] as u32) << (index * bits),
            }
        });
    }
}

/// Positions of the stored elements of a sparse matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sparse {
    /// Two bits for each, in some lanes.
    pub(crate) said: Slot,
    /// The lanes of each four that hold these bits.
    pub(crate) selector: Slot,
}

/// An operation that a whole warp does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Matrix {
    /// 1, 2 or 4 matrices of 8 × 8 elements of 16 bits; the lanes in groups of 8 have the addresses of the rows.
    Load {
        address: Address,
        transposed: bool,
        targets: Vec<Slot>,
    },
    Store {
        address: Address,
        transposed: bool,
        sources: Vec<Slot>,
    },
    Transpose {
        target: Slot,
        source: Slot,
    },
    /// D = A B + C
    Multiply {
        a: Fragment,
        b: Fragment,
        c: Fragment,
        d: Fragment,
        saturate: bool,
        /// Of bits: how many differ.
        xor: bool,
        /// A has half of its columns.
        sparse: Option<Sparse>,
    },
    Group(GroupProduct),
    /// A fragment from memory; `stride` elements between rows, or columns if `by_column`.
    LoadFragment {
        fragment: Fragment,
        address: Address,
        by_column: bool,
        stride: Option<Slot>,
    },
    StoreFragment {
        fragment: Fragment,
        address: Address,
        by_column: bool,
        stride: Option<Slot>,
    },
}

impl Matrix {
    /// Rows of 16 bytes that the sanitizer checks: their addresses, the lanes that access them, true if they are written.
    pub(crate) fn rows(&self) -> Option<(&Address, u32, bool)> {
        let lanes = |count: usize| if count == 4 { u32::MAX } else { (1 << (8 * count)) - 1 };
        match self {
            Matrix::Load { address, targets, .. } => Some((address, lanes(targets.len()), false)),
            Matrix::Store { address, sources, .. } => Some((address, lanes(sources.len()), true)),
            Matrix::Transpose { .. }
            | Matrix::Multiply { .. }
            | Matrix::Group(_)
            | Matrix::LoadFragment { .. }
            | Matrix::StoreFragment { .. } => None,
        }
    }

    /// Runs it with all lanes.
    #[inline(never)]
    pub(crate) fn run(&self, registers: &mut Registers, memories: &mut Memories<'_>) -> Result<(), Wrong> {
        match self {
            Matrix::Load { address, transposed, targets } => {
                for (number, target) in targets.iter().enumerate() {
                    let mut matrix = [[0u16; 8]; 8];
                    for (row, elements) in matrix.iter_mut().enumerate() {
                        let lane = 8 * number + row;
                        let start = row_start(registers, address, lane, false)?;
                        for (column, element) in elements.iter_mut().enumerate() {
                            let place = start + 2 * column as u64;
                            *element = load(memories, address.space, lane, start, place, 2)? as u16;
                        }
                    }
                    let target = &mut registers.w[target.index()];
                    for (lane, value) in target.iter_mut().enumerate() {
                        *value = pair(&matrix, lane, *transposed);
                    }
                }
            }
            Matrix::Store { address, transposed, sources } => {
                for (number, source) in sources.iter().enumerate() {
                    let matrix = from_pairs(&registers.w[source.index()], *transposed);
                    for (row, elements) in matrix.iter().enumerate() {
                        let lane = 8 * number + row;
                        let start = row_start(registers, address, lane, true)?;
                        for (column, element) in elements.iter().enumerate() {
                            let place = start + 2 * column as u64;
                            store(memories, address.space, lane, start, place, 2, u64::from(*element))?;
                        }
                    }
                }
            }
            Matrix::Transpose { target, source } => {
                let matrix = from_pairs(&registers.w[source.index()], false);
                for (lane, value) in registers.w[target.index()].iter_mut().enumerate() {
                    *value = pair(&matrix, lane, true);
                }
            }
            Matrix::Multiply { a, b, c, d, saturate, xor, sparse } => {
                multiply(registers, [a, b, c, d], *saturate, *xor, sparse.as_ref());
            }
            Matrix::Group(product) => product.run(registers, memories)?,
            Matrix::LoadFragment { fragment, address, by_column, stride } => {
                let mut all = vec![0; (fragment.rows * fragment.columns) as usize];
                let size = fragment.element.bits() / 8;
                let start = at(registers, address, 0);
                let stride = stride_of(registers, fragment, *by_column, *stride);
                for row in 0..fragment.rows {
                    for column in 0..fragment.columns {
                        let place = start + element_offset(row, column, *by_column, stride, size);
                        all[(row * fragment.columns + column) as usize] =
                            load(memories, address.space, 0, place, place, size)?;
                    }
                }
                fragment.write(registers, &all);
            }
            Matrix::StoreFragment { fragment, address, by_column, stride } => {
                let all = fragment.read(registers);
                let size = fragment.element.bits() / 8;
                let start = at(registers, address, 0);
                let stride = stride_of(registers, fragment, *by_column, *stride);
                for row in 0..fragment.rows {
                    for column in 0..fragment.columns {
                        let place = start + element_offset(row, column, *by_column, stride, size);
                        let value = all[(row * fragment.columns + column) as usize];
                        store(memories, address.space, 0, place, place, size, value)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn at(registers: &Registers, address: &Address, lane: usize) -> u64 {
    if address.wide {
        registers.d[address.base.index()][lane].wrapping_add(i64::from(address.offset) as u64)
    } else {
        // Addresses of 32 bits go round.
        u64::from(registers.w[address.base.index()][lane].wrapping_add_signed(address.offset))
    }
}

/// The address of a row of 16 bytes, which is a multiple of that (PTX ISA, "ldmatrix" and "stmatrix").
fn row_start(registers: &Registers, address: &Address, lane: usize, write: bool) -> Result<u64, Wrong> {
    let start = at(registers, address, lane);
    if start.is_multiple_of(16) {
        return Ok(start);
    }
    let (space, address) = resolve(address.space, start);
    let touch = Touch { space: space.as_str(), write, address, bytes: 16 };
    Err(Box::new((lane, Misdeed::Misaligned { touch: touch.into() })))
}

fn stride_of(registers: &Registers, fragment: &Fragment, by_column: bool, stride: Option<Slot>) -> u64 {
    let packed = if by_column { fragment.rows } else { fragment.columns };
    u64::from(stride.map_or(packed, |slot| registers.w[slot.index()][0]))
}

fn element_offset(row: u32, column: u32, by_column: bool, stride: u64, size: u32) -> u64 {
    let (row, column) = (u64::from(row), u64::from(column));
    let index = if by_column { column * stride + row } else { row * stride + column };
    index * u64::from(size)
}

/// A lane's elements of an 8 × 8 matrix: row lane / 4, columns 2 (lane mod 4) and the next, or those of the transposed.
pub(crate) fn pair(matrix: &[[u16; 8]; 8], lane: usize, transposed: bool) -> u32 {
    let (row, column) = (lane / 4, 2 * (lane % 4));
    let element = |column: usize| if transposed { matrix[column][row] } else { matrix[row][column] };
    u32::from(element(column)) | u32::from(element(column + 1)) << 16
}

pub(crate) fn from_pairs(values: &[u32; LANES], transposed: bool) -> [[u16; 8]; 8] {
    let mut matrix = [[0; 8]; 8];
    for (lane, value) in values.iter().enumerate() {
        let (row, column) = (lane / 4, 2 * (lane % 4));
        for (column, element) in [(column, *value as u16), (column + 1, (*value >> 16) as u16)] {
            if transposed {
                matrix[column][row] = element;
            } else {
                matrix[row][column] = element;
            }
        }
    }
    matrix
}

/// A product of matrices and a sum, with elements of some types.
pub(super) struct Product {
    /// M, N and K.
    pub(super) size: [usize; 3],
    /// Of A, B, C and D.
    pub(super) elements: [Element; 4],
    pub(super) saturate: bool,
    /// Of bits: how many differ, not how many both have.
    pub(super) xor: bool,
    /// The product is taken away.
    pub(super) negate: bool,
}

impl Product {
    /// D, row by row as the others.
    pub(super) fn of(&self, left: &[u64], right: &[u64], plus: &[u64]) -> Vec<u64> {
        let [m, n, k] = self.size;
        let [a, b, c, d] = self.elements;
        let places = (0..m).flat_map(|row| (0..n).map(move |column| (row, column)));
        if a.is_float() {
            let sign = if self.negate { -1.0 } else { 1.0 };
            let left: Vec<f64> = left.iter().map(|&raw| sign * a.value(raw)).collect();
            let right: Vec<f64> = right.iter().map(|&raw| b.value(raw)).collect();
            return places
                .map(|(row, column)| {
                    let start = c.value(plus[row * n + column]);
                    let term =
                        |sum, index| f64::mul_add(left[row * k + index], right[index * n + column], sum);
                    d.round((0..k).fold(start, term))
                })
                .collect();
        }
        let left: Vec<i64> = left.iter().map(|&raw| a.integer(raw)).collect();
        let right: Vec<i64> = right.iter().map(|&raw| b.integer(raw)).collect();
        places
            .map(|(row, column)| {
                let start = i64::from(plus[row * n + column] as i32);
                let sum = (0..k).fold(start, |sum, index| {
                    let (left, right) = (left[row * k + index], right[index * n + column]);
                    sum + if self.xor { left ^ right } else { left * right }
                });
                let bounds = (i64::from(i32::MIN), i64::from(i32::MAX));
                u64::from((if self.saturate { sum.clamp(bounds.0, bounds.1) } else { sum }) as u32)
            })
            .collect()
    }
}

/// Words of 32 bits that each lane of a warp holds of a matrix; those that its fragment has not are zero.
pub type Words = [[u32; 4]; LANES];

/// The sizes and types of an `mma` of eight columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Of A and C: 16, or 8.
    pub rows: u32,
    /// Rows of B; columns of A, or twice those that are kept.
    pub depth: u32,
    /// Half of the columns of A are there.
    pub sparse: bool,
    /// Of A and B.
    pub element: Element,
    /// Of C and D.
    pub sum: Element,
}

/// D = A B + C of an `mma`, of a sparse A with the lanes' metadata: the words of D that the lanes hold.
pub fn product_of_words(shape: Shape, [a, b, c]: [&Words; 3], metadata: &[u32; LANES]) -> Words {
    let Shape { rows, depth, sparse, element, sum } = shape;
    let fragment = |operand, [rows, columns]: [u32; 2], element: Element| {
        let count = rows * columns / element.per_register() / LANES as u32;
        let registers = (0..count as u16).map(Slot).collect();
        Fragment { operand, rows, columns, element, opaque: false, registers }
    };
    let read = |fragment: &Fragment, words: &Words| {
        fragment.gather(|slot, lane| match fragment.element.bits() {
            64 => {
                u64::from(words[lane][2 * slot.index()]) | u64::from(words[lane][2 * slot.index() + 1]) << 32
            }
            _ => u64::from(words[lane][slot.index()]),
        })
    };
    let sums = fragment(Operand::C, [rows, 8], sum);
    let kept = fragment(Operand::A, [rows, if sparse { depth / 2 } else { depth }], element);
    let mut left = read(&kept, a);
    if sparse {
        left = with_zeros(metadata, 0, &kept, &left, depth);
    }
    let right = read(&fragment(Operand::B, [depth, 8], element), b);
    let product = Product {
        size: [rows as usize, 8, depth as usize],
        elements: [element, element, sum, sum],
        saturate: false,
        xor: false,
        negate: false,
    };
    let result = product.of(&left, &right, &read(&sums, c));
    let mut words = [[0; 4]; LANES];
    sums.for_each(|lane, register, index, place| match sum.bits() {
        64 => {
            words[lane][2 * register] = result[place] as u32;
            words[lane][2 * register + 1] = (result[place] >> 32) as u32;
        }
        bits => words[lane][register] |= (result[place] as u32) << (index * bits),
    });
    words
}

/// The words of each lane after `ldmatrix.x4` of four matrices of 8 × 8, whose rows are the lanes' words (PTX ISA, "ldmatrix").
pub fn matrices_of_rows(rows: &Words, transposed: bool) -> Words {
    let matrix = |number: usize| -> [[u16; 8]; 8] {
        std::array::from_fn(|row| {
            let words = rows[8 * number + row];
            std::array::from_fn(|column| (words[column / 2] >> (16 * (column % 2))) as u16)
        })
    };
    let matrices: [_; 4] = std::array::from_fn(matrix);
    std::array::from_fn(|lane| std::array::from_fn(|number| pair(&matrices[number], lane, transposed)))
}

impl Sparse {
    /// The left matrix with its zeros: of `k` columns, where `kept` has half as many.
    fn expand(&self, registers: &Registers, fragment: &Fragment, kept: &[u64], k: u32) -> Vec<u64> {
        // One of four lanes, whatever a text says.
        let selector = registers.w[self.selector.index()][0] % 4;
        with_zeros(&registers.w[self.said.index()], selector, fragment, kept, k)
    }
}

/// A left matrix with its zeros: of `k` columns, where `kept` has half as many, at the places that the lanes' metadata says (PTX ISA, "Sparse
/// matrix storage").
fn with_zeros(metadata: &[u32; LANES], selector: u32, fragment: &Fragment, kept: &[u64], k: u32) -> Vec<u64> {
    let bits = fragment.element.bits();
    // Of so many neighbours half are there, in pieces of so many.
    let (neighbours, piece) = match bits {
        32 => (2, 1),
        4 => (8, 2),
        _ => (4, 1),
    };
    let mut all = vec![0; (fragment.rows * k) as usize];
    let groups = k / neighbours;
    for row in 0..fragment.rows {
        let (g, lower) = (row % 8, row / 8);
        for group in 0..groups {
            // Four bits for each group of neighbours: of 16 bits and more, a lane has four of row g and four of
            // row g + 8; of less, one lane has eight of row g and the next eight of row g + 8.
            let (lane, shift) = match bits {
                16 | 32 => (selector * (groups / 4) + group / 4, 16 * lower + 4 * (group % 4)),
                _ => (selector * (groups / 4) + 2 * (group / 8) + lower, 4 * (group % 8)),
            };
            let nibble = metadata[(4 * g + lane % 4) as usize] >> shift;
            let kept_here = neighbours / 2;
            for index in 0..kept_here {
                let place = match bits {
                    32 => (nibble & 3) / 2,
                    _ => (nibble >> (2 * (index / piece)) & 3) * piece + index % piece,
                };
                let from = row * fragment.columns + group * kept_here + index;
                all[(row * k + group * neighbours + place) as usize] = kept[from as usize];
            }
        }
    }
    all
}

fn multiply(
    registers: &mut Registers,
    [a, b, c, d]: [&Fragment; 4],
    saturate: bool,
    xor: bool,
    sparse: Option<&Sparse>,
) {
    let k = b.rows;
    let (mut left, right, plus) = (a.read(registers), b.read(registers), c.read(registers));
    if let Some(sparse) = sparse {
        left = sparse.expand(registers, a, &left, k);
    }
    let size = [a.rows, b.columns, k].map(|size| size as usize);
    let elements = [a.element, b.element, c.element, d.element];
    let result = Product { size, elements, saturate, xor, negate: false }.of(&left, &right, &plus);
    d.write(registers, &result);
}

/// The space of an address, and the address there.
fn resolve(space: Space, address: u64) -> (Space, u64) {
    match space {
        Space::Generic => (space_at(address), address.wrapping_sub(window(space_at(address)))),
        space => (space, address),
    }
}

/// Reads an element of a row that starts at `start`, whose alignment counts.
fn load(
    memories: &Memories<'_>,
    space: Space,
    lane: usize,
    start: u64,
    address: u64,
    bytes: u32,
) -> Result<u64, Wrong> {
    let (space, address) = resolve(space, address);
    match space {
        Space::Shared => {
            check(memories, lane, start, address, bytes, false)?;
            Ok(memories.shared.element(address, bytes))
        }
        Space::Global | Space::Generic => {
            let allocation = find(memories.view, lane, address, bytes, false)?;
            Ok(allocation.load(address - allocation.base, bytes))
        }
        Space::Local | Space::Param => Err(elsewhere(space, lane, address, bytes, false)),
    }
}

fn store(
    memories: &mut Memories<'_>,
    space: Space,
    lane: usize,
    start: u64,
    address: u64,
    bytes: u32,
    value: u64,
) -> Result<(), Wrong> {
    let (space, address) = resolve(space, address);
    match space {
        Space::Shared => {
            check(memories, lane, start, address, bytes, true)?;
            put(memories.shared, address, bytes, value);
            Ok(())
        }
        Space::Global | Space::Generic => {
            let allocation = find(memories.view, lane, address, bytes, true)?;
            allocation.initialize(address - allocation.base, u64::from(bytes));
            allocation.store(address - allocation.base, bytes, value);
            Ok(())
        }
        Space::Local | Space::Param => Err(elsewhere(space, lane, address, bytes, true)),
    }
}

fn elsewhere(space: Space, lane: usize, address: u64, bytes: u32, write: bool) -> Wrong {
    let touch = Touch { space: space.as_str(), write, address, bytes };
    Box::new((lane, Misdeed::OutOfBounds { touch: touch.into(), nearest: None }))
}

fn check(
    memories: &Memories<'_>,
    lane: usize,
    start: u64,
    address: u64,
    bytes: u32,
    write: bool,
) -> Result<(), Wrong> {
    let touch = Touch { space: "shared", write, address, bytes };
    let limit = memories.shared.len() as u64;
    if !start.is_multiple_of(u64::from(bytes)) || !address.is_multiple_of(u64::from(bytes)) {
        return Err(Box::new((lane, Misdeed::Misaligned { touch: touch.into() })));
    }
    if limit.checked_sub(u64::from(bytes)).is_none_or(|end| address > end) {
        let distance = address.saturating_sub(limit) as i64;
        let nearest = Some(Nearest { address: 0, bytes: limit, distance });
        return Err(Box::new((lane, Misdeed::OutOfBounds { touch: touch.into(), nearest })));
    }
    Ok(())
}
