//! The PTX simulator: decodes a module once, and runs its kernels on the CPU with the meaning that PTX gives them.
//!
//! ```text
//! text → tree (ptx-gen) → decode → Program ─launch→ blocks → warps → groups of lanes → operations
//! ```
//!
//! It stands alone: memory, programs, launches, faults and statistics are its own, and the back end wraps them.
//!
//! # What is simulated
//!
//! - Warps of 32 lanes with independent forward progress: a diverged warp runs its groups of lanes in turn, and they meet
//!   again at the immediate post-dominator or before (`warp`, `decode::flow`).
//! - IEEE arithmetic bit for bit, and the special function unit's `ex2`, `rcp` and `rsqrt`; other approximate instructions rounded
//!   from f64, inside the bounds of the manual (`float`, `narrow`, `exact`, `special_functions`, `approx`, the tables in `exec`).
//! - Barriers of blocks and warps, shared, local, constant and global memory, generic addresses, atomic operations,
//!   shuffles, votes, matches, reductions (`sync`, `exec`).
//! - Blocks run in parallel. Atomic operations on global memory happen in the order of the blocks, so that a kernel
//!   without races gives the same result and the same counts every time (`turnstile`).
//! - Calls with their parameters, recursion, calls through pointers, branches by table, `vprintf` and `__assertfail`
//!   (`calls`, `printf`).
//!
//! - Clusters of blocks with distributed shared memory, and cooperative grids (`together`, `exec::peers`).
//! - Fragments of matrices, sparse ones too, and products of groups of warps, `wgmma` (`exec::matrix`, `exec::group`);
//!   `cp.async` with its groups, `mbarrier`, copies in bulk and of tensors (`exec::asynchronous`, `exec::bulk`).
//! - A sanitizer, which looks at every access (`sanitize`).
//!
//! Not simulated: textures and surfaces, tensor cores of the fifth generation, tensors as
//! `im2col`. Loading a module that needs one of these says so, with the line.
//!
//! # Speed
//!
//! Saxpy with all counters on: 1.5 G thread instructions per second on one core with AVX2 (`tests::speed`).

mod approx;
mod block;
mod calls;
mod deciding;
mod decode;
mod exact;
mod exec;
mod fault;
mod float;
mod integer;
pub(crate) mod interrupt;
mod launch;
mod memory;
mod names;
mod narrow;
mod op;
mod printf;
mod profile;
mod program;
mod progress;
mod registers;
mod sanitize;
pub(crate) mod special_functions;
mod still;
mod sync;
mod together;
mod turnstile;
mod warp;
mod whole;

pub(crate) use exec::matrix;
pub use exec::tensor_map::Swizzle;
pub(crate) use exec::tensor_map::{ElementKind, TensorMap};
pub use fault::{
    Awaited, Code, Completion, Fault, LoadError, Misdeed, NamedTouch, Nearest, OtherAccess, Place,
    SourceLine, Started, Subject, Touch, Waiting,
};
pub(crate) use integer::dot4;
pub use launch::{Detailed, LaunchConfig, Limits, Options, Outcome, launch, launch_within, run, run_with};
pub use memory::{Memory, NotAllocated};
pub(crate) use names::Label;
pub use profile::{Class, Counts, LaunchStats, LineStats, Stall, Stalls};
pub use program::{KernelId, KernelInfo, Parameter, Program};
pub use progress::Progress;
pub use sanitize::Report;

#[cfg(test)]
mod tests;
