use kernel_runtime::prelude::*;

#[kernel(coarsen(4))]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let sum = warp::reduce_add(i as u32);
    if i < y.len() {
        y[i] = x[i] + sum as f32;
    }
}

fn main() {}
