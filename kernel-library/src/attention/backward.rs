//! Gradients of attention.

use kernel_runtime::{BufferMatrix, BufferMatrixMut, Launch, Stream};

use super::{Attention, AttentionElement, Shape, refused};
use crate::error::Result;
use crate::workspace::Workspace;

/// Gradients of attention that are to be computed: [`Attention::backward`].
#[derive(Debug)]
#[must_use = "gradients are not computed until `.run()` or `.start(&stream)`"]
pub struct AttentionBackward<'a, T: AttentionElement> {
    forward: Attention<'a, T>,
    gradient: BufferMatrix<'a, T>,
    gradients: [BufferMatrixMut<'a, T>; 3],
    deterministic: bool,
    workspace: Option<&'a mut Workspace>,
}

/// Statistics of a head begin at multiples of so many queries, those of the largest block and stage.
const PADDED: usize = 128;

impl<'a, T: AttentionElement> Attention<'a, T> {
    /// The gradients of queries, keys and values, from the gradient of the output: the backward pass, of the matrices, output and
    /// [`log_sums`](Self::log_sums) of a forward pass with the same options, none of which it changes. A head has 64 or 128 elements.
    ///
    /// ```
    /// use kernel_library::attention;
    /// use kernel_runtime::prelude::*;
    ///
    /// let gpu = Gpu::new()?;
    /// // One head of two tokens, all alike.
    /// let x = gpu.upload(&vec![f16::ONE; 2 * 64])?;
    /// let (mut o, mut sums) = (gpu.zeros::<f16>(2 * 64)?, gpu.zeros::<f32>(2)?);
    /// let m = x.matrix(2, 64)?;
    /// attention(m, m, m, o.matrix_mut(2, 64)?).log_sums(&mut sums).run()?;
    ///
    /// let [mut of_q, mut of_k, mut of_v] = [gpu.zeros::<f16>(128)?, gpu.zeros::<f16>(128)?, gpu.zeros::<f16>(128)?];
    /// let gradients = [of_q.matrix_mut(2, 64)?, of_k.matrix_mut(2, 64)?, of_v.matrix_mut(2, 64)?];
    /// attention(m, m, m, o.matrix_mut(2, 64)?).log_sums(&mut sums).backward(m, gradients).run()?;
    /// // Each value has half of the weight of both queries; scores change nothing where values are alike.
    /// assert_eq!(of_v.to_vec()?, [f16::ONE; 128]);
    /// assert_eq!(of_q.to_vec()?, [f16::ZERO; 128]);
    /// # Ok::<(), kernel_library::Error>(())
    /// ```
    ///
    /// It multiplies seven times where the forward pass does twice: scores are computed again, by one kernel for keys and values and by another for
    /// queries. On devices of compute capability 9.0 the blocks of keys of heads with 64 elements add to the gradients of the queries, in sums of `f32` and in
    /// no order, which takes five products: last bits differ from one call to the next, but with [`deterministic`](AttentionBackward::deterministic).
    #[doc(alias("scaled_dot_product_attention_backward", "flash_attn_bwd"))]
    pub fn backward(
        self,
        gradient: BufferMatrix<'a, T>,
        gradients: [BufferMatrixMut<'a, T>; 3],
    ) -> AttentionBackward<'a, T> {
        AttentionBackward { forward: self, gradient, gradients, deterministic: false, workspace: None }
    }
}

impl<'a, T: AttentionElement> AttentionBackward<'a, T> {
    /// Computes the gradients of the queries by a kernel of its own, so that no sums are exchanged between blocks and the result is the same each time, and
    /// no memory is needed for sums. Heads with 128 elements are computed so anyway.
    pub fn deterministic(mut self) -> Self {
        self.deterministic = true;
        self
    }

