//! Attention.

use half::{bf16, f16};
use kernel_runtime::{BufferMatrix, BufferMatrixMut, DeviceBuffer, Element, Launch, LaunchReport, Stream};

use crate::error::{Error, Result};

mod backward;
pub mod kernels;

pub use backward::AttentionBackward;

/// Arrangement of the heads of a sequence in its matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Those of a token side by side, `[sequences, tokens, heads, elements]`: matrices have a row for each token of a sequence, with all heads.
    #[default]
    BySequence,
    /// One below the other, `[sequences, heads, tokens, elements]`: matrices have a row for each token of a head.
    ByHead,
}

/// Attention that is to be computed: [`attention`].
#[derive(Debug)]
#[must_use = "attention is not computed until `.run()` or `.start(&stream)`"]
pub struct Attention<'a, T: AttentionElement> {
    matrices: [BufferMatrix<'a, T>; 3],
    output: BufferMatrixMut<'a, T>,
    sequences: usize,
    heads: usize,
    key_heads: Option<usize>,
    scale: Option<f32>,
    causal: bool,
    layout: Layout,
    packed: Option<Packed<'a>>,
    log_sums: Option<&'a mut DeviceBuffer<f32>>,
}

/// Sizes and options of a launch whose matrices fit each other.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Elements of a head.
    size: usize,
    /// Queries and keys of a sequence, heads, and how many of them share a head of keys. Of packed sequences the longest's queries.
    sizes: [usize; 4],
    sequences: usize,
    starts: Option<[&'a DeviceBuffer<u32>; 2]>,
    scale: f32,
    causal: bool,
    by_heads: bool,
}

impl<'a> Shape<'a> {
    /// The starts of queries, and those of keys.
    fn starts_of_both(&self) -> [Option<&'a DeviceBuffer<u32>>; 2] {
        [0, 1].map(|of| self.starts.map(|starts| starts[of]))
    }

    /// Blocks that do so many tokens of a head each, of so many heads.
    fn grid(&self, tokens: usize, of_block: usize, heads: usize) -> (u32, u32, u32) {
        (tokens.div_ceil(of_block) as u32, heads as u32, self.sequences as u32)
    }
}

/// Sequences of different lengths.
#[derive(Clone, Copy, Debug)]
struct Packed<'a> {
    /// The first rows of the queries and of the keys of each, and the last's ends.
    starts: [&'a DeviceBuffer<u32>; 2],
    /// Queries of the longest.
    longest: usize,
}

/// Scaled dot-product attention: for each query the mean of the values, weighted by the softmax of its products with the keys. Elements are `f16` or `bf16`,
/// sums `f32`; a head has 64, 128 or 256 elements.
///
/// By default there is one sequence with one head: `q` and `output` have a row for each query, `k` and `v` for each key.
///
/// ```
/// use kernel_library::attention;
/// use kernel_runtime::prelude::*;
///
/// let gpu = Gpu::new()?;
/// // 2 sequences of 5 tokens with 4 heads of 64 elements, which share 2 heads of keys and values.
/// let q = gpu.upload(&vec![f16::ONE; 2 * 5 * 4 * 64])?;
/// let k = gpu.upload(&vec![f16::ONE; 2 * 5 * 2 * 64])?;
/// let v = gpu.upload(&(0..2 * 5 * 2 * 64).map(|at| f16::from_f32((at / 128 % 5) as f32)).collect::<Vec<_>>())?;
/// let mut o = gpu.zeros::<f16>(2 * 5 * 4 * 64)?;
/// let (queries, keys, values) = (q.matrix(2 * 5, 4 * 64)?, k.matrix(2 * 5, 2 * 64)?, v.matrix(2 * 5, 2 * 64)?);
/// attention(queries, keys, values, o.matrix_mut(2 * 5, 4 * 64)?)
///     .sequences(2)
///     .heads(4)
///     .key_heads(2)
///     .causal()
///     .run()?;
/// // All keys are alike: the mean of the values so far.
/// let first: Vec<f32> = o.to_vec()?.iter().step_by(4 * 64).map(|x| x.to_f32()).collect();
/// assert_eq!(first, [0.0, 0.5, 1.0, 1.5, 2.0, 0.0, 0.5, 1.0, 1.5, 2.0]);
/// # Ok::<(), kernel_library::Error>(())
/// ```
///
/// Devices need compute capability 8.0; those of 9.0 (Hopper) multiply by `wgmma` from tiles that tensor maps copy, where rows begin at multiples of 16
/// bytes.
#[doc(alias("scaled_dot_product_attention", "flash_attn_func", "flash_attention"))]
pub fn attention<'a, T: AttentionElement>(
    q: BufferMatrix<'a, T>,
    k: BufferMatrix<'a, T>,
    v: BufferMatrix<'a, T>,
    output: BufferMatrixMut<'a, T>,
) -> Attention<'a, T> {
    Attention {
        matrices: [q, k, v],
        output,
        sequences: 1,
        heads: 1,
        key_heads: None,
        scale: None,
        causal: false,
        layout: Layout::default(),
        packed: None,
        log_sums: None,
    }
}

