//! The shape of a launch: what was asked for, what is chosen, and whether the device and the kernel allow it.

use std::time::Duration;

use crate::backend::LaunchConfig;
use crate::error::{BlockLimit, ClusterLimit, Error, LaunchError};
use crate::kernel::{BlockShape, Bounds};
use crate::l2::Kept;
use ptx_sim::Progress;

use ptx::target::{MAX_CLUSTER_BLOCKS, MAX_NONPORTABLE_CLUSTER_BLOCKS};

/// A size along x, or `(x, y)`, or `(x, y, z)`, or `[x, y]`, or `[x, y, z]`, each a `u32` or a `usize`; what is left out is 1.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a grid or block size",
    label = "expected a `u32` or a `usize`, or two or three of them: `(x, y)`, `[x, y, z]`"
)]
pub trait IntoDim3 {
    /// x, y and z.
    fn into_dim3(self) -> [u32; 3];
}

impl<X: Extent> IntoDim3 for X {
    #[inline]
    fn into_dim3(self) -> [u32; 3] {
        [self.extent(), 1, 1]
    }
}

impl<X: Extent, Y: Extent> IntoDim3 for (X, Y) {
    #[inline]
    fn into_dim3(self) -> [u32; 3] {
        [self.0.extent(), self.1.extent(), 1]
    }
}

impl<X: Extent, Y: Extent, Z: Extent> IntoDim3 for (X, Y, Z) {
    #[inline]
    fn into_dim3(self) -> [u32; 3] {
        [self.0.extent(), self.1.extent(), self.2.extent()]
    }
}

impl<X: Extent> IntoDim3 for [X; 2] {
    #[inline]
    fn into_dim3(self) -> [u32; 3] {
        let [x, y] = self.map(Extent::extent);
        [x, y, 1]
    }
}

impl<X: Extent> IntoDim3 for [X; 3] {
    #[inline]
    fn into_dim3(self) -> [u32; 3] {
        self.map(Extent::extent)
    }
}

/// A size along one axis. What does not fit 32 bits is beyond every device's limit, and so is what it becomes: the launch is
/// refused.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a grid or block size",
    label = "expected a `u32` or a `usize`, or two or three of them: `(x, y)`, `[x, y, z]`"
)]
pub trait Extent {
    /// Its value.
    fn extent(self) -> u32;
}

impl Extent for u32 {
    #[inline]
    fn extent(self) -> u32 {
        self
    }
}

impl Extent for usize {
    #[inline]
    fn extent(self) -> u32 {
        u32::try_from(self).unwrap_or(u32::MAX)
    }
}

/// The default type of integer literals. A negative one is refused as 0 is.
impl Extent for i32 {
    #[inline]
    fn extent(self) -> u32 {
        u32::try_from(self).unwrap_or(0)
    }
}

/// The extents of a launch: `n` threads along x, or `(width, height)`, or `(width, height, depth)` along x, y and z, as a tuple or an array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no extent of a launch",
    label = "expected a `usize`, or two or three of them: `(width, height)`, `[width, height, depth]`",
    note = "for each element of a buffer: `.over(x.len())`; for a buffer that the launch writes take the length before it: `let n = y.len();`"
)]
pub trait IntoExtents {
    /// Sets the number of threads along x, or those along each axis.
    #[doc(hidden)]
    fn set(self, line: &mut Option<usize>, each: &mut Option<[usize; 3]>);
}

// Of integers `usize` alone, so that literals are of this type.
impl IntoExtents for usize {
    #[inline]
    fn set(self, line: &mut Option<usize>, each: &mut Option<[usize; 3]>) {
        (*line, *each) = (Some(self), None);
    }
}

impl IntoExtents for (usize, usize) {
    #[inline]
    fn set(self, line: &mut Option<usize>, each: &mut Option<[usize; 3]>) {
        (*line, *each) = (None, Some([self.0, self.1, 1]));
    }
}

impl IntoExtents for (usize, usize, usize) {
    #[inline]
    fn set(self, line: &mut Option<usize>, each: &mut Option<[usize; 3]>) {
        (*line, *each) = (None, Some([self.0, self.1, self.2]));
    }
}

