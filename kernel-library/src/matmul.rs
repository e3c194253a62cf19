//! Products of matrices.

use half::{bf16, f16};
use kernel_runtime::device::{E4M3, E5M2};
use kernel_runtime::{
    BufferMatrix, BufferMatrixMut, DeviceBuffer, Element, Gpu, Launch, LaunchReport, Stream,
};

use self::kernels::*;
use crate::error::{Error, Result};
use crate::workspace::{Slot, Workspace};

pub mod kernels;

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

/// The arithmetic of products of matrices of `f32`: [`Matmul::precision`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Elements are rounded to tf32, 10 bits behind the point, and multiplied by tensor cores. A sum is off by `2⁻¹⁰` of the magnitudes of its products at
    /// most, besides what rounding it adds.
    #[default]
    Tf32,
    /// Three products of tf32: each element is split into the nearest number of tf32 and that of what is left, `x = large + small`, and tensor cores
    /// sum up `small * large + large * small + large * large`. They cut off bits where they add to a sum: theirs are of 32 elements along K, which are
    /// added to the others in `f32`. Errors are about those of [`F32`](Precision::F32), at twice its speed and more. Infinite elements give NaN, and parts
    /// below the least normal number, 2⁻¹²⁶, lose bits.
    Tf32x3,
    /// Fused multiply-adds of `f32`, as IEEE arithmetic rounds them, from the first element along K to the last one, by CUDA cores: the same bits on each
    /// device.
    F32,
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
    precision: Precision,
    workspace: Option<&'a mut Workspace>,
}

