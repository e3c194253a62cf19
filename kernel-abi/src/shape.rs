//! Shapes of blocks.

/// Shape required of the blocks of a kernel's launches, where its bounds leave that open: passes relied on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockShape {
    /// Anything.
    #[default]
    Any,
    /// One dimension, or rows of whole warps: a multiple of 32 threads in x.
    Line,
    /// Rows of whole warps.
    WholeWarps,
}

impl BlockShape {
    /// Every shape, those that allow more first.
    pub const ALL: &[BlockShape] = &[BlockShape::Any, BlockShape::Line, BlockShape::WholeWarps];
}
