//! Extent of the block, and values that are a lane's number on top of a multiple of 32: such a value over 32
//! is uniform in a warp.

use super::{Uniformity, Variance};
use crate::ir::{BinaryOp, BlockShape, Function, InstData, SpecialRegister, Type, Value};

/// Lanes of a warp.
const LANES: u64 = 32;
/// Maximum depth to which definitions are followed.
const DEPTH: u32 = 8;

/// Known extent of the block.
pub(super) struct Threads {
    /// Threads in each dimension.
    extent: [Option<u32>; 3],
    /// There is one warp at most.
    single_warp: bool,
    /// `thread_idx().x` is the lane's number on top of a multiple of 32.
    line: bool,
    /// `thread_idx().x` is the thread's number in its block.
    flat: bool,
    /// The extent in x is a multiple of 32.
    whole: bool,
    /// The blocks of a cluster synchronise.
    cluster: bool,
    /// The grid synchronises.
    grid: bool,
}

impl Threads {
    pub fn new(func: &Function, shape: BlockShape) -> Threads {
        let extent = func.bounds.block.map_or([None; 3], |block| block.map(Some));
        let threads = func.bounds.block.map(|block| block.iter().map(|&extent| u64::from(extent)).product());
        let most = threads.or(func.bounds.max_threads.map(u64::from));
        let whole = match extent[0] {
            Some(x) => u64::from(x) % LANES == 0,
            None => shape == BlockShape::WholeWarps,
        };
        let flat = extent[1..] == [Some(1); 2];
        let line = whole || flat || extent[0].is_none() && shape >= BlockShape::Line;
        let mut barriers =
            func.layout.iter().flat_map(|&block| &func.blocks[block].insts).map(|&inst| &func.insts[inst]);
        let grid = barriers.clone().any(|data| matches!(data, InstData::GridBarrier));
        let cluster = barriers.any(|data| matches!(data, InstData::ClusterBarrier { .. }));
        let single_warp = most.is_some_and(|most| most <= LANES);
        Threads { extent, single_warp, line, flat, whole, cluster, grid }
    }

    /// With one warp nothing varies between warps; variance between blocks is tracked only where they synchronise.
    pub fn limit(&self, variance: Variance) -> Variance {
        let warps = if self.single_warp { 0 } else { variance.warps };
        let ranks = variance.ranks && (self.cluster || self.grid);
        Variance { warps, ranks, clusters: variance.clusters && self.grid, ..variance }
    }

    /// Variance of the thread's index.
    pub fn index(&self, axis: usize) -> Variance {
        if self.extent[axis] == Some(1) {
            return Variance::UNIFORM;
        }
        // With rows of 16, say, lane l is in column l % 16.
        let row =
            self.extent[0].filter(|x| x.is_power_of_two() && u64::from(*x) < LANES).map(|x| x as u8 - 1);
        match (axis, row) {
            (0, Some(columns)) => Variance { lanes: columns, ..Variance::UNIFORM },
            (_, Some(columns)) => Variance { lanes: Variance::ANY.lanes & !columns, ..Variance::BY_THREAD },
            (1 | 2, None) if self.whole => Variance { lanes: 0, ..Variance::BY_THREAD },
            (_, None) => Variance::BY_THREAD,
        }
    }
}

