//! Matrices, tiles of them in shared memory, and the fragments that warps multiply by tensor cores.
//!
//! In no file that rustc compiles, for lengths of arrays are computed from the shapes: there `kernel_runtime::device::matrix`
//! declares the names. The layout of fragments is that of the PTX ISA, "Matrix Fragments for mma.m16n8k16": with g = lane / 4 and
//! t = lane mod 4 a lane holds columns 2t and 2t + 1 of rows g and g + 8 of each 16 × 8 elements.

pub trait MatrixElement {
    type LeftPart;
    type RightPart;
}

impl MatrixElement for f16 {
    type LeftPart = F16x8;
    type RightPart = F16x4;
}

impl MatrixElement for bf16 {
    type LeftPart = Bf16x8;
    type RightPart = Bf16x4;
}

pub trait OfSum {
    fn of_sum(sum: f32) -> Self;
}

impl OfSum for f32 {
    fn of_sum(sum: f32) -> f32 {
        sum
    }
}

impl OfSum for f16 {
    fn of_sum(sum: f32) -> f16 {
        f16::from_f32(sum)
    }
}

impl OfSum for bf16 {
    fn of_sum(sum: f32) -> bf16 {
        bf16::from_f32(sum)
    }
}

// Every element inside of the shape is in the slice, and its index is below 2³².
fn fits(len: usize, rows: usize, columns: usize, stride: usize) -> bool {
    if rows == 0 || columns == 0 {
        return true;
    }
    let least = (rows - 1) * stride + columns;
    (rows | stride) >> 32 == 0 && columns <= stride && least <= len && least >> 32 == 0
}

// The index of an element in the shape of a matrix that fits: below 2³², as the least length of a slice for it is, so that nothing wraps.
fn place_in_matrix(at: [usize; 2], stride: usize) -> usize {
    ((at[0] as u32) * (stride as u32) + at[1] as u32) as usize
}

#[derive(Clone, Copy)]
pub struct Matrix<'a, T> {
    // Invariant: `fits` holds for the length and the shape.
    elements: &'a [T],
    rows: usize,
    columns: usize,
    stride: usize,
}