impl IntoExtents for [usize; 2] {
    #[inline]
    fn set(self, line: &mut Option<usize>, each: &mut Option<[usize; 3]>) {
        (*line, *each) = (None, Some([self[0], self[1], 1]));
    }
}

impl IntoExtents for [usize; 3] {
    #[inline]
    fn set(self, line: &mut Option<usize>, each: &mut Option<[usize; 3]>) {
        (*line, *each) = (None, Some(self));
    }
}

/// Threads, or bytes of dynamic shared memory. A number that is none of 32 bits is beyond every device's limit, and so is what it becomes:
/// the launch is refused.
#[inline]
pub(crate) fn number(of: impl TryInto<u32>) -> u32 {
    of.try_into().unwrap_or(u32::MAX)
}

/// Shape of a launch as the launch gives it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) over: Option<usize>,
    /// The threads along each axis; not together with `over`.
    pub(crate) over_each: Option<[usize; 3]>,
    pub(crate) grid: Option<[u32; 3]>,
    pub(crate) block: Option<[u32; 3]>,
    pub(crate) cluster: Option<[u32; 3]>,
    /// As many blocks as run at once.
    pub(crate) fill: bool,
    /// All blocks run at once.
    pub(crate) cooperative: bool,
    /// Memory to be kept in the second-level cache. Few launches have that.
    pub(crate) l2: Option<Box<Kept>>,
    pub(crate) dynamic_shared: u32,
    /// The simulator's sanitizer is switched off.
    pub(crate) unwatched: bool,
    /// Steps of a warp after which the simulator takes it for endless.
    pub(crate) steps: Option<u64>,
    /// The time after which it takes loops without an effect for endless.
    pub(crate) patience: Option<Duration>,
    /// The launch is profiled.
    pub(crate) profiled: bool,
    /// The progress handle through which it is watched and cancelled.
    pub(crate) progress: Option<Progress>,
    /// The version with all checks is taken.
    pub(crate) checked: bool,
    /// The coarsened version is taken whatever the size, or never.
    pub(crate) coarsened: Option<bool>,
}

impl Shape {
    /// The elements of `over`, if nothing else says which blocks there are.
    pub(crate) fn over_alone(&self) -> Option<usize> {
        let is_alone = self.grid.is_none() && self.cluster.is_none() && !self.fill && !self.cooperative;
        self.over.filter(|_| is_alone)
    }

    /// Chooses the parameters that are left open. `best` returns the best block size of the kernel; `refused` names the kernel in an
    /// error.
    #[inline(always)]
    pub(crate) fn resolve(
        &self,
        limits: &ShapeLimits,
        best: impl FnOnce() -> Result<u32, Error>,
        refused: impl Fn(LaunchError) -> Error,
    ) -> Result<LaunchConfig, Error> {
        let given = self.block.or(limits.bounds.block);
        let cluster = self.cluster.or(limits.bounds.cluster);
        let is_over = self.over.is_some() || self.over_each.is_some();
        if self.fill && (is_over || self.grid.is_some()) {
            return Err(refused(LaunchError::FillAndGrid));
        }
        let (grid, block) = match (self.over, self.grid) {
            (_, Some(_)) if is_over => return Err(refused(LaunchError::OverAndGrid)),
            (None, None) if let Some(extents) = self.over_each => {
                let block = given.unwrap_or_else(|| limits.block_over(extents));
                (limits.grid_over(extents, block, cluster).map_err(refused)?, block)
            }
            (Some(_), Some(_)) => return Err(refused(LaunchError::OverAndGrid)),
            // Whoever knows the device says how many.
            (None, None) if self.fill => ([1; 3], given.map_or_else(|| best().map(|x| [x, 1, 1]), Ok)?),
            (None, None) => return Err(refused(LaunchError::NoGrid)),
            (None, Some(grid)) => (grid, given.ok_or_else(|| refused(LaunchError::NoBlock))?),
            (Some(0), None) => return Err(refused(LaunchError::OverNothing)),
            (Some(count), None) => {
                if u32::try_from(count).is_err() && !limits.wide_index {
                    return Err(refused(LaunchError::OverTooMany { count }));
                }
                let block = match given {
                    Some(block) => block,
                    None => [best()?, 1, 1],
                };
                // An empty block is refused below, by name; so is an empty cluster.
                let elements = u64::from(block[0].max(1)) * u64::from(limits.elements);
                let along = match cluster {
                    Some([x, 0 | 1, 0 | 1]) => u64::from(x.max(1)),
                    // A second row of blocks would do the same work once more.
                    Some(cluster) => return Err(refused(LaunchError::OverAcross { cluster })),
                    None => 1,
                };
                let blocks = (count as u64).div_ceil(elements).next_multiple_of(along);
                let blocks = u32::try_from(blocks).map_err(|_| {
                    refused(LaunchError::OverTooManyBlocks {
                        count,
                        threads: block[0],
                        limit: limits.grid[0],
                    })
                })?;
                ([blocks, 1, 1], block)
            }
        };
        Ok(LaunchConfig {
            grid,
            block,
            cluster,
            cooperative: self.cooperative || limits.bounds.cooperative,
            // Whoever knows the device says whether it can.
            l2: None,
            dynamic_shared: self.dynamic_shared,
            sanitize: !self.unwatched,
            steps: self.steps,
            patience: self.patience,
            profile: self.profiled,
            progress: self.progress.clone(),
        })
    }
}

