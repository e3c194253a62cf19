//! A simulator of NVIDIA's PTX: decodes a module once, and runs its kernels on the CPU with the meaning that PTX gives them.
//!
//! ```text
//! text → tree (ptx) → decode → Program ─launch→ blocks → warps → groups of lanes → operations
//! ```
//!
//! ```
//! use ptx_sim::{LaunchConfig, Memory, Options, Program, run};
//!
//! let text = "
//! .version 7.0
//! .target sm_80
//! .address_size 64
//! .visible .entry squares(.param .u64 y)
//! {
//!     .reg .b32 %r<3>;
//!     .reg .b64 %rd<4>;
//!     ld.param.u64 %rd0, [y];
//!     mov.u32 %r0, %tid.x;
//!     mul.lo.u32 %r1, %r0, %r0;
//!     mul.wide.u32 %rd1, %r0, 4;
//!     add.u64 %rd2, %rd0, %rd1;
//!     st.global.u32 [%rd2], %r1;
//!     ret;
//! }";
//! let program = Program::load(text)?;
//! let kernel = program.kernel("squares").ok_or("no such kernel")?;
//! let memory = Memory::new();
//! let y = memory.allocate(32 * 4, 256);
//! let config = LaunchConfig { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared: 0 };
//!
//! // With the sanitizer.
//! let outcome = run(&program, kernel, &memory, &config, &y.to_le_bytes(), &Options::default());
//! assert!(outcome.reports.is_empty());
//! assert_eq!(outcome.result?.global_requests, 1);
//! let mut last = [0; 4];
//! memory.read(y + 31 * 4, &mut last)?;
//! assert_eq!(u32::from_le_bytes(last), 31 * 31);
//!
//! // With a thread too many.
//! let config = LaunchConfig { block: [33, 1, 1], ..config };
//! let reports = run(&program, kernel, &memory, &config, &y.to_le_bytes(), &Options::default()).reports;
//! assert!(reports[0].to_string().contains("out of bounds"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
//! Products by tensor cores: more than 100 M multiply-adds per second, 88 M with the sanitizer (`simulator-speed` of the examples).

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
pub mod interrupt;
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
pub mod special_functions;
mod still;
mod sync;
mod takers;
mod together;
mod turnstile;
mod warp;
mod warpgroup;
mod whole;

pub use exec::matrix;
pub use exec::tensor_map::{ElementKind, Swizzle, TensorMap};
pub use fault::{
    Awaited, Code, Completion, Fault, Gap, LoadError, Misdeed, NamedTouch, Nearest, OtherAccess, Place,
    SourceLine, Started, Subject, Taker, Touch, Waiting,
};
pub use integer::dot4;
pub use launch::{Detailed, LaunchConfig, Limits, Options, Outcome, launch, launch_within, run, run_with};
pub use memory::{Memory, NotAllocated};
pub use names::Label;
pub use profile::{Class, Counts, LaunchStats, LineStats, MEMORY_LATENCY, Pattern, Stall, Stalls};
pub use program::{KernelId, KernelInfo, Parameter, Program};
pub use progress::Progress;
pub use sanitize::Report;

#[cfg(test)]
mod tests;
