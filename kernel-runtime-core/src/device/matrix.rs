//! Tiles of matrices in shared memory, and the fragments that warps multiply by tensor cores, as type checking sees them. The
//! compiler has their methods in its own library, for a kernel's run copy too.

use std::convert::Infallible;
use std::marker::PhantomData;

use half::{bf16, f16};

use super::{AtomicF32, E4M3, E5M2, F32x4, Matrix, MatrixMut};

mod sealed {
    pub trait Sealed {}
}

/// An element of matrices that tensor cores multiply. Products of `f32` are of tf32: they are rounded to 10 bits behind the point, ties
/// to even.
pub trait MatrixElement: Copy + sealed::Sealed {
    /// The type of the sums of its products; those of `f16` may be `f16`, too.
    type Sum: SumElement;
}

/// A type of sums of products.
pub trait SumElement: Copy + sealed::Sealed {}

/// A type that the sums of products are stored as: they themselves, or rounded to the nearest, ties to even.
pub trait OfSum<S = f32>: Copy + sealed::Sealed {}

macro_rules! elements {
    ($($element:ident: $($sum:ident)?, of [$($of:ident)*];)*) => {$(
        impl sealed::Sealed for $element {}
        $(
            impl MatrixElement for $element {
                type Sum = $sum;
            }
        )?
        $(impl OfSum<$of> for $element {})*
    )*};
}
elements! {
    f16: f32, of [f32 f16];
    bf16: f32, of [f32];
    f32: f32, of [f32];
    f64: f64, of [f64];
    i8: i32, of [];
    u8: i32, of [];
    E4M3: f32, of [f32];
    E5M2: f32, of [f32];
    i32: , of [i32];
}

impl SumElement for f16 {}
impl SumElement for f32 {}
impl SumElement for f64 {}
impl SumElement for i32 {}

macro_rules! opaque {
    ($(#[$doc:meta])* $name:ident<$($lifetime:lifetime,)? T $(, const $size:ident)*> of $of:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<$($lifetime,)? T $(, const $size: usize)*> {
            /// There is none outside kernels.
            #[allow(dead_code, reason = "fragments are handed over as a whole")]
            never: Infallible,
            what: PhantomData<$of>,
        }
    };
}

macro_rules! copied {
    ($($name:ident<$($lifetime:lifetime,)? T $(, const $size:ident)*>;)*) => {$(
        impl<$($lifetime,)? T $(, const $size: usize)*> Clone for $name<$($lifetime,)? T $(, $size)*> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$($lifetime,)? T $(, const $size: usize)*> Copy for $name<$($lifetime,)? T $(, $size)*> {}
    )*};
}

opaque! {
    /// A tile of a matrix in shared memory, `R` rows of `C` elements: `shared::<SharedTile<f16, 128, 32>>()`. Rows are
    /// multiples of 16 bytes.
    ///
    /// The compiler arranges its elements so that eight neighbouring rows are read without bank conflicts.
    SharedTile<T, const R, const C> of T
}
opaque! {
    /// The left matrix of a product, `M` × `K` elements in the registers of a warp. `M` is a multiple of 16, a row of 32 bytes.
    Left<T, const M, const K> of T
}
opaque! {
    /// The right matrix of a product, `K` × `N` elements in the registers of a warp. `N` is a multiple of 8, a column of 32 bytes.
    Right<T, const K, const N> of T
}
opaque! {
    /// Sums of products, `M` × `N` of them in the registers of a warp. `M` is a multiple of 16, `N` of 8.
    Acc<T, const M, const N> of T
}
opaque! {
    /// A number for each of `M` rows of [`Acc`], in the registers of a warp: the largest sum of the row, say.
    Rows<T, const M> of T
}
opaque! {
    /// `N` stages in shared memory, each a tile or a tuple of tiles, which are filled while earlier ones are read:
    /// `shared::<Stages<(SharedTile<f16, 64, 32>, SharedTile<f16, 32, 64>), 3>>()`. `N` is 2 or more.
    Stages<T, const N> of T
}
opaque! {
    /// A tile of [`Stages`] that is to be filled: used up by the load that fills it.
    EmptyTile<'a, T, const R, const C> of (fn(&'a ()) -> &'a (), T)
}
opaque! {
    /// A tile of [`Stages`] whose load is under way. There is nothing to do with it but to return it.
    LoadingTile<T, const R, const C> of T
}
opaque! {
    /// A tile that the warps which read stages fill together, and then read: [`Stages::run_exchanging`].
    Exchange<'a, T, const R, const C> of (fn(&'a ()) -> &'a (), T)
}
copied! {
    Left<T, const M, const K>;
    Right<T, const K, const N>;
    Acc<T, const M, const N>;
    Rows<T, const M>;
}

