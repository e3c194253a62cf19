//! Products of matrices.

use half::{bf16, f16};
use kernel_runtime::device::{E4M3, E5M2};
use kernel_runtime::{BufferMatrix, BufferMatrixMut, DeviceBuffer, Element, Launch, LaunchReport, Stream};

use self::kernels::*;
use crate::error::{Error, Result};

/// Kernels for products of matrices: tiles of 128 × 256 or 128 × 128 sums for a block at a time by groups of four warps, for Hopper, and of
/// 128 × 128 by warps of their own.
#[kernel_runtime::prelude::kernel_module]
pub mod kernels {
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
        #[kernel(block(128), launch_bounds(128, 2), arch(sm_80))]
        matmul_warps_tf32 [] f32 f32 warps::<f32, f32, 32>;
        /// C = A Bᵀ of `f32` as tf32.
        #[kernel(block(128), launch_bounds(128, 2), arch(sm_80))]
        matmul_warps_tf32_transposed [] f32 f32 warps_transposed::<f32, f32, 32>;
    }

    /// The transposed matrix: `wgmma` takes right matrices column by column only, but for those of 16 bits.
    #[kernel(block(32, 8), instances(T = [f16, bf16, f32, E4M3, E5M2]))]
    pub fn transpose<T: MatrixElement>(x: Matrix<'_, T>, mut y: MatrixMut<'_, T>) {
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
            if to_row < y.rows() && to_column < y.columns() {
                y[[to_row, to_column]] = tile[t][u + 8 * i];
            }
        }
    }
}

/// A function that is applied to each element of a product before it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activation {
    /// None.
    #[default]
    None,
    /// `x` if it is positive, else 0.
    Relu,
    /// `x` times the normal distribution's integral to `x`, by the hyperbolic tangent, within 0.001.
    Gelu,
    /// `x / (1 + exp(-x))`, within 0.001.
    Silu,
}

/// A product of matrices that is to be computed: [`matmul`].
#[derive(Debug)]
#[must_use = "a product is not computed until `.run()` or `.start(&stream)`"]
pub struct Matmul<'a, T: MatmulElement> {
    a: BufferMatrix<'a, T>,
    b: BufferMatrix<'a, T>,
    c: BufferMatrixMut<'a, T::Output>,
    bias: Option<&'a DeviceBuffer<f32>>,
    scale: f32,
    activation: Activation,
    transposed: bool,
}

/// The product of two matrices, `c = activation(scale * a b + bias)`, by tensor cores: with sums in `f32`, of any sizes.
///
/// | elements of `a` and `b` | of `c` | `b` |
/// |---|---|---|
/// | `f16` | `f16` | as it is, or [transposed](Matmul::transposed) |
/// | `bf16` | `bf16` | the same |
/// | `f32`, rounded to tf32: 10 bits behind the point, ties to even | `f32` | the same |
/// | `E4M3`, `E5M2` | `bf16` | the same |
///
/// Devices need compute capability 8.0. Those of 9.0 (Hopper) multiply by groups of four warps, from tiles that tensor maps copy: rows of `a` and `b` that
/// begin at multiples of 16 bytes are the fast ones. There a right matrix as it is, but of elements of 16 bits, is transposed first, in memory that is
/// allocated for it: keep those transposed that are multiplied often.
///
/// ```
/// use kernel_library::matmul;
/// use kernel_runtime::prelude::*;
///
/// let gpu = Gpu::new()?;
/// // Weights of a layer with 3 inputs and 2 outputs, a row for each output.
/// let weights = gpu.upload(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(E4M3::from_f32))?;
/// let inputs = gpu.upload(&[1.0, 0.5, 2.0].map(E4M3::from_f32))?;
/// let mut outputs = gpu.zeros::<bf16>(2)?;
/// matmul(inputs.matrix(1, 3)?, weights.matrix(2, 3)?, outputs.matrix_mut(1, 2)?).transposed().scale(0.5).run()?;
/// assert_eq!(outputs.to_vec()?, [4.0, 9.25].map(bf16::from_f32));
/// # Ok::<(), kernel_library::Error>(())
/// ```
#[doc(alias("gemm", "cublasGemmEx", "cublasLtMatmul"))]
pub fn matmul<'a, T: MatmulElement>(
    a: BufferMatrix<'a, T>,
    b: BufferMatrix<'a, T>,
    c: BufferMatrixMut<'a, T::Output>,
) -> Matmul<'a, T> {
    Matmul { a, b, c, bias: None, scale: 1.0, activation: Activation::None, transposed: false }
}

impl<'a, T: MatmulElement> Matmul<'a, T> {
    /// Takes `b` as the transposed right matrix: a row for each column of `c`, as weights of neurons are stored.
    pub fn transposed(mut self) -> Self {
        self.transposed = true;
        self
    }

    /// Adds a number to each column of the product.
    pub fn bias(mut self, bias: &'a DeviceBuffer<f32>) -> Self {
        self.bias = Some(bias);
        self
    }

