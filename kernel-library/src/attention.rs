//! Attention.

use half::{bf16, f16};
use kernel_runtime::{BufferMatrix, BufferMatrixMut, DeviceBuffer, Element, Launch, LaunchReport, Stream};

use crate::error::{Error, Result};

/// Attention by groups of four warps, with the softmax taken as the keys come (Dao, Fu, Ermon, Rudra and Ré, "FlashAttention: Fast and
/// Memory-Efficient Exact Attention with IO-Awareness", 2022).
#[kernel_runtime::prelude::kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// Attends from QUERIES queries of a head in a block, 16 for each warp, to KEYS keys and values in each stage.
    #[device]
    fn attend<T: MatrixElement + OfSum, const D: usize, const QUERIES: usize, const KEYS: usize>(
        (q, k, v): (Matrix<'_, T>, Matrix<'_, T>, Matrix<'_, T>),
        mut o: MatrixMut<'_, T>,
        starts: (&[u32], &[u32]),
        [mut queries, mut keys, heads, group]: [usize; 4],
        scale: f32,
        causal: bool,
        by_heads: bool,
    ) {
        let mut memory = shared_dyn::<(
            Stages<(SharedTile<T, KEYS, D>, SharedTile<T, KEYS, D>), 2>,
            SharedTile<T, QUERIES, D>,
        )>();
        let (stages, own) = &mut memory[0];
        // Of a causal head the last queries have most keys: their blocks start first.
        let block = if causal { grid_dim().x - 1 - block_idx().x } else { block_idx().x };
        let (head, sequence) = (block_idx().y, block_idx().z);
        // So many heads share one of keys.
        let (key_head, key_heads) = (head / group.max(1), heads / group.max(1));
        // The heads of a sequence lie one below the other, or side by side.
        let (mut top, left) =
            if by_heads { (queries * (sequence * heads + head), 0) } else { (queries * sequence, D * head) };
        let (mut key_top, key_left) = if by_heads {
            (keys * (sequence * key_heads + key_head), 0)
        } else {
            (keys * sequence, D * key_head)
        };
        // Sequences of different lengths.
        if sequence + 1 < starts.0.len() && sequence + 1 < starts.1.len() {
            top = starts.0[sequence] as usize;
            queries = (starts.0[sequence + 1] as usize).saturating_sub(top);
            key_top = starts.1[sequence] as usize;
            keys = (starts.1[sequence + 1] as usize).saturating_sub(key_top);
        }
        let first = QUERIES * block;
        own.load(&q, [top + first, left]);
        barrier();
        // The first of this warp's 16 queries.
        let row = first + 16 * warp::warp_id();
        // The last query sees all keys.
        let ahead = keys.saturating_sub(queries);
        let seen = if causal { keys.min(ahead + first + QUERIES) } else { keys };
        // Of a shorter sequence than others the last blocks have no queries.
        let steps = if first < queries { seen.div_ceil(KEYS) } else { 0 };
        // Of the powers of two.
        let scale = scale * std::f32::consts::LOG2_E;
        let state = (
            warp::Acc::<f32, 16, D>::zero(),
            warp::Rows::<f32, 16>::splat(0.0),
            warp::Rows::<f32, 16>::splat(f32::NEG_INFINITY),
        );
        stages.run_specialized(
            steps,
            |(key, value), step| {
                let at = key_top + KEYS * step;
                // A weight of zero does not hide what is no number: values of the next head are left out.
                if KEYS * (step + 1) > keys {
                    (key.load(&k, [at, key_left]), value.load(&v.first_rows(key_top + keys), [at, key_left]))
                } else {
                    (key.load(&k, [at, key_left]), value.load(&v, [at, key_left]))
                }
            },
            state,
            |(sum, total, largest), (key, value), step| {
                let mut scores = warp::Acc::<f32, 16, KEYS>::of_tiles_transposed(own, key);
                let end = KEYS * (step + 1);
                if end > keys || causal && end > ahead + row {
                    scores = scores.map_at(|y, x, score| {
                        let (query, key) = (row + y, KEYS * step + x);
                        if key < keys && (!causal || key <= ahead + query) {
                            score
                        } else {
                            f32::NEG_INFINITY
                        }
                    });
                }
                let new = scores.row_max().zip(*largest, f32::max);
                let factor = largest.zip(new, |old, new| fast::exp2_ftz(scale * (old - new)));
                let weights = scores.map_rows(new, |score, new| fast::exp2_ftz(scale * score - scale * new));
                *total =
                    total.zip(factor, |total, factor| total * factor).zip(weights.row_sum(), |a, b| a + b);
                *sum = sum.map_rows(factor, |sum, factor| sum * factor);
                *largest = new;
                sum.mma_tile(&weights.to_left::<T>(), value);
            },
            |(sum, total, _)| {
                if row < queries {
                    let factor = total.map(|total| 1.0 / total);
                    let mut rows = o.first_rows(top + queries);
                    sum.map_rows(factor, |sum, factor| sum * factor).store(&mut rows, [top + row, left]);
                }
            },
        );
    }

    /// Declares kernels: attributes, name, elements of a head, queries of a block and keys of a stage.
    macro_rules! kernels {
        ($($(#[$attribute:meta])* $name:ident $elements:literal $queries:literal $keys:literal;)*) => {$(
            $(#[$attribute])*
            pub fn $name<T: MatrixElement + OfSum>(
                q: Matrix<'_, T>,
                k: Matrix<'_, T>,
                v: Matrix<'_, T>,
                o: MatrixMut<'_, T>,
                query_starts: &[u32],
                key_starts: &[u32],
                sizes: [usize; 4],
                scale: f32,
                causal: bool,
                by_heads: bool,
            ) {
                let starts = (query_starts, key_starts);
                attend::<T, $elements, $queries, $keys>((q, k, v), o, starts, sizes, scale, causal, by_heads);
            }
        )*};
    }
    kernels! {
        /// Heads with 64 elements, for Hopper.
        #[kernel(block(512), arch(sm_90a), instances(T = [f16, bf16]))]
        attention_64 64 192 128;
        /// Heads with 128 elements, for Hopper.
        #[kernel(block(512), arch(sm_90a), instances(T = [f16, bf16]))]
        attention_128 128 192 128;
        /// Heads with 256 elements, for Hopper: their sums leave registers for two groups of four warps.
        #[kernel(block(384), arch(sm_90a), instances(T = [f16, bf16]))]
        attention_256 256 128 64;
        /// Heads with 64 elements, in 48 KiB of shared memory.
        #[kernel(block(384), arch(sm_80), instances(T = [f16, bf16]))]
        attention_64_by_warps 64 128 64;
        /// Heads with 128 elements, in 96 KiB of shared memory: devices of compute capability 8.6 have no more.
        #[kernel(block(384), arch(sm_80), instances(T = [f16, bf16]))]
        attention_128_by_warps 128 128 64;
        /// Heads with 256 elements, in 96 KiB of shared memory.
        #[kernel(block(256), arch(sm_80), instances(T = [f16, bf16]))]
        attention_256_by_warps 256 64 32;
    }
}

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

    /// The launch of the kernel, for a stream, a graph or a run.
    ///
    /// # Errors
    /// [`Error::Shape`] if the sizes do not fit each other, or there is no kernel for a head's.
    pub fn launch(self) -> Result<Launch<'a>> {
        let refused = |expected: String, found: String, help| Err(Error::Shape { expected, found, help });
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
        let sizes = [queries, keys, heads, heads / key_heads];
        let Attention { matrices, output, causal, packed, .. } = self;
        let has_groups = output.gpu().attributes().compute_capability == (9, 0);
        let (kernel, tile, stage): (Kernel<T>, usize, usize) = match (size, has_groups) {
            (64, true) => (T::attention_64, 192, 128),
            (64, false) => (T::attention_64_by_warps, 128, 64),
            (128, true) => (T::attention_128, 192, 128),
            (128, false) => (T::attention_128_by_warps, 128, 64),
            (256, true) => (T::attention_256, 128, 64),
            (256, false) => (T::attention_256_by_warps, 64, 32),
            _ => {
                return refused(
                    "heads of 64, 128 or 256 elements".to_owned(),
                    format!("{size}"),
                    "fill heads with zeros up to the next of these, and give the scale by `.scale(…)`",
                );
            }
        };
        // All packed sequences are one for the sizes of the matrices.
        let (queries, sequences) = match packed {
            Some(packed) => (packed.longest.min(queries), packed.starts[0].len() - 1),
            None => (queries, sequences),
        };
        let starts = packed.map(|packed| packed.starts);
        let launch = kernel(matrices, output, starts, sizes, scale, causal, by_heads);
        let shared = (2 * 2 * stage + tile) * size * size_of::<T>();
        Ok(launch.grid((queries.div_ceil(tile) as u32, heads as u32, sequences as u32)).shared(shared))
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

/// A launch of a kernel with its arguments.
type Kernel<T> = for<'a> fn(
    [BufferMatrix<'a, T>; 3],
    BufferMatrixMut<'a, T>,
    Option<[&'a DeviceBuffer<u32>; 2]>,
    [usize; 4],
    f32,
    bool,
    bool,
) -> Launch<'a>;

macro_rules! kernels_of_elements {
    ($kernels:tt of $($element:ident)*) => {
        kernels_of_elements!(@trait $kernels);
        $(kernels_of_elements!(@impl $element $kernels);)*
    };
    (@trait [$($kernel:ident)*]) => {
        mod sealed {
            use kernel_runtime::{BufferMatrix, BufferMatrixMut, DeviceBuffer, Launch};

            pub trait Sealed: Sized {$(
                fn $kernel<'a>(
                    matrices: [BufferMatrix<'a, Self>; 3],
                    output: BufferMatrixMut<'a, Self>,
                    starts: Option<[&'a DeviceBuffer<u32>; 2]>,
                    sizes: [usize; 4],
                    scale: f32,
                    causal: bool,
                    by_heads: bool,
                ) -> Launch<'a>;
            )*}
        }
    };
    (@impl $element:ident [$($kernel:ident)*]) => {
        impl sealed::Sealed for $element {$(
            fn $kernel<'a>(
                [q, k, v]: [BufferMatrix<'a, Self>; 3],
                output: BufferMatrixMut<'a, Self>,
                starts: Option<[&'a DeviceBuffer<u32>; 2]>,
                sizes: [usize; 4],
                scale: f32,
                causal: bool,
                by_heads: bool,
            ) -> Launch<'a> {
                let [queries, keys] = [0, 1].map(|of| starts.map(|starts| starts[of]));
                kernels::$kernel::<$element>(q, k, v, output, queries, keys, sizes, scale, causal, by_heads)
            }
        )*}

        impl AttentionElement for $element {}
    };
}
kernels_of_elements!([attention_64 attention_128 attention_256 attention_64_by_warps attention_128_by_warps attention_256_by_warps] of f16 bf16);

/// An element of matrices that [`attention`] takes: `f16` and `bf16`.
pub trait AttentionElement: Element + sealed::Sealed {}
