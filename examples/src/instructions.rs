//! Instructions: the same result from fewer or cheaper ones.

pub mod accuracy;
pub mod angles;
pub mod indices;
pub mod polynomial;
pub mod segments;