#[track_caller]
fn outside(function: &str) -> ! {
    panic!(
        "`{function}` was called outside a kernel: it has a meaning only in the body of a `#[kernel]` function"
    )
}

impl<T: MatrixElement, const R: usize, const C: usize> SharedTile<T, R, C> {
    /// Fills the tile with the part of a matrix that begins at `[row, column]`; beyond the matrix it is zero. The threads of the block
    /// share the work, so all of them call it, and a [`barrier`](crate::device::barrier()) comes before what is loaded is read.
    pub fn load(&mut self, from: &Matrix<'_, T>, at: [usize; 2]) {
        let _ = (from, at);
        match self.never {}
    }
}

impl<T: MatrixElement, const R: usize, const C: usize> SharedTile<T, R, C> {
    /// The element in a row and a column: for what the CUDA cores do with a tile, behind a [`barrier`](crate::device::barrier()) or in a stage.
    ///
    /// Tiles of `f32` hold elements rounded to tf32 where they are compiled for `sm_90a`: there it is a compile error.
    ///
    /// # Panics
    /// If it is not in the tile.
    pub fn at(&self, row: usize, column: usize) -> T {
        let _ = (row, column);
        match self.never {}
    }
}

impl<const R: usize, const C: usize> SharedTile<f32, R, C> {
    /// Four elements of a row, from this column on, by one load of 16 bytes. As [`at`](SharedTile::at), not for `sm_90a`.
    ///
    /// # Panics
    /// If they are not in the tile, or the column is no multiple of 4.
    pub fn vector_at(&self, row: usize, column: usize) -> F32x4 {
        let _ = (row, column);
        match self.never {}
    }
}

impl<'a, T: MatrixElement, const R: usize, const C: usize> EmptyTile<'a, T, R, C> {
    /// Starts to fill the tile with the part of a matrix that begins at `[row, column]`; beyond the matrix it is zero. The threads of the
    /// block share the work, so all of them call it, with the same place.
    ///
    /// From sm_80 on rows that begin at multiples of 16 bytes are copied by `cp.async` (PTX ISA), past the registers of a kernel that names
    /// its architectures: `arch(sm_80)`. Others are copied at once.
    pub fn load(self, from: &Matrix<'_, T>, at: [usize; 2]) -> LoadingTile<T, R, C> {
        let _ = (from, at);
        match self.never {}
    }

    /// As [`load`](EmptyTile::load), of a tile that is the same in all blocks of the cluster with this block's `cluster::block_idx().y`. In stages of
    /// clusters, such as those of [`multiply_tiles_by_clusters`](Stages::multiply_tiles_by_clusters), that are copied by tensor maps each of them
    /// copies a part, to all of them (`multicast`); elsewhere each copies all of it. If they name different places or matrices, the tile holds parts
    /// of each.
    pub fn load_for_row(self, from: &Matrix<'_, T>, at: [usize; 2]) -> LoadingTile<T, R, C> {
        let _ = (from, at);
        match self.never {}
    }

