//! Tensor maps: what a copy of a tensor knows of the tensor in global memory and of the box in shared memory.
//!
//! The driver encodes maps in 128 bytes whose layout NVIDIA does not say; the simulator's host has a layout of its own.

use crate::float::Rounding;
use crate::narrow::TENSOR;

/// Swizzle of the 16-byte pieces of a box in shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// They are not.
    #[default]
    None,
    /// Among 32 bytes.
    B32,
    /// Among 64 bytes.
    B64,
    /// Among 128 bytes.
    B128,
}

impl Swizzle {
    const ALL: [Swizzle; 4] = [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128];

    /// Bytes among which pieces are exchanged; 16, one piece, without swizzling.
    pub fn width(self) -> u64 {
        match self {
            Swizzle::None => 16,
            Swizzle::B32 => 32,
            Swizzle::B64 => 64,
            Swizzle::B128 => 128,
        }
    }
}

/// Element types, of reductions and of copies that round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// Integers without a sign, and bytes of anything.
    Unsigned,
    /// Integers with a sign.
    Signed,
    /// IEEE floats of the element's size.
    Float,
    /// `bf16`
    Brain,
    /// `f32` that copies to shared memory round to tf32.
    Tensor,
}

impl ElementKind {
    const ALL: [ElementKind; 5] = [
        ElementKind::Unsigned,
        ElementKind::Signed,
        ElementKind::Float,
        ElementKind::Brain,
        ElementKind::Tensor,
    ];
}

/// A map as a copy reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Bytes of an element.
    pub element: u8,
    /// The type of the elements.
    pub kind: ElementKind,
    /// The order of the box's pieces in shared memory.
    pub swizzle: Swizzle,
    /// The byte that fills elements outside of the tensor, 0 or 0xff (not a number).
    pub outside: u8,
    /// The tensor's first element in global memory.
    pub address: u64,
    /// The dimensions, the one of neighbours in memory first: elements.
    pub size: Vec<u64>,
    /// Bytes between neighbours of each dimension but the first.
    pub strides: Vec<u64>,
    /// The box that a copy spans.
    pub box_size: Vec<u32>,
    /// Of the box, every so manieth is taken; the first dimension takes all.
    pub steps: Vec<u32>,
}

/// Direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToShared,
    ToGlobal,
}

/// Bytes that are neighbours in both memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) shared: u64,
    /// None outside of the tensor.
    pub(crate) global: Option<u64>,
    pub(crate) bytes: u64,
}

/// The first bytes of a map.
const MARK: [u8; 4] = *b"TMap";
/// The most dimensions.
const MAX_RANK: usize = 5;

impl TensorMap {
    /// Size of an encoded map.
    pub const BYTES: usize = 128;

    /// The map as kernels on the simulator take it.
    pub fn encode(&self) -> [u8; TensorMap::BYTES] {
        let swizzle = Swizzle::ALL.iter().position(|&known| known == self.swizzle).unwrap_or(0) as u8;
        let mut bytes = MARK.to_vec();
        let kind = ElementKind::ALL.iter().position(|&known| known == self.kind).unwrap_or(0) as u8;
        bytes.extend([self.size.len() as u8, self.element | kind << 4, swizzle, self.outside]);
        bytes.extend(self.address.to_le_bytes());
        for axis in 0..MAX_RANK {
            let at = |all: &[u32]| all.get(axis).copied().unwrap_or(0) as u16;
            bytes.extend((self.size.get(axis).copied().unwrap_or(0) as u32).to_le_bytes());
            bytes.extend(self.strides.get(axis).copied().unwrap_or(0).to_le_bytes());
            bytes.extend(at(&self.box_size).to_le_bytes());
            bytes.extend(at(&self.steps).to_le_bytes());
        }
        let mut all = [0; TensorMap::BYTES];
        all[..bytes.len()].copy_from_slice(&bytes);
        all
    }