/// The product of two matrices, `c = activation(scale * a b + bias)`, by tensor cores: with sums in `f32`, of any sizes.
///
/// | elements of `a` and `b` | of `c` | `b` |
/// |---|---|---|
/// | `f16` | `f16` | as it is, or [transposed](Matmul::transposed) |
/// | `bf16` | `bf16` | the same |
/// | `f32`, rounded to tf32: 10 bits behind the point, ties to even; or with another [precision](Matmul::precision) | `f32` | the same |
/// | `E4M3`, `E5M2` | `bf16` | the same |
///
/// Devices need compute capability 8.0. Those of 9.0 (Hopper) multiply by groups of four warps, from tiles that tensor maps copy.
///
/// Some matrices are copied first, to memory that each call allocates, or [keeps](Matmul::workspace):
/// - those of large products whose rows do not begin at multiples of 16 bytes, which neither tensor maps nor asynchronous copies read;
/// - on Hopper a right matrix as it is, but of elements of 16 bits, which is transposed: keep those transposed that are multiplied often;
/// - those that [`Precision::Tf32x3`] splits, into twice their size; of [`Precision::F32`] the left matrix, which is transposed, and the right one if
///   it is [transposed](Matmul::transposed).
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
    Matmul {
        a,
        b,
        c,
        bias: None,
        scale: 1.0,
        activation: Activation::None,
        transposed: false,
        precision: Precision::default(),
        workspace: None,
    }
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

    /// Chooses the arithmetic of a product of `f32`.
    ///
    /// ```
    /// use kernel_library::{Precision, matmul};
    /// use kernel_runtime::prelude::*;
    ///
    /// let gpu = Gpu::new()?;
    /// let (a, b) = (gpu.upload(&[4097.0f32, 1.0])?, gpu.upload(&[1.0f32, 1.0])?);
    /// let mut c = gpu.zeros::<f32>(1)?;
    /// for (precision, expected) in [(Precision::Tf32, 4097.0), (Precision::Tf32x3, 4098.0), (Precision::F32, 4098.0)] {
    ///     matmul(a.matrix(1, 2)?, b.matrix(2, 1)?, c.matrix_mut(1, 1)?).precision(precision).run()?;
    ///     // 4,097 takes 12 bits behind the point, 1 + 2⁻¹²: tf32 has 4,096.
    ///     assert_eq!(c.to_vec()?, [expected]);
    /// }
    /// # Ok::<(), kernel_library::Error>(())
    /// ```
    ///
    /// Products of other elements have one arithmetic:
    ///
    /// ```compile_fail
    /// # use kernel_library::{Precision, matmul};
    /// # use kernel_runtime::prelude::*;
    /// # let gpu = Gpu::new()?;
    /// # let (a, mut c) = (gpu.upload(&[f16::ONE])?, gpu.zeros::<f16>(1)?);
    /// // expected elements with several precisions, found `f16`: leave `.precision(…)` out, or take matrices of `f32`
    /// matmul(a.matrix(1, 1)?, a.matrix(1, 1)?, c.matrix_mut(1, 1)?).precision(Precision::F32).run()?;
    /// # Ok::<(), kernel_library::Error>(())
    /// ```
    #[doc(alias("CUBLAS_COMPUTE_32F", "allow_tf32", "set_float32_matmul_precision"))]
    pub fn precision(mut self, precision: Precision) -> Self
    where
        T: HasPrecisions,
    {
        self.precision = precision;
        self
    }

    /// Takes the memory for copies of the matrices from here, where there are any, and leaves it for the next call. Without, each call allocates it,
    /// and waits until it is free again; matrices of small products are then multiplied as they are, if they can be.
    ///
    /// ```
    /// use kernel_library::{Workspace, matmul};
    /// use kernel_runtime::prelude::*;
    ///
    /// let gpu = Gpu::new()?;
    /// // Rows of three elements of two bytes.
    /// let (a, b) = (gpu.upload(&[f16::ONE; 2 * 3])?, gpu.upload(&[f16::ONE; 3 * 3])?);
    /// let mut c = gpu.zeros::<f16>(2 * 3)?;
    /// let mut workspace = Workspace::default();
    /// for _ in 0..2 {
    ///     matmul(a.matrix(2, 3)?, b.matrix(3, 3)?, c.matrix_mut(2, 3)?).workspace(&mut workspace).run()?;
    /// }
    /// assert_eq!(c.to_vec()?, [f16::from_f32(3.0); 2 * 3]);
    /// # Ok::<(), kernel_library::Error>(())
    /// ```
    pub fn workspace(mut self, workspace: &'a mut Workspace) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Computes the product and waits for it.
    ///
    /// # Errors
    /// [`Error::Shape`] if the sizes do not fit each other; [`Error::Kernel`] as
    /// [`Launch::run`](kernel_runtime::Launch::run).
    pub fn run(self) -> Result<LaunchReport> {
        self.launched(|copy| copy.run().map(|_| ()), |product| product.run())
    }

    /// Starts the product on a stream.
    ///
    /// # Errors
    /// As [`run`](Self::run), but for those of the kernel's run.
    pub fn start(self, stream: &Stream) -> Result<()> {
        self.launched(|copy| copy.start(stream), |product| product.start(stream))
    }

    /// Launches the kernel, behind those that copy matrices to what it can read, or reads faster.
    fn launched<R>(
        mut self,
        copy: impl Fn(Launch<'_>) -> kernel_runtime::Result<()>,
        multiply: impl FnOnce(Launch<'_>) -> kernel_runtime::Result<R>,
    ) -> Result<R> {
        self.check()?;
        let (gpu, mut of_call) = (self.c.gpu(), Workspace::default());
        let copies = [self.copy_of_left(), self.copy_of_right()];
        let [of_left, of_right, _] = &mut self.workspace.take().unwrap_or(&mut of_call).slots;
        let mut product = Matmul { workspace: None, ..self };
        if let Some(by) = copies[0] {
            product.a = by.of(product.a, of_left, gpu, &copy)?;
        }
        if let Some(by) = copies[1] {
            product.b = by.of(product.b, of_right, gpu, &copy)?;
            product.transposed ^= by.is_transposed;
        }
        Ok(multiply(T::launch(product))?)
    }

    /// The copy of the left matrix that is to be multiplied, if any.
    fn copy_of_left(&self) -> Option<MatrixCopy> {
        let (is_split, is_transposed) =
            (self.precision == Precision::Tf32x3, self.precision == Precision::F32);
        (is_split || is_transposed || self.is_worth_a_copy(&self.a))
            .then_some(MatrixCopy { is_split, is_transposed })
    }

    /// As [`copy_of_left`](Self::copy_of_left), of the right one.
    fn copy_of_right(&self) -> Option<MatrixCopy> {
        let is_split = self.precision == Precision::Tf32x3;
        let is_transposed = match self.precision {
            Precision::Tf32 => T::IS_TRANSPOSED_BEFORE && !self.transposed && self.has_groups(),
            Precision::Tf32x3 => !self.transposed,
            Precision::F32 => self.transposed,
        };
        (is_split || is_transposed || self.is_worth_a_copy(&self.b))
            .then_some(MatrixCopy { is_split, is_transposed })
    }

    /// Returns true if the rows of a matrix do not begin where they are read fast, and the product is so large, or there is memory, that it
    /// pays to copy it.
    fn is_worth_a_copy(&self, x: &BufferMatrix<'_, T>) -> bool {
        let products = self.c.rows().saturating_mul(self.c.columns()).saturating_mul(self.a.columns());
        !x.rows_are_aligned(ROW_BYTES) && (self.workspace.is_some() || products >= WORTH_MEMORY)
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

    use super::{Matmul, MatmulElement, MatrixCopy};

    pub trait Sealed: Sized {
        /// True if groups of warps multiply by transposed matrices only.
        const IS_TRANSPOSED_BEFORE: bool;

        fn launch(product: Matmul<'_, Self>) -> Launch<'_>
        where
            Self: MatmulElement;

        /// The launch of a copy's kernel.
        fn copy<'a>(copy: MatrixCopy, x: BufferMatrix<'a, Self>, y: BufferMatrixMut<'a, Self>) -> Launch<'a>;
    }
}

/// An element of matrices that [`matmul`] multiplies.
pub trait MatmulElement: Element + sealed::Sealed {
    /// That of the product.
    type Output: Element;
}

/// An element whose products have several precisions: `f32`.
#[diagnostic::on_unimplemented(
    message = "expected elements with several precisions, found `{Self}`",
    label = "matrices of `{Self}`",
    note = "leave `.precision(…)` out, or take matrices of `f32`"
)]
pub trait HasPrecisions: MatmulElement {}

impl HasPrecisions for f32 {}

/// A copy of a matrix, with rows that begin at multiples of 16 bytes.
#[derive(Clone, Copy, Debug)]
pub struct MatrixCopy {
    is_transposed: bool,
    /// Into parts of its elements, the large ones above the small ones.
    is_split: bool,
}

impl MatrixCopy {
    /// Makes it, in the memory of a slot.
    fn of<'a, T: MatmulElement>(
        self,
        x: BufferMatrix<'_, T>,
        slot: &'a mut Slot,
        gpu: &Gpu,
        copy: impl Fn(Launch<'_>) -> kernel_runtime::Result<()>,
    ) -> Result<BufferMatrix<'a, T>> {
        let (rows, columns) =
            if self.is_transposed { (x.columns(), x.rows()) } else { (x.rows(), x.columns()) };
        let rows = if self.is_split { 2 * rows } else { rows };
        let stride = columns.next_multiple_of(ROW_BYTES / size_of::<T>());
        let buffer = slot.buffer::<T>(gpu, rows * stride)?;
        // A launch has a block or more.
        if rows * columns > 0 {
            copy(T::copy(self, x, buffer.matrix_mut_with_stride(rows, columns, stride)?))?;
        }
        Ok(buffer.matrix_with_stride(rows, columns, stride)?)
    }
}

/// Bytes at whose multiples rows begin that tensor maps and asynchronous copies read.
const ROW_BYTES: usize = 16;
/// Multiplications of a product from which on it pays to allocate memory for the copy of a matrix: those of 512 rows and columns.
const WORTH_MEMORY: usize = 1 << 27;

/// Bytes of so many stages, each with 128 bytes of rows of `a` and of columns of `b`.
const fn stages(count: usize, [rows, columns]: [usize; 2]) -> usize {
    count * (rows + columns) * 128
}

/// Tiles of the kernels for groups of warps.
const TILES: &[[usize; 2]] = &[[128, 256], [128, 128], [64, 256], [64, 128]];
/// Those whose products of a stage are added to the others by the lanes.
const PROMOTED_TILES: &[[usize; 2]] = &[[128, 192], [128, 128], [64, 192], [64, 128]];

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

/// A launch of the kernel without tensor cores, whose instance is that of the tile: with a block for each, and two stages.
macro_rules! by_threads {
    ($product:ident, $($tile:pat => $kernel:expr,)*) => {{
        let (tile, scale, activation) = ($product.tile(TILES), $product.scale, $product.number_of_activation());
        let Matmul { a, b, c, bias, .. } = $product;
        let blocks = c.rows().div_ceil(tile[0]) * c.columns().div_ceil(tile[1]);
        match tile {
            $($tile => $kernel(a, b, c, bias, scale, activation),)*
        }
        .grid(blocks as u32)
        .shared(stages(2, tile))
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
            (true, _) => by_groups!($product, PROMOTED_TILES,
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
        match ($product.precision, $product.has_groups(), $product.transposed) {
            (Precision::Tf32, true, _) => by_groups!($product, TILES,
                [128, 256] => matmul_groups_tf32::<128, 256>,
                [128, 128] => matmul_groups_tf32::<128, 128>,
                [64, 256] => matmul_groups_tf32::<64, 256>,
                _ => matmul_groups_tf32::<64, 128>,
            ),
            (Precision::Tf32, false, false) => by_warps!($product, matmul_warps_tf32),
            (Precision::Tf32, false, true) => by_warps!($product, matmul_warps_tf32_transposed),
            (Precision::Tf32x3, true, _) => by_groups!($product, PROMOTED_TILES,
                [128, 192] => matmul_groups_tf32x3::<128, 192>,
                [128, 128] => matmul_groups_tf32x3::<128, 128>,
                [64, 192] => matmul_groups_tf32x3::<64, 192>,
                _ => matmul_groups_tf32x3::<64, 128>,
            ),
            (Precision::Tf32x3, false, _) => by_warps!($product, matmul_warps_tf32x3),
            (Precision::F32, ..) => by_threads!($product,
                [128, 256] => matmul_f32::<128, 256>,
                [128, 128] => matmul_f32::<128, 128>,
                [64, 256] => matmul_f32::<64, 256>,
                _ => matmul_f32::<64, 128>,
            ),
        }
    };
}

/// A launch of the kernel that copies a matrix, as it is or transposed.
macro_rules! whole_copy {
    ($element:ident, $copy:ident, $x:ident, $y:ident) => {{
        if $copy.is_transposed {
            let grid = transposed_grid(&$x);
            transpose::<$element>($x, $y).grid(grid)
        } else {
            let grid = straight_grid(&$x);
            copy::<$element>($x, $y).grid(grid)
        }
    }};
}

/// As above, or of the kernel that splits its elements.
macro_rules! copy_in_parts {
    ($element:ident, $copy:ident, $x:ident, $y:ident) => {
        match ($copy.is_split, $copy.is_transposed) {
            (false, _) => whole_copy!($element, $copy, $x, $y),
            (true, false) => {
                let grid = straight_grid(&$x);
                split($x, $y).grid(grid)
            }
            (true, true) => {
                let grid = transposed_grid(&$x);
                split_transposed($x, $y).grid(grid)
            }
        }
    };
}

/// Blocks of the kernels that copy matrices as they are.
fn straight_grid<T>(x: &BufferMatrix<'_, T>) -> (u32, u32) {
    (x.rows().div_ceil(8) as u32, x.columns().div_ceil(128) as u32)
}

/// Blocks of those that transpose them.
fn transposed_grid<T>(x: &BufferMatrix<'_, T>) -> (u32, u32) {
    (x.columns().div_ceil(32) as u32, x.rows().div_ceil(32) as u32)
}

macro_rules! elements {
    ($($element:ident -> $output:ident, $launch:ident, $copy:ident, $transposed_before:literal;)*) => {$(
        impl sealed::Sealed for $element {
            const IS_TRANSPOSED_BEFORE: bool = $transposed_before;

            fn launch(product: Matmul<'_, $element>) -> Launch<'_> {
                $launch!($element, product)
            }

            fn copy<'a>(copy: MatrixCopy, x: BufferMatrix<'a, $element>, y: BufferMatrixMut<'a, $element>) -> Launch<'a> {
                $copy!($element, copy, x, y)
            }
        }

        impl MatmulElement for $element {
            type Output = $output;
        }
    )*};
}
elements! {
    f16 -> f16, of_16_bits, whole_copy, false;
    bf16 -> bf16, of_16_bits, whole_copy, false;
    E4M3 -> bf16, of_8_bits, whole_copy, true;
    E5M2 -> bf16, of_8_bits, whole_copy, true;
    f32 -> f32, of_32_bits, copy_in_parts, true;
}
