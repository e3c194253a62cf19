use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let v = warp::shfl_idx(x[i], 40);
    y[i] = v;
}

fn main() {}