    /// Multiplies the product, before the bias is added: by the scales of quantised matrices, say.
    pub fn scale(mut self, scale: f32) -> Self {
        self.scale = scale;
        self
    }

    /// Applies a function to each element before it is stored.
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    /// Computes the product and waits for it.
    ///
    /// # Errors
    /// [`Error::Shape`] if the sizes do not fit each other; [`Error::Kernel`] as
    /// [`Launch::run`](kernel_runtime::Launch::run).
    pub fn run(self) -> Result<LaunchReport> {
        self.launched(|transposition| transposition.run().map(|_| ()), |product| product.run())
    }

    /// Starts the product on a stream.
    ///
    /// # Errors
    /// As [`run`](Self::run), but for those of the kernel's run.
    pub fn start(self, stream: &Stream) -> Result<()> {
        self.launched(|transposition| transposition.start(stream), |product| product.start(stream))
    }

    /// Launches the kernel, behind that which transposes the right matrix where the device multiplies transposed ones only.
    fn launched<R>(
        self,
        transpose: impl FnOnce(Launch<'_>) -> kernel_runtime::Result<()>,
        multiply: impl FnOnce(Launch<'_>) -> kernel_runtime::Result<R>,
    ) -> Result<R> {
        self.check()?;
        let gpu = self.c.gpu();
        if T::IS_TRANSPOSED_BEFORE && !self.transposed && self.has_groups() {
            let (inner, columns) = (self.b.rows(), self.b.columns());
            let mut turned = gpu.zeros::<T>(inner * columns)?;
            transpose(T::transposition(self.b, turned.matrix_mut(columns, inner)?))?;
            let product = Matmul { b: turned.matrix(columns, inner)?, transposed: true, ..self };
            return Ok(multiply(T::launch(product))?);
        }
        Ok(multiply(T::launch(self))?)
    }

    fn check(&self) -> Result<()> {
        let shape = |rows: usize, columns: usize| format!("{rows} × {columns}");
        let (rows, inner, columns) = (self.a.rows(), self.a.columns(), self.c.columns());
        let right = if self.transposed { [columns, inner] } else { [inner, columns] };
        if [self.b.rows(), self.b.columns()] != right {
            return Err(Error::Shape {
                expected: format!(
                    "a right matrix of {}, for a left one of {} and a product with {columns} columns",
                    shape(right[0], right[1]),
                    shape(rows, inner)
                ),
                found: format!("one of {}", shape(self.b.rows(), self.b.columns())),
                help: "take matrices of `rows × inner`, `inner × columns` and `rows × columns`, or with `.transposed()` a right one of `columns × inner`",
            });
        }
        if self.c.rows() != rows {
            return Err(Error::Shape {
                expected: format!("a product with {rows} rows, as the left matrix has"),
                found: format!("one of {}", shape(self.c.rows(), columns)),
                help: "take matrices of `rows × inner`, `inner × columns` and `rows × columns`",
            });
        }
        if let Some(bias) = self.bias
            && bias.len() != columns
        {
            return Err(Error::Shape {
                expected: format!("a bias for each of {columns} columns of the product"),
                found: format!("{}", bias.len()),
                help: "take as many as the product has columns",
            });
        }
        Ok(())
    }

    /// Returns true if the device has products by groups of four warps.
    fn has_groups(&self) -> bool {
        self.c.gpu().attributes().compute_capability == (9, 0)
    }

    /// The rows and columns of tiles for groups of warps that take the least time: smaller ones multiply slower, but may fill the device.
    fn tile(&self, candidates: &[[usize; 2]]) -> [usize; 2] {
        let blocks = self.c.gpu().attributes().sms.max(1) as usize;
        let time = |&[rows, columns]: &[usize; 2]| {
            let tiles = self.c.rows().div_ceil(rows) * self.c.columns().div_ceil(columns);
            // Loads of both tiles are beside the products.
            tiles.div_ceil(blocks) * (rows * columns + 32 * (rows + columns))
        };
        candidates.iter().copied().min_by_key(time).unwrap_or([128, 128])
    }

    fn number_of_activation(&self) -> u32 {
        match self.activation {
            Activation::None => NONE,
            Activation::Relu => RELU,
            Activation::Gelu => GELU,
            Activation::Silu => SILU,
        }
    }
}

mod sealed {
    use kernel_runtime::{BufferMatrix, BufferMatrixMut, Launch};

    use super::{Matmul, MatmulElement};

    pub trait Sealed: Sized {
        /// True if groups of warps multiply by transposed matrices only, which [`transposition`](Self::transposition) makes of others.
        const IS_TRANSPOSED_BEFORE: bool;

        fn launch(product: Matmul<'_, Self>) -> Launch<'_>
        where
            Self: MatmulElement;

        fn transposition<'a>(x: BufferMatrix<'a, Self>, y: BufferMatrixMut<'a, Self>) -> Launch<'a>;
    }
}

/// An element of matrices that [`matmul`] multiplies.
pub trait MatmulElement: Element + sealed::Sealed {
    /// That of the product.
    type Output: Element;
}

/// Bytes of so many stages, each with 128 bytes of rows of `a` and of columns of `b`.
const fn stages(count: usize, [rows, columns]: [usize; 2]) -> usize {
    count * (rows + columns) * 128
}

/// Tiles of the kernels for groups of warps.
const TILES: &[[usize; 2]] = &[[128, 256], [128, 128], [64, 256], [64, 128]];
/// Those of floats of eight bits.
const TILES_OF_BYTES: &[[usize; 2]] = &[[128, 192], [128, 128], [64, 192], [64, 128]];

/// A launch of a kernel for groups of warps, whose instance is that of the tile.
macro_rules! by_groups {
    ($product:ident, $tiles:ident, $($tile:pat => $kernel:expr,)*) => {{
        let (tile, scale, activation) = ($product.tile($tiles), $product.scale, $product.number_of_activation());
        let Matmul { a, b, c, bias, .. } = $product;
        match tile {
            $($tile => $kernel(a, b, c, bias, scale, activation),)*
        }
        .fill()
        .shared(stages(4, tile))
    }};
}

/// A launch of a kernel with a block for each 128 × 128 elements.
macro_rules! by_warps {
    ($product:ident, $kernel:expr) => {{
        let (scale, activation) = ($product.scale, $product.number_of_activation());
        let Matmul { a, b, c, bias, .. } = $product;
        let grid = (c.rows().div_ceil(128) as u32, c.columns().div_ceil(128) as u32);
        $kernel(a, b, c, bias, scale, activation).grid(grid).shared(stages(3, [128, 128]))
    }};
}

macro_rules! of_16_bits {
    ($element:ident, $product:ident) => {
        match ($product.has_groups(), $product.transposed) {
            (true, false) => by_groups!($product, TILES,
                [128, 256] => matmul_groups::<$element, 128, 256>,
                [128, 128] => matmul_groups::<$element, 128, 128>,
                [64, 256] => matmul_groups::<$element, 64, 256>,
                _ => matmul_groups::<$element, 64, 128>,
            ),
            (true, true) => by_groups!($product, TILES,
                [128, 256] => matmul_groups_transposed::<$element, 128, 256>,
                [128, 128] => matmul_groups_transposed::<$element, 128, 128>,
                [64, 256] => matmul_groups_transposed::<$element, 64, 256>,
                _ => matmul_groups_transposed::<$element, 64, 128>,
            ),
            (false, false) => by_warps!($product, matmul_warps::<$element>),
            (false, true) => by_warps!($product, matmul_warps_transposed::<$element>),
        }
    };
}

macro_rules! of_8_bits {
    ($element:ident, $product:ident) => {
        match ($product.has_groups(), $product.transposed) {
            (true, _) => by_groups!($product, TILES_OF_BYTES,
                [128, 192] => matmul_groups_bytes::<$element, 128, 192>,
                [128, 128] => matmul_groups_bytes::<$element, 128, 128>,
                [64, 192] => matmul_groups_bytes::<$element, 64, 192>,
                _ => matmul_groups_bytes::<$element, 64, 128>,
            ),
            (false, false) => by_warps!($product, matmul_warps_bytes::<$element>),
            (false, true) => by_warps!($product, matmul_warps_bytes_transposed::<$element>),
        }
    };
}

macro_rules! of_32_bits {
    ($element:ident, $product:ident) => {
        match ($product.has_groups(), $product.transposed) {
            (true, _) => by_groups!($product, TILES,
                [128, 256] => matmul_groups_tf32::<128, 256>,
                [128, 128] => matmul_groups_tf32::<128, 128>,
                [64, 256] => matmul_groups_tf32::<64, 256>,
                _ => matmul_groups_tf32::<64, 128>,
            ),
            (false, false) => by_warps!($product, matmul_warps_tf32),
            (false, true) => by_warps!($product, matmul_warps_tf32_transposed),
        }
    };
}

macro_rules! elements {
    ($($element:ident -> $output:ident, $launch:ident, $transposed_before:literal;)*) => {$(
        impl sealed::Sealed for $element {
            const IS_TRANSPOSED_BEFORE: bool = $transposed_before;

            fn launch(product: Matmul<'_, $element>) -> Launch<'_> {
                $launch!($element, product)
            }

            fn transposition<'a>(x: BufferMatrix<'a, $element>, y: BufferMatrixMut<'a, $element>) -> Launch<'a> {
                let grid = (x.columns().div_ceil(32) as u32, x.rows().div_ceil(32) as u32);
                transpose::<$element>(x, y).grid(grid)
            }
        }

        impl MatmulElement for $element {
            type Output = $output;
        }
    )*};
}
elements! {
    f16 -> f16, of_16_bits, false;
    bf16 -> bf16, of_16_bits, false;
    E4M3 -> bf16, of_8_bits, true;
    E5M2 -> bf16, of_8_bits, true;
    f32 -> f32, of_32_bits, true;
}
