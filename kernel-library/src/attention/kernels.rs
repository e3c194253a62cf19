//! The kernels of attention and of its gradients, by groups of four warps, with the softmax taken as the keys come (Dao, Fu, Ermon, Rudra and Ré,
//! "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022).

pub use items::*;

#[kernel_runtime::prelude::kernel_module]
mod items {
    use kernel_runtime::prelude::*;

    /// The tokens of a head in the matrices.
    #[derive(Clone, Copy)]
    struct Place {
        /// The first row and column of its queries.
        top: usize,
        left: usize,
        /// Those of its keys and values.
        key_top: usize,
        key_left: usize,
        queries: usize,
        keys: usize,
    }

    /// Options of a launch.
    #[derive(Clone, Copy)]
    struct Options<'a> {
        /// Of sequences with different lengths the first rows of queries and keys.
        starts: (&'a [u32], &'a [u32]),
        /// Queries and keys of a sequence, heads, and how many of them share a head of keys. Of different lengths the longest's queries.
        sizes: [usize; 4],
        /// The factor of the products.
        scale: f32,
        causal: bool,
        /// The heads of a sequence lie one below the other, not side by side.
        by_heads: bool,
    }

    impl Options<'_> {
        /// The place of a head with D elements.
        fn place<const D: usize>(self, sequence: usize, head: usize) -> Place {
            let [mut queries, mut keys, heads, group] = self.sizes;
            let (key_head, key_heads) = (head / group.max(1), heads / group.max(1));
            let (mut top, left) = if self.by_heads {
                (queries * (sequence * heads + head), 0)
            } else {
                (queries * sequence, D * head)
            };
            let (mut key_top, key_left) = if self.by_heads {
                (keys * (sequence * key_heads + key_head), 0)
            } else {
                (keys * sequence, D * key_head)
            };
            let (starts, key_starts) = self.starts;
            if sequence + 1 < starts.len() && sequence + 1 < key_starts.len() {
                top = starts[sequence] as usize;
                queries = (starts[sequence + 1] as usize).saturating_sub(top);
                key_top = key_starts[sequence] as usize;
                keys = (key_starts[sequence + 1] as usize).saturating_sub(key_top);
            }
            Place { top, left, key_top, key_left, queries, keys }
        }
    }

    /// Attends from QUERIES queries of a head in a block, 16 for each warp, to KEYS keys and values in each stage.
    #[device]
    fn attend<T: MatrixElement + OfSum, const D: usize, const QUERIES: usize, const KEYS: usize>(
        (q, k, v): (Matrix<'_, T>, Matrix<'_, T>, Matrix<'_, T>),
        mut o: MatrixMut<'_, T>,
        log_sums: &mut [f32],
        options: Options<'_>,
    ) {
        let mut memory = shared_dyn::<(
            Stages<(SharedTile<T, KEYS, D>, SharedTile<T, KEYS, D>), 2>,
            SharedTile<T, QUERIES, D>,
        )>();
        let (stages, own) = &mut memory[0];
        let causal = options.causal;
        // Of a causal head the last queries have most keys: their blocks start first.
        let block = if causal { grid_dim().x - 1 - block_idx().x } else { block_idx().x };
        let (head, sequence) = (block_idx().y, block_idx().z);
        let Place { top, left, key_top, key_left, queries, keys } = options.place::<D>(sequence, head);
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
        let scale = options.scale * std::f32::consts::LOG2_E;
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
            |(sum, total, largest)| {
                if row < queries {
                    // Of larger heads no register is left.
                    if D < 256 {
                        let [longest, _, heads, _] = options.sizes;
                        let logs = total.zip(largest, |total, largest| {
                            (total.log2() + scale * largest) * std::f32::consts::LN_2
                        });
                        let from = (sequence * heads + head) * longest + row;
                        logs.for_each(|y, log| {
                            if row + y < queries
                                && let Some(place) = log_sums.get_mut(from + y)
                            {
                                *place = log;
                            }
                        });
                    }
                    let factor = total.map(|total| 1.0 / total);
                    let mut rows = o.first_rows(top + queries);
                    sum.map_rows(factor, |sum, factor| sum * factor).store(&mut rows, [top + row, left]);
                }
            },
        );
    }

    /// For each query of a head the logarithm of the sum of its weights, of base two, and the mean of how the output's gradient changes its weights: a
    /// warp for each. Of those that fill a tile up there is no weight and no change. Makes the sums of `go_back` zero, if there are any.
    #[kernel(block(128), arch(sm_80), instances(T = [f16, bf16]))]
    pub fn statistics<T: MatrixElement + Into<f32>>(
        o: MatrixMut<'_, T>,
        gradient: Matrix<'_, T>,
        log_sums: &[f32],
        logs: &mut [f32],
        means: &mut [f32],
        sums: &mut [f32],
        query_starts: &[u32],
        key_starts: &[u32],
        sizes: [usize; 4],
        size: usize,
        padded: usize,
        by_heads: bool,
    ) {
        let (head, sequence) = (block_idx().y, block_idx().z);
        let options =
            Options { starts: (query_starts, key_starts), sizes, scale: 1.0, causal: false, by_heads };
        // Of heads with one element, whose columns are their numbers.
        let place = options.place::<1>(sequence, head);
        let query = 4 * block_idx().x + warp::warp_id();
        let [longest, _, heads, _] = sizes;
        let (mut log, mut mean) = (f32::INFINITY, 0.0);
        if query < place.queries.min(longest) {
            let (row, left) = (place.top + query, size * place.left);
            let mut sum = 0.0;
            for at in (warp::lane_id()..size).step_by(32) {
                let (output, slope): (f32, f32) =
                    (o[[row, left + at]].into(), gradient[[row, left + at]].into());
                sum += output * slope;
            }
            log = log_sums[(sequence * heads + head) * longest + query] * std::f32::consts::LOG2_E;
            mean = warp::reduce_add(sum);
        }
        let at = (sequence * heads + head) * padded + query;
        if query < padded {
            if warp::lane_id() == 0 {
                (logs[at], means[at]) = (log, mean);
            }
            for element in (warp::lane_id()..size).step_by(32) {
                if let Some(sum) = sums.get_mut(size * at + element) {
                    *sum = 0.0;
                }
            }
        }
    }

    /// An element that sums are rounded to.
    pub trait Rounded {
        /// The nearest to a sum.
        fn rounded(sum: f32) -> Self;
    }

    impl Rounded for f16 {
        fn rounded(sum: f32) -> f16 {
            f16::from_f32(sum)
        }
    }

    impl Rounded for bf16 {
        fn rounded(sum: f32) -> bf16 {
            bf16::from_f32(sum)
        }
    }

    /// The gradients of the queries of a head from the sums of `go_back`: a warp for each.
    #[kernel(block(128), arch(sm_80), instances(T = [f16, bf16]))]
    pub fn scaled_sums<T: MatrixElement + Rounded>(
        sums: &[f32],
        mut of_q: MatrixMut<'_, T>,
        query_starts: &[u32],
        key_starts: &[u32],
        sizes: [usize; 4],
        size: usize,
        padded: usize,
        scale: f32,
        by_heads: bool,
    ) {
        let (head, sequence) = (block_idx().y, block_idx().z);
        let options = Options { starts: (query_starts, key_starts), sizes, scale, causal: false, by_heads };
        let place = options.place::<1>(sequence, head);
        let query = 4 * block_idx().x + warp::warp_id();
        let [longest, _, heads, _] = sizes;
        if query < place.queries.min(longest) {
            let (row, left) = (place.top + query, size * place.left);
            let from = size * ((sequence * heads + head) * padded + query);
            for at in (warp::lane_id()..size).step_by(32) {
                of_q[[row, left + at]] = T::rounded(scale * sums[from + at]);
            }
        }
    }

    /// The way of a block of KEYS keys through the queries that see them, QUERIES in each step, of each head that shares the keys.
    #[derive(Clone, Copy)]
    struct QuerySteps {
        place: Place,
        /// The first of the block's keys.
        first: usize,
        /// The steps of a head, and how many before see none of the keys.
        tiles: usize,
        unseen: usize,
        /// Keys that the first query sees besides its own.
        ahead: usize,
        /// The place of the statistics of the first head that shares the keys, and how far it is to those of the next.
        from: usize,
        padded: usize,
        /// Queries of the sequence that are computed.
        queries: usize,
        by_heads: bool,
    }

    /// The queries of a step.
    #[derive(Clone, Copy)]
    struct QueryStep {
        /// The number of the first in its sequence.
        at: usize,
        /// Its row and column in the matrices.
        place: [usize; 2],
        /// The end of the rows of its head, if the step goes beyond.
        end: Option<usize>,
        /// The place of its statistics.
        from: usize,
    }

    impl QuerySteps {
        fn new<const D: usize, const KEYS: usize, const QUERIES: usize>(
            padded: usize,
            options: Options<'_>,
        ) -> QuerySteps {
            let [longest, _, heads, group] = options.sizes;
            let (key_head, sequence) = (block_idx().y, block_idx().z);
            let head = key_head * group;
            let place = options.place::<D>(sequence, head);
            let first = KEYS * block_idx().x;
            // The last query sees all keys.
            let ahead = place.keys.saturating_sub(place.queries);
            // The queries before see none of these keys.
            let unseen = if options.causal { first.saturating_sub(ahead) / QUERIES } else { 0 };
            let queries = place.queries.min(longest);
            let tiles = queries.div_ceil(QUERIES).saturating_sub(unseen);
            let from = (sequence * heads + head) * padded;
            QuerySteps {
                place,
                first,
                tiles,
                unseen,
                ahead,
                from,
                padded,
                queries,
                by_heads: options.by_heads,
            }
        }

        fn step<const D: usize, const QUERIES: usize>(self, step: usize) -> QueryStep {
            let head = step / self.tiles.max(1);
            let at = QUERIES * (self.unseen + step % self.tiles.max(1));
            let Place { top, left, .. } = self.place;
            // From a head to the next that shares the keys.
            let (down, aside) = if self.by_heads { (self.queries, 0) } else { (0, D) };
            let top = top + down * head;
            let end = if at + QUERIES > self.queries { Some(top + self.queries) } else { None };
            QueryStep {
                at,
                place: [top + at, left + aside * head],
                end,
                from: self.from + head * self.padded + at,
            }
        }
    }

    /// Computes the gradients of the scores of this warp's 16 keys and of the queries of a step, of which `at` is the first, as the left matrix of a product
    /// with the queries. Adds to the gradients of the values. The scores are transposed: a row for each key.
    #[device]
    fn slopes_of_scores<T: MatrixElement + OfSum, const D: usize, const KEYS: usize, const QUERIES: usize>(
        (own_keys, own_values): (&SharedTile<T, KEYS, D>, &SharedTile<T, KEYS, D>),
        (query, slope): (&SharedTile<T, QUERIES, D>, &SharedTile<T, QUERIES, D>),
        of_values: &mut warp::Acc<f32, 16, D>,
        (logs, means): (&[f32], &[f32]),
        steps: QuerySteps,
        at: usize,
        options: Options<'_>,
    ) -> warp::Left<T, 16, QUERIES> {
        let scale = options.scale * std::f32::consts::LOG2_E;
        let row = steps.first + 16 * warp::warp_id();
        let scores = warp::Acc::<f32, 16, QUERIES>::of_tiles_transposed(own_keys, query);
        let mut weights = scores.map_at(|_, x, score| fast::exp2_ftz(scale * score - logs[x]));
        let (causal, ahead, keys) = (options.causal, steps.ahead, steps.place.keys);
        if row + 16 > keys || causal && row + 15 > ahead + at {
            weights = weights.map_at(|y, x, weight| {
                if row + y < keys && (!causal || row + y <= ahead + at + x) { weight } else { 0.0 }
            });
        }
        of_values.mma_tile(&weights.to_left::<T>(), slope);
        // Behind the product: registers hold one more of these at a time.
        let changes = warp::Acc::<f32, 16, QUERIES>::of_tiles_transposed(own_values, slope);
        let changes = changes.map_at(|_, x, change| change - means[x]);
        weights.zip(changes, |weight, change| weight * change).to_left::<T>()
    }

    /// Stores the gradients of this warp's 16 keys and values.
    #[device]
    fn store_of_keys<T: MatrixElement + OfSum, const D: usize>(
        (of_keys, of_values): (warp::Acc<f32, 16, D>, warp::Acc<f32, 16, D>),
        (mut of_k, mut of_v): (MatrixMut<'_, T>, MatrixMut<'_, T>),
        steps: QuerySteps,
        scale: f32,
    ) {
        let Place { key_top, key_left, keys, .. } = steps.place;
        let row = steps.first + 16 * warp::warp_id();
        if row < keys {
            let (end, at) = (key_top + keys, [key_top + row, key_left]);
            of_keys.map(|sum| scale * sum).store(&mut of_k.first_rows(end), at);
            of_values.store(&mut of_v.first_rows(end), at);
        }
    }

    /// The gradients of KEYS keys and values of a head in a block, 16 for each warp, from QUERIES queries in each stage.
    #[device]
    fn go_back_to_keys<T: MatrixElement + OfSum, const D: usize, const KEYS: usize, const QUERIES: usize>(
        (q, k, v, gradient): (Matrix<'_, T>, Matrix<'_, T>, Matrix<'_, T>, Matrix<'_, T>),
        (of_k, of_v): (MatrixMut<'_, T>, MatrixMut<'_, T>),
        (logs, means): (&[f32], &[f32]),
        padded: usize,
        options: Options<'_>,
    ) {
        let mut memory = shared_dyn::<(
            Stages<(SharedTile<T, QUERIES, D>, SharedTile<T, QUERIES, D>), 2>,
            SharedTile<T, KEYS, D>,
            SharedTile<T, KEYS, D>,
        )>();
        let (stages, own_keys, own_values) = &mut memory[0];
        let steps = QuerySteps::new::<D, KEYS, QUERIES>(padded, options);
        let Place { key_top, key_left, keys, .. } = steps.place;
        // Of a shorter sequence than others the last blocks have no keys.
        if steps.first >= keys {
            return;
        }
        // Zeros stand for keys and values of the next head, which may be no numbers.
        let end = key_top + keys;
        own_keys.load(&k.first_rows(end), [key_top + steps.first, key_left]);
        own_values.load(&v.first_rows(end), [key_top + steps.first, key_left]);
        barrier();
        let [_, _, _, group] = options.sizes;
        stages.run_specialized(
            group * steps.tiles,
            |(query, slope), step| {
                let QueryStep { place, end, .. } = steps.step::<D, QUERIES>(step);
                // A weight of zero does not hide what is no number: the queries of the next head are left out.
                match end {
                    Some(end) => {
                        (query.load(&q.first_rows(end), place), slope.load(&gradient.first_rows(end), place))
                    }
                    None => (query.load(&q, place), slope.load(&gradient, place)),
                }
            },
            (warp::Acc::<f32, 16, D>::zero(), warp::Acc::<f32, 16, D>::zero()),
            |(of_keys, of_values), (query, slope), step| {
                let QueryStep { at, from, .. } = steps.step::<D, QUERIES>(step);
                let Some(logs) = logs.get(from..from + QUERIES) else { return };
                let Some(means) = means.get(from..from + QUERIES) else { return };
                let (own, stage) = ((&*own_keys, &*own_values), (query, slope));
                let slopes = slopes_of_scores::<T, D, KEYS, QUERIES>(
                    own,
                    stage,
                    of_values,
                    (logs, means),
                    steps,
                    at,
                    options,
                );
                of_keys.mma_tile(&slopes, query);
            },
            |sums| store_of_keys::<T, D>(sums, (of_k, of_v), steps, options.scale),
        );
    }

    /// As `go_back_to_keys`, and adds the gradients of the queries, without their scale, to sums: a row of D for each query of each head of a sequence,
    /// `padded` of them. For that the warps exchange the gradients of the scores.
    #[device]
    fn go_back<T: MatrixElement + OfSum, const D: usize, const KEYS: usize, const QUERIES: usize>(
        (q, k, v, gradient): (Matrix<'_, T>, Matrix<'_, T>, Matrix<'_, T>, Matrix<'_, T>),
        (of_k, of_v, of_q): (MatrixMut<'_, T>, MatrixMut<'_, T>, &[AtomicF32]),
        (logs, means): (&[f32], &[f32]),
        padded: usize,
        options: Options<'_>,
    ) {
        let mut memory = shared_dyn::<(
            Stages<(SharedTile<T, QUERIES, D>, SharedTile<T, QUERIES, D>), 2>,
            SharedTile<T, KEYS, D>,
            SharedTile<T, KEYS, D>,
            SharedTile<T, KEYS, QUERIES>,
        )>();
        let (stages, own_keys, own_values, slopes) = &mut memory[0];
        let steps = QuerySteps::new::<D, KEYS, QUERIES>(padded, options);
        let Place { key_top, key_left, keys, .. } = steps.place;
        if steps.first >= keys {
            return;
        }
        // Zeros stand for keys and values of the next head, which may be no numbers.
        let end = key_top + keys;
        own_keys.load(&k.first_rows(end), [key_top + steps.first, key_left]);
        own_values.load(&v.first_rows(end), [key_top + steps.first, key_left]);
        barrier();
        let [_, _, _, group] = options.sizes;
        let of_queries = Matrix::new(of_q, [of_q.len() / D, D]);
        stages.run_exchanging(
            slopes,
            group * steps.tiles,
            |(query, slope), step| {
                let QueryStep { place, end, .. } = steps.step::<D, QUERIES>(step);
                match end {
                    Some(end) => {
                        (query.load(&q.first_rows(end), place), slope.load(&gradient.first_rows(end), place))
                    }
                    None => (query.load(&q, place), slope.load(&gradient, place)),
                }
            },
            (warp::Acc::<f32, 16, D>::zero(), warp::Acc::<f32, 16, D>::zero()),
            |(of_keys, of_values), (query, slope), exchange, step| {
                let QueryStep { at, from, .. } = steps.step::<D, QUERIES>(step);
                let Some(logs) = logs.get(from..from + QUERIES) else { return };
                let Some(means) = means.get(from..from + QUERIES) else { return };
                let (own, stage) = ((&*own_keys, &*own_values), (query, slope));
                let slopes = slopes_of_scores::<T, D, KEYS, QUERIES>(
                    own,
                    stage,
                    of_values,
                    (logs, means),
                    steps,
                    at,
                    options,
                );
                exchange.share(
                    &slopes,
                    || of_keys.mma_tile(&slopes, query),
                    |slopes| {
                        // Each group of four warps has as many of the parts of 64 × 64.
                        let (groups, in_row) = (KEYS / 64, D / 64);
                        #[unroll]
                        for turn in 0..QUERIES / 64 * in_row / groups {
                            let part = turn * groups + warp::warp_id() / 4 % groups;
                            let at = [64 * (part / in_row), 64 * (part % in_row)];
                            warp::Acc::<f32, 16, 64>::of_left_transposed(slopes, own_keys, at)
                                .add_to(&of_queries, [from + at[0] + 16 * (warp::warp_id() % 4), at[1]]);
                        }
                    },
                );
            },
            |sums| store_of_keys::<T, D>(sums, (of_k, of_v), steps, options.scale),
        );
    }

    /// The gradients of QUERIES queries of a head in a block, 16 for each warp, from KEYS keys and values in each stage.
    #[device]
    fn go_back_to_queries<
        T: MatrixElement + OfSum,
        const D: usize,
        const QUERIES: usize,
        const KEYS: usize,
    >(
        (q, k, v, gradient): (Matrix<'_, T>, Matrix<'_, T>, Matrix<'_, T>, Matrix<'_, T>),
        mut of_q: MatrixMut<'_, T>,
        (logs, means): (&[f32], &[f32]),
        padded: usize,
        options: Options<'_>,
    ) {
        let mut memory = shared_dyn::<(
            Stages<(SharedTile<T, KEYS, D>, SharedTile<T, KEYS, D>), 2>,
            SharedTile<T, QUERIES, D>,
            SharedTile<T, QUERIES, D>,
        )>();
        let (stages, own, own_slopes) = &mut memory[0];
        let causal = options.causal;
        // As in `attend`.
        let block = if causal { grid_dim().x - 1 - block_idx().x } else { block_idx().x };
        let [_, _, heads, _] = options.sizes;
        let (head, sequence) = (block_idx().y, block_idx().z);
        let Place { top, left, key_top, key_left, queries, keys } = options.place::<D>(sequence, head);
        let first = QUERIES * block;
        own.load(&q, [top + first, left]);
        own_slopes.load(&gradient, [top + first, left]);
        barrier();
        let row = first + 16 * warp::warp_id();
        let ahead = keys.saturating_sub(queries);
        let seen = if causal { keys.min(ahead + first + QUERIES) } else { keys };
        let steps = if first < queries { seen.div_ceil(KEYS) } else { 0 };
        let scale = options.scale * std::f32::consts::LOG2_E;
        let from = (sequence * heads + head) * padded + row;
        let logs = warp::Rows::<f32, 16>::from_fn(|y| logs.get(from + y).copied().unwrap_or(f32::INFINITY));
        let means = warp::Rows::<f32, 16>::from_fn(|y| means.get(from + y).copied().unwrap_or(0.0));
        stages.run_specialized(
            steps,
            |(key, value), step| {
                let at = key_top + KEYS * step;
                if KEYS * (step + 1) > keys {
                    let end = key_top + keys;
                    (
                        key.load(&k.first_rows(end), [at, key_left]),
                        value.load(&v.first_rows(end), [at, key_left]),
                    )
                } else {
                    (key.load(&k, [at, key_left]), value.load(&v, [at, key_left]))
                }
            },
            warp::Acc::<f32, 16, D>::zero(),
            |sum, (key, value), step| {
                let scores = warp::Acc::<f32, 16, KEYS>::of_tiles_transposed(own, key);
                let mut weights = scores.map_rows(logs, |score, log| fast::exp2_ftz(scale * score - log));
                let end = KEYS * (step + 1);
                if end > keys || causal && end > ahead + row {
                    weights = weights.map_at(|y, x, weight| {
                        let (query, key) = (row + y, KEYS * step + x);
                        if key < keys && (!causal || key <= ahead + query) { weight } else { 0.0 }
                    });
                }
                let changes = warp::Acc::<f32, 16, KEYS>::of_tiles_transposed(own_slopes, value);
                let changes = changes.map_rows(means, |change, mean| change - mean);
                let slopes = weights.zip(changes, |weight, change| weight * change);
                sum.mma_tile(&slopes.to_left::<T>(), key);
            },
            |sum| {
                if row < queries {
                    sum.map(|sum| options.scale * sum)
                        .store(&mut of_q.first_rows(top + queries), [top + row, left]);
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
                log_sums: &mut [f32],
                query_starts: &[u32],
                key_starts: &[u32],
                sizes: [usize; 4],
                scale: f32,
                causal: bool,
                by_heads: bool,
            ) {
                let options = Options { starts: (query_starts, key_starts), sizes, scale, causal, by_heads };
                attend::<T, $elements, $queries, $keys>((q, k, v), o, log_sums, options);
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

    /// Declares kernels of gradients: of keys and values, and perhaps sums of queries', with the keys of a block and the queries of a stage, or of queries
    /// with those of a block and the keys of a stage.
    macro_rules! gradients {
        (@outputs $of:ident) => { $of };
        (@outputs $($of:ident)*) => { ($($of),*) };
        ($($(#[$attribute:meta])* $name:ident by $device:ident to ($($of:ident)*) $(and $sums:ident)?: $elements:literal $block:literal $stage:literal;)*) => {$(
            $(#[$attribute])*
            pub fn $name<T: MatrixElement + OfSum>(
                q: Matrix<'_, T>,
                k: Matrix<'_, T>,
                v: Matrix<'_, T>,
                gradient: Matrix<'_, T>,
                $($of: MatrixMut<'_, T>,)*
                $($sums: &[AtomicF32],)?
                logs: &[f32],
                means: &[f32],
                query_starts: &[u32],
                key_starts: &[u32],
                sizes: [usize; 4],
                padded: usize,
                scale: f32,
                causal: bool,
                by_heads: bool,
            ) {
                let options = Options { starts: (query_starts, key_starts), sizes, scale, causal, by_heads };
                $device::<T, $elements, $block, $stage>((q, k, v, gradient), gradients!(@outputs $($of)* $($sums)?), (logs, means), padded, options);
            }
        )*};
    }
    gradients! {
        /// Gradients of keys and values of heads with 64 elements, for Hopper.
        #[kernel(block(384), arch(sm_90a), instances(T = [f16, bf16]))]
        keys_64 by go_back_to_keys to (of_k of_v): 64 128 64;
        /// Gradients of keys and values of heads with 128 elements, for Hopper.
        #[kernel(block(384), arch(sm_90a), instances(T = [f16, bf16]))]
        keys_128 by go_back_to_keys to (of_k of_v): 128 128 64;
        /// All gradients of heads with 64 elements, for Hopper.
        #[kernel(block(384), arch(sm_90a), instances(T = [f16, bf16]))]
        all_64 by go_back to (of_k of_v) and of_q: 64 128 128;
        /// Gradients of keys and values of heads with 64 elements, in 48 KiB of shared memory.
        #[kernel(block(256), arch(sm_80), instances(T = [f16, bf16]))]
        keys_64_by_warps by go_back_to_keys to (of_k of_v): 64 64 64;
        /// Gradients of keys and values of heads with 128 elements, in 64 KiB of shared memory.
        #[kernel(block(256), arch(sm_80), instances(T = [f16, bf16]))]
        keys_128_by_warps by go_back_to_keys to (of_k of_v): 128 64 32;
        /// Gradients of queries of heads with 64 elements, for Hopper.
        #[kernel(block(384), arch(sm_90a), instances(T = [f16, bf16]))]
        queries_64 by go_back_to_queries to (of_q): 64 128 128;
        /// Gradients of queries of heads with 128 elements, for Hopper.
        #[kernel(block(384), arch(sm_90a), instances(T = [f16, bf16]))]
        queries_128 by go_back_to_queries to (of_q): 128 128 128;
        /// Gradients of queries of heads with 64 elements, in 64 KiB of shared memory.
        #[kernel(block(384), arch(sm_80), instances(T = [f16, bf16]))]
        queries_64_by_warps by go_back_to_queries to (of_q): 64 128 64;
        /// Gradients of queries of heads with 128 elements, in 64 KiB of shared memory.
        #[kernel(block(256), arch(sm_80), instances(T = [f16, bf16]))]
        queries_128_by_warps by go_back_to_queries to (of_q): 128 64 32;
    }
}
