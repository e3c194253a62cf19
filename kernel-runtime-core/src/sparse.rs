//! Matrices of which half is zero in the pattern that tensor cores skip: of each four neighbours in a row two are kept.

use crate::element::Element;
use crate::error::{Error, Result};

/// Rows of a tile of `mma.sp`.
const ROWS: usize = 16;
/// Columns of a tile, with those that are zero.
const COLUMNS: usize = 32;

/// A matrix in which two of each four neighbours in a row are kept and the others are zero (2:4 sparsity), as
/// [`warp::mma_sparse`](crate::device::warp::mma_sparse) takes it. It consists of whole tiles of 16 rows and 32 columns.
///
/// ```
/// use kernel_runtime::Sparse24;
/// use kernel_runtime::prelude::*;
///
/// /// Of 16 × 32 by 32 × 8 elements.
/// #[kernel(block(32), arch(sm_80))]
/// fn product(values: &[f16], metadata: &[u32], b: &[f16], c: &mut [f32]) {
///     let lane = warp::lane_id();
///     let (g, t) = (lane / 4, 2 * (lane % 4));
///     let (mut left, mut right) = (F16x8::splat(f16::ZERO), F16x8::splat(f16::ZERO));
///     #[unroll]
///     for i in 0..8 {
///         left[i] = values[16 * (g + 8 * (i / 2 % 2)) + t + i % 2 + 8 * (i / 4)];
///         right[i] = b[8 * (t + i % 2 + 8 * (i / 2)) + g];
///     }
///     let sum = warp::mma_sparse(left, right, F32x4::splat(0.0), metadata[2 * g + lane % 2]);
///     #[unroll]
///     for i in 0..4 {
///         c[8 * (g + 8 * (i / 2)) + t + i % 2] = sum[i];
///     }
/// }
///
/// let dense: Vec<f16> = (0..16 * 32).map(|i| f16::from_f32((i % 7) as f32)).collect();
/// let a = Sparse24::prune(&dense, 16, 32)?;
/// let gpu = Gpu::simulator(Arch::Sm80);
/// let (values, metadata) = (gpu.upload(a.values())?, gpu.upload(a.metadata())?);
/// let b = gpu.upload(&[f16::ONE; 32 * 8])?;
/// let mut c = gpu.zeros::<f32>(16 * 8)?;
/// product(&values, &metadata, &b, &mut c).grid(1).run()?;
/// let sum_of_row: f32 = a.to_dense()[..32].iter().map(|x| x.to_f32()).sum();
/// assert_eq!(c.to_vec()?[0], sum_of_row);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse24<T> {
    rows: usize,
    columns: usize,
    values: Vec<T>,
    metadata: Vec<u32>,
}

impl<T: Element + Default + Into<f32>> Sparse24<T> {
    /// Keeps of each four neighbours in a row the two that are farthest from zero, of equal ones the first. The matrix is given row after row, and
    /// filled up with zeros to a multiple of 16 rows and of 32 columns.
    ///
    /// # Errors
    /// [`Error::Matrix`] unless there are `rows * columns` elements.
    pub fn prune(dense: &[T], rows: usize, columns: usize) -> Result<Sparse24<T>> {
        if rows.checked_mul(columns) != Some(dense.len()) {
            return Err(Error::Matrix { rows, columns, stride: columns, len: dense.len() });
        }
        if dense.is_empty() {
            return Ok(Sparse24 { rows: 0, columns: 0, values: Vec::new(), metadata: Vec::new() });
        }
        let whole = [rows.next_multiple_of(ROWS), columns.next_multiple_of(COLUMNS)];
        let at = |row: usize, column: usize| match row < rows && column < columns {
            true => dense[row * columns + column],
            false => T::default(),
        };
        let mut values = Vec::with_capacity(whole[0] * whole[1] / 2);
        // Two places of two bits for each four neighbours.
        let mut places = Vec::with_capacity(whole[0] * whole[1] / 4);
        for row in 0..whole[0] {
            for first in (0..whole[1]).step_by(4) {
                let neighbours: [T; 4] = std::array::from_fn(|place| at(row, first + place));
                let mut order = [0, 1, 2, 3];
                let size = |place: usize| -> f32 { neighbours[place].into().abs() };
                order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
                let (low, high) = (order[0].min(order[1]), order[0].max(order[1]));
                values.extend([neighbours[low], neighbours[high]]);
                places.push((low | high << 2) as u32);
            }
        }
        let [rows, columns] = whole;
        let of_row = |row: usize, group: usize| -> u32 {
            (0..4).map(|index| places[row * columns / 4 + group + index] << (4 * index)).sum()
        };
        let mut metadata = Vec::with_capacity(rows * columns / 32);
        for row in (0..rows).step_by(ROWS) {
            for group in (0..columns / 4).step_by(COLUMNS / 4) {
                for g in row..row + 8 {
                    for half in [group, group + 4] {
                        metadata.push(of_row(g, half) | of_row(g + 8, half) << 16);
                    }
                }
            }
        }
        Ok(Sparse24 { rows, columns, values, metadata })
    }

