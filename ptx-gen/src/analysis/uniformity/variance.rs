//! How a value varies: by which bits of the lane's number, and by the warp.

/// Threads that do something together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The lanes of a warp.
    Warp,
    /// The threads of a block.
    Block,
}

impl Group {
    /// Both.
    pub const ALL: [Group; 2] = [Group::Warp, Group::Block];
}

/// What a value is a function of, among the things in which the threads of a block differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variance {
    /// Bits of the lane's number.
    pub lanes: u8,
    /// The warp.
    pub warps: bool,
}

impl Variance {
    /// The same in all threads of the block.
    pub const UNIFORM: Variance = Variance { lanes: 0, warps: false };
    /// The same in the lanes of each warp.
    pub const BY_WARP: Variance = Variance { lanes: 0, warps: true };
    /// The same in the same lane of each warp.
    pub const BY_LANE: Variance = Variance { lanes: 0x1f, warps: false };
    /// Nothing is known.
    pub const ANY: Variance = Variance { lanes: 0x1f, warps: true };

    /// That of what is computed from both.
    pub fn union(self, other: Variance) -> Variance {
        Variance { lanes: self.lanes | other.lanes, warps: self.warps || other.warps }
    }

    /// That of a value of which both are known.
    pub fn intersection(self, other: Variance) -> Variance {
        Variance { lanes: self.lanes & other.lanes, warps: self.warps && other.warps }
    }

    /// Whether it differs between threads of such a group.
    pub fn varies_in(self, group: Group) -> bool {
        match group {
            Group::Warp => self.lanes != 0,
            Group::Block => self != Variance::UNIFORM,
        }
    }

    /// Whether it varies in a way that only such a group sees: by lanes, by warps.
    pub(super) fn shows_in(self, group: Group) -> bool {
        match group {
            Group::Warp => self.lanes != 0,
            Group::Block => self.warps,
        }
    }
}
