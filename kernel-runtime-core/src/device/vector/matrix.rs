//! Loads of matrices of 8 × 8 elements of 16 bits from shared memory, by a whole warp: `ldmatrix`.

use ::half::{bf16, f16};

use super::{Bf16x2, Bf16x4, Bf16x8, F16x2, F16x4, F16x8, U32x2, U32x4, Vector};
use crate::device::warp;

/// A vector that can hold a lane's elements of matrices of 8 × 8, two of each; in words, whatever is in them.
pub trait MatrixRows: Vector {
    /// A row of such a matrix.
    type Row: Vector<Lane = Self::Lane>;
}

impl MatrixRows for U32x2 {
    type Row = U32x4;
}

impl MatrixRows for U32x4 {
    type Row = U32x4;
}

macro_rules! loads {
    ($($name:ident $lane:ident $row:ident $count:literal;)*) => {$(
        impl MatrixRows for $name {
            type Row = $row;
        }

        impl $name {
            #[doc = concat!("The lane's elements of ", $count, " in shared memory, 8 × 8 each, two of each matrix: columns 2t and 2t + 1 of row g,")]
            /// with g = lane / 4 and t = lane mod 4.
            ///
            /// Lanes 0 to 7 give the indices of the first elements of the rows of the first matrix, lanes 8 to 15 those of the second,
            /// and so on. All 32 lanes take part, and the index of each has to be one. It is one instruction, `ldmatrix` (PTX ISA).
            ///
            /// # Panics
            /// If the eight elements from the index on are not all there, or the index is no multiple of eight.
            #[track_caller]
            pub fn load_matrix(slice: &[$lane], index: usize) -> $name {
                warp::load_matrix(&$row::load(slice, index), false)
            }

            /// As [`load_matrix`](Self::load_matrix), of the transposed matrices: rows 2t and 2t + 1 of column g.
            ///
            /// # Panics
            /// As `load_matrix`.
            #[track_caller]
            pub fn load_matrix_transposed(slice: &[$lane], index: usize) -> $name {
                warp::load_matrix(&$row::load(slice, index), true)
            }
        }
    )*};
}
loads! {
    F16x2 f16 F16x8 "a matrix";
    F16x4 f16 F16x8 "two matrices";
    F16x8 f16 F16x8 "four matrices";
    Bf16x2 bf16 Bf16x8 "a matrix";
    Bf16x4 bf16 Bf16x8 "two matrices";
    Bf16x8 bf16 Bf16x8 "four matrices";
}