    /// As [`load_for_row`](EmptyTile::load_for_row), of the blocks with this block's `cluster::block_idx().x`.
    pub fn load_for_column(self, from: &Matrix<'_, T>, at: [usize; 2]) -> LoadingTile<T, R, C> {
        let _ = (from, at);
        match self.never {}
    }
}

/// A stage of [`Stages`]: a tile, or a tuple of stages.
pub trait Stage: sealed::Sealed {
    /// The stage when it is to be filled.
    type Empty<'a>;
    /// The stage when all of its loads are under way.
    type Loading;
}

impl<T, const R: usize, const C: usize> sealed::Sealed for SharedTile<T, R, C> {}

impl<T: MatrixElement, const R: usize, const C: usize> Stage for SharedTile<T, R, C> {
    type Empty<'a> = EmptyTile<'a, T, R, C>;
    type Loading = LoadingTile<T, R, C>;
}

macro_rules! tuples {
    ($(($($part:ident)*))*) => {$(
        impl<$($part: sealed::Sealed),*> sealed::Sealed for ($($part,)*) {}

        impl<$($part: Stage),*> Stage for ($($part,)*) {
            type Empty<'a> = ($($part::Empty<'a>,)*);
            type Loading = ($($part::Loading,)*);
        }
    )*};
}
tuples! {
    (A B)
    (A B C)
}

