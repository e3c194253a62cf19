use kernel_runtime::prelude::*;

#[kernel(coarsen(4))]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = x[thread_idx().x];
    }
}

fn main() {}