    /// Takes the memory that it needs besides the matrices from here, and leaves it for the next call. Without, each call allocates it, and waits until it
    /// is free again.
    ///
    /// ```
    /// # use kernel_library::{Workspace, attention};
    /// # use kernel_runtime::prelude::*;
    /// # let gpu = Gpu::new()?;
    /// # let x = gpu.upload(&vec![f16::ONE; 2 * 64])?;
    /// # let (mut o, mut sums) = (gpu.zeros::<f16>(2 * 64)?, gpu.zeros::<f32>(2)?);
    /// # let m = x.matrix(2, 64)?;
    /// # attention(m, m, m, o.matrix_mut(2, 64)?).log_sums(&mut sums).run()?;
    /// # let [mut of_q, mut of_k, mut of_v] = [gpu.zeros::<f16>(128)?, gpu.zeros::<f16>(128)?, gpu.zeros::<f16>(128)?];
    /// let mut workspace = Workspace::default();
    /// for _ in 0..2 {
    ///     let gradients = [of_q.matrix_mut(2, 64)?, of_k.matrix_mut(2, 64)?, of_v.matrix_mut(2, 64)?];
    ///     attention(m, m, m, o.matrix_mut(2, 64)?)
    ///         .log_sums(&mut sums)
    ///         .backward(m, gradients)
    ///         .workspace(&mut workspace)
    ///         .run()?;
    /// }
    /// # assert_eq!(of_v.to_vec()?, [f16::ONE; 128]);
    /// # Ok::<(), kernel_library::Error>(())
    /// ```
    pub fn workspace(mut self, workspace: &'a mut Workspace) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Computes the gradients and waits for them.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the sizes do not fit each other, there are no [`log_sums`](Attention::log_sums), or there is no kernel for a head's;
    /// [`Error::Kernel`](crate::Error::Kernel) as [`Launch::run`].
    pub fn run(self) -> Result<()> {
        self.launched(|launch| launch.run().map(|_| ()))
    }

    /// Starts to compute them on a stream.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`Launch::start`].
    pub fn start(self, stream: &Stream) -> Result<()> {
        self.launched(|launch| launch.start(stream))
    }

    fn launched(self, each: impl Fn(Launch<'_>) -> kernel_runtime::Result<()>) -> Result<()> {
        let by_groups = self.forward.multiplies_by_groups();
        let shape = self.checked()?;
        let Shape { size, sizes: [queries, keys, heads, group], sequences, .. } = shape;
        let (Some((to_keys, of_block, of_stage)), Some((to_queries, own, stage))) =
            (T::to_keys(size, by_groups), T::to_queries(size, by_groups))
        else {
            return refused(
                "heads of 64 or 128 elements, of which there are gradients".to_owned(),
                size.to_string(),
                "fill heads with zeros up to the next of these, and give the scale by `.scale(…)`",
            );
        };
        let AttentionBackward { forward, gradient, gradients: [of_q, of_k, of_v], deterministic, workspace } =
            self;
        let Attention { matrices: [q, k, v], output, log_sums, .. } = forward;
        let Some(log_sums) = log_sums else {
            return refused(
                "the logarithms of the sums, which the forward pass writes".to_owned(),
                "none".to_owned(),
                "give both passes the same buffer: `.log_sums(&mut sums)`",
            );
        };
        let padded = queries.next_multiple_of(PADDED);
        let numbers = sequences * heads * padded;
        // A kernel counts no more elements of a matrix.
        let of_sums = numbers.checked_mul(size).filter(|&sums| u32::try_from(sums).is_ok());
        let to_all = T::to_all(size).filter(|_| by_groups && !deterministic).zip(of_sums);
        let of_sums = to_all.map_or(0, |(_, of_sums)| of_sums);
        let (gpu, mut of_call) = (log_sums.gpu().clone(), Workspace::default());
        let [logs, means, sums] = &mut workspace.unwrap_or(&mut of_call).slots;
        let logs = logs.buffer::<f32>(&gpu, numbers)?;
        let means = means.buffer::<f32>(&gpu, numbers)?;
        let sums = sums.buffer::<f32>(&gpu, of_sums)?;
        // A block has a warp for each of four queries.
        let by_warps = shape.grid(padded, 4, heads);
        let of_all = to_all.is_some().then_some(&mut *sums);
        each(
            T::statistics(output, gradient, log_sums, [&mut *logs, &mut *means], of_all, padded, shape)
                .grid(by_warps),
        )?;
        let (matrices, statistics) = ([q, k, v, gradient], [&*logs, &*means]);
        let shared = |tile: usize, stage: usize| (2 * 2 * stage + 2 * tile) * size * size_of::<T>();
        if let Some(((to_all, of_block, of_stage), _)) = to_all {
            let exchanged = of_block * of_stage * size_of::<T>();
            each(
                to_all(matrices, [of_k, of_v], &mut *sums, statistics, padded, shape)
                    .grid(shape.grid(keys, of_block, heads / group))
                    .shared(shared(of_block, of_stage) + exchanged),
            )?;
            return Ok(each(T::scaled_sums(&*sums, of_q, padded, shape).grid(by_warps))?);
        }
        each(
            to_keys(matrices, [of_k, of_v], statistics, padded, shape)
                .grid(shape.grid(keys, of_block, heads / group))
                .shared(shared(of_block, of_stage)),
        )?;
        each(
            to_queries(matrices, [of_q], statistics, padded, shape)
                .grid(shape.grid(queries, own, heads))
                .shared(shared(own, stage)),
        )?;
        Ok(())
    }

    /// The sizes, if they fit each other.
    fn checked(&self) -> Result<Shape<'a>> {
        let shape = self.forward.shape()?;
        let [q, k, v] = &self.forward.matrices;
        let [of_q, of_k, of_v] = &self.gradients;
        let pairs = [
            (
                "the gradient of the output",
                [q.rows(), q.columns()],
                [self.gradient.rows(), self.gradient.columns()],
            ),
            ("the gradient of the queries", [q.rows(), q.columns()], [of_q.rows(), of_q.columns()]),
            ("the gradient of the keys", [k.rows(), k.columns()], [of_k.rows(), of_k.columns()]),
            ("the gradient of the values", [v.rows(), v.columns()], [of_v.rows(), of_v.columns()]),
        ];
        for (name, expected, found) in pairs {
            if found != expected {
                return refused(
                    format!("a matrix of {} × {} for {name}", expected[0], expected[1]),
                    format!("one of {} × {}", found[0], found[1]),
                    "make it as large as what it is the gradient of",
                );
            }
        }
        Ok(shape)
    }
}
