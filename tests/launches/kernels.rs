//! The kernels that are launched. All are right for every grid: each thread has a number of its own.

use kernel_runtime::prelude::*;

/// `y[i] = a x[i]` for each thread `i` that `y` has an element for; panics where `x` has none.
#[kernel]
pub fn scaled(a: f32, x: &[f32], y: &mut [f32]) {
    let row = global_idx().y + global_size().y * global_idx().z;
    let i = global_idx().x + global_size().x * row;
    if i < y.len() {
        y[i] = a * x[i];
    }
}

/// Scales as `scaled` does, for blocks of at most 64 threads, and never panics.
#[kernel(launch_bounds(64))]
pub fn bounded(a: f32, x: &[f32], y: &mut [f32]) {
    let row = global_idx().y + global_size().y * global_idx().z;
    let i = global_idx().x + global_size().x * row;
    if i < y.len() && i < x.len() {
        y[i] = a * x[i];
    }
}

/// Scales as `bounded` does, for blocks of 8 × 4 threads, with 4 KiB of shared memory.
#[kernel(block(8, 4))]
pub fn fixed(a: f32, x: &[f32], y: &mut [f32]) {
    let mut tile = shared::<[f32; 1024]>();
    let row = global_idx().y + global_size().y * global_idx().z;
    let i = global_idx().x + global_size().x * row;
    let own = thread_idx().x + 8 * thread_idx().y;
    tile[own] = a;
    barrier();
    if i < y.len() && i < x.len() {
        y[i] = tile[own] * x[i];
    }
}

/// Writes the last element.
#[kernel]
pub fn last(x: &mut [u8]) {
    let end = x.len();
    if end > 0 {
        x[end - 1] = 7;
    }
}

/// Writes the last element of a slice of any length.
#[kernel(index(u64))]
pub fn last_of_many(x: &mut [u8]) {
    let end = x.len();
    if end > 0 {
        x[end - 1] = 7;
    }
}
