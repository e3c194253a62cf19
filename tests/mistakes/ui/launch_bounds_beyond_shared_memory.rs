use kernel_runtime::prelude::*;

#[kernel(launch_bounds(64, 8))]
fn reverse(x: &mut [f32]) {
    let mut tile = shared::<[f32; 10000]>();
    let i = thread_idx().x;
    tile[i] = x[i];
    barrier();
    x[i] = tile[63 - i];
}

fn main() {}