    /// All elements row after row, with the zeros.
    pub fn to_dense(&self) -> Vec<T> {
        let mut dense = vec![T::default(); self.rows * self.columns];
        for (number, pair) in self.values.chunks_exact(2).enumerate() {
            let (row, group) = (number / (self.columns / 4), number % (self.columns / 4));
            let tile = row / ROWS * (self.columns / COLUMNS) + group / 8;
            let word = self.metadata[16 * tile + 2 * (row % 8) + group % 8 / 4];
            let places = word >> (16 * (row % ROWS / 8) + 4 * (group % 4));
            for (index, &value) in pair.iter().enumerate() {
                dense[4 * number + (places >> (2 * index) & 3) as usize] = value;
            }
        }
        dense
    }
}

impl<T> Sparse24<T> {
    /// Its rows: a multiple of 16.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Its columns, with those that are zero: a multiple of 32.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The elements that are kept, row after row: half as many as there are.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The places of the kept elements: 16 words for each tile of 16 rows and 32 columns, tile after tile along rows of tiles. Words `2 g` and
    /// `2 g + 1` are those of lanes `4 g` and `4 g + 1`.
    pub fn metadata(&self) -> &[u32] {
        &self.metadata
    }
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;

    #[test]
    fn the_largest_two_of_four_are_kept() {
        let dense = [1.0, -3.0, 2.0, 0.5, 0.0, 0.0, 0.0, 0.0, 5.0, 5.0, 5.0, -5.0].map(f16::from_f32);
        let sparse = Sparse24::prune(&dense, 1, 12).unwrap();
        assert_eq!((sparse.rows(), sparse.columns()), (16, 32));
        assert_eq!(sparse.values()[..6], [-3.0, 2.0, 0.0, 0.0, 5.0, 5.0].map(f16::from_f32));
        let kept = [0.0, -3.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 5.0, 0.0, 0.0].map(f16::from_f32);
        let dense = sparse.to_dense();
        assert_eq!(dense[..12], kept);
        assert!(dense[12..].iter().all(|&value| value == f16::ZERO));
        // Places 1 and 2, then 0 and 1 of all others.
        assert_eq!(sparse.metadata()[0], 0x4444_4449);
    }

    #[test]
    fn pruning_twice_changes_nothing() {
        let dense: Vec<f16> = (0..40 * 100).map(|i| f16::from_f32((i * 37 % 101) as f32 - 50.0)).collect();
        let once = Sparse24::prune(&dense, 40, 100).unwrap();
        let twice = Sparse24::prune(&once.to_dense(), once.rows(), once.columns()).unwrap();
        assert_eq!(once.to_dense(), twice.to_dense());
        assert_eq!((once.values().len(), once.metadata().len()), (48 * 64, 3 * 4 * 16));
    }

    #[test]
    fn a_wrong_length_is_refused() {
        let refused = |rows, columns| Sparse24::prune(&[f16::ONE; 12], rows, columns).is_err();
        assert!(refused(3, 5) && refused(usize::MAX, 2) && !refused(3, 4));
    }
}
