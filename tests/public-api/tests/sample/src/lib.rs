//! A crate with one item of each kind, which is read and never compiled.

mod closed;
pub mod open;
#[doc(hidden)]
pub mod hidden {
    pub fn of_the_expansion() {}
}
#[cfg(test)]
mod tests {
    pub fn of_tests() {}
}

pub use closed::{Exported, Trait};
pub use open::inner::*;
pub(crate) use closed::Crate;

/// A number.
pub const LIMIT: usize = 4;
pub const COMPUTED: usize = LIMIT * size_of::<u32>();
pub type Alias<T> = Option<T>;
const PRIVATE: usize = 1;

table! {
    /// A comment.
    Row,
    Column
}

macro_rules! table {
    ($($name:ident),*) => { $(pub struct $name;)* };
}

#[macro_export]
macro_rules! exported {
    () => {};
}
