use kernel_runtime::prelude::*;

#[kernel(coarsen(4))]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    barrier();
    if i < y.len() {
        y[i] = x[i];
    }
}

fn main() {}
