//! Products of matrices.

use half::{bf16, f16};
use kernel_runtime::device::{E4M3, E5M2};
use kernel_runtime::{BufferMatrix, BufferMatrixMut, DeviceBuffer, Element, Launch, LaunchReport, Stream};

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
        half + half * fast::tanh(0.797_884_56 * x * (1.0 + 0.044_715 * x * x))
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
        let mut sum = sum;
        if scale != 1.0 {
            sum = sum.map(|x| scale * x);
        }
        if bias.len() != 0 {
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

    /// C = A B for Hopper: tiles of 128 × W sums in turns.
    #[kernel(block(384), arch(sm_90a), instances(T = [f16, bf16], W = [128, 256]))]
    pub fn matmul_by_groups<T: MatrixElement + OfSum, const W: usize>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, T>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, 64>, SharedTile<T, 64, W>), 4>>();
        stages[0].multiply_tiles(
            [c.rows(), c.columns()],
            a.columns().div_ceil(64),
            |(left, right), [row, column], step| {
                (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
            },
            |sum: warp::Acc<f32, 16, W>, at| finish(sum, at, scale, bias, activation, &mut c),
        );
    }

    /// C = A Bᵀ for Hopper, as `matmul_by_groups`.
    #[kernel(block(384), arch(sm_90a), instances(T = [f16, bf16], W = [128, 256]))]
    pub fn matmul_transposed_by_groups<T: MatrixElement + OfSum, const W: usize>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, T>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, 64>, SharedTile<T, W, 64>), 4>>();
        stages[0].multiply_transposed_tiles(
            [c.rows(), c.columns()],
            a.columns().div_ceil(64),
            |(left, right), [row, column], step| {
                (left.load(&a, [row, 64 * step]), right.load(&b, [column, 64 * step]))
            },
            |sum: warp::Acc<f32, 16, W>, at| finish(sum, at, scale, bias, activation, &mut c),
        );
    }

    /// C = A Bᵀ of floats of eight bits for Hopper; sums of a stage are added to the others in `f32`.
    #[kernel(block(384), arch(sm_90a), instances(T = [E4M3, E5M2]))]
    pub fn matmul_bytes_by_groups<T: MatrixElement>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, bf16>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, 128>, SharedTile<T, 128, 128>), 4>>();
        stages[0].multiply_transposed_tiles(
            [c.rows(), c.columns()],
            a.columns().div_ceil(128),
            |(left, right), [row, column], step| {
                (left.load(&a, [row, 128 * step]), right.load(&b, [column, 128 * step]))
            },
            |sum: warp::Acc<f32, 16, 128>, at| finish(sum, at, scale, bias, activation, &mut c),
        );
    }

    /// C = A B: 128 × 128 sums for a block, 64 × 64 in the registers of each warp.
    #[kernel(block(128), launch_bounds(128, 2), arch(sm_80), instances(T = [f16, bf16]))]
    pub fn matmul_by_warps<T: MatrixElement + OfSum>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, T>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, 64>, SharedTile<T, 64, 128>), 3>>();
        let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
        let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
        let mut sum = warp::Acc::<f32, 64, 64>::zero();
        stages[0].multiply(a.columns().div_ceil(64), [y, x], &mut sum, |(left, right), step| {
            (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
        });
        finish(sum, [row + y, column + x], scale, bias, activation, &mut c);
    }

    /// C = A Bᵀ, as `matmul_by_warps`.
    #[kernel(block(128), launch_bounds(128, 2), arch(sm_80), instances(T = [f16, bf16]))]
    pub fn matmul_transposed_by_warps<T: MatrixElement + OfSum>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, T>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, 64>, SharedTile<T, 128, 64>), 3>>();
        let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
        let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
        let mut sum = warp::Acc::<f32, 64, 64>::zero();
        stages[0].multiply_transposed(a.columns().div_ceil(64), [y, x], &mut sum, |(left, right), step| {
            (left.load(&a, [row, 64 * step]), right.load(&b, [column, 64 * step]))
        });
        finish(sum, [row + y, column + x], scale, bias, activation, &mut c);
    }

    /// C = A Bᵀ of floats of eight bits, as `matmul_by_warps`: by instructions of their own from sm_89 on.
    #[kernel(block(128), launch_bounds(128, 2), arch(sm_80, sm_89), instances(T = [E4M3, E5M2]))]
    pub fn matmul_bytes_by_warps<T: MatrixElement>(
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        mut c: MatrixMut<'_, bf16>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<T, 128, 128>, SharedTile<T, 128, 128>), 3>>();
        let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
        let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
        let mut sum = warp::Acc::<f32, 64, 64>::zero();
        stages[0].multiply_transposed(a.columns().div_ceil(128), [y, x], &mut sum, |(left, right), step| {
            (left.load(&a, [row, 128 * step]), right.load(&b, [column, 128 * step]))
        });
        finish(sum, [row + y, column + x], scale, bias, activation, &mut c);
    }

    /// C = A Bᵀ of `f32` as tf32 for Hopper.
    #[kernel(block(384), arch(sm_90a))]
    pub fn matmul_tf32_by_groups(
        a: Matrix<'_, f32>,
        b: Matrix<'_, f32>,
        mut c: MatrixMut<'_, f32>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<f32, 128, 32>, SharedTile<f32, 256, 32>), 4>>();
        stages[0].multiply_transposed_tiles(
            [c.rows(), c.columns()],
            a.columns().div_ceil(32),
            |(left, right), [row, column], step| {
                (left.load(&a, [row, 32 * step]), right.load(&b, [column, 32 * step]))
            },
            |sum: warp::Acc<f32, 16, 256>, at| finish(sum, at, scale, bias, activation, &mut c),
        );
    }

    /// C = A B of `f32` as tf32.
    #[kernel(block(128), launch_bounds(128, 2), arch(sm_80))]
    pub fn matmul_tf32_by_warps(
        a: Matrix<'_, f32>,
        b: Matrix<'_, f32>,
        mut c: MatrixMut<'_, f32>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<f32, 128, 32>, SharedTile<f32, 32, 128>), 3>>();
        let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
        let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
        let mut sum = warp::Acc::<f32, 64, 64>::zero();
        stages[0].multiply(a.columns().div_ceil(32), [y, x], &mut sum, |(left, right), step| {
            (left.load(&a, [row, 32 * step]), right.load(&b, [32 * step, column]))
        });
        finish(sum, [row + y, column + x], scale, bias, activation, &mut c);
    }

    /// C = A Bᵀ of `f32` as tf32.
    #[kernel(block(128), launch_bounds(128, 2), arch(sm_80))]
    pub fn matmul_tf32_transposed_by_warps(
        a: Matrix<'_, f32>,
        b: Matrix<'_, f32>,
        mut c: MatrixMut<'_, f32>,
        bias: &[f32],
        scale: f32,
        activation: u32,
    ) {
        let mut stages = shared_dyn::<Stages<(SharedTile<f32, 128, 32>, SharedTile<f32, 128, 32>), 3>>();
        let (row, column) = (128 * block_idx().x, 128 * block_idx().y);
        let (y, x) = (64 * (warp::warp_id() / 2), 64 * (warp::warp_id() % 2));
        let mut sum = warp::Acc::<f32, 64, 64>::zero();
        stages[0].multiply_transposed(a.columns().div_ceil(32), [y, x], &mut sum, |(left, right), step| {
            (left.load(&a, [row, 32 * step]), right.load(&b, [column, 32 * step]))
        });
        finish(sum, [row + y, column + x], scale, bias, activation, &mut c);
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
/// | `f32`, rounded to tf32: 10 bits behind the point, ties to even | `f32` | the same; on Hopper the transposed one is the faster |
/// | `E4M3`, `E5M2` | `bf16` | transposed |
///
/// Devices need compute capability 8.0. Those of 9.0 (Hopper) multiply by groups of four warps, from tiles that tensor maps copy: rows of `a` and `b` that
/// begin at multiples of 16 bytes are the fast ones.
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
    /// [`Error::Shape`] if the sizes do not fit each other, or `b` has to be transposed; [`Error::Kernel`] as
    /// [`Launch::run`](kernel_runtime::Launch::run).
    pub fn run(self) -> Result<LaunchReport> {
        self.launched(|launch| launch.run())
    }

    /// Starts the product on a stream.
    ///
    /// # Errors
    /// As [`run`](Self::run), but for those of the kernel's run.
    pub fn start(self, stream: &Stream) -> Result<()> {
        self.launched(|launch| launch.start(stream))
    }

    fn launched<R>(self, go: impl FnOnce(Launch<'_>) -> kernel_runtime::Result<R>) -> Result<R> {
        self.check()?;
        // A product without a bias takes an empty one.
        let none = self.c.gpu().zeros::<f32>(0)?;
        let bias = self.bias.unwrap_or(&none);
        Ok(go(T::launch(self, bias))?)
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
        if T::IS_TRANSPOSED_ONLY && !self.transposed {
            return Err(Error::Shape {
                expected: "the right matrix of elements of eight bits transposed, a row for each column of the product".to_owned(),
                found: "one as it is".to_owned(),
                help: "store it so, and write `.transposed()`",
            });
        }
        Ok(())
    }

    /// The tiles of 128 rows and so many columns of the product.
    fn tiles(&self, columns: usize) -> usize {
        self.c.rows().div_ceil(128) * self.c.columns().div_ceil(columns)
    }

    /// Returns true if the device has products by groups of four warps.
    fn has_groups(&self) -> bool {
        self.c.gpu().attributes().compute_capability == (9, 0)
    }

    /// Returns true if tiles of 256 columns take no more time than those of 128: twice as long a round, but half as many.
    fn is_wide(&self) -> bool {
        let blocks = self.c.gpu().attributes().sms as usize;
        let rounds = |columns: usize| self.tiles(columns).div_ceil(blocks.max(1));
        2 * rounds(256) <= rounds(128)
    }

    fn number_of_activation(&self) -> u32 {
        match self.activation {
            Activation::None => kernels::NONE,
            Activation::Relu => kernels::RELU,
            Activation::Gelu => kernels::GELU,
            Activation::Silu => kernels::SILU,
        }
    }

    /// The grid of a kernel with a block for each 128 × 128 elements.
    fn grid(&self) -> (u32, u32) {
        (self.c.rows().div_ceil(128) as u32, self.c.columns().div_ceil(128) as u32)
    }
}

mod sealed {
    use kernel_runtime::{DeviceBuffer, Launch};

    use super::{Matmul, MatmulElement};

    pub trait Sealed: Sized {
        const IS_TRANSPOSED_ONLY: bool = false;

        fn launch<'a>(product: Matmul<'a, Self>, bias: &'a DeviceBuffer<f32>) -> Launch<'a>
        where
            Self: MatmulElement;
    }
}

/// An element of matrices that [`matmul`] multiplies.
pub trait MatmulElement: Element + sealed::Sealed {
    /// That of the product.
    type Output: Element;
}

/// Bytes of so many stages, each with 128 bytes of 128 rows of `a` and of so many columns of `b`.
const fn stages(count: usize, columns: usize) -> usize {
    count * (128 + columns) * 128
}

/// The launch of a product of elements of 16 bits.
macro_rules! of_16_bits {
    ($element:ident, $product:ident, $bias:ident) => {{
        use kernels::{
            matmul_by_groups, matmul_by_warps, matmul_transposed_by_groups, matmul_transposed_by_warps,
        };
        let (is_wide, transposed, grid) = ($product.is_wide(), $product.transposed, $product.grid());
        let (scale, activation) = ($product.scale, $product.number_of_activation());
        let has_groups = $product.has_groups();
        let Matmul { a, b, c, .. } = $product;
        let wide = stages(4, if is_wide { 256 } else { 128 });
        match (has_groups, is_wide, transposed) {
            (true, true, false) => {
                matmul_by_groups::<$element, 256>(a, b, c, $bias, scale, activation).fill().shared(wide)
            }
            (true, false, false) => {
                matmul_by_groups::<$element, 128>(a, b, c, $bias, scale, activation).fill().shared(wide)
            }
            (true, true, true) => {
                matmul_transposed_by_groups::<$element, 256>(a, b, c, $bias, scale, activation)
                    .fill()
                    .shared(wide)
            }
            (true, false, true) => {
                matmul_transposed_by_groups::<$element, 128>(a, b, c, $bias, scale, activation)
                    .fill()
                    .shared(wide)
            }
            (false, _, false) => matmul_by_warps::<$element>(a, b, c, $bias, scale, activation)
                .grid(grid)
                .shared(stages(3, 128)),
            (false, _, true) => matmul_transposed_by_warps::<$element>(a, b, c, $bias, scale, activation)
                .grid(grid)
                .shared(stages(3, 128)),
        }
    }};
}

macro_rules! of_8_bits {
    ($element:ident, $product:ident, $bias:ident) => {{
        use kernels::{matmul_bytes_by_groups, matmul_bytes_by_warps};
        let (scale, activation, grid) = ($product.scale, $product.number_of_activation(), $product.grid());
        let has_groups = $product.has_groups();
        let Matmul { a, b, c, .. } = $product;
        match has_groups {
            true => matmul_bytes_by_groups::<$element>(a, b, c, $bias, scale, activation)
                .fill()
                .shared(stages(4, 128)),
            false => matmul_bytes_by_warps::<$element>(a, b, c, $bias, scale, activation)
                .grid(grid)
                .shared(stages(3, 128)),
        }
    }};
}

macro_rules! of_32_bits {
    ($element:ident, $product:ident, $bias:ident) => {{
        use kernels::{matmul_tf32_by_groups, matmul_tf32_by_warps, matmul_tf32_transposed_by_warps};
        let (scale, activation, grid) = ($product.scale, $product.number_of_activation(), $product.grid());
        let (has_groups, transposed) = ($product.has_groups(), $product.transposed);
        let Matmul { a, b, c, .. } = $product;
        match (has_groups, transposed) {
            (true, true) => {
                matmul_tf32_by_groups(a, b, c, $bias, scale, activation).fill().shared(stages(4, 256))
            }
            (_, false) => {
                matmul_tf32_by_warps(a, b, c, $bias, scale, activation).grid(grid).shared(stages(3, 128))
            }
            (false, true) => matmul_tf32_transposed_by_warps(a, b, c, $bias, scale, activation)
                .grid(grid)
                .shared(stages(3, 128)),
        }
    }};
}

macro_rules! elements {
    ($($element:ident -> $output:ident, $launch:ident, $only_transposed:literal;)*) => {$(
        impl sealed::Sealed for $element {
            const IS_TRANSPOSED_ONLY: bool = $only_transposed;

            fn launch<'a>(product: Matmul<'a, $element>, bias: &'a DeviceBuffer<f32>) -> Launch<'a> {
                $launch!($element, product, bias)
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
    f32 -> f32, of_32_bits, false;
}
