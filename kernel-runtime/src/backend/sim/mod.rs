//! The PTX simulator: decodes a module once, and runs its kernels on the CPU with the meaning that PTX gives them.
//!
//! ```text
//! text → tree (ptx-gen) → decode → Program ─launch→ blocks → warps → groups of lanes → operations
//! ```
//!
//! It stands alone: memory, programs, launches, faults and statistics are its own, and the back end wraps them.

mod approx;
mod block;
mod decode;
mod exec;
mod fault;
mod float;
mod integer;
mod launch;
mod memory;
mod op;
mod profile;
mod program;
mod registers;
mod sync;
mod turnstile;
mod warp;

pub use fault::{Code, Fault, LoadError, Misdeed, Nearest, Place, SourceLine, Touch, Waiting};
pub use launch::{LaunchConfig, Limits, launch, launch_within};
pub use memory::{Memory, NotAllocated};
pub use profile::{LaunchStats, LineStats};
pub use program::{KernelId, KernelInfo, Parameter, Program};

#[cfg(test)]
mod tests;