impl<'a, T: AttentionElement> Attention<'a, T> {
    /// Sequences, one below the other in all matrices, each as long as the others.
    pub fn sequences(mut self, sequences: usize) -> Self {
        self.sequences = sequences;
        self
    }

    /// Heads of the queries.
    pub fn heads(mut self, heads: usize) -> Self {
        self.heads = heads;
        self
    }

    /// Heads of keys and values, of which each serves several heads of queries beside each other (grouped queries). As many as those, unless
    /// said.
    pub fn key_heads(mut self, heads: usize) -> Self {
        self.key_heads = Some(heads);
        self
    }

    /// The factor of the products. One over the root of a head's elements, unless said.
    pub fn scale(mut self, scale: f32) -> Self {
        self.scale = Some(scale);
        self
    }

    /// Lets a query see the keys up to its own place. Where there are more keys than queries, the last query sees all of them.
    pub fn causal(mut self) -> Self {
        self.causal = true;
        self
    }

    /// The arrangement of heads.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Sequences of different lengths, packed one behind the other: the queries of sequence `i` are the rows from `query_starts[i]` to before
    /// `query_starts[i + 1]`, its keys and values those of `key_starts`, both with a number more than there are sequences. `longest` is how many queries
    /// the longest has: those beyond are not computed. The heads of a token lie side by side.
    ///
    /// A causal sequence has as many keys as queries or more; of a sequence without keys the output is NaN.
    ///
    /// ```
    /// use kernel_library::attention;
    /// use kernel_runtime::prelude::*;
    ///
    /// let gpu = Gpu::new()?;
    /// // Sequences of 3 and of 2 tokens.
    /// let x = gpu.upload(&vec![f16::ONE; 5 * 64])?;
    /// let v = gpu.upload(&(0..5 * 64).map(|at| f16::from_f32((at / 64) as f32)).collect::<Vec<_>>())?;
    /// let starts = gpu.upload(&[0u32, 3, 5])?;
    /// let mut o = gpu.zeros::<f16>(5 * 64)?;
    /// let (tokens, values) = (x.matrix(5, 64)?, v.matrix(5, 64)?);
    /// attention(tokens, tokens, values, o.matrix_mut(5, 64)?).packed(&starts, &starts, 3).run()?;
    /// let first: Vec<f32> = o.to_vec()?.iter().step_by(64).map(|x| x.to_f32()).collect();
    /// assert_eq!(first, [1.0, 1.0, 1.0, 3.5, 3.5]);
    /// # Ok::<(), kernel_library::Error>(())
    /// ```
    #[doc(alias("cu_seqlens", "flash_attn_varlen_func"))]
    pub fn packed(
        mut self,
        query_starts: &'a DeviceBuffer<u32>,
        key_starts: &'a DeviceBuffer<u32>,
        longest: usize,
    ) -> Self {
        self.packed = Some(Packed { starts: [query_starts, key_starts], longest });
        self
    }

    /// Writes, for each query of each head, the logarithm of the sum of the exponentials of its scaled products: what
    /// [`backward`](Self::backward) needs of the forward pass. That of query `i` of a head comes at `(sequence * heads + head) * queries + i`;
    /// of packed sequences `longest` stands for `queries`. A head has 64 or 128 elements.
    #[doc(alias("softmax_lse", "logsumexp"))]
    pub fn log_sums(mut self, log_sums: &'a mut DeviceBuffer<f32>) -> Self {
        self.log_sums = Some(log_sums);
        self
    }

