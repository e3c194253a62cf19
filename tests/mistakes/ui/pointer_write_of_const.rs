use kernel_runtime::prelude::*;

/// # Safety
/// There are `n` elements.
#[kernel]
unsafe fn scale(x: *const f32, n: usize) {
    let i = global_idx().x;
    if i < n {
        unsafe { x.add(i).write(1.0) };
    }
}

fn main() {}
