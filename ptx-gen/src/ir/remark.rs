//! Remarks of the passes on the source: transformations made, and requests of the source that cannot be met.
//!
//! A location of the source has one remark of a kind, however often its code was copied or inlined: [`Remark::count`] has
//! the number of copies.

use kernel_abi::remark::RemarkKind;

use super::function::SourceLoc;

/// A pass's report on a location of the source: a transformation, or the reason for its absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The location.
    pub location: SourceLoc,
    /// The report.
    pub kind: RemarkKind,
    /// Number of copies of its code that it applies to.
    pub count: u32,
}