    /// The launch of the kernel, for a stream, a graph or a run.
    ///
    /// # Errors
    /// [`Error::Shape`] if the sizes do not fit each other, or there is no kernel for a head's.
    pub fn launch(self) -> Result<Launch<'a>> {
        let shape = self.shape()?;
        let by_groups = self.multiplies_by_groups();
        let Attention { matrices, output, log_sums, .. } = self;
        let Some((kernel, tile, stage)) = T::forward(shape.size, by_groups) else {
            return refused(
                "heads of 64, 128 or 256 elements".to_owned(),
                shape.size.to_string(),
                "fill heads with zeros up to the next of these, and give the scale by `.scale(…)`",
            );
        };
        let [queries, _, heads, _] = shape.sizes;
        let shared = (2 * 2 * stage + tile) * shape.size * size_of::<T>();
        Ok(kernel(matrices, output, log_sums, shape).grid(shape.grid(queries, tile, heads)).shared(shared))
    }

    /// Returns true if the device has products of groups of four warps.
    fn multiplies_by_groups(&self) -> bool {
        self.output.gpu().attributes().compute_capability == (9, 0)
    }

    /// The sizes, if they fit each other.
    fn shape(&self) -> Result<Shape<'a>> {
        let [q, k, v] = &self.matrices;
        let key_heads = self.key_heads.unwrap_or(self.heads);
        let (sequences, heads) = (self.sequences, self.heads);
        if let Some(Packed { starts: [of_queries, of_keys], .. }) = self.packed
            && (self.layout != Layout::BySequence
                || sequences != 1
                || of_queries.len() != of_keys.len()
                || of_keys.len() < 2)
        {
            return refused(
                "a start for each packed sequence and the end of the last, of queries and of keys, with the heads of a token side by side"
                    .to_owned(),
                format!(
                    "{} starts of queries and {} of keys, `.sequences({sequences})`, and `Layout::{:?}`",
                    of_queries.len(),
                    of_keys.len(),
                    self.layout
                ),
                "leave `.sequences(…)` and `.layout(…)` out, and give both lists the same length",
            );
        }
        if sequences == 0 || key_heads == 0 || heads == 0 || !heads.is_multiple_of(key_heads) {
            return refused(
                "one sequence or more, and as many heads as keys have, or a multiple of them".to_owned(),
                format!("{sequences} sequences, {heads} heads and {key_heads} of keys"),
                "give heads of queries by `.heads(…)`, those of keys and values by `.key_heads(…)`",
            );
        }
        // Heads that lie below each other, and those in a row.
        let [[below, beside], [keys_below, keys_beside]] =
            [heads, key_heads].map(|heads| match self.layout {
                Layout::BySequence => [1, heads],
                Layout::ByHead => [heads, 1],
            });
        let size = q.columns() / beside;
        // A product beyond all numbers is more than any matrix has rows.
        let [parts, key_parts] = [below, keys_below].map(|below| sequences.saturating_mul(below));
        let (queries, keys) = (q.rows() / parts, k.rows() / key_parts);
        let shape = |rows: usize, columns: usize| format!("{rows} × {columns}");
        let help = "give sequences, heads and layout as they lie in the matrices: `.sequences(…).heads(…).key_heads(…).layout(…)`";
        let of_queries = [parts * queries, beside * size];
        let of_keys = [key_parts * keys, keys_beside.saturating_mul(size)];
        let found = [
            ("queries", of_queries, [q.rows(), q.columns()]),
            ("keys", of_keys, [k.rows(), k.columns()]),
            ("values", of_keys, [v.rows(), v.columns()]),
            ("the output", of_queries, [self.output.rows(), self.output.columns()]),
        ];
        for (name, expected, found) in found {
            if found != expected {
                return refused(
                    format!(
                        "a matrix of {} for {name}, of {sequences} sequences, {heads} heads and {key_heads} of keys",
                        shape(expected[0], expected[1])
                    ),
                    format!("one of {}", shape(found[0], found[1])),
                    help,
                );
            }
        }
        if self.causal && keys < queries && self.packed.is_none() {
            return refused(
                format!(
                    "at least {queries} keys of a sequence, as many as its queries, for causal attention"
                ),
                format!("{keys}"),
                "leave `.causal()` out, or give all keys",
            );
        }
        let scale = self.scale.unwrap_or_else(|| 1.0 / (size as f32).sqrt());
        let by_heads = self.layout == Layout::ByHead;
        // All packed sequences are one for the sizes of the matrices.
        let (queries, sequences) = match self.packed {
            Some(packed) => (packed.longest.min(queries), packed.starts[0].len() - 1),
            None => (queries, sequences),
        };
        let Some(numbers) = sequences.checked_mul(heads).and_then(|rows| rows.checked_mul(queries)) else {
            let found = format!("{sequences} × {heads} × {queries}");
            return refused("fewer rows than `usize` counts".to_owned(), found, "check the sequences");
        };
        if self.log_sums.is_some() && size == 256 {
            return refused(
                "heads of 64 or 128 elements, of which there are logarithms of sums and gradients".to_owned(),
                size.to_string(),
                "leave `.log_sums(…)` out",
            );
        }
        if let Some(log_sums) = &self.log_sums
            && log_sums.len() != numbers
        {
            return refused(
                format!(
                    "{numbers} logarithms of sums, of {sequences} sequences, {heads} heads and {queries} queries"
                ),
                format!("a buffer of {}", log_sums.len()),
                "make it by `gpu.zeros::<f32>(sequences * heads * queries)?`",
            );
        }
        Ok(Shape {
            size,
            sizes: [queries, keys, heads, heads / key_heads],
            sequences,
            starts: self.packed.map(|packed| packed.starts),
            scale,
            causal: self.causal,
            by_heads,
        })
    }

    /// Computes attention and waits for it.
    ///
    /// # Errors
    /// As [`launch`](Self::launch); [`Error::Kernel`] as [`Launch::run`](kernel_runtime::Launch::run).
    pub fn run(self) -> Result<LaunchReport> {
        Ok(self.launch()?.run()?)
    }

    /// Starts it on a stream.
    ///
    /// # Errors
    /// As [`launch`](Self::launch), and [`Launch::start`](kernel_runtime::Launch::start).
    pub fn start(self, stream: &Stream) -> Result<()> {
        Ok(self.launch()?.start(stream)?)
    }
}

