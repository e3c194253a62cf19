//! Static analyses of a function.
//!
//! Analyses read a function and are thrown away when it changes.

pub mod cfg;
pub mod domtree;
pub mod loops;
pub mod multiples;
mod pressure;
pub mod ranges;
mod thread_index;
pub mod uniformity;

pub use cfg::Cfg;
pub use domtree::{DomTree, PostDomTree};
pub use loops::{Loop, Loops};
pub use pressure::register_pressure;
pub use ranges::{Atom, AtomData, Atoms, Demand, FloatBound, Interval, Poly, Ranges, Term};
pub use thread_index::{axis_of_thread_index, is_register, required_size, thread_index};
pub use uniformity::Uniformity;
