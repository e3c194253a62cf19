//! Variance of a value: the bits of the lane's number, the warp and the block that it depends on.

/// Threads that do something together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The lanes of a warp.
    Warp,
    /// The threads of a block.
    Block,
    /// The threads of a grid.
    Grid,
}

impl Group {
    /// The smaller ones first.
    pub const ALL: [Group; 3] = [Group::Warp, Group::Block, Group::Grid];
}

/// Coordinates of a thread in its grid that a value depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variance {
    /// Bits of the lane's number.
    pub lanes: u8,
    /// The warp.
    pub warps: bool,
    /// The block. Not tracked where the grid does not synchronise: then it is never set.
    pub blocks: bool,
}

impl Variance {
    /// Uniform in the grid.
    pub const UNIFORM: Variance = Variance { lanes: 0, warps: false, blocks: false };
    /// Uniform in each block.
    pub const BY_BLOCK: Variance = Variance { lanes: 0, warps: false, blocks: true };
    /// Uniform in each warp.
    pub const BY_WARP: Variance = Variance { lanes: 0, warps: true, blocks: true };
    /// A function of the lane alone.
    pub const BY_LANE: Variance = Variance { lanes: 0x1f, warps: false, blocks: false };
    /// Nothing is known.
    pub const ANY: Variance = Variance { lanes: 0x1f, warps: true, blocks: true };

    /// Variance of a function of two values.
    pub fn union(self, other: Variance) -> Variance {
        Variance {
            lanes: self.lanes | other.lanes,
            warps: self.warps || other.warps,
            blocks: self.blocks || other.blocks,
        }
    }

    /// Variance of a value with both of these variances.
    pub fn intersection(self, other: Variance) -> Variance {
        Variance {
            lanes: self.lanes & other.lanes,
            warps: self.warps && other.warps,
            blocks: self.blocks && other.blocks,
        }
    }

    /// Returns true if it differs between threads of such a group.
    pub fn varies_in(self, group: Group) -> bool {
        match group {
            Group::Warp => self.lanes != 0,
            Group::Block => self.lanes != 0 || self.warps,
            Group::Grid => self != Variance::UNIFORM,
        }
    }

    /// Returns true if it depends on the coordinate of that group: lanes, warps or blocks.
    pub(super) fn shows_in(self, group: Group) -> bool {
        match group {
            Group::Warp => self.lanes != 0,
            Group::Block => self.warps,
            Group::Grid => self.blocks,
        }
    }
}
