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
    // Two of them side by side.
    type Pair;
    const PAIR_BYTES: usize;
    fn of_sum(sum: f32) -> Self;
}

impl OfSum for f32 {
    type Pair = F32x2;
    const PAIR_BYTES: usize = 8;
    fn of_sum(sum: f32) -> f32 {
        sum
    }
}

impl OfSum for f16 {
    type Pair = F16x2;
    const PAIR_BYTES: usize = 4;
    fn of_sum(sum: f32) -> f16 {
        f16::from_f32(sum)
    }
}

impl OfSum for bf16 {
    type Pair = Bf16x2;
    const PAIR_BYTES: usize = 4;
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
    // Each thread copies chunks of eight elements.
    pub fn load(&mut self, from: &Matrix<'_, T>, at: [usize; 2]) {
        let (first, threads) = block_rank();
        let total = R * (C / 8);
        for step in 0..(total + threads - 1) / threads {
            let chunk = step * threads + first;
            if chunk < total {
                // SAFETY: the condition.
                unsafe { self.load_chunk(from, at, chunk) };
            }
        }
    }

    // A chunk that is not aligned in the matrix or not whole is copied element by element.
    //
    // SAFETY: callers have a `chunk` below their number.
    unsafe fn load_chunk(&mut self, from: &Matrix<'_, T>, at: [usize; 2], chunk: usize) {
        let width = C / 8;
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

// This thread's number in its block, and how many there are.
fn block_rank() -> (usize, usize) {
    let block = block_dim();
    let thread = thread_idx();
    ((thread.z * block.y + thread.y) * block.x + thread.x, block.x * block.y * block.z)
}

// Starts the copy of the chunk of eight elements at `from`, of which as many as `count` are there, to one of a tile. The rest is zero: by
// the source size of `cp.async` (PTX ISA, "Data Movement and Conversion Instructions: cp.async").
//
// SAFETY: callers have `count` elements at `from`, which is aligned to 16 bytes, and a chunk of a tile at `to`.
unsafe fn start_copy<T>(from: *const T, count: usize, to: *mut T) {
    let bytes = 2 * count as u32;
    unsafe {
        inline_ptx!(
            ".reg .b64 %from, %to;",
            "cvta.to.global.u64 %from, {from};",
            "cvta.to.shared.u64 %to, {to};",
            "cp.async.cg.shared.global [%to], [%from], 16, {bytes};",
            from = in(usize) from as usize,
            to = in(usize) to as usize,
            bytes = in(u32) bytes,
            cpu = {
                for i in 0..8 {
                    let there = 2 * i < bytes;
                    let element = if there { (from as *const T).add(i as usize).read() } else { T::ZERO };
                    (to as *mut T).add(i as usize).write(element);
                }
            },
        );
    }
}

// Closes a group of the copies that this thread has started since the last one.
fn close_copies() {
    if target::at_least(80) {
        // SAFETY: it only counts.
        unsafe { inline_ptx!("cp.async.commit_group;", cpu = ()) };
    }
}

// Waits until no more than the youngest `N` groups of this thread are under way.
fn wait_for_copies<const N: usize>() {
    if target::at_least(80) {
        // SAFETY: it only waits.
        unsafe { inline_ptx!("cp.async.wait_group {n};", n = const N, cpu = ()) };
    }
}

// A tile that is to be filled: used up by the load that fills it.
pub struct EmptyTile<'a, T, const R: usize, const C: usize> {
    tile: &'a mut SharedTile<T, R, C>,
}

// A tile and what it is to be filled with. The stages start the copies once all tiles of a stage are known.
pub struct LoadingTile<'a, T, const R: usize, const C: usize> {
    tile: &'a mut SharedTile<T, R, C>,
    from: Matrix<'a, T>,
    at: [usize; 2],
}

impl<'a, T, const R: usize, const C: usize> EmptyTile<'a, T, R, C> {
    pub fn load(self, from: &Matrix<'_, T>, at: [usize; 2]) -> LoadingTile<'a, T, R, C> {
        LoadingTile { tile: self.tile, from: *from, at }
    }
}

impl<'a, T, const R: usize, const C: usize> LoadingTile<'a, T, R, C> {
    // Chunks of the tile are aligned where they are in the matrix, too.
    fn is_aligned(&self) -> bool {
        self.from.elements.as_ptr().addr() % 16 == 0 && self.from.stride % 8 == 0 && self.at[1] % 8 == 0
    }

