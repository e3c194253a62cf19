//! Rust kernels on a GPU, or on a simulator where there is none.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! /// `y = a x + y`
//! #[kernel(launch_bounds(256, 8))]
//! pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_idx().x;
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! fn main() -> Result<()> {
//!     let gpu = Gpu::new()?; // the first CUDA device, or the simulator
//!     println!("{}", gpu.describe()); // which of them, and why
//!     let x = gpu.upload(&[1.0f32; 1000])?;
//!     let mut y = gpu.zeros::<f32>(1000)?;
//!     let report = saxpy(2.0, &x, &mut y).over(1000).run()?; // block size from the occupancy API
//!     assert_eq!(y.to_vec()?, [2.0; 1000]);
//!     println!("{report}");
//!     let best = saxpy::KERNEL.best_block_size(&gpu)?;
//!     println!("{best}"); // threads per block, smallest full grid, occupancy, its limiter
//!     Ok(())
//! }
//! ```
//!
//! # Where things are
//!
//! | | |
//! |---|---|
//! | [`prelude::kernel`](macro@prelude::kernel) | `#[kernel]`: its attributes and the whole language, with what each construct means on the GPU |
//! | [`kernel_module`](macro@prelude::kernel_module), [`device_library`](macro@prelude::device_library) | what kernels share: a kernel sees nothing else outside itself |
//! | [`Gpu`] | a device: [`Gpu::new`], [`Gpu::cuda`], [`Gpu::simulator`]; what it is: [`DeviceAttributes`] |
//! | [`DeviceBuffer`] | memory on it: [`Gpu::upload`], [`Gpu::zeros`], [`to_vec`](DeviceBuffer::to_vec) |
//! | [`Launch`] | what calling a kernel gives: `over(n)`, or `grid` and `block`; then [`run`](Launch::run) |
//! | [`stream`] | launches and copies while the host goes on: [`Stream`], [`Event`], [`PinnedBuffer`]; [`start`](Launch::start) |
//! | [`graph`] | launches and copies asked for once and done again and again: [`Gpu::graph`], [`Graph`], [`Lent`] |
//! | `interop` | with the feature `cudarc`, beside `cudarc`: its contexts, streams and slices become ours, and ours its |
//! | [`LaunchReport`] | time on the device, or what the simulator counted ([`LaunchStats`]) |
//! | [`Profile`] | `.profile()` on a launch: counters by line and instruction, caches, what bounds the speed; as table, JSON, HTML |
//! | [`Progress`] | how far a simulated launch is, and its end before its time |
//! | [`Kernel`] | `saxpy::KERNEL`: its PTX, its needs on a device, its occupancy there |
//! | [`Report`] | `saxpy::KERNEL.report()`: what the compiler did with loops, branches, checks and accesses, line by line |
//! | [`tune`] | kernels with `tune(…)`: instances timed at first use, the best kept: [`Tuned`], [`Tuning`] |
//! | [`Sparse24`] | a matrix pruned for products by sparse tensor cores |
//! | [`TensorMap`] | a tensor as kernels copy boxes of it |
//! | [`PtxModule`] | PTX of one's own or of another compiler: [`Gpu::load_ptx`] |
//! | [`device`] | the functions that kernels call, such as [`global_idx`](device::global_idx) |
//! | [`nvtx`] | ranges and marks on the timelines of profilers |
//! | [`cpu`] | runs the body on the CPU: `saxpy::cpu(2.0, &x, &mut y).grid(1).block(32).run()` |
//! | [`Error`] | what was expected, what was found, where, and what to do |
//!
//! # Without a GPU
//!
//! Nothing of CUDA is needed to build. [`Gpu::new`] looks for the driver when the program runs; without one, or
//! without a device, it gives the simulator, which runs the same PTX text and counts instructions.
//! [`Gpu::fallback_reason`] says why it did.
//!
//! # Panics of kernels
//!
//! A failed check in a kernel ends its thread, the other threads run on, and [`Launch::run`] returns
//! [`Error::KernelPanicked`] with the place in the source, the block and the thread. Of a launch that was left to a [`stream`] the
//! next synchronisation returns it. The device stays usable.

#[doc(hidden)]
pub use kernel_macros::__link;
#[doc(inline)]
pub use kernel_runtime_core::*;

pub mod prelude {
    //! Everything that a program with kernels needs, in one `use`: the attribute, the functions of the language, the host's side.

    pub use kernel_macros::{Element, device, device_library, kernel, kernel_module};
    #[doc(inline)]
    pub use kernel_runtime_core::prelude::*;
}
