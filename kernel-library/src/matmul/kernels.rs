//! Kernels for products of matrices: tiles of 128 × 256 or 128 × 128 sums for a block at a time by groups of four warps, for Hopper, and of
//! 128 × 128 by warps of their own; those of `f32` by threads, and by tensor cores from parts of the elements.

#![allow(clippy::needless_range_loop, reason = "unrolled loops name registers by their numbers")]

pub use items::*;

#[kernel_runtime::prelude::kernel_module]
mod items {
    use kernel_runtime::prelude::*;

    /// [`Activation::None`](crate::Activation) as a kernel takes it.
    pub const NONE: u32 = 0;
    /// [`Activation::Relu`](crate::Activation)
    pub const RELU: u32 = 1;
    /// [`Activation::Gelu`](crate::Activation)
    pub const GELU: u32 = 2;
    /// [`Activation::Silu`](crate::Activation)
    pub const SILU: u32 = 3;

    /// By the tangent: `x` times the normal distribution's integral to `x`, within 0.001 (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016).
    #[device]
    fn gelu(x: f32) -> f32 {
        let half = 0.5 * x;
        half + half * fast::tanh(0.797_884_6 * x * (1.0 + 0.044_715 * x * x))
    }

    /// `x / (1 + exp(-x))`
    #[device]
    fn silu(x: f32) -> f32 {
        let half = 0.5 * x;
        half + half * fast::tanh(half)
    }

    /// Scales sums, adds the bias of their columns, if there is one, applies the activation, and stores them.
    #[device]
    fn finish<T: OfSum, const M: usize, const N: usize>(
        sum: warp::Acc<f32, M, N>,
        at: [usize; 2],
        scale: f32,
        bias: &[f32],
        activation: u32,
        c: &mut MatrixMut<'_, T>,
    ) {
        // A plain product has nothing to merge sums of several ways for.
        if scale == 1.0 && bias.is_empty() && activation == NONE {
            sum.store(c, at);
            return;
        }
        let mut sum = sum.map(|x| scale * x);
        if !bias.is_empty() {
            sum = sum.map_at(|_, column, x| {
                let column = at[1] + column;
                if column < bias.len() { x + bias[column] } else { x }
            });
        }
        if activation == RELU {
            sum = sum.map(|x| x.max(0.0));
        } else if activation == GELU {
            sum = sum.map(gelu);
        } else if activation == SILU {
            sum = sum.map(silu);
        }
        sum.store(c, at);
    }

