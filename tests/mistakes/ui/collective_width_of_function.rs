use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let v = warp::reduce_add_width(x[i], 5);
    y[i] = v;
}

fn main() {}