    pub(crate) fn decode(bytes: &[u8; TensorMap::BYTES]) -> Result<TensorMap, String> {
        let [a, b, c, d, rank, element, swizzle, outside, ..] = *bytes;
        let rank = usize::from(rank);
        let swizzle = Swizzle::ALL.get(usize::from(swizzle)).copied();
        let (kind, element) = (ElementKind::ALL.get(usize::from(element >> 4)).copied(), element & 15);
        let is_map = [a, b, c, d] == MARK && (1..=MAX_RANK).contains(&rank);
        let (Some(swizzle), Some(kind), true) = (swizzle, kind, is_map) else {
            return Err("the bytes are no tensor map that this simulator's host has encoded\nhelp: hand the map over as an argument, `const __grid_constant__ CUtensorMap` \
                        in CUDA C++, and take its address"
                .to_string());
        };
        let number = |at: usize, count: usize| {
            let mut raw = [0; 8];
            raw[..count].copy_from_slice(&bytes[at..at + count]);
            u64::from_le_bytes(raw)
        };
        let field = |axis: usize, offset: usize, count: usize| number(16 + 16 * axis + offset, count);
        Ok(TensorMap {
            element,
            kind,
            swizzle,
            outside,
            address: number(8, 8),
            size: (0..rank).map(|axis| field(axis, 0, 4)).collect(),
            strides: (0..rank - 1).map(|axis| field(axis, 4, 8)).collect(),
            box_size: (0..rank).map(|axis| field(axis, 12, 2) as u32).collect(),
            steps: (0..rank).map(|axis| field(axis, 14, 2) as u32).collect(),
        })
    }

    pub(crate) fn element_bytes(&self) -> u64 {
        u64::from(self.element)
    }

    /// The alignment of the box in shared memory.
    pub(crate) fn alignment(&self) -> u64 {
        128
    }

    /// Fills what is outside.
    pub(crate) fn fill_outside(&self, data: &mut [u8]) {
        data.fill(self.outside);
    }

    /// Changes whole elements as they are copied to shared memory. TMA rounds to tf32 to the nearest, ties to even, subnormal numbers too, and makes
    /// every NaN the same (measured on an H200, of random bits and of special values).
    pub(crate) fn round(&self, data: &mut [u8]) {
        if self.kind != ElementKind::Tensor {
            return;
        }
        for element in data.chunks_exact_mut(4) {
            let value = f64::from(f32::from_le_bytes([element[0], element[1], element[2], element[3]]));
            let bits = match value.is_nan() {
                true => 0x7fff_e000,
                false => TENSOR.round(value, 0.0, Rounding::Nearest, false) << 13,
            };
            element.copy_from_slice(&bits.to_le_bytes());
        }
    }

    /// The pieces of a box whose first element has these coordinates, at an offset of shared memory.
    pub(crate) fn pieces(
        &self,
        shared: u64,
        coordinates: &[i32],
        direction: Direction,
    ) -> Result<Vec<Piece>, String> {
        let rank = self.size.len();
        if coordinates.len() != rank {
            let found = coordinates.len();
            return Err(format!(
                "the tensor has {rank} dimensions, the copy {found} coordinates\nhelp: copy it by `.{rank}d`, with a coordinate for each dimension"
            ));
        }
        // Measured on an H200: an illegal instruction otherwise, of loads, stores, reductions and prefetches of 1 to 8 bytes an element.
        let chunk = (16 / self.element_bytes()).max(1) as i64;
        if i64::from(coordinates[0]) % chunk != 0 {
            let (at, bytes) = (coordinates[0], self.element_bytes());
            return Err(format!(
                "the box begins at element {at} of a row, which is no multiple of {chunk}: of elements of {bytes} bytes a box has to begin at a multiple of 16 bytes\n\
                 help: make the first coordinate such a multiple, or read the elements without a tensor map"
            ));
        }
        let steps = |axis: usize| if axis == 0 { 1 } else { self.steps[axis].max(1) };
        let counts: Vec<u64> =
            (0..rank).map(|axis| u64::from(self.box_size[axis].div_ceil(steps(axis)))).collect();
        let row_bytes = counts[0] * self.element_bytes();
        let mut pieces = Vec::new();
        for row in 0..counts[1..].iter().product::<u64>() {
            let (mut left, mut inside, mut start) = (row, true, self.address);
            for axis in 1..rank {
                let index = (left % counts[axis]) as i64;
                left /= counts[axis];
                let at = i64::from(coordinates[axis]) + index * i64::from(steps(axis));
                inside &= (0..self.size[axis] as i64).contains(&at);
                start = start.wrapping_add((at as u64).wrapping_mul(self.strides[axis - 1]));
            }
            self.row(
                shared + row * row_bytes,
                start,
                inside,
                coordinates[0],
                counts[0],
                direction,
                &mut pieces,
            );
        }
        Ok(pieces)
    }