impl<S: Stage, const N: usize> Stages<S, N> {
    /// Fills and reads stages in turns, `steps` times: `fill(stage, step)` starts the loads of a step and returns them, and `drain(&stage)`
    /// reads what has arrived, N - 1 steps later. All threads of the block call it, with the same number of steps.
    ///
    /// It synchronises the block once a step: a stage is read after all of it is there, and filled again after all threads have read it.
    pub fn run(
        &mut self,
        steps: usize,
        fill: impl FnMut(S::Empty<'_>, usize) -> S::Loading,
        drain: impl FnMut(&S),
    ) {
        let _ = (steps, fill, drain);
        match self.never {}
    }

    /// As [`run`](Stages::run), of stages that are read in `P` parts: `load(&stage, part)` reads one into registers, and `multiply(&part)` takes it while
    /// the next one is read, also the first one of the next stage. For products whose operands come through registers: arithmetic then goes on during the
    /// loads from shared memory, the copies and the barriers.
    ///
    /// At the end `load` is called once more, for a part that nobody multiplies. `P` is one or more; zero does not compile.
    pub fn run_in_parts<const P: usize, F>(
        &mut self,
        steps: usize,
        fill: impl FnMut(S::Empty<'_>, usize) -> S::Loading,
        load: impl Fn(&S, usize) -> F,
        multiply: impl FnMut(&F),
    ) {
        let _ = (steps, fill, load, multiply);
        match self.never {}
    }

    /// As [`run`](Stages::run), with warps that do nothing but fill stages: the last four of the block. `drain(&mut state, &stage, step)` is called in
    /// the others, and at the end `finish(state)`. They do not wait for each other: a warp that is done with a stage goes on to the next, while those
    /// that fill are up to N stages ahead.
    ///
    /// A block has a multiple of 128 threads, 256 or more. Compiled for `sm_90a`, tiles of matrices that are parameters, and whose rows begin at
    /// multiples of 16 bytes, are copied by tensor maps (PTX ISA, "cp.async.bulk.tensor") if they have a multiple of 64 rows and of 128 bytes a row;
    /// in blocks of 384 or 512 threads the filling warps leave most of their registers to the others. On other architectures all warps fill.
    ///
    /// # Panics
    /// If the block has other threads.
    pub fn run_specialized<A>(
        &mut self,
        steps: usize,
        fill: impl FnMut(S::Empty<'_>, usize) -> S::Loading,
        state: A,
        drain: impl FnMut(&mut A, &S, usize),
        finish: impl FnOnce(A),
    ) {
        let _ = (steps, fill, state, drain, finish);
        match self.never {}
    }

    /// As [`run_specialized`](Stages::run_specialized), with a tile by which the warps that read stages exchange what they computed:
    /// `drain(&mut state, &stage, exchange, step)` may call [`exchange.share(…)`](Exchange::share), all warps in the same steps. The tile has 16 rows for
    /// each of them, of `f16` or `bf16`.
    ///
    /// # Panics
    /// If the block has other threads, or the kernel names older architectures than sm_80 only.
    pub fn run_exchanging<A, T: MatrixElement, const R: usize, const C: usize>(
        &mut self,
        tile: &mut SharedTile<T, R, C>,
        steps: usize,
        fill: impl FnMut(S::Empty<'_>, usize) -> S::Loading,
        state: A,
        drain: impl FnMut(&mut A, &S, Exchange<'_, T, R, C>, usize),
        finish: impl FnOnce(A),
    ) {
        let _ = (tile, steps, fill, state, drain, finish);
        match self.never {}
    }
}

impl<T: MatrixElement, const R: usize, const C: usize> Exchange<'_, T, R, C> {
    /// Shares 16 rows of each warp: stores this warp's in the tile, from row `16 * warp_id()` on, calls `meanwhile`, waits for the rows of the others,
    /// and calls `read` with the whole tile. A warp that shares rows of another step waits until all have read these.
    ///
    /// The work of `meanwhile` hides the wait: a product of the same rows, say. A condition that varies between the warps is a compile error.
    pub fn share(
        self,
        rows: &Left<T, 16, C>,
        meanwhile: impl FnOnce(),
        read: impl FnOnce(&SharedTile<T, R, C>),
    ) {
        let _ = (rows, meanwhile, read);
        match self.never {}
    }
}

impl<T: MatrixElement, const R: usize, const D: usize, const C: usize, const N: usize>
    Stages<(SharedTile<T, R, D>, SharedTile<T, D, C>), N>
{
    /// Adds the product of two matrices to the sums of a warp: of the rows of the left tiles and the columns of the right ones that begin
    /// at `[row, column]`. `fill(stage, step)` starts the loads of each of so many steps, as in [`run`](Stages::run). `D` elements are a
    /// multiple of 32 bytes, 16 of `f16`.
    ///
    /// It is faster than products in the second closure of `run`: fragments are loaded while those before them are multiplied, also from
    /// one stage to the next, and copies are started between products. All threads of the block call it, with the same number of
    /// steps and places of loads that are computed from what the whole block shares: parameters, constants, the number of the block.
    ///
    /// # Panics
    /// If the rows or columns are not in the tiles, or the column is no multiple of 8.
    pub fn multiply<S, const M: usize, const W: usize>(
        &mut self,
        steps: usize,
        at: [usize; 2],
        sum: &mut Acc<S, M, W>,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, D, C>),
            usize,
        ) -> (LoadingTile<T, R, D>, LoadingTile<T, D, C>),
    ) {
        let _ = (steps, at, sum, fill);
        match self.never {}
    }

    /// Multiplies two matrices tile by tile, as fast as the device can: `drain(sums, [row, column])` gets the sums of 16 rows and `C` columns of
    /// the product, which has this shape, where they begin. `fill(stage, [row, column], step)` starts the loads of each of so many steps of the tile
    /// of the product that begins there, as in [`run`](Stages::run). Blocks take tiles in turns: launch as many as run at once, or one for each
    /// tile.
    ///
    /// A block has a warp for each 16 rows of the left tile, and four more: `block(384)` for 128 rows. Compiled for `sm_90a`, where `R` and `D` and the
    /// columns are multiples of 64 (of `f16`), the four fill stages while the others multiply them by `wgmma` (PTX ISA); tiles of matrices that are
    /// parameters, and whose rows begin at multiples of 16 bytes, are copied by tensor maps. Elsewhere all warps fill stages, and multiply
    /// fragments: there [`multiply`](Stages::multiply) is faster.
    ///
    /// `fill` and `drain` may be called by some of the block's threads only, whole warps of them.
    pub fn multiply_tiles<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, D, C>),
            [usize; 2],
            usize,
        ) -> (LoadingTile<T, R, D>, LoadingTile<T, D, C>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        let _ = (shape, steps, fill, drain);
        match self.never {}
    }

