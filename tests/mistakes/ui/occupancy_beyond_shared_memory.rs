use kernel_runtime::prelude::*;

#[kernel(occupancy(min = 0.5), launch_bounds(64))]
fn double(x: &mut [f32]) {
    let mut tile = shared::<[f32; 10000]>();
    let i = thread_idx().x;
    tile[i] = x[i];
    barrier();
    x[i] = tile[63 - i];
}

fn main() {}
