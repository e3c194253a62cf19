//! Atomics between threads: what hands data over, what the simulator's sanitizer says where nothing does, and locks.

#![allow(missing_docs)]

mod locks;
mod races;

use kernel_runtime::{Arch, Gpu};

/// The simulator, and a GPU if there is one.
fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}