impl Uniformity<'_> {
    /// The bits of a value that is a constant.
    pub(super) fn number(&self, value: Value) -> Option<u64> {
        self.func.constant(value)
    }

    /// The value under conversions between integers of at least 8 bits: they keep whole multiples of 32.
    fn bare(&self, mut value: Value) -> Value {
        while let Some(&InstData::Convert { op, arg }) = self.func.def(value) {
            if !op.is_of_integers() || self.func.ty(arg) == Type::Bool {
                break;
            }
            value = arg;
        }
        value
    }

    /// Returns true if a value is uniform in a warp and a multiple of 32.
    pub(super) fn is_base(&self, value: Value) -> bool {
        self.values[value].lanes == 0 && self.is_multiple(value, DEPTH)
    }

    fn is_multiple(&self, value: Value, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        let multiple = |value| self.is_multiple(value, depth - 1);
        match self.func.def(self.bare(value)) {
            Some(&InstData::Const { bits }) => bits % LANES == 0,
            Some(&InstData::Special { register: SpecialRegister::NtidX }) => self.threads.whole,
            Some(&InstData::Binary { op, args: [a, b], .. }) => match op {
                BinaryOp::Mul | BinaryOp::And => multiple(a) || multiple(b),
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor => multiple(a) && multiple(b),
                BinaryOp::Shl => multiple(a) || self.number(b).is_some_and(|by| (5..32).contains(&by)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns true if a value is the lane's number on top of a multiple of 32 that is uniform in the warp.
    pub(super) fn is_lane_on_base(&self, value: Value) -> bool {
        self.is_lane(value, DEPTH)
    }

    fn is_lane(&self, value: Value, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        match self.func.def(self.bare(value)) {
            Some(InstData::Special { register: SpecialRegister::LaneId }) => true,
            Some(InstData::Special { register: SpecialRegister::TidX }) => self.threads.line,
            Some(&InstData::Binary { op: BinaryOp::Add | BinaryOp::Or, args: [a, b], .. }) => {
                self.is_lane(a, depth - 1) && self.is_base(b)
                    || self.is_lane(b, depth - 1) && self.is_base(a)
                    || self.is_linear_index(value)
            }
            Some(&InstData::Binary { op: BinaryOp::Sub, args: [a, b], .. }) => {
                self.is_lane(a, depth - 1) && self.is_base(b)
            }
            _ => false,
        }
    }

    /// Returns true if a value is the block's index along an axis, and the quotient of it the same in all blocks of a cluster.
    pub(super) fn is_cluster(&self, value: Value, divisor: u64) -> bool {
        const INDICES: [SpecialRegister; 3] =
            [SpecialRegister::CtaidX, SpecialRegister::CtaidY, SpecialRegister::CtaidZ];
        let Some(InstData::Special { register }) = self.func.def(self.bare(value)) else { return false };
        let axis = INDICES.iter().position(|index| index == register);
        let blocks = axis.zip(self.func.bounds.cluster).map(|(axis, cluster)| u64::from(cluster[axis]));
        blocks.is_some_and(|blocks| divisor != 0 && divisor.is_multiple_of(blocks))
    }

    /// The number of bits by which a thread's number in its block is shifted, if a value is that.
    pub(super) fn shift_of_thread(&self, value: Value) -> Option<u64> {
        self.shift_at(value, DEPTH)
    }

    fn shift_at(&self, value: Value, depth: u32) -> Option<u64> {
        match self.func.def(self.bare(value)) {
            _ if depth == 0 => None,
            Some(InstData::Special { register: SpecialRegister::TidX }) => self.threads.flat.then_some(0),
            Some(&InstData::Binary { op: BinaryOp::LShr, args: [a, b], .. }) => {
                Some(self.shift_at(a, depth - 1)? + self.number(b).filter(|&by| by < 32)?)
            }
            Some(&InstData::Binary { op: BinaryOp::UDiv, args: [a, b], .. }) => {
                let by = self.number(b).filter(|by| by.is_power_of_two())?;
                Some(self.shift_at(a, depth - 1)? + u64::from(by.trailing_zeros()))
            }
            _ => self.is_linear_index(value).then_some(0),
        }
    }

    /// Returns true if a value is the thread's linear index in its block, x fastest: `(z * height + y) * width + x`. Warps are cut
    /// from that order (PTX ISA, "Cooperative Thread Arrays").
    fn is_linear_index(&self, value: Value) -> bool {
        self.is_sum(value, |a, b| {
            self.is_register(a, SpecialRegister::TidX)
                && self.is_product(b, |rows, width| self.is_extent(width, 0) && self.is_row(rows))
        })
    }

    /// `z * height + y`
    fn is_row(&self, value: Value) -> bool {
        let one_layer = self.threads.extent[2] == Some(1);
        one_layer && self.is_register(value, SpecialRegister::TidY)
            || self.is_sum(value, |a, b| {
                self.is_register(a, SpecialRegister::TidY)
                    && self.is_product(b, |z, height| {
                        self.is_register(z, SpecialRegister::TidZ) && self.is_extent(height, 1)
                    })
            })
    }

    fn is_sum(&self, value: Value, parts: impl Fn(Value, Value) -> bool) -> bool {
        match self.func.def(self.bare(value)) {
            Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. }) => parts(a, b) || parts(b, a),
            _ => false,
        }
    }

    fn is_product(&self, value: Value, parts: impl Fn(Value, Value) -> bool) -> bool {
        match self.func.def(self.bare(value)) {
            Some(&InstData::Binary { op: BinaryOp::Mul, args: [a, b], .. }) => parts(a, b) || parts(b, a),
            _ => false,
        }
    }

    fn is_register(&self, value: Value, wanted: SpecialRegister) -> bool {
        matches!(self.func.def(self.bare(value)), Some(InstData::Special { register }) if *register == wanted)
    }

    fn is_extent(&self, value: Value, axis: usize) -> bool {
        const EXTENTS: [SpecialRegister; 3] =
            [SpecialRegister::NtidX, SpecialRegister::NtidY, SpecialRegister::NtidZ];
        self.is_register(value, EXTENTS[axis])
            || self.threads.extent[axis].is_some_and(|extent| self.number(value) == Some(extent.into()))
    }
}