    // Returns true if the tile is inside of the matrix, uniformly over the block, and `copy_whole` may copy it.
    fn is_whole(&self) -> bool {
        let (_, threads) = block_rank();
        // Each step's chunks are so many whole rows, a multiple of eight, below the last step's: `swizzled` permutes them alike.
        let regular = threads % C == 0;
        let from = self.from;
        let rows_are_there = R <= from.rows && self.at[0] <= from.rows - R;
        let columns_are_there = C <= from.columns && self.at[1] <= from.columns - C;
        target::at_least(80) && regular && self.is_aligned() && rows_are_there && columns_are_there
    }

    // Starts one of so many equal parts of the copies.
    //
    // SAFETY: callers have asked `is_whole`.
    unsafe fn copy_whole(&mut self, part: usize, parts: usize) {
        let (first, threads) = block_rank();
        let width = C / 8;
        let total = R * width;
        let part_row = first / width;
        let part_column = 8 * (first % width);
        let rows = threads / width;
        let stride = self.from.stride;
        let place = place_in_matrix([self.at[0] + part_row, self.at[1] + part_column], stride);
        let from_first = self.from.elements.as_ptr().wrapping_add(place);
        let to_first = self.tile.elements.as_mut_ptr().wrapping_add(swizzled::<C>(part_row, part_column));
        let steps = (total + threads - 1) / threads;
        #[unroll]
        for step in part * steps / parts..(part + 1) * steps / parts {
            if total % threads == 0 || step * threads + first < total {
                // SAFETY: by the invariant of the matrix every chunk of a tile inside of its shape is in the slice, at an index
                // below 2³²; it is aligned, and the chunk of the tile is inside of it.
                unsafe {
                    let place = from_first.wrapping_add(place_in_matrix([step * rows, 0], stride));
                    start_copy::<T>(place, 8, to_first.wrapping_add(step * rows * C));
                }
            }
        }
    }

    // Taken by tiles at the edges, and by matrices that are not aligned: small.
    fn copy_parts(&mut self) {
        let (first, threads) = block_rank();
        let width = C / 8;
        let total = R * width;
        let from = self.from;
        if target::at_least(80) && self.is_aligned() {
            #[unroll(1)]
            for step in 0..(total + threads - 1) / threads {
                let chunk = step * threads + first;
                if chunk < total {
                    let part_row = chunk / width;
                    let part_column = 8 * (chunk % width);
                    let row = self.at[0] + part_row;
                    let column = self.at[1] + part_column;
                    let mut count = 0;
                    if row < from.rows && column < from.columns {
                        count = 8;
                        if from.columns - column < 8 {
                            count = from.columns - column;
                        }
                    }
                    let place = from.elements.as_ptr().wrapping_add(row * from.stride + column);
                    // SAFETY: by the invariant of the matrix so many elements are in the slice, at a chunk that is aligned; the chunk of
                    // the tile is inside of it.
                    unsafe {
                        let to = self.tile.elements.as_mut_ptr().add(swizzled::<C>(part_row, part_column));
                        start_copy::<T>(place, count, to);
                    }
                }
            }
        } else {
            #[unroll(1)]
            for step in 0..(total + threads - 1) / threads {
                let chunk = step * threads + first;
                if chunk < total {
                    // SAFETY: the condition.
                    unsafe { self.tile.load_chunk(&from, self.at, chunk) };
                }
            }
        }
    }

    fn copy(&mut self) {
        if self.is_whole() {
            // SAFETY: the condition.
            unsafe { self.copy_whole(0, 1) };
        } else {
            self.copy_parts();
        }
    }
}

// What a stage of a pipeline is: a tile, or a tuple of stages.
pub trait Stage {
    type Empty;
    type Loading;
    fn to_fill(&mut self) -> Self::Empty;
    // Starts the copies.
    fn copy(loading: Self::Loading);
}

impl<T, const R: usize, const C: usize> Stage for SharedTile<T, R, C> {
    type Empty = EmptyTile<'_, T, R, C>;
    type Loading = LoadingTile<'_, T, R, C>;
    fn to_fill(&mut self) -> EmptyTile<'_, T, R, C> {
        EmptyTile { tile: self }
    }
    fn copy(mut loading: LoadingTile<'_, T, R, C>) {
        loading.copy();
    }
}

