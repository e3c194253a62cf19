use kernel_runtime::prelude::*;

#[kernel(launch_bounds(16))]
fn double(x: &mut [f32]) {
    let i = thread_idx().x;
    x[i] = warp::reduce_add(x[i]);
}

fn main() {}
