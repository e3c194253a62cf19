use kernel_runtime::prelude::*;

/// # Safety
/// There are `n` elements.
#[kernel(tune(block = [64, 128]))]
unsafe fn clear(x: *mut f32, n: usize) {
    let i = global_idx().x;
    if i < n {
        unsafe { x.add(i).write(0.0) };
    }
}

fn main() {}