impl<A: Stage, B: Stage> Stage for (A, B) {
    type Empty = (A::Empty, B::Empty);
    type Loading = (A::Loading, B::Loading);
    fn to_fill(&mut self) -> (A::Empty, B::Empty) {
        (self.0.to_fill(), self.1.to_fill())
    }
    fn copy(loading: (A::Loading, B::Loading)) {
        A::copy(loading.0);
        B::copy(loading.1);
    }
}

impl<A: Stage, B: Stage, D: Stage> Stage for (A, B, D) {
    type Empty = (A::Empty, B::Empty, D::Empty);
    type Loading = (A::Loading, B::Loading, D::Loading);
    fn to_fill(&mut self) -> (A::Empty, B::Empty, D::Empty) {
        (self.0.to_fill(), self.1.to_fill(), self.2.to_fill())
    }
    fn copy(loading: (A::Loading, B::Loading, D::Loading)) {
        A::copy(loading.0);
        B::copy(loading.1);
        D::copy(loading.2);
    }
}

pub struct Stages<S, const N: usize> {
    stages: [S; N],
}

impl<S, const N: usize> Stages<S, N> {
    pub fn run(&mut self, steps: usize, fill: impl FnMut(S::Empty, usize) -> S::Loading, drain: impl FnMut(&S)) {
        // Group `step` of each thread holds its copies of that step; beyond the last step groups are empty.
        #[unroll(1)]
        for step in 0..N - 1 {
            if step < steps {
                S::copy(fill(self.stages[step].to_fill(), step));
            }
            close_copies();
        }
        let mut full = 0;
        let mut empty = N - 1;
        #[unroll(1)]
        for step in 0..steps {
            // Of the N - 1 groups that are closed, this step's is the oldest. After the barrier it is there for all threads, and all of
            // them are done with the step before, in whose stage the next copies land.
            wait_for_copies::<{ N - 2 }>();
            barrier();
            let next = step + (N - 1);
            if next < steps {
                // SAFETY: there are N stages, and `empty` is below that.
                let stage = unsafe { &mut *self.stages.as_mut_ptr().add(empty) };
                S::copy(fill(stage.to_fill(), next));
            }
            close_copies();
            // SAFETY: as above.
            let stage = unsafe { &*self.stages.as_ptr().add(full) };
            drain(stage);
            empty = full;
            full += 1;
            if full == N {
                full = 0;
            }
        }
        // What comes next may write the stages.
        barrier();
    }
}