impl<'a, T> Matrix<'a, T> {
    pub fn new(elements: &'a [T], shape: [usize; 2]) -> Matrix<'a, T> {
        Matrix::<T>::with_stride(elements, shape, shape[1])
    }

    // A parameter of a kernel: the launch has checked that it fits.
    pub fn of_parameter(elements: &'a [T], rows: u32, columns: u32, stride: u32) -> Matrix<'a, T> {
        Self { elements, rows: rows as usize, columns: columns as usize, stride: stride as usize }
    }

    pub fn with_stride(elements: &'a [T], shape: [usize; 2], stride: usize) -> Matrix<'a, T> {
        let len = elements.len();
        assert!(
            fits(len, shape[0], shape[1], stride),
            "expected a slice with every row of a matrix of {} × {} elements, found {} elements and a row every {}",
            shape[0], shape[1], len, stride
        );
        Self { elements, rows: shape[0], columns: shape[1], stride }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn stride(&self) -> usize {
        self.stride
    }

    pub fn at(&self, row: usize, column: usize) -> T {
        self[[row, column]]
    }

    pub fn row(&self, row: usize) -> &[T] {
        assert!(row < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, row);
        let start = row * self.stride;
        &self.elements[start..start + self.columns]
    }
}

impl<'a, T> Index<[usize; 2]> for Matrix<'a, T> {
    type Output = T;

    fn index(&self, at: [usize; 2]) -> &T {
        assert!(at[0] < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, at[0]);
        assert!(at[1] < self.columns, "column out of bounds: the matrix has {} columns but the column is {}", self.columns, at[1]);
        // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
        unsafe { self.elements.get_unchecked(place_in_matrix(at, self.stride)) }
    }
}

pub struct MatrixMut<'a, T> {
    // Invariant: as that of `Matrix`.
    elements: &'a mut [T],
    rows: usize,
    columns: usize,
    stride: usize,
}

impl<'a, T> MatrixMut<'a, T> {
    pub fn new(elements: &'a mut [T], shape: [usize; 2]) -> MatrixMut<'a, T> {
        MatrixMut::<T>::with_stride(elements, shape, shape[1])
    }

    // A parameter of a kernel: the launch has checked that it fits.
    pub fn of_parameter(elements: &'a mut [T], rows: u32, columns: u32, stride: u32) -> MatrixMut<'a, T> {
        Self { elements, rows: rows as usize, columns: columns as usize, stride: stride as usize }
    }

    pub fn with_stride(elements: &'a mut [T], shape: [usize; 2], stride: usize) -> MatrixMut<'a, T> {
        let len = elements.len();
        assert!(
            fits(len, shape[0], shape[1], stride),
            "expected a slice with every row of a matrix of {} × {} elements, found {} elements and a row every {}",
            shape[0], shape[1], len, stride
        );
        Self { elements, rows: shape[0], columns: shape[1], stride }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn stride(&self) -> usize {
        self.stride
    }

    pub fn at(&self, row: usize, column: usize) -> T {
        self[[row, column]]
    }

    pub fn row(&self, row: usize) -> &[T] {
        assert!(row < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, row);
        let start = row * self.stride;
        &self.elements[start..start + self.columns]
    }

    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, row);
        let start = row * self.stride;
        &mut self.elements[start..start + self.columns]
    }
}

impl<'a, T> Index<[usize; 2]> for MatrixMut<'a, T> {
    type Output = T;

    fn index(&self, at: [usize; 2]) -> &T {
        assert!(at[0] < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, at[0]);
        assert!(at[1] < self.columns, "column out of bounds: the matrix has {} columns but the column is {}", self.columns, at[1]);
        // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
        unsafe { self.elements.get_unchecked(place_in_matrix(at, self.stride)) }
    }
}

impl<'a, T> IndexMut<[usize; 2]> for MatrixMut<'a, T> {
    fn index_mut(&mut self, at: [usize; 2]) -> &mut T {
        assert!(at[0] < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, at[0]);
        assert!(at[1] < self.columns, "column out of bounds: the matrix has {} columns but the column is {}", self.columns, at[1]);
        // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
        unsafe { self.elements.get_unchecked_mut(place_in_matrix(at, self.stride)) }
    }
}

// The index of the element in a row and column of a tile with rows of `C` elements of 16 bits.
//
// Chunks of eight elements are permuted by XOR within the largest power of two that divides their number in a row, up to eight, so
// that eight neighbouring rows' chunks of one column are in different banks: shared memory has a bank for each 4 of 128 bytes.
fn swizzled<const C: usize>(row: usize, column: usize) -> usize {
    let chunks = C / 8;
    let mut period = 8;
    if chunks % 8 != 0 {
        period = chunks & chunks.wrapping_neg();
    }
    let chunk = (column / 8) ^ (row / (8 / period) % period);
    row * C + 8 * chunk + column % 8
}

#[repr(align(16))]
pub struct SharedTile<T, const R: usize, const C: usize> {
    elements: [T; R * C],
}

impl<T, const R: usize, const C: usize> SharedTile<T, R, C> {
    // Each thread copies chunks of eight elements; one that is not aligned or not whole, element by element.
    pub fn load(&mut self, from: &Matrix<'_, T>, at: [usize; 2]) {
        let block = block_dim();
        let thread = thread_idx();
        let threads = block.x * block.y * block.z;
        let first = (thread.z * block.y + thread.y) * block.x + thread.x;
        let width = C / 8;
        let total = R * (C / 8);
        for step in 0..(total + threads - 1) / threads {
            let chunk = step * threads + first;
            if chunk < total {
                let part_row = chunk / width;
                let part_column = 8 * (chunk % width);
                let row = at[0] + part_row;
                let column = at[1] + part_column;
                let mut values = <T::LeftPart>::splat(T::ZERO);
                if row < from.rows && column < from.columns {
                    // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
                    unsafe {
                        let place = from.elements.as_ptr().add(row * from.stride + column);
                        if from.columns - column >= 8 && place.addr() % 16 == 0 {
                            values = place.cast::<T::LeftPart>().read();
                        } else {
                            #[unroll]
                            for i in 0..8 {
                                if i < from.columns - column {
                                    values[i] = place.add(i).read();
                                }
                            }
                        }
                    }
                }
                // SAFETY: the chunk is inside of the tile, which is aligned to 16 bytes, as are its chunks.
                unsafe {
                    let place = self.elements.as_mut_ptr().add(swizzled::<C>(part_row, part_column));
                    place.cast::<T::LeftPart>().write(values);
                }
            }
        }
    }
}

// Returns true if a part of these sizes is in the tile and begins at a chunk of 16 bytes.
fn is_part<const R: usize, const C: usize>(at: [usize; 2], rows: usize, columns: usize) -> bool {
    rows <= R && columns <= C && at[0] <= R - rows && at[1] <= C - columns && at[1] % 8 == 0
}

#[derive(Clone, Copy)]
pub struct Left<T, const M: usize, const K: usize> {
    // Row by row, 16 × 16 elements each.
    parts: [T::LeftPart; M * K / 256],
}

impl<T, const M: usize, const K: usize> Left<T, M, K> {
    pub fn load<const R: usize, const C: usize>(tile: &SharedTile<T, R, C>, at: [usize; 2]) -> Left<T, M, K> {
        assert!(
            is_part::<R, C>(at, M, K),
            "expected {} × {} elements of a tile of {} × {}, from a column that is a multiple of 8, found them at [{}, {}]",
            M, K, R, C, at[0], at[1]
        );
        let lane = warp::lane_id();
        let row = at[0] + lane % 16;
        let column = at[1] + 8 * (lane / 16);
        let mut parts = [<T::LeftPart>::splat(T::ZERO); M * K / 256];
        #[unroll]
        for i in 0..M / 16 {
            #[unroll]
            for k in 0..K / 16 {
                // SAFETY: the part is in the tile, and chunks are aligned.
                unsafe {
                    let place = swizzled::<C>(row + 16 * i, column + 16 * k);
                    parts[i * (K / 16) + k] = <T::LeftPart>::load_matrix_unchecked(&tile.elements, place);
                }
            }
        }
        Self { parts }
    }
}

#[derive(Clone, Copy)]
pub struct Right<T, const K: usize, const N: usize> {
    // Row by row, 16 × 8 elements each.
    parts: [T::RightPart; K * N / 128],
}

impl<T, const K: usize, const N: usize> Right<T, K, N> {
    pub fn load<const R: usize, const C: usize>(tile: &SharedTile<T, R, C>, at: [usize; 2]) -> Right<T, K, N> {
        assert!(
            is_part::<R, C>(at, K, N),
            "expected {} × {} elements of a tile of {} × {}, from a column that is a multiple of 8, found them at [{}, {}]",
            K, N, R, C, at[0], at[1]
        );
        let lane = warp::lane_id();
        let row = at[0] + lane % 16;
        let mut parts = [<T::RightPart>::splat(T::ZERO); K * N / 128];
        #[unroll]
        for k in 0..K / 16 {
            // Two parts at once.
            #[unroll]
            for j in 0..N / 16 {
                // SAFETY: the part is in the tile, and chunks are aligned.
                unsafe {
                    let place = swizzled::<C>(row + 16 * k, at[1] + 16 * j + 8 * (lane / 16));
                    let both = <T::LeftPart>::load_matrix_transposed_unchecked(&tile.elements, place);
                    parts[k * (N / 8) + 2 * j] = <T::RightPart>::new(both[0], both[1], both[2], both[3]);
                    parts[k * (N / 8) + 2 * j + 1] = <T::RightPart>::new(both[4], both[5], both[6], both[7]);
                }
            }
            if N % 16 != 0 {
                // SAFETY: as above.
                unsafe {
                    let place = swizzled::<C>(row + 16 * k, at[1] + N - 8);
                    let last = <T::RightPart>::load_matrix_transposed_unchecked(&tile.elements, place);
                    parts[k * (N / 8) + N / 8 - 1] = last;
                }
            }
        }
        Self { parts }
    }
}

#[derive(Clone, Copy)]
pub struct Acc<T, const M: usize, const N: usize> {
    // Row by row, 16 × 8 elements each.
    parts: [F32x4; M * N / 128],
}

impl<const M: usize, const N: usize> Acc<f32, M, N> {
    pub fn zero() -> Acc<f32, M, N> {
        Self { parts: [F32x4::splat(0.0); M * N / 128] }
    }

    pub fn mma<T, const K: usize>(&mut self, left: &Left<T, M, K>, right: &Right<T, K, N>) {
        #[unroll]
        for k in 0..K / 16 {
            #[unroll]
            for i in 0..M / 16 {
                #[unroll]
                for j in 0..N / 8 {
                    let place = i * (N / 8) + j;
                    self.parts[place] =
                        warp::mma(left.parts[i * (K / 16) + k], right.parts[k * (N / 8) + j], self.parts[place]);
                }
            }
        }
    }

    pub fn map(self, f: impl Fn(f32) -> f32) -> Acc<f32, M, N> {
        let mut parts = self.parts;
        #[unroll]
        for part in 0..M * N / 128 {
            #[unroll]
            for i in 0..4 {
                parts[part][i] = f(parts[part][i]);
            }
        }
        Self { parts }
    }

    pub fn map_at(self, f: impl Fn(usize, usize, f32) -> f32) -> Acc<f32, M, N> {
        let lane = warp::lane_id();
        let mut parts = self.parts;
        #[unroll]
        for part in 0..M * N / 128 {
            #[unroll]
            for i in 0..4 {
                let row = 16 * (part / (N / 8)) + lane / 4 + 8 * (i / 2);
                let column = 8 * (part % (N / 8)) + 2 * (lane % 4) + i % 2;
                parts[part][i] = f(row, column, parts[part][i]);
            }
        }
        Self { parts }
    }

    pub fn store<T>(&self, to: &mut MatrixMut<'_, T>, at: [usize; 2]) {
        let lane = warp::lane_id();
        #[unroll]
        for part in 0..M * N / 128 {
            #[unroll]
            for half in 0..2 {
                let row = at[0] + 16 * (part / (N / 8)) + lane / 4 + 8 * half;
                let column = at[1] + 8 * (part % (N / 8)) + 2 * (lane % 4);
                if row < to.rows && column < to.columns {
                    // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
                    unsafe {
                        let place = to.elements.as_mut_ptr().add(row * to.stride + column);
                        place.write(T::of_sum(self.parts[part][2 * half]));
                        if to.columns - column > 1 {
                            place.add(1).write(T::of_sum(self.parts[part][2 * half + 1]));
                        }
                    }
                }
            }
        }
    }
}