/// Limits on a launch of one kernel on one device.
pub(crate) struct ShapeLimits {
    /// The kernel's own bounds.
    pub(crate) bounds: Bounds,
    /// Elements along x that each thread does.
    pub(crate) elements: u32,
    /// Indices of threads may need more than 32 bits.
    pub(crate) wide_index: bool,
    /// Most threads per block by the bounds and the registers of the kernel.
    pub(crate) function_threads: u32,
    /// Static shared memory of the kernel, in bytes.
    pub(crate) static_shared: u32,
    /// Shared memory that a block may have, in bytes.
    pub(crate) shared: u32,
    /// Most threads per block on the device.
    pub(crate) threads: u32,
    /// Most threads of a block along each axis.
    pub(crate) block: [u32; 3],
    /// Most blocks of a grid along each axis.
    pub(crate) grid: [u32; 3],
    /// True if the device has clusters.
    pub(crate) clusters: bool,
}

/// Lanes of a warp.
const WARP: u32 = 32;

const AXES: [char; 3] = ['x', 'y', 'z'];

impl Bounds {
    /// Refuses clusters that no launch of the kernel may have, on any device.
    pub(crate) fn check_cluster(&self, cluster: [u32; 3], grid: [u32; 3]) -> Result<(), LaunchError> {
        if self.cooperative {
            return Err(LaunchError::CooperativeCluster);
        }
        if let Some(expected) = self.cluster.filter(|&expected| expected != cluster) {
            return Err(LaunchError::ClusterFixed { expected, found: cluster });
        }
        if cluster.contains(&0) {
            return Err(LaunchError::Empty { what: "the cluster", size: cluster });
        }
        let found = cluster.into_iter().map(u64::from).fold(1, u64::saturating_mul);
        let bound = self.max_cluster.unwrap_or(u32::MAX);
        let of_devices = match self.nonportable_cluster {
            true => MAX_NONPORTABLE_CLUSTER_BLOCKS,
            false => MAX_CLUSTER_BLOCKS,
        };
        let limits = [(of_devices, ClusterLimit::Device), (bound, ClusterLimit::LaunchBounds)];
        if let Some((limit, why)) = limits.into_iter().find(|&(limit, _)| found > limit.into()) {
            return Err(LaunchError::ClusterTooLarge { found, limit, why });
        }
        for ((axis, blocks), of) in AXES.into_iter().zip(grid).zip(cluster) {
            if blocks % of != 0 {
                return Err(LaunchError::PartOfCluster { axis, blocks, cluster: of });
            }
        }
        Ok(())
    }
}

impl ShapeLimits {
    /// The block of a launch over so many threads along x, y and z: rows of a warp, 256 threads or as many as the kernel may have.
    fn block_over(&self, [_, _, depth]: [usize; 3]) -> [u32; 3] {
        let most = self.threads.min(self.function_threads).min(self.bounds.max_threads.unwrap_or(u32::MAX));
        let mut block = if depth > 1 { [WARP, 4, 2] } else { [WARP, 8, 1] };
        while block.iter().product::<u32>() > most.max(1) {
            // From the last axis on, so that rows stay whole warps as long as they can.
            let axis = (0..3).rev().find(|&axis| block[axis] > 1).unwrap_or(0);
            block[axis] /= 2;
        }
        block
    }

