use kernel_runtime::prelude::*;

#[kernel(launch_bounds(256, 9))]
fn double(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] *= 2.0;
    }
}

fn main() {}