fn refused<T>(expected: String, found: String, help: &'static str) -> Result<T> {
    Err(Error::Shape { expected, found, help })
}

/// A launch of a kernel of the forward pass with its arguments.
pub type Forward<T> = for<'a> fn(
    [BufferMatrix<'a, T>; 3],
    BufferMatrixMut<'a, T>,
    Option<&'a mut DeviceBuffer<f32>>,
    Shape<'a>,
) -> Launch<'a>;

/// Those that go back to keys and values, or to queries.
pub type Backward<T, const N: usize> = for<'a> fn(
    [BufferMatrix<'a, T>; 4],
    [BufferMatrixMut<'a, T>; N],
    [&'a DeviceBuffer<f32>; 2],
    usize,
    Shape<'a>,
) -> Launch<'a>;

/// That which goes back to all three, queries as sums.
pub type BackwardToAll<T> = for<'a> fn(
    [BufferMatrix<'a, T>; 4],
    [BufferMatrixMut<'a, T>; 2],
    &'a mut DeviceBuffer<f32>,
    [&'a DeviceBuffer<f32>; 2],
    usize,
    Shape<'a>,
) -> Launch<'a>;

/// A kernel, the tokens of its blocks and those of its stages.
pub type Tiled<K> = Option<(K, usize, usize)>;

mod sealed {
    use kernel_runtime::{BufferMatrix, BufferMatrixMut, DeviceBuffer, Launch};

    use super::{Backward, BackwardToAll, Forward, Shape, Tiled};

    /// The instances of the kernels, for heads of so many elements, on devices with products of groups of four warps or without.
    pub trait Sealed: Sized {
        fn forward(size: usize, by_groups: bool) -> Tiled<Forward<Self>>;
        fn to_keys(size: usize, by_groups: bool) -> Tiled<Backward<Self, 2>>;
        fn to_queries(size: usize, by_groups: bool) -> Tiled<Backward<Self, 1>>;
        /// Of devices with products of groups of four warps.
        fn to_all(size: usize) -> Tiled<BackwardToAll<Self>>;
        fn scaled_sums<'a>(
            sums: &'a DeviceBuffer<f32>,
            of_q: BufferMatrixMut<'a, Self>,
            padded: usize,
            shape: Shape<'a>,
        ) -> Launch<'a>;
        fn statistics<'a>(
            output: BufferMatrixMut<'a, Self>,
            gradient: BufferMatrix<'a, Self>,
            log_sums: &'a DeviceBuffer<f32>,
            statistics: [&'a mut DeviceBuffer<f32>; 2],
            sums: Option<&'a mut DeviceBuffer<f32>>,
            padded: usize,
            shape: Shape<'a>,
        ) -> Launch<'a>;
    }
}

/// Finds an instance with the tokens of its blocks and stages among those of sizes by groups of four warps, and by warps.
macro_rules! instance {
    ($size:ident $by_groups:ident $element:ident $launch:ident:
     $($elements:literal => $groups:ident $block:literal $stage:literal, $warps:ident $warp_block:literal $warp_stage:literal;)*) => {
        match ($size, $by_groups) {
            $(
                ($elements, true) => Some(($launch!($groups $element), $block, $stage)),
                ($elements, false) => Some(($launch!($warps $element), $warp_block, $warp_stage)),
            )*
            _ => None,
        }
    };
}

macro_rules! forward {
    ($kernel:ident $element:ident) => {
        |[q, k, v], output, log_sums, shape| {
            let Shape { sizes, scale, causal, by_heads, .. } = shape;
            let [queries, keys] = shape.starts_of_both();
            kernels::$kernel::<$element>(
                q, k, v, output, log_sums, queries, keys, sizes, scale, causal, by_heads,
            )
        }
    };
}

macro_rules! to_keys {
    ($kernel:ident $element:ident) => {
        |[q, k, v, gradient], [of_k, of_v], [logs, means], padded, shape| {
            let Shape { sizes, scale, causal, by_heads, .. } = shape;
            let [queries, keys] = shape.starts_of_both();
            kernels::$kernel::<$element>(
                q, k, v, gradient, of_k, of_v, logs, means, queries, keys, sizes, padded, scale, causal,
                by_heads,
            )
        }
    };
}

macro_rules! to_all {
    ($kernel:ident $element:ident) => {
        |[q, k, v, gradient], [of_k, of_v], sums, [logs, means], padded, shape| {
            let Shape { sizes, scale, causal, by_heads, .. } = shape;
            let [queries, keys] = shape.starts_of_both();
            kernels::$kernel::<$element>(
                q, k, v, gradient, of_k, of_v, sums, logs, means, queries, keys, sizes, padded, scale,
                causal, by_heads,
            )
        }
    };
}

macro_rules! to_queries {
    ($kernel:ident $element:ident) => {
        |[q, k, v, gradient], [of_q], [logs, means], padded, shape| {
            let Shape { sizes, scale, causal, by_heads, .. } = shape;
            let [queries, keys] = shape.starts_of_both();
            kernels::$kernel::<$element>(
                q, k, v, gradient, of_q, logs, means, queries, keys, sizes, padded, scale, causal, by_heads,
            )
        }
    };
}

macro_rules! elements {
    ($($element:ident)*) => {$(
        impl sealed::Sealed for $element {
            fn forward(size: usize, by_groups: bool) -> Tiled<Forward<Self>> {
                instance! { size by_groups $element forward:
                    64 => attention_64 192 128, attention_64_by_warps 128 64;
                    128 => attention_128 192 128, attention_128_by_warps 128 64;
                    256 => attention_256 128 64, attention_256_by_warps 64 32;
                }
            }

            fn to_keys(size: usize, by_groups: bool) -> Tiled<Backward<Self, 2>> {
                instance! { size by_groups $element to_keys:
                    64 => keys_64 128 64, keys_64_by_warps 64 64;
                    128 => keys_128 128 64, keys_128_by_warps 64 32;
                }
            }

            fn to_queries(size: usize, by_groups: bool) -> Tiled<Backward<Self, 1>> {
                instance! { size by_groups $element to_queries:
                    64 => queries_64 128 128, queries_64_by_warps 128 64;
                    128 => queries_128 128 128, queries_128_by_warps 64 32;
                }
            }

            fn to_all(size: usize) -> Tiled<BackwardToAll<Self>> {
                match size {
                    64 => Some((to_all!(all_64 $element), 128, 128)),
                    // Of 128 elements the sums leave no registers for what is exchanged: two kernels take 0.74 of the time on an H200.
                    _ => None,
                }
            }

            fn scaled_sums<'a>(
                sums: &'a DeviceBuffer<f32>,
                of_q: BufferMatrixMut<'a, Self>,
                padded: usize,
                shape: Shape<'a>,
            ) -> Launch<'a> {
                let Shape { size, sizes, scale, by_heads, .. } = shape;
                let [queries, keys] = shape.starts_of_both();
                kernels::scaled_sums::<$element>(sums, of_q, queries, keys, sizes, size, padded, scale, by_heads)
            }

            fn statistics<'a>(
                output: BufferMatrixMut<'a, Self>,
                gradient: BufferMatrix<'a, Self>,
                log_sums: &'a DeviceBuffer<f32>,
                [logs, means]: [&'a mut DeviceBuffer<f32>; 2],
                sums: Option<&'a mut DeviceBuffer<f32>>,
                padded: usize,
                shape: Shape<'a>,
            ) -> Launch<'a> {
                let Shape { size, sizes, by_heads, .. } = shape;
                let [queries, keys] = shape.starts_of_both();
                kernels::statistics::<$element>(
                    output, gradient, log_sums, logs, means, sums, queries, keys, sizes, size, padded, by_heads,
                )
            }
        }

        impl AttentionElement for $element {}
    )*};
}
elements! { f16 bf16 }

/// An element of matrices that [`attention`] takes: `f16` and `bf16`.
pub trait AttentionElement: Element + sealed::Sealed {}
