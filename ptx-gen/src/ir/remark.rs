//! What passes say of the source: what they made of it, and what it asks for that cannot be had.

use std::fmt;

use super::function::SourceLoc;

/// What a pass did with a place of the source, or why it could not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The place.
    pub location: SourceLoc,
    /// What is said of it.
    pub kind: RemarkKind,
}

/// What is said of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// What the source demands there cannot be had: a mistake for the front end to report, in these words.
    Refused(String),
    /// A loop became so many copies of its body, and no loop is left.
    UnrolledWhole {
        /// How many.
        rounds: u32,
    },
    /// A loop has so many copies of its body.
    UnrolledBy {
        /// How many.
        copies: u32,
    },
}

impl fmt::Display for RemarkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RemarkKind::Refused(message) => f.write_str(message),
            RemarkKind::UnrolledWhole { rounds } => write!(f, "loop unrolled whole: {rounds} rounds"),
            RemarkKind::UnrolledBy { copies } => write!(f, "loop unrolled by {copies}"),
        }
    }
}
