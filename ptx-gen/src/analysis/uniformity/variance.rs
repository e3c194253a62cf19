//! Variance of a value: the bits of the lane's number, the warp and the block that it depends on.

/// Threads that do something together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The lanes of a warp.
    Warp,
    /// Four warps that multiply together, the first of which is number 0, 4, 8, … of its block (PTX ISA, "warpgroup").
    Warpgroup,
    /// The threads of a block.
    Block,
    /// The threads of a cluster of blocks.
    Cluster,
    /// The threads of a grid.
    Grid,
}

impl Group {
    /// The smaller ones first.
    pub const ALL: [Group; 5] = [Group::Warp, Group::Warpgroup, Group::Block, Group::Cluster, Group::Grid];
}

/// All bits of [`Variance::warps`].
pub(super) const WARPS: u8 = 7;
/// Those of a warp's place in its warpgroup.
const IN_GROUP: u8 = 3;

/// Coordinates of a thread in its grid that a value depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variance {
    /// Bits of the lane's number.
    pub lanes: u8,
    /// Bits of the warp's number in its block: the two of its place in its warpgroup, and one for all above.
    pub warps: u8,
    /// The block's place in its cluster. Not tracked where neither clusters nor the grid synchronise: then it is never set.
    pub ranks: bool,
    /// The cluster. Not tracked where the grid does not synchronise: then it is never set.
    pub clusters: bool,
}

impl Variance {
    /// Uniform in the grid.
    pub const UNIFORM: Variance = Variance { lanes: 0, warps: 0, ranks: false, clusters: false };
    /// A function of the block's place in its cluster.
    pub const BY_RANK: Variance = Variance { ranks: true, ..Variance::UNIFORM };
    /// Uniform in each cluster.
    pub const BY_CLUSTER: Variance = Variance { clusters: true, ..Variance::UNIFORM };
    /// Uniform in each block.
    pub const BY_BLOCK: Variance = Variance { ranks: true, ..Variance::BY_CLUSTER };
    /// Uniform in each warp.
    pub const BY_WARP: Variance = Variance { warps: WARPS, ..Variance::BY_BLOCK };
    /// A function of the lane alone.
    pub const BY_LANE: Variance = Variance { lanes: 0x1f, ..Variance::UNIFORM };
    /// A function of the thread's index in its block.
    pub const BY_THREAD: Variance = Variance { warps: WARPS, ..Variance::BY_LANE };
    /// Nothing is known.
    pub const ANY: Variance = Variance { lanes: 0x1f, ..Variance::BY_WARP };

    /// Variance of a function of two values.
    pub fn union(self, other: Variance) -> Variance {
        Variance {
            lanes: self.lanes | other.lanes,
            warps: self.warps | other.warps,
            ranks: self.ranks || other.ranks,
            clusters: self.clusters || other.clusters,
        }
    }

    /// Variance of a value with both of these variances.
    pub fn intersection(self, other: Variance) -> Variance {
        Variance {
            lanes: self.lanes & other.lanes,
            warps: self.warps & other.warps,
            ranks: self.ranks && other.ranks,
            clusters: self.clusters && other.clusters,
        }
    }

    /// Returns true if it differs between threads of such a group.
    pub fn varies_in(self, group: Group) -> bool {
        match group {
            Group::Warp => self.lanes != 0,
            Group::Warpgroup => self.lanes != 0 || self.warps & IN_GROUP != 0,
            Group::Block => self.lanes != 0 || self.warps != 0,
            Group::Cluster => self.lanes != 0 || self.warps != 0 || self.ranks,
            Group::Grid => self != Variance::UNIFORM,
        }
    }

    /// Returns true if it depends on the coordinate of that group: lanes, warps, blocks of a cluster or all blocks.
    pub(super) fn shows_in(self, group: Group) -> bool {
        match group {
            Group::Warp => self.lanes != 0,
            Group::Warpgroup => self.warps & IN_GROUP != 0,
            Group::Block => self.warps != 0,
            Group::Cluster => self.ranks,
            Group::Grid => self.ranks || self.clusters,
        }
    }
}