    /// As [`multiply_tiles`](Stages::multiply_tiles), in a kernel whose blocks come in clusters (`#[kernel(cluster(2))]`). The blocks of a cluster of
    /// `(x, y)` multiply `y` × `x` tiles of the product that lie beside each other, so that those in a row of the cluster have the same left tile and those
    /// in a column the same right one: [`load_for_row`](EmptyTile::load_for_row) and [`load_for_column`](EmptyTile::load_for_column) load them
    /// once. A stage is filled again when all blocks of the cluster are done with it.
    ///
    /// The place that `fill` gets may be beyond the product, of which `drain` gets nothing.
    pub fn multiply_tiles_by_clusters<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, D, C>),
            [usize; 2],
            usize,
        ) -> (LoadingTile<T, R, D>, LoadingTile<T, D, C>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        let _ = (shape, steps, fill, drain);
        match self.never {}
    }
}

impl<T: MatrixElement, const R: usize, const D: usize, const C: usize, const N: usize>
    Stages<(SharedTile<T, R, D>, SharedTile<T, C, D>), N>
{
    /// As [`multiply`](Stages::multiply), of right tiles that hold the transposed matrix: its columns are their rows. It is the fast way
    /// for `i8`, `u8`, `f32` and `f64`.
    ///
    /// # Panics
    /// If the rows or columns are not in the tiles.
    pub fn multiply_transposed<S, const M: usize, const W: usize>(
        &mut self,
        steps: usize,
        at: [usize; 2],
        sum: &mut Acc<S, M, W>,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, C, D>),
            usize,
        ) -> (LoadingTile<T, R, D>, LoadingTile<T, C, D>),
    ) {
        let _ = (steps, at, sum, fill);
        match self.never {}
    }

    /// As [`multiply_tiles`](Stages::multiply_tiles), of right tiles that hold the transposed matrix; of `i8` and `u8`, too.
    pub fn multiply_transposed_tiles<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, C, D>),
            [usize; 2],
            usize,
        ) -> (LoadingTile<T, R, D>, LoadingTile<T, C, D>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        let _ = (shape, steps, fill, drain);
        match self.never {}
    }

    /// As [`multiply_tiles_by_clusters`](Stages::multiply_tiles_by_clusters), of right tiles that hold the transposed matrix, as
    /// [`multiply_transposed_tiles`](Stages::multiply_transposed_tiles).
    pub fn multiply_transposed_tiles_by_clusters<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, C, D>),
            [usize; 2],
            usize,
        ) -> (LoadingTile<T, R, D>, LoadingTile<T, C, D>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        let _ = (shape, steps, fill, drain);
        match self.never {}
    }

    /// As [`multiply_transposed_tiles`](Stages::multiply_transposed_tiles), with the sums of each stage added to the others by the lanes, each rounded to the
    /// nearest: tensor cores cut off bits of the sums that they add to, by which errors of long sums grow with their length. A right tile has 192
    /// rows at most, as there are two sets of sums. Those of `E4M3` and `E5M2` are added so anyway.
    pub fn multiply_transposed_tiles_promoted<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, C, D>),
            [usize; 2],
            usize,
        ) -> (LoadingTile<T, R, D>, LoadingTile<T, C, D>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        let _ = (shape, steps, fill, drain);
        match self.never {}
    }
}

impl<T: MatrixElement, const M: usize, const K: usize> Left<T, M, K> {
    /// Loads the part of a tile that begins at `[row, column]`, by `ldmatrix` (PTX ISA). All 32 lanes take part, with the same place.
    ///
    /// # Panics
    /// If the part is not in the tile, or the column does not begin at a multiple of 16 bytes.
    #[track_caller]
    pub fn load<const R: usize, const C: usize>(tile: &SharedTile<T, R, C>, at: [usize; 2]) -> Self {
        let _ = (tile, at);
        outside("Left::load")
    }

