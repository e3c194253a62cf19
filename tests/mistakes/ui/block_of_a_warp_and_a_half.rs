use kernel_runtime::prelude::*;

#[kernel(block(48))]
fn double(x: &mut [f32]) {
    let i = thread_idx().x;
    x[i] = warp::shfl_down(x[i], 1);
}

fn main() {}
