use kernel_runtime::prelude::*;

#[kernel]
fn scale(x: *const f32, y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = unsafe { *x.add(i) };
    }
}

fn main() {}