    /// Loads the transposed of the part of a tile that begins at `[row, column]`, `K` × `M` elements of `f16` or `bf16`: a row of the operand is a
    /// column of the tile. All 32 lanes take part, with the same place.
    ///
    /// # Panics
    /// If the part is not in the tile, or the column does not begin at a multiple of 16 bytes.
    #[track_caller]
    pub fn load_transposed<const R: usize, const C: usize>(
        tile: &SharedTile<T, R, C>,
        at: [usize; 2],
    ) -> Self {
        let _ = (tile, at);
        outside("Left::load_transposed")
    }
}

impl<T: MatrixElement, const K: usize, const N: usize> Right<T, K, N> {
    /// Loads the part of a tile that begins at `[row, column]`. All 32 lanes take part, with the same place. Elements of 16 bits are loaded by
    /// `ldmatrix` (PTX ISA), which transposes these only; others one by one.
    ///
    /// # Panics
    /// If the part is not in the tile, or the column is no multiple of 8.
    #[track_caller]
    pub fn load<const R: usize, const C: usize>(tile: &SharedTile<T, R, C>, at: [usize; 2]) -> Self {
        let _ = (tile, at);
        outside("Right::load")
    }

    /// Loads the transposed of the part of a tile that begins at `[row, column]`, `N` × `K` elements: a column of the operand is a row of
    /// the tile. All 32 lanes take part, with the same place.
    ///
    /// # Panics
    /// If the part is not in the tile, or the column does not begin at a multiple of 16 bytes.
    #[track_caller]
    pub fn load_transposed<const R: usize, const C: usize>(
        tile: &SharedTile<T, R, C>,
        at: [usize; 2],
    ) -> Self {
        let _ = (tile, at);
        outside("Right::load_transposed")
    }
}

impl<S: SumElement, const M: usize, const N: usize> Acc<S, M, N> {
    /// Zeros.
    #[track_caller]
    pub fn zero() -> Self {
        outside("Acc::zero")
    }

    /// Adds the product of two matrices, by the tensor cores. All 32 lanes take part.
    ///
    /// Products are exact. PTX leaves the order and the precision of the sums of floats open: see [`warp::mma`](crate::device::warp::mma). Sums
    /// of integers wrap.
    pub fn mma<T: MatrixElement, const K: usize>(&mut self, left: &Left<T, M, K>, right: &Right<T, K, N>) {
        let _ = (left, right);
        match self.never {}
    }

    /// Adds the product of two tiles in shared memory: of 16 rows of the left one, those from `16 * warp_id()` on, and of the right one. `M` is 16.
    ///
    /// On `sm_90a` each four warps of a block multiply 64 rows at once by `wgmma` (PTX ISA), so that all of the four come here together; for `f16`
    /// and `bf16`, where `R` and the rows of the tiles are multiples of 64. Elsewhere each warp loads and multiplies fragments.
    ///
    /// A group one of whose threads may have panicked before meets first, and ends if one is missing.
    ///
    /// # Panics
    /// If the left tile has no such rows.
    pub fn mma_tiles<T: MatrixElement, const R: usize, const D: usize>(
        &mut self,
        left: &SharedTile<T, R, D>,
        right: &SharedTile<T, D, N>,
    ) {
        let _ = (left, right);
        match self.never {}
    }

    /// As [`mma_tiles`](Acc::mma_tiles), of a right tile that holds the transposed matrix: its columns are the tile's rows. Of `i8` and `u8`, too.
    pub fn mma_tiles_transposed<T: MatrixElement, const R: usize, const D: usize>(
        &mut self,
        left: &SharedTile<T, R, D>,
        right: &SharedTile<T, N, D>,
    ) {
        let _ = (left, right);
        match self.never {}
    }