    /// The grid that has at least so many threads along each axis.
    fn grid_over(
        &self,
        extents: [usize; 3],
        block: [u32; 3],
        cluster: Option<[u32; 3]>,
    ) -> Result<[u32; 3], LaunchError> {
        if extents.contains(&0) {
            return Err(LaunchError::OverNothing);
        }
        if let Some(&count) = extents.iter().find(|&&count| u32::try_from(count).is_err())
            && !self.wide_index
        {
            return Err(LaunchError::OverTooMany { count });
        }
        let mut grid = [1; 3];
        for axis in 0..3 {
            // An empty block or cluster is refused by name when the shape is checked.
            let elements = if axis == 0 { self.elements } else { 1 };
            let threads = u64::from(block[axis].max(1)) * u64::from(elements);
            let along = u64::from(cluster.map_or(1, |cluster| cluster[axis].max(1)));
            let blocks = (extents[axis] as u64).div_ceil(threads).next_multiple_of(along);
            grid[axis] = u32::try_from(blocks).map_err(|_| LaunchError::OverTooManyBlocks {
                count: extents[axis],
                threads: block[axis],
                limit: self.grid[axis],
            })?;
        }
        Ok(grid)
    }

    /// Checks that a block gets so much dynamic shared memory beside the static.
    #[inline(always)]
    pub(crate) fn check_shared(&self, dynamic: u32) -> Result<(), LaunchError> {
        let used = u64::from(self.static_shared) + u64::from(dynamic);
        if used <= self.shared.into() {
            return Ok(());
        }
        Err(LaunchError::SharedMemory { used, fixed: self.static_shared, dynamic, limit: self.shared })
    }

    /// Checks that the block and the grid are allowed.
    #[inline(always)]
    pub(crate) fn check(&self, config: &LaunchConfig) -> Result<(), LaunchError> {
        let LaunchConfig { grid, block, .. } = *config;
        self.check_block(block)?;
        check_axes("the grid", "blocks", grid, self.grid)?;
        self.check_cluster(config)?;
        if self.wide_index {
            return Ok(());
        }
        // Indices of threads are 32-bit: block index × block size + thread index has to fit.
        for (at, axis) in AXES.into_iter().enumerate() {
            let (blocks, threads) = (grid[at], block[at]);
            if blocks.checked_mul(threads).is_none() {
                return Err(LaunchError::TooManyThreads { axis, blocks, threads });
            }
        }
        let (blocks, threads, elements) = (grid[0], block[0], self.elements);
        if (blocks * threads).checked_mul(elements).is_none() {
            return Err(LaunchError::TooManyElements { blocks, threads, elements });
        }
        Ok(())
    }

    #[inline(always)]
    fn check_cluster(&self, config: &LaunchConfig) -> Result<(), LaunchError> {
        match config.cluster {
            Some(cluster) => self.check_cluster_of(cluster, config.grid),
            None => Ok(()),
        }
    }

    fn check_cluster_of(&self, cluster: [u32; 3], grid: [u32; 3]) -> Result<(), LaunchError> {
        self.bounds.check_cluster(cluster, grid)?;
        if self.clusters { Ok(()) } else { Err(LaunchError::NoClusters { found: cluster }) }
    }

