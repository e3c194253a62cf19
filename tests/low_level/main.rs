//! Kernels without the language's checks: raw pointers from the host, elements without checks, into shared memory; PTX of
//! their own, special registers, cache operators. On
//! the simulator, on the CPU copy where it has a meaning there, and on a GPU where there is one.

mod cache;
mod inline;
mod pointers;
mod special;

use kernel_runtime::{Arch, Gpu};

/// The simulator, and a GPU if there is one.
fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}