    /// The pieces of a row of a box: parts of 16 bytes where they are swizzled, each inside of the tensor or outside.
    #[expect(clippy::too_many_arguments, reason = "a row is that many things")]
    fn row(
        &self,
        shared: u64,
        start: u64,
        inside: bool,
        first: i32,
        count: u64,
        direction: Direction,
        pieces: &mut Vec<Piece>,
    ) {
        let bytes = self.element_bytes();
        let is_in = |x: i64| inside && (0..self.size[0] as i64).contains(&x);
        let mut index = 0;
        while index < count {
            let x = i64::from(first) + index as i64;
            let at = shared + index * bytes;
            // As far as it goes on in the same way.
            let limit = match self.swizzle {
                Swizzle::None => count,
                Swizzle::B32 | Swizzle::B64 | Swizzle::B128 => count.min(index + (16 - at % 16) / bytes),
            };
            let end = (index + 1..limit).find(|&next| is_in(x + (next - index) as i64) != is_in(x));
            let end = end.unwrap_or(limit);
            let global = is_in(x).then(|| start.wrapping_add((x as u64).wrapping_mul(bytes)));
            if global.is_some() || direction == Direction::ToShared {
                let shared = super::group::swizzle(at, self.swizzle.width());
                pieces.push(Piece { shared, global, bytes: (end - index) * bytes });
            }
            index = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_comes_back() {
        let map = TensorMap {
            element: 2,
            kind: ElementKind::Brain,
            swizzle: Swizzle::B64,
            outside: 0xff,
            address: 0x1000_0000_1230,
            size: vec![100, 7, 3],
            strides: vec![208, 1 << 33],
            box_size: vec![32, 4, 1],
            steps: vec![1, 2, 1],
        };
        assert_eq!(TensorMap::decode(&map.encode()), Ok(map));
        assert!(TensorMap::decode(&[0; TensorMap::BYTES]).is_err());
    }

    #[test]
    fn what_is_outside_has_no_place() {
        let map = TensorMap {
            element: 4,
            kind: ElementKind::Signed,
            swizzle: Swizzle::None,
            outside: 0,
            address: 0x1000,
            size: vec![10, 2],
            strides: vec![64],
            box_size: vec![8, 2],
            steps: vec![1, 1],
        };
        let piece = |shared, global, bytes| Piece { shared, global, bytes };
        // Columns 4 to 11 of rows 1 and 2: of row 1 six are there, row 2 is not.
        let expected = [piece(0, Some(0x1000 + 64 + 16), 24), piece(24, None, 8), piece(32, None, 32)];
        assert_eq!(map.pieces(0, &[4, 1], Direction::ToShared).unwrap(), expected);
        assert_eq!(map.pieces(0, &[4, 1], Direction::ToGlobal).unwrap(), expected[..1]);
        assert!(map.pieces(0, &[6, 1], Direction::ToShared).is_err());
    }
}