    /// The product that [`mma_tiles`](Acc::mma_tiles) adds, without zeros to begin with.
    #[track_caller]
    #[must_use]
    pub fn of_tiles<T: MatrixElement, const R: usize, const D: usize>(
        left: &SharedTile<T, R, D>,
        right: &SharedTile<T, D, N>,
    ) -> Self {
        let _ = (left, right);
        outside("Acc::of_tiles")
    }

    /// The product that [`mma_tiles_transposed`](Acc::mma_tiles_transposed) adds.
    #[track_caller]
    #[must_use]
    pub fn of_tiles_transposed<T: MatrixElement, const R: usize, const D: usize>(
        left: &SharedTile<T, R, D>,
        right: &SharedTile<T, N, D>,
    ) -> Self {
        let _ = (left, right);
        outside("Acc::of_tiles_transposed")
    }

    /// Adds a part of the product of two tiles in shared memory, the left one of which holds the transposed matrix: its rows are the tile's columns. Each
    /// four warps of the block add the 64 rows and `N` columns that begin at `[row, column]`, which they may choose; this warp has the 16 rows
    /// from `row + 16 * (warp_id() % 4)` on. `M` is 16, tiles are of `f16` or `bf16`, and `N`, the columns of the tiles and the place are multiples
    /// of 64.
    ///
    /// On `sm_90a` the four multiply together by `wgmma`, as in [`mma_tiles`](Acc::mma_tiles).
    ///
    /// # Panics
    /// If the part is not in the product.
    pub fn mma_left_transposed<T: MatrixElement, const D: usize, const R: usize, const C: usize>(
        &mut self,
        left: &SharedTile<T, D, R>,
        right: &SharedTile<T, D, C>,
        at: [usize; 2],
    ) {
        let _ = (left, right, at);
        match self.never {}
    }

    /// The product that [`mma_left_transposed`](Acc::mma_left_transposed) adds.
    #[track_caller]
    #[must_use]
    pub fn of_left_transposed<T: MatrixElement, const D: usize, const R: usize, const C: usize>(
        left: &SharedTile<T, D, R>,
        right: &SharedTile<T, D, C>,
        at: [usize; 2],
    ) -> Self {
        let _ = (left, right, at);
        outside("Acc::of_left_transposed")
    }

    /// As [`mma_tiles`](Acc::mma_tiles), of a left matrix in the registers of each warp.
    pub fn mma_tile<T: MatrixElement, const D: usize>(
        &mut self,
        left: &Left<T, M, D>,
        right: &SharedTile<T, D, N>,
    ) {
        let _ = (left, right);
        match self.never {}
    }

    /// As [`mma_tile`](Acc::mma_tile), of a right tile that holds the transposed matrix.
    pub fn mma_tile_transposed<T: MatrixElement, const D: usize>(
        &mut self,
        left: &Left<T, M, D>,
        right: &SharedTile<T, N, D>,
    ) {
        let _ = (left, right);
        match self.never {}
    }

    /// Makes the sums the left matrix of another product, each rounded to the nearest, ties to even. The lanes hold both alike, so that nothing is
    /// exchanged. `T` is `f16` or `bf16`, and `N` a multiple of 16.
    #[must_use]
    pub fn to_left<T: MatrixElement + OfSum<S>>(self) -> Left<T, M, N> {
        match self.never {}
    }

    /// The largest sum of each row, as `f32::max` finds it. All 32 lanes take part.
    #[must_use]
    pub fn row_max(&self) -> Rows<S, M> {
        match self.never {}
    }

    /// The least sum of each row, as `f32::min` finds it. All 32 lanes take part.
    #[must_use]
    pub fn row_min(&self) -> Rows<S, M> {
        match self.never {}
    }

    /// The sum of each row: each lane's, from left to right by pairs, then those of four lanes. All 32 lanes take part.
    #[must_use]
    pub fn row_sum(&self) -> Rows<S, M> {
        match self.never {}
    }

