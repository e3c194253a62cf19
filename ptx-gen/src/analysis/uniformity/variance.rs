//! How a value varies: by which bits of the lane's number, by the warp, and by the block.

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

/// What a value is a function of, among the things in which the threads of a grid differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variance {
    /// Bits of the lane's number.
    pub lanes: u8,
    /// The warp.
    pub warps: bool,
    /// The block. Nobody asks where no threads of a grid meet: then it is never set.
    pub blocks: bool,
}

impl Variance {
    /// The same in all threads of the grid.
    pub const UNIFORM: Variance = Variance { lanes: 0, warps: false, blocks: false };
    /// The same in the threads of each block.
    pub const BY_BLOCK: Variance = Variance { lanes: 0, warps: false, blocks: true };
    /// The same in the lanes of each warp.
    pub const BY_WARP: Variance = Variance { lanes: 0, warps: true, blocks: true };
    /// The same in the same lane of each warp.
    pub const BY_LANE: Variance = Variance { lanes: 0x1f, warps: false, blocks: false };
    /// Nothing is known.
    pub const ANY: Variance = Variance { lanes: 0x1f, warps: true, blocks: true };

    /// That of what is computed from both.
    pub fn union(self, other: Variance) -> Variance {
        Variance {
            lanes: self.lanes | other.lanes,
            warps: self.warps || other.warps,
            blocks: self.blocks || other.blocks,
        }
    }

    /// That of a value of which both are known.
    pub fn intersection(self, other: Variance) -> Variance {
        Variance {
            lanes: self.lanes & other.lanes,
            warps: self.warps && other.warps,
            blocks: self.blocks && other.blocks,
        }
    }

    /// Whether it differs between threads of such a group.
    pub fn varies_in(self, group: Group) -> bool {
        match group {
            Group::Warp => self.lanes != 0,
            Group::Block => self.lanes != 0 || self.warps,
            Group::Grid => self != Variance::UNIFORM,
        }
    }

    /// Whether it varies in a way that only such a group sees: by lanes, by warps, by blocks.
    pub(super) fn shows_in(self, group: Group) -> bool {
        match group {
            Group::Warp => self.lanes != 0,
            Group::Block => self.warps,
            Group::Grid => self.blocks,
        }
    }
}
