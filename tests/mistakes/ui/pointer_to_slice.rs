use kernel_runtime::prelude::*;

/// # Safety
/// There is something.
#[kernel]
unsafe fn clear(x: *mut [f32]) {
    let i = global_idx().x;
    unsafe { (*x)[i] = 0.0 };
}

fn main() {}