    /// Applies a function to each sum and the number of its row. The results may be of another type, as in [`map`](Acc::map).
    #[must_use]
    pub fn map_rows<U: Copy, V: SumElement>(self, rows: Rows<U, M>, f: impl Fn(S, U) -> V) -> Acc<V, M, N> {
        let _ = (rows, f);
        match self.never {}
    }

    /// Applies a function to each sum and that at the same place of the others; both, and the results, may be of different types.
    #[must_use]
    pub fn zip<U: SumElement, V: SumElement>(
        self,
        others: Acc<U, M, N>,
        f: impl Fn(S, U) -> V,
    ) -> Acc<V, M, N> {
        let _ = (others, f);
        match self.never {}
    }

    /// Applies a function to each sum. The results may be of another type that sums have: `sum.map(|x| scale * x as f32)` of sums of `i32` is one of
    /// `f32`, and stored as such.
    #[must_use]
    pub fn map<V: SumElement>(self, f: impl Fn(S) -> V) -> Acc<V, M, N> {
        let _ = f;
        match self.never {}
    }

    /// Applies a function to each row, column and sum; rows and columns are counted from the fragment's first. The results may be of another type, as in
    /// [`map`](Acc::map).
    #[must_use]
    pub fn map_at<V: SumElement>(self, f: impl Fn(usize, usize, S) -> V) -> Acc<V, M, N> {
        let _ = f;
        match self.never {}
    }

    /// Calls a function with each row, column and sum, one lane for each; rows and columns are counted from the fragment's first. For sums that go to
    /// other places than [`store`](Acc::store) puts them at: `sum.for_each(|r, q, x| c[[column + q, row + r]] = x)` is the transposed of it, for one.
    pub fn for_each(&self, f: impl FnMut(usize, usize, S)) {
        let _ = f;
        match self.never {}
    }

    /// Stores the sums in the part of a matrix that begins at `[row, column]`, those inside of the matrix.
    pub fn store<T: OfSum<S>>(&self, to: &mut MatrixMut<'_, T>, at: [usize; 2]) {
        let _ = (to, at);
        match self.never {}
    }
}

impl<const M: usize, const N: usize> Acc<f32, M, N> {
    /// Adds the sums to the part of a matrix that begins at `[row, column]`, those inside of the matrix: each in one step among all threads of the
    /// device, as [`fetch_add`](AtomicF32::fetch_add), and in no order. The matrix is `Matrix::new(elements, [rows, columns])` of `elements: &[AtomicF32]`.
    ///
    /// From sm_90 on two neighbours are added by one `red` (PTX ISA), in matrices in global memory with rows and columns at multiples of 8 bytes.
    pub fn add_to(&self, to: &Matrix<'_, AtomicF32>, at: [usize; 2]) {
        let _ = (to, at);
        match self.never {}
    }
}

impl<T: Copy, const M: usize> Rows<T, M> {
    /// One number for all rows.
    #[track_caller]
    pub fn splat(value: T) -> Self {
        let _ = value;
        outside("Rows::splat")
    }

    /// The function's number for each row, counted from the fragment's first. Four lanes call it for each.
    #[track_caller]
    pub fn from_fn(f: impl Fn(usize) -> T) -> Self {
        let _ = f;
        outside("Rows::from_fn")
    }

    /// Calls a function with each row, counted from the fragment's first, and its number: one lane for each.
    pub fn for_each(self, f: impl FnMut(usize, T)) {
        let _ = f;
        match self.never {}
    }

    /// Applies a function to each number; the results may be of another type.
    #[must_use]
    pub fn map<U: Copy>(self, f: impl Fn(T) -> U) -> Rows<U, M> {
        let _ = f;
        match self.never {}
    }

    /// Applies a function to each number and that of the same row; the results may be of another type.
    #[must_use]
    pub fn zip<U: Copy, V: Copy>(self, other: Rows<U, M>, f: impl Fn(T, U) -> V) -> Rows<V, M> {
        let _ = (other, f);
        match self.never {}
    }
}
