use kernel_runtime::prelude::*;

#[kernel(coarsen(4))]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i >= 1 && i < y.len() {
        y[i] = y[i - 1] + x[i];
    }
}

fn main() {}