impl<T, const R: usize, const D: usize, const C: usize, const N: usize> Stages<(SharedTile<T, R, D>, SharedTile<T, D, C>), N> {
    // As `run`, but the fragments of a part, 16 deep, are loaded before the products of the part before it, also from one stage to
    // the next: tensor cores have work while the loads and the barrier are waited for.
    pub fn multiply<const M: usize, const W: usize>(
        &mut self,
        steps: usize,
        at: [usize; 2],
        sum: &mut Acc<f32, M, W>,
        fill: impl FnMut((EmptyTile<'_, T, R, D>, EmptyTile<'_, T, D, C>), usize) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, D, C>),
    ) {
        assert!(
            D % 16 == 0,
            "expected stages that are a multiple of 16 deep, as tensor cores multiply them, found tiles with {} columns on the left and {} \
             rows on the right\nhelp: take {}: what is beyond the edges of a matrix is zero when it is loaded",
            D, D, (D + 15) / 16 * 16
        );
        // Groups of copies as in `run`.
        #[unroll(1)]
        for step in 0..N - 1 {
            if step < steps {
                let (mut left, mut right) = fill(self.stages[step].to_fill(), step);
                left.copy();
                right.copy();
            }
            close_copies();
        }
        if steps > 0 {
            wait_for_copies::<{ N - 2 }>();
            barrier();
            let mut left = Left::<T, M, 16>::load(&self.stages[0].0, [at[0], 0]);
            let mut right = Right::<T, 16, W>::load(&self.stages[0].1, [0, at[1]]);
            let mut full = 0;
            let mut empty = N - 1;
            let mut step = 0;
            let mut is_filled = false;
            // While what is copied is whole, so that one block of instructions has copies, loads and products to schedule.
            #[unroll(1)]
            while step + (N - 1) < steps {
                // All threads have loaded the last fragments of the step before: the barrier in it came after that.
                // SAFETY: there are N stages, and `empty` is below that.
                let stage = unsafe { &mut *self.stages.as_mut_ptr().add(empty) };
                let (mut of_left, mut of_right) = fill(stage.to_fill(), step + (N - 1));
                if !of_left.is_whole() || !of_right.is_whole() {
                    of_left.copy();
                    of_right.copy();
                    is_filled = true;
                    break;
                }
                full = self.multiply_stage::<M, W>(full, true, at, &mut left, &mut right, sum, |part| {
                    // SAFETY: the condition.
                    unsafe {
                        of_left.copy_whole(part, D / 16);
                        of_right.copy_whole(part, D / 16);
                    }
                });
                step += 1;
                empty += 1;
                if empty == N {
                    empty = 0;
                }
            }
            #[unroll(1)]
            while step < steps {
                if !is_filled && step + (N - 1) < steps {
                    // SAFETY: as above.
                    let stage = unsafe { &mut *self.stages.as_mut_ptr().add(empty) };
                    let (mut of_left, mut of_right) = fill(stage.to_fill(), step + (N - 1));
                    of_left.copy();
                    of_right.copy();
                }
                is_filled = false;
                full = self.multiply_stage::<M, W>(full, step + 1 < steps, at, &mut left, &mut right, sum, |part| {});
                step += 1;
                empty += 1;
                if empty == N {
                    empty = 0;
                }
            }
        }
        // What comes next may write the stages.
        barrier();
    }

    // Multiplies a stage, whose first fragments are there, beside parts of the copies of a step, which it closes. Leaves the first
    // fragments of the next stage, and returns its number.
    fn multiply_stage<const M: usize, const W: usize>(
        &self,
        full: usize,
        goes_on: bool,
        at: [usize; 2],
        left: &mut Left<T, M, 16>,
        right: &mut Right<T, 16, W>,
        sum: &mut Acc<f32, M, W>,
        copy: impl FnMut(usize),
    ) -> usize {
        let parts = D / 16;
        #[unroll]
        for part in 1..parts {
            // SAFETY: there are N stages, and `full` is below that.
            let stage = unsafe { &*self.stages.as_ptr().add(full) };
            let next_left = Left::<T, M, 16>::load(&stage.0, [at[0], 16 * part]);
            let next_right = Right::<T, 16, W>::load(&stage.1, [16 * part, at[1]]);
            // Behind the loads, which the next products wait for.
            copy(part - 1);
            sum.mma(left, right);
            *left = next_left;
            *right = next_right;
        }
        copy(parts - 1);
        close_copies();
        // Of the N - 1 youngest groups that are closed, the next step's is the oldest.
        wait_for_copies::<{ N - 2 }>();
        barrier();
        // Behind the last step its own stage once more, which nobody fills.
        let mut next = full;
        if goes_on {
            next = full + 1;
            if next == N {
                next = 0;
            }
        }
        // SAFETY: as above.
        let stage = unsafe { &*self.stages.as_ptr().add(next) };
        let next_left = Left::<T, M, 16>::load(&stage.0, [at[0], 0]);
        let next_right = Right::<T, 16, W>::load(&stage.1, [0, at[1]]);
        sum.mma(left, right);
        *left = next_left;
        *right = next_right;
        next
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
        for k in 0..K / 16 {
            // Rows are permuted alike every eight.
            let place = swizzled::<C>(row, column + 16 * k);
            #[unroll]
            for i in 0..M / 16 {
                // SAFETY: the part is in the tile, and chunks are aligned.
                unsafe {
                    parts[i * (K / 16) + k] = <T::LeftPart>::load_matrix_unchecked(&tile.elements, place + 16 * i * C);
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
                    let first = T::of_sum(self.parts[part][2 * half]);
                    let second = T::of_sum(self.parts[part][2 * half + 1]);
                    // SAFETY: by the invariant of the matrix every element in its shape is in the slice; a pair is written as one where
                    // it is aligned.
                    unsafe {
                        let place = to.elements.as_mut_ptr().add(row * to.stride + column);
                        if to.columns - column > 1 && place.addr() % T::PAIR_BYTES == 0 {
                            place.cast::<T::Pair>().write(<T::Pair>::new(first, second));
                        } else {
                            place.write(first);
                            if to.columns - column > 1 {
                                place.add(1).write(second);
                            }
                        }
                    }
                }
            }
        }
    }
}
