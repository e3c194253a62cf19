//! Runs a kernel's body on the CPU: the oracle for tests, and a debugger's way in.
//!
//! Blocks run one after the other. The threads of a block are fibers (stackful coroutines): each runs until it ends or
//! waits, at a barrier or a warp collective, and goes on when those that it waits for are there. Everything happens on the
//! calling thread and in the same order each time. (Under `cfg(miri)` and `cfg(cpu_threads)` a fiber is a thread of the system, for tools that know nothing
//! of fibers; they take turns.)

mod block;
mod coroutine;
pub(crate) mod fiber;
mod launch;
mod memory;
mod overflow;
mod panics;
#[doc(hidden)]
pub mod run;
#[cfg(test)]
mod tests;

pub use block::CpuError;
pub use launch::CpuLaunch;
#[doc(hidden)]
pub use run::Entry;