    /// By groups of four warps: R × W sums for a block at a time, in stages of D elements along K.
    #[device]
    fn groups<T: MatrixElement, O: OfSum, const R: usize, const D: usize, const W: usize>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, O>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, R, D>, SharedTile<T, D, W>), 4>>();
        stages[0].multiply_tiles(
            [c.rows(), c.columns()],
            a.columns().div_ceil(D),
            |(left, right), [row, column], step| {
                (left.load(&a, [row, D * step]), right.load(&b, [D * step, column]))
            },
            |sum: warp::Acc<f32, 16, W>, at| finish(sum, at, scale, bias, activation, &mut c),
        );
    }

    /// By groups of four warps: R × W sums for a block at a time, in stages of D elements along K.
    #[device]
    fn groups_transposed<T: MatrixElement, O: OfSum, const R: usize, const D: usize, const W: usize>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, O>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, R, D>, SharedTile<T, W, D>), 4>>();
        stages[0].multiply_transposed_tiles(
            [c.rows(), c.columns()],
            a.columns().div_ceil(D),
            |(left, right), [row, column], step| {
                (left.load(&a, [row, D * step]), right.load(&b, [column, D * step]))
            },
            |sum: warp::Acc<f32, 16, W>, at| finish(sum, at, scale, bias, activation, &mut c),
        );
    }

    /// By warps: 128 × 128 sums for a block, 64 × 64 in the registers of each warp, in stages of D elements along K.
    #[device]
    fn warps<T: MatrixElement, O: OfSum, const D: usize>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, O>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, D>, SharedTile<T, D, 128>), 3>>();
        let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
        let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
        let mut sum = warp::Acc::<f32, 64, 64>::zero();
        stages[0].multiply(a.columns().div_ceil(D), [y, x], &mut sum, |(left, right), step| {
            (left.load(&a, [row, D * step]), right.load(&b, [D * step, column]))
        });
        finish(sum, [row + y, column + x], scale, bias, activation, &mut c);
    }

    /// By warps: 128 × 128 sums for a block, 64 × 64 in the registers of each warp, in stages of D elements along K.
    #[device]
    fn warps_transposed<T: MatrixElement, O: OfSum, const D: usize>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, O>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, D>, SharedTile<T, 128, D>), 3>>();
        let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
        let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
        let mut sum = warp::Acc::<f32, 64, 64>::zero();
        stages[0].multiply_transposed(a.columns().div_ceil(D), [y, x], &mut sum, |(left, right), step| {
            (left.load(&a, [row, D * step]), right.load(&b, [column, D * step]))
        });
        finish(sum, [row + y, column + x], scale, bias, activation, &mut c);
    }

    /// The stage of a step of [`groups_of_parts`] and [`warps_of_parts`]: whether the left and the right tile are of small parts, and where they begin along K.
    #[device]
    fn parts_of_step(step: usize) -> (bool, bool, usize) {
        let part = step % 3;
        (part == 0, part == 1, 32 * (step / 3))
    }

    /// By groups of four warps: R × W sums for a block at a time, of matrices whose upper halves have the large parts of all elements, and the lower halves the
    /// small ones. For each 32 elements along K the products of small and large parts come first, then those of large ones.
    #[device]
    fn groups_of_parts<const R: usize, const W: usize>(
        a: Matrix<'_, f32>,
        b: Matrix<'_, f32>,
        mut c: MatrixMut<'_, f32>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<f32, R, 32>, SharedTile<f32, W, 32>), 4>>();
        let (rows, columns) = (c.rows(), c.columns());
        stages[0].multiply_transposed_tiles_promoted(
            [rows, columns],
            3 * a.columns().div_ceil(32),
            |(left, right), [row, column], step| {
                let (left_is_small, right_is_small, at) = parts_of_step(step);
                let row = if left_is_small { rows + row } else { row };
                let column = if right_is_small { columns + column } else { column };
                (left.load(&a, [row, at]), right.load(&b, [column, at]))
            },
            |sum: warp::Acc<f32, 16, W>, at| finish(sum, at, scale, bias, activation, &mut c),
        );
    }

    /// By warps: 128 × 128 sums for a block, 64 × 32 in the registers of each warp, of matrices as [`groups_of_parts`] takes them.
    #[device]
    fn warps_of_parts(
        a: Matrix<'_, f32>,
        b: Matrix<'_, f32>,
        mut c: MatrixMut<'_, f32>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<f32, 128, 32>, SharedTile<f32, 128, 32>), 3>>();
        let (rows, columns) = (c.rows(), c.columns());
        let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
        let (y, x) = (64 * (warp::warp_id() / 4), 32 * (warp::warp_id() % 4));
        let mut sum = warp::Acc::<f32, 64, 32>::zero();
        stages[0].run(
            3 * a.columns().div_ceil(32),
            |(left, right), step| {
                let (left_is_small, right_is_small, at) = parts_of_step(step);
                let row = if left_is_small { rows + row } else { row };
                let column = if right_is_small { columns + column } else { column };
                (left.load(&a, [row, at]), right.load(&b, [column, at]))
            },
            |(left, right)| {
                let mut product = warp::Acc::<f32, 64, 32>::zero();
                #[unroll]
                for part in 0..4 {
                    let rows = warp::Left::<f32, 64, 8>::load(left, [y, 8 * part]);
                    product.mma(&rows, &warp::Right::<f32, 8, 32>::load_transposed(right, [x, 8 * part]));
                }
                // Tensor cores cut off the last bits of what they add to.
                sum = sum.zip(product, |sum, product| sum + product);
            },
        );
        finish(sum, [row + y, column + x], scale, bias, activation, &mut c);
    }

    /// By threads, without tensor cores: R × W sums for a block, 8 × W / 16 for each thread, of the transposed left matrix. A sum is that of fused multiply-adds
    /// along K.
    #[device]
    fn threads<const R: usize, const W: usize>(
        a: Matrix<'_, f32>,
        b: Matrix<'_, f32>,
        mut c: MatrixMut<'_, f32>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<f32, 32, R>, SharedTile<f32, 32, W>), 2>>();
        let [row, column] = tile_of_bands::<R, W>(c.rows(), c.columns());
        // A warp has 64 rows and a quarter of the columns. Its lanes, 8 × 4, read neighbouring vectors of each 32 rows, and of each 16 columns: those at which
        // all lanes are in one row of shared memory.
        let (warp, lane) = (warp::warp_id(), warp::lane_id());
        let (y, x) = (64 * (warp % (R / 64)) + 4 * (lane / 4), W / 4 * (warp / (R / 64)) + 4 * (lane % 4));
        // Of columns as many as W / 64 of these.
        let mut sums = [[F32x4::splat(0.0); 4]; 8];
        stages[0].run_in_parts::<32, _>(
            b.rows().div_ceil(32),
            |(left, right), step| (left.load(&a, [32 * step, row]), right.load(&b, [32 * step, column])),
            |(left, right), k| {
                let (mut of_left, mut of_right) = ([F32x4::splat(0.0); 2], [F32x4::splat(0.0); 4]);
                #[unroll]
                for i in 0..2 {
                    of_left[i] = left.vector_at(k, y + 32 * i);
                }
                #[unroll]
                for j in 0..W / 64 {
                    of_right[j] = right.vector_at(k, x + 16 * j);
                }
                (of_left, of_right)
            },
            |(of_left, of_right)| {
                #[unroll]
                for i in 0..8 {
                    #[unroll]
                    for j in 0..W / 64 {
                        sums[i][j] = F32x4::splat(of_left[i / 4][i % 4]).mul_add(of_right[j], sums[i][j]);
                    }
                }
            },
        );
        if scale != 1.0 || !bias.is_empty() || activation != NONE {
            #[unroll]
            for j in 0..W / 64 {
                let mut of_bias = F32x4::splat(0.0);
                #[unroll]
                for n in 0..4 {
                    let at = column + x + 16 * j + n;
                    if at < bias.len() {
                        of_bias[n] = bias[at];
                    }
                }
                #[unroll]
                for i in 0..8 {
                    sums[i][j] = F32x4::splat(scale) * sums[i][j] + of_bias;
                }
            }
            if activation == RELU {
                map_sums(&mut sums, W / 64, |x| x.max(0.0));
            } else if activation == GELU {
                map_sums(&mut sums, W / 64, gelu);
            } else if activation == SILU {
                map_sums(&mut sums, W / 64, silu);
            }
        }
        #[unroll]
        for i in 0..8 {
            #[unroll]
            for j in 0..W / 64 {
                c.store_vector([row + y + 32 * (i / 4) + i % 4, column + x + 16 * j], sums[i][j]);
            }
        }
    }

    /// The first row and column of this block's tile: eight tiles below each other before the next column, whose loads then meet in the cache.
    #[device]
    fn tile_of_bands<const R: usize, const W: usize>(rows: usize, columns: usize) -> [usize; 2] {
        let (down, across) = (rows.div_ceil(R), columns.div_ceil(W));
        let (band, place) = (block_idx().x / (8 * across), block_idx().x % (8 * across));
        let height = (down - 8 * band).min(8);
        [R * (8 * band + place % height), W * (place / height)]
    }

    /// Applies a function to the first so many vectors of each row.
    #[device]
    fn map_sums(sums: &mut [[F32x4; 4]; 8], columns: usize, f: impl Fn(f32) -> f32) {
        #[unroll]
        for i in 0..8 {
            #[unroll]
            for j in 0..4 {
                if j < columns {
                    #[unroll]
                    for n in 0..4 {
                        sums[i][j][n] = f(sums[i][j][n]);
                    }
                }
            }
        }
    }

    /// Declares kernels: attributes, name, generic parameters, elements, those of the product, and the function that they are.
    macro_rules! kernels {
        ($($(#[$attribute:meta])* $name:ident [$($generics:tt)*] $element:ident $output:ident $function:expr;)*) => {$(
            $(#[$attribute])*
            pub fn $name<$($generics)*>(
                a: Matrix<'_, $element>,
                b: Matrix<'_, $element>,
                c: MatrixMut<'_, $output>,
                bias: &[f32],
                scale: f32,
                activation: u32,
            ) {
                $function(a, b, c, bias, scale, activation);
            }
        )*};
    }
    kernels! {
        /// C = A B, for Hopper.
        #[kernel(block(2 * R + 128), arch(sm_90a), instances(T = [f16, bf16], R = [64, 128], W = [128, 256]))]
        matmul_groups [T: MatrixElement + OfSum, const R: usize, const W: usize] T T groups::<T, T, R, 64, W>;
        /// C = A Bᵀ, for Hopper.
        #[kernel(block(2 * R + 128), arch(sm_90a), instances(T = [f16, bf16], R = [64, 128], W = [128, 256]))]
        matmul_groups_transposed [T: MatrixElement + OfSum, const R: usize, const W: usize] T T groups_transposed::<T, T, R, 64, W>;
        /// C = A Bᵀ of floats of eight bits, for Hopper: sums of a stage are added to the others in `f32`.
        #[kernel(block(2 * R + 128), arch(sm_90a), instances(T = [E4M3, E5M2], R = [64, 128], W = [128, 192]))]
        matmul_groups_bytes [T: MatrixElement, const R: usize, const W: usize] T bf16 groups_transposed::<T, bf16, R, 128, W>;
        /// C = A Bᵀ of `f32` as tf32, for Hopper.
        #[kernel(block(2 * R + 128), arch(sm_90a), instances(R = [64, 128], W = [128, 256]))]
        matmul_groups_tf32 [const R: usize, const W: usize] f32 f32 groups_transposed::<f32, f32, R, 32, W>;
        /// C = A B.
        #[kernel(block(128), launch_bounds(128, 2), arch(sm_80), instances(T = [f16, bf16]))]
        matmul_warps [T: MatrixElement + OfSum] T T warps::<T, T, 64>;
        /// C = A Bᵀ.
        #[kernel(block(128), launch_bounds(128, 2), arch(sm_80), instances(T = [f16, bf16]))]
        matmul_warps_transposed [T: MatrixElement + OfSum] T T warps_transposed::<T, T, 64>;
        /// C = A B of floats of eight bits: by instructions of their own from sm_89 on.
        #[kernel(block(128), launch_bounds(128, 2), arch(sm_80, sm_89), instances(T = [E4M3, E5M2]))]
        matmul_warps_bytes [T: MatrixElement] T bf16 warps::<T, bf16, 128>;
        /// C = A Bᵀ of floats of eight bits.
        #[kernel(block(128), launch_bounds(128, 2), arch(sm_80, sm_89), instances(T = [E4M3, E5M2]))]
        matmul_warps_bytes_transposed [T: MatrixElement] T bf16 warps_transposed::<T, bf16, 128>;
        /// C = A B of `f32` as tf32.
        #[kernel(block(128), launch_bounds(128, 2), arch(sm_80, sm_90))]
        matmul_warps_tf32 [] f32 f32 warps::<f32, f32, 32>;
        /// C = A Bᵀ of `f32` as tf32.
        #[kernel(block(128), launch_bounds(128, 2), arch(sm_80, sm_90))]
        matmul_warps_tf32_transposed [] f32 f32 warps_transposed::<f32, f32, 32>;
        /// C = A Bᵀ of `f32` by their parts, which [`split`] finds, for Hopper: three products of tf32.
        #[kernel(block(2 * R + 128), arch(sm_90a), instances(R = [64, 128], W = [128, 192]))]
        matmul_groups_tf32x3 [const R: usize, const W: usize] f32 f32 groups_of_parts::<R, W>;
        /// C = A Bᵀ of `f32` by their parts, which [`split`] finds: three products of tf32.
        #[kernel(block(256), launch_bounds(256, 1), arch(sm_80, sm_90))]
        matmul_warps_tf32x3 [] f32 f32 warps_of_parts;
        /// C = A B of `f32` without tensor cores, of the transposed A.
        #[kernel(block(2 * R), arch(sm_80), instances(R = [64, 128], W = [128, 256]))]
        matmul_f32 [const R: usize, const W: usize] f32 f32 threads::<R, W>;
    }

    /// Hands a function each element of a matrix with its row and column, those of blocks of 8 × 128.
    #[device]
    fn for_each<T: MatrixElement>(x: Matrix<'_, T>, mut put: impl FnMut(usize, usize, T)) {
        let row = 8 * block_idx().x + thread_idx().y;
        #[unroll]
        for i in 0..4 {
            let column = 128 * block_idx().y + 32 * i + thread_idx().x;
            if row < x.rows() && column < x.columns() {
                put(row, column, x[[row, column]]);
            }
        }
    }

    /// As [`for_each`] of the transposed matrix, those of blocks of 32 × 32.
    #[device]
    fn for_each_transposed<T: MatrixElement>(x: Matrix<'_, T>, mut put: impl FnMut(usize, usize, T)) {
        let mut tile = shared::<[[T; 33]; 32]>();
        let (column, row) = (32 * block_idx().x, 32 * block_idx().y);
        let (t, u) = (thread_idx().x, thread_idx().y);
        for i in 0..4 {
            let (from_row, from_column) = (row + u + 8 * i, column + t);
            if from_row < x.rows() && from_column < x.columns() {
                tile[u + 8 * i][t] = x[[from_row, from_column]];
            }
        }
        barrier();
        for i in 0..4 {
            let (to_row, to_column) = (column + u + 8 * i, row + t);
            if to_row < x.columns() && to_column < x.rows() {
                put(to_row, to_column, tile[t][u + 8 * i]);
            }
        }
    }

    #[device]
    fn put<T: MatrixElement>(y: &mut MatrixMut<'_, T>, row: usize, column: usize, x: T) {
        if row < y.rows() && column < y.columns() {
            y[[row, column]] = x;
        }
    }

    /// Puts the parts of an element, the nearest number of tf32 and what is left, into the upper and the lower half of a matrix. What is left has 13
    /// bits, of which the products take 11.
    #[device]
    fn put_parts(y: &mut MatrixMut<'_, f32>, row: usize, column: usize, x: f32) {
        let bits = x.to_bits();
        let nearest = f32::from_bits(bits.wrapping_add(0xfff + (bits >> 13 & 1)) & !0x1fff);
        // That of the largest numbers is infinite.
        let large = if nearest.is_finite() { nearest } else { f32::from_bits(bits & !0x1fff) };
        put(y, row, column, large);
        put(y, y.rows() / 2 + row, column, x - large);
    }

    /// A matrix of the same elements, in memory with rows that begin where tensor maps and asynchronous copies read them.
    #[kernel(block(32, 8), instances(T = [f16, bf16, f32, E4M3, E5M2]))]
    pub fn copy<T: MatrixElement>(x: Matrix<'_, T>, mut y: MatrixMut<'_, T>) {
        for_each(x, |row, column, element| put(&mut y, row, column, element));
    }

    /// The transposed matrix: `wgmma` takes right matrices column by column only, but for those of 16 bits.
    #[kernel(block(32, 8), instances(T = [f16, bf16, f32, E4M3, E5M2]))]
    pub fn transpose<T: MatrixElement>(x: Matrix<'_, T>, mut y: MatrixMut<'_, T>) {
        for_each_transposed(x, |row, column, element| put(&mut y, row, column, element));
    }

    /// The parts of the elements of a matrix: the large ones above the small ones.
    #[kernel(block(32, 8))]
    pub fn split(x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>) {
        for_each(x, |row, column, element| put_parts(&mut y, row, column, element));
    }

    /// The parts of the elements of the transposed matrix.
    #[kernel(block(32, 8))]
    pub fn split_transposed(x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>) {
        for_each_transposed(x, |row, column, element| put_parts(&mut y, row, column, element));
    }
}
