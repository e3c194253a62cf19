use kernel_runtime::prelude::*;

#[kernel]
fn bits(x: &[f32], y: &mut [u32]) {
    let i = global_idx().x;
    let p = &x[i] as *const u32;
    y[i] = unsafe { *p };
}

fn main() {}