    #[inline(always)]
    pub(crate) fn check_block(&self, block: [u32; 3]) -> Result<(), LaunchError> {
        if let Some(expected) = self.bounds.block.filter(|&expected| expected != block) {
            return Err(LaunchError::BlockFixed { expected, found: block });
        }
        check_axes("the block", "threads", block, self.block)?;
        let allowed = match self.bounds.shape {
            BlockShape::Any => true,
            BlockShape::Line => block[0].is_multiple_of(WARP) || block[1..] == [1, 1],
            BlockShape::WholeWarps => block[0].is_multiple_of(WARP),
        };
        if !allowed {
            return Err(LaunchError::RowsOfWarps { found: block });
        }
        let found = block.into_iter().map(u64::from).product::<u64>();
        let bound = self.bounds.max_threads.unwrap_or(u32::MAX);
        let limits = [
            (self.threads, BlockLimit::Device),
            (bound, BlockLimit::LaunchBounds),
            (self.function_threads, BlockLimit::Resources),
        ];
        for (limit, why) in limits {
            if found > limit.into() {
                return Err(LaunchError::BlockTooLarge { found, limit, why });
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn check_axes(
    what: &'static str,
    unit: &'static str,
    size: [u32; 3],
    limits: [u32; 3],
) -> Result<(), LaunchError> {
    if size.contains(&0) {
        return Err(LaunchError::Empty { what, size });
    }
    for (at, axis) in AXES.into_iter().enumerate() {
        let (found, limit) = (size[at], limits[at]);
        if found > limit {
            return Err(LaunchError::Axis { what, unit, axis, found, limit });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use ptx::target::{MAX_BLOCK_DIM, MAX_GRID_DIM};

    const LIMITS: ShapeLimits = ShapeLimits {
        bounds: Bounds::NONE,
        elements: 1,
        wide_index: false,
        function_threads: 1024,
        static_shared: 1024,
        shared: 227 * 1024,
        threads: 1024,
        block: MAX_BLOCK_DIM,
        grid: MAX_GRID_DIM,
        clusters: true,
    };

    /// The shape that a launch gets on a device whose best block size is 256, or why it is refused.
    fn check(limits: &ShapeLimits, shape: Shape, expected: Expect) {
        let refused = |reason| Error::Launch { kernel: "k", reason };
        let config = limits
            .check_shared(shape.dynamic_shared)
            .map_err(refused)
            .and_then(|()| shape.resolve(limits, || Ok(256), refused))
            .and_then(|config| limits.check(&config).map_err(refused).map(|()| config));
        let told = match config {
            Ok(config) => format!("grid {:?} block {:?}", config.grid, config.block),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&told);
    }

    fn over(n: usize) -> Shape {
        Shape { over: Some(n), ..Shape::default() }
    }

    fn grid(grid: impl IntoDim3, block: impl IntoDim3) -> Shape {
        Shape { grid: Some(grid.into_dim3()), block: Some(block.into_dim3()), ..Shape::default() }
    }

    #[test]
    fn sizes_of_any_integer() {
        let (n, m) = (1000_usize, 8_u32);
        check(&LIMITS, grid(n.div_ceil(32), 32), expect!["grid [32, 1, 1] block [32, 1, 1]"]);
        check(&LIMITS, grid((n, m), (m, 4, 1_usize)), expect!["grid [1000, 8, 1] block [8, 4, 1]"]);
        check(&LIMITS, grid([n, 1, 1], [m, 1, 1]), expect!["grid [1000, 1, 1] block [8, 1, 1]"]);
        check(&LIMITS, grid([n, 2], [m, 4]), expect!["grid [1000, 2, 1] block [8, 4, 1]"]);
        check(&LIMITS, grid([3, 2], (8, 4)), expect!["grid [3, 2, 1] block [8, 4, 1]"]);
        check(
            &LIMITS,
            grid(1_usize << 40, 32),
            expect![[r#"
                launch of `k` refused: the grid has 4294967295 or more blocks along x, the device allows at most 2147483647
                help: give each thread several elements with a loop of stride `global_size().x`"#]],
        );
        check(
            &LIMITS,
            grid(1, (32, usize::MAX)),
            expect![[r#"
                launch of `k` refused: the block has 4294967295 or more threads along y, the device allows at most 1024
                help: launch smaller blocks, and more of them; `.over(n)` chooses a size that the device runs"#]],
        );
        check(
            &LIMITS,
            grid(-1, 32),
            expect![[r#"
            launch of `k` refused: the grid is 0 × 1 × 1: no size may be 0
            help: skip the launch when there is nothing to do"#]],
        );
    }

    #[test]
    fn over_takes_tuples_and_arrays() {
        fn over(extents: impl IntoExtents) -> Shape {
            let mut shape = Shape::default();
            extents.set(&mut shape.over, &mut shape.over_each);
            shape
        }
        check(&LIMITS, over((100, 100)), expect!["grid [4, 13, 1] block [32, 8, 1]"]);
        check(&LIMITS, over([100, 100]), expect!["grid [4, 13, 1] block [32, 8, 1]"]);
        check(&LIMITS, over([100, 100, 10]), expect!["grid [4, 25, 5] block [32, 4, 2]"]);
    }

    #[test]
    fn over_rounds_up_to_whole_blocks() {
        check(&LIMITS, over(1000), expect!["grid [4, 1, 1] block [256, 1, 1]"]);
        let blocks_of_32 = Shape { block: Some([32, 1, 1]), ..over(1000) };
        check(&LIMITS, blocks_of_32, expect!["grid [32, 1, 1] block [32, 1, 1]"]);
        check(&LIMITS, over(u32::MAX as usize - 255), expect!["grid [16777215, 1, 1] block [256, 1, 1]"]);
        check(
            &LIMITS,
            over(u32::MAX as usize),
            expect![[r#"
                launch of `k` refused: the grid has 16777216 blocks of 256 threads along x: their product is beyond 32-bit indices, 4294967295
                help: give each thread several elements with a loop of stride `global_size().x`, or write `#[kernel(index(u64))]`"#]],
        );
        check(
            &LIMITS,
            over(1 << 32),
            expect![[r#"
                launch of `k` refused: `over(4294967296)` needs more threads than 32-bit indices reach, 4294967295
                help: give each thread several elements with a loop of stride `global_size().x`, or write `#[kernel(index(u64))]`"#]],
        );
    }

    #[test]
    fn several_elements_per_thread() {
        let coarse = ShapeLimits { elements: 4, ..LIMITS };
        check(&coarse, over(1), expect!["grid [1, 1, 1] block [256, 1, 1]"]);
        check(&coarse, over(1024), expect!["grid [1, 1, 1] block [256, 1, 1]"]);
        check(&coarse, over(1025), expect!["grid [2, 1, 1] block [256, 1, 1]"]);
        check(
            &coarse,
            grid(1 << 22, 256),
            expect![[r#"
            launch of `k` refused: the grid has 4194304 blocks of 256 threads along x, each of which does 4 elements: their product is beyond 32-bit indices, 4294967295
            help: launch `.over(n)` with the number of elements, or a smaller grid"#]],
        );
        check(&coarse, grid((1 << 22) - 1, 256), expect!["grid [4194303, 1, 1] block [256, 1, 1]"]);
    }

    /// With `index(u64)` only the grid's own limits are left.
    #[test]
    fn indices_of_64_bits() {
        let wide = ShapeLimits { wide_index: true, ..LIMITS };
        check(&wide, over(u32::MAX as usize), expect!["grid [16777216, 1, 1] block [256, 1, 1]"]);
        check(&wide, over(1 << 32), expect!["grid [16777216, 1, 1] block [256, 1, 1]"]);
        check(&wide, over((256 << 31) - 256), expect!["grid [2147483647, 1, 1] block [256, 1, 1]"]);
        check(
            &wide,
            over((256 << 31) - 255),
            expect![[r#"
                launch of `k` refused: the grid has 2147483648 blocks along x, the device allows at most 2147483647
                help: give each thread several elements with a loop of stride `global_size().x`"#]],
        );
        check(
            &wide,
            over(1 << 40),
            expect![[r#"
            launch of `k` refused: `over(1099511627776)` with 256 threads per block needs more blocks than a grid has, 2147483647
            help: launch larger blocks, or give each thread several elements with a loop of stride `global_size().x`"#]],
        );
        check(&wide, grid(1 << 30, 1024), expect!["grid [1073741824, 1, 1] block [1024, 1, 1]"]);
        check(
            &LIMITS,
            grid(1 << 30, 1024),
            expect![[r#"
            launch of `k` refused: the grid has 1073741824 blocks of 1024 threads along x: their product is beyond 32-bit indices, 4294967295
            help: give each thread several elements with a loop of stride `global_size().x`, or write `#[kernel(index(u64))]`"#]],
        );
    }

    #[test]
    fn a_launch_says_its_shape_once() {
        check(
            &LIMITS,
            Shape::default(),
            expect![[r#"
            launch of `k` refused: the grid size is missing
            help: say `.over(n)` for n threads, or `.grid(blocks).block(threads)`"#]],
        );
        let no_block = Shape { grid: Some([1; 3]), ..Shape::default() };
        check(
            &LIMITS,
            no_block,
            expect![[r#"
            launch of `k` refused: the block size is missing
            help: add `.block(threads)`, or say `.over(n)` to have it chosen"#]],
        );
        let both = Shape { grid: Some([1; 3]), ..over(1) };
        check(
            &LIMITS,
            both,
            expect![[r#"
            launch of `k` refused: both `over` and `grid` were given
            help: `over(n)` chooses the grid; leave one of them out"#]],
        );
    }

    #[test]
    fn nothing_is_refused() {
        check(
            &LIMITS,
            over(0),
            expect![[r#"
            launch of `k` refused: `over(0)` launches nothing
            help: skip the launch when there is nothing to do"#]],
        );
        check(
            &LIMITS,
            grid(0, 32),
            expect![[r#"
            launch of `k` refused: the grid is 0 × 1 × 1: no size may be 0
            help: skip the launch when there is nothing to do"#]],
        );
        check(
            &LIMITS,
            grid(1, (32, 0)),
            expect![[r#"
            launch of `k` refused: the block is 32 × 0 × 1: no size may be 0
            help: skip the launch when there is nothing to do"#]],
        );
        check(
            &LIMITS,
            Shape { block: Some([0; 3]), ..over(5) },
            expect![[r#"
            launch of `k` refused: the block is 0 × 0 × 0: no size may be 0
            help: skip the launch when there is nothing to do"#]],
        );
    }

    #[test]
    fn device_limits() {
        check(&LIMITS, grid((2, 3, 4), (8, 8, 8)), expect!["grid [2, 3, 4] block [8, 8, 8]"]);
        check(
            &LIMITS,
            grid(1, 1025),
            expect![[r#"
                launch of `k` refused: the block has 1025 threads along x, the device allows at most 1024
                help: launch smaller blocks, and more of them; `.over(n)` chooses a size that the device runs"#]],
        );
        check(
            &LIMITS,
            grid(1, (32, 33)),
            expect![[r#"
            launch of `k` refused: the block has 1056 threads, but 1024 is the most: no device allows more"#]],
        );
        check(
            &LIMITS,
            grid((1, 65_536), 32),
            expect![[r#"
                launch of `k` refused: the grid has 65536 blocks along y, the device allows at most 65535
                help: put the longest axis along x, which takes 2147483647 blocks, or let each thread loop with stride `global_size().y`"#]],
        );
    }

    #[test]
    fn rows_of_warps() {
        let shaped = |shape| ShapeLimits { bounds: Bounds { shape, ..Bounds::NONE }, ..LIMITS };
        let with = |block| Shape { grid: Some([1; 3]), block: Some(block), ..Shape::default() };
        check(&shaped(BlockShape::Line), with([48, 1, 1]), expect!["grid [1, 1, 1] block [48, 1, 1]"]);
        check(
            &shaped(BlockShape::Line),
            with([48, 2, 1]),
            expect![[r#"
            launch of `k` refused: the block is 48 × 2 × 1, but the kernel has collectives under conditions that hold for whole warps only where rows of the block are whole warps
            help: launch blocks whose x is a multiple of 32, or use `warp::warp_id()` in the condition"#]],
        );
        check(&shaped(BlockShape::WholeWarps), with([64, 2, 1]), expect!["grid [1, 1, 1] block [64, 2, 1]"]);
        check(
            &shaped(BlockShape::WholeWarps),
            with([48, 1, 1]),
            expect![[r#"
            launch of `k` refused: the block is 48 × 1 × 1, but the kernel has collectives under conditions that hold for whole warps only where rows of the block are whole warps
            help: launch blocks whose x is a multiple of 32, or use `warp::warp_id()` in the condition"#]],
        );
    }

    #[test]
    fn bounds_of_the_kernel() {
        let bounds = Bounds { max_threads: Some(128), min_blocks: Some(8), ..Bounds::NONE };
        let bounded = ShapeLimits { bounds, ..LIMITS };
        check(
            &bounded,
            grid(1, 129),
            expect![[r#"
            launch of `k` refused: the block has 129 threads, but 128 is the most: its `launch_bounds` say so
            help: launch smaller blocks, or raise the bound"#]],
        );
        let heavy = ShapeLimits { function_threads: 256, ..LIMITS };
        check(
            &heavy,
            grid(1, 512),
            expect![[r#"
            launch of `k` refused: the block has 512 threads, but 256 is the most: the kernel needs too many registers for more
            help: bound them with `launch_bounds(max_threads)`"#]],
        );
        let fixed = ShapeLimits { bounds: Bounds { block: Some([16, 16, 1]), ..Bounds::NONE }, ..LIMITS };
        check(
            &fixed,
            grid(1, 256),
            expect![[r#"
            launch of `k` refused: the block is 256 × 1 × 1, but the kernel says `block(16, 16, 1)`
            help: launch with exactly this block, or leave `.block` out"#]],
        );
        check(
            &fixed,
            Shape { grid: Some([7, 1, 1]), ..Shape::default() },
            expect!["grid [7, 1, 1] block [16, 16, 1]"],
        );
        check(&fixed, over(100), expect!["grid [7, 1, 1] block [16, 16, 1]"]);
    }

    #[test]
    fn clusters() {
        let clustered = ShapeLimits { bounds: Bounds { cluster: Some([2, 2, 1]), ..Bounds::NONE }, ..LIMITS };
        check(
            &clustered,
            over(600),
            expect![[r#"
            launch of `k` refused: `over` launches blocks along x, but the cluster is 2 × 2 × 1
            help: say how many blocks with `.grid(…)`"#]],
        );
        check(&clustered, grid((4, 6), 32), expect!["grid [4, 6, 1] block [32, 1, 1]"]);
        check(
            &clustered,
            grid((4, 5), 32),
            expect![[r#"
            launch of `k` refused: the grid has 5 blocks along y, which is no multiple of the cluster's 2
            help: launch 6 blocks along y; the kernel has to compare its index with the length"#]],
        );
        let with = |cluster| Shape { cluster: Some(cluster), ..grid((8, 6), 32) };
        check(
            &clustered,
            with([4, 1, 1]),
            expect![[r#"
            launch of `k` refused: the cluster is 4 × 1 × 1, but the kernel says `cluster(2, 2, 1)`
            help: launch with exactly this cluster, or leave `.cluster` out"#]],
        );
        let bounded = ShapeLimits { bounds: Bounds { max_cluster: Some(4), ..Bounds::NONE }, ..LIMITS };
        check(&bounded, with([4, 1, 1]), expect!["grid [8, 6, 1] block [32, 1, 1]"]);
        check(
            &bounded,
            with([4, 2, 1]),
            expect![[r#"
            launch of `k` refused: the cluster has 8 blocks, but 4 is the most: its `launch_bounds` say so
            help: launch smaller clusters, or raise the bound"#]],
        );
        check(
            &LIMITS,
            with([8, 2, 1]),
            expect![
                "launch of `k` refused: the cluster has 16 blocks, but 8 is the most: more are not portable"
            ],
        );
        check(
            &LIMITS,
            with([u32::MAX; 3]),
            expect![
                "launch of `k` refused: the cluster has 18446744073709551615 blocks, but 8 is the most: more are not portable"
            ],
        );
        check(
            &LIMITS,
            with([1, 0, 1]),
            expect![[r#"
            launch of `k` refused: the cluster is 1 × 0 × 1: no size may be 0
            help: skip the launch when there is nothing to do"#]],
        );
        check(&LIMITS, with([8, 1, 1]), expect!["grid [8, 6, 1] block [32, 1, 1]"]);
        check(
            &LIMITS,
            Shape { cluster: Some([3, 1, 1]), ..over(1000) },
            expect!["grid [6, 1, 1] block [256, 1, 1]"],
        );
        check(
            &ShapeLimits { clusters: false, ..LIMITS },
            with([2, 1, 1]),
            expect![[r#"
            launch of `k` refused: the cluster is 2 × 1 × 1, but the device has no clusters
            help: clusters need compute capability 9.0; leave `.cluster` out"#]],
        );
    }

    #[test]
    fn shared_memory() {
        let shared = |dynamic_shared| Shape { dynamic_shared, ..over(1) };
        check(&LIMITS, shared(226 * 1024), expect!["grid [1, 1, 1] block [256, 1, 1]"]);
        check(
            &LIMITS,
            shared(226 * 1024 + 1),
            expect![[r#"
            launch of `k` refused: a block needs 232449 bytes of shared memory (1024 static and 231425 dynamic), the device allows 232448
            help: use smaller tiles"#]],
        );
    }
}
